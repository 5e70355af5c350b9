"""The clients of a soak: those who behave, those who subscribe, and those who do neither."""

import asyncio
import json
import random
import socket
import struct
import time

HOST = "127.0.0.1"
WRITERS = 4
READERS = 8
SUBSCRIBERS = 200
# What a client waits for one answer before it calls that a failure.
PATIENCE_S = 30
# For how many seconds nothing is to be heard, after the last write, until a subscriber has heard it all.
RESTS = 5
START = "Host: 127.0.0.1\r\n"


class Wrong(Exception):
    """An answer that is not what it must be."""


class Client:
    """One connection that behaves."""

    def __init__(self, port):
        self.port = port
        self.reader = self.writer = None

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection(HOST, self.port)

    async def ask(self, method, path, body=None, fields=""):
        """Status, fields and content of the answer."""
        if self.writer is None:
            await self.open()
        content = b"" if body is None else json.dumps(body).encode()
        length = f"Content-Length: {len(content)}\r\n" if body is not None else ""
        self.writer.write(f"{method} {path} HTTP/1.1\r\n{START}{fields}{length}\r\n".encode() + content)
        return await asyncio.wait_for(answer(self.reader, method), PATIENCE_S)

    def close(self):
        if self.writer:
            self.writer.transport.abort()
        self.reader = self.writer = None


async def answer(reader, method="GET"):
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    status = int(head[0].split(" ")[1])
    fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in head[1:] if line)}
    length = int(fields.get("content-length", 0))
    if method == "HEAD" or status in (204, 304):
        length = 0
    return status, fields, await reader.readexactly(length)


def create_dishes(port):
    async def create():
        client = Client(port)
        dishes = []
        for number in range(WRITERS):
            status, _, body = await client.ask(
                "POST", "/state/dishes", {"name": f"Dish {number}"}, "Content-Type: application/json\r\n")
            if status != 201:
                raise SystemExit(f"no dish could be made: {status}")
            dishes.append(json.loads(body)["id"])
        client.close()
        return dishes

    return asyncio.run(create())


def place(dish):
    return f"/state/dishes/{dish}/status/inStock/quantity"


def quantity(port, dish):
    async def read():
        client = Client(port)
        _, _, body = await client.ask("GET", place(dish))
        client.close()
        return json.loads(body)

    return asyncio.run(read())


# Those who behave


def behave(port, dishes, writing, running, reports):
    report = {"waits": [], "failures": [], "last": {}}
    tags = {}

    async def timed(client, expected, *request):
        began = time.monotonic()
        status, fields, body = await client.ask(*request)
        report["waits"].append(time.monotonic() - began)
        if status not in expected:
            raise Wrong(f"{request}: {status} {body[:200]}")
        return status, fields, body

    async def write(dish):
        client, value, tag = Client(port), 1, None
        while writing.is_set():
            value += 1
            match = f"If-Match: {tag}\r\n" if tag and value % 3 == 0 else ""
            if value % 10 == 0:
                patch = [{"op": "replace", "path": "", "value": value}]
                fields = "Content-Type: application/json-patch+json\r\n" + match
                _, fields, body = await timed(client, {200}, "PATCH", place(dish), patch, fields)
            else:
                _, fields, body = await timed(client, {200}, "PATCH", place(dish), value, match)
            if json.loads(body) != value or fields["state-changed"] != "?1":
                raise Wrong(f"{value} was written, {body} is there")
            tag = fields["etag"]
            report["last"][dish] = value
            await asyncio.sleep(0.02)
        client.close()

    async def read():
        client = Client(port)
        paths = ["/state", "/state/time", "/state/dishes?limit=2", "/livez", "/readyz", "/history?limit=3", "/"]
        paths += [place(dish) for dish in dishes]
        while writing.is_set():
            path = random.choice(paths)
            known = f"If-None-Match: {tags[path]}\r\n" if path in tags else ""
            method = random.choice(["GET", "GET", "HEAD"])
            status, fields, body = await timed(client, {200, 304}, method, path, None, known)
            if status == 304 and not known:
                raise Wrong(f"{path}: 304 without a tag")
            if "etag" in fields:
                tags[path] = fields["etag"]
            if body and path.startswith("/state"):
                json.loads(body)
            await asyncio.sleep(0.02)
        client.close()

    async def all_of_them():
        results = await asyncio.gather(
            *[write(dish) for dish in dishes], *[read() for _ in range(READERS)], return_exceptions=True)
        report["failures"] += [f"{type(one).__name__}: {one}" for one in results if isinstance(one, Exception)]

    asyncio.run(all_of_them())
    reports.put(report)


# Those who subscribe


def subscribe(port, dishes, writing, running, reports):
    report = {"events": 0, "returns": 0, "failures": [], "seen": []}

    async def follow(dish):
        """One who listens, is cut now and then, and comes back with what it heard last."""
        seen, cursor, rests = 0, "", 0
        while rests < RESTS:
            reader, writer = await asyncio.open_connection(HOST, port)
            known = f"Last-Event-ID: {cursor}\r\n" if cursor else ""
            writer.write(f"GET {place(dish)} HTTP/1.1\r\n{START}Accept: text/event-stream\r\n{known}\r\n".encode())
            stays = time.monotonic() + random.uniform(1, 60)
            while rests < RESTS and (time.monotonic() < stays or not writing.is_set()):
                try:
                    line = (await asyncio.wait_for(reader.readline(), 1)).strip().decode()
                except asyncio.TimeoutError:
                    rests = 0 if writing.is_set() else rests + 1
                    continue
                if line.startswith("HTTP/") and " 200 " not in line:
                    raise Wrong(f"a stream began with {line}")
                if line.startswith("id: "):
                    cursor = line[4:]
                elif line.startswith("data: "):
                    value = int(line[6:])
                    if value <= seen:
                        raise Wrong(f"a stream told {value} after {seen}")
                    seen = value
                    report["events"] += 1
            writer.transport.abort()
            report["returns"] += 1
        report["seen"].append((dish, seen))

    async def all_of_them():
        results = await asyncio.gather(
            *[follow(dishes[number % len(dishes)]) for number in range(SUBSCRIBERS)], return_exceptions=True)
        report["failures"] += [f"{type(one).__name__}: {one}" for one in results if isinstance(one, Exception)]

    asyncio.run(all_of_them())
    reports.put(report)


# Those who do neither

GET = f"GET /livez HTTP/1.1\r\n{START}"
PATCH = f"PATCH /state/time HTTP/1.1\r\n{START}"
# What is sent, and with what it must be answered.
HOSTILE = [
    (GET + "X : a\r\n\r\n", 400), (GET + "X: a\r\n b\r\n\r\n", 400), (GET + "Host: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n\r\n", 400), ("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("\x16\x03\x01\x02", 400),
    ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505), (f"FROB / HTTP/1.1\r\n{START}\r\n", 501),
    ("GET /" + "x" * 9000, 414), (GET + "X: " + "x" * 17000, 431), (GET + "X: y\r\n" * 200 + "\r\n", 431),
    (PATCH + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n", 400),
    (PATCH + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    (PATCH + "Content-Length: 99999999\r\n\r\n", 413), (PATCH + "Transfer-Encoding: chunked\r\n\r\nFFFFFF\r\n", 413),
    (PATCH + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400), (PATCH + "Transfer-Encoding: gzip\r\n\r\n", 400),
    (PATCH + "Content-Length: 9\r\n\r\nnot JSON!", 400), (PATCH + "Content-Length: 200000\r\n\r\n" + "[" * 200000, 400),
    (PATCH + "Content-Length: 7\r\n\r\n\"never\"", 422),
]


def misbehave(port, dishes, writing, running, reports):
    report = {"connections": 0, "answers": 0, "failures": []}

    async def connect():
        report["connections"] += 1
        return await asyncio.open_connection(HOST, port)

    async def told(reader, expected):
        """Reads to the end: one answer with that status, or nothing where that is None."""
        try:
            text = await asyncio.wait_for(reader.read(100_000), PATIENCE_S)
        except ConnectionError:
            return
        status = int(text.split(b" ")[1]) if text else None
        if status != expected:
            raise Wrong(f"{status} instead of {expected}: {text[:200]}")
        report["answers"] += status is not None

    async def malformed():
        text, status = random.choice(HOSTILE)
        reader, writer = await connect()
        writer.write(text.encode("latin-1"))
        await told(reader, status)
        writer.transport.abort()
        await asyncio.sleep(0.1)

    async def dripping(start, status):
        """Begins a request and goes on with a byte a second, until it is told that this is too slow."""
        reader, writer = await connect()
        writer.write(start.encode())
        answer = asyncio.create_task(told(reader, status))
        while not answer.done():
            writer.write(b"x")
            await asyncio.sleep(1)
        writer.transport.abort()
        await answer

    async def silent():
        reader, writer = await connect()
        try:
            await asyncio.wait_for(told(reader, None), 15)
        finally:
            writer.transport.abort()

    async def deaf():
        """Subscribes, or asks for much, and reads nothing."""
        loop = asyncio.get_running_loop()
        report["connections"] += 1
        with socket.socket() as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.setblocking(False)
            await loop.sock_connect(one, (HOST, port))
            events = f"GET /state HTTP/1.1\r\n{START}Accept: text/event-stream\r\n\r\n"
            many = f"GET /state HTTP/1.1\r\n{START}\r\n" * 2000
            try:
                await asyncio.wait_for(loop.sock_sendall(one, random.choice([events, many]).encode()), 20)
                await asyncio.sleep(random.uniform(5, 30))
            except (OSError, asyncio.TimeoutError):
                pass

    async def vanishing():
        """Comes, says something or nothing, and goes with a reset."""
        _, writer = await connect()
        writer.write(random.choice(["", "GET", GET, GET + "\r\n", PATCH + "Content-Length: 9\r\n\r\n\"to"]).encode())
        raw = writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", random.randint(0, 1), 0))
        writer.transport.abort()
        await asyncio.sleep(0.05)

    async def again(one, *arguments):
        while running.is_set():
            await one(*arguments)

    async def all_of_them():
        tasks = [again(malformed) for _ in range(4)] + [again(silent) for _ in range(50)]
        tasks += [again(dripping, GET + "X: ", 408) for _ in range(50)]
        tasks += [again(dripping, PATCH + "Content-Length: 9999\r\n\r\n", 408) for _ in range(50)]
        tasks += [again(deaf) for _ in range(50)] + [again(vanishing) for _ in range(4)]
        tasks = [asyncio.create_task(task) for task in tasks]
        while running.is_set() and not any(task.done() for task in tasks):
            await asyncio.sleep(0.1)
        failures = [task.exception() for task in tasks if task.done() and task.exception()]
        report["failures"] += [f"{type(failure).__name__}: {failure}" for failure in failures]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(all_of_them())
    reports.put(report)
