// Raises harp's errors as Python exceptions.
#pragma once

#include <harp.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace harp_python {

/// A harp error that is thrown as a C++ exception and becomes a Python exception. module.cpp maps each status to an exception class.
class Failure : public std::runtime_error {
 public:
  Failure(harp_status status, const std::string& message, std::string compiler_output = {})
      : std::runtime_error(message), status_(status), compiler_output_(std::move(compiler_output)) {}
  harp_status status() const { return status_; }
  const std::string& compiler_output() const { return compiler_output_; }

 private:
  harp_status status_;
  std::string compiler_output_;
};

/// Thrown when a Python exception is set already.
class PythonError : public std::exception {};

/// Throws the error as a Failure, and releases it.
[[noreturn]] void fail(harp_error* error);
/// The last argument of a call of a function of harp.h: receives the error of the call. The destructor, at the end of the statement, throws
/// if there is an error.
class Check {
 public:
  operator harp_error**() { return &error_; }  // NOLINT: an argument
  ~Check() noexcept(false) {
    if (error_ != nullptr) fail(error_);
  }
  Check() = default;
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;

 private:
  harp_error* error_ = nullptr;
};

/// Sets the Python exception for the C++ exception being handled; returns nullptr.
std::nullptr_t set_python_error();

/// If the Python exception that is set is a TypeError, puts the name of a function, and of its parameter unless that is empty, before its
/// message: "max_pool: size: expected ...".
void name_in_error(std::string_view function, std::string_view parameter = {});

/// Returns text that harp made as a C++ string; releases the original.
std::string take(harp_string* text);

}  // namespace harp_python
