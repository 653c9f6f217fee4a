// Tests comparisons of 16-bit floats with zero and their conversion to bool, which read the bits instead of a conversion to f32.
#include "base/text.h"
#include "support/backends_run.h"

using namespace capi_test;

TEST_CASE("G9.f16,bf16/interp,c: 16-bit floats: every value is compared with zero, and becomes a bool, as in f32") {
  const Backends backends;
  Values<uint16_t> all{{}, {65536}};
  for (uint32_t bits = 0; bits < 65536; ++bits) all.items.push_back(static_cast<uint16_t>(bits));
  for (const char* dtype : {"f16", "bf16"}) {
    const auto outputs =
        backends.run(harp::cat("graph g(x: u16[n]) {\n  z = bitcast(x, dtype=", dtype, ")\n  w = bitcast(x[::3], dtype=", dtype,
                               ")\n  return a = cast(z, dtype=bool), b = ne(z, 0), c = eq(0, z), d = where(eq(w, 0), 1, w * 2)\n}"),
                     all);
    for (size_t i = 0; i < 3; ++i) {
      const auto found = values<uint8_t>(outputs[i].get());
      for (uint32_t bits = 0; bits < 65536; ++bits) REQUIRE((found[bits] != 0) == (((bits & 0x7fff) != 0) == (i < 2)));
    }
  }
}

TEST_CASE("G9.f16,bf16/c: comparisons of 16-bit floats with zero convert nothing to f32") {
  const Context context = make_context();
  for (const char* row : {"x86-64", "x86-64-v3", "x86-64-v4", "aarch64"})
    for (const char* value : {"cast(x, dtype=bool)", "ne(x, 0)", "eq(0, x)"})
      for (const char* dtype : {"f16", "bf16"}) {
        const Graph graph = parse(context.get(), harp::cat("harp 1\ngraph g(x: ", dtype, "[n]) {\n  return y = ", value, "\n}"));
        REQUIRE(graph != nullptr);
        CHECK(source_for(row, graph.get()).find("f32") == std::string::npos);
      }
}
