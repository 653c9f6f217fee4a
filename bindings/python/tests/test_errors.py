"""Errors are raised at the operation that causes them, with harp's message, and everything remains usable afterwards."""
import subprocess
import sys

import numpy as np
import pytest

import harp


def test_shapes():
    x = harp.ones((3, 4))
    with pytest.raises(harp.ShapeError, match=r"\[3, 4\].*\[5\]") as caught:
        x + harp.ones(5)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, harp.Error)
    with pytest.raises(harp.ShapeError):
        x @ x
    with pytest.raises(harp.ShapeError):
        harp.reshape(x, (5, -1))
    with pytest.raises(harp.ShapeError):
        harp.sum(x, axis=2)
    assert float((x + 1).sum()) == 24


def test_dtypes():
    with pytest.raises(harp.DTypeError) as caught:
        harp.bitwise_and(harp.ones(3), harp.ones(3))
    assert isinstance(caught.value, TypeError)
    with pytest.raises(harp.DTypeError):
        harp.zeros(2, dtype="S3")
    with pytest.raises(harp.DTypeError):
        harp.zeros(2, dtype="no such")


def test_numbers_that_do_not_fit():
    with pytest.raises(harp.RangeError, match="300 does not fit"):
        harp.ones(2, dtype="int8") + 300
    with pytest.raises(harp.RangeError):
        harp.ones(2, dtype="uint8") + -1
    with pytest.raises(harp.RangeError):
        harp.ones(2) + 2**70


def test_things_that_are_no_operands():
    x = harp.ones(2)
    for thing in ("a", None, [1, 2], object()):
        with pytest.raises(TypeError):
            x + thing
        with pytest.raises(TypeError):
            harp.add(x, thing)
        with pytest.raises(TypeError):
            harp.sin(thing)
    assert (x == "a") is False and (x != None) is True  # noqa: E711


def test_arguments():
    x = harp.ones((2, 3))
    with pytest.raises(TypeError):
        harp.softmax(x, axis="a")
    with pytest.raises(TypeError):
        harp.einsum(3, [x])
    with pytest.raises(harp.InvalidArgumentError):
        harp.einsum("i-j", [x])
    with pytest.raises(harp.InvalidArgumentError):
        harp.gelu(x, approximate="nonsense")
    with pytest.raises(ValueError):
        harp.set_backend("cuda")
    with pytest.raises(ValueError):
        harp.zeros(2, device="cuda")


def test_error_classes_are_the_builtin_ones_too():
    for error, builtin in [(harp.ShapeError, ValueError), (harp.DTypeError, TypeError), (harp.RangeError, ValueError),
                           (harp.SizeOverflowError, OverflowError), (harp.UnsupportedError, NotImplementedError),
                           (harp.CompilerError, RuntimeError), (harp.OutOfMemoryError, MemoryError), (harp.GradientError, ValueError)]:  # fmt: skip
        assert issubclass(error, builtin) and issubclass(error, harp.Error)


def test_a_compiler_that_fails():
    with pytest.raises(harp.CompilerError) as caught:
        harp.jit(lambda x: x + 1, flags=["-no-such-flag"])(np.ones(3))
    assert "no-such-flag" in caught.value.compiler_output


def test_integers_of_numpy_and_too_large_ones():
    x = harp.ones((2, 3))
    one = np.int64(1)
    assert harp.sum(x, axis=one).shape == (2,) and x.reshape(np.int64(6)).shape == (6,) and harp.zeros(one).shape == (1,)
    assert harp.expand_dims(x, axis=one).shape == (2, 1, 3) and harp.roll(x, one, axis=(0, one)).shape == (2, 3)
    assert harp.tensordot(x, harp.ones((3, 2)), axes=one).shape == (2, 2) and harp.fft.fftshift(x, axes=one).shape == (2, 3)
    for mistake in (lambda: harp.sum(x, axis=2**32), lambda: harp.softmax(x, axis=2**32), lambda: harp.flip(x, axis=[2**32, 0])):
        with pytest.raises(harp.RangeError, match="4294967296 does not fit 32 bits"):
            mistake()
    with pytest.raises(TypeError, match="sum: axis: expected a number or a sequence of numbers, got <class 'float'>"):
        harp.sum(x, axis=1.0)


def test_the_operation_and_its_parameter_are_named():
    x, image = harp.ones((2, 3)), harp.ones((1, 1, 4, 4))
    for mistake, text in [
        (lambda: harp.max_pool(image, 2.5), "max_pool: size: expected a number or a sequence of numbers, got <class 'float'>"),
        (lambda: harp.max_pool(image, "a"), "max_pool: size: expected an integer, got <class 'str'>"),
        (lambda: harp.max_pool(image, [2, 2], padding=[0, 1.5]), "max_pool: padding: expected an integer, got <class 'float'>"),
        (lambda: harp.cross_entropy(x, np.array([1, 2]), ignore_index=2.5), "cross_entropy: ignore_index: expected an integer, got <class 'float'>"),
        (lambda: harp.softmax(x, axis="a"), "softmax: axis: expected an integer, got <class 'str'>"),
        (lambda: harp.elu(x, "a"), "elu: alpha: expected a real number, got <class 'str'>"),
        (lambda: harp.mse_loss(x, x, 3), "mse_loss: reduction: expected a string, got <class 'int'>"),
        (lambda: harp.maximum(x, "a"), "maximum: b: expected a harp.Tensor, a NumPy array or a number, got <class 'str'>"),
        (lambda: harp.isin(x, "a"), "isin: expected a harp.Tensor, a NumPy array or a number, got <class 'str'>"),
        (lambda: harp.fmin(x, None), "fmin: expected a harp.Tensor, a NumPy array or a number, got <class 'NoneType'>"),
        (lambda: harp.random.uniform(harp.random.key(0), (2,), -1, 1), "uniform: -1 is not a dtype.*; the arguments after the shape are dtype, low"),
        (lambda: harp.random.exponential(harp.random.key(0), (2,), 2.5), "2.5 is not a dtype$"),
        (lambda: harp.random.uniform(harp.random.key(0), (2,), np.float32(-1), 1), "a number of NumPy is not a dtype"),
        (lambda: harp.zeros(2.5), "expected a size or a sequence of sizes, got <class 'float'>"),
    ]:  # fmt: skip
        with pytest.raises(TypeError, match=text):
            mistake()


def test_masks_of_attention_are_bools_or_floats():
    x = harp.ones((2, 4))
    with pytest.raises(harp.DTypeError, match="mask must be bool or a float dtype, got i64"):
        harp.scaled_dot_product_attention(x, x, x, np.ones((2, 2), np.int64))


def test_an_error_in_the_users_code_is_the_cause():
    class Index:
        def __index__(self):
            raise TypeError("no index today")

    with pytest.raises(TypeError, match="softmax: axis: no index today") as caught:
        harp.softmax(harp.ones(3), axis=Index())
    assert str(caught.value.__cause__) == "no index today"
    assert caught.value.__cause__.__traceback__.tb_frame.f_code.co_name == "__index__"
    with pytest.raises(TypeError, match="sum: axis: expected") as caught:
        harp.sum(harp.ones(3), axis=1.0)
    assert caught.value.__cause__ is None
    with pytest.raises(ValueError, match="truth value"):
        harp.max_pool(harp.ones((1, 1, 4, 4)), 2, ceil_mode=np.ones(2))


def test_native_errors_are_ordinary_classes():
    class Mine(harp.NativeError):
        def __init__(self, message, *, code):
            super().__init__(message)
            self.code = code

    assert Mine("m", code=3).code == 3 and str(harp.NativeError(message="x")) == "x" and type(harp.NativeError("x")) is harp.NativeError


def test_names_of_sizes_stay_apart():
    """The second size of a name has a name of its own in graphs, which a user may also give."""
    for most in (4, 5):
        harp.dim("many", 1, most)
    mine = harp.dim("many__2", 1, 6)
    f = harp.jit(lambda x: x * 2, dynamic={"x": {0: mine}})
    assert f(np.ones(6)).shape == (6,)
    with pytest.raises(harp.RangeError, match=r"is 7 .*outside 1\.\.6"):
        f(np.ones(7))


def test_no_arrays_and_no_memory():
    with pytest.raises(harp.InvalidArgumentError, match="concat: expected at least one array, got an empty list"):
        harp.concat([])
    with pytest.raises(harp.OutOfMemoryError, match="no memory for an array of") as caught:
        harp.zeros(2**45).eval()
    assert isinstance(caught.value, MemoryError)
    for threads in (-1, 4096):
        with pytest.raises(ValueError, match="threads"):
            harp.configure(threads=threads)


def test_shifts():
    x = harp.asarray([1, -5], dtype="int32")
    for shift in (lambda: x << -1, lambda: x >> -1):
        with pytest.raises(ValueError, match="negative shift"):
            shift()
    by = np.array([-1, 40], np.int32)
    assert (x << by).tolist() == [0, 0] and (x >> by).tolist() == [0, -1]


def test_settings_come_before_symbolic_sizes():
    code = """
import harp
harp.configure(threads=1, compiler="no-such-compiler")
print((harp.ones(3) + 1).tolist())
n = harp.dim("n")
try:
    harp.configure(threads=2)
except harp.InvalidArgumentError as error:
    print("before the first symbolic size" in str(error))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split("\n") == ["[2.0, 2.0, 2.0]", "True", ""]
