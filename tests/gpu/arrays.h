// Functions that tests on a real GPU use: they make contexts, compile programs for the GPU and for the reference, make arrays, and compare
// results bit by bit (all NaNs are equal). They use harp only through harp.h.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "fuzz/check_case.h"
#include "gpu/driver.h"
#include "ops/dtype.h"
#include "support/capi_support.h"

namespace gpu_test {

inline constexpr const char* kGpu = "cuda:0";

/// Number of threads for the work of the tests on the CPU: compilations, and runs of the reference.
inline size_t cpu_threads() { return std::clamp<size_t>(std::thread::hardware_concurrency(), 1, 16); }

/// Returns a context with the machine's GPUs. Ends the test case as skipped if there is no GPU. If there is a GPU that harp cannot use, the
/// test fails.
inline capi_test::Context gpu_context(std::function<void(harp_context_options&)> change = nullptr) {
  const Driver driver;
  capi_test::Context context = capi_test::make_context([&](harp_context_options& options) {
    options.threads = static_cast<int32_t>(cpu_threads());
    if (change) change(options);
  });
  REQUIRE_MESSAGE(harp_backend_available(context.get(), "cuda") == 1, capi_test::take(harp_context_describe(context.get(), nullptr)));
  return context;
}

/// The dtype, sizes and bytes of an array in host memory.
struct Array {
  harp::DType dtype;
  std::vector<int64_t> dims;
  std::vector<std::byte> bytes;

  size_t count() const { return bytes.size() / harp::size_of(dtype); }
};

template <class T>
Array array_of(harp::DType dtype, std::vector<int64_t> dims, const std::vector<T>& values) {
  Array array{dtype, std::move(dims), std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

inline harp_dtype code_of(harp::DType dtype) { return static_cast<harp_dtype>(dtype); }

/// A new buffer with this content. Throws harp::Error on failure, so that any thread may call it.
inline capi_test::Buffer buffer_of(harp_context* context, const char* device, const Array& array) {
  capi_test::ErrorSlot err;
  capi_test::Buffer buffer(
      harp_buffer_new(context, device, code_of(array.dtype), static_cast<int32_t>(array.dims.size()), array.dims.data(), err));
  if (buffer == nullptr || harp_buffer_write(buffer.get(), array.bytes.size(), array.bytes.data(), err) != HARP_OK)
    harp::fail(harp::Code::kInternal, "array on ", device, ": ", err.message());
  return buffer;
}

inline std::vector<std::byte> bytes_of(const harp_buffer* buffer) {
  std::vector<std::byte> bytes(harp_buffer_size(buffer));
  capi_test::ErrorSlot err;
  if (harp_buffer_read(buffer, bytes.size(), bytes.data(), err) != HARP_OK)
    harp::fail(harp::Code::kInternal, "reading a buffer: ", err.message());
  return bytes;
}

/// Compiles a graph given as text; throws harp::Error on failure, so that any thread may call it.
inline capi_test::Program compile_text(harp_context* context, const std::string& text, const char* backend, bool check_indices = false) {
  capi_test::ErrorSlot err;
  const capi_test::Graph graph(harp_graph_parse(context, text.size(), text.data(), err));
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.backend = backend;
  options.check_indices = check_indices ? 1 : 0;
  capi_test::Program program(graph == nullptr ? nullptr : harp_compile(graph.get(), &options, err));
  if (program == nullptr) harp::fail(harp::Code::kInternal, "backend ", backend, ": ", err.message());
  return program;
}

/// Compiles the reference for the CPU: with the C compiler, or for the interpreter if there is no usable compiler.
inline capi_test::Program compile_reference(harp_context* context, const std::string& text) {
  if (harp_backend_available(context, "c") == 1) {
    try {
      return compile_text(context, text, "c");
    } catch (const harp::Error&) {  // the C compiler cannot be used, for example because it has no headers
    }
  }
  return compile_text(context, text, "interp");
}

/// Runs the program on the device and returns the outputs, which harp allocates. Throws harp::Error on failure.
inline std::vector<capi_test::Buffer> run_on(harp_context* context, const char* device, harp_program* program,
                                             std::span<const Array> inputs) {
  std::vector<capi_test::Buffer> buffers;
  std::vector<harp_buffer*> in, out(harp_program_output_count(program), nullptr);
  for (const Array& array : inputs) buffers.push_back(buffer_of(context, device, array));
  for (const capi_test::Buffer& buffer : buffers) in.push_back(buffer.get());
  capi_test::ErrorSlot err;
  if (harp_program_run(program, in.size(), in.data(), out.size(), out.data(), nullptr, err) != HARP_OK)
    harp::fail(harp::Code::kInternal, "run on ", device, ": ", err.message());
  std::vector<capi_test::Buffer> outputs;
  for (harp_buffer* output : out) outputs.emplace_back(output);
  return outputs;
}

/// Returns a description of the first difference of two buffers of the same dtype, or "" if they are equal. The buffers may be on different
/// devices.
inline std::string difference(const harp_buffer* expected, const harp_buffer* got) {
  if (capi_test::dims(expected) != capi_test::dims(got)) return "other sizes";
  return harp::fuzz::difference(static_cast<harp::DType>(harp_buffer_dtype(expected)), bytes_of(expected), bytes_of(got));
}

/// Calls body(0) to body(count - 1) on several threads. Returns one string for each call: the message of the exception that it threw, or
/// "".
inline std::vector<std::string> in_parallel(size_t count, const std::function<void(size_t)>& body) {
  std::vector<std::string> errors(count);
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) {
      try {
        body(i);
      } catch (const harp::Error& error) {
        errors[i] = error.message;
      } catch (const std::exception& error) {
        errors[i] = error.what();
      }
    }
  };
  std::vector<std::thread> threads;
  for (size_t t = 0; t < std::min(cpu_threads(), count); ++t) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return errors;
}

}  // namespace gpu_test
