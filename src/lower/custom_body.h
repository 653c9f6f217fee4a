// The body of a custom function, lowered for one element or for a vector of elements. (custom_body.cpp)
#pragma once

#include <cstdint>
#include <vector>

#include "ir/ir.h"
#include "lower/value.h"

namespace harp::lower {

/// The lanes of a vector of elements.
struct Lanes {
  int count = 1;                    // 1: there are no vectors
  Sym at = 0;                       // the number of the lane: the variable of the loops over lanes
  const ir::UOp* inside = nullptr;  // true where the lane has an element; null: in all lanes
};

struct LoweredBody {
  std::vector<const ir::UOp*> elements;  // the element of each result of the call; it depends on the lane if there are several
  double cost;                           // an upper bound of the number of expressions that are evaluated for one element
  /// Returns the element of the result that the node stands for.
  const ir::UOp* element_of(const Node& node) const { return elements[static_cast<size_t>(node.as<CustomAttributes>().result)]; }
};

/// Lowers the body of a call of a custom function, of which `node` is a result, for the element at `index`. The index depends on the lane
/// if there are several lanes. Loads happen only where `mask` is true (null: everywhere). Appends loops and checks to `statements`, which is
/// null if the body is an expression, and their accumulators to the kernel.
LoweredBody lower_body(ValueBuilder& values, ir::Kernel& kernel, const Node& node, const Index& index, const ir::UOp* mask,
                       ir::Body* statements, const Lanes& lanes = {});

/// Returns a loop that executes the statements for each lane, as one vector.
ir::Loop* in_each_lane(ir::Arena& arena, const Lanes& lanes, ir::Body statements);

/// A loop polls the cancel flag after about this many evaluated expressions, so polls are rare.
inline constexpr double kExpressionsPerPoll = 1 << 15;
/// Returns the number of iterations between polls. If the trip count is known, prefers a number that divides it, unless that is much
/// smaller. If the trip count is a multiple of whole vectors, so is the number, because C compilers vectorise few other loops.
int64_t poll_interval(double expressions_of_iteration, Sym iterations);

}  // namespace harp::lower
