// Makes a program of a graph for one backend. The context's program cache and tuning results are not used here.
#pragma once

#include "backend/backend.h"
#include "run/signature.h"

namespace harp {

struct BuildStats {
  double pipeline_ms = 0;  // time to generate the source or, for a backend without code generation, to make the whole program
  double compile_ms = 0;   // time to compile the source and load the program
  int kernels = 0, generations = 0;
  CompileReport::Origin origin = CompileReport::Origin::kCompiled;
  size_t artifact_bytes = 0;
  size_t constant_bytes = 0;  // size of the constant arrays that are passed as additional inputs instead of being part of the source
};

struct Built {
  std::shared_ptr<const Signature> signature;
  std::unique_ptr<Executable> executable;
  std::string source;  // the generated source; "" if the backend generates none
  BuildStats stats;
};

/// Makes a program of the graph, which must not change any more. Thread-safe. Throws the errors of the pipeline and of the backend's
/// functions.
Built build_program(const Backend& backend, const Resources& resources, std::shared_ptr<const Graph> graph, const BuildOptions& options,
                    TimeLimit& limit);

/// Returns the text that backend.assemble makes for the graph; the backend must have this function. Throws the errors of the pipeline and
/// of backend.assemble.
std::string assembly_of(const Backend& backend, const Resources& resources, const Graph& graph, const BuildOptions& options,
                        TimeLimit& limit);

}  // namespace harp
