"""The whole jobs of bench/harness/job.h, written once for NumPy and for libraries with NumPy's interface: JAX, and for the simulations also
PyTorch and tinygrad. Constants are Python numbers, which take the dtype of the arrays. The function NAME_data returns the inputs of job
NAME, with the same values as in bench/cases/simulations.cpp, training.cpp and npb.cpp; the function NAME computes the job.
"""
import pathlib

import numpy

from harp_bench_served import array

SIZES, BATCH = (784, 512, 256, 10), 128


def gray_scott_data(_target, height, width):
    return [array(i, int(height), int(width), low=0, high=1) for i in range(2)]


def gray_scott(np, u, v):
    def laplace(x):
        return np.roll(x, 1, 0) + np.roll(x, -1, 0) + np.roll(x, 1, 1) + np.roll(x, -1, 1) - 4 * x

    feed, kill = 0.0545, 0.062
    reaction = u * v * v
    next_u = u + (0.16 * laplace(u) - reaction + feed * (1 - u))
    return next_u, v + (0.08 * laplace(v) + reaction - (feed + kill) * v)


def lorenz_data(_target, members, _steps):
    return [array(i, int(members), low=1, high=20) for i in range(3)]


def lorenz(np, x, y, z, steps=8):
    time = 0.0078125

    def velocity(x, y, z):
        return 10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z

    def moved(point, factor, direction):
        return [p + factor * d for p, d in zip(point, direction)]

    point = [x, y, z]
    for _ in range(steps):
        k1 = velocity(*point)
        k2 = velocity(*moved(point, time / 2, k1))
        k3 = velocity(*moved(point, time / 2, k2))
        k4 = velocity(*moved(point, time, k3))
        total = [a + 2 * (b + c) + d for a, b, c, d in zip(k1, k2, k3, k4)]
        point = moved(point, time / 6, total)
    return point


def mlp_data():
    """Returns the images, their classes, and the weights and biases of the layers."""
    weights = []
    for before, after in zip(SIZES, SIZES[1:]):
        for shape in ((before, after), (after,)):
            weights.append(array(len(weights) + 1, *shape, low=-0.0625, high=0.0625))
    return [array(0, BATCH, SIZES[0]), numpy.arange(BATCH) % SIZES[-1], *weights]


def lstm_data():
    """Returns the sequence x, the weights w of x, the weights u of the state, the initial states h0 and c0, and the gradient with respect
    to the last state h."""
    cells = (64, 512)
    weights = [array(i, 2048, 512, low=-0.0625, high=0.0625) for i in (1, 2)]
    return [array(0, 100, *cells), *weights, *(array(i, *cells) for i in (3, 4, 5))]


def mlp(np, x, classes, *weights):
    """Computes one training step, with hand-written gradients. Returns the new weights and biases."""
    inputs = [x]
    for i in range(0, len(weights), 2):
        x = x @ weights[i] + weights[i + 1]
        if i + 2 < len(weights):
            x = np.maximum(x, numpy.float32(0))
            inputs.append(x)
    shares = np.exp(x - x.max(axis=1, keepdims=True))
    shares = shares / shares.sum(axis=1, keepdims=True)
    gradient = (shares - (classes[:, None] == np.arange(SIZES[-1]))) / numpy.float32(BATCH)
    results = []
    for i in range(len(weights) - 2, -1, -2):
        before = inputs.pop()
        results = [weights[i] - before.T @ gradient, weights[i + 1] - gradient.sum(axis=0), *results]
        if i > 0:
            gradient = (gradient @ weights[i].T) * (before > 0)
    return results


def cg_data(folder):
    """Returns the CSR matrix: row offsets, columns and values, from files that harp_bench has written."""
    return [numpy.fromfile(pathlib.Path(folder) / name, dtype) for name, dtype in
            (("offsets", numpy.int64), ("columns", numpy.int32), ("values", numpy.float64))]


def cg_dense_data(folder):
    values = numpy.fromfile(pathlib.Path(folder) / "dense", numpy.float64)
    size = int(values.size**0.5)
    return values.reshape(size, size)


def cg(np, times, x, steps=25):
    """Computes one outer iteration of CG; `times` multiplies a vector by the matrix."""
    z, r, p = 0 * x, x, x
    rho = r @ r
    for _ in range(steps):
        q = times(p)
        alpha = rho / (p @ q)
        z, r = z + alpha * p, r - alpha * q
        before, rho = rho, r @ r
        p = r + rho / before * p
    return z / (z @ z) ** 0.5


def ft_data():
    """Returns the spectrum, the decay factor of each frequency, and the indices of the summed elements."""
    x, y, z = 128, 128, 32
    j = numpy.arange(1, 1025)
    spectrum = array(0, z, y, 2 * x, low=0, high=1, dtype=numpy.float64).view(numpy.complex128)
    return [spectrum, array(1, z, y, x, low=0, high=1, dtype=numpy.float64), (5 * j % z * y + 3 * j % y) * x + j % x]


def ft(np, spectrum, left, chosen):
    following = spectrum * left
    field = np.fft.ifftn(following, norm="forward")
    return following, field.reshape(-1)[chosen].sum() / field.size
