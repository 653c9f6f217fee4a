// Errors of the C++ front end: what is thrown, and what happens where exceptions are switched off. Part of harp.hpp.
#ifndef HARP_ERROR_HPP
#define HARP_ERROR_HPP

#include <harp.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define HARP_CPP_EXCEPTIONS 1
#else
#define HARP_CPP_EXCEPTIONS 0
#endif

// Files that are compiled with exceptions and files that are not may be linked into one program: their inline functions differ, so their
// names do, too.
#if HARP_CPP_EXCEPTIONS
#define HARP_CPP_NAMESPACE cpp_1
#else
#define HARP_CPP_NAMESPACE cpp_1_no_exceptions
#endif

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

/// What went wrong. With exceptions every function of harp.hpp throws it, at the call that made the mistake.
class Error : public std::exception {
 public:
  Error(harp_status code, std::string message, std::string compiler_output = {})
      : code_(code), message_(std::move(message)), compiler_output_(std::move(compiler_output)) {}

  /// HARP_ERROR_SHAPE and so on.
  harp_status code() const noexcept { return code_; }
  /// "SHAPE" and so on.
  const char* code_name() const noexcept { return harp_status_name(code_); }
  /// What was expected and what came.
  const std::string& message() const noexcept { return message_; }
  /// What the C compiler printed, of HARP_ERROR_COMPILER; else empty.
  const std::string& compiler_output() const noexcept { return compiler_output_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  harp_status code_;
  std::string message_, compiler_output_;
};

/// Is called for every error where exceptions are switched off (-fno-exceptions). When it returns, the function that failed returns an
/// empty handle: a Context, Graph, Node, Program, Buffer or Field that is false in an `if`, or a Tensor that is not defined(); further
/// calls with such a handle do nothing and return empty handles. It may also longjmp or end the process. Called on the thread that made the
/// mistake.
using ErrorHandler = void (*)(const Error& error, void* user);

namespace detail {

/// Prints the error and ends the process: what happens without exceptions and without a handler.
inline void abort_with(const Error& error, void*) {
  std::fprintf(stderr, "harp: %s: %s\n%s", error.code_name(), error.what(), error.compiler_output().c_str());
  std::abort();
}

struct Handler {
  ErrorHandler function = abort_with;
  void* user = nullptr;
};
inline Handler& handler() {
  static Handler handler;
  return handler;
}

/// Throws the error or gives it to the handler. Everything that fails ends here.
#if HARP_CPP_EXCEPTIONS
[[noreturn]] inline void raise(Error error) { throw error; }
#else
inline void raise(const Error& error) { handler().function(error, handler().user); }
#endif

/// What the exception said that a function of the host's (functions.hpp) ended with, until the run that called it reports its error.
inline std::string& native_exception() {
  static thread_local std::string text;
  return text;
}

/// Takes an owned error of the C interface; NULL: nothing happens. True: there was one.
inline bool raise_owned(harp_error* error) {
  if (error == nullptr) return false;
  std::string message = harp_error_message(error);
  if (harp_error_code(error) == HARP_ERROR_NATIVE && !native_exception().empty())
    message += ": " + std::exchange(native_exception(), std::string());
  Error copy(harp_error_code(error), std::move(message), harp_error_compiler_output(error));
  harp_error_release(error);
  raise(std::move(copy));
#if HARP_CPP_EXCEPTIONS
#else
  return true;
#endif
}

/// The last argument of one call of the C interface: `Out err; harp_x(..., err); if (err.raised()) return {};`
class Out {
 public:
  Out() = default;
  ~Out() { harp_error_release(error_); }
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;

  operator harp_error**() { return &error_; }  // NOLINT(google-explicit-constructor): it stands for the argument
  bool raised() { return raise_owned(std::exchange(error_, nullptr)); }

 private:
  harp_error* error_ = nullptr;
};

}  // namespace detail

/// Sets the handler of errors where exceptions are switched off; NULL: the one that prints the error and aborts, as at first. To be called
/// before other threads use harp.
inline void set_error_handler(ErrorHandler handler, void* user = nullptr) {
  detail::handler() = {handler != nullptr ? handler : detail::abort_with, user};
}

}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_ERROR_HPP
