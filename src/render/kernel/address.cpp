#include "render/kernel/address.h"

#include "base/error.h"
#include "render/kernel/value.h"

namespace harp::render {

Address address_of(const Scope& scope, int buffer, Sym index, const SymAtom* innermost) {
  ir::SplitIndex split = ir::split_index(index, innermost);
  const std::string& name = scope.name_of_parameter(buffer);
  if (split.row.empty()) return {name, std::move(split.rest)};
  if (const std::string* row = scope.names.find_pointer(buffer, split.row)) return {*row, std::move(split.rest)};
  return {name, ir::terms_of(index)};
}

Address address_of(const Scope& scope, int buffer, Sym index) { return address_of(scope, buffer, index, scope.names.innermost_loop()); }

Address address_at(const Scope& scope, int buffer, Sym index, const ir::UOp* position, Sym stride) {
  Address at = address_of(scope, buffer, index);
  at.offset = offset_text(scope, position, stride);
  return at;
}

std::string address_from_start(const Scope& scope, int buffer, Sym index) {
  const std::string& array = scope.name_of_parameter(buffer);
  return index.is_constant(0) ? array : cat(array, " + ", bracket(scope.position(index), kSum));
}

std::string offset_text(const Scope& scope, const ir::UOp* position, Sym stride) {
  const Text text = value(scope, position);
  if (stride.is_constant(1)) return bracket(text, kSum);
  const std::string wide = position->type.dtype == DType::kI32 ? cat("(", scope.unit.dialect.index, ")") : std::string();
  return cat(wide, bracket(text, kUnary), " * ", bracket(scope.position(stride), kUnary));
}

std::string pointer_text(const Scope& scope, const Address& at) {
  const std::string pointer = at.offset.empty() ? at.pointer : cat(at.pointer, " + ", at.offset);
  if (at.rest.empty() && at.rest.constant == 0) return pointer;
  const Text rest = scope.position(at.rest);
  if (rest.text[0] == '-' && rest.precedence == kUnary) return cat(pointer, " - ", rest.text.substr(1));
  return cat(pointer, " + ", bracket(rest, kSum));
}

std::string element_text(const Scope& scope, const Address& at) {
  const bool is_offset = !at.offset.empty() && at.rest.empty() && at.rest.constant == 0;
  const std::string rest = is_offset ? std::string() : scope.position(at.rest).text;
  return cat(at.pointer, "[", at.offset, at.offset.empty() || is_offset ? "" : " + ", rest, "]");
}

std::string accumulator_name(const Scope& scope, int accumulator) {
  return cat(scope.accumulator(accumulator).is_row ? "row" : "acc", accumulator);
}

Address accumulator_address(const Scope& scope, int accumulator, Sym index) {
  // a thread has only its own elements of an accumulator that is spread over threads, and numbers them from 0
  if (const int64_t spread = scope.accumulator(accumulator).spread; spread > 0 && scope.group_threads > 0 && scope.thread)
    index = index - *scope.thread * spread;
  ir::Terms all = ir::terms_of(index);
  ir::Terms row = all;
  row.constant = 0;
  if (const std::string* pointer = scope.names.find_pointer(static_cast<int>(scope.subject.parameters.size()) + accumulator, row))
    return {*pointer, {{}, all.constant}};
  return {accumulator_name(scope, accumulator), std::move(all)};
}

std::string accumulator_text(const Scope& scope, int accumulator, Sym index, int lanes) {
  const ir::Accumulator& a = scope.accumulator(accumulator);
  const AccumulatorLayout& layout = scope.layout(accumulator);
  const std::string name = accumulator_name(scope, accumulator);
  if (lanes == 1 && a.type.lanes > 1) return cat(name, "[0]");
  if (lanes != layout.lanes) {
    HARP_ASSERT(layout.lanes == 1, "an access of ", lanes, " lanes to acc", accumulator, ", whose elements have ", layout.lanes,
                "; expected equal numbers, or elements of one lane");
    const Address at = accumulator_address(scope, accumulator, index);
    const std::string type = scope.unit.dialect.vectors.memory_type(scope.unit, a.type.dtype, lanes);
    return cat("*(", type, "*)", at.is_pointer() ? at.pointer : cat("(", pointer_text(scope, at), ")"));
  }
  if (layout.size == 1) return name;
  if (layout.lanes == 1) return element_text(scope, accumulator_address(scope, accumulator, index));
  const Sym slot = a.type.lanes == 1 ? floor_div(index, layout.lanes) : index;
  return cat(name, "[", scope.position(slot).text, "]");
}

}  // namespace harp::render
