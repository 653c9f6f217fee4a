// Measures the time from a graph to its source for large graphs. These are the graphs of tests/support/large_graphs.h, for which tests
// count how many nodes the compiler visits. For graphs with 1,000 inputs or outputs, the time of the whole compilation is measured as well.
#include "bench/harness/text_program.h"
#include "tests/support/large_graphs.h"

namespace bench {
namespace {

struct LargeRow {
  const char* family;
  int nodes;
  bool compiles;  // true: the time of the whole compilation, C compiler included; false: the time from graph to source
};

constexpr LargeRow kRows[] = {{"concats", 2000, false}, {"chain", 100000, false},    {"inputs", 1000, false}, {"outputs", 1000, false},
                              {"layers", 10000, false}, {"reductions", 1000, false}, {"fan", 10000, false},   {"sums", 1000, false},
                              {"wheres", 10000, false}, {"inputs", 1000, true},      {"outputs", 1000, true}};

std::string name_of(const LargeRow& row) {
  return std::string(row.compiles ? "compile.large." : "compile.source.") + row.family + "." + std::to_string(row.nodes);
}

double seconds_of(const LargeRow& row) {
  const TemporaryDirectory fresh;
  const Context context = new_context(fresh.path());
  std::string text;
  for (const large_graphs::LargeGraph& graph : large_graphs::kLargeGraphs)
    if (std::string(graph.name) == row.family) text = large_graphs::text_of(graph, row.nodes);
  Err err;
  const Graph graph(harp_graph_parse(context.get(), text.size(), text.c_str(), err));
  err.check("parsing a graph");
  const double begin = now();
  if (row.compiles) {
    const Program program(harp_compile(graph.get(), nullptr, err));
    err.check("compiling");
    return now() - begin;
  }
  harp_string* const source = harp_graph_emit(graph.get(), nullptr, "c", err);
  err.check("writing the source");
  harp_string_release(source);
  return now() - begin;
}

}  // namespace

std::vector<Benchmark> growing_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const LargeRow& row : kRows)
    benchmarks.push_back({{name_of(row)}, [row](Session& session) -> std::vector<Row> {
                            std::vector<double> seconds;
                            for (int i = 0; i < (session.effort.max_rounds < 20 ? 1 : 3); ++i) seconds.push_back(seconds_of(row));
                            return {{name_of(row), median(seconds) * 1e3, "ms", "", {}, {}}};
                          }});
  return benchmarks;
}

}  // namespace bench
