// Fourier transforms on a GPU. They have the same passes and the same roundings as those on a CPU (render/routines/dft.cpp). The unit of
// work is a *line*. A line is a whole row if the row is short. A long row is treated as a matrix, whose columns are transformed first and
// its rows afterwards; then a line is a column or a row of this matrix. A block loads a tile of adjacent lines into shared memory, which
// has two buffers. Each pass reads one buffer and writes the other; then the tile is stored. Lines that do not fit into shared memory are
// in global memory instead. For a length that is known at compile time, there are separate functions for its lines. If the length is known
// only at run time, or has a large prime factor (Bluestein's convolution), one block transforms a whole row.
#include <utility>

#include "base/text.h"
#include "ops/grid_routines.h"
#include "render/cuda/fourier_text.h"
#include "render/cuda/routines.h"
#include "render/kernel/address.h"
#include "render/text/filled.h"

namespace harp::render {
namespace {

/// Defines the generated functions for transforms of one dtype.
class TransformText {
 public:
  TransformText(Unit& unit, DType dtype, const std::string& cosine, const std::string& sine)
      : unit_(unit),
        bytes_(size_of(dtype)),
        suffix_(harp::name(dtype)),
        values_{{"T", std::string(unit.dialect.memory_type(dtype))},
                {"F", suffix_},
                {"FMA", dtype == DType::kF32 ? "__fmaf_rn" : "__fma_rn"},
                {"COS", cosine},
                {"SIN", sine},
                {"THREADS", cat(kRoutineThreads)},
                {"TILE", cat(transform_tile(bytes_))},
                {"INLINED", std::string(unit.dialect.inlined)},
                {"CALLED", std::string(unit.dialect.called)}} {}

  std::string tables() {
    define_length();
    unit_.definitions.type_once(filled("number_$F", values_), filled(kGridNumber, values_));
    define("root_$F", kGridRoot);
    return define("dft_tables_$F", kGridTables);
  }

  /// Defines a function for lines of a known length, `per_row` lines per row. With `are_columns` they are the columns of each row as a
  /// matrix, otherwise its rows. Returns the beginning of a call, up to the first argument.
  std::string lines(int64_t length, int64_t per_row, bool are_columns) {
    Filling values = values_;
    const bool is_shared = line_memory(length, bytes_) == 0;
    std::string name = cat(are_columns ? "dft_columns_" : "dft_lines_", length, "_of_", per_row, "_", suffix_);
    values["NAME"] = name;
    values["SHAPE"] = "";
    values["MEMORY"] = is_shared ? define("dft_tile_$F", kGridTile) + "()" : cat("spare + block * ", 4 * length);
    values["CONSTANTS"] =
        cat("  const int length = ", length, ", lines = ", lines_of_tile(length, per_row, bytes_), ";\n  const i64 per_row = ", per_row,
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
    define("dft_turn_$F", kGridTurn);
    unit_.definitions.once(name, [&] { return filled(kGridLines, values); });
    return name + "(";
  }

  /// Defines a function for rows of a known length with small prime factors, each transformed by one block. Returns its name.
  std::string row(int64_t n) {
    const int64_t r = transform_rows(n), m = n / r;
    Filling values = values_;
    if (r == 1)
      values["SHORT"] = lines(n, 1, false);
    else
      values["COLUMNS"] = lines(r, m, true), values["ROWS"] = lines(m, r, false);
    return row(cat(suffix_, "_", n), r == 1 ? kRowOfLines : kRowAsMatrix, std::move(values));
  }
  /// Defines a function for rows of a length that is known only at run time and has small prime factors. Returns its name.
  std::string row() {
    define_length();
    define("dft_matrix_rows", kGridMatrixRows);
    define_any_lines();
    return row(suffix_, kRowOfAny, values_);
  }

  std::string filter(const std::string& suffix, const std::string& row) { return of_rows("dft_filter_$G", kGridFilter, suffix, row, ""); }
  std::string rows(const std::string& suffix, const std::string& row, const std::string& sharing) {
    return of_rows("dft_rows_$G", kGridRows, suffix, row, sharing);
  }

  const std::string& suffix() const { return suffix_; }

 private:
  std::string define(std::string_view name, std::string_view text) {
    std::string known = filled(name, values_);
    unit_.definitions.once(known, [&] { return filled(text, values_); });
    return known;
  }

  void define_length() {
    define("dft_factor", kGridFactor);
    define("dft_length", kGridLength);
  }

  std::string pass(int64_t factor) {
    values_["P"] = cat(factor);
    values_["HALF"] = cat(factor / 2);
    if (factor == 8) define("dft_4_elements_$F", kGridFour);
    define("dft_$P_elements_$F", factor == 8 ? kGridEight : factor == 4 ? kGridFour : factor == 2 ? kGridTwo : kGridOdd);
    define("dft_turn_$F", kGridTurn);
    return define("dft_pass_by_$P_$F", kGridPass);
  }

  void define_any_lines() {
    Filling values = values_;
    const std::string name = cat("dft_lines_", suffix_);
    std::string calls;
    for (const int64_t factor : {8, 4, 2})
      append(calls, cat("if (p == ", factor, ") ", pass(factor), "(length, lines, done, roots, n, result, next);\n      else "));
    define("dft_pass_by_odd_$F", kGridAnyOddPass);
    values["CALLS"] = calls;
    values["NAME"] = name;
    values["SHAPE"] = kAnyShape;
    values["MEMORY"] = define("dft_tile_$F", kGridTile);
    values["MEMORY"] = filled("length <= $TILE ? $MEMORY() : spare", values);
    values["CONSTANTS"] = filled(kAnyConstants, values);
    values["PASSES"] = filled(kAnyPasses, values);
    unit_.definitions.once(name, [&] { return filled(kGridLines, values); });
  }

  std::string row(const std::string& suffix, std::string_view lines, Filling values) {
    std::string name = "dft_row_" + suffix;
    unit_.definitions.once(name, [&] {
      values["LINES"] = filled(lines, values);
      values["G"] = suffix;
      return filled(kGridRow, values);
    });
    return name;
  }

  std::string of_rows(std::string_view name, std::string_view text, const std::string& suffix, const std::string& row,
                      const std::string& sharing) {
    define_length();
    define("dft_turn_$F", kGridTurn);
    Filling values = values_;
    values.merge(Filling{{"G", suffix}, {"ROW", row}, {"SHARING", sharing}});
    std::string known = filled(name, values);
    unit_.definitions.once(known, [&] { return filled(text, values); });
    return known;
  }

  Unit& unit_;
  const size_t bytes_;
  const std::string suffix_;
  Filling values_;
};

/// Writes the call of the function for one phase of a transform.
class PhaseCall {
 public:
  PhaseCall(const Scope& scope, const ir::Routine& routine, TransformText& text)
      : scope_(scope), s_(routine), text_(text), bytes_(size_of(scope.parameter(routine.buffer).dtype)) {}

  std::string call() {
    if (s_.phase == 0) return cat(text_.tables(), "(", length(), ", ", tables(), ", ", share(), ");");
    if (!s_.length.is_constant()) return by_rows(text_.suffix(), text_.row(), sharing_of_any(), kAnyTransformRow);
    const int64_t n = s_.length.constant();
    if (has_small_factors(n)) return by_lines(n);
    return by_rows(cat(text_.suffix(), "_", n), text_.row(convolution_length(n)), "blocks", convolution_row_memory(n, bytes_));
  }

 private:
  /// Returns the call for rows of a known length with small prime factors, whose lines are distributed over all blocks. Long rows take two
  /// phases: the columns of the rows as matrices, then the rows of the matrices.
  std::string by_lines(int64_t n) {
    const int64_t r = transform_rows(n), m = n / r;
    const Sym size = s_.end * n;
    const std::string result = cat(to(), ", ", s_.kept), matrix = cat(spare(0), ", ", spare(size), ", ", n, ", 1"),
                      rest = cat(", ", tables(), ", ", spare(r == 1 ? Sym(0) : 2 * size), ", ", share(), ");");
    if (r == 1) return cat(text_.lines(n, 1, false), rows(), from(), ", ", result, rest);
    if (s_.phase == 1) return cat(text_.lines(r, m, true), rows(), from(), ", ", matrix, ", 0", rest);
    return cat(text_.lines(m, r, false), rows(), matrix, ", ", result, rest);
  }

  /// Returns the call for rows each of which is transformed by one block. `row_memory` is how many numbers of spare memory a block needs;
  /// for a length that is known only at run time, it is multiplied by the length.
  std::string by_rows(const std::string& suffix, const std::string& row, const std::string& sharing, int64_t row_memory) {
    if (s_.phase == 1) return cat(text_.filter(suffix, row), "(", length(), ", ", tables(), ", ", spare(0), ");");
    const Sym memory = s_.length.is_constant() ? Sym(row_memory) : row_memory * s_.length;
    return cat(text_.rows(suffix, row, sharing), "(", length(), ", ", rows(), from(), ", ", to(), ", ", s_.kept, ", ", tables(), ", ",
               spare(0), ", ", text(memory), ", ", share(), ");");
  }

  /// Returns the number of blocks that take part, if the length of rows is known only at run time. For long rows the number is small,
  /// because each block needs spare memory.
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
  std::string tables() const { return address_from_start(scope_, s_.spare, 0); }
  std::string spare(Sym element) const { return address_from_start(scope_, s_.spare, s_.spare_index + element); }

  const Scope& scope_;
  const ir::Routine& s_;
  TransformText& text_;
  const size_t bytes_;
};

}  // namespace

std::string transform_phase_call(const Scope& scope, const ir::Routine& routine) {
  Unit& unit = scope.unit;
  const auto function = [&](Op op) { return unit.dialect.function(unit, *scope.subject.arena->function_of(op, DType::kF64), 1); };
  std::string cosine, sine;  // only the phase that computes the tables uses these functions
  if (routine.phase == 0) cosine = function(Op::kCos), sine = function(Op::kSin);
  TransformText text(unit, scope.parameter(routine.buffer).dtype, cosine, sine);
  return PhaseCall(scope, routine, text).call();
}

}  // namespace harp::render
