// Writes C expressions for the addresses of elements of a kernel's arrays and of its accumulators.
#pragma once

#include <string>

#include "render/kernel/scope.h"

namespace harp::render {

/// The address of an element, as a pointer and an index, for example "input0_row" and "ridx1 + 1". `offset` is an additional term of the
/// index, which depends on a value that is computed at run time, for example "(int64_t)alu0 * 64".
struct Address {
  std::string pointer;
  ir::Terms rest;
  std::string offset = {};

  bool is_pointer() const { return rest.empty() && rest.constant == 0 && offset.empty(); }
};

/// Returns the address of element `index` of a buffer. The access is inside the loop with the variable `innermost`, or, without this
/// argument, inside the innermost open loop.
Address address_of(const Scope& scope, int buffer, Sym index, const SymAtom* innermost);
Address address_of(const Scope& scope, int buffer, Sym index);
/// Returns the address of the element with the index `index` + position * stride.
Address address_at(const Scope& scope, int buffer, Sym index, const ir::UOp* position, Sym stride);
/// Returns the address of element `index` of a buffer, as an expression that starts from the buffer and does not use a row pointer (a
/// variable that holds the address of a row).
std::string address_from_start(const Scope& scope, int buffer, Sym index);
/// Returns the expression position * stride, which is computed in the dialect's index type.
std::string offset_text(const Scope& scope, const ir::UOp* position, Sym stride);

std::string pointer_text(const Scope& scope, const Address& address);
std::string element_text(const Scope& scope, const Address& address);

/// Returns the name of the variable of an accumulator: "acc1", or "row1" if it is a plain array without an initial value
/// (Accumulator::is_row).
std::string accumulator_name(const Scope& scope, int accumulator);
/// Returns the address of element `index` of an accumulator.
Address accumulator_address(const Scope& scope, int accumulator, Sym index);
/// Returns an expression for `lanes` lanes of an accumulator, from element `index` on. It can be read or assigned to.
std::string accumulator_text(const Scope& scope, int accumulator, Sym index, int lanes);

}  // namespace harp::render
