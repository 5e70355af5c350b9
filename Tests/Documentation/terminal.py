"""A shell whose output is compared with what an article shows."""

import os
import pathlib
import queue
import re
import signal
import subprocess
import sys
import threading
import time

# The time in seconds that a command and the rest of its output may take. The first build takes minutes.
COMMAND_LIMIT, BUILD_LIMIT = 60, 1_800
BUILD = re.compile(r"\b(swift|make|docker) (build|run|test|install)\b")

DID_NOT_END = "the command did not end. If it runs on, write <!-- terminal: NAME --> before its block, and show output in it"

# Without a terminal, curl shows its progress. Root needs no sudo.
PRELUDE = "set -m; curl() { command curl -sS \"$@\"; }; command -v sudo > /dev/null || sudo() { \"$@\"; }"

# What differs in each run: ids, times, days, ETags and ids of events, reconnection times, versions.
VARIABLE = [
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z",
    r"\d{4}-\d\d-\d\d",
    r"(?<=\")[\w-]{22}(?=\\?\")",
    r"(?<=^id: )[\w.~-]+",
    r"(?<=^retry: )\d+",
    r"(?<![\d.])\d+\.\d+\.\d+(?![\d.])",
]


def line_pattern(line):
    """Returns a regular expression for a line of output, in which `…` stands for any text."""
    pattern, position = "", 0
    for match in re.finditer("|".join(f"({part})" for part in [*VARIABLE, "…"]), line):
        pattern += re.escape(line[position:match.start()])
        pattern += ".*" if match[0] == "…" else f"(?:{VARIABLE[match.lastindex - 1]})"
        position = match.end()
    return pattern + re.escape(line[position:])


def output_pattern(lines):
    """Returns a regular expression for lines of output, in which a line `…` stands for any lines."""
    text = "".join("(?:.*\\n)*?" if line == "…" else line_pattern(line) + "\\n" for line in lines)
    return re.compile("^" + text, re.MULTILINE)


class Terminal:
    """A shell that runs one command after another."""

    def __init__(self, folder):
        self.shell = subprocess.Popen(
            ["bash"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace")
        self.lines = queue.Queue()
        threading.Thread(target=lambda: [self.lines.put(line) for line in self.shell.stdout], daemon=True).start()
        self.number = 0
        self.is_running = self.has_background = False
        self.run(PRELUDE, [])

    @property
    def folder(self):
        return pathlib.Path(os.readlink(f"/proc/{self.shell.pid}/cwd"))

    def run(self, command, expected, exit_code=0, stays=False):
        """Runs a command, and waits for its expected output, and for its end unless it stays in the foreground."""
        self.interrupt()
        self.number += 1
        self.command, self.output, self.exit_code = command, "", None
        self.is_running = True
        self.has_background |= command.endswith("&")
        # The standard input of the shell has the next commands, so the command gets another one.
        self.shell.stdin.write(f"{{ {command}\n}} < /dev/null\necho '{self.end}'$?\n")
        self.shell.stdin.flush()
        if not stays:
            self.wait(lambda: self.exit_code is not None, expected, DID_NOT_END)
            # Commands that are killed in the background report it.
            if self.exit_code != exit_code and not command.startswith("kill"):
                self.fail(expected, f"expected the exit code {exit_code}, got {self.exit_code}")
        self.expect(expected, is_whole=not stays and not self.has_background)

    def expect(self, expected, is_whole=False):
        """Waits for output, which may be all that the command printed."""
        pattern = output_pattern(expected)
        if expected and is_whole:
            if not pattern.fullmatch(self.output.rstrip("\n") + "\n"):
                self.fail(expected, "the output differs")
        else:
            may_continue = lambda: self.is_running or self.has_background
            self.wait(lambda: pattern.search(self.output) or not may_continue(), expected, "the output differs")
            match = pattern.search(self.output) or self.fail(expected, "the output differs")
            self.output = self.output[match.end():]

    def wait(self, condition, expected, reason):
        limit = time.monotonic() + (BUILD_LIMIT if BUILD.search(self.command) else COMMAND_LIMIT)
        while not condition():
            try:
                line = self.lines.get(timeout=max(0.1, limit - time.monotonic()))
            except queue.Empty:
                self.fail(expected, reason)
            before, marker, after = line.partition(self.end)
            self.output += before.replace("\r", "")
            if marker:
                self.exit_code, self.is_running = int(after), False

    def interrupt(self):
        """Does what Ctrl-C does if a command is in the foreground."""
        if self.is_running:
            self.signal(signal.SIGINT)
            self.wait(lambda: not self.is_running, [], "Ctrl-C did not end the command")

    def signal(self, number):
        """Sends a signal to all commands; each has a process group of its own."""
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                # After the name, which may contain spaces: the state, the parent and the process group.
                _, parent, group = path.read_text().rpartition(")")[2].split()[:3]
                if int(parent) == self.shell.pid:
                    os.killpg(int(group), number)
            except OSError:
                continue

    def close(self):
        self.shell.stdin.close()
        self.signal(signal.SIGTERM)
        self.shell.wait(timeout=30)

    @property
    def end(self):
        return f"END OF COMMAND {self.number}: "

    def fail(self, expected, reason):
        shown = "\n  ".join(expected)
        print(f"  ✗ {self.command}\n{reason}\nexpected:\n  {shown}\ngot:\n{self.output}", file=sys.stderr)
        raise SystemExit(1)
