"""Operators, indices and assignments have NumPy's values, shapes and kinds of dtypes. `xp` is NumPy or harp, and the other names are arrays of
that library."""
import numpy as np
import pytest

import harp

rng = np.random.default_rng(1)
DATA = {
    "a": rng.standard_normal((4, 5)), "i": rng.integers(-20, 20, (4, 5)), "u": rng.integers(0, 255, (4, 5)).astype(np.uint8),
    "m": rng.random((4, 5)) < 0.5, "v": rng.standard_normal(6), "k": np.array([3, 0, -1, 2]), "j": np.array([1, 1, 0, 2]), "s": np.array(2.5),
    "z": rng.standard_normal(4) + 1j * rng.standard_normal(4), "f": rng.standard_normal((4, 5)).astype(np.float32), "e": np.zeros((0, 3)),
    "t": rng.standard_normal((2, 3, 4)), "b": np.array([True, False, True, True]),
}  # fmt: skip

EXPRESSIONS = """
i // 3
i % 3
i // -3
i % -3
a // 0.7
a % 0.7
-i % 7
u + u
u * u
u - u[0]
u << 1
u >> 2
~u
i ** 2
xp.abs(i) ** 3
i & 7
i ^ 5
(i > 0) & (a > 0)
(i > 0) | (a > 0)
(i > 0) ^ m
m.sum()
m.sum(axis=1)
m.mean()
u.sum()
u.sum().dtype
u.mean()
i.mean(axis=0)
f.sum()
f.mean().dtype
i.prod(axis=0)
m.any(axis=0)
m.all(axis=1)
a.max(axis=(0,1))
a.argmax(axis=1)
i.argmax()
i.argmin(axis=0)
(i*0).argmax(axis=1)
xp.sort(i, axis=0)
xp.argsort(i*0, axis=1)
xp.argsort(-a, axis=1)
a[::-1]
a[:, ::-2]
a[3:0:-1]
a[-1]
a[-3:-1, -2]
a[..., 0]
a[..., None].shape
a[None, :, 0]
a[[0, 2]]
a[[True, False, True, True]]
a[b]
a[b, 0]
a[:, [4, 0]]
a[k]
a[k, j]
a[k][:, j]
a[k, :2]
a[:, k]
t[:, [0, 2], 1:]
t[[0, 1], :, [0, 3]]
t[0, :, [0, 3]]
t[:, 0, [1, 2, 3]]
t[[[0],[1]], [0, 2]]
t[..., [1]]
a[m]
a[a > 0].sum()
a[xp.abs(a) > 100].sum()
a[i[0] % 4 - 1, xp.arange(5)]
a[1:1]
a[5:]
e.sum(axis=0)
e.sum()
e.shape
e @ xp.ones((3, 2), dtype=xp.float64)
s + 1
s[()]
s[None]
s.reshape(1, 1)
float(s) ** 2
z * z.conj()
abs(z)
xp.angle(z)
z.real ** 2
xp.exp(1j * v)
z == z
z.sum()
z.mean()
xp.prod(z)
xp.sqrt(z)
z ** 2
z / 2
xp.conj(z) @ z
i.astype(xp.float32) / 3
a.astype(int)
a.astype(bool)
m.astype(xp.float64)
i.astype(xp.uint8)
(a > 0) * 1.0
1 - m.astype(int)
xp.where(a > 0, a, 0).dtype
xp.where(m, i, 1.5)
xp.where(m, 1, 0)
xp.where(m, xp.nan, a)
xp.maximum(i, 0)
xp.minimum(a, i)
xp.clip(i, -3, 3)
xp.clip(a, -0.5, xp.asarray(0.5))
xp.clip(u, 10, 200)
xp.round(xp.asarray([0.5, 1.5, 2.5, -0.5]))
xp.trunc(a * 3)
xp.floor(i / 2)
xp.sign(i)
xp.sign(a)
xp.isnan(a / 0 * 0)
xp.isfinite(1 / (a * 0))
xp.cumsum(a, axis=-1)
xp.cumsum(i)
a.cumsum()
xp.diff(a, axis=0)
xp.diff(i)
xp.roll(a, -1, axis=1)
xp.roll(a, 3)
xp.trace(a)
xp.trace(a, 1)
xp.tensordot(a, a, axes=([0], [0]))
xp.tensordot(a, a.T, 1)
xp.einsum("ij->j", a)
xp.einsum("ij", a)
xp.einsum("ji", a)
xp.einsum("...j,j->...", t, t[0, 0])
xp.matmul(t, xp.swapaxes(t, 1, 2))
t @ t[0].T
v @ v
xp.dot(v, 2.0)
xp.dot(a, a[0])
xp.outer(i[0], a[0])
xp.linalg.norm(a, axis=1)
xp.take(a, k, axis=1)
xp.take_along_axis(a, xp.argsort(a, axis=1), axis=1)
xp.repeat(a, 3, axis=0).shape
xp.tile(i[0], (2, 3))
xp.expand_dims(a, 1).shape
xp.expand_dims(a, (0, 3)).shape
xp.moveaxis(t, 0, -1)
xp.transpose(t, (2, 0, 1))
t.transpose(1, 0, 2)
t.transpose()
xp.broadcast_to(v, (2, 6))
xp.concatenate([a, i], axis=1).dtype
xp.stack([i, m], axis=0).dtype
xp.arange(5)[::-1]
xp.arange(1, 2, 0.3)
xp.arange(5.0)
xp.linspace(0, 1, 4)[1:]
xp.full(3, 7)
xp.full((2, 2), 1.5)
xp.full(2, True)
xp.zeros(3).shape
xp.ones((2, 1)) * xp.ones(3)
xp.eye(3)[1]
xp.isin(i, [1, 2, 3])
xp.searchsorted(xp.sort(v), v)
xp.count_nonzero(i > 0)
xp.count_nonzero(m, axis=0)
xp.nonzero(i[0])[0]
xp.logical_not(m)
xp.logical_xor(m, a > 0)
xp.allclose(a, a)
(a == a).all()
a.min() < a.max()
len(a)
a.size, a.ndim, a.shape
xp.hypot(a, a)
xp.log1p(xp.abs(a))
xp.expm1(a)
xp.exp2(a)
xp.cbrt(a)
xp.copysign(a, i)
xp.floor_divide(a, 0.3)
xp.fmod(i, 3)
xp.remainder(a, -0.4)
xp.power(2, k + 1)
xp.power(xp.abs(a), a)
xp.square(i)
xp.reciprocal(a)
xp.var(a, axis=0)
xp.std(f)
xp.sum(a, axis=(0, 1))
xp.sum(a, axis=-1, keepdims=True)
xp.max(t, axis=(0, 2))
xp.prod(xp.asarray([1, 2, 3]))
xp.any(xp.asarray([0, 0, 3]))
xp.minimum(xp.nan, a)
xp.fft.ifft(xp.fft.fft(v)).real
xp.fft.rfft(v)
xp.fft.irfft(xp.fft.rfft(v), 6)
xp.fft.fftshift(xp.fft.fftfreq(6))
xp.meshgrid(xp.arange(3), xp.arange(2))[0]
xp.tril(xp.ones((3, 3)), -1)
xp.rot90(a)
xp.rot90(a, 2)
xp.flip(a)
xp.squeeze(a[:, :1], 1)
xp.cross(a[:, :3], a[:, 2:])
xp.mean(a > 0)
sum(a[0])
max(v)
sorted(v)[0]
[float(x) for x in v]
list(map(float, a[0]))
"""
# Statements, by the name of the array that they change.
STATEMENTS = {
    "a": """
a[1:-1, 1:-1] = 0
a[0] = a[1]
a[:, 0] = i[:, 0]
a[::2] = -1
a[::-1] = a + 1
a[:, ::-1] = i
a[-1] += 5
a[0, 0] -= 2
a[k] = 7
a[k, j] = v[:4]
a[j] += 1
a[:, [0, 2]] = i[:, [0, 2]]
a[m] = 0
a[m] = a[m] * 2
a[m] *= 2
a[a > 0] = xp.nan
a[b] = 3
a[b, 1] = 9
a[b] += xp.ones(5, dtype=xp.float64)
a[...] = 1
a[:] = i
a[1] = [1, 2, 3, 4, 5]
a[None, 0] = 4
a[1:3, [0, 1]] = [[1, 2], [3, 4]]
a[:, 1] = 2.5
a[2:2] = 5
a[1, 1:1] = 3
a[3:] = a[:1]
a *= 2
a -= a.mean(axis=0)
a /= a.sum()
a = a.T; a[0] = 1
a = a.reshape(5, 4); a[1] = 0
a = a[1:3]; a[0] = 0
a[[0, 1]] = a[[1, 0]]
a[0], a[1] = a[1].copy(), a[0].copy()
a[xp.ix_([0, 1], [2, 3])] = 8
a[xp.arange(4), k] = -1
a[xp.nonzero(m)] = 6
a[xp.where(a > 0)] = 6
a[0, m[0]] = 1
a[m[:, 0], 1:3] = 2
a[i % 2 == 0] += 1
a[int(k[0]), k[1]] = 5
a[k[0]:k[3]+2] = 5
""",
    "i": """
i[0] = 2
i[m] = 9
i[:, 0] = i[:, 1] * 2
i[1:3] //= 2
i[0, 0] = 3.7
i[m] = 2.9
i += 1
i[i < 0] = 0
i <<= 1
i[0] = a[0]
""",
    "u": """
u[0] = 7
u[m] = u[m] + 1
u += 1
u[u > 100] = 100
""",
    "m": """
m[0] = True
m[a > 0] = False
m &= a > 0
m |= a > 0
m[1:3, 2] = 1
""",
    "s": """
s[()] = 3
s[...] = 4
s += 1
""",
}


@pytest.fixture(scope="module", autouse=True)
def interpreted():
    harp.set_backend("interp")
    yield
    harp.set_backend("auto")


def run(text, name, xp):
    names = {key: value.copy() if xp is np else xp.asarray(value.copy()) for key, value in DATA.items()}
    names |= {"xp": xp, "np": np}
    if name is None:
        return eval(text, names)
    exec(text, names)
    return names[name]


CASES = [(line, None) for line in EXPRESSIONS.strip().split("\n")]
CASES += [(line, name) for name, lines in STATEMENTS.items() for line in lines.strip().split("\n")]


@pytest.mark.parametrize("text, name", CASES, ids=[text for text, _ in CASES])
@pytest.mark.filterwarnings("ignore")
def test_as_in_numpy(text, name):
    expected, made = run(text, name, np), run(text, name, harp)
    if isinstance(expected, np.dtype):
        assert np.dtype(made).kind == expected.kind
        return
    pairs = list(zip(made, expected)) if isinstance(expected, (list, tuple)) else [(made, expected)]
    for x, y in pairs:
        x, y = np.asarray(x), np.asarray(y)
        assert x.shape == y.shape and x.dtype.kind == y.dtype.kind and (x.dtype.itemsize == y.dtype.itemsize or x.dtype.kind in "fc")
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "log1p", "sqrt", "log"])
def test_the_sign_of_a_zero_selects_the_side_of_a_branch_cut(name):
    parts = [0.0, -0.0, 0.5, -0.5, 1.5, -2.0, 3.0]
    z = np.array([complex(re, im) for re in parts for im in parts if re or im])
    np.testing.assert_allclose(np.asarray(getattr(harp, name)(z)), getattr(np, name)(z), rtol=1e-12, atol=1e-12)
