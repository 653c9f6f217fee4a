// How many times slower the interpreter is than compiled code, on graphs of every kind and of modest size. (The interpreter runs programs
// that are not compiled yet.) The goal applies to the geometric mean over all graphs.
#include <cstring>
#include <stdexcept>

#include "bench/harness/text_program.h"

namespace bench {
namespace {

struct Interpreted {
  const char* name;
  const char* text;
};
constexpr Interpreted kGraphs[] = {
    {"chain", "graph g(x: f32[65536], y: f32[65536]) {\n  return z = relu(x * y + x) * 2\n}"},
    {"gelu", "graph g(x: f32[65536]) {\n  return y = gelu(x)\n}"},
    {"exp", "graph g(x: f32[65536]) {\n  return y = x / (1 + exp(-x))\n}"},
    {"sum.last", "graph g(x: f32[256, 256]) {\n  return y = sum(x, axes=[1])\n}"},
    {"sum.first", "graph g(x: f32[256, 256]) {\n  return y = sum(x, axes=[0])\n}"},
    {"cumsum", "graph g(x: f32[256, 256]) {\n  return y = cumsum(x, axis=1)\n}"},
    {"softmax", "graph g(x: f32[256, 256]) {\n  return y = softmax(x, axis=1)\n}"},
    {"layer_norm", "graph g(x: f32[256, 256]) {\n  return y = layer_norm(x, axes=-1)\n}"},
    {"transpose", "graph g(x: f32[256, 256]) {\n  return y = contiguous(transpose(x))\n}"},
    {"matmul", "graph g(a: f32[128, 128], b: f32[128, 128]) {\n  return c = a @ b\n}"},
    {"conv", "graph g(x: f32[1, 16, 28, 28], w: f32[16, 16, 3, 3]) {\n  return y = conv2d(x, w, padding=[1, 1])\n}"},
    {"take", "graph g(x: f32[1024, 64], i: i32[1024]) {\n  return y = take(x, i, axis=0)\n}"},
    {"sort", "graph g(x: f32[64, 1024]) {\n  return y = sort(x, axis=1)\n}"},
    {"rfft", "graph g(x: f32[64, 1024]) {\n  return y = rfft(x)\n}"},
    {"integers", "graph g(x: i32[65536], y: i32[65536]) {\n  return z = (x * y + 7) % 1000\n}"},
};

std::string row_name(const Interpreted& graph) { return std::string("interpreter.") + graph.name; }
constexpr const char* kMean = "interpreter.geometric_mean";

Row run(Session& session, const Interpreted& graph) {
  harp_compile_options interpreted = HARP_COMPILE_OPTIONS_INIT;
  interpreted.backend = "interp";
  TextOptions options;
  TextProgram compiled(session, graph.text, options);
  options.compile = &interpreted;
  TextProgram interpreter(session, graph.text, options);
  compiled(1), interpreter(1);
  if (std::memcmp(compiled.output().data(), interpreter.output().data(), compiled.output().size_bytes()) != 0)
    throw std::runtime_error(row_name(graph) + ": the interpreter's result differs from the compiled program's");
  const Candidate candidates[] = {[&](size_t repeats) { interpreter(repeats); }, [&](size_t repeats) { compiled(repeats); }};
  Effort effort = session.effort;
  effort.budget_seconds /= 3;
  const Comparison times = compare(candidates, effort);
  return {row_name(graph), 1 / times.ratio(0, 1), "x", "compiled, us", times.seconds(1) * 1e6, {}};
}

}  // namespace

std::vector<Benchmark> interpreter_benchmarks() {
  Benchmark all;
  for (const Interpreted& graph : kGraphs) all.rows.push_back(row_name(graph));
  all.rows.emplace_back(kMean);
  all.run = [](Session& session) {
    std::vector<Row> rows;
    std::vector<double> slower;
    for (const Interpreted& graph : kGraphs) slower.push_back(rows.emplace_back(run(session, graph)).value);
    rows.push_back({kMean, geometric_mean(slower), "x", "compiled", {}, {}});
    return rows;
  };
  return {all};
}

}  // namespace bench
