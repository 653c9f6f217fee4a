// What Python code hands to the core when it is imported, and the Tensor type.
#pragma once

#include <Python.h>

#include "trace.h"

namespace harp_python {

/// The exception class of a status, borrowed.
PyObject* exception_of(harp_status status);
/// harp's dtype objects by number, borrowed.
PyObject* dtype_object(harp_dtype dtype);
/// The number of a dtype object; HARP_UNKNOWN: it is none of ours.
harp_dtype dtype_of_object(PyObject* object);
/// Python's function that makes a number of any other thing that names a dtype (NumPy's, "float32"), borrowed.
PyObject* dtype_finder();

/// Whether an object is a Tensor, and its node.
bool is_tensor(PyObject* object);
Ref<Node>& node_of_tensor(PyObject* tensor);
/// A new Tensor.
PyObject* tensor(Ref<Node> node);

/// Whether an object is a symbolic size, and which; a new one.
bool is_dim(PyObject* object);
harp_dim dim_of(PyObject* object);
PyObject* dim_object(harp_dim dim);
/// A size as Python has it: an int, or a symbolic one.
PyObject* size_object(int64_t size);

}  // namespace harp_python
