"""Defines families of benchmarks for gradients: of operations on rows, of losses, of transposed convolutions, and of filters by Fourier
transforms."""
import math

from case import CaseError, Input, Problem, family, one_of
from families.loops import nest
from families.networks import torch_gradients
from families.reductions import matrix_of
from families.windows import convolved

EPSILON = 1e-5


def _draw_rows(d):
    op = d.pick("softmax", "log_softmax", "layer_norm", "rms_norm")
    rows, columns = matrix_of(d, 1 << 21)
    # Norms get at least four columns: the gradient of a norm of one or two numbers is a difference that consists mostly of rounding errors.
    return {"op": op, "rows": rows, "columns": max(columns, 4) if op.endswith("norm") else columns}


@family(_draw_rows)
def row_gradient(op, rows, columns):
    """Gradients of sum(y * g), where y is the result of an operation on each row of x. The gradients are with respect to x; for norms, they
    are also with respect to the weights."""
    one_of("op", op, ("softmax", "log_softmax", "layer_norm", "rms_norm"))
    norm, layer = op.endswith("norm"), op == "layer_norm"

    def numpy(np, x, g, *w):
        if not norm:
            e = np.exp(x - x.max(axis=1, keepdims=True))
            y = e / e.sum(axis=1, keepdims=True)
            return y * (g - (g * y).sum(axis=1, keepdims=True)) if op == "softmax" else g - y * g.sum(axis=1, keepdims=True)
        centred = x - x.mean(axis=1, keepdims=True) if layer else x
        scale = 1 / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(EPSILON))
        y, t = centred * scale, g * w[0]
        dx = t - y * (t * y).mean(axis=1, keepdims=True) - (t.mean(axis=1, keepdims=True) if layer else 0)
        return dx * scale, (g * y).sum(axis=0)

    def forward(torch, x, *w):
        if not norm:
            return getattr(torch, op)(x, dim=1)
        if layer:
            return torch.nn.functional.layer_norm(x, (columns,), w[0], None, EPSILON)
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPSILON) * w[0]

    def torch(torch, x, g, *w):
        found = torch_gradients(torch, lambda *p: forward(torch, *p), (x, *w), g)
        return found if norm else found[0]

    loop = f"for (int64_t j = 0; j < {columns}; ++j)"
    if norm:
        mean = f"float m = 0;\n{loop} m += x(i, j);\nm /= {columns};" if layer else "const float m = 0;"
        moments = "const float y = (x(i, j) - m) * s; t += g(i, j) * w(j); u += g(i, j) * w(j) * y;"
        last = f"dx(i, j) = s * (g(i, j) * w(j) - (x(i, j) - m) * s * u / {columns}{f' - t / {columns}' if layer else ''});"
        row = (f"{mean}\nfloat v = 0, t = 0, u = 0;\n{loop} v += (x(i, j) - m) * (x(i, j) - m);\nconst float s = 1 / sqrtf(v / {columns} + 1e-5f);\n"
               f"{loop} {{ {moments} }}\n{loop} {last}\nmeans[i] = m; scales[i] = s;")
        weights = nest(f"j<{columns}", f"float acc = 0;\nfor (int64_t i = 0; i < {rows}; ++i) acc += g(i, j) * (x(i, j) - means[i]) * scales[i];\ndw(j) = acc;")
        numbers = f"malloc(sizeof(float) * {max(1, rows)})"
        c = f"float *means = {numbers}, *scales = {numbers};\n{nest(f'i<{rows}', row)}{weights}free(means);\nfree(scales);"
    else:
        term = "g(i, j) * e" if op == "softmax" else "g(i, j)"
        last = "e * (g(i, j) - sum / total) / total" if op == "softmax" else "g(i, j) - e * sum / total"
        c = nest(f"i<{rows}", f"float top = -INFINITY, total = 0, sum = 0;\n{loop} top = x(i, j) > top ? x(i, j) : top;\n"
                 f"{loop} {{ const float e = expf(x(i, j) - top); total += e; sum += {term}; dx(i, j) = e; }}\n"
                 f"{loop} {{ const float e = dx(i, j); dx(i, j) = {last}; }}")
    inputs = [Input("x", "f32", ("N", columns)), Input("g", "f32", ("N", columns)), *([Input("w", "f32", (columns,))] if norm else [])]
    operation = f"{op}(x, weight=w, eps=1e-5)" if norm else f"{op}(x, axis=1)"
    names, parameters = ("dx, dw", "x, w") if norm else ("dx", "x")
    return Problem(inputs, [f"y = {operation}", f"{names} = grad(y, {parameters}, grad_output=g)", f"return {names}"], {"N": rows}, numpy, torch, c,
                   flops=12 * rows * columns, tolerance=2e-3 if norm else None)


@family(lambda d: {"op": d.pick("cross_entropy", "mse_loss", "huber_loss"), "rows": d.size(1, 1 << 13), "columns": d.often(d.size(2, 16), d.size(10, 10000))})
def loss_gradient(op, rows, columns):
    """The gradient of a loss with respect to the numbers that are compared with the targets."""
    one_of("op", op, ("cross_entropy", "mse_loss", "huber_loss"))
    classes = op == "cross_entropy"

    def numpy(np, x, t):
        if classes:
            e = np.exp(x - x.max(axis=1, keepdims=True))
            dx = e / e.sum(axis=1, keepdims=True)
            dx[np.arange(rows), t] -= 1
            return dx / np.float32(rows)
        return (2 * (x - t) if op == "mse_loss" else np.clip(x - t, -1, 1)) / np.float32(rows * columns)

    def torch(torch, x, t):
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            return torch.autograd.grad(getattr(torch.nn.functional, op)(x, t), x)[0]

    loop = f"for (int64_t j = 0; j < {columns}; ++j)"
    if classes:
        row = (f"float top = -INFINITY, total = 0;\n{loop} top = x(i, j) > top ? x(i, j) : top;\n"
               f"{loop} {{ dx(i, j) = expf(x(i, j) - top); total += dx(i, j); }}\nconst float scale = 1 / (total * {rows});\n{loop} dx(i, j) *= scale;\n"
               f"dx(i, t(i)) -= 1.0f / {rows};")
    else:
        part = "2 * d" if op == "mse_loss" else "d > 1 ? 1 : d < -1 ? -1 : d"
        row = f"{loop} {{ const float d = x(i, j) - t(i, j); dx(i, j) = ({part}) / ({rows * columns}.0f); }}"
    target = Input("t", "i64", ("N",), f"index {columns}") if classes else Input("t", "f32", ("N", columns))
    return Problem([Input("x", "f32", ("N", columns)), target], [f"l = {op}(x, t)", "dx = grad(l, x)", "return dx"], {"N": rows}, numpy, torch,
                   nest(f"i<{rows}", row), flops=6 * rows * columns)


def _draw_transposed(d):
    kernel = d.pick(2, 3, 3, 4, 5)
    return {"batch": d.batch(32), "channels": d.channels(128), "filters": d.channels(128), "image": d.image(64), "kernel": kernel, "stride": d.pick(1, 2, 2),
            "padding": d.pick(0, (kernel - 1) // 2)}


@family(_draw_transposed)
def conv_transposed_gradient(batch, channels, filters, image, kernel, stride, padding):
    """Gradients of sum(y * y) with respect to pictures and weights, where y is a transposed convolution."""
    if min(kernel, stride) < 1 or padding < 0:
        raise CaseError(f"expected a kernel and a stride of at least 1 and no negative padding, found {kernel}, {stride}, {padding}")
    out = (image - 1) * stride - 2 * padding + kernel
    if image < 1 or out < 1:
        raise CaseError(f"padding: expected less, so that the result has elements, found {padding}")
    reach = (image - 1) * stride + 1

    def numpy(np, x, w):
        full = np.zeros((batch, filters, out + 2 * padding, out + 2 * padding), np.float32)
        for p in range(kernel):
            for q in range(kernel):
                full[:, :, p:p + reach:stride, q:q + reach:stride] += np.einsum("bchv,cf->bfhv", x, w[:, :, p, q], optimize=True)
        g = np.zeros_like(full)  # the border of `full` is not a part of the result, so its gradient is 0
        inside = (slice(None), slice(None), slice(padding, padding + out), slice(padding, padding + out))
        g[inside] = 2 * full[inside]
        dw = np.zeros_like(w)
        for p in range(kernel):
            for q in range(kernel):
                dw[:, :, p, q] = np.einsum("bchv,bfhv->cf", x, g[:, :, p:p + reach:stride, q:q + reach:stride], optimize=True)
        return np.ascontiguousarray(convolved(np, g, w, 2, stride, 0, 1, 1)), dw

    def torch(torch, x, w):
        with torch.enable_grad():
            x, w = x.detach().requires_grad_(), w.detach().requires_grad_()
            y = torch.nn.functional.conv_transpose2d(x, w, None, stride, padding)
            return torch.autograd.grad((y * y).sum(), (x, w))

    row, column = f"(h * {stride} + p - {padding})", f"(v * {stride} + q - {padding})"
    inside = f"if ((uint64_t){row} < {out} && (uint64_t){column} < {out}) "
    g = f"g[((b * {filters} + f) * {out} + {row}) * {out} + {column}]"
    window = f"p<{kernel} q<{kernel}"
    spread = nest(f"c<{channels} h<{image} v<{image} {window}", f"{inside}{g} += 2 * x(b, c, h, v) * w(c, f, p, q);", False)
    forward = nest(f"b<{batch} f<{filters}", f"memset(g + (b * {filters} + f) * {out * out}, 0, sizeof(float) * {out * out});\n{spread}")
    pixel = nest(f"f<{filters} {window}", f"{inside}acc += {g} * w(c, f, p, q);", False)
    pictures = nest(f"b<{batch} c<{channels} h<{image} v<{image}", f"float acc = 0;\n{pixel}dx(b, c, h, v) = acc;")
    weight = nest(f"b<{batch} h<{image} v<{image}", f"{inside}acc += x(b, c, h, v) * {g};", False)
    weights = nest(f"c<{channels} f<{filters}", nest(window, f"float acc = 0;\n{weight}dw(c, f, p, q) = acc;", False))
    c = (f"float* g = malloc(sizeof(float) * {max(1, batch * filters * out * out)});\n"
         f"{(forward + pictures + weights).replace('PARALLEL', 'PARALLEL_2')}free(g);")
    return Problem([Input("x", "f32", ("N", channels, "H", "W")), Input("w", "f32", (channels, filters, kernel, kernel))],
                   [f"y = conv_transpose2d(x, w, stride={stride}, padding={padding})", "s = sum(y * y)", "dx, dw = grad(s, x, w)", "return dx, dw"],
                   {"N": batch, "H": image, "W": image}, numpy, torch, c, least=dict.fromkeys("HW", 1 + max(0, math.ceil((2 * padding + 1 - kernel) / stride))),
                   flops=6 * batch * channels * filters * (image * kernel) ** 2)


@family(lambda d: {"rows": d.size(1, 64), "length": d.size(8, 1 << 15)})
def fft_gradient(rows, length):
    """The gradient of sum(y * y) with respect to a signal x, where y is x after a filter that multiplies each frequency by a real
    factor."""
    def numpy(np, x, h):  # the linear map of such a filter is symmetric, so the gradient applies the filter once more
        return (2 * np.fft.irfft(np.fft.rfft(x, axis=1) * (h * h), length, axis=1)).astype(np.float32)

    def torch(torch, x, h):
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            y = torch.fft.irfft(torch.fft.rfft(x) * h, length)
            return torch.autograd.grad((y * y).sum(), x)[0]

    return Problem([Input("x", "f32", ("N", length)), Input("h", "f32", (length // 2 + 1,))],
                   ["c = complex_from_parts(h, h * 0.0)", f"y = irfft(rfft(x) * c, n={length})", "s = sum(y * y)", "dx = grad(s, x)", "return dx"],
                   {"N": rows}, numpy, torch, flops=10 * rows * length * max(1, math.log2(length)))
