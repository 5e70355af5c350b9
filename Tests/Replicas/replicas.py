"""Checks what servers that share one database promise while connections and processes fail; see histories.py.

With `--ignore`, requests lack the header field that asks for a promise, which is checked nevertheless: the program must
find that it is broken.
"""

import argparse
import asyncio
import http.client
import json
import random
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True

from cluster import MODEL, START_LIMIT_S, Cluster
from deploys import deploy, share_today
from faults import Faults
from histories import Failure, History
from hops import Hops
from linearizability import NEVER

IGNORABLE = {
    "newest": "Prefer", "seen": "State-Revision", "condition": "If-Match", "key": "Idempotency-Key",
    "cursor": "Last-Event-ID",
}


def failures(error):
    """Returns the reasons of a group of exceptions."""
    if isinstance(error, BaseExceptionGroup):
        return [reason for inner in error.exceptions for reason in failures(inner)]
    if not isinstance(error, Failure):
        raise error
    return [str(error)]


async def run_history(cluster, number, count, seed, ignored=()):
    """Runs one history, and returns the promises that are broken."""
    history = History(cluster, number, count, f"{seed} {number}", ignored)
    faults = Faults(cluster, f"{seed} {number} faults")
    start = time.monotonic()
    try:
        connections = await history.run(faults)
    except (Failure, BaseExceptionGroup) as error:
        return history, failures(error)
    unknown = sum(operation.end == NEVER for operations in history.operations.values() for operation in operations)
    print(
        f"history {number}: {count} operations, {unknown} of unknown outcome, {faults.count} faults, "
        f"{connections} connections of streams, {time.monotonic() - start:.1f} s", flush=True)
    return history, []


async def replace_state(cluster, binary):
    """Imports another state. All servers must serve it under a new history, in the same process."""
    await cluster.run()
    processes = [replica.process for replica in cluster.replicas]
    _, headers, state = await asyncio.to_thread(lambda: cluster.replicas[0].request("GET", "/state?stored"))
    imported = json.dumps({**json.loads(state), "a": "imported"}).encode()
    await asyncio.to_thread(lambda: subprocess.run(
        [binary, "import", "--store", cluster.database.url, "--model", MODEL], input=imported, check=True,
        stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL))
    end = time.monotonic() + START_LIMIT_S
    for replica, process in zip(cluster.replicas, processes):
        while not await asyncio.to_thread(lambda: has_imported(replica, headers["State-History"])):
            if process.poll() is not None:
                sys.exit(f"replicas: a server exited with code {process.returncode} after an import")
            if time.monotonic() > end:
                sys.exit(f"replicas: a server does not serve the imported state after {START_LIMIT_S} seconds")
            await asyncio.sleep(0.02)
    print("import: all servers serve the imported state", flush=True)


def has_imported(replica, history):
    try:
        status, headers, body = replica.request("GET", "/state/a")
    except (OSError, http.client.HTTPException):
        return False
    return status == 200 and headers["State-History"] != history and json.loads(body) == "imported"


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--histories", type=int, default=3)
    parser.add_argument("--operations", type=int, default=150)
    parser.add_argument("--hops", type=int, default=2_000, help="number of connections of streams that change servers")
    parser.add_argument("--seed", default=str(random.randrange(1_000_000)))
    parser.add_argument("--ignore", choices=IGNORABLE, action="append", default=[])
    options = parser.parse_args()
    ignored = {IGNORABLE[name] for name in options.ignore}
    cluster = Cluster()
    try:
        await cluster.start(options.binary)
        for number in range(1, options.histories + 1):
            history, reasons = await run_history(cluster, number, options.operations, options.seed, ignored)
            if reasons and ignored:
                return print(f"replicas: found without {', '.join(sorted(ignored))}: {'; '.join(reasons)}")
            if reasons:
                print(history.describe(), file=sys.stderr)
                sys.exit(f"replicas: history {number} with --seed {options.seed}: {'; '.join(reasons)}")
        if ignored:
            sys.exit(f"replicas: nothing found without {', '.join(sorted(ignored))}")
        if options.hops:
            try:
                await Hops(cluster, options.hops).run()
            except BaseExceptionGroup as error:
                sys.exit(f"replicas: {'; '.join(sorted(set(failures(error))))}")
        await replace_state(cluster, options.binary)
        await share_today(cluster, options.binary)
        await deploy(cluster, options.binary)
    finally:
        cluster.stop()
    print("replicas: passed")


# On SIGTERM, exit through the `finally` blocks, which stop the servers.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
asyncio.run(main())
