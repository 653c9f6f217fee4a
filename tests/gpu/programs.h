// Checks of whole programs on a real GPU. Every program runs three times with the same arrays, so that the third run replays a CUDA graph.
// Each time the results must have the interpreter's bits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/text.h"
#include "fuzz/check_case.h"
#include "gpu/arrays.h"
#include "graph/text.h"
#include "run/size_code.h"

namespace gpu_test {

/// The inputs and expected results of a program for one list of sizes.
struct Run {
  std::vector<int64_t> sizes;
  std::vector<Array> inputs;
  harp::fuzz::Expected expected;
};

/// A program and all of its runs. prepare() fills it in; it may be called on any thread.
struct Work {
  std::string label;
  std::function<harp::fuzz::Case()> make_case;
  harp::fuzz::Case test = {};
  capi_test::Program program = {};
  std::vector<std::string> variables = {};
  std::vector<Run> runs = {};
};

inline std::vector<Array> inputs_of(const harp::fuzz::Case& test, const std::vector<int64_t>& sizes) {
  const std::vector<harp::Sym> variables = test.graph->dims().variables();
  std::vector<std::vector<std::byte>> bytes = harp::fuzz::input_bytes(test, sizes);
  std::vector<Array> inputs;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const harp::Node* node = test.graph->inputs()[i];
    std::vector<int64_t> dims;
    for (const harp::Dim dim : node->shape) dims.push_back(harp::SizeCode(dim, variables).evaluate(sizes));
    inputs.push_back({node->dtype, std::move(dims), std::move(bytes[i])});
  }
  return inputs;
}

inline std::vector<std::string> names_of_variables(const harp_program* program) {
  std::vector<std::string> names;
  for (size_t i = 0; i < harp_program_shape_var_count(program); ++i) {
    harp_shape_var_info info = HARP_SHAPE_VAR_INFO_INIT;
    if (harp_program_shape_var(program, i, &info, nullptr) == HARP_OK) names.emplace_back(info.name);
  }
  return names;
}

/// Compiles the program, and computes the expected results of its runs with the interpreter.
inline void prepare(harp_context* context, Work& work, const std::string& text) {
  work.test = work.make_case();
  work.program = compile_text(context, text.empty() ? harp::print_graph(*work.test.graph) : text, "cuda");
  work.variables = names_of_variables(work.program.get());
  for (const std::vector<int64_t>& sizes : work.test.sizes)
    work.runs.push_back({sizes, inputs_of(work.test, sizes),
                         harp::fuzz::interpreted_or_fault(*work.test.graph, sizes, harp::fuzz::input_bytes(work.test, sizes))});
}

/// Run options with the values of all shape variables. Where an input determines a variable, harp checks that the value is the same.
class Sizes {
 public:
  Sizes(const Work& work, const Run& run) : values_(run.sizes) {
    for (const std::string& name : work.variables) names_.push_back(name.c_str());
    options_.n_shape_vars = names_.size();
    options_.shape_var_names = names_.data();
    options_.shape_var_values = values_.data();
  }
  const harp_run_options* options() const { return &options_; }

 private:
  std::vector<const char*> names_;
  std::vector<int64_t> values_;
  harp_run_options options_ = HARP_RUN_OPTIONS_INIT;
};

inline std::string compare_outputs(const Work& work, const Run& run, const std::vector<capi_test::Buffer>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const harp::GraphOutput& output = work.test.graph->outputs()[i];
    const std::string found = harp::fuzz::difference(output.node->dtype, run.expected.outputs[i], bytes_of(outputs[i].get()));
    if (!found.empty()) return harp::cat("output ", output.name, ", ", found);
  }
  return {};
}

/// Overwrites arrays, so that a run that does nothing is noticed.
inline void overwrite(const std::vector<capi_test::Buffer>& buffers) {
  for (const capi_test::Buffer& buffer : buffers) {
    const std::vector<std::byte> pattern(harp_buffer_size(buffer.get()), std::byte{0xcd});
    harp_buffer_write(buffer.get(), pattern.size(), pattern.data(), nullptr);
  }
}

/// Runs the program three times with the same arrays. harp allocates the outputs of the first run. Returns what is wrong, or "".
inline std::string check_run(harp_context* context, const Work& work, const Run& run) {
  std::vector<capi_test::Buffer> inputs, outputs;
  std::vector<harp_buffer*> in, out(run.expected.outputs.size(), nullptr);
  for (const Array& array : run.inputs) inputs.push_back(buffer_of(context, kGpu, array));
  for (const capi_test::Buffer& buffer : inputs) in.push_back(buffer.get());
  const Sizes sizes(work, run);
  for (int i = 1; i <= 3; ++i) {
    capi_test::ErrorSlot err;
    overwrite(outputs);
    const harp_status status = harp_program_run(work.program.get(), in.size(), in.data(), out.size(), out.data(), sizes.options(), err);
    if (run.expected.fault && status == HARP_ERROR_RANGE) continue;
    if (status != HARP_OK) return harp::cat("run ", i, ": ", err.message());
    if (run.expected.fault) return harp::cat("run ", i, ": no error, but an index is out of range");
    if (outputs.empty())
      for (harp_buffer* output : out) outputs.emplace_back(output);
    if (const std::string found = compare_outputs(work, run, outputs); !found.empty()) return harp::cat("run ", i, ": ", found);
  }
  return {};
}

/// Prepares all programs on several threads, then runs them one after the other, because failures of simultaneous runs would be hard to
/// read.
inline void check_all(std::vector<Work>& all, const std::vector<std::string>& texts) {
  const capi_test::Context context = gpu_context();
  const std::vector<std::string> errors =
      in_parallel(all.size(), [&](size_t i) { prepare(context.get(), all[i], texts.empty() ? "" : texts[i]); });
  for (size_t i = 0; i < all.size(); ++i) {
    CHECK_MESSAGE(errors[i].empty(), all[i].label, ": ", errors[i]);
    if (!errors[i].empty()) continue;
    CHECK_MESSAGE(!all[i].runs.empty(), all[i].label, ": no sizes to run with");
    for (const Run& run : all[i].runs) {
      std::string found;
      try {
        found = check_run(context.get(), all[i], run);
      } catch (const harp::Error& error) {
        found = error.message;
      }
      CHECK_MESSAGE(found.empty(), all[i].label, ", sizes ", harp::join(run.sizes, " "), ": ", found);
    }
    all[i].program.reset();
  }
}

}  // namespace gpu_test
