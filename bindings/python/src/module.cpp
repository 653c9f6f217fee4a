// Implements the module harp._core: the functions that Python code calls. The modules harp/*.py wrap each of them with types and
// documentation.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <bit>
#include <string>
#include <unordered_map>

#include "arguments.h"
#include "arrays.h"
#include "build.h"
#include "context.h"
#include "errors.h"
#include "module.h"
#include "operands.h"
#include "parts.h"
#include "realise.h"

namespace nb = nanobind;

namespace harp_python {

namespace {

constexpr size_t kStatuses = HARP_ERROR_NO_GRADIENT + 1;

/// Objects that Python code has registered; never released.
struct Hooks {
  std::array<PyObject*, kStatuses> exceptions{};
  std::array<PyObject*, HARP_COMPLEX128 + 1> dtypes{};
  PyObject* dtype_finder = nullptr;
  PyObject* converter = nullptr;
};
Hooks hooks;

void set_hooks(nb::sequence exceptions, nb::sequence dtypes, nb::object dtype_finder) {
  size_t at = 0;
  for (nb::handle exception : exceptions) hooks.exceptions.at(at++) = exception.inc_ref().ptr();
  at = 0;
  for (nb::handle dtype : dtypes) hooks.dtypes.at(at++) = dtype.inc_ref().ptr();
  hooks.dtype_finder = dtype_finder.release().ptr();
}

void set_converter(nb::object converter) { hooks.converter = converter.release().ptr(); }

PyObject* apply_function(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  const long index = count > 0 ? PyLong_AsLong(arguments[0]) : -1;
  if (index < 0 || index >= row_count()) {
    if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_TypeError, "apply: no such operation");
    return nullptr;
  }
  return apply_python(static_cast<int32_t>(index), arguments + 1, count - 1);
}

PyMethodDef functions[] = {
    {"apply", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(apply_function)), METH_FASTCALL, "The operation of this number on arguments."},
    {nullptr, nullptr, 0, nullptr}};

std::vector<Node*> nodes_of(const nb::object& tensors) {
  std::vector<Node*> nodes;
  for (nb::handle object : tensors) {
    if (!is_tensor(object.ptr())) throw nb::type_error("expected tensors");
    nodes.push_back(node_of_tensor(object.ptr()).get());
  }
  return nodes;
}

Copy copy_of(std::optional<bool> copy) { return !copy ? Copy::kIfNeeded : *copy ? Copy::kAlways : Copy::kNever; }

constexpr int kMostDepth = 32;  // maximum number of nested gradients

/// Returns a copy of the tensor (a tracer), with respect to which a gradient at this depth is computed.
nb::object tracer(nb::handle x, int depth) {
  if (depth < 0 || depth >= kMostDepth) throw nb::value_error("gradients are nested too deeply; at most 32 levels are allowed");
  const Ref<Node> node = node_of(x.ptr());
  Node* const sources[] = {node.get()};
  Ref<Node> traced = apply(kTracer, {}, sources);
  traced->levels |= uint32_t{1} << depth;
  return nb::steal(tensor(std::move(traced)));
}

/// Computes gradients of y with respect to each tensor of xs. If y has several elements, grad_output contains their weights. Returns one
/// list: the gradients, then y, then the tensors of `passed`. The returned tensors do not depend on the tracers of this gradient (the
/// copies of the variables, which tracer() returns).
nb::list gradient(nb::handle y, nb::sequence xs, nb::sequence passed, nb::object grad_output, int depth) {
  std::vector<Node*> sources = nodes_of(nb::make_tuple(y));
  const std::vector<Node*> x = nodes_of(xs), more = nodes_of(passed);
  sources.insert(sources.end(), x.begin(), x.end());
  sources.insert(sources.end(), more.begin(), more.end());
  if (!grad_output.is_none()) sources.push_back(nodes_of(nb::make_tuple(grad_output))[0]);
  const Ref<Node> node = apply(kGradient, {static_cast<int64_t>(x.size()), static_cast<int64_t>(more.size()), !grad_output.is_none()}, sources);
  // The results no longer depend on the tracers (the variables) of this gradient, so bit `depth`, which came from y, xs and `passed`, is
  // cleared. The bits of grad_output remain, because grad_output may depend on tracers of another gradient of the same depth.
  uint32_t levels = 0;
  for (size_t i = 0; i < 1 + x.size() + more.size(); ++i) levels |= sources[i]->levels;
  node->levels = (levels & ~(uint32_t{1} << depth)) | (grad_output.is_none() ? 0 : sources.back()->levels);
  nb::list results;
  std::vector<Ref<Node>> kept;
  std::vector<Node*> nodes;
  for (size_t i = 0; i < node->operation->results.size(); ++i) {
    kept.push_back(result(node.get(), static_cast<int64_t>(i)));
    nodes.push_back(kept.back().get());
  }
  check_gradients(nodes);
  for (Ref<Node>& each : kept) results.append(nb::steal(tensor(std::move(each))));
  return results;
}

nb::object value(nb::handle x, bool copy) {
  PyObject* result = numpy_of(value_of(node_of_tensor(x.ptr()).get()), copy);
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

}  // namespace

PyObject* exception_of(harp_status status) {
  const auto at = static_cast<size_t>(status);
  return at < kStatuses && hooks.exceptions[at] != nullptr ? hooks.exceptions[at] : PyExc_RuntimeError;
}

PyObject* dtype_object(harp_dtype dtype) { return hooks.dtypes[static_cast<size_t>(dtype)]; }

harp_dtype dtype_of_object(PyObject* object) {
  for (harp_dtype dtype = HARP_BOOL; dtype <= HARP_COMPLEX128; ++dtype)
    if (hooks.dtypes[static_cast<size_t>(dtype)] == object) return dtype;
  return HARP_UNKNOWN;
}

PyObject* dtype_finder() { return hooks.dtype_finder; }

PyObject* converter() { return hooks.converter; }

}  // namespace harp_python

NB_MODULE(_core, m) {
  using namespace harp_python;
  if (!import_numpy()) throw nb::python_error();
  // Python modules may refer to tensors until the process ends, and nanobind would report these tensors as leaks.
  nb::set_leak_warnings(false);
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const Failure&) {
      set_python_error();
    } catch (const PythonError&) {
    }
  });
  PyModule_AddFunctions(m.ptr(), functions);
  add_tensor(m);
  add_dim(m);
  add_inspect(m);
  add_jit(m);
  add_programs(m);
  m.def("set_hooks", &set_hooks);
  m.def("set_converter", &set_converter);
  m.def("version", &harp_version_string);
  m.def("configure", [](int threads, const std::optional<std::string>& cache_dir, const std::optional<std::string>& compiler) {
    configure({threads, cache_dir.value_or(""), compiler.value_or(""), cache_dir.has_value(), compiler.has_value()});
    drop_programs();
  }, nb::arg("threads"), nb::arg("cache_dir").none(), nb::arg("compiler").none());
  m.def("describe", [] { return take(harp_context_describe(context(), Check())); });
  m.def("has_compiler", &has_compiler);
  m.def("set_backend", [](const std::string& name) { set_backend(name.c_str()); });
  m.def("backend", &backend);
  m.def("program_count", &program_count);
  m.def("clear_cache", [](bool disk) {
    drop_programs();
    if (disk) harp_cache_clear(context(), Check());
  });
  m.def("evaluate", [](nb::sequence tensors) { realise(nodes_of(tensors)); });
  m.def("from_numpy", [](nb::handle array, std::optional<bool> copy) {
    Ref<Node> node = node_of_numpy(array.ptr(), copy_of(copy));
    if (!node) throw nb::type_error("expected a NumPy array");
    return nb::steal(tensor(std::move(node)));
  }, nb::arg("array"), nb::arg("copy").none());
  m.def("from_dlpack", [](nb::handle capsule, std::optional<bool> copy) {
    return nb::steal(tensor(node_of_dlpack(capsule.ptr(), copy_of(copy))));
  }, nb::arg("capsule"), nb::arg("copy").none());
  m.def("to_dlpack", [](nb::handle x, bool versioned, bool copy) {
    return nb::steal(dlpack_of(value_of(node_of_tensor(x.ptr()).get()), versioned, copy));
  });
  m.def("to_numpy", &value);
  m.def("to_tensor", [](nb::handle x) { return nb::steal(tensor(node_of(x.ptr()))); });
  m.def("alias", [](nb::handle x) { return nb::steal(tensor(node_of_tensor(x.ptr()))); });
  // Converts the operands of a function, whose name errors mention, to tensors; Python numbers take the dtype of the others.
  m.def("operands", [](const std::string& function, nb::args objects) -> nb::object {
    std::vector<PyObject*> pointers;
    for (nb::handle object : objects) pointers.push_back(object.ptr());
    std::vector<Ref<Node>> nodes;
    try {
      if (!nodes_together(pointers, nodes)) {
        for (PyObject* object : pointers) node_of(object);  // throws for the object that is not an operand
      }
    } catch (const PythonError&) {
      name_in_error(function);
      throw nb::python_error();
    }
    nb::list list;
    for (Ref<Node>& node : nodes) list.append(nb::steal(tensor(std::move(node))));
    return list;
  });
  m.def("tracer", &tracer);
  // Returns the depth of the innermost gradient for which this tensor is a tracer (a variable) or depends on one; -1 if there is none.
  m.def("depth_of", [](nb::handle x) {
    return static_cast<int>(std::bit_width(node_of_tensor(x.ptr())->levels)) - 1;
  });
  m.def("gradient", &gradient, nb::arg("y"), nb::arg("xs"), nb::arg("passed"), nb::arg("grad_output").none(), nb::arg("depth"));
  m.def("is_traced", [](nb::handle x) {
    const Node& node = *node_of_tensor(x.ptr());
    return (node.flags & Node::kInputs) != 0 || node.levels != 0;
  });
  m.def("is_weak", [](nb::handle x) { return (node_of_tensor(x.ptr())->flags & Node::kWeak) != 0; });
  m.def("is_argument", [](nb::handle x) { return (node_of_tensor(x.ptr())->flags & Node::kInputs) != 0; });
  m.def("operation_names", [] {
    nb::list names;
    for (int32_t i = 0; i < row_count(); ++i) names.append(std::string(row(i).name));
    return names;
  });
}
