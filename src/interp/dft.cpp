#include "interp/dft.h"

#include <array>
#include <utility>

#include "interp/machine.h"
#include "interp/rules.h"
#include "ops/transform_parts.h"

namespace harp::interp {
namespace {

template <class T>
struct Complex {
  T re = 0, im = 0;
  Complex operator+(Complex b) const { return {re + b.re, im + b.im}; }
  Complex operator-(Complex b) const { return {re - b.re, im - b.im}; }
  Complex operator*(Complex b) const { return {ScalarMath::fma(re, b.re, -(im * b.im)), ScalarMath::fma(re, b.im, im * b.re)}; }
  Complex operator*(T b) const { return {re * b, im * b}; }
  Complex operator-() const { return {-re, -im}; }
  Complex turned() const { return {-im, re}; }  // this number times the imaginary unit
  // Returns this number with its parts exchanged. A transform becomes its inverse if the parts of its input and output are exchanged.
  Complex exchanged() const { return {im, re}; }
  Complex conjugate() const { return {re, -im}; }
};
template <class T>
using Row = std::vector<Complex<T>>;

/// Returns exp(-2 pi i k / n). The angle is reduced to at most pi / 4 for accuracy.
template <class T>
Complex<T> root(int64_t k, int64_t n) {
  const int64_t quarter = 4 * k / n, rest = 4 * k - quarter * n;
  const bool far = 2 * rest > n;
  const double angle = static_cast<double>(far ? n - rest : rest) / static_cast<double>(n) * 0x1.921fb54442d18p+0;
  double x = Functions::cos(angle), y = Functions::sin(angle);
  if (far) std::swap(x, y);
  for (int64_t turn = 0; turn < quarter; ++turn) x = -std::exchange(y, x);
  return {static_cast<T>(x), static_cast<T>(-y)};
}

template <class T>
Row<T> all_roots(int64_t n, CancelChecks& checks) {
  Row<T> roots(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k) {
    checks.count();
    roots[static_cast<size_t>(k)] = root<T>(k, n);
  }
  return roots;
}

/// Returns x + y sqrt(1/2). The root is used as the sum high + low of two numbers of type T, because a single rounded number would be too
/// inaccurate for transforms whose length has three or more factors.
template <class T>
Complex<T> plus_half_root(Complex<T> x, Complex<T> y, T high) {
  const auto low = static_cast<T>(0x1.6a09e667f3bcdp-1 - static_cast<double>(high) - 0x1.bdd3413b26456p-55);
  const auto sum = [=](T a, T b) { return ScalarMath::fma(b, high, ScalarMath::fma(b, low, a)); };
  return {sum(x.re, y.re), sum(x.im, y.im)};
}

/// Transforms `factor` elements directly. w(t) returns the t-th power of the root of unity exp(-2 pi i / factor).
template <int64_t factor, class T, class Root>
std::array<Complex<T>, factor> small_dft(const std::array<Complex<T>, factor>& a, Root w) {
  if constexpr (factor == 2) {
    return {a[0] + a[1], a[0] - a[1]};
  } else if constexpr (factor == 4) {
    const Complex<T> even = a[0] + a[2], odd = a[1] + a[3], x = a[0] - a[2], y = (a[1] - a[3]).turned();
    return {even + odd, x - y, even - odd, x + y};
  } else if constexpr (factor == 8) {
    using Half = std::array<Complex<T>, 4>;
    const Half even = small_dft<4, T>(Half{a[0], a[2], a[4], a[6]}, w), odd = small_dft<4, T>(Half{a[1], a[3], a[5], a[7]}, w);
    const Complex<T> near = odd[1] - odd[1].turned(), far = odd[3] + odd[3].turned(), quarter = odd[2].turned();
    const auto eighth = [high = w(1).re](Complex<T> x, Complex<T> y) { return plus_half_root(x, y, high); };
    return {even[0] + odd[0], eighth(even[1], near),  even[2] - quarter, eighth(even[3], -far),
            even[0] - odd[0], eighth(even[1], -near), even[2] + quarter, eighth(even[3], far)};
  } else {
    constexpr auto p = static_cast<size_t>(factor);
    std::array<Complex<T>, factor> result;
    result[0] = a[0];
    for (size_t i = 1; i <= p / 2; ++i) result[0] = result[0] + (a[i] + a[p - i]);
    for (size_t u = 1; u <= p / 2; ++u) {
      Complex<T> x = a[0], y = (a[1] - a[p - 1]) * w(u).im;
      for (size_t i = 1; i <= p / 2; ++i) {
        const Complex<T> turn = w(i * u % p);
        x = x + (a[i] + a[p - i]) * turn.re;
        if (i > 1) y = y + (a[i] - a[p - i]) * turn.im;
      }
      result[u] = x + y.turned();
      result[p - u] = x - y.turned();
    }
    return result;
  }
}

/// One pass of a transform, for the factor p of its length. The row contains `stride` interleaved transforms of `length` elements each.
template <int64_t p, class T>
void pass(const Row<T>& row, Row<T>& next, int64_t length, int64_t stride, const Row<T>& roots) {
  const int64_t n = static_cast<int64_t>(row.size()), m = length / p;
  for (int64_t j = 0; j < m; ++j)
    for (int64_t q = 0; q < stride; ++q) {
      std::array<Complex<T>, p> few;
      for (int64_t i = 0; i < p; ++i) few[static_cast<size_t>(i)] = row[static_cast<size_t>(q + stride * (j + m * i))];
      few = small_dft<p, T>(few, [&](size_t t) { return roots[t * static_cast<size_t>(n / p)]; });
      for (int64_t u = 0; u < p; ++u) {
        const Complex<T> b = few[static_cast<size_t>(u)];
        next[static_cast<size_t>(q + stride * (p * j + u))] = j == 0 || u == 0 ? b : b * roots[static_cast<size_t>(j * u * stride)];
      }
    }
}

template <int64_t p, class T>
HARP_WITH_FMA void pass_with_fma(const Row<T>& row, Row<T>& next, int64_t length, int64_t stride, const Row<T>& roots) {
  pass<p>(row, next, length, stride, roots);
}

template <int64_t p, class T>
constexpr std::array<void (*)(const Row<T>&, Row<T>&, int64_t, int64_t, const Row<T>&), kMachineCount> kPasses = {pass<p, T>,
                                                                                                                  pass_with_fma<p, T>};

/// Returns the transform of a row by Stockham's algorithm: each pass writes its results in the order in which the next pass reads them, so
/// no reordering is needed.
template <class T>
Row<T> passes(Row<T> row, const Row<T>& roots) {
  Row<T> next(row.size());
  for (int64_t length = static_cast<int64_t>(row.size()), stride = 1; length > 1;) {
    const int64_t p = transform_factor(length);
    [&]<int64_t... factor>(std::integer_sequence<int64_t, factor...>) {
      const auto run = [&](auto by_machine) { by_machine[this_machine()](row, next, length, stride, roots); };
      ((p == factor ? run(kPasses<factor, T>) : void()), ...);
    }
    (std::integer_sequence<int64_t, 2, 3, 4, 5, 7, 8, 11, 13>());
    std::swap(row, next);
    length /= p;
    stride *= p;
  }
  return row;
}

/// Computes Fourier transforms of one length, whose prime factors are small. For a long transform, the elements form a matrix: its columns
/// are transformed first, then its rows.
template <class T>
class Transform {
 public:
  Transform(int64_t n, CancelChecks& checks) : count_(static_cast<size_t>(transform_rows(n))), length_(static_cast<size_t>(n) / count_) {
    rows_ = all_roots<T>(static_cast<int64_t>(length_), checks);
    if (count_ == 1) return;
    columns_ = all_roots<T>(static_cast<int64_t>(count_), checks);
    turns_ = all_roots<T>(n, checks);
  }

  Row<T> operator()(Row<T> x, CancelChecks& checks) const {
    if (count_ == 1) {
      checks.count(static_cast<int64_t>(length_));
      return passes(std::move(x), rows_);
    }
    std::vector<Row<T>> rows(count_, Row<T>(length_));
    for (size_t k = 0; k < length_; ++k) {
      checks.count(static_cast<int64_t>(count_));
      Row<T> column;
      for (size_t i = 0; i < count_; ++i) column.push_back(x[i * length_ + k]);
      column = passes(std::move(column), columns_);
      for (size_t u = 0; u < count_; ++u) rows[u][k] = column[u] * turns_[u * k];
    }
    for (Row<T>& row : rows) {
      checks.count(static_cast<int64_t>(length_));
      row = passes(std::move(row), rows_);
    }
    for (size_t i = 0; i < x.size(); ++i) {
      checks.count();
      x[i] = rows[i % count_][i / count_];
    }
    return x;
  }

 private:
  size_t count_, length_;
  Row<T> columns_, turns_, rows_;
};

/// Bluestein's algorithm, for lengths with large prime factors: a convolution with a chirp, computed by transforms of a length whose
/// factors are small.
template <class T>
class Convolution {
 public:
  Convolution(int64_t n, CancelChecks& checks) : n_(static_cast<size_t>(n)), transform_(convolution_length(n), checks) {
    const auto m = static_cast<size_t>(convolution_length(n));
    for (int64_t k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), ++k) {
      checks.count();
      chirp_.push_back(root<T>(square, 2 * n));
    }
    Row<T> filter(m);
    for (size_t k = 0; k < n_; ++k) {
      checks.count();
      const Complex<T> value = chirp_[k].conjugate() * (1 / static_cast<T>(m));
      filter[k] = value;
      if (k > 0) filter[m - k] = value;
    }
    filter_ = transform_(std::move(filter), checks);
  }

  Row<T> operator()(const Row<T>& row, CancelChecks& checks) const {
    Row<T> x(filter_.size());
    for (size_t k = 0; k < n_; ++k) {
      checks.count();
      x[k] = row[k] * chirp_[k];
    }
    x = transform_(std::move(x), checks);
    for (size_t k = 0; k < x.size(); ++k) {
      checks.count();
      x[k] = (x[k] * filter_[k]).exchanged();
    }
    x = transform_(std::move(x), checks);
    Row<T> result;
    for (size_t k = 0; k < n_; ++k) {
      checks.count();
      result.push_back(x[k].exchanged() * chirp_[k]);
    }
    return result;
  }

 private:
  size_t n_;
  Transform<T> transform_;
  Row<T> chirp_, filter_;
};

template <class T>
void transform_rows(const Array& re, const Array& im, const Array& result, const Sizes& sizes) {
  const int64_t n = re.shape.back(), count = re.count();
  if (count == 0) return;
  const auto* from_re = reinterpret_cast<const T*>(re.data);
  const auto* from_im = reinterpret_cast<const T*>(im.data);
  auto* to = reinterpret_cast<T*>(result.data);
  const bool is_short = has_small_factors(n);
  CancelChecks checks(sizes);
  const Transform<T> transform(is_short ? n : 1, checks);
  const Convolution<T> convolution(is_short ? 1 : n, checks);
  for (int64_t begin = 0; begin < count; begin += n) {
    Row<T> row(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
      checks.count();
      row[static_cast<size_t>(i)] = {from_re[begin + i], from_im[begin + i]};
    }
    row = is_short ? transform(std::move(row), checks) : convolution(row, checks);
    for (int64_t i = 0; i < n; ++i) {
      checks.count();
      to[begin + i] = row[static_cast<size_t>(i)].re;
      to[count + begin + i] = row[static_cast<size_t>(i)].im;
    }
  }
}

}  // namespace

Array evaluate_dft(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  const Array re = as_contiguous(sources[0], sizes), im = as_contiguous(sources[1], sizes);
  const Array result = Array::allocate(node.dtype, sizes.values(node.shape));
  if (node.dtype == DType::kF32)
    transform_rows<float>(re, im, result, sizes);
  else
    transform_rows<double>(re, im, result, sizes);
  return result;
}

}  // namespace harp::interp
