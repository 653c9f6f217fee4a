"""Sums of products."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import _ops
from ._conversion import promoted
from ._core import Tensor
from ._errors import ShapeError
from ._types import Array


def tensordot(x1: Array, x2: Array, /, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """The sum of products over pairs of axes: the last n axes of x1 with the first n of x2, or the listed ones."""
    a, b = promoted([x1, x2])
    if isinstance(axes, (int, np.integer)):
        if not 0 <= axes <= min(a.ndim, b.ndim):
            raise ShapeError(f"tensordot: cannot sum over {axes} axes of arrays of {a.ndim} and {b.ndim} axes")
        return _ops.tensordot(a, b, list(range(a.ndim - axes, a.ndim)), list(range(axes)))
    return _ops.tensordot(a, b, list(axes[0]), list(axes[1]))


def vecdot(x1: Array, x2: Array, /, axis: int = -1) -> Tensor:
    """The products of conj(x1) with x2, summed along an axis."""
    a, b = promoted([x1, x2])
    return _ops.vecdot(a, b, axis)


def matmul(x1: Array, x2: Array, /) -> Tensor:
    """The matrix product over the last two axes. The axes before them broadcast."""
    a, b = promoted([x1, x2])
    return _ops.matmul(a, b)
