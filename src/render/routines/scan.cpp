// Writes a generated function that scans one group of elements (docs/semantics.md, "Scans"). It scans each quad (four consecutive elements)
// by the Hillis-Steele algorithm, and then the totals of the quads. Finally it combines the elements of each quad with the total of all
// quads before it. In vector code each part is a separate function. A kernel can therefore interleave the parts of several groups, which
// hides their latency. In scalar code the scan is three loops.
#include <algorithm>
#include <array>

#include "base/error.h"
#include "render/c/function.h"
#include "render/c/vector_functions.h"
#include "render/kernel/accumulators.h"
#include "render/kernel/scalar_groups.h"
#include "render/routines/routines.h"

namespace harp::render {
namespace {

constexpr int kQuad = 4;
constexpr int kMaxLanes = 16;

/// One lane of a named vector.
struct Lane {
  std::string vector;
  int number;
};

/// Writes the text for vectors. The vectors s[i] contain the elements of the group, and t[i] the totals of its quads. Each set of four
/// vectors is transposed in blocks of four by four lanes. After that, each lane of the set contains one quad, with one element in each of
/// the four vectors. Then scanning the quads and adding totals need no shuffles.
class GroupText {
 public:
  using Combined = std::function<std::string(std::string_view, std::string_view)>;
  using Moved = std::function<std::string(const std::string& vector, const std::vector<int>& from)>;
  static constexpr std::string_view kNone = "none";  // name of the vector of identities in the generated text

  /// `combined` returns an expression that combines two values. `beside` does the same, if possible with an instruction that does not use
  /// the execution ports of shuffles. `moved` returns an expression for a permutation of a vector's lanes; the index -1 stands for a lane
  /// of the vector kNone.
  GroupText(int size, int width, std::string type, Combined combined, Combined beside, Moved moved)
      : size_(size),
        width_(width),
        sets_(size / width / kQuad),
        type_(std::move(type)),
        combined_(std::move(combined)),
        beside_(std::move(beside)),
        moved_(std::move(moved)) {
    HARP_ASSERT(sets_ * width_ * kQuad == size_, "a group of ", size_, " elements is ", sets_, " times ", kQuad, " vectors of ", width_,
                ", which have another number of elements");
  }

  std::string quads() {
    for (int set = 0; set < sets_; ++set) {
      Four rows = transposed(elements(set), true);
      for (std::string& row : rows) row = define("r", row);
      Four steps = rows;
      for (size_t i = 1; i < kQuad; ++i) steps[i] = define("r", beside_(rows[i - 1], rows[i]));
      for (int i = 0; i < kQuad; ++i) {
        const auto row = static_cast<size_t>(i);
        assign(element(kQuad * set + i), i < 2 ? steps[row] : combined_(steps[row - 2], steps[row]));
      }
      assign(total(set), element(kQuad * set + 3));
    }
    return std::move(text_);
  }

  std::string totals(int step) {
    for (int v = sets_; v-- > 0;) {
      const std::string moved = shifted(v, step);
      if (moved != kNone) assign(total(v), beside_(moved, total(v)));
    }
    return std::move(text_);
  }

  /// Returns the text of the function for ScanPart::kBefore. It replaces the inclusive running totals of the quads (four elements each) by
  /// exclusive ones, and combines each of these with the carry, which is the total of the previous groups. It returns the total of this
  /// group, without the carry, in every lane.
  std::string before() {
    const Lane last = lane_of(size_ / kQuad - 1);
    const std::string all = define("all", pick([&](int) { return last; }));
    for (int v = sets_; v-- > 0;) assign(total(v), combined_("carry", shifted(v, 1)));
    append(text_, cat("  return ", all, ";\n"));
    return std::move(text_);
  }

  std::string added() {
    for (int set = 0; set < sets_; ++set)
      for (int i = kQuad * set; i < kQuad * (set + 1); ++i) assign(element(i), beside_(element(i), total(set)));
    return std::move(text_);
  }

  std::string values() {
    for (int set = 0; set < sets_; ++set) {
      Four vectors = transposed(elements(set), false);
      for (std::string& vector : vectors) vector = define("r", vector);
      for (int i = 0; i < kQuad; ++i) assign(element(kQuad * set + i), vectors[static_cast<size_t>(i)]);
    }
    return std::move(text_);
  }

 private:
  using Four = std::array<std::string, kQuad>;
  static std::string element(int v) { return cat("s[", v, "]"); }
  static std::string total(int v) { return cat("t[", v, "]"); }
  static Four elements(int set) {
    Four four;
    for (int i = 0; i < kQuad; ++i) four[static_cast<size_t>(i)] = element(kQuad * set + i);
    return four;
  }
  void assign(const std::string& to, const std::string& value) { append(text_, cat("  ", to, " = ", value, ";\n")); }
  std::string define(std::string_view letter, const std::string& value) {
    std::string name = cat(letter, count_++);
    append(text_, cat("  const ", type_, " ", name, " = ", value, ";\n"));
    return name;
  }

  /// Returns an expression for a vector whose lane i is lane_at(i). The lanes may come from at most two vectors.
  template <class LaneAt>
  std::string pick(LaneAt lane_at) const {
    std::string first, second;
    std::vector<int> numbers;
    for (int i = 0; i < width_; ++i) {
      const Lane lane = lane_at(i);
      if (first.empty()) first = lane.vector;
      const bool is_first = lane.vector == first;
      if (!is_first && second.empty()) second = lane.vector;
      HARP_ASSERT(is_first || lane.vector == second, "a shuffle takes lanes of two vectors, ", first, " and ", second, ", not of ",
                  lane.vector);
      numbers.push_back(lane.number + (is_first ? 0 : width_));
    }
    bool is_whole = second.empty();
    for (int i = 0; i < width_; ++i) is_whole = is_whole && numbers[static_cast<size_t>(i)] == i;
    if (is_whole) return first;
    return cat("__builtin_shufflevector(", first, ", ", second.empty() ? first : second, ", ", join(numbers, ", "), ")");
  }

  /// Returns an expression that interleaves the vectors a and b. Each block of four lanes of the result is a0 b0 a1 b1, or with `high` a2
  /// b2 a3 b3.
  std::string interleaved(const std::string& a, const std::string& b, bool high) const {
    return pick([&](int i) { return Lane{i % 2 == 0 ? a : b, i / kQuad * kQuad + (high ? 2 : 0) + i % kQuad / 2}; });
  }
  /// Returns an expression that joins halves of blocks of the vectors a and b. Each block of four lanes of the result is a0 a1 b0 b1, or
  /// with `high` a2 a3 b2 b3.
  std::string paired(const std::string& a, const std::string& b, bool high) const {
    return pick([&](int i) { return Lane{i % kQuad < 2 ? a : b, i / kQuad * kQuad + (high ? 2 : 0) + i % 2}; });
  }
  /// Transposes four vectors in blocks of four by four lanes. With `to_lanes` the vectors contain one quad after the other, and in the
  /// result each lane contains a quad. Without `to_lanes` it does the reverse. With at least four lanes, both directions are the same
  /// operation.
  Four transposed(const Four& v, bool to_lanes) {
    const auto lanes = [&](const std::string& a, int i, const std::string& b, int j) {
      return pick([&](int lane) { return lane == 0 ? Lane{a, i} : Lane{b, j}; });
    };
    if (width_ == 2 && to_lanes)
      return {lanes(v[0], 0, v[2], 0), lanes(v[0], 1, v[2], 1), lanes(v[1], 0, v[3], 0), lanes(v[1], 1, v[3], 1)};
    if (width_ == 2) return {lanes(v[0], 0, v[1], 0), lanes(v[2], 0, v[3], 0), lanes(v[0], 1, v[1], 1), lanes(v[2], 1, v[3], 1)};
    const std::string low = define("r", interleaved(v[0], v[1], false)), high = define("r", interleaved(v[0], v[1], true));
    const std::string low2 = define("r", interleaved(v[2], v[3], false)), high2 = define("r", interleaved(v[2], v[3], true));
    return {paired(low, low2, false), paired(low, low2, true), paired(high, high2, false), paired(high, high2, true)};
  }

  /// quad_in() returns the index of the quad that a lane of a transposed set of vectors contains. lane_of() returns the lane of the vectors
  /// of totals that contains the total of the given quad.
  int quad_in(int lane) const { return width_ == 2 ? lane : lane % kQuad * (width_ / kQuad) + lane / kQuad; }
  Lane lane_of(int quad) const {
    int lane = 0;
    while (quad_in(lane) != quad % width_) ++lane;
    return {total(quad / width_), lane};
  }
  /// Returns an expression for the totals t[v], shifted by `step` quads. Quads without a predecessor get the identity.
  std::string shifted(int v, int step) const {
    const auto lane_at = [&](int lane) {
      const int quad = v * width_ + quad_in(lane);
      return quad < step ? Lane{std::string(kNone), lane} : lane_of(quad - step);
    };
    // A masked permutation is used if all lanes except the identities come from one vector, but not for a shift by exactly two lanes.
    std::vector<int> from;
    bool are_of_one = true, are_pairs = true;
    for (int i = 0; i < width_; ++i) {
      const Lane lane = lane_at(i);
      from.push_back(lane.vector == kNone ? -1 : lane.number);
      are_of_one = are_of_one && (lane.vector == kNone || lane.vector == total(v));
      are_pairs = are_pairs && from.back() == (i % kQuad < 2 ? -1 : i - 2);
    }
    const bool has_none = std::find(from.begin(), from.end(), -1) != from.end(),
               has_lane = std::any_of(from.begin(), from.end(), [](int i) { return i >= 0; });
    return are_of_one && has_none && has_lane && !are_pairs ? moved_(total(v), from) : pick(lane_at);
  }

  int size_, width_, sets_;
  std::string type_;
  Combined combined_, beside_;
  Moved moved_;
  std::string text_;
  int count_ = 0;
};

}  // namespace

namespace {

/// Returns a function that writes an expression which combines two values with `lanes` lanes.
GroupText::Combined combined(Unit& unit, const ScanForm& form, int lanes) {
  return [&unit, form, lanes](std::string_view a, std::string_view b) {
    if (form.function != nullptr) return cat(function_at_many_places(unit, *form.function, lanes), "(", a, ", ", b, ")");
    return cat(a, " ", operator_of(form.combine), " ", b);
  };
}

std::string name_of(Unit& unit, const ScanForm& form) {
  const DType dtype = form.identity.dtype;
  return scan_name(form, form.lanes == 1 ? std::string(harp::name(dtype)) : value_type(unit, dtype, form.lanes));
}

/// Returns how many vectors contain the totals of the quads of a group.
int total_vectors(const ScanForm& form) { return form.size / kQuad / form.lanes; }

/// Returns the name of a generated function (a, b) that computes a + b by a fused multiply-add. Returns "" if that would not be faster on
/// the target.
std::string sum_by_fma_function(Unit& unit, DType dtype, int lanes) {
  // On CPUs whose shuffles do not delay additions a multiply-add would be slower, because instructions with three operands delay stores.
  if (!unit.options.target.cpu().shuffles_occupy_adders) return {};
  if (!fused_multiply_add(dtype, lanes, unit.options.target.cpu())) return {};
  const std::string v = value_type(unit, dtype, lanes),
                    one = cat(splat_function(unit, dtype, lanes), "(", dtype == DType::kF32 ? "1.0f" : "1.0", ")"),
                    fma = elementwise_function(unit, *rule_of(Op::kFma, dtype), dtype, lanes);
  std::string name = cat("sum_", v);
  unit.definitions.once(name, [&] {
    return cat("/* a + b by a multiply-add, which does not compete with shuffles for execution ports. */\nstatic inline ", v, " ", name,
               "(", v, " a, ", v, " b) { return ", fma, "(a, ", one, ", b); }\n");
  });
  return name;
}

/// Returns the name of a generated function (x, none). Lane i of its result is lane from[i] of x, or lane i of `none` if from[i] is -1.
std::string moved_lanes_function(Unit& unit, const std::string& name, DType dtype, const std::vector<int>& from) {
  const int lanes = static_cast<int>(from.size());
  unit.definitions.once(name, [&] {
    std::vector<int> numbers;
    for (int i = 0; i < lanes; ++i) numbers.push_back(from[static_cast<size_t>(i)] >= 0 ? from[static_cast<size_t>(i)] : lanes + i);
    const std::string v = value_type(unit, dtype, lanes);
    const std::string definition = cat("  return __builtin_shufflevector(x, none, ", join(numbers, ", "), ");\n");
    return cat("static inline ", v, " ", name, "(", v, " x, ", v, " none) {\n",
               with_instructions(unit, moved_lanes_instruction(dtype, from, unit.options.target.cpu()), definition), "}\n");
  });
  return name;
}

}  // namespace

std::string scan_part_function(Unit& unit, const ScanForm& form, ir::ScanPart part, int64_t step) {
  using ir::ScanPart;
  const DType dtype = form.identity.dtype;
  const std::string vector = value_type(unit, dtype, form.lanes), group = name_of(unit, form);
  const GroupText::Combined plain = combined(unit, form, form.lanes);
  GroupText::Combined beside = plain;
  if (form.combine == Op::kAdd && is_float(dtype))
    if (const std::string sum = sum_by_fma_function(unit, dtype, form.lanes); !sum.empty())
      beside = [sum](std::string_view a, std::string_view b) { return cat(sum, "(", a, ", ", b, ")"); };
  const GroupText::Moved moved = [&](const std::string& x, const std::vector<int>& from) {
    return cat(moved_lanes_function(unit, cat(group, "_earlier_", part == ScanPart::kTotals ? step : 1), dtype, from), "(", x, ", ",
               GroupText::kNone, ")");
  };
  GroupText text(form.size, form.lanes, vector, plain, beside, moved);
  const auto with_none = [&](const std::string& body) {
    if (body.find(GroupText::kNone) == body.npos) return body;
    return cat("  const ", vector, " ", GroupText::kNone, " = ", splat_function(unit, dtype, form.lanes), "(",
               c_literal(form.identity).text, ");\n", body);
  };

  const auto define = [&](const std::string& name, std::string_view comment, const std::string& head, const std::string& body) {
    unit.definitions.once(
        name, [&] { return cat("/* ", comment, " */\nstatic inline __attribute__((always_inline)) ", head, " {\n", body, "}\n"); });
    return name;
  };
  switch (part) {
    case ScanPart::kQuads: {
      const std::string name = cat(group, "_quads");
      return define(name, "Scans each quad (four elements, in the same lane of four vectors) and stores its total in t.",
                    cat("void ", name, "(", vector, "* s, ", vector, "* t)"), text.quads());
    }
    case ScanPart::kTotals: {
      const std::string name = cat(group, "_totals_", step);
      return define(name, cat("Combines each total with the one ", step, step == 1 ? " quad" : " quads", " before it."),
                    cat("void ", name, "(", vector, "* t)"), with_none(text.totals(static_cast<int>(step))));
    }
    case ScanPart::kBefore: {
      const std::string name = cat(group, "_before");
      return define(name, "Replaces each total by the total of all elements before the quad. Returns the total of the group.",
                    cat(vector, " ", name, "(", vector, "* t, ", vector, " carry)"), with_none(text.before()));
    }
    case ScanPart::kAdded: {
      const std::string name = cat(group, "_added");
      return define(name, "Combines each element with the total before its quad.",
                    cat("void ", name, "(", vector, "* s, const ", vector, "* t)"), text.added());
    }
    case ScanPart::kValues: {
      const std::string name = cat(group, "_values");
      return define(name, "Restores the order of the elements.", cat("void ", name, "(", vector, "* s)"), text.values());
    }
    case ScanPart::kWhole: break;  // scan_function() writes the whole scan
  }
  fail(Code::kInternal, "expected a part of a scan, got the whole scan, which has a function of its own");
}

std::string scan_function(Unit& unit, const ScanForm& form) {
  using ir::ScanPart;
  const DType dtype = form.identity.dtype;
  const std::string stored = value_type(unit, dtype, form.lanes), element = value_type(unit, dtype, 1), name = name_of(unit, form);
  unit.definitions.once(name, [&]() -> std::string {
    const std::string_view comment =
        "/* Replaces the elements of a group by their running values, starting from `carry`. Returns the total of the group. */\n";
    if (form.lanes > 1) {
      std::string body =
          cat("  ", stored, " t[", total_vectors(form), "];\n  ", scan_part_function(unit, form, ScanPart::kQuads, 0), "(s, t);\n");
      for (int step = 1; step < form.size / kQuad; step *= 2)
        append(body, cat("  ", scan_part_function(unit, form, ScanPart::kTotals, step), "(t);\n"));
      append(body, cat("  const ", stored, " total = ", scan_part_function(unit, form, ScanPart::kBefore, 0), "(t, ",
                       splat_function(unit, dtype, form.lanes), "(carry));\n  ", scan_part_function(unit, form, ScanPart::kAdded, 0),
                       "(s, t);\n  ", scan_part_function(unit, form, ScanPart::kValues, 0), "(s);\n  return total[0];\n"));
      return cat(comment, "static inline __attribute__((always_inline)) ", element, " ", name, "(", stored, "* s, ", element, " carry) {\n",
                 body, "}\n");
    }
    const std::string head = cat("static __attribute__((noinline)) ", element, " ", name, "(", element, "* s, ", element, " carry) {\n");
    const int width =
        unit.options.plain_text
            ? 1
            : std::min({form.size / kQuad, unit.options.target.cpu().vector_bytes / static_cast<int>(size_of(dtype)), kMaxLanes});
    if (width > 1) {
      ScanForm vectors = form;
      vectors.lanes = width;
      const std::string vector = value_type(unit, dtype, width), whole = scan_function(unit, vectors);
      const int count = form.size / width;
      return cat(head, "  ", vector, " v[", count, "];\n  for (int i = 0; i < ", count, "; ++i) v[i] = *(const ", vector, "*)(s + ", width,
                 " * i);\n  const ", element, " total = ", whole, "(v, carry);\n  for (int i = 0; i < ", count, "; ++i) *(", vector,
                 "*)(s + ", width, " * i) = v[i];\n  return total;\n}\n");
    }
    return scan_text(unit, form, name, combined(unit, form, 1));
  });
  return name;
}

}  // namespace harp::render
