#include "schedule/bounded_by_arrays.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "base/visits.h"

namespace harp {
namespace {

constexpr int64_t kTypicalSize = 4096;
// The search for arrays visits at most this many nodes. A kernel that computes more nodes is divided later (FusionLimits::ops), so the
// value is assumed to be bounded by what is stored then.
constexpr size_t kMostNodes = 1000;

}  // namespace

int64_t most_bytes(const Node& node) {
  const auto size = static_cast<int64_t>(size_of(node.dtype));
  const int64_t count = range(element_count(node.shape)).hi;
  return count <= std::numeric_limits<int64_t>::max() / size ? count * size : std::numeric_limits<int64_t>::max();
}

double typical_count(const Shape& shape) {
  double count = 1;
  try {
    for (const Dim& dim : shape) {
      const int64_t size =
          evaluate(dim, [](const SymAtom& variable) { return std::clamp(kTypicalSize, variable.range.lo, variable.range.hi); });
      count *= static_cast<double>(std::max<int64_t>(size, 1));
    }
  } catch (const Error&) {  // a size has more than 64 bits
    return std::numeric_limits<double>::infinity();
  }
  return count;
}

bool is_bounded_by_arrays(const Node& root, const std::function<bool(const Node*)>& is_stored, const MemoryBound& most) {
  if (most_bytes(root) <= most.bytes) return true;
  double uncovered = typical_count(root.shape);  // the number of elements for which no array has been found yet
  std::vector<const Node*> stack = {&root};
  std::unordered_set<const Node*> seen = {&root};
  while (uncovered > 0 && !stack.empty() && seen.size() <= kMostNodes) {
    const Node* node = stack.back();
    stack.pop_back();
    if (node->op == Op::kInput || node->op == Op::kConstantArray || is_stored(node)) {
      uncovered -= most.times * typical_count(node->shape);
      continue;
    }
    for (const Node* source : node->sources)
      if (seen.insert(source).second) stack.push_back(source);
  }
  count_visits(root.graph->dims(), seen.size());
  return uncovered <= 0 || seen.size() > kMostNodes;
}

}  // namespace harp
