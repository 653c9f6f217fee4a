// The work of the pipeline grows linearly with the graph. The test counts visits of nodes and construction of size expressions
// (base/visits.h), so it depends on no clock or machine: for twice the nodes the count may be at most 2.3 times as large.
#include <doctest/doctest.h>

#include "graph/text.h"
#include "pipeline.h"
#include "support/large_graphs.h"

using namespace harp;

TEST_CASE("G1.dag X3: twice the nodes make at most 2.3 times as many visits") {
  const auto visits = [](const large_graphs::LargeGraph& graph, int n) {
    return static_cast<double>(generate(*parse_graph(large_graphs::text_of(graph, n)), PipelineOptions{}).stats.visits);
  };
  for (const large_graphs::LargeGraph& graph : large_graphs::kLargeGraphs) {
    CAPTURE(std::string(graph.name));
    const double fewer = visits(graph, graph.nodes), more = visits(graph, 2 * graph.nodes);
    CAPTURE(fewer);
    CAPTURE(more);
    CHECK(more >= 1.5 * fewer);  // fails if visits are not counted at all
    CHECK(more <= 2.3 * fewer);
  }
}
