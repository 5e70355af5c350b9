"""Measures the cost of a PATCH over HTTP for lists of growing length."""

import contextlib
import statistics

from servers import BINDERY, INITIAL_DISHES, Server, add_dishes, load, log, run_build

DISHES = [100, 10_000, 1_000_000]
CONNECTIONS = 32


def measure(is_short):
    """Prints the CPU time of a PATCH of one dish repeatedly, and of random dishes, for lists of growing length."""
    run_build(BINDERY.build)
    rounds, seconds = (3, 2) if is_short else (5, 4)
    with contextlib.ExitStack() as stack:
        servers = {}
        for dishes in DISHES:
            log(f"creating a list of {dishes:,} dishes")
            servers[dishes] = stack.enter_context(Server(BINDERY))
            add_dishes(servers[dishes], range(INITIAL_DISHES, dishes))
        results = {}
        for round_number in range(rounds):
            for dishes, server in servers.items():
                log(f"round {round_number + 1}/{rounds}: PATCH in a list of {dishes:,}")
                for random_among in (None, dishes):
                    results.setdefault((dishes, random_among), []).append(
                        load(server, "PATCH", seconds, CONNECTIONS, random_among=random_among).cpu_us)
    print(f"\n| dishes | CPU µs/PATCH, one dish | × {DISHES[0]} dishes "
          f"| CPU µs/PATCH, random dishes | × {DISHES[0]} dishes |")
    print("|---:|---:|---:|---:|---:|")
    median = {key: statistics.median(column) for key, column in results.items()}
    for dishes in DISHES:
        one, random_one = median[dishes, None], median[dishes, dishes]
        print(f"| {dishes:,} | {one:.2f} | {one / median[DISHES[0], None]:.2f} "
              f"| {random_one:.2f} | {random_one / median[DISHES[0], DISHES[0]]:.2f} |")
