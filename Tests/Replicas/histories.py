"""Runs operations on three servers that share one database while connections and processes fail, and checks what the
clients saw.

A history is a number of operations of concurrent clients: writes, conditional writes, writes that are repeated with an
idempotency key, increments, reads, and event streams that move from server to server. Afterwards:

- All operations that promise the newest state are linearizable: writes, conditional writes, reads of the newest state.
- Each of them has a later revision than everything that any client had seen before it began.
- One revision has one value, on all servers.
- A read that says what its client has seen goes back to no older state.
- The counter is at least the number of acknowledged increments, and at most that and those of unknown outcome.
- A value that is appended to a list with an idempotency key is there once if that was acknowledged, and never twice.
- A stream sends no older value, none twice in a row, and always the last one.
"""

import asyncio
import itertools
import json
import random
import time

from client import NotSent, events, request
from cluster import REPLICAS
from linearizability import NEVER, UNSEEN, Operation, Undecided, is_linearizable

NAMES = ("a", "b", "c", "count")
# The times after which a client gives up and repeats its write, in seconds.
PATIENCE_S = (0.01, 0.1, 8, 8)
CLIENTS = 8
PAUSE_S = 0.04
FINAL_LIMIT_S = 20


class Failure(Exception):
    """A promise is broken."""


class History:
    """The operations of one history, what the clients saw, and the checks."""

    def __init__(self, cluster, number, count, seed, ignored):
        self.cluster, self.number, self.remaining = cluster, number, count
        self.random, self.ignored = random.Random(seed), ignored
        self.operations = {name: [] for name in NAMES}
        self.values, self.entity_tags = {}, {}
        self.newest, self.history = 0, None
        self.numbers = itertools.count()
        self.added = {True: 0, False: 0, None: 0}
        self.appended = {True: [], False: [], None: []}

    # Requests

    async def send(self, index, method, name, headers={}, body=None, confirmed=True, kind="application/json",
                   limit_s=8):
        """Sends a request, and checks the revision of the response.

        - Parameter confirmed: Whether the response must be as new as everything seen before.
        """
        path = f"/state/{name}"
        fields = {key: value for key, value in headers.items() if key not in self.ignored}
        if body is not None:
            fields["Content-Type"] = kind
        newest = self.newest
        response = await request(
            self.cluster.replicas[index].port, method, path, fields, b"" if body is None else json.dumps(body).encode(),
            limit_s)
        # A repeated response describes the moment of the first one.
        if response.position and response.status < 500 and "idempotency-replayed" not in response.headers:
            revision = self.note(name, response)
            if confirmed and revision < newest:
                raise Failure(f"{method} {path} at revision {revision}, after revision {newest} was seen")
        return response

    def note(self, name, response):
        """Records the position of a response, and compares its value with other responses at the same revision."""
        history, revision = response.position
        self.history = self.history or history
        if history != self.history:
            raise Failure(f"the history changed from {self.history} to {history}")
        if response.status == 200:
            value = json.loads(response.body)
            self.note_value(name, revision, value)
            if name in NAMES:
                self.entity_tags[name, value] = response.headers["etag"]
        self.newest = max(self.newest, revision)
        return revision

    def note_value(self, name, revision, value):
        known = self.values.setdefault((name, revision), value)
        if known != value:
            raise Failure(f"{name} is {known!r} and {value!r} at revision {revision}")

    # Operations

    async def write(self, index, name, value, headers={}, attempts=1):
        """Sends a write until its outcome is known, at most `attempts` times.

        - Returns: The response if the outcome is known; whether it took effect, None if that is unknown.
        """
        body, kind = value, "application/json"
        if name == "count":
            body = [{"op": "test", "path": "", "value": value - 1}, {"op": "replace", "path": "", "value": value}]
        elif name == "log":
            body = [{"op": "add", "path": "/-", "value": value}]
        if body is not value:
            kind = "application/json-patch+json"
        outcome = False
        for _ in range(attempts):
            try:
                limit_s = self.random.choice(PATIENCE_S) if attempts > 1 else PATIENCE_S[-1]
                response = await self.send(index, "PATCH", name, headers, body, kind=kind, limit_s=limit_s)
            except NotSent:
                pass
            except (OSError, EOFError, TimeoutError):
                outcome = None
            else:
                if response.status == 200:
                    return response, True
                if response.status in (409, 412):
                    # An earlier attempt may still take effect.
                    return response, outcome
                if response.status != 503:
                    raise Failure(f"PATCH of {name} got {response.status}: {response.body}")
                if response.kind == "unknown-outcome":
                    outcome = None
            index = self.random.randrange(REPLICAS)
        return None, outcome

    def record(self, name, begin, response, outcome, value, expected=None):
        """Records a write."""
        if outcome is False and response is None:
            return
        end = NEVER if outcome is None else time.monotonic()
        if expected is None:
            operation = Operation("write", begin, end, value)
        else:
            operation = Operation("swap", begin, end, value, expected, succeeded=outcome)
            if outcome is False:
                operation.seen = json.loads(response.body).get("current", UNSEEN)
        self.operations[name].append(operation)

    async def set(self, client, index, name):
        value, begin = self.new_value(), time.monotonic()
        self.record(name, begin, *await self.write(index, name, value), value)

    async def set_repeatedly(self, client, index, name):
        value, begin = self.new_value(), time.monotonic()
        result = await self.write(index, name, value, {"Idempotency-Key": value}, attempts=5)
        self.record(name, begin, *result, value)

    async def swap(self, client, index, name):
        expected = client["values"].get(name)
        if expected is None:
            return await self.read(client, index, name)
        value, begin = self.new_value(), time.monotonic()
        response, outcome = await self.write(index, name, value, {"If-Match": self.entity_tags[name, expected]})
        self.record(name, begin, response, outcome, value, expected)
        if outcome:
            client["values"][name] = value
        elif response:
            client["values"].pop(name)

    async def add(self, client, index, _):
        expected = client["values"].get("count")
        if expected is None:
            return await self.read(client, index, "count")
        begin = time.monotonic()
        key = {"Idempotency-Key": self.new_value()} if self.random.random() < 0.5 else {}
        response, outcome = await self.write(index, "count", expected + 1, key, attempts=4 if key else 1)
        self.record("count", begin, response, outcome, expected + 1, expected)
        self.added[outcome] += 1
        client["values"].pop("count")

    async def append(self, client, index, _):
        value = self.new_value()
        _, outcome = await self.write(index, "log", value, {"Idempotency-Key": value}, attempts=5)
        self.appended[outcome].append(value)

    async def read(self, client, index, name):
        """Reads a value that is not older than what the client has seen."""
        seen = client["seen"]
        headers = {"State-History": self.history, "State-Revision": seen} if seen else {}
        response = await self.read_once(client, index, name, headers)
        if response and response.position[1] < seen:
            raise Failure(f"a client that had seen revision {seen} got revision {response.position[1]}")

    async def read_locally(self, client, index, name):
        await self.read_once(client, index, name, {})

    async def read_newest(self, client, index, name):
        begin = time.monotonic()
        response = await self.read_once(client, index, name, {"Prefer": "read=newest"}, confirmed=True)
        if response:
            seen = json.loads(response.body)
            self.operations[name].append(Operation("read", begin, time.monotonic(), seen=seen))
        return response

    async def read_once(self, client, index, name, headers, confirmed=False):
        try:
            response = await self.send(index, "GET", name, headers, confirmed=confirmed)
        except (NotSent, OSError, EOFError, TimeoutError):
            return None
        if response.status == 503:
            return None
        if response.status != 200:
            raise Failure(f"GET of {name} got {response.status}: {response.body}")
        client["values"][name] = json.loads(response.body)
        client["seen"] = max(client["seen"], response.position[1])
        return response

    def new_value(self):
        return f"{self.number}-{next(self.numbers)}"

    async def work(self):
        """Runs the operations of one client."""
        client = {"values": {}, "seen": 0}
        index = self.random.randrange(REPLICAS)
        operations = [
            self.set, self.set_repeatedly, self.swap, self.swap, self.append, self.append, self.add, self.add,
            self.read, self.read, self.read_locally, self.read_newest, self.read_newest,
        ]
        while self.remaining > 0:
            self.remaining -= 1
            if self.random.random() < 0.4:
                index = self.random.randrange(REPLICAS)
            await self.random.choice(operations)(client, index, self.random.choice(NAMES[:3]))
            await asyncio.sleep(self.random.uniform(0, 2 * PAUSE_S))

    # Streams

    async def watch(self, name, stream):
        """Follows a value on one server after the other."""
        while True:
            index = self.random.randrange(REPLICAS)
            cursor = None if "Last-Event-ID" in self.ignored else stream["cursor"]
            try:
                async with asyncio.timeout(self.random.uniform(0.05, 0.8)):
                    async for identifier, value in events(
                            self.cluster.replicas[index].port, f"/state/{name}", cursor):
                        self.note_event(name, stream, identifier, value)
            except (NotSent, OSError, EOFError, TimeoutError):
                pass
            stream["connections"] += 1
            await asyncio.sleep(0.01)

    def note_event(self, name, stream, identifier, value):
        _, revision, history = identifier.split("~")
        revision = int(revision)
        if history != (self.history or history):
            raise Failure(f"a stream of {name} has history {history} instead of {self.history}")
        self.note_value(name, revision, value)
        if revision <= stream["revision"]:
            raise Failure(f"a stream of {name} sent revision {revision} after {stream['revision']}")
        if value == stream["value"]:
            raise Failure(f"a stream of {name} sent {value!r} twice in a row")
        stream.update(cursor=identifier, revision=revision, value=value)
        self.newest = max(self.newest, revision)

    # The whole history

    async def run(self, faults):
        """Runs the operations and checks the result."""
        initial = {}
        for index, name in itertools.product(range(REPLICAS), NAMES):
            # A server executes this after what is left of the previous history.
            value = index + 1 if name == "count" else self.new_value()
            response = await self.send(index, "PUT", name, {}, value)
            if response.status != 200:
                raise Failure(f"PUT of {name} got {response.status} without faults: {response.body}")
            initial[name] = value
        await self.send(0, "PUT", "log", {}, [])
        streams = {name: {"cursor": None, "revision": -1, "value": None, "connections": 0} for name in NAMES}
        async with asyncio.TaskGroup() as group:
            background = [group.create_task(self.watch(*item)) for item in streams.items()]
            breaking = group.create_task(faults.run())
            await self.all_of([self.work() for _ in range(CLIENTS)])
            faults.stop()
            await breaking
            await self.cluster.run()
            final = await self.read_final()
            await self.wait_for_streams(streams, final)
            for task in background:
                task.cancel()
            log = json.loads((await self.send(0, "GET", "log", {"Prefer": "read=newest"})).body)
        self.check(initial, final, log)
        return sum(stream["connections"] for stream in streams.values())

    async def all_of(self, coroutines):
        async with asyncio.TaskGroup() as group:
            for coroutine in coroutines:
                group.create_task(coroutine)

    async def read_final(self):
        """Reads the newest values on all servers, which must agree."""
        final = {}
        for index, name in itertools.product(range(REPLICAS), NAMES):
            response = None
            end = time.monotonic() + FINAL_LIMIT_S
            while response is None:
                response = await self.read_newest({"values": {}, "seen": 0}, index, name)
                if response is None and time.monotonic() > end:
                    raise Failure(f"server {index} does not answer {FINAL_LIMIT_S} seconds after the last fault")
            final[name] = json.loads(response.body)
        return final

    async def wait_for_streams(self, streams, final):
        end = time.monotonic() + FINAL_LIMIT_S
        while missing := [name for name in streams if streams[name]["value"] != final[name]]:
            if time.monotonic() > end:
                raise Failure(f"streams of {missing} did not send the last value within {FINAL_LIMIT_S} seconds")
            await asyncio.sleep(0.02)

    def check(self, initial, final, log):
        for name in NAMES:
            try:
                if not is_linearizable(initial[name], self.operations[name]):
                    raise Failure(f"the operations on {name} are not linearizable")
            except Undecided as error:
                raise Failure(f"the operations on {name}: {error}") from error
        increase = final["count"] - initial["count"]
        if not self.added[True] <= increase <= self.added[True] + self.added[None]:
            raise Failure(
                f"the counter rose by {increase}, with {self.added[True]} increments acknowledged and "
                f"{self.added[None]} of unknown outcome")

        if missing := set(self.appended[True]) - set(log):
            raise Failure(f"acknowledged values are missing in the list: {sorted(missing)}")
        if len(log) > len(set(log)):
            raise Failure(f"a value was appended twice: {log}")
        if refused := set(self.appended[False]) & set(log):
            raise Failure(f"values are in the list whose writes were refused: {sorted(refused)}")

    def describe(self):
        """Returns the operations, for the report of a failure."""
        lines = []
        for name in NAMES:
            lines += [f"{name}: {operation}" for operation in sorted(
                self.operations[name], key=lambda operation: operation.begin)]
        return "\n".join(lines)
