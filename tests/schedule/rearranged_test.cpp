// Tests kernels that use a reshape that joins axes of a rearranged value, such as reshape(x + expand(bias), [b, channels * pixels]):
// another kernel stores the reshape over the axes of the value, so that no element's index is divided, unless that needs much more memory.
#include <string>
#include <utility>
#include <vector>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

/// A graph over x, an array of [b, m, n], that computes `result` from one of these reshapes of rearranged values of x: `rows`, which adds a
/// row to each row of x; `columns`, which adds a column to each column; `turned`, whose last two axes are swapped.
std::string graph_of(const std::string& result, const std::string& b, const std::string& m, const std::string& n) {
  const std::string shape = "[" + b + ", " + m + ", " + n + "]", joined = "[" + b + ", " + m + "*" + n + "]";
  return "graph g(x: f32" + shape + ", row: f32[" + n + "], column: f32[" + m +
         "]) {\n  rows = reshape(x * expand(reshape(row, shape=[1, 1, " + n + "]), shape=" + shape + "), shape=" + joined +
         ")\n  columns = reshape(relu(x + expand(reshape(column, shape=[1, " + m + ", 1]), shape=" + shape + ")), shape=" + joined +
         ")\n  turned = reshape(permute(x, axes=[0, 2, 1]), shape=[" + b + ", " + n + "*" + m + "])\n  flat = reshape(x, shape=" + joined +
         ")\n  return " + result + "\n}";
}

constexpr const char* kValues[] = {"rows", "columns", "turned"};

std::string source_of(const std::string& text) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  return source_for("x86-64-v3", graph.get());
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("G3.max,argmax/interp,c G4.cumsum,cummax/interp,c L2: kernels that read reshapes of rearranged values") {
  const Backends backends;
  const auto check = [&](const std::string& result, const std::vector<int64_t>& dims) {
    CAPTURE(result);
    const Values<float> x = rough(dims, 1), row = rough({dims[2]}, 2), column = rough({dims[1]}, 3);
    backends.run(graph_of(result, "b", "m", "n"), x, row, column);
    backends.run(graph_of(result, std::to_string(dims[0]), std::to_string(dims[1]), std::to_string(dims[2])), x, row, column);
  };
  for (const std::string value : kValues)
    for (const std::vector<int64_t>& dims : {std::vector<int64_t>{9, 40, 33}, {1, 70, 100}, {20, 3, 50}, {5, 60, 1}}) {
      check("a = max(" + value + ", axes=[0]), b1 = argmax(" + value + ", axis=1), c = argmin(" + value + ", axis=0), d = sum(" + value +
                ", axes=[0])",
            dims);
      check("a = softmax(" + value + ", axis=1), b1 = cumsum(" + value + ", axis=1), c = cummax(" + value + ", axis=0)", dims);
      check("a = exp(" + value + ") + flat, b1 = layer_norm(" + value + "), c = concat([" + value + ", flat], axis=0)", dims);
      check("a = matmul(" + value + ", permute(flat, axes=[1, 0])), b1 = " + value + "[:, ::3]", dims);
    }
  check("a = exp(rows), b1 = argmax(columns, axis=1)", {0, 4, 5});
  check("a = exp(rows), b1 = sum(columns, axes=[0])", {3, 0, 5});
}

TEST_CASE("L2: such a kernel divides no element's index (machine row x86-64-v3)") {
  for (const std::string value : kValues)
    for (const std::string& result : {"max(" + value + ", axes=[0])", "argmax(" + value + ", axis=1)", "softmax(" + value + ", axis=1)",
                                      "cumsum(" + value + ", axis=1)", "exp(" + value + ") + flat"}) {
      CAPTURE(result);
      const std::string known = source_of(graph_of("y = " + result, "64", "100", "160"));
      CHECK_FALSE(contains(known, "% 100"));
      CHECK_FALSE(contains(known, "% 160"));
      CHECK_FALSE(contains(source_of(graph_of("y = " + result, "b", "m", "n")), "floor_mod"));
    }
}

TEST_CASE("L2: a reshape of a rearranged value is stored only if something that is stored anyway has as many elements") {
  const Backends backends;
  const auto workspace = [&](const std::string& result) {
    const std::string text =
        "graph g(u: f32[3000], v: f32[2000]) {\n  d = reshape(expand(reshape(u, shape=[3000, 1]), shape=[3000, 2000]) - "
        "expand(reshape(v, shape=[1, 2000]), shape=[3000, 2000]), shape=[6000000])\n  return y = " +
        result + "\n}";
    return backends.cost(text, {}).workspace;
  };
  CHECK(workspace("argmax(d, axis=0)") < 6'000'000);
  CHECK(workspace("d[::1000]") == 0);
  CHECK(workspace("exp(d)") <= 6'000'000 * sizeof(float) + 4096);
}
