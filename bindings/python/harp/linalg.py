"""Linear algebra: the Array API's extension `linalg`, and some of NumPy's functions. Products and norms are harp's own operations;
decompositions are computed by NumPy's LAPACK (see _lapack.py), in programs and traced functions, too. A matrix that a function cannot handle,
such as a singular one, is a LinAlgError in the run: a NativeError that is also NumPy's LinAlgError."""
from __future__ import annotations

import builtins
import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from . import _array_api as _api
from . import _core, _lapack, _ops
from ._array_api import matmul, matrix_transpose, tensordot, vecdot
from ._conversion import asarray, promoted
from ._core import Tensor
from ._dtypes import COMPLEX, complex64, complex128, float32
from ._errors import GradientError, InvalidArgumentError, LinAlgError, ShapeError
from ._types import Array, DTypeLike

__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigh_result", "eigvals", "eigvalsh", "inv", "lstsq", "matmul",
    "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr", "qr_result",
    "slogdet", "slogdet_result", "solve", "svd", "svd_result", "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
]  # fmt: skip


class eigh_result(NamedTuple):  # noqa: N801
    eigenvalues: Tensor
    eigenvectors: Tensor


class qr_result(NamedTuple):  # noqa: N801
    Q: Tensor
    R: Tensor


class slogdet_result(NamedTuple):  # noqa: N801
    sign: Tensor
    logabsdet: Tensor


class svd_result(NamedTuple):  # noqa: N801
    U: Tensor
    S: Tensor
    Vh: Tensor


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Tensor:
    """The cross product of vectors of 3 elements along an axis."""
    a, b = promoted([x1, x2])
    return _ops.cross(a, b, axis)


def diagonal(x: Array, /, *, offset: int = 0) -> Tensor:
    """A diagonal of the last two axes, which becomes the last axis of the result."""
    return _ops.diagonal(x, offset, -2, -1)


def trace(x: Array, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """The sum of a diagonal of the last two axes."""
    return _api.sum(_ops.diagonal(x, offset, -2, -1), axis=-1, dtype=dtype)


def outer(x1: Array, x2: Array, /) -> Tensor:
    """The products of every element of one vector with every element of another."""
    a, b = promoted([x1, x2])
    return _ops.outer(a, b)


def multi_dot(arrays: Sequence[Array], /) -> Tensor:
    """The matrix product of all arrays, from left to right."""
    if not arrays:
        raise InvalidArgumentError("multi_dot: expected at least one array, got none")
    return functools.reduce(matmul, arrays[1:], asarray(arrays[0]))


def vector_norm(x: Array, /, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, ord: float = 2) -> Tensor:
    """The vector norm along axes (None: over all elements)."""
    return _ops.norm(x, float(ord), axis, keepdims)


def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: float | str = "fro") -> Tensor:
    """The norm of matrices: Frobenius ("fro"), the greatest or least sum of absolute values in a column (1, -1) or row (inf, -inf), the
    greatest or least singular value (2, -2), or the sum of the singular values ("nuc")."""
    if ord == "fro":
        return _ops.norm(x, 2.0, [-2, -1], keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        axis, other = (-2, -1) if builtins.abs(float(ord)) == 1 else (-1, -2)
        sums = _ops.sum(_ops.abs(x), [axis], True)
        extreme = _ops.max(sums, [other], True) if float(ord) > 0 else _ops.min(sums, [other], True)
        return extreme if keepdims else _ops.squeeze(extreme, [-2, -1])
    if ord not in (2, -2, "nuc"):
        raise InvalidArgumentError(f'matrix_norm: expected ord "fro", "nuc", 1, -1, 2, -2, inf or -inf, got {ord!r}')
    values = svdvals(x)
    made = _ops.sum(values, -1, False) if ord == "nuc" else _ops.max(values, -1, False) if ord == 2 else _ops.min(values, -1, False)
    return _ops.unsqueeze(made, [-2, -1]) if keepdims else made


def norm(x: Array, /, ord: float | str | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The norm of vectors along an axis, or of matrices along two axes, as numpy.linalg.norm; axis None: of the vector or matrix x, or, if ord
    is None too, of all elements."""
    tensor = asarray(x)
    if axis is None and ord is None:
        return _ops.norm(tensor, 2.0, None, keepdims)
    axes = list(range(tensor.ndim)) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    if len(axes) == 1:
        if isinstance(ord, str):
            raise InvalidArgumentError(f"norm: the norm {ord!r} is one of matrices, got one axis")
        return _ops.norm(tensor, 2.0 if ord is None else float(ord), axes, keepdims)
    if len(axes) != 2:
        raise ShapeError(f"norm: expected one axis, or two for matrices, got {len(axes)}")
    kept = _ops.moveaxis(tensor, axes, [-2, -1])
    made = matrix_norm(kept, ord="fro" if ord is None else ord)
    if not keepdims:
        return made
    return _ops.reshape(made, [1 if i in [each % tensor.ndim for each in axes] else n for i, n in enumerate(tensor.shape)])


def inv(x: Array, /) -> Tensor:
    """The inverses of square matrices."""
    return _like(_lapack.inverse(_lapack.matrix("inv", x, True)), x)


def det(x: Array, /) -> Tensor:
    """The determinants of square matrices. Gradients exist where the matrix is not singular."""
    tensor = _lapack.matrix("det", x, True)
    made = _lapack.call(_lapack.det, [tensor], tensor.shape[:-2])
    order = _lapack.order_of(tensor)
    return _like(made * _ops.exp(_lapack.log_of_change(tensor, order)) if order else made, x)


def slogdet(x: Array, /) -> slogdet_result:
    """The signs, and the logarithms of the absolute values, of the determinants of square matrices."""
    tensor = _lapack.matrix("slogdet", x, True)
    both = _lapack.call(_lapack.slogdet, [tensor], [*tensor.shape[:-2], 2])
    sign, logarithm = both[..., 0], _ops.real(both[..., 1]) if tensor.dtype in COMPLEX else both[..., 1]
    order = _lapack.order_of(tensor)
    if order:
        change = _lapack.log_of_change(tensor, order)
        if tensor.dtype in COMPLEX:  # the real part changes the absolute value of the determinant, the imaginary part its angle
            sign = sign * _ops.exp(_ops.complex_from_parts(0, _ops.imag(change)))
            change = _ops.real(change)
        logarithm = logarithm + change
    return slogdet_result(_like(sign, x), _like(logarithm, x))


def solve(x1: Array, x2: Array, /) -> Tensor:
    """The solutions y of x1 @ y = x2. x2 is one vector if it has one axis, else matrices."""
    a, b = promoted([_lapack.matrix("solve", x1, True), x2])
    b = b.astype(a.dtype)
    vector = b.ndim == 1
    if vector:
        b = _ops.unsqueeze(b, -1)
    if b.ndim < 2 or (isinstance(b.shape[-2], int) and isinstance(a.shape[-1], int) and b.shape[-2] != a.shape[-1]):
        raise ShapeError(f"solve: matrices of shape {tuple(a.shape)} and right sides of shape {tuple(asarray(x2).shape)} do not fit each other")
    batch = _api.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = _ops.broadcast_to(a, [*batch, *a.shape[-2:]]), _ops.broadcast_to(b, [*batch, *b.shape[-2:]])
    made = _lapack.call(_lapack.solve, [a, b], b.shape)
    if _lapack.order_of(a, b):
        made = made + _lapack.correction(_ops.matmul(_lapack.inverse(a), b))
    return _like(_ops.squeeze(made, -1) if vector else made, x1, x2)


def cholesky(x: Array, /, *, upper: bool = False) -> Tensor:
    """The lower triangular matrices L with x = L @ L*, where L* is the conjugate transpose; with `upper`, L* instead of L. Reads only the
    lower triangles of x."""
    tensor = _lapack.matrix("cholesky", x, True)
    made = _lapack.call(_lapack.cholesky, [tensor], tensor.shape)
    order = _lapack.order_of(tensor)
    if order:
        # x = L0 (1 + m) L0*, where L0* is the conjugate transpose, so L = L0 (1 + g) with g + g* + g g* = m; the values of m and g are 0,
        # and each iteration makes one more derivative right.
        left = _ops.stop_gradient(_lapack.call(_lapack.inv, [made], made.shape))
        change = _ops.matmul(_ops.matmul(left, _lapack.correction(_hermitian(tensor))), _conjugate_transpose(left))
        g = _lower_half(change)
        for _ in range(1, order):
            g = _lower_half(change - _ops.matmul(g, _conjugate_transpose(g)))
        made = made + _lapack.correction(_ops.matmul(made, g))
    made = _like(made, x)
    return _conjugate_transpose(made) if upper else made


def _conjugate_transpose(x: Tensor) -> Tensor:
    return _ops.conj(x.mT) if x.dtype in COMPLEX else x.mT


def _hermitian(x: Tensor) -> Tensor:
    """The Hermitian part of x, which is x if x is Hermitian. Its derivatives treat a change of one element as a change of the mirrored
    element, too."""
    return (x + _conjugate_transpose(x)) * 0.5


def _lower_half(x: Tensor) -> Tensor:
    """The lower triangle, with half of the diagonal."""
    return (_ops.tril(x, 0) + _ops.tril(x, -1)) * 0.5


def _least(a: Any, b: Any) -> Any:
    return _core.dim_min(a, b)


def _unpack(packed: Tensor, batch: Sequence[Any], *shapes: Sequence[Any]) -> list[Tensor]:
    """Splits a result of a function of _lapack, which stores several arrays one after the other along the last axis."""
    parts, at = [], 0
    for shape in shapes:
        end = at + math.prod(shape)
        parts.append(_ops.reshape(packed[..., at:end], [*batch, *shape]))
        at = end
    return parts


def _no_gradient(name: str, x: Tensor) -> None:
    if _lapack.order_of(x):
        raise GradientError(f"{name} has no gradient; harp.stop_gradient(x) makes a constant of its argument")


def qr(x: Array, /, *, mode: str = "reduced") -> qr_result:
    """Q with orthonormal columns and the upper triangular R with x = Q @ R. mode: "reduced", or "complete" with a square Q."""
    if mode not in ("reduced", "complete"):
        raise InvalidArgumentError(f'qr: expected the mode "reduced" or "complete", got {mode!r}')
    tensor = _lapack.matrix("qr", x)
    _no_gradient("qr", tensor)
    *batch, m, n = tensor.shape
    k = m if mode == "complete" else _least(m, n)
    packed = _lapack.call(_lapack.qr if mode == "reduced" else _lapack.qr_complete, [tensor], [*batch, m * k + k * n])
    return qr_result(*(_like(part, x) for part in _unpack(packed, batch, [m, k], [k, n])))


def eigh(x: Array, /) -> eigh_result:
    """The eigenvalues of symmetric or Hermitian matrices in ascending order, and orthonormal eigenvectors, one in each column. Reads the lower
    triangles of x. First derivatives exist where the eigenvalues are different. Those of complex eigenvectors are meant for functions that do
    not depend on the vectors' phases: each vector changes at right angles to itself."""
    tensor = _lapack.matrix("eigh", x, True)
    n, batch = tensor.shape[-1], tensor.shape[:-2]
    values, vectors = _unpack(_lapack.call(_lapack.eigh, [tensor], [*batch, n + n * n]), batch, [n], [n, n])
    if tensor.dtype in COMPLEX:
        values = _ops.real(values)
    if _lapack.order_of(tensor):
        values, vectors = _differentiated(tensor, values, vectors)
    return eigh_result(_like(values, x), _like(vectors, x))


def _differentiated(x: Tensor, values: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor]:
    """Gives eigenvalues and eigenvectors their first derivatives."""
    if _lapack.order_of(x) > 1:
        raise GradientError("eigh, eigvalsh: only first derivatives exist")
    change = _ops.matmul(_ops.matmul(_conjugate_transpose(vectors), _lapack.correction(_hermitian(x))), vectors)
    distances = _ops.unsqueeze(values, -2) - _ops.unsqueeze(values, -1)
    same = _ops.equal(distances, 0)
    turned = _ops.where(same, 0, change / _ops.where(same, 1, distances))
    along = _ops.diagonal(change, 0, -2, -1)
    return values + (_ops.real(along) if x.dtype in COMPLEX else along), vectors + _ops.matmul(vectors, turned)


def eigvalsh(x: Array, /) -> Tensor:
    """The eigenvalues of symmetric or Hermitian matrices in ascending order. Reads the lower triangles of x. It has first derivatives."""
    tensor = _lapack.matrix("eigvalsh", x, True)
    values = _lapack.call(_lapack.eigvalsh, [tensor], tensor.shape[:-1], _lapack.real_of(tensor.dtype))
    if _lapack.order_of(tensor):
        values = values + _lapack.correction(eigh(tensor).eigenvalues)
    return _like(values, x)


def eig(x: Array, /) -> eigh_result:
    """The eigenvalues of square matrices and their eigenvectors, one in each column; both complex."""
    tensor = _complex("eig", x)
    n, batch = tensor.shape[-1], tensor.shape[:-2]
    return eigh_result(*_unpack(_lapack.call(_lapack.eig, [tensor], [*batch, n + n * n]), batch, [n], [n, n]))


def eigvals(x: Array, /) -> Tensor:
    """The eigenvalues of square matrices, complex."""
    tensor = _complex("eigvals", x)
    return _lapack.call(_lapack.eigvals, [tensor], tensor.shape[:-1])


def _complex(name: str, x: Array) -> Tensor:
    tensor = _lapack.matrix(name, x, True)
    _no_gradient(name, tensor)
    return tensor if tensor.dtype in COMPLEX else tensor.astype(complex64 if tensor.dtype is float32 else complex128)


def svd(x: Array, /, *, full_matrices: bool = True) -> svd_result:
    """U, S and Vh with x = U @ diag(S) @ Vh: U and Vh with orthonormal columns and rows, the singular values S in descending order.
    full_matrices: U and Vh are square."""
    tensor = _lapack.matrix("svd", x)
    _no_gradient("svd", tensor)
    *batch, m, n = tensor.shape
    k = _least(m, n)
    rows, columns = (m, n) if full_matrices else (k, k)
    packed = _lapack.call(_lapack.svd_full if full_matrices else _lapack.svd, [tensor], [*batch, m * rows + k + columns * n])
    u, s, vh = _unpack(packed, batch, [m, rows], [k], [columns, n])
    return svd_result(_like(u, x), _like(_ops.real(s) if tensor.dtype in COMPLEX else s, x), _like(vh, x))


def svdvals(x: Array, /) -> Tensor:
    """The singular values of matrices in descending order. First derivatives exist where they are different and not 0."""
    tensor = _lapack.matrix("svdvals", x)
    *batch, m, n = tensor.shape
    values = _lapack.call(_lapack.svdvals, [tensor], [*batch, _least(m, n)], _lapack.real_of(tensor.dtype))
    order = _lapack.order_of(tensor)
    if order > 1:
        raise GradientError("svdvals: only first derivatives exist")
    if order:
        # With the singular vectors u and v of s, s = u* x v; to first order, only x changes in this product.
        k = _least(m, n)
        u, _, vh = _unpack(_lapack.call(_lapack.svd, [tensor], [*batch, m * k + k + k * n]), batch, [m, k], [k], [k, n])
        change = _ops.matmul(_conjugate_transpose(u), _lapack.correction(tensor)) * (_ops.conj(vh) if tensor.dtype in COMPLEX else vh)
        values = values + _ops.sum(_ops.real(change) if tensor.dtype in COMPLEX else change, -1, False)
    return _like(values, x)


def _tolerance(x: Tensor, rtol: Any) -> Any:
    """Returns rtol. Its default, for ranks, is the greater size of the matrix times the dtype's eps."""
    if rtol is not None:
        return _ops.unsqueeze(rtol, -1) if isinstance(rtol, Tensor) and rtol.ndim else rtol
    longest = _core.dim_max(x.shape[-2], x.shape[-1])
    return _ops.cast(_core.to_tensor(longest), _lapack.real_of(x.dtype)) * _api.finfo(x.dtype).eps


def matrix_rank(x: Array, /, *, rtol: float | Array | None = None) -> Tensor:
    """The number of singular values greater than rtol times the greatest one; by default rtol is the greater size times the dtype's eps."""
    tensor = _ops.stop_gradient(_lapack.matrix("matrix_rank", x))
    values = svdvals(tensor)
    return _ops.count_nonzero(_ops.greater(values, _ops.max(values, -1, True) * _tolerance(tensor, rtol)), -1, False)


def pinv(x: Array, /, *, rtol: float | Array | None = None) -> Tensor:
    """The pseudoinverses of matrices; singular values up to rtol times the greatest one count as 0."""
    tensor = _lapack.matrix("pinv", x)
    u, s, vh = svd(tensor, full_matrices=False)
    large = _ops.greater(s, _ops.max(s, -1, True) * _tolerance(tensor, rtol))
    inverted = _ops.where(large, 1 / _ops.where(large, s, 1), 0)
    if tensor.dtype in COMPLEX:
        u, vh = _ops.conj(u), _ops.conj(vh)
    return _like(_ops.matmul(vh.mT * _ops.unsqueeze(inverted, -2), u.mT), x)


def cond(x: Array, /, p: float | str | None = None) -> Tensor:
    """The condition numbers of matrices: the greatest divided by the least singular value, or norm(x, p) * norm(inv(x), p)."""
    if p is None or p in (2, -2):
        values = svdvals(x)
        return values[..., 0] / values[..., -1] if p != -2 else values[..., -1] / values[..., 0]
    return matrix_norm(x, ord=p) * matrix_norm(inv(x), ord=p)


def matrix_power(x: Array, n: int, /) -> Tensor:
    """The product of n times the same square matrix; n < 0: of its inverse."""
    tensor = asarray(x)
    if tensor.ndim < 2 or tensor.shape[-1] != tensor.shape[-2]:
        raise ShapeError(f"matrix_power: expected square matrices in the last two axes, got shape {tuple(tensor.shape)}")
    if n < 0:
        tensor, n = inv(tensor), -n
    if n == 0:
        return _ops.broadcast_to(_ops.eye(tensor.dtype, tensor.shape[-1], tensor.shape[-1]), tensor.shape)
    made: Any = None
    while True:
        if n & 1:
            made = tensor if made is None else _ops.matmul(made, tensor)
        n >>= 1
        if not n:
            return made  # type: ignore[no-any-return]
        tensor = _ops.matmul(tensor, tensor)


def lstsq(a: Array, b: Array, /, rcond: float | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The x with the least sum of squares of a @ x - b: the tuple (x, these sums, the rank of a, the singular values of a), as numpy.linalg.lstsq.
    The sums are there for every rank. rcond: singular values up to rcond times the greatest one count as 0."""
    matrix, right = promoted([_lapack.matrix("lstsq", a), b])
    _no_gradient("lstsq", matrix)
    _no_gradient("lstsq", right)
    if matrix.ndim != 2 or right.ndim not in (1, 2) or right.shape[0] != matrix.shape[0]:
        raise ShapeError(f"lstsq: expected a matrix, and a vector or matrix of as many rows, got {tuple(matrix.shape)} and {tuple(right.shape)}")
    n, columns, k = matrix.shape[1], list(right.shape[1:]), _least(*matrix.shape)
    cutoff = asarray(-1.0 if rcond is None else float(rcond), dtype="float64")
    packed = _lapack.call(_lapack.lstsq, [matrix, right, cutoff], [n * math.prod(columns) + math.prod(columns) + 1 + k])
    x, rest, rank, s = _unpack(packed, [], [n, *columns], columns, [], [k])
    if packed.dtype in COMPLEX:
        rest, rank, s = _ops.real(rest), _ops.real(rank), _ops.real(s)
    return _like(x, a, b), rest, rank.astype("int64"), s


def _like(x: Tensor, *arguments: Any) -> Tensor:
    """Converts a result to the common dtype of the arguments if that is float16 or bfloat16, which LAPACK does not have."""
    if x.dtype is not float32:
        return x
    dtype = promoted(arguments)[0].dtype
    return x.astype(dtype) if dtype.name in ("float16", "bfloat16") else x
