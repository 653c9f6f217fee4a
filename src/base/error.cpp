#include "base/error.h"

namespace harp {

std::string_view code_name(Code code) {
  switch (code) {
    case Code::kOk: return "OK";
    case Code::kInvalidArgument: return "INVALID_ARGUMENT";
    case Code::kShape: return "SHAPE";
    case Code::kDType: return "DTYPE";
    case Code::kRange: return "RANGE";
    case Code::kOverflow: return "OVERFLOW";
    case Code::kAlias: return "ALIAS";
    case Code::kParse: return "PARSE";
    case Code::kUnsupported: return "UNSUPPORTED";
    case Code::kCompiler: return "COMPILER";
    case Code::kIo: return "IO";
    case Code::kOutOfMemory: return "OUT_OF_MEMORY";
    case Code::kCancelled: return "CANCELLED";
    case Code::kInternal: return "INTERNAL";
    case Code::kNative: return "NATIVE";
    case Code::kDevice: return "DEVICE";
    case Code::kNoGradient: return "NO_GRADIENT";
  }
  return "UNKNOWN";
}

}  // namespace harp
