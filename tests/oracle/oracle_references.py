"""The cases of tests/oracle/oracle_test.py: what each operation of harp must give, according to NumPy.

A case has an expression of the text format over the inputs of its group, the expected array, and the tolerance: EXACT (the same bits; all
NaNs are equal), Ulps(k) (k units in the last place of the exact value), or Within(bound) (absolute, an array). The expected values of
functions are computed in extended precision, so their own error does not matter. Where NumPy differs from docs/semantics.md or leaves the
result open (shifts beyond the width, casts that overflow, zeros in maximum), the reference computes what docs/semantics.md says.

Arrays of f16 and bf16 are float32 here (oracle_half.py): operations compute in float32 and round where harp does. The expected arrays of a
group whose `half` is set are rounded once more when they are compared.
"""
import collections
import math
from fractions import Fraction

import numpy as np

from oracle_half import FORMATS, PLAIN, Half, every_value, place, rounded

NARROW_INTS = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16}
DTYPES = {"bool": np.bool_, **NARROW_INTS, "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64, "f32": np.float32,
          "f64": np.float64}
COMPLEX = {"complex64": np.complex64, "complex128": np.complex128}
HALVES = tuple(FORMATS)
INTS, FLOATS = tuple(name for name, kind in DTYPES.items() if np.dtype(kind).kind in "iu"), ("f32", "f64", *HALVES)
KINDS = {**DTYPES, **{half: np.float32 for half in HALVES}}  # for each dtype, the NumPy dtype in which its values are stored here
WIDE = np.longdouble

EXACT = "exact"
Ulps = collections.namedtuple("Ulps", "count")
Within = collections.namedtuple("Within", "bound")
Case = collections.namedtuple("Case", "text expected nearness")
# inputs: name -> array; shapes: name -> shape in the text format, if it differs from the array's; sizes: variable -> value; half: the
# 16-bit dtype that the group's arrays of float32 represent (None: they are real float32)
Group = collections.namedtuple("Group", "name inputs shapes sizes flags cases half", defaults=(None,))


def half_of(dtype):
    return dtype if dtype in HALVES else None


def epsilon(dtype):
    """Returns the epsilon of the arithmetic that harp uses for this dtype."""
    return np.finfo(KINDS[dtype]).eps


def within(dtype, expected, bound):
    """Returns the tolerance `bound`. For 16-bit floats the error of the last rounding is added to it."""
    return Within(bound + PLAIN[dtype] * np.ldexp(1.0, place(dtype, expected)) if dtype in HALVES else bound)


def ulps(dtype, expected, count):
    return within(dtype, expected, count * epsilon(dtype) * np.abs(expected)) if dtype in HALVES else Ulps(count)


def store(dtype, x):
    """Converts x to this dtype. For a 16-bit float, the result is an array of float32 with rounded values."""
    return rounded(dtype, x) if dtype in HALVES else x.astype(KINDS[dtype])


def small(random, dtype, *shape, low=-9, high=10):
    """Returns whole numbers that every dtype can represent. For unsigned dtypes they begin at 0."""
    shift = low if dtype[0] == "u" else 0
    return random.integers(low - shift, high - shift, shape).astype(KINDS[dtype])


# ---------------------------------------------------------------------------------------------------------------- inputs

def values(dtype, count, seed):
    """Returns an array with special values, random bit patterns and ordinary numbers."""
    random = np.random.default_rng(seed)
    if dtype == "bool":
        return random.integers(0, 2, count).astype(np.bool_)
    kind = KINDS[dtype]
    if dtype in INTS:
        least, greatest = np.iinfo(kind).min, np.iinfo(kind).max
        special = [0, 1, -1, 2, -2, 3, 7, -7, 10, 31, 32, 33, 63, 64, 65, 100, least, greatest, least + 1, greatest - 1, 16777217]
        special = [(x - least) % (greatest - least + 1) + least for x in special]
        far = random.integers(least, greatest, count, dtype=kind, endpoint=True)
        near = small(random, dtype, count, low=-20, high=20)
    elif dtype in HALVES:
        mantissa, least, greatest = FORMATS[dtype]
        special = [0.0, 1.0, 0.5, 2.0, 3.0, 10.0, 100.5, 1e-3, 0.1, 88.7, 2.5, 1.5, greatest, 2.0**least, 2.0**(least - mantissa), 65504.0,
                   2.0**least * (1 - 2.0**-mantissa), np.inf, np.pi, 1 + 2.0**-mantissa, 1 - 2.0**(-mantissa - 1), 2.0**(mantissa + 1), 255.0]
        special = rounded(dtype, np.array([sign * x for x in special for sign in (1, -1)] + [np.nan]))
        far = random.choice(every_value(dtype).values, count)
        near = rounded(dtype, random.normal(size=count) * 4)
    else:
        limits = np.finfo(kind)
        special = [0.0, 1.0, 0.5, 2.0, 3.0, 10.0, 100.5, 1e-3, 0.1, 1e10, 1e30, 1e-30, limits.max, limits.tiny, limits.smallest_subnormal,
                   np.inf, np.pi, 2.0**31, 2.0**31 - 128, 2.0**63, 2.5, 1.5, 88.7, 709.0, 1 + limits.eps, 0.9999]
        special = [sign * x for x in special for sign in (1, -1)] + [np.nan]
        bits = {4: np.uint32, 8: np.uint64}[limits.bits // 8]
        far = random.integers(0, np.iinfo(bits).max, count, dtype=bits, endpoint=True).view(kind)
        near = (random.normal(size=count) * 4).astype(kind)
    return np.array(special, kind), far, near


def operands(dtype, seed=1):
    """Returns two arrays with every pair of special values, followed by random ones. Their length is no multiple of a vector's."""
    if dtype == "bool":
        return values(dtype, 1003, seed), values(dtype, 1003, seed + 1)
    special, far, near = values(dtype, 1501, seed)
    _, far2, near2 = values(dtype, 1501, seed + 1)
    a = np.concatenate([np.repeat(special, len(special)), far, near])
    b = np.concatenate([np.tile(special, len(special)), far2, near2])
    return a, b


# ----------------------------------------------------------------------------------------------------------- elementwise

def wide(function):
    """Returns a function that computes `function` in extended precision."""
    return lambda *x: function(*[v.astype(WIDE) for v in x])


def by_element(function):
    def over(x):
        return np.array([function(float(v)) for v in x])
    return over


def power(a, b):
    # The x87 powl of glibc returns inf for pow(-inf, -2^63). Infinities need no extended precision, so they are computed in the original
    # dtype.
    return np.where(np.isfinite(a), wide(np.power)(a, b), np.power(a, b))


# name -> (reference, bound in ulp for f32, for f64). The bounds are those of docs/semantics.md; for f64 they are half an ulp more if the
# reference is computed in f64.
FUNCTIONS = {
    "exp": (wide(np.exp), 1.0, 1.5), "exp2": (wide(np.exp2), 1.0, 1.5), "expm1": (wide(np.expm1), 1.0, 1.5),
    "log": (wide(np.log), 1.0, 1.5), "log2": (wide(np.log2), 1.0, 1.5), "log10": (wide(np.log10), 1.0, 1.5),
    "log1p": (wide(np.log1p), 1.0, 1.5), "sin": (wide(np.sin), 1.1, 1.5), "cos": (wide(np.cos), 1.1, 1.5),
    "tan": (wide(np.tan), 1.3, 1.5), "asin": (wide(np.arcsin), 1.3, 1.5), "acos": (wide(np.arccos), 1.3, 1.5),
    "atan": (wide(np.arctan), 1.3, 1.5), "sinh": (wide(np.sinh), 1.3, 1.5), "cosh": (wide(np.cosh), 1.3, 1.5),
    "tanh": (wide(np.tanh), 1.3, 1.5), "asinh": (wide(np.arcsinh), 1.3, 1.5), "acosh": (wide(np.arccosh), 1.3, 1.5),
    "atanh": (wide(np.arctanh), 1.3, 1.5), "cbrt": (wide(np.cbrt), 1.3, 1.5), "erf": (by_element(math.erf), 1.3, 2.5),
    "erfc": (by_element(math.erfc), 1.3, 2.5), "pow": (power, 1.3, 1.5), "atan2": (wide(np.arctan2), 1.3, 1.5),
    "hypot": (wide(np.hypot), 1.3, 1.5),
}


def maximum(a, b):
    if a.dtype.kind != "f":
        return np.maximum(a, b)
    return np.where((a == 0) & (b == 0), a + b, np.maximum(a, b))  # of two zeros the maximum is +0, unless both are -0


def minimum(a, b):
    return -maximum(-a, -b) if a.dtype.kind == "f" else np.minimum(a, b)


def int_pow(a, b):
    if a.dtype.kind == "u":
        return np.power(a, b)
    with_sign = np.where(b % 2 == 0, 1, a)  # a**b for a = 1 and a = -1: it is 1 if b is even, otherwise a
    negative = np.where(np.abs(a) == 1, with_sign, 0)
    return np.where(b < 0, negative, np.power(a, np.where(b < 0, 0, b))).astype(a.dtype)


def quiet(x):
    """Returns x with every NaN made positive."""
    return np.where(np.isnan(x), x.dtype.type(np.nan), x)


def fma_f64(a, b, c):
    def one(x, y, z):
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
            return x * y + z
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        if exact == 0:
            return z + 0.0 if x * y == 0 and (x == 0 or y == 0) and z != 0 else (x * y + z if x == 0 or y == 0 else 0.0)
        try:
            rounded = float(exact)
        except OverflowError:
            rounded = math.inf
        return math.copysign(rounded, -1.0 if exact < 0 else 1.0)
    return np.array([one(float(x), float(y), float(z)) for x, y, z in zip(a, b, c)])


def elementwise_cases(dtype, a, b):
    one = a.dtype.type(1)
    cases = []
    least = 3 if dtype[0] == "u" else -3

    def step(x):
        """Rounds an intermediate result of a composite to the dtype, as harp does before the next operation reads it."""
        return rounded(dtype, x) if dtype in HALVES else x

    def add(text, expected, nearness=EXACT):
        cases.append(Case(text, expected, nearness))

    for name, reference in (("lt", np.less), ("le", np.less_equal), ("eq", np.equal), ("ne", np.not_equal), ("gt", np.greater),
                            ("ge", np.greater_equal)):
        add(f"{name}(a, b)", reference(a, b))
    for name, reference in (("logical_and", np.logical_and), ("logical_or", np.logical_or), ("logical_xor", np.logical_xor)):
        add(f"{name}(a, b)", reference(a, b))
    add("logical_not(a)", np.logical_not(a))
    if dtype == "bool":
        add("maximum(a, b)", a | b)
        add("minimum(a, b)", a & b)
    else:
        add("maximum(a, b)", maximum(a, b))
        add("minimum(a, b)", minimum(a, b))
        add("add(a, b)", a + b)
        add("sub(a, b)", a - b)
        add("mul(a, b)", a * b)
        add("neg(a)", -a)
        add("abs(a)", np.abs(a))
        add("sign(a)", np.where(a == 0, a, np.sign(a)))
        add("floor_divide(a, b)", np.floor_divide(a, b))
        add("remainder(a, b)", np.remainder(a, b))
        add("fmod(a, b)", np.fmod(a, b))
        add("square(a)", a * a)
        add("relu(a)", maximum(a, np.zeros_like(a)))
        above = np.where(a < least, a.dtype.type(least), a)  # if the element and the bound are both zero, the element keeps its sign
        add(f"clip(a, {least}, b)", np.where((b < above) | (b != b), b, above))
        add("powi(a, 5)", (a * ((a * a) * (a * a))))
        add("a * 3 - b // 2", step(a * a.dtype.type(3)) - step(np.floor_divide(b, a.dtype.type(2))))
    add("where(k, a, b)", np.where(np.arange(len(a)) % 3 == 0, a, b))
    if dtype in INTS or dtype == "bool":
        add("bitwise_and(a, b)", a & b)
        add("bitwise_or(a, b)", a | b)
        add("bitwise_xor(a, b)", a ^ b)
        add("bitwise_not(a)", ~a)
    if dtype in INTS:
        last = a.dtype.type(8 * a.dtype.itemsize - 1)
        add("left_shift(a, b)", np.left_shift(a, b & last))
        add("right_shift(a, b)", np.right_shift(a, b & last))
        add("pow(a, b)", int_pow(a, b))
    if dtype in FLOATS:
        add("recip(a)", one / a)
        add("div(a, b)", a / b)
        add("copysign(a, b)", np.copysign(a, quiet(b)))
        for name, reference in (("sqrt", np.sqrt), ("floor", np.floor), ("ceil", np.ceil), ("round", np.rint), ("trunc", np.trunc),
                                ("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite)):
            add(f"{name}(a)", reference(a))
        add("rsqrt(a)", one / np.sqrt(a))
        if dtype == "f32":  # Computes in extended precision, in which the product of two f32 is exact.
            add("fma(a, b, 0.3)", a.astype(WIDE) * b.astype(WIDE) + WIDE(np.float32(0.3)), Ulps(0.5 + 1e-4))
        elif dtype in HALVES:
            add("fma(a, b, 0.3)", a.astype(WIDE) * b.astype(WIDE) + WIDE(step(np.array(0.3))), Ulps(PLAIN[dtype]))
        else:
            add("fma(a, b, 0.3)", fma_f64(a, b, np.full_like(a, 0.3)))
        for name, (reference, f32, f64) in FUNCTIONS.items():
            two = name in ("pow", "atan2", "hypot")
            expected = reference(a, b) if two else reference(a)
            add(f"{name}(a, b)" if two else f"{name}(a)", expected, Ulps(PLAIN.get(dtype, f64 if dtype == "f64" else f32)))
    return cases


def composite_cases(dtype, x):
    """Elementwise composites of moderate values. They round a few times, so the tolerance is a few ulp, or a few epsilons of the largest
    term."""
    eps = epsilon(dtype)
    w = x.astype(WIDE)
    e = np.exp(w)
    erf = by_element(math.erf)(w / np.sqrt(WIDE(2)))
    inner = np.tanh(np.sqrt(2 / WIDE(np.pi)) * (w + WIDE(0.044715) * w**3))
    near = lambda expected, bound: within(dtype, expected, bound * eps * (np.abs(w) + 1))  # noqa: E731
    cases = [
        ("sigmoid(x)", 1 / (1 + np.exp(-w)), 6, None),
        ("silu(x)", w / (1 + np.exp(-w)), 7, None),
        ("softplus(x)", np.log1p(e), None, 4),
        ("elu(x)", np.where(w > 0, w, np.expm1(w)), 2, None),
        ("elu(x, alpha=0.5)", np.where(w > 0, w, np.expm1(w) / 2), 2, None),
        ("selu(x)", WIDE(1.0507009873554805) * np.where(w > 0, w, WIDE(1.6732632423543772) * np.expm1(w)), 4, None),
        ("celu(x, alpha=0.5)", np.where(w > 0, w, np.expm1(2 * w) / 2), 2, None),
        ("gelu(x)", w / 2 * (1 + erf), None, 8),
        ('gelu(x, approximate="tanh")', w / 2 * (1 + inner), None, 16),
        ("lerp(x, 2.0, 0.25)", w + WIDE(0.25) * (2 - w), None, 4),
        ("powi(x, -2)", 1 / (w * w), 2, None),
    ]
    return [Case(text, expected, near(expected, bound) if count is None else ulps(dtype, expected, count))
            for text, expected, count, bound in cases]


def bits_of(dtype, a):
    """Returns the bits of the elements as unsigned integers. Every NaN has the bits of the positive quiet NaN."""
    if dtype in HALVES:
        nan = 0x7e00 if dtype == "f16" else 0x7fc0
        bits = a.astype(np.float16).view(np.uint16) if dtype == "f16" else (a.view(np.uint32) >> 16).astype(np.uint16)
        return np.where(np.isnan(a), np.uint16(nan), bits)
    return (quiet(a) if a.dtype.kind == "f" else a).view(f"u{a.dtype.itemsize}")


def from_bits(dtype, bits):
    if dtype == "f16":
        return Half(dtype, bits.view(np.float16).astype(np.float32))
    if dtype == "bf16":
        return Half(dtype, (bits.astype(np.uint32) << 16).view(np.float32))
    return bits.view(DTYPES[dtype])


def conversion_cases(source, a):
    cases = [Case(f"cast(a, dtype={dtype})", cast(a, kind), EXACT) for dtype, kind in DTYPES.items()]
    cases += [Case(f"cast(a, dtype={half})", Half(half, rounded(half, a)), EXACT) for half in HALVES]
    if source == "bool":
        return cases + [Case(f"bitcast(a, dtype={dtype})", a.view(DTYPES[dtype]), EXACT) for dtype in ("bool", "i8", "u8")]
    size = 2 if source in HALVES else a.dtype.itemsize
    partners = [name for name in KINDS if name != "bool" and (2 if name in HALVES else np.dtype(KINDS[name]).itemsize) == size]
    bits = bits_of(source, a)
    cases += [Case(f"bitcast(a, dtype={dtype})", from_bits(dtype, bits), EXACT) for dtype in partners if dtype != source]
    return cases


def cast(a, kind):
    """Converts as docs/semantics.md says: floats are truncated and saturate, NaN becomes 0, integers wrap around, and the conversion to
    bool is x != 0."""
    kind = np.dtype(kind)
    if kind == np.bool_:
        return a != 0
    if a.dtype.kind != "f" or kind.kind == "f":
        return a.astype(kind)
    limits = np.iinfo(kind)
    result = [0 if math.isnan(v) else limits.max if v >= limits.max else limits.min if v <= limits.min else int(v) for v in map(float, a)]
    return np.array(result, kind)


# ---------------------------------------------------------------------------------------------------- movement and joins

def windows(x, axis, size, stride, dilation):
    count = (x.shape[axis] - (size - 1) * dilation - 1) // stride + 1
    parts = [np.moveaxis(np.take(x, range(i * stride, i * stride + (size - 1) * dilation + 1, dilation), axis), axis, -1)
             for i in range(count)]
    return np.stack(parts, axis)


def movement_cases(x, y):
    """Returns the cases of movement operations on x [4, 6, 5] and y [4, 1, 5]."""
    padded = np.pad(x, ((0, 0), (1, 2), (0, 0)), constant_values=1)
    return [Case(text, expected, EXACT) for text, expected in [
        ("permute(x, axes=[2, 0, 1])", x.transpose(2, 0, 1)),
        ("transpose(x)", x.T),
        ("transpose(x, axes=[0, 2, 1])", x.swapaxes(1, 2)),
        ("moveaxis(x, source=[0], destination=[-1])", np.moveaxis(x, 0, -1)),
        ("unsqueeze(x, axes=[0, -1])", x[None, ..., None]),
        ("squeeze(y, axes=[1])", y[:, 0]),
        ("squeeze(y)", y[:, 0]),
        ("flip(x)", x[::-1, ::-1, ::-1]),
        ("flip(x, axes=[1])", x[:, ::-1]),
        ("expand(y, shape=[4, 3, 5])", np.broadcast_to(y, (4, 3, 5))),
        ("broadcast_to(y, shape=[2, 4, 7, 5])", np.broadcast_to(y, (2, 4, 7, 5))),
        ("reshape(x, shape=[5, -1])", x.reshape(5, -1)),
        ("reshape(permute(x, axes=[1, 0, 2]), shape=[8, 15])", x.transpose(1, 0, 2).reshape(8, 15)),
        ("flatten(x)", x.ravel()),
        ("flatten(x, start_axis=1)", x.reshape(4, 30)),
        ("slice(x, start=[1, none, -1], stop=[4, 5, none], step=[2, 1, -2])", x[1:4:2, :5, -1::-2]),
        ("slice(x, start=[2, 0, 0], stop=[2, 6, 5])", x[2:2]),
        ("pad(x, before=[0, 1, 0], after=[0, 2, 0], value=1)" if x.dtype != np.bool_ else
         "pad(x, before=[0, 1, 0], after=[0, 2, 0], value=true)", padded),
        ("pad(x, before=[1, 2, 0], after=[1, 0, 3], mode=edge)", np.pad(x, ((1, 1), (2, 0), (0, 3)), mode="edge")),
        ("pad(x, before=[1, 2, 0], after=[1, 0, 3], mode=reflect)", np.pad(x, ((1, 1), (2, 0), (0, 3)), mode="reflect")),
        ("pad(x, before=[1, 2, 0], after=[1, 0, 3], mode=wrap)", np.pad(x, ((1, 1), (2, 0), (0, 3)), mode="wrap")),
        ("unfold(x, axes=[1], size=[3], stride=2, dilation=1)", windows(x, 1, 3, 2, 1)),
        ("unfold(x, axes=[1], size=[2], stride=1, dilation=3)", windows(x, 1, 2, 1, 3)),
        ("unfold(x, axes=[0], size=[0], stride=3)", x[:2, :, :, None][..., :0]),  # there are 4 // 3 + 1 = 2 windows, as in PyTorch's unfold
        ("unfold(x, axes=[0, 2], size=[0, 2])", np.zeros((5, 6, 4, 0, 2), x.dtype)),
        ("unfold1d(x, size=[2])", windows(x, 2, 2, 1, 1)),
        ("unfold2d(x, size=[3, 2], stride=[1, 2])", windows(windows(x, 1, 3, 1, 1), 2, 2, 2, 1)),
        ("unfold2d(x, size=[3, 3], padding=[1, 1])", windows(windows(np.pad(x, ((0, 0), (1, 1), (1, 1))), 1, 3, 1, 1), 2, 3, 1, 1)),
        ("unfold3d(x, size=[2, 2, 2])", windows(windows(windows(x, 0, 2, 1, 1), 1, 2, 1, 1), 2, 2, 1, 1)),
        ("concat(x, y, x, axis=1)", np.concatenate([x, y, x], 1)),
        ("concat(flip(x, axes=[0]), permute(permute(x, axes=[0, 2, 1]), axes=[0, 2, 1]))", np.concatenate([x[::-1], x], 0)),
        ("stack(x, flip(x, axes=[2]), axis=2)", np.stack([x, x[..., ::-1]], 2)),
        ("split(x, sections=2, axis=1)", [x[:, :3], x[:, 3:]]),
        ("split(x, sections=[1, 4], axis=-1)", [x[..., :1], x[..., 1:4], x[..., 4:]]),
        ("repeat(x, repeats=3, axis=1)", np.repeat(x, 3, 1)),
        ("repeat(x, repeats=2)", np.repeat(x, 2)),
        ("tile(x, repeats=[2, 1, 3])", np.tile(x, (2, 1, 3))),
        ("roll(x, shift=2, axis=1)", np.roll(x, 2, 1)),
        ("roll(x, shift=[-1, 7], axis=[0, 2])", np.roll(x, (-1, 7), (0, 2))),
        ("roll(x, shift=11)", np.roll(x, 11)),
        ("contiguous(permute(x, axes=[2, 1, 0]))", x.T),
        ("where(eq(permute(x, axes=[2, 1, 0]), flip(permute(x, axes=[2, 1, 0]))), permute(x, axes=[2, 1, 0]), flip(transpose(x)))",
         np.where(x.T == x.T[::-1, ::-1, ::-1], x.T, x.T[::-1, ::-1, ::-1])),
    ]]


def symbolic_cases(x):
    """Returns the cases with symbolic sizes. The shape of x is [n, m], with n = 5 and m = 7."""
    return [Case(text, expected, EXACT) for text, expected in [
        ("slice(x, start=[1, m - 3], stop=[n, m])", x[1:, -3:]),
        ("pad(x, before=[n - 4, 0], after=[0, m], value=2)", np.pad(x, ((1, 0), (0, 7)), constant_values=2)),
        ("reshape(x, shape=[n * m])", x.ravel()),
        ("roll(x, shift=[n + 1], axis=[1])", np.roll(x, 6, 1)),
        ("concat(x, x, axis=0)", np.concatenate([x, x])),
        ("size(2 * n * m - 1)", np.array(69, np.int64)),
        ("arange(n + m)", np.arange(12, dtype=np.int32)),
        ("unfold(x, axes=[1], size=[3], stride=1, dilation=1)", windows(x, 1, 3, 1, 1)),
        ("broadcast_to(slice(x, stop=[1, m]), shape=[n, m])", np.broadcast_to(x[:1], x.shape)),
        ("max(x, axes=[0])", x.max(0)),
        ("where(lt(x, 0), full([n, m], 5, dtype=i32), x)", np.where(x < 0, 5, x)),
    ]]


def creation_cases():
    i, f = np.int32, np.float32
    return [Case(text, expected, nearness) for text, expected, nearness in [
        ("arange(6)", np.arange(6, dtype=i), EXACT),
        ("arange(start=3, stop=20, step=4)", np.arange(3, 20, 4, dtype=i), EXACT),
        ("arange(5, dtype=f64)", np.arange(5.0), EXACT),
        ("linspace(-1, 2, 7)", np.linspace(-1, 2, 7, dtype=WIDE), Within(4 * epsilon("f32") * np.full(7, 3.0))),
        ("full([2, 3], 2.5, dtype=f32)", np.full((2, 3), 2.5, f), EXACT),
        ("eye(3, columns=4)", np.eye(3, 4, dtype=f), EXACT),
        ("tril(reshape(arange(12), shape=[3, 4]), k=1)", np.tril(np.arange(12, dtype=i).reshape(3, 4), 1), EXACT),
        ("triu(reshape(arange(12), shape=[3, 4]), k=-1)", np.triu(np.arange(12, dtype=i).reshape(3, 4), -1), EXACT),
        ("one_hot(arange(3), depth=4, dtype=i64)", np.eye(3, 4, dtype=np.int64), EXACT),
        ("one_hot(arange(3), depth=4)", np.eye(3, 4, dtype=np.bool_), EXACT),
        ("constant(-0.0, dtype=f64)", np.array(-0.0), EXACT),
        ("constant(7, dtype=i64) * i64(6)", np.array(42), EXACT),
        ("constant_array([[1, 2], [3, -4]], dtype=i32)", np.array([[1, 2], [3, -4]], i), EXACT),
        ("constant_array([0.1, inf, nan], dtype=f32)", np.array([0.1, np.inf, np.nan], f), EXACT),
        ("size(12)", np.array(12, np.int64), EXACT),
    ]]


# ------------------------------------------------------------------------------------------------------------ reductions

def reduction_cases(dtype, x, y):
    """Returns the cases of reductions of x and y with three axes. For floats the tolerance is the error that rounding may add to a sum."""
    cases = []
    eps = epsilon(dtype) if dtype in FLOATS else 0

    def near(text, expected, bound):
        cases.append(Case(text, expected, within(dtype, expected, bound * eps)))

    def summed(text, terms, axes, keep=False):
        if dtype in FLOATS:
            w = terms.astype(WIDE)
            near(text, w.sum(axes, keepdims=keep), 16 * np.abs(w).sum(axes, keepdims=keep))
        else:
            cases.append(Case(text, terms.sum(axes, dtype=terms.dtype, keepdims=keep), EXACT))

    for axes in ((0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2)):
        listed = list(axes)
        if dtype != "bool":
            summed(f"sum(x, axes={listed})", x, axes)
        cases.append(Case(f"max(x, axes={listed}, keepdims=true)", x.max(axes, keepdims=True), EXACT))
        cases.append(Case(f"min(x, axes={listed})", x.min(axes), EXACT))
        cases.append(Case(f"any(x, axes={listed})", x.any(axes), EXACT))
        cases.append(Case(f"all(x, axes={listed}, keepdims=true)", x.all(axes, keepdims=True), EXACT))
    if dtype == "bool":
        return cases
    wx = x.astype(WIDE) if dtype in FLOATS else x
    summed("sum(x)", x, (0, 1, 2))
    summed("sum(x, axes=[-1], keepdims=true)", x, (2,), True)
    summed("sum(mul(x, y), axes=[2])", wx * y, (2,))
    summed("sum(mul(x, y), axes=[1])", wx * y, (1,))
    summed("sum(permute(x, axes=[2, 1, 0]), axes=[1])", x.transpose(2, 1, 0), (1,))
    summed("sum(x, axes=[2, 0], order=chain)", x, (0, 2))
    summed("sum(x, axes=[0, 1], order=lanes)", x, (0, 1))
    # Computes a matrix product by broadcasting over the first axis, for example [7, 300, 1] · [7, 1, 33].
    left, right = wx[:, :, :1], y[:, :1, :].astype(wx.dtype)
    n, m, k = x.shape
    summed(f"sum(mul(expand(slice(x, stop=[{n}, {m}, 1]), shape=[{n}, {m}, {k}]), expand(slice(y, stop=[{n}, 1, {k}]), shape=[{n}, {m}, {k}])), "
           "axes=[0])", left * right, (0,))
    if dtype in INTS:
        cases.append(Case("prod(x, axes=[0])", x.prod(0, dtype=x.dtype), EXACT))
        return cases
    near_one = "add(1.0, mul(x, 0.01))"
    scaled = store(dtype, x * store(dtype, np.array(0.01)))
    product = store(dtype, x.dtype.type(1) + scaled).astype(WIDE).prod(1)
    near(f"prod({near_one}, axes=[1])", product, 300 * np.abs(product))
    scale = np.abs(wx).max() + 1
    near("mean(x, axes=[1])", wx.mean(1), 16 * np.abs(wx).mean(1))
    near("var(x, axes=[1, 2])", wx.var((1, 2)), 64 * np.full(len(x), scale**2))
    near("var(x, axes=[0], correction=1, keepdims=true)", wx.var(0, ddof=1, keepdims=True), 64 * scale**2)
    largest = wx.max(2, keepdims=True)
    e = np.exp(wx - largest)
    total = e.sum(2, keepdims=True)
    near("softmax(x)", e / total, 32 * np.ones(x.shape))
    near("log_softmax(x, axis=2)", wx - largest - np.log(total), 64 * scale)
    near("logsumexp(x, axes=[2])", (np.log(total) + largest)[..., 0], 64 * scale)
    return cases


def special_reduction_cases(x):
    """Returns the cases of max, min and sum of the rows of x [6, 5], f32 or f64, with NaN, infinities and zeros. All comparisons are
    exact."""
    zero_sign = lambda values, pick: np.where(values == 0, pick, values)  # noqa: E731
    nan_rows = np.isnan(x).any(1)
    greatest = np.where(nan_rows, np.nan, np.array([max(row, key=lambda v: (v, math.copysign(1, v))) for row in x]))
    least = np.where(nan_rows, np.nan, np.array([min(row, key=lambda v: (v, math.copysign(1, v))) for row in x]))
    kind = x.dtype
    return [
        Case("max(x, axes=[1])", greatest.astype(kind), EXACT),
        Case("min(x, axes=[1])", least.astype(kind), EXACT),
        Case("sum(x, axes=[1])", zero_sign(x.sum(1, dtype=kind), kind.type(0)), EXACT),
        Case("max(x, axes=[0, 1])", np.array(np.nan, kind), EXACT),
    ]


def empty_cases(dtype, kind):
    """Returns the cases of operations on x [0, 3], whose size 0 is known only when the program runs."""
    if dtype == "bool":
        return [Case("any(x, axes=[0])", np.zeros(3, bool), EXACT), Case("all(x, axes=[0])", np.ones(3, bool), EXACT)]
    least, greatest = (-np.inf, np.inf) if dtype in FLOATS else (np.iinfo(kind).min, np.iinfo(kind).max)
    return [
        Case("sum(x, axes=[0])", np.zeros(3, kind), EXACT),
        Case("prod(x, axes=[0])", np.ones(3, kind), EXACT),
        Case("max(x, axes=[0])", np.full(3, least, kind), EXACT),
        Case("min(x, axes=[0, 1])", np.array(greatest, kind), EXACT),
        Case("neg(x)", np.zeros((0, 3), kind), EXACT),
        Case("concat(x, x, axis=1)", np.zeros((0, 6), kind), EXACT),
        Case("pad(x, before=[1, 0], after=[1, 0], value=3)", np.full((2, 3), 3, kind), EXACT),
    ]


def broadcast_cases(x, row, column, one):
    """Returns the cases of broadcasting by NumPy's rules, with shapes [3, 4, 5], [5], [4, 1] and a scalar."""
    return [
        Case("add(x, row)", x + row, EXACT),
        Case("mul(column, row)", column * row, EXACT),
        Case("sub(one, x)", one - x, EXACT),
        Case("where(lt(column, row), column, x)", np.where(column < row, column, x), EXACT),
        Case("maximum(row, column)", np.maximum(row, column), EXACT),
        Case("x + row * column - one", x + row * column - one, EXACT),
    ]


# ---------------------------------------------------------------------------------------------------------------- groups

def groups():
    result = []
    for dtype, kind in KINDS.items():
        half = half_of(dtype)
        a, b = operands(dtype)
        choice = np.arange(len(a)) % 3 == 0
        inputs = {"a": a, "b": b, "k": choice}
        result.append(Group(f"elementwise {dtype}", inputs, {name: "[n]" for name in inputs}, {}, "", elementwise_cases(dtype, a, b), half))
        a = every_value(dtype).values if half else a
        result.append(Group(f"conversions {dtype}", {"a": Half(half, a) if half else a}, {}, {}, "", conversion_cases(dtype, a)))
        random = np.random.default_rng(5)
        x = small(random, dtype, 4, 6, 5)
        result.append(Group(f"movement {dtype}", {"x": x, "y": x[:, 2:3].copy()}, {}, {}, "", movement_cases(x, x[:, 2:3]), half))
        shape = (2, 7, 300, 33) if np.dtype(kind).itemsize > 2 else (2, 5, 290, 7)
        if dtype in FLOATS:
            x, y = store(dtype, random.normal(size=shape))
        elif dtype == "bool":
            x, y = random.integers(0, 2, shape).astype(kind)
            x[:3] = [[[True]], [[False]], [[True]]]
        else:
            limits = np.iinfo(kind)
            x, y = random.integers(limits.min // 2, limits.max // 2 + 1, shape, kind)
        result.append(Group(f"reductions {dtype}", {"x": x, "y": y}, {}, {}, "", reduction_cases(dtype, x, y), half))
        result.append(Group(f"empty {dtype}", {"x": np.zeros((0, 3), kind)}, {"x": "[n, 3]"}, {}, "", empty_cases(dtype, kind), half))
        if dtype in FLOATS:
            x = store(dtype, random.normal(size=2001) * 5)
            result.append(Group(f"composites {dtype}", {"x": x}, {"x": "[n]"}, {}, "", composite_cases(dtype, x), half))
            inf, nan = np.inf, np.nan
            x = np.array([[1, 2, 3, -4, 5], [0, -0.0, -0.0, -0.0, -0.0], [-0.0] * 5, [1, nan, inf, -inf, 2], [inf, 1, 1, 1, inf],
                          [-inf, 1, 2, 3, -1]], kind)
            result.append(Group(f"special reductions {dtype}", {"x": x}, {}, {}, "", special_reduction_cases(x), half))
    x = np.random.default_rng(6).integers(-50, 50, (5, 7)).astype(np.int32)
    result.append(Group("symbolic", {"x": x}, {"x": "[n in 1..100, m in 3..100]"}, {}, "", symbolic_cases(x)))
    result.append(Group("sizes by name", {"x": np.arange(4, dtype=np.int32)}, {}, {"k": 9}, "",
                        [Case("arange(k)", np.arange(9, dtype=np.int32), EXACT), Case("size(k // 2)", np.array(4, np.int64), EXACT)]))
    result.append(Group("creation", {"unused": np.zeros(1, np.float32)}, {}, {}, "", creation_cases()))
    random = np.random.default_rng(7)
    x, row, column, one = (random.normal(size=shape).astype(np.float32) for shape in ((3, 4, 5), (5,), (4, 1), ()))
    result.append(Group("broadcasting", {"x": x, "row": row, "column": column, "one": np.array(one)}, {}, {}, " flags=[broadcast]",
                        broadcast_cases(x, row, column, one)))
    return result
