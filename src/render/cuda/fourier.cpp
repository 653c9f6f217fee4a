// Writes Fourier transforms for a GPU. They have the same passes and roundings as on a CPU (render/routines/dft.cpp). If the length of the
// rows is known, has no large prime factor and is not too long, each thread block transforms a tile of rows, or of columns of a long row,
// in shared memory (fourier_blocks.h).
//
// This file contains the other cases. If the length is known only at run time, or has a large prime factor (Bluestein's convolution), one
// thread block transforms a whole row. If rows are too long for tiles, several blocks transform each row. In all these cases a block
// transforms *lines*: a line is a short row, or one column or one row of a long row that is treated as a matrix. A block loads adjacent
// lines into shared memory, executes the passes, each of which copies from one half of that memory to the other, and stores the results.
// Lines that do not fit shared memory use global memory instead.
#include <utility>

#include "base/text.h"
#include "ops/block_transforms.h"
#include "ops/grid_routines.h"
#include "render/cuda/fourier_blocks.h"
#include "render/cuda/fourier_functions.h"
#include "render/cuda/fourier_text.h"
#include "render/cuda/routines.h"
#include "render/kernel/address.h"
#include "render/text/filled.h"

namespace harp::render {
namespace {

/// Defines the generated functions for transforms of one dtype that do not use the tiles of fourier_blocks.h.
class TransformText {
 public:
  explicit TransformText(TransformFunctions& functions) : f_(functions) {}

  std::string tables() {
    define_length();
    f_.root();
    return f_.define("dft_tables_$F", kGridTables);
  }

  /// Defines a function that transforms lines of a known length, `per_row` lines for each row of the array. Each row of the array is
  /// treated as a matrix: with `are_columns` the lines are the columns of this matrix, otherwise its rows. Returns the beginning of a call
  /// of the function, up to the first argument.
  std::string lines(int64_t length, int64_t per_row, bool are_columns) {
    Filling values = f_.values();
    const bool is_shared = line_memory(length, f_.bytes()) == 0;
    values["SHAPE"] = "";
    values["MEMORY"] = is_shared ? f_.define("dft_tile_$F", kGridTile) + "()" : cat("spare + block * ", 4 * length);
    values["CONSTANTS"] =
        cat("  const int length = ", length, ", lines = ", lines_of_tile(length, per_row, f_.bytes()), ";\n  const i64 per_row = ", per_row,
            ";\n  const bool are_columns = ", are_columns ? "true" : "false", ";\n");
    std::string passes, from = "one", to = "other";
    for (int64_t left = length, done = 1; left > 1;) {
      const int64_t factor = transform_factor(left);
      append(passes, cat("    ", pass(factor), "(length, lines, ", done, ", roots, n, ", from, ", ", to, ");\n"));
      std::swap(from, to);
      left /= factor;
      done *= factor;
    }
    values["PASSES"] = cat(passes, filled("    const $T* const result = ", values), from, ";\n");
    f_.turn();
    return f_.define(cat(are_columns ? "dft_columns_" : "dft_lines_", length, "_of_", per_row, "_$F"), kGridLines, std::move(values)) + "(";
  }

  /// Defines a function for rows of a known length with small prime factors, each transformed by one block. Returns its name.
  std::string row(int64_t n) {
    const int64_t r = transform_rows(n), m = n / r;
    Filling values = f_.values();
    if (r == 1)
      values["SHORT"] = lines(n, 1, false);
    else
      values["COLUMNS"] = lines(r, m, true), values["ROWS"] = lines(m, r, false);
    return row(cat(f_.suffix(), "_", n), r == 1 ? kRowOfLines : kRowAsMatrix, std::move(values));
  }
  /// Defines a function for rows of a length that is known only at run time and has small prime factors. Returns its name.
  std::string row() {
    define_length();
    f_.define("dft_matrix_rows", kGridMatrixRows);
    define_any_lines();
    return row(f_.suffix(), kRowOfAny, f_.values());
  }

  std::string filter(const std::string& suffix, const std::string& row) { return of_rows("dft_filter_$G", kGridFilter, suffix, row, ""); }
  std::string rows(const std::string& suffix, const std::string& row, const std::string& sharing) {
    return of_rows("dft_rows_$G", kGridRows, suffix, row, sharing);
  }

 private:
  void define_length() {
    f_.define("dft_factor", kGridFactor);
    f_.define("dft_length", kGridLength);
  }

  std::string pass(int64_t factor) {
    f_.elements(factor);
    f_.turn();
    return f_.define("dft_pass_by_$P_$F", kGridPass, {{"P", cat(factor)}});
  }

  void define_any_lines() {
    Filling values = f_.values();
    std::string calls;
    for (const int64_t factor : {8, 4, 2})
      append(calls, cat("if (p == ", factor, ") ", pass(factor), "(length, lines, done, roots, n, result, next);\n      else "));
    f_.define("dft_pass_by_odd_$F", kGridAnyOddPass);
    values["CALLS"] = calls;
    values["SHAPE"] = kAnyShape;
    values["MEMORY"] = f_.define("dft_tile_$F", kGridTile);
    values["MEMORY"] = filled("length <= $TILE ? $MEMORY() : spare", values);
    values["CONSTANTS"] = filled(kAnyConstants, values);
    values["PASSES"] = filled(kAnyPasses, values);
    f_.define("dft_lines_$F", kGridLines, std::move(values));
  }

  std::string row(const std::string& suffix, std::string_view lines, Filling values) {
    values["LINES"] = filled(lines, values);
    values["G"] = suffix;
    return f_.define("dft_row_$G", kGridRow, std::move(values));
  }

  std::string of_rows(std::string_view name, std::string_view text, const std::string& suffix, const std::string& row,
                      const std::string& sharing) {
    define_length();
    f_.turn();
    return f_.define(name, text, {{"G", suffix}, {"ROW", row}, {"SHARING", sharing}});
  }

  TransformFunctions& f_;
};

/// Writes the call of the function for one phase of a transform.
class PhaseCall {
 public:
  PhaseCall(const Scope& scope, const ir::Routine& routine, TransformFunctions& functions)
      : scope_(scope), s_(routine), functions_(functions), text_(functions) {}

  std::string call() {
    if (s_.length.is_constant())
      if (const auto transform = block_transform(s_.length.constant(), functions_.bytes())) return by_tiles(*transform);
    if (s_.phase == 0) return cat(text_.tables(), "(", length(), ", ", tables(), ", ", share(), ");");
    if (!s_.length.is_constant()) return by_rows(functions_.suffix(), text_.row(), sharing_of_any(), kAnyTransformRow);
    const int64_t n = s_.length.constant();
    if (has_small_factors(n)) return by_lines(n);
    return by_rows(cat(functions_.suffix(), "_", n), text_.row(convolution_length(n)), "blocks",
                   convolution_row_memory(n, functions_.bytes()));
  }

 private:
  /// Returns the call for a phase of a transform by tiles in shared memory. A tile consists of whole short rows. A long row is treated as a
  /// matrix: one phase transforms tiles of its columns, the next phase tiles of its rows.
  std::string by_tiles(const BlockTransform& transform) {
    if (s_.phase == 0) return cat(block_tables(functions_, transform), "(", tables(), ", ", share(), ");");
    const std::string block = text(s_.block), to_kept = cat(to(), ", ", s_.kept.constant());
    if (transform.is_whole) {
      const TileOrder order{is_across(s_.parts[0]), is_across(s_.parts[2])};
      return cat(tile_transform(functions_, transform, TileKind::kRows, order), "(", rows(), from(), ", ", to_kept, ", ", tables(), ", ",
                 block, ");");
    }
    const std::string rest = cat(", ", tables(), ", ", spare(0), ", ", block, ");");
    if (s_.phase == 1) return cat(tile_transform(functions_, transform, TileKind::kColumns), "(", from(), rest);
    return cat(tile_transform(functions_, transform, TileKind::kRowsOfMatrix), "(", to_kept, rest);
  }
  /// Tests whether elements with the same index in two adjacent rows are closer in memory than two adjacent elements of one row.
  static bool is_across(const ir::Routine::Part& part) {
    return part.row_step.is_constant() && part.row_step.constant() > 0 &&
           (!part.step.is_constant() || part.row_step.constant() < part.step.constant());
  }

  /// Returns the call for a phase in which all blocks share the lines of all rows. A row is treated as a matrix: the first phase transforms
  /// its columns, the next phase its rows.
  std::string by_lines(int64_t n) {
    const int64_t r = transform_rows(n), m = n / r;
    const Sym size = s_.end * n;
    const std::string result = cat(to(), ", ", s_.kept.constant()), matrix = cat(spare(0), ", ", spare(size), ", ", n, ", 1"),
                      rest = cat(", ", tables(), ", ", spare(2 * size), ", ", share(), ");");
    if (s_.phase == 1) return cat(text_.lines(r, m, true), rows(), from(), ", ", matrix, ", 0", rest);
    return cat(text_.lines(m, r, false), rows(), matrix, ", ", result, rest);
  }

  /// Returns the call for rows each of which is transformed by one block. `row_memory` is the number of elements of spare memory that a
  /// block needs. If the length of the rows is known only at run time, `row_memory` is this number divided by the length.
  std::string by_rows(const std::string& suffix, const std::string& row, const std::string& sharing, int64_t row_memory) {
    if (s_.phase == 1) return cat(text_.filter(suffix, row), "(", length(), ", ", tables(), ", ", spare(0), ");");
    const Sym memory = s_.length.is_constant() ? Sym(row_memory) : row_memory * s_.length;
    return cat(text_.rows(suffix, row, sharing), "(", length(), ", ", rows(), from(), ", ", to(), ", ", s_.kept.constant(), ", ", tables(),
               ", ", spare(0), ", ", text(memory), ", ", share(), ");");
  }

  /// Returns a C expression for the number of blocks that transform rows, if the length n of the rows is known only at run time. For long
  /// rows the number is limited, because each block needs spare memory.
  static std::string sharing_of_any() {
    return cat("n > ", kAnyTransformLongRow, " && blocks > ", kAnyTransformFewBlocks, " ? ", kAnyTransformFewBlocks, " : blocks");
  }

  std::string text(Sym position) const { return scope_.position(position).text; }
  std::string length() const { return text(s_.length); }
  std::string rows() const { return cat(text(s_.end), ", "); }
  std::string share() const { return cat(text(s_.block), ", ", text(s_.blocks)); }
  std::string part(int buffer, size_t i) const { return address_from_start(scope_, buffer, s_.parts[i].start); }
  std::string steps(size_t i) const { return cat(text(s_.parts[i].row_step), ", ", text(s_.parts[i].step)); }
  std::string from() const {
    return cat(part(s_.inputs[0], 0), ", ", s_.layout == ComplexLayout::kReal ? "0" : part(s_.inputs[1], 1), ", ", steps(0));
  }
  std::string to() const { return cat(part(s_.buffer, 2), ", ", part(s_.buffer, 3), ", ", steps(2)); }
  std::string tables() const { return s_.spare < 0 ? "0" : address_from_start(scope_, s_.spare, 0); }
  std::string spare(Sym element) const { return address_from_start(scope_, s_.spare, s_.spare_index + element); }

  const Scope& scope_;
  const ir::Routine& s_;
  TransformFunctions& functions_;
  TransformText text_;
};

}  // namespace

std::string transform_phase_call(const Scope& scope, const ir::Routine& routine) {
  Unit& unit = scope.unit;
  const auto function = [&](Op op) { return unit.dialect.function(unit, *scope.subject.arena->function_of(op, DType::kF64), 1); };
  std::string cosine, sine;  // only the phase that computes the tables uses these functions
  if (routine.phase == 0) cosine = function(Op::kCos), sine = function(Op::kSin);
  TransformFunctions functions(unit, scope.parameter(routine.buffer).dtype, cosine, sine);
  return PhaseCall(scope, routine, functions).call();
}

}  // namespace harp::render
