// Writes a generated function that transposes a block of a matrix. It transposes square tiles in registers, by shuffles. Along both axes
// the last tile overlaps the previous one. Blocks narrower than a tile have a function of their own (few_function()). In plain C99
// (RenderOptions::plain_text) all blocks are transposed element by element. The streaming variant uses non-temporal stores, for whole cache
// lines only. Another function, for blocks that may be narrower than a tile, transposes parts of tiles, with masked loads and stores.
#include <algorithm>

#include "base/text.h"
#include "render/c/access.h"
#include "render/c/masks.h"
#include "render/routines/routines.h"
#include "render/text/filled.h"

namespace harp::render {
namespace {

constexpr int kQuarter = 16;       // bytes of a quarter of a vector: 128 bits, within which all machines can shuffle
constexpr int kMaxRegisters = 16;  // maximum number of registers of a tile
// A part of a tile takes as long as a whole one, so with fewer rows or columns single elements are faster.
constexpr int kFewestOfPart = 3;

/// A shuffle of two vectors a and b, with the name of the generated function for it.
struct Shuffle {
  std::string_view what;
  std::vector<int> lanes;
};

/// Writes the text that transposes a square of `lanes` vectors. A quarter (128 bits) of a vector contains `part` elements. First, every
/// square of `part` by `part` elements is transposed: each of log2(part) steps interleaves the rows of the upper half of a square with
/// those of the lower half. Then the matrix of quarters is transposed, by steps that select the even and the odd quarters of pairs of
/// vectors.
class SquareText {
 public:
  SquareText(int lanes, int part, std::string type) : lanes_(lanes), part_(part), type_(std::move(type)) {}

  std::vector<Shuffle> shuffles() const {
    std::vector<Shuffle> result;
    if (part_ > 1)
      for (const int half : {0, part_ / 2}) {
        Shuffle zip{half == 0 ? "zip_low" : "zip_high", {}};
        for (int first = 0; first < lanes_; first += part_)
          for (int i = 0; i < part_ / 2; ++i) zip.lanes.insert(zip.lanes.end(), {first + half + i, lanes_ + first + half + i});
        result.push_back(std::move(zip));
      }
    if (lanes_ > part_)
      for (const int odd : {0, 1}) {
        Shuffle unzip{odd == 0 ? "even_parts" : "odd_parts", {}};
        for (int first = odd * part_; first < 2 * lanes_; first += 2 * part_)
          for (int i = 0; i < part_; ++i) unzip.lanes.push_back(first + i);
        result.push_back(std::move(unzip));
      }
    return result;
  }

  /// Returns the statements. `store` is the name of the function that stores a vector; empty: an assignment stores it.
  std::string render(std::string_view suffix, std::string_view store) {
    return render(
        suffix, [&](int i) { return loaded(row_at("from", i)); },
        [&](int i, std::string_view row) { return store.empty() ? stored(i, row) : cat(store, "(", row_at("to", i), ", ", row, ")"); });
  }
  /// Returns the statements that transpose a part of a square: `rows` rows and `columns` columns, which are parameters of the generated
  /// function. `load` and `store` are the names of generated functions with masks of type `mask`, and `first_lanes` that of the function
  /// that makes such a mask. Instead of rows of the source that do not exist, the last one is loaded again; what it gives is not stored.
  std::string render_part(std::string_view suffix, std::string_view load, std::string_view store, std::string_view mask,
                          std::string_view first_lanes) {
    append(text_, cat("  const ", mask, " m = ", first_lanes, "(rows), n = ", first_lanes, "(columns);\n"));
    const auto load_row = [&](int i) { return cat(load, "(", existing_row(i), ", m)"); };
    return render(suffix, load_row,
                  [&](int i, std::string_view row) { return cat(if_row_exists(i), store, "(", row_at("to", i), ", ", row, ", n)"); });
  }
  /// Returns the statements for a square of which only `rows` rows are stored, and of which only `columns` rows of the source exist; these
  /// are parameters of the generated function.
  std::string render_edge(std::string_view suffix) {
    return render(
        suffix, [&](int i) { return loaded(existing_row(i)); },
        [&](int i, std::string_view row) { return cat(if_row_exists(i), stored(i, row)); });
  }

 private:
  /// The address of row i of a matrix that begins at `base`, `from` or `to`.
  static std::string row_at(std::string_view base, int i) {
    return i == 0 ? std::string(base) : cat(base, " + ", i == 1 ? "" : cat(i, " * "), base, "_step");
  }
  /// The address of row i of the source, or of its last row if it has fewer rows. (Its rows are the columns of the destination.)
  static std::string existing_row(int i) { return i == 0 ? "from" : cat("from + (", i, " < columns ? ", i, " : columns - 1) * from_step"); }
  static std::string if_row_exists(int i) { return i == 0 ? "" : cat("if (", i, " < rows) "); }
  std::string loaded(std::string_view address) const {
    return address == "from" ? cat("*(const ", type_, "*)from") : cat("*(const ", type_, "*)(", address, ")");
  }
  std::string stored(int i, std::string_view row) const {
    return i == 0 ? cat("*(", type_, "*)to = ", row) : cat("*(", type_, "*)(", row_at("to", i), ") = ", row);
  }
  template <class Load, class Store>
  std::string render(std::string_view suffix, Load load, Store store) {
    std::vector<std::string> rows;
    for (int i = 0; i < lanes_; ++i) rows.push_back(define(load(i)));
    for (int side = 1; side < part_; side *= 2) {
      std::vector<std::string> next = rows;
      for (int first = 0; first < lanes_; first += part_)
        for (int k = 0; k < part_ / 2; ++k) {
          const auto at = static_cast<size_t>(first + k), below = at + static_cast<size_t>(part_ / 2);
          next[at + static_cast<size_t>(k)] = define(cat("zip_low_", suffix, "(", rows[at], ", ", rows[below], ")"));
          next[at + static_cast<size_t>(k) + 1] = define(cat("zip_high_", suffix, "(", rows[at], ", ", rows[below], ")"));
        }
      rows = std::move(next);
    }
    const int parts = lanes_ / part_;
    for (int side = 1; side < parts; side *= 2) {
      std::vector<std::string> next = rows;
      for (int j = 0; j < part_; ++j)
        for (int k = 0; k < parts / 2; ++k) {
          const std::string pair = cat("(", rows[row(2 * k, j)], ", ", rows[row(2 * k + 1, j)], ")");
          next[row(k, j)] = define(cat("even_parts_", suffix, pair));
          next[row(k + parts / 2, j)] = define(cat("odd_parts_", suffix, pair));
        }
      rows = std::move(next);
    }
    for (int i = 0; i < lanes_; ++i) append(text_, cat("  ", store(i, rows[static_cast<size_t>(i)]), ";\n"));
    return std::move(text_);
  }
  size_t row(int part, int j) const { return static_cast<size_t>(part * part_ + j); }
  std::string define(const std::string& value) {
    std::string name = cat("x", count_++);
    append(text_, cat("  const ", type_, " ", name, " = ", value, ";\n"));
    return name;
  }

  int lanes_, part_;
  std::string type_, text_;
  int count_ = 0;
};

void define_shuffles(Unit& unit, const SquareText& text, const std::string& vector, const std::string& suffix) {
  for (const Shuffle& shuffle : text.shuffles()) {
    const std::string name = cat(shuffle.what, "_", suffix);
    unit.definitions.once(name, [&] {
      return cat("static inline ", vector, " ", name, "(", vector, " a, ", vector, " b) {\n  return __builtin_shufflevector(a, b, ",
                 join(shuffle.lanes, ", "), ");\n}\n");
    });
  }
}

/// Returns the number of rows and columns of a tile.
int lanes_of_tile(const RenderOptions& options, DType dtype) {
  if (options.plain_text) return 1;
  return std::min(options.target.cpu().vector_bytes / static_cast<int>(size_of(dtype)), kMaxRegisters);
}

/// Returns the text that transposes a block element by element.
std::string by_elements(std::string_view indent) {
  return cat(indent, "for (int64_t j = 0; j < columns; ++j)\n", indent,
             "  for (int64_t i = 0; i < rows; ++i) to[i * to_step + j] = from[j * from_step + i];\n");
}

// Placeholders. $T: the type of an element. $F: the name of its dtype. $V: the type of a vector of $L elements, the rows of a tile; $S: its
// name. $EVEN, $ODD: the lanes of two vectors with even and with odd numbers. $LOW, $HIGH: the lower and the upper lanes of two vectors in
// turns.
constexpr std::string_view kFew =
    R"(/* to[i][j] = from[j][i] for rows i and columns j, fewer than $L of one of them. */
static __attribute__((noinline)) void transpose_few_$F($T* restrict to, int64_t to_step, const $T* restrict from, int64_t from_step, int64_t rows, int64_t columns) {
  int64_t row = 0, column = 0;
  if ((rows == 1 && from_step == 1) || (columns == 1 && to_step == 1)) {
    __builtin_memcpy(to, from, (size_t)(rows * columns) * sizeof *to);
    return;
  }
  if (rows == 2 && from_step == 2) {
    for (; column + $L <= columns; column += $L) {
      const $V a = *(const $V*)(from + column * 2), b = *(const $V*)(from + column * 2 + $L);
      *($V*)(to + column) = __builtin_shufflevector(a, b, $EVEN);
      *($V*)(to + to_step + column) = __builtin_shufflevector(a, b, $ODD);
    }
    for (; column < columns; ++column) to[column] = from[column * 2], to[to_step + column] = from[column * 2 + 1];
    return;
  }
  if (columns == 2 && to_step == 2) {
    for (; row + $L <= rows; row += $L) {
      const $V a = *(const $V*)(from + row), b = *(const $V*)(from + from_step + row);
      *($V*)(to + row * 2) = __builtin_shufflevector(a, b, $LOW);
      *($V*)(to + row * 2 + $L) = __builtin_shufflevector(a, b, $HIGH);
    }
    for (; row < rows; ++row) to[row * 2] = from[row], to[row * 2 + 1] = from[from_step + row];
    return;
  }
  if (rows > 1 && rows < $L && from_step > 0) {
    const int64_t whole = columns - ($L - rows + from_step - 1) / from_step; /* after these columns, a vector might end after the matrix */
    for (; whole >= $L && column < whole; column += $L) {
      if (column + $L > whole) column = whole - $L;
      transpose_edge_$S(to + column, to_step, from + column * from_step, from_step, rows, $L);
    }
  } else if (columns > 1 && columns < $L && to_step == columns) {
    const int64_t whole = rows - ($L - columns + to_step - 1) / to_step;
    for (; whole >= $L && row < whole; row += $L) {
      if (row + $L > whole) row = whole - $L;
      transpose_edge_$S(to + row * to_step, to_step, from + row, from_step, $L, columns);
    }
  }
  for (int64_t j = column; j < columns; ++j)
    for (int64_t i = row; i < rows; ++i) to[i * to_step + j] = from[j * from_step + i];
}
)";

/// Defines a function for blocks with fewer rows or columns than a tile, and returns its name. One or two of them that follow each other
/// without gaps have loops of their own. Otherwise whole tiles are transposed, which read more than the few rows of the source, or write
/// more than the few columns of the destination, as long as the matrix goes on there: what is read in this way is not stored, and what is
/// written is overwritten by the next row.
std::string few_function(Unit& unit, DType dtype, const std::string& vector, int lanes) {
  const auto lanes_of = [&](auto lane) {
    std::vector<int> numbers;
    for (int i = 0; i < lanes; ++i) numbers.push_back(lane(i));
    return join(numbers, ", ");
  };
  const auto in_turns = [&](int first) { return lanes_of([&](int i) { return first + i / 2 + i % 2 * lanes; }); };
  const Filling values = {{"T", std::string(memory_type(dtype))},
                          {"F", std::string(harp::name(dtype))},
                          {"V", vector},
                          {"S", vector_name(dtype, lanes)},
                          {"L", cat(lanes)},
                          {"EVEN", lanes_of([](int i) { return 2 * i; })},
                          {"ODD", lanes_of([](int i) { return 2 * i + 1; })},
                          {"LOW", in_turns(0)},
                          {"HIGH", in_turns(lanes / 2)}};
  unit.definitions.once(filled("transpose_edge_$S", values), [&] {
    const std::string_view head =
        "/* A tile of which only some rows are stored, or only some columns exist. */\nstatic void "
        "transpose_edge_$S($T* to, int64_t to_step, const $T* from, int64_t from_step, int64_t rows, "
        "int64_t columns) {\n";
    SquareText text(lanes, kQuarter / static_cast<int>(size_of(dtype)), vector);
    return cat(filled(head, values), text.render_edge(vector_name(dtype, lanes)), "}\n");
  });
  std::string name = filled("transpose_few_$F", values);
  unit.definitions.once(name, [&] { return filled(kFew, values); });
  return name;
}

}  // namespace

bool has_parts(const RenderOptions& options, DType dtype, Sym rows, Sym columns) {
  const int64_t lanes = lanes_of_tile(options, dtype);
  const auto is_short = [&](Sym count) { return !proven_at_most(lanes, count) && range(count).hi < 2 * lanes; };
  return has_masked_access(options, dtype, static_cast<int>(lanes)) && (is_short(rows) || is_short(columns));
}

std::string transpose_parts_function(Unit& unit, DType dtype) {
  std::string name = cat("transpose_parts_", harp::name(dtype));
  unit.definitions.once(name, [&] {
    const int lanes = lanes_of_tile(unit.options, dtype);
    const std::string vector = memory_vector(unit, dtype, lanes), suffix = vector_name(dtype, lanes), element(memory_type(dtype));
    const std::string parameters =
        cat("(", element, "* to, int64_t to_step, const ", element, "* from, int64_t from_step, int64_t rows, int64_t columns)");
    const std::string part = cat("transpose_part_", suffix), mask = mask_type(unit, kOneBitALane, lanes);
    const std::string load = load_function(unit, dtype, lanes, false, true), store = store_function(unit, dtype, lanes, false, true);
    const std::string first_lanes = first_lanes_function(unit, lanes);
    SquareText text(lanes, kQuarter / static_cast<int>(size_of(dtype)), vector);
    define_shuffles(unit, text, vector, suffix);
    unit.definitions.once(part, [&] {
      return cat("/* to[i][j] = from[j][i] for rows i and columns j, at most ", lanes, " of each. */\nstatic void ", part, parameters,
                 " {\n", text.render_part(suffix, load, store, mask, first_lanes), "}\n");
    });
    return cat("/* The same for any number of rows and columns. */\nstatic void ", name, parameters, " {\n  if (rows < ", kFewestOfPart,
               " || columns < ", kFewestOfPart, ") {\n", by_elements("    "),
               "    return;\n  }\n  for (int64_t i = 0; i < rows; i += ", lanes, ")\n    for (int64_t j = 0; j < columns; j += ", lanes,
               ")\n      ", part, "(to + i * to_step + j, to_step, from + j * from_step + i, from_step, rows - i, columns - j);\n}\n");
  });
  return name;
}

std::string transpose_function(Unit& unit, DType dtype, bool stream, bool as_read) {
  const std::string element(memory_type(dtype));
  const int bytes = static_cast<int>(size_of(dtype));
  const int lanes = lanes_of_tile(unit.options, dtype);
  stream = stream && lanes > 1 && has_stream(unit.options, dtype, lanes);
  const std::string usual = cat("transpose_", harp::name(dtype)), name = cat(usual, stream ? "_streamed" : as_read ? "_as_read" : "");
  // The function with non-temporal stores calls the one with ordinary stores for incomplete cache lines.
  if (stream) transpose_function(unit, dtype, false, false);
  const std::string parameters = cat("(", element, "* to, int64_t to_step, const ", element, "* from, int64_t from_step");
  unit.definitions.once(
      name,
      [&]() -> std::string {
        const std::string head = cat("/* to[i][j] = from[j][i] for rows i and columns j", as_read ? ", in the order of the source" : "",
                                     ". Rows begin to_step and from_step elements apart. */\nstatic void ", name, parameters,
                                     ", int64_t rows, int64_t columns) {\n");
        if (lanes == 1) return cat(head, by_elements("  "), "}\n");
        const std::string vector = memory_vector(unit, dtype, lanes), suffix = vector_name(dtype, lanes),
                          square = cat("transpose_", suffix, stream ? "_streamed" : "");
        SquareText text(lanes, kQuarter / bytes, vector);
        define_shuffles(unit, text, vector, suffix);
        const std::string store = stream ? stream_function(unit, dtype, lanes) : "";
        unit.definitions.once(square, [&] {
          return cat("static inline __attribute__((always_inline)) void ", square, parameters, ") {\n", text.render(suffix, store), "}\n");
        });
        if (stream) {
          const int64_t line = kLineBytes / bytes;
          return cat("/* The same, with non-temporal stores of whole cache lines. */\nstatic void ", name, parameters,
                     ", int64_t rows, int64_t columns) {\n  const int64_t whole = columns / ", line, " * ", line, ";\n",
                     "  if (((size_t)to | (size_t)to_step * ", bytes, ") % ", kLineBytes, " != 0 || rows < ", lanes,
                     " || whole == 0) {\n    ", usual, "(to, to_step, from, from_step, rows, columns);\n    return;\n  }\n",
                     "  for (int64_t i = 0; i < rows; i += ", lanes, ") {\n    const int64_t row = i + ", lanes, " <= rows ? i : rows - ",
                     lanes, ";\n    for (int64_t column = 0; column < whole; column += ", lanes, ")\n      ", square,
                     "(to + row * to_step + column, to_step, from + column * from_step + row, from_step);\n  }\n",
                     "  if (whole < columns) ", usual,
                     "(to + whole, to_step, from + whole * from_step, from_step, rows, columns - whole);\n}\n");
        }
        const auto loop = [&](std::string_view indent, bool is_of_rows) {
          const std::string_view i = is_of_rows ? "i" : "j", number = is_of_rows ? "row" : "column",
                                 count = is_of_rows ? "rows" : "columns";
          return cat(indent, "for (int64_t ", i, " = 0; ", i, " < ", count, "; ", i, " += ", lanes, ") {\n", indent, "  const int64_t ",
                     number, " = ", i, " + ", lanes, " <= ", count, " ? ", i, " : ", count, " - ", lanes, ";\n");
        };
        return cat(head, "  if (rows < ", lanes, " || columns < ", lanes, ") {\n    ", few_function(unit, dtype, vector, lanes),
                   "(to, to_step, from, from_step, rows, columns);\n    return;\n  }\n", loop("  ", !as_read), loop("    ", as_read),
                   "      ", square,
                   "(to + row * to_step + column, to_step, from + column * from_step + row, from_step);\n    }\n  }\n}\n");
      },
      true);
  return name;
}

}  // namespace harp::render
