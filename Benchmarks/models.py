"""Compares the menu as a model file with the menu in Swift: one leaf over HTTP, and a list of a million dishes."""

import contextlib
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import large
from counting import instructions
from servers import BINDERY, DISH, HERE, PROGRAM, Peer, Server, exchange, load, log, medians, ratio, rotated
from servers import run_build

MODEL = HERE.parent / "Examples" / "menu.model.json"
SWIFT = "Swift"
FILE = "model file"
LEAF = f"{DISH}/status/inStock/quantity"
CONNECTIONS = 32
WORKLOADS = [("GET", 1, None), ("PATCH", 1, None), ("GET, pipelined 16", 16, None), ("PATCH, pipelined 16", 16, None)]
LARGE_WORKLOADS = [("GET of random dishes", 1, large.DISHES), ("PATCH of random dishes", 1, large.DISHES)]


def peer(name, store="memory"):
    """The server of one of the two models."""
    options = ["--model", MODEL] if name == FILE else []
    return Peer(
        name, [PROGRAM, "serve", *options, "--store", store, "--threads", "1", "--listen", "127.0.0.1:{port}"],
        BINDERY.build)


def measure(is_short):
    """Prints the cost of the model file relative to the model in Swift."""
    run_build(BINDERY.build)
    rounds, seconds = (3, 1) if is_short else (9, 2)
    if shutil.which("valgrind"):
        print("\n| instructions | Swift | model file | ratio |\n|---|---:|---:|---:|")
        for method, path, body in [
            ("GET", LEAF, lambda index: b""), ("PATCH", LEAF, lambda index: str(index % 1000 + 1).encode()),
        ]:
            compiled, dynamic = (instructions(peer(name), method, path, body) for name in (SWIFT, FILE))
            print(f"| {method} of a leaf | {compiled:,.0f} | {dynamic:,.0f} | {dynamic / compiled:.2f} |", flush=True)
    with contextlib.ExitStack() as stack:
        compare([stack.enter_context(Server(peer(name))) for name in (SWIFT, FILE)], WORKLOADS, rounds, seconds)
    if not is_short:
        compare_large(rounds, seconds)


def compare(servers, workloads, rounds, seconds):
    """Prints the CPU time of requests in interleaved rounds."""
    results = {}
    for round_number in range(rounds):
        for workload, depth, dishes in workloads:
            for server in rotated(servers, round_number):
                log(f"round {round_number + 1}/{rounds}: {workload}, {server.name}")
                results.setdefault((workload, server.name), []).append(
                    load(server, workload.split()[0].strip(","), seconds, CONNECTIONS, depth, dishes))
    print("\n| CPU µs/request | Swift | model file | ratio |\n|---|---:|---:|---:|")
    for workload, _, _ in workloads:
        compiled, dynamic = (results[workload, server.name] for server in servers)
        print(f"| {workload} | {medians(compiled)[1]:.2f} | {medians(dynamic)[1]:.2f} "
              f"| {ratio(dynamic, compiled, 'cpu_us')} |", flush=True)


def compare_large(rounds, seconds):
    """Prints the time and the memory that a list of a million dishes needs, and the cost of requests to it."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, contextlib.ExitStack() as stack:
        servers, columns = [], []
        for name in (SWIFT, FILE):
            log(f"creating a list of {large.DISHES:,} dishes, {name}")
            path = Path(folder, name.replace(" ", "-"))
            path.mkdir()
            store = large.fill(path, [] if name == SWIFT else ["--model", MODEL])
            server = Server(peer(name, store), start_limit_s=large.START_LIMIT_S)
            servers.append(stack.enter_context(server))
            columns.append([server.start_ms, server.resident_mib, *list_times(server)])
        print(f"\n| {large.DISHES:,} dishes | Swift | model file | ratio |\n|---|---:|---:|---:|")
        labels = ["startup, ms", "memory, MiB", "first GET of the list, ms", "GET of the list, CPU ms"]
        for label, compiled, dynamic in zip(labels, *columns):
            print(f"| {label} | {compiled:,.0f} | {dynamic:,.0f} | {dynamic / compiled:.2f} |", flush=True)
        compare(servers, LARGE_WORKLOADS, rounds, seconds)


def list_times(server):
    """The time of the first GET of the whole list, and the CPU time of later ones, in milliseconds."""
    started_at = time.perf_counter()
    exchange(server.port, 1, "GET", large.LIST)
    first = (time.perf_counter() - started_at) * 1000
    times = []
    for _ in range(5):
        before = server.cpu_s()
        exchange(server.port, 1, "GET", large.LIST)
        times.append((server.cpu_s() - before) * 1000)
    return first, statistics.median(times)
