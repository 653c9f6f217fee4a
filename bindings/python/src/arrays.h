// Converts between tensors and other arrays: NumPy, DLPack, the buffer protocol.
#pragma once

#include <Python.h>

#include <harp.h>

#include "trace.h"

namespace harp_python {

/// Loads NumPy's functions. Returns false, with a Python error set, on failure.
bool import_numpy();

enum class Copy { kNever, kIfNeeded, kAlways };

/// Converts a NumPy array or a NumPy number to a node. The node shares the array's memory if that is aligned, in this machine's byte order,
/// and in C order (or in Fortran order, which becomes a view). Returns a null reference for any other object.
Ref<Node> node_of_numpy(PyObject* object, Copy copy = Copy::kIfNeeded);
/// Takes over the array that a DLPack capsule holds, and returns it as a node.
Ref<Node> node_of_dlpack(PyObject* capsule, Copy copy);
/// Describes the memory of a NumPy array in C order. Returns false for any other object, and for an array that needs
/// a conversion.
bool borrow_numpy(PyObject* object, harp_const_array& array);

/// Returns an array as a NumPy array: read-only and without a copy, or with `copy` as a separate copy.
PyObject* numpy_of(const Ref<Array>& array, bool copy);
/// Makes a new NumPy array, and stores its address and type in `array`. Returns NULL, with a Python error set, on failure.
PyObject* new_numpy(const Type& type, harp_array& array);
/// Makes a DLPack capsule. With `copy` it holds a copy of the array; otherwise it shares the array's memory. A versioned capsule says
/// whether its memory is read-only (shared) or a copy; an unversioned capsule cannot express this.
PyObject* dlpack_of(const Ref<Array>& array, bool versioned, bool copy);
/// Fills a Py_buffer; returns -1, with a Python error set, on failure.
int buffer_of(const Ref<Array>& array, PyObject* exporter, Py_buffer* view, int flags);
void release_buffer(Py_buffer* view);

}  // namespace harp_python
