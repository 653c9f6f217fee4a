// The launches of a run: those of its plan, with the numbers of the run's sizes and arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "run/cuda/on_device.h"
#include "run/cuda/plan.h"

namespace harp::cuda {

/// A launch of a kernel as the driver takes it.
struct KernelLaunch {
  FunctionHandle function = nullptr;
  unsigned grid[3] = {}, block[3] = {}, shared = 0;
  std::vector<uint64_t> arguments;  // one for each parameter of the kernel

  /// The addresses of the arguments, valid until these change.
  std::vector<void*> parameters();
  /// Puts the launch on a stream of the device; inside a Current. Error{kDevice}.
  void put_on(StreamHandle stream, const CudaDevice& device);
};

/// The arrays of a run: addresses on its device.
struct RunArrays {
  void** inputs;
  void** outputs;
  DeviceAddress arena;
};

/// Evaluates a plan for the sizes of one run on one device. The plan and `on_device` must outlive it.
class PlanSizes {
 public:
  PlanSizes(const Plan& plan, OnDevice& on_device, const size_t* shape_vars);

  const Plan& plan() const { return plan_; }
  const CudaDevice& device() const { return on_device_.device(); }
  /// The values of the shape variables.
  std::span<const int64_t> shape_values() const { return {values_.data(), plan_.shape_variables.size()}; }
  int64_t evaluate(const SizeCode& size) const { return size.evaluate(values_); }
  std::span<const int64_t> values() const { return values_; }
  size_t arena_bytes() const { return static_cast<size_t>(evaluate(plan_.arena)); }
  DeviceAddress address(const Location& at, const RunArrays& arrays) const;

  /// The launch of a step; nothing if it is skipped for these sizes. Inside a Current. Error{kUnsupported} for a launch that is larger than
  /// the device allows, Error{kDevice}.
  std::optional<KernelLaunch> launch(const Launch& launch, const RunArrays& arrays);

 private:
  const Plan& plan_;
  OnDevice& on_device_;
  std::vector<int64_t> values_;  // what SizeCodes read; the last one is set for each launch
};

}  // namespace harp::cuda
