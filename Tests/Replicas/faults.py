"""Faults of connections, of servers and of the database."""

import asyncio
import random
import signal

from cluster import REPLICAS


class Faults:
    """Breaks and repairs connections and processes until it is stopped."""

    def __init__(self, cluster, seed):
        self.cluster, self.random = cluster, random.Random(seed)
        self.stopped, self.count = asyncio.Event(), 0

    def stop(self):
        self.stopped.set()

    async def run(self):
        """Breaks one connection and one process at a time. Everything but the proxies is repaired in the end."""
        await asyncio.gather(
            self.repeat([self.cut, self.lose_answers, self.black_hole, self.strand, self.delay]),
            self.repeat([self.kill, self.pause, self.restart_database]))

    async def repeat(self, faults):
        while not self.stopped.is_set():
            await self.wait(self.random.uniform(0, 0.4))
            self.count += 1
            await self.random.choice(faults)(self.random.randrange(REPLICAS))
            for replica in self.cluster.replicas:
                # A server that cannot reach the database when it starts exits.
                replica.start()

    async def wait(self, seconds):
        """Waits for a time, or until the faults are to end."""
        try:
            await asyncio.wait_for(self.stopped.wait(), seconds)
        except TimeoutError:
            pass

    async def cut(self, index):
        self.cluster.proxies[index].cut()

    async def lose_answers(self, index):
        """Lets the database execute what it gets, and then breaks the connections."""
        proxy = self.cluster.proxies[index]
        proxy.passes["from"].clear()
        await self.wait(self.random.uniform(0, 1))
        proxy.cut()
        proxy.heal()

    async def black_hole(self, index):
        proxy = self.cluster.proxies[index]
        for direction in self.random.choice([["to"], ["from"], ["to", "from"]]):
            proxy.passes[direction].clear()
        await self.wait(self.random.choice([0.2, 1, 3]))
        proxy.heal()

    async def strand(self, index):
        """Lets statements of a connection arrive after the server has given it up and has used another one."""
        stranded = self.cluster.proxies[index].strand()
        await self.wait(self.random.uniform(2, 4))
        for event in stranded:
            event.set()

    async def delay(self, index):
        proxy = self.cluster.proxies[index]
        proxy.delay = self.random.choice([0.01, 0.1, 0.5])
        await self.wait(self.random.uniform(0, 1))
        proxy.heal()

    async def kill(self, index):
        await asyncio.to_thread(self.cluster.replicas[index].kill)
        await self.wait(self.random.uniform(0, 0.2))
        self.cluster.replicas[index].start()

    async def pause(self, index):
        self.cluster.replicas[index].signal(signal.SIGSTOP)
        await self.wait(self.random.choice([0.1, 0.5, 2]))
        self.cluster.replicas[index].signal(signal.SIGCONT)

    async def restart_database(self, _):
        await asyncio.to_thread(self.cluster.database.stop)
        await self.wait(self.random.choice([0, 0.5, 2]))
        await asyncio.to_thread(self.cluster.database.start)
