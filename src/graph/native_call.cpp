#include "graph/native_call.h"

#include <ffi.h>

#include "base/error.h"
#include "graph/native.h"

namespace harp {
namespace {

ffi_type* ffi_type_of(const NativeArgument& argument) {
  if (!argument.dtype) return &ffi_type_pointer;
  switch (*argument.dtype) {
    case DType::kI32: return &ffi_type_sint32;
    case DType::kU32: return &ffi_type_uint32;
    case DType::kI64: return &ffi_type_sint64;
    case DType::kU64: return &ffi_type_uint64;
    case DType::kF32: return &ffi_type_float;
    case DType::kF64: return &ffi_type_double;
    default: fail(Code::kInternal, "a native function has no parameter of dtype ", name(*argument.dtype));
  }
}

}  // namespace

NativeArgument native_pointer(const void* address) { return {std::nullopt, Scalar::of(DType::kU64, address)}; }

void call_native(std::string_view name, NativeFunction function, bool returns_status, std::vector<NativeArgument> arguments) {
  std::vector<ffi_type*> types;
  std::vector<void*> values;  // ffi_call() takes the addresses of the values
  for (NativeArgument& argument : arguments) {
    types.push_back(ffi_type_of(argument));
    values.push_back(argument.value.bits);
  }
  ffi_cif cif;
  ffi_type* const returns = returns_status ? &ffi_type_sint32 : &ffi_type_void;
  const ffi_status prepared = ffi_prep_cif(&cif, FFI_DEFAULT_ABI, static_cast<unsigned>(types.size()), returns, types.data());
  HARP_ASSERT(prepared == FFI_OK, "libffi does not take the signature of ", native_label(name), ": ", static_cast<int>(prepared));
  ffi_arg result = 0;
  ffi_call(&cif, function, &result, values.data());
  const auto status = static_cast<int32_t>(result);
  HARP_CHECK(!returns_status || status == 0, Code::kNative, native_failure(name, status));
}

}  // namespace harp
