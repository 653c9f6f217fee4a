#include "graph/index_fault.h"

#include <algorithm>

#include "graph/body.h"
#include "graph/check.h"
#include "graph/text_lexer.h"

namespace harp {

std::vector<CheckSite> check_sites(const Graph& graph) {
  std::vector<CheckSite> sites;
  for (const Node* node : graph.live_nodes()) {
    if (node->op == Op::kCustom) {
      for (const BodySite& site : node->as<CustomAttributes>().body->sites) {
        const std::string array = site.array.empty() ? cat("axis ", site.axis, " of input ", site.input, ", ",
                                                           label(node->sources[static_cast<size_t>(site.input)]), ",")
                                                     : cat("the array ", text::quote(site.array));
        sites.push_back({node, {cat(name(node->op), ": ", array), label(node)}});
      }
    }
    if (node->op != Op::kCheckIndex) continue;
    const CheckAttributes& check = node->as<CheckAttributes>();
    if (check.optional) continue;
    sites.push_back({node,
                     {check.what.empty() ? cat(name(node->op), ": the axis") : text::printable(check.what),
                      check.asker.empty() ? label(node->sources[0]) : text::printable(check.asker)}});
  }
  return sites;
}

int first_site(const std::vector<CheckSite>& sites, const Node* node) {
  const auto found = std::ranges::find(sites, node, &CheckSite::node);
  HARP_ASSERT(found != sites.end(), "expected an op that checks indices, got ", name(node->op));
  return static_cast<int>(found - sites.begin());
}

IndexError::IndexError(const SiteText& site, const IndexFault& found)
    : Error(Code::kRange, cat(site.what, " has ", found.size, found.size == 1 ? " element" : " elements", ", but element ", found.element,
                              " of ", site.asker, " asks for ", found.index)),
      fault(found) {}

}  // namespace harp
