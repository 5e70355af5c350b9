"""An HTTP client for many concurrent requests, and one for event streams."""

import asyncio
import json
from dataclasses import dataclass


@dataclass
class Response:
    status: int
    headers: dict
    body: bytes = b""

    @property
    def position(self):
        """The history and the revision that the response describes; None if it names none."""
        if "state-revision" not in self.headers:
            return None
        return self.headers["state-history"], int(self.headers["state-revision"])

    @property
    def kind(self):
        """The kind of the problem, such as `unknown-outcome`."""
        return json.loads(self.body)["type"].rsplit("/", 1)[-1] if self.status >= 400 else None


class NotSent(Exception):
    """The connection was refused, so the server did not get the request."""


async def connect(port, method, path, headers, body):
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError as error:
        raise NotSent from error
    fields = {"Host": "127.0.0.1", "Connection": "close", "Content-Length": len(body), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
    return reader, writer


async def read_head(reader):
    lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    fields = (line.split(": ", 1) for line in lines[1:] if line)
    return Response(int(lines[0].split()[1]), {name.lower(): value for name, value in fields})


async def request(port, method, path, headers={}, body=b"", limit_s=8):
    """Sends a request and returns the response.

    - Raises: NotSent; OSError, EOFError or TimeoutError if it is not known what the server did.
    """
    async with asyncio.timeout(limit_s):
        reader, writer = await connect(port, method, path, headers, body)
        try:
            response = await read_head(reader)
            response.body = await reader.readexactly(int(response.headers.get("content-length", 0)))
            return response
        finally:
            writer.transport.abort()


async def events(port, path, cursor=None):
    """Yields the id and the data of each event of a stream until the connection ends."""
    headers = {"Accept": "text/event-stream", **({"Last-Event-ID": cursor} if cursor else {})}
    reader, writer = await connect(port, "GET", path, headers, b"")
    try:
        response = await read_head(reader)
        if response.status != 200:
            return
        fields = {}
        while line := await reader.readline():
            text = line.decode().rstrip("\n")
            if text and not text.startswith(":"):
                name, _, value = text.partition(": ")
                fields[name] = value
            elif not text:
                if "data" in fields:
                    yield fields["id"], json.loads(fields["data"])
                fields = {}
    finally:
        writer.transport.abort()
