#include "opt/passes.h"

#include <algorithm>

#include "base/error.h"
#include "base/table_limit.h"
#include "base/text.h"
#include "base/verify_passes.h"
#include "base/visits.h"
#include "graph/verify.h"
#include "opt/compose_views.h"
#include "opt/fold_constants.h"
#include "opt/fold_unit_axes.h"
#include "opt/gather_selected.h"
#include "opt/join_products.h"
#include "opt/join_slices.h"
#include "opt/narrow_reductions.h"
#include "opt/remove_dead_code.h"
#include "opt/simplify_algebra.h"
#include "opt/sort_values.h"
#include "opt/split_complex.h"

namespace harp::opt {
namespace {

constexpr Pass kPasses[] = {
    {"fold_unit_axes", fold_unit_axes, may_fold_unit_axes, "a scan, sort or selection along an axis of one element gives that element"},
    {"sort_values", sort_values, may_sort_values, "an argsort that is used only to take from its own array becomes a sort of values"},
    {"fold_constants", fold_constants, may_fold_constants, "nodes that depend only on constants are computed at compile time"},
    {"simplify_algebra", simplify_algebra, may_simplify_algebra, "bit-exact algebraic identities"},
    {"gather_selected", gather_selected, may_gather_selected, "a sum that selects one element becomes a gather"},
    {"narrow_reductions", narrow_reductions, may_narrow_reductions, "a reduction computes only the elements that a slice takes"},
    {"join_products", join_products, may_join_products, "products of slices of one array with one other array become one product"},
    {"compose_views", compose_views, may_compose_views, "two consecutive movement nodes become one"},
    {"join_slices", join_slices, may_join_slices, "neighbouring slices of one array in a concat become one slice"},
    {"remove_dead_code", remove_dead_code, [](const Node&) { return false; }, "nodes that no output needs are removed"},
};

}  // namespace

std::span<const Pass> passes() { return kPasses; }

const Pass* find_pass(std::string_view name) {
  for (const Pass& pass : kPasses)
    if (pass.name == name) return &pass;
  return nullptr;
}

std::shared_ptr<Graph> optimise(std::shared_ptr<Graph> graph, std::span<const std::string> disabled) {
  for (const std::string& name : disabled)
    HARP_CHECK(find_pass(name) != nullptr, Code::kInvalidArgument, "unknown optimiser pass \"", name, "\", expected one of ",
               join(passes(), ", ", [](const Pass& p) { return p.name; }));
  // A pass copies the whole graph, which takes most of its time. Therefore a pass that would change nothing is not run.
  std::vector<const Node*> live = graph->live_nodes();
  const auto becomes = [&](std::unique_ptr<Graph> result) {
    if (kVerifyPasses) verify(*result);
    graph = std::move(result);
    live = graph->live_nodes();
  };
  const auto any = [&](bool (*may_change)(const Node&)) {
    count_visits(graph->dims(), live.size());
    return std::ranges::any_of(live, [&](const Node* node) { return may_change(*node); });
  };
  const auto is_split = [](const Node* node) { return is_complex(node->dtype) || node->op == Op::kStopGradient; };
  if (std::ranges::any_of(graph->inputs(), is_split) || std::ranges::any_of(live, is_split)) becomes(split_complex(*graph));
  for (const Pass& pass : kPasses) {
    if (std::ranges::find(disabled, pass.name) != disabled.end()) continue;
    enter_step(graph->dims(), "optimising the graph");
    const bool drops = pass.run == remove_dead_code && live.size() < graph->nodes().size();
    if (drops || any(pass.may_change)) becomes(pass.run(*graph));
  }
  return in_order(std::move(graph));
}

}  // namespace harp::opt
