#include "fuzz/workbench.h"

#include <algorithm>

#include "base/text.h"
#include "fuzz/input_data.h"
#include "graph/composites.h"
#include "ir/hidden_constants.h"

namespace harp::fuzz {
namespace {

constexpr int64_t kMaxElements = 24'000;       // maximum number of elements of a node, computed with medium values of the shape variables
constexpr int64_t kMaxLargeElements = 90'000;  // the maximum for graphs with large axes (WorkbenchOptions::large_axes)
// the maximum for constant arrays, which is lower because the text of the graph contains their elements
constexpr int64_t kMaxConstantElements = 8'000;
constexpr int64_t kMiddlingVariable = 19;

constexpr int64_t kUsualSizes[] = {1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 18, 24, 31, 33};
constexpr int64_t kRareSizes[] = {32, 48, 63, 64, 65, 70, 100, 127, 129, 130, 200};
constexpr int64_t kLargeSizes[] = {255, 256, 257, 300, 511, 513, 1000, 4095, 4096, 4097, 4160, 8193, 12289, 65537, 70001};

/// A constant array with at least this many elements is passed to generated code as an additional argument (a hidden input), not written
/// into the source. Real and imaginary parts are separate arrays.
int64_t least_hidden(DType dtype) { return static_cast<int64_t>(ir::kMaxConstantText / size_of(real_dtype(dtype))) + 1; }

}  // namespace

const std::vector<DType>& graph_dtypes() {
  static const std::vector<DType> dtypes = [] {
    std::vector<DType> found;
    for (int i = 0; i < kDTypeCount; ++i)
      if (kDTypes[i].in_graph) found.push_back(static_cast<DType>(i));
    return found;
  }();
  return dtypes;
}

Workbench::Workbench(uint64_t seed, WorkbenchOptions options)
    : random_(seed, "graph"),
      options_(options),
      graph_(std::make_unique<Graph>(GraphOptions{options.broadcast, options.promote_mixed ? Promotion::kMixed : Promotion::kNone},
                                     cat("seed_", seed))) {
  for (int i = 0; i < options.variables; ++i) {
    const int64_t lo = random_.chance(60) ? 0 : random_.between(1, 4);
    const int64_t hi = random_.chance(70) ? 4096 : random_.chance(50) ? INT32_MAX : random_.between(lo + 20, lo + 100);
    variables_.push_back(graph_->dims().variable(i == 0 ? "n" : "m", lo, hi));
  }
}

std::optional<Dim> Workbench::random_variable() {
  if (variables_.empty()) return std::nullopt;
  return random_.pick(variables_);
}

Dim Workbench::random_dim() {
  if (!variables_.empty() && random_.chance(45)) {
    const Dim n = random_.pick(variables_), m = random_.pick(variables_);
    switch (random_.below(12)) {
      // harp can determine n from an axis of size a * n + b even if no other size contains n
      case 0: return random_.between(2, 5) * n + random_.between(0, 3);
      case 1: return floor_div(n, 2);
      case 2: return n + 1;
      case 3: return n + m;
      case 4: return Dim(2) * n;
      case 5: return ceil_div(n, random_.between(2, 5));
      case 6: return random_.chance(50) ? max(n - random_.between(1, 3), 0) : n - random_.between(1, 3);
      default: return n;
    }
  }
  const uint64_t kind = random_.below(100);
  if (kind < (options_.empty_axes ? 20u : 2u)) return 0;
  if (kind < 32) return 1;
  if (kind < 38 && options_.large_axes) return random_.pick(kLargeSizes);
  return kind < 92 ? random_.pick(kUsualSizes) : random_.pick(kRareSizes);
}

Shape Workbench::random_shape() {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const int rank = static_cast<int>(std::min<uint64_t>(random_.below(static_cast<uint64_t>(options_.max_rank) + 1),
                                                         random_.below(static_cast<uint64_t>(options_.max_rank) + 1) + 1));
    Shape shape;
    for (int i = 0; i < rank; ++i) shape.push_back(random_dim());
    if (options_.large_axes && rank > 0 && attempt < 20 && random_.chance(50))
      shape[random_.below(shape.size())] = random_.pick(kLargeSizes);
    if (estimated_count(shape) <= (options_.large_axes ? kMaxLargeElements : kMaxElements / 8)) return shape;
  }
  return {3, 5};
}

int64_t Workbench::estimate(Dim dim) const {
  return evaluate(dim, [&](const SymAtom& variable) { return std::clamp(kMiddlingVariable, variable.range.lo, variable.range.hi); });
}

int64_t Workbench::estimated_count(const Shape& shape) const {
  int64_t count = 1;
  for (const Dim dim : shape) {
    const int64_t size = estimate(dim);
    if (size < 0) return -1;
    if (__builtin_mul_overflow(count, size, &count)) return INT64_MAX;
  }
  return count;
}

bool Workbench::keep(NodeRef node) {
  const int64_t count = estimated_count(node->shape);
  if (count < 0 || count > (options_.large_axes ? kMaxLargeElements : kMaxElements)) return false;
  if (node->rank() > options_.max_rank + 2) return false;
  if (std::find(nodes_.begin(), nodes_.end(), node) == nodes_.end()) nodes_.push_back(node);
  return true;
}

bool Workbench::want(NodeRef node) {
  if (!keep(node)) return false;
  if (node->op != Op::kInput) wanted_.insert(node);
  return true;
}

bool Workbench::keep_any(const std::vector<NodeRef>& nodes) {
  bool kept = false;
  for (const NodeRef node : nodes) kept |= keep(node);
  return kept;
}

NodeRef Workbench::find(const std::function<bool(NodeRef)>& wanted) {
  std::vector<NodeRef> found;
  for (const NodeRef node : nodes_)
    if (wanted(node)) found.push_back(node);
  if (found.empty()) return nullptr;
  const size_t newest = std::min<size_t>(found.size(), 4);
  return random_.chance(60) ? found[found.size() - 1 - random_.below(newest)] : random_.pick(found);
}

Scalar Workbench::random_scalar(DType dtype) {
  if (is_bool(dtype)) return Scalar::of(dtype, static_cast<uint8_t>(random_.below(2)));
  if (random_.chance(35)) return random_.pick(special_values(dtype));
  if (is_int(dtype)) return scalar_from_int(dtype, random_.between(-5, 12));
  if (is_complex(dtype)) {
    const Scalar re = random_scalar(real_dtype(dtype));
    return complex_scalar(re, random_scalar(real_dtype(dtype)));
  }
  return scalar_from_double(dtype, random_.chance(40) ? static_cast<double>(random_.between(-3, 4)) : random_.unit() * 6 - 3);
}

NodeRef Workbench::new_input(DType dtype, const Shape& shape) {
  const NodeRef input = graph_->add_input(cat(prefix_, inputs_++), dtype, shape);
  keep(input);
  return input;
}

NodeRef Workbench::new_array(DType dtype, const Shape& shape) {
  const bool is_static = std::all_of(shape.begin(), shape.end(), [](Dim dim) { return dim.is_constant(); });
  const uint64_t kind = random_.below(20);
  const auto is_large_constant = [&] {
    const int64_t count = estimated_count(shape);
    return options_.large_constants && kind < 8 && count >= least_hidden(dtype) && count <= kMaxConstantElements;
  };
  NodeRef made = nullptr;
  if (kind == 0) {
    made = build::full(*graph_, shape, random_scalar(dtype));
  } else if (is_static && ((kind == 1 && estimated_count(shape) <= 64) || is_large_constant())) {
    made = constant_array(dtype, shape);
  } else if (kind == 2) {
    made = build::cast(build::reshape(build::arange(*graph_, element_count(shape)), shape), dtype);
  } else {
    return new_input(dtype, shape);
  }
  keep(made);
  return made;
}

NodeRef Workbench::constant_array(DType dtype, const Shape& shape) {
  return build::constant_array(*graph_, dtype, shape, make_input(random_.next(), "constant", dtype, estimated_count(shape)));
}

NodeRef Workbench::new_large_constant(DType dtype) {
  const int64_t least = least_hidden(dtype);
  Shape shape = {least + random_.between(0, 300)};
  if (random_.chance(70)) {
    const int64_t rows = random_.between(2, 70);
    shape = {rows, (least + rows - 1) / rows + random_.between(0, 7)};
  }
  const NodeRef made = constant_array(dtype, shape);
  keep(made);
  return made;
}

NodeRef Workbench::new_leaf(Op op, DType dtype) {
  switch (op) {
    case Op::kConstant: return build::constant(*graph_, random_scalar(dtype));
    case Op::kArange: return build::arange(*graph_, random_dim());
    case Op::kSize: return build::size(*graph_, random_dim());
    case Op::kConstantArray: {
      Shape shape;
      for (uint64_t i = 0, rank = random_.below(3); i < rank; ++i) shape.push_back(small_dim(1, 6));
      return constant_array(dtype, shape);
    }
    default: return new_input(dtype, random_shape());
  }
}

NodeRef Workbench::array_of(DType dtype, const Shape& shape) {
  if (random_.chance(75))
    if (const NodeRef same = find([&](NodeRef n) { return n->dtype == dtype && n->shape == shape; })) return same;
  if (random_.chance(50))
    if (const NodeRef other = find([&](NodeRef n) { return n->shape == shape && (is_complex(dtype) || !is_complex(n->dtype)); }))
      return build::cast(other, dtype);
  return new_array(dtype, shape);
}

}  // namespace harp::fuzz
