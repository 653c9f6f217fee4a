// Tests reductions and scans of bools. Their accumulators are integers as wide as the values from which the bools are computed, so the
// tests have bools that are loaded, comparisons of operands of each size, and mixtures of these.
#include <string>
#include <vector>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

/// Returns an array of bools of which one in `every` is true.
Values<uint8_t> bools(std::vector<int64_t> dims, uint32_t seed, uint32_t every) {
  std::mt19937 random(seed);
  Values<uint8_t> values = whole<uint8_t>(std::move(dims), seed);
  for (uint8_t& x : values.items) x = static_cast<uint8_t>(random() % every == 0);
  return values;
}

/// Returns the C code generated for the machine row x86-64-v3.
std::string source_of(const std::string& expression) {
  const Context context = make_context();
  const Graph graph = parse(context.get(),
                            "harp 1\ngraph g(x: bool[1000, 1000], b: u8[1000, 1000], s: i16[1000, 1000], f: f32[1000, 1000], "
                            "d: f64[1000, 1000]) {\n  return y = " +
                                expression + "\n}");
  REQUIRE(graph != nullptr);
  return source_for("x86-64-v3", graph.get());
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("G3.any,all/interp,c G4.cummax,cummin/interp,c: bools that are loaded, and comparisons of operands of each size") {
  const Backends backends;
  for (const std::string value :
       {"x", "~x", "b > 1", "x & (b > 1)", "cast(f, dtype=i16) > 1", "f > 1.5", "x | (f > 1.5)", "cast(f, dtype=f16) > 1.5",
        "cast(f, dtype=f64) > 1.5", "x ^ (cast(f, dtype=f64) > 1.5)", "permute(reshape(x, shape=[n, m]), axes=[1, 0])"}) {
    CAPTURE(value);
    for (const std::vector<int64_t>& dims : {std::vector<int64_t>{3, 7}, {70, 33}, {2, 4100}, {300, 65}, {0, 4}}) {
      const auto check = [&](std::string m, std::string n) {
        std::string text = "graph g(x: bool[m, n], u: i8[m, n], f: f32[m, n]) {\n  b = u\n  v = " + value +
                           "\n  return a = any(v, axes=[1]), c = all(v, axes=[1]), d = any(v, axes=[0]), e = all(v, axes=[0]), "
                           "h = any(v, axes=[0, 1]), i = all(v, axes=[0, 1]), j = cummax(v, axis=1), k = cummin(v, axis=0)\n}";
        for (const auto& [name, size] :
             {std::pair<std::string, std::string>{"[m, n]", "[" + m + ", " + n + "]"}, {"[n, m]", "[" + n + ", " + m + "]"}})
          for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += size.size()) text.replace(at, name.size(), size);
        backends.run(text, bools(dims, 1, 50), whole<int8_t>(dims, 2), rough(dims, 3));
      };
      check("m", "n");
      check(std::to_string(dims[0]), std::to_string(dims[1]));
    }
  }
}

TEST_CASE("L5.simd_width/c: accumulators of bools are as wide as the values from which they are computed (machine row x86-64-v3)") {
  for (const std::string reduction : {"any(", "all("})
    for (const std::string axes : {", axes=[0])", ", axes=[1])"}) {
      CAPTURE(reduction + axes);
      const auto text = [&](const std::string& value) { return source_of(reduction + value + axes); };
      CHECK(contains(text("x"), "u8x32"));
      CHECK_FALSE(contains(text("x"), "i32x"));
      CHECK_FALSE(contains(text("x & (b > 3)"), "i32x"));
      CHECK(contains(text("s > 3"), "i16x16"));
      CHECK_FALSE(contains(text("s > 3"), "i32x"));
      CHECK(contains(text("f > 3.0"), "i32x8"));
      CHECK_FALSE(contains(text("f > 3.0"), "u8x32"));
      CHECK(contains(text("d > 3.0"), "i32x4"));
    }
  // A bool that another kernel stored is loaded as bytes, but may be compared with values of another size in that kernel.
  CHECK_FALSE(contains(source_of("any(cummax(f > 3.0, axis=0), axes=[1])"), "i32x32"));
}
