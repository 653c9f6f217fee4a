// Writes the function by which a thread block transforms one tile. All sizes are known, so the loops over the complex numbers of a thread
// are unrolled, and these numbers stay in registers. In the first pass each thread loads the operands of its butterflies from global
// memory, in an order in which adjacent threads load adjacent elements. After the last pass it stores the results in such an order. Between
// two passes, all threads store their results to shared memory and, after a barrier, load the operands of their next butterflies. If shared
// memory is too small for real and imaginary parts together, the threads exchange first the real and then the imaginary parts. Gaps between
// the numbers in shared memory reduce bank conflicts.
#include "render/cuda/fourier_blocks.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "render/cuda/fourier_blocks_text.h"
#include "render/cuda/fourier_passes.h"
#include "render/text/words.h"

namespace harp::render {
namespace {

constexpr int64_t kMostShared = int64_t{48} << 10;  // bytes of shared memory that a kernel may declare

class TileText {
 public:
  TileText(TransformFunctions& functions, const BlockTransform& transform, TileKind kind, TileOrder order)
      : f_(functions),
        t_(transform),
        kind_(kind),
        order_(order),
        tile_(kind == TileKind::kRowsOfMatrix ? transform.tile_of_rows : transform.tile),
        rows_(kind == TileKind::kRows ? tile_.lines : 1) {
    add_passes();
    for (const Pass& pass : passes_) held_ = std::max(held_, butterflies_of_thread(pass) * pass.factor);
    for (size_t i = 0; i + 1 < passes_.size(); ++i) gaps_.push_back(best_gaps(passes_[i], passes_[i + 1], tile_.threads, f_.bytes()));
    for (const Gaps& gaps : gaps_) shared_ = std::max(shared_, gaps.place(passes_[0].lines * passes_[0].length - 1) + 1);
    in_turn_ = 2 * shared_ * static_cast<int64_t>(f_.bytes()) > kMostShared;
  }

  std::string define() {
    f_.define_type("pair_$F", kPair, {{"BYTES", cat(2 * f_.bytes())}});
    f_.turn();
    std::string text;
    for (size_t i = 0; i < passes_.size(); ++i) {
      const Pass& pass = passes_[i];
      append(text, cat("  /* a pass by ", pass.factor, " */\n"));
      if (i > 0) append(text, exchange(i));
      append(text, loop(pass, cat(i == 0 ? load(pass) : "", arithmetic(pass, i), i + 1 == passes_.size() ? store(pass) : "")));
    }
    if (!gaps_.empty()) append(text, "  __syncthreads(); /* the next tile uses the same shared memory */\n");
    const Filling values{
        {"COMMENT", comment()},
        {"PARAMETERS", parameters()},
        {"SHARED", shared_ == 0 ? "" : cat("  __shared__ ", of_dtype("$T"), " numbers[", (in_turn_ ? 1 : 2) * shared_, "];\n")},
        {"HELD", cat(held_)},
        {"TILE", tile_text()},
        {"PASSES", text}};
    return f_.define(name(), kTileFunction, values);
  }

 private:
  void add_passes() {
    const int64_t r = t_.rows, m = t_.columns;
    switch (kind_) {
      case TileKind::kRows:
        if (r > 1) append_passes(passes_, r, rows_, m, 0);
        of_columns_ = passes_.size();
        append_passes(passes_, m, rows_ * r, 1, t_.row_passes);
        break;
      case TileKind::kColumns:
        append_passes(passes_, r, 1, tile_.lines, 0);
        of_columns_ = passes_.size();
        break;
      case TileKind::kRowsOfMatrix: append_passes(passes_, m, tile_.lines, 1, t_.row_passes); break;
    }
    if (kind_ == TileKind::kRowsOfMatrix) group_butterflies(passes_.front(), t_.tile.lines);
    const bool is_direct = kind_ == TileKind::kRows && r == 1;
    if (is_direct && order_.loads_across) group_butterflies(passes_.front(), 1);
    if (passes_.size() > 1 && (is_direct ? order_.stores_across : kind_ != TileKind::kColumns)) group_butterflies(passes_.back(), 1);
  }

  int64_t butterflies_of_thread(const Pass& pass) const { return (pass.butterflies() + tile_.threads - 1) / tile_.threads; }

  std::string of_dtype(std::string_view text) const { return filled(text, f_.values()); }

  std::string name() const {
    std::string_view what = kind_ == TileKind::kRows ? "rows" : kind_ == TileKind::kColumns ? "columns_of_rows" : "rows_of_matrices";
    return cat("transform_", what, "_", t_.length, order_.loads_across ? "_across" : "", order_.stores_across ? "_to_across" : "", "_",
               f_.suffix());
  }

  std::string comment() const {
    const std::string factors = join(passes_, " ", [](const Pass& pass) { return pass.factor; });
    switch (kind_) {
      case TileKind::kRows:
        return cat("Transforms rows of ", t_.length, " numbers", t_.rows > 1 ? cat(", as matrices of ", t_.rows, " x ", t_.columns) : "",
                   ", by ", factors, "; a tile is ", rows_, rows_ == 1 ? " row" : " rows");
      case TileKind::kColumns:
        return cat("Transforms the columns of rows of ", t_.length, " numbers as matrices of ", t_.rows, " x ", t_.columns, ", by ",
                   factors, "; a tile is\n   ", tile_.lines, " columns. Their results are in `matrix` by tile, row and column");
      case TileKind::kRowsOfMatrix: break;
    }
    return cat("Transforms the rows of the matrices that ", t_.length, " numbers are, by ", factors, "; a tile is ", tile_.lines,
               " rows.\n   The results are the columns of matrices");
  }

  std::string parameters() const {
    std::string text = kind_ == TileKind::kRows ? "i64 rows, " : "";
    if (kind_ != TileKind::kRowsOfMatrix) append(text, "const $T* re, const $T* im, i64 row_step, i64 step, ");
    if (kind_ != TileKind::kColumns) append(text, "$T* to_re, $T* to_im, i64 to_row_step, i64 to_step, i64 kept, ");
    append(text, "const $T* tables, ");
    if (kind_ != TileKind::kRows) append(text, kind_ == TileKind::kColumns ? "$T* matrix, " : "const $T* matrix, ");
    return of_dtype(text) + "i64 tile";
  }

  /// Returns statements that define the variables which depend on the tile: its position, and whether real and imaginary parts are
  /// adjacent.
  std::string tile_text() const {
    std::string text;
    if (kind_ != TileKind::kRows) {
      const bool are_columns = kind_ == TileKind::kColumns;
      const int64_t tiles = are_columns ? t_.tiles_of_columns() : t_.tiles_of_rows();
      append(text, cat("  const i64 row = tile / ", tiles, ";\n  const u32 first = (u32)(tile % ", tiles, ") * ", tile_.lines, ";\n"));
    }
    if (kind_ != TileKind::kRowsOfMatrix) {
      pairs();
      append(text, of_dtype("  const int pairs = pairs_of_$F(re, im, row_step, step);\n"));
    }
    if (kind_ != TileKind::kColumns) {
      pairs();
      append(text, of_dtype("  const int to_pairs = pairs_of_$F(to_re, to_im, to_row_step, to_step);\n"));
    }
    return text;
  }
  void pairs() const { f_.define("pairs_of_$F", kPairs); }

  /// Returns a loop that executes `body` for each butterfly of a thread.
  std::string loop(const Pass& pass, const std::string& body) const {
    const int64_t of_thread = butterflies_of_thread(pass), all = pass.butterflies(), group = pass.group, lines = pass.lines;
    std::string text =
        cat("  #pragma unroll\n  for (int b = 0; b < ", of_thread, "; ++b) {\n    const u32 k = b * ", tile_.threads, " + threadIdx.x;\n");
    if (all < of_thread * tile_.threads) append(text, cat("    if (k >= ", all, ") continue;\n"));
    if (mentions(body, "line")) append(text, cat("    const u32 line = ", lines == 1 ? "0" : cat("k / ", group, " % ", lines), ";\n"));
    if (mentions(body, "at")) {
      const std::string at = lines == 1                            ? "k"
                             : group == pass.butterflies_of_line() ? cat("k % ", group)
                             : group == 1                          ? cat("k / ", lines)
                                                                   : cat("k / ", group * lines, " * ", group, " + k % ", group);
      append(text, cat("    const u32 at = ", at, ";\n"));
    }
    return cat(text, body, "  }\n");
  }

  /// Returns a loop that executes the statement for each number of a butterfly.
  static std::string each(const Pass& pass, std::string_view variable, const std::string& statement) {
    return cat("    #pragma unroll\n    for (int ", variable, " = 0; ", variable, " < ", pass.factor, "; ++", variable, ") ", statement,
               "\n");
  }
  static std::string numbers_of(const Pass& pass) { return cat("x + ", pass.factor, " * b, y + ", pass.factor, " * b"); }
  static std::string number_of(const Pass& pass, std::string_view part, std::string_view i) {
    return cat(part, "[", pass.factor, " * b + ", i, "]");
  }

  /// Returns the accesses of a pass to shared memory: stores of its results (are_results), or loads of its operands. `parts` says which
  /// parts of the complex numbers are accessed: "x" (real), "y" (imaginary) or "xy" (both).
  std::string accesses(const Pass& pass, const Gaps& gaps, bool are_results, std::string_view parts) const {
    const int64_t apart = are_results ? pass.stride : pass.apart(), distance = distance_in_memory(pass, gaps, are_results);
    const auto with_gaps = [&](std::string_view number) {
      return cat(number, gaps.gap == 0 ? "" : cat(" + ", number, " / ", gaps.block, " * ", gaps.gap),
                 gaps.line_gap == 0 ? "" : cat(" + ", number, " / ", gaps.line, " * ", gaps.line_gap));
    };
    std::string text = cat("    const u32 number = line * ", pass.length, " + ");
    if (!are_results)
      append(text, "at");
    else if (pass.stride == 1)
      append(text, cat("at * ", pass.factor));
    else
      append(text, cat("at + at / ", pass.stride, " * ", (pass.factor - 1) * pass.stride));
    append(text, ";\n");
    std::string at, place = "place + i * ";
    if (distance >= 0) {
      append(text, cat("    const u32 place = ", with_gaps("number"), ";\n"));
      append(place, distance);
    } else {
      at = cat("const u32 next = number + i * ", apart, "; ");
      place = with_gaps("next");
    }
    std::string statements;
    for (const char part : parts) {
      const std::string own = number_of(pass, std::string_view(&part, 1), "i"),
                        shared = cat("numbers[", part == 'y' && !in_turn_ ? cat(shared_, " + ") : "", place, "]");
      append(statements, are_results ? cat(shared, " = ", own, "; ") : cat(own, " = ", shared, "; "));
    }
    return loop(pass, cat(text, each(pass, "i", cat("{ ", at, statements, "}"))));
  }

  /// Returns the code that hands the results of pass i - 1 to pass i through shared memory.
  std::string exchange(size_t i) const {
    constexpr std::string_view kBarrier = "  __syncthreads();\n";
    std::string text;
    for (const std::string_view parts : in_turn_ ? std::vector<std::string_view>{"x", "y"} : std::vector<std::string_view>{"xy"}) {
      if (i > 1 || parts == "y") append(text, kBarrier);  // other threads may still be loading the previous contents of shared memory
      append(text, cat(accesses(passes_[i - 1], gaps_[i - 1], true, parts), kBarrier, accesses(passes_[i], gaps_[i - 1], false, parts)));
    }
    return text;
  }

  std::string arithmetic(const Pass& pass, size_t i) const {
    const int64_t p = pass.factor;
    std::string text;
    if (p > 1)
      append(text,
             cat("    ", f_.elements(p), "(", numbers_of(pass), p % 2 == 0 ? ", 0, 0" : cat(", tables + ", pass.roots(), ", ", p), ");\n"));
    if (pass.left > 1) {
      const std::string turns = f_.define("turn_$P_numbers_$F", kTurns, {{"P", cat(p)}});
      append(text, cat("    const u32 j = at / ", pass.stride, ";\n    if (j > 0) ", turns, "(", numbers_of(pass), ", ",
                       pair(cat("tables + ", pass.table)), " + j, ", pass.left, ");\n"));
    }
    if (i + 1 != of_columns_ || t_.rows == 1) return text;
    // After the last pass over the columns of the matrix, its elements are multiplied by twiddle factors.
    const std::string re = number_of(pass, "x", "u"), im = number_of(pass, "y", "u"), turns = pair(cat("tables + ", t_.turns));
    if (kind_ == TileKind::kRows)
      return cat(
          text, "    const ", of_dtype("pair_$F"), "* const turns = ", turns, " + at;\n",
          each(pass, "u",
               of_dtype(cat("dft_turn_$F(&", re, ", &", im, ", turns[u * ", pass.stride, "].re, turns[u * ", pass.stride, "].im);"))));
    const std::string by_first = f_.define(cat("turn_by_root_of_", t_.length, "_$F"), kTurnByFirst,
                                           {{"LENGTH", cat(t_.length)}, {"STEP", cat(root_step(t_.length))}});
    return cat(
        text, "    const u32 column = first + at % ", tile_.lines, ", of_row = at / ", tile_.lines, ";\n",
        each(pass, "u", cat(by_first, "(&", re, ", &", im, ", (of_row + u * ", pass.stride / tile_.lines, ") * column, ", turns, ");")));
  }

  std::string pair(std::string_view address) const { return cat(of_dtype("(const pair_$F*)("), address, ")"); }

  std::string load(const Pass& pass) const {
    const auto call = [&](std::string_view arguments) {
      return cat(f_.define("load_$P_numbers_$F", kLoad, {{"P", cat(pass.factor)}}), "(", arguments, ", ", numbers_of(pass), ");");
    };
    if (kind_ == TileKind::kRows) {
      const std::string row = rows_ == 1 ? "    const i64 row = tile;\n" : cat("    const i64 row = tile * ", rows_, " + line;\n");
      const std::string from = "    const i64 from = row * row_step + at * step;\n",
                        loaded = call(cat("re + from, im ? im + from : 0, pairs, ", pass.apart(), " * step"));
      return rows_ == 1 ? cat(row, from, "    ", loaded, "\n") : cat(row, from, if_there(pass, "row < rows", loaded));
    }
    const int64_t r = t_.rows, m = t_.columns, lines = t_.tile.lines;
    if (kind_ == TileKind::kColumns) {
      const std::string from = cat("    const u32 loaded = first + at % ", lines, ";\n    const i64 from = row * row_step + (at / ", lines,
                                   " * ", m, " + loaded) * step;\n"),
                        loaded = call(cat("re + from, im ? im + from : 0, pairs, ", r / pass.factor * m, " * step"));
      return m % lines == 0 ? cat(from, "    ", loaded, "\n") : cat(from, if_there(pass, cat("loaded < ", m), loaded));
    }
    const std::string u = "    const u32 u = first + line;\n";
    const auto place = [&](std::string_view number) {
      return lines == 1 ? cat("2 * (", number, " * ", r, " + u)")
                        : cat("2 * ((", number, " / ", lines, " * ", r, " + u) * ", lines, " + ", number, " % ", lines, ")");
    };
    const std::string matrix = cat("    const ", of_dtype("$T"), "* const from = matrix + row * ", t_.memory(), ";\n");
    std::string loaded;
    if (pass.apart() % lines == 0) {
      loaded = cat("{\n      const i64 at_first = ", place("at"), ";\n      ",
                   call(cat("from + at_first, from + at_first + 1, 1, ", 2 * pass.apart() * r)), "\n    }");
    } else {
      loaded = cat("{\n",
                   each(pass, "i",
                        cat("{ const u32 number = at + i * ", pass.apart(), ", place = ", place("number"), "; ", number_of(pass, "x", "i"),
                            " = from[place]; ", number_of(pass, "y", "i"), " = from[place + 1]; }")),
                   "    }");
    }
    return r % tile_.lines == 0 ? cat(u, matrix, "    ", loaded, "\n") : cat(u, matrix, if_there(pass, cat("u < ", r), loaded));
  }

  /// Returns code that executes `loaded`, which loads the numbers of a butterfly, if the condition is true, and otherwise sets the numbers
  /// to 0. The condition is false for the missing lines of the last tile.
  static std::string if_there(const Pass& pass, std::string_view condition, const std::string& loaded) {
    return cat("    if (", condition, ") ", loaded, "\n    else {\n",
               each(pass, "i", cat(number_of(pass, "x", "i"), " = ", number_of(pass, "y", "i"), " = 0;")), "    }\n");
  }

  std::string store(const Pass& pass) const {
    const int64_t r = t_.rows;
    if (kind_ == TileKind::kColumns)
      return cat("    ", of_dtype("pair_$F"), "* const to = (", of_dtype("pair_$F"), "*)matrix + tile * ", r * tile_.lines, " + at;\n",
                 each(pass, "u",
                      cat("to[u * ", pass.stride, "] = ", of_dtype("pair_$F"), "{", number_of(pass, "x", "u"), ", ",
                          number_of(pass, "y", "u"), "};")));
    std::string text, condition;
    if (kind_ == TileKind::kRowsOfMatrix) {
      text = "    const u32 column = first + line;\n";
      if (r % tile_.lines != 0) condition = cat("if (column < ", r, ") ");
    } else {
      // The variable is not named `row`: with a single pass, the same loop has already defined `row` to load the numbers.
      const std::string stored = rows_ == 1 ? "tile" : r == 1 ? cat("tile * ", rows_, " + line") : cat("tile * ", rows_, " + line / ", r);
      text = cat("    const i64 to_row = ", stored, ";\n");
      if (r > 1) append(text, cat("    const u32 column = line", rows_ == 1 ? "" : cat(" % ", r), ";\n"));
      if (rows_ > 1) condition = "if (to_row < rows) ";
    }
    const std::string row = kind_ == TileKind::kRowsOfMatrix ? "row" : "to_row", first = r == 1 ? "at" : cat("(i64)at * ", r, " + column"),
                      name = f_.define("store_$P_numbers_$F", kStore, {{"P", cat(pass.factor)}});
    return cat(text, "    ", condition, name, "(to_re + ", row, " * to_row_step, to_im + ", row, " * to_row_step, to_pairs, to_step, ",
               first, ", ", pass.stride * r, ", kept, ", numbers_of(pass), ");\n");
  }

  TransformFunctions& f_;
  const BlockTransform& t_;
  const TileKind kind_;
  const TileOrder order_;
  const TransformTile tile_;
  const int64_t rows_;  // number of rows in a tile of whole rows; 1 for other tiles
  std::vector<Pass> passes_;
  size_t of_columns_ = 0;  // number of passes over columns
  std::vector<Gaps> gaps_;
  int64_t held_ = 1;    // maximum number of complex numbers that a thread holds
  int64_t shared_ = 0;  // number of real parts, including gaps, in shared memory
  bool in_turn_ = false;
};

/// Collects the statements that compute the tables: an if-chain that sets k and n for entry number `at`, where entry `at` is exp(-2 pi i k
/// / n).
class TableText {
 public:
  /// Appends `count` table entries. In the texts, i is the index of the entry among these. Entry i is root number `k` of the n-th roots of
  /// 1. `stored` contains further statements for the entry.
  void add(int64_t count, const std::string& k, int64_t n, const std::string& stored = {}) {
    append(text_, cat(entries_ == 0 ? "" : "\n    else ", "if (at < ", entries_ + count, ") { const i64 i = at - ", entries_, "; k = ", k,
                      ", n = ", n, ";", stored, " }"));
    entries_ += count;
  }
  void add_passes(int64_t length) {
    std::vector<Pass> passes;
    append_passes(passes, length, 1, 1, 2 * entries_);
    for (const Pass& pass : passes) {
      if (pass.left > 1)
        add((pass.factor - 1) * pass.left, cat("(i / ", pass.left, " + 1) * (i % ", pass.left, ") * ", pass.stride), length);
      if (pass.factor % 2 != 0 && pass.factor > 1)
        add(pass.factor, "i", pass.factor, cat(" re = ", pass.roots(), " + i, im = ", pass.roots() + pass.factor, " + i;"));
    }
  }
  int64_t entries() const { return entries_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int64_t entries_ = 0;
};

}  // namespace

std::string block_tables(TransformFunctions& functions, const BlockTransform& t) {
  TableText parts;
  if (t.row_passes > 0) parts.add_passes(t.rows);
  parts.add_passes(t.columns);
  if (t.rows > 1 && t.is_whole) parts.add(t.length, cat("(i / ", t.columns, ") * (i % ", t.columns, ")"), t.length);
  if (!t.is_whole) parts.add(first_roots(t.length), "i", 4 * t.length / root_step(t.length));
  HARP_ASSERT(2 * parts.entries() == t.tables, "tables of ", t.tables, " numbers with ", parts.entries(), " pairs");
  functions.root();
  return functions.define(cat("block_tables_", t.length, "_$F"), kBlockTables,
                          {{"LENGTH", cat(t.length)}, {"ENTRIES", cat(parts.entries())}, {"PARTS", parts.text()}});
}

std::string tile_transform(TransformFunctions& functions, const BlockTransform& transform, TileKind kind, TileOrder order) {
  return TileText(functions, transform, kind, order).define();
}

}  // namespace harp::render
