"""Conversion to tensors and between dtypes: arrays, numbers and lists; promotion and casts."""
from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _core, _ops
from ._core import Dim, Tensor
from ._dtypes import SIGNED, UNSIGNED, DType, bfloat16, bool_, dtype_of
from ._errors import DTypeError, InvalidArgumentError, RangeError
from ._tree import is_array
from ._types import Array, DTypeLike, Shape, Size


def on_cpu(device: object) -> None:
    """Raises ValueError unless `device` is None or "cpu"."""
    if device not in (None, "cpu"):
        raise ValueError(f"expected the device \"cpu\", got {device!r}")


def sizes_of(shape: Shape) -> list[Size]:
    """Converts a shape, or a single size, to a list of ints and symbolic sizes."""
    if isinstance(shape, Dim):
        return [shape]
    if isinstance(shape, (int, np.integer)) or (isinstance(shape, (Tensor, np.ndarray)) and shape.ndim == 0):
        return [operator.index(shape)]
    if not isinstance(shape, Iterable):
        raise TypeError(f"expected a size or a sequence of sizes, got {type(shape)!r}")
    return [size if isinstance(size, Dim) else operator.index(size) for size in shape]


def asarray(obj: Any, /, dtype: DTypeLike | None = None, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor of an array, a number, or nested sequences of numbers.

    NumPy arrays and objects with `__dlpack__` or the buffer protocol are shared, not copied, if their layout allows it: row-major or
    Fortran order, aligned, this machine's byte order. Such memory must not be changed before everything that depends on it has been
    computed. copy=True: always copies. copy=False: never copies; raises ValueError if a copy is necessary. Python's floats become float32,
    its ints int64.
    """
    on_cpu(device)
    wanted = None if dtype is None else dtype_of(dtype)
    if isinstance(obj, Tensor):
        x = _ops.contiguous(obj) if copy else obj
    elif isinstance(obj, Dim):
        x = _core.to_tensor(obj)
    elif isinstance(obj, (bool, int, float, complex)) and not isinstance(obj, np.generic):
        if copy is False:
            raise ValueError("copy=False, but a Python number has no memory to share")
        return _of_python(obj, wanted)
    elif isinstance(obj, (np.ndarray, np.generic)):
        x = _core.from_numpy(obj, copy) if obj.dtype.name != "bfloat16" else _of_bfloat16(np.asarray(obj), copy)
    elif hasattr(obj, "__dlpack__"):
        x = from_dlpack(obj, copy=copy)
    elif hasattr(obj, "__array__") or _has_buffer(obj):
        x = _core.from_numpy(np.asarray(obj), copy)
    else:
        if copy is False:
            raise ValueError("copy=False, but Python objects must be copied one by one")
        return _of_python(obj, wanted)
    if wanted is None or wanted is x.dtype:
        return x
    if copy is False:
        raise ValueError(f"copy=False, but {x.dtype.name} must be converted to {wanted.name}")
    return _ops.cast(x, wanted)


def _of_bfloat16(values: np.ndarray[Any, Any], copy: bool | None) -> Tensor:
    """A tensor of an array whose dtype is that of the package ml_dtypes; NumPy itself has no bfloat16."""
    return _ops.bitcast(_core.from_numpy(values.view(np.uint16), copy), bfloat16)


def _has_buffer(obj: Any) -> bool:
    try:
        memoryview(obj)
    except TypeError:
        return False
    return True


def _of_python(obj: Any, wanted: DType | None) -> Tensor:
    if wanted is None and type(obj) is list and obj:
        kinds = set(map(type, obj))
        if len(kinds) == 1 and (float in kinds or bool in kinds):  # a fast path for the most frequent case
            return _core.from_numpy(np.array(obj, np.float32 if float in kinds else np.bool_), None)
    if not isinstance(obj, (bool, int, float, complex)) and _any_tensor(obj):
        x = _stacked(obj)
        return x if wanted is None else _ops.cast(x, wanted)
    values = np.asarray(obj)
    if values.dtype == object:
        _require_64_bits(values)
    if wanted in SIGNED + UNSIGNED and values.dtype.kind in "iuO":
        _require_fit(values, np.iinfo(wanted.dtype))
    if wanted is not None and wanted is not bfloat16:
        return _core.from_numpy(np.asarray(obj, dtype=wanted.dtype), None)
    if values.dtype.kind not in "biufc":
        raise DTypeError(f"expected an array, a number, or nested lists of numbers, got {obj!r}")
    if values.dtype == np.float64 and not _any_numpy(obj):
        values = values.astype(np.float32) if wanted is None else values
    elif values.dtype == np.complex128 and not _any_numpy(obj):
        values = values.astype(np.complex64)
    x = _core.from_numpy(values, None)
    return x if wanted is None else _ops.cast(x, wanted)


def _require_64_bits(values: np.ndarray[Any, Any]) -> None:
    for number in values.flat:  # Python objects, because NumPy has no dtype for at least one of them
        if isinstance(number, int) and not -(2**63) <= number < 2**64:
            raise RangeError(f"asarray: {number} does not fit 64 bits")


def _require_fit(values: np.ndarray[Any, Any], limits: Any) -> None:
    for number in values.flat if values.dtype.kind == "O" else ((values.min(), values.max()) if values.size else ()):
        if isinstance(number, (int, np.integer)) and not limits.min <= int(number) <= limits.max:
            raise RangeError(f"asarray: {number} does not fit {limits.dtype}")


def _any_tensor(obj: Any) -> bool:
    return isinstance(obj, Tensor) or (isinstance(obj, (list, tuple)) and any(_any_tensor(item) for item in obj))


def _any_numpy(obj: Any) -> bool:
    return isinstance(obj, (np.ndarray, np.generic)) or (isinstance(obj, (list, tuple)) and any(_any_numpy(item) for item in obj))


def _stacked(obj: Any) -> Tensor:
    if isinstance(obj, (list, tuple)):
        return _ops.stack(promoted([_stacked(item) for item in obj]), 0)
    return asarray(obj)


def values_of(name: str, x: Any) -> np.ndarray[Any, Any]:
    """The values of an argument on which the size of the result of the function `name` depends."""
    tensor = asarray(x)
    if _core.is_argument(tensor) and not tensor.is_realised:
        raise InvalidArgumentError(f"{name}: the size of the result depends on values that are not known while a function is traced, but the sizes "
                                   "in a traced function are the same in every call; use harp.where, or call it outside")  # fmt: skip
    return np.asarray(tensor)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor of any array with `__dlpack__`; it shares the memory if the layout allows it."""
    on_cpu(device)
    if isinstance(x, Tensor):
        return _ops.contiguous(x) if copy else x
    if isinstance(x, np.ndarray):
        return _core.from_numpy(x, copy)
    try:
        capsule = x.__dlpack__(max_version=(1, 1), copy=copy)
    except TypeError:
        capsule = x.__dlpack__()
    return _core.from_dlpack(capsule, copy)


_core.set_converter(asarray)


def dtype_or_of(thing: Any) -> DType:
    """The dtype of an array, or the dtype that a name or type stands for."""
    return asarray(thing).dtype if is_array(thing) else dtype_of(thing)


def _of_dtype(dtype: DType) -> Tensor:
    return _ops.cast(asarray(0), dtype)


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The common dtype of operands. A Python number next to arrays has no dtype of its own: it takes the dtype of the arrays."""
    if not arrays_and_dtypes:
        raise ValueError("result_type: no operands")
    scalars: list[Any] = []
    numbers: list[Any] = []
    for thing in arrays_and_dtypes:
        if isinstance(thing, (bool, int, float, complex)) and not isinstance(thing, np.generic):
            numbers.append(thing)
        else:
            scalars.append(_of_dtype(dtype_or_of(thing)))
    if not scalars:
        raise ValueError("result_type: at least one operand has to be an array or a dtype")
    result: Tensor = scalars[0]
    for other in scalars[1:] + numbers:
        # The common dtype is the dtype of where(True, a, b): `where` accepts every dtype, and its operands promote like those of all
        # operations.
        a, b = _core.operands("result_type", result, other)
        result = _of_dtype(_ops.where(_of_dtype(bool_), a, b).dtype)
    return result.dtype


_ONES: dict[str, Any] = {"b": True, "i": 1, "u": 1, "f": 1.0, "c": 1j}  # a Python number of each kind


def promoted(arrays: Sequence[Any]) -> list[Tensor]:
    """Casts the arrays to their common dtype. Lists of Python numbers take the dtype of the other arrays, as these numbers do."""
    lists = [isinstance(each, (list, tuple)) and not _any_tensor(each) and not _any_numpy(each) for each in arrays]
    if any(lists) and not all(lists):
        numbers = [_ONES[asarray(each).dtype.kind] for each, is_list in zip(arrays, lists) if is_list]
        common = result_type(*(asarray(each) for each, is_list in zip(arrays, lists) if not is_list), *numbers)
        return [asarray(each, dtype=common) for each in arrays]
    tensors = [asarray(each) for each in arrays]
    if len({tensor.dtype for tensor in tensors}) <= 1:
        return tensors
    dtype = result_type(*tensors)
    return [tensor.astype(dtype) for tensor in tensors]


def can_cast(from_: Any, to: DTypeLike, /) -> bool:
    """Tests whether promotion can lead from one dtype to the other."""
    start, end = dtype_or_of(from_), dtype_of(to)
    return start is end or result_type(start, end) is end


def astype(x: Array, dtype: DTypeLike, /, *, copy: bool = True, device: Any = None) -> Tensor:
    """Casts to another dtype. Floats are truncated to integers and saturate; NaN becomes 0."""
    on_cpu(device)
    return asarray(x).astype(dtype)
