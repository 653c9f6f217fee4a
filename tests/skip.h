// HARP_MACHINE, which names the machine row that tests are about, and test cases that count as skipped. Knows nothing of harp's insides, so
// that tests of libharp.so can use it; machine.h has the row itself.
#pragma once

#include <cstdlib>
#include <string>

namespace harp::testing {

/// Ends a test case, which counts as skipped unless a check failed before. May be thrown in a CHECK, but not in CHECK_NOTHROW, nor on
/// another thread.
struct Skip {
  std::string reason;
};

/// The running test case goes on, and counts as skipped unless a check fails. Defined in main.cpp; for the thread that runs test cases.
void note_skip(const std::string& reason);

/// What HARP_MACHINE says; NULL: nothing. main.cpp refuses a name that is no row's before the first test case.
inline const char* machine_name() {
  const char* name = std::getenv("HARP_MACHINE");
  return name != nullptr && *name != '\0' ? name : nullptr;
}

}  // namespace harp::testing
