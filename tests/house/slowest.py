"""Prints the ctest entries that took longest, from a report of `ctest --output-junit`, so that `./dev test` shows which tests take its
time.

usage: slowest.py ctest.xml [how many]
"""
import sys
import xml.etree.ElementTree as ElementTree


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 12
    cases = [(float(case.get("time", 0)), case.get("name")) for case in ElementTree.parse(sys.argv[1]).getroot().iter("testcase")]
    slowest = sorted(cases, reverse=True)[:count]
    print(f"{len(cases)} entries, {sum(seconds for seconds, _ in cases):.0f} s one after the other; the slowest:")
    for seconds, name in slowest:
        print(f"  {seconds:6.1f} s  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
