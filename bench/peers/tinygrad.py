#!/usr/bin/python3
"""harp_bench_tinygrad JOB ARGUMENTS... | small COUNT

Measures tinygrad on the CPU with clang, controlled by the protocol of bench/harness/peer_process.h. The jobs are those of jobs.py, captured
by TinyJit. For the small graph of bench/cases/compiling.cpp the first call is measured, so tinygrad's cache of compiled kernels is off.
tinygrad has neither sparse matrices nor Fourier transforms: a sparse matrix's rows are padded to the length of the longest one, and
transforms are products with matrices. The exit status is 69 if tinygrad or clang is not installed.
"""
import os
import shutil
import sys

import harp_bench_served as served

import harp_bench_jobs as jobs
import numpy

os.environ.update(CLANG="1", CACHELEVEL="0")
if sys.argv[1] in ("cg", "ft"):
    os.environ["FUSE_ARANGE"] = "1"  # Without this variable, tinygrad computes a gather as a sum over all elements.
try:
    from tinygrad import Tensor, TinyJit
except ImportError as error:
    served.not_installed(error)


def mlp():
    pictures, classes, *weights = (Tensor(x) for x in jobs.mlp_data())
    pictures.realize(), classes.realize()
    for weight in weights:
        weight.requires_grad = True
        weight.realize()

    @TinyJit
    def run():
        x = pictures
        for i in range(0, len(weights), 2):
            x = x @ weights[i] + weights[i + 1]
            x = x.relu() if i + 2 < len(weights) else x
        for weight in weights:
            weight.grad = None
        x.sparse_categorical_crossentropy(classes).backward()
        return [(weight.detach() - weight.grad).realize() for weight in weights]

    return lambda: run()[0]


def cg(folder):
    offsets, columns, values = jobs.cg_data(folder)
    lengths = numpy.diff(offsets)
    stored = numpy.arange(lengths.max()) < lengths[:, None]
    padded_columns, padded_values = numpy.zeros(stored.shape, numpy.int32), numpy.zeros(stored.shape)
    padded_columns[stored], padded_values[stored] = columns, values
    columns, values = Tensor(padded_columns).realize(), Tensor(padded_values).realize()
    x = Tensor(numpy.ones(len(lengths))).realize()

    @TinyJit
    def run():
        return jobs.cg(None, lambda p: (values * p.contiguous()[columns]).sum(axis=1).contiguous(), x).realize()

    return run


def cg_dense(folder):
    matrix = Tensor(jobs.cg_dense_data(folder)).realize()
    x = Tensor(numpy.ones(matrix.shape[0])).realize()

    @TinyJit
    def run():
        return jobs.cg(None, lambda p: (matrix @ p).contiguous(), x).realize()

    return run


def elementwise(name, *arguments):
    """Returns a function that computes a step of a simulation and returns the last array of its result."""
    data = [Tensor(x).realize() for x in getattr(jobs, name + "_data")(*arguments)]
    step = getattr(jobs, name)

    class Functions:
        roll = staticmethod(lambda x, shift, axis: x.roll(shift, axis))

    @TinyJit
    def run():
        results = step(Functions, *data)
        Tensor.realize(*results)
        return results

    return lambda: run()[-1]


def ft():
    spectrum, left, chosen = jobs.ft_data()
    real, imaginary, left = (Tensor(numpy.ascontiguousarray(x)).realize() for x in (spectrum.real, spectrum.imag, left))
    chosen = Tensor(chosen).realize()
    waves = []
    for size in spectrum.shape[::-1]:
        angles = numpy.outer(numpy.arange(size), numpy.arange(size)) % size * (2 * numpy.pi / size)
        waves.append([Tensor(wave).realize() for wave in (numpy.cos(angles), numpy.sin(angles))])

    @TinyJit
    def run():
        re, im = following = (real * left).contiguous(), (imaginary * left).contiguous()
        for cosine, sine in waves:  # each pass transforms the last axis and moves it to the front
            re, im = ((part.contiguous().permute(2, 0, 1).contiguous()) for part in (re @ cosine - im @ sine, re @ sine + im @ cosine))
        total = Tensor.stack(*(part.reshape(-1)[chosen].sum() / left.numel() for part in (re, im)))
        Tensor.realize(*following, total)
        return total

    return run


def small(count):
    a, b, c = (Tensor(served.array(i, int(count))).realize() for i in range(3))
    return lambda: ((a * b + c).relu() * 2).realize()


def main():
    if shutil.which("clang") is None:
        served.not_installed("clang is not installed")
    Tensor.training = True
    name = sys.argv[1]
    if name in ("gray_scott", "lorenz"):
        run = elementwise(*sys.argv[1:])
    else:
        run = {"mlp": mlp, "cg": cg, "cg_dense": cg_dense, "ft": ft, "small": small}[name](*sys.argv[2:])
    if name != "small":
        run(), run()  # TinyJit captures the kernels during the second call
    served.serve(run, lambda result: served.numbers(result.numpy()), warm=name != "small")


if __name__ == "__main__":
    main()
