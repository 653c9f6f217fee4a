// sum and max over the last axis, the first one and all of a matrix with a symbolic number of rows, against reading the same bytes as fast
// as hand-written code can. Rows of 1,024 are blocks of whole vectors, rows of 1,000 are not.
#include <cmath>
#include <stdexcept>

#include "bench/session.h"

namespace bench {
namespace {

struct Reduction {
  const char* name;
  harp_node* (*build)(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
  bool is_sum;
};
constexpr Reduction kReductions[] = {{"sum", harp_sum, true}, {"max", harp_max, false}};

struct Axes {
  const char* name;
  bool rows, columns;  // which of the two axes are reduced
};
constexpr Axes kAxes[] = {{"last", false, true}, {"first", true, false}, {"all", true, true}};

constexpr size_t kColumns[] = {1000, 1024};

Graph build(Session& session, const Reduction& reduction, const Axes& axes, size_t columns) {
  Graph graph = session.new_graph();
  const harp_dim dims[2] = {harp_dim_var(graph.get(), "m", 0, int64_t{1} << 40), static_cast<harp_dim>(columns)};
  harp_node* x = harp_input(graph.get(), "x", HARP_F32, 2, dims);
  int32_t reduced[2];
  int32_t count = 0;
  if (axes.rows) reduced[count++] = 0;
  if (axes.columns) reduced[count++] = 1;
  harp_output(graph.get(), "y", reduction.build(x, count, reduced, 0));
  return graph;
}

/// Compares the outputs with sums in double, or with maxima, which are exact.
void check(const Reduction& reduction, const Axes& axes, std::span<const float> x, size_t columns, std::span<const float> y) {
  std::vector<double> expected(y.size(), reduction.is_sum ? 0.0 : -INFINITY);
  const size_t rows = x.size() / columns;
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) {
      double& to = expected[axes.rows ? (axes.columns ? 0 : j) : i];
      const double value = x[i * columns + j];
      to = reduction.is_sum ? to + value : std::fmax(to, value);
    }
  const double tolerance = reduction.is_sum ? 1e-5 : 0;
  for (size_t i = 0; i < y.size(); ++i)
    if (!(std::fabs(y[i] - expected[i]) <= tolerance * std::fabs(expected[i])))
      throw std::runtime_error(std::string(reduction.name) + " over " + axes.name + ": element " + std::to_string(i) + " is " +
                               std::to_string(y[i]) + ", expected " + std::to_string(expected[i]));
}

std::vector<Row> run(Session& session, const Reduction& reduction, const Axes& axes, size_t columns, const Footprint& footprint,
                     const std::string& name) {
  const size_t rows = footprint.bytes / sizeof(float) / columns;
  const size_t results = axes.rows ? (axes.columns ? 1 : columns) : rows;
  session.memory.reserve(Memory::room(2, rows * columns * sizeof(float)));
  const std::span<float> x = session.memory.take(rows * columns), y = session.memory.take(results);
  fill(x, 0, 1, 0);
  const Graph graph = build(session, reduction, axes, columns);
  Kernel kernel(graph.get(), {x.data()}, {y.data()}, {rows});
  kernel(1);
  check(reduction, axes, x, columns, y);

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
  for (const Footprint& footprint : {kL2, k32MB, k512MB})
    for (const Reduction& reduction : kReductions)
      for (const Axes& axes : kAxes)
        for (const size_t columns : kColumns) {
          const std::string name =
              std::string("reduce.") + reduction.name + "." + axes.name + "." + std::to_string(columns) + "." + footprint.name;
          benchmarks.push_back({{name}, [&reduction, &axes, columns, footprint, name](Session& session) {
                                  return run(session, reduction, axes, columns, footprint, name);
                                }});
        }
  return benchmarks;
}

}  // namespace bench
