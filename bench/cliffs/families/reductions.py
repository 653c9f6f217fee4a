"""Defines families of benchmarks for reductions, statistics, arg-extremes, scans, softmax, norms and losses, along long axes and along
short ones."""
import math

from case import LAYOUTS, CaseError, Input, Problem, family, one_of, sizes_of
from families.loops import C_TYPES, FLOATS, HALVES, indices, narrowed, nest, symbolic, wide


def matrix_of(d, most=1 << 22):
    """Draws a number of rows and a number of columns; the number of columns is often small."""
    columns = d.often(d.size(1, 16), d.size(17, 2048), d.size(64, 1 << 16), d.channels())
    return d.size(1, max(1, most // columns)), columns


def _draw(d, **more):
    rows, columns = matrix_of(d)
    kind = d.random.random()
    if kind < 0.2:
        shape, axes = f"{d.size(1, 64)}x{d.size(1, 64)}x{d.size(1, 512)}", d.pick("0", "1", "2", "01", "12", "02")
    elif kind < 0.35:  # pictures with colours, or points with coordinates
        shape, axes = f"{d.size(2, 500)}x{d.size(2, 512)}x{d.pick(2, 3, 4, 7)}", d.often("0", "1", "01", "2")
    else:
        shape, axes = f"{rows}x{columns}", d.often("1", "0", "01")
    return {**more, "shape": shape, "axes": axes, "layout": d.layout()}


def _parts(shape, axes, layout):
    """Returns the sizes as numbers, the reduced axes, and the axes that are kept."""
    one_of("layout", layout, LAYOUTS)
    shape = sizes_of(shape)
    axes = [int(digit) for digit in str(axes) if digit.isdigit()]
    if not axes or len(set(axes)) != len(axes) or max(axes) >= len(shape):
        raise CaseError(f"axes: expected digits of different axes below {len(shape)}, found {axes}")
    return shape, axes, [axis for axis in range(len(shape)) if axis not in axes]


def _c_reduction(shape, axes, kept, start, step, finish):
    """Returns C loops over the kept axes; their body has the loops over the reduced axes."""
    at = indices(len(shape))
    inner = nest(" ".join(f"i{axis}<{shape[axis]}" for axis in axes), f"{step.replace('X', 'x(' + ', '.join(at) + ')')}", False)
    body = f"{start}\n{inner}\ny({', '.join(f'i{axis}' for axis in kept)}) = {finish};"
    return nest(" ".join(f"i{axis}<{shape[axis]}" for axis in kept), body) if kept else "{" + body + "}"


REDUCTIONS = {"sum": ("acc += X;", "0"), "prod": ("acc *= X;", "1"), "max": ("acc = X > acc ? X : acc;", None), "min": ("acc = X < acc ? X : acc;", None),
              "mean": ("acc += X;", "0"), "any": ("acc |= X != 0;", "0"), "count_nonzero": ("acc += X != 0;", "0")}


def _draw_reduce(d):
    op = d.often("sum", *REDUCTIONS)
    return _draw(d, op=op, dtype=d.often("f32", "f64", *HALVES, *(() if op == "mean" else ("i32", "i8", "u8", "i64"))))


@family(_draw_reduce)
def reduce(op, dtype, shape, axes, layout):
    step, start = one_of("op", op, REDUCTIONS)
    one_of("dtype", dtype, (*FLOATS, *HALVES, *(() if op == "mean" else ("i32", "i8", "u8", "i64"))))
    shape, axes, kept = _parts(shape, axes, layout)
    if op == "mean" and 0 in shape:
        raise CaseError("a mean needs elements")
    named, sizes = symbolic(shape, 2)
    count = math.prod(shape[axis] for axis in axes)

    def numpy(np, x):
        if op == "count_nonzero":
            return np.asarray(np.count_nonzero(x, axis=tuple(axes)))
        return getattr(np, op)(x, axis=tuple(axes), **({"dtype": x.dtype} if op in ("sum", "prod", "mean") else {}))

    def torch(torch, x):
        if op in ("max", "min"):
            return getattr(torch, "a" + op)(x, dim=axes)
        if op == "count_nonzero":
            return torch.count_nonzero(x, dim=axes)
        if op in ("any", "prod"):
            for axis in reversed(axes):
                x = torch.any(x, dim=axis) if op == "any" else torch.prod(x, dim=axis, dtype=x.dtype)
            return x
        return getattr(torch, op)(x, dim=axes, dtype=x.dtype)

    kind = "int64_t" if op in ("any", "count_nonzero") else wide(dtype)
    first = f"x({', '.join('0' if axis in axes else f'i{axis}' for axis in range(len(shape)))})"
    result = f"acc / {count}" if op == "mean" else "acc"
    c = _c_reduction(shape, axes, kept, f"{kind} acc = {start or first};", step, result if kind == "int64_t" else narrowed(dtype, result))
    return Problem([Input("x", dtype, named, "positive" if op != "prod" else "normal", layout)], [f"return y = {op}(x, axes={axes})"], sizes, numpy, torch,
                   c, flops=math.prod(shape))


STATISTICS = {"var": ("var", "var"), "std": ("std", "std"), "norm": (None, None), "logsumexp": (None, None)}


@family(lambda d: _draw(d, op=d.pick(*STATISTICS), dtype=d.often("f32", "f64")))
def statistics(op, dtype, shape, axes, layout):
    one_of("op", op, STATISTICS)
    one_of("dtype", dtype, FLOATS)
    shape, axes, kept = _parts(shape, axes, layout)
    named, sizes = symbolic(shape, 2)
    count, f = math.prod(shape[axis] for axis in axes), "f" if dtype == "f32" else ""

    def numpy(np, x):
        if op == "norm":
            return np.sqrt(np.sum(x * x, axis=tuple(axes)))
        if op == "logsumexp":
            top = np.max(x, axis=tuple(axes), keepdims=True)
            return np.log(np.sum(np.exp(x - top), axis=tuple(axes))) + top.reshape([shape[axis] for axis in kept])
        return getattr(np, op)(x, axis=tuple(axes))

    def torch(torch, x):
        if op == "norm":
            return torch.linalg.vector_norm(x, dim=axes)
        return torch.logsumexp(x, dim=axes) if op == "logsumexp" else getattr(torch, op)(x, dim=axes, unbiased=False)

    kind = C_TYPES[dtype]
    if op == "norm":
        c = _c_reduction(shape, axes, kept, f"{kind} acc = 0;", "acc += X * X;", f"sqrt{f}(acc)")
    else:
        at = ", ".join(indices(len(shape)))
        again = nest(" ".join(f"i{axis}<{shape[axis]}" for axis in axes),
                     f"{kind} d = x({at}) - first; total += " + ("d * d;" if op != "logsumexp" else f"exp{f}(d);"), False)
        step, start = ("acc += X;", "0") if op != "logsumexp" else ("acc = X > acc ? X : acc;", "-INFINITY")
        finish = {"var": f"total / {count}", "std": f"sqrt{f}(total / {count})", "logsumexp": f"log{f}(total) + first"}[op]
        at = indices(len(shape))
        inner = nest(" ".join(f"i{axis}<{shape[axis]}" for axis in axes), step.replace("X", f"x({', '.join(at)})"), False)
        body = f"{kind} acc = {start}, total = 0;\n{inner}const {kind} first = acc{f' / {count}' if op != 'logsumexp' else ''};\n{again}"
        body += f"y({', '.join(f'i{axis}' for axis in kept)}) = {finish};"
        c = nest(" ".join(f"i{axis}<{shape[axis]}" for axis in kept), body) if kept else "{" + body + "}"
    return Problem([Input("x", dtype, named, "normal", layout)], [f"return y = {op}(x, axes={axes})"], sizes, numpy, torch, c, flops=3 * math.prod(shape))


def _draw_rows(d, **more):
    rows, columns = matrix_of(d)
    return {**more, "rows": rows, "columns": columns, "axis": d.often(1, 0), "layout": d.layout()}


@family(lambda d: _draw_rows(d, op=d.pick("argmax", "argmin"), dtype=d.often("f32", "f64", "i32", "i8", "u8")))
def arg_extreme(op, dtype, rows, columns, axis, layout):
    one_of("op", op, ("argmax", "argmin"))
    one_of("dtype", dtype, (*FLOATS, "i32", "i8", "u8"))
    one_of("axis", axis, (0, 1))
    one_of("layout", layout, LAYOUTS)
    outer, inner = (rows, columns) if axis == 1 else (columns, rows)
    element, first = ("x(i, j)", "x(i, 0)") if axis == 1 else ("x(j, i)", "x(0, i)")
    c = nest(f"i<{outer}", f"{C_TYPES[dtype]} best = {first}; int64_t at = 0;\nfor (int64_t j = 1; j < {inner}; ++j) "
             f"if ({element} {'>' if op == 'argmax' else '<'} best) best = {element}, at = j;\ny(i) = at;")
    return Problem([Input("x", dtype, ("N", "M"), "normal", layout)], [f"return y = {op}(x, axis={axis})"], {"N": rows, "M": columns},
                   lambda np, x: getattr(np, op)(x, axis=axis), lambda torch, x: getattr(torch, op)(x, dim=axis), c, flops=rows * columns)


SCANS = {"cumsum": ("cumsum", "acc + X"), "cumprod": ("cumprod", "acc * X"), "cummax": (None, "X > acc ? X : acc"), "logcumsumexp": (None, None)}


def _draw_scan(d):
    op = d.often("cumsum", *SCANS)
    return _draw_rows(d, op=op, dtype=d.pick(*FLOATS) if op == "logcumsumexp" else d.often("f32", "f64", "i32", "i64"))


@family(_draw_scan)
def scan(op, dtype, rows, columns, axis, layout):
    numpy_name, step = one_of("op", op, SCANS)
    one_of("dtype", dtype, FLOATS if op == "logcumsumexp" else (*FLOATS, "i32", "i64"))
    one_of("axis", axis, (0, 1))
    one_of("layout", layout, LAYOUTS)

    def numpy(np, x):
        if op == "cummax":
            return np.maximum.accumulate(x, axis=axis)
        return np.logaddexp.accumulate(x, axis=axis) if op == "logcumsumexp" else getattr(np, numpy_name)(x, axis=axis, dtype=x.dtype)

    def torch(torch, x):
        if op in ("cumsum", "cumprod"):
            return getattr(torch, op)(x, dim=axis, dtype=x.dtype)
        return torch.cummax(x, dim=axis).values if op == "cummax" else torch.logcumsumexp(x, dim=axis)

    c = None
    if step and axis == 1:
        step = step.replace("X", "x(i, j)")
        c = nest(f"i<{rows}", f"{C_TYPES[dtype]} acc = x(i, 0); y(i, 0) = acc;\nfor (int64_t j = 1; j < {columns}; ++j) {{ acc = {step}; y(i, j) = acc; }}")
    elif step:
        step = step.replace("X", "x(j, i)").replace("acc", "y(j - 1, i)")
        c = nest(f"i<{columns}", "y(0, i) = x(0, i);", False) + f"for (int64_t j = 1; j < {rows}; ++j)\n" + nest(f"i<{columns}", f"y(j, i) = {step};", False)
    return Problem([Input("x", dtype, ("N", "M"), "normal", layout)], [f"return y = {op}(x, axis={axis})"], {"N": rows, "M": columns}, numpy, torch, c,
                   flops=rows * columns)


@family(lambda d: _draw_rows(d, op=d.pick("softmax", "log_softmax"), dtype=d.often("f32", "f64")))
def softmax(op, dtype, rows, columns, axis, layout):
    one_of("op", op, ("softmax", "log_softmax"))
    one_of("dtype", dtype, FLOATS)
    one_of("axis", axis, (0, 1))
    one_of("layout", layout, LAYOUTS)

    def numpy(np, x):
        shifted = x - x.max(axis=axis, keepdims=True)
        e = np.exp(shifted)
        total = e.sum(axis=axis, keepdims=True)
        return e / total if op == "softmax" else shifted - np.log(total)

    outer, inner, element = (rows, columns, "(i, j)") if axis == 1 else (columns, rows, "(j, i)")
    kind, f = C_TYPES[dtype], "f" if dtype == "f32" else ""
    loop = f"for (int64_t j = 0; j < {inner}; ++j)"
    last = f"y{element} *= scale" if op == "softmax" else f"y{element} = x{element} - top - scale"
    value = f"const {kind} e = exp{f}(x{element} - top); total += e;" + (f" y{element} = e;" if op == "softmax" else "")
    c = nest(f"i<{outer}", f"{kind} top = -INFINITY, total = 0;\n{loop} top = x{element} > top ? x{element} : top;\n{loop} {{ {value} }}\n"
             f"const {kind} scale = {'1 / total' if op == 'softmax' else f'log{f}(total)'};\n{loop} {last};")
    return Problem([Input("x", dtype, ("N", "M"), "normal", layout)], [f"return y = {op}(x, axis={axis})"], {"N": rows, "M": columns}, numpy,
                   lambda torch, x: getattr(torch, op)(x, dim=axis), c, flops=5 * rows * columns)


def _draw_norm(d):
    rows, columns = matrix_of(d)
    return {"op": d.pick("layer_norm", "rms_norm"), "rows": rows, "columns": columns}


@family(_draw_norm)
def row_norm(op, rows, columns):
    layer = one_of("op", op, {"layer_norm": True, "rms_norm": False})

    def numpy(np, x, w, *b):
        centred = x - x.mean(axis=1, keepdims=True) if layer else x
        y = centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(1e-5)) * w
        return y + b[0] if layer else y

    def torch(torch, x, w, *b):
        if layer:
            return torch.nn.functional.layer_norm(x, (columns,), w, b[0], 1e-5)
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * w

    loop = f"for (int64_t j = 0; j < {columns}; ++j)"
    mean = f"float m = 0;\n{loop} m += x(i, j);\nm /= {columns};" if layer else "const float m = 0;"
    c = nest(f"i<{rows}", f"{mean}\nfloat v = 0;\n{loop} v += (x(i, j) - m) * (x(i, j) - m);\nconst float s = 1 / sqrtf(v / {columns} + 1e-5f);\n"
             f"{loop} y(i, j) = (x(i, j) - m) * s * w(j){' + b(j)' if layer else ''};")
    inputs = [Input("x", "f32", ("N", columns)), Input("w", "f32", (columns,)), Input("b", "f32", (columns,))]
    return Problem(inputs[:3 if layer else 2], [f"return y = {op}(x, weight=w{', bias=b' if layer else ''}, eps=1e-5)"], {"N": rows}, numpy, torch, c,
                   flops=7 * rows * columns)


def _draw_half(d):
    rows, columns = matrix_of(d)
    return {"op": d.pick("softmax", "layer_norm", "rms_norm"), "dtype": d.pick(*HALVES), "rows": rows, "columns": max(columns, 4)}


@family(_draw_half)
def row_half(op, dtype, rows, columns):
    """Softmax and norms of rows of 16-bit floats."""
    one_of("op", op, ("softmax", "layer_norm", "rms_norm"))
    one_of("dtype", dtype, HALVES)

    def numpy(np, x, *w):
        x = x.astype(np.float32)
        if op == "softmax":
            e = np.exp(x - x.max(axis=1, keepdims=True))
            return e / e.sum(axis=1, keepdims=True)
        centred = x - x.mean(axis=1, keepdims=True) if op == "layer_norm" else x
        return centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(1e-5)) * w[0].astype(np.float32)

    def torch(torch, x, *w):
        if op == "softmax":
            return torch.softmax(x, dim=1)
        if op == "layer_norm":
            return torch.nn.functional.layer_norm(x, (columns,), w[0], None, 1e-5)
        return (x.float() * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-5)).to(x.dtype) * w[0]

    loop = f"for (int64_t j = 0; j < {columns}; ++j)"
    read = f"float* row = malloc({columns} * sizeof(float)), m = {'-INFINITY' if op == 'softmax' else '0'}, total = 0;\n{loop} row[j] = x(i, j);\n"
    if op == "softmax":
        work = (f"{loop} m = row[j] > m ? row[j] : m;\n{loop} row[j] = expf(row[j] - m), total += row[j];\n"
                f"{loop} y(i, j) = {narrowed(dtype, 'row[j] / total')};\n")
    else:
        mean = f"{loop} m += row[j];\nm /= {columns};\n" if op == "layer_norm" else ""
        work = (f"{mean}{loop} row[j] -= m, total += row[j] * row[j];\nconst float s = 1 / sqrtf(total / {columns} + 1e-5f);\n"
                f"{loop} y(i, j) = {narrowed(dtype, 'row[j] * s * (float)w(j)')};\n")
    weights = [] if op == "softmax" else [Input("w", dtype, (columns,))]
    return Problem([Input("x", dtype, ("N", columns)), *weights], [f"return y = {'softmax(x, axis=1)' if op == 'softmax' else f'{op}(x, weight=w, eps=1e-5)'}"],
                   {"N": rows}, numpy, torch, nest(f"i<{rows}", f"{read}{work}free(row);"), flops=7 * rows * columns)


@family(lambda d: {"op": d.pick("batch_norm", "group_norm", "instance_norm"), "batch": d.batch(64), "channels": d.channels(), "image": d.image(256)})
def channel_norm(op, batch, channels, image):
    """Norms of pictures [batch, channels, image, image], with weights and biases; batch_norm uses the statistics of this batch."""
    one_of("op", op, ("batch_norm", "group_norm", "instance_norm"))
    groups = math.gcd(channels, 32)
    axes = {"batch_norm": (0, 2, 3), "group_norm": (2, 3, 4), "instance_norm": (2, 3)}[op]

    def numpy(np, x, w, b):
        z = x.reshape(batch, groups, channels // groups, image, image) if op == "group_norm" else x
        centred = z - z.mean(axis=axes, keepdims=True)
        z = (centred / np.sqrt((centred * centred).mean(axis=axes, keepdims=True) + np.float32(1e-5))).reshape(x.shape)
        return z * w[:, None, None] + b[:, None, None]

    def torch(torch, x, w, b):
        functional = torch.nn.functional
        if op == "group_norm":
            return functional.group_norm(x, groups, w, b, 1e-5)
        return functional.instance_norm(x, weight=w, bias=b, eps=1e-5) if op == "instance_norm" else functional.batch_norm(x, None, None, w, b, True, eps=1e-5)

    middle = f"num_groups={groups}, " if op == "group_norm" else ""
    size, pixels = channels // groups, image * image
    outer, inner, channel, count = {"batch_norm": (f"c<{channels}", f"b<{batch}", "c", batch * pixels),
                                    "group_norm": (f"b<{batch} n<{groups}", f"k<{size}", f"n * {size} + k", size * pixels),
                                    "instance_norm": (f"b<{batch} c<{channels}", "", "c", pixels)}[op]

    def over_pictures(step):
        return nest(inner, f"const float* in = &x(b, {channel}, 0, 0);\n{step}", False)

    pixel = f"for (int64_t p = 0; p < {pixels}; ++p)"
    c = nest(outer, f"float m = 0, v = 0;\n{over_pictures(f'{pixel} m += in[p];')}m /= {count};\n{over_pictures(f'{pixel} v += (in[p] - m) * (in[p] - m);')}"
             f"const float s = 1 / sqrtf(v / {count} + 1e-5f);\n" + over_pictures(
                 f"float* out = &y(b, {channel}, 0, 0);\n{pixel} out[p] = (in[p] - m) * s * w({channel}) + b({channel});"))
    return Problem([Input("x", "f32", ("N", channels, "M", "M")), Input("w", "f32", (channels,)), Input("b", "f32", (channels,))],
                   [f"return y = {op}(x, {middle}weight=w, bias=b, eps=1e-5)"], {"N": batch, "M": image}, numpy, torch, c,
                   flops=7 * batch * channels * image * image)


@family(lambda d: {"op": d.pick("cross_entropy", "mse_loss", "huber_loss"), "rows": d.size(1, 1 << 14), "columns": d.often(d.size(2, 16), d.size(10, 50000))})
def loss(op, rows, columns):
    one_of("op", op, ("cross_entropy", "mse_loss", "huber_loss"))
    classes = op == "cross_entropy"

    def numpy(np, x, t):
        if classes:
            top = x.max(axis=1, keepdims=True)
            return np.mean(np.log(np.exp(x - top).sum(axis=1)) + top[:, 0] - x[np.arange(rows), t])
        d = np.abs(x - t)
        return np.mean(d * d if op == "mse_loss" else np.where(d < 1, np.float32(0.5) * d * d, d - np.float32(0.5)))

    columns_of = f"for (int64_t j = 0; j < {columns}; ++j)"
    if classes:
        row = f"float top = x(i, 0), sum = 0;\n{columns_of} top = x(i, j) > top ? x(i, j) : top;\n{columns_of} sum += expf(x(i, j) - top);\n"
        row += "total += logf(sum) + top - x(i, t(i));"
    else:
        part = "d * d" if op == "mse_loss" else "d < 1 ? 0.5f * d * d : d - 0.5f"
        row = f"float sum = 0;\n{columns_of} {{ const float d = fabsf(x(i, j) - t(i, j)); sum += {part}; }}\ntotal += sum;"
    c = f"double total = 0;\n{nest(f'i<{rows}', row, False)}y() = total / {rows if classes else rows * columns};"
    target = Input("t", "i64", ("N",), f"index {columns}") if classes else Input("t", "f32", ("N", columns))
    return Problem([Input("x", "f32", ("N", columns)), target], [f"return y = {op}(x, t)"], {"N": rows}, numpy,
                   lambda torch, x, t: getattr(torch.nn.functional, op)(x, t), c, flops=4 * rows * columns)
