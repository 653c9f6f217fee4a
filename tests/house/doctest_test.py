"""Checks the unit tests, which are test cases of doctest: every TEST_CASE of tests/*_test.cpp and tests/*/*_test.cpp is registered in
harp_tests (the cases of a file that is not linked would otherwise be missing without a message), every file has a ctest entry that runs
exactly its cases, and the library contains nothing of doctest.

rows: C1.doctest
"""
import glob
import os
import re
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def sources():
    """Returns the source files of the program harp_tests. It does not contain the files of a folder with a CMakeLists.txt, because these
    belong to a program of their own."""
    paths = glob.glob(os.path.join(TESTS, "*_test.cpp")) + glob.glob(os.path.join(TESTS, "*", "*_test.cpp"))
    return sorted(path for path in paths if os.path.dirname(path) == TESTS or not os.path.exists(os.path.join(os.path.dirname(path), "CMakeLists.txt")))


def declared_cases(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = re.findall(r'^TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', text, re.M)
    return ["".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literal)).replace('\\"', '"').replace("\\\\", "\\") for literal in found]


def listed_cases(*options):
    result = subprocess.run(["./harp_tests", "--list-test-cases", "--no-colors=true", "--no-skip=true", *options], capture_output=True, text=True, check=True)
    return [line for line in result.stdout.splitlines() if line and not line.startswith(("[doctest]", "==="))]


def main():
    registered = listed_cases()
    with open(os.path.join("tests", "CTestTestfile.cmake"), encoding="utf-8") as file:
        entries = re.findall(r'^add_test\(\[*=*\[?"?(unit\.\w+)', file.read(), re.M)
    total = 0
    for path in sources():
        name = re.sub(r"_test\.cpp$", "", os.path.basename(path))
        cases = declared_cases(path)
        assert cases, f"{path} has no TEST_CASE"
        assert len(set(cases)) == len(cases), f"{path}: two cases of one name"
        mine = listed_cases(f"--source-file=*/{name}_test.cpp")
        assert sorted(mine) == sorted(cases), f"{path}: doctest knows {sorted(set(mine) ^ set(cases))} otherwise"
        assert f"unit.{name}" in entries, f"{path} has no ctest entry"
        total += len(cases)
    assert sorted(registered) == sorted(set(registered)) and len(registered) == total, f"{len(registered)} registered, {total} in the sources"
    for library in glob.glob("libharp.so*") + glob.glob("libharp.a"):
        with open(library, "rb") as file:
            assert b"doctest" not in file.read(), f"{library} has doctest in it"
    print(f"{total} cases of {len(entries)} entries")


if __name__ == "__main__":
    sys.exit(main())
