// Folds of accumulators, that is, horizontal reductions of their elements to one. With `half` as half the number of elements, a step
// combines element i with element i + half for all i < half. Further steps do the same with the remaining first half, until one element is
// left.
#include "render/c/fold.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "render/c/function.h"
#include "render/kernel/accumulators.h"
#include "render/kernel/scalar_groups.h"

namespace harp::render {
namespace {

constexpr int kSmallestVector = 16;  // size in bytes of the smallest vector to use: gcc 12 splits a vector of two floats into scalars

/// Returns the expression that combines two values.
std::string combination(Unit& unit, const FoldForm& form, std::string_view a, std::string_view b, int lanes) {
  if (form.function != nullptr) return cat(function_of(unit, *form.function, lanes), "(", a, ", ", b, ")");
  return cat(a, " ", operator_of(form.combine), " ", b);
}

/// Appends statements to `text` that fold the vectors `parts` into one, and returns the name of that vector. The names of new variables
/// begin with `level`, whose last letter is incremented at each step.
std::string fold_vectors(Unit& unit, const FoldForm& form, std::vector<std::string> parts, int width, std::string level,
                         std::string& text) {
  for (; parts.size() > 1; ++level.back()) {
    const size_t half = parts.size() / 2;
    std::vector<std::string> next;
    for (size_t i = 0; i < half; ++i) {
      next.push_back(cat(level, i));
      append(text, cat("  const ", value_type(unit, form.dtype, width), " ", next.back(), " = ",
                       combination(unit, form, parts[i], parts[i + half], width), ";\n"));
    }
    parts = std::move(next);
  }
  return parts[0];
}

}  // namespace

std::string fold_function(Unit& unit, const FoldForm& form, bool each_lane) {
  const DType dtype = form.dtype;
  const int lanes = form.lanes, size = form.size;
  const std::string stored = lanes == 1 ? std::string(harp::name(dtype)) : vector_name(dtype, lanes);
  const std::string name = cat("fold_", fold_name(form), "_", size, "_", stored, each_lane ? "_lanes" : "");
  unit.definitions.once(name, [&] {
    const std::string_view comment = "/* Combines element i with element i + half, then repeats this on the first half. */\n";
    const int width = lanes > 1 || unit.options.plain_text
                          ? lanes
                          : std::min(size, unit.options.target.cpu().vector_bytes / static_cast<int>(size_of(dtype)));
    if (each_lane || width == 1)
      return fold_text(unit, form, name, value_type(unit, dtype, lanes), value_type(unit, dtype, each_lane ? lanes : 1),
                       [&](std::string_view a, std::string_view b) { return combination(unit, form, a, b, lanes); });
    // The folds are in three stages: first whole vectors are combined, then the halves of the remaining vector, then its last lanes.
    std::string text =
        cat(comment, "static inline ", value_type(unit, dtype, 1), " ", name, "(const ", value_type(unit, dtype, lanes), "* s) {\n");
    std::vector<std::string> parts;
    const std::string vector_pointer = cat("const ", value_type(unit, dtype, width), "*");
    for (int i = 0; i < size * lanes / width; ++i)
      parts.push_back(lanes > 1 ? cat("s[", i, "]")
                                : cat("*(", vector_pointer, ")", i == 0 ? std::string("s") : cat("(s + ", i * width, ")")));
    if (parts.size() == 1 && lanes == 1) parts[0] = cat("(", parts[0], ")");  // a subscript follows the expression, so it needs brackets
    char level = static_cast<char>('a' + std::bit_width(parts.size()) - 1);
    std::string left = fold_vectors(unit, form, std::move(parts), width, "a", text);
    const auto lanes_of = [&](std::string_view numbers) { return cat("__builtin_shufflevector(", left, ", ", left, ", ", numbers, ")"); };
    const auto step = [&](int n, const std::string& low, const std::string& high) {
      std::string next = cat(level++, "0");
      append(text, cat("  const ", value_type(unit, dtype, n), " ", next, " = ", combination(unit, form, low, high, n), ";\n"));
      left = std::move(next);
    };
    int n = width;
    const int narrowest = form.function != nullptr ? kSmallestVector / static_cast<int>(size_of(dtype)) : 4;
    for (; n > narrowest; n /= 2) step(n / 2, lanes_of(lane_numbers(0, n / 2)), lanes_of(lane_numbers(n / 2, n / 2)));
    // The last steps combine whole vectors of the smallest size, although only their first lanes are used. A scalar version of the
    // combining function might contain branches, which would be mispredicted.
    if (form.function != nullptr) {
      for (int half = n / 2; half > 0; half /= 2) {
        std::vector<int> numbers;
        for (int i = 0; i < n; ++i) numbers.push_back(half + i % half);
        step(n, left, lanes_of(join(numbers, ", ")));
      }
      return cat(text, "  return ", left, "[0];\n}\n");
    }
    const auto lane = [&](int i) { return cat(left, "[", i, "]"); };
    if (n == 2) return cat(text, "  return ", combination(unit, form, lane(0), lane(1), 1), ";\n}\n");
    return cat(text, "  return (", combination(unit, form, lane(0), lane(2), 1), ") ", operator_of(form.combine), " (",
               combination(unit, form, lane(1), lane(3), 1), ");\n}\n");
  });
  return name;
}

std::string fold_two_function(Unit& unit, const FoldForm& form) {
  const DType dtype = form.dtype;
  const int lanes = form.lanes, size = form.size;
  const std::string name = cat("fold_two_", fold_name(form), "_", size, "_", vector_name(dtype, lanes));
  unit.definitions.once(name, [&] {
    const std::string v = value_type(unit, dtype, lanes);
    std::string text =
        cat("/* Two folds at once, one in each half of a vector. The first elements of the halves are the results. */\nstatic inline ", v,
            " ", name, "(const ", v, "* s, const ", v, "* t) {\n");
    std::vector<std::string> of_s, of_t;
    for (int i = 0; i < size; ++i) of_s.push_back(cat("s[", i, "]")), of_t.push_back(cat("t[", i, "]"));
    const std::string one = fold_vectors(unit, form, std::move(of_s), lanes, "sa", text);
    const std::string both = cat(one, ", ", fold_vectors(unit, form, std::move(of_t), lanes, "ta", text));
    const int half = lanes / 2;
    const auto halves = [&](int first) {
      return cat("__builtin_shufflevector(", both, ", ", lane_numbers(first, half), ", ", lane_numbers(lanes + first, half), ")");
    };
    append(text, cat("  ", v, " m = ", combination(unit, form, halves(0), halves(half), lanes), ";\n"));
    for (int step = half / 2; step > 0; step /= 2) {
      std::vector<int> numbers;
      for (int i = 0; i < lanes; ++i) numbers.push_back(i / half * half + step + i % step);
      append(text,
             cat("  m = ", combination(unit, form, "m", cat("__builtin_shufflevector(m, m, ", join(numbers, ", "), ")"), lanes), ";\n"));
    }
    return cat(text, "  return m;\n}\n");
  });
  return name;
}

}  // namespace harp::render
