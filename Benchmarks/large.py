"""Measures the latency of small requests, and the memory, while clients read a list of a million dishes."""

import contextlib
import json
import select
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from servers import BINDERY, CLIENT_CORE, DISH, PROGRAM, Peer, Server, exchange, log, run_build

DISHES = 1_000_000
LIST = "/state/dishes"
START_LIMIT_S = 120
READ_LIMIT_S = 120
# The time until the socket buffers of a client that reads nothing are full.
SETTLE_S = 1

STORED = Peer(
    "bindery",
    [PROGRAM, "serve", "--store", "{store}", "--threads", "1", "--listen", "127.0.0.1:{port}"],
)


def measure(is_short):
    """Prints the latency of small requests during reads of the whole list, and the throughput of those reads."""
    run_build(BINDERY.build)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        log(f"creating a list of {DISHES:,} dishes")
        store = fill(Path(folder))
        command = [str(part).replace("{store}", str(store)) for part in STORED.command]
        seconds = 3 if is_short else 10
        with Server(Peer(STORED.name, command), start_limit_s=START_LIMIT_S) as server:
            print(f"\n| of {DISHES:,} dishes | ms |\n|---|---:|")
            print(f"| startup, until the first response | {server.start_ms:,.0f} |")
            print(f"| first `HEAD` of the list | {head_ms(server.port):.2f} |")
            exchange(server.port, 1, "PATCH", f"{DISH}/status/inStock/quantity", lambda index: b"7")
            print(f"| `HEAD` after a change | {head_ms(server.port):.2f} |")
            print("\n| readers of the whole list | lists/s | MiB/s | small GET p50, ms | p99, ms | max, ms "
                  "| peak above idle, MiB |")
            print("|---|---:|---:|---:|---:|---:|---:|")
            for label, readers, stalled in [
                ("none", 0, 0), ("1", 1, 0), ("8", 8, 0), ("100 that read nothing", 0, 100),
            ]:
                log(f"readers of the whole list: {label}")
                print(row(server, label, readers, stalled, seconds), flush=True)


def fill(folder, options=()):
    """Creates a store file with a list of `DISHES` dishes by means of export and import.

    `options` select another model than the menu in Swift.
    """
    seed, text, store = folder / "seed.db", folder / "state.json", folder / "store.db"
    with Server(Peer("bindery", [PROGRAM, "serve", *options, "--store", seed, "--listen", "127.0.0.1:{port}"])):
        pass
    exported = subprocess.run([PROGRAM, "export", *options, "--store", seed], check=True, capture_output=True).stdout
    document = json.loads(exported)
    state = document.get("state", document)
    state["dishes"] += [
        {"id": f"{number:08x}-0000-8000-8000-000000000000", "name": f"dish {number}", "isFavorite": False,
         "status": {"inStock": {"quantity": 1}}}
        for number in range(len(state["dishes"]), DISHES)]
    text.write_text(json.dumps(document, separators=(",", ":")))
    with text.open() as lines:
        subprocess.run([PROGRAM, "import", *options, "--store", store], stdin=lines, check=True, capture_output=True)
    return store


def head_ms(port):
    """The time of a HEAD request for the list, which computes its ETag, in milliseconds."""
    started_at = time.perf_counter()
    send_head(port)
    return (time.perf_counter() - started_at) * 1000


def send_head(port):
    with socket.create_connection(("127.0.0.1", port), timeout=START_LIMIT_S) as connection:
        connection.sendall(f"HEAD {LIST} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(4096)


def row(server, label, readers, stalled, seconds):
    """Runs one load and returns its table row."""
    time.sleep(SETTLE_S)
    idle = server.resident_kib()
    server.reset_peak()
    with contextlib.ExitStack() as stack:
        for _ in range(stalled):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            connection.sendall(f"GET {LIST} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        processes = [stack.enter_context(reading(server.port)) for _ in range(readers)]
        if stalled:
            time.sleep(SETTLE_S)
        times = small_requests(server.port, seconds)
        peak = server.peak_kib()
        totals = [finish(process) for process in processes]
    lists, received = map(sum, zip(*totals)) if totals else (0, 0)
    rates = [f"{lists / seconds:.1f}", f"{received / seconds / 2**20:,.0f}"] if readers else ["–", "–"]
    times.sort()
    cells = [*rates, *(f"{1000 * times[int(quantile * (len(times) - 1))]:.2f}" for quantile in (0.5, 0.99, 1)),
             f"{(peak - idle) / 1024:.1f}"]
    return f"| {label} | " + " | ".join(cells) + " |"


# The program of a reader: a process of its own, so that it does not share the interpreter lock with the measurement.
READER = r"""
import socket, sys
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
request = f"GET {sys.argv[2]} HTTP/1.1\r\nHost: 127.0.0.1:{sys.argv[1]}\r\n\r\n".encode()
buffer, lists, received = bytearray(1 << 18), 0, 0
sys.stdout.write("ready\n")
sys.stdout.flush()
import signal
class Done(Exception): pass
def done(*_): raise Done
signal.signal(signal.SIGTERM, done)
try:
    while True:
        connection.sendall(request)
        end = b""
        while not end.endswith(b"\r\n0\r\n\r\n"):
            count = connection.recv_into(buffer)
            if count == 0: sys.exit("the server closed the connection")
            received += count
            end = (end + buffer[max(0, count - 8):count])[-8:]
        lists += 1
except Done:
    print(lists, received)
"""


@contextlib.contextmanager
def reading(port):
    """Starts a process that reads the list repeatedly; kills it at the end of the `with` block."""
    process = subprocess.Popen(
        ["taskset", "-c", str(CLIENT_CORE), "python3", "-c", READER, str(port), LIST],
        stdout=subprocess.PIPE, text=True)
    try:
        if not select.select([process.stdout], [], [], READ_LIMIT_S)[0]:
            raise SystemExit(f"the reader of the list did not start within {READ_LIMIT_S} s")
        process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def finish(process):
    """Stops a reader; returns the number of complete lists and of bytes that it received."""
    process.terminate()
    lists, received = process.communicate(timeout=READ_LIMIT_S)[0].split()
    return int(lists), int(received)


def small_requests(port, seconds):
    """The durations, in seconds, of small requests that are sent one after another."""
    request = f"GET {DISH}/name HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    times = []
    with socket.create_connection(("127.0.0.1", port), timeout=START_LIMIT_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        end = time.perf_counter() + seconds
        while (started_at := time.perf_counter()) < end:
            connection.sendall(request)
            if not connection.recv(4096).startswith(b"HTTP/1.1 200"):
                raise SystemExit(f"GET {DISH}/name: expected status 200")
            times.append(time.perf_counter() - started_at)
            # A pause, so that requests arrive at arbitrary moments of an event loop turn.
            time.sleep(0.0005)
    return times
