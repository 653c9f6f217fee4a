#!/usr/bin/python3
"""harp_bench_numpy sort|argsort f32|f64|i32|i64 ROWS COLUMNS | chain NAME COUNT | JOB ARGUMENTS...

Measures NumPy, controlled by the protocol of bench/harness/peer_process.h: sorts of rows with the inputs of bench/cases/sorts.cpp, the
chains of chains.py, and the jobs of jobs.py. The exit status is 69 if NumPy is not installed. A sort first copies its input to an array
that is allocated before the measurement; argsort is stable, as harp's is.
"""
import sys

import harp_bench_served as served

import harp_bench_chains as chains
import harp_bench_jobs as jobs
import numpy


def elements(dtype, count):
    """Returns the same values as fill_elements() of bench/cases/sorts.cpp."""
    if dtype == "f32":
        return served.array(0, count)
    bits = numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ bits >> numpy.uint64(30)) * numpy.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ bits >> numpy.uint64(27)) * numpy.uint64(0x94D049BB133111EB)
    bits ^= bits >> numpy.uint64(31)
    if dtype == "f64":
        return numpy.ldexp((bits >> numpy.uint64(11)).astype(numpy.float64), -52) - 1
    return bits.view(numpy.int64) if dtype == "i64" else (bits >> numpy.uint64(32)).astype(numpy.uint32).view(numpy.int32)


def sort(name, dtype, rows, columns):
    x = elements(dtype, int(rows) * int(columns)).reshape(int(rows), int(columns))
    if name == "argsort":
        return lambda: numpy.argsort(x, axis=-1, kind="stable")
    result = numpy.empty_like(x)

    def run():
        numpy.copyto(result, x)
        result.sort(axis=-1)
        return result

    return run


def scipy_cg(folder):
    try:
        import scipy.sparse
    except ImportError as error:
        served.not_installed(error)
    offsets, columns, values = jobs.cg_data(folder)
    matrix = scipy.sparse.csr_matrix((values, columns, offsets))
    x = numpy.ones(offsets.size - 1)
    return lambda: jobs.cg(numpy, matrix.dot, x)


def work(name, *arguments):
    """Returns the function to time, which returns the array to compare."""
    if name == "chain":
        return chains.numpy_chain(*arguments)
    if name in ("sort", "argsort"):
        return sort(name, *arguments)
    if name == "cg":
        return scipy_cg(*arguments)
    if name == "cg_dense":
        matrix = jobs.cg_dense_data(*arguments)
        x = numpy.ones(len(matrix))
        return lambda: jobs.cg(numpy, matrix.dot, x)
    data = getattr(jobs, name + "_data")(*arguments)
    run = getattr(jobs, name)
    return lambda: run(numpy, *data)[0 if name == "mlp" else -1]


if __name__ == "__main__":
    served.serve(work(*sys.argv[1:]))
