#include "graph/reshaped_axis.h"

#include <span>

namespace harp {

std::optional<int> reshaped_axis(const Shape& from, const Shape& to, int axis) {
  const std::span<const Dim> above = to, below = from;
  const auto at = static_cast<size_t>(axis);
  const Dim before = product(above.first(at)), after = product(above.subspan(at + 1));
  if (above[at].is_constant(1) || (before * after).is_constant(0)) return std::nullopt;
  for (size_t i = 0; i < below.size(); ++i)
    if (below[i] == above[at] && product(below.first(i)) == before && product(below.subspan(i + 1)) == after) return static_cast<int>(i);
  return std::nullopt;
}

}  // namespace harp
