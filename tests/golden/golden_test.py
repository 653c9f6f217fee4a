"""Golden files: the text of each stage for each model of this folder. A change that should alter nothing must have an empty diff here; the
diff of any other change shows its effect. `./dev golden` (this script with --write) writes the files anew.

  NAME.stages      the optimised graph, the schedule, the scheduled loops and the linear operations
  NAME.c           the C source for x86-64-v4; NAME.plain.c, NAME.v2.c: without vector types, and for a machine without fma
  schedules.txt    graphs, one for each thing that is decided for a kernel, and the schedules they get on every machine row. A graph that
                   is written at its end gets its schedules by `./dev golden`

The targets are given, so the text does not depend on the machine. gcc and clang must compile all C without a warning.

rows: L5 H2.graph H2.optimised_uop_graph H2.linear_uops H2.source
"""
import difflib
import glob
import os
import platform
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.environ["HARP_TOOL"]
STAGES = ("opt", "schedule", "ir-opt", "linear")
VARIANTS = {".c": ("x86-64-v4",), ".plain.c": ("x86-64-v4", "--plain-text"), ".v2.c": ("x86-64-v2",)}
ROWS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v3-vnni", "x86-64-v4", "x86-64-v4-vnni", "x86-64-v4-one-load",
        "x86-64-v4-one-load-vnni", "aarch64")
TABLE = "schedules.txt"
WITH_ALL_VARIANTS = {"softmax", "stencil", "matmul"}
# gcc gives some warnings only when it optimises. clang gives all of them without, except that it did not unroll a loop with a pragma.
LEVELS = {"gcc": "-O1", "clang": "-O0"}
FLAGS = ("-std=gnu11", "-fPIC", "-ffp-contract=off", "-fwrapv", "-Wall", "-Wextra", "-Werror", "-c", "-o", os.devnull)


def emit(model, stage, target, *options):
    result = subprocess.run([TOOL, "emit", model, "--lang", stage, "--target", target, *options], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"harp emit {os.path.basename(model)} --lang {stage}: {result.stderr}")
    return result.stdout


def golden_texts(model):
    """Returns the golden files of one model: {file name: text}."""
    name = os.path.basename(model)[: -len(".harp")]
    stages = "".join(f"==== {stage}\n{emit(model, stage, 'x86-64-v4')}\n" for stage in STAGES)
    texts = {name + ".stages": stages.rstrip("\n") + "\n"}
    for ending, (target, *options) in VARIANTS.items():
        if ending == ".c" or name in WITH_ALL_VARIANTS:
            texts[name + ending] = emit(model, "c", target, *options)
    return texts


def schedules(model, row):
    """Returns the schedules of a graph on a machine row, one line for each kernel: what the kernel iterates over, then its schedule."""
    lines = emit(model, "schedule", row).splitlines()
    heads = [re.sub(r"^(kernel_\d+) generation \d+ ", r"\1 ", line) for line in lines]
    return "".join(f"    {line.strip()}\n" for line in heads if re.match(r" *kernel_\d+", line))


def schedule_table(path, scratch):
    """Returns the text of the file schedules.txt: its graphs unchanged, each followed by its schedules on every row. Rows with the same
    schedules share an entry."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    first = text.index("\ngraph ") + 1  # before the first graph there are comments
    parts = [text[:first]]
    for graph in re.findall(r"^graph .*?}$", text[first:], re.M | re.S):
        model = os.path.join(scratch, "model.harp")
        with open(model, "w", encoding="utf-8") as file:
            file.write(f"harp 1\n{graph}\n")
        by_schedules = {}
        for row in ROWS:
            by_schedules.setdefault(schedules(model, row), []).append(row)
        parts.append(f"{graph}\n" + "".join(f"  {', '.join(rows)}\n{lines}" for lines, rows in by_schedules.items()))
    return parts[0] + "\n".join(parts[1:])


def compile_problems(name, text):
    """Returns the messages of gcc and clang about the C text; nothing on machines of another architecture."""
    if platform.machine() != "x86_64":
        return []
    machine = "x86-64-v2" if name.endswith(".v2.c") else "x86-64-v4"
    problems = []
    for compiler, level in LEVELS.items():
        result = subprocess.run([compiler, level, f"-march={machine}", *FLAGS, "-x", "c", "-"], input=text, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            problems.append(f"{name}: {compiler} says\n{result.stderr[:2000]}")
    return problems


def main():
    write = "--write" in sys.argv[1:]
    models = sorted(glob.glob(os.path.join(HERE, "*.harp")))
    problems, expected = [], {}
    with tempfile.TemporaryDirectory(prefix="harp-golden-") as scratch:
        os.environ["HARP_CACHE_DIR"] = scratch
        for model in models:
            expected.update(golden_texts(model))
        expected[TABLE] = schedule_table(os.path.join(HERE, TABLE), scratch)
    for name, text in expected.items():
        path = os.path.join(HERE, name)
        old = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        if name.endswith(".c") and not write:
            problems += compile_problems(name, text)
        if old == text:
            continue
        if write:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            print(f"wrote {name}")
        else:
            diff = list(difflib.unified_diff(old.splitlines(), text.splitlines(), "tests/golden/" + name, "now", lineterm="", n=2))
            problems.append("\n".join(diff[:40]) + (f"\n... {len(diff) - 40} more lines" if len(diff) > 40 else ""))
    stale = [name for name in os.listdir(HERE) if name.endswith((".c", ".stages")) and name not in expected]
    if write:
        for name in stale:
            os.remove(os.path.join(HERE, name))
            print(f"removed {name}")
    else:
        problems += [f"{name}: no model makes it" for name in stale]
    print("\n".join(problems) if problems else f"{len(models)} models, {len(expected)} golden files as they are")
    if problems:
        print("if this is what you wanted: ./dev golden, and read the diff")
    return 1 if problems or not models else 0


if __name__ == "__main__":
    sys.exit(main())
