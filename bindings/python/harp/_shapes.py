"""Functions that join, split and reshape arrays."""
from __future__ import annotations

import math
import operator
from collections.abc import Sequence

import numpy as np

from . import _core, _ops
from ._conversion import asarray, promoted, sizes_of, values_of
from ._core import Dim, Tensor
from ._types import Array, Axes, Shape, Size


def concat(arrays: Sequence[Array], /, axis: int | None = 0) -> Tensor:
    """Joins arrays along an axis; None: joins the flattened arrays."""
    _require_list("concat", arrays, axis)
    parts = promoted(arrays)
    return _ops.concat([_ops.reshape(part, [-1]) for part in parts], 0) if axis is None else _ops.concat(parts, axis)


def _require_list(name: str, arrays: object, axis: object) -> None:
    if axis is not None and not isinstance(axis, (int, np.integer)):
        raise TypeError(f"{name}: the arrays are one list, {name}([a, b], axis=0), and the axis is an int, not {type(axis)}")
    if isinstance(arrays, (int, float, complex)):
        raise TypeError(f"{name}: expected a list of arrays, got {arrays!r}")


def stack(arrays: Sequence[Array], /, axis: int = 0) -> Tensor:
    """Joins arrays along a new axis."""
    _require_list("stack", arrays, axis)
    return _ops.stack(promoted(arrays), axis)


def unstack(x: Array, /, axis: int = 0) -> tuple[Tensor, ...]:
    """Splits an array into its parts along an axis, without that axis."""
    tensor = asarray(x)
    if not -tensor.ndim <= axis < tensor.ndim:
        raise IndexError(f"axis {axis} is out of range for a tensor of {tensor.ndim} axes")
    count = tensor.shape[axis]
    if isinstance(count, Dim):
        raise TypeError("unstack: the axis has a symbolic size; expected a number")
    return _ops.unstack(tensor, n=count, axis=axis) if count else ()


def expand_dims(x: Array, /, axis: int | Sequence[int] = 0) -> Tensor:
    """Adds axes of size 1 at these positions of the result."""
    tensor = asarray(x)
    positions = [axis] if isinstance(axis, (int, np.integer)) else list(axis)
    for each in positions:
        rank = tensor.ndim + len(positions)
        if not -rank <= each < rank:
            raise IndexError(f"axis {each} is out of range for a result of {rank} axes")
    return _ops.unsqueeze(tensor, positions)


def squeeze(x: Array, /, axis: int | Sequence[int] | None = None) -> Tensor:
    """Removes these axes, which must have size 1; None: all axes of size 1."""
    return _ops.squeeze(x, axis)


def permute_dims(x: Array, /, axes: Sequence[int]) -> Tensor:
    """Permutes axes: axis i of the result is axis axes[i]."""
    return _ops.permute_dims(x, axes)


def matrix_transpose(x: Array, /) -> Tensor:
    """x with its last two axes exchanged."""
    return asarray(x).mT


def moveaxis(x: Array, source: int | Sequence[int], destination: int | Sequence[int], /) -> Tensor:
    """Moves axes: axis source[i] becomes axis destination[i]."""
    return _ops.moveaxis(x, source, destination)


def flip(x: Array, /, axis: Axes = None) -> Tensor:
    """x reversed along axes (None: all)."""
    return _ops.flip(x, axis)


def roll(x: Array, /, shift: Size | Sequence[Size], axis: Axes = None) -> Tensor:
    """Rolls elements along axes: elements that leave at one end enter at the other. axis None: rolls the flattened array."""
    if isinstance(axis, (int, np.integer)) and not isinstance(shift, (int, np.integer, Dim)):
        axis = [axis] * len(shift)
    if axis is not None and not isinstance(axis, (int, np.integer)) and isinstance(shift, (int, np.integer, Dim)):
        shift = [shift] * len(axis)
    return _ops.roll(x, shift, axis)


def repeat(x: Array, repeats: Size | Array | Sequence[int], /, axis: int | None = None) -> Tensor:
    """Repeats every element `repeats` times along an axis; axis None: in the flattened array. If `repeats` is an array, it has a count for
    each element along the axis, and is evaluated."""
    if isinstance(repeats, (int, np.integer, Dim)):
        return _ops.repeat(x, repeats if isinstance(repeats, Dim) else operator.index(repeats), axis)
    tensor, counts = asarray(x), values_of("repeat", repeats)
    size = math.prod(tensor.shape) if axis is None else tensor.shape[axis]
    if isinstance(size, Dim):
        raise TypeError("repeat: with a count for each element, the size of the axis has to be a number, not symbolic")
    return _ops.take(tensor, _core.from_numpy(np.repeat(np.arange(size), counts), None), axis)


def tile(x: Array, repetitions: Size | Sequence[Size], /) -> Tensor:
    """Repeats the array this many times along each axis."""
    return _ops.tile(x, repetitions)


def reshape(x: Array, /, shape: Shape, *, copy: bool | None = None) -> Tensor:
    """The same elements in row-major order under another shape; one size may be -1."""
    return _ops.reshape(x, sizes_of(shape))


def broadcast_to(x: Array, /, shape: Shape) -> Tensor:
    """Stretches axes of size 1, and adds missing axes on the left."""
    return _ops.broadcast_to(x, sizes_of(shape))


def broadcast_arrays(*arrays: Array) -> list[Tensor]:
    """Broadcasts all arrays to their common shape."""
    tensors = [asarray(each) for each in arrays]
    shape = broadcast_shapes(*[tensor.shape for tensor in tensors])
    return [_ops.broadcast_to(tensor, shape) for tensor in tensors]


def broadcast_shapes(*shapes: Sequence[Size]) -> tuple[Size, ...]:
    """Returns the shape to which these shapes broadcast together, by NumPy's rules."""
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
