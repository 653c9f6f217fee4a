// Element types: one table, everything else is derived from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace harp {

enum class DTypeKind : uint8_t { kUnknown, kBool, kSigned, kUnsigned, kFloat, kComplex };

// HARP_DTYPE(id, name, size in bytes, kind, C type or void where C has none, may be used in graphs)
#define HARP_DTYPES(HARP_DTYPE)                            \
  HARP_DTYPE(Unknown, "unknown", 0, kUnknown, void, false) \
  HARP_DTYPE(Bool, "bool", 1, kBool, bool, true)           \
  HARP_DTYPE(I8, "i8", 1, kSigned, int8_t, false)          \
  HARP_DTYPE(U8, "u8", 1, kUnsigned, uint8_t, false)       \
  HARP_DTYPE(I16, "i16", 2, kSigned, int16_t, false)       \
  HARP_DTYPE(U16, "u16", 2, kUnsigned, uint16_t, false)    \
  HARP_DTYPE(I32, "i32", 4, kSigned, int32_t, true)        \
  HARP_DTYPE(U32, "u32", 4, kUnsigned, uint32_t, false)    \
  HARP_DTYPE(I64, "i64", 8, kSigned, int64_t, true)        \
  HARP_DTYPE(U64, "u64", 8, kUnsigned, uint64_t, false)    \
  HARP_DTYPE(F16, "f16", 2, kFloat, void, false)           \
  HARP_DTYPE(BF16, "bf16", 2, kFloat, void, false)         \
  HARP_DTYPE(F32, "f32", 4, kFloat, float, true)           \
  HARP_DTYPE(F64, "f64", 8, kFloat, double, true)          \
  HARP_DTYPE(C64, "complex64", 8, kComplex, void, false)   \
  HARP_DTYPE(C128, "complex128", 16, kComplex, void, false)

enum class DType : uint8_t {
#define HARP_ROW(id, name, size, kind, ctype, in_graph) k##id,
  HARP_DTYPES(HARP_ROW)
#undef HARP_ROW
};

struct DTypeInfo {
  std::string_view name;
  uint8_t size;
  DTypeKind kind;
  bool in_graph;  // graphs may use it; the others exist only inside kernels (u32, u64) or wait for their rules
};

inline constexpr DTypeInfo kDTypes[] = {
#define HARP_ROW(id, name, size, kind, ctype, in_graph) {name, size, DTypeKind::kind, in_graph},
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

/// The dtype graphs call `name`, or nothing.
constexpr std::optional<DType> dtype_from_name(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (kDTypes[i].name == name) return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace harp
