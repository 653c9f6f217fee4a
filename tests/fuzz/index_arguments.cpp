#include "fuzz/index_arguments.h"

#include <algorithm>

#include "graph/composites.h"

namespace harp::fuzz {
namespace {

constexpr DType kIntegers[] = {DType::kI32, DType::kI64, DType::kI8, DType::kU8, DType::kI16, DType::kU16, DType::kU32, DType::kU64};

class IndexChooser {
 public:
  IndexChooser(Workbench& bench, const Operation& row, NodeRef primary)
      : bench_(bench),
        random_(bench.random()),
        row_(row),
        primary_(primary),
        primary_is_index_(is_int(primary->dtype) && random_.chance(40)) {}

  std::vector<Argument> choose() {
    if (row_.name == "take") return take();
    if (row_.name == "gather_nd") return gather_nd();
    if (row_.name == "scatter_nd") return scatter_nd();
    if (primary_->rank() == 0) return mistake();
    if (row_.name == "index_add") return index_add();
    if (row_.name == "take_along_axis") return along_axis();
    std::vector<Argument> arguments = scatter();
    if (row_.name == "scatter_reduce") {
      arguments.push_back(reduction());
      arguments.push_back(Literal{Literal::kBool, false, random_.chance(50) ? "true" : "false", {}});
    }
    return arguments;
  }

 private:
  Dim some_size() { return random_.chance(10) ? Dim(0) : random_.chance(40) ? bench_.random_dim() : bench_.small_dim(1, 9); }
  Argument axis_argument(size_t axis, size_t rank) {
    const auto number = static_cast<int64_t>(axis);
    return Dim(random_.chance(30) ? number - static_cast<int64_t>(rank) : number);
  }

  std::vector<Argument> take() {
    const NodeRef x = primary_is_index_ ? bench_.array_of(bench_.random_dtype(), bench_.random_shape()) : primary_;
    const bool is_flat = x->rank() == 0 || random_.chance(15);
    const size_t axis = is_flat ? 0 : random_.below(x->shape.size());
    NodeRef indices = primary_;
    if (!primary_is_index_) {
      Shape shape;
      for (uint64_t more = random_.below(3); more > 0; --more) shape.push_back(some_size());
      indices = some_indices(bench_, shape, is_flat ? element_count(x->shape) : x->shape[axis]);
    }
    return {x, indices, is_flat ? Argument(std::monostate{}) : axis_argument(axis, x->shape.size())};
  }

  /// Arguments of gather_nd. The index tuples have one or two components.
  std::vector<Argument> gather_nd() {
    const NodeRef x =
        primary_is_index_ || primary_->rank() == 0 ? bench_.array_of(bench_.random_dtype(), {some_size(), some_size()}) : primary_;
    const auto length = static_cast<int64_t>(1 + random_.below(std::min<size_t>(x->shape.size(), 2)));
    Shape shape;
    for (uint64_t more = random_.below(3); more > 0; --more) shape.push_back(some_size());
    const bool has_batch = x->shape.size() > static_cast<size_t>(length) && random_.chance(30);
    if (has_batch) shape.insert(shape.begin(), x->shape[0]);
    shape.push_back(Dim(length));
    return {x, some_indices(bench_, shape, x->shape[has_batch ? 1 : 0]), Dim(has_batch ? 1 : 0)};
  }

  std::string reduction() {
    static constexpr std::string_view kNames[] = {"sum", "prod", "mean", "max", "min"};
    return std::string(random_.pick(kNames));
  }

  /// Arguments of scatter_nd, which updates the primary array at index tuples of one or two components.
  std::vector<Argument> scatter_nd() {
    const NodeRef x = primary_->rank() == 0 ? bench_.array_of(primary_->dtype, {some_size(), some_size()}) : primary_;
    const auto length = static_cast<int64_t>(1 + random_.below(std::min<size_t>(x->shape.size(), 2)));
    Shape tuples;
    for (uint64_t more = random_.below(3); more > 0; --more) tuples.push_back(some_size());
    Shape updates = tuples;
    updates.insert(updates.end(), x->shape.begin() + length, x->shape.end());
    tuples.push_back(Dim(length));
    return {x, some_indices(bench_, tuples, x->shape[0]), bench_.array_of(x->dtype, updates),
            random_.chance(40) ? std::string("set") : reduction()};
  }

  std::vector<Argument> along_axis() {
    const auto [axis, other] = other_length();
    const Argument along = axis_argument(axis, other.size());
    if (primary_is_index_) return {bench_.array_of(bench_.random_dtype(), other), primary_, along};
    return {primary_, some_indices(bench_, other, primary_->shape[axis]), along};
  }

  /// Arguments with a scalar as the array. A scalar has no axis, so the operation must report an error.
  std::vector<Argument> mistake() const {
    std::vector<Argument> arguments(row_.parameters().size() - 1, primary_);
    arguments.push_back(Dim(0));
    return arguments;
  }

  /// Returns a random axis of the primary array, and the shape of the array in which, usually, the length of that axis is replaced by
  /// another one.
  std::pair<size_t, Shape> other_length() {
    const size_t axis = random_.below(primary_->shape.size());
    Shape other = primary_->shape;
    if (random_.chance(70)) other[axis] = some_size();
    return {axis, std::move(other)};
  }

  /// Arguments of scatter. The primary array becomes one of the three operands: the indices, the updated array, or the updates.
  std::vector<Argument> scatter() {
    const auto [axis, other] = other_length();
    const Argument along = axis_argument(axis, other.size());
    if (primary_is_index_) {
      const DType dtype = bench_.random_dtype();
      return {bench_.array_of(dtype, other), primary_, bench_.array_of(dtype, primary_->shape), along};
    }
    const NodeRef other_operand = bench_.array_of(primary_->dtype, other);
    if (random_.chance(50)) return {primary_, some_indices(bench_, other, primary_->shape[axis]), other_operand, along};
    return {other_operand, some_indices(bench_, primary_->shape, other[axis]), primary_, along};
  }

  std::vector<Argument> index_add() {
    const auto [axis, other] = other_length();
    const Argument along = axis_argument(axis, other.size());
    const NodeRef other_operand = bench_.array_of(primary_->dtype, other);
    if (random_.chance(50)) return {primary_, some_indices(bench_, {other[axis]}, primary_->shape[axis]), other_operand, along};
    return {other_operand, some_indices(bench_, {primary_->shape[axis]}, other[axis]), primary_, along};
  }

  Workbench& bench_;
  Random& random_;
  const Operation& row_;
  NodeRef primary_;
  bool primary_is_index_;
};

}  // namespace

NodeRef some_indices(Workbench& bench, const Shape& shape, Dim length) {
  Random& random = bench.random();
  const DType dtype = random.chance(50) ? DType::kI32 : random.pick(kIntegers);
  const NodeRef any = random.chance(15) ? build::cast(bench.array_of(DType::kF32, shape), dtype) : bench.array_of(dtype, shape);
  if (random.chance(50)) return any;
  // Takes the indices modulo a number that is close to the length of the axis, so that many indices are valid and some are near the end of
  // the axis.
  const int64_t around = std::clamp<int64_t>(bench.estimate(length) + random.between(-1, 3), 1, 100);
  const NodeRef most = build::constant(bench.graph(), scalar_from_int(dtype, around));
  const NodeRef within = build::elementwise(Op::kRem, {any, most});
  return random.chance(50) ? within : build::sub(within, build::constant(bench.graph(), scalar_from_int(dtype, around / 2)));
}

/// Arguments of a binary search. The searched array need not be sorted, because the semantics defines the result for any array.
std::vector<Argument> search_arguments(Workbench& bench, NodeRef primary) {
  Random& random = bench.random();
  NodeRef among = bench.array_of(primary->dtype, {random.chance(50) ? bench.random_dim() : bench.small_dim(0, 9)});
  if (random.chance(70)) among = build::sort(among, 0, false);
  return {among, primary, std::string(random.chance(50) ? "left" : "right")};
}

/// Returns the arguments of topk. k is at most the length of the axis.
std::vector<Argument> topk_arguments(Workbench& bench, NodeRef primary) {
  Random& random = bench.random();
  const Literal largest{Literal::kBool, false, random.chance(50) ? "true" : "false", {}};
  if (primary->rank() == 0) return {primary, Dim(1), Dim(0), largest};  // a scalar has no axis, so the operation must report an error
  const size_t axis = random.below(primary->shape.size());
  const Dim size = primary->shape[axis];
  const Dim k = random.chance(30) ? size : min(size, bench.small_dim(0, 5));
  return {primary, k, Dim(static_cast<int64_t>(axis)), largest};
}

std::optional<std::vector<Argument>> index_arguments(Workbench& bench, const Operation& row, NodeRef primary) {
  if (primary != nullptr && row.name == "searchsorted") return search_arguments(bench, primary);
  if (primary != nullptr && row.name == "topk") return topk_arguments(bench, primary);
  const auto parameters = row.parameters();
  const bool has_indices =
      std::any_of(parameters.begin(), parameters.end(), [](const Parameter& p) { return p.kind == ParameterKind::kIndices; });
  if (primary == nullptr || !has_indices) return std::nullopt;
  return IndexChooser(bench, row, primary).choose();
}

}  // namespace harp::fuzz
