// cumsum along one long axis, along rows, down columns and along the middle axis of three, compared with two copies of the same bytes: a
// hand-written loop and memcpy. A row of 1,024 elements consists of whole groups of 64, in which docs/semantics.md defines the order of
// additions ("Scans"); a row of 1,000 does not.
#include <cmath>
#include <stdexcept>

#include "bench/harness/session.h"

namespace bench {
namespace {

struct Layout {
  const char* name;
  size_t columns;  // 0: the array has one axis
  int32_t axis;
  size_t middle = 1;  // the shape is [m, middle, columns]; a middle of 1 is omitted
  bool in_memory = true;

  size_t unit() const { return columns == 0 ? 1 : middle * columns; }  // elements per index of the first axis
};
constexpr Layout kLayouts[] = {{"flat", 0, 0},          {"last.1000", 1000, 1},  {"last.1024", 1024, 1},
                               {"first.1000", 1000, 0}, {"first.1024", 1024, 0}, {"middle.1024", 1024, 1, 64, false}};

Graph build(Session& session, const Layout& layout) {
  Graph graph = session.new_graph();
  std::vector<harp_dim> dims = {harp_dim_var(graph.get(), "m", 0, int64_t{1} << 40)};
  if (layout.middle > 1) dims.push_back(static_cast<harp_dim>(layout.middle));
  if (layout.columns > 0) dims.push_back(static_cast<harp_dim>(layout.columns));
  harp_node* x = harp_input(graph.get(), "x", HARP_F32, static_cast<int32_t>(dims.size()), dims.data());
  harp_output(graph.get(), "y", harp_cumsum(x, layout.axis, 0));
  return graph;
}

/// Compares the result with running sums in double precision.
void check(const Layout& layout, std::span<const float> x, std::span<const float> y) {
  // The array is taken as three axes, and the scan is along the second one.
  const size_t after = layout.axis == 0 ? layout.unit() : layout.middle > 1 ? layout.columns : 1;
  const size_t along = layout.axis == 0 ? x.size() / after : layout.unit() / after;
  std::vector<double> sums(x.size() / along, 0.0);
  for (size_t i = 0; i < x.size(); ++i) {
    double& sum = sums[i / (along * after) * after + i % after];
    sum += x[i];
    if (!(std::fabs(y[i] - sum) <= 1e-5 * sum))
      throw std::runtime_error(std::string("cumsum, ") + layout.name + ": element " + std::to_string(i) + " is " + std::to_string(y[i]) +
                               ", expected " + std::to_string(sum));
  }
}

std::vector<Row> run(Session& session, const Layout& layout, const Footprint& footprint, const std::string& name) {
  const size_t unit = layout.columns == 0 ? 64 : layout.unit();
  const size_t n = footprint.bytes / sizeof(float) / 2 / unit * unit;
  session.memory.reserve(Memory::room(4, n * sizeof(float)));
  const std::span<float> x = session.memory.take(n), y = session.memory.take(n);
  const std::span<float> from = session.memory.take(n), to = session.memory.take(n);
  fill(x, 0, 1, 0);
  const Graph graph = build(session, layout);
  Kernel kernel(graph.get(), {x.data()}, {y.data()}, {n / layout.unit()});
  kernel(1);
  check(layout, x, y);

  const Candidate candidates[] = {
      [&](size_t repeats) { kernel(repeats); },
      [&](size_t repeats) {
        for (size_t i = 0; i < repeats; ++i) session.by_hand->copy(from.data(), nullptr, nullptr, to.data(), n);
      },
      memcpy_of(to, from),
  };
  const Comparison times = compare(candidates, session.effort);
  const auto rate = [&](size_t candidate) { return 2 * static_cast<double>(x.size_bytes()) / times.seconds(candidate) / 1e9; };
  return {{name + ".loop", rate(0), "GB/s", "copy by hand", rate(1), times.ratio(0, 1)},
          {name + ".memcpy", rate(0), "GB/s", "memcpy, same bytes", rate(2), times.ratio(0, 2)}};
}

}  // namespace

std::vector<Benchmark> scan_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Footprint& footprint : {kL2, k32MB, k512MB})
    for (const Layout& layout : kLayouts) {
      if (!layout.in_memory && footprint.bytes == k512MB.bytes) continue;
      const std::string name = std::string("scan.cumsum.") + layout.name + "." + footprint.name;
      benchmarks.push_back({{name + ".loop", name + ".memcpy"},
                            [&layout, footprint, name](Session& session) { return run(session, layout, footprint, name); }});
    }
  return benchmarks;
}

}  // namespace bench
