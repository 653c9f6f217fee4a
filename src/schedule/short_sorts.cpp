#include "schedule/short_sorts.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/build.h"
#include "graph/composites.h"
#include "opt/rewrite.h"

namespace harp {
namespace {

/// For which rows exchanges of elements pay. kMostElements: only so many elements are loaded and stored by whole vectors (kMaxShortAxis).
/// kMostExchanges: of a sort; a routine sorts eight elements in registers with fewer exchanges (f32: 0.7 of the time, 7 elements 3 times).
/// kMostOfIndices: of an argsort, whose routine is much slower (8 elements: 4 times). kFewestRows: without enough rows for vectors, a
/// routine for one row is as fast. (All measured with AVX2.)
constexpr int64_t kMostElements = 16, kMostExchanges = 24, kMostOfIndices = 32, kFewestRows = 16;

using Pieces = std::vector<const Node*>;  // the elements of sorted rows, in order: for each an array with rows of one element

/// Tests whether exchanges of elements replace this node.
bool pays(const Node& node) {
  if (node.op != Op::kSort && node.op != Op::kArgSort) return false;
  const Shape& shape = node.sources[0]->shape;
  const Dim rows = element_count(Shape(shape.begin(), shape.end() - 1)), &length = shape.back(), &kept = node.shape.back();
  if (!length.is_constant() || length.constant() < 2 || length.constant() > kMostElements || proven_less(rows, kFewestRows)) return false;
  if (!kept.is_constant() || kept.constant() < 1) return false;
  int64_t exchanges = 0;
  for (int64_t i = 1; i < length.constant(); ++i) exchanges += std::min(i, kept.constant());
  return exchanges <= (node.op == Op::kSort ? kMostExchanges : kMostOfIndices);
}

/// Returns the signed integers with this many bytes.
DType signed_with(size_t bytes) { return bytes == 1 ? DType::kI8 : bytes == 2 ? DType::kI16 : bytes == 4 ? DType::kI32 : DType::kI64; }

/// Builds the nodes that replace a sort or argsort of `graph`, or a gather that takes elements in the order that an argsort found.
class ShortSort {
 public:
  /// `taken_from` is the array from which the gather takes elements; null: there is no gather.
  ShortSort(Graph& graph, const Node& sort, const Node* taken_from = nullptr)
      : graph_(graph),
        sort_(sort),
        is_descending_(sort.op == Op::kSort && sort.as<SortAttributes>().descending),
        keys_(sort.sources[0]),
        moved_(taken_from) {
    if (sort.op != Op::kSort || !is_half(keys_->dtype)) return;  // comparisons of halves would convert them to f32
    moved_ = keys_;
    keys_ = build::argsort(moved_, -1, is_descending_)->sources[0];
  }

  Pieces run() const {
    const auto kept = static_cast<size_t>(sort_.shape.back().constant());
    std::vector<Element> sorted;
    for (int64_t i = 0; i < keys_->shape.back().constant(); ++i) {
      sorted.push_back(element(i));
      for (size_t at = sorted.size() - 1; at > 0; --at) exchange(sorted[at - 1], sorted[at]);
      if (sorted.size() > kept) sorted.pop_back();
    }
    Pieces result;
    for (const Element& each : sorted) {
      const Node* piece = each.moved != nullptr ? each.moved : each.key;
      result.push_back(finds_indices() ? build::cast(piece, sort_.dtype) : piece);
    }
    return result;
  }

 private:
  /// The elements are sorted by their keys. moved: what moves with the key: an element, or its index. Null if the key is the element.
  struct Element {
    const Node *key, *moved = nullptr;
  };

  bool finds_indices() const { return sort_.op == Op::kArgSort && moved_ == nullptr; }

  const Node* taken(const Node* from, int64_t i) const {
    Shape start(from->shape.size(), Dim(0)), size = from->shape;
    start.back() = i;
    size.back() = 1;
    return build::slice_exactly(from, start, size, std::vector<int64_t>(size.size(), 1));
  }
  Element element(int64_t i) const {
    const Node* key = taken(keys_, i);
    if (moved_ != nullptr) return {key, taken(moved_, i)};
    if (!finds_indices()) return {key};
    // an index as wide as the keys, so that a vector has as many indices as keys
    return {key, build::constant(graph_, scalar_from_int(signed_with(size_of(keys_->dtype)), i))};
  }

  /// Tests whether b comes before a: NaN is the greatest, and zeros of both signs are equal.
  const Node* is_before(const Node* b, const Node* a) const {
    if (!is_float(a->dtype)) return build::elementwise(Op::kLt, {b, a});
    const Node *low = is_descending_ ? b : a, *high = is_descending_ ? a : b;
    const Node* is_greater = build::elementwise(Op::kBitNot, {build::elementwise(Op::kLe, {low, high})});
    return build::elementwise(Op::kBitAnd, {is_greater, build::elementwise(Op::kEq, {high, high})});
  }

  /// Brings two adjacent elements into order; if they are equal, they stay.
  void exchange(Element& a, Element& b) const {
    if (a.moved == nullptr && is_int(a.key->dtype)) {
      const Node *least = build::elementwise(Op::kMin, {a.key, b.key}), *greatest = build::elementwise(Op::kMax, {a.key, b.key});
      a.key = is_descending_ ? greatest : least;
      b.key = is_descending_ ? least : greatest;
      return;
    }
    const Node* exchanges = is_before(b.key, a.key);
    for (const Node* Element::*part : {&Element::key, &Element::moved}) {
      const Node *first = a.*part, *second = b.*part;
      if (first == nullptr) continue;
      a.*part = build::elementwise(Op::kWhere, {exchanges, second, first});
      b.*part = build::elementwise(Op::kWhere, {exchanges, first, second});
    }
  }

  Graph& graph_;
  const Node& sort_;
  const bool is_descending_;
  const Node* keys_;   // what is sorted: the elements, or integers in ascending order of the elements
  const Node* moved_;  // the array whose elements move with the keys, if there is one
};

const Node* joined(const Pieces& pieces, int axis) { return pieces.size() == 1 ? pieces[0] : build::concat(pieces, axis); }

}  // namespace

std::shared_ptr<Graph> exchange_short_rows(std::shared_ptr<Graph> whole, const FusionLimits& limits) {
  const Graph& graph = *whole;
  const std::vector<const Node*> live = graph.live_nodes();
  if (limits.grid_routines || std::ranges::none_of(live, [](const Node* node) { return pays(*node); })) return whole;
  auto result = opt::without_nodes(graph);
  std::unordered_map<const Node*, Pieces> sorted;         // for each concat of the new graph that replaces a sort
  std::unordered_map<const Node*, const Node*> argsorts;  // for each node of the new graph that replaces an argsort: that argsort
  opt::rewrite_nodes(graph, live, *result, [&](const Node* node, const Node* copy) {
    const auto replaced_by = [&](Pieces pieces) {
      const Node* rows = joined(pieces, static_cast<int>(copy->shape.size()) - 1);
      if (pieces.size() > 1) sorted.emplace(rows, std::move(pieces));
      return rows;
    };
    if (pays(*node)) {
      const Node* rows = replaced_by(ShortSort(*result, *copy).run());
      if (node->op == Op::kArgSort) argsorts.emplace(rows, copy);
      return rows;
    }
    if (node->op == Op::kGather && node->as<GatherAttributes>().axis == static_cast<int>(node->shape.size()) - 1) {
      const auto found = argsorts.find(copy->sources[1]);
      if (found != argsorts.end() && found->second->sources[0]->shape == copy->sources[0]->shape)
        return replaced_by(ShortSort(*result, *found->second, copy->sources[0]).run());
    }
    // A sort along another axis than the last one: the elements are joined along that axis, instead of being permuted in memory.
    if (node->op != Op::kPermute) return copy;
    const auto found = sorted.find(copy->sources[0]);
    if (found == sorted.end()) return copy;
    const std::vector<int>& axes = node->as<PermuteAttributes>().axes;
    Pieces pieces;
    for (const Node* piece : found->second) pieces.push_back(build::permute(piece, axes));
    return joined(pieces, static_cast<int>(std::ranges::find(axes, static_cast<int>(axes.size()) - 1) - axes.begin()));
  });
  return result;
}

}  // namespace harp
