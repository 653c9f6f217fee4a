// From a graph to a program of one backend, without the context's program cache and tuning results.
#pragma once

#include "backend/backend.h"
#include "run/signature.h"

namespace harp {

struct BuildStats {
  double pipeline_ms = 0;  // time from the graph to the source, or to what the backend runs
  double compile_ms = 0;   // time from the source to the loaded program
  int kernels = 0, generations = 0;
  CompileReport::Origin origin = CompileReport::Origin::kCompiled;
  size_t artifact_bytes = 0;
  size_t constant_bytes = 0;  // bytes of the hidden inputs
};

struct Built {
  std::shared_ptr<const Signature> signature;
  std::unique_ptr<Executable> executable;
  std::string source;  // the source; "" if the backend generates none
  BuildStats stats;
};

/// Makes a program of the graph, which must not change any more. Thread-safe. Throws the errors of the pipeline and of the row's functions.
Built build_program(const Backend& backend, const Resources& resources, std::shared_ptr<const Graph> graph, const BuildOptions& options,
                    TimeLimit& limit);

/// Returns the text of the stage backend.assembly for the graph; the backend must have one. Throws the errors of the pipeline and of
/// assemble().
std::string assembly_of(const Backend& backend, const Resources& resources, const Graph& graph, const BuildOptions& options,
                        TimeLimit& limit);

}  // namespace harp
