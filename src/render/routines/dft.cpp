// Writes the Fourier transform routine. All arithmetic works on adjacent columns, one in each vector lane (dft_passes.h). Short rows are
// first transposed, as many at a time as a vector has lanes. A long row is treated as a matrix: its columns are transformed and multiplied
// by twiddle factors; then the matrix is transposed, and the columns of the transposed matrix are transformed. A transform along an outer
// axis needs no transposes, because its columns are adjacent in memory already; a long column is treated as a matrix whose elements are
// vectors. Lengths with large prime factors use Bluestein's convolution. Values that depend only on the length, mostly roots of unity, are
// in tables. If the length is known when code is generated, the tables are computed when the code is loaded; otherwise by the first call
// with a length. For a known length, the generated passes have constant loop bounds.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "ops/transform_parts.h"
#include "render/c/function.h"
#include "render/c/interleave.h"
#include "render/c/vector_functions.h"
#include "render/routines/dft_convolution_text.h"
#include "render/routines/dft_passes.h"
#include "render/routines/dft_text.h"
#include "render/routines/routines.h"
#include "render/text/filled.h"

namespace harp::render {
namespace {

constexpr std::string_view kLayouts[] = {"dft_separate", "dft_real", "dft_interleaved", "dft_swapped"};
int distance(ComplexLayout layout) { return layout == ComplexLayout::kSeparate || layout == ComplexLayout::kReal ? 1 : 2; }

/// The layouts of the input and of the output. `kept` is the number of elements of each row that are stored, from the first element on; 0
/// means all elements.
struct Ends {
  ComplexLayout from = ComplexLayout::kSeparate, to = ComplexLayout::kSeparate;
  int64_t kept = 0;

  std::string name() const {
    constexpr std::string_view names[] = {"", "reals", "pairs", "exchanged"};
    const std::string_view one = names[static_cast<size_t>(from)], other = names[static_cast<size_t>(to)];
    return cat(one.empty() ? "" : "_from_", one, other.empty() ? "" : "_to_", other, kept > 0 ? cat("_first_", kept) : "");
  }
};

/// Returns the factors of n, in the order of the passes over columns of n elements.
std::vector<int64_t> factors_of(int64_t n) {
  std::vector<int64_t> factors;
  for (; n > 1; n /= factors.back()) factors.push_back(transform_factor(n));
  return factors;
}

/// Divides the passes into groups; the passes of one group are fused. A pass is given by the index of its factor. The first pass is not
/// fused, because it reads with a large stride. The later passes are fused in pairs if the two intermediate arrays, which have n rows of
/// `row_bytes` bytes each, do not fit the L1 cache.
std::vector<std::vector<size_t>> passes_together(int64_t n, int64_t row_bytes) {
  constexpr int64_t kFirstCache = 32768;
  std::vector<std::vector<size_t>> passes;
  for (size_t i = 0; i < factors_of(n).size(); ++i) {
    if (i < 2 || passes.back().size() == 2 || 2 * n * row_bytes <= kFirstCache)
      passes.push_back({i});
    else
      passes.back().push_back(i);
  }
  return passes;
}

/// Defines the generated functions for one dtype and one vector width.
class TransformText {
 public:
  TransformText(Unit& unit, DType dtype, int lanes, const ir::Function& cosine, const ir::Function& sine)
      : unit_(unit),
        dtype_(dtype),
        lanes_(lanes),
        suffix_(harp::name(dtype)),
        values_{{"T", std::string(memory_type(dtype))},
                {"V", value_type(unit, dtype, lanes)},
                {"L", cat(lanes)},
                {"F", suffix_},
                {"TRANSPOSE", transpose_function(unit, dtype, false, false)}} {
    values_["FMA"] = elementwise_function(unit, *rule_of(Op::kFma, dtype), dtype, lanes);
    values_["SPLAT"] = lanes > 1 ? splat_function(unit, dtype, lanes) : "";
    const int doubles = std::max(1, lanes * static_cast<int>(size_of(dtype)) / static_cast<int>(size_of(DType::kF64)));
    values_["D"] = cat(doubles);
    unit.definitions.once(cat("some_roots_", suffix_), [&] {
      values_["W"] = value_type(unit, DType::kF64, doubles);
      values_["COS"] = function_of(unit, cosine, doubles);
      values_["SIN"] = function_of(unit, sine, doubles);
      return filled(kSomeRoots, values_);
    });
    unit.definitions.once(cat("roots_", suffix_), [&] { return filled(kRoots, values_); });
    unit.definitions.once("dft_factor", [] { return std::string(kFactor); });
    unit.definitions.once("dft_matrix_rows", [] { return std::string(kMatrixRows); });
    unit.definitions.once(cat("dft_tile_", suffix_), [&] { return filled(kTile, values_); });
    unit.definitions.once(cat("dft_row_tables_", suffix_), [&] { return filled(kRowTables, values_); });
  }

  /// Returns the name of a generated function that transforms rows of a length that is known only at run time.
  std::string of_any_length() {
    const std::string name = cat("dft_", suffix_);
    unit_.definitions.once("dft_has_small_factors", [] { return std::string(kHasSmallFactors); });
    unit_.definitions.once("dft_convolution_length", [] { return std::string(kConvolutionLength); });
    define_transform_passes(unit_, dtype_, lanes_, {8, 4, 2, 3, 5, 7, 11, 13});
    define_pairs_of_rows(unit_, dtype_, lanes_);
    unit_.definitions.once(cat("dft_times_", suffix_), [&] { return filled(kTimes, values_); });
    unit_.definitions.once(cat("dft_times_rows_", suffix_), [&] { return filled(kTimesRows, values_); });
    unit_.definitions.once(name, [&] {
      std::string passes, calls;
      for (const int64_t p : {8, 4, 2, 3, 5, 7, 11, 13}) {
        values_["P"] = cat(p);
        append(passes, filled(kAnyPass, values_));
        append(calls, cat(calls.empty() ? "" : "\n    else ", "if (p == ", p, ") dft_any_by_", p, "_", suffix_, "(&pass);"));
      }
      values_["CALLS"] = calls;
      values_["G"] = suffix_;
      values_["ROW"] = cat("dft_row_", suffix_);
      values_["SIDE"] = cat("dft_side_by_side_", suffix_, "(m, ");
      const std::string convolutions = cat(kConvolutionTables, kConvolvedRows, kAnySideBySide, kConvolvedSideBySide);
      set_body(kPrepareAny, "(dft_matrix_rows(m) > 1 ? 1 : is_convolution ? $L : dft_together_$F(n, rows))", kTransformAny);
      return cat(passes, filled(cat(kAnyColumns, kMatrix, kShortRows, kAnyRows, convolutions, kKeptTables, kOfAnyLength), values_));
    });
    return name;
  }

  /// Returns the name of a generated function that transforms rows of one length, which has a large prime factor.
  std::string of_convolution(int64_t n) {
    const std::string name = cat("dft_", suffix_, "_", n);
    const int64_t m = convolution_length(n);
    const bool is_long = transform_rows(m) > 1;
    unit_.definitions.once("dft_convolution_length", [] { return std::string(kConvolutionLength); });
    define_pairs_of_rows(unit_, dtype_, lanes_);
    const std::string function = is_long ? of_rows(m, {}) : columns(m, {});
    unit_.definitions.once(cat(is_long ? "dft_times_" : "dft_times_rows_", suffix_),
                           [&] { return filled(is_long ? kTimes : kTimesRows, values_); });
    unit_.definitions.once(name, [&] {
      values_["NAME"] = name;
      values_["N"] = cat(n);
      values_["M"] = cat(m);
      values_[is_long ? "ROWS" : "COLUMNS"] = function;
      values_["ROW"] = cat("dft_row_", suffix_, "_", n);
      values_["G"] = cat(suffix_, "_", n);
      values_["SIDE"] = cat("dft_side_by_side_", suffix_, "_", n, "(");
      values_["CONVOLVED"] = is_long ? "dft_convolved_rows" : "dft_convolved_side_by_side";
      values_["STORED"] = is_long ? "" : "stored, ";
      const std::string rows =
          is_long ? cat(kKnownRow, kConvolutionTables, kConvolvedRows) : cat(kKnownSideBySide, kConvolutionTables, kConvolvedSideBySide);
      set_body("", is_long ? "1" : "$L", kTransformConvolved);
      return cat(filled(rows, values_), tables(n), filled(kConvolved, values_));
    });
    return name;
  }

  /// Returns the name of a generated function that transforms rows of one length with small prime factors. Its last parameters are the
  /// tables, spare memory and the cancel flag.
  std::string of_rows(int64_t n, const Ends& ends) {
    const std::string name = cat("dft_rows_", n, ends.name(), "_", suffix_);
    const ComplexLayout from = ends.from, to = ends.to;
    const int64_t r = transform_rows(n), m = n / r;
    Filling values = values_;
    values.merge(Filling{{"NAME", name}, {"N", cat(n)}, {"A", cat(distance(from))}, {"B", cat(distance(to))}});
    const int64_t kept = ends.kept > 0 ? ends.kept : n;
    if (r == 1) {
      // If real and imaginary parts are interleaved, the transpose moves a complex number as two elements. In its result, vectors of real
      // parts and vectors of imaginary parts alternate.
      const auto side = [&](ComplexLayout layout, std::string_view where) {
        const bool is_apart = distance(layout) == 1;
        const std::string_view second = is_apart ? "$N * $L" : "$L", step = is_apart ? "$L" : "2 * $L";
        const std::string one(where), other = cat(where, " + ", second);
        const bool exchanged = layout == ComplexLayout::kSwapped;
        return filled(cat(exchanged ? other : one, ", ", exchanged ? one : other, ", ", step), values);
      };
      values["SIDE"] = side(from, "side");
      values["TOSIDE"] = side(to, "to_side");
      const auto read = [&](std::string_view memory, std::string_view where, int64_t elements) {
        return filled(block_copy(true, memory, "row_step", where, elements), values);
      };
      const auto write = [&](std::string_view memory, std::string_view where, int64_t elements) {
        return filled(block_copy(false, memory, "to_row_step", where, elements), values);
      };
      if (from == ComplexLayout::kReal)
        values["READ"] = read("re", "side", n);
      else if (from == ComplexLayout::kSeparate)
        values["READ"] = cat(read("re", "side", n), "\n    ", read("im", "side + $N * $L", n));
      else
        values["READ"] = read(from == ComplexLayout::kInterleaved ? "re" : "im", "side", 2 * n);
      if (to == ComplexLayout::kSeparate)
        values["WRITE"] = cat(write("to_re", "to_side", kept), "\n    ", write("to_im", "to_side + $N * $L", kept));
      else
        values["WRITE"] = write(to == ComplexLayout::kInterleaved ? "to_re" : "to_im", "to_side", 2 * kept);
      values["COLUMNS"] = columns(n, {from == ComplexLayout::kReal ? from : ComplexLayout::kSeparate, ComplexLayout::kSeparate, ends.kept});
    } else {
      const int64_t column_tile = tile(r, m), row_tile = tile(m, r);
      // The first kept / r elements of each line of the matrix are stored. Of the first kept % r lines one more element is stored.
      const int64_t of_lines = kept / r, rest = kept % r;
      values["COLUMNS"] = columns(r, {from, ComplexLayout::kSeparate, 0}, kTurned);
      values["LINES"] = columns(m, {ComplexLayout::kSeparate, to, ends.kept > 0 ? of_lines : 0}, rest > 0 ? kWithNext : kPlain);
      values["KEPT"] = cat(of_lines);
      values["REST"] = cat(rest);
      values["R"] = cat(r);
      values["M"] = cat(m);
      values["CT"] = cat(column_tile);
      values["RT"] = cat(row_tile);
      values["TURNED"] = cat(2 * m * ((r + row_tile - 1) / row_tile * row_tile));
      values["BEYOND"] = rest > 0 ? "beyond, " : "";
      values["WHERE"] = rest > 0 ? filled(", *const beyond = work + 5 * $M * $RT", values) : "";
      values["LAST"] = rest > 0 ? filled(kLastOfLines, values) : "";
      values["RESULT"] =
          // The result is in that half of the work buffer that the last pass does not read.
          passes_together(r, row_bytes()).size() % 2 == 1 ? "" : cat(" + ", 2 * r * column_tile);
    }
    unit_.definitions.once(name, [&] { return filled(r == 1 ? kKnownShortRows : kKnownMatrix, values); });
    return name;
  }

  /// Returns the name of a generated function that transforms at least `together` columns of one length with small prime factors.
  std::string of_columns(int64_t n, const Ends& ends, int64_t together) {
    const std::string name = cat("dft_columns_", n, ends.name(), "_by_", together, "_", suffix_);
    const int64_t r = transform_rows(n), m = n / r;
    Filling values = values_;
    values.merge(
        Filling{{"NAME", name}, {"N", cat(n)}, {"A", cat(distance(ends.from))}, {"B", cat(distance(ends.to))}, {"CT", cat(together)}});
    if (r == 1) {
      values["COLUMNS"] = columns(n, ends);
    } else {
      const bool is_cut = ends.kept > 0;
      values["COLUMNS"] = columns(r, {ends.from, ComplexLayout::kSeparate, 0}, kTurnedByRow);
      values["LINES"] = columns(m, {ComplexLayout::kSeparate, ends.to, 0}, is_cut ? kCut : kPlain);
      values["R"] = cat(r);
      values["M"] = cat(m);
      values["TILE"] = cat(tile(r, m));
      // Row u of the matrix has the elements u, u + r, u + 2 r ... of the result.
      values["KEPT"] = is_cut ? cat(ends.kept / r, " + (u < ", ends.kept % r, "), ") : "";
    }
    unit_.definitions.once(name, [&] { return filled(r == 1 ? kKnownColumns : kKnownLongColumns, values); });
    return name;
  }

  /// Returns the text of the tables for a known length, and registers the function that fills them when the generated code is loaded.
  std::string tables(int64_t n) {
    const bool is_convolution = !has_small_factors(n);
    Filling values = values_;
    values.merge(Filling{{"N", cat(n)},
                         {"KIND", is_convolution ? "convolution" : "row"},
                         {"TABLES", cat(transform_tables(n))},
                         {"SPARE", cat(transform_spare(n))}});
    values["G"] = cat(suffix_, "_", n);
    values["H"] = is_convolution ? values["G"] : suffix_;
    unit_.at_load[cat("dft_tables_", suffix_, "_", n)] = cat(filled(kAtLoad, values), "\n");
    return filled(kTables, values);
  }

 private:
  /// Sets the text that replaces $BODY in a template: kRowsOfPairs, with these three texts in place of $PREPARE, $TOGETHER and $TRANSFORM.
  void set_body(std::string_view prepare, std::string_view together, std::string_view transform) {
    values_["PREPARE"] = filled(prepare, values_);
    values_["TOGETHER"] = filled(together, values_);
    values_["TRANSFORM"] = filled(transform, values_);
    values_["BODY"] = filled(kRowsOfPairs, values_);
  }

  /// Returns how many columns of n elements to transform together so that they fit the L1 cache.
  int64_t tile(int64_t n, int64_t columns) const {
    const int64_t tile = kTransformTile / n / lanes_ * lanes_;
    return tile > columns ? columns : std::max<int64_t>(tile, lanes_);
  }

  /// Returns the size in bytes of one row of a column tile that is one vector wide: a vector of real parts and one of imaginary parts.
  int64_t row_bytes() const { return 2 * lanes_ * static_cast<int64_t>(size_of(dtype_)); }

  /// Returns statements that copy a block of `together` short rows of `elements` numbers each. With `reads` they copy from memory to
  /// vectors: there is one vector for each number of a row, and each lane holds one row. Without `reads` they copy from these vectors to
  /// memory. The block begins with row number `at`, whose address is `memory` + at * `step`.
  std::string block_copy(bool reads, std::string_view memory, std::string_view step, std::string_view where, int64_t elements) {
    const std::string rows = cat(memory, " + at * ", step);
    const std::string usual = reads ? cat("$TRANSPOSE(", where, ", $L, ", rows, ", ", step, ", ", elements, ", together);")
                                    : cat("$TRANSPOSE(", rows, ", ", step, ", ", where, ", $L, together, ", elements, ");");
    if (elements < 2 || elements >= lanes_) return usual;
    // The transpose would move rows shorter than a vector number by number. If the rows are contiguous, the block can be read and written
    // as whole vectors, in which the numbers of the rows are interleaved.
    const int parts = static_cast<int>(elements);
    std::vector<std::string> vectors;
    for (int i = 0; i < parts; ++i) vectors.push_back(cat(where, " + ", i, " * $L"));
    std::string moves;
    if (reads)
      for (int i = 0; i < parts; ++i)
        append(moves, cat("      *($V*)(", vectors[static_cast<size_t>(i)], ") = ", load_part_function(unit_, dtype_, lanes_, parts, i),
                          "(", rows, ");\n"));
    else
      moves = cat("      ", store_interleaved_function(unit_, dtype_, lanes_, parts), "(", rows, ", ",
                  join(vectors, ", ", [](const std::string& vector) { return cat("*(const $V*)(", vector, ")"); }), ");\n");
    return cat("if (together == $L && ", step, " == ", elements, ") {\n", moves, "    } else {\n      ", usual, "\n    }");
  }

  /// Variants of the generated function that transforms columns. kTurned multiplies the results by twiddle factors; kTurnedByRow uses one
  /// twiddle factor for all columns of a row. kCut has a parameter that says how many elements of each column to store. kWithNext also
  /// stores the element that follows the kept ones.
  enum Columns { kPlain, kTurned, kTurnedByRow, kCut, kWithNext };

  /// Returns the name of a generated function that transforms adjacent columns of n elements. It contains all passes, with constant loop
  /// bounds.
  std::string columns(int64_t n, const Ends& ends, Columns form = kPlain) {
    constexpr std::string_view forms[] = {"_", "_turned_", "_turned_by_row_", "_cut_", "_and_next_"};
    const std::string name = cat("dft_", n, "_columns", ends.name(), forms[form], suffix_);
    const bool turned = form == kTurned || form == kTurnedByRow;
    const std::vector<int64_t> factors = factors_of(n);
    const std::vector<std::vector<size_t>> passes = passes_together(n, row_bytes());
    std::set<std::pair<int64_t, int64_t>> pairs;
    for (const auto& pass : passes)
      if (pass.size() == 2) pairs.emplace(factors[pass[0]], factors[pass[1]]);
    define_transform_passes(unit_, dtype_, lanes_, std::set(factors.begin(), factors.end()), pairs);
    unit_.definitions.once(name, [&] {
      Filling values = values_;
      values.merge(Filling{{"NAME", name},
                           {"N", cat(n)},
                           {"TURNS", turned              ? "const $T* turn_re, const $T* turn_im, int64_t turn_step, "
                                     : form == kCut      ? "int64_t kept, "
                                     : form == kWithNext ? "$T* beyond, "
                                                         : ""}});
      values["TURNS"] = filled(values["TURNS"], values);
      std::string text =
          filled(cat("/* Transforms adjacent columns of $N elements: passes by ", join(factors, ", "),
                     turned ? "; the result is multiplied by twiddle factors" : "",
                     ". */\n"
                     "static inline __attribute__((always_inline)) void $NAME(const $T* re, const $T* im, int64_t step, $T* to_re, $T* "
                     "to_im, int64_t to_step, int64_t width, "
                     "const $T* roots, $TURNS$T* spare) {\n"),
                 values);
      if (passes.size() > 1) append(text, filled("  $T* const one = spare;\n", values));
      if (passes.size() > 2) append(text, filled("  $T* const other = one + 2 * $N * width;\n", values));
      if (!pairs.empty()) append(text, filled("  $T* const between = one + 4 * $N * width;\n", values));
      int64_t length = n, done = 1;
      const auto pass_by = [&](int64_t factor, std::string_view reads, std::string_view writes) {
        length /= factor;
        values["LENGTH"] = cat(length);
        values["DONE"] = cat(done);
        done *= factor;
        return filled(cat("(struct dft_pass_$F){.n = $N, .m = $LENGTH, .done = $DONE, .roots = roots", reads, writes,
                          ", .places = $DONE, .width = width}"),
                      values);
      };
      for (size_t i = 0; i < passes.size(); ++i) {
        const bool first = i == 0, last = i + 1 == passes.size();
        const std::string before = i % 2 == 1 ? "one" : "other", after = i % 2 == 0 ? "one" : "other";
        const std::string reads =
            first ? cat(",\n      .re = re, .im = im, .step = step, .layout = ", kLayouts[static_cast<size_t>(ends.from)])
                  : cat(",\n      .re = ", before, ", .im = ", before, " + width, .step = 2 * width");
        std::string writes =
            last ? cat(",\n      .to_re = to_re, .to_im = to_im, .to_step = to_step, .to_layout = ", kLayouts[static_cast<size_t>(ends.to)])
                 : cat(",\n      .to_re = ", after, ", .to_im = ", after, " + width, .to_step = 2 * width");
        if (last && turned) append(writes, ", .turn_re = turn_re, .turn_im = turn_im, .turn_step = turn_step");
        if (last && form == kTurnedByRow) append(writes, ", .has_row_turns = 1");
        if (last && form == kCut) append(writes, ", .is_cut = 1, .kept = kept");
        if (last && ends.kept > 0) append(writes, cat(", .is_cut = 1, .kept = ", ends.kept, form == kWithNext ? ", .beyond = beyond" : ""));
        const int64_t p = factors[passes[i][0]];
        if (passes[i].size() == 1) {
          append(text, cat("  dft_pass_by_", p, "_", suffix_, "(", pass_by(p, reads, writes), ");\n"));
        } else {
          const int64_t q = factors[passes[i][1]];
          const std::string one = pass_by(p, reads, ""), other = pass_by(q, "", writes);
          append(text, cat("  dft_passes_by_", p, "_and_", q, "_", suffix_, "(", one, ",\n    ", other, ", between);\n"));
        }
      }
      return cat(text, "}\n");
    });
    return name;
  }

  Unit& unit_;
  DType dtype_;
  int lanes_;
  std::string suffix_;
  Filling values_;
};

}  // namespace

TransformRoutine dft_function(Unit& unit, const TransformForm& form, const ir::Function& cosine, const ir::Function& sine) {
  const int lanes = unit.options.plain_text ? 1 : unit.options.target.cpu().vector_bytes / static_cast<int>(size_of(form.dtype));
  TransformText text(unit, form.dtype, lanes, cosine, sine);
  if (!form.length.is_constant() || form.length.constant() < 2 || !keeps_transform_tables(form.length.constant()))
    return {text.of_any_length()};
  const int64_t n = form.length.constant();
  if (!has_small_factors(n)) return {text.of_convolution(n)};
  const std::string tables = cat("dft_tables_", harp::name(form.dtype), "_", n);
  unit.definitions.once(tables, [&] { return text.tables(n); });
  const Ends ends{form.layout, form.to_layout, form.kept};
  return {form.columns > 0 ? text.of_columns(n, ends, form.columns) : text.of_rows(n, ends), tables};
}

}  // namespace harp::render
