// A digest of what a compilation depends on: the graph's structure and the settings. Equal keys mean interchangeable programs.
#pragma once

#include <optional>

#include "base/hash.h"
#include "capi/compile_settings.h"

namespace harp::capi {

/// Nothing for graphs with so much constant data that hashing (and keeping) it would cost more than compiling again saves, and for those
/// that call native functions.
std::optional<Digest> compile_key(const Graph& graph, const CompileSettings& settings);

/// Of the graph alone, with all its constants; native functions by their addresses.
Digest structure_digest(const Graph& graph);

}  // namespace harp::capi
