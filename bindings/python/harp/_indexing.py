"""Indexing as in NumPy: numbers, slices, None, ..., arrays of integers, and masks whose values are known."""
from __future__ import annotations

import operator
import sys
from typing import Any

import numpy as np

from . import _core, _ops
from ._conversion import asarray
from ._core import Dim, Tensor
from ._creation import is_number, number_of_dtype
from ._dtypes import SIGNED, UNSIGNED, bool_
from ._errors import InvalidArgumentError, ShapeError
from ._references import TEMPORARY, is_statement
from ._shapes import broadcast_shapes


def _as_index(entry: Any) -> Any:
    """Converts lists and NumPy arrays to tensors, and everything with __index__ to an int."""
    if entry is None or entry is Ellipsis or isinstance(entry, (slice, Dim, bool, np.bool_)):
        return entry
    if isinstance(entry, (list, tuple, np.ndarray)):
        array = np.asarray(entry)
        return _core.from_numpy(array if array.size or isinstance(entry, np.ndarray) else array.astype(np.int64), None)  # [] has no dtype
    if isinstance(entry, Tensor):
        return entry
    try:
        return operator.index(entry)
    except TypeError:
        if hasattr(entry, "__dlpack__"):
            return asarray(entry)
        raise IndexError(f"an index must be an int, a slice, None, ..., or an array of integers or bools, got {entry!r}") from None


def _entries(x: Tensor, key: Any) -> tuple[Tensor, list[Any]]:
    """Returns the tensor and a list that contains one entry for each of its axes, and a None for each axis that the index adds. In the
    list, masks are replaced by arrays of integers, and ... by full slices. For each mask of rank 0, the returned tensor has an added
    axis of size 1."""
    entries: list[Any] = []
    for raw in key if isinstance(key, tuple) else (key,):
        entry = _as_index(raw)
        if isinstance(entry, Tensor) and entry.dtype not in SIGNED + UNSIGNED + (bool_,):
            raise IndexError(f"an array that is an index has integers or bools, not {entry.dtype.name}")
        if isinstance(entry, (bool, np.bool_)) or (isinstance(entry, Tensor) and entry.dtype == np.bool_):
            if _is_traced(entry):
                raise IndexError("the size of x[mask] depends on values that are not known while a function is traced; use harp.where")
            mask = np.asarray(entry)
            axis = sum(e is not None and e is not Ellipsis for e in entries)
            if mask.ndim == 0:
                if any(e is Ellipsis for e in entries):
                    raise IndexError("a mask of rank 0 stands before ...")
                x = _ops.unsqueeze(x, [axis])
                entries.append(slice(0, int(mask)))
                continue
            if not any(e is Ellipsis for e in entries):
                sizes = x.shape[axis : axis + mask.ndim]
                if len(sizes) != mask.ndim or any(m not in (0, s) for m, s in zip(mask.shape, sizes)):
                    raise IndexError(f"a mask of shape {mask.shape} does not fit the axes {tuple(sizes)}")
            entries += [_core.from_numpy(i, None) for i in np.nonzero(mask)]
        else:
            entries.append(entry)
    used = sum(e is not None and e is not Ellipsis for e in entries)
    if used > x.ndim:
        raise IndexError(f"{used} indices for a tensor of {x.ndim} axes")
    at = [i for i, e in enumerate(entries) if e is Ellipsis]
    if len(at) > 1:
        raise IndexError("an index has at most one ...")
    rest = [slice(None)] * (x.ndim - used)
    if at:
        entries[at[0] : at[0] + 1] = rest
    else:
        entries += rest
    return x, entries


def _is_traced(entry: Any) -> bool:
    return isinstance(entry, Tensor) and _core.is_argument(entry)


def _bound(position: int, size: Any, axis: int) -> int:
    if isinstance(size, int) and not -size <= position < size:
        raise IndexError(f"index {position} is out of bounds for axis {axis} with size {size}")
    return position


def _has(size: Dim, position: int) -> bool:
    """Tests whether index `position` is valid for every value that the symbolic size can have. A negative position counts from the end."""
    least = position + 1 if position >= 0 else -position
    return isinstance(_core.dim_min(size, least), int)


def _slice_of(entry: Any, size: Any, axis: int) -> tuple[Any, Any, int]:
    if isinstance(entry, slice):
        step = 1 if entry.step is None else operator.index(entry.step)
        if step == 0:
            raise ValueError("slice step cannot be zero")
        if isinstance(size, int) and not isinstance(entry.start, Dim) and not isinstance(entry.stop, Dim):
            start, stop, step = entry.indices(size)
            if start < 0:  # with step -1 and a start before the first element, the slice is empty
                return 0, 0, 1
            return start, (None if stop < 0 else stop), step
        return entry.start, entry.stop, step
    position = _bound(entry, size, axis)
    return position, (None if position == -1 else position + 1), 1


_SLICE, _RESHAPE = (_core.operation_names().index(name) for name in ("slice", "reshape"))


def _block(x: Tensor, key: Any) -> Tensor | None:
    """A fast path of x[key] for the most frequent keys: ints, slices, None and ... along axes whose sizes are numbers. Returns None for
    other keys, and for indices out of range."""
    shape = x.shape
    keys = key if type(key) is tuple else (key,)
    starts: list[Any] = []
    stops: list[Any] = []
    steps: list[int] = []
    kept: list[int] = []  # the shape of the result
    whole, reshaped = True, False
    axis, rank = 0, len(shape)
    missing = -1  # the number of axes that ... stands for; -1 until the loop reaches it
    for entry in keys:
        if entry is None:
            kept.append(1)
            reshaped = True
            continue
        if entry is Ellipsis:
            if missing >= 0:
                return None
            missing = rank - sum(each is not None for each in keys) + 1
            if missing < 0:
                return None
            for size in shape[axis : axis + missing]:
                starts.append(0)
                stops.append(size)
                steps.append(1)
                kept.append(size)
            axis += missing
            continue
        if axis >= rank:
            return None
        size = shape[axis]
        axis += 1
        if type(size) is not int:
            return None
        if type(entry) is int:
            if not -size <= entry < size:
                return None
            start = entry if entry >= 0 else entry + size
            stop: Any = start + 1
            step = 1
            whole, reshaped = False, True
        elif type(entry) is slice and not isinstance(entry.start, Dim) and not isinstance(entry.stop, Dim):
            start, stop, step = entry.indices(size)
            count = len(range(start, stop, step))
            if count == 0:
                start, stop, step = 0, 0, 1
            elif stop < 0:
                stop = None
            kept.append(count)
            whole = whole and count == size and step == 1
        else:
            return None
        starts.append(start)
        stops.append(stop)
        steps.append(step)
    for size in shape[axis:]:
        starts.append(0)
        stops.append(size)
        steps.append(1)
        kept.append(size)
    if len(starts) != rank or any(type(size) is not int for size in kept):
        return None
    made: Tensor = x if whole else _core.apply(_SLICE, x, starts, stops, steps)
    if reshaped:
        return _core.apply(_RESHAPE, made, kept)  # type: ignore[no-any-return]
    return _core.alias(x) if whole else made


def getitem(x: Tensor, key: Any) -> Tensor:
    block = _block(x, key)
    if block is not None:
        return block
    given = x
    x, entries = _entries(x, key)
    starts: list[Any] = []
    stops: list[Any] = []
    steps: list[int] = []
    shape: list[Any] = []
    # pairs (axis, indices): the axis from which the indices select, counted in the result of the slicing
    arrays: list[tuple[int, Tensor]] = []
    axis, identity, squeezed = 0, True, False
    for i, entry in enumerate(entries):
        if entry is None:
            shape.append(1)
            squeezed = True
            continue
        size = x.shape[axis]
        if isinstance(entry, Dim) or (isinstance(size, Dim) and isinstance(entry, int) and not _has(size, entry)):
            # A position that is symbolic, or may lie outside a symbolic size, becomes an index array: a slice of this one element would
            # have to be proven to be within bounds.
            entry = entries[i] = _core.to_tensor(entry) if isinstance(entry, Dim) else _core.from_numpy(np.asarray(entry), None)
        if isinstance(entry, Tensor):
            start, stop, step = None, None, 1
            arrays.append((len(shape), entry))
            shape.append(size)
        else:
            start, stop, step = _slice_of(entry, size, axis)
            if isinstance(entry, slice):
                identity = identity and entry == slice(None)
                shape.append(-1)
            else:
                identity, squeezed = False, True
        starts.append(start)
        stops.append(stop)
        steps.append(step)
        axis += 1
    if not identity:
        x = _ops.slice(x, starts, stops, steps)
    if squeezed:
        kept = [i for i, e in enumerate(e for e in entries if e is not None) if isinstance(e, (slice, Tensor))]
        sizes = iter([x.shape[i] for i in kept])
        x = _ops.reshape(x, [1 if e is None else next(sizes) for e in entries if e is None or isinstance(e, (slice, Tensor))])
    return _take(x, arrays, entries) if arrays else (_core.alias(x) if x is given else x)


def _take(x: Tensor, arrays: list[tuple[int, Tensor]], entries: list[Any]) -> Tensor:
    """Selects elements by arrays of integers: along one axis, or along several at the same time."""
    axes = [axis for axis, _ in arrays]
    kinds = [isinstance(e, (Tensor, int)) for e in entries]  # as in NumPy, an int next to index arrays counts as an index array
    first, last = kinds.index(True), len(kinds) - 1 - kinds[::-1].index(True)
    # as in NumPy, the axes of the index arrays come first in the result if a slice, None or ... lies between two index arrays of the key
    in_front = not all(kinds[first : last + 1])
    if len(arrays) == 1:
        indices = checked(arrays[0][1], x.shape[axes[0]], axes[0])
        taken = _ops.take(x, indices, axes[0])
        new = indices.ndim
        return _ops.moveaxis(taken, list(range(axes[0], axes[0] + new)), list(range(new))) if in_front and new and axes[0] else taken
    shapes = [tuple(i.shape) for _, i in arrays]
    try:
        shape = broadcast_shapes(*shapes)
    except ValueError:
        raise IndexError(f"index arrays of the shapes {', '.join(map(str, shapes))} do not broadcast") from None
    together = [_ops.broadcast_to(checked(i, x.shape[a], a), shape) for a, i in arrays]
    order = axes + [i for i in range(x.ndim) if i not in axes]
    if order != list(range(x.ndim)):
        x = _ops.permute_dims(x, order)
    taken = _ops.gather_nd(x, _ops.stack([_ops.cast(i, "int64") for i in together], len(shape)))
    if in_front or axes[0] == 0:
        return taken
    before = list(range(len(shape), len(shape) + axes[0]))
    return _ops.permute_dims(taken, before + list(range(len(shape))) + list(range(len(shape) + axes[0], taken.ndim)))


def checked(indices: Tensor, size: Any, axis: int) -> Tensor:
    """Checks indices whose values are known. Other indices are clamped when they are used, or checked if jit was called with
    check_indices."""
    if indices.is_realised and isinstance(size, int) and not _is_traced(indices):
        values = np.asarray(indices)
        if values.size and (values.min() < -size or values.max() >= size):
            wrong = values[(values < -size) | (values >= size)].flat[0]
            raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {size}")
    return indices


def setitem(x: Tensor, key: Any, value: Any) -> None:
    """Replaces some elements of x. Views of x, and tensors that were computed from it before, do not change."""
    if TEMPORARY and sys.getrefcount(x) <= TEMPORARY and is_statement(sys._getframe(1)):
        raise InvalidArgumentError("the assignment would change a copy that nothing refers to, and be lost, because parts of a tensor are copies: "
                                   "instead of x[i][j] = y write x[i, j] = y, or part = x[i]; part[j] = y; x[i] = part")  # fmt: skip
    dtype = x.dtype
    if is_number(value):
        value = number_of_dtype(value, dtype)
    if isinstance(key, Tensor) and key.dtype == np.bool_ and tuple(key.shape) == tuple(x.shape) and getattr(value, "ndim", 1) == 0:
        x._rebind(_ops.where(key, _ops.cast(value, dtype), x))
        return
    given = value if isinstance(value, Tensor) else _core.from_numpy(np.asarray(value), None)
    if given.dtype is not dtype:
        given = _ops.cast(given, dtype)
    placed = _placed_block(x, key, given)
    if placed is None:
        placed = _placed(x, key, given)
    if placed is not None:
        x._rebind(placed)
        return
    where = _ops.arange("int64", count_of(x.shape))
    chosen = getitem(_ops.reshape(where, x.shape), key)
    given = fitted(given, chosen.shape)
    flat = _ops.scatter(_ops.reshape(x, [-1]), _ops.reshape(chosen, [-1]), _ops.reshape(given, [-1]), 0)
    x._rebind(_ops.reshape(flat, x.shape))


def fitted(given: Tensor, shape: Any) -> Tensor:
    """Broadcasts the values of an assignment to the shape of the elements that they replace."""
    if tuple(given.shape) == tuple(shape):
        return given
    while given.ndim > len(shape) and given.shape[0] == 1:
        given = _ops.squeeze(given, 0)
    try:
        return _ops.broadcast_to(given, shape)
    except ShapeError:
        raise ShapeError(f"values of shape {tuple(given.shape)} do not fit the elements of shape {tuple(shape)}") from None


def _placed_block(x: Tensor, key: Any, given: Tensor) -> Tensor | None:
    """A fast path of _placed() for the most frequent keys: ints and slices of step 1 along axes whose sizes are numbers."""
    shape = x.shape
    rank = len(shape)
    keys = key if type(key) is tuple else (key,)
    if len(keys) > rank:
        return None
    bounds: list[tuple[int, int]] = []
    kept: list[int] = []
    for entry, size in zip(keys, shape):
        if type(size) is not int:
            return None
        if type(entry) is int:
            if not -size <= entry < size:
                return None
            start = entry if entry >= 0 else entry + size
            bounds.append((start, start + 1))
        elif type(entry) is slice and not isinstance(entry.start, Dim) and not isinstance(entry.stop, Dim):
            start, stop, step = entry.indices(size)
            if step != 1:
                return None
            bounds.append((start, stop if stop > start else start))
            kept.append(bounds[-1][1] - start)
        else:
            return None
    for size in shape[len(keys) :]:
        if type(size) is not int:
            return None
        bounds.append((0, size))
        kept.append(size)
    block = [stop - start for start, stop in bounds]
    result = fitted(given, kept)
    if len(kept) != rank:
        result = _core.apply(_RESHAPE, result, block)
    for axis in range(rank - 1, -1, -1):
        start, stop = bounds[axis]
        size = shape[axis]
        if start == 0 and stop == size:
            continue
        pieces = [result] if stop > start else []
        # The parts of x before and after the block along `axis`. Along earlier axes they have the extent of the block, along later axes
        # that of x.
        for first, last in ((0, start), (stop, size)):
            if last > first:
                starts = [*[each[0] for each in bounds[:axis]], first, *[0] * (rank - axis - 1)]
                stops = [*[each[1] for each in bounds[:axis]], last, *shape[axis + 1 :]]
                pieces.insert(0 if first == 0 and last == start else len(pieces), _core.apply(_SLICE, x, starts, stops, [1] * rank))
        result = _ops.concat(pieces, axis) if len(pieces) > 1 else pieces[0]
    return result


def _placed(x: Tensor, key: Any, given: Tensor) -> Tensor | None:
    """Returns a copy of x in which x[key] is replaced by `given`, as a concatenation of `given` and the parts of x around the block x[key].
    The loop that computes `given` can store the concatenation, whereas a scatter stores one element after the other. The key may contain
    only numbers, slices of step 1 or -1, None and ... Returns None for all other keys, and if a symbolic size may be so small that the
    parts around the block overlap."""
    if any(isinstance(entry, (list, tuple, np.ndarray, Tensor, bool, np.bool_)) for entry in (key if isinstance(key, tuple) else (key,))):
        return None
    _, entries = _entries(x, key)
    starts: list[Any] = []
    stops: list[Any] = []
    reversed_axes: list[int] = []
    sizes: list[Any] = []  # the shape of x[key]; None stands for the size of a slice, which is inserted once `block` is known
    for entry in entries:
        if entry is None:
            sizes.append(1)
            continue
        axis = len(starts)
        size = x.shape[axis]
        if isinstance(entry, Dim) or (isinstance(size, Dim) and isinstance(entry, int) and not _has(size, entry)):
            return None
        start, stop, step = _slice_of(entry, size, axis)
        if step == -1 and isinstance(size, int) and isinstance(start, int) and (stop is None or isinstance(stop, int)):
            start, stop = (0 if stop is None else stop + 1), start + 1
            reversed_axes.append(axis)
        elif step != 1:
            return None
        if isinstance(size, int) and isinstance(start, int) and isinstance(stop, int) and stop < start and isinstance(entry, slice):
            stop = start  # an empty slice
        if isinstance(entry, slice):
            sizes.append(None)
        starts.append(start)
        stops.append(stop)
    block = _ops.slice(x, starts, stops, [1] * x.ndim)
    block_sizes = iter(n for n, entry in zip(block.shape, (e for e in entries if e is not None)) if isinstance(entry, slice))
    given = fitted(given, [next(block_sizes) if n is None else n for n in sizes])
    given = _ops.reshape(given, block.shape)
    if reversed_axes:
        given = _ops.flip(given, reversed_axes)
    result = given
    # Loops from the last axis to the first. Before the step for `axis`, `result` has the extent of the block along `axis` and all axes
    # before it, and the extent of x along all axes after it.
    for axis in range(x.ndim - 1, -1, -1):
        if starts[axis] in (None, 0) and stops[axis] is None:
            continue
        part = _ops.slice(x, starts[:axis] + [None] * (x.ndim - axis), stops[:axis] + [None] * (x.ndim - axis), [1] * x.ndim) if axis else x
        pieces = [_between(part, axis, None, starts[axis]), result, _between(part, axis, stops[axis], None)]
        result = _ops.concat([piece for piece in pieces if piece is not None], axis)
        if result.shape[axis] != x.shape[axis]:
            return None
    return result


def _between(x: Tensor, axis: int, start: Any, stop: Any) -> Tensor | None:
    """Returns x[start:stop] along this axis, or None if it is empty. The caller uses only two forms: start = None for the part before a
    block that begins at `stop`, and stop = None for the part after a block that ends at `start`. If the bound of the block is None, too,
    there is no such part."""
    if (start is None and stop in (None, 0)) or (stop is None and start is None):
        return None
    none = [None] * x.ndim
    part = _ops.slice(x, [*none[:axis], start, *none[axis + 1 :]], [*none[:axis], stop, *none[axis + 1 :]], [1] * x.ndim)
    return None if part.shape[axis] == 0 else part


def count_of(shape: Any) -> Any:
    count: Any = 1
    for size in shape:
        count = count * size
    return count
