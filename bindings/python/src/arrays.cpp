#include "arrays.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "arguments.h"
#include "context.h"
#include "dtypes.h"
#include "errors.h"

namespace harp_python {

static_assert(sizeof(npy_intp) == sizeof(int64_t));
static_assert((NPY_ABI_VERSION >= 0x02000000) == (HARP_NUMPY_MAJOR >= 2), "the headers are of another NumPy than the one that was found");

bool import_numpy() {
  import_array1(false);
  return true;
}

namespace {

PyArrayObject* as_array(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }
const int64_t* dims_of(PyArrayObject* array) { return reinterpret_cast<const int64_t*>(PyArray_DIMS(array)); }

harp_dtype dtype_of_array(PyArrayObject* array) {
  const harp_dtype dtype = dtype_of_numpy(PyArray_TYPE(array));
  if (dtype != HARP_UNKNOWN) return dtype;
  PyObject* name = PyObject_Str(reinterpret_cast<PyObject*>(PyArray_DESCR(array)));
  std::string text = "?";
  if (name != nullptr) {
    if (const char* data = PyUnicode_AsUTF8AndSize(name, nullptr)) text = data;
    Py_DECREF(name);
  }
  PyErr_Clear();
  throw Failure(HARP_ERROR_DTYPE, "harp has no dtype for NumPy's " + text);
}

void check_rank(int rank) {
  if (rank > HARP_MAX_RANK)
    throw Failure(HARP_ERROR_SHAPE, "the array has " + std::to_string(rank) + " axes; expected at most " + std::to_string(HARP_MAX_RANK));
}

Ref<Node> leaf_of(PyArrayObject* array, harp_dtype dtype, const int64_t* dims) {  // The returned leaf owns a reference to `array`.
  Ref<Array> shared(new Array);
  shared->data = PyArray_DATA(array);
  shared->type = type_of(dtype, PyArray_NDIM(array), dims);
  shared->owner = Py_NewRef(reinterpret_cast<PyObject*>(array));
  return leaf(std::move(shared));
}

Ref<Node> reversed_axes(Ref<Node> node) {
  static const int32_t kPermute = operation_named("permute_dims");
  Words words{node->type->rank};
  for (int32_t axis = node->type->rank - 1; axis >= 0; --axis) words.push_back(axis);
  Node* const sources[] = {node.get()};
  return apply(kPermute, words, sources);
}

bool is_native(PyArrayObject* array) { return PyArray_ISALIGNED(array) && PyArray_ISNOTSWAPPED(array); }

}  // namespace

bool borrow_numpy(PyObject* object, harp_const_array& borrowed) {
  if (!PyArray_CheckExact(object)) return false;
  PyArrayObject* array = as_array(object);
  if (!PyArray_ISCARRAY_RO(array)) return false;  // PyArray_ISCARRAY_RO tests for C order, alignment, byte order
  borrowed = {PyArray_DATA(array), dims_of(array), dtype_of_numpy(PyArray_TYPE(array)), PyArray_NDIM(array)};
  return borrowed.dtype != HARP_UNKNOWN && borrowed.rank <= HARP_MAX_RANK;
}

Ref<Node> node_of_numpy(PyObject* object, Copy copy) {
  PyObject* owned = nullptr;
  if (!PyArray_Check(object)) {
    if (!PyArray_CheckScalar(object)) return {};
    owned = object = PyArray_FromScalar(object, nullptr);
    if (owned == nullptr) throw PythonError();
    copy = copy == Copy::kAlways ? Copy::kIfNeeded : copy;
  }
  const std::unique_ptr<PyObject, void (*)(PyObject*)> owner(owned, [](PyObject* o) { Py_XDECREF(o); });
  PyArrayObject* array = as_array(object);
  const harp_dtype dtype = dtype_of_array(array);
  const int rank = PyArray_NDIM(array);
  check_rank(rank);
  if (copy != Copy::kAlways && is_native(array)) {
    if (PyArray_IS_C_CONTIGUOUS(array)) return leaf_of(array, dtype, dims_of(array));
    if (PyArray_IS_F_CONTIGUOUS(array)) {
      std::array<int64_t, HARP_MAX_RANK> reversed;
      std::reverse_copy(dims_of(array), dims_of(array) + rank, reversed.begin());
      return reversed_axes(leaf_of(array, dtype, reversed.data()));
    }
  }
  if (copy == Copy::kNever) {
    PyErr_SetString(PyExc_ValueError, "copy=False, but the array is not contiguous, not aligned, or of another byte order");
    throw PythonError();
  }
  PyObject* converted = PyArray_FromArray(array, PyArray_DescrFromType(PyArray_TYPE(array)),
                                          NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_ENSUREARRAY |
                                              NPY_ARRAY_ENSURECOPY);
  if (converted == nullptr) throw PythonError();
  Ref<Node> node = leaf_of(as_array(converted), dtype, dims_of(as_array(converted)));
  Py_DECREF(converted);
  return node;
}

namespace {

void free_array(PyObject* capsule) {
  Ref<Array> array(static_cast<Array*>(PyCapsule_GetPointer(capsule, "harp.array")));
  --array->references;  // releases the reference that the capsule owned; `array` still owns one
}

/// Returns a Python object that keeps an array alive.
PyObject* keeper_of(const Ref<Array>& array) {
  Ref<Array> kept = array;
  PyObject* capsule = PyCapsule_New(kept.get(), "harp.array", free_array);
  if (capsule != nullptr) kept.release();
  return capsule;
}

int numpy_type_or_throw(harp_dtype dtype) {
  const int number = numpy_type(dtype);
  if (number < 0)
    throw Failure(HARP_ERROR_DTYPE, std::string("NumPy has no dtype for ") + harp_dtype_name(dtype) + "; harp.astype(x, harp.float32) has its values");
  return number;
}

}  // namespace

PyObject* numpy_of(const Ref<Array>& array, bool copy) {
  const Type& type = *array->type;
  const int number = numpy_type_or_throw(type.dtype);
  auto* dims = const_cast<npy_intp*>(reinterpret_cast<const npy_intp*>(type.dims));
  if (copy || array->data == nullptr) {
    PyObject* result = PyArray_SimpleNew(type.rank, dims, number);
    if (result != nullptr && type.bytes != 0) std::memcpy(PyArray_DATA(as_array(result)), array->data, type.bytes);
    return result;
  }
  PyObject* result = PyArray_New(&PyArray_Type, type.rank, dims, number, nullptr, array->data, 0, NPY_ARRAY_CARRAY_RO, nullptr);
  if (result == nullptr) return nullptr;
  PyObject* keeper = keeper_of(array);
  if (keeper == nullptr || PyArray_SetBaseObject(as_array(result), keeper) != 0) {
    Py_DECREF(result);
    return nullptr;
  }
  return result;
}

PyObject* new_numpy(const Type& type, harp_array& array) {
  auto* dims = const_cast<npy_intp*>(reinterpret_cast<const npy_intp*>(type.dims));
  PyObject* result = PyArray_SimpleNew(type.rank, dims, numpy_type_or_throw(type.dtype));
  if (result != nullptr) array = {PyArray_DATA(as_array(result)), type.dims, type.dtype, type.rank};
  return result;
}

namespace {

struct DlType {
  uint8_t code, bits;
};
DlType dl_type(harp_dtype dtype) {
  const auto bits = static_cast<uint8_t>(8 * harp_dtype_size(dtype));
  if (dtype == HARP_BOOL) return {6, 8};
  if (dtype == HARP_BF16) return {4, bits};
  switch (kind_of(dtype)) {
    case Kind::kFloat: return {2, bits};
    case Kind::kComplex: return {5, bits};
    default: return {static_cast<uint8_t>(dtype == HARP_U8 || dtype == HARP_U16 || dtype == HARP_U32 || dtype == HARP_U64 ? 1 : 0), bits};
  }
}

harp_dtype dtype_of_dl(const harp_dl_tensor& tensor) {
  for (harp_dtype dtype = HARP_BOOL; tensor.lanes == 1 && dtype <= HARP_COMPLEX128; ++dtype)
    if (dl_type(dtype).code == tensor.code && dl_type(dtype).bits == tensor.bits) return dtype;
  throw Failure(HARP_ERROR_DTYPE, "harp has no dtype for DLPack's code " + std::to_string(tensor.code) + " of " + std::to_string(tensor.bits) +
                                      " bits and " + std::to_string(tensor.lanes) + " lanes");
}

/// A DLPack structure that another library receives, together with all that it refers to: the array, and its sizes and strides.
template <class Managed>
struct Exported {
  Managed managed{};
  Array* array = nullptr;
  int64_t shape[HARP_MAX_RANK] = {}, strides[HARP_MAX_RANK] = {};

  static void free(Managed* self) {
    if (Py_IsInitialized() == 0) return;  // the interpreter has ended, so the process is about to end and frees all memory
    const PyGILState_STATE python = PyGILState_Ensure();
    auto* exported = static_cast<Exported*>(self->manager);
    if (--exported->array->references == 0) dispose(exported->array);
    delete exported;
    PyGILState_Release(python);
  }
};

template <class Managed>
Managed* export_array(Ref<Array> array) {
  auto* exported = new Exported<Managed>;
  const Type& type = *array->type;
  int64_t stride = 1;
  for (int32_t i = type.rank - 1; i >= 0; --i) {
    exported->shape[i] = type.dims[i];
    exported->strides[i] = stride;
    stride *= std::max<int64_t>(type.dims[i], 1);
  }
  const DlType dl = dl_type(type.dtype);
  exported->managed.tensor = {array->data, 1, 0, type.rank, dl.code, dl.bits, 1, exported->shape, exported->strides, 0};
  exported->managed.manager = exported;
  exported->managed.deleter = &Exported<Managed>::free;
  exported->array = array.release();
  return &exported->managed;
}

template <class Managed>
void free_capsule(PyObject* capsule, const char* name) {
  if (!PyCapsule_IsValid(capsule, name)) return;  // a consumer has renamed the capsule, so the consumer frees the array
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  if (managed->deleter != nullptr) managed->deleter(managed);
}
void free_unversioned(PyObject* capsule) { free_capsule<harp_dl_managed>(capsule, "dltensor"); }
void free_versioned(PyObject* capsule) { free_capsule<harp_dl_managed_versioned>(capsule, "dltensor_versioned"); }

Ref<Array> copy_of(const Ref<Array>& array) {
  Ref<Array> copy = new_array(array->type);
  if (array->type->bytes != 0) std::memcpy(copy->data, array->data, array->type->bytes);
  return copy;
}

}  // namespace

PyObject* dlpack_of(const Ref<Array>& array, bool versioned, bool copy) {
  Ref<Array> given = copy ? copy_of(array) : array;
  if (!versioned) return PyCapsule_New(export_array<harp_dl_managed>(std::move(given)), "dltensor", free_unversioned);
  auto* managed = export_array<harp_dl_managed_versioned>(std::move(given));
  managed->major = 1;
  managed->minor = 0;
  managed->flags = copy ? HARP_DL_IS_COPIED : HARP_DL_READ_ONLY;
  return PyCapsule_New(managed, "dltensor_versioned", free_versioned);
}

namespace {

template <class Managed>
void free_imported(PyObject* capsule) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, "harp.dlpack"));
  if (managed->deleter != nullptr) managed->deleter(managed);
}

Ref<Node> import_tensor(const harp_dl_tensor& tensor, PyObject* owner, Copy copy) {
  if (tensor.device_type != 1)
    throw Failure(HARP_ERROR_DEVICE, "the array is on a device (DLPack's type " + std::to_string(tensor.device_type) + "); harp takes host memory");
  check_rank(tensor.ndim);
  const harp_dtype dtype = dtype_of_dl(tensor);
  Ref<Type> type = type_of(dtype, tensor.ndim, tensor.shape);
  auto* data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  const auto size = static_cast<int64_t>(harp_dtype_size(dtype));
  const auto alignment = static_cast<uintptr_t>(kind_of(dtype) == Kind::kComplex ? size / 2 : size);
  std::array<int64_t, HARP_MAX_RANK> strides;
  int64_t dense = 1;
  bool in_order = reinterpret_cast<uintptr_t>(data) % alignment == 0;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    const int64_t stride = tensor.strides != nullptr ? tensor.strides[i] : dense;
    strides[static_cast<size_t>(i)] = stride * size;
    in_order = in_order && (stride == dense || tensor.shape[i] <= 1);
    dense *= tensor.shape[i];
  }
  if (type->bytes == 0) return leaf(new_array(std::move(type)));
  if (copy != Copy::kAlways && in_order) {
    Ref<Array> array(new Array);
    array->data = data;
    array->type = std::move(type);
    array->owner = Py_NewRef(owner);
    return leaf(std::move(array));
  }
  if (copy == Copy::kNever) {
    PyErr_SetString(PyExc_ValueError, "copy=False, but the array is not contiguous or not aligned");
    throw PythonError();
  }
  Ref<Array> array = new_array(std::move(type));
  harp_buffer* buffer = harp_buffer_wrap(context(), dtype, tensor.ndim, tensor.shape, array->data, nullptr, nullptr, Check());
  harp_error* error = nullptr;
  harp_buffer_write_strided(buffer, tensor.ndim, strides.data(), data, &error);
  harp_buffer_release(buffer);
  if (error != nullptr) fail(error);
  return leaf(std::move(array));
}

template <class Managed>
Ref<Node> import_capsule(PyObject* capsule, const char* name, const char* used, Copy copy) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  if (managed == nullptr) throw PythonError();
  PyObject* owner = PyCapsule_New(managed, "harp.dlpack", free_imported<Managed>);
  if (owner == nullptr || PyCapsule_SetName(capsule, used) != 0) throw PythonError();
  const std::unique_ptr<PyObject, void (*)(PyObject*)> kept(owner, [](PyObject* o) { Py_DECREF(o); });
  return import_tensor(managed->tensor, owner, copy);
}

}  // namespace

Ref<Node> node_of_dlpack(PyObject* capsule, Copy copy) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned"))
    return import_capsule<harp_dl_managed_versioned>(capsule, "dltensor_versioned", "used_dltensor_versioned", copy);
  return import_capsule<harp_dl_managed>(capsule, "dltensor", "used_dltensor", copy);
}

namespace {

/// The data that a Py_buffer keeps alive.
struct View {
  Ref<Array> array;
  Py_ssize_t shape[HARP_MAX_RANK], strides[HARP_MAX_RANK];
};

const char* format_of(harp_dtype dtype) {
  constexpr const char* kFormats[] = {nullptr, "?", "b", "B", "h", "H", "i", "I", "q", "Q", "e", nullptr, "f", "d", "Zf", "Zd"};
  return kFormats[dtype];
}

}  // namespace

int buffer_of(const Ref<Array>& array, PyObject* exporter, Py_buffer* view, int flags) {
  const Type& type = *array->type;
  const char* format = format_of(type.dtype);
  if (format == nullptr || (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, format == nullptr ? "the buffer protocol has no bfloat16" : "the memory of a tensor is read-only");
    return -1;
  }
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && std::count_if(type.dims, type.dims + type.rank, [](int64_t n) { return n > 1; }) > 1) {
    PyErr_SetString(PyExc_BufferError, "the memory of a tensor is in C order, not in Fortran order");
    return -1;
  }
  auto* kept = new View{array, {}, {}};
  auto stride = static_cast<Py_ssize_t>(harp_dtype_size(type.dtype));
  view->itemsize = stride;
  for (int32_t i = type.rank - 1; i >= 0; --i) {
    kept->shape[i] = type.dims[i];
    kept->strides[i] = stride;
    stride *= type.dims[i];
  }
  static char nothing = 0;
  view->buf = array->data != nullptr ? array->data : &nothing;
  view->obj = Py_NewRef(exporter);
  view->len = static_cast<Py_ssize_t>(type.bytes);
  view->readonly = 1;
  view->ndim = type.rank;
  view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(format) : nullptr;
  view->shape = (flags & PyBUF_ND) != 0 ? kept->shape : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? kept->strides : nullptr;
  view->suboffsets = nullptr;
  view->internal = kept;
  return 0;
}

void release_buffer(Py_buffer* view) { delete static_cast<View*>(view->internal); }

}  // namespace harp_python
