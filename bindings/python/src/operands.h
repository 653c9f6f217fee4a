// Python's arguments as sources and attributes of an operation.
#pragma once

#include <Python.h>

#include <span>

#include "trace.h"

namespace harp_python {

/// The node of a Tensor, NumPy array or NumPy number; of something else none, and no Python error is set.
Ref<Node> node_if_array(PyObject* object);
/// The node of a Tensor, a NumPy array or number, or a Python number with the dtype it has alone. Throws on something else.
Ref<Node> node_of(PyObject* object);
/// Operands that promote together; Python numbers and weak nodes take the dtype that the others have. False: one of them is no operand.
bool nodes_together(std::span<PyObject* const> objects, std::vector<Ref<Node>>& nodes);

/// A size: a Python integer, or a symbolic size.
bool size_of(PyObject* object, int64_t& size);
/// The dtype that an object stands for: one of ours, NumPy's, a name, or Python's bool, int, float and complex. Throws on something else.
harp_dtype dtype_of(PyObject* object);

/// The operation number `index` on Python's arguments, in the order of the table: a Tensor, or a tuple of them. NULL: an error is set.
PyObject* apply_python(int32_t index, PyObject* const* arguments, Py_ssize_t count);

/// The numbers of operations that Python's operators are.
int32_t operation_named(std::string_view name);

}  // namespace harp_python
