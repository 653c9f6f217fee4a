"""Cases of complex64 and complex128 for tests/oracle/oracle_test.py. The expected results are computed by NumPy in extended precision.

Tolerance: some epsilons, times the magnitude of the result as a complex number, or times the greatest of the added terms.
"""
import numpy as np

from oracle_references import EXACT, Case, Group, Within

PARTS = {"complex64": np.float32, "complex128": np.float64}
WIDE = np.clongdouble


def numbers(dtype, seed, *shape, scale=1.0):
    random = np.random.default_rng(seed)
    parts = random.uniform(-2, 2, (2, *shape)) * scale
    return (parts[0] + 1j * parts[1]).astype(dtype)


def near(dtype, expected, count, size=None):
    """Returns a bound of `count` epsilons of `size`; if `size` is not given, of the expected number's magnitude."""
    return Within(count * np.finfo(PARTS[dtype]).eps * np.asarray(np.abs(expected) if size is None else size))


def elementwise(dtype):
    a, b = numbers(dtype, 1, 5, 9), numbers(dtype, 2, 5, 9)
    b[0, :3] = a[0, :3]  # makes some elements of a and b equal
    a[1, 0], b[1, 1], a[1, 2] = 0, 0, -3
    x, y = a.real.copy(), a.imag.copy()
    p, q = a.astype(WIDE), b.astype(WIDE)
    # the logarithm of these numbers is nearly i·angle
    circle = (np.exp(1j * np.geomspace(1e-6, 3, 40)) * np.linspace(1 - 1e-6, 1 + 1e-6, 40)).astype(dtype)
    special = numbers(dtype, 3, 13)
    inf, nan = np.inf, np.nan
    special.real[:9] = [0.0, -0.0, 0.0, inf, -inf, nan, 1.0, nan, -0.0]
    special.imag[:9] = [0.0, 0.0, -0.0, 1.0, nan, 2.0, inf, nan, -0.0]
    functions = {"exp": (np.exp, 2), "log": (np.log, 3), "sqrt": (np.sqrt, 2), "sin": (np.sin, 2), "cos": (np.cos, 2),
                 "tan": (np.tan, 4), "sinh": (np.sinh, 2), "cosh": (np.cosh, 2), "tanh": (np.tanh, 4), "square": (np.square, 2),
                 "neg": (np.negative, 0)}
    cases = [Case(f"{name}(a)", f(p), near(dtype, f(p), count)) for name, (f, count) in functions.items()]
    safe = p.copy()
    safe[1, 0] = 1  # avoids a division by 0, as where(a == 0, 1, a) does in the case below
    cases += [
        Case("add(a, b)", a + b, EXACT),
        Case("sub(a, b)", a - b, EXACT),
        Case("mul(a, b)", p * q, near(dtype, p * q, 2)),
        Case("div(b, where(a == 0, 1, a))", q / safe, near(dtype, q / safe, 3)),
        Case("recip(where(a == 0, 1, a))", 1 / safe, near(dtype, 1 / safe, 2)),
        Case("rsqrt(where(a == 0, 1, a))", 1 / np.sqrt(safe), near(dtype, 1 / np.sqrt(safe), 3)),
        Case("log(c)", np.log(circle.astype(WIDE)), near(dtype, np.log(circle.astype(WIDE)), 3)),
        Case("pow(where(a == 0, 1, a), b)", safe**q, near(dtype, safe**q, 32)),
        Case("powi(a, 3)", p**3, near(dtype, p**3, 4)),
        Case("abs(a)", np.abs(p), near(dtype, np.abs(p), 1)),
        Case("angle(a)", np.angle(p), near(dtype, np.angle(p), 1)),
        Case("sign(a)", np.where(p == 0, 0, p / np.where(p == 0, 1, np.abs(p))), near(dtype, p, 1, np.ones(p.shape))),
        Case("real(a)", a.real.copy(), EXACT),
        Case("imag(a)", a.imag.copy(), EXACT),
        Case("conj(s)", np.conj(special), EXACT),
        Case("eq(a, b)", a == b, EXACT),
        Case("ne(a, b)", a != b, EXACT),
        Case("eq(s, s)", special == special, EXACT),
        Case("isnan(s)", np.isnan(special), EXACT),
        Case("isinf(s)", np.isinf(special), EXACT),
        Case("isfinite(s)", np.isfinite(special), EXACT),
        Case("logical_not(a)", ~a.astype(bool), EXACT),
        Case("any(a, axes=[0])", a.any(0), EXACT),
        Case("where(x < y, a, b)", np.where(x < y, a, b), EXACT),
        Case("complex_from_parts(x, y)", a, EXACT),
        Case("view_as_real(a)", np.stack([a.real, a.imag], -1), EXACT),
        Case("view_as_complex(stack([x, y], axis=-1))", a, EXACT),
        Case(f"cast(x, {dtype})", x.astype(dtype), EXACT),
        Case("cast(a, complex64)", a.astype(np.complex64), EXACT),
        Case("cast(a, complex128)", a.astype(np.complex128), EXACT),
        Case("2 * a + 1", 2 * a + 1, EXACT),
        Case(f"full([2, 3], value={dtype}(1.5, -2), dtype={dtype})", np.full((2, 3), 1.5 - 2j, dtype), EXACT),
        Case(f"constant_array([[1, -2], [0.5, inf]], dtype={dtype})", np.array([1 - 2j, complex(0.5, inf)], dtype), EXACT),
        Case(f"arange(7, dtype={dtype})", np.arange(7).astype(dtype), EXACT),
        Case(f"eye(3, dtype={dtype})", np.eye(3, dtype=dtype), EXACT),
    ]
    return Group(f"complex {dtype}", {"a": a, "b": b, "x": x, "y": y, "c": circle, "s": special}, {name: "[n, 9]" for name in "abxy"}, {}, "", cases)


def moved(dtype):
    a, b = numbers(dtype, 4, 4, 5, 3), numbers(dtype, 5, 4, 2, 3)
    which, each = np.array([[4, 0, 2], [1, 1, 3]], np.int32), np.random.default_rng(12).integers(0, 5, (4, 2, 3))
    cases = [
        Case("permute(a, [2, 0, 1])", a.transpose(2, 0, 1), EXACT),
        Case("flip(a, [1])", a[:, ::-1], EXACT),
        Case("reshape(a, [-1, 6])", a.reshape(-1, 6), EXACT),
        Case("slice(a, start=[1, none, none], step=[2, -1, 1])", a[1::2, ::-1], EXACT),
        Case("broadcast_to(slice(a, stop=[1, none, none]), [4, 5, 3])", np.broadcast_to(a[:1], a.shape), EXACT),
        Case(f"pad(a, [1, 0, 2], [0, 3, 0], value={dtype}(2, -1))",
             np.pad(a, [(1, 0), (0, 3), (2, 0)], constant_values=2 - 1j), EXACT),
        Case("pad(a, [1, 0, 2], [0, 3, 0], mode=reflect)", np.pad(a, [(1, 0), (0, 3), (2, 0)], mode="reflect"), EXACT),
        Case("concat([a, b], axis=1)", np.concatenate([a, b], 1), EXACT),
        Case("stack([a, a], axis=3)", np.stack([a, a], 3), EXACT),
        Case("contiguous(transpose(a))", a.T, EXACT),
        Case("roll(a, 2, axis=1)", np.roll(a, 2, 1), EXACT),
        Case("unfold(a, [1], [2])", np.lib.stride_tricks.sliding_window_view(a, 2, 1), EXACT),
        Case("triu(a)", np.triu(a), EXACT),
        Case("diagonal(a)", np.diagonal(a), EXACT),
        Case("take(a, i, axis=1)", np.take(a, which, 1), EXACT),
        Case("take_along_axis(a, j, axis=1)", np.take_along_axis(a, each, 1), EXACT),
    ]
    return Group(f"complex views {dtype}", {"a": a, "b": b, "i": which, "j": each}, {}, {}, "", cases)


def reduced(dtype):
    a = numbers(dtype, 6, 7, 300)
    b = numbers(dtype, 7, 300, 6)
    units = np.exp(1j * numbers(dtype, 8, 9, 37).real).astype(dtype)
    v, w = numbers(dtype, 9, 2, 3, 8, 7), numbers(dtype, 10, 4, 3, 3, 2)
    p, q, u = a.astype(WIDE), b.astype(WIDE), units.astype(WIDE)
    windows = np.lib.stride_tricks.sliding_window_view(v.astype(WIDE), (3, 2), (2, 3))
    convolved = np.einsum("nchwij,ocij->nohw", windows, w.astype(WIDE))
    sizes = np.abs(p)
    products = np.abs(p) @ np.abs(q)
    cases = [
        Case("sum(a)", p.sum(), near(dtype, p, 300, sizes.sum())),
        Case("sum(a, axes=[0])", p.sum(0), near(dtype, p, 8, sizes.sum(0))),
        Case("mean(a, axes=[1])", p.mean(1), near(dtype, p, 300, sizes.mean(1))),
        Case("cumsum(a, axis=1)", p.cumsum(1), near(dtype, p, 300, sizes.cumsum(1))),
        Case("cumsum(a, axis=0, reverse=true, exclusive=true)", np.concatenate([p[::-1].cumsum(0)[::-1], np.zeros((1, 300))])[1:],
             near(dtype, p, 8, sizes.sum(0))),
        Case("norm(a, axes=[1])", np.sqrt((sizes**2).sum(1)), near(dtype, p, 300, np.sqrt((sizes**2).sum(1)))),
        Case("prod(u)", u.prod(), near(dtype, u, 999, 1)),
        Case("prod(u, axes=[0])", u.prod(0), near(dtype, u, 40, np.ones(37))),
        Case("prod(u, axes=[1], keepdims=true)", u.prod(1, keepdims=True), near(dtype, u, 200, np.ones((9, 1)))),
        Case("prod(permute(u, [1, 0]), axes=[0])", u.prod(1), near(dtype, u, 200, np.ones(9))),
        Case("cumprod(u, axis=1)", u.cumprod(1), near(dtype, u, 200, np.ones((9, 37)))),
        Case("cumprod(u, axis=0, reverse=true)", u[::-1].cumprod(0)[::-1], near(dtype, u, 40, np.ones((9, 37)))),
        Case("cumprod(u, axis=1, exclusive=true)", np.concatenate([np.ones((9, 1)), u.cumprod(1)], 1)[:, :-1],
             near(dtype, u, 200, np.ones((9, 37)))),
        Case("matmul(a, b)", p @ q, near(dtype, p, 600, products)),
        Case("dot(a, b)", p @ q, near(dtype, p, 600, products)),
        Case("einsum(a, b, spec=\"ij,jk->ki\")", (p @ q).T, near(dtype, p, 600, products.T)),
        Case("vecdot(a, a)", (sizes**2).sum(1) + 0j, near(dtype, p, 600, (sizes**2).sum(1))),
        Case("outer(slice(a, stop=[1, 3]), slice(a, stop=[1, 2]))", np.multiply.outer(p[:1, :3], p[:1, :2]),
             near(dtype, p, 4, np.multiply.outer(sizes[:1, :3], sizes[:1, :2]))),
        Case("trace(a)", np.trace(p), near(dtype, p, 8, np.trace(sizes))),
        Case("conv2d(v, w)", convolved, near(dtype, p, 99, np.full(convolved.shape, 99.0))),
    ]
    shapes = {"a": "[n in 0..99, m in 0..999]", "b": "[m, 6]", "u": "[k in 0..99, l in 0..99]"}
    return Group(f"complex sums and products {dtype}", {"a": a, "b": b, "u": units, "v": v, "w": w}, shapes, {}, "", cases)


def promoted():
    a, x, y = numbers("complex64", 11, 6), np.linspace(-1, 1, 6), np.linspace(0, 2, 6, dtype=np.float32)
    cases = [Case("a + x", a + x, EXACT), Case("a + y", a + y, EXACT), Case("y - a", y - a, EXACT)]
    return Group("complex promotion", {"a": a, "x": x, "y": y}, {}, {}, " flags=[promote]", cases)


def complex_groups():
    return [make(dtype) for dtype in PARTS for make in (elementwise, moved, reduced)] + [promoted()]
