#include "capi/error.h"

#include <cstdlib>
#include <cstring>
#include <new>

/// An error. Its two texts are stored directly after this struct, in the same allocation.
struct harp_error {
  harp_status code;
  const char* message;
  const char* compiler_output;
};

namespace harp::capi {

namespace {

constinit harp_error out_of_memory = {HARP_ERROR_OUT_OF_MEMORY, "out of memory", ""};

static_assert(static_cast<int>(Code::kOk) == HARP_OK && static_cast<int>(Code::kInvalidArgument) == HARP_ERROR_INVALID_ARGUMENT &&
              static_cast<int>(Code::kShape) == HARP_ERROR_SHAPE && static_cast<int>(Code::kDType) == HARP_ERROR_DTYPE &&
              static_cast<int>(Code::kRange) == HARP_ERROR_RANGE && static_cast<int>(Code::kOverflow) == HARP_ERROR_OVERFLOW &&
              static_cast<int>(Code::kAlias) == HARP_ERROR_ALIAS && static_cast<int>(Code::kParse) == HARP_ERROR_PARSE &&
              static_cast<int>(Code::kUnsupported) == HARP_ERROR_UNSUPPORTED && static_cast<int>(Code::kCompiler) == HARP_ERROR_COMPILER &&
              static_cast<int>(Code::kIo) == HARP_ERROR_IO && static_cast<int>(Code::kOutOfMemory) == HARP_ERROR_OUT_OF_MEMORY &&
              static_cast<int>(Code::kCancelled) == HARP_ERROR_CANCELLED && static_cast<int>(Code::kInternal) == HARP_ERROR_INTERNAL &&
              static_cast<int>(Code::kNative) == HARP_ERROR_NATIVE && static_cast<int>(Code::kDevice) == HARP_ERROR_DEVICE &&
              static_cast<int>(Code::kNoGradient) == HARP_ERROR_NO_GRADIENT);

}  // namespace

harp_error* make_error(Code code, std::string_view message, std::string_view compiler_output) noexcept {
  if (code == Code::kOutOfMemory && message.empty()) return &out_of_memory;
  void* memory = std::malloc(sizeof(harp_error) + message.size() + compiler_output.size() + 2);
  if (memory == nullptr) return &out_of_memory;
  char* text = static_cast<char*>(memory) + sizeof(harp_error);
  const auto append = [&text](std::string_view part) {
    const char* begin = text;
    if (!part.empty()) std::memcpy(text, part.data(), part.size());
    text += part.size();
    *text++ = '\0';
    return begin;
  };
  const char* first = append(message);
  const char* second = append(compiler_output);
  return new (memory) harp_error{static_cast<harp_status>(code), first, second};
}

void fail_with(const harp_error* error) { throw Error(static_cast<Code>(error->code), error->message, error->compiler_output); }

harp_error* error_in_flight() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return make_error(error.code, error.message, error.compiler_output);
  } catch (const std::bad_alloc&) {
    return &out_of_memory;
  } catch (const std::exception& exception) {
    return make_error(Code::kInternal, exception.what());
  } catch (...) {
    return make_error(Code::kInternal, "an exception of unknown type");
  }
}

harp_status report(harp_error** err, harp_error* error) noexcept {
  const harp_status code = error->code;
  if (err != nullptr && *err == nullptr)
    *err = error;
  else
    harp_error_release(error);
  return code;
}

}  // namespace harp::capi

using namespace harp;

harp_status harp_error_code(const harp_error* error) { return error != nullptr ? error->code : HARP_OK; }
const char* harp_error_message(const harp_error* error) { return error != nullptr ? error->message : ""; }
const char* harp_error_compiler_output(const harp_error* error) { return error != nullptr ? error->compiler_output : ""; }

void harp_error_release(harp_error* error) {
  if (error != &capi::out_of_memory) std::free(error);
}

const char* harp_status_name(harp_status status) {
  if (status < HARP_OK || status > HARP_ERROR_NO_GRADIENT) return "UNKNOWN";
  return code_name(static_cast<Code>(status)).data();  // The names are string literals, so they end with a zero byte.
}
