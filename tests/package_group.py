"""What a script test says that needs a group of packages (.ci/packages.txt): require("python", __file__, modules=("numpy",)). Where
something of it is missing, the test counts as skipped, by name; in continuous integration, which installs every group, it fails.
"""
import importlib.util
import os
import re
import shutil
import sys


def require(group, script, modules=(), programs=()):
    missing = [name for name in modules if importlib.util.find_spec(name) is None] + [name for name in programs if not shutil.which(name)]
    if not missing:
        return
    status = "fail" if os.environ.get("CI") == "true" else "skip"
    reason = f"group {group} is not installed ({', '.join(missing)} not found); ./dev setup {group}"
    name = "script." + re.sub(r"_test\.py$", "", os.path.basename(script))
    print(f"{status} {name}: {reason}")
    results = os.environ.get("HARP_TEST_RESULTS")
    if results:
        with open(results, "a", encoding="utf-8") as file:
            file.write(f"{status}\t{name}\t{os.path.abspath(script)}\t{reason}\n")
    sys.exit(status == "fail")
