"""Elementwise functions that harp.h lacks, or that it has only for some dtypes."""
from __future__ import annotations

import math
from typing import Any, Protocol

from . import _core, _ops
from ._conversion import asarray
from ._core import Tensor
from ._creation import zeros_like
from ._dtypes import COMPLEX, REAL_FLOATS, SIGNED, UNSIGNED, DType
from ._types import Array, Number


def bitwise_left_shift(x1: Array | Number, x2: Array | Number, /) -> Tensor:
    """Shifts x1 left by x2 bits; 0 if x2 is at least the width. (harp.h takes x2 modulo the width.)"""
    a, b = _core.operands("bitwise_left_shift", x1, x2)
    bits = 8 * _ops.bitwise_and(a, b).dtype.itemsize
    if isinstance(x2, int):
        _require_shift(x2)
        return _ops.bitwise_left_shift(a, b) if x2 < bits else zeros_like(a)
    return _ops.where(_within(b, bits), _ops.bitwise_left_shift(a, b), 0)


def bitwise_right_shift(x1: Array | Number, x2: Array | Number, /) -> Tensor:
    """Shifts x1 right by x2 bits; if x2 is at least the width, the result is 0, or -1 for a negative number. (harp.h takes x2 modulo the
    width.)"""
    a, b = _core.operands("bitwise_right_shift", x1, x2)
    bits = 8 * _ops.bitwise_and(a, b).dtype.itemsize
    if isinstance(x2, int):
        _require_shift(x2)
    if a.dtype in SIGNED:
        return _ops.bitwise_right_shift(a, _ops.where(_within(b, bits), b, bits - 1))
    return _ops.where(_within(b, bits), _ops.bitwise_right_shift(a, b), 0)


def _require_shift(by: int) -> None:
    if by < 0:
        raise ValueError(f"negative shift count: {by}")


def _within(by: Tensor, bits: int) -> Tensor:
    """Tests, for each element, whether the shift count `by` is in 0 ... bits - 1. A shift by any other count, also by a negative one, moves
    all bits out, as in NumPy."""
    small = _ops.less(by, bits)
    return _ops.logical_and(small, _ops.greater_equal(by, 0)) if by.dtype in SIGNED else small


def positive(x: Array, /) -> Tensor:
    """x itself, which must have numbers: bool is a TypeError."""
    return +asarray(x)


def clip(x: Array, /, min: Array | Number | None = None, max: Array | Number | None = None) -> Tensor:
    """x between two bounds, either of which may be None. The result has x's dtype, unless a bound is of a higher kind: of integers and float
    bounds it is float."""
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
    return made if _kind(made.dtype) > _kind(dtype) else _ops.cast(made, dtype)


def _kind(dtype: DType) -> int:
    """The position of a dtype's kind in the order bool, integer, float, complex."""
    return 3 if dtype in COMPLEX else 2 if dtype in REAL_FLOATS else 1 if dtype in SIGNED + UNSIGNED else 0


class _Unary(Protocol):
    def __call__(self, x: Array, /) -> Tensor: ...


def _whole(name: str) -> Any:
    operation = getattr(_ops, name)

    def function(x: Array, /) -> Tensor:
        tensor = asarray(x)
        return tensor if tensor.dtype in SIGNED + UNSIGNED else operation(tensor)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{operation.__doc__} Integers stay what they are."
    return function


floor: _Unary = _whole("floor")
ceil: _Unary = _whole("ceil")
trunc: _Unary = _whole("trunc")


def round(x: Array, /, decimals: int = 0) -> Tensor:
    """Rounds to the nearest integer, ties to even, or to this many decimals; for negative `decimals`, to tens, hundreds ... The parts of
    complex numbers are rounded separately."""
    tensor = asarray(x)
    if decimals and tensor.dtype in REAL_FLOATS + COMPLEX:
        scale = 10.0 ** abs(decimals)
        return round(tensor * scale) / scale if decimals > 0 else round(tensor / scale) * scale
    if decimals < 0:
        return _to_multiples(tensor, 10**-decimals)
    if tensor.dtype in COMPLEX:
        return _ops.complex_from_parts(_ops.round(_ops.real(tensor)), _ops.round(_ops.imag(tensor)))
    return tensor if tensor.dtype in SIGNED + UNSIGNED else _ops.round(tensor)


def _to_multiples(x: Tensor, unit: int) -> Tensor:
    """Rounds integers to the nearest multiple of an even number, ties to even multiples."""
    rest = x % unit
    down = x - rest
    odd = _ops.not_equal(down // unit % 2, 0)
    up = _ops.logical_or(_ops.greater(rest, unit // 2), _ops.logical_and(_ops.equal(rest, unit // 2), odd))
    return _ops.where(up, down + unit, down)


def _of_complex(name: str, formula: Any) -> Any:
    operation = getattr(_ops, name)

    def function(x: Array, /) -> Tensor:
        tensor = asarray(x)
        return formula(tensor) if tensor.dtype in COMPLEX else operation(tensor)  # type: ignore[no-any-return]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{operation.__doc__} Of complex numbers by the formula of logarithms and roots."
    return function


def _plus(z: Tensor, number: int) -> Tensor:
    """z + number, with the imaginary part as it is. The sum of two complex numbers makes +0 of an imaginary part of -0, and so would change
    the side of a branch cut on which z lies."""
    return _ops.complex_from_parts(_ops.real(z) + number, _ops.imag(z))


def _times_i(z: Tensor) -> Tensor:
    return _ops.complex_from_parts(-_ops.imag(z), _ops.real(z))


def _over_i(z: Tensor) -> Tensor:
    return _ops.complex_from_parts(_ops.imag(z), -_ops.real(z))


def _asinh_formula(z: Tensor) -> Tensor:
    # asinh(z) is log(z + sqrt(z*z + 1)). For Re z < 0 the two terms of the sum cancel, so -asinh(-z) is computed instead.
    negative = _ops.less(_ops.real(z), 0)
    w = _ops.where(negative, -z, z)
    made = _ops.log(w + _ops.sqrt(_plus(w * w, 1)))
    return _ops.where(negative, -made, made)


def _atanh_formula(z: Tensor) -> Tensor:
    return (_ops.log(_plus(z, 1)) - _ops.log(_plus(-z, 1))) * 0.5


def _acosh_formula(z: Tensor) -> Tensor:
    return _ops.log(z + _ops.sqrt(_plus(z, 1)) * _ops.sqrt(_plus(z, -1)))


expm1: _Unary = _of_complex("expm1", lambda z: _ops.exp(z) - 1)
log1p: _Unary = _of_complex("log1p", lambda z: _ops.log(_plus(z, 1)))
log2: _Unary = _of_complex("log2", lambda z: _ops.log(z) * (1 / math.log(2)))
log10: _Unary = _of_complex("log10", lambda z: _ops.log(z) * (1 / math.log(10)))
asinh: _Unary = _of_complex("asinh", _asinh_formula)
acosh: _Unary = _of_complex("acosh", _acosh_formula)
atanh: _Unary = _of_complex("atanh", _atanh_formula)
asin: _Unary = _of_complex("asin", lambda z: _over_i(_asinh_formula(_times_i(z))))
acos: _Unary = _of_complex("acos", lambda z: math.pi / 2 + _times_i(_asinh_formula(_times_i(z))))
atan: _Unary = _of_complex("atan", lambda z: _over_i(_atanh_formula(_times_i(z))))
