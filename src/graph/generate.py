#!/usr/bin/env python3
"""Writes the table of operations in README.md from src/ops/ops.def (the primitives) and src/graph/operations.cpp (everything the text format
can call): a row for each section of operations.cpp, in its order.

`./dev generate` calls it; with --check it writes nothing and exits 1 if README.md would change.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
README = os.path.join(ROOT, "README.md")
# The families of ops whose rows in operations.cpp are generated from ops.def, and the section of the table to which they belong.
SECTIONS = {"Elementwise": "elementwise", "Reduce": "reductions", "Scan": "running values"}
BEGIN, END = "<!-- generated from src/ops/ops.def and src/graph/operations.cpp: operations { -->\n", "<!-- } -->\n"


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def sections():
    """Returns {section: (primitives, composites)}; sections and names are in the order of the tables."""
    primitives = dict(re.findall(r'^HARP_OP\(\w+, "(\w+)", (\w+),', read("src", "ops", "ops.def"), re.M))
    table = re.search(r"constexpr Operation kRows\[\] = \{\n(.*?)\n\};", read("src", "graph", "operations.cpp"), re.S)
    found, here = {}, None
    for name, family in primitives.items():
        if family in SECTIONS:
            found.setdefault(SECTIONS[family], ([], []))[0].append(name)
    order = []
    for line in table[1].split("\n"):
        if title := re.match(r"    // (.*)$", line):
            here = title[1]
            order.append(here)
        elif row := re.match(r'    \w*row(?:<[^>]*>)?\("(\w+)"', line):
            name = row[1]
            found.setdefault(here, ([], []))[0 if name in primitives else 1].append(name)
    named = {name for pair in found.values() for part in pair for name in part}
    for title in SECTIONS.values():
        if title not in order:  # all rows of this section are generated from ops.def
            order.insert(order.index("reductions") + 1, title)
    missing = set(primitives) - named - {"input"}
    if missing or None in found:
        sys.exit(f"src/graph/generate.py: in no section of operations.cpp: {sorted(missing) or found[None]}")
    return {title: found[title] for title in order if title in found}


def table():
    lines = ["| family | primitive | made of primitives |\n", "|---|---|---|\n"]
    for title, parts in sections().items():
        cells = [f"`{' '.join(part)}`" if part else "" for part in parts]
        lines.append(f"| {title} | {cells[0]} | {cells[1]} |\n")
    return "".join(lines)


def main():
    old = read("README.md")
    begin, end = old.find(BEGIN), old.find(END)
    if begin < 0 or end < begin:
        sys.exit(f"src/graph/generate.py: README.md has no lines {BEGIN.strip()} and {END.strip()}")
    new = old[: begin + len(BEGIN)] + table() + old[end:]
    if new == old:
        return
    if "--check" in sys.argv[1:]:
        sys.exit("not up to date, run ./dev generate: README.md")
    with open(README, "w", encoding="utf-8") as file:
        file.write(new)


if __name__ == "__main__":
    main()
