#include "lower/windows.h"

#include <algorithm>

#include "base/text.h"
#include "lower/block_copy.h"
#include "schedule/contraction.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kMaxElements = int64_t{1} << 17;  // maximum number of elements of a copied box
// Minimum number of times that each element is read, on average, for which a copy is faster.
constexpr double kMinReads = 2;

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
                                     std::span<const Axis> axes, int simd_width, Body& body) {
  Windows windows(context);
  windows.array_ = array_below_windows(factor);
  if (windows.array_ == nullptr) return std::nullopt;
  const std::optional<Index> read = position_read(context, windows.array_, factor, index);
  if (!read) return std::nullopt;

  Index ends;                      // for each axis of the array: the end of the part of the box that is read, relative to the origin
  std::vector<bool> reads_beyond;  // for each axis of the array: whether results that are not stored may read positions from the end on
  double elements = 1, reads = 1;
  for (const Axis& axis : axes) reads *= static_cast<double>(axis.most);
  for (Sym at : *read) {
    int64_t size = 1;
    Sym end = 1;
    bool is_along_first = false;
    for (const Axis& axis : axes) {
      const auto along = linear_in(at, variable_of(axis.variable));
      if (!along || !along->coefficient.is_constant() || along->coefficient.constant() < 0) return std::nullopt;
      const int64_t step = along->coefficient.constant();
      is_along_first |= step != 0 && &axis == axes.data();
      size += step * (axis.most - 1);
      end += step * (axis.count - 1);
      at = along->rest;
    }
    windows.origin_.push_back(at);
    windows.sizes_.push_back(size);
    ends.push_back(end);
    reads_beyond.push_back(is_along_first && !proven_at_most(size, end));
    elements *= static_cast<double>(size);
  }
  if (elements > static_cast<double>(kMaxElements) || reads < kMinReads * elements) return std::nullopt;

  windows.copy_ = accumulators.add_array(windows.array_->dtype, static_cast<int64_t>(elements));
  body.push_back(declare_accumulator(context.arena, windows.copy_));
  Body statements = windows.copy_box(0, windows.origin_, ends, reads_beyond, simd_width);
  // If the block has no windows, nothing may be read, because the array may be shorter than one window.
  Sym last = 0;
  for (const Axis& axis : axes)
    if (!proven_at_most(1, axis.count)) last = last.is_constant() ? axis.count - 1 : min(last, axis.count - 1);
  if (!last.is_constant()) statements = {new_if(context.arena, last, std::move(statements))};
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

/// Copies the elements of the box that are at index `there` along the axes before `axis`, for all positions along the other axes. Positions
/// beyond the end of the box along the first variable are set to zero; only results that are not stored use them.
Body Windows::copy_box(size_t axis, Index there, const Index& ends, const std::vector<bool>& reads_beyond, int simd_width) {
  Arena& arena = c_->arena;
  if (std::none_of(reads_beyond.begin() + static_cast<std::ptrdiff_t>(axis), reads_beyond.end(), [](bool on) { return on; }))
    if (Body rows = copy_rows(axis, there, ends, simd_width); !rows.empty()) return rows;
  if (ends[axis].is_constant(1) && !reads_beyond[axis] && axis + 1 < ends.size())
    return copy_box(axis + 1, there, ends, reads_beyond, simd_width);
  Loop* loop = new_loop(arena, cat("window", axis), 0, ends[axis]);
  there[axis] = origin_[axis] + loop->variable;
  Body copied;
  if (axis + 1 < ends.size()) {
    loop->body = copy_box(axis + 1, there, ends, reads_beyond, simd_width);
    copied = {loop};
  } else {
    loop->body = {copy_element(there)};
    copied = inner_loop(*c_, loop, simd_width, true);
  }
  if (!reads_beyond[axis]) return copied;
  std::vector<Loop*> nest = {new_loop(arena, "beyond", ends[axis], sizes_[axis])};
  there[axis] = origin_[axis] + nest.back()->variable;
  for (size_t inner = axis + 1; inner < ends.size(); ++inner) {
    nest.push_back(new_loop(arena, cat("window", inner), 0, sizes_[inner]));
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
