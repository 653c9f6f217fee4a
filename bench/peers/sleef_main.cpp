// harp_bench_sleef TARGET FUNCTION N LOW HIGH: measures one of SLEEF's functions on N numbers from LOW to HIGH, with the vectors of the CPU
// level TARGET.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/peers/served.h"
#include "vector_functions.h"

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fputs("usage: harp_bench_sleef TARGET FUNCTION N LOW HIGH\n", stderr);
    return 2;
  }
  const size_t n = std::strtoul(argv[3], nullptr, 10);
  bench::Memory memory;
  memory.reserve(bench::Memory::room(2, n * sizeof(float)));
  const std::span<float> x = memory.take(n), y = memory.take(n);
  bench::fill(x, std::strtof(argv[4], nullptr), std::strtof(argv[5], nullptr), bench::seed_of(0));
  for (const vector_level* const* level = sleef_levels; *level != nullptr; ++level)
    for (const vector_function* f = (*level)->functions; f->name != nullptr; ++f)
      if (std::strcmp((*level)->target, argv[1]) == 0 && std::strcmp(f->name, argv[2]) == 0)
        return bench::serve(std::span<const float>(y), [&] { f->apply(x.data(), y.data(), n); });
  std::fprintf(stderr, "harp_bench_sleef: no function \"%s\" for the machine row %s\n", argv[2], argv[1]);
  return 1;
}
