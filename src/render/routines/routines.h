// Writes routines: generated functions that process whole rows or matrices. Their texts are mostly templates. Each function here returns
// the name of a generated function, and defines it in the unit when it is first used. In the comments, the list in parentheses names the
// parameters of the generated function; `cancel` is the run's cancel flag, and `spare` is workspace.
#pragma once

#include <cstdint>
#include <string>

#include "ops/transform_parts.h"
#include "render/c/vectors.h"
#include "render/kernel/scope.h"

namespace harp::render {

/// The longest row for argsort_few_function(): the positions in it fit a signed 8-bit number.
inline constexpr int kFewKeys = 128;

/// Returns the name of a generated function (keys, rows, row length, order, spare, cancel): a stable, ascending argsort of each row. It
/// stores the indices to `order`.
std::string argsort_function(Unit& unit, DType keys);
/// Returns the name of a generated function (keys, number of keys, order): a stable, ascending argsort of one short row.
std::string argsort_few_function(Unit& unit, DType keys);
/// Returns the name of a generated function (elements, rows, row length, sorted elements, spare, cancel): a stable sort of each row.
std::string sort_function(Unit& unit, DType dtype, bool descending);
/// Return the name of a generated function (keys or elements, rows, row length, kept, order or sorted elements, cancel): a stable argsort
/// or sort of each row that finds and stores only the first `kept` indices or elements. (select.cpp) Requires 1 <= kept <= kMaxSelected,
/// and rows of at least `kept` elements.
std::string argsort_first_function(Unit& unit, DType keys);
std::string sort_first_function(Unit& unit, DType dtype, bool descending);

/// Returns the name of a generated function (to, row step of to, from, column step of from, rows, columns), which transposes a matrix:
/// to[i][j] = from[j][i]. With `stream` it uses non-temporal stores. It accesses memory in the order of the source with `as_read`,
/// otherwise in the order of the destination.
std::string transpose_function(Unit& unit, DType dtype, bool stream, bool as_read);
/// Returns the name of a generated function with the same parameters for blocks that may have fewer rows or columns than a vector has
/// lanes; the machine must have masked loads and stores. has_parts() tests whether a block of this size should be transposed by it.
std::string transpose_parts_function(Unit& unit, DType dtype);
bool has_parts(const RenderOptions& options, DType dtype, Sym rows, Sym columns);
/// Returns the name of a generated function (to, row step of to, from, row step of from, rows, columns): a copy of a matrix.
std::string copy_function(Unit& unit, DType dtype);

/// The properties of a Fourier transform that are known when code is generated. If `columns` is 0, the transform processes rows. Otherwise
/// it processes columns, and there are at least `columns` of them.
struct TransformForm {
  DType dtype;
  Sym length;
  ComplexLayout layout, to_layout;
  int64_t columns, kept;  // kept: number of elements of each row that are stored, from the first one on; 0: all
};
/// The generated function of a transform. If `tables` is empty, its parameters are (real parts, imaginary parts, distance, rows, row
/// length, real parts of the result, imaginary parts of the result, distance in the result, number of elements of each row that are stored,
/// spare, cancel): a distance is that from one real part to the next, 1 or 2, and nothing is between the rows. Otherwise they are (real
/// parts, imaginary parts, step, real parts of the result, imaginary parts of the result, step of the result, rows, tables, spare, cancel):
/// a step is the distance from row to row or, for columns, from element to element.
struct TransformRoutine {
  std::string name, tables = {};
};
TransformRoutine dft_function(Unit& unit, const TransformForm& form, const ir::Function& cosine, const ir::Function& sine);

/// Return the name of a generated function that scans one group of elements (docs/semantics.md, "Scans"), or that executes one part of such
/// a scan. Dialect::scan and Dialect::scan_part describe the parameters.
std::string scan_function(Unit& unit, const ScanForm& form);
std::string scan_part_function(Unit& unit, const ScanForm& form, ir::ScanPart part, int64_t step);

/// Return the statement that calls a routine, the statement that copies a matrix, and a statement for an asynchronous copy. In C this copy
/// is not asynchronous: it is complete when the statement has been executed.
std::string routine_call(const Scope& scope, const ir::Routine& routine);
std::string copy_call(const Scope& scope, const ir::Copy& copy);
std::string copy_async_call(const Scope& scope, const ir::CopyAsync& copy);
/// Returns the statement that copies a matrix by a call of `function`, which must have the parameters of copy_function() or, if the
/// elements of a row are not contiguous in the source, those of transpose_function().
std::string copy_call(const Scope& scope, const ir::Copy& copy, const std::string& function);

}  // namespace harp::render
