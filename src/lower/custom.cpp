// Custom functions: the loop nest of a kernel that computes the elements of a custom function one by one, or in vectors along the last
// axis. custom_body.cpp lowers the body for one element or one vector.
//
// If the size of the last axis is not a multiple of the number of lanes, some lanes of the last vector have no element. A second version of
// the body masks the loads and stores of these lanes.
#include <utility>

#include "lower/custom_body.h"
#include "lower/lower.h"
#include "schedule/legal.h"

namespace harp::lower {
namespace {

using namespace ir;

/// Returns the statements that compute and store the element at this position, or one element in each lane. Sets `cost` to an upper bound
/// of the number of expressions that are evaluated for one element.
Body store_elements(KernelContext& c, const Index& position, const Lanes& lanes, double& cost) {
  const Node& node = *c.plan.alone;
  const Index index = node_index(node.shape, position);
  Body body;
  const LoweredBody lowered = lower_body(c.values, c.kernel, node, index, nullptr, &body, lanes);
  for (const StorePlan& store : c.plan.stores) c.values.bind(store.node, lowered.element_of(*store.node));
  cost = lowered.cost;
  Body stores = store_outputs(c, position);
  if (lanes.inside != nullptr)
    for (Stmt* s : stores) as<Store>(s)->mask = lanes.inside;
  if (lanes.count > 1) stores = {in_each_lane(c.arena, lanes, std::move(stores))};
  body.insert(body.end(), stores.begin(), stores.end());
  return body;
}

/// Returns the statements for vector number `block` of the last axis. `position` is the position of the element along the other axes.
Body store_vector(KernelContext& c, Index position, Sym block, int lanes, double& cost) {
  const Sym size = iteration_space(c.plan).back(), first = block * lanes;
  Lanes in{lanes, c.arena.syms().loop("lane", 0, lanes)};
  position.push_back(first + in.at);
  const bool is_whole = mod(size, lanes).is_constant(0), is_short = range(size).hi < lanes;
  Body whole;
  if (is_whole || !is_short) whole = store_elements(c, position, in, cost);
  if (is_whole) return whole;
  in.inside = c.arena.in_range(size - 1 - position.back());
  Body part = store_elements(c, position, in, cost);
  if (is_short) return part;
  return {new_if(c.arena, size - first - lanes, std::move(whole), std::move(part))};
}

}  // namespace

const UOp* custom_value(ValueBuilder& values, ir::Kernel& kernel, const Node& node, const Index& index, const UOp* mask,
                        std::vector<Stmt*>* statements) {
  return lower_body(values, kernel, node, index, mask, statements).element_of(node);
}

void lower_custom(KernelContext& c) {
  const Shape space = iteration_space(c.plan);
  // The lanes of a vector are elements or, if vectors cannot compute the elements, iterations of the loops of one element.
  const int width = space.empty() ? 1 : c.schedule.axes.back().simd_width, lanes = vector_axis(c.plan) < 0 ? 1 : width;
  const Lanes one{.chains = width};
  Index position;
  std::vector<Loop*> nest;
  for (const Sym& size : space) {
    const bool is_in_vectors = lanes > 1 && nest.size() + 1 == space.size();
    nest.push_back(is_in_vectors ? new_loop(c.arena, "block", 0, ceil_div(size, lanes))
                                 : new_loop(c.arena, cat("ridx", nest.size()), 0, size));
    if (!is_in_vectors) position.push_back(nest.back()->variable);
  }
  double cost = 0;
  ir::Body body = lanes > 1 ? store_vector(c, position, nest.back()->variable, lanes, cost) : store_elements(c, position, one, cost);
  // The host code runs the iterations of a thread loop in pieces, whose length follows from the estimated cost of an iteration, and polls
  // the cancel flag between them. A single loop therefore polls by itself only if one of its iterations may be expensive.
  if (nest.size() > 1 || (nest.size() == 1 && cost > kExpressionsPerPoll))
    nest.back()->poll_interval = poll_interval(cost, nest.back()->end);
  for (; !nest.empty(); nest.pop_back()) {
    nest.back()->body = std::move(body);
    body = {nest.back()};
  }
  if (!c.schedule.axes.empty() && c.schedule.axes[0].kind == AxisKind::kThread) first_loop_in(body)->loop = LoopKind::kThread;
  c.kernel.body = std::move(body);
}

}  // namespace harp::lower
