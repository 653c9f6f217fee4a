#include "render/cost.h"

#include <algorithm>
#include <set>

namespace harp::render {

using ir::LoopKind;
using ir::Stmt;
using ir::StmtKind;
using ir::UKind;
using ir::UOp;

namespace {

constexpr int64_t kCallCost = 15, kMemoryCost = 2, kUnknownTrips = 64;
constexpr int64_t kScanCost = 40;  // of a group
constexpr int64_t kRoutineCost = 60;  // of an element

int64_t cost_of_values(const Stmt& s) {
  std::vector<const UOp*> stack;
  for (const UOp* root : ir::roots_of(s))
    if (root != nullptr) stack.push_back(root);
  std::set<const UOp*> seen;
  int64_t cost = 0;
  while (!stack.empty()) {
    const UOp* u = stack.back();
    stack.pop_back();
    if (!seen.insert(u).second) continue;
    if (u->kind == UKind::kAlu) cost += info(u->op).cost;
    if (u->kind == UKind::kCall) cost += kCallCost;
    if (ir::is_read(u)) cost += kMemoryCost;
    stack.insert(stack.end(), u->sources.begin(), u->sources.end());
  }
  return cost;
}

/// Where the loops around a statement begin, as expressions of shape variables.
using Beginnings = SymSubstitution;

/// Trips of a loop, or rows of a routine, as an expression of shape variables: how many there are in the first iteration of the loops around it, which is of a
/// block as full as any; where that is none, a bound from above.
Sym trips(const Stmt& loop, const Beginnings& outside) {
  const Sym count = ceil_div(loop.end - loop.begin, loop.step), first = substitute(count, outside);
  const SymRange r = range(count);
  if (range(first).hi <= 0) return r.hi > 0 && r.hi < (int64_t{1} << 20) ? Sym(r.hi) : Sym(kUnknownTrips);
  return proven_nonnegative(first) ? first : max(first, 0);
}

Sym work(const std::vector<Stmt*>& body, const Beginnings& outside) {
  Sym total = 0;
  for (const Stmt* s : body) {
    if (s->kind == StmtKind::kLoop) {
      Beginnings inside = outside;
      inside[variable_of(s->variable)] = substitute(s->begin, outside);
      total += (s->loop == LoopKind::kThread ? Sym(1) : trips(*s, outside)) * work(s->body, inside);
    } else if (s->kind == StmtKind::kIf) {
      total += max(work(s->body, outside), work(s->otherwise, outside));
    } else if (s->kind == StmtKind::kBlock) {
      total += work(s->body, outside);
    } else if (s->kind == StmtKind::kStore || s->kind == StmtKind::kAccSet || s->kind == StmtKind::kAccUpdate) {
      total += cost_of_values(*s) + kMemoryCost;
    } else if (s->kind == StmtKind::kScatterAdd) {
      total += cost_of_values(*s) + 2 * kMemoryCost;
    } else if (s->kind == StmtKind::kAccScan) {
      total += kScanCost;
    } else if (s->kind == StmtKind::kRoutine) {
      total += trips(*s, outside) * max(s->length, 0) * kRoutineCost;
    }
  }
  return total;
}

}  // namespace

const Stmt* thread_loop(const ir::Kernel& kernel) {
  const bool threads = kernel.body.size() == 1 && kernel.body[0]->kind == StmtKind::kLoop && kernel.body[0]->loop == LoopKind::kThread;
  return threads ? kernel.body[0] : nullptr;
}

Sym iterations(const ir::Kernel& kernel) {
  const Stmt* loop = thread_loop(kernel);
  return loop == nullptr ? Sym(1) : ceil_div(loop->end - loop->begin, loop->step);
}

Sym work_of_iteration(const ir::Kernel& kernel) { return work(kernel.body, {}); }

}  // namespace harp::render
