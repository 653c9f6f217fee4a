// Reads requests and answers them.
#include "bench/peers/served.h"

#include <sched.h>

#include <cstdio>
#include <cstdlib>

#include "bench/harness/measure.h"

namespace bench {
namespace {

void stay_on(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(cpu), &one);
  sched_setaffinity(0, sizeof one, &one);
}

template <class T>
int serve_elements(std::span<const T> result, const std::function<void()>& run) {
  run();
  std::puts("ready");
  std::fflush(stdout);
  char line[128];
  int before = -1;
  const char* threads = std::getenv("HARP_BENCH_THREADS");
  double (*const clock)() = threads != nullptr && std::atoi(threads) > 1 ? now : thread_seconds;
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    size_t repeats = 0;
    int cpu = -1;
    if (std::sscanf(line, "run %zu %d", &repeats, &cpu) == 2) {
      if (cpu >= 0 && cpu != before) stay_on(before = cpu);
      const double begin = clock();
      for (size_t i = 0; i < repeats; ++i) run();
      std::printf("%.9g\n", clock() - begin);
    } else {
      std::printf("%zu\n", result.size());
      for (const size_t i : sampled(result.size())) std::printf("%.17g\n", static_cast<double>(result[i]));
    }
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int serve(std::span<const float> result, const std::function<void()>& run) { return serve_elements(result, run); }
int serve(std::span<const double> result, const std::function<void()>& run) { return serve_elements(result, run); }
int serve(std::span<const int32_t> result, const std::function<void()>& run) { return serve_elements(result, run); }

}  // namespace bench
