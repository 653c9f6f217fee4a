"""Random numbers as functions of a key: the same key gives the same array, whatever the backend and the number of threads.

    key, other = harp.random.split(harp.random.key(42))
    x = harp.random.normal(key, (3, 4))

Use each key for one array only: split makes new keys from a key, which must not be used afterwards.
"""
from __future__ import annotations

from . import _ops
from ._array_api import asarray, unstack
from ._conversion import sizes_of
from ._core import Tensor
from ._dtypes import float32, uint64
from ._types import Array, DTypeLike, Shape

__all__ = ["bits", "key", "normal", "randint", "split", "uniform"]


def key(seed: int) -> Tensor:
    """Makes a key; different seeds give independent streams of numbers."""
    return asarray(seed % 2**64, dtype=uint64)


def split(key: Array, num: int = 2) -> tuple[Tensor, ...]:
    """Makes this many new keys, whose numbers are independent of each other."""
    return unstack(_ops.random_bits(key, dtype=uint64, dims=[num]))


def bits(key: Array, shape: Shape, dtype: DTypeLike = uint64, counter: Array | None = None) -> Tensor:
    """Random integers, uniform over all values of an unsigned dtype."""
    return _ops.random_bits(key, dtype=dtype, dims=sizes_of(shape), counter=counter)


def uniform(
    key: Array, shape: Shape = (), dtype: DTypeLike = float32, low: float = 0.0, high: float = 1.0, counter: Array | None = None
) -> Tensor:
    """Floats in [low, high)."""
    made = _ops.random_uniform(key, dtype=dtype, dims=sizes_of(shape), counter=counter)
    return made if (low, high) == (0.0, 1.0) else made * (high - low) + low


def normal(key: Array, shape: Shape = (), dtype: DTypeLike = float32, counter: Array | None = None) -> Tensor:
    """Floats of mean 0 and variance 1."""
    return _ops.random_normal(key, dtype=dtype, dims=sizes_of(shape), counter=counter)


def randint(key: Array, shape: Shape, low: int, high: int, dtype: DTypeLike = "int64") -> Tensor:
    """Integers from low to high - 1: 64 random bits modulo high - low, plus low."""
    if low >= high:
        raise ValueError(f"randint: expected low < high, got {low} and {high}")
    wide = _ops.random_bits(key, dtype=uint64, dims=sizes_of(shape))
    return _ops.cast(wide % (high - low), dtype) + low
