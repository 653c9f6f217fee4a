"""Compiles the CUDA text of the golden graphs (tests/cuda/golden/*.cu) with NVIDIA's own compilers, which are installed from the Python
packages of the group "cuda"; no GPU is needed. The kernels must have no spilled registers and no more registers than their launch bounds
permit. In the PTX every operation on floats must be that of the source: rounded to nearest, not approximate, and with subnormals kept.

This test compiles only a part of all combinations, because the compilers are slow (up to 7 s for a text). Successive texts are compiled
for successive architectures. NVRTC 13 compiles each text for one architecture; it compiles the texts of tiled matrix products for two.
NVRTC 12 compiles every fourth text, and nvcc every sixth. `./dev torture cuda` compiles all combinations of texts, architectures and
compilers (tests/torture/cuda/compilers.py, which uses this module).
"""
import collections
import concurrent.futures
import ctypes
import glob
import os
import re
import subprocess
import sys
import tempfile

import cases
import package_group

SOURCE = os.environ["HARP_SOURCE_DIR"]
VENV = os.path.join(os.environ["HARP_BUILD_DIR"], "cuda_venv")
PACKAGES = os.path.join(VENV, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages", "nvidia")
NVRTC_13 = os.path.join(PACKAGES, "cu13", "lib", "libnvrtc.so.13")
NVRTC_12 = os.path.join(PACKAGES, "cuda_nvrtc", "lib", "libnvrtc.so.12")
NVCC = os.path.join(PACKAGES, "cu13", "bin", "nvcc")
COMPILERS = ("NVRTC 13", "NVRTC 12", "nvcc 13")
ARCHITECTURES = ("80", "86", "90", "100", "120")
REGISTERS = 65536  # registers of a multiprocessor
GOLDEN = sorted(glob.glob(os.path.join(SOURCE, "tests", "cuda", "golden", "*.cu")))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# The golden texts of matrix products and convolutions that are computed by tiles.
PRODUCTS = [path for path in GOLDEN if "contraction [" in read(path)]


def arithmetic_flags():
    """Returns the flags that harp passes to NVRTC and nvcc (src/compile/cuda_flags.cpp)."""
    listed = re.search(r"cuda_arithmetic_flags\(\) \{ return \{(.*?)\}; \}", read(os.path.join(SOURCE, "src", "compile", "cuda_flags.cpp")))[1]
    flags = re.findall(r'"(.*?)"', listed)
    assert "--fmad=false" in flags and len(flags) == 4, flags
    return flags


FLAGS = ["--std=c++17", "--ptxas-options=-v", *arithmetic_flags()]


Compiled = collections.namedtuple("Compiled", "cubin ptx log")


def compile_by_nvrtc(library, text, architecture, to_cubin=True):
    """Compiles the text with NVRTC to machine code for sm_ARCHITECTURE or, if not `to_cubin`, only to PTX for compute_ARCHITECTURE. Returns
    the machine code (None if there is only PTX), the PTX, and the compiler's messages as Compiled."""
    nvrtc = ctypes.CDLL(library)
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"unit.cu", 0, None, None) == 0
    try:
        target, flags = ("sm_", FLAGS) if to_cubin else ("compute_", [flag for flag in FLAGS if "ptxas" not in flag])
        words = [f"--gpu-architecture={target}{architecture}", "--minimal", "--no-cache", *flags]
        status = nvrtc.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*[word.encode() for word in words]))

        def fetch(what):
            assert getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size)) == 0
            content = ctypes.create_string_buffer(size.value)
            assert getattr(nvrtc, f"nvrtcGet{what}")(program, content) == 0
            return content.raw

        log = fetch("ProgramLog").decode().rstrip("\0")
        assert status == 0, log
        return Compiled(fetch("CUBIN") if to_cubin else None, fetch("PTX").decode().rstrip("\0"), log)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def compile_by_nvcc(text, architecture, to_cubin=True):
    """Like compile_by_nvrtc(), with nvcc."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "unit.cu"), "w", encoding="utf-8") as file:
            file.write(text)
        # With --keep, nvcc leaves the PTX in unit.ptx, which is also the file that -ptx writes.
        kind, code = (("-cubin", "--keep", "-o", "unit.cubin"), "sm_") if to_cubin else (("-ptx",), "compute_")
        words = [NVCC, *kind, "-gencode", f"arch=compute_{architecture},code={code}{architecture}", *FLAGS, "unit.cu"]
        result = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr
        cubin = None
        if to_cubin:
            with open(os.path.join(folder, "unit.cubin"), "rb") as file:
                cubin = file.read()
        return Compiled(cubin, read(os.path.join(folder, "unit.ptx")), result.stdout + result.stderr)


def launch_bounds(text):
    """Returns the launch bounds of the kernels of a text: {name: (threads of a block, blocks of a multiprocessor)}."""
    found = re.findall(r"__global__ void __launch_bounds__\((\d+)(?:, (\d+))?\)\s+(\w+)\(", text)
    bounds = {name: (int(threads), int(blocks or 1)) for threads, blocks, name in found}
    assert len(bounds) == text.count("__global__") > 0, f"launch bounds of {len(bounds)} kernels"
    return bounds


def check_resources(text, log, label):
    """Checks that ptxas reports every kernel of the text, that no kernel spills registers, and that no kernel uses more registers than its
    launch bounds permit."""
    bounds = launch_bounds(text)
    spills = re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", log)
    assert len(spills) >= len(bounds), f"{label}: no report of spills: {log}"
    assert all(spill == ("0", "0") for spill in spills), f"{label}: registers are spilled: {log}"
    used = dict(re.findall(r"Compiling entry function '(\w+)' for.*?Used (\d+) registers", log, re.S))
    assert used.keys() == bounds.keys(), f"{label}: {sorted(used)} reported of {sorted(bounds)}"
    for name, (threads, blocks) in bounds.items():
        most = min(255, REGISTERS // (threads * blocks))
        assert int(used[name]) <= most, f"{label}: {name} uses {used[name]} registers, at most {most} leave room for {blocks} blocks"


def check_arithmetic(ptx, label):
    """Checks that every arithmetic operation on floats has the suffix for rounding to nearest (without a suffix, ptxas may contract
    operations), and that no operation is approximate."""
    operations = set(re.findall(r"^\s+(?:@!?%p\d+\s+)?((?:\w|\.)+)", ptx, re.M))
    for operation in sorted(operations):
        parts = operation.split(".")
        assert "ftz" not in parts and "approx" not in parts and "full" not in parts, f"{label}: {operation}"
        assert operation not in ("abs.s16", "abs.s32", "abs.s64"), f"{label}: {operation}, whose result ptxas 13.0 takes for positive"
        if parts[-1] in ("f32", "f64") and parts[0] in ("add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt"):
            assert "rn" in parts, f"{label}: {operation} is not rounded to nearest"
    assert any(operation.split(".")[0] == "ld" for operation in operations), f"{label}: no instructions found in {ptx[:1000]}"


def text_for(path, architecture):
    """Returns the CUDA text of a golden graph for this architecture. This is the golden text. But on some GPUs tiles of 128 x 128 results
    are too large (Gpu::small_tiles, base/machine.h); for these, a golden text with such tiles is replaced by the text that harp generates
    for the architecture."""
    text = read(path)
    if architecture not in ("86", "120") or text.count("tile=128 unroll=8") != 2:
        return text
    name = os.path.basename(path)[: -len(".cu")] + ".harp"
    files = [os.path.join(SOURCE, "tests", folder, name) for folder in ("golden", "cuda/graphs")]
    words = [os.environ["HARP_TOOL"], "emit", next(filter(os.path.exists, files)), "--lang", "cuda", "--target", "sm_" + architecture]
    emitted = subprocess.run(words, capture_output=True, text=True, check=True)
    assert emitted.stdout.count("tile=128 unroll=8") != 2, f"{name}: tiles of 128 x 128 for sm_{architecture}"
    return emitted.stdout


def for_all(jobs, run):
    """Runs the jobs in parallel on threads. This uses all processors, because calls of NVRTC release Python's global interpreter lock."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for result in [pool.submit(run, *job) for job in jobs]:
            result.result()


def compile_by(compiler, text, architecture, to_cubin=True):
    """Compiles the text by one of COMPILERS. Returns Compiled."""
    if compiler == "nvcc 13":
        return compile_by_nvcc(text, architecture, to_cubin)
    return compile_by_nvrtc(NVRTC_13 if compiler == "NVRTC 13" else NVRTC_12, text, architecture, to_cubin)


def check(compiler, path, architecture):
    """Compiles a golden text for this architecture and checks the result: machine code, without spilled registers, with exactly rounded
    arithmetic."""
    text, label = text_for(path, architecture), f"{os.path.basename(path)} by {compiler} for sm_{architecture}"
    compiled = compile_by(compiler, text, architecture)
    assert compiled.cubin[:4] == b"\x7fELF", label
    check_resources(text, compiled.log, label)
    check_arithmetic(compiled.ptx, label)


def in_turn(paths, first=0):
    """Returns a list of pairs (path, architecture). The first path gets ARCHITECTURES[first], the next path the next architecture, and so
    on; after the last architecture the first one follows."""
    return [(path, ARCHITECTURES[number % len(ARCHITECTURES)]) for number, path in enumerate(paths, first)]


def check_all(compiler, jobs):
    """Checks these pairs (path, architecture) with this compiler. Every architecture must occur in them."""
    assert {architecture for _, architecture in jobs} == set(ARCHITECTURES), jobs
    for_all([(compiler, *job) for job in jobs], check)


def case_nvrtc_13():
    """C1.cuda_driver L2.kernel_function/cuda X2.stable/cuda: NVRTC 13 compiles the golden texts without spills, operations as in the source"""
    # Products need nearly all registers, so each one is compiled for two successive architectures. (Two successive architectures also have
    # different texts of square_product, see text_for.) Together the four products cover all architectures.
    check_all("NVRTC 13", in_turn(PRODUCTS) + in_turn(PRODUCTS, first=1))
    # The first of the other texts is compiled for the second architecture, the next one for the third, and so on. NVRTC unrolls loops of a
    # few texts for sm_100 and sm_120 only, which takes 5 s or more. With this order, matmul is the only one of those texts that is compiled
    # for either of the two.
    check_all("NVRTC 13", in_turn([path for path in GOLDEN if path not in PRODUCTS], first=1))


def case_nvrtc_12_and_nvcc():
    """C1.cuda_driver X2.stable/cuda: NVRTC 12 and nvcc compile golden texts without spills, operations as in the source"""
    others = [path for path in GOLDEN if path not in PRODUCTS]
    for compiler, product, step in (("NVRTC 12", PRODUCTS[0], 4), ("nvcc 13", PRODUCTS[1], 6)):
        check_all(compiler, in_turn([product, *others[2::step]]))


def main():
    package_group.require("cuda", __file__, paths=(NVRTC_13, NVRTC_12, NVCC))
    assert len(GOLDEN) > 10, GOLDEN
    return cases.run(cases.of(sys.modules["__main__"]), __file__)


if __name__ == "__main__":
    sys.exit(main())
