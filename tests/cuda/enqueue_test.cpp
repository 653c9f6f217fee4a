// Runs on a stream of the host application, with the fake driver, whose streams execute work only when something waits for it. Such a run
// returns when its work is enqueued. The results exist when the stream has executed that work.
#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <thread>

#include "cuda/fake/host.h"

using namespace capi_test;

namespace {

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

harp_run_options on_stream(void* stream) {
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.stream = stream;
  return options;
}

/// Runs a program with one input and one output on a stream. Returns the output; NULL on failure.
Buffer run_on(void* stream, harp_program* program, harp_buffer* x, harp_error** err) {
  const harp_run_options options = on_stream(stream);
  harp_buffer* inputs[] = {x};
  harp_buffer* outputs[] = {nullptr};
  harp_program_run(program, 1, inputs, 1, outputs, &options, err);
  return Buffer(outputs[0]);
}

}  // namespace

TEST_CASE("H5.enqueue: a run on a stream of the host's returns before it is complete") {
  const fake_cuda::Driver driver;
  for (const bool has_pools : {true, false}) {
    CAPTURE(has_pools);
    driver.set_machine(1, 90, 13000, has_pools);
    {
      const Host host(driver, 0);
      void* const other = driver.new_context(0);
      const fake_cuda::CurrentContext current(driver.library(), other);
      const Context context = make_context_with(driver, host.options());
      const Program program = compile_for_gpu(context.get(), kText);
      // The first run also loads the program; this must not make the application wait either. (Without memory pools, every release of
      // memory waits.)
      for (const int order : {0, 4, 8, 12, 16, 28}) {
        CAPTURE(order);
        driver.set_order(order);
        Buffer x = filled(context.get(), "cuda", {0, 0, 0});
        ErrorSlot err;
        host.enqueue_write(reinterpret_cast<void*>(harp_buffer_address(x.get())), {1, 2, 3}, host.stream());
        const int waits = driver.calls("cuStreamSynchronize");
        Buffer y = run_on(host.stream(), program.get(), x.get(), err);
        REQUIRE_MESSAGE(y != nullptr, err.message());
        CHECK(driver.current_context() == other);
        if (has_pools) {
          CHECK(driver.calls("cuStreamSynchronize") == waits);
          CHECK(driver.pending() > 0);
        }
        // The output can be an input of the next run, and both arrays can be released at once, although nothing has been executed yet.
        const Buffer z = run_on(host.stream(), program.get(), y.get(), err);
        REQUIRE_MESSAGE(z != nullptr, err.message());
        if (has_pools) CHECK(driver.calls("cuStreamSynchronize") == waits);
        x.reset(), y.reset();
        CHECK(host.read(z.get()) == Floats{7, 8, 9});
        // harp_buffer_read and other functions of harp that read such an output wait for the run, so they return the results.
        const Buffer w = run_on(host.stream(), program.get(), z.get(), err);
        CHECK(content_of(w.get()) == Floats{-17, -16, -15});
        CHECK(host.read(w.get()) == Floats{-17, -16, -15});
        // A run without a stream is complete when it returns.
        harp_buffer* inputs[] = {w.get()};
        harp_buffer* outputs[] = {nullptr};
        CHECK(harp_program_run(program.get(), 1, inputs, 1, outputs, nullptr, err) == HARP_OK);
        const Buffer last(outputs[0]);
        // the only work that may still be pending is the release of the arena (the memory for temporary arrays)
        CHECK(driver.pending() <= 1);
        CHECK(driver.current_context() == other);
      }
    }
    CHECK(driver.live() == "");
    CHECK(driver.mistakes() == "");
  }
}

TEST_CASE("H5.enqueue: harp's stream is the host's") {
  const fake_cuda::Driver driver;
  {
    const Host host(driver, 0);
    harp_cuda_options options = host.options();
    options.stream = host.stream();
    const Context context = make_context_with(driver, options);
    const Program program = compile_for_gpu(context.get(), kText);
    const Buffer x = filled(context.get(), "cuda", {1, 2, 3});
    ErrorSlot err;
    const int waits = driver.calls("cuStreamSynchronize");
    const Buffer y = run_on(host.stream(), program.get(), x.get(), err);
    REQUIRE_MESSAGE(y != nullptr, err.message());
    CHECK(driver.calls("cuStreamSynchronize") == waits);
    CHECK(driver.calls("cuEventCreate") == 0);
    CHECK(host.read(y.get()) == Floats{-5, -4, -3});
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

namespace {

/// A function of the host application that can only access arrays in host memory.
int32_t negate(const float* x, float* y, int64_t n, void* user) {
  ++*static_cast<int*>(user);
  for (int64_t i = 0; i < n; ++i) y[i] = -x[i];
  return *static_cast<int*>(user) > 1 ? 9 : 0;
}

}  // namespace

TEST_CASE("H5.enqueue: a run that checks indices, calls the host or stages outputs is complete when it returns") {
  const fake_cuda::Driver driver;
  {
    const Host host(driver, 0);
    const Context context = make_context_with(driver, host.options());
    const Buffer x = filled(context.get(), "cuda", {5, 6, 7});
    {
      const Program program = compile_for_gpu(context.get(), "harp 1\ngraph g(x: f32[n], i: i32[n]) { return y = take(x, i) }", true);
      const int64_t size = 3;
      const Buffer i(harp_buffer_new(context.get(), "cuda", HARP_I32, 1, &size, nullptr));
      const int32_t wrong[] = {0, 1, 3}, right[] = {2, 1, 0};
      REQUIRE(harp_buffer_write(i.get(), sizeof wrong, wrong, nullptr) == HARP_OK);
      const harp_run_options options = on_stream(host.stream());
      harp_buffer* inputs[] = {x.get(), i.get()};
      harp_buffer* outputs[] = {nullptr};
      ErrorSlot err;
      CHECK(harp_program_run(program.get(), 2, inputs, 1, outputs, &options, err) == HARP_ERROR_RANGE);
      CHECK(outputs[0] == nullptr);
      REQUIRE(harp_buffer_write(i.get(), sizeof right, right, nullptr) == HARP_OK);
      CHECK(harp_program_run(program.get(), 2, inputs, 1, outputs, &options, nullptr) == HARP_OK);
      const Buffer y(outputs[0]);
      CHECK(host.read(y.get()) == Floats{7, 6, 5});
    }
    {
      const Graph graph = make_graph(context.get());
      const int64_t size = 3;
      int calls = 0;
      harp_node* node = harp_input(graph.get(), "x", HARP_F32, 1, &size);
      harp_native_desc desc = HARP_NATIVE_DESC_INIT;
      desc.name = "negate";
      desc.function = reinterpret_cast<harp_native_function>(&negate);
      desc.user = &calls;
      desc.signature = "i32(f32* input0, f32* output, i64 3, void* user)";
      desc.dtype = HARP_F32, desc.rank = 1, desc.dims = &size;
      harp_output(graph.get(), "y", harp_native(1, &node, &desc));
      harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
      options.backend = "cuda";
      ErrorSlot err;
      const Program program(harp_compile(graph.get(), &options, err));
      REQUIRE_MESSAGE(program != nullptr, err.message());
      const Buffer y = run_on(host.stream(), program.get(), x.get(), err);
      REQUIRE_MESSAGE(y != nullptr, err.message());
      CHECK(calls == 1);
      CHECK(host.read(y.get()) == Floats{-5, -6, -7});
      ErrorSlot failed;
      CHECK(run_on(host.stream(), program.get(), x.get(), failed) == nullptr);
      check_error(failed, HARP_ERROR_NATIVE, "negate");
    }
    const Program program = compile_for_gpu(context.get(), kText);
    Floats from = {1, 2, 3}, to(3);
    const int64_t size = 3;
    const harp_const_array in[] = {{from.data(), &size, HARP_F32, 1}};
    const harp_array out[] = {{to.data(), &size, HARP_F32, 1}};
    harp_run_options options = on_stream(host.stream());
    options.flags = HARP_RUN_STAGE;
    ErrorSlot err;
    CHECK_MESSAGE(harp_program_call(program.get(), 1, in, 1, out, &options, err) == HARP_OK, err.message());
    CHECK(to == Floats{-5, -4, -3});
    // If only inputs are staged (copied to the GPU), the copies are made in the order of the stream, and the run need not wait.
    const Buffer staged = wrap(context.get(), from, {3});
    const Buffer y = filled(context.get(), "cuda", {0, 0, 0});
    harp_buffer* inputs[] = {staged.get()};
    harp_buffer* outputs[] = {y.get()};
    CHECK_MESSAGE(harp_program_run(program.get(), 1, inputs, 1, outputs, &options, err) == HARP_OK, err.message());
    from = {9, 9, 9};  // was copied
    CHECK(host.read(y.get()) == Floats{-5, -4, -3});
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.streams H6.dlpack_out/c: another stream of the host's comes after a run") {
  const fake_cuda::Driver driver;
  {
    const Host host(driver, 0), stranger(driver, 0);
    void* other = nullptr;  // the consumer's stream, to which the array is exported
    {
      const fake_cuda::CurrentContext current(driver.library(), host.context());
      REQUIRE(driver.library().call<int>("cuStreamCreate", &other, 1u) == 0);
    }
    {
      const Context context = make_context_with(driver, host.options());
      const Program program = compile_for_gpu(context.get(), kText);
      const Buffer x = filled(context.get(), "cuda", {1, 2, 3}), y = filled(context.get(), "cuda", {0, 0, 0});
      harp_buffer* inputs[] = {x.get()};
      harp_buffer* outputs[] = {y.get()};
      const harp_run_options options = on_stream(host.stream());
      ErrorSlot err;
      const auto run = [&] { return harp_program_run(program.get(), 1, inputs, 1, outputs, &options, err); };
      REQUIRE_MESSAGE(run() == HARP_OK, err.message());
      harp_dl_managed* exported = harp_buffer_to_dlpack(y.get(), err);
      REQUIRE_MESSAGE(exported != nullptr, err.message());
      // The fake driver shows that nothing orders the two streams yet: the consumer still sees the old content.
      CHECK(host.read(exported->tensor.data, 3, other) == Floats{0, 0, 0});
      CHECK_MESSAGE(harp_buffer_signal_stream(y.get(), other, err) == HARP_OK, err.message());
      CHECK(host.read(exported->tensor.data, 3, other) == Floats{-5, -4, -3});
      exported->deleter(exported);

      // NULL names the legacy default stream.
      REQUIRE(harp_buffer_write(x.get(), 12, Floats{0, 0, 1}.data(), nullptr) == HARP_OK);
      REQUIRE(run() == HARP_OK);
      CHECK(harp_buffer_signal_stream(y.get(), nullptr, nullptr) == HARP_OK);
      CHECK(host.read(reinterpret_cast<const void*>(harp_buffer_address(y.get())), 3, nullptr) == Floats{-1, -1, 0});

      ErrorSlot foreign, cpu;
      CHECK(harp_buffer_signal_stream(y.get(), stranger.stream(), foreign) == HARP_ERROR_INVALID_ARGUMENT);
      check_error(foreign, HARP_ERROR_INVALID_ARGUMENT, "the host application's stream belongs to another context");
      Floats values = {1};
      const Buffer on_cpu = wrap(context.get(), values, {1});
      CHECK(harp_buffer_signal_stream(on_cpu.get(), other, cpu) == HARP_ERROR_DEVICE);
      check_error(cpu, HARP_ERROR_DEVICE, "a stream was given, but the device cpu has no streams");
      CHECK(harp_buffer_signal_stream(nullptr, other, nullptr) == HARP_ERROR_INVALID_ARGUMENT);

      // Each function fails once. harp_buffer_signal_stream then cannot make the other stream wait for the run. So it must itself wait for
      // the run before it returns the error.
      float last = 1;
      for (const char* function :
           {"cuCtxPushCurrent", "cuStreamGetCtx", "cuStreamIsCapturing", "cuEventCreate", "cuEventRecord", "cuStreamWaitEvent"}) {
        last += 1;
        REQUIRE(harp_buffer_write(x.get(), 12, Floats{0, 0, last}.data(), nullptr) == HARP_OK);
        REQUIRE(run() == HARP_OK);
        driver.fail(function, 1, 999);
        ErrorSlot failed;
        CHECK(harp_buffer_signal_stream(y.get(), other, failed) == HARP_ERROR_DEVICE);
        check_error(failed, HARP_ERROR_DEVICE, std::string(function) + " failed on cuda:0: CUDA_ERROR_UNKNOWN (999)");
        CHECK(host.read(reinterpret_cast<const void*>(harp_buffer_address(y.get())), 3, other) == Floats{-last, -last, 0});
        CHECK(harp_buffer_signal_stream(y.get(), other, nullptr) == HARP_OK);
      }
      CHECK(driver.live().find("events") == std::string::npos);
    }
    CHECK(driver.library().call<int>("cuStreamDestroy_v2", other) == 0);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.enqueue: every function of the driver fails once, and the next run is right") {
  const fake_cuda::Driver driver;
  // The failure of a function that releases something is not reported.
  const std::set<std::string> silent = {"cuCtxPopCurrent", "cuMemFreeAsync", "cuMemFree", "cuEventDestroy", "cuGetErrorName"};
  size_t points = 0;
  for (const bool has_pools : {true, false}) {
    driver.library().call<void>("fake_cuda_reset");
    driver.set_machine(1, 90, 13000, has_pools);
    {
      const Host host(driver, 0);
      const Context context = make_context_with(driver, host.options());
      const Program program = compile_for_gpu(context.get(), kText);
      const Buffer x = filled(context.get(), "cuda", {1, 2, 3});
      const auto run_often = [&] {  // makes three runs; the repeated runs use a CUDA graph that harp makes of the launches
        for (int i = 0; i < 3; ++i) CHECK(run_on(host.stream(), program.get(), x.get(), nullptr) != nullptr);
      };
      run_often();
      const std::string live = driver.live();
      for (const std::string& function : driver.functions())
        for (const int status : {1, 2, 801, 999})
          for (int nth = 1; nth <= 12; ++nth) {
            CAPTURE(has_pools);
            CAPTURE(function);
            CAPTURE(status);
            CAPTURE(nth);
            const int before = driver.calls(function);
            driver.fail(function, nth, status);
            ErrorSlot err;
            const Buffer y = run_on(host.stream(), program.get(), x.get(), err);
            driver.fail(function, 0, 0);
            // The runs called this function fewer than `nth` times, so by now every one of its calls has been made to fail once.
            if (driver.calls(function) < before + nth) break;
            ++points;
            const bool retried = function == "cuCtxPushCurrent" || function == "cuStreamSynchronize" || function.find("cuGraph") == 0 ||
                                 (status == 2 && function.find("cuMemAlloc") == 0);
            if (y == nullptr) {
              CHECK_MESSAGE(err.message().find(function) != std::string::npos, err.message());
            } else {
              CHECK_MESSAGE((silent.count(function) == 1 || retried), "no error");
              CHECK(host.read(y.get()) == Floats{-5, -4, -3});
            }
            const Buffer again = run_on(host.stream(), program.get(), x.get(), nullptr);
            REQUIRE(again != nullptr);
            CHECK(host.read(again.get()) == Floats{-5, -4, -3});
          }
      run_often();
      CHECK(driver.live() == live);
    }
    CHECK(driver.live() == "");
  }
  CHECK(points > 100);
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.enqueue: a GPU that is lost while work is enqueued is an error of the next call") {
  const fake_cuda::Driver driver;
  const Host host(driver, 0);
  const Context context = make_context_with(driver, host.options());
  const Program program = compile_for_gpu(context.get(), kText);
  const Buffer x = filled(context.get(), "cuda", {1, 2, 3});
  ErrorSlot err, next, later;
  const Buffer y = run_on(host.stream(), program.get(), x.get(), err);
  CHECK(y != nullptr);
  driver.fail("cuCtxPushCurrent", 1, 700);  // any function of the driver may report that a kernel faulted
  CHECK(run_on(host.stream(), program.get(), x.get(), next) == nullptr);
  check_error(next, HARP_ERROR_DEVICE, "CUDA_ERROR_ILLEGAL_ADDRESS (700). A kernel faulted");
  CHECK(run_on(host.stream(), program.get(), x.get(), later) == nullptr);
  CHECK(later.message() == next.message());
}

TEST_CASE("H5.enqueue: threads with streams of their own run one program") {
  const fake_cuda::Driver driver;
  {
    const Host first(driver, 0);
    const Context context = make_context_with(driver, first.options());
    const Program program = compile_for_gpu(context.get(), kText);
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    std::vector<void*> streams(4);
    {
      const fake_cuda::CurrentContext current(driver.library(), first.context());
      for (void*& stream : streams) REQUIRE(driver.library().call<int>("cuStreamCreate", &stream, 1u) == 0);
    }
    for (size_t t = 0; t < streams.size(); ++t)
      threads.emplace_back([&, t] {
        const auto value = static_cast<float>(t + 1);
        for (int i = 0; i < 20; ++i) {
          const Buffer x = filled(context.get(), "cuda", Floats(50, value));
          const Buffer y = run_on(streams[t], program.get(), x.get(), nullptr);
          right += y != nullptr && content_of(y.get()) == Floats(50, value - 50 * value);
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(right == 80);
    for (void* stream : streams) CHECK(driver.library().call<int>("cuStreamDestroy_v2", stream) == 0);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}
