"""Skips a test script, or a part of one, if a program, module or file that it needs is not installed.

    require("go", __file__, programs=("go",))                  # the whole test needs a group of packages of .ci/packages.txt
    failed |= absent(__file__, "there is no node", ".pyright")  # one part of it needs something

The test, or the part, then counts as skipped, by name. In continuous integration (CI=true), where .ci/run has installed every group, it
counts as failed.
"""
import importlib.util
import os
import re
import shutil
import sys


def note(script, status, reason, part=""):
    """Reports that the test, or a part of it, is skipped or has failed ("skip", "fail"), under the name of its ctest entry. The test
    continues."""
    name = "script." + re.sub(r"_test\.py$", "", os.path.basename(script)) + part
    print(f"{status} {name}: {reason}")
    results = os.environ.get("HARP_TEST_RESULTS")
    if results:
        with open(results, "a", encoding="utf-8") as file:
            file.write(f"{status}\t{name}\t{os.path.abspath(script)}\t{reason}\n")


def leave(script, status, reason):
    """Ends the script here; the test counts as skipped or as failed, depending on `status`."""
    note(script, status, reason)
    sys.exit(status == "fail")


def absent(script, reason, part=""):
    """Notes that the test, or a part of it, cannot run because something is not installed. Returns whether that is a failure."""
    failed = os.environ.get("CI") == "true"
    note(script, "fail" if failed else "skip", reason, part)
    return failed


def require(group, script, modules=(), programs=(), paths=()):
    """Ends the test unless these Python modules, programs and files of the group are installed."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None] + [name for name in programs if not shutil.which(name)]
    missing += [path for path in paths if not os.path.exists(path)]
    if missing:
        sys.exit(absent(script, f"group {group} is not installed ({', '.join(missing)} not found); ./dev setup {group}"))
