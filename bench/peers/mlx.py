#!/usr/bin/python3
"""harp_bench_mlx call|lazy: measures MLX on the CPU, controlled by the protocol of bench/harness/peer_process.h; harp_bench_front.py
defines the work. The exit status is 69 if MLX is not installed."""
import sys

import harp_bench_served as served

import harp_bench_front as front
import numpy

served.registry_first()
try:
    import mlx.core as mlx
except ImportError as error:
    served.not_installed(error)


def main(what):
    mlx.set_default_device(mlx.cpu)
    a, b = front.arrays()
    if what == "call":
        function = mlx.compile(front.product)
        return served.serve(lambda: numpy.asarray(function(mlx.array(a), mlx.array(b))))
    x, w = mlx.array(a), mlx.array(b)

    def run():
        y = front.twenty(x, w)
        mlx.eval(y)
        return y

    return served.serve(run)


if __name__ == "__main__":
    main(sys.argv[1])
