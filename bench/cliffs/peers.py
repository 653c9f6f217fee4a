"""The peers that harp is compared with: the same work by NumPy, by torch, and by a plain C loop that gcc compiles for this CPU. The
functions numpy_peer, torch_peer and c_peer each return two things: a function that does the work a given number of times and returns the
seconds that it took, and the results of one run. If the peer cannot do the case, they raise Absent with the reason."""
import ctypes
import os
import pathlib
import site
import subprocess
import sys
import tempfile
import time

import numpy as np

from case import first_element, strides, view, widened
from families.loops import BF16, C_TYPES

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = ["-O3", "-march=native", "-fwrapv", "-fno-math-errno"]  # without -ffast-math, which may change results
HEAD = """#include <complex.h>
#undef I
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
"""


class Absent(Exception):
    """Raised if NumPy, torch or the C loop cannot do the work of a benchmark; the message is the reason."""


class Compiler:
    """Compiles C texts to shared libraries, in a temporary folder that is deleted with this object."""

    def __init__(self):
        self.command = os.environ.get("HARP_CLIFFS_CC", "gcc")
        self._folder = tempfile.TemporaryDirectory(prefix="harp-cliffs-")
        self._count = 0

    def load(self, text, flags):
        self._count += 1
        source, library = (os.path.join(self._folder.name, f"{self._count}{end}") for end in (".c", ".so"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        try:
            done = subprocess.run([self.command, *flags, "-shared", "-fPIC", source, "-o", library, "-lm"], capture_output=True, text=True, check=False)
        except OSError as error:
            raise Absent(f"{self.command} is not installed: {error}") from None
        if done.returncode != 0:
            raise Absent(f"{self.command} failed: {done.stderr[:1000]}")
        loaded = ctypes.CDLL(library)
        os.unlink(library)
        return loaded


def clock(compiler):
    """Compiles clock.c and returns the library; its functions time loops without Python in between."""
    with open(pathlib.Path(__file__).with_name("clock.c"), encoding="utf-8") as file:
        loaded = compiler.load(file.read(), [*FLAGS, "-fopenmp"])
    for name in ("time_program", "time_loop", "time_read", "time_copy", "time_f32", "time_f64", "time_i32"):
        getattr(loaded, name).restype = ctypes.c_double
    return loaded


def _timed(run, threads):
    """Returns a function that calls `run` a given number of times and returns the seconds: CPU time of this thread if threads is 1,
    otherwise wall-clock time."""
    now = time.thread_time if threads == 1 else time.perf_counter

    def seconds(repeats):
        begin = now()
        for _ in range(repeats):
            run()
        return now() - begin

    return seconds


def _listed(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def numpy_peer(case, problem, stored, output_dtypes):
    if "bf16" in [array.dtype for array in problem.inputs] + output_dtypes:
        raise Absent("NumPy has no bf16")
    set_blas_threads(case.threads)
    arrays = [view(array, each.layout) for array, each in zip(stored, problem.inputs)]
    return _timed(lambda: problem.numpy(np, *arrays), case.threads), [np.asarray(array) for array in _listed(problem.numpy(np, *arrays))]


def set_blas_threads(count):
    """Sets the number of threads of NumPy's OpenBLAS. Does nothing if NumPy uses another BLAS."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as file:
            paths = {line.split()[-1] for line in file if "openblas" in line}
    except OSError:
        return
    for path in paths:
        library = ctypes.CDLL(path)
        for name in ("openblas_set_num_threads", "openblas_set_num_threads64_", "scipy_openblas_set_num_threads64_"):
            if hasattr(library, name):
                getattr(library, name)(count)


_TORCH = []


def torch_module():
    """Returns the module torch: the one that ./dev setup bench installed with pip, otherwise Debian's."""
    if not _TORCH:
        for folder in sorted(ROOT.glob("build/release/bench_venv/lib/python3*/site-packages")):
            site.addsitedir(str(folder))
            sys.path.insert(0, str(folder))
        try:
            import torch  # pylint: disable=import-outside-toplevel
            torch.set_grad_enabled(False)
            _TORCH.append(torch)
        except ImportError as error:
            _TORCH.append(f"torch is not installed ({error}); ./dev setup bench")
    if isinstance(_TORCH[0], str):
        raise Absent(_TORCH[0])
    return _TORCH[0]


def _tensor(torch, stored, array):
    if array.dtype == "bf16":
        return view(torch.from_numpy(stored.view(np.int16)).view(torch.bfloat16), array.layout)
    return view(torch.from_numpy(stored), array.layout)


def _array(torch, tensor):
    tensor = tensor.detach()
    if tensor.dtype == torch.bfloat16:
        return tensor.contiguous().view(torch.int16).numpy().view(np.uint16)
    return tensor.resolve_conj().numpy()


def torch_peer(case, problem, stored):
    torch = torch_module()
    if problem.torch is None:
        raise Absent("torch has no such operation")
    torch.set_num_threads(case.threads)
    try:
        tensors = [_tensor(torch, memory, array) for memory, array in zip(stored, problem.inputs)]
        results = _listed(problem.torch(torch, *tensors))
        return _timed(lambda: problem.torch(torch, *tensors), case.threads), [_array(torch, result) for result in results]
    except (RuntimeError, TypeError, AttributeError, ValueError, IndexError, NotImplementedError) as error:
        raise Absent(f"torch {torch.__version__}: {str(error).splitlines()[0][:200]}") from None


def c_text(case, problem, outputs, names, dtypes):
    """Returns the C text of a function run(inputs, outputs) that does the work of a benchmark, for comparison with harp. Sizes and strides
    are constants, and a macro for each array gives its elements. Elements of bf16 inputs are converted to float; the text converts what it
    stores (narrowed in families/loops.py)."""
    lines, body = [HEAD, BF16], []
    read = [("inputs", k, array.name, array.dtype, first_element(problem, array), strides(problem, array)) for k, array in enumerate(problem.inputs)]
    written = [("outputs", k, name, dtype, 0, [s // max(array.itemsize, 1) for s in array.strides])
               for k, (name, dtype, array) in enumerate(zip(names, dtypes, outputs))]
    for kind, k, name, dtype, first, step in read + written:
        arguments = [f"a{axis}" for axis in range(len(step))]
        offset = " + ".join([*(f"(int64_t)(a{axis}) * {s}" for axis, s in enumerate(step)), *([str(first)] if first else [])]) or "0"
        element = f"from_bf16({name}_[{offset}])" if dtype == "bf16" and kind == "inputs" else f"{name}_[{offset}]"
        lines.append(f"#define {name}({', '.join(arguments)}) {element}")
        body.append(f"  {'const ' if kind == 'inputs' else ''}{C_TYPES[dtype]}* restrict {name}_ = {kind}[{k}];")
    parallel = [f"#define PARALLEL _Pragma(\"omp parallel for num_threads({case.threads})\")",
                f"#define PARALLEL_2 _Pragma(\"omp parallel for collapse(2) num_threads({case.threads})\")"]
    lines += parallel if case.threads > 1 else ["#define PARALLEL", "#define PARALLEL_2"]
    lines += [problem.c_head, "void run(void** inputs, void** outputs) {", *body, problem.c, "}", ""]
    return "\n".join(lines)


def c_peer(case, problem, stored, program, compiler, timer):
    if problem.c is None:
        raise Absent("no C loop is written for this case")
    outputs = [np.zeros_like(array) for array in program.outputs]
    text = c_text(case, problem, outputs, program.output_names, program.output_dtypes)
    function = compiler.load(text, [*FLAGS, *(["-fopenmp"] if case.threads > 1 else [])]).run
    pointers = [(ctypes.c_void_p * max(1, len(arrays)))(*(array.ctypes.data for array in arrays)) for arrays in (stored, outputs)]
    # The function has only pointers to the arrays; this attribute keeps the arrays alive as long as the function.
    function.arrays = (stored, outputs)

    def seconds(repeats):
        return timer.time_loop(ctypes.c_int64(repeats), case.threads, function, *pointers)

    seconds(1)
    return seconds, outputs


def expected_arrays(problem, views):
    """Returns the results with which harp's results are compared: NumPy's, with 16-bit floats widened to f32."""
    return [np.asarray(array) for array in _listed(problem.numpy(np, *(widened(array, each.dtype) for array, each in zip(views, problem.inputs))))]
