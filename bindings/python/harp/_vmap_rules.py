"""Rules of harp.vmap for operations that combine axes of several operands: how each is applied to a whole batch axis, which is axis 0 of the
operands that have it."""
from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any

from . import _core, _ops
from ._core import Tensor

_NUMBERS = {name: number for number, name in enumerate(_core.operation_names())}


def _apply(name: str, arguments: list[Any]) -> Any:
    return _core.apply(_NUMBERS[name], *arguments)


def _rank(batch: Any) -> int:
    """The number of axes without the batch axis."""
    return int(batch.x.ndim) - int(batch.has_axis)


def _padded(batch: Any, rank: int) -> Tensor:
    """If the operand has the batch axis, adds axes of size 1 after it, so that it has `rank` axes besides the batch axis. (Without the
    batch axis, broadcasting adds them in front.)"""
    x: Tensor = batch.x
    missing = rank - _rank(batch)
    return _ops.unsqueeze(x, list(range(1, 1 + missing))) if missing and batch.has_axis else x


def _shifted(axes: Any) -> Any:
    if axes is None:
        return None
    return axes + (axes >= 0) if isinstance(axes, int) else [axis + (axis >= 0) for axis in axes]


def _take(name: str, batches: list[Any], size: Any) -> Any:
    x, indices, axis = batches
    data, rank = x.x, _rank(x)
    if axis is None:
        data, axis, rank = _ops.reshape(data, [size, -1] if x.has_axis else [-1]), 0, 1
    axis %= rank
    if not x.has_axis:
        return _ops.moveaxis(_ops.take(data, indices.x, axis), axis, 0)
    if not indices.has_axis:
        return _ops.take(data, indices.x, axis + 1)
    found = _ops.gather_nd(_ops.moveaxis(data, axis + 1, 1), _ops.unsqueeze(indices.x, -1), 1)
    new = _rank(indices)  # found has the shape [size, *axes of the indices, *other axes of x]
    order = [0, *range(1 + new, 1 + new + axis), *range(1, 1 + new), *range(1 + new + axis, found.ndim)]
    return found if order == list(range(found.ndim)) else _ops.permute_dims(found, order)


def _gather_nd(name: str, batches: list[Any], size: Any) -> Any:
    x, indices, batch_dims = batches
    if not indices.has_axis:
        return _ops.moveaxis(_ops.gather_nd(_ops.moveaxis(x.x, 0, -1), indices.x, batch_dims), -1, 0)
    if not x.has_axis and batch_dims == 0:
        return _ops.gather_nd(x.x, indices.x, 0)
    return _ops.gather_nd(x.with_axis(size), indices.x, batch_dims + 1)


def _roll(name: str, batches: list[Any], size: Any) -> Any:
    x, shift, axes = batches
    if axes is not None:
        return _ops.roll(x.x, shift, [axis + 1 if axis >= 0 else axis for axis in ([axes] if isinstance(axes, int) else axes)])
    return _ops.reshape(_ops.roll(_ops.reshape(x.x, [size, -1]), shift, [1]), x.x.shape)


def _tile(name: str, batches: list[Any], size: Any) -> Any:
    x, repeats = batches
    rank = max(_rank(x), len(repeats))
    return _ops.tile(_padded(x, rank), [1, *[1] * (rank - len(repeats)), *repeats])


def _trace(name: str, batches: list[Any], size: Any) -> Any:
    x, offset, axis1, axis2 = batches
    return _ops.trace(x.x, offset, _shifted(axis1), _shifted(axis2))


def _outer(name: str, batches: list[Any], size: Any) -> Any:
    a, b = batches
    left = _ops.unsqueeze(a.x, list(range(a.x.ndim, a.x.ndim + _rank(b)))) if _rank(b) else a.x
    return _ops.multiply(left, _padded(b, _rank(a) + _rank(b)))


def _dot(name: str, batches: list[Any], size: Any) -> Any:
    a, b = batches
    if _rank(a) == 1 and _rank(b) == 1:
        return _vecdot("vecdot", [a, b, -1], size) if a.x.dtype.name not in ("complex64", "complex128") else NotImplemented
    return NotImplemented


def _vecdot(name: str, batches: list[Any], size: Any) -> Any:
    a, b, axis = batches
    rank = max(_rank(a), _rank(b))
    return _apply(name, [_padded(a, rank), _padded(b, rank), axis if axis < 0 else axis - rank])


def _tensordot(name: str, batches: list[Any], size: Any) -> Any:
    a, b, a_axes, b_axes = batches
    if a.has_axis and b.has_axis:
        letters = iter(string.ascii_letters)
        batch = next(letters)
        left = [next(letters) for _ in range(_rank(a))]
        right = [next(letters) for _ in range(_rank(b))]
        for i, j in zip(a_axes, b_axes):
            right[j] = left[i]
        summed = {left[i] for i in a_axes}
        kept = [each for each in [*left, *right] if each not in summed]
        return _ops.einsum(f"{batch}{''.join(left)},{batch}{''.join(right)}->{batch}{''.join(kept)}", [a.x, b.x])
    made = _ops.tensordot(a.x, b.x, _shifted(a_axes) if a.has_axis else a_axes, _shifted(b_axes) if b.has_axis else b_axes)
    return made if a.has_axis else _ops.moveaxis(made, _rank(a) - len(a_axes), 0)


def _searchsorted(name: str, batches: list[Any], size: Any) -> Any:
    ordered, values, side = batches
    return NotImplemented if ordered.has_axis else _ops.searchsorted(ordered.x, values.x, side)


def _normalised(name: str, batches: list[Any], size: Any) -> Any:
    x, axes, weight, bias, *rest = batches
    if any(each is not None and each.has_axis for each in (weight, bias)):
        return NotImplemented
    return _apply(name, [x.x, _shifted(axes), *(None if each is None else each.x for each in (weight, bias)), *rest])


def _folded(name: str, batches: list[Any], size: Any) -> Any:
    """For operations such as conv2d, whose first operand has a batch axis of its own: merges vmap's batch axis with it."""
    x, *rest = batches
    if not x.has_axis or _rank(x) < 3 or any(getattr(each, "has_axis", False) for each in rest):
        return NotImplemented
    shape = x.x.shape
    made = _apply(name, [_ops.reshape(x.x, [size * shape[1], *shape[2:]]), *(each.x if hasattr(each, "has_axis") else each for each in rest)])
    return _ops.reshape(made, [size, shape[1], *made.shape[1:]])


_RULES: dict[str, Callable[[str, list[Any], Any], Any]] = {
    "take": _take, "gather_nd": _gather_nd, "roll": _roll, "tile": _tile, "trace": _trace, "outer": _outer, "dot": _dot, "vecdot": _vecdot,
    "cross": _vecdot, "tensordot": _tensordot, "searchsorted": _searchsorted, "layer_norm": _normalised, "rms_norm": _normalised,
    "conv1d": _folded, "conv2d": _folded, "conv3d": _folded, "max_pool": _folded, "avg_pool": _folded,
}  # fmt: skip


def batched(name: str, batches: list[Any], size: Any) -> Any:
    """Applies an operation to the whole batch axis. Its operands have been replaced by batches. Returns NotImplemented if there is no rule."""
    rule = _RULES.get(name)
    return NotImplemented if rule is None else rule(name, batches, size)


def einsum(spec: str, parts: list[Any]) -> Any:
    """einsum with one more letter, for the batch axis."""
    if "..." in spec:
        return NotImplemented
    terms, arrow, result = spec.replace(" ", "").partition("->")
    if not arrow:
        letters = terms.replace(",", "")
        result = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    batch = next((letter for letter in string.ascii_letters if letter not in terms + result), None)
    if batch is None:
        return NotImplemented
    terms = ",".join(batch + term if part.has_axis else term for term, part in zip(terms.split(","), parts))
    return _ops.einsum(f"{terms}->{batch}{result}", [part.x for part in parts])
