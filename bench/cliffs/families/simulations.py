"""Defines families of benchmarks for programs of simulation and data analysis: stencils, Conway's game of life, waves, k-means, distances,
sparse products, N bodies, Mandelbrot's set."""
from case import CaseError, Input, Problem, family, one_of
from families.loops import C_TYPES, FLOATS, nest, over


def _inside(size, steps):
    if size < 3 or steps < 1:
        raise CaseError(f"expected at least 3 points a side and 1 step, found {size} and {steps}")


@family(lambda d: {"dtype": d.often("f32", "f64"), "height": d.size(3, 2048), "width": d.size(3, 2048), "steps": d.often(1, d.size(2, 8))})
def jacobi(dtype, height, width, steps):
    """Steps of Jacobi's method: each point becomes the mean of its four neighbours; points on the border keep their values."""
    one_of("dtype", dtype, FLOATS)
    _inside(min(height, width), steps)

    def numpy(np, u):
        for _ in range(steps):
            v = u.copy()
            v[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) * u.dtype.type(0.25)
            u = v
        return u

    def torch(torch, u):
        for _ in range(steps):
            v = u.clone()
            v[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) * 0.25
            u = v
        return u

    lines = []
    for k in range(steps):
        u = f"u{k}" if k else "u"
        lines += [f"m{k} = ({u}[:-2, 1:-1] + {u}[2:, 1:-1] + {u}[1:-1, :-2] + {u}[1:-1, 2:]) * 0.25",
                  f"u{k + 1} = concat({u}[:1], concat({u}[1:-1, :1], m{k}, {u}[1:-1, -1:], axis=1), {u}[-1:], axis=0)"]
    kind = C_TYPES[dtype]
    c = f"{kind} *from = malloc(sizeof({kind}) * {height * width}), *to = malloc(sizeof({kind}) * {height * width});\n"
    c += f"memcpy(from, &u(0, 0), sizeof({kind}) * {height * width}); memcpy(to, from, sizeof({kind}) * {height * width});\n"
    c += f"for (int s = 0; s < {steps}; ++s) {{\nPARALLEL\nfor (int64_t i = 1; i < {height - 1}; ++i) for (int64_t j = 1; j < {width - 1}; ++j)\n"
    c += f"to[i * {width} + j] = (from[(i - 1) * {width} + j] + from[(i + 1) * {width} + j] + from[i * {width} + j - 1] + from[i * {width} + j + 1]) * 0.25f;\n"
    c += f"{kind}* swap = from; from = to; to = swap;\n}}\nmemcpy(&y(0, 0), from, sizeof({kind}) * {height * width}); free(from); free(to);"
    return Problem([Input("u", dtype, ("N", "M"))], [*lines, f"return y = u{steps}"], {"N": height, "M": width}, numpy, torch, c, least={"N": 3, "M": 3},
                   flops=4 * steps * height * width)


@family(lambda d: {"dtype": d.often("f32", "f64"), "size": d.size(3, 160)})
def heat_cube(dtype, size):
    """One step of diffusion in a cube, with zeros outside the cube."""
    one_of("dtype", dtype, FLOATS)
    _inside(size, 1)

    def both(xp, u):
        p = xp.pad(u, 1) if xp.__name__ == "numpy" else xp.nn.functional.pad(u, (1,) * 6)
        around = p[:-2, 1:-1, 1:-1] + p[2:, 1:-1, 1:-1] + p[1:-1, :-2, 1:-1] + p[1:-1, 2:, 1:-1] + p[1:-1, 1:-1, :-2] + p[1:-1, 1:-1, 2:]
        return u + (around - 6 * u) * 0.1

    terms = []
    for axis, name in enumerate("ijk"):
        for sign, test in (("-", f"{name} > 0"), ("+", f"{name} < {size - 1}")):
            at = ", ".join(f"{n} {sign} 1" if n == name else n for n in "ijk")
            terms.append(f"({test} ? u({at}) : 0)")
    c = nest(f"i<{size} j<{size} k<{size}", f"y(i, j, k) = u(i, j, k) + ({' + '.join(terms)} - 6 * u(i, j, k)) * {'0.1f' if dtype == 'f32' else '0.1'};")
    lines = ["p = pad(u, before=[1, 1, 1], after=[1, 1, 1])", "a = p[:-2, 1:-1, 1:-1] + p[2:, 1:-1, 1:-1] + p[1:-1, :-2, 1:-1]",
             "b = p[1:-1, 2:, 1:-1] + p[1:-1, 1:-1, :-2] + p[1:-1, 1:-1, 2:]", "return y = u + (a + b - u * 6.0) * 0.1"]
    return Problem([Input("u", dtype, ("N", "N", "N"))], lines, {"N": size}, both, both, c, flops=9 * size**3)


@family(lambda d: {"dtype": d.often("f32", "f64"), "height": d.size(3, 512), "width": d.size(3, 512), "levels": d.size(1, 64)})
def horizontal_diffusion(dtype, height, width, levels):
    """Limited fourth-order diffusion of a weather model: a Laplacian, two limited fluxes and their divergence."""
    one_of("dtype", dtype, FLOATS)
    if min(height, width, levels) < 1:
        raise CaseError("expected sizes of at least 1")

    def both(xp, f, k):
        lap = 4 * f[1:-1, 1:-1] - (f[2:, 1:-1] + f[:-2, 1:-1] + f[1:-1, 2:] + f[1:-1, :-2])
        x, y = lap[1:, 1:-1] - lap[:-1, 1:-1], lap[1:-1, 1:] - lap[1:-1, :-1]
        zero = f[:1, :1] * 0
        x = xp.where(x * (f[2:-1, 2:-2] - f[1:-2, 2:-2]) > 0, zero, x)
        y = xp.where(y * (f[2:-2, 2:-1] - f[2:-2, 1:-2]) > 0, zero, y)
        return f[2:-2, 2:-2] - k * (x[1:] - x[:-1] + y[:, 1:] - y[:, :-1])

    lines = ["lap = f[1:-1, 1:-1] * 4.0 - (f[2:, 1:-1] + f[:-2, 1:-1] + f[1:-1, 2:] + f[1:-1, :-2])", "x0 = lap[1:, 1:-1] - lap[:-1, 1:-1]",
             "y0 = lap[1:-1, 1:] - lap[1:-1, :-1]",
             "x = where(x0 * (f[2:-1, 2:-2] - f[1:-2, 2:-2]) > 0, 0, x0)", "z = where(y0 * (f[2:-2, 2:-1] - f[2:-2, 1:-2]) > 0, 0, y0)",
             "return y = f[2:-2, 2:-2] - k * (x[1:] - x[:-1] + z[:, 1:] - z[:, :-1])"]
    kind = C_TYPES[dtype]
    head = f"#define LAP(i, j) (4 * F(i, j) - (F(i + 1, j) + F(i - 1, j) + F(i, j + 1) + F(i, j - 1)))\n#define F(i, j) f[((i) * {width + 4} + (j)) * {levels} + l]\n"
    head += f"static inline {kind} flux(const {kind}* f, int64_t i, int64_t j, int64_t p, int64_t q, int64_t l) {{\n"
    head += f"const {kind} d = LAP(p, q) - LAP(i, j);\nreturn d * (F(p, q) - F(i, j)) > 0 ? 0 : d;\n}}\n"
    flux = [f"flux(&f(0, 0, 0), {a}, {b}, {p}, {q}, l)" for a, b, p,
            q in (("i + 2", "j + 2", "i + 3", "j + 2"), ("i + 1", "j + 2", "i + 2", "j + 2"), ("i + 2", "j + 2", "i + 2", "j + 3"),
                                                                       ("i + 2", "j + 1", "i + 2", "j + 2"))]
    c = nest(f"i<{height} j<{width} l<{levels}", f"y(i, j, l) = f(i + 2, j + 2, l) - k(i, j, l) * ({flux[0]} - {flux[1]} + {flux[2]} - {flux[3]});")
    return Problem([Input("f", dtype, ("N + 4", "M + 4", levels)), Input("k", dtype, ("N", "M", levels), "positive")], lines, {"N": height, "M": width}, both,
                   both, c, head,
                   flops=30 * height * width * levels)


@family(lambda d: {"dtype": d.often("f32", "f64"), "height": d.size(3, 2048), "width": d.size(3, 2048)})
def waves(dtype, height, width):
    """One step of Maxwell's equations in a plane (FDTD): each field component changes by differences of another component."""
    one_of("dtype", dtype, FLOATS)
    _inside(min(height, width), 1)

    def numpy(np, ex, ey, hz):
        ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
        half, more = ex.dtype.type(0.5), ex.dtype.type(0.7)
        ey[1:] -= half * (hz[1:] - hz[:-1])
        ex[:, 1:] -= half * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= more * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
        return ex, ey, hz

    def torch(torch, ex, ey, hz):
        ex, ey, hz = ex.clone(), ey.clone(), hz.clone()
        ey[1:] -= 0.5 * (hz[1:] - hz[:-1])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
        return ex, ey, hz

    lines = ["b = concat(ey[:1], ey[1:] - (hz[1:] - hz[:-1]) * 0.5, axis=0)", "a = concat(ex[:, :1], ex[:, 1:] - (hz[:, 1:] - hz[:, :-1]) * 0.5, axis=1)",
             "d = hz[:-1, :-1] - (a[:-1, 1:] - a[:-1, :-1] + b[1:, :-1] - b[:-1, :-1]) * 0.7", "h = concat(concat(d, hz[:-1, -1:], axis=1), hz[-1:], axis=0)",
             "return x = a, y = b, z = h"]
    n, m, more = height, width, "0.7f" if dtype == "f32" else "0.7"
    c = over((n, m), "y(i0, i1) = i0 > 0 ? ey(i0, i1) - 0.5f * (hz(i0, i1) - hz(i0 - 1, i1)) : ey(i0, i1);\n"
             "x(i0, i1) = i1 > 0 ? ex(i0, i1) - 0.5f * (hz(i0, i1) - hz(i0, i1 - 1)) : ex(i0, i1);")
    c += over((n, m), f"z(i0, i1) = i0 < {n - 1} && i1 < {m - 1} ? hz(i0, i1) - {more} * (x(i0, i1 + 1) - x(i0, i1) + y(i0 + 1, i1) - y(i0, i1)) : hz(i0, i1);")
    return Problem([Input(name, dtype, ("N", "M")) for name in ("ex", "ey", "hz")], lines, {"N": n, "M": m}, numpy, torch, c, least={"N": 3, "M": 3},
                   flops=11 * n * m)


@family(lambda d: {"dtype": d.pick("u8", "i32"), "height": d.size(3, 2048), "width": d.size(3, 2048), "steps": d.often(1, d.size(2, 4))})
def life(dtype, height, width, steps):
    """Generations of Conway's game of life on a torus."""
    one_of("dtype", dtype, ("u8", "i32"))
    _inside(min(height, width), steps)

    def both(xp, u):
        for _ in range(steps):
            around = 0
            for i in (-1, 0, 1):
                for j in (-1, 0, 1):
                    if i or j:
                        around = around + xp.roll(u, (i, j), (0, 1))
            u = (around == 3) | ((around == 2) & (u == 1))
            u = u.astype(getattr(xp, {"u8": "uint8"}.get(dtype, "int32"))) if xp.__name__ == "numpy" else u.to(getattr(xp, {"u8": "uint8"}.get(dtype, "int32")))
        return u

    lines = []
    for k in range(steps):
        u = f"u{k}" if k else "u"
        rolled = " + ".join(f"roll({u}, shift=[{i}, {j}], axis=[0, 1])" for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        lines += [f"a{k} = {rolled}", f"u{k + 1} = cast((a{k} == 3) | ((a{k} == 2) & ({u} == 1)), dtype={dtype})"]
    kind = C_TYPES[dtype]
    step = f"const int64_t a = (i + {height - 1}) % {height}, b = (i + 1) % {height}, l = (j + {width - 1}) % {width}, r = (j + 1) % {width};\n"
    step += "const int s = " + " + ".join(f"from[{i} * {width} + {j}]" for i in "aib" for j in ("l", "j", "r") if (i, j) != ("i", "j")) + ";\n"
    step += f"to[i * {width} + j] = s == 3 || (s == 2 && from[i * {width} + j] == 1);"
    c = f"{kind}* more = malloc(sizeof({kind}) * {2 * height * width});\nconst {kind}* from = &u(0, 0);\n"
    c += f"for (int g = 0; g < {steps}; ++g) {{\n{kind}* to = g == {steps - 1} ? &y(0, 0) : more + g % 2 * {height * width};\n"
    c += nest(f"i<{height} j<{width}", step) + "from = to;\n}\nfree(more);"
    return Problem([Input("u", dtype, ("N", "M"), "index 2")], [*lines, f"return y = u{steps}"], {"N": height, "M": width}, both, both, c, flops=0)


@family(lambda d: {"op": d.pick("distances", "squared", "nearest"), "dtype": d.often("f32", "f64"), "points": d.size(1, 4096), "others": d.size(1, 2048),
                   "axes": d.often(d.size(1, 8), d.channels(512))})
def pairwise(op, dtype, points, others, axes):
    """Euclidean distances between two sets of points, or their squares, or each point's least squared distance to the other set."""
    one_of("op", op, ("distances", "squared", "nearest"))
    one_of("dtype", dtype, FLOATS)

    def numpy(np, x, z):
        d = np.zeros((points, others), x.dtype)
        for k in range(axes):
            d += np.square(x[:, None, k] - z[None, :, k])
        return np.sqrt(d) if op == "distances" else d.min(axis=1) if op == "nearest" else d

    def torch(torch, x, z):
        d = torch.cdist(x, z)
        return d if op == "distances" else d.square() if op == "squared" else d.amin(1).square()

    finish = {"distances": "sqrt(s)", "squared": "s", "nearest": "min(s, axes=[1])"}[op]
    lines = ["s = sum(square(unsqueeze(x, axes=[1]) - unsqueeze(z, axes=[0])), axes=[2])", f"return y = {finish}"]
    kind = C_TYPES[dtype]
    inner = f"{kind} s = 0;\nfor (int64_t k = 0; k < {axes}; ++k) s += (x(i, k) - z(j, k)) * (x(i, k) - z(j, k));\n"
    if op == "nearest":
        c = nest(f"i<{points}", f"{kind} best = INFINITY;\nfor (int64_t j = 0; j < {others}; ++j) {{\n{inner}if (s < best) best = s;\n}}\ny(i) = best;")
    else:
        c = nest(f"i<{points} j<{others}", inner + f"y(i, j) = {'s' if op == 'squared' else 'sqrt' + ('f' if dtype == 'f32' else '') + '(s)'};")
    return Problem([Input("x", dtype, ("N", axes)), Input("z", dtype, ("M", axes))], lines, {"N": points, "M": others}, numpy, torch, c,
                   flops=3 * points * others * axes)


@family(lambda d: {"points": d.size(1, 1 << 16), "axes": d.often(d.size(1, 8), d.size(8, 128)), "clusters": d.size(1, 64)})
def kmeans(points, axes, clusters):
    """One round of k-means: the nearest centre of each point, the sum and the number of the points of each cluster, and the new centres."""
    def numpy(np, x, c):
        d = (c * c).sum(axis=1) - 2 * (x @ c.T)
        own = d.argmin(axis=1)
        sums = np.stack([np.bincount(own, x[:, k], clusters) for k in range(axes)], axis=1)
        return (sums / np.maximum(np.bincount(own, minlength=clusters), 1)[:, None]).astype(np.float32)

    def torch(torch, x, c):
        own = ((c * c).sum(1) - 2 * (x @ c.T)).argmin(1)
        sums = torch.zeros(clusters, axes).index_add(0, own, x)
        return sums / torch.bincount(own, minlength=clusters).clamp(min=1)[:, None]

    lines = ["d = sum(c * c, axes=[1]) - matmul(x, transpose(c)) * 2.0", "own = argmin(d, axis=1)",
             f"sums = index_add(full(value=f32(0), shape=[{clusters}, {axes}], dtype=f32), own, x, axis=0)",
             f"counts = scatter_add(full(value=f32(0), shape=[{clusters}], dtype=f32), own, full(value=f32(1), shape=[N], dtype=f32), axis=0)",
             "return y = sums / unsqueeze(maximum(counts, 1.0), axes=[1])"]
    c = nest(f"k<{clusters} a<{axes}", "y(k, a) = 0;", False) + f"int64_t counts[{max(clusters, 1)}] = {{0}};\n" + nest(
        f"i<{points}", f"float best = INFINITY; int64_t own = 0;\nfor (int64_t k = 0; k < {clusters}; ++k) {{ float s = 0;\n"
        f"for (int64_t a = 0; a < {axes}; ++a) s += (x(i, a) - c(k, a)) * (x(i, a) - c(k, a));\nif (s < best) best = s, own = k; }}\n"
        f"++counts[own];\nfor (int64_t a = 0; a < {axes}; ++a) y(own, a) += x(i, a);", False)
    c += nest(f"k<{clusters} a<{axes}", "y(k, a) /= counts[k] ? counts[k] : 1;", False)
    # Rounding may decide to which of two equally distant centres a point is assigned; either choice changes both centres.
    return Problem([Input("x", "f32", ("N", axes)), Input("c", "f32", (clusters, axes))], lines, {"N": points}, numpy, torch, c,
                   flops=2 * points * axes * clusters, mismatches=0.05)


@family(lambda d: {"form": d.pick("rows", "pairs"), "dtype": d.pick(*FLOATS), "rows": d.size(1, 1 << 16), "each": d.size(1, 64),
                   "width": d.often(1, d.size(2, 64))})
def sparse_product(form, dtype, rows, each, width):
    """Products of a sparse matrix and a dense one; the sparse one is stored by rows, or as a list of entries with row and column."""
    one_of("form", form, ("rows", "pairs"))
    one_of("dtype", dtype, FLOATS)
    flops = 2 * rows * each * width
    x = Input("x", dtype, ("N", width))
    if form == "rows":
        inputs = [Input("n", "i32", ("N", each), f"index {rows}"), Input("v", dtype, ("N", each)), x]
        c = nest(f"i<{rows}", f"for (int64_t j = 0; j < {width}; ++j) y(i, j) = 0;\nfor (int64_t k = 0; k < {each}; ++k) for (int64_t j = 0; j < {width}; ++j) "
                 "y(i, j) += v(i, k) * x(n(i, k), j);")
        return Problem(inputs, ["return y = sum(take(x, n, axis=0) * unsqueeze(v, axes=[2]), axes=[1])"], {"N": rows}, lambda np, n, v,
                       x: (x[n] * v[:, :, None]).sum(axis=1),
                       lambda torch, n, v, x: (x[n.long()] * v[:, :, None]).sum(1), c, flops=flops)
    count = rows * each

    def numpy(np, i, n, v, x):
        y = np.zeros_like(x)
        np.add.at(y, i, x[n] * v[:, None])
        return y

    c = nest(f"r<{rows} j<{width}", "y(r, j) = 0;", False) + nest(f"e<{count} j<{width}", "y(i(e), j) += v(e) * x(n(e), j);", False)
    return Problem([Input("i", "i64", ("M",), f"index {rows}"), Input("n", "i64", ("M",), f"index {rows}"), Input("v", dtype, ("M",)), x],
                   [f"zero = full(value={dtype}(0), shape=[N, {width}], dtype={dtype})",
                    "return y = index_add(zero, i, take(x, n, axis=0) * unsqueeze(v, axes=[1]), axis=0)"],
                   {"N": rows, "M": count}, numpy, lambda torch, i, n, v, x: torch.zeros_like(x).index_add(0, i, x[n] * v[:, None]), c, flops=flops)


@family(lambda d: {"bodies": d.size(2, 2048)})
def bodies(bodies):
    """The forces between all pairs of N bodies, softened at short distances."""
    def both(xp, p, m):
        d = p[None, :, :] - p[:, None, :]
        r = (d * d).sum(-1) + 0.01
        return (d * (m / (r * xp.sqrt(r)))[:, :, None]).sum(1)

    lines = ["d = unsqueeze(p, axes=[0]) - unsqueeze(p, axes=[1])", "r = sum(d * d, axes=[2]) + 0.01",
             "return y = sum(d * unsqueeze(m / (r * sqrt(r)), axes=[2]), axes=[1])"]
    c = nest(f"i<{bodies}", f"float s[3] = {{0, 0, 0}};\nfor (int64_t j = 0; j < {bodies}; ++j) {{\n"
             "const float a = p(j, 0) - p(i, 0), b = p(j, 1) - p(i, 1), c = p(j, 2) - p(i, 2);\n"
             "const float r = a * a + b * b + c * c + 0.01f, w = m(j) / (r * sqrtf(r));\ns[0] += a * w; s[1] += b * w; s[2] += c * w;\n}\n"
             "for (int k = 0; k < 3; ++k) y(i, k) = s[k];")
    return Problem([Input("p", "f32", ("N", 3)), Input("m", "f32", ("N",), "positive")], lines, {"N": bodies}, both, both, c, flops=20 * bodies * bodies)


@family(lambda d: {"height": d.size(1, 512), "width": d.size(1, 512), "most": d.pick(10, 50, 100)})
def mandelbrot(height, width, most):
    """Mandelbrot's set: the number of steps until each point of the plane escapes, by a custom function."""
    body = ['let re = input0[ridx1] * 1.5 - 0.5', 'let im = input1[ridx0] * 1.2', 'let zr = f32(0)', 'let zi = f32(0)', 'let n = i32(0)',
            f'while (n < {most}) & (zr * zr + zi * zi <= 4.0) {{', '  let t = zr * zr - zi * zi + re', '  zi = zr * zi * 2.0 + im', '  zr = t',
            '  n = n + 1', '}', 'output = n']

    def numpy(np, x, y):
        re, im = (x * np.float32(1.5) - np.float32(0.5))[None, :], (y * np.float32(1.2))[:, None]
        zr, zi, n = np.zeros((height, width), np.float32), np.zeros((height, width), np.float32), np.zeros((height, width), np.int32)
        for _ in range(most):
            alive = zr * zr + zi * zi <= 4
            zr, zi = np.where(alive, zr * zr - zi * zi + re, zr), np.where(alive, zr * zi * 2 + im, zi)
            n += alive
        return n

    c = nest(f"i<{height} j<{width}", f"const float re = x(j) * 1.5f - 0.5f, im = y(i) * 1.2f; float zr = 0, zi = 0; int32_t n = 0;\n"
             f"for (; n < {most} && zr * zr + zi * zi <= 4; ++n) {{ const float t = zr * zr - zi * zi + re; zi = zr * zi * 2 + im; zr = t; }}\nr(i, j) = n;")
    text = "\n".join(["return r = custom_function(x, y, body=\"\"\"", *(f"    {line}" for line in body), '  """, dtype=i32, shape=[N, M])'])
    return Problem([Input("x", "f32", ("M",)), Input("y", "f32", ("N",))], [text], {"N": height, "M": width}, numpy, None, c, flops=0, mismatches=0.02)


def _draw_nussinov(d):
    bases = d.size(4, 1000)
    return {"bases": bases, "count": d.size(1, bases - 1)}


@family(_draw_nussinov)
def nussinov(bases, count):
    """One diagonal of Nussinov's recurrence, which maximises the number of paired bases in a strand of RNA. A custom function computes it:
    each element reads a part of a row and a part of a column of the table."""
    if not 0 < count < bases:
        raise CaseError(f"count: expected 1 to {bases - 1} elements, found {count}")
    body = ["let j = ridx0 + size(input0, 0) - shape0", "if (ridx0 + 1 < size(input0, 0)) & (j >= 1) & (j < size(input0, 0)) {",
            "  let most = maximum(input2[ridx0], maximum(input0[ridx0, j - 1], input0[ridx0 + 1, j]))", "  let is_pair = input1[ridx0] + input1[j] == 3",
            "  most = maximum(most, input0[ridx0 + 1, j - 1] + where(is_pair, i32(1), i32(0)))",
            "  for k in ridx0 + 1 .. j { most = maximum(most, input0[ridx0, k] + input0[k + 1, j]) }", "  output = most", "}"]

    def numpy(np, table, strand, before):
        result = before.copy()
        for i in range(count):
            j = i + bases - count
            pair = table[i + 1, j - 1] + (strand[i] + strand[j] == 3)
            split = table[i, i + 1:j] + table[i + 2:j + 1, j]
            result[i] = max(before[i], table[i, j - 1], table[i + 1, j], pair, *([split.max()] if split.size else []))
        return result

    c = nest(f"i<{count}", f"""const int64_t j = i + {bases - count};
int32_t most = before(i);
most = table(i, j - 1) > most ? table(i, j - 1) : most;
most = table(i + 1, j) > most ? table(i + 1, j) : most;
const int32_t pair = table(i + 1, j - 1) + (strand(i) + strand(j) == 3);
most = pair > most ? pair : most;
for (int64_t k = i + 1; k < j; ++k) {{ const int32_t both = table(i, k) + table(k + 1, j); most = both > most ? both : most; }}
r(i) = most;""")
    text = "\n".join(["return r = custom_function(table, strand, before, body=\"\"\"", *(f"    {line}" for line in body), '  """, dtype=i32, shape=[M])'])
    inputs = [Input("table", "i32", ("N", "N"), "index 20"), Input("strand", "i32", ("N",), "index 4"), Input("before", "i32", ("M",), "index 20")]
    steps = count * (bases - count)
    return Problem(inputs, [text], {"N": bases, "M": count}, numpy, None, c, flops=2 * steps, bytes_read=4 * min(bases * bases, 2 * steps))
