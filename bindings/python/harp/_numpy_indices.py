"""NumPy's functions of indices and positions: where elements are, how matrices and grids are numbered, choices between arrays."""
from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core, _ops
from ._conversion import asarray, sizes_of, values_of
from ._core import Dim, Tensor
from ._creation import arange, cast_to
from ._dtypes import float64, int64
from ._errors import InvalidArgumentError, ShapeError
from ._numpy_shapes import ravel
from ._searching import nonzero
from ._shapes import broadcast_to
from ._types import Array, DTypeLike, Number, Shape, Size


def argwhere(x: Array, /) -> Tensor:
    """The indices of the nonzero elements, one row each. Evaluates x."""
    return _core.from_numpy(np.argwhere(values_of("argwhere", x)), None)


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
    gone = indices if isinstance(indices, slice) else values_of("delete", indices)
    if isinstance(gone, np.ndarray) and gone.size == 0:
        gone = gone.astype(np.int64)
    return _ops.take(tensor, _core.from_numpy(np.delete(np.arange(length), gone), None), along)


def insert(x: Array, indices: Any, values: Array | Number, /, axis: int | None = None) -> Tensor:
    """x with values before the elements at these positions along an axis (None: of the flattened array). Evaluates the positions."""
    tensor = asarray(x) if axis is not None else ravel(x)
    along = 0 if axis is None else axis % tensor.ndim
    length = tensor.shape[along]
    if isinstance(length, Dim):
        raise TypeError("insert: the axis has a symbolic size; expected a number")
    given = cast_to(tensor, values)
    at: Any = indices if isinstance(indices, slice) else values_of("insert", indices)
    rest = [1 if i == along else n for i, n in enumerate(tensor.shape)]
    if not isinstance(at, slice) and at.ndim == 0:  # one position: all values are inserted there
        if given.ndim and given.ndim < tensor.ndim:
            given = _ops.unsqueeze(given, along)
        count = given.shape[along] if given.ndim == tensor.ndim else 1
        at = np.full(count, int(at)) if count != 1 else at
    else:
        count = len(range(*at.indices(length))) if isinstance(at, slice) else at.size
    given = _ops.broadcast_to(given, [count if i == along else n for i, n in enumerate(rest)])
    order = np.insert(np.arange(length), at, length + np.arange(count))
    return _ops.take(_ops.concat([tensor, given], along), _core.from_numpy(order, None), along)


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


def unravel_index(indices: Array | int, shape: Shape, /) -> tuple[Tensor, ...]:
    """The index along each axis of the elements at these positions of a flattened array of this shape. Positions are not checked."""
    rest = asarray(indices).astype(int64)
    made: list[Tensor] = []
    for length in reversed(sizes_of(shape)):
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
    """For each element, finds the last condition that holds, and takes the value of its function (or its number). Elements for which no
    condition holds take that of one more function, if it is given, else 0."""
    tensor = asarray(x)
    rest = len(functions) - len(conditions)
    if rest not in (0, 1):
        raise InvalidArgumentError(f"piecewise: expected as many functions as conditions, or one more, got {len(functions)} and {len(conditions)}")

    def value(f: Any) -> Tensor:
        return cast_to(tensor, f(tensor) if callable(f) else f)

    made = _ops.broadcast_to(value(functions[-1] if rest else 0), tensor.shape)
    for condition, function in zip(conditions, functions):
        made = _ops.where(condition, value(function), made)
    return made


def fromfunction(function: Callable[..., Any], shape: Shape, *, dtype: DTypeLike = float64) -> Tensor:
    """function(i, j, ...), where i, j, ... are the arrays of indices along the axes of an array of this shape."""
    sizes = sizes_of(shape)
    grid = indices(sizes, dtype)
    return broadcast_to(asarray(function(*(grid[i] for i in range(len(sizes))))), sizes)


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
