// Tests loops over axes that a reshape joins from a long axis and a short one, whose indices contain quotients and remainders: they are
// unrolled by the divisor (ir/unroll_divisor.cpp), so that vectors compute them, and the reshape is not stored (schedule/rearranged.h).
#include <string>
#include <vector>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

/// A graph over x, an array of [b, m, k, n]: the axes k and n change places, and n and k (of size `of_k`) are joined.
std::string joined(const std::string& result, int64_t of_k, bool symbolic, const std::vector<int64_t>& dims = {}) {
  const auto size = [&](size_t i, const char* name) { return symbolic ? std::string(name) : std::to_string(dims[i]); };
  const std::string b = size(0, "b"), m = size(1, "m"), n = size(3, "n"), k = std::to_string(of_k);
  return "graph g(x: f32[" + b + ", " + m + ", " + k + ", " + n + "]) {\n  j = reshape(permute(x, axes=[0, 1, 3, 2]), shape=[" + b + ", " +
         m + ", " + n + "*" + k + "])\n  return " + result + "\n}";
}

std::string source_of(const std::string& text) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  return source_for("x86-64-v3", graph.get());
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("G14.pad,slice/interp,c X2: joined axes with borders, of every divisor, with rows shorter and longer than a vector") {
  const Backends backends;
  for (const int64_t k : {2, 3, 4, 5})
    for (const int64_t n : {1, 3, 4, 9, 21})
      for (const bool symbolic : {false, true}) {
        const std::vector<int64_t> dims = {2, 3, k, n};
        const Values<float> x = rough(dims, 1);
        CAPTURE(k);
        CAPTURE(n);
        backends.run(joined("y = pad(j, before=[0, 0, 1], after=[0, 0, 2], value=f32(7)), z = pad(j, before=[0, 1, 0], after=[0, 0, 1], "
                            "value=f32(3)) * 2",
                            k, symbolic, dims),
                     x);
        backends.run(joined("y = concat([j, exp(j)], axis=2), z = flip(j, axes=[2]) + j, r = roll(j, 1, axis=2)", k, symbolic, dims), x);
      }
}

TEST_CASE("G15.avg_pool,max_pool/c G19 X2: gradients of pools with windows that touch, overlap or leave gaps") {
  const Backends backends;
  for (const char* pool : {"avg_pool", "max_pool"})
    for (const auto& [size, stride] : {std::pair{2, 2}, {2, 3}, {3, 2}, {3, 3}, {2, 4}})
      for (const std::vector<int64_t>& dims : {std::vector<int64_t>{2, 3, 7, 9}, {1, 2, 13, 29}, {2, 1, 20, 64}})
        for (const bool symbolic : {false, true}) {
          const std::string shape =
              symbolic ? "[b, 3, h in 4..99, w in 4..99]"
                       : "[" + std::to_string(dims[0]) + ", 3, " + std::to_string(dims[2]) + ", " + std::to_string(dims[3]) + "]";
          backends.run("graph g(x: f32" + shape + ") {\n  y = " + pool + "(x, [" + std::to_string(size) + ", " + std::to_string(size) +
                           "], stride=" + std::to_string(stride) + ")\n  return d = grad(sum(y * y), x)\n}",
                       rough({dims[0], 3, dims[2], dims[3]}, 2));
        }
}

TEST_CASE("L2 L5.simd_width/c: a joined axis behind a pad has vectors, no divisions, and is not stored (machine row x86-64-v3)") {
  const std::string known = source_of(joined("y = pad(j, before=[0, 0, 1], after=[0, 0, 2], value=f32(7))", 2, false, {64, 100, 2, 160}));
  CHECK(contains(known, "store_2_interleaved_f32x8("));
  CHECK(!contains(known, "kernel_1"));
  // a divisor above limits.unrolled_divisor: the reshape is stored over its own axes
  CHECK(
      contains(source_of(joined("y = pad(j, before=[0, 0, 1], after=[0, 0, 2], value=f32(7))", 7, false, {64, 100, 7, 160})), "kernel_1"));
}

TEST_CASE("L2: the gradient of a pool stores one array of the size of the windows") {
  const Backends backends;
  const auto of = [&](const char* call) {
    return backends.cost(std::string("graph g(x: f32[16, 64, 27, 27]) {\n  y = ") + call + "\n  return d = grad(sum(y * y), x)\n}", {});
  };
  constexpr size_t kWindows = 16 * 64 * 13 * 13 * sizeof(float);
  CHECK(of("avg_pool(x, [2, 2], stride=2)").workspace <= kWindows + 4096);
  CHECK(of("max_pool(x, [2, 2], stride=2)").workspace <= 2 * kWindows + 4096);
  CHECK(of("max_pool(x, [2, 2], stride=2)").kernels == 2);
}
