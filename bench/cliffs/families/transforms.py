"""Defines families of benchmarks for Fourier transforms of lengths of all kinds, and for steps of spectral methods."""
import math

from case import Input, Problem, family, one_of
from families.loops import COMPLEX, FLOATS, nest

# A Fourier transform of radix 2 in C, in place, with which harp is compared. It is for lengths that are powers of two; for other lengths
# there is no C function. The roots of unity are computed once and kept, as real programs do.
RADIX_2 = """struct wave {{ {0} re, im; }};

static const struct wave* roots_of(int64_t n) {{
  static struct wave* tables[64];
  struct wave** roots = &tables[__builtin_ctzll(n)];
  if (*roots != NULL) return *roots;
  *roots = malloc((n / 2 + 1) * sizeof **roots);
  for (int64_t k = 0; k < n / 2; ++k) (*roots)[k] = (struct wave){{cos(2 * M_PI * k / n), -sin(2 * M_PI * k / n)}};
  return *roots;
}}

/* v[k] = sum over j of v[j] * exp(-2 pi i j k / n); with sign -1 the conjugate roots, and no factor 1 / n. */
static void transform(struct wave* v, const struct wave* roots, int64_t n, {0} sign) {{
  for (int64_t i = 0, reversed = 0; i < n; ++i) {{
    if (i < reversed) {{ const struct wave w = v[i]; v[i] = v[reversed]; v[reversed] = w; }}
    int64_t bit = n / 2;
    for (; bit > 0 && reversed & bit; bit /= 2) reversed ^= bit;
    reversed ^= bit;
  }}
  for (int64_t half = 1; half < n; half *= 2)
    for (int64_t at = 0; at < n; at += 2 * half)
      for (int64_t k = 0; k < half; ++k) {{
        const struct wave r = roots[k * (n / 2 / half)], a = v[at + k], b = v[at + half + k];
        const struct wave t = {{r.re * b.re - sign * r.im * b.im, r.re * b.im + sign * r.im * b.re}};
        v[at + k] = (struct wave){{a.re + t.re, a.im + t.im}};
        v[at + half + k] = (struct wave){{a.re - t.re, a.im - t.im}};
      }}
}}"""


def _is_power_of_two(*lengths):
    return all(n & (n - 1) == 0 for n in lengths)


def _radix_2(dtype):
    return RADIX_2.format("float" if dtype in ("f32", "complex64") else "double")


def _length(d, most):
    return d.often(1 << d.random.randint(1, int(math.log2(most))), d.size(2, most), d.pick(6, 12, 60, 100, 120, 360, 480, 1000, 1920, 5040, 10000))


def _flops(n, count):
    return 5 * n * math.log2(n + 1) * count


def _draw_fft(d, dtypes):
    length = min(_length(d, 1 << 20), d.limits.size)
    return {"op": d.pick("fft", "ifft"), "dtype": d.pick(*dtypes), "rows": d.size(1, max(1, (1 << 20) // length)), "length": length}


@family(lambda d: _draw_fft(d, COMPLEX))
def fft(op, dtype, rows, length):
    """Fourier transforms of rows, compared with SciPy's if it is installed: NumPy's compute in f64 whatever the dtype is."""
    one_of("op", op, ("fft", "ifft"))
    one_of("dtype", dtype, COMPLEX)
    scale = f"for (int64_t j = 0; j < {length}; ++j) v[j].re /= {length}, v[j].im /= {length};" if op == "ifft" else ""
    c = f"const struct wave* roots = roots_of({length});\n" + nest(
        f"i<{rows}", f"struct wave* v = (struct wave*)&y(i, 0);\nmemcpy(v, &x(i, 0), {length} * sizeof *v);\n"
        f"transform(v, roots, {length}, {'1' if op == 'fft' else '-1'});\n{scale}")
    return Problem([Input("x", dtype, ("N", "M"))], [f"return y = {op}(x)"], {"N": rows, "M": length}, lambda np,
                   x: getattr(_fft(np), op)(x).astype(x.dtype, copy=False),
                   lambda torch, x: getattr(torch.fft, op)(x), c if _is_power_of_two(length) else None, _radix_2(dtype), flops=_flops(length, rows))


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
    c = f"const struct wave* roots = roots_of({length});\n" + nest(
        f"i<{rows}", f"struct wave* v = malloc({length} * sizeof *v);\nfor (int64_t j = 0; j < {length}; ++j) v[j] = (struct wave){{x(i, j), 0}};\n"
        f"transform(v, roots, {length}, 1);\nmemcpy(&y(i, 0), v, {length // 2 + 1} * sizeof *v);\nfree(v);")
    return Problem([Input("x", dtype, ("N", "M"))], ["return y = rfft(x)"], {"N": rows, "M": length}, lambda np, x: _fft(np).rfft(x).astype(wide, copy=False),
                   lambda torch, x: torch.fft.rfft(x), c if _is_power_of_two(length) else None, _radix_2(dtype), flops=_flops(length, rows) / 2)


def _draw_plane(d):
    return {"dtype": d.often("f32", "f64"), "batch": d.batch(32), "height": min(_length(d, 1024), d.limits.size), "width": min(_length(d, 1024), d.limits.size)}


def _roots_of_both(height, width):
    return f"const struct wave *across = roots_of({width}), *down = roots_of({height});\n"


def _column(plane, height, width, work):
    """Returns C statements that copy column w of a plane to memory of its own, do `work` on it, and copy it back."""
    each = f"for (int64_t h = 0; h < {height}; ++h)"
    return (f"struct wave *plane = {plane}, *column = malloc({height} * sizeof *column);\n{each} column[h] = plane[h * {width} + w];\n{work}\n"
            f"{each} plane[h * {width} + w] = column[h];\nfree(column);")


@family(lambda d: {**_draw_plane(d), "dtype": d.pick(*COMPLEX)})
def fft_planes(dtype, batch, height, width):
    one_of("dtype", dtype, COMPLEX)
    c = _roots_of_both(height, width) + nest(
        f"b<{batch}", nest(f"h<{height}", f"struct wave* row = (struct wave*)&y(b, h, 0);\nmemcpy(row, &x(b, h, 0), {width} * sizeof *row);\n"
                           f"transform(row, across, {width}, 1);") +
        nest(f"w<{width}", _column("(struct wave*)&y(b, 0, 0)", height, width, f"transform(column, down, {height}, 1);")), False)
    return Problem([Input("x", dtype, ("N", "H", "W"))], ["return y = fft2(x)"], {"N": batch, "H": height, "W": width}, lambda np,
                   x: _fft(np).fft2(x).astype(x.dtype, copy=False),
                   lambda torch, x: torch.fft.fft2(x), c if _is_power_of_two(height, width) else None, _radix_2(dtype), flops=_flops(height * width, batch))


@family(_draw_plane)
def spectral_step(dtype, batch, height, width):
    """A step of a linear equation for a periodic field: Fourier transform, a factor for each frequency, inverse transform."""
    one_of("dtype", dtype, FLOATS)

    def numpy(np, x, m):
        return _fft(np).irfft2(_fft(np).rfft2(x) * m, s=(height, width)).astype(x.dtype, copy=False)

    half = width // 2 + 1
    forward = (f"struct wave* row = waves + h * {width};\nfor (int64_t w = 0; w < {width}; ++w) row[w] = (struct wave){{x(b, h, w), 0}};\n"
               f"transform(row, across, {width}, 1);")
    multiplied = (f"transform(column, down, {height}, 1);\nfor (int64_t h = 0; h < {height}; ++h) column[h].re *= m(h, w), column[h].im *= m(h, w);\n"
                  f"transform(column, down, {height}, -1);")
    back = (f"struct wave* row = waves + h * {width};\n"
            f"for (int64_t w = {half}; w < {width}; ++w) row[w] = (struct wave){{row[{width} - w].re, -row[{width} - w].im}};\n"
            f"transform(row, across, {width}, -1);\nfor (int64_t w = 0; w < {width}; ++w) y(b, h, w) = row[w].re / {height * width};")
    steps = nest(f"h<{height}", forward) + nest(f"w<{half}", _column("waves", height, width, multiplied)) + nest(f"h<{height}", back)
    c = (f"{_roots_of_both(height, width)}struct wave* waves = malloc({height * width} * sizeof *waves);\n" + nest(f"b<{batch}", steps, False) + "free(waves);")
    return Problem([Input("x", dtype, ("N", "H", width)), Input("m", dtype, ("H", half))],
                   ["c = complex_from_parts(m, m * 0.0)", f"return y = irfft2(rfft2(x) * c, s=[H, {width}])"], {"N": batch, "H": height}, numpy,
                   lambda torch, x, m: torch.fft.irfft2(torch.fft.rfft2(x) * m, s=(height, width)), c if _is_power_of_two(height, width) else None,
                   _radix_2(dtype),
                   flops=_flops(height * width, batch) + 6 * batch * height * half)


@family(lambda d: {"dtype": d.often("f32", "f64"), "rows": d.size(1, 64), "length": d.size(8, 1 << 15), "taps": d.size(2, 512)})
def fft_convolution(dtype, rows, length, taps):
    """Convolution with a long filter: products of the Fourier transforms of the zero-padded signal and filter."""
    one_of("dtype", dtype, FLOATS)
    total = 1 << (length + taps - 2).bit_length()

    def numpy(np, x, h):
        return np.ascontiguousarray(_fft(np).irfft(_fft(np).rfft(x, total) * _fft(np).rfft(h, total), total)[:, :length + taps - 1]).astype(x.dtype, copy=False)

    def torch(torch, x, h):
        return torch.fft.irfft(torch.fft.rfft(x, total) * torch.fft.rfft(h, total), total)[:, :length + taps - 1].contiguous()

    padded = f"memset(v, 0, {total} * sizeof *v);\nfor (int64_t j = 0; j < {{}}; ++j) v[j].re = {{}};\ntransform(v, roots, {total}, 1);"
    filtered = (f"struct wave* v = malloc({total} * sizeof *v);\n{padded.format(length, 'x(i, j)')}\nfor (int64_t k = 0; k < {total}; ++k) {{\n"
                "const struct wave a = v[k];\nv[k] = (struct wave){a.re * filter[k].re - a.im * filter[k].im, a.re * filter[k].im + a.im * filter[k].re};\n}\n"
                f"transform(v, roots, {total}, -1);\nfor (int64_t j = 0; j < {length + taps - 1}; ++j) y(i, j) = v[j].re / {total};\nfree(v);")
    c = (f"const struct wave* roots = roots_of({total});\nstruct wave *filter = malloc({total} * sizeof *filter), *v = filter;\n{padded.format(taps, 'h(j)')}\n"
         + nest(f"i<{rows}", filtered) + "free(filter);")
    return Problem([Input("x", dtype, ("N", length)), Input("h", dtype, (taps,))],
                   [f"s = irfft(rfft(x, n={total}) * rfft(h, n={total}), n={total})", f"return y = slice(s, stop=[none, {length + taps - 1}])"], {"N": rows},
                   numpy, torch, c, _radix_2(dtype),
                   flops=3 * _flops(total, rows) / 2)
