// Composites are made of other operations, whose constructors find most mistakes and would name themselves: linspace with a negative
// count is an arange with a negative size. What calls a constructor for a user says here what the user wrote, and errors name that.
#pragma once

#include <string_view>

#include "base/error.h"

namespace harp {

/// Makes the message begin with `operation`: instead of the operation that it begins with, or before all of it. Bugs (kInternal) and
/// what could not even be read (kParse) stay as they are.
void name_operation(Error& error, std::string_view operation);

/// Runs body(), which carries out `operation`.
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
