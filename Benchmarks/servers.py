"""The servers that are measured: how they are built and started, and what they take of the machine."""

import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
BUILT = HERE / ".build" / "peers"
DISH = "/state/dishes/b10de400-0000-8000-8000-000000000001"
START_LIMIT_S = 20
PATCH_OPERATIONS = 1000
BUILD_LIMIT_S = 1800


class Peer:
    """A server: how it is built and started, and the programs it cannot do without."""

    def __init__(self, name, command, build=None, needs=(), configuration=None):
        self.name, self.command, self.build, self.needs = name, command, build, needs
        # A file in which {port} is filled in; the command knows it as {prefix}/server.conf.
        self.configuration = configuration


# Built as the image has it: one static executable.
BINDERY_BUILD = HERE / ".build" / "bindery"
PROGRAM = BINDERY_BUILD / "release" / "bindery"
BINDERY = Peer(
    "bindery",
    [PROGRAM, "serve", "--store", "memory", "--threads", "1",
     "--listen", "127.0.0.1:{port}"],
    ["swift", "build", "--package-path", HERE.parent, "--scratch-path", BINDERY_BUILD, "-c", "release",
     "--product", "bindery", "-Xswiftc", "-static-executable"],
    ["swift"],
)


def hyper(program):
    """A peer in Rust, from Debian's crates and nothing else: no registry is asked."""
    sources, target = HERE / "peers" / "hyper", BUILT / "cargo"
    return Peer(
        "hyper",
        [target / "release" / program, "{port}"],
        ["cargo", "--config", sources / "debian.toml", "build", "--release", "--offline", "--bin", program,
         "--manifest-path", sources / "Cargo.toml", "--target-dir", target],
        ["cargo", "/usr/share/cargo/registry/hyper-0.14.19/Cargo.toml"],
    )


def say(text):
    print(text, file=sys.stderr, flush=True)


def cores():
    """A core for the servers and one for the client."""
    here = sorted(os.sched_getaffinity(0))
    if len(here) < 2:
        say("only one core: server and client share it, and the rates mean little")
    return here[0], here[-1]


SERVER_CORE, CLIENT_CORE = cores()


class Server:
    """A running peer; ends with the `with` block.

    Its folder, {prefix} in its command, is made within `folder`, or where temporary files go.
    """

    def __init__(self, peer, wrapper=(), folder=None, start_limit_s=START_LIMIT_S):
        self.name = peer.name
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.prefix = tempfile.TemporaryDirectory(prefix="bench-", dir=folder)
        if peer.configuration:
            text = peer.configuration.read_text().replace("{port}", str(self.port))
            Path(self.prefix.name, "server.conf").write_text(text)
        command = [str(part).format(port=self.port, prefix=self.prefix.name) for part in peer.command]
        began = time.monotonic()
        self.process = subprocess.Popen(
            ["taskset", "-c", str(SERVER_CORE), *wrapper, *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self._await_first_answer(began, began + start_limit_s)
        except BaseException:
            self.stop()
            raise
        self.start_ms = (time.monotonic() - began) * 1000
        self.resident_mib = self.resident_kib() / 1024

    def _await_first_answer(self, began, deadline):
        while True:
            try:
                exchange(self.port, 1, "GET", DISH)
                return
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit(f"{self.name} ended with code {self.process.returncode} before it answered")
                if time.monotonic() > deadline:
                    raise SystemExit(f"{self.name} did not answer within {deadline - began:.0f} s")
                time.sleep(0.001)

    def _processes(self):
        """The process that was started, and those that it has started."""
        yield self.process.pid
        for status in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = status.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == self.process.pid:
                yield int(status.parent.name)

    def _kib(self, field):
        pattern = rf"{field}:\s+(\d+)"
        return sum(
            int(re.search(pattern, Path(f"/proc/{pid}/status").read_text()).group(1)) for pid in self._processes())

    def resident_kib(self):
        return self._kib("VmRSS")

    def peak_kib(self):
        """The most that was resident since the last `forget_peak`."""
        return self._kib("VmHWM")

    def forget_peak(self):
        for pid in self._processes():
            Path(f"/proc/{pid}/clear_refs").write_text("5")

    def cpu_s(self):
        """The CPU time that all threads have taken so far."""
        total = 0
        for pid in self._processes():
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total / os.sysconf("SC_CLK_TCK")

    def finish(self):
        """Ends the process, and leaves its folder."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def stop(self):
        self.finish()
        self.prefix.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def exchange(port, count, method, path, body=lambda turn: b"", content_type="application/json", fields=""):
    """Sends that many requests over one connection, one after another, and insists on success."""
    with socket.create_connection(("127.0.0.1", port), timeout=START_LIMIT_S) as connection:
        reader = connection.makefile("rb")
        for turn in range(count):
            content = body(turn)
            length = f"Content-Type: {content_type}\r\nContent-Length: {len(content)}\r\n" if content else ""
            head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{fields}{length}\r\n"
            connection.sendall(head.encode() + content)
            status = reader.readline()
            if not status:
                raise ConnectionError(f"{method} {path}: hung up")
            if not status.startswith(b"HTTP/1.1 2"):
                raise SystemExit(f"{method} {path}: {status!r}")
            size, is_chunked = 0, False
            while line := reader.readline().strip().lower():
                if line.startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
                is_chunked |= line == b"transfer-encoding: chunked"
            reader.read(size)
            while is_chunked and (size := int(reader.readline(), 16)):
                reader.read(size + 2)
            if is_chunked:
                reader.readline()


def dish_id(number):
    return f"{number:08x}-0000-8000-8000-000000000000"


def add_dishes(server, numbers):
    """Adds dishes of those numbers, as many at a time as one JSON Patch may have."""
    for start in range(0, len(numbers), PATCH_OPERATIONS):
        patch = json.dumps([
            {"op": "add", "path": "/-", "value": {"id": dish_id(number), "name": f"dish {number}"}}
            for number in numbers[start:start + PATCH_OPERATIONS]]).encode()
        exchange(
            server.port, 1, "PATCH", "/state/dishes", lambda turn: patch, "application/json-patch+json",
            "Prefer: return=minimal\r\n")


class Load(NamedTuple):
    """What a round of requests came to."""

    rate: float
    cpu_us: float
    p50_ms: float
    p99_ms: float


def wrk(server, method, seconds, connections, depth=1, among=None):
    """The command of a load on one dish, or any of so many; depth is how many requests leave in one write."""
    return ["taskset", "-c", str(CLIENT_CORE), "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency",
            "-s", HERE / "load.lua", f"http://127.0.0.1:{server.port}{DISH}", "--", method, str(depth),
            *([str(among)] if among else [])]


def load(server, method, seconds, connections, depth=1, among=None):
    """One round; CPU is the server's, in microseconds a request."""
    before = server.cpu_s()
    answer = subprocess.run(
        wrk(server, method, seconds, connections, depth, among), check=True, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=seconds + 20).stdout
    cpu = server.cpu_s() - before
    if bad := re.search(r"Non-2xx.*|Socket errors.*", answer):
        raise SystemExit(f"{server.name}, {method}: {bad.group()}\n{answer}")
    requests = int(re.search(r"(\d+) requests in", answer).group(1))
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", answer).group(1))
    return Load(rate, cpu / max(1, requests) * 1e6, percentile(answer, 50), percentile(answer, 99))


def turned(servers, round_number):
    """Each round begins with another one: what one leaves behind is not always found by the same."""
    start = round_number % len(servers)
    return servers[start:] + servers[:start]


def medians(rounds):
    return [statistics.median(column) for column in zip(*rounds)]


def ratio(rounds, base, what):
    """The median of what one server did for each of what another did in the same round."""
    if not base:
        return "–"
    return f"{statistics.median(getattr(a, what) / getattr(b, what) for a, b in zip(rounds, base)):.2f}"


def percentile(answer, which):
    """A latency, in milliseconds, of what wrk has printed."""
    number, unit = re.search(rf"{which}%\s+([\d.]+)(us|ms|s)", answer).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def run_build(command):
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=BUILD_LIMIT_S)
    if done.returncode:
        raise SystemExit(f"{done.stdout}\n{' '.join(map(str, command))} failed")


def available(peers):
    """Those whose programs are here, built."""
    ready = []
    for peer in peers:
        missing = [str(need) for need in peer.needs if not (shutil.which(need) or Path(need).is_file())]
        if missing:
            say(f"without {peer.name}: no {', '.join(missing)}")
            continue
        if peer.build:
            say(f"building {peer.name}")
            run_build(peer.build)
        ready.append(peer)
    return ready
