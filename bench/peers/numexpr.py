#!/usr/bin/python3
"""harp_bench_numexpr chain NAME COUNT | call: measures numexpr, controlled by the protocol of bench/harness/peer_process.h. The exit
status is 69 if numexpr is not installed."""
import sys

import harp_bench_served as served

import harp_bench_chains as chains
import harp_bench_front as front
import numpy

try:
    import numexpr
except ImportError as error:
    served.not_installed(error)

def call():
    a, b = front.arrays()
    names = {"a": a, "b": b, "one": numpy.float32(1)}
    numexpr.evaluate("a * b + one", names)
    return lambda: numexpr.re_evaluate(names)  # reuses the compiled expression without parsing its text again


if __name__ == "__main__":
    numexpr.set_num_threads(served.THREADS)
    served.serve(call() if sys.argv[1] == "call" else chains.numexpr_chain(numexpr, *sys.argv[2:]))
