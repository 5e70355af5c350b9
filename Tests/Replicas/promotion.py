"""Promotes a standby of PostgreSQL while two servers write, and checks what became of the acknowledged writes.

The rounds take turns:

- synchronous: commits wait for the standby. No acknowledged write may be lost.
- asynchronous: the standby may lack the last commits, which the servers append again.
- detached: the standby receives nothing for a while, and the servers append all of that again.
- replaced: only one server has seen the commits that the detached standby lacks, and it is paused until the other one
  has written under the new history.

An acknowledged write that is missing in the end must be named in the log of the server that acknowledged it.
scripts/promotion starts this program with the path of the server and the number of rounds.
"""

import asyncio
import json
import re
import signal
import sys
import time

sys.dont_write_bytecode = True

from client import NotSent, request
from cluster import MODEL, Database, Proxy, Replica, free_port, programs, unprivileged

KINDS = ("synchronous", "asynchronous", "detached", "replaced")
LIMIT_S = 20
RANGE = re.compile(r"(appended again|lost, replaced by other commits|perhaps lost): revisions? (\d+)(?: to (\d+))?")


class Standby:
    """A standby of a database."""

    def __init__(self, primary):
        self.primary, self.port, self.data = primary, free_port(), f"{primary.directory}/standby"

    def start(self):
        unprivileged(
            f"{programs()}/pg_basebackup", "-D", self.data, "-R", "-h", "127.0.0.1", "-p", self.primary.port,
            "-U", "bindery", "-c", "fast", "-X", "stream")
        settings = f"port = {self.port}\\nunix_socket_directories = '{self.primary.directory}'\\n"
        unprivileged("sh", "-c", f"printf \"{settings}\" >> {self.data}/postgresql.auto.conf")
        unprivileged(f"{programs()}/pg_ctl", "-D", self.data, "-l", f"{self.data}.log", "-w", "start")

    def promote(self):
        unprivileged(f"{programs()}/pg_ctl", "-D", self.data, "-w", "promote")

    def detach(self):
        self.primary.query("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()", port=self.port)
        self.wait_for("SELECT count(*) FROM pg_stat_replication", "0")

    def wait_for(self, query, expected):
        """Waits for the answer of the primary to a query."""
        end = time.monotonic() + LIMIT_S
        while self.primary.query(query) != expected:
            if time.monotonic() > end:
                sys.exit(f"promotion: {query} is not {expected} within {LIMIT_S} seconds")

    def stop(self):
        unprivileged(f"{programs()}/pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")


class Writers:
    """Clients that append different values to a list."""

    def __init__(self, replicas):
        self.replicas, self.acknowledged, self.count, self.is_ended = replicas, {}, 0, False

    async def append(self, index):
        """Appends a value on one server, and returns whether that was acknowledged."""
        self.count += 1
        value = f"{index}-{self.count}"
        body = json.dumps([{"op": "add", "path": "/-", "value": value}]).encode()
        try:
            response = await request(
                self.replicas[index].port, "PATCH", "/state/log", {"Content-Type": "application/json-patch+json"}, body)
        except (NotSent, OSError, EOFError, TimeoutError):
            return False
        if response.status == 200:
            self.acknowledged[value] = (index, response.position)
        return response.status == 200

    async def run(self, index):
        while not self.is_ended:
            await self.append(index)
            await asyncio.sleep(0.002)


async def until(condition, what):
    end = time.monotonic() + LIMIT_S
    while not await condition():
        if time.monotonic() > end:
            sys.exit(f"promotion: {what} within {LIMIT_S} seconds")
        await asyncio.sleep(0.01)


async def history(replica):
    """Returns the history of a server; None while it does not answer."""
    try:
        response = await request(replica.port, "GET", "/state/log")
    except (NotSent, OSError, EOFError, TimeoutError):
        return None
    return response.headers.get("state-history") if response.status == 200 else None


def named(path):
    """Returns the revisions that the log of a server names as lost, and as appended again."""
    lost, again = set(), set()
    with open(path) as log:
        for kind, first, last in RANGE.findall(log.read()):
            (again if kind == "appended again" else lost).update(range(int(first), int(last or first) + 1))
    return lost, again


async def run_round(number, binary):
    kind = KINDS[number % len(KINDS)]
    primary = Database()
    standby = Standby(primary)
    standby.start()
    proxy = Proxy(primary.port)
    await proxy.start()
    logs = [f"{primary.directory}/server{index}.log" for index in range(2)]
    replicas = [
        Replica(binary, f"postgres://bindery@127.0.0.1:{port},127.0.0.1:{standby.port}/bindery", "--model", MODEL,
                log=open(log, "wb"))
        for port, log in zip((primary.port, proxy.port), logs)
    ]
    writers = Writers(replicas)
    try:
        await asyncio.gather(*(replica.run() for replica in replicas))
        before = await history(replicas[0])
        for index in (0, 1, 0, 1):
            if not await writers.append(index):
                sys.exit("promotion: a write was refused before the promotion")
        if kind == "synchronous":
            primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
            standby.wait_for("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", "1")
        if kind in ("detached", "replaced"):
            standby.detach()
        if kind == "replaced":
            proxy.accepts = False
            proxy.cut()
            for _ in range(20):
                if not await writers.append(0):
                    sys.exit("promotion: a write was refused before the promotion")
            replicas[0].signal(signal.SIGSTOP)
        async with asyncio.TaskGroup() as group:
            for index in (1,) if kind == "replaced" else (0, 0, 1, 1):
                group.create_task(writers.run(index))
            await asyncio.sleep(0.3)
            await asyncio.to_thread(primary.stop)
            await asyncio.to_thread(standby.promote)
            promoted = time.monotonic()
            count = len(writers.acknowledged)
            await until(lambda: writes_again(writers, count), "no write was acknowledged after the promotion")
            seconds = time.monotonic() - promoted
            replicas[0].signal(signal.SIGCONT)
            for index, replica in enumerate(replicas):
                await until(lambda: has_other_history(replica, before), f"server {index} has no new history")
            writers.is_ended = True
        lost, total = await check(kind, writers, logs)
        print(f"round {number + 1}, {kind}: {total} acknowledged, {lost} of them lost and named, writes after "
              f"{seconds:.2f} s", flush=True)
        return seconds
    except SystemExit:
        for log in logs:
            with open(log) as text:
                print(text.read(), file=sys.stderr)
        raise
    finally:
        for replica in replicas:
            replica.kill()
        proxy.stop()
        standby.stop()
        primary.remove()


async def writes_again(writers, count):
    return len(writers.acknowledged) > count


async def has_other_history(replica, before):
    return await history(replica) not in (None, before)


async def check(kind, writers, logs):
    """Checks what became of the acknowledged writes, and returns how many are lost, and how many there are."""
    responses = [
        await request(replica.port, "GET", "/state/log", {"Prefer": "read=newest"}) for replica in writers.replicas]
    contents = [json.loads(response.body) for response in responses]
    if contents[0] != contents[1]:
        sys.exit(f"promotion: the servers have different states: {contents}")
    if len(set(contents[0])) < len(contents[0]):
        sys.exit(f"promotion: a write was executed twice: {contents[0]}")
    missing = {value: where for value, where in writers.acknowledged.items() if value not in contents[0]}
    if kind == "synchronous" and missing:
        sys.exit(f"promotion: with a synchronous standby, acknowledged writes are lost: {missing}")
    if kind == "replaced" and not missing:
        sys.exit("promotion: the paused server has lost nothing, so this round tests nothing")
    for value, (index, (_, revision)) in missing.items():
        if revision not in named(logs[index])[0]:
            with open(logs[index]) as log:
                sys.exit(f"promotion: {value} at revision {revision} is lost and not named in the log: {log.read()}")
    if kind == "detached" and not any(named(log)[1] for log in logs):
        sys.exit("promotion: nothing was appended again, so this round tests nothing")
    return len(missing), len(writers.acknowledged)


async def main(binary, rounds):
    seconds = [await run_round(number, binary) for number in range(rounds)]
    print(f"promotion: passed, {rounds} rounds; writes again after {sorted(seconds)[rounds // 2]:.2f} s (median), "
          f"{max(seconds):.2f} s (maximum)")


# On SIGTERM, exit through the `finally` blocks, which stop the servers.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
asyncio.run(main(sys.argv[1], int(sys.argv[2])))
