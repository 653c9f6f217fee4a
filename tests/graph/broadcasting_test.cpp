// Tests that broadcasting is as documented: shapes, values and errors; the outer product, as an operation and by broadcasting; and stack
// mode, in which scalars are stacked along a leading axis, processed together and unstacked.
#include <algorithm>

#include "support/backends_run.h"
#include "support/misuse.h"

using namespace capi_test;

namespace {

using F = std::vector<float>;
using L = std::vector<int64_t>;

/// The shape and the values of a result.
struct Result {
  L shape;
  F items;
  bool operator==(const Result&) const = default;
};
Result broadcast(const Backends& backends, const std::string& expression, const Values<float>& x, const Values<float>& y) {
  const auto declared = [](const char* name, const Values<float>& v) {
    std::string text = std::string(name) + ": f32[";
    for (size_t i = 0; i < v.dims.size(); ++i) text += (i ? ", " : "") + std::to_string(v.dims[i]);
    return text + "]";
  };
  const auto outputs = backends.run(
      "graph g(" + declared("x", x) + ", " + declared("y", y) + ") flags=[broadcast] {\n  return r = " + expression + "\n}", x, y);
  return {dims(outputs[0].get()), values<float>(outputs[0].get())};
}

L broadcast_shapes(const L& a, const L& b) {
  L result(std::max(a.size(), b.size()));
  ErrorSlot err;
  CHECK_MESSAGE(harp_broadcast_shapes(static_cast<int32_t>(a.size()), a.data(), static_cast<int32_t>(b.size()), b.data(), result.data(),
                                      err) == HARP_OK,
                err.message());
  return result;
}

}  // namespace

TEST_CASE("B.shapes/interp,c B.values/interp,c G8.right_aligned,stretch,left_axes/interp,c: scalars, vectors and matrices go together") {
  const Backends backends;
  const Values<float> one{{10}, {}}, row{{1, 2, 3}, {3}}, column{{10, 20}, {2, 1}}, matrix{{1, 2, 3, 4, 5, 6}, {2, 3}};
  CHECK(broadcast(backends, "x + y", row, row) == Result{{3}, {2, 4, 6}});
  CHECK(broadcast(backends, "x + y", one, row) == Result{{3}, {11, 12, 13}});
  CHECK(broadcast(backends, "x * y", row, one) == Result{{3}, {10, 20, 30}});
  CHECK(broadcast(backends, "x + y", matrix, row) == Result{{2, 3}, {2, 4, 6, 5, 7, 9}});
  CHECK(broadcast(backends, "x + y", column, matrix) == Result{{2, 3}, {11, 12, 13, 24, 25, 26}});
  CHECK(broadcast(backends, "x + y", column, row) == Result{{2, 3}, {11, 12, 13, 21, 22, 23}});
  CHECK(broadcast(backends, "x - y", matrix, one) == Result{{2, 3}, {-9, -8, -7, -6, -5, -4}});
  CHECK(broadcast(backends, "x + y", {{}, {0, 3}}, row) == Result{{0, 3}, {}});
  const Result cube = broadcast(backends, "x + y", {{0, 100}, {2, 1, 1}}, matrix);
  CHECK(cube.shape == L{2, 2, 3});
  CHECK(cube.items == F{1, 2, 3, 4, 5, 6, 101, 102, 103, 104, 105, 106});
}

TEST_CASE("B.shapes B.errors G8.broadcast_shapes,broadcast_index,error: the rule for shapes alone") {
  CHECK(broadcast_shapes({3}, {3}) == L{3});
  CHECK(broadcast_shapes({}, {3}) == L{3});
  CHECK(broadcast_shapes({2, 3}, {3}) == L{2, 3});
  CHECK(broadcast_shapes({2, 1}, {3}) == L{2, 3});
  CHECK(broadcast_shapes({8, 1, 6, 1}, {7, 1, 5}) == L{8, 7, 6, 5});
  CHECK(broadcast_shapes({0}, {1}) == L{0});
  const int64_t three[] = {3}, four[] = {4}, matrix[] = {2, 3}, other[] = {3, 2};
  int64_t result[2] = {-7, -7};
  ErrorSlot vectors, matrices, mixed;
  CHECK(harp_broadcast_shapes(1, three, 1, four, result, vectors) == HARP_ERROR_SHAPE);
  CHECK(vectors.message().starts_with("Cannot broadcast shapes [3] and [4]"));
  CHECK(harp_broadcast_shapes(2, matrix, 2, other, result, matrices) == HARP_ERROR_SHAPE);
  CHECK(matrices.message().starts_with("Cannot broadcast shapes [2, 3] and [3, 2]"));
  CHECK(harp_broadcast_shapes(2, matrix, 1, four, result, mixed) == HARP_ERROR_SHAPE);
  CHECK(mixed.message().starts_with("Cannot broadcast shapes [2, 3] and [4]"));
  CHECK(result[0] == -7);
  // harp_broadcast_index maps an index of the result to the index of the operand's element.
  const int64_t index[] = {1, 2}, column[] = {2, 1};
  int64_t source[2];
  REQUIRE(harp_broadcast_index(2, index, 2, column, source, nullptr) == HARP_OK);
  CHECK(L{source[0], source[1]} == L{1, 0});
  REQUIRE(harp_broadcast_index(2, index, 1, three, source, nullptr) == HARP_OK);
  CHECK(source[0] == 2);
  REQUIRE(harp_broadcast_index(2, index, 0, nullptr, nullptr, nullptr) == HARP_OK);
}

TEST_CASE("B.outer,outer_broadcast/interp,c G8.outer/interp,c: every element with every element") {
  const Backends backends;
  const Values<float> x{{1, 2, 3}, {3}}, y{{4, 5}, {2}};
  const Result table{{3, 2}, {4, 5, 8, 10, 12, 15}};
  CHECK(broadcast(backends, "outer(x, y)", x, y) == table);
  CHECK(broadcast(backends, "unsqueeze(x, axes=[1]) * y", x, y) == table);
  CHECK(broadcast(backends, "einsum(x, y, spec=\"i,j->ij\")", x, y) == table);
  CHECK(broadcast(backends, "unsqueeze(x, axes=[1]) + y", x, y) == Result{{3, 2}, {5, 6, 6, 7, 7, 8}});
  CHECK(broadcast(backends, "maximum(unsqueeze(x, axes=[1]), y - 3)", x, y) == Result{{3, 2}, {1, 2, 2, 2, 3, 3}});
  CHECK(broadcast(backends, "outer(x, y)", {{1, 2, 3, 4}, {2, 2}}, y) == Result{{2, 2, 2}, {4, 5, 8, 10, 12, 15, 16, 20}});
  CHECK(broadcast(backends, "outer(x, y)", {{2}, {}}, y) == Result{{2}, {8, 10}});
}

TEST_CASE("B.stack_mode/interp,c G8.stack/interp,c G14.stack/interp,c: scalars as one leading axis, and back") {
  const Backends backends;
  const auto outputs = backends.run(
      "graph g(a: f32[], b: f32[], c: f32[], r: f32[2, 3]) flags=[broadcast] {\n  all = stack([a, b, c])\n  x, y, z = unstack(all * 10 + "
      "1)\n"
      "  u, v = unstack(r * 2)\n  return s = all, p = x, q = y, w = z, t = sum(all), rows = u + v, back = stack(x, y, z)\n}",
      Values<float>{{1}, {}}, Values<float>{{2}, {}}, Values<float>{{3}, {}}, Values<float>{{1, 2, 3, 4, 5, 6}, {2, 3}});
  const auto got = [&](size_t i) { return Result{dims(outputs[i].get()), values<float>(outputs[i].get())}; };
  CHECK(got(0) == Result{{3}, {1, 2, 3}});
  CHECK(got(1) == Result{{}, {11}});
  CHECK(got(2) == Result{{}, {21}});
  CHECK(got(3) == Result{{}, {31}});
  CHECK(got(4) == Result{{}, {6}});
  CHECK(got(5) == Result{{3}, {10, 14, 18}});
  CHECK(got(6) == Result{{3}, {11, 21, 31}});
}

TEST_CASE("B.errors G8.error: what does not broadcast names both shapes") {
  const std::string inputs = "x: f32[3], y: f32[4], m: f32[2, 3], s: f32[n, 3]";
  check_misuse(inputs, "stack([x, y])", "SHAPE", "stack: operands have shapes [3] and [4]");
  check_misuse(inputs, "x + y", "SHAPE", "add: operands have shapes [3] and [4]");
  check_misuse(inputs, "broadcast_to(m, shape=[2, 4])", "SHAPE", "broadcast_to: \"m\" of shape [2, 3] does not broadcast to [2, 4]");
  check_misuse(inputs, "unstack(s)", "SHAPE", "unstack: axis 0 of \"s\" has size n; the number of results must be constant");
  check_misuse(inputs, "unstack(x, axis=1)", "SHAPE", "unstack: axis 1 is out of range for rank 1");
  check_misuse(inputs, "meshgrid(x, m)", "SHAPE", "meshgrid: \"m\" has shape [2, 3]; it must have one axis");
  check_misuse(inputs, "meshgrid(x, y, indexing=\"yx\")", "INVALID_ARGUMENT", "meshgrid: indexing is \"yx\"; it must be xy or ij");
}
