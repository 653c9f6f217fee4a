"""clang's CUDA front end compiles harp.hpp as the host part of a CUDA source. For that it needs no CUDA toolkit.

rows: E1.expr
"""
import os
import shutil
import subprocess
import sys

SOURCE = os.environ["HARP_SOURCE_DIR"]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "support"))

import package_group  # noqa: E402

# CUDA's keywords are defined in the headers of the toolkit, which are not used here. So macros define the keywords as clang's attributes.
WORDS = [f"-D__{word}__=__attribute__(({word}))" for word in ("host", "device", "global")]
CUDA = ["-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-fsyntax-only", *WORDS]
PROBE = "#include <cstdlib>\n#include <complex>\n__global__ void kernel(int* x) { *x = 1; }\nint main() { return std::complex<float>(0).real() > 0; }\n"


def compiled(*arguments, text=None):
    return subprocess.run(["clang++", *CUDA, *arguments], input=text, capture_output=True, text=True, check=False)


def main():
    if not shutil.which("clang++"):
        sys.exit(package_group.absent(__file__, "clang++ is not installed; ./dev setup test"))
    probe = compiled("-std=c++17", "-", text=PROBE)
    if probe.returncode != 0:
        package_group.leave(__file__, "skip", f"this clang++ does not compile CUDA without a toolkit: {probe.stderr.splitlines()[0]}")
    status = 0
    for standard in ("17", "20"):
        # both files are one source, so that the compiler reads harp.hpp once
        result = compiled(f"-std=c++{standard}", "-Wall", "-Wextra", "-Werror", "-I", os.path.join(SOURCE, "include"),
                          "-include", os.path.join(HERE, "everything.cpp"), os.path.join(HERE, "beside_kernel.cu"))
        status = status or result.returncode
        print(f"{'fail' if result.returncode else 'pass'} C++{standard}{': ' + result.stderr[:3000] if result.returncode else ''}")
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
