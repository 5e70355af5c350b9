"""The clients of the soak test: well-behaved clients, subscribers, hostile clients, and clients with costly requests."""

import asyncio
import json
import os
import random
import socket
import struct
import time

HOST = "127.0.0.1"
WRITERS = 4
READERS = 8
SUBSCRIBERS = 200
# The timeout of one response.
TIMEOUT_S = 30
# A subscriber ends after this many seconds without an event once the writers have stopped.
QUIET_SECONDS = 5
WRITE_TOKEN = "soak-write-token-0123456789"
READ_TOKEN = "soak-read-token-0123456789"


def bearer(token):
    """Returns the header field of a token."""
    return f"Authorization: Bearer {token}\r\n"


# The header fields of every request.
COMMON_FIELDS = "Host: 127.0.0.1\r\n" + bearer(WRITE_TOKEN)


class UnexpectedResponse(Exception):
    """A response that differs from the expected one."""


class Client:
    """One well-behaved connection."""

    def __init__(self, port, fields=COMMON_FIELDS):
        self.port = port
        self.fields = fields
        self.reader = self.writer = None

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection(HOST, self.port)

    async def send(self, method, path, body=None, fields=""):
        """Sends a request; returns the status, the header fields and the body of the response."""
        if self.writer is None:
            await self.open()
        content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        length = f"Content-Length: {len(content)}\r\n" if body is not None else ""
        self.writer.write(f"{method} {path} HTTP/1.1\r\n{self.fields}{fields}{length}\r\n".encode() + content)
        return await asyncio.wait_for(read_response(self.reader, method), TIMEOUT_S)

    def close(self):
        if self.writer:
            self.writer.transport.abort()
        self.reader = self.writer = None


async def read_response(reader, method="GET"):
    """Reads a response that is not chunked."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    status = int(head[0].split(" ")[1])
    fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in head[1:] if line)}
    length = int(fields.get("content-length", 0))
    if method == "HEAD" or status in (204, 304):
        length = 0
    return status, fields, await reader.readexactly(length)


def create_dishes(port):
    """Creates one dish for each writer; returns their ids."""
    async def create():
        client = Client(port)
        dishes = []
        for number in range(WRITERS):
            status, _, body = await client.send(
                "POST", "/state/dishes", {"name": f"Dish {number}"}, "Content-Type: application/json\r\n")
            if status != 201:
                raise SystemExit(f"POST /state/dishes: expected status 201, got {status}")
            dishes.append(json.loads(body)["id"])
        client.close()
        return dishes

    return asyncio.run(create())


def quantity_path(dish):
    return f"/state/dishes/{dish}/status/inStock/quantity"


def read_quantity(port, dish):
    """Reads the quantity of a dish over a connection of its own."""
    async def read():
        client = Client(port)
        _, _, body = await client.send("GET", quantity_path(dish))
        client.close()
        return json.loads(body)

    return asyncio.run(read())


# Well-behaved clients


def run_well_behaved(port, dishes, writing, running, reports):
    """Runs writers and readers until `writing` is cleared; reports latencies, failures and the last values."""
    report = {"latencies": [], "failures": [], "last": {}}
    etags = {}

    async def timed(client, expected, *request):
        started_at = time.monotonic()
        status, fields, body = await client.send(*request)
        report["latencies"].append(time.monotonic() - started_at)
        if status not in expected:
            raise UnexpectedResponse(f"{request}: got status {status}, expected one of {expected}: {body[:200]}")
        return status, fields, body

    async def write(dish):
        client, value, etag = Client(port), 1, None
        while writing.is_set():
            value += 1
            condition = f"If-Match: {etag}\r\n" if etag and value % 3 == 0 else ""
            if value % 10 == 0:
                patch = [{"op": "replace", "path": "", "value": value}]
                fields = "Content-Type: application/json-patch+json\r\n" + condition
                _, fields, body = await timed(client, {200}, "PATCH", quantity_path(dish), patch, fields)
            else:
                _, fields, body = await timed(client, {200}, "PATCH", quantity_path(dish), value, condition)
            if json.loads(body) != value or fields["state-changed"] != "?1":
                raise UnexpectedResponse(f"PATCH {quantity_path(dish)}: {value} was written, the response is {body}")
            etag = fields["etag"]
            report["last"][dish] = value
            await asyncio.sleep(0.02)
        client.close()

    async def read():
        client = Client(port)
        paths = ["/state/pinnedDish", "/state/time", "/state/dishes?limit=2", "/livez", "/readyz", "/"]
        paths += [quantity_path(dish) for dish in dishes]
        while writing.is_set():
            path = random.choice(paths)
            condition = f"If-None-Match: {etags[path]}\r\n" if path in etags else ""
            method = random.choice(["GET", "GET", "HEAD"])
            status, fields, body = await timed(client, {200, 304}, method, path, None, condition)
            if status == 304 and not condition:
                raise UnexpectedResponse(f"{path}: got 304 for a request without If-None-Match")
            if "etag" in fields:
                etags[path] = fields["etag"]
            if body and path.startswith("/state"):
                json.loads(body)
            await asyncio.sleep(0.02)
        client.close()

    async def run_all():
        results = await asyncio.gather(
            *[write(dish) for dish in dishes], *[read() for _ in range(READERS)], return_exceptions=True)
        report["failures"] += [f"{type(error).__name__}: {error}" for error in results if isinstance(error, Exception)]

    asyncio.run(run_all())
    reports.put(report)


# Subscribers


def run_subscribers(port, dishes, writing, running, reports):
    """Runs subscribers until they have received the last writes; reports events, failures and the last values."""
    report = {"events": 0, "reconnections": 0, "failures": [], "seen": []}

    async def follow(dish):
        """Reads an event stream; disconnects now and then, and resumes with `Last-Event-ID`."""
        seen, last_event_id, quiet_seconds = 0, "", 0
        while quiet_seconds < QUIET_SECONDS:
            reader, writer = await asyncio.open_connection(HOST, port)
            resume = f"Last-Event-ID: {last_event_id}\r\n" if last_event_id else ""
            fields = f"{COMMON_FIELDS}Accept: text/event-stream\r\n{resume}"
            writer.write(f"GET {quantity_path(dish)} HTTP/1.1\r\n{fields}\r\n".encode())
            disconnects_at = time.monotonic() + random.uniform(1, 60)
            while quiet_seconds < QUIET_SECONDS and (time.monotonic() < disconnects_at or not writing.is_set()):
                try:
                    line = (await asyncio.wait_for(reader.readline(), 1)).strip().decode()
                except asyncio.TimeoutError:
                    quiet_seconds = 0 if writing.is_set() else quiet_seconds + 1
                    continue
                if line.startswith("HTTP/") and " 200 " not in line:
                    raise UnexpectedResponse(f"event stream: expected status 200, got {line}")
                if line.startswith("id: "):
                    last_event_id = line[4:]
                elif line.startswith("data: "):
                    value = int(line[6:])
                    if value <= seen:
                        raise UnexpectedResponse(f"event stream: value {value} after {seen}, expected a greater one")
                    seen = value
                    report["events"] += 1
            writer.transport.abort()
            report["reconnections"] += 1
        report["seen"].append((dish, seen))

    async def run_all():
        results = await asyncio.gather(
            *[follow(dishes[number % len(dishes)]) for number in range(SUBSCRIBERS)], return_exceptions=True)
        report["failures"] += [f"{type(error).__name__}: {error}" for error in results if isinstance(error, Exception)]

    asyncio.run(run_all())
    reports.put(report)


# Hostile clients

GET = f"GET /livez HTTP/1.1\r\n{COMMON_FIELDS}"
PATCH = f"PATCH /state/time HTTP/1.1\r\n{COMMON_FIELDS}"
# Invalid requests and the expected status.
INVALID_REQUESTS = [
    (GET + "X : a\r\n\r\n", 400), (GET + "X: a\r\n b\r\n\r\n", 400), (GET + "Host: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n\r\n", 400), ("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("\x16\x03\x01\x02", 400),
    ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505), (f"FROB / HTTP/1.1\r\n{COMMON_FIELDS}\r\n", 501),
    ("GET /" + "x" * 9000, 414), (GET + "X: " + "x" * 17000, 431), (GET + "X: y\r\n" * 200 + "\r\n", 431),
    (PATCH + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n", 400),
    (PATCH + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    (PATCH + "Content-Length: 99999999\r\n\r\n", 413), (PATCH + "Transfer-Encoding: chunked\r\n\r\nFFFFFF\r\n", 413),
    (PATCH + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400), (PATCH + "Transfer-Encoding: gzip\r\n\r\n", 400),
    (PATCH + "Content-Length: 9\r\n\r\nnot JSON!", 400), (PATCH + "Content-Length: 200000\r\n\r\n" + "[" * 200000, 400),
    (PATCH + "Content-Length: 7\r\n\r\n\"never\"", 422),
]


def run_hostile(port, dishes, writing, running, reports):
    """Runs malformed, slow, silent, stalled and vanishing clients until `running` is cleared."""
    report = {"connections": 0, "responses": 0, "failures": []}

    async def connect():
        report["connections"] += 1
        return await asyncio.open_connection(HOST, port)

    async def expect(reader, expected):
        """Reads until the connection is closed; expects one response with that status, or nothing if it is None."""
        try:
            text = await asyncio.wait_for(reader.read(100_000), TIMEOUT_S)
        except ConnectionError:
            return
        status = int(text.split(b" ")[1]) if text else None
        if status != expected:
            raise UnexpectedResponse(f"expected status {expected}, got {status}: {text[:200]}")
        report["responses"] += status is not None

    async def malformed():
        """Sends an invalid request."""
        text, status = random.choice(INVALID_REQUESTS)
        reader, writer = await connect()
        writer.write(text.encode("latin-1"))
        await expect(reader, status)
        writer.transport.abort()
        await asyncio.sleep(0.1)

    async def slow(start, status):
        """Sends one byte a second until the server rejects the request."""
        reader, writer = await connect()
        writer.write(start.encode())
        response = asyncio.create_task(expect(reader, status))
        while not response.done():
            writer.write(b"x")
            await asyncio.sleep(1)
        writer.transport.abort()
        await response

    async def silent():
        """Connects and sends nothing; expects that the server closes the connection without a response."""
        reader, writer = await connect()
        try:
            await asyncio.wait_for(expect(reader, None), 15)
        finally:
            writer.transport.abort()

    async def stalled():
        """Subscribes, or sends many requests, and reads nothing."""
        loop = asyncio.get_running_loop()
        report["connections"] += 1
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.setblocking(False)
            await loop.sock_connect(connection, (HOST, port))
            events = f"GET /state HTTP/1.1\r\n{COMMON_FIELDS}Accept: text/event-stream\r\n\r\n"
            many = f"GET /state HTTP/1.1\r\n{COMMON_FIELDS}\r\n" * 2000
            try:
                requests = random.choice([events, many]).encode()
                await asyncio.wait_for(loop.sock_sendall(connection, requests), 20)
                await asyncio.sleep(random.uniform(5, 30))
            except (OSError, asyncio.TimeoutError):
                pass

    async def vanishing():
        """Sends part of a request, or nothing, and disconnects, sometimes with a reset."""
        _, writer = await connect()
        writer.write(random.choice(["", "GET", GET, GET + "\r\n", PATCH + "Content-Length: 9\r\n\r\n\"to"]).encode())
        raw = writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", random.randint(0, 1), 0))
        writer.transport.abort()
        await asyncio.sleep(0.05)

    async def repeat(client, *arguments):
        while running.is_set():
            await client(*arguments)

    async def run_all():
        tasks = [repeat(malformed) for _ in range(4)] + [repeat(silent) for _ in range(50)]
        tasks += [repeat(slow, GET + "X: ", 408) for _ in range(50)]
        tasks += [repeat(slow, PATCH + "Content-Length: 9999\r\n\r\n", 408) for _ in range(50)]
        tasks += [repeat(stalled) for _ in range(50)] + [repeat(vanishing) for _ in range(4)]
        tasks = [asyncio.create_task(task) for task in tasks]
        while running.is_set() and not any(task.done() for task in tasks):
            await asyncio.sleep(0.1)
        failures = [task.exception() for task in tasks if task.done() and task.exception()]
        report["failures"] += [f"{type(failure).__name__}: {failure}" for failure in failures]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run_all())
    reports.put(report)


# Clients with costly requests

MANY_DISHES = 10_000
JSON_PATCH = "Content-Type: application/json-patch+json\r\n"
MINIMAL = "Prefer: return=minimal\r\n"


def add_many_dishes(port):
    """Adds dishes until the state has about 1.6 MB of JSON."""
    async def add():
        client = Client(port)
        for start in range(0, MANY_DISHES, 1000):
            operations = [
                {"op": "add", "path": "/-", "value": {"name": f"Dish number {number}"}}
                for number in range(start, start + 1000)]
            status, _, body = await client.send("PATCH", "/state/dishes", operations, JSON_PATCH + MINIMAL)
            if status != 204:
                raise SystemExit(f"PATCH /state/dishes: expected status 204, got {status}: {body[:200]}")
        client.close()

    asyncio.run(add())


def run_attacks(port, dishes, writing, running, reports):
    """Sends valid and invalid requests that are costly for the server until `running` is cleared."""
    report = {"requests": 0, "failures": []}
    # The measuring clients run on the same machine and go first.
    os.nice(10)

    def encoded(value):
        return json.dumps(value).encode()

    # Encoded once: the load is for the server.
    tests = encoded([{"op": "test", "path": "/favorites", "value": []}] * 1000)
    long_name = encoded("e" + "\u0301" * 170_000)
    additions = [{"op": "add", "path": "/-", "value": {"name": "x" * 100}} for _ in range(300)]
    changes = encoded(additions + [{"op": "remove", "path": f"/{len(dishes) + 4}"}] * 300)
    large_body = encoded([{"name": "x" * 90, "unknown": number} for number in range(8_000)])

    async def expect(statuses, *request):
        client = Client(port)
        try:
            status, _, body = await client.send(*request)
        finally:
            client.close()
        report["requests"] += 1
        if status not in statuses:
            raise UnexpectedResponse(f"{request[:2]}: got status {status}, expected one of {statuses}: {body[:200]}")
        return status

    async def many_tests():
        """Tests a computed member a thousand times in one JSON Patch."""
        await expect({200, 204, 409, 503}, "PATCH", "/state", tests, JSON_PATCH + MINIMAL)

    async def failing_test():
        """Tests a whole list against another value."""
        operations = [{"op": "test", "path": "/dishes", "value": []}]
        await expect({409, 503}, "PATCH", "/state", operations, JSON_PATCH)

    async def long_names():
        """Sends a name of a megabyte of combining marks."""
        await expect({422, 503}, "PATCH", f"/state/dishes/{dishes[0]}/name", long_name)

    async def many_dishes():
        """Adds and removes hundreds of dishes in one revision of about 100 KB."""
        await expect({204, 409, 503, 507}, "PATCH", "/state/dishes", changes, JSON_PATCH + MINIMAL)
        await asyncio.sleep(0.5)

    async def large_bodies():
        """Sends a body just below the limit that the model refuses."""
        await expect({422, 503}, "PUT", "/state/dishes", large_body)

    async def unread_stream(target):
        """Opens an event stream and reads nothing."""
        loop = asyncio.get_running_loop()
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.setblocking(False)
            await loop.sock_connect(connection, (HOST, port))
            request = f"GET {target} HTTP/1.1\r\n{COMMON_FIELDS}Accept: text/event-stream\r\n\r\n"
            await loop.sock_sendall(connection, request.encode())
            report["requests"] += 1
            await asyncio.sleep(random.uniform(5, 15))

    async def foreign_origin():
        """Writes like the page of another site."""
        await expect({403}, "PATCH", "/state/time", "tonight", "Origin: null\r\n")
        await asyncio.sleep(0.05)

    async def unusable_ids():
        """Creates elements with ids that no URL can contain."""
        await expect({422}, "POST", "/state/dishes", {"id": "x" * 9000, "name": "x"}, "Content-Type: application/json\r\n")
        await asyncio.sleep(0.05)

    async def session(method, fields):
        """Begins or ends a session; returns the cookie of a new one."""
        client = Client(port, "Host: 127.0.0.1\r\n" + fields)
        try:
            status, received, body = await client.send(method, "/session")
        finally:
            client.close()
        report["requests"] += 1
        if status != 204:
            raise UnexpectedResponse(f"{method} /session: got status {status}, expected 204: {body[:200]}")
        return f"Cookie: {received['set-cookie'].split(';')[0]}\r\n"

    async def read_as(cookie, expected):
        """Reads with a session; expects a status."""
        client = Client(port, "Host: 127.0.0.1\r\n" + cookie)
        try:
            status, _, _ = await client.send("GET", "/state/time")
        finally:
            client.close()
        report["requests"] += 1
        if status != expected:
            raise UnexpectedResponse(f"GET with a session: got status {status}, expected {expected}")

    async def ended_session():
        """Ends a session of the writer; returns its cookie."""
        cookie = await session("POST", bearer(WRITE_TOKEN))
        await read_as(cookie, 200)
        await session("DELETE", cookie)
        return cookie

    async def revive(ended):
        """Begins and ends sessions of the read token. The writer's session must stay ended."""
        for _ in range(50):
            await session("DELETE", await session("POST", bearer(READ_TOKEN)))
        await read_as(ended, 401)

    async def repeat(client, *arguments):
        while running.is_set():
            try:
                await client(*arguments)
            except (OSError, asyncio.IncompleteReadError):
                # The server may drop a connection that it cannot serve.
                await asyncio.sleep(0.1)
            await asyncio.sleep(0.02)

    async def run_all():
        same_path = "/events?" + "&".join(["path=/"] * 64)
        ended = await ended_session()
        tasks = [repeat(client) for client in (
            many_tests, failing_test, long_names, many_dishes, large_bodies, foreign_origin, unusable_ids)]
        tasks += [repeat(unread_stream, "/state") for _ in range(20)]
        tasks += [repeat(unread_stream, same_path) for _ in range(20)]
        tasks += [repeat(large_bodies) for _ in range(8)] + [repeat(revive, ended)]
        tasks = [asyncio.create_task(task) for task in tasks]
        while running.is_set() and not any(task.done() for task in tasks):
            await asyncio.sleep(0.1)
        failures = [task.exception() for task in tasks if task.done() and task.exception()]
        report["failures"] += [f"{type(failure).__name__}: {failure}" for failure in failures]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run_all())
    reports.put(report)
