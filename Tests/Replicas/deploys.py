"""Deploys a newer model while servers with an older one run, and starts servers on a database whose clock is ahead."""

import asyncio
import http.client
import json
import subprocess
import sys
import time
from pathlib import Path

from cluster import MODEL, START_LIMIT_S, Replica

NEWER_MODEL = Path(__file__).with_name("registers-2.model.json")
DAYS_AHEAD = 3


def fail(message):
    sys.exit(f"replicas: {message}")


async def until(condition, what):
    end = time.monotonic() + START_LIMIT_S
    while not await asyncio.to_thread(condition):
        if time.monotonic() > end:
            fail(f"{what} within {START_LIMIT_S} seconds")
        await asyncio.sleep(0.02)


def write(replica, path, value):
    return replica.request("PATCH", f"/state{path}", json.dumps(value), {"Content-Type": "application/json"})


def read(replica, path):
    return json.loads(replica.request("GET", f"/state{path}")[2])


def readiness(replica):
    try:
        status, _, body = replica.request("GET", "/readyz")
    except (OSError, http.client.HTTPException):
        return 0, ""
    return status, body


async def deploy(cluster, binary):
    """Replaces servers with an older model by servers with a newer one, which has one more member."""
    await cluster.run()
    url = cluster.database.url
    newer = [Replica(binary, url, "--model", NEWER_MODEL) for _ in range(2)]
    try:
        await asyncio.gather(*(replica.run() for replica in newer))
        await asyncio.to_thread(check_deploy, cluster.replicas, newer)
        for replica in cluster.replicas:
            await until(lambda: readiness(replica)[0] == 503, "a server with an older model is ready")
            if "newer model" not in readiness(replica)[1]:
                fail(f"/readyz does not say why: {readiness(replica)}")
            if read(replica, "/b") != "older":
                fail("a server with an older model has lost its state")
        await asyncio.to_thread(roll_back, binary, url, newer)
    finally:
        for replica in newer:
            replica.kill()
    # The older model serves again, with its own members. The proxies need this thread.
    await asyncio.gather(*(replica.run() for replica in cluster.replicas))
    status, _, body = await asyncio.to_thread(write, cluster.replicas[0], "/a", "again")
    if status != 200:
        fail(f"the older model cannot write after its state was imported: {status} {body}")
    print("deploy: a newer model fences off the older one, until its state is imported", flush=True)


def check_deploy(older, newer):
    # Until the newer model writes, both models can.
    if write(older[0], "/b", "older")[0] != 200:
        fail("a server with an older model cannot write, although no newer one has written")
    status, headers, body = newer[0].request("GET", "/state/b", headers={"Prefer": "read=newest"})
    if (status, body) != (200, '"older"\n'):
        fail(f"a server with a newer model does not follow an older one: {status} {body}")
    for replica in older:
        seen = {name: headers[name] for name in ("State-Revision", "State-History")}
        if replica.request("GET", "/state/b", headers=seen)[2] != '"older"\n':
            fail("a server with an older model does not follow another one")
    status, _, body = write(newer[1], "/note", "newer")
    if status != 200:
        fail(f"a server with a newer model cannot write: {status} {body}")
    for replica in older:
        status, _, body = write(replica, "/b", "later")
        if status != 503 or "newer model" not in body:
            fail(f"a server with an older model has written: {status} {body}")
    if write(newer[0], "/b", "newer")[0] != 200 or read(newer[0], "/note") != "newer":
        fail("a server with a newer model does not work")


def roll_back(binary, url, newer):
    """Goes back to the older model, as docs/OPERATIONS.md describes."""
    start = subprocess.run(
        [binary, "serve", "--store", url, "--model", MODEL, "--listen", "127.0.0.1:0"], capture_output=True, text=True,
        timeout=START_LIMIT_S)
    if start.returncode != 78 or "start that version" not in start.stderr:
        fail(f"an older model can start: {start.returncode} {start.stderr}")
    for replica in newer:
        replica.stop()
    exported = subprocess.run(
        [binary, "export", "--store", url, "--model", NEWER_MODEL], capture_output=True, text=True, check=True).stdout
    state = {name: value for name, value in json.loads(exported).items() if name != "note"}
    subprocess.run(
        [binary, "import", "--store", url, "--model", MODEL], input=json.dumps(state), text=True, check=True,
        stderr=subprocess.DEVNULL)


async def share_today(cluster, binary):
    """Starts the menu with a database whose clock is some days ahead of that of this machine."""
    database = cluster.database
    database.query("CREATE DATABASE ahead")
    url = database.url.rsplit("/", 1)[0] + "/ahead"
    psql = ["psql", "-qAt", "-d", url, "-c"]
    subprocess.run(
        [*psql, f"""CREATE SCHEMA ahead;
        CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
        $$ SELECT pg_catalog.clock_timestamp() + interval '{DAYS_AHEAD} days' $$"""], check=True,
        stdin=subprocess.DEVNULL)
    replica = Replica(
        binary, url + "?options=-csearch_path%3Dahead,pg_catalog", "--time-zone", "UTC")

    def day():
        query = f"SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date + {DAYS_AHEAD}"
        return subprocess.run(
            [*psql, query], check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout.strip()

    try:
        before = day()
        await replica.run()
        shown = (read(replica, "/today"), read(replica, "/selectedDay"))
        if any(date not in (before, day()) for date in shown):
            fail(f"the menu shows {shown} instead of the day of the database, {before}")
    finally:
        replica.kill()
    other = await asyncio.to_thread(lambda: subprocess.run(
        [binary, "serve", "--store", url, "--time-zone", "Asia/Tokyo", "--listen", "127.0.0.1:0"], capture_output=True,
        text=True, timeout=START_LIMIT_S))
    if other.returncode != 78 or "have --time-zone UTC, and this one --time-zone Asia/Tokyo" not in other.stderr:
        fail(f"a server with another time zone starts: {other.returncode} {other.stderr}")
    print("today: all servers show the day of the database", flush=True)
