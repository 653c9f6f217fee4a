"""What a script test says that needs a group of packages (.ci/packages.txt): require("python", __file__, modules=("numpy",)). Where
something of it is missing, the test counts as skipped, by name; in continuous integration, which installs every group that ./dev test
needs, it fails. A group that another verb installs is never a failure: require("godot", __file__, programs=(...), optional=True).
"""
import importlib.util
import os
import re
import shutil
import sys


def note(script, status, reason, part=""):
    """Says that the test, or a part of it, is skipped or has failed ("skip", "fail"), by the name of its ctest entry; the rest goes on."""
    name = "script." + re.sub(r"_test\.py$", "", os.path.basename(script)) + part
    print(f"{status} {name}: {reason}")
    results = os.environ.get("HARP_TEST_RESULTS")
    if results:
        with open(results, "a", encoding="utf-8") as file:
            file.write(f"{status}\t{name}\t{os.path.abspath(script)}\t{reason}\n")


def leave(script, status, reason):
    """Ends the test here, as skipped or failed."""
    note(script, status, reason)
    sys.exit(status == "fail")


def require(group, script, modules=(), programs=(), paths=(), optional=False):
    missing = [name for name in modules if importlib.util.find_spec(name) is None] + [name for name in programs if not shutil.which(name)]
    missing += [path for path in paths if not os.path.exists(path)]
    if missing:
        status = "fail" if os.environ.get("CI") == "true" and not optional else "skip"
        leave(script, status, f"group {group} is not installed ({', '.join(missing)} not found); ./dev setup {group}")
