// Walks both shapes from the first axis on and multiplies the sizes so far. Whenever the two products are equal, the axes since the
// previous such point belong together: the reshape splits or joins only these axes.
#include "schedule/reshaped_axes.h"

#include "graph/build.h"

namespace harp {
namespace {

/// Tests whether `joined` is a product that begins with the factors of `parts`, so that more parts are needed. Of the sizes 17 and 17 n
/// neither is proven the smaller one, because n may be 0.
bool needs_more_parts(Dim parts, Dim joined) {
  return proven_at_most(parts, joined) || (!joined.is_constant() && build::exact_quotient(joined, parts));
}

}  // namespace

std::optional<std::vector<size_t>> joined_axes(const Node& reshape, size_t axis) {
  const Shape &to = reshape.shape, &from = reshape.sources[0]->shape;
  size_t t = 0, f = 0;
  while (t < to.size()) {
    const size_t t0 = t, f0 = f;
    Dim joined = to[t++], parts = 1;
    while (f < from.size() && !(parts == joined)) {
      parts *= from[f++];
      while (!(parts == joined) && t < to.size() && !needs_more_parts(parts, joined)) joined *= to[t++];
    }
    if (!(parts == joined)) return std::nullopt;
    if (axis < t0 || axis >= t) continue;
    for (size_t i = t0; i < t; ++i)
      if (i != axis && !to[i].is_constant(1)) return std::nullopt;
    std::vector<size_t> axes;
    for (size_t i = f0; i < f; ++i)
      if (!from[i].is_constant(1)) axes.push_back(i);
    return axes;
  }
  return std::nullopt;
}

}  // namespace harp
