"""Measures fan-out to thousands of event streams: latency, CPU time, memory, and the cost of watched paths."""

import contextlib
import json
import resource
import select
import statistics
import subprocess
import tempfile
import time

from servers import BINDERY, BUILT, CLIENT_CORE, DISH, HERE, Peer, Server
from servers import add_dishes, dish_id, exchange, hyper, log, run_build

SOURCES = HERE / "peers" / "fanout"
CLIENT = BUILT / "fanout-client"
READY_LIMIT_S = 45
RUN_LIMIT_S = 120
STALLED = 1000
STORM_WRITERS = 8
WATCHED = 10_000
PATHS_PER_STREAM = 64
# The time until the kernel and the server have finished earlier work.
SETTLE_S = 0.3


class Channel:
    """The paths that subscribers watch, the request that changes them, and the text before the number in an event."""

    def __init__(self, targets, write, body="#", marker='"quantity":', listeners=None):
        self.targets, self.write, self.body, self.marker = targets, write, body, marker
        self.listeners = listeners


PLAIN = Channel([DISH], f"PATCH {DISH}/status/inStock/quantity")
NCHAN = Channel(
    ["/subscribe"], "POST /publish",
    '{"id":"b10de400-0000-8000-8000-000000000001","name":"🍝 Spaghetti Carbonara",'
    '"isFavorite":false,"status":{"inStock":{"quantity":#}}}')

PEERS = [
    BINDERY,
    Peer(
        "C limit",
        [BUILT / "fanout-limit", "{port}"],
        ["cc", "-O2", "-o", BUILT / "fanout-limit", SOURCES / "limit.c"],
        ["cc"],
    ),
    Peer(
        "nchan",
        ["nginx", "-p", "{prefix}", "-e", "error.log", "-c", "{prefix}/server.conf"],
        None,
        ["nginx", "/usr/lib/nginx/modules/ngx_nchan_module.so"],
        SOURCES / "nginx.conf",
    ),
    Peer(
        "Go",
        [BUILT / "fanout-go", "{port}"],
        ["go", "build", "-o", BUILT / "fanout-go", SOURCES / "main.go"],
        ["go"],
    ),
    hyper("fanout-hyper"),
]


class LoadFailed(Exception):
    """The reason for a round without results."""


def channel_of(server):
    return NCHAN if server.name == "nchan" else PLAIN


@contextlib.contextmanager
def started(peer):
    """Starts a server, writes its first value, and warms it up with a few subscribers."""
    with Server(peer) as server:
        prepare(server)
        yield server


def prepare(server):
    if server.name == "nchan":
        exchange(server.port, 1, "POST", "/publish", lambda index: NCHAN.body.replace("#", "1").encode())
    with load(server, channel_of(server), 16, rounds=3) as run:
        run.finish()


class Load:
    """A running load client whose subscribers have received their first event."""

    def __init__(self, process):
        self.process = process
        self._await(READY_LIMIT_S)

    def _await(self, limit_s):
        if not select.select([self.process.stdout], [], [], limit_s)[0]:
            raise LoadFailed(f"the load client wrote no output for {limit_s} s")
        if line := self.process.stdout.readline():
            return line
        message = self.process.stderr.read().strip()
        raise LoadFailed(message or f"the load client exited with code {self.process.wait()}")

    def finish(self):
        """Starts the rounds and returns their results; the connections stay open until the `with` block ends."""
        try:
            self.process.stdin.write("go\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return json.loads(self._await(RUN_LIMIT_S))


@contextlib.contextmanager
def load(server, channel, subscribers, **options):
    """Starts the load client; `options` are its command-line flags."""
    flags = {
        "port": server.port, "subscribers": subscribers, "write": channel.write, "body": channel.body,
        "marker": channel.marker, "limit": READY_LIMIT_S + RUN_LIMIT_S, **options}
    if channel.listeners is not None:
        flags["listeners"] = channel.listeners
    with tempfile.NamedTemporaryFile("w", suffix=".targets") as targets:
        targets.write("\n".join(channel.targets) + "\n")
        targets.flush()
        arguments = ["--targets", targets.name]
        for name, value in flags.items():
            arguments += [f"--{name}"] if value is True else [f"--{name}", str(value)]
        process = subprocess.Popen(
            ["taskset", "-c", str(CLIENT_CORE), CLIENT, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with process:
            try:
                yield Load(process)
                process.stdin.close()
                process.wait(timeout=RUN_LIMIT_S)
            finally:
                process.kill()


def attempt(label, operation):
    """The result, or None after a failure: one failed round must not discard the others."""
    try:
        return operation()
    except LoadFailed as failure:
        log(f"{label}: {failure}")
        return None


# Latency from the change to the subscribers.


def latencies(peers, subscribers, rounds, changes, storm_s):
    """Runs interleaved rounds; returns the results by the name of the server."""
    results = {peer.name: [] for peer in peers}
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(started(peer)) for peer in peers]
        for round_number in range(rounds):
            for server in servers:
                log(f"round {round_number + 1}/{rounds}: {subscribers:,} subscribers, {server.name}")
                result = attempt(server.name, lambda: latency(server, subscribers, changes, storm_s))
                if result:
                    results[server.name].append(result)
    return results


def latency(server, subscribers, changes, storm_s):
    with load(
        server, channel_of(server), subscribers, rounds=changes, writers=STORM_WRITERS, storm=storm_s,
    ) as run:
        before = server.cpu_s()
        result = run.finish()
    result["cpu_us"] = (server.cpu_s() - before) / max(1, result["events"]) * 1e6
    result["writes_s"] = result["writes"] / result["seconds"]
    return result


def print_latencies(all_results):
    print("\n| subscribers | server | writer's response, ms | first, ms | median, ms | last, ms | × C limit "
          "| last p99, ms | CPU µs/event | × C limit | wrong events |")
    print("|---:|---|" + "---:|" * 9)
    for subscribers, results in all_results:
        limit = results.get("C limit", [])
        for name, rounds in results.items():
            if not rounds:
                print(f"| {subscribers:,} | {name} |" + " – |" * 9)
                continue
            last, cpu = median_of(rounds, "last", "median"), median_of(rounds, "cpu_us")
            wrong = sum(result["repeats"] + result["strays"] for result in rounds)
            print(
                f"| {subscribers:,} | {name} | {median_of(rounds, 'response', 'median'):.2f} "
                f"| {median_of(rounds, 'first', 'median'):.2f} | {median_of(rounds, 'median', 'median'):.1f} "
                f"| {last:.1f} | {ratio(last, median_of(limit, 'last', 'median'))} "
                f"| {median_of(rounds, 'last', 'p99'):.1f} | {cpu:.2f} | {ratio(cpu, median_of(limit, 'cpu_us'))} "
                f"| {wrong} |")
    print(f"\n| subscribers | server | all up to date after a storm of {STORM_WRITERS} writers, ms | × C limit "
          "| × last (table above) | writes/s in the storm | response, ms | p99, ms |")
    print("|---:|---|" + "---:|" * 6)
    for subscribers, results in all_results:
        limit = results.get("C limit", [])
        for name, rounds in results.items():
            if not rounds:
                continue
            settled = median_of(rounds, "settled")
            print(
                f"| {subscribers:,} | {name} | {settled:.1f} | {ratio(settled, median_of(limit, 'settled'))} "
                f"| {ratio(settled, median_of(rounds, 'last', 'median'))} | {median_of(rounds, 'writes_s'):,.0f} "
                f"| {median_of(rounds, 'storm_response', 'median'):.2f} "
                f"| {median_of(rounds, 'storm_response', 'p99'):.1f} |")


def ratio(value, base):
    """The ratio as text, or a dash without a base value."""
    return f"{value / base:.2f}" if base else "–"


def median_of(rounds, *keys):
    """The median over the rounds of the value at the nested `keys`; None without rounds."""
    values = []
    for value in rounds:
        for key in keys:
            value = value[key]
        values.append(value)
    return statistics.median(values) if values else None


# Memory of the subscribers.


def idle_memory(peer, subscribers):
    """The memory of the server for each idle subscriber, and its total memory, in KiB."""
    with started(peer) as server:
        before = server.resident_kib()
        with load(server, channel_of(server), subscribers):
            time.sleep(SETTLE_S)
            after = server.resident_kib()
    return (after - before) / subscribers, after


def stalled_memory(peer, seconds):
    """The effect of a storm with a thousand connections that read nothing.

    Returns the memory before, at its peak and after the storm in MiB, the writes per second, and the p99 latency of a
    write in milliseconds.
    """
    with started(peer) as server:
        before = server.resident_kib()
        server.reset_peak()
        with load(server, channel_of(server), STALLED, writers=4, storm=seconds, stalled=True) as run:
            result = run.finish()
            peak = server.peak_kib()
        time.sleep(SETTLE_S)
        after = server.resident_kib()
    mib = [kib / 1024 for kib in (before, peak, after)]
    return *mib, result["writes"] / result["seconds"], result["storm_response"]["p99"]


def print_memory(peers, subscribers, stall_s):
    print(f"\n| server | {subscribers:,} idle subscribers, MiB | KiB each | before, MiB "
          f"| {STALLED:,} stalled, peak MiB | after, MiB | writes/s during the stall | p99, ms |")
    print("|---|" + "---:|" * 7)
    for peer in peers:
        log(f"memory: {subscribers:,} idle subscribers, {peer.name}")
        idle = attempt(peer.name, lambda: idle_memory(peer, subscribers))
        log(f"memory: {STALLED:,} stalled readers, {peer.name}")
        stalled = attempt(peer.name, lambda: stalled_memory(peer, stall_s))
        cells = [f"{idle[1] / 1024:.1f}", f"{idle[0]:.2f}"] if idle else ["–"] * 2
        if stalled:
            cells += [f"{mib:.1f}" for mib in stalled[:3]] + [f"{stalled[3]:,.0f}", f"{stalled[4]:.2f}"]
        else:
            cells += ["–"] * 5
        print(f"| {peer.name} | " + " | ".join(cells) + " |", flush=True)


# The cost of a commit with watched paths that it does not change.


def watch_cases():
    """The name and the channel of each case; in each case one stream receives the change."""
    names = [f"/dishes/{dish_id(number)}/name" for number in range(WATCHED)]

    def channel(targets):
        return Channel(targets, f"PATCH /state{names[0]}", '"dish #"', '"dish ', listeners=1)

    def events_path(names):
        return "/events?" + "&".join(f"path={name}" for name in names)

    packed = [events_path(names[start:start + PATHS_PER_STREAM]) for start in range(0, WATCHED, PATHS_PER_STREAM)]
    return [
        ("1 path", channel([events_path(names[:1])])),
        (f"{PATHS_PER_STREAM} paths on one stream", channel(packed[:1])),
        (f"{WATCHED:,} paths, {PATHS_PER_STREAM} per stream", channel(packed)),
        (f"{WATCHED:,} paths, each on its own stream", channel([f"/state{name}" for name in names])),
    ]


def cpu_per_write(server, channel, seconds):
    """The CPU time of the server in µs per write, and the median latency of a write in ms."""
    with load(server, channel, len(channel.targets), storm=seconds) as run:
        time.sleep(SETTLE_S)
        before = server.cpu_s()
        result = run.finish()
        cpu = server.cpu_s() - before
    return cpu / (result["writes"] + 1) * 1e6, result["storm_response"]["median"]


def print_watching(rounds, seconds):
    cases = watch_cases()
    results = {name: [] for name, _ in cases}
    with Server(BINDERY) as server:
        add_dishes(server, range(WATCHED))
        for round_number in range(rounds):
            for name, channel in cases:
                log(f"round {round_number + 1}/{rounds}: watched paths: {name}")
                result = attempt(name, lambda: cpu_per_write(server, channel, seconds))
                if result:
                    results[name].append(result)
    print("\n| watched paths, one of them changed | server CPU µs/PATCH | × 1 path | response, ms |")
    print("|---|---:|---:|---:|")
    base = median_of(results[cases[0][0]], 0)
    for name, rounds_of_case in results.items():
        if not rounds_of_case:
            print(f"| {name} | – | – | – |")
            continue
        cpu = median_of(rounds_of_case, 0)
        print(f"| {name} | {cpu:.1f} | {ratio(cpu, base)} | {median_of(rounds_of_case, 1):.3f} |")


def measure(peers, is_short):
    """Prints the latencies, the memory and, for Bindery, the cost of watched paths."""
    if not peers:
        return
    # Each subscriber needs a file descriptor.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    log("building the load client of the fan-out benchmark")
    run_build(["cc", "-O2", "-o", CLIENT, SOURCES / "client.c"])
    if is_short:
        plan = [(1000, 2, 10, 0.5)]
    else:
        plan = [(1000, 5, 120, 2), (10_000, 5, 40, 2)]
    print_latencies([
        (subscribers, latencies(peers, subscribers, rounds, changes, storm_s))
        for subscribers, rounds, changes, storm_s in plan])
    print_memory(peers, 1000 if is_short else 10_000, 2 if is_short else 6)
    if BINDERY in peers:
        print_watching(*((2, 1) if is_short else (5, 2)))
