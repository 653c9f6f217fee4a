// Compilation: from a graph and options to a program. A program comes from the first source that has it: the context's programs, the
// compile service's caches, the compiler.
#include "capi/compile.h"

#include <algorithm>
#include <chrono>

#include "capi/graph_key.h"
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

std::shared_ptr<const Signature> signature_with(const Graph& graph, std::span<const InPlaceArguments> in_place) {
  auto signature = std::make_shared<Signature>(signature_of(graph));
  for (const InPlaceArguments& pair : in_place)
    signature->outputs[static_cast<size_t>(pair.output)].in_place.push_back(static_cast<size_t>(pair.input));
  for (ArraySignature& output : signature->outputs) std::sort(output.in_place.begin(), output.in_place.end());
  return signature;
}

/// The interpreter computes in place exactly the outputs that the backend "c" computes in place, so that a host can switch backends.
std::shared_ptr<CompiledProgram> compile_interp(const harp_context& context, std::shared_ptr<Graph> graph, const CompileSettings& settings,
                                                TimeLimit& limit) {
  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<const Signature> signature = signature_with(*graph, in_place_arguments(*graph, settings.pipeline, &limit));
  // The optimiser decides which indices are checked and in which order, so the interpreter runs the optimised graph.
  if (settings.pipeline.check_indices || !check_sites(*graph).empty()) graph = optimised(*graph, settings.pipeline, &limit);
  auto program = std::make_shared<CompiledProgram>(std::move(signature), make_interp_executable(std::move(graph)), context.hooks);
  program->stats.pipeline_ms = milliseconds_since(begin);
  return program;
}

/// Asserts that the generated code takes the signature's shape variables in the signature's order. The arguments of entry_point then mean
/// the same on every backend.
void check_variables(const Signature& signature, const ir::Module& module) {
  bool same = module.shape_vars.size() == signature.variables.size();
  for (size_t i = 0; same && i < module.shape_vars.size(); ++i)
    same = variable_of(module.shape_vars[i])->name == signature.variables[i].name;
  HARP_ASSERT(same, "the shape variables of the generated code are not those of ", signature.text());
}

NativeTable natives_of(const ir::Module& module) {
  NativeTable natives{module.natives, {}};
  for (const ir::Generation& generation : module.generations)
    for (const ir::NativeCall& call : generation.calls) natives.calls.push_back(call.name);
  return natives;
}

/// The description of the first native operation, for messages; "" if there is none.
std::string first_native(const Graph& graph) {
  for (const Node* node : graph.live_nodes())
    if (is_native(node->op)) return graph.describe(node);
  return {};
}

std::shared_ptr<CompiledProgram> compile_c(harp_context& context, const Graph& graph, const CompileSettings& settings, TimeLimit& limit) {
  const auto search = context.service.begin_search(settings.compiler);  // runs in parallel with the generation of the source
  Generated generated = generate(graph, settings.pipeline, &limit);
  std::shared_ptr<const Signature> signature = signature_with(graph, generated.in_place);
  check_variables(*signature, *generated.module);

  const auto begin = std::chrono::steady_clock::now();
  CompileRequest request;
  request.source = std::move(generated.source);
  request.functions = std::move(generated.functions);
  request.signature = signature->text();
  request.target = settings.pipeline.target;
  request.vectors_written = generated.vectors_written;
  request.flags = settings.flags;
  request.compiler = settings.compiler;
  CompileReport report;
  std::shared_ptr<const Artifact> artifact = context.service.compile(request, limit, &report);
  std::shared_ptr<const LoadedLibrary> library;
  try {
    library = context.service.loader().load(*artifact);
  } catch (const Error& error) {
    // kIo is a failure of the system: the artifact is good and may load another time.
    if (report.origin == CompileReport::Origin::kCompiled || error.code == Code::kIo) throw;
    // A cached artifact that does not load (for example because another system made it) is compiled again.
    context.log.warning("a cached program cannot be loaded and is compiled again: ", error.message);
    context.service.forget(*artifact);
    artifact = context.service.compile(request, limit, &report);
    library = context.service.loader().load(*artifact);
  }
  auto program = std::make_shared<CompiledProgram>(
      std::move(signature),
      make_c_executable(std::move(library), generated.module->workspace, generated.module->scratch, natives_of(*generated.module),
                        std::move(generated.sites), generated.module->shape_vars, settings.pipeline.target),
      context.hooks);
  program->stats.pipeline_ms = generated.stats.milliseconds;
  program->stats.compile_ms = milliseconds_since(begin);
  program->stats.kernels = generated.stats.kernels;
  program->stats.generations = generated.stats.generations;
  program->stats.cache = cache_of(report.origin);
  program->stats.source_bytes = request.source.size();
  program->stats.artifact_bytes = artifact->payload().size();
  program->source = std::move(request.source);
  return program;
}

void check_architecture(const Machine& target) {
  const auto is_it = [&](const Machine& foreign) { return foreign.name == target.name; };
  HARP_CHECK(std::ranges::none_of(foreign_machines(), is_it), Code::kUnsupported, "harp_compile_options: the target ", target.name,
             " has another architecture than this machine: its source can be emitted, but not compiled");
}

std::unique_ptr<Graph> private_copy(const Graph& graph, const CompileSettings& settings) {
  return settings.specialize.empty() ? graph.clone() : specialize(graph, settings.fixed_sizes());
}

/// Compiles with the fastest configuration that tuning found. Returns null if there is none or it no longer works.
std::shared_ptr<CompiledProgram> compile_tuned(harp_context& context, const Graph& graph, const CompileSettings& settings,
                                               TimeLimit& limit) {
  const std::optional<Digest> key = tuning_key(context, graph, settings);
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

std::shared_ptr<CompiledProgram> compile_any(harp_context& context, const Graph& graph, const CompileSettings& settings, TimeLimit& limit) {
  std::shared_ptr<CompiledProgram> tuned = compile_tuned(context, graph, settings, limit);
  return tuned ? tuned : compile_program(context, graph, settings, limit);
}

/// Compiles. If the system refuses a file or a mapping, the context's own caches may hold the last ones: drops them and tries once more.
std::shared_ptr<CompiledProgram> compile_with_what_is_left(harp_context& context, const Graph& graph, const CompileSettings& settings,
                                                           TimeLimit& limit) {
  try {
    return compile_any(context, graph, settings, limit);
  } catch (const Error& error) {
    if (error.code != Code::kIo) throw;
    context.log.warning("compiling again after clearing the context's memory caches: ", error.message);
  }
  context.programs.clear();
  context.service.drop_kept();
  return compile_any(context, graph, settings, limit);
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
  if (settings.backend == CompileSettings::Backend::kC) check_architecture(settings.pipeline.target);
  std::unique_ptr<Graph> copy = private_copy(graph, settings);
  std::shared_ptr<CompiledProgram> program = settings.backend == CompileSettings::Backend::kInterp
                                                 ? compile_interp(context, std::move(copy), settings, limit)
                                                 : compile_c(context, *copy, settings, limit);
  program->native = first_native(graph);
  return program;
}

std::optional<Digest> tuning_key(const harp_context& context, const Graph& graph, const CompileSettings& settings) {
  if (!settings.uses_tuning || settings.is_configured || settings.backend != CompileSettings::Backend::kC) return std::nullopt;
  const std::optional<Digest> key = compile_key(graph, settings);
  if (!key) return std::nullopt;
  return Hasher().add("tuning").add(key->hex()).add(context.hooks.width).add(context.compiler).finish();
}

}  // namespace harp::capi

namespace {

harp_program* compile_graph(harp_context& context, const Graph& source, const harp_compile_options* options, const char* function) {
  const auto inside = context.fork_guard.enter(function);
  const auto begin = std::chrono::steady_clock::now();
  const CompileSettings settings = read_compile_settings(context, options);
  TimeLimit limit(context.process, context.service.timeout(), Deadline::max(), settings.cancel);
  limit.check();
  const std::optional<Digest> key = settings.pipeline.dump ? std::nullopt : compile_key(source, settings);
  if (key) {
    if (std::shared_ptr<const CompiledProgram> known = context.programs.find(*key)) {
      auto* program = new harp_program(&context, std::move(known));
      program->stats.pipeline_ms = milliseconds_since(begin);
      program->stats.compile_ms = 0;
      program->stats.cache = HARP_CACHE_MEMORY;
      return program;
    }
  }
  check_native_functions(source);
  std::shared_ptr<CompiledProgram> compiled = compile_with_what_is_left(context, source, settings, limit);
  auto program = std::make_unique<harp_program>(&context, compiled);
  if (key) context.programs.insert(*key, compiled);
  return program.release();
}

/// Returns the graph that all n nodes belong to. Fails in the name of `function` if a node is NULL or of another graph.
harp_graph& graph_of(const char* function, int32_t n, harp_node* const* nodes) {
  HARP_CHECK(n >= 1 && nodes != nullptr, Code::kInvalidArgument, function, ": expected a list of at least one node, got ",
             n < 1 ? cat("a list of ", n) : std::string("NULL"));
  for (int32_t i = 0; i < n; ++i) {
    HARP_CHECK(nodes[i] != nullptr, Code::kInvalidArgument, function, ": node ", i, " is NULL");
    HARP_CHECK(nodes[i]->graph == nodes[0]->graph, Code::kInvalidArgument, function, ": node ", i, " belongs to another graph than node 0");
  }
  return *nodes[0]->graph;
}

/// Copies what these nodes depend on into a graph that has them as outputs. names may be NULL: output0, output1 ...
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
    HARP_CHECK(capacity >= 0 && (inputs != nullptr || capacity == 0), Code::kInvalidArgument, "harp_nodes_inputs: room for ", capacity,
               " inputs", capacity > 0 ? " at NULL" : "");
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
    const CompileSettings settings = read_compile_settings(*graph->context, options);
    const std::string_view name = std::string_view(stage) == "source" ? "c" : stage;
    if (settings.specialize.empty()) return new harp_string{emit_stage(source, settings.pipeline, name)};
    return new harp_string{emit_stage(*specialize(source, settings.fixed_sizes()), settings.pipeline, name)};
  });
}
