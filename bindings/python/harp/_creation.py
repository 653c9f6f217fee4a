"""New arrays: constant, from ranges of numbers, diagonal."""
from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from . import _core, _ops
from ._conversion import asarray, on_cpu, promoted, sizes_of
from ._core import Dim, Tensor
from ._dtypes import COMPLEX, OF_PYTHON, REAL_FLOATS, DType, bool_, complex64, dtype_of, float32, float64, int64
from ._errors import DTypeError
from ._tree import is_array
from ._types import Array, DTypeLike, Number, Shape, Size


def full(shape: Shape, fill_value: Number | Array, dtype: DTypeLike | None = None, *, device: Any = None) -> Tensor:
    """An array in which every element is fill_value; an array as fill_value is broadcast to the shape."""
    on_cpu(device)
    if type(fill_value) in OF_PYTHON:
        made = OF_PYTHON[type(fill_value)] if dtype is None else dtype_of(dtype)
        return _ops.full(number_of_dtype(fill_value, made), sizes_of(shape))
    if dtype is not None and is_number(fill_value):
        return _ops.full(number_of_dtype(fill_value, dtype_of(dtype)), sizes_of(shape))
    value = asarray(fill_value, dtype=dtype)
    return _ops.full(value, sizes_of(shape)) if value.ndim == 0 else _ops.broadcast_to(value, sizes_of(shape))


_ZEROS: dict[DType, Tensor] = {}


def beside(x: Tensor, value: Any) -> Tensor:
    """Converts a value that an operation combines with x. A Python number gets x's dtype, unless its kind (bool, int, float, complex) is
    higher than that of x; anything else is asarray(value)."""
    return _core.operands("asarray", x, value)[1] if type(value) in OF_PYTHON else asarray(value)


def cast_to(x: Tensor, value: Any) -> Tensor:
    """Converts a value that will be an element of x to x's dtype."""
    return number_of_dtype(value, x.dtype) if is_number(value) else asarray(value).astype(x.dtype)


def is_number(value: Any) -> bool:
    """Whether the value is a Python number, or stands for one that is an argument of a traced function."""
    return type(value) in OF_PYTHON or (isinstance(value, Tensor) and _core.is_weak(value))


def number_of_dtype(number: Any, dtype: DType) -> Tensor:
    """Makes a Python number a constant of programs, with this dtype. (asarray() would make it an array, which is an input of programs.)"""
    if type(number) is float and dtype not in REAL_FLOATS + COMPLEX and math.isfinite(number):
        number = number != 0 if dtype is bool_ else int(number)  # because a Python float would become a float32
    zero = _ZEROS.get(dtype)
    if zero is None:
        zero = _ZEROS[dtype] = asarray(0, dtype=dtype)
    return _ops.cast(_core.operands("asarray", zero, number)[1], dtype)


def zeros(shape: Shape, dtype: DTypeLike | None = None, *, device: Any = None) -> Tensor:
    """An array of zeros, float32 unless `dtype` says otherwise."""
    return full(shape, 0, dtype=float32 if dtype is None else dtype, device=device)


def ones(shape: Shape, dtype: DTypeLike | None = None, *, device: Any = None) -> Tensor:
    """An array of ones, float32 unless `dtype` says otherwise."""
    return full(shape, 1, dtype=float32 if dtype is None else dtype, device=device)


def empty(shape: Shape, dtype: DTypeLike | None = None, *, device: Any = None) -> Tensor:
    """An array of zeros, like zeros(). Its elements are defined because no result in harp may depend on the previous contents of memory."""
    return zeros(shape, dtype=dtype, device=device)


def full_like(x: Array, /, fill_value: Number | Array, dtype: DTypeLike | None = None, *, device: Any = None) -> Tensor:
    """fill_value in x's shape, and in x's dtype unless `dtype` says otherwise."""
    like = asarray(x)
    return full(like.shape, fill_value, dtype=like.dtype if dtype is None else dtype, device=device)


def zeros_like(x: Array, /, dtype: DTypeLike | None = None, *, device: Any = None) -> Tensor:
    """Zeros in x's shape."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Array, /, dtype: DTypeLike | None = None, *, device: Any = None) -> Tensor:
    """Ones in x's shape."""
    return full_like(x, 1, dtype=dtype, device=device)


def empty_like(x: Array, /, dtype: DTypeLike | None = None, *, device: Any = None) -> Tensor:
    """Zeros in x's shape."""
    return full_like(x, 0, dtype=dtype, device=device)


def arange(
    start: Size | float, /, stop: Size | float | None = None, step: float = 1, dtype: DTypeLike | None = None, *, device: Any = None
) -> Tensor:
    """The numbers start, start + step, ... that lie before stop. A single argument is stop, and start is then 0."""
    on_cpu(device)
    if stop is None:
        start, stop = 0, start
    if isinstance(start, Dim) or isinstance(stop, Dim):
        return _ops.arange(int64 if dtype is None else dtype, stop, start, operator.index(step))  # type: ignore[arg-type]
    is_float = any(isinstance(number, (float, np.floating)) for number in (start, stop, step))
    is_wide = any(isinstance(number, np.float64) for number in (start, stop, step))  # which is a Python float, too
    made = (float64 if is_wide else float32 if is_float else int64) if dtype is None else dtype_of(dtype)
    if not is_float and made not in REAL_FLOATS:
        return _ops.arange(made, stop, start, step)  # type: ignore[arg-type]
    return _core.from_numpy(np.arange(start, stop, step, dtype=np.float64), None).astype(made)


def linspace(
    start: float | Array,
    stop: float | Array,
    /,
    num: Size = 50,
    endpoint: bool = True,
    *,
    dtype: DTypeLike | None = None,
    device: Any = None,
) -> Tensor:
    """num equally spaced numbers from start to stop. The last one is stop, unless endpoint is False. If an end is an array, its elements are
    ends, and the numbers between them are along a new axis 0."""
    on_cpu(device)
    if is_array(start) or is_array(stop):
        return _between(start, stop, num, dtype, endpoint)
    first: Any = start
    last: Any = stop
    made = (complex64 if isinstance(first, complex) or isinstance(last, complex) else float32) if dtype is None else dtype_of(dtype)
    if made in REAL_FLOATS and not isinstance(first, complex) and not isinstance(last, complex):
        if endpoint:
            return _ops.linspace(made, start=first, stop=last, count=num)
        return _ops.linspace(made, start=first, stop=last, count=num + 1)[:-1]
    if isinstance(num, Dim):
        raise DTypeError(f"linspace with a symbolic number of elements: expected a float dtype, got {made}")
    wide: Any = np.complex128 if made in COMPLEX else np.float64
    return _core.from_numpy(np.asarray(np.linspace(first, last, operator.index(num), endpoint=endpoint, dtype=wide)), None).astype(made)


def _between(start: Any, stop: Any, num: Size, dtype: DTypeLike | None, endpoint: bool) -> Tensor:
    a, b = promoted(_core.operands("linspace", start, stop))
    made = (a.dtype if a.dtype in REAL_FLOATS + COMPLEX else float32) if dtype is None else dtype_of(dtype)
    a, b = _ops.cast(a, made), _ops.cast(b, made)
    at = _ops.reshape(_ops.arange(int64, num), [-1, *[1] * max(a.ndim, b.ndim)])
    count = _core.to_tensor(num) if isinstance(num, Dim) else asarray(num)
    steps = _ops.maximum(_ops.cast(count - 1 if endpoint else count, made), 1)
    values = a + _ops.cast(at, made) * ((b - a) / steps)
    return _ops.where(_ops.logical_and(_ops.equal(at, count - 1), _ops.greater(at, 0)), b, values) if endpoint else values


def eye(n_rows: Size, n_cols: Size | None = None, /, k: int = 0, dtype: DTypeLike | None = None, *, device: Any = None) -> Tensor:
    """Ones on the k-th diagonal, zeros elsewhere."""
    on_cpu(device)
    columns = n_rows if n_cols is None else n_cols
    made = float32 if dtype is None else dtype_of(dtype)
    if k == 0:
        return _ops.eye(made, n_rows, columns)
    # Limits k, because rows + k must fit 64 bits. The result does not change: no array has a diagonal that far from the main one.
    k = max(-(2**62), min(k, 2**62))
    rows = _ops.reshape(_ops.arange(int64, n_rows), [n_rows, 1])
    return _ops.cast(_ops.equal(rows + k, _ops.arange(int64, columns)), made)


def identity(n: Size, /, dtype: DTypeLike | None = None) -> Tensor:
    """The identity matrix of n rows."""
    return eye(n, dtype=dtype)


def meshgrid(*arrays: Array, indexing: str = "xy") -> list[Tensor]:
    """Expands each of n arrays of rank 1 to the n-dimensional grid that they span: every result varies along one axis and repeats along all
    others."""
    return list(_ops.meshgrid(arrays, indexing))


def tril(x: Array, /, k: int = 0) -> Tensor:
    """x on and below the k-th diagonal of the last two axes; 0 above it."""
    return _ops.tril(x, k)


def triu(x: Array, /, k: int = 0) -> Tensor:
    """x on and above the k-th diagonal of the last two axes; 0 below it."""
    return _ops.triu(x, k)
