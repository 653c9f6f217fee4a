// Converts Python's arguments to the sources and attributes of an operation.
#pragma once

#include <Python.h>

#include <span>

#include "trace.h"

namespace harp_python {

/// Returns the node of a Tensor, NumPy array or NumPy number. For any other object returns none, without setting a Python error.
Ref<Node> node_if_array(PyObject* object);
/// Returns the node of a Tensor, a NumPy array or number, or a Python number, which gets its default dtype. Throws for any other object.
Ref<Node> node_of(PyObject* object);
/// Converts operands that promote together. Python numbers, and weak nodes (which stand for Python numbers that are arguments of a traced
/// function), take the dtype of the others. Returns false if one of the objects is no operand.
bool nodes_together(std::span<PyObject* const> objects, std::vector<Ref<Node>>& nodes);

/// Throws if the integer dtype, which an argument of a traced function takes beside other operands, cannot represent its value.
void check_integer(int64_t value, harp_dtype dtype);

/// Converts a Python integer or a symbolic size, and stores it in `size`. Returns false, with a Python error set, for any other object.
bool size_of(PyObject* object, int64_t& size);
/// Returns the dtype that an object stands for: one of harp's, NumPy's, a name, or Python's bool, int, float and complex. Throws for any
/// other object.
harp_dtype dtype_of(PyObject* object);

/// Applies operation number `index` of the table of operations (operations.h) to Python's arguments. Their number and order are those of
/// Row::kinds. Returns a Tensor, or a tuple of Tensors; NULL, with a Python error set, on failure.
PyObject* apply_python(int32_t index, PyObject* const* arguments, Py_ssize_t count);

/// Returns the index, in the table of operations (operations.h), of the operation with this Python name. Returns INT32_MIN if there is
/// none.
int32_t operation_named(std::string_view name);

}  // namespace harp_python
