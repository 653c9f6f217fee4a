"""NumPy's functions that join, split, pad and index arrays, which the Array API does not have."""
from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from . import _core, _ops
from ._conversion import asarray, promoted, sizes_of
from ._core import Dim, Tensor
from ._creation import arange
from ._dtypes import float64, int64
from ._errors import InvalidArgumentError, ShapeError
from ._searching import nonzero
from ._shapes import broadcast_arrays, broadcast_to, concat
from ._tree import is_array
from ._types import Array, DTypeLike, Number, Shape, Size


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
    """The arrays that a function joins; an array stands for its parts along axis 0."""
    return builtins.list(arrays)


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
    return concat([asarray(x), asarray(values)], axis=axis)


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
    return _ops.where(condition, x1, x2)


def einsum(spec: str, /, *operands: Array | Sequence[Array]) -> Tensor:
    """Sums of products of elements, as numpy.einsum. `spec` has a term for each array, with a letter for each axis; the letters after "->"
    are the axes of the result ("bij,bjk->bik"), and all other letters are summed. A letter twice in a term is a diagonal, "..." stands for
    axes that broadcast. Without "->" the result has the letters that appear once, in alphabetical order. The arrays may also be one list.
    """
    arrays: Any = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    return _ops.einsum(spec.replace(" ", "") if isinstance(spec, str) else spec, promoted(arrays))


def argwhere(x: Array, /) -> Tensor:
    """The indices of the nonzero elements, one row each. Evaluates x."""
    tensor = asarray(x)
    return _core.from_numpy(np.argwhere(np.asarray(tensor)), None)


def flatnonzero(x: Array, /) -> Tensor:
    """The indices of the nonzero elements of the flattened array. Evaluates x."""
    return nonzero(ravel(x))[0]


def compress(condition: Array, x: Array, /, axis: int | None = None) -> Tensor:
    """The elements along an axis (None: of the flattened array) where the condition holds. Evaluates the condition."""
    tensor = asarray(x) if axis is not None else ravel(x)
    return _ops.take(tensor, flatnonzero(condition), 0 if axis is None else axis)


def extract(condition: Array, x: Array, /) -> Tensor:
    """The elements of the flattened array where the flattened condition holds. Evaluates the condition."""
    return compress(ravel(condition), x)


def delete(x: Array, indices: Any, /, axis: int | None = None) -> Tensor:
    """x without the elements at these positions along an axis (None: of the flattened array). Evaluates the positions."""
    tensor = asarray(x) if axis is not None else ravel(x)
    along = 0 if axis is None else axis
    length = tensor.shape[along]
    if isinstance(length, Dim):
        raise TypeError("delete: the axis has a symbolic size; expected a number")
    gone = indices if isinstance(indices, slice) else np.asarray(indices)
    if isinstance(gone, np.ndarray) and gone.size == 0:
        gone = gone.astype(np.int64)
    return _ops.take(tensor, _core.from_numpy(np.delete(np.arange(length), gone), None), along)


def tri(n_rows: Size, n_cols: Size | None = None, k: int = 0, *, dtype: DTypeLike | None = None) -> Tensor:
    """Ones on and below the k-th diagonal, zeros above it."""
    columns = n_rows if n_cols is None else n_cols
    return _ops.tril(_ops.full(asarray(1, dtype="float32" if dtype is None else dtype), [n_rows, columns]), k)


def diagflat(x: Array, /, k: int = 0) -> Tensor:
    """A matrix with the elements of the flattened array on its k-th diagonal."""
    return _ops.diag(ravel(x), k)


def vander(x: Array, /, N: int | None = None, increasing: bool = False) -> Tensor:  # noqa: N803
    """The Vandermonde matrix: a row of powers of each element, the highest first unless `increasing`."""
    tensor = asarray(x)
    if tensor.ndim != 1:
        raise ShapeError(f"vander: expected an array of one axis, got shape {tuple(tensor.shape)}")
    count = tensor.shape[0] if N is None else N
    if isinstance(count, Dim):
        raise TypeError("vander: the number of columns is symbolic; pass N=")
    powers = range(count) if increasing else range(count - 1, -1, -1)
    made: dict[int, Tensor] = {}
    for power in range(count):  # products, as in NumPy
        made[power] = _ops.full(asarray(1, dtype=tensor.dtype), tensor.shape) if power == 0 else made[power - 1] * tensor
    return _ops.stack([made[power] for power in powers], 1) if count else _ops.full(asarray(0, dtype=tensor.dtype), [*tensor.shape, 0])


def _of_numpy(values: np.ndarray[Any, Any]) -> Tensor:
    """A tensor of indices that NumPy computed from sizes; int64 on every system."""
    return _core.from_numpy(np.ascontiguousarray(values, dtype=np.int64), None)


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """The rows and the columns of the elements on and below the k-th diagonal of an n by m matrix."""
    rows, columns = np.tril_indices(n, k, m)
    return _of_numpy(rows), _of_numpy(columns)


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """The rows and the columns of the elements on and above the k-th diagonal of an n by m matrix."""
    rows, columns = np.triu_indices(n, k, m)
    return _of_numpy(rows), _of_numpy(columns)


def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """The indices of the main diagonal of an array with `ndim` axes of size n."""
    return (arange(n),) * ndim


def indices(dimensions: Shape, dtype: DTypeLike = int64) -> Tensor:
    """For each axis of an array of this shape the index of every element along it."""
    sizes = sizes_of(dimensions)
    grids = [_ops.reshape(_ops.arange(dtype, n), [-1 if j == i else 1 for j in range(len(sizes))]) for i, n in enumerate(sizes)]
    return _ops.stack([_ops.broadcast_to(grid, sizes) for grid in grids], 0)


def ix_(*arrays: Array) -> tuple[Tensor, ...]:
    """Arrays of indices that together select rows, columns ...: x[harp.ix_([0, 2], [1, 3])] has shape (2, 2). Evaluates masks."""
    made = []
    for i, each in enumerate(arrays):
        x = asarray(each)
        if x.ndim != 1:
            raise ShapeError(f"ix_: expected arrays of one axis, got shape {tuple(x.shape)}")
        x = nonzero(x)[0] if x.dtype.name == "bool" else x
        made.append(_ops.reshape(x, [-1 if j == i else 1 for j in range(len(arrays))]))
    return tuple(made)


def unravel_index(indices: Array | int, shape: Sequence[Size], /) -> tuple[Tensor, ...]:
    """The index along each axis of the elements at these positions of a flattened array of this shape. Positions are not checked."""
    rest = asarray(indices).astype(int64)
    made: list[Tensor] = []
    for length in reversed(builtins.list(shape)):
        made.append(rest % length)
        rest = rest // length
    return tuple(reversed(made))


def ravel_multi_index(multi_index: Sequence[Array | int], shape: Sequence[Size], /) -> Tensor:
    """The positions in a flattened array of this shape of the elements with these indices along its axes. Indices are not checked."""
    if len(multi_index) != len(shape):
        raise ShapeError(f"ravel_multi_index: expected an array of indices for each of the {len(shape)} axes, got {len(multi_index)}")
    at = asarray(0)
    for index, length in zip(multi_index, shape):
        at = at * length + asarray(index).astype(int64)
    return at


def select(conditions: Sequence[Array], choices: Sequence[Array | Number], default: Array | Number = 0) -> Tensor:
    """For each element the choice whose condition is the first that holds, or `default`."""
    if len(conditions) != len(choices):
        raise InvalidArgumentError(f"select: expected as many choices as conditions, got {len(choices)} and {len(conditions)}")
    made: Any = default
    for condition, choice in zip(reversed(builtins.list(conditions)), reversed(builtins.list(choices))):
        made = _ops.where(condition, choice, made)
    return made if isinstance(made, Tensor) else asarray(made)


def piecewise(x: Array, /, conditions: Sequence[Array], functions: Sequence[Any]) -> Tensor:
    """For each element the value of the function, or the number, of the last condition that holds; one more function is for the elements
    for which none does (else they are 0)."""
    tensor = asarray(x)
    rest = len(functions) - len(conditions)
    if rest not in (0, 1):
        raise InvalidArgumentError(f"piecewise: expected as many functions as conditions, or one more, got {len(functions)} and {len(conditions)}")
    value = lambda f: asarray(f(tensor) if callable(f) else f).astype(tensor.dtype)
    made = _ops.broadcast_to(value(functions[-1] if rest else 0), tensor.shape)
    for condition, function in zip(conditions, functions):
        made = _ops.where(condition, value(function), made)
    return made


def fromfunction(function: Callable[..., Any], shape: Shape, *, dtype: DTypeLike = float64) -> Tensor:
    """function(i, j, ...), where i, j, ... are the arrays of indices along the axes of an array of this shape."""
    sizes = sizes_of(shape)
    grid = indices(sizes, dtype)
    return broadcast_to(asarray(function(*(grid[i] for i in range(len(sizes))))), sizes)


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
    return _ops.all(_ops.isclose(asarray(x1), asarray(x2), rtol, atol, equal_nan))


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


class _Grid:
    """numpy.mgrid and numpy.ogrid: coordinates of a grid that slices describe."""

    def __init__(self, of_numpy: Any) -> None:
        self._of_numpy = of_numpy

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Any:
        made = self._of_numpy[key]
        return [self._tensor(each) for each in made] if isinstance(made, (list, tuple)) else self._tensor(made)

    @staticmethod
    def _tensor(values: np.ndarray[Any, Any]) -> Tensor:
        return _core.from_numpy(values.astype(np.float32 if values.dtype.kind == "f" else np.int64), None)


mgrid: _Grid = _Grid(np.mgrid)
ogrid: _Grid = _Grid(np.ogrid)
