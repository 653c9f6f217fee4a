"""Compares the results of random operations on random arrays with those of NumPy."""
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import harp

SETTINGS = settings(max_examples=60, deadline=None)
FLOATS = {"elements": st.floats(-4, 4, width=32)}
UNARY = {
    "exp": np.exp, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "sqrt": lambda a: np.sqrt(np.abs(a)), "negative": np.negative, "abs": np.abs,
    "floor": np.floor, "square": np.square, "sign": np.sign, "isnan": np.isnan, "log1p": lambda a: np.log1p(np.abs(a)),
}  # fmt: skip
BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum, "hypot": np.hypot,
    "less": np.less, "equal": np.equal, "arctan2": np.arctan2,
}  # fmt: skip
shapes = hnp.array_shapes(min_dims=0, max_dims=4, max_side=5, min_side=0)


@SETTINGS
@given(st.sampled_from(sorted(UNARY)), st.sampled_from([np.float32, np.float64]), shapes, st.data())
def test_unary(name, dtype, shape, data):
    a = data.draw(hnp.arrays(dtype, shape, **FLOATS))
    x = harp.asarray(a)
    made = getattr(harp, name)(harp.abs(x) if name in ("sqrt", "log1p") else x)
    np.testing.assert_allclose(np.asarray(made), UNARY[name](a), rtol=1e-5, atol=1e-6)


@SETTINGS
@given(st.sampled_from(sorted(BINARY)), hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=4), st.data())
def test_binary(name, found, data):
    a, b = (data.draw(hnp.arrays(np.float32, shape, **FLOATS)) for shape in found.input_shapes)
    made = getattr(harp, {"arctan2": "atan2"}.get(name, name))(a, b)
    np.testing.assert_allclose(np.asarray(made), BINARY[name](a, b), rtol=1e-5, atol=1e-6)


@SETTINGS
@given(st.sampled_from(["sum", "prod", "max", "min", "mean"]), hnp.array_shapes(min_dims=1, max_dims=4, max_side=4), st.booleans(), st.data())
def test_reductions(name, shape, keepdims, data):
    a = data.draw(hnp.arrays(np.float64, shape, **FLOATS))
    axis = data.draw(st.one_of(st.none(), st.integers(-len(shape), len(shape) - 1)))
    made = getattr(harp, name)(harp.asarray(a), axis=axis, keepdims=keepdims)
    np.testing.assert_allclose(np.asarray(made), getattr(np, name)(a, axis=axis, keepdims=keepdims), rtol=1e-9, atol=1e-9)


@SETTINGS
@given(hnp.array_shapes(min_dims=1, max_dims=4, max_side=5, min_side=0), st.data())
def test_basic_indices(shape, data):
    a = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
    index = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
    np.testing.assert_array_equal(np.asarray(harp.asarray(a)[index]), a[index])


@SETTINGS
@given(hnp.array_shapes(min_dims=1, max_dims=4, max_side=5, min_side=0), st.booleans(), st.data())
def test_basic_assignments(shape, scalar, data):
    a = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
    index = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
    values = np.int32(-7) if scalar else -1 - np.arange(np.asarray(a[index]).size, dtype=np.int32).reshape(np.shape(a[index]))
    x = harp.asarray(a.copy())
    x[index] = int(values) if scalar else values
    a[index] = values
    np.testing.assert_array_equal(np.asarray(x), a)


@SETTINGS
@given(hnp.array_shapes(min_dims=1, max_dims=3, max_side=5), st.data())
def test_integer_indices(shape, data):
    a = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
    index = data.draw(hnp.integer_array_indices(shape))
    np.testing.assert_array_equal(np.asarray(harp.asarray(a)[index]), a[index])


@SETTINGS
@given(hnp.array_shapes(min_dims=1, max_dims=3, max_side=5), st.sampled_from(["linear", "lower", "higher", "midpoint", "nearest"]), st.data())
def test_quantiles(shape, method, data):
    a = data.draw(hnp.arrays(np.float64, shape, elements=st.one_of(st.floats(-4, 4, width=32), st.just(np.nan))))
    q = data.draw(st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.lists(st.floats(0, 1, width=16), min_size=1, max_size=3)))
    axis = data.draw(st.one_of(st.none(), st.integers(-len(shape), len(shape) - 1)))
    keepdims = data.draw(st.booleans())
    for name in ("quantile", "nanquantile"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = getattr(np, name)(a, q, axis=axis, method=method, keepdims=keepdims)
        made = getattr(harp, name)(a, q, axis=axis, method=method, keepdims=keepdims)
        np.testing.assert_allclose(np.asarray(made), expected, rtol=1e-12, atol=1e-12)


@SETTINGS
@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from(["full", "same", "valid"]))
def test_convolutions(m, n, mode):
    a, b = np.arange(m) ** 2 - 3.0, 1.5 - np.arange(n)
    np.testing.assert_allclose(np.asarray(harp.convolve(a, b, mode)), np.convolve(a, b, mode), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.asarray(harp.correlate(a, b, mode)), np.correlate(a, b, mode), rtol=1e-12, atol=1e-12)


@SETTINGS
@given(hnp.arrays(np.float64, st.integers(1, 12), elements=st.integers(-4, 4).map(float)), st.integers(1, 6), st.booleans())
def test_histograms(a, bins, known):
    ends = (-3.0, 3.0) if known else None
    for made, expected in zip(harp.histogram(a, bins, ends), np.histogram(a, bins, ends)):
        np.testing.assert_allclose(np.asarray(made), expected, rtol=1e-12, atol=1e-12)


@SETTINGS
@given(st.lists(st.sampled_from(["sin", "neg", "sum", "T", "add", "slice", "reshape", "eval", "numpy"]), max_size=12))
def test_chains(steps):
    """Any sequence of operations, with evaluations in between, gives the same results as in NumPy."""
    a = np.arange(12.0).reshape(3, 4)
    x = harp.asarray(a)
    for step in steps:
        if step == "sin":
            a, x = np.sin(a), harp.sin(x)
        elif step == "neg":
            a, x = -a, -x
        elif step == "sum":
            a, x = a - a.sum(0, keepdims=True), x - x.sum(0, keepdims=True)
        elif step == "T":
            a, x = a.T, x.T
        elif step == "add":
            a, x = a + a[:1], x + x[:1]
        elif step == "slice":
            a, x = a[::-1], x[::-1]
        elif step == "reshape":
            a, x = a.reshape(a.shape[::-1]), x.reshape(x.shape[::-1])
        elif step == "eval":
            harp.eval(x)
        else:
            x = harp.asarray(np.asarray(x))
    np.testing.assert_allclose(np.asarray(x), a, rtol=1e-9, atol=1e-9)


def test_every_operation_has_a_function():
    from harp import _core

    for name in _core.operation_names():
        assert getattr(harp, name).__doc__, name


@pytest.mark.parametrize("name", ["conv2d", "max_pool", "layer_norm", "cross_entropy", "scaled_dot_product_attention"])
def test_networks_have_the_right_shapes(name):
    x = harp.asarray(np.random.default_rng(0).standard_normal((2, 3, 8, 8)).astype(np.float32))
    made = {
        "conv2d": lambda: harp.conv2d(x, np.ones((4, 3, 3, 3), np.float32), padding=[1, 1], stride=2),
        "max_pool": lambda: harp.max_pool(x, [2, 2]),
        "layer_norm": lambda: harp.layer_norm(x, [-1]),
        "cross_entropy": lambda: harp.cross_entropy(x[:, :, 0, 0], np.array([0, 2])),
        "scaled_dot_product_attention": lambda: harp.scaled_dot_product_attention(x, x, x, is_causal=True),
    }[name]()
    shapes = {"conv2d": (2, 4, 4, 4), "max_pool": (2, 3, 4, 4), "layer_norm": (2, 3, 8, 8),
              "cross_entropy": (), "scaled_dot_product_attention": (2, 3, 8, 8)}
    assert made.shape == shapes[name] and np.isfinite(np.asarray(made)).all()
