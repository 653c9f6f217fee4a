"""Numerical functions of NumPy that the Array API does not have: interpolation, convolution, differences and integrals, polynomials, sets,
windows, and elementwise functions."""
from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core, _ops
from ._conversion import asarray, promoted, values_of
from ._core import Dim, Tensor
from ._creation import beside
from ._dtypes import COMPLEX, REAL_FLOATS, bool_, dtype_of, float32, int64
from ._errors import InvalidArgumentError, ShapeError
from ._reductions import floats_of
from ._tree import is_array
from ._types import Array, DTypeLike, Number


def interp(
    x: Array | Number, xp: Array, fp: Array, /, left: Number | None = None, right: Number | None = None, period: float | None = None
) -> Tensor:
    """Linear interpolation between the points (xp[i], fp[i]); xp ascends. left, right: the values before the first and after the last point
    (None: those of these points). period: the period of the x-coordinates; xp need not ascend then."""
    points = floats_of(xp)
    at, points = promoted([floats_of(beside(points, x)), points])
    values = floats_of(fp)
    if points.ndim != 1 or tuple(points.shape) != tuple(values.shape):
        raise ShapeError(f"interp: xp and fp have shapes {tuple(points.shape)} and {tuple(values.shape)}; expected one axis of the same size")
    if isinstance(points.shape[0], int) and points.shape[0] == 0:
        raise ShapeError("interp: expected at least one point, got none")
    if period is not None:
        if period == 0:
            raise InvalidArgumentError("interp: expected a period other than 0")
        period = builtins.abs(period)
        at, points = at % period, points % period
        order = _ops.argsort(points)
        points, values = _ops.take(points, order, 0), _ops.take(values, order, 0)
        points = _ops.concat([points[-1:] - period, points, points[:1] + period], 0)
        values = _ops.concat([values[-1:], values, values[:1]], 0)
        left = right = None
    count = points.shape[0]
    after = _ops.searchsorted(points, at, "right")
    before = _ops.maximum(after - 1, 0)
    after = _ops.minimum(after, count - 1)
    x0, x1, y0, y1 = (_ops.take(array, index, 0) for array, index in ((points, before), (points, after), (values, before), (values, after)))
    width = x1 - x0  # 0 if `at` is before the first or after the last point
    outside = _ops.equal(width, 0)
    made = _ops.where(outside, y0, y0 + (at - x0) * ((y1 - y0) / _ops.where(outside, 1, width)))
    if left is not None:
        made = _ops.where(_ops.less(at, points[0]), left, made)
    if right is not None:
        made = _ops.where(_ops.greater(at, points[-1]), right, made)
    return _ops.where(_ops.isnan(at), math.nan, made)


def convolve(a: Array, v: Array, /, mode: str = "full") -> Tensor:
    """The convolution of two arrays of one axis: with all m + n - 1 elements ("full"), the max(m, n) middle ones ("same"), or those for
    which no element beyond an end is needed ("valid")."""
    x, y = _two_rows("convolve", a, v, mode)
    if y.shape[0] > x.shape[0]:
        x, y = y, x
    return _sliding(x, _ops.flip(y, 0), mode)


def correlate(a: Array, v: Array, /, mode: str = "valid") -> Tensor:
    """The sums over n of a[n + k] * conj(v[n]), for the k that `mode` selects as in convolve()."""
    x, y = _two_rows("correlate", a, v, mode)
    if y.shape[0] > x.shape[0]:
        return _ops.flip(_conj(_sliding(y, _conj(x), mode)), 0)
    return _sliding(x, _conj(y), mode)


def _conj(x: Tensor) -> Tensor:
    return _ops.conj(x) if x.dtype in COMPLEX else x


def _two_rows(name: str, a: Array, v: Array, mode: str) -> list[Tensor]:
    if mode not in ("full", "same", "valid"):
        raise InvalidArgumentError(f"{name}: expected the mode 'full', 'same' or 'valid', got {mode!r}")
    rows = promoted([a, v])
    rows = [_ops.cast(row, int64) if row.dtype is bool_ else row for row in rows]
    for row in rows:
        if row.ndim != 1:
            raise ShapeError(f"{name}: expected arrays of one axis, got shape {tuple(row.shape)}")
        if isinstance(row.shape[0], Dim):
            raise TypeError(f"{name}: expected sizes that are numbers, got the symbolic size {row.shape[0]!r}; conv1d takes symbolic sizes")
        if row.shape[0] == 0:
            raise ShapeError(f"{name}: expected at least one element in each array, got none")
    return rows


def _sliding(x: Tensor, kernel: Tensor, mode: str) -> Tensor:
    """The sums of the products of the kernel with each window of x, which is at least as long."""
    if x.dtype in COMPLEX:
        a, b, c, d = _ops.real(x), _ops.imag(x), _ops.real(kernel), _ops.imag(kernel)
        re = _sliding(a, c, mode) - _sliding(b, d, mode)
        return _ops.complex_from_parts(re, _sliding(a, d, mode) + _sliding(b, c, mode))
    width = kernel.shape[0]
    before = {"full": width - 1, "same": width // 2, "valid": 0}[mode]
    after = {"full": width - 1, "same": width - 1 - width // 2, "valid": 0}[mode]
    padded = _ops.pad(x, [before], [after]) if before or after else x
    return _ops.reshape(_ops.conv1d(_ops.reshape(padded, [1, 1, -1]), _ops.reshape(kernel, [1, 1, -1])), [-1])


def _part(x: Tensor, axis: int, start: int | None, stop: int | None) -> Tensor:
    none: list[Any] = [None] * x.ndim
    starts, stops = builtins.list(none), builtins.list(none)
    starts[axis], stops[axis] = start, stop
    return _ops.slice(x, starts, stops, [1] * x.ndim)


def _one(x: Tensor, axis: int, position: int) -> Tensor:
    """The elements at one position along an axis, which stays as an axis of size 1. If the size is symbolic, selects by an index array,
    because a slice would have to be proven to be within bounds."""
    if isinstance(x.shape[axis], int):
        return _part(x, axis, position, position + 1 if position != -1 else None)
    return _ops.take(x, _core.from_numpy(np.array([position]), None), axis)


def _along(values: Tensor, x: Tensor, axis: int) -> Tensor:
    """Reshapes an array of one axis to the rank of x, so that its elements lie along this axis and broadcast along the others."""
    return _ops.reshape(values, [-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])


def trapezoid(y: Array, x: Array | None = None, /, dx: float | Array = 1.0, axis: int = -1) -> Tensor:
    """The integral along an axis by the trapezoidal rule, for points at distance dx or at the positions x."""
    values = floats_of(y)
    width: Any = dx
    if x is not None:
        at = floats_of(x)
        width = _ops.diff(at, 1, 0 if at.ndim == 1 else axis)
        if at.ndim == 1:
            width = _along(width, values, axis)
    return _ops.sum(width * (_part(values, axis, 1, None) + _part(values, axis, None, -1)) * 0.5, axis, False)


def gradient(f: Array, /, *spacing: Array | Number, axis: int | Sequence[int] | None = None, edge_order: int = 1) -> Any:
    """The derivative along an axis by central differences, and by one-sided ones at the ends; a list of them, for several axes (None: all).
    spacing: the distance of the points, or their positions; one for all axes or one each. edge_order: 1 or 2."""
    tensor = floats_of(f)
    axes = builtins.list(range(tensor.ndim)) if axis is None else [axis] if isinstance(axis, (int, np.integer)) else builtins.list(axis)
    if edge_order not in (1, 2):
        raise InvalidArgumentError(f"gradient: expected edge_order 1 or 2, got {edge_order!r}")
    if len(spacing) not in (0, 1, len(axes)):
        raise TypeError(f"gradient: expected one spacing, or one for each of the {len(axes)} axes, got {len(spacing)}")
    steps: list[Any] = builtins.list(spacing) if len(spacing) == len(axes) else [spacing[0] if spacing else 1.0] * len(axes)
    made = [_derivative(tensor, step, each, edge_order) for step, each in zip(steps, axes)]
    return made[0] if len(made) == 1 else made


def _derivative(f: Tensor, step: Any, axis: int, edge_order: int) -> Tensor:
    count = f.shape[axis]
    if isinstance(count, int) and count < edge_order + 1:
        raise ShapeError(f"gradient: expected at least {edge_order + 1} points along axis {axis}, got {count}")
    before, here, after = _part(f, axis, None, -2), _part(f, axis, 1, -1), _part(f, axis, 2, None)
    if is_array(step) and asarray(step).ndim == 1 or isinstance(step, (list, tuple)):
        positions = floats_of(step)
        if positions.shape[0] != count:
            raise ShapeError(f"gradient: {positions.shape[0]} positions for an axis of size {count}")
        widths = _along(_ops.diff(positions), f, axis)
        left, right = _part(widths, axis, None, -1), _part(widths, axis, 1, None)
        both = left + right
        middle = before * (-right / (left * both)) + here * ((right - left) / (left * right)) + after * (left / (right * both))
        first, second, last, previous = (_one(widths, axis, i) for i in (0, 1, -1, -2))
    else:
        middle = (after - before) / (2.0 * step)
        first = second = last = previous = step
    ends = [_one(f, axis, i) for i in range(edge_order + 1)]
    tails = [_one(f, axis, -1 - i) for i in range(edge_order + 1)]
    if edge_order == 1:
        start, stop = (ends[1] - ends[0]) / first, (tails[0] - tails[1]) / last
    else:
        start, stop = _end(ends, first, second), -_end(tails, last, previous)
    return _ops.concat(promoted([start, middle, stop]), axis)


def _end(points: Sequence[Tensor], h1: Any, h2: Any) -> Tensor:
    """The derivative at the first of three points by the parabola through them."""
    both = h1 + h2
    made: Tensor = points[0] * (-(2.0 * h1 + h2) / (h1 * both)) + points[1] * (both / (h1 * h2)) - points[2] * (h1 / (h2 * both))
    return made


def polyval(p: Array | Sequence[Number], x: Array | Number, /) -> Tensor:
    """The polynomial with these coefficients, the highest power first, by Horner's rule."""
    coefficients = asarray(p)
    at = beside(coefficients, x)
    if coefficients.ndim != 1 or isinstance(coefficients.shape[0], Dim):
        raise ShapeError(f"polyval: expected coefficients along one axis whose size is a number, got shape {tuple(coefficients.shape)}")
    made = _ops.full(asarray(0, dtype=at.dtype), at.shape)
    for i in range(coefficients.shape[0]):
        made = made * at + coefficients[i]
    return made


def polyfit(x: Array, y: Array, deg: int, /) -> Tensor:
    """The coefficients, the highest power first, of the polynomial of this degree with the least sum of squared distances from the points."""
    from ._numpy_indices import vander
    from .linalg import lstsq

    at, values = promoted([floats_of(x), floats_of(y)])
    if at.ndim != 1 or values.shape[0] != at.shape[0]:
        raise ShapeError(f"polyfit: x and y have shapes {tuple(at.shape)} and {tuple(values.shape)}; expected one axis of the same size in x")
    matrix = vander(at, deg + 1)
    scale = _ops.sqrt(_ops.sum(matrix * matrix, 0, False))  # as in NumPy, columns are scaled to the length 1, for a better condition number
    made = lstsq(matrix / scale, values)[0]
    return made / (scale if made.ndim == 1 else scale[:, None])


def polyder(p: Array | Sequence[Number], m: int = 1, /) -> Tensor:
    """The coefficients of the m-th derivative of a polynomial."""
    made = asarray(p)
    for _ in range(m):
        count = made.shape[0]
        made = made[:-1] * _core.from_numpy(np.arange(count - 1, 0, -1), None) if count > 1 else made[:0]
    return made


def polyint(p: Array | Sequence[Number], m: int = 1, /) -> Tensor:
    """The coefficients of the m-th integral of a polynomial; its lowest ones are 0."""
    made = floats_of(p)
    for _ in range(m):
        powers = _core.from_numpy(np.arange(made.shape[0], 0, -1), None)
        made = _ops.concat([made / powers, _ops.full(asarray(0, dtype=made.dtype), [1])], 0)
    return made


def polymul(p: Array | Sequence[Number], q: Array | Sequence[Number], /) -> Tensor:
    """The coefficients of the product of two polynomials."""
    return convolve(asarray(p), asarray(q))


def polyadd(p: Array | Sequence[Number], q: Array | Sequence[Number], /) -> Tensor:
    """The coefficients of the sum of two polynomials."""
    a, b = asarray(p), asarray(q)
    rank = builtins.max(a.shape[0], b.shape[0])
    a, b = (_ops.pad(each, [rank - each.shape[0]], [0]) for each in (a, b))
    return a + b


def points(of_numpy: Any, dtype: DTypeLike | None) -> Tensor:
    return _core.from_numpy(np.asarray(of_numpy, dtype=np.float64), None).astype(float32 if dtype is None else dtype_of(dtype))


def hanning(m: int, /, *, dtype: DTypeLike | None = None) -> Tensor:
    """The Hann window of m elements, float32 unless `dtype` says otherwise."""
    return points(np.hanning(m), dtype)


def hamming(m: int, /, *, dtype: DTypeLike | None = None) -> Tensor:
    """The Hamming window of m elements."""
    return points(np.hamming(m), dtype)


def blackman(m: int, /, *, dtype: DTypeLike | None = None) -> Tensor:
    """The Blackman window of m elements."""
    return points(np.blackman(m), dtype)


def bartlett(m: int, /, *, dtype: DTypeLike | None = None) -> Tensor:
    """The triangular window of m elements."""
    return points(np.bartlett(m), dtype)


def kaiser(m: int, beta: float, /, *, dtype: DTypeLike | None = None) -> Tensor:
    """The Kaiser window of m elements."""
    return points(np.kaiser(m, beta), dtype)


def deg2rad(x: Array | Number, /) -> Tensor:
    """Degrees converted to radians."""
    return floats_of(x) * (math.pi / 180)


def rad2deg(x: Array | Number, /) -> Tensor:
    """Radians converted to degrees."""
    return floats_of(x) * (180 / math.pi)


def sinc(x: Array | Number, /) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0."""
    angle = floats_of(x) * math.pi
    small = _ops.less(_ops.abs(angle), 0.5)
    # Near 0, the derivatives of sin(angle) / angle are small differences of large numbers; those of the Taylor series are accurate.
    square = _ops.square(_ops.where(small, angle, 0))
    series = square * 0
    for n in range(8, 0, -1):
        series = (series + (-1) ** n / math.factorial(2 * n + 1)) * square
    other = _ops.where(small, 1, angle)
    return _ops.where(small, 1 + series, _ops.sin(other) / other)


def heaviside(x1: Array, x2: Array | Number, /) -> Tensor:
    """0 where x1 < 0, x2 where it is 0, 1 where x1 > 0; NaN stays."""
    tensor = floats_of(x1)
    made = _ops.where(_ops.less(tensor, 0), 0, _ops.where(_ops.equal(tensor, 0), x2, 1))
    return _ops.where(_ops.isnan(tensor), tensor, made)


def fmax(x1: Array | Number, x2: Array | Number, /) -> Tensor:
    """The greater operand; a number wins over NaN."""
    return _but_nan("fmax", _ops.maximum, x1, x2)


def fmin(x1: Array | Number, x2: Array | Number, /) -> Tensor:
    """The lesser operand; a number wins over NaN."""
    return _but_nan("fmin", _ops.minimum, x1, x2)


def _but_nan(name: str, operation: Any, x1: Any, x2: Any) -> Tensor:
    a, b = promoted(_core.operands(name, x1, x2))
    made: Tensor = operation(a, b)
    return made if a.dtype not in REAL_FLOATS else _ops.where(_ops.isnan(a), b, _ops.where(_ops.isnan(b), a, made))


def logaddexp2(x1: Array | Number, x2: Array | Number, /) -> Tensor:
    """log2(2 ** x1 + 2 ** x2), computed without overflow."""
    a, b = floats_of(x1), floats_of(x2)
    infinite = _ops.logical_and(_ops.isinf(a), _ops.equal(a, b))  # the difference would be NaN
    difference = _ops.where(infinite, 0, a) - _ops.where(infinite, 0, b)
    first = _ops.greater_equal(difference, 0)
    less = _ops.where(first, -difference, difference)
    return _ops.where(first, a, b) + _ops.log1p(_ops.exp2(less)) * (1 / math.log(2))


def divmod(x1: Array | Number, x2: Array | Number, /) -> tuple[Tensor, Tensor]:  # noqa: A001
    """The pair (floor_divide(x1, x2), remainder(x1, x2))."""
    return _ops.floor_divide(x1, x2), _ops.remainder(x1, x2)


def modf(x: Array | Number, /) -> tuple[Tensor, Tensor]:
    """The fractional and the whole part, both with x's sign."""
    tensor = floats_of(x)
    whole = _ops.trunc(tensor)
    rest = _ops.where(_ops.isinf(tensor), 0, tensor - whole)
    return _ops.copysign(rest, tensor), whole


def isposinf(x: Array | Number, /) -> Tensor:
    """Whether each element is +infinity."""
    return _ops.equal(asarray(x), math.inf)


def isneginf(x: Array | Number, /) -> Tensor:
    """Whether each element is -infinity."""
    return _ops.equal(asarray(x), -math.inf)


def isreal(x: Array | Number, /) -> Tensor:
    """Whether the imaginary part of each element is 0."""
    tensor = asarray(x)
    return _ops.equal(_ops.imag(tensor), 0) if tensor.dtype in COMPLEX else _ops.full(asarray(True), tensor.shape)


def iscomplexobj(x: Any, /) -> bool:
    """Whether x has a complex dtype."""
    return asarray(x).dtype in COMPLEX


def unique(x: Array, /, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The distinct values in ascending order; if asked for, also the index of the first occurrence of each, for each element the index of
    its value, and the number of occurrences of each value. All NaN are one value. Evaluates x, because sizes depend on values."""
    array: Any = values_of("unique", x)
    found: Any = np.unique(array, return_index=return_index, return_inverse=return_inverse, return_counts=return_counts)  # type: ignore[call-overload]
    if not isinstance(found, tuple):
        return _core.from_numpy(found, None)
    parts = [found[0]] + [np.asarray(part, dtype=np.int64) for part in found[1:]]
    if return_inverse:
        at = 1 + return_index
        parts[at] = parts[at].reshape(array.shape)
    return tuple(_core.from_numpy(part, None) for part in parts)


def isin(x1: Array | Number, x2: Array | Number | Sequence[Number], /, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each element of x1 is one of those of x2 (invert: is none of them). NaN equals nothing. assume_unique changes nothing."""
    given: Any = asarray(x2) if isinstance(x2, (list, tuple)) else x2
    a, b = promoted(_core.operands("isin", x1, given))
    return _ops.isin(a, b, invert)


def union1d(x1: Array, x2: Array, /) -> Tensor:
    """The distinct values of both arrays in ascending order. Evaluates them."""
    return _core.from_numpy(np.union1d(values_of("union1d", x1), values_of("union1d", x2)), None)


def intersect1d(x1: Array, x2: Array, /) -> Tensor:
    """The distinct values that are in both arrays, in ascending order. Evaluates them."""
    return _core.from_numpy(np.intersect1d(values_of("intersect1d", x1), values_of("intersect1d", x2)), None)


def setdiff1d(x1: Array, x2: Array, /) -> Tensor:
    """The distinct values of x1 that are not in x2, in ascending order. Evaluates them."""
    return _core.from_numpy(np.setdiff1d(values_of("setdiff1d", x1), values_of("setdiff1d", x2)), None)
