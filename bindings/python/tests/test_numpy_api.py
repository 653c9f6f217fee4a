"""NumPy's functions and methods: each expression gives what it gives in NumPy, in eager code and, where sizes do not depend on values, in traced
functions. `xp` is NumPy or harp, and the other names are arrays of that library."""
import inspect

import numpy as np
import pytest

import harp

rng = np.random.default_rng(0)
DATA = {
    "a": rng.standard_normal((4, 5)), "b": rng.standard_normal((4, 5)), "v": rng.standard_normal(7), "w": rng.standard_normal(4),
    "i": rng.integers(-9, 9, (4, 5)), "k": rng.integers(0, 6, 20), "u": rng.random(20), "n": np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, 2.0]]),
    "m": rng.random((4, 5)) < 0.5, "z": rng.standard_normal(5) + 1j * rng.standard_normal(5), "s": np.sort(rng.standard_normal(6)),
    "t": rng.standard_normal((2, 3, 4)),
}  # fmt: skip

# One expression a line.
SHAPES = """
xp.array([[1.0, 2.0], [3.0, 4.0]])
xp.array(w, ndmin=2)
xp.copy(a) + 1
xp.ravel(a)
xp.swapaxes(t, 0, 2)
xp.swapaxes(t, -1, 1)
xp.fliplr(a)
xp.flipud(a)
xp.vstack([a, b, v[:5]])
xp.hstack([a, b])
xp.hstack((v, w))
xp.dstack([a, b])
xp.column_stack([w, a, w])
xp.row_stack([w, w])
xp.concatenate([a, b])
xp.concatenate((a, b), 1)
xp.concatenate([a, t], axis=None)
xp.stack([a, b], 1)
xp.append(v, w)
xp.append(a, b, axis=1)
xp.atleast_1d(1.5)
xp.atleast_2d(v)
xp.atleast_3d(v)
xp.atleast_3d(a)
xp.split(v[:6], 3)
xp.split(v, [2, 5])
xp.split(v, [2, -1])
xp.split(v, [5, 2])
xp.split(a, [1, 9], axis=1)
xp.split(t, 2, -1)
xp.array_split(v, 3)
xp.array_split(a, 2, 1)
xp.hsplit(a, [2])
xp.hsplit(v, [2])
xp.vsplit(a, 2)
xp.pad(a, 1)
xp.pad(a, (1, 2), mode="edge")
xp.pad(a, ((0, 1), (2, 0)), "reflect")
xp.pad(v, (2, 3), "wrap")
xp.pad(a, ((1, 1), (0, 0)), constant_values=5)
xp.pad(v, [(1, 2)], mode="symmetric")
xp.pad(i, 1, constant_values=-1)
xp.where(m, a, b)
xp.where(m, a, 0)
xp.einsum("ij,kj->ik", a, b)
xp.einsum("ij, ij", a, b)
xp.einsum("ii->i", a[:, :4])
xp.einsum("i,j->ij", v, w)
xp.einsum("ij,j->i", a, a[0])
xp.squeeze(a[None, :, None])
xp.roll(a, 1, 0)
xp.roll(a, (1, 2), (0, 1))
xp.roll(v, -2)
xp.flip(a, 1)
xp.repeat(a, 2, 1)
xp.repeat(v, 2)
xp.tile(v, 2)
xp.tile(a, (2, 1))
xp.tri(3, 4, 1)
xp.tril(a, -1)
xp.triu(a, 1)
xp.eye(3, 4, 1)
xp.eye(3, k=-1)
xp.diagflat(w, 1)
xp.diag(w, -1)
xp.diag(a, 1)
xp.vander(w)
xp.vander(w, 3, increasing=True)
xp.tril_indices(4, 1)
xp.triu_indices(3, -1, 4)
xp.diag_indices(3)
xp.indices((2, 3))
a[xp.ix_([0, 2], [1, 3])]
xp.unravel_index(k, (2, 3))
xp.ravel_multi_index((xp.array([0, 1]), xp.array([2, 1])), (2, 3))
xp.select([a < 0, a > 1], [a, a * 2], -5)
xp.piecewise(v, [v < 0, v >= 1], [-1.0, lambda x: x * x])
xp.piecewise(v, [v < 0], [0.0, lambda x: x + 1])
xp.fromfunction(lambda i, j: i * 2 + j, (3, 4))
xp.mgrid[0:3, 1:3]
xp.mgrid[0:1:5j]
xp.ogrid[0:2, 0:3]
xp.meshgrid(v, w)
xp.full((2, 3), 1.5, xp.float64)
xp.zeros(3, xp.int32) + xp.ones((2, 3), xp.int32)
xp.zeros_like(a, xp.int64)
xp.linspace(0.0, 1.0)
xp.linspace(0, 1, 5, False)
xp.linspace(a.min(), a.max(), 9)
xp.linspace(w, 2.0, 3)
xp.linspace(1.0, w, 4, endpoint=False)
xp.arange(0, 6, 2, xp.float64)
xp.logspace(0, 2, 5)
xp.geomspace(1, 8, 4)
xp.take(v, [0, 2])
xp.take(a, xp.array([1, 3]), axis=1)
xp.shape(a)
xp.ndim(a)
xp.size(a)
xp.size(a, 0)
xp.outer(v, w)
xp.inner(a, b)
xp.inner(v, v)
xp.vdot(a, b)
xp.vdot(z, z)
xp.kron(a[:2, :2], b)
xp.kron(v, w)
xp.kron(v, a)
xp.dot(a, b.T)
xp.tensordot(t, t, axes=([0, 2], [0, 2]))
xp.allclose(a, a + 1e-12)
xp.allclose(a, b)
xp.array_equal(a, a)
xp.array_equal(a, v)
xp.array_equiv(a, a[None])
xp.array_equiv(a, v)
"""
VALUES = """
xp.median(a)
xp.median(v)
xp.median(a, axis=0)
xp.median(a, axis=1, keepdims=True)
xp.median(t, axis=(0, 2))
xp.median(n, axis=0)
xp.median(i, axis=1)
xp.percentile(a, 30)
xp.percentile(a, [25, 50, 75], axis=1)
xp.quantile(v, 0.3)
xp.quantile(v, [0, 0.25, 1.0])
xp.quantile(a, [[0.1, 0.2]], axis=0, keepdims=True)
xp.quantile(v, 0.35, method="lower")
xp.quantile(v, 0.35, method="higher")
xp.quantile(v, 0.35, method="nearest")
xp.quantile(v, [0.25, 0.75], method="nearest")
xp.quantile(v, 0.35, method="midpoint")
xp.quantile(t, 0.4, axis=(1, 2))
xp.ptp(a)
xp.ptp(a, 1)
xp.average(a)
xp.average(a, axis=0)
xp.average(a, axis=0, weights=xp.abs(w))
xp.average(a, weights=xp.abs(b))
xp.average(a, axis=0, weights=xp.abs(w), returned=True)
xp.cov(a)
xp.cov(a, rowvar=False)
xp.cov(v)
xp.cov(a, b)
xp.cov(a, bias=True)
xp.cov(a, ddof=0)
xp.corrcoef(a)
xp.corrcoef(a, b, rowvar=False)
xp.corrcoef(v)
xp.nansum(n)
xp.nansum(n, axis=0)
xp.nanprod(n, axis=1)
xp.nanmax(n, axis=1)
xp.nanmin(n, 0)
xp.nanmean(n, axis=1)
xp.nanvar(n)
xp.nanstd(n, axis=1, ddof=0)
xp.nanmedian(n, axis=1)
xp.nanmedian(n)
xp.nanpercentile(n, [20, 70], axis=1)
xp.nanquantile(n, 0.4)
xp.nanargmax(n, axis=1)
xp.nanargmin(n)
xp.nancumsum(n, axis=1)
xp.nancumprod(n)
xp.nan_to_num(n)
xp.nan_to_num(xp.array([1.0, xp.inf, -xp.inf, xp.nan]), nan=7.0, posinf=8.0, neginf=9.0)
xp.digitize(u, xp.array([0.0, 0.3, 0.6]))
xp.digitize(u, [0.9, 0.3, 0.1])
xp.digitize(xp.array([1, 2, 3]), xp.array([1, 2, 3]), right=True)
xp.bincount(k)
xp.bincount(k, minlength=9)
xp.bincount(k, weights=u)
xp.histogram(u)
xp.histogram(u, 4, (0.2, 0.8))
xp.histogram(u, bins=[0.0, 0.1, 0.5, 1.0])
xp.histogram(u, bins=5, density=True)
xp.histogram(k, bins=6)
xp.histogram(u, bins=3, weights=u)
xp.histogram(xp.ones(3, dtype=xp.float64), bins=2)
xp.histogram_bin_edges(u, 3)
xp.interp(u * 4 - 2, s, s * s)
xp.interp(xp.array([-100.0, 100.0]), s, s, left=-1.0, right=1.0)
xp.interp(s, s, s * 2)
xp.interp(u * 720, xp.array([0.0, 90.0, 200.0]), xp.array([1.0, 2.0, 3.0]), period=360)
xp.convolve(v, w)
xp.convolve(w, v)
xp.convolve(v, w, "same")
xp.convolve(v, w, mode="valid")
xp.convolve(v, s[:3], "same")
xp.convolve(xp.array([1, 2, 3]), xp.array([0, 1]))
xp.convolve(z, z[:2])
xp.correlate(v, w)
xp.correlate(v, w, "full")
xp.correlate(w, v, "full")
xp.correlate(w, v, "same")
xp.correlate(v, w, "same")
xp.correlate(z, z[:3], "full")
xp.gradient(v)
xp.gradient(v, 0.5)
xp.gradient(a)
xp.gradient(a, axis=1)
xp.gradient(a, 2.0, 3.0)
xp.gradient(v, edge_order=2)
xp.gradient(s * s, s)
xp.gradient(s * s, s, edge_order=2)
xp.gradient(i[0])
xp.polyval(xp.array([1.0, -2.0, 3.0]), v)
xp.polyval([1, 2], 3)
xp.polyval(w, 0.1)
xp.interp(0.1, s, s)
xp.append(v, 0.1)
xp.searchsorted(s, 0.1)
xp.allclose(a - a + 0.1, 0.1)
xp.polyfit(v, v * v - 2 * v, 2)
xp.polyder(w)
xp.polyint(w)
xp.polymul(w, v)
xp.polyadd(w, v)
xp.hanning(5)
xp.hamming(5)
xp.blackman(5)
xp.bartlett(5)
xp.kaiser(5, 8.6)
xp.round(a, 2)
xp.around(a * 100, -1)
xp.round(i, -1)
xp.round(xp.array([15, 25, -15, 14, 251]), -1)
xp.deg2rad(v)
xp.degrees(v)
xp.sinc(xp.array([0.0, 0.5, 2.0]))
xp.heaviside(v, 0.5)
xp.fmax(n, 2.5)
xp.fmin(n, n[::-1])
xp.fmax(i, 3)
xp.logaddexp2(v, 1.0)
xp.divmod(i, 4)
xp.modf(a)
xp.isposinf(n)
xp.isneginf(xp.array([-xp.inf, 1.0]))
xp.isreal(z)
xp.iscomplexobj(z)
xp.arctan2(a, b)
xp.arcsin(u)
xp.arccos(u)
xp.arctan(a)
xp.absolute(i)
xp.power(u, 2.5)
xp.true_divide(i, 4.0)
xp.mod(i, 4)
xp.invert(i)
xp.bitwise_not(i)
xp.left_shift(k, 2)
xp.rint(a)
xp.fix(a)
xp.conjugate(z)
xp.amax(a, 0)
xp.amin(a)
xp.cumsum(a > 0)
xp.cumsum(i, axis=1, dtype=xp.float64)
xp.cumprod(a, 1)
xp.sum(a, 0)
xp.sum(i, dtype=xp.float64)
xp.mean(a, 1)
xp.mean(i, dtype=xp.float64)
xp.std(a, 0, ddof=1)
xp.var(a, ddof=2)
xp.max([1.0, 3.0])
xp.mean([1.0, 3.0])
xp.diff(v, 2)
xp.diff(a, 1, 0)
xp.diff(a, axis=1, prepend=0)
xp.sort(a, axis=None)
xp.argsort(a, axis=None)
xp.searchsorted(s, u, "right")
xp.clip(a, 0, None)
xp.fft.fft(v, 5)
xp.fft.fftfreq(8, 0.5)
xp.fft.rfftfreq(8, 0.5)
xp.fft.fft2(a)
xp.fft.fftshift(a, 1)
"""
METHODS = """
a.copy()
a.ravel()
a.swapaxes(0, 1)
a[None].squeeze()
z.real
z.imag
a.real
a.imag
z.conjugate()
a.std(ddof=1)
a.var(0, ddof=1)
a.mean(0, xp.float64)
a.sum(1)
a.round(1)
a.cumsum()
a.cumsum(axis=1)
(a > 0).cumsum()
a.prod(0)
a.argmax()
a.ptp(1)
a.reshape(5, 4, order="F")
a.reshape((2, 10))
a.repeat(2, 1)
a.take([1, 2])
s.searchsorted(0.5)
a.itemsize
a.nbytes
a.max(axis=(0, 1))
a.dot(b.T)
a.trace()
a.diagonal()
a.clip(0, 1)
a.flatten()
np.sum(a)
np.mean(a, axis=0)
np.std(a, axis=0, ddof=1)
np.max(a, axis=1)
np.cumsum(a)
np.round(a, 1)
np.argmax(a)
np.any(m)
np.clip(a, 0, 1)
"""
EAGER = """
xp.where(m)
xp.nonzero(m)
m.nonzero()
xp.argwhere(m)
xp.flatnonzero(m)
xp.compress([True, False, True], a, axis=0)
xp.extract(m, a)
xp.delete(a, 1, axis=0)
xp.delete(v, [0, 2])
xp.delete(v, slice(0, 3))
xp.unique(k)
xp.unique(i, return_counts=True)
xp.unique(k, True, True, True)
xp.union1d(k, i)
xp.intersect1d(k, i)
xp.setdiff1d(i, k)
a[xp.ix_(m[:, 0], [0, 1])]
xp.repeat(v, xp.arange(7))
"""


def flat(thing):
    """The arrays of a result, from left to right."""
    return [x for each in thing for x in flat(each)] if isinstance(thing, (list, tuple)) else [np.asarray(thing)]


@pytest.fixture(scope="module", autouse=True)
def interpreted():
    """Compares values; compiled code has the same bits (the tests of the C library check that)."""
    harp.set_backend("interp")
    yield
    harp.set_backend("auto")


def evaluate(expression, xp, data):
    return eval(expression, {"np": np, "xp": xp, **data})


@pytest.mark.parametrize("expression", [line for group in (SHAPES, VALUES, METHODS, EAGER) for line in group.strip().split("\n")])
def test_as_in_numpy(expression):
    with np.errstate(all="ignore"):
        expected = flat(evaluate(expression, np, DATA))
    made = flat(evaluate(expression, harp, {name: harp.asarray(value) for name, value in DATA.items()}))
    assert len(made) == len(expected)
    for x, y in zip(made, expected):
        assert x.shape == y.shape
        assert x.dtype.kind == y.dtype.kind, (x.dtype, y.dtype)
        single = x.dtype.itemsize // (1 + (x.dtype.kind == "c")) < 8
        np.testing.assert_allclose(x, y, rtol=2e-5 if single else 1e-9, atol=1e-5 if single else 1e-9)


def test_trapezoid():
    a, s = DATA["a"], DATA["s"]
    reference = getattr(np, "trapezoid", None) or np.trapz
    for name in ("trapezoid", "trapz"):
        for args, keywords in (((a,), {}), ((a, None, 0.5, 0), {}), ((a, a[0].cumsum()), {}), ((a,), {"dx": 2.0, "axis": 0}), ((s, s * s), {})):
            np.testing.assert_allclose(np.asarray(getattr(harp, name)(*args, **keywords)), reference(*args, **keywords), rtol=1e-12)


TRACED = """
harp.median(a, axis=0)
harp.nanmedian(a, axis=1)
harp.percentile(a, [10, 90], axis=1)
harp.average(a, axis=0, weights=w)
harp.cov(a)
harp.corrcoef(a)
harp.histogram(a, 5)
harp.bincount(harp.abs(i[0]), length=10)
harp.digitize(a, w)
harp.interp(a, harp.sort(w), w)
harp.convolve(v, w)
harp.gradient(a)
harp.linspace(a.min(), a.max(), 5)
harp.nanmean(a), harp.nanstd(a)
harp.select([a < 0], [a], 1)
harp.kron(a, w)
harp.polyval(w, a)
harp.array_split(v, 2)
a.at[0].add(1).at[:, 1].set(w)
"""


@pytest.mark.parametrize("expression", TRACED.strip().split("\n"))
def test_traced_is_eager(expression):
    names = ["a", "w", "v", "i"]
    run = lambda *args: evaluate(expression, harp, {"harp": harp, **dict(zip(names, args))})
    traced = flat(harp.jit(run)(*(DATA[name] for name in names)))
    for x, y in zip(traced, flat(run(*(harp.asarray(DATA[name]) for name in names)))):
        np.testing.assert_array_equal(x, y)


def test_symbolic_sizes():
    @harp.jit(dynamic={"x": [0]})
    def f(x):
        counts = harp.histogram(x, 3)[0]
        return harp.median(x), harp.percentile(x, 30), harp.gradient(x), harp.interp(0.5, x, x), counts, harp.linspace(0.0, 1.0, x.shape[0])

    for n in (3, 8):
        x = np.linspace(0.0, 1.0, n) ** 2
        expected = [np.median(x), np.percentile(x, 30), np.gradient(x), 0.5, np.histogram(x, 3)[0], np.linspace(0, 1, n)]
        for made, value in zip(f(x), expected):
            np.testing.assert_allclose(np.asarray(made), value, rtol=1e-6, atol=1e-12)
    assert f.program_count == 1


def test_gradients():
    x = np.array([0.3, -1.2, 2.0, 0.7])
    for f in (lambda x: harp.median(x), lambda x: harp.percentile(x, 40), lambda x: harp.cov(x), lambda x: harp.trapezoid(x, dx=0.5),
              lambda x: harp.interp(0.4, np.arange(4.0), x), lambda x: (harp.convolve(x, x) ** 2).sum(), lambda x: harp.gradient(x * x).sum(),
              lambda x: harp.nanmean(x * x), lambda x: harp.polyval(x, 0.5), lambda x: (x.at[np.array([0, 0, 2])].add(x[1:]) ** 3).sum(),
              lambda x: harp.nanvar(x)):  # fmt: skip
        value = lambda x, f=f: float(f(harp.asarray(x)))
        expected = [(value(x + step) - value(x - step)) / 2e-6 for step in np.eye(len(x)) * 1e-6]
        np.testing.assert_allclose(np.asarray(harp.grad(f)(x)), expected, rtol=1e-4, atol=1e-5)


def test_messages():
    x = harp.asarray(DATA["a"])
    for mistake, error, text in [
        (lambda: harp.pad(x, [(1, 1)] * 3), harp.ShapeError, "for each of the 2 axes"),
        (lambda: harp.pad(x, 1, "mirror"), harp.InvalidArgumentError, "'reflect'.*got 'mirror'"),
        (lambda: harp.percentile(x, 101), harp.InvalidArgumentError, "0 ... 100, got 101"),
        (lambda: harp.quantile(x, 0.5, method="weird"), harp.InvalidArgumentError, "'midpoint'.*got 'weird'"),
        (lambda: harp.median(x, axis=2), harp.ShapeError, "axis 2 is out of range for a tensor of 2 axes"),
        (lambda: harp.median(harp.zeros((0,))), harp.ShapeError, "at least one element"),
        (lambda: harp.bincount(x), harp.ShapeError, r"one axis, got shape \(4, 5\)"),
        (lambda: harp.bincount(x[0]), harp.DTypeError, "expected integers, got float64"),
        (lambda: harp.bincount([-1]), harp.InvalidArgumentError, "no negative elements, got -1"),
        (lambda: harp.jit(lambda k: harp.bincount(k))(np.arange(3)), harp.InvalidArgumentError, "length="),
        (lambda: harp.jit(lambda k: harp.argwhere(k))(np.arange(3)), harp.InvalidArgumentError, "no value while a function is traced"),
        (lambda: harp.histogram(x, 0), harp.InvalidArgumentError, "at least one bin, got 0"),
        (lambda: harp.histogram(x, "auto"), TypeError, "not 'auto'"),
        (lambda: harp.interp(0, [1.0, 2.0], [1.0]), harp.ShapeError, r"\(2,\) and \(1,\)"),
        (lambda: harp.convolve(x, x), harp.ShapeError, "arrays of one axis"),
        (lambda: harp.convolve(x[0], x[1], "half"), harp.InvalidArgumentError, "'valid', got 'half'"),
        (lambda: harp.average(x, weights=x[0]), harp.ShapeError, r"shape \(5,\)"),
        (lambda: x.sum(out=np.zeros(())), TypeError, "out= has to be None"),
        (lambda: harp.select([x > 0], []), harp.InvalidArgumentError, "got 0 and 1"),
        (lambda: harp.array_split(x, 0), harp.InvalidArgumentError, "at least one section"),
    ]:  # fmt: skip
        with pytest.raises(error, match=text):
            mistake()


def test_lost_assignments_are_errors():
    x = harp.zeros((3, 3))
    for statement in ("x[0][1] = 5", "x[1:][x[1:] == 0] = 1", "x.T[0] = 1", "x[1][0] += 2", "(x + 1)[0] = 2"):
        with pytest.raises(harp.InvalidArgumentError, match=r"x\[i, j\] = y"):
            exec(statement, {"x": x})
    rows = [x[0]]
    rows[0][1] = 5
    part = x[1]
    part[0] += 2
    x[1] = part
    x.__setitem__((2, 2), 7)
    assert rows[0].tolist() == [0, 5, 0] and x.tolist() == [[0, 0, 0], [2, 0, 0], [0, 0, 7]]


def test_at():
    a = np.arange(6.0).reshape(2, 3)
    x = harp.asarray(a)
    twice = np.array([1, 1, 0])
    assert x.at[0, 1].set(9).tolist() == [[0, 9, 2], [3, 4, 5]] and x.tolist() == a.tolist()
    assert x.at[:, twice].add(1).tolist() == [[1, 3, 2], [4, 6, 5]]
    assert x.at[1].multiply(harp.asarray([1.0, 2.0, 3.0])).tolist() == [[0, 1, 2], [3, 8, 15]]
    assert x.at[..., -1].min(3).tolist() == [[0, 1, 2], [3, 4, 3]] and x.at[0].max([1, 1, 1]).tolist() == [[1, 1, 2], [3, 4, 5]]
    assert x.at[x > 3].subtract(1).tolist() == [[0, 1, 2], [3, 3, 4]] and x.at[1].get().tolist() == [3, 4, 5]
    assert harp.jit(lambda x: x.at[x > 3].set(0).at[x < 1].add(5))(a).tolist() == [[5, 1, 2], [3, 0, 0]]


def test_methods_that_change_the_tensor():
    x = harp.asarray(np.arange(4))
    y = x.copy()
    x.fill(7)
    assert x.tolist() == [7, 7, 7, 7] and y.tolist() == [0, 1, 2, 3]
    y[0] = 9
    z = harp.copy(y)
    z[1] = 8
    assert y.tolist() == [9, 1, 2, 3] and z.tobytes() == np.array([9, 8, 2, 3]).tobytes()
    assert round(harp.asarray(1.25), 1).item() == pytest.approx(1.2)


def test_trees():
    tree = {"a": np.ones(2), "b": [1.0, (2.0, None)]}
    made = harp.tree_map(lambda x, y: x + y, tree, tree)
    assert made["a"].tolist() == [2, 2] and made["b"] == [2.0, (4.0, None)]
    with pytest.raises(ValueError, match="different structures"):
        harp.tree_map(lambda x, y: x, [1], [1, 2])


def test_jacobian_and_hessian():
    x = np.array([0.5, -1.0, 2.0])
    f = lambda x, a: harp.stack([x[0] * x[1], a * x[2] ** 2])
    np.testing.assert_allclose(np.asarray(harp.jacobian(f)(x, 3.0)), [[-1.0, 0.5, 0.0], [0.0, 0.0, 12.0]])
    g = lambda x: (x**3).sum() + x[0] * x[2]
    expected = np.diag(6 * x) + np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    np.testing.assert_allclose(np.asarray(harp.hessian(g)(x)), expected)
    np.testing.assert_allclose(np.asarray(harp.jit(harp.hessian(g))(x)), expected)
    np.testing.assert_allclose(np.asarray(harp.jacobian(lambda y, x: x * y, argnums=1)(2.0, x)), 2 * np.eye(3))
    with pytest.raises(ValueError, match="argnums=2"):
        harp.jacobian(f, 2)(x, 3.0)


def test_hints_for_names_that_harp_lacks():
    with pytest.raises(AttributeError, match="harp.vmap"):
        harp.vectorize  # noqa: B018
    with pytest.raises(AttributeError, match=r"harp.random.uniform\(key"):
        harp.random.rand  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        harp.nonsense  # noqa: B018
    assert not hasattr(harp, "nonsense") and not hasattr(harp.random, "nonsense")


def test_every_function_has_a_text():
    from harp import _numpy_api

    for name in _numpy_api.__all__:
        thing = getattr(harp, name)
        assert not inspect.isfunction(thing) or thing.__doc__, name


def test_universal_functions_of_numpy():
    a = DATA["a"]
    x = harp.asarray(a)
    for made, expected in [
        (np.exp(x), np.exp(a)), (np.arctan2(x, a), np.arctan2(a, a)), (a + x, a + a), (np.float64(2) * x, 2 * a), (a @ x.T, a @ a.T), (a < x, a < a),
        (np.add.reduce(x), np.add.reduce(a)), (np.maximum.reduce(x, axis=1, keepdims=True), a.max(axis=1, keepdims=True)),
        (np.add.accumulate(x, axis=1), a.cumsum(axis=1)), (np.minimum.accumulate(x), np.minimum.accumulate(a)),
        (np.multiply.outer(x[0], a), np.multiply.outer(a[0], a)), (np.divmod(x, 2)[1], a % 2), (a // (x + 9), a // (a + 9)),
    ]:  # fmt: skip
        assert isinstance(made, harp.Tensor)
        np.testing.assert_allclose(np.asarray(made), expected, rtol=1e-12)
    b = a.copy()
    b += x
    np.add.at(b, np.array([0, 0]), harp.ones(5))
    expected = a + a
    expected[0] += 2
    np.testing.assert_allclose(b, expected)
    np.testing.assert_allclose(np.asarray(harp.grad(lambda x: np.sin(x).sum())(a)), np.cos(a))
    assert harp.jit(lambda x: np.sum(np.sqrt(x)))(np.array([1.0, 4.0])).item() == 3
    for mistake, error, text in [(lambda: np.spacing(x), TypeError, "counterpart of np.spacing;"),
                                 (lambda: np.add(x, 1, where=a > 0), TypeError, "where="), (lambda: np.add(a, 1, out=x), TypeError, "writes to none"),
                                 (lambda: harp.grad(lambda x: np.add(x, 1, out=a + 0).sum())(a), harp.GradientError, "written to")]:  # fmt: skip
        with pytest.raises(error, match=text):
            mistake()
