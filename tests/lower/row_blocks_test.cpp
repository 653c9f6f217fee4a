// Tests blocks of rows (schedule/row_blocks.cpp): attention is computed for one block of rows after the other, so that the scores between
// its two matrix products are never stored as a whole. The graphs have one head or several, and any number of rows. Similar graphs that do
// not qualify store the scores. Results must be bit-identical to the interpreter's.
#include "base/text.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "pipeline.h"
#include "schedule/schedule_program.h"
#include "support/backends_run.h"
#include "support/machine.h"

using namespace capi_test;

namespace {

std::string schedule_of(std::string_view text) {
  std::string found;
  harp::PipelineOptions options;
  options.target = harp::testing::row("x86-64-v4");
  options.dump_stages = {"schedule"};
  options.dump = [&](std::string_view, std::string_view stage) { found = stage; };
  harp::generate(*harp::parse_graph(text), options);
  return found;
}
bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

std::string attention(std::string_view q, std::string_view k, std::string_view v, std::string_view axes, int last,
                      std::string_view scores = "s") {
  return harp::cat("graph attention(q: f32[", q, "], k: f32[", k, "], v: f32[", v, "]) {\n  s = matmul(q, permute(k, axes=[", axes,
                   "])) * 0.125\n  return y = matmul(softmax(", scores, ", axis=", last, "), v)\n}");
}

}  // namespace

TEST_CASE("L6.loop_tiling/c G15.matmul: rows of scores are cut into blocks, which one kernel hands to the next") {
  const std::string one = schedule_of(attention("2048, 32", "1024, 32", "1024, 32", "1, 0", 1));
  CAPTURE(one);
  CHECK(contains(one, "over [32, 64, 1024] in turn with the others for each of 32 blocks"));
  CHECK(contains(one, "tmp0 f32[32, 64, 1024] by block"));
  // There are few heads with many rows, so the rows of a head are divided into blocks. If the number of rows cannot be divided into equal
  // blocks, it is rounded up.
  CHECK(contains(schedule_of(attention("3, 1024, 32", "3, 1024, 32", "3, 1024, 32", "0, 2, 1", 2)), "for each of 48 blocks"));
  CHECK(contains(schedule_of(attention("2047, 32", "1031, 32", "1031, 32", "1, 0", 1)), " blocks\n"));
  // If there are enough heads and each is small enough, each head is a block.
  CHECK(contains(schedule_of(attention("8, 512, 32", "8, 512, 32", "8, 512, 32", "0, 2, 1", 2)), "for each of 8 blocks"));

  // The rows of these graphs are not divided into blocks: the scores are an output, the softmax is along the columns, the second product
  // reads the scores transposed, or the operands are as large as the scores.
  for (const char* body : {"s = matmul(q, k)\n  return s = s, y = matmul(exp(s), v)", "return y = matmul(softmax(matmul(q, k), axis=0), v)",
                           "s = exp(matmul(q, k))\n  return y = matmul(permute(s, axes=[1, 0]), q)"}) {
    CAPTURE(body);
    CHECK(
        !contains(schedule_of(harp::cat("graph g(q: f32[2048, 32], k: f32[32, 2048], v: f32[2048, 32]) {\n  ", body, "\n}")), " blocks\n"));
  }
  CHECK(!contains(schedule_of("graph mlp(x: f32[512, 1024], a: f32[1024, 4096], b: f32[4096, 1024]) {\n"
                              "  return y = matmul(tanh(matmul(x, a)), b)\n}"),
                  " blocks\n"));
}

TEST_CASE("L6.loop_tiling L1: what is made of blocks elsewhere, and arrays of a chain that lie over one another") {
  const auto scheduled = [](std::string_view text, const harp::ChainOptions& chains) {
    const harp::Program program = harp::schedule_graph(harp::parse_graph(text), {harp::testing::row("x86-64-v4"), 0, {}, chains});
    CHECK_NOTHROW(harp::verify(*program.graph));
    CHECK_NOTHROW(harp::verify(program));
    return harp::print(program);
  };
  // The value p, which is computed block by block, is also summed. That sum becomes a sum of products of the operands of p.
  const std::string folded = scheduled(
      "graph g(a: f32[24, 3], b: f32[3, 24], c: f32[24, 24, 6], d: f32[24, 6], e: f32[24, 6, 5]) flags=[broadcast] {\n"
      "  s = a @ b\n  t = sum(reshape(s, shape=[24, 24, 1]) * c, axes=[1])\n  p = t * d\n"
      "  return y = sum(p, axes=[1]), z = sum(reshape(p, shape=[24, 6, 1]) * e, axes=[1])\n}",
      {.bytes = 1, .rows = 3});
  CAPTURE(folded);
  CHECK(contains(folded, "for each of 8 blocks"));
  CHECK(contains(folded, "reduces sum of f32[24, 6] axes [1] lanes product"));
  // Blocks of 16 MiB do not fit in a worker's scratch memory. One of the kernels that run for each block stores its result in the memory of
  // an array that it reads.
  const std::string over = scheduled(
      "graph g(x: f32[8, 2048, 64], w: f32[64, 64], k: f32[8, 64, 2048]) flags=[broadcast] {\n"
      "  q = x @ w\n  c = sum(softmax(q @ k, axis=-1), axes=[1], keepdims=true)\n  return y = q * permute(c, axes=[0, 2, 1])\n}",
      {});
  CAPTURE(over);
  CHECK(contains(over, "for each of 8 blocks"));
  CHECK(contains(over, ", in place of tmp"));
}

TEST_CASE("L6.loop_tiling/c X2: blocks of rows have the bits of the interpreter") {
  const Backends backends;
  const auto run = [&](const std::string& text, std::vector<int64_t> q, std::vector<int64_t> k, std::vector<int64_t> v) {
    CHECK(contains(schedule_of(text), " blocks\n"));
    backends.run(text, rough(std::move(q), 1), rough(std::move(k), 2), rough(std::move(v), 3));
  };
  run(attention("1920, 4", "1100, 4", "1100, 4", "1, 0", 1), {1920, 4}, {1100, 4}, {1100, 4});
  run(attention("2003, 4", "1050, 4", "1050, 3", "1, 0", 1), {2003, 4}, {1050, 4}, {1050, 3});
  run(attention("2, 3, 600, 4", "2, 3, 610, 4", "2, 3, 610, 4", "0, 1, 3, 2", 3), {2, 3, 600, 4}, {2, 3, 610, 4}, {2, 3, 610, 4});
  // All heads share the keys and values of one head. The number of rows is rounded up to whole blocks, and the additional rows use these
  // keys and values, too.
  run(attention("3, 701, 4", "1010, 4", "1010, 4", "1, 0", 2), {3, 701, 4}, {1010, 4}, {1010, 4});
  // This attention has a causal mask, which depends on the row and is the same for all heads.
  run("graph causal(q: f32[3, 850, 4], k: f32[3, 850, 4], v: f32[3, 850, 4]) {\n"
      "  s = matmul(q, permute(k, axes=[0, 2, 1]))\n"
      "  column = expand(reshape(arange(n=850), shape=[1, 1, 850]), shape=[3, 850, 850])\n"
      "  row = expand(reshape(arange(n=850), shape=[1, 850, 1]), shape=[3, 850, 850])\n"
      "  p = softmax(where(le(column, row), s, -1e30), axis=2)\n"
      "  return y = matmul(p, v), sums = sum(p * p, axes=[2]), best = max(s, axes=[2])\n}",
      {3, 850, 4}, {3, 850, 4}, {3, 850, 4});
  // Rounding up the number of rows adds rows of zeros. They cause divisions by zero, whose results are not stored.
  run("graph g(q: f32[2500, 3], k: f32[3, 900], v: f32[900, 3]) {\n  s = matmul(q, k)\n"
      "  return y = matmul(s / expand(sum(s, axes=[1], keepdims=true), shape=[2500, 900]), v) + q\n}",
      {2500, 3}, {3, 900}, {900, 3});
}

TEST_CASE("L6.loop_tiling/c X2: heads of a length that is not known are blocks, of as many bytes a worker as that takes") {
  const std::string text = attention("5, n, 4", "5, m, 4", "5, m, 4", "0, 2, 1", 2);
  const std::string schedule = schedule_of(text);
  CAPTURE(schedule);
  CHECK(contains(schedule, "in turn with the others for each of 5 blocks"));
  CHECK(contains(schedule, "blocks of 64*((n*m + 15) // 16) bytes a worker"));
  const Backends backends;
  CHECK(backends.cost(text, {100, 40}).scratch < 5 * 100 * 40 * sizeof(float));
  for (const auto& [n, m] : {std::pair<int64_t, int64_t>{0, 3}, {1, 1}, {3, 17}, {40, 5}, {100, 333}, {300, 64}})
    backends.run(text, rough({5, n, 4}, 1), rough({5, m, 4}, 2), rough({5, m, 4}, 3));
}
