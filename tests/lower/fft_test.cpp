// Tests Fourier transforms: every backend gives the same bits for every kind of length. Also tests inverses, the number of kernels,
// gradients and the message of every error. (oracle_fft.py compares values with NumPy.)
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <string_view>
#include <vector>

#include "base/machine.h"
#include "support/backends_run.h"
#include "support/misuse.h"

using namespace capi_test;

namespace {

/// Computes a Fourier transform by its definition as a sum, in long double.
std::vector<double> direct(const std::vector<double>& re, const std::vector<double>& im, bool imaginary) {
  const size_t n = re.size();
  std::vector<double> result;
  for (size_t j = 0; j < n; ++j) {
    long double sum = 0;
    for (size_t k = 0; k < n; ++k) {
      const long double angle =
          -2 * 3.14159265358979323846264338327950288L * static_cast<long double>(j * k % n) / static_cast<long double>(n);
      const long double c = std::cos(angle), s = std::sin(angle);
      sum += imaginary ? re[k] * s + im[k] * c : re[k] * c - im[k] * s;
    }
    result.push_back(static_cast<double>(sum));
  }
  return result;
}

double greatest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double greatest = 0;
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) greatest = std::max(greatest, std::fabs(a[i] - b[i]));
  return greatest;
}

Values<double> in_f64(const Values<float>& x) {
  Values<double> wide{{}, x.dims};
  for (const float v : x.items) wide.items.push_back(std::fmod(static_cast<double>(v), 3.0));
  return wide;
}

}  // namespace

TEST_CASE("G15.fft G16: fft: every length in one program, rows and columns") {
  const Backends backends;
  for (const int64_t n : {1,  2,  3,   4,   5,   7,   8,   9,   11,  13,  15,  16,  17,  19,   32,   34,  35,
                          64, 77, 100, 101, 128, 143, 210, 256, 260, 289, 331, 416, 512, 1000, 1009, 1155}) {
    CAPTURE(n);
    const Values<double> re = in_f64(rough({2, n}, static_cast<uint32_t>(n))), im = in_f64(rough({2, n}, static_cast<uint32_t>(n) + 5000));
    const auto outputs = backends.run(
        "graph g(re: f64[m, n], im: f64[m, n]) {\n"
        "  z = complex_from_parts(re, im)\n  rows = fft(z)\n  columns = fft(transpose(z), axis=0)\n"
        "  back = ifft(rows)\n"
        "  return a = real(rows), b = imag(rows), c = real(transpose(columns)), d = real(back), e = imag(back), f = irfft(rfft(re), "
        "n=n)\n}",
        re, im);
    const auto a = values<double>(outputs[0].get()), b = values<double>(outputs[1].get());
    for (int64_t row = 0; row < 2; ++row) {
      const auto part = [&](const std::vector<double>& x) { return std::vector<double>(x.begin() + row * n, x.begin() + (row + 1) * n); };
      const double bound = 1e-14 * std::sqrt(static_cast<double>(n)) * (std::log2(static_cast<double>(n)) + 3);
      CHECK(greatest_difference(part(a), direct(part(re.items), part(im.items), false)) <= bound);
      CHECK(greatest_difference(part(b), direct(part(re.items), part(im.items), true)) <= bound);
    }
    CHECK(values<double>(outputs[2].get()) == a);
    CHECK(greatest_difference(values<double>(outputs[3].get()), re.items) < 1e-13);
    CHECK(greatest_difference(values<double>(outputs[4].get()), im.items) < 1e-13);
    CHECK(greatest_difference(values<double>(outputs[5].get()), re.items) < 1e-13);
  }
}

TEST_CASE("G15.fft: fft: many rows are shared out in blocks, no rows and no elements are no work") {
  const Backends backends;
  const std::string text = "graph g(x: f32[m, n]) {\n  z = fft(x)\n  return re = real(z), im = imag(z)\n}";
  for (const auto& [m, n] :
       {std::pair<int64_t, int64_t>{37, 12}, {16, 17}, {15, 23}, {0, 8}, {5, 0}, {1, 96}, {35, 95}, {19, 97}, {200, 37}}) {
    const auto outputs = backends.run(text, rough({m, n}, 3));
    CHECK(values<float>(outputs[0].get()).size() == static_cast<size_t>(m * n));
  }
}

TEST_CASE("G15.fft: fft: tables of unknown lengths are kept for later calls, while there is room: the same bits") {
  const Backends backends;
  const std::string text = "graph g(x: f32[m, n]) {\n  return y = rfft(x)\n}";
  // There are more lengths than are kept, and the tables of one are too large to be kept. Each length is met several times.
  for (const int64_t rows : {3, 40, 1})
    for (int64_t n = 2; n < 50; ++n) backends.run(text, rough({rows, n}, static_cast<uint32_t>(n)));
  for (const int64_t n : {65536, 30030, 1009, 65536, 8192, 2, 8192}) backends.run(text, rough({1, n}, static_cast<uint32_t>(n)));
}

TEST_CASE("G15.fft: fft: of a length that is known, roots are in tables: the same bits") {
  const Backends backends;
  // The lengths use every algorithm (interleaved rows, a matrix product, a convolution) and all kinds of prime factors. Each program has
  // several lengths and dtypes.
  for (const auto& sizes : {std::pair<int64_t, int64_t>{37, 34},
                            {3, 60},
                            {1, 17},
                            {64, 1},
                            {19, 143},
                            {3, 256},
                            {2, 331},
                            {17, 400},
                            {1, 512},
                            {33, 51},
                            {200, 37},
                            {35, 95},
                            {19, 97}}) {
    const int64_t m = sizes.first, n = sizes.second;
    CAPTURE(n);
    const std::string known = harp::cat("graph g(x: f32[", m, ", ", n, "]) {\n  z = fft(x)\n  w = fft(cast(x, dtype=f64), n=24)\n",
                                        "  return re = real(z), im = imag(z), c = real(w)\n}");
    const Values<float> x = rough({m, n}, static_cast<uint32_t>(n));
    const auto outputs = backends.run(known, x), any = backends.run("graph g(x: f32[m, n]) {\n  return re = real(fft(x))\n}", x);
    CHECK(values<float>(outputs[0].get()) == values<float>(any[0].get()));
  }
}

TEST_CASE("G15.fft: fft: of a length that is known, numbers are read and written where they lie: the same bits") {
  const Backends backends;
  // Tests transforms along rows and along columns. Inputs and outputs are arrays of pairs (re, im), or two separate arrays re and im (also
  // exchanged), or slices of such arrays.
  const std::string_view body =
      "  z = view_as_complex($)\n  a = view_as_real(fft(z))\n  b = view_as_real(ifft(z, norm=\"forward\"))\n"
      "  c = view_as_real(fft(z, axis=0))\n  d = view_as_real(ifft(slice(z, start=[0, 1]), axis=0, norm=\"forward\"))\n"
      "  e = view_as_real(fft(slice(z, start=[1, 0])))\n  f = view_as_real(fft(ifft(z, axis=0, norm=\"forward\") * 2, axis=1))\n"
      "  re = permute(slice($, stop=[none, none, 1]), axes=[2, 1, 0])\n  im = permute(slice($, start=[0, 0, 1]), axes=[2, 1, 0])\n"
      "  h = dft(re, im)\n  k = permute(dft(im, re), axes=[3, 0, 2, 1])\n";
  for (const auto& [rows, columns] :
       {std::pair<int64_t, int64_t>{24, 60}, {3, 256}, {37, 12}, {64, 2}, {17, 400}, {400, 17}, {37, 3}, {40, 7}}) {
    const int64_t m = rows, n = columns;  // copies, because clang 14 cannot capture structured bindings
    CAPTURE(m);
    CAPTURE(n);
    const auto text = [&](std::string_view shape) {
      std::string graph = harp::cat("graph g(x: f32[", shape, ", 2]) {\n");
      for (const char c : body) graph += c == '$' ? 'x' : c;
      return harp::cat(graph, "  return a = a, b = b, c = c, d = d, e = e, f = f, h = h, k = k\n}");
    };
    const Values<float> x = rough({m, n, 2}, static_cast<uint32_t>(m * n));
    const auto known = backends.run(text(harp::cat(m, ", ", n)), x), any = backends.run(text("m, n"), x);
    for (size_t i = 0; i < known.size(); ++i) {
      CAPTURE(i);
      CHECK(values<float>(known[i].get()) == values<float>(any[i].get()));
    }
  }
}

TEST_CASE("G15.fft: fft: of a length that is known, reals have no imaginary parts and only what is kept is stored: the same bits") {
  const Backends backends;
  // Results are stored as pairs (re, im), as a slice of only the real or only the imaginary parts, and as two separate arrays of parts. An
  // input whose imaginary part is -0 is not treated as real.
  const std::string_view body =
      "  a = view_as_real(rfft(x))\n  b = view_as_real(rfft(x, axis=0))\n  c = abs(rfft(x, norm=\"ortho\"))\n"
      "  d = real(slice(fft(x), start=[0, 1], stop=[none, last]))\n  e = view_as_real(fft(x))\n"
      "  f = slice(dft(x, 0 * x), stop=[none, none, last])\n  h = dft(x, f32(-0.0))\n"
      "  k = imag(slice(fft(x, axis=0), stop=[1, none]))\n";
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{24, 60},
                                      {144, 17},
                                      {2, 225},
                                      {3, 256},
                                      {17, 400},
                                      {2, 1155},
                                      {1, 36864},
                                      {512, 18},
                                      {37, 5},
                                      {40, 13}}) {
    const int64_t m = rows, n = columns;
    CAPTURE(m);
    CAPTURE(n);
    const auto text = [&](std::string_view shape) {
      std::string graph = harp::cat("graph g(x: f32[", shape, "]) {\n", body);
      for (size_t at; (at = graph.find("last")) != std::string::npos;) graph.replace(at, 4, std::to_string(n / 2 + 2));
      return harp::cat(graph, "  return a = a, b = b, c = c, d = d, e = e, f = f, h = h, k = k\n}");
    };
    Values<float> x = rough({m, n}, static_cast<uint32_t>(m * n));
    for (size_t i = 0; i < x.items.size(); i += 3) x.items[i] = i % 2 == 0 ? 0.0F : -0.0F;
    if (m == 24) x.items[5] = INFINITY;
    const auto known = backends.run(text(harp::cat(m, ", ", n)), x), any = backends.run(text("m, n"), x);
    for (size_t i = 0; i < known.size(); ++i) {
      CAPTURE(i);
      CHECK(same_bits(known[i].get(), any[i].get()));
    }
  }
}

TEST_CASE("G15.fft: fft: of a length that is known, all axes of an array and axes in any order: the same bits") {
  const Backends backends;
  const std::string body =
      ", 2]) {\n  z = view_as_complex(x)\n  a = view_as_real(fft(fft(fft(z), axis=1), axis=0))\n"
      "  b = view_as_real(fft(fft(fft(z, axis=0), axis=1)))\n"
      "  c = view_as_real(permute(fft(permute(z, axes=[1, 0, 2]), axis=1), axes=[1, 2, 0]))\n  return a = a, b = b, c = c\n}";
  const Values<float> x = rough({18, 20, 16, 2}, 4);
  const auto known = backends.run("graph g(x: f32[18, 20, 16" + body, x), any = backends.run("graph g(x: f32[a, b, c" + body, x);
  for (size_t i = 0; i < known.size(); ++i) CHECK(values<float>(known[i].get()) == values<float>(any[i].get()));
}

TEST_CASE("G15.fft: fft: of a length that is known, planes with long columns: the same bits") {
  const Backends backends;
  const std::string body = ", 2]) {\n  z = view_as_complex(x)\n  return a = view_as_real(fft2(z)), b = view_as_real(ifft2(fft2(z) * 3))\n}";
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{256, 20}, {1000, 16}, {512, 131}}) {
    const int64_t m = rows, n = columns;
    CAPTURE(m);
    const Values<double> x = in_f64(rough({2, m, n, 2}, static_cast<uint32_t>(m)));
    const auto known = backends.run(harp::cat("graph g(x: f64[2, ", m, ", ", n, body), x),
               any = backends.run("graph g(x: f64[a, b, c" + body, x);
    for (size_t i = 0; i < known.size(); ++i) CHECK(values<double>(known[i].get()) == values<double>(any[i].get()));
  }
  // The twiddle factors of columns of more than 2048 elements are in several tiles, of which the last one may overlap the one before it.
  for (const int64_t m : {3000, 4096}) {
    CAPTURE(m);
    const std::string column = ", 2]) {\n  return a = view_as_real(fft(view_as_complex(x), axis=0))\n}";
    const Values<float> x = rough({m, 17, 2}, static_cast<uint32_t>(m));
    const auto known = backends.run(harp::cat("graph g(x: f32[", m, ", 17", column), x),
               any = backends.run("graph g(x: f32[m, n" + column, x);
    CHECK(values<float>(known[0].get()) == values<float>(any[0].get()));
  }
}

TEST_CASE("G15.fft: fft: columns of one length, of which arrays have different numbers") {
  const Backends backends;
  const std::string body =
      "\n  return a = view_as_real(fft(view_as_complex(x), axis=0)), b = view_as_real(fft(view_as_complex(y), axis=0))\n}";
  const Values<float> x = rough({50, 48, 2}, 1), y = rough({50, 16, 2}, 2);
  const auto known = backends.run("graph g(x: f32[50, 48, 2], y: f32[50, 16, 2]) {" + body, x, y),
             any = backends.run("graph g(x: f32[n, m, 2], y: f32[n, k, 2]) {" + body, x, y);
  for (size_t i = 0; i < known.size(); ++i) CHECK(values<float>(known[i].get()) == values<float>(any[i].get()));
}

TEST_CASE("G15.fft: fft: of every axis, of an array with as many axes as there may be") {
  const Backends backends;
  const Values<float> x = rough({3, 20, 18}, 4);
  const auto outputs = backends.run(
      "graph g(x: f32[a, b, c]) {\n  z = fft(fft(fft(x, axis=2), axis=1), axis=0)\n"
      "  y = reshape(x, [a, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, b, c])\n"
      "  w = fft(fft(fft(y, axis=-1), axis=-2), axis=0)\n"
      "  return a = real(z), b = real(w)\n}",
      x);
  CHECK(values<float>(outputs[0].get()) == values<float>(outputs[1].get()));
}

TEST_CASE("G15.fft: fft: rows of pairs are separated and put together by the routines that have no passes of their own: the same bits") {
  const Backends backends;
  // Each transform has an operand of its own, so each result has a single consumer.
  const std::string pairs =
      "x: f32[m, n, 2]) {\n  z = view_as_complex(x)\n  s = slice(z, start=[1, 0])\n  return a = view_as_real(fft(z)), "
      "b = view_as_real(ifft(z, norm=\"forward\")), c = view_as_real(ifft(s, norm=\"forward\")), d = abs(fft(z * 5)), "
      "e = view_as_real(fft(z * 2)), f = view_as_real(slice(fft(z * 3), stop=[none, -1]))\n}";
  const std::string reals = "x: f32[m, n]) {\n  return a = view_as_real(rfft(x)), b = view_as_real(fft(x * 2))\n}";
  const std::string wide = "x: f64[m, n, 2]) {\n  return a = view_as_real(fft(view_as_complex(x)))\n}";
  // The lengths use every algorithm. With some numbers of rows, the last vector of interleaved short rows is full, with others it is not.
  constexpr std::pair<int64_t, int64_t> kSizes[] = {{1, 1},   {5, 1},   {37, 2},   {16, 3},  {35, 12}, {1, 17},
                                                    {40, 17}, {33, 95}, {3, 97},   {18, 60}, {1, 256}, {17, 256},
                                                    {3, 331}, {2, 400}, {1, 3120}, {0, 8},   {5, 0}};
  for (const auto& sizes : kSizes) {
    const int64_t m = sizes.first, n = sizes.second;
    CAPTURE(m);
    CAPTURE(n);
    // The routines under test transform rows of unknown length, and rows of a known length with a large prime factor.
    const bool has_large_factor = n == 17 || n == 95 || n == 97 || n == 331;
    for (const bool is_known : {false, true}) {
      if (is_known && !has_large_factor) continue;
      const auto text = [&](const std::string& graph) {
        const size_t at = graph.find("m, n");
        return "graph g(" + graph.substr(0, at) + (is_known ? harp::cat("m, ", n) : "m, n") + graph.substr(at + 4);
      };
      backends.run(text(pairs), rough({m, n, 2}, static_cast<uint32_t>(n)));
      if (n > 0) backends.run(text(reals), rough({m, n}, static_cast<uint32_t>(n)));
      if (n < 300) backends.run(text(wide), in_f64(rough({m, n, 2}, static_cast<uint32_t>(n))));
    }
  }
}

TEST_CASE("G15.fft G17: fft: parts are stored by one kernel, transformed by another, and put together by those that use them") {
  const Backends backends;
  CHECK(backends.cost("graph g(re: f32[m, n], im: f32[m, n]) {\n  return y = dft(re, im)\n}", {4, 50}).kernels == 1);
  // The routine itself reads and stores rows of pairs (re, im). A second kernel is needed if ifft scales the result by 1 / n.
  CHECK(backends.cost("graph g(z: complex64[m, n]) {\n  return y = fft(z)\n}", {4, 50}).kernels == 1);
  CHECK(backends.cost("graph g(z: complex64[m, n]) {\n  return y = ifft(z, norm=\"forward\")\n}", {4, 50}).kernels == 1);
  CHECK(backends.cost("graph g(z: complex64[m, n]) {\n  return y = ifft(z)\n}", {4, 50}).kernels == 2);
  // Imaginary parts that are the constant +0 are not stored.
  CHECK(backends.cost("graph g(x: f32[m, n]) {\n  return y = dft(x, f32(0))\n}", {4, 50}).kernels == 1);
  CHECK(backends.cost("graph g(x: f32[m, n in 1..99]) {\n  return y = rfft(x)\n}", {4, 50}).kernels == 1);
  CHECK(backends.cost("graph g(x: f32[m, n]) {\n  return y = dft(x, f32(-0.0))\n}", {4, 50}).kernels == 2);
  CHECK(backends.cost("graph g(z: complex64[m, n]) {\n  return y = abs(ifft(fft(z * 2) * 3))\n}", {4, 50}).kernels == 5);
}

TEST_CASE("G15.fft G17: fft: of a length that is known, nothing is copied in front of a transform or behind it") {
  const Backends backends;
  const auto kernels = [&](std::string_view z, std::string_view y) {
    return backends.cost(harp::cat("graph g(z: ", z, ") {\n  return y = ", y, "\n}"), {}).kernels;
  };
  CHECK(kernels("complex64[4, 50]", "fft(z)") == 1);
  CHECK(kernels("complex64[4, 1024]", "fft(z)") == 1);
  CHECK(kernels("complex64[4, 50]", "ifft(z, norm=\"forward\")") == 1);
  CHECK(kernels("complex64[4, 50]", "ifft(z)") == 2);
  // Lengths with a large prime factor are computed by a convolution: a short one, or a long one whose transforms are computed as matrices.
  CHECK(kernels("complex64[4, 37]", "fft(z)") == 1);
  CHECK(kernels("complex64[4, 331]", "ifft(z, norm=\"forward\")") == 1);
  CHECK(kernels("f32[4, 37]", "rfft(z)") == 1);
  CHECK(kernels("f64[4, 331]", "rfft(z)") == 1);
  CHECK(kernels("complex64[3, 2, 331]", "fft(permute(z, axes=[1, 0, 2]))") > 1);
  CHECK(kernels("complex64[50, 16]", "fft(z, axis=0)") == 1);
  // 15 columns are too few for vectors that have one column in each lane.
  CHECK(kernels("complex64[50, 15]", "fft(z, axis=0)") > 1);
  CHECK(kernels("f32[4, 50]", "rfft(z)") == 1);
  CHECK(kernels("f32[4, 1024]", "rfft(z)") == 1);
  CHECK(kernels("f32[50, 16]", "rfft(z, axis=0)") == 1);
  CHECK(kernels("f64[4, 50]", "abs(rfft(z))") == 2);
  CHECK(kernels("complex128[18, 20, 16]", "fft(fft(fft(z), axis=1), axis=0)") == 3);
  CHECK(kernels("complex64[6, 20, 16]", "abs(fft(fft(z, axis=1), axis=2))") == 3);
  // Long columns, which are transformed as matrices, are also read directly from the array, as long as the matrices fit the cache.
  CHECK(kernels("complex64[4, 512, 64]", "fft2(z)") == 2);
  CHECK(kernels("complex128[4, 2048, 64]", "fft2(z)") == 2);
  CHECK(kernels("complex128[4, 4096, 64]", "fft2(z)") > 2);
  CHECK(kernels("f32[1000, 16]", "rfft(z, axis=0)") == 1);
}

TEST_CASE("G15.fft G17: fft: the text for short rows, for convolutions of short rows, and for long columns") {
  const auto has = [](const char* row, std::string_view x, std::string_view y, std::string_view part) {
    const Context context = make_context();
    const Graph graph = parse(context.get(), harp::cat("harp 1\ngraph g(x: ", x, ") {\n  return y = ", y, "\n}"));
    return source_for(row, graph.get()).find(part) != std::string::npos;
  };
  // Rows of fewer numbers than a vector has lanes are not transposed number by number.
  CHECK(has("x86-64-v4", "complex64[64, 2]", "fft(x)", "load_part3_of_4_f32x16(re + at * row_step)"));
  CHECK(has("x86-64-v4", "complex64[64, 2]", "fft(x)", "store_4_interleaved_f32x16(to_re + at * to_row_step, "));
  CHECK_FALSE(has("x86-64-v3", "complex128[64, 2]", "fft(x)", "load_part"));
  CHECK(has("x86-64", "f32[64, 3]", "rfft(x)", "load_part2_of_3_f32x4(re + at * row_step)"));
  // A transform of 95 elements is computed as a convolution of length 192, and one of 97 elements as a convolution of length 256. For the
  // longer convolution the transforms are computed as matrices, so its rows are not interleaved.
  CHECK(has("x86-64-v3", "f32[40, 95]", "rfft(x)", "dft_convolved_side_by_side_f32_95(re, im"));
  CHECK_FALSE(has("x86-64-v3", "f32[40, 97]", "rfft(x)", "side_by_side"));
  CHECK(has("x86-64-v3", "f32[m, n]", "rfft(x)", "if (dft_matrix_rows(m) == 1) dft_convolved_side_by_side_f32("));
  CHECK(has("x86-64-v4", "complex64[1024, 128]", "fft(x, axis=0)", "dft_columns_1024_from_pairs_to_pairs_by_32_f32("));
  CHECK(has("x86-64-v4", "complex64[1024, 127]", "fft(x, axis=0)", "dft_columns_1024_from_pairs_to_pairs_by_16_f32("));
  CHECK(has("x86-64-v4", "complex64[4096, 64]", "fft(x, axis=0)", "dft_columns_4096_from_pairs_to_pairs_by_16_f32("));
}

TEST_CASE("G15.fft G17: fft: roots of 1 are computed by vectors of f64, of lengths that are known and of others") {
  const auto has = [](const char* row, const std::string& x, std::string_view part) {
    const Context context = make_context();
    const Graph graph = parse(context.get(), "harp 1\ngraph g(x: " + x + ") {\n  return y = rfft(x)\n}");
    return source_for(row, graph.get()).find(part) != std::string::npos;
  };
  CHECK(has("x86-64-v4", "f32[m, n in 1..9999]", "cos_f64x8(*("));
  CHECK(has("x86-64-v3", "f64[4, 1024]", "sin_f64x4(*("));
  CHECK(has("x86-64", "f64[4, 97]", "cos_f64x2(*("));
  CHECK(has("x86-64", "f64[4, 97]", "some_roots_f64(squares"));  // 97 is a large prime factor, for which this function computes the roots
}

TEST_CASE("G15.fft: fft: every mistake has its own words") {
  const std::string inputs = "x: f32[n, 5], h: f16[4], z: complex64[3], r: f32[], i: i32[4]";
  check_misuse(inputs, "fft(x, axis=2)", "SHAPE", "axis 2");
  check_misuse(inputs, "fft(r)", "SHAPE", "axis -1");
  check_misuse(inputs, "fft(x, n=0)", "RANGE", "fft: the transform has 0 elements; there must be at least 1");
  check_misuse(inputs, "irfft(slice(z, stop=[1]))", "RANGE", "irfft: the transform has 0 elements");
  check_misuse(inputs, "ifft(x, norm=\"both\")", "INVALID_ARGUMENT", "norm is \"both\"; it must be backward, ortho or forward");
  check_misuse(inputs, "fft(h)", "DTYPE", "transforms are computed in f32 and f64");
  check_misuse(inputs, "fft(i)", "DTYPE", "fft:");
  check_misuse(inputs, "rfft(z)", "DTYPE", "use fft for complex numbers");
  check_misuse(inputs, "dft(x, transpose(x))", "SHAPE", "dft:");
  check_misuse(inputs, "dft(r, r)", "SHAPE", "are scalars");
}

TEST_CASE("C1 G15.fft/c: a transform of a known length is compiled for every machine row, and running what this CPU cannot is an error") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "graph g(x: complex64[4, 1000]) { return y = fft(x) }");
  std::vector<std::complex<float>> x(4000, 1);
  const Buffer in = wrap(context.get(), x, {4, 1000});
  harp_buffer* input = in.get();
  for (const harp::Machine& row : harp::machines()) {
    const std::string target(row.name);
    CAPTURE(target);
    const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) { o.target = target.c_str(); });
    REQUIRE(program != nullptr);
    harp_buffer* output = nullptr;
    ErrorSlot err;
    const harp_status status = harp_program_run(program.get(), 1, &input, 1, &output, nullptr, err);
    const Buffer made(output);
    CHECK(status == (harp::can_run(row) ? HARP_OK : HARP_ERROR_UNSUPPORTED));
  }
}
