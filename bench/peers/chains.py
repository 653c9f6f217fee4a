"""Evaluates the chains of operations of bench/cases/bandwidth.cpp by NumPy, PyTorch and numexpr. Results and intermediate values are stored
in arrays that are allocated before the measurement, except for the mask of `where`."""
import numpy

from harp_bench_served import array, not_installed

LINE = numpy.float32((2 / numpy.pi) ** 0.5)  # coefficients of x and x ** 3 in the argument of the tanh of gelu_tanh
CUBE = numpy.float32((2 / numpy.pi) ** 0.5 * 0.044715)


def data(count):
    return array(0, int(count), low=-4, high=4)


def numpy_chain(name, count):
    x = data(count)
    y, t = numpy.empty_like(x), numpy.empty_like(x)

    def exp6():
        numpy.multiply(x, x, out=y)
        numpy.negative(y, out=y)
        numpy.exp(y, out=y)
        numpy.multiply(y, numpy.float32(0.5), out=y)
        numpy.subtract(y, x, out=y)
        return numpy.abs(y, out=y)

    def where():
        numpy.multiply(x, numpy.float32(2), out=t)
        numpy.clip(t, numpy.float32(-1), numpy.float32(1), out=t)
        numpy.add(x, numpy.float32(0.5), out=y)
        numpy.copyto(y, t, where=x > numpy.float32(0.25))
        return y

    def gelu():
        try:
            from scipy.special import erf
        except ImportError as error:
            not_installed(error)

        def run():
            numpy.multiply(x, numpy.float32(0.5**0.5), out=t)
            erf(t, out=t)
            numpy.add(t, numpy.float32(1), out=t)
            numpy.multiply(x, numpy.float32(0.5), out=y)
            return numpy.multiply(y, t, out=y)

        return run

    def gelu_tanh():
        numpy.multiply(x, x, out=t)
        numpy.multiply(t, CUBE, out=t)
        numpy.add(t, LINE, out=t)
        numpy.multiply(t, x, out=t)
        numpy.tanh(t, out=t)
        numpy.add(t, numpy.float32(1), out=t)
        numpy.multiply(x, numpy.float32(0.5), out=y)
        return numpy.multiply(y, t, out=y)

    return gelu() if name == "gelu" else {"gelu_tanh": gelu_tanh, "exp6": exp6, "where": where}[name]


def torch_chain(torch, name, count):
    x = torch.from_numpy(data(count))
    y, t = torch.empty_like(x), torch.empty_like(x)

    def exp6():
        torch.mul(x, x, out=y)
        return torch.sub(y.neg_().exp_().mul_(0.5), x, out=y).abs_()

    def where():
        torch.mul(x, 2, out=t)
        t.clamp_(-1, 1)
        torch.add(x, 0.5, out=y)
        return torch.where(x > 0.25, t, y)

    return {"exp6": exp6, "where": where, "gelu": lambda: torch.ops.aten.gelu.out(x, approximate="none", out=y)}[name]


def numexpr_chain(numexpr, name, count):
    x = data(count)
    y = numpy.empty_like(x)
    half, quarter, one, two = (numpy.float32(value) for value in (0.5, 0.25, 1, 2))
    names = {"x": x, "half": half, "quarter": quarter, "one": one, "two": two, "cube": CUBE, "line": LINE}
    text = {"gelu_tanh": "half * x * (one + tanh(x * (line + cube * x * x)))",
            "exp6": "abs(exp(-(x * x)) * half - x)",
            "where": "where(x > quarter, where(x * two > one, one, where(x * two < -one, -one, x * two)), x + half)"}[name]
    return lambda: numexpr.evaluate(text, names, out=y)
