#include "backend/build.h"

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "ir/hidden_constants.h"
#include "run/cuda/plan.h"

namespace harp {

namespace {

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

std::shared_ptr<const Signature> signature_with(const Graph& graph, std::span<const InPlaceArguments> in_place) {
  auto signature = std::make_shared<Signature>(signature_of(graph));
  for (const InPlaceArguments& pair : in_place)
    signature->outputs[static_cast<size_t>(pair.output)].in_place.push_back(static_cast<size_t>(pair.input));
  for (ArraySignature& output : signature->outputs) std::sort(output.in_place.begin(), output.in_place.end());
  return signature;
}

/// Makes a program for a backend that executes the graph itself. The program computes exactly those outputs in place (in the memory of an
/// input) that generated code computes in place. Therefore the host application can switch backends and pass the same memory.
Built build_from_graph(const Backend& backend, const Resources& resources, std::shared_ptr<const Graph> graph, const BuildOptions& options,
                       TimeLimit& limit) {
  const auto begin = std::chrono::steady_clock::now();
  Built built;
  built.signature = signature_with(*graph, in_place_arguments(*graph, options.pipeline, &limit));
  // With index checks, this backend executes the optimised graph, because the optimiser decides which indices are checked and in which
  // order.
  if (options.pipeline.check_indices || !check_sites(*graph).empty()) graph = optimised(*graph, options.pipeline, &limit);
  Loadable program{std::move(graph)};
  program.signature = built.signature;
  program.target = options.pipeline.target;
  built.executable = backend.load(resources, program);
  built.stats.pipeline_ms = milliseconds_since(begin);
  return built;
}

/// Asserts that the generated code takes the signature's shape variables in the signature's order. The arguments of the compiled function
/// entry_point then mean the same for every backend.
void check_variables(const Signature& signature, const ir::Module& module) {
  bool same = module.shape_vars.size() == signature.variables.size();
  for (size_t i = 0; same && i < module.shape_vars.size(); ++i)
    same = variable_of(module.shape_vars[i])->name == signature.variables[i].name;
  HARP_ASSERT(same, "the shape variables of the generated code are ", join(module.shape_vars, ", ", [](Sym v) { return to_string(v); }),
              ", expected those of ", signature.text());
}

/// Returns the request to the compiler. Moves the source out of `generated`.
CompileRequest request_of(Generated& generated, const Signature& signature, const BuildOptions& options) {
  CompileRequest request;
  request.source = std::move(generated.source);
  request.functions = std::move(generated.functions);
  request.signature = signature.text();
  request.target = options.pipeline.target;
  request.vectors_written = generated.vectors_written;
  request.flags = options.flags;
  if (generated.plan != nullptr)
    for (const cuda::Kernel& kernel : generated.plan->kernels) request.exports.push_back(kernel.name);
  request.compiler = options.compiler;
  return request;
}

Built build_from_code(const Backend& backend, const Resources& resources, const Graph& graph, const BuildOptions& options,
                      TimeLimit& limit) {
  const std::shared_ptr<const void> begun = backend.begin(resources, options);
  Built built;
  Loadable program{nullptr, generate(graph, options.pipeline, &limit)};
  program.target = options.pipeline.target;
  const Generated& generated = program.generated;
  program.signature = built.signature = signature_with(graph, generated.in_place);
  check_variables(*built.signature, *generated.module);

  const auto begin = std::chrono::steady_clock::now();
  CompileRequest request = request_of(program.generated, *built.signature, options);
  CompileReport report;
  program.artifact = backend.compile(resources, request, limit, report);
  try {
    built.executable = backend.load(resources, program);
  } catch (const Error& error) {
    // After kIo (a failure of the system) the artifact may still be valid, so it is not compiled again.
    if (report.origin == CompileReport::Origin::kCompiled || error.code == Code::kIo) throw;
    // A cached artifact that cannot be loaded, for example because another system made it, is compiled again.
    resources.log.warning("a cached program cannot be loaded and is compiled again: ", error.message);
    resources.service.forget(*program.artifact);
    program.artifact = backend.compile(resources, request, limit, report);
    built.executable = backend.load(resources, program);
  }
  built.stats = {generated.stats.milliseconds,
                 milliseconds_since(begin),
                 generated.stats.kernels,
                 generated.stats.generations,
                 report.origin,
                 program.artifact->payload().size(),
                 0};
  const ir::HiddenConstants hidden(*generated.module);
  for (const size_t i : hidden.constants()) built.stats.constant_bytes += generated.module->constants[i].data->size();
  built.source = std::move(request.source);
  return built;
}

}  // namespace

std::string assembly_of(const Backend& backend, const Resources& resources, const Graph& graph, const BuildOptions& options,
                        TimeLimit& limit) {
  Generated generated = generate(graph, options.pipeline, &limit);
  return backend.assemble(resources, request_of(generated, signature_of(graph), options), limit);
}

Built build_program(const Backend& backend, const Resources& resources, std::shared_ptr<const Graph> graph, const BuildOptions& options,
                    TimeLimit& limit) {
  if (backend.code == nullptr) return build_from_graph(backend, resources, std::move(graph), options, limit);
  return build_from_code(backend, resources, *graph, options, limit);
}

}  // namespace harp
