"""docs/cpp.md is correct: each of its programs compiles without a warning and prints the output that the page shows.

rows: E1.one_kernel
"""
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ["HARP_SOURCE_DIR"]
BUILD = os.environ["HARP_BUILD_DIR"]
os.environ.pop("HARP_MACHINE", None)  # unset, so that programs are compiled for this CPU, as they are for users

# The command with which a user compiles a program, without the names of the files.
COMPILE = ["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-unused-value", "-I", os.path.join(SOURCE, "include")]


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{' '.join(command)}: exit status {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout


def main():
    with open(os.path.join(SOURCE, "docs", "cpp.md"), encoding="utf-8") as file:
        text = file.read()
    programs = re.findall(r"^```cpp\n(.*?)^```\n+```text\n(.*?)^```$", text, re.M | re.S)
    assert len(programs) >= 6 and len(programs) == text.count("```cpp"), f"{len(programs)} programs, {text.count('```cpp')} blocks"
    status = 0
    with tempfile.TemporaryDirectory(prefix="harp-cpp-") as scratch:
        source, program = os.path.join(scratch, "program.cpp"), os.path.join(scratch, "program")
        # Every program includes harp.hpp, which takes longer to compile than the rest, so it is compiled once, as a part of this header.
        header = os.path.join(scratch, "compiled_once.hpp")
        with open(header, "w", encoding="utf-8") as file:
            file.write("#include <harp.hpp>\n")
        run(*COMPILE, "-x", "c++-header", header, "-o", f"{header}.gch")
        for number, (code, shown) in enumerate(programs):
            with open(source, "w", encoding="utf-8") as file:
                file.write(code)
            try:
                # The program itself must include harp.hpp. This test compiles it with -include HEADER, so here a missing #include would
                # cause no error, but it would for a reader who copies the program.
                assert re.search(r"^#include <harp\.hpp>$", code, re.M), "it does not include harp.hpp"
                run(*COMPILE, "-include", header, source, "-o", program, "-L", BUILD, "-lharp", f"-Wl,-rpath,{BUILD}")
                output = run(program)
                assert output == shown, f"the page shows\n{shown}but the program prints\n{output}"
                print(f"pass program {number + 1}")
            except AssertionError as error:
                status = 1
                print(f"fail program {number + 1}: {error}")
    return status


if __name__ == "__main__":
    sys.exit(main())
