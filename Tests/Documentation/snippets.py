"""Prints the Swift code of Markdown files as one source file. `scripts/docs` compiles it.

    snippets.py [--macros] FILE…

Declarations are printed as they are, and statements in functions of their own, after the HTML comment before their block.
Parts of package manifests are left out, and so are blocks with macros; `--macros` prints only these.
"""

import re
import sys

import markdown

DECLARATION = re.compile(r"(@main|@Editable|import|(public |private |final )*(struct|enum|extension|protocol|class|func)) ?", re.M)


def main():
    imports, code = ["import Bindery", "import FoundationEssentials"], []
    with_macros = sys.argv[1] == "--macros"
    for path in sys.argv[2 if with_macros else 1:]:
        for block in markdown.blocks(path):
            if block.language != "swift" or ("@Editable" in block.text) != with_macros or ".package(" in block.text:
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
