// The other side of bench/peer_process.h, for peers written in C++: they fill their inputs as the benchmark fills harp's (bench/memory.h,
// input i of a row with seed_of(i)), prepare what a program would prepare once, and leave the rest to serve().
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "bench/memory.h"

namespace bench {

inline constexpr int kNotInstalled = 69;  // exit status: EX_UNAVAILABLE of sysexits.h

/// Inputs of one row do not look alike.
inline unsigned seed_of(size_t input) { return static_cast<unsigned>(input) * 977; }

/// The elements of a result that are compared: so many that every part of it is seen. The step divides no usual size.
inline std::vector<size_t> sampled(size_t size) {
  std::vector<size_t> places;
  const size_t step = size / 1009 + 1;
  for (size_t i = 0; i < size; i += step) places.push_back(i);
  return places;
}

/// Answers until there are no more questions; the exit status. `run` does the work once.
int serve(std::span<const float> result, const std::function<void()>& run);
int serve(std::span<const double> result, const std::function<void()>& run);

}  // namespace bench
