"""A list of a million dishes that somebody reads: what others notice of it, and what it takes."""

import contextlib
import json
import select
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from servers import BINDERY, CLIENT_CORE, DISH, PROGRAM, Peer, Server, exchange, run_build, say

DISHES = 1_000_000
LIST = "/state/dishes"
START_LIMIT_S = 120
READ_LIMIT_S = 120
# The kernel has taken what it takes for a reader that takes nothing.
SETTLE_S = 1

STORED = Peer(
    "bindery",
    [PROGRAM, "serve", "--store", "{store}", "--threads", "1", "--listen", "127.0.0.1:{port}"],
)


def measure(is_short):
    """Prints what small requests wait for beside readers of the whole list, and what those take."""
    run_build(BINDERY.build)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        say(f"making a list of {DISHES:,} dishes")
        store = fill(Path(folder))
        command = [str(part).replace("{store}", str(store)) for part in STORED.command]
        seconds = 3 if is_short else 10
        with Server(Peer(STORED.name, command), start_limit_s=START_LIMIT_S) as server:
            print(f"\n| of {DISHES:,} dishes | ms |\n|---|---:|")
            print(f"| start, until the first answer | {server.start_ms:,.0f} |")
            print(f"| first `HEAD` of the list | {head_ms(server.port):.2f} |")
            exchange(server.port, 1, "PATCH", f"{DISH}/status/inStock/quantity", lambda turn: b"7")
            print(f"| `HEAD` after a change | {head_ms(server.port):.2f} |")
            print("\n| readers of the whole list | lists/s | MiB/s | small GET p50, ms | p99, ms | max, ms "
                  "| peak above rest, MiB |")
            print("|---|---:|---:|---:|---:|---:|---:|")
            for label, readers, deaf in [
                ("nobody", 0, 0), ("1", 1, 0), ("8", 8, 0), ("100 that take nothing", 0, 100),
            ]:
                say(f"beside {label}")
                print(row(server, label, readers, deaf, seconds), flush=True)


def fill(folder):
    """A store with a list as long as that, imported."""
    seed, text, store = folder / "seed.db", folder / "state.json", folder / "store.db"
    with Server(Peer("bindery", [PROGRAM, "serve", "--store", seed, "--listen", "127.0.0.1:{port}"])):
        pass
    exported = subprocess.run([PROGRAM, "export", "--store", seed], check=True, capture_output=True).stdout
    document = json.loads(exported)
    state = document.get("state", document)
    state["dishes"] += [
        {"id": f"{number:08x}-0000-8000-8000-000000000000", "name": f"dish {number}", "isFavorite": False,
         "status": {"inStock": {"quantity": 1}}}
        for number in range(len(state["dishes"]), DISHES)]
    text.write_text(json.dumps(document, separators=(",", ":")))
    with text.open() as lines:
        subprocess.run([PROGRAM, "import", "--store", store], stdin=lines, check=True, capture_output=True)
    return store


def head_ms(port):
    """How long the tag of the list takes."""
    began = time.perf_counter()
    exchange_head(port)
    return (time.perf_counter() - began) * 1000


def exchange_head(port):
    with socket.create_connection(("127.0.0.1", port), timeout=START_LIMIT_S) as connection:
        connection.sendall(f"HEAD {LIST} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += connection.recv(4096)


def row(server, label, readers, deaf, seconds):
    time.sleep(SETTLE_S)
    rest = server.resident_kib()
    server.forget_peak()
    with contextlib.ExitStack() as stack:
        for _ in range(deaf):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            connection.sendall(f"GET {LIST} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        processes = [stack.enter_context(reading(server.port)) for _ in range(readers)]
        if deaf:
            time.sleep(SETTLE_S)
        times = small_requests(server.port, seconds)
        peak = server.peak_kib()
        taken = [finish(process) for process in processes]
    lists, bytes_taken = map(sum, zip(*taken)) if taken else (0, 0)
    read = [f"{lists / seconds:.1f}", f"{bytes_taken / seconds / 2**20:,.0f}"] if readers else ["–", "–"]
    times.sort()
    cells = [*read, *(f"{1000 * times[int(part * (len(times) - 1))]:.2f}" for part in (0.5, 0.99, 1)),
             f"{(peak - rest) / 1024:.1f}"]
    return f"| {label} | " + " | ".join(cells) + " |"


READER = r"""
import socket, sys
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
request = f"GET {sys.argv[2]} HTTP/1.1\r\nHost: 127.0.0.1:{sys.argv[1]}\r\n\r\n".encode()
room, lists, taken = bytearray(1 << 18), 0, 0
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
            count = connection.recv_into(room)
            if count == 0: sys.exit("the server hung up")
            taken += count
            end = (end + room[max(0, count - 8):count])[-8:]
        lists += 1
except Done:
    print(lists, taken)
"""


@contextlib.contextmanager
def reading(port):
    """Somebody who reads the list again and again."""
    process = subprocess.Popen(
        ["taskset", "-c", str(CLIENT_CORE), "python3", "-c", READER, str(port), LIST], stdout=subprocess.PIPE, text=True)
    try:
        if not select.select([process.stdout], [], [], READ_LIMIT_S)[0]:
            raise SystemExit("the reader does not begin")
        process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def finish(process):
    """How many lists and bytes a reader has had."""
    process.terminate()
    lists, taken = process.communicate(timeout=READ_LIMIT_S)[0].split()
    return int(lists), int(taken)


def small_requests(port, seconds):
    """How long each took of small requests, one after another."""
    request = f"GET {DISH}/name HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    times = []
    with socket.create_connection(("127.0.0.1", port), timeout=START_LIMIT_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        end = time.perf_counter() + seconds
        while (began := time.perf_counter()) < end:
            connection.sendall(request)
            if not connection.recv(4096).startswith(b"HTTP/1.1 200"):
                raise SystemExit("a small request failed")
            times.append(time.perf_counter() - began)
            # A pause now and then: what comes at any moment is what is asked for.
            time.sleep(0.0005)
    return times
