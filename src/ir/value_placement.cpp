// Decides in which open block each value is computed, and emits the lines that give values their names.
#include "ir/value_placement.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "ir/depth_first.h"
#include "ir/split_index.h"

namespace harp::ir {
namespace {

/// Maximum number of operations of an expression that is written at its use. A value with a larger expression gets a name.
constexpr int kLargestExpression = 4;
/// If at least this many accesses to an accumulator in memory have indices that differ only by a constant, the common part of the index
/// gets a name. Otherwise the C compiler analyses each address separately, which took a fifth of the compile time of a convolution.
constexpr int kFewestAccesses = 3;

void append_roots(const Body& body, std::vector<const UOp*>& roots) {
  for (const Stmt* s : body) {
    for_each_value(*s, [&](const UOp* root) { roots.push_back(root); });
    for_each_body(*s, [&](const Body& inside) { append_roots(inside, roots); });
  }
}

bool contains(const std::vector<Sym>& guards, Sym guard) { return std::find(guards.begin(), guards.end(), guard) != guards.end(); }

/// Tests whether generated code extracts single lanes of this source, as it does for the condition and the arguments of kRarely. Such a
/// source must be a named variable.
bool is_indexed(const UOp* user, const UOp* source) { return user->kind == UKind::kRarely && source != user->sources[1]; }

}  // namespace

std::vector<const UOp*> values_of(const Stmt& s) {
  std::vector<const UOp*> values;
  for_each_value(s, [&](const UOp* u) { values.push_back(u); });
  return values;
}

std::vector<const UOp*> roots_of(const Body& body) {
  std::vector<const UOp*> roots;
  append_roots(body, roots);
  return roots;
}

ValuePlacement::ValuePlacement(const Kernel& kernel)
    : params_(kernel.params),
      acc_level_(kernel.accumulators.size(), 0),
      declared_level_(acc_level_),
      branches_(kernel.body),
      accumulators_(kernel.accumulators),
      parameters_(parameter_names(kernel)) {
  count_uses(roots_of(kernel.body));
  for (const Stmt* s : statements_of(kernel.body))
    visit(*s, Overloaded{[&](Is<AccSet, AccUpdate> auto& of) { count_access(of.accumulator, of.index); }, [](const Stmt&) {}});
}

ValuePlacement::ValuePlacement(const Function& function) { count_uses({&function.body, 1}); }

void ValuePlacement::count_uses(std::span<const UOp* const> roots) {
  std::vector<const UOp*> all;
  std::unordered_set<const UOp*> seen;
  const auto is_new = [&](const UOp* u) { return seen.insert(u).second; };
  for (const UOp* root : roots) {
    ++uses_[root];
    append_depth_first(root, is_new, all);
  }
  for (const UOp* u : all)
    if (u->kind == UKind::kAcc) count_access(u->buffer, u->index);
  for (auto u = all.rbegin(); u != all.rend(); ++u)  // users before sources
    for (const UOp* s : (*u)->sources) uses_[s] += (*u)->kind == UKind::kSplat ? uses_[*u] : 1;
}

const SymNode* ValuePlacement::common_part(int accumulator, Sym index) const {
  const Accumulator& a = accumulators_[static_cast<size_t>(accumulator)];
  // The elements of a spread accumulator are in the registers of several threads and have no address.
  if (!a.is_row || a.spread > 0 || index.is_constant()) return nullptr;
  const std::vector<SymTerm>& terms = index.node()->terms;
  const bool is_variable = terms.size() == 1 && terms[0].coefficient == 1 && terms[0].factors.size() == 1;
  const Sym part = index - index.node()->constant;
  // In C, a pointer must not point before its array, not even for a moment: gcc 12 at -O3 removes stores to elements that are read through
  // such a pointer.
  return is_variable || range(part).lo < 0 ? nullptr : part.node();
}

void ValuePlacement::count_access(int accumulator, Sym index) {
  if (const SymNode* part = common_part(accumulator, index)) ++accesses_[{accumulator, part->id}];
}

void ValuePlacement::define_address(int buffer, Sym index, int level) {
  const SplitIndex split = split_index(index, blocks_.innermost_loop(level));
  blocks_.define_offsets(split.rest);
  if (split.row.empty()) return;
  blocks_.define_offsets(split.row);
  blocks_.define_pointer(buffer, split.row, blocks_.level_of(split.row), cat(parameters_[buffer], "_row"));
}

void ValuePlacement::define_element(int accumulator, Sym index) {
  blocks_.define_offsets(index);
  const SymNode* part = common_part(accumulator, index);
  if (part == nullptr || accesses_[{accumulator, part->id}] < kFewestAccesses) return;
  const Terms terms{part->terms};
  blocks_.define_pointer(static_cast<int>(params_.size()) + accumulator, terms,
                         std::max(blocks_.level_of(terms), declared_level_[accumulator]), cat("row", accumulator, "_at"));
}

void ValuePlacement::restrict_load(Placement& placement) {
  for (int level = here(); level > placement.level; --level) {
    if (blocks_[level].conditional) placement.level = level;
    if (const Sym guard = trip_guard(blocks_[level]); !guard.is_constant())
      placement.level = std::max(placement.level, blocks_.level_of(guard));
  }
  for (int level = here(); level > placement.level; --level)
    if (const Sym guard = trip_guard(blocks_[level]); !guard.is_constant() && !contains(placement.guards, guard))
      placement.guards.push_back(guard);
}

ValuePlacement::Placement ValuePlacement::placement_of(const UOp* u, const std::unordered_map<const UOp*, Placement>& planned) {
  Placement placement;
  std::vector<int>& accumulators = accumulators_of_[u];
  accumulators.clear();
  for (const UOp* s : u->sources) {
    int level = 0;
    if (const auto found = planned.find(s); found != planned.end()) {
      level = found->second.level;
      for (Sym g : found->second.guards)
        if (!contains(placement.guards, g)) placement.guards.push_back(g);
    } else {
      const OpenBlocks::Found named = blocks_.find_named(s);
      HARP_ASSERT(named.named != nullptr, "no open block has computed the value ", describe(*s));
      level = named.level;
      for (Sym g : *named.guards)
        if (!contains(placement.guards, g)) placement.guards.push_back(g);
    }
    placement.level = std::max(placement.level, level);
    for (int a : accumulators_of_[s])
      if (std::find(accumulators.begin(), accumulators.end(), a) == accumulators.end()) accumulators.push_back(a);
  }
  placement.level = std::max({placement.level, blocks_.level_of(u->index), blocks_.level_of(u->lane_step), blocks_.level_of(u->stride)});
  if (u->kind == UKind::kAcc) {
    accumulators.push_back(u->buffer);
    placement.level = std::max(placement.level, acc_level_[u->buffer]);
    // A read of an accumulator is not hoisted out of an enclosing If or Retry, because statements inside it may change the accumulator.
    for (int level = here(); level > placement.level; --level)
      if (blocks_[level].conditional) placement.level = level;
  }
  if (is_read(u) || u->kind == UKind::kCheck) restrict_load(placement);
  // If all uses of the value are inside one branch of an If in its block, the value is computed in that branch instead. A branch executes
  // at most once for each execution of the block, so this causes no repeated work.
  while (placement.level < here() && blocks_[placement.level + 1].branch > 0 &&
         branches_.contains_uses(blocks_[placement.level + 1].branch, u))
    ++placement.level;
  return placement;
}

std::vector<const UOp*> ValuePlacement::pending(std::span<const UOp* const> roots) const {
  std::vector<const UOp*> found;
  std::unordered_set<const UOp*> seen;
  const auto is_new = [&](const UOp* u) { return !blocks_.is_named(u) && seen.insert(u).second; };
  for (const UOp* root : roots) append_depth_first(root, is_new, found);
  return found;
}

std::vector<const UOp*> ValuePlacement::pending_in_steps(std::span<const std::vector<const UOp*>> roots_of_steps) const {
  std::vector<std::vector<const UOp*>> steps;
  size_t longest = 0;
  for (const std::vector<const UOp*>& roots : roots_of_steps) longest = std::max(longest, steps.emplace_back(pending(roots)).size());
  std::vector<const UOp*> found;
  std::unordered_set<const UOp*> seen;
  for (size_t i = 0; i < longest; ++i)
    for (const std::vector<const UOp*>& step : steps)
      if (i < step.size() && seen.insert(step[i]).second) found.push_back(step[i]);
  return found;
}

void ValuePlacement::need(std::span<const UOp* const> roots, bool name_roots) {
  blocks_.hold_guards();  // records the guards that find_named() uses
  name_below(roots, pending(roots), name_roots);
}

void ValuePlacement::need_in_steps(std::span<const UOp* const> roots, std::span<const std::vector<const UOp*>> roots_of_steps) {
  in_block_ = true;
  blocks_.hold_guards();
  name_below(roots, pending_in_steps(roots_of_steps), false);
  in_block_ = false;
}

void ValuePlacement::name_below(std::span<const UOp* const> roots, const std::vector<const UOp*>& values, bool name_roots) {
  std::unordered_map<const UOp*, Placement> planned;
  for (const UOp* u : values) planned[u] = placement_of(u, planned);
  for (const UOp* root : roots)
    if (const auto p = planned.find(root); p != planned.end()) p->second.hoisted |= name_roots || p->second.level < here();
  // Users are visited before their sources, because whether a source needs a name may depend on its user: a trivial value such as a splat
  // is written again at each use, so its source needs a name if the splat would need one.
  for (auto u = values.rbegin(); u != values.rend(); ++u) {
    const Placement& user = planned[*u];
    for (const UOp* s : (*u)->sources)
      if (const auto p = planned.find(s); p != planned.end())
        p->second.hoisted |= p->second.level < user.level || (is_trivial(*u) && user.hoisted) || is_indexed(*u, s);
  }
  for (const UOp* u : values) emit(u, planned, std::find(roots.begin(), roots.end(), u) != roots.end());
}

void ValuePlacement::emit(const UOp* u, std::unordered_map<const UOp*, Placement>& planned, bool is_root) {
  Placement& placement = planned[u];
  blocks_.define_offsets(u->lane_step);
  blocks_.define_offsets(u->stride);
  if (is_read(u))
    define_address(u->buffer, u->index, placement.level);
  else if (u->kind == UKind::kAcc)
    define_element(u->buffer, u->index);
  else
    blocks_.define_offsets(u->index);
  const bool is_in_memory = u->kind == UKind::kAcc && accumulators_[static_cast<size_t>(u->buffer)].is_row;
  if (u->kind == UKind::kSplat || (is_trivial(u) && !is_in_memory)) {
    for (const UOp* s : u->sources)
      if (const auto p = planned.find(s); p != planned.end()) placement.size += p->second.size;
    return;
  }
  placement.size = u->kind == UKind::kCall || u->kind == UKind::kGather || u->op == Op::kFma || u->op == Op::kWhere ? 2 : 1;
  for (const UOp* s : u->sources)
    if (const auto p = planned.find(s); p != planned.end()) placement.size += p->second.size;
  const bool may_interleave = in_block_ && u->kind == UKind::kCall && !is_small(*u->function);
  const bool named = uses_[u] > 1 || placement.hoisted || (placement.size > kLargestExpression && !is_root) || !placement.guards.empty() ||
                     u->kind == UKind::kRarely || may_interleave;
  if (!named) return;
  placement.size = 0;
  // Only loads and checks are executed under their guards. Any other operation may be computed unconditionally: it causes no fault, and
  // where the guards do not hold, its result is not used.
  Line let{.kind = LineKind::kLet, .value = u, .names = blocks_.mentioned(u->sources)};
  if (is_read(u) || u->kind == UKind::kCheck) let.guards = placement.guards;
  const std::vector<Line>& before = blocks_[placement.level].lines;
  let.is_alike = may_interleave && !before.empty() && are_alike(before.back(), let);
  blocks_.name_value(placement.level, std::move(let), placement.guards);
}

bool ValuePlacement::are_alike(const Line& first, const Line& second) {
  if (first.kind != LineKind::kLet || first.value->kind != UKind::kCall) return false;
  const auto is_first = [&](const auto& named) { return named.first == first.value; };
  return first.value->function == second.value->function && first.value->type == second.value->type &&
         std::none_of(second.names.begin(), second.names.end(), is_first);
}

void ValuePlacement::forget(int accumulator) {
  blocks_.forget([&](const UOp* u) {
    const std::vector<int>& used = accumulators_of_[u];
    return std::find(used.begin(), used.end(), accumulator) != used.end();
  });
}

std::vector<int> ValuePlacement::accumulators_in_text(const UOp* root) const {
  std::vector<int> found;
  for (const UOp* u : pending({&root, 1}))
    if (u->kind == UKind::kAcc && std::find(found.begin(), found.end(), u->buffer) == found.end()) found.push_back(u->buffer);
  return found;
}

void ValuePlacement::name_here(const UOp* u) {
  while (u->kind == UKind::kSplat) u = u->sources[0];
  if (u->kind == UKind::kAcc)
    blocks_.name_value(here(), {.kind = LineKind::kLet, .value = u}, {});
  else
    need({&u, 1}, true);
}

void ValuePlacement::name_loads(const Stmt& store) {
  std::vector<const UOp*> loads;
  for (const UOp* u : pending(values_of(store)))
    if (u->kind == UKind::kLoad) loads.push_back(u);
  need(loads, true);
}

}  // namespace harp::ir
