// A program as its backend built it. It computes outputs from arguments that LoadedProgram (program.h) has checked.
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

  /// Addresses of constant arrays, which a caller of execute() must append to the inputs. Valid during this object's lifetime.
  virtual std::span<void* const> hidden_inputs() const { return {}; }
  /// Thread-safe. `inputs` are the program's and the hidden ones. Throws Error{kOutOfMemory} before any output is written. At any time it
  /// may throw Error{kNative} (a native function of the host failed), IndexError, or Error{kCancelled} (the runtime's `cancel` flag was
  /// set); the contents of outputs are then unspecified.
  virtual void execute(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime) const = 0;
  /// Like execute(), but may return as soon as the run is in the queue of the arrays' device. Work that is put into that queue later,
  /// including the release of memory, comes after the run. If the run itself may still fail, it returns only when the run is complete.
  /// `captured` is null, or a stream for which Device::is_capturing() is true: the run is then not executed, but added to what that stream
  /// records. Error{kUnsupported} for a run that cannot be recorded.
  virtual void enqueue(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime, void* captured) const {
    HARP_ASSERT(captured == nullptr, "a run on a device without streams is captured");
    execute(inputs, outputs, shape_vars, runtime);
  }
  /// C functions that are valid during this object's lifetime. Error{kUnsupported} if the system forbids them.
  virtual harp_entry_point entry() const = 0;
  virtual harp_entry_point_ex entry_ex() const = 0;
  /// Bytes of workspace that execute() needs for these values of the shape variables and this number of workers; with less it allocates.
  /// Error{kOverflow} if the number does not fit 64 bits.
  virtual int64_t workspace_bytes(std::span<const int64_t> shape_values, size_t width) const = 0;
};

/// Backend "interp": evaluates the graph, which must not change any more.
std::unique_ptr<Executable> make_interp_executable(std::shared_ptr<const Graph> graph);

/// Native functions that generated code calls.
struct NativeTable {
  std::vector<void*> addresses;    // for harp_runtime.natives
  std::vector<std::string> calls;  // the function's name for each call
};

/// Code of the backend "c" in memory, and the constant arrays that it reads as hidden inputs.
struct LoadedCode {
  std::shared_ptr<const LoadedLibrary> library;
  size_t inputs = 0;  // number of the program's inputs
  std::vector<std::shared_ptr<const std::vector<std::byte>>> constants = {};
};

/// Backend "c": a loaded library. `workspace` and `scratch` (bytes for the program and for each worker) are expressions over `variables`,
/// the program's shape variables in order. `sites` holds the messages of index checks. If this CPU cannot run code for `target`, execute()
/// and the entry points throw Error{kUnsupported}.
std::unique_ptr<Executable> make_c_executable(LoadedCode code, Sym workspace, Sym scratch, NativeTable natives, std::vector<SiteText> sites,
                                              std::span<const Sym> variables, const Machine& target);

}  // namespace harp
