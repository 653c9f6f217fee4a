"""Tests user-defined operations: harp.custom_function and harp.native."""
import ctypes
import gc
import shutil
import subprocess

import numpy as np
import pytest

import harp

A = np.arange(6.0).reshape(2, 3)


def test_custom_function():
    body = """
        let best = f64(-inf)
        for i in 0 .. size(input0, 1) { let v = input0[ridx0, i]
          if v > best { best = v }
        }
        output = best
    """
    best = lambda x: harp.custom_function([x], body, harp.float64, x.shape[:1])
    assert best(harp.asarray(A)).tolist() == [2, 5]
    assert harp.jit(lambda x: best(x * -1), dynamic={"x": [0]})(A).tolist() == [0, -3]
    assert harp.custom_function([], "output = ridx0 * shape0", "int64", 3).tolist() == [0, 3, 6]
    assert harp.vmap(lambda x: harp.custom_function([x], "output = input0[0] + 1", "float64", ()))(A).tolist() == [1, 4]
    graph = harp.Graph()
    graph.output("y", best(graph.input("x", "f64", (2, 3))))
    assert graph.compile(backend="interp")(A).tolist() == [2, 5]


def test_custom_function_mistakes():
    for body, error in (("output = ", harp.ParseError), ("output = input1[0]", harp.ParseError), ("output = input0[0, 0] + i32(1)", harp.DTypeError),
                        ("output = input0[0]", harp.ShapeError)):  # fmt: skip
        with pytest.raises(error, match="line 1"):
            harp.custom_function([A], body, "float64", 2)
    with pytest.raises(harp.RangeError, match="input 0"):
        harp.custom_function([A], "output = input0[ridx0 + 1, 0]", "float64", 2).eval()
    with pytest.raises(harp.GradientError):
        harp.grad(lambda x: harp.custom_function([x], "output = input0[0, 0]", "float64", ()))(A)


def test_custom_function_of_several_results():
    body = """
        output1 = -1
        for i in 0 .. size(input0, 1) {
          if (output1 < 0) | (input0[ridx0, i] > output0) {
            output0 = input0[ridx0, i]
            output1 = i
          }
        }
    """
    greatest = lambda x: harp.custom_function_results([x], body, [harp.float64, "int64"], x.shape[:1])
    best, place = greatest(harp.asarray(A))
    assert (best * 2).tolist() == [4, 10] and place.dtype == harp.int64 and place.tolist() == [2, 2]
    best, place = harp.jit(lambda x: greatest(x * -1), dynamic={"x": [0]})(A)
    assert best.tolist() == [0, -3] and place.tolist() == [0, 0]
    assert harp.jit(lambda x: greatest(x)[1])(A).tolist() == [2, 2]
    rows, sums = harp.custom_function_results([], "output0 = ridx0\noutput1 = f32(ridx0 + shape0)", ["int64", "float32"], 2)
    assert rows.tolist() == [0, 1] and sums.tolist() == [2, 3]
    (only,) = harp.custom_function_results([A], "output = input0[ridx0, 1]", ["float64"], 2)
    assert only.tolist() == [1, 4]
    first, second = harp.vmap(lambda x: harp.custom_function_results([x], "output0 = input0[0]\noutput1 = input0[2]", ["float64"] * 2, ()))(A)
    assert first.tolist() == [0, 3] and second.tolist() == [2, 5]
    for dtypes, error in ((["float64"], harp.ParseError), ([], harp.InvalidArgumentError), (["float64", "nothing"], harp.DTypeError),
                          (["float64", "int64", "int64"], harp.InvalidArgumentError)):  # fmt: skip
        with pytest.raises(error):
            harp.custom_function_results([A], body, dtypes, 2)


def test_custom_expressions():
    x, y = harp.asarray(A), harp.asarray(A[0])
    assert harp.custom_elementwise([x, y], "where(x0 > 2, x0 * x1, -x1)").tolist() == [[0, -1, -2], [0, 4, 10]]
    assert harp.custom_reduce([x], "x0 * x0", "sum", axes=1).tolist() == [5, 50]
    assert harp.custom_cumulative([x], "x0 + 1", "max", axis=0).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert harp.grad(lambda z: harp.custom_elementwise([z], "x0 * x0").sum())(A[0]).tolist() == [0, 2, 4]
    each = harp.vmap(lambda a, b: harp.custom_elementwise([a, b], "x0 - x1"), in_axes=(0, None))(A, np.float64(1))
    assert each.tolist() == (A - 1).tolist()


def cumulative_median(x, out):
    for i in range(len(x)):
        out[i] = np.median(x[: i + 1], axis=0)


@pytest.mark.parametrize("backend", ["interp", "c"])
def test_python_functions(backend):
    harp.set_backend(backend)
    try:
        expected = np.stack([np.median(A[: i + 1] * 2, axis=0) for i in range(2)]) + 1
        y = harp.native([harp.asarray(A) * 2], cumulative_median, "float64", (2, 3)) + 1
        np.testing.assert_array_equal(np.asarray(y), expected)
        f = harp.jit(lambda x: harp.native([x * 2], cumulative_median, "float64", x.shape) + 1, dynamic={"x": [0]})
        np.testing.assert_array_equal(np.asarray(f(A)), expected)
        assert f(np.ones((5, 3))).shape == (5, 3) and f.program_count == 1
    finally:
        harp.set_backend("auto")
    # a ufunc also accepts the output array as its last positional argument
    assert harp.native([A, A], np.add, "float64", A.shape).tolist() == (2 * A).tolist()
    assert harp.native([np.zeros((0, 3))], lambda x, out: out.fill(len(x)), "float64", 1).tolist() == [0]
    assert harp.vmap(lambda x: harp.native([x], np.square, "float64", 3))(A).tolist() == (A * A).tolist()


@pytest.mark.parametrize("name", ["bool", "int8", "uint64", "float16", "bfloat16", "complex64"])
def test_dtypes(name):
    seen = []

    def copy(x, out):
        seen.append((x.dtype.name, x.flags.writeable))
        out[...] = x

    x = harp.astype(harp.asarray([0, 1, 5]), name)
    assert harp.native([x], copy, name, 3).tolist() == x.tolist()
    assert seen == [("uint16" if name == "bfloat16" else name, False)]


def test_a_python_function_that_fails():
    def fails(x, out):
        raise KeyError("no such thing")

    with pytest.raises(harp.NativeError, match="fails") as caught:
        harp.native([A], fails, "float64", ()).eval()
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(harp.NativeError) as caught:
        harp.native([A], lambda x, out: x + 1, "float64", A.shape).eval()
    assert "does not return it" in str(caught.value.__cause__)
    with pytest.raises(harp.NativeError) as caught:
        harp.native([A], lambda x, out: x.fill(1), "float64", A.shape).eval()
    assert "read-only" in str(caught.value.__cause__)
    kept = []
    with pytest.raises(harp.NativeError) as caught:
        harp.native([A], lambda x, out: kept.append(x[0]), "float64", ()).eval()
    assert "kept a reference to one of its arrays" in str(caught.value.__cause__)
    kept.clear()
    with pytest.raises(harp.NativeError) as caught:
        harp.native([A], lambda x, out: float(harp.asarray(x.copy()).sum() * 7), "float64", ()).eval()
    assert "must not call harp" in str(caught.value.__cause__)
    with pytest.raises(harp.GradientError):
        harp.grad(lambda x: harp.native([x], np.square, "float64", 3).sum())(np.ones(3))
    with pytest.raises(TypeError):
        harp.native([A], "nothing", "float64", ())
    with pytest.raises(ValueError, match="at least one"):
        harp.native([], lambda out: out.fill(3), "int32", ())
    with pytest.raises(ValueError, match="signature"):
        harp.native([A], np.square, "float64", A.shape, user=1)


def test_how_long_functions_live():
    class Table:
        def look_up(self, x, out):
            out[...] = x * 2

    def made():
        method = Table().look_up
        y = harp.native([A], method, "float64", A.shape)
        f = harp.jit(lambda x: harp.native([x], method, "float64", x.shape))
        f(A)
        return y, f

    y, f = made()
    gc.collect()
    assert y.tolist() == f(A).tolist() == (2 * A).tolist()
    programs = harp._core.program_count()
    double = lambda x, out: np.multiply(x, 2, out=out)
    for _ in range(3):  # the same function in an equal computation uses the same program
        harp.native([A], double, "float64", A.shape).eval()
    assert harp._core.program_count() == programs + 1


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("native")
    (folder / "scale.c").write_text("""
        #include <stdint.h>
        void scale(int64_t n, double k, const double* x, double* y) { for (int64_t i = 0; i < n; ++i) y[i] = k * x[i]; }
        int32_t add_user(const int32_t* user, int64_t n, const double* x, double* y) {
          for (int64_t i = 0; i < n; ++i) y[i] = x[i] + *user;
          return *user < 0 ? 7 : 0;
        }
    """)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", folder / "scale.so", folder / "scale.c"], check=True)
    return ctypes.CDLL(str(folder / "scale.so"))


def test_c_functions(library):
    x = harp.asarray(A[0])
    signature = "void(i64 input0[0], f64 2.5, f64* input0, f64* output)"
    assert harp.native([x], library.scale, "float64", x.shape, signature=signature).tolist() == [0, 2.5, 5]
    address = ctypes.cast(library.scale, ctypes.c_void_p).value
    f = harp.jit(lambda x: harp.native([x], address, "float64", x.shape, signature=signature, name="scale"), dynamic={"x": [0]})
    assert f(np.ones(4)).tolist() == [2.5] * 4 and f(np.ones(2)).tolist() == [2.5] * 2 and f.program_count == 1
    add = lambda x, user: harp.native([x], library.add_user, "float64", x.shape, user=user,
                                      signature="i32(void* user, i64 input0[0], f64* input0, f64* output)")  # fmt: skip
    assert add(x, ctypes.c_int32(3)).tolist() == [3, 4, 5]
    with pytest.raises(harp.NativeError, match="add_user.*7"):
        add(x, ctypes.c_int32(-1)).eval()


def test_c_functions_mistakes(library):
    with pytest.raises(harp.Error, match="output"):
        harp.native([A], library.scale, "float64", A.shape, signature="void(f64* input0)")
    with pytest.raises(harp.Error, match="f32"):
        harp.native([A], library.scale, "float64", A.shape, signature="void(f32* input0, f64* output)")
    for function in (None, 1.5, np.square):
        with pytest.raises(TypeError):
            harp.native([A], function, "float64", A.shape, signature="void(f64* input0, f64* output)")
    with pytest.raises(TypeError):
        harp.native([A], library.scale, "float64", A.shape, signature="void(f64* input0, f64* output)", user="a")
