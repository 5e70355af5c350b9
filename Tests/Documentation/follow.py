"""Follows articles: writes their files, runs their commands in order, and compares their output. `scripts/tutorial` and
`scripts/readme` call it.

    follow.py FOLDER ARTICLE… [--cache FOLDER] [--container]

A block after a line such as `Package.swift:` is a file. A `console` block has commands, after `$ `, and lines of their
output, in which `…` stands for any text, and on a line of its own for any lines; see `terminal.py` for what may differ. The
lines of an `sh` block are commands. An HTML comment before a block, which readers do not see, says how to run it, in one or
several of these forms, separated by semicolons:

    <!-- terminal: NAME -->    in a terminal of its own, where the last command may stay in the foreground after the output
                               that is shown. The next command there stops it with Ctrl-C, and a block without a command
                               is more of its output.
    <!-- exit code: 78 -->     its last command fails
    <!-- container -->         only with --container, as blocks that call `docker`, which must then be a command
    <!-- not run: REASON -->   elsewhere or never

Ports are replaced by free ones. The build folder of a package is a link to the cache, so that repeated runs are short.
"""

import argparse
import atexit
import os
import pathlib
import re
import socket
import sys

import markdown
from terminal import Terminal

ATTRIBUTE = re.compile(r"(terminal|exit code|not run): (.+)|(container)")


def commands(block):
    """Returns the commands of a block with their output. A command continues after a backslash or inside quotes."""
    if block.language == "sh":
        return [(block.text.rstrip(), [])]
    found = []
    for line in block.lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and (found[-1][0].endswith("\\") or is_open(found[-1][0])):
            found[-1] = (found[-1][0] + "\n" + line, [])
        elif found:
            found[-1][1].append(line)
        elif line.strip() and "terminal" not in block.attributes:
            sys.exit(f"✗ a console block without a command, and not in a terminal of its own: {line}")
    return [(command, trim(output)) for command, output in found]


def is_open(command):
    """Returns whether a single quote is open, as in a JSON body of several lines."""
    return re.sub(r"\"[^\"']*\"|\s#.*", "", command).count("'") % 2 == 1


def trim(lines):
    """Removes empty lines at the end, which separate commands."""
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


class Ports:
    """Replaces the ports of an article by free ones."""

    def __init__(self):
        self.numbers = {}

    def replacing(self, line):
        return re.sub(r"(?<=[: ])80[89]\d\b", lambda match: self.number(match[0]), line)

    def number(self, shown):
        if shown not in self.numbers:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                self.numbers[shown] = str(free.getsockname()[1])
        return self.numbers[shown]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("articles", nargs="+")
    parser.add_argument("--cache")
    parser.add_argument("--container", action="store_true")
    options = parser.parse_args()
    ports = Ports()
    # The default address of `bindery`.
    os.environ["BINDERY_LISTEN"] = "127.0.0.1:" + ports.number("8080")
    terminals = {}

    def terminal(name):
        if name not in terminals:
            terminals[name] = Terminal(options.folder)
            atexit.register(terminals[name].close)
        return terminals[name]

    for block in (block for article in options.articles for block in markdown.blocks(article)):
        if block.title:
            path = terminal("").folder / block.title
            path.write_text(block.text)
            print(f"  ✓ {block.title}", flush=True)
            if path.name == "Package.swift" and options.cache:
                (path.parent / ".build").symlink_to(options.cache)
        elif block.language in ("console", "sh"):
            block.lines = [ports.replacing(line) for line in block.lines]
            run(block, terminal, options)


def run(block, terminal, options):
    block.attributes = {}
    for part in filter(None, block.context.split("; ")):
        match = ATTRIBUTE.fullmatch(part) or sys.exit(f"✗ unknown comment before a block: {part}")
        block.attributes[match[1] or match[3]] = match[2]
    found = commands(block)
    needs_container = "container" in block.attributes or any(command.startswith("docker ") for command, _ in found)
    if "not run" in block.attributes or (needs_container and not options.container):
        for command, _ in found:
            print(f"  – {command}: {block.attributes.get('not run') or 'only with --container'}", flush=True)
        return
    name = block.attributes.get("terminal", "")
    if not found:
        terminal(name).expect(trim(block.lines))
        print(f"  ✓ {block.lines[0]} …", flush=True)
    for index, (command, expected) in enumerate(found):
        is_last = index == len(found) - 1
        code = int(block.attributes.get("exit code", 0)) if is_last else 0
        terminal(name).run(command, expected, exit_code=code, stays=bool(name and is_last and expected))
        print(f"  ✓ {command}", flush=True)


main()
