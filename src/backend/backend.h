// A backend is one way to compile and run a graph. It is described by a Backend struct of data and functions; table.h has the list of
// backends. The rest of harp uses this struct and never tests which backend it has, so a new backend changes nothing else.
//
// build.h makes a program of a graph with these functions. A backend that generates code has `code`, `begin` and `compile`:
//
//   Graph ── code->schedule, lower, render (pipeline.h) ──► source ── compile ──► Artifact ── load ──► Executable
//
// A backend without them executes the graph itself: Graph ── load ──► Executable.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/machine.h"
#include "base/process.h"
#include "base/time_limit.h"
#include "compile/service.h"
#include "graph/graph.h"
#include "pipeline.h"
#include "run/device.h"
#include "run/executable.h"
#include "run/signature.h"

namespace harp {

namespace cuda {
class Platform;
}

/// What a context provides to its backends. It lives as long as the context.
struct Resources {
  System system;
  CompileService& service;
  const Log& log;
  const Machine& host;   // this CPU
  cuda::Platform& cuda;  // the GPUs; the driver is opened at the first use
};

/// Options for building a program. The host application sets them in harp_compile_options.
struct BuildOptions {
  PipelineOptions pipeline;
  std::string compiler;            // command of the compiler; empty: the context's compiler
  std::vector<std::string> flags;  // compiler flags in addition to harp's own
};

struct Availability {
  std::string why_not;  // the reason why the backend cannot be used; "" if it can be used
  std::string facts;    // the text for harp_context_describe: lines "key: value", each with its newline
};

/// A program that is compiled, but not loaded yet.
struct Loadable {
  /// A backend without `code` executes this graph, which does not change any more.
  std::shared_ptr<const Graph> graph;
  /// The result of the backend's `code`, if it has one. The member `source` is empty, because the source has been moved out of it.
  Generated generated = {};
  /// The compiled source, if the backend has `code`.
  std::shared_ptr<const Artifact> artifact = nullptr;
  Machine target = {};
  std::shared_ptr<const Signature> signature = nullptr;  // names, dtypes and sizes of the inputs and outputs
};

/// The description of one backend. The strings and functions are static. The functions may be called from several threads at once.
struct Backend {
  std::string_view name;  // the name by which harp_compile_options.backend selects the backend
  bool tunes = false;     // true: harp_tune can search schedules and compiler flags for this backend

  /// States whether the backend can be used now and, if not, why.
  Availability (*available)(const Resources& resources);
  /// Returns the machine for which programs are compiled: the one of this name, or the default machine if `name` is NULL. For an unknown
  /// name, throws Error{kInvalidArgument} with the list of names.
  Machine (*machine)(const Resources& resources, const char* name);
  /// Returns the devices whose arrays the backend's programs read and write. Outputs that harp allocates are on the first device. If there
  /// is no device now, throws Error{kDevice} with the reason.
  std::vector<const Device*> (*devices)(const Resources& resources);

  /// The passes of the pipeline that are specific to the backend. NULL: the backend executes the graph itself.
  const CodeGenerator* code = nullptr;
  /// Is called before code is generated. Checks that `compile` can succeed, and starts work that may run in parallel with code generation.
  /// Returns an object that keeps this work running until it is released, or null. Throws Error{kUnsupported} for a machine for which the
  /// backend can generate code, but cannot compile it.
  std::shared_ptr<const void> (*begin)(const Resources& resources, const BuildOptions& options) = nullptr;
  /// Compiles the source to an artifact, or finds the artifact in a cache. Throws the errors of CompileService::compile.
  std::shared_ptr<const Artifact> (*compile)(const Resources& resources, const CompileRequest& request, TimeLimit& limit,
                                             CompileReport& report) = nullptr;
  /// An optional text that a compiler makes from the source and that is only for reading, such as assembly. `assembly` is the name of this
  /// kind of text, for example "ptx". `assemble` returns the text, for which no device is needed, and throws the errors of
  /// CompileService::compile. NULL: the backend has no such text.
  std::string_view assembly = {};
  std::string (*assemble)(const Resources& resources, const CompileRequest& request, TimeLimit& limit) = nullptr;
  /// Makes an executable of a compiled program. Throws Error{kIo} for a failure of the system, after which a later call may succeed. If a
  /// cached artifact causes another error, build_program() compiles the source again.
  std::unique_ptr<Executable> (*load)(const Resources& resources, const Loadable& program);
};

}  // namespace harp
