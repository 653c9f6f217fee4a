// Tests conversions of integers to integers of four and eight times their size, and to floats. Results must be bit-identical to the
// interpreter's on every machine row (entry of harp's table of CPUs) of this architecture, compiled with the flags that users get.
// (tests/schedule/schedule_test.cpp tests the functions that convert.)
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

}  // namespace

TEST_CASE("G12.cast/c L5.simd_width/c: every row widens narrow integers of the whole range as the interpreter does") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), kText);
  REQUIRE(graph != nullptr);
  auto a = over_range<int8_t>(1);
  auto c = over_range<int16_t>(7);
  auto d = over_range<uint16_t>(7);
  const auto wrapped = [&](auto& items) { return wrap(context.get(), items, {static_cast<int64_t>(items.size())}); };
  const Buffer inputs[] = {wrapped(a), wrapped(c), wrapped(d)};
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
