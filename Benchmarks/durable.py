"""Writes that are waited for: how many a second, how soon a store is back, and what readers notice of a busy disk."""

import contextlib
import selectors
import shutil
import socket
import sqlite3
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from servers import BINDERY, BUILT, DISH, HERE, PROGRAM, SERVER_CORE, Peer, Server
from servers import load, medians, ratio, run_build, say, turned, wrk

SOURCES = HERE / "peers" / "durable"
DISK = BUILT / "disk"
# Beside the builds: where temporary files go may be no disk at all.
FOLDER = HERE / ".build" / "durable"
CONNECTIONS = (1, 16, 64, 256)
LATENCY_WRITERS = 64
# A million revisions may have to be carried out again.
START_LIMIT_S = 300
QUANTITY = f"{DISH}/status/inStock/quantity"

DURABLE = Peer(
    "bindery, durable",
    [PROGRAM, "serve", "--store", "{prefix}/store.db", "--threads", "1",
     "--history-revisions", "100000000", "--listen", "127.0.0.1:{port}"],
    BINDERY.build, BINDERY.needs)
MEMORY = Peer("bindery, in memory", BINDERY.command, BINDERY.build, BINDERY.needs)
TRANSACTIONS = Peer(
    "C, one transaction each",
    [BUILT / "transactions", "{port}", "{prefix}/store.db"],
    ["cc", "-O2", "-o", BUILT / "transactions", SOURCES / "transactions.c", "-lsqlite3"],
    ["cc"])

PEERS = [DURABLE, MEMORY, TRANSACTIONS]


def measure(peers, is_short):
    if not peers:
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    kind = subprocess.run(
        ["stat", "-f", "-c", "%T", FOLDER], check=True, capture_output=True, text=True).stdout.strip()
    if kind in ("tmpfs", "ramfs"):
        raise SystemExit(f"{FOLDER} is on a {kind}, which nobody has to wait for")
    run_build(["cc", "-O2", "-o", DISK, SOURCES / "disk.c", "-lsqlite3"])
    with tempfile.TemporaryDirectory(prefix="bench-", dir=FOLDER) as folder:
        rates(peers, folder, *((3, 1) if is_short else (11, 2)))
        if DURABLE in peers:
            starts(folder, (10_000, 100_000) if is_short else (10_000, 1_000_000), 3 if is_short else 5)
            readable = [peer for peer in peers if peer is not TRANSACTIONS]
            latency(readable, folder, *((3, 1) if is_short else (5, 4)))


# Writes a second


def rates(peers, folder, rounds, seconds):
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(Server(peer, folder=folder)) for peer in peers]
        results, pages, rows = {}, {}, {}
        for turn in range(rounds):
            for connections in CONNECTIONS:
                say(f"round {turn + 1}/{rounds}: {connections} writers")
                # The same core as the servers have, and the same moment.
                out = subprocess.run(
                    ["taskset", "-c", str(SERVER_CORE), DISK, folder, str(seconds / 2)], check=True,
                    capture_output=True, text=True, timeout=seconds + 20).stdout.split()
                pages.setdefault(connections, []).append(float(out[0]))
                rows.setdefault(connections, []).append(float(out[1]))
                for server in turned(servers, turn):
                    results.setdefault((connections, server.name), []).append(
                        load(server, "PATCH", seconds, connections))
    print("\n| connections | server | PATCH/s | × in memory | × one transaction each | × rows/s of the disk "
          "| CPU µs/PATCH | p50 ms | p99 ms |")
    print("|---:|---|---:|---:|---:|---:|---:|---:|---:|")
    for connections in CONNECTIONS:
        disk = rows[connections]
        page, row = statistics.median(pages[connections]), statistics.median(disk)
        of = {peer.name: results[connections, peer.name] for peer in peers}
        bases = [of.get(peer.name) for peer in (MEMORY, TRANSACTIONS)]
        print(f"| {connections} | the disk: pages appended | {page:,.0f} | – | – | {page / row:.2f} | – | – | – |")
        print(f"| {connections} | the disk: rows in SQLite | {row:,.0f} | – | – | 1.00 | – | – | – |")
        for name, rounds in of.items():
            rate, cpu, p50, p99 = medians(rounds)
            of_disk = statistics.median(one.rate / base for one, base in zip(rounds, disk))
            print(f"| {connections} | {name} | {rate:,.0f} | {ratio(rounds, bases[0], 'rate')} "
                  f"| {ratio(rounds, bases[1], 'rate')} | {of_disk:.2f} | {cpu:.1f} | {p50:.2f} | {p99:.2f} |")


# Starts


def revision(port):
    """The revision that a server is at."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(f"HEAD {DISH} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(4096)
    return int(head.lower().split(b"state-revision:")[1].split(b"\r\n")[0])


def fill(port, target):
    """Writes until a store is at that revision: what each revision is came over HTTP and through the journal."""
    while missing := target - revision(port):
        write_many(port, missing)


def write_many(port, count, connections=256, batch=32):
    """Sends that many writes, pipelined; each has another value than those before it."""
    selector = selectors.DefaultSelector()
    pending, sent = {}, 0

    def send(connection):
        nonlocal sent
        size = min(batch, count - sent)
        if size == 0:
            selector.unregister(connection)
            return connection.close()
        requests = []
        for number in range(sent, sent + size):
            body = str(number % 1_000_000 + 1)
            requests.append(
                f"PATCH {QUANTITY} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nPrefer: return=minimal\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        sent += size
        pending[connection] = [size, b""]
        connection.sendall("".join(requests).encode())

    for _ in range(min(connections, count)):
        connection = socket.create_connection(("127.0.0.1", port))
        selector.register(connection, selectors.EVENT_READ)
        send(connection)
    while selector.get_map():
        for key, _ in selector.select():
            wait = pending[key.fileobj]
            wait[1] += key.fileobj.recv(65536)
            if wait[1].count(b"HTTP/1.1 204") == wait[0]:
                send(key.fileobj)
            elif b"HTTP/1.1 4" in wait[1] or b"HTTP/1.1 5" in wait[1] or not wait[1]:
                raise SystemExit(f"a write was refused: {wait[1][:200]!r}")


def starts(folder, sizes, rounds):
    lines = []
    for size in sizes:
        say(f"a store with {size:,} revisions")
        kept, bare = build(folder, size)
        for store in (kept, bare):
            say(f"starting {rounds} times with {store.name}")
            times = [start(folder, store) for _ in range(rounds)]
            with contextlib.closing(sqlite3.connect(store)) as database:
                [(last,)] = database.execute("SELECT max(last) FROM batch")
                [(snapshot,)] = database.execute("SELECT value FROM setting WHERE name = 'snapshot'")
            lines.append(
                f"| {last:,} | {last - snapshot:,} | {store.stat().st_size / 1048576:,.0f} "
                f"| {statistics.median(times):,.0f} |")
            store.unlink()
    print("\n| revisions in the store | of which behind the snapshot | MiB | first answer, ms |\n|---:|---:|---:|---:|")
    print("\n".join(lines))


def build(folder, size):
    """A store as a server leaves it, and one with the same revisions but no snapshot later than the first."""
    kept, bare = Path(folder, "kept.db"), Path(folder, "bare.db")
    with Server(DURABLE, folder=folder) as server:
        store = Path(server.prefix.name, "store.db")
        subprocess.run([*map(str, DURABLE.command[:1]), "backup", bare, "--store", store], check=True)
        fill(server.port, size)
        server.finish()
        shutil.copy(store, kept)
    with contextlib.closing(sqlite3.connect(bare)) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("ATTACH ? AS full", (str(kept),))
        with database:
            database.execute("INSERT INTO batch SELECT * FROM full.batch")
            database.execute("INSERT OR REPLACE INTO setting SELECT * FROM full.setting WHERE name = 'last'")
    return kept, bare


def start(folder, store):
    """How long until a server with a copy of that store answers, in milliseconds; a start may change the store."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        copy = shutil.copy(store, Path(place, "store.db"))
        peer = Peer(DURABLE.name, [copy if part == "{prefix}/store.db" else part for part in DURABLE.command])
        with Server(peer, folder=folder, start_limit_s=START_LIMIT_S) as server:
            return server.start_ms


# Readers beside writers


def latency(peers, folder, rounds, seconds):
    results = {}
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(Server(peer, folder=folder)) for peer in peers]
        for turn in range(rounds):
            for server in servers:
                for writers in (0, LATENCY_WRITERS):
                    say(f"round {turn + 1}/{rounds}: reading beside {writers} writers, {server.name}")
                    results.setdefault((server.name, writers), []).append(read_beside(server, writers, seconds))
    print("\n| server | beside | GET p50 ms | GET p99 ms | PATCH/s meanwhile |\n|---|---|---:|---:|---:|")
    for (name, writers), rounds_of_one in results.items():
        p50, p99, rate = (statistics.median(column) for column in zip(*rounds_of_one))
        print(f"| {name} | {f'{writers} writers' if writers else 'nobody'} | {p50:.3f} | {p99:.3f} | {rate:,.0f} |")


def read_beside(server, writers, seconds):
    """The percentiles of one reader, and how many writes a second there were."""
    if not writers:
        found = load(server, "GET", seconds, 1)
        return found.p50_ms, found.p99_ms, 0
    before, began = revision(server.port), time.monotonic()
    other = subprocess.Popen(
        wrk(server, "PATCH", seconds + 1, writers), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        found = load(server, "GET", seconds, 1)
        rate = (revision(server.port) - before) / (time.monotonic() - began)
    finally:
        other.terminate()
        other.wait()
    return found.p50_ms, found.p99_ms, rate
