#include "graph/index_fault.h"

#include <algorithm>

#include "graph/body.h"
#include "graph/check.h"
#include "graph/text_lexer.h"

namespace harp {

namespace {

/// Returns the first site (index check) of the node, or of another node that is a result of the same call of a custom function. Returns the
/// end of the list if there is none.
std::vector<CheckSite>::const_iterator find_site(const std::vector<CheckSite>& sites, const Node* node) {
  return std::ranges::find_if(sites, [&](const CheckSite& site) { return site.node == node || are_of_one_call(*site.node, *node); });
}

}  // namespace

std::vector<CheckSite> check_sites(const Graph& graph) {
  std::vector<CheckSite> sites;
  for (const Node* node : graph.live_nodes()) {
    if (node->op == Op::kCustom) {
      const auto& function = node->as<CustomAttributes>();
      // All results of one call of a custom function share the index checks of its body. The first result has already added them.
      if (function.dtypes.size() > 1 && find_site(sites, node) != sites.end()) continue;
      for (const BodySite& site : function.body->sites) {
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
  const auto found = find_site(sites, node);
  HARP_ASSERT(found != sites.end(), "expected an op that checks indices, got ", name(node->op));
  return static_cast<int>(found - sites.begin());
}

IndexError::IndexError(const SiteText& site, const IndexFault& found)
    : Error(Code::kRange, cat(site.what, " has ", found.size, found.size == 1 ? " element" : " elements", ", but element ", found.element,
                              " of ", site.asker, " asks for ", found.index)),
      fault(found) {}

}  // namespace harp
