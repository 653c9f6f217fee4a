// Converts the host code of a module to a launch plan for a GPU: grids, the arguments of kernels, memory, and the order of steps.
#pragma once

#include <memory>
#include <span>

#include "ir/ir.h"
#include "render/cuda/render.h"
#include "run/cuda/plan.h"

namespace harp {

/// `kernels` are those that render_cuda() wrote for the module, in the module's order. The plan has one buffer, the arena. It contains, in
/// this order, the program's workspace, the scratch memory of threads, and the records of index faults. Launches of one generation, which
/// may run at the same time, have separate scratch memory; generations run one after the other and share it.
std::shared_ptr<const cuda::Plan> plan_launches(const ir::Module& module, std::span<const render::CudaKernel> kernels);

}  // namespace harp
