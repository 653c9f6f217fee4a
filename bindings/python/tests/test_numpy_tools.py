"""Gradients and errors of NumPy's functions, x.at, jacobians, trees, NumPy's universal functions, random choices."""
import inspect

import numpy as np
import pytest

import harp

DATA = {"a": np.random.default_rng(0).standard_normal((4, 5))}


def test_gradients():
    x = np.array([0.3, -1.2, 2.0, 0.7])
    for f in (lambda x: harp.median(x), lambda x: harp.percentile(x, 40), lambda x: harp.cov(x), lambda x: harp.trapezoid(x, dx=0.5),
              lambda x: harp.interp(0.4, np.arange(4.0), x), lambda x: (harp.convolve(x, x) ** 2).sum(), lambda x: harp.gradient(x * x).sum(),
              lambda x: harp.nanmean(x * x), lambda x: harp.polyval(x, 0.5), lambda x: (x.at[np.array([0, 0, 2])].add(x[1:]) ** 3).sum(),
              lambda x: harp.nanvar(x)):  # fmt: skip
        value = lambda x, f=f: float(f(harp.asarray(x)))
        expected = [(value(x + step) - value(x - step)) / 2e-6 for step in np.eye(len(x)) * 1e-6]
        np.testing.assert_allclose(np.asarray(harp.grad(f)(x)), expected, rtol=1e-4, atol=1e-5)


def test_quantiles_of_no_elements_are_nan():
    # A size that is a number is an error, see test_messages(). A symbolic size may turn out to be 0, and there is no element to take.
    for f in (lambda x: harp.median(x, axis=0), lambda x: harp.nanmedian(x, axis=0), lambda x: harp.quantile(x, [0.1, 0.9], axis=0)):
        traced = harp.jit(f, dynamic={"x": [0]}, numpy=True)
        assert np.isnan(traced(np.zeros((0, 3), np.float16))).all()
        np.testing.assert_array_equal(traced(np.full((2, 3), 5.0)), np.asarray(f(np.full((2, 3), 5.0))))


def test_frequencies_of_symbolic_lengths():
    f = harp.jit(lambda x: (harp.fft.fftfreq(x.shape[0], 0.5), harp.fft.rfftfreq(x.shape[0])), dynamic={"x": [0]}, numpy=True)
    for n in (1, 2, 7, 8):
        for made, expected in zip(f(np.zeros(n)), (np.fft.fftfreq(n, 0.5), np.fft.rfftfreq(n))):
            np.testing.assert_array_equal(made, expected.astype(made.dtype))


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
        (lambda: harp.jit(lambda k: harp.argwhere(k))(np.arange(3)), harp.InvalidArgumentError, "argwhere: the size of the result depends on values"),
        (lambda: harp.jit(lambda k: harp.repeat(k, k))(np.arange(3)), harp.InvalidArgumentError, "repeat: the size"),
        (lambda: harp.jit(lambda k: harp.where(k > 1))(np.arange(3)), harp.InvalidArgumentError, "nonzero: the size"),
        (lambda: harp.histogram(x, 0), harp.InvalidArgumentError, "at least one bin, got 0"),
        (lambda: harp.histogram(x, "auto"), TypeError, "not 'auto'"),
        (lambda: harp.interp(0, [1.0, 2.0], [1.0]), harp.ShapeError, r"\(2,\) and \(1,\)"),
        (lambda: harp.convolve(x, x), harp.ShapeError, "arrays of one axis"),
        (lambda: harp.convolve(x[0], x[1], "half"), harp.InvalidArgumentError, "'valid', got 'half'"),
        (lambda: harp.average(x, weights=x[0]), harp.ShapeError, r"shape \(5,\)"),
        (lambda: x.sum(out=np.zeros(())), TypeError, "out= has to be None"),
        (lambda: harp.select([x > 0], []), harp.InvalidArgumentError, "got 0 and 1"),
        (lambda: harp.cumsum(x, 0, np.float32), TypeError, "given as dtype="),
        (lambda: harp.take(x, [9], axis=0), IndexError, "index 9 is out of bounds for axis 0 with size 4"),
        (lambda: harp.take(x, [20]), IndexError, "index 20 is out of bounds"),
        (lambda: harp.take_along_axis(x, np.full((4, 1), 5), axis=1), IndexError, "index 5 is out of bounds for axis 1 with size 5"),
        (lambda: harp.take_along_axis(x, np.array([0]), axis=0), harp.ShapeError, r"\(1,\) and \(4, 5\), axis 0"),
        (lambda: harp.concat(x, x), TypeError, r"one list, concat\(\[a, b\], axis=0\)"),
        (lambda: harp.where(x > 0, x), TypeError, "a condition alone, or with two arrays"),
        (lambda: harp.asarray(None), harp.DTypeError, "nested lists of numbers, got None"),
        (lambda: harp.median(x, axis="a"), TypeError, "an axis is an int, or several are a tuple of ints, not 'a'"),
        (lambda: harp.tensordot(x, x, axes=3), harp.ShapeError, "cannot sum over 3 axes of arrays of 2 and 2 axes"),
        (lambda: harp.fft.fft(x, 0), harp.InvalidArgumentError, "at least 1, not 0"),
        (lambda: harp.random.normal((2,)), TypeError, r"a key, such as harp.random.key\(0\), not \(2,\)"),
        (lambda: harp.random.key("a"), TypeError, "expected an int, got 'a'"),
        (lambda: harp.jit(3), TypeError, "expected a function, got 3"),
        (lambda: harp.grad(3), TypeError, "of a function, got 3"),
        (lambda: harp.vmap(3), TypeError, "expected a function, got 3"),
        (lambda: harp.linalg.inv(np.zeros((2, 2))).eval(), harp.NativeError, "LinAlgError: Singular matrix"),
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


def test_random_choices():
    key = harp.random.key(3)
    assert sorted(np.asarray(harp.random.permutation(key, 10))) == list(range(10))
    rows = np.asarray(harp.random.permutation(key, np.arange(12).reshape(4, 3)))
    assert sorted(rows[:, 0]) == [0, 3, 6, 9] and (rows[:, 1] == rows[:, 0] + 1).all()
    assert len(set(harp.random.choice(key, 10, 5, replace=False).tolist())) == 5
    p = np.array([0.1, 0.6, 0.3])
    for drawn in (harp.random.choice(key, 3, 4000, p=p), harp.random.categorical(key, np.broadcast_to(np.log(p), (4000, 3)))):
        np.testing.assert_allclose(np.bincount(np.asarray(drawn), minlength=3) / 4000, p, atol=0.03)
    assert set(harp.random.choice(key, 5, 3, replace=False, p=np.array([0, 0.5, 0, 0.3, 0.2])).tolist()) == {1, 3, 4}
    assert harp.random.choice(key, np.array([2.0, 4.0]), (3, 2)).shape == (3, 2)
    assert abs(harp.random.exponential(key, 4000).mean().item() - 1) < 0.06
    assert abs(harp.random.bernoulli(key, 0.2, 4000).mean().item() - 0.2) < 0.03
    for mistake, text in [(lambda: harp.random.choice(key, 3, 4, replace=False), "cannot draw 4 of 3 elements without replacement"),
                          (lambda: harp.random.choice(key, 3, 1, p=p[:2]), r"each of the 3 elements, got shape \(2,\)")]:  # fmt: skip
        with pytest.raises(ValueError, match=text):
            mistake()


def test_numbers_keep_their_precision():
    x = harp.asarray(np.zeros(3))
    x[0] = 0.1
    x[x == 0] = 0.3
    assert x.tolist() == [0.1, 0.3, 0.3] and x.at[1].set(0.7).at[2].add(0.1).tolist() == [0.1, 0.7, 0.4]
    assert harp.full(2, 0.1, "float64").tolist() == [0.1, 0.1] and harp.full((), 1e300, "float64").item() == 1e300
    assert harp.full(2, 7).dtype is harp.int64 and harp.full(2, True).dtype is harp.bool and harp.full(1, 2.0, dtype="bfloat16").item() == 2.0
    y = harp.asarray([1, 2, 3])
    y[y > 1] = 2.9
    y[0] = 16777217.0
    assert y.tolist() == [16777217, 2, 2] and harp.full(1, 16777217.0, "int64").item() == 16777217 and harp.full(1, 0.5, "bool").item() is True
    with pytest.raises(harp.RangeError, match="300 does not fit"):
        harp.full(2, 300, dtype="uint8")
