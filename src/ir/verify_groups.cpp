// Checks where group loops and barriers are, and which thread or block owns each value. The statements are visited in order; `place_` says
// whether the current statement is outside of the thread loop, inside the thread loop but outside of group loops, or inside a group loop.
#include "ir/verify_groups.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "ir/kernel_rules.h"
#include "ir/walk.h"

namespace harp::ir {

void add_condition(Sym condition, std::vector<Sym>& conditions) {
  const SymNode* node = condition.node();
  const bool is_atom = node != nullptr && node->terms.size() == 1 && node->terms[0].coefficient == 1 && node->terms[0].factors.size() == 1;
  if (is_atom && node->terms[0].factors[0]->kind == AtomKind::kMin) {
    for (const Sym& part : {node->terms[0].factors[0]->a, node->terms[0].factors[0]->b}) add_condition(part + node->constant, conditions);
  } else {
    conditions.push_back(condition);
  }
}

ThreadRange threads_where(const Loop& group, std::span<const Sym> conditions, const std::function<bool(const SymAtom*)>& is_known) {
  ThreadRange threads{group.begin, group.end};
  for (const Sym& condition : conditions) {
    const auto linear = linear_in(condition, variable_of(group.variable));
    if (!linear || !linear->coefficient.is_constant() || linear->coefficient.is_constant(0)) continue;
    if (!std::ranges::all_of(variables_of(linear->rest), is_known)) continue;
    const int64_t k = linear->coefficient.constant();
    if (k > 0)
      threads.begin = max(threads.begin, ceil_div(-linear->rest, k));
    else
      threads.end = min(threads.end, floor_div(linear->rest, -k) + 1);
  }
  return threads;
}

Sym values_in(SymTable& syms, const Loop& loop, const std::function<Sym(Sym)>& rename) {
  const SymAtom* v = variable_of(loop.variable);
  // The bounds of the variable are used here, because they may be tighter than the bounds of the loop.
  if (loop.step == 1) return syms.loop(v->name, rename(v->a), rename(v->b));
  const Sym begin = rename(loop.begin), end = rename(loop.end);
  if (loop.overlap) return syms.loop(v->name, begin, end - loop.step + 1);
  return begin + syms.loop(v->name, 0, ceil_div(end - begin, loop.step)) * loop.step;
}

namespace {

constexpr int64_t kWarp = 32;  // number of threads of a warp, which execute instructions together

bool is_group_loop(const Stmt* s) {
  const auto* loop = as<Loop>(s);
  return loop != nullptr && loop->loop == LoopKind::kGroup;
}

// kCall: outside of the thread loop. kBlock: inside the thread loop, outside of group loops. kThread: inside a group loop.
enum class Place : uint8_t { kCall, kBlock, kThread };

class GroupRules : KernelRules {
 public:
  GroupRules(Arena& arena, const Kernel& kernel)
      : KernelRules(kernel), arena_(arena), threads_(group_size(kernel)), declared_(kernel.accumulators.size(), Place::kCall) {}

  void run() {
    require(std::ranges::any_of(statements_of(kernel_.body), is_group_loop),
            "barriers, shared and spread accumulators belong to a kernel with group loops, and this one has none");
    for (size_t i = 0; i < kernel_.accumulators.size(); ++i) accumulator(kernel_.accumulators[i], i);
    const int64_t bytes = shared_bytes(kernel_);
    require(bytes <= kMaxSharedBytes, "a kernel has at most ", kMaxSharedBytes, " bytes of shared memory, not ", bytes);
    body(kernel_.body);
  }

 private:
  const Accumulator& get(int accumulator) const { return kernel_.accumulators[static_cast<size_t>(accumulator)]; }
  bool is_spread(int accumulator) const { return get(accumulator).spread > 0; }
  bool is_shared(int accumulator) const { return get(accumulator).space == Space::kShared; }
  bool is_own(int accumulator) const { return declared_[static_cast<size_t>(accumulator)] == Place::kThread; }

  void accumulator(const Accumulator& a, size_t number) const {
    if (a.space == Space::kShared)
      require(a.is_row && a.spread == 0, "a shared accumulator is an array without initial value, but acc", number, " is not");
    if (a.spread > 0) {
      require(a.space == Space::kRegister && a.type.lanes == 1, "a spread accumulator is in registers of one lane, but acc", number,
              " is not");
      require(a.count == a.spread * threads_, "a spread accumulator has ", a.spread, " elements for each of ", threads_,
              " threads, but acc", number, " has ", a.count);
    }
  }

  void body(const Body& statements) {
    for (const Stmt* s : statements) {
      for_each_value(*s, [&](const UOp* root) { value(root); });
      visit(*s, [&](const auto& of) { rules(of); });
    }
  }

  void rules(const Loop& s) {
    if (s.loop == LoopKind::kGroup) return group(s);
    require(place_ != Place::kThread || s.poll_interval == 0,
            "no loop inside a group loop polls the cancel flag: a thread that left would ", "be missed at the next barrier");
    const Place around = std::exchange(place_, s.loop == LoopKind::kThread ? Place::kBlock : place_);
    forget_changed(s.body);
    loops_.push_back(&s);
    body(s.body);
    loops_.pop_back();
    forget_changed(s.body);
    place_ = around;
  }

  void group(const Loop& s) {
    require(place_ != Place::kThread, "a group loop is not inside another one, but that over ", to_string(s.variable), " is");
    require(place_ == Place::kBlock, "a group loop is inside the thread loop, but that over ", to_string(s.variable), " is not");
    require(s.begin.is_constant(0) && s.step == 1 && s.end.is_constant() && s.end.constant() >= 1 && s.end.constant() <= kMaxThreads,
            "a group loop runs from 0 to a constant of 1 to ", kMaxThreads, ", not from ", to_string(s.begin), " to ", to_string(s.end),
            " in steps of ", s.step);
    require(s.end.is_constant(threads_), "all group loops of a kernel have the same number of threads, not ", threads_, " and ",
            to_string(s.end));
    require(s.tags.empty() || only_nest(s.tags),
            "the iterations of a group loop are threads and become nothing else, so it has no such tags");
    require(!s.overlap && s.poll_interval == 0, "a group loop has no overlapping steps and does not poll");
    require(std::ranges::none_of(s.body, [](const Stmt* each) { return as<Break>(each) != nullptr; }),
            "no thread leaves a group loop before the others");
    place_ = Place::kThread;
    group_ = &s;
    const size_t outside = std::exchange(loops_outside_, loops_.size());
    body(s.body);
    loops_outside_ = outside;
    group_ = nullptr;
    place_ = Place::kBlock;
    forget_changed(s.body);
  }
  /// Tests whether the loop has no tag except `nest`. That tag is allowed, because a group loop is never fused with the loops inside it.
  static bool only_nest(LoopTags tags) {
    tags.nest.reset();
    return tags.empty();
  }

  void rules(const Barrier&) const {
    require(place_ != Place::kThread,
            "a barrier is between group loops, where all threads of the block arrive, not inside the group loop over ",
            group_ == nullptr ? std::string() : to_string(group_->variable));
    require(place_ == Place::kBlock, "a barrier is inside the thread loop");
  }

  void rules(const If& s) {
    const size_t known = conditions_.size();
    branches_ += place_ == Place::kThread;
    add_condition(s.condition, conditions_);
    body(s.body);
    conditions_.resize(known);
    add_condition(Sym(-1) - s.condition, conditions_);
    body(s.otherwise);
    conditions_.resize(known);
    branches_ -= place_ == Place::kThread;
    if (place_ == Place::kBlock) forget_changed(s.body), forget_changed(s.otherwise);
  }
  void rules(const Define& s) { body(s.body); }
  void rules(const Retry& s) {
    require(place_ != Place::kBlock, "a retry is inside a group loop, because its condition belongs to a thread");
    ++branches_;
    body(s.body);
    body(s.otherwise);
    --branches_;
  }
  void rules(const StoreGroup& s) { body(s.body); }
  void rules(Is<Store, Scatter> auto& s) const { writes_memory(s.buffer); }
  void writes_memory(int buffer) const {
    require(place_ != Place::kBlock,
            "statements outside of group loops are executed by every thread of the block and store nothing, but one stores to parameter ",
            buffer);
  }
  void rules(const Prefetch&) const {}
  void rules(const Comment&) const {}

  void rules(const AccDeclare& s) {
    declared_[static_cast<size_t>(s.accumulator)] = place_;
    const Accumulator& a = get(s.accumulator);
    require(a.space != Space::kScratch, "in a kernel with group loops values are in registers, on the stack or shared, but acc",
            s.accumulator, " is in a worker's scratch memory");
    const bool is_of_block = a.space == Space::kShared || a.spread > 0;
    require(!is_of_block || place_ == Place::kBlock,
            "a shared or spread accumulator is declared in the thread loop, outside of group loops, ", "but acc", s.accumulator, " is not");
    require(place_ != Place::kBlock || a.space != Space::kStack,
            "an accumulator on the stack of a thread is declared in a group loop, but acc", s.accumulator, " is not");
    if (a.spread > 0) folded_.erase(s.accumulator);
  }
  void rules(Is<AccSet, AccUpdate> auto& s) {
    change(s.accumulator);
    if (is_spread(s.accumulator)) spread_element(s.accumulator, s.index, s.lane_step, s.value->type.lanes);
  }
  void change(int accumulator) const {
    if (place_ == Place::kThread) {
      require(is_own(accumulator) || is_spread(accumulator) || is_shared(accumulator), "a group loop changes accumulators declared in it, ",
              "shared ones and spread ones, but acc", accumulator, " is none of these and all threads have the same copy");
    } else {
      require(!is_shared(accumulator), "a shared accumulator changes inside group loops, but acc", accumulator, " changes outside");
    }
  }
  void rules(const AccFold& s) {
    together(s.accumulator, "folds");
    if (place_ == Place::kBlock) folded_.insert(s.accumulator);
  }
  void rules(const AccScan& s) {
    for (const int a : {s.accumulator, s.total, s.quads})
      if (a >= 0) together(a, "scans");
  }
  /// Checks a statement that folds or scans an accumulator; `what` is "folds" or "scans". Inside a group loop (a loop over the threads of a
  /// block) the accumulator must belong to one thread. Outside of group loops all threads together fold or scan a spread accumulator, whose
  /// elements are distributed over the threads.
  void together(int accumulator, std::string_view what) {
    require(!is_shared(accumulator), "nothing ", what, " a shared accumulator, but acc", accumulator, " is one");
    require(place_ != Place::kThread || is_own(accumulator), "a group loop ", what, " accumulators declared in it, but acc", accumulator,
            " is declared outside");
    folded_.erase(accumulator);
  }
  void rules(const Routine& s) const {
    writes_memory(s.buffer);
    if (s.accumulator >= 0) whole(s.accumulator);
  }
  void rules(const Copy& s) const {
    if (s.accumulator < 0) writes_memory(s.buffer);
    for (const int a : {s.accumulator, s.source}) {
      if (a >= 0 && is_shared(a))
        shared_part(s, a);
      else if (a >= 0)
        whole(a);
    }
  }
  void rules(const CopyAsync& s) const {
    require(place_ == Place::kThread && is_shared(s.accumulator),
            "a thread copies asynchronously to a shared array, inside a group loop, but acc", s.accumulator,
            " is not shared, or the copy is outside");
  }
  void rules(const Wait&) const {
    require(place_ == Place::kThread && branches_ == 0 && loops_.size() == loops_outside_,
            "all threads wait for the same batches of copies: a wait is inside a group loop, but not under a condition or in a loop of a "
            "thread");
  }
  /// Checks an Mma (a matrix product by tensor cores): all threads of a warp must execute the statement together, and each thread must have
  /// the rows and columns of its lane.
  void rules(const Mma& s) const {
    require(place_ == Place::kThread && branches_ == 0,
            "all threads of a warp multiply matrices together, inside a group loop and not under "
            "a condition of a thread");
    for (size_t i = loops_outside_; i < loops_.size(); ++i)
      require(loops_[i]->begin.is_constant() && loops_[i]->end.is_constant() &&
                  std::ranges::none_of(loops_[i]->body, [](const Stmt* other) { return as<Break>(other) != nullptr; }),
              "loops in which a warp multiplies matrices have the same steps in all threads, but that over ",
              to_string(loops_[i]->variable), " may not");
    require(threads_ % kWarp == 0, "whole warps of ", kWarp, " threads multiply matrices, but a block has ", threads_, " threads");
    require(is_shared(s.rows) && is_shared(s.columns), "the factors of a product of matrices are shared arrays, but acc", s.rows,
            " and acc", s.columns, " are not");
    require(is_spread(s.accumulator), "the results of a product of matrices are spread over the threads, but acc", s.accumulator,
            " is not");
    spread_element(s.accumulator, s.index, 1, 2 * s.row_tiles * s.column_tiles);
    const auto has = [&](Sym e, int64_t thread, Sym expected) {
      return substitute(e, {{variable_of(group_->variable), Sym(thread)}}) == expected;
    };
    for (int64_t first = 0; first < threads_; first += kWarp) {
      const auto of_first = [&](Sym e) { return substitute(e, {{variable_of(group_->variable), Sym(first)}}); };
      const Sym row = of_first(s.row_index), column = of_first(s.column_index);
      for (int64_t lane = 0; lane < kWarp; ++lane)
        require(has(s.row_index, first + lane, row + lane / 4) && has(s.column_index, first + lane, column + lane % 4 * 2) &&
                    has(s.row_step, first + lane, of_first(s.row_step)) && has(s.column_step, first + lane, of_first(s.column_step)),
                "lane t of a warp multiplies row t / 4 and columns 2 * (t % 4) and 2 * (t % 4) + 1, but lane ", lane, " has rows from ",
                to_string(s.row_index), " and columns from ", to_string(s.column_index));
    }
  }
  void shared_part(const Copy& s, int accumulator) const {
    require(place_ == Place::kThread, "a thread copies a part of a shared accumulator inside a group loop, but acc", accumulator,
            " is copied outside");
    require(s.rows.is_constant(1) && s.from_stride.is_constant(1) && s.length.is_constant() && s.length.constant() >= 1,
            "a copy of a part of shared acc", accumulator, " is of a constant number of adjacent elements");
  }
  void whole(int accumulator) const {
    require(is_own(accumulator), "copies and routines use arrays of one thread, but acc", accumulator,
            " is not declared in this group loop");
  }
  void rules(const Break& s) const {
    require(!is_spread(s.accumulator) && !is_shared(s.accumulator), "a loop ends by an accumulator of the thread, but acc", s.accumulator,
            " is not");
  }

  void value(const UOp* root) const {
    for_each_uop({root}, [&](const UOp* u) {
      if (u->kind != UKind::kAcc || !is_spread(u->buffer)) return;
      if (place_ == Place::kThread)
        spread_element(u->buffer, u->index, u->lane_step, u->type.lanes);
      else
        require(u->index.is_constant(0) && folded_.contains(u->buffer), "outside of group loops element 0 of a spread accumulator is read ",
                "after its fold, but acc", u->buffer, "[", to_string(u->index), "] is read");
    });
  }

  void spread_element(int accumulator, Sym index, Sym lane_step, int lanes) const {
    require(place_ == Place::kThread, "a spread accumulator changes inside group loops, but acc", accumulator, " changes outside");
    const int64_t run = get(accumulator).spread;
    const SymAtom* thread = variable_of(group_->variable);
    const ThreadRange threads = threads_where(*group_, conditions_, [&](const SymAtom* v) { return v != thread; });
    const Sym t = arena_.syms().loop(thread->name, threads.begin, threads.end);
    SymSubstitution values{{thread, t}};
    const auto rename = [&](Sym e) { return substitute(e, values); };
    for (const Loop* loop : loops_)
      if (loop->loop != LoopKind::kThread) values[variable_of(loop->variable)] = values_in(arena_.syms(), *loop, rename);
    const Sym first = substitute(index, values) - t * run, last = first + substitute(lane_step, values) * (lanes - 1);
    for (const Sym& element : {first, last})
      require(proven_nonnegative(element) && proven_less(element, run), "thread ", to_string(group_->variable), " uses elements ",
              to_string(group_->variable * run), " to ", to_string(group_->variable * run + (run - 1)), " of the spread acc", accumulator,
              ", not ", to_string(index), lanes > 1 ? cat(" and ", lanes - 1, " more in steps of ", to_string(lane_step)) : "");
  }

  /// Removes from folded_ the accumulators that these statements may change, because their element 0 is then no longer the result of a
  /// fold.
  void forget_changed(const Body& statements) {
    if (folded_.empty()) return;
    for (const Stmt* s : statements_of(statements)) for_each_changed_accumulator(*s, [&](int a) { folded_.erase(a); });
  }

  Arena& arena_;
  const int64_t threads_;
  std::vector<Place> declared_;     // for each accumulator, the place of its declaration
  std::unordered_set<int> folded_;  // spread accumulators whose element 0 is the result of a fold
  std::vector<Sym> conditions_;     // conditions (>= 0) of the enclosing Ifs
  std::vector<const Loop*> loops_;  // enclosing loops, except the group loop
  size_t loops_outside_ = 0;        // number of entries of loops_ that enclose the group loop
  int branches_ = 0;                // number of Ifs and Retries inside the group loop that enclose the current statement
  Place place_ = Place::kCall;
  const Loop* group_ = nullptr;
};

}  // namespace

void verify_groups(Arena& arena, const Kernel& kernel) { GroupRules(arena, kernel).run(); }

bool has_groups(const Kernel& kernel) {
  const auto is_of_block = [](const Accumulator& a) { return a.space == Space::kShared || a.spread > 0; };
  return std::ranges::any_of(kernel.accumulators, is_of_block) || std::ranges::any_of(statements_of(kernel.body), [](const Stmt* s) {
           return s->kind == StmtKind::kBarrier || s->kind == StmtKind::kCopyAsync || s->kind == StmtKind::kWait || is_group_loop(s);
         });
}

}  // namespace harp::ir
