// Tests reductions down columns whose last axis is short: the axes behind the reduced one become one axis (schedule/joined_kept_axes.h), so
// that it fills vectors. The results must have the same bits.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "support/backends_run.h"

using namespace capi_test;

namespace {

constexpr const char* kRows[] = {"x86-64", "x86-64-v3", "x86-64-v4", "aarch64"};

bool has(const std::string& source, std::string_view part) { return source.find(part) != std::string::npos; }

/// Tests whether the C source for each of several machines has `part`.
bool all_have(const std::string& text, std::string_view part) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  return std::ranges::all_of(kRows, [&](const char* row) { return has(source_for(row, graph.get()), part); });
}

const std::string kFilm = "graph g(x: f32[40, 30, 3]) flags=[broadcast] {\n";

}  // namespace

TEST_CASE("G3.sum/c G3.max/c G3.argmax/c: colours and pixels are one axis of a reduction over pictures") {
  for (const char* call : {"sum(x, axes=[0])", "max(x, axes=[0])", "mean(abs(x) * 2.0, axes=[0])", "var(x, axes=[0])", "argmax(x, axis=0)",
                           "sum(x, axes=[0], keepdims=true)"}) {
    CAPTURE(call);
    CHECK(all_have(kFilm + "  return y = " + call + "\n}", "over [90]"));
  }
  CHECK(all_have("graph g(x: u8[40, 30, 3]) {\n  return y = max(x, axes=[0])\n}", "over [90]"));
  CHECK(all_have("graph g(x: f32[n, h, w]) {\n  return y = sum(x, axes=[0])\n}", "over [h*w]"));
  CHECK(all_have("graph g(x: f32[5, 40, 30, 3, 1]) {\n  return y = sum(x, axes=[1])\n}", "over [5, 90]"));
  // all passes of a softmax have the joined axis, so they are still one kernel
  CHECK(all_have(kFilm + "  return y = softmax(x, axis=0)\n}", "rowwise over [90]"));
  CHECK_FALSE(all_have(kFilm + "  return y = softmax(x, axis=0)\n}", "kernel_1"));
}

TEST_CASE("G3.sum/c: axes are not joined if they are long, not adjacent in memory, or used one by one") {
  CHECK(all_have("graph g(x: f32[40, 9, 200]) {\n  return y = sum(x, axes=[0])\n}", "over [9, 200]"));
  CHECK(all_have("graph g(x: f32[40, 30, 4]) {\n  return y = sum(x[:, :, 1:], axes=[0])\n}", "over [30, 3]"));
  CHECK(all_have(
      "graph g(x: f32[40, 30, 3], w: f32[30]) flags=[broadcast] {\n  return y = sum(x * reshape(w, shape=[30, 1]) + 1.0, axes=[0])\n}",
      "over [30, 3]"));
  // exp(x) is also summed along the axis of the colours, so this axis is not joined
  CHECK(all_have(kFilm + "  s = exp(x)\n  return y = max(s, axes=[0]), z = sum(s, axes=[2])\n}", "over [30, 3]"));
}

TEST_CASE("G3.sum/interp,c G3.max/interp,c G15.softmax/interp,c L5.merge_order/c: joined axes give the same bits") {
  const Backends backends;
  const char* results[] = {
      "return a = sum(x, axes=[0]), b = max(x, axes=[0]), c = mean(x * x, axes=[0]), d = prod(x * 1e-3, axes=[0])",
      "return a = softmax(x * 1e-3, axis=0), b = var(x, axes=[0]), c = argmin(x, axis=0)",
      "s = x + 1.0\n  return a = s, b = s - mean(s, axes=[0], keepdims=true), c = any(s > 2.0, axes=[0])",
      "s = abs(x)\n  return a = max(s, axes=[0]), b = sum(s, axes=[2]), c = sum(s[:, 1:], axes=[0])",
      "m = min(x, axes=[0])\n  return a = flip(m), b = m @ reshape(m, shape=[size(m, 1), size(m, 0)])",
      "y = cast(x, dtype=u8)\n  return a = max(y, axes=[0]), b = sum(y, axes=[0]), c = sum(cast(x, dtype=f16), axes=[0])"};
  const std::vector<std::vector<int64_t>> shapes = {{40, 30, 3}, {300, 7, 5}, {17, 2, 2}, {600, 3, 1}, {18, 1, 4}};
  for (const char* result : results)
    for (const std::vector<int64_t>& shape : shapes) {
      CAPTURE(result);
      const std::string sizes = harp::cat(shape[0], ", ", shape[1], ", ", shape[2]);
      std::string body = result;
      for (const auto& [call, size] : {std::pair<std::string, int64_t>{"size(m, 1)", shape[2]}, {"size(m, 0)", shape[1]}})
        if (const size_t at = body.find(call); at != body.npos) body.replace(at, call.size(), std::to_string(size));
      const auto x = rough(shape, static_cast<uint32_t>(shape[1]));
      backends.run("graph g(x: f32[" + sizes + "]) flags=[broadcast] {\n  " + body + "\n}", x);
      if (body == result) backends.run("graph g(x: f32[n, h, w]) flags=[broadcast] {\n  " + body + "\n}", x);
    }
}
