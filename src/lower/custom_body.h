// Lowers the body of a custom function, for one element or for a vector of elements. (custom_body.cpp)
#pragma once

#include <cstdint>
#include <vector>

#include "ir/ir.h"
#include "lower/value.h"

namespace harp::lower {

/// The lanes of a vector, each of which computes one element of the results of a custom function.
struct Lanes {
  int count = 1;                    // number of lanes; 1: there are no vectors
  Sym at = 0;                       // the index of a lane: the variable of the loops over lanes
  const ir::UOp* inside = nullptr;  // bool that is true for lanes that compute an element; null: all lanes do
  int chains = 1;                   // if there is one lane: number of running values of a loop that combines integers (custom_chains.h)
};

struct LoweredBody {
  std::vector<const ir::UOp*> elements;  // one element of each result of the call; it depends on the lane if there are several lanes
  double cost;                           // an upper bound of the number of expressions that are evaluated for one element
  /// `node` stands for one of the results of the call. Returns the element of that result.
  const ir::UOp* element_of(const Node& node) const { return elements[static_cast<size_t>(node.as<CustomAttributes>().result)]; }
};

/// Lowers the body of a custom function for the element at `index`. `node` is any result of the call of the function. If there are several
/// lanes, the index depends on the lane. Loads are executed only where `mask` is true (null: everywhere). Appends loops and checks to
/// `statements`, which may be null if the body needs neither, and adds the accumulators of these statements to the kernel.
LoweredBody lower_body(ValueBuilder& values, ir::Kernel& kernel, const Node& node, const Index& index, const ir::UOp* mask,
                       ir::Body* statements, const Lanes& lanes = {});

/// Returns a loop that executes the statements for each lane, as one vector.
ir::Loop* in_each_lane(ir::Arena& arena, const Lanes& lanes, ir::Body statements);

/// A loop polls the cancel flag after about this many evaluated expressions, so that polls take little of its time.
inline constexpr double kExpressionsPerPoll = 1 << 15;
/// Returns the number of iterations between polls. If the trip count is constant, prefers a divisor of it that is also a multiple of
/// gcd(trip count, 64), unless all such numbers are much smaller than the desired one. So if the trip count is a whole number of vectors,
/// the number of iterations between two polls is one, too; this matters because C compilers vectorise few loops of other lengths.
int64_t poll_interval(double expressions_of_iteration, Sym iterations);

}  // namespace harp::lower
