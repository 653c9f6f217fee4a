#include "run/cuda/host_call.h"

#include <ffi.h>

#include "base/error.h"
#include "graph/native.h"
#include "ops/scalar.h"

namespace harp::cuda {

namespace {

ffi_type* ffi_type_of(const HostCall::Argument& argument) {
  if (argument.kind != HostCall::Argument::kSize && argument.kind != HostCall::Argument::kNumber) return &ffi_type_pointer;
  switch (argument.dtype) {
    case DType::kI32: return &ffi_type_sint32;
    case DType::kU32: return &ffi_type_uint32;
    case DType::kI64: return &ffi_type_sint64;
    case DType::kU64: return &ffi_type_uint64;
    case DType::kF32: return &ffi_type_float;
    case DType::kF64: return &ffi_type_double;
    default: fail(Code::kInternal, "a native function has no parameter of dtype ", name(argument.dtype));
  }
}

Scalar of_address(const void* address) { return Scalar::of(DType::kU64, address); }

}  // namespace

void call_host_function(const Plan& plan, const HostCall& call, std::span<const int64_t> values,
                        const std::function<void*(size_t i)>& array) {
  std::vector<ffi_type*> types;
  std::vector<Scalar> slots;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const HostCall::Argument& argument = call.arguments[i];
    types.push_back(ffi_type_of(argument));
    switch (argument.kind) {
      case HostCall::Argument::kArray: slots.push_back(of_address(array(i))); break;
      case HostCall::Argument::kSize: slots.push_back(scalar_from_int(argument.dtype, argument.size.evaluate(values))); break;
      case HostCall::Argument::kNumber: slots.push_back(argument.number); break;
      case HostCall::Argument::kAddress: slots.push_back(of_address(plan.addresses[static_cast<size_t>(argument.address)])); break;
    }
  }
  std::vector<void*> addresses;
  for (Scalar& slot : slots) addresses.push_back(slot.bits);
  ffi_cif cif;
  ffi_type* const returns = call.returns_status ? &ffi_type_sint32 : &ffi_type_void;
  const ffi_status prepared = ffi_prep_cif(&cif, FFI_DEFAULT_ABI, static_cast<unsigned>(types.size()), returns, types.data());
  HARP_ASSERT(prepared == FFI_OK, "libffi does not take the signature of ", native_label(call.name), ": ", static_cast<int>(prepared));
  ffi_arg status = 0;
  ffi_call(&cif, reinterpret_cast<void (*)()>(plan.addresses[static_cast<size_t>(call.function)]), &status, addresses.data());
  const auto returned = static_cast<int32_t>(status);
  HARP_CHECK(!call.returns_status || returned == 0, Code::kNative, native_failure(call.name, returned));
}

}  // namespace harp::cuda
