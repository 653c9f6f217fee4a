// Holds the data that the first run of a program loads onto a GPU and that later runs use again: the functions of the kernels, and the
// constant arrays.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "run/cuda/module.h"
#include "run/cuda/plan.h"

namespace harp::cuda {

/// A program's kernel functions and constant arrays on one device. Thread-safe. The plan and the module must outlive this object.
class OnDevice {
 public:
  /// Looks up the functions and copies the constants to the device, whose context must be current. Throws Error{kDevice} or
  /// Error{kOutOfMemory}.
  OnDevice(const CudaDevice& device, const Plan& plan, const Module& module);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  const CudaDevice& device() const { return device_; }
  FunctionHandle function(size_t kernel) const { return functions_[kernel]; }
  DeviceAddress constant(size_t i) const { return constants_[i]; }

  /// Allows launches of the kernel to use `bytes` of dynamic shared memory. Returns how many blocks of `threads` threads a multiprocessor
  /// then runs at a time. The device's context must be current. Throws Error{kDevice}.
  int64_t prepare(size_t kernel, int threads, int64_t bytes);

 private:
  void release() const noexcept;

  const CudaDevice& device_;
  std::vector<FunctionHandle> functions_;
  std::vector<DeviceAddress> constants_;
  std::mutex mutex_;                                  // guards the members below
  std::vector<int64_t> shared_;                       // for each kernel, the dynamic shared memory that it may use, in bytes
  std::map<std::pair<size_t, int64_t>, int> blocks_;  // the results of prepare(), by kernel and bytes of dynamic shared memory
};

}  // namespace harp::cuda
