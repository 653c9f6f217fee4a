#include "interp/native.h"

#include <ffi.h>

#include "base/error.h"
#include "graph/native.h"

namespace harp::interp {
namespace {

ffi_type* ffi_type_of(const NativeParameter& parameter) {
  if (parameter.kind != NativeParameter::kSize && parameter.kind != NativeParameter::kNumber) return &ffi_type_pointer;
  switch (parameter.dtype) {
    case DType::kI32: return &ffi_type_sint32;
    case DType::kU32: return &ffi_type_uint32;
    case DType::kI64: return &ffi_type_sint64;
    case DType::kU64: return &ffi_type_uint64;
    case DType::kF32: return &ffi_type_float;
    case DType::kF64: return &ffi_type_double;
    default: fail(Code::kInternal, "a native function has no parameter of dtype ", name(parameter.dtype));
  }
}

/// The value of an argument. ffi_call takes the addresses of values.
using Slot = Scalar;

Slot slot_of_address(const void* address) { return Scalar::of(DType::kU64, address); }

Slot slot_of(const NativeParameter& parameter, std::span<const Array> sources, const Array& result, void* user, const Sizes& sizes) {
  switch (parameter.kind) {
    case NativeParameter::kInput: return slot_of_address(sources[static_cast<size_t>(parameter.input)].data);
    case NativeParameter::kOutput: return slot_of_address(result.data);
    case NativeParameter::kSize: return scalar_from_int(parameter.dtype, sizes.value(parameter.size));
    case NativeParameter::kNumber: return parameter.number;
    case NativeParameter::kUser: return slot_of_address(user);
  }
  return {};
}

}  // namespace

Array evaluate_native(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  const auto& native = node.as<NativeAttributes>();
  HARP_ASSERT(native.function != nullptr, node.graph->describe(&node), " has no function");
  const Array result = Array::allocate(node.dtype, sizes.values(node.shape));
  if (result.count() == 0) return result;
  std::vector<Array> dense;
  for (const Array& source : sources) dense.push_back(as_contiguous(source, sizes));

  std::vector<ffi_type*> types;
  std::vector<Slot> slots;
  for (const NativeParameter& parameter : native.parameters) {
    types.push_back(ffi_type_of(parameter));
    slots.push_back(slot_of(parameter, dense, result, native.user, sizes));
  }
  std::vector<void*> values;
  for (Slot& slot : slots) values.push_back(slot.bits);
  ffi_cif cif;
  ffi_type* const returns = native.returns_status ? &ffi_type_sint32 : &ffi_type_void;
  const ffi_status prepared = ffi_prep_cif(&cif, FFI_DEFAULT_ABI, static_cast<unsigned>(types.size()), returns, types.data());
  HARP_ASSERT(prepared == FFI_OK, "libffi does not take the signature of ", native_label(native.name), ": ", static_cast<int>(prepared));
  ffi_arg status = 0;
  ffi_call(&cif, native.function, &status, values.data());
  const auto returned = static_cast<int32_t>(status);
  HARP_CHECK(!native.returns_status || returned == 0, Code::kNative, native_failure(native.name, returned));
  // The function may write any nonzero byte for true, but the interpreter requires 1.
  if (is_bool(node.dtype))
    for (int64_t i = 0; i < result.count(); ++i) result.data[i] = std::byte{result.data[i] != std::byte{0}};
  return result;
}

}  // namespace harp::interp
