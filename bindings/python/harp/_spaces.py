"""Numbers in a constant ratio."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _ops
from ._conversion import asarray, promoted
from ._core import Tensor
from ._creation import linspace
from ._numerics import points
from ._reductions import floats_of
from ._tree import is_array
from ._types import Array, DTypeLike


def logspace(
    start: float | Array,
    stop: float | Array,
    /,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    *,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """num numbers from base ** start to base ** stop, with a constant ratio; float32 unless `dtype` says otherwise. If an end is an array, its
    elements are ends, and the numbers between them are along a new axis 0."""
    first: Any = start
    last: Any = stop
    if is_array(first) or is_array(last):
        made = _ops.pow(base, linspace(start, stop, num, endpoint))
        return made if dtype is None else made.astype(dtype)
    return points(np.logspace(first, last, num, endpoint=endpoint, base=base), dtype)


def geomspace(
    start: float | Array, stop: float | Array, /, num: int = 50, endpoint: bool = True, *, dtype: DTypeLike | None = None
) -> Tensor:
    """num numbers from start to stop, with a constant ratio; float32 unless `dtype` says otherwise. If an end is an array, its elements are
    ends, and the numbers between them are along a new axis 0."""
    first: Any = start
    last: Any = stop
    if is_array(first) or is_array(last):
        a, b = promoted([floats_of(each) for each in _core.operands("geomspace", first, last)])
        at = linspace(asarray(0.0).astype(a.dtype), 1.0, num, endpoint)
        at = _ops.reshape(at, [-1, *[1] * max(a.ndim, b.ndim)])
        made = _ops.where(_ops.equal(at, 1), b, a * _ops.pow(b / a, at))
        return made if dtype is None else made.astype(dtype)
    return points(np.geomspace(first, last, num, endpoint=endpoint), dtype)
