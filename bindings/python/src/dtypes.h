// Dtypes of harp, NumPy and Python, and how they promote.
#pragma once

#include <harp.h>

namespace harp_python {

enum class Kind { kBool, kInteger, kFloat, kComplex };
Kind kind_of(harp_dtype dtype);

/// What two dtypes become together: HARP_GRAPH_PROMOTE_MIXED of harp.h.
harp_dtype promote(harp_dtype a, harp_dtype b);
/// What a Python number of this kind becomes beside an array of this dtype.
harp_dtype weak_beside(Kind number, harp_dtype array);
/// What it becomes by itself: bool, int64, float32, complex64.
harp_dtype weak_alone(Kind number);
/// The dtype in which a Python number that is an argument of a traced function comes: wide enough for whatever it meets.
harp_dtype weak_wide(Kind number);

/// NumPy's number of a dtype and back; -1 and 0: there is none.
int numpy_type(harp_dtype dtype);
harp_dtype dtype_of_numpy(int type_number);

}  // namespace harp_python
