"""Gray-Scott reaction-diffusion, like examples/reaction/reaction.c: the brightness of a picture is the starting pattern, and the step is
one program for every height and width. The final picture has the same bytes as that of the C program.

    python reaction.py [picture.png] [--output DIRECTORY] [--steps N]
"""
import argparse
import time
from pathlib import Path

import harp
import numpy as np

import png

DIFFUSION_U, DIFFUSION_V = 0.16, 0.08
FEED, KILL = np.float32(0.0545), np.float32(0.062)


def laplace(x):
    """The sum of the four neighbours minus four times the cell; the edges are periodic."""
    total = harp.roll(x, 1, axis=0) + harp.roll(x, -1, axis=0)
    total = total + harp.roll(x, 1, axis=1)
    total = total + harp.roll(x, -1, axis=1)
    return total - 4 * x


@harp.jit(dynamic={name: {0: harp.dim("height", 2, 1 << 20), 1: harp.dim("width", 2, 1 << 20)} for name in ("u", "v")})
def step(u, v):
    reaction = u * v * v
    du = DIFFUSION_U * laplace(u) - reaction + float(FEED) * (1 - u)
    dv = DIFFUSION_V * laplace(v) + reaction - float(FEED + KILL) * v
    return u + du, v + dv


def colour(v):
    """Returns the colours of the cells: dark blue over teal and sand to white, depending on the concentration of v."""
    stops = np.array([[10, 14, 38], [16, 72, 108], [32, 150, 140], [240, 200, 110], [255, 250, 235]], np.float32)
    t = np.clip(v * np.float32(4 / np.float32(0.4)), np.float32(0), np.float32(3.999))
    i = t.astype(int)
    return (stops[i] + (t - i.astype(np.float32))[..., None] * (stops[i + 1] - stops[i])).astype(np.uint8)


def main():
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser()
    parser.add_argument("picture", nargs="?", default=here.parent / "reaction" / "start.png")
    parser.add_argument("--output", default=".")
    parser.add_argument("--steps", type=int, default=4000)
    arguments = parser.parse_args()
    rgb = png.read(arguments.picture).astype(np.float32)
    brightness = (np.float32(0.2126) * rgb[..., 0] + np.float32(0.7152) * rgb[..., 1] + np.float32(0.0722) * rgb[..., 2]) / np.float32(255)
    u = harp.asarray(1 - np.float32(0.5) * brightness)
    v = harp.asarray(np.float32(0.5) * brightness * brightness)
    step(u, v)
    begin = time.perf_counter()
    for _ in range(arguments.steps):
        u, v = step(u, v)
    print(f"{arguments.steps / (time.perf_counter() - begin):.0f} steps/s of {u.shape[0]} x {u.shape[1]} cells, {step.program_count} program")
    path = Path(arguments.output) / "reaction.png"
    png.write(path, colour(np.asarray(v)))
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
