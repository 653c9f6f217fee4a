// The scan of one group of the law (02-semantics, "Scans") as a helper of the unit: quads by Hillis-Steele, then the quads' totals, then
// each quad from what comes before it on. Vectors are shifted by shuffles with the identity coming in; with no vectors it is three loops.
#include <algorithm>

#include "base/error.h"
#include "render/types.h"
#include "render/unit.h"

namespace harp::render {
namespace {

constexpr int kQuad = 4;
constexpr int kMostLanes = 16;

/// One lane of a vector that has a name.
struct Lane {
  std::string vector;
  int number;
};

/// The text of the vector version: statements in SSA-like style, each vector of the group under s[i].
class GroupText {
 public:
  GroupText(int size, int width, std::string type, std::function<std::string(std::string_view, std::string_view)> combined)
      : size_(size), width_(width), type_(std::move(type)), combined_(std::move(combined)) {}

  /// `start` is the carry in every lane, or what stands for that in an expression.
  std::string render(std::string_view start) {
    scan_quads();
    std::vector<std::string> totals = gather_totals();
    scan_totals(totals);
    const int quads = size_ / kQuad;
    std::vector<std::string> before;
    for (int v = 0; v * width_ < quads; ++v)
      before.push_back(define("e", combined_(start, shifted(v, 1, width_ * quads, [&](int i) { return totals[static_cast<size_t>(i)]; }))));
    for (int v = 0; v * width_ < size_; ++v)
      set(v, combined_(element(v), pick([&](int lane) {
                         const int quad = (v * width_ + lane) / kQuad;
                         return Lane{before[static_cast<size_t>(quad / width_)], quad % width_};
                       })));
    const int last = quads - 1;
    append(text_, cat("  return ", totals[static_cast<size_t>(last / width_)], "[", last % width_, "];\n"));
    return std::move(text_);
  }

 private:
  static std::string element(int v) { return cat("s[", v, "]"); }
  void set(int v, const std::string& value) { append(text_, cat("  ", element(v), " = ", value, ";\n")); }
  std::string define(std::string_view letter, const std::string& value) {
    std::string name = cat(letter, count_++);
    append(text_, cat("  const ", type_, " ", name, " = ", value, ";\n"));
    return name;
  }

  /// The vector whose lane i is lane_at(i): of two vectors at most.
  template <class LaneAt>
  std::string pick(LaneAt lane_at) const {
    std::string first, second;
    std::vector<int> numbers;
    for (int i = 0; i < width_; ++i) {
      const Lane lane = lane_at(i);
      if (first.empty()) first = lane.vector;
      const bool is_first = lane.vector == first;
      if (!is_first && second.empty()) second = lane.vector;
      HARP_ASSERT(is_first || lane.vector == second, "a shuffle of three vectors");
      numbers.push_back(lane.number + (is_first ? 0 : width_));
    }
    bool is_whole = second.empty();
    for (int i = 0; i < width_; ++i) is_whole = is_whole && numbers[static_cast<size_t>(i)] == i;
    if (is_whole) return first;
    return cat("__builtin_shufflevector(", first, ", ", second.empty() ? first : second, ", ", join(numbers, ", "), ")");
  }

  /// Vector v of a row of vectors whose elements moved up by `step`; what comes into each section of `section` elements is the identity.
  template <class VectorAt>
  std::string shifted(int v, int step, int section, VectorAt vector_at) const {
    return pick([&](int lane) {
      const int i = v * width_ + lane;
      if (i % section < step) return Lane{"none", lane};
      return Lane{vector_at((i - step) / width_), (i - step) % width_};
    });
  }

  void scan_quads() {
    for (int step = 1; step < kQuad; step *= 2)
      for (int v = size_ / width_; v-- > 0;) {
        const std::string moved = shifted(v, step, kQuad, element);
        if (moved != "none") set(v, combined_(moved, element(v)));
      }
  }

  /// The last elements of the quads side by side.
  std::vector<std::string> gather_totals() {
    std::vector<Lane> all;
    for (int quad = 0; quad < size_ / kQuad; ++quad) {
      const int i = quad * kQuad + kQuad - 1;
      all.push_back({element(i / width_), i % width_});
    }
    std::vector<std::string> vectors;
    for (size_t begin = 0; begin < all.size(); begin += static_cast<size_t>(width_)) {
      const size_t end = std::min(begin + static_cast<size_t>(width_), all.size());
      vectors.push_back(gather({all.begin() + static_cast<long>(begin), all.begin() + static_cast<long>(end)}));
    }
    return vectors;
  }
  /// These lanes in front; by halves where they are of more than two vectors.
  std::string gather(const std::vector<Lane>& lanes) {
    std::vector<std::string> vectors;
    for (const Lane& lane : lanes)
      if (std::find(vectors.begin(), vectors.end(), lane.vector) == vectors.end()) vectors.push_back(lane.vector);
    if (vectors.size() <= 2) return define("t", pick([&](int i) { return lanes[static_cast<size_t>(i) % lanes.size()]; }));
    const size_t half = lanes.size() / 2;
    const std::string low = gather({lanes.begin(), lanes.begin() + static_cast<long>(half)});
    const std::string high = gather({lanes.begin() + static_cast<long>(half), lanes.end()});
    return define("t", pick([&](int lane) {
                    const size_t i = static_cast<size_t>(lane) % lanes.size();
                    return i < half ? Lane{low, static_cast<int>(i)} : Lane{high, static_cast<int>(i - half)};
                  }));
  }

  void scan_totals(std::vector<std::string>& totals) {
    const int quads = size_ / kQuad;
    for (int step = 1; step < quads; step *= 2) {
      const std::vector<std::string> old = totals;
      for (size_t v = 0; v < totals.size(); ++v) {
        const std::string moved = shifted(static_cast<int>(v), step, width_ * quads, [&](int i) { return old[static_cast<size_t>(i)]; });
        if (moved != "none") totals[v] = define("t", combined_(moved, old[v]));
      }
    }
  }

  int size_, width_;
  std::string type_;
  std::function<std::string(std::string_view, std::string_view)> combined_;
  std::string text_;
  int count_ = 0;
};

}  // namespace

std::string Unit::scan(Op combine, const ir::Function* function, const Scalar& identity, int lanes, int size) {
  const DType dtype = identity.dtype;
  const std::string stored = type(dtype, lanes), element = type(dtype, 1);
  const std::string name = cat("scan_", harp::name(combine), "_", size, "_", lanes == 1 ? harp::name(dtype) : std::string_view(stored));
  const auto combined = [&](int n) {
    return [&, n](std::string_view a, std::string_view b) {
      if (function != nullptr) return cat(this->function(*function, n), "(", a, ", ", b, ")");
      return cat(a, combine == Op::kAdd ? " + " : " * ", b);
    };
  };
  once(name, [&]() -> std::string {
    const std::string_view comment =
        "/* The running values of a group from `carry` on: quads, their totals, what comes before each quad. Gives the total of all. */\n";
    const std::string none = literal(identity).text;
    if (lanes > 1) {
      const std::string head = cat(comment, "static inline __attribute__((always_inline)) ", element, " ", name, "(", stored, "* s, ",
                                   element, " carry) {\n  const ", stored, " none = ", splat(dtype, lanes), "(", none, ");\n");
      const std::string start = function != nullptr ? cat(splat(dtype, lanes), "(carry)") : "carry";
      return cat(head, GroupText(size, lanes, stored, combined(lanes)).render(start), "}\n");
    }
    const std::string head = cat("static __attribute__((noinline)) ", element, " ", name, "(", element, "* s, ", element, " carry) {\n");
    const int width =
        options_.plain_text ? 1 : std::min({size, options_.target.vector_bytes / static_cast<int>(size_of(dtype)), kMostLanes});
    if (width > 1) {
      const std::string vector = type(dtype, width), whole = scan(combine, function, identity, width, size);
      const int count = size / width;
      return cat(head, "  ", vector, " v[", count, "];\n  for (int i = 0; i < ", count, "; ++i) v[i] = *(const ", vector, "*)(s + ", width,
                 " * i);\n  const ", element, " total = ", whole, "(v, carry);\n  for (int i = 0; i < ", count, "; ++i) *(", vector,
                 "*)(s + ", width, " * i) = v[i];\n  return total;\n}\n");
    }
    const auto one = combined(1);
    const int quads = size / kQuad;
    return cat(comment, head, "  ", element, " t[", quads, "];\n  for (int q = 0; q < ", quads, "; ++q) {\n    ", element,
               "* x = s + 4 * q;\n    x[3] = ", one("x[2]", "x[3]"), ";\n    x[2] = ", one("x[1]", "x[2]"),
               ";\n    x[1] = ", one("x[0]", "x[1]"), ";\n    x[3] = ", one("x[1]", "x[3]"), ";\n    x[2] = ", one("x[0]", "x[2]"),
               ";\n    t[q] = x[3];\n  }\n  for (int k = 1; k < ", quads, "; k *= 2)\n    for (int q = ", quads - 1,
               "; q >= k; --q) t[q] = ", one("t[q - k]", "t[q]"), ";\n  for (int q = 0; q < ", quads, "; ++q) {\n    const ", element,
               " e = ", one("carry", cat("(q > 0 ? t[q - 1] : ", none, ")")),
               ";\n    for (int i = 4 * q; i < 4 * q + 4; ++i) s[i] = ", one("s[i]", "e"), ";\n  }\n  return t[", quads - 1, "];\n}\n");
  });
  return name;
}

}  // namespace harp::render
