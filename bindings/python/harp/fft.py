"""Fourier transforms: the Array API's extension `fft`, on harp's functions."""
from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _array_api as _api
from . import _core, _ops
from ._core import Dim, Tensor
from ._dtypes import dtype_of, float32, float64
from ._errors import DTypeError, InvalidArgumentError
from ._ops import fft2, ifft2, irfft2, rfft2
from ._types import Array, DTypeLike, Size

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft", "irfft2", "irfftn", "rfft",
    "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

def _length(n: Size | None) -> Size | None:
    if isinstance(n, int) and n < 1:
        raise InvalidArgumentError(f"the number of elements of a transform is at least 1, not {n}")
    return n


def fft(x: Array, /, n: Size | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The Fourier transform along an axis. x is first truncated or padded with zeros to n elements along this axis."""
    return _ops.fft(x, _length(n), axis, norm)


def ifft(x: Array, /, n: Size | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The inverse Fourier transform along an axis."""
    return _ops.ifft(x, _length(n), axis, norm)


def rfft(x: Array, /, n: Size | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The first n / 2 + 1 elements of the Fourier transform of n real numbers. The others are conjugates of these."""
    return _ops.rfft(x, _length(n), axis, norm)


def irfft(x: Array, /, n: Size | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The inverse of rfft: n real numbers, from the first n / 2 + 1 elements of their transform."""
    return _ops.irfft(x, _length(n), axis, norm)


def fftn(x: Array, /, s: Sequence[Size] | None = None, axes: Sequence[int] | None = None, norm: str = "backward") -> Tensor:
    """The Fourier transform along several axes."""
    return _ops.fftn(x, *_along(x, s, axes), norm)


def ifftn(x: Array, /, s: Sequence[Size] | None = None, axes: Sequence[int] | None = None, norm: str = "backward") -> Tensor:
    """The inverse Fourier transform along several axes."""
    return _ops.ifftn(x, *_along(x, s, axes), norm)


def rfftn(x: Array, /, s: Sequence[Size] | None = None, axes: Sequence[int] | None = None, norm: str = "backward") -> Tensor:
    """The Fourier transform of real numbers along several axes. Along the last of these axes, of size n, the result has only the first
    n / 2 + 1 elements."""
    return _ops.rfftn(x, *_along(x, s, axes), norm)


def irfftn(x: Array, /, s: Sequence[Size] | None = None, axes: Sequence[int] | None = None, norm: str = "backward") -> Tensor:
    """The inverse of rfftn: real numbers from their Fourier transform, of which the last axis has only the first n / 2 + 1 elements."""
    return _ops.irfftn(x, *_along(x, s, axes), norm)


def _along(x: Array, s: Sequence[Size] | None, axes: Sequence[int] | None) -> tuple[Any, Any]:
    if s is not None and axes is None:
        axes = list(range(-len(s), 0))
    if axes is None:
        axes = list(range(_api.asarray(x).ndim))
    return s, axes


_SWAPPED = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def hfft(x: Array, /, n: Size | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The transform of a Hermitian-symmetric array, given by its first half; the result is real."""
    return _ops.irfft(_ops.conj(x), _length(n), axis, _SWAPPED[norm])


def ihfft(x: Array, /, n: Size | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The inverse of hfft."""
    return _ops.conj(_ops.rfft(x, _length(n), axis, _SWAPPED[norm]))


def _frequencies(dtype: DTypeLike | None) -> Any:
    made = float32 if dtype is None else dtype_of(dtype)
    if made not in (float32, float64):
        raise DTypeError(f"frequencies are float32 or float64, not {made.name}")
    return made


def fftfreq(n: Size, /, d: float = 1.0, *, dtype: DTypeLike | None = None, device: Any = None) -> Tensor:
    """The frequency of each element of a transform of length n, in cycles per unit of the sample spacing d."""
    whole, half = _api.arange(n, device=device), (n + 1) // 2
    is_positive = _ops.less(whole, _core.to_tensor(half) if isinstance(half, Dim) else half)
    return _ops.cast(_ops.cast(_ops.where(is_positive, whole, whole - n), float64) / _span(n, d), _frequencies(dtype))


def rfftfreq(n: Size, /, d: float = 1.0, *, dtype: DTypeLike | None = None, device: Any = None) -> Tensor:
    """The frequencies of the first n / 2 + 1 elements of a transform, which rfft returns."""
    return _ops.cast(_ops.cast(_api.arange(n // 2 + 1, device=device), float64) / _span(n, d), _frequencies(dtype))


def _span(n: Size, d: float) -> Any:
    return _ops.cast(_core.to_tensor(n), float64) * d if isinstance(n, Dim) else n * d


def fftshift(x: Array, /, axes: int | Sequence[int] | None = None) -> Tensor:
    """Moves the element of frequency 0 to the middle of each axis."""
    return _shifted(x, axes, lambda size: size // 2)


def ifftshift(x: Array, /, axes: int | Sequence[int] | None = None) -> Tensor:
    """The inverse of fftshift."""
    return _shifted(x, axes, lambda size: -(size // 2))


def _shifted(x: Array, axes: int | Sequence[int] | None, by: Any) -> Tensor:
    tensor = _api.asarray(x)
    along = builtins.list(range(tensor.ndim)) if axes is None else [axes] if isinstance(axes, (int, np.integer)) else builtins.list(axes)
    return _ops.roll(tensor, [by(tensor.shape[axis]) for axis in along], along)


