// Converts Python objects to nodes, sizes and dtypes.
#pragma once

#include <Python.h>

#include <span>

#include "trace.h"

namespace harp_python {

/// Returns the node of a Tensor, NumPy array or NumPy number. For any other object returns none, without setting a Python error.
Ref<Node> node_if_array(PyObject* object);
/// Returns the node of a Tensor, a NumPy array or number, an array of another library (with __dlpack__), or a Python number, which gets its
/// default dtype. Throws for any other object.
Ref<Node> node_of(PyObject* object);
/// Returns the node of a Python number in this dtype, or of any other object as node_of() does.
Ref<Node> node_of_value(PyObject* object, harp_dtype dtype);
/// Converts operands that promote together. Python numbers, and weak nodes (which stand for Python numbers that are arguments of a traced
/// function), take the dtype of the others. Returns false if one of the objects is no operand.
bool nodes_together(std::span<PyObject* const> objects, std::vector<Ref<Node>>& nodes);

/// Throws if the dtype cannot represent the value, an integer argument of a traced function. The dtype is that of the operands with which
/// the function combines the argument.
void check_integer(int64_t value, harp_dtype dtype);

/// If an integer tensor is compared with a Python integer that its dtype cannot represent, the result is the same for all elements. Returns
/// the node of this result, for operation number `index`; returns none if the operation is no comparison, or if the operands are not such a
/// tensor and integer.
Ref<Node> comparison_with_outside(int32_t index, PyObject* a, PyObject* b);

/// Throws a TypeError: `wanted` was expected, not the object.
[[noreturn]] void refuse(PyObject* object, const char* wanted);
/// Converts a Python integer or a symbolic size, and stores it in `size`. Returns false, with a Python error set, for any other object.
bool size_of(PyObject* object, int64_t& size);
/// Returns the dtype that an object stands for: one of harp's, NumPy's, a name, or Python's bool, int, float and complex. Throws for any
/// other object.
harp_dtype dtype_of(PyObject* object);

}  // namespace harp_python
