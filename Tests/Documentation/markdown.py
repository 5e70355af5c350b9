"""Code blocks in Markdown files."""

import pathlib
import re


class Block:
    """A fenced code block.

    `title` is the line of text before it without its colon, such as the path of a file; `context` is the HTML comment
    before it, which readers do not see.
    """

    def __init__(self, language, lines, title, context):
        self.language, self.lines, self.title, self.context = language, lines, title, context

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"


def blocks(path):
    """Returns the code blocks of a file, in order."""
    found, previous, context = [], "", ""
    lines = iter(pathlib.Path(path).read_text().splitlines())
    for line in lines:
        if line.startswith("```"):
            code = []
            for part in lines:
                if part.startswith("```"):
                    break
                code.append(part)
            title = previous[:-1] if re.fullmatch(r"[\w-]*[./][\w./-]+:", previous) else ""
            found.append(Block(line[3:].strip(), code, title, context))
            previous = context = ""
        elif match := re.fullmatch(r"<!-- (.*) -->", line):
            context = match[1]
        elif line.strip():
            previous = line.strip()
    return found
