// The routine that transforms rows: Stockham's passes by factors 4, 2, 3, 5, 7, 11 and 13; lengths with other factors by Bluestein's
// convolution over a power of two. docs/semantics.md says in which order everything is added. A pass goes through elements that lie
// side by side wherever there are enough of them for vectors.
#include "base/text.h"
#include "render/filled.h"
#include "render/types.h"
#include "render/unit.h"

namespace harp::render {
namespace {

// $T stands for the element's type, $V for that of $L of them, $F for the name of the dtype, $P for that of a pass.

constexpr std::string_view kRoots = R"(/* cos and sin of 2 pi k / n for 0 <= k < n, from an angle of at most pi / 4. */
static void root_$F(int64_t k, int64_t n, $T* c, $T* s) {
  const int64_t quarter = 4 * k / n, rest = 4 * k - quarter * n, far = 2 * rest > n;
  const double angle = (double)(far ? n - rest : rest) / (double)n * 0x1.921fb54442d18p+0;
  const double near_axis = $COS(angle), off_axis = $SIN(angle);
  const double x = far ? off_axis : near_axis, y = far ? near_axis : off_axis;
  *c = ($T)(quarter == 0 ? x : quarter == 1 ? -y : quarter == 2 ? -x : y);
  *s = ($T)(quarter == 0 ? y : quarter == 1 ? x : quarter == 2 ? -y : -x);
}
/* The n-th roots of 1, clockwise: real parts, then imaginary parts. Where n has quarters, the others are the first one turned. */
static void roots_$F(int64_t n, $T* roots) {
  const int64_t parts = n % 4 == 0 ? 4 : 1, m = n / parts;
  for (int64_t k = 0; k < m; ++k) {
    $T c, s;
    root_$F(k, n, &c, &s);
    for (int64_t part = 0; part < parts; ++part) {
      roots[k + part * m] = c;
      roots[n + k + part * m] = -s;
      const $T turned = -s;
      s = c;
      c = turned;
    }
  }
}
)";

constexpr std::string_view kPass4 =
    R"(/* Stores x + i y, turned by c + i s unless j is 0. */
static inline void dft_put_$P($T* re, $T* im, $V x, $V y, int64_t j, $T c, $T s) {
  if (j == 0) {
    *($V*)re = x;
    *($V*)im = y;
  } else {
    *($V*)re = x * c - y * s;
    *($V*)im = x * s + y * c;
  }
}
/* 4 times m elements at each of `stride` places. */
static void dft_4_$P(int64_t m, int64_t stride, int64_t n, const $T* roots, const $T* restrict re, const $T* restrict im, $T* restrict to_re, $T* restrict to_im) {
  const int64_t next = stride * m;
  for (int64_t j = 0; j < m; ++j, re += stride, im += stride, to_re += 4 * stride, to_im += 4 * stride) {
    const $T *const w1 = roots + stride * j, *const w2 = w1 + stride * j, *const w3 = w2 + stride * j;
    const $T c1 = w1[0], s1 = w1[n], c2 = w2[0], s2 = w2[n], c3 = w3[0], s3 = w3[n];
    for (int64_t q = 0; q < stride; q += $L) {
      const $V a = *(const $V*)(re + q), b = *(const $V*)(re + next + q), c = *(const $V*)(re + 2 * next + q), d = *(const $V*)(re + 3 * next + q);
      const $V e = *(const $V*)(im + q), f = *(const $V*)(im + next + q), g = *(const $V*)(im + 2 * next + q), h = *(const $V*)(im + 3 * next + q);
      const $V even_re = a + c, even_im = e + g, odd_re = b + d, odd_im = f + h;
      const $V x_re = a - c, x_im = e - g, y_re = b - d, y_im = f - h;
      *($V*)(to_re + q) = even_re + odd_re;
      *($V*)(to_im + q) = even_im + odd_im;
      dft_put_$P(to_re + stride + q, to_im + stride + q, x_re + y_im, x_im - y_re, j, c1, s1);
      dft_put_$P(to_re + 2 * stride + q, to_im + 2 * stride + q, even_re - odd_re, even_im - odd_im, j, c2, s2);
      dft_put_$P(to_re + 3 * stride + q, to_im + 3 * stride + q, x_re - y_im, x_im + y_re, j, c3, s3);
    }
  }
}
)";

constexpr std::string_view kPass2 =
    R"(static void dft_2_$P(int64_t m, int64_t stride, int64_t n, const $T* roots, const $T* restrict re, const $T* restrict im, $T* restrict to_re, $T* restrict to_im) {
  const int64_t next = stride * m;
  for (int64_t j = 0; j < m; ++j, re += stride, im += stride, to_re += 2 * stride, to_im += 2 * stride) {
    const $T c = roots[stride * j], s = roots[stride * j + n];
    for (int64_t q = 0; q < stride; q += $L) {
      const $V a = *(const $V*)(re + q), b = *(const $V*)(re + next + q), e = *(const $V*)(im + q), f = *(const $V*)(im + next + q);
      *($V*)(to_re + q) = a + b;
      *($V*)(to_im + q) = e + f;
      dft_put_$P(to_re + stride + q, to_im + stride + q, a - b, e - f, j, c, s);
    }
  }
}
)";

constexpr std::string_view kPassOdd =
    R"(/* p is odd: elements i and p - i meet the same cosine and opposite sines. */
static inline void dft_odd_$P(int64_t p, int64_t m, int64_t stride, int64_t n, const $T* roots, const $T* restrict re, const $T* restrict im, $T* restrict to_re, $T* restrict to_im) {
  const int64_t half = p / 2, step = n / p, next = stride * m;
  for (int64_t j = 0; j < m; ++j, re += stride, im += stride, to_re += p * stride, to_im += p * stride) {
    for (int64_t q = 0; q < stride; q += $L) {
      const $V first_re = *(const $V*)(re + q), first_im = *(const $V*)(im + q);
      $V sum_re[6], sum_im[6], difference_re[6], difference_im[6], all_re = first_re, all_im = first_im;
      for (int64_t i = 0; i < half; ++i) {
        const int64_t near = q + (i + 1) * next, far = q + (p - 1 - i) * next;
        const $V a = *(const $V*)(re + near), b = *(const $V*)(re + far), e = *(const $V*)(im + near), f = *(const $V*)(im + far);
        sum_re[i] = a + b;
        sum_im[i] = e + f;
        difference_re[i] = a - b;
        difference_im[i] = e - f;
        all_re += sum_re[i];
        all_im += sum_im[i];
      }
      *($V*)(to_re + q) = all_re;
      *($V*)(to_im + q) = all_im;
      for (int64_t u = 1; u <= half; ++u) {
        $V x_re = first_re, x_im = first_im, y_re = difference_re[0] * roots[n + u * step], y_im = difference_im[0] * roots[n + u * step];
        for (int64_t i = 0, turn = u; i < half; ++i, turn = turn + u < p ? turn + u : turn + u - p) {
          const $T c = roots[turn * step], s = roots[n + turn * step];
          x_re += sum_re[i] * c;
          x_im += sum_im[i] * c;
          if (i > 0) {
            y_re += difference_re[i] * s;
            y_im += difference_im[i] * s;
          }
        }
        const $T *const w = roots + stride * j * u, *const v = roots + stride * j * (p - u);
        const int64_t near = q + stride * u, far = q + stride * (p - u);
        dft_put_$P(to_re + near, to_im + near, x_re - y_im, x_im + y_re, j, w[0], w[n]);
        dft_put_$P(to_re + far, to_im + far, x_re + y_im, x_im - y_re, j, v[0], v[n]);
      }
    }
  }
}
)";

constexpr std::string_view kPass =
    R"(static void dft_pass_$P(int64_t p, int64_t m, int64_t stride, int64_t n, const $T* roots, const $T* re, const $T* im, $T* to_re, $T* to_im) {
  if (p == 4) dft_4_$P(m, stride, n, roots, re, im, to_re, to_im);
  else if (p == 2) dft_2_$P(m, stride, n, roots, re, im, to_re, to_im);
  else if (p == 3) dft_odd_$P(3, m, stride, n, roots, re, im, to_re, to_im);
  else if (p == 5) dft_odd_$P(5, m, stride, n, roots, re, im, to_re, to_im);
  else dft_odd_$P(p, m, stride, n, roots, re, im, to_re, to_im);
}
)";

constexpr std::string_view kFactor = R"(/* The factor of n that comes first; 0: it has a prime factor above 13. */
static int64_t dft_factor(int64_t n) {
  if (n % 4 == 0) return 4;
  return n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : n % 5 == 0 ? 5 : n % 7 == 0 ? 7 : n % 11 == 0 ? 11 : n % 13 == 0 ? 13 : 0;
}
/* How many passes transform n elements; -1: they do not. */
static int64_t dft_passes(int64_t n) {
  int64_t passes = 0;
  for (; n > 1; ++passes) {
    const int64_t factor = dft_factor(n);
    if (factor == 0) return -1;
    n /= factor;
  }
  return passes;
}
)";

constexpr std::string_view kRow =
    R"(/* A row whose length has small factors. Passes go from one array to the other and end in the result; `spare` holds 2 n elements. */
static void dft_row_$F(int64_t n, const $T* roots, const $T* re, const $T* im, $T* out_re, $T* out_im, $T* spare) {
  const int64_t passes = dft_passes(n);
  int64_t length = n, stride = 1;
  for (int64_t pass = 0; pass < passes; ++pass) {
    const int64_t p = dft_factor(length);
    const int is_last = (passes - pass) % 2 == 1;
    $T *const to_re = is_last ? out_re : spare, *const to_im = is_last ? out_im : spare + n;
    length /= p;
    $CALL
    re = to_re;
    im = to_im;
    stride *= p;
  }
  if (passes == 0) out_re[0] = re[0], out_im[0] = im[0];
}
)";

constexpr std::string_view kRows =
    R"(/* Rows of a length with a large prime factor: with u[k] = exp(-i pi k k / n) the transform is u times the convolution of u x with
   conj(u), and that goes through transforms of m elements, a power of two. */
static void dft_long_rows_$F(const $T* re, const $T* im, int64_t rows, int64_t n, $T* out_re, $T* out_im, $T* spare) {
  int64_t m = 1;
  while (m < 2 * n - 1) m *= 2;
  $T *const u_re = spare, *const u_im = u_re + n, *const roots = u_im + n, *const filter_re = roots + 2 * m, *const filter_im = filter_re + m;
  $T *const x_re = filter_im + m, *const x_im = x_re + m, *const y_re = x_im + m, *const y_im = y_re + m, *const work = y_im + m;
  roots_$F(m, roots);
  for (int64_t k = 0, square = 0; k < n; ++k) { /* square: k k modulo 2 n */
    root_$F(square, 2 * n, u_re + k, u_im + k);
    u_im[k] = -u_im[k];
    square = (square + 2 * k + 1) % (2 * n);
  }
  const $T share = 1 / ($T)m;
  for (int64_t k = 0; k < m; ++k) {
    const int64_t from = k < n ? k : m - k < n ? m - k : -1;
    x_re[k] = from < 0 ? 0 : u_re[from] * share;
    x_im[k] = from < 0 ? 0 : -u_im[from] * share;
  }
  dft_row_$F(m, roots, x_re, x_im, filter_re, filter_im, work);
  for (int64_t row = 0; row < rows; ++row, re += n, im += n, out_re += n, out_im += n) {
    for (int64_t k = 0; k < n; ++k) {
      x_re[k] = re[k] * u_re[k] - im[k] * u_im[k];
      x_im[k] = re[k] * u_im[k] + im[k] * u_re[k];
    }
    for (int64_t k = n; k < m; ++k) x_re[k] = 0, x_im[k] = 0;
    dft_row_$F(m, roots, x_re, x_im, y_re, y_im, work);
    for (int64_t k = 0; k < m; ++k) {
      x_re[k] = y_re[k] * filter_re[k] - y_im[k] * filter_im[k];
      x_im[k] = y_re[k] * filter_im[k] + y_im[k] * filter_re[k];
    }
    dft_row_$F(m, roots, x_im, x_re, y_im, y_re, work); /* backwards: the parts change places before and after */
    for (int64_t k = 0; k < n; ++k) {
      out_re[k] = y_re[k] * u_re[k] - y_im[k] * u_im[k];
      out_im[k] = y_re[k] * u_im[k] + y_im[k] * u_re[k];
    }
  }
}
/* The discrete Fourier transform of rows of n elements. */
static __attribute__((noinline)) void dft_$F(const $T* re, const $T* im, int64_t rows, int64_t n, $T* out_re, $T* out_im, $T* spare) {
  if (rows <= 0 || n <= 0) return;
  if (dft_passes(n) < 0) {
    dft_long_rows_$F(re, im, rows, n, out_re, out_im, spare);
    return;
  }
  roots_$F(n, spare);
  for (int64_t row = 0; row < rows; ++row) dft_row_$F(n, spare, re + row * n, im + row * n, out_re + row * n, out_im + row * n, spare + 2 * n);
}
)";

}  // namespace

std::string Unit::dft(DType dtype, const ir::Function& cosine, const ir::Function& sine) {
  const std::string name = cat("dft_", harp::name(dtype));
  const std::string element(memory_type(dtype));
  const int lanes = options_.plain_text ? 1 : options_.target.vector_bytes / static_cast<int>(size_of(dtype));
  const std::string cosine_name = function(cosine, 1), sine_name = function(sine, 1);
  const auto values = [&](int width, std::string call) {
    return Filling{{"T", element},
                   {"V", type(dtype, width)},
                   {"L", cat(width)},
                   {"F", std::string(harp::name(dtype))},
                   {"P", width == 1 ? std::string(harp::name(dtype)) : type(dtype, width)},
                   {"COS", cosine_name},
                   {"SIN", sine_name},
                   {"CALL", std::move(call)}};
  };
  once("dft_factor", [] { return std::string(kFactor); });
  once(name, [&] {
    const auto pass = [&](int width) {
      return filled("dft_pass_$P(p, length, stride, n, roots, re, im, to_re, to_im);", values(width, ""));
    };
    std::string text = filled(kRoots, values(1, ""));
    std::string call = pass(1);
    if (lanes > 1) call = cat("if (stride % ", lanes, " == 0) ", pass(lanes), "\n    else ", call);
    for (const int width : {1, lanes}) {
      for (const std::string_view part : {kPass4, kPass2, kPassOdd, kPass}) text += filled(part, values(width, ""));
      if (lanes == 1) break;
    }
    return text + filled(kRow, values(1, call)) + filled(kRows, values(1, ""));
  });
  return name;
}

}  // namespace harp::render
