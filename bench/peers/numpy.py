#!/usr/bin/python3
"""harp_bench_numpy sort|argsort f32|f64|i32|i64 ROWS COLUMNS

NumPy's sorts of rows, asked as bench/peer_process.h says: the inputs of bench/sorts.cpp, seconds of this thread's CPU time. Exit status 69
without NumPy. What is sorted is copied to an array that is there already; orders are stable, as harp's are.
"""
import os
import sys
import time

try:
    import numpy
except ImportError as error:
    print(f"harp_bench_numpy: {error}", file=sys.stderr)
    sys.exit(69)


def elements(dtype, count):
    """What fill_elements() of bench/sorts.cpp gives."""
    if dtype == "f32":
        bits = numpy.arange(count, dtype=numpy.uint32) * numpy.uint32(2654435769)
        bits = (bits ^ bits >> numpy.uint32(15)) * numpy.uint32(2246822519)
        return numpy.float32(-1) + numpy.float32(2 / 16777216) * (bits >> numpy.uint32(8)).astype(numpy.float32)
    bits = numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ bits >> numpy.uint64(30)) * numpy.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ bits >> numpy.uint64(27)) * numpy.uint64(0x94D049BB133111EB)
    bits ^= bits >> numpy.uint64(31)
    if dtype == "f64":
        return numpy.ldexp((bits >> numpy.uint64(11)).astype(numpy.float64), -52) - 1
    return bits.view(numpy.int64) if dtype == "i64" else (bits >> numpy.uint64(32)).astype(numpy.uint32).view(numpy.int32)


def work(name, dtype, rows, columns):
    """What is timed: a function that gives an array."""
    x = elements(dtype, rows * columns).reshape(rows, columns)
    if name == "argsort":
        return lambda: numpy.argsort(x, axis=-1, kind="stable")
    result = numpy.empty_like(x)

    def sort():
        numpy.copyto(result, x)
        result.sort(axis=-1)
        return result

    return sort


def main():
    run = work(sys.argv[1], sys.argv[2], *(int(word) for word in sys.argv[3:]))
    result = run()
    print("ready", flush=True)
    for line in iter(sys.stdin.readline, ""):
        words = line.split()
        if words[0] == "run":
            if int(words[2]) >= 0:
                os.sched_setaffinity(0, {int(words[2])})
            begin = time.thread_time()
            for _ in range(int(words[1])):
                result = run()
            print(time.thread_time() - begin, flush=True)
        else:
            values = result.flatten()
            step = values.size // 1009 + 1  # sampled() of served.h
            print(values.size, *(repr(float(value)) for value in values[::step]), sep="\n", flush=True)


if __name__ == "__main__":
    main()
