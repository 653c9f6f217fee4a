// Writes a generated function that copies rows of a matrix by vectors. In each row the last vector overlaps the previous one. Rows shorter
// than a vector are copied element by element, and in plain C99 (RenderOptions::plain_text) all rows are.
#include "base/text.h"
#include "render/c/access.h"
#include "render/routines/routines.h"

namespace harp::render {

std::string copy_function(Unit& unit, DType dtype) {
  const std::string element(memory_type(dtype));
  const int lanes = unit.options.plain_text ? 1 : unit.options.target.cpu().vector_bytes / static_cast<int>(size_of(dtype));
  std::string name = cat("copy_", harp::name(dtype));
  unit.definitions.once(
      name,
      [&]() -> std::string {
        const std::string head = cat(
            "/* to[i][j] = from[i][j] for rows i and columns j. Rows begin to_step and from_step elements apart. */\nstatic void ", name,
            "(", element, "* to, int64_t to_step, const ", element, "* from, int64_t from_step, int64_t rows, int64_t columns) {\n");
        const std::string_view each = "for (int64_t i = 0; i < rows; ++i, to += to_step, from += from_step)\n",
                               elements = "for (int64_t j = 0; j < columns; ++j) to[j] = from[j];\n";
        if (lanes == 1) return cat(head, "  ", each, "    ", elements, "}\n");
        const std::string vector = memory_vector(unit, dtype, lanes);
        return cat(head, "  ", each, "    if (columns < ", lanes, ") {\n      ", elements,
                   "    } else {\n      for (int64_t j = 0; j < columns; j += ", lanes, ") {\n        const int64_t column = j + ", lanes,
                   " <= columns ? j : columns - ", lanes, ";\n        *(", vector, "*)(to + column) = *(const ", vector,
                   "*)(from + column);\n      }\n    }\n}\n");
      },
      true);
  return name;
}

}  // namespace harp::render
