"""Mistakes are raised where the operation is written, with harp's text, and nothing is spoiled by them."""
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
