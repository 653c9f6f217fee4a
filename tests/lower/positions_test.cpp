// Tests gathers whose indices are computed from the position of the output element (lower/positions.h), such as padding of arrays of
// unknown size, with every padding mode and any amount of padding. Results must be bit-identical to the interpreter's, the interior must be
// copied by vectors, and no index may be loaded from memory.
#include <array>
#include <string>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

std::string source_of(const std::string& text) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  return source_for("x86-64-v4", graph.get());
}

std::string padded(const std::string& value, const std::string& amounts, const std::string& mode) {
  return "graph g(x: f32[n, h in 1..99, w in 1..99]) {\n  return y = pad(" + value + ", " + amounts + ", mode=" + mode + ")\n}";
}

}  // namespace

TEST_CASE("G14.pad/interp,c X2: an array of unknown size is continued by less than its size, by more, and by several times its size") {
  const Backends backends;
  for (const auto& [h, w] : {std::array<int64_t, 2>{1, 1}, {2, 3}, {5, 17}, {8, 70}})
    for (const char* mode : {"edge", "reflect", "symmetric", "wrap"})
      for (const char* amounts : {"before=[0, 2, 1], after=[0, 1, 3]", "before=[0, 0, 20], after=[0, 7, 0]"})
        backends.run(padded("x", amounts, mode), rough({2, h, w}, 1));
}

TEST_CASE("G14.pad/c G14.take/c X2: what is padded may be computed, and indices outside of the axis are clamped") {
  const Backends backends;
  backends.run(padded("exp(x) * x", "before=[0, 2, 1], after=[0, 1, 3]", "reflect"), rough({2, 6, 37}, 1));
  backends.run(
      "graph g(x: f32[n, w]) {\n  i = cast(arange(n=w + 9), dtype=i64)\n  return y = take(x, i - 3, axis=1), z = take(x, minimum(i, 2), "
      "axis=0)\n}",
      rough({3, 40}, 1));
  backends.run("graph g(x: f32[n, w]) {\n  return y = take(x, cast(arange(n=5), dtype=i64), axis=1)\n}", rough({3, 0}, 1));
}

TEST_CASE("L1 L2: both axes of a picture are continued in one kernel, whose interior is vectors without an index") {
  const std::string text = source_of(padded("x", "before=[0, 2, 2], after=[0, 2, 2]", "reflect"));
  CHECK(text.find("gather") == text.npos);
  CHECK(text.find("*(f32x16*)") != text.npos);
}
