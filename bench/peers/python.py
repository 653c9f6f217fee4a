#!/usr/bin/python3
"""harp_bench_python call|lazy|import: measures harp's Python binding, controlled by the protocol of bench/harness/peer_process.h.

`call` calls a function compiled by harp.jit, and `lazy` computes lazy tensors whose graph is in the cache; harp_bench_front.py defines
both. `import` measures the CPU time of `import harp` in a new process that has already imported NumPy. The package is in the directory
python_package next to this file. The exit status is 69 if it is not installed.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import harp_bench_served as served

import harp_bench_front as front
import numpy

PACKAGE = pathlib.Path(__file__).resolve().parent / "python_package"
IMPORT = "import time, numpy; begin = time.process_time(); import harp; print(time.process_time() - begin)"


def import_seconds():
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    return float(subprocess.run([sys.executable, "-c", IMPORT], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout)


def main(what):
    sys.path.insert(0, str(PACKAGE))
    try:
        import harp
    except ImportError as error:
        served.not_installed(error)
    if what == "import":
        return served.serve(lambda: numpy.zeros(1), seconds=import_seconds)
    a, b = front.arrays()
    with tempfile.TemporaryDirectory(prefix="harp-bench-") as cache:
        harp.configure(threads=served.THREADS, cache_dir=cache)
        harp.set_backend("c")
        if what == "call":
            function = harp.jit(front.product, numpy=True)
            return served.serve(lambda: function(a, b))
        x, w = harp.asarray(a), harp.asarray(b)
        return served.serve(lambda: front.twenty(x, w).eval())


if __name__ == "__main__":
    main(sys.argv[1])
