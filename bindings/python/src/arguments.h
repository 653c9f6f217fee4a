// Declares how Python code applies an operation to arguments.
#pragma once

#include <Python.h>

#include <string_view>

#include "trace.h"

namespace harp_python {

/// Applies operation number `index` of the table of operations (operations.h) to Python's arguments. Their number and order are those of
/// Row::kinds. Returns a Tensor, or a tuple of Tensors; NULL, with a Python error set, on failure.
PyObject* apply_python(int32_t index, PyObject* const* arguments, Py_ssize_t count);

/// Returns the index, in the table of operations (operations.h), of the operation with this Python name. Returns INT32_MIN if there is
/// none.
int32_t operation_named(std::string_view name);

}  // namespace harp_python
