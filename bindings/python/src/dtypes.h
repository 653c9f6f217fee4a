// Converts between dtypes of harp, NumPy and Python, and promotes them.
#pragma once

#include <harp.h>

namespace harp_python {

enum class Kind { kBool, kInteger, kFloat, kComplex };
Kind kind_of(harp_dtype dtype);

/// Returns the common dtype of two dtypes, as HARP_GRAPH_PROMOTE_MIXED of harp.h defines it.
harp_dtype promote(harp_dtype a, harp_dtype b);
/// Returns the dtype that a Python number of this kind gets when it is combined with an array of dtype `array`.
harp_dtype weak_beside(Kind number, harp_dtype array);
/// Returns the dtype of a Python number that is combined with no array: bool, int64, float32 or complex64, depending on the kind.
harp_dtype weak_alone(Kind number);
/// Returns the dtype of a Python number that is an argument of a traced function. It is wide enough for every dtype that the number is
/// combined with.
harp_dtype weak_wide(Kind number);

/// Convert between harp's dtypes and NumPy's type numbers. If there is no equivalent, numpy_type() returns -1 and dtype_of_numpy() returns
/// 0.
int numpy_type(harp_dtype dtype);
harp_dtype dtype_of_numpy(int type_number);

}  // namespace harp_python
