// Tests conversions between numbers of different sizes, and comparisons, whose masks are narrowed to bools. Results must be bit-identical
// to the interpreter's on every machine row (entry of harp's table of CPUs) of this architecture, compiled with the flags that users get.
// (tests/schedule/schedule_test.cpp tests the functions that convert.)
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/machine.h"
#include "support/backends_run.h"

using namespace capi_test;

namespace {

/// Returns every step-th value of T, from the least value on, and the greatest value.
template <class T>
std::vector<T> over_range(int step) {
  std::vector<T> numbers;
  for (int x = std::numeric_limits<T>::min(); x <= std::numeric_limits<T>::max(); x += step) numbers.push_back(static_cast<T>(x));
  numbers.push_back(std::numeric_limits<T>::max());
  return numbers;
}

constexpr const char* kText =
    "harp 1\n"
    "graph g(a: i8[n], c: i16[m], d: u16[m]) {\n"
    "  b = cast(a, dtype=u8)\n"
    "  return a32 = cast(a, dtype=i32), a64 = cast(a, dtype=i64), af = cast(a, dtype=f32), b32 = cast(b, dtype=i32), "
    "bu32 = cast(b, dtype=u32), bu64 = cast(b, dtype=u64), bf = cast(b, dtype=f32), c64 = cast(c, dtype=i64), "
    "cf = cast(c, dtype=f64), d64 = cast(d, dtype=i64), du64 = cast(d, dtype=u64)\n}\n";

constexpr const char* kNarrowing =
    "harp 1\n"
    "graph g(a: i32[n], b: i64[m], c: f32[k], d: f64[j], e: bool[i]) flags=[broadcast] {\n"
    "  u = cast(b, dtype=u64)\n"
    "  return a8 = cast(a, dtype=i8), a16 = cast(a, dtype=u16), ah = cast(a, dtype=f16), ab = cast(a, dtype=bf16), b8 = cast(b, dtype=u8), "
    "b16 = cast(b, dtype=i16), b32 = cast(b, dtype=i32), bh = cast(b, dtype=f16), bb = cast(b, dtype=bf16), uh = cast(u, dtype=f16), "
    "ub = cast(u, dtype=bf16), c8 = cast(c, dtype=i8), cu8 = cast(c, dtype=u8), c16 = cast(c, dtype=i16), cu16 = cast(c, dtype=u16), "
    "cd = cast(c, dtype=f64), cless = c < f32(1), d8 = cast(d, dtype=i8), d16 = cast(d, dtype=u16), d32 = cast(d, dtype=i32), "
    "du32 = cast(d, dtype=u32), dh = cast(d, dtype=f16), db = cast(d, dtype=bf16), dless = d <= f64(1), "
    "ef = cast(e, dtype=f32), ed = cast(e, dtype=f64), e64 = cast(e, dtype=i64)\n}\n";

/// Returns numbers of both signs at and next to the powers of two, and infinities.
std::vector<double> around_powers(int least, int greatest) {
  std::vector<double> numbers = {0.0, -0.0, INFINITY, -INFINITY};
  for (int power = least; power <= greatest; ++power)
    for (const double factor : {1.0, 1 + 0x1p-8, 1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-50, 1 - 0x1p-24, 1.5, 1.99})
      for (const double sign : {1.0, -1.0}) numbers.push_back(sign * std::ldexp(factor, power));
  return numbers;
}

/// Compares the results on every row with the interpreter's.
template <class... Items>
void check_every_row(const char* text, Items... items) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), text);
  REQUIRE(graph != nullptr);
  const Buffer inputs[] = {wrap(context.get(), items, {static_cast<int64_t>(items.size())})...};
  std::vector<harp_buffer*> handles;
  for (const Buffer& input : inputs) handles.push_back(input.get());
  const std::vector<Buffer> expected = run(compile(graph.get(), "interp").get(), handles);
  for (const harp::Machine& row : harp::machines()) {
    const std::string target(row.name);
    CAPTURE(target);
    const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) { o.target = target.c_str(); });
    REQUIRE(program != nullptr);
    if (is_not_for_this_cpu(program.get())) continue;
    const std::vector<Buffer> outputs = run(program.get(), handles);
    REQUIRE(outputs.size() == expected.size());
    for (size_t i = 0; i < outputs.size(); ++i) CHECK_MESSAGE(same_bits(outputs[i].get(), expected[i].get()), "output ", i);
  }
}

}  // namespace

TEST_CASE("G12.cast/c L5.simd_width/c: every row widens narrow integers of the whole range as the interpreter does") {
  check_every_row(kText, over_range<int8_t>(1), over_range<int16_t>(7), over_range<uint16_t>(7));
}

TEST_CASE("G12.cast/c L5.simd_width/c: every row narrows numbers and masks as the interpreter does") {
  std::vector<int32_t> a;
  std::vector<int64_t> b;
  for (int shift = 0; shift < 63; ++shift)
    for (const int64_t factor : {1, 257, 513, 2049, -3, -257})
      for (const int64_t near : {-1, 0, 1}) {
        const auto number = static_cast<int64_t>(static_cast<uint64_t>(factor) << shift) + near;
        b.push_back(number);
        a.push_back(static_cast<int32_t>(number));
      }
  const std::vector<double> d = around_powers(-150, 130);
  std::vector<float> c;
  for (const double x : around_powers(-10, 70)) c.push_back(static_cast<float>(x));
  c.push_back(NAN);
  std::vector<uint8_t> e;
  for (int i = 0; i < 37; ++i) e.push_back(i % 3 == 0);
  check_every_row(kNarrowing, a, b, c, d, e);
}
