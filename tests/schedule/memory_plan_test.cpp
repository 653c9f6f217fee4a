// Tests how temporary arrays share memory: several arrays use the same part of the workspace (a slot) one after the other.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "base/error.h"
#include "support/scheduled.h"

using namespace schedule_test;

TEST_CASE("L1: workspace is exact and slots are shared") {
  // Each statement has a sum over rows. A single kernel would pass over each row several times, but the rows are too few and too long for
  // this, so the graph has several kernels and stores a, b and c. The array a is no longer needed when c is written.
  const Program p = scheduled(
      "graph g(x: f32[16, 100000]) flags=[broadcast] {\n"
      "  a = exp(x) / sum(exp(x), axes=[1], keepdims=true)\n  b = exp(flip(a)) / sum(exp(a), axes=[1], keepdims=true)\n"
      "  c = exp(flip(b)) / sum(exp(b), axes=[1], keepdims=true)\n  return y = exp(flip(c)) / sum(exp(c), axes=[1], keepdims=true)\n}");
  Dim separate = 0;
  for (const Buffer& b : p.buffers)
    if (b.kind == Buffer::Kind::kTemporary) separate += ceil_div(b.bytes, 64) * 64;
  REQUIRE(p.workspace_bytes.is_constant());
  REQUIRE(separate.is_constant());
  CHECK(p.workspace_bytes.constant() < separate.constant());
  for (const Buffer& b : p.buffers) {
    if (b.kind != Buffer::Kind::kTemporary) continue;
    CHECK(b.offset.constant() % 64 == 0);
    CHECK(b.offset.constant() + b.bytes.constant() <= p.workspace_bytes.constant());
  }
}

TEST_CASE("L1: a result takes the slot of what it alone is the last to read") {
  const auto bytes_of = [](std::string_view text) {
    const Program program = scheduled(text);
    REQUIRE(program.workspace_bytes.is_constant());
    return program.workspace_bytes.constant();
  };
  const auto in_place = [](const Program& program) {
    return std::count_if(program.in_place.begin(), program.in_place.end(), [&](const InPlace& pair) {
      return program.buffers[static_cast<size_t>(pair.written)].kind == Buffer::Kind::kTemporary;
    });
  };
  // The graph computes v = e / sum(e), w = v - max(v) and w / sum(w * w). Its workspace has one array of the size of x, in which w
  // overwrites v; one number for each row; and one number for each block of a row. (Few and long rows are reduced by several kernels, one
  // of which reduces the blocks.)
  constexpr std::string_view kChain =
      "graph g(x: f32[16, 100000]) flags=[broadcast] {\n  e = exp(x)\n  v = e / sum(e, axes=[1], keepdims=true)\n"
      "  w = v - max(v, axes=[1], keepdims=true)\n  return y = w / sum(w * w, axes=[1], keepdims=true)\n}";
  constexpr int64_t kBlocks = 25;  // number of blocks of a row
  CHECK(bytes_of(kChain) == 16 * 100000 * 4 + 16 * kBlocks * 4 + 16 * 4);
  CHECK(print(scheduled(kChain)).find("tmp5 f32[16, 100000] at 0, generations 5..8, in place of tmp2\n") != std::string::npos);
  // This graph is the same, except that w reads v in reverse order. So w cannot overwrite v, and the workspace has two arrays of the size
  // of x.
  CHECK(bytes_of("graph g(x: f32[16, 100000]) flags=[broadcast] {\n  e = exp(x)\n  v = e / sum(e, axes=[1], keepdims=true)\n"
                 "  w = flip(v, axes=[1]) - max(v, axes=[1], keepdims=true)\n  return y = w / sum(w * w, axes=[1], keepdims=true)\n}") ==
        2 * 16 * 100000 * 4 + 16 * 4);
  // Two results are computed from one temporary array; one of the results is stored in the memory of this array.
  const Program siblings = scheduled(
      "graph g(x: f32[16, 100000]) flags=[broadcast] {\n  v = exp(x) / sum(exp(x), axes=[1], keepdims=true)\n"
      "  m = max(v, axes=[1], keepdims=true)\n  a = v - m\n  b = v * m\n"
      "  return y = a / sum(a * a, axes=[1], keepdims=true), z = b / sum(b * b, axes=[1], keepdims=true)\n}");
  CHECK(in_place(siblings) == 1);
  // The program lists the pairs of an input and an output that may share memory, but the memory plan itself does not use them.
  const Program arguments = scheduled("graph g(x: f32[n], z: f32[n]) { return y = x + z }");
  CHECK(arguments.in_place.size() == 2);
  CHECK(print(arguments).find("  output0 may be in place of input0\n  output0 may be in place of input1\n") != std::string::npos);
}

TEST_CASE("L1: an array that no free slot is large enough for gets several slots that lie side by side") {
  // The array c is as large as a and b together, and a and b are no longer needed when c is written. (The results of scans are always
  // stored, and a kernel that reads such a result in reverse order cannot overwrite it. The graph returns m and k, because as temporaries
  // they would take a part of the workspace.)
  const auto bytes_of = [](const std::string& rest) {
    const Program program = scheduled(
        "graph g(x: f32[16, 100000], z: f32[32, 100000]) flags=[broadcast] {\n  a = cumsum(x, axis=1)\n"
        "  b = cumsum(flip(x, axes=[0]), axis=1)\n  m = max(flip(a, axes=[1]) * flip(b, axes=[1]))\n  c = cumsum(z * m, axis=1)\n" +
        rest);
    REQUIRE(program.workspace_bytes.is_constant());
    return program.workspace_bytes.constant();
  };
  constexpr int64_t kRows = 16 * 100000 * 4, kSmall = kRows / 16;
  const int64_t shared = bytes_of("  return y = flip(c, axes=[1]) * c, m = m\n}");
  CHECK(shared >= 2 * kRows);
  CHECK(shared < 2 * kRows + kSmall);
  // The array d uses both slots (parts of the workspace) of c. The array e is written before the last read of d, so e gets a slot of its
  // own.
  const int64_t taken_over = bytes_of(
      "  d = sin(c / sum(c, axes=[1], keepdims=true))\n  k = max(d)\n  e = cumsum(x * k, axis=1)\n"
      "  return y = flip(d, axes=[1]) * max(flip(e, axes=[1]) * e), m = m, k = k\n}");
  CHECK(taken_over >= 3 * kRows);
  CHECK(taken_over < 3 * kRows + kSmall);
}

TEST_CASE("L1: a memory plan that lets arrays in use meet does not pass") {
  const auto refuses = [](const std::function<void(Program&)>& change, std::string_view message) {
    Program program = schedule_graph(
        optimised(*parse_graph("graph g(x: f32[16, 100000]) flags=[broadcast] {\n  e = exp(x)\n  v = e / sum(e, axes=[1], keepdims=true)\n"
                               "  w = v - max(v, axes=[1], keepdims=true)\n  return y = w / sum(w * w, axes=[1], keepdims=true)\n}")),
        {testing::row(kRow), 0, {}});
    verify(program);
    change(program);
    bool thrown = false;
    try {
      verify(program);
    } catch (const Error& error) {
      thrown = true;
      CHECK_MESSAGE(error.message.find(message) != error.message.npos, error.message);
    }
    CHECK(thrown);
  };
  const auto temporary = [](Program& program, int index) -> Buffer& {
    return *std::find_if(program.buffers.begin(), program.buffers.end(),
                         [&](const Buffer& b) { return b.kind == Buffer::Kind::kTemporary && b.index == index; });
  };
  const auto number = [&](Program& program, int index) { return static_cast<int>(&temporary(program, index) - program.buffers.data()); };
  refuses([](Program& p) { std::erase_if(p.in_place, [](const InPlace&) { return true; }); }, "share memory while both are in use");
  refuses([&](Program& p) { temporary(p, 4).offset = temporary(p, 2).offset; }, "share memory");
  refuses([&](Program& p) { temporary(p, 1).offset = temporary(p, 1).offset - 64; }, "share memory");
  refuses([&](Program& p) { temporary(p, 4).offset = 8; }, "not aligned");
  refuses([&](Program& p) { temporary(p, 4).offset = p.workspace_bytes; }, "outside the workspace");
  refuses([&](Program& p) { p.in_place.push_back({number(p, 3), number(p, 2)}); }, "which is not safe");
}
