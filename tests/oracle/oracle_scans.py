"""Defines the cases of the NumPy oracle for running sums, products and extremes: every axis, the flags, special values, empty arrays.

NumPy adds from left to right, harp in the order of docs/semantics.md, so running sums of floats are compared with exact ones. The tolerance
is a few roundings of the running sum of magnitudes, and for logcumsumexp a few roundings of 1 and of the greatest magnitude. Everything
else is exact.
"""
import numpy as np

from oracle_references import EXACT, FLOATS, KINDS, WIDE, Case, Ulps, Group, epsilon, half_of, maximum, minimum, store, within

EXTREMES = {"cummax": maximum, "cummin": minimum}


def identity(name, kind):
    if name in ("cumsum", "cumprod"):
        return kind(name == "cumprod")
    if kind is np.bool_:
        return kind(name == "cummin")
    limits = (-np.inf, np.inf) if np.dtype(kind).kind == "f" else (np.iinfo(kind).min, np.iinfo(kind).max)
    return kind(limits[name == "cummin"])  # the identity of logcumsumexp is that of cummax: -inf


def accumulated(name, x):
    """Computes running values along the first axis, one element after the other."""
    # NumPy's running extremes treat NaN and signed zeros differently from harp's.
    if name in EXTREMES and x.dtype.kind == "f" and (np.isnan(x) | (x == 0)).any():
        result = x.copy()
        for i in range(1, len(result)):
            result[i] = EXTREMES[name](result[i - 1], x[i])
        return result
    combine = {"cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum,
               "logcumsumexp": np.logaddexp}[name]
    return combine.accumulate(x, 0, dtype=x.dtype)


def running(name, x, axis, reverse=False, exclusive=False):
    """Computes a scan by the definition in docs/semantics.md; sums and products of floats in extended precision."""
    x = np.moveaxis(x, axis, 0)
    x = x[::-1] if reverse else x
    result = accumulated(name, x.astype(WIDE) if x.dtype.kind == "f" and name not in EXTREMES else x)
    if exclusive and len(result):
        result = np.concatenate([np.full((1,) + result.shape[1:], identity(name, x.dtype.type), result.dtype), result[:-1]])
    result = result[::-1] if reverse else result
    return np.moveaxis(result, 0, axis)


def cases(dtype, x, axes):
    names = ("cummax", "cummin") if dtype == "bool" else ("cumsum", "cumprod", "cummax", "cummin")
    names += ("logcumsumexp",) if dtype in FLOATS else ()
    found = []
    for name in names:
        source, text = (x, "x")
        if name == "cumprod" and dtype in FLOATS:  # the factors are close to 1, so that the products stay finite
            scaled = store(dtype, x * store(dtype, np.array(0.01)))
            source, text = store(dtype, x.dtype.type(1) + scaled), "add(1.0, mul(x, 0.01))"
        for axis in axes:
            for flags, reverse, exclusive in (("", 0, 0), (", reverse=true", 1, 0), (", exclusive=true", 0, 1),
                                              (", exclusive=true, reverse=true", 1, 1)):
                expected = running(name, source, axis, reverse, exclusive)
                nearness = EXACT
                if dtype in FLOATS and name == "cumsum":
                    nearness = within(dtype, expected, 32 * epsilon(dtype) * running(name, np.abs(source), axis, reverse, exclusive))
                elif name == "logcumsumexp":
                    nearness = within(dtype, expected, 16 * epsilon(dtype) * (1 + np.abs(source).max(initial=0).astype(WIDE)))
                elif dtype in FLOATS and name == "cumprod":
                    nearness = within(dtype, expected, 2 * source.shape[axis] * epsilon(dtype) * np.abs(expected))
                found.append(Case(f"{name}({text}, axis={axis}{flags})", expected, nearness))
    return found


def special_cases(x):
    """Returns the cases of scans of x [6, 5] with NaN, infinities and zeros. The comparisons are exact, except for logcumsumexp. A running
    sum that is zero must be +0."""
    zero_is_positive = lambda values: np.where(values == 0, values.dtype.type(0), values)  # noqa: E731
    found = [Case(f"{name}(x, axis=1)", running(name, x, 1), EXACT) for name in EXTREMES]
    found.append(Case("cumsum(x, axis=1)", zero_is_positive(np.cumsum(x, 1)), EXACT))
    found.append(Case("cumprod(slice(x, stop=[3, 5]), axis=1)", np.cumprod(x[:3], 1), EXACT))
    with np.errstate(all="ignore"):
        found.append(Case("logcumsumexp(x, axis=1)", zero_is_positive(np.logaddexp.accumulate(x.astype(WIDE), 1).astype(x.dtype)), Ulps(4)))
    return found


def scan_groups():
    result = []
    for dtype, kind in KINDS.items():
        half = half_of(dtype)
        random = np.random.default_rng(11)
        if dtype in FLOATS:
            x = store(dtype, random.normal(size=(3, 301, 21)))
        elif dtype == "bool":
            x = random.random((3, 301, 21)) < 0.02
        else:
            limits = np.iinfo(kind)
            x = random.integers(limits.min // 2, limits.max // 2 + 1, (3, 301, 21), kind)
        result.append(Group(f"scans {dtype}", {"x": x}, {"x": "[n, 301, m]"}, {}, "", cases(dtype, x, (0, 1, -1)), half))
        flat = x.ravel()
        # without an axis, the array is flattened
        whole = [case._replace(text=case.text.replace(", axis=0", "")) for case in cases(dtype, flat, (0,))]
        result.append(Group(f"flattened scans {dtype}", {"x": x}, {}, {}, "", whole, half))
        empty = np.zeros((2, 0), kind)
        result.append(Group(f"empty scans {dtype}", {"x": empty}, {"x": "[2, n]"}, {}, "", [
            Case("cummax(x, axis=1)", empty, EXACT), Case("cummin(x, axis=0, exclusive=true)", empty, EXACT),
            Case("cummin(x, reverse=true)", empty.ravel(), EXACT)], half))
        if dtype in FLOATS:
            inf, nan = np.inf, np.nan
            x = np.array([[1, 2, 3, -4, 5], [0, -0.0, -0.0, 8, -0.0], [-0.0] * 5, [1, nan, inf, -inf, 2], [inf, 1, 1, 1, -inf],
                          [-inf, 1, 2, 3, -1]], kind)
            result.append(Group(f"special scans {dtype}", {"x": x}, {}, {}, "", special_cases(x), half))
    return result
