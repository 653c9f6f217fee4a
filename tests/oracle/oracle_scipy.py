"""Cases of the oracle whose references are SciPy's, because NumPy has no such function, or one with another definition: special functions
(erf, expit, log_expit, ndtr), softmax and related functions, filters of scipy.signal and scipy.ndimage with every mode at the edges,
transforms of scipy.fft, norms of scipy.linalg.

SciPy computes in f64 here, so the tolerances for f64 include its own error: a few units in the last place for functions, and a few epsilons
times the sum of the magnitudes of the terms for filters and transforms.
"""
import numpy as np
import scipy.fft
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.special

from oracle_complex import PARTS, numbers
from oracle_references import Case, Group, Ulps, Within, values

FLOATS = {"f32": np.float32, "f64": np.float64}
# the mode of harp's pad -> the mode of scipy.ndimage
EDGES = {"constant": "constant", "edge": "nearest", "reflect": "mirror", "wrap": "wrap"}


def near(dtype, size, terms):
    """Returns the tolerance of a sum of this many terms whose magnitudes add up to at most `size`."""
    return Within(4 * terms**0.5 * float(np.finfo(dtype).eps) * np.asarray(size, np.float64))


def gelu_error(eps, x, _):
    """The tolerance of functions that contain 1 + erf(x). For negative x the two cancel, so the error is relative to 1, not to the
    result."""
    return 2 * eps * np.abs(x) + 2 * eps


def erfc_error(eps, x, expected):
    """The tolerance of functions that contain exp(-x * x). SciPy rounds x * x first, so the exponent has an error in its last place."""
    return (4 + 2 * x * x) * eps * np.abs(expected)


# name: (reference, bound for f32, bound for f64, range of arguments). A bound is a number of units in the last place, or a function that
# returns the error of each element.
FUNCTIONS = {
    "erf(x)": (scipy.special.erf, 1.3, 4, None),
    "erfc(x)": (scipy.special.erfc, 1.3, erfc_error, (-9.0, 9.0)),
    "sigmoid(x)": (scipy.special.expit, 6, 8, (-80.0, 80.0)),
    "softplus(x)": (lambda x: -scipy.special.log_expit(-x), 6, 8, (-80.0, 80.0)),
    "gelu(x)": (lambda x: x * scipy.special.ndtr(x), gelu_error, gelu_error, (-60.0, 60.0)),
    "silu(x)": (lambda x: x * scipy.special.expit(x), 8, 12, (-80.0, 80.0)),
    "cbrt(x)": (scipy.special.cbrt, 1.3, 3, None),
    "exp2(x)": (scipy.special.exp2, 1.0, 3, None),
    "expm1(x)": (scipy.special.expm1, 1.0, 3, None),
    "log1p(x)": (scipy.special.log1p, 1.0, 3, None),
}


def function_groups():
    for dtype, kind in FLOATS.items():
        special, far, close = values(dtype, 1501, 51)
        x = np.concatenate([special, far, close])
        for text, (reference, narrow, wide, limits) in FUNCTIONS.items():
            given = x if limits is None else x[(x >= limits[0]) & (x <= limits[1])]
            expected = reference(given.astype(np.float64))
            bound = narrow if kind == np.float32 else wide
            nearness = Within(bound(float(np.finfo(kind).eps), given.astype(np.float64), expected)) if callable(bound) else Ulps(bound)
            yield Group(f"scipy {text} {dtype}", {"x": given}, {}, {}, "", [Case(text, expected, nearness)])


def softmax_groups():
    for dtype, kind in FLOATS.items():
        random = np.random.default_rng(52)
        x = (random.normal(size=(7, 33, 5)) * 6).astype(kind)
        w = x.astype(np.float64)
        ones, most = np.ones(x.shape), 40 * np.ones(x.shape)
        cases = []
        for axis in (0, 1, -1):
            cases += [Case(f"softmax(x, axis={axis})", scipy.special.softmax(w, axis), near(kind, 2 * ones, 33)),
                      Case(f"log_softmax(x, axis={axis})", scipy.special.log_softmax(w, axis), near(kind, most, 33))]
        for axes in ((0,), (1, 2), (0, 1, 2)):
            expected = scipy.special.logsumexp(w, axes)
            cases.append(Case(f"logsumexp(x, axes=[{', '.join(map(str, axes))}])", expected, near(kind, np.full(expected.shape, 40.0), 33)))
        for order, text in ((1, "1"), (2, "2"), (3, "3"), (np.inf, "inf"), (-np.inf, "-inf")):
            flat = np.array([[scipy.linalg.norm(row, order) for row in plane.T] for plane in w])
            cases.append(Case(f"norm(x, ord={text}, axes=[1])", flat, near(kind, 4 * flat, 33)))
        yield Group(f"scipy softmax {dtype}", {"x": x}, {"x": "[n, 33, m]"}, {}, "", cases)


def filter_groups():
    """Yields the groups of cases for filters. The arrays are reshaped so that they have a batch axis and a channel axis of size 1, as
    harp's convolutions require. harp's convolutions do not flip the kernel, so they are compared with SciPy's correlations or, if the case
    flips the kernel, with SciPy's convolutions."""
    for dtype, kind in FLOATS.items():
        random = np.random.default_rng(53)
        line, picture, volume = (random.normal(size=shape).astype(kind) for shape in ((60,), (13, 17), (6, 7, 8)))
        taps, patch, cube = (random.normal(size=shape).astype(kind) for shape in ((5,), (3, 5), (3, 3, 3)))
        inputs = {"a": line, "b": picture, "c": volume, "k": taps, "l": patch, "m": cube}
        wide = {name: array.astype(np.float64) for name, array in inputs.items()}
        cases = []

        def add(text, expected, kernel):
            cases.append(Case(text, expected, near(kind, np.full(expected.shape, 4 * np.abs(kernel).sum()), kernel.size)))

        def image(name):
            array = inputs[name]
            return f"reshape({name}, shape=[1, 1, {', '.join(map(str, array.shape))}])"

        def squeezed(call, rank):
            return f"squeeze({call}, axes=[0, 1])" if rank else call

        a, b, c, k, l, m = (wide[name] for name in "abcklm")
        for mode, edge in EDGES.items():
            for name, kernel, array, taps_name in (("a", k, a, "k"), ("b", l, b, "l"), ("c", m, c, "m")):
                around = "[" + ", ".join(str(n // 2) for n in kernel.shape) + "]"
                padded = f'pad({name}, before={around}, after={around}, mode="{mode}")'
                shape = ", ".join(str(n + size // 2 * 2) for n, size in zip(array.shape, kernel.shape))
                call = f"conv{array.ndim}d(reshape({padded}, shape=[1, 1, {shape}]), {image(taps_name)})"
                add(squeezed(call, 1), scipy.ndimage.correlate(array, kernel, mode=edge), kernel)
        for stride in (1, 2, 3):
            add(squeezed(f"conv1d({image('a')}, {image('k')}, stride={stride})", 1), scipy.signal.correlate(a, k, "valid")[::stride], k)
            up = scipy.signal.upfirdn(k, a, up=stride)
            add(squeezed(f"conv_transpose1d({image('a')}, {image('k')}, stride={stride})", 1), up[:(len(a) - 1) * stride + len(k)], k)
            add(squeezed(f"conv2d({image('b')}, {image('l')}, stride={stride}, padding=[1, 2])", 1),
                scipy.signal.correlate2d(b, l, "same")[::stride, ::stride], l)
        spread = np.zeros((5, 9))
        spread[::2, ::2] = l
        add(squeezed(f"conv2d({image('b')}, {image('l')}, dilation=2)", 1), scipy.signal.correlate2d(b, spread, "valid"), l)
        add(squeezed(f"conv_transpose2d({image('b')}, {image('l')})", 1), scipy.signal.convolve2d(b, l, "full"), l)
        add(squeezed(f"conv_transpose3d({image('c')}, {image('m')})", 1), scipy.signal.convolve(c, m, "full", "direct"), m)
        add(squeezed(f"conv2d({image('b')}, flip({image('l')}, axes=[2, 3]), padding=[2, 4])", 1), scipy.signal.fftconvolve(b, l, "full"), l)
        add("max_pool(b, size=[3, 5], stride=1)", scipy.ndimage.maximum_filter(b, (3, 5))[1:-1, 2:-2], np.ones(1))
        add("avg_pool(b, size=[3, 5], stride=1)", scipy.ndimage.uniform_filter(b, (3, 5))[1:-1, 2:-2], np.ones(15))
        yield Group(f"scipy filters {dtype}", inputs, {}, {}, "", cases)


def transform_groups():
    for dtype, part in PARTS.items():
        for n in (1, 12, 97, 240, 509):
            z = numbers(dtype, n, 3, n)
            x = z.real.copy()
            wide, real = z.astype(np.complex128), x.astype(np.float64)
            size = float(np.sqrt((np.abs(wide) ** 2).sum(-1).max()))
            cases = []
            for norm, scale in (("backward", 1.0), ("ortho", n**-0.5), ("forward", 1 / n)):
                inverse = {"backward": 1 / n, "ortho": n**-0.5, "forward": 1.0}[norm]
                for text, expected, by in ((f'fft(z, norm="{norm}")', scipy.fft.fft(wide, norm=norm), scale),
                                           (f'ifft(z, norm="{norm}")', scipy.fft.ifft(wide, norm=norm), inverse),
                                           (f'rfft(x, norm="{norm}")', scipy.fft.rfft(real, norm=norm), scale),
                                           (f'irfft(rfft(x), n={n}, norm="{norm}")', scipy.fft.irfft(scipy.fft.rfft(real), n, norm=norm),
                                            inverse * n**0.5)):
                    bound = 64 * (np.log2(n) + 3) * float(np.finfo(part).eps) * size * by
                    cases.append(Case(text, expected, Within(np.full(expected.shape, bound))))
            yield Group(f"scipy transforms of {n} {dtype}", {"x": x, "z": z}, {}, {}, "", cases)


def scipy_groups():
    return [*function_groups(), *softmax_groups(), *filter_groups(), *transform_groups()]
