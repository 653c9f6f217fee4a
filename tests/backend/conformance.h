// What every backend must do, as checks of one backend: its operations have the interpreter's bits, its errors are the same errors, its
// arrays may be on a device of its own. The checks use harp.h, as a host does. CONTRIBUTING.md, "Add a backend", says how to use them.
#pragma once

#include <functional>

#include "backend/backend.h"
#include "support/capi_support.h"

namespace conformance {

/// A backend under test.
struct Subject {
  const char* name;
  const harp::Backend* row = nullptr;  // added to every context; NULL: harp has it already
  // Compile options for programs whose speed does not matter, because the many graphs of check_operations take long to compile.
  std::function<void(harp_compile_options&)> quick = nullptr;
  std::function<void(harp_context*)> prepare = nullptr;  // called with each new context
};

/// Every operation of the table, with small inputs of all kinds of shapes (scalar, empty, one element, strided, symbolic ...) and special
/// values. Each operation has one of its dtypes.
void check_operations(const Subject& subject);
/// Symbolic sizes, empty arrays, names of shape variables, signatures, stages and statistics.
void check_programs(const Subject& subject);
/// Wrong arguments, indices out of range, functions of the host that fail: code and message of the interpreter, outputs unchanged.
void check_errors(const Subject& subject);
/// Outputs in place of inputs, and arrays that overlap where they must not.
void check_aliases(const Subject& subject);
/// Many threads run one program, and contexts with several workers.
void check_threads(const Subject& subject);
/// A flag that is set before a compilation or a run, or during a run.
void check_cancelling(const Subject& subject);
/// Handles that are released early, and time limits of compilations.
void check_lifetimes_and_limits(const Subject& subject);
/// Buffers on the backend's device and on others, and entry points.
void check_devices(const Subject& subject);

}  // namespace conformance
