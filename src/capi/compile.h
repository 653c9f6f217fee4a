// Declares functions that harp_compile and harp_tune share: compilation with or without use of the context's program cache and of tuning
// results.
#pragma once

#include <memory>
#include <optional>

#include "capi/compile_settings.h"

namespace harp::capi {

/// Returns the graph. Throws an error that names `function` if the pointer is NULL or the graph is marked with an error or has no output.
const harp_graph& usable(const harp_graph* graph, const char* function);

/// Compiles the graph with these settings, without looking in the program cache or for a tuning result.
std::shared_ptr<CompiledProgram> compile_program(harp_context& context, const Graph& graph, const CompileSettings& settings,
                                                 TimeLimit& limit);

/// A program, and whether it was found in the context's program cache. If it was not, program->stats describes its compilation.
struct FoundProgram {
  std::shared_ptr<const CompiledProgram> program;
  bool is_from_memory = false;
};

/// Returns the program of the context's cache for this graph and these settings. If there is none, compiles it with the fastest
/// configuration that tuning found.
FoundProgram find_or_compile(harp_context& context, const Graph& graph, const CompileSettings& settings, TimeLimit& limit);

/// Returns the key under which the tuning database stores the fastest configuration of a graph with these settings and the context's number
/// of threads. `graph_key` is the result of compile_key() for the graph and the settings (graph_key.h). Returns nullopt if `graph_key` is
/// nullopt or if the settings exclude a lookup: they state a configuration, switch tuning off, or use a backend that is not tuned.
std::optional<Digest> tuning_key(const harp_context& context, const std::optional<Digest>& graph_key, const CompileSettings& settings);

}  // namespace harp::capi
