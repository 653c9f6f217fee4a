"""harp.hpp compiles without a warning with every compiler that is installed, as C++17 and later, with and without exceptions, and without
RTTI.

rows: H1.lazy/cpp E1.expr
"""
import itertools
import os
import shutil
import subprocess
import sys

SOURCE = os.environ["HARP_SOURCE_DIR"]
HERE = os.path.dirname(os.path.abspath(__file__))
COMPILERS = [name for name in ("g++", "g++-12", "g++-13", "g++-14", "clang++", "clang++-14", "clang++-16", "clang++-19") if shutil.which(name)]
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Wdouble-promotion", "-Wshadow", "-Wundef", "-Wold-style-cast",
            "-Wcast-qual", "-Wnon-virtual-dtor", "-Wpedantic", "-Werror"]


def distinct(compilers):
    """Returns a list with only one name for each compiler, because two names may mean the same compiler: on Debian 12, g++ is g++-12."""
    seen = {}
    for name in compilers:
        seen.setdefault(os.path.realpath(shutil.which(name)), name)
    return list(seen.values())


def compiles(compiler, *flags):
    command = [compiler, "-o", os.devnull, *WARNINGS, "-I", os.path.join(SOURCE, "include"), *flags, os.path.join(HERE, "everything.cpp")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if result.returncode == 0 else f"{' '.join(command)}\n{result.stderr[:3000]}"


def main():
    status = 0
    for compiler, standard, exceptions in itertools.product(distinct(COMPILERS), ("17", "20", "2b"), ("-fexceptions", "-fno-exceptions")):
        # gcc gives some warnings only when it optimises; clang gives all warnings even if it only parses the file.
        whole = ["-O2", "-S"] if standard == "17" and not compiler.startswith("clang") else ["-fsyntax-only"]
        mistake = compiles(compiler, f"-std=c++{standard}", exceptions, "-fno-rtti", *whole)
        status = status or (1 if mistake else 0)
        print(f"{'fail' if mistake else 'pass'} {compiler} C++{standard} {exceptions}{': ' + mistake if mistake else ''}")
    return status


if __name__ == "__main__":
    sys.exit(main())
