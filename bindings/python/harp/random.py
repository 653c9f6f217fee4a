"""Random numbers as functions of a key: the same key gives the same array, whatever the backend and the number of threads.

    key, other = harp.random.split(harp.random.key(42))
    x = harp.random.normal(key, (3, 4))

Use each key for one array only: split makes new keys from a key, which must not be used afterwards.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _ops
from ._array_api import asarray, unstack
from ._conversion import sizes_of
from ._core import Dim, Tensor
from ._dtypes import dtype_of, float32, int64, uint64
from ._errors import DTypeError, InvalidArgumentError, ShapeError
from ._hints import RANDOM, missing
from ._tree import is_array
from ._types import Array, DTypeLike, Number, Shape, Size

__all__ = ["bernoulli", "bits", "categorical", "choice", "exponential", "key", "normal", "permutation", "randint", "split", "uniform"]

if not TYPE_CHECKING:
    __getattr__ = missing(__name__, RANDOM)


def _require_key(key: Any) -> None:
    if not is_array(key) or asarray(key).dtype.name not in ("uint32", "uint64"):
        raise TypeError(f"the first argument is a key, such as harp.random.key(0), not {key!r}")


def key(seed: int) -> Tensor:
    """Makes a key; different seeds give independent streams of numbers."""
    if not isinstance(seed, (int, np.integer)):
        raise TypeError(f"key: expected an int, got {seed!r}")
    return asarray(seed % 2**64, dtype=uint64)


def split(key: Array, num: int = 2) -> tuple[Tensor, ...]:
    """Makes this many new keys, whose numbers are independent of each other."""
    _require_key(key)
    return unstack(_ops.random_bits(key, dtype=uint64, dims=[num]))


def bits(key: Array, shape: Shape, dtype: DTypeLike = uint64, counter: Array | None = None) -> Tensor:
    """Random integers, uniform over all values of an unsigned dtype."""
    _require_key(key)
    return _ops.random_bits(key, dtype=dtype, dims=sizes_of(shape), counter=counter)


def uniform(
    key: Array, shape: Shape = (), dtype: DTypeLike = float32, low: float = 0.0, high: float = 1.0, counter: Array | None = None
) -> Tensor:
    """Floats in [low, high)."""
    _require_key(key)
    try:
        dtype_of(dtype)
    except DTypeError as error:
        raise DTypeError(f"uniform: {error}; the arguments after the shape are dtype, low and high") from None
    made = _ops.random_uniform(key, dtype=dtype, dims=sizes_of(shape), counter=counter)
    return made if (low, high) == (0.0, 1.0) else made * (high - low) + low


def normal(key: Array, shape: Shape = (), dtype: DTypeLike = float32, counter: Array | None = None) -> Tensor:
    """Floats of mean 0 and variance 1."""
    _require_key(key)
    return _ops.random_normal(key, dtype=dtype, dims=sizes_of(shape), counter=counter)


def randint(key: Array, shape: Shape, low: int, high: int, dtype: DTypeLike = "int64") -> Tensor:
    """Integers from low to high - 1: 64 random bits modulo high - low, plus low."""
    if low >= high:
        raise ValueError(f"randint: expected low < high, got {low} and {high}")
    _require_key(key)
    wide = _ops.random_bits(key, dtype=uint64, dims=sizes_of(shape))
    return _ops.cast(wide % (high - low), dtype) + low


def exponential(key: Array, shape: Shape = (), dtype: DTypeLike = float32) -> Tensor:
    """Floats of the exponential distribution of mean 1."""
    _require_key(key)
    return -_ops.log1p(-_ops.random_uniform(key, dtype=dtype, dims=sizes_of(shape)))


def bernoulli(key: Array, p: Array | Number = 0.5, shape: Shape | None = None) -> Tensor:
    """Bools that are true with probability p; by default in p's shape."""
    chance = asarray(p)
    return _ops.less(uniform(key, tuple(chance.shape) if shape is None else shape), chance)


def permutation(key: Array, x: Array | Size) -> Tensor:
    """x in a random order along its first axis, or the numbers below x, if it is a size."""
    if isinstance(x, (int, Dim)):
        return _ops.argsort(bits(key, (x,)))
    tensor = asarray(x)
    if tensor.ndim == 0:
        raise ShapeError("permutation: expected a size or an array with at least one axis, got an array of rank 0")
    return _ops.take(tensor, _ops.argsort(bits(key, (tensor.shape[0],))), 0)


def categorical(key: Array, logits: Array, axis: int = -1) -> Tensor:
    """For each position along the other axes an index along this axis, with probabilities proportional to exp(logits)."""
    given = asarray(logits)
    noise = uniform(key, given.shape, given.dtype if given.dtype.name in ("float32", "float64") else float32)
    return _ops.argmax(given - _ops.log(-_ops.log(noise)), axis, False)


def choice(key: Array, x: Array | int, shape: Shape = (), replace: bool = True, p: Array | Sequence[float] | None = None) -> Tensor:
    """Elements of x along its first axis, or numbers below x, drawn at random; with probabilities p, if they are given. replace=False: each
    position is drawn at most once."""
    _require_key(key)
    size = x if isinstance(x, int) else asarray(x).shape[0]
    sizes = sizes_of(shape)
    count: Size = 1
    for each in sizes:
        count = count * each
    if isinstance(size, int) and isinstance(count, int) and (size < 1 or (not replace and count > size)):
        raise InvalidArgumentError(f"choice: cannot draw {count} of {size} elements{'' if replace else ' without replacement'}")
    if p is not None and tuple(asarray(p).shape) != (size,):
        raise ShapeError(f"choice: expected a probability for each of the {size} elements, got shape {tuple(asarray(p).shape)}")
    if not replace:
        # Gives each element a random number and draws those with the greatest numbers. With probabilities, the number is log(p) plus one of
        # the Gumbel distribution.
        noise = uniform(key, (size,), "float64")
        order = _ops.argsort(-(noise if p is None else _ops.log(asarray(p)) - _ops.log(-_ops.log(noise))))
        index = _ops.reshape(order[:count], sizes)
    elif p is None:
        wide = _ops.random_bits(key, dtype=uint64, dims=sizes)
        index = _ops.cast(wide % (_ops.cast(_core.to_tensor(size), uint64) if isinstance(size, Dim) else size), int64)
    else:
        ends = _ops.cumsum(_ops.cast(asarray(p), "float64"), 0)
        drawn = uniform(key, tuple(sizes), "float64") * ends[-1]
        index = _ops.minimum(_ops.searchsorted(ends, drawn, "right"), size - 1)
    return index if isinstance(x, int) else _ops.take(asarray(x), index, 0)
