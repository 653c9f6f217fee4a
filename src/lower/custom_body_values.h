// Declares the part of lowering a custom function's body that makes values: of expressions, of elements of local arrays, and of the
// accumulators that hold variables in loops. custom_body.cpp lowers the statements.
//
// Loads inside a branch are masked by its condition. An index that is not provably inside its array is stored in an accumulator, so that it
// is checked even if the load is not used. A local array is an accumulator with several elements. An element that is read from a local
// array is copied to an accumulator of its own, because later statements may change the array.
//
// If there are several lanes (custom_body.cpp, "Vectors"), no index is checked, because every index is proven to be inside its array. A
// load then has a mask in two cases: if the proof needs the conditions of the branches around the load, and for lanes beyond the end of the
// axis. A local array has one vector for each of its elements. All lanes use the same element of the array.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/body.h"
#include "ir/ir.h"
#include "lower/custom_body.h"
#include "lower/value.h"
#include "schedule/body_lanes.h"
#include "schedule/body_positions.h"

namespace harp::lower {

/// Makes the values of one body. They are values at the current point of the lowering: the derived class lowers the statements in order,
/// and keeps the variables, and the list `statements_` to which code is appended, up to date. The parameter `mask` of the functions is the
/// condition under which the current statement is executed; null: it always is.
class BodyValues {
 protected:
  /// Prepares to lower the body of the custom function for the element at `index`; if there are several lanes, the index depends on the
  /// lane. Loops and checks are appended to `statements`, which may be null if the body needs neither.
  BodyValues(ValueBuilder& values, ir::Kernel& kernel, const Node& node, const Index& index, ir::Body* statements, const Lanes& lanes);

  bool has_lanes() const { return lanes_.count > 1; }

  // --- expressions

  /// Returns the value of an expression of the body, given by its index in ElementBody::expressions.
  const ir::UOp* value(int expression, const ir::UOp* mask);
  /// Returns the conjunction of two masks; null stands for true.
  const ir::UOp* both(const ir::UOp* a, const ir::UOp* b);
  const ir::UOp* negated(const ir::UOp* a) { return arena_.apply(Op::kBitNot, DType::kBool, {a}); }
  const ir::UOp* is_zero(const ir::UOp* i32) { return arena_.apply(Op::kEq, DType::kBool, {i32, flag(0)}); }
  const ir::UOp* constant(int64_t value) { return arena_.constant(Scalar::of(DType::kI64, value)); }
  const ir::UOp* constant_true() { return arena_.constant(scalar_from_int(DType::kBool, 1)); }
  const ir::UOp* flag(int64_t value) { return arena_.constant(scalar_from_int(DType::kI32, value)); }

  // --- local arrays: the statements kClear and kStore

  void clear(int variable);
  void store(const BodyStatement& s, const ir::UOp* mask);

  // --- accumulators

  /// Returns the dtype in which an accumulator holds a variable of this dtype: the one in which arithmetic computes. A bool is held as an
  /// i32 if a single element is computed, and as a bool for each lane (a mask) if there are several lanes.
  DType held_as(DType dtype) const;
  DType dtype_of(int accumulator) const { return kernel_.accumulators[static_cast<size_t>(accumulator)].type.dtype; }
  /// For each of these values, declares an accumulator, which has one element for each lane, and sets it to the value. Returns the indices
  /// of the accumulators.
  std::vector<int> accumulators(const std::vector<const ir::UOp*>& values);
  int accumulator(const ir::UOp* value) { return accumulators({value})[0]; }
  const ir::UOp* kept(int accumulator) const { return arena_.acc(dtype_of(accumulator), accumulator, lanes_.at); }
  /// Sets accumulator numbers[i] to values[i] for each i. A value may read the accumulator that is set to it, but no other accumulator in
  /// `numbers`.
  void keep(const std::vector<int>& numbers, const std::vector<const ir::UOp*>& values);
  void keep(int accumulator, const ir::UOp* value) { keep(std::vector{accumulator}, {value}); }
  /// Sets accumulators to these values, which are all computed before the first accumulator changes. Accumulators that keep their value are
  /// not set.
  void keep_changed(const std::vector<int>& numbers, const std::vector<const ir::UOp*>& values);

  ValueBuilder& values_;
  ir::Arena& arena_;
  const Program& program_;
  ir::Kernel& kernel_;
  const Node& node_;
  const ElementBody& body_;
  const Index& index_;
  const Lanes lanes_;
  ir::Body* statements_;
  std::vector<const ir::UOp*> variables_;  // current value of each variable; null: not declared yet
  std::vector<int> arrays_;                // accumulator of each local array; -1: not declared yet
  BodyPositions positions_;                // positions of loop variables and of variables for which BodyIndices::is_position is true
  BodyIndices indices_;                    // which indices of the body are proven to be inside their arrays
  // Accumulator that records whether an index of this element was out of range, so that loops exit. -1: there is none, because the body has
  // no loop or checks no index.
  int failed_ = -1;
  // upper bound of the number of expressions that are evaluated in one iteration of the innermost open loop, or for the element if no loop
  // is open
  double cost_ = 0;

 private:
  const BodyExpression& at(int expression) const { return body_.expressions[static_cast<size_t>(expression)]; }
  bool is_inside(int site) const { return indices_.inside[static_cast<size_t>(site)] != Inside::kUnknown; }

  /// An element of a local array of the body, and the condition under which it may be accessed.
  struct Place {
    int array;  // accumulator
    // Position of the element in the accumulator. It is always inside the accumulator. If there are several lanes, it is the position of
    // the element of the current lane.
    Sym index;
    const ir::UOp* allowed = nullptr;  // true where the statement is executed and the index is inside the array; null: everywhere
    ir::Define* define = nullptr;      // the statement that defines `index` as a variable; null: `index` needs no definition
  };
  Place place(int variable, int index, int site, const ir::UOp* mask);
  void put(const Place& at, ir::Stmt* statement);
  const ir::UOp* element(const BodyExpression& e, const ir::UOp* mask);
  int new_accumulator(DType dtype, int64_t count);
  /// Returns the value of an index that is proven to be inside its array.
  Sym position_of(int index) const;
  /// If the expression compares two positions, returns a condition on their difference (Arena::in_range), which needs no vectors of i64.
  /// Otherwise returns null. Used only if there are several lanes.
  const ir::UOp* comparison(const BodyExpression& e);
  const ir::UOp* load(const BodyExpression& e, const ir::UOp* mask);
  /// Returns a load for all lanes of a vector. No index is checked. If the index is inside the array wherever the loops around the load
  /// run, the load has no mask (except for lanes without an element), so that it can move out of the loops.
  const ir::UOp* load_in_lanes(const BodyExpression& e, const ir::UOp* mask);
  /// Returns an index that is checked at run time where `mask` is true. Adds to the condition `allowed` that the index is inside its array.
  const ir::UOp* checked(int expression, int site, const ir::UOp* size, const ir::UOp* mask, const ir::UOp*& allowed);
  /// Records in the accumulator `failed_` whether an index was out of range, so that the loops of this element exit.
  void note_fault(const ir::UOp* allowed, const ir::UOp* mask);
};

}  // namespace harp::lower
