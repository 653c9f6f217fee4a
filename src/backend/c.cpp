#include <algorithm>

#include "backend/rows.h"
#include "base/error.h"
#include "base/text.h"
#include "ir/hidden_constants.h"

namespace harp {

namespace {

Availability available(const Resources& resources) {
  try {
    const CompilerIdentity identity = resources.service.compiler();
    return {"", cat("compiler: ", identity.program, "\ncompiler version: ", identity.version_line(), "\n")};
  } catch (const Error& error) {
    return {error.message, cat("compiler: none: ", error.message, "\n")};
  }
}

/// Starts the search for the compiler, which runs in parallel with the generation of the source. Returns the search, or null if none is
/// needed. Throws Error{kUnsupported} if the target has another architecture than this machine.
std::shared_ptr<const void> begin(const Resources& resources, const BuildOptions& options) {
  const Machine& target = options.pipeline.target;
  const auto is_it = [&](const Machine& foreign) { return foreign.name == target.name; };
  HARP_CHECK(std::ranges::none_of(foreign_machines(), is_it), Code::kUnsupported, "harp_compile_options: the target ", target.name,
             " has another architecture than this machine: its source can be emitted, but not compiled");
  return resources.service.begin_search(options.compiler);
}

std::shared_ptr<const Artifact> compile(const Resources& resources, const CompileRequest& request, TimeLimit& limit,
                                        CompileReport& report) {
  return resources.service.compile(request, limit, &report);
}

NativeTable natives_of(const ir::Module& module) {
  NativeTable natives{module.natives, {}};
  for (const ir::Generation& generation : module.generations)
    for (const ir::NativeCall& call : generation.calls) natives.calls.push_back(call.name);
  return natives;
}

std::unique_ptr<Executable> load(const Resources& resources, const Loadable& program) {
  const ir::Module& module = *program.generated.module;
  LoadedCode code{nullptr, module.inputs.size()};
  if (can_run(program.target)) code.library = resources.service.loader().load(*program.artifact);
  const ir::HiddenConstants hidden(module);
  for (const size_t i : hidden.constants()) code.constants.push_back(module.constants[i].data);
  return make_c_executable(std::move(code), module.workspace, module.scratch_of_run, natives_of(module), program.generated.sites,
                           module.shape_vars, program.target);
}

}  // namespace

const Backend kCBackend = {
    .name = "c",
    .tunes = true,
    .available = &available,
    .machine = &cpu_machine,
    .devices = &cpu_devices,
    .code = &kCCode,
    .begin = &begin,
    .compile = &compile,
    .load = &load,
};

}  // namespace harp
