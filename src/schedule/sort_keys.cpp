#include "schedule/sort_keys.h"

#include <algorithm>

#include "schedule/routine.h"

namespace harp {
namespace {

/// Lists the kernels that read each buffer of a program.
using Readers = std::vector<std::vector<const KernelPlan*>>;

/// Returns the length of the rows if all results of the kernel are read by argsorts of whole rows of this length, and by nothing else.
std::optional<Dim> length_of_sorted_rows(const Program& program, const KernelPlan& kernel, const Readers& readers) {
  std::optional<Dim> length;
  for (const StorePlan& store : kernel.stores) {
    if (program.buffers[static_cast<size_t>(store.buffer)].kind != Buffer::Kind::kTemporary) return std::nullopt;
    for (const KernelPlan* reader : readers[static_cast<size_t>(store.buffer)]) {
      const Node* sort = reader->alone;
      if (sort == nullptr || sort->op != Op::kArgSort || kept_of_sort(*sort) > 0) return std::nullopt;
      const Dim here = sort->sources[0]->shape.back();
      if (length && !(*length == here)) return std::nullopt;
      length = here;
    }
  }
  return length;
}

}  // namespace

void skip_unread_keys(Program& program) {
  Readers readers(program.buffers.size());
  for (const KernelPlan& kernel : program.kernels)
    for (const int buffer : kernel.reads) readers[static_cast<size_t>(buffer)].push_back(&kernel);
  for (KernelPlan& kernel : program.kernels) {
    const auto has_other_form = [](const Variant& variant) { return variant.only_without_aliasing; };
    if (kernel.alone != nullptr || std::ranges::any_of(kernel.variants, has_other_form)) continue;
    const std::optional<Dim> length = length_of_sorted_rows(program, kernel, readers);
    if (!length || length->is_constant() || proven_at_most(2, *length)) continue;
    const auto checks = [](const Node* node) { return checks_every_element(*node); };
    if (std::ranges::any_of(computed_nodes(program, kernel), checks)) continue;
    const Sym is_read = *length - 2;
    for (Variant& variant : kernel.variants) variant.guard = variant.guard ? min(*variant.guard, is_read) : is_read;
  }
}

}  // namespace harp
