"""Tests tests/support/package_group.py. A test script, or a part of one, whose group of packages is not installed counts as skipped, by
name; in continuous integration it fails. If the group is installed, the script continues. Continuous integration installs every group that
a test requires, and tries three times if a package registry fails.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.dirname(TESTS)


def outcome(statement, ci):
    """Runs a test script whose first statement is `statement`, with the environment variable CI set to `ci`. Returns its exit status, its
    output, the fields of its line of results and its path."""
    with tempfile.TemporaryDirectory(prefix="harp-group-") as scratch:
        script, results = os.path.join(scratch, "some_test.py"), os.path.join(scratch, "results.tsv")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"import sys\nimport package_group\n{statement}\nprint('goes on')\n")
        environment = {**os.environ, "PYTHONPATH": os.path.join(TESTS, "support"), "HARP_TEST_RESULTS": results, "CI": ci}
        result = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
        lines = open(results, encoding="utf-8").read() if os.path.exists(results) else ""
        return result.returncode, result.stdout, lines.rstrip("\n").split("\t"), script


def check_groups():
    require = "package_group.require('python', __file__, %s)"
    status, output, fields, script = outcome(require % "modules=['no_such_module']", "")
    assert status == 0 and "goes on" not in output, output
    assert fields[:3] == ["skip", "script.some", script] and fields[3].startswith("group python") and "no_such_module" in fields[3], fields
    status, output, fields, _ = outcome(require % "modules=['no_such_module']", "true")
    assert status == 1 and fields[0] == "fail" and "./dev setup python" in output, (status, fields)
    status, output, fields, _ = outcome(require % "modules=['os']", "true")
    assert status == 0 and output == "goes on\n" and fields == [""], (status, output, fields)
    missing = os.path.join(TESTS, "no_such_file")
    status, output, fields, _ = outcome(require % f"modules=['os'], paths=[{missing!r}]", "true")
    assert status == 1 and fields[0] == "fail" and missing in output, (status, output, fields)


def check_parts():
    statement = "failed = package_group.absent(__file__, 'there is no node', '.types')\nprint('goes on')\nsys.exit(failed)"
    for ci, word in (("", "skip"), ("true", "fail")):
        status, output, fields, _ = outcome(statement, ci)
        assert status == (word == "fail") and output == f"{word} script.some.types: there is no node\ngoes on\n", (status, output)
        assert fields[:2] == [word, "script.some.types"] and fields[3] == "there is no node", fields


def check_run_installs_what_tests_require():
    with open(os.path.join(SOURCE, ".ci", "run"), encoding="utf-8") as file:
        installed = set(re.search(r"^\S+ setup (.*)$", file.read(), re.M)[1].split())
    required = set()
    for path in glob.glob(os.path.join(TESTS, "**", "*_test.py"), recursive=True):
        with open(path, encoding="utf-8") as file:
            required |= set(re.findall(r"(?<!\w)require\(\"(\w+)\", __file__|[aA]bsent\(.*\./dev setup (\w+)", file.read()))
    required = {group for pair in required for group in pair if group}
    assert {"python", "rust", "go", "docs", "godot", "mujoco", "ajisai"} <= required, required
    assert required <= installed, f".ci/run does not install {sorted(required - installed)}"


def check_registry():
    """Runs ./dev setup with a fake cargo whose first FAILURES calls fail. Without CI, setup must call cargo once and succeed. With CI=true
    it must call cargo up to three times, and fail if all of these calls fail."""
    with tempfile.TemporaryDirectory(prefix="harp-dev-") as scratch:
        folder = os.path.join(scratch, "bin")
        os.makedirs(folder)
        os.makedirs(os.path.join(scratch, ".ci"))
        shutil.copy(os.path.join(SOURCE, "dev"), scratch)
        for name, text in ((".ci/packages.txt", "bash godot\n"), (".ci/godot-crates.toml", "[package]\n"),
                           ("bin/cargo", f"#!/bin/sh\necho >>'{scratch}/calls'\n[ $(wc -l <'{scratch}/calls') -gt $FAILURES ]\n"),
                           ("bin/sleep", "#!/bin/sh\n"), ("bin/dpkg-query", "#!/bin/sh\necho bash installed\n")):
            with open(os.path.join(scratch, name), "w", encoding="utf-8") as file:
                file.write(text)
            if name.startswith("bin/"):
                os.chmod(os.path.join(scratch, name), 0o755)
        for ci, failures, status, calls in (("", 0, 0, 1), ("", 1, 0, 1), ("true", 2, 0, 3), ("true", 3, 1, 3)):
            shutil.rmtree(os.path.join(scratch, "build"), ignore_errors=True)
            open(os.path.join(scratch, "calls"), "w", encoding="utf-8").close()
            environment = {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"], "CI": ci, "FAILURES": str(failures)}
            result = subprocess.run(["bash", os.path.join(scratch, "dev"), "setup", "godot"], env=environment, capture_output=True, text=True, check=False)
            with open(os.path.join(scratch, "calls"), encoding="utf-8") as file:
                made = len(file.readlines())
            assert (result.returncode, made) == (status, calls), (ci, failures, result.returncode, made, result.stdout + result.stderr)
            assert ("cannot be reached" in result.stdout + result.stderr) == (failures >= calls), result.stdout + result.stderr


def main():
    for check in (check_groups, check_parts, check_run_installs_what_tests_require, check_registry):
        check()
    print("pass")
    return 0


if __name__ == "__main__":
    sys.exit(main())
