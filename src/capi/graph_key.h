// Computes a digest of everything that a compilation depends on: the structure of the graph and the settings. Two compilations with equal
// keys produce interchangeable programs.
#pragma once

#include <optional>

#include "base/hash.h"
#include "capi/compile_settings.h"

namespace harp::capi {

/// Returns the key, or nullopt for a graph that calls native functions.
std::optional<Digest> compile_key(const Graph& graph, const CompileSettings& settings);

/// Returns a digest of the graph alone, including its constants. Native functions are identified by their addresses.
Digest structure_digest(const Graph& graph);

}  // namespace harp::capi
