"""Measures import, startup and export with a list of a million dishes, also of another build in the same rounds."""

import os
import statistics
import subprocess
import tempfile
from pathlib import Path

import large
from servers import BINDERY, PROGRAM, SERVER_CORE, Peer, Server, exchange, log, rotated, run_build

ROWS = ["import", "startup", "`GET` of the list", "export"]


def measure(is_short, other):
    """Prints the CPU time and the memory of this build and, if `other` is the path of a program, of that build."""
    run_build(BINDERY.build)
    programs = {"this build": PROGRAM, **({"other build": Path(other)} if other else {})}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        text = Path(folder, "exported.json")
        log(f"creating a list of {large.DISHES:,} dishes")
        with text.open("wb") as output:
            subprocess.run([PROGRAM, "export", "--store", large.fill(Path(folder))], check=True, stdout=output)
        results = {}
        for round_number in range(1 if is_short else 5):
            for name in rotated(list(programs), round_number):
                log(f"round {round_number + 1}: {name}")
                results.setdefault(name, []).append(round_of(programs[name], folder, text))
    print_results(results)


def round_of(program, folder, text):
    """The CPU seconds of each row, and the resident and the maximum memory of the server in MiB."""
    store = Path(folder, "round.db")
    result = {"import": cpu_s([program, "import", "--store", store, text])}
    command = [program, "serve", "--store", store, "--threads", "1", "--listen", "127.0.0.1:{port}"]
    with Server(Peer("bindery", command), start_limit_s=large.START_LIMIT_S) as server:
        result |= {"startup": server.cpu_s(), "memory": server.resident_mib, "peak": server.peak_kib() / 1024}
        exchange(server.port, 1, "GET", large.LIST)
        result["`GET` of the list"] = server.cpu_s() - result["startup"]
    result["export"] = cpu_s([program, "export", "--store", store])
    for file in Path(folder).glob("round.db*"):
        file.unlink()
    return result


def cpu_s(command):
    """Runs a command and returns its CPU time in seconds."""
    process = subprocess.Popen(
        ["taskset", "-c", str(SERVER_CORE), *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command[1]} exited with code {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def print_results(results):
    names = list(results)
    ratio_head, ratio_line = (" ratio |", "---:|") if len(names) == 2 else ("", "")
    print(f"\n| {large.DISHES:,} dishes | {' | '.join(names)} |{ratio_head}")
    print("|---|" + "---:|" * len(names) + ratio_line)
    rows = [(row, f"{row}, CPU s", ".2f") for row in ROWS]
    rows += [("memory", "memory at rest, MiB", ",.0f"), ("peak", "maximum memory at startup, MiB", ",.0f")]
    for key, label, form in rows:
        cells = [format(statistics.median(round[key] for round in results[name]), form) for name in names]
        if len(names) == 2:
            pairs = zip(*(results[name] for name in names))
            cells.append(f"{statistics.median(this[key] / other[key] for this, other in pairs):.2f}")
        print(f"| {label} | " + " | ".join(cells) + " |", flush=True)
