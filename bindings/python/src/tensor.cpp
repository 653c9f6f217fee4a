// Implements the Python type Tensor: its operators, its conversion to a Python number, its length, and the buffer protocol.
// harp/_methods.py adds the other methods, which are Python functions.
#include <nanobind/nanobind.h>

#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "arguments.h"
#include "arrays.h"
#include "build.h"
#include "dtypes.h"
#include "errors.h"
#include "module.h"
#include "operands.h"
#include "parts.h"
#include "realise.h"
#include "walk.h"

namespace nb = nanobind;

namespace harp_python {

namespace {

struct Tensor {
  Ref<Node> node;
};

PyTypeObject* tensor_type = nullptr;

enum Operator { kAdd, kSubtract, kMultiply, kDivide, kFloorDivide, kRemainder, kPow, kAnd, kOr, kXor, kMatmul, kNegative, kAbs,
                kInvert, kLess, kLessEqual, kEqual, kNotEqual, kGreater, kGreaterEqual, kPowi, kReciprocal, kOperators };
constexpr std::array<std::string_view, kOperators> kNames = {
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "pow", "bitwise_and", "bitwise_or", "bitwise_xor",
    "matmul", "negative", "abs", "bitwise_invert", "less", "less_equal", "equal", "not_equal",
    "greater", "greater_equal", "powi", "reciprocal"};
constexpr bool is_comparison(Operator op) { return op >= kLess && op <= kGreaterEqual; }
std::array<int32_t, kOperators> numbers;  // for each operator, the index of its operation in the table of operations

PyObject* positive(PyObject* x) {
  const Ref<Node>& node = node_of_tensor(x);
  if (node->type->dtype != HARP_BOOL) return tensor(node);
  // as in NumPy 2 and PyTorch
  PyErr_SetString(PyExc_TypeError, "positive: expected numbers, got bool; astype(x, int8) has 1 for True and 0 for False");
  return nullptr;
}

PyObject* finish(Ref<Node> node) {
  realise_if_long(node.get());
  return tensor(std::move(node));
}

/// Throws if an operand is a list or tuple, for operators to which Python would give a meaning of its own if they did not exist:
/// 3 * [1, 2] repeats the list, and == says False.
void refuse_list(PyObject* a, PyObject* b) {
  for (PyObject* each : {a, b})
    if (PyList_Check(each) || PyTuple_Check(each)) refuse(each, "a tensor, a NumPy array or a number (harp.asarray makes a tensor of a list)");
}

template <Operator op>
PyObject* binary(PyObject* a, PyObject* b) {
  try {
    PyObject* const operands[] = {a, b};
    if constexpr (is_comparison(op)) {
      if (Ref<Node> node = comparison_with_outside(numbers[op], a, b)) return finish(std::move(node));
    }
    std::vector<Ref<Node>> nodes;
    if (!nodes_together(operands, nodes)) {
      if constexpr (op == kMultiply || op == kEqual || op == kNotEqual) refuse_list(a, b);
      Py_RETURN_NOTIMPLEMENTED;
    }
    Node* const sources[] = {nodes[0].get(), nodes[1].get()};
    Ref<Node> node = apply(numbers[op], {}, sources);
    const bool weak = ((sources[0]->flags | sources[1]->flags) & Node::kWeak) != 0;
    if (weak && node->type->dtype == sources[0]->type->dtype) node->flags |= Node::kWeak;
    return finish(std::move(node));
  } catch (...) {
    return set_python_error();
  }
}

template <Operator op>
PyObject* unary(PyObject* x) {
  try {
    const Ref<Node> node = node_of(x);
    Node* const sources[] = {node.get()};
    return finish(apply(numbers[op], {}, sources));
  } catch (...) {
    return set_python_error();
  }
}

constexpr long kMostMultiplications = 8;  // x ** k with an integer k from 0 to this number is computed by multiplications

/// Computes x ** k for an integer k from 0 to 8 by multiplications, and x ** -1 as 1 / x. All other powers use the operation harp.pow.
PyObject* power(PyObject* base, PyObject* exponent, PyObject*) {
  if (is_tensor(base) && PyLong_CheckExact(exponent)) {
    int overflow = 0;
    const long k = PyLong_AsLongAndOverflow(exponent, &overflow);
    const Kind kind = kind_of(node_of_tensor(base)->type->dtype);
    const bool weak = (node_of_tensor(base)->flags & Node::kWeak) != 0;
    if (overflow == 0 && kind != Kind::kBool && !weak && k >= 0 && k <= kMostMultiplications) {
      try {
        Node* const sources[] = {node_of_tensor(base).get()};
        return finish(apply(numbers[kPowi], {k}, sources));
      } catch (...) {
        return set_python_error();
      }
    }
    if (k == -1 && kind >= Kind::kFloat && !weak) return unary<kReciprocal>(base);
  }
  return binary<kPow>(base, exponent);
}

PyObject* compare(PyObject* a, PyObject* b, int how) {
  switch (how) {
    case Py_LT: return binary<kLess>(a, b);
    case Py_LE: return binary<kLessEqual>(a, b);
    case Py_EQ: return binary<kEqual>(a, b);
    case Py_NE: return binary<kNotEqual>(a, b);
    case Py_GT: return binary<kGreater>(a, b);
    default: return binary<kGreaterEqual>(a, b);
  }
}

bool is_number(PyObject* object) {
  return (PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object)) && !node_if_array(object);  // np.float64 is a float, too
}

PyObject* matmul(PyObject* a, PyObject* b) {
  try {
    PyObject* const operands[] = {a, b};
    std::vector<Ref<Node>> nodes;
    if (is_number(a) || is_number(b) || !nodes_together(operands, nodes)) Py_RETURN_NOTIMPLEMENTED;
    Node* const sources[] = {nodes[0].get(), nodes[1].get()};
    return finish(apply(numbers[kMatmul], {}, sources));
  } catch (...) {
    return set_python_error();
  }
}

/// Returns the element of a tensor of one element as a Python number.
PyObject* item(PyObject* self) {
  try {
    Node* node = node_of_tensor(self).get();
    if (node->type->symbolic || node->type->count != 1) {
      PyErr_SetString(PyExc_TypeError, "only a tensor with one element can be converted to a Python number");
      return nullptr;
    }
    const Ref<Array> array = value_of(node);
    const void* data = array->data;
    const auto read = [&]<class T>(T value) {
      std::memcpy(&value, data, sizeof value);
      return value;
    };
    switch (array->type->dtype) {
      case HARP_BOOL: return PyBool_FromLong(read(uint8_t{}) != 0);
      case HARP_I8: return PyLong_FromLong(read(int8_t{}));
      case HARP_U8: return PyLong_FromLong(read(uint8_t{}));
      case HARP_I16: return PyLong_FromLong(read(int16_t{}));
      case HARP_U16: return PyLong_FromLong(read(uint16_t{}));
      case HARP_I32: return PyLong_FromLong(read(int32_t{}));
      case HARP_U32: return PyLong_FromUnsignedLong(read(uint32_t{}));
      case HARP_I64: return PyLong_FromLongLong(read(int64_t{}));
      case HARP_U64: return PyLong_FromUnsignedLongLong(read(uint64_t{}));
      case HARP_F32: return PyFloat_FromDouble(static_cast<double>(read(float{})));
      case HARP_F64: return PyFloat_FromDouble(read(double{}));
      case HARP_COMPLEX64: {
        float parts[2];
        std::memcpy(parts, data, sizeof parts);
        return PyComplex_FromDoubles(static_cast<double>(parts[0]), static_cast<double>(parts[1]));
      }
      case HARP_COMPLEX128: {
        double parts[2];
        std::memcpy(parts, data, sizeof parts);
        return PyComplex_FromDoubles(parts[0], parts[1]);
      }
      default: {  // f16 and bf16
        static const int32_t kCast = operation_named("cast");
        const Ref<Node> stored = leaf(array);
        Node* const sources[] = {stored.get()};
        const Ref<Node> wide = apply(kCast, {HARP_F32}, sources);
        float value = 0;
        std::memcpy(&value, value_of(wide.get())->data, sizeof value);
        return PyFloat_FromDouble(static_cast<double>(value));
      }
    }
  } catch (...) {
    return set_python_error();
  }
}

int truth(PyObject* self) {
  const Type& type = *node_of_tensor(self)->type;
  if (!type.symbolic && type.count != 1) {
    PyErr_Format(PyExc_ValueError, "the truth of a tensor of %zu elements is ambiguous: use harp.any() or harp.all()", type.count);
    return -1;
  }
  PyObject* value = item(self);
  if (value == nullptr) return -1;
  const int result = PyObject_IsTrue(value);
  Py_DECREF(value);
  return result;
}

PyObject* as_integer(PyObject* self) {
  PyObject* value = item(self);
  if (value == nullptr) return nullptr;
  PyObject* result = PyNumber_Long(value);
  Py_DECREF(value);
  return result;
}

PyObject* as_index(PyObject* self) {
  const Kind kind = kind_of(node_of_tensor(self)->type->dtype);
  if (kind != Kind::kInteger) {
    PyErr_SetString(PyExc_TypeError, "only a tensor of integers can be an index");
    return nullptr;
  }
  return item(self);
}

PyObject* as_float(PyObject* self) {
  PyObject* value = item(self);
  if (value == nullptr) return nullptr;
  PyObject* result = nullptr;
  if (PyComplex_Check(value))
    PyErr_SetString(PyExc_TypeError, "a complex tensor cannot be converted to a float");
  else
    result = PyNumber_Float(value);
  Py_DECREF(value);
  return result;
}

Py_ssize_t length(PyObject* self) {
  const Type& type = *node_of_tensor(self)->type;
  if (type.rank == 0 || type.dims[0] < 0) {
    PyErr_SetString(PyExc_TypeError, type.rank == 0 ? "a tensor of rank 0 has no length" : "the length of an axis of symbolic size is unknown; use shape[0]");
    return -1;
  }
  return type.dims[0];
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  try {
    if (node_of_tensor(self)->levels != 0 && kind_of(node_of_tensor(self)->type->dtype) >= Kind::kFloat)
      throw Failure(HARP_ERROR_NO_GRADIENT, "this tensor is being differentiated, and a gradient cannot pass through its memory");
    return buffer_of(value_of(node_of_tensor(self).get()), self, view, flags);
  } catch (...) {
    set_python_error();
    view->obj = nullptr;
    return -1;
  }
}

void free_buffer(PyObject*, Py_buffer* view) { release_buffer(view); }

/// Raises an exception: programs call functions such as harp.asarray, not the constructor of Tensor, because a Tensor that the constructor
/// made would have no node.
PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "use harp.asarray, harp.zeros ... to make a Tensor");
  return nullptr;
}

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(refuse_new)},
    {Py_nb_add, reinterpret_cast<void*>(binary<kAdd>)},
    {Py_nb_subtract, reinterpret_cast<void*>(binary<kSubtract>)},
    {Py_nb_multiply, reinterpret_cast<void*>(binary<kMultiply>)},
    {Py_nb_true_divide, reinterpret_cast<void*>(binary<kDivide>)},
    {Py_nb_floor_divide, reinterpret_cast<void*>(binary<kFloorDivide>)},
    {Py_nb_remainder, reinterpret_cast<void*>(binary<kRemainder>)},
    {Py_nb_power, reinterpret_cast<void*>(power)},
    {Py_nb_and, reinterpret_cast<void*>(binary<kAnd>)},
    {Py_nb_or, reinterpret_cast<void*>(binary<kOr>)},
    {Py_nb_xor, reinterpret_cast<void*>(binary<kXor>)},
    {Py_nb_matrix_multiply, reinterpret_cast<void*>(matmul)},
    {Py_nb_negative, reinterpret_cast<void*>(unary<kNegative>)},
    {Py_nb_positive, reinterpret_cast<void*>(positive)},
    {Py_nb_absolute, reinterpret_cast<void*>(unary<kAbs>)},
    {Py_nb_invert, reinterpret_cast<void*>(unary<kInvert>)},
    {Py_nb_bool, reinterpret_cast<void*>(truth)},
    {Py_nb_int, reinterpret_cast<void*>(as_integer)},
    {Py_nb_float, reinterpret_cast<void*>(as_float)},
    {Py_nb_index, reinterpret_cast<void*>(as_index)},
    {Py_mp_length, reinterpret_cast<void*>(length)},
    {Py_sq_length, reinterpret_cast<void*>(length)},
    {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
    {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
    {Py_bf_releasebuffer, reinterpret_cast<void*>(free_buffer)},
    {0, nullptr}};

/// x.item() is the only element of x, x.item(i) element i of the flattened tensor, x.item(i, j) and x.item((i, j)) the element x[i, j].
nb::object item_at(nb::handle self, nb::args index) {
  nb::object element = nb::borrow(self);
  if (index.size() == 1 && !nb::isinstance<nb::tuple>(index[0]))
    element = self.attr("reshape")(-1).attr("__getitem__")(index[0]);
  else if (index.size() != 0)
    element = self.attr("__getitem__")(index.size() == 1 ? nb::object(index[0]) : nb::object(index));
  const Type& type = *node_of_tensor(element.ptr())->type;
  if (type.symbolic || type.count != 1) {
    PyErr_Format(PyExc_ValueError, "item: expected a tensor of one element, got shape %S", nb::object(element.attr("shape")).ptr());
    throw nb::python_error();
  }
  PyObject* made = item(element.ptr());
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

nb::object shape_of(const Tensor& self) {
  Type& type = *self.node->type;
  if (type.shape == nullptr) {
    PyObject* shape = PyTuple_New(type.rank);
    if (shape == nullptr) throw nb::python_error();
    for (int32_t i = 0; i < type.rank; ++i) {
      PyObject* size = size_object(type.dims[i]);
      if (size == nullptr || PyTuple_SetItem(shape, i, size) != 0) throw nb::python_error();
    }
    type.shape = shape;
  }
  return nb::borrow(type.shape);
}

}  // namespace

bool is_tensor(PyObject* object) { return Py_TYPE(object) == tensor_type; }

Ref<Node>& node_of_tensor(PyObject* object) { return nb::inst_ptr<Tensor>(object)->node; }

PyObject* tensor(Ref<Node> node) {
  const nb::handle type(reinterpret_cast<PyObject*>(tensor_type));
  nb::object object = nb::inst_alloc(type);
  new (nb::inst_ptr<Tensor>(object)) Tensor{std::move(node)};
  nb::inst_mark_ready(object);
  return object.release().ptr();
}

void add_tensor(nb::module_& m) {
  for (size_t i = 0; i < kOperators; ++i) numbers[i] = operation_named(kNames[i]);
  nb::class_<Tensor> type(m, "Tensor", nb::type_slots(slots), nb::is_final(), nb::is_weak_referenceable());
  tensor_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def_prop_ro("shape", &shape_of)
      .def_prop_ro("dtype", [](const Tensor& self) { return nb::borrow(dtype_object(self.node->type->dtype)); })
      .def_prop_ro("ndim", [](const Tensor& self) { return self.node->type->rank; })
      .def_prop_ro("is_realised", [](const Tensor& self) { return bool(self.node->value); })
      .def("item", &item_at)
      .def("__complex__",
           [](nb::handle self) {
             const nb::object value = nb::steal(item(self.ptr()));
             if (!value.is_valid()) throw nb::python_error();
             return nb::steal(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyComplex_Type), value.ptr(), nullptr));
           })
      .def("_rebind", [](Tensor& self, const Tensor& other) { self.node = other.node; })
      .def("_pending", [](const Tensor& self) {  // the number of nodes that an evaluation would visit: pending nodes and their leaves
        Node* const roots[] = {self.node.get()};
        return walk(roots).order.size();
      });
}

}  // namespace harp_python
