"""The work of the front-end rows: y = a b + 1 of 16 elements, from and to NumPy arrays; and 20 operations on arrays of the library."""
import numpy

ELEMENTS = 16


def arrays():
    return numpy.full(ELEMENTS, 0.5, numpy.float32), numpy.full(ELEMENTS, 2, numpy.float32)


def product(a, b):
    return a * b + 1


def twenty(x, w):
    y = x * w + x
    for _ in range(6):
        y = (y - w) * x + 0.25
    return y
