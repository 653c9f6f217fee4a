#include "operands.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <string>

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
  Kind kind;
  uint64_t low = 0, high = 0;
  bool is_wide = false;  // true: the integer is larger than any int64_t, and `low` is a uint64_t
};

bool read_number(PyObject* object, Number& number) {
  if (PyBool_Check(object)) {
    number = {Kind::kBool, object == Py_True ? uint64_t{1} : 0};
  } else if (PyLong_CheckExact(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    number = {Kind::kInteger, static_cast<uint64_t>(value)};
    if (overflow > 0) {
      number.low = PyLong_AsUnsignedLongLong(object);
      number.is_wide = true;
    }
    if (overflow < 0 || PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw Failure(HARP_ERROR_RANGE, "an integer does not fit 64 bits");
    }
  } else if (PyFloat_CheckExact(object)) {
    number = {Kind::kFloat, std::bit_cast<uint64_t>(PyFloat_AsDouble(object))};
  } else if (PyComplex_CheckExact(object)) {
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
  return with_sign ? value >= -(int64_t{1} << (bits - 1)) && value < (int64_t{1} << (bits - 1)) : value >= 0 && value < (int64_t{1} << bits);
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
  if (kind == Kind::kComplex) return constant(dtype, std::bit_cast<uint64_t>(as_double(number)), number.kind == Kind::kComplex ? number.high : 0);
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

[[noreturn]] void refuse(PyObject* object, const char* wanted) {
  PyErr_Format(PyExc_TypeError, "expected %s, got %R", wanted, Py_TYPE(object));
  throw PythonError();
}

Ref<Node> dim_node(PyObject* object) { return size_node(dim_of(object)); }

}  // namespace

void check_integer(int64_t value, harp_dtype dtype) { check_fits({Kind::kInteger, static_cast<uint64_t>(value)}, dtype); }

Ref<Node> node_if_array(PyObject* object) {
  if (is_tensor(object)) return node_of_tensor(object);
  return node_of_numpy(object);
}

Ref<Node> node_of(PyObject* object) {
  if (Ref<Node> node = node_if_array(object)) return strong(std::move(node));
  if (is_dim(object)) return strong(dim_node(object));
  Number number{};
  if (!read_number(object, number)) refuse(object, "a harp.Tensor, a NumPy array or a number");
  return constant_of(number, weak_alone(number.kind));
}

bool nodes_together(std::span<PyObject* const> objects, std::vector<Ref<Node>>& nodes) {
  Number numbers[4];
  harp_dtype strong_dtype = HARP_UNKNOWN;
  Kind weakest = Kind::kBool;
  bool any_weak_node = false;
  nodes.resize(objects.size());
  for (size_t i = 0; i < objects.size(); ++i) {
    PyObject* object = objects[i];
    nodes[i] = node_if_array(object);
    if (!nodes[i] && is_dim(object)) nodes[i] = dim_node(object);
    if (nodes[i] && (nodes[i]->flags & Node::kWeak) == 0) {
      strong_dtype = strong_dtype == HARP_UNKNOWN ? nodes[i]->type->dtype : promote(strong_dtype, nodes[i]->type->dtype);
    } else if (nodes[i]) {
      weakest = std::max(weakest, kind_of(nodes[i]->type->dtype));
      any_weak_node = true;
    } else {
      if (!read_number(object, numbers[i])) return false;
      weakest = std::max(weakest, numbers[i].kind);
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

bool size_of(PyObject* object, int64_t& size) {
  if (is_dim(object)) {
    size = dim_of(object);
    return true;
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

int32_t operation_named(std::string_view name) {
  for (int32_t i = 0; i < row_count(); ++i)
    if (row(i).name == name) return i;
  return INT32_MIN;
}

namespace {

int64_t size_or_throw(PyObject* object) {
  int64_t size = 0;
  if (!size_of(object, size)) throw PythonError();
  return size;
}

double real_or_throw(PyObject* object) {
  const double value = PyFloat_AsDouble(object);
  if (value == -1 && PyErr_Occurred() != nullptr) throw PythonError();
  return value;
}

/// Reads the arguments of one call of an operation from Python.
class Arguments {
 public:
  Arguments(const Row& row, PyObject* const* arguments) : row_(row), arguments_(arguments) {}

  void read() {
    const std::string_view kinds = row_.kinds;
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i] == 'p')
        i = read_together(i, kinds) - 1;
      else
        read_one(kinds[i], arguments_[i]);
    }
    for (const Ref<Node>& node : nodes_) sources_.push_back(node.get());
  }

  const Words& words() const { return words_; }
  std::span<Node* const> sources() const { return sources_; }
  bool is_weak() const { return is_weak_; }
  PyObject* owner() const { return owner_; }  // the Python function of a native operation; borrowed from the arguments

 private:
  size_t read_together(size_t first, std::string_view kinds) {
    size_t end = first;
    while (end < kinds.size() && kinds[end] == 'p') ++end;
    std::vector<Ref<Node>> nodes;
    const std::span objects(arguments_ + first, end - first);
    if (!nodes_together(objects, nodes)) {
      for (PyObject* object : objects) node_of(object);  // at least one object is not an operand, and node_of() throws for it
    }
    is_weak_ = std::ranges::all_of(nodes, [](const Ref<Node>& node) { return (node->flags & Node::kWeak) != 0 || node->is_constant(); }) &&
               std::ranges::any_of(nodes, [](const Ref<Node>& node) { return (node->flags & Node::kWeak) != 0; });
    for (Ref<Node>& node : nodes) nodes_.push_back(std::move(node));
    return end;
  }

  void read_one(char kind, PyObject* object) {
    const bool none = object == Py_None;
    switch (kind) {
      case 'x': nodes_.push_back(node_of(object)); break;
      case 'o':
        words_.push_back(none ? 0 : 1);
        if (!none) nodes_.push_back(node_of(object));
        break;
      case 'v': {
        words_.push_back(none ? 0 : 1);
        if (none) break;
        Number number{};
        nodes_.push_back(read_number(object, number) ? constant_of(number, nodes_[0]->type->dtype) : node_of(object));
        break;
      }
      case 'N': read_nodes(object); break;
      case 'i': words_.push_back(size_or_throw(object)); break;
      case 'b': words_.push_back(PyObject_IsTrue(object) != 0); break;
      case 'a': words_.push_back(none ? HARP_AXIS_NONE : size_or_throw(object)); break;
      case 'c': words_.push_back(none ? HARP_CLASS_NONE : size_or_throw(object)); break;
      case 'f': words_.push_back(std::bit_cast<int64_t>(real_or_throw(object))); break;
      case 'F':
        words_.push_back(none ? 0 : 1);
        if (!none) words_.push_back(std::bit_cast<int64_t>(real_or_throw(object)));
        break;
      case 's': words_.push_back(none ? -1 : text(object)); break;
      case 'h': read_function(object); break;
      case 't': words_.push_back(dtype_of(object)); break;
      case 'd': words_.push_back(size_or_throw(object)); break;
      case 'e': words_.push_back(none ? 0 : size_or_throw(object)); break;
      default: read_list(kind, object);
    }
  }

  static int64_t text(PyObject* object) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &size) : nullptr;
    if (data == nullptr) {
      PyErr_Clear();
      refuse(object, "a string");
    }
    return text_number({data, static_cast<size_t>(size)});
  }

  void read_function(PyObject* object) {
    if (!PyTuple_Check(object) || PyTuple_Size(object) != 3) refuse(object, "a tuple of two addresses and their owner");
    for (Py_ssize_t i = 0; i < 2; ++i) {
      words_.push_back(static_cast<int64_t>(reinterpret_cast<uintptr_t>(PyLong_AsVoidPtr(PyTuple_GetItem(object, i)))));
      if (PyErr_Occurred() != nullptr) throw PythonError();
    }
    PyObject* owner = PyTuple_GetItem(object, 2);
    owner_ = owner == Py_None ? nullptr : owner;
  }

  void read_nodes(PyObject* object) {
    PyObject* list = PySequence_List(object);
    if (list == nullptr) throw PythonError();
    const Py_ssize_t n = PyList_Size(list);
    words_.push_back(n);
    try {
      for (Py_ssize_t i = 0; i < n; ++i) nodes_.push_back(node_of(PyList_GetItem(list, i)));
    } catch (...) {
      Py_DECREF(list);
      throw;
    }
    Py_DECREF(list);
  }

  /// Reads an argument that is None, one number, or a sequence of numbers. `kind` says what the numbers are: 'A' integers, 'D' sizes, 'S'
  /// sizes or None, 'G' floats.
  void read_list(char kind, PyObject* object) {
    if (object == Py_None) return words_.push_back(-1);
    // PyLong_Check does not accept np.int64, which is no subclass of int
    if (PyLong_Check(object) || is_dim(object) || (PyIndex_Check(object) && !PySequence_Check(object))) {
      words_.push_back(1);
      return words_.push_back(size_or_throw(object));
    }
    PyObject* list = PySequence_List(object);
    if (list == nullptr) {
      if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        refuse(object, "a number or a sequence of numbers");
      }
      throw PythonError();
    }
    const Py_ssize_t n = PyList_Size(list);
    words_.push_back(n);
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* item = PyList_GetItem(list, i);
      int64_t word = HARP_SLICE_NONE;
      bool good = true;
      if (kind == 'G') {
        word = std::bit_cast<int64_t>(PyFloat_AsDouble(item));
        good = PyErr_Occurred() == nullptr;
      } else if (kind != 'S' || item != Py_None) {
        good = size_of(item, word);
      }
      if (!good) {
        Py_DECREF(list);
        throw PythonError();
      }
      words_.push_back(word);
    }
    Py_DECREF(list);
  }

  const Row& row_;
  PyObject* const* arguments_;
  Words words_;
  std::vector<Ref<Node>> nodes_;
  std::vector<Node*> sources_;
  PyObject* owner_ = nullptr;
  bool is_weak_ = false;
};

}  // namespace

PyObject* apply_python(int32_t index, PyObject* const* arguments, Py_ssize_t count) {
  try {
    const Row& operation = row(index);
    if (count != static_cast<Py_ssize_t>(std::string_view(operation.kinds).size())) {
      PyErr_Format(PyExc_TypeError, "%s: expected %zu arguments, got %zd", operation.name.data(), std::string_view(operation.kinds).size(), count);
      return nullptr;
    }
    Arguments read(operation, arguments);
    read.read();
    Ref<Node> node = apply(index, read.words(), read.sources(), read.owner());
    if (node->type) {
      if (read.is_weak() && node->type->dtype == read.sources()[0]->type->dtype) node->flags |= Node::kWeak;
      realise_if_long(node.get());
      return tensor(std::move(node));
    }
    const size_t n = node->operation->results.size();
    PyObject* results = PyTuple_New(static_cast<Py_ssize_t>(n));
    for (size_t i = 0; results != nullptr && i < n; ++i) {
      PyObject* item = tensor(result(node.get(), static_cast<int64_t>(i)));
      if (item == nullptr || PyTuple_SetItem(results, static_cast<Py_ssize_t>(i), item) != 0) {
        Py_CLEAR(results);
      }
    }
    return results;
  } catch (...) {
    return set_python_error();
  }
}

}  // namespace harp_python
