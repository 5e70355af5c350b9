"""Counts the instructions of servers in user space with callgrind."""

import itertools
import re
from pathlib import Path

from servers import BUILT, Server, exchange, log, run_build


def callgrind(output):
    """The command prefix that counts instructions with callgrind."""
    return ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}"]


def instruction_count(output):
    """The total number of instructions in a callgrind profile."""
    return int(re.search(r"^(?:totals|summary): (\d+)", Path(output).read_text(), re.M).group(1))


def profile():
    """The command prefix that counts the instructions of a server, and a function that returns those of each thread
    since its last call for that server."""
    output = BUILT / "callgrind.out"
    for old in BUILT.glob("callgrind.out*"):
        old.unlink()
    numbers = itertools.count(1)

    def counted(server):
        run_build(["callgrind_control", "--dump", str(server.process.pid)])
        dumps = BUILT.glob(f"callgrind.out.{next(numbers)}-*")
        return {dump.name.rsplit("-")[-1]: instruction_count(dump) for dump in dumps}

    return [*callgrind(output), "--separate-threads=yes"], counted


def instructions(peer, method, path, body):
    """The user-space instructions per request.

    The difference of two runs of different length cancels out startup and shutdown.
    """
    output = BUILT / "callgrind.out"
    totals = []
    for count in (1000, 3000):
        log(f"callgrind: {peer.name}, {count} × {method}")
        with Server(peer, callgrind(output)) as server:
            exchange(server.port, count, method, path, body)
        totals.append(instruction_count(output))
    return (totals[1] - totals[0]) / 2000
