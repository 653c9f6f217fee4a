// harp_error, and the one place where exceptions become errors: no exception crosses the C boundary. If memory runs out while an error is
// being created, the result is a static error. The host's floating-point modes do not cross the boundary either: harp converts, prints and
// folds numbers in the default floating-point environment.
#pragma once

#include <string_view>

#include "base/error.h"
#include "base/float_environment.h"
#include "harp.h"

namespace harp::capi {

/// Creates an error that the caller owns; returns the static out-of-memory error if there is no memory for it. Never null.
harp_error* make_error(Code code, std::string_view message, std::string_view compiler_output = {}) noexcept;
/// Throws a copy of an existing error.
[[noreturn]] void fail_with(const harp_error* error);

/// The exception in flight as an error. Call it inside a catch block only.
harp_error* error_in_flight() noexcept;

/// Stores the error in *err if err is not NULL and *err is NULL; releases it otherwise. Returns its code.
harp_status report(harp_error** err, harp_error* error) noexcept;

/// Runs `body` and reports its exception to `err`. It wraps every function that returns a handle or a pointer; these return null on
/// failure.
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

/// Like guard(), for functions that return a status; `body` returns nothing.
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

/// Error{kInvalidArgument} naming `function` and `argument` if the pointer is NULL.
template <class T>
T& required(T* pointer, const char* function, const char* argument) {
  HARP_CHECK(pointer != nullptr, Code::kInvalidArgument, function, ": ", argument, " is NULL");
  return *pointer;
}

}  // namespace harp::capi
