// A small executor of launch plans: it runs the steps in order, on emulated kernels and in the host's memory. It is there to test plans and
// kernels; harp's own executor is in src/run/cuda.
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
  std::string error;  // an error that the emulator found, or a write beside the arena; "": none
  std::optional<IndexFault> fault;
};

/// `kernel_of` finds a kernel by its name in the plan. The arena and the constants end at pages that are not accessible. The pretended
/// device is small, so that loops over a grid have several steps. Plans with calls of the host's functions are not run:
/// Error{kUnsupported}.
PlanResult run_plan(const cuda::Plan& plan, const std::function<const EmulatedKernel&(const std::string& name)>& kernel_of,
                    std::span<void* const> inputs, std::span<void* const> outputs, std::span<const int64_t> shape_values,
                    ThreadOrder order);

}  // namespace harp::cuda_test
