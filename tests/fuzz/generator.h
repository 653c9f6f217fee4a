// Generates random graphs. The seed determines the graph, the values of its shape variables and the data of its inputs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace harp::fuzz {

/// A graph, and the sizes and data to run it with.
struct Case {
  std::shared_ptr<const Graph> graph;
  std::vector<std::vector<int64_t>> sizes;  // for each run, the values of the shape variables; there is at least one run
  uint64_t data_seed = 0;                   // see input_data.h
  bool special_data = false;                // inputs with names "special..." contain special values only
  /// The bytes of every input, for a case with one list of sizes; if empty, they are random data. A case file does not contain them.
  std::vector<std::vector<std::byte>> inputs = {};
};

/// Builds the case of a seed. Throws Error{kInternal} if a function that builds nodes violates an invariant.
Case random_case(uint64_t seed);

/// Up to `wanted` lists of values of the shape variables at which the graph can be run: within the bounds of the variables, without
/// negative sizes, and with a limited amount of work.
std::vector<std::vector<int64_t>> runnable_sizes(const Graph& graph, uint64_t seed, size_t wanted);
/// True if the graph can be run at these sizes.
bool is_runnable(const Graph& graph, const std::vector<int64_t>& sizes);

/// The properties of a case that the reports count.
enum Trait : uint8_t { kReduces, kViews, kSymbolic, kEmpty, kMultiOutput, kTraitCount };
inline constexpr std::array<std::string_view, kTraitCount> kTraitNames = {"reduce", "view", "symbolic", "zero-length", "multi-output"};
std::array<bool, kTraitCount> traits_of(const Case& test);

}  // namespace harp::fuzz
