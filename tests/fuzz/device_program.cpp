#include "fuzz/device_program.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "graph/text.h"
#include "run/size_code.h"

namespace harp::fuzz {
namespace {

constexpr int kRuns = 3;

template <class T, void (*release)(T*)>
struct Release {
  void operator()(T* handle) const { release(handle); }
};
using GraphHandle = std::unique_ptr<harp_graph, Release<harp_graph, harp_graph_release>>;
using ProgramHandle = std::unique_ptr<harp_program, Release<harp_program, harp_program_release>>;
using BufferHandle = std::unique_ptr<harp_buffer, Release<harp_buffer, harp_buffer_release>>;

/// Owns the error of one call of the C API. Pass this object as the last argument of the call.
class CallError {
 public:
  ~CallError() { harp_error_release(error_); }
  operator harp_error**() { return &error_; }  // NOLINT: implicit, because it is an argument
  bool is_set() const { return error_ != nullptr; }
  std::string text() const { return cat(harp_error_message(error_), "\n", harp_error_compiler_output(error_)); }

 private:
  harp_error* error_ = nullptr;
};

/// The device arrays of one run. A member function that returns a string returns an error message, or "" on success.
class Arrays {
 public:
  Arrays(harp_context* context, std::string device) : context_(context), device_(std::move(device)) {}

  /// Allocates an array and copies `content`, which may be shorter than the array, to its beginning.
  std::string add(DType dtype, const std::vector<int64_t>& dims, std::span<const std::byte> content) {
    CallError err;
    BufferHandle buffer(
        harp_buffer_new(context_, device_.c_str(), static_cast<harp_dtype>(dtype), static_cast<int32_t>(dims.size()), dims.data(), err));
    if (buffer == nullptr) return err.text();
    if (!content.empty() && harp_buffer_write(buffer.get(), content.size(), content.data(), err) != HARP_OK) return err.text();
    buffers_.push_back(std::move(buffer));
    return "";
  }
  harp_buffer* operator[](size_t i) const { return buffers_[i].get(); }

  /// Adds an array that shares the memory of array i, but has another dtype and other sizes.
  std::string add_view(size_t i, DType dtype, const std::vector<int64_t>& dims) {
    CallError err;
    const auto address = reinterpret_cast<void*>(harp_buffer_address(buffers_[i].get()));
    BufferHandle view(harp_buffer_wrap_device(context_, device_.c_str(), static_cast<harp_dtype>(dtype), static_cast<int32_t>(dims.size()),
                                              dims.data(), address, nullptr, nullptr, err));
    if (view == nullptr) return err.text();
    buffers_.push_back(std::move(view));
    return "";
  }

  /// Reads array i into `bytes`, which already has the size of the array.
  std::string read(size_t i, std::vector<std::byte>& bytes) const {
    CallError err;
    return bytes.empty() || harp_buffer_read(buffers_[i].get(), bytes.size(), bytes.data(), err) == HARP_OK ? "" : err.text();
  }

 private:
  harp_context* context_;
  std::string device_;
  std::vector<BufferHandle> buffers_;
};

std::vector<int64_t> dims_of(const Graph& graph, const Shape& shape, const std::vector<int64_t>& values) {
  std::vector<int64_t> dims;
  for (const Dim dim : shape) dims.push_back(SizeCode(dim, graph.dims().variables()).evaluate(values));
  return dims;
}

/// Runs the program once and compares its results with `expected`.
Outcome run_once(harp_context* context, const std::string& device, harp_program* program, const Case& test,
                 const std::vector<int64_t>& values, std::span<const int> in_place_of, const Expected& expected) {
  const Graph& graph = *test.graph;
  Arrays arrays(context, device);
  const std::vector<std::vector<std::byte>> originals = input_bytes(test, values);
  std::vector<harp_buffer*> in, out;
  for (size_t i = 0; i < originals.size(); ++i) {
    const Node& node = *graph.inputs()[i];
    if (std::string error = arrays.add(node.dtype, dims_of(graph, node.shape, values), originals[i]); !error.empty())
      return {Verdict::kRunStatus, std::move(error)};
    in.push_back(arrays[i]);
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const Node& node = *graph.outputs()[i].node;
    const std::vector<int64_t> dims = dims_of(graph, node.shape, values);
    const std::vector<std::byte> filler(expected.outputs[i].size(), std::byte{0xcd});
    std::string error =
        in_place_of[i] < 0 ? arrays.add(node.dtype, dims, filler) : arrays.add_view(static_cast<size_t>(in_place_of[i]), node.dtype, dims);
    if (!error.empty()) return {Verdict::kRunStatus, std::move(error)};
    out.push_back(arrays[in.size() + i]);
  }
  std::vector<const char*> names;
  std::vector<std::string> texts;
  for (const Sym variable : graph.dims().variables()) texts.push_back(to_string(variable));
  for (const std::string& text : texts) names.push_back(text.c_str());
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.n_shape_vars = names.size();
  options.shape_var_names = names.data();
  options.shape_var_values = values.data();
  CallError err;
  const harp_status status = harp_program_run(program, in.size(), in.data(), out.size(), out.data(), &options, err);
  if (expected.fault ? status != HARP_ERROR_RANGE : status != HARP_OK)
    return {Verdict::kRunStatus, cat("the run returned ", status, err.is_set() ? cat(" (", err.text(), ")") : "", ", expected ",
                                     expected.fault ? "an index out of range" : "success")};
  for (size_t i = 0; i < out.size(); ++i) {
    std::vector<std::byte> bytes(expected.outputs[i].size());
    if (std::string error = arrays.read(in.size() + i, bytes); !error.empty()) return {Verdict::kRunStatus, std::move(error)};
    if (expected.fault) continue;
    const GraphOutput& output = graph.outputs()[i];
    if (const std::string found = difference(output.node->dtype, expected.outputs[i], bytes); !found.empty())
      return {Verdict::kWrongBits, cat("output ", output.name, ", ", found)};
  }
  for (size_t i = 0; i < in.size(); ++i) {
    if (std::find(in_place_of.begin(), in_place_of.end(), static_cast<int>(i)) != in_place_of.end()) continue;
    std::vector<std::byte> bytes(originals[i].size());
    if (std::string error = arrays.read(i, bytes); !error.empty()) return {Verdict::kRunStatus, std::move(error)};
    if (bytes != originals[i]) return {Verdict::kWrongBits, cat("wrote to input ", i)};
  }
  return {};
}

}  // namespace

DevicePrograms::DevicePrograms(std::string device) : device_(std::move(device)) {
  harp_context_options options = HARP_CONTEXT_OPTIONS_INIT;
  options.cache_dir = "";
  CallError err;
  context_ = harp_context_new(&options, err);
  HARP_CHECK(context_ != nullptr, Code::kInternal, "making a context: ", err.text());
}

DevicePrograms::~DevicePrograms() { harp_context_release(context_); }

Outcome DevicePrograms::check(const Case& test, const BuildVariant& variant, std::span<const int> in_place_of,
                              std::span<const Expected> expected) {
  const std::string text = print_graph(*test.graph);
  CallError err;
  const GraphHandle graph(harp_graph_parse(context_, text.size(), text.data(), err));
  if (graph == nullptr) return {Verdict::kPipeline, err.text()};
  std::vector<const char*> disabled;
  for (const std::string& pass : variant.disabled_rules) disabled.push_back(pass.c_str());
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  const std::string backend = device_.substr(0, device_.find(':'));
  options.backend = backend.c_str();
  options.check_indices = variant.check_indices ? 1 : 0;
  options.n_disabled_passes = disabled.size();
  options.disabled_passes = disabled.data();
  const ProgramHandle program(harp_compile(graph.get(), &options, err));
  if (program == nullptr) return {Verdict::kCompiler, err.text()};
  for (size_t k = 0; k < test.sizes.size(); ++k)
    for (int run = 0; run < kRuns; ++run) {
      Outcome outcome = run_once(context_, device_, program.get(), test, test.sizes[k], in_place_of, expected[k]);
      if (outcome.verdict == Verdict::kPass) continue;
      append(outcome.message, cat(" [", to_string(variant), "; sizes ", k, ", run ", run, "]"));
      return outcome;
    }
  return {};
}

}  // namespace harp::fuzz
