// Walks the body once, in the order of its text, and finds out which indices are inside their arrays and which values differ between the
// lanes of a vector (if vectors are used).
//
// A variable that is set only once, in its declaration, is the same in all lanes if the value that it is set to is the same in all lanes.
// All other variables count as different in each lane, because the lowering keeps them in vectors. So do elements of local arrays.
//
// The index algebra can prove that an index is inside its array if the index is a position (body_positions.h). The proof must hold for
// every element of the result and for every iteration of the loops around the index. If there is no such proof, the conditions of the
// branches around the index may help. Inside `if (j >= 0) & (j < shape1)`, the positions j and shape1 - 1 - j are known not to be negative;
// such positions are called facts. An index is not negative if it is still not negative after a fact is subtracted from it.
#include "schedule/body_lanes.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "graph/body.h"
#include "schedule/body_positions.h"

namespace harp {
namespace {

/// The largest number of facts (positions known not to be negative) at any statement of a custom function's body. For each index that is
/// not proven to be inside its array without facts, the analysis tries every known fact.
constexpr size_t kMostFacts = 32;

/// Returns the axis along which adjacent lanes compute adjacent elements: the last axis whose size is not 1. Returns -1 if there is none.
int lane_axis(const Node& node) {
  int axis = node.rank() - 1;
  while (axis >= 0 && node.shape[static_cast<size_t>(axis)].is_constant(1)) --axis;
  return axis;
}

std::vector<Sym> index_of_element(const Node& node, SymTable& table) {
  std::vector<Sym> index;
  for (const Dim& size : node.shape)
    index.push_back(size.is_constant(1) ? Sym(0) : table.loop(cat("ridx", index.size()), 0, table.import(size)));
  return index;
}

class Analysis {
 public:
  Analysis(const Node& node, bool has_lanes)
      : node_(node),
        body_(*node.as<CustomAttributes>().body),
        axis_(has_lanes ? lane_axis(node) : -1),
        index_(index_of_element(node, table_)),
        positions_(node, index_, &table_),
        sets_(body_.variables.size()),
        differs_(body_.variables.size()) {
    result_.indices.inside.resize(body_.sites.size());
    result_.indices.is_position.resize(body_.variables.size());
  }

  std::optional<BodyLanes> lanes() {
    if (axis_ < 0 || body_.expressions.size() > kMostExpressionsInLanes) return std::nullopt;
    if (std::accumulate(body_.lengths.begin(), body_.lengths.end(), int64_t{0}) > kMostArrayElementsInLanes) return std::nullopt;
    run();
    return is_possible_ ? std::optional(std::move(result_)) : std::nullopt;
  }
  BodyIndices indices() {
    run();
    return std::move(result_.indices);
  }

 private:
  void run() {
    count_sets(body_.statements);
    for (size_t v = 0; v < differs_.size(); ++v) differs_[v] = !is_set_once(v);
    walk(body_.statements);
  }
  void count_sets(const std::vector<BodyStatement>& statements) {
    for (const BodyStatement& s : statements) {
      if (s.kind == BodyStatement::kSet) ++sets_[static_cast<size_t>(s.variable)];
      count_sets(s.body);
      count_sets(s.otherwise);
    }
  }
  bool is_set_once(size_t variable) const { return variable >= static_cast<size_t>(body_.results) && sets_[variable] == 1; }

  // Statements

  void walk(const std::vector<BodyStatement>& statements) {
    const size_t facts_outside = facts_.size();
    for (const BodyStatement& s : statements) switch (s.kind) {
        case BodyStatement::kSet: set(s); break;
        case BodyStatement::kIf: choose(s); break;
        case BodyStatement::kFor: count(s); break;
        case BodyStatement::kWhile:
          ++loops_, ++apart_;
          visit(s.value);
          walk(s.body);
          --loops_, --apart_;
          break;
        case BodyStatement::kBreak:
        case BodyStatement::kClear: break;
        case BodyStatement::kStore:
          visit(s.value);
          visit(s.index);
          use_element(s.variable, s.index, s.site);
          break;
      }
    forget_facts(facts_outside);
  }

  void set(const BodyStatement& s) {
    const auto variable = static_cast<size_t>(s.variable);
    const bool differs = visit(s.value);
    differs_[variable] = differs_[variable] || differs;
    if (is_set_once(variable))
      if (const std::optional<BodyPosition> at = positions_.of(s.value); at && step(at->value)) {
        positions_.set(s.variable, at);
        result_.indices.is_position[variable] = true;
        return;
      }
    if (differs_[variable]) count_bytes(body_.variables[variable]);
  }

  /// Records whether an index of a local array is inside the array in every iteration of the loops around the statement. If it is not, or
  /// if the lanes use different elements of the array, clears is_possible_, because vectors cannot compute such a body. `site`: the
  /// position of the index in ElementBody::sites; -1: the index is known to be inside.
  void use_element(int variable, int index, int site) {
    count_bytes(body_.variables[static_cast<size_t>(variable)]);
    const std::optional<BodyPosition> at = positions_.of(index);
    const std::optional<Sym> advance = at ? step(at->value) : std::nullopt;
    const bool is_always = site < 0 || (at && is_always_inside(*at, body_.lengths[static_cast<size_t>(variable)]));
    if (site >= 0 && is_always) result_.indices.inside[static_cast<size_t>(site)] = Inside::kAlways;
    is_possible_ = is_possible_ && is_always && advance && advance->is_constant(0);
  }

  void choose(const BodyStatement& s) {
    const int differs = visit(s.value) ? 1 : 0;
    const size_t facts_outside = facts_.size();
    apart_ += differs;
    add_facts(s.value, true);
    walk(s.body);
    forget_facts(facts_outside);
    add_facts(s.value, false);
    walk(s.otherwise);
    apart_ -= differs;
    const bool leaves = !s.body.empty() && s.body.back().kind == BodyStatement::kBreak;
    // If the branch ends with a break, the statements after the branch run only if the condition is false, so the facts (positions known
    // not to be negative) of the false case remain.
    if (!leaves) forget_facts(facts_outside);
  }

  void count(const BodyStatement& s) {
    const bool begins_apart = visit(s.value), ends_apart = visit(s.end);
    const std::optional<BodyPosition> begin = positions_.of(s.value), end = positions_.of(s.end);
    const bool is_position = begin && end && BodyPositions::fits(end->hi - begin->lo);
    bool is_even = !begins_apart && !ends_apart;  // whether all elements execute equally many iterations of the loop
    if (!is_even && is_position && step(begin->value)) {
      const std::optional<Sym> difference = step(end->value - begin->value);
      is_even = difference && difference->is_constant(0);
    }
    ++loops_;
    differs_[static_cast<size_t>(s.variable)] = begins_apart || !is_even;
    if (!is_even)
      count_bytes(DType::kI64);
    else if (is_position)
      positions_.set(s.variable, BodyPosition{begins_apart ? begin->value + table_.loop("turn", 0, end->value - begin->value)
                                                           : table_.loop("count", begin->value, end->value),
                                              begin->lo, end->hi - 1});
    const int is_apart = !is_even || has_break(s.body) ? 1 : 0;
    apart_ += is_apart;
    walk(s.body);
    apart_ -= is_apart;
    --loops_;
  }

  // Facts

  /// Adds the facts (positions that are not negative) that follow if the condition is true, or, if not `is_true`, if it is false.
  void add_facts(int condition, bool is_true) {
    const BodyExpression& e = body_.expressions[static_cast<size_t>(condition)];
    if (e.kind != BodyKind::kApply || facts_.size() >= kMostFacts) return;
    if (e.op == Op::kBitNot) return add_facts(e.operands[0], !is_true);
    if (e.op == (is_true ? Op::kBitAnd : Op::kBitOr))
      for (const int operand : e.operands) add_facts(operand, is_true);
    if (e.op != Op::kLt && e.op != Op::kLe) return;
    const std::optional<BodyPosition> a = positions_.of(e.operands[0]), b = positions_.of(e.operands[1]);
    if (!a || !b) return;
    std::optional<BodyPosition> fact = is_true ? BodyPositions::difference(*b, *a) : BodyPositions::difference(*a, *b);
    if (!fact) return;
    // Here the fact follows from a strict comparison (a < b, or b < a), so the difference of the two positions is at least 1; `fact`
    // becomes the difference minus 1.
    if ((e.op == Op::kLt) == is_true) fact = BodyPosition{fact->value - 1, fact->lo - 1, fact->hi - 1};
    facts_.push_back(*fact);
  }
  void forget_facts(size_t first) { facts_.erase(facts_.begin() + static_cast<long>(first), facts_.end()); }
  bool is_nonnegative_here(const BodyPosition& e) const {
    // A position e is not negative if e - fact is not negative for a fact (a position that is known not to be negative). The difference is
    // not used as a position, so it need not obey BodyPositions::fits(), but it must fit an i64.
    return std::any_of(facts_.begin(), facts_.end(), [&](const BodyPosition& fact) {
      return e.lo - fact.hi >= INT64_MIN && e.hi - fact.lo <= INT64_MAX && proven_nonnegative(e.value - fact.value);
    });
  }

  // Expressions

  /// Tests whether the value of the expression differs between the lanes. Recursion is safe: expressions are trees of bounded depth.
  bool visit(int number) {
    const BodyExpression& e = body_.expressions[static_cast<size_t>(number)];
    bool differs =
        (e.kind == BodyKind::kPosition && e.axis == axis_) || (e.kind == BodyKind::kVariable && differs_[static_cast<size_t>(e.variable)]);
    for (const int operand : e.operands) {
      const bool operand_differs = visit(operand);
      differs = differs || operand_differs;
    }
    if (e.kind == BodyKind::kElement) {
      use_element(e.variable, e.operands[0], e.is_inside[0] ? -1 : e.site);
      differs = true;
    }
    if (e.kind == BodyKind::kLoad && !is_loaded_everywhere(e)) differs = true;  // lanes load only if they take the branch around the load
    if (!differs) return false;
    if (e.kind == BodyKind::kApply && loops_ > 0 && is_by_lanes(e)) is_possible_ = false;
    // The dtype of a position (i64) is not counted: most positions are indices, or are compared with an index or converted.
    if (!positions_.of(number)) count_bytes(e.dtype);
    return true;
  }
  void count_bytes(DType dtype) {
    if (is_bool(dtype) || (body_.has_loop && loops_ == 0)) return;
    result_.bytes = std::max(result_.bytes, size_of(working_dtype(dtype)));
  }
  /// Tests whether CPUs have no vector instructions for the operation.
  static bool is_by_lanes(const BodyExpression& e) {
    return is_int(e.dtype) && (e.op == Op::kIdiv || e.op == Op::kRem || e.op == Op::kFmod || e.op == Op::kPow);
  }

  /// Returns by how much a position increases from one lane to the next; 0 if there are no lanes. Returns nothing if the increase is not
  /// the same for all lanes.
  std::optional<Sym> step(Sym position) const {
    if (axis_ < 0) return Sym(0);
    const std::optional<Linear> linear = linear_in(position, variable_of(index_[static_cast<size_t>(axis_)]));
    return linear ? std::optional(linear->coefficient) : std::nullopt;
  }

  /// Returns true if every index of the load is inside the array in every iteration of the loops around the load. Otherwise returns false,
  /// and the load may be executed only where the branch around it is taken. Clears is_possible_ if an index is not proven to be inside even
  /// in that branch, or if vectors cannot load the elements of the lanes.
  bool is_loaded_everywhere(const BodyExpression& load) {
    const Shape& shape = node_.sources[static_cast<size_t>(load.array)]->shape;
    size_t last = shape.size();  // 1 + the index of the last axis whose size is not 1, along which elements are adjacent in memory
    while (last > 0 && shape[last - 1].is_constant(1)) --last;
    bool everywhere = true, is_same = true;  // is_same: all lanes load the same element
    auto site = static_cast<size_t>(load.site);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const std::optional<BodyPosition> at = positions_.of(load.operands[axis]);
      const std::optional<Sym> advance = at ? step(at->value) : std::nullopt;
      const bool is_adjacent =
          advance && (advance->is_constant(0) || (axis + 1 == last && (advance->is_constant(1) || advance->is_constant(-1))));
      is_possible_ = is_possible_ && advance && (is_adjacent || loops_ == 0);
      is_same = is_same && advance && advance->is_constant(0);
      if (load.is_inside[axis]) continue;
      const Inside inside = at ? where_inside(*at, shape[axis]) : Inside::kUnknown;
      is_possible_ = is_possible_ && inside != Inside::kUnknown;
      result_.indices.inside[site++] = inside;
      everywhere = everywhere && inside == Inside::kAlways;
    }
    // The element is the same for all lanes, but may be loaded only if at least one lane takes the branch. Vectors would therefore test the
    // condition of each lane.
    if (!everywhere && is_same && loops_ > 0 && apart_ > 0) is_possible_ = false;
    return everywhere;
  }
  Inside where_inside(const BodyPosition& at, Dim size) const {
    if (is_always_inside(at, size)) return Inside::kAlways;
    const bool here = is_inside(at, size, [&](const BodyPosition& e) { return proven_nonnegative(e.value) || is_nonnegative_here(e); });
    return here ? Inside::kInBranch : Inside::kUnknown;
  }
  bool is_always_inside(const BodyPosition& at, Dim size) const {
    return is_inside(at, size, [](const BodyPosition& e) { return proven_nonnegative(e.value); });
  }
  template <class IsNonnegative>
  bool is_inside(const BodyPosition& at, Dim size, IsNonnegative is_nonnegative) const {
    const std::optional<BodyPosition> rest = BodyPositions::difference({positions_.size(size) - 1, -1, BodyPositions::kMostSize - 1}, at);
    return rest && is_nonnegative(at) && is_nonnegative(*rest);
  }

  const Node& node_;
  const ElementBody& body_;
  SymTable table_;  // contains the loop variables that the proofs need
  const int axis_;  // axis along which adjacent lanes compute adjacent elements (lane_axis()); -1: no lanes
  const std::vector<Sym> index_;
  BodyPositions positions_;
  std::vector<int> sets_;            // indexed by variable: the number of statements that set it
  std::vector<bool> differs_;        // indexed by variable: whether its value differs between the lanes
  std::vector<BodyPosition> facts_;  // the facts: positions that are not negative at the current statement
  int loops_ = 0;                    // number of loops around the current statement
  int apart_ = 0;  // number of branches and loops around the current statement whose conditions may differ between the lanes
  bool is_possible_ = true;
  BodyLanes result_;
};

}  // namespace

BodyIndices indices_of_body(const Node& custom) { return Analysis(custom, false).indices(); }

namespace {

/// Returns the bytes of the integers that these statements, the body of a loop, combine in one variable; 0 if they do something else. The
/// lowering (lower/custom_chains.h) also requires that the combined number does not depend on the variable.
size_t bytes_of_chain(const ElementBody& body, const std::vector<BodyStatement>& statements) {
  if (statements.size() != 1 || statements[0].kind != BodyStatement::kSet) return 0;
  const BodyExpression& value = body.expressions[static_cast<size_t>(statements[0].value)];
  const bool combines = value.kind == BodyKind::kApply && is_int(value.dtype) && size_of(value.dtype) >= 4 &&
                        (value.op == Op::kAdd || value.op == Op::kMul || value.op == Op::kMax || value.op == Op::kMin);
  const auto is_variable = [&](int operand) {
    const BodyExpression& e = body.expressions[static_cast<size_t>(operand)];
    return e.kind == BodyKind::kVariable && e.variable == statements[0].variable;
  };
  return combines && std::ranges::any_of(value.operands, is_variable) ? size_of(value.dtype) : 0;
}

size_t bytes_of_chains(const ElementBody& body, const std::vector<BodyStatement>& statements) {
  size_t widest = 0;
  for (const BodyStatement& s : statements) {
    if (s.kind == BodyStatement::kFor) widest = std::max(widest, bytes_of_chain(body, s.body));
    widest = std::max({widest, bytes_of_chains(body, s.body), bytes_of_chains(body, s.otherwise)});
  }
  return widest;
}

}  // namespace

size_t bytes_of_chains(const Node& custom) {
  const ElementBody& body = *custom.as<CustomAttributes>().body;
  const size_t bytes = body.has_loop ? bytes_of_chains(body, body.statements) : 0;
  if (bytes == 0 || body.sites.empty()) return bytes;
  const std::vector<Inside> inside = indices_of_body(custom).inside;
  return std::ranges::find(inside, Inside::kUnknown) == inside.end() ? bytes : 0;
}

std::optional<BodyLanes> lanes_of_body(const Node& custom) { return Analysis(custom, true).lanes(); }

}  // namespace harp
