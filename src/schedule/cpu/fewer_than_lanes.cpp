#include "schedule/cpu/fewer_than_lanes.h"

#include <algorithm>

#include "schedule/kernel_structure.h"

namespace harp {

std::optional<Variant> fewer_than_lanes(const Program& program, const KernelPlan& kernel, const Schedule& usual, const Cpu& cpu) {
  constexpr size_t kNarrowestMoved = 4;  // bytes of the narrowest element that a masked load selects
  const Shape space = iteration_space(kernel);
  if (!cpu.masked_moves && !cpu.mask_registers) return std::nullopt;
  if (space.empty() || !has_arg_extreme(kernel)) return std::nullopt;
  if (kernel.reduces[0]->as<ReduceAttributes>().order != ReduceOrder::kChain) return std::nullopt;
  const int lanes = usual.axes[space.size() - 1].simd_width;
  if (lanes < 2 || space.back().is_constant()) return std::nullopt;
  const auto is_narrow = [&](int read) { return size_of(program.buffers[static_cast<size_t>(read)].node->dtype) < kNarrowestMoved; };
  if (std::ranges::any_of(kernel.reads, is_narrow)) return std::nullopt;
  const Sym guard = Sym(lanes - 1) - space.back();
  if (proven_nonnegative(guard) || proven_nonnegative(Sym(-1) - guard)) return std::nullopt;
  Variant few{guard, usual};
  few.schedule.axes[space.size() - 1].tile = lanes - 1;
  return few;
}

}  // namespace harp
