"""Follows a tutorial: writes its files, runs its commands, and compares their output. `scripts/tutorial` calls it.

    tutorial.py ARTICLE FOLDER PORT CACHE [--container]

A Swift block after a line such as `Package.swift:` is a file. A `console` block has commands, after `$ `, and lines of
their output, in which `…` stands for any text, and on a line of its own for any lines. Commands that end with `&` run in
the background; their output may appear later. Blocks for containers need `--container`. The port 8081 is replaced, and the
build folder of the package is a link to CACHE, so that repeated runs are short.
"""

import os
import pathlib
import queue
import re
import subprocess
import sys
import threading
import time

import markdown

# The time that a command, and the rest of its output, may take, in seconds. The first build takes minutes.
LIMIT = 1_800

# Terminals show no progress of curl, and root needs no sudo.
PRELUDE = "set -m; curl() { command curl -sS \"$@\"; }; command -v sudo > /dev/null || sudo() { \"$@\"; }"


class Session:
    """A shell whose output is collected."""

    def __init__(self, folder):
        self.shell = subprocess.Popen(
            ["bash"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=lambda: [self.lines.put(line) for line in self.shell.stdout], daemon=True).start()
        self.number = 0
        self.run(PRELUDE, [])

    def run(self, command, expected):
        """Runs a command and waits for its end and for its expected output."""
        self.number += 1
        end = f"END OF COMMAND {self.number}: "
        self.shell.stdin.write(f"{command}\necho '{end}'$?\n")
        self.shell.stdin.flush()
        pattern = output_pattern(expected)
        output, code = "", None
        limit = time.monotonic() + LIMIT
        while code is None or not pattern.search(output):
            try:
                line = self.lines.get(timeout=max(0.1, limit - time.monotonic()))
            except queue.Empty:
                fail(command, expected, output, "the expected output did not appear")
            before, marker, after = line.partition(end)
            output += before
            if marker:
                code = int(after)
                # Only output of the background can follow. An event stream never ends, so that is limited in time.
                limit = time.monotonic() + 30
                if code != 0 and not command.startswith("kill"):
                    fail(command, expected, output, f"the command failed with exit code {code}")
        print(f"  ✓ {command}", flush=True)

    def close(self):
        self.shell.stdin.write("kill $(jobs -p) 2> /dev/null\n")
        self.shell.stdin.close()
        self.shell.wait(timeout=30)


def output_pattern(expected):
    lines = ["(?:.*\\n)*?" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + "\\n" for line in expected]
    return re.compile("^" + "".join(lines), re.MULTILINE)


def fail(command, expected, output, reason):
    print(f"  ✗ {command}\n{reason}\nexpected:\n  " + "\n  ".join(expected) + "\ngot:\n" + output, file=sys.stderr)
    os._exit(1)


def commands(block):
    """Returns the commands of a block with their output. A command continues after a line that ends with a backslash."""
    found = []
    for line in block.lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0] + "\n" + line, [])
        elif found:
            found[-1][1].append(line)
    return found


def main():
    article, folder, port, cache = sys.argv[1:5]
    package = pathlib.Path(folder, "Counter")
    session = Session(folder)
    for block in markdown.blocks(article):
        block.lines = [line.replace("8081", port) for line in block.lines]
        if block.language == "swift" and block.title:
            path = package / block.title
            path.write_text(block.text)
            print(f"  ✓ {block.title}", flush=True)
            if block.title == "Package.swift":
                (package / ".build").symlink_to(cache)
        elif block.language == "console" or (block.language == "console container" and "--container" in sys.argv):
            for command, expected in commands(block):
                session.run(command, expected)
    session.close()


main()
