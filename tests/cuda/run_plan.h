// Contains a small executor of launch plans for tests of plans and kernels: it runs the steps in order, with emulated kernels and arrays in
// host memory. harp's own executor is in src/run/cuda.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "cuda/emulator/kernels.h"
#include "graph/index_fault.h"
#include "run/cuda/plan.h"

namespace harp::cuda_test {

struct PlanResult {
  std::string error;  // an error that the emulator found, or a write outside of the temporary memory; "" if there is none
  std::optional<IndexFault> fault;
};

/// `kernel_of` finds a kernel by its name in the plan. An inaccessible page follows the arena (the memory for temporary arrays) and each
/// constant, so that accesses beyond their ends fault. The simulated device is small, so that loops over a grid make several steps. A plan
/// that calls functions of the host application throws Error{kUnsupported}.
PlanResult run_plan(const cuda::Plan& plan, const std::function<const EmulatedKernel&(const std::string& name)>& kernel_of,
                    std::span<void* const> inputs, std::span<void* const> outputs, std::span<const int64_t> shape_values,
                    ThreadOrder order);

}  // namespace harp::cuda_test
