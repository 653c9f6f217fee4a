#include "operands.h"

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <string>

#include "arguments.h"
#include "arrays.h"
#include "build.h"
#include "context.h"
#include "dtypes.h"
#include "errors.h"
#include "module.h"
#include "realise.h"

namespace harp_python {

namespace {

/// A Python number: its kind, and its bits in the widest dtype of that kind.
struct Number {
  Kind kind = Kind::kBool;
  uint64_t low = 0, high = 0;
  bool is_wide = false;  // true: the integer is larger than any int64_t, and `low` is a uint64_t
  bool is_huge = false;  // true: the integer does not fit 64 bits, and `low` is 1 or -1, its sign
};

bool read_number(PyObject* object, Number& number) {
  if (PyBool_Check(object)) {
    number = {Kind::kBool, object == Py_True ? uint64_t{1} : 0};
  } else if (PyLong_Check(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    number = {Kind::kInteger, static_cast<uint64_t>(value)};
    if (overflow > 0) {
      number.low = PyLong_AsUnsignedLongLong(object);
      number.is_wide = true;
    }
    if (overflow < 0 || PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      number = {Kind::kInteger, overflow < 0 ? ~uint64_t{0} : 1};
      number.is_huge = true;
    }
  } else if (PyFloat_Check(object)) {
    number = {Kind::kFloat, std::bit_cast<uint64_t>(PyFloat_AsDouble(object))};
  } else if (PyComplex_Check(object)) {
    number = {Kind::kComplex, std::bit_cast<uint64_t>(PyComplex_RealAsDouble(object)),
              std::bit_cast<uint64_t>(PyComplex_ImagAsDouble(object))};
  } else {
    return false;
  }
  return true;
}

double as_double(const Number& number) {
  if (number.kind == Kind::kFloat || number.kind == Kind::kComplex) return std::bit_cast<double>(number.low);
  return number.is_wide ? static_cast<double>(number.low) : static_cast<double>(static_cast<int64_t>(number.low));
}

bool fits(const Number& number, harp_dtype dtype) {
  if (dtype == HARP_U64) return number.is_wide || static_cast<int64_t>(number.low) >= 0;
  if (number.is_wide) return false;
  const auto value = static_cast<int64_t>(number.low);
  const int bits = static_cast<int>(8 * harp_dtype_size(dtype));
  const bool with_sign = dtype == HARP_I8 || dtype == HARP_I16 || dtype == HARP_I32 || dtype == HARP_I64;
  if (bits == 64) return true;
  return with_sign ? value >= -(int64_t{1} << (bits - 1)) && value < (int64_t{1} << (bits - 1))
                   : value >= 0 && value < (int64_t{1} << bits);
}

/// Throws if the integer dtype cannot represent the number.
void check_fits(const Number& number, harp_dtype dtype) {
  if (fits(number, dtype)) return;
  const PlainGraph graph;  // harp itself reports that the number does not fit the dtype, so the message is the same as in a C program
  if (number.is_wide)
    harp_constant_u64(graph.get(), dtype, number.low);
  else
    harp_constant_i64(graph.get(), dtype, static_cast<int64_t>(number.low));
  fail(harp_graph_take_error(graph.get()));
}

Ref<Node> constant_of(const Number& number, harp_dtype dtype) {
  const Kind kind = kind_of(dtype);
  if (number.is_huge) throw Failure(HARP_ERROR_RANGE, "an integer does not fit 64 bits");
  if (kind == Kind::kComplex)
    return constant(dtype, std::bit_cast<uint64_t>(as_double(number)), number.kind == Kind::kComplex ? number.high : 0);
  if (kind == Kind::kFloat) return constant(dtype, std::bit_cast<uint64_t>(as_double(number)));
  if (kind == Kind::kInteger) check_fits(number, dtype);
  return constant(dtype, number.low);
}

Ref<Node> cast(Ref<Node> node, harp_dtype dtype) {
  if (node->type->dtype == dtype && (node->flags & Node::kWeak) == 0) return node;
  static const int32_t kCast = operation_named("cast");
  Node* const sources[] = {node.get()};
  return apply(kCast, {dtype}, sources);
}

/// Gives a weak node the dtype of the other operands.
Ref<Node> taken(Ref<Node> node, harp_dtype dtype) {
  Ref<Node> result = cast(std::move(node), dtype);
  result->flags |= Node::kTaken;
  return result;
}

/// Gives an operand its final dtype if no array determines it. A Python number that is an argument of a traced function is cast to its
/// default dtype; every other node is returned unchanged.
Ref<Node> strong(Ref<Node> node) {
  if ((node->flags & Node::kWeak) == 0) return node;
  return cast(node, weak_alone(kind_of(node->type->dtype)));
}

Ref<Node> dim_node(PyObject* object) { return size_node(dim_of(object)); }

/// Returns the node of an array of another library, such as a PyTorch tensor. For any other object returns none.
Ref<Node> node_of_foreign(PyObject* object) {
  if (PyType_Check(object) || !PyObject_HasAttrString(object, "__dlpack__")) return {};
  PyObject* made = PyObject_CallFunctionObjArgs(converter(), object, nullptr);
  if (made == nullptr) throw PythonError();
  Ref<Node> node;
  if (is_tensor(made)) node = node_of_tensor(made);
  Py_DECREF(made);
  return node;
}

}  // namespace

void refuse(PyObject* object, const char* wanted) {
  PyErr_Format(PyExc_TypeError, "expected %s, got %R", wanted, Py_TYPE(object));
  throw PythonError();
}

void check_integer(int64_t value, harp_dtype dtype) { check_fits({Kind::kInteger, static_cast<uint64_t>(value)}, dtype); }

Ref<Node> node_if_array(PyObject* object) {
  if (is_tensor(object)) return node_of_tensor(object);
  return node_of_numpy(object);
}

Ref<Node> node_of(PyObject* object) {
  if (Ref<Node> node = node_if_array(object)) return strong(std::move(node));
  if (is_dim(object)) return strong(dim_node(object));
  Number number{};
  if (read_number(object, number)) return constant_of(number, weak_alone(number.kind));
  if (Ref<Node> node = node_of_foreign(object)) return node;
  refuse(object, "a harp.Tensor, a NumPy array or a number");
}

Ref<Node> node_of_value(PyObject* object, harp_dtype dtype) {
  Number number{};
  const bool is_number = !node_if_array(object) && read_number(object, number);
  return is_number ? constant_of(number, dtype) : node_of(object);
}

bool nodes_together(std::span<PyObject* const> objects, std::vector<Ref<Node>>& nodes) {
  constexpr size_t kFew = 4;
  Number few[kFew];
  std::vector<Number> many(objects.size() > kFew ? objects.size() : 0);
  Number* const numbers = many.empty() ? few : many.data();
  harp_dtype strong_dtype = HARP_UNKNOWN;
  Kind weakest = Kind::kBool;
  bool any_weak_node = false;
  nodes.assign(objects.size(), {});
  for (size_t i = 0; i < objects.size(); ++i) {
    PyObject* object = objects[i];
    nodes[i] = node_if_array(object);
    if (!nodes[i] && is_dim(object)) nodes[i] = dim_node(object);
    if (!nodes[i] && read_number(object, numbers[i])) {
      weakest = std::max(weakest, numbers[i].kind);
      continue;
    }
    if (!nodes[i]) nodes[i] = node_of_foreign(object);
    if (!nodes[i]) return false;
    if ((nodes[i]->flags & Node::kWeak) == 0) {
      strong_dtype = strong_dtype == HARP_UNKNOWN ? nodes[i]->type->dtype : promote(strong_dtype, nodes[i]->type->dtype);
    } else {
      weakest = std::max(weakest, kind_of(nodes[i]->type->dtype));
      any_weak_node = true;
    }
  }
  harp_dtype target = HARP_UNKNOWN;
  if (strong_dtype != HARP_UNKNOWN)
    target = weak_beside(weakest, strong_dtype);
  else
    target = any_weak_node ? weak_wide(weakest) : weak_alone(weakest);
  for (size_t i = 0; i < objects.size(); ++i) {
    if (!nodes[i])
      nodes[i] = constant_of(numbers[i], target);
    else if ((nodes[i]->flags & Node::kWeak) != 0 && (strong_dtype != HARP_UNKNOWN || nodes[i]->type->dtype != target))
      nodes[i] = taken(nodes[i], target);
  }
  return true;
}

Ref<Node> comparison_with_outside(int32_t index, PyObject* a, PyObject* b) {
  struct Comparison {
    int32_t index;
    bool if_less, if_greater;  // the result of the comparison if a < b, and if a > b
  };
  static const std::array<Comparison, 6> kComparisons = {{{operation_named("less"), true, false},
                                                          {operation_named("less_equal"), true, false},
                                                          {operation_named("equal"), false, false},
                                                          {operation_named("not_equal"), true, true},
                                                          {operation_named("greater"), false, true},
                                                          {operation_named("greater_equal"), false, true}}};
  const bool turned = is_tensor(b);
  PyObject* integer = turned ? a : b;
  if (!PyLong_CheckExact(integer) || !is_tensor(turned ? b : a)) return {};
  const auto at = std::ranges::find(kComparisons, index, &Comparison::index);
  if (at == kComparisons.end()) return {};
  Node* const node = node_of_tensor(turned ? b : a).get();
  const harp_dtype dtype = node->type->dtype;
  Number number{};
  if (kind_of(dtype) != Kind::kInteger || (node->flags & Node::kWeak) != 0 || !read_number(integer, number)) return {};
  if (!number.is_huge && fits(number, dtype)) return {};
  const bool is_above = number.is_wide || static_cast<int64_t>(number.low) > 0;
  const bool result = is_above != turned ? at->if_less : at->if_greater;
  Node* const sources[] = {node, node};
  return apply(operation_named(result ? "equal" : "not_equal"), {}, sources);
}

bool size_of(PyObject* object, int64_t& size) {
  if (is_dim(object)) {
    size = dim_of(object);
    return true;
  }
  if (PyIndex_Check(object) == 0) {
    PyErr_Format(PyExc_TypeError, "expected an integer, got %R", Py_TYPE(object));
    return false;
  }
  PyObject* integer = PyNumber_Index(object);
  if (integer == nullptr) return false;
  size = PyLong_AsLongLong(integer);
  Py_DECREF(integer);
  return size != -1 || PyErr_Occurred() == nullptr;
}

harp_dtype dtype_of(PyObject* object) {
  if (const harp_dtype dtype = dtype_of_object(object)) return dtype;
  PyObject* found = PyObject_CallFunctionObjArgs(dtype_finder(), object, nullptr);
  if (found == nullptr) throw PythonError();
  const long number = PyLong_AsLong(found);
  Py_DECREF(found);
  if (number == -1 && PyErr_Occurred() != nullptr) throw PythonError();
  return static_cast<harp_dtype>(number);
}

}  // namespace harp_python
