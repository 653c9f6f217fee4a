// Walks the body once, in the order of its text, and finds out which values differ between the lanes. A variable that is set once, where it
// is declared, is the same in all lanes if its value is. The lowering keeps every other variable in a vector, so these count as different.
#include "schedule/body_lanes.h"

#include <algorithm>
#include <vector>

#include "graph/body.h"

namespace harp {
namespace {

class BodyLanes {
 public:
  explicit BodyLanes(const Node& node) : node_(node), body_(*node.as<CustomAttributes>().body), differs_(body_.variables.size()) {
    axis_ = node.rank() - 1;
    while (axis_ >= 0 && node.shape[static_cast<size_t>(axis_)].is_constant(1)) --axis_;
  }

  std::optional<size_t> bytes() {
    if (axis_ < 0 || body_.has_arrays || !body_.sites.empty() || body_.expressions.size() > kMostExpressionsInLanes) return std::nullopt;
    count_sets(body_.statements);
    for (size_t v = 0; v < differs_.size(); ++v) differs_[v] = v == ElementBody::kResult || sets_[v] != 1;
    walk(body_.statements);
    return is_possible_ ? std::optional(bytes_) : std::nullopt;
  }

 private:
  void count_sets(const std::vector<BodyStatement>& statements) {
    sets_.resize(body_.variables.size());
    for (const BodyStatement& s : statements) {
      if (s.kind == BodyStatement::kSet) ++sets_[static_cast<size_t>(s.variable)];
      count_sets(s.body);
      count_sets(s.otherwise);
    }
  }

  void walk(const std::vector<BodyStatement>& statements) {
    for (const BodyStatement& s : statements) switch (s.kind) {
        case BodyStatement::kSet: {
          const auto variable = static_cast<size_t>(s.variable);
          const bool differs = visit(s.value);
          differs_[variable] = differs_[variable] || differs;
          if (differs_[variable]) count(body_.variables[variable]);
          break;
        }
        case BodyStatement::kIf:
          visit(s.value);
          walk(s.body);
          walk(s.otherwise);
          break;
        case BodyStatement::kFor: {
          const bool begins_apart = visit(s.value), ends_apart = visit(s.end);
          is_possible_ = is_possible_ && !begins_apart && !ends_apart;
          differs_[static_cast<size_t>(s.variable)] = false;
          walk_loop(s.body);
          break;
        }
        case BodyStatement::kWhile:
          ++loops_;
          visit(s.value);
          --loops_;
          walk_loop(s.body);
          break;
        case BodyStatement::kBreak: break;
        case BodyStatement::kClear:
        case BodyStatement::kStore: break;  // there are no local arrays
      }
  }
  void walk_loop(const std::vector<BodyStatement>& statements) {
    ++loops_;
    walk(statements);
    --loops_;
  }

  /// Tests whether the value of the expression differs between the lanes. Recursion is safe: expressions are trees of bounded depth.
  bool visit(int number) {
    const BodyExpression& e = body_.expressions[static_cast<size_t>(number)];
    bool differs =
        (e.kind == BodyKind::kPosition && e.axis == axis_) || (e.kind == BodyKind::kVariable && differs_[static_cast<size_t>(e.variable)]);
    for (const int operand : e.operands) {
      const bool operand_differs = visit(operand);
      differs = differs || operand_differs;
    }
    if (!differs) return false;
    if (loops_ > 0 && (e.kind == BodyKind::kLoad ? is_strided(e) : e.kind == BodyKind::kApply && is_by_lanes(e))) is_possible_ = false;
    if (e.kind != BodyKind::kPosition) count(e.dtype);  // a position alone is mostly an index, or converted to another dtype
    return true;
  }
  /// Counts a number that differs between the lanes.
  void count(DType dtype) {
    if (is_bool(dtype) || (body_.has_loop && loops_ == 0)) return;
    bytes_ = std::max(bytes_, size_of(working_dtype(dtype)));
  }
  /// Tests whether the lanes load elements that are not adjacent.
  bool is_strided(const BodyExpression& load) const {
    const Shape& shape = node_.sources[static_cast<size_t>(load.array)]->shape;
    size_t last = shape.size();
    while (last > 0 && shape[last - 1].is_constant(1)) --last;
    for (size_t axis = 0; axis + 1 < last; ++axis) {
      const BodyExpression& index = body_.expressions[static_cast<size_t>(load.operands[axis])];
      if (index.kind == BodyKind::kPosition && index.axis == axis_) return true;
    }
    return false;
  }
  /// Tests whether CPUs have no vector instructions for the operation.
  static bool is_by_lanes(const BodyExpression& e) {
    return is_int(e.dtype) && (e.op == Op::kIdiv || e.op == Op::kRem || e.op == Op::kFmod || e.op == Op::kPow);
  }

  const Node& node_;
  const ElementBody& body_;
  int axis_;                   // the last axis that is not of size 1
  std::vector<int> sets_;      // by variable: how many statements set it
  std::vector<bool> differs_;  // by variable: whether its value differs between the lanes
  int loops_ = 0;              // loops around the current statement
  bool is_possible_ = true;
  size_t bytes_ = 4;
};

}  // namespace

std::optional<size_t> bytes_of_lane(const Node& custom) { return BodyLanes(custom).bytes(); }

}  // namespace harp
