// Contains helpers for tests that use harp only through harp.h, as an application does. The handles release their objects automatically.
#pragma once

#include <doctest/doctest.h>

#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harp.h"
#include "support/skip.h"

namespace capi_test {

template <class T, void (*release)(T*)>
struct Release {
  void operator()(T* handle) const { release(handle); }
};
using Context = std::unique_ptr<harp_context, Release<harp_context, harp_context_release>>;
using Graph = std::unique_ptr<harp_graph, Release<harp_graph, harp_graph_release>>;
using Program = std::unique_ptr<harp_program, Release<harp_program, harp_program_release>>;
using Buffer = std::unique_ptr<harp_buffer, Release<harp_buffer, harp_buffer_release>>;
using String = std::unique_ptr<harp_string, Release<harp_string, harp_string_release>>;
using Error = std::unique_ptr<harp_error, Release<harp_error, harp_error_release>>;

/// Receives the error of a call: pass it as the last argument, read it afterwards.
class ErrorSlot {
 public:
  ErrorSlot() = default;
  ~ErrorSlot() { harp_error_release(error_); }
  ErrorSlot(const ErrorSlot&) = delete;
  ErrorSlot& operator=(const ErrorSlot&) = delete;
  operator harp_error**() { return &error_; }
  harp_status code() const { return harp_error_code(error_); }
  std::string message() const { return harp_error_message(error_); }

 private:
  harp_error* error_ = nullptr;
};

inline std::string take(harp_string* string) {
  const String owner(string);
  return {harp_string_data(string), harp_string_size(string)};
}

/// A context without a cache directory: it keeps compiled programs in memory.
inline Context make_context(std::function<void(harp_context_options&)> change = nullptr) {
  harp_context_options options = HARP_CONTEXT_OPTIONS_INIT;
  options.cache_dir = "";
  options.compile_timeout_ms = 1'200'000;  // a limit that even a slow machine does not reach; ctest stops a test that hangs
  if (change) change(options);
  ErrorSlot err;
  Context context(harp_context_new(&options, err));
  CHECK_MESSAGE(context != nullptr, err.message());
  return context;
}

inline Graph make_graph(harp_context* context, uint32_t flags = 0) { return Graph(harp_graph_new(context, flags, nullptr)); }

inline Graph parse(harp_context* context, const std::string& text) {
  ErrorSlot err;
  Graph graph(harp_graph_parse(context, text.size(), text.data(), err));
  CHECK_MESSAGE(graph != nullptr, err.message());
  return graph;
}

/// Returns compile options whose target is the row of the machine table that HARP_MACHINE names, or the default target if it is unset.
inline harp_compile_options compile_options() {
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.target = harp::testing::machine_name();
  return options;
}

/// Returns the C source that is generated for `row`, the name of a target in the machine table. This requires no compiler.
inline std::string source_for(const char* row, const harp_graph* graph, const char* schedule = nullptr) {
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.target = row;
  options.schedule = schedule;
  ErrorSlot err;
  harp_string* source = harp_graph_emit(graph, &options, "c", err);
  REQUIRE_MESSAGE(source != nullptr, err.message());
  return take(source);
}

/// Tests whether a compilation failed because the target has another architecture than this machine.
inline bool is_foreign(const ErrorSlot& err) {
  return err.code() == HARP_ERROR_UNSUPPORTED && err.message().find("another architecture") != std::string::npos;
}

/// Compiles for the target that HARP_MACHINE names, unless `change` sets another one. If no compiler on this machine supports the target,
/// this function only generates the source and then ends the test case as skipped.
inline Program compile(const harp_graph* graph, const char* backend, std::function<void(harp_compile_options&)> change = nullptr) {
  harp_compile_options options = compile_options();
  options.backend = backend;
  if (change) change(options);
  ErrorSlot err;
  Program program(harp_compile(graph, &options, err));
  if (program == nullptr && is_foreign(err)) {
    const String source(harp_graph_emit(graph, &options, "c", nullptr));
    CHECK(source != nullptr);
    throw harp::testing::Skip{err.message()};
  }
  CHECK_MESSAGE(program != nullptr, err.message());
  return program;
}

/// The reason why this CPU cannot run the program; "" if it can.
inline std::string cannot_run(harp_program* program) {
  ErrorSlot err;
  harp_program_entry_ex(program, err);
  return err.message().find("this CPU cannot run") != std::string::npos ? err.message() : "";
}

/// Tests whether this CPU cannot run the program. If the result is true, the test case counts as skipped, but it continues with checks that
/// do not run the program.
inline bool is_not_for_this_cpu(harp_program* program) {
  const std::string why = cannot_run(program);
  if (!why.empty()) harp::testing::note_skip(why);
  return !why.empty();
}

/// Ends the test case if this CPU cannot run the program.
inline void must_run(harp_program* program) {
  if (const std::string why = cannot_run(program); !why.empty()) throw harp::testing::Skip{why};
}

/// Makes a buffer that uses the memory of `values`; the vector must exist as long as the buffer. Elements of type uint8_t become bools.
template <class T>
Buffer wrap(harp_context* context, std::vector<T>& values, std::vector<int64_t> dims) {
  const harp_dtype dtype = std::is_same_v<T, float>                  ? HARP_F32
                           : std::is_same_v<T, double>               ? HARP_F64
                           : std::is_same_v<T, int8_t>               ? HARP_I8
                           : std::is_same_v<T, int16_t>              ? HARP_I16
                           : std::is_same_v<T, int32_t>              ? HARP_I32
                           : std::is_same_v<T, int64_t>              ? HARP_I64
                           : std::is_same_v<T, uint16_t>             ? HARP_U16
                           : std::is_same_v<T, uint32_t>             ? HARP_U32
                           : std::is_same_v<T, uint64_t>             ? HARP_U64
                           : std::is_same_v<T, std::complex<float>>  ? HARP_COMPLEX64
                           : std::is_same_v<T, std::complex<double>> ? HARP_COMPLEX128
                                                                     : HARP_BOOL;
  ErrorSlot err;
  Buffer buffer(harp_buffer_wrap(context, dtype, static_cast<int32_t>(dims.size()), dims.data(), values.data(), nullptr, nullptr, err));
  CHECK_MESSAGE(buffer != nullptr, err.message());
  return buffer;
}

template <class T>
std::vector<T> values(const harp_buffer* buffer) {
  const T* data = static_cast<const T*>(harp_buffer_const_data(buffer));
  return {data, data + harp_buffer_size(buffer) / sizeof(T)};
}

inline std::vector<int64_t> dims(const harp_buffer* buffer) {
  const int64_t* sizes = harp_buffer_dims(buffer);
  return {sizes, sizes + harp_buffer_rank(buffer)};
}

/// Runs the program; harp allocates the outputs. Returns an empty list on failure, with the error in `err`. Ends the test case if this CPU
/// cannot run the program.
inline std::vector<Buffer> run(harp_program* program, const std::vector<harp_buffer*>& inputs, harp_error** err = nullptr,
                               const harp_run_options* options = nullptr) {
  std::vector<harp_buffer*> outputs(harp_program_output_count(program), nullptr);
  ErrorSlot own;
  const harp_status status =
      harp_program_run(program, inputs.size(), inputs.data(), outputs.size(), outputs.data(), options, err != nullptr ? err : own);
  std::vector<Buffer> made;
  const std::string message = harp_error_message(err != nullptr ? *err : *static_cast<harp_error**>(own));
  if (status == HARP_ERROR_UNSUPPORTED && message.find("this CPU cannot run") != std::string::npos) {
    if (err != nullptr) harp_error_release(std::exchange(*err, nullptr));
    throw harp::testing::Skip{message};
  }
  if (err == nullptr) CHECK_MESSAGE(status == HARP_OK, own.message());
  if (status != HARP_OK) return made;
  for (harp_buffer* output : outputs) made.emplace_back(output);
  return made;
}

}  // namespace capi_test
