#include "errors.h"

#include <Python.h>

#include <new>

#include "module.h"

namespace harp_python {

void fail(harp_error* error) {
  const harp_status status = harp_error_code(error);
  const std::string message = harp_error_message(error), output = harp_error_compiler_output(error);
  harp_error_release(error);
  throw Failure(status, message, output);
}

std::nullptr_t set_python_error() {
  try {
    throw;
  } catch (const PythonError&) {  // the Python exception is set already
  } catch (const Failure& failure) {
    PyObject* type = exception_of(failure.status());
    PyObject* value = PyObject_CallFunction(type, "ss", failure.what(), failure.compiler_output().c_str());
    if (value != nullptr) {
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(value)), value);  // a class may make an object of one of its subclasses
      Py_DECREF(value);
    }
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

void name_in_error(std::string_view function, std::string_view parameter) {
  if (PyErr_Occurred() != PyExc_TypeError) return;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const std::string names = parameter.empty() ? std::string(function) : std::string(function) + ": " + std::string(parameter);
  if (trace != nullptr) PyException_SetTraceback(value, trace);
  PyErr_Format(PyExc_TypeError, "%s: %S", names.c_str(), value);
  if (trace == nullptr) {  // raised by this module; an error that Python code raised, such as a method __index__, becomes the cause of the new one
    Py_CLEAR(value);
  } else {
    PyObject *new_type = nullptr, *new_value = nullptr, *new_trace = nullptr;
    PyErr_Fetch(&new_type, &new_value, &new_trace);
    PyErr_NormalizeException(&new_type, &new_value, &new_trace);
    PyException_SetCause(new_value, value);  // takes the reference to value
    PyErr_Restore(new_type, new_value, new_trace);
  }
  Py_XDECREF(type);
  Py_XDECREF(trace);
}

std::string take(harp_string* text) {
  std::string copy(harp_string_data(text), harp_string_size(text));
  harp_string_release(text);
  return copy;
}

}  // namespace harp_python
