#!/usr/bin/env python3
"""Does the fuzzer find bugs? One at a time, a fault is put into the sources – a pass that forgets a case, a bound that is off by one, a
cache key without the flags – and harp_fuzz has to fail within 2,000 graphs. Some of the faults are bugs the fuzzer has found before.

Only the file with the fault is compiled again, from a copy; the working tree and the build folder stay as they are. A fault whose text is
no longer in its file fails, so that the table keeps up with the code.

usage: seeded_faults.py [part of a name ...]     needs a build with harp_fuzz: HARP_BUILD_DIR (default build/release)
"""
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("HARP_BUILD_DIR", os.path.join(ROOT, "build", "release")))
GRAPHS = 2000

# name, file below src, what stands there, what stands there instead
FAULTS = [
    ("permutes compose in the wrong order", "opt/compose_views.cpp",
     "for (int& axis : axes) axis = source->as<PermuteAttributes>().axes[axis];", "axes = source->as<PermuteAttributes>().axes;"),
    ("a slice of a slice forgets the inner step", "opt/compose_views.cpp",
     "inner.start[axis] + slice.start[axis] * inner.step[axis]", "inner.start[axis] + slice.start[axis]"),
    ("pads with different values become one", "opt/compose_views.cpp",
     "if (source->op != Op::kPad || source->as<PadAttributes>().value != pad.value) return node;",
     "if (source->op != Op::kPad) return node;"),
    ("casts of floats count as lossless", "opt/simplify_algebra.cpp",
     "if (from == DType::kF32) return to == DType::kF64;", "if (from == DType::kF32) return true;"),
    ("x == x is true for NaN", "opt/simplify_algebra.cpp",
     "return is_exact_kind(x->dtype) && x == node->sources[1] ? integer(graph, node, value) : node;",
     "return x == node->sources[1] ? integer(graph, node, value) : node;"),
    ("a pad of a constant folds whatever its value", "opt/fold_constants.cpp",
     "if (node->op == Op::kPad && node->as<PadAttributes>().value != *value) return node;", ""),
    ("a remainder by a divisor of unknown sign is at least the divisor", "base/symbolic_proof.cpp",
     "if (up) return {Bounds::kAll, {rest, rest + k * atom->b}};", "if (up) return {Bounds::kAll, {rest + k * atom->b}};"),
    ("divisions of divisions add their divisors", "base/symbolic.cpp", "return floor_div(atom->a, atom->b * d);",
     "return floor_div(atom->a, atom->b + d);"),
    ("a remainder is dropped one too early", "base/symbolic.cpp", "if (proven_nonnegative(x) && proven_less(x, d)) return x;",
     "if (proven_nonnegative(x) && proven_at_most(x, d)) return x;"),
    ("an overlapping tail adds twice", "ir/vectorise.cpp", "if (updates_accumulators(loop->body)) overlap = false;",
     "(void)updates_accumulators;"),
    ("the last element of a scalar tail is left out", "ir/vectorise.cpp", "scalar(arena, loop, middle, loop->end)};",
     "scalar(arena, loop, middle, loop->end - 1)};"),
    ("vectors run past the end", "ir/vectorise.cpp",
     "if (proven_nonnegative(length - width) && mod(length, width).is_constant(0))", "if (proven_nonnegative(length - width))"),
    ("partition: the border of a falling condition is off by one", "ir/partition.cpp", "floor_div(linear->rest, -k) + 1;",
     "floor_div(linear->rest, -k);"),
    ("partition: a part is forgotten", "ir/partition.cpp", "work.push_back(over(arena, part, *at, part->end));",
     "if (splits != 1) work.push_back(over(arena, part, *at, part->end));"),
    ("unswitch: the branches are swapped", "ir/unswitch.cpp", "Body& target = taken ? branch->body : branch->otherwise;",
     "Body& target = taken ? branch->otherwise : branch->body;"),
    ("a guarded name hides the right one", "ir/linearize.cpp", "place.level = std::max(place.level, level_named(u));", ""),
    ("values of an accumulator outlive its change", "ir/linearize.cpp",
     "named.stale |= std::find(used.begin(), used.end(), accumulator) != used.end();", "(void)named, (void)used;"),
    ("memory is reused while it is still read", "schedule/plan_memory.cpp", "if (slot.busy_until >= buffer.first_generation) continue;",
     "if (slot.busy_until > buffer.first_generation) continue;"),
    ("pad reads one element too many", "lower/value.cpp", "inside = both(inside, arena_.in_range(from[i] - 1 - source[i]));",
     "inside = both(inside, arena_.in_range(from[i] - source[i]));"),
    ("chains have blocks of 255", "lower/reduce.cpp", "kLaneBlock = 4096, kChainBlock = 256;", "kLaneBlock = 4096, kChainBlock = 255;"),
    ("cache key without the flags", "compile/cache_key.cpp", "for (const std::string& word : command) hasher.add(word);", ""),
    ("cache key takes strings for comments", "compile/cache_key.cpp", "i = end_of_literal(source, i);", "++i;"),
]


def compile_command(path):
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        for entry in json.load(file):
            if os.path.abspath(os.path.join(entry["directory"], entry["file"])) == path:
                return shlex.split(entry["command"])
    raise SystemExit(f"seeded_faults: {path} is not in the build")


def link_command():
    lines = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "harp_fuzz"], check=True, capture_output=True, text=True).stdout
    return lines.strip().splitlines()[-1]


def seed(fault, scratch):
    """The program with the fault in it."""
    _, name, old, new = fault
    path = os.path.join(ROOT, "src", name)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.count(old) != 1:
        raise ValueError(f"its place in src/{name} is gone ({text.count(old)} matches)")
    changed = os.path.join(scratch, os.path.basename(name))
    with open(changed, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))
    words = compile_command(path)
    at = words.index("-o") + 1
    normal, faulty = words[at], os.path.join(scratch, "fault.o")
    words = [changed if word == path else word for word in words]
    words[at] = faulty
    words += ["-Wno-error"]
    for option in ("-MF", "-MT"):
        if option in words:
            words[words.index(option) + 1] = os.path.join(scratch, "fault.d")
    subprocess.run(words, cwd=BUILD, check=True, capture_output=True, text=True)
    program = os.path.join(scratch, "harp_fuzz")
    link = link_command().replace(f"{normal} ", f"{faulty} ")
    if faulty not in link:
        raise ValueError(f"{normal} is not linked into harp_fuzz")
    link = link.replace("-o harp_fuzz ", f"-o {program} ")
    subprocess.run(link, shell=True, cwd=BUILD, check=True, capture_output=True, text=True)
    return program


def main():
    wanted = sys.argv[1:]
    missed = run = 0
    for fault in FAULTS:
        if wanted and not any(word in fault[0] for word in wanted):
            continue
        run += 1
        begin = time.time()
        with tempfile.TemporaryDirectory() as scratch:
            try:
                program = seed(fault, scratch)
                done = subprocess.run([program, "--graphs", str(GRAPHS), "--failures", "1", "--no-shrink", "--directory", "", "--percent-o3", "0"],
                                      capture_output=True, text=True, cwd=scratch, check=False)
                first = next((line for line in done.stderr.splitlines() if line.startswith("seed ")), "")
                caught, how = done.returncode == 1 and first != "", first[:120]
            except (ValueError, subprocess.CalledProcessError) as error:
                caught, how = False, str(getattr(error, "stderr", None) or error)[:400]
        missed += not caught
        print(f"{'caught' if caught else 'MISSED'}  {fault[0]} ({time.time() - begin:.0f} s): {how}", flush=True)
    print(f"{run - missed} of {run} seeded faults caught within {GRAPHS} graphs")
    return 1 if missed or run == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
