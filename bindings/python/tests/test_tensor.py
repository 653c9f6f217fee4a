"""Tests tensors: operators and promotion, values, printing, copying, indices."""
import copy
import pickle

import numpy as np
import pytest

import harp


def rand(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def test_operators_with_numbers_on_both_sides():
    a = rand(3, 4)
    x = harp.asarray(a)
    for made, expected in [
        (x + 1, a + 1), (1 - x, 1 - a), (x * 2.5, a * np.float32(2.5)), (2 / x, 2 / a), (-x, -a), (abs(x), abs(a)), (x**2, a**2),
        (x // 0.5, a // np.float32(0.5)), (x % 0.5, a % np.float32(0.5)), (x < 0, a < 0), (0 <= x, a >= 0), (x == x, a == a), (x != 1, a != 1),
        (x @ x.T, a @ a.T), (+x, a),
    ]:  # fmt: skip
        np.testing.assert_allclose(np.asarray(made), expected, rtol=1e-6, atol=1e-6)
        assert np.asarray(made).dtype == expected.dtype


def test_operators_with_numpy_arrays():
    a, b = rand(3, 4), rand(4, seed=1)
    x = harp.asarray(a)
    for made, expected in [(x + b, a + b), (b + x, a + b), (b * x, a * b), (x > b, a > b), (x @ b, a @ b), (b @ x.T, b @ a.T)]:
        assert isinstance(made, harp.Tensor)
        np.testing.assert_allclose(np.asarray(made), expected, rtol=1e-5)


def test_integers_and_bits():
    a = np.array([1, -7, 12], np.int16)
    x = harp.asarray(a)
    for made, expected in [(x & 3, a & 3), (x | 8, a | 8), (x ^ 5, a ^ 5), (~x, ~a), (x << 2, a << 2), (x >> 1, a >> 1), (x // 2, a // 2),
                           (x % 5, a % 5), (x**3, a**3), (x * 2, a * 2)]:  # fmt: skip
        np.testing.assert_array_equal(np.asarray(made), expected)
        assert np.asarray(made).dtype == np.int16


def test_python_numbers_are_weak():
    assert (harp.asarray([1], dtype="int8") + 1).dtype is harp.int8
    assert (harp.asarray([1.0], dtype="float64") + 1).dtype is harp.float64
    assert (harp.asarray([1.0], dtype="float16") * 2.5).dtype is harp.float16
    assert (harp.asarray([1], dtype="int64") * 2.5).dtype is harp.float32
    assert (harp.asarray([1.0], dtype="float64") * 1j).dtype is harp.complex128
    assert (harp.asarray([True]) + 1).dtype is harp.int64
    assert (harp.asarray([1.0]) + np.float64(2)).dtype is harp.float64  # unlike Python's floats, NumPy's numbers have dtypes


@pytest.mark.parametrize("a, b, expected", [
    ("int8", "uint8", "int16"), ("int8", "uint32", "int64"), ("float32", "float64", "float64"), ("float16", "bfloat16", "float32"),
    ("bool", "int32", "int32"), ("int64", "float32", "float32"), ("uint64", "int8", "float32"), ("float64", "complex64", "complex128"),
])  # fmt: skip
def test_promotion(a, b, expected):
    x, y = harp.ones(2, dtype=a), harp.ones(2, dtype=b)
    assert (x + y).dtype is getattr(harp, expected)
    assert (y + x).dtype is getattr(harp, expected)
    assert harp.result_type(x, y) is getattr(harp, expected)


def test_values_are_computed_when_they_are_asked_for():
    x = harp.asarray([1.0, 2.0])
    y = x * 2
    assert not y.is_realised
    assert float(y.sum()) == 6.0
    assert int(harp.asarray(3)) == 3 and bool(harp.asarray(True)) and complex(harp.asarray(1j)) == 1j
    assert y[1].item() == 4.0
    assert [1, 2, 3][harp.asarray(1)] == 2
    assert y.tolist() == [2.0, 4.0]
    assert harp.asarray([1.5], dtype="float16").item() == 1.5 and harp.asarray([1.5], dtype="bfloat16").item() == 1.5
    with pytest.raises(TypeError, match="one element"):
        float(y)
    with pytest.raises(TypeError, match="integers"):
        [1, 2][harp.asarray(1.0)]


def test_printing():
    assert repr(harp.asarray([[1.0, 2.5], [3.0, -4.0]])) == "Tensor([[ 1. ,  2.5],\n        [ 3. , -4. ]], dtype=float32)"
    assert str(harp.asarray([1, 2])) == "[1 2]"
    assert repr(harp.asarray(3)) == "Tensor(3, dtype=int64)"
    assert repr(harp.zeros((0, 3))) == "Tensor([], shape=(0, 3), dtype=float32)"
    assert repr(harp.asarray([1.0], dtype="bfloat16")) == "Tensor([1.], dtype=bfloat16)"


def test_copying_and_pickling():
    x = harp.asarray(rand(3, 4))
    for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), pickle.loads(pickle.dumps(x * 1))):
        np.testing.assert_array_equal(np.asarray(x), np.asarray(y))
    z = harp.asarray([1.0, 2.0], dtype="bfloat16")
    y = pickle.loads(pickle.dumps(z))
    assert y.dtype is harp.bfloat16 and y.astype("float32").tolist() == [1.0, 2.0]
    assert pickle.loads(pickle.dumps(harp.float32)) is harp.float32 and pickle.loads(pickle.dumps(harp.bool)) is harp.bool


INDICES = [
    0, -1, slice(None), slice(1, None), slice(None, None, -1), slice(3, 0, -2), (1, 2), (slice(None), 1), (Ellipsis, 0), (0, Ellipsis),
    None, (None, 1), (slice(None), None, 2), (slice(1, 3), slice(None), -1), ([0, 2], slice(None), 1), [2, 0, 2], ([0, 1], [1, 2]),
    (slice(None), [0, 1], [1, 2]), ([0, 1], slice(None), [1, 2]), np.array([[0, 1], [2, 0]]), (Ellipsis, np.array([1, 0])),
    (1, Ellipsis, [0, 3]), slice(10, 20), slice(-100, 2), (0, 0, 0), np.array([True, False, True]),
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_indices(index):
    a = rand(3, 4, 5)
    np.testing.assert_array_equal(np.asarray(harp.asarray(a)[index]), a[index])


@pytest.mark.parametrize("index", [i for i in INDICES if i is not None], ids=repr)
def test_assignment(index):
    a = rand(3, 4, 5)
    x = harp.asarray(a.copy())
    before = x * 1
    x[index] = 7
    expected = a.copy()
    expected[index] = 7
    np.testing.assert_array_equal(np.asarray(x), expected)
    np.testing.assert_array_equal(np.asarray(before), a)


def test_assignment_of_arrays():
    a = np.zeros((3, 4), np.float32)
    x = harp.asarray(a)
    x[1] = harp.arange(4)
    x[:, 2] = np.array([7, 8, 9])
    a = np.zeros((3, 4), np.float32)
    a[1] = np.arange(4)
    a[:, 2] = [7, 8, 9]
    np.testing.assert_array_equal(np.asarray(x), a)
    with pytest.raises(harp.ShapeError, match=r"\(5,\) do not fit"):
        x[0] = np.zeros(5)


def test_masks():
    a = rand(3, 4)
    x = harp.asarray(a)
    np.testing.assert_array_equal(np.asarray(x[x > 0]), a[a > 0])
    x[x < 0] = 0
    np.testing.assert_array_equal(np.asarray(x), np.maximum(a, 0))


@pytest.mark.parametrize("index", [3, -4, (0, 4), [3], (slice(None), [4])], ids=repr)
def test_indices_out_of_bounds(index):
    with pytest.raises(IndexError):
        harp.asarray(rand(3, 4))[index]


def test_iterating():
    a = rand(3, 4)
    rows = list(harp.asarray(a))
    assert len(rows) == 3 == len(harp.asarray(a))
    np.testing.assert_array_equal(np.asarray(rows[1]), a[1])
    with pytest.raises(TypeError):
        iter(harp.asarray(1.0))


def test_array_api_attributes():
    x = harp.asarray(rand(2, 3, 4))
    assert (x.shape, x.ndim, x.size, x.device, x.nbytes) == ((2, 3, 4), 3, 24, "cpu", 96)
    assert x.mT.shape == (2, 4, 3) and x[0].T.shape == (4, 3)
    assert x.__array_namespace__() is harp and x.to_device("cpu") is x
    with pytest.raises(ValueError):
        assert x.T


def test_random_numbers():
    key = harp.random.key(42)
    a, b = np.asarray(harp.random.normal(key, (1000,))), np.asarray(harp.random.normal(key, (1000,)))
    np.testing.assert_array_equal(a, b)
    assert abs(a.mean()) < 0.2 and 0.8 < a.std() < 1.2
    first, second = harp.random.split(key)
    assert not np.array_equal(np.asarray(harp.random.uniform(first, (8,))), np.asarray(harp.random.uniform(second, (8,))))
    whole = np.asarray(harp.random.randint(key, (1000,), -3, 4))
    assert whole.min() == -3 and whole.max() == 3


def test_what_python_asks_of_numbers_and_sequences():
    x = harp.asarray(np.array([1.0, 2.0, 3.5]))
    assert 2 in x and 4.0 not in x
    assert [float(v) for v in reversed(x)] == [3.5, 2, 1]
    assert f"{x[0]:.2f} {x[1]}" == "1.00 2.0"
    assert [part.tolist() for part in divmod(x, 2)] == [[0, 1, 1], [1, 0, 1.5]]
    assert [part.tolist() for part in divmod(7, x)] == [[7, 3, 2], [0, 1, 0]]
    for several in (x, harp.zeros((0,))):
        with pytest.raises(ValueError, match="any"):
            bool(several)
    assert not harp.zeros((1, 1)) and harp.ones(())


def test_tensors_and_sizes_are_made_by_functions():
    for cls in (harp.Tensor, harp.Dim):
        with pytest.raises(TypeError, match="to make a"):
            cls()
        with pytest.raises(TypeError, match="to make a"):
            cls.__new__(cls)


def test_symbolic_sizes_are_not_known():
    n = harp.dim("n")
    with pytest.raises(TypeError):
        bool(n)
    with pytest.raises(TypeError):
        n < 3  # noqa: B015
    for operate in (lambda: n // 0, lambda: n % 0):
        with pytest.raises(ZeroDivisionError):
            operate()
