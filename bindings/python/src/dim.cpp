// Implements the Python type Dim, a symbolic size. Its arithmetic operators call those of harp.h.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "context.h"
#include "errors.h"
#include "module.h"
#include "operands.h"
#include "parts.h"
#include "text.h"

namespace nb = nanobind;

namespace harp_python {

namespace {

struct Dim {
  harp_dim dim;
};

PyTypeObject* dim_type = nullptr;

using Combine = harp_dim (*)(harp_graph*, harp_dim, harp_dim);

harp_dim checked(const SymbolicGraph& graph, harp_dim dim) {
  if (dim == HARP_DIM_INVALID) fail(harp_graph_take_error(graph.get()));
  return dim;
}

template <Combine combine>
PyObject* operate(PyObject* a, PyObject* b) {
  for (PyObject* operand : {a, b}) {
    if (is_dim(operand) || PyLong_CheckExact(operand)) continue;
    // Python then tries the operator of the other operand. If that is a Tensor, its operator accepts a Dim.
    Py_RETURN_NOTIMPLEMENTED;
  }
  try {
    int64_t x = 0, y = 0;
    if (!size_of(a, x) || !size_of(b, y)) return nullptr;
    // Python raises an exception here, although harp.h defines x // 0 = 0 (for divisors that happen to be 0 in a run).
    if ((combine == harp_dim_floor_div || combine == harp_dim_mod) && y == 0) {
      PyErr_SetString(PyExc_ZeroDivisionError, "division of a symbolic size by 0");
      return nullptr;
    }
    const SymbolicGraph graph;
    return size_object(checked(graph, combine(graph.get(), x, y)));
  } catch (...) {
    return set_python_error();
  }
}

PyObject* negative(PyObject* a) {
  PyObject* zero = PyLong_FromLong(0);
  PyObject* result = operate<harp_dim_sub>(zero, a);
  Py_DECREF(zero);
  return result;
}

PyObject* compare(PyObject* a, PyObject* b, int how) {
  if (how != Py_EQ && how != Py_NE) {
    PyErr_SetString(PyExc_TypeError, "a symbolic size has no value while a function is traced, so it has no order");
    return nullptr;
  }
  const bool equal = is_dim(a) && is_dim(b) && dim_of(a) == dim_of(b);
  return PyBool_FromLong(equal == (how == Py_EQ));
}

int truth(PyObject*) {
  PyErr_SetString(PyExc_TypeError, "a symbolic size has no value while a function is traced, so its truth is undefined");
  return -1;
}

/// Raises an exception: programs call harp.dim, not the constructor of Dim, because a Dim that the constructor made would belong to no
/// graph.
PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "use harp.dim to make a Dim");
  return nullptr;
}

Py_hash_t hash(PyObject* self) { return static_cast<Py_hash_t>(dim_of(self) >> 1); }

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(refuse_new)},
                       {Py_nb_bool, reinterpret_cast<void*>(truth)},
                       {Py_nb_add, reinterpret_cast<void*>(operate<harp_dim_add>)},
                       {Py_nb_subtract, reinterpret_cast<void*>(operate<harp_dim_sub>)},
                       {Py_nb_multiply, reinterpret_cast<void*>(operate<harp_dim_mul>)},
                       {Py_nb_floor_divide, reinterpret_cast<void*>(operate<harp_dim_floor_div>)},
                       {Py_nb_remainder, reinterpret_cast<void*>(operate<harp_dim_mod>)},
                       {Py_nb_negative, reinterpret_cast<void*>(negative)},
                       {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                       {Py_tp_hash, reinterpret_cast<void*>(hash)},
                       {0, nullptr}};

template <Combine combine>
nb::object extreme(nb::handle a, nb::handle b) {
  int64_t x = 0, y = 0;
  if (!size_of(a.ptr(), x) || !size_of(b.ptr(), y)) throw nb::python_error();
  const SymbolicGraph graph;
  return nb::steal(size_object(checked(graph, combine(graph.get(), x, y))));
}

std::string text_of(const Dim& self) {
  const SymbolicGraph graph;
  return displayed(take(harp_dim_print(graph.get(), self.dim, Check())));
}

}  // namespace

bool is_dim(PyObject* object) { return Py_TYPE(object) == dim_type; }
harp_dim dim_of(PyObject* object) { return nb::inst_ptr<Dim>(object)->dim; }

PyObject* dim_object(harp_dim dim) { return nb::cast(Dim{dim}).release().ptr(); }

PyObject* size_object(int64_t size) { return size < -(int64_t{1} << 62) ? dim_object(size) : PyLong_FromLongLong(size); }

void add_dim(nb::module_& m) {
  nb::class_<Dim> type(m, "Dim", nb::type_slots(slots), nb::is_final());
  dim_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def("__repr__", &text_of)
      .def("__copy__", [](nb::handle self) { return nb::borrow(self); })
      .def("__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); });
  m.def("dim", [](const std::string& name, int64_t least, int64_t most) {
    // In this graph harp reports an invalid name or invalid bounds, before the name is declared in the shared graph.
    const PlainGraph trial;
    if (harp_dim_var(trial.get(), name.c_str(), least, most) == HARP_DIM_INVALID) fail(harp_graph_take_error(trial.get()));
    const SymbolicGraph graph;
    return Dim{checked(graph, harp_dim_var(graph.get(), variable_name(name, least, most).c_str(), least, most))};
  });
  m.def("dim_min", &extreme<harp_dim_min>);
  m.def("dim_max", &extreme<harp_dim_max>);
}

}  // namespace harp_python
