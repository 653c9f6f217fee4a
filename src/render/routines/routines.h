// Routines: functions of a unit that work on whole rows or matrices, mostly written as text. Each function here returns the name of a
// function of the unit, which it defines when it is first used, with the parameters in parentheses. `cancel` is the run's cancel flag.
#pragma once

#include <cstdint>
#include <string>

#include "ops/transform_parts.h"
#include "render/c/vectors.h"
#include "render/kernel/scope.h"

namespace harp::render {

/// The longest row of argsort_few_function(). Ranks below it fit a signed 8-bit number.
inline constexpr int kFewKeys = 128;

/// (keys, rows, row length, order, spare, cancel): stable, ascending.
std::string argsort_function(Unit& unit, DType keys);
/// For one short row: (keys, number of keys, order).
std::string argsort_few_function(Unit& unit, DType keys);
/// (elements, rows, row length, sorted elements, spare, cancel): stable.
std::string sort_function(Unit& unit, DType dtype, bool descending);

/// (to, row step of to, from, column step of from, rows, columns): to[i][j] = from[j][i]. With `stream`, non-temporal stores. With
/// `as_read`, iterates in the order of the source, else of the destination.
std::string transpose_function(Unit& unit, DType dtype, bool stream, bool as_read);
/// (to, row step of to, from, row step of from, rows, columns). With `stream`, whole cache lines use non-temporal stores.
std::string copy_function(Unit& unit, DType dtype, bool stream);

/// Fourier transforms of rows, or of at least `columns` columns.
struct TransformForm {
  DType dtype;
  Sym length;
  ComplexLayout layout, to_layout;
  int64_t columns, kept;  // kept: number of stored elements of each row, the first ones; 0: all
};
/// Without tables the parameters are (real parts, imaginary parts, rows, row length, real parts of the result, imaginary parts of the
/// result, spare, cancel), and rows are contiguous. With tables they are (real parts, imaginary parts, step, real parts of the result,
/// imaginary parts of the result, step of the result, rows, tables, spare, cancel); a step leads from row to row or, for columns, from
/// element to element.
struct TransformRoutine {
  std::string name, tables;
};
TransformRoutine dft_function(Unit& unit, const TransformForm& form, const ir::Function& cosine, const ir::Function& sine);

/// The scan of one group; Dialect::scan and Dialect::scan_part describe these.
std::string scan_function(Unit& unit, const ScanForm& form);
std::string scan_part_function(Unit& unit, const ScanForm& form, ir::ScanPart part, int64_t step);

/// The statements that call these.
std::string routine_call(const Scope& scope, const ir::Routine& routine);
std::string copy_call(const Scope& scope, const ir::Copy& copy);
/// A copy by a given function, with the parameters of copy_function(), or of transpose_function() if the elements of a row are not
/// contiguous in the source.
std::string copy_call(const Scope& scope, const ir::Copy& copy, const std::string& function);

}  // namespace harp::render
