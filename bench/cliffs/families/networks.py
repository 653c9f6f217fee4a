"""Defines families of benchmarks for small networks and their gradients: perceptrons, convolutional networks, attention, transformer
blocks, LSTM cells."""
import math

from case import Input, Problem, family, one_of
from families import network_loops as loops
from families.windows import convolved, windows_of


def torch_gradients(torch, function, parameters, weight):
    """Returns the gradients of sum(function(*parameters) * weight) with respect to the parameters."""
    with torch.enable_grad():
        parameters = [p.detach().requires_grad_() for p in parameters]
        return torch.autograd.grad(function(*parameters), parameters, weight)


def _layers(inputs, hidden, outputs, depth):
    widths = [inputs, *[hidden] * (depth - 1), outputs]
    arrays = [Input("x", "f32", ("N", inputs))]
    for k in range(depth):
        arrays += [Input(f"w{k}", "f32", (widths[k], widths[k + 1])), Input(f"b{k}", "f32", (widths[k + 1],))]
    lines = ["h0 = x"]
    for k in range(depth):
        product = f"h{k} @ w{k} + b{k}"
        lines.append(f"h{k + 1} = " + (f"relu({product})" if k + 1 < depth else product))
    return arrays, lines, widths, sum(a * b for a, b in zip(widths, widths[1:]))


def _perceptron(xp, x, *weights):
    for k in range(0, len(weights), 2):
        x = x @ weights[k] + weights[k + 1]
        if k + 2 < len(weights):
            x = x * (x > 0) if xp.__name__ == "numpy" else xp.relu(x)
    return x


def _draw_perceptron(d):
    return {"batch": d.batch(), "inputs": d.channels(), "hidden": d.channels(), "outputs": d.often(10, 1, d.channels()), "depth": d.size(2, 5)}


@family(_draw_perceptron)
def perceptron(batch, inputs, hidden, outputs, depth):
    arrays, lines, widths, weights = _layers(inputs, hidden, outputs, depth)
    return Problem(arrays, [*lines, f"return y = h{depth}"], {"N": batch}, _perceptron, _perceptron, loops.perceptron(batch, widths),
                   loops.PRODUCTS, flops=2 * batch * weights)


@family(_draw_perceptron)
def perceptron_gradient(batch, inputs, hidden, outputs, depth):
    """Gradients of sum(y * g) with respect to all weights of a perceptron, where y are its outputs."""
    arrays, lines, widths, weights = _layers(inputs, hidden, outputs, depth)
    arrays.append(Input("g", "f32", ("N", outputs)))
    names = [array.name for array in arrays[1:-1]]

    def numpy(np, x, *rest):
        *parameters, g = rest
        values = [x]
        for k in range(0, 2 * depth, 2):
            h = values[-1] @ parameters[k] + parameters[k + 1]
            values.append(np.maximum(h, 0) if k + 2 < 2 * depth else h)
        found = []
        for k in reversed(range(depth)):
            found = [values[k].T @ g, g.sum(axis=0), *found]
            g = (g @ parameters[2 * k].T) * (values[k] > 0)
        return tuple(found)

    outputs_text = ", ".join(f"d{name}" for name in names)
    lines += [f"{outputs_text} = grad(h{depth}, [{', '.join(names)}], grad_output=g)", f"return {outputs_text}"]
    return Problem(arrays, lines, {"N": batch}, numpy, lambda torch, x,
                   *rest: torch_gradients(torch, lambda *w: _perceptron(torch, x, *w), rest[:-1], rest[-1]), loops.perceptron_gradient(batch, widths),
                   loops.PRODUCTS, flops=6 * batch * weights)


@family(lambda d: {"batch": d.batch(128), "image": d.pick(*(s for s in (16, 28, 32, 64, 96, 128) if s <= max(16, d.limits.size))), "channels": d.pick(1, 3),
                   "width": d.channels(128),
                   "classes": d.often(10, 100)})
def cnn(batch, image, channels, width, classes):
    """Two convolutions, each with a pool, then a fully connected layer over all pixels."""
    left = image // 4
    one_of("image", image, tuple(range(8, 1025, 4)))

    def numpy(np, x, w0, w1, w2):
        for w in (w0, w1):
            x = np.maximum(convolved(np, x, w, 2, 1, 1, 1, 1), 0)
            x = windows_of(np, x, 2, 2, 2, 1).max(axis=(-2, -1))
        return x.reshape(batch, -1) @ w2

    def torch(torch, x, w0, w1, w2):
        functional = torch.nn.functional
        for w in (w0, w1):
            x = functional.max_pool2d(functional.relu(functional.conv2d(x, w, None, 1, 1)), 2)
        return x.reshape(batch, -1) @ w2

    lines = ["a = max_pool(relu(conv2d(x, w0, padding=1)), [2, 2])", "b = max_pool(relu(conv2d(a, w1, padding=1)), [2, 2])",
             f"return y = matmul(reshape(b, shape=[N, {2 * width * left * left}]), w2)"]
    inputs = [Input("x", "f32", ("N", channels, image, image)), Input("w0", "f32", (width, channels, 3, 3)), Input("w1", "f32", (2 * width, width, 3, 3)),
              Input("w2", "f32", (2 * width * left * left, classes))]
    return Problem(inputs, lines, {"N": batch}, numpy, torch, loops.cnn(batch, image, channels, width, classes), loops.CONVOLUTIONS,
                   flops=2 * batch * (9 * channels * width * image**2 + 18 * width * width * image**2 // 4 + 2 * width * left * left * classes))


def _draw_attention(d):
    return {"batch": d.batch(16), "heads": d.pick(1, 2, 4, 8, 12, 16), "queries": d.often(d.size(1, 1024), 1), "keys": d.size(1, 1024),
            "width": d.pick(8, 16, 32, 64, 80, 128)}


def _scores(xp, q, k):
    scores = q @ k.swapaxes(-1, -2) * (1 / math.sqrt(q.shape[-1]))
    e = xp.exp(scores - (scores.max(axis=-1, keepdims=True) if xp.__name__ == "numpy" else scores.amax(-1, keepdim=True)))
    return e / (e.sum(axis=-1, keepdims=True) if xp.__name__ == "numpy" else e.sum(-1, keepdim=True))


def _torch_attention(torch, q, k, v):
    functional = torch.nn.functional
    if hasattr(functional, "scaled_dot_product_attention"):
        return functional.scaled_dot_product_attention(q, k, v)
    return torch.softmax(q @ k.swapaxes(-1, -2) * (1 / math.sqrt(q.shape[-1])), -1) @ v


def _heads(batch, heads, queries, keys, width):
    inputs = [Input(name, "f32", (batch, heads, "N" if name == "q" else "M", width)) for name in "qkv"]
    return inputs, {"N": queries, "M": keys}


@family(_draw_attention)
def attention(batch, heads, queries, keys, width):
    inputs, sizes = _heads(batch, heads, queries, keys, width)
    return Problem(inputs, ["return y = scaled_dot_product_attention(q, k, v)"], sizes, lambda np, q, k, v: _scores(np, q, k).astype(q.dtype) @ v,
                   _torch_attention, loops.attention(batch, heads, queries, keys, width), loops.ATTENTION,
                   flops=batch * heads * queries * keys * (4 * width + 5))


@family(_draw_attention)
def attention_gradient(batch, heads, queries, keys, width):
    inputs, sizes = _heads(batch, heads, queries, keys, width)
    inputs.append(Input("g", "f32", (batch, heads, "N", width)))

    def numpy(np, q, k, v, g):
        weights, scale = _scores(np, q, k), 1 / math.sqrt(width)
        t = g @ v.swapaxes(-1, -2)
        ds = weights * (t - (t * weights).sum(axis=-1, keepdims=True)) * scale
        return (ds @ k).astype(q.dtype), (ds.swapaxes(-1, -2) @ q).astype(q.dtype), (weights.swapaxes(-1, -2) @ g).astype(q.dtype)

    return Problem(inputs, ["y = scaled_dot_product_attention(q, k, v)", "dq, dk, dv = grad(y, [q, k, v], grad_output=g)", "return dq, dk, dv"], sizes, numpy,
                   lambda torch, q, k, v, g: torch_gradients(torch, lambda *x: _torch_attention(torch, *x), (q, k, v), g),
                   loops.attention_gradient(batch, heads, queries, keys, width), loops.ATTENTION, flops=batch * heads * queries * keys * (12 * width + 10))


@family(lambda d: {"batch": d.batch(16), "length": d.size(1, 256), "heads": d.pick(1, 2, 4, 8), "width": 8 * d.pick(1, 2, 4, 8, 12), "causal": d.pick(0, 1)})
def transformer_block(batch, length, heads, width, causal):
    """Self-attention and a perceptron with a hidden layer of four times the width, each after a layer norm, with residuals; no biases."""
    one_of("causal", causal, (0, 1))
    one_of("heads", heads, tuple(h for h in range(1, 65) if width % h == 0))
    head = width // heads

    def numpy(np, x, wqkv, wo, w1, w2):
        def normed(z):
            centred = z - z.mean(axis=-1, keepdims=True)
            return centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-5))
        q, k, v = (part.reshape(batch, length, heads, head).swapaxes(1, 2) for part in np.split(normed(x) @ wqkv, 3, axis=-1))
        scores = q @ k.swapaxes(-1, -2) * np.float32(1 / math.sqrt(head))
        if causal:
            scores = np.where(np.tril(np.ones((length, length), bool)), scores, np.float32(-np.inf))
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        x = x + ((e / e.sum(axis=-1, keepdims=True)) @ v).swapaxes(1, 2).reshape(x.shape) @ wo
        return x + np.maximum(normed(x) @ w1, 0) @ w2

    def torch(torch, x, wqkv, wo, w1, w2):
        functional = torch.nn.functional
        q, k, v = (part.reshape(batch, length, heads, head).transpose(1, 2) for part in (functional.layer_norm(x, (width,)) @ wqkv).chunk(3, -1))
        if hasattr(functional, "scaled_dot_product_attention"):
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=bool(causal))
        else:
            scores = q @ k.transpose(-1, -2) * (1 / math.sqrt(head))
            if causal:
                scores = scores.masked_fill(~torch.ones(length, length, dtype=torch.bool).tril(), float("-inf"))
            mixed = torch.softmax(scores, -1) @ v
        x = x + mixed.transpose(1, 2).reshape(x.shape) @ wo
        return x + torch.relu(functional.layer_norm(x, (width,)) @ w1) @ w2

    # With larger weights the scores differ by so much that a seventh of the results of softmax are subnormal numbers, for which a
    # multiply-add takes a hundred times as long. (torch's attention rounds subnormal weights to zero.)
    weights = f"weights {width}"
    inputs = [Input("x", "f32", (batch, "N", width)), Input("wqkv", "f32", (width, 3 * width), weights), Input("wo", "f32", (width, width), weights),
              Input("w1", "f32", (width, 4 * width), weights), Input("w2", "f32", (4 * width, width), f"weights {4 * width}")]
    split = f"q, k, v = split(permute(reshape(layer_norm(x) @ wqkv, shape=[{batch}, N, {3 * heads}, {head}]), axes=[0, 2, 1, 3]), sections=3, axis=1)"
    lines = [split, f"a = permute(scaled_dot_product_attention(q, k, v, is_causal={'true' if causal else 'false'}), axes=[0, 2, 1, 3])",
             f"z = x + reshape(a, shape=[{batch}, N, {width}]) @ wo", "return y = z + relu(layer_norm(z) @ w1) @ w2"]
    return Problem(inputs, lines, {"N": length}, numpy, torch, loops.transformer_block(batch, length, heads, width, causal), loops.ATTENTION,
                   flops=24 * batch * length * width**2 + 4 * batch * length**2 * width)


def _draw_lstm(d):
    return {"steps": d.often(1, d.size(2, 24)), "batch": d.batch(128), "inputs": d.channels(512), "hidden": d.channels(512)}


def _lstm(steps, batch, inputs, hidden):
    # The gates add inputs + hidden products. With larger weights the states would be chaotic: the rounding errors would grow in each step.
    weights = f"weights {inputs + hidden}"
    arrays = [Input("x", "f32", (steps, "N", inputs)), Input("w", "f32", (4 * hidden, inputs), weights),
              Input("u", "f32", (4 * hidden, hidden), weights), Input("h", "f32", ("N", hidden)), Input("c", "f32", ("N", hidden))]
    lines = ["h0 = h", "c0 = c", "wt = transpose(w)", "ut = transpose(u)"]
    for t in range(steps):
        lines += [f"i{t}, f{t}, g{t}, o{t} = split(x[{t}] @ wt + h{t} @ ut, sections=4, axis=1)",
                  f"c{t + 1} = sigmoid(f{t}) * c{t} + sigmoid(i{t}) * tanh(g{t})",
                  f"h{t + 1} = sigmoid(o{t}) * tanh(c{t + 1})"]
    return arrays, lines, 2 * steps * batch * 4 * hidden * (inputs + hidden)


def _torch_lstm(torch, x, w, u, h, c):
    return torch._VF.lstm(x, (h[None], c[None]), [w, u], False, 1, 0.0, torch.is_grad_enabled(), False, False)[1][0]  # pylint: disable=protected-access


def _numpy_lstm(np, x, w, u, h, c):
    """Returns the last state h, and a list with an entry for each step: (gates, c after the step, h before it, c before it)."""
    sigmoid, states = lambda z: 1 / (1 + np.exp(-z)), []
    for xt in x:
        i, f, g, o = np.split(xt @ w.T + h @ u.T, 4, axis=1)
        i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
        after = f * c + i * g
        states.append(((i, f, g, o), after, h, c))
        h, c = o * np.tanh(after), after
    return h, states


@family(_draw_lstm)
def lstm(steps, batch, inputs, hidden):
    """One or more steps of an LSTM cell."""
    arrays, lines, flops = _lstm(steps, batch, inputs, hidden)
    return Problem(arrays, [*lines, f"return y = h{steps}"], {"N": batch}, lambda np, *a: _numpy_lstm(np, *a)[0],
                   _torch_lstm, loops.lstm(steps, batch, inputs, hidden), loops.LSTM, flops=flops)


@family(_draw_lstm)
def lstm_gradient(steps, batch, inputs, hidden):
    """Gradients of sum(h * g) with respect to both weights, through all steps of an LSTM, where h is the last state."""
    arrays, lines, flops = _lstm(steps, batch, inputs, hidden)
    arrays.append(Input("g", "f32", ("N", hidden)))

    def numpy(np, x, w, u, h, c, dh):
        _, states = _numpy_lstm(np, x, w, u, h, c)
        dw, du, dc = np.zeros_like(w), np.zeros_like(u), np.zeros_like(c)
        for xt, ((i, f, g, o), after, h_before, c_before) in zip(x[::-1], states[::-1]):
            t = np.tanh(after)
            dc = dc + dh * o * (1 - t * t)
            dz = np.concatenate((dc * g * i * (1 - i), dc * c_before * f * (1 - f), dc * i * (1 - g * g), dh * t * o * (1 - o)), axis=1)
            dw, du, dh, dc = dw + dz.T @ xt, du + dz.T @ h_before, dz @ u, dc * f
        return dw, du

    lines += [f"dw, du = grad(h{steps}, [w, u], grad_output=g)", "return dw, du"]
    return Problem(arrays, lines, {"N": batch}, numpy, lambda torch, x, w, u, h, c,
                   g: torch_gradients(torch, lambda w, u: _torch_lstm(torch, x, w, u, h, c), (w, u), g),
                   loops.lstm_gradient(steps, batch, inputs, hidden), loops.LSTM, flops=3 * flops)
