"""Computes the expected results of layers, losses, activations and resizing with NumPy, by the definitions in the documentation of PyTorch,
ONNX and NumPy."""
import numpy as np

from oracle_references import EXACT, KINDS, Case, Group, Ulps, Within, epsilon

def near(dtype, expected, scale=1.0):
    """Returns a tolerance of a few roundings of numbers about as large as the greatest result."""
    finite = np.abs(np.where(np.isfinite(expected), expected, 0))
    return Within(16 * epsilon(dtype) * (finite + scale))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def activation_cases(dtype, x):
    wide = x.astype(np.longdouble)
    gate = np.clip(wide + 3, 0, 6) / 6
    expected = {
        "relu6(x)": np.clip(wide, 0, 6), "hardtanh(x)": np.clip(wide, -1, 1), "hardtanh(x, min_val=-2, max_val=0.5)": np.clip(wide, -2, 0.5),
        "leaky_relu(x)": np.where(wide > 0, wide, wide * KINDS[dtype](0.01)), "leaky_relu(x, negative_slope=0.5)": np.where(wide > 0, wide, wide / 2),
        "hardsigmoid(x)": gate, "hardswish(x)": wide * gate, "mish(x)": wide * np.tanh(softplus(wide)), "softsign(x)": wide / (1 + np.abs(wide)),
        "logsigmoid(x)": -softplus(-wide),
    }
    return [Case(text, value.astype(KINDS[dtype]), near(dtype, value)) for text, value in expected.items()]


def comparison_cases(dtype, a, b):
    kind = KINDS[dtype]
    with np.errstate(all="ignore"):
        logaddexp = np.logaddexp(a.astype(np.longdouble), b.astype(np.longdouble)).astype(kind)
        cases = [Case("logaddexp(a, b)", logaddexp, Ulps(4)),
                 Case("isclose(a, b)", np.isclose(a, b), EXACT),
                 # In harp, PyTorch and NumPy 1, an infinity is only close to itself; with atol=inf, NumPy 2 also finds it close to 0.
                 Case("isclose(a, b, atol=inf)", np.where(np.isinf(a) | np.isinf(b), a == b, np.isclose(a, b, atol=np.inf)), EXACT),
                 Case("isclose(a, b, rtol=0.5, atol=0.25, equal_nan=true)", np.isclose(a, b, 0.5, 0.25, True), EXACT),
                 Case("signbit(a)", np.signbit(a) & ~np.isnan(a), EXACT), Case("nextafter(a, b)", np.nextafter(a, b), EXACT)]
    return cases


def array_cases(x, y, vectors, others, line):
    return [
        Case("diff(x)", np.diff(x), EXACT), Case("diff(x, n=2, axis=0)", np.diff(x, 2, 0), EXACT), Case("diff(x > 0)", np.diff(x > 0), EXACT),
        Case("diff(x, n=9)", np.diff(x, 9), EXACT), Case("diff(x, n=12)", np.diff(x, 12), EXACT), Case("diff(x, n=0)", x, EXACT),
        Case("count_nonzero(x)", np.asarray(np.count_nonzero(x)), EXACT),
        Case("count_nonzero(x > 1, axes=[1], keepdims=true)", np.count_nonzero(x > 1, 1, keepdims=True), EXACT),
        Case("cross(vectors, others)", np.cross(vectors, others), EXACT),
        Case("cross(permute(vectors, axes=[1, 0]), permute(others, axes=[1, 0]), axis=0)", np.cross(vectors, others).T, EXACT),
        Case("diag(line)", np.diag(line), EXACT), Case("diag(line, k=2)", np.diag(line, 2), EXACT), Case("diag(line, k=-3)", np.diag(line, -3), EXACT),
        Case("diag(x)", np.diag(x), EXACT), Case("diag(x, k=-1)", np.diag(x, -1), EXACT),
        Case("isin(x, y)", np.isin(x, y), EXACT), Case("isin(x, slice(line, stop=[2]), invert=true)", np.isin(x, line[:2], invert=True), EXACT),
        Case("isin(x, slice(line, stop=[0]))", np.isin(x, line[:0]), EXACT),
        *[Case(f"rot90(x, k={k})", np.rot90(x, k), EXACT) for k in range(-1, 5)],
        Case("rot90(x, axis1=1, axis2=0)", np.rot90(x, 1, (1, 0)), EXACT),
    ]


def gather_nd(x, indices, batch_dims=0):
    result = np.empty(indices.shape[:-1] + x.shape[batch_dims + indices.shape[-1]:], x.dtype)
    for at in np.ndindex(indices.shape[:-1]):
        result[at] = x[at[:batch_dims] + tuple(indices[at])]
    return result


def normalised(x, axes, eps=1e-5):
    centred = x - x.mean(axes, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axes, keepdims=True) + eps)


def norm_cases(dtype, images, w, b, mean, var):
    kind = KINDS[dtype]
    x = images.astype(np.longdouble)

    def channel(v):
        return v.astype(np.longdouble).reshape(1, -1, 1, 1)

    groups = normalised(x.reshape(2, 2, 3, 4, 5), (2, 3, 4)).reshape(x.shape)
    expected = {
        "batch_norm(images, mean=mean, var=var, weight=w, bias=b)": (x - channel(mean)) / np.sqrt(channel(var) + 1e-5) * channel(w) + channel(b),
        "batch_norm(images, mean=mean, var=var)": (x - channel(mean)) / np.sqrt(channel(var) + 1e-5),
        "batch_norm(images, weight=w, eps=0.5)": normalised(x, (0, 2, 3), 0.5) * channel(w),
        "batch_norm(permute(images, axes=[0, 2, 3, 1]), bias=b, axis=-1)": (normalised(x, (0, 2, 3)) + channel(b)).transpose(0, 2, 3, 1),
        "group_norm(images, num_groups=2, weight=w, bias=b)": groups * channel(w) + channel(b),
        "group_norm(images, num_groups=6)": normalised(x, (2, 3)),
        "instance_norm(images, weight=w, bias=b)": normalised(x, (2, 3)) * channel(w) + channel(b),
    }
    return [Case(text, value.astype(kind), near(dtype, value, 4.0)) for text, value in expected.items()]


def attention(q, k, v, mask=None, causal=False, scale=None, groups=1):
    q, k, v = (a.astype(np.longdouble) for a in (q, k, v))
    k, v = np.repeat(k, groups, -3), np.repeat(v, groups, -3)
    scores = q @ np.swapaxes(k, -1, -2) * (1 / np.sqrt(q.shape[-1]) if scale is None else scale)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    peak = scores.max(-1, keepdims=True)
    e = np.exp(scores - np.where(peak == -np.inf, 0, peak))
    return e / np.where(peak == -np.inf, 1, e.sum(-1, keepdims=True)) @ v


def attention_cases(dtype, q, k, v, flags, bias):
    expected = {
        "(q, k, v)": attention(q, k, v), "(q, k, v, scale=0.3)": attention(q, k, v, scale=0.3),
        "(q, k, v, flags)": attention(q, k, v, flags), "(q, k, v, bias, is_causal=true)": attention(q, k, v, bias, True),
        "(q, slice(k, stop=[none, 2, none, none]), slice(v, stop=[none, 2, none, none]), enable_gqa=true)":
            attention(q, k[:, :2], v[:, :2], groups=2),
    }
    return [Case("scaled_dot_product_attention" + text, value.astype(KINDS[dtype]), near(dtype, value, 4.0)) for text, value in expected.items()]


def loss_cases(dtype, x, y, p, t, weight):
    kind = KINDS[dtype]
    x, y, p, t, weight = (a.astype(np.longdouble) for a in (x, y, p, t, weight))
    distance = np.abs(x - y)
    huber = np.where(distance <= 1.5, distance**2 / 2, 1.5 * (distance - 0.75))
    with np.errstate(all="ignore"):
        entropy = -(t * np.maximum(np.log(p), -100) + (1 - t) * np.maximum(np.log1p(-p), -100))
    logits = (1 - t) * x + softplus(-x)
    counted = (1 - t) * x + (1 + (weight - 1) * t) * softplus(-x)
    expected = {
        'huber_loss(x, y, delta=1.5, reduction="none")': huber, "huber_loss(x, y, delta=1.5)": huber.mean(),
        'binary_cross_entropy(p, t, reduction="none")': entropy, "binary_cross_entropy(p, t, weight=weight)": (entropy * weight).mean(),
        'binary_cross_entropy_with_logits(x, t, reduction="none")': logits,
        'binary_cross_entropy_with_logits(x, t, pos_weight=weight, reduction="sum")': counted.sum(),
        'binary_cross_entropy_with_logits(x, t, weight=weight)': (logits * weight).mean(),
    }
    return [Case(text, np.asarray(value, kind), near(dtype, np.asarray(value), 4.0 + np.abs(value).max())) for text, value in expected.items()]


def class_loss_cases(dtype, x, classes, probabilities, weight):
    kind = KINDS[dtype]
    wide, w = x.astype(np.longdouble), weight.astype(np.longdouble)
    p = wide - np.log(np.exp(wide).sum(1, keepdims=True))
    rows, count = np.arange(len(classes)), x.shape[1]

    def losses(p, w, smoothing=0.0, ignored=None):
        each = (1 - smoothing) * -w[classes] * p[rows, classes] - smoothing / count * (w * p).sum(1)
        keep = classes != ignored
        return np.where(keep, each, 0), np.where(keep, w[classes], 0)

    ones = np.ones(count)
    ignored, ignored_counts = losses(p, ones, ignored=3)
    smoothed, smoothed_counts = losses(p, w, 0.25, 3)
    weighted, weighted_counts = losses(wide, w)
    soft = -(w * ((1 - 0.125) * probabilities + 0.125 / count) * p).sum(1)
    expected = {
        'cross_entropy(x, classes, ignore_index=3, reduction="none")': ignored, "cross_entropy(x, classes, ignore_index=3)": ignored.sum() / ignored_counts.sum(),
        "cross_entropy(x, classes, weight=weight, ignore_index=3, label_smoothing=0.25)": smoothed.sum() / smoothed_counts.sum(),
        'cross_entropy(x, classes, label_smoothing=0.5, reduction="sum")': losses(p, ones, 0.5)[0].sum(),
        "cross_entropy(x, probabilities, weight=weight, label_smoothing=0.125)": soft.mean(),
        "nll_loss(x, classes, weight=weight)": weighted.sum() / weighted_counts.sum(),
        'nll_loss(x, classes, ignore_index=3, reduction="none")': losses(wide, ones, ignored=3)[0],
    }
    return [Case(text, np.asarray(value, kind), near(dtype, np.asarray(value), 16.0)) for text, value in expected.items()]


def running_cases(x):
    """Cases of running extremes. The index of a running extreme is its last position so far; after a NaN, it is the position of the last
    NaN."""
    cases = [Case("stop_gradient(x)", x, EXACT)]
    for op, newer in (("cummax", np.greater_equal), ("cummin", np.less_equal)):
        for axis in (0, 1):
            values, places = np.empty_like(x), np.empty(x.shape, np.int64)
            lines, line_values, line_places = (np.moveaxis(a, axis, -1) for a in (x, values, places))
            for at in np.ndindex(lines.shape[:-1]):
                best, place = lines[at + (0,)], 0
                for i, value in enumerate(lines[at]):
                    if value != value or (best == best and newer(value, best)):
                        best, place = value, i
                    line_values[at + (i,)], line_places[at + (i,)] = best, place
            cases.append(Case(f"{op}_with_indices(x, axis={axis})", [values, places], EXACT))
    return cases


def coordinate(i, n, m, convention, scale):
    scale = m / n if scale is None else scale
    if convention == "align_corners":
        return i * (n - 1) / max(m - 1, 1)
    if convention == "asymmetric":
        return i / scale
    return 0.0 if convention == "pytorch_half_pixel" and m == 1 else (i + 0.5) / scale - 0.5


def cubic_weight(t, a):
    t = abs(t)
    return (a + 2) * t**3 - (a + 3) * t**2 + 1 if t <= 1 else a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a


def resized_axis(x, axis, m, mode, convention, rounding, a, scale):
    n = x.shape[axis]
    rounded = {"floor": np.floor, "ceil": np.ceil, "round_prefer_floor": lambda c: np.ceil(c - 0.5), "round_prefer_ceil": lambda c: np.floor(c + 0.5)}
    matrix = np.zeros((m, n), np.longdouble)
    for i in range(m):
        c = coordinate(i, n, m, convention, scale)
        if mode == "area":
            start, stop = i * n // m, -(-(i + 1) * n // m)
            matrix[i, start:stop] = 1 / np.longdouble(stop - start)
            continue
        if mode == "nearest":
            taps = [(rounded[rounding](c), 1)]
        elif mode == "linear":
            taps = [(np.floor(c), 1 - (c - np.floor(c))), (np.floor(c) + 1, c - np.floor(c))]
        else:
            taps = [(np.floor(c) + k, cubic_weight(c - np.floor(c) - k, a)) for k in range(-1, 3)]
        for place, weight in taps:
            matrix[i, min(max(int(place), 0), n - 1)] += weight
    return np.moveaxis(np.tensordot(matrix, np.moveaxis(x, axis, 0), 1), 0, axis)


def resize(x, sizes, mode="nearest", coordinates="half_pixel", nearest_mode="round_prefer_floor", cubic_coeff_a=-0.75, scales=None):
    y = x.astype(np.longdouble)
    for i, m in enumerate(sizes):
        axis = x.ndim - len(sizes) + i
        y = resized_axis(y, axis, m, mode, coordinates, nearest_mode, cubic_coeff_a, scales[i] if scales else None)
    return y


def resize_cases(dtype, images):
    cases = []
    for sizes in ([7, 9], [2, 3], [1, 1], [8, 5]):
        for convention in ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"):
            for mode in ("linear", "cubic"):
                value = resize(images, sizes, mode, convention)
                text = f'interpolate(images, size={sizes}, mode="{mode}", coordinates="{convention}")'
                cases.append(Case(text, value.astype(KINDS[dtype]), near(dtype, value, 4.0)))
            for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
                value = resize(images, sizes, "nearest", convention, rounding)
                text = f'interpolate(images, size={sizes}, coordinates="{convention}", nearest_mode="{rounding}")'
                cases.append(Case(text, value.astype(KINDS[dtype]), EXACT))
        value = resize(images, sizes, "area")
        cases.append(Case(f'interpolate(images, size={sizes}, mode="area")', value.astype(KINDS[dtype]), near(dtype, value, 4.0)))
    value = resize(images, [9, 7], "cubic", cubic_coeff_a=-0.5, scales=[2.5, 1.5])
    cases.append(Case('interpolate(images, size=[9, 7], scales=[2.5, 1.5], mode="cubic", cubic_coeff_a=-0.5)', value.astype(KINDS[dtype]),
                      near(dtype, value, 4.0)))
    return cases


def fft_axes_cases(dtype, z, x):
    cases = []
    for text, value in {
        "fftn(z)": np.fft.fftn(z), "ifftn(z, axes=[0, 2])": np.fft.ifftn(z, axes=[0, 2]), "fft2(z)": np.fft.fft2(z),
        'ifft2(z, s=[3, 7], norm="ortho")': np.fft.ifft2(z, (3, 7), norm="ortho"), "fft2(z, axes=[0, 1])": np.fft.fft2(z, axes=(0, 1)),
        "fftn(z, s=[4, 4])": np.fft.fftn(z, (4, 4), axes=(1, 2)),
        "rfftn(x)": np.fft.rfftn(x), "rfft2(x)": np.fft.rfft2(x), "irfftn(rfftn(x), s=[2, 5, 6], axes=[0, 1, 2])": x, "irfft2(rfft2(x))": x,
    }.items():
        kind = np.result_type(np.complex64 if dtype == "f32" else np.complex128) if np.iscomplexobj(value) else KINDS[dtype]
        cases.append(Case(text, value.astype(kind), Within(np.full(value.shape, 64 * epsilon(dtype) * max(1.0, float(np.abs(value).max()))))))
    return cases


def network_groups():
    random = np.random.default_rng(31)
    result = []
    for dtype in ("f32", "f64"):
        kind = KINDS[dtype]

        def normal(*shape, scale=1.0, kind=kind):
            return (random.normal(size=shape) * scale).astype(kind)

        x = np.concatenate([normal(200, scale=4), kind([0, -0.0, 3, -3, 6, -1, 1, 50, -50, 1e30, -1e30])])
        result.append(Group(f"activations {dtype}", {"x": x}, {"x": "[n]"}, {}, "", activation_cases(dtype, x)))
        special = kind([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-45, np.finfo(kind).max, np.finfo(kind).tiny, 1.00001, 2])
        a, b = np.repeat(special, len(special)), np.tile(special, len(special))
        result.append(Group(f"comparisons {dtype}", {"a": a, "b": b}, {}, {}, "", comparison_cases(dtype, a, b)))
        images, w, b, mean = normal(2, 6, 4, 5, scale=2), normal(6), normal(6), normal(6)
        inputs = {"images": images, "w": w, "b": b, "mean": mean, "var": mean**2 + kind(0.5)}
        cases = norm_cases(dtype, images, w, b, mean, inputs["var"])
        result.append(Group(f"norms of channels {dtype}", inputs, {}, {}, "", cases))
        names = {"images": "[n, 6, h, w]"}
        result.append(Group(f"norms of channels, symbolic {dtype}", inputs, names, {}, "", cases))
        q, k, v, bias = normal(2, 4, 5, 6), normal(2, 4, 7, 6), normal(2, 4, 7, 3), normal(5, 7)
        flags = random.random((2, 1, 5, 7)) < 0.6
        flags[..., 0] = True
        flags[0, 0, 2] = False  # the flags forbid this query to attend to any key
        inputs = {"q": q, "k": k, "v": v, "flags": flags, "bias": bias}
        result.append(Group(f"attention {dtype}", inputs, {}, {}, "", attention_cases(dtype, q, k, v, flags, bias)))
        names = {"q": "[n, 4, l, 6]", "k": "[n, 4, s, 6]", "v": "[n, 4, s, 3]", "bias": "[l, s]", "flags": "[n, 1, l, s]"}
        result.append(Group(f"attention, symbolic {dtype}", inputs, names, {}, "", attention_cases(dtype, q, k, v, flags, bias)))
        p = np.concatenate([random.random(30), [0, 1, 0, 1]]).astype(kind)
        t = np.concatenate([random.random(30), [0, 1, 1, 0]]).astype(kind)
        inputs = {"x": normal(34, scale=3), "y": normal(34, scale=3), "p": p, "t": t, "weight": np.abs(normal(34))}
        result.append(Group(f"losses {dtype}", inputs, {}, {}, "", loss_cases(dtype, **inputs)))
        probabilities = random.random((11, 6))
        inputs = {"x": normal(11, 6), "classes": random.integers(0, 6, 11), "probabilities": (probabilities / probabilities.sum(1, keepdims=True)).astype(kind),
                  "weight": np.abs(normal(6))}
        names = {"x": "[n, k]", "classes": "[n]", "probabilities": "[n, k]", "weight": "[k]"}
        result.append(Group(f"losses of classes {dtype}", inputs, names, {}, "", class_loss_cases(dtype, **inputs)))
        images = normal(2, 3, 4, 5)
        result.append(Group(f"resizing {dtype}", {"images": images}, {}, {}, "", resize_cases(dtype, images)))
        result.append(Group(f"resizing, symbolic {dtype}", {"images": images}, {"images": "[n, 3, h in 1..99, w in 1..99]"}, {}, "",
                            [case for case in resize_cases(dtype, images) if "[7, 9]" in case.text or "[9, 7]" in case.text]))
        z = (normal(2, 5, 6) + 1j * normal(2, 5, 6)).astype(np.complex64 if dtype == "f32" else np.complex128)
        x = normal(2, 5, 6)
        result.append(Group(f"transforms of several axes {dtype}", {"z": z, "x": x}, {}, {}, "", fft_axes_cases(dtype, z, x)))
        x = np.where(random.random((5, 12)) < 0.1, np.nan, random.integers(-3, 4, (5, 12))).astype(kind)
        result.append(Group(f"running extremes {dtype}", {"x": x}, {"x": "[n, m]"}, {}, "", running_cases(x)))
    for dtype in ("i32", "f64", "u8"):
        kind = KINDS[dtype]
        arrays = {name: random.integers(0, 5, shape).astype(kind)
                  for name, shape in {"x": (6, 9), "y": (4,), "vectors": (5, 3), "others": (5, 3), "line": (4,)}.items()}
        result.append(Group(f"array functions {dtype}", arrays, {}, {}, "", array_cases(**arrays)))
        cube = random.integers(0, 99, (3, 4, 5)).astype(kind)
        pairs, triples = random.integers(-3, 3, (2, 6, 2)), random.integers(-3, 3, (7, 3))
        batch = random.integers(-4, 4, (3, 2, 1))
        inputs = {"x": cube, "pairs": pairs, "triples": triples, "batch": batch}
        cases = [Case("gather_nd(x, pairs)", gather_nd(cube, pairs), EXACT), Case("gather_nd(x, triples)", gather_nd(cube, triples), EXACT),
                 Case("gather_nd(x, batch, batch_dims=1)", gather_nd(cube, batch, 1), EXACT),
                 Case("gather_nd(x, pairs * 0 + 99)", np.broadcast_to(cube[2, 3], (2, 6, 5)), EXACT)]
        result.append(Group(f"tuples of indices {dtype}", inputs, {"x": "[a, b, c]", "batch": "[a, 2, 1]"}, {}, "", cases))
    return result
