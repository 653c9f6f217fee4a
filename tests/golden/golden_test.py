"""Golden files: what each model of this folder becomes, stage by stage, as text. A change that is meant to alter nothing has an empty diff
here; one that is meant to alter something shows what it does. `./dev golden` (this script with --write) writes the files anew.

  NAME.stages      the optimised graph, the schedule, the scheduled loops and the linear operations
  NAME.c           the C source for x86-64-v4; NAME.plain.c, NAME.v2.c: without vector types, and for a machine without fma

The targets are stated, so that the text does not depend on the machine. All C has to compile with gcc and clang without a warning.

rows: H2.graph H2.optimised_uop_graph H2.linear_uops H2.source
"""
import difflib
import glob
import os
import platform
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.environ["HARP_TOOL"]
STAGES = ("opt", "schedule", "ir-opt", "linear")
VARIANTS = {".c": ("x86-64-v4",), ".plain.c": ("x86-64-v4", "--plain-text"), ".v2.c": ("x86-64-v2",)}
WITH_ALL_VARIANTS = {"softmax", "stencil", "matmul"}
FLAGS = ("-std=gnu11", "-O1", "-fPIC", "-ffp-contract=off", "-fwrapv", "-Wall", "-Wextra", "-Werror", "-c", "-o", os.devnull)


def emit(model, stage, target, *options):
    result = subprocess.run([TOOL, "emit", model, "--lang", stage, "--target", target, *options], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"harp emit {os.path.basename(model)} --lang {stage}: {result.stderr}")
    return result.stdout


def golden_texts(model):
    """{file name: text} of one model."""
    name = os.path.basename(model)[: -len(".harp")]
    stages = "".join(f"==== {stage}\n{emit(model, stage, 'x86-64-v4')}\n" for stage in STAGES)
    texts = {name + ".stages": stages.rstrip("\n") + "\n"}
    for ending, (target, *options) in VARIANTS.items():
        if ending == ".c" or name in WITH_ALL_VARIANTS:
            texts[name + ending] = emit(model, "c", target, *options)
    return texts


def compile_problems(name, text):
    """What gcc and clang have to say about the C text; nothing where they are missing or the machine is another."""
    if platform.machine() != "x86_64":
        return []
    level = "x86-64-v2" if name.endswith(".v2.c") else "x86-64-v4"
    problems = []
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler):
            result = subprocess.run([compiler, f"-march={level}", *FLAGS, "-x", "c", "-"], input=text, capture_output=True, text=True, check=False)
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
