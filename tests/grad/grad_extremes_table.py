#!/usr/bin/env python3
"""Writes tests/grad/grad_extremes.txt: values, first and second derivatives of every differentiable operation at extreme points.

    /usr/bin/python3 tests/grad/grad_extremes_table.py        (needs Debian's python3-mpmath)

This script does not use harp. It computes each operation by its textbook formula, with numbers that carry their derivatives in two
directions: truncated power series in p and q. Only the coefficients of 1, p, q and p·q are kept, each with 2,600 bits, so that the
cancellation in 1 - tanh(700)² leaves correct digits. Where no derivative exists, the formula contains the value that harp defines
(docs/semantics.md, "Gradients").

A block of the table begins with `op`, tolerances and the expression of the text format; its lines are cases:

    op scalar 4 4 8 | 0 0 0 | sigmoid(x)        units in the last place of y, y' and y'' | additional absolute tolerances
    hbsd 0.5 6.2e-1 2.3e-1 -5.6e-2              dtypes that have the point (f16, bf16, f32, f64) | x | y | y' | y''
    op vector ...                               x, y, gradient of sum(w·y) and its Hessian times u are lists; w and u repeat the head's

`-` is a value that is not tested, because it does not exist or exceeds the range of f64. A value that exceeds the range of a dtype is not
tested with this dtype; if y exceeds it, the derivatives are not tested either. An additional tolerance is 0, tiny (the dtype's least normal
number), eps (its precision), or a power or multiple of these. It is always at least tiny, because intermediate results may underflow.
"""
import os

import mpmath
from mpmath import mpf

import grad_extremes_ops

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "grad_extremes.txt")
W, U = [1.0, -2.0, 0.5, 3.0], [1.0, 0.5, -1.0, 2.0]
mpmath.mp.prec = 2600

# letter: bits of the significand, least and greatest exponent of a normal number
FORMATS = {"h": (11, -14, 15), "b": (8, -126, 127), "s": (24, -126, 127), "d": (53, -1022, 1023)}


def fits(x, letter):
    """Tests whether x is a number of this dtype."""
    bits, least, greatest = FORMATS[letter]
    if x == 0:
        return True
    mantissa, exponent = mpmath.frexp(abs(mpf(x)))  # mantissa in [1/2, 1)
    unit = max(exponent - bits, least - bits + 1)
    return exponent - 1 <= greatest and mpmath.ldexp(mpf(x), -unit) == int(mpmath.ldexp(mpf(x), -unit)) and mantissa != 0


def nearest(x, letter):
    bits, _, _ = FORMATS[letter]
    _, exponent = mpmath.frexp(mpf(x))
    return float(mpmath.ldexp(mpmath.nint(mpmath.ldexp(mpf(x), bits - exponent)), exponent - bits))


def points():
    """Returns numbers at which functions change their behaviour: of every dtype the least and the greatest number, their roots, and the
    neighbours of 1; arguments where exp, expm1 and tanh underflow, saturate or overflow."""
    found = {0.5, 0.75, 1.0, 2.0, 3.0, 9.0, 16.0, 17.0, 50.0, 88.0, 89.0, 100.0, 300.0, 720.0, 2.0**-8, 1 - 2.0**-8, 1 + 2.0**-7, 30000.0}
    for letter, (bits, least, greatest) in FORMATS.items():
        top = (2 - 2.0 ** (1 - bits)) * 2.0**greatest
        found |= {2.0 ** (least - bits + 1), 2.0**least, 2.0 ** (least // 2), 2.0 ** (greatest // 2), top}
        if letter in "sd":
            found |= {1 - 2.0**-bits, 1 + 2.0 ** (1 - bits), nearest("1e-10", letter), nearest("1e13", letter), nearest("3e18", letter)}
    return [0.0] + sorted({sign * x for x in found for sign in (1.0, -1.0)})


class Series:
    """The series v + a·p + b·q + c·p·q, without higher powers."""

    def __init__(self, v, a=0, b=0, c=0):
        self.v, self.a, self.b, self.c = mpf(v), mpf(a), mpf(b), mpf(c)

    def through(self, f, first, second):
        return Series(f, first * self.a, first * self.b, first * self.c + second * self.a * self.b)

    def __add__(self, other):
        o = other if isinstance(other, Series) else Series(other)
        return Series(self.v + o.v, self.a + o.a, self.b + o.b, self.c + o.c)

    def __mul__(self, other):
        o = other if isinstance(other, Series) else Series(other)
        return Series(self.v * o.v, self.v * o.a + self.a * o.v, self.v * o.b + self.b * o.v,
                      self.v * o.c + self.a * o.b + self.b * o.a + self.c * o.v)  # fmt: skip

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + other * -1

    def __rsub__(self, other):
        return other + -self

    def reciprocal(self):
        return self.through(1 / self.v, -1 / self.v**2, 2 / self.v**3)

    def __truediv__(self, other):
        return self * (other.reciprocal() if isinstance(other, Series) else 1 / mpf(other))

    def __rtruediv__(self, other):
        return other * self.reciprocal()


def spelled(value, letters="d"):
    """Formats a number with the digits that an f64 needs, or half of them if the point has no f64."""
    if value is None or not mpmath.isfinite(value):
        return "-"
    if value == 0:
        return "0"
    size = abs(value)
    if size > mpf(2) ** 1024:
        return "-"
    if size < mpf(2) ** -1080:
        return "0"
    text = mpmath.nstr(value, 17 if "d" in letters else 10, strip_zeros=True).replace("e+", "e")
    return text[:-2] if text.endswith(".0") else text.replace(".0e", "e")


def exact(x):
    return repr(int(x)) if x == int(x) and abs(x) < 1e6 else repr(x)


def letters_of(xs):
    return "".join(letter for letter in FORMATS if all(fits(x, letter) for x in xs))


def scalar_lines(op):
    for x in points():
        if not op.holds(x):
            continue
        try:
            y = op.function(Series(x, 1, 1))
        except (ZeroDivisionError, ValueError):
            continue
        if not mpmath.isfinite(y.v):
            continue
        values = [y.v, y.a, y.c if op.orders == 2 else None]
        letters = letters_of([x])
        yield " ".join([letters, exact(x)] + [spelled(value, letters) for value in values])


def vector_lines(op):
    for xs in op.points:
        values, gradient, second = None, [], []
        for i in range(len(xs)):
            ys = op.function([Series(x, int(i == j), U[j % 4]) for j, x in enumerate(xs)])
            ys = ys if isinstance(ys, list) else [ys]
            loss = sum((y * W[j % 4] for j, y in enumerate(ys)), Series(0))
            values, gradient, second = [y.v for y in ys], gradient + [loss.a], second + [loss.c]
        if op.orders == 1:
            second = [None]
        yield " ".join([letters_of(xs)] + [",".join(map(exact, xs))] + [",".join(map(spelled, part)) for part in (values, gradient, second)])


def main():
    numbers = lambda values: " ".join(map(exact, values))  # noqa: E731
    lines = ["# Written by tests/grad/grad_extremes_table.py, which says what stands here.", f"w {numbers(W)}", f"u {numbers(U)}"]
    for op in grad_extremes_ops.all_ops(Series):
        kind = "scalar" if op.points is None else "vector"
        lines.append(f"op {kind} {' '.join(map(str, op.units))} | {' '.join(op.lost)} | {op.text}")
        lines += scalar_lines(op) if op.points is None else vector_lines(op)
    with open(PATH, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
