"""Decides whether the history of one register is linearizable (Wing and Gong, with the memoization of Lowe).

A history is linearizable if its operations can be put in an order that a register could have executed one by one, and
that contradicts no pair of operations of which one had ended before the other one began. Each register can be checked
alone, because linearizability is local (Herlihy and Wing).
"""

from dataclasses import dataclass
from typing import Any

# An operation whose outcome is unknown may take effect at any time after its begin, or never.
NEVER = float("inf")
# A failed comparison may not say what it has found.
UNSEEN = object()
LIMIT_CONFIGURATIONS = 2_000_000


@dataclass
class Operation:
    """An operation on a register, as its client saw it.

    - `write`: sets `value`.
    - `swap`: sets `value` if the register has `expected`. `succeeded` says whether it did, and is None if the outcome
      is unknown. One that failed has found `seen`.
    - `read`: has found `seen`.
    """

    kind: str
    begin: float
    end: float
    value: Any = None
    expected: Any = None
    seen: Any = UNSEEN
    succeeded: bool | None = True

    def apply(self, state):
        """Returns whether the operation can be the next one in a state, and the state after it."""
        if self.kind == "write":
            return True, self.value
        if self.kind == "read":
            return state == self.seen, state
        if self.succeeded is not False:
            return state == self.expected, self.value
        return state != self.expected and (self.seen is UNSEEN or state == self.seen), state


class Undecided(Exception):
    """The history has too many orders to try."""


def is_linearizable(initial, operations):
    """Returns whether a register that begins with a value can have executed the operations.

    Depth-first search over the set of operations that have taken effect and the state. Operations of unknown outcome
    need not take effect.
    """
    ordered = sorted(relevant(operations), key=lambda operation: operation.begin)
    certain = sum(1 << index for index, operation in enumerate(ordered) if operation.end != NEVER)
    pending, visited = [(0, initial)], {(0, initial)}
    while pending:
        done, state = pending.pop()
        if done & certain == certain:
            return True
        # Only operations that began before the first end of the remaining ones can be next.
        first_end = NEVER
        for index, operation in enumerate(ordered):
            if operation.begin > first_end:
                break
            if done >> index & 1:
                continue
            first_end = min(first_end, operation.end)
        for index, operation in enumerate(ordered):
            if operation.begin > first_end:
                break
            if done >> index & 1:
                continue
            is_possible, following = operation.apply(state)
            configuration = (done | 1 << index, following)
            if is_possible and configuration not in visited:
                if len(visited) >= LIMIT_CONFIGURATIONS:
                    raise Undecided(f"more than {LIMIT_CONFIGURATIONS} configurations")
                visited.add(configuration)
                pending.append(configuration)
    return False


def relevant(operations):
    """Leaves out operations of unknown outcome whose value was never found: they need not have taken effect.

    That holds only if every failed comparison says what it has found; otherwise such a value could be the reason.
    """
    if any(operation.succeeded is False and operation.seen is UNSEEN for operation in operations):
        return operations
    found = {operation.seen for operation in operations if operation.seen is not UNSEEN}
    found |= {operation.expected for operation in operations if operation.succeeded is not False}
    return [operation for operation in operations if operation.end != NEVER or operation.value in found]
