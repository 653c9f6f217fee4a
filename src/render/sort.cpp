// The routine that sorts a row: merge sort of the places of the elements, from runs that are sorted by insertion. It is stable, takes
// n log n steps on any input, and needs one more array as large as its result.
#include "base/text.h"
#include "render/types.h"
#include "render/unit.h"

namespace harp::render {

std::string Unit::argsort(DType keys) {
  const std::string name = cat("argsort_", harp::name(keys));
  once(name, [&] {
    const std::string_view element = memory_type(keys);
    const std::string rows = cat("argsort_row_", harp::name(keys));
    return cat(
        "/* The places of n keys in ascending order, equals in theirs. Rounds of merges go from one array to the other and end in `order`. "
        "*/\n",
        "static void ", rows, "(const ", element, "* keys, int64_t n, int64_t* order, int64_t* spare) {\n",
        "  enum { RUN = 16 };\n"
        "  int64_t *from = order, *to = spare;\n"
        "  for (int64_t width = RUN; width < n; width *= 2) {\n"
        "    int64_t* const other = from;\n"
        "    from = to;\n"
        "    to = other;\n"
        "  }\n"
        "  for (int64_t begin = 0; begin < n; begin += RUN) {\n"
        "    const int64_t end = begin + RUN < n ? begin + RUN : n;\n"
        "    for (int64_t i = begin; i < end; ++i) {\n"
        "      const ",
        element,
        " key = keys[i];\n"
        "      int64_t at = i;\n"
        "      for (; at > begin && keys[from[at - 1]] > key; --at) from[at] = from[at - 1];\n"
        "      from[at] = i;\n"
        "    }\n"
        "  }\n"
        "  for (int64_t width = RUN; width < n; width *= 2) {\n"
        "    for (int64_t begin = 0; begin < n; begin += 2 * width) {\n"
        "      const int64_t middle = begin + width < n ? begin + width : n, end = begin + 2 * width < n ? begin + 2 * width : n;\n"
        "      int64_t a = begin, b = middle;\n"
        "      for (int64_t i = begin; i < end; ++i) {\n"
        "        const int left = a < middle && (b >= end || keys[from[a]] <= keys[from[b]]);\n"
        "        to[i] = left ? from[a] : from[b];\n"
        "        a += left;\n"
        "        b += !left;\n"
        "      }\n"
        "    }\n"
        "    int64_t* const other = from;\n"
        "    from = to;\n"
        "    to = other;\n"
        "  }\n"
        "}\n\n",
        "static __attribute__((noinline)) void ", name, "(const ", element,
        "* keys, int64_t rows, int64_t n, int64_t* order, int64_t* spare) {\n", "  for (int64_t row = 0; row < rows; ++row) ", rows,
        "(keys + row * n, n, order + row * n, spare);\n"
        "}\n");
  });
  return name;
}

}  // namespace harp::render
