// How time grows with size: one operation of each family, from arrays that fit the L1 cache to arrays that fit no cache; graphs of 10 to
// 10,000 nodes; an array that is split into 1,000 parts. The times themselves have no goals (docs/performance.md plots them), but their
// growth has: the time per unit of work may not grow much from one size to the next, except where the arrays outgrow a cache between the
// two sizes.
#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "bench/harness/text_program.h"

namespace bench {
namespace {

// --- families ------------------------------------------------------------------------------------------------------------------------

struct Family {
  const char* name;
  std::vector<size_t> sizes;                   // values of n
  std::function<std::string(size_t n)> graph;  // text of the graph for size n: its inputs and its body
  double (*work)(double n);
  double (*bytes)(double n);  // bytes of all arrays of the graph for size n
  size_t taken = 0;           // > 0: integer inputs are indices of rows of this many elements, in scattered order; 0: there are none
};

double linear(double n) { return n; }
double with_logarithm(double n) { return n * std::log2(n); }
double quadratic(double n) { return n * n; }
double cubic(double n) { return n * n * n; }
double one_array(double n) { return 4 * n; }
double two_arrays(double n) { return 8 * n; }

constexpr size_t kRow = 64;  // number of elements of a gathered row
// The distance from one row index to the next, modulo the number of rows. That number is a power of two and kStride is odd, so all rows are
// visited.
constexpr int64_t kStride = 2654435769 % 65536;

std::vector<size_t> powers(size_t first, size_t last, size_t factor) {
  std::vector<size_t> all;
  for (size_t n = first; n <= last; n *= factor) all.push_back(n);
  return all;
}

/// The side of a square of n elements, as text.
std::string side(size_t n) { return std::to_string(static_cast<size_t>(std::lround(std::sqrt(static_cast<double>(n))))); }

std::vector<Family> families() {
  const std::vector<size_t> elements = powers(1024, size_t{1} << 24, 4);
  const auto of_vector = [](const char* expression) {
    return [expression](size_t n) { return "(x: f32[" + std::to_string(n) + "]) {\n  return y = " + expression; };
  };
  const auto of_square = [](const char* expression) {
    return [expression](size_t n) { return "(x: f32[" + side(n) + ", " + side(n) + "]) {\n  return y = " + expression; };
  };
  const auto of_rows = [](const char* expression) {
    return [expression](size_t n) { return "(x: f32[" + std::to_string(n / 256) + ", 256]) {\n  return y = " + expression; };
  };
  return {{"exp", elements, of_vector("exp(x) * x + x"), linear, two_arrays},
          {"sum", elements, of_vector("sum(x)"), linear, one_array},
          {"sum_first", elements, of_square("sum(x, axes=[0])"), linear, one_array},
          {"cumsum", elements, of_vector("cumsum(x, axis=0)"), linear, two_arrays},
          {"softmax", elements, of_rows("softmax(x, axis=1)"), linear, two_arrays},
          {"transpose", elements, of_square("contiguous(transpose(x))"), linear, two_arrays},
          {"sort", powers(1024, size_t{1} << 20, 4), of_vector("sort(x, axis=0)"), with_logarithm, two_arrays},
          {"rfft", powers(1024, size_t{1} << 20, 4), of_vector("rfft(x)"), with_logarithm, two_arrays},
          {"conv", powers(256, size_t{1} << 16, 4),
           [](size_t n) {
             return "(x: f32[1, 16, " + side(n) + ", " + side(n) + "], w: f32[16, 16, 3, 3]) {\n  return y = conv2d(x, w, padding=[1, 1])";
           },
           linear, [](double n) { return 128 * n; }},
          {"matmul", powers(16, 1024, 2),
           [](size_t n) {
             const std::string square = "f32[" + std::to_string(n) + ", " + std::to_string(n) + "]";
             return "(a: " + square + ", b: " + square + ") {\n  return c = a @ b";
           },
           cubic, [](double n) { return 12 * n * n; }},
          {"attention", powers(64, 4096, 4),
           [](size_t n) {
             const std::string rows = "f32[" + std::to_string(n) + ", 64]";
             return "(q: " + rows + ", k: " + rows + ", v: " + rows + ") {\n  return y = softmax(q @ transpose(k) / 8, axis=1) @ v";
           },
           quadratic, [](double n) { return 1024 * n; }},
          {"take", elements,
           [](size_t n) {
             const std::string rows = std::to_string(n / kRow);
             return "(x: f32[" + rows + ", " + std::to_string(kRow) + "], i: i32[" + rows + "]) {\n  return y = take(x, i, axis=0)";
           },
           linear, two_arrays, kRow},
          {"scatter_add", powers(1024, size_t{1} << 22, 4),
           [](size_t n) {
             const std::string size = "[" + std::to_string(n) + "]";
             return "(x: f32" + size + ", i: i32" + size + ", u: f32" + size + ") {\n  return y = scatter_add(x, i, u, axis=0)";
           },
           linear, [](double n) { return 16 * n; }, 1}};
}

std::string row_name(const Family& family, const std::string& what) { return std::string("scale.") + family.name + "." + what; }

std::vector<Row> run(Session& session, const Family& family) {
  Effort effort = session.effort;
  effort.budget_seconds /= 6;
  std::vector<Row> rows;
  double worst = 0, before = 0, copied_before = 0;
  std::string where;
  for (const size_t n : family.sizes) {
    TextOptions options;
    options.call = Call::kEntry;
    if (family.taken > 0) {
      options.integers = static_cast<int64_t>(n / family.taken);
      options.stride = kStride;
    }
    TextProgram harp(session, "graph " + std::string(family.name) + family.graph(n) + "\n}", options);
    const auto bytes = static_cast<size_t>(family.bytes(static_cast<double>(n)));
    // Where arrays outgrow a cache, the time per unit of work may grow as much as that of a plain pass over the same bytes: of a read if
    // there is a single array, otherwise of a copy by memcpy or by a vector loop, whichever is faster. (Measured on a Zen 5, memcpy took
    // 0.026 ns per float in the L1 cache and 0.032 in L2, the vector loop 0.016 and 0.044. The instruction that memcpy uses takes long to
    // start.)
    const bool is_read = family.bytes == one_array;
    const size_t each_array = is_read ? bytes : bytes / 2;
    session.memory.reserve(Memory::room(2, each_array));
    const std::span<float> to = session.memory.take(each_array / sizeof(float)), from = session.memory.take(each_array / sizeof(float));
    const Candidate reading = [from, read = session.by_hand->read_line](size_t repeats) {
      for (size_t i = 0; i < repeats; ++i) keep(read(from.data(), from.size()));
    };
    const Candidate copying = [from, to, copy = session.by_hand->copy_line](size_t repeats) {
      for (size_t i = 0; i < repeats; ++i) copy(from.data(), nullptr, nullptr, to.data(), to.size());
    };
    std::vector<Candidate> candidates = {[&harp](size_t repeats) { harp(repeats); }};
    if (is_read)
      candidates.push_back(reading);
    else
      candidates.insert(candidates.end(), {memcpy_of(to, from), copying});
    const Comparison times = compare(candidates, effort);
    double gone_through = times.seconds(1);
    if (!is_read) gone_through = std::min(gone_through, times.seconds(2));
    rows.push_back({row_name(family, std::to_string(n)), times.seconds(0) * 1e6, "us", "", {}, {}});
    const double each = times.seconds(0) / family.work(static_cast<double>(n)), copied = gone_through / static_cast<double>(bytes);
    const double growth = each / before / std::max(1.0, copied / copied_before);
    if (before > 0 && growth > worst) {
      worst = growth;
      where = "at " + std::to_string(n);
    }
    before = each, copied_before = copied;
  }
  rows.push_back({row_name(family, "step"), worst, "x", where, {}, {}});
  return rows;
}

// --- graphs --------------------------------------------------------------------------------------------------------------------------

constexpr int kNodes[] = {10, 1000, 10000};
constexpr const char* kPhases[] = {"build", "schedule", "compile"};

/// A graph of this many nodes: nine elementwise operations, then a sum over the first axis, and so on.
Graph graph_of(harp_context* context, int nodes) {
  Err err;
  Graph graph(harp_graph_new(context, HARP_GRAPH_BROADCAST, err));
  err.check("making a graph");
  const harp_dim dims[] = {64, 64};
  const int32_t first = 0;
  harp_node* input = harp_input(graph.get(), "x", HARP_F32, 2, dims);
  harp_node* x = input;
  for (int i = 0; i < nodes; ++i) switch (i % 10) {
      case 9: x = harp_sum(x, 1, &first, 1); break;
      case 3: x = harp_exp(x); break;
      case 6: x = harp_neg(x); break;
      default: x = i % 2 == 0 ? harp_mul(x, input) : harp_add(x, input);
    }
  harp_output(graph.get(), "y", x);
  return graph;
}

std::vector<Row> run_graphs(Session& session) {
  std::vector<Row> rows;
  std::vector<double> before(3), steps(3);
  for (const int nodes : kNodes) {
    const int samples = session.effort.max_rounds < 20 || nodes > 1000 ? 1 : 5;
    std::vector<double> times[3];
    for (int i = 0; i < samples; ++i) {
      const TemporaryDirectory fresh;
      const Context context = new_context(fresh.path());
      const double begin = now();
      const Graph graph = graph_of(context.get(), nodes);
      times[0].push_back((now() - begin) * 1e3);
      Err err;
      const Program program(harp_compile(graph.get(), nullptr, err));
      err.check("compiling");
      harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
      harp_program_stats(program.get(), &stats, err);
      times[1].push_back(stats.pipeline_ms);
      times[2].push_back(stats.compile_ms);
    }
    for (size_t phase = 0; phase < 3; ++phase) {
      const double each = median(times[phase]) / nodes;
      steps[phase] = before[phase] > 0 ? each / before[phase] : 0;
      before[phase] = each;
      rows.push_back({std::string("scale.graph.") + kPhases[phase] + "." + std::to_string(nodes), median(times[phase]), "ms", "", {}, {}});
    }
  }
  for (size_t phase = 0; phase < 3; ++phase)
    rows.push_back(
        {std::string("scale.graph.") + kPhases[phase] + ".step", steps[phase], "x", "a node of 10,000 over one of 1,000", {}, {}});
  return rows;
}

std::vector<Row> run_concat(Session& session) {
  constexpr int kParts = 1000, kEach = 1000;
  std::string inputs, parts;
  for (int i = 0; i < kParts; ++i) {
    const std::string name = "x" + std::to_string(i), comma = i == 0 ? "" : ", ";
    inputs += comma + name + ": f32[" + std::to_string(kEach) + "]";
    parts += comma + name;
  }
  const double begin = now();
  TextProgram harp(session, "graph joined(" + inputs + ") {\n  return y = concat([" + parts + "], axis=0)\n}");
  const double seconds = now() - begin;
  session.memory.reserve(Memory::room(2, kParts * kEach * sizeof(float)));
  const std::span<float> to = session.memory.take(kParts * kEach), from = session.memory.take(kParts * kEach);
  const Candidate candidates[] = {[&harp](size_t repeats) { harp(repeats); }, memcpy_of(to, from)};
  const Comparison times = compare(candidates, session.effort);
  return {compared("scale.concat.1000.memcpy", Scale::bytes(2 * to.size_bytes()), times, "memcpy, same bytes", 1),
          {"scale.concat.1000.compile", seconds * 1e3, "ms", "", {}, {}}};
}

}  // namespace

std::vector<Benchmark> scaling_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Family& family : families()) {
    std::vector<std::string> names;
    for (const size_t n : family.sizes) names.push_back(row_name(family, std::to_string(n)));
    names.push_back(row_name(family, "step"));
    benchmarks.push_back({names, [family](Session& session) { return run(session, family); }});
  }
  Benchmark graphs;
  for (const int nodes : kNodes)
    for (const char* phase : kPhases) graphs.rows.push_back(std::string("scale.graph.") + phase + "." + std::to_string(nodes));
  for (const char* phase : kPhases) graphs.rows.push_back(std::string("scale.graph.") + phase + ".step");
  graphs.run = run_graphs;
  benchmarks.push_back(std::move(graphs));
  benchmarks.push_back({{"scale.concat.1000.memcpy", "scale.concat.1000.compile"}, run_concat});
  return benchmarks;
}

}  // namespace bench
