"""Conversion of arrays with all of NumPy's layouts, without copies where none is necessary."""
import array
import ctypes
import subprocess
import sys

import numpy as np
import pytest

import harp

SHARES = np.shares_memory


def test_no_copy_in_and_out():
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    x = harp.asarray(a)
    out = np.asarray(x)
    assert SHARES(a, out) and not out.flags.writeable
    assert SHARES(a, x.numpy()) and x.numpy(copy=True).flags.writeable and not SHARES(a, x.numpy(copy=True))
    y = x + 1
    assert SHARES(np.asarray(y), np.asarray(y))
    assert not SHARES(a, np.array(x))


def test_copy_is_honoured():
    a = np.ones(3, np.float32)
    assert not SHARES(a, np.asarray(harp.asarray(a, copy=True)))
    assert SHARES(a, np.asarray(harp.asarray(a, copy=False)))
    with pytest.raises(ValueError, match="copy=False"):
        harp.asarray(np.ones((3, 3))[::2, ::2], copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        harp.asarray([1, 2], copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        harp.asarray(a, dtype="float64", copy=False)


LAYOUTS = {
    "rows": lambda a: a, "fortran": np.asfortranarray, "transposed": lambda a: a.T, "reversed": lambda a: a[::-1], "strided": lambda a: a[::2, 1::2],
    "broadcast": lambda a: np.broadcast_to(a[0], a.shape), "swapped": lambda a: a.astype(a.dtype.newbyteorder()),
    "axes": lambda a: np.moveaxis(a[..., None], 2, 0),
    "empty": lambda a: a[:0], "scalar": lambda a: a[0, 0], "rank 0": lambda a: np.array(a[0, 0]),
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_layouts(layout, dtype):
    a = LAYOUTS[layout](np.arange(48).reshape(6, 8).astype(dtype))
    a.setflags(write=False) if isinstance(a, np.ndarray) else None
    x = harp.asarray(a)
    assert x.shape == a.shape
    np.testing.assert_array_equal(np.asarray(x), a)
    if dtype not in "?":
        np.testing.assert_array_equal(np.asarray(x + x), a + a)


def test_fortran_order_is_a_view():
    a = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4))
    x = harp.asarray(a, copy=False)
    np.testing.assert_array_equal(np.asarray(x.mT), a.T)


def test_unaligned():
    raw = np.zeros(33, np.uint8)
    a = raw[1:].view(np.float32)
    a[:] = np.arange(8)
    assert not a.flags.aligned
    np.testing.assert_array_equal(np.asarray(harp.asarray(a) * 2), a * 2)


def test_what_numpy_has_and_harp_has_not():
    for values in (np.array(["a"]), np.array([object()]), np.array([1], "m8[s]"), np.zeros(2, np.longdouble)):
        with pytest.raises(harp.DTypeError, match="no dtype for NumPy's"):
            harp.asarray(values)
    with pytest.raises(harp.ShapeError, match="16"):
        harp.asarray(np.zeros([1] * 17))
    with pytest.raises(harp.DTypeError, match="bf16"):
        np.asarray(harp.ones(2, dtype="bfloat16"))


def test_buffer_protocol():
    x = harp.asarray(array.array("d", [1.0, 2.0]))
    assert x.dtype is harp.float64 and x.tolist() == [1.0, 2.0]
    view = memoryview(harp.asarray([[1, 2], [3, 4]]) * 2)
    assert view.readonly and view.shape == (2, 2) and view.strides == (16, 8) and view.tolist() == [[2, 4], [6, 8]]
    with pytest.raises(BufferError):
        memoryview(harp.ones(2, dtype="bfloat16"))
    assert bytes(harp.asarray(np.array([1, 2], np.uint8))) == b"\x01\x02"


class OnlyDLPack:
    """An array whose only interface is DLPack."""

    def __init__(self, a, old=False):
        self.a, self.old = a, old

    def __dlpack__(self, **keywords):
        if self.old and keywords:
            raise TypeError("no keywords")
        return self.a.__dlpack__()

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()


@pytest.mark.parametrize("old", [False, True])
def test_dlpack_in(old):
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    x = harp.from_dlpack(OnlyDLPack(a, old))
    assert SHARES(a, np.asarray(x))
    for odd in (a[::2], a.T, a[:, ::-1], a[:0], np.array(3.0)):
        np.testing.assert_array_equal(np.asarray(harp.from_dlpack(OnlyDLPack(odd, old))), odd)
    with pytest.raises(ValueError, match="copy=False"):
        harp.from_dlpack(OnlyDLPack(a[::2, ::2], old), copy=False)
    assert not SHARES(a, np.asarray(harp.from_dlpack(OnlyDLPack(a, old), copy=True)))


def test_dlpack_out():
    x = harp.asarray(np.arange(6.0).reshape(2, 3)) * 2
    np.testing.assert_array_equal(np.from_dlpack(x), np.asarray(x))
    assert x.__dlpack_device__() == (1, 0)
    for keywords in ({}, {"max_version": (1, 1)}, {"max_version": (1, 0), "copy": True}):
        np.testing.assert_array_equal(np.asarray(harp.from_dlpack(Capsule(x.__dlpack__(**keywords)))), np.asarray(x))
    assert SHARES(np.asarray(harp.from_dlpack(Capsule(x.__dlpack__(copy=False)))), np.asarray(x))
    assert not SHARES(np.asarray(harp.from_dlpack(Capsule(x.__dlpack__()))), np.asarray(x))
    with pytest.raises(ValueError):
        x.__dlpack__(stream=1)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    y = harp.ones(3, dtype="bfloat16")
    assert harp.from_dlpack(Capsule(y.__dlpack__())).dtype is harp.bfloat16


class Capsule:
    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **keywords):
        return self.capsule


def test_memory_lives_as_long_as_it_is_used():
    out = np.asarray(harp.asarray(np.full(1000, 3.0)) + 1)
    assert (out == 4).all()
    view = memoryview(harp.asarray(np.full(1000, 3.0)) + 1)
    assert view[999] == 4.0
    capsule = (harp.ones(1000) + 1).__dlpack__()
    del capsule  # no consumer has taken the array over, so the capsule's destructor must free it


def test_lists():
    assert harp.asarray([1, 2]).dtype is harp.int64
    assert harp.asarray([1.0, 2]).dtype is harp.float32
    assert harp.asarray([True]).dtype is harp.bool
    assert harp.asarray([1j]).dtype is harp.complex64
    assert harp.asarray([np.float64(1)]).dtype is harp.float64
    assert harp.asarray([[1, 2], [3, 4]], dtype="float64").tolist() == [[1.0, 2.0], [3.0, 4.0]]
    x = harp.asarray([1.0, 2.0])
    assert harp.asarray([x, x * 2]).tolist() == [[1.0, 2.0], [2.0, 4.0]]
    assert harp.asarray(2**63, dtype="uint64").item() == 2**63


def test_integers_that_do_not_fit():
    for value, name in ((300, "uint8"), (-1, "uint64"), ([1, 2**31], "int32"), (2**70, "int64"), ([1, 2**70], "uint64")):
        with pytest.raises(harp.RangeError, match="does not fit"):
            harp.asarray(value, dtype=name)
    assert harp.asarray([0, 255], dtype="uint8").tolist() == [0, 255] and harp.asarray(2**64 - 1, dtype="uint64").item() == 2**64 - 1
    assert harp.asarray([], dtype="uint8").shape == (0,)


def test_a_buffer_in_fortran_order():
    with pytest.raises(BufferError, match="Fortran"):
        get_buffer(harp.ones((2, 3)), 0x40 | 0x10 | 0x08)  # PyBUF_F_CONTIGUOUS
    get_buffer(harp.ones((1, 3)), 0x40 | 0x10 | 0x08)
    get_buffer(harp.ones((2, 3)), 0x20 | 0x10 | 0x08)


def get_buffer(x, flags):
    view = ctypes.create_string_buffer(80)  # a Py_buffer
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(x), view, flags)
    ctypes.pythonapi.PyBuffer_Release(view)


def test_the_interpreter_ends_while_arrays_are_out():
    """A process can exit while there are still tensors, a jitted function with a captured array, and a DLPack capsule that is never
    freed."""
    code = """
import ctypes, threading, numpy as np, harp
a = np.ones(5)
x = harp.asarray(a) * 2
view, memory, capsule = np.asarray(x), memoryview(x), x.__dlpack__(max_version=(1, 0))
f = harp.jit(lambda y: y * a)
f(a)
native = harp.native([a], np.square, "float64", (5,)).eval()
managed = ctypes.pythonapi.PyCapsule_GetPointer
managed.restype, managed.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
managed(capsule, b"dltensor_versioned")
class Late:
    def __del__(self, x=x, f=f, a=a):
        print(x.sum().item(), f(a)[0].item())
harp.late = Late()
del a
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
