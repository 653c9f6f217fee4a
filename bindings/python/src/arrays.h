// Arrays in and out: NumPy, DLPack, the buffer protocol.
#pragma once

#include <Python.h>

#include <harp.h>

#include "trace.h"

namespace harp_python {

/// Loads NumPy's functions; false: an error is set.
bool import_numpy();

enum class Copy { kNever, kIfNeeded, kAlways };

/// A NumPy array or number as a node, which shares memory with it where it can: aligned, in this machine's byte order, and in C order, or
/// in Fortran's, which becomes a view. None if the object is neither.
Ref<Node> node_of_numpy(PyObject* object, Copy copy = Copy::kIfNeeded);
/// The array that a DLPack capsule holds; takes it over.
Ref<Node> node_of_dlpack(PyObject* capsule, Copy copy);
/// A NumPy array in C order as it lies in memory; false: it is none, or needs a conversion.
bool borrow_numpy(PyObject* object, harp_const_array& array);

/// An array as NumPy's, read-only and without a copy; or as a copy of its own.
PyObject* numpy_of(const Ref<Array>& array, bool copy);
/// New memory as a NumPy array, and where it lies.
PyObject* new_numpy(const Type& type, harp_array& array);
/// A DLPack capsule. Without a version nothing can say that the memory may not be written: then, and where `copy` says so, it is a copy.
PyObject* dlpack_of(const Ref<Array>& array, bool versioned, bool copy);
/// Fills a Py_buffer; -1: an error is set.
int buffer_of(const Ref<Array>& array, PyObject* exporter, Py_buffer* view, int flags);
void release_buffer(Py_buffer* view);

}  // namespace harp_python
