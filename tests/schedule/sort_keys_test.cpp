// Tests which kernels do not run if sorted rows have a single element, because they compute only the keys of such rows.
#include "schedule/sort_keys.h"

#include "support/backends_run.h"
#include "support/scheduled.h"

using namespace capi_test;

TEST_CASE("G16 L2: the keys of rows of one element are not computed") {
  const auto skips = [](std::string_view text) {
    return harp::print(schedule_test::scheduled(text)).find("# where m - 2 >= 0") != std::string::npos;
  };
  CHECK(skips("graph g(x: f32[n, m]) { return y = argsort(x, axis=1) }"));
  CHECK(skips("graph g(x: i32[n, m]) { return y = argsort(x, axis=1, descending=true) }"));
  // Rows of a known length or of at least two elements, and keys that are also an output.
  CHECK_FALSE(skips("graph g(x: f32[m, 7]) { return y = argsort(x, axis=1) }"));
  CHECK_FALSE(skips("shape m in 2..100\ngraph g(x: f32[n, m]) { return y = argsort(x, axis=1) }"));
  CHECK_FALSE(skips("graph g(x: i32[n, m]) { return y = argsort(x, axis=1, descending=true), k = ~x }"));
}

TEST_CASE("G16/c X2: sorts of rows of no, one and two elements") {
  const Backends backends;
  for (const int64_t n : {0, 1, 9, 70000})
    for (const int64_t m : {0, 1, 2}) {
      CAPTURE(n);
      CAPTURE(m);
      if (m != 1 && n > 9) continue;
      backends.run(
          "graph g(x: f32[n, m]) {\n  return a = argsort(x, axis=1), d = argsort(x, axis=1, descending=true), s = sort(x, axis=1)\n}",
          rough({n, m}, 1));
    }
}
