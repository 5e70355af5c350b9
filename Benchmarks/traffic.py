"""Measures requests as they come from browsers behind a proxy: CPU times against other servers, and instructions."""

import contextlib
import hashlib
import json
import select
import subprocess
from typing import NamedTuple

from servers import BINDERY, BUILT, CLIENT_CORE, HERE, INITIAL_DISHES, Peer, Server, add_dishes, log, run_build

CLIENT = BUILT / "traffic-client"
CLIENT_BUILD = ["cc", "-O2", "-o", CLIENT, HERE / "peers/traffic/client.c"]
CLIENT_LIMIT_S = 120
DISHES = 10_000
CONNECTIONS = 32
INSTRUCTION_REQUESTS = 2000
TOKEN = "Zk9xTq3vLw7uYh2sNc8mRb4dGp6jEa1f"
TOKEN_FILE = BUILT / "traffic-token"


class Row(NamedTuple):
    """Requests of one kind: their options for the client, and the row with the same bytes in every request."""

    name: str
    options: list
    base: str

    @property
    def has_token(self):
        return "--token" in self.options


GET, PATCH, GETS, PATCHES = "GET", "PATCH of a leaf", "16 GET, pipelined", "16 PATCH, pipelined"
WRITE, DEPTH = ["--writes", "100"], ["--depth", "16"]
VARIED, TRACE, TOKEN_TRACE = ["--varied"], ["--trace"], ["--trace", "--token", TOKEN]
MANY = ["--dishes", str(DISHES)]
ROWS = [
    Row(GET, [], GET),
    Row("GET, fields differ", VARIED, GET),
    Row("GET, trace", TRACE, GET),
    Row("GET, trace, token", TOKEN_TRACE, GET),
    Row(f"GET, trace, any of {DISHES:,}", [*TRACE, *MANY], GET),
    Row(f"GET, trace, token, any of {DISHES:,}", [*TOKEN_TRACE, *MANY], GET),
    Row(f"GET with If-None-Match, trace, token, any of {DISHES:,}", [*TOKEN_TRACE, *MANY, "--conditional"], GET),
    Row(PATCH, WRITE, PATCH),
    Row("PATCH of a leaf, fields differ", [*WRITE, *VARIED], PATCH),
    Row("PATCH of a leaf, trace", [*WRITE, *TRACE], PATCH),
    Row("PATCH of a leaf, trace, token", [*WRITE, *TOKEN_TRACE], PATCH),
    Row(f"PATCH of a leaf, trace, any of {DISHES:,}", [*WRITE, *TRACE, *MANY], PATCH),
    Row(f"PATCH of a leaf, trace, token, any of {DISHES:,}", [*WRITE, *TOKEN_TRACE, *MANY], PATCH),
    Row('PATCH {"isFavorite": …}', [*WRITE, "--members", "1"], PATCH),
    Row("PATCH of two members", [*WRITE, "--members", "2"], PATCH),
    Row("PATCH of three members", [*WRITE, "--members", "3"], PATCH),
    Row(f"PATCH of three members, trace, token, any of {DISHES:,}",
        [*WRITE, "--members", "3", *TOKEN_TRACE, *MANY], PATCH),
    Row(f"80 % GET, 20 % PATCH, trace, token, any of {DISHES:,}", ["--writes", "20", *TOKEN_TRACE, *MANY], GET),
    Row(GETS, DEPTH, GETS),
    Row("16 GET, pipelined, fields differ", [*DEPTH, *VARIED], GETS),
    Row("16 GET, pipelined, trace", [*DEPTH, *TRACE], GETS),
    Row("16 GET, pipelined, trace, token", [*DEPTH, *TOKEN_TRACE], GETS),
    Row(PATCHES, [*DEPTH, *WRITE], PATCHES),
    Row("16 PATCH, pipelined, trace", [*DEPTH, *WRITE, *TRACE], PATCHES),
    Row("16 PATCH, pipelined, trace, token", [*DEPTH, *WRITE, *TOKEN_TRACE], PATCHES),
]


def variant(peer, dishes, has_token):
    """The server with so many dishes. With `has_token`, it rejects requests without the token."""
    if peer is BINDERY:
        options = ["--token-file", TOKEN_FILE] if has_token else []
    else:
        options = [dishes, *([hashlib.sha256(TOKEN.encode()).hexdigest()] if has_token else [])]
    fields = f"Authorization: Bearer {TOKEN}\r\n" if has_token else ""
    return Peer(peer.name, [*peer.command, *options], fields=fields)


def prepare():
    """Builds the client, and writes the token file."""
    run_build(CLIENT_BUILD)
    TOKEN_FILE.touch(mode=0o600)
    TOKEN_FILE.write_text(TOKEN + "\n")


def start(peer, dishes, has_token, wrapper=()):
    """Starts a server and adds the dishes that it does not create itself."""
    server = Server(variant(peer, dishes, has_token), wrapper)
    if peer is BINDERY:
        add_dishes(server, range(INITIAL_DISHES, dishes))
    return server


@contextlib.contextmanager
def client(server, options):
    """Starts a client. Yields a function that sends the load and returns the result, once the client is ready."""
    command = ["taskset", "-c", str(CLIENT_CORE), CLIENT, "--port", str(server.port), *options]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def line():
        ready, _, _ = select.select([process.stdout], [], [], CLIENT_LIMIT_S)
        text = process.stdout.readline() if ready else ""
        if not text:
            process.kill()
            raise SystemExit(f"{server.name}, {' '.join(options)}: {process.stderr.read() or 'timeout'}")
        return text

    def run():
        process.stdin.write("\n")
        process.stdin.flush()
        result = json.loads(line())
        # Writes that change nothing are cheaper, so that a row with many of them would have the wrong name.
        if result["changes"] < 0.9 * result["writes"]:
            raise SystemExit(f"{server.name}, {' '.join(options)}: only {result['changes']} of {result['writes']} "
                             "writes were a change")
        return result

    try:
        line()
        yield run
    finally:
        process.kill()
        process.communicate()


def count_instructions(peers, profile):
    """Prints the instructions of each row in user space.

    `profile` returns the command prefix that counts them and a function that returns those since its last call.
    """
    prepare()
    counts = {}
    for peer in peers:
        for has_token in (False, True):
            rows = [row for row in ROWS if row.has_token == has_token]
            wrapper, counted = profile()
            with start(peer, DISHES, has_token, wrapper) as server:
                server.await_idle()
                for row in rows:
                    log(f"callgrind: {peer.name}, {row.name}")
                    with client(server, ["--requests", str(INSTRUCTION_REQUESTS), *row.options]) as run:
                        counted(server)
                        result = run()
                        counts[row.name, peer.name] = counted(server) / result["requests"]
                    if result["writes"]:
                        server.await_idle()
    print("\n| instructions per request | "
          + " | ".join(f"{peer.name} | × same bytes" for peer in peers) + " |\n|---|" + "---:|---:|" * len(peers))
    for row in ROWS:
        cells = [(counts[row.name, peer.name], counts[row.base, peer.name]) for peer in peers]
        print(f"| {row.name} | " + " | ".join(f"{count:,.0f} | {count / base:.2f}" for count, base in cells) + " |")
