#include "opt/simplify_algebra.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "opt/rewrite.h"

namespace harp::opt {
namespace {

bool is_exact_kind(DType dtype) { return is_int(dtype) || is_bool(dtype); }

/// True if every element is this integer (for bool: 0 or 1). False for every float array.
bool is_integer(const Node* node, int64_t value) {
  const Scalar* scalar = is_exact_kind(node->dtype) ? uniform_value(node) : nullptr;
  return scalar != nullptr && *scalar == scalar_from_int(node->dtype, value);
}
/// True if every element has the same bits as this float, including the sign of a zero. False for every integer array.
bool is_exactly(const Node* node, double value) {
  const Scalar* scalar = is_float(node->dtype) ? uniform_value(node) : nullptr;
  return scalar != nullptr && *scalar == scalar_from_double(node->dtype, value);
}
bool is_one(const Node* node) { return is_integer(node, 1) || is_exactly(node, 1.0); }
/// True if adding this node to x gives x for every x. For floats only -0.0 does: (-0) + (+0) is +0.
bool adds_nothing(const Node* node) { return is_integer(node, 0) || is_exactly(node, -0.0); }
/// True if every bit of every element is set; for bool, if every element is true.
bool is_all_ones(const Node* node) { return is_bool(node->dtype) ? is_integer(node, 1) : is_integer(node, -1); }

const Node* integer(Graph& graph, const Node* like, int64_t value) {
  return uniform(graph, scalar_from_int(like->dtype, value), like->shape);
}

/// If one source is the neutral element of the operation (x + 0, x * 1), returns the other source in the node's shape; else the node.
template <bool (*changes_nothing)(const Node*)>
const Node* drop_neutral(Graph& graph, const Node* node) {
  const Node *a = node->sources[0], *b = node->sources[1];
  if (changes_nothing(b)) return stretched(graph, a, node->shape);
  if (info(node->op).flags & kCommutes && changes_nothing(a)) return stretched(graph, b, node->shape);
  return node;
}

/// For ops with op(op(x)) = x. Returns x if the node has this form, else the node.
const Node* drop_pair(Graph&, const Node* node) {
  const Node* inner = node->sources[0];
  return inner->op == node->op ? inner->sources[0] : node;
}

/// For ops with x op x = x. Returns x if the two operands are equal, else the node.
const Node* drop_same(Graph& graph, const Node* node) {
  const Node* x = node->sources[0];
  return is_exact_kind(x->dtype) && x == node->sources[1] ? stretched(graph, x, node->shape) : node;
}

/// If one source alone determines the result (x * 0, x & 0, x | ~0), returns that source in the node's shape; else the node.
template <bool (*decides)(const Node*)>
const Node* keep_deciding(Graph& graph, const Node* node) {
  for (const Node* source : node->sources)
    if (decides(source)) return stretched(graph, source, node->shape);
  return node;
}
bool is_zero_integer(const Node* node) { return is_integer(node, 0); }
bool is_one_integer(const Node* node) { return is_integer(node, 1); }

/// For ops that give the same constant `value` for any two equal operands. Returns that constant if the operands are equal, else the node.
template <int64_t value>
const Node* known_if_same(Graph& graph, const Node* node) {
  const Node* x = node->sources[0];
  return is_exact_kind(x->dtype) && x == node->sources[1] ? integer(graph, node, value) : node;
}

/// Returns 0 for x % 1; else the node.
const Node* remainder_of_one(Graph& graph, const Node* node) { return is_integer(node->sources[1], 1) ? integer(graph, node, 0) : node; }

/// Removes a shift if its count is a multiple of the number of bits of the dtype, because counts are taken modulo that number.
const Node* shift_by_nothing(Graph& graph, const Node* node) {
  const Scalar* count = uniform_value(node->sources[1]);
  const uint64_t width = 8 * size_of(node->dtype);
  return count != nullptr && count->bits[0] % width == 0 ? stretched(graph, node->sources[0], node->shape) : node;
}

/// Simplifies a comparison of bools with a constant: b == true and b != false become b; b == false and b != true become not b.
template <bool neutral>
const Node* compare_with_bool(Graph& graph, const Node* node) {
  for (int k = 0; k < 2; ++k) {
    const Node *x = node->sources[k], *constant = node->sources[1 - k];
    if (!is_bool(x->dtype)) return node;
    if (is_integer(constant, neutral)) return stretched(graph, x, node->shape);
    if (is_integer(constant, !neutral)) return graph.intern(Op::kBitNot, DType::kBool, node->shape, {stretched(graph, x, node->shape)});
  }
  return node;
}

/// Returns the number of bits n such that the dtype can represent every integer from 0 to 2^n - 1.
int whole_bits(DType dtype) {
  if (dtype == DType::kF16) return 11;
  if (dtype == DType::kBF16) return 8;
  if (is_float(dtype)) return dtype == DType::kF32 ? 24 : 53;
  return 8 * static_cast<int>(size_of(dtype)) - (is_signed_int(dtype) ? 1 : 0);
}
/// True if `to` can represent every value of `from`. A cast from `from` to `to` can then be undone or skipped.
bool is_lossless(DType from, DType to) {
  if (from == to || is_bool(from)) return true;
  if (is_bool(to)) return false;
  if (is_float(from)) return is_float(to) && size_of(from) < size_of(to);
  return whole_bits(from) <= whole_bits(to) && (is_float(to) || is_signed_int(to) || !is_signed_int(from));
}
const Node* cast_once(Graph& graph, const Node* node) {
  const Node* inner = node->sources[0];
  if (inner->dtype == node->dtype) return inner;
  if (inner->op != Op::kCast) return node;
  const Node* x = inner->sources[0];
  if (!is_lossless(x->dtype, inner->dtype)) return node;
  // A cast from float to integer saturates, but a cast from integer to integer wraps, so the two differ for values that do not fit.
  const bool saturates = is_int(x->dtype) && is_float(inner->dtype) && is_int(node->dtype);
  if (saturates && !is_lossless(x->dtype, node->dtype)) return node;
  return x->dtype == node->dtype ? x : graph.intern(Op::kCast, node->dtype, node->shape, {x});
}

const Node* choose(Graph& graph, const Node* node) {
  const Node *condition = node->sources[0], *yes = node->sources[1], *no = node->sources[2];
  if (yes == no) return stretched(graph, yes, node->shape);
  if (is_integer(condition, 1)) return stretched(graph, yes, node->shape);
  if (is_integer(condition, 0)) return stretched(graph, no, node->shape);
  if (is_bool(node->dtype) && is_integer(yes, 1) && is_integer(no, 0)) return stretched(graph, condition, node->shape);
  return node;
}

bool is_plus_zero(const Node* node) { return is_integer(node, 0) || is_exactly(node, 0.0); }

/// Returns the axis along which a pad adds zeros. Returns nothing if it pads several axes, or with another value.
std::optional<size_t> zero_padded_axis(const Node* node) {
  if (node->op != Op::kPad || is_complex(node->dtype)) return std::nullopt;
  const auto& [before, after, value] = node->as<PadAttributes>();
  if (!(value == scalar_from_int(node->dtype, 0))) return std::nullopt;
  std::optional<size_t> axis;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i].is_constant(0) && after[i].is_constant(0)) continue;
    if (axis) return std::nullopt;
    axis = i;
  }
  return axis;
}

/// Returns x + 0. This is x, except that -0 becomes +0.
const Node* plus_zero(Graph& graph, const Node* x) {
  if (is_exact_kind(x->dtype) || (x->op == Op::kAdd && is_plus_zero(x->sources[1]))) return x;
  const Node* zero = graph.intern(Op::kConstant, x->dtype, {}, {}, ConstantAttributes{scalar_from_int(x->dtype, 0)});
  return graph.intern(Op::kAdd, x->dtype, x->shape, {x, zero});
}

/// If two arrays are padded with zeros so that the elements of one follow those of the other, their sum is a concat: pad(a) + pad(b) =
/// pad(concat(a + 0, b + 0)). The gradient of an array that was split is such a sum.
const Node* join_parts(Graph& graph, const Node* node) {
  const Node *first = node->sources[0], *second = node->sources[1];
  const std::optional<size_t> axis = zero_padded_axis(first);
  if (!axis || zero_padded_axis(second) != axis) return node;
  const auto end_of = [&](const Node* pad) { return pad->as<PadAttributes>().before[*axis] + pad->sources[0]->shape[*axis]; };
  if (end_of(second) == first->as<PadAttributes>().before[*axis]) std::swap(first, second);
  if (end_of(first) != second->as<PadAttributes>().before[*axis]) return node;
  std::vector<const Node*> parts;
  for (const Node* x : {first->sources[0], second->sources[0]}) {
    if (x->op == Op::kConcat && x->as<ConcatAttributes>().axis == static_cast<int>(*axis)) {
      for (const Node* source : x->sources) parts.push_back(plus_zero(graph, source));
    } else {
      parts.push_back(plus_zero(graph, x));
    }
  }
  PadAttributes around = first->as<PadAttributes>();
  around.after = second->as<PadAttributes>().after;
  Shape shape = node->shape;
  shape[*axis] = end_of(second) - around.before[*axis];
  const Node* joined =
      graph.intern(Op::kConcat, node->dtype, std::move(shape), std::move(parts), ConcatAttributes{static_cast<int>(*axis)});
  if (around.before[*axis].is_constant(0) && around.after[*axis].is_constant(0)) return joined;
  return graph.intern(Op::kPad, node->dtype, node->shape, {joined}, std::move(around));
}

/// The sum of x * 1 is the sum of x: acc = fma(x, 1, acc) has the same bits as acc + x. The order of the sum does not change.
const Node* sum_of_one(Graph& graph, const Node* node) {
  ReduceAttributes attributes = node->as<ReduceAttributes>();
  if (!attributes.product) return node;
  const Node* mul = node->sources[0];
  const Node* x = drop_neutral<is_one>(graph, mul);
  if (x == mul) return node;
  attributes.product = false;
  return graph.intern(Op::kSum, node->dtype, node->shape, {x}, std::move(attributes));
}

/// Returns a bound on the absolute value of an element of this dtype; nothing if the dtype has more than 16 bits or is a float.
std::optional<int64_t> bound_of_narrow(DType dtype) {
  if (is_bool(dtype)) return 1;
  if (!is_int(dtype) || size_of(dtype) > sizeof(int16_t)) return std::nullopt;
  return int64_t{1} << (8 * size_of(dtype) - (is_signed_int(dtype) ? 1 : 0));
}

/// A sum of bools or of 8-bit or 16-bit integers in i64 or u64 is computed in i32 if even the sum of the largest elements fits i32. A
/// vector then holds twice as many elements, and the result is the same.
const Node* sum_of_narrow(Graph& graph, const Node* node) {
  const Node* wide = node->sources[0];
  if (!is_int(node->dtype) || size_of(node->dtype) != sizeof(int64_t) || wide->op != Op::kCast) return node;
  const std::optional<int64_t> bound = bound_of_narrow(wide->sources[0]->dtype);
  if (!bound) return node;
  Dim terms = 1;
  for (const int axis : node->as<ReduceAttributes>().axes) terms = terms * wide->shape[static_cast<size_t>(axis)];
  if (!terms.is_constant() || terms.constant() > std::numeric_limits<int32_t>::max() / *bound) return node;
  const Node* narrow = graph.intern(Op::kCast, DType::kI32, wide->shape, {wide->sources[0]});
  const Node* sum = graph.intern(Op::kSum, DType::kI32, node->shape, {narrow}, node->attributes);
  return graph.intern(Op::kCast, node->dtype, node->shape, {sum});
}

/// Replaces each source whose elements are all equal by a scalar constant. At least one source must still have the node's shape.
const Node* use_scalars(Graph& graph, const Node* node) {
  std::vector<const Node*> sources = node->sources;
  bool has_shape = false, changed = false;
  for (const Node*& source : sources) {
    const Scalar* value = source->rank() > 0 ? uniform_value(source) : nullptr;
    if (value != nullptr) source = graph.intern(Op::kConstant, value->dtype, {}, {}, ConstantAttributes{*value});
    changed |= value != nullptr;
    has_shape |= source->rank() > 0;
  }
  return changed && has_shape ? graph.intern(node->op, node->dtype, node->shape, std::move(sources), node->attributes) : node;
}

struct AlgebraRule {
  Op op;
  Rule rule;
};
/// The rules for an op are tried in the order of this table. After the first rule that changes the node, the result is simplified again.
constexpr AlgebraRule kRules[] = {
    {Op::kNeg, drop_pair},
    {Op::kBitNot, drop_pair},
    {Op::kAdd, drop_neutral<adds_nothing>},
    {Op::kAdd, join_parts},
    {Op::kMul, drop_neutral<is_one>},
    {Op::kMul, keep_deciding<is_zero_integer>},
    {Op::kSum, sum_of_one},
    {Op::kSum, sum_of_narrow},
    {Op::kIdiv, drop_neutral<is_one_integer>},
    {Op::kRem, remainder_of_one},
    {Op::kFmod, remainder_of_one},
    {Op::kMax, drop_same},
    {Op::kMin, drop_same},
    {Op::kLt, known_if_same<0>},
    {Op::kLe, known_if_same<1>},
    {Op::kEq, known_if_same<1>},
    {Op::kEq, compare_with_bool<true>},
    {Op::kNe, known_if_same<0>},
    {Op::kNe, compare_with_bool<false>},
    {Op::kBitAnd, drop_same},
    {Op::kBitAnd, keep_deciding<is_zero_integer>},
    {Op::kBitAnd, drop_neutral<is_all_ones>},
    {Op::kBitOr, drop_same},
    {Op::kBitOr, keep_deciding<is_all_ones>},
    {Op::kBitOr, drop_neutral<is_zero_integer>},
    {Op::kBitXor, known_if_same<0>},
    {Op::kBitXor, drop_neutral<is_zero_integer>},
    {Op::kShl, shift_by_nothing},
    {Op::kShr, shift_by_nothing},
    {Op::kWhere, choose},
    {Op::kCast, cast_once},
};

constexpr size_t kMaxRulesPerOp = 3;
/// The rules of kRules, grouped by op. The list of each op ends with a null pointer.
constexpr auto kRulesOf = [] {
  std::array<std::array<Rule, kMaxRulesPerOp + 1>, kOpCount> rules{};
  std::array<size_t, kOpCount> count{};
  for (const AlgebraRule& row : kRules) {
    const int op = static_cast<int>(row.op);
    if (count[op] == kMaxRulesPerOp) throw "an op has more rules than kMaxRulesPerOp";
    rules[op][count[op]++] = row.rule;
  }
  return rules;
}();

const Node* simplify(Graph& graph, const Node* node) {
  for (const Rule rule : kRulesOf[static_cast<int>(node->op)]) {
    if (rule == nullptr) break;
    const Node* simpler = rule(graph, node);
    if (simpler != node) return simpler;
  }
  return info(node->op).family == Family::kElementwise ? use_scalars(graph, node) : node;
}

}  // namespace

/// A rule for two operands applies only if the operands are equal, one of them is a constant, or both are pads. This test is cheaper than
/// trying the rules.
bool may_simplify_algebra(const Node& node) {
  const bool has_rule = kRulesOf[static_cast<int>(node.op)][0] != nullptr;
  if (has_rule && (info(node.op).family != Family::kElementwise || node.sources.size() != 2)) return true;
  if (has_rule && node.sources[0] == node.sources[1]) return true;
  if (node.op == Op::kAdd && zero_padded_axis(node.sources[0]) && zero_padded_axis(node.sources[1])) return true;
  if (info(node.op).family != Family::kElementwise) return false;
  return std::ranges::any_of(node.sources, [](const Node* source) { return uniform_value(source) != nullptr; });
}

std::unique_ptr<Graph> simplify_algebra(const Graph& graph) { return rewrite(graph, simplify); }

}  // namespace harp::opt
