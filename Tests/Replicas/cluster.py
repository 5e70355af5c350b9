"""Servers on one PostgreSQL database, each with a TCP proxy in between that can fail in the ways of a network."""

import asyncio
import http.client
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODEL = Path(__file__).with_name("registers.model.json")
REPLICAS = 3
START_LIMIT_S = 30


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def programs():
    """Returns the directory with the programs of the newest PostgreSQL."""
    versions = [entry for entry in os.listdir("/usr/lib/postgresql") if entry.isdigit()]
    return f"/usr/lib/postgresql/{max(versions, key=int)}/bin"


def unprivileged(*command):
    """Runs a command as an unprivileged user, because PostgreSQL refuses to run as root."""
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--inh-caps=-all"]
    subprocess.run(
        [*(user if os.geteuid() == 0 else []), *map(str, command)], check=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL)


class Database:
    """A private PostgreSQL server, which ends with this process at the latest."""

    def __init__(self, *settings):
        options = [option for setting in settings for option in ("--set", setting)]
        self.url, self.directory = subprocess.run(
            [ROOT / "scripts/postgres", "start", "--until-exit-of", str(os.getpid()), *options], check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout.decode().split()
        self.port = int(self.url.split(":")[2].split("/")[0])
        self.data = f"{self.directory}/data"

    def start(self):
        unprivileged(f"{programs()}/pg_ctl", "-D", self.data, "-l", f"{self.directory}/log", "-w", "start")

    def stop(self, mode="immediate"):
        unprivileged(f"{programs()}/pg_ctl", "-D", self.data, "-m", mode, "-w", "stop")

    def remove(self):
        subprocess.run([ROOT / "scripts/postgres", "stop", self.directory], check=True, stdin=subprocess.DEVNULL)

    def query(self, *statements, port=None):
        """Runs statements as superuser, and returns what they print."""
        commands = [part for statement in statements for part in ("-c", statement)]
        return subprocess.run(
            [f"{programs()}/psql", "-qAt", "-h", "127.0.0.1", "-p", str(port or self.port), "-U", "bindery", "bindery",
             *commands], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout.decode().strip()


def open_passes():
    passes = {"to": asyncio.Event(), "from": asyncio.Event()}
    for event in passes.values():
        event.set()
    return passes


class Proxy:
    """A TCP proxy on loopback.

    `delay` is the time that each piece of data takes in each direction, in seconds. While `passes["to"]` or
    `passes["from"]` is not set, nothing reaches the database or comes from it, as behind a black hole. `edit` changes
    what is sent to the database.
    """

    def __init__(self, target, edit=None):
        self.target, self.delay, self.accepts, self.edit = target, 0, True, edit
        self.passes = open_passes()
        self.transports, self.tasks = set(), set()

    async def start(self):
        self.heal()
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    def stop(self):
        self.server.close()
        self.cut()
        for task in self.tasks:
            task.cancel()

    def heal(self):
        self.delay, self.accepts = 0, True
        for event in self.passes.values():
            event.set()

    def strand(self):
        """Delays what present connections send and receive, but not that of later ones.

        - Returns: The events that end the delay.
        """
        stranded, self.passes = self.passes, open_passes()
        for event in stranded.values():
            event.clear()
        return stranded.values()

    def cut(self):
        """Breaks all connections. What was underway is lost."""
        for transport in self.transports:
            transport.abort()

    async def serve(self, reader, writer):
        task = asyncio.current_task()
        self.tasks.add(task)
        self.transports.add(writer.transport)
        upstream, passes = None, self.passes
        try:
            if not self.accepts:
                return
            far_reader, upstream = await asyncio.open_connection("127.0.0.1", self.target)
            self.transports.add(upstream.transport)
            await asyncio.gather(
                self.pump(reader, upstream, passes["to"], self.edit), self.pump(far_reader, writer, passes["from"]),
                return_exceptions=True)
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            for end in (writer, upstream):
                if end:
                    self.transports.discard(end.transport)
                    end.transport.abort()
            self.tasks.discard(task)

    async def pump(self, reader, writer, passes, edit=None):
        try:
            while data := await reader.read(65536):
                if self.delay:
                    await asyncio.sleep(self.delay)
                await passes.wait()
                writer.write(edit(data) if edit else data)
                await writer.drain()
        finally:
            # The end of one direction is the end of the connection: PostgreSQL and libpq never close only one.
            if reader.at_eof():
                writer.close()
            else:
                writer.transport.abort()


class Replica:
    """A server, which can be killed, paused and started again on the same port."""

    def __init__(self, binary, url, *options, log=subprocess.DEVNULL):
        self.port, self.process = free_port(), None
        self.command = [
            str(binary), "serve", "--store", url, "--no-auth", "--listen", f"127.0.0.1:{self.port}", *map(str, options)]
        self.log = log

    def start(self):
        """Starts the process unless it runs."""
        if self.process and self.process.poll() is None:
            return
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log)

    def signal(self, number):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """Ends the process in order, also if it is paused."""
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        if self.process:
            self.process.wait()

    def request(self, method, path, body=None, headers={}, timeout=20):
        """Sends a request, and returns the status, the header fields and the body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()
        finally:
            connection.close()

    @property
    def is_ready(self):
        try:
            return self.request("GET", "/readyz", timeout=1)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    async def run(self, limit_s=START_LIMIT_S):
        """Waits until the server is ready. Starts it if it does not run."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            # A server that cannot reach the database when it starts exits.
            self.start()
            if await asyncio.to_thread(lambda: self.is_ready):
                return
            await asyncio.sleep(0.02)
        raise SystemExit(f"the server on port {self.port} is not ready after {limit_s} seconds")


class Cluster:
    """Servers with a proxy each, and their database."""

    async def start(self, binary):
        self.database = Database()
        self.proxies = [Proxy(self.database.port) for _ in range(REPLICAS)]
        for proxy in self.proxies:
            await proxy.start()
        self.replicas = [
            Replica(binary, f"postgres://bindery@127.0.0.1:{proxy.port}/bindery", "--model", MODEL)
            for proxy in self.proxies
        ]
        await self.run()

    async def run(self):
        """Repairs the connections, and waits until all servers are ready."""
        for proxy in self.proxies:
            proxy.heal()
        await asyncio.gather(*(replica.run() for replica in self.replicas))

    def stop(self):
        for proxy in self.proxies:
            proxy.stop()
        for replica in self.replicas:
            replica.kill()
        self.database.remove()
