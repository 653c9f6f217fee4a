"""The side of another program (peer) in the protocol of bench/harness/peer_process.h, for peers written in Python: the inputs, the clock,
requests and answers. Packages that ./dev bench installed with pip are in a directory next to this file. On the search path they come after
Debian's packages; registry_first() moves them before Debian's.
"""
import os
import pathlib
import site
import sys
import time

NOT_INSTALLED = 69
THREADS = int(os.environ.get("HARP_BENCH_THREADS", "1"))

INSTALLED = [str(folder) for folder in sorted(pathlib.Path(__file__).resolve().parent.glob("bench_venv/lib/python3*/site-packages"))]
for folder in INSTALLED:
    site.addsitedir(folder)


def registry_first():
    sys.path[:] = INSTALLED + [folder for folder in sys.path if folder not in INSTALLED]


def not_installed(error):
    print(f"{pathlib.Path(sys.argv[0]).name}: {error}", file=sys.stderr)
    sys.exit(NOT_INSTALLED)


try:
    import numpy
except ImportError as missing:
    not_installed(missing)


def array(number, *shape, low=-1, high=1, dtype=numpy.float32):
    """Returns input `number` of a benchmark: the same values as fill(x, low, high, seed_of(number)) of bench/harness/memory.cpp."""
    bits = (numpy.arange(int(numpy.prod(shape)), dtype=numpy.uint32) + numpy.uint32(number * 977)) * numpy.uint32(2654435769)
    bits = (bits ^ bits >> numpy.uint32(15)) * numpy.uint32(2246822519)
    low, high = numpy.float32(low), numpy.float32(high)
    values = low + (high - low) / numpy.float32(16777216) * (bits >> numpy.uint32(8)).astype(numpy.float32)
    return values.astype(dtype).reshape(shape)


def numbers(result):
    """Returns the elements of an array as an array of one axis; a complex element becomes two elements."""
    values = numpy.ascontiguousarray(numpy.asarray(result)).reshape(-1)
    return values.view(values.real.dtype) if numpy.iscomplexobj(values) else values


def serve(run, elements=numbers, warm=True, seconds=None):
    """Answers requests until the end of the input. `run` does the work once and returns the result, which `elements` flattens. The time
    is the thread's CPU time, or wall-clock time if there are several threads. With warm=False the work is not done before the first
    request. If `seconds` is given, it does the work in place of `run` and returns the seconds that it has measured itself."""
    clock = time.perf_counter if THREADS > 1 else time.thread_time
    result = run() if warm else None
    print("ready", flush=True)
    for line in iter(sys.stdin.readline, ""):
        words = line.split()
        if words[0] == "run":
            if int(words[2]) >= 0:
                os.sched_setaffinity(0, {int(words[2])})
            if seconds is not None:
                print(sum(seconds() for _ in range(int(words[1]))), flush=True)
                continue
            begin = clock()
            for _ in range(int(words[1])):
                result = run()
            print(clock() - begin, flush=True)
        else:
            values = elements(result)
            step = values.size // 1009 + 1  # selects the same elements as sampled() of served.h
            print(values.size, *(repr(float(value)) for value in values[::step]), sep="\n", flush=True)
