// Makes the linear form of a kernel. Statements are visited in order with a stack of open blocks (open_blocks.h). Each block collects its
// lines. When a block closes, its lines are appended to its parent block. The values that a statement needs are computed before it, in the
// same block or in an enclosing one (value_placement.h).
#include "ir/linearize.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "ir/depth_first.h"
#include "ir/rewrite.h"
#include "ir/value_placement.h"

namespace harp::ir {
namespace {

/// Returns the accumulators that the statements, including nested ones, change (for_each_changed_accumulator), in ascending order.
std::vector<int> changed_accumulators(const Body& body) {
  std::vector<int> changed;
  for (const Stmt* s : statements_of(body)) for_each_changed_accumulator(*s, [&](int accumulator) { changed.push_back(accumulator); });
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return changed;
}

/// Returns the number of unrolled steps in the group. Unroll-and-jam lists, for each Store of the loop body, one Store per step. The
/// function therefore counts the Stores before the first Store to another parameter. The result is too large if adjacent statements of the
/// body store to the same parameter, but it affects only the order in which values are computed.
size_t steps_of(const StoreGroup& group) {
  const auto other = std::ranges::find_if(
      group.body, [&](const Stmt* s) { return harp::ir::as<Store>(s)->buffer != harp::ir::as<Store>(group.body[0])->buffer; });
  return static_cast<size_t>(other - group.body.begin());
}

class Linearizer : ValuePlacement {
 public:
  explicit Linearizer(const Kernel& kernel) : ValuePlacement(kernel) {}
  explicit Linearizer(const Function& function) : ValuePlacement(function) {}

  std::vector<Line> kernel(const Kernel& kernel) {
    statements(kernel.body);
    return blocks_.close();
  }

  std::vector<Line> function(const Function& function) {
    need({&function.body, 1});
    line({.kind = LineKind::kReturn, .value = function.body, .names = blocks_.mentioned({&function.body, 1})});
    return blocks_.close();
  }

 private:
  void line(Line l) { blocks_.line(std::move(l)); }

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
    need_in_steps(roots, roots_of_steps);
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
    for (const UOp* root : roots_of(body)) append_depth_first(root, is_new, loads);
    std::erase_if(loads, [&](const UOp* u) { return u->kind != UKind::kLoad || params_[static_cast<size_t>(u->buffer)].in_place.empty(); });
    return loads;
  }

  void line_of(const Define& s) {
    Block block;
    block.variable = variable_of(s.variable);
    Line head{.kind = LineKind::kDefine,
              .name = std::move(define_name_),
              .value = s.value,
              .names = blocks_.mentioned({&s.value, 1}),
              .atom = block.variable,
              .statement = &s};
    std::vector<Line> body = inside_changing(s.body, std::move(block));
    line(std::move(head));
    append_lines(std::move(body));
  }

  /// Defines the names that the text of the condition e >= 0 needs.
  void define_condition(Sym e) {
    const std::optional<TwoConditions> both = two_conditions(e);
    if (!both) return blocks_.define_offsets(e);
    define_condition(both->a);
    define_condition(both->b);
  }

  void line_of(const If& s) {
    define_condition(s.condition);
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
    // Loads are not hoisted out of a conditional block, so the operations on them stay in it, too. These operations must run between the
    // points at which generated code clears and tests the invalid flag.
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
    if (const auto* define = as<Define>(&s)) {
      define_name_ = cat(variable_of(define->variable)->name, define_count_++);
      // If the line for a bool is in an outer block, the variable needs no line of its own.
      if (is_bool(define->value->type.dtype)) blocks_.give_name(define->value, define_name_);
    }
    need(values);
    blocks_.give_name(nullptr, {});
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

  std::vector<std::pair<const UOp*, std::string>> names_;  // names of the operands of the current statement
  std::string define_name_;                                // name of the variable of the current Define statement
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

std::vector<Line> linearize(const Kernel& kernel) { return Linearizer(kernel).kernel(kernel); }
std::vector<Line> linearize(const Function& function) { return Linearizer(function).function(function); }

}  // namespace harp::ir
