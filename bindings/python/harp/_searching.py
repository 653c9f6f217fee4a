"""Sorting, selection of elements by index, and the distinct values of an array."""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from . import _core, _ops
from ._conversion import asarray, promoted, values_of
from ._core import Tensor
from ._errors import ShapeError
from ._indexing import checked
from ._types import Array, Number, Size


def sort(
    x: Array, /, axis: int | None = -1, kind: str | None = None, *, descending: bool = False, stable: bool = True
) -> Tensor:
    """Sorts the elements along an axis, or those of the flattened array if axis is None. The sort is always stable, whatever
    `kind` and `stable` say."""
    return _ops.sort(x, axis, descending)


def argsort(
    x: Array, /, axis: int | None = -1, kind: str | None = None, *, descending: bool = False, stable: bool = True
) -> Tensor:
    """Returns the indices that sort the elements along an axis, or those of the flattened array if axis is None. The sort is
    always stable, whatever `kind` and `stable` say."""
    return _ops.argsort(x, axis, descending)


def searchsorted(x1: Array, x2: Array | Number, /, side: str = "left", sorter: Array | None = None) -> Tensor:
    """The position at which each value of x2 would be inserted into x1. x1 is in ascending order, or `sorter` holds the indices that sort
    it."""
    ordered, values = promoted(_core.operands("searchsorted", asarray(x1), asarray(x2) if isinstance(x2, (list, tuple)) else x2))
    return _ops.searchsorted(ordered if sorter is None else _ops.take(ordered, asarray(sorter), 0), values, side)


def take(x: Array, indices: Array, /, axis: int | None = None) -> Tensor:
    """Selects elements along an axis by their indices; axis None: from the flattened array."""
    tensor, at = asarray(x), asarray(indices)
    if axis is None or -tensor.ndim <= axis < tensor.ndim:
        at = checked(at, tensor.size if axis is None else tensor.shape[axis], 0 if axis is None else axis)
    return _ops.take(tensor, at, axis)


def take_along_axis(x: Array, indices: Array, /, axis: int = -1) -> Tensor:
    """Selects elements along an axis: element i of the result along this axis is element indices[i] of x. The index along every other axis
    is the same in `indices` and x; these axes broadcast."""
    tensor, at = asarray(x), asarray(indices)
    if at.ndim != tensor.ndim or not -tensor.ndim <= axis < tensor.ndim:
        raise ShapeError(f"take_along_axis: expected as many axes in the indices as in x, and an axis among them, got shapes {tuple(at.shape)} and "
                         f"{tuple(tensor.shape)}, axis {axis}")  # fmt: skip
    axis = axis % tensor.ndim
    at = checked(at, tensor.shape[axis], axis)
    shape = _broadcast([s for i, s in enumerate(tensor.shape) if i != axis], [s for i, s in enumerate(at.shape) if i != axis])
    wanted_x, wanted_at = list(shape), list(shape)
    wanted_x.insert(axis, tensor.shape[axis])
    wanted_at.insert(axis, at.shape[axis])
    return _ops.take_along_axis(_ops.broadcast_to(tensor, wanted_x), _ops.broadcast_to(at, wanted_at), axis)


def _broadcast(a: Sequence[Size], b: Sequence[Size]) -> list[Size]:
    return [y if x == 1 else x for x, y in zip(a, b)]


def nonzero(x: Array, /) -> tuple[Tensor, ...]:
    """The indices of the nonzero elements. Evaluates x, because the size of the result depends on its values."""
    if asarray(x).ndim == 0:
        raise ValueError("nonzero: expected at least one axis, got an array of rank 0")
    return tuple(_core.from_numpy(where, None) for where in np.nonzero(values_of("nonzero", x)))


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
    """The distinct values in ascending order, the index of the first occurrence of each value, for each element of x the index of its
    value among the distinct values, and the number of occurrences of each value. Evaluates x."""
    array = values_of("unique", x)
    values, first, inverse, counts = np.unique(array, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    parts = (values, first.astype(np.int64), inverse.reshape(array.shape).astype(np.int64), counts.astype(np.int64))
    return unique_all_result(*(_core.from_numpy(part, None) for part in parts))


def unique_counts(x: Array, /) -> unique_counts_result:
    """The distinct values, and how often each occurs. Evaluates x."""
    found = unique_all(x)
    return unique_counts_result(found.values, found.counts)


def unique_inverse(x: Array, /) -> unique_inverse_result:
    """The distinct values, and for each element of x the index of its value among them. Evaluates x."""
    found = unique_all(x)
    return unique_inverse_result(found.values, found.inverse_indices)


def unique_values(x: Array, /) -> Tensor:
    """The distinct values. Evaluates x."""
    return unique_all(x).values
