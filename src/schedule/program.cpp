// Implements the properties of kernels, and the printer and the verifier of a Program.
#include "schedule/program.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/text.h"
#include "graph/body.h"
#include "graph/native.h"
#include "schedule/in_place.h"
#include "schedule/override.h"
#include "schedule/routine.h"

namespace harp {

Dim block_bytes(const Buffer& buffer) {
  Shape block = squeezed(buffer.node->shape);
  block.erase(block.begin());
  return element_count(block) * static_cast<int64_t>(size_of(buffer.node->dtype));
}

std::optional<Sym> launch_guard(const KernelPlan& plan, size_t v) {
  std::optional<Sym> guard = plan.variants[v].guard;
  for (size_t earlier = 0; earlier < v; ++earlier) {
    if (plan.variants[earlier].only_without_aliasing) continue;
    HARP_ASSERT(plan.variants[earlier].guard, "variant ", earlier, " has no condition, so variant ", v, " after it would never run");
    const Sym fails = Sym(-1) - *plan.variants[earlier].guard;
    guard = guard ? min(*guard, fails) : fails;
  }
  return guard;
}

void add_scratch(Program& program, KernelPlan& kernel, DType dtype, Dim elements) {
  int temporaries = 0;
  for (const Buffer& buffer : program.buffers) temporaries += buffer.kind == Buffer::Kind::kTemporary;
  const Node* node = kernel.reduces.empty() ? kernel.scans.at(0) : kernel.reduces[0];
  // the cast is never computed; it only gives the buffer its dtype
  if (node->dtype != dtype) node = program.graph->intern(Op::kCast, dtype, node->shape, {node});
  kernel.scratch = static_cast<int>(program.buffers.size());
  program.buffers.push_back({Buffer::Kind::kTemporary, temporaries, node, elements * static_cast<int64_t>(size_of(dtype)), 0,
                             kernel.generation, kernel.generation});
}

bool stands_alone(const Node& node) {
  if (is_custom(node.op)) return !node.as<CustomAttributes>().body->is_expression();
  return is_routine(node.op) || is_scatter(node.op) || is_native(node.op);
}

Shape squeezed(const Shape& shape) {
  Shape result;
  for (const Dim& d : shape)
    if (!d.is_constant(1)) result.push_back(d);
  return result;
}

Shape iteration_space(const KernelPlan& kernel) {
  const Node* node = !kernel.reduces.empty() ? kernel.reduces[0] : !kernel.scans.empty() ? kernel.scans[0] : kernel.stores[0].node;
  return squeezed(node->shape);
}

namespace {

/// Converts an axis of `shape` to its index among the axes whose size is not 1; -1 if its own size is 1.
int squeezed_axis(const Shape& shape, int axis) {
  if (shape[static_cast<size_t>(axis)].is_constant(1)) return -1;
  return static_cast<int>(squeezed(Shape(shape.begin(), shape.begin() + axis)).size());
}

}  // namespace

int scan_axis(const KernelPlan& kernel) {
  if (kernel.scans.empty()) return -1;
  return squeezed_axis(kernel.scans[0]->shape, kernel.scans[0]->as<ScanAttributes>().axis);
}

int scatter_axis(const KernelPlan& kernel) {
  if (kernel.alone == nullptr || !is_scatter(kernel.alone->op)) return -1;
  return squeezed_axis(kernel.alone->shape, kernel.alone->as<GatherAttributes>().axis);
}

bool has_arg_extreme(const KernelPlan& kernel) {
  return std::any_of(kernel.reduces.begin(), kernel.reduces.end(), [](const Node* reduce) { return is_arg_extreme(reduce->op); });
}

bool keeps_rows(const KernelPlan& kernel) {
  return std::any_of(kernel.passes.begin(), kernel.passes.end(), [](const RowPass& pass) { return !pass.row_values.empty(); });
}

std::vector<bool> reduced_axes(const Node& reduce) {
  const Shape& shape = reduce.sources[0]->shape;
  const auto& axes = reduce.as<ReduceAttributes>().axes;
  std::vector<bool> result;
  for (size_t i = 0; i < shape.size(); ++i)
    if (!shape[i].is_constant(1)) result.push_back(std::find(axes.begin(), axes.end(), static_cast<int>(i)) != axes.end());
  return result;
}

bool scans_blocks(const KernelPlan& kernel) {
  return std::any_of(kernel.scans.begin(), kernel.scans.end(), [](const Node* s) { return !is_free_of_order(s->op, s->dtype); });
}

std::string describe_scan(const Node& scan) {
  const auto& a = scan.as<ScanAttributes>();
  return cat(name(scan.op), " of ", to_string(scan.shape), " axis ", a.axis, a.order == ScanOrder::kTree ? " tree" : " chain",
             a.reverse ? " reverse" : "");
}

std::string describe_scatter(const Node& scatter) {
  return cat(name(scatter.op), " of ", to_string(scatter.sources[2]->shape), " to ", to_string(scatter.shape), " axis ",
             scatter.as<GatherAttributes>().axis, scatter.as<GatherAttributes>().is_sorted ? ", sorted" : "");
}

std::span<const Node* const> operands_of(const Node& node) {
  if (!sums_products(node)) return node.sources;
  return node.sources[0]->sources;
}

bool is_loaded(const Program& program, const KernelPlan& kernel, const Node* node) {
  if (node->op == Op::kInput || node->op == Op::kConstantArray) return true;
  auto found = program.buffer_of.find(node);
  if (found == program.buffer_of.end()) return false;
  return std::find(kernel.reads.begin(), kernel.reads.end(), found->second) != kernel.reads.end();
}

bool checks_every_element(const Node& node) {
  return node.op == Op::kCheckIndex || (is_custom(node.op) && !node.as<CustomAttributes>().body->sites.empty());
}

std::vector<const Node*> computed_nodes(const Program& program, const KernelPlan& kernel) {
  std::vector<const Node*> nodes, stack(kernel.reduces.begin(), kernel.reduces.end());
  std::unordered_set<const Node*> seen;
  stack.insert(stack.end(), kernel.scans.begin(), kernel.scans.end());
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
  std::string out = cat("kernel_", number, " generation ", kernel.generation, " over ", to_string(iteration_space(kernel)),
                        kernel.blocks > 0 ? cat(" in turn with the others for each of ", kernel.blocks, " blocks") : std::string(), "\n");
  append(out, cat("  reads  ", join(kernel.reads, ", ", [&](int b) { return name_of(program, b); }), "\n"));
  for (const Node* r : kernel.reduces) {
    const auto& a = r->as<ReduceAttributes>();
    append(out, cat("  reduces ", name(r->op), " of ", type_of(*r->sources[0]), " axes [", join(a.axes, ", "), "] ",
                    a.order == ReduceOrder::kLanes ? "lanes" : "chain", a.product ? " product" : "", "\n"));
  }
  for (const Node* s : kernel.scans) append(out, cat("  scans ", describe_scan(*s), "\n"));
  if (kernel.alone != nullptr)
    append(out, is_custom(kernel.alone->op)    ? cat("  does a body of ", kernel.alone->as<CustomAttributes>().body->expressions.size(),
                                                     " expressions for each element\n")
                : is_native(kernel.alone->op)  ? cat("  calls ", native_label(kernel.alone->as<NativeAttributes>().name), " as ",
                                                     native_signature(kernel.alone->as<NativeAttributes>()), "\n")
                : is_routine(kernel.alone->op) ? cat("  ", name(kernel.alone->op), " of rows of ", type_of(*kernel.alone->sources[0]),
                                                     kept_of_sort(*kernel.alone) > 0 ? ", of which the first elements are kept" : "",
                                                     kernel.scratch < 0 ? "" : cat(" with ", name_of(program, kernel.scratch)), "\n")
                                               : cat("  scatters ", describe_scatter(*kernel.alone), "\n"));
  const auto nodes = computed_nodes(program, kernel);
  append(out, cat("  computes ", join(nodes, " ", [](const Node* n) { return name(n->op); }), "\n"));
  for (const StorePlan& s : kernel.stores) {
    append(out, cat("  writes ", name_of(program, s.buffer), " ", type_of(*s.node)));
    if (!s.offset.empty()) append(out, cat(" at ", to_string(Shape(s.offset)), " of ", to_string(s.shape)));
    out += "\n";
  }
  // Variants are printed in the syntax of overrides (override.h), so that users can copy a line.
  for (size_t i = 0; i < kernel.variants.size(); ++i) {
    const Variant& v = kernel.variants[i];
    const int64_t variant = kernel.variants.size() > 1 ? static_cast<int64_t>(i) + 1 : 0;
    append(out, cat("  ", print(ScheduleOverride{static_cast<int64_t>(number), variant, v.schedule}),
                    v.guard                   ? cat("  # where ", to_string(*v.guard), " >= 0")
                    : v.only_without_aliasing ? "  # not in place"
                                              : std::string(),
                    "\n"));
  }
  return out;
}

}  // namespace

std::string print(const Program& program) {
  std::string out =
      cat("program ", program.graph->name(), ": ", program.kernels.size(), " kernels, ", program.generations, " generations\n");
  for (size_t k = 0; k < program.kernels.size(); ++k) out += print_kernel(program, program.kernels[k], k);
  append(out,
         cat("workspace ", to_string(program.workspace_bytes), " bytes",
             program.block_bytes.is_constant(0) ? std::string() : cat(", blocks of ", to_string(program.block_bytes), " bytes a worker"),
             "\n"));
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const Buffer& buffer = program.buffers[b];
    if (buffer.kind != Buffer::Kind::kTemporary) continue;
    append(out,
           cat("  ", name_of(program, static_cast<int>(b)), " ", type_of(*buffer.node), buffer.space == Space::kScratch ? " by block" : "",
               " at ", to_string(buffer.offset), ", generations ", buffer.first_generation, "..", buffer.last_generation));
    for (const InPlace& pair : program.in_place)
      if (pair.written == static_cast<int>(b)) append(out, cat(", in place of ", name_of(program, pair.read)));
    out += "\n";
  }
  for (const InPlace& pair : program.in_place)
    if (program.buffers[static_cast<size_t>(pair.written)].kind == Buffer::Kind::kOutput)
      append(out, cat("  ", name_of(program, pair.written), " may be in place of ", name_of(program, pair.read), "\n"));
  return out;
}

namespace {

/// A buffer in the workspace, or a block buffer in a worker's memory: its size, its lifetime, and the first kernel that writes it.
struct Lifetime {
  int buffer;
  Dim bytes;
  int first, last, maker;
};

/// Checks that buffers whose lifetimes overlap do not overlap in memory, except for in-place pairs, and that each buffer begins at a
/// multiple of 64 bytes and lies inside the memory. Sizes are symbolic, so the check evaluates them for a few values of the shape
/// variables.
void verify_disjoint(const Program& program, const std::vector<Lifetime>& all, Dim memory) {
  for (const int64_t value : {1, 7, 100}) {
    const auto at = [&](Sym size) {
      return evaluate(size, [&](const SymAtom& variable) { return std::clamp(value, variable.range.lo, variable.range.hi); });
    };
    if (std::any_of(all.begin(), all.end(), [&](const Lifetime& it) { return at(it.bytes) < 0; }))
      // A size is negative, so these values violate a constraint of the graph, and no run has them.
      continue;
    struct Extent {
      int64_t begin, end;
    };
    std::vector<Extent> extents;
    for (const Lifetime& it : all) {
      const int64_t offset = at(program.buffers[static_cast<size_t>(it.buffer)].offset);
      extents.push_back({offset, offset + at(it.bytes)});
      HARP_ASSERT(offset >= 0 && offset % 64 == 0 && extents.back().end <= at(memory), name_of(program, it.buffer),
                  " lies outside the workspace or is not aligned");
    }
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        if (extents[i].begin >= extents[j].end || extents[j].begin >= extents[i].end) continue;
        if (extents[i].begin == extents[i].end || extents[j].begin == extents[j].end) continue;
        const Lifetime &a = all[i], &b = all[j];
        if (a.first > b.last || b.first > a.last) continue;
        const auto takes_over = [&](const Lifetime& later, const Lifetime& earlier) {
          return later.first == earlier.last && earlier.maker < later.maker &&
                 std::binary_search(program.in_place.begin(), program.in_place.end(), InPlace{later.buffer, earlier.buffer});
        };
        HARP_ASSERT(takes_over(a, b) || takes_over(b, a), name_of(program, a.buffer), " and ", name_of(program, b.buffer),
                    " share memory while both are in use");
      }
  }
}

void verify_memory(const Program& program) {
  const std::vector<InPlace> safe = find_in_place(program);
  for (const InPlace& pair : program.in_place)
    HARP_ASSERT(std::binary_search(safe.begin(), safe.end(), pair), name_of(program, pair.written), " overwrites ",
                name_of(program, pair.read), ", which is not safe");
  std::vector<Lifetime> whole, blocks;
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const Buffer& buffer = program.buffers[b];
    const int number = static_cast<int>(b);
    if (buffer.kind != Buffer::Kind::kTemporary) continue;
    const auto writes_it = [&](const KernelPlan& kernel) {
      return std::any_of(kernel.stores.begin(), kernel.stores.end(), [&](const StorePlan& s) { return s.buffer == number; });
    };
    if (buffer.space == Space::kWorkspace) {
      const auto maker = std::find_if(program.kernels.begin(), program.kernels.end(), writes_it) - program.kernels.begin();
      whole.push_back({number, buffer.bytes, buffer.first_generation, buffer.last_generation, static_cast<int>(maker)});
      continue;
    }
    std::vector<int> users;
    for (size_t k = 0; k < program.kernels.size(); ++k) {
      const KernelPlan& kernel = program.kernels[k];
      const bool writes = writes_it(kernel);
      if (!writes && std::find(kernel.reads.begin(), kernel.reads.end(), number) == kernel.reads.end()) continue;
      HARP_ASSERT(writes == users.empty(), name_of(program, number),
                  " is a block buffer: expected one kernel that writes it, and only later ones that read it");
      HARP_ASSERT(kernel.blocks > 0 && kernel.generation == buffer.first_generation, "kernel_", k, " uses a block outside its chain");
      users.push_back(static_cast<int>(k));
    }
    HARP_ASSERT(!users.empty(), name_of(program, number), " is a block that no kernel uses");
    blocks.push_back({number, block_bytes(buffer), users.front(), users.back(), users.front()});
  }
  verify_disjoint(program, whole, program.workspace_bytes);
  verify_disjoint(program, blocks, program.block_bytes);
}

/// Checks the shape of every store: it is the kernel's iteration space, or, for a store of the elements of a row in a row-wise pass, the
/// shape of the reductions' source.
void verify_stores(const KernelPlan& kernel, size_t number) {
  const Shape space = iteration_space(kernel);
  HARP_ASSERT(kernel.passes.empty() == kernel.reduces.empty(), "kernel_", number, " has ", kernel.passes.size(), " passes and ",
              kernel.reduces.size(), " reductions; expected some of both, or none");
  std::vector<int> times(kernel.stores.size(), kernel.passes.empty() ? 1 : 0);
  std::vector<const Node*> reduces;
  for (const RowPass& pass : kernel.passes) {
    for (size_t s : pass.stores) ++times[s];
    for (size_t s : pass.row_stores) {
      ++times[s];
      const Node& node = *kernel.stores[s].node;
      const Shape rows = squeezed(kernel.reduces[0]->sources[0]->shape);
      HARP_ASSERT(squeezed(node.shape) == rows, "kernel_", number, " stores ", type_of(node), " along rows of ", to_string(rows));
      times[s] += 2;
    }
    reduces.insert(reduces.end(), pass.reduces.begin(), pass.reduces.end());
  }
  HARP_ASSERT(kernel.passes.empty() || reduces == kernel.reduces, "kernel_", number, " does not do each reduction in one pass");
  for (size_t s = 0; s < times.size(); ++s) {
    const Node& node = *kernel.stores[s].node;
    HARP_ASSERT(times[s] == 1 || times[s] == 3, "kernel_", number, " stores ", type_of(node), " in no pass or in several");
    HARP_ASSERT(times[s] == 3 || squeezed(node.shape) == space, "kernel_", number, " stores ", type_of(node), " over ", to_string(space));
  }
}

}  // namespace

void verify(const Program& program) {
  // Indexed by buffer: the last generation (written_in) and the last kernel (written_by) that write it; a generation is a set of kernels
  // that do not depend on each other.
  std::vector<int> written_in(program.buffers.size(), -1);
  std::vector<size_t> written_by(program.buffers.size());
  for (size_t k = 0; k < program.kernels.size(); ++k)
    for (const StorePlan& s : program.kernels[k].stores) {
      int& generation = written_in[static_cast<size_t>(s.buffer)];
      generation = std::max(generation, program.kernels[k].generation);
      written_by[static_cast<size_t>(s.buffer)] = k;
    }
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const KernelPlan& kernel = program.kernels[k];
    HARP_ASSERT(!kernel.stores.empty(), "kernel_", k, " writes nothing");
    verify_stores(kernel, k);
    for (int b : kernel.reads) {
      const Buffer& buffer = program.buffers[static_cast<size_t>(b)];
      if (buffer.kind == Buffer::Kind::kInput || buffer.kind == Buffer::Kind::kConstant) continue;
      if (buffer.bytes.is_constant(0)) continue;  // an empty buffer need not have a writer
      const int generation = written_in[static_cast<size_t>(b)];
      const bool in_chain = kernel.blocks > 0 && generation == kernel.generation && written_by[static_cast<size_t>(b)] < k;
      HARP_ASSERT(generation >= 0 && (generation < kernel.generation || in_chain), "kernel_", k, " reads ", name_of(program, b),
                  " before it is written");
    }
  }
  verify_memory(program);
}

}  // namespace harp
