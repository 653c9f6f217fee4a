// Routines: generated functions that work on whole rows or matrices, mostly written as text. Each function here returns the name of a
// generated function, which it defines when it is first used. The comments give the parameters of the generated function in parentheses;
// `cancel` is the run's cancel flag.
#pragma once

#include <cstdint>
#include <string>

#include "ops/transform_parts.h"
#include "render/c/vectors.h"
#include "render/kernel/scope.h"

namespace harp::render {

/// The longest row of argsort_few_function(), so that positions in it fit a signed 8-bit number.
inline constexpr int kFewKeys = 128;

/// Returns the name of a generated function (keys, rows, row length, order, spare, cancel): a stable argsort, ascending.
std::string argsort_function(Unit& unit, DType keys);
/// Returns the name of a generated function (keys, number of keys, order): a stable argsort of one short row, ascending.
std::string argsort_few_function(Unit& unit, DType keys);
/// Returns the name of a generated function (elements, rows, row length, sorted elements, spare, cancel): a stable sort.
std::string sort_function(Unit& unit, DType dtype, bool descending);

/// Returns the name of a generated function (to, row step of to, from, column step of from, rows, columns): a transpose, to[i][j] =
/// from[j][i]. With `stream`, uses non-temporal stores. With `as_read`, iterates in the order of the source, else of the destination.
std::string transpose_function(Unit& unit, DType dtype, bool stream, bool as_read);
/// Returns the name of a generated function (to, row step of to, from, row step of from, rows, columns): a copy. With `stream`, whole cache
/// lines use non-temporal stores.
std::string copy_function(Unit& unit, DType dtype, bool stream);

/// What is known about a Fourier transform when code is generated. If `columns` is 0, rows are transformed; otherwise at least `columns`
/// columns.
struct TransformForm {
  DType dtype;
  Sym length;
  ComplexLayout layout, to_layout;
  int64_t columns, kept;  // kept: how many elements of each row, from the first on, are stored; 0: all
};
/// The generated function of a transform. Without tables its parameters are (real parts, imaginary parts, rows, row length, real parts of
/// the result, imaginary parts of the result, spare, cancel), and rows are contiguous. With tables they are (real parts, imaginary parts,
/// step, real parts of the result, imaginary parts of the result, step of the result, rows, tables, spare, cancel); a step leads from row
/// to row or, for columns, from element to element.
struct TransformRoutine {
  std::string name, tables;
};
TransformRoutine dft_function(Unit& unit, const TransformForm& form, const ir::Function& cosine, const ir::Function& sine);

/// Returns the name of a generated function that scans one group of elements (docs/semantics.md, "Scans"); Dialect::scan and
/// Dialect::scan_part describe its parameters.
std::string scan_function(Unit& unit, const ScanForm& form);
std::string scan_part_function(Unit& unit, const ScanForm& form, ir::ScanPart part, int64_t step);

/// Returns the statement that calls a routine.
std::string routine_call(const Scope& scope, const ir::Routine& routine);
std::string copy_call(const Scope& scope, const ir::Copy& copy);
/// Returns the statement that copies a matrix by a given function, which has the parameters of copy_function(), or those of
/// transpose_function() if the elements of a row are not contiguous in the source.
std::string copy_call(const Scope& scope, const ir::Copy& copy, const std::string& function);

}  // namespace harp::render
