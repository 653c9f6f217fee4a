// Builds elementwise NumPy functions that inspect the representation of floats, or that compare floats.
#include <cmath>
#include <limits>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::build {
namespace {

using namespace steps;

/// Returns the integer dtype that has the same size as this float dtype.
DType bits_of(DType dtype) {
  switch (size_of(dtype)) {
    case 2: return DType::kI16;
    case 4: return DType::kI32;
    case 8: return DType::kI64;
    default: fail(Code::kInternal, "no integer has the size of ", name(dtype));
  }
}

}  // namespace

NodeRef isclose(NodeRef a, NodeRef b, double rtol, double atol, bool equal_nan) {
  HARP_CHECK(rtol >= 0 && atol >= 0, Code::kRange, "isclose: rtol is ", rtol, " and atol ", atol, "; neither may be negative or NaN");
  const NodeRef operands[] = {a, b};
  const DType dtype = common_type("isclose", Operands::kField, operands).dtype;
  const DType working = is_complex(dtype) ? dtype : working_dtype(dtype);
  a = cast(a, working), b = cast(b, working);
  const NodeRef distance = abs(sub(a, b)), length = abs(b);
  const NodeRef allowed = add({constant_like(length, atol), mul({constant_like(length, rtol), length})});
  const NodeRef near = le({distance, allowed});
  const NodeRef is_finite = lt({distance, constant_like(distance, std::numeric_limits<double>::infinity())});
  NodeRef result = elementwise(Op::kBitAnd, {near, is_finite});
  result = elementwise(Op::kBitOr, {result, eq({a, b})});  // equal infinities are close although their difference is NaN
  if (!equal_nan) return result;
  const NodeRef a_is_nan = unary(Op::kIsNan, a);
  return elementwise(Op::kBitOr, {result, elementwise(Op::kBitAnd, {a_is_nan, unary(Op::kIsNan, b)})});
}

NodeRef signbit(NodeRef x) {
  const DType dtype = common_dtype("signbit", Operands::kReal, std::span(&x, 1));
  if (is_float(dtype)) x = elementwise(Op::kCopysign, {constant_like(x, 1), x});
  return lt({x, constant_like(x, 0)});
}

NodeRef nextafter(NodeRef a, NodeRef b) {
  const NodeRef operands[] = {a, b};
  const auto [dtype, shape] = common_type("nextafter", Operands::kFloat, operands);
  a = broadcast_to(cast(a, dtype), shape), b = broadcast_to(cast(b, dtype), shape);
  // For both signs, the bits of a float, read as an integer, increase by 1 from one float to the next one away from 0.
  const DType integer = bits_of(dtype);
  const NodeRef bits = bitcast(a, integer), zero = constant_like(a, 0);
  const NodeRef outwards = eq({lt({zero, a}), lt({a, b})});
  const NodeRef step = where({outwards, constant_like(bits, 1), constant_like(bits, -1)});
  const NodeRef stepped = bitcast(add({bits, step}), dtype);
  // If a is 0, the result is the smallest subnormal, with the sign of b.
  const NodeRef least = elementwise(Op::kCopysign, {bitcast(constant_like(bits, 1), dtype), b});
  const NodeRef moved = where({eq({a, zero}), least, stepped});
  const NodeRef numbers = where({eq({a, b}), b, moved});
  const NodeRef is_nan = elementwise(Op::kBitOr, {unary(Op::kIsNan, a), unary(Op::kIsNan, b)});
  return where({is_nan, constant_like(a, std::numeric_limits<double>::quiet_NaN()), numbers});
}

}  // namespace harp::build
