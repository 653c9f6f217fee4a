#!/usr/bin/env python3
"""Generates those parts of the C interface that follow from tables.

From src/ops/ops.def and src/graph/operations.cpp it generates the elementwise functions of harp.h (declarations and
src/capi/elementwise.inc). From src/ops/dtype.h it generates the dtypes of harp.h. From harp.h it generates the table of all functions
(struct harp_api, src/capi/api_table.inc, tests/capi/api_version_1.txt) and their description for bindings (include/harp.api.json).

`./dev generate` calls this script. With --check it writes nothing and exits with 1 if a file would change. A new elementwise operation
needs an entry in WORDS: its documentation in harp.h.
"""
import os
import re
import sys

sys.dont_write_bytecode = True  # avoids __pycache__ folders among the sources

import api_json  # noqa: E402
import declarations as header_declarations  # noqa: E402
import written  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADER = os.path.join(ROOT, "include", "harp.h")
# Version 1 of struct harp_api may change until the first release. As long as FROZEN is False, this script writes the functions of version 1
# to tests/capi/api_version_1.txt. After the release FROZEN becomes True: the script no longer writes that file, a test compares harp.h with
# it, and a new function is declared with HARP_API_SINCE(2).
FROZEN = False

# For each operation its documentation in harp.h. The script appends the operand dtypes if the operation restricts them.
WORDS = {
    # one operand
    "neg": "-x", "recip": "1 / x", "abs": "absolute value; complex: hypot of the parts, a float", "sign": "-1, 0 or 1; zeros and NaN are kept; complex: x / abs(x)", "sqrt": "square root",
    "rsqrt": "1 / sqrt(x), computed as recip(sqrt(x))", "cbrt": "cube root", "square": "x * x",
    "real": "real part; a real number is returned unchanged", "imag": "imaginary part; 0 for a real number",
    "conj": "complex conjugate; a real number is returned unchanged", "angle": "atan2(imag(x), real(x)), radians in -pi..pi (float, complex)",
    "view_as_real": "reinterprets complex[...] as float[..., 2]: re, im (complex)", "view_as_complex": "reinterprets float[..., 2] as complex[...] (f32, f64)",
    "floor": "rounds down to an integer", "ceil": "rounds up to an integer", "round": "rounds to the nearest integer, ties to even",
    "trunc": "rounds towards 0 to an integer",
    "exp": "e to the power x", "exp2": "2 to the power x", "expm1": "exp(x) - 1, accurate near 0", "log": "natural logarithm", "log2": "logarithm to base 2",
    "log10": "logarithm to base 10", "log1p": "log(1 + x), accurate near 0",
    "sin": "sine of x in radians, accurate over the whole range", "cos": "cosine", "tan": "tangent", "asin": "inverse sine", "acos": "inverse cosine",
    "atan": "inverse tangent", "sinh": "hyperbolic sine", "cosh": "hyperbolic cosine", "tanh": "hyperbolic tangent",
    "asinh": "inverse of sinh", "acosh": "inverse of cosh", "atanh": "inverse of tanh", "erf": "error function", "erfc": "1 - erf(x), without cancellation",
    "sigmoid": "1 / (1 + exp(-x))", "relu": "0 where x <= 0, else x", "silu": "x * sigmoid(x)", "softplus": "log(1 + exp(x))",
    "selu": "1.0507 * elu(x, 1.6733), with both constants in full precision",
    "relu6": "clip(x, 0, 6); the gradient is 0 at the bounds", "hardsigmoid": "clip(x + 3, 0, 6) / 6", "hardswish": "x * hardsigmoid(x)",
    "mish": "x * tanh(softplus(x))", "softsign": "x / (1 + abs(x))", "logsigmoid": "log(sigmoid(x))",
    "signbit": "bool: true if the sign is negative; false for NaN (int, float)",
    "isnan": "bool: true if x is NaN", "isinf": "bool: true if x is infinite", "isfinite": "bool: true if x is neither NaN nor infinite",
    "logical_not": "bool: true if x is 0; any dtype", "bitwise_not": "inverts all bits; bool: logical not",
    # two operands
    "add": "a + b", "sub": "a - b", "mul": "a * b", "div": "a / b", "floor_divide": "floor(a / b); integers: x // 0 = 0",
    "remainder": "remainder of floor_divide, with the sign of b; integers: x % 0 = 0",
    "fmod": "remainder of the division rounded towards 0, with the sign of a (C's fmod and %)",
    "maximum": "the greater operand; NaN wins, +0 > -0", "minimum": "the lesser operand; NaN wins, -0 < +0",
    "pow": "a to the power b; integers: b < 0 gives 0, unless a is 1 or -1", "atan2": "angle of the point (b, a) in radians", "hypot": "sqrt(a * a + b * b), without overflow",
    "copysign": "magnitude of a with the sign of b",
    "complex_from_parts": "re + im * i; complex64 from f32, complex128 from f64",
    "lt": "bool: a < b", "le": "bool: a <= b", "gt": "bool: a > b", "ge": "bool: a >= b", "eq": "bool: a == b", "ne": "bool: a != b",
    "logical_and": "bool: true if a and b are both not 0; any dtype", "logical_or": "bool: true if a or b is not 0; any dtype",
    "logical_xor": "bool: true if exactly one of a and b is not 0; any dtype",
    "bitwise_and": "bitwise and; bool: logical and", "bitwise_or": "bitwise or; bool: logical or", "bitwise_xor": "bitwise exclusive or; bool: logical exclusive or",
    "left_shift": "a << b, with b modulo the bit width", "right_shift": "a >> b, arithmetic for signed a, with b modulo the bit width",
    "logaddexp": "log(exp(a) + exp(b)), without overflow", "nextafter": "the next representable number after a in the direction of b (float)",
    # three operands
    "where": "a where condition (bool) is true, else b", "fma": "a * b + c, rounded once", "clip": "lo if x < lo, then hi if that is greater than hi; NaN is kept",
    "lerp": "a + (b - a) * weight",
}
DTYPES = {"Any": "", "Number": "int, float, complex", "Real": "int, float", "Float": "float", "Field": "float, complex", "Int": "int", "BoolInt": "bool, int", "Ordered": ""}
PARAMETERS = {"unary": ["x"], "binary": ["a", "b"], "ternary": ["a", "b", "c"], "where": ["condition", "a", "b"], "clip": ["x", "lo", "hi"],
              "lerp": ["a", "b", "weight"], "complex_from_parts": ["re", "im"]}
# Operations of src/graph/operations.cpp whose operands are all nodes, but whose declarations in harp.h are written by hand.
ELSEWHERE = {"contiguous", "stop_gradient", "matmul", "batch_matmul", "dot", "outer"}


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def operations():
    """Returns (name, group, C++ expression over the operands' nodes, dtypes) of every elementwise operation, in the order of WORDS."""
    found = {}
    for op, name, arity, operands in re.findall(r'^HARP_OP\((\w+), "(\w+)", Elementwise, (\d), (\w+),', read("src", "ops", "ops.def"), re.M):
        group = {"1": "unary", "2": "binary", "3": "ternary"}[arity]
        found[name] = (group, f"build::elementwise(Op::k{op}, {{%s}})", DTYPES[operands])
    table = read("src", "graph", "operations.cpp")
    for arity, function, name in re.findall(r'^\s*(unary|binary)_row<build::(\w+)>\("(\w+)"\)', table, re.M):
        found[name] = (arity, f"build::{function}(%s)", "")
    for name, group in (("clip", "ternary"), ("lerp", "ternary"), ("complex_from_parts", "binary")):
        if f'row("{name}", ' in table:
            found[name] = (group, f"build::{name}(%s)", "")
    for name in ELSEWHERE:
        found.pop(name, None)
    if set(found) != set(WORDS):
        sys.exit(f"src/capi/generate.py: WORDS and the tables differ: {sorted(set(found) ^ set(WORDS))}")
    return [(name, *found[name]) for name in WORDS]


def parameters_of(name, group):
    return PARAMETERS.get(name) or PARAMETERS[group]


def declarations(group):
    lines = []
    for name, own_group, _, dtypes in operations():
        if own_group != group:
            continue
        arguments = ", ".join(f"harp_node* {parameter}" for parameter in parameters_of(name, group))
        words = WORDS[name] + (f" ({dtypes})" if dtypes else "")
        lines.append((f"HARP_API harp_node* harp_{name}({arguments});", words))
    width = max(len(line) for line, _ in lines)
    return "".join(f"{line:{width}} /* {words} */\n" for line, words in lines)


def definitions():
    lines = ["// Generated by src/capi/generate.py: every elementwise operation with plain operands. Included by operations.cpp.\n"]
    for name, group, expression, _ in operations():
        parameters = parameters_of(name, group)
        declared = ", ".join(f"harp_node* {parameter}" for parameter in parameters)
        nodes = expression % ", ".join(f"{parameter}->node" for parameter in parameters)
        lines.append(f'harp_node* harp_{name}({declared}) {{\n  return build_from("{name}", {{{", ".join(parameters)}}}, [&] {{ return {nodes}; }});\n}}\n')
    return "".join(lines)


def dtypes():
    """Returns (number, name, size in bytes, name of the dtype in which its operations compute or "" if that is the same dtype, whether
    graphs may use it) of every dtype, in the order of dtype.h."""
    rows = re.findall(r'HARP_DTYPE\((\w+), "(\w+)", (\d+), \w+, \w+, (\w+), (true|false)\)', read("src", "ops", "dtype.h"))
    names = {row[0]: row[1] for row in rows}
    return [(number, name, int(size), names[wide] if wide != own else "", used == "true")
            for number, (own, name, size, wide, used) in enumerate(rows)]


def dtype_constants():
    lines = []
    for number, name, size, wide, used in dtypes():
        if used:
            words = f"{size} byte{'s' if size > 1 else ''}" + (f", computes in {wide}" if wide else "")
            lines.append(f"{f'#define HARP_{name.upper()} {number}':26} /* {words} */\n")
    return "".join(lines)


def replace_block(text, title, body):
    """Replaces the text between the comments `generated from ...: title {` and `}` by `body`, and returns the whole text."""
    pattern = re.compile(r"(?P<indent> *)/\* generated [^\n]*: " + title + r" \{ \*/\n.*?(?P<end>(?P=indent)/\* \} \*/\n)", re.S)
    match = pattern.search(text)
    if not match:
        sys.exit(f"src/capi/generate.py: harp.h has no block '{title}'")
    first = match.group(0).split("\n", 1)[0] + "\n"
    return text[: match.start()] + first + body + match.group("end") + text[match.end():]


def outputs():
    header = read("include", "harp.h")
    for group in ("unary", "binary", "ternary"):
        header = replace_block(header, group, declarations(group))
    header = replace_block(header, "dtypes", dtype_constants())
    parsed = header_declarations.parse(header)
    table = [api_json.prototype(item) for item in api_json.table_functions(parsed)]
    header = replace_block(header, "api", "".join(f"  {result} (*{name})({parameters});\n" for result, name, parameters in table))
    entries = "// Generated by src/capi/generate.py: the functions of harp.h in the order of struct harp_api. Included by api_table.cpp.\n"
    entries += "".join(f"&{name},\n" for _, name, _ in table)
    made = {HEADER: header, os.path.join(ROOT, "src", "capi", "elementwise.inc"): definitions(),
            os.path.join(ROOT, "src", "capi", "api_table.inc"): entries,
            os.path.join(ROOT, "include", "harp.api.json"): api_json.written(api_json.describe(parsed))}
    if not FROZEN:
        first = [api_json.prototype(item) for item in api_json.table_functions(parsed) if item.since == 1]
        lines = [f"{result} {name}({parameters})\n" for result, name, parameters in first]
        made[os.path.join(ROOT, "tests", "capi", "api_version_1.txt")] = "".join(lines)
    return made


def main():
    try:
        written.write(outputs())
    except header_declarations.Mistake as mistake:
        sys.exit(f"src/capi/generate.py: {mistake}")


if __name__ == "__main__":
    main()
