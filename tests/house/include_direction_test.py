"""Checks that every #include under src/ names a header of a folder that MAY_INCLUDE permits.

MAY_INCLUDE is the third column of the folder table in the architecture document. Permission is transitive (graph includes ops, ops
includes base, so graph may include base). A second table does the same for the folders inside src/render. The test also checks that an
include names an existing file by its path from src/, that no headers include each other in a cycle, that only the outer folders include
harp.h, and that only the tool names HARP_MACHINE: this variable is for tests and the tool, and the library compiles for the target in
its options. Exits with the status 1 and one line for each mistake.

rows: C1.layers
"""
import os
import re
import sys

ROOT = os.environ.get("HARP_SOURCE_DIR") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SRC = os.path.join(ROOT, "src")

MAY_INCLUDE = {
    "base": [],
    "ops": ["base"],
    "graph": ["ops"],
    "interp": ["graph"],
    "opt": ["graph", "interp"],
    "grad": ["graph"],
    "schedule": ["opt"],
    "ir": ["ops"],
    "lower": ["schedule", "ir"],
    "render": ["ir"],
    "compile": ["base"],
    "run": ["compile", "interp"],
    "launch": ["render", "run"],
    "pipeline": ["grad", "schedule", "lower", "launch"],
    "backend": ["pipeline"],
    "tune": ["pipeline"],
    "capi": ["tune", "backend"],
    "tool": [],  # the tool uses harp as any other program does, through harp.h
}
# Subfolders that may include only a part of their folder: render/kernel, which all dialects of generated code share, includes no dialect,
# and render/text includes no language.
MAY_INCLUDE_INSIDE = {
    "render/text": ["render/text"],
    "render/kernel": ["render/text", "render/kernel", "render/options.h"],
}
# Folders that may include the public header: the C interface, the code that fills its harp_runtime, and the tool.
SEES_HARP_H = {"capi", "run", "tool"}

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)


def closure(folder):
    """Returns the folder and all folders that it may include."""
    seen, open_ = set(), [folder]
    while open_:
        item = open_.pop()
        if item not in seen:
            seen.add(item)
            open_ += MAY_INCLUDE[item]
    return seen


def folder_of(path):
    """Returns the folder of a path relative to src/; src/pipeline.cpp counts as the folder "pipeline"."""
    return path.split("/")[0] if "/" in path else path.split(".")[0]


def source_files():
    for directory, _, names in os.walk(SRC):
        for name in sorted(names):
            if name.endswith((".h", ".hpp", ".cpp", ".def", ".inc")):
                yield os.path.relpath(os.path.join(directory, name), SRC)


def find_circle(graph):
    """Returns a cycle of headers, or None, by an iterative depth-first search. State 1: on the current path, 2: done."""
    state = {}
    for start in graph:
        path, stack = [], [(start, iter(graph[start]))]
        if state.get(start):
            continue
        state[start] = 1
        path.append(start)
        while stack:
            node, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                stack.pop()
                path.pop()
                state[node] = 2
            elif state.get(following) == 1:
                return path[path.index(following):] + [following]
            elif following in graph and not state.get(following):
                state[following] = 1
                path.append(following)
                stack.append((following, iter(graph[following])))
    return None


def main():
    errors, graph, count = [], {}, 0
    for path in sorted(source_files()):
        folder = folder_of(path)
        if folder not in MAY_INCLUDE:
            errors.append(f"src/{path}: the architecture has no folder '{folder}'")
            continue
        allowed = closure(folder)
        with open(os.path.join(SRC, path), encoding="utf-8") as file:
            text = file.read()
        if "HARP_MACHINE" in text and folder != "tool":
            errors.append(f"src/{path}: names HARP_MACHINE, which only the tool reads")
        graph[path] = []
        for match in INCLUDE.finditer(text):
            bracket, target = match.groups()
            where = f"src/{path}:{text.count(chr(10), 0, match.start(2)) + 1}"
            count += 1
            if target in ("harp.h", "harp.hpp"):
                if folder not in SEES_HARP_H:
                    errors.append(f"{where}: only {', '.join(sorted(SEES_HARP_H))} may include {target}")
                continue
            if bracket == "<":
                if os.path.exists(os.path.join(SRC, target)):
                    errors.append(f'{where}: write "{target}", not <{target}>')
                continue
            if not os.path.exists(os.path.join(SRC, target)):
                errors.append(f'{where}: no file src/{target} (includes are relative to src/)')
                continue
            graph[path].append(target)
            inside = MAY_INCLUDE_INSIDE.get(os.path.dirname(path))
            if inside is not None and folder_of(target) == folder and os.path.dirname(target) not in inside and target not in inside:
                errors.append(f"{where}: {os.path.dirname(path)} may include {', '.join(inside)}, not {target}")
            if folder_of(target) not in allowed:
                errors.append(f"{where}: {folder} may include {', '.join(sorted(allowed - {folder})) or 'nothing'}, not {target}")
    circle = find_circle(graph)
    if circle:
        errors.append("headers include each other: " + " -> ".join(circle))
    if count == 0:
        errors.append(f"found no #include at all under {SRC}: is HARP_SOURCE_DIR right?")
    print("\n".join(errors) if errors else f"{count} includes, all downwards")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
