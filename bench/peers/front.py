"""What front ends are asked for: y = a b + 1 of 16 elements, from arrays of NumPy to one, and 20 operations on the library's own arrays."""
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
