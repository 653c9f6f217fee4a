// Compilation past the caches of programs and of tuning results: what harp_compile and harp_tune share.
#pragma once

#include <memory>
#include <optional>

#include "capi/compile_settings.h"

namespace harp::capi {

/// A graph without a mistake and with an output; else an error of `function`.
const harp_graph& usable(const harp_graph* graph, const char* function);

/// The program for these settings alone.
std::shared_ptr<CompiledProgram> compile_program(harp_context& context, const Graph& graph, const CompileSettings& settings,
                                                 TimeLimit& limit);

/// Where the tuning database keeps what is the fastest for this graph compiled with these settings on the context's threads. Nothing: it is
/// for no database to say (the settings say it themselves, or have no use for it), or the graph has no key (graph_key.h).
std::optional<Digest> tuning_key(const harp_context& context, const Graph& graph, const CompileSettings& settings);

}  // namespace harp::capi
