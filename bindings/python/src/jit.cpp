// Implements functions that are traced once for each structure of their arguments. A call finds its program by comparing dtypes and sizes,
// and runs it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "arrays.h"
#include "context.h"
#include "dtypes.h"
#include "errors.h"
#include "module.h"
#include "operands.h"
#include "parts.h"
#include "realise.h"
#include "text.h"
#include "walk.h"

namespace nb = nanobind;

namespace harp_python {

namespace {

/// The dtype and sizes that an argument must have.
struct Parameter {
  bool is_number = false;  // true: the argument is a Python number of the kind to which `dtype` belongs
  harp_dtype dtype = 0;
  int32_t rank = 0;
  int64_t dims[HARP_MAX_RANK] = {};  // < 0: any size
};

/// The result of tracing a function for arguments of certain types.
struct Entry {
  std::vector<Parameter> parameters;
  Ref<Program> program;  // null if the function returns no tensors
  std::vector<int32_t> inputs;             // for each input of the program: n for argument n, or -1 - n for captured array n
  std::vector<Ref<Array>> captured;
  struct Axis {
    size_t parameter;
    int32_t axis;
  };
  // For each symbolic size of the program that no axis of the program's inputs determines: an axis of a parameter that determines it.
  std::vector<Axis> free;
  // For Python integers among the arguments: the index of the argument, and the integer dtype that it takes in an operation with other
  // operands.
  std::vector<std::pair<size_t, harp_dtype>> taken;
  nb::object tree;  // the structure of the result; None: the function returns one tensor
};

constexpr size_t kFew = 16;

/// One argument of a call: borrowed memory, and the object that keeps it alive.
struct Argument {
  harp_const_array array{nullptr, nullptr, 0, 0};
  bool is_number = false;
  uint64_t number[2] = {};
  Ref<Array> kept;
};

struct Function {
  std::vector<Entry> entries;  // entries, the most recently used first
  bool numpy = false;          // true: the function returns NumPy arrays
  nb::object miss;             // Python function to call if no entry fits the arguments
  nb::object finish;           // Python function that builds a result from its structure and a list of tensors
  nb::object attributes;       // a dict with __name__, __wrapped__ ... of the wrapped function
};

bool read_number(PyObject* object, Argument& argument) {
  argument.is_number = true;
  if (PyFloat_CheckExact(object)) {
    const double value = PyFloat_AsDouble(object);
    std::memcpy(argument.number, &value, sizeof value);
    argument.array = {argument.number, nullptr, HARP_F64, 0};
  } else if (PyBool_Check(object)) {
    argument.number[0] = object == Py_True ? 1 : 0;
    argument.array = {argument.number, nullptr, HARP_BOOL, 0};
  } else if (PyLong_CheckExact(object)) {
    int overflow = 0;
    argument.number[0] = static_cast<uint64_t>(PyLong_AsLongLongAndOverflow(object, &overflow));
    if (overflow != 0) throw Failure(HARP_ERROR_RANGE, "an integer does not fit 64 bits");
    argument.array = {argument.number, nullptr, HARP_I64, 0};
  } else if (PyComplex_CheckExact(object)) {
    const double parts[2] = {PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)};
    std::memcpy(argument.number, parts, sizeof parts);
    argument.array = {argument.number, nullptr, HARP_COMPLEX128, 0};
  } else {
    argument.is_number = false;
    return false;
  }
  return true;
}

/// Describes the memory of an argument of a call in `argument`. Returns false if the object is no array or number, or if it has no value
/// yet because it belongs to a function that is being traced or to a gradient.
bool read(PyObject* object, Argument& argument) {
  if (borrow_numpy(object, argument.array)) return true;
  Ref<Node> node;
  if (is_tensor(object))
    node = node_of_tensor(object);
  else if (read_number(object, argument))
    return true;
  else
    node = node_of_numpy(object);
  if (!node || (node->flags & Node::kInputs) != 0 || node->levels != 0) return false;
  argument.kept = value_of(node.get());
  const Array& array = *argument.kept;
  argument.array = {array.data, array.type->dims, array.type->dtype, array.type->rank};
  return true;
}

bool fits(const Parameter& parameter, const Argument& argument) {
  const harp_const_array& array = argument.array;
  if (parameter.dtype != array.dtype || parameter.rank != array.rank || parameter.is_number != argument.is_number) return false;
  for (int32_t i = 0; i < array.rank; ++i)
    if (parameter.dims[i] >= 0 && parameter.dims[i] != array.dims[i]) return false;
  return true;
}

Entry* find(Function& function, const Argument* arguments, size_t n) {
  for (size_t i = 0; i < function.entries.size(); ++i) {
    Entry& entry = function.entries[i];
    bool good = entry.parameters.size() == n;
    for (size_t j = 0; j < n && good; ++j) good = fits(entry.parameters[j], arguments[j]);
    if (!good) continue;
    if (i != 0) std::swap(entry, function.entries[0]);
    return &function.entries[0];
  }
  return nullptr;
}

PyObject* run_entry(Function& function, Entry& entry, const Argument* arguments) {
  harp_const_array few[kFew];
  std::vector<harp_const_array> many(entry.inputs.size() > kFew ? entry.inputs.size() : 0);
  harp_const_array* arrays = many.empty() ? few : many.data();
  const Ref<Program> program = entry.program;  // an own reference, because other threads may change the list of entries during the run
  const nb::object tree = entry.tree;
  if (!program) {
    const nb::list nothing;
    return PyObject_CallFunctionObjArgs(function.finish.ptr(), tree.ptr(), nothing.ptr(), nullptr);
  }
  for (const auto& [parameter, dtype] : entry.taken) check_integer(static_cast<int64_t>(arguments[parameter].number[0]), dtype);
  std::vector<Ref<Array>> kept;
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    const int32_t input = entry.inputs[i];
    if (input >= 0) {
      arrays[i] = arguments[input].array;
    } else {
      const Ref<Array>& array = entry.captured[static_cast<size_t>(-1 - input)];
      arrays[i] = {array->data, array->type->dims, array->type->dtype, array->type->rank};
      kept.push_back(array);
    }
  }
  const std::span<const harp_const_array> inputs(arrays, entry.inputs.size());
  std::vector<int64_t> free;
  for (const Entry::Axis& at : entry.free) free.push_back(arguments[at.parameter].array.dims[at.axis]);
  const bool one = tree.is_none();
  if (function.numpy && one && !program->symbolic) {
    harp_array output;
    PyObject* result = new_numpy(*program->outputs[0], output);
    if (result == nullptr) return nullptr;
    try {
      run_into(*program, inputs, {&output, 1});
    } catch (...) {
      Py_DECREF(result);
      throw;
    }
    return result;
  }
  std::vector<Ref<Array>> outputs = run(*program, inputs, free);
  const auto wrap = [&](Ref<Array>& array) { return function.numpy ? numpy_of(array, false) : tensor(leaf(std::move(array))); };
  if (one) return wrap(outputs[0]);
  nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(outputs.size())));
  for (size_t i = 0; i < outputs.size(); ++i) {
    PyObject* item = wrap(outputs[i]);
    if (item == nullptr || PyList_SetItem(list.ptr(), static_cast<Py_ssize_t>(i), item) != 0) return nullptr;
  }
  return PyObject_CallFunctionObjArgs(function.finish.ptr(), tree.ptr(), list.ptr(), nullptr);
}

/// Calls the program of the entry that fits the arguments, and returns the result; a result of None is returned as Py_None. Returns nullptr
/// without a Python error if no entry fits.
PyObject* call_fitting(Function& function, PyObject* arguments) {
  const auto n = static_cast<size_t>(PyTuple_Size(arguments));
  Argument few[kFew];
  std::vector<Argument> many(n > kFew ? n : 0);
  Argument* read_arguments = n > kFew ? many.data() : few;
  for (size_t i = 0; i < n; ++i)
    if (!read(PyTuple_GetItem(arguments, static_cast<Py_ssize_t>(i)), read_arguments[i])) return nullptr;
  Entry* entry = find(function, read_arguments, n);
  return entry != nullptr ? run_entry(function, *entry, read_arguments) : nullptr;
}

PyObject* call(PyObject* self, PyObject* arguments, PyObject* keywords) {
  Function& function = *nb::inst_ptr<Function>(self);
  if (keywords == nullptr || PyDict_Size(keywords) == 0) {
    try {
      PyObject* result = call_fitting(function, arguments);
      if (result != nullptr || PyErr_Occurred() != nullptr) return result;
    } catch (...) {
      return set_python_error();
    }
  }
  PyObject* none = keywords == nullptr ? PyDict_New() : Py_NewRef(keywords);
  PyObject* result = PyObject_CallFunctionObjArgs(function.miss.ptr(), arguments, none, nullptr);
  Py_DECREF(none);
  return result;
}

/// Returns a bound method if the traced function is a method of a class: a call of it passes `object` as the first argument.
PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  if (object == nullptr || object == Py_None) return Py_NewRef(self);
  static PyObject* const kMethod = nb::object(nb::module_::import_("types").attr("MethodType")).release().ptr();
  return PyObject_CallFunctionObjArgs(kMethod, self, object, nullptr);
}

bool is_dict_name(PyObject* name) { return PyUnicode_CompareWithASCIIString(name, "__dict__") == 0; }

/// Looks up an attribute in `attributes`, those of the wrapped function, before it looks in the type, because the type has a __doc__ and a
/// __module__ of its own.
PyObject* get_attribute(PyObject* self, PyObject* name) {
  const nb::object& attributes = nb::inst_ptr<Function>(self)->attributes;
  if (is_dict_name(name)) return Py_NewRef(attributes.ptr());
  PyObject* found = PyDict_GetItemWithError(attributes.ptr(), name);
  if (found != nullptr) return Py_NewRef(found);
  return PyErr_Occurred() != nullptr ? nullptr : PyObject_GenericGetAttr(self, name);
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  PyObject* attributes = nb::inst_ptr<Function>(self)->attributes.ptr();
  if (value != nullptr) return PyDict_SetItem(attributes, name, value);
  if (PyDict_DelItem(attributes, name) == 0) return 0;
  PyErr_Clear();
  return PyObject_GenericSetAttr(self, name, nullptr);
}

/// Needed by the garbage collector, because a function refers to itself through `miss`.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const Function& function = *nb::inst_ptr<Function>(self);
  Py_VISIT(function.miss.ptr());
  Py_VISIT(function.finish.ptr());
  Py_VISIT(function.attributes.ptr());
  for (const Entry& entry : function.entries) Py_VISIT(entry.tree.ptr());
  return 0;
}

int clear(PyObject* self) {
  Function& function = *nb::inst_ptr<Function>(self);
  const std::vector<Entry> entries = std::move(function.entries);
  const nb::object miss = std::move(function.miss), finish = std::move(function.finish), attributes = std::move(function.attributes);
  // The references were moved to local variables and are released here, when `function` no longer has them, because their destructors may
  // run Python code that uses `function`.
  return 0;
}

PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call)},
                       {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
                       {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
                       {Py_tp_setattro, reinterpret_cast<void*>(set_attribute)},
                       {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {0, nullptr}};

/// Computes the arrays that the function has captured, so that they are computed once and not in each call.
void realise_captured(const Walk& found) {
  std::vector<Node*> lazy;
  for (Node* node : found.order) {
    const bool by_itself = (node->flags & Node::kInputs) == 0 && node->levels == 0 && node->operation && !node->value && node->type;
    if (by_itself && node->operation->index != kConstant && node->references > node->uses) lazy.push_back(node);
  }
  if (!lazy.empty()) realise(lazy);
}

std::vector<Node*> nodes_of(const std::vector<nb::object>& tensors) {
  std::vector<Node*> nodes;
  for (const nb::object& object : tensors) {
    if (!is_tensor(object.ptr())) throw nb::type_error("expected a traced function to return tensors");
    nodes.push_back(node_of_tensor(object.ptr()).get());
  }
  return nodes;
}

/// Returns an axis of the function's arguments for each free variable of the program. A free variable is a symbolic size that no axis of
/// the program's inputs determines (as in zeros_like(x), where x is no input of the program). Throws if no argument determines it either.
std::vector<Entry::Axis> free_axes(const Program& program, std::span<Node* const> parameters) {
  std::vector<Entry::Axis> axes;
  if (program.free_variables.empty()) return axes;
  std::vector<std::pair<std::string, Entry::Axis>> known;
  {
    const SymbolicGraph graph;
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Type& type = *parameters[i]->type;
      for (int32_t axis = 0; axis < type.rank; ++axis)
        if (type.dims[axis] < 0) known.push_back({take(harp_dim_print(graph.get(), type.dims[axis], Check())), {i, axis}});
    }
  }
  for (const char* name : program.free_variables) {
    const auto at = std::ranges::find(known, name, [](const auto& pair) { return pair.first; });
    if (at == known.end()) throw Failure(HARP_ERROR_INVALID_ARGUMENT, displayed(std::string("no argument determines the size ") + name));
    axes.push_back(at->second);
  }
  return axes;
}

/// Adds a traced function. `parameters` are the tensors that the function was called with, `outputs` those that it returned.
void add(Function& self, const std::vector<nb::object>& parameters, const std::vector<nb::object>& outputs, nb::object tree,
         bool check_indices, const std::vector<std::string>& flags) {
  const std::vector<Node*> inputs = nodes_of(parameters), results = nodes_of(outputs);
  realise_captured(walk(results));
  const Walk found = walk(results);
  Entry entry;
  entry.tree = std::move(tree);
  for (const Node* input : inputs) {
    Parameter parameter;
    parameter.is_number = (input->flags & Node::kWeak) != 0;
    parameter.dtype = input->type->dtype;
    parameter.rank = input->type->rank;
    std::copy(input->type->dims, input->type->dims + parameter.rank, parameter.dims);
    entry.parameters.push_back(parameter);
  }
  for (const Node* node : found.order) {
    if ((node->flags & Node::kTaken) == 0 || kind_of(node->type->dtype) != Kind::kInteger) continue;
    const auto at = std::ranges::find(inputs, node->sources()[0]);
    if (at != inputs.end() && kind_of((*at)->type->dtype) == Kind::kInteger)
      entry.taken.emplace_back(at - inputs.begin(), node->type->dtype);
  }
  if (results.empty()) {
    self.entries.insert(self.entries.begin(), std::move(entry));
    return;
  }
  std::vector<Ref<Node>> leaves;  // references to the leaves, because other threads may run while compile() has released Python's lock
  for (const uint32_t position : found.leaves) leaves.emplace_back(found.order[position]);
  entry.program = compile(found, {}, {.backend = jit_backend(), .check_indices = check_indices, .flags = flags});
  for (const Program::Source& source : entry.program->inputs) {
    Node* node = leaves[source.index].get();
    const auto at = std::ranges::find(inputs, node);
    if (at != inputs.end()) {
      entry.inputs.push_back(static_cast<int32_t>(at - inputs.begin()));
    } else if (node->value) {
      entry.inputs.push_back(-1 - static_cast<int32_t>(entry.captured.size()));
      entry.captured.push_back(node->value);
    } else {
      throw Failure(HARP_ERROR_INVALID_ARGUMENT, "a traced function uses an argument of another traced function");
    }
  }
  entry.free = free_axes(*entry.program, inputs);
  self.entries.insert(self.entries.begin(), std::move(entry));
}

harp_program* newest(const Function& self) {
  if (self.entries.empty()) throw Failure(HARP_ERROR_INVALID_ARGUMENT, "the function was not traced yet: call it once");
  if (!self.entries.front().program) throw Failure(HARP_ERROR_INVALID_ARGUMENT, "the function returns no tensors: it has no program");
  return self.entries.front().program->program;
}

}  // namespace

const char* jit_backend() {
  const std::string_view name = backend();
  return name == "auto" ? "c" : backend();
}

void add_jit(nb::module_& m) {
  nb::class_<Function>(m, "Function", nb::type_slots(slots), nb::is_weak_referenceable())
      .def(
          "__init__",
          [](Function* self, nb::object miss, nb::object finish, bool numpy) {
            new (self) Function{{}, numpy, std::move(miss), std::move(finish), nb::dict()};
          })
      .def("add", &add, nb::arg("parameters"), nb::arg("outputs"), nb::arg("tree").none(), nb::arg("check_indices"), nb::arg("flags"))
      .def("call",
           [](Function& self, nb::args arguments) {
             PyObject* result = call_fitting(self, arguments.ptr());
             if (result == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
             return result == nullptr ? nb::object(nb::borrow(Py_NotImplemented)) : nb::steal(result);
           })
      .def_prop_ro("program_count", [](const Function& self) { return self.entries.size(); })
      .def("clear", [](Function& self) { self.entries.clear(); })
      .def("__copy__", [](nb::handle self) { return nb::borrow(self); })
      .def("__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); })
      .def("signature",
           [](const Function& self) { return displayed(take(harp_program_signature(newest(self), Check()))); })
      .def("source", [](const Function& self) { return take(harp_program_source(newest(self), Check())); });
  m.def("input", [](nb::handle dtype, nb::sequence sizes, bool weak) {
    int64_t dims[HARP_MAX_RANK] = {};
    int32_t rank = 0;
    for (nb::handle size : sizes) {
      if (rank == HARP_MAX_RANK) throw nb::value_error("too many axes");
      if (!size_of(size.ptr(), dims[rank++])) throw nb::python_error();
    }
    return nb::steal(tensor(input(type_of(dtype_of(dtype.ptr()), rank, dims), weak)));
  });
}

}  // namespace harp_python
