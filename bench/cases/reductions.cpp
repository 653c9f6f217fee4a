// sum, max and argmax over the last axis, the first axis and all axes of a matrix with a symbolic number of rows, and over the middle axis
// of three, against hand-written code that reads the same bytes. A row of 1,024 elements is a whole number of vector blocks, a row of 1,000
// is not; a row of 64 is one block of the summation order that docs/semantics.md prescribes.
#include <cmath>
#include <stdexcept>

#include "bench/harness/session.h"

namespace bench {
namespace {

struct Axes {
  const char* name;
  size_t middle, columns;  // the shape is [m, middle, columns]; a middle of 1 is omitted
  bool rows, inner;        // rows: axis m is reduced; inner: the axis after m is reduced

  /// Describes the array as three axes, of which the second one is reduced: reduced() returns the size of the second axis, after() that of
  /// the third.
  size_t reduced(size_t m) const { return (rows ? m : 1) * (!inner ? 1 : middle > 1 ? middle : columns); }
  size_t after() const { return inner && middle == 1 ? 1 : columns; }
};

constexpr Axes last_of(size_t columns) { return {"last", 1, columns, false, true}; }
constexpr Axes first_of(size_t columns) { return {"first", 1, columns, true, false}; }
constexpr Axes all_of(size_t columns) { return {"all", 1, columns, true, true}; }
constexpr Axes middle_of(size_t columns) { return {"middle", 64, columns, false, true}; }

enum class Result { kSum, kMaximum, kArgExtreme };

struct Reduction {
  const char* name;
  Result result;
  harp_node* (*build)(harp_node* x, int32_t n_axes, const int32_t* axes);
};

/// argmax reduces one axis, or the flattened array.
harp_node* argmax(harp_node* x, int32_t n_axes, const int32_t* axes) { return harp_argmax(x, n_axes == 1 ? axes[0] : HARP_AXIS_NONE, 0); }

constexpr Reduction kSum = {"sum", Result::kSum, [](harp_node*x, int32_t n, const int32_t*axes) { return harp_sum(x, n, axes, 0); }},
                    kMax = {"max", Result::kMaximum, [](harp_node*x, int32_t n, const int32_t*axes) { return harp_max(x, n, axes, 0); }},
                    kArgmax = {"argmax", Result::kArgExtreme, argmax};

Graph build(Session& session, const Reduction& reduction, const Axes& axes) {
  Graph graph = session.new_graph();
  std::vector<harp_dim> dims = {harp_dim_var(graph.get(), "m", 0, int64_t{1} << 40)};
  if (axes.middle > 1) dims.push_back(static_cast<harp_dim>(axes.middle));
  dims.push_back(static_cast<harp_dim>(axes.columns));
  harp_node* x = harp_input(graph.get(), "x", HARP_F32, static_cast<int32_t>(dims.size()), dims.data());
  std::vector<int32_t> reduced;
  if (axes.rows) reduced.push_back(0);
  if (axes.inner) reduced.push_back(1);
  harp_output(graph.get(), "y", reduction.build(x, static_cast<int32_t>(reduced.size()), reduced.data()));
  return graph;
}

/// Checks the results: sums against sums in double precision, up to rounding; maxima and indices of maxima exactly.
void check(const std::string& name, const Reduction& reduction, const Axes& axes, std::span<const float> x, std::span<const float> y) {
  const size_t after = axes.after(), reduced = axes.reduced(x.size() / axes.middle / axes.columns), results = x.size() / reduced;
  const bool is_sum = reduction.result == Result::kSum;
  std::vector<double> expected(results, is_sum ? 0.0 : -INFINITY);
  std::vector<size_t> indices(results, 0);
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t to = i / (reduced * after) * after + i % after;
    const double value = x[i];
    if (is_sum) {
      expected[to] += value;
    } else if (value > expected[to]) {
      expected[to] = value;
      indices[to] = i / after % reduced;
    }
  }
  const double tolerance = is_sum ? 1e-5 : 0;
  for (size_t i = 0; i < results; ++i) {
    const bool is_arg_extreme = reduction.result == Result::kArgExtreme;
    const double wanted = is_arg_extreme ? static_cast<double>(indices[i]) : expected[i];
    const double given = is_arg_extreme ? static_cast<double>(reinterpret_cast<const int64_t*>(y.data())[i]) : y[i];
    if (!(std::fabs(given - wanted) <= tolerance * std::fabs(wanted)))
      throw std::runtime_error(name + ": element " + std::to_string(i) + " is " + std::to_string(given) + ", expected " +
                               std::to_string(wanted));
  }
}

std::vector<Row> run(Session& session, const Reduction& reduction, const Axes& axes, const Footprint& footprint, const std::string& name) {
  const size_t row = axes.middle * axes.columns, m = footprint.bytes / sizeof(float) / row;
  const size_t results = m * row / axes.reduced(m);
  const size_t words = results * (reduction.result == Result::kArgExtreme ? sizeof(int64_t) / sizeof(float) : 1);
  session.memory.reserve(Memory::room(1, m * row * sizeof(float)) + Memory::room(1, words * sizeof(float)));
  const std::span<float> x = session.memory.take(m * row), y = session.memory.take(words);
  fill(x, 0, 1, 0);
  const Graph graph = build(session, reduction, axes);
  Kernel kernel(graph.get(), {x.data()}, {y.data()}, {m});
  kernel(1);
  check(name, reduction, axes, x, y);

  const auto reads = [&x](peer_read read) {
    return [&x, read](size_t repeats) {
      for (size_t i = 0; i < repeats; ++i) keep(read(x.data(), x.size()));
    };
  };
  const Candidate candidates[] = {[&](size_t repeats) { kernel(repeats); }, reads(session.by_hand->read_line),
                                  reads(session.by_hand->read_streams)};
  const Comparison times = compare(candidates, session.effort);
  const size_t both[] = {1, 2};
  const size_t peer = times.fastest(both);
  const auto rate = [&](size_t candidate) { return static_cast<double>(x.size_bytes()) / times.seconds(candidate) / 1e9; };
  return {{name, rate(0), "GB/s", peer == 1 ? "read, one stream" : "read, four streams", rate(peer), times.ratio(0, peer)}};
}

}  // namespace

std::vector<Benchmark> reduction_benchmarks() {
  std::vector<Benchmark> benchmarks;
  const auto add = [&benchmarks](const Reduction& reduction, const Axes& axes, const Footprint& footprint) {
    const std::string name =
        std::string("reduce.") + reduction.name + "." + axes.name + "." + std::to_string(axes.columns) + "." + footprint.name;
    benchmarks.push_back({{name}, [&reduction, axes, footprint, name](Session& s) { return run(s, reduction, axes, footprint, name); }});
  };
  for (const Footprint& footprint : {kL2, k32MB, k512MB}) {
    for (const Reduction* reduction : {&kSum, &kMax})
      for (const auto axes_of : {last_of, first_of, all_of})
        for (const size_t columns : {1000, 1024}) add(*reduction, axes_of(columns), footprint);
    for (const auto axes_of : {last_of, first_of, all_of}) add(kArgmax, axes_of(1024), footprint);
    if (footprint.bytes == k512MB.bytes) continue;
    add(kSum, last_of(64), footprint);
    for (const Reduction* reduction : {&kSum, &kMax}) add(*reduction, middle_of(1024), footprint);
  }
  return benchmarks;
}

}  // namespace bench
