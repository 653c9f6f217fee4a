// Tests several GPUs, with the fake driver. A program is loaded only on the GPUs on which it runs, it runs on the GPU where its arrays are,
// and a failure of one GPU does not affect the others.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "cuda/fake/host.h"

using namespace capi_test;

namespace {

using fake_cuda::check_error;
using fake_cuda::compile_for_gpu;
using fake_cuda::content_of;
using fake_cuda::filled;
using fake_cuda::Floats;

constexpr const char* kText = "harp 1\ngraph g(x: f32[n]) flags=[broadcast] {\n  s = sum(x, axes=[0])\n  return y = x - s\n}";
const Floats kX = {1, 2, 3}, kY = {-5, -4, -3};

/// Runs the program and returns its new output; NULL on failure.
Buffer run_on(const Program& program, harp_buffer* x, harp_error** err) {
  harp_buffer* outputs[] = {nullptr};
  harp_program_run(program.get(), 1, &x, 1, outputs, nullptr, err);
  return Buffer(outputs[0]);
}

/// Checks a run whose input is on this device: the result is right, and the new output is on the same device.
void check_run(harp_context* context, const Program& program, const char* device) {
  const Buffer x = filled(context, device, kX);
  ErrorSlot err;
  const Buffer y = run_on(program, x.get(), err);
  REQUIRE_MESSAGE(y != nullptr, err.message());
  CHECK(std::string(harp_buffer_device(y.get())) == device);
  CHECK(content_of(y.get()) == kY);
}

}  // namespace

TEST_CASE("H5.devices: a GPU is opened, and a program loaded there, when it is first used") {
  const fake_cuda::Driver driver;
  driver.set_machine(3);
  {
    const Context context = fake_cuda::make_context(driver);
    const auto opened = [&] { return driver.calls("cuDevicePrimaryCtxRetain"); };
    const Buffer x = filled(context.get(), "cuda:2", kX);
    CHECK(opened() == 1);
    const Program program = compile_for_gpu(context.get(), kText);
    CHECK(opened() == 1);  // the compiled code is checked on the GPU that is already open; no other one is opened for it
    ErrorSlot err;
    const Buffer y = run_on(program, x.get(), err);
    REQUIRE_MESSAGE(y != nullptr, err.message());
    CHECK(content_of(y.get()) == kY);
    CHECK(opened() == 1);
    const int looked_up = driver.calls("cuKernelGetFunction");
    check_run(context.get(), program, "cuda:0");
    CHECK(opened() == 2);
    CHECK(driver.calls("cuKernelGetFunction") > looked_up);
    const int now = driver.calls("cuKernelGetFunction");
    for (const char* device : {"cuda:0", "cuda:2"}) check_run(context.get(), program, device);
    CHECK(driver.calls("cuKernelGetFunction") == now);
    CHECK(driver.calls("cuLibraryLoadData") == 1);
    CHECK(opened() == 2);
    // An entry point that is called with arrays in host memory runs on a GPU that harp already uses, and opens no other GPU.
    const harp_entry_point_ex entry = harp_program_entry_ex(program.get(), nullptr);
    REQUIRE((entry != nullptr));
    Floats from = kX, to(3);
    void* inputs[] = {from.data()};
    void* outputs[] = {to.data()};
    size_t n = 3;
    CHECK(entry(inputs, outputs, &n, nullptr) == HARP_OK);
    CHECK(to == kY);
    CHECK(opened() == 2);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.devices: errors name both GPUs") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  {
    const Context context = fake_cuda::make_context(driver);
    const Program program = compile_for_gpu(context.get(), "harp 1\ngraph g(x: f32[n], b: f32[n]) { return y = x + b }");
    const Buffer x = filled(context.get(), "cuda:0", kX), b = filled(context.get(), "cuda:1", kX);
    harp_buffer* inputs[] = {x.get(), b.get()};
    harp_buffer* outputs[] = {nullptr};
    ErrorSlot input, output;
    CHECK(harp_program_run(program.get(), 2, inputs, 1, outputs, nullptr, input) == HARP_ERROR_DEVICE);
    check_error(input, HARP_ERROR_DEVICE,
                "input \"b\" is on the device cuda:1, and the arrays before it on cuda:0; all arrays of a run must be on one device");
    inputs[1] = x.get(), outputs[0] = b.get();
    CHECK(harp_program_run(program.get(), 2, inputs, 1, outputs, nullptr, output) == HARP_ERROR_DEVICE);
    check_error(output, HARP_ERROR_DEVICE,
                "output \"y\" is on the device cuda:1, and the arrays before it on cuda:0; all arrays of a run must be on one device");
    CHECK(content_of(b.get()) == kX);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.devices: a program is compiled and runs after another GPU was lost") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  const Context context = fake_cuda::make_context(driver);
  const Buffer x = filled(context.get(), "cuda:0", kX);
  driver.fail("cuStreamSynchronize", 1, 700);
  CHECK(harp_buffer_write(x.get(), 12, kX.data(), nullptr) == HARP_ERROR_DEVICE);
  const Program program = compile_for_gpu(context.get(), kText);
  for (int i = 0; i < 3; ++i) check_run(context.get(), program, "cuda:1");
  ErrorSlot lost;
  CHECK(run_on(program, x.get(), lost) == nullptr);
  check_error(lost, HARP_ERROR_DEVICE, "on cuda:0: CUDA_ERROR_ILLEGAL_ADDRESS (700)");
  check_run(context.get(), program, "cuda:1");
}

TEST_CASE("H5.devices: GPUs of several kinds run one program") {
  const fake_cuda::Driver driver;
  driver.set_machine(3, 90);
  driver.set_capability(1, 86);
  driver.set_capability(2, 80);
  {
    const Context context = fake_cuda::make_context(driver);
    const Program program = compile_for_gpu(context.get(), kText);
    for (const char* device : {"cuda:0", "cuda:1", "cuda:2"}) check_run(context.get(), program, device);
    // Code for sm_90 runs on cuda:0, which is an sm_90; on the older cuda:1 the run fails.
    const Graph graph = parse(context.get(), kText);
    harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
    options.backend = "cuda";
    options.target = "sm_90";
    ErrorSlot err, older;
    const Program newer(harp_compile(graph.get(), &options, err));
    REQUIRE_MESSAGE(newer != nullptr, err.message());
    check_run(context.get(), newer, "cuda:0");
    const Buffer x = filled(context.get(), "cuda:1", kX);
    CHECK(run_on(newer, x.get(), older) == nullptr);
    check_error(older, HARP_ERROR_DEVICE, "failed on cuda:1: CUDA_ERROR_NO_BINARY_FOR_GPU (209)");
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.devices: code for the GPUs at hand is made for the most multiprocessors, code for a named row for the row's own number") {
  const fake_cuda::Driver driver;
  driver.set_machine(3, 90);
  driver.set_capability(1, 86);
  driver.set_processors(0, 6);
  driver.set_processors(2, 5);
  const Context context = fake_cuda::make_context(driver);
  const Graph graph = parse(context.get(), "harp 1\ngraph g(a: f32[m, k], b: f32[k, n]) {\n  return c = matmul(a, b)\n}");
  const auto schedule = [&](const char* target) {
    harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
    options.backend = "cuda";
    options.target = target;
    ErrorSlot err;
    harp_string* const text = harp_graph_emit(graph.get(), &options, "schedule", err);
    REQUIRE_MESSAGE(text != nullptr, err.message());
    return take(text);
  };
  const std::string here = schedule(nullptr), named = schedule("sm_86");
  CHECK_MESSAGE(here.find(" - 6 >= 0") != here.npos, here);
  CHECK_MESSAGE(named.find(" - 132 >= 0") != named.npos, named);
}

TEST_CASE("H5.devices: threads run one program on two GPUs") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  {
    const Context context = fake_cuda::make_context(driver);
    const Program program = compile_for_gpu(context.get(), kText);
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        const char* const device = t % 2 == 0 ? "cuda:0" : "cuda:1";
        for (int i = 0; i < 20; ++i) {
          const auto value = static_cast<float>(t + i);
          const Buffer x = filled(context.get(), device, {value, value, value, value});
          const Buffer y = run_on(program, x.get(), nullptr);
          right += y != nullptr && content_of(y.get()) == Floats(4, -3 * value);
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(right == 80);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}
