// Defines the executable form of a program, which a backend has built. It computes outputs from arguments that LoadedProgram (program.h)
// has checked.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/machine.h"
#include "compile/loader.h"
#include "graph/graph.h"
#include "graph/index_fault.h"
#include "harp.h"
#include "run/size_code.h"

namespace harp {

class Executable {
 public:
  virtual ~Executable() = default;

  /// Returns the addresses of constant arrays. A caller of execute() must append them to the inputs. They are valid during this object's
  /// lifetime.
  virtual std::span<void* const> hidden_inputs() const { return {}; }
  /// Runs the program. Thread-safe. `inputs` are the program's inputs followed by hidden_inputs(). Throws Error{kOutOfMemory} before any
  /// output is written. At any time it may throw Error{kNative} (a native function of the host application failed), IndexError, or
  /// Error{kCancelled} (the runtime's `cancel` flag was set); the contents of outputs are then unspecified.
  virtual void execute(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime) const = 0;
  /// Like execute(), but may return before the run is complete, as soon as the device's queue contains the run. Work that is added to this
  /// queue later, including the release of memory, executes after the run. If the run itself may still fail, enqueue() returns only when
  /// the run is complete. `captured` is null, or a stream for which Device::is_capturing() is true. In that case the run is not executed;
  /// the stream records it in its graph. Throws Error{kUnsupported} for a run that cannot be recorded.
  virtual void enqueue(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime, void* captured) const {
    HARP_ASSERT(captured == nullptr, "a run on a device without streams is captured");
    execute(inputs, outputs, shape_vars, runtime);
  }
  /// Return the program's entry points: C functions that are valid during this object's lifetime. Throw Error{kUnsupported} if the system
  /// or the CPU cannot run them.
  virtual harp_entry_point entry() const = 0;
  virtual harp_entry_point_ex entry_ex() const = 0;
  /// Returns the bytes of workspace that execute() needs for these values of the shape variables and `width` workers. If execute() receives
  /// a smaller workspace, it allocates one. Throws Error{kOverflow} if the number of bytes does not fit 64 bits.
  virtual int64_t workspace_bytes(std::span<const int64_t> shape_values, size_t width) const = 0;
  /// Tests whether execute() needs a workspace only for some values of the shape variables. It then finds out and takes one faster than
  /// workspace_bytes() would, and the number of bytes always fits 64 bits.
  virtual bool may_need_no_workspace() const { return false; }
};

/// Returns an executable of the backend "interp", which evaluates the graph. The graph must not change any more.
std::unique_ptr<Executable> make_interp_executable(std::shared_ptr<const Graph> graph);

/// The native functions of the host application that generated code calls.
struct NativeTable {
  std::vector<void*> addresses;    // for harp_runtime.natives
  std::vector<std::string> calls;  // for each call in the generated code, the name of the function
};

/// The loaded code of the backend "c", and the constant arrays that it receives as hidden inputs.
struct LoadedCode {
  std::shared_ptr<const LoadedLibrary> library;  // null if this CPU cannot run the code
  size_t inputs = 0;                             // number of the program's own inputs
  std::vector<std::shared_ptr<const std::vector<std::byte>>> constants = {};
};

/// Returns an executable of the backend "c", which calls loaded code. The expressions `workspace` (bytes for the whole program) and
/// `scratch` (bytes for each worker) use `variables`, the program's shape variables in order. `sites` contains the messages of index
/// checks. If this CPU cannot run code for `target`, the code is not loaded, and execute() and the entry points throw Error{kUnsupported}.
std::unique_ptr<Executable> make_c_executable(LoadedCode code, Sym workspace, Sym scratch, NativeTable natives, std::vector<SiteText> sites,
                                              std::span<const Sym> variables, const Machine& target);

}  // namespace harp
