// Values as C expressions.
#pragma once

#include "render/layouts.h"
#include "render/position.h"

namespace harp::render {

struct ExpressionContext {
  const ir::Kernel* kernel = nullptr;   // null: a math function
  int lanes = 1;                        // of everything in a math function
  bool holds_constants = false;         // of a math function, floats: Unit::held
  std::vector<std::string> parameters;  // names of buffers, or of a function's parameters
  std::vector<AccumulatorLayout> accumulators;
};

class Expressions {
 public:
  Expressions(Unit& unit, const Names& names, const Positions& positions, const ExpressionContext& context)
      : unit_(unit), names_(names), position_(positions), context_(context) {}

  /// The value, by its name if it has one.
  Text operator()(const ir::UOp* u) const;
  /// The computation, even if the value has a name.
  Text computation(const ir::UOp* u) const;
  /// As an argument of a function or the right side of an assignment: a vector is a vector, not a scalar in every lane.
  Text whole(const ir::UOp* u) const;
  /// A mask of exactly this width, in brackets if it binds less tightly.
  std::string mask(const ir::UOp* u, int bits, int precedence = 0) const;
  /// Number of bits a mask made of this value has by nature; 0: any will do.
  int mask_bits(const ir::UOp* u) const;
  /// Of a call.
  std::string arguments(const std::vector<const ir::UOp*>& sources) const;
  int lanes(const ir::UOp* u) const { return context_.kernel == nullptr ? context_.lanes : u->type.lanes; }
  /// C type of the value under a name.
  std::string type(const ir::UOp* u) const;

  /// Address of element `index` of a buffer, as pointer and rest: "input0_row" and "ridx1 + 1". `offset` is what a value adds to it:
  /// "(int64_t)alu0 * 64".
  struct Address {
    std::string pointer;
    ir::Terms rest;
    std::string offset = {};

    bool is_pointer() const { return rest.empty() && rest.constant == 0 && offset.empty(); }
  };
  /// Element index + position * stride, which a Scatter changes.
  Address scattered(int buffer, Sym index, const ir::UOp* position, Sym stride) const;
  Address address(int buffer, Sym index) const { return address(buffer, index, names_.innermost_loop()); }
  /// The same as it is written inside the loop on this variable.
  Address address(int buffer, Sym index, const SymAtom* innermost) const;
  std::string pointer_text(const Address& address) const;
  std::string element_text(const Address& address) const;
  /// "acc1", or "row1" of elements of a row.
  std::string name_of(int accumulator) const;
  /// Its element `index`, as `address` gives those of buffers.
  Address place(int accumulator, Sym index) const;
  /// Element `index` of an accumulator, read or written at `lanes` lanes.
  std::string accumulator(int accumulator, Sym index, int lanes) const;

 private:
  bool is_uniform(const ir::UOp* u) const;
  Text uniform(const ir::UOp* u) const;
  /// The scalar as an operand of a vector, of its very type: C makes an int of what is chosen or computed of 8 and 16 bits.
  Text beside_vector(const ir::UOp* u) const;
  Text alu(const ir::UOp* u) const;
  bool is_count_in_range(const ir::UOp* shift) const;
  /// What is negated, where the compiler might put the negation into a product and sum; else null.
  const ir::UOp* negated_sum(const ir::UOp* u) const;
  Text operators(const ir::UOp* u, const Rule& rule) const;
  Text comparison(const ir::UOp* u) const;
  /// Does it hold for some first lanes, of masks with one bit a lane?
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
