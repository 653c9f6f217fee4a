// HARP_MACHINE, the environment variable that names the target of the tests, and functions to skip test cases. This header includes no
// internal header of harp, so that tests of libharp.so can use it; machine.h looks up the target itself.
#pragma once

#include <cstdlib>
#include <string>

namespace harp::testing {

/// Thrown to end a test case, which then counts as skipped unless a check has failed. May be thrown inside a CHECK, but not inside a
/// CHECK_NOTHROW or on another thread.
struct Skip {
  std::string reason;
};

/// Records that the current test case counts as skipped unless a check fails. The test case continues. Must be called on the thread that
/// runs the test cases. Defined in main.cpp.
void note_skip(const std::string& reason);

/// The value of HARP_MACHINE, the name of a row of the table of machines, or NULL. Before the first test case, main.cpp rejects a name that
/// is not in the table.
inline const char* machine_name() {
  const char* name = std::getenv("HARP_MACHINE");
  return name != nullptr && *name != '\0' ? name : nullptr;
}

}  // namespace harp::testing
