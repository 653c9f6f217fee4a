// Tests reductions, scans and products that read a pad or a concat along an axis that they reduce or along their vectors, and row-wise
// computations of arrays that are read across their rows (layer_norm of a transposed array). Another kernel stores the pad or concat, and
// separate kernels make the passes over the rows.
#include <string>
#include <vector>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

/// A graph over x, of [m, n], and t, of [n, m], that computes `result` from `value`.
std::string graph_of(const std::string& value, const std::string& result, const std::string& m, const std::string& n) {
  return "graph g(x: f32[" + m + ", " + n + "], t: f32[" + n + ", " + m + "]) {\n  v = " + value + "\n  return " + result + "\n}";
}

constexpr const char* kBordered[] = {"pad(x, before=[0, 3], after=[0, 2], value=0.5)",
                                     "pad(x, before=[2, 0], after=[1, 0])",
                                     "concat([x, x * 2], axis=1)",
                                     "concat([x * 2, x], axis=0)",
                                     "roll(x, shift=[3], axis=[1])",
                                     "roll(x, shift=[2], axis=[0])"};
constexpr const char* kAcross[] = {"permute(t, axes=[1, 0])", "x * 0.5 + permute(t, axes=[1, 0])", "flip(x, axes=[0])"};

int32_t kernels_of(const std::string& text) {
  const Backends backends;
  return backends.cost(text, {}).kernels;
}

}  // namespace

TEST_CASE("G3.sum,max,argmax/interp,c G4.cumsum/interp,c G15.matmul/interp,c L2: pads, concats and rolls along the reduced or last axis") {
  const Backends backends;
  for (const auto values : {std::span<const char* const>(kBordered), std::span<const char* const>(kAcross)})
    for (const std::string value : values)
      for (const std::vector<int64_t>& dims : {std::vector<int64_t>{70, 65}, {9, 700}, {1100, 5}, {1, 4100}}) {
        CAPTURE(value);
        const auto check = [&](const std::string& result) {
          const Values<float> x = rough(dims, 1), t = rough({dims[1], dims[0]}, 2);
          backends.run(graph_of(value, result, "m", "n"), x, t);
          backends.run(graph_of(value, result, std::to_string(dims[0]), std::to_string(dims[1])), x, t);
        };
        check("a = sum(v, axes=[0]), b = sum(v, axes=[1]), c = max(v, axes=[0]), d = max(v, axes=[1]), e = max(v, axes=[0, 1])");
        check("a = argmax(v, axis=1), b = cumsum(v, axis=1), c = cumsum(v, axis=0), d = var(v, axes=[1])");
        check("a = softmax(v, axis=1), b = layer_norm(v), c = softmax(v, axis=0)");
        if (dims[1] < 1000) check("a = matmul(v, permute(v, axes=[1, 0])), b = sum(square(v), axes=[1])");
      }
}

TEST_CASE("L2: a kernel of its own stores a pad or concat that a reduction would compute element by element") {
  const auto kernels = [](const std::string& value, const std::string& result) {
    return kernels_of(graph_of(value, "y = " + result, "512", "768"));
  };
  CHECK(kernels("pad(x, before=[0, 3], after=[0, 2])", "sum(v, axes=[1])") == 2);
  CHECK(kernels("pad(x, before=[0, 3], after=[0, 2])", "max(v, axes=[0])") == 2);
  CHECK(kernels("pad(x, before=[0, 3], after=[0, 2])", "layer_norm(v)") == 2);
  CHECK(kernels("roll(x, shift=[3], axis=[1])", "softmax(v, axis=1)") == 2);
  CHECK(kernels("concat([x, x * 2], axis=1)", "cumsum(v, axis=1)") == 2);
  CHECK(kernels("concat([x, x * 2], axis=1)", "matmul(v, permute(v, axes=[1, 0]))") == 2);
  // The reduction of a whole array is divided into blocks, which are slices of the flattened array.
  const Context context = make_context();
  for (const char* const value : {"roll(x, shift=[3], axis=[1])", "pad(x, before=[0, 3], after=[0, 2])", "concat([x * 2, x], axis=1)"}) {
    const Graph graph = parse(context.get(), "harp 1\n" + graph_of(value, "y = max(v), z = sum(v)", "1024", "771"));
    const std::string source = source_for("x86-64-v3", graph.get());
    for (const char* const division : {"% 771", "% 776", "% 1542"}) CHECK(source.find(division) == std::string::npos);
  }
  // A concat is stored only if the loops over its elements would have to cross the border between its sources. Reshapes and slices of it
  // are looked through: the first graph crosses borders in each row; in the others, each row is a row of one source, or few rows are read.
  const auto workspace = [](const std::string& result) {
    const Backends backends;
    return backends.cost(graph_of("concat([x * 2, x], axis=0)", "y = " + result, "m", "n"), {4000, 512}).workspace;
  };
  CHECK(workspace("max(reshape(v, shape=[m, 2*n]), axes=[1])") > 0);
  CHECK(workspace("max(v[none, :, :], axes=[2])") == 0);
  CHECK(workspace("max(v[:2, :], axes=[0])") == 0);
  // A whole row of the concat is a row of one source, and an elementwise kernel divides its loops at the borders.
  CHECK(kernels("concat([x, x * 2], axis=0)", "exp(v)") <= 2);
  CHECK(kernels("pad(x, before=[2, 0], after=[1, 0])", "softmax(v, axis=1)") == 1);
  CHECK(kernels("pad(x, before=[0, 3], after=[0, 2])", "exp(v)") == 1);
}

TEST_CASE("L2: a pad or concat of broadcast values is not stored if it is much larger than the arrays from which it is computed") {
  const Backends backends;
  const auto workspace = [&](const std::string& value, const std::string& result, const std::string& n, const std::string& m) {
    const std::string text = "graph g(a: f32[" + n + "], b: f32[" + m + "], c: f32[" + m + "], w: f32[4000]) flags=[broadcast] {\n" +
                             "  d = a[:, none] - b[none, :]\n  e = a[:, none] - c[none, :]\n  v = " + value + "\n  return y = " + result +
                             "\n}";
    std::vector<int64_t> sizes;
    if (n == "n") sizes = {3000};
    if (m == "m") sizes.push_back(2000);
    return backends.cost(text, sizes).workspace;
  };
  for (const char* const value : {"concat([d, e], axis=1)", "pad(d, before=[0, 3], after=[0, 2])", "roll(d, shift=[3], axis=[1])",
                                  "concat([maximum(d, 0), roll(e, shift=[3], axis=[1])], axis=1)"})
    for (const char* const result : {"max(v, axes=[1])", "sum(square(v), axes=[1])", "logsumexp(v, axes=[1])"})
      for (const bool is_symbolic : {false, true}) {
        CAPTURE(value);
        CAPTURE(result);
        CAPTURE(is_symbolic);
        CHECK(workspace(value, result, is_symbolic ? "n" : "3000", is_symbolic ? "m" : "2000") < 6'000'000);
      }
  CHECK(workspace("concat([d, e], axis=1)", "matmul(v, w)", "3000", "2000") < 6'000'000);
  // Nested concats double a value again and again, and most pads of a narrow array add more than the array has.
  std::string doubled = "d[:, :50]", last = "v";
  for (int i = 0; i < 8; ++i) {
    const std::string next = "v" + std::to_string(i);
    doubled += "\n  " + next + " = concat([" + last + ", exp(" + last + ")], axis=1)";
    last = next;
  }
  CHECK(workspace(doubled, "max(" + last + ", axes=[1])", "3000", "2000") < 16'000'000);
  for (const char* const n : {"3000", "n"})
    CHECK(workspace("pad(a[:, none], before=[0, 0], after=[0, 9000])", "max(v, axes=[1])", n, "2000") < 16'000'000);
  // A few megabytes are stored, because that is many times as fast.
  CHECK(workspace("concat([d, e], axis=1)", "max(v, axes=[1])", "900", "1000") >= 900 * 2000 * sizeof(float));
  CHECK(workspace("concat([d, e], axis=1)", "max(v, axes=[1])", "n", "m") < 6'000'000);
  // Neither a large array of which one element is read nor a size that is negative for small n hides that the concat is large.
  CHECK(workspace("concat([d * w[0], e], axis=1)", "max(v, axes=[1])", "n", "m") < 6'000'000);
  CHECK(workspace("concat([d[300:, :], e[300:, :]], axis=1)", "max(v, axes=[1])", "n", "m") < 6'000'000);
  // Of a small part that is reduced, the whole is not stored.
  CHECK(workspace("concat([d, e], axis=1)", "cumsum(reshape(v, shape=[2*n*m])[:100], axis=0)", "n", "m") < 6'000'000);
  // All values together that are stored although no array is as large as they are need 16 MiB.
  std::string many = "d", all = "y0";
  for (int i = 0; i < 10; ++i)
    many += "\n  y" + std::to_string(i) + " = max(concat([d * " + std::to_string(i + 2) + ", e], axis=1), axes=[1])";
  for (int i = 1; i < 10; ++i) all += " + y" + std::to_string(i);
  CHECK(workspace(many, all, "900", "1000") < 20'000'000);
  // The result of a scan is as large as the concat, so storing the concat at most doubles the memory.
  CHECK(workspace("concat([d, e], axis=1)", "cumsum(v, axis=1)", "3000", "2000") >= 12'000'000 * sizeof(float));
}

TEST_CASE("L2: an array that is read across the rows of a row-wise computation is read by kernels of one pass each") {
  const auto kernels = [](const std::string& value, const std::string& result) {
    return kernels_of(graph_of(value, "y = " + result, "512", "768"));
  };
  CHECK(kernels("permute(t, axes=[1, 0])", "softmax(v, axis=1)") == 3);
  CHECK(kernels("permute(t, axes=[1, 0])", "rms_norm(v)") == 2);
  // The operand reads an array along its rows and another one across them: a kernel of its own stores it.
  CHECK(kernels("x + permute(t, axes=[1, 0])", "softmax(v, axis=1)") == 2);
  CHECK(kernels("x", "sum(v * permute(t, axes=[1, 0]), axes=[1])") == 2);
  CHECK(kernels("x", "max(v - permute(t, axes=[1, 0]), axes=[0])") == 2);
  CHECK(kernels("x", "softmax(v, axis=1)") == 1);
  CHECK(kernels("x", "rms_norm(v)") == 1);
}
