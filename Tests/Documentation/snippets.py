"""Prints the Swift code of Markdown files as one source file. `scripts/docs` compiles it.

    snippets.py FILE…

Declarations are printed as they are, and statements in functions of their own, after the HTML comment before their block.
Blocks with macros are left out: `scripts/macros` compiles them.
"""

import re
import sys

import markdown

DECLARATION = re.compile(r"(@main|import|(public |private |final )*(struct|enum|extension|protocol|class|func)) ?", re.M)


def main():
    imports, code = ["import Bindery", "import FoundationEssentials"], []
    for path in sys.argv[1:]:
        for block in markdown.blocks(path):
            if block.language != "swift" or "@Editable" in block.text or block.text.startswith("."):
                continue
            lines = [line for line in block.lines if not line.startswith("import ")]
            imports += [line for line in block.lines if line.startswith("import ")]
            if DECLARATION.match(block.text.lstrip()):
                code += [line for line in lines if line != "@main"]
            else:
                code += [f"func snippet{len(code)}() async throws {{", block.context, *lines, "}"]
            code.append("")
    print("\n".join(dict.fromkeys(imports)), *code, sep="\n")


main()
