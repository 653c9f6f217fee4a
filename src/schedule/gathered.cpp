#include "schedule/gathered.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace harp {
namespace {

constexpr int kMaxNodes = 64;                       // maximum number of nodes of an expression that computes indices
constexpr int64_t kMaxConstant = int64_t{1} << 40;  // largest constant in an index, so that no sum of constants and sizes overflows 64 bits

bool is_small_constant(const Node& node) {
  const Scalar& value = node.as<ConstantAttributes>().value;
  return value.dtype == DType::kI64 && std::abs(value.as<int64_t>() / 2) <= kMaxConstant / 2;
}

}  // namespace

bool are_positions(const Node& indices) {
  std::vector<const Node*> stack = {&indices};
  for (int visited = 0; !stack.empty(); ++visited) {
    const Node& node = *stack.back();
    stack.pop_back();
    if (visited == kMaxNodes) return false;
    switch (node.op) {
      case Op::kArange:
      case Op::kSize: continue;
      case Op::kConstant:
        if (!is_small_constant(node)) return false;
        continue;
      case Op::kCast:
        if (node.dtype != DType::kI64 || node.sources[0]->op != Op::kArange) return false;
        continue;
      case Op::kReshape:
      case Op::kPermute:
      case Op::kExpand:
      // A separate kernel checks the indices and reports those outside the axis.
      case Op::kCheckIndex: break;
      case Op::kNeg:
      case Op::kAdd:
      case Op::kMin:
      case Op::kMax:
      case Op::kRem:
        if (node.dtype != DType::kI64) return false;
        break;
      default: return false;
    }
    stack.insert(stack.end(), node.sources.begin(), node.sources.end());
  }
  return true;
}

std::vector<const Node*> computed_values(const Program& program, const KernelPlan& kernel) {
  std::vector<const Node*> nodes = computed_nodes(program, kernel);
  std::unordered_set<const Node*> used(kernel.reduces.begin(), kernel.reduces.end());
  used.insert(kernel.scans.begin(), kernel.scans.end());
  for (const StorePlan& store : kernel.stores) used.insert(store.node);
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {  // visits users before their sources
    if (!used.contains(*at)) continue;
    const bool reads_positions = (*at)->op == Op::kGather && are_positions(*(*at)->sources[1]);
    for (const Node* operand : operands_of(**at).first(reads_positions ? 1 : operands_of(**at).size())) used.insert(operand);
  }
  std::erase_if(nodes, [&](const Node* node) { return !used.contains(node); });
  return nodes;
}

std::optional<Gathered> gathered(const Node& gather, const std::function<bool(const Node*)>& lies_in_memory) {
  std::vector<const Node*> chain = {gather.sources[0]};
  while (is_movement(chain.back()->op) && chain.back()->op != Op::kPad) chain.push_back(chain.back()->sources[0]);
  const std::span<const Node* const> nodes = chain;
  const auto axis = static_cast<size_t>(gather.as<GatherAttributes>().axis);
  // Find the deepest node of which the gather's source is a view, whether or not that node is in memory.
  size_t depth = nodes.size();
  std::optional<View> deepest = view_through(nodes);
  for (; !deepest; deepest = view_through(nodes.first(depth))) --depth;  // the loop ends, because each node is a view of itself
  if (deepest->shape[axis].is_constant(1) || deepest->strides[axis].is_constant(0)) return std::nullopt;
  for (size_t i = 0; i + 1 < depth; ++i) {
    if (!lies_in_memory(nodes[i])) continue;
    if (std::optional<View> view = view_through(nodes.first(i + 1))) return Gathered{nodes[i], *std::move(view)};
  }
  return Gathered{nodes[depth - 1], *std::move(deepest)};
}

}  // namespace harp
