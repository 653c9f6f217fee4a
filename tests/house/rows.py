"""`./dev rows`: prints the items of tests/rows.txt ("the contract"), the tests that cover each item, and their results in the last run.

An item is a line ROW.NOUN/BACKEND of tests/rows.txt: the row of the contract, what is tested, and the backend. Items that do not depend
on a backend have none. A test covers an item if it names the item before the first colon of its own name:
  TEST_CASE("G12.cast/c G12.cast/interp: every pair of dtypes")      the items G12.cast/c and G12.cast/interp
  TEST_CASE("G5.permute,flip/interp,c: odd shapes")                  four items: each of the two nouns with each of the two backends
  TEST_CASE("G18.text: prints and parses back")                      an item without a backend
  TEST_CASE("G16 dims: normal forms")                                the same as G16.dims, if G16.dims is an item
  TEST_CASE("G2: constants fold")                                    the row as a whole: the test is listed there, but covers no item
A noun without its backends (G5.reshape) also counts for the row as a whole. A name that is not an item is reported as a mistake.

Other tests cover items in two ways:
- Script tests (tests/*_test.py, tests/*/*_test.py) name their items on lines "rows: C2.cmake/shared ..." of their docstring. They may
  also append lines "pass|fail TAB name TAB file" with names of tests as above to $HARP_TEST_RESULTS, as tests/support/main.cpp does for
  test cases. For a test that could not run here the line is "skip TAB name TAB file TAB reason". The name of a whole script is that of
  its ctest entry.
- The op matrix test writes op_matrix.txt, its part for GPUs writes cuda_matrix.txt, and the NumPy oracle writes oracle_matrix.txt.
  Each line is a cell, "op dtype backend pass|fail". (A backend's name ends at the first '-', so c-clang counts as c.) A cell covers the
  item whose noun is the op, or whose line in tests/rows.txt contains "op=" and the op. Row G10 counts only cells of complex dtypes, and
  in row G9 the noun is the dtype. An op of src/ops/ops.def without a cell in op_matrix.txt is a failure, so that no new op is left out.

The results come from <build>/test_results (one file of lines for each ctest entry, and ctest.xml) and are those of the last run. The
exit status is 0; with --check it is 1 if a requested item is not covered by a passing test. --totals prints the names of skipped tests,
and then "N passed, N failed, N skipped".
"""
import argparse
import collections
import glob
import os
import re
import signal
import sys
import xml.etree.ElementTree as ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOKEN = re.compile(r"^(?:[GLHECX]\d+|B)(?:\.[a-z0-9_,]+)?(?:/[a-z0-9_,]+)?$")
# The rows of tests/rows.txt whose nouns are operations. The cells of the op matrix cover their items.
MATRIX_ROWS = {"G2", "G3", "G4", "G5", "G6", "G8", "G10", "G12", "G14", "G15", "G22"}
MATRICES = {"op_matrix.txt": "op matrix", "oracle_matrix.txt": "NumPy oracle", "cuda_matrix.txt": "op matrix for GPUs, emulated"}

Item = collections.namedtuple("Item", "id row noun suffix op note")
Test = collections.namedtuple("Test", "name status file reason", defaults=("",))  # status: pass, fail, skip (with a reason), or "not run"


def read_items(path):
    items, titles = [], {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            heading = re.match(r"^# ((?:[GLHECX]\d+|B))  (.*)$", line)
            if heading:
                titles[heading[1]] = heading[2]
            if line.startswith("#") or not line.strip():
                continue
            ident, _, rest = line.strip().partition(" ")
            row, _, tail = ident.partition(".")
            noun, _, suffix = tail.partition("/")
            op = re.search(r"op=(\S+)", rest)
            note = re.sub(r"op=\S+\s*", "", rest).strip()
            items.append(Item(ident, row, noun, suffix, op[1] if op else noun, note))
    return items, titles


def expand(token):
    """Returns the items that a word in the name of a test stands for. For example, "G5.permute,flip/c" stands for G5.permute/c and
    G5.flip/c. The id of a row stands for the row itself."""
    head, _, suffixes = token.partition("/")
    row, _, nouns = head.partition(".")
    if not nouns:
        return [row]
    return [f"{row}.{noun}" + (f"/{suffix}" if suffix else "") for noun in nouns.split(",") for suffix in suffixes.split(",")]


def ids_in_name(name, known):
    prefix, colon, _ = name.partition(":")
    words, ids, i = prefix.split() if colon else [], [], 0
    while i < len(words):
        if TOKEN.match(words[i]):
            joined = f"{words[i]}.{words[i + 1]}" if i + 1 < len(words) else ""
            if "." not in words[i] and TOKEN.match(joined) and all(ident in known for ident in expand(joined)):
                ids += expand(joined)
                i += 1
            else:
                ids += expand(words[i])
        i += 1
    return ids


def read_lines(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if len(fields) >= 3 and fields[0] in ("pass", "fail", "skip"):
                file = os.path.relpath(fields[2], ROOT) if os.path.isabs(fields[2]) else fields[2]
                yield Test(fields[1], fields[0], file, " ".join(fields[3:]))


def read_ctest(results):
    """Returns the result of each ctest entry in the last run: {entry: "pass", "fail" or "not run"}."""
    entries = {}
    path = os.path.join(results, "ctest.xml")
    if os.path.exists(path):
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            status = {"run": "pass", "fail": "fail"}.get(case.get("status"), "not run")
            entries[case.get("name")] = status
    return entries


def declared_cases():
    """Yields the test cases in the sources, so that those that did not run can be listed."""
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "**", "*_test.cpp"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            for match in re.finditer(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', file.read()):
                name = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match[1])).replace('\\"', '"').replace("\\\\", "\\")
                yield name, os.path.relpath(path, ROOT)


def collect_tests(results, known):
    """Returns all tests that name rows, {item or row id: [Test]}, and the names that are not items."""
    covered = collections.defaultdict(list)
    ran, skipped = {}, set()
    for path in sorted(glob.glob(os.path.join(results, "*.tsv"))):
        for test in read_lines(path):
            old = ran.get((test.name, test.file))
            ran[(test.name, test.file)] = test if not old or old.status in ("pass", "skip") else old
            if test.status == "skip":
                skipped.add(test.name)
    for name, file in declared_cases():
        ran.setdefault((name, file), Test(name, "not run", file))
    for test in ran.values():
        for ident in ids_in_name(test.name, known):
            covered[ident].append(test)
    entries = read_ctest(results)
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "**", "*_test.py"), recursive=True)):
        name = "script." + re.sub(r"_test\.py$", "", os.path.basename(path))
        status = "skip" if name in skipped else entries.get(name, "not run")
        with open(path, encoding="utf-8") as file:
            for line in re.findall(r"^rows:(.*)$", file.read(), re.M):
                for token in line.split():
                    for ident in expand(token):
                        covered[ident].append(Test(name, status, os.path.relpath(path, ROOT)))
    return covered


def read_matrices(build):
    """Returns the results in the files of all matrices in the build folder: {file name: [(op, dtype, backend, status)]}. An entry of a list
    is a cell of the matrix."""
    cells = {name: [] for name in MATRICES}
    for name, mine in cells.items():
        for path in glob.glob(os.path.join(build, "**", name), recursive=True):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    fields = line.split()
                    if len(fields) == 4 and not line.startswith("#"):
                        mine.append((fields[0], fields[1], fields[2].split("-")[0], "pass" if fields[3] == "pass" else "fail"))
    return cells


def covers(cell, item):
    op, dtype, backend, _ = cell
    if backend != item.suffix:
        return False
    if item.row == "G9":
        return dtype == item.noun
    return item.row in MATRIX_ROWS and op == item.op and (item.row != "G10" or dtype.startswith("complex"))


def matrix_tests(item, cells):
    """Returns the coverage of an item by the matrices of test results: one Test for each matrix that has results (cells) of the item. It
    has passed if all these cells have."""
    tests = []
    for file, title in MATRICES.items():
        mine = [cell for cell in cells[file] if covers(cell, item)]
        bad = [f"{op} {dtype}" for op, dtype, _, status in mine if status != "pass"]
        if mine:
            name = f"{title}, {len(mine)} cells" + (f", failing: {', '.join(bad[:5])}" if bad else "")
            tests.append(Test(name, "fail" if bad else "pass", file))
    return tests


def table_ops():
    path = os.path.join(ROOT, "src", "ops", "ops.def")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        ops = re.findall(r'^HARP_OP\(\w+,\s*"([^"]+)",\s*(\w+)', file.read(), re.M)
    # The op `input` needs no cell of its own, because every cell has inputs. Native functions have no cells, because a cell is a graph as
    # text, and a text cannot contain a native function (tests/lower/native_test.cpp tests these).
    return [op for op, family in ops if op != "input" and family != "Native"]


def status_of(tests):
    if not tests:
        return "no test"
    for status in ("fail", "not run", "skip"):
        if any(test.status == status for test in tests):
            return status
    return "pass"


def totals(results):
    """Returns "N passed, N failed, N skipped" for all test cases. A ctest entry that failed without naming a case (by a crash or a timeout)
    counts as one failure."""
    passed = failed = skipped = 0
    entries = read_ctest(results)
    for name, status in entries.items():
        path = os.path.join(results, name + ".tsv")
        lines = list(read_lines(path)) if os.path.exists(path) else []
        bad = sum(test.status == "fail" for test in lines)
        without = [test for test in lines if test.status == "skip"]
        passed += len(lines) - bad - len(without) if lines else status == "pass"
        failed += bad if bad else status != "pass"
        skipped += len(without)
        for test in without:
            print(f"skipped: {test.name}  [{test.file}]" + (f": {test.reason}" if test.reason else ""))
    if not entries:
        failed = 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description="coverage of the contract's rows by tests")
    parser.add_argument("ids", nargs="*", help="rows or items to show (default: all)")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--check", action="store_true", help="exit 1 unless every item shown is covered and passes")
    parser.add_argument("--totals", action="store_true", help='print only "N passed, N failed, N skipped" of the last run, and what was skipped')
    parser.add_argument("--brief", action="store_true", help="rows only, not their items")
    args = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # otherwise `./dev rows | head` would end with an error
    results = os.path.join(args.build, "test_results")
    if args.totals:
        return totals(results)

    items, titles = read_items(os.path.join(ROOT, "tests", "rows.txt"))
    known = {item.id for item in items} | set(titles)
    nouns = {item.id.split("/")[0] for item in items}
    covered, cells = collect_tests(results, known), read_matrices(args.build)
    asked = set(args.ids)
    bad = shown = fine = 0
    for row in titles:
        mine = [item for item in items if item.row == row and (not asked or row in asked or item.id in asked)]
        if not mine:
            continue
        found = [(item, covered.get(item.id, []) + matrix_tests(item, cells)) for item in mine]
        passing = sum(status_of(tests) == "pass" for _, tests in found)
        print(f"{row:4} {passing:3} of {len(mine):3} items pass   {titles[row]}")
        shown, fine, bad = shown + len(mine), fine + passing, bad + len(mine) - passing
        if args.brief:
            continue
        for test in covered.get(row, []) + [test for noun in sorted(nouns - known) if noun.split(".")[0] == row for test in covered.get(noun, [])]:
            print(f"       {test.status:8} {test.name}  [{test.file}]")
        for item, tests in found:
            note = f"  ({item.note})" if item.note else ""
            print(f"     {status_of(tests):8} {item.id}{note}")
            for test in tests:
                print(f"                {test.status:8} {test.name}  [{test.file}]")
    print(f"{fine} of {shown} items pass")

    wrong = sorted(set(covered) - known - nouns)
    if wrong:
        print("named by tests, but not in tests/rows.txt: " + ", ".join(wrong))
    matrix = cells["op_matrix.txt"]
    missing = sorted(set(table_ops()) - {cell[0] for cell in matrix})
    if not matrix:
        print(f"no op matrix: {os.path.relpath(args.build, ROOT)} has no op_matrix.txt (./dev test writes it)")
    elif missing:
        print("fail: ops of src/ops/ops.def without a cell in the op matrix: " + ", ".join(missing))
    return 1 if args.check and (bad or wrong or missing) else 0


if __name__ == "__main__":
    sys.exit(main())
