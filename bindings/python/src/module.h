// Declares objects that Python code registers with the core when it is imported, and the Tensor type.
#pragma once

#include <Python.h>

#include "trace.h"

namespace harp_python {

/// Returns the exception class of a status, as a borrowed reference.
PyObject* exception_of(harp_status status);
/// Returns harp's dtype object for the number of a dtype, as a borrowed reference.
PyObject* dtype_object(harp_dtype dtype);
/// Returns the number of a dtype object; HARP_UNKNOWN if the object is not one of harp's.
harp_dtype dtype_of_object(PyObject* object);
/// Returns the Python function that finds the number of any other object that names a dtype (NumPy's, "float32"); borrowed.
PyObject* dtype_finder();
/// Returns the Python function that makes a Tensor of an array of another library; borrowed.
PyObject* converter();

/// is_tensor() tests whether an object is a Tensor; node_of_tensor() returns the node of a Tensor.
bool is_tensor(PyObject* object);
Ref<Node>& node_of_tensor(PyObject* tensor);
/// Returns a new Tensor, whose value is that of the node.
PyObject* tensor(Ref<Node> node);

/// is_dim() tests whether an object is a symbolic size (Dim); dim_of() returns the harp_dim of such an object; dim_object() makes such an
/// object.
bool is_dim(PyObject* object);
harp_dim dim_of(PyObject* object);
PyObject* dim_object(harp_dim dim);
/// Returns a size as a Python object: an int, or a symbolic size.
PyObject* size_object(int64_t size);

}  // namespace harp_python
