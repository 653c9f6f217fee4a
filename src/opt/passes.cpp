#include "opt/passes.h"

#include <algorithm>

#include "base/error.h"
#include "base/table_limit.h"
#include "base/text.h"
#include "graph/verify.h"
#include "opt/compose_views.h"
#include "opt/fold_constants.h"
#include "opt/gather_picked.h"
#include "opt/remove_dead_code.h"
#include "opt/simplify_algebra.h"
#include "opt/sort_values.h"
#include "opt/split_complex.h"

namespace harp::opt {
namespace {

#ifdef NDEBUG
constexpr bool kVerify = false;
#else
constexpr bool kVerify = true;
#endif

constexpr Pass kPasses[] = {
    {"sort_values", sort_values, "an order that only its own array is taken by need not be known"},
    {"fold_constants", fold_constants, "what depends on constants only is computed now"},
    {"simplify_algebra", simplify_algebra, "identities that keep every bit"},
    {"gather_picked", gather_picked, "a sum of zeros and one element is that element"},
    {"compose_views", compose_views, "two movement nodes in a row become one"},
    {"remove_dead_code", remove_dead_code, "nodes that no output needs go"},
};

}  // namespace

std::span<const Pass> passes() { return kPasses; }

const Pass* find_pass(std::string_view name) {
  for (const Pass& pass : kPasses)
    if (pass.name == name) return &pass;
  return nullptr;
}

std::unique_ptr<Graph> optimise(const Graph& graph, std::span<const std::string> disabled) {
  for (const std::string& name : disabled)
    HARP_CHECK(find_pass(name) != nullptr, Code::kInvalidArgument, "no optimiser rule is called \"", name, "\"; there are ",
               join(passes(), ", ", [](const Pass& p) { return p.name; }));
  std::unique_ptr<Graph> result = split_complex(graph);
  if (kVerify) verify(*result);
  for (const Pass& pass : kPasses) {
    if (std::ranges::find(disabled, pass.name) != disabled.end()) continue;
    enter_step(result->dims(), "optimising the graph");
    result = pass.run(*result);
    if (kVerify) verify(*result);
  }
  return result;
}

}  // namespace harp::opt
