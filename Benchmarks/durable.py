"""Measures durable writes: their rate, the startup time of a store, and read latency with a busy disk."""

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
from servers import load, log, medians, ratio, rotated, run_build, wrk

SOURCES = HERE / "peers" / "durable"
DISK = BUILT / "disk"
# Not in the directory for temporary files, which may be in memory.
FOLDER = HERE / ".build" / "durable"
CONNECTIONS = (1, 16, 64, 256)
LATENCY_WRITERS = 64
# Recovery may have to replay a million revisions.
START_LIMIT_S = 300
QUANTITY = f"{DISH}/status/inStock/quantity"

DURABLE = Peer(
    "bindery, durable",
    [PROGRAM, "serve", "--store", "{prefix}/store.db", "--threads", "1",
     "--history-revisions", "100000000", "--history-bytes", "100000000000", "--listen", "127.0.0.1:{port}"],
    BINDERY.build, BINDERY.needs)
MEMORY = Peer("bindery, in memory", BINDERY.command, BINDERY.build, BINDERY.needs)
TRANSACTIONS = Peer(
    "C, one transaction each",
    [BUILT / "transactions", "{port}", "{prefix}/store.db"],
    ["cc", "-O2", "-o", BUILT / "transactions", SOURCES / "transactions.c", "-lsqlite3"],
    ["cc"])

PEERS = [DURABLE, MEMORY, TRANSACTIONS]


def measure(peers, is_short):
    """Prints write rates, startup times and read latencies."""
    if not peers:
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    kind = subprocess.run(
        ["stat", "-f", "-c", "%T", FOLDER], check=True, capture_output=True, text=True).stdout.strip()
    if kind in ("tmpfs", "ramfs"):
        raise SystemExit(f"{FOLDER} is on a {kind}, which has no disk writes to measure; use a directory on a disk")
    run_build(["cc", "-O2", "-o", DISK, SOURCES / "disk.c", "-lsqlite3"])
    with tempfile.TemporaryDirectory(prefix="bench-", dir=FOLDER) as folder:
        rates(peers, folder, *((3, 1) if is_short else (11, 2)))
        if DURABLE in peers:
            startup_times(folder, (10_000, 100_000) if is_short else (10_000, 1_000_000), 3 if is_short else 5)
            readable = [peer for peer in peers if peer is not TRANSACTIONS]
            latency(readable, folder, *((3, 1) if is_short else (5, 4)))


# Write rates


def rates(peers, folder, rounds, seconds):
    """Prints the rate and the latency of writes, interleaved with measurements of the disk."""
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(Server(peer, folder=folder)) for peer in peers]
        results, pages, rows = {}, {}, {}
        for round_number in range(rounds):
            for connections in CONNECTIONS:
                log(f"round {round_number + 1}/{rounds}: {connections} writers")
                # On the core of the servers and within the same round, so that the rates can be compared.
                rates_of_disk = subprocess.run(
                    ["taskset", "-c", str(SERVER_CORE), DISK, folder, str(seconds / 2)], check=True,
                    capture_output=True, text=True, timeout=seconds + 20).stdout.split()
                pages.setdefault(connections, []).append(float(rates_of_disk[0]))
                rows.setdefault(connections, []).append(float(rates_of_disk[1]))
                for server in rotated(servers, round_number):
                    results.setdefault((connections, server.name), []).append(
                        load(server, "PATCH", seconds, connections))
    print("\n| connections | server | PATCH/s | × in memory | × one transaction each | × rows/s of the disk "
          "| CPU µs/PATCH | p50 ms | p99 ms |")
    print("|---:|---|---:|---:|---:|---:|---:|---:|---:|")
    for connections in CONNECTIONS:
        disk = rows[connections]
        page, row = statistics.median(pages[connections]), statistics.median(disk)
        by_name = {peer.name: results[connections, peer.name] for peer in peers}
        bases = [by_name.get(peer.name) for peer in (MEMORY, TRANSACTIONS)]
        print(f"| {connections} | disk: page appends | {page:,.0f} | – | – | {page / row:.2f} | – | – | – |")
        print(f"| {connections} | disk: SQLite rows | {row:,.0f} | – | – | 1.00 | – | – | – |")
        for name, rounds in by_name.items():
            rate, cpu, p50, p99 = medians(rounds)
            of_disk = statistics.median(result.rate / base for result, base in zip(rounds, disk))
            print(f"| {connections} | {name} | {rate:,.0f} | {ratio(rounds, bases[0], 'rate')} "
                  f"| {ratio(rounds, bases[1], 'rate')} | {of_disk:.2f} | {cpu:.1f} | {p50:.2f} | {p99:.2f} |")


# Startup times


def revision(port):
    """The current revision of a server."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(f"HEAD {DISH} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(4096)
    return int(head.lower().split(b"state-revision:")[1].split(b"\r\n")[0])


def fill(port, target):
    """Writes over HTTP until the store has `target` revisions, so that each revision went through the journal."""
    while missing := target - revision(port):
        write_many(port, missing)


def write_many(port, count, connections=256, batch=32):
    """Sends `count` pipelined writes, each of a new value."""
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
            batch_state = pending[key.fileobj]
            batch_state[1] += key.fileobj.recv(65536)
            if batch_state[1].count(b"HTTP/1.1 204") == batch_state[0]:
                send(key.fileobj)
            elif b"HTTP/1.1 4" in batch_state[1] or b"HTTP/1.1 5" in batch_state[1] or not batch_state[1]:
                raise SystemExit(f"a write failed; expected status 204, got {batch_state[1][:200]!r}")


def startup_times(folder, sizes, rounds):
    """Prints the time until the first response, with and without a recent snapshot."""
    lines = []
    for size in sizes:
        log(f"creating a store with {size:,} revisions")
        complete, bare = build(folder, size)
        for store in (complete, bare):
            log(f"starting {rounds} times with {store.name}")
            times = [startup_ms(folder, store) for _ in range(rounds)]
            with contextlib.closing(sqlite3.connect(store)) as database:
                [(last,)] = database.execute("SELECT max(last) FROM batch")
                [(snapshot,)] = database.execute("SELECT value FROM setting WHERE name = 'snapshot'")
            lines.append(
                f"| {last:,} | {last - snapshot:,} | {store.stat().st_size / 1048576:,.0f} "
                f"| {statistics.median(times):,.0f} |")
            store.unlink()
    print("\n| revisions in the store | of which after the snapshot | MiB | startup to first response, ms |")
    print("|---:|---:|---:|---:|")
    print("\n".join(lines))


def build(folder, size):
    """Creates a store as a server leaves it, and one with the same revisions but only the first snapshot."""
    complete, bare = Path(folder, "complete.db"), Path(folder, "bare.db")
    with Server(DURABLE, folder=folder) as server:
        store = Path(server.prefix.name, "store.db")
        subprocess.run([*map(str, DURABLE.command[:1]), "backup", bare, "--store", store], check=True)
        fill(server.port, size)
        server.terminate()
        shutil.copy(store, complete)
    with contextlib.closing(sqlite3.connect(bare)) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("ATTACH ? AS full", (str(complete),))
        with database:
            database.execute("INSERT INTO batch SELECT * FROM full.batch")
            database.execute("INSERT OR REPLACE INTO setting SELECT * FROM full.setting WHERE name = 'last'")
    return complete, bare


def startup_ms(folder, store):
    """The time until the first response of a server, in milliseconds.

    Works on a copy, because a startup may change the store.
    """
    with tempfile.TemporaryDirectory(dir=folder) as copy_folder:
        copy = shutil.copy(store, Path(copy_folder, "store.db"))
        peer = Peer(DURABLE.name, [copy if part == "{prefix}/store.db" else part for part in DURABLE.command])
        with Server(peer, folder=folder, start_limit_s=START_LIMIT_S) as server:
            return server.start_ms


# Read latency


def latency(peers, folder, rounds, seconds):
    """Prints the latency of one reader, alone and with concurrent writers."""
    results = {}
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(Server(peer, folder=folder)) for peer in peers]
        for round_number in range(rounds):
            for server in servers:
                for writers in (0, LATENCY_WRITERS):
                    log(f"round {round_number + 1}/{rounds}: one reader, {writers} writers, {server.name}")
                    results.setdefault((server.name, writers), []).append(read_latency(server, writers, seconds))
    print("\n| server | concurrent load | GET p50 ms | GET p99 ms | PATCH/s |\n|---|---|---:|---:|---:|")
    for (name, writers), server_rounds in results.items():
        p50, p99, rate = (statistics.median(column) for column in zip(*server_rounds))
        print(f"| {name} | {f'{writers} writers' if writers else 'none'} | {p50:.3f} | {p99:.3f} | {rate:,.0f} |")


def read_latency(server, writers, seconds):
    """The latency percentiles of one reader, and the concurrent writes per second."""
    if not writers:
        result = load(server, "GET", seconds, 1)
        return result.p50_ms, result.p99_ms, 0
    before, started_at = revision(server.port), time.monotonic()
    load_process = subprocess.Popen(
        wrk(server, "PATCH", seconds + 1, writers), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        result = load(server, "GET", seconds, 1)
        rate = (revision(server.port) - before) / (time.monotonic() - started_at)
    finally:
        load_process.terminate()
        load_process.wait()
    return result.p50_ms, result.p99_ms, rate
