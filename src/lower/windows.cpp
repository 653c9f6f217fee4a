#include "lower/windows.h"

#include <algorithm>

#include "base/text.h"
#include "lower/block_copy.h"
#include "schedule/contraction.h"
#include "schedule/contraction_blocks.h"

namespace harp::lower {

using namespace ir;

namespace {

/// Returns the index of the element of `array` that is read to compute the element of `factor` at this index; nullopt if no element or
/// several elements are read.
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

std::optional<Windows> Windows::copy(KernelContext& context, Accumulators& accumulators, const Node* factor, const Index& index,
                                     std::span<const Axis> axes, double min_reads, int simd_width, Body& body) {
  Windows windows(context);
  windows.array_ = array_below_windows(factor);
  if (windows.array_ == nullptr) return std::nullopt;
  const std::optional<Index> read = position_read(context, windows.array_, factor, index);
  if (!read) return std::nullopt;

  Ends ends;
  double elements = 1, reads = 1;
  for (const Axis& axis : axes) reads *= static_cast<double>(axis.most);
  for (Sym at : *read) {
    int64_t size = 1;
    // Along one axis of the array: `first` is the distance from the position that is read if all variables are 0 to the first position of
    // the copied box. `copied` and `wanted` are the numbers of positions that are copied, and that value() may read.
    Sym copied = 1, wanted = 1, first = 0;
    for (const Axis& axis : axes) {
      const auto along = linear_in(at, variable_of(axis.variable));
      if (!along) return std::nullopt;
      at = along->rest;
      if (!along->coefficient.is_constant()) return std::nullopt;
      int64_t step = along->coefficient.constant();
      if (step < 0) {
        // The position decreases as the variable increases, as in a transposed convolution. So the copied box begins at the position for
        // the last value of the variable.
        if (!axis.count.is_constant(axis.most) || !axis.read.is_constant(axis.most)) return std::nullopt;
        first += step * (axis.most - 1);
        step = -step;
      }
      size += step * (axis.most - 1);
      copied += step * (axis.count - 1);
      wanted += step * (axis.read - 1);
    }
    windows.origin_.push_back(at + first);
    windows.sizes_.push_back(size);
    ends.copied.push_back(copied);
    ends.read.push_back(wanted);
    elements *= static_cast<double>(size);
  }
  if (elements > static_cast<double>(kMaxCopiedWindows) || reads < min_reads * elements) return std::nullopt;

  windows.copy_ = accumulators.add_array(windows.array_->dtype, static_cast<int64_t>(elements));
  body.push_back(declare_accumulator(context.arena, windows.copy_));
  Body statements = windows.copy_box(0, windows.origin_, ends, simd_width);
  // If there are no windows, nothing may be read, because the array may be shorter than one window.
  std::optional<Sym> last;
  for (const Axis& axis : axes)
    if (!proven_at_most(1, axis.count)) last = last ? min(*last, axis.count - 1) : axis.count - 1;
  if (last && last->is_constant())  // an axis has size 0
    statements.clear();
  else if (last)
    statements = {new_if(context.arena, *last, std::move(statements))};
  body.insert(body.end(), statements.begin(), statements.end());
  return windows;
}

Stmt* Windows::copy_element(const Index& there) {
  return set_accumulator(c_->arena, copy_, position(there), c_->values.value(array_, there));
}

Body Windows::copy_rows(size_t axis, Index there, const Index& ends, int simd_width) {
  Arena& arena = c_->arena;
  std::vector<Loop*> nest;
  for (; axis < ends.size(); ++axis) {
    if (ends[axis].is_constant(1)) continue;
    nest.push_back(new_loop(arena, cat("window", axis), 0, ends[axis]));
    there[axis] = origin_[axis] + nest.back()->variable;
  }
  if (nest.empty()) return {};
  nest.back()->body = {copy_element(there)};
  for (size_t i = nest.size(); --i > 0;) nest[i - 1]->body = {nest[i]};
  Loop* outermost = collapse(arena, nest[0]);
  Loop *around = nullptr, *row = nullptr, *column = outermost;
  while (Loop* next = first_loop_in(column->body)) around = row, row = column, column = next;
  Copy* copy = proven_at_most(simd_width, column->end) ? as_block_copy(arena, row, column) : nullptr;
  if (copy == nullptr || !copy->from_stride.is_constant(1)) return {};
  if (around == nullptr) return {copy};
  around->body = {copy};
  return {outermost};
}

/// Copies elements of the box: all positions along the axes from `axis` on, for the positions `there` along the axes before it. Elements
/// that value() may read although they are not copied (Ends) are set to zero; they are read only for results that are not stored.
Body Windows::copy_box(size_t axis, Index there, const Ends& ends, int simd_width) {
  Arena& arena = c_->arena;
  bool reads_beyond = false;  // whether value() reads elements beyond the copied ones along this axis or a later one
  for (size_t later = axis; later < ends.copied.size(); ++later) reads_beyond |= ends.reads_beyond(later);
  if (!reads_beyond)
    if (Body rows = copy_rows(axis, there, ends.copied, simd_width); !rows.empty()) return rows;
  if (ends.copied[axis].is_constant(1) && !ends.reads_beyond(axis) && axis + 1 < ends.copied.size())
    return copy_box(axis + 1, there, ends, simd_width);
  Loop* loop = new_loop(arena, cat("window", axis), 0, ends.copied[axis]);
  there[axis] = origin_[axis] + loop->variable;
  Body copied;
  if (axis + 1 < ends.copied.size()) {
    loop->body = copy_box(axis + 1, there, ends, simd_width);
    copied = {loop};
  } else {
    loop->body = {copy_element(there)};
    copied = inner_loop(*c_, loop, simd_width, true);
  }
  if (!ends.reads_beyond(axis)) return copied;
  std::vector<Loop*> nest = {new_loop(arena, "beyond", ends.copied[axis], ends.read[axis])};
  there[axis] = origin_[axis] + nest.back()->variable;
  for (size_t inner = axis + 1; inner < ends.copied.size(); ++inner) {
    nest.push_back(new_loop(arena, cat("window", inner), 0, ends.read[inner]));
    there[inner] = origin_[inner] + nest.back()->variable;
  }
  nest.back()->body = {set_accumulator(arena, copy_, position(there), arena.constant(identity_of(Op::kSum, array_->dtype)))};
  for (size_t i = nest.size(); --i > 0;) nest[i - 1]->body = {nest[i]};
  copied.push_back(nest[0]);
  return copied;
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
