// harp_bench_fftw N BATCH: forward transforms of rows of N complex numbers by FFTW (single precision, its library without threads), with
// the plan it makes without measuring.
#include <fftw3.h>

#include <cstdio>
#include <cstdlib>

#include "bench/peers/served.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: harp_bench_fftw N BATCH\n", stderr);
    return 2;
  }
  const int n = std::atoi(argv[1]), batch = std::atoi(argv[2]);
  const size_t floats = 2 * static_cast<size_t>(n) * static_cast<size_t>(batch);
  bench::Memory memory;
  memory.reserve(bench::Memory::room(2, floats * sizeof(float)));
  const std::span<float> x = memory.take(floats), y = memory.take(floats);
  fftwf_plan_s* plan = fftwf_plan_many_dft(1, &n, batch, reinterpret_cast<fftwf_complex*>(x.data()), nullptr, 1, n,
                                           reinterpret_cast<fftwf_complex*>(y.data()), nullptr, 1, n, FFTW_FORWARD, FFTW_ESTIMATE);
  bench::fill(x, -1, 1, bench::seed_of(0));  // planning may have written to it
  return bench::serve(std::span<const float>(y), [&] { fftwf_execute(plan); });
}
