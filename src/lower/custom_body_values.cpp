// Lowers the expressions and the local arrays of the body of a custom function.
#include "lower/custom_body_values.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "graph/index_fault.h"
#include "lower/accumulate.h"
#include "schedule/body_lanes.h"

namespace harp::lower {

using namespace ir;

BodyValues::BodyValues(ValueBuilder& values, ir::Kernel& kernel, const Node& node, const Index& index, ir::Body* statements,
                       const Lanes& lanes)
    : values_(values),
      arena_(values.arena()),
      program_(values.program()),
      kernel_(kernel),
      node_(node),
      body_(*node.as<CustomAttributes>().body),
      index_(index),
      lanes_(lanes),
      statements_(statements),
      variables_(body_.variables.size(), nullptr),
      arrays_(body_.variables.size(), -1),
      positions_(node, index) {
  if (has_lanes()) {
    std::optional<BodyLanes> in_lanes = lanes_of_body(node);
    HARP_ASSERT(in_lanes, "vectors cannot compute the elements of this custom function");
    indices_ = std::move(in_lanes->indices);
  } else if (!body_.sites.empty()) {
    indices_ = indices_of_body(node);
  } else {
    indices_.is_position.resize(body_.variables.size());
  }
}

const UOp* BodyValues::value(int expression, const UOp* mask) {
  const BodyExpression& e = at(expression);
  ++cost_;
  switch (e.kind) {
    case BodyKind::kConstant: return arena_.constant(e.value);
    case BodyKind::kPosition: return arena_.index(index_[static_cast<size_t>(e.axis)]);
    case BodyKind::kSize: return arena_.index(positions_.size_of_axis(e));
    case BodyKind::kVariable:
      if (const auto& position = positions_.of_variable(e.variable)) return arena_.index(position->value);
      return variables_[static_cast<size_t>(e.variable)];
    case BodyKind::kLoad: return load(e, mask);
    case BodyKind::kElement: return element(e, mask);
    case BodyKind::kApply: break;
  }
  if (const UOp* compared = has_lanes() ? comparison(e) : nullptr) return compared;
  std::vector<const UOp*> operands;
  for (const int operand : e.operands) operands.push_back(value(operand, mask));
  if (e.op == Op::kCast) return arena_.cast(e.dtype, operands[0]);
  return arena_.apply(e.op, e.dtype, std::move(operands));
}

Sym BodyValues::position_of(int index) const {
  const std::optional<BodyPosition> at = positions_.of(index);
  HARP_ASSERT(at, "an index that is proven to be inside its array is a position, but this one is not");
  return at->value;
}

const UOp* BodyValues::comparison(const BodyExpression& e) {
  if (e.op != Op::kLt && e.op != Op::kLe) return nullptr;
  const std::optional<BodyPosition> a = positions_.of(e.operands[0]), b = positions_.of(e.operands[1]);
  const std::optional<BodyPosition> more = a && b ? BodyPositions::difference(*b, *a) : std::nullopt;
  if (!more || !linear_in(more->value, variable_of(lanes_.at))) return nullptr;
  return arena_.in_range(e.op == Op::kLt ? more->value - 1 : more->value);
}

const UOp* BodyValues::load(const BodyExpression& e, const UOp* mask) {
  if (has_lanes()) return load_in_lanes(e, mask);
  const Node* array = node_.sources[static_cast<size_t>(e.array)];
  Index known;             // the index along the axes on which it is provably in range; 0 along the other axes
  std::vector<int> sites;  // for each axis: the site that identifies the check of the index; -1: the index is provably in range
  int next_site = e.site;
  for (size_t axis = 0; axis < e.operands.size(); ++axis) {
    const int site = e.is_inside[axis] ? -1 : next_site++;
    const bool is_known = site < 0 || is_inside(site);
    known.push_back(is_known ? position_of(e.operands[axis]) : Sym(0));
    sites.push_back(is_known ? -1 : site);
  }
  if (std::all_of(sites.begin(), sites.end(), [](int site) { return site < 0; })) return values_.value(array, known, mask);

  HARP_ASSERT(statements_ != nullptr, "an index check inside an expression");
  const UOp *place = nullptr, *allowed = mask;
  Sym stride = 1;
  std::vector<Sym> strides(e.operands.size());
  for (size_t axis = e.operands.size(); axis-- > 0;) strides[axis] = stride, stride = stride * array->shape[axis];
  for (size_t axis = 0; axis < e.operands.size(); ++axis) {
    if (sites[axis] < 0) continue;
    const UOp* index = checked(e.operands[axis], sites[axis], arena_.index(array->shape[axis]), mask, allowed);
    const bool is_last = strides[axis].is_constant(1);
    const UOp* part = is_last ? index : arena_.apply(Op::kMul, DType::kI64, {index, arena_.index(strides[axis])});
    place = place == nullptr ? part : arena_.apply(Op::kAdd, DType::kI64, {place, part});
  }
  note_fault(allowed, mask);
  const int buffer = values_.parameter(program_.buffer_of.at(array), false);
  return arena_.gather(e.dtype, buffer, flatten(known, array->shape), place, 1, allowed);
}

const UOp* BodyValues::load_in_lanes(const BodyExpression& e, const UOp* mask) {
  const auto first = indices_.inside.begin() + e.site;
  const bool is_always_inside = std::all_of(first, first + std::count(e.is_inside.begin(), e.is_inside.end(), false),
                                            [](Inside inside) { return inside == Inside::kAlways; });
  HARP_ASSERT(is_always_inside || mask != nullptr, "a load at an index that is inside its array only in a branch, but there is no branch");
  Index index;
  bool is_in_lane = false;  // whether the index depends on the lane
  for (const int operand : e.operands) {
    index.push_back(position_of(operand));
    is_in_lane = is_in_lane || depends_on(index.back(), variable_of(lanes_.at));
  }
  const UOp* allowed = both(is_in_lane ? lanes_.inside : nullptr, is_always_inside ? nullptr : mask);
  return values_.value(node_.sources[static_cast<size_t>(e.array)], index, allowed);
}

const UOp* BodyValues::checked(int expression, int site, const UOp* size, const UOp* mask, const UOp*& allowed) {
  const UOp *zero = constant(0), *number = value(expression, mask);
  const int first = first_site(program_.sites, &node_);
  const UOp* index = kept(accumulator(arena_.check(first + site, flatten(index_, node_.shape), number, zero, size, mask)));
  allowed = both(allowed, arena_.apply(Op::kLe, DType::kBool, {zero, index}));
  allowed = both(allowed, arena_.apply(Op::kLt, DType::kBool, {index, size}));
  return index;
}

void BodyValues::note_fault(const UOp* allowed, const UOp* mask) {
  if (failed_ < 0) return;
  const UOp* inside = allowed;  // true where the index is in range, or (added below) where the mask is false, so that the index is not
                                // checked
  if (mask != nullptr) inside = arena_.apply(Op::kBitOr, DType::kBool, {inside, negated(mask)});
  keep(failed_, arena_.apply(Op::kWhere, DType::kI32, {inside, kept(failed_), flag(1)}));
}

void BodyValues::clear(int variable) {
  const auto array = static_cast<size_t>(variable);
  const DType dtype = held_as(body_.variables[array]);
  const int64_t length = body_.lengths[array] * lanes_.count;  // with lanes, each element is a vector
  kernel_.accumulators.push_back({.type = {dtype, 1},
                                  .count = length,
                                  .combine = Op::kAdd,
                                  .init = scalar_from_int(dtype, 0),
                                  .space = length <= kMaxRegisterElements ? Space::kRegister : Space::kStack});
  arrays_[array] = static_cast<int>(kernel_.accumulators.size()) - 1;
  statements_->push_back(declare_accumulator(arena_, arrays_[array], nullptr));
  cost_ += static_cast<double>(body_.lengths[array]);
}

BodyValues::Place BodyValues::place(int variable, int index, int site, const UOp* mask) {
  const int array = arrays_[static_cast<size_t>(variable)];
  if (site < 0 || is_inside(site)) return {array, position_of(index) * lanes_.count + lanes_.at, mask};
  const int64_t length = body_.lengths[static_cast<size_t>(variable)];
  const UOp* allowed = mask;
  const UOp* number = checked(index, site, constant(length), mask, allowed);
  note_fault(allowed, mask);
  auto* define = arena_.statement<Define>();
  define->value = arena_.apply(Op::kWhere, DType::kI64, {allowed, number, constant(0)});
  define->variable = arena_.syms().loop("at", 0, length);
  return {array, define->variable, allowed, define};
}

void BodyValues::put(const Place& at, Stmt* statement) {
  if (at.define != nullptr) at.define->body = {statement};
  statements_->push_back(at.define != nullptr ? at.define : statement);
}

void BodyValues::store(const BodyStatement& s, const UOp* mask) {
  const Place at = place(s.variable, s.index, s.site, mask);
  const DType dtype = dtype_of(at.array);
  const UOp* stored = arena_.cast(dtype, value(s.value, mask));
  if (at.allowed != nullptr) stored = arena_.apply(Op::kWhere, dtype, {at.allowed, stored, arena_.acc(dtype, at.array, at.index)});
  Stmt* set = set_accumulator(arena_, at.array, at.index, stored);
  put(at, has_lanes() ? in_each_lane(arena_, lanes_, {set}) : set);
}

const UOp* BodyValues::element(const BodyExpression& e, const UOp* mask) {
  const Place at = place(e.variable, e.operands[0], e.is_inside[0] ? -1 : e.site, mask);
  const DType dtype = dtype_of(at.array);
  const UOp* found = arena_.acc(dtype, at.array, at.index);
  if (at.define == nullptr) return arena_.cast(e.dtype, kept(accumulator(found)));
  const UOp* zero = arena_.constant(scalar_from_int(dtype, 0));
  const int read = accumulator(zero);
  put(at, set_accumulator(arena_, read, 0, arena_.apply(Op::kWhere, dtype, {at.allowed, found, zero})));
  return arena_.cast(e.dtype, kept(read));
}

DType BodyValues::held_as(DType dtype) const {
  if (is_bool(dtype)) return has_lanes() ? DType::kBool : DType::kI32;
  return dtype == DType::kUnknown ? dtype : info(dtype).computes_in;
}

int BodyValues::new_accumulator(DType dtype, int64_t count) {
  kernel_.accumulators.push_back({{dtype, 1}, count, Op::kAdd, scalar_from_int(dtype, 0)});
  return static_cast<int>(kernel_.accumulators.size()) - 1;
}

std::vector<int> BodyValues::accumulators(const std::vector<const UOp*>& values) {
  std::vector<int> numbers;
  for (const UOp* value : values) {
    numbers.push_back(new_accumulator(value->type.dtype, lanes_.count));
    statements_->push_back(declare_accumulator(arena_, numbers.back(), has_lanes() ? nullptr : value));
  }
  if (has_lanes()) keep(numbers, values);
  return numbers;
}

void BodyValues::keep(const std::vector<int>& numbers, const std::vector<const UOp*>& values) {
  Body sets;
  for (size_t i = 0; i < numbers.size(); ++i) sets.push_back(set_accumulator(arena_, numbers[i], lanes_.at, values[i]));
  if (has_lanes() && !sets.empty()) sets = {in_each_lane(arena_, lanes_, std::move(sets))};
  statements_->insert(statements_->end(), sets.begin(), sets.end());
}

void BodyValues::keep_changed(const std::vector<int>& numbers, const std::vector<const UOp*>& values) {
  auto* group = arena_.statement<StoreGroup>();
  for (size_t i = 0; i < numbers.size(); ++i)
    if (values[i] != kept(numbers[i])) group->body.push_back(set_accumulator(arena_, numbers[i], lanes_.at, values[i]));
  if (group->body.empty()) return;
  Stmt* const sets = group->body.size() > 1 ? group : group->body[0];
  statements_->push_back(has_lanes() ? in_each_lane(arena_, lanes_, {sets}) : sets);
}

const UOp* BodyValues::both(const UOp* a, const UOp* b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  return arena_.apply(Op::kBitAnd, DType::kBool, {a, b});
}

}  // namespace harp::lower
