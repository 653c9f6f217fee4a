"""Cases of the NumPy oracle for Fourier transforms: lengths with small and large prime factors, any axis, inputs that are cut or filled
with zeros, each norm.

The reference is the defining sum in extended precision. Tolerance: each element is a sum of n products, which is computed in about log2(n)
steps (for a length with a large prime factor, in three transforms of up to four times that length). Its error is therefore a few epsilons
times that logarithm times the root of the sum of the squares of the inputs.
"""
import numpy as np

from oracle_complex import PARTS, WIDE, numbers
from oracle_references import Case, Group, Within

SMALL = (2, 3, 5, 7, 11, 13)


def is_short(n):
    for p in SMALL:
        while n % p == 0:
            n //= p
    return n == 1


def exact(x, n, axis, sign=-1):
    """Computes the defining sum over the axis, which is first cut to n elements or filled with zeros."""
    x = np.moveaxis(np.asarray(x, WIDE), axis, -1)
    full = np.zeros(x.shape[:-1] + (n,), WIDE)
    kept = min(n, x.shape[-1])
    full[..., :kept] = x[..., :kept]
    k = np.arange(n)
    angle = k.astype(np.longdouble) * (2 * np.arctan2(np.longdouble(0), np.longdouble(-1)) / n)
    matrix = (np.cos(angle) + 1j * sign * np.sin(angle))[np.outer(k, k) % n]
    return np.moveaxis(full @ matrix, -1, axis), np.sqrt((np.abs(full) ** 2).sum(-1).max())


def case(text, result, size, n, dtype, scale):
    steps = np.log2(n) + 1 if is_short(n) else 3 * (np.log2(n) + 3)
    return Case(text, result * scale, Within(np.full(result.shape, 2 * steps * float(np.finfo(dtype).eps) * float(size) * float(scale))))


def scales(n, inverse):
    n = np.longdouble(n)
    return {"backward": 1 / n if inverse else 1, "ortho": 1 / np.sqrt(n), "forward": 1 if inverse else 1 / n}


def cases(x, z, n, axis, dtype):
    forward, size = exact(z, n, axis)
    backward, _ = exact(z, n, axis, 1)
    of_real, real_size = exact(x, n, axis)
    half = np.take(of_real, range(n // 2 + 1), axis)
    # The inverse transform to real numbers uses the first n // 2 + 1 elements of the spectrum. The other elements are the complex
    # conjugates of these, in reverse order.
    m = n // 2 + 1
    spectrum = np.moveaxis(np.asarray(z, WIDE), axis, -1)
    full = np.zeros(spectrum.shape[:-1] + (n,), WIDE)
    kept = min(m, spectrum.shape[-1])
    full[..., :kept] = spectrum[..., :kept]
    full[..., 0] = full[..., 0].real
    if n % 2 == 0 and n > 1:
        full[..., n // 2] = full[..., n // 2].real
    for k in range(1, (n - 1) // 2 + 1):
        full[..., n - k] = np.conj(full[..., k])
    mirrored, mirrored_size = exact(np.moveaxis(full, -1, axis), n, axis, 1)
    result = []
    for norm in scales(n, False):
        words = f'n={n}, axis={axis}, norm="{norm}"'
        result += [case(f"fft(z, {words})", forward, size, n, dtype, scales(n, False)[norm]),
                   case(f"ifft(z, {words})", backward, size, n, dtype, scales(n, True)[norm]),
                   case(f"fft(x, {words})", of_real, real_size, n, dtype, scales(n, False)[norm]),
                   case(f"rfft(x, {words})", half, real_size, n, dtype, scales(n, False)[norm]),
                   case(f"irfft(z, {words})", mirrored.real, 2 * mirrored_size, n, dtype, scales(n, True)[norm])]
    return result


def fft_groups():
    result = []
    for dtype, part in PARTS.items():
        for n in (1, 2, 3, 4, 5, 6, 8, 12, 13, 16, 17, 26, 49, 60, 64, 97, 121, 128, 243, 300, 514, 1024):
            z = numbers(dtype, n, 3, n)
            x = z.real.copy()
            transformed, size = exact(z, n, -1)
            defaults = [case("fft(z)", transformed, size, n, part, 1),
                        case("dft(x, imag(z))", np.stack([transformed.real, transformed.imag]), size, n, part, 1)]
            result.append(Group(f"fft of {n} {dtype}", {"x": x, "z": z}, {"x": "[m, n]", "z": "[m, n]"}, {}, "",
                                defaults + cases(x, z, n, 1, part)))
        z = numbers(dtype, 7, 6, 5, 4)
        x = z.real.copy()
        found = [c for axis in (0, 1, -2) for n in (3, 5, 8, 19) for c in cases(x, z, n, axis, part)]
        result.append(Group(f"fft along axes {dtype}", {"x": x, "z": z}, {"x": "[6, n, 4]", "z": "[6, n, 4]"}, {}, "", found))
    return result
