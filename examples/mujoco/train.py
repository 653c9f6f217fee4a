"""Trains the network whose negative gradient is a force on each body (force.c, "potential"): U(x) = tanh(tanh(x W1 + b1) W2 + b2) . w3,
fitted to the energy of a well with ripples. Writes the weights one after another, as f64, to potential.npy or FILE. Usage: train.py [FILE]
"""
import sys
from pathlib import Path

import numpy as np

WIDTH, POINTS, STEPS, REACH = 16, 4096, 6000, 2.5
SHAPES = ((3, WIDTH), (WIDTH,), (WIDTH, WIDTH), (WIDTH,), (WIDTH,))


def target(x):
    """Returns the energy at positions x, [n, 3], that the network learns: a round well, and ripples in two directions."""
    return 2 - 2 * np.exp(-np.sum(x * x, axis=1) / 2) + 0.2 * np.sin(2 * x[:, 0]) * np.sin(2 * x[:, 1])


def split(weights):
    parts, at = [], 0
    for shape in SHAPES:
        size = int(np.prod(shape))
        parts.append(weights[at : at + size].reshape(shape))
        at += size
    return parts


def energy(weights, x):
    """Returns U at the positions x, [n, 3]."""
    w1, b1, w2, b2, w3 = split(weights)
    return np.tanh(np.tanh(x @ w1 + b1) @ w2 + b2) @ w3


def force(weights, x):
    """Returns -dU/dx at the positions x, [n, 3]."""
    w1, b1, w2, b2, w3 = split(weights)
    a = np.tanh(x @ w1 + b1)
    b = np.tanh(a @ w2 + b2)
    return -((w3 * (1 - b * b)) @ w2.T * (1 - a * a)) @ w1.T


def slope(weights, x, wanted):
    """Returns the gradient of the mean squared error with respect to the weights."""
    w1, b1, w2, b2, w3 = split(weights)
    a = np.tanh(x @ w1 + b1)
    b = np.tanh(a @ w2 + b2)
    off = 2 * (b @ w3 - wanted) / len(x)
    at_b = np.outer(off, w3) * (1 - b * b)
    at_a = at_b @ w2.T * (1 - a * a)
    return np.concatenate([g.ravel() for g in (x.T @ at_a, at_a.sum(0), a.T @ at_b, at_b.sum(0), b.T @ off)])


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("potential.npy")
    random = np.random.default_rng(1)
    x = random.uniform(-REACH, REACH, (POINTS, 3))
    wanted = target(x)
    weights = np.concatenate([random.normal(0, 1 / np.sqrt(shape[0]), shape).ravel() for shape in SHAPES])
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):  # Adam; the learning rate falls to 0 along a cosine
        g = slope(weights, x, wanted)
        mean += 0.1 * (g - mean)
        square += 0.001 * (g * g - square)
        rate = 0.01 * (1 + np.cos(np.pi * step / STEPS))
        weights -= rate * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    fresh = random.uniform(-REACH, REACH, (POINTS, 3))
    error = np.sqrt(np.mean((energy(weights, fresh) - target(fresh)) ** 2))
    print(f"root mean square error of the energy at new points: {error:.4f} of a spread of {np.std(target(fresh)):.4f}")
    np.save(path, weights)
    return 0


if __name__ == "__main__":
    sys.exit(main())
