// Tests launch plans on the fake driver: kernels run in order with the plan's sizes and addresses, errors are reported, and if any function
// of the driver fails once, nothing leaks.
#include "run/cuda/executable.h"

#include <doctest/doctest.h>

#include <set>

#include "cuda/fake/planned.h"

using namespace harp;
using namespace harp::cuda;
using namespace harp::cuda_test;

TEST_CASE("C1: a launch plan runs in order, with the arena, constants and sizes, and in every order of streams") {
  const fake_cuda::Driver driver;
  for (const int order : {0, 4, 8, 12}) {
    driver.set_order(order);
    {
      Gpus gpus(driver);
      Planned planned;
      planned.scale_twice();
      Bench bench(gpus, planned.plan);
      for (int round = 0; round < 3; ++round) {
        bench.run({1, 2, 3}, {0, 0, 0});
        CHECK(bench.y == Floats{(1 * 3 + 2) * 3 + 1, (2 * 3 + 2) * 3 + 1, (3 * 3 + 2) * 3 + 1});
      }
      bench.run({}, {});
    }
    CHECK(driver.live() == "");
    CHECK(driver.mistakes() == "");
  }
}

TEST_CASE("C1: grids, guards and shared memory of launches") {
  const fake_cuda::Driver driver;
  Gpus gpus(driver);
  Planned planned;
  const auto shape_of = [&](Sym blocks, Sym shared, size_t n) {
    planned.plan.steps = {{planned.launch(2, {Planned::output(1)}, blocks, shared), {}}};
    Bench bench(gpus, planned.plan);
    bench.run(Floats(n, 1), std::vector<int64_t>(n));
    return std::vector<int64_t>(bench.s, bench.s + 7);
  };
  CHECK(shape_of(planned.n, 0, 5) == std::vector<int64_t>{0, 5, 1, 1, 64, 2, 1});
  CHECK(shape_of(planned.n, 0, 0) == std::vector<int64_t>(7));  // an empty grid, so the kernel is not launched
  CHECK(shape_of(planned.processors * planned.each, 0, 5) == std::vector<int64_t>{0, 4 * 16, 1, 1, 64, 2, 1});
  CHECK(shape_of(planned.processors * planned.each, 100 << 10, 5) == std::vector<int64_t>{100 << 10, 4 * 2, 1, 1, 64, 2, 1});

  Launch skipped = planned.launch(2, {Planned::output(1)}, 1);
  skipped.guard = planned.code(planned.n - 10);
  planned.plan.steps = {{skipped, {}}};
  Bench bench(gpus, planned.plan);
  bench.run(Floats(9, 1), std::vector<int64_t>(9));
  CHECK(bench.s[1] == 0);
  bench.run(Floats(10, 1), std::vector<int64_t>(10));
  CHECK(bench.s[1] == 1);

  CHECK(message_of([&] { shape_of(1, 300 << 10, 5); }, Code::kUnsupported) ==
        "the kernel shape needs 307200 bytes of shared memory, but a block on cuda:0 has 232448");
  Launch wide = planned.launch(2, {Planned::output(1)}, 1);
  wide.grid[1] = planned.code(70000);
  planned.plan.steps = {{wide, {}}};
  Bench too_wide(gpus, planned.plan);
  CHECK(message_of([&] { too_wide.run({1}, {0}); }, Code::kUnsupported) ==
        "the kernel shape needs a grid of [1, 70000, 1] blocks, but cuda:0 has at most [2147483647, 65535, 65535]");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("C1: an index out of range is reported by its lowest element") {
  const fake_cuda::Driver driver;
  Gpus gpus(driver);
  Planned planned;
  planned.plan.arena = planned.code(64);
  planned.plan.records = planned.code(0);
  planned.plan.sites = 1;
  planned.plan.steps = {{planned.launch(1,
                                        {Planned::output(0), Planned::input(0), Planned::input(1), planned.arena(0),
                                         planned.code(planned.n), planned.code(planned.n)},
                                        1),
                         {}}};
  Bench bench(gpus, planned.plan);
  bench.run({5, 6, 7}, {2, 0, 1});
  CHECK(bench.y == Floats{7, 5, 6});
  try {
    bench.run({5, 6, 7}, {0, -70000, 3});
    FAIL("no error");
  } catch (const IndexError& error) {
    CHECK(error.fault == IndexFault{0, 1, -70000, 3});
    CHECK_MESSAGE(error.message.find("take: axis 0 of \"x\"") != std::string::npos, error.message);
  }
  bench.run({5, 6, 7}, {0, 0, 0});  // the next run is not affected by the fault
  CHECK(bench.y == Floats{5, 5, 5});
}

namespace {

int32_t add_one(const float* x, float* y, int32_t n, float by, void* user) {
  ++*static_cast<int*>(user);
  for (int32_t i = 0; i < n; ++i) y[i] = x[i] + by;
  return *static_cast<int*>(user) > 2 ? 7 : 0;
}

}  // namespace

TEST_CASE("C1 G13.native/cuda: functions of the host are called on arrays in the host's memory") {
  const fake_cuda::Driver driver;
  {
    Gpus gpus(driver);
    Planned planned;
    planned.plan.arena = planned.code(planned.n * 4);
    int calls = 0;
    planned.plan.addresses = {reinterpret_cast<void*>(&add_one), &calls};
    HostCall call;
    call.name = "add_one";
    call.function = 0;
    call.returns_status = true;
    call.elements = planned.code(planned.n);
    const auto argument = [&](HostCall::Argument::Kind kind) -> HostCall::Argument& {
      return call.arguments.emplace_back(HostCall::Argument{.kind = kind});
    };
    HostCall::Argument& x = argument(HostCall::Argument::kArray);
    x.array = planned.arena(0), x.bytes = planned.code(planned.n * 4);
    HostCall::Argument& y = argument(HostCall::Argument::kArray);
    y.array = Planned::output(0), y.bytes = planned.code(planned.n * 4), y.written = true;
    HostCall::Argument& n = argument(HostCall::Argument::kSize);
    n.dtype = DType::kI32, n.size = planned.code(planned.n);
    HostCall::Argument& by = argument(HostCall::Argument::kNumber);
    by.dtype = DType::kF32, by.number = scalar_from_double(DType::kF32, 0.5);
    argument(HostCall::Argument::kAddress).address = 1;
    planned.plan.steps = {{planned.launch(0, {planned.arena(0), Planned::input(0), Planned::constant(), planned.code(planned.n)}, 1), {}},
                          {call, {0}}};
    Bench bench(gpus, planned.plan);
    bench.run({1, 2}, {0, 0});
    CHECK(bench.y == Floats{4.5f, 7.5f});
    bench.run({}, {});
    CHECK(calls == 1);  // with an empty result the application's function is not called
    bench.run({1, 2}, {0, 0});
    const std::string message = message_of([&] { bench.run({1, 2}, {0, 0}); }, Code::kNative);
    CHECK_MESSAGE(message.find("add_one") != std::string::npos, message);
  }
  CHECK(driver.live() == "");
}

TEST_CASE("C1: a run on a GPU is cancelled between launches") {
  const fake_cuda::Driver driver;
  Gpus gpus(driver);
  Planned planned;
  planned.scale_twice();
  Bench bench(gpus, planned.plan);
  const int32_t set = 1, unset = 0;
  bench.run({1}, {0}, &unset);
  const int launches = driver.calls("cuLaunchKernel");
  CHECK(message_of([&] { bench.run({1}, {0}, &set); }, Code::kCancelled) != "");
  CHECK(driver.calls("cuLaunchKernel") == launches);
}

TEST_CASE("C1 L2.entry_point/cuda X3.entry_point/cuda: entry points of a program for GPUs take addresses of the host and of the device") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  {
    Gpus gpus(driver);
    Planned planned;
    planned.scale_twice();
    Bench bench(gpus, planned.plan);
    Floats x = {1, 2}, y(2);
    std::vector<int64_t> i(2), s(7);
    void* inputs[] = {x.data(), i.data()};
    void* outputs[] = {y.data(), s.data()};
    size_t n = 2;
    harp_runtime runtime{};
    runtime.struct_size = sizeof runtime;
    CHECK(bench.program().entry_ex()(inputs, outputs, &n, &runtime) == HARP_OK);
    CHECK(y == Floats{16, 25});
    // x is on the second GPU and y in host memory, so the run is on the GPU of x.
    const CudaDevice& second = *gpus.all()[1];
    const int64_t size = 2;
    const DeviceArray there = DeviceArray::allocate(second, Allocator::standard(), DType::kF32, {&size, 1});
    second.write(there.data(), x.data(), 8);
    inputs[0] = there.data();
    y = {0, 0};
    bench.program().entry()(inputs, outputs, &n);
    CHECK(y == Floats{16, 25});
    const int32_t set = 1;
    runtime.cancel = &set;
    CHECK(bench.program().entry_ex()(inputs, outputs, &n, &runtime) == HARP_ERROR_CANCELLED);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("C1: programs run on each of several GPUs") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  {
    Gpus gpus(driver);
    Planned planned;
    planned.scale_twice();
    Bench second(gpus, planned.plan, gpus.all()[1]);
    second.run({1}, {0});
    CHECK(second.y == Floats{16});
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("C1: a kernel that faults loses the GPU") {
  const fake_cuda::Driver driver;
  Gpus gpus(driver);
  Planned planned;
  planned.plan.steps = {{planned.launch(3, {}, 1), {}}};
  Bench bench(gpus, planned.plan);
  const std::string message = message_of([&] { bench.run({1}, {0}); }, Code::kDevice);
  CHECK(message ==
        "cuStreamSynchronize failed on cuda:0: CUDA_ERROR_LAUNCH_FAILED (719). A kernel faulted: this process cannot use the "
        "device any more");
  CHECK(message_of([&] { bench.run({1}, {0}); }, Code::kDevice) == message);
}

TEST_CASE("C1: a kernel that faults in an enqueued run loses the GPU at the next call") {
  const fake_cuda::Driver driver;
  Gpus gpus(driver);
  Planned planned;
  planned.plan.steps = {{planned.launch(3, {}, 1), {}}};
  Bench bench(gpus, planned.plan);
  void* none[2] = {};
  size_t n = 1;
  bench.program().enqueue(none, none, &n, harp_runtime{}, nullptr);
  const std::string message = message_of([&] { bench.run({1}, {0}); }, Code::kDevice);
  CHECK_MESSAGE(message.find("CUDA_ERROR_LAUNCH_FAILED (719). A kernel faulted") != std::string::npos, message);
  CHECK(message_of([&] { bench.program().enqueue(none, none, &n, harp_runtime{}, nullptr); }, Code::kDevice) == message);
}

TEST_CASE("C1: an image that the driver cannot load is told from a failure of the device") {
  const fake_cuda::Driver driver;
  Gpus gpus(driver);
  for (const char* name : {"sm_100_13000.cubin", "sm_90_14000.cubin"}) {
    const auto bytes = image(name);
    CHECK_THROWS_AS(Module(gpus.first(), bytes, kKernels), ImageError);
  }
  const auto bytes = image();
  const std::vector<std::string> missing = {"scale", "no_such_kernel"};
  CHECK(message_of([&] { Module(gpus.first(), bytes, missing); }, Code::kDevice) ==
        "cuLibraryGetKernel failed on cuda:0: CUDA_ERROR_NOT_FOUND (500)");
  driver.fail("cuKernelGetFunction", 2, 209);
  CHECK_THROWS_AS(Module(gpus.first(), bytes, kKernels), ImageError);
  CHECK(driver.live().find("librar") == std::string::npos);
}

namespace {

std::string run_program(const fake_cuda::Driver& driver) {
  try {
    Gpus gpus(driver);
    Planned planned;
    planned.scale_twice();
    planned.plan.sites = 1;
    planned.plan.arena = planned.code(planned.n * 4 + 128);
    planned.plan.records = planned.code(64);
    planned.plan.steps.push_back({planned.launch(2, {Planned::output(1)}, planned.processors * planned.each, 100 << 10), {}});
    Bench bench(gpus, planned.plan);
    bench.run({1, 2}, {0, 0});
    CHECK(bench.y == Floats{16, 25});
    return "";
  } catch (const Error& error) {
    return error.message;
  }
}

}  // namespace

TEST_CASE("C1: every function of the driver fails once during a run, and nothing is left behind") {
  const fake_cuda::Driver driver;
  constexpr int kStatuses[] = {1, 2, 719, 999};
  const std::set<std::string> silent = {"cuCtxPopCurrent",           "cuMemFreeAsync", "cuStreamDestroy", "cuMemPoolDestroy",
                                        "cuDevicePrimaryCtxRelease", "cuGetErrorName", "cuLibraryUnload"};
  const std::set<std::string> used_to_release = {"cuCtxPushCurrent", "cuStreamSynchronize"};  // among others
  size_t points = 0;
  std::set<std::string> covered;
  for (const std::string& function : driver.functions()) {
    driver.library().call<void>("fake_cuda_reset");
    CHECK(run_program(driver) == "");
    const int calls = driver.calls(function);
    for (int nth = 1; nth <= std::min(calls, 12); ++nth)
      for (const int status : kStatuses) {
        CAPTURE(function);
        CAPTURE(nth);
        CAPTURE(status);
        driver.library().call<void>("fake_cuda_reset");
        driver.fail(function, nth, status);
        const std::string message = run_program(driver);
        ++points;
        covered.insert(function);
        if (status != 719) CHECK_MESSAGE(driver.live() == "", driver.live());
        CHECK(driver.mistakes() == "");
        if (silent.count(function) != 0 || status == 719 || (status == 2 && function == "cuMemAllocFromPoolAsync")) continue;
        if (message.empty() && used_to_release.count(function) != 0) continue;
        CHECK_MESSAGE(!message.empty(), "no error");
        if (function != "cuGetProcAddress") CHECK_MESSAGE(message.find(function) != std::string::npos, message);
      }
  }
  CHECK(points > 300);
  for (const char* name : {"cuLaunchKernel", "cuLibraryLoadData", "cuMemsetD8Async", "cuFuncSetAttribute", "cuMemcpyHtoDAsync"})
    CHECK(covered.count(name) == 1);
}
