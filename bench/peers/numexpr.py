#!/usr/bin/python3
"""harp_bench_numexpr chain NAME COUNT: numexpr, asked as bench/peer_process.h says. Exit status 69 without it."""
import sys

import harp_bench_served as served

import harp_bench_chains as chains

try:
    import numexpr
except ImportError as error:
    served.not_installed(error)

if __name__ == "__main__":
    numexpr.set_num_threads(served.THREADS)
    served.serve(chains.numexpr_chain(numexpr, *sys.argv[2:]))
