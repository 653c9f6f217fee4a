// Defines the errors of the C++ interface: the exception type, and the handler for programs without exceptions. Part of harp.hpp.
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

// HARP_CPP_CUDA is 1 in CUDA sources (.cu files, which nvcc compiles). There, assignments to fields on a GPU launch kernels that nvcc
// compiles (assignment.hpp). The emulator of CUDA in tests/cuda/emulator defines the macro itself.
#if !defined(HARP_CPP_CUDA)
#if defined(__CUDACC__)
#define HARP_CPP_CUDA 1
#else
#define HARP_CPP_CUDA 0
#endif
#endif

// One program may link files compiled with exceptions and files compiled without them, and CUDA sources with other sources. Their inline
// functions differ in code, so each combination has a namespace of its own.
#if HARP_CPP_EXCEPTIONS && HARP_CPP_CUDA
#define HARP_CPP_NAMESPACE cpp_1_cuda
#elif HARP_CPP_EXCEPTIONS
#define HARP_CPP_NAMESPACE cpp_1
#elif HARP_CPP_CUDA
#define HARP_CPP_NAMESPACE cpp_1_cuda_no_exceptions
#else
#define HARP_CPP_NAMESPACE cpp_1_no_exceptions
#endif

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

/// An error. With exceptions, every function of harp.hpp throws it at the call that fails.
class Error : public std::exception {
 public:
  Error(harp_status code, std::string message, std::string compiler_output = {})
      : code_(code), message_(std::move(message)), compiler_output_(std::move(compiler_output)) {}

  /// The code, such as HARP_ERROR_SHAPE.
  harp_status code() const noexcept { return code_; }
  /// The name of the code, such as "SHAPE".
  const char* code_name() const noexcept { return harp_status_name(code_); }
  /// The message: what was expected and what was given.
  const std::string& message() const noexcept { return message_; }
  /// The C compiler's output, for HARP_ERROR_COMPILER; otherwise empty.
  const std::string& compiler_output() const noexcept { return compiler_output_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  harp_status code_;
  std::string message_, compiler_output_;
};

/// Called for every error if exceptions are disabled (-fno-exceptions), on the thread that caused it. When it returns, the function that
/// failed returns an empty handle: a Context, Graph, Node, Program, Buffer, Tensor or Field that is false in an `if`. Calls with such a
/// handle do nothing and return empty handles. The handler may also longjmp or end the process.
using ErrorHandler = void (*)(const Error& error, void* user);

namespace detail {

/// Prints the error and ends the process: the default handler without exceptions.
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

/// Throws the error, or passes it to the handler. All errors of harp.hpp are reported through this function.
#if HARP_CPP_EXCEPTIONS
[[noreturn]] inline void raise(Error error) { throw error; }
#else
inline void raise(const Error& error) { handler().function(error, handler().user); }
#endif

/// The message of an exception that a native function (functions.hpp) threw; kept until the run that called the function reports its error.
inline std::string& native_exception() {
  static thread_local std::string text;
  return text;
}

/// Takes ownership of an error of the C interface and raises it. Returns true if there was one, false for NULL.
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

/// The `err` argument of one call of the C interface: `Out err; harp_x(..., err); if (err.raised()) return {};`
class Out {
 public:
  Out() = default;
  ~Out() { harp_error_release(error_); }
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;

  operator harp_error**() { return &error_; }  // NOLINT(google-explicit-constructor): an Out is passed as the `err` argument
  bool raised() { return raise_owned(std::exchange(error_, nullptr)); }

 private:
  harp_error* error_ = nullptr;
};

}  // namespace detail

/// Sets the error handler for programs without exceptions. NULL restores the default, which prints the error and aborts. Call it before
/// other threads use harp.
inline void set_error_handler(ErrorHandler handler, void* user = nullptr) {
  detail::handler() = {handler != nullptr ? handler : detail::abort_with, user};
}

}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_ERROR_HPP
