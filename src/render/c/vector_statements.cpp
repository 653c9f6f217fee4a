#include "render/c/vector_statements.h"

#include "base/machine.h"
#include "base/text.h"
#include "render/c/access.h"
#include "render/c/masks.h"
#include "render/c/vector_functions.h"
#include "render/c/vector_value.h"

namespace harp::render {

std::string stored_vector(const Scope& scope, const ir::Store& s) {
  const auto [dtype, lanes] = s.value->type;
  std::string value = whole(scope, s.value).text;
  if (is_bool(dtype)) value = cat("(", memory_vector(scope.unit, dtype, lanes), ")(", mask_text(scope, s.value, 8, kUnary), " & 1)");
  return value;
}

std::string vector_store(const Scope& scope, const Address& at, const ir::Store& s) {
  Unit& unit = scope.unit;
  const auto [dtype, lanes] = s.value->type;
  const std::string pointer = pointer_text(scope, at);
  const std::string value = stored_vector(scope, s);
  const bool strided = !s.lane_step.is_constant(1);
  if (s.mask == nullptr && !strided) {
    if (s.nontemporal && has_stream(unit.options, dtype, lanes))
      return cat(stream_function(unit, dtype, lanes), "(", pointer, ", ", value, ");");
    return cat("*(", memory_vector(unit, dtype, lanes), "*)", at.is_pointer() ? pointer : cat("(", pointer, ")"), " = ", value, ";");
  }
  std::string text = cat(store_function(unit, dtype, lanes, strided, s.mask != nullptr), "(", pointer);
  if (strided) append(text, cat(", ", scope.position(s.lane_step).text));
  append(text, cat(", ", value));
  const bool by_bits = !strided && has_masked_access(unit.options, dtype, lanes);
  if (s.mask != nullptr) append(text, cat(", ", mask_text(scope, s.mask, by_bits ? kOneBitALane : bits_of_dtype(dtype), 0)));
  return cat(text, ");");
}

bool interleaves(const Unit& unit, DType dtype, int lanes, int parts) {
  // Two vectors need no general shuffles: every machine has instructions that interleave two vectors of elements of any size.
  return parts == 2 || shuffles_elements(unit.options.target.cpu(), size_of(dtype), lanes);
}

std::string recomputed_lanes(const Scope& scope, const ir::UOp* u, const std::string& name) {
  const int n = lanes_of(scope, u);
  const std::vector<const ir::UOp*> operands(u->sources.begin() + 2, u->sources.end());
  const Text condition = value(scope, u->sources[0]);
  std::vector<std::string> types;
  for (const ir::UOp* operand : operands) types.push_back(type_of(scope, operand));
  const std::string recomputed = rare_lanes_function(scope.unit, *u->function, n, condition.mask_bits, type_of(scope, u), types);
  const std::string list = arguments(scope, operands), any = any_function(scope.unit, condition.mask_bits, n);
  return cat("if (__builtin_expect(", any, "(", condition.text, "), 0)) ", name, " = ", recomputed, "(", condition.text, ", ", name, ", ",
             list, ");");
}

}  // namespace harp::render
