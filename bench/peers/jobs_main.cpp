// harp_bench_by_hand gray_scott TARGET HEIGHT WIDTH | lorenz TARGET MEMBERS STEPS: measures a hand-written job, compiled for the CPU level
// TARGET, on as many threads as OpenMP is configured to use.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/harness/measure.h"
#include "bench/peers/jobs.h"
#include "bench/peers/served.h"

namespace {

const jobs* of_target(const char* target) {
  for (const jobs* const* table = jobs_of_targets; *table != nullptr; ++table)
    if (std::strcmp((*table)->target, target) == 0) return *table;
  return nullptr;
}

int gray_scott(const jobs& level, size_t height, size_t width) {
  const size_t cells = height * width;
  bench::Memory memory;
  memory.reserve(bench::Memory::room(4, cells * sizeof(float)));
  const std::span<float> u = memory.take(cells), v = memory.take(cells), next_u = memory.take(cells), next_v = memory.take(cells);
  bench::fill(u, 0, 1, bench::seed_of(0));
  bench::fill(v, 0, 1, bench::seed_of(1));
  const auto run = [&](const variant& way) {
    way.step(u.data(), v.data(), next_u.data(), next_v.data(), static_cast<ptrdiff_t>(height), static_cast<ptrdiff_t>(width));
  };
  const variant* fastest = level.gray_scott;
  double least = 1e9;
  for (const variant* way = level.gray_scott; way->name != nullptr; ++way)
    for (int round = 0; round < 10; ++round) {
      const double begin = bench::now();
      run(*way);
      const double seconds = bench::now() - begin;
      if (seconds < least) least = seconds, fastest = way;
    }
  return bench::serve(std::span<const float>(next_v), [&] { run(*fastest); });
}

int lorenz(const jobs& level, size_t members, size_t steps) {
  bench::Memory memory;
  memory.reserve(bench::Memory::room(6, members * sizeof(float)));
  std::span<float> arrays[6];
  for (size_t i = 0; i < 6; ++i) {
    arrays[i] = memory.take(members);
    if (i < 3) bench::fill(arrays[i], 1, 20, bench::seed_of(i));
  }
  const ensemble from = {arrays[0].data(), arrays[1].data(), arrays[2].data()}, to = {arrays[3].data(), arrays[4].data(), arrays[5].data()};
  return bench::serve(std::span<const float>(arrays[5]), [&] { level.lorenz(from, to, members, steps); });
}

}  // namespace

int main(int argc, char** argv) {
  const jobs* level = argc == 5 ? of_target(argv[2]) : nullptr;
  if (level == nullptr) {
    std::fputs("usage: harp_bench_by_hand gray_scott TARGET HEIGHT WIDTH | lorenz TARGET MEMBERS STEPS\n", stderr);
    return 2;
  }
  const size_t first = std::strtoul(argv[3], nullptr, 10), second = std::strtoul(argv[4], nullptr, 10);
  return std::strcmp(argv[1], "lorenz") == 0 ? lorenz(*level, first, second) : gray_scott(*level, first, second);
}
