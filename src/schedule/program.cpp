// Program: what a kernel computes, its printer and its verifier.
#include "schedule/program.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/text.h"

namespace harp {

Shape squeezed(const Shape& shape) {
  Shape result;
  for (const Dim& d : shape)
    if (!d.is_constant(1)) result.push_back(d);
  return result;
}

Shape iteration_space(const KernelPlan& kernel) {
  return squeezed(kernel.reduces.empty() ? kernel.stores[0].node->shape : kernel.reduces[0]->shape);
}

std::span<const Node* const> operands_of(const Node& node) {
  if (!is_reduce(node.op) || !node.as<ReduceAttributes>().product) return node.sources;
  return node.sources[0]->sources;
}

bool is_loaded(const Program& program, const KernelPlan& kernel, const Node* node) {
  if (node->op == Op::kInput || node->op == Op::kConstantArray) return true;
  auto found = program.buffer_of.find(node);
  if (found == program.buffer_of.end()) return false;
  return std::find(kernel.reads.begin(), kernel.reads.end(), found->second) != kernel.reads.end();
}

std::vector<const Node*> computed_nodes(const Program& program, const KernelPlan& kernel) {
  std::vector<const Node*> nodes, stack(kernel.reduces.begin(), kernel.reduces.end());
  std::unordered_set<const Node*> seen;
  for (const StorePlan& s : kernel.stores) stack.push_back(s.node);
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (is_loaded(program, kernel, node) || !seen.insert(node).second) continue;
    nodes.push_back(node);
    const auto operands = operands_of(*node);
    stack.insert(stack.end(), operands.begin(), operands.end());
  }
  std::sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->id < b->id; });
  return nodes;
}

namespace {

std::string name_of(const Program& program, int buffer) {
  const Buffer& b = program.buffers[static_cast<size_t>(buffer)];
  constexpr std::string_view kinds[] = {"input", "output", "constant", "tmp"};
  return cat(kinds[static_cast<int>(b.kind)], b.index);
}

std::string print_kernel(const Program& program, const KernelPlan& kernel, size_t number) {
  std::string out = cat("kernel_", number, " generation ", kernel.generation, " over ", to_string(iteration_space(kernel)), "\n");
  append(out, cat("  reads  ", join(kernel.reads, ", ", [&](int b) { return name_of(program, b); }), "\n"));
  for (const Node* r : kernel.reduces) {
    const auto& a = r->as<ReduceAttributes>();
    append(out, cat("  reduces ", name(r->op), " of ", type_of(*r->sources[0]), " axes [", join(a.axes, ", "), "] ",
                    a.order == ReduceOrder::kLanes ? "lanes" : "chain", a.product ? " product" : "", "\n"));
  }
  const auto nodes = computed_nodes(program, kernel);
  append(out, cat("  computes ", join(nodes, " ", [](const Node* n) { return name(n->op); }), "\n"));
  for (const StorePlan& s : kernel.stores) {
    append(out, cat("  writes ", name_of(program, s.buffer), " ", type_of(*s.node)));
    if (!s.offset.empty()) append(out, cat(" at ", to_string(Shape(s.offset)), " of ", to_string(s.shape)));
    out += "\n";
  }
  for (const Variant& v : kernel.variants)
    append(out, cat("  schedule ", v.guard ? cat("where ", to_string(*v.guard), " >= 0: ") : std::string(), print(v.schedule), "\n"));
  return out;
}

}  // namespace

std::string print(const Program& program) {
  std::string out =
      cat("program ", program.graph->name(), ": ", program.kernels.size(), " kernels, ", program.generations, " generations\n");
  for (size_t k = 0; k < program.kernels.size(); ++k) out += print_kernel(program, program.kernels[k], k);
  append(out, cat("workspace ", to_string(program.workspace_bytes), " bytes\n"));
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const Buffer& buffer = program.buffers[b];
    if (buffer.kind != Buffer::Kind::kWorkspace) continue;
    append(out, cat("  ", name_of(program, static_cast<int>(b)), " ", type_of(*buffer.node), " at ", to_string(buffer.offset),
                    ", generations ", buffer.first_generation, "..", buffer.last_generation, "\n"));
  }
  return out;
}

void verify(const Program& program) {
  std::vector<int> written_in(program.buffers.size(), -1);
  for (const KernelPlan& kernel : program.kernels)
    for (const StorePlan& s : kernel.stores)
      written_in[static_cast<size_t>(s.buffer)] = std::max(written_in[static_cast<size_t>(s.buffer)], kernel.generation);
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const KernelPlan& kernel = program.kernels[k];
    HARP_ASSERT(!kernel.stores.empty(), "kernel_", k, " writes nothing");
    const Shape space = iteration_space(kernel);
    for (const StorePlan& s : kernel.stores)
      HARP_ASSERT(squeezed(s.node->shape) == space, "kernel_", k, " stores ", type_of(*s.node), " over ", to_string(space));
    for (int b : kernel.reads) {
      const Buffer& buffer = program.buffers[static_cast<size_t>(b)];
      if (buffer.kind == Buffer::Kind::kInput || buffer.kind == Buffer::Kind::kConstant) continue;
      HARP_ASSERT(written_in[static_cast<size_t>(b)] >= 0 && written_in[static_cast<size_t>(b)] < kernel.generation, "kernel_", k,
                  " reads ", name_of(program, b), " before it is written");
    }
  }
  for (size_t i = 0; i < program.buffers.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Buffer &a = program.buffers[i], &b = program.buffers[j];
      if (a.kind != Buffer::Kind::kWorkspace || b.kind != Buffer::Kind::kWorkspace || !(a.offset == b.offset)) continue;
      if (a.bytes.is_constant(0) || b.bytes.is_constant(0)) continue;
      HARP_ASSERT(a.first_generation > b.last_generation || b.first_generation > a.last_generation, name_of(program, static_cast<int>(i)),
                  " and ", name_of(program, static_cast<int>(j)), " share memory while both are alive");
    }
}

}  // namespace harp
