"""Cases of the NumPy oracle for elements by data: every dtype of elements and of indices, in range, negative and out of range, symbolic
sizes, axes without elements. What is moved is not computed with, so everything is exact.

NumPy raises where an index is out of range; harp takes the nearest element, which is what is done to the indices here first.
"""
import numpy as np

from oracle_references import EXACT, INTS, KINDS, Case, Group, half_of, store, values


def named(indices, size):
    """The elements that indices name among `size`, in whole numbers."""
    wide = indices.astype(object)
    return np.clip(np.where(wide < 0, wide + size, wide), 0, size - 1).astype(np.int64)


def array(dtype, shape, seed=21):
    if dtype in INTS:
        limits = np.iinfo(KINDS[dtype])
        return np.random.default_rng(seed).integers(limits.min, limits.max, shape, KINDS[dtype], endpoint=True)
    special, far, near = values(dtype, 400, seed) if dtype != "bool" else ([], values(dtype, 400, seed), [])
    return np.resize(store(dtype, np.concatenate([special, near, far])) if dtype != "bool" else far, shape)


def indices(dtype, shape, size, seed=22):
    """A third each near the ends of the axis, well inside it and anywhere."""
    random, limits = np.random.default_rng(seed), np.iinfo(KINDS[dtype])
    least, greatest = max(limits.min, -size - 3), min(limits.max, size + 3)
    near = random.integers(least, greatest, shape, np.int64, endpoint=True).astype(KINDS[dtype])
    inside = random.integers(0, min(size, limits.max), shape, np.int64).astype(KINDS[dtype])
    anywhere = random.integers(limits.min, limits.max, shape, KINDS[dtype], endpoint=True)
    return np.choose(random.integers(0, 3, shape), [near, inside, anywhere])


def cases(x, i, j):
    """x is [n, 37, m], i any integers, j is [n, k, m]."""
    found = [Case(f"take(x, i, axis={axis})", np.take(x, named(i, x.shape[axis]), axis), EXACT) for axis in (0, 1, -1)]
    flat = np.take(x, named(i, x.size))
    along = np.take_along_axis(x, named(j, x.shape[1]), 1)
    found += [Case("take(x, i)", flat, EXACT), Case("take_along_axis(x, j, axis=1)", along, EXACT),
              Case("take(transpose(x), i, axis=1)", np.take(x.T, named(i, x.shape[1]), 1), EXACT),
              Case("take(flip(x, axes=[1]), i, axis=1)", np.take(x[:, ::-1], named(i, x.shape[1]), 1), EXACT),
              Case("take(slice(x, start=[0, 3, 0], step=[1, 4, 1]), i, axis=1)", np.take(x[:, 3::4], named(i, 9), 1), EXACT),
              Case("take(x, -40, axis=1)", x[:, 0], EXACT), Case("take(x, u8(200), axis=1)", x[:, -1], EXACT)]
    return found


def gather_groups():
    result = []
    for dtype in KINDS:
        x, i, j = array(dtype, (3, 37, 21)), indices("i32", (5, 7), 37), indices("i64", (3, 50, 21), 37, 23)
        shapes = {"x": "[n, 37, m]", "i": "[5, k]", "j": "[n, l, m]"}
        result.append(Group(f"gather {dtype}", {"x": x, "i": i, "j": j}, shapes, {}, "", cases(x, i, j), half_of(dtype)))
    for dtype in INTS:
        x, i, j = array("f32", (3, 37, 21)), indices(dtype, (41,), 37), indices(dtype, (3, 50, 21), 37, 23)
        result.append(Group(f"gather by {dtype}", {"x": x, "i": i, "j": j}, {"x": "[3, 37, m]", "j": "[3, l, m]"}, {}, "", cases(x, i, j)))
    none, some = np.zeros((0, 5), np.float32), np.ones((3, 5), np.float32)
    i, no = np.array([1, -1, 7], np.int32), np.zeros(0, np.int32)
    result.append(Group("gather from nothing", {"x": none, "i": i, "e": no, "y": some}, {"x": "[n, 5]", "e": "[k]"}, {}, "", [
        Case("take(x, i, axis=0)", np.zeros((3, 5), np.float32), EXACT), Case("take(x, i, axis=1)", np.zeros((0, 3), np.float32), EXACT),
        Case("take(x, e, axis=0)", none[:0], EXACT), Case("take(y, e, axis=1)", some[:, :0], EXACT),
        Case("take(expand(slice(y, stop=[1, none]), shape=[n, 5]), i, axis=0)", np.zeros((3, 5), np.float32), EXACT)]))
    return result
