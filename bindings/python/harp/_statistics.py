"""Statistics that NumPy has and the Array API does not: order statistics, averages, covariances, counts; and those that ignore NaN."""
from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core, _ops
from ._conversion import asarray, promoted
from ._core import Dim, Tensor
from ._creation import number_of_dtype
from ._dtypes import COMPLEX, OF_PYTHON, REAL_FLOATS, SIGNED, UNSIGNED, bool_, float32, float64, int64
from ._errors import DTypeError, InvalidArgumentError, ShapeError
from ._reductions import cumprod, cumsum, floats_of, max, mean, min, prod, root_of_variance, rounded_once, sum
from ._searching import searchsorted
from ._tree import is_array
from ._types import Array, Axes, Number


def _last(x: Tensor, axis: Axes) -> tuple[Tensor, list[Any]]:
    """x with the axes (None: all) merged into one, which comes last; and the shape of a reduction along them that keeps these axes."""
    axes = builtins.list(range(x.ndim)) if axis is None else [axis] if isinstance(axis, (int, np.integer)) else builtins.list(axis)
    for each in axes:
        if not isinstance(each, (int, np.integer)):
            raise TypeError(f"an axis is an int, or several are a tuple of ints, not {axis!r}")
        if not -x.ndim <= each < x.ndim:
            raise ShapeError(f"axis {each} is out of range for a tensor of {x.ndim} axes")
    axes = [each % x.ndim for each in axes]
    kept = [each for each in range(x.ndim) if each not in axes]
    shape = [1 if each in axes else n for each, n in enumerate(x.shape)]
    order = kept + axes
    moved = x if order == builtins.list(range(x.ndim)) else _ops.permute_dims(x, order)
    if len(axes) == 1:
        return moved, shape
    return _ops.reshape(moved, [*[x.shape[each] for each in kept], math.prod([x.shape[each] for each in axes])]), shape


_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(
    x: Array, q: Array | Number | Sequence[float], /, axis: Axes = None, *, method: str = "linear", keepdims: bool = False
) -> Tensor:
    """The q-quantile along axes (None: all), 0 <= q <= 1: the element at position q * (count - 1) in ascending order, interpolated by
    `method`: "linear", "lower", "higher", "midpoint", "nearest". If q is an array, its axes come first. NaN if an element is NaN."""
    return _quantile("quantile", x, q, 1.0, axis, method, keepdims, False)


def percentile(
    x: Array, q: Array | Number | Sequence[float], /, axis: Axes = None, *, method: str = "linear", keepdims: bool = False
) -> Tensor:
    """quantile() for q in percent."""
    return _quantile("percentile", x, q, 100.0, axis, method, keepdims, False)


def median(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """The middle element along axes (None: all) in ascending order, or the mean of the two middle ones. NaN if an element is NaN."""
    return _quantile("median", x, 0.5, 1.0, axis, "midpoint", keepdims, False)


def nanquantile(
    x: Array, q: Array | Number | Sequence[float], /, axis: Axes = None, *, method: str = "linear", keepdims: bool = False
) -> Tensor:
    """quantile() of the elements that are not NaN."""
    return _quantile("nanquantile", x, q, 1.0, axis, method, keepdims, True)


def nanpercentile(
    x: Array, q: Array | Number | Sequence[float], /, axis: Axes = None, *, method: str = "linear", keepdims: bool = False
) -> Tensor:
    """percentile() of the elements that are not NaN."""
    return _quantile("nanpercentile", x, q, 100.0, axis, method, keepdims, True)


def nanmedian(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """median() of the elements that are not NaN."""
    return _quantile("nanmedian", x, 0.5, 1.0, axis, "midpoint", keepdims, True)


def _quantile(name: str, x: Array, q: Any, unit: float, axis: Axes, method: str, keepdims: bool, skip_nan: bool) -> Tensor:
    tensor = floats_of(x)
    if tensor.dtype in COMPLEX:
        raise DTypeError(f"{name}: expected real numbers, got {tensor.dtype.name}")
    if method not in _METHODS:
        raise InvalidArgumentError(f"{name}: expected one of the methods {', '.join(map(repr, _METHODS))}, got {method!r}")
    known = not isinstance(q, Tensor)
    if known:
        q = np.asarray(q, dtype=np.float64)
        if q.size and not (q.min() >= 0 and q.max() <= unit):
            raise InvalidArgumentError(f"{name}: expected q in 0 ... {unit:g}, got {q.tolist()!r}")
        q = q / unit
    else:
        q = _ops.cast(q, float64) / unit
    rows, kept_shape = _last(tensor, axis)
    count = rows.shape[-1]
    if isinstance(count, int) and count == 0:
        raise ShapeError(f"{name}: expected at least one element, got shape {tuple(tensor.shape)}")
    order = _ops.sort(rows, -1)
    lib: Any = _ops  # computes the positions of the quantiles: harp, or NumPy if they are known now
    if skip_nan:  # last: the index of the last element that is no NaN; NaN comes last in `order`
        last: Any = _ops.cast(_ops.count_nonzero(_ops.logical_not(_ops.isnan(rows)), -1, True), float64) - 1
    elif known and isinstance(count, int):
        lib, last = np, count - 1
    else:
        last = _ops.cast(_core.to_tensor(count) if isinstance(count, Dim) else asarray(count), float64) - 1
    position = last * (q.reshape(-1) if lib is np else _ops.reshape(q, [-1]))
    low, high = lib.maximum(lib.floor(position), 0), lib.maximum(lib.ceil(position), 0)
    share = None  # the weight of the upper of the two neighbouring elements; None: the result is one element
    if method == "linear":
        share = position - low
    elif method == "midpoint":
        share = lib.where(lib.equal(low, high), 0.0, 0.5)
    elif method == "nearest":
        low = lib.maximum(lib.round(position), 0)
    elif method == "higher":
        low = high
    shape = [*rows.shape[:-1], position.shape[-1]]

    def elements(at: Any) -> Tensor:
        whole = _core.from_numpy(at.astype(np.int64), None) if lib is np else _ops.cast(at, int64)
        return _ops.take_along_axis(order, _ops.broadcast_to(whole, shape), -1) if skip_nan else _ops.take(order, whole, -1)

    made = elements(low)
    if share is not None:
        share = _ops.cast(share, tensor.dtype)
        above = elements(high)
        made = _ops.where(_ops.equal(made, above), made, made + (above - made) * share)
    if not skip_nan:  # NaN comes last in `order`, so the last element is NaN if any element is
        last_is_nan = _ops.isnan(order[..., -1:]) if isinstance(count, int) else _ops.any(_ops.isnan(rows), -1, True)
        made = _ops.where(last_is_nan, math.nan, made)
    if not isinstance(count, int):  # a symbolic size may turn out to be 0
        made = _ops.where(_ops.less(last, 0), math.nan, made)
    made = _ops.moveaxis(made, -1, 0) if made.ndim > 1 else made
    rest = kept_shape if keepdims else builtins.list(rows.shape[:-1])
    return _ops.reshape(made, [*q.shape, *rest])


def ptp(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """The greatest minus the least element over axes (None: all)."""
    return max(x, axis=axis, keepdims=keepdims) - min(x, axis=axis, keepdims=keepdims)


def average(x: Array, /, axis: Axes = None, weights: Array | None = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    """The mean over axes (None: all), with a weight for each element, or for each position along the one axis. returned: the pair (mean,
    sum of the weights)."""
    tensor = floats_of(x)
    if weights is None:
        made = mean(tensor, axis=axis, keepdims=keepdims)
        if not returned:
            return made
        return made, sum(_ops.full(asarray(1, dtype=tensor.dtype), tensor.shape), axis=axis, keepdims=keepdims)
    each = asarray(weights)
    if tuple(each.shape) != tuple(tensor.shape):
        if not isinstance(axis, (int, np.integer)) or each.ndim != 1:
            raise ShapeError(f"average: the weights have shape {tuple(each.shape)}; expected the shape {tuple(tensor.shape)}, or one axis= and a "
                             "weight for each position along it")  # fmt: skip
        if each.shape[0] != tensor.shape[axis]:
            raise ShapeError(f"average: {each.shape[0]} weights for an axis of size {tensor.shape[axis]}")
        each = _ops.broadcast_to(_ops.reshape(each, [-1 if i == axis % tensor.ndim else 1 for i in range(tensor.ndim)]), tensor.shape)
    tensor, each = promoted([tensor, each])
    total = sum(each, axis=axis, keepdims=keepdims)
    made = sum(tensor * each, axis=axis, keepdims=keepdims) / total
    return (made, total) if returned else made


def cov(m: Array, y: Array | None = None, /, rowvar: bool = True, bias: bool = False, ddof: int | None = None) -> Tensor:
    """The matrix of the covariances of variables: the rows of m (and of y), or the columns if `rowvar` is false. Sums of products are
    divided by the count minus ddof: 1, or 0 with bias=True."""
    parts = []
    for each in (m, y):
        if each is None:
            continue
        tensor = floats_of(each)
        if tensor.ndim > 2:
            raise ShapeError(f"cov: expected at most two axes, got shape {tuple(tensor.shape)}")
        rows = _ops.reshape(tensor, [1, -1]) if tensor.ndim < 2 else tensor if rowvar else tensor.T
        parts.append(rows)
    x = _ops.concat(promoted(parts), 0) if len(parts) > 1 else parts[0]
    scalar = len(parts) == 1 and parts[0].shape[0] == 1
    centred = x - _ops.mean(x, -1, True)
    count = x.shape[1]
    less = (0 if bias else 1) if ddof is None else ddof
    divisor: Any = count - less if isinstance(count, int) else _ops.cast(_core.to_tensor(count), x.dtype) - less
    turned = centred.T
    made = _ops.matmul(centred, _ops.conj(turned) if x.dtype in COMPLEX else turned)
    made = made / (builtins.max(divisor, 0) if isinstance(divisor, int) else divisor)
    return _ops.reshape(made, []) if scalar else made


def corrcoef(x: Array, y: Array | None = None, /, rowvar: bool = True) -> Tensor:
    """The matrix of the correlation coefficients of variables: the rows of x (and of y), or the columns if `rowvar` is false."""
    c = cov(x, y, rowvar=rowvar)
    if c.ndim == 0:
        return c / c
    deviations = _ops.sqrt(_ops.real(_ops.diagonal(c)))
    made = c / deviations[:, None] / deviations[None, :]
    return made if made.dtype in COMPLEX else _ops.clip(made, -1, 1)


def _without_nan(x: Array, filler: float) -> Tensor:
    tensor = asarray(x)
    return _ops.where(_ops.isnan(tensor), filler, tensor) if tensor.dtype in REAL_FLOATS + COMPLEX else tensor


def _numbers(x: Array) -> Tensor:
    tensor = asarray(x)
    return _ops.logical_not(_ops.isnan(tensor)) if tensor.dtype in REAL_FLOATS + COMPLEX else _ops.full(asarray(True), tensor.shape)


def nansum(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """sum() of the elements that are not NaN."""
    return sum(_without_nan(x, 0), axis=axis, keepdims=keepdims)


def nanprod(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """prod() of the elements that are not NaN."""
    return prod(_without_nan(x, 1), axis=axis, keepdims=keepdims)


def nanmax(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """max() of the elements that are not NaN; NaN if all are."""
    return _nan_extreme(max, x, -math.inf, axis, keepdims)


def nanmin(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """min() of the elements that are not NaN; NaN if all are."""
    return _nan_extreme(min, x, math.inf, axis, keepdims)


def _nan_extreme(reduction: Any, x: Array, filler: float, axis: Axes, keepdims: bool) -> Tensor:
    tensor = asarray(x)
    if tensor.dtype not in REAL_FLOATS:
        return reduction(tensor, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]
    made = reduction(_without_nan(tensor, filler), axis=axis, keepdims=keepdims)
    return _ops.where(_ops.any(_numbers(tensor), axis, keepdims), made, math.nan)


def nanargmax(x: Array, /, axis: int | None = None) -> Tensor:
    """argmax() of the elements that are not NaN; 0 if all are."""
    return _ops.argmax(_without_nan(x, -math.inf), axis, False)


def nanargmin(x: Array, /, axis: int | None = None) -> Tensor:
    """argmin() of the elements that are not NaN; 0 if all are."""
    return _ops.argmin(_without_nan(x, math.inf), axis, False)


def nanmean(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """mean() of the elements that are not NaN; NaN if all are."""
    return rounded_once(floats_of(x), lambda wide: _nanmean(wide, axis, keepdims))


def _nanmean(tensor: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    count = _ops.cast(_ops.count_nonzero(_numbers(tensor), axis, keepdims), tensor.dtype)
    return sum(_without_nan(tensor, 0), axis=axis, keepdims=keepdims) / count


def nanvar(x: Array, /, axis: Axes = None, *, ddof: float = 0, keepdims: bool = False) -> Tensor:
    """The variance of the elements that are not NaN; NaN if there are at most ddof."""
    return rounded_once(floats_of(x), lambda wide: _nanvar(wide, axis, ddof, keepdims))


def _nanvar(tensor: Tensor, axis: Axes, ddof: float, keepdims: bool) -> Tensor:
    numbers = _numbers(tensor)
    distances = _ops.where(numbers, _ops.abs(tensor - _nanmean(tensor, axis, True)), 0)
    count = _ops.cast(_ops.count_nonzero(numbers, axis, keepdims), distances.dtype) - ddof
    return sum(distances * distances, axis=axis, keepdims=keepdims) / _ops.where(_ops.greater(count, 0), count, math.nan)


def nanstd(x: Array, /, axis: Axes = None, *, ddof: float = 0, keepdims: bool = False) -> Tensor:
    """The square root of nanvar()."""
    return rounded_once(floats_of(x), lambda wide: root_of_variance(_nanvar(wide, axis, ddof, keepdims)))


def nancumsum(x: Array, /, axis: int | None = None) -> Tensor:
    """Running sums, in which NaN counts as 0."""
    return cumsum(_without_nan(x, 0), axis)


def nancumprod(x: Array, /, axis: int | None = None) -> Tensor:
    """Running products, in which NaN counts as 1."""
    return cumprod(_without_nan(x, 1), axis)


def nan_to_num(x: Array, /, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Tensor:
    """NaN replaced by `nan`, infinities by `posinf` and `neginf` (None: the greatest and the least finite number of the dtype)."""
    from ._limits import finfo

    tensor = asarray(x)
    if tensor.dtype in COMPLEX:
        return _ops.complex_from_parts(*(nan_to_num(part(tensor), nan, posinf, neginf) for part in (_ops.real, _ops.imag)))
    if tensor.dtype not in REAL_FLOATS:
        return tensor
    limits = finfo(tensor.dtype)
    made = _ops.where(_ops.isnan(tensor), nan, tensor)
    made = _ops.where(_ops.equal(made, math.inf), limits.max if posinf is None else posinf, made)
    return _ops.where(_ops.equal(made, -math.inf), limits.min if neginf is None else neginf, made)


def digitize(x: Array | Number, bins: Array, /, right: bool = False) -> Tensor:
    """For each element the number of the bin that it lies in: i if bins[i - 1] <= x < bins[i], or bins[i - 1] < x <= bins[i] with
    right=True. The bins ascend, or descend."""
    edges = asarray(bins)
    if edges.ndim != 1:
        raise ShapeError(f"digitize: expected bins of one axis, got shape {tuple(edges.shape)}")
    side = "left" if right else "right"
    up = searchsorted(edges, x, side)
    if not isinstance(edges.shape[0], int) or edges.shape[0] < 2:
        return up
    if not isinstance(bins, Tensor):  # known now
        return up if not edges[0].item() > edges[-1].item() else edges.shape[0] - searchsorted(_ops.flip(edges, 0), x, side)
    down = edges.shape[0] - searchsorted(_ops.flip(edges, 0), x, side)
    return _ops.where(_ops.greater(edges[0], edges[-1]), down, up)


def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0, *, length: int | None = None) -> Tensor:
    """How often each of 0, 1, 2 ... occurs in an array of one axis, or the sums of the weights of its elements.

    The size of the result, the greatest element plus 1 and at least `minlength`, depends on values, so x is evaluated. With `length`, the
    result has this size and nothing is evaluated, so that traced functions can use it; elements outside 0 ... length - 1 are not counted.
    """
    tensor = asarray(x)
    if tensor.ndim != 1:
        raise ShapeError(f"bincount: expected an array of one axis, got shape {tuple(tensor.shape)}")
    if tensor.dtype not in (bool_, *SIGNED, *UNSIGNED):
        raise DTypeError(f"bincount: expected integers, got {tensor.dtype.name}")
    if length is None:
        if _core.is_argument(tensor):
            raise InvalidArgumentError("bincount: the size of the result depends on values that are not known while a function is traced; pass "
                                       "length=")  # fmt: skip
        values = np.asarray(tensor)
        if values.size and values.min() < 0:
            raise InvalidArgumentError(f"bincount: expected no negative elements, got {values.min()}")
        length = builtins.max(minlength, int(values.max()) + 1 if values.size else 0)
    index = tensor.astype(int64)
    if weights is not None:
        each = floats_of(weights)
        if tuple(each.shape) != tuple(tensor.shape):
            raise ShapeError(f"bincount: the weights have shape {tuple(each.shape)}; expected {tuple(tensor.shape)}")
    else:
        each = _ops.full(asarray(1), tensor.shape)
    return counts_of(index, length, each)


def counts_of(index: Tensor, length: int, weights: Tensor) -> Tensor:
    """The sums of the weights of the elements with each index; those with an index outside 0 ... length - 1 are left out."""
    counts = _ops.full(asarray(0, dtype=weights.dtype), [length])
    if length == 0:
        return counts
    inside = _ops.logical_and(_ops.greater_equal(index, 0), _ops.less(index, length))
    return _ops.scatter_add(counts, _ops.where(inside, index, 0), _ops.where(inside, weights, 0), 0)


def histogram_bin_edges(x: Array, /, bins: int | Array | Sequence[float] = 10, range: tuple[Any, Any] | None = None) -> Tensor:
    """The edges of equal bins from the least to the greatest element, or between the two ends of `range`; or `bins`, if it holds edges."""
    if is_array(bins) or isinstance(bins, (list, tuple)):
        edges = asarray(bins)
        if edges.ndim != 1:
            raise ShapeError(f"histogram: expected edges of one axis, got shape {tuple(edges.shape)}")
        return edges
    if isinstance(bins, str) or not isinstance(bins, (int, np.integer)):
        raise TypeError(f"histogram: bins is a number, or an array of edges, not {bins!r}")
    if bins < 1:
        raise InvalidArgumentError(f"histogram: expected at least one bin, got {bins}")
    tensor = asarray(x)
    dtype = tensor.dtype if tensor.dtype in (float32, float64) else float32 if tensor.dtype.itemsize <= 2 else float64
    if range is not None:
        low, high = (number_of_dtype(end, dtype) if type(end) in OF_PYTHON else asarray(end).astype(dtype) for end in range)
    else:
        low, high = _ops.min(tensor).astype(dtype), _ops.max(tensor).astype(dtype)
    same = _ops.equal(low, high)
    low, high = _ops.where(same, low - 0.5, low), _ops.where(same, high + 0.5, high)
    step = (high - low) / int(bins)
    at = _ops.arange(int64, int(bins) + 1)
    return _ops.where(_ops.equal(at, int(bins)), high, low + _ops.cast(at, dtype) * step)


def histogram(
    x: Array,
    /,
    bins: int | Array | Sequence[float] = 10,
    range: tuple[Any, Any] | None = None,
    density: bool = False,
    weights: Array | None = None,
) -> tuple[Tensor, Tensor]:
    """The numbers of elements in bins (or the sums of their weights), and the edges of the bins: bins[i] <= x < bins[i + 1], where the last
    bin includes its end. bins: a number of equal bins from the least to the greatest element, or between the ends of `range`; or the edges.
    density: divided by the total and the widths of the bins. NaN is in no bin; without `range`, it makes the edges NaN."""
    tensor = _ops.reshape(asarray(x), [-1])
    edges = histogram_bin_edges(tensor, bins, range)
    count = edges.shape[0] - 1
    values, compared = promoted([tensor if tensor.dtype is not bool_ else tensor.astype(int64), edges])
    index = _ops.searchsorted(compared, values, "right") - 1
    index = _ops.where(_ops.equal(values, compared[-1]), count - 1, index)
    each = _ops.full(asarray(1), tensor.shape) if weights is None else _ops.reshape(asarray(weights), [-1])
    if tuple(each.shape) != tuple(tensor.shape):
        raise ShapeError(f"histogram: expected a weight for each of the {tensor.shape[0]} elements, got {each.shape[0]}")
    counts = counts_of(index, count, each)
    if density:
        widths = _ops.diff(edges)
        counts = counts / widths / _ops.sum(counts)
    return counts, edges
