// Compiles and runs a case on a GPU through harp.h, as a host application does, with arrays in the memory of the GPU.
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

  /// Runs the program three times for each list of sizes: the first run launches its kernels one by one, the second captures them as a CUDA
  /// graph, and the third replays the graph. Output i uses the memory of input in_place_of[i], or its own memory if that is -1. expected[k]
  /// is the result for test.sizes[k].
  Outcome check(const Case& test, const BuildVariant& variant, std::span<const int> in_place_of, std::span<const Expected> expected);

 private:
  std::string device_;
  harp_context* context_ = nullptr;
};

}  // namespace harp::fuzz
