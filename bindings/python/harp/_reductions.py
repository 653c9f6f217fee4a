"""Reductions and running values along axes."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _ops
from ._conversion import asarray, promoted
from ._core import Tensor
from ._creation import full
from ._dtypes import COMPLEX, REAL_FLOATS, SIGNED, UNSIGNED, bfloat16, bool_, float16, float32, float64, int64, uint64
from ._tree import is_array
from ._types import Array, Axes, DTypeLike, Number


def _sum_dtype(x: Tensor, dtype: DTypeLike | None) -> Tensor:
    """Returns x in the dtype in which sums are computed: integers narrower than 64 bits would soon overflow."""
    if dtype is not None:
        return x.astype(dtype)
    if x.dtype is bool_ or x.dtype in SIGNED:
        return x.astype(int64)
    return x.astype(uint64) if x.dtype in UNSIGNED else x


def floats_of(x: Any) -> Tensor:
    """A tensor of floats: integers and bools become float32, as in all float functions."""
    tensor = asarray(x)
    return tensor if tensor.dtype in REAL_FLOATS + COMPLEX else tensor.astype(float32)


def rounded_once(x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Returns function(x), a function of several operations. For float16 and bfloat16 it computes in float32, and only its result is rounded."""
    return function(x.astype(float32)).astype(x.dtype) if x.dtype in (float16, bfloat16) else function(x)


def sum(x: Array, /, axis: Axes = None, dtype: DTypeLike | None = None, *, keepdims: bool = False) -> Tensor:
    """The sum over axes (None: all). Integers are added in 64 bits unless `dtype` says otherwise."""
    return _ops.sum(_sum_dtype(asarray(x), dtype), axis, keepdims)


def prod(x: Array, /, axis: Axes = None, dtype: DTypeLike | None = None, *, keepdims: bool = False) -> Tensor:
    """The product over axes (None: all). Integers are multiplied in 64 bits unless `dtype` says otherwise."""
    return _ops.prod(_sum_dtype(asarray(x), dtype), axis, keepdims)


def max(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """The greatest element over axes (None: all); the result is NaN if an element is NaN."""
    return _ops.max(asarray(x), axis, keepdims)


def min(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """The least element over axes (None: all); the result is NaN if an element is NaN."""
    return _ops.min(asarray(x), axis, keepdims)


def mean(x: Array, /, axis: Axes = None, dtype: DTypeLike | None = None, *, keepdims: bool = False) -> Tensor:
    """The mean over axes (None: all), computed in `dtype` if it is given."""
    return _ops.mean(asarray(x) if dtype is None else asarray(x).astype(dtype), axis, keepdims)


def any(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Whether at least one element over axes (None: all) is not 0."""
    return _ops.any(asarray(x), axis, keepdims)


def all(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Whether all elements over axes (None: all) are not 0."""
    return _ops.all(asarray(x), axis, keepdims)


def count_nonzero(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """The number of nonzero elements over axes (None: all)."""
    return _ops.count_nonzero(asarray(x), axis, keepdims)


def var(
    x: Array,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    *,
    correction: float = 0.0,
    keepdims: bool = False,
    ddof: float | None = None,
) -> Tensor:
    """The variance: the sum of squared distances from the mean, divided by count - correction. ddof is NumPy's name of correction. Computed
    in `dtype` if it is given."""
    tensor = asarray(x) if dtype is None else asarray(x).astype(dtype)
    correction = correction if ddof is None else ddof
    if float(correction).is_integer():
        return _ops.var(tensor, axis, int(correction), keepdims)
    return rounded_once(floats_of(tensor), lambda wide: _var(wide, axis, correction, keepdims))


def _var(x: Tensor, axis: Axes, correction: float, keepdims: bool) -> Tensor:
    """The variance with a correction that is no integer."""
    count = _ops.cast(_ops.count_nonzero(_ops.full(asarray(True), x.shape), axis, keepdims), float64)
    return _ops.var(x, axis, 0, keepdims) * _ops.cast(count / _ops.maximum(count - correction, 0), x.dtype)


def std(
    x: Array,
    /,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    *,
    correction: float = 0.0,
    keepdims: bool = False,
    ddof: float | None = None,
) -> Tensor:
    """The square root of var(). Its gradient is 0 where the variance is 0."""
    correction = correction if ddof is None else ddof
    tensor = asarray(x) if dtype is None else asarray(x).astype(dtype)
    if float(correction).is_integer():
        return _ops.std(tensor, axis, int(correction), keepdims)
    return rounded_once(floats_of(tensor), lambda wide: root_of_variance(_var(wide, axis, correction, keepdims)))


def root_of_variance(variance: Tensor) -> Tensor:
    """The square root, with a gradient of 0 at 0, as std of harp's other interfaces."""
    zero = _ops.equal(variance, 0)
    return _ops.where(zero, 0, _ops.sqrt(_ops.where(zero, 1, variance)))


def argmax(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
    """The index of the greatest element along an axis (None: in the flattened array)."""
    return _arg_extreme(_ops.argmax, x, axis, keepdims)


def argmin(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
    """The index of the least element along an axis (None: in the flattened array)."""
    return _arg_extreme(_ops.argmin, x, axis, keepdims)


def _arg_extreme(operation: Any, x: Array, axis: int | None, keepdims: bool) -> Tensor:
    tensor = asarray(x)
    if axis is None and keepdims:
        return _ops.reshape(operation(tensor, None, False), [1] * tensor.ndim)
    return operation(tensor, axis, keepdims)  # type: ignore[no-any-return]


def cumulative_sum(x: Array, /, axis: int | None = None, *, dtype: DTypeLike | None = None, include_initial: bool = False) -> Tensor:
    """Running sums along an axis. include_initial: the first element of the result is an additional 0."""
    return _running(_ops.cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(x: Array, /, axis: int | None = None, *, dtype: DTypeLike | None = None, include_initial: bool = False) -> Tensor:
    """Running products along an axis. include_initial: the first element of the result is an additional 1."""
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


def diff(
    x: Array, /, n: int = 1, axis: int = -1, prepend: Array | Number | None = None, append: Array | Number | None = None
) -> Tensor:
    """The difference x[1:] - x[:-1] along an axis, applied n times. prepend, append: what stands before and after x along the axis; a number
    stands for one position."""
    tensor = asarray(x)
    if prepend is None and append is None:
        return _ops.diff(tensor, n, axis)
    parts = []
    for part in (prepend, tensor, append):
        if part is None:
            continue
        each = asarray(part, dtype=None if is_array(part) else tensor.dtype)
        if each.ndim == 0 and tensor.ndim:
            each = _ops.broadcast_to(each, [1 if i == axis % tensor.ndim else s for i, s in enumerate(tensor.shape)])
        parts.append(each)
    return _ops.diff(_ops.concat(promoted(parts), axis), n, axis)


def cumsum(
    x: Array, /, axis: int | None = None, exclusive: bool = False, reverse: bool = False, *, dtype: DTypeLike | None = None
) -> Tensor:
    """Running sums along an axis; None: of the flattened array. exclusive: the sum before each element, without it. reverse: from the end.
    Integers are added in 64 bits unless `dtype` says otherwise."""
    return _ops.cumsum(_in_dtype("cumsum", x, dtype, exclusive), axis, exclusive, reverse)


def cumprod(
    x: Array, /, axis: int | None = None, exclusive: bool = False, reverse: bool = False, *, dtype: DTypeLike | None = None
) -> Tensor:
    """Running products along an axis; None: of the flattened array. The other parameters are those of cumsum()."""
    return _ops.cumprod(_in_dtype("cumprod", x, dtype, exclusive), axis, exclusive, reverse)


def _in_dtype(name: str, x: Array, dtype: DTypeLike | None, exclusive: Any) -> Tensor:
    if not isinstance(exclusive, (bool, int, np.bool_)):  # NumPy's third parameter is the dtype
        raise TypeError(f"{name}: `exclusive` is a bool, got {exclusive!r}; the dtype is given as dtype=")
    return _sum_dtype(asarray(x), dtype)
