// Reads the arguments of an operation, and applies it.
#include "arguments.h"

#include <algorithm>
#include <bit>
#include <string>

#include "build.h"
#include "errors.h"
#include "module.h"
#include "operands.h"
#include "realise.h"

namespace harp_python {

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
  if (PyNumber_Check(object) == 0) refuse(object, "a real number");
  const double value = PyFloat_AsDouble(object);
  if (value == -1 && PyErr_Occurred() != nullptr) throw PythonError();
  return value;
}

int64_t truth_or_throw(PyObject* object) {
  const int truth = PyObject_IsTrue(object);
  if (truth < 0) throw PythonError();
  return truth;
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
        named(i, [&] { read_one(kinds[i], arguments_[i]); });
    }
    for (const Ref<Node>& node : nodes_) sources_.push_back(node.get());
  }

  const Words& words() const { return words_; }
  std::span<Node* const> sources() const { return sources_; }
  bool is_weak() const { return is_weak_; }
  PyObject* owner() const { return owner_; }  // the Python function of a native operation; borrowed from the arguments

 private:
  /// Calls `read`, which reads argument i. An error for an argument of a wrong type mentions the operation and its parameter.
  template <class Read>
  void named(size_t i, const Read& read) const {
    try {
      read();
    } catch (const PythonError&) {
      std::string_view parameters = row_.parameters;
      for (size_t skipped = 0; skipped < i; ++skipped) parameters.remove_prefix(parameters.find(' ') + 1);
      name_in_error(row_.name, parameters.substr(0, parameters.find(' ')));
      throw;
    }
  }

  size_t read_together(size_t first, std::string_view kinds) {
    size_t end = first;
    while (end < kinds.size() && kinds[end] == 'p') ++end;
    std::vector<Ref<Node>> nodes;
    const std::span objects(arguments_ + first, end - first);
    if (!nodes_together(objects, nodes)) {  // at least one object is not an operand, and node_of() throws for it
      for (size_t i = first; i < end; ++i) named(i, [&] { node_of(arguments_[i]); });
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
        nodes_.push_back(node_of_value(object, nodes_[0]->type->dtype));
        break;
      }
      case 'N': read_nodes(object); break;
      case 'i': words_.push_back(size_or_throw(object)); break;
      case 'b': words_.push_back(truth_or_throw(object)); break;
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

  static bool has_length(PyObject* object) {
    const bool has = PyObject_Size(object) >= 0;
    if (!has) PyErr_Clear();
    return has;
  }

  /// Reads an argument that is None, one number, or a sequence of numbers. `kind` says what the numbers are: 'A' integers, 'D' sizes, 'S'
  /// sizes or None, 'G' floats.
  void read_list(char kind, PyObject* object) {
    if (object == Py_None) return words_.push_back(-1);
    // PyLong_Check does not accept np.int64, which is no subclass of int, nor arrays of rank 0
    if (PyLong_Check(object) || is_dim(object) || (PyIndex_Check(object) && !has_length(object))) {
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
    if (count == 2) {
      if (Ref<Node> node = comparison_with_outside(index, arguments[0], arguments[1])) return tensor(std::move(node));
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
