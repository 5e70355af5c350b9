"""A check of its own: what the description allows is refused for reasons alone that a description cannot tell."""

import schemathesis

# By status, the types of problems that depend on the state. `unknown-path`, `invalid-value` and the like are not among
# them: the description could have said so.
BY_STATE = {
    404: {"no-such-element", "inactive-case", "nil-optional"},
    409: {"inactive-case", "nil-optional", "cannot-create", "test-failed", "write-not-kept", "changed-since"},
    410: {"gone"},
    422: {"missing-member", "read-only-member", "duplicate-id", "conflicting-members", "invalid-state"},
}


# An entity tag that is made up refuses a request before anybody looks at what it says (RFC 9110 §13.2.1).
CONDITIONS = {"#/components/parameters/If-Match", "#/components/parameters/If-None-Match"}


@schemathesis.hook
def before_load_schema(ctx, raw_schema):
    """Leaves conditions out."""
    for place in raw_schema["paths"].values():
        for operation in place.values():
            if "parameters" in operation:
                operation["parameters"] = [one for one in operation["parameters"] if one.get("$ref") not in CONDITIONS]


@schemathesis.check
def refused_by_state(ctx, response, case):
    """A request that fits the description is refused by the state, if at all."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if response.status_code not in BY_STATE or case.method == "HEAD":
        return
    problem = response.json()
    kind = problem["type"].removeprefix("/problems/")
    if kind in BY_STATE[response.status_code]:
        return
    # The schema of a JSON Patch does not know the types of the places that it points to.
    if "operation" in problem:
        return
    # JSON Schema counts code points, the service characters.
    if kind == "invalid-value" and "characters" in problem.get("expected", ""):
        return
    raise AssertionError(f"{kind}: {problem.get('detail')} ({problem.get('pointer', 'no pointer')})")
