"""Tests indexing, compared with NumPy: a list of cases, and random ones."""
import random

import numpy as np
import pytest

import harp

A = np.arange(60.0).reshape(3, 4, 5)


@pytest.mark.parametrize("key", [
    [], ([], 0), (slice(None), []), (1, 2), ((1, 2),), ([0, 2], [1, 3]), (slice(None), (0, 1), slice(None, None, 2)), np.array([], dtype=np.int64),
    slice(-10, None, -1), slice(9, 0, -2), slice(None, -9, -1), slice(2, 1), (..., slice(-1, -9, -3)), np.array(1), (np.array(1), 0, np.array(2)),
    (0, slice(None), [1, 2]), ([0, 1], slice(None), 2), (slice(None), [1], [2]), (None, [1], ..., None), True, np.array([True, False, True]),
    (slice(None), np.array([True, False, True, True])), A > 7, (False, ...), np.uint8(2), (np.int64(-1), ...),
], ids=str)  # fmt: skip
def test_cases(key):
    expected = A[key]
    made = harp.asarray(A)[key]
    assert tuple(made.shape) == expected.shape
    np.testing.assert_array_equal(np.asarray(made), expected)


def some_index(rng, size):
    kind = rng.randrange(5)
    if kind == 0:
        return rng.randrange(-size, size)
    if kind == 1:
        return np.array([rng.randrange(-size, size) for _ in range(rng.randrange(4))], dtype=np.int64)
    if kind == 2:
        return np.array([[rng.randrange(-size, size)] for _ in range(2)])
    bounds = [rng.choice([None, *range(-2 * size, 2 * size)]) for _ in range(2)]
    return slice(*bounds, rng.choice([None, 1, 2, -1, -2]))


def test_random_keys():
    rng = random.Random(7)
    seen = 0
    for _ in range(400):
        key = [some_index(rng, size) for size in A.shape[: rng.randrange(1, 4)]]
        if rng.randrange(3) == 0:
            key.insert(rng.randrange(len(key) + 1), None)
        try:
            expected = A[tuple(key)]
        except IndexError:  # NumPy rejects the key, because its index arrays do not broadcast with each other
            continue
        np.testing.assert_array_equal(np.asarray(harp.asarray(A)[tuple(key)]), expected, err_msg=str(key))
        changed = harp.asarray(A)
        other = A.copy()
        flat = [int(i) for i in np.arange(A.size).reshape(A.shape)[tuple(key)].ravel()]
        if len(set(flat)) == len(flat):  # if an element is assigned twice, the order of the two assignments is not defined
            values = -1 - np.arange(len(flat)).reshape(expected.shape)
            if rng.randrange(3) == 0 and values.ndim:
                values = values[..., :1]  # is broadcast
            other[tuple(key)] = values
            changed[tuple(key)] = values
            np.testing.assert_array_equal(np.asarray(changed), other, err_msg=str(key))
        seen += 1
    assert seen > 200


def test_symbolic_sizes():
    @harp.jit(dynamic={"x": [0]})
    def ends(x):
        n = x.shape[0]
        return x[0], x[-1], x[n - 2], x[1:], x[::-1], x[n - 2 :]

    for size in (2, 5):
        a = np.arange(3.0 * size).reshape(size, 3)
        for made, expected in zip(ends(a), (a[0], a[-1], a[-2], a[1:], a[::-1], a[-2:])):
            np.testing.assert_array_equal(np.asarray(made), expected)


def test_index_arrays_of_symbolic_size():
    @harp.jit(dynamic={"x": [0, 1]})
    def chosen(x):
        rows, columns = harp.argsort(x[:, 0]), harp.argsort(x[0])
        return x[rows, 0], x[1, columns], x[rows[:, None], columns], x[rows, rows * 0 + 1]

    for size in ((2, 2), (5, 3)):
        a = np.random.default_rng(0).random(size)
        rows, columns = np.argsort(a[:, 0]), np.argsort(a[0])
        for made, expected in zip(chosen(a), (a[rows, 0], a[1, columns], a[rows[:, None], columns], a[rows, rows * 0 + 1])):
            np.testing.assert_array_equal(np.asarray(made), expected)


def test_assignment_of_blocks():
    """The assignment of a block is fused into the loop that computes the values. It needs no scatter, which would store one element at a
    time."""
    @harp.jit(numpy=True)
    def step(x):
        x[1:-1, 1:-1] = 0.25 * (x[1:-1, :-2] + x[1:-1, 2:] + x[:-2, 1:-1] + x[2:, 1:-1])
        x[::-1, 0] = x[:, 1]
        return x

    a = np.random.default_rng(0).random((20, 30))
    expected = a.copy()
    expected[1:-1, 1:-1] = 0.25 * (a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1])
    expected[::-1, 0] = expected[:, 1]
    np.testing.assert_array_equal(step(a), expected)
    assert "scatter" not in step.source()


def test_assignment_of_blocks_of_symbolic_size():
    def change(x):
        x = x + 0
        x[1:-1] = x[1:-1] * 10
        x[2:] = 3
        return x

    # If x has one element, x[1:-1] is empty and the parts around it overlap, so "n", whose lower bound is 0, needs a scatter.
    for bounds in ("n", harp.dim("n", 2)):
        f = harp.jit(dynamic={"x": {0: bounds}}, numpy=True)(change)
        for size in (0, 1, 2, 3, 7) if bounds == "n" else (2, 3, 7):
            a = np.arange(1.0, size + 1)
            np.testing.assert_array_equal(f(a), change(a))
        assert ("scatter" in f.source()) == (bounds == "n")


def test_assignment_along_several_symbolic_axes():
    # The parts around the block may overlap along the last axis, which only the size of a run tells.
    def change(x):
        x = x + 0
        x[x.shape[0] // 2 :, x.shape[1] // 2 :] = 5
        x[:1, 1:-1] += 1
        x[1:, -3:1] = 7
        return x

    f = harp.jit(dynamic={"x": [0, 1]}, numpy=True)(change)
    for size in ((1, 1), (2, 2), (3, 7), (0, 4)):
        a = np.arange(1.0, size[0] * size[1] + 1).reshape(size)
        np.testing.assert_array_equal(f(a), change(a))


def test_masks_in_gradients():
    """A mask can be used in a function whose gradient is computed, because the mask has values there. It cannot be used in a traced
    function."""
    f = lambda x: (x[x > 1] ** 2).sum()
    assert harp.grad(f)(np.array([1.0, 2.0, 3.0])).tolist() == [0, 4, 6]
    with pytest.raises(IndexError, match="traced"):
        harp.jit(f)(np.ones(3))


def test_what_is_no_index():
    x = harp.asarray(A)
    for key in (1.5, "a", [1.5], object()):
        with pytest.raises((IndexError, TypeError)):
            x[key]
    for key in (3, (0, 4), [3], (slice(None), [0, -5])):
        with pytest.raises(IndexError, match="out of bounds"):
            x[key]
    with pytest.raises(IndexError):
        x[0, 0, 0, 0]
