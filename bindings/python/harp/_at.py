"""x.at[...]: copies of a tensor in which some elements are changed, as in JAX."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _core, _ops
from ._conversion import asarray
from ._core import Tensor
from ._creation import cast_to
from ._dtypes import bool_
from ._indexing import count_of, fitted, getitem, setitem
from ._types import Array, Number


class At:
    """What x.at returns: an index of it selects elements of x."""

    __slots__ = ("_x",)

    def __init__(self, x: Tensor) -> None:
        self._x = x

    def __getitem__(self, key: Any) -> Elements:
        return Elements(self._x, key)


class Elements:
    """Selected elements of a tensor. Each method returns a tensor in which they are changed; the tensor itself stays what it is. If an index
    selects an element several times, all the changes are made, one after the other; set() keeps the last."""

    __slots__ = ("_key", "_x")

    def __init__(self, x: Tensor, key: Any) -> None:
        self._x, self._key = x, key

    def get(self) -> Tensor:
        """The elements themselves: x[key]."""
        return getitem(self._x, self._key)

    def set(self, values: Array | Number) -> Tensor:
        """Replaces the elements."""
        made = _core.alias(self._x)
        setitem(made, self._key, values)
        return made

    def add(self, values: Array | Number) -> Tensor:
        """Adds the values to the elements."""
        return self._changed(_ops.add, _ops.scatter_add, values)

    def subtract(self, values: Array | Number) -> Tensor:
        """Subtracts the values from the elements."""
        given = values if isinstance(values, (bool, int, float, complex)) else asarray(values)
        return self.add(-given)

    def multiply(self, values: Array | Number) -> Tensor:
        """Multiplies the elements by the values."""
        return self._changed(_ops.multiply, _ops.scatter_mul, values)

    def min(self, values: Array | Number) -> Tensor:
        """Replaces the elements that are greater than the values by these."""
        return self._changed(_ops.minimum, _ops.scatter_min, values)

    def max(self, values: Array | Number) -> Tensor:
        """Replaces the elements that are less than the values by these."""
        return self._changed(_ops.maximum, _ops.scatter_max, values)

    def _changed(self, operation: Callable[..., Tensor], scattered: Callable[..., Tensor], values: Array | Number) -> Tensor:
        x, key = self._x, self._key
        given = cast_to(x, values)
        if isinstance(key, Tensor) and key.dtype is bool_ and tuple(key.shape) == tuple(x.shape) and given.ndim == 0:
            return _ops.where(key, operation(x, given), x)
        chosen = getitem(_ops.reshape(_ops.arange("int64", count_of(x.shape)), x.shape), key)
        updates = _ops.reshape(fitted(given, chosen.shape), [-1])
        return _ops.reshape(scattered(_ops.reshape(x, [-1]), _ops.reshape(chosen, [-1]), updates, 0), x.shape)
