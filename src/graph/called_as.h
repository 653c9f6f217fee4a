// Composites consist of other operations. The constructors of those operations detect most mistakes, but their messages would name an
// operation that the user did not write: linspace with a negative count fails as an arange with a negative size. Code that calls
// constructors on behalf of a user calls these functions to state which operation the user wrote, and errors name that operation.
#pragma once

#include <string_view>

#include "base/error.h"

namespace harp {

/// Makes the message begin with `operation`. If the message begins with another operation, `operation` replaces it. Messages of bugs
/// (kInternal), of parse errors (kParse) and of failed allocations (kOutOfMemory) stay unchanged.
void name_operation(Error& error, std::string_view operation);

/// Runs body(), which implements `operation`. Errors that it throws name `operation`.
template <class Body>
decltype(auto) called_as(std::string_view operation, Body&& body) {
  try {
    return body();
  } catch (Error& error) {
    name_operation(error, operation);
    throw;
  }
}

}  // namespace harp
