// Computes the launches of one run from the launches of the plan: evaluates their sizes, and replaces arrays by addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "run/cuda/on_device.h"
#include "run/cuda/plan.h"

namespace harp::cuda {

/// A launch of a kernel, in the form that the driver takes.
struct KernelLaunch {
  FunctionHandle function = nullptr;
  unsigned grid[3] = {}, block[3] = {}, shared = 0;
  std::vector<uint64_t> arguments;  // one argument for each parameter of the kernel

  /// Returns the addresses of the elements of `arguments`. The addresses are valid until `arguments` changes.
  std::vector<void*> parameters();
  /// Adds the launch to a stream of the device, whose context must be current. Throws Error{kDevice} on failure.
  void put_on(StreamHandle stream, const CudaDevice& device);
};

/// The arrays of a run, as addresses on its device.
struct RunArrays {
  void** inputs;
  void** outputs;
  DeviceAddress arena;
};

/// Evaluates the sizes in a plan for one run on one device. The plan and `on_device` must outlive this object.
class PlanSizes {
 public:
  PlanSizes(const Plan& plan, OnDevice& on_device, const size_t* shape_vars);

  const Plan& plan() const { return plan_; }
  const CudaDevice& device() const { return on_device_.device(); }
  /// Returns the values of the shape variables.
  std::span<const int64_t> shape_values() const { return {values_.data(), plan_.shape_variables.size()}; }
  int64_t evaluate(const SizeCode& size) const { return size.evaluate(values_); }
  std::span<const int64_t> values() const { return values_; }
  size_t arena_bytes() const { return static_cast<size_t>(evaluate(plan_.arena)); }
  DeviceAddress address(const Location& at, const RunArrays& arrays) const;

  /// Returns the launch for a step of the plan, or nullopt if it is skipped for these sizes. The device's context must be current. Throws
  /// Error{kUnsupported} for a launch that is larger than the device allows, and Error{kDevice} for a failure of the driver.
  std::optional<KernelLaunch> launch(const Launch& launch, const RunArrays& arrays);

 private:
  const Plan& plan_;
  OnDevice& on_device_;
  // The values from which a SizeCode (the code of a size expression) computes a size, see Plan::values(). For each kernel, launch() sets
  // the last one, the number of blocks that a multiprocessor runs at a time.
  std::vector<int64_t> values_;
};

}  // namespace harp::cuda
