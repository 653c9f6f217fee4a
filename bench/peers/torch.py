#!/usr/bin/python3
"""harp_bench_torch softmax ROWS COLUMNS | layer_norm ROWS COLUMNS | attention HEADS LENGTH WIDTH

PyTorch's functions on one thread, asked as bench/peer_process.h says: harp's inputs (fill() of bench/memory.cpp), seconds of this thread's
CPU time. Exit status 69 without PyTorch. Attention is its scaled_dot_product_attention; a PyTorch from before that (2.0) gets the formula.
Results go to tensors that are there already wherever PyTorch can do that: it does not pay for new memory, nor does harp.
"""
import os
import sys
import time

try:
    import numpy
    import torch
except ImportError as error:
    print(f"harp_bench_torch: {error}", file=sys.stderr)
    sys.exit(69)


def array(number, *shape):
    """Input `number` of a row: what fill(x, -1, 1, seed_of(number)) gives."""
    bits = (numpy.arange(int(numpy.prod(shape)), dtype=numpy.uint32) + numpy.uint32(number * 977)) * numpy.uint32(2654435769)
    bits = (bits ^ bits >> numpy.uint32(15)) * numpy.uint32(2246822519)
    values = numpy.float32(-1) + numpy.float32(2 / 16777216) * (bits >> numpy.uint32(8)).astype(numpy.float32)
    return torch.from_numpy(values.reshape(shape))


def softmax(x, result):
    return torch.ops.aten._softmax.out(x, -1, False, out=result)


def work(name, sizes):
    """What is timed: a function that gives a tensor."""
    functional = torch.nn.functional
    if name == "attention":
        heads, length, width = sizes
        q, k, v = (array(i, 1, heads, length, width) for i in range(3))
        if hasattr(functional, "scaled_dot_product_attention"):
            return lambda: functional.scaled_dot_product_attention(q, k, v)
        scores, weights, result = (torch.empty(1, heads, length, n) for n in (length, length, width))

        def attention():
            torch.matmul(q, k.transpose(-2, -1), out=scores)
            softmax(scores.div_(width**0.5), weights)
            return torch.matmul(weights, v, out=result)

        return attention
    x = array(0, *sizes)
    if name == "softmax":
        result = torch.empty_like(x)
        return lambda: softmax(x, result)
    weight, bias = array(1, sizes[-1]), array(2, sizes[-1])
    return lambda: functional.layer_norm(x, sizes[-1:], weight, bias)


def main():
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    run = work(sys.argv[1], tuple(int(word) for word in sys.argv[2:]))
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
            step = values.numel() // 1009 + 1  # sampled() of served.h
            print(values.numel(), *(repr(value) for value in values[::step].tolist()), sep="\n", flush=True)


if __name__ == "__main__":
    main()
