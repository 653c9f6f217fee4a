"""Fourier transforms of every kind of length, and steps of spectral methods."""
import math

from case import Input, Problem, family, one_of
from families.loops import COMPLEX, FLOATS


def _length(d, most):
    return d.often(1 << d.random.randint(1, int(math.log2(most))), d.size(2, most), d.pick(6, 12, 60, 100, 120, 360, 480, 1000, 1920, 5040, 10000))


def _flops(n, count):
    return 5 * n * math.log2(n + 1) * count


def _draw_fft(d, dtypes):
    length = min(_length(d, 1 << 20), d.limits.size)
    return {"op": d.pick("fft", "ifft"), "dtype": d.pick(*dtypes), "rows": d.size(1, max(1, (1 << 20) // length)), "length": length}


@family(lambda d: _draw_fft(d, COMPLEX))
def fft(op, dtype, rows, length):
    """NumPy's transforms compute in f64 whatever the dtype; SciPy's do not, and are used where they are installed."""
    one_of("op", op, ("fft", "ifft"))
    one_of("dtype", dtype, COMPLEX)
    return Problem([Input("x", dtype, ("N", "M"))], [f"return y = {op}(x)"], {"N": rows, "M": length}, lambda np,
                   x: getattr(_fft(np), op)(x).astype(x.dtype, copy=False),
                   lambda torch, x: getattr(torch.fft, op)(x), None, flops=_flops(length, rows))


def _fft(np):
    try:
        import scipy.fft
        return scipy.fft
    except ImportError:
        return np.fft


@family(lambda d: {**_draw_fft(d, FLOATS), "op": "rfft"})
def rfft(op, dtype, rows, length):
    one_of("op", op, ("rfft",))
    one_of("dtype", dtype, FLOATS)
    wide = "complex64" if dtype == "f32" else "complex128"
    return Problem([Input("x", dtype, ("N", "M"))], ["return y = rfft(x)"], {"N": rows, "M": length}, lambda np, x: _fft(np).rfft(x).astype(wide, copy=False),
                   lambda torch, x: torch.fft.rfft(x), None, flops=_flops(length, rows) / 2)


def _draw_plane(d):
    return {"dtype": d.often("f32", "f64"), "batch": d.batch(32), "height": min(_length(d, 1024), d.limits.size), "width": min(_length(d, 1024), d.limits.size)}


@family(lambda d: {**_draw_plane(d), "dtype": d.pick(*COMPLEX)})
def fft_planes(dtype, batch, height, width):
    one_of("dtype", dtype, COMPLEX)
    return Problem([Input("x", dtype, ("N", "H", "W"))], ["return y = fft2(x)"], {"N": batch, "H": height, "W": width}, lambda np,
                   x: _fft(np).fft2(x).astype(x.dtype, copy=False),
                   lambda torch, x: torch.fft.fft2(x), None, flops=_flops(height * width, batch))


@family(_draw_plane)
def spectral_step(dtype, batch, height, width):
    """A linear step of a periodic field in the space of its waves: transform, multiply, transform back."""
    one_of("dtype", dtype, FLOATS)

    def numpy(np, x, m):
        return _fft(np).irfft2(_fft(np).rfft2(x) * m, s=(height, width)).astype(x.dtype, copy=False)

    half = width // 2 + 1
    return Problem([Input("x", dtype, ("N", "H", width)), Input("m", dtype, ("H", half))],
                   ["c = complex_from_parts(m, m * 0.0)", f"return y = irfft2(rfft2(x) * c, s=[H, {width}])"], {"N": batch, "H": height}, numpy,
                   lambda torch, x, m: torch.fft.irfft2(torch.fft.rfft2(x) * m, s=(height, width)), None,
                   flops=_flops(height * width, batch) + 6 * batch * height * half)


@family(lambda d: {"dtype": d.often("f32", "f64"), "rows": d.size(1, 64), "length": d.size(8, 1 << 15), "taps": d.size(2, 512)})
def fft_convolution(dtype, rows, length, taps):
    """A long filter by transforms of the padded signal."""
    one_of("dtype", dtype, FLOATS)
    total = 1 << (length + taps - 2).bit_length()

    def numpy(np, x, h):
        return np.ascontiguousarray(_fft(np).irfft(_fft(np).rfft(x, total) * _fft(np).rfft(h, total), total)[:, :length + taps - 1]).astype(x.dtype, copy=False)

    def torch(torch, x, h):
        return torch.fft.irfft(torch.fft.rfft(x, total) * torch.fft.rfft(h, total), total)[:, :length + taps - 1].contiguous()

    return Problem([Input("x", dtype, ("N", length)), Input("h", dtype, (taps,))],
                   [f"s = irfft(rfft(x, n={total}) * rfft(h, n={total}), n={total})", f"return y = slice(s, stop=[none, {length + taps - 1}])"], {"N": rows},
                   numpy, torch, None,
                   flops=3 * _flops(total, rows) / 2)
