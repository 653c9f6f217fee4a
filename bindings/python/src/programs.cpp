// Implements the Python class of programs that are compiled from named graphs. Such a program can be called, printed as text and tuned.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "arrays.h"
#include "context.h"
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

/// A harp program that was compiled from a named graph, and the graph's text.
struct Compiled {
  harp_program* program = nullptr;
  std::string text;  // the text of the graph
  explicit Compiled(harp_program* made, std::string graph_text) : program(made), text(std::move(graph_text)) {}
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() { harp_program_release(program); }
};

std::vector<Node*> nodes_of(const std::vector<nb::object>& tensors) {
  std::vector<Node*> nodes;
  for (const nb::object& object : tensors) {
    if (!is_tensor(object.ptr())) throw nb::type_error("expected tensors");
    nodes.push_back(node_of_tensor(object.ptr()).get());
  }
  return nodes;
}

std::string text_of(const std::string& name, const std::vector<nb::object>& inputs, const std::vector<std::string>& input_names,
                    const std::vector<nb::object>& outputs, const std::vector<std::string>& output_names) {
  const std::vector<Node*> parameters = nodes_of(inputs), results = nodes_of(outputs);
  return print_graph(name, parameters, input_names, results, output_names);
}

std::unique_ptr<Compiled> compile_text(const std::string& text, const std::string& backend, bool check_indices,
                                       const std::optional<std::string>& schedule, bool counts_sizes) {
  harp_graph* graph = harp_graph_parse(context(), text.size(), text.c_str(), Check());
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.backend = backend.c_str();
  options.check_indices = check_indices ? 1 : 0;
  options.schedule = schedule ? schedule->c_str() : nullptr;
  options.specialize = counts_sizes ? HARP_SPECIALIZE_AUTO : HARP_SPECIALIZE_NONE;
  harp_error* error = nullptr;
  harp_program* program = nullptr;
  {
    const nb::gil_scoped_release released;
    program = harp_compile(graph, &options, &error);
  }
  harp_graph_release(graph);
  if (error != nullptr) fail(error);
  return std::make_unique<Compiled>(program, text);
}

size_t specialize(Compiled& self) {
  size_t count = 0;
  harp_error* error = nullptr;
  {
    const nb::gil_scoped_release released;
    harp_program_specialize(self.program, &count, &error);
  }
  if (error != nullptr) fail(error);
  return count;
}

nb::list call(Compiled& self, const nb::sequence& arguments, const nb::dict& sizes) {
  std::vector<Ref<Array>> kept;
  std::vector<harp_const_array> arrays;
  for (nb::handle argument : arguments) {
    kept.push_back(value_of(node_of(argument.ptr()).get()));
    const Array& array = *kept.back();
    arrays.push_back({array.data, array.type->dims, array.type->dtype, array.type->rank});
  }
  // The sizes of the outputs are computed from the values of all shape variables, which are collected here.
  std::vector<std::string> names;
  std::vector<int64_t> values;
  const size_t expected = harp_program_input_count(self.program);
  if (arrays.size() != expected)
    throw Failure(HARP_ERROR_INVALID_ARGUMENT, "the program takes " + std::to_string(expected) + " arrays, got " + std::to_string(arrays.size()));
  for (size_t i = 0; i < harp_program_shape_var_count(self.program); ++i) {
    harp_shape_var_info info = HARP_SHAPE_VAR_INFO_INIT;
    harp_program_shape_var(self.program, i, &info, Check());
    names.emplace_back(info.name);
    if (sizes.contains(info.name)) {
      values.push_back(nb::cast<int64_t>(sizes[info.name]));
    } else if (info.input >= 0 && info.axis < arrays[static_cast<size_t>(info.input)].rank) {
      values.push_back((arrays[static_cast<size_t>(info.input)].dims[info.axis] - info.offset) / std::max<int64_t>(info.factor, 1));
    } else {
      throw Failure(HARP_ERROR_INVALID_ARGUMENT, std::string("no argument determines the size ") + info.name + ": pass it by name");
    }
  }
  std::vector<Ref<Array>> results;
  std::vector<harp_array> outputs;
  for (size_t i = 0; i < harp_program_output_count(self.program); ++i) {
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    harp_program_output(self.program, i, &info, Check());
    int64_t dims[HARP_MAX_RANK];
    harp_program_output_dims(self.program, i, values.size(), values.data(), info.rank, dims, Check());
    results.push_back(new_array(type_of(info.dtype, info.rank, dims)));
    outputs.push_back({results.back()->data, results.back()->type->dims, info.dtype, info.rank});
  }
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());
  options.n_shape_vars = pointers.size();
  options.shape_var_names = pointers.data();
  options.shape_var_values = values.data();
  harp_error* error = nullptr;
  {
    const Running running;
    const nb::gil_scoped_release released;
    harp_program_call(self.program, arrays.size(), arrays.data(), outputs.size(), outputs.data(), &options, &error);
  }
  if (error != nullptr) fail(error);
  nb::list list;
  for (Ref<Array>& result : results) list.append(nb::steal(tensor(leaf(std::move(result)))));
  return list;
}

template <class Count, class Get>
std::vector<std::string> names_of(const Compiled& self, Count count, Get get) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count(self.program); ++i) {
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    get(self.program, i, &info, Check());
    names.emplace_back(info.name);
  }
  return names;
}

/// Runs harp_tune on a graph's text. Returns (best configuration, speedup, trials, whether it is stored, why it is not stored).
nb::tuple tune(const std::string& text, const nb::sequence& arguments, double seconds, uint64_t max_trials, nb::object progress) {
  harp_graph* graph = harp_graph_parse(context(), text.size(), text.c_str(), Check());
  std::vector<Ref<Array>> kept;
  std::vector<harp_buffer*> buffers;
  for (nb::handle argument : arguments) {
    kept.push_back(value_of(node_of(argument.ptr()).get()));
    const Array& array = *kept.back();
    buffers.push_back(harp_buffer_wrap_const(context(), array.type->dtype, array.type->rank, array.type->dims, array.data, nullptr, nullptr, Check()));
  }
  harp_tune_options options = HARP_TUNE_OPTIONS_INIT;
  options.seconds = seconds;
  options.max_trials = max_trials;
  if (!progress.is_none()) {
    options.progress = [](void* user, const harp_tune_progress* state) -> int32_t {
      const nb::gil_scoped_acquire python;
      PyObject* result = PyObject_CallFunction(static_cast<PyObject*>(user), "ndd", static_cast<Py_ssize_t>(state->trials),
                                               state->best_seconds, state->untuned_seconds);
      const bool stop = result == nullptr || result == Py_False;
      Py_XDECREF(result);
      return stop ? HARP_TUNE_STOP : HARP_TUNE_CONTINUE;
    };
    options.user = progress.ptr();
  }
  harp_error* error = nullptr;
  harp_tune_result* found = nullptr;
  {
    const nb::gil_scoped_release released;
    found = harp_tune(graph, &options, buffers.size(), buffers.data(), &error);
  }
  for (harp_buffer* buffer : buffers) harp_buffer_release(buffer);
  harp_graph_release(graph);
  if (PyErr_Occurred() != nullptr) {
    harp_error_release(error);
    harp_tune_result_release(found);
    throw nb::python_error();
  }
  if (error != nullptr) fail(error);
  harp_tune_summary summary = HARP_TUNE_SUMMARY_INIT;
  harp_tune_result_summary(found, &summary, Check());
  harp_tune_trial_info best = HARP_TUNE_TRIAL_INFO_INIT;
  harp_tune_result_trial(found, summary.best, &best, Check());
  nb::tuple result = nb::make_tuple(best.configuration, summary.speedup, summary.trials, summary.stored != 0, summary.why_not_stored);
  harp_tune_result_release(found);
  return result;
}

}  // namespace

void add_programs(nb::module_& m) {
  m.def("graph_text", &text_of);
  m.def("compile_text", &compile_text, nb::arg("text"), nb::arg("backend"), nb::arg("check_indices"), nb::arg("schedule").none(),
        nb::arg("counts_sizes"));
  m.def("tune_text", &tune, nb::arg("text"), nb::arg("arguments"), nb::arg("seconds"), nb::arg("max_trials"), nb::arg("progress").none());
  m.def("emit_text", [](const std::string& text, const std::string& stage) {
    harp_graph* graph = harp_graph_parse(context(), text.size(), text.c_str(), Check());
    harp_error* error = nullptr;
    harp_string* made = harp_graph_emit(graph, nullptr, stage.c_str(), &error);
    harp_graph_release(graph);
    if (error != nullptr) fail(error);
    return take(made);
  });
  nb::class_<Compiled>(m, "Compiled")
      .def("run", &call)
      .def("specialize", &specialize)
      .def_prop_ro("text", [](const Compiled& self) { return self.text; })
      .def_prop_ro("signature", [](const Compiled& self) { return take(harp_program_signature(self.program, Check())); })
      .def_prop_ro("source", [](const Compiled& self) { return take(harp_program_source(self.program, Check())); })
      .def_prop_ro("inputs", [](const Compiled& self) { return names_of(self, harp_program_input_count, harp_program_input); })
      .def_prop_ro("outputs", [](const Compiled& self) { return names_of(self, harp_program_output_count, harp_program_output); })
      .def_prop_ro("sizes", [](const Compiled& self) {
        std::vector<std::string> names;
        for (size_t i = 0; i < harp_program_shape_var_count(self.program); ++i) {
          harp_shape_var_info info = HARP_SHAPE_VAR_INFO_INIT;
          harp_program_shape_var(self.program, i, &info, Check());
          names.emplace_back(info.name);
        }
        return names;
      })
      .def_prop_ro("kernels", [](const Compiled& self) {
        harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
        harp_program_stats(self.program, &stats, Check());
        return stats.kernels;
      });
}

}  // namespace harp_python
