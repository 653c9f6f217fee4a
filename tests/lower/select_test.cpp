// Tests sorts of which only the first elements of each row are used (schedule/shorten_sorts.h, render/routines/select.cpp): values and
// indices for each dtype, on every target, in rows of every kind; which sorts are shortened; and the text and memory of the result.
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

std::string graph_of(const std::string& inputs, const std::string& body) { return "harp 1\ngraph g(" + inputs + ") {\n" + body + "\n}"; }

/// Returns rows of several kinds: random numbers, few different ones with zeros of both signs and NaN, ascending and descending ones, and
/// equal ones.
Values<float> rows_of_all_kinds(int64_t rows, int64_t n) {
  Values<float> x = rough({rows, n}, static_cast<uint32_t>(rows * 7919 + n));
  const float some[] = {-0.0f, 0, NAN, -NAN, 1, -1, INFINITY, -INFINITY, 1e-45f, -1e-45f, 3.5f, 90};
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < n; ++i) {
      float& value = x.items[static_cast<size_t>(row * n + i)];
      const auto place = static_cast<float>(i - n / 2);
      const float by_kind[] = {value, some[static_cast<size_t>(i * 5 + row) % 12], place, -place, i % 7 == 0 ? some[i % 12] : value, -0.0f};
      value = by_kind[(row + n) % 6];
    }
  return x;
}

/// Returns a graph that finds the values of topk of x, and the indices of topk of z, in each dtype: the `largest` greatest and the `least`
/// least elements of each row.
std::string selections(const std::vector<std::string>& dtypes, int largest, int least, int shortest) {
  std::string body, results;
  const std::string most = std::to_string(largest), fewest = std::to_string(least);
  for (size_t i = 0; i < dtypes.size(); ++i) {
    const std::string t = std::to_string(i);
    body += "  x" + t + " = cast(x, dtype=" + dtypes[i] + ")\n  z" + t + " = cast(z, dtype=" + dtypes[i] + ")\n";
    body += "  v" + t + ", p" + t + " = topk(x" + t + ", " + most + ")\n  w" + t + ", q" + t + " = topk(x" + t + ", " + fewest +
            ", largest=false)\n";
    body += "  r" + t + ", i" + t + " = topk(z" + t + ", " + most + ")\n  s" + t + ", j" + t + " = topk(z" + t + ", " + fewest +
            ", largest=false)\n";
    // the bits of a NaN are unspecified after a cast; arrays of f32 are compared without them
    const bool is_half = dtypes[i] == "f16" || dtypes[i] == "bf16";
    for (const std::string& result : {"v" + t, "w" + t, "i" + t, "j" + t})
      results += (results.empty() ? "o" : ", o") + result + " = " +
                 (is_half && (result[0] == 'v' || result[0] == 'w') ? "cast(" + result + ", dtype=f32)" : result);
  }
  const std::string shape = "f32[m, n in " + std::to_string(shortest) + "..100000]";
  return graph_of("x: " + shape + ", z: f32[m, n]", body + "  return " + results);
}

std::string source_of(const std::string& text, const char* row = "x86-64-v4") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), text);
  REQUIRE(graph != nullptr);
  return source_for(row, graph.get());
}
bool has(const std::string& source, std::string_view part) { return source.find(part) != std::string::npos; }

}  // namespace

#if defined(__x86_64__)
TEST_CASE("G16 X2: topk: the first elements of sorted rows and their indices, for each dtype on every target") {
  const Context context = make_context();
  const std::vector<std::string> some = {"f32", "bf16", "u8", "i64"},
                                 all = {"f32", "f64", "f16", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"};
  struct Case {
    const std::vector<std::string>& dtypes;
    int largest, least, shortest;
    std::vector<std::array<int64_t, 2>> shapes;  // rows and their length
  };
  // Fewer and more rows than a vector has lanes. A row is one part (as many elements as are selected), several parts, or longer than one
  // part for each lane.
  const std::vector<Case> cases = {
      {some, 1, 2, 2, {{1, 2}, {5, 3}, {70, 2}, {70, 9}, {64, 40}, {7, 100}, {130, 33}}},
      {all, 6, 33, 33, {{1, 33}, {3, 65}, {70, 34}, {2, 129}, {70, 257}, {1, 9000}, {33, 300}}},
      {some, 128, 17, 128, {{1, 128}, {1, 129}, {2, 700}, {70, 128}, {66, 300}, {1, 20000}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.largest);
    const Graph graph = parse(context.get(), selections(c.dtypes, c.largest, c.least, c.shortest));
    REQUIRE(graph != nullptr);
    const Program interpreter = compile(graph.get(), "interp");
    for (const char* target : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
      CAPTURE(target);
      const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) {
        if (c.largest != 6 || target != std::string("x86-64-v4")) compile_quickly(o);
        o.target = target;
      });
      REQUIRE(program != nullptr);
      if (!cannot_run(program.get()).empty()) continue;
      for (const std::array<int64_t, 2>& shape : c.shapes) {
        const int64_t rows = shape[0], n = shape[1];
        CAPTURE(rows);
        CAPTURE(n);
        Values<float> x = rows_of_all_kinds(rows, n);
        const Buffer input = wrap(context.get(), x.items, x.dims);
        const std::vector<Buffer> expected = run(interpreter.get(), {input.get(), input.get()});
        const std::vector<Buffer> found = run(program.get(), {input.get(), input.get()});
        for (size_t i = 0; i < expected.size(); ++i) {
          CAPTURE(i);
          REQUIRE(same_bits(found[i].get(), expected[i].get()));
        }
        for (const size_t i : {size_t{0}, size_t{1}})  // values of f32, which are moved with all their bits, also those of NaNs
          REQUIRE(std::memcmp(harp_buffer_const_data(found[i].get()), harp_buffer_const_data(expected[i].get()),
                              harp_buffer_size(found[i].get())) == 0);
      }
    }
  }
}
#endif

TEST_CASE("G16: topk: the first elements of sorted rows, also in C without vector types") {
  const Backends backends;
  for (const int64_t rows : {1, 3, 40})
    for (const int64_t n : {12, 40, 140, 1500}) {
      CAPTURE(rows);
      CAPTURE(n);
      backends.run(
          "graph g(x: f32[m, n in 12..9999], z: f32[m, n]) {\n  v, i = topk(x, 5)\n  w, j = topk(z, 9, largest=false)\n"
          "  return v = v, w = w, j = j, first = take_along_axis(x, argsort(x, axis=0)[:1], axis=0)\n}",
          rows_of_all_kinds(rows, n), rows_of_all_kinds(rows, n));
    }
}

TEST_CASE("G16: topk: which sorts keep only the first elements of rows") {
  const auto shortened = [](const std::string& result) { return source_of(graph_of("x: f32[40, n in 20..999]", "  return " + result)); };
  CHECK(has(shortened("y = take_along_axis(x, argsort(x)[:, :3])"), "sort_first_f32(input0"));
  CHECK_FALSE(has(shortened("y = take_along_axis(x, argsort(x)[:, :3])"), " sort_f32("));
  CHECK(has(shortened("y = argsort(x)[:, 4:1:-1]"), "argsort_first_i32("));
  CHECK(has(shortened("y = argsort(x)[:, 4:1:-1]"), ", 5, output0"));  // elements 4, 3 and 2
  CHECK(has(shortened("y = argsort(x)[:, 1:8:3]"), ", 8, output0"));
  CHECK(has(shortened("y = argsort(x)[:, 2:4], z = argsort(x)[:, :6]"), ", 6, output0"));
  CHECK(has(shortened("y = argsort(x, axis=0)[:7]"), "argsort_first_i32("));
  // whole rows
  CHECK_FALSE(has(shortened("y = argsort(x)[:, :3], z = argsort(x)"), "_first_i32("));
  CHECK_FALSE(has(shortened("y = argsort(x)[:, :-3]"), "_first_i32("));
  CHECK_FALSE(has(shortened("y = argsort(x)[:, -3:]"), "_first_i32("));
  CHECK_FALSE(has(shortened("y = argsort(x)[:3]"), "_first_i32("));
  CHECK_FALSE(has(source_of(graph_of("x: f32[40, 500]", "  return y = argsort(x)[:, :129]")), "_first_i32("));
  CHECK(has(source_of(graph_of("x: f32[40, 500]", "  return y = argsort(x)[:, :128]")), "_first_i32("));
}

TEST_CASE("G16: topk: a selection stores nothing but its result") {
  const Backends backends;
  const auto cost = [&](const std::string& results) {
    return backends.cost("graph g(x: f32[m, 512]) {\n  v, i = topk(x, 6)\n  return " + results + "\n}", {617});
  };
  CHECK(cost("v = v").kernels == 1);
  CHECK(cost("v = v").workspace == 0);
  CHECK(cost("v = v").scratch == 0);
  CHECK(cost("v = v, i = i").kernels == 3);
  CHECK(cost("v = v, i = i").workspace < 617 * 512 * 4 + 100);  // the keys
  // Rows of any length are selected together, in blocks of at least as many rows as a vector has lanes.
  CHECK(has(source_of(graph_of("x: f32[100, 9000]", "  v, i = topk(x, 6)\n  return v = v")), "harp_for(rt, cancel, 6, "));
  CHECK(has(source_of(graph_of("x: i32[100, 9000]", "  v, i = topk(x, 6)\n  return i = i")), "harp_for(rt, cancel, 6, "));
}
