// harp_bench_fftw complex|real|cube f32|f64 N ROWS: measures forward Fourier transforms by FFTW's single-threaded libraries, planned with
// FFTW_ESTIMATE. With `complex` or `real`, it transforms ROWS rows of N complex or real numbers; with `cube`, it transforms N * N * N
// complex numbers along all three axes.
#include <fftw3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bench/peers/served.h"

namespace {

struct Single {
  using Real = float;
  using Complex = fftwf_complex;
  static constexpr auto kMany = fftwf_plan_many_dft;
  static constexpr auto kManyReal = fftwf_plan_many_dft_r2c;
  static constexpr auto kCube = fftwf_plan_dft_3d;
  static constexpr auto kExecute = fftwf_execute;
};
struct Double {
  using Real = double;
  using Complex = fftw_complex;
  static constexpr auto kMany = fftw_plan_many_dft;
  static constexpr auto kManyReal = fftw_plan_many_dft_r2c;
  static constexpr auto kCube = fftw_plan_dft_3d;
  static constexpr auto kExecute = fftw_execute;
};

template <class Library>
int serve_transforms(std::string_view kind, int n, int rows) {
  using Real = typename Library::Real;
  using Complex = typename Library::Complex;
  const bool is_real = kind == "real";
  const size_t total = static_cast<size_t>(n) * static_cast<size_t>(rows), half = static_cast<size_t>(n / 2 + 1);
  const size_t count = is_real ? total : 2 * total, stored = is_real ? 2 * half * static_cast<size_t>(rows) : count;
  bench::Memory memory;
  memory.reserve(bench::Memory::room(2, std::max(count, stored) * sizeof(Real)));
  const std::span<Real> x = memory.take_as<Real>(count), y = memory.take_as<Real>(stored);
  auto* from = reinterpret_cast<Complex*>(x.data());
  auto* to = reinterpret_cast<Complex*>(y.data());
  const auto plan = is_real          ? Library::kManyReal(1, &n, rows, x.data(), nullptr, 1, n, to, nullptr, 1, n / 2 + 1, FFTW_ESTIMATE)
                    : kind == "cube" ? Library::kCube(n, n, n, from, to, FFTW_FORWARD, FFTW_ESTIMATE)
                                     : Library::kMany(1, &n, rows, from, nullptr, 1, n, to, nullptr, 1, n, FFTW_FORWARD, FFTW_ESTIMATE);
  bench::fill(x, -1, 1, bench::seed_of(0));  // fills the input again, because planning may have overwritten it
  return bench::serve(std::span<const Real>(y), [&] { Library::kExecute(plan); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: harp_bench_fftw complex|real|cube f32|f64 N ROWS\n", stderr);
    return 2;
  }
  const int n = std::atoi(argv[3]), rows = std::atoi(argv[4]);
  return std::string_view(argv[2]) == "f64" ? serve_transforms<Double>(argv[1], n, rows) : serve_transforms<Single>(argv[1], n, rows);
}
