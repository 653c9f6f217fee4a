"""Defines families of benchmarks for elementwise operations: with one operand, with two operands that broadcast, casts, complex numbers,
and chains of operations that fuse."""
import math
import re

from case import LAYOUTS, NUMPY_TYPES, CaseError, Input, Problem, family, one_of, sizes_of
from families.loops import C_TYPES, COMPLEX, FLOATS, HALVES, INTEGERS, indices, narrowed, over, symbolic, wide


def _sigmoid(xp, x):
    return 1 / (1 + xp.exp(-x))


def _erf(xp, x):
    """Returns erf of numbers between -1 and 1 by its Taylor series, because NumPy has no erf."""
    total, power = x * 0, x
    for n in range(14):
        total = total + power / ((2 * n + 1) * math.factorial(n))
        power = -power * x * x
    return total * (2 / math.sqrt(math.pi))


# For each operation: NumPy's function, torch's function (None: there is none), C expression, values of the input.
UNARY = {
    "exp": ("exp", "exp", "exp{f}(x)", "normal"), "log": ("log", "log", "log{f}(x)", "positive"), "sin": ("sin", "sin", "sin{f}(x)", "normal"),
    "cos": ("cos", "cos", "cos{f}(x)", "normal"), "tan": ("tan", "tan", "tan{f}(x)", "normal"), "tanh": ("tanh", "tanh", "tanh{f}(x)", "normal"),
    "sqrt": ("sqrt", "sqrt", "sqrt{f}(x)", "positive"), "abs": ("abs", "abs", "fabs{f}(x)", "normal"), "neg": ("negative", "neg", "-x", "normal"),
    "floor": ("floor", "floor", "floor{f}(x)", "normal"), "square": ("square", "square", "x * x", "normal"), "cbrt": ("cbrt", None, "cbrt{f}(x)", "normal"),
    "recip": ("reciprocal", "reciprocal", "1 / x", "positive"), "expm1": ("expm1", "expm1", "expm1{f}(x)", "normal"),
    "log1p": ("log1p", "log1p", "log1p{f}(x)", "positive"), "log2": ("log2", "log2", "log2{f}(x)", "positive"),
    "atan": ("arctan", "atan", "atan{f}(x)", "normal"),
    "asin": ("arcsin", "asin", "asin{f}(x)", "normal"), "sinh": ("sinh", "sinh", "sinh{f}(x)", "normal"), "exp2": ("exp2", "exp2", "exp2{f}(x)", "normal"),
    "sigmoid": (_sigmoid, "sigmoid", "1 / (1 + exp{f}(-x))", "normal"),
    "relu": (lambda np, x: np.maximum(x, x.dtype.type(0)), "relu", "x > 0 ? x : 0", "normal"),
    "silu": (lambda np, x: x * _sigmoid(np, x), lambda torch, x: torch.nn.functional.silu(x), "x / (1 + exp{f}(-x))", "normal"),
    "erf": (_erf, "erf", "erf{f}(x)", "normal"), "isfinite": ("isfinite", "isfinite", "isfinite(x)", "normal"),
    "sign": ("sign", "sign", "(x > 0) - (x < 0)", "normal"),
}
# For each operation: NumPy's function, torch's function, C expression (None: not available), accepted dtypes ("float", "integer" or
# "any"), whether the result is bool.
BINARY = {
    "add": ("add", "add", "a + b", "any", False), "sub": ("subtract", "sub", "a - b", "any", False), "mul": ("multiply", "mul", "a * b", "any", False),
    "div": ("divide", "div", "a / b", "float", False), "maximum": ("maximum", "maximum", "a > b ? a : b", "any", False),
    "minimum": ("minimum", "minimum", "a < b ? a : b", "any", False), "pow": ("power", "pow", "pow{f}(a, b)", "float", False),
    "atan2": ("arctan2", "atan2", "atan2{f}(a, b)", "float", False), "hypot": ("hypot", "hypot", "hypot{f}(a, b)", "float", False),
    "remainder": ("remainder", "remainder", None, "integer", False), "floor_divide": ("floor_divide", None, None, "integer", False),
    "bitwise_and": ("bitwise_and", "bitwise_and", "a & b", "integer", False), "bitwise_xor": ("bitwise_xor", "bitwise_xor", "a ^ b", "integer", False),
    "lt": ("less", "lt", "a < b", "any", True), "eq": ("equal", "eq", "a == b", "any", True),
    "copysign": ("copysign", "copysign", "copysign{f}(a, b)", "float", False),
}
PATTERNS = ("same", "row", "column", "scalar")
CASTS = tuple(t for t in NUMPY_TYPES if t not in COMPLEX)


def call(name):
    """Returns a function that is called with a module and arrays. `name` is such a function, or the name of a function of the module;
    None stays None."""
    return name if callable(name) or name is None else lambda xp, *arrays: getattr(xp, name)(*arrays)


def c_expression(template, dtype):
    return template.replace("{f}", "" if dtype == "f64" else "f")


@family(lambda d: {"op": d.pick(*UNARY), "dtype": d.often("f32", "f64", *HALVES), "shape": d.shape(1, 4), "layout": d.layout()})
def unary(op, dtype, shape, layout):
    numpy, torch, c, values = one_of("op", op, UNARY)
    one_of("dtype", dtype, (*FLOATS, *HALVES))
    one_of("layout", layout, LAYOUTS)
    shape = sizes_of(shape)
    index = ", ".join(indices(len(shape)))
    result = c_expression(c, dtype) if op == "isfinite" else narrowed(dtype, c_expression(c, dtype))
    named, sizes = symbolic(shape, 2)
    return Problem([Input("x", dtype, named, values, layout)], [f"return y = {op}(x)"], sizes, call(numpy), call(torch),
                   over(shape, f"{wide(dtype)} x = x({index}); y({index}) = {result};"), flops=math.prod(shape))


def _binary_dtype(d, kind):
    return d.often("f32", "f64", *HALVES) if kind == "float" else d.pick(*INTEGERS) if kind == "integer" else d.often("f32", "f64", "i32", "i8", "u8", "i64")


def _draw_binary(d):
    op = d.pick(*BINARY)
    return {"op": op, "dtype": _binary_dtype(d, BINARY[op][3]), "shape": d.shape(1, 4), "pattern": d.often("same", *PATTERNS[1:]), "layout": d.layout()}


@family(_draw_binary)
def binary(op, dtype, shape, pattern, layout):
    numpy, torch, c, kind, is_bool = one_of("op", op, BINARY)
    one_of("dtype", dtype, INTEGERS if kind == "integer" else (*FLOATS, *HALVES) + (INTEGERS if kind == "any" else ()))
    one_of("layout", layout, LAYOUTS)
    shape = sizes_of(shape)
    named, sizes = symbolic(shape, 2)
    rank = len(shape)
    other = {"same": named, "row": named[-1:], "column": (*named[:-1], 1), "scalar": ()}[one_of("pattern", pattern, PATTERNS)]
    at = indices(rank)
    b_at = {"same": at, "row": at[-1:], "column": [*at[:-1], "0"], "scalar": []}[pattern]
    values = "positive" if kind != "any" else "normal"
    body = ""
    if c:
        result = c_expression(c, dtype) if is_bool else narrowed(dtype, c_expression(c, dtype))
        body = f"{wide(dtype)} a = a({', '.join(at)}), b = b({', '.join(b_at)}); y({', '.join(at)}) = {result};"
    return Problem([Input("a", dtype, named, values, layout), Input("b", dtype, other, values)], [f"return y = {op}(a, b)"], sizes, call(numpy), call(torch),
                   over(shape, body) if body else None, flops=math.prod(shape))


@family(lambda d: {"op": d.pick("floor_divide", "remainder"), "dtype": d.pick(*INTEGERS), "divisor": d.pick(2, 3, 7, 10, 24, 60, 100), "shape": d.shape(1, 3),
                   "layout": d.layout()})
def division(op, dtype, divisor, shape, layout):
    """Integers divided by a number that is known, such as the days of weeks or the digits of a number."""
    one_of("op", op, ("floor_divide", "remainder"))
    one_of("dtype", dtype, INTEGERS)
    one_of("layout", layout, LAYOUTS)
    if not 0 < divisor < 128:
        raise CaseError(f"divisor: expected a number from 1 to 127, found {divisor}")
    shape = sizes_of(shape)
    named, sizes = symbolic(shape, 2)
    index = ", ".join(indices(len(shape)))
    c = "x / m - (x % m < 0)" if op == "floor_divide" else "x % m + (x % m < 0 ? m : 0)"
    number = f"{dtype}({divisor})"

    def numpy(np, x):
        return getattr(np, op)(x, x.dtype.type(divisor))

    def torch(torch, x):
        return getattr(torch, op)(x, divisor)

    return Problem([Input("x", dtype, named, "normal", layout)], [f"return y = {op}(x, {number})"], sizes, numpy, torch,
                   over(shape, f"{C_TYPES[dtype]} x = x({index}), m = {divisor}; y({index}) = {c};"), flops=math.prod(shape))


@family(lambda d: {"source": d.pick(*CASTS), "target": d.pick(*CASTS), "shape": d.shape(1, 4), "layout": d.layout()})
def cast(source, target, shape, layout):
    """A cast of small numbers, which every dtype can represent."""
    one_of("source", source, CASTS)
    one_of("target", target, CASTS)
    one_of("layout", layout, LAYOUTS)
    shape = sizes_of(shape)
    named, sizes = symbolic(shape, 2)
    index = ", ".join(indices(len(shape)))
    c = over(shape, f"y({index}) = " + (f"x({index}) != 0;" if target == "bool" else f"{narrowed(target, f'x({index})')};"))

    def numpy(np, x):
        return x.astype(np.float32 if target == "bf16" else NUMPY_TYPES[target])

    return Problem([Input("x", source, named, "index 2" if "bool" in (source, target) else "index 100", layout)], [f"return y = cast(x, dtype={target})"],
                   sizes,
                   numpy, lambda torch, x: x.to(torch_dtype(torch, target), copy=True), c, flops=0)


def torch_dtype(torch, name):
    """Returns torch's type for a dtype. Before version 2.3 torch has u8 as its only unsigned integer, so other ones raise an
    AttributeError."""
    return getattr(torch, {"i": "int", "u": "uint", "f": "float"}[name[0]] + name[1:] if name[1:].isdigit() else {"bf16": "bfloat16"}.get(name, name))


COMPLEX_OPS = {
    "mul": ("a * b", lambda xp, a, b: a * b, "a * b", 6), "div": ("a / b", lambda xp, a, b: a / b, "a / b", 11),
    "abs": ("abs(a) + abs(b)", lambda xp, a, b: xp.abs(a) + xp.abs(b), "cabs{f}(a) + cabs{f}(b)", 8),
    "exp": ("exp(a) * b", lambda xp, a, b: xp.exp(a) * b, "cexp{f}(a) * b", 12), "conj": ("a * conj(b)", lambda xp, a, b: a * xp.conj(b), "a * conj{f}(b)", 6),
}


@family(lambda d: {"op": d.pick(*COMPLEX_OPS), "dtype": d.pick(*COMPLEX), "shape": d.shape(1, 3, 1 << 20), "layout": d.layout()})
def complex_numbers(op, dtype, shape, layout):
    text, both, c, flops = one_of("op", op, COMPLEX_OPS)
    one_of("dtype", dtype, COMPLEX)
    one_of("layout", layout, LAYOUTS)
    shape = sizes_of(shape)
    named, sizes = symbolic(shape, 2)
    index = ", ".join(indices(len(shape)))
    c = c.replace("{f}", "f" if dtype == "complex64" else "")
    body = f"{C_TYPES[dtype]} a = a({index}), b = b({index}); y({index}) = {c};"
    return Problem([Input("a", dtype, named, "positive", layout), Input("b", dtype, named, "positive")], [f"return y = {text}"], sizes, both, both,
                   over(shape, body), flops=flops * math.prod(shape))


@family(lambda d: {"dtype": d.often("f32", "f64", "u8"), "rows": d.size(1, 1 << 20), "channels": d.random.randint(1, 16)})
def normalise(dtype, rows, channels):
    """Pixels or points of a few numbers, each of which is moved and scaled by factors of its own."""
    one_of("dtype", dtype, (*FLOATS, "u8"))
    computed = "f64" if dtype == "f64" else "f32"

    def numpy(np, x, center, factor):
        return (x.astype(NUMPY_TYPES[computed]) - center) * factor

    def torch(torch, x, center, factor):
        return (x.to(torch_dtype(torch, computed)) - center) * factor

    return Problem([Input("x", dtype, ("N", channels)), Input("center", computed, (channels,)), Input("factor", computed, (channels,))],
                   [f"return y = (cast(x, dtype={computed}) - center) * factor"], {"N": rows}, numpy, torch,
                   over((rows, channels), f"y(i0, i1) = (({C_TYPES[computed]})x(i0, i1) - center(i1)) * factor(i1);"), flops=2 * rows * channels)


# The operations of a chain: as harp's text, for NumPy and torch, and in C. They compute a new value from the value v and the input w, and
# all values stay small.
LINKS = (
    ("v * w + 0.5", lambda xp, v, w: v * w + 0.5, "v * w + 0.5f"), ("tanh(v)", lambda xp, v, w: xp.tanh(v), "tanh{f}(v)"),
    ("v - w", lambda xp, v, w: v - w, "v - w"), ("maximum(v, w)", lambda xp, v, w: xp.maximum(v, w), "v > w ? v : w"),
    ("where(v < w, v, w * 0.25)", lambda xp, v, w: xp.where(v < w, v, w * 0.25), "v < w ? v : w * 0.25f"),
    ("exp(-(v * v))", lambda xp, v, w: xp.exp(-(v * v)), "exp{f}(-(v * v))"),
    ("sin(v + w)", lambda xp, v, w: xp.sin(v + w), "sin{f}(v + w)"), ("v / (abs(w) + 1.0)", lambda xp, v, w: v / (xp.abs(w) + 1.0), "v / (fabs{f}(w) + 1)"),
    ("sqrt(v * v + 1.0)", lambda xp, v, w: xp.sqrt(v * v + 1.0), "sqrt{f}(v * v + 1)"),
    ("log1p(abs(v))", lambda xp, v, w: xp.log1p(xp.abs(v)), "log1p{f}(fabs{f}(v))"),
)


@family(lambda d: {"links": "".join(str(d.random.randrange(len(LINKS))) for _ in range(d.size(2, 12))), "dtype": d.often("f32", "f64"), "shape": d.shape(1, 3),
                   "layout": d.layout()})
def chain(links, dtype, shape, layout):
    """A chain of operations, each named by a digit. The first operation reads the second input, the next one the first input, and so on."""
    one_of("dtype", dtype, FLOATS)
    one_of("layout", layout, LAYOUTS)
    if not str(links).isdigit():
        raise CaseError(f'links: expected digits, one an operation, found "{links}"')
    chosen = [LINKS[int(digit)] for digit in str(links)]
    shape = sizes_of(shape)
    named, sizes = symbolic(shape, 2)

    def both(xp, a, b):
        value = a
        for k, link in enumerate(chosen):
            value = link[1](xp, value, (b, a)[k % 2])
        return value

    lines, index = ["v0 = a"], ", ".join(indices(len(shape)))
    body = f"{C_TYPES[dtype]} a = a({index}), b = b({index}), v = a, w;\n"
    for k, link in enumerate(chosen):
        w = "ba"[k % 2]
        lines.append(f"v{k + 1} = " + re.sub(r"\b[vw]\b", lambda name, k=k, w=w: f"v{k}" if name[0] == "v" else w, link[0]))
        body += f"w = {w}; v = {c_expression(link[2], dtype)};\n"
    return Problem([Input("a", dtype, named, "normal", layout), Input("b", dtype, named)], [*lines, f"return y = v{len(chosen)}"], sizes, both, both,
                   over(shape, body + f"y({index}) = v;"), flops=4 * len(chosen) * math.prod(shape))
