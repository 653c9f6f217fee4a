#include "schedule/symmetric_product.h"

#include <numeric>
#include <utility>
#include <vector>

#include "schedule/law.h"

namespace harp {
namespace {

// At most this many pairs of nodes are compared. Factors that need more comparisons count as different.
constexpr int kMostPairs = 64;
constexpr int kNoAxis = -1;

/// A node that a product reads. `axes`: for each axis of the node, the axis of the product that gives the index along it; kNoAxis if the
/// axis has size 1.
struct Reading {
  const Node* node;
  std::vector<int> axes;
};

/// Follows a reading down through permutes, expands, and reshapes that only add or remove axes of size 1. Returns the reading of the node
/// below these views.
Reading below_views(Reading reading) {
  for (;;) {
    const Node& node = *reading.node;
    for (size_t i = 0; i < node.shape.size(); ++i)
      if (node.shape[i].is_constant(1)) reading.axes[i] = kNoAxis;
    if (node.op != Op::kPermute && node.op != Op::kExpand && node.op != Op::kReshape) return reading;
    const Node& source = *node.sources[0];
    if (node.op == Op::kReshape && squeezed(node.shape) != squeezed(source.shape)) return reading;
    std::vector<int> axes(source.shape.size(), kNoAxis);
    size_t next = 0;  // for a reshape: the first axis of the node that no axis of the source corresponds to yet
    for (size_t i = 0; i < axes.size(); ++i) {
      if (node.op == Op::kPermute) {
        axes[static_cast<size_t>(node.as<PermuteAttributes>().axes[i])] = reading.axes[i];
      } else if (node.op == Op::kExpand) {
        if (source.shape[i] == node.shape[i]) axes[i] = reading.axes[i];
      } else if (!source.shape[i].is_constant(1)) {
        while (node.shape[next].is_constant(1)) ++next;
        axes[i] = reading.axes[next++];
      }
    }
    reading = {&source, std::move(axes)};
  }
}

class Comparison {
 public:
  /// Tests whether both readings have the same elements at each index of the product.
  bool are_same(Reading a, Reading b) {
    if (pairs_++ == kMostPairs) return false;
    a = below_views(std::move(a)), b = below_views(std::move(b));
    if (a.node == b.node) return a.axes == b.axes;
    if (a.node->op == Op::kReshape && b.node->op == Op::kReshape) return are_same_reshapes(std::move(a), std::move(b));
    if (!is_elementwise(a.node->op) || a.node->op != b.node->op || a.node->dtype != b.node->dtype) return false;
    if (!(a.node->attributes == b.node->attributes) || a.node->sources.size() != b.node->sources.size()) return false;
    for (size_t i = 0; i < a.node->sources.size(); ++i)
      if (!are_same(source_of(a, i), source_of(b, i))) return false;
    return true;
  }

 private:
  /// Tests, for two reshapes that join or split axes, whether both readings have the same elements at each index of the product. Axes of
  /// size 1 make no difference.
  static bool are_same_reshapes(Reading a, Reading b) {
    for (Reading* each : {&a, &b}) std::erase(each->axes, kNoAxis);
    return a.node->sources[0] == b.node->sources[0] && squeezed(a.node->shape) == squeezed(b.node->shape) && a.axes == b.axes;
  }
  /// Returns the reading of an operand of an elementwise node: a scalar, or an array of the node's shape.
  static Reading source_of(const Reading& reading, size_t number) {
    const Node* source = reading.node->sources[number];
    return {source, source->rank() == 0 ? std::vector<int>() : reading.axes};
  }

  int pairs_ = 0;
};

}  // namespace

bool is_symmetric(const Node& reduce, const Contraction& contraction) {
  const Shape& shape = reduce.sources[0]->shape;
  const Node &row_factor = *contraction.row_factor, &column_factor = *contraction.column_factor;
  if (!contraction.rows || shape[*contraction.rows] != shape[contraction.columns]) return false;
  if (row_factor.shape != shape || column_factor.shape != shape) return false;
  std::vector<int> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  std::vector<int> exchanged = axes;
  std::swap(exchanged[*contraction.rows], exchanged[contraction.columns]);
  return Comparison().are_same({&row_factor, std::move(axes)}, {&column_factor, std::move(exchanged)});
}

bool may_compute_half(const Node& reduce, const Contraction& contraction) {
  if (!contraction.rows || contraction.group_position || contraction.is_output_transposed()) return false;
  if (ceil_div(term_count(reduce), kChainBlock).is_constant(1)) return false;
  for (const Node* factor : {contraction.row_factor, contraction.column_factor})
    if (array_below_windows(factor) != nullptr) return false;
  return is_symmetric(reduce, contraction);
}

}  // namespace harp
