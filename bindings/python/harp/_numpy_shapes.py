"""NumPy's functions that join, split, pad, multiply and compare arrays, which the Array API does not have."""
from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from . import _core, _ops
from ._conversion import asarray, promoted
from ._core import Dim, Tensor
from ._creation import beside
from ._errors import InvalidArgumentError, ShapeError
from ._searching import nonzero
from ._shapes import broadcast_arrays, concat
from ._tree import is_array
from ._types import Array, DTypeLike, Number, Size


def array(object: Any, dtype: DTypeLike | None = None, *, copy: bool | None = True, ndmin: int = 0) -> Tensor:
    """asarray() that copies arrays, as numpy.array. ndmin: the least number of axes; missing ones are added on the left."""
    made = asarray(object, dtype=dtype, copy=copy or None) if not _is_python(object) else asarray(object, dtype=dtype)
    return made if made.ndim >= ndmin else _ops.reshape(made, [*[1] * (ndmin - made.ndim), *made.shape])


def _is_python(thing: Any) -> bool:
    return not (is_array(thing) or hasattr(thing, "__dlpack__") or hasattr(thing, "__array__"))


def copy(x: Array, /) -> Tensor:
    """A tensor of its own: assignments to its elements do not change x."""
    tensor = asarray(x, copy=True) if not _is_python(x) else asarray(x)
    return _core.alias(tensor)


def shape(x: Array, /) -> tuple[Any, ...]:
    """The sizes of x's axes."""
    return tuple(asarray(x).shape)


def ndim(x: Array, /) -> int:
    """The number of x's axes."""
    return asarray(x).ndim


def size(x: Array, /, axis: int | None = None) -> Any:
    """The number of x's elements, or the size of an axis."""
    tensor = asarray(x)
    return tensor.size if axis is None else tensor.shape[axis]


def ravel(x: Array, /) -> Tensor:
    """All elements, in row-major order, along one axis."""
    return _ops.reshape(asarray(x), [-1])


def swapaxes(x: Array, axis1: int, axis2: int, /) -> Tensor:
    """x with two axes exchanged."""
    tensor = asarray(x)
    order = builtins.list(range(tensor.ndim))
    for axis in (axis1, axis2):
        if not -tensor.ndim <= axis < tensor.ndim:
            raise ShapeError(f"swapaxes: axis {axis} is out of range for a tensor of {tensor.ndim} axes")
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return _ops.permute_dims(tensor, order)


def fliplr(x: Array, /) -> Tensor:
    """x with its columns (axis 1) in reverse order."""
    return _ops.flip(asarray(x), 1)


def flipud(x: Array, /) -> Tensor:
    """x with its rows (axis 0) in reverse order."""
    return _ops.flip(asarray(x), 0)


def atleast_1d(*arrays: Array) -> Any:
    """Each array with at least one axis; a list, if there are several arrays."""
    return _each(arrays, lambda x: x if x.ndim >= 1 else _ops.reshape(x, [1]))


def atleast_2d(*arrays: Array) -> Any:
    """Each array with at least two axes: a missing axis is added on the left. A list, if there are several arrays."""
    return _each(arrays, _two_axes)


def atleast_3d(*arrays: Array) -> Any:
    """Each array with at least three axes: [n] becomes [1, n, 1], [m, n] becomes [m, n, 1]. A list, if there are several arrays."""
    return _each(arrays, lambda x: x if x.ndim >= 3 else _ops.unsqueeze(_two_axes(x), -1))


def _two_axes(x: Tensor) -> Tensor:
    return x if x.ndim >= 2 else _ops.reshape(x, [1, -1])


def _each(arrays: Sequence[Array], change: Callable[[Tensor], Tensor]) -> Any:
    made = [change(asarray(each)) for each in arrays]
    return made[0] if len(made) == 1 else made


def _list(arrays: Sequence[Array] | Array) -> list[Any]:
    """The list of arrays that a function joins. A single array stands for the list of its parts along axis 0."""
    return builtins.list(arrays)  # type: ignore[arg-type]


def vstack(arrays: Sequence[Array] | Array, /, *, dtype: DTypeLike | None = None) -> Tensor:
    """Joins arrays along axis 0; an array of one axis is a row."""
    return _cast(concat([_two_axes(asarray(each)) for each in _list(arrays)], axis=0), dtype)


def hstack(arrays: Sequence[Array] | Array, /, *, dtype: DTypeLike | None = None) -> Tensor:
    """Joins arrays along axis 1, or along their only axis."""
    parts = [atleast_1d(each) for each in _list(arrays)]
    return _cast(concat(parts, axis=0 if parts and parts[0].ndim == 1 else 1), dtype)


def dstack(arrays: Sequence[Array] | Array, /) -> Tensor:
    """Joins arrays along axis 2."""
    return concat([atleast_3d(each) for each in _list(arrays)], axis=2)


def column_stack(arrays: Sequence[Array] | Array, /) -> Tensor:
    """Joins arrays along axis 1; an array of one axis is a column."""
    tensors = [asarray(each) for each in _list(arrays)]
    return concat([x if x.ndim >= 2 else _ops.reshape(x, [-1, 1]) for x in tensors], axis=1)


def append(x: Array, values: Array | Number, /, axis: int | None = None) -> Tensor:
    """x followed by values along an axis; None: of the flattened arrays."""
    tensor = asarray(x)
    return concat([tensor, beside(tensor, values)], axis=axis)


def _cast(x: Tensor, dtype: DTypeLike | None) -> Tensor:
    return x if dtype is None else x.astype(dtype)


def split(x: Array, /, sections: int | Sequence[Size], axis: int = 0) -> tuple[Tensor, ...]:
    """Splits x along an axis: into this many equal parts, or before each of these positions."""
    tensor = asarray(x)
    if isinstance(sections, (int, np.integer)):
        return _ops.split(tensor, operator.index(sections), axis)
    positions = [p if isinstance(p, Dim) else operator.index(p) for p in sections]
    length = tensor.shape[axis]
    if isinstance(length, int):  # as slices do, positions may be negative or beyond the end
        bounds = [p if isinstance(p, Dim) else builtins.min(builtins.max(p + length if p < 0 else p, 0), length) for p in positions]
        none: list[Any] = [None] * tensor.ndim
        parts = []
        for start, stop in zip([0, *bounds], [*bounds, length]):
            starts, stops = builtins.list(none), builtins.list(none)
            late = isinstance(start, int) and isinstance(stop, int) and stop < start
            starts[axis], stops[axis] = start, start if late else stop
            parts.append(_ops.slice(tensor, starts, stops, [1] * tensor.ndim))
        return tuple(parts)
    return _ops.split_at(tensor, positions, axis)


def array_split(x: Array, /, sections: int | Sequence[Size], axis: int = 0) -> tuple[Tensor, ...]:
    """split() into parts whose sizes differ by at most 1; the first ones are the greater ones."""
    tensor = asarray(x)
    length = tensor.shape[axis]
    if not isinstance(sections, (int, np.integer)) or isinstance(length, Dim):
        return split(tensor, sections, axis)
    if sections < 1:
        raise InvalidArgumentError(f"array_split: expected at least one section, got {sections}")
    each, more = divmod(length, operator.index(sections))
    sizes = [each + 1] * more + [each] * (operator.index(sections) - more)
    return split(tensor, [int(p) for p in np.cumsum(sizes)[:-1]], axis)


def hsplit(x: Array, /, sections: int | Sequence[Size]) -> tuple[Tensor, ...]:
    """split() along axis 1, or along the only axis."""
    return split(x, sections, 0 if asarray(x).ndim == 1 else 1)


def vsplit(x: Array, /, sections: int | Sequence[Size]) -> tuple[Tensor, ...]:
    """split() along axis 0."""
    return split(x, sections, 0)


_MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


def pad(
    x: Array,
    /,
    before: Any,
    after: Any = None,
    mode: str | None = None,
    value: Array | Number | None = None,
    *,
    constant_values: Array | Number | None = None,
) -> Tensor:
    """Adds elements at the ends of axes.

    pad(x, before, after): before[i] and after[i] elements at the ends of axis i; negative numbers remove elements.
    pad(x, widths, mode), as in NumPy: widths is one number for all ends, a pair (before, after) for all axes, or a pair for each axis.

    mode: "constant" (`value` or `constant_values`; by default 0), "edge" (the nearest element), "reflect" (mirrored at the edge element,
    which is not repeated), "symmetric" (mirrored behind it, repeating it), "wrap" (periodic).
    """
    tensor = asarray(x)
    if isinstance(after, str):
        if mode is not None:
            raise TypeError(f"pad: the mode was given twice: {after!r} and {mode!r}")
        after, mode = None, after
    if mode is not None and mode not in _MODES:
        raise InvalidArgumentError(f"pad: expected one of the modes {', '.join(map(repr, _MODES))}, got {mode!r}")
    if after is None:
        before, after = _widths(before, tensor.ndim)
    if constant_values is not None:
        if value is not None:
            raise TypeError("pad: value= and constant_values= are two names of the same argument")
        value = constant_values
    if is_array(value):
        value = asarray(value).astype(tensor.dtype)
    return _ops.pad(tensor, before, after, mode, value)


def _widths(widths: Any, rank: int) -> tuple[list[Any], list[Any]]:
    """Converts NumPy's pad_width to the numbers of elements before and after each axis."""
    if isinstance(widths, (int, np.integer, Dim)):
        return [widths] * rank, [widths] * rank
    pairs = [each.tolist() if isinstance(each, np.ndarray) else each for each in widths]
    if len(pairs) == 2 and all(isinstance(each, (int, np.integer, Dim)) for each in pairs):
        return [pairs[0]] * rank, [pairs[1]] * rank
    if len(pairs) == 1 and rank != 1:
        pairs = pairs * rank
    if len(pairs) != rank or any(isinstance(each, (int, np.integer, Dim)) or len(each) not in (1, 2) for each in pairs):
        raise ShapeError(f"pad: expected a number, a pair (before, after), or such a pair for each of the {rank} axes, got {widths!r}")
    return [each[0] for each in pairs], [each[-1] for each in pairs]


@overload
def where(condition: Array, /) -> tuple[Tensor, ...]: ...
@overload
def where(condition: Array, x1: Array | Number, x2: Array | Number, /) -> Tensor: ...
def where(condition: Array, x1: Any = None, x2: Any = None, /) -> Any:
    """x1 where the condition holds, x2 elsewhere. where(condition) is nonzero(condition)."""
    if x1 is None and x2 is None:
        return nonzero(condition)
    if x1 is None or x2 is None:
        raise TypeError("where: expected a condition alone, or with two arrays or numbers, got it with one")
    return _ops.where(condition, x1, x2)


def einsum(spec: str, /, *operands: Array | Sequence[Array], optimize: Any = None) -> Tensor:
    """Sums of products of elements, as numpy.einsum. `spec` has a term for each array, with a letter for each axis; the letters after "->"
    are the axes of the result ("bij,bjk->bik"), and all other letters are summed. A letter twice in a term is a diagonal, "..." stands for
    axes that broadcast. Without "->" the result has the letters that appear once, in alphabetical order. The arrays may also be one list.
    `optimize` changes nothing: harp itself chooses the order of products.
    """
    arrays: Any = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    return _ops.einsum(spec.replace(" ", "") if isinstance(spec, str) else spec, promoted(arrays))


def inner(x1: Array, x2: Array, /) -> Tensor:
    """The sums of products along the last axes of both; numbers are multiplied."""
    a, b = promoted([x1, x2])
    return a * b if a.ndim == 0 or b.ndim == 0 else _ops.tensordot(a, b, [a.ndim - 1], [b.ndim - 1])


def vdot(x1: Array, x2: Array, /) -> Tensor:
    """The sum of the products conj(x1) * x2 of all elements of the flattened arrays."""
    a, b = promoted([ravel(x1), ravel(x2)])
    return _ops.vecdot(a, b, -1)


def kron(x1: Array, x2: Array, /) -> Tensor:
    """The Kronecker product: each element of x1 replaced by its product with the whole array x2."""
    a, b = promoted([x1, x2])
    rank = builtins.max(a.ndim, b.ndim)
    shapes = [[*[1] * (rank - each.ndim), *each.shape] for each in (a, b)]
    left = _ops.reshape(a, [n for size in shapes[0] for n in (size, 1)])
    right = _ops.reshape(b, [n for size in shapes[1] for n in (1, size)])
    return _ops.reshape(left * right, [m * n for m, n in zip(*shapes)])


def allclose(x1: Array | Number, x2: Array | Number, /, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Whether all elements are close to each other, see isclose()."""
    a, b = promoted(_core.operands("allclose", x1, x2))
    return _ops.all(_ops.isclose(a, b, rtol, atol, equal_nan))


def array_equal(x1: Array, x2: Array, /) -> Tensor:
    """Whether two arrays have the same shape and equal elements."""
    a, b = asarray(x1), asarray(x2)
    return _ops.all(_ops.equal(a, b)) if tuple(a.shape) == tuple(b.shape) else asarray(False)


def array_equiv(x1: Array, x2: Array, /) -> Tensor:
    """Whether the shapes broadcast and the elements are equal."""
    try:
        a, b = broadcast_arrays(x1, x2)
    except ValueError:
        return asarray(False)
    return _ops.all(_ops.equal(a, b))
