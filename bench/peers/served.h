// The side of another program (peer) in the protocol of bench/harness/peer_process.h, for peers written in C++. A peer fills input i with
// fill() (bench/harness/memory.h) and seed_of(i), as the benchmark fills harp's inputs. It then calls serve() with a function that does
// once what a run of harp's program does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/harness/memory.h"

namespace bench {

inline constexpr int kNotInstalled = 69;  // exit status if the library is not installed: EX_UNAVAILABLE of sysexits.h

/// The seed for input i of a benchmark, so that its inputs get different values.
inline unsigned seed_of(size_t input) { return static_cast<unsigned>(input) * 977; }

/// The indices of those elements of a result that are compared. They are distributed over the whole result.
inline std::vector<size_t> sampled(size_t size) {
  std::vector<size_t> indices;
  const size_t step = size / 1009 + 1;
  for (size_t i = 0; i < size; i += step) indices.push_back(i);
  return indices;
}

/// Answers requests until the end of the input, and returns the exit status. `run` does the work once and stores its result in `result`.
int serve(std::span<const float> result, const std::function<void()>& run);
int serve(std::span<const double> result, const std::function<void()>& run);
int serve(std::span<const int32_t> result, const std::function<void()>& run);

}  // namespace bench
