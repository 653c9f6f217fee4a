"""Tests harp.jit: one program for each structure, symbolic sizes, trees of arguments, and what traced functions must not do."""
import gc
import weakref

import numpy as np
import pytest

import harp


def test_is_traced_once():
    calls = []

    @harp.jit
    def f(x, y):
        """Adds."""
        calls.append(1)
        return x * 2 + y

    a = np.arange(4.0)
    for _ in range(3):
        np.testing.assert_array_equal(np.asarray(f(a, harp.asarray(a))), a * 3)
    assert len(calls) == 1 and f.program_count == 1 and f.__name__ == "f" and f.__doc__ == "Adds."
    f(a.astype(np.float32), a)
    assert len(calls) == 2
    assert "f64[4]" in f.signature() or "f32[4]" in f.signature()
    assert "entry_point" in f.source()


def test_numbers_are_arguments():
    calls = []

    @harp.jit
    def f(x, lr, n):
        calls.append(1)
        return x * lr + n, lr * 2, n

    for i in range(4):
        made, twice, same = f(np.ones(3, np.float32), i * 0.1, i)
        np.testing.assert_allclose(np.asarray(made), np.float32(i * 0.1) + i, rtol=1e-6)
        assert made.dtype is harp.float32 and twice.dtype is harp.float32 and same.dtype is harp.int64
        assert abs(float(twice) - i * 0.2) < 1e-6 and int(same) == i
    assert len(calls) == 1
    assert f(np.ones(3), 0.1, 1)[0].dtype is harp.float64


def test_integers_that_the_other_operand_cannot_hold():
    bytes_ = np.array([250, 3], np.uint8)
    less = harp.jit(lambda x, k: x < k)
    assert less(bytes_, 4).tolist() == [False, True]
    for k in [300, -1]:
        with pytest.raises(harp.RangeError, match=f"{k} does not fit u8"):
            less(bytes_, k)
    assert less(bytes_, 255).tolist() == [True, True]
    assert less.program_count == 1
    assert less(bytes_, 300.0).tolist() == [True, True]
    with pytest.raises(harp.RangeError, match="does not fit i32"):
        less(np.ones(2, np.int32), 2**40)

    def assign(x, k):
        x[0] = k
        return x

    for store in [assign, lambda x, k: x.at[0].set(k), lambda x, k: harp.full_like(x, k), lambda x, k: harp.where(x > 3, x, k)]:
        f = harp.jit(store)
        assert f(bytes_, 7).dtype is harp.uint8
        with pytest.raises(harp.RangeError, match="300 does not fit u8"):
            f(bytes_, 300)
    assert harp.jit(lambda x, k: x + k.astype(harp.uint8))(bytes_, 300).tolist() == [38, 47]  # an explicit cast wraps


def test_numpy_out():
    f = harp.jit(lambda x: x + 1, numpy=True)
    made = f(np.ones(3))
    assert type(made) is np.ndarray and made.flags.writeable and made.tolist() == [2, 2, 2]
    pair = harp.jit(lambda x: (x, x * 2), numpy=True)(np.ones(3))
    assert isinstance(pair, tuple) and type(pair[1]) is np.ndarray


def test_trees():
    @harp.jit
    def f(parameters, batch, *, scale=None):
        w, b = parameters["w"], parameters["b"]
        out = batch[0] @ w + b
        return {"out": out if scale is None else out * scale, "both": [out, (w, None)]}

    parameters = {"w": np.ones((3, 2)), "b": np.zeros(2)}
    made = f(parameters, (np.ones((4, 3)), np.zeros(4)))
    assert made["out"].shape == (4, 2) and made["both"][1][1] is None
    assert float(f(parameters, (np.ones((4, 3)), np.zeros(4)), scale=2.0)["out"][0, 0]) == 6.0
    assert len(f.tables) == 2


def test_static():
    @harp.jit(static=["n", "mode"])
    def f(x, n, mode="a"):
        for _ in range(n):
            x = x + 1
        return x if mode == "a" else -x

    assert f(np.zeros(2), 3).tolist() == [3, 3]
    assert f(np.zeros(2), n=4, mode="b").tolist() == [-4, -4]
    with pytest.raises(ValueError, match="no parameter 'k'"):
        harp.jit(lambda x: x, static=["k"])


def test_one_program_for_all_sizes():
    calls = []

    @harp.jit(dynamic={"x": [0]})
    def f(x):
        calls.append(x.shape)
        return harp.softmax(x, axis=-1), x.sum(axis=0) / x.shape[0], harp.reshape(x, [x.shape[0] * 4])

    for n in (1, 2, 7, 100):
        a = np.random.default_rng(n).standard_normal((n, 4)).astype(np.float32)
        soft, mean, flat = f(a)
        e = np.exp(a - a.max(-1, keepdims=True))
        np.testing.assert_allclose(np.asarray(soft), e / e.sum(-1, keepdims=True), rtol=1e-5)
        np.testing.assert_allclose(np.asarray(mean), a.mean(0), rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(np.asarray(flat), a.reshape(-1))
    assert len(calls) == 1 and f.program_count == 1 and not isinstance(calls[0][0], int)


def test_sizes_with_names():
    @harp.jit(dynamic={"x": {0: "rows"}, "y": {0: "rows", 1: harp.dim("columns", 1, 64)}})
    def f(x, y):
        return harp.concat([x, y], axis=1)

    for n, m in ((2, 3), (5, 1)):
        assert f(np.ones((n, 2)), np.zeros((n, m))).shape == (n, m + 2)
    with pytest.raises(harp.ShapeError):
        f(np.ones((2, 2)), np.zeros((3, 2)))
    with pytest.raises(harp.RangeError):
        f(np.ones((2, 2)), np.zeros((2, 65)))


def test_arithmetic_of_sizes():
    n, m = harp.dim("n"), harp.dim("m", 1, 8)
    assert n + n == 2 * n and n + 1 != n and hash(n + 1) == hash(1 + n)
    assert repr(2 * n + 1) in ("2*n + 1", "n*2 + 1") and n - n == 0 and isinstance(n - n, int)
    assert repr(n // 2) and repr(n % 3) and repr(-n) and repr(n - m)
    with pytest.raises(TypeError, match="order"):
        assert n < 3
    with pytest.raises(TypeError):
        n + "a"
    with pytest.raises(harp.RangeError):
        harp.dim("q", 3, 1)


def test_values_are_not_known_inside():
    for function in (lambda x: x if x.sum() > 0 else -x, lambda x: harp.asarray(np.asarray(x)), lambda x: x * float(x[0])):
        with pytest.raises(harp.InvalidArgumentError, match="traced"):
            harp.jit(function)(np.ones(3))
    with pytest.raises(IndexError, match="traced"):
        harp.jit(lambda x: x[x > 0])(np.ones(3))
    seen = []
    harp.jit(lambda x: (seen.append(repr(x)), x)[1])(np.ones(3))
    assert seen == ["Tensor(shape=(3,), dtype=float64, traced)"]


def test_arrays_from_outside_are_computed_once():
    w = harp.exp(harp.asarray(np.ones(3)))
    f = harp.jit(lambda x: x * w)
    f(np.ones(3))
    assert w.is_realised
    np.testing.assert_allclose(np.asarray(f(np.full(3, 2.0))), 2 * np.exp(1), rtol=1e-12)


def test_functions_inside_functions():
    inner = harp.jit(lambda x: x + 1)
    outer = harp.jit(lambda x: inner(x) * 2)
    assert outer(np.ones(2)).tolist() == [4, 4]
    assert inner.program_count == 0


def test_checked_indices():
    f = harp.jit(lambda x, i: harp.take(x, i, axis=0), check_indices=True)
    assert f(np.arange(3.0), np.array([2, 0])).tolist() == [2, 0]
    with pytest.raises(harp.RangeError, match="3"):
        f(np.arange(3.0), np.array([5]))


def test_wrong_results_and_arguments():
    with pytest.raises(TypeError, match="returns tensors"):
        harp.jit(lambda x: "a")(np.ones(2))
    with pytest.raises(TypeError, match="static"):
        harp.jit(lambda x: x)("a")
    assert harp.jit(lambda x: 3)(np.ones(2)).item() == 3
    assert harp.jit(lambda x: x)(np.ones(2)).tolist() == [1, 1]


def test_layouts_and_read_only_arguments():
    f = harp.jit(lambda x: x * 2)
    a = np.arange(12.0).reshape(3, 4)
    for view in (a, a[:, ::-1], np.asfortranarray(a), a.astype(">f8"), np.broadcast_to(a[0], (3, 4))):
        np.testing.assert_array_equal(np.asarray(f(view)), np.asarray(view) * 2)
    assert f.program_count == 1
    assert f(np.float64(3)).item() == 6.0


def test_dynamic_axes_belong_to_parameters():
    f = harp.jit(lambda x, y: x.sum() + y.sum(), dynamic={"x": [0]})
    a = np.ones(4)
    # Only x has a symbolic axis. Passing the same array as x and y must not make the axis of y symbolic.
    assert float(f(a, a)) == 8
    assert float(f(np.ones(3), a)) == 7 and f.program_count == 1
    assert float(f(a, np.ones(3))) == 7 and f.program_count == 2


def test_dynamic_axes_of_trees():
    f = harp.jit(lambda p: p["w"].sum() + p["v"].sum(), dynamic={"p": [0]})
    for n in (2, 3):
        assert float(f({"w": np.ones(n), "v": np.ones(n + 1)})) == 2 * n + 1
    assert [table.program_count for table in f.tables.values()] == [1]
    g = harp.jit(lambda *xs, scale: sum(x.sum() for x in xs) * scale, dynamic={"xs": {0: "n"}}, static=["scale"])
    assert [float(g(np.ones(n), np.ones(n), scale=2)) for n in (2, 3)] == [8, 12]
    assert [table.program_count for table in g.tables.values()] == [1]


def test_static_values_are_told_apart_by_type():
    f = harp.jit(lambda x, k: x + k, static=["k"])
    a = np.ones(2, np.int32)
    assert f(a, 1).dtype == harp.int32 and f(a, 1.0).dtype == harp.float32
    with pytest.raises(TypeError, match="hashable"):
        f(a, [1])


def test_methods():
    class Scaled:
        factor = 3.0

        @harp.jit(static=["self"])
        def times(self, x):
            return x * self.factor

    scaled = Scaled()
    assert scaled.times(np.ones(2)).tolist() == [3, 3]
    assert Scaled.times(scaled, np.ones(2)).tolist() == [3, 3]


def test_no_results():
    f = harp.jit(lambda x: (None, {}))
    assert f(np.ones(2)) == (None, {}) and f(np.ones(2)) == (None, {}) and f.program_count == 1
    with pytest.raises(harp.InvalidArgumentError, match="no tensors"):
        f.source()


def test_functions_are_collected():
    def used(captured):
        f = harp.jit(lambda x: x * captured)
        assert f(captured).tolist() == captured.tolist() and f.__name__ == "<lambda>" and f.__wrapped__ is not None
        return weakref.ref(f), weakref.ref(captured)

    references = used(np.ones(1000))
    gc.collect()
    assert [reference() for reference in references] == [None, None]


def test_results_of_sizes_alone():
    """The program uses a size that none of its inputs has, but one of the function's arguments does."""

    @harp.jit(dynamic={"x": {0: "rows"}})
    def f(x):
        n = x.shape[0]
        numbers = harp.random.uniform(harp.random.key(1), (n,))
        return harp.zeros_like(x), harp.eye(n), harp.asarray(n) * 2, harp.linspace(0, 1, n), numbers, x.size / harp.asarray(2.0)

    for rows in (2, 5):
        zeros, eye, twice, line, numbers, half = f(np.ones((rows, 3)))
        assert zeros.shape == (rows, 3) and eye.tolist() == np.eye(rows).tolist() and int(twice) == 2 * rows and float(half) == 1.5 * rows
        np.testing.assert_allclose(line, np.linspace(0, 1, rows), rtol=1e-6)
        assert numbers.shape == (rows,)
    assert f.program_count == 1
    n = harp.dim("unknown_size")
    with pytest.raises(harp.InvalidArgumentError, match="no argument determines the size unknown_size"):
        harp.jit(lambda x: harp.arange(n))(np.ones(2))


def test_numbers_that_look_like_sizes():
    """The bits of the double -1.0, read as an integer, are in the range of the handles of symbolic sizes."""
    x = harp.linspace(0.0, -1.0, 3)
    assert x.tolist() == [0, -0.5, -1] and harp.elu(x, -2.0).shape == (3,)
    assert harp.hardtanh(x, -1.0, 0.0).tolist() == [0, -0.5, -1] and not harp._core.is_traced(x)


def test_assignment_to_an_argument():
    """A traced function may assign to elements of its arguments. The caller's arrays do not change."""
    @harp.jit
    def f(x, pair):
        x[0] = 7
        pair[1][:] = x
        return x + pair[1]

    a, b = np.arange(3.0), np.zeros(3)
    for _ in range(2):
        assert f(a, [b, b]).tolist() == [14, 2, 4]
    x = harp.asarray(a)
    assert f(x, [x, x]).tolist() == [14, 2, 4]
    assert x.tolist() == a.tolist() == [0, 1, 2] and not b.any()
