#!/usr/bin/python3
"""harp_bench_tinygrad JOB ARGUMENTS... | small COUNT

tinygrad on the CPU through clang, asked as bench/peer_process.h says. Jobs are those of jobs.py, captured by TinyJit; of the small graph of
bench/compiling.cpp it is the first call that is asked for, so its cache of compiled kernels is off. Exit status 69 without tinygrad or clang.
"""
import os
import shutil
import sys

import harp_bench_served as served

import harp_bench_jobs as jobs
import numpy

os.environ.update(CLANG="1", CACHELEVEL="0")
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


def cg_dense(folder):
    matrix = Tensor(jobs.cg_dense_data(folder)).realize()
    x = Tensor(numpy.ones(matrix.shape[0])).realize()

    @TinyJit
    def run():
        return jobs.cg(None, lambda p: (matrix @ p).contiguous(), x).realize()

    return run


def small(count):
    a, b, c = (Tensor(served.array(i, int(count))).realize() for i in range(3))
    return lambda: ((a * b + c).relu() * 2).realize()


def main():
    if shutil.which("clang") is None:
        served.not_installed("clang is not there")
    Tensor.training = True
    name = sys.argv[1]
    run = {"mlp": mlp, "cg_dense": cg_dense, "small": small}[name](*sys.argv[2:])
    if name != "small":
        run(), run()  # TinyJit captures with the second call
    served.serve(run, lambda result: served.numbers(result.numpy()), warm=name != "small")


if __name__ == "__main__":
    main()
