// Renders values as C expressions.
#pragma once

#include "render/kernel/layouts.h"
#include "render/kernel/position.h"

namespace harp::render {

struct ExpressionContext {
  const ir::Kernel* kernel = nullptr;   // null: a math function
  int lanes = 1;                        // in a math function: lanes of every value
  bool holds_constants = false;         // in a math function: float constants go through Unit::held
  std::vector<std::string> parameters;  // names of the buffers of a kernel, or of the parameters of a function
  std::vector<AccumulatorLayout> accumulators;
};

class Expressions {
 public:
  Expressions(Unit& unit, const Names& names, const Positions& positions, const ExpressionContext& context)
      : unit_(unit), names_(names), position_(positions), context_(context) {}

  /// The value's name if it has one, else its computation.
  Text operator()(const ir::UOp* u) const;
  /// The computation, even if the value has a name.
  Text computation(const ir::UOp* u) const;
  /// The value as a function argument or the right side of an assignment: a broadcast scalar is written as a vector.
  Text whole(const ir::UOp* u) const;
  /// The value as a mask of exactly this width, in brackets if its precedence is lower.
  std::string mask(const ir::UOp* u, int bits, int precedence = 0) const;
  /// Returns the natural number of bits of a mask made from this value; 0: any width is equally good.
  int mask_bits(const ir::UOp* u) const;
  /// The arguments of a call.
  std::string arguments(const std::vector<const ir::UOp*>& sources) const;
  int lanes(const ir::UOp* u) const { return context_.kernel == nullptr ? context_.lanes : u->type.lanes; }
  /// C type of a variable that holds the value.
  std::string type(const ir::UOp* u) const;

  /// The address of element `index` of a buffer, as pointer and rest: "input0_row" and "ridx1 + 1". `offset` is a further term that depends
  /// on a value: "(int64_t)alu0 * 64".
  struct Address {
    std::string pointer;
    ir::Terms rest;
    std::string offset = {};

    bool is_pointer() const { return rest.empty() && rest.constant == 0 && offset.empty(); }
  };
  /// The address of element index + position * stride, which a Scatter updates.
  Address scattered(int buffer, Sym index, const ir::UOp* position, Sym stride) const;
  Address address(int buffer, Sym index) const { return address(buffer, index, names_.innermost_loop()); }
  /// The same, for an access inside the loop over this variable.
  Address address(int buffer, Sym index, const SymAtom* innermost) const;
  std::string pointer_text(const Address& address) const;
  std::string element_text(const Address& address) const;
  /// "acc1", or "row1" for an accumulator that holds a row.
  std::string name_of(int accumulator) const;
  /// The address of an accumulator's element `index`, in the same form as for buffers.
  Address place(int accumulator, Sym index) const;
  /// Element `index` of an accumulator as an operand of `lanes` lanes, for reading or writing.
  std::string accumulator(int accumulator, Sym index, int lanes) const;

 private:
  bool is_uniform(const ir::UOp* u) const;
  Text uniform(const ir::UOp* u) const;
  /// A scalar as an operand next to a vector, cast to exactly the element type: C promotes the results of 8-bit and 16-bit operations to
  /// int.
  Text beside_vector(const ir::UOp* u) const;
  Text alu(const ir::UOp* u) const;
  bool is_count_in_range(const ir::UOp* shift) const;
  /// Returns the operand of a negation that the compiler might merge into a fused multiply-add; else null.
  const ir::UOp* negated_sum(const ir::UOp* u) const;
  Text operators(const ir::UOp* u, const Rule& rule) const;
  Text comparison(const ir::UOp* u) const;
  /// Tests whether the condition is true exactly in the first n lanes for some n, and masks have one bit a lane.
  bool is_first_lanes(const ir::UOp* in_range) const;
  Text masks(const ir::UOp* u, const Rule& rule) const;
  Text select(const ir::UOp* u) const;
  Text cast(const ir::UOp* u) const;
  Text bitcast(const ir::UOp* u) const;
  Text read(const ir::UOp* u) const;
  Text check(const ir::UOp* u) const;
  Text gather_lanes(const ir::UOp* u, const Address& at) const;
  std::string offset(const ir::UOp* position, Sym stride) const;
  Text acc(const ir::UOp* u) const;
  Text call(const ir::UOp* u) const;

  Unit& unit_;
  const Names& names_;
  const Positions& position_;
  const ExpressionContext& context_;
};

}  // namespace harp::render
