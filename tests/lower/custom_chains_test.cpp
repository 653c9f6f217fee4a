// Tests loops of custom functions that combine integers: vectors combine several iterations (lower/custom_chains.h).
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/backends_run.h"
#include "support/count_in_text.h"

using namespace capi_test;

namespace {

/// Returns a graph that combines each row of a table by this statement of a loop over k.
std::string rows_combined(const std::string& dtype, const std::string& statement) {
  return "graph g(t: " + dtype + "[n, m], s: " + dtype + "[m]) {\n  return y = custom_function(t, s, body=\"\"\"\n    output = " + dtype +
         "(3)\n" + "    for k in 0 .. size(input0, 1) { " + statement + " }\n  \"\"\", dtype=" + dtype + ", shape=[n])\n}";
}

std::string source_of(const std::string& dtype, const std::string& statement) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), ("harp 1\n" + rows_combined(dtype, statement)).c_str());
  REQUIRE(graph != nullptr);
  return source_for("x86-64-v3", graph.get());
}

template <class T>
void check_rows(const Backends& backends, const std::string& dtype, const std::string& statement) {
  for (const int64_t m : {0, 1, 15, 16, 17, 33, 100}) {
    Values<T> table{{}, {3, m}}, row{{}, {m}};
    for (int64_t i = 0; i < 3 * m; ++i) table.items.push_back(static_cast<T>(i * i * 2654435761u));
    for (int64_t i = 0; i < m; ++i) row.items.push_back(static_cast<T>(i * 40503 + 1));
    backends.run(rows_combined(dtype, statement), table, row);
  }
}

}  // namespace

TEST_CASE("custom function: a loop that combines integers gives the same bits in vectors") {
  const Backends backends;
  for (const std::string statement :
       {"output = output + input0[ridx0, k] * input1[k]", "output = (input1[k] + input0[ridx0, k]) * output",
        "output = maximum(output, input0[ridx0, k] + input1[k])", "output = minimum(input0[ridx0, k], output)"}) {
    CAPTURE(statement);
    check_rows<int32_t>(backends, "i32", statement);
    check_rows<uint64_t>(backends, "u64", statement);
  }
}

TEST_CASE("custom function: only integers of 4 and 8 bytes are combined in vectors, and only in one variable") {
  const std::string most = "output = maximum(output, input0[ridx0, k])";
  CHECK(source_of("i32", most).find("custom [thread simd=8]") != std::string::npos);
  CHECK(source_of("i64", most).find("custom [thread simd=4]") != std::string::npos);
  CHECK(source_of("f32", most).find("simd=") == std::string::npos);                                  // another order would give other bits
  CHECK(source_of("i16", most).find("simd=") == std::string::npos);                                  // computed in i32
  CHECK(source_of("i32", "output = input0[ridx0, k] - output").find("fold_") == std::string::npos);  // not a sum with the old value
  CHECK(source_of("i32", "output = output + input0[ridx0, k] * output").find("fold_") == std::string::npos);
  CHECK(source_of("i32", most).find("fold_") != std::string::npos);
}
