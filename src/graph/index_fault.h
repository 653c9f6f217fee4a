// What a run says when a number names no element: which check found it (a *site*), at which element, what it was, and how many there are.
// Sites are numbered in the order of nodes, so that of several faults the first is the same whoever computes: the one of the lowest site,
// and there of the lowest element. Every backend reports an IndexFault; the words are made from it here, once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "graph/graph.h"

namespace harp {

/// The words of a site: they outlive the graph.
struct SiteText {
  std::string what;   // `take: axis 1 of "x"`: what has the elements
  std::string asker;  // `"i"`: whose element is, or needs, the number
};

/// One place of a graph that checks numbers while it runs.
struct CheckSite {
  const Node* node;
  SiteText text;
};

/// All of a graph, by the ids of their nodes: node number n's first site is the first with that node.
std::vector<CheckSite> check_sites(const Graph& graph);
/// Number of the node's first site among these.
int first_site(const std::vector<CheckSite>& sites, const Node* node);

struct IndexFault {
  int64_t site = -1;
  int64_t element = 0;  // row-major, of the asker
  int64_t index = 0;    // the number; what is beyond 64 bits with a sign is the greatest of them
  int64_t size = 0;
  friend bool operator==(const IndexFault&, const IndexFault&) = default;
};

class IndexError : public Error {
 public:
  IndexError(const SiteText& site, const IndexFault& fault);
  IndexFault fault;
};

}  // namespace harp
