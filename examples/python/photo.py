"""A photo filter: a picture becomes a drawing with dark outlines, with the same pixels as from examples/photo/photo.c. One program handles
pictures of every size; its input and its output are bytes.

    python photo.py picture.png drawing.png
"""
import itertools
import math
import sys

import harp
import numpy as np

import png

RADIUS = 2


def filtered(x, kernel, radius, groups):
    """Applies a kernel to an image [batch, channels, height, width], whose border pixels are repeated outwards, so that its size stays
    the same."""
    border = [0, 0, radius, radius]
    return harp.conv2d(harp.pad(x, border, border, mode="edge"), kernel, groups=groups)


def gauss():
    window = range(-RADIUS, RADIUS + 1)
    weights = np.array([[math.exp(-0.5 * (i * i + j * j)) for j in window] for i in window], np.float32)
    total = list(itertools.accumulate(weights.ravel()))[-1]  # added one after the other, as in the C program, so that the bits are equal
    return np.tile(weights / total, (3, 1, 1, 1))


GREY = np.array([0.2126, 0.7152, 0.0722], np.float32).reshape(1, 3, 1, 1)
SOBEL = np.array([[[[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]], [[[-1, -2, -1], [0, 0, 0], [1, 2, 1]]]], np.float32)


@harp.jit(dynamic={"picture": {0: harp.dim("height", 1, 1 << 20), 1: harp.dim("width", 1, 1 << 20)}}, numpy=True)
def drawing(picture):
    height, width, _ = picture.shape
    x = harp.reshape(harp.permute_dims(picture, (2, 0, 1)), [1, 3, height, width]).astype(harp.float32) / 255
    x = filtered(x, gauss(), RADIUS, 3)
    edges = filtered(filtered(x, GREY, 0, 1), SOBEL, 1, 1)
    strength = harp.sum(edges * edges, axis=1, keepdims=True)
    # an S-shaped tone curve in six steps, darker where brightness changes quickly
    tone = (harp.floor(x * x * (3 - 2 * x) * 6) + 0.5) / 6 * harp.exp(-6 * strength)
    out = harp.clip(tone * 255 + 0.5, 0, 255).astype(harp.uint8)
    return harp.permute_dims(harp.reshape(out, [3, height, width]), (1, 2, 0))


def main():
    if len(sys.argv) != 3:
        print("usage: photo.py picture.png drawing.png", file=sys.stderr)
        return 2
    picture = png.read(sys.argv[1])
    png.write(sys.argv[2], drawing(picture))
    print(f"{picture.shape[0]} x {picture.shape[1]} pixels")
    return 0


if __name__ == "__main__":
    sys.exit(main())
