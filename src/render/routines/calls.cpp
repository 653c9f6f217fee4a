// Writes those statements of a kernel that call routines. A routine is a generated function that processes whole rows or matrices
// (routines.h).
#include "base/error.h"
#include "render/kernel/address.h"
#include "render/routines/routines.h"

namespace harp::render {
namespace {

std::string transform_call(const Scope& scope, const ir::Routine& s, DType dtype, const std::string& spare, const std::string& rows,
                           const std::string& size) {
  const ir::Function &cosine = *scope.subject.arena->function_of(Op::kCos, DType::kF64),
                     &sine = *scope.subject.arena->function_of(Op::kSin, DType::kF64);
  const int64_t kept = s.kept.is_constant() ? s.kept.constant() : 0;
  const TransformRoutine routine = dft_function(scope.unit, {dtype, s.length, s.layout, s.to_layout, s.columns, kept}, cosine, sine);
  const auto text = [&](Sym position) { return scope.position(position).text; };
  const auto part = [&](size_t i) {
    return address_from_start(scope, i < 2 ? s.inputs[i] : s.buffer, s.parts[i].start + s.begin * s.parts[i].row_step);
  };
  const auto step = [&](const ir::Routine::Part& p) { return text(s.columns > 0 ? p.step : p.row_step); };
  const std::string to = cat(part(2), ", ", part(3), ", ");
  if (routine.tables.empty()) {
    const std::string im = s.layout == ComplexLayout::kReal ? "0" : part(1);
    return cat(routine.name, "(", part(0), ", ", im, ", ", text(s.parts[0].step), ", ", size, ", ", to, text(s.parts[2].step), ", ",
               text(s.kept.is_constant(0) ? s.length : s.kept), ", ", spare, ", cancel);");
  }
  const std::string from = cat(part(0), ", ", part(1), ", ");
  return cat(routine.name, "(", from, step(s.parts[0]), ", ", to, step(s.parts[2]), ", ", rows, ", ", routine.tables, ", ", spare,
             ", cancel);");
}

}  // namespace

std::string routine_call(const Scope& scope, const ir::Routine& s) {
  const DType dtype = scope.parameter(s.inputs[0]).dtype;
  const std::string rows = scope.position(s.end - s.begin).text, size = cat(rows, ", ", scope.position(s.length).text);
  if (s.routine != Op::kDft && !s.kept.is_constant(0)) {
    const std::string name =
        s.routine == Op::kSort ? sort_first_function(scope.unit, dtype, s.descending) : argsort_first_function(scope.unit, dtype);
    return cat(name, "(", address_from_start(scope, s.inputs[0], s.begin * s.length), ", ", size, ", ", s.kept.constant(), ", ",
               address_from_start(scope, s.buffer, s.begin * s.kept), ", cancel);");
  }
  const std::string spare = s.accumulator >= 0 ? accumulator_name(scope, s.accumulator) : address_from_start(scope, s.spare, s.spare_index);
  if (s.routine == Op::kDft) return transform_call(scope, s, dtype, spare, rows, size);
  const Sym first = s.begin * s.length;
  const std::string name = s.routine == Op::kSort ? sort_function(scope.unit, dtype, s.descending) : argsort_function(scope.unit, dtype);
  return cat(name, "(", address_from_start(scope, s.inputs[0], first), ", ", size, ", ", address_from_start(scope, s.buffer, first), ", ",
             spare, ", cancel);");
}

std::string copy_call(const Scope& scope, const ir::Copy& s) {
  const DType dtype = s.source >= 0 ? scope.accumulator(s.source).type.dtype : scope.parameter(s.inputs[0]).dtype;
  if (s.from_stride.is_constant(1)) return copy_call(scope, s, copy_function(scope.unit, dtype));
  const bool is_in_parts = !s.nontemporal && has_parts(scope.unit.options, dtype, s.rows, s.length);
  return copy_call(
      scope, s,
      is_in_parts ? transpose_parts_function(scope.unit, dtype) : transpose_function(scope.unit, dtype, s.nontemporal, s.as_read));
}

std::string copy_call(const Scope& scope, const ir::Copy& s, const std::string& function) {
  const auto row = [&](int accumulator, Sym first) {
    // whether the accumulator is a single element, in which case its variable is not an array
    const bool is_scalar = scope.layout(accumulator).size == 1;
    const std::string name = cat(is_scalar ? "&" : "", accumulator_name(scope, accumulator));
    return first.is_constant(0) ? name : cat(name, " + ", bracket(scope.position(first), kSum));
  };
  const std::string to = s.accumulator < 0 ? address_from_start(scope, s.buffer, s.index) : row(s.accumulator, s.index),
                    from = s.source < 0 ? address_from_start(scope, s.inputs[0], s.from) : row(s.source, s.from);
  const bool is_straight = s.from_stride.is_constant(1);
  HARP_ASSERT(is_straight || s.from_row_stride.is_constant(1), "a copy reads elements that are contiguous along one axis; got strides of ",
              to_string(s.from_row_stride), " and ", to_string(s.from_stride));
  const auto text = [&](Sym position) { return scope.position(position).text; };
  return cat(function, "(", to, ", ", text(s.stride), ", ", from, ", ", text(is_straight ? s.from_row_stride : s.from_stride), ", ",
             text(s.rows), ", ", text(s.length), ");");
}

std::string copy_async_call(const Scope& scope, const ir::CopyAsync& s) {
  const DType dtype = scope.accumulator(s.accumulator).type.dtype;
  const std::string name = cat("copy_existing_", harp::name(dtype));
  const Dialect& dialect = scope.unit.dialect;
  scope.unit.definitions.once(name, [&] {
    const std::string_view type = dialect.memory_type(dtype), index = dialect.index;
    return cat("/* Copies the first `exist` of n elements; the others become 0. */\n", dialect.inlined, "void ", name, "(", type,
               "* to, const ", type, "* from, ", index, " n, ", index, " exist) {\n  for (", index,
               " i = 0; i < n; ++i) to[i] = i < exist ? from[i] : 0;\n}\n");
  });
  return cat(name, "(", accumulator_name(scope, s.accumulator), " + ", bracket(scope.position(s.index), kSum), ", ",
             address_from_start(scope, s.buffer, s.from), ", ", s.length, ", ", scope.position(s.exist).text, ");");
}

}  // namespace harp::render
