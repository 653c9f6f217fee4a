#include "lower/gpu/staged_factor.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/error.h"
#include "ir/group_accesses.h"
#include "ir/walk.h"
#include "schedule/product_tiles.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kAccessBytes = 16;  // size of the widest access of a thread

int64_t elements_of_access(DType dtype) { return kAccessBytes / static_cast<int64_t>(size_of(dtype)); }

}  // namespace

StagedFactor::StagedFactor(KernelContext& context, DType dtype, const Sizes& sizes, Element element)
    : c_(context),
      arena_(context.arena),
      dtype_(dtype),
      sizes_(sizes),
      element_(std::move(element)),
      elements_(sizes.tile * sizes.step / sizes.threads) {
  choose_runs();
  // With this padding, threads that write several terms of a few lanes at the same time write to different banks of shared memory.
  pitch_ = sizes.tile + (sizes.padding > 0 ? sizes.padding : runs_along_terms_ ? elements_of_access(dtype) : 0);
  shared_ = static_cast<int>(c_.kernel.accumulators.size());
  c_.kernel.accumulators.push_back({.type = {dtype, 1},
                                    // number of elements for two stages; declare() sets the actual number of stages
                                    .count = 2 * sizes.step * pitch_,
                                    .init = identity_of(Op::kSum, dtype),
                                    .space = Space::kShared,
                                    .is_row = true});
}

/// Chooses the direction of runs. A run consists of the elements that a thread may load by one access: consecutive terms or lanes,
/// depending on the direction in which the factor is contiguous in memory. If it is contiguous in neither direction, a run is a single
/// element, and neighbouring threads load neighbouring lanes.
void StagedFactor::choose_runs() {
  run_ = std::min(elements_of_access(dtype_), elements_);
  const Sym lane = arena_.syms().loop("lane", 0, std::max<int64_t>(1, range(sizes_.lanes).hi)),
            step = arena_.syms().loop("step", 0, std::max<int64_t>(1, range(ceil_div(sizes_.terms, sizes_.step)).hi)),
            term = arena_.syms().loop("term", 0, sizes_.step);
  const auto is_contiguous = [](Sym index, Sym along) {
    const auto linear = linear_in(index, variable_of(along));
    return linear && linear->coefficient.is_constant(1);
  };
  bool along_terms = false, along_lanes = false;
  for_each_uop({element_(lane, step, term, nullptr)}, [&](const UOp* u) {
    if (u->kind != UKind::kLoad) return;
    along_terms |= is_contiguous(u->index, term);
    const bool is_aligned = alignment_of(substitute(u->index, {{variable_of(lane), lane * run_}}), run_).has_value();
    along_lanes |= is_contiguous(u->index, lane) && mask_of(u) == nullptr && is_aligned;
  });
  runs_along_terms_ = along_terms;
  is_contiguous_ = along_terms || along_lanes;
  if (!is_contiguous_) run_ = 1;
}

Stmt* StagedFactor::declare(int64_t stages) {
  c_.kernel.accumulators[static_cast<size_t>(shared_)].count = stages * sizes_.step * pitch_;
  return declare_accumulator(arena_, shared_);
}

StagedFactor::Position StagedFactor::position(Sym thread, Sym run, Sym element) const {
  const Sym number = run * sizes_.threads + thread, of_row = (runs_along_terms_ ? sizes_.step : sizes_.tile) / run_;
  const Sym along = mod(number, of_row) * run_ + element, across = floor_div(number, of_row);
  return runs_along_terms_ ? Position{across, along} : Position{along, across};
}

Body StagedFactor::each_run(const std::function<Body(Sym run)>& make) const {
  if (elements_ == run_) return make(0);
  Loop* run = new_loop(arena_, "run", 0, elements_ / run_, LoopKind::kUnroll);
  run->body = make(run->variable);
  return {run};
}

bool StagedFactor::can_copy_async(Sym tile) const {
  const int64_t length = elements_of_copy(), bytes = length * static_cast<int64_t>(size_of(dtype_));
  if (!is_contiguous_ || (bytes != 4 && bytes != 8 && bytes != kAccessBytes)) return false;
  SymTable& syms = arena_.syms();
  // The copies of a step are started several steps in advance. Therefore start_copies() is also called for steps beyond the last one; the
  // copies of such steps read nothing. The element must be a load without a mask, even for these steps.
  const int64_t steps = std::clamp<int64_t>(range(ceil_div(sizes_.terms, sizes_.step)).hi, 1, INT64_MAX - kMaxProductStages);
  const Sym thread = syms.loop("thread", 0, sizes_.threads), run = syms.loop("run", 0, elements_ / run_),
            step = syms.loop("step", 0, steps + kMaxProductStages);
  const auto [lane, term] = position(thread, run, 0);
  const UOp* first = element_(lane_of_matrix(tile, lane, 0), step, term, nullptr);
  if (first->kind != UKind::kLoad || mask_of(first) != nullptr || first->type != ir::Type{dtype_, 1}) return false;
  return length == 1 || alignment_of(first->index, length).has_value();
}

void StagedFactor::require_aligned(const UOp* distances, const std::vector<Sym>& multiples) {
  if (std::ranges::find(required_, distances) != required_.end()) return;
  required_.push_back(distances);
  distances_ = joined_distances(arena_, distances_, distances);
  multiples_.insert(multiples_.end(), multiples.begin(), multiples.end());
}

Body StagedFactor::start_copies(Sym thread, Sym tile, Sym step, Sym stage, std::optional<Sym> end) {
  return each_run([&](Sym run) -> Body {
    const int64_t length = elements_of_copy();
    Loop* element = new_loop(arena_, "element", 0, run_ / length, LoopKind::kUnroll);
    const Sym first = run_ == length ? Sym(0) : element->variable;
    const auto [lane, term] = position(thread, run, first);
    const UOp* load = element_(lane_of_matrix(tile, lane, first), step, term, nullptr);
    auto* copy = arena_.statement<CopyAsync>();
    copy->buffer = load->buffer, copy->from = load->index;
    copy->accumulator = shared_, copy->index = at(stage, term, lane);
    copy->length = length;
    copy->exist = end ? max(min(*end - step * sizes_.step - term, 1), 0) * length : Sym(length);
    if (length > 1) {
      const std::optional<GroupAlignment> alignment = alignment_of(load->index, length);
      HARP_ASSERT(alignment, "the alignment of ", to_string(load->index), " is not known, so it is not copied asynchronously");
      require_aligned(arena_.line_offset(load->buffer, alignment->base), alignment->multiples);
    }
    if (run_ == length) return {copy};
    element->body = {copy};
    return {element};
  });
}

Stmt* StagedFactor::new_registers() {
  registers_ = static_cast<int>(c_.kernel.accumulators.size());
  c_.kernel.accumulators.push_back({.type = {dtype_, 1}, .count = elements_, .init = identity_of(Op::kSum, dtype_), .is_row = true});
  return declare_accumulator(arena_, registers_);
}

const UOp* StagedFactor::is_quick(Sym tile) const {
  if (distances_ == nullptr) return nullptr;
  const UOp* result = are_multiples(arena_, distances_, run_);
  const auto require = [&](Sym condition) { result = arena_.apply(Op::kBitAnd, DType::kBool, {result, arena_.in_range(condition)}); };
  std::vector<Sym> sizes;
  for (const Sym& size : multiples_)
    if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size), require(Sym(0) - mod(size, run_));
  if (runs_along_terms_) return result;
  // A run consists of adjacent elements that one access loads. The last run of lanes must not extend beyond the last lane.
  if (!mod(sizes_.lanes, run_).is_constant(0)) require(max(Sym(0) - mod(sizes_.lanes, run_), sizes_.lanes - (tile + 1) * sizes_.tile));
  return result;
}

Sym StagedFactor::lane_of_matrix(Sym tile, Sym lane, Sym element) const {
  if (runs_along_terms_ || run_ == 1) return min(tile * sizes_.tile + lane, sizes_.lanes - 1);
  // The index of the run is limited, not that of the lane, so that a run always begins at an aligned position.
  const Sym number = floor_div(lane - element, run_) + tile * (sizes_.tile / run_);
  return min(number, ceil_div(sizes_.lanes, run_) - 1) * run_ + element;
}

Body StagedFactor::quick(Sym thread, Sym tile, Sym step, Sym run) {
  Loop* element = new_loop(arena_, "element", 0, run_, LoopKind::kUnroll);
  const auto [lane, term_of_thread] = position(thread, run, element->variable);
  const Sym term = term_of_thread;  // a copy, because a lambda cannot capture a structured binding
  const auto load = [&](Sym there) {
    return Body{set_accumulator(arena_, registers_, run * run_ + element->variable, element_(there, step, term, nullptr))};
  };
  element->body = load(lane_of_matrix(tile, lane, element->variable));
  if (run_ == 1) return Substituter(arena_, {{variable_of(element->variable), 0}})(element->body);
  if (auto together = access_together(arena_, c_.kernel, element, true)) {
    require_aligned(together->distances, together->multiples);
    return std::move(together->body);
  }
  element->body = load(min(tile * sizes_.tile + lane, sizes_.lanes - 1));
  return {element};
}

Body StagedFactor::masked(Sym thread, Sym tile, Sym step, Sym run) {
  Loop* element = new_loop(arena_, "element", 0, run_, LoopKind::kUnroll);
  const auto [lane, term] = position(thread, run, element->variable);
  // A lane beyond the last one affects only results that are not stored, so any lane may be loaded in its place. Masked loads use the same
  // addresses as the loads by quick(), which saves registers.
  const Sym there = lane_of_matrix(tile, lane, element->variable);
  const UOp* exists = arena_.in_range(sizes_.terms - 1 - step * sizes_.step - term);
  if (const Sym beyond = sizes_.lanes - 1 - there; !proven_nonnegative(beyond))
    exists = arena_.apply(Op::kBitAnd, DType::kBool, {exists, arena_.in_range(beyond)});
  element->body = {set_accumulator(arena_, registers_, run * run_ + element->variable, element_(there, step, term, exists))};
  if (run_ == 1) return Substituter(arena_, {{variable_of(element->variable), 0}})(element->body);
  return {element};
}

Body StagedFactor::stage(Sym thread, Sym stage) {
  return each_run([&](Sym run) -> Body {
    if (!runs_along_terms_ && run_ > 1) {
      const auto [lane, term] = position(thread, run, 0);
      auto* copy = arena_.statement<Copy>();
      copy->source = registers_, copy->from = run * run_;
      copy->accumulator = shared_, copy->index = at(stage, term, lane);
      copy->rows = copy->from_stride = 1;
      copy->length = copy->from_row_stride = copy->stride = run_;
      return {copy};
    }
    Loop* element = new_loop(arena_, "element", 0, run_, LoopKind::kUnroll);
    const auto [lane, term] = position(thread, run, element->variable);
    element->body = {
        set_accumulator(arena_, shared_, at(stage, term, lane), arena_.acc(dtype_, registers_, run * run_ + element->variable))};
    if (run_ == 1) return Substituter(arena_, {{variable_of(element->variable), 0}})(element->body);
    return {element};
  });
}

Stmt* StagedFactor::fragment(Sym stage, Sym term, Sym lane, int64_t count, int array, Sym index) const {
  auto* copy = arena_.statement<Copy>();
  copy->source = shared_, copy->from = at(stage, term, lane);
  copy->accumulator = array, copy->index = index;
  copy->rows = copy->from_stride = 1;
  copy->length = copy->from_row_stride = copy->stride = count;
  return copy;
}

}  // namespace harp::lower
