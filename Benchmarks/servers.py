"""Builds, starts and loads the servers under test, and measures their CPU time and memory."""

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
# The number of dishes in the initial state.
INITIAL_DISHES = 4
BUILD_LIMIT_S = 1800


class Peer:
    """A server under test: its build command, its start command, the programs it requires, and the header fields,
    such as credentials, that it requires."""

    def __init__(self, name, command, build=None, needs=(), configuration=None, fields=""):
        self.name, self.command, self.build, self.needs, self.fields = name, command, build, needs, fields
        # A configuration template: {port} is replaced, and the command finds the result at {prefix}/server.conf.
        self.configuration = configuration


# Built as in the container image: one static executable. With BENCH_PROGRAM, that executable is measured as it is.
BINDERY_BUILD = HERE / ".build" / "bindery"
STATIC_BUILD = [
    HERE.parent / "deploy" / "static-executable", BINDERY_BUILD, BINDERY_BUILD / "libpq", BINDERY_BUILD / "map"]
PROGRAM = Path(os.environ.get("BENCH_PROGRAM") or BINDERY_BUILD / "release" / "bindery").absolute()
BINDERY = Peer(
    "bindery",
    [PROGRAM, "serve", "--store", "memory", "--threads", "1",
     "--listen", "127.0.0.1:{port}"],
    ["test", "-x", PROGRAM] if os.environ.get("BENCH_PROGRAM") else STATIC_BUILD,
    ["swift"],
)


def hyper(program):
    """A Rust server, built offline from the crates that Debian packages."""
    sources, target = HERE / "peers" / "hyper", BUILT / "cargo"
    return Peer(
        "hyper",
        [target / "release" / program, "{port}"],
        ["cargo", "--config", sources / "debian.toml", "build", "--release", "--offline", "--bin", program,
         "--manifest-path", sources / "Cargo.toml", "--target-dir", target],
        ["cargo", "/usr/share/cargo/registry/hyper-0.14.19/Cargo.toml"],
    )


def log(text):
    """Writes a progress message to standard error; standard output is the Markdown report."""
    print(text, file=sys.stderr, flush=True)


def cores():
    """Returns one core for the servers and another for the load client."""
    available_cores = sorted(os.sched_getaffinity(0))
    if len(available_cores) < 2:
        log("warning: only one CPU core; server and client share it, so the rates mean little")
    return available_cores[0], available_cores[-1]


SERVER_CORE, CLIENT_CORE = cores()


class Server:
    """A running server process, which stops at the end of its `with` block.

    Its working directory ({prefix} in its command) is created in `folder`, or in the directory for temporary files.
    """

    def __init__(self, peer, wrapper=(), folder=None, start_limit_s=START_LIMIT_S, cores=(SERVER_CORE,)):
        self.name, self.fields = peer.name, peer.fields
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.prefix = tempfile.TemporaryDirectory(prefix="bench-", dir=folder)
        if peer.configuration:
            text = peer.configuration.read_text().replace("{port}", str(self.port))
            Path(self.prefix.name, "server.conf").write_text(text)
        command = [str(part).format(port=self.port, prefix=self.prefix.name) for part in peer.command]
        started_at = time.monotonic()
        self.process = subprocess.Popen(
            ["taskset", "-c", ",".join(map(str, cores)), *wrapper, *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self._await_first_response(started_at, started_at + start_limit_s)
        except BaseException:
            self.stop()
            raise
        self.start_ms = (time.monotonic() - started_at) * 1000
        self.resident_mib = self.resident_kib() / 1024

    def _await_first_response(self, started_at, deadline):
        """Polls until the server responds, because a server does not report when it is ready."""
        while True:
            try:
                exchange(self.port, 1, "GET", DISH, fields=self.fields)
                return
            except OSError:
                if self.process.poll() is not None:
                    code = self.process.returncode
                    raise SystemExit(f"{self.name} exited with code {code} before its first response")
                if time.monotonic() > deadline:
                    raise SystemExit(f"{self.name} did not respond within {deadline - started_at:.0f} s")
                time.sleep(0.001)

    def _processes(self):
        """The ids of the started process and of its children, such as nginx workers."""
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
        """The resident memory of all processes of the server, in KiB."""
        return self._kib("VmRSS")

    def peak_kib(self):
        """The maximum of the resident memory since the last `reset_peak`, in KiB."""
        return self._kib("VmHWM")

    def reset_peak(self):
        """Resets the maximum of the resident memory (proc(5): writing 5 to clear_refs)."""
        for pid in self._processes():
            Path(f"/proc/{pid}/clear_refs").write_text("5")

    def cpu_s(self):
        """The CPU time of all threads so far, in seconds."""
        # The id of the CPU clock of a process, as clock_getcpuclockid(3) computes it. /proc counts in ticks of 10 ms.
        return sum(time.clock_gettime(~pid << 3 | 2) for pid in self._processes())

    def terminate(self):
        """Stops the process and keeps its working directory."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def stop(self):
        """Stops the process and deletes its working directory."""
        self.terminate()
        self.prefix.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def exchange(port, count, method, path, body=lambda index: b"", content_type="application/json", fields=""):
    """Sends `count` requests one after another over one connection.

    Exits with an error unless every status is 2xx.
    """
    with socket.create_connection(("127.0.0.1", port), timeout=START_LIMIT_S) as connection:
        reader = connection.makefile("rb")
        for index in range(count):
            content = body(index)
            length = f"Content-Type: {content_type}\r\nContent-Length: {len(content)}\r\n" if content else ""
            head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{fields}{length}\r\n"
            connection.sendall(head.encode() + content)
            status = reader.readline()
            if not status:
                raise ConnectionError(f"{method} {path}: the server closed the connection")
            if not status.startswith(b"HTTP/1.1 2"):
                raise SystemExit(f"{method} {path}: expected status 2xx, got {status!r}")
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
    """Adds a dish for each number, with the maximum number of operations in each JSON Patch."""
    for start in range(0, len(numbers), PATCH_OPERATIONS):
        patch = json.dumps([
            {"op": "add", "path": "/-", "value": {"id": dish_id(number), "name": f"dish {number}"}}
            for number in numbers[start:start + PATCH_OPERATIONS]]).encode()
        exchange(
            server.port, 1, "PATCH", "/state/dishes", lambda index: patch, "application/json-patch+json",
            server.fields + "Prefer: return=minimal\r\n")


class Load(NamedTuple):
    """The result of one round: requests per second, CPU time per request, and latency percentiles."""

    rate: float
    cpu_us: float
    p50_ms: float
    p99_ms: float


def wrk(server, method, seconds, connections, depth=1, random_among=None):
    """The wrk command for a load on one dish, or on random ones of `random_among` dishes.

    `depth` is the number of pipelined requests in each write.
    """
    return ["taskset", "-c", str(CLIENT_CORE), "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency",
            "-s", HERE / "load.lua", f"http://127.0.0.1:{server.port}{DISH}", "--", method, str(depth),
            *([str(random_among)] if random_among else [])]


def load(server, method, seconds, connections, depth=1, random_among=None):
    """Runs one round; the CPU time is that of the server, in microseconds per request."""
    before = server.cpu_s()
    output = subprocess.run(
        wrk(server, method, seconds, connections, depth, random_among), check=True, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=seconds + 20).stdout
    cpu = server.cpu_s() - before
    if bad := re.search(r"Non-2xx.*|Socket errors.*", output):
        raise SystemExit(f"{server.name}, {method}: {bad.group()}\n{output}")
    requests = int(re.search(r"(\d+) requests in", output).group(1))
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1))
    return Load(rate, cpu / max(1, requests) * 1e6, percentile(output, 50), percentile(output, 99))


def rotated(servers, round_number):
    """The servers in rotated order, so that no server always runs after the same other one."""
    start = round_number % len(servers)
    return servers[start:] + servers[:start]


def medians(rounds):
    """The median of each column."""
    return [statistics.median(column) for column in zip(*rounds)]


def ratio(rounds, base, field):
    """The median of the ratios of one field to the base server within each round, as text."""
    if not base:
        return "–"
    return f"{statistics.median(getattr(a, field) / getattr(b, field) for a, b in zip(rounds, base)):.2f}"


def percentile(output, which):
    """A latency percentile from the output of wrk, in milliseconds."""
    number, unit = re.search(rf"{which}%\s+([\d.]+)(us|ms|s)", output).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def run_build(command):
    """Runs a build command; exits with its output if it fails."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=BUILD_LIMIT_S)
    if done.returncode:
        raise SystemExit(f"{done.stdout}\n{' '.join(map(str, command))} failed")


def available(peers):
    """Builds and returns the servers whose required programs are installed; reports the others."""
    ready = []
    for peer in peers:
        missing = [str(need) for need in peer.needs if not (shutil.which(need) or Path(need).is_file())]
        if missing:
            log(f"skipping {peer.name}: {', '.join(missing)} not found")
            continue
        if peer.build:
            log(f"building {peer.name}")
            run_build(peer.build)
        ready.append(peer)
    return ready
