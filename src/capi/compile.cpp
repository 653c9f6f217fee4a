// Compiles a graph with options to a program. Looks for the program in the context's cache of programs, then for its compiled code in the
// caches of the compile service, and runs the compiler if neither is found.
#include "capi/compile.h"

#include <algorithm>
#include <chrono>

#include "backend/build.h"
#include "capi/graph_key.h"
#include "capi/specialize.h"
#include "capi/structs.h"
#include "graph/native.h"

using namespace harp;
using namespace harp::capi;

namespace {

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

int32_t cache_of(CompileReport::Origin origin) {
  switch (origin) {
    case CompileReport::Origin::kDisk: return HARP_CACHE_DISK;
    case CompileReport::Origin::kMemory: return HARP_CACHE_MEMORY;
    default: return HARP_CACHE_NONE;
  }
}

/// Describes, for messages, the first operation of the graph that calls a native function of the host; "" if there is none.
std::string first_native(const Graph& graph) {
  for (const Node* node : graph.live_nodes())
    if (is_native(node->op)) return graph.describe(node);
  return {};
}

std::unique_ptr<Graph> private_copy(const Graph& graph, const CompileSettings& settings) {
  return settings.specialize.empty() ? graph.clone() : specialize(graph, settings.fixed_sizes());
}

/// Compiles with the fastest configuration that tuning found. Returns null if tuning found none, if the default is fastest, or if the
/// configuration can no longer be compiled.
std::shared_ptr<CompiledProgram> compile_tuned(harp_context& context, const Graph& graph, const CompileSettings& settings,
                                               const std::optional<Digest>& graph_key, TimeLimit& limit) {
  const std::optional<Digest> key = tuning_key(context, graph_key, settings);
  const std::optional<tune::Configuration> found = key ? context.tuning.find(*key) : std::nullopt;
  if (!found || found->is_default()) return nullptr;
  try {
    CompileSettings with = settings;
    configure(with, *found);
    std::shared_ptr<CompiledProgram> program = compile_program(context, graph, with, limit);
    program->stats.tuned = 1;
    return program;
  } catch (const Error& error) {
    if (error.code == Code::kOutOfMemory || error.code == Code::kCancelled || error.code == Code::kIo || limit.is_over()) throw;
    context.log.warning("the tuning result for \"", graph.name(), "\" is not used: ", error.message);
    return nullptr;
  }
}

std::shared_ptr<CompiledProgram> compile_any(harp_context& context, const Graph& graph, const CompileSettings& settings,
                                             const std::optional<Digest>& graph_key, TimeLimit& limit) {
  std::shared_ptr<CompiledProgram> tuned = compile_tuned(context, graph, settings, graph_key, limit);
  return tuned ? tuned : compile_program(context, graph, settings, limit);
}

/// Compiles. If that fails with Error{kIo}, for example because the system has no file descriptor or memory mapping left, clears the
/// context's own caches, which may use many of these, and tries once more.
std::shared_ptr<CompiledProgram> compile_with_retry(harp_context& context, const Graph& graph, const CompileSettings& settings,
                                                    const std::optional<Digest>& graph_key, TimeLimit& limit) {
  try {
    return compile_any(context, graph, settings, graph_key, limit);
  } catch (const Error& error) {
    if (error.code != Code::kIo) throw;
    context.log.warning("compiling again after clearing the context's memory caches: ", error.message);
  }
  context.programs.clear();
  context.service.drop_kept();
  return compile_any(context, graph, settings, graph_key, limit);
}

}  // namespace

namespace harp::capi {

const harp_graph& usable(const harp_graph* graph, const char* function) {
  required(graph, function, "graph");
  if (graph->error != nullptr) fail_with(graph->error);
  HARP_CHECK(!graph->graph->outputs().empty(), Code::kInvalidArgument, function, ": the graph \"", graph->graph->name(),
             "\" has no output");
  return *graph;
}

std::shared_ptr<CompiledProgram> compile_program(harp_context& context, const Graph& graph, const CompileSettings& settings,
                                                 TimeLimit& limit) {
  const Resources resources = context.resources();
  Built built = build_program(*settings.backend, resources, private_copy(graph, settings), settings, limit);
  auto program = std::make_shared<CompiledProgram>(std::move(built.signature), std::move(built.executable), context.hooks,
                                                   Placement{settings.backend->name, settings.backend->devices(resources)});
  program->stats.pipeline_ms = built.stats.pipeline_ms;
  program->stats.compile_ms = built.stats.compile_ms;
  program->stats.kernels = built.stats.kernels;
  program->stats.generations = built.stats.generations;
  program->stats.cache = cache_of(built.stats.origin);
  program->stats.source_bytes = built.source.size();
  program->stats.artifact_bytes = built.stats.artifact_bytes;
  program->stats.constant_bytes = built.stats.constant_bytes;
  program->source = std::move(built.source);
  program->native = first_native(graph);
  return program;
}

std::optional<Digest> tuning_key(const harp_context& context, const std::optional<Digest>& graph_key, const CompileSettings& settings) {
  if (!settings.uses_tuning || settings.is_configured || !settings.backend->tunes) return std::nullopt;
  if (!graph_key) return std::nullopt;
  return Hasher().add("tuning").add(graph_key->hex()).add(context.hooks.width).add(context.compiler).finish();
}

FoundProgram find_or_compile(harp_context& context, const Graph& graph, const CompileSettings& settings, TimeLimit& limit) {
  limit.check();
  const std::optional<Digest> key = compile_key(graph, settings);
  const bool uses_memory = key && !settings.pipeline.dump;
  if (uses_memory)
    if (std::shared_ptr<const CompiledProgram> known = context.programs.find(*key)) return {std::move(known), true};
  check_native_functions(graph);
  std::shared_ptr<CompiledProgram> compiled = compile_with_retry(context, graph, settings, key, limit);
  if (uses_memory) context.programs.insert(*key, compiled);
  return {std::move(compiled)};
}

}  // namespace harp::capi

namespace {

harp_program* compile_graph(harp_context& context, const Graph& source, const harp_compile_options* options, const char* function) {
  const auto inside = context.fork_guard.enter(function);
  const auto begin = std::chrono::steady_clock::now();
  CompileSettings settings = read_compile_settings(context, options);
  TimeLimit limit(context.process, context.service.timeout(), Deadline::max(), settings.cancel);
  const FoundProgram found = find_or_compile(context, source, settings, limit);
  auto program = std::make_unique<harp_program>(&context, found.program);
  if (found.is_from_memory) {
    program->stats.pipeline_ms = milliseconds_since(begin);
    program->stats.compile_ms = 0;
    program->stats.cache = HARP_CACHE_MEMORY;
  }
  if (settings.specializes_repeated && !found.program->program.signature().variables.empty()) {
    // The settings are kept after this call, but the cancel flag belongs to the host and may no longer exist then.
    settings.cancel = nullptr;
    program->specializer = std::make_shared<Specializer>(source.clone(), std::move(settings), found.program);
  }
  return program.release();
}

/// Returns the options for printing a stage of the compilation pipeline. If the host chose no backend and the standard backend does not
/// have the stage, the options name the first backend that has it.
harp_compile_options options_for(const BackendTable& backends, const harp_compile_options* given, std::string_view stage) {
  harp_compile_options options =
      read_options(given, HARP_COMPILE_OPTIONS_INIT, "harp_compile_options", offsetof(harp_compile_options, check_indices));
  options.struct_size = sizeof options;
  const auto has_stage = [&](const Backend* row) {
    if (row->code == nullptr) return false;
    const std::vector<std::string_view> stages = stage_names(*row->code);
    return row->assembly == stage || std::ranges::find(stages, stage) != stages.end();
  };
  if (options.backend != nullptr || has_stage(&backends.standard())) return options;
  const auto found = std::ranges::find_if(backends.rows(), has_stage);
  // The name is a string literal, so it ends with a zero byte.
  if (found != backends.rows().end()) options.backend = (*found)->name.data();
  return options;
}

/// Returns the graph that all n nodes belong to. Throws an error that names `function` if a node is NULL or the nodes belong to different
/// graphs.
harp_graph& graph_of(const char* function, int32_t n, harp_node* const* nodes) {
  HARP_CHECK(n >= 1 && nodes != nullptr, Code::kInvalidArgument, function, ": expected a list of at least one node, got ",
             n < 1 ? cat("a list of length ", n) : std::string("NULL"));
  for (int32_t i = 0; i < n; ++i) {
    HARP_CHECK(nodes[i] != nullptr, Code::kInvalidArgument, function, ": node ", i, " is NULL");
    HARP_CHECK(nodes[i]->graph == nodes[0]->graph, Code::kInvalidArgument, function, ": node ", i, " belongs to another graph than node 0");
  }
  return *nodes[0]->graph;
}

/// Copies the nodes and everything they depend on into a new graph, whose outputs are the copies of the nodes. If `names` is NULL, the
/// outputs are named output0, output1, …
std::unique_ptr<Graph> extract(int32_t n, const char* const* names, harp_node* const* nodes) {
  std::vector<GraphOutput> outputs;
  for (int32_t i = 0; i < n; ++i) outputs.push_back({names != nullptr ? names[i] : cat("output", i), nodes[i]->node});
  return nodes[0]->graph->graph->extract(outputs);
}

}  // namespace

harp_program* harp_compile(const harp_graph* graph, const harp_compile_options* options, harp_error** err) {
  return guard(err, [&] {
    const Graph& source = *usable(graph, "harp_compile").graph;
    return compile_graph(*graph->context, source, options, "harp_compile");
  });
}

harp_program* harp_compile_nodes(harp_graph* graph, int32_t n, const char* const* names, harp_node* const* nodes,
                                 const harp_compile_options* options, harp_error** err) {
  return guard(err, [&] {
    required(graph, "harp_compile_nodes", "graph");
    if (graph->error != nullptr) fail_with(graph->error);
    HARP_CHECK(&graph_of("harp_compile_nodes", n, nodes) == graph, Code::kInvalidArgument,
               "harp_compile_nodes: the nodes belong to another graph");
    for (int32_t i = 0; names != nullptr && i < n; ++i)
      HARP_CHECK(names[i] != nullptr, Code::kInvalidArgument, "harp_compile_nodes: name ", i, " is NULL");
    return compile_graph(*graph->context, *extract(n, names, nodes), options, "harp_compile_nodes");
  });
}

harp_status harp_nodes_inputs(int32_t n, harp_node* const* nodes, int32_t capacity, harp_node** inputs, int32_t* count, harp_error** err) {
  return guard_status(err, [&] {
    harp_graph& graph = graph_of("harp_nodes_inputs", n, nodes);
    HARP_CHECK(capacity >= 0 && (inputs != nullptr || capacity == 0), Code::kInvalidArgument, "harp_nodes_inputs: capacity is ", capacity,
               capacity < 0 ? ", expected at least 0" : ", but inputs is NULL");
    required(count, "harp_nodes_inputs", "count");
    std::vector<const Node*> wanted;
    for (int32_t i = 0; i < n; ++i) wanted.push_back(nodes[i]->node);
    const std::vector<const Node*> found = graph.graph->inputs_of(wanted);
    const size_t shown = std::min(found.size(), static_cast<size_t>(capacity));
    std::vector<harp_node*> handles;
    for (size_t i = 0; i < shown; ++i) handles.push_back(graph.wrap(found[i]));
    std::copy(handles.begin(), handles.end(), inputs);
    *count = static_cast<int32_t>(found.size());
  });
}

harp_status harp_nodes_digest(int32_t n, harp_node* const* nodes, harp_digest* digest, harp_error** err) {
  return guard_status(err, [&] {
    graph_of("harp_nodes_digest", n, nodes);
    required(digest, "harp_nodes_digest", "digest");
    const Digest found = structure_digest(*extract(n, nullptr, nodes));
    *digest = {found.high, found.low};
  });
}

harp_string* harp_graph_emit(const harp_graph* graph, const harp_compile_options* options, const char* stage, harp_error** err) {
  return guard(err, [&] {
    required(stage, "harp_graph_emit", "stage");
    const Graph& source = *usable(graph, "harp_graph_emit").graph;
    harp_context& context = *graph->context;
    const harp_compile_options given = options_for(context.backends, options, stage);
    const CompileSettings settings = read_compile_settings(context, &given);
    const std::unique_ptr<Graph> copy = private_copy(source, settings);
    if (settings.backend->assemble == nullptr || stage != settings.backend->assembly)
      return new harp_string{emit_stage(*copy, settings.pipeline, stage)};
    const auto inside = context.fork_guard.enter("harp_graph_emit");
    TimeLimit limit(context.process, context.service.timeout(), Deadline::max(), settings.cancel);
    return new harp_string{assembly_of(*settings.backend, context.resources(), *copy, settings, limit)};
  });
}
