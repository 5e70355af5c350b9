"""A custom schemathesis check: valid requests are rejected only for reasons that depend on the state."""

import schemathesis

# The problem types that depend on the state, by status. Types such as `unknown-path` and `invalid-value` are missing,
# because an OpenAPI document can exclude the requests that cause them.
BY_STATE = {
    404: {"no-such-element", "inactive-case", "nil-optional"},
    409: {"inactive-case", "nil-optional", "cannot-create", "test-failed", "write-not-kept", "changed-since"},
    410: {"gone"},
    422: {"missing-member", "read-only-member", "duplicate-id", "conflicting-members", "invalid-state"},
}


# The parameters of conditional requests. With a random entity tag, a condition fails before the server validates the
# body (RFC 9110 §13.2.1).
CONDITIONS = {"#/components/parameters/If-Match", "#/components/parameters/If-None-Match"}


@schemathesis.hook
def before_load_schema(ctx, raw_schema):
    """Removes the parameters of conditional requests."""
    for path_item in raw_schema["paths"].values():
        for operation in path_item.values():
            if "parameters" in operation:
                operation["parameters"] = [
                    parameter for parameter in operation["parameters"] if parameter.get("$ref") not in CONDITIONS]


@schemathesis.check
def refused_by_state(ctx, response, case):
    """Fails if a valid request is rejected with a problem that does not depend on the state."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if response.status_code not in BY_STATE or case.method == "HEAD":
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
