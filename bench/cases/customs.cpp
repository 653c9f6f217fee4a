// Custom functions, whose bodies are loops, against the same loops in C: the Mandelbrot set, where the loop ends after a different number
// of steps for each element, and one diagonal of Nussinov's recurrence, which maximises the number of paired bases in a strand of RNA. An
// element of that recurrence reads a row and a column of the table; the elements of a diagonal do not depend on each other.
#include <algorithm>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/harness/text_program.h"

namespace bench {
namespace {

/// Compares a program with a loop in C, both of which fill an array of results once in each run.
std::vector<Row> run(const Session& session, const std::string& name, ProgramRun& program, std::span<const int32_t> results,
                     const std::function<void(std::span<int32_t> results)>& loop) {
  std::vector<int32_t> expected(results.size());
  loop(expected);
  program(1);
  if (!std::ranges::equal(results, expected)) throw std::runtime_error(name + ": the loop in C has another result");
  const Candidate candidates[] = {[&](size_t repeats) { program(repeats); },
                                  [&](size_t repeats) {
                                    for (size_t i = 0; i < repeats; ++i) loop(expected);
                                  }};
  return {compared(name, {"us", 1e-6, false}, compare(candidates, session.effort), "the same loop in C", 1)};
}

// --- Nussinov's recurrence

constexpr const char* kNussinovRow = "custom.nussinov.loop";
constexpr size_t kBases = 500, kDiagonal = 250;  // kBases: bases of a strand; kDiagonal: elements of the diagonal
constexpr const char* kNussinov = R"(graph nussinov(table: i32[500, 500], bases: i32[500]) {
  return next = custom_function(table, bases, body="""
    let j = ridx0 + size(input0, 0) - shape0
    let most = maximum(input0[ridx0, j - 1], input0[ridx0 + 1, j])
    let are_pair = input1[ridx0] + input1[j] == 3
    most = maximum(most, input0[ridx0 + 1, j - 1] + where(are_pair, i32(1), i32(0)))
    for k in ridx0 + 1 .. j { most = maximum(most, input0[ridx0, k] + input0[k + 1, j]) }
    output = most
  """, dtype=i32, shape=[250])
})";

std::vector<Row> run_nussinov(Session& session) {
  session.memory.reserve(Memory::room(1, kBases * kBases * sizeof(int32_t)) + Memory::room(2, kBases * sizeof(int32_t)));
  const std::span<int32_t> table = session.memory.take_as<int32_t>(kBases * kBases), bases = session.memory.take_as<int32_t>(kBases),
                           next = session.memory.take_as<int32_t>(kDiagonal);
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<int32_t>(i * i % 101);
  for (size_t i = 0; i < bases.size(); ++i) bases[i] = static_cast<int32_t>(i * i % 7 % 4);
  const Graph graph = parsed(session, kNussinov);
  ProgramRun program(session, graph.get(), {table.data(), bases.data()}, {next.data()});
  return run(session, kNussinovRow, program, next,
             [&](std::span<int32_t> results) { session.by_hand->nussinov(table.data(), bases.data(), results.data(), kBases, kDiagonal); });
}

// --- The Mandelbrot set

constexpr const char* kMandelbrotRow = "custom.mandelbrot.loop";
constexpr size_t kWidth = 256, kHeight = 256;
constexpr int32_t kMostSteps = 100;
constexpr const char* kMandelbrot = R"(graph mandelbrot(re: f32[256], im: f32[256]) {
  return steps = custom_function(re, im, body="""
    let zr = f32(0)
    let zi = f32(0)
    let n = i32(0)
    while (n < 100) & (zr * zr + zi * zi <= 4.0) {
      let t = zr * zr - zi * zi + input0[ridx1]
      zi = zr * zi * 2.0 + input1[ridx0]
      zr = t
      n = n + 1
    }
    output = n
  """, dtype=i32, shape=[256, 256])
})";

std::vector<Row> run_mandelbrot(Session& session) {
  session.memory.reserve(Memory::room(2, kWidth * sizeof(float)) + Memory::room(1, kWidth * kHeight * sizeof(int32_t)));
  const std::span<float> re = session.memory.take(kWidth), im = session.memory.take(kHeight);
  const std::span<int32_t> steps = session.memory.take_as<int32_t>(kWidth * kHeight);
  for (size_t i = 0; i < kWidth; ++i) re[i] = -2.0f + 2.5f * static_cast<float>(i) / kWidth;
  for (size_t i = 0; i < kHeight; ++i) im[i] = -1.25f + 2.5f * static_cast<float>(i) / kHeight;
  const Graph graph = parsed(session, kMandelbrot);
  ProgramRun program(session, graph.get(), {re.data(), im.data()}, {steps.data()});
  return run(session, kMandelbrotRow, program, steps, [&](std::span<int32_t> results) {
    session.by_hand->mandelbrot(re.data(), im.data(), results.data(), kHeight, kWidth, kMostSteps);
  });
}

}  // namespace

std::vector<Benchmark> custom_benchmarks() { return {{{kNussinovRow}, run_nussinov}, {{kMandelbrotRow}, run_mandelbrot}}; }

}  // namespace bench
