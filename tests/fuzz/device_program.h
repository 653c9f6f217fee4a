// A case on a GPU: compiled and run through harp.h, as a host does it, with arrays in the GPU's memory.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fuzz/check_case.h"
#include "harp.h"

namespace harp::fuzz {

class DevicePrograms {
 public:
  /// `device` is a name such as "cuda:0". Throws Error if there is no such device.
  explicit DevicePrograms(std::string device);
  ~DevicePrograms();

  /// Runs the program three times for each list of sizes: the first run launches its kernels, the second makes them into a CUDA graph, and
  /// the third replays the graph. Output i replaces input in_place_of[i]; -1: it has its own memory. expected[k] is the result for
  /// test.sizes[k].
  Outcome check(const Case& test, const BuildVariant& variant, std::span<const int> in_place_of, std::span<const Expected> expected);

 private:
  std::string device_;
  harp_context* context_ = nullptr;
};

}  // namespace harp::fuzz
