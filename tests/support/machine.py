"""Skips a test script that runs graphs through the command-line tool, if this CPU cannot run code for the tool's target. The target is the
row of the machine table that the environment variable HARP_MACHINE names. The whole script is recorded as one skipped test."""
import os
import subprocess
import sys

TOOL = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "build", "release", "harp")
GRAPH = "harp 1\ngraph probe(x: f32[1]) {\n  return y = x + 1.0\n}\n"


def reason_to_skip():
    """Returns why graphs compiled for HARP_MACHINE do not run here. Returns "" if they do run, or if they fail for another reason, which
    the tests will report."""
    if not os.environ.get("HARP_MACHINE"):
        return ""
    command = [os.environ.get("HARP_TOOL", TOOL), "run", "-", "--random", "x=f32[1]"]
    stderr = subprocess.run(command, input=GRAPH, capture_output=True, text=True, check=False).stderr
    return stderr.strip() if "this CPU cannot run" in stderr or "another architecture" in stderr else ""


def exit_if_skipped(file):
    """If reason_to_skip() returns a reason, records the script `file` as skipped (for tests/house/rows.py) and ends the process."""
    reason = reason_to_skip()
    if not reason:
        return
    name = "script." + os.path.basename(file).removesuffix("_test.py")
    print(f"skipped: {reason}")
    if os.environ.get("HARP_TEST_RESULTS"):
        with open(os.environ["HARP_TEST_RESULTS"], "a", encoding="utf-8") as results:
            results.write(f"skip\t{name}\t{os.path.abspath(file)}\t{reason}\n")
    sys.exit(0)
