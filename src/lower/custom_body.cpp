// Lowers the body of a custom function for one element, or for one element in each lane of a vector. Branches become selects, so loops are
// the only statements. A loop keeps the variables that it changes in accumulators. custom_body_values.h says what loads, checked indices
// and local arrays become.
//
// A `break` masks the statements after it, as a branch does, and the loop exits at the end of the iteration. The condition of a `while` is
// computed in front of the loop, where it decides between no iterations and any number of iterations, and again at the end of each
// iteration.
//
// Long loops run in pieces and poll the cancel flag between the pieces: a poll in every iteration would prevent C compilers from
// vectorising the loop. A loop with a checked index is never vectorised, so it tests after each iteration whether an index was out of range
// and then exits. From that test the compiler knows that all earlier indices were in range, which makes the checks of the next iteration
// cheaper.
//
// Vectors
// -------
// If the schedule has vectors, a vector computes several adjacent elements along the last axis, one in each lane (schedule/body_lanes.h
// says for which bodies this is possible). The nest then steps by vectors, and the statements inside it are loops over the lanes, which
// become vectors:
//
//   for block in 0 .. ceil(n / 8):           # lane i of this iteration computes element 8 * block + i
//     declare acc0, acc1                     # 8 elements each, one for each lane: a variable, and whether the lane is in the loop
//     for lane in 0 .. 8: set acc0[lane] to ..., set acc1[lane] to true
//     for count0 in 0 .. 2^62:               # one `while` loop for all lanes
//       for lane in 0 .. 8: set acc1[lane] to acc1[lane] & ...
//       break where acc1                     # is false in all lanes
//       for lane in 0 .. 8: set acc0[lane] to where(acc1[lane], ..., acc0[lane])
//     for lane in 0 .. 8: store output[8 * block + lane] = acc0[lane]
//
// If all lanes execute equally many iterations of a loop, the counters of the lanes may differ by a constant. If not (because the bounds of
// the loop differ, it has a break, it is a `while`, or it is in a branch that depends on the element), the loop has a bool for each lane:
// true while the lane executes the loop, false after the lane has left the loop or if it did not enter it. These bools mask the whole body
// of the loop, so the variables of a lane that has left the loop keep their values. The loop exits at the beginning of the first iteration
// in which all of the bools are false. Masked lanes compute, too, but their results are dropped, and no operation faults.
//
// The last vector has lanes beyond the end of the axis if the size of the axis is not a multiple of the number of lanes; a second version
// of the body masks them.
#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "graph/body.h"
#include "ir/walk.h"
#include "lower/accumulate.h"
#include "lower/custom_body.h"
#include "lower/custom_body_values.h"
#include "lower/custom_chains.h"
#include "lower/lower.h"
#include "schedule/body_positions.h"

namespace harp::lower {
namespace {

using namespace ir;

/// Number of iterations of a loop that ends only by a Break. No run has time for so many iterations. The number is a multiple of every
/// smaller power of two, so that all pieces between two polls have the same length.
constexpr int64_t kEndless = int64_t{1} << 62;
/// A loop runs at most this many iterations between two polls of the cancel flag, so that a run can be cancelled promptly.
constexpr int64_t kMaxPollInterval = 4096;
constexpr int64_t kVector = 64;  // number of elements of the smallest dtype in the widest vector

class BodyLowering : BodyValues {
 public:
  /// Prepares to lower the body of the custom function for the element at `index`; if there are several lanes, the index depends on the
  /// lane. run() appends loops and checks to `statements`, which may be null if the body needs neither.
  BodyLowering(ValueBuilder& values, ir::Kernel& kernel, const Node& node, const Index& index, ir::Body* statements, const Lanes& lanes)
      : BodyValues(values, kernel, node, index, statements, lanes) {}

  void run(const UOp* mask) {
    for (size_t i = 0; i < results(); ++i) variables_[i] = arena_.constant(scalar_from_int(body_.variables[i], 0));
    const bool has_checks = std::find(indices_.inside.begin(), indices_.inside.end(), Inside::kUnknown) != indices_.inside.end();
    if (has_checks && has_loop(body_.statements)) failed_ = accumulator(flag(0));
    lower(body_.statements, mask);
  }
  /// Returns, for each result, the value of the element that the body computed. Requires that run() has been called.
  std::vector<const UOp*> elements() const { return {variables_.begin(), variables_.begin() + static_cast<long>(results())}; }
  /// Returns an upper bound of the number of expressions evaluated for one element.
  double cost() const { return cost_; }

 private:
  size_t results() const { return static_cast<size_t>(body_.results); }

  void lower(const std::vector<BodyStatement>& statements, const UOp* mask) {
    for (const BodyStatement& s : statements) {
      const UOp* active = left_ == nullptr ? mask : both(mask, negated(left_));
      switch (s.kind) {
        case BodyStatement::kSet:
          if (indices_.is_position[static_cast<size_t>(s.variable)])
            positions_.set(s.variable, positions_.of(s.value));
          else
            set(s.variable, value(s.value, active), active);
          break;
        case BodyStatement::kClear: clear(s.variable); break;
        case BodyStatement::kStore: store(s, active); break;
        case BodyStatement::kIf: {
          const UOp* condition = value(s.value, active);
          lower(s.body, both(active, condition));
          if (!s.otherwise.empty()) lower(s.otherwise, both(active, negated(condition)));
          break;
        }
        case BodyStatement::kFor:
        case BodyStatement::kWhile: loop(s, active); break;
        case BodyStatement::kBreak:
          if (active == nullptr) active = constant_true();
          left_ = left_ == nullptr ? active : arena_.apply(Op::kBitOr, DType::kBool, {left_, active});
          break;
      }
    }
  }

  void set(int variable, const UOp* value, const UOp* mask) {
    const UOp*& held = variables_[static_cast<size_t>(variable)];
    // Where the mask is false, the variable keeps its old value. If it has no old value, because this block of the body declares it, it
    // takes the new value in every lane.
    held = mask == nullptr || held == nullptr ? value : arena_.apply(Op::kWhere, value->type.dtype, {mask, value, held});
  }

  /// Collects the already declared variables that the statements set.
  void add_changed(const std::vector<BodyStatement>& statements, std::vector<int>& changed) const {
    for (const BodyStatement& s : statements) {
      if (s.kind == BodyStatement::kSet && variables_[static_cast<size_t>(s.variable)] != nullptr &&
          std::find(changed.begin(), changed.end(), s.variable) == changed.end())
        changed.push_back(s.variable);
      add_changed(s.body, changed);
      add_changed(s.otherwise, changed);
    }
  }

  static bool has_loop(const std::vector<BodyStatement>& statements) {
    return std::any_of(statements.begin(), statements.end(), [](const BodyStatement& s) {
      return s.kind == BodyStatement::kFor || s.kind == BodyStatement::kWhile || has_loop(s.body) || has_loop(s.otherwise);
    });
  }

  /// Tests whether the value may differ between the lanes of a vector.
  bool differs(const UOp* value) const {
    const SymAtom* lane = variable_of(lanes_.at);
    return any_uop({value}, [&](const UOp* u) { return has_position(u) && depends_on(u->index, lane); });
  }
  /// For a counted loop in a body that vectors compute: if some lanes may execute more iterations than others, returns the number of
  /// iterations of each lane, and sets `first` to the first value of the counter. Otherwise returns null.
  const UOp* iterations_apart(const BodyStatement& s, const UOp* mask, const UOp*& first) {
    const std::optional<BodyPosition> begin = positions_.of(s.value), end = positions_.of(s.end);
    const SymAtom* lane = variable_of(lanes_.at);
    if (begin && end && BodyPositions::fits(end->hi - begin->lo) && linear_in(begin->value, lane) &&
        !depends_on(end->value - begin->value, lane))
      return nullptr;
    first = value(s.value, mask);
    const UOp* iterations = iterations_between(first, value(s.end, mask));
    return differs(iterations) ? iterations : nullptr;
  }

  /// Lowers a loop. While the loop runs, accumulators hold the variables that its body changes.
  void loop(const BodyStatement& s, const UOp* mask) {
    HARP_ASSERT(statements_ != nullptr, "a loop of a custom function needs a list of statements, but stands in an expression");
    std::vector<int> changed;
    add_changed(s.body, changed);
    std::vector<const UOp*> start;
    for (const int variable : changed) {
      const UOp* value = variables_[static_cast<size_t>(variable)];
      start.push_back(arena_.cast(held_as(value->type.dtype), value));
    }
    const std::vector<int> running = accumulators(start);
    const auto read_all = [&] {
      for (size_t i = 0; i < changed.size(); ++i) {
        const auto variable = static_cast<size_t>(changed[i]);
        variables_[variable] = arena_.cast(body_.variables[variable], kept(running[i]));
      }
    };
    const bool is_while = s.kind == BodyStatement::kWhile;
    const UOp* first = nullptr;
    const UOp* apart = has_lanes() && !is_while ? iterations_apart(s, mask, first) : nullptr;
    const bool may_end = is_while || apart != nullptr || has_break(s.body);
    const bool is_masked = has_lanes() && (may_end || mask != nullptr);
    // If the loop is masked: the index of the accumulator that is true in each lane that still executes the loop. Otherwise -1.
    int runs = -1;
    int ended = -1;  // if the loop is not masked and may end early: index of the accumulator that is not 0 after the end; otherwise -1
    const UOp* enters = mask;
    if (is_masked) {
      if (apart != nullptr) apart = kept(accumulator(apart));
      const UOp* in = both(lanes_.inside, mask);
      runs = accumulator(in != nullptr ? in : constant_true());
    } else {
      if (may_end) ended = accumulator(flag(0));
      if (is_while) enters = both(mask, value(s.value, mask));
    }
    const bool is_endless = apart != nullptr || (is_while && is_masked);
    const Scope scope = is_endless ? open_endless() : is_while ? open_while(enters) : open_for(s, enters);
    const Sym turn = scope.loop->variable;
    if (apart != nullptr) variables_[static_cast<size_t>(s.variable)] = arena_.apply(Op::kAdd, DType::kI64, {first, arena_.index(turn)});
    ir::Body* const outer = std::exchange(statements_, &scope.loop->body);
    const UOp* const left_outside = std::exchange(left_, nullptr);
    const double cost_outside = std::exchange(cost_, 0);
    read_all();
    const std::vector<const UOp*> before = variables_;
    if (is_masked) {
      const UOp* goes_on = nullptr;
      if (is_while) goes_on = value(s.value, kept(runs));
      if (apart != nullptr) goes_on = arena_.apply(Op::kLt, DType::kBool, {arena_.index(turn), apart});
      if (goes_on != nullptr) keep_changed({runs}, {both(kept(runs), goes_on)});
      exit_by(runs);
    }
    // A loop that is not masked needs no mask inside, because it runs as a whole only where `mask` is true.
    lower(s.body, is_masked ? kept(runs) : nullptr);
    std::vector<int> set_at_end = running;
    std::vector<const UOp*> after;
    for (size_t i = 0; i < changed.size(); ++i)
      after.push_back(arena_.cast(dtype_of(running[i]), variables_[static_cast<size_t>(changed[i])]));
    if (left_ != nullptr) {
      set_at_end.push_back(is_masked ? runs : ended);
      after.push_back(is_masked ? both(kept(runs), negated(left_)) : arena_.cast(DType::kI32, left_));
    }
    keep_changed(set_at_end, after);
    if (is_while && !is_masked) {
      read_all();
      const UOp* stays = left_ == nullptr ? nullptr : is_zero(kept(ended));
      keep(ended, arena_.apply(Op::kWhere, DType::kI32, {both(stays, value(s.value, stays)), flag(0), flag(1)}));
    }
    if (scope.most_iterations * std::max(1.0, cost_) > kExpressionsPerPoll)
      scope.loop->poll_interval = poll_interval(cost_, scope.loop->end - scope.loop->begin);
    // an index that was out of range may also make the trip count wrong, so the loop must exit
    for (const int why : {failed_, ended})
      if (why >= 0) exit_by(why);
    left_ = left_outside;
    variables_ = before;  // the variables declared inside go out of scope
    read_all();
    statements_ = outer;
    cost_ = cost_outside + scope.most_iterations * cost_;
    if (scope.loop->body.empty()) return;
    Stmt* const statement = with_chains(kernel_, arena_, scope.loop, has_lanes() ? 1 : lanes_.chains);
    if (scope.define != nullptr) scope.define->body = {statement};
    outer->push_back(scope.define != nullptr ? scope.define : statement);
  }
  void exit_by(int accumulator) {
    auto* end = arena_.statement<Break>();
    end->accumulator = accumulator;
    statements_->push_back(end);
  }

  struct Scope {
    Define* define;  // the statement around the loop that defines its number of iterations; null: there is none
    Loop* loop;
    double most_iterations;
  };
  /// Makes a loop of `iterations` iterations whose variable starts at `begin`. The number of iterations is computed before the loop; where
  /// the mask is false, it is 0.
  Scope open_counted(const UOp* iterations, const UOp* mask, int64_t most, double most_iterations, Sym begin = 0) {
    if (mask != nullptr) iterations = arena_.apply(Op::kWhere, DType::kI64, {mask, iterations, constant(0)});
    auto* define = arena_.statement<Define>();
    define->value = iterations;
    define->variable = arena_.syms().loop("turns", 0, most);
    Loop* loop = new_loop(arena_, loop_name(), begin, begin + define->variable);
    define->body = {loop};
    return {define, loop, most_iterations};
  }
  Scope open_while(const UOp* mask) { return open_counted(constant(INT64_MAX), mask, INT64_MAX, static_cast<double>(INT64_MAX)); }
  /// Makes a loop without a trip count, which only a Break statement ends.
  Scope open_endless() {
    Loop* loop = new_loop(arena_, loop_name(), 0, kEndless);
    return {nullptr, loop, static_cast<double>(kEndless)};
  }
  /// Makes the loop for a statement, and its variable. If there are several lanes, the loop runs in all of them, even where the mask is
  /// false.
  Scope open_for(const BodyStatement& s, const UOp* mask) {
    const std::optional<BodyPosition> begin = positions_.of(s.value), end = positions_.of(s.end);
    const bool is_exact = begin && end && BodyPositions::fits(end->hi - begin->lo);
    const auto most_iterations = static_cast<double>(is_exact ? std::max<WideInt>(end->hi - begin->lo, 0) : INT64_MAX);
    if (is_exact && (mask == nullptr || has_lanes())) {
      // If the loops of the lanes begin at different values, they all have the same number of iterations here. So one loop variable can
      // count from 0 for all lanes.
      const bool is_apart = has_lanes() && depends_on(begin->value, variable_of(lanes_.at));
      const Sym before = is_apart ? begin->value : Sym(0);
      Loop* loop = new_loop(arena_, loop_name(), begin->value - before, end->value - before);
      positions_.set(s.variable, BodyPosition{before + loop->variable, begin->lo, end->hi - 1});
      return {nullptr, loop, most_iterations};
    }
    // Here the trip count depends on the mask, or on values that are known only at run time, so it is computed before the loop.
    const UOp *first = value(s.value, mask), *iterations = nullptr;
    if (is_exact)
      iterations = arena_.index(max(end->value - begin->value, 0));
    else
      iterations = iterations_between(first, value(s.end, mask));
    const int64_t most = is_exact ? static_cast<int64_t>(std::max<WideInt>(end->hi - begin->lo, 0)) + 1 : INT64_MAX;
    const Scope scope = open_counted(iterations, has_lanes() ? nullptr : mask, most, most_iterations, is_exact ? begin->value : Sym(0));
    const Sym counter = scope.loop->variable;
    if (is_exact)
      positions_.set(s.variable, BodyPosition{counter, begin->lo, end->hi - 1});
    else
      variables_[static_cast<size_t>(s.variable)] = arena_.apply(Op::kAdd, DType::kI64, {first, arena_.index(counter)});
    return scope;
  }
  std::string loop_name() { return cat("count", loops_++); }
  /// Returns max(end - begin, 0), saturated to the largest i64: no run takes so long that saturation could make a difference.
  const UOp* iterations_between(const UOp* begin, const UOp* end) {
    const UOp* difference = arena_.apply(Op::kAdd, DType::kI64, {end, arena_.apply(Op::kNeg, DType::kI64, {begin})});
    const UOp* is_more = arena_.apply(Op::kLt, DType::kBool, {difference, constant(0)});
    const UOp* iterations = arena_.apply(Op::kWhere, DType::kI64, {is_more, constant(INT64_MAX), difference});
    return arena_.apply(Op::kWhere, DType::kI64, {arena_.apply(Op::kLt, DType::kBool, {begin, end}), iterations, constant(0)});
  }

  int loops_ = 0;
  const UOp* left_ = nullptr;  // true where a `break` has left the innermost open loop in this iteration; null: there was none
};

}  // namespace

int64_t poll_interval(double expressions_of_iteration, Sym iterations) {
  const double fitting = kExpressionsPerPoll / std::max(1.0, expressions_of_iteration);
  const auto most = std::clamp<int64_t>(static_cast<int64_t>(fitting), 1, kMaxPollInterval);
  if (iterations.is_constant())
    for (int64_t piece = most; piece > most / 8; --piece)
      if (iterations.constant() % piece == 0 && piece % std::gcd(iterations.constant(), kVector) == 0) return piece;
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(most)));
}

Loop* in_each_lane(Arena& arena, const Lanes& lanes, Body statements) {
  auto* loop = arena.statement<Loop>();
  loop->variable = lanes.at;
  loop->begin = 0;
  loop->end = lanes.count;
  loop->tags.vector = {.lanes = lanes.count, .most_steps = 1};
  loop->body = std::move(statements);
  return loop;
}

LoweredBody lower_body(ValueBuilder& values, ir::Kernel& kernel, const Node& node, const Index& index, const UOp* mask,
                       ir::Body* statements, const Lanes& lanes) {
  BodyLowering lowering(values, kernel, node, index, statements, lanes);
  lowering.run(mask);
  return {lowering.elements(), lowering.cost()};
}

}  // namespace harp::lower
