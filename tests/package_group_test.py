"""A test whose group of packages is not installed counts as skipped, by name, and fails in continuous integration; one whose group is there
goes on.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def outcome(modules, ci, more=""):
    """Exit status, output and result line of a test that needs these modules, with more arguments for require."""
    with tempfile.TemporaryDirectory(prefix="harp-group-") as scratch:
        script, results = os.path.join(scratch, "some_test.py"), os.path.join(scratch, "results.tsv")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"import package_group\npackage_group.require('python', __file__, modules={modules}{more})\nprint('goes on')\n")
        environment = {**os.environ, "PYTHONPATH": HERE, "HARP_TEST_RESULTS": results, "CI": ci}
        result = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
        lines = open(results, encoding="utf-8").read() if os.path.exists(results) else ""
        return result.returncode, result.stdout, lines.rstrip("\n").split("\t"), script


def main():
    status, output, fields, script = outcome(["no_such_module"], "")
    assert status == 0 and "goes on" not in output, output
    assert fields[:3] == ["skip", "script.some", script] and fields[3].startswith("group python") and "no_such_module" in fields[3], fields
    status, output, fields, _ = outcome(["no_such_module"], "true")
    assert status == 1 and fields[0] == "fail" and "./dev setup python" in output, (status, fields)
    status, output, fields, _ = outcome(["os"], "true")
    assert status == 0 and output == "goes on\n" and fields == [""], (status, output, fields)
    missing = os.path.join(HERE, "no_such_file")
    status, output, fields, _ = outcome(["os"], "true", f", paths=[{missing!r}], optional=True")
    assert status == 0 and fields[0] == "skip" and missing in output, (status, output, fields)
    print("pass")
    return 0


if __name__ == "__main__":
    sys.exit(main())
