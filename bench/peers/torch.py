#!/usr/bin/python3
"""harp_bench_torch softmax|layer_norm|rms_norm|cross_entropy ROWS COLUMNS | attention HEADS LENGTH WIDTH | chain NAME COUNT | small COUNT |
call | lazy | JOB

Measures PyTorch, controlled by the protocol of bench/harness/peer_process.h: functions on rows, the chains of chains.py, the jobs of
jobs.py, the first call of a small compiled graph, and the work of front.py. It uses the PyTorch that pip installed, otherwise Debian's,
which is older than torch.compile and scaled_dot_product_attention (2.0) and than rms_norm (2.4). Without torch.compile, `small` exits with
status 69; attention and rms_norm are then computed by their formulas. Without PyTorch the exit status is always 69. Where PyTorch allows
it, results are stored in existing tensors, so that neither PyTorch nor harp allocates memory during the measurement.
"""
import sys

import harp_bench_served as served

import harp_bench_chains as chains
import harp_bench_front as front
import harp_bench_jobs as jobs

served.registry_first()
try:
    import torch
except ImportError as error:
    served.not_installed(error)


def array(number, *shape):
    return torch.from_numpy(served.array(number, *shape))


def softmax(x, result):
    return torch.ops.aten._softmax.out(x, -1, False, out=result)


def attention(heads, length, width):
    functional = torch.nn.functional
    q, k, v = (array(i, 1, heads, length, width) for i in range(3))
    if hasattr(functional, "scaled_dot_product_attention"):
        return lambda: functional.scaled_dot_product_attention(q, k, v)
    scores, weights, result = (torch.empty(1, heads, length, n) for n in (length, length, width))

    def run():
        torch.matmul(q, k.transpose(-2, -1), out=scores)
        softmax(scores.div_(width**0.5), weights)
        return torch.matmul(weights, v, out=result)

    return run


def row_function(name, sizes):
    if name == "attention":
        return attention(*sizes)
    x = array(0, *sizes)
    if name == "softmax":
        result = torch.empty_like(x)
        return lambda: softmax(x, result)
    functional = torch.nn.functional
    if name == "cross_entropy":
        classes = torch.arange(sizes[0]) % sizes[1]
        return lambda: functional.cross_entropy(x, classes, reduction="none")
    weight, bias = array(1, sizes[-1]), array(2, sizes[-1])
    if name == "layer_norm":
        return lambda: functional.layer_norm(x, sizes[-1:], weight, bias)
    if hasattr(functional, "rms_norm"):
        return lambda: functional.rms_norm(x, sizes[-1:], weight, 1e-5)
    return lambda: x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * weight


def small(count):
    """Returns a function that calls the small graph of bench/cases/compiling.cpp, compiled by torch.compile."""
    if not hasattr(torch, "compile"):
        served.not_installed("this PyTorch has no torch.compile")
    a, b, c = (array(i, int(count)) for i in range(3))
    compiled = torch.compile(lambda a, b, c: torch.relu(a * b + c) * 2)
    return lambda: compiled(a, b, c)


def mlp():
    pictures, classes, *weights = (torch.from_numpy(x) for x in jobs.mlp_data())
    results = [torch.empty_like(weight) for weight in weights]
    for weight in weights:
        weight.requires_grad_(True)

    def run():
        x = pictures
        for i in range(0, len(weights), 2):
            x = torch.addmm(weights[i + 1], x, weights[i])
            x = torch.relu(x) if i + 2 < len(weights) else x
        gradients = torch.autograd.grad(torch.nn.functional.cross_entropy(x, classes), weights)
        with torch.no_grad():
            for weight, gradient, result in zip(weights, gradients, results):
                torch.sub(weight, gradient, out=result)
        return results[0]

    return run


def lstm():
    x, w, u, h, c, gradient = (torch.from_numpy(x) for x in jobs.lstm_data())
    layer = torch.nn.LSTM(w.shape[1], u.shape[1], bias=False)
    with torch.no_grad():
        layer.weight_ih_l0.copy_(w)
        layer.weight_hh_l0.copy_(u)
    weights = [layer.weight_ih_l0, layer.weight_hh_l0]

    def run():
        _, (last, _) = layer(x, (h[None], c[None]))
        return torch.autograd.grad(last[0], weights, grad_outputs=gradient)[1]

    return run


def cg(matrix):
    x = torch.ones(matrix.shape[0], dtype=torch.float64)
    return lambda: jobs.cg(torch, lambda p: torch.mv(matrix, p), x)


def simulation(name, *arguments):
    data = [torch.from_numpy(x) for x in getattr(jobs, name + "_data")(*arguments)]
    step = getattr(jobs, name)
    return lambda: step(torch, *data)[-1]


def ft():
    spectrum, left, chosen = (torch.from_numpy(x) for x in jobs.ft_data())

    def run():
        field = torch.fft.ifftn(spectrum * left, norm="forward")
        return field.reshape(-1)[chosen].sum() / field.numel()

    return run


def work(name, *arguments):
    """Returns the function to time, which returns a tensor."""
    if name == "chain":
        return chains.torch_chain(torch, *arguments)
    if name in ("call", "lazy"):
        a, b = front.arrays()
        if name == "call":
            return lambda: front.product(torch.from_numpy(a), torch.from_numpy(b))
        x, w = torch.from_numpy(a), torch.from_numpy(b)
        return lambda: front.twenty(x, w)
    if name in ("gray_scott", "lorenz"):
        return simulation(name, *arguments)
    if name == "cg":
        offsets, columns, values = (torch.from_numpy(x) for x in jobs.cg_data(*arguments))
        size = offsets.numel() - 1
        # A COO matrix instead of a CSR matrix: products of CSR matrices need MKL, which Debian's PyTorch does not have.
        rows = torch.repeat_interleave(torch.arange(size), offsets.diff())
        return cg(torch.sparse_coo_tensor(torch.stack((rows, columns.long())), values, (size, size)).coalesce())
    if name == "cg_dense":
        return cg(torch.from_numpy(jobs.cg_dense_data(*arguments)))
    if name in ("mlp", "lstm", "ft", "small"):
        return {"mlp": mlp, "lstm": lstm, "ft": ft, "small": small}[name](*arguments)
    return row_function(name, tuple(int(word) for word in arguments))


def main():
    torch.set_num_threads(served.THREADS)
    torch.set_grad_enabled(sys.argv[1] in ("mlp", "lstm"))
    served.serve(work(*sys.argv[1:]), lambda result: served.numbers(result.detach().numpy()), warm=sys.argv[1] != "small")


if __name__ == "__main__":
    main()
