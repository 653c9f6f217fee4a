// harp_bench_openblas TYPE BATCH M K N LAYOUT: measures products of row-major matrices by OpenBLAS.
//     TYPE f32, f64 or complex64; LAYOUT nn: [m, k] and [k, n]; nt: the right operand is stored as [n, k]
// An f32 product with one row on the left or one column on the right calls gemv. A batch makes one call for each of its products.
#include <cblas.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/peers/served.h"

namespace {

struct Problem {
  int m, k, n;
  bool transposed;
  CBLAS_TRANSPOSE right() const { return transposed ? CblasTrans : CblasNoTrans; }
  int right_stride() const { return transposed ? k : n; }
};

void multiply(const Problem& p, const float* a, const float* b, float* c) {
  if (p.m == 1)
    cblas_sgemv(CblasRowMajor, p.transposed ? CblasNoTrans : CblasTrans, p.transposed ? p.n : p.k, p.right_stride(), 1, b, p.right_stride(),
                a, 1, 0, c, 1);
  else if (p.n == 1)
    cblas_sgemv(CblasRowMajor, CblasNoTrans, p.m, p.k, 1, a, p.k, b, 1, 0, c, 1);
  else
    cblas_sgemm(CblasRowMajor, CblasNoTrans, p.right(), p.m, p.n, p.k, 1, a, p.k, b, p.right_stride(), 0, c, p.n);
}

void multiply(const Problem& p, const double* a, const double* b, double* c) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, p.right(), p.m, p.n, p.k, 1, a, p.k, b, p.right_stride(), 0, c, p.n);
}

struct Complex {
  float re, im;
};

void multiply(const Problem& p, const Complex* a, const Complex* b, Complex* c) {
  const Complex one = {1, 0}, zero = {0, 0};
  cblas_cgemm(CblasRowMajor, CblasNoTrans, p.right(), p.m, p.n, p.k, &one, a, p.k, b, p.right_stride(), &zero, c, p.n);
}

/// T is the type of the elements, Part the type of an element or, for complex64, of its real and imaginary parts.
template <class T, class Part>
int run(const Problem& p, size_t batch) {
  const size_t a_size = static_cast<size_t>(p.m) * p.k, b_size = static_cast<size_t>(p.k) * p.n, c_size = static_cast<size_t>(p.m) * p.n;
  bench::Memory memory;
  memory.reserve(bench::Memory::room(1, batch * a_size * sizeof(T)) + bench::Memory::room(1, batch * b_size * sizeof(T)) +
                 bench::Memory::room(1, batch * c_size * sizeof(T)));
  const auto parts = [](std::span<T> array) {
    return std::span<Part>(reinterpret_cast<Part*>(array.data()), array.size() * (sizeof(T) / sizeof(Part)));
  };
  const std::span<T> a = memory.take_as<T>(batch * a_size), b = memory.take_as<T>(batch * b_size), c = memory.take_as<T>(batch * c_size);
  bench::fill(parts(a), -1, 1, bench::seed_of(0));
  bench::fill(parts(b), -1, 1, bench::seed_of(1));
  return bench::serve(std::span<const Part>(parts(c)), [&] {
    for (size_t i = 0; i < batch; ++i) multiply(p, a.data() + i * a_size, b.data() + i * b_size, c.data() + i * c_size);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fputs("usage: harp_bench_openblas f32|f64|complex64 BATCH M K N nn|nt\n", stderr);
    return 2;
  }
  const size_t batch = std::strtoul(argv[2], nullptr, 10);
  const Problem problem = {std::atoi(argv[3]), std::atoi(argv[4]), std::atoi(argv[5]), std::strcmp(argv[6], "nt") == 0};
  if (std::strcmp(argv[1], "f32") == 0) return run<float, float>(problem, batch);
  if (std::strcmp(argv[1], "f64") == 0) return run<double, double>(problem, batch);
  return run<Complex, float>(problem, batch);
}
