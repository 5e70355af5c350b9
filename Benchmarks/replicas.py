"""Measures servers that share one PostgreSQL database: writes, events across servers, recovery, CPU time.

The servers, the database and the clients share all cores.
"""

import asyncio
import contextlib
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from servers import BINDERY, BUILT, DISH, HERE, PROGRAM, log, run_build

sys.path.append(str(HERE.parent / "Tests" / "Replicas"))

from client import NotSent, events, request
from cluster import Database, Proxy, Replica

SOURCES = HERE / "peers" / "replicas"
QUANTITY = f"{DISH}/status/inStock/quantity"
CONNECTIONS = 64
WRITES_PER_SECOND = 200
FAILURES = (NotSent, OSError, EOFError, TimeoutError)


def measure(is_short):
    """Prints all figures."""
    for command in (BINDERY.build, build("writers"), build("rows", "-lpq")):
        run_build(command)
    database = Database()
    try:
        with replicas([database.url]):
            log("created the state")
        rates(database, *((2, 1) if is_short else (7, 3)))
        asyncio.run(measure_events(database, 3 if is_short else 20))
        costs(database, 2 if is_short else 10)
        asyncio.run(recovery(database, 1 if is_short else 5))
    finally:
        database.remove()


def build(program, *libraries):
    include = subprocess.run(["pg_config", "--includedir"], capture_output=True, text=True).stdout.strip()
    return ["cc", "-O2", f"-I{include}", "-o", BUILT / program, SOURCES / f"{program}.c", *libraries]


class Table:
    """Prints a Markdown table."""

    def __init__(self, *columns):
        print(f"\n| {' | '.join(columns)} |\n|---{'|---:' * (len(columns) - 1)}|")

    def row(self, *cells):
        print(f"| {' | '.join(cells)} |", flush=True)


@contextlib.contextmanager
def replicas(urls):
    """Servers that are ready."""
    servers = [Replica(PROGRAM, url, "--threads", "1") for url in urls]
    try:
        asyncio.run(ready(servers))
        yield servers
    finally:
        for server in servers:
            server.stop()


async def ready(servers):
    await asyncio.gather(*(server.run() for server in servers))


def percentile(values, which):
    return sorted(values)[min(len(values) - 1, len(values) * which // 100)]


# Write rates


def rates(database, rounds, seconds):
    """Prints the rates of writes, interleaved with those of rows that libpq inserts.

    The size of a row is the average size of a revision in the log.
    """
    results = {}
    for round_number in range(rounds):
        log(f"round {round_number + 1}/{rounds}")
        before = size(database)
        for count in (1, 2, 3):
            # Servers that only follow the others would take CPU time from them.
            with replicas([database.url] * count) as servers:
                results.setdefault(count, []).append(write(servers, seconds))
            if count == 1:
                after = size(database)
                bytes_per_row = max(1, (after[1] - before[1]) // (after[0] - before[0]))
                for group in (CONNECTIONS, 1):
                    results.setdefault(f"rows {group}", []).append(insert(database, seconds, bytes_per_row, group))
    print(f"\nA revision has {bytes_per_row} bytes.")
    table = Table(
        "writers", "writes/s", "× rows/s", "× one row each", "× one server", "p50 ms", "p99 ms", "p99 / p50",
        "longest ms", "least / average of the connections of a server")
    rows, single = results[f"rows {CONNECTIONS}"], results["rows 1"]
    table.row(f"libpq, {CONNECTIONS} rows for each commit", f"{statistics.median(rows):,.0f}", "1.00", *["–"] * 7)
    table.row("libpq, one row for each commit", f"{statistics.median(single):,.0f}", "–", "1.00", *["–"] * 6)
    one = [total(servers) for servers in results[1]]
    for count in (1, 2, 3):
        totals = [total(servers) for servers in results[count]]
        p50, p99, longest = (
            statistics.median(max(server[field] for server in servers) for servers in results[count])
            for field in ("p50_ms", "p99_ms", "max_ms"))
        tail = statistics.median(
            max(server["p99_ms"] / server["p50_ms"] for server in servers) for servers in results[count])
        # Of the connections of the same server.
        least = min(
            server["least"] * CONNECTIONS / server["writes"] for servers in results[count] for server in servers)
        table.row(
            f"{count} server{'s' if count > 1 else ''}, {CONNECTIONS} connections each",
            f"{statistics.median(totals):,.0f}", ratio(totals, rows), ratio(totals, single), ratio(totals, one),
            f"{p50:.2f}", f"{p99:.2f}", f"{tail:.1f}", f"{longest:.0f}", f"{least:.2f}")


def total(servers):
    return sum(server["rate"] for server in servers)


def ratio(values, base):
    """The median of the ratios within each round."""
    return f"{statistics.median(a / b for a, b in zip(values, base)):.2f}"


def write(servers, seconds):
    """Writes on all connections of all servers, and returns the figures of each server."""
    output = subprocess.run(
        [BUILT / "writers", str(seconds), str(CONNECTIONS), QUANTITY, *(str(server.port) for server in servers)],
        check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, timeout=seconds + 30).stdout
    return [json.loads(line) for line in output.splitlines()]


def insert(database, seconds, size_bytes, group):
    """Inserts rows with libpq, and returns how many a second."""
    return float(subprocess.run(
        [BUILT / "rows", database.url, str(seconds), str(size_bytes), str(group)], check=True, stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL, text=True, timeout=seconds + 30).stdout)


def size(database):
    """The number of revisions so far, and their size in bytes."""
    text = database.query("SELECT last, start + size FROM bindery.batch ORDER BY last DESC LIMIT 1")
    return [int(number) for number in text.split("|")] if text else [0, 0]


# Events


async def measure_events(database, seconds):
    """Prints the time from the response on one server to the event on another one."""
    without_listen = Proxy(database.port, lambda data: data.replace(b"LISTEN bindery", b"SELECT       1"))
    await without_listen.start()
    table = Table(
        f"response on A → event on B, {WRITES_PER_SECOND} writes/s", "p50 ms", "p99 ms", "maximum ms", "events")
    urls = {"with NOTIFY": database.url, "polling only": f"postgres://bindery@127.0.0.1:{without_listen.port}/bindery"}
    for name, url in urls.items():
        log(f"events {name}")
        servers = [Replica(PROGRAM, database.url, "--threads", "1"), Replica(PROGRAM, url, "--threads", "1")]
        try:
            await ready(servers)
            delays = await event_delays(servers, seconds)
        finally:
            for server in servers:
                await asyncio.to_thread(server.stop)
        table.row(
            name, f"{percentile(delays, 50):.2f}", f"{percentile(delays, 99):.2f}", f"{max(delays):.1f}",
            f"{len(delays):,}")
    without_listen.stop()


async def event_delays(servers, seconds):
    """Writes on the first server while the second one has a stream; returns the delays in milliseconds."""
    responses, arrivals = {}, {}

    async def subscribe():
        async for _, value in events(servers[1].port, QUANTITY):
            arrivals[value] = time.monotonic()

    subscriber = asyncio.create_task(subscribe())
    reader, writer = await asyncio.open_connection("127.0.0.1", servers[0].port)
    start, number = time.monotonic() + 0.5, 0
    while time.monotonic() - start < seconds:
        number += 1
        await asyncio.sleep(max(0, start + number / WRITES_PER_SECOND - time.monotonic()))
        body = b"%d" % (number + 1)
        writer.write(
            f"PATCH {QUANTITY} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Prefer: return=minimal\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 204 " not in head:
            raise SystemExit(f"a write failed: {head!r}")
        responses[number + 1] = time.monotonic()
    await asyncio.sleep(0.5)
    subscriber.cancel()
    writer.close()
    # A stream sends the latest value only, so a value may have no event. An event may arrive before the response.
    return [max(0, (arrivals[value] - responses[value]) * 1000) for value in responses if value in arrivals]


# Costs


def costs(database, seconds):
    """Prints the CPU time for each revision, of the server that writes, of one that follows, and of the database."""
    results = {}
    for count in (2, 3):
        log(f"costs of {count} servers")
        with replicas([database.url] * count) as servers:
            pids = [[server.process.pid] for server in servers[:2]] + [backends(database)]
            results[count] = [
                # Microseconds for each 10,000 µs are percent.
                cost(database, pids, lambda: time.sleep(seconds), 10_000 * seconds),
                cost(database, pids, lambda: asyncio.run(event_delays(servers, seconds))),
                cost(database, pids, lambda: write(servers[:1], seconds)),
            ]
    table = Table(
        "CPU time", "without writes, % of a core", f"µs for each of {WRITES_PER_SECOND} writes/s",
        f"µs for each of the writes of {CONNECTIONS} connections")
    further = [[after[2] - before[2]] for before, after in zip(results[2], results[3])]
    for name, index in (("server that writes", 0), ("server that follows", 1), ("database, for both", 2)):
        table.row(name, *(f"{column[index]:.1f}" for column in results[2]))
    table.row("database, for each further server", *(f"{column[0]:.1f}" for column in further))


def cost(database, groups, work, revisions=None):
    """Returns the CPU time of groups of processes during some work, in microseconds for each revision."""
    first, before = size(database)[0], [cpu_s(pids) for pids in groups]
    work()
    after = [cpu_s(pids) for pids in groups]
    revisions = revisions or size(database)[0] - first
    return [(end - start) / revisions * 1e6 for start, end in zip(before, after)]


def backends(database):
    """The processes of the database."""
    leader = int(Path(database.data, "postmaster.pid").read_text().split()[0])
    return [leader, *(
        int(stat.parent.name) for stat in Path("/proc").glob("[0-9]*/stat")
        if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == leader)]


def cpu_s(pids):
    """The CPU time of processes, in seconds (clock_getcpuclockid(3))."""
    return sum(time.clock_gettime(~pid << 3 | 2) for pid in pids)


# Recovery


async def recovery(database, rounds):
    """Prints how long writes fail after failures, as the median and the maximum of the rounds."""
    proxy = Proxy(database.port)
    await proxy.start()
    server = Replica(PROGRAM, f"postgres://bindery@127.0.0.1:{proxy.port}/bindery", "--threads", "1")
    restarted, refused, healed = [], [], []
    try:
        for number in range(rounds):
            log(f"recovery {number + 1}/{rounds}")
            await ready([server])
            await asyncio.to_thread(database.stop)
            await asyncio.sleep(3)
            await asyncio.to_thread(database.start)
            restarted.append(await seconds_until(server, 204))
            for event in proxy.passes.values():
                event.clear()
            refused.append(await seconds_until(server, 503))
            await asyncio.sleep(5)
            proxy.heal()
            healed.append(await seconds_until(server, 204))
    finally:
        server.stop()
        proxy.stop()
    table = Table("recovery", "median s", "maximum s")
    for name, values in (
        ("PostgreSQL accepts connections → write acknowledged", restarted),
        ("black hole → 503", refused), ("black hole ends → write acknowledged", healed),
    ):
        table.row(name, f"{statistics.median(values):.2f}", f"{max(values):.2f}")


async def seconds_until(server, status):
    """Writes until the response has a status, and returns how long that took."""
    start = time.monotonic()
    for number in range(1, 1_000_000):
        try:
            response = await request(
                server.port, "PATCH", QUANTITY,
                {"Prefer": "return=minimal", "Content-Type": "application/json"}, b"%d" % (number % 1000 + 1))
            # A write that changes nothing is answered after a look at the database.
            if response.status == status:
                return time.monotonic() - start
        except FAILURES:
            pass
        await asyncio.sleep(0.002)
