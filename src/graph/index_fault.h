// The report of an invalid index at run time: the check that found it (a *site*), the element, the index, and the size of the indexed axis.
// Sites are numbered in the order of nodes. If there are several faults, every backend reports the same one: that of the lowest site and,
// among these, that of the lowest element. A backend reports an IndexFault; IndexError makes the message from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "graph/graph.h"

namespace harp {

/// The words with which a message describes a site. They remain valid after the graph is destroyed.
struct SiteText {
  std::string what;   // which axis is indexed, for example `take: axis 1 of "x"`
  std::string asker;  // the array that contains the index, or whose element needs it, for example `"i"`
};

/// A check that a graph performs at run time.
struct CheckSite {
  const Node* node;
  SiteText text;
};

/// Returns all sites of a graph, in the order of Graph::live_nodes(). The sites of one node are adjacent. Those of a custom function of
/// several results belong to its first live result.
std::vector<CheckSite> check_sites(const Graph& graph);
/// Returns the number of the node's first site; for any result of a custom function, that of the function.
int first_site(const std::vector<CheckSite>& sites, const Node* node);

struct IndexFault {
  int64_t site = -1;
  int64_t element = 0;  // row-major, in the asker
  int64_t index = 0;    // the index; a value beyond i64 is reported as the greatest i64
  int64_t size = 0;
  friend bool operator==(const IndexFault&, const IndexFault&) = default;
};

class IndexError : public Error {
 public:
  IndexError(const SiteText& site, const IndexFault& fault);
  IndexFault fault;
};

}  // namespace harp
