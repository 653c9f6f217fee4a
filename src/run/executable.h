// A program as its backend made it: something that computes outputs from arguments that are right. Program (program.h) checks them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/target.h"
#include "compile/loader.h"
#include "graph/graph.h"
#include "graph/index_fault.h"
#include "harp.h"
#include "run/size_code.h"

namespace harp {

class Executable {
 public:
  virtual ~Executable() = default;

  /// Thread-safe. Error{kOutOfMemory} before any output is written; Error{kNative}, where a function of the host's failed, IndexError and,
  /// after the runtime's `cancel` was set, Error{kCancelled} at any time: what outputs hold then is not said.
  virtual void execute(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime) const = 0;
  /// Plain functions that live as long as this object. Error{kUnsupported} where the system forbids them.
  virtual harp_entry_point entry() const = 0;
  virtual harp_entry_point_ex entry_ex() const = 0;
  /// Bytes of workspace execute() wants for these values of the shape variables and this many workers; less makes it allocate.
  /// Error{kOverflow} if it is no size.
  virtual int64_t workspace_bytes(std::span<const int64_t> shape_values, size_t width) const = 0;
};

/// Backend "interp": the graph itself, which is not changed any more.
std::unique_ptr<Executable> make_interp_executable(std::shared_ptr<const Graph> graph);

/// What generated code calls besides its own functions.
struct NativeTable {
  std::vector<void*> addresses;    // harp_runtime's natives
  std::vector<std::string> calls;  // the name of the function that each call calls
};

/// Backend "c": a loaded library. `workspace` and `scratch`, bytes that each worker needs besides, are expressions of `variables`, the
/// program's shape variables in order, `sites` the words of those that check indices. Where this CPU cannot run code for `target`,
/// execute() and the entry points fail: Error{kUnsupported}.
std::unique_ptr<Executable> make_c_executable(std::shared_ptr<const LoadedLibrary> library, Sym workspace, Sym scratch, NativeTable natives,
                                              std::vector<SiteText> sites, std::span<const Sym> variables, const Target& target);

}  // namespace harp
