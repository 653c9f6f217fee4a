"""Cases of the NumPy oracle for gathers and scatters: every dtype of elements and of indices, indices in range, negative and out of range,
symbolic sizes, axes without elements. Moving elements needs no arithmetic, and numpy.add.at adds one update after the other as harp does
(16-bit floats in f32), so everything is exact.

NumPy raises an exception if an index is out of range. harp takes the nearest element, so the indices are clamped here first.
"""
import numpy as np

from oracle_references import EXACT, INTS, KINDS, Case, Group, half_of, store, values


def named(indices, size):
    """Returns, as integers, the positions that these indices name on an axis of `size` elements. Negative indices count from the end;
    others that are out of range are clamped."""
    wide = indices.astype(object)
    return np.clip(np.where(wide < 0, wide + size, wide), 0, size - 1).astype(np.int64)


def array(dtype, shape, seed=21):
    if dtype in INTS:
        limits = np.iinfo(KINDS[dtype])
        return np.random.default_rng(seed).integers(limits.min, limits.max, shape, KINDS[dtype], endpoint=True)
    special, far, near = values(dtype, 400, seed) if dtype != "bool" else ([], values(dtype, 400, seed), [])
    return np.resize(store(dtype, np.concatenate([special, near, far])) if dtype != "bool" else far, shape)


def indices(dtype, shape, size, seed=22):
    """Draws random indices for an axis of `size` elements: a third near the ends of the axis, a third inside the axis, and a third anywhere
    in the range of the dtype."""
    random, limits = np.random.default_rng(seed), np.iinfo(KINDS[dtype])
    least, greatest = max(limits.min, -size - 3), min(limits.max, size + 3)
    near = random.integers(least, greatest, shape, np.int64, endpoint=True).astype(KINDS[dtype])
    inside = random.integers(0, min(size, limits.max), shape, np.int64).astype(KINDS[dtype])
    anywhere = random.integers(limits.min, limits.max, shape, KINDS[dtype], endpoint=True)
    return np.choose(random.integers(0, 3, shape), [near, inside, anywhere])


def cases(x, i, j):
    """Returns the cases of take and take_along_axis. The shapes are x [n, 37, m] and j [n, k, m]; i has any number of axes."""
    found = [Case(f"take(x, i, axis={axis})", np.take(x, named(i, x.shape[axis]), axis), EXACT) for axis in (0, 1, -1)]
    flat = np.take(x, named(i, x.size))
    along = np.take_along_axis(x, named(j, x.shape[1]), 1)
    found += [Case("take(x, i)", flat, EXACT), Case("take_along_axis(x, j, axis=1)", along, EXACT),
              Case("take(transpose(x), i, axis=1)", np.take(x.T, named(i, x.shape[1]), 1), EXACT),
              Case("take(flip(x, axes=[1]), i, axis=1)", np.take(x[:, ::-1], named(i, x.shape[1]), 1), EXACT),
              Case("take(slice(x, start=[0, 3, 0], step=[1, 4, 1]), i, axis=1)", np.take(x[:, 3::4], named(i, 9), 1), EXACT),
              Case("take(x, -40, axis=1)", x[:, 0], EXACT), Case("take(x, u8(200), axis=1)", x[:, -1], EXACT)]
    return found


def added(x, positions, updates, axis):
    """Returns x after the updates have been added one after the other, in order, to the elements at these positions of the axis."""
    where = list(np.indices(updates.shape))
    where[axis] = positions
    result = x.copy()
    np.add.at(result, tuple(where), updates)
    return result


def scatter_cases(x, i, j, u, v):
    """Returns the cases of scatter_add and index_add. The shapes are x [n, 37, m], j and u [n, k, m], and v [n, length of i, m]; i has rank
    1."""
    n, size, m = x.shape
    along, line = named(j, size), np.broadcast_to(named(i, size)[None, :, None], v.shape)
    rows = np.broadcast_to(named(i, n)[:, None, None], (len(i), size, m))
    last = np.broadcast_to(named(i, m)[None, None, :], (n, size, len(i)))
    return [Case("scatter_add(x, j, u, axis=1)", added(x, along, u, 1), EXACT), Case("index_add(x, i, v, axis=1)", added(x, line, v, 1), EXACT),
            Case("index_add(x, i, take(x, i, axis=0), axis=0)", added(x, rows, np.take(x, named(i, n), 0), 0), EXACT),
            Case("index_add(x, i, take(x, i, axis=2), axis=-1)", added(x, last, np.take(x, named(i, m), 2), 2), EXACT),
            Case("scatter_add(transpose(x), transpose(j), transpose(u), axis=1)", added(x, along, u, 1).T, EXACT)]


def combined(x, positions, updates, axis, combine, include_self=True):
    """Returns a copy of x to which the updates are applied in order: each one replaces its element by combine(element, update). Without
    include_self, the first update of an element replaces the element itself. If combine is np.add, 0 is added to that first update, which
    turns -0 into +0."""
    where = list(np.indices(updates.shape))
    where[axis] = positions
    result, met = x.copy(), np.zeros(x.shape, bool)
    for at in np.ndindex(updates.shape):
        place = tuple(w[at] for w in where)
        first = updates[at] + updates.dtype.type(0) if combine is np.add else updates[at]
        result[place] = combine(result[place], updates[at]) if include_self or met[place] else first
        met[place] = True
    return result


def wide(array):
    """Converts an array to the dtype in which harp combines its elements."""
    return array.astype(np.int32 if array.dtype.itemsize < 4 and array.dtype.kind in "biu" else np.float32 if array.dtype.itemsize < 4
                        else array.dtype)


def mean_of(x, positions, updates, axis, include_self):
    total = combined(wide(x), positions, wide(updates), axis, np.add, include_self)
    count = added(np.full(x.shape, int(include_self)), positions, np.ones(updates.shape, int), axis)
    return (total / np.maximum(count, 1).astype(total.dtype)).astype(x.dtype)


def reduction_cases(dtype, x, j, u):
    """Returns the cases of the other scatters. The shapes are x [n, 9, m], and j and u [n, k, m]."""
    along = named(j, x.shape[1])
    found = [Case("scatter(x, j, u, axis=1)", combined(x, along, u, 1, lambda _, update: update), EXACT)]
    names = {"prod": np.multiply, "sum": np.add, "max": np.maximum, "min": np.minimum}
    for name, combine in names.items():
        if dtype == "bool" and name in ("prod", "sum") or dtype.startswith("c") and name != "sum":
            continue
        for include_self in (True, False):
            with np.errstate(all="ignore"):
                expected = combined(wide(x), along, wide(u), 1, combine, include_self).astype(x.dtype)
            found.append(Case(f'scatter_reduce(x, j, u, axis=1, reduction="{name}", include_self={str(include_self).lower()})', expected, EXACT))
    for name, primitive in (("prod", "scatter_mul"), ("max", "scatter_max"), ("min", "scatter_min")):
        if dtype == "bool" and name == "prod" or dtype.startswith("c"):
            continue
        with np.errstate(all="ignore"):
            expected = combined(wide(x), along, wide(u), 1, names[name]).astype(x.dtype)
        found.append(Case(f"{primitive}(x, j, u, axis=1)", expected, EXACT))
    if dtype not in INTS and dtype != "bool":
        found += [Case(f'scatter_reduce(x, j, u, axis=1, reduction="mean", include_self={str(each).lower()})',
                       mean_of(x, along, u, 1, each), EXACT if not dtype.startswith("c") else 1e-6) for each in (True, False)]
    return found


def tuple_cases(x, pairs, u, rows, v):
    """Returns the cases of scatter_nd. The shapes are x [a, b, c], pairs [k, 2], u [k, c], rows [l, 1] and v [l, b, c]."""
    flat = x.reshape(-1, x.shape[2])
    at = np.array([first * x.shape[1] + second for first, second in pairs % np.array(x.shape[:2])])
    result, highest = flat.copy(), flat.copy()
    for place, update in zip(at, u):
        result[place], highest[place] = update, np.maximum(highest[place], update)
    replaced = x.copy()
    for row, update in zip(rows[:, 0], v):
        replaced[row] = update
    return [Case("scatter_nd(x, pairs, u)", result.reshape(x.shape), EXACT), Case("scatter_nd(x, rows, v)", replaced, EXACT),
            Case('scatter_nd(x, pairs, u, reduction="max")', highest.reshape(x.shape), EXACT)]


def scatter_groups():
    result = []
    shapes = {"x": "[n, 37, m]", "i": "[k]", "j": "[n, l, m]", "u": "[n, l, m]", "v": "[n, k, m]"}
    for dtype in KINDS:
        if dtype == "bool":
            continue
        x, u, v = (array(dtype, shape, seed) for shape, seed in (((3, 37, 21), 31), ((3, 50, 21), 32), ((3, 35, 21), 33)))
        # Replaces large elements by 1: otherwise they would hide the other elements, and infinities of both signs would make every sum NaN.
        if dtype not in INTS:
            x, u, v = (np.where(np.abs(a.astype(np.float64)) < 1000, a, 1).astype(a.dtype) for a in (x, u, v))
        i, j = indices("i32", (35,), 37, 34), indices("i64", (3, 50, 21), 37, 35)
        result.append(Group(f"scatter {dtype}", {"x": x, "i": i, "j": j, "u": u, "v": v}, shapes, {}, "", scatter_cases(x, i, j, u, v),
                            half_of(dtype)))
    for dtype in INTS:
        x, u, v = (array("i32", shape, seed) for shape, seed in (((3, 37, 21), 31), ((3, 50, 21), 32), ((3, 35, 21), 33)))
        i, j = indices(dtype, (35,), 37, 34), indices(dtype, (3, 50, 21), 37, 35)
        result.append(Group(f"scatter by {dtype}", {"x": x, "i": i, "j": j, "u": u, "v": v}, {}, {}, "", scatter_cases(x, i, j, u, v)))
    shapes = {"x": "[n, 9, m]", "j": "[n, l, m]", "u": "[n, l, m]"}
    for dtype in KINDS:
        x, u = (array(dtype, shape, seed) for shape, seed in (((2, 9, 21), 41), ((2, 23, 21), 42)))
        if dtype not in INTS and dtype != "bool":
            x, u = (np.where(np.abs(a.astype(np.float64)) < 4, a, 1).astype(a.dtype) for a in (x, u))
        j = indices("i32", (2, 23, 21), 9, 43)
        result.append(Group(f"scatter of each kind {dtype}", {"x": x, "j": j, "u": u}, shapes, {}, "", reduction_cases(dtype, x, j, u),
                            half_of(dtype)))
    random = np.random.default_rng(44)
    for dtype in ("i32", "f64", "u8"):
        x, u, v = (random.integers(0, 99, shape).astype(KINDS[dtype]) for shape in ((3, 4, 17), (29, 17), (5, 4, 17)))
        pairs, rows = random.integers(-3, 3, (29, 2)), random.integers(-3, 3, (5, 1))
        result.append(Group(f"scatter by tuples {dtype}", {"x": x, "pairs": pairs, "u": u, "rows": rows, "v": v},
                            {"x": "[a, b, c]", "pairs": "[k, 2]", "u": "[k, c]", "rows": "[l, 1]", "v": "[l, b, c]"}, {}, "",
                            tuple_cases(x, pairs, u, rows, v)))
    none, some, i, no = np.zeros((0, 5), np.float32), np.ones((3, 5), np.float32), np.array([1, -1, 7], np.int32), np.zeros(0, np.int32)
    result.append(Group("scatter to nothing", {"x": none, "y": some, "i": i, "e": no}, {"x": "[n, 5]", "e": "[n]"}, {}, "", [
        Case("index_add(x, i, y, axis=0)", none, EXACT), Case("index_add(y, e, x, axis=0)", some, EXACT)]))
    return result


def gather_groups():
    result = scatter_groups()
    for dtype in KINDS:
        x, i, j = array(dtype, (3, 37, 21)), indices("i32", (5, 7), 37), indices("i64", (3, 50, 21), 37, 23)
        shapes = {"x": "[n, 37, m]", "i": "[5, k]", "j": "[n, l, m]"}
        result.append(Group(f"gather {dtype}", {"x": x, "i": i, "j": j}, shapes, {}, "", cases(x, i, j), half_of(dtype)))
    for dtype in INTS:
        x, i, j = array("f32", (3, 37, 21)), indices(dtype, (41,), 37), indices(dtype, (3, 50, 21), 37, 23)
        c = np.where((i < 37) & (i.astype(object) >= -37), i, KINDS[dtype](1)).astype(KINDS[dtype])  # like i, but all indices are in range
        checked = [Case("check_index(c, size=37)", c, EXACT), Case("take(x, check_index(c, size=37), axis=1)", np.take(x, c.astype(np.int64), 1), EXACT)]
        result.append(Group(f"gather by {dtype}", {"x": x, "i": i, "j": j, "c": c}, {"x": "[3, 37, m]", "j": "[3, l, m]"}, {}, "",
                            cases(x, i, j) + checked))
    none, some = np.zeros((0, 5), np.float32), np.ones((3, 5), np.float32)
    i, no = np.array([1, -1, 7], np.int32), np.zeros(0, np.int32)
    result.append(Group("gather from nothing", {"x": none, "i": i, "e": no, "y": some}, {"x": "[n, 5]", "e": "[n]"}, {}, "", [
        Case("take(x, i, axis=0)", np.zeros((3, 5), np.float32), EXACT), Case("take(x, i, axis=1)", np.zeros((0, 3), np.float32), EXACT),
        Case("take(x, e, axis=0)", none[:0], EXACT), Case("take(y, e, axis=1)", some[:, :0], EXACT),
        Case("take(expand(slice(y, stop=[1, none]), shape=[n, 5]), i, axis=0)", np.zeros((3, 5), np.float32), EXACT)]))
    return result
