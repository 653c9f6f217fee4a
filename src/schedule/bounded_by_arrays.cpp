#include "schedule/bounded_by_arrays.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "base/visits.h"

namespace harp {
namespace {

constexpr int64_t kTypicalSize = 256;
// The search for arrays visits at most this many nodes. A kernel that computed more nodes would be divided anyway (FusionLimits::ops).
constexpr size_t kMostNodes = 1000;

/// Returns the number of elements if each shape variable has the value kTypicalSize, or the nearest one within its bounds. The numbers of
/// two arrays tell which one is larger for most sizes, where a proof would depend on extreme sizes such as 0.
double typical_count(const Shape& shape) {
  double count = 1;
  try {
    for (const Dim& dim : shape)
      count *= static_cast<double>(
          evaluate(dim, [](const SymAtom& variable) { return std::clamp(kTypicalSize, variable.range.lo, variable.range.hi); }));
  } catch (const Error&) {  // a size has more than 64 bits
    return std::numeric_limits<double>::infinity();
  }
  return count;
}

}  // namespace

bool is_bounded_by_arrays(const Node& root, const std::function<bool(const Node*)>& is_stored, const MemoryBound& most) {
  if (range(element_count(root.shape)).hi <= most.bytes / static_cast<int64_t>(size_of(root.dtype))) return true;
  double missing = typical_count(root.shape);
  std::vector<const Node*> stack = {&root};
  std::unordered_set<const Node*> seen = {&root};
  while (missing > 0 && !stack.empty() && seen.size() <= kMostNodes) {
    const Node* node = stack.back();
    stack.pop_back();
    if (node->op == Op::kInput || node->op == Op::kConstantArray || is_stored(node)) {
      missing -= most.times * typical_count(node->shape);
      continue;
    }
    for (const Node* source : node->sources)
      if (seen.insert(source).second) stack.push_back(source);
  }
  count_visits(root.graph->dims(), seen.size());
  return missing <= 0;
}

}  // namespace harp
