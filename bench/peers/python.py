#!/usr/bin/python3
"""harp_bench_python call|lazy|import: harp from Python, asked as bench/peer_process.h says.

`call` is a function that harp.jit compiled, `lazy` computes tensors whose structure was seen before, both of harp_bench_front.py; `import` is
how long the import computes beside NumPy's, in a process of its own. The package is the one in python_package, beside this file. Exit status
69 without it.
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
