#include "lower/windows.h"

#include <algorithm>

#include "base/text.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kMostElements = int64_t{1} << 17;  // of a box
constexpr double kLeastReads = 2;                    // of each element

/// The positions of `array` that the value of `factor` at this index reads: nothing if not one alone.
std::optional<Index> position_read(KernelContext& c, const Node* array, const Node* factor, const Index& index) {
  std::optional<Index> found;
  bool alone = true;
  c.values.bind(array, 0, [&](const Index& at) {
    alone = alone && (!found || *found == at);
    found = at;
    return Sym(0);
  });
  c.values.value(factor, index);
  c.values.release(array);
  return alone ? found : std::nullopt;
}

}  // namespace

const Node* Windows::array_below(const Node* factor) {
  const Node* array = nullptr;
  for (const Node* node = factor; is_movement(node->op) && node->op != Op::kPad; node = node->sources[0])
    if (node->op == Op::kUnfold) array = node->sources[0];
  return array != nullptr && !is_half(array->dtype) && !is_bool(array->dtype) ? array : nullptr;
}

std::optional<Windows> Windows::copy(KernelContext& context, Accumulators& accumulators, const Node* factor, const Index& index,
                                     std::span<const Axis> axes, int simd_width, Body& body) {
  Windows windows(context);
  windows.array_ = array_below(factor);
  if (windows.array_ == nullptr) return std::nullopt;
  const std::optional<Index> read = position_read(context, windows.array_, factor, index);
  if (!read) return std::nullopt;

  Index ends;  // of what is read, from the origin
  double elements = 1, reads = 1;
  for (const Axis& axis : axes) reads *= static_cast<double>(axis.most);
  for (Sym at : *read) {
    int64_t size = 1;
    Sym end = 1;
    for (const Axis& axis : axes) {
      const auto along = linear_in(at, variable_of(axis.variable));
      if (!along || !along->coefficient.is_constant() || along->coefficient.constant() < 0) return std::nullopt;
      const int64_t step = along->coefficient.constant();
      size += step * (axis.most - 1);
      end += step * (axis.count - 1);
      at = along->rest;
    }
    windows.origin_.push_back(at);
    windows.sizes_.push_back(size);
    ends.push_back(end);
    elements *= static_cast<double>(size);
  }
  if (elements > static_cast<double>(kMostElements) || reads < kLeastReads * elements) return std::nullopt;

  windows.copy_ = accumulators.add_array(windows.array_->dtype, static_cast<int64_t>(elements));
  body.push_back(declare_accumulator(context.arena, windows.copy_));
  std::vector<Stmt*> nest;
  Index there = windows.origin_;
  for (size_t axis = 0; axis < ends.size(); ++axis) {
    if (ends[axis].is_constant(1) && axis + 1 < ends.size()) continue;
    nest.push_back(new_loop(context.arena, cat("window", axis), 0, ends[axis]));
    there[axis] += nest.back()->variable;
  }
  const UOp* value = context.values.value(windows.array_, there);
  Stmt* inner = nest.back();
  inner->body = {set_accumulator(context.arena, windows.copy_, windows.position(there), value)};
  Body statements = finish_inner_loop(context, inner, simd_width, true);
  // What is read beyond the end, for columns that are not stored, is some number that was copied before, or zero.
  const int64_t size = windows.sizes_.back();
  if (!proven_at_most(size, ends.back())) {
    Stmt* beyond = new_loop(context.arena, "beyond", ends.back(), size);
    Index at = there;
    at.back() = windows.origin_.back() + beyond->variable;
    beyond->body = {set_accumulator(context.arena, windows.copy_, windows.position(at),
                                    context.arena.constant(identity_of(Op::kSum, windows.array_->dtype)))};
    statements.push_back(beyond);
  }
  for (size_t i = nest.size() - 1; i-- > 0;) {
    nest[i]->body = std::move(statements);
    statements = {nest[i]};
  }
  // Of no window nothing is read: the array may be shorter than one.
  Sym last = 0;
  for (const Axis& axis : axes)
    if (!proven_at_most(1, axis.count)) last = last.is_constant() ? axis.count - 1 : min(last, axis.count - 1);
  if (!last.is_constant()) {
    Stmt* is_any = context.arena.statement(StmtKind::kIf);
    is_any->condition = last;
    is_any->body = std::move(statements);
    statements = {is_any};
  }
  body.insert(body.end(), statements.begin(), statements.end());
  return windows;
}

Sym Windows::position(const Index& index) const {
  Sym result = 0;
  for (size_t axis = 0; axis < index.size(); ++axis) result = result * sizes_[axis] + (index[axis] - origin_[axis]);
  return result;
}

const UOp* Windows::value(const Node* factor, const Index& index) const {
  c_->values.bind(array_, copy_, [this](const Index& at) { return position(at); });
  const UOp* result = c_->values.value(factor, index);
  c_->values.release(array_);
  return result;
}

}  // namespace harp::lower
