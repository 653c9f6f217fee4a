// Functions that harp_compile and harp_tune share: compilation with and without the context's program cache and tuning results.
#pragma once

#include <memory>
#include <optional>

#include "capi/compile_settings.h"

namespace harp::capi {

/// Returns the graph's handle. Fails in the name of `function` if the graph is NULL, is marked with an error or has no output.
const harp_graph& usable(const harp_graph* graph, const char* function);

/// Compiles the graph with these settings; ignores the program cache and tuning results.
std::shared_ptr<CompiledProgram> compile_program(harp_context& context, const Graph& graph, const CompileSettings& settings,
                                                 TimeLimit& limit);

/// A program, and how it was found: in the context's memory, or by a build that its statistics describe.
struct FoundProgram {
  std::shared_ptr<const CompiledProgram> program;
  bool is_from_memory = false;
};

/// Compiles the graph with these settings and the best configuration that tuning found, unless the context has the program already.
FoundProgram find_or_compile(harp_context& context, const Graph& graph, const CompileSettings& settings, TimeLimit& limit);

/// The key under which the tuning database stores the fastest configuration of a graph with these settings and the context's number of
/// threads. `graph_key` is compile_key() of both (graph_key.h). nullopt if the settings exclude a lookup (they give a configuration, switch
/// tuning off, or use a backend that is not tuned) or if the graph has no key (graph_key.h).
std::optional<Digest> tuning_key(const harp_context& context, const std::optional<Digest>& graph_key, const CompileSettings& settings);

}  // namespace harp::capi
