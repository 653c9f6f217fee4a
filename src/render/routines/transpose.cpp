// Writes a generated function that transposes a block of a matrix. It transposes square tiles in registers, by shuffles. Along both axes
// the last tile overlaps the previous one. Blocks narrower than a tile are transposed element by element, and in plain C99
// (RenderOptions::plain_text) all blocks are. The streaming variant uses non-temporal stores, for whole cache lines only.
#include <algorithm>

#include "base/text.h"
#include "render/c/access.h"
#include "render/routines/routines.h"

namespace harp::render {
namespace {

constexpr int kQuarter = 16;       // bytes of a quarter of a vector: 128 bits, within which all machines can shuffle
constexpr int kMaxRegisters = 16;  // maximum number of registers of a tile

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
    std::vector<std::string> rows;
    for (int i = 0; i < lanes_; ++i) rows.push_back(define(cat("*(const ", type_, "*)(from + ", i, " * from_step)")));
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
    for (int i = 0; i < lanes_; ++i) {
      const std::string &row = rows[static_cast<size_t>(i)], to = cat("to + ", i, " * to_step");
      append(text_, store.empty() ? cat("  *(", type_, "*)(", to, ") = ", row, ";\n") : cat("  ", store, "(", to, ", ", row, ");\n"));
    }
    return std::move(text_);
  }

 private:
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

}  // namespace

std::string transpose_function(Unit& unit, DType dtype, bool stream, bool as_read) {
  const std::string element(memory_type(dtype));
  const int bytes = static_cast<int>(size_of(dtype));
  const int lanes = unit.options.plain_text ? 1 : std::min(unit.options.target.cpu().vector_bytes / bytes, kMaxRegisters);
  stream = stream && lanes > 1 && has_stream(unit.options, dtype, lanes);
  const std::string usual = cat("transpose_", harp::name(dtype)), name = cat(usual, stream ? "_streamed" : as_read ? "_as_read" : "");
  // The function with non-temporal stores calls the one with ordinary stores for incomplete cache lines.
  if (stream) transpose_function(unit, dtype, false, false);
  const std::string parameters = cat("(", element, "* to, int64_t to_step, const ", element, "* from, int64_t from_step");
  unit.definitions.once(
      name,
      [&]() -> std::string {
        const std::string_view comment =
            "/* to[i][j] = from[j][i] for rows i and columns j. Rows begin to_step and from_step elements apart. */\n";
        const std::string head = cat(as_read ? "/* The same, in the order of the source. */\n" : comment, "static void ", name, parameters,
                                     ", int64_t rows, int64_t columns) {\n");
        const std::string_view elements =
            "for (int64_t j = 0; j < columns; ++j)\n    for (int64_t i = 0; i < rows; ++i) to[i * to_step + j] = from[j * from_step + "
            "i];\n";
        if (lanes == 1) return cat(head, "  ", elements, "}\n");
        const std::string vector = memory_vector(unit, dtype, lanes), suffix = vector_name(dtype, lanes),
                          square = cat("transpose_", suffix, stream ? "_streamed" : "");
        SquareText text(lanes, kQuarter / bytes, vector);
        for (const Shuffle& shuffle : text.shuffles()) {
          const std::string shuffled = cat(shuffle.what, "_", suffix);
          unit.definitions.once(shuffled, [&] {
            return cat("static inline ", vector, " ", shuffled, "(", vector, " a, ", vector,
                       " b) {\n  return __builtin_shufflevector(a, b, ", join(shuffle.lanes, ", "), ");\n}\n");
          });
        }
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
        return cat(head, "  if (rows < ", lanes, " || columns < ", lanes, ") {\n    for (int64_t j = 0; j < columns; ++j)\n",
                   "      for (int64_t i = 0; i < rows; ++i) to[i * to_step + j] = from[j * from_step + i];\n    return;\n  }\n",
                   loop("  ", !as_read), loop("    ", as_read), "      ", square,
                   "(to + row * to_step + column, to_step, from + column * from_step + row, from_step);\n    }\n  }\n}\n");
      },
      true);
  return name;
}

}  // namespace harp::render
