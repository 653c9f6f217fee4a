// From the host code of a module to a launch plan: grids, the arguments of kernels, memory, and the order of steps.
#pragma once

#include <memory>
#include <span>

#include "ir/ir.h"
#include "render/cuda/render.h"
#include "run/cuda/plan.h"

namespace harp {

/// `kernels` are those that render_cuda() wrote for the module, in the module's order. The arena holds, one after the other, the program's
/// workspace, the scratch memory of the threads (kernels share it, since only one kernel of a generation that needs it runs at a time), and
/// the records of index faults.
std::shared_ptr<const cuda::Plan> plan_launches(const ir::Module& module, std::span<const render::CudaKernel> kernels);

}  // namespace harp
