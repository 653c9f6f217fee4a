#!/usr/bin/env python3
"""Gradients against PyTorch's autograd: an oracle that shares no code with harp. The tool runs the graphs, on the interpreter and as
compiled C.

Every case is an expression of the text format and the same function in PyTorch. harp computes y and the gradients of sum(y * g) for a
random g, in f64 and in f32; PyTorch computes the same in f64. The results may differ by 1024 units in the last place of the greatest
element (that is 2.3e-13 of it in f64 and 1.2e-4 in f32): inputs have a magnitude of about 1, sums have at most some hundred terms, and no
case is near a pole. Where PyTorch follows another convention than harp, the case has a formula in place of PyTorch's function.

The extreme points of tests/grad/grad_extremes.txt are compared as well: on both backends harp's values and derivatives must equal
PyTorch's, within the tolerance of the table. EXCEPTIONS lists where PyTorch differs from the table, and why; there harp is still compared
with the table, and an exception where PyTorch no longer differs is an error.

usage: gradients.py [part of a case's text ...]      HARP_TOOL (default build/release/harp); needs python3-torch
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch
from torch.nn import functional as F

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests", folder) for folder in ("grad", "support")]
os.environ.setdefault("HARP_SOURCE_DIR", ROOT)
os.environ.setdefault("HARP_TOOL", os.path.join(ROOT, "build", "release", "harp"))
import grad_extremes_test  # noqa: E402

TOOL = os.environ.get("HARP_TOOL", os.path.join(ROOT, "build", "release", "harp"))
UNITS = 1024
RNG = np.random.default_rng(7)
WIDE = {"f": "f64", "c": "complex128", "i": "i64", "b": "bool"}  # NumPy's kind letter of a dtype -> dtype of the inputs in the text format
NARROW = {"f": ("f32", np.float32), "c": ("complex64", np.complex64)}


def normal(*shape):
    return RNG.standard_normal(shape)


def between(lo, hi, *shape):
    return RNG.uniform(lo, hi, shape)


def distinct(*shape):
    """Returns distinct numbers, so far from each other that no step of numerical differentiation changes which one is the greatest."""
    return RNG.permutation(np.arange(np.prod(shape), dtype=float)).reshape(shape) / 4 - 1


class Case:
    def __init__(self, text, function, second=False, /, **inputs):
        self.text, self.function, self.second = text, function, second
        self.inputs = {name: np.asarray(value) for name, value in inputs.items()}
        self.wrt = [name for name, value in self.inputs.items() if value.dtype.kind in "fc"]


def unary_cases():
    x = normal(3, 5)
    away = np.sign(x) * (np.abs(x) + 0.3)  # from 0
    positive, inside = np.abs(x) + 0.2, np.tanh(x) * 0.9
    for name, function, value in [
        ("abs", torch.abs, away), ("acos", torch.acos, inside), ("acosh", torch.acosh, positive + 1.2), ("asin", torch.asin, inside),
        ("asinh", torch.asinh, x), ("atan", torch.atan, x), ("atanh", torch.atanh, inside), ("ceil", torch.ceil, x),
        ("cos", torch.cos, x), ("cosh", torch.cosh, x), ("erf", torch.erf, x), ("erfc", torch.erfc, x), ("exp", torch.exp, x),
        ("exp2", torch.exp2, x), ("expm1", torch.expm1, x), ("floor", torch.floor, x), ("gelu", F.gelu, x), ("log", torch.log, positive),
        ("log10", torch.log10, positive), ("log1p", torch.log1p, positive), ("log2", torch.log2, positive), ("neg", torch.neg, x),
        ("recip", torch.reciprocal, away), ("relu", torch.relu, away), ("round", torch.round, x), ("rsqrt", torch.rsqrt, positive),
        ("sigmoid", torch.sigmoid, x), ("sign", torch.sign, away), ("silu", F.silu, x), ("sin", torch.sin, x), ("sinh", torch.sinh, x),
        ("softplus", F.softplus, x), ("sqrt", torch.sqrt, positive), ("square", torch.square, x), ("tan", torch.tan, inside),
        ("tanh", torch.tanh, x), ("trunc", torch.trunc, x),
    ]:  # fmt: skip
        yield Case(f"{name}(x)", function, name not in ("ceil", "floor", "round", "sign", "trunc", "abs", "relu", "neg"), x=value)
    yield Case("cbrt(x)", lambda x: torch.sign(x) * torch.abs(x) ** (1 / 3), True, x=away)
    yield Case('gelu(x, approximate="tanh")', lambda x: F.gelu(x, approximate="tanh"), x=x)
    yield Case("elu(x, alpha=0.7)", lambda x: F.elu(x, 0.7), True, x=away)
    yield Case("powi(x, 5)", lambda x: x**5, True, x=x)
    yield Case("powi(x, -2)", lambda x: x**-2, True, x=away)


def binary_cases():
    a, b = normal(3, 5), normal(3, 5)
    apart = a + np.where(np.abs(a - b) < 0.1, 0.5, 0)  # from b
    positive = np.abs(a) + 0.3
    for name, function, left, right in [
        ("add", torch.add, a, b), ("sub", torch.sub, a, b), ("mul", torch.mul, a, b), ("div", torch.div, a, np.sign(b) * positive),
        ("maximum", torch.maximum, apart, b), ("minimum", torch.minimum, apart, b), ("pow", torch.pow, positive, b),
        ("atan2", torch.atan2, a, np.sign(b) * positive), ("hypot", torch.hypot, a, positive), ("copysign", torch.copysign, positive, b),
        ("remainder", torch.remainder, a * 3, positive + 0.5), ("fmod", torch.fmod, a * 3, positive + 0.5),
    ]:  # fmt: skip
        yield Case(f"{name}(a, b)", function, name in ("mul", "div", "pow", "atan2", "hypot"), a=left, b=right)
        yield Case(f"{name}(a, b)", function, a=left[:, :1], b=right[:1])  # both stretched
    tie = np.array([1.0, 2.0, 3.0])
    # with equal operands each gets half of the gradient, in PyTorch as well
    for name, function in [("maximum", torch.maximum), ("minimum", torch.minimum)]:
        yield Case(f"{name}(a, b)", function, a=tie, b=tie.copy())
    yield Case("fma(a, b, c)", lambda a, b, c: a * b + c, a=a, b=b, c=normal(5))
    yield Case("lerp(a, b, w)", torch.lerp, a=a, b=b, w=normal(3, 5))
    yield Case("clip(x, lo=-0.5, hi=0.7)", lambda x: torch.clip(x, -0.5, 0.7), x=a)
    yield Case("where(c, a, b)", torch.where, c=a > 0, a=a, b=b)
    yield Case('custom_elementwise(a, b, expr="where(x0 > 0, x0*x1, exp(x1) - x0/2)")',
               lambda a, b: torch.where(a > 0, a * b, torch.exp(b) - a / 2), True, a=a, b=b)  # fmt: skip


def reduce_cases():
    x = normal(3, 4, 5)
    for axes, dim in [("[1]", (1,)), ("[0, 2]", (0, 2)), ("[0, 1, 2]", (0, 1, 2))]:
        yield Case(f"sum(x, axes={axes})", lambda x, d=dim: x.sum(d), x=x)
        yield Case(f"mean(x, axes={axes}, keepdims=true)", lambda x, d=dim: x.mean(d, keepdim=True), x=x)
        yield Case(f"max(x, axes={axes})", lambda x, d=dim: torch.amax(x, d), x=distinct(3, 4, 5))
        yield Case(f"min(x, axes={axes})", lambda x, d=dim: torch.amin(x, d), x=distinct(3, 4, 5))
        yield Case(f"var(x, axes={axes}, correction=1)", lambda x, d=dim: x.var(d, unbiased=True), True, x=x)
        yield Case(f"std(x, axes={axes})", lambda x, d=dim: x.var(d, unbiased=False).sqrt(), True, x=x)
        yield Case(f"logsumexp(x, axes={axes})", lambda x, d=dim: torch.logsumexp(x, d), True, x=x)
        yield Case(f"norm(x, axes={axes})", lambda x, d=dim: torch.linalg.vector_norm(x, 2, d), True, x=x)
        yield Case(f"norm(x, ord=1, axes={axes})", lambda x, d=dim: torch.linalg.vector_norm(x, 1, d), x=x)
    yield Case("prod(x, axes=[1])", lambda x: x.prod(1), x=x)
    yield Case("max(x, axes=[1])", lambda x: torch.amax(x, 1), x=np.array([[1.0, 3, 3, 2], [2, 2, 2, 2]]))  # ties share
    yield Case("trace(x)", torch.trace, x=normal(4, 4))
    for axis in (0, 1, 2):
        yield Case(f"softmax(x, axis={axis})", lambda x, d=axis: torch.softmax(x, d), True, x=x)
        yield Case(f"log_softmax(x, axis={axis})", lambda x, d=axis: torch.log_softmax(x, d), True, x=x)
    w, b = normal(5), normal(5)
    yield Case("layer_norm(x, axes=[2], weight=w, bias=b)", lambda x, w, b: F.layer_norm(x, (5,), w, b), x=x, w=w, b=b)
    yield Case("layer_norm(x, axes=[2], weight=w)", lambda x, w: F.layer_norm(x, (5,), w), True, x=x, w=w)
    yield Case("layer_norm(x, axes=[1, 2])", lambda x: F.layer_norm(x, (4, 5)), x=x)
    yield Case("rms_norm(x, axes=[2], weight=w)", lambda x, w: x * torch.rsqrt((x * x).mean(2, keepdim=True) + 1e-5) * w, True, x=x, w=w)
    yield Case('custom_reduce(a, b, expr="tanh(x0)*x1", op=sum, axes=[1])', lambda a, b: (torch.tanh(a) * b).sum(1), a=x, b=x + 1)


def scan_cases():
    x = normal(4, 7)
    for axis in (0, 1):
        yield Case(f"cumsum(x, axis={axis})", lambda x, d=axis: torch.cumsum(x, d), x=x)
        yield Case(f"cumprod(x, axis={axis})", lambda x, d=axis: torch.cumprod(x, d), True, x=np.sign(x) * (np.abs(x) + 0.2))
        yield Case(f"cummax(x, axis={axis})", lambda x, d=axis: torch.cummax(x, d)[0], x=distinct(4, 7))
        yield Case(f"cummin(x, axis={axis})", lambda x, d=axis: torch.cummin(x, d)[0], x=distinct(4, 7))
        yield Case(f"cumsum(x, axis={axis}, reverse=true)", lambda x, d=axis: x.flip(d).cumsum(d).flip(d), x=x)
        yield Case(f"cumsum(x, axis={axis}, exclusive=true)", lambda x, d=axis: x.cumsum(d) - x, x=x)
        yield Case(f"logcumsumexp(x, axis={axis})", lambda x, d=axis: torch.logcumsumexp(x, d), x=x)
        yield Case(f"logcumsumexp(x, axis={axis}, reverse=true)",
                   lambda x, d=axis: torch.cumsum(torch.exp(x.flip(d)), d).log().flip(d), True, x=x)  # fmt: skip


def view_cases():
    x = normal(3, 4, 5)
    for text, function in [
        ("permute(x, axes=[2, 0, 1])", lambda x: x.permute(2, 0, 1)), ("reshape(x, shape=[5, 12])", lambda x: x.reshape(5, 12)),
        ("expand(reshape(x, shape=[3, 1, 4, 5]), shape=[3, 2, 4, 5])", lambda x: x[:, None].expand(3, 2, 4, 5)),
        ("slice(x, start=[1, 3, 0], stop=[3, none, 5], step=[1, -1, 2])", lambda x: x[1:3].flip(1)[..., ::2]), ("flip(x, axes=[1])", lambda x: x.flip(1)),
        ("roll(x, shift=[2], axis=[1])", lambda x: x.roll(2, 1)), ("tile(x, repeats=[1, 2, 3])", lambda x: x.tile(1, 2, 3)),
        ("repeat(x, repeats=2, axis=1)", lambda x: x.repeat_interleave(2, 1)), ("tril(x, k=1)", lambda x: torch.tril(x, 1)),
        ("triu(x, k=-1)", lambda x: torch.triu(x, -1)), ("diagonal(x, offset=1, axis1=1, axis2=2)", lambda x: x.diagonal(1, 1, 2)),
        ("unfold(x, axes=[2], size=[3], stride=[2])", lambda x: x.unfold(2, 3, 2)), ("moveaxis(x, 0, 2)", lambda x: x.movedim(0, 2)),
        ("pad(x, before=[0, 1, 2], after=[0, 2, 1], value=3)", lambda x: F.pad(x, (2, 1, 1, 2), value=3)),
        ("pad(x, before=[0, 1, 2], after=[0, 2, 1], mode=reflect)", lambda x: F.pad(x[None], (2, 1, 1, 2), mode="reflect")[0]),
        ("pad(x, before=[0, 1, 2], after=[0, 2, 1], mode=edge)", lambda x: F.pad(x[None], (2, 1, 1, 2), mode="replicate")[0]),
        ("pad(x, before=[0, 1, 2], after=[0, 2, 1], mode=wrap)", lambda x: F.pad(x[None], (2, 1, 1, 2), mode="circular")[0]),
        ("contiguous(transpose(x))", lambda x: x.permute(2, 1, 0)), ("flatten(x)", torch.flatten),
    ]:  # fmt: skip
        yield Case(text, function, x=x)
    yield Case("concat([a, b * 2, a], axis=1)", lambda a, b: torch.cat([a, b * 2, a], 1), a=normal(2, 3), b=normal(2, 4))
    yield Case("stack([a, b], axis=1)", lambda a, b: torch.stack([a, b], 1), a=normal(2, 3), b=normal(2, 3))
    index, along = np.array([[2, 0, 2], [1, 1, 0]]), np.array([[3, 0, 0, 1], [1, 1, 2, 0], [0, 3, 3, 3]])
    yield Case("take(x, i, axis=1)", lambda x, i: x[:, i], x=x, i=index)
    yield Case("take_along_axis(x, i, axis=1)", lambda x, i: torch.gather(x, 1, i), x=normal(3, 4), i=along)
    yield Case("scatter_add(x, i, u, axis=1)", lambda x, i, u: x.scatter_add(1, i, u), x=normal(3, 4), i=along, u=normal(3, 4))
    yield Case("index_add(x, i, u, axis=0)", lambda x, i, u: x.index_add(0, i, u), x=x, i=np.array([2, 0, 2, 1]), u=normal(4, 4, 5))
    yield Case("sort(x, axis=1)", lambda x: torch.sort(x, 1)[0], x=distinct(3, 6))
    yield Case("sort(x, axis=0, descending=true) * 2", lambda x: torch.sort(x, 0, True)[0] * 2, x=distinct(6, 3))


def product_cases():
    for a, b in [((4, 3), (3, 5)), ((2, 1, 4, 3), (3, 3, 5)), ((3,), (3, 5)), ((4, 3), (3,)), ((3,), (3,))]:
        yield Case("matmul(a, b)", torch.matmul, a=normal(*a), b=normal(*b))
    yield Case("relu(matmul(a, transpose(b)))", lambda a, b: torch.relu(a @ b.T), a=normal(4, 3), b=normal(5, 3))
    yield Case("outer(a, b)", torch.outer, a=normal(4), b=normal(3))
    # The same weights are used several times: in two products, in a product before and after another one, and together with other uses.
    yield Case("tanh(tanh(a @ w + b @ u) @ u + c @ w) @ u", lambda a, b, c, w, u: torch.tanh(torch.tanh(a @ w + b @ u) @ u + c @ w) @ u, True,
               a=normal(5, 3), b=normal(5, 4), c=normal(5, 3), w=normal(3, 4), u=normal(4, 4))  # fmt: skip
    yield Case("exp(w) @ a + exp(w) @ b + sum(exp(w), axes=[1])", lambda w, a, b: torch.exp(w) @ a + torch.exp(w) @ b + torch.exp(w).sum(1), True,
               w=normal(4, 3), a=normal(3), b=normal(3))  # fmt: skip
    yield Case("tanh(a @ transpose(sin(w))) @ sin(w) * sum(sin(w))", lambda a, w: torch.tanh(a @ torch.sin(w).T) @ torch.sin(w) * torch.sin(w).sum(),
               True, a=normal(5, 3), w=normal(4, 3))  # fmt: skip
    for spec, *shapes in [("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)), ("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4)), ("ii->i", (4, 4)),
                          ("i,j->", (3,), (4,)), ("...ij,...jk->...ik", (2, 3, 4), (2, 4, 2)), ("ijk,ilk->jl", (2, 3, 4), (2, 5, 4))]:  # fmt: skip
        names = "abc"[: len(shapes)]
        yield Case(f'einsum({", ".join(names)}, spec="{spec}")', lambda *xs, s=spec: torch.einsum(s, *xs),
                   **{name: normal(*shape) for name, shape in zip(names, shapes)})  # fmt: skip
    for n, sizes, kernel in [(1, (9,), (3,)), (2, (7, 6), (3, 2)), (3, (5, 4, 4), (2, 3, 2))]:
        conv, transposed = getattr(F, f"conv{n}d"), getattr(F, f"conv_transpose{n}d")
        for options in [{}, {"stride": 2, "padding": 1}, {"dilation": 2, "padding": 2}, {"groups": 2}]:
            groups = options.get("groups", 1)
            text = "".join(f", {key}={value}" for key, value in options.items())
            yield Case(f"conv{n}d(x, w, b{text})", lambda x, w, b, c=conv, o=options: c(x, w, b, **o),
                       x=normal(2, 4, *sizes), w=normal(6, 4 // groups, *kernel), b=normal(6))  # fmt: skip
            yield Case(f"conv_transpose{n}d(x, w, b{text})", lambda x, w, b, c=transposed, o=options: c(x, w, b, **o),
                       x=normal(2, 4, *sizes), w=normal(4, 6 // groups, *kernel), b=normal(6))  # fmt: skip
    x = distinct(2, 3, 7, 6)
    yield Case("max_pool(x, [2, 3], stride=2)", lambda x: F.max_pool2d(x, (2, 3), 2), x=x)
    yield Case("max_pool(x, [3, 3], stride=2, padding=1)", lambda x: F.max_pool2d(x, 3, 2, 1), x=x)
    yield Case("avg_pool(x, [3, 2], stride=2, padding=1)", lambda x: F.avg_pool2d(x, (3, 2), 2, 1), x=x)
    yield Case("avg_pool(x, [3, 2], stride=2, padding=1, count_include_pad=false)",
               lambda x: F.avg_pool2d(x, (3, 2), 2, 1, count_include_pad=False), x=x)  # fmt: skip


def loss_cases():
    x, target = normal(6, 5), np.array([0, 4, 2, 2, 1, 3])
    probabilities = np.abs(normal(6, 5)) / 3
    for reduction in ("mean", "sum", "none"):
        yield Case(f'cross_entropy(x, t, reduction="{reduction}")', lambda x, t, r=reduction: F.cross_entropy(x, t, reduction=r), True,
                   x=x, t=target)  # fmt: skip
        yield Case(f'cross_entropy(x, p, reduction="{reduction}")', lambda x, p, r=reduction: F.cross_entropy(x, p, reduction=r), x=x,
                   p=probabilities)  # fmt: skip
        yield Case(f'mse_loss(x, p, reduction="{reduction}")', lambda x, p, r=reduction: F.mse_loss(x, p, reduction=r), x=x, p=probabilities)
    yield Case("matmul(softmax(matmul(q, moveaxis(k, -1, -2)) * 0.5, axis=-1), v)",
               lambda q, k, v: torch.softmax(q @ k.mT * 0.5, -1) @ v, True, q=normal(2, 5, 4), k=normal(2, 6, 4), v=normal(2, 6, 3))  # fmt: skip


def hard_gate(x):
    """Computes hardsigmoid as relu6(x + 3) / 6, because PyTorch's own function has the derivative 1/6 rounded to f32."""
    return F.relu6(x + 3) / 6


def network_cases():
    x, z = normal(4, 6), normal(4, 6)
    for text, function in [
        ("relu6(x)", F.relu6), ("hardtanh(x, min_val=-0.5, max_val=0.25)", lambda x: F.hardtanh(x, -0.5, 0.25)),
        ("leaky_relu(x, negative_slope=0.25)", lambda x: F.leaky_relu(x, 0.25)), ("hardsigmoid(x)", hard_gate),
        ("hardswish(x)", lambda x: x * hard_gate(x)),
        ("mish(x)", F.mish), ("softsign(x)", F.softsign), ("logsigmoid(x)", F.logsigmoid), ("diff(x, n=2)", lambda x: torch.diff(x, 2)),
        ("rot90(x, k=3)", lambda x: torch.rot90(x, 3)),
    ]:  # fmt: skip
        yield Case(text, function, text in ("mish(x)", "logsigmoid(x)"), x=x * 3)
    yield Case("logaddexp(x, z)", torch.logaddexp, x=x, z=z)
    yield Case("logaddexp(x, z) * 2", lambda x, z: torch.log(torch.exp(x) + torch.exp(z)) * 2, True, x=x, z=z)
    yield Case("cross(x, z)", lambda x, z: torch.cross(x, z, 1), x=normal(4, 3), z=normal(4, 3))
    v, w, b = normal(3, 4, 5), normal(4), normal(4)
    yield Case("batch_norm(v, weight=w, bias=b)", lambda v, w, b: F.batch_norm(v, None, None, w, b, True), v=v, w=w, b=b)
    yield Case("batch_norm(v, mean=w, var=s, weight=b)",
               lambda v, w, s, b: (v - w[:, None]) * torch.rsqrt(s[:, None] + 1e-5) * b[:, None], True, v=v, w=w, s=np.abs(normal(4)) + 0.5, b=b)  # fmt: skip
    yield Case("group_norm(v, 2, weight=w, bias=b)", lambda v, w, b: F.group_norm(v, 2, w, b), v=v, w=w, b=b)
    yield Case("instance_norm(v)", F.instance_norm, v=v)
    probability, target = 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(-z))
    yield Case("huber_loss(x, z, delta=0.5)", lambda x, z: F.huber_loss(x, z, delta=0.5), x=x, z=z)
    yield Case("binary_cross_entropy(p, t)", lambda p, t: -(t * p.log() + (1 - t) * (1 - p).log()).mean(), True, p=probability, t=target)
    yield Case("binary_cross_entropy_with_logits(x, t, pos_weight=w)", lambda x, t, w: ((1 - t) * x - (1 + t * (w - 1)) * F.logsigmoid(x)).mean(),
               True, x=x, t=target, w=np.abs(normal(6)))  # fmt: skip
    classes, weights = np.array([0, 5, 2, 2]), np.abs(normal(6)) + 0.1

    def weighted(p, t, w, smoothing=0.0, ignored=-1):  # PyTorch's loss functions have no gradient with respect to the weights
        rows = (t != ignored).nonzero()[:, 0]
        sharp = (w[t] * p[torch.arange(len(t)), t])[rows].sum()
        return -((1 - smoothing) * sharp + smoothing / p.shape[1] * (w * p)[rows].sum()) / w[t][rows].sum()

    yield Case("cross_entropy(x, t, weight=w, label_smoothing=0.25, ignore_index=5)",
               lambda x, t, w: weighted(torch.log_softmax(x, 1), t, w, 0.25, 5), True, x=x, t=classes, w=weights)  # fmt: skip
    yield Case("nll_loss(x, t, weight=w)", weighted, True, x=x, t=classes, w=weights)
    attention = lambda mask: lambda q, k, v: torch.softmax((q @ k.mT * 0.5).masked_fill(mask, -torch.inf), -1) @ v  # noqa: E731
    arrays = {"q": normal(2, 5, 4), "k": normal(2, 5, 4), "v": normal(2, 5, 3)}
    yield Case("scaled_dot_product_attention(q, k, v)", attention(torch.zeros(5, 5, dtype=torch.bool)), True, **arrays)
    yield Case("scaled_dot_product_attention(q, k, v, is_causal=true)", attention(torch.ones(5, 5, dtype=torch.bool).triu(1)), True, **arrays)
    for mode, torch_mode in ("linear", "bilinear"), ("cubic", "bicubic"):
        yield Case(f'interpolate(x, size=[7, 4], mode="{mode}")',
                   lambda x, m=torch_mode: F.interpolate(x, (7, 4), mode=m, align_corners=False), x=normal(1, 2, 5, 6))  # fmt: skip
    yield Case('interpolate(x, size=[3, 4], mode="area")', lambda x: F.interpolate(x, (3, 4), mode="area"), x=normal(1, 2, 5, 6))


def complex_cases():
    """Complex inputs: harp and PyTorch both return the gradient whose real and imaginary parts are the derivatives of a real loss with
    respect to these parts."""
    z, w = normal(3, 5) + 1j * normal(3, 5), normal(3, 5) + 1j * normal(3, 5)
    for text, function in [
        ("a * b", torch.mul), ("a / b", torch.div), ("exp(a) + b", lambda a, b: torch.exp(a) + b), ("conj(a) * b", lambda a, b: a.conj() * b),
        ("abs(a) * real(b)", lambda a, b: a.abs() * b.real), ("angle(a) + imag(b)", lambda a, b: a.angle() + b.imag),
        ("matmul(a, transpose(b))", lambda a, b: a @ b.T), ("sum(a * a * b, axes=[1])", lambda a, b: (a * a * b).sum(1)),
        ("sqrt(a) + log(b)", lambda a, b: a.sqrt() + b.log()), ("sin(a) * cos(b)", lambda a, b: a.sin() * b.cos()),
        ("fft(a * b, axis=1)", lambda a, b: torch.fft.fft(a * b, dim=1)),
    ]:  # fmt: skip
        yield Case(text, function, a=z, b=w)
    yield Case("abs(a)", torch.abs, a=z * (np.arange(5) != 2))  # the gradient is 0 where an element is 0
    yield Case("ifft(a, n=7, axis=0) * 2", lambda a: torch.fft.ifft(a, 7, 0) * 2, a=z)
    yield Case("rfft(x, axis=1)", lambda x: torch.fft.rfft(x, dim=1), x=normal(3, 6))
    yield Case("rfft(x, n=9, axis=0)", lambda x: torch.fft.rfft(x, 9, 0), x=normal(7, 2))


# For each expression of tests/grad/grad_extremes.txt, the PyTorch function that computes it. PyTorch has no function for the expressions
# that are missing here.
EXTREMES = {
    "neg(x)": torch.neg, "recip(x)": torch.reciprocal, "abs(x)": torch.abs, "square(x)": torch.square, "sqrt(x)": torch.sqrt,
    "rsqrt(x)": torch.rsqrt, "exp(x)": torch.exp, "exp2(x)": torch.exp2, "expm1(x)": torch.expm1, "log(x)": torch.log, "log2(x)": torch.log2,
    "log10(x)": torch.log10, "log1p(x)": torch.log1p, "sin(x)": torch.sin, "cos(x)": torch.cos, "tan(x)": torch.tan, "asin(x)": torch.asin,
    "acos(x)": torch.acos, "atan(x)": torch.atan, "sinh(x)": torch.sinh, "cosh(x)": torch.cosh, "tanh(x)": torch.tanh, "asinh(x)": torch.asinh,
    "acosh(x)": torch.acosh, "atanh(x)": torch.atanh, "erf(x)": torch.erf, "erfc(x)": torch.erfc, "pow(x, 2)": lambda x: x**2,
    "pow(x, 3)": lambda x: x**3, "pow(x, -2)": lambda x: x**-2, "pow(x, 0.5)": lambda x: x**0.5, "pow(2, x)": lambda x: torch.pow(2, x),
    "pow(0.5, x)": lambda x: torch.pow(0.5, x), "powi(x, -1)": lambda x: x**-1, "powi(x, -2)": lambda x: x**-2,
    "powi(x, -5)": lambda x: x**-5, "powi(x, 13)": lambda x: x**13, "x / 3": lambda x: x / 3, "3 / x": lambda x: 3 / x,
    "hypot(x, 3)": lambda x: torch.hypot(x, torch.full_like(x, 3)), "atan2(x, 3)": lambda x: torch.atan2(x, torch.full_like(x, 3)),
    "atan2(3, x)": lambda x: torch.atan2(torch.full_like(x, 3), x), "maximum(x, 1)": lambda x: torch.maximum(x, torch.ones_like(x)),
    "minimum(x, 1)": lambda x: torch.minimum(x, torch.ones_like(x)), "remainder(x, 3)": lambda x: torch.remainder(x, 3),
    "fmod(x, 3)": lambda x: torch.fmod(x, 3), "sigmoid(x)": torch.sigmoid, "silu(x)": F.silu, "softplus(x)": F.softplus, "relu(x)": torch.relu,
    "elu(x, alpha=0.5)": lambda x: F.elu(x, 0.5), "selu(x)": F.selu, "celu(x, alpha=0.5)": lambda x: F.celu(x, 0.5), "gelu(x)": F.gelu,
    'gelu(x, approximate="tanh")': lambda x: F.gelu(x, approximate="tanh"), "clip(x, -1, 1)": lambda x: torch.clamp(x, -1, 1),
    "softmax(x)": lambda x: torch.softmax(x, 0), "log_softmax(x)": lambda x: torch.log_softmax(x, 0),
    "logsumexp(x)": lambda x: torch.logsumexp(x, 0), "max(x)": torch.amax, "norm(x)": lambda x: torch.linalg.vector_norm(x, 2),
    "norm(x, ord=1)": lambda x: torch.linalg.vector_norm(x, 1), "norm(x, ord=3)": lambda x: torch.linalg.vector_norm(x, 3),
    "norm(x, ord=1.5)": lambda x: torch.linalg.vector_norm(x, 1.5), "std(x)": lambda x: x.std(unbiased=False),
    "var(x)": lambda x: x.var(unbiased=False), "mean(x)": torch.mean, "layer_norm(x)": lambda x: F.layer_norm(x, x.shape),
    "prod(x)": torch.prod, "cumprod(x)": lambda x: torch.cumprod(x, 0), "relu6(x)": F.relu6,
    "hardtanh(x, min_val=-2, max_val=0.5)": lambda x: F.hardtanh(x, -2, 0.5), "leaky_relu(x, negative_slope=0.25)": lambda x: F.leaky_relu(x, 0.25),
    "hardsigmoid(x)": hard_gate, "hardswish(x)": lambda x: x * hard_gate(x), "mish(x)": F.mish, "softsign(x)": F.softsign, "logsigmoid(x)": F.logsigmoid,
    "logaddexp(x, 1)": lambda x: torch.logaddexp(x, torch.ones_like(x)), "logaddexp(x, neg(x))": lambda x: torch.logaddexp(x, -x),
    'huber_loss(x, 1, delta=0.5, reduction="none")': lambda x: F.huber_loss(x, torch.ones_like(x), "none", 0.5),
    'binary_cross_entropy(x, 1, reduction="none")': lambda x: F.binary_cross_entropy(x, torch.ones_like(x), reduction="none"),
    'binary_cross_entropy_with_logits(x, 0.25, reduction="none")':
        lambda x: F.binary_cross_entropy_with_logits(x, torch.full_like(x, 0.25), reduction="none"),
    "logcumsumexp(x)": lambda x: torch.logcumsumexp(x, 0), "cummax(x)": lambda x: torch.cummax(x, 0)[0], "cummin(x)": lambda x: torch.cummin(x, 0)[0],
}  # fmt: skip

# The results of PyTorch that differ from the table: (expression, order of the derivative) and the reason.
EXCEPTIONS = {
    **{("expm1(x)", order): "y + 1, which is 0 where y is rounded to -1" for order in (1, 2)},
    ("log1p(x)", 0): "inf of f32 from 3.39e38 on",
    ("asinh(x)", 2): "x² overflows", ("acosh(x)", 2): "x² overflows",
    ("erf(x)", 2): "NaN: inf * 0 of x and exp(-x²)", ("erfc(x)", 2): "NaN: inf * 0 of x and exp(-x²)",
    ("gelu(x)", 2): "NaN: inf * 0 of x² and exp(-x²)",
    **{('gelu(x, approximate="tanh")', order): "NaN: inf * 0 of x³ and 1 - tanh²" for order in (1, 2)},
    ("sigmoid(x)", 1): "y * (1 - y): 1 - y cancels where y is near 1", ("softplus(x)", 2): "the derivative of sigmoid",
    ("silu(x)", 0): "0 from -89 on", ("silu(x)", 2): "1 - sigmoid cancels",
    **{(text, 0): "exp(x) - 1 cancels near 0" for text in ("elu(x, alpha=0.5)", "selu(x)", "celu(x, alpha=0.5)")},
    **{(text, 2): "0 at 0, where harp's is that of the side below" for text in ("elu(x, alpha=0.5)", "selu(x)", "celu(x, alpha=0.5)")},
    ("logsumexp(x)", 1): "exp(x - y) of a rounded y", ("logsumexp(x)", 2): "made of the same, and the shift by the greatest element is differentiated",
    ("norm(x)", 2): "NaN at 0",
    ("prod(x)", 2): "0 where two factors are 0",
    **{('binary_cross_entropy(x, 1, reduction="none")', order): "a slope of -1e12 at 0, and of -1e9 in f32, where the loss is cut off at 100"
       for order in (1, 2)},
    ('huber_loss(x, 1, delta=0.5, reduction="none")', 2): "0 at the bound, where harp's is that of the square",
    **{(text, 2): "NaN: inf * 0" for text in ("logaddexp(x, 1)", "logaddexp(x, neg(x))", "mish(x)")},
    ("logsigmoid(x)", 2): "1 - sigmoid cancels", ("logcumsumexp(x)", 1): "sums of logarithms lose what is small beside them",
}  # fmt: skip

FAMILIES = [unary_cases, binary_cases, reduce_cases, scan_cases, view_cases, product_cases, loss_cases, network_cases, complex_cases]



def rounded(array):
    """Rounds the numbers to f32 (complex numbers to complex64) and returns them in their original dtype."""
    return array.astype(NARROW[array.dtype.kind][1]).astype(array.dtype) if array.dtype.kind in NARROW else array


def reference(case, inputs, narrow):
    """Returns y, a random g of the same shape, the gradients of y · g and, for cases with second derivatives, the gradients of the sum of
    the squares of those gradients."""
    tensors = {name: torch.tensor(value, requires_grad=name in case.wrt) for name, value in inputs.items()}
    y = case.function(*tensors.values())
    g = np.asarray(np.random.default_rng(3).standard_normal(tuple(y.shape)))
    if y.is_complex():
        g = g + 1j * np.flip(g)
    if narrow:
        g = rounded(g)
    wrt = [tensors[name] for name in case.wrt]
    known = lambda gradients: [torch.zeros_like(x) if d is None else d for d, x in zip(gradients, wrt)]  # noqa: E731
    first = known(torch.autograd.grad(y, wrt, torch.tensor(g), create_graph=case.second, allow_unused=True))
    second = known(torch.autograd.grad(sum((d * d).sum() for d in first), wrt, allow_unused=True)) if case.second else []
    numbers = lambda tensor: tensor.detach().resolve_conj().numpy()  # noqa: E731
    return numbers(y), g, [numbers(d) for d in first], [numbers(d) for d in second]


def run(case, inputs, g, narrow, backend, folder):
    def spelled(array):
        return NARROW[array.dtype.kind][0] if narrow and array.dtype.kind in NARROW else WIDE[array.dtype.kind]

    given = inputs | {"g": g}
    parameters = ", ".join(f"{name}: {spelled(v)}{list(v.shape)}" for name, v in given.items())
    first, second = [f"d_{name}" for name in case.wrt], [f"dd_{name}" for name in case.wrt] if case.second else []
    wrt = ", ".join(case.wrt)
    lines = ["harp 1", f"graph g({parameters}) flags=[broadcast] {{", f"  y = {case.text}",
             f"  {', '.join(first)} = grad(y, [{wrt}], grad_output=g)"]  # fmt: skip
    if second:
        lines += [f"  squares = {' + '.join(f'sum({d} * {d})' for d in first)}", f"  {', '.join(second)} = grad(squares, [{wrt}])"]
    outputs = ["y", *first, *second]
    lines += ["  return " + ", ".join(f"out_{name} = {name}" for name in outputs), "}"]
    path = os.path.join(folder, "graph.harp")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    command = [TOOL, "run", path, "--backend", backend]
    for name, value in given.items():
        if narrow and value.dtype.kind in NARROW:
            value = value.astype(NARROW[value.dtype.kind][1])
        np.save(os.path.join(folder, name + ".npy"), value)
        command += ["--input", f"{name}={os.path.join(folder, name)}.npy"]
    for name in outputs:
        command += ["--output", f"out_{name}={os.path.join(folder, 'out_' + name)}.npy"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip()[-1000:]}")
    return [np.load(os.path.join(folder, f"out_{name}.npy")) for name in outputs]


def check(case, narrow, folder):
    """Returns a list of texts about what is wrong with the case."""
    inputs = {name: rounded(value) if narrow else value for name, value in case.inputs.items()}
    y, g, first, second = reference(case, inputs, narrow)
    unit = np.finfo(np.float32 if narrow else np.float64).eps
    problems = []
    for backend in ("interp", "c"):
        found = run(case, inputs, g, narrow, backend, folder)
        names = ["y", *(f"d/d{n}" for n in case.wrt), *(f"second d/d{n}" for n in case.wrt)]
        for name, mine, theirs in zip(names, found, [y, *first, *second]):
            if mine.shape != theirs.shape:
                problems.append(f"{backend}: {name} has shape {mine.shape}, not {theirs.shape}")
                continue
            bound = UNITS * unit * max(1.0, float(np.max(np.abs(theirs), initial=0)))
            worst = float(np.max(np.abs(mine - theirs), initial=0))
            if not worst <= bound:
                problems.append(f"{backend}: {name} is off by {worst:.3g}, allowed {bound:.3g}")
    return problems


def torch_at(function, x, w, u, dtype):
    """Returns y and, if they exist, the gradient of w · y and the gradient of the product of that gradient with u."""
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = function(x)
    weigh = lambda values, like: torch.tensor(np.resize(values, tuple(like.shape) or (1,)).reshape(tuple(like.shape)), dtype=dtype)  # noqa: E731
    (first,) = torch.autograd.grad((y * weigh(w, y)).sum(), x, create_graph=True)
    second = torch.autograd.grad((first * weigh(u, x)).sum(), x, allow_unused=True)[0] if first.requires_grad else None
    # PyTorch does not store some zeros as arrays (in the gradient of abs, for example); the addition makes arrays of them.
    parts = [torch.zeros_like(x) if part is None else part.detach() + torch.zeros(part.shape, dtype=dtype) for part in (y, first, second)]
    return [part.detach().reshape(-1).double().tolist() for part in parts]


def check_extremes(wanted, folder):
    """Returns (number of cases, lines of text about what is wrong)."""
    head, blocks = grad_extremes_test.read()
    blocks = [block for block in blocks if any(part in block.text for part in wanted)]
    problems, differs = [], set()
    environment = {**os.environ, "HARP_CACHE_DIR": os.path.join(folder, "cache")}
    for letter, dtype in (("s", torch.float32), ("d", torch.float64)):
        mine = grad_extremes_test.Dtype(letter)
        for block in blocks:
            for backend in ("interp", "c"):
                problems += [f"{backend}: {line}" for line in grad_extremes_test.check(head, [block], letter, backend, folder, environment)[1]]
            for letters, x, known in block.cases:
                if letter not in letters or block.text not in EXTREMES or not mine.holds(known[0]):
                    continue
                w, u = (head["w"], head["u"]) if block.is_vector else ([1.0], [1.0])
                for order, found in enumerate(torch_at(EXTREMES[block.text], x, w, u, dtype)[: 1 + block.orders()]):
                    for line in grad_extremes_test.problems_of(block, mine, order, x, found, known[order]):
                        differs.add((block.text, order))
                        if (block.text, order) not in EXCEPTIONS:
                            problems.append(f"PyTorch: {line}")
    gone = [key for key in EXCEPTIONS if any(part in key[0] for part in wanted) and key not in differs]
    problems += [f"{text}, {grad_extremes_test.ORDERS[order]}: PyTorch's is what the table says: no exception" for text, order in gone]
    return sum(len(block.cases) for block in blocks), problems


def main():
    wanted = sys.argv[1:] or [""]
    cases = [case for family in FAMILIES for case in family() if any(part in case.text for part in wanted)]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="harp-gradients-") as folder:
        for case in cases:
            for narrow in (False, True):
                try:
                    problems = check(case, narrow, folder)
                except RuntimeError as error:
                    problems = [str(error)]
                failed += bool(problems)
                for problem in problems:
                    print(f"{case.text} in {'f32' if narrow else 'f64'}: {problem}")
        points, problems = check_extremes(wanted, folder)
    failed += len(problems)
    print("".join(line + "\n" for line in problems), end="")
    second = sum(case.second for case in cases)
    print(f"{len(cases)} functions in f64 and f32 on interp and c against PyTorch {torch.__version__}, {second} of them twice: "
          f"{points} extreme points; {'all agree' if not failed else f'{failed} do not agree'}")  # fmt: skip
    return 1 if failed or not (cases or points) else 0


if __name__ == "__main__":
    sys.exit(main())
