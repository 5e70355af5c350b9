"""Custom schemathesis checks: the reasons for which requests are rejected, and the statuses of each method."""

import schemathesis

# The problem types that depend on the state, by status. Types such as `unknown-path` and `invalid-value` are missing,
# because an OpenAPI document can exclude the requests that cause them.
BY_STATE = {
    404: {"no-such-element", "inactive-case", "nil-optional"},
    409: {"inactive-case", "nil-optional", "cannot-create", "test-failed", "write-not-kept", "changed-since"},
    410: {"gone", "other-history"},
    422: {"missing-member", "read-only-member", "duplicate-id", "conflicting-members", "invalid-state"},
}

# The statuses of failed requests, by method. The document has one response for all of them.
FAILURES = {
    "GET": {400, 404, 406, 410, 412},
    "PATCH": {400, 404, 409, 412, 413, 415, 422},
    "PUT": {400, 404, 409, 412, 413, 415, 422},
    "POST": {400, 401, 404, 409, 410, 412, 413, 415, 422},
    "DELETE": {400, 404, 409, 412, 422},
    # OPTIONS takes no query parameters.
    "OPTIONS": {400},
}


# The parameters of conditional requests. With a random entity tag, a condition fails before the server validates the
# body (RFC 9110 §13.2.1).
CONDITIONS = {"#/components/parameters/If-Match", "#/components/parameters/If-None-Match"}


@schemathesis.hook
def before_load_schema(ctx, raw_schema):
    """Removes the parameters of conditional requests."""
    for path_item in raw_schema["paths"].values():
        for node in [path_item, *(value for value in path_item.values() if isinstance(value, dict))]:
            if "parameters" in node:
                node["parameters"] = [
                    parameter for parameter in node["parameters"] if parameter.get("$ref") not in CONDITIONS]


@schemathesis.check
def declared_failure(ctx, response, case):
    """Fails if a request fails with a status that its method never has."""
    if response.status_code < 400 or response.status_code == 405:
        return
    if response.status_code not in FAILURES.get(case.method, set()):
        raise AssertionError(f"{case.method} failed with status {response.status_code}")


@schemathesis.check
def refused_by_state(ctx, response, case):
    """Fails if a valid request is rejected with a problem that does not depend on the state."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if response.status_code not in BY_STATE:
        return
    problem = response.json()
    kind = problem["type"].removeprefix("/problems/")
    if kind in BY_STATE[response.status_code]:
        return
    # The schema of a JSON Patch does not contain the types of the values that its pointers refer to.
    if "operation" in problem:
        return
    # JSON Schema counts code points, the service counts characters (grapheme clusters).
    if kind == "invalid-value" and "characters" in problem.get("expected", ""):
        return
    raise AssertionError(f"{kind}: {problem.get('detail')} ({problem.get('pointer', 'no pointer')})")
