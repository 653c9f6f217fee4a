#!/usr/bin/python3
"""harp_bench_jax JOB ARGUMENTS...

Measures JAX on the CPU, controlled by the protocol of bench/harness/peer_process.h: each job of jobs.py as one function that jax.jit
compiles, on as many threads as JAX starts. The exit status is 69 if JAX is not installed.
"""
import sys

import harp_bench_served as served

import harp_bench_jobs as jobs
import numpy

try:
    import jax
except ImportError as error:
    served.not_installed(error)


def cg(folder):
    """The conjugate gradients of a CSR matrix. JAX has no product of a CSR matrix and a vector, so all products of two elements are
    computed and then summed by row."""
    offsets, columns, values = jobs.cg_data(folder)
    size = offsets.size - 1
    rows = numpy.repeat(numpy.arange(size), numpy.diff(offsets))

    def run(rows, columns, values, x):
        def times(p):
            return jax.ops.segment_sum(values * p[columns], rows, size, indices_are_sorted=True)

        return jobs.cg(jax.numpy, times, x)

    return run, [rows, columns, values, numpy.ones(size)]


def small(count):
    """Returns the function of the small graph of bench/cases/compiling.cpp, and its arguments."""
    return lambda a, b, c: jax.numpy.maximum(a * b + c, 0) * 2, [served.array(i, int(count)) for i in range(3)]


def work(name, *arguments):
    """Returns the function to time and its arguments."""
    if name == "cg":
        return cg(*arguments)
    if name == "cg_dense":
        matrix = jobs.cg_dense_data(*arguments)
        return lambda a, x: jobs.cg(jax.numpy, lambda p: a @ p, x), [matrix, numpy.ones(len(matrix))]
    job = getattr(jobs, name)
    return lambda *data: job(jax.numpy, *data), getattr(jobs, name + "_data")(*arguments)


def main():
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", True)
    first = sys.argv[1] == "small"
    function, data = small(*sys.argv[2:]) if first else work(*sys.argv[1:])
    data = jax.block_until_ready([jax.device_put(x) for x in data])
    compiled = jax.jit(function)

    def run():
        return jax.block_until_ready(compiled(*data))

    def compared(result):
        return served.numbers(result if not isinstance(result, (list, tuple)) else result[0 if sys.argv[1] == "mlp" else -1])

    served.serve(run, compared, warm=not first)


if __name__ == "__main__":
    main()
