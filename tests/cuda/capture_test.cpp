// Tests harp in a host application that captures its stream as a CUDA graph, with the fake driver. Runs on that stream become parts of the
// graph. A call that cannot become a part of the graph returns an error, and the application can still finish the capture.
#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "cuda/fake/host.h"

using namespace capi_test;

namespace {

using fake_cuda::CapturedGraph;
using fake_cuda::check_error;
using fake_cuda::compile_for_gpu;
using fake_cuda::content_of;
using fake_cuda::filled;
using fake_cuda::Floats;
using fake_cuda::Host;
using fake_cuda::make_context_with;

/// A graph that is compiled to two kernels. The first one stores the sum in the arena (the memory for temporary arrays), and the second one
/// reads it there.
constexpr const char* kText = "harp 1\ngraph g(x: f32[n]) flags=[broadcast] {\n  s = sum(x, axes=[0])\n  return y = x - s\n}";

void* address_of(const Buffer& buffer) { return reinterpret_cast<void*>(harp_buffer_address(buffer.get())); }

/// Runs a program on arrays of the caller. The run is enqueued on `stream`; if that is NULL, it is complete when the call returns.
harp_status run_on(void* stream, const Program& program, std::vector<harp_buffer*> inputs, harp_buffer* y, harp_error** err,
                   uint32_t flags = 0) {
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.stream = stream;
  options.flags = flags;
  harp_buffer* outputs[] = {y};
  const harp_status status = harp_program_run(program.get(), inputs.size(), inputs.data(), 1, outputs, &options, err);
  if (y == nullptr) harp_buffer_release(outputs[0]);
  return status;
}

}  // namespace

TEST_CASE("H5.capture: runs on a stream that the host captures become parts of its graph") {
  const fake_cuda::Driver driver;
  {
    const Host host(driver, 0);
    void* const other = driver.new_context(0);
    const fake_cuda::CurrentContext current(driver.library(), other);
    const Context context = make_context_with(driver, host.options());
    const Program program = compile_for_gpu(context.get(), kText);
    for (const int order : {0, 4, 8, 16, 28}) {
      CAPTURE(order);
      driver.set_order(order);
      const Buffer x = filled(context.get(), "cuda", {1, 2, 3}), y = filled(context.get(), "cuda", {0, 0, 0});
      const Buffer z = filled(context.get(), "cuda", {0, 0, 0});
      ErrorSlot err;
      for (int i = 0; i < 3; ++i) REQUIRE_MESSAGE(run_on(nullptr, program, {x.get()}, y.get(), err) == HARP_OK, err.message());
      // harp executes repeated runs by launching a CUDA graph of its own. `launches` is the number of its launches so far.
      const int launches = driver.calls("cuGraphLaunch");
      CHECK(launches > 0);
      host.begin_capture();
      CHECK_MESSAGE(run_on(host.stream(), program, {x.get()}, y.get(), err) == HARP_OK, err.message());
      CHECK_MESSAGE(run_on(host.stream(), program, {y.get()}, z.get(), err) == HARP_OK, err.message());
      CHECK(driver.current_context() == other);
      // harp's own stream is not captured, so z can be read; the captured runs have not been executed
      CHECK(content_of(z.get()) == Floats{0, 0, 0});
      CHECK(driver.calls("cuGraphLaunch") == launches);
      const CapturedGraph graph = host.end_capture();
      CHECK(content_of(z.get()) == Floats{0, 0, 0});
      graph.launch();
      CHECK(host.read(z.get()) == Floats{7, 8, 9});
      host.enqueue_write(address_of(x), {4, 5, 6}, host.stream());
      graph.launch();
      host.enqueue_write(address_of(x), {0, 0, 3}, host.stream());
      graph.launch();
      CHECK(host.read(z.get()) == Floats{3, 3, 6});
      // Runs outside of the graph still work.
      CHECK(run_on(nullptr, program, {z.get()}, x.get(), err) == HARP_OK);
      CHECK(content_of(x.get()) == Floats{-9, -9, -6});
    }
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

namespace {

/// The host application's allocator. It hands out parts of one block and records the stream of each call.
struct Block {
  char* begin;
  size_t used = 0;
  std::vector<void*> allocated = {}, freed = {};

  static void* allocate(void* user, size_t size, int32_t, void* stream) {
    auto& self = *static_cast<Block*>(user);
    self.allocated.push_back(stream);
    return self.begin + std::exchange(self.used, self.used + (size + 255) / 256 * 256);
  }
  static void release(void* user, void*, int32_t, void* stream) { static_cast<Block*>(user)->freed.push_back(stream); }
};

}  // namespace

TEST_CASE("H5.capture: the host's allocator gets the stream that is captured") {
  const fake_cuda::Driver driver;
  {
    const Host host(driver, 0);
    Block block{static_cast<char*>(host.allocate(1 << 16))};
    {
      harp_cuda_options options = host.options();
      options.alloc = &Block::allocate;
      options.free = &Block::release;
      options.alloc_user = &block;
      const Context context = make_context_with(driver, options);
      const Program program = compile_for_gpu(context.get(), kText);
      const Buffer x = filled(context.get(), "cuda", {1, 2, 3}), y = filled(context.get(), "cuda", {0, 0, 0});
      REQUIRE(run_on(nullptr, program, {x.get()}, y.get(), nullptr) == HARP_OK);
      REQUIRE(!block.allocated.empty());
      CHECK(block.allocated.back() != host.stream());
      host.begin_capture();
      CHECK(run_on(host.stream(), program, {x.get()}, y.get(), nullptr) == HARP_OK);
      CHECK(block.allocated.back() == host.stream());
      CHECK(block.freed.back() == host.stream());
      const CapturedGraph graph = host.end_capture();
      host.enqueue_write(address_of(x), {0, 0, 1}, host.stream());
      graph.launch();
      CHECK(host.read(y.get()) == Floats{-1, -1, 0});
    }
    CHECK(block.allocated.size() == block.freed.size());
    host.free(block.begin);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

namespace {

void negate(const float* x, float* y) {
  for (int i = 0; i < 3; ++i) y[i] = -x[i];
}

Program compile_native(harp_context* context) {
  const Graph graph = make_graph(context);
  const int64_t size = 3;
  harp_node* node = harp_input(graph.get(), "x", HARP_F32, 1, &size);
  harp_native_desc desc = HARP_NATIVE_DESC_INIT;
  desc.name = "negate";
  desc.function = reinterpret_cast<harp_native_function>(&negate);
  desc.signature = "void(f32* input0, f32* output)";
  desc.dtype = HARP_F32, desc.rank = 1, desc.dims = &size;
  harp_output(graph.get(), "y", harp_native(1, &node, &desc));
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.backend = "cuda";
  ErrorSlot err;
  Program program(harp_compile(graph.get(), &options, err));
  REQUIRE_MESSAGE(program != nullptr, err.message());
  return program;
}

}  // namespace

TEST_CASE("H5.capture: what cannot be captured is refused, and the capture goes on") {
  const fake_cuda::Driver driver;
  {
    const Host host(driver, 0);
    const Context context = make_context_with(driver, host.options());
    const Program program = compile_for_gpu(context.get(), kText), native = compile_native(context.get());
    const Program fresh = compile_for_gpu(context.get(), "harp 1\ngraph g(x: f32[n]) { return y = x * 5.0 }");
    const Program checked = compile_for_gpu(context.get(), "harp 1\ngraph g(x: f32[n], i: i32[n]) { return y = take(x, i) }", true);
    const Buffer x = filled(context.get(), "cuda", {1, 2, 3}), y = filled(context.get(), "cuda", {0, 0, 0});
    const int64_t size = 3;
    const int32_t zeros[3] = {};
    const Buffer i(harp_buffer_new(context.get(), "cuda", HARP_I32, 1, &size, nullptr));
    REQUIRE(harp_buffer_write(i.get(), sizeof zeros, zeros, nullptr) == HARP_OK);
    REQUIRE(run_on(nullptr, program, {x.get()}, y.get(), nullptr) == HARP_OK);
    REQUIRE(run_on(nullptr, native, {x.get()}, y.get(), nullptr) == HARP_OK);
    REQUIRE(run_on(nullptr, checked, {x.get(), i.get()}, y.get(), nullptr) == HARP_OK);
    host.begin_capture();
    const auto refused = [&](const Program& which, std::vector<harp_buffer*> inputs, harp_buffer* output, uint32_t flags,
                             const char* message) {
      ErrorSlot err;
      CHECK(run_on(host.stream(), which, std::move(inputs), output, err, flags) == HARP_ERROR_UNSUPPORTED);
      check_error(err, HARP_ERROR_UNSUPPORTED, message);
    };
    refused(fresh, {x.get()}, y.get(), 0,
            "the first run of a program on cuda:0 loads it, which cannot be captured as a CUDA graph; run the program once before the "
            "capture");
    refused(program, {x.get()}, nullptr, 0,
            "a run cannot be captured as a CUDA graph without the array of output \"y\": harp allocates nothing during a capture");
    refused(program, {x.get()}, y.get(), HARP_RUN_STAGE, "a run cannot be captured as a CUDA graph with the option HARP_RUN_STAGE");
    refused(native, {x.get()}, y.get(), 0, "a run cannot be captured as a CUDA graph if it calls functions of the host application");
    refused(checked, {x.get(), i.get()}, y.get(), 0, "a run cannot be captured as a CUDA graph if it checks indices");
    ErrorSlot wait;
    CHECK(harp_buffer_wait_stream(x.get(), host.stream(), wait) == HARP_ERROR_UNSUPPORTED);
    check_error(wait, HARP_ERROR_UNSUPPORTED, "the host application captures its stream as a CUDA graph");
    ErrorSlot signal;
    CHECK(harp_buffer_signal_stream(x.get(), host.stream(), signal) == HARP_ERROR_UNSUPPORTED);
    check_error(signal, HARP_ERROR_UNSUPPORTED, "the host application captures its stream as a CUDA graph");
    CHECK(run_on(host.stream(), program, {x.get()}, y.get(), nullptr) == HARP_OK);
    const CapturedGraph graph = host.end_capture();
    graph.launch();
    CHECK(host.read(y.get()) == Floats{-5, -4, -3});
  }
  {  // Without memory pools, a run that needs temporary memory cannot be captured; a run that needs none can be.
    driver.set_machine(1, 90, 13000, false);
    const Host host(driver, 0);
    const Context context = make_context_with(driver, host.options());
    const Program program = compile_for_gpu(context.get(), kText);
    const Program simple = compile_for_gpu(context.get(), "harp 1\ngraph g(x: f32[n]) { return y = -x }");
    const Buffer x = filled(context.get(), "cuda", {1, 2, 3}), y = filled(context.get(), "cuda", {0, 0, 0});
    REQUIRE(run_on(nullptr, program, {x.get()}, y.get(), nullptr) == HARP_OK);
    REQUIRE(run_on(nullptr, simple, {x.get()}, y.get(), nullptr) == HARP_OK);
    host.begin_capture();
    ErrorSlot err;
    CHECK(run_on(host.stream(), program, {x.get()}, y.get(), err) == HARP_ERROR_UNSUPPORTED);
    check_error(err, HARP_ERROR_UNSUPPORTED, "cuda:0 has no memory pools, so a run that needs memory cannot be captured as a CUDA graph");
    CHECK(run_on(host.stream(), simple, {x.get()}, y.get(), nullptr) == HARP_OK);
    const CapturedGraph graph = host.end_capture();
    host.enqueue_write(address_of(x), {4, 5, 6}, host.stream());
    graph.launch();
    CHECK(host.read(y.get()) == Floats{-4, -5, -6});
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.capture: the stream that is captured is harp's own") {
  const fake_cuda::Driver driver;
  {
    const Host host(driver, 0);
    harp_cuda_options options = host.options();
    options.stream = host.stream();
    const Context context = make_context_with(driver, options);
    const Program program = compile_for_gpu(context.get(), kText);
    const Buffer x = filled(context.get(), "cuda", {1, 2, 3}), y = filled(context.get(), "cuda", {0, 0, 0});
    REQUIRE(run_on(nullptr, program, {x.get()}, y.get(), nullptr) == HARP_OK);
    host.begin_capture();
    const auto refused = [&](const std::function<harp_status(harp_error**)>& call) {
      ErrorSlot err;
      CHECK(call(err) == HARP_ERROR_UNSUPPORTED);
      check_error(err, HARP_ERROR_UNSUPPORTED,
                  "until the capture ends, only runs on that stream (harp_run_options.stream) are possible on cuda:0");
    };
    Floats content(3);
    refused([&](harp_error** err) { return run_on(nullptr, program, {x.get()}, y.get(), err); });
    refused([&](harp_error** err) { return harp_buffer_read(x.get(), 12, content.data(), err); });
    refused([&](harp_error** err) { return harp_buffer_write(x.get(), 12, content.data(), err); });
    refused([&](harp_error** err) { return harp_buffer_copy(y.get(), x.get(), err); });
    refused([&](harp_error** err) { return harp_buffer_wait_stream(x.get(), reinterpret_cast<void*>(1), err); });
    refused([&](harp_error** err) { return harp_buffer_signal_stream(x.get(), reinterpret_cast<void*>(1), err); });
    refused([&](harp_error** err) {
      const int64_t size = 3;
      const Buffer none(harp_buffer_new(context.get(), "cuda", HARP_F32, 1, &size, err));
      return none == nullptr ? HARP_ERROR_UNSUPPORTED : HARP_OK;
    });
    CHECK(run_on(host.stream(), program, {x.get()}, y.get(), nullptr) == HARP_OK);
    const CapturedGraph graph = host.end_capture();
    host.enqueue_write(address_of(x), {0, 0, 1}, host.stream());
    graph.launch();
    CHECK(content_of(y.get()) == Floats{-1, -1, 0});
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.capture: what is released while harp's own stream is captured is freed after the capture") {
  const fake_cuda::Driver driver;
  for (const bool has_pools : {true, false}) {
    CAPTURE(has_pools);
    const std::string function = has_pools ? "cuMemFreeAsync" : "cuMemFree";
    driver.library().call<void>("fake_cuda_reset");
    driver.set_machine(1, 90, 13000, has_pools);
    {
      const Host host(driver, 0);
      harp_cuda_options options = host.options();
      options.stream = host.stream();
      const Context context = make_context_with(driver, options);
      const Program program = compile_for_gpu(context.get(), "harp 1\ngraph g(x: f32[n]) {\n  return y = x + x\n}");
      Program with_arena = compile_for_gpu(context.get(), kText);
      const Buffer x = filled(context.get(), "cuda", {1, 2, 3}), y = filled(context.get(), "cuda", {0, 0, 0});
      Buffer unused = filled(context.get(), "cuda", {4, 5, 6});
      REQUIRE(run_on(nullptr, program, {x.get()}, y.get(), nullptr) == HARP_OK);
      // The second run with the same sizes makes a CUDA graph of harp's own, which keeps its arena.
      for (int run = 0; run < 2; ++run) REQUIRE(run_on(nullptr, with_arena, {x.get()}, y.get(), nullptr) == HARP_OK);
      const int frees = driver.calls(function);
      host.begin_capture();
      unused.reset();
      with_arena.reset();
      CHECK(driver.calls(function) == frees);
      CHECK(run_on(host.stream(), program, {x.get()}, y.get(), nullptr) == HARP_OK);
      {
        const CapturedGraph graph = host.end_capture();
        graph.launch();
        CHECK(content_of(y.get()) == Floats{2, 4, 6});
      }
      CHECK(driver.calls(function) > frees);  // freed by the call that read y, the first call after the capture
    }
    CHECK(driver.live() == "");
    CHECK(driver.mistakes() == "");
  }
}

TEST_CASE("H5.capture: every function of the driver fails once during a capture, and the capture goes on") {
  const fake_cuda::Driver driver;
  const std::set<std::string> silent = {"cuCtxPopCurrent", "cuMemFreeAsync", "cuGetErrorName"};
  {
    const Host host(driver, 0);
    const Context context = make_context_with(driver, host.options());
    const Program program = compile_for_gpu(context.get(), kText);
    const Buffer x = filled(context.get(), "cuda", {1, 2, 3}), y = filled(context.get(), "cuda", {0, 0, 0});
    REQUIRE(run_on(nullptr, program, {x.get()}, y.get(), nullptr) == HARP_OK);
    const std::string live = driver.live();
    size_t points = 0;
    for (const std::string& function : driver.functions())
      for (const int status : {1, 2, 999})
        for (int nth = 1; nth <= 8; ++nth) {
          CAPTURE(function);
          CAPTURE(status);
          CAPTURE(nth);
          host.begin_capture();
          const int before = driver.calls(function);
          driver.fail(function, nth, status);
          ErrorSlot err;
          const harp_status result = run_on(host.stream(), program, {x.get()}, y.get(), err);
          driver.fail(function, 0, 0);
          const bool has_failed = driver.calls(function) >= before + nth;
          if (result == HARP_OK)
            CHECK_MESSAGE((!has_failed || silent.count(function) == 1), "no error");
          else
            CHECK_MESSAGE(err.message().find(function) != std::string::npos, err.message());
          // Although a part of the run was captured before the failure, the whole run can be captured again, and the results are right.
          CHECK(run_on(host.stream(), program, {x.get()}, y.get(), nullptr) == HARP_OK);
          {
            const CapturedGraph graph = host.end_capture();
            graph.launch();
            CHECK(host.read(y.get()) == Floats{-5, -4, -3});
          }
          CHECK(driver.live() == live);
          points += has_failed ? 1 : 0;
          // the run called this function fewer than `nth` times, so by now every one of its calls has been made to fail once
          if (!has_failed) break;
        }
    CHECK(points > 15);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}
