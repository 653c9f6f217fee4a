// harp_error and the one place where exceptions become errors: no exception passes the C boundary, and running out of memory while an
// error is being made gives an error that needs none. The host's floating-point modes do not pass it either: numbers are converted,
// printed and folded as in the default environment.
#pragma once

#include <string_view>

#include "base/error.h"
#include "base/float_environment.h"
#include "harp.h"

namespace harp::capi {

/// An owned error; the static out-of-memory error when there is no memory for it. Never null.
harp_error* make_error(Code code, std::string_view message, std::string_view compiler_output = {}) noexcept;
/// Throws an error that was made before.
[[noreturn]] void fail_with(const harp_error* error);

/// Inside a catch block: the exception in flight as an error.
harp_error* error_in_flight() noexcept;

/// Hands an error to the caller: stored in *err if there is a place that is still empty, else released. Returns its code.
harp_status report(harp_error** err, harp_error* error) noexcept;

/// Runs `body` and reports what it throws: the guard of every function that returns a handle or a pointer; null on failure.
template <class Body>
auto guard(harp_error** err, Body&& body) noexcept -> decltype(body()) {
  const FloatEnvironment environment;
  try {
    return body();
  } catch (...) {
    report(err, error_in_flight());
    return nullptr;
  }
}

/// The same for functions that return a status; `body` returns nothing.
template <class Body>
harp_status guard_status(harp_error** err, Body&& body) noexcept {
  const FloatEnvironment environment;
  try {
    body();
    return HARP_OK;
  } catch (...) {
    return report(err, error_in_flight());
  }
}

/// `argument` of `function` may not be NULL.
template <class T>
T& required(T* pointer, const char* function, const char* argument) {
  HARP_CHECK(pointer != nullptr, Code::kInvalidArgument, function, ": ", argument, " is NULL");
  return *pointer;
}

}  // namespace harp::capi
