#include "run/size_code.h"

#include <algorithm>
#include <variant>

#include "base/checked_integers.h"
#include "base/error.h"
#include "base/text.h"

namespace harp {
namespace {

// Limit on the length of a postfix program: an expression is a DAG, which may become exponentially long when it is expanded.
constexpr size_t kMaxSteps = 1u << 20;

}  // namespace

SizeCode::SizeCode(Sym expression, std::span<const Sym> variables) {
  if (expression.is_constant()) {
    constant_ = expression.constant();
    return;
  }
  // Translates the expression depth-first. The stack is explicit, because users' expressions may be nested deeply. A task is an expression
  // or atom to translate, or a step to append after its operands.
  using Task = std::variant<Sym, const SymAtom*, Step>;
  std::vector<Task> tasks{expression};
  while (!tasks.empty()) {
    const Task task = tasks.back();
    tasks.pop_back();
    HARP_CHECK(steps_.size() < kMaxSteps, Code::kUnsupported, "a size is an expression of too many operations; at most ", kMaxSteps,
               " are allowed");
    if (const Step* step = std::get_if<Step>(&task)) {
      steps_.push_back(*step);
    } else if (const Sym* sym = std::get_if<Sym>(&task)) {
      if (sym->is_constant()) {
        steps_.push_back({Kind::kConstant, sym->constant()});
        continue;
      }
      // The first task to execute must be pushed last. Each term is the product of its factors and its coefficient. The constant comes
      // first, then each term is added.
      const SymNode& node = *sym->node();
      bool first = true;
      std::vector<Task> forward;
      if (node.constant != 0) {
        forward.push_back(Step{Kind::kConstant, node.constant});
        first = false;
      }
      for (const SymTerm& term : node.terms) {
        for (size_t i = 0; i < term.factors.size(); ++i) {
          forward.push_back(term.factors[i]);
          if (i > 0) forward.push_back(Step{Kind::kMul});
        }
        if (term.coefficient != 1) {
          forward.push_back(Step{Kind::kConstant, term.coefficient});
          forward.push_back(Step{Kind::kMul});
        }
        if (!first) forward.push_back(Step{Kind::kAdd});
        first = false;
      }
      tasks.insert(tasks.end(), forward.rbegin(), forward.rend());
    } else {
      const SymAtom& atom = *std::get<const SymAtom*>(task);
      if (atom.kind == AtomKind::kVariable) {
        size_t position = 0;
        while (position < variables.size() && variable_of(variables[position]) != &atom) ++position;
        HARP_ASSERT(position < variables.size(), "a size uses ", atom.name, ", which is not a shape variable of the program");
        steps_.push_back({Kind::kVariable, static_cast<int64_t>(position)});
        continue;
      }
      switch (atom.kind) {
        case AtomKind::kFloorDiv: tasks.push_back(Step{Kind::kFloorDiv}); break;
        case AtomKind::kMod: tasks.push_back(Step{Kind::kMod}); break;
        case AtomKind::kMin: tasks.push_back(Step{Kind::kMin}); break;
        case AtomKind::kMax: tasks.push_back(Step{Kind::kMax}); break;
        case AtomKind::kSelect: tasks.push_back(Step{Kind::kSelect}); break;
        case AtomKind::kVariable: break;  // handled above
      }
      if (atom.kind == AtomKind::kSelect) tasks.push_back(atom.c);
      tasks.push_back(atom.b);
      tasks.push_back(atom.a);
    }
  }
  if (steps_.size() == 1 && steps_[0].kind == Kind::kVariable) variable_ = static_cast<int>(steps_[0].value);
  size_t height = 0;
  for (const Step& step : steps_) {
    if (step.kind == Kind::kConstant || step.kind == Kind::kVariable)
      depth_ = std::max(depth_, ++height);
    else
      height -= step.kind == Kind::kSelect ? 2 : 1;
  }
}

int64_t SizeCode::evaluate_steps(std::span<const int64_t> values) const {
  constexpr size_t kInline = 64;
  int64_t inline_stack[kInline];
  inline_stack[0] = 0;  // avoids a warning of gcc 12, which cannot prove that every postfix program pushes a value
  std::vector<int64_t> large_stack(depth_ > kInline ? depth_ : 0);
  int64_t* const stack = depth_ > kInline ? large_stack.data() : inline_stack;
  size_t top = 0;  // number of values on the stack
  for (const Step& step : steps_) {
    if (step.kind == Kind::kConstant) {
      stack[top++] = step.value;
      continue;
    }
    if (step.kind == Kind::kVariable) {
      stack[top++] = values[static_cast<size_t>(step.value)];
      continue;
    }
    if (step.kind == Kind::kSelect) {
      top -= 2;
      stack[top - 1] = stack[top + 1] >= 0 ? stack[top - 1] : stack[top];
      continue;
    }
    --top;
    int64_t& a = stack[top - 1];
    const int64_t b = stack[top];
    switch (step.kind) {
      case Kind::kAdd: a = checked_add(a, b); break;
      case Kind::kMul: a = checked_mul(a, b); break;
      case Kind::kFloorDiv: a = floored_quotient(a, b); break;
      case Kind::kMod: a = floored_remainder(a, b); break;
      case Kind::kMin: a = a < b ? a : b; break;
      case Kind::kMax: a = a > b ? a : b; break;
      case Kind::kConstant:
      case Kind::kVariable:
      case Kind::kSelect: break;  // handled above
    }
  }
  return stack[0];
}

std::string SizeCode::text(std::span<const std::string> names) const {
  if (steps_.empty()) return cat(constant_);
  struct Operand {
    std::string text;
    bool is_sum = false;  // true for a sum, which needs parentheses where it is a factor
  };
  std::vector<Operand> stack;
  const auto pop = [&] {
    Operand top = std::move(stack.back());
    stack.pop_back();
    return top;
  };
  const auto factor = [](const Operand& operand) { return operand.is_sum ? cat("(", operand.text, ")") : operand.text; };
  for (const Step& step : steps_) {
    if (step.kind == Kind::kConstant) {
      stack.push_back({cat(step.value)});
      continue;
    }
    if (step.kind == Kind::kVariable) {
      stack.push_back({names[static_cast<size_t>(step.value)]});
      continue;
    }
    const Operand c = step.kind == Kind::kSelect ? pop() : Operand{}, b = pop(), a = pop();
    const auto function = [&](std::string_view name) { stack.push_back({cat(name, "(", a.text, ", ", b.text, ")")}); };
    switch (step.kind) {
      case Kind::kAdd: stack.push_back({cat(a.text, " + ", b.text), true}); break;
      case Kind::kMul: stack.push_back({cat(factor(a), "*", factor(b))}); break;
      case Kind::kFloorDiv: function("floor_div"); break;
      case Kind::kMod: function("floor_mod"); break;
      case Kind::kMin: function("min"); break;
      case Kind::kMax: function("max"); break;
      case Kind::kSelect: stack.push_back({cat("select(", c.text, ", ", a.text, ", ", b.text, ")")}); break;
      case Kind::kConstant:
      case Kind::kVariable: break;  // handled above
    }
  }
  return stack[0].text;
}

}  // namespace harp
