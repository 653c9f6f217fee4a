// Defines the errors inside harp. Every error is an exception of the one type Error. The functions of the C interface (src/capi) catch it
// and return it as a harp_error.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "base/text.h"

namespace harp {

/// Status codes; the values are those of `harp_status` in harp.h (src/capi asserts that they agree).
enum class Code : int32_t {
  kOk = 0,
  kInvalidArgument = 1,  // NULL or invalid argument, node of another graph, wrong struct_size, unknown name
  kShape = 2,            // incompatible shapes, a rank over 16, an axis that does not exist
  kDType = 3,            // an operation does not support the dtype, or operands have different dtypes
  kRange = 4,            // a shape variable out of its bounds, a negative size, or a constant that its dtype cannot represent
  kOverflow = 5,         // a size, stride or byte count that does not fit 64 bits
  kAlias = 6,            // outputs that overlap each other or an input
  kParse = 7,            // malformed input: the text of a graph, an expression or a .npy file
  kUnsupported = 8,      // a valid request that this backend or this build does not support
  kCompiler = 9,         // no compiler was found, or it failed, crashed or hung; Error::compiler_output contains its messages
  kIo = 10,              // file input or output failed
  kOutOfMemory = 11,
  kCancelled = 12,
  kInternal = 13,    // a bug in harp: a verifier or an invariant failed
  kNative = 14,      // a native function of the host reported failure
  kDevice = 15,      // the device does not exist or has failed
  kNoGradient = 16,  // grad(y, x): y does not depend on x, or an operation or dtype between them has no gradient
};

/// Returns the name of a code as harp.h spells it, without the prefix HARP_ERROR_: "SHAPE" for kShape.
std::string_view code_name(Code code);

class Error : public std::exception {
 public:
  Error(Code code, std::string message, std::string compiler_output = {})
      : code(code), message(std::move(message)), compiler_output(std::move(compiler_output)) {}
  const char* what() const noexcept override { return message.c_str(); }

  Code code;
  std::string message;
  std::string compiler_output;
};

/// Throws Error{code, cat(parts...)}.
template <class... Parts>
[[noreturn]] void fail(Code code, const Parts&... parts) {
  throw Error(code, cat(parts...));
}

}  // namespace harp

/// Checks a condition that bad input can violate; the arguments after `code` are concatenated to the error message.
#define HARP_CHECK(condition, code, ...)                 \
  do {                                                   \
    if (!(condition)) ::harp::fail((code), __VA_ARGS__); \
  } while (0)

/// Checks an invariant. It fails only if harp has a bug.
#define HARP_ASSERT(condition, ...)                                                                                         \
  do {                                                                                                                      \
    if (!(condition))                                                                                                       \
      ::harp::fail(::harp::Code::kInternal, "internal error (", __FILE__, ":", __LINE__, "): " __VA_OPT__(, ) __VA_ARGS__); \
  } while (0)
