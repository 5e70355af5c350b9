"""What a PATCH over HTTP costs as the list of dishes grows."""

import contextlib
import statistics

from servers import BINDERY, Server, add_dishes, load, run_build, say

DISHES = [100, 10_000, 1_000_000]
# Those that are there at the start.
SEEDED = 4
CONNECTIONS = 32


def measure(is_short):
    """Prints the CPU of a PATCH of one dish again and again, and of any dish, for lists of growing length."""
    run_build(BINDERY.build)
    rounds, seconds = (3, 2) if is_short else (5, 4)
    with contextlib.ExitStack() as stack:
        servers = {}
        for dishes in DISHES:
            say(f"a list of {dishes:,} dishes")
            servers[dishes] = stack.enter_context(Server(BINDERY))
            add_dishes(servers[dishes], range(SEEDED, dishes))
        results = {}
        for round_number in range(rounds):
            for dishes, server in servers.items():
                say(f"round {round_number + 1}/{rounds}: PATCH among {dishes:,}")
                for among in (None, dishes):
                    results.setdefault((dishes, among), []).append(
                        load(server, "PATCH", seconds, CONNECTIONS, among=among).cpu_us)
    print(f"\n| dishes | CPU µs/PATCH of one dish | × {DISHES[0]} dishes | of any dish | × {DISHES[0]} dishes |")
    print("|---:|---:|---:|---:|---:|")
    median = {key: statistics.median(column) for key, column in results.items()}
    for dishes in DISHES:
        one, any_one = median[dishes, None], median[dishes, dishes]
        print(f"| {dishes:,} | {one:.2f} | {one / median[DISHES[0], None]:.2f} "
              f"| {any_one:.2f} | {any_one / median[DISHES[0], DISHES[0]]:.2f} |")
