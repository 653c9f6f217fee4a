"""The benchmark harness does what it says: two rows run quickly and come out as JSON lines of the agreed shape, names that match nothing
and goals that fit no row are errors. How fast anything is, is not tested.

usage: bench_test.py PATH_OF_HARP_BENCH
"""
import json
import os
import subprocess
import sys
import tempfile

FIELDS = ["name", "value", "unit", "peer", "peer_value", "ratio", "goal", "ok"]
GOAL_MISSED = 3


def run(*arguments):
    return subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, check=False)


def check_rows():
    with tempfile.TemporaryDirectory(prefix="harp-bench-test-") as scratch:
        path = os.path.join(scratch, "rows.json")
        result = run("--quick", "--json", path, "--only", r"^(call\.overhead|chain\.relu\.l1\..*)$")
        assert result.returncode in (0, GOAL_MISSED), f"exit status {result.returncode}\n{result.stdout}{result.stderr}"
        with open(path, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
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
    assert listed == goals and len(goals) > 50, set(listed.items()) ^ set(goals.items())


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
    for check in (check_rows, check_list, check_misuse):
        try:
            check()
            print(f"{check.__name__}: ok")
        except AssertionError as error:
            print(f"{check.__name__}: {error}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
