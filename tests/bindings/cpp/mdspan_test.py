"""Makes harp.hpp's tensors and fields from std::mdspan, and std::mdspan from them, with every installed compiler whose standard library
has std::mdspan.

rows: H6.mdspan_in/cpp H6.mdspan_out/cpp
"""
import os
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = os.environ["HARP_SOURCE_DIR"], os.environ["HARP_BUILD_DIR"]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "support"))

import package_group  # noqa: E402

PROBE = "#include <mdspan>\n#if !defined(__cpp_lib_mdspan)\n#error none\n#endif\n"
COMPILERS = [(f"{name}{version}", *flags) for name, flags in (("g++", ()), ("clang++", ()), ("clang++", ("-stdlib=libc++",)))
             for version in ("", *(f"-{number}" for number in range(14, 23)))]


def run(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def main():
    os.environ.pop("HARP_MACHINE", None)
    having = [compiler for compiler in COMPILERS
              if shutil.which(compiler[0]) and run(*compiler, "-std=c++23", "-x", "c++", "-fsyntax-only", "-", text=PROBE).returncode == 0]
    if not having:
        package_group.leave(__file__, "skip", "no compiler here has a library with <mdspan>")
    status = 0
    with tempfile.TemporaryDirectory(prefix="harp-mdspan-") as scratch:
        for compiler in having:
            program = os.path.join(scratch, "program")
            result = run(*compiler, "-std=c++23", "-Wall", "-Wextra", "-Werror", "-I", os.path.join(SOURCE, "include"), os.path.join(HERE, "mdspan.cpp"),
                         "-o", program, "-L", BUILD, "-lharp", f"-Wl,-rpath,{BUILD}")
            if result.returncode == 0:
                result = run(program)
            status = status or result.returncode
            print(f"{'fail' if result.returncode else 'pass'} {' '.join(compiler)}: {result.stdout}{result.stderr[:3000]}")
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
