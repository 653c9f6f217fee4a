// The other side of bench/harness/peer_process.h, for peers written in C++: a peer fills its inputs as the benchmark fills harp's
// (bench/harness/memory.h, input i of a row with seed_of(i)), does the work that a program does once, and calls serve().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/harness/memory.h"

namespace bench {

inline constexpr int kNotInstalled = 69;  // exit status: EX_UNAVAILABLE of sysexits.h

/// The seed of input i of a row; inputs of one row get different values.
inline unsigned seed_of(size_t input) { return static_cast<unsigned>(input) * 977; }

/// The indices of the elements of a result that are compared, spread over all of it. The step is chosen to divide no common array size.
inline std::vector<size_t> sampled(size_t size) {
  std::vector<size_t> indices;
  const size_t step = size / 1009 + 1;
  for (size_t i = 0; i < size; i += step) indices.push_back(i);
  return indices;
}

/// Answers requests until the end of the input and returns the exit status. `run` does the work once.
int serve(std::span<const float> result, const std::function<void()>& run);
int serve(std::span<const double> result, const std::function<void()>& run);
int serve(std::span<const int32_t> result, const std::function<void()>& run);

}  // namespace bench
