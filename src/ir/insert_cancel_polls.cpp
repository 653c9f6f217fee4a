// Chooses where a kernel polls the cancel flag of its run. The host code distributes the iterations of the thread loop in shares of about a
// millisecond and polls between the shares. Inside an iteration, and in a kernel without a thread loop, a loop nest that may run long polls
// in the innermost loop whose iterations take so long that the cost of a poll is negligible. If it has no such loop, it polls only in a
// kernel without a thread loop: its outermost loop polls after every few hundred or thousand iterations. Neither group loops nor loops
// inside them poll: a thread that left the loop would never arrive at the next barrier, where the other threads of the block would wait
// forever.
#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "ir/rewrite.h"

namespace harp::ir {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();
// The unit of all times below is the time of one vector statement, which is half a nanosecond or more. A loop whose total time is at most
// kShort, about a tenth of a millisecond, does not poll.
constexpr double kShort = 1 << 18;
// if an iteration takes at least the time of this many vector statements, a poll in every iteration costs little
constexpr double kOnePoll = 64;
constexpr int64_t kManyShort = 1 << 14;  // if iterations are shorter than kOnePoll: the time between two polls, in vector statements
constexpr double kFewIterations = 8;     // assumed trip count of a loop whose bounds are unknown, when deciding whether polling is cheap
constexpr int kMaxReplaced = 4;

/// Returns an upper bound of e over all values of its variables; nullopt if none is known. Uses that a minimum is at most each of its
/// operands, and that c * (x // c) is at most x and greater than x - c.
std::optional<int64_t> most(Sym e, int depth = 0) {
  if (e.is_constant()) return e.constant();
  std::optional<int64_t> least_bound;
  const auto bound = [&](std::optional<int64_t> b) {
    if (b) least_bound = std::min(least_bound.value_or(*b), *b);
  };
  if (const int64_t hi = range(e).hi; hi < std::numeric_limits<int64_t>::max()) bound(hi);
  for (const SymTerm& term : e.node()->terms) {
    if (depth == kMaxReplaced || term.factors.size() != 1) continue;
    const SymAtom& atom = *term.factors[0];
    const Sym rest = e - atom.alone * term.coefficient;
    if (atom.kind == AtomKind::kMin && term.coefficient == 1) {
      bound(most(rest + atom.a, depth + 1));
      bound(most(rest + atom.b, depth + 1));
    } else if (atom.kind == AtomKind::kFloorDiv && atom.b.is_constant(term.coefficient) && term.coefficient > 0) {
      bound(most(rest + atom.a, depth + 1));
    } else if (atom.kind == AtomKind::kFloorDiv && atom.b.is_constant(-term.coefficient) && term.coefficient < 0) {
      bound(most(rest - atom.a + (-term.coefficient - 1), depth + 1));
    }
  }
  return least_bound;
}

/// Estimates of the time that a statement takes. `most` is an upper bound; it decides whether a loop may run so long that it needs a poll.
/// `usual` is a typical value; it decides whether an iteration is long enough to contain a poll.
struct Cost {
  double most = 0, usual = 0;
  Cost& operator+=(const Cost& other) {
    most += other.most, usual += other.usual;
    return *this;
  }
};

class LongLoops {
 public:
  /// Returns the cost of the statements and sets poll_interval of the loops among them that must poll. `is_inside` says that the statements
  /// are inside a loop, or that the kernel has a thread loop; in that case loops with short iterations do not poll.
  Cost body(const Body& statements, bool is_inside) {
    Cost cost;
    for (Stmt* s : statements) cost += statement(*s, is_inside);
    return cost;
  }

 private:
  Cost statement(Stmt& s, bool is_inside) {
    return visit(s, Overloaded{
                        [&](Loop& of) { return loop(of, is_inside); },
                        [&](Is<Define, StoreGroup> auto& of) { return body(of.body, is_inside); },
                        [&](Is<If, Retry> auto& of) {
                          const Cost one = body(of.body, is_inside), other = body(of.otherwise, is_inside);
                          return Cost{std::max(one.most, other.most), std::max(one.usual, other.usual)};
                        },
                        [](Routine&) {
                          return Cost{kUnknown, kUnknown};
                        },  // the routine polls the cancel flag itself, and its time is unknown
                        [](Copy& of) {
                          const std::optional<int64_t> elements = most(of.rows * of.length);
                          return elements ? Cost{static_cast<double>(*elements), static_cast<double>(*elements)} : Cost{kUnknown, kOnePoll};
                        },
                        [](Is<Wait, Barrier, Comment> auto&) { return Cost{}; },
                        [](Is<Store, Prefetch, Scatter, AccDeclare, AccSet, AccUpdate, AccFold, AccScan, CopyAsync, Break, Mma> auto&) {
                          return Cost{1, 1};
                        },
                    });
  }

  Cost loop(Loop& s, bool is_inside) {
    const int before = polls_;
    const bool was_in_group = std::exchange(in_group_, in_group_ || s.loop == LoopKind::kGroup);
    const Cost once = body(s.body, true);
    const bool is_in_group = std::exchange(in_group_, was_in_group) || was_in_group;
    if (s.poll_interval > 0) ++polls_;
    if (s.loop == LoopKind::kThread) return once;
    const std::optional<int64_t> length = most(s.end - s.begin);
    const double step = static_cast<double>(s.step), known = length ? std::max(0.0, static_cast<double>(*length) / step) : kUnknown;
    const Cost all{once.most == 0 ? 0 : known * once.most, (length ? known : kFewIterations) * once.usual};
    if (polls_ > before || all.most <= kShort || is_in_group) return all;
    if (once.usual >= kOnePoll)
      s.poll_interval = 1;
    else if (!is_inside && !s.overlap)
      s.poll_interval = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(kManyShort / std::max(1.0, once.usual))));
    else
      return all;
    ++polls_;
    return all;
  }

  int polls_ = 0;
  bool in_group_ = false;
};

}  // namespace

void insert_cancel_polls(Kernel& kernel) { LongLoops().body(kernel.body, thread_loop(kernel) != nullptr); }

}  // namespace harp::ir
