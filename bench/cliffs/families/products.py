"""Defines families of benchmarks for matrix products of every dtype, batched products, products with few rows or columns, einsums, and
small operations of linear algebra."""
from case import LAYOUTS, Input, Problem, family, one_of
from families.loops import C_TYPES, COMPLEX, FLOATS, HALVES, INTEGERS, narrowed, nest, wide


def _c_product(m, n, k, dtype):
    """Returns C loops in the order i, k, j, whose inner loop the compiler vectorises. For 16-bit floats the order is i, j, k, and
    sums are accumulated in f32."""
    if dtype in HALVES:
        return nest(f"i<{m} j<{n}", f"float acc = 0;\nfor (int64_t p = 0; p < {k}; ++p) acc += (float)a(i, p) * (float)b(p, j);\n"
                    f"y(i, j) = {narrowed(dtype, 'acc')};")
    return nest(f"i<{m}", f"for (int64_t j = 0; j < {n}; ++j) y(i, j) = 0;\n"
                f"for (int64_t p = 0; p < {k}; ++p) for (int64_t j = 0; j < {n}; ++j) y(i, j) += a(i, p) * b(p, j);")


def _product(dtype, m, k, n, a_layout, b_layout):
    for layout in (a_layout, b_layout):
        one_of("layout", layout, LAYOUTS)
    flops = (8 if dtype in COMPLEX else 2) * m * k * n
    return Problem([Input("a", dtype, ("M", "K"), "normal", a_layout), Input("b", dtype, ("K", "N"), "normal", b_layout)], ["return y = matmul(a, b)"],
                   {"M": m, "K": k, "N": n}, lambda np, a, b: a @ b, lambda torch, a, b: a @ b, _c_product(m, n, k, dtype), flops=flops)


def _draw_product(dtypes, most=1024):
    return lambda d: {"dtype": d.pick(*dtypes), "m": d.size(1, most), "k": d.size(1, most), "n": d.size(1, most),
                      "a_layout": d.often("contiguous", "transposed"),
                      "b_layout": d.often("contiguous", *LAYOUTS[1:])}


@family(_draw_product(FLOATS))
def matmul(dtype, m, k, n, a_layout, b_layout):
    return _product(one_of("dtype", dtype, FLOATS), m, k, n, a_layout, b_layout)


@family(_draw_product(COMPLEX, 512))
def matmul_complex(dtype, m, k, n, a_layout, b_layout):
    return _product(one_of("dtype", dtype, COMPLEX), m, k, n, a_layout, b_layout)


@family(_draw_product(INTEGERS, 512))
def matmul_integer(dtype, m, k, n, a_layout, b_layout):
    return _product(one_of("dtype", dtype, INTEGERS), m, k, n, a_layout, b_layout)


@family(_draw_product(HALVES, 768))
def matmul_half(dtype, m, k, n, a_layout, b_layout):
    return _product(one_of("dtype", dtype, HALVES), m, k, n, a_layout, b_layout)


@family(lambda d: {"dtype": d.pick("i8", "u8"), "m": d.size(1, 512), "k": d.size(1, 1024), "n": d.size(1, 512)})
def matmul_widening(dtype, m, k, n):
    """Products of matrices of i8 or u8, summed in i32, as quantised networks use them."""
    one_of("dtype", dtype, ("i8", "u8"))
    c = nest(f"i<{m}", f"for (int64_t j = 0; j < {n}; ++j) y(i, j) = 0;\nfor (int64_t p = 0; p < {k}; ++p) for (int64_t j = 0; j < {n}; ++j) "
             "y(i, j) += (int32_t)a(i, p) * (int32_t)b(p, j);")
    return Problem([Input("a", dtype, ("M", "K")), Input("b", dtype, ("K", "N"))], ["return y = matmul(cast(a, dtype=i32), cast(b, dtype=i32))"],
                   {"M": m, "K": k, "N": n}, lambda np, a, b: a.astype(np.int32) @ b.astype(np.int32), lambda torch, a, b: a.int() @ b.int(), c,
                   flops=2 * m * k * n)


@family(lambda d: {"dtype": d.often("f32", "f64", "bf16"), "m": d.size(1, 16), "k": d.size(16, 8192), "n": d.size(1, 8192), "weight": d.pick("kn", "nk")})
def matmul_skinny(dtype, m, k, n, weight):
    """Products of a few rows with a large matrix, stored by rows or by columns, as in one layer of a network that generates text."""
    one_of("dtype", dtype, (*FLOATS, "bf16"))
    layout = one_of("weight", weight, {"kn": "contiguous", "nk": "transposed"})
    problem = _product(dtype, m, k, n, "contiguous", layout)
    problem.inputs = [Input("a", dtype, ("M", k)), Input("b", dtype, (k, n), "normal", layout)]
    problem.sizes = {"M": m}
    if layout == "transposed":
        problem.c = nest(f"j<{n} i<{m}", f"{wide(dtype)} acc = 0;\nfor (int64_t p = 0; p < {k}; ++p) acc += a(i, p) * b(p, j);\n"
                         f"y(i, j) = {narrowed(dtype, 'acc')};")
    return problem


@family(lambda d: {"dtype": d.pick(*FLOATS), "m": d.size(1, 4096), "k": d.size(1, 4096), "side": d.pick("ax", "xb"),
                   "layout": d.often("contiguous", "transposed")})
def matrix_vector(dtype, m, k, side, layout):
    one_of("dtype", dtype, FLOATS)
    one_of("side", side, ("ax", "xb"))
    one_of("layout", layout, LAYOUTS)
    vector = Input("x", dtype, ("K",) if side == "ax" else ("M",))
    text = "matmul(a, x)" if side == "ax" else "matmul(x, a)"
    both = (lambda xp, a, x: a @ x) if side == "ax" else (lambda xp, a, x: x @ a)
    if side == "ax":
        c = nest(f"i<{m}", f"{C_TYPES[dtype]} acc = 0;\nfor (int64_t p = 0; p < {k}; ++p) acc += a(i, p) * x(p);\ny(i) = acc;")
    else:
        c = nest(f"j<{k}", "y(j) = 0;", False) + nest(f"i<{m} j<{k}", "y(j) += x(i) * a(i, j);", False)
    return Problem([Input("a", dtype, ("M", "K"), "normal", layout), vector], [f"return y = {text}"], {"M": m, "K": k}, both, both, c, flops=2 * m * k)


@family(lambda d: {"dtype": d.often("f32", "f64", "complex64", "i32"), "batch": d.size(1, 4096), "m": d.size(1, 128), "k": d.size(1, 128), "n": d.size(1, 128)})
def matmul_batched(dtype, batch, m, k, n):
    one_of("dtype", dtype, (*FLOATS, "complex64", "i32"))
    c = nest(f"e<{batch} i<{m}", f"for (int64_t j = 0; j < {n}; ++j) y(e, i, j) = 0;\nfor (int64_t p = 0; p < {k}; ++p) for (int64_t j = 0; j < {n}; ++j) "
             "y(e, i, j) += a(e, i, p) * b(e, p, j);")
    return Problem([Input("a", dtype, ("L", "M", "K")), Input("b", dtype, ("L", "K", "N"))], ["return y = batch_matmul(a, b)"],
                   {"L": batch, "M": m, "K": k, "N": n},
                   lambda np, a, b: a @ b, lambda torch, a, b: a @ b, c, flops=(8 if dtype == "complex64" else 2) * batch * m * k * n)


@family(lambda d: {"dtype": d.pick(*FLOATS), "batch": d.size(1, 1 << 16), "m": d.random.randint(1, 6), "k": d.random.randint(1, 6),
                   "n": d.random.randint(1, 6), "shared": d.pick(0, 1)})
def matmul_small(dtype, batch, m, k, n, shared):
    """Batches of matrices of a few rows and columns, such as rotations and Jacobians, or points that one small matrix transforms."""
    one_of("dtype", dtype, FLOATS)
    one_of("shared", shared, (0, 1))
    loop = f"{C_TYPES[dtype]} acc = 0;\nfor (int64_t p = 0; p < {k}; ++p) acc += {{}};\n{{}} = acc;"
    if shared:
        inputs, text, flops = [Input("a", dtype, ("L", k)), Input("b", dtype, (k, n))], "matmul(a, b)", 2 * batch * k * n
        c = nest(f"e<{batch} j<{n}", loop.format("a(e, p) * b(p, j)", "y(e, j)"))
    else:
        inputs, text, flops = [Input("a", dtype, ("L", m, k)), Input("b", dtype, ("L", k, n))], "batch_matmul(a, b)", 2 * batch * m * k * n
        c = nest(f"e<{batch} i<{m} j<{n}", loop.format("a(e, i, p) * b(e, p, j)", "y(e, i, j)"))
    return Problem(inputs, [f"return y = {text}"], {"L": batch}, lambda np, a, b: a @ b, lambda torch, a, b: a @ b, c, flops=flops)


@family(lambda d: {"m": d.size(1, 16), "k": d.size(16, 8192), "n": d.size(1, 8192), "weight": d.pick("kn", "nk")})
def matmul_quantised(m, k, n, weight):
    """Products of a few rows of f32 with weights of i8, as in a network that generates text. The weights are stored by rows or by columns."""
    layout = one_of("weight", weight, {"kn": "contiguous", "nk": "transposed"})
    if weight == "kn":
        c = nest(f"i<{m}", f"for (int64_t j = 0; j < {n}; ++j) y(i, j) = 0;\n"
                 f"for (int64_t p = 0; p < {k}; ++p) for (int64_t j = 0; j < {n}; ++j) y(i, j) += a(i, p) * (float)b(p, j);")
    else:
        c = nest(f"j<{n} i<{m}", f"float acc = 0;\nfor (int64_t p = 0; p < {k}; ++p) acc += a(i, p) * (float)b(p, j);\ny(i, j) = acc;")
    return Problem([Input("a", "f32", ("M", k)), Input("b", "i8", (k, n), "normal", layout)], ["return y = matmul(a, cast(b, dtype=f32))"], {"M": m},
                   lambda np, a, b: a @ b.astype(np.float32), lambda torch, a, b: a @ b.float(), c, flops=2 * m * k * n)


EINSUMS = ("ij,kj->ik", "bij,bkj->bik", "bhid,bhjd->bhij", "abc,cd->abd", "ij,ij->i", "ijk,jk->i", "bi,bj->bij", "ijk,ilk->jl", "abcd,cdef->abef",
           "ij,jk,k->i")


def _draw_einsum(d):
    spec = d.pick(*EINSUMS)
    return {"spec": spec, "dtype": d.often("f32", "f64"), **{letter: d.size(1, 24 if len(spec) > 12 else 96) for letter in ("p", "q", "r", "s", "t", "u")}}


@family(_draw_einsum)
def einsum(spec, dtype, p, q, r, s, t, u):
    """Contractions of several axes. p, q, r ... are the sizes of the letters of the spec, in the order of their first appearance."""
    *operands, result = one_of("spec", spec, EINSUMS).replace("->", ",").split(",")
    one_of("dtype", dtype, FLOATS)
    letters = list(dict.fromkeys("".join(operands)))
    size = dict(zip(letters, (p, q, r, s, t, u)))
    names = dict(zip(letters, "ABCDEF"))
    inputs = [Input(f"x{k}", dtype, tuple(names[letter] for letter in operand)) for k, operand in enumerate(operands)]
    product = " * ".join(f"x{k}({', '.join(operand)})" for k, operand in enumerate(operands))
    inner = " ".join(f"{letter}<{size[letter]}" for letter in letters if letter not in result)
    body = f"{C_TYPES[dtype]} acc = 0;\n" + (nest(inner, f"acc += {product};", False) if inner else f"acc += {product};\n") + f"y({', '.join(result)}) = acc;"
    flops = 2
    for letter in letters:
        flops *= size[letter]
    return Problem(inputs, [f'return y = einsum({", ".join(array.name for array in inputs)}, spec="{spec}")'],
                   {names[letter]: size[letter] for letter in letters},
                   lambda np, *x: np.einsum(spec, *x, optimize=True), lambda torch, *x: torch.einsum(spec, *x),
                   nest(" ".join(f"{letter}<{size[letter]}" for letter in result), body),
                   flops=flops)


LINEAR = ("outer", "gram", "cross", "trace", "vecdot")


@family(lambda d: {"op": d.pick(*LINEAR), "dtype": d.pick(*FLOATS), "rows": d.size(1, 2048), "columns": d.size(1, 512)})
def linear_algebra(op, dtype, rows, columns):
    """Small operations of linear algebra. gram is x @ transpose(x), a symmetric matrix."""
    one_of("op", op, LINEAR)
    one_of("dtype", dtype, FLOATS)
    one, two = [Input("a", dtype, ("N", "M"))], [Input("a", dtype, ("N", "M")), Input("b", dtype, ("N", "M"))]
    sizes = {"N": rows, "M": columns}
    if op == "outer":
        return Problem([Input("a", dtype, ("N",)), Input("b", dtype, ("M",))], ["return y = outer(a, b)"], sizes, lambda np, a, b: np.outer(a, b),
                       lambda torch, a, b: torch.outer(a, b), nest(f"i<{rows} j<{columns}", "y(i, j) = a(i) * b(j);"), flops=rows * columns)
    if op == "gram":
        c = nest(f"i<{rows} j<{rows}", f"{C_TYPES[dtype]} acc = 0;\nfor (int64_t p = 0; p < {columns}; ++p) acc += a(i, p) * a(j, p);\ny(i, j) = acc;")
        return Problem(one, ["return y = matmul(a, transpose(a))"], sizes, lambda np, a: a @ a.T, lambda torch, a: a @ a.T, c, flops=2 * rows * rows * columns)
    if op == "cross":
        c = nest(f"i<{rows}", "".join(f"y(i, {k}) = a(i, {(k + 1) % 3}) * b(i, {(k + 2) % 3}) - a(i, {(k + 2) % 3}) * b(i, {(k + 1) % 3});" for k in range(3)))
        pair = [Input(name, dtype, ("N", 3)) for name in "ab"]
        return Problem(pair, ["return y = cross(a, b)"], {"N": rows}, lambda np, a, b: np.cross(a, b), lambda torch, a, b: torch.linalg.cross(a, b), c,
                       flops=9 * rows)
    if op == "trace":
        square = min(rows, columns)
        c = "{" + f"{C_TYPES[dtype]} acc = 0;\nfor (int64_t i = 0; i < {square}; ++i) acc += a(i, i);\ny() = acc;" + "}"
        return Problem([Input("a", dtype, ("N", "N"))], ["return y = trace(a)"], {"N": square}, lambda np, a: np.trace(a), lambda torch, a: torch.trace(a), c,
                       flops=square)
    c = nest(f"i<{rows}", f"{C_TYPES[dtype]} acc = 0;\nfor (int64_t p = 0; p < {columns}; ++p) acc += a(i, p) * b(i, p);\ny(i) = acc;")
    return Problem(two, ["return y = vecdot(a, b)"], sizes, lambda np, a, b: np.einsum("ij,ij->i", a, b), lambda torch, a, b: (a * b).sum(-1), c,
                   flops=2 * rows * columns)
