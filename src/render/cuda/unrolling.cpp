#include "render/cuda/unrolling.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <vector>

#include "ir/walk.h"
#include "render/kernel/scope.h"

namespace harp::render {

namespace {

using ir::as;
using ir::UOp;

// A loop that has more iterations than this is not unrolled completely, whatever its body is.
constexpr int64_t kMostIterations = 128;
// A body with this many operations or more has enough loads in flight, and needs no unrolling.
constexpr int64_t kLongBody = 256;
// Code with at most this many operations compiles quickly, so a loop may be unrolled if the result is not longer.
constexpr int64_t kShortCode = 4096;
// Compilers unroll a loop without a pragma if the unrolled code has at most about this many operations. For an enclosing loop, all of these
// operations then count as part of its body.
constexpr int64_t kUnrolledAnyway = 1024;

/// Returns the maximum number of iterations of the loop that one thread executes, as far as it is known when the text is written; INT64_MAX
/// if no bound is known.
int64_t most_iterations(const Scope& scope, const ir::Loop& loop) {
  const int64_t most = range(loop.end - loop.begin).hi;
  // The threads of the grid share the iterations of a thread loop. The grid has at least one block, so one thread executes at most
  // ceil(iterations / of_block) of them.
  const int64_t of_block = scope.group_threads > 0 ? scope.groups : scope.unit.options.target.gpu()->block_threads;
  const int64_t step = loop.loop == ir::LoopKind::kThread ? loop.step * of_block : loop.step;
  return most < 1 ? 0 : (most - 1) / step + 1;
}

/// Estimates numbers of instructions: counts each operation of the IR as one instruction.
class Operations {
 public:
  explicit Operations(const Scope& scope) : scope_(scope) {}

  /// Returns the number of operations of these statements. The operations in the body of a loop count once, or, if the loop is unrolled,
  /// once for each of its iterations.
  int64_t of(const ir::Body& body) {
    int64_t all = 0;
    for (const ir::Stmt* s : body) {
      ++all;
      ir::for_each_value(*s, [&](const UOp* root) { all += of(root, seen_); });
      int64_t inside = 0;
      ir::for_each_body(*s, [&](const ir::Body& nested) { inside += of(nested); });
      all += times(*s, inside) * inside;
    }
    return all;
  }

 private:
  /// Returns the number of times that the body of the statement occurs in the compiled code: more than once for an unrolled loop, otherwise
  /// 1. `inside` is the number of operations in the body.
  int64_t times(const ir::Stmt& s, int64_t inside) const {
    const auto* loop = as<ir::Loop>(&s);
    if (loop == nullptr || loop->loop == ir::LoopKind::kGroup) return 1;
    const int64_t iterations = most_iterations(scope_, *loop);
    if (loop->loop == ir::LoopKind::kUnroll) return std::min(iterations, kMostIterations);
    return iterations <= kMostIterations && iterations * inside <= kUnrolledAnyway ? std::max<int64_t>(1, iterations) : 1;
  }

  /// Returns the number of those operations of a value that are not yet in `seen`, and adds these operations to `seen`.
  int64_t of(const UOp* root, std::unordered_set<const UOp*>& seen) {
    int64_t all = 0;
    std::vector<const UOp*> left = {root};
    while (!left.empty()) {
      const UOp* u = left.back();
      left.pop_back();
      if (!seen.insert(u).second) continue;
      all += u->kind == ir::UKind::kCall ? of(*u->function) : 1;
      left.insert(left.end(), u->sources.begin(), u->sources.end());
    }
    return all;
  }

  int64_t of(const ir::Function& function) {
    if (const auto known = functions_.find(&function); known != functions_.end()) return known->second;
    std::unordered_set<const UOp*> seen;
    const int64_t all = of(function.body, seen);
    return functions_[&function] = all;
  }

  const Scope& scope_;
  std::unordered_set<const UOp*> seen_;
  std::map<const ir::Function*, int64_t> functions_;
};

/// Tests whether the variable of the loop selects elements of an accumulator that should be in registers. Compilers can keep such an
/// accumulator in registers only if the loop is unrolled.
bool selects_registers(const Scope& scope, const ir::Loop& loop) {
  const SymAtom* variable = variable_of(loop.variable);
  const auto selects = [&](int accumulator, Sym index) {
    if (accumulator < 0) return false;
    const ir::Accumulator& a = scope.accumulator(accumulator);
    return a.count > 1 && a.space == Space::kRegister && depends_on(index, variable);
  };
  return std::ranges::any_of(ir::statements_of(loop.body), [&](const ir::Stmt* s) {
    bool found = ir::visit(*s, ir::Overloaded{
                                   [&](ir::Is<ir::AccSet, ir::AccUpdate> auto& of) { return selects(of.accumulator, of.index); },
                                   [&](const ir::Copy& of) { return selects(of.accumulator, of.index) || selects(of.source, of.from); },
                                   [](const ir::Stmt&) { return false; },
                               });
    ir::for_each_value(*s, [&](const UOp* root) {
      found |= ir::any_uop({root}, [&](const UOp* u) { return u->kind == ir::UKind::kAcc && selects(u->buffer, u->index); });
    });
    return found;
  });
}

bool multiplies_matrices(const ir::Loop& loop) {
  return std::ranges::any_of(ir::statements_of(loop.body), [](const ir::Stmt* s) { return s->kind == ir::StmtKind::kMma; });
}

}  // namespace

std::string_view unrolling_mark(const Scope& scope, const ir::Line& line, std::span<const ir::Line>) {
  constexpr std::string_view kMark = "#pragma unroll 1";
  const auto& loop = line.as<ir::Loop>();
  if (loop.loop != ir::LoopKind::kSequential && loop.loop != ir::LoopKind::kThread) return {};
  // For sm_100 the compiler would unroll such a loop 32 times and spill registers, because it treats the matrix instruction as a short one.
  if (loop.loop == ir::LoopKind::kSequential && multiplies_matrices(loop)) return kMark;
  const int64_t iterations = most_iterations(scope, loop);
  if (iterations < 2 || iterations > kMostIterations) return {};
  const int64_t operations = Operations(scope).of(loop.body);
  return operations >= kLongBody && operations * iterations > kShortCode && !selects_registers(scope, loop) ? kMark : std::string_view();
}

}  // namespace harp::render
