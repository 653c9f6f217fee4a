"""Tests the benchmark program harp_bench and its goals. Measurements of every kind run quickly and are written as JSON lines with the
documented fields. Every measurement has a goal, and every goal a measurement. A program with which harp is compared (a peer) is reported as
a missed goal if it is not installed. A peer that fails or computes something else is an error, and so is a name that matches no
measurement. Speed is not tested.

usage: bench_test.py PATH_OF_HARP_BENCH
"""
import json
import os
import subprocess
import sys
import tempfile

GROUPS = {"compile", "call", "front", "cancel", "chain", "function", "reduce", "scan", "transpose", "sort", "fft", "contract", "conv", "rowwise", "job", "interpreter",
          "scale", "tune", "memory", "custom", "short", "unknown", "gpu"}
FIELDS = ["name", "value", "unit", "peer", "peer_value", "ratio", "goal", "ok", "max_ulp"]
GOAL_MISSED = 3


def run(*arguments):
    return subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, check=False)


def rows_of(only, *arguments):
    """Runs the measurements whose names match `only` with --quick. Returns the parsed JSON lines and the finished process."""
    with tempfile.TemporaryDirectory(prefix="harp-bench-test-") as scratch:
        path = os.path.join(scratch, "rows.json")
        result = run("--quick", "--json", path, "--only", only, *arguments)
        assert result.returncode in (0, GOAL_MISSED), f"exit status {result.returncode}\n{result.stdout}{result.stderr}"
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file], result


def met(row):
    """Returns True if a measurement meets all parts of its goal, False if not, and None if it has no goal."""
    if row["goal"] == "information":
        return None
    parts = []
    for part in row["goal"].split(","):
        subject, bound = (part.split(">=") if ">=" in part else part.split("<="))
        measured = row[subject] if row["peer"] is None or not row["peer"].endswith("not installed") else None
        parts.append(measured is not None and (measured >= float(bound) if ">=" in part else measured <= float(bound)))
    return all(parts)


def check_rows():
    rows, result = rows_of(r"^(call\.overhead|chain\.relu\.l1\..*)$")
    assert [row["name"] for row in rows] == ["call.overhead", "chain.relu.l1.loop", "chain.relu.l1.memcpy"], rows
    for row in rows:
        assert list(row) == FIELDS, row
        assert row["value"] != 0 and row["peer_value"] > 0 and row["unit"] in ("ns", "GB/s"), row
        assert row["name"] in result.stdout and row["goal"] in result.stdout, result.stdout
    call, loop, memcpy = rows
    assert call["ratio"] is None and call["ok"] == (call["value"] <= float(call["goal"].removeprefix("value<="))), call
    assert loop["ratio"] > 0 and loop["ok"] == (loop["ratio"] >= float(loop["goal"].removeprefix("ratio>="))), loop
    assert memcpy["goal"] == "information" and memcpy["ok"] is None, memcpy
    missed = not call["ok"] or not loop["ok"]
    assert result.returncode == (GOAL_MISSED if missed else 0), result.returncode


def check_list():
    result = run("--list")
    assert result.returncode == 0, result.stderr
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "goals.json"), encoding="utf-8") as file:
        goals = json.load(file)
    listed = dict(line.split() for line in result.stdout.splitlines())
    assert listed == goals, set(listed.items()) ^ set(goals.items())
    assert {name.split(".")[0] for name in goals} == GROUPS, sorted(goals)
    assert [name for name, goal in goals.items() if goal == "information" and not name.endswith((".memcpy", ".peak"))
            and not name.startswith(("interpreter.", "scale.", "gpu."))] == []


# For each kind of measurement that compares harp with another program: the name of one such measurement, and the name of the program.
SERVED = {
    "function.exp": "sleef",
    "function.gelu": "sleef",
    "fft.1000": "fftw",
    "fft.256.f64": "fftw",
    "fft.real.1024": "fftw",
    "sort.i32.1e6.numpy": "numpy",
    "contract.f32.16": "openblas",
    "contract.gemv.ax.1024.blas": "openblas",
    "contract.complex64.256": "openblas",
    "contract.f32.128.onednn": "onednn_matmul",
    "contract.i8.512.onednn": "onednn_matmul",
    "conv.depthwise": "onednn",
    "contract.f32.512.threads2": "openblas",
    "job.gray_scott.threads2.hand": "by_hand",
    "job.lorenz.numpy": "numpy",
}


def own_peers(build, directory):
    """Makes links in `directory` to those programs with which harp is compared (peers) that need only this build and the packages that the
    tests install: the hand-written ones and NumPy. Returns the names of the linked peers that can run. Peers that ./dev bench installs are
    left out, because the result of a test must not depend on whether ./dev bench has run."""
    there = set()
    for name in ("by_hand", "numpy"):
        program = os.path.join(build, f"harp_bench_{name}")
        if os.path.exists(program):
            os.symlink(program, os.path.join(directory, f"harp_bench_{name}"))
            there.add(name)
    if subprocess.run(["/usr/bin/python3", "-c", "import numpy"], capture_output=True, check=False).returncode != 0:
        there.discard("numpy")
    return there


def check_groups():
    """Measurements that compare harp with another program: every such program that is installed is measured, and its results agree with
    harp's."""
    others = ["transpose.1024", "sort.f32.1e6", "rowwise.rms_norm.1024.memcpy", "contract.gemv.ax.1024.read", "chain.where.1mb.loop",
              "chain.where.1mb.threads2.loop", "chain.where.1mb.threads2.memcpy", "scale.concat.1000.memcpy",
              "custom.nussinov.loop", "custom.mandelbrot.loop", "contract.i8.weights.4096", "short.softmax.3", "unknown.sum.37"]
    alone = ["scale.sum.1024", "scale.sum.step", "compile.per_kernel"]
    libmvec = "function.log.libmvec"  # compares harp with the GNU C library's vector functions, which exist on x86-64 only
    build = os.path.dirname(os.path.abspath(sys.argv[1]))
    with tempfile.TemporaryDirectory(prefix="harp-bench-test-") as scratch:
        answering = own_peers(build, scratch)
        rows, _ = rows_of("^(" + "|".join([*SERVED, *others, *alone, libmvec]) + ")$", "--peers", scratch)
    assert {row["name"] for row in rows} == {*SERVED, *others, *alone, libmvec}, rows
    assert any("," in row["goal"] for row in rows), rows
    for row in rows:
        assert row["ok"] == met(row), row
        if row["name"] in alone:
            assert row["value"] > 0 and row["ratio"] is None, row
            continue
        missing = row["peer"].endswith("not installed")
        assert row["value"] > 0 and (row["ratio"] is None) == missing, row
        if row["name"] != libmvec:
            assert missing == (row["name"] not in others and SERVED[row["name"]] not in answering), row


def check_missing_peers():
    served = "^(" + "|".join([*SERVED, "rowwise.attention.torch"]) + ")$"
    with tempfile.TemporaryDirectory(prefix="harp-bench-test-") as scratch:
        rows, result = rows_of(served, "--peers", scratch)
    assert result.returncode == GOAL_MISSED and len(rows) == len(SERVED) + 1, rows
    for row in rows:
        assert row["peer"].endswith("not installed") and row["peer_value"] is None and row["ratio"] is None and row["ok"] is False, row


def check_peers_start():
    """Every program that the build makes for comparison with harp can be started, even if its source file is not executable."""
    build = os.path.dirname(os.path.abspath(sys.argv[1]))
    peers = [name for name in os.listdir(build) if name.startswith("harp_bench_") and not name.endswith(".py")]
    assert {"harp_bench_numpy", "harp_bench_mlx", "harp_bench_python"} <= set(peers), peers
    for name in peers:
        assert os.access(os.path.join(build, name), os.X_OK), f"{name} is not executable"


def check_peers_that_fail():
    answers = 'if [ "$word" = run ]; then echo 0.001; else echo 256; yes 123456 | head -256; fi'
    served = f"echo ready; while read -r word rest; do {answers}; done"
    with tempfile.TemporaryDirectory(prefix="harp-bench-test-") as scratch:
        for script, status, word in (
            ("exit 69", GOAL_MISSED, "OpenBLAS: not installed"),
            ("exit 1", 1, "failed before it was ready"),
            ("echo ready", 1, "harp_bench_openblas"),
            (served.replace("256;", "255;"), 1, "returned 255 elements, expected 256"),
            (served, 1, "the peer has 123456"),
        ):
            with open(os.path.join(scratch, "harp_bench_openblas"), "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{script}\n")
            os.chmod(file.name, 0o755)
            result = run("--quick", "--only", "^contract.f32.16$", "--peers", scratch)
            assert result.returncode == status and word in result.stdout + result.stderr, (script, result)


def check_misuse():
    with tempfile.TemporaryDirectory(prefix="harp-bench-test-") as scratch:
        for arguments, status, word in (
            (["--only", "no such row"], 2, "--list"),
            (["--only", "("], 2, "regular expression"),
            (["--fast"], 2, "--fast"),
            (["--json"], 2, "--json"),
            (["--quick", "--only", "call", "--json", os.path.join(scratch, "no", "rows.json")], 1, "cannot write"),
        ):
            result = run(*arguments)
            assert result.returncode == status and word in result.stderr, (arguments, result.returncode, result.stderr)


def main():
    status = 0
    for check in (check_rows, check_list, check_groups, check_missing_peers, check_peers_start, check_peers_that_fail, check_misuse):
        try:
            check()
            print(f"{check.__name__}: ok")
        except AssertionError as error:
            print(f"{check.__name__}: {error}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
