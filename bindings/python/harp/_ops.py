"""The operations of harp.h, one function each. Generated from include/harp.api.json by generate.py; do not edit."""
# ruff: noqa: A001, A002, N803
from __future__ import annotations

from collections.abc import Sequence

from ._core import Tensor
from ._core import apply as _apply
from ._types import Array, DTypeLike, Number, Size

__all__ = [
    "abs", "add", "angle", "atan2", "avg_pool", "batch_matmul", "batch_norm", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "bitcast", "bitwise_and", "bitwise_invert", "bitwise_or", "bitwise_xor",
    "cast", "cbrt", "celu", "check_index", "complex_from_parts", "conj", "contiguous", "conv1d", "conv2d", "conv3d",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "copysign", "cos", "cosh", "cross", "cross_entropy",
    "cummax", "cummax_with_indices", "cummin", "cummin_with_indices", "cumprod", "cumsum", "custom_cumulative",
    "custom_elementwise", "custom_reduce", "dft", "diag", "diagonal", "divide", "dot", "einsum", "elu", "equal",
    "erf", "erfc", "exp", "exp2", "expand", "fft2", "fftn", "flatten", "floor_divide", "fma", "fmod", "gather_nd",
    "gelu", "greater", "greater_equal", "group_norm", "hardsigmoid", "hardswish", "hardtanh", "huber_loss", "hypot",
    "ifft", "ifft2", "ifftn", "imag", "index_add", "instance_norm", "interpolate", "irfft", "irfft2", "irfftn",
    "isclose", "isfinite", "isin", "isinf", "isnan", "layer_norm", "leaky_relu", "lerp", "less", "less_equal",
    "log", "log_softmax", "logaddexp", "logcumsumexp", "logical_and", "logical_not", "logical_or", "logical_xor",
    "logsigmoid", "logsumexp", "max_pool", "max_pool_with_indices", "max_unpool", "maximum", "minimum", "mish",
    "mse_loss", "multiply", "negative", "nextafter", "nll_loss", "norm", "not_equal", "one_hot", "outer", "pad",
    "pow", "powi", "random_bits", "random_normal", "random_uniform", "real", "reciprocal", "relu", "relu6",
    "remainder", "rfft", "rfft2", "rfftn", "rms_norm", "rot90", "rsqrt", "scaled_dot_product_attention", "scatter",
    "scatter_add", "scatter_max", "scatter_min", "scatter_mul", "scatter_nd", "scatter_reduce", "selu", "sigmoid",
    "sign", "signbit", "silu", "sin", "sinh", "slice", "softmax", "softplus", "softsign", "split", "split_at",
    "sqrt", "square", "stop_gradient", "subtract", "tan", "tanh", "topk", "trace", "transpose", "unfold",
    "unfold1d", "unfold2d", "unfold3d", "unsqueeze", "view_as_complex", "view_as_real", "where",
]


def negative(x: Array, /) -> Tensor:
    """-x (int, float, complex)."""
    return _apply(0, x)  # type: ignore[no-any-return]


def reciprocal(x: Array, /) -> Tensor:
    """1 / x (float, complex)."""
    return _apply(1, x)  # type: ignore[no-any-return]


def abs(x: Array, /) -> Tensor:
    """Absolute value; of a complex number: hypot of its parts, a float (int, float, complex)."""
    return _apply(2, x)  # type: ignore[no-any-return]


def sign(x: Array, /) -> Tensor:
    """-1, 0 or 1; zeros and NaN as they are; complex: x / abs(x) (int, float, complex)."""
    return _apply(3, x)  # type: ignore[no-any-return]


def sqrt(x: Array, /) -> Tensor:
    """Square root (float, complex)."""
    return _apply(4, x)  # type: ignore[no-any-return]


def rsqrt(x: Array, /) -> Tensor:
    """1 / sqrt(x), as recip(sqrt(x))."""
    return _apply(5, x)  # type: ignore[no-any-return]


def cbrt(x: Array, /) -> Tensor:
    """Cube root (float)."""
    return _apply(6, x)  # type: ignore[no-any-return]


def square(x: Array, /) -> Tensor:
    """X * x."""
    return _apply(7, x)  # type: ignore[no-any-return]


def real(x: Array, /) -> Tensor:
    """The real part; of a real number: x itself."""
    return _apply(8, x)  # type: ignore[no-any-return]


def imag(x: Array, /) -> Tensor:
    """The imaginary part; of a real number: 0."""
    return _apply(9, x)  # type: ignore[no-any-return]


def conj(x: Array, /) -> Tensor:
    """The complex conjugate; of a real number: x itself."""
    return _apply(10, x)  # type: ignore[no-any-return]


def angle(x: Array, /) -> Tensor:
    """Atan2(imag(x), real(x)): radians in -pi..pi (float, complex)."""
    return _apply(11, x)  # type: ignore[no-any-return]


def view_as_real(x: Array, /) -> Tensor:
    """Complex[...] as float[..., 2]: re, im (complex)."""
    return _apply(12, x)  # type: ignore[no-any-return]


def view_as_complex(x: Array, /) -> Tensor:
    """Float[..., 2] as complex[...] (f32, f64)."""
    return _apply(13, x)  # type: ignore[no-any-return]


def floor(x: Array, /) -> Tensor:
    """To an integer, down (float)."""
    return _apply(14, x)  # type: ignore[no-any-return]


def ceil(x: Array, /) -> Tensor:
    """To an integer, up (float)."""
    return _apply(15, x)  # type: ignore[no-any-return]


def round(x: Array, /) -> Tensor:
    """To the nearest integer, ties to even (float)."""
    return _apply(16, x)  # type: ignore[no-any-return]


def trunc(x: Array, /) -> Tensor:
    """To an integer, towards 0 (float)."""
    return _apply(17, x)  # type: ignore[no-any-return]


def exp(x: Array, /) -> Tensor:
    """E to the x (float, complex)."""
    return _apply(18, x)  # type: ignore[no-any-return]


def exp2(x: Array, /) -> Tensor:
    """2 to the x (float)."""
    return _apply(19, x)  # type: ignore[no-any-return]


def expm1(x: Array, /) -> Tensor:
    """Exp(x) - 1, exact near 0 (float)."""
    return _apply(20, x)  # type: ignore[no-any-return]


def log(x: Array, /) -> Tensor:
    """Natural logarithm (float, complex)."""
    return _apply(21, x)  # type: ignore[no-any-return]


def log2(x: Array, /) -> Tensor:
    """Logarithm to base 2 (float)."""
    return _apply(22, x)  # type: ignore[no-any-return]


def log10(x: Array, /) -> Tensor:
    """Logarithm to base 10 (float)."""
    return _apply(23, x)  # type: ignore[no-any-return]


def log1p(x: Array, /) -> Tensor:
    """Log(1 + x), exact near 0 (float)."""
    return _apply(24, x)  # type: ignore[no-any-return]


def sin(x: Array, /) -> Tensor:
    """Sine of radians, over the whole range (float, complex)."""
    return _apply(25, x)  # type: ignore[no-any-return]


def cos(x: Array, /) -> Tensor:
    """Cosine (float, complex)."""
    return _apply(26, x)  # type: ignore[no-any-return]


def tan(x: Array, /) -> Tensor:
    """Tangent (float, complex)."""
    return _apply(27, x)  # type: ignore[no-any-return]


def asin(x: Array, /) -> Tensor:
    """Inverse sine (float)."""
    return _apply(28, x)  # type: ignore[no-any-return]


def acos(x: Array, /) -> Tensor:
    """Inverse cosine (float)."""
    return _apply(29, x)  # type: ignore[no-any-return]


def atan(x: Array, /) -> Tensor:
    """Inverse tangent (float)."""
    return _apply(30, x)  # type: ignore[no-any-return]


def sinh(x: Array, /) -> Tensor:
    """Hyperbolic sine (float, complex)."""
    return _apply(31, x)  # type: ignore[no-any-return]


def cosh(x: Array, /) -> Tensor:
    """Hyperbolic cosine (float, complex)."""
    return _apply(32, x)  # type: ignore[no-any-return]


def tanh(x: Array, /) -> Tensor:
    """Hyperbolic tangent (float, complex)."""
    return _apply(33, x)  # type: ignore[no-any-return]


def asinh(x: Array, /) -> Tensor:
    """Inverse of sinh (float)."""
    return _apply(34, x)  # type: ignore[no-any-return]


def acosh(x: Array, /) -> Tensor:
    """Inverse of cosh (float)."""
    return _apply(35, x)  # type: ignore[no-any-return]


def atanh(x: Array, /) -> Tensor:
    """Inverse of tanh (float)."""
    return _apply(36, x)  # type: ignore[no-any-return]


def erf(x: Array, /) -> Tensor:
    """Error function (float)."""
    return _apply(37, x)  # type: ignore[no-any-return]


def erfc(x: Array, /) -> Tensor:
    """1 - erf(x), exact (float)."""
    return _apply(38, x)  # type: ignore[no-any-return]


def sigmoid(x: Array, /) -> Tensor:
    """1 / (1 + exp(-x))."""
    return _apply(39, x)  # type: ignore[no-any-return]


def relu(x: Array, /) -> Tensor:
    """0 where x <= 0, else x."""
    return _apply(40, x)  # type: ignore[no-any-return]


def silu(x: Array, /) -> Tensor:
    """X * sigmoid(x)."""
    return _apply(41, x)  # type: ignore[no-any-return]


def softplus(x: Array, /) -> Tensor:
    """Log(1 + exp(x))."""
    return _apply(42, x)  # type: ignore[no-any-return]


def selu(x: Array, /) -> Tensor:
    """1.0507 * elu(x, 1.6733), with all digits."""
    return _apply(43, x)  # type: ignore[no-any-return]


def relu6(x: Array, /) -> Tensor:
    """Clip(x, 0, 6); the gradient is 0 at the bounds."""
    return _apply(44, x)  # type: ignore[no-any-return]


def hardsigmoid(x: Array, /) -> Tensor:
    """Clip(x + 3, 0, 6) / 6."""
    return _apply(45, x)  # type: ignore[no-any-return]


def hardswish(x: Array, /) -> Tensor:
    """X * hardsigmoid(x)."""
    return _apply(46, x)  # type: ignore[no-any-return]


def mish(x: Array, /) -> Tensor:
    """X * tanh(softplus(x))."""
    return _apply(47, x)  # type: ignore[no-any-return]


def softsign(x: Array, /) -> Tensor:
    """X / (1 + abs(x))."""
    return _apply(48, x)  # type: ignore[no-any-return]


def logsigmoid(x: Array, /) -> Tensor:
    """Log(sigmoid(x))."""
    return _apply(49, x)  # type: ignore[no-any-return]


def signbit(x: Array, /) -> Tensor:
    """Bool: is the sign negative; false of NaN (int, float)."""
    return _apply(50, x)  # type: ignore[no-any-return]


def isnan(x: Array, /) -> Tensor:
    """Bool: is it NaN (float, complex)."""
    return _apply(51, x)  # type: ignore[no-any-return]


def isinf(x: Array, /) -> Tensor:
    """Bool: is it infinite."""
    return _apply(52, x)  # type: ignore[no-any-return]


def isfinite(x: Array, /) -> Tensor:
    """Bool: neither NaN nor infinite."""
    return _apply(53, x)  # type: ignore[no-any-return]


def logical_not(x: Array, /) -> Tensor:
    """Bool: is x 0; any dtype."""
    return _apply(54, x)  # type: ignore[no-any-return]


def bitwise_invert(x: Array, /) -> Tensor:
    """All bits inverted; bool: not (bool, int)."""
    return _apply(55, x)  # type: ignore[no-any-return]


def elu(x: Array, /, alpha: float = 1.0) -> Tensor:
    """Exponential linear unit: x where x > 0, else alpha * expm1(x)."""
    return _apply(56, x, alpha)  # type: ignore[no-any-return]


def celu(x: Array, /, alpha: float = 1.0) -> Tensor:
    """The same, continuously differentiable for every alpha but 0: x where x > 0, else alpha * expm1(x /
    alpha)."""
    return _apply(57, x, alpha)  # type: ignore[no-any-return]


def gelu(x: Array, /, approximate: str | None = 'none') -> Tensor:
    """X times the normal distribution's cumulative function. approximate: NULL or "none" (by erf), or "tanh"."""
    return _apply(58, x, approximate)  # type: ignore[no-any-return]


def hardtanh(x: Array, /, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """X between the bounds, else the bound that is nearer. The gradient is 0 at the bounds and beyond."""
    return _apply(59, x, min_val, max_val)  # type: ignore[no-any-return]


def leaky_relu(x: Array, /, negative_slope: float = 0.01) -> Tensor:
    """X where x > 0, else negative_slope * x."""
    return _apply(60, x, negative_slope)  # type: ignore[no-any-return]


def isclose(
    a: Array | Number, b: Array | Number, /, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False,
) -> Tensor:
    """Bool: abs(a - b) <= atol + rtol * abs(b), or both are the same infinity, or (equal_nan 1) both are NaN.
    float, complex."""
    return _apply(61, a, b, rtol, atol, equal_nan)  # type: ignore[no-any-return]


def powi(x: Array, /, k: int) -> Tensor:
    """X to the k-th power by repeated squaring; k < 0: that of 1 / x, floats only."""
    return _apply(62, x, k)  # type: ignore[no-any-return]


def cast(x: Array, /, dtype: DTypeLike) -> Tensor:
    """The value in another dtype; the same dtype gives x itself. To int: truncates, saturates, NaN gives 0.
    To bool: is it not 0. To float: nearest, ties to even."""
    return _apply(63, x, dtype)  # type: ignore[no-any-return]


def bitcast(x: Array, /, dtype: DTypeLike) -> Tensor:
    """The same bytes read as another dtype of the same size."""
    return _apply(64, x, dtype)  # type: ignore[no-any-return]


def add(a: Array | Number, b: Array | Number, /) -> Tensor:
    """A + b (int, float, complex)."""
    return _apply(65, a, b)  # type: ignore[no-any-return]


def subtract(a: Array | Number, b: Array | Number, /) -> Tensor:
    """A - b."""
    return _apply(66, a, b)  # type: ignore[no-any-return]


def multiply(a: Array | Number, b: Array | Number, /) -> Tensor:
    """A * b (int, float, complex)."""
    return _apply(67, a, b)  # type: ignore[no-any-return]


def divide(a: Array | Number, b: Array | Number, /) -> Tensor:
    """A / b (float, complex)."""
    return _apply(68, a, b)  # type: ignore[no-any-return]


def floor_divide(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Floor(a / b); integers: x // 0 = 0 (int, float)."""
    return _apply(69, a, b)  # type: ignore[no-any-return]


def remainder(a: Array | Number, b: Array | Number, /) -> Tensor:
    """What floor_divide leaves, with the sign of b; integers: x % 0 = 0 (int, float)."""
    return _apply(70, a, b)  # type: ignore[no-any-return]


def fmod(a: Array | Number, b: Array | Number, /) -> Tensor:
    """What a division towards 0 leaves, with the sign of a (C's fmod and %) (int, float)."""
    return _apply(71, a, b)  # type: ignore[no-any-return]


def maximum(a: Array | Number, b: Array | Number, /) -> Tensor:
    """The greater one; NaN wins, +0 > -0."""
    return _apply(72, a, b)  # type: ignore[no-any-return]


def minimum(a: Array | Number, b: Array | Number, /) -> Tensor:
    """The lesser one; NaN wins, -0 < +0."""
    return _apply(73, a, b)  # type: ignore[no-any-return]


def pow(a: Array | Number, b: Array | Number, /) -> Tensor:
    """A to the b; integers: b < 0 gives 0, unless a is 1 or -1 (int, float, complex)."""
    return _apply(74, a, b)  # type: ignore[no-any-return]


def atan2(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Angle of the point (b, a) (float)."""
    return _apply(75, a, b)  # type: ignore[no-any-return]


def hypot(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Sqrt(a * a + b * b), without overflow (float)."""
    return _apply(76, a, b)  # type: ignore[no-any-return]


def copysign(a: Array | Number, b: Array | Number, /) -> Tensor:
    """The value of a with the sign of b (float)."""
    return _apply(77, a, b)  # type: ignore[no-any-return]


def complex_from_parts(re: Array | Number, im: Array | Number, /) -> Tensor:
    """Re + im * i, complex64 of f32, complex128 of f64."""
    return _apply(78, re, im)  # type: ignore[no-any-return]


def less(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bool: a < b."""
    return _apply(79, a, b)  # type: ignore[no-any-return]


def less_equal(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bool: a <= b."""
    return _apply(80, a, b)  # type: ignore[no-any-return]


def greater(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bool: a > b."""
    return _apply(81, a, b)  # type: ignore[no-any-return]


def greater_equal(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bool: a >= b."""
    return _apply(82, a, b)  # type: ignore[no-any-return]


def equal(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bool: a == b."""
    return _apply(83, a, b)  # type: ignore[no-any-return]


def not_equal(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bool: a != b."""
    return _apply(84, a, b)  # type: ignore[no-any-return]


def logical_and(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bool: a and b are not 0; any dtype."""
    return _apply(85, a, b)  # type: ignore[no-any-return]


def logical_or(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bool: a or b is not 0; any dtype."""
    return _apply(86, a, b)  # type: ignore[no-any-return]


def logical_xor(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bool: exactly one is not 0; any dtype."""
    return _apply(87, a, b)  # type: ignore[no-any-return]


def bitwise_and(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bit by bit; bool: and (bool, int)."""
    return _apply(88, a, b)  # type: ignore[no-any-return]


def bitwise_or(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bit by bit; bool: or (bool, int)."""
    return _apply(89, a, b)  # type: ignore[no-any-return]


def bitwise_xor(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bit by bit; bool: exclusive or (bool, int)."""
    return _apply(90, a, b)  # type: ignore[no-any-return]


def bitwise_left_shift(a: Array | Number, b: Array | Number, /) -> Tensor:
    """A << b, b modulo the width (int)."""
    return _apply(91, a, b)  # type: ignore[no-any-return]


def bitwise_right_shift(a: Array | Number, b: Array | Number, /) -> Tensor:
    """A >> b with a's sign, b modulo the width (int)."""
    return _apply(92, a, b)  # type: ignore[no-any-return]


def logaddexp(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Log(exp(a) + exp(b)), without overflow (float)."""
    return _apply(93, a, b)  # type: ignore[no-any-return]


def nextafter(a: Array | Number, b: Array | Number, /) -> Tensor:
    """The number next to a in the direction of b (float)."""
    return _apply(94, a, b)  # type: ignore[no-any-return]


def where(condition: Array, a: Array | Number, b: Array | Number, /) -> Tensor:
    """A where condition (bool) is true, else b."""
    return _apply(95, condition, a, b)  # type: ignore[no-any-return]


def fma(a: Array | Number, b: Array | Number, c: Array | Number, /) -> Tensor:
    """A * b + c, rounded once (float)."""
    return _apply(96, a, b, c)  # type: ignore[no-any-return]


def clip(x: Array | Number, lo: Array | Number, hi: Array | Number, /) -> Tensor:
    """Lo where x < lo, then hi where that is above hi; a NaN stays."""
    return _apply(97, x, lo, hi)  # type: ignore[no-any-return]


def lerp(a: Array | Number, b: Array | Number, weight: Array | Number, /) -> Tensor:
    """A + (b - a) * weight."""
    return _apply(98, a, b, weight)  # type: ignore[no-any-return]


def sum(x: Array, /, axes: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Int, float."""
    return _apply(99, x, axes, keepdims)  # type: ignore[no-any-return]


def prod(x: Array, /, axes: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Int, float."""
    return _apply(100, x, axes, keepdims)  # type: ignore[no-any-return]


def max(x: Array, /, axes: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """See harp_max in harp.h."""
    return _apply(101, x, axes, keepdims)  # type: ignore[no-any-return]


def min(x: Array, /, axes: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """See harp_min in harp.h."""
    return _apply(102, x, axes, keepdims)  # type: ignore[no-any-return]


def any(x: Array, /, axes: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Is one not 0; bool."""
    return _apply(103, x, axes, keepdims)  # type: ignore[no-any-return]


def all(x: Array, /, axes: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Is none 0; bool."""
    return _apply(104, x, axes, keepdims)  # type: ignore[no-any-return]


def count_nonzero(x: Array, /, axes: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """I64; any dtype."""
    return _apply(105, x, axes, keepdims)  # type: ignore[no-any-return]


def mean(x: Array, /, axes: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Float: sum / count."""
    return _apply(106, x, axes, keepdims)  # type: ignore[no-any-return]


def var(x: Array, /, axes: int | Sequence[int] | None = None, correction: int = 0, keepdims: bool = False) -> Tensor:
    """Float: the mean squared distance from the mean, divided by count - correction."""
    return _apply(107, x, axes, correction, keepdims)  # type: ignore[no-any-return]


def std(x: Array, /, axes: int | Sequence[int] | None = None, correction: int = 0, keepdims: bool = False) -> Tensor:
    """Sqrt(var)."""
    return _apply(108, x, axes, correction, keepdims)  # type: ignore[no-any-return]


def norm(x: Array, /, order: float = 2.0, axes: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Float: the length of vectors. order 2: sqrt(sum(x * x)); 1: sum(abs(x)); infinity and -infinity: the
    greatest and the least abs(x); 0: how many are not 0; any other: sum(abs(x)^order)^(1 / order)."""
    return _apply(109, x, order, axes, keepdims)  # type: ignore[no-any-return]


def argmax(x: Array, /, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Index of the greatest and least element along one axis, or in the flattened array (HARP_AXIS_NONE); the
    first of equals, and the first NaN before all others. i64. An axis that is known to be empty is
    HARP_ERROR_SHAPE; one that turns out to be so gives 2147483647."""
    return _apply(110, x, axis, keepdims)  # type: ignore[no-any-return]


def argmin(x: Array, /, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Index of the greatest and least element along one axis, or in the flattened array (HARP_AXIS_NONE); the
    first of equals, and the first NaN before all others. i64. An axis that is known to be empty is
    HARP_ERROR_SHAPE; one that turns out to be so gives 2147483647."""
    return _apply(111, x, axis, keepdims)  # type: ignore[no-any-return]


def logsumexp(x: Array, /, axes: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Float: log(sum(exp(x))) without overflow."""
    return _apply(112, x, axes, keepdims)  # type: ignore[no-any-return]


def softmax(x: Array, /, axis: int | None = -1) -> Tensor:
    """Float: exp(x) / sum(exp(x)) along one axis, and its logarithm, without overflow."""
    return _apply(113, x, axis)  # type: ignore[no-any-return]


def log_softmax(x: Array, /, axis: int | None = -1) -> Tensor:
    """Float: exp(x) / sum(exp(x)) along one axis, and its logarithm, without overflow."""
    return _apply(114, x, axis)  # type: ignore[no-any-return]


def cumsum(x: Array, /, axis: int | None = None, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Int, float."""
    return _apply(115, x, axis, exclusive, reverse)  # type: ignore[no-any-return]


def cumprod(x: Array, /, axis: int | None = None, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Int, float."""
    return _apply(116, x, axis, exclusive, reverse)  # type: ignore[no-any-return]


def cummax(x: Array, /, axis: int | None = None, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Bool, int, float: the greatest so far."""
    return _apply(117, x, axis, exclusive, reverse)  # type: ignore[no-any-return]


def cummin(x: Array, /, axis: int | None = None, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Bool, int, float: the least so far."""
    return _apply(118, x, axis, exclusive, reverse)  # type: ignore[no-any-return]


def logcumsumexp(x: Array, /, axis: int | None = None, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Float: log(cumsum(exp(x))), without overflow. Where all elements so far are -inf it is -inf; the
    exclusive one begins with that."""
    return _apply(119, x, axis, exclusive, reverse)  # type: ignore[no-any-return]


def cummax_with_indices(x: Array, /, axis: int | None = -1) -> tuple[Tensor, Tensor]:
    """The running extremes as *values and, i64, the index of the newest element that equals each, or of the
    newest NaN, as *indices."""
    return _apply(120, x, axis)  # type: ignore[no-any-return]


def cummin_with_indices(x: Array, /, axis: int | None = -1) -> tuple[Tensor, Tensor]:
    """The running extremes as *values and, i64, the index of the newest element that equals each, or of the
    newest NaN, as *indices."""
    return _apply(121, x, axis)  # type: ignore[no-any-return]


def permute_dims(x: Array, /, axes: int | Sequence[int] | None) -> Tensor:
    """Result axis i is source axis axes[i]; transpose: axes NULL reverses them."""
    return _apply(122, x, axes)  # type: ignore[no-any-return]


def transpose(x: Array, /, axes: int | Sequence[int] | None = None) -> Tensor:
    """Result axis i is source axis axes[i]; transpose: axes NULL reverses them."""
    return _apply(123, x, axes)  # type: ignore[no-any-return]


def moveaxis(x: Array, /, source: int | Sequence[int] | None, destination: int | Sequence[int] | None) -> Tensor:
    """Axis source[i] becomes axis destination[i]; the others keep their order."""
    return _apply(124, x, source, destination)  # type: ignore[no-any-return]


def unsqueeze(x: Array, /, axes: int | Sequence[int] | None) -> Tensor:
    """New axes of size 1 at these positions of the result."""
    return _apply(125, x, axes)  # type: ignore[no-any-return]


def squeeze(x: Array, /, axes: int | Sequence[int] | None = None) -> Tensor:
    """Removes axes of size 1; axes NULL: all of them."""
    return _apply(126, x, axes)  # type: ignore[no-any-return]


def flip(x: Array, /, axes: int | Sequence[int] | None = None) -> Tensor:
    """Reverses along axes; NULL: along all."""
    return _apply(127, x, axes)  # type: ignore[no-any-return]


def expand(x: Array, /, dims: Size | Sequence[Size] | None) -> Tensor:
    """Axes of size 1 stretch to dims, which has the rank of x; -1 keeps a size."""
    return _apply(128, x, dims)  # type: ignore[no-any-return]


def broadcast_to(x: Array, /, dims: Size | Sequence[Size] | None) -> Tensor:
    """NumPy's: missing axes are added on the left, axes of size 1 stretch."""
    return _apply(129, x, dims)  # type: ignore[no-any-return]


def reshape(x: Array, /, dims: Size | Sequence[Size] | None) -> Tensor:
    """The same elements in row-major order under another shape; one size may be -1 and is then worked out."""
    return _apply(130, x, dims)  # type: ignore[no-any-return]


def flatten(x: Array, /, start_axis: int = 0, end_axis: int = -1) -> Tensor:
    """The axes from start_axis to end_axis, both included, become one."""
    return _apply(131, x, start_axis, end_axis)  # type: ignore[no-any-return]


def slice(
    x: Array,
    /,
    start: Sequence[Size | None] | None = None,
    stop: Sequence[Size | None] | None = None,
    step: int | Sequence[int] | None = None,
) -> Tensor:
    """X[start:stop:step] of every axis, `rank` of them, as in Python: negative positions count from the end
    (symbolic ones do not), positions beyond the ends are moved there, HARP_SLICE_NONE is an open end, steps
    may be negative. start, stop or step NULL: open, or 1, on every axis. x[1:] and x[:-1] have the same size
    for every size of x, as have x[-1:] and x[:1]."""
    return _apply(132, x, start, stop, step)  # type: ignore[no-any-return]


def unfold(
    x: Array,
    /,
    axes: int | Sequence[int] | None,
    size: Size | Sequence[Size] | None,
    stride: int | Sequence[int] | None = None,
    dilation: int | Sequence[int] | None = None,
) -> Tensor:
    """Numbers for each axis of windows, here and in convolutions and pools, are a count and a list: none (0,
    then the list may be NULL) is the default, one goes for every axis, else there is one an axis, in the
    axes' order. A padding may also be two an axis: before it, after it. Another count is HARP_ERROR_SHAPE.
    Windows of `size` elements along axes; the window axes come last. stride (from window to window) and
    dilation (inside): 1 by default. A size may be 0: of n elements these are n / stride + 1 windows, and the
    result has no elements. A symbolic one that is 0 in a run is HARP_ERROR_RANGE."""
    return _apply(133, x, axes, size, stride, dilation)  # type: ignore[no-any-return]


def unfold1d(
    x: Array,
    /,
    size: Size | Sequence[Size] | None,
    stride: int | Sequence[int] | None = None,
    dilation: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
) -> Tensor:
    """Windows along the last one, two or three axes. padding (none by default): elements that are not there
    are 0, and a negative one takes elements away."""
    return _apply(134, x, size, stride, dilation, padding)  # type: ignore[no-any-return]


def unfold2d(
    x: Array,
    /,
    size: Size | Sequence[Size] | None,
    stride: int | Sequence[int] | None = None,
    dilation: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
) -> Tensor:
    """Windows along the last one, two or three axes. padding (none by default): elements that are not there
    are 0, and a negative one takes elements away."""
    return _apply(135, x, size, stride, dilation, padding)  # type: ignore[no-any-return]


def unfold3d(
    x: Array,
    /,
    size: Size | Sequence[Size] | None,
    stride: int | Sequence[int] | None = None,
    dilation: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
) -> Tensor:
    """Windows along the last one, two or three axes. padding (none by default): elements that are not there
    are 0, and a negative one takes elements away."""
    return _apply(136, x, size, stride, dilation, padding)  # type: ignore[no-any-return]


def diagonal(x: Array, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The elements whose index along axis2 is their index along axis1 plus offset, as a last axis in place of
    the two."""
    return _apply(137, x, offset, axis1, axis2)  # type: ignore[no-any-return]


def diag(x: Array, /, k: int = 0) -> Tensor:
    """Numpy.diag: an array of one axis as the k-th diagonal of a matrix of zeros; of a matrix, its k-th
    diagonal."""
    return _apply(138, x, k)  # type: ignore[no-any-return]


def diff(x: Array, /, n: int = 1, axis: int | None = -1) -> Tensor:
    """X[1:] - x[:-1] along an axis, n times over (0 to 64); of bools: do they differ."""
    return _apply(139, x, n, axis)  # type: ignore[no-any-return]


def rot90(x: Array, /, k: int = 1, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Rotated by 90 degrees k times, from axis1 towards axis2."""
    return _apply(140, x, k, axis1, axis2)  # type: ignore[no-any-return]


def interpolate(
    x: Array,
    /,
    size: Size | Sequence[Size] | None,
    scales: Sequence[float] | None = None,
    mode: str | None = None,
    coordinates: str | None = None,
    nearest_mode: str | None = None,
    cubic_coeff_a: float = -0.75,
) -> Tensor:
    """Resized: the last n_axes axes get the sizes `size`. mode: NULL or "nearest" (any dtype), or of floats
    "linear", "cubic" (Keys' kernel with cubic_coeff_a, -0.75 in PyTorch and ONNX) or "area" (means, as
    adaptive average pooling). coordinates, as in ONNX's Resize: NULL or "half_pixel", "pytorch_half_pixel",
    "asymmetric", "align_corners". nearest_mode: NULL or "round_prefer_floor", "round_prefer_ceil", "floor",
    "ceil". PyTorch's mode "nearest" is "asymmetric" with "floor". scales: none (n_scales 0: size of the
    result / size of x), or one number an axis, from which coordinates are computed instead. An axis of x
    without elements is HARP_ERROR_SHAPE where that is known when the graph is built; where a run finds it
    out, what is made of it is 0, and NaN with "area", the mean of nothing."""
    return _apply(141, x, size, scales, mode, coordinates, nearest_mode, cubic_coeff_a)  # type: ignore[no-any-return]


def contiguous(x: Array, /) -> Tensor:
    """Stores the value as an array of its own, so that it is computed once and lies in row-major order. Never
    needed for correctness."""
    return _apply(142, x)  # type: ignore[no-any-return]


def check_index(indices: Array, /, size: Size, what: str | None = None) -> Tensor:
    """The integers themselves. A run in which one is not in -size..size-1, and so names no element of an axis
    of that size, fails with HARP_ERROR_RANGE: the message names `indices`, the first such number in row-major
    order, its place and the size, and of several checks it is about the first in the graph (of a check and a
    harp_native that both fail, either; harp_native does not get numbers that did not pass). `what` begins it
    ("the vocabulary": `the vocabulary has 5 elements, but element 7 of "ids" asks for 9`), NULL:
    "check_index: the axis". After a failed run outputs hold anything; program and context stay usable.
    Nothing outside an array is touched, checked or not. A check is done where an output depends on its
    numbers: in check_index(i, n) * 0, which is 0 whatever they are, there is none."""
    return _apply(143, indices, size, what)  # type: ignore[no-any-return]


def concat(nodes: Sequence[Array], axis: int | None = 0) -> Tensor:
    """Arrays one after the other along an axis; stack: along a new axis at this position of the result."""
    return _apply(144, nodes, axis)  # type: ignore[no-any-return]


def stack(nodes: Sequence[Array], axis: int | None = 0) -> Tensor:
    """Arrays one after the other along an axis; stack: along a new axis at this position of the result."""
    return _apply(145, nodes, axis)  # type: ignore[no-any-return]


def split(x: Array, /, sections: int, axis: int | None = 0) -> tuple[Tensor, ...]:
    """Equal parts along an axis, written to parts[0] ... parts[sections - 1]."""
    return _apply(146, x, sections, axis)  # type: ignore[no-any-return]


def split_at(x: Array, /, positions: Size | Sequence[Size] | None, axis: int | None = 0) -> tuple[Tensor, ...]:
    """Cut before each of n positions; n + 1 parts."""
    return _apply(147, x, positions, axis)  # type: ignore[no-any-return]


def unstack(x: Array, /, n: int, axis: int | None = 0) -> tuple[Tensor, ...]:
    """All parts of an axis of fixed size, without that axis: the inverse of stack. n has to be that size."""
    return _apply(148, x, axis, n)  # type: ignore[no-any-return]


def meshgrid(nodes: Sequence[Array], indexing: str | None = 'xy') -> tuple[Tensor, ...]:
    """N arrays of one axis (or scalars), each stretched along the axes of the others, written to results[0]
    ... results[n - 1]. indexing: "ij" (array i lies along axis i), or NULL or "xy" (the first two axes
    exchanged, as NumPy does)."""
    return _apply(149, nodes, indexing)  # type: ignore[no-any-return]


def pad(
    x: Array,
    /,
    before: Size | Sequence[Size] | None,
    after: Size | Sequence[Size] | None = None,
    mode: str | None = None,
    value: Array | Number | None = None,
) -> Tensor:
    """Elements around: before[i] and after[i] on axis i. mode: NULL or "constant" (of `value`, a node of rank
    0 and x's dtype, or NULL: 0), "edge" (the nearest element), "reflect" (mirrored at the element at the
    edge, which is not repeated), "symmetric" (mirrored behind it), "wrap" (periodic): numpy.pad's, over as
    many periods as it takes. A mode other than constant needs an element where it adds some: an axis that has
    none is HARP_ERROR_SHAPE, or HARP_ERROR_RANGE of the run where that depends on symbolic sizes. A negative
    number takes elements away."""
    return _apply(150, x, before, after, mode, value)  # type: ignore[no-any-return]


def repeat(x: Array, /, repeats: Size, axis: int | None = None) -> Tensor:
    """Every element `repeats` times in a row along an axis, or of the flattened array (HARP_AXIS_NONE)."""
    return _apply(151, x, repeats, axis)  # type: ignore[no-any-return]


def tile(x: Array, /, repeats: Size | Sequence[Size] | None) -> Tensor:
    """The array repeats[i] times along axis i; NumPy's rule if n is not the rank."""
    return _apply(152, x, repeats)  # type: ignore[no-any-return]


def roll(x: Array, /, shift: Size | Sequence[Size] | None, axes: int | Sequence[int] | None = None) -> Tensor:
    """Elements move shift[i] places along axes[i]; those that leave come in at the other end. axes NULL: n is
    1, of the flattened array."""
    return _apply(153, x, shift, axes)  # type: ignore[no-any-return]


def gather_nd(x: Array, indices: Array, /, batch_dims: int = 0) -> Tensor:
    """ONNX's GatherND: the last axis of `indices`, of known size k, holds one tuple of k indices, which names
    an element along k axes of x. The result has the other axes of the indices, then the other axes of x.
    batch_dims: so many first axes are the same in both, and stay. A tuple of which an index is out of range
    takes the last element, or is reported with check_indices."""
    return _apply(154, x, indices, batch_dims)  # type: ignore[no-any-return]


def take(x: Array, indices: Array, /, axis: int | None = None) -> Tensor:
    """Numpy.take: the axes of indices in place of the axis; HARP_AXIS_NONE: of the flattened array. Along
    axis 0 of a matrix, rows of it."""
    return _apply(155, x, indices, axis)  # type: ignore[no-any-return]


def take_along_axis(x: Array, indices: Array, /, axis: int | None) -> Tensor:
    """Numpy.take_along_axis: element i along the axis is x's element indices[i], at the same place on all
    other axes. indices have x's sizes but for the axis (HARP_ERROR_SHAPE), and the result has theirs."""
    return _apply(156, x, indices, axis)  # type: ignore[no-any-return]


def scatter(x: Array, indices: Array, updates: Array, /, axis: int | None) -> Tensor:
    """Torch.scatter: x, in which updates[i] takes the place of element indices[i] along the axis, at the same
    place on all other axes. x and updates have one dtype, any; indices have x's sizes but for the axis,
    updates those of the indices (HARP_ERROR_SHAPE). The updates are done in their order, so that of those
    that name one element the last one stays. Only that one has a gradient."""
    return _apply(157, x, indices, updates, axis)  # type: ignore[no-any-return]


def scatter_add(x: Array, indices: Array, updates: Array, /, axis: int | None) -> Tensor:
    """The same, but an update is added to the element (torch.scatter_add), multiplies it, or stays only where
    it is greater or less (NaN wins). Numbers; mul integers and floats; max and min what has an order, bool
    too. What meets one element does so in the order of the updates, so that the bits are always the same;
    narrow dtypes are combined in i32 or f32 and converted once. The gradient of what takes is made of
    scatter_add. Of elements that tie for max or min, each gets its share of the gradient."""
    return _apply(158, x, indices, updates, axis)  # type: ignore[no-any-return]


def scatter_mul(x: Array, indices: Array, updates: Array, /, axis: int | None) -> Tensor:
    """The same, but an update is added to the element (torch.scatter_add), multiplies it, or stays only where
    it is greater or less (NaN wins). Numbers; mul integers and floats; max and min what has an order, bool
    too. What meets one element does so in the order of the updates, so that the bits are always the same;
    narrow dtypes are combined in i32 or f32 and converted once. The gradient of what takes is made of
    scatter_add. Of elements that tie for max or min, each gets its share of the gradient."""
    return _apply(159, x, indices, updates, axis)  # type: ignore[no-any-return]


def scatter_max(x: Array, indices: Array, updates: Array, /, axis: int | None) -> Tensor:
    """The same, but an update is added to the element (torch.scatter_add), multiplies it, or stays only where
    it is greater or less (NaN wins). Numbers; mul integers and floats; max and min what has an order, bool
    too. What meets one element does so in the order of the updates, so that the bits are always the same;
    narrow dtypes are combined in i32 or f32 and converted once. The gradient of what takes is made of
    scatter_add. Of elements that tie for max or min, each gets its share of the gradient."""
    return _apply(160, x, indices, updates, axis)  # type: ignore[no-any-return]


def scatter_min(x: Array, indices: Array, updates: Array, /, axis: int | None) -> Tensor:
    """The same, but an update is added to the element (torch.scatter_add), multiplies it, or stays only where
    it is greater or less (NaN wins). Numbers; mul integers and floats; max and min what has an order, bool
    too. What meets one element does so in the order of the updates, so that the bits are always the same;
    narrow dtypes are combined in i32 or f32 and converted once. The gradient of what takes is made of
    scatter_add. Of elements that tie for max or min, each gets its share of the gradient."""
    return _apply(161, x, indices, updates, axis)  # type: ignore[no-any-return]


def scatter_reduce(
    x: Array,
    indices: Array,
    updates: Array,
    /,
    axis: int | None,
    reduction: str | None = 'sum',
    include_self: bool = True,
) -> Tensor:
    """Torch.scatter_reduce: reduction "sum" (NULL: that), "prod", "max", "min" as above, or "mean" of floats
    and complex numbers: what was added up divided by the number of updates, and one more for the element
    itself. ("amax", "amin", "add", "mul" are max, min, sum, prod.) include_self 0: an element that has
    updates is made of these alone; one that has none stays. Another reduction is HARP_ERROR_INVALID_ARGUMENT."""
    return _apply(162, x, indices, updates, axis, reduction, include_self)  # type: ignore[no-any-return]


def scatter_nd(x: Array, indices: Array, updates: Array, /, reduction: str | None = 'set') -> Tensor:
    """ONNX's ScatterND: the last axis of `indices`, of known size k, holds one tuple of k indices, which
    names an element along the first k axes of x, or what lies there along its other axes. updates have the
    other axes of the indices, then those other axes of x (HARP_ERROR_SHAPE). reduction: "set" or "none"
    (NULL: that), or one of harp_scatter_reduce. A tuple of which an index is out of range names the last
    element, or is reported with check_indices."""
    return _apply(163, x, indices, updates, reduction)  # type: ignore[no-any-return]


def index_add(x: Array, indices: Array, updates: Array, /, axis: int | None) -> Tensor:
    """Torch.index_add: scatter_add with one index for all that lies at a place along the axis: indices of
    rank 1, updates with x's sizes but for the axis, which has as many as there are indices. Along axis 0 of a
    matrix, rows are added to rows."""
    return _apply(164, x, indices, updates, axis)  # type: ignore[no-any-return]


def argsort(x: Array, /, axis: int | None = -1, descending: bool = False) -> Tensor:
    """I64: where the elements stand that come first, second, ..."""
    return _apply(165, x, axis, descending)  # type: ignore[no-any-return]


def sort(x: Array, /, axis: int | None = -1, descending: bool = False) -> Tensor:
    """The elements in order, with x's dtype."""
    return _apply(166, x, axis, descending)  # type: ignore[no-any-return]


def topk(x: Array, /, k: Size, axis: int | None = -1, largest: bool = True) -> tuple[Tensor, Tensor]:
    """The k largest elements along an axis, the greatest first (largest 0: the k smallest, the least first),
    as *values, and where they stand (i64) as *indices. Of equals, those that come first. More than there are
    is HARP_ERROR_SHAPE or, if that depends on symbolic sizes, HARP_ERROR_RANGE when the program is run."""
    return _apply(167, x, k, axis, largest)  # type: ignore[no-any-return]


def isin(elements: Array | Number, test_elements: Array | Number, /, invert: bool = False) -> Tensor:
    """Bool, of elements' shape: is each of them (invert 1: is it not) among test_elements; any dtype. NaN
    equals nothing."""
    return _apply(168, elements, test_elements, invert)  # type: ignore[no-any-return]


def searchsorted(sorted: Array | Number, values: Array | Number, /, side: str | None = 'left') -> Tensor:
    """I64, of values' shape: the place in `sorted`, an array of one axis in ascending order and of values'
    dtype, that each value would have: side NULL or "left": before all that equal it; "right": after them."""
    return _apply(169, sorted, values, side)  # type: ignore[no-any-return]


def fft(x: Array, /, n: Size | None = None, axis: int | None = -1, norm: str | None = None) -> Tensor:
    """See harp_fft in harp.h."""
    return _apply(170, x, n, axis, norm)  # type: ignore[no-any-return]


def ifft(x: Array, /, n: Size | None = None, axis: int | None = -1, norm: str | None = None) -> Tensor:
    """See harp_ifft in harp.h."""
    return _apply(171, x, n, axis, norm)  # type: ignore[no-any-return]


def rfft(x: Array, /, n: Size | None = None, axis: int | None = -1, norm: str | None = None) -> Tensor:
    """Of real numbers: the first n / 2 + 1 elements of the transform, the others being their mirror image."""
    return _apply(172, x, n, axis, norm)  # type: ignore[no-any-return]


def irfft(x: Array, /, n: Size | None = None, axis: int | None = -1, norm: str | None = None) -> Tensor:
    """The inverse of that: n real numbers from the first n / 2 + 1 elements of their transform; n 0: 2 (m -
    1) from m."""
    return _apply(173, x, n, axis, norm)  # type: ignore[no-any-return]


def fftn(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Along several axes, one after the other, the last one first; of real numbers the last one is halved. s:
    elements along each of them, or NULL. axes NULL: the last n_axes, or all axes if n_axes is 0 (s is NULL
    then). The functions of two axes take the last two if axes is NULL."""
    return _apply(174, x, s, axes, norm)  # type: ignore[no-any-return]


def ifftn(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Along several axes, one after the other, the last one first; of real numbers the last one is halved. s:
    elements along each of them, or NULL. axes NULL: the last n_axes, or all axes if n_axes is 0 (s is NULL
    then). The functions of two axes take the last two if axes is NULL."""
    return _apply(175, x, s, axes, norm)  # type: ignore[no-any-return]


def rfftn(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Along several axes, one after the other, the last one first; of real numbers the last one is halved. s:
    elements along each of them, or NULL. axes NULL: the last n_axes, or all axes if n_axes is 0 (s is NULL
    then). The functions of two axes take the last two if axes is NULL."""
    return _apply(176, x, s, axes, norm)  # type: ignore[no-any-return]


def irfftn(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Along several axes, one after the other, the last one first; of real numbers the last one is halved. s:
    elements along each of them, or NULL. axes NULL: the last n_axes, or all axes if n_axes is 0 (s is NULL
    then). The functions of two axes take the last two if axes is NULL."""
    return _apply(177, x, s, axes, norm)  # type: ignore[no-any-return]


def fft2(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Along several axes, one after the other, the last one first; of real numbers the last one is halved. s:
    elements along each of them, or NULL. axes NULL: the last n_axes, or all axes if n_axes is 0 (s is NULL
    then). The functions of two axes take the last two if axes is NULL."""
    return _apply(178, x, s, axes, norm)  # type: ignore[no-any-return]


def ifft2(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Along several axes, one after the other, the last one first; of real numbers the last one is halved. s:
    elements along each of them, or NULL. axes NULL: the last n_axes, or all axes if n_axes is 0 (s is NULL
    then). The functions of two axes take the last two if axes is NULL."""
    return _apply(179, x, s, axes, norm)  # type: ignore[no-any-return]


def rfft2(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Along several axes, one after the other, the last one first; of real numbers the last one is halved. s:
    elements along each of them, or NULL. axes NULL: the last n_axes, or all axes if n_axes is 0 (s is NULL
    then). The functions of two axes take the last two if axes is NULL."""
    return _apply(180, x, s, axes, norm)  # type: ignore[no-any-return]


def irfft2(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Along several axes, one after the other, the last one first; of real numbers the last one is halved. s:
    elements along each of them, or NULL. axes NULL: the last n_axes, or all axes if n_axes is 0 (s is NULL
    then). The functions of two axes take the last two if axes is NULL."""
    return _apply(181, x, s, axes, norm)  # type: ignore[no-any-return]


def dft(re: Array, im: Array, /) -> Tensor:
    """What they are made of: of each row of the last axis of real and imaginary parts (f32 or f64, one shape)
    the transform, its real parts and its imaginary parts along a new first axis of size 2."""
    return _apply(182, re, im)  # type: ignore[no-any-return]


def full(value: Array, /, dims: Size | Sequence[Size] | None) -> Tensor:
    """An array in which every element is `value`, a node of rank 0."""
    return _apply(183, value, dims)  # type: ignore[no-any-return]


def arange(dtype: DTypeLike, stop: Size, start: Size = 0, step: int = 1) -> Tensor:
    """Start, start + step, ... before stop (after it if step < 0); sizes may be symbolic."""
    return _apply(184, dtype, start, stop, step)  # type: ignore[no-any-return]


def linspace(dtype: DTypeLike, start: float, stop: float, count: Size) -> Tensor:
    """`count` numbers from start to stop, both included; float."""
    return _apply(185, dtype, start, stop, count)  # type: ignore[no-any-return]


def eye(dtype: DTypeLike, rows: Size, columns: Size) -> Tensor:
    """1 on the diagonal, else 0."""
    return _apply(186, dtype, rows, columns)  # type: ignore[no-any-return]


def tril(x: Array, /, k: int = 0) -> Tensor:
    """The last two axes below and on (tril), above and on (triu) the k-th diagonal; else 0."""
    return _apply(187, x, k)  # type: ignore[no-any-return]


def triu(x: Array, /, k: int = 0) -> Tensor:
    """The last two axes below and on (tril), above and on (triu) the k-th diagonal; else 0."""
    return _apply(188, x, k)  # type: ignore[no-any-return]


def one_hot(indices: Array, /, depth: Size, dtype: DTypeLike) -> Tensor:
    """A last axis of `depth`, 1 where it equals the index, else 0. indices: int."""
    return _apply(189, indices, depth, dtype)  # type: ignore[no-any-return]


def random_bits(
    key: Array, /, dtype: DTypeLike, dims: Size | Sequence[Size] | None, counter: Array | None = None,
) -> Tensor:
    """All values of the dtype alike: u8, u16, u32 or u64. Those of u64 are good as keys: as many new ones as
    are asked for."""
    return _apply(190, key, counter, dtype, dims)  # type: ignore[no-any-return]


def random_uniform(
    key: Array, /, dtype: DTypeLike, dims: Size | Sequence[Size] | None, counter: Array | None = None,
) -> Tensor:
    """Float: in [0, 1), the multiples of 2^-24 (f64: 2^-53, f16: 2^-11, bf16: 2^-8) alike."""
    return _apply(191, key, counter, dtype, dims)  # type: ignore[no-any-return]


def random_normal(
    key: Array, /, dtype: DTypeLike, dims: Size | Sequence[Size] | None, counter: Array | None = None,
) -> Tensor:
    """Float: mean 0, variance 1, by Box and Muller's method; at most 6.8 away from 0 (f64: 9.5)."""
    return _apply(192, key, counter, dtype, dims)  # type: ignore[no-any-return]


def matmul(a: Array, b: Array, /) -> Tensor:
    """Of matrices: [..., m, k] and [..., k, n] give [..., m, n]; the axes before broadcast. An array of one
    axis is a row on the left, a column on the right, and that axis is not in the result. Scalars are an
    error."""
    return _apply(193, a, b)  # type: ignore[no-any-return]


def batch_matmul(a: Array, b: Array, /) -> Tensor:
    """The same, but both operands must have at least two axes."""
    return _apply(194, a, b)  # type: ignore[no-any-return]


def dot(a: Array, b: Array, /) -> Tensor:
    """NumPy's dot: the last axis of a with the last but one of b (or its only one); all other axes of a, then
    of b. Scalars multiply."""
    return _apply(195, a, b)  # type: ignore[no-any-return]


def vecdot(a: Array, b: Array, /, axis: int | None = -1) -> Tensor:
    """Along the same axis of both, which is -1, or any if the ranks are equal; the other axes broadcast."""
    return _apply(196, a, b, axis)  # type: ignore[no-any-return]


def cross(a: Array, b: Array, /, axis: int | None = -1) -> Tensor:
    """The cross product of vectors of 3 elements along the same axis of both, counted from the end where the
    ranks differ; the other axes broadcast."""
    return _apply(197, a, b, axis)  # type: ignore[no-any-return]


def tensordot(a: Array, b: Array, /, a_axes: int | Sequence[int] | None, b_axes: int | Sequence[int] | None) -> Tensor:
    """Over a_axes[i] of a with b_axes[i] of b, for n_axes pairs; all other axes of a, then of b."""
    return _apply(198, a, b, a_axes, b_axes)  # type: ignore[no-any-return]


def outer(a: Array, b: Array, /) -> Tensor:
    """Every element of a with every one of b: the shape of a, then that of b."""
    return _apply(199, a, b)  # type: ignore[no-any-return]


def trace(x: Array, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Sum of a diagonal, see harp_diagonal."""
    return _apply(200, x, offset, axis1, axis2)  # type: ignore[no-any-return]


def einsum(spec: str | None, nodes: Sequence[Array]) -> Tensor:
    """NumPy's einsum: spec has a letter for each axis of each of the n arrays, terms separated by commas, and
    after "->" the letters of the result ("bij,bjk->bik"). Letters that are not in the result are summed; a
    letter twice in one term is a diagonal; "..." stands for axes that broadcast. Without "->" the result has
    "..." and the letters that are there once, in alphabetical order. Arrays are contracted two at a time:
    where all sizes are numbers in the order with the fewest multiplications, else from left to right.
    HARP_ERROR_INVALID_ARGUMENT: spec is no einsum, or not of n arrays; HARP_ERROR_SHAPE: it does not fit
    them."""
    return _apply(201, spec, nodes)  # type: ignore[no-any-return]


def conv1d(
    x: Array,
    weight: Array,
    /,
    bias: Array | None = None,
    stride: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
    dilation: int | Sequence[int] | None = None,
    groups: int = 1,
) -> Tensor:
    """Weight is [out, channels / groups, kernel ...]: each of `groups` parts of the channels is seen by as
    many of the out channels. bias is [out] or NULL. The result is [batch, out, (size + padding - dilation *
    (kernel - 1) - 1) / stride + 1 ...]."""
    return _apply(202, x, weight, bias, stride, padding, dilation, groups)  # type: ignore[no-any-return]


def conv2d(
    x: Array,
    weight: Array,
    /,
    bias: Array | None = None,
    stride: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
    dilation: int | Sequence[int] | None = None,
    groups: int = 1,
) -> Tensor:
    """Weight is [out, channels / groups, kernel ...]: each of `groups` parts of the channels is seen by as
    many of the out channels. bias is [out] or NULL. The result is [batch, out, (size + padding - dilation *
    (kernel - 1) - 1) / stride + 1 ...]."""
    return _apply(203, x, weight, bias, stride, padding, dilation, groups)  # type: ignore[no-any-return]


def conv3d(
    x: Array,
    weight: Array,
    /,
    bias: Array | None = None,
    stride: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
    dilation: int | Sequence[int] | None = None,
    groups: int = 1,
) -> Tensor:
    """Weight is [out, channels / groups, kernel ...]: each of `groups` parts of the channels is seen by as
    many of the out channels. bias is [out] or NULL. The result is [batch, out, (size + padding - dilation *
    (kernel - 1) - 1) / stride + 1 ...]."""
    return _apply(204, x, weight, bias, stride, padding, dilation, groups)  # type: ignore[no-any-return]


def conv_transpose1d(
    x: Array,
    weight: Array,
    /,
    bias: Array | None = None,
    stride: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
    output_padding: int | Sequence[int] | None = None,
    groups: int = 1,
    dilation: int | Sequence[int] | None = None,
) -> Tensor:
    """Transposed: x at position i adds x * weight[k] to the result at i * stride + k * dilation - padding.
    weight is [channels, out / groups, kernel ...], bias [out] or NULL. The result has (size - 1) * stride +
    dilation * (kernel - 1) + 1 + output_padding - padding elements along an axis; output_padding is less than
    the stride or the dilation (by default 0)."""
    return _apply(205, x, weight, bias, stride, padding, output_padding, groups, dilation)  # type: ignore[no-any-return]


def conv_transpose2d(
    x: Array,
    weight: Array,
    /,
    bias: Array | None = None,
    stride: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
    output_padding: int | Sequence[int] | None = None,
    groups: int = 1,
    dilation: int | Sequence[int] | None = None,
) -> Tensor:
    """Transposed: x at position i adds x * weight[k] to the result at i * stride + k * dilation - padding.
    weight is [channels, out / groups, kernel ...], bias [out] or NULL. The result has (size - 1) * stride +
    dilation * (kernel - 1) + 1 + output_padding - padding elements along an axis; output_padding is less than
    the stride or the dilation (by default 0)."""
    return _apply(206, x, weight, bias, stride, padding, output_padding, groups, dilation)  # type: ignore[no-any-return]


def conv_transpose3d(
    x: Array,
    weight: Array,
    /,
    bias: Array | None = None,
    stride: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
    output_padding: int | Sequence[int] | None = None,
    groups: int = 1,
    dilation: int | Sequence[int] | None = None,
) -> Tensor:
    """Transposed: x at position i adds x * weight[k] to the result at i * stride + k * dilation - padding.
    weight is [channels, out / groups, kernel ...], bias [out] or NULL. The result has (size - 1) * stride +
    dilation * (kernel - 1) + 1 + output_padding - padding elements along an axis; output_padding is less than
    the stride or the dilation (by default 0)."""
    return _apply(207, x, weight, bias, stride, padding, output_padding, groups, dilation)  # type: ignore[no-any-return]


def max_pool(
    x: Array,
    /,
    size: Size | Sequence[Size] | None,
    stride: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
    dilation: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The greatest element of each window; not complex. Padding never wins. options NULL: the defaults."""
    return _apply(208, x, size, stride, padding, dilation, ceil_mode, count_include_pad)  # type: ignore[no-any-return]


def avg_pool(
    x: Array,
    /,
    size: Size | Sequence[Size] | None,
    stride: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
    dilation: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Float: their mean (NaN for a window in which nothing counts)."""
    return _apply(209, x, size, stride, padding, dilation, ceil_mode, count_include_pad)  # type: ignore[no-any-return]


def max_pool_with_indices(
    x: Array,
    /,
    size: Size | Sequence[Size] | None,
    stride: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
    dilation: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> tuple[Tensor, Tensor]:
    """*values is harp_max_pool, *indices where each element stands (i64): its index in the flattened plane of
    the last n_axes axes of x. Of equal elements the first; the first NaN, if there is one."""
    return _apply(210, x, size, stride, padding, dilation, ceil_mode, count_include_pad)  # type: ignore[no-any-return]


def max_unpool(
    x: Array,
    indices: Array,
    /,
    size: Size | Sequence[Size] | None,
    stride: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
    dilation: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    output_size: Size | Sequence[Size] | None = None,
) -> Tensor:
    """The way back: planes of zeros in which each element of x stands where its index says; any dtype,
    indices of integers in x's shape. Of two elements with one index the later stands there. output_size: the
    sizes of a plane, n_output_size of them: n_axes, or 0: the least that has these windows, (size of x - 1) *
    stride - padding + window. Indices as in "Elements by data": a negative one counts from the end. dilation
    and ceil_mode are not looked at."""
    return _apply(211, x, indices, size, stride, padding, dilation, ceil_mode, count_include_pad, output_size)  # type: ignore[no-any-return]


def layer_norm(
    x: Array,
    /,
    axes: int | Sequence[int] | None = -1,
    weight: Array | None = None,
    bias: Array | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias, mean and variance being over the axes. weight and bias
    have the sizes of these axes, in ascending order, or are NULL."""
    return _apply(212, x, axes, weight, bias, eps)  # type: ignore[no-any-return]


def rms_norm(
    x: Array,
    /,
    axes: int | Sequence[int] | None = -1,
    weight: Array | None = None,
    bias: Array | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """X / sqrt(mean(x * x) + eps) * weight + bias."""
    return _apply(213, x, axes, weight, bias, eps)  # type: ignore[no-any-return]


def batch_norm(
    x: Array,
    /,
    axis: int | None,
    mean: Array | None = None,
    var: Array | None = None,
    weight: Array | None = None,
    bias: Array | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias for each channel, channels being along `axis` (1 in
    [batch, channels, space ...]). mean and var have one number for each channel; both NULL: those of x over
    all other axes. weight and bias: one number for each channel, or NULL."""
    return _apply(214, x, mean, var, weight, bias, axis, eps)  # type: ignore[no-any-return]


def group_norm(
    x: Array, /, num_groups: int, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-05,
) -> Tensor:
    """The same for each array of the batch: over num_groups equal groups of channels with their space, and
    over the space of each channel. x is [batch, channels, space ...]."""
    return _apply(215, x, num_groups, weight, bias, eps)  # type: ignore[no-any-return]


def instance_norm(x: Array, /, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-05) -> Tensor:
    """The same for each array of the batch: over num_groups equal groups of channels with their space, and
    over the space of each channel. x is [batch, channels, space ...]."""
    return _apply(216, x, weight, bias, eps)  # type: ignore[no-any-return]


def scaled_dot_product_attention(
    query: Array,
    key: Array,
    value: Array,
    /,
    mask: Array | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """PyTorch's attention without dropout: softmax(query @ key^T * scale + mask) @ value over the last two
    axes, [..., length, features]; the axes before broadcast. mask: NULL, bool (true takes part) or floats
    that are added; it broadcasts to [..., query's length, key's length]. is_causal 1: the i-th query sees the
    keys 0 to i. scale NULL: 1 / sqrt(features). enable_gqa 1: the third last axis counts heads, and each head
    of key and value serves as many heads of the query as there are for one. A query that sees no key gives 0."""
    return _apply(217, query, key, value, mask, is_causal, scale, enable_gqa)  # type: ignore[no-any-return]


def huber_loss(x: Array, target: Array, /, delta: float = 1.0, reduction: str | None = 'mean') -> Tensor:
    """Half the squared distance up to delta, from there on a line: delta * (distance - delta / 2). reduction
    as below."""
    return _apply(218, x, target, delta, reduction)  # type: ignore[no-any-return]


def binary_cross_entropy(
    x: Array, target: Array, /, weight: Array | None = None, reduction: str | None = 'mean',
) -> Tensor:
    """-(target * log(x) + (1 - target) * log(1 - x)) of probabilities, logarithms not below -100; of logits:
    the same of sigmoid(x), without its rounding, target counting pos_weight times where it is given. weight
    and pos_weight: NULL, or floats that broadcast to x. A probability of 0 or 1 that is wrong has no
    gradient."""
    return _apply(219, x, target, weight, reduction)  # type: ignore[no-any-return]


def binary_cross_entropy_with_logits(
    x: Array,
    target: Array,
    /,
    weight: Array | None = None,
    pos_weight: Array | None = None,
    reduction: str | None = 'mean',
) -> Tensor:
    """-(target * log(x) + (1 - target) * log(1 - x)) of probabilities, logarithms not below -100; of logits:
    the same of sigmoid(x), without its rounding, target counting pos_weight times where it is given. weight
    and pos_weight: NULL, or floats that broadcast to x. A probability of 0 or 1 that is wrong has no
    gradient."""
    return _apply(220, x, target, weight, pos_weight, reduction)  # type: ignore[no-any-return]


def mse_loss(x: Array, target: Array, /, reduction: str | None = 'mean') -> Tensor:
    """(x - target) squared. reduction: NULL or "mean", "sum", "none" (an array of them)."""
    return _apply(221, x, target, reduction)  # type: ignore[no-any-return]


def cross_entropy(
    x: Array,
    target: Array,
    /,
    axis: int | None = None,
    weight: Array | None = None,
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    reduction: str | None = 'mean',
) -> Tensor:
    """-log(softmax(x)) of the target, along the axis of classes (HARP_AXIS_NONE: 1, or 0 of one axis).
    target: classes as integers, in x's shape without that axis (the loss of a number that is no class is
    NaN); or their probabilities, floats in x's shape. weight: NULL, or a number for each class, which
    multiplies its losses. ignore_index: the losses of this class number are 0, or HARP_CLASS_NONE.
    label_smoothing: this share of the target, 0 to 1, is spread over all classes. reduction as above; a mean
    over class numbers is divided by the weights of the classes that count."""
    return _apply(222, x, target, axis, weight, ignore_index, label_smoothing, reduction)  # type: ignore[no-any-return]


def nll_loss(
    x: Array,
    target: Array,
    /,
    axis: int | None = None,
    weight: Array | None = None,
    ignore_index: int | None = None,
    reduction: str | None = 'mean',
) -> Tensor:
    """The same of log-probabilities: -x of the target's class. target: classes as integers."""
    return _apply(223, x, target, axis, weight, ignore_index, reduction)  # type: ignore[no-any-return]


def custom_elementwise(nodes: Sequence[Array], expr: str | None) -> Tensor:
    """See harp_custom_elementwise in harp.h."""
    return _apply(224, nodes, expr)  # type: ignore[no-any-return]


def custom_reduce(
    nodes: Sequence[Array],
    expr: str | None,
    op: str | None,
    axes: int | Sequence[int] | None = None,
    keepdims: bool = False,
) -> Tensor:
    """The expression's values, reduced over n_axes axes (NULL: all). op: "sum", "prod", "max" or "min"."""
    return _apply(225, nodes, expr, op, axes, keepdims)  # type: ignore[no-any-return]


def custom_cumulative(
    nodes: Sequence[Array],
    expr: str | None,
    op: str | None,
    axis: int | None = -1,
    exclusive: bool = False,
    reverse: bool = False,
) -> Tensor:
    """Its running values along one axis, or of the flattened array (HARP_AXIS_NONE), as harp_cumsum, cumprod,
    cummax, cummin have them. op as above; flags: 0 or HARP_SCAN_... joined with |."""
    return _apply(226, nodes, expr, op, axis, exclusive, reverse)  # type: ignore[no-any-return]


def stop_gradient(x: Array, /) -> Tensor:
    """X itself, of any dtype, which gradients take for a constant: what y depends on through it alone gets
    zeros."""
    return _apply(227, x)  # type: ignore[no-any-return]
