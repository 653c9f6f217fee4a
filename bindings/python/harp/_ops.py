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
    "cummax", "cummax_with_indices", "cummin", "cummin_with_indices", "custom_cumulative", "custom_elementwise",
    "custom_reduce", "dft", "diag", "diagonal", "divide", "dot", "elu", "equal", "erf", "erfc", "exp", "exp2",
    "expand", "fft2", "fftn", "flatten", "floor_divide", "fma", "fmod", "gather_nd", "gelu", "greater",
    "greater_equal", "group_norm", "hardsigmoid", "hardswish", "hardtanh", "huber_loss", "hypot", "ifft", "ifft2",
    "ifftn", "imag", "index_add", "instance_norm", "interpolate", "irfft", "irfft2", "irfftn", "isclose",
    "isfinite", "isinf", "isnan", "layer_norm", "leaky_relu", "lerp", "less", "less_equal", "log", "log_softmax",
    "logaddexp", "logcumsumexp", "logical_and", "logical_not", "logical_or", "logical_xor", "logsigmoid",
    "logsumexp", "max_pool", "max_pool_with_indices", "max_unpool", "maximum", "minimum", "mish", "mse_loss",
    "multiply", "negative", "nextafter", "nll_loss", "norm", "not_equal", "one_hot", "outer", "pow", "powi",
    "random_bits", "random_normal", "random_uniform", "real", "reciprocal", "relu", "relu6", "remainder", "rfft",
    "rfft2", "rfftn", "rms_norm", "rot90", "rsqrt", "scaled_dot_product_attention", "scatter", "scatter_add",
    "scatter_max", "scatter_min", "scatter_mul", "scatter_nd", "scatter_reduce", "selu", "sigmoid", "sign",
    "signbit", "silu", "sin", "sinh", "slice", "softmax", "softplus", "softsign", "split_at", "sqrt", "square",
    "stop_gradient", "subtract", "tan", "tanh", "topk", "trace", "transpose", "unfold", "unfold1d", "unfold2d",
    "unfold3d", "unsqueeze", "view_as_complex", "view_as_real",
]


def negative(x: Array, /) -> Tensor:
    """-x (int, float, complex)."""
    return _apply(0, x)  # type: ignore[no-any-return]


def reciprocal(x: Array, /) -> Tensor:
    """1 / x (float, complex)."""
    return _apply(1, x)  # type: ignore[no-any-return]


def abs(x: Array, /) -> Tensor:
    """Absolute value; complex: hypot of the parts, a float (int, float, complex)."""
    return _apply(2, x)  # type: ignore[no-any-return]


def sign(x: Array, /) -> Tensor:
    """-1, 0 or 1; zeros and NaN are kept; complex: x / abs(x) (int, float, complex)."""
    return _apply(3, x)  # type: ignore[no-any-return]


def sqrt(x: Array, /) -> Tensor:
    """Square root (float, complex)."""
    return _apply(4, x)  # type: ignore[no-any-return]


def rsqrt(x: Array, /) -> Tensor:
    """1 / sqrt(x), computed as recip(sqrt(x))."""
    return _apply(5, x)  # type: ignore[no-any-return]


def cbrt(x: Array, /) -> Tensor:
    """Cube root (float)."""
    return _apply(6, x)  # type: ignore[no-any-return]


def square(x: Array, /) -> Tensor:
    """x * x."""
    return _apply(7, x)  # type: ignore[no-any-return]


def real(x: Array, /) -> Tensor:
    """Real part; a real number is returned unchanged."""
    return _apply(8, x)  # type: ignore[no-any-return]


def imag(x: Array, /) -> Tensor:
    """Imaginary part; 0 for a real number."""
    return _apply(9, x)  # type: ignore[no-any-return]


def conj(x: Array, /) -> Tensor:
    """Complex conjugate; a real number is returned unchanged."""
    return _apply(10, x)  # type: ignore[no-any-return]


def angle(x: Array, /) -> Tensor:
    """Atan2(imag(x), real(x)), radians in -pi..pi (float, complex)."""
    return _apply(11, x)  # type: ignore[no-any-return]


def view_as_real(x: Array, /) -> Tensor:
    """Reinterprets complex[...] as float[..., 2]: re, im (complex)."""
    return _apply(12, x)  # type: ignore[no-any-return]


def view_as_complex(x: Array, /) -> Tensor:
    """Reinterprets float[..., 2] as complex[...] (f32, f64)."""
    return _apply(13, x)  # type: ignore[no-any-return]


def floor(x: Array, /) -> Tensor:
    """Rounds down to an integer (float)."""
    return _apply(14, x)  # type: ignore[no-any-return]


def ceil(x: Array, /) -> Tensor:
    """Rounds up to an integer (float)."""
    return _apply(15, x)  # type: ignore[no-any-return]


def round(x: Array, /) -> Tensor:
    """Rounds to the nearest integer, ties to even (float)."""
    return _apply(16, x)  # type: ignore[no-any-return]


def trunc(x: Array, /) -> Tensor:
    """Rounds towards 0 to an integer (float)."""
    return _apply(17, x)  # type: ignore[no-any-return]


def exp(x: Array, /) -> Tensor:
    """e to the power x (float, complex)."""
    return _apply(18, x)  # type: ignore[no-any-return]


def exp2(x: Array, /) -> Tensor:
    """2 to the power x (float)."""
    return _apply(19, x)  # type: ignore[no-any-return]


def expm1(x: Array, /) -> Tensor:
    """Exp(x) - 1, accurate near 0 (float)."""
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
    """Log(1 + x), accurate near 0 (float)."""
    return _apply(24, x)  # type: ignore[no-any-return]


def sin(x: Array, /) -> Tensor:
    """Sine of x in radians, accurate over the whole range (float, complex)."""
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
    """1 - erf(x), without cancellation (float)."""
    return _apply(38, x)  # type: ignore[no-any-return]


def sigmoid(x: Array, /) -> Tensor:
    """1 / (1 + exp(-x))."""
    return _apply(39, x)  # type: ignore[no-any-return]


def relu(x: Array, /) -> Tensor:
    """0 where x <= 0, else x."""
    return _apply(40, x)  # type: ignore[no-any-return]


def silu(x: Array, /) -> Tensor:
    """x * sigmoid(x)."""
    return _apply(41, x)  # type: ignore[no-any-return]


def softplus(x: Array, /) -> Tensor:
    """Log(1 + exp(x))."""
    return _apply(42, x)  # type: ignore[no-any-return]


def selu(x: Array, /) -> Tensor:
    """1.0507 * elu(x, 1.6733), with both constants in full precision."""
    return _apply(43, x)  # type: ignore[no-any-return]


def relu6(x: Array, /) -> Tensor:
    """Clip(x, 0, 6); the gradient is 0 at the bounds."""
    return _apply(44, x)  # type: ignore[no-any-return]


def hardsigmoid(x: Array, /) -> Tensor:
    """Clip(x + 3, 0, 6) / 6."""
    return _apply(45, x)  # type: ignore[no-any-return]


def hardswish(x: Array, /) -> Tensor:
    """x * hardsigmoid(x)."""
    return _apply(46, x)  # type: ignore[no-any-return]


def mish(x: Array, /) -> Tensor:
    """x * tanh(softplus(x))."""
    return _apply(47, x)  # type: ignore[no-any-return]


def softsign(x: Array, /) -> Tensor:
    """x / (1 + abs(x))."""
    return _apply(48, x)  # type: ignore[no-any-return]


def logsigmoid(x: Array, /) -> Tensor:
    """Log(sigmoid(x))."""
    return _apply(49, x)  # type: ignore[no-any-return]


def signbit(x: Array, /) -> Tensor:
    """Bool: true if the sign is negative; false for NaN (int, float)."""
    return _apply(50, x)  # type: ignore[no-any-return]


def isnan(x: Array, /) -> Tensor:
    """Bool: true if x is NaN (float, complex)."""
    return _apply(51, x)  # type: ignore[no-any-return]


def isinf(x: Array, /) -> Tensor:
    """Bool: true if x is infinite."""
    return _apply(52, x)  # type: ignore[no-any-return]


def isfinite(x: Array, /) -> Tensor:
    """Bool: true if x is neither NaN nor infinite."""
    return _apply(53, x)  # type: ignore[no-any-return]


def logical_not(x: Array, /) -> Tensor:
    """Bool: true if x is 0; any dtype."""
    return _apply(54, x)  # type: ignore[no-any-return]


def bitwise_invert(x: Array, /) -> Tensor:
    """Inverts all bits; bool: logical not (bool, int)."""
    return _apply(55, x)  # type: ignore[no-any-return]


def elu(x: Array, /, alpha: float = 1.0) -> Tensor:
    """The exponential linear unit: x where x > 0, else alpha * expm1(x)."""
    return _apply(56, x, alpha)  # type: ignore[no-any-return]


def celu(x: Array, /, alpha: float = 1.0) -> Tensor:
    """The continuously differentiable variant of elu, for every alpha except 0: x where x > 0, else alpha *
    expm1(x / alpha)."""
    return _apply(57, x, alpha)  # type: ignore[no-any-return]


def gelu(x: Array, /, approximate: str | None = 'none') -> Tensor:
    """The Gaussian error linear unit: x times the cumulative distribution function of the normal
    distribution. approximate: None or "none" (uses erf), or "tanh"."""
    return _apply(58, x, approximate)  # type: ignore[no-any-return]


def hardtanh(x: Array, /, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Clamps x to min_val .. max_val. The gradient is 0 at the bounds and outside them."""
    return _apply(59, x, min_val, max_val)  # type: ignore[no-any-return]


def leaky_relu(x: Array, /, negative_slope: float = 0.01) -> Tensor:
    """Returns x where x > 0, else negative_slope * x."""
    return _apply(60, x, negative_slope)  # type: ignore[no-any-return]


def isclose(
    a: Array | Number, b: Array | Number, /, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False,
) -> Tensor:
    """Bool: abs(a - b) <= atol + rtol * abs(b), or both are the same infinity, or (equal_nan 1) both are NaN
    (float, complex)."""
    return _apply(61, a, b, rtol, atol, equal_nan)  # type: ignore[no-any-return]


def powi(x: Array, /, k: int) -> Tensor:
    """Raises x to the k-th power by repeated squaring. k < 0 raises 1 / x to the power -k, floats only."""
    return _apply(62, x, k)  # type: ignore[no-any-return]


def cast(x: Array, /, dtype: DTypeLike) -> Tensor:
    """Converts x to another dtype; if x already has the dtype, returns x itself. To int: truncates and
    saturates, NaN gives 0. To bool: true where x is not 0. To float: rounds to nearest, ties to even."""
    return _apply(63, x, dtype)  # type: ignore[no-any-return]


def bitcast(x: Array, /, dtype: DTypeLike) -> Tensor:
    """Reinterprets the bytes of x as another dtype of the same size."""
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
    """Remainder of floor_divide, with the sign of b; integers: x % 0 = 0 (int, float)."""
    return _apply(70, a, b)  # type: ignore[no-any-return]


def fmod(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Remainder of the division rounded towards 0, with the sign of a (C's fmod and %) (int, float)."""
    return _apply(71, a, b)  # type: ignore[no-any-return]


def maximum(a: Array | Number, b: Array | Number, /) -> Tensor:
    """The greater operand; NaN wins, +0 > -0."""
    return _apply(72, a, b)  # type: ignore[no-any-return]


def minimum(a: Array | Number, b: Array | Number, /) -> Tensor:
    """The lesser operand; NaN wins, -0 < +0."""
    return _apply(73, a, b)  # type: ignore[no-any-return]


def pow(a: Array | Number, b: Array | Number, /) -> Tensor:
    """A to the power b; integers: b < 0 gives 0, unless a is 1 or -1 (int, float, complex)."""
    return _apply(74, a, b)  # type: ignore[no-any-return]


def atan2(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Angle of the point (b, a) in radians (float)."""
    return _apply(75, a, b)  # type: ignore[no-any-return]


def hypot(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Sqrt(a * a + b * b), without overflow (float)."""
    return _apply(76, a, b)  # type: ignore[no-any-return]


def copysign(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Magnitude of a with the sign of b (float)."""
    return _apply(77, a, b)  # type: ignore[no-any-return]


def complex_from_parts(re: Array | Number, im: Array | Number, /) -> Tensor:
    """Re + im * i; complex64 from f32, complex128 from f64."""
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
    """Bool: true if a and b are both not 0; any dtype."""
    return _apply(85, a, b)  # type: ignore[no-any-return]


def logical_or(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bool: true if a or b is not 0; any dtype."""
    return _apply(86, a, b)  # type: ignore[no-any-return]


def logical_xor(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bool: true if exactly one of a and b is not 0; any dtype."""
    return _apply(87, a, b)  # type: ignore[no-any-return]


def bitwise_and(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bitwise and; bool: logical and (bool, int)."""
    return _apply(88, a, b)  # type: ignore[no-any-return]


def bitwise_or(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bitwise or; bool: logical or (bool, int)."""
    return _apply(89, a, b)  # type: ignore[no-any-return]


def bitwise_xor(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Bitwise exclusive or; bool: logical exclusive or (bool, int)."""
    return _apply(90, a, b)  # type: ignore[no-any-return]


def bitwise_left_shift(a: Array | Number, b: Array | Number, /) -> Tensor:
    """A << b, with b modulo the bit width (int)."""
    return _apply(91, a, b)  # type: ignore[no-any-return]


def bitwise_right_shift(a: Array | Number, b: Array | Number, /) -> Tensor:
    """A >> b, arithmetic for signed a, with b modulo the bit width (int)."""
    return _apply(92, a, b)  # type: ignore[no-any-return]


def logaddexp(a: Array | Number, b: Array | Number, /) -> Tensor:
    """Log(exp(a) + exp(b)), without overflow (float)."""
    return _apply(93, a, b)  # type: ignore[no-any-return]


def nextafter(a: Array | Number, b: Array | Number, /) -> Tensor:
    """The next representable number after a in the direction of b (float)."""
    return _apply(94, a, b)  # type: ignore[no-any-return]


def where(condition: Array, a: Array | Number, b: Array | Number, /) -> Tensor:
    """A where condition (bool) is true, else b."""
    return _apply(95, condition, a, b)  # type: ignore[no-any-return]


def fma(a: Array | Number, b: Array | Number, c: Array | Number, /) -> Tensor:
    """A * b + c, rounded once (float)."""
    return _apply(96, a, b, c)  # type: ignore[no-any-return]


def clip(x: Array | Number, lo: Array | Number, hi: Array | Number, /) -> Tensor:
    """Lo if x < lo, then hi if that is greater than hi; NaN is kept."""
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
    """True if an element is not 0; result: bool."""
    return _apply(103, x, axes, keepdims)  # type: ignore[no-any-return]


def all(x: Array, /, axes: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """True if no element is 0; result: bool."""
    return _apply(104, x, axes, keepdims)  # type: ignore[no-any-return]


def count_nonzero(x: Array, /, axes: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Number of elements that are not 0; result: i64; any dtype."""
    return _apply(105, x, axes, keepdims)  # type: ignore[no-any-return]


def mean(x: Array, /, axes: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Sum / count (float)."""
    return _apply(106, x, axes, keepdims)  # type: ignore[no-any-return]


def var(x: Array, /, axes: int | Sequence[int] | None = None, correction: int = 0, keepdims: bool = False) -> Tensor:
    """The mean squared distance from the mean, but with the divisor count - correction instead of count
    (float)."""
    return _apply(107, x, axes, correction, keepdims)  # type: ignore[no-any-return]


def std(x: Array, /, axes: int | Sequence[int] | None = None, correction: int = 0, keepdims: bool = False) -> Tensor:
    """Sqrt(var) (float)."""
    return _apply(108, x, axes, correction, keepdims)  # type: ignore[no-any-return]


def norm(x: Array, /, order: float = 2.0, axes: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The norm of vectors. order 2: sqrt(sum(x * x)). order 1: sum(abs(x)). order infinity: the greatest
    abs(x); -infinity: the least. order 0: the number of elements that are not 0. Any other order:
    sum(abs(x)^order)^(1 / order) (float)."""
    return _apply(109, x, order, axes, keepdims)  # type: ignore[no-any-return]


def argmax(x: Array, /, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """argmax and argmin return the index (i64) of the greatest or least element along one axis, or in the
    flattened array (None). The first of several equal elements wins, and the first NaN wins over all numbers.
    An axis that is known to be empty is a ShapeError; an axis that is empty only in a run gives 2147483647."""
    return _apply(110, x, axis, keepdims)  # type: ignore[no-any-return]


def argmin(x: Array, /, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """argmax and argmin return the index (i64) of the greatest or least element along one axis, or in the
    flattened array (None). The first of several equal elements wins, and the first NaN wins over all numbers.
    An axis that is known to be empty is a ShapeError; an axis that is empty only in a run gives 2147483647."""
    return _apply(111, x, axis, keepdims)  # type: ignore[no-any-return]


def logsumexp(x: Array, /, axes: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Log(sum(exp(x))), computed without overflow (float)."""
    return _apply(112, x, axes, keepdims)  # type: ignore[no-any-return]


def softmax(x: Array, /, axis: int | None = -1) -> Tensor:
    """softmax returns exp(x) / sum(exp(x)) along one axis, log_softmax its logarithm, both computed without
    overflow (float)."""
    return _apply(113, x, axis)  # type: ignore[no-any-return]


def log_softmax(x: Array, /, axis: int | None = -1) -> Tensor:
    """softmax returns exp(x) / sum(exp(x)) along one axis, log_softmax its logarithm, both computed without
    overflow (float)."""
    return _apply(114, x, axis)  # type: ignore[no-any-return]


def cumsum(x: Array, /, axis: int | None = None, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Int, float."""
    return _apply(115, x, axis, exclusive, reverse)  # type: ignore[no-any-return]


def cumprod(x: Array, /, axis: int | None = None, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Int, float."""
    return _apply(116, x, axis, exclusive, reverse)  # type: ignore[no-any-return]


def cummax(x: Array, /, axis: int | None = None, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Bool, int, float: the greatest element so far."""
    return _apply(117, x, axis, exclusive, reverse)  # type: ignore[no-any-return]


def cummin(x: Array, /, axis: int | None = None, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Bool, int, float: the least element so far."""
    return _apply(118, x, axis, exclusive, reverse)  # type: ignore[no-any-return]


def logcumsumexp(x: Array, /, axis: int | None = None, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Log(cumsum(exp(x))), computed without overflow. The result is -inf where all elements so far are -inf;
    the exclusive scan begins with -inf (float)."""
    return _apply(119, x, axis, exclusive, reverse)  # type: ignore[no-any-return]


def cummax_with_indices(x: Array, /, axis: int | None = -1) -> tuple[Tensor, Tensor]:
    """cummax_with_indices and cummin_with_indices return the running maximum or minimum as *values. *indices
    (i64) receives the index of the latest element that equals it, or of the latest NaN."""
    return _apply(120, x, axis)  # type: ignore[no-any-return]


def cummin_with_indices(x: Array, /, axis: int | None = -1) -> tuple[Tensor, Tensor]:
    """cummax_with_indices and cummin_with_indices return the running maximum or minimum as *values. *indices
    (i64) receives the index of the latest element that equals it, or of the latest NaN."""
    return _apply(121, x, axis)  # type: ignore[no-any-return]


def permute_dims(x: Array, /, axes: int | Sequence[int] | None) -> Tensor:
    """permute_dims and transpose reorder axes: result axis i is source axis axes[i]. For transpose, axes None
    reverses all axes."""
    return _apply(122, x, axes)  # type: ignore[no-any-return]


def transpose(x: Array, /, axes: int | Sequence[int] | None = None) -> Tensor:
    """permute_dims and transpose reorder axes: result axis i is source axis axes[i]. For transpose, axes None
    reverses all axes."""
    return _apply(123, x, axes)  # type: ignore[no-any-return]


def moveaxis(x: Array, /, source: int | Sequence[int] | None, destination: int | Sequence[int] | None) -> Tensor:
    """Moves axis source[i] to position destination[i]; the other axes keep their order."""
    return _apply(124, x, source, destination)  # type: ignore[no-any-return]


def unsqueeze(x: Array, /, axes: int | Sequence[int] | None) -> Tensor:
    """Inserts axes of size 1: axis axes[i] of the result is an inserted axis."""
    return _apply(125, x, axes)  # type: ignore[no-any-return]


def squeeze(x: Array, /, axes: int | Sequence[int] | None = None) -> Tensor:
    """Removes axes of size 1; axes None removes all of them."""
    return _apply(126, x, axes)  # type: ignore[no-any-return]


def flip(x: Array, /, axes: int | Sequence[int] | None = None) -> Tensor:
    """Reverses the elements along the given axes; axes None reverses all axes."""
    return _apply(127, x, axes)  # type: ignore[no-any-return]


def expand(x: Array, /, dims: Size | Sequence[Size] | None) -> Tensor:
    """Stretches axes of size 1 to the sizes dims; rank is the rank of x. A size of -1 keeps the axis as it
    is."""
    return _apply(128, x, dims)  # type: ignore[no-any-return]


def broadcast_to(x: Array, /, dims: Size | Sequence[Size] | None) -> Tensor:
    """Broadcasts x to the shape dims as NumPy does: missing axes are added on the left, axes of size 1
    stretch."""
    return _apply(129, x, dims)  # type: ignore[no-any-return]


def reshape(x: Array, /, dims: Size | Sequence[Size] | None) -> Tensor:
    """Changes the shape and keeps the elements in row-major order. One size may be -1; harp computes it from
    the others."""
    return _apply(130, x, dims)  # type: ignore[no-any-return]


def flatten(x: Array, /, start_axis: int = 0, end_axis: int = -1) -> Tensor:
    """Merges the axes start_axis to end_axis, both included, into one."""
    return _apply(131, x, start_axis, end_axis)  # type: ignore[no-any-return]


def slice(
    x: Array,
    /,
    start: Sequence[Size | None] | None = None,
    stop: Sequence[Size | None] | None = None,
    step: int | Sequence[int] | None = None,
) -> Tensor:
    """x[start:stop:step] on each of the `rank` axes, as in Python: negative positions count from the end
    (symbolic ones do not), positions outside the axis are clamped, None is an open end, and steps may be
    negative. start or stop None means open on every axis, step None means 1. x[1:] and x[:-1] have the same
    size for every size of x, and so have x[-1:] and x[:1]."""
    return _apply(132, x, start, stop, step)  # type: ignore[no-any-return]


def unfold(
    x: Array,
    /,
    axes: int | Sequence[int] | None,
    size: Size | Sequence[Size] | None,
    stride: int | Sequence[int] | None = None,
    dilation: int | Sequence[int] | None = None,
) -> Tensor:
    """Window parameters, here and in convolutions and pools, are a count and a list. A count of 0 (the list
    may then be None) selects the default; a count of 1 gives one number for all axes; otherwise there is one
    number for each axis, in the axes' order. A padding may also have two numbers for each axis: before it and
    after it. Any other count is a ShapeError. unfold returns windows of `size` elements along axes, as a
    view; the window axes come last. stride is the distance between windows and dilation the distance between
    elements of a window, both 1 by default. A window size may be 0: an axis of n elements then has n / stride
    + 1 windows, and the result has no elements. A symbolic window size that is 0 in a run is a RangeError."""
    return _apply(133, x, axes, size, stride, dilation)  # type: ignore[no-any-return]


def unfold1d(
    x: Array,
    /,
    size: Size | Sequence[Size] | None,
    stride: int | Sequence[int] | None = None,
    dilation: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
) -> Tensor:
    """unfold1d, unfold2d and unfold3d return windows along the last one, two or three axes. padding (0 by
    default) adds zeros around x; a negative padding removes elements."""
    return _apply(134, x, size, stride, dilation, padding)  # type: ignore[no-any-return]


def unfold2d(
    x: Array,
    /,
    size: Size | Sequence[Size] | None,
    stride: int | Sequence[int] | None = None,
    dilation: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
) -> Tensor:
    """unfold1d, unfold2d and unfold3d return windows along the last one, two or three axes. padding (0 by
    default) adds zeros around x; a negative padding removes elements."""
    return _apply(135, x, size, stride, dilation, padding)  # type: ignore[no-any-return]


def unfold3d(
    x: Array,
    /,
    size: Size | Sequence[Size] | None,
    stride: int | Sequence[int] | None = None,
    dilation: int | Sequence[int] | None = None,
    padding: Size | Sequence[Size] | None = None,
) -> Tensor:
    """unfold1d, unfold2d and unfold3d return windows along the last one, two or three axes. padding (0 by
    default) adds zeros around x; a negative padding removes elements."""
    return _apply(136, x, size, stride, dilation, padding)  # type: ignore[no-any-return]


def diagonal(x: Array, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Returns the elements whose index along axis2 equals their index along axis1 plus offset. The diagonal
    becomes the last axis and replaces axis1 and axis2."""
    return _apply(137, x, offset, axis1, axis2)  # type: ignore[no-any-return]


def diag(x: Array, /, k: int = 0) -> Tensor:
    """numpy.diag: for an array of one axis, the matrix with this array on its k-th diagonal and zeros
    elsewhere; for a matrix, its k-th diagonal."""
    return _apply(138, x, k)  # type: ignore[no-any-return]


def diff(x: Array, /, n: int = 1, axis: int | None = -1) -> Tensor:
    """x[1:] - x[:-1] along an axis, applied n times (0 to 64). For bool, true where neighbours differ."""
    return _apply(139, x, n, axis)  # type: ignore[no-any-return]


def rot90(x: Array, /, k: int = 1, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Rotates x by 90 degrees k times, in the direction from axis1 to axis2."""
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
    """Resizes the last n_axes axes to the sizes `size`. mode: None or "nearest" (any dtype); for floats also
    "linear", "cubic" (Keys' kernel with cubic_coeff_a, -0.75 in PyTorch and ONNX) or "area" (means, as in
    adaptive average pooling). coordinates, as in ONNX's Resize: None or "half_pixel", "pytorch_half_pixel",
    "asymmetric", "align_corners". nearest_mode: None or "round_prefer_floor", "round_prefer_ceil", "floor",
    "ceil". PyTorch's mode "nearest" is coordinates "asymmetric" with nearest_mode "floor". scales: one number
    for each axis, from which the coordinates are computed; with n_scales 0 the scale is the size of the
    result / the size of x. An axis of x that is known to be empty is a ShapeError. If it is empty only in a
    run, the result is 0, or NaN with "area", whose mean has no elements."""
    return _apply(141, x, size, scales, mode, coordinates, nearest_mode, cubic_coeff_a)  # type: ignore[no-any-return]


def contiguous(x: Array, /) -> Tensor:
    """Stores the value in a row-major array of its own, so that it is computed once. Never needed for correct
    results."""
    return _apply(142, x)  # type: ignore[no-any-return]


def check_index(indices: Array, /, size: Size, what: str | None = None) -> Tensor:
    """Returns `indices` and checks them. A run fails with a RangeError if an index is not in -size..size-1,
    the valid indices of an axis of that size. The message names `indices`, the first invalid index in row-
    major order, its position and the size. If several checks fail, the message is about the first one in the
    graph; if a check and a native function both fail, it is about either (native does not receive indices
    that failed). The message begins with `what` ("the vocabulary": `the vocabulary has 5 elements, but
    element 7 of "ids" asks for 9`), or with "check_index: the axis" if `what` is None. After a failed run the
    outputs are undefined; program and context stay usable. harp never accesses memory outside an array, with
    or without the check. The check runs only if an output depends on the indices: check_index(i, n) * 0 is 0
    for all indices, so nothing is checked."""
    return _apply(143, indices, size, what)  # type: ignore[no-any-return]


def concat(nodes: Sequence[Array], axis: int | None = 0) -> Tensor:
    """concat joins arrays along an axis. stack joins arrays of equal shape along a new axis, which becomes
    axis `axis` of the result."""
    return _apply(144, nodes, axis)  # type: ignore[no-any-return]


def stack(nodes: Sequence[Array], axis: int | None = 0) -> Tensor:
    """concat joins arrays along an axis. stack joins arrays of equal shape along a new axis, which becomes
    axis `axis` of the result."""
    return _apply(145, nodes, axis)  # type: ignore[no-any-return]


def split(x: Array, /, sections: int, axis: int | None = 0) -> tuple[Tensor, ...]:
    """Splits x into equal parts along an axis and writes them to parts[0] ... parts[sections - 1]."""
    return _apply(146, x, sections, axis)  # type: ignore[no-any-return]


def split_at(x: Array, /, positions: Size | Sequence[Size] | None, axis: int | None = 0) -> tuple[Tensor, ...]:
    """Splits x before each of n positions and writes n + 1 parts."""
    return _apply(147, x, positions, axis)  # type: ignore[no-any-return]


def unstack(x: Array, /, n: int, axis: int | None = 0) -> tuple[Tensor, ...]:
    """Splits an axis of constant size n into n parts without that axis: the inverse of stack."""
    return _apply(148, x, axis, n)  # type: ignore[no-any-return]


def meshgrid(nodes: Sequence[Array], indexing: str | None = 'xy') -> tuple[Tensor, ...]:
    """Makes coordinate arrays: each of n arrays of one axis (or scalars) is stretched along the axes of the
    others and written to results[0] ... results[n - 1]. indexing: "ij" (array i varies along axis i), or None
    or "xy" (the first two axes are exchanged, as in NumPy)."""
    return _apply(149, nodes, indexing)  # type: ignore[no-any-return]


def pad(
    x: Array,
    /,
    before: Size | Sequence[Size] | None,
    after: Size | Sequence[Size] | None = None,
    mode: str | None = None,
    value: Array | Number | None = None,
) -> Tensor:
    """Adds before[i] and after[i] elements at the ends of axis i, as numpy.pad. mode: None or "constant"
    (`value`, a node of rank 0 and x's dtype; None: 0), "edge" (the nearest element), "reflect" (mirrored at
    the edge element, which is not repeated), "symmetric" (mirrored behind the edge element, which is
    repeated), "wrap" (periodic). The modes repeat over as many periods as needed. A mode other than constant
    cannot pad an empty axis: a ShapeError, or a RangeError in a run if that depends on symbolic sizes. A
    negative number removes elements."""
    return _apply(150, x, before, after, mode, value)  # type: ignore[no-any-return]


def repeat(x: Array, /, repeats: Size, axis: int | None = None) -> Tensor:
    """Repeats each element `repeats` times, next to each other, along an axis or in the flattened array
    (None)."""
    return _apply(151, x, repeats, axis)  # type: ignore[no-any-return]


def tile(x: Array, /, repeats: Size | Sequence[Size] | None) -> Tensor:
    """Repeats the whole array repeats[i] times along axis i. If n differs from the rank, ones are added on
    the left of the shorter one of repeats and x's shape, as in numpy.tile."""
    return _apply(152, x, repeats)  # type: ignore[no-any-return]


def roll(x: Array, /, shift: Size | Sequence[Size] | None, axes: int | Sequence[int] | None = None) -> Tensor:
    """Shifts elements by shift[i] positions along axes[i]; elements that leave at one end enter at the other.
    axes None shifts the flattened array; n is then 1."""
    return _apply(153, x, shift, axes)  # type: ignore[no-any-return]


def gather_nd(x: Array, indices: Array, /, batch_dims: int = 0) -> Tensor:
    """ONNX's GatherND. The last axis of `indices` has a constant size k; it holds tuples of k indices, and
    each tuple selects an element along k axes of x. The result's axes are the other axes of indices, then the
    other axes of x. batch_dims: the number of leading axes that x and indices share and that stay in the
    result. A tuple with an index out of range reads the last element, or fails the run with check_indices."""
    return _apply(154, x, indices, batch_dims)  # type: ignore[no-any-return]


def take(x: Array, indices: Array, /, axis: int | None = None) -> Tensor:
    """numpy.take: reads the elements `indices` along an axis, and the axes of indices replace that axis; None
    uses the flattened array. Along axis 0 of a matrix it returns rows."""
    return _apply(155, x, indices, axis)  # type: ignore[no-any-return]


def take_along_axis(x: Array, indices: Array, /, axis: int | None) -> Tensor:
    """numpy.take_along_axis: element i of the result along the axis is x's element indices[i] along it, at
    the same position on all other axes. indices must have x's sizes except along the axis (a ShapeError). The
    result has the shape of indices."""
    return _apply(156, x, indices, axis)  # type: ignore[no-any-return]


def scatter(x: Array, indices: Array, updates: Array, /, axis: int | None) -> Tensor:
    """torch.scatter: returns x with updates[i] written to element indices[i] along the axis, at the same
    position on all other axes. x and updates have the same dtype, which may be any. indices must have x's
    sizes except along the axis, and updates the sizes of indices (a ShapeError). Updates are applied in their
    order: if several updates write the same element, the last one wins, and only it has a gradient."""
    return _apply(157, x, indices, updates, axis)  # type: ignore[no-any-return]


def scatter_add(x: Array, indices: Array, updates: Array, /, axis: int | None) -> Tensor:
    """scatter_add, scatter_mul, scatter_max and scatter_min are scatter with a combination: the update is
    added to the element (torch.scatter_add), multiplies it, or replaces it if it is greater or less (NaN
    wins). They accept numbers; mul only integers and floats; max and min only ordered dtypes, including bool.
    Updates of the same element are combined in their order, so the result has the same bits in every run;
    narrow dtypes are combined in i32 or f32 and converted once. The gradient of reads by index is a
    scatter_add. For max and min, elements that tie share the gradient."""
    return _apply(158, x, indices, updates, axis)  # type: ignore[no-any-return]


def scatter_mul(x: Array, indices: Array, updates: Array, /, axis: int | None) -> Tensor:
    """scatter_add, scatter_mul, scatter_max and scatter_min are scatter with a combination: the update is
    added to the element (torch.scatter_add), multiplies it, or replaces it if it is greater or less (NaN
    wins). They accept numbers; mul only integers and floats; max and min only ordered dtypes, including bool.
    Updates of the same element are combined in their order, so the result has the same bits in every run;
    narrow dtypes are combined in i32 or f32 and converted once. The gradient of reads by index is a
    scatter_add. For max and min, elements that tie share the gradient."""
    return _apply(159, x, indices, updates, axis)  # type: ignore[no-any-return]


def scatter_max(x: Array, indices: Array, updates: Array, /, axis: int | None) -> Tensor:
    """scatter_add, scatter_mul, scatter_max and scatter_min are scatter with a combination: the update is
    added to the element (torch.scatter_add), multiplies it, or replaces it if it is greater or less (NaN
    wins). They accept numbers; mul only integers and floats; max and min only ordered dtypes, including bool.
    Updates of the same element are combined in their order, so the result has the same bits in every run;
    narrow dtypes are combined in i32 or f32 and converted once. The gradient of reads by index is a
    scatter_add. For max and min, elements that tie share the gradient."""
    return _apply(160, x, indices, updates, axis)  # type: ignore[no-any-return]


def scatter_min(x: Array, indices: Array, updates: Array, /, axis: int | None) -> Tensor:
    """scatter_add, scatter_mul, scatter_max and scatter_min are scatter with a combination: the update is
    added to the element (torch.scatter_add), multiplies it, or replaces it if it is greater or less (NaN
    wins). They accept numbers; mul only integers and floats; max and min only ordered dtypes, including bool.
    Updates of the same element are combined in their order, so the result has the same bits in every run;
    narrow dtypes are combined in i32 or f32 and converted once. The gradient of reads by index is a
    scatter_add. For max and min, elements that tie share the gradient."""
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
    """torch.scatter_reduce. reduction: None or "sum", "prod", "max", "min" as in scatter_add and its
    relatives, or "mean" of floats and complex numbers: the sum divided by the number of updates, plus one for
    the element itself. ("amax", "amin", "add" and "mul" are max, min, sum and prod.) With include_self 0 an
    element that has updates is the reduction of these alone; an element without updates keeps its value. Any
    other reduction is an InvalidArgumentError."""
    return _apply(162, x, indices, updates, axis, reduction, include_self)  # type: ignore[no-any-return]


def scatter_nd(x: Array, indices: Array, updates: Array, /, reduction: str | None = 'set') -> Tensor:
    """ONNX's ScatterND. The last axis of `indices` has a constant size k; it holds tuples of k indices along
    the first k axes of x. Each tuple selects an element of x or, if x has further axes, the subarray along
    these. The axes of updates must be the axes of indices without the last one, followed by those further
    axes of x (a ShapeError). reduction: None, "set" or "none", or a reduction of scatter_reduce. A tuple with
    an index out of range selects the last element, or fails the run with check_indices."""
    return _apply(163, x, indices, updates, reduction)  # type: ignore[no-any-return]


def index_add(x: Array, indices: Array, updates: Array, /, axis: int | None) -> Tensor:
    """torch.index_add: scatter_add with one index for each position along the axis. indices have rank 1.
    updates have x's sizes except along the axis, where they have one position for each index. Along axis 0 of
    a matrix, rows are added to rows."""
    return _apply(164, x, indices, updates, axis)  # type: ignore[no-any-return]


def argsort(x: Array, /, axis: int | None = -1, descending: bool = False) -> Tensor:
    """Returns the indices (i64) that sort x along an axis."""
    return _apply(165, x, axis, descending)  # type: ignore[no-any-return]


def sort(x: Array, /, axis: int | None = -1, descending: bool = False) -> Tensor:
    """Sorts x along an axis; the result has x's dtype."""
    return _apply(166, x, axis, descending)  # type: ignore[no-any-return]


def topk(x: Array, /, k: Size, axis: int | None = -1, largest: bool = True) -> tuple[Tensor, Tensor]:
    """Finds the k largest elements along an axis, the greatest first (largest 0: the k smallest, the least
    first). Writes them to *values and their indices (i64) to *indices. Of equal elements the first ones are
    chosen. A k that exceeds the size is a ShapeError, or a RangeError in a run if that depends on symbolic
    sizes."""
    return _apply(167, x, k, axis, largest)  # type: ignore[no-any-return]


def isin(elements: Array | Number, test_elements: Array | Number, /, invert: bool = False) -> Tensor:
    """Returns an array of bool in the shape of elements: true where an element equals one of test_elements
    (invert 1: equals none); any dtype. NaN equals nothing."""
    return _apply(168, elements, test_elements, invert)  # type: ignore[no-any-return]


def searchsorted(sorted: Array | Number, values: Array | Number, /, side: str | None = 'left') -> Tensor:
    """Returns for each value the index (i64) at which it would be inserted into `sorted`, an array of one
    axis in ascending order with the dtype of values. side: None or "left" inserts before all equal elements,
    "right" after them. The result has the shape of values."""
    return _apply(169, sorted, values, side)  # type: ignore[no-any-return]


def fft(x: Array, /, n: Size | None = None, axis: int | None = -1, norm: str | None = None) -> Tensor:
    """See harp_fft in harp.h."""
    return _apply(170, x, n, axis, norm)  # type: ignore[no-any-return]


def ifft(x: Array, /, n: Size | None = None, axis: int | None = -1, norm: str | None = None) -> Tensor:
    """See harp_ifft in harp.h."""
    return _apply(171, x, n, axis, norm)  # type: ignore[no-any-return]


def rfft(x: Array, /, n: Size | None = None, axis: int | None = -1, norm: str | None = None) -> Tensor:
    """Transforms real numbers: returns the first n / 2 + 1 elements of the transform; the remaining ones are
    their complex conjugates."""
    return _apply(172, x, n, axis, norm)  # type: ignore[no-any-return]


def irfft(x: Array, /, n: Size | None = None, axis: int | None = -1, norm: str | None = None) -> Tensor:
    """The inverse of rfft: returns n real numbers from the first n / 2 + 1 elements of their transform. n 0
    means 2 (m - 1) for m elements."""
    return _apply(173, x, n, axis, norm)  # type: ignore[no-any-return]


def fftn(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """fftn, ifftn, rfftn, irfftn and their versions for two axes transform several axes, one after the other,
    the last one first. For transforms of real numbers the last axis holds half of the transform. s: the
    length along each axis, or None. axes None: the last n_axes axes, or all axes if n_axes is 0 (s is None
    then). For fft2, ifft2, rfft2 and irfft2, axes None means the last two axes."""
    return _apply(174, x, s, axes, norm)  # type: ignore[no-any-return]


def ifftn(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """fftn, ifftn, rfftn, irfftn and their versions for two axes transform several axes, one after the other,
    the last one first. For transforms of real numbers the last axis holds half of the transform. s: the
    length along each axis, or None. axes None: the last n_axes axes, or all axes if n_axes is 0 (s is None
    then). For fft2, ifft2, rfft2 and irfft2, axes None means the last two axes."""
    return _apply(175, x, s, axes, norm)  # type: ignore[no-any-return]


def rfftn(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """fftn, ifftn, rfftn, irfftn and their versions for two axes transform several axes, one after the other,
    the last one first. For transforms of real numbers the last axis holds half of the transform. s: the
    length along each axis, or None. axes None: the last n_axes axes, or all axes if n_axes is 0 (s is None
    then). For fft2, ifft2, rfft2 and irfft2, axes None means the last two axes."""
    return _apply(176, x, s, axes, norm)  # type: ignore[no-any-return]


def irfftn(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """fftn, ifftn, rfftn, irfftn and their versions for two axes transform several axes, one after the other,
    the last one first. For transforms of real numbers the last axis holds half of the transform. s: the
    length along each axis, or None. axes None: the last n_axes axes, or all axes if n_axes is 0 (s is None
    then). For fft2, ifft2, rfft2 and irfft2, axes None means the last two axes."""
    return _apply(177, x, s, axes, norm)  # type: ignore[no-any-return]


def fft2(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """fftn, ifftn, rfftn, irfftn and their versions for two axes transform several axes, one after the other,
    the last one first. For transforms of real numbers the last axis holds half of the transform. s: the
    length along each axis, or None. axes None: the last n_axes axes, or all axes if n_axes is 0 (s is None
    then). For fft2, ifft2, rfft2 and irfft2, axes None means the last two axes."""
    return _apply(178, x, s, axes, norm)  # type: ignore[no-any-return]


def ifft2(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """fftn, ifftn, rfftn, irfftn and their versions for two axes transform several axes, one after the other,
    the last one first. For transforms of real numbers the last axis holds half of the transform. s: the
    length along each axis, or None. axes None: the last n_axes axes, or all axes if n_axes is 0 (s is None
    then). For fft2, ifft2, rfft2 and irfft2, axes None means the last two axes."""
    return _apply(179, x, s, axes, norm)  # type: ignore[no-any-return]


def rfft2(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """fftn, ifftn, rfftn, irfftn and their versions for two axes transform several axes, one after the other,
    the last one first. For transforms of real numbers the last axis holds half of the transform. s: the
    length along each axis, or None. axes None: the last n_axes axes, or all axes if n_axes is 0 (s is None
    then). For fft2, ifft2, rfft2 and irfft2, axes None means the last two axes."""
    return _apply(180, x, s, axes, norm)  # type: ignore[no-any-return]


def irfft2(
    x: Array,
    /,
    s: Size | Sequence[Size] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """fftn, ifftn, rfftn, irfftn and their versions for two axes transform several axes, one after the other,
    the last one first. For transforms of real numbers the last axis holds half of the transform. s: the
    length along each axis, or None. axes None: the last n_axes axes, or all axes if n_axes is 0 (s is None
    then). For fft2, ifft2, rfft2 and irfft2, axes None means the last two axes."""
    return _apply(181, x, s, axes, norm)  # type: ignore[no-any-return]


def dft(re: Array, im: Array, /) -> Tensor:
    """The primitive behind the other transforms. Transforms each row of the last axis of the real and
    imaginary parts re and im (f32 or f64, equal shapes). The result has a new first axis of size 2: the real
    parts, then the imaginary parts."""
    return _apply(182, re, im)  # type: ignore[no-any-return]


def full(value: Array, /, dims: Size | Sequence[Size] | None) -> Tensor:
    """Makes an array whose elements all equal `value`, a node of rank 0."""
    return _apply(183, value, dims)  # type: ignore[no-any-return]


def arange(dtype: DTypeLike, stop: Size, start: Size = 0, step: int = 1) -> Tensor:
    """Makes the numbers start, start + step, ... before stop (step < 0: down to but not including stop).
    Sizes may be symbolic."""
    return _apply(184, dtype, start, stop, step)  # type: ignore[no-any-return]


def linspace(dtype: DTypeLike, start: float, stop: float, count: Size) -> Tensor:
    """Makes `count` equally spaced numbers from start to stop, both included. dtype: float."""
    return _apply(185, dtype, start, stop, count)  # type: ignore[no-any-return]


def eye(dtype: DTypeLike, rows: Size, columns: Size) -> Tensor:
    """Makes a matrix with 1 on the diagonal and 0 elsewhere."""
    return _apply(186, dtype, rows, columns)  # type: ignore[no-any-return]


def tril(x: Array, /, k: int = 0) -> Tensor:
    """tril keeps the elements of the last two axes on and below the k-th diagonal, triu those on and above
    it; the rest is 0."""
    return _apply(187, x, k)  # type: ignore[no-any-return]


def triu(x: Array, /, k: int = 0) -> Tensor:
    """tril keeps the elements of the last two axes on and below the k-th diagonal, triu those on and above
    it; the rest is 0."""
    return _apply(188, x, k)  # type: ignore[no-any-return]


def one_hot(indices: Array, /, depth: Size, dtype: DTypeLike = 'float32') -> Tensor:
    """Adds a last axis of size `depth` that is 1 at the position of the index and 0 elsewhere. indices: int."""
    return _apply(189, indices, depth, dtype)  # type: ignore[no-any-return]


def random_bits(
    key: Array, /, dtype: DTypeLike, dims: Size | Sequence[Size] | None, counter: Array | None = None,
) -> Tensor:
    """Uniform over all values of the dtype: u8, u16, u32 or u64. The numbers of dtype u64 can serve as new
    keys."""
    return _apply(190, key, counter, dtype, dims)  # type: ignore[no-any-return]


def random_uniform(
    key: Array, /, dtype: DTypeLike, dims: Size | Sequence[Size] | None, counter: Array | None = None,
) -> Tensor:
    """Uniform over the multiples of 2^-24 in [0, 1) (f64: 2^-53, f16: 2^-11, bf16: 2^-8). dtype: float."""
    return _apply(191, key, counter, dtype, dims)  # type: ignore[no-any-return]


def random_normal(
    key: Array, /, dtype: DTypeLike, dims: Size | Sequence[Size] | None, counter: Array | None = None,
) -> Tensor:
    """Normal distribution with mean 0 and variance 1, by the Box-Muller method; absolute values are at most
    6.8 (f64: 9.5). dtype: float."""
    return _apply(192, key, counter, dtype, dims)  # type: ignore[no-any-return]


def matmul(a: Array, b: Array, /) -> Tensor:
    """The matrix product: [..., m, k] and [..., k, n] give [..., m, n]; the leading axes broadcast. An array
    of one axis is a row on the left and a column on the right; the result does not have that axis. Scalars
    are an error."""
    return _apply(193, a, b)  # type: ignore[no-any-return]


def batch_matmul(a: Array, b: Array, /) -> Tensor:
    """As matmul, but both operands must have at least two axes."""
    return _apply(194, a, b)  # type: ignore[no-any-return]


def dot(a: Array, b: Array, /) -> Tensor:
    """numpy.dot: contracts the last axis of a with the second to last axis of b (or its only axis). The
    result has the other axes of a, then those of b. If an operand is a scalar, dot multiplies elementwise."""
    return _apply(195, a, b)  # type: ignore[no-any-return]


def vecdot(a: Array, b: Array, /, axis: int | None = -1) -> Tensor:
    """The dot product along the same axis of both operands. The axis must be -1 unless the ranks are equal;
    the other axes broadcast."""
    return _apply(196, a, b, axis)  # type: ignore[no-any-return]


def cross(a: Array, b: Array, /, axis: int | None = -1) -> Tensor:
    """The cross product of vectors of 3 elements along the same axis of both operands, counted from the end
    if the ranks differ. The other axes broadcast."""
    return _apply(197, a, b, axis)  # type: ignore[no-any-return]


def tensordot(a: Array, b: Array, /, a_axes: int | Sequence[int] | None, b_axes: int | Sequence[int] | None) -> Tensor:
    """Contracts axis a_axes[i] of a with axis b_axes[i] of b, for n_axes pairs. The result has the other axes
    of a, then those of b."""
    return _apply(198, a, b, a_axes, b_axes)  # type: ignore[no-any-return]


def outer(a: Array, b: Array, /) -> Tensor:
    """Multiplies every element of a with every element of b. The result's shape is the shape of a, then that
    of b."""
    return _apply(199, a, b)  # type: ignore[no-any-return]


def trace(x: Array, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The sum of a diagonal, see diagonal."""
    return _apply(200, x, offset, axis1, axis2)  # type: ignore[no-any-return]


def einsum(spec: str | None, nodes: Sequence[Array]) -> Tensor:
    """numpy.einsum. spec has a term for each of the n arrays, separated by commas, with a letter for each
    axis; the letters after "->" are the axes of the result ("bij,bjk->bik"). Letters that are not in the
    result are summed. A letter that appears twice in one term selects a diagonal. "..." stands for axes that
    broadcast. Without "->" the result has "..." and the letters that appear once, in alphabetical order.
    Arrays are contracted two at a time: in the order with the fewest multiplications if all sizes are plain
    numbers, else from left to right. An InvalidArgumentError: spec is malformed or has another number of
    terms than n. A ShapeError: spec does not fit the arrays."""
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
    """conv1d, conv2d and conv3d: convolution. weight is [out, channels / groups, kernel ...]: the channels
    form `groups` equal groups, and each group of x is convolved into an equal share of the out channels. bias
    is [out] or None. The result is [batch, out, space ...]. A space axis of the result has (size + padding -
    dilation * (kernel - 1) - 1) / stride + 1 elements, where padding is the sum of both ends."""
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
    """conv1d, conv2d and conv3d: convolution. weight is [out, channels / groups, kernel ...]: the channels
    form `groups` equal groups, and each group of x is convolved into an equal share of the out channels. bias
    is [out] or None. The result is [batch, out, space ...]. A space axis of the result has (size + padding -
    dilation * (kernel - 1) - 1) / stride + 1 elements, where padding is the sum of both ends."""
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
    """conv1d, conv2d and conv3d: convolution. weight is [out, channels / groups, kernel ...]: the channels
    form `groups` equal groups, and each group of x is convolved into an equal share of the out channels. bias
    is [out] or None. The result is [batch, out, space ...]. A space axis of the result has (size + padding -
    dilation * (kernel - 1) - 1) / stride + 1 elements, where padding is the sum of both ends."""
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
    """conv_transpose1d, conv_transpose2d and conv_transpose3d: transposed convolution. The product of x[i]
    and weight[k] is added to the result at position i * stride + k * dilation - padding before the axis.
    weight is [channels, out / groups, kernel ...], bias is [out] or None. Along an axis the result has (size
    - 1) * stride + dilation * (kernel - 1) + 1 + output_padding - padding elements, where padding is the sum
    of both ends. output_padding, 0 by default, is less than the stride or the dilation."""
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
    """conv_transpose1d, conv_transpose2d and conv_transpose3d: transposed convolution. The product of x[i]
    and weight[k] is added to the result at position i * stride + k * dilation - padding before the axis.
    weight is [channels, out / groups, kernel ...], bias is [out] or None. Along an axis the result has (size
    - 1) * stride + dilation * (kernel - 1) + 1 + output_padding - padding elements, where padding is the sum
    of both ends. output_padding, 0 by default, is less than the stride or the dilation."""
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
    """conv_transpose1d, conv_transpose2d and conv_transpose3d: transposed convolution. The product of x[i]
    and weight[k] is added to the result at position i * stride + k * dilation - padding before the axis.
    weight is [channels, out / groups, kernel ...], bias is [out] or None. Along an axis the result has (size
    - 1) * stride + dilation * (kernel - 1) + 1 + output_padding - padding elements, where padding is the sum
    of both ends. output_padding, 0 by default, is less than the stride or the dilation."""
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
    """The greatest element of each window; not complex. Padding is never chosen. options None: the defaults."""
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
    """The mean of each window; NaN if no element of the window counts. options None: the defaults. x: float."""
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
    """Writes max_pool to *values. *indices (i64) receives the index of each maximum in the flattened plane of
    the last n_axes axes of x: of equal elements the first, and the first NaN if there is one."""
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
    """Inverts max_pool_with_indices: makes planes of zeros and writes each element of x at its index; any
    dtype. indices are integers in x's shape. If two elements have the same index, the later one wins.
    output_size has n_output_size numbers, the sizes of a plane. n_output_size is n_axes, or 0 for the
    smallest plane that has these windows, (size of x - 1) * stride - padding + window. Indices follow the
    rules of "Indexing with arrays": a negative index counts from the end. dilation and ceil_mode are ignored."""
    return _apply(211, x, indices, size, stride, padding, dilation, ceil_mode, count_include_pad, output_size)  # type: ignore[no-any-return]


def layer_norm(
    x: Array,
    /,
    axes: int | Sequence[int] | None = -1,
    weight: Array | None = None,
    bias: Array | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias, with mean and variance over the axes. weight and bias
    have the sizes of these axes, in ascending order, or are None."""
    return _apply(212, x, axes, weight, bias, eps)  # type: ignore[no-any-return]


def rms_norm(
    x: Array,
    /,
    axes: int | Sequence[int] | None = -1,
    weight: Array | None = None,
    bias: Array | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """x / sqrt(mean(x * x) + eps) * weight + bias, with the mean over the axes. weight and bias are as in
    layer_norm."""
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
    """(x - mean) / sqrt(var + eps) * weight + bias for each channel; channels lie along `axis` (1 in [batch,
    channels, space ...]). mean and var have one number for each channel; if both are None, they are those of
    x over all other axes. weight and bias have one number for each channel, or are None."""
    return _apply(214, x, mean, var, weight, bias, axis, eps)  # type: ignore[no-any-return]


def group_norm(
    x: Array, /, num_groups: int, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-05,
) -> Tensor:
    """group_norm and instance_norm normalise as batch_norm does, but each array of the batch by itself.
    group_norm takes mean and variance over each of num_groups equal groups of channels and their space axes,
    instance_norm over the space axes of each channel. x is [batch, channels, space ...]."""
    return _apply(215, x, num_groups, weight, bias, eps)  # type: ignore[no-any-return]


def instance_norm(x: Array, /, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-05) -> Tensor:
    """group_norm and instance_norm normalise as batch_norm does, but each array of the batch by itself.
    group_norm takes mean and variance over each of num_groups equal groups of channels and their space axes,
    instance_norm over the space axes of each channel. x is [batch, channels, space ...]."""
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
    axes, [..., length, features]; the leading axes broadcast. mask: None, bool (true takes part), or floats
    that are added to the scores; it broadcasts to [..., query length, key length]. is_causal 1: query i
    attends to the keys 0 to i. scale None: 1 / sqrt(features). enable_gqa 1 (grouped-query attention): the
    third to last axis counts heads, and each head of key and value serves an equal number of consecutive
    query heads. A query that attends to no key gives 0."""
    return _apply(217, query, key, value, mask, is_causal, scale, enable_gqa)  # type: ignore[no-any-return]


def huber_loss(x: Array, target: Array, /, delta: float = 1.0, reduction: str | None = 'mean') -> Tensor:
    """The Huber loss: half the squared distance up to delta, and delta * (distance - delta / 2) beyond it.
    reduction as in mse_loss."""
    return _apply(218, x, target, delta, reduction)  # type: ignore[no-any-return]


def binary_cross_entropy(
    x: Array, target: Array, /, weight: Array | None = None, reduction: str | None = 'mean',
) -> Tensor:
    """binary_cross_entropy returns -(target * log(x) + (1 - target) * log(1 - x)) for probabilities x, with
    logarithms clamped to at least -100. binary_cross_entropy_with_logits returns the same for sigmoid(x)
    without its rounding error; if pos_weight is given, target is multiplied by it. weight and pos_weight:
    None, or floats that broadcast to x. Where a logarithm is clamped, it contributes 0 to the gradient (with
    respect to x): for a target of 1 the gradient at x = 0 is 0, and for a target of 0 that at x = 1.
    reduction as in mse_loss."""
    return _apply(219, x, target, weight, reduction)  # type: ignore[no-any-return]


def binary_cross_entropy_with_logits(
    x: Array,
    target: Array,
    /,
    weight: Array | None = None,
    pos_weight: Array | None = None,
    reduction: str | None = 'mean',
) -> Tensor:
    """binary_cross_entropy returns -(target * log(x) + (1 - target) * log(1 - x)) for probabilities x, with
    logarithms clamped to at least -100. binary_cross_entropy_with_logits returns the same for sigmoid(x)
    without its rounding error; if pos_weight is given, target is multiplied by it. weight and pos_weight:
    None, or floats that broadcast to x. Where a logarithm is clamped, it contributes 0 to the gradient (with
    respect to x): for a target of 1 the gradient at x = 0 is 0, and for a target of 0 that at x = 1.
    reduction as in mse_loss."""
    return _apply(220, x, target, weight, pos_weight, reduction)  # type: ignore[no-any-return]


def mse_loss(x: Array, target: Array, /, reduction: str | None = 'mean') -> Tensor:
    """The squared error (x - target)^2. reduction: None or "mean", "sum", or "none" (the array of losses)."""
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
    """-log(softmax(x)) of the target, along the axis of classes (None: axis 1, or axis 0 if x has one axis).
    target: class numbers as integers, in x's shape without that axis (a number that is no class gives a loss
    of NaN), or class probabilities as floats in x's shape. weight: None, or a number for each class that
    multiplies its losses. ignore_index: losses of this class number are 0; None ignores no class.
    label_smoothing: this share of the target, 0 to 1, is distributed over all classes. reduction as in
    mse_loss; a mean over class numbers is divided by the sum of the weights of the targets that are not
    ignored."""
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
    """cross_entropy for log-probabilities: -x of the target's class. target: class numbers as integers."""
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
    """Reduces the values of an expression over n_axes axes (None: all). op: "sum", "prod", "max" or "min"."""
    return _apply(225, nodes, expr, op, axes, keepdims)  # type: ignore[no-any-return]


def custom_cumulative(
    nodes: Sequence[Array],
    expr: str | None,
    op: str | None,
    axis: int | None = -1,
    exclusive: bool = False,
    reverse: bool = False,
) -> Tensor:
    """Computes running values of an expression along one axis, or over the flattened array (None), as cumsum,
    cumprod, cummax and cummin do. op: "sum", "prod", "max" or "min". flags: 0 or HARP_SCAN_... joined with |."""
    return _apply(226, nodes, expr, op, axis, exclusive, reverse)  # type: ignore[no-any-return]


def stop_gradient(x: Array, /) -> Tensor:
    """Returns x itself, of any dtype. Gradients treat the result as a constant: nodes on which y depends only
    through it get zeros."""
    return _apply(227, x)  # type: ignore[no-any-return]
