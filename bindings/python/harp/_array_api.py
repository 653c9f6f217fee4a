"""The functions of the Array API standard (2024.12) whose arguments are not those of harp.h."""
from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from . import _core, _ops
from ._core import Dim, Tensor
from ._dtypes import (
    COMPLEX,
    REAL_FLOATS,
    SIGNED,
    UNSIGNED,
    DType,
    bfloat16,
    bool_,
    complex64,
    complex128,
    dtype_of,
    float32,
    float64,
    int64,
    uint64,
)
from ._errors import DTypeError
from ._tree import is_array
from ._types import Array, Axes, DTypeLike, Number, Shape, Size

__all__ = [
    "acos", "acosh", "all", "any", "arange", "argmax", "argmin", "argsort", "asarray", "asin", "asinh", "astype",
    "atan", "atanh", "bitwise_left_shift", "bitwise_right_shift", "broadcast_arrays", "broadcast_shapes",
    "broadcast_to", "can_cast", "ceil", "clip", "concat", "count_nonzero", "cumulative_prod", "cumulative_sum",
    "diff", "empty", "empty_like", "expand_dims", "expm1", "eye", "finfo", "finfo_object", "flip", "floor",
    "from_dlpack", "full", "full_like", "iinfo", "iinfo_object", "isdtype", "linspace", "log10", "log1p", "log2",
    "matmul", "matrix_transpose", "max", "mean", "meshgrid", "min", "moveaxis", "nonzero", "ones", "ones_like",
    "permute_dims", "positive", "prod", "repeat", "reshape", "result_type", "roll", "round", "searchsorted", "sort",
    "squeeze", "stack", "std", "sum", "take", "take_along_axis", "tensordot", "tile", "tril", "triu", "trunc",
    "unique_all", "unique_all_result", "unique_counts", "unique_counts_result", "unique_inverse",
    "unique_inverse_result", "unique_values", "unstack", "var", "vecdot", "zeros", "zeros_like",
]  # fmt: skip

# --- making arrays -----------------------------------------------------------------------------------------------------------------------


def _on_cpu(device: object) -> None:
    if device not in (None, "cpu"):
        raise ValueError(f"there is no device {device!r}: tensors are on \"cpu\"")


def _sizes(shape: Shape) -> list[Size]:
    if isinstance(shape, (int, Dim)):
        return [shape]
    return [size if isinstance(size, Dim) else operator.index(size) for size in shape]


def asarray(obj: Any, /, *, dtype: DTypeLike | None = None, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor of an array, a number, or nested sequences of numbers.

    NumPy arrays and what has `__dlpack__` or the buffer protocol are shared, not copied, where their layout allows it: row-major or Fortran
    order, aligned, this machine's byte order. Such memory must not be changed before what is computed of it has been. copy=True: always a
    copy. copy=False: never, a ValueError where it takes one. Python's floats are float32, its ints int64.
    """
    _on_cpu(device)
    wanted = None if dtype is None else dtype_of(dtype)
    if isinstance(obj, Tensor):
        x = _core.alias(obj) if copy else obj
    elif isinstance(obj, Dim):
        x = _core.to_tensor(obj)
    elif isinstance(obj, (bool, int, float, complex)) and not isinstance(obj, np.generic):
        if copy is False:
            raise ValueError("copy=False, but a number is no memory")
        return _of_python(obj, wanted)
    elif isinstance(obj, (np.ndarray, np.generic)):
        x = _core.from_numpy(obj, copy)
    elif hasattr(obj, "__dlpack__"):
        x = from_dlpack(obj, copy=copy)
    elif hasattr(obj, "__array__") or _has_buffer(obj):
        x = _core.from_numpy(np.asarray(obj), copy)
    else:
        if copy is False:
            raise ValueError("copy=False, but Python's objects have to be read one by one")
        return _of_python(obj, wanted)
    if wanted is None or wanted is x.dtype:
        return x
    if copy is False:
        raise ValueError(f"copy=False, but {x.dtype.name} has to be converted to {wanted.name}")
    return _ops.cast(x, wanted)


def _has_buffer(obj: Any) -> bool:
    try:
        memoryview(obj)
    except TypeError:
        return False
    return True


def _of_python(obj: Any, wanted: DType | None) -> Tensor:
    if not isinstance(obj, (bool, int, float, complex)) and _any_tensor(obj):
        x = _stacked(obj)
        return x if wanted is None else _ops.cast(x, wanted)
    values = np.asarray(obj)
    if wanted is not None and wanted is not bfloat16:
        return _core.from_numpy(np.asarray(obj, dtype=wanted.dtype), None)
    if values.dtype == np.float64 and not _any_numpy(obj):
        values = values.astype(np.float32) if wanted is None else values
    elif values.dtype == np.complex128 and not _any_numpy(obj):
        values = values.astype(np.complex64)
    x = _core.from_numpy(values, None)
    return x if wanted is None else _ops.cast(x, wanted)


def _any_tensor(obj: Any) -> bool:
    return isinstance(obj, Tensor) or (isinstance(obj, (list, tuple)) and builtins.any(_any_tensor(item) for item in obj))


def _any_numpy(obj: Any) -> bool:
    return isinstance(obj, (np.ndarray, np.generic)) or (isinstance(obj, (list, tuple)) and builtins.any(_any_numpy(item) for item in obj))


def _stacked(obj: Any) -> Tensor:
    if isinstance(obj, (list, tuple)):
        return stack([_stacked(item) for item in obj])
    return asarray(obj)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor of any array that has `__dlpack__`; memory is shared where its layout allows it."""
    _on_cpu(device)
    if isinstance(x, Tensor):
        return _core.alias(x) if copy else x
    if isinstance(x, np.ndarray):
        return _core.from_numpy(x, copy)
    try:
        capsule = x.__dlpack__(max_version=(1, 1), copy=copy)
    except TypeError:
        capsule = x.__dlpack__()
    return _core.from_dlpack(capsule, copy)


def full(shape: Shape, fill_value: Number | Array, *, dtype: DTypeLike | None = None, device: Any = None) -> Tensor:
    """An array in which every element is fill_value."""
    _on_cpu(device)
    value = asarray(fill_value, dtype=dtype) if dtype is not None or not is_array(fill_value) else asarray(fill_value)
    return _ops.full(value, _sizes(shape))


def zeros(shape: Shape, *, dtype: DTypeLike | None = None, device: Any = None) -> Tensor:
    """An array of zeros, float32 unless `dtype` says otherwise."""
    return full(shape, 0, dtype=float32 if dtype is None else dtype, device=device)


def ones(shape: Shape, *, dtype: DTypeLike | None = None, device: Any = None) -> Tensor:
    """An array of ones, float32 unless `dtype` says otherwise."""
    return full(shape, 1, dtype=float32 if dtype is None else dtype, device=device)


def empty(shape: Shape, *, dtype: DTypeLike | None = None, device: Any = None) -> Tensor:
    """Zeros: nothing in harp depends on what was in memory before."""
    return zeros(shape, dtype=dtype, device=device)


def full_like(x: Array, /, fill_value: Number, *, dtype: DTypeLike | None = None, device: Any = None) -> Tensor:
    """fill_value in x's shape, and in x's dtype unless `dtype` says otherwise."""
    like = asarray(x)
    return full(like.shape, fill_value, dtype=like.dtype if dtype is None else dtype, device=device)


def zeros_like(x: Array, /, *, dtype: DTypeLike | None = None, device: Any = None) -> Tensor:
    """Zeros in x's shape."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Array, /, *, dtype: DTypeLike | None = None, device: Any = None) -> Tensor:
    """Ones in x's shape."""
    return full_like(x, 1, dtype=dtype, device=device)


def empty_like(x: Array, /, *, dtype: DTypeLike | None = None, device: Any = None) -> Tensor:
    """Zeros in x's shape."""
    return full_like(x, 0, dtype=dtype, device=device)


def arange(
    start: Size | float, /, stop: Size | float | None = None, step: float = 1, *, dtype: DTypeLike | None = None, device: Any = None
) -> Tensor:
    """start, start + step, ... before stop; one argument is stop, from 0."""
    _on_cpu(device)
    if stop is None:
        start, stop = 0, start
    if isinstance(start, Dim) or isinstance(stop, Dim):
        return _ops.arange(int64 if dtype is None else dtype, stop, start, operator.index(step))  # type: ignore[arg-type]
    is_float = builtins.any(isinstance(number, float) for number in (start, stop, step))
    made = (float32 if is_float else int64) if dtype is None else dtype_of(dtype)
    if not is_float and made not in REAL_FLOATS:
        return _ops.arange(made, stop, start, step)  # type: ignore[arg-type]
    return _core.from_numpy(np.arange(start, stop, step, dtype=np.float64), None).astype(made)


def linspace(
    start: float, stop: float, /, num: Size, *, dtype: DTypeLike | None = None, device: Any = None, endpoint: bool = True
) -> Tensor:
    """num numbers from start to stop, which is among them unless endpoint is False."""
    _on_cpu(device)
    made = (complex64 if isinstance(start, complex) or isinstance(stop, complex) else float32) if dtype is None else dtype_of(dtype)
    if made in REAL_FLOATS and not isinstance(start, complex) and not isinstance(stop, complex):
        if endpoint:
            return _ops.linspace(made, start=start, stop=stop, count=num)
        return _ops.linspace(made, start=start, stop=stop, count=num + 1)[:-1]
    if isinstance(num, Dim):
        raise DTypeError("linspace of a symbolic number of elements is of floats")
    wide: Any = np.complex128 if made in COMPLEX else np.float64
    return _core.from_numpy(np.asarray(np.linspace(start, stop, operator.index(num), endpoint=endpoint, dtype=wide)), None).astype(made)


def eye(n_rows: Size, n_cols: Size | None = None, /, *, k: int = 0, dtype: DTypeLike | None = None, device: Any = None) -> Tensor:
    """1 on the k-th diagonal, else 0."""
    _on_cpu(device)
    columns = n_rows if n_cols is None else n_cols
    made = float32 if dtype is None else dtype_of(dtype)
    if k == 0:
        return _ops.eye(made, n_rows, columns)
    k = builtins.max(-(2**62), builtins.min(k, 2**62))  # no diagonal is farther away
    rows = _ops.reshape(_ops.arange(int64, n_rows), [n_rows, 1])
    return _ops.cast(_ops.equal(rows + k, _ops.arange(int64, columns)), made)


def meshgrid(*arrays: Array, indexing: str = "xy") -> list[Tensor]:
    """Arrays of one axis, each stretched along the axes of the others."""
    return list(_ops.meshgrid(arrays, indexing))


def tril(x: Array, /, *, k: int = 0) -> Tensor:
    """The last two axes on and below the k-th diagonal, else 0."""
    return _ops.tril(x, k)


def triu(x: Array, /, *, k: int = 0) -> Tensor:
    """The last two axes on and above the k-th diagonal, else 0."""
    return _ops.triu(x, k)


# --- dtypes ------------------------------------------------------------------------------------------------------------------------------


class finfo_object(NamedTuple):  # noqa: N801
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class iinfo_object(NamedTuple):  # noqa: N801
    bits: int
    max: int
    min: int
    dtype: DType


def _dtype_or_of(thing: Any) -> DType:
    return asarray(thing).dtype if is_array(thing) else dtype_of(thing)


def finfo(type: Any, /) -> finfo_object:
    """The limits of a float dtype."""
    dtype = _dtype_or_of(type)
    real = {complex64: float32, complex128: float64}.get(dtype, dtype)
    if real is bfloat16:
        return finfo_object(16, 2.0**-7, 3.3895313892515355e38, -3.3895313892515355e38, 2.0**-126, bfloat16)
    if real not in REAL_FLOATS:
        raise DTypeError(f"finfo: {dtype.name} is no float")
    info = np.finfo(real.dtype)
    return finfo_object(int(info.bits), float(info.eps), float(info.max), float(info.min), float(info.tiny), real)


def iinfo(type: Any, /) -> iinfo_object:
    """The limits of an integer dtype."""
    dtype = _dtype_or_of(type)
    if dtype not in SIGNED + UNSIGNED:
        raise DTypeError(f"iinfo: {dtype.name} is no integer")
    info = np.iinfo(dtype.dtype)
    return iinfo_object(int(info.bits), int(info.max), int(info.min), dtype)


_KINDS: dict[str, tuple[DType, ...]] = {
    "bool": (bool_,), "signed integer": SIGNED, "unsigned integer": UNSIGNED, "integral": SIGNED + UNSIGNED, "real floating": REAL_FLOATS,
    "complex floating": COMPLEX, "numeric": SIGNED + UNSIGNED + REAL_FLOATS + COMPLEX,
}  # fmt: skip


def isdtype(dtype: DTypeLike, kind: Any) -> bool:
    """Whether a dtype is another one, or of a kind: "bool", "signed integer", "integral", "real floating", "numeric" ..."""
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"isdtype: {kind!r} is none of {', '.join(_KINDS)}")
        return dtype_of(dtype) in _KINDS[kind]
    return dtype_of(dtype) is dtype_of(kind)


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype that operands become together; Python's numbers take that of the arrays beside them."""
    if not arrays_and_dtypes:
        raise ValueError("result_type: no operands")
    scalars: list[Any] = []
    numbers: list[Any] = []
    for thing in arrays_and_dtypes:
        if isinstance(thing, (bool, int, float, complex)) and not isinstance(thing, np.generic):
            numbers.append(thing)
        else:
            scalars.append(zeros((), dtype=_dtype_or_of(thing)))
    if not scalars:
        raise ValueError("result_type: at least one operand has to be an array or a dtype")
    result: Tensor = scalars[0]
    for other in scalars[1:] + numbers:
        # `where` promotes as everything does, and takes every dtype.
        a, b = _core.operands(result, other)
        result = zeros((), dtype=_ops.where(zeros((), dtype=bool_), a, b).dtype)
    return result.dtype


def can_cast(from_: Any, to: DTypeLike, /) -> bool:
    """Whether promotion can lead from one dtype to the other."""
    start, end = _dtype_or_of(from_), dtype_of(to)
    return start is end or result_type(start, end) is end


def astype(x: Array, dtype: DTypeLike, /, *, copy: bool = True, device: Any = None) -> Tensor:
    """The values in another dtype. Floats to integers are cut, and stay within the dtype's bounds; NaN becomes 0."""
    _on_cpu(device)
    return asarray(x).astype(dtype)


# --- element by element ------------------------------------------------------------------------------------------------------------------


def bitwise_left_shift(x1: Array | Number, x2: Array | Number, /) -> Tensor:
    """x1 with x2 zeros behind its bits: 0 if that is all of them. (harp.h takes x2 modulo the width.)"""
    a, b = _core.operands(x1, x2)
    bits = 8 * _ops.bitwise_and(a, b).dtype.itemsize
    if isinstance(x2, int):
        return _ops.bitwise_left_shift(a, b) if x2 < bits else zeros_like(a)
    return _ops.where(_ops.less(b, bits), _ops.bitwise_left_shift(a, b), 0)


def bitwise_right_shift(x1: Array | Number, x2: Array | Number, /) -> Tensor:
    """x1 without its last x2 bits: 0 or, of a negative number, -1 if that is all of them. (harp.h takes x2 modulo the width.)"""
    a, b = _core.operands(x1, x2)
    bits = 8 * _ops.bitwise_and(a, b).dtype.itemsize
    if a.dtype in SIGNED:
        return _ops.bitwise_right_shift(a, _ops.minimum(b, bits - 1))
    return _ops.where(_ops.less(b, bits), _ops.bitwise_right_shift(a, b), 0)


def positive(x: Array, /) -> Tensor:
    """x itself."""
    return +asarray(x)


def clip(x: Array, /, min: Array | Number | None = None, max: Array | Number | None = None) -> Tensor:
    """x between two bounds, either of which may be None."""
    tensor = asarray(x)
    if min is None and max is None:
        return tensor
    dtype = tensor.dtype
    if min is None:
        high: Any = max
        made = _ops.where(_ops.isnan(tensor), tensor, _ops.minimum(tensor, high)) if dtype in REAL_FLOATS else _ops.minimum(tensor, high)
    elif max is None:
        made = _ops.maximum(tensor, min)
    else:
        made = _ops.clip(tensor, min, max)
    return _ops.cast(made, dtype)


class _Unary(Protocol):
    def __call__(self, x: Array, /) -> Tensor: ...


def _whole(name: str) -> Any:
    operation = getattr(_ops, name)

    def function(x: Array, /) -> Tensor:
        tensor = asarray(x)
        return tensor if tensor.dtype in SIGNED + UNSIGNED else operation(tensor)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = operation.__doc__ + " Integers stay what they are."
    return function


floor: _Unary = _whole("floor")
ceil: _Unary = _whole("ceil")
trunc: _Unary = _whole("trunc")


def round(x: Array, /) -> Tensor:
    """To the nearest integer, ties to even; of complex numbers each part; integers stay what they are."""
    tensor = asarray(x)
    if tensor.dtype in COMPLEX:
        return _ops.complex_from_parts(_ops.round(_ops.real(tensor)), _ops.round(_ops.imag(tensor)))
    return tensor if tensor.dtype in SIGNED + UNSIGNED else _ops.round(tensor)


def _of_complex(name: str, formula: Any) -> Any:
    operation = getattr(_ops, name)

    def function(x: Array, /) -> Tensor:
        tensor = asarray(x)
        return formula(tensor) if tensor.dtype in COMPLEX else operation(tensor)  # type: ignore[no-any-return]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = operation.__doc__ + " Of complex numbers by the formula of logarithms and roots."
    return function


def _asinh_formula(z: Tensor) -> Tensor:
    # log(z + sqrt(z*z + 1)), by the half-plane in which nothing cancels
    negative = _ops.less(_ops.real(z), 0)
    w = _ops.where(negative, -z, z)
    made = _ops.log(w + _ops.sqrt(w * w + 1))
    return _ops.where(negative, -made, made)


def _atanh_formula(z: Tensor) -> Tensor:
    return (_ops.log(1 + z) - _ops.log(1 - z)) * 0.5


def _acosh_formula(z: Tensor) -> Tensor:
    return _ops.log(z + _ops.sqrt(z + 1) * _ops.sqrt(z - 1))


expm1: _Unary = _of_complex("expm1", lambda z: _ops.exp(z) - 1)
log1p: _Unary = _of_complex("log1p", lambda z: _ops.log(z + 1))
log2: _Unary = _of_complex("log2", lambda z: _ops.log(z) * (1 / math.log(2)))
log10: _Unary = _of_complex("log10", lambda z: _ops.log(z) * (1 / math.log(10)))
asinh: _Unary = _of_complex("asinh", _asinh_formula)
acosh: _Unary = _of_complex("acosh", _acosh_formula)
atanh: _Unary = _of_complex("atanh", _atanh_formula)
asin: _Unary = _of_complex("asin", lambda z: _asinh_formula(z * 1j) * -1j)
acos: _Unary = _of_complex("acos", lambda z: math.pi / 2 + _asinh_formula(z * 1j) * 1j)
atan: _Unary = _of_complex("atan", lambda z: _atanh_formula(z * 1j) * -1j)


# --- reductions --------------------------------------------------------------------------------------------------------------------------


def _sum_dtype(x: Tensor, dtype: DTypeLike | None) -> Tensor:
    """What is added up: integers that are narrower than 64 bits would overflow soon."""
    if dtype is not None:
        return x.astype(dtype)
    if x.dtype is bool_ or x.dtype in SIGNED:
        return x.astype(int64)
    return x.astype(uint64) if x.dtype in UNSIGNED else x


def sum(x: Array, /, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: bool = False) -> Tensor:
    """The sum over axes (None: all). Integers are added in 64 bits unless `dtype` says otherwise."""
    return _ops.sum(_sum_dtype(asarray(x), dtype), axis, keepdims)


def prod(x: Array, /, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: bool = False) -> Tensor:
    """The product over axes (None: all). Integers are multiplied in 64 bits unless `dtype` says otherwise."""
    return _ops.prod(_sum_dtype(asarray(x), dtype), axis, keepdims)


def max(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """The greatest element over axes (None: all); NaN wins."""
    return _ops.max(x, axis, keepdims)


def min(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """The least element over axes (None: all); NaN wins."""
    return _ops.min(x, axis, keepdims)


def mean(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """The mean over axes (None: all)."""
    return _ops.mean(x, axis, keepdims)


def any(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Whether one element over axes (None: all) is not 0."""
    return _ops.any(x, axis, keepdims)


def all(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Whether no element over axes (None: all) is 0."""
    return _ops.all(x, axis, keepdims)


def count_nonzero(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """How many elements over axes (None: all) are not 0."""
    return _ops.count_nonzero(x, axis, keepdims)


def var(x: Array, /, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The mean squared distance from the mean, divided by count - correction."""
    tensor = asarray(x)
    if correction == int(correction):
        return _ops.var(tensor, axis, int(correction), keepdims)
    distances = tensor - _ops.mean(tensor, axis, True)
    squares = _ops.sum(distances * distances, axis, keepdims)
    count = _ops.count_nonzero(_ops.full(asarray(True), tensor.shape), axis, keepdims)
    return squares / _ops.cast(count - correction, tensor.dtype)


def std(x: Array, /, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The square root of var()."""
    return _ops.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def argmax(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
    """Where the greatest element stands along an axis (None: in the flattened array)."""
    return _arg_extreme(_ops.argmax, x, axis, keepdims)


def argmin(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
    """Where the least element stands along an axis (None: in the flattened array)."""
    return _arg_extreme(_ops.argmin, x, axis, keepdims)


def _arg_extreme(operation: Any, x: Array, axis: int | None, keepdims: bool) -> Tensor:
    tensor = asarray(x)
    if axis is None and keepdims:
        return _ops.reshape(operation(tensor, None, False), [1] * tensor.ndim)
    return operation(tensor, axis, keepdims)  # type: ignore[no-any-return]


def cumulative_sum(x: Array, /, axis: int | None = None, *, dtype: DTypeLike | None = None, include_initial: bool = False) -> Tensor:
    """Running sums along an axis; include_initial: with a 0 in front."""
    return _running(_ops.cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(x: Array, /, axis: int | None = None, *, dtype: DTypeLike | None = None, include_initial: bool = False) -> Tensor:
    """Running products along an axis; include_initial: with a 1 in front."""
    return _running(_ops.cumprod, 1, x, axis, dtype, include_initial)


def _running(operation: Any, initial: int, x: Array, axis: int | None, dtype: DTypeLike | None, include_initial: bool) -> Tensor:
    tensor = _sum_dtype(asarray(x), dtype)
    if axis is None:
        if tensor.ndim > 1:
            raise ValueError("an array with several axes needs axis=")
        tensor = _ops.reshape(tensor, [-1]) if tensor.ndim == 0 else tensor
        axis = 0
    made: Tensor = operation(tensor, axis, False, False)
    if not include_initial:
        return made
    shape = list(tensor.shape)
    shape[axis] = 1
    return _ops.concat([full(shape, initial, dtype=tensor.dtype), made], axis)


def diff(x: Array, /, *, axis: int = -1, n: int = 1, prepend: Array | None = None, append: Array | None = None) -> Tensor:
    """x[1:] - x[:-1] along an axis, n times over."""
    parts = [part for part in (prepend, x, append) if part is not None]
    return _ops.diff(_ops.concat(parts, axis) if len(parts) > 1 else asarray(x), n, axis)


# --- order and elements by data ----------------------------------------------------------------------------------------------------------


def sort(x: Array, /, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements along an axis in order, always stable."""
    return _ops.sort(x, axis, descending)


def argsort(x: Array, /, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Tensor:
    """Where the elements stand that come first, second ... along an axis, always stable."""
    return _ops.argsort(x, axis, descending)


def searchsorted(x1: Array, x2: Array | Number, /, *, side: str = "left", sorter: Array | None = None) -> Tensor:
    """The place in x1, which is in ascending order, or is in the order `sorter`, that each value of x2 would have."""
    return _ops.searchsorted(x1 if sorter is None else _ops.take(x1, sorter, 0), x2, side)


def take(x: Array, indices: Array, /, axis: int | None = None) -> Tensor:
    """Elements along an axis by their indices; None: of the flattened array."""
    return _ops.take(x, indices, axis)


def take_along_axis(x: Array, indices: Array, /, axis: int = -1) -> Tensor:
    """Element i along the axis is x's element indices[i], at the same place on all other axes, which broadcast."""
    tensor, at = asarray(x), asarray(indices)
    axis = axis % tensor.ndim
    shape = _broadcast([s for i, s in enumerate(tensor.shape) if i != axis], [s for i, s in enumerate(at.shape) if i != axis])
    wanted_x, wanted_at = list(shape), list(shape)
    wanted_x.insert(axis, tensor.shape[axis])
    wanted_at.insert(axis, at.shape[axis])
    return _ops.take_along_axis(_ops.broadcast_to(tensor, wanted_x), _ops.broadcast_to(at, wanted_at), axis)


def _broadcast(a: Sequence[Size], b: Sequence[Size]) -> list[Size]:
    return [y if x == 1 else x for x, y in zip(a, b)]


def nonzero(x: Array, /) -> tuple[Tensor, ...]:
    """Where the elements stand that are not 0. Evaluates x: the size of the result depends on it."""
    if asarray(x).ndim == 0:
        raise ValueError("nonzero: an array of rank 0 has no axis along which its element could stand")
    return tuple(_core.from_numpy(where, None) for where in np.nonzero(np.asarray(x)))


class unique_all_result(NamedTuple):  # noqa: N801
    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class unique_counts_result(NamedTuple):  # noqa: N801
    values: Tensor
    counts: Tensor


class unique_inverse_result(NamedTuple):  # noqa: N801
    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Array, /) -> unique_all_result:
    """Each value once, in ascending order, where it stands first, which of them each element is, how often it is there. Evaluates x."""
    array = np.asarray(x)
    values, first, inverse, counts = np.unique(array, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    parts = (values, first.astype(np.int64), inverse.reshape(array.shape).astype(np.int64), counts.astype(np.int64))
    return unique_all_result(*(_core.from_numpy(part, None) for part in parts))


def unique_counts(x: Array, /) -> unique_counts_result:
    """Each value once, and how often it is there. Evaluates x."""
    found = unique_all(x)
    return unique_counts_result(found.values, found.counts)


def unique_inverse(x: Array, /) -> unique_inverse_result:
    """Each value once, and which of them each element is. Evaluates x."""
    found = unique_all(x)
    return unique_inverse_result(found.values, found.inverse_indices)


def unique_values(x: Array, /) -> Tensor:
    """Each value once. Evaluates x."""
    return unique_all(x).values


# --- shapes ------------------------------------------------------------------------------------------------------------------------------


def _promoted(arrays: Sequence[Array]) -> list[Tensor]:
    tensors = [asarray(each) for each in arrays]
    if len({tensor.dtype for tensor in tensors}) <= 1:
        return tensors
    dtype = result_type(*tensors)
    return [tensor.astype(dtype) for tensor in tensors]


def concat(arrays: Sequence[Array], /, *, axis: int | None = 0) -> Tensor:
    """Arrays one after the other along an axis; None: of all of them flattened."""
    parts = _promoted(arrays)
    return _ops.concat([_ops.reshape(part, [-1]) for part in parts], 0) if axis is None else _ops.concat(parts, axis)


def stack(arrays: Sequence[Array], /, *, axis: int = 0) -> Tensor:
    """Arrays along a new axis."""
    return _ops.stack(_promoted(arrays), axis)


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """All parts of an axis, without that axis."""
    tensor = asarray(x)
    if not -tensor.ndim <= axis < tensor.ndim:
        raise IndexError(f"axis {axis} of a tensor of {tensor.ndim} axes")
    count = tensor.shape[axis]
    if isinstance(count, Dim):
        raise TypeError("a symbolic size is not known: the axis cannot be taken apart")
    return _ops.unstack(tensor, n=count, axis=axis) if count else ()


def expand_dims(x: Array, /, axis: int | Sequence[int] = 0) -> Tensor:
    """New axes of size 1 at these positions of the result."""
    tensor = asarray(x)
    for each in [axis] if isinstance(axis, int) else axis:
        rank = tensor.ndim + (1 if isinstance(axis, int) else len(axis))
        if not -rank <= each < rank:
            raise IndexError(f"axis {each} of a result of {rank} axes")
    return _ops.unsqueeze(tensor, axis)


def squeeze(x: Array, /, axis: int | Sequence[int]) -> Tensor:
    """Without these axes, which have size 1."""
    return _ops.squeeze(x, axis)


def permute_dims(x: Array, /, axes: Sequence[int]) -> Tensor:
    """Axis i of the result is axis axes[i]."""
    return _ops.permute_dims(x, axes)


def matrix_transpose(x: Array, /) -> Tensor:
    """The last two axes exchanged."""
    return asarray(x).mT


def moveaxis(x: Array, source: int | Sequence[int], destination: int | Sequence[int], /) -> Tensor:
    """Axis source[i] becomes axis destination[i]."""
    return _ops.moveaxis(x, source, destination)


def flip(x: Array, /, *, axis: Axes = None) -> Tensor:
    """Reversed along axes (None: all)."""
    return _ops.flip(x, axis)


def roll(x: Array, /, shift: Size | Sequence[Size], *, axis: Axes = None) -> Tensor:
    """Elements move along axes; those that leave come in at the other end. axis None: of the flattened array."""
    if isinstance(axis, int) and not isinstance(shift, (int, Dim)):
        axis = [axis] * len(shift)
    if axis is not None and not isinstance(axis, int) and isinstance(shift, (int, Dim)):
        shift = [shift] * len(axis)
    return _ops.roll(x, shift, axis)


def repeat(x: Array, repeats: Size | Array, /, *, axis: int | None = None) -> Tensor:
    """Every element so many times in a row along an axis; None: of the flattened array. An array of numbers is evaluated."""
    if isinstance(repeats, (int, Dim)):
        return _ops.repeat(x, repeats, axis)
    tensor, counts = asarray(x), np.asarray(repeats)
    size = math.prod(tensor.shape) if axis is None else tensor.shape[axis]
    return _ops.take(tensor, _core.from_numpy(np.repeat(np.arange(size), counts), None), axis)


def tile(x: Array, repetitions: Sequence[Size], /) -> Tensor:
    """The array so many times along each axis."""
    return _ops.tile(x, repetitions)


def reshape(x: Array, /, shape: Shape, *, copy: bool | None = None) -> Tensor:
    """The same elements in row-major order under another shape; one size may be -1."""
    return _ops.reshape(x, _sizes(shape))


def broadcast_to(x: Array, /, shape: Shape) -> Tensor:
    """Axes of size 1 stretched, and missing ones added on the left."""
    return _ops.broadcast_to(x, _sizes(shape))


def broadcast_arrays(*arrays: Array) -> list[Tensor]:
    """All of them in their common shape."""
    tensors = [asarray(each) for each in arrays]
    shape = broadcast_shapes(*[tensor.shape for tensor in tensors])
    return [_ops.broadcast_to(tensor, shape) for tensor in tensors]


def broadcast_shapes(*shapes: Sequence[Size]) -> tuple[Size, ...]:
    """NumPy's broadcast of shapes."""
    result: list[Size] = []
    for shape in shapes:
        longer, shorter = (list(shape), result) if len(shape) > len(result) else (result, list(shape))
        for i in range(1, len(shorter) + 1):
            if longer[-i] == 1:
                longer[-i] = shorter[-i]
            elif shorter[-i] != 1 and shorter[-i] != longer[-i]:
                raise ValueError(f"shapes {tuple(longer)} and {tuple(shorter)} do not broadcast")
        result = longer
    return tuple(result)


# --- products ----------------------------------------------------------------------------------------------------------------------------


def tensordot(x1: Array, x2: Array, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """Products summed over pairs of axes: the last n of x1 with the first n of x2, or those listed."""
    a, b = _promoted([x1, x2])
    if isinstance(axes, int):
        return _ops.tensordot(a, b, list(range(a.ndim - axes, a.ndim)), list(range(axes)))
    return _ops.tensordot(a, b, list(axes[0]), list(axes[1]))


def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Tensor:
    """The products of conj(x1) with x2, summed along an axis."""
    a, b = _promoted([x1, x2])
    return _ops.vecdot(a, b, axis)


def matmul(x1: Array, x2: Array, /) -> Tensor:
    """The matrix product over the last two axes; those before broadcast."""
    a, b = _promoted([x1, x2])
    return _ops.matmul(a, b)

