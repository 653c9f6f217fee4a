// Defines the report of an invalid index at run time. A *site* is a check of indices in a graph; sites are numbered in the order of their
// nodes. If there are several faults, every backend reports the same one: the fault of the lowest site and, at that site, of the lowest
// element. A backend reports an IndexFault; IndexError makes an error message from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "graph/graph.h"

namespace harp {

/// The words with which an error message describes a site. They remain valid after the graph is destroyed.
struct SiteText {
  std::string what;   // which axis is indexed, for example `take: axis 1 of "x"`
  std::string asker;  // the array that contains the index, or whose element is computed with it, for example `"i"`
};

/// A check that a graph performs at run time.
struct CheckSite {
  const Node* node;
  SiteText text;
};

/// Returns all sites of a graph, in the order of Graph::live_nodes(). The sites of one node are adjacent. A custom function of several
/// results is represented by several nodes; its sites belong to the first live one.
std::vector<CheckSite> check_sites(const Graph& graph);
/// Returns the number of the node's first site. If the node is a result of a custom function, this is the first site of the function.
int first_site(const std::vector<CheckSite>& sites, const Node* node);

struct IndexFault {
  int64_t site = -1;
  int64_t element = 0;  // row-major position of the index in the array that contains it (SiteText::asker)
  int64_t index = 0;    // the index; an index above INT64_MAX is reported as INT64_MAX
  int64_t size = 0;
  friend bool operator==(const IndexFault&, const IndexFault&) = default;
};

class IndexError : public Error {
 public:
  IndexError(const SiteText& site, const IndexFault& fault);
  IndexFault fault;
};

}  // namespace harp
