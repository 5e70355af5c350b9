"""Event streams that move from server to server after each event or silence."""

import asyncio
import random
import time

from client import NotSent, events, request
from cluster import REPLICAS
from histories import Failure

SUBSCRIBERS = 48
# The time that a stream stays on a server that sends nothing, in seconds.
SILENCE_S = 0.1
FINAL_LIMIT_S = 20


class Hops:
    """Subscribers of a number that rises, whose servers are late, and whose connections to the database break."""

    def __init__(self, cluster, count):
        self.cluster, self.count, self.hops, self.events = cluster, count, 0, 0
        self.last, self.is_final = 0, False

    async def write(self):
        """Writes rising numbers, on all servers in turn, until the subscribers have made all their connections."""
        number, index = 1_000_000, 0
        while self.hops < self.count:
            index = (index + 1) % REPLICAS
            number += 1
            await self.put(index, number)
            await asyncio.sleep(0.002)
        self.last = number + 1
        while await self.put(0, self.last) != 200:
            await asyncio.sleep(0.1)
        self.is_final = True

    async def put(self, index, number):
        try:
            return (await request(self.cluster.replicas[index].port, "PUT", "/state/count", {}, b"%d" % number)).status
        except (NotSent, OSError, EOFError, TimeoutError):
            return None

    async def disturb(self):
        """Delays one server, and sometimes cuts its connections."""
        while not self.is_final:
            proxy = random.choice(self.cluster.proxies)
            proxy.delay = random.choice([0.001, 0.003, 0.01])
            await asyncio.sleep(0.2)
            proxy.heal()
            if random.random() < 0.2:
                proxy.cut()

    async def subscribe(self):
        cursor, revision, value, end = None, -1, -1, None
        while not self.is_final or value != self.last:
            if self.is_final:
                end = end or time.monotonic() + FINAL_LIMIT_S
                if time.monotonic() > end:
                    raise Failure(f"a stream did not send the last value {self.last}, but {value}")
            index = random.randrange(REPLICAS)
            try:
                async with asyncio.timeout(SILENCE_S):
                    async for identifier, found in events(self.cluster.replicas[index].port, "/state/count", cursor):
                        if int(identifier.split("~")[1]) <= revision or found <= value:
                            raise Failure(
                                f"a stream that had sent {value} at revision {revision} sent {found}, id {identifier}")
                        cursor, revision, value = identifier, int(identifier.split("~")[1]), found
                        self.events += 1
                        if random.random() < 0.8:
                            break
            except (NotSent, OSError, EOFError, TimeoutError):
                pass
            self.hops += 1

    async def run(self):
        start = time.monotonic()
        await self.cluster.run()
        async with asyncio.TaskGroup() as group:
            group.create_task(self.write())
            group.create_task(self.disturb())
            for _ in range(SUBSCRIBERS):
                group.create_task(self.subscribe())
        seconds = time.monotonic() - start
        print(
            f"hops: {self.hops:,} connections of {SUBSCRIBERS} streams, {self.events:,} events of "
            f"{self.last - 1_000_000:,} writes, {seconds:.1f} s", flush=True)
