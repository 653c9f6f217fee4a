// What a GPU holds of a program from its first run there on: the kernels' functions and the constants.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "run/cuda/module.h"
#include "run/cuda/plan.h"

namespace harp::cuda {

/// Thread-safe. The plan and the module must outlive it.
class OnDevice {
 public:
  /// Loads the functions and uploads the constants; inside a Current. Error{kDevice, kOutOfMemory}.
  OnDevice(const CudaDevice& device, const Plan& plan, const Module& module);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  const CudaDevice& device() const { return device_; }
  FunctionHandle function(size_t kernel) const { return functions_[kernel]; }
  DeviceAddress constant(size_t i) const { return constants_[i]; }

  /// Lets a launch of the kernel have `bytes` of dynamic shared memory, and returns how many of its blocks a multiprocessor holds then;
  /// inside a Current. Error{kDevice}.
  int64_t prepare(size_t kernel, int threads, int64_t bytes);

 private:
  void release() const noexcept;

  const CudaDevice& device_;
  std::vector<FunctionHandle> functions_;
  std::vector<DeviceAddress> constants_;
  std::mutex mutex_;                                  // guards the members below
  std::vector<int64_t> shared_;                       // dynamic shared memory that each kernel may have
  std::map<std::pair<size_t, int64_t>, int> blocks_;  // on a multiprocessor, by kernel and dynamic shared memory
};

}  // namespace harp::cuda
