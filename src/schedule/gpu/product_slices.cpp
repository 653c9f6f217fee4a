#include "schedule/gpu/product_slices.h"

namespace harp {

bool splits_terms(const Schedule& schedule) { return schedule.recipe == Template::kContraction && schedule.axes.back().split > 0; }

Dim slice_count(const Product& product, int64_t split) { return ceil_div(product.terms, split); }

void add_slice_buffers(Program& program) {
  for (KernelPlan& kernel : program.kernels) {
    std::optional<Dim> most;
    for (size_t v = 0; v < kernel.variants.size(); ++v) {
      const Schedule& schedule = kernel.variants[v].schedule;
      if (!splits_terms(schedule)) continue;
      const Dim sums = slice_count(*as_product(kernel), schedule.axes.back().split) * element_count(iteration_space(kernel));
      const std::optional<Sym> guard = launch_guard(kernel, v);
      const Dim here = guard ? select(*guard, sums, 0) : sums;
      most = most ? max(*most, here) : here;
    }
    if (most) add_scratch(program, kernel, dtype_of_sums(kernel), *most);
  }
}

}  // namespace harp
