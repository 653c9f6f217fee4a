"""Measures the limits of this machine at the start of a sweep: the bandwidth for each size of memory that is read or copied, and the rate
of operations in registers. The roofline of a case is a time that no program can beat: its bytes at that bandwidth, or its operations at
that rate, whichever takes longer."""
import bisect
import ctypes
import math

import numpy as np

from case import THREADS

SIZES = [1 << shift for shift in (14, 16, 18, 20, 22, 24, 26, 28)]  # bytes

# Dtypes that are not listed have the rate of i32
PEAK_OF = {"f32": "f32", "f16": "f32", "bf16": "f32", "complex64": "f32", "f64": "f64", "complex128": "f64"}


def _rate(function, work, seconds):
    """Returns work per second: the best of three samples, each of which takes at least about a quarter of `seconds`. `work` is the work
    of one repetition."""
    repeats = 1
    while (taken := function(repeats)) < seconds / 4:
        repeats = max(repeats * 2, math.ceil(repeats * seconds / 3 / max(taken, 1e-7)))
    return max(work * repeats / function(repeats) for _ in range(3))


def measured(timer, seconds=0.01):
    """Measures the machine. Returns {"read": {threads: [bytes per second for each of SIZES]}, "copy": the same, "f32": {threads:
    operations per second}, "f64": ..., "i32": ...}."""
    memory = np.ones(SIZES[-1], np.uint8)
    start = ctypes.c_void_p((memory.ctypes.data + 63) // 64 * 64)
    found = {}
    for kind in ("read", "copy"):
        function = getattr(timer, f"time_{kind}")
        found[kind] = {threads: [_rate(lambda repeats, size=size,
                                       threads=threads: function(ctypes.c_int64(repeats), threads, start, ctypes.c_size_t(size - 64)), size, seconds)
                                 for size in SIZES] for threads in THREADS}
    lanes = {"f32": 4, "f64": 8, "i32": 4}
    width = timer.vector_bytes()
    for dtype, size in lanes.items():
        function = getattr(timer, f"time_{dtype}")
        found[dtype] = {threads: _rate(lambda repeats, threads=threads: function(ctypes.c_int64(repeats), threads), threads * 1024 * 16 * 2 * (width // size),
                                       seconds) for threads in THREADS}
    # Two threads cannot really be slower than one. If the measurement says so, because another process used a CPU, the rate of one thread
    # is taken for two threads.
    for rates in found.values():
        rates[2] = [max(pair) for pair in zip(rates[1], rates[2])] if isinstance(rates[1], list) else max(rates.values())
    return found


def bandwidth(machine, kind, threads, size):
    """Returns the bandwidth, in bytes per second, of reading or copying memory of this size again and again. Between two measured sizes
    the bandwidth is interpolated linearly in the logarithm of the size."""
    rates = machine[kind][threads]
    k = min(max(bisect.bisect_left(SIZES, size), 1), len(SIZES) - 1)
    part = min(max((math.log(max(size, 1)) - math.log(SIZES[k - 1])) / (math.log(SIZES[k]) - math.log(SIZES[k - 1])), 0), 1)
    return rates[k - 1] * (1 - part) + rates[k] * part


def roofline(machine, problem, threads, read, written):
    """Returns the least seconds for a case with these bytes, by bandwidth and by operations. The bandwidth is that of reading if nothing
    is written, that of copying if as much is written as read, and in between otherwise."""
    total = read + written
    share = min(1.0, 2 * written / total) if total else 0
    rate = bandwidth(machine, "read", threads, total) * (1 - share) + bandwidth(machine, "copy", threads, total) * share
    dtypes = {PEAK_OF.get(array.dtype, "i32") for array in problem.inputs}
    peak = max((machine[dtype][threads] for dtype in dtypes), default=math.inf)
    return max(total / rate, problem.flops / peak, 1e-9)
