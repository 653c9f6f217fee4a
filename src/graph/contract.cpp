#include "graph/contract.h"

#include <algorithm>

#include "base/error.h"
#include "graph/check.h"
#include "graph/complex.h"
#include "graph/composites.h"

namespace harp::build {
namespace {

bool contains(const Labels& labels, int label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }
int axis_of(const Labels& labels, int label) { return static_cast<int>(std::find(labels.begin(), labels.end(), label) - labels.begin()); }
Dim size_of_label(const Labelled& x, int label) { return x.node->shape[static_cast<size_t>(axis_of(x.labels, label))]; }

/// Removes the axes of x that have size 1 and are broadcast to the size of the other array. The product stays the same, because x does not
/// vary along such an axis. Every axis that remains has its full size.
void drop_stretched(Labelled& x, const Labelled& other) {
  std::vector<int> dropped;
  Labels kept;
  for (size_t axis = 0; axis < x.labels.size(); ++axis) {
    const int label = x.labels[axis];
    const bool stretches =
        x.node->shape[axis].is_constant(1) && contains(other.labels, label) && !size_of_label(other, label).is_constant(1);
    if (stretches)
      dropped.push_back(static_cast<int>(axis));
    else
      kept.push_back(label);
  }
  x = {squeeze(x.node, dropped), std::move(kept)};
}

/// Sums x over the labels for which `is_summed` is true. reduce() chooses the order of the sum.
template <class Predicate>
void sum_over(Labelled& x, Predicate is_summed) {
  std::vector<int> axes;
  Labels kept;
  for (size_t axis = 0; axis < x.labels.size(); ++axis) {
    if (is_summed(x.labels[axis]))
      axes.push_back(static_cast<int>(axis));
    else
      kept.push_back(x.labels[axis]);
  }
  x = {reduce(Op::kSum, x.node, axes, false), std::move(kept)};
}

NodeRef in_order(const Labelled& x, const Labels& order) {
  std::vector<int> axes;
  for (const int label : order)
    if (contains(x.labels, label)) axes.push_back(axis_of(x.labels, label));
  return permute(x.node, axes);
}

/// Reorders the axes of x to this order, and broadcasts x along the axes that it does not have.
NodeRef spread(const Labelled& x, const Labels& order, const Shape& shape) {
  Shape own;
  for (size_t i = 0; i < order.size(); ++i) own.push_back(contains(x.labels, order[i]) ? shape[i] : Dim(1));
  return expand(reshape(in_order(x, order), std::move(own)), shape);
}

/// Returns the product a · b, with one axis for each label of `order`.
NodeRef product(std::string_view op, const Labelled& a, const Labelled& b, const Labels& order) {
  HARP_CHECK(order.size() <= static_cast<size_t>(kMaxRank), Code::kShape, op, ": ", label(a.node), " and ", label(b.node), " have ",
             order.size(), " different axes together; at most ", kMaxRank, " are allowed");
  Shape shape;
  for (const int l : order) shape.push_back(size_of_label(contains(a.labels, l) ? a : b, l));
  const NodeRef left = spread(a, order, shape);
  return elementwise(Op::kMul, {left, spread(b, order, shape)});
}

}  // namespace

NodeRef chain_of_products(std::string_view op, const Labelled& a, const Labelled& b, const Labels& result) {
  if (is_complex(a.node->dtype))
    return sum_of_products(a.node, b.node, [&](NodeRef x, NodeRef y) {
      return chain_of_products(op, {x, a.labels}, {y, b.labels}, result);
    });
  Labels summed;
  for (const int label : a.labels)
    if (!contains(result, label)) summed.push_back(label);
  Labels order = result;
  order.insert(order.end() - 1, summed.begin(), summed.end());  // inserts the summed labels before the last label of the result
  std::vector<int> axes;
  for (const int label : summed) axes.push_back(axis_of(order, label));
  const NodeRef products = product(op, a, b, order);
  return reduce_exactly(Op::kSum, products, {std::move(axes), ReduceOrder::kChain, is_float(products->dtype)});
}

NodeRef chain_of_products_by_channels(std::string_view op, const Labelled& a, const Labelled& b, const Labels& result) {
  // The channels are inserted into the other labels of the result at `begin`: after the last label that both arrays have (a batch or a
  // group), or, if they have none in common, where the first channel is in `result`.
  Labels channels, others;
  size_t begin = 0;
  for (const int label : result) {
    const bool is_channel = !contains(b.labels, label);
    if (!is_channel && contains(a.labels, label)) begin = others.size() + 1;
    if (is_channel && channels.empty() && begin == 0) begin = others.size();
    (is_channel ? channels : others).push_back(label);
  }
  if (channels.size() < 2) return chain_of_products(op, a, b, result);
  const auto with_channels = [&](Labels labels, size_t at, std::span<const int> inserted) {
    labels.insert(labels.begin() + static_cast<std::ptrdiff_t>(at), inserted.begin(), inserted.end());
    return labels;
  };
  Labels rest;
  for (const int label : a.labels)
    if (!contains(channels, label)) rest.push_back(label);
  Shape sizes, merged;
  for (const int label : channels) sizes.push_back(size_of_label(a, label));
  merged.push_back(element_count(sizes));
  for (const int label : rest) merged.push_back(size_of_label(a, label));
  const std::span<const int> first_channel = std::span(channels).first(1);
  const Labelled by_channels = {reshape(in_order(a, with_channels(rest, 0, channels)), std::move(merged)),
                                with_channels(rest, 0, first_channel)};

  const NodeRef sum = chain_of_products(op, by_channels, b, with_channels(others, begin, first_channel));
  Shape split = sum->shape;
  split.erase(split.begin() + static_cast<std::ptrdiff_t>(begin));
  split.insert(split.begin() + static_cast<std::ptrdiff_t>(begin), sizes.begin(), sizes.end());
  return in_order({reshape(sum, std::move(split)), with_channels(others, begin, channels)}, result);
}

NodeRef contract(Labelled x, const Labels& result) {
  sum_over(x, [&](int label) { return !contains(result, label); });
  return in_order(x, result);
}

NodeRef contract(std::string_view op, Labelled a, Labelled b, const Labels& result) {
  // Half-precision operands are cast first, so that sums taken before the product are not rounded to half precision.
  if (const DType dtype = a.node->dtype; is_half(dtype)) {
    a.node = cast(a.node, working_dtype(dtype));
    b.node = cast(b.node, working_dtype(dtype));
    return cast(contract(op, std::move(a), std::move(b), result), dtype);
  }
  drop_stretched(a, b);
  drop_stretched(b, a);
  sum_over(a, [&](int label) { return !contains(result, label) && !contains(b.labels, label); });
  sum_over(b, [&](int label) { return !contains(result, label) && !contains(a.labels, label); });

  const bool is_summed = std::any_of(a.labels.begin(), a.labels.end(), [&](int label) { return !contains(result, label); });
  if (!is_summed) return product(op, a, b, result);
  if (is_complex(a.node->dtype))
    return sum_of_products(a.node, b.node, [&](NodeRef x, NodeRef y) { return contract(op, {x, a.labels}, {y, b.labels}, result); });

  auto has_own = [](const Labelled& x, const Labelled& other) {
    return std::any_of(x.labels.begin(), x.labels.end(), [&](int label) { return !contains(other.labels, label); });
  };
  // If each factor has an axis that the other one lacks, as in a matrix product, this is a contraction. Its sum always has the order
  // ReduceOrder::kChain.
  if (has_own(a, b) && has_own(b, a)) return chain_of_products(op, a, b, result);
  // Otherwise one array has all labels. The other array is broadcast to its shape, and reduce() chooses the order of the sum.
  const Labels order = has_own(b, a) ? b.labels : a.labels;
  return contract({product(op, a, b, order), order}, result);
}

}  // namespace harp::build
