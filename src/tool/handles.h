// Wraps the handles of harp's C interface in C++ objects, for the program `harp`. A handle is released by its owner's destructor, and an
// error of a call becomes an exception.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "harp.h"

namespace harp::tool {

/// The exception for an error. main() prints the message and exits with `exit_status`.
struct Failure {
  std::string message;
  int exit_status = 1;  // 2 means that the command line is wrong
};

template <class T, void (*release)(T*)>
struct Releaser {
  void operator()(T* handle) const { release(handle); }
};
template <class T, void (*release)(T*)>
using Handle = std::unique_ptr<T, Releaser<T, release>>;

using Context = Handle<harp_context, harp_context_release>;
using Graph = Handle<harp_graph, harp_graph_release>;
using Program = Handle<harp_program, harp_program_release>;
using Buffer = Handle<harp_buffer, harp_buffer_release>;
using String = Handle<harp_string, harp_string_release>;

/// Receives the harp_error of one call; raise() throws it as a Failure.
class ErrorSlot {
 public:
  ErrorSlot() = default;
  ~ErrorSlot() { harp_error_release(error_); }
  ErrorSlot(const ErrorSlot&) = delete;
  ErrorSlot& operator=(const ErrorSlot&) = delete;

  harp_error** operator&() { return &error_; }
  [[noreturn]] void raise(const std::string& where) const {
    std::string message = where + (where.empty() ? "" : ": ") + harp_error_message(error_);
    const std::string output = harp_error_compiler_output(error_);
    if (!output.empty()) message += "\n" + output;
    throw Failure{message};
  }

 private:
  harp_error* error_ = nullptr;
};

/// Calls a function of harp.h that returns a handle, for example made<Program>("where", harp_compile, graph, options). Throws a Failure if
/// the call fails; its message begins with `where`.
template <class Owner, class Function, class... Arguments>
Owner made(const std::string& where, Function function, Arguments... arguments) {
  ErrorSlot error;
  Owner owner(function(arguments..., &error));
  if (owner == nullptr) error.raise(where);
  return owner;
}

/// Calls a function of harp.h that returns a status. Throws a Failure if the call fails; its message begins with `where`.
template <class Function, class... Arguments>
void done(const std::string& where, Function function, Arguments... arguments) {
  ErrorSlot error;
  if (function(arguments..., &error) != HARP_OK) error.raise(where);
}

/// Calls a function of harp.h that returns a harp_string, and returns a copy of its text. Throws a Failure if the call fails.
template <class Function, class... Arguments>
std::string text_of(Function function, Arguments... arguments) {
  const String string = made<String>("", function, arguments...);
  return {harp_string_data(string.get()), harp_string_size(string.get())};
}

}  // namespace harp::tool
