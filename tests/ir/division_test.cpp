// Tests integer divisions by a constant, for which functions are generated that have the constant in their body (ir/division.h). The
// results must be bit-identical to those of the interpreter, which divides by any number.
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "base/text.h"
#include "support/backends_run.h"

using namespace capi_test;

namespace {

bool has(const std::string& source, std::string_view part) { return source.find(part) != std::string::npos; }

std::string source_of(const char* row, const std::string& dtype, const std::string& result) {
  const Context context = make_context();
  const Graph graph =
      parse(context.get(), harp::cat("harp 1\ngraph g(x: ", dtype, "[1000]) flags=[broadcast] {\n  return y = ", result, "\n}"));
  REQUIRE(graph != nullptr);
  return source_for(row, graph.get());
}

/// Divides the numbers near 0, near the smallest and the largest number of the dtype, near their halves, and near multiples of divisors.
template <class T>
void check_divisions(const Backends& backends, const std::string& dtype) {
  CAPTURE(dtype);
  constexpr T kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
  std::vector<T> divisors = {1, 2, 3, 7, 10, 100, 127, kMost, static_cast<T>(kMost - 1), static_cast<T>(kMost / 2 + 1)};
  if constexpr (std::is_signed_v<T>)
    for (const T divisor : {T{-1}, T{-2}, T{-3}, T{-7}, T{-100}, kLeast, static_cast<T>(kLeast + 1)}) divisors.push_back(divisor);
  divisors.push_back(0);
  Values<int64_t> x;
  for (const T near : {kLeast, T{0}, kMost, T{70}, static_cast<T>(kMost / 2), static_cast<T>(kLeast / 2), static_cast<T>(kLeast / 7 * 7)})
    for (int step = -11; step <= 11; ++step)
      x.items.push_back(static_cast<int64_t>(static_cast<uint64_t>(near) + static_cast<uint64_t>(step)));
  x.dims = {static_cast<int64_t>(x.items.size())};
  std::string results;
  for (size_t i = 0; i < divisors.size(); ++i)
    for (const char* op : {"floor_divide", "remainder", "fmod"})
      results += harp::cat(results.empty() ? "" : ", ", op, "_", i, " = ", op, "(y, ", dtype, "(", +divisors[i], "))");
  for (const char* size : {"161", "n"})
    backends.run(harp::cat("graph g(x: i64[", size, "]) flags=[broadcast] {\n  y = cast(x, dtype=", dtype, ")\n  return ", results, "\n}"),
                 x);
}

}  // namespace

TEST_CASE("G2.idiv/interp,c G2.rem/interp,c: integers divided by constants of every kind") {
  const Backends backends;
  check_divisions<int8_t>(backends, "i8");
  check_divisions<uint8_t>(backends, "u8");
  check_divisions<int16_t>(backends, "i16");
  check_divisions<uint16_t>(backends, "u16");
  check_divisions<int32_t>(backends, "i32");
  check_divisions<uint32_t>(backends, "u32");
  check_divisions<int64_t>(backends, "i64");
  check_divisions<uint64_t>(backends, "u64");
}

TEST_CASE("G2.idiv/c G2.rem/c: the C compiler sees by which constant vectors are divided") {
  for (const char* row : {"x86-64", "x86-64-v3", "x86-64-v4", "aarch64"}) {
    CAPTURE(row);
    const std::string both = source_of(row, "i32", "floor_divide(x, 7) * 10 + remainder(x, 7)");
    CHECK(has(both, " / 7"));
    CHECK(has(both, "floor_divide_by_7_i32"));
    CHECK(has(both, "remainder_by_7_i32"));
    CHECK(has(source_of(row, "i16", "remainder(x, -9)"), "remainder_by_minus_9_i16"));
    CHECK(has(source_of(row, "i32", "floor_divide(x, -1)"), "floor_divide_i32"));
    CHECK(has(source_of(row, "i32", "remainder(x, 0)"), "remainder_i32"));
  }
}
