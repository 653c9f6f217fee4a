"""A small neural network learns to tell apart two spirals, one inside the other, like examples/spirals/spirals.c. It is trained by Adam on
the cross entropy; the forward pass, the gradients and the update are one program. Losses and picture have the same bytes as those of the C
program.

    python spirals.py [picture.png]
"""
import math
import sys

import harp
import numpy as np

import png

HIDDEN, POINTS, STEPS, SIDE = 32, 1000, 1500, 480
SHAPES = {"w1": (2, HIDDEN), "b1": (HIDDEN,), "w2": (HIDDEN, HIDDEN), "b2": (HIDDEN,), "w3": (HIDDEN, 2), "b3": (2,)}


def network(x, w):
    """Computes the scores of n points: x has shape [n, 2], the result [n, 2]."""
    x = harp.tanh(x @ w["w1"] + w["b1"])
    x = harp.tanh(x @ w["w2"] + w["b2"])
    return x @ w["w3"] + w["b3"]


def loss(w, x, side):
    return harp.cross_entropy(network(x, w), side, axis=1)


@harp.jit
def step(w, mean, square, x, side, count):
    """Does a step of Adam; `count` starts at 1."""
    value, gradient = harp.value_and_grad(loss)(w, x, side)
    for name, g in gradient.items():
        mean[name] = 0.9 * mean[name] + 0.1 * g
        square[name] = 0.999 * square[name] + 0.001 * g * g
        w[name] = w[name] - 0.01 * (mean[name] / (1 - 0.9**count) / (harp.sqrt(square[name] / (1 - 0.999**count)) + 1e-8))
    return w, mean, square, value


@harp.jit(dynamic={"x": {0: "n"}})
def answer(x, w):
    return harp.argmax(network(x, w), axis=1)


def spirals(count, seed):
    """Makes points alternately on either spiral; `seed` shifts them along the spirals."""
    points = []
    for i in range(count):
        t = math.sqrt((i // 2 + seed) / (count // 2))
        angle = 3 * 3.14159265358979 * t + i % 2 * 3.14159265358979
        points.append((t * math.cos(angle), t * math.sin(angle)))
    return np.array(points, np.float32), np.arange(count, dtype=np.int32) % 2


def main():
    scale = {name: 1 / math.sqrt(shape[0]) if len(shape) == 2 else 0.1 for name, shape in SHAPES.items()}
    w = {name: harp.random.normal(np.uint32(7 + i), shape) * scale[name] for i, (name, shape) in enumerate(SHAPES.items())}
    mean, square = ({name: harp.zeros(shape) for name, shape in SHAPES.items()} for _ in range(2))
    x, side = spirals(POINTS, 0.75)
    for i in range(STEPS):
        w, mean, square, value = step(w, mean, square, x, side, np.float32(i + 1))
        if i % 250 == 0 or i + 1 == STEPS:
            print(f"step {i + 1:4}  loss {float(value):.5f}")
    points, expected = spirals(POINTS, 0.25)
    right = (np.asarray(answer(points, w)) == expected).mean()
    print(f"accuracy on {POINTS} points between those it was trained on: {100 * right:.1f} % (goal: more than 99)")
    if len(sys.argv) > 1:
        axis = (np.arange(SIDE, dtype=np.float32) + 0.5) / SIDE * 2.2 - 1.1
        grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
        seen = np.asarray(answer(grid, w)).reshape(SIDE, SIDE)
        pixels = np.array([[246, 214, 170], [170, 204, 236]], np.uint8)[seen]
        for (column, row), which in zip(((x + np.float32(1.1)) / np.float32(2.2) * SIDE).astype(int), side):
            pixels[row - 1 : row + 2, column - 1 : column + 2] = ((176, 72, 16), (16, 72, 150))[which]
        png.write(sys.argv[1], pixels)
        print(f"wrote {sys.argv[1]}")
    return 0 if right > 0.99 else 1


if __name__ == "__main__":
    sys.exit(main())
