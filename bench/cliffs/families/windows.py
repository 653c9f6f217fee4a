"""Defines families of benchmarks for convolutions of one to three axes, also grouped, depthwise and transposed ones; for their gradients;
for pools; and for resizing."""
import math

from case import MOST_BYTES, CaseError, Input, Problem, family, one_of
from families.loops import HALVES, narrowed, nest, over

AXES = "hwd"


def _torch_convolution(rank, transposed=False):
    return lambda torch: getattr(torch.nn.functional, f"conv{'_transpose' if transposed else ''}{rank}d")


def windows_of(np, x, rank, size, stride, dilation):
    """Returns all windows along the last `rank` axes of an array that was padded before: [..., positions, window]."""
    reach = (size - 1) * dilation + 1
    view = np.lib.stride_tricks.sliding_window_view(x, (reach,) * rank, axis=tuple(range(-rank, 0)))
    steps = (slice(None, None, stride),) * rank + (slice(None, None, dilation),) * rank
    return view[(Ellipsis, *steps)]


def convolved(np, x, w, rank, stride, padding, dilation, groups):
    """Computes a convolution as torch defines it (a cross-correlation), as one contraction for each group of channels."""
    x = np.pad(x, ((0, 0), (0, 0), *((padding, padding),) * rank))
    parts = []
    for part, weights in zip(np.split(x, groups, axis=1), np.split(w, groups, axis=0)):
        view = windows_of(np, part, rank, w.shape[2], stride, dilation)
        product = np.tensordot(view, weights, axes=((1, *range(2 + rank, 2 + 2 * rank)), tuple(range(1, 2 + rank))))
        parts.append(np.moveaxis(product, -1, 1))
    return np.concatenate(parts, axis=1)


def _checked(image, kernel, padding, dilation, *positive):
    reach = (kernel - 1) * dilation + 1
    if min(kernel, dilation, *positive) < 1 or padding < 0 or image + 2 * padding < reach:
        raise CaseError(f"expected kernel, stride and groups of at least 1 and a window that fits, found a window of {reach} on {image} + 2 * {padding}")


def _least(reach, padding):
    """Returns the lower bounds of the sizes of pictures: a window of this reach must fit the padded picture."""
    return dict.fromkeys("HW", max(1, reach - 2 * padding))


def _c_convolution(rank, dtype, batch, channels, filters, image, out, kernel, stride, padding, dilation, groups):
    outer = " ".join(f"{a}<{out}" for a in AXES[:rank])
    source = [f"({a} * {stride} + k{a} * {dilation} - {padding})" for a in AXES[:rank]]
    inside = " && ".join(f"(uint64_t){s} < {image}" for s in source) if padding else "1"
    product = (f"(float)x(b, f / {filters // groups} * {channels // groups} + c, {', '.join(source)}) * "
               f"(float)w(f, c, {', '.join('k' + a for a in AXES[:rank])})")
    inner = nest(f"c<{channels // groups} " + " ".join(f"k{a}<{kernel}" for a in AXES[:rank]), f"if ({inside}) acc += {product};", False)
    body = f"float acc = 0;\n{inner}y(b, f, {', '.join(AXES[:rank])}) = {narrowed(dtype, 'acc')};"
    return nest(f"b<{batch} f<{filters} {outer}", body).replace("PARALLEL", "PARALLEL_2")


def _convolution(rank, batch, channels, filters, image, kernel, stride, padding, dilation=1, groups=1, dtype="f32"):
    """Returns the Problem of a convolution. The sizes of the image are symbolic, the numbers of channels constant. NumPy computes with 16-bit
    floats as f32, because its own products of them are very slow."""
    _checked(image, kernel, padding, dilation, stride, groups)
    if channels % groups or filters % groups:
        raise CaseError(f"groups: expected a divisor of {channels} and {filters}, found {groups}")
    out = (image + 2 * padding - (kernel - 1) * dilation - 1) // stride + 1
    flops = 2 * batch * filters * out**rank * (channels // groups) * kernel**rank
    text = f"conv{rank}d(x, w, stride={stride}, padding={padding}, dilation={dilation}, groups={groups})"
    function = _torch_convolution(rank)
    c = _c_convolution(rank, dtype, batch, channels, filters, image, out, kernel, stride, padding, dilation, groups)

    def numpy(np, x, w):
        return convolved(np, x.astype(np.float32, copy=False), w.astype(np.float32, copy=False), rank, stride, padding, dilation, groups)

    return Problem([Input("x", dtype, ("N", channels, *("H", "W", "D")[:rank])), Input("w", dtype, (filters, channels // groups, *(kernel,) * rank))],
                   [f"return y = {text}"], {"N": batch, **dict.fromkeys(("H", "W", "D")[:rank], image)}, numpy,
                   lambda torch, x, w: function(torch)(x, w, None, stride, padding, dilation, groups), c, flops=flops)


def _draw_convolution(d, image, most=2048, **more):
    kernel = d.pick(1, 3, 3, 3, 5, 7)
    return {"batch": d.batch(), "channels": d.channels(most), "filters": d.channels(most), "image": image, "kernel": kernel, "stride": d.often(1, 2),
            "padding": d.pick(0, kernel // 2),
            **more}


@family(lambda d: _draw_convolution(d, d.size(16, 1 << 16), 512, dilation=d.often(1, 2, 4)))
def conv1d(batch, channels, filters, image, kernel, stride, padding, dilation):
    return _convolution(1, batch, channels, filters, image, kernel, stride, padding, dilation)


@family(lambda d: _draw_convolution(d, d.image()))
def conv2d(batch, channels, filters, image, kernel, stride, padding):
    return _convolution(2, batch, channels, filters, image, kernel, stride, padding)


@family(lambda d: {"dtype": d.pick(*HALVES), **_draw_convolution(d, d.image(256), 512)})
def conv2d_half(dtype, batch, channels, filters, image, kernel, stride, padding):
    return _convolution(2, batch, channels, filters, image, kernel, stride, padding, dtype=one_of("dtype", dtype, HALVES))


@family(lambda d: {**_draw_convolution(d, d.image(256)), "groups": d.pick(2, 4, 8, 32), "channels": 32 * d.pick(1, 2, 4, 8),
                   "filters": 32 * d.pick(1, 2, 4, 8)})
def conv2d_grouped(batch, channels, filters, image, kernel, stride, padding, groups):
    return _convolution(2, batch, channels, filters, image, kernel, stride, padding, 1, groups)


@family(lambda d: {key: value for key, value in _draw_convolution(d, d.image(256)).items() if key != "filters"})
def conv2d_depthwise(batch, channels, image, kernel, stride, padding):
    return _convolution(2, batch, channels, channels, image, kernel, stride, padding, 1, channels)


@family(lambda d: _draw_convolution(d, min(d.image(), 64), 128))
def conv3d(batch, channels, filters, image, kernel, stride, padding):
    return _convolution(3, batch, channels, filters, image, kernel, stride, padding)


@family(lambda d: {**_draw_convolution(d, d.image(128), 512), "rank": d.pick(1, 2, 2)})
def conv_transposed(batch, channels, filters, image, kernel, stride, padding, rank):
    one_of("rank", rank, (1, 2))
    _checked(image * stride, kernel, padding, 1, stride)
    out = (image - 1) * stride - 2 * padding + kernel
    if out < 1:
        raise CaseError(f"padding: expected less, so that the result has elements, found {padding}")
    if 4 * batch * filters * out**rank > MOST_BYTES:
        raise CaseError(f"filters: expected fewer, so that the result has at most {MOST_BYTES} bytes, found {filters}")

    def numpy(np, x, w):
        spread = np.zeros((batch, channels, *((image - 1) * stride + 1,) * rank), np.float32)
        spread[(slice(None), slice(None), *(slice(None, None, stride),) * rank)] = x
        turned = np.flip(np.swapaxes(w, 0, 1), axis=tuple(range(2, 2 + rank)))
        full = convolved(np, spread, np.ascontiguousarray(turned), rank, 1, kernel - 1, 1, 1)
        return np.ascontiguousarray(full[(slice(None), slice(None), *(slice(padding, size - padding) for size in full.shape[2:]))])

    axes = AXES[:rank]
    target = [f"({a} * {stride} + k{a} - {padding})" for a in axes]
    add = f"if ({' && '.join(f'(uint64_t){t} < {out}' for t in target)}) y(b, f, {', '.join(target)}) += value * w(c, f, {', '.join('k' + a for a in axes)});"
    spread = nest(" ".join([f"c<{channels}", *(f"{a}<{image}" for a in axes)]),
                  f"const float value = x(b, c, {', '.join(axes)});\n{nest(' '.join(f'k{a}<{kernel}' for a in axes), add, False)}", False)
    clear = f"memset(&y(b, f{', 0' * rank}), 0, sizeof(float) * {out**rank});\n"
    c = nest(f"b<{batch} f<{filters}", clear + spread).replace("PARALLEL", "PARALLEL_2")
    function = _torch_convolution(rank, True)
    return Problem([Input("x", "f32", ("N", channels, *("H", "W")[:rank])), Input("w", "f32", (channels, filters, *(kernel,) * rank))],
                   [f"return y = conv_transpose{rank}d(x, w, stride={stride}, padding={padding})"], {"N": batch, **dict.fromkeys(("H", "W")[:rank], image)},
                   numpy,
                   lambda torch, x, w: function(torch)(x, w, None, stride, padding), c, flops=2 * batch * channels * filters * (image * kernel) ** rank)


@family(lambda d: {**_draw_convolution(d, d.image(128), 256), "stride": 1})
def conv2d_gradient(batch, channels, filters, image, kernel, stride, padding):
    """Gradients of a convolution with respect to pictures and weights."""
    one_of("stride", stride, (1,))
    _checked(image, kernel, padding, 1)
    out = image + 2 * padding - kernel + 1

    def numpy(np, x, w, g):
        turned = np.ascontiguousarray(np.flip(np.swapaxes(w, 0, 1), axis=(2, 3)))
        dx = convolved(np, g, turned, 2, 1, kernel - 1, 1, 1)[:, :, padding:padding + image, padding:padding + image]
        padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
        return np.ascontiguousarray(dx), np.einsum("bcijkl,bfkl->fcij", np.lib.stride_tricks.sliding_window_view(padded, (out, out), axis=(2, 3)), g,
                                                   optimize=True)

    def torch(torch, x, w, g):
        return tuple(torch.ops.aten.convolution_backward(g, x, w, None, [1, 1], [padding, padding], [1, 1], False, [0, 0], 1, [True, True, False])[:2])

    inside = f"(uint64_t)(h + p - {padding}) < {image} && (uint64_t)(v + q - {padding}) < {image}"
    pixel = f"(b, c, h + p - {padding}, v + q - {padding})"
    pixels = f"memset(&dx(b, c, 0, 0), 0, sizeof(float) * {image * image});\n" + nest(
        f"f<{filters} h<{out} v<{out} p<{kernel} q<{kernel}", f"if ({inside}) dx{pixel} += g(b, f, h, v) * w(f, c, p, q);", False)
    weights = "float acc = 0;\n" + nest(f"b<{batch} h<{out} v<{out}", f"if ({inside}) acc += x{pixel} * g(b, f, h, v);", False) + "dw(f, c, p, q) = acc;"
    c = (nest(f"b<{batch} c<{channels}", pixels) + nest(f"f<{filters} c<{channels} p<{kernel} q<{kernel}", weights)).replace("PARALLEL", "PARALLEL_2")
    return Problem([Input("x", "f32", ("N", channels, "H", "W")), Input("w", "f32", (filters, channels, kernel, kernel)),
                    Input("g", "f32", ("N", filters, *(f"{a} + {2 * padding - kernel + 1}" for a in "HW")))],
                   [f"y = conv2d(x, w, padding={padding})", "dx, dw = grad(y, x, w, grad_output=g)", "return dx, dw"],
                   {"N": batch, "H": image, "W": image}, numpy, torch, c, least=_least(kernel, padding),
                   flops=4 * batch * filters * channels * (out * kernel) ** 2)


@family(lambda d: {"op": d.pick("max_pool", "avg_pool"), "batch": d.batch(64), "channels": d.channels(), "image": d.image(), "size": d.pick(2, 2, 3, 5),
                   "stride": d.pick(1, 2, 2, 3)})
def pool(op, batch, channels, image, size, stride):
    one_of("op", op, ("max_pool", "avg_pool"))
    _checked(image, size, 0, 1, stride)
    out = (image - size) // stride + 1

    def numpy(np, x):
        view = windows_of(np, x, 2, size, stride, 1)
        return view.max(axis=(-2, -1)) if op == "max_pool" else view.mean(axis=(-2, -1), dtype=x.dtype)

    step = f"const float v = x(b, c, i * {stride} + p, j * {stride} + q); acc " + ("= v > acc ? v : acc;" if op == "max_pool" else "+= v;")
    inner = nest(f"p<{size} q<{size}", step, False)
    c = nest(f"b<{batch} c<{channels} i<{out} j<{out}", f"float acc = {'-INFINITY' if op == 'max_pool' else '0'};\n{inner}y(b, c, i, j) = acc"
             + (";" if op == "max_pool" else f" / {size * size};")).replace("PARALLEL", "PARALLEL_2")
    return Problem([Input("x", "f32", ("N", channels, "H", "W"))], [f"return y = {op}(x, [{size}, {size}], stride={stride})"],
                   {"N": batch, "H": image, "W": image}, numpy,
                   lambda torch, x: getattr(torch.nn.functional, op + "2d")(x, size, stride), c, flops=batch * channels * (out * size) ** 2)


def _draw_windows_gradient(d):
    groups = d.pick(1, 1, 2, 4, 0)
    channels = d.channels(128) if groups == 0 else groups * d.pick(1, 3, 8, 16)
    filters = channels if groups == 0 else groups * d.pick(1, 4, 8, 16)
    return {"batch": d.batch(32), "channels": channels, "filters": filters, "image": d.image(128), "kernel": d.pick(1, 3, 3, 5), "stride": d.pick(1, 2, 2),
            "padding": d.pick(0, 1), "dilation": d.often(1, 2), "groups": groups or channels}


@family(_draw_windows_gradient)
def conv2d_loss_gradient(batch, channels, filters, image, kernel, stride, padding, dilation, groups):
    """Gradients of sum(y * y) with respect to pictures and weights, where y is a convolution with strides, dilation or groups (groups of
    one channel: depthwise)."""
    _checked(image, kernel, padding, dilation, stride, groups)
    if channels % groups or filters % groups:
        raise CaseError(f"groups: expected a divisor of {channels} and {filters}, found {groups}")
    reach = (kernel - 1) * dilation + 1
    out = (image + 2 * padding - reach) // stride + 1
    of_each, made_by_each = channels // groups, filters // groups

    def numpy(np, x, w):
        g = 2 * convolved(np, x, w, 2, stride, padding, dilation, groups)
        padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
        dx, dw = np.zeros_like(padded), np.zeros_like(w)
        for k in range(groups):
            read, made = slice(k * of_each, (k + 1) * of_each), slice(k * made_by_each, (k + 1) * made_by_each)
            for p in range(kernel):
                for q in range(kernel):
                    rows, columns = (slice(at * dilation, at * dilation + (out - 1) * stride + 1, stride) for at in (p, q))
                    dw[made, :, p, q] = np.einsum("bchw,bfhw->fc", padded[:, read, rows, columns], g[:, made], optimize=True)
                    dx[:, read, rows, columns] += np.einsum("bfhw,fc->bchw", g[:, made], w[made, :, p, q], optimize=True)
        return np.ascontiguousarray(dx[:, :, padding:padding + image, padding:padding + image]), dw

    def torch(torch, x, w):
        with torch.enable_grad():
            x, w = x.detach().requires_grad_(), w.detach().requires_grad_()
            y = torch.nn.functional.conv2d(x, w, None, stride, padding, dilation, groups)
            return torch.autograd.grad((y * y).sum(), (x, w))

    row, column = f"(h * {stride} + p * {dilation} - {padding})", f"(v * {stride} + q * {dilation} - {padding})"
    inside = f"if ((uint64_t){row} < {image} && (uint64_t){column} < {image}) "
    g = f"g[((b * {filters} + f) * {out} + h) * {out} + v]"
    term = nest(f"c<{of_each} p<{kernel} q<{kernel}", f"{inside}acc += x(b, f / {made_by_each} * {of_each} + c, {row}, {column}) * w(f, c, p, q);", False)
    forward = nest(f"b<{batch} f<{filters} h<{out} v<{out}", f"float acc = 0;\n{term}{g} = 2 * acc;").replace("PARALLEL", "PARALLEL_2")
    spread = f"const int64_t f = c / {of_each} * {made_by_each} + e;\n{inside}dx(b, c, {row}, {column}) += {g} * w(f, c % {of_each}, p, q);"
    pictures = nest(f"b<{batch} c<{channels}", f"memset(&dx(b, c, 0, 0), 0, sizeof(float) * {image * image});\n"
                    + nest(f"e<{made_by_each} h<{out} v<{out} p<{kernel} q<{kernel}", spread, False)).replace("PARALLEL", "PARALLEL_2")
    gather = nest(f"b<{batch} h<{out} v<{out}", f"{inside}acc += x(b, f / {made_by_each} * {of_each} + c, {row}, {column}) * {g};", False)
    weights = nest(f"f<{filters} c<{of_each}", nest(f"p<{kernel} q<{kernel}", f"float acc = 0;\n{gather}dw(f, c, p, q) = acc;", False))
    c = f"float* g = malloc(sizeof(float) * {max(1, batch * filters * out * out)});\n{forward}{pictures}{weights.replace('PARALLEL', 'PARALLEL_2')}free(g);"
    text = f"conv2d(x, w, stride={stride}, padding={padding}, dilation={dilation}, groups={groups})"
    return Problem([Input("x", "f32", ("N", channels, "H", "W")), Input("w", "f32", (filters, of_each, kernel, kernel))],
                   [f"y = {text}", "s = sum(y * y)", "dx, dw = grad(s, x, w)", "return dx, dw"], {"N": batch, "H": image, "W": image}, numpy, torch, c,
                   least=_least(reach, padding), flops=6 * batch * filters * of_each * (out * kernel) ** 2)


@family(lambda d: {"op": d.pick("max_pool", "avg_pool"), "batch": d.batch(32), "channels": d.channels(256), "image": d.image(256), "size": d.pick(2, 2, 3),
                   "stride": d.pick(1, 2, 2, 3)})
def pool_gradient(op, batch, channels, image, size, stride):
    """The gradient of sum(y * y) with respect to pictures, where y is the result of a pool."""
    one_of("op", op, ("max_pool", "avg_pool"))
    _checked(image, size, 0, 1, stride)
    out = (image - size) // stride + 1

    def numpy(np, x):
        view, dx = windows_of(np, x, 2, size, stride, 1), np.zeros_like(x)
        y = view.max(axis=(-2, -1)) if op == "max_pool" else view.mean(axis=(-2, -1), dtype=x.dtype)
        for p in range(size):
            for q in range(size):
                pixels = dx[:, :, p:p + (out - 1) * stride + 1:stride, q:q + (out - 1) * stride + 1:stride]
                pixels += 2 * y * (view[..., p, q] == y) if op == "max_pool" else 2 * y / np.float32(size * size)
        return dx

    def torch(torch, x):
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            y = getattr(torch.nn.functional, op + "2d")(x, size, stride)
            return torch.autograd.grad((y * y).sum(), x)[0]

    pixel = f"(b, c, i * {stride} + p, j * {stride} + q)"
    forward = nest(f"p<{size} q<{size}", f"const float v = x{pixel}; acc " + ("= v > acc ? v : acc;" if op == "max_pool" else "+= v;"), False)
    finish = "" if op == "max_pool" else f"acc /= {size * size};\n"
    step = f"if (x{pixel} == acc) dx{pixel} += 2 * acc;" if op == "max_pool" else f"dx{pixel} += 2 * acc / {size * size};"
    backward = nest(f"p<{size} q<{size}", step, False)
    planes = nest(f"i<{out} j<{out}", f"float acc = {'-INFINITY' if op == 'max_pool' else '0'};\n{forward}{finish}{backward}", False)
    c = nest(f"b<{batch} c<{channels}", f"memset(&dx(b, c, 0, 0), 0, sizeof(float) * {image * image});\n{planes}").replace("PARALLEL", "PARALLEL_2")
    return Problem([Input("x", "f32", ("N", channels, "H", "W"))],
                   [f"y = {op}(x, [{size}, {size}], stride={stride})", "s = sum(y * y)", "dx = grad(s, x)", "return dx"],
                   {"N": batch, "H": image, "W": image}, numpy, torch, c, least={"H": size, "W": size},
                   flops=4 * batch * channels * (out * size) ** 2, mismatches=1e-4 if op == "max_pool" else 0)


@family(lambda d: {"mode": d.pick("nearest", "linear"), "batch": d.batch(16), "channels": d.channels(256), "image": d.image(256), "target": d.image(384)})
def resize(mode, batch, channels, image, target):
    """Resizing of pictures, to the nearest pixel (torch's "nearest-exact") or by linear interpolation."""
    one_of("mode", mode, ("nearest", "linear"))

    def numpy(np, x):
        at = (np.arange(target) + 0.5) * (image / target) - 0.5
        if mode == "nearest":
            # ceil(at - 0.5) in integers: at is exactly between two pixels for some sizes, such as 32 to 300
            near = np.clip(-(-(2 * np.arange(target) + 1) * image // (2 * target)) - 1, 0, image - 1)
            return np.ascontiguousarray(x[:, :, near][..., near])
        low = np.clip(np.floor(at).astype(int), 0, image - 1)
        high, part = np.minimum(low + 1, image - 1), np.clip(at - low, 0, 1).astype(np.float32)
        rows = x[:, :, low] * (1 - part)[:, None] + x[:, :, high] * part[:, None]
        return rows[..., low] * (1 - part) + rows[..., high] * part

    def torch(torch, x):
        if mode == "nearest":
            return torch.nn.functional.interpolate(x, (target, target), mode="nearest-exact")
        return torch.nn.functional.interpolate(x, (target, target), mode="bilinear", align_corners=False)

    c = None
    if mode == "nearest":
        at = "(int64_t)ceil(({0} + 0.5) * {1}.0 / {2} - 1.0)"
        p, q = at.format("i2", image, target), at.format("i3", image, target)
        c = over((batch, channels, target, target), f"int64_t p = {p}, q = {q};\np = p < 0 ? 0 : p >= {image} ? {image} - 1 : p;\n"
                 f"q = q < 0 ? 0 : q >= {image} ? {image} - 1 : q;\ny(i0, i1, i2, i3) = x(i0, i1, p, q);").replace("PARALLEL", "PARALLEL_2")
    return Problem([Input("x", "f32", ("N", channels, image, image))], [f'return y = interpolate(x, size=[{target}, {target}], mode="{mode}")'], {"N": batch},
                   numpy, torch, c,
                   flops=math.prod((batch, channels, target, target)) * (8 if mode == "linear" else 0))
