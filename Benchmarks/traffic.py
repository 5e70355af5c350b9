"""Measures requests as they come from browsers behind a proxy: CPU times against other servers, and instructions."""

import contextlib
import hashlib
import itertools
import json
import select
import subprocess
import urllib.error
import urllib.request
from typing import NamedTuple

from counting import profile
from servers import BINDERY, BUILT, CLIENT_CORE, DISH, HERE, INITIAL_DISHES, PROGRAM, SERVER_CORE, START_LIMIT_S, Load
from servers import Peer, Server, add_dishes, log, medians, ratio, rotated, run_build

CLIENT = BUILT / "traffic-client"
CLIENT_BUILD = ["cc", "-O2", "-o", CLIENT, HERE / "peers/traffic/client.c"]
CLIENT_LIMIT_S = 120
DISHES, MANY_DISHES = 10_000, 1_000_000
CONNECTIONS = 32
INSTRUCTION_REQUESTS = 2000
TOKEN = "Zk9xTq3vLw7uYh2sNc8mRb4dGp6jEa1f"
TOKEN_FILE = BUILT / "traffic-token"
# The menu as a model file, with five members of a dish that can be written. The menu in Swift has three.
MODEL = BUILT / "traffic.model.json"
FIVE_MEMBERS = Peer("bindery, model file", [*BINDERY.command, "--model", MODEL])


class Row(NamedTuple):
    """Requests of one kind: their options for the client, and the row with which they are compared."""

    name: str
    options: list
    base: str

    @property
    def has_token(self):
        return "--token" in self.options


SAME = "same bytes"
GET, PATCH, GETS, PATCHES = "GET", "PATCH of a leaf", "16 GET, pipelined", "16 PATCH, pipelined"
WRITE, DEPTH = ["--writes", "100"], ["--depth", "16"]
VARIED, TRACE, TOKEN_TRACE = ["--varied"], ["--trace"], ["--trace", "--token", TOKEN]
MANY, MOST = ["--dishes", str(DISHES)], ["--dishes", str(MANY_DISHES)]
HALF_WRITES = ["--writes", "50", *TOKEN_TRACE, *MANY]
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


ONE_GET, ONE_PATCH = "GET, one dish", "PATCH of a leaf, one dish"
DISH_ROWS = [
    Row(ONE_GET, TOKEN_TRACE, ONE_GET),
    Row(f"GET, any of {DISHES:,}", [*TOKEN_TRACE, *MANY], ONE_GET),
    Row(f"GET, any of {MANY_DISHES:,}", [*TOKEN_TRACE, *MOST], ONE_GET),
    Row(ONE_PATCH, [*WRITE, *TOKEN_TRACE], ONE_PATCH),
    Row(f"PATCH of a leaf, any of {DISHES:,}", [*WRITE, *TOKEN_TRACE, *MANY], ONE_PATCH),
    Row(f"PATCH of a leaf, any of {MANY_DISHES:,}", [*WRITE, *TOKEN_TRACE, *MOST], ONE_PATCH),
]
ONE_LEAF = "the leaf"
MEMBER_ROWS = [
    Row(ONE_LEAF, WRITE, ONE_LEAF),
    *(Row(f"members: {count}", [*WRITE, "--members", str(count)], ONE_LEAF) for count in range(1, 6)),
]
CONTAINER_ROWS = [
    Row("GET", [*TOKEN_TRACE, *MANY], "GET"),
    Row("PATCH of a leaf", [*WRITE, *TOKEN_TRACE, *MANY], "GET"),
    Row("80 % GET, 20 % PATCH", ["--writes", "20", *TOKEN_TRACE, *MANY], "GET"),
]


def is_bindery(peer):
    return peer.command[0] == PROGRAM


def variant(peer, dishes, has_token):
    """The server with so many dishes. With `has_token`, it rejects requests without the token."""
    if is_bindery(peer):
        options = ["--token-file", TOKEN_FILE] if has_token else []
    else:
        options = [dishes, *([hashlib.sha256(TOKEN.encode()).hexdigest()] if has_token else [])]
    fields = f"Authorization: Bearer {TOKEN}\r\n" if has_token else ""
    return Peer(peer.name, [*peer.command, *options], fields=fields)


def prepare():
    """Builds the client, and writes the token file and the model file."""
    run_build(CLIENT_BUILD)
    TOKEN_FILE.touch(mode=0o600)
    TOKEN_FILE.write_text(TOKEN + "\n")
    model = json.loads((HERE.parent / "Examples/menu.model.json").read_text())
    members = {"price": {"type": "integer", "default": 0}, "note": {"type": "string", "default": ""}}
    model["$defs"]["Dish"]["properties"] |= members
    MODEL.write_text(json.dumps(model))


def start(peer, dishes, has_token, **options):
    """Starts a server and adds the dishes that it does not create itself. `options` are those of `Server`."""
    server = Server(variant(peer, dishes, has_token), **options)
    try:
        if has_token and not is_rejected(server):
            raise SystemExit(f"{server.name}: expected status 401 for a wrong token")
        fill(server, peer, dishes)
    except BaseException:
        server.stop()
        raise
    return server


def fill(server, peer, dishes):
    """Adds the dishes that the server does not create itself."""
    if is_bindery(peer):
        add_dishes(server, range(INITIAL_DISHES, dishes))


def is_rejected(server):
    """Whether the server rejects a wrong token."""
    wrong = TOKEN[:-1] + "x"
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}{DISH}", headers={"Authorization": f"Bearer {wrong}"})
    try:
        urllib.request.urlopen(request, timeout=START_LIMIT_S).close()
    except urllib.error.HTTPError as error:
        return error.code == 401
    return False


@contextlib.contextmanager
def client(server, options):
    """Starts a client. Yields a function that sends the load and returns the result, once the client is ready."""
    command = ["taskset", "-c", str(CLIENT_CORE), CLIENT, "--port", str(server.port), *options]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

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
        # A write that changes nothing costs less. Some do, because requests of several connections are not in order.
        if result["changes"] < 0.8 * result["writes"]:
            raise SystemExit(f"{server.name}, {' '.join(options)}: only {result['changes']} of {result['writes']} "
                             "writes changed a value")
        return result

    try:
        line()
        yield run
    finally:
        process.kill()
        process.communicate()


def load(server, row, seconds):
    """Runs one round; the CPU time is that of the server, in microseconds per request."""
    options = ["--connections", str(CONNECTIONS), "--seconds", str(seconds), *row.options]
    with client(server, options) as run:
        before = server.cpu_s()
        result = run()
        cpu_s = server.cpu_s() - before
    requests = result["requests"]
    return Load(requests / result["seconds"], cpu_s / requests * 1e6, result["p50_ms"], result["p99_ms"])


def rounds_of(rows, servers, rounds, seconds):
    """The results of interleaved rounds, by the names of row and server.

    `servers` returns the servers that a row is sent to.
    """
    results = {}
    for round_number in range(rounds):
        for row in rows:
            for server in rotated(servers(row), round_number):
                log(f"round {round_number + 1}/{rounds}: {row.name}, {server.name}")
                results.setdefault((row.name, server.name), []).append(load(server, row, seconds))
    return results


def measure(peers, is_short):
    """Prints the CPU times of all rows, then those of many dishes, many members, two loops, and the container image."""
    prepare()
    rounds, seconds = (3, 0.25) if is_short else (15, 0.25)
    with contextlib.ExitStack() as stack:

        def started(dishes, has_token):
            return [stack.enter_context(start(peer, dishes, has_token)) for peer in peers]

        of_token = {has_token: started(DISHES, has_token) for has_token in (False, True)}
        print_rows(ROWS, peers, rounds_of(ROWS, lambda row: of_token[row.has_token], rounds, seconds))
        log(f"creating lists of {MANY_DISHES:,} dishes")
        most = started(MANY_DISHES, True)
        print_rows(DISH_ROWS, peers, rounds_of(
            DISH_ROWS, lambda row: most if MOST[1] in row.options else of_token[True], rounds, seconds), "one dish")
    if any(map(is_bindery, peers)):
        with start(FIVE_MEMBERS, DISHES, False) as server:
            results = rounds_of(MEMBER_ROWS, lambda row: [server], rounds, seconds)
        print_rows(MEMBER_ROWS, [FIVE_MEMBERS], results, ONE_LEAF)
        compare_loops(rounds, seconds)
        measure_container(rounds, seconds)


def print_rows(rows, peers, results, base=SAME):
    """Prints the CPU time of each server, and that of the first one in relation to the others and to its row `base`."""
    first, others = peers[0].name, [peer.name for peer in peers[1:]]
    print(f"\n| CPU µs/request | {first} | × {base} | p99 ms |"
          + "".join(f" {name} | {first} × {name} | rate × {name} |" for name in others))
    print("|---|---:|---:|---:|" + "---:|---:|---:|" * len(others))
    for row in rows:
        own = results[row.name, first]
        cells = [f"{medians(own)[1]:.2f}", ratio(own, results[row.base, first], "cpu_us"), f"{medians(own)[3]:.2f}"]
        for name in others:
            other = results[row.name, name]
            cells += [f"{medians(other)[1]:.2f}", ratio(own, other, "cpu_us"), ratio(own, other, "rate")]
        print(f"| {row.name} | " + " | ".join(cells) + " |", flush=True)


def compare_loops(rounds, seconds):
    """Prints the cost of a second event loop if half of the requests are writes."""
    row = Row("50 % PATCH", HALF_WRITES, "")
    with contextlib.ExitStack() as stack:
        servers = [
            stack.enter_context(start(
                Peer(name, [threads if part == "1" else part for part in BINDERY.command]), DISHES, True,
                cores=(SERVER_CORE, CLIENT_CORE)))
            for name, threads in [("one loop", "1"), ("two loops", "2")]]
        results = rounds_of([row], lambda row: servers, rounds, seconds)
    one, two = (results[row.name, server.name] for server in servers)
    print("\n| half GET, half PATCH; the client shares a core | one loop | two loops | ratio |\n|---|---:|---:|---:|")
    print(f"| CPU µs/request | {medians(one)[1]:.2f} | {medians(two)[1]:.2f} | {ratio(two, one, 'cpu_us')} |")
    print(f"| requests/s | {medians(one)[0]:,.0f} | {medians(two)[0]:,.0f} | {ratio(two, one, 'rate')} |", flush=True)


def measure_container(rounds, seconds):
    """Prints the results with the options of the container image: a durable store, tokens, and a loop for each core."""
    peer = Peer("container", [PROGRAM, "serve", "--listen", ":{port}", "--store", "{prefix}/bindery.db"])
    with start(peer, DISHES, True, folder=BUILT, cores=(SERVER_CORE, CLIENT_CORE)) as server:
        results = rounds_of(CONTAINER_ROWS, lambda row: [server], rounds, seconds)
    print("\n| options of the container image | requests/s | CPU µs/request | p50 ms | p99 ms |")
    print("|---|---:|---:|---:|---:|")
    for row in CONTAINER_ROWS:
        rate, cpu, p50, p99 = medians(results[row.name, server.name])
        print(f"| {row.name} | {rate:,.0f} | {cpu:.2f} | {p50:.2f} | {p99:.2f} |")


def count_instructions(peers):
    """Prints the instructions of each row in user space, of the thread with the event loop."""
    prepare()
    tables = [(ROWS, peers, SAME)]
    if any(map(is_bindery, peers)):
        tables.append((MEMBER_ROWS, [FIVE_MEMBERS], ONE_LEAF))
    for rows, contenders, base in tables:
        counts = {}
        for peer, has_token in itertools.product(contenders, (False, True)):
            count_rows(peer, [row for row in rows if row.has_token == has_token], has_token, counts)
        print_counts(rows, contenders, counts, base)


def count_rows(peer, rows, has_token, counts):
    """Adds the instructions of the rows to `counts`."""
    if not rows:
        return
    wrapper, counted = profile()

    def count(row):
        log(f"callgrind: {peer.name}, {row.name}")
        with client(server, ["--requests", str(INSTRUCTION_REQUESTS), *row.options]) as run:
            counted(server)
            requests = run()["requests"]
            return {thread: count / requests for thread, count in counted(server).items()}

    with Server(variant(peer, DISHES, has_token), wrapper) as server:
        # Before the first write, only the event loop works. After writes, another thread makes the history of a store
        # in memory, from time to time and only while there are few writes.
        threads = count(Row("which thread has the event loop", TOKEN_TRACE if has_token else [], ""))
        loop = max(threads, key=threads.get)
        fill(server, peer, DISHES)
        for row in rows:
            counts[row.name, peer.name] = count(row)[loop]


def print_counts(rows, peers, counts, base):
    """Prints the instructions per request, also in relation to the row `base`."""
    print("\n| instructions per request | "
          + " | ".join(f"{peer.name} | × {base}" for peer in peers) + " |\n|---|" + "---:|---:|" * len(peers))
    for row in rows:
        cells = [(counts[row.name, peer.name], counts[row.base, peer.name]) for peer in peers]
        print(f"| {row.name} | " + " | ".join(f"{count:,.0f} | {count / base:.2f}" for count, base in cells) + " |",
              flush=True)
