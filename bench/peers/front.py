"""Defines the work of the benchmarks front.python.call and front.python.lazy (bench/cases/front.cpp): y = a * b + 1 on 16 elements, from
NumPy arrays to a NumPy array; and 20 operations on arrays of the measured library."""
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
