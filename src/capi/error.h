// Defines harp_error, and the conversion of exceptions to errors: no exception leaves a function of the C interface. If memory runs out
// while an error is being created, the result is a static error. The host's floating-point modes do not affect harp: inside its functions,
// harp converts, prints and folds numbers in the default floating-point environment.
#pragma once

#include <string_view>

#include "base/error.h"
#include "base/float_environment.h"
#include "harp.h"

namespace harp::capi {

/// Creates an error, which the caller then owns. Returns the static out-of-memory error if there is no memory for a new one. Never returns
/// null.
harp_error* make_error(Code code, std::string_view message, std::string_view compiler_output = {}) noexcept;
/// Throws an existing error as an exception with the same code and texts.
[[noreturn]] void fail_with(const harp_error* error);

/// Converts the exception that is being handled to an error. Call it only inside a catch block.
harp_error* error_in_flight() noexcept;

/// Takes ownership of `error` and returns its code. Stores it in *err if err is not NULL and *err is NULL; otherwise releases it.
harp_status report(harp_error** err, harp_error* error) noexcept;

/// Runs `body` and returns its result. If `body` throws, stores the exception in *err and returns null. It wraps every function of the C
/// interface that returns a handle or a pointer.
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

/// Like guard(), for functions that return a status. `body` returns nothing.
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

/// Returns *pointer. If it is NULL, throws Error{kInvalidArgument} naming `function` and `argument`.
template <class T>
T& required(T* pointer, const char* function, const char* argument) {
  HARP_CHECK(pointer != nullptr, Code::kInvalidArgument, function, ": ", argument, " is NULL");
  return *pointer;
}

}  // namespace harp::capi
