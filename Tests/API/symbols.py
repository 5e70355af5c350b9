"""Lists and checks the public declarations in symbol graphs. `scripts/api` calls it.

    symbols.py list GRAPHS MODULE     prints one declaration per line, sorted
    symbols.py check GRAPHS NAMES     prints undocumented declarations, and names that other frameworks use
"""

import json
import pathlib
import re
import sys

# Conformances that every copyable type has, and those that others imply.
ALWAYS = {"Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"}
IMPLIED = ALWAYS | {"Sequence", "Collection", "BidirectionalCollection"}
# The modules whose documentation comments are checked. Others inherit theirs from Swift.
OWN = {None, "Bindery", "BinderyCore", "BinderyService", "BindingLaws"}
FUNCTIONS = {"swift.method", "swift.type.method", "swift.init", "swift.func"}


class Graph:
    """The symbol graph of a module, or of its extensions of another module."""

    def __init__(self, path, extended):
        content = json.loads(path.read_text())
        self.extended = extended
        self.symbols = {symbol["identifier"]["precise"]: symbol for symbol in content["symbols"]}
        self.relations = content["relationships"]
        self.owners = {relation["source"]: relation["target"] for relation in self.relations
                       if relation["kind"] in ("memberOf", "requirementOf")}
        self.defaults = {relation["source"] for relation in self.relations
                         if relation["kind"] == "defaultImplementationOf"}

    @staticmethod
    def all(folder, module):
        for path in sorted(pathlib.Path(folder).glob(f"{module}*.symbols.json")):
            name, _, extended = path.name.removesuffix(".symbols.json").partition("@")
            if name == module:
                yield Graph(path, extended)

    def path(self, identifier):
        """Returns the names of a type and of the types around it."""
        if identifier in self.symbols:
            return self.symbols[identifier]["pathComponents"]
        # A type of another module: its name is in the paths of its new members.
        member = next(symbol for source, symbol in self.symbols.items() if self.owners.get(source) == identifier)
        return [self.extended] + member["pathComponents"][:-1]

    def own_conditions(self, identifier):
        """Returns the conditions that the declaration of a type states itself."""
        symbol = self.symbols.get(identifier)
        generics = symbol.get("swiftGenerics", {}).get("constraints", []) if symbol else []
        return {condition(constraint) for constraint in generics}

    def where(self, constraints, owner):
        """Returns the clause for conditions that the declaration of the owner does not state."""
        own = self.own_conditions(owner)
        found = [condition(constraint) for constraint in constraints]
        found = [text for text in found if text not in own and text.split(": ")[-1] not in ALWAYS]
        return f' where {", ".join(found)}' if found else ""

    def conformances(self):
        """Returns the protocols of each type, with their conditions."""
        result = {}
        for relation in self.relations:
            if relation["kind"] != "conformsTo":
                continue
            target = self.symbols.get(relation["target"])
            name = target["pathComponents"][-1] if target else relation["targetFallback"].split(".")[-1]
            if name in IMPLIED or (self.extended and name == "Sendable"):
                continue
            where = self.where(relation.get("swiftConstraints", []), relation["source"])
            result.setdefault(relation["source"], {})[name] = where
        for protocols in result.values():
            for implied, others in {"Equatable": {"Hashable", "Comparable"}, "Sendable": {"Error", "Editable"},
                                    "Editable": {"StateModel"}}.items():
                if any(protocols.get(other) == protocols.get(implied) for other in others if other in protocols):
                    protocols.pop(implied, None)
        return result

    def lines(self):
        """Returns pairs of a key for sorting and a line."""
        conformances = self.conformances()
        for identifier, symbol in self.symbols.items():
            path = symbol["pathComponents"]
            text = declaration(symbol)
            protocols = conformances.pop(identifier, {})
            plain = sorted(name for name, where in protocols.items() if not where)
            if plain and symbol["kind"]["identifier"] != "swift.protocol":
                head, where, conditions = text.partition(" where ")
                text = f'{head}: {", ".join(plain)}{where}{conditions}'
            for name, where in protocols.items():
                if where:
                    yield path + ["", name], f'{".".join(path)}: {name}{where}'
            owner = self.owners.get(identifier)
            where = self.where(symbol.get("swiftExtension", {}).get("constraints", []), owner)
            names = ([self.extended] if self.extended else []) + path[:-1]
            suffix = "  // default" if identifier in self.defaults else ""
            yield names + [path[-1], "", text], (f'{".".join(names)}{where}: ' if names else "") + text + suffix
        for identifier, protocols in conformances.items():
            path = self.path(identifier)
            for name, where in protocols.items():
                yield path + ["", name], f'{".".join(path)}: {name}{where}'

    def problems(self, foreign):
        for identifier, symbol in self.symbols.items():
            path = ".".join(symbol["pathComponents"])
            comment = symbol.get("docComment", {})
            text = "\n".join(line["text"] for line in comment.get("lines", []))
            if not text.strip():
                yield f"{path} has no documentation comment"
            elif comment.get("module") in OWN and "- Throws:" not in text and throws(symbol) and (
                    identifier not in self.defaults):
                yield f"{path} throws, but its documentation comment does not say what"
            name = symbol["pathComponents"][0].partition("(")[0]
            if len(symbol["pathComponents"]) == 1 and not self.extended and name in foreign:
                yield f"{name} is also a name of {foreign[name]}: rename it, so that one file can use both"


def declaration(symbol):
    return re.sub(r"\s+", " ", "".join(part["spelling"] for part in symbol["declarationFragments"]))


def condition(constraint):
    sign = " == " if constraint["kind"] == "sameType" else ": "
    return constraint["lhs"] + sign + constraint["rhs"]


def throws(symbol):
    """Returns whether a function itself throws, and not only a closure among its parameters."""
    if symbol["kind"]["identifier"] not in FUNCTIONS:
        return False
    depth = 0
    text = declaration(symbol)
    for index, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == ")" and depth == 0 and re.match(r" (async )?throws\b", text[index + 1:]):
            return True
    return False


def foreign_names(path):
    """Returns the names of other frameworks, with the framework."""
    names = {}
    for line in pathlib.Path(path).read_text().splitlines():
        framework, separator, rest = line.partition(": ")
        if separator:
            for name in rest.split():
                names.setdefault(name, framework)
    return names


def main():
    command, folder, argument = sys.argv[1:]
    if command == "list":
        lines = [line for graph in Graph.all(folder, argument) for line in graph.lines()]
        print("\n".join(dict.fromkeys(line for _, line in sorted(lines))))
        return 0
    foreign = foreign_names(argument)
    found = {problem for module in ("Bindery", "BindingLaws") for graph in Graph.all(folder, module)
             for problem in graph.problems(foreign)}
    print("\n".join(sorted(found)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
