// Defines the element types. One table lists them with their properties; the enumeration, names and conversions are derived from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace harp {

enum class DTypeKind : uint8_t { kUnknown, kBool, kSigned, kUnsigned, kFloat, kComplex };

/// The two 16-bit float types. C++ has no arithmetic for them, so these types only contain the bits; ops/math_half.h converts them.
struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};

// HARP_DTYPE(id, name, size in bytes, kind, C++ type or void if there is none, dtype in which operations compute, may be used in graphs)
//
// A dtype is narrow if operations compute in another, wider dtype. Such an operation widens its narrow operands, computes in the wide
// dtype, and narrows the result, so there is one rounding or truncation for each operation (docs/semantics.md, "dtypes").
//
// A complex element is two adjacent floats, the real and the imaginary part. No kernel computes with complex elements: graph/complex.h
// expresses complex operations by operations on the parts. So complex dtypes need no C++ type.
#define HARP_DTYPES(HARP_DTYPE)                                     \
  HARP_DTYPE(Unknown, "unknown", 0, kUnknown, void, Unknown, false) \
  HARP_DTYPE(Bool, "bool", 1, kBool, bool, Bool, true)              \
  HARP_DTYPE(I8, "i8", 1, kSigned, int8_t, I32, true)               \
  HARP_DTYPE(U8, "u8", 1, kUnsigned, uint8_t, I32, true)            \
  HARP_DTYPE(I16, "i16", 2, kSigned, int16_t, I32, true)            \
  HARP_DTYPE(U16, "u16", 2, kUnsigned, uint16_t, I32, true)         \
  HARP_DTYPE(I32, "i32", 4, kSigned, int32_t, I32, true)            \
  HARP_DTYPE(U32, "u32", 4, kUnsigned, uint32_t, U32, true)         \
  HARP_DTYPE(I64, "i64", 8, kSigned, int64_t, I64, true)            \
  HARP_DTYPE(U64, "u64", 8, kUnsigned, uint64_t, U64, true)         \
  HARP_DTYPE(F16, "f16", 2, kFloat, F16, F32, true)                 \
  HARP_DTYPE(BF16, "bf16", 2, kFloat, BF16, F32, true)              \
  HARP_DTYPE(F32, "f32", 4, kFloat, float, F32, true)               \
  HARP_DTYPE(F64, "f64", 8, kFloat, double, F64, true)              \
  HARP_DTYPE(C64, "complex64", 8, kComplex, void, C64, true)        \
  HARP_DTYPE(C128, "complex128", 16, kComplex, void, C128, true)

enum class DType : uint8_t {
#define HARP_ROW(id, name, size, kind, ctype, computes_in, in_graph) k##id,
  HARP_DTYPES(HARP_ROW)
#undef HARP_ROW
};

struct DTypeInfo {
  std::string_view name;
  uint8_t size;
  DTypeKind kind;
  DType computes_in;
  bool in_graph;  // true if arrays in a graph may have this dtype
};

inline constexpr DTypeInfo kDTypes[] = {
#define HARP_ROW(id, name, size, kind, ctype, computes_in, in_graph) {name, size, DTypeKind::kind, DType::k##computes_in, in_graph},
    HARP_DTYPES(HARP_ROW)
#undef HARP_ROW
};
inline constexpr int kDTypeCount = sizeof kDTypes / sizeof *kDTypes;

constexpr const DTypeInfo& info(DType dtype) { return kDTypes[static_cast<int>(dtype)]; }
constexpr std::string_view name(DType dtype) { return info(dtype).name; }
constexpr size_t size_of(DType dtype) { return info(dtype).size; }
constexpr bool is_float(DType dtype) { return info(dtype).kind == DTypeKind::kFloat; }
constexpr bool is_complex(DType dtype) { return info(dtype).kind == DTypeKind::kComplex; }
constexpr bool is_signed_int(DType dtype) { return info(dtype).kind == DTypeKind::kSigned; }
constexpr bool is_int(DType dtype) { return is_signed_int(dtype) || info(dtype).kind == DTypeKind::kUnsigned; }
constexpr bool is_bool(DType dtype) { return dtype == DType::kBool; }
/// True for the 16-bit floats f16 and bf16.
constexpr bool is_half(DType dtype) { return is_float(dtype) && size_of(dtype) == 2; }
/// True if operations widen values of this dtype before they compute.
constexpr bool is_narrow(DType dtype) { return info(dtype).computes_in != dtype; }
/// The dtype in which computations of several steps are done, so that they round only once at the end: f32 for f16 and bf16, otherwise the
/// dtype itself.
constexpr DType working_dtype(DType dtype) { return is_half(dtype) ? info(dtype).computes_in : dtype; }

/// The dtype of the parts of a complex dtype; a real dtype is returned unchanged.
constexpr DType real_dtype(DType dtype) { return dtype == DType::kC64 ? DType::kF32 : dtype == DType::kC128 ? DType::kF64 : dtype; }
/// The complex dtype whose parts have the given dtype, f32 or f64.
constexpr DType complex_dtype(DType dtype) { return dtype == DType::kF32 ? DType::kC64 : DType::kC128; }

/// Returns the dtype whose name in graphs is `name`, or nothing.
constexpr std::optional<DType> dtype_from_name(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (kDTypes[i].name == name) return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace harp
