// Custom functions: the statements of a body for one element. What branches decide is chosen by Where, so that the only statements are
// loops; a loop keeps the variables that it changes in accumulators. Loads under a condition are masked by it. An index that is not known
// to be inside its array is set into an accumulator, so that it is checked whatever becomes of the load.
#include <algorithm>

#include "graph/body.h"
#include "graph/index_fault.h"
#include "lower/accumulate.h"
#include "lower/lower.h"

namespace harp::lower {
namespace {

using namespace ir;

class BodyLowering {
 public:
  /// `statements` is null where the body is an expression.
  BodyLowering(ValueBuilder& values, ir::Kernel& kernel, const Node& node, const Index& index, ir::Body* statements)
      : values_(values),
        arena_(values.arena()),
        program_(values.program()),
        kernel_(kernel),
        node_(node),
        body_(*node.as<CustomAttributes>().body),
        index_(index),
        statements_(statements),
        variables_(body_.variables.size(), nullptr),
        counters_(body_.variables.size()) {}

  const UOp* run(const UOp* mask) {
    variables_[ElementBody::kResult] = arena_.constant(scalar_from_int(node_.dtype, 0));
    lower(body_.statements, mask);
    return variables_[ElementBody::kResult];
  }

 private:
  const BodyExpression& at(int expression) const { return body_.expressions[static_cast<size_t>(expression)]; }

  void lower(const std::vector<BodyStatement>& statements, const UOp* mask) {
    for (const BodyStatement& s : statements) switch (s.kind) {
        case BodyStatement::kSet: set(s.variable, value(s.value, mask), mask); break;
        case BodyStatement::kIf: {
          const UOp* condition = value(s.value, mask);
          lower(s.body, both(mask, condition));
          if (!s.otherwise.empty()) lower(s.otherwise, both(mask, arena_.apply(Op::kBitNot, DType::kBool, {condition})));
          break;
        }
        case BodyStatement::kFor: loop(s, mask); break;
      }
  }

  void set(int variable, const UOp* value, const UOp* mask) {
    const UOp*& held = variables_[static_cast<size_t>(variable)];
    // a variable of the block itself has no older value that could be wanted
    held = mask == nullptr || held == nullptr ? value : arena_.apply(Op::kWhere, value->type.dtype, {mask, value, held});
  }

  const UOp* both(const UOp* a, const UOp* b) { return a == nullptr ? b : arena_.apply(Op::kBitAnd, DType::kBool, {a, b}); }

  // Loops

  /// What statements set of what is there already.
  void add_changed(const std::vector<BodyStatement>& statements, std::vector<int>& changed) const {
    for (const BodyStatement& s : statements) {
      if (s.kind == BodyStatement::kSet && variables_[static_cast<size_t>(s.variable)] != nullptr &&
          std::find(changed.begin(), changed.end(), s.variable) == changed.end())
        changed.push_back(s.variable);
      add_changed(s.body, changed);
      add_changed(s.otherwise, changed);
    }
  }

  /// Accumulators hold what arithmetic works in.
  static DType held_as(DType dtype) { return is_bool(dtype) ? DType::kI32 : dtype == DType::kUnknown ? dtype : info(dtype).computes_in; }
  int accumulator(DType dtype) {
    kernel_.accumulators.push_back({{dtype, 1}, 1, Op::kAdd, scalar_from_int(dtype, 0)});
    const int number = static_cast<int>(kernel_.accumulators.size()) - 1;
    statements_->push_back(declare_accumulator(arena_, number));
    return number;
  }
  void keep(int accumulator, const UOp* value) { statements_->push_back(set_accumulator(arena_, accumulator, 0, value)); }
  const UOp* kept(int accumulator) const {
    return arena_.acc(kernel_.accumulators[static_cast<size_t>(accumulator)].type.dtype, accumulator, 0);
  }

  void loop(const BodyStatement& s, const UOp* mask) {
    HARP_ASSERT(statements_ != nullptr, "a loop where an expression has to be");
    std::vector<int> changed;
    add_changed(s.body, changed);
    std::vector<int> running, next;
    for (const int variable : changed) {
      const UOp* value = variables_[static_cast<size_t>(variable)];
      const DType held = held_as(value->type.dtype);
      running.push_back(accumulator(held));
      keep(running.back(), arena_.cast(held, value));
    }
    for (const int a : running)
      next.push_back(changed.size() > 1 ? accumulator(kernel_.accumulators[static_cast<size_t>(a)].type.dtype) : a);
    const auto read_all = [&] {
      for (size_t i = 0; i < changed.size(); ++i) {
        const auto variable = static_cast<size_t>(changed[i]);
        variables_[variable] = arena_.cast(body_.variables[variable], kept(running[i]));
      }
    };
    Stmt* loop = new_loop(arena_, cat("count", loops_++), position(s.value), position(s.end));
    ir::Body* const outer = statements_;
    statements_ = &loop->body;
    read_all();
    counters_[static_cast<size_t>(s.variable)] = loop->variable;
    const std::vector<const UOp*> before = variables_;
    lower(s.body, mask);
    // all are computed from the old values before any of them changes
    for (size_t i = 0; i < changed.size(); ++i)
      keep(next[i],
           arena_.cast(kernel_.accumulators[static_cast<size_t>(next[i])].type.dtype, variables_[static_cast<size_t>(changed[i])]));
    if (changed.size() > 1)
      for (size_t i = 0; i < changed.size(); ++i) keep(running[i], kept(next[i]));
    variables_ = before;  // what the block declared is gone
    read_all();
    statements_ = outer;
    if (!loop->body.empty()) outer->push_back(loop);
  }

  /// An expression that the parser found to be made of sizes.
  Sym position(int expression) const {
    const BodyExpression& e = at(expression);
    switch (e.kind) {
      case BodyKind::kConstant: return e.value.as<int64_t>();
      case BodyKind::kPosition: return index_[static_cast<size_t>(e.axis)];
      case BodyKind::kSize: return size_of_axis(e);
      case BodyKind::kVariable: return *counters_[static_cast<size_t>(e.variable)];
      default: break;
    }
    const Sym a = position(e.operands[0]);
    if (e.op == Op::kNeg) return -a;
    const Sym b = position(e.operands[1]);
    return e.op == Op::kAdd ? a + b : e.op == Op::kMul ? a * b : e.op == Op::kMax ? max(a, b) : min(a, b);
  }
  Sym size_of_axis(const BodyExpression& e) const {
    const Shape& shape = e.array == ElementBody::kOutput ? node_.shape : node_.sources[static_cast<size_t>(e.array)]->shape;
    return shape[static_cast<size_t>(e.axis)];
  }

  // Expressions

  const UOp* value(int expression, const UOp* mask) {
    const BodyExpression& e = at(expression);
    switch (e.kind) {
      case BodyKind::kConstant: return arena_.constant(e.value);
      case BodyKind::kPosition: return arena_.index(index_[static_cast<size_t>(e.axis)]);
      case BodyKind::kSize: return arena_.index(size_of_axis(e));
      case BodyKind::kVariable:
        if (const auto& counter = counters_[static_cast<size_t>(e.variable)]) return arena_.index(*counter);
        return variables_[static_cast<size_t>(e.variable)];
      case BodyKind::kLoad: return load(e, mask);
      case BodyKind::kApply: break;
    }
    std::vector<const UOp*> operands;
    for (const int operand : e.operands) operands.push_back(value(operand, mask));
    if (e.op == Op::kCast) return arena_.cast(e.dtype, operands[0]);
    return arena_.apply(e.op, e.dtype, std::move(operands));
  }

  const UOp* load(const BodyExpression& e, const UOp* mask) {
    const Node* array = node_.sources[static_cast<size_t>(e.array)];
    Index known;  // where nothing has to be checked
    for (size_t axis = 0; axis < e.operands.size(); ++axis) known.push_back(e.is_inside[axis] ? position(e.operands[axis]) : Sym(0));
    if (std::find(e.is_inside.begin(), e.is_inside.end(), false) == e.is_inside.end()) return values_.value(array, known, mask);

    HARP_ASSERT(statements_ != nullptr, "an index is checked where an expression has to be");
    const UOp *zero = constant(0), *place = nullptr, *allowed = mask;
    const int first = first_site(program_.sites, &node_);
    int site = e.site;
    Sym stride = 1;
    std::vector<Sym> strides(e.operands.size());
    for (size_t axis = e.operands.size(); axis-- > 0;) strides[axis] = stride, stride = stride * array->shape[axis];
    for (size_t axis = 0; axis < e.operands.size(); ++axis) {
      if (e.is_inside[axis]) continue;
      const UOp* size = arena_.index(array->shape[axis]);
      const int checked = accumulator(DType::kI64);
      keep(checked, arena_.check(first + site++, flatten(index_, node_.shape), value(e.operands[axis], mask), zero, size, mask));
      const UOp* index = kept(checked);
      allowed = both(allowed, arena_.apply(Op::kLe, DType::kBool, {zero, index}));
      allowed = both(allowed, arena_.apply(Op::kLt, DType::kBool, {index, size}));
      const UOp* part = arena_.apply(Op::kMul, DType::kI64, {index, arena_.index(strides[axis])});
      place = place == nullptr ? part : arena_.apply(Op::kAdd, DType::kI64, {place, part});
    }
    const int buffer = values_.parameter(program_.buffer_of.at(array), false);
    return arena_.gather(e.dtype, buffer, flatten(known, array->shape), place, 1, allowed);
  }
  const UOp* constant(int64_t value) { return arena_.constant(Scalar::of(DType::kI64, value)); }

  ValueBuilder& values_;
  Arena& arena_;
  const Program& program_;
  ir::Kernel& kernel_;
  const Node& node_;
  const ElementBody& body_;
  const Index& index_;
  ir::Body* statements_;
  std::vector<const UOp*> variables_;         // what each is worth now; null: not declared yet
  std::vector<std::optional<Sym>> counters_;  // of the variables that count loops
  int loops_ = 0;
};

}  // namespace

const UOp* custom_value(ValueBuilder& values, ir::Kernel& kernel, const Node& node, const Index& index, const UOp* mask,
                        std::vector<Stmt*>* statements) {
  return BodyLowering(values, kernel, node, index, statements).run(mask);
}

void lower_custom(KernelContext& c) {
  const Node& node = *c.plan.alone;
  Index position;
  std::vector<Stmt*> nest;
  for (const Sym& size : iteration_space(c.plan)) {
    nest.push_back(new_loop(c.arena, cat("ridx", nest.size()), 0, size));
    position.push_back(nest.back()->variable);
  }
  ir::Body body;
  const Index index = node_index(node.shape, position);
  c.values.bind(&node, custom_value(c.values, c.kernel, node, index, nullptr, &body));
  for (Stmt* store : store_outputs(c, position)) body.push_back(store);
  for (; !nest.empty(); nest.pop_back()) {
    nest.back()->body = std::move(body);
    body = {nest.back()};
  }
  if (!c.schedule.axes.empty() && c.schedule.axes[0].kind == AxisKind::kThread) body[0]->loop = LoopKind::kThread;
  c.kernel.body = std::move(body);
}

}  // namespace harp::lower
