// A digest of everything that a compilation depends on: the structure of the graph and the settings. Equal keys mean interchangeable
// programs.
#pragma once

#include <optional>

#include "base/hash.h"
#include "capi/compile_settings.h"

namespace harp::capi {

/// Returns the key, or nullopt for graphs that call native functions.
std::optional<Digest> compile_key(const Graph& graph, const CompileSettings& settings);

/// A digest of the graph alone, with its constants. Native functions count by their addresses.
Digest structure_digest(const Graph& graph);

}  // namespace harp::capi
