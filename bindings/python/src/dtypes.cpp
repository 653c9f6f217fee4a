#include "dtypes.h"

#include <algorithm>

namespace harp_python {

namespace {

bool has_no_sign(harp_dtype dtype) { return dtype == HARP_U8 || dtype == HARP_U16 || dtype == HARP_U32 || dtype == HARP_U64; }

harp_dtype promote_integers(harp_dtype a, harp_dtype b) {
  if (has_no_sign(a) == has_no_sign(b)) return harp_dtype_size(a) >= harp_dtype_size(b) ? a : b;
  const harp_dtype with_sign = has_no_sign(a) ? b : a, without = has_no_sign(a) ? a : b;
  if (without == HARP_U64) return HARP_F32;
  constexpr harp_dtype kNext[] = {HARP_I16, HARP_I32, HARP_I64};  // the next wider signed dtypes of U8, U16, U32
  const harp_dtype least = kNext[(without - HARP_U8) / 2];
  return harp_dtype_size(least) >= harp_dtype_size(with_sign) ? least : with_sign;
}

}  // namespace

Kind kind_of(harp_dtype dtype) {
  if (dtype == HARP_BOOL) return Kind::kBool;
  if (dtype < HARP_F16) return Kind::kInteger;
  return dtype < HARP_COMPLEX64 ? Kind::kFloat : Kind::kComplex;
}

harp_dtype promote(harp_dtype a, harp_dtype b) {
  if (a == b) return a;
  if (kind_of(a) > kind_of(b)) return promote(b, a);
  const Kind low = kind_of(a), high = kind_of(b);
  if (low == Kind::kBool) return b;
  if (low == high) {
    if (low == Kind::kInteger) return promote_integers(a, b);
    if (std::min(a, b) == HARP_F16 && std::max(a, b) == HARP_BF16) return HARP_F32;
    return std::max(a, b);
  }
  if (high == Kind::kComplex) return a == HARP_F64 ? HARP_COMPLEX128 : b;
  return b;
}

harp_dtype weak_beside(Kind number, harp_dtype array) {
  if (kind_of(array) >= number) return array;
  if (number == Kind::kComplex) return array == HARP_F64 ? HARP_COMPLEX128 : HARP_COMPLEX64;
  return weak_alone(number);
}

harp_dtype weak_alone(Kind number) {
  constexpr harp_dtype kAlone[] = {HARP_BOOL, HARP_I64, HARP_F32, HARP_COMPLEX64};
  return kAlone[static_cast<int>(number)];
}

harp_dtype weak_wide(Kind number) {
  constexpr harp_dtype kWide[] = {HARP_BOOL, HARP_I64, HARP_F64, HARP_COMPLEX128};
  return kWide[static_cast<int>(number)];
}

// NumPy's type numbers: bool 0, then int8, uint8 ... uint64 (int64 is C's long), float32 11, float64 12, complex64 14, complex128 15,
// float16 23.
int numpy_type(harp_dtype dtype) {
  constexpr int kTypes[] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 23, -1, 11, 12, 14, 15};
  return dtype >= 0 && dtype <= HARP_COMPLEX128 ? kTypes[dtype] : -1;
}

harp_dtype dtype_of_numpy(int type_number) {
  if (type_number == 9 || type_number == 10) return type_number == 9 ? HARP_I64 : HARP_U64;  // C's long long and unsigned long long
  for (harp_dtype dtype = HARP_BOOL; dtype <= HARP_COMPLEX128; ++dtype)
    if (numpy_type(dtype) == type_number) return dtype;
  return HARP_UNKNOWN;
}

}  // namespace harp_python
