// Tests values that a kernel computes once for each column and reads again for each element (lower/reduce_column_values.cpp).
#include <string>

#include "support/backends_run.h"
#include "support/count_in_text.h"

using namespace capi_test;

namespace {

std::string text_of(const std::string& shape, const std::string& result) {
  return "graph g(x: f32[" + shape + "], w: f32[1, n, 1]) flags=[broadcast] {\n  return y = " + result + "\n}";
}

}  // namespace

TEST_CASE("G17.softmax,layer_norm/c: values of columns for later passes: the same bits for every number of columns") {
  const Backends backends;
  for (const char* const result :
       {"layer_norm(x, axes=[1])", "rms_norm(x * w, axes=[1])", "x / sum(exp(x * 0.001), axes=[1], keepdims=true)",
        "softmax(x * 0.001, axis=1) + x / (1.0 + max(x, axes=[1], keepdims=true))",
        "(x - mean(x, axes=[1], keepdims=true)) * recip(sqrt(var(x, axes=[1], keepdims=true) + exp(sum(w, axes=[1], keepdims=true) * "
        "0.001)))"}) {
    CAPTURE(result);
    for (const int64_t columns : {1, 3, 8, 40, 600, 1300})  // 1300 columns are more than one tile
      for (const int64_t rows : {1, 7, 30, 300}) {
        if (rows * columns > 200000) continue;
        const auto x = rough({2, rows, columns}, static_cast<uint32_t>(rows + columns)), w = rough({1, rows, 1}, 5);
        backends.run(text_of("b, n, m", result), x, w);
        if (rows < 300) backends.run(text_of("2, n, " + std::to_string(columns), result), x, w);
      }
  }
}

TEST_CASE("G17.layer_norm/c X2: divisions and roots of a column are not computed again for each element") {
  const Context context = make_context();
  for (const char* row : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
    CAPTURE(row);
    const Graph graph = parse(context.get(), "harp 1\ngraph g(x: f32[100, 3000]) {\n  return y = layer_norm(x, axes=[0])\n}");
    const std::string source = source_for(row, graph.get());
    CHECK(count(source.substr(source.find("output0")), "sqrt_") <= 2);  // in one loop over the columns, and in one for those of its end
  }
}
