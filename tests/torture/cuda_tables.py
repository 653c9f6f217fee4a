#!/usr/bin/env python3
"""The tables of `./dev torture cuda`: what can be found out about the CUDA backend without a GPU.

Arguments are names of tables (drivers, compilers, faults, roofline; default: all), or names of golden programs to restrict the tables to.
`--seed N` chooses the faults. No table measures speed. Exits 1 if something that must hold does not. Needs HARP_SOURCE_DIR, HARP_BUILD_DIR
and HARP_TOOL.
"""
import argparse
import os
import sys

TESTS = os.path.join(os.environ["HARP_SOURCE_DIR"], "tests")
sys.path[:0] = [os.path.join(TESTS, "support"), os.path.join(TESTS, "cuda"), os.path.join(TESTS, "torture", "cuda")]

import package_group  # noqa: E402  pylint: disable=wrong-import-position

TABLES = ("drivers", "compilers", "faults", "roofline")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"tables ({', '.join(TABLES)}) or golden programs")
    parser.add_argument("--seed", type=int, default=1, help="of the faults")
    options = parser.parse_args()
    tables = [name for name in TABLES if name in options.names] or TABLES
    wanted = [name for name in options.names if name not in TABLES]
    failed = []
    import golden_compile_test as compilers  # pylint: disable=import-outside-toplevel

    if not os.path.exists(compilers.NVCC):
        left_out = [name for name in tables if name in ("compilers", "roofline")]
        tables = [name for name in tables if name not in left_out]
        if left_out and package_group.absent(__file__, f"the tables {' and '.join(left_out)} need the group cuda; ./dev setup cuda"):
            failed += left_out
    for name in tables:
        module = __import__(name)
        if not module.table(wanted, options.seed) if name == "faults" else not module.table(wanted):
            failed.append(name)
        print(flush=True)
    print(f"cuda tables: {', '.join(tables)}: " + (f"failed: {', '.join(failed)}" if failed else "all right"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
