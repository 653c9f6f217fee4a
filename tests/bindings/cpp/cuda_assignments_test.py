"""Tests harp.hpp in CUDA sources: runs assignments.cu in the emulator of tests/cuda, and compiles its kernels to PTX with nvcc. Also
compiles the C++ programs of docs/cuda.md, kernels and host code, with nvcc.

With the argument --program, the script only compiles assignments.cu with nvcc to the program harp_cu_tests in the build folder, which runs
on a GPU. `./dev torture cuda`, `./dev gpu` and `./dev gpu pack` do this; tests/gpu/run runs the program. Compiling the program takes three
times as long as compiling the kernels alone, because nvcc and g++ also compile the host code of every expression.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import cases
import documents
import package_group

SOURCE, BUILD = os.environ["HARP_SOURCE_DIR"], os.environ["HARP_BUILD_DIR"]
HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = os.path.join(BUILD, "cuda_venv", "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages", "nvidia", "cu13")
NVCC, CUOBJDUMP = os.path.join(PACKAGES, "bin", "nvcc"), os.path.join(PACKAGES, "bin", "cuobjdump")
EMULATOR = os.path.join(SOURCE, "tests", "cuda", "emulator")
FAKE = os.path.join(BUILD, "fake_cuda")
INCLUDE = ["-I", os.path.join(SOURCE, "include")]
WARNINGS = "-Wall,-Wextra,-Wconversion,-Werror"


def run(*command, **environment):
    result = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    output = result.stdout + result.stderr
    assert result.returncode == 0, f"{' '.join(command)}: exit status {result.returncode}\n{output[:5000]}"
    return output


class Emulated:
    """The program that is compiled from assignments.cu for the emulator."""

    def __init__(self, scratch):
        self.scratch, self.program = scratch, os.path.join(scratch, "emulated")
        # The program is not optimised, because compiling it takes much longer than running it. clang++ is preferred, because it needs half
        # of g++'s time.
        run(shutil.which("clang++") or "g++", "-O0", "-std=c++17", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", *INCLUDE,
            "-I", EMULATOR, "-include", os.path.join(EMULATOR, "runtime_api.h"), "-x", "c++", os.path.join(HERE, "assignments.cu"),
            "-o", self.program, "-L", BUILD, "-lharp", f"-Wl,-rpath,{BUILD}", "-ldl")

    def case_kernels(self):
        """E2.in_cu/cuda E2.assignment_kernel/cuda: assignments are kernels of the source itself, and need no CUDA compiler at run time"""
        folder = os.path.join(self.scratch, "only_driver")
        os.mkdir(folder)
        shutil.copy(os.path.join(FAKE, "libcuda.so.1"), folder)
        output = run(self.program, "kernels", LD_LIBRARY_PATH=folder)
        assert output.splitlines()[-1] == "passed", output

    def case_programs(self):
        """E3.compiled/nvrtc E3.walked_once E3.launch_only: other expressions are compiled when they are first assigned, and follow in order"""
        output = run(self.program, LD_LIBRARY_PATH=FAKE)
        assert output.splitlines()[-1] == "passed", output


def check_kernels(ptx):
    """Checks that the PTX contains the kernels of assignments.cu, and that its operations on floats are those that docs/semantics.md
    prescribes: rounded to nearest, not contracted and not approximate."""
    entries = re.findall(r"\.entry (\w*assignment_kernel\w*)", ptx)
    assert len(entries) > 30, entries
    # Removes the kernel `twice`, which is written out in assignments.cu and need not follow docs/semantics.md. The pattern permits lines
    # without indentation, because cuobjdump, unlike nvcc, does not indent instructions.
    others = re.sub(r"\.entry \w*twice\w*\(.*?^}", "", ptx, flags=re.S | re.M)
    lines = set(re.findall(r"^\s*(?:@!?%p\d+\s+)?((?:\w|\.)+)", others, re.M))
    assert {"add.rn.f32", "mul.rn.f32", "div.rn.f32", "sqrt.rn.f32", "add.rn.f64", "mul.rn.f64", "div.rn.f64", "sqrt.rn.f64"} <= lines, lines
    for line in lines:
        parts = line.split(".")
        assert parts[0] not in ("fma", "mad") or parts[-1] not in ("f32", "f64"), f"{line}: contracted"
        assert "ftz" not in parts and "approx" not in parts and "full" not in parts, line
        if parts[-1] in ("f32", "f64") and parts[0] in ("add", "sub", "mul", "div", "rcp", "sqrt"):
            assert "rn" in parts, line


def case_nvcc():
    """E2.in_cu/cuda E2.assignment_kernel/cuda: nvcc compiles the kernels, with the operations on floats that docs/semantics.md demands"""
    with tempfile.TemporaryDirectory(prefix="harp-cu-") as scratch:
        ptx = os.path.join(scratch, "assignments.ptx")
        run(NVCC, "-std=c++17", "-ptx", "-gencode", "arch=compute_80,code=compute_80", *INCLUDE, os.path.join(HERE, "assignments.cu"), "-o", ptx)
        with open(ptx, encoding="utf-8") as file:
            check_kernels(file.read())


def make_program():
    """nvcc compiles all of assignments.cu to a program, without a warning"""
    program = os.path.join(BUILD, "harp_cu_tests")
    new = program + ".new"
    # The program contains PTX, which every GPU from sm_80 on can use, and machine code for sm_90 that is made from the same PTX, because
    # making PTX takes longest.
    run(NVCC, "-O2", "-std=c++17", "-cudart", "static", "-gencode", "arch=compute_80,code=[compute_80,sm_90]", "-Xcompiler", WARNINGS,
        *INCLUDE, os.path.join(HERE, "assignments.cu"), "-o", new, "-L", BUILD, "-lharp", "-Xlinker", "-rpath=$ORIGIN")
    check_kernels(run(CUOBJDUMP, "-ptx", new))
    os.replace(new, program)


def case_documents():
    """E2.in_cu/cuda: the C++ programs of docs/cuda.md compile"""
    with open(os.path.join(SOURCE, "docs", "cuda.md"), encoding="utf-8") as file:
        programs = [block.text for block in documents.blocks(file.read()) if block.language == "cpp" and not block.reason]
    assert programs
    with tempfile.TemporaryDirectory(prefix="harp-cu-") as scratch:
        source = os.path.join(scratch, "program.cu")
        for text in programs:
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            run(NVCC, "-std=c++17", "-cudart", "static", "-gencode", "arch=compute_80,code=sm_80", "-Xcompiler", WARNINGS, *INCLUDE, source, "-o",
                os.path.join(scratch, "program"), "-L", BUILD, "-lharp")


def main():
    if sys.argv[1:] == ["--program"]:
        package_group.require("cuda", __file__, paths=(NVCC, CUOBJDUMP))
        return cases.run([("make_program", make_program)], __file__)
    os.environ.pop("HARP_MACHINE", None)
    with tempfile.TemporaryDirectory(prefix="harp-cu-") as scratch:
        os.environ["HARP_CACHE_DIR"] = os.path.join(scratch, "cache")
        status = cases.run(cases.of(Emulated(scratch)), __file__)
    package_group.require("cuda", __file__, paths=(NVCC,))
    return cases.run(cases.of(sys.modules["__main__"]), __file__) or status


if __name__ == "__main__":
    sys.exit(main())
