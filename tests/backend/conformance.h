// Checks that one backend does what every backend must do: its results and errors are bit-identical to the interpreter's, also for arrays
// on a device of its own. Like a program that embeds harp, the checks use harp.h. CONTRIBUTING.md, "Add a backend", says how to use them.
#pragma once

#include <functional>

#include "backend/backend.h"
#include "support/capi_support.h"

namespace conformance {

/// Describes a backend that is tested.
struct Subject {
  const char* name;
  const harp::Backend* row = nullptr;  // the backend's table entry, which is added to every context; NULL: harp's own table has the entry
  // Changes compile options so that a program compiles quickly. check_operations uses it, because it compiles many graphs and their speed
  // does not matter.
  std::function<void(harp_compile_options&)> quick = nullptr;
  std::function<void(harp_context*)> prepare = nullptr;  // called with each new context
  // The number of rows of the array with which check_threads runs a program on many threads. It is large enough for a CPU's workers to
  // share the rows. A device that is emulated needs fewer.
  int64_t rows_for_threads = 400;
};

/// Checks every operation of harp's table, each with one of its dtypes, with small inputs of all kinds of shapes (scalar, empty, one
/// element, strided, symbolic ...) and special values.
void check_operations(const Subject& subject);
/// Checks symbolic sizes, empty arrays, names of shape variables, signatures, pipeline stages and statistics.
void check_programs(const Subject& subject);
/// Checks wrong arguments, indices out of range, and native functions that fail. Code and message must be the interpreter's, and outputs
/// must be unchanged.
void check_errors(const Subject& subject);
/// Checks runs in which an output is stored in the buffer of an input, and runs that must be rejected because their arrays overlap.
void check_aliases(const Subject& subject);
/// Checks a program that many threads run, and contexts with several workers.
void check_threads(const Subject& subject);
/// Checks cancelling, with a flag that is set before a compilation, before a run, or during a run.
void check_cancelling(const Subject& subject);
/// Checks handles that are released early, and time limits of compilations.
void check_lifetimes_and_limits(const Subject& subject);
/// Checks buffers on the backend's device and on other devices, and entry points.
void check_devices(const Subject& subject);

}  // namespace conformance
