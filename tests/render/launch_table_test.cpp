// If a program has many launches, the generated code contains a table of launches (render/host/launch_table.h). The results must equal
// those of launches that are written as code.
#include <doctest/doctest.h>

#include "base/text.h"
#include "support/backends_run.h"
#include "support/count_in_text.h"

namespace {

using namespace capi_test;
using harp::cat;

constexpr int64_t kRows = 12, kColumns = 300;

/// Returns the text of a graph of `count` layers, each of which is a kernel of its own. `more` is the text of further results. If `aside`
/// is not negative, a cumulative sum `a` can run at the same time as layer number `aside`.
std::string layers(int count, std::string_view more = "", int aside = -1) {
  std::string body;
  for (int i = 0; i < count; ++i) {
    body += cat("  h", i + 1, " = softmax(h", i, " * w, axis=", i % 2, ") + ", i % 3 == 0 ? "w" : "x", "\n");
    if (i == aside) body += cat("  a = cumsum(h", i, ", axis=0)\n");
  }
  return cat("graph layers(x: f32[", kRows, ", ", kColumns, "], w: f32[", kRows, ", ", kColumns, "]) {\n  h0 = x * 0.5\n", body,
             "  return y = h", count, more, "\n}");
}

struct Source {
  std::string text;
  int32_t kernels;
  size_t rows() const { return count(text, "}},\n"); }
  size_t runs() const { return count(text, "  harp_run_launches("); }
};
Source source_of(const Backends& backends, const std::string& text) {
  const Graph graph = parse(backends.context(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  const Program program = compile_way(graph.get(), {"c", 0}, !is_sampled(text));
  REQUIRE(program != nullptr);
  const String source(harp_program_source(program.get(), nullptr));
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  REQUIRE(harp_program_stats(program.get(), &stats, nullptr) == HARP_OK);
  return {harp_string_data(source.get()), stats.kernels};
}

}  // namespace

TEST_CASE("L2.kernel_main/c: many launches one after the other are rows of a table") {
  const Backends backends;
  const std::string many = layers(20);
  const Source source = source_of(backends, many);
  CHECK(source.rows() == static_cast<size_t>(source.kernels));
  CHECK(source.runs() == 1);
  backends.run(many, rough({kRows, kColumns}, 1), rough({kRows, kColumns}, 2));
  CHECK(source_of(backends, layers(4)).runs() == 0);
}

TEST_CASE("L2.kernel_main/c: what is no row of the table is between its rows") {
  const Backends backends;
  // The kernel of layer 9 and the cumulative sum `a` may run at the same time. Their launches are not in the table, because the launches of
  // the table run one after the other.
  const std::string two = layers(20, ", b = a", 9);
  const Source source = source_of(backends, two);
  CHECK(source.rows() + 2 == static_cast<size_t>(source.kernels));
  CHECK(source.runs() == 2);
  backends.run(two, rough({kRows, kColumns}, 3), rough({kRows, kColumns}, 4));
}

TEST_CASE("L2.kernel_main/c: many small launches side by side are rows of the table, shared out whole") {
  const Backends backends;
  // Returns a graph of 10 layers and `count` scans of the last layer's result. The scans may all run at the same time, and have different
  // lengths.
  const auto beside = [](int count, int64_t columns) {
    std::string text = cat("graph beside(x: f32[", kRows, ", ", columns, "], w: f32[", kRows, ", ", columns, "]) {\n  h0 = x * 0.5\n");
    for (int i = 0; i < 10; ++i) text += cat("  h", i + 1, " = softmax(h", i, " * w, axis=", i % 2, ") + x\n");
    std::string parts;
    for (int i = 0; i < count; ++i) {
      text += cat("  s", i, " = cumsum(pad(h10, before=[0, ", i, "], after=[0, 0]), axis=", i % 3 == 0 ? 1 : 0, ")\n");
      parts += cat(i == 0 ? "" : ", ", "s", i);
    }
    return cat(text, "  return y = concat([", parts, "], axis=1)\n}");
  };
  const auto runs = [&](int rows, int64_t columns) {
    return count(source_of(backends, beside(rows, columns)).text, "  harp_run_concurrently(");
  };
  CHECK(runs(12, 100) == 1);
  CHECK(runs(4, 100) == 0);
  CHECK(runs(12, 30000) == 0);  // these launches do not run concurrently, because each of them has enough work for several workers
  for (const int64_t columns : {20, 100}) backends.run(beside(12, columns), rough({kRows, columns}, 1), rough({kRows, columns}, 2));
  // The parts of a concat are written directly to the output and are stored nowhere else.
  // The lengths differ, because one kernel would write several parts of the same length.
  const auto length = [](int i) { return int64_t{i % 5 == 0 ? 1000 : 7} + i; };
  std::string inputs, parts;
  for (int i = 0; i < 40; ++i) {
    inputs += cat(i == 0 ? "" : ", ", "x", i, ": f32[", length(i), "]");
    parts += cat(i == 0 ? "" : ", ", "x", i);
  }
  const std::string joined = cat("graph joined(", inputs, ") {\n  return y = concat([", parts, "], axis=0)\n}");
  CHECK(source_of(backends, joined).rows() == 40);
  const Graph graph = parse(backends.context(), "harp 1\n" + joined);
  std::vector<Values<float>> values;
  std::vector<Buffer> arrays;
  std::vector<harp_buffer*> handles;
  for (int i = 0; i < 40; ++i) values.push_back(rough({length(i)}, static_cast<unsigned>(i)));
  for (Values<float>& v : values) {
    arrays.push_back(wrap(backends.context(), v.items, v.dims));
    handles.push_back(arrays.back().get());
  }
  run_everywhere(graph.get(), handles, !is_sampled(joined));
}

TEST_CASE("L2.kernel_main/c: a table of a graph without inputs counts from none") {
  const Backends backends;
  std::string body = "  h0 = full(shape=[7, 33], value=1.5, dtype=f32)\n";
  for (int i = 0; i < 16; ++i) body += cat("  h", i + 1, " = softmax(h", i, " + ", i, ".25, axis=", i % 2, ")\n");
  const std::string none = cat("graph none() {\n", body, "  return y = h16\n}");
  const Source source = source_of(backends, none);
  CHECK(source.runs() == 1);
  CHECK(count(source.text, "  (void)inputs;\n") == 1);
  backends.run(none);
}
