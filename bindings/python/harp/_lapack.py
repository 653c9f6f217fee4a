"""Decompositions of matrices. harp has no operations for them, so NumPy's LAPACK computes them: a program calls it (harp.native) with arrays
of any batch of matrices. The bits are therefore those of NumPy's LAPACK on this machine.

Native functions have no gradient. If an argument is being differentiated, the functions of linalg.py add a term to the result whose value is
0 and whose derivatives are those of the result; correction() makes it of an expression that converges to the result.
"""
from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core, _ops
from ._conversion import asarray
from ._core import Tensor
from ._dtypes import COMPLEX, DType, complex64, float32, float64
from ._errors import ShapeError
from ._native import native


class _Mapped(threading.local):
    depth = -1  # while vmap runs a function: the depth of the innermost gradient of vmap's arguments; else -1


mapped = _Mapped()


def order_of(*tensors: Tensor) -> int:
    """How often these tensors are being differentiated: 0 outside of gradients, 1 in grad, 2 in grad of grad ..."""
    return 1 + max(mapped.depth, *(_core.depth_of(x) for x in tensors))


def matrix(name: str, x: Any, square: bool = False) -> Tensor:
    """Converts to float32, float64, or their complex dtypes, which LAPACK has."""
    tensor = asarray(x)
    if tensor.ndim < 2 or (square and isinstance(tensor.shape[-1], int) and tensor.shape[-1] != tensor.shape[-2]):
        raise ShapeError(f"{name}: expected {'square matrices' if square else 'matrices'} in the last two axes, got shape {tuple(tensor.shape)}")
    return tensor if tensor.dtype in (float32, float64, *COMPLEX) else tensor.astype(float32)


def real_of(dtype: DType) -> DType:
    return (float32 if dtype is complex64 else float64) if dtype in COMPLEX else dtype


def constant(x: Tensor, order: int) -> Tensor:
    return _ops.stop_gradient(x) if order else x


def call(function: Callable[..., Any], tensors: Sequence[Tensor], shape: Sequence[Any], dtype: DType | None = None) -> Tensor:
    """Calls one of the functions below as a native function. If an argument is being differentiated, the result is a constant for
    gradients."""
    order = order_of(*tensors)
    return constant(native([constant(x, order) for x in tensors], function, tensors[0].dtype if dtype is None else dtype, shape), order)


def correction(x: Tensor) -> Tensor:
    """Returns a tensor whose values are 0 and whose derivatives are those of x."""
    return x - _ops.stop_gradient(x)


def inverse(x: Tensor) -> Tensor:
    """The inverses of matrices. If x is being differentiated, n steps of Newton's iteration, y + y (1 - x y), make the first 2^n - 1
    derivatives right."""
    found = call(inv, [x], x.shape)
    order = order_of(x)
    if not order:
        return found
    made = found
    for _ in range(order.bit_length()):
        made = 2 * made - _ops.matmul(_ops.matmul(made, x), made)
    return found + correction(made)


def relative_change(x: Tensor) -> Tensor:
    """Returns inverse(x0) (x - x0), where x0 is x as a constant: the values are 0, but the derivatives are not."""
    return _ops.matmul(call(inv, [x], x.shape), correction(x))


def log_of_change(x: Tensor, order: int) -> Tensor:
    """Returns the logarithm of det(x) / det(x0), where x0 is x as a constant, by the series of the logarithm: the values are 0, and the
    first `order` derivatives are right."""
    change = relative_change(x)
    power, made = change, _ops.trace(change, 0, -2, -1)
    for n in range(2, order + 1):
        power = _ops.matmul(power, change)
        made = made + _ops.trace(power, 0, -2, -1) * ((-1) ** (n + 1) / n)
    return made


# The functions that programs call. Their arguments are the input arrays, then the array for the result.


def inv(x: Any, out: Any) -> None:
    out[...] = np.linalg.inv(x)


def det(x: Any, out: Any) -> None:
    out[...] = np.linalg.det(x)


def slogdet(x: Any, out: Any) -> None:
    out[..., 0], out[..., 1] = np.linalg.slogdet(x)


def solve(a: Any, b: Any, out: Any) -> None:
    out[...] = np.linalg.solve(a, b)


def cholesky(x: Any, out: Any) -> None:
    out[...] = np.linalg.cholesky(x)


def _packed(out: Any, parts: Sequence[Any]) -> None:
    """Stores several arrays per matrix one after the other along the last axis of the result."""
    at = 0
    for part in parts:
        flat = part.reshape(*out.shape[:-1], -1)
        out[..., at : at + flat.shape[-1]] = flat
        at += flat.shape[-1]


def _each(x: Any, decompose: Callable[[Any], Any]) -> list[Any]:
    """Decomposes one matrix of a batch after the other: old versions of NumPy do not accept several at a time."""
    matrices = x.reshape(-1, *x.shape[-2:])
    columns = zip(*(decompose(each) for each in matrices))
    return [np.stack(column) for column in columns]


def qr(x: Any, out: Any) -> None:
    if x.size:
        _packed(out, _each(x, lambda each: np.linalg.qr(each)))


def qr_complete(x: Any, out: Any) -> None:
    if x.size:
        _packed(out, _each(x, lambda each: np.linalg.qr(each, mode="complete")))


def eigh(x: Any, out: Any) -> None:
    _packed(out, np.linalg.eigh(x))


def eigvalsh(x: Any, out: Any) -> None:
    out[...] = np.linalg.eigvalsh(x)


def eig(x: Any, out: Any) -> None:
    _packed(out, np.linalg.eig(x))


def eigvals(x: Any, out: Any) -> None:
    out[...] = np.linalg.eigvals(x)


def svd(x: Any, out: Any) -> None:
    _packed(out, np.linalg.svd(x, full_matrices=False))


def svd_full(x: Any, out: Any) -> None:
    _packed(out, np.linalg.svd(x, full_matrices=True))


def svdvals(x: Any, out: Any) -> None:
    out[...] = np.linalg.svd(x, compute_uv=False)


def lstsq(a: Any, b: Any, cutoff: Any, out: Any) -> None:
    """The solution, the residuals, the rank and the singular values, one after the other."""
    x, _, rank, s = np.linalg.lstsq(a, b, rcond=None if cutoff < 0 else float(cutoff))
    rest = a @ x - b
    _packed(out, [x, (rest.conj() * rest).real.sum(axis=0), np.asarray(rank), s])


BATCHED = {inv, det, slogdet, solve, cholesky, qr, qr_complete, eigh, eigvalsh, eig, eigvals, svd, svd_full, svdvals}
