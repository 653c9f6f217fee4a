"""What users of NumPy, PyTorch and JAX expect of operands, dtypes, indices, and of the messages of errors."""
import subprocess
import sys

import numpy as np
import pytest

import harp


@pytest.fixture(scope="module", autouse=True)
def interpreted():
    harp.set_backend("interp")
    yield
    harp.set_backend("auto")


class Foreign:
    """An array of another library, which only has DLPack."""

    def __init__(self, values):
        self.values = harp.asarray(values)

    def __dlpack__(self, **keywords):
        return self.values.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def test_lists_are_no_operands():
    # if these operators did not raise an error, Python would repeat the list, or == would be False
    for function in (lambda x: x * [1, 2], lambda x: [1, 2] * x, lambda x: (1, 2) * x, lambda x: x == [1, 2], lambda x: [1, 2] != x):
        for x in (harp.asarray(2), harp.asarray([2, 3]), harp.ones(2)):
            with pytest.raises(TypeError, match=r"harp\.asarray makes a tensor of a list"):
                function(x)
    rows = [1]
    rows += harp.asarray([2, 3])
    assert [int(each) for each in rows] == [1, 2, 3]


def test_lists_among_arrays_take_their_dtype():
    x = np.array([0.5])
    assert harp.concat([x, [0.1, 2]]).tolist() == [0.5, 0.1, 2.0]
    assert harp.concat([harp.ones(1, dtype="int8"), [2]]).dtype == harp.int8
    assert harp.stack([harp.ones(2, dtype="float16"), [1, 2]]).dtype == harp.float16
    assert harp.concat([harp.ones(1, dtype="int8"), [0.5]]).dtype == harp.float32
    assert harp.concat([[0.5], [1.5]]).dtype == harp.float32
    assert harp.concat([harp.ones(1), [np.float64(0.5)]]).dtype == harp.float64


def test_arrays_of_other_libraries():
    x, f = harp.asarray(np.array([1.0, 2.0, 3.0])), Foreign(np.array([1.0, 2.0, 4.0]))
    assert (x + f).tolist() == [2, 4, 7] and (f - x).tolist() == [0, 0, 1] and (x == f).tolist() == [True, True, False]
    assert harp.sqrt(f).tolist() == [1, np.sqrt(2.0), 2] and harp.maximum(f, 2.0).tolist() == [2, 2, 4] and float(x @ f) == 17
    assert x[Foreign(np.array([2, 0]))].tolist() == [3, 1] and x[Foreign(np.array([True, False, True]))].tolist() == [1, 3]


def test_comparisons_with_numbers_that_do_not_fit():
    u = harp.asarray([0, 255], dtype="uint8")
    for x in (u, harp.asarray([2**64 - 1], dtype="uint64"), harp.asarray([-5], dtype="int64")):
        for above, below in ((2**64, -(2**63) - 1), (2**200, -(2**200))):
            assert harp.all(x < above) and harp.all(x <= above) and not harp.any(x > above) and not harp.any(x >= above)
            assert harp.all(x > below) and harp.all(below < x) and harp.all(x != above) and not harp.any(x == below)
    assert (300 > u).tolist() == [True, True] and (-1 >= u).tolist() == [False, False]
    assert harp.jit(lambda u: (u < 300, u == -1))(u)[0].tolist() == [True, True]
    assert np.less(u, 256).tolist() == [True, True] and harp.greater_equal(u, -1).tolist() == [True, True]
    assert (harp.asarray([2**63], dtype="uint64") < 2**63 + 1).tolist() == [True]


def test_running_sums_do_not_overflow():
    u = harp.asarray([200, 100], dtype="uint8")
    assert u.cumsum().tolist() == [200, 300] and harp.cumsum(u).dtype == harp.uint64
    assert harp.cumprod(harp.asarray([100, 100], dtype="int8"), reverse=True).tolist() == [10000, 100]
    assert np.cumsum(u).tolist() == [200, 300] and np.add.accumulate(u).tolist() == [200, 300]
    assert u.cumsum(dtype="uint8").tolist() == [200, 44]


def test_clip_promotes():
    x = harp.asarray([123456789, -7])
    assert harp.clip(x, 0, 10**9).tolist() == [123456789, 0] and harp.clip(x, 0, 10**9).dtype == harp.int64
    assert harp.clip(x, -2.5, 2.5).tolist() == [2.5, -2.5] and harp.clip(x, -2.5, None).dtype == harp.float32
    assert harp.clip(harp.ones(2), 0, 1).dtype == harp.float32
    assert harp.clip(harp.ones(2), np.zeros(2), None).dtype == harp.float32


def test_dtypes_as_in_numpy():
    assert harp.float32 == "float32" and harp.float32 == "f4" and harp.float64 != "float32" and harp.bfloat16 == "bfloat16"
    assert "int64" == harp.int64 and not harp.int64 == "no dtype" and harp.bool == "?"
    assert {np.dtype("float32"): 1}[harp.float32] == 1 and {harp.int8: 2}[np.dtype("int8")] == 2
    assert [d.kind for d in (harp.bool, harp.uint8, harp.int8, harp.bfloat16, harp.float16, harp.complex64)] == list("buiffc")
    assert harp.float32.type is np.float32
    x = harp.float64(0.1)
    assert x.dtype == harp.float64 and x.shape == () and float(x) == 0.1
    assert harp.int32([1.5, 2]).tolist() == [1, 2] and harp.bool(3).tolist() is True and float(harp.bfloat16(1.5)) == 1.5
    for name in ("i8", "u8"):
        with pytest.raises(harp.DTypeError, match="8 bytes in NumPy, but 8 bits"):
            harp.zeros(2, dtype=name)
    assert harp.zeros(2, dtype="<i8").dtype == harp.int64 and harp.zeros(2, dtype="i4").dtype == harp.int32
    with pytest.raises(harp.DTypeError, match=r"3 is not a dtype; a shape of several sizes is a tuple"):
        harp.zeros(2, 3)


def test_wrong_indices():
    x = harp.zeros((3, 3))
    for index in ([1.5], harp.ones(2), np.array([1j])):
        with pytest.raises(IndexError, match="integers or bools"):
            x[index]
    with pytest.raises(IndexError, match=r"shapes \(2,\), \(3,\) do not broadcast"):
        x[[0, 1], [0, 1, 2]]
    with pytest.raises(IndexError, match="float32"):
        harp.jit(lambda x, i: x[i])(x, harp.asarray(1.0))


def test_items():
    x = harp.asarray([[1, 2], [3, 4]])
    assert (x.item(3), x.item(0, 1), x.item((1, 0)), x.item(-1), x[:1, :1].item()) == (4, 2, 3, 4, 1)
    with pytest.raises(ValueError, match=r"item: expected a tensor of one element, got shape \(2, 2\)"):
        x.item()
    with pytest.raises(IndexError):
        x.item(4)


def test_rank_0_as_number():
    n = harp.asarray(2)
    assert harp.zeros(n).shape == (2,) and harp.reshape(harp.ones(4), np.array(-1)).shape == (4,)
    assert harp.ones((2, 3)).sum(axis=harp.asarray(1)).tolist() == [3, 3] and harp.ones((2, 3)).sum(axis=np.array(0)).tolist() == [2, 2, 2]


def test_arrays_as_fill_values():
    assert harp.full((2, 3), [1, 2, 3]).tolist() == [[1, 2, 3]] * 2
    assert harp.full_like(harp.ones(2, dtype="float64"), np.array([1, 2])).dtype == harp.float64
    with pytest.raises(harp.ShapeError):
        harp.full((2,), [1, 2, 3])


def test_constant_ratios_of_tensors():
    ends = np.array([1.0, -2.0]), np.array([8.0, -16.0])
    made = harp.geomspace(harp.asarray(ends[0]), ends[1], 4)
    assert made.dtype == harp.float64
    np.testing.assert_allclose(made, np.geomspace(*ends, 4), rtol=1e-14)
    np.testing.assert_allclose(harp.geomspace(np.float64(1), 16, 4, endpoint=False), np.geomspace(1, 16, 4, endpoint=False), rtol=1e-14)
    np.testing.assert_allclose(harp.logspace(ends[0], 3.0, 5, base=2.0), np.logspace(ends[0], 3.0, 5, base=2.0), rtol=1e-14)
    assert harp.jit(lambda a: harp.geomspace(a, 8 * a, 4))(2.0).tolist() == pytest.approx([2, 4, 8, 16])


def test_bfloat16_in_numpy():
    x = harp.asarray([1.5, 2], dtype="bfloat16")
    assert np.asarray(x, dtype=np.float64).tolist() == [1.5, 2] and np.array(x, dtype="f4").dtype == np.float32
    with pytest.raises(harp.DTypeError, match="NumPy has no dtype for bf16"):
        np.asarray(x)


def test_messages():
    with pytest.raises(harp.RangeError, match=f"{2**70} does not fit 64 bits"):
        harp.asarray([1, 2**70])
    with pytest.raises(TypeError, match=r"'\.2f' is one of a number, and this tensor has the shape \(2,\)"):
        f"{harp.ones(2):.2f}"
    with pytest.raises(TypeError, match="repeat: with a count for each element"):
        harp.jit(lambda x: harp.repeat(x, [1, 2], axis=0), dynamic={"x": [0]})(np.ones(2))
    x = harp.ones(2)
    for name, hint in (("flat", "x.ravel"), ("detach", "stop_gradient"), ("view", "reshape"), ("strides", "np.asarray")):
        with pytest.raises(AttributeError, match=f"'Tensor' object has no attribute '{name}'. Write instead: .*{hint}"):
            getattr(x, name)
        assert not hasattr(x, name)


def test_sequence_protocol():
    import ctypes

    size = ctypes.pythonapi.PySequence_Size
    size.argtypes, size.restype = [ctypes.py_object], ctypes.c_ssize_t
    assert size(harp.ones((3, 2))) == 3


def test_without_docstrings():
    command = [sys.executable, "-OO", "-c", "import harp; print(harp.floor(harp.asarray([1.5])), harp.expm1(harp.zeros(1)), harp.acos.__doc__)"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0 and result.stdout.startswith("[1.] [0.]"), result.stderr


PROGRAMS_AT_EXIT = {
    "finalizer": "class D:\n    def __del__(self): print((x + 1).tolist())\nd = D()",
    "atexit": "import atexit; atexit.register(lambda: print(harp.jit(lambda v: v + 1)(x).tolist()))",
    "views": "v, a, c = memoryview(x), np.from_dlpack(x), x.__dlpack__(); sys.kept = v, a, c; print((x + 1).tolist())",
    "threads": "import threading, time\ndef work():\n    while True: np.asarray(x + 1)\n"
               "threading.Thread(target=work, daemon=True).start(); time.sleep(0.1); print((x + 1).tolist())",
    "fork": "import os\nx.eval()\npid = os.fork()\nif pid == 0:\n    print((x + 1).tolist(), flush=True); os._exit(0)\nos.waitpid(pid, 0)",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS_AT_EXIT)
def test_end_of_the_interpreter(name):
    start = "import sys, harp, numpy as np\nharp.set_backend('interp')\nx = harp.asarray(np.ones(2)) * 2\n"
    result = subprocess.run([sys.executable, "-c", start + PROGRAMS_AT_EXIT[name]], capture_output=True, text=True, check=False)
    assert result.returncode == 0 and result.stdout.strip() == "[3.0, 3.0]", result.stdout + result.stderr
