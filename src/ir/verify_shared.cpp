// Finds races on shared accumulators. The statements are visited in the order in which a thread executes them. `open_` holds the accesses
// since the last barrier; each new access is compared with all of them and with itself. A loop that contains barriers is visited twice,
// because there is no barrier between the accesses after its last barrier and the accesses before its first barrier in the next iteration.
//
// If at least one of two accesses is a write, two different threads must never use the same element in them, whatever values the variables
// have that may differ between the accesses. distinct_elements.cpp proves this by one of three methods.
//
// An asynchronous copy may write at any time from its CopyAsync to the Wait that includes it, and other threads see the result only after a
// barrier. Until that barrier the copy is in `copies_`, and no thread, not even the one that started it, may use the elements that it
// writes. DistinctElements::never_share_an_element() must prove for each access that it uses none of them. Copies outlive barriers and
// iterations of a loop, and the elements that they write depend on how many iterations ago they began. A loop that starts copies is
// therefore visited in two ways, each time for as many iterations as its copies can last:
//
// - The first iterations of the loop are visited, with the values of the loop variable in its place. The copies that began before the loop
//   are included.
// - Consecutive iterations at an arbitrary position in the loop are visited. Only copies that began in these iterations are included. After
//   each iteration the loop variable v is replaced by v - step in the copies, so that v denotes its value in the next iteration.
#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/distinct_elements.h"
#include "ir/kernel_rules.h"
#include "ir/verify_groups.h"
#include "ir/walk.h"

namespace harp::ir {
namespace {

std::string text_of(const SharedAccess& a) {
  return cat(a.group == nullptr ? "every thread" : cat("thread ", to_string(a.group->variable)), a.writes ? " writes acc" : " reads acc",
             a.accumulator, "[", to_string(a.index), a.lanes > 1 ? cat(" step ", to_string(a.lane_step)) : "", "]");
}

/// An asynchronous copy whose elements no thread may use yet.
struct OpenCopy {
  SharedAccess access;  // the access by which the copy writes
  const CopyAsync* statement;
  int newer = -1;  // number of batches that ended after that of the copy; -1: the batch has not ended
  // whether the copy's thread has waited for the copy; other threads may use the elements only after the next barrier
  bool is_waited = false;
};

class Races : KernelRules {
 public:
  Races(Arena& arena, const Kernel& kernel) : KernelRules(kernel), syms_(arena.syms()), proofs_(syms_, loops_) {}

  void run() { body(kernel_.body); }

 private:
  using Open = std::vector<SharedAccess*>;

  bool is_shared(int accumulator) const { return kernel_.accumulators[static_cast<size_t>(accumulator)].space == Space::kShared; }

  void body(const Body& statements) {
    for (const Stmt* s : statements) {
      for_each_value(*s, [&](const UOp* root) { value(root); });
      visit(*s, [&](const auto& of) { statement(of); });
    }
  }

  void value(const UOp* root) {
    for_each_uop({root}, [&](const UOp* u) {
      if (u->kind == UKind::kAcc) access(u->buffer, u->index, u->lane_step, u->type.lanes, false);
    });
  }

  void statement(Is<AccSet, AccUpdate> auto& s) { access(s.accumulator, s.index, s.lane_step, s.value->type.lanes, true); }
  void statement(const CopyAsync& s) {
    access(s.accumulator, s.index, 1, static_cast<int>(s.length), true, &s);
    copies_.push_back({new_access(s.accumulator, s.index, 1, static_cast<int>(s.length), true), &s});
  }
  void statement(const Wait& s) {
    for (OpenCopy& copy : copies_) copy.is_waited |= copy.newer >= s.pending;
  }
  void statement(const Barrier&) {
    open_.clear();
    std::erase_if(copies_, [](const OpenCopy& copy) { return copy.is_waited; });
  }
  void statement(const StoreGroup& s) { body(s.body); }
  void statement(const Define& s) { scope(s.variable, s.body); }
  void statement(const Retry& s) { body(s.body), body(s.otherwise); }
  void statement(const If& s) {
    const auto branch = [&](bool holds) {
      const size_t known = conditions_.size();
      if (group_ != nullptr) add_condition(holds ? s.condition : Sym(-1) - s.condition, conditions_);
      body(holds ? s.body : s.otherwise);
      conditions_.resize(known);
    };
    if (!is_same_for_all_threads(s.condition)) return branch(true), branch(false);
    // All threads take the same branch.
    const Open before = open_;
    const std::vector<OpenCopy> copies_before = copies_;
    branch(true);
    const Open after = std::exchange(open_, before);
    const std::vector<OpenCopy> copies_after = std::exchange(copies_, copies_before);
    branch(false);
    if (changes_copies(s.body) || changes_copies(s.otherwise)) copies_.insert(copies_.end(), copies_after.begin(), copies_after.end());
    join(after);
  }
  void statement(const Loop& s) {
    loops_[variable_of(s.variable)] = &s;
    if (s.loop == LoopKind::kGroup) {
      group_ = &s;
      body(s.body);
      group_ = nullptr;
      if (starts_copies(s))
        for (OpenCopy& copy : copies_) ++copy.newer;
    } else if (s.loop == LoopKind::kThread) {
      open_.clear();  // each iteration has its own shared arrays, so accesses of different iterations need not be compared
      scope(s.variable, s.body);
      open_.clear();
      for (const OpenCopy& copy : copies_)
        if (!copy.is_waited) violated("a block of threads waits for its asynchronous copies, but ", text_of(copy.access), " at its end");
      copies_.clear();
    } else if (group_ == nullptr && contains_copies(s.body)) {
      loop_of_copies(s);
    } else if (has_barrier(s.body)) {
      const Open before = open_;
      for (int iteration = 0; iteration < 2; ++iteration) scope(s.variable, s.body);
      if (!proven_positive(s.end - s.begin)) join(before);
    } else {
      // without a barrier in the loop, different threads can be in different iterations at the same time
      const bool was_free = std::exchange(is_free_, true);
      scope(s.variable, s.body);
      is_free_ = was_free;
    }
  }
  void statement(Is<Store, Prefetch, Scatter, AccDeclare, AccFold, AccScan, Routine, Break, Comment> auto&) {}
  void statement(const Copy& s) {
    if (s.source >= 0 && is_shared(s.source)) access(s.source, s.from, 1, static_cast<int>(s.length.constant()), false);
    if (s.accumulator >= 0 && is_shared(s.accumulator)) access(s.accumulator, s.index, 1, static_cast<int>(s.length.constant()), true);
  }

  /// Records the reads of an Mma (a matrix product by tensor cores): a thread reads four terms of each of its rows and columns.
  void statement(const Mma& s) {
    const Sym term = syms_.loop("term", 0, 4), row = syms_.loop("tile", 0, s.row_tiles), column = syms_.loop("tile", 0, s.column_tiles);
    std::vector<const SymAtom*> added;
    for (const Sym& each : {term, row, column})
      if (!each.is_constant() && free_.insert(variable_of(each)).second) added.push_back(variable_of(each));
    access(s.rows, s.row_index + term * s.row_step + row * 8, 0, 1, false);
    access(s.columns, s.column_index + term * s.column_step + column * 8, 1, 2, false);
    for (const SymAtom* v : added) free_.erase(v);
  }

  /// Visits a loop outside of group loops that starts asynchronous copies (see the top of this file).
  void loop_of_copies(const Loop& s) {
    int most_pending = -1;
    for (const Stmt* inside : statements_of(s.body))
      if (const auto* wait = as<Wait>(inside)) most_pending = std::max(most_pending, wait->pending);
    if (most_pending < 0 || !has_barrier(s.body) || is_free_)
      violated("a loop that starts asynchronous copies waits for them and contains a barrier, but that over ", to_string(s.variable),
               " does not");
    const SymAtom* v = variable_of(s.variable);
    const int iterations = 2 + most_pending;  // a copy may still be incomplete for most_pending + 1 iterations after it began
    const Open before = open_;
    std::vector<OpenCopy> all = copies_;
    const auto keep = [&] { all.insert(all.end(), copies_.begin(), copies_.end()); };
    for (int i = 0; i < iterations && !all.empty(); ++i) {
      numbers_[v] = s.begin + i * s.step;
      body(s.body);
    }
    numbers_.erase(v);
    keep();
    copies_.clear();
    for (int i = 0; i < iterations; ++i) {
      visit_iteration(v, s.body);
      for (OpenCopy& copy : copies_) {
        const SymSubstitution next{{v, s.variable - s.step}};
        copy.access.index = substitute(copy.access.index, next);
        for (Sym& condition : copy.access.conditions) condition = substitute(condition, next);
      }
    }
    keep();
    copies_ = std::move(all);
    for (OpenCopy& copy : copies_) copy.access.varying.insert(v);
    if (!proven_positive(s.end - s.begin)) join(before);
  }

  void scope(Sym variable, const Body& statements) {
    visit_iteration(variable_of(variable), statements);
    for (OpenCopy& copy : copies_) copy.access.varying.insert(variable_of(variable));
  }
  void visit_iteration(const SymAtom* v, const Body& statements) {
    const bool is_free = is_free_ || group_ != nullptr;
    if (is_free) free_.insert(v);
    body(statements);
    free_.erase(v);
    for (SharedAccess* a : open_) a->varying.insert(v);
  }

  bool is_same_for_all_threads(Sym condition) const {
    if (is_free_) return false;
    const auto varies = [&](const SymAtom* v) { return free_.contains(v) || (group_ != nullptr && variable_of(group_->variable) == v); };
    return std::ranges::none_of(variables_of(condition), varies);
  }

  void join(const Open& more) {
    for (SharedAccess* a : more)
      if (std::ranges::find(open_, a) == open_.end()) open_.push_back(a);
  }

  static bool has_barrier(const Body& statements) {
    return std::ranges::any_of(statements_of(statements), [](const Stmt* s) { return s->kind == StmtKind::kBarrier; });
  }

  static bool changes_copies(const Body& statements) {
    return std::ranges::any_of(statements_of(statements), [](const Stmt* s) {
      return s->kind == StmtKind::kCopyAsync || s->kind == StmtKind::kWait || s->kind == StmtKind::kBarrier;
    });
  }
  static bool contains_copies(const Body& statements) {
    return std::ranges::any_of(statements_of(statements), [](const Stmt* s) { return s->kind == StmtKind::kCopyAsync; });
  }

  SharedAccess new_access(int accumulator, Sym index, Sym lane_step, int lanes, bool writes) const {
    SharedAccess made{accumulator, substitute(index, numbers_), substitute(lane_step, numbers_), lanes, writes, group_, conditions_, free_};
    for (Sym& condition : made.conditions) condition = substitute(condition, numbers_);
    return made;
  }

  /// Checks an access, and records it until the next barrier. `copy`: the asynchronous copy that makes the access; null for other accesses.
  void access(int accumulator, Sym index, Sym lane_step, int lanes, bool writes, const CopyAsync* copy = nullptr) {
    if (!is_shared(accumulator)) return;
    accesses_.push_back(new_access(accumulator, index, lane_step, lanes, writes));
    SharedAccess& now = accesses_.back();
    for (const OpenCopy& open : copies_) {
      // Whether both accesses are writes of one copy statement in the same batch. Such writes need only be distinct between different
      // threads, which is checked below.
      const bool is_same = open.statement == copy && open.newer < 0;
      if (open.access.accumulator == accumulator && !is_same && !proofs_.never_share_an_element(open.access, now))
        violated("no thread uses an element that an asynchronous copy writes before a wait for the copy and a barrier, but ",
                 text_of(open.access), " asynchronously and ", text_of(now));
    }
    const auto is_again = [&](const SharedAccess* a) {
      return a->accumulator == now.accumulator && a->index == now.index && a->lane_step == now.lane_step && a->lanes == now.lanes &&
             a->writes == now.writes && a->group == now.group && a->conditions == now.conditions && a->varying == now.varying;
    };
    if (std::ranges::any_of(open_, is_again)) return accesses_.pop_back();
    open_.push_back(&now);
    for (const SharedAccess* before : open_)
      if (before->accumulator == accumulator && (before->writes || writes) && !proofs_.threads_never_share_an_element(*before, now))
        violated("between two barriers no thread writes an element of a shared accumulator that another one uses. Expected indices that ",
                 "tell the thread, or never meet; ", text_of(*before), " and ", text_of(now));
  }

  SymTable& syms_;
  LoopsByVariable loops_;
  const DistinctElements proofs_;
  std::deque<SharedAccess> accesses_;
  Open open_;
  std::vector<OpenCopy> copies_;
  // for loops whose first iterations are visited one by one: maps the loop variable to its value in the current iteration
  SymSubstitution numbers_;
  std::vector<Sym> conditions_;
  std::set<const SymAtom*> free_;  // variables of enclosing loops and Defines whose values may differ between threads
  const Loop* group_ = nullptr;
  // Whether the current statement is outside of group loops, in a loop without a barrier. Threads may be in different iterations of such a
  // loop.
  bool is_free_ = false;
};

}  // namespace

void verify_shared(Arena& arena, const Kernel& kernel) { Races(arena, kernel).run(); }

}  // namespace harp::ir
