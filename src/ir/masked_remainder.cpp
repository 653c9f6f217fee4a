// Implements the rewrite `masked_remainder`: computes a loop that has fewer iterations than a vector has lanes as one vector, whose masked
// loads and stores access only the elements of the iterations that exist. It is used for loops that call functions: a scalar exp takes
// about as long as an exp of a whole vector, so a remainder of a few iterations would take longer than the vectors before it. It is also
// used for columns of unknown number that have several running values each, such as the best value of an argmax and its index: there may be
// only these few columns, and one by one, each would wait for its own values.
#include <algorithm>
#include <unordered_set>

#include "ir/rewrite.h"
#include "ir/walk.h"

namespace harp::ir {
namespace {

class MaskedRemainder {
 public:
  MaskedRemainder(Arena& arena, Kernel& kernel, const Loop* loop, int width)
      : arena_(arena), kernel_(kernel), loop_(loop), width_(width), uops_(uops_of(arena, loop->body)) {}

  /// Tests whether the loop calls a function that takes longer than the masks. If the machine has masked loads and stores, that is so for
  /// every function of elements of 4 or 8 bytes, such as a maximum that returns NaN if an operand is NaN.
  bool pays() const {
    const auto is_wide = [](const UOp* u) { return !is_read(u) || size_of(u->type.dtype) >= 4; };
    const bool are_moved = kernel_.masked_moves && std::ranges::all_of(uops_, is_wide);
    if (are_moved && has_running_columns()) return true;
    return std::ranges::any_of(
        uops_, [&](const UOp* u) { return u->kind == UKind::kCall && (are_moved || !is_small(*u->function)) && varies(u); });
  }

  bool is_possible() const {
    for (const Stmt* s : loop_->body) {
      const auto* set = as<AccSet>(s);
      const auto* update = as<AccUpdate>(s);
      const auto* store = as<Store>(s);
      if (set != nullptr      ? !is_kept(set->accumulator, set->index)
          : update != nullptr ? !is_kept(update->accumulator, update->index)
                              : store == nullptr)
        return false;
      if (store != nullptr && (store->nontemporal || !step_of(store->index).is_constant(1))) return false;
    }
    return std::ranges::all_of(uops_, [&](const UOp* u) {
      if (u->kind == UKind::kCheck || u->kind == UKind::kGather) return false;
      if (u->kind == UKind::kAlu && is_int(u->type.dtype) && (u->op == Op::kDiv || u->op == Op::kFmod)) return false;  // may trap
      if (u->kind != UKind::kLoad && u->kind != UKind::kAcc) return true;
      const Sym step = step_of(u->index);
      return step.is_constant(0) || (step.is_constant(1) && (u->kind == UKind::kLoad || is_kept(u->buffer, u->index)));
    });
  }

  Body masked() {
    Loop* lanes = new_loop(arena_, variable_of(loop_->variable)->name, loop_->begin, loop_->begin + width_);
    // A new variable, because the range of the old one says that every iteration exists.
    Substituter lane(arena_, {{variable_of(loop_->variable), lanes->variable}});
    const Body body = lane(loop_->body);
    exists_ = arena_.in_range(loop_->end - 1 - lanes->variable);
    Substituter masked(arena_, {});
    for (const UOp* u : uops_of(arena_, body))
      if (u->kind == UKind::kLoad && depends_on(u->index, variable_of(lanes->variable)))
        masked.replace(u, arena_.load(u->type.dtype, u->buffer, u->index, also(masked(mask_of(u)))));
    for (const Stmt* s : masked(body)) lanes->body.push_back(masked_statement(s));
    return unroll(arena_, as<Loop>(vectorise(arena_, lanes, {.lanes = width_})[0]));
  }

 private:
  /// Tests whether each of an unknown number of iterations combines elements with several running values of its own, and stores nothing.
  /// (A sum alone takes no longer than the masks, and masked stores take long on some machines. Products of few columns have tiles.)
  bool has_running_columns() const {
    if ((loop_->end - loop_->begin).is_constant()) return false;
    const auto is_running = [&](const Stmt* s) {
      const auto* set = as<AccSet>(s);
      const auto* update = as<AccUpdate>(s);
      return (set != nullptr && step_of(set->index).is_constant(1)) || (update != nullptr && step_of(update->index).is_constant(1));
    };
    const auto is_product = [](const UOp* u) { return u->kind == UKind::kAlu && u->op == Op::kFma; };
    return loop_->body.size() > 1 && std::ranges::all_of(loop_->body, is_running) && std::ranges::none_of(uops_, is_product) &&
           std::ranges::any_of(uops_, [&](const UOp* u) { return u->kind == UKind::kLoad && varies(u); });
  }
  Sym step_of(const Sym& index) const { return linear_in(index, variable_of(loop_->variable))->coefficient; }
  bool varies(const UOp* root) const {
    const SymAtom* variable = variable_of(loop_->variable);
    return any_uop({root}, [&](const UOp* u) { return has_position(u) && depends_on(u->index, variable); });
  }
  /// Tests whether a vector from the position of the first iteration on lies in the accumulator, which must not be a mask.
  bool is_kept(int number, const Sym& index) const {
    const Accumulator& accumulator = kernel_.accumulators[static_cast<size_t>(number)];
    if (accumulator.type.lanes != 1 || accumulator.type.dtype == DType::kBool || !step_of(index).is_constant(1)) return false;
    const int64_t last = range(loop_->end).hi - 1;
    const bool begins_with_vector = mod(loop_->begin, width_).is_constant(0);
    const Sym rest = linear_in(index, variable_of(loop_->variable))->rest;
    return range(rest).hi + (begins_with_vector ? last / width_ * width_ : last) + width_ <= accumulator.count;
  }

  const UOp* also(const UOp* mask) const { return mask == nullptr ? exists_ : arena_.apply(Op::kBitAnd, DType::kBool, {exists_, mask}); }
  /// Returns the value where the iteration exists, and otherwise what the accumulator has there.
  AccSet* set(int number, const Sym& index, const UOp* value) const {
    auto* s = arena_.statement<AccSet>();
    s->accumulator = number;
    s->index = index;
    s->value = arena_.apply(Op::kWhere, value->type.dtype, {exists_, value, arena_.acc(value->type.dtype, number, index)});
    return s;
  }
  Stmt* masked_statement(const Stmt* s) const {
    if (const auto* of = as<AccSet>(s)) return set(of->accumulator, of->index, of->value);
    if (const auto* of = as<AccUpdate>(s)) {
      const Accumulator& accumulator = kernel_.accumulators[static_cast<size_t>(of->accumulator)];
      const DType dtype = accumulator.type.dtype;
      const UOp* before = arena_.acc(dtype, of->accumulator, of->index);
      return set(of->accumulator, of->index,
                 of->factor != nullptr             ? arena_.apply(Op::kFma, dtype, {of->value, of->factor, before})
                 : accumulator.function != nullptr ? arena_.call(accumulator.function, {before, of->value})
                                                   : arena_.apply(accumulator.combine, dtype, {before, of->value}));
    }
    auto* store = arena_.statement(*as<Store>(s));
    store->mask = also(store->mask);
    return store;
  }

  Arena& arena_;
  Kernel& kernel_;
  const Loop* loop_;
  int width_;
  std::vector<const UOp*> uops_;
  const UOp* exists_ = nullptr;  // the condition that the iteration exists
};

}  // namespace

Body masked_remainder(Arena& arena, Kernel& kernel, Loop* loop, int width) {
  MaskedRemainder remainder(arena, kernel, loop, width);
  if (width < 2 || !remainder.pays() || !remainder.is_possible()) return {loop};
  const Sym last = loop->end - loop->begin - 1;
  Body masked = remainder.masked();
  return proven_nonnegative(last) ? masked : Body{new_if(arena, last, std::move(masked))};
}

}  // namespace harp::ir
