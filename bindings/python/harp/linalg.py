"""Products and norms of the Array API's extension `linalg`. harp has no decompositions, so det, inv, qr, svd and the like are missing."""
from __future__ import annotations

import math
from collections.abc import Sequence

from . import _array_api as _api
from . import _ops
from ._array_api import matmul, matrix_transpose, tensordot, vecdot
from ._conversion import promoted
from ._core import Tensor
from ._types import Array, DTypeLike

__all__ = ["cross", "diagonal", "matmul", "matrix_norm", "matrix_transpose", "outer", "tensordot", "trace", "vecdot", "vector_norm"]


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Tensor:
    """The cross product of vectors of 3 elements along an axis."""
    a, b = promoted([x1, x2])
    return _ops.cross(a, b, axis)


def diagonal(x: Array, /, *, offset: int = 0) -> Tensor:
    """A diagonal of the last two axes, which becomes the last axis of the result."""
    return _ops.diagonal(x, offset, -2, -1)


def trace(x: Array, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """The sum of a diagonal of the last two axes."""
    return _api.sum(_ops.diagonal(x, offset, -2, -1), axis=-1, dtype=dtype)


def outer(x1: Array, x2: Array, /) -> Tensor:
    """The products of every element of one vector with every element of another."""
    a, b = promoted([x1, x2])
    return _ops.outer(a, b)


def vector_norm(x: Array, /, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, ord: float = 2) -> Tensor:
    """The vector norm along axes (None: over all elements)."""
    return _ops.norm(x, float(ord), axis, keepdims)


def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: float | str = "fro") -> Tensor:
    """The Frobenius norm of matrices, or the greatest or least sum of absolute values in a column (ord 1, -1) or row (ord inf, -inf)."""
    if ord == "fro":
        return _ops.norm(x, 2.0, [-2, -1], keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        axis, other = (-2, -1) if abs(float(ord)) == 1 else (-1, -2)
        sums = _ops.sum(_ops.abs(x), [axis], True)
        extreme = _ops.max(sums, [other], True) if float(ord) > 0 else _ops.min(sums, [other], True)
        return extreme if keepdims else _ops.squeeze(extreme, [-2, -1])
    raise ValueError(f"matrix_norm: harp has no decompositions, which ord={ord!r} needs")
