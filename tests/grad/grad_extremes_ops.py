"""Lists the operations of tests/grad/grad_extremes_table.py. Each has its textbook formula, which that script computes with truncated power
series; the tolerance for harp's results; and, if the tolerance is larger than usual, the reason.

`units` is the tolerance in units in the last place, for y and for its first and second derivative. 4, 8 and 16 are the default, because the
formula of a derivative has two to four operations, and differentiating it again gives the formula of the second derivative. `lost` is an
additional absolute tolerance, in the notation of grad_extremes_table.py.
"""
from mpmath import mp, mpf


class Op:
    def __init__(self, text, function, units=(4, 8, 16), lost=("0", "0", "0"), orders=2, holds=lambda x: True, points=None):
        self.text, self.function, self.units, self.lost = text, function, units, lost
        self.orders, self.holds, self.points = orders, holds, points


def exp(s):
    e = mp.exp(s.v)
    return s.through(e, e, e)


def log(s):
    return s.through(mp.log(s.v), 1 / s.v, -1 / s.v**2)


def power(s, k):
    k = mpf(k)
    return s.through(s.v**k, k * s.v ** (k - 1), k * (k - 1) * s.v ** (k - 2))


def sqrt(s):
    return power(s, 0.5)


def cbrt(s):
    third, sign = mpf(1) / 3, mp.sign(s.v)
    size = abs(s.v)
    return s.through(sign * size**third, third * size ** (-2 * third), sign * -2 * third * third * size ** (-5 * third))


def sin(s):
    return s.through(mp.sin(s.v), mp.cos(s.v), -mp.sin(s.v))


def cos(s):
    return s.through(mp.cos(s.v), -mp.sin(s.v), -mp.cos(s.v))


def asin(s):
    return s.through(mp.asin(s.v), 1 / mp.sqrt(1 - s.v**2), s.v / mp.sqrt(1 - s.v**2) ** 3)


def atan(s):
    return s.through(mp.atan(s.v), 1 / (1 + s.v**2), -2 * s.v / (1 + s.v**2) ** 2)


def sinh(s):
    return s.through(mp.sinh(s.v), mp.cosh(s.v), mp.sinh(s.v))


def cosh(s):
    return s.through(mp.cosh(s.v), mp.sinh(s.v), mp.cosh(s.v))


def tanh(s):
    t, slope = mp.tanh(s.v), 1 / mp.cosh(s.v) ** 2
    return s.through(t, slope, -2 * t * slope)


def asinh(s):
    size = mp.asinh(abs(s.v))
    return s.through(size * mp.sign(s.v), 1 / mp.sqrt(s.v**2 + 1), -s.v / mp.sqrt(s.v**2 + 1) ** 3)


def acosh(s):
    return s.through(mp.acosh(s.v), 1 / mp.sqrt(s.v**2 - 1), -s.v / mp.sqrt(s.v**2 - 1) ** 3)


def atanh(s):
    return s.through(mp.atanh(s.v), 1 / (1 - s.v**2), 2 * s.v / (1 - s.v**2) ** 2)


def bell(x):
    return 2 / mp.sqrt(mp.pi) * mp.exp(-(x**2))


def erf(s):
    far = abs(s.v) > 1000
    return s.through(mp.sign(s.v) if far else mp.erf(s.v), bell(s.v), -2 * s.v * bell(s.v))


def erfc(s):
    far = abs(s.v) > 1000  # for these arguments erfc is 0 or 2 to all digits
    return s.through((2 if s.v < 0 else 0) if far else mp.erfc(s.v), -bell(s.v), 2 * s.v * bell(s.v))


def absolute(s):
    return s * mp.sign(s.v)  # at 0 the derivative is defined as 0


def sigmoid(s):
    return 1 / (1 + exp(-s))


def expm1(s):
    return exp(s) - 1


def below(s, alpha, scale=1, inner=1):
    """Computes elu, selu and celu: scale·s for s > 0, and scale·alpha·(exp(s/inner) - 1) for s <= 0."""
    return (s if s.v > 0 else expm1(s / inner) * alpha) * scale


def gelu_tanh(s):
    return s * 0.5 * (1 + tanh((s + s * s * s * mpf("0.044715")) * mp.sqrt(2 / mp.pi)))


def softplus(s):
    return log(1 + exp(s))


def clamped(s, lo, hi):
    """Clamps s to lo ... hi. The gradient is 0 outside of the bounds and at the bounds, as in PyTorch."""
    return s if lo < s.v < hi else s * 0 + min(max(s.v, lo), hi)


def hard_gate(s):
    return clamped(s + 3, 0, 6) / 6


def softsign(s):
    return s / (1 + absolute(s))


def bounded_log(s):
    """Returns log(s) or, where that is not greater than -100, the constant -100, whose derivative is 0."""
    return log(s) if s.v > 0 and mp.log(s.v) > -100 else s * 0 - 100


def huber(s, target, delta):
    d = s - target
    return d * d / 2 if abs(d.v) <= delta else (absolute(d) - mpf(delta) / 2) * delta


def chosen(s, c, greater):
    """Returns the maximum or minimum of s and c. If s and c are equal, each gets half of the gradient."""
    if s.v == c:
        return s * 0.5 + mpf(c) / 2
    return s if (s.v > c) == greater else s * 0 + c


def clip(s):
    return s if -1 <= s.v <= 1 else s * 0 + mp.sign(s.v)


def root_above_zero(s):
    return sqrt(s) if s.v > 0 else s * 0


def stopped_square(s):
    return s * s.v


def total(xs):
    return sum(xs[1:], xs[0])


def largest(xs):
    return max(x.v for x in xs)


def softmax(xs):
    e = [exp(x - largest(xs)) for x in xs]
    scale = 1 / total(e)
    return [x * scale for x in e]


def logsumexp(xs):
    return log(total([exp(x - largest(xs)) for x in xs])) + largest(xs)


def log_softmax(xs):
    shift = logsumexp(xs)
    return [x - shift for x in xs]


def logcumsumexp(xs):
    return [logsumexp(xs[: i + 1]) for i in range(len(xs))]


def running(xs, is_newer):
    """Returns the running maximum or minimum. For each position this is the last of the elements up to there that equal the extreme."""
    found = [xs[0]]
    for x in xs[1:]:
        found.append(x if is_newer(x.v, found[-1].v) else found[-1])
    return found


def smoothed(xs, weights, target, smoothing):
    p = log_softmax(xs)
    all_classes = total([x * (-w) for x, w in zip(p, weights)]) / len(xs)
    return p[target] * (-weights[target]) * (1 - smoothing) + all_classes * smoothing


def attention(xs, is_causal):
    """Computes attention in which queries, keys and values are the same rows, with one feature each."""
    result = []
    for i, x in enumerate(xs):
        seen = xs[: i + 1] if is_causal else xs
        result.append(total([weight * y for weight, y in zip(softmax([x * y for y in seen]), seen)]))
    return result


def norm(p):
    def function(xs):
        s = total([x * x if p == 2 else power(absolute(x), p) for x in xs])
        return power(s, mpf(1) / p) if s.v != 0 else s * 0

    return function


def mean(xs):
    return total(xs) / len(xs)


def var(xs):
    m = mean(xs)
    return mean([(x - m) * (x - m) for x in xs])


def std(xs):
    v = var(xs)
    return sqrt(v) if v.v != 0 else v * 0


def normalised(xs, centred):
    xs = [x - mean(xs) for x in xs] if centred else xs
    scale = 1 / sqrt(mean([x * x for x in xs]) + mpf("1e-5"))
    return [x * scale for x in xs]


def prod(xs):
    result = xs[0]
    for x in xs[1:]:
        result = result * x
    return result


def cumprod(xs):
    return [prod(xs[: i + 1]) for i in range(len(xs))]


def greatest(xs):
    ties = [x for x in xs if x.v == largest(xs)]
    return total(ties) / len(ties)


def mse(xs):
    return mean([(x - 1) * (x - 1) for x in xs])


def inside(x):
    return abs(x) < 1


def positive(x):
    return x > 0


def scalar_ops(Series):
    underflows = ("0", "0", "tiny**0.75")  # 1 / (1 + x²)² underflows where 2x / (1 + x²)² does not
    cancels = ("0", "0", "4*eps")  # -2x is computed as a difference of 1 - x and 1 + x, which cancel
    squares = (4, 320, 640)  # for exp(-x²): an error of half a unit in x² becomes x² units in the result, 289 at x = 17
    yield Op("neg(x)", lambda s: -s, orders=1)
    yield Op("recip(x)", lambda s: 1 / s)
    yield Op("abs(x)", absolute)
    yield Op("square(x)", lambda s: s * s)
    yield Op("fma(x, x, 1)", lambda s: s * s + 1)
    yield Op("sqrt(x)", sqrt, holds=positive)
    yield Op("rsqrt(x)", lambda s: power(s, -0.5), units=(4, 8, 24), holds=positive)
    yield Op("cbrt(x)", cbrt, holds=lambda x: x != 0)
    yield Op("exp(x)", exp)
    yield Op("exp2(x)", lambda s: exp(s * mp.log(2)))
    yield Op("expm1(x)", expm1)
    yield Op("log(x)", log, holds=positive)
    yield Op("log2(x)", lambda s: log(s) / mp.log(2), holds=positive)
    yield Op("log10(x)", lambda s: log(s) / mp.log(10), holds=positive)
    yield Op("log1p(x)", lambda s: log(1 + s), holds=lambda x: x > -1)
    yield Op("sin(x)", sin)
    yield Op("cos(x)", cos)
    yield Op("tan(x)", lambda s: sin(s) / cos(s))
    yield Op("asin(x)", asin, lost=cancels, holds=inside)
    yield Op("acos(x)", lambda s: mp.pi / 2 - asin(s), lost=cancels, holds=inside)
    yield Op("atan(x)", atan, lost=underflows)
    yield Op("sinh(x)", sinh)
    yield Op("cosh(x)", cosh)
    yield Op("tanh(x)", tanh, lost=("0", "eps", "4*eps"))  # the derivative 1 - tanh(x)² is computed from the rounded value of tanh(x)
    yield Op("asinh(x)", asinh)
    yield Op("acosh(x)", acosh, holds=lambda x: x > 1)
    yield Op("atanh(x)", atanh, lost=cancels, holds=inside)
    yield Op("erf(x)", erf, units=squares)
    yield Op("erfc(x)", erfc, units=squares)
    for k in ("2", "3", "-2", "0.5", "1"):
        yield Op(f"pow(x, {k})", lambda s, k=k: power(s, k), holds=positive if k == "0.5" else lambda x: True)
    yield Op("pow(x, 0)", lambda s: s * 0 + 1)
    yield Op("pow(2, x)", lambda s: exp(s * mp.log(2)))
    yield Op("pow(0.5, x)", lambda s: exp(s * -mp.log(2)))
    for k in (1, -1, -2, -5, 13):
        yield Op(f"powi(x, {k})", lambda s, k=k: power(s, k), units=(12, 24, 48), orders=1 if k == 1 else 2)
    yield Op("x / 3", lambda s: s / 3, orders=1)
    yield Op("3 / x", lambda s: 3 / s)
    yield Op("hypot(x, 3)", lambda s: sqrt(s * s + 9), units=(4, 8, 32), lost=("0", "0", "eps"))
    yield Op("atan2(x, 3)", lambda s: atan(s / 3), units=(4, 8, 32), lost=underflows)
    yield Op("atan2(3, x)", lambda s: mp.pi / 2 - atan(s / 3), units=(4, 8, 32), lost=underflows)
    yield Op("maximum(x, 1)", lambda s: chosen(s, 1, True), orders=1)
    yield Op("minimum(x, 1)", lambda s: chosen(s, 1, False), orders=1)
    yield Op("copysign(x, -1)", lambda s: -absolute(s))
    yield Op("remainder(x, 3)", lambda s: s - 3 * mp.floor(s.v / 3), orders=1)
    yield Op("fmod(x, 3)", lambda s: s - 3 * mp.sign(s.v) * mp.floor(abs(s.v) / 3), orders=1)
    # at x = -1 terms of size 1 cancel, and the result is 0
    yield Op("lerp(x, 3, 0.25)", lambda s: s + (3 - s) * 0.25, lost=("eps", "0", "0"), orders=1)
    yield Op("lerp(1, 3, x)", lambda s: 1 + s * 2, orders=1)
    yield Op("where(x > 0, sqrt(where(x > 0, x, 1)), 0)", root_above_zero)
    yield Op("stop_gradient(x) * x", stopped_square)
    yield from activations()


def activations():
    selu = dict(alpha=mpf("1.6732632423543772848170429916717"), scale=mpf("1.0507009873554804934193349852946"))
    yield Op("sigmoid(x)", sigmoid, lost=("0", "0", "eps"))  # the second derivative is computed as a difference, whose terms cancel at 0

    # at the minimum of the function, the two terms of the derivative cancel
    yield Op("silu(x)", lambda s: s * sigmoid(s), lost=("0", "eps", "4*eps"))
    yield Op("softplus(x)", lambda s: log(1 + exp(s)))
    yield Op("relu(x)", lambda s: s if s.v > 0 else s * 0, orders=1)
    yield Op("elu(x, alpha=0.5)", lambda s: below(s, 0.5))
    yield Op("selu(x)", lambda s: below(s, **selu))
    yield Op("celu(x, alpha=0.5)", lambda s: below(s, 0.5, inner=0.5))
    # 1 + erf and 1 + tanh cancel for negative x. The remainder has an error of eps, which is multiplied by x and by the other factors.
    yield Op("gelu(x)", lambda s: s * 0.5 * (1 + erf(s / mp.sqrt(2))), lost=("16*eps", "16*eps", "16*eps"))
    yield Op('gelu(x, approximate="tanh")', gelu_tanh, lost=("16*eps", "64*eps", "1024*eps"))
    yield Op("clip(x, -1, 1)", clip, orders=1)
    yield Op("relu6(x)", lambda s: clamped(s, 0, 6), orders=1)
    yield Op("hardtanh(x, min_val=-2, max_val=0.5)", lambda s: clamped(s, -2, mpf(0.5)), orders=1)
    yield Op("leaky_relu(x, negative_slope=0.25)", lambda s: s if s.v > 0 else s * 0.25, orders=1)
    yield Op("hardsigmoid(x)", hard_gate, orders=1)
    yield Op("hardswish(x)", lambda s: s * hard_gate(s))
    # as for tanh(x), the derivative is computed from a rounded tanh
    yield Op("mish(x)", lambda s: s * tanh(softplus(s)), lost=("0", "eps", "16*eps"))
    # the derivative is the difference of 1 / (1 + |x|) and |x| / (1 + |x|)², which cancel
    yield Op("softsign(x)", softsign, lost=("0", "eps", "4*eps"))
    yield Op("logsigmoid(x)", lambda s: -softplus(-s))
    yield Op("logaddexp(x, 1)", lambda s: log(exp(s) + mp.e))
    # the derivatives with respect to the two operands cancel
    yield Op("logaddexp(x, neg(x))", lambda s: log(exp(s) + exp(-s)), lost=("0", "2*eps", "4*eps"))
    yield from losses()


def losses():
    """Losses of a single element, because the loss of several elements is just a sum."""
    none = 'reduction="none"'
    within = lambda x: 0 <= x <= 1  # noqa: E731
    yield Op(f"huber_loss(x, 1, delta=0.5, {none})", lambda s: huber(s, 1, mpf(0.5)))
    yield Op(f"binary_cross_entropy(x, 1, {none})", lambda s: -bounded_log(s), holds=within)
    yield Op(f"binary_cross_entropy(x, 0.25, {none})", lambda s: (bounded_log(s) + bounded_log(1 - s) * 3) / -4, holds=within)
    # near x = -1.1 the derivative is 0, because its terms cancel
    yield Op(f"binary_cross_entropy_with_logits(x, 0.25, {none})", lambda s: s * 0.75 + softplus(-s), lost=("0", "eps", "eps"))
    yield Op(f"binary_cross_entropy_with_logits(x, 1, pos_weight=3, {none})", lambda s: softplus(-s) * 3)


def vector_ops():
    far, tiny = 2.0**126, 2.0**-126
    spread = [[0, 0, 0], [1, 1, 1, 1], [0.5, -2, 3], [100, -100, 0], [-89, -89, -90], [30000, -30000, 1], [far, -far, 0], [-far, -far, -far],
              [tiny, 0, -tiny]]  # fmt: skip
    lengths = [[0, 0, 0], [3, 3, 3], [3, -4, 0, 0], [2.0**-6, 2.0**-6], [2.0**-50, -(2.0**-51)], [2.0**60, 2.0**59, 0], [100, -100, 1]]
    yield Op("softmax(x)", softmax, lost=("0", "8*eps", "16*eps"), points=spread)
    yield Op("log_softmax(x)", log_softmax, lost=("0", "8*eps", "16*eps"), points=spread)
    yield Op("logsumexp(x)", logsumexp, lost=("0", "0", "16*eps"), points=spread)
    yield Op('cross_entropy(x, i32(1), reduction="none")', lambda xs: logsumexp(xs) - xs[1], lost=("0", "8*eps", "16*eps"), points=spread)
    # The derivative of a result y with respect to an element x is exp(x - y), where y is rounded. If all elements are large and equal, the
    # derivative has no correct digit.
    shares = dict(lost=("0", "256*eps", "512*eps"), points=[xs for xs in spread if xs != [-far, -far, -far]])
    yield Op("logcumsumexp(x)", logcumsumexp, **shares)
    yield Op("logcumsumexp(x, reverse=true)", lambda xs: logcumsumexp(xs[::-1])[::-1], **shares)
    yield Op('nll_loss(x, i32(1), reduction="none")', lambda xs: -xs[1], orders=1, points=spread)
    yield Op('cross_entropy(x, i32(1), weight=constant_array([1, 2, 0.5], dtype=DTYPE), label_smoothing=0.25, reduction="none")',
             lambda xs: smoothed(xs, [1, 2, mpf(0.5)], 1, mpf(0.25)), lost=("0", "8*eps", "16*eps"), points=[xs for xs in spread if len(xs) == 3 and far not in map(abs, xs)])  # fmt: skip
    rows = "reshape(x, shape=[-1, 1])"
    few = [[0, 0, 0], [1, 1, 1, 1], [0.5, -2, 3], [9, -9, 1], [100, -100, 1], [2.0**-30, -1, 2.0**-30]]
    for flag, is_causal in ("false", False), ("true", True):
        yield Op(f"reshape(scaled_dot_product_attention({rows}, {rows}, {rows}, is_causal={flag}), shape=[-1])",
                 lambda xs, c=is_causal: attention(xs, c), lost=("eps", "256*eps", "4096*eps"), points=few)  # fmt: skip
    yield Op("cummax(x)", lambda xs: running(xs, lambda x, y: x >= y), orders=1, points=spread)
    yield Op("cummin(x)", lambda xs: running(xs, lambda x, y: x <= y), orders=1, points=spread)
    yield Op("max(x)", greatest, orders=1, points=spread)
    yield Op("norm(x)", norm(2), units=(4, 8, 32), points=lengths)
    yield Op("norm(x, ord=1)", lambda xs: total([absolute(x) for x in xs]), points=lengths)
    yield Op("norm(x, ord=3)", norm(3), units=(16, 32, 128), points=[[0, 0, 0], [3, 3, 3], [3, -4, 0, 0], [2.0**-6, 2.0**-6], [100, -100, 1]])
    yield Op("norm(x, ord=1.5)", norm(1.5), units=(16, 32, 128), points=[[3, 3, 3], [3, -4, 1], [2.0**-6, 2.0**-6], [100, -100, 1]])
    yield Op("std(x)", std, units=(8, 16, 64), lost=("0", "0", "eps"), points=[[0, 0], [3, 3, 3], [100, 100], [1, 2, 4, 8], [-89, 88], [2.0**-50, -(2.0**-50)], [2.0**60, 0]])
    yield Op("var(x)", var, units=(8, 16, 32), points=[[0, 0], [3, 3, 3], [1, 2, 4, 8], [-89, 88], [2.0**-50, -(2.0**-50)], [2.0**60, 0]])
    yield Op("mean(x)", mean, orders=1, points=[[3, 3, 3], [2.0**125, 2.0**125], [2.0**-140, 0]])
    yield Op("layer_norm(x)", lambda xs: normalised(xs, True), units=(16, 32, 128), lost=("0", "16*eps", "64*eps"), points=[[3, 3, 3, 3], [1, 2, 4, 8], [-89, 88], [0, 0]])
    quads = [[3, 3, 3, 3], [1, 2, 4, 8], [-89, 88, 0, 0], [0, 0, 0, 0], [30000, -30000, 1, 2]]
    channels = dict(units=(16, 32, 128), lost=("0", "16*eps", "64*eps"), points=quads)
    yield Op(f"reshape(batch_norm({rows}), shape=[-1])", lambda xs: normalised(xs, True), **channels)
    yield Op("reshape(group_norm(reshape(x, shape=[1, 4]), 2), shape=[-1])",
             lambda xs: normalised(xs[:2], True) + normalised(xs[2:], True), **channels)  # fmt: skip
    yield Op("reshape(instance_norm(reshape(x, shape=[1, 1, -1])), shape=[-1])", lambda xs: normalised(xs, True), **channels)
    yield Op('interpolate(x, size=[3], mode="linear")', lambda xs: [xs[0], (xs[0] + xs[1]) / 2, xs[1]],
             orders=1, points=[[1, 2], [100, -100], [2.0**126, -(2.0**126)], [2.0**-126, 0]])  # fmt: skip
    yield Op("diff(x, n=2)", lambda xs: [xs[2] - 2 * xs[1] + xs[0]], orders=1, points=[[1, 2, 4], [2.0**126, 0, -(2.0**126)], [0, 0, 0]])
    yield Op("rms_norm(x)", lambda xs: normalised(xs, False), units=(16, 32, 128), lost=("0", "16*eps", "64*eps"), points=[[0, 0], [3, 3], [100, -100, 1]])
    # The second derivative of a product is computed by dividing by two factors. If the factors have very different sizes, the result has no
    # correct digit.
    yield Op("prod(x)", prod, points=[[2, 3, 0.5], [2, 0, 3], [0, 0, 3], [0, 0, 0], [16, 2.0**-4, 2]])
    yield Op("cumprod(x)", cumprod, points=[[2, 3, 0.5], [2, 0, 3], [0, 0, 3], [16, 2.0**-4, 2]])
    yield Op('mse_loss(x, full(shape=[3], value=1, dtype=DTYPE))', mse, lost=("0", "0", "0"), points=[[1, 1, 1], [0, 3, -2], [2.0**60, 0, 1]])


def all_ops(Series):
    yield from scalar_ops(Series)
    yield from vector_ops()
