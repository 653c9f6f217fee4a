// Random graphs. A seed decides everything: the graph, the values of its shape variables and the data of its inputs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace harp::fuzz {

/// A graph, and the sizes and data to run it with.
struct Case {
  std::shared_ptr<const Graph> graph;
  std::vector<std::vector<int64_t>> sizes;  // values of the shape variables, one list per run; at least one
  uint64_t data_seed = 0;                   // see input_data.h
  bool special_data = false;                // inputs with names "special..." contain special values only
};

/// Throws Error{kInternal} if the constructor of an operation broke an invariant.
Case random_case(uint64_t seed);

/// Sizes at which the graph can be run: inside the variables' bounds, without negative sizes, with limited work. Up to `wanted` of them.
std::vector<std::vector<int64_t>> runnable_sizes(const Graph& graph, uint64_t seed, size_t wanted);
/// True if the graph can be run at these sizes.
bool is_runnable(const Graph& graph, const std::vector<int64_t>& sizes);

/// The properties of a case that the reports count.
enum Trait : uint8_t { kReduces, kViews, kSymbolic, kEmpty, kMultiOutput, kTraitCount };
inline constexpr std::array<std::string_view, kTraitCount> kTraitNames = {"reduce", "view", "symbolic", "zero-length", "multi-output"};
std::array<bool, kTraitCount> traits_of(const Case& test);

}  // namespace harp::fuzz
