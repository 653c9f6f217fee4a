"""Defines the cases of the NumPy oracle for sorting: every dtype that has an order, NaN and both zeros, many equal elements, any axis,
symbolic sizes, rows shorter and longer than the limit up to which harp uses insertion sort. There is no arithmetic, so everything is exact.

NumPy sorts NaN last, as harp does. In descending order harp has NaN first, which is the reverse of a stable ascending order.
"""
import numpy as np

from oracle_gather import array
from oracle_references import EXACT, KINDS, Case, Group, half_of


def key(x):
    """Returns integers that have the order of x, so that one stable sort serves every dtype and both directions."""
    flat = x.reshape(-1)
    wide = flat.astype(np.float64) if flat.dtype.kind not in "biu" else flat
    # all NaNs get one rank, the last
    ranks = np.unique(np.where(wide == 0, 0, wide) if flat.dtype.kind not in "biu" else wide, return_inverse=True)[1]
    return ranks.reshape(x.shape)


def order(x, axis, descending=False):
    ranks = key(x)
    return np.argsort(-ranks if descending else ranks, axis=axis, kind="stable").astype(np.int64)


def taken(x, indices, axis):
    return np.take_along_axis(x, indices, axis)


def cases(x, axis):
    up, down = order(x, axis), order(x, axis, True)
    first = np.take(down, range(3), axis), np.take(up, range(2), axis)
    return [Case(f"argsort(x, axis={axis})", up, EXACT), Case(f"argsort(x, axis={axis}, descending=true)", down, EXACT),
            Case(f"sort(x, axis={axis})", taken(x, up, axis), EXACT),
            Case(f"sort(x, axis={axis}, descending=true)", taken(x, down, axis), EXACT),
            Case(f"topk(x, 3, axis={axis})", [taken(x, first[0], axis), first[0]], EXACT),
            Case(f"topk(x, 2, axis={axis}, largest=false)", [taken(x, first[1], axis), first[1]], EXACT)]


def sort_groups():
    result = []
    for dtype in KINDS:
        x = array(dtype, (7, 45, 5))
        x[:, 20:] = x[:, :25]  # equals
        found = [case for axis in (0, 1, -1) for case in cases(x, axis)]
        flat = order(x.reshape(-1), 0)
        found.append(Case("sort(x, axis=none)", x.reshape(-1)[flat], EXACT))
        result.append(Group(f"sort {dtype}", {"x": x}, {"x": "[n in 3..100, 45, m in 3..100]"}, {}, "", found, half_of(dtype)))
    for n in (0, 1, 15, 16, 17, 31, 32, 33, 64, 1000, 70000):
        x = np.random.default_rng(n).integers(0, max(1, n // 3), n).astype(np.int32)
        values = np.arange(-1, 12, dtype=np.int32).reshape(13, 1)
        sides = [Case(f'searchsorted(sort(x), v, side="{side}")', np.searchsorted(np.sort(x), values, side).astype(np.int64), EXACT)
                 for side in ("left", "right")]
        result.append(Group(f"sort of {n}", {"x": x, "v": values}, {"x": "[n]", "v": "[m, 1]"}, {}, "",
                            [Case("argsort(x)", np.argsort(x, kind="stable").astype(np.int64), EXACT)] + sides))
    x = np.array([-np.inf, -1.5, 0, 0, 2, 2, np.inf, np.nan], np.float32)
    v = np.array([np.nan, -np.inf, -0.0, 0, 1, 2, 3, np.inf], np.float32)
    result.append(Group("searchsorted f32", {"x": x, "v": v}, {"x": "[8]", "v": "[n]"}, {}, "", [
        Case(f'searchsorted(x, v, side="{side}")', np.searchsorted(x, v, side).astype(np.int64), EXACT) for side in ("left", "right")]))
    return result
