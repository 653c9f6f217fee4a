// A backend: one way to make a program of a graph and to run it. Each is a row of data and functions; table.h lists the rows. The rest of
// harp uses what a row contains and never tests which backend it is, so a new backend is a new row and changes nothing else.
//
// build.h takes a graph through the columns of a row. A row that generates code has `code`, `begin` and `compile`:
//
//   Graph ── code->schedule, lower, render (pipeline.h) ──► source ── compile ──► Artifact ── load ──► Executable
//
// A row without them runs the graph itself: Graph ── load ──► Executable.
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

/// What a context provides to its backends. Valid as long as the context.
struct Resources {
  System system;
  CompileService& service;
  const Log& log;
  const Machine& host;   // this CPU
  cuda::Platform& cuda;  // GPUs, opened when they are first asked for
};

/// How to make a program; what the host chose in harp_compile_options.
struct BuildOptions {
  PipelineOptions pipeline;
  std::string compiler;            // a command; empty: the context's compiler
  std::vector<std::string> flags;  // compiler flags in addition to harp's own
};

struct Availability {
  std::string why_not;  // why the backend cannot be used; "": it can
  std::string facts;    // lines "key: value" for harp_context_describe, each with its newline
};

/// A program before it is loaded.
struct Loadable {
  std::shared_ptr<const Graph> graph;                  // the graph to run, for a row without `code`; it does not change any more
  Generated generated = {};                            // for a row with `code`: what it generated, without the source
  std::shared_ptr<const Artifact> artifact = nullptr;  // for a row with `code`: what the compiler made
  Machine target = {};
  std::shared_ptr<const Signature> signature = nullptr;  // names, dtypes and sizes of the arrays
};

/// One row. The strings and functions are static. Functions are called from any thread, several at once.
struct Backend {
  std::string_view name;  // what harp_compile_options.backend takes
  bool tunes = false;     // whether harp_tune searches schedules and flags for it

  /// Tells whether the backend can be used now.
  Availability (*available)(const Resources& resources);
  /// Returns the machine that programs are made for: the one of this name, or the default if it is NULL. Error{kInvalidArgument} lists the
  /// names.
  Machine (*machine)(const Resources& resources, const char* name);
  /// Returns the devices whose arrays the backend's programs read and write; outputs that harp allocates are on the first. Error{kDevice}
  /// says why there is none now.
  std::vector<const Device*> (*devices)(const Resources& resources);

  /// The passes of the pipeline that are specific to the backend. NULL: the backend runs the graph itself.
  const CodeGenerator* code = nullptr;
  /// Called before code is generated: checks that `compile` can succeed and begins what may run in parallel with code generation, until the
  /// result is released. Error{kUnsupported} for a machine that it generates code for but cannot compile.
  std::shared_ptr<const void> (*begin)(const Resources& resources, const BuildOptions& options) = nullptr;
  /// Makes an artifact of the source, or finds it in a cache. Errors: those of CompileService::compile.
  std::shared_ptr<const Artifact> (*compile)(const Resources& resources, const CompileRequest& request, TimeLimit& limit,
                                             CompileReport& report) = nullptr;
  /// A stage after the source that is only for reading, such as assembly: its name ("ptx"), and a function that has a compiler make its
  /// text from the source and needs no device. Errors: those of CompileService::compile. NULL: there is none.
  std::string_view assembly = {};
  std::string (*assemble)(const Resources& resources, const CompileRequest& request, TimeLimit& limit) = nullptr;
  /// Makes a program that runs. Error{kIo} for a failure of the system: a later call may succeed. Another error of a cached artifact makes
  /// build_program() compile it again.
  std::unique_ptr<Executable> (*load)(const Resources& resources, const Loadable& program);
};

}  // namespace harp
