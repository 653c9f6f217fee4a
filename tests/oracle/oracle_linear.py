"""Defines the cases of the NumPy oracle for operations that multiply and sum: matrix products, einsum, convolutions, pools, norms, losses.

Most arrays have small whole numbers, even arrays of floats, because then every order of summation gives the same bits and the comparison is
exact. Convolutions and pools are loops over kernel taps here, which have nothing in common with harp's windows.
"""
import itertools
import math

import numpy as np

from oracle_half import FORMATS
from oracle_references import EXACT, FLOATS, INTS, KINDS, WIDE, Case, Group, epsilon, half_of, small, store, within


SYMBOLIC = ("i32", "f32")  # dtypes that also run with symbolic sizes; two are enough, because sizes and dtypes do not interact


def whole(random, dtype, *shape):
    return small(random, dtype, *shape, low=-4, high=5)


# ------------------------------------------------------------------------------------------------------- references

def taps(size):
    return itertools.product(*(range(n) for n in size))


def pairs(padding, axes):
    """Returns a list of pairs (before, after), one for each axis. `padding` is one number, one number for each axis, or a list of such
    pairs."""
    if isinstance(padding, int):
        padding = [padding] * axes
    return [tuple(p) if isinstance(p, (list, tuple)) else (p, p) for p in padding]


def each(value, axes):
    return [value] * axes if isinstance(value, int) else list(value)


def conv(x, w, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Returns the convolution of x and w, plus bias. Element [n, o, p] of the convolution is the sum of x[n, c, p * stride + k * dilation]
    * w[o, c, k] over the channels c of the group of o and over the taps k."""
    axes = x.ndim - 2
    stride, dilation, size = each(stride, axes), each(dilation, axes), w.shape[2:]
    x = np.pad(x, [(0, 0), (0, 0)] + pairs(padding, axes))
    out = [(x.shape[2 + i] - dilation[i] * (size[i] - 1) - 1) // stride[i] + 1 for i in range(axes)]
    y = np.zeros((x.shape[0], w.shape[0], *out), x.dtype)
    in_each, out_each = w.shape[1], w.shape[0] // groups
    for o in range(w.shape[0]):
        for c in range(in_each):
            for k in taps(size):
                window = tuple(slice(k[i] * dilation[i], k[i] * dilation[i] + (out[i] - 1) * stride[i] + 1, stride[i]) for i in range(axes))
                y[:, o] += x[(slice(None), o // out_each * in_each + c, *window)] * w[(o, c, *k)]
    return y if bias is None else y + bias.reshape(-1, *[1] * axes)


def conv_transpose(x, w, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Returns the transposed convolution y of x and w: each product x[n, c, p] * w[c, o, k] is added to element [n, o, p * stride + k *
    dilation - padding] of y."""
    axes = x.ndim - 2
    stride, dilation, extra, size = each(stride, axes), each(dilation, axes), each(output_padding, axes), w.shape[2:]
    full = [(x.shape[2 + i] - 1) * stride[i] + dilation[i] * (size[i] - 1) + 1 + extra[i] for i in range(axes)]
    y = np.zeros((x.shape[0], w.shape[1] * groups, *full), x.dtype)
    in_each, out_each = w.shape[0] // groups, w.shape[1]
    for c in range(w.shape[0]):
        for o in range(out_each):
            for k in taps(size):
                place = tuple(slice(k[i] * dilation[i], k[i] * dilation[i] + (x.shape[2 + i] - 1) * stride[i] + 1, stride[i]) for i in range(axes))
                y[(slice(None), c // in_each * out_each + o, *place)] += x[:, c] * w[(c, o, *k)]
    crop = tuple(slice(before, full[i] - after) for i, (before, after) in enumerate(pairs(padding, axes)))
    y = y[(slice(None), slice(None), *crop)]
    return y if bias is None else y + bias.reshape(-1, *[1] * axes)


def pool(x, size, stride=None, padding=0, dilation=1, fill=0, combine=np.add):
    axes = len(size)
    stride, dilation = list(size) if stride is None else each(stride, axes), each(dilation, axes)
    x = np.pad(x, [(0, 0)] * (x.ndim - axes) + pairs(padding, axes), constant_values=fill)
    lead = x.ndim - axes
    out = [(x.shape[lead + i] - dilation[i] * (size[i] - 1) - 1) // stride[i] + 1 for i in range(axes)]
    y = None
    for k in taps(size):
        window = tuple(slice(k[i] * dilation[i], k[i] * dilation[i] + (out[i] - 1) * stride[i] + 1, stride[i]) for i in range(axes))
        part = x[(..., *window)]
        y = part.copy() if y is None else combine(y, part)
    return y


def least(kind):
    return -np.inf if np.dtype(kind).kind == "f" else np.iinfo(kind).min


# ------------------------------------------------------------------------------------------------------------ cases

def matrix_cases(v):
    a, b, u, w, batch, other, square = v["a"], v["b"], v["u"], v["w"], v["batch"], v["other"], v["square"]
    return [Case(text, expected, EXACT) for text, expected in [
        ("matmul(a, b)", a @ b),
        ("a @ b", a @ b),
        ("matmul(a, u)", a @ u),
        ("matmul(u, b)", u @ b),
        ("matmul(u, u)", np.asarray(u @ u)),
        ("matmul(batch, b)", batch @ b),
        ("matmul(batch, other)", batch @ other),
        ("matmul(a, other)", a @ other),
        ("matmul(transpose(b), transpose(a))", b.T @ a.T),
        ("matmul(batch, u)", batch @ u),
        ("matmul(u, other)", u @ other),
        ("batch_matmul(batch, other)", batch @ other),
        ("dot(u, u)", np.asarray(np.dot(u, u))),
        ("dot(a, b)", np.dot(a, b)),
        ("dot(batch, u)", np.dot(batch, u)),
        ("dot(a, other)", np.dot(a, other)),
        ("dot(a, 3)", np.dot(a, a.dtype.type(3))),
        ("vecdot(batch, a)", (batch * a).sum(-1, dtype=a.dtype)),
        ("vecdot(a, a, axis=0)", (a * a).sum(0, dtype=a.dtype)),
        ("tensordot(batch, b, a_axes=[3], b_axes=[0])", np.tensordot(batch, b, ([3], [0]))),
        ("tensordot(batch, batch, a_axes=[3, 0], b_axes=[3, 0])", np.tensordot(batch, batch, ([3, 0], [3, 0]))),
        ("outer(u, w)", np.outer(u, w)),
        ("outer(a, w)", np.multiply.outer(a, w)),
        ("diagonal(a)", np.diagonal(a)),
        ("diagonal(a, offset=2)", np.diagonal(a, 2)),
        ("diagonal(a, offset=-1)", np.diagonal(a, -1)),
        ("diagonal(a, offset=50)", np.diagonal(a, 50)),
        ("diagonal(a, offset=-50)", np.diagonal(a, -50)),
        ("diagonal(batch, axis1=-1, axis2=1)", np.diagonal(batch, 0, -1, 1)),
        ("trace(square)", np.asarray(np.trace(square, dtype=square.dtype))),
        ("trace(batch, offset=1, axis1=2, axis2=3)", np.trace(batch, 1, 2, 3, dtype=batch.dtype)),
    ]]


SPECS = [("ij,jk->ik", "ab"), ("ij,jk", "ab"), ("ji,jk->ki", ("transpose(a)", "b")), ("ii", ("square",)), ("ii->i", ("square",)), ("ij->ji", "a"),
         ("ij->", "a"), ("ij->j", "a"), ("ij,j->i", "au"), ("j,ij->i", "ua"), ("i,j->ij", "uw"), ("i,i->", "uu"), ("i,i->i", "uu"),
         ("ij,ij->ij", "aa"), ("ij,kj->", "aa"), ("...ij,jk->...ik", ("batch", "b")), ("...ij,...jk->...ik", ("batch", "other")),
         ("...ij,...jk", ("batch", "other")), ("i...,i...->...", ("batch", "batch")), ("...ii->...", ("cube",)), ("...ii->i...", ("cube",)),
         ("ij,jk,kl->il", ("a", "b", "transpose(b)")), ("ij,jk,lk,l->i", ("a", "b", "b", "u")), ("i,j,k->kij", "uww"), ("ij, jk -> ki", "ab"),
         ("bhij,bhkj->bhik", ("batch", "batch")), ("bhij,bhik->bhjk", ("batch", "batch")), ("iij->ij", ("cube2",)), ("iji->j", ("cube3",)),
         ("ij,j,jk,k->", ("a", "u", "b", "w")), ("a...,b...->ab...", ("square", "square")), ("Ab,bC->AC", "ab"), ("ij,k->", "au"), (",ij->ji", ("one", "a"))]


def einsum_cases(dtype, v):
    cases = []
    for spec, operands in SPECS:
        values = [v[name[10:-1]].T if name.startswith("transpose") else v[name] for name in operands]
        # np.einsum adds the products to 0 even if no axis is summed, so that -0 becomes +0, as in harp's einsum.
        expected = np.asarray(np.einsum(spec, *values))
        nearness = within(dtype, expected, np.zeros(expected.shape)) if dtype in FLOATS else EXACT
        cases.append(Case(f'einsum({", ".join(operands)}, spec="{spec}")', expected, nearness))
    return cases


def conv_arguments():
    return {
        1: [{}, {"stride": 2}, {"padding": [[2, 1]]}, {"dilation": 2}, {"groups": 2}, {"stride": 3, "padding": 2, "dilation": 2, "bias": True}],
        2: [{}, {"padding": 1, "bias": True}, {"stride": 2, "padding": [[1, 0], [0, 2]]}, {"dilation": [2, 1], "padding": [1, 2]}, {"groups": 2},
            {"stride": [2, 1], "groups": 2, "padding": 1}],
        3: [{"padding": 1}, {"stride": 2, "dilation": [1, 2, 1], "padding": [0, 1, 1], "bias": True}],
    }


def transposed_arguments():
    return {
        1: [{}, {"stride": 2}, {"stride": 3, "padding": 1}, {"dilation": 2, "padding": [[3, 1]]}, {"stride": 2, "output_padding": 1, "bias": True},
            {"stride": 2, "dilation": 3, "padding": 2, "groups": 2}, {"dilation": 3, "output_padding": 2}, {"stride": 5, "output_padding": 4}],
        2: [{"stride": 2, "padding": 1, "output_padding": 1}, {"stride": [1, 3], "groups": 2, "bias": True}, {"padding": 1}],
        3: [{"stride": [2, 1, 2], "padding": [1, 0, 1]}],
    }


def written(arguments):
    return "".join(f", {name}={value}" for name, value in arguments.items() if name != "bias")


def conv_groups(dtype, random):
    """Convolutions of x [2, 4, …] with kernels for 1 and for 2 groups. The kernel of 3 by 2 by 2 has odd and even sizes."""
    space, kernel = (9, 7, 5), (3, 2, 2)
    x = {n: whole(random, dtype, 2, 4, *space[:n]) for n in (1, 2, 3)}
    inputs = {f"x{n}": x[n] for n in (1, 2, 3)} | {"bias": whole(random, dtype, 6), "bias_t": whole(random, dtype, 6)}
    cases = []
    for n in (1, 2, 3):
        for groups in (1, 2):
            inputs[f"w{n}_{groups}"] = whole(random, dtype, 6, 4 // groups, *kernel[:n])
            inputs[f"t{n}_{groups}"] = whole(random, dtype, 4, 6 // groups, *kernel[:n])
        for kind, reference, letter, bias, table in (("conv", conv, "w", "bias", conv_arguments()),
                                                     ("conv_transpose", conv_transpose, "t", "bias_t", transposed_arguments())):
            for arguments in table[n]:
                weight = f"{letter}{n}_{arguments.get('groups', 1)}"
                values = {name: value for name, value in arguments.items() if name != "bias"}
                expected = reference(x[n], inputs[weight], inputs[bias] if "bias" in arguments else None, **values)
                given = f"x{n}, {weight}" + (f", {bias}" if "bias" in arguments else "")
                cases.append(Case(f"{kind}{n}d({given}{written(arguments)})", expected, EXACT))
    return inputs, cases


def pool_cases(dtype, x):
    """Returns the cases of max_pool and avg_pool on x [2, 3, 9, 8]."""
    kind = x.dtype
    cases = [Case(f"max_pool(x, {size}{written(arguments)})", pool(x, size, fill=least(kind), combine=np.maximum, **arguments), EXACT)
             for size, arguments in (([2, 2], {}), ([3], {"stride": 1}), ([3, 2], {"stride": [2, 1], "padding": 1}),
                                     ([2, 3], {"dilation": [3, 2], "stride": 1, "padding": [[1, 0], [2, 1]]}), ([3, 9, 8], {}))]
    if dtype not in FLOATS:
        return cases
    for size, arguments in (([2, 2], {}), ([3], {"stride": 1}), ([4, 2], {"stride": 2, "padding": [2, 1]})):
        total = pool(x, size, **arguments)
        cases.append(Case(f"avg_pool(x, {size}{written(arguments)})", (total / kind.type(math.prod(size))).astype(kind), EXACT))
        count = pool(np.ones_like(x), size, **arguments)
        cases.append(Case(f"avg_pool(x, {size}{written(arguments)}, count_include_pad=false)", total / count, EXACT))
    return cases


def index_cases(x):
    """Returns the cases of argmax and argmin on x [4, 5, 6], in which some elements are equal."""
    cases = []
    for name, reference in (("argmax", np.argmax), ("argmin", np.argmin)):
        cases.append(Case(f"{name}(x)", np.asarray(reference(x), np.int64), EXACT))
        cases.append(Case(f"{name}(x, keepdims=true)", np.asarray(reference(x), np.int64).reshape(1, 1, 1), EXACT))
        for axis in (0, 1, -1):
            cases.append(Case(f"{name}(x, axis={axis})", reference(x, axis).astype(np.int64), EXACT))
        cases.append(Case(f"{name}(x, axis=1, keepdims=true)", np.expand_dims(reference(x, 1), 1).astype(np.int64), EXACT))
    return cases


def special_index_cases(x):
    return [Case(f"{name}(x, axis=1)", reference(x, 1), EXACT) for name, reference in (("argmax", np.argmax), ("argmin", np.argmin))]


def network_cases(dtype, x, y, classes, images, weight, bias):
    """Returns the cases of normalisations, losses and norms. The shapes are x and y [6, 9], images [2, 5, 3, 4], and weight and bias [9].
    `classes` has a class index for each row of x."""
    eps = epsilon(dtype)
    w, t = x.astype(WIDE), y.astype(WIDE)
    scale = np.abs(w).max() + 1
    near = lambda shape, factor=64: factor * eps * np.full(shape, scale)  # noqa: E731
    centred = w - w.mean(1, keepdims=True)
    normal = centred / np.sqrt((centred**2).mean(1, keepdims=True) + WIDE(1e-5))
    roots = w / np.sqrt((w**2).mean(1, keepdims=True) + WIDE(1e-3))
    both = (w - w.mean()) / np.sqrt(((w - w.mean())**2).mean() + WIDE(1e-5))
    log_p = w - np.log(np.exp(w).sum(1, keepdims=True))
    losses = -log_p[np.arange(6), classes]
    chances = store(dtype, np.exp(t) / np.exp(t).sum(1, keepdims=True)) if half_of(dtype) else np.exp(t) / np.exp(t).sum(1, keepdims=True)
    # harp may round a probability to a 16-bit float that is adjacent to the one used here. `slack` is the largest difference of a loss that
    # this causes.
    slack = 2.0**-FORMATS[dtype][0] * np.abs(log_p).max() if half_of(dtype) else 0
    soft = -(chances * log_p).sum(1)
    pictures = images.astype(WIDE)
    log_q = pictures - np.log(np.exp(pictures).sum(1, keepdims=True))
    marks = np.arange(24).reshape(2, 3, 4) % 5
    picked = -np.take_along_axis(log_q, marks[:, None], 1)[:, 0]
    results = [
        ("layer_norm(x)", normal, near(x.shape)),
        ("layer_norm(x, weight=weight, bias=bias)", normal * weight + bias, near(x.shape, 512)),
        ("layer_norm(x, weight=weight)", normal * weight, near(x.shape, 512)),
        ("layer_norm(x, bias=bias)", normal + bias, near(x.shape)),
        ("layer_norm(x, axes=[0, 1])", both, near(x.shape)),
        ("rms_norm(x, eps=1e-3)", roots, near(x.shape)),
        ("rms_norm(x, eps=1e-3, weight=weight, bias=bias)", roots * weight + bias, near(x.shape, 512)),
        ("std(x, axes=[1])", w.std(1), near(6)),
        ("std(x, axes=[1], correction=1, keepdims=true)", w.std(1, ddof=1, keepdims=True), near((6, 1))),
        ("mse_loss(x, y)", ((w - t)**2).mean(), near((), 64 * scale)),
        ('mse_loss(x, y, reduction="sum")', ((w - t)**2).sum(), near((), 4096 * scale)),
        ('mse_loss(x, y, reduction="none")', (w - t)**2, near(x.shape, 64 * scale)),
        ('cross_entropy(x, classes, reduction="none")', losses, near(6)),
        ("cross_entropy(x, classes)", losses.mean(), near(())),
        ('cross_entropy(x, classes, reduction="sum")', losses.sum(), near((), 512)),
        ("cross_entropy(x, softmax(y))", soft.mean(), near((), 256) + slack),
        ('cross_entropy(x, softmax(y), axis=-1, reduction="none")', soft, near(6, 256) + slack),
        ('cross_entropy(images, reshape(arange(24) % 5, [2, 3, 4]), reduction="none")', picked, near(picked.shape)),
    ]
    for order, text in ((2, "2"), (1, "1"), (np.inf, "inf"), (-np.inf, "-inf"), (0, "0"), (3, "3"), (0.5, "0.5")):
        expected = np.linalg.norm(x.astype(float), order, 1)
        results.append((f"norm(x, ord={text}, axes=[1])", expected, near(6, 64 * max(1.0, float(expected.max() / scale)))))
    results.append(("norm(x)", np.sqrt((w**2).sum()), near((), 512)))
    results.append(("norm(x, axes=[0, 1], keepdims=true)", np.sqrt((w**2).sum()).reshape(1, 1), near((1, 1), 512)))
    return [Case(text, expected, within(dtype, expected, bound)) for text, expected, bound in results]


def product_cases(dtype, a, b):
    """Returns the cases of matrix products with a [70, 600] and b [600, 33]."""
    eps = epsilon(dtype)
    wa, wb = a.astype(WIDE), b.astype(WIDE)
    bound = 16 * eps * (np.abs(wa) @ np.abs(wb))
    product = wa @ wb
    return [Case(text, expected, within(dtype, expected, near)) for text, expected, near in (
        ("matmul(a, b)", product, bound), ('einsum(a, b, spec="ij,jk->ki")', product.T, bound.T),
        ("matmul(a, slice(b, stop=[600, 1]))", product[:, :1], bound[:, :1]),
        ("matmul(a, reshape(slice(b, stop=[600, 1]), [600]))", product[:, 0], bound[:, 0]))]


def creation_cases(u, w):
    grids = lambda *arrays, **how: [np.ascontiguousarray(g) for g in np.meshgrid(*arrays, **how)]  # noqa: E731
    return [
        Case("meshgrid(u, w)", grids(u, w), EXACT),
        Case('meshgrid(u, w, indexing="ij")', grids(u, w, indexing="ij"), EXACT),
        Case("meshgrid(u, w, u)", grids(u, w, u), EXACT),
        Case("meshgrid(u)", grids(u), EXACT),
        Case("unstack(outer(u, w), axis=1)", [np.ascontiguousarray(part) for part in np.outer(u, w).T], EXACT),
        Case("real(u)", u, EXACT), Case("conj(u)", u, EXACT), Case("imag(u)", np.zeros_like(u), EXACT),
    ]


def expression_cases(dtype, x, y):
    kind = KINDS[dtype]
    cases = [
        Case('custom_elementwise(x, y, expr="x0*x1 - x0 * 3 + 1")', x * y - x * kind(3) + kind(1), EXACT),
        Case('custom_elementwise(x, y, expr="where((x0 < x1) | ~(x0 >= 0), -x0, maximum(x1, 2))")',
             np.where((x < y) | ~(x >= 0), -x, np.maximum(y, kind(2))), EXACT),
        Case('custom_elementwise(x, expr="cast(x0 != 0, dtype=i64) + i64(1)")', (x != 0).astype(np.int64) + 1, EXACT),
        Case('custom_reduce(x, y, expr="x0*x1", op=sum, axes=[1])', (x * y).sum(1, dtype=kind), EXACT),
        Case('custom_reduce(x, y, expr="x0 - x1", op=max, keepdims=true)', (x - y).max(keepdims=True), EXACT),
        Case('custom_reduce(x, expr="abs(x0)", op=min, axes=[0])', np.abs(x).min(0), EXACT),
        Case('custom_reduce(x, expr="sign(x0)", op=prod, axes=[0, 1])', np.sign(x).prod(dtype=kind), EXACT),
        Case('custom_cumulative(x, y, expr="x0*x1", op=sum, axis=1)', (x * y).cumsum(1, dtype=kind) + kind(0), EXACT),
        Case('custom_cumulative(x, y, expr="x0 - x1", op=max, axis=0, reverse=true)', np.maximum.accumulate((x - y)[::-1], 0)[::-1], EXACT),
        Case('custom_cumulative(x, expr="sign(x0)", op=prod)', np.sign(x).cumprod(dtype=kind), EXACT),
        Case('custom_function(x, body="output = input0[ridx0, size(input0, 1) - 1 - ridx1]", '
             f'dtype={dtype}, shape=[{x.shape[0]}, {x.shape[1]}])', x[:, ::-1], EXACT),
    ]
    if dtype in INTS:
        cases.append(Case('custom_elementwise(x, y, expr="(x0 << 2) ^ x1 // 3 & x0 % 5")', (x << 2) ^ ((y // kind(3)) & (x % kind(5))), EXACT))
    return cases


def linear_groups():
    random = np.random.default_rng(11)
    result = []
    for dtype in (*INTS, *FLOATS):
        half = half_of(dtype)
        shapes = {"a": (3, 5), "b": (5, 4), "u": (5,), "w": (4,), "batch": (2, 1, 3, 5), "other": (3, 5, 4), "square": (4, 4),
                  "cube": (2, 3, 3), "cube2": (3, 3, 2), "cube3": (3, 2, 3), "one": ()}
        v = {name: np.asarray(whole(random, dtype, *shape)) for name, shape in shapes.items()}
        symbolic = {"a": "[m, k]", "b": "[k, n]", "u": "[k]", "w": "[n]", "batch": "[p, 1, m, k]", "other": "[q, k, n]", "square": "[n, n]"}
        matrix = {name: v[name] for name in ("a", "b", "u", "w", "batch", "other", "square")}
        result.append(Group(f"matrix products {dtype}", matrix, {}, {}, "", matrix_cases(v), half))
        if dtype in SYMBOLIC:
            result.append(Group(f"matrix products, symbolic {dtype}", matrix, symbolic, {}, "", matrix_cases(v), half))
        result.append(Group(f"einsum {dtype}", v, {}, {}, "", einsum_cases(dtype, v), half))
        every = symbolic | {"cube": "[r, s, s]", "cube2": "[s, s, r]", "cube3": "[s, r, s]"}
        if dtype in SYMBOLIC:
            result.append(Group(f"einsum, symbolic {dtype}", v, every, {}, "", [c for c in einsum_cases(dtype, v) if '"bhij,bhkj' not in c.text], half))
        inputs, cases = conv_groups(dtype, random)
        result.append(Group(f"convolutions {dtype}", inputs, {}, {}, "", cases, half))
        sizes = {"x1": "[n, 4, d]", "x2": "[n, 4, d, h]", "x3": "[n, 4, d, h, w]"}
        if dtype in SYMBOLIC:
            result.append(Group(f"convolutions, symbolic {dtype}", inputs, sizes, {}, "", cases, half))
        x = whole(random, dtype, 2, 3, 9, 8)
        result.append(Group(f"pools {dtype}", {"x": x}, {}, {}, "", pool_cases(dtype, x), half))
        if dtype in SYMBOLIC:
            result.append(Group(f"pools, symbolic {dtype}", {"x": x}, {"x": "[n, 3, h in 3..99, w in 3..99]"}, {}, "",
                                [case for case in pool_cases(dtype, x) if "[3, 9, 8]" not in case.text], half))
        x = whole(random, dtype, 4, 5, 6)
        result.append(Group(f"indices {dtype}", {"x": x}, {"x": "[n, m, 6]"}, {}, "", index_cases(x), half))
        if dtype in FLOATS:
            kind = KINDS[dtype]
            inf, nan = np.inf, np.nan
            x = np.array([[1, nan, 3, nan], [0, -0.0, 0, -0.0], [-inf, -inf, -inf, -inf], [inf, 1, inf, nan], [3, 3, -inf, -inf]], kind)
            result.append(Group(f"special indices {dtype}", {"x": x}, {}, {}, "", special_index_cases(x), half))
            x, y = store(dtype, random.normal(size=(2, 6, 9)) * 2)
            images = store(dtype, random.normal(size=(2, 5, 3, 4)))
            weight, bias = store(dtype, random.normal(size=(2, 9)))
            classes = random.integers(0, 9, 6).astype(np.int64)
            inputs = {"x": x, "y": y, "classes": classes, "images": images, "weight": weight, "bias": bias}
            names = {"x": "[n, k]", "y": "[n, k]", "classes": "[n]", "images": "[b, c, h, w]", "weight": "[k]", "bias": "[k]"}
            cases = network_cases(dtype, x, y, classes, images, weight, bias)
            result.append(Group(f"networks {dtype}", inputs, {}, {}, "", cases, half))
            result.append(Group(f"networks, symbolic {dtype}", inputs, names, {}, "", [c for c in cases if "reshape" not in c.text], half))
            a, b = store(dtype, random.normal(size=(70, 600))), store(dtype, random.normal(size=(600, 33)))
            result.append(Group(f"real products {dtype}", {"a": a, "b": b}, {"a": "[m, 600]"}, {}, "", product_cases(dtype, a, b), half))
        x, y = whole(random, dtype, 6, 11), whole(random, dtype, 6, 11)
        result.append(Group(f"expressions {dtype}", {"x": x, "y": y}, {"x": "[n, m]", "y": "[n, m]"}, {}, "", expression_cases(dtype, x, y), half))
        u, w = whole(random, dtype, 5), whole(random, dtype, 4)
        result.append(Group(f"grids {dtype}", {"u": u, "w": w}, {}, {}, "", creation_cases(u, w), half))
    flags = np.random.default_rng(12).integers(0, 2, (2, 3, 9, 8)).astype(bool)
    result.append(Group("bools", {"x": flags}, {}, {}, "", [
        Case("max_pool(x, [2, 2])", pool(flags, [2, 2], combine=np.logical_or), EXACT),
        Case("argmax(x, axis=3)", flags.argmax(3), EXACT), Case("argmin(x, axis=3)", flags.argmin(3), EXACT),
        Case("norm(cast(x, dtype=f64), ord=0, axes=[2, 3])", flags.sum((2, 3)).astype(float), EXACT)]))
    return result
