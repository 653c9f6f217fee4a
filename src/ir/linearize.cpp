// Algorithm: statements are visited in order with a stack of open blocks (open_blocks.h). Each block collects its lines. A value that a
// statement needs is appended to the innermost block that defines one of the variables that the value depends on. When a block closes, its
// lines are appended to its parent block. A value that is invariant in the inner loop that uses it therefore comes before that loop.
#include "ir/linearize.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "ir/depth_first.h"
#include "ir/open_blocks.h"
#include "ir/rewrite.h"

namespace harp::ir {
namespace {

/// Most operations in an expression that is written where it is used. A larger expression gets a name.
constexpr int kLargestExpression = 4;
/// If at least this many accesses to an accumulator in memory have indices that differ only by a constant, the common part of the index
/// gets a name. Otherwise the C compiler would analyse each address separately, which took a fifth of its time for a convolution.
constexpr int kFewestAccesses = 3;

/// Where a value will be defined: in the block at `level`, under these guards.
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

/// Returns how many unrolled steps the group contains. It begins with the stores of the first statement for each step, so these go to the
/// same parameter.
size_t steps_of(const StoreGroup& group) {
  const auto other = std::ranges::find_if(
      group.body, [&](const Stmt* s) { return harp::ir::as<Store>(s)->buffer != harp::ir::as<Store>(group.body[0])->buffer; });
  return static_cast<size_t>(other - group.body.begin());
}

/// Tests whether generated code extracts single lanes of this source, as it does for the condition and the arguments of kRarely. Such a
/// source needs a name.
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

  // Counts the uses of every value in the kernel. A use of a splat counts as a use of its source, because splats are repeated at each use.
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

  /// Returns the index of an element of an accumulator in memory without its constant term; accesses that share this part share a pointer.
  /// Null if the part is too simple to be worth a pointer, or if the accumulator is not an array in memory.
  const SymNode* common_part(int accumulator, Sym index) const {
    const Accumulator& a = accumulators_[static_cast<size_t>(accumulator)];
    if (!a.is_row || a.spread > 0 || index.is_constant()) return nullptr;  // spread elements are registers and have no address
    const std::vector<SymTerm>& terms = index.node()->terms;
    const bool is_variable = terms.size() == 1 && terms[0].coefficient == 1 && terms[0].factors.size() == 1;
    return is_variable ? nullptr : (index - index.node()->constant).node();
  }
  void count_access(int accumulator, Sym index) {
    if (const SymNode* part = common_part(accumulator, index)) ++accesses_[{accumulator, part->id}];
  }

  /// Defines the names that an access of `buffer` from a line at `level` refers to: its row pointer and the integer operations in its
  /// index.
  void define_address(int buffer, Sym index, int level) {
    const SplitIndex split = split_index(index, blocks_.innermost_loop(level));
    blocks_.define_offsets(split.rest);
    if (split.row.empty()) return;
    blocks_.define_offsets(split.row);
    blocks_.define_pointer(buffer, split.row, blocks_.level_of(split.row), cat(parameters_[buffer], "_row"));
  }
  /// Defines the names that an access of an element of an accumulator refers to, if the accumulator is a row in memory.
  void define_element(int accumulator, Sym index) {
    blocks_.define_offsets(index);
    const SymNode* part = common_part(accumulator, index);
    if (part == nullptr || accesses_[{accumulator, part->id}] < kFewestAccesses) return;
    const Terms terms{part->terms};
    blocks_.define_pointer(static_cast<int>(params_.size()) + accumulator, terms,
                           std::max(blocks_.level_of(terms), declared_level_[accumulator]), cat("row", accumulator, "_at"));
  }
  /// Limits how far a load or a check may be hoisted. It must stay inside its If. It may leave a loop that can run zero times only under a
  /// guard. Both rules apply to masked loads too, because parts of the mask may have become conditions of enclosing loops and Ifs.
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
      for (int level = here(); level > placement.level; --level)  // a value is not hoisted out of an If that may change the accumulator
        if (blocks_[level].conditional) placement.level = level;
    }
    if (is_read(u) || u->kind == UKind::kCheck) restrict_load(placement);
    return placement;
  }

  /// Returns the values from which the roots are computed (and the roots) that have no name yet, i.e. no variable in the result; sources
  /// come before users.
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

  /// Gives a name to those of the roots and of the values that they are computed from that should have one (see linearize.h). With
  /// `name_roots` all roots get names.
  void need(std::span<const UOp* const> roots, bool name_roots = false) {
    blocks_.hold_guards();  // determines which names may be used at this point
    name_below(roots, pending(roots), name_roots);
  }
  /// Does the same for `values`, in their order: the roots and the values that they are computed from, as far as these have no name yet.
  void name_below(std::span<const UOp* const> roots, const std::vector<const UOp*>& values, bool name_roots) {
    std::unordered_map<const UOp*, Placement> planned;
    for (const UOp* u : values) planned[u] = placement_of(u, planned);
    for (const UOp* root : roots)
      if (const auto p = planned.find(root); p != planned.end()) p->second.hoisted |= name_roots || p->second.level < here();
    // Users come before sources: a splat is repeated at each use, so what its users require applies to its source.
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
    // Only loads and checks need the guards. Any other operation may be computed where its guards do not hold, because it causes no fault
    // and its result is not used there.
    Line let{.kind = LineKind::kLet, .value = u, .names = blocks_.mentioned(u->sources)};
    if (is_read(u) || u->kind == UKind::kCheck) let.guards = placement.guards;
    const std::vector<Line>& before = blocks_[placement.level].lines;
    let.is_alike = may_interleave && !before.empty() && are_alike(before.back(), let);
    blocks_.name_value(placement.level, std::move(let), placement.guards);
  }

  /// Tests whether both lines call the same function, and the second call does not use the result of the first.
  static bool are_alike(const Line& first, const Line& second) {
    if (first.kind != LineKind::kLet || first.value->kind != UKind::kCall) return false;
    const auto is_first = [&](const auto& named) { return named.first == first.value; };
    return first.value->function == second.value->function && first.value->type == second.value->type &&
           std::none_of(second.names.begin(), second.names.end(), is_first);
  }

  /// Marks the names of all values computed from this accumulator as stale, because the accumulator is about to change.
  void forget(int accumulator) {
    blocks_.forget([&](const UOp* u) {
      const std::vector<int>& used = accumulators_of_[u];
      return std::find(used.begin(), used.end(), accumulator) != used.end();
    });
  }

  void statements(const Body& body) {
    const auto store_at = [&](size_t i) { return i < body.size() ? harp::ir::as<Store>(body[i]) : nullptr; };
    for (size_t i = 0; i < body.size(); ++i) {
      // An output may alias an input (in-place elementwise). Therefore all loads for a run of stores come before its first store.
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

  /// Linearises statements that change accumulators. Values computed from those accumulators are not hoisted out of the block; a loop
  /// recomputes them in each iteration.
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
    // A loop that provably never runs gets no lines. To hoist its loads would also be wrong, because the array may be empty.
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
    line({.kind = LineKind::kEnd});
  }

  /// Returns the loads of the statements from parameters that the kernel may overwrite in place.
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
    Block block;
    block.conditional = true;
    std::vector<Line> then = inside(s.body, block);
    std::vector<Line> otherwise = inside(s.otherwise, block);
    line({.kind = LineKind::kIf, .statement = &s});
    append_lines(std::move(then));
    if (!otherwise.empty()) line({.kind = LineKind::kElse});
    append_lines(std::move(otherwise));
    line({.kind = LineKind::kEnd});
  }

  void line_of(const Retry& s) {
    Block block;
    block.conditional = true;  // nothing may be hoisted out: all operations must run while the invalid flag is observed
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
    names_ = blocks_.mentioned(values);  // before the statement changes the accumulators from which these values are computed
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
  void line_of(const Mma& s) {
    forget(s.accumulator);
    define_positions(s);
    line_of(LineKind::kMma, s);
  }
  void line_of(const Break& s) { line_of(LineKind::kBreak, s); }
  void line_of(const Barrier& s) { line_of(LineKind::kBarrier, s); }
  void line_of(const Comment& s) { line_of(LineKind::kComment, s); }

  std::span<const Param> params_;
  std::span<const Accumulator> accumulators_;
  std::vector<std::string> parameters_;
  OpenBlocks blocks_;
  std::unordered_map<const UOp*, int> uses_;
  std::unordered_map<const UOp*, std::vector<int>> accumulators_of_;
  std::vector<std::pair<const UOp*, std::string>> names_;  // names that the operands of the current statement have
  bool in_block_ = false;
  std::vector<int> acc_level_, declared_level_;
  std::map<std::pair<int, uint32_t>, int> accesses_;  // number of accesses, by accumulator and common part of the index
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
