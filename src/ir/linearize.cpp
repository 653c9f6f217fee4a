// Makes the linear form of a kernel. Statements are visited in order with a stack of open blocks (open_blocks.h). Each block collects its
// lines. If a statement needs a value, the line that computes the value is appended to the innermost block that defines a variable on which
// the value depends. When a block closes, its lines are appended to its parent block. A value that is invariant in an inner loop is
// therefore computed before that loop. A value that only one branch of an If uses is computed in that branch, unless it is invariant in a
// loop around the If.
#include "ir/linearize.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "ir/branches.h"
#include "ir/depth_first.h"
#include "ir/open_blocks.h"
#include "ir/rewrite.h"

namespace harp::ir {
namespace {

/// Maximum number of operations of an expression that is written at its use. A value with a larger expression gets a name.
constexpr int kLargestExpression = 4;
/// If at least this many accesses to an accumulator in memory have indices that differ only by a constant, the common part of the index
/// gets a name. Otherwise the C compiler analyses each address separately, which was a fifth of the compile time of a convolution.
constexpr int kFewestAccesses = 3;

/// The place where a value will be computed: the level of a block, and guards. A guard is an expression; the value is needed in that block
/// only if all guards are >= 0.
struct Placement {
  int level = 0;
  std::vector<Sym> guards;
  int size = 0;
  bool hoisted = false;
};

void visit_roots(const Body& body, auto&& f) {
  for (const Stmt* s : body) {
    for_each_value(*s, [&](const UOp* root) { f(root); });
    for_each_body(*s, [&](const Body& inside) { visit_roots(inside, f); });
  }
}

/// Returns the accumulators that the statements change: those they set, update, fold or scan.
std::vector<int> changed_accumulators(const Body& body) {
  std::vector<int> changed;
  for (const Stmt* s : statements_of(body)) for_each_changed_accumulator(*s, [&](int accumulator) { changed.push_back(accumulator); });
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return changed;
}

bool contains(const std::vector<Sym>& guards, Sym guard) { return std::find(guards.begin(), guards.end(), guard) != guards.end(); }

/// Returns the number of unrolled steps of the group. The group lists, for each statement of the loop body, one Store per step, so the
/// function counts the Stores before the first Store to another parameter. If adjacent statements store to the same parameter, the result
/// is a multiple of the number of steps.
size_t steps_of(const StoreGroup& group) {
  const auto other = std::ranges::find_if(
      group.body, [&](const Stmt* s) { return harp::ir::as<Store>(s)->buffer != harp::ir::as<Store>(group.body[0])->buffer; });
  return static_cast<size_t>(other - group.body.begin());
}

/// Tests whether generated code extracts single lanes of this source, as it does for the condition and the arguments of kRarely. Such a
/// source must be a named variable.
bool is_indexed(const UOp* user, const UOp* source) { return user->kind == UKind::kRarely && source != user->sources[1]; }

class Linearizer {
 public:
  explicit Linearizer(const Kernel* kernel) {
    if (kernel == nullptr) return;
    params_ = kernel->params;
    accumulators_ = kernel->accumulators;
    parameters_ = parameter_names(*kernel);
    acc_level_.assign(kernel->accumulators.size(), 0);
    declared_level_ = acc_level_;
    count_uses([&](auto&& visit) { visit_roots(kernel->body, visit); });
    branches_ = Branches(kernel->body);
    for (const Stmt* s : statements_of(kernel->body))
      visit(*s, Overloaded{[&](Is<AccSet, AccUpdate> auto& of) { count_access(of.accumulator, of.index); }, [](const Stmt&) {}});
  }

  std::vector<Line> kernel(const Kernel& kernel) {
    statements(kernel.body);
    return blocks_.close();
  }

  std::vector<Line> function(const Function& function) {
    count_uses([&](auto&& visit) { visit(function.body); });
    need({&function.body, 1});
    line({.kind = LineKind::kReturn, .value = function.body, .names = blocks_.mentioned({&function.body, 1})});
    return blocks_.close();
  }

 private:
  int here() const { return blocks_.innermost(); }
  void line(Line l) { blocks_.line(std::move(l)); }

  // Counts the uses of every value of the kernel. A splat is written again at each of its uses, so each use of it counts as a use of its
  // source.
  void count_uses(auto&& for_each_root) {
    std::vector<const UOp*> all;
    std::unordered_set<const UOp*> seen;
    const auto is_new = [&](const UOp* u) { return seen.insert(u).second; };
    for_each_root([&](const UOp* root) {
      ++uses_[root];
      append_depth_first(root, is_new, all);
    });
    for (const UOp* u : all)
      if (u->kind == UKind::kAcc) count_access(u->buffer, u->index);
    for (auto u = all.rbegin(); u != all.rend(); ++u)  // users before sources
      for (const UOp* s : (*u)->sources) uses_[s] += (*u)->kind == UKind::kSplat ? uses_[*u] : 1;
  }

  /// Returns `index`, the index of an element of an accumulator, without its constant term; accesses with equal common parts share a
  /// pointer. Returns null if the common part is too simple for a pointer to pay off, or if the accumulator is not an array in memory.
  const SymNode* common_part(int accumulator, Sym index) const {
    const Accumulator& a = accumulators_[static_cast<size_t>(accumulator)];
    // The elements of a spread accumulator are in the registers of several threads and have no address.
    if (!a.is_row || a.spread > 0 || index.is_constant()) return nullptr;
    const std::vector<SymTerm>& terms = index.node()->terms;
    const bool is_variable = terms.size() == 1 && terms[0].coefficient == 1 && terms[0].factors.size() == 1;
    return is_variable ? nullptr : (index - index.node()->constant).node();
  }
  void count_access(int accumulator, Sym index) {
    if (const SymNode* part = common_part(accumulator, index)) ++accesses_[{accumulator, part->id}];
  }

  /// Defines the names that the text of an access to `buffer` at `index` needs: a pointer to the row, and the integer operations in the
  /// index. The access is in a line of the block at `level`.
  void define_address(int buffer, Sym index, int level) {
    const SplitIndex split = split_index(index, blocks_.innermost_loop(level));
    blocks_.define_offsets(split.rest);
    if (split.row.empty()) return;
    blocks_.define_offsets(split.row);
    blocks_.define_pointer(buffer, split.row, blocks_.level_of(split.row), cat(parameters_[buffer], "_row"));
  }
  /// Defines the names that the text of an access to element `index` of an accumulator needs: the integer operations in the index and, if
  /// several accesses share the common part of the index, a pointer.
  void define_element(int accumulator, Sym index) {
    blocks_.define_offsets(index);
    const SymNode* part = common_part(accumulator, index);
    if (part == nullptr || accesses_[{accumulator, part->id}] < kFewestAccesses) return;
    const Terms terms{part->terms};
    blocks_.define_pointer(static_cast<int>(params_.size()) + accumulator, terms,
                           std::max(blocks_.level_of(terms), declared_level_[accumulator]), cat("row", accumulator, "_at"));
  }
  /// Limits how far a load or a check may be hoisted. It must stay inside its If. It may be hoisted out of a loop that can run zero times
  /// only under a guard. Both rules apply to masked loads, too, because parts of the mask may have become conditions of enclosing loops and
  /// Ifs.
  void restrict_load(Placement& placement) {
    for (int level = here(); level > placement.level; --level) {
      if (blocks_[level].conditional) placement.level = level;
      if (const Sym guard = trip_guard(blocks_[level]); !guard.is_constant())
        placement.level = std::max(placement.level, blocks_.level_of(guard));
    }
    for (int level = here(); level > placement.level; --level)
      if (const Sym guard = trip_guard(blocks_[level]); !guard.is_constant() && !contains(placement.guards, guard))
        placement.guards.push_back(guard);
  }

  Placement placement_of(const UOp* u, const std::unordered_map<const UOp*, Placement>& planned) {
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
      // A read of an accumulator is not hoisted out of an enclosing If, because statements in that If may change the accumulator.
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

  /// Returns those of the roots and of their transitive sources that have no name, that is, no variable in the generated text. Sources come
  /// before users.
  std::vector<const UOp*> pending(std::span<const UOp* const> roots) const {
    std::vector<const UOp*> found;
    std::unordered_set<const UOp*> seen;
    const auto is_new = [&](const UOp* u) { return !blocks_.is_named(u) && seen.insert(u).second; };
    for (const UOp* root : roots) append_depth_first(root, is_new, found);
    return found;
  }

  /// Returns the unnamed values of the steps of a group, interleaved: the first value of every step, then the second value of every step,
  /// and so on. A value that several steps share is listed once, at its earliest position, so sources still come before users.
  std::vector<const UOp*> pending_in_steps(std::span<const std::vector<const UOp*>> roots_of_steps) const {
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

  /// Decides which of the roots and of their transitive sources get a name (see linearize.h), and emits the lines that define the names.
  /// With `name_roots` every root gets a name.
  void need(std::span<const UOp* const> roots, bool name_roots = false) {
    blocks_.hold_guards();  // records the guards that find_named() uses
    name_below(roots, pending(roots), name_roots);
  }
  /// Does what need() does, but for unnamed values that the caller has collected: `values` contains the roots and their transitive sources,
  /// which are emitted in that order. The caller must have called blocks_.hold_guards() at this point of the kernel.
  void name_below(std::span<const UOp* const> roots, const std::vector<const UOp*>& values, bool name_roots) {
    std::unordered_map<const UOp*, Placement> planned;
    for (const UOp* u : values) planned[u] = placement_of(u, planned);
    for (const UOp* root : roots)
      if (const auto p = planned.find(root); p != planned.end()) p->second.hoisted |= name_roots || p->second.level < here();
    // Users are visited before their sources, so that a requirement on a user reaches its sources in the same pass: a trivial value such as
    // a splat is written again at each use, so its source needs a name if the splat would need one.
    for (auto u = values.rbegin(); u != values.rend(); ++u) {
      const Placement& user = planned[*u];
      for (const UOp* s : (*u)->sources)
        if (const auto p = planned.find(s); p != planned.end())
          p->second.hoisted |= p->second.level < user.level || (is_trivial(*u) && user.hoisted) || is_indexed(*u, s);
    }
    for (const UOp* u : values) emit(u, planned, std::find(roots.begin(), roots.end(), u) != roots.end());
  }

  void emit(const UOp* u, std::unordered_map<const UOp*, Placement>& planned, bool is_root) {
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
    const bool named = uses_[u] > 1 || placement.hoisted || (placement.size > kLargestExpression && !is_root) ||
                       !placement.guards.empty() || u->kind == UKind::kRarely || may_interleave;
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

  /// Tests whether both lines call the same function and the call in `second` does not use the result of the call in `first`.
  static bool are_alike(const Line& first, const Line& second) {
    if (first.kind != LineKind::kLet || first.value->kind != UKind::kCall) return false;
    const auto is_first = [&](const auto& named) { return named.first == first.value; };
    return first.value->function == second.value->function && first.value->type == second.value->type &&
           std::none_of(second.names.begin(), second.names.end(), is_first);
  }

  /// Marks as stale the names of all values that are computed from this accumulator, which is about to change.
  void forget(int accumulator) {
    blocks_.forget([&](const UOp* u) {
      const std::vector<int>& used = accumulators_of_[u];
      return std::find(used.begin(), used.end(), accumulator) != used.end();
    });
  }

  void statements(const Body& body) {
    const auto store_at = [&](size_t i) { return i < body.size() ? harp::ir::as<Store>(body[i]) : nullptr; };
    for (size_t i = 0; i < body.size(); ++i) {
      // An output may be the same memory as an input (in-place elementwise). Therefore all loads of a run of consecutive stores come before
      // the first store of the run.
      if (store_at(i) != nullptr && (i == 0 || store_at(i - 1) == nullptr))
        for (size_t next = i + 1; store_at(next) != nullptr; ++next) name_loads(*store_at(next));
      statement(*body[i]);
    }
  }

  std::vector<const UOp*> values_of(const Stmt& s) const {
    std::vector<const UOp*> values;
    for_each_value(s, [&](const UOp* u) { values.push_back(u); });
    return values;
  }

  void line_of(const StoreGroup& s) {
    if (harp::ir::as<AccSet>(s.body[0]) != nullptr) return sets_at_once(s);
    std::vector<const UOp*> roots;
    std::vector<std::vector<const UOp*>> roots_of_steps(steps_of(s));
    for (size_t i = 0; i < s.body.size(); ++i) {
      name_loads(*s.body[i]);
      for_each_value(*s.body[i], [&](const UOp* u) {
        roots.push_back(u);
        roots_of_steps[i % roots_of_steps.size()].push_back(u);
      });
    }
    in_block_ = true;
    blocks_.hold_guards();
    name_below(roots, pending_in_steps(roots_of_steps), false);
    in_block_ = false;
    for (const Stmt* store : s.body) statement(*store);
  }

  /// An assignment to an accumulator (AccSet) that belongs to a StoreGroup, a group of statements that execute as if at the same time.
  /// `reads`: the accumulators that the generated expression of the assigned value reads.
  struct SetAtOnce {
    const AccSet* set;
    std::vector<int> reads;
    std::vector<std::pair<const UOp*, std::string>> names = {};  // will become Line::names of the line of this AccSet
  };
  /// Linearises the AccSets of a StoreGroup, which execute as if at the same time. The generated expression of a value reads accumulators
  /// at the point where its AccSet is written. Therefore an AccSet is written after all others of the group whose values read its
  /// accumulator. If AccSets read each other's accumulators in a cycle, the value of one of them is computed and named before all AccSets
  /// of the group.
  void sets_at_once(const StoreGroup& s) {
    std::vector<const UOp*> roots;
    for (const Stmt* each : s.body) roots.push_back(harp::ir::as<AccSet>(each)->value);
    need(roots);
    std::vector<SetAtOnce> left, ordered;
    for (const Stmt* each : s.body) left.push_back({harp::ir::as<AccSet>(each), accumulators_in_text(harp::ir::as<AccSet>(each)->value)});
    const auto reads_other = [&](const SetAtOnce& one, const SetAtOnce& other) {
      return &one != &other && std::ranges::find(one.reads, other.set->accumulator) != one.reads.end();
    };
    while (!left.empty()) {
      const auto next = std::ranges::find_if(left, [&](const SetAtOnce& one) {
        return std::ranges::none_of(left, [&](const SetAtOnce& other) { return reads_other(other, one); });
      });
      if (next != left.end()) {
        ordered.push_back(*next);
        left.erase(next);
        continue;
      }
      const auto named = std::ranges::find_if(left, [&](const SetAtOnce& one) {
        return std::ranges::any_of(left, [&](const SetAtOnce& other) { return reads_other(one, other); });
      });
      name_here(named->set->value);
      named->reads.clear();
    }
    // The names are looked up before the first assignment is written: an assignment to an accumulator makes the names of all values that
    // depend on the accumulator stale.
    for (SetAtOnce& each : ordered) each.names = blocks_.mentioned({&each.set->value, 1});
    for (SetAtOnce& each : ordered) {
      names_ = std::move(each.names);
      line_of(*each.set);
    }
  }
  /// Returns the accumulators that the text of the value reads. Operands that have names are not searched, because the text has only their
  /// names.
  std::vector<int> accumulators_in_text(const UOp* root) const {
    std::vector<int> found;
    for (const UOp* u : pending({&root, 1}))
      if (u->kind == UKind::kAcc && std::find(found.begin(), found.end(), u->buffer) == found.end()) found.push_back(u->buffer);
    return found;
  }
  /// Computes the value in the innermost block and gives it a name there, so that later statements do not change it. (Other functions give
  /// no name to an element of an accumulator in registers.)
  void name_here(const UOp* u) {
    while (u->kind == UKind::kSplat) u = u->sources[0];
    if (u->kind == UKind::kAcc)
      blocks_.name_value(here(), {.kind = LineKind::kLet, .value = u}, {});
    else
      need({&u, 1}, true);
  }

  void name_loads(const Stmt& store) {
    std::vector<const UOp*> loads;
    for (const UOp* u : pending(values_of(store)))
      if (u->kind == UKind::kLoad) loads.push_back(u);
    need(loads, true);
  }

  std::vector<Line> inside(const Body& body, Block block) {
    blocks_.open(std::move(block));
    statements(body);
    return blocks_.close();
  }
  void append_lines(std::vector<Line> lines) {
    for (Line& l : lines) line(std::move(l));
  }

  /// Linearises the statements of a block. Values computed from accumulators that these statements change are not hoisted out of the block,
  /// so each iteration of a loop recomputes them.
  std::vector<Line> inside_changing(const Body& statements, Block block) {
    const std::vector<int> outside = acc_level_, changed = changed_accumulators(statements);
    for (int a : changed) {
      forget(a);
      acc_level_[a] = here() + 1;
    }
    std::vector<Line> lines = inside(statements, std::move(block));
    for (int a : changed) acc_level_[a] = outside[a];
    return lines;
  }

  void line_of(const Loop& s) {
    // A loop that provably never runs gets no lines. Its loads must not be hoisted out of it either, because the array may be empty.
    if (s.loop != LoopKind::kThread && proven_at_most(s.end, s.begin)) return;
    blocks_.define_offsets(s.begin);
    if (s.loop != LoopKind::kThread) blocks_.define_offsets(s.end);  // the end of the thread loop is an argument of the kernel
    Block block;
    block.loop = &s;
    block.variable = variable_of(s.variable);
    Line head{.kind = LineKind::kLoop, .name = cat("ridx", loop_count_++), .atom = block.variable, .statement = &s};
    std::vector<Line> body = inside_changing(s.body, std::move(block));
    const std::vector<const UOp*> kept = s.overlap ? in_place_loads(s.body) : std::vector<const UOp*>{};
    if (!kept.empty()) blocks_.define_offsets(mod(s.end - s.begin, s.step));
    for (const UOp* u : kept) line({.kind = LineKind::kKeep, .name = cat("kept", keep_count_++), .value = u, .statement = &s});
    line(std::move(head));
    append_lines(std::move(body));
    if (starts_copies(s)) line({.kind = LineKind::kEndBatch});
    line({.kind = LineKind::kEnd});
  }

  /// Returns the loads in these statements from parameters that may be the same memory as a written parameter (Param::in_place).
  std::vector<const UOp*> in_place_loads(const Body& body) const {
    std::vector<const UOp*> loads;
    std::unordered_set<const UOp*> seen;
    const auto is_new = [&](const UOp* u) { return seen.insert(u).second; };
    visit_roots(body, [&](const UOp* root) { append_depth_first(root, is_new, loads); });
    std::erase_if(loads, [&](const UOp* u) { return u->kind != UKind::kLoad || params_[static_cast<size_t>(u->buffer)].in_place.empty(); });
    return loads;
  }

  void line_of(const Define& s) {
    Block block;
    block.variable = variable_of(s.variable);
    Line head{.kind = LineKind::kDefine,
              .name = cat(block.variable->name, define_count_++),
              .value = s.value,
              .names = blocks_.mentioned({&s.value, 1}),
              .atom = block.variable,
              .statement = &s};
    std::vector<Line> body = inside_changing(s.body, std::move(block));
    line(std::move(head));
    append_lines(std::move(body));
  }

  void line_of(const If& s) {
    blocks_.define_offsets(s.condition);
    const auto branch = [&](const Body& body) {
      Block block;
      block.conditional = true;
      block.branch = branches_.number_of(body);
      return inside(body, std::move(block));
    };
    std::vector<Line> then = branch(s.body);
    std::vector<Line> otherwise = branch(s.otherwise);
    line({.kind = LineKind::kIf, .statement = &s});
    append_lines(std::move(then));
    if (!otherwise.empty()) line({.kind = LineKind::kElse});
    append_lines(std::move(otherwise));
    line({.kind = LineKind::kEnd});
  }

  void line_of(const Retry& s) {
    Block block;
    // Nothing is hoisted out of this block: its operations must run while generated code observes the invalid flag.
    block.conditional = true;
    std::vector<Line> body = inside(s.body, block);
    std::vector<Line> otherwise = inside(s.otherwise, block);
    line({.kind = LineKind::kTry});
    append_lines(std::move(body));
    line({.kind = LineKind::kRetry});
    append_lines(std::move(otherwise));
    line({.kind = LineKind::kEnd});
  }

  void statement(const Stmt& s) {
    const std::vector<const UOp*> values = values_of(s);
    need(values);
    // The names must be looked up before the call of line_of(), which may mark them as stale if the statement changes accumulators.
    names_ = blocks_.mentioned(values);
    visit(s, [&](const auto& of) { line_of(of); });
  }

  void line_of(LineKind kind, const Stmt& s, std::string name = {}) {
    line({.kind = kind, .name = std::move(name), .names = std::move(names_), .statement = &s});
  }
  void define_positions(const Stmt& s) {
    for_each_position(s, [&](Sym e) { blocks_.define_offsets(e); });
  }

  void line_of(const Store& s) {
    define_address(s.buffer, s.index, here());
    blocks_.define_offsets(s.lane_step);
    line_of(LineKind::kStore, s);
  }
  void line_of(const Prefetch& s) {
    define_address(s.buffer, s.index, here());
    blocks_.define_offsets(s.stride);
    line_of(LineKind::kPrefetch, s);
  }
  void line_of(const Scatter& s) {
    define_address(s.buffer, s.index, here());
    blocks_.define_offsets(s.stride);
    line_of(LineKind::kScatter, s);
  }
  void line_of(const AccDeclare& s) {
    forget(s.accumulator);
    acc_level_[s.accumulator] = declared_level_[s.accumulator] = here();
    line_of(LineKind::kAccDeclare, s, cat("acc", s.accumulator));
  }
  void line_of(Is<AccSet, AccUpdate> auto& s) {
    forget(s.accumulator);
    define_element(s.accumulator, s.index);
    blocks_.define_offsets(s.lane_step);
    line_of(s.kind == StmtKind::kAccSet ? LineKind::kAccSet : LineKind::kAccUpdate, s, cat("acc", s.accumulator));
  }
  void line_of(const AccFold& s) {
    forget(s.accumulator);
    define_positions(s);
    line_of(LineKind::kAccFold, s, cat("acc", s.accumulator, "_folded"));
  }
  void line_of(Is<AccScan, Routine, Copy> auto& s) {
    for_each_changed_accumulator(s, [&](int accumulator) { forget(accumulator); });
    define_positions(s);
    if constexpr (Is<decltype(s), AccScan>)
      line_of(LineKind::kAccScan, s, cat("acc", s.accumulator));
    else
      line_of(Is<decltype(s), Copy> ? LineKind::kCopy : LineKind::kRoutine, s);
  }
  void line_of(Is<CopyAsync, Mma> auto& s) {
    forget(s.accumulator);
    define_positions(s);
    line_of(Is<decltype(s), Mma> ? LineKind::kMma : LineKind::kCopyAsync, s);
  }
  void line_of(const Wait& s) { line_of(LineKind::kWait, s); }
  void line_of(const Break& s) { line_of(LineKind::kBreak, s); }
  void line_of(const Barrier& s) { line_of(LineKind::kBarrier, s); }
  void line_of(const Comment& s) { line_of(LineKind::kComment, s); }

  std::span<const Param> params_;
  std::span<const Accumulator> accumulators_;
  std::vector<std::string> parameters_;
  OpenBlocks blocks_;
  Branches branches_;
  std::unordered_map<const UOp*, int> uses_;
  std::unordered_map<const UOp*, std::vector<int>> accumulators_of_;
  std::vector<std::pair<const UOp*, std::string>> names_;  // names of the operands of the current statement
  bool in_block_ = false;
  std::vector<int> acc_level_, declared_level_;
  // Number of accesses, keyed by accumulator and by the id of the common part of the index.
  std::map<std::pair<int, uint32_t>, int> accesses_;
  int loop_count_ = 0, define_count_ = 0, keep_count_ = 0;
};

}  // namespace

bool is_trivial(const UOp* u) {
  switch (u->kind) {
    case UKind::kConst:
    case UKind::kParam:
    case UKind::kAcc:
    case UKind::kLineOffset: return true;
    case UKind::kIndex: return u->type.lanes == 1;
    case UKind::kSplat: return true;
    default: return false;
  }
}

std::vector<std::string> parameter_names(const Kernel& kernel) {
  std::vector<std::string> names;
  int inputs = 0, outputs = 0;
  for (const Param& p : kernel.params) names.push_back(p.written ? cat("output", outputs++) : cat("input", inputs++));
  return names;
}

std::vector<Line> linearize(const Kernel& kernel) { return Linearizer(&kernel).kernel(kernel); }
std::vector<Line> linearize(const Function& function) { return Linearizer(nullptr).function(function); }

}  // namespace harp::ir
