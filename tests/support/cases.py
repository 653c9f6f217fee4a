"""Runs the cases of a test script. A case is a function or method whose name begins with case_. The first line of its docstring is the
title of the case. A title begins with the ids of the items in tests/rows.txt that the case tests; tests/house/rows.py looks for these ids.
A case fails if it raises an exception; the remaining cases still run.
"""
import os
import sys
import traceback


def of(owner):
    """Returns the list [(name, function)] of the cases of an object (its methods, sorted by name) or of a module (its functions, in the
    order of the source)."""
    names = list(vars(owner)) if isinstance(owner, type(sys)) else dir(owner)
    return [(name, getattr(owner, name)) for name in names if name.startswith("case_")]


def run(cases, script, *arguments):
    """Calls the function of each case [(name, function)] with `arguments`. Returns the exit status of the script: 1 if a case failed."""
    failed = 0
    results = os.environ.get("HARP_TEST_RESULTS")
    for name, case in cases:
        title = case.__doc__.splitlines()[0]
        status = "pass"
        try:
            case(*arguments)
        except Exception:  # pylint: disable=broad-except
            status = "fail"
            failed += 1
            traceback.print_exc(file=sys.stdout)
        print(f"{status} {name.removeprefix('case_')}: {title}")
        if results:
            with open(results, "a", encoding="utf-8") as file:
                file.write(f"{status}\t{title}\t{os.path.abspath(script)}\n")
    return 1 if failed else 0
