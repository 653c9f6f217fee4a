"""Cases of the NumPy oracle for pools and padding at the ends of an axis, as in PyTorch and numpy.pad, and for Python's indexing:
ceil_mode, dilation, indices of the greatest elements and unpooling with them, negative padding, padding over several periods, x[1:, None,
::2, -1].

PyTorch's rules are implemented here as loops over windows, from its documentation: with ceil_mode, the last window must begin in the array
or in the padding before it, and elements after the padding do not count in a mean. With the mode `wrap` over several periods, numpy.pad
before NumPy 1.25 repeated what it had already padded; the cases expect the result of later versions, in which the array itself is repeated.
"""
import itertools
import math

import numpy as np

from oracle_references import EXACT, FLOATS, KINDS, Case, Group, half_of

NOTHING = -1  # an index that stands for an element in the padding


def each(value, axes):
    return [value] * axes if isinstance(value, int) else list(value)


def pairs(padding, axes):
    return [(p, p) if isinstance(p, int) else tuple(p) for p in each(padding, axes)]


def window_taps(length, size, stride, padding, dilation, ceil_mode):
    """Returns, for each window along an axis, the indices of its taps (NOTHING for a tap outside of the array) and the number of taps that
    are in the array or in the padding."""
    before, after = padding
    reach = dilation * (size - 1) + 1
    rounded = math.ceil if ceil_mode else math.floor
    count = rounded((length + before + after - reach) / stride) + 1
    if ceil_mode and (count - 1) * stride >= length + before:
        count -= 1
    windows = []
    for w in range(count):
        taps = [w * stride - before + t * dilation for t in range(size)]
        windows.append(([t if 0 <= t < length else NOTHING for t in taps], sum(t < length + after for t in taps)))
    return windows


def pool(x, size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """Yields, for each window of the last axes: (shape of the result, index of the window in the result, flat indices of the window's
    elements in their plane, these elements, number of the window's positions that are in the array or in the padding)."""
    axes = len(size)
    stride, dilation = list(size) if stride is None else each(stride, axes), each(dilation, axes)
    plane = x.shape[x.ndim - axes:]
    along = [window_taps(plane[i], size[i], stride[i], pairs(padding, axes)[i], dilation[i], ceil_mode) for i in range(axes)]
    shape = x.shape[: x.ndim - axes] + tuple(len(windows) for windows in along)
    for lead in np.ndindex(*x.shape[: x.ndim - axes]):
        flat = x[lead].ravel()
        for at in np.ndindex(*shape[x.ndim - axes:]):
            windows = [along[i][at[i]] for i in range(axes)]
            taps = [t for t in itertools.product(*(taps for taps, _ in windows)) if NOTHING not in t]
            indices = [int(np.ravel_multi_index(t, plane)) for t in taps]
            yield shape, lead + at, indices, flat[indices], math.prod(count for _, count in windows)


def cropped(x, padding, axes):
    """Returns x after negative padding has removed elements, the padding that remains, and how many elements were removed."""
    given = pairs(padding, axes)
    lead = [slice(None)] * (x.ndim - axes)
    crop = [slice(max(0, -before), x.shape[x.ndim - axes + i] - max(0, -after)) for i, (before, after) in enumerate(given)]
    return x[tuple(lead + crop)], [[max(0, before), max(0, after)] for before, after in given], [max(0, -before) for before, _ in given]


def max_pool(x, size, padding=0, **arguments):
    """Returns the values and indices of the greatest elements. Of equal elements the first one is chosen. A NaN counts as greater than all
    other elements; of several NaNs the first one is chosen."""
    axes = len(size)
    whole = x.shape[x.ndim - axes:]
    x, padding, skipped = cropped(x, padding, axes)
    plane = x.shape[x.ndim - axes:]
    values = indices = None
    for shape, at, flat, elements, _ in pool(x, size, padding=padding, **arguments):
        if values is None:
            values, indices = np.zeros(shape, x.dtype), np.zeros(shape, np.int64)
        best = int(np.argmax(elements))
        values[at] = elements[best]
        indices[at] = np.ravel_multi_index(tuple(p + s for p, s in zip(np.unravel_index(flat[best], plane), skipped)), whole)
    return [values, indices]


def avg_pool(x, size, count_include_pad=True, padding=0, **arguments):
    x, padding, _ = cropped(x, padding, len(size))
    result = None
    for shape, at, _, elements, positions in pool(x, size, padding=padding, **arguments):
        if result is None:
            result = np.zeros(shape, x.dtype)
        result[at] = x.dtype.type(sum(elements)) / x.dtype.type(positions if count_include_pad else len(elements))
    return result


def max_unpool(x, indices, plane):
    axes = len(plane)
    lead = x.shape[: x.ndim - axes]
    result = np.zeros(lead + (math.prod(plane),), x.dtype)
    for at in np.ndindex(*lead):
        for value, index in zip(x[at].ravel(), indices[at].ravel()):
            result[at][index] = value
    return result.reshape(lead + tuple(plane))


def written(arguments):
    text = ""
    for name, value in arguments.items():
        text += f", {name}={str(value).lower() if isinstance(value, bool) else value}"
    return text


POOLS = [([2, 2], {"ceil_mode": True}), ([3, 2], {"stride": 2, "ceil_mode": True}), ([3, 3], {"stride": [2, 3], "padding": 1, "ceil_mode": True}),
         ([2, 2], {"stride": [3, 2], "padding": 1, "ceil_mode": True}), ([2, 3], {"stride": 2, "dilation": [3, 2], "ceil_mode": True}),
         ([3, 2], {"stride": 2, "dilation": 2, "padding": [[2, 1], [0, 1]]}), ([2, 2], {"padding": [[-1, 0], [-2, 1]]}),
         ([2, 2], {"stride": 2, "padding": [[-1, -2], [1, -1]], "ceil_mode": True}), ([1, 1], {"stride": [4, 3], "ceil_mode": True}),
         ([4], {"stride": 3, "padding": 2, "dilation": 2, "ceil_mode": True}), ([2, 2, 3], {"stride": [1, 2, 2], "padding": [0, 1, 1]})]


def pool_cases(dtype, x, pools):
    """Returns the cases of pooling x [2, 3, 9, 8]. Its elements are small whole numbers, so that the sums of means are exact."""
    cases = []
    for size, arguments in pools:
        call = f"(x, {size}{written(arguments)})"
        expected = max_pool(x, size, **arguments)
        cases += [Case("max_pool_with_indices" + call, expected, EXACT), Case("max_pool" + call, expected[0], EXACT)]
        if dtype in FLOATS:
            cases.append(Case("avg_pool" + call, avg_pool(x, size, **arguments), EXACT))
            cases.append(Case(f"avg_pool(x, {size}{written(arguments)}, count_include_pad=false)",
                              avg_pool(x, size, count_include_pad=False, **arguments), EXACT))
    return cases


def unpool_cases(x, i, y, j, z, k):
    """Returns the cases of unpooling. i has the indices of 2 x 2 windows of an array [2, 3, 9, 8]; j and k are arbitrary, and several of
    their indices are equal."""
    return [Case("max_unpool(x, i, [2, 2])", max_unpool(x, i, (8, 8)), EXACT),
            Case("max_unpool(x, i, [2, 2], output_size=[9, 8])", max_unpool(x, i, (9, 8)), EXACT),
            Case("max_unpool(x, i, [3, 2], stride=[2, 2], padding=[[0, 1], [0, 0]])", max_unpool(x, i, (8, 8)), EXACT),
            Case("max_unpool(y, j, [2], stride=1)", max_unpool(y, j, (y.shape[-1] + 1,)), EXACT),
            Case("max_unpool(z, cast(k, dtype=u8), [1, 1], output_size=[3, 3])", max_unpool(z, k, (3, 3)), EXACT)]


def pad(x, amounts, mode):
    """Returns x padded along each axis by the amounts (before, after), in the mode "wrap", "edge", "reflect" or "symmetric". With "wrap",
    element i of the result is element i - before of the array, repeated without end."""
    for axis, (before, after) in enumerate(amounts):
        n = x.shape[axis]
        at = np.arange(-before, n + after)
        if mode == "wrap":
            at = at % n
        elif mode == "edge":
            at = np.clip(at, 0, n - 1)
        elif mode == "reflect":
            at = at % max(2 * (n - 1), 1)
            at = np.minimum(at, 2 * (n - 1) - at)
        else:
            at = at % (2 * n)
            at = np.minimum(at, 2 * n - 1 - at)
        x = np.take(x, at, axis)
    return x


AMOUNTS = [[(1, 2), (0, 1), (2, 2)], [(9, 0), (0, 11), (7, 8)], [(2, 3), (20, 1), (1, 30)], [(-1, 2), (3, -2), (-2, -3)], [(-2, 9), (9, -1), (0, 0)],
           [(1, 0), (0, 0), (0, 0)]]


def pad_cases(x):
    """Returns the cases of padding x [3, 4, 6]."""
    cases = []
    for amounts in AMOUNTS:
        given = f"before={[b for b, _ in amounts]}, after={[a for _, a in amounts]}"
        for mode in ("edge", "reflect", "symmetric", "wrap"):
            expected = pad(x, amounts, mode)
            if mode != "wrap" and all(n >= 0 for pair in amounts for n in pair) and max(max(amounts)) < 4:
                assert (np.pad(x, amounts, mode=mode) == expected).all()
            cases.append(Case(f"pad(x, {given}, mode={mode})", expected, EXACT))
        inner = tuple(slice(max(0, -b), n - max(0, -a)) for (b, a), n in zip(amounts, x.shape))
        value = 1 if x.dtype != np.bool_ else True
        constant = np.pad(x[inner], [(max(0, b), max(0, a)) for b, a in amounts], constant_values=value)
        cases.append(Case(f"pad(x, {given}, value={str(value).lower()})", constant, EXACT))
    one = x[:, :1]
    for mode in ("edge", "reflect", "symmetric", "wrap"):
        cases.append(Case(f"pad(x[:, :1], before=[0, 2, 0], after=[0, 3, 0], mode={mode})", pad(one, [(0, 0), (2, 3), (0, 0)], mode), EXACT))
    return cases


def index_cases(x, i, k):
    """Returns the cases of indexing x [3, 4, 6] with i [2, 2] and a scalar k. Python and harp evaluate the same text."""
    texts = ["x[1:]", "x[1:, None, ::2, -1]", "x[...]", "x[..., 0]", "x[0]", "x[-1, ..., 1:-1]", "x[None]", "x[:, ::-1, 4:1:-2]", "x[2, 3, 5]", "x[:, None, ..., None]",
             "x[i]", "x[:, i]", "x[:, 1, i]", "x[0, :, i]", "x[i, :, 1]", "x[1, None, i]", "x[:, i, 2:]", "x[..., i]", "x[0, ..., i]", "x[k]", "x[:, k, i]",
             "x[k, :, k]", "x[i][1]", "x[1:2, :][0, 0]", "x[i - 1, 1:]", "x[2 - 1]", "x[:3:2, :-1, -3:]", "x[10:, :2]", "x[2 ** 1, -(1 + 1)]", "x[i, 1]", "x[0, i, None, 2]"]
    return [Case(text, np.asarray(eval(text, {"x": x, "i": i, "k": k})), EXACT) for text in texts]  # noqa: S307


def operator_cases(x):
    """Returns the cases of operator precedence. x has the whole numbers 1 ... 5 in a float dtype, so that powers are exact."""
    texts = ["2 * 3 * x", "x * 2 ** 3", "-x ** 2", "x ** 3", "(-2) ** 3 + x", "-2 ** 2 + x", "2 ** 3 ** 2 + x", "7 // 2 * x", "-7 // 2 + x", "-7 % 3 + x", "7 % -3 + x",
             "(1 << 4) + x", "(-9 >> 1) + x", "~5 + x", "(6 & 3 | 8 ^ 1) + x", "2 - 3 - x", "x ** 2 ** 1", "x - -2 ** 2"]
    return [Case(text, eval(text, {"x": x}), EXACT) for text in texts]  # noqa: S307


def window_groups():
    result = []
    for dtype in ("f32", "f16", "i32", "u8"):
        half = half_of(dtype)
        random = np.random.default_rng(31)
        kind = KINDS[dtype]
        x = random.integers(0, 5, (2, 3, 9, 8)).astype(kind)
        result.append(Group(f"pools at the ends {dtype}", {"x": x}, {}, {}, "", pool_cases(dtype, x, POOLS if dtype == "f32" else POOLS[::4]), half))
        if dtype == "f32":
            for i in range(3):  # makes several graphs, because a single graph of all cases would take long to compile
                result.append(Group(f"pools at the ends, symbolic {dtype}, {i}", {"x": x}, {"x": "[n, c in 2..99, h in 6..99, w in 6..99]"}, {}, "",
                                    pool_cases(dtype, x, POOLS[2 + i :: 4]), half))
        values, indices = max_pool(x, [2, 2])
        y, j = random.integers(1, 99, (3, 8)).astype(kind), random.integers(0, 9, (3, 8))
        z, k = y.reshape(3, 2, 4), j.reshape(3, 2, 4)
        inputs = {"x": values, "i": indices, "y": y, "j": j, "z": z, "k": k}
        back = unpool_cases(values, indices, y, j, z, k)
        result.append(Group(f"unpooling {dtype}", inputs, {}, {}, "", back, half))
        if dtype == "f32":
            names = {"x": "[n, c, h, w]", "i": "[n, c, h, w]"}
            result.append(Group(f"unpooling, symbolic {dtype}", inputs, names, {}, "", back, half))
    for dtype in ("f32", "i8", "bool"):
        x = np.random.default_rng(32).integers(0, 100, (3, 4, 6)).astype(np.bool_ if dtype == "bool" else KINDS[dtype])
        result.append(Group(f"padding {dtype}", {"x": x}, {}, {}, "", pad_cases(x)))
        if dtype != "bool":
            i, k = np.array([[2, 0], [1, -1]]), np.asarray(np.int64(1))
            result.append(Group(f"indices of Python's {dtype}", {"x": x, "i": i, "k": k}, {}, {}, "", index_cases(x, i, k)))
    x = np.random.default_rng(33).integers(0, 100, (3, 4, 6)).astype(np.float32)
    result.append(Group("padding, symbolic f32", {"x": x}, {"x": "[a, b, c]"}, {}, "", [case for case in pad_cases(x) if "x[:" not in case.text]))
    result.append(Group("padding, bounded f32", {"x": x}, {"x": "[a in 3..9, b in 3..9, c in 3..9]"}, {}, "", pad_cases(x)))
    symbolic = [case for case in index_cases(x, np.array([[2, 0], [1, -1]]), np.asarray(np.int64(1))) if "[..., i]" not in case.text]
    result.append(Group("indices of Python's, symbolic f32", {"x": x, "i": np.array([[2, 0], [1, -1]]), "k": np.asarray(np.int64(1))},
                        {"x": "[a in 3..9, b in 4..9, c in 6..9]", "i": "[p, q]"}, {}, "", symbolic))
    for dtype in ("f32", "f64"):
        x = np.arange(1, 6).astype(KINDS[dtype])
        result.append(Group(f"operators {dtype}", {"x": x}, {"x": "[n]"}, {}, "", operator_cases(x)))
    return result
