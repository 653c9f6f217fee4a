#!/usr/bin/env python3
"""harp_bench_torch_cuda: measures PyTorch on the first GPU, controlled by the protocol of bench/harness/peer_process.h. One process serves
all benchmarks of bench/cases/gpu.cpp, because starting PyTorch on a GPU takes seconds. A request selects the work:

    work NAME BYTES LOW SIZE...

NAME is a key of WORKS, and SIZE... are the arguments of its function. The float inputs are in [LOW, 1). If BYTES is not 0, a copy is timed
that reads and writes this number of bytes in total, and the work is only computed once, for its result. Times are those of the GPU's clock,
except for small_wait. No product uses TF32. The works that end with _compiled are functions that torch.compile has compiled; the answer to
the request is "absent" if it cannot compile for a GPU. The exit status is 69 if there is no PyTorch or no GPU.
"""
import importlib.util
import os
import sys
import time

import harp_bench_served as served

# torch.compile compiles in this process. Its worker processes would take over the socket that is this program's standard output.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

try:
    import torch
except ImportError as error:
    served.not_installed(error)

LOW = -1.0  # the least value of the current work's float inputs
WORD = 0xFFFFFFFF


class Absent(Exception):
    """Software that only the selected work needs is not installed."""


def compiled(function):
    """Returns the function compiled by torch.compile for the sizes of its first call. That call compiles it."""
    if not hasattr(torch, "compile") or importlib.util.find_spec("triton") is None:
        raise Absent("torch.compile needs PyTorch 2.0 or newer and Triton")
    return torch.compile(function, fullgraph=True, dynamic=False)


def array(number, *shape, dtype=torch.float32):
    """Returns input `number` of a benchmark: the same values as served.array, computed on the GPU."""
    count = torch.Size(shape).numel()
    bits = ((torch.arange(count, device="cuda") + number * 977) & WORD) * 2654435769 & WORD
    bits = (bits ^ bits >> 15) * 2246822519 & WORD  # int64 wraps modulo 2^64, so the lower 32 bits are right
    scale = torch.tensor((1 - LOW) / 16777216, dtype=torch.float32, device="cuda")
    return (LOW + scale * (bits >> 8).to(torch.float32)).to(dtype).reshape(shape)


def counted(count, stride, integers):
    """Returns the indices 0, 1, 2 ... times `stride`, modulo `integers`."""
    return torch.arange(count, device="cuda") * stride % integers


def elementwise(n):
    a, b, c = (array(i, n) for i in range(3))
    return lambda: a * b + c


def gelu(n):
    x = array(0, n)
    return lambda: torch.nn.functional.gelu(x)


def total(n):
    x = array(0, n)
    return lambda: x.sum()


def row_sums(rows, columns):
    x = array(0, rows, columns)
    return lambda: x.sum(1)


def column_sums(rows, columns):
    x = array(0, rows, columns)
    return lambda: x.sum(0)


def argmax(rows, columns):
    x = array(0, rows, columns)
    return lambda: x.argmax(1)


def cumsum(n):
    x = array(0, n)
    return lambda: x.cumsum(0)


def column_scan(rows, columns):
    x = array(0, rows, columns)
    return lambda: x.cumsum(0)


def transpose(rows, columns):
    x = array(0, rows, columns)
    return lambda: x.t().contiguous()


def softmax(rows, columns):
    x = array(0, rows, columns)
    return lambda: torch.softmax(x, -1)


def layer_norm(rows, columns):
    x, weight, bias = array(0, rows, columns), array(1, columns), array(2, columns)
    return lambda: torch.nn.functional.layer_norm(x, (columns,), weight, bias)


def softmax_compiled(rows, columns):
    x, function = array(0, rows, columns), compiled(lambda x: torch.softmax(x, -1))
    return lambda: function(x)


def layer_norm_compiled(rows, columns):
    x, weight, bias = array(0, rows, columns), array(1, columns), array(2, columns)
    function = compiled(lambda x, weight, bias: torch.nn.functional.layer_norm(x, (columns,), weight, bias))
    return lambda: function(x, weight, bias)


def matmul(n, dtype=torch.float32):
    a, b = (array(i, n, n, dtype=dtype) for i in range(2))
    result = torch.empty_like(a)
    return lambda: torch.matmul(a, b, out=result)


def matmul_of(rows, terms, columns):
    a, b = array(0, rows, terms), array(1, terms, columns)
    return lambda: torch.matmul(a, b)


def conv(batch, channels, size):
    x, weight = array(0, batch, channels, size, size), array(1, channels, channels, 3, 3)
    return lambda: torch.nn.functional.conv2d(x, weight, padding=1)


def attention(heads, length, width):
    q, k, v = (array(i, 1, heads, length, width) for i in range(3))
    return lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v)


def gather(rows, width, count, stride):
    table, indices = array(0, rows, width), counted(count, stride, rows)
    return lambda: torch.nn.functional.embedding(indices, table)


def scatter_add(rows, width, count, stride):
    indices, gradient = counted(count, stride, rows), array(2, count, width)
    return lambda: torch.zeros(rows, width, device="cuda").index_add_(0, indices, gradient)


def histogram(count, bins, stride):
    start, indices = counted(bins, stride, bins), counted(count, stride, bins)
    return lambda: start.index_add(0, indices, indices)


def sort(n):
    x = array(0, n)
    return lambda: torch.sort(x, stable=True).values


def fft(n):
    x = torch.view_as_complex(array(0, n, 2))
    return lambda: torch.fft.fft(x)


def products_and_softmaxes(x, weight, layers):
    for _ in range(layers):
        x = torch.softmax(x @ weight, -1)
    return x


def small(n, layers):
    x, weight = (array(i, n, n) for i in range(2))
    return lambda: products_and_softmaxes(x, weight, layers)


def small_compiled(n, layers):
    x, weight = (array(i, n, n) for i in range(2))
    function = compiled(lambda x, weight: products_and_softmaxes(x, weight, layers))
    return lambda: function(x, weight)


def small_wait(n, layers):
    run = small(n, layers)

    def run_and_wait():
        result = run()
        torch.cuda.synchronize()
        return result

    return run_and_wait


def small_graph(n, layers):
    run = small(n, layers)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):  # this first run creates the library handles that the capture needs
        run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = run()

    def replay():
        graph.replay()
        return result

    return replay


WORKS = {
    "elementwise": elementwise, "gelu": gelu, "sum": total, "row_sums": row_sums, "column_sums": column_sums, "argmax": argmax, "cumsum": cumsum,
    "column_scan": column_scan, "transpose": transpose, "softmax": softmax, "layer_norm": layer_norm, "matmul": matmul,
    "matmul_f64": lambda n: matmul(n, torch.float64),
    "matmul_of": matmul_of, "conv": conv, "attention": attention, "gather": gather, "scatter_add": scatter_add, "histogram": histogram,
    "sort": sort, "fft": fft, "small": small,
    "small_wait": small_wait, "small_graph": small_graph, "small_compiled": small_compiled,
    "softmax_compiled": softmax_compiled, "layer_norm_compiled": layer_norm_compiled,
}


def copy(size):
    to, source = (torch.zeros(size // 8, device="cuda") for _ in range(2))
    return lambda: to.copy_(source)


class Job:
    """The selected work: its result, and the function that is timed."""

    def __init__(self, name, size, *arguments):
        work = WORKS[name](*arguments)
        self.result = work()
        self.timed = copy(size) if size else work
        self.waits = name == "small_wait"  # True: each run is complete before the next one, so the host's clock measures the time
        self.timed()
        torch.cuda.synchronize()

    def seconds(self, repeats):
        if self.waits:
            begin = time.perf_counter()
            for _ in range(repeats):
                self.timed()
            return time.perf_counter() - begin
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(repeats):
            self.timed()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3

    def sample(self):
        """Returns the lines of the answer to the request `sample`. The elements are selected on the GPU, as sampled() of served.h does."""
        values = torch.view_as_real(self.result) if self.result.is_complex() else self.result
        values = values.reshape(-1)
        return [values.numel(), *(repr(value) for value in values[::values.numel() // 1009 + 1].double().tolist())]


def selected(words):
    """Returns the job of a request. If it fails, prints a message to stderr and returns None. Raises Absent if PyTorch cannot do the work
    here."""
    global LOW
    torch.cuda.empty_cache()  # frees the memory of the previous job, which harp's process may need
    try:
        LOW = float(words[2])
        return Job(words[0], int(words[1]), *map(int, words[3:]))
    except Absent:
        raise
    except Exception as problem:  # any error of PyTorch is a failure of this benchmark alone
        print(f"harp_bench_torch_cuda: {' '.join(words)}: {problem}", file=sys.stderr)
        return None


def main():
    if not torch.cuda.is_available():
        served.not_installed("this PyTorch finds no GPU")
    torch.set_grad_enabled(False)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    job = None
    print("ready", flush=True)
    for line in iter(sys.stdin.readline, ""):
        words = line.split()
        if words[0] == "work":
            job = None  # releases the memory of the previous job first
            try:
                job = selected(words[1:])
                print("ready" if job else "failed", flush=True)
            except Absent as problem:
                print(f"harp_bench_torch_cuda: {words[1]}: {problem}", file=sys.stderr)
                print("absent", flush=True)
        elif words[0] == "run":
            if int(words[2]) >= 0:
                os.sched_setaffinity(0, {int(words[2])})
            print(job.seconds(int(words[1])), flush=True)
        else:
            print(*job.sample(), sep="\n", flush=True)


if __name__ == "__main__":
    main()
