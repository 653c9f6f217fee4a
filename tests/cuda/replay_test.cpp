// Tests of CUDA graphs that replay a program, with the fake driver. The second run with the same sizes makes a CUDA graph that has the
// edges of the launch plan. Later runs launch this graph with the caller's arrays. The result must be right whichever function of the
// driver fails.
#include "run/cuda/replay.h"

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <thread>

#include "cuda/fake/planned.h"

using namespace harp;
using namespace harp::cuda;
using namespace harp::cuda_test;

namespace {

/// y = (x * 3 + 1) * 3 + 1. The first launch stores the intermediate result in the arena (the memory for temporary arrays), the second
/// launch reads it there, and a third launch overwrites it. So the plan has an edge from the second launch to the third, although the third
/// does not use the second one's result. `has_edge` is whether that edge is present.
void reuse_arena(Planned& planned, bool has_edge = true) {
  planned.plan.arena = planned.code(planned.n * 4);
  planned.plan.steps = {
      {planned.launch(0, {planned.arena(0), Planned::input(0), Planned::constant(), planned.code(planned.n)}, 1), {}},
      {Join{}, {0}},
      {planned.launch(0, {Planned::output(0), planned.arena(0), Planned::constant(), planned.code(planned.n)}, 1), {1}},
      {planned.launch(0, {planned.arena(0), Planned::input(0), Planned::constant(), planned.code(planned.n)}, 2), {has_edge ? 2 : 1}}};
}

float expected(float x) { return (x * 3 + 1) * 3 + 1; }

/// Runs the program `runs` times on new arrays of n elements. Returns whether all results are right.
bool run_right(Bench& bench, size_t n, int runs = 1) {
  bool right = true;
  for (int i = 0; i < runs; ++i) {
    Floats x(n), y(n);
    for (size_t k = 0; k < n; ++k) x[k] = static_cast<float>(k + static_cast<size_t>(i)), y[k] = expected(x[k]);
    bench.run(x, std::vector<int64_t>(n));
    right = right && bench.y == y;
  }
  return right;
}

}  // namespace

TEST_CASE("H5.replay: the second run of the same sizes makes a graph, and later ones launch it") {
  const fake_cuda::Driver driver;
  for (const int order : {0, 4, 8, 16, 28}) {
    CAPTURE(order);
    driver.library().call<void>("fake_cuda_reset");
    driver.set_order(order);
    {
      Gpus gpus(driver);
      Planned planned;
      reuse_arena(planned);
      Bench bench(gpus, planned.plan);
      CHECK(run_right(bench, 3));
      CHECK(driver.calls("cuGraphCreate") == 0);
      CHECK(driver.calls("cuLaunchKernel") == 3);
      CHECK(run_right(bench, 3));
      CHECK(driver.calls("cuGraphInstantiateWithFlags") == 1);
      CHECK(driver.calls("cuGraphAddKernelNode") == 3);
      CHECK(run_right(bench, 3, 5));
      CHECK(driver.calls("cuGraphLaunch") == 6);
      CHECK(driver.calls("cuGraphCreate") == 1);
      CHECK(driver.calls("cuLaunchKernel") == 3);
      bench.run({}, {});
    }
    CHECK(driver.live() == "");
    CHECK(driver.mistakes() == "");
  }
}

TEST_CASE("H5.replay: a graph has the plan's edges, and no others") {
  const fake_cuda::Driver driver;
  const auto is_right = [&](bool has_edge, int order) {
    driver.library().call<void>("fake_cuda_reset");
    driver.set_order(order);
    Gpus gpus(driver);
    Planned planned;
    reuse_arena(planned, has_edge);
    Bench bench(gpus, planned.plan);
    run_right(bench, 3, 2);
    return run_right(bench, 3);
  };
  CHECK(is_right(true, 16));
  CHECK(is_right(false, 0));         // without the edge, the result is still right if the launches run in the order of the plan
  CHECK_FALSE(is_right(false, 16));  // without the edge, a graph may execute the third launch first
}

TEST_CASE("H5.replay: only nodes that name arrays of the caller are set, and only if those are others") {
  const fake_cuda::Driver driver;
  {
    Gpus gpus(driver);
    Planned planned;
    planned.plan.arena = planned.code(planned.n * 8);
    const auto scale = [&](Location out, Location in) {
      return planned.launch(0, {std::move(out), std::move(in), Planned::constant(), planned.code(planned.n)}, 1);
    };
    planned.plan.steps = {{scale(planned.arena(0), Planned::input(0)), {}},
                          {scale(planned.arena(planned.n * 4), planned.arena(0)), {0}},
                          {scale(Planned::output(0), planned.arena(planned.n * 4)), {1}}};
    Bench bench(gpus, planned.plan);
    const int64_t size = 2;
    const auto array = [&] { return DeviceArray::allocate(gpus.first(), Allocator::standard(), DType::kF32, {&size, 1}); };
    const DeviceArray x = array(), other = array(), y = array();
    const Floats content = {1, 2}, more = {3, 4};
    gpus.first().write(x.data(), content.data(), 8);
    gpus.first().write(other.data(), more.data(), 8);
    const auto run = [&](const DeviceArray& in) {
      void* inputs[] = {in.data(), nullptr};
      void* outputs[] = {y.data(), nullptr};
      size_t n = 2;
      bench.program().execute(inputs, outputs, &n, harp_runtime{});
      Floats result(2);
      gpus.first().read(result.data(), y.data(), 8);
      return result;
    };
    const Floats of_x = {40, 67}, of_other = {94, 121};
    for (int i = 0; i < 3; ++i) CHECK(run(x) == of_x);
    CHECK(driver.calls("cuGraphLaunch") == 2);
    CHECK(driver.calls("cuGraphExecKernelNodeSetParams") == 0);
    CHECK(run(other) == of_other);
    CHECK(driver.calls("cuGraphExecKernelNodeSetParams") == 1);
    CHECK(run(x) == of_x);
    CHECK(driver.calls("cuGraphExecKernelNodeSetParams") == 2);
    // A launch that is already on the stream keeps its arrays when the next launch gets others.
    void* inputs[] = {other.data(), nullptr};
    void* outputs[] = {y.data(), nullptr};
    size_t n = 2;
    bench.program().enqueue(inputs, outputs, &n, harp_runtime{}, nullptr);
    const DeviceArray last = array();
    void* last_outputs[] = {last.data(), nullptr};
    inputs[0] = x.data();
    bench.program().enqueue(inputs, last_outputs, &n, harp_runtime{}, nullptr);
    Floats result(2);
    gpus.first().read(result.data(), y.data(), 8);
    CHECK(result == of_other);
    gpus.first().read(result.data(), last.data(), 8);
    CHECK(result == of_x);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.replay: a program keeps the graphs of the four sizes that were used last") {
  const fake_cuda::Driver driver;
  {
    Gpus gpus(driver);
    Planned planned;
    reuse_arena(planned);
    Bench bench(gpus, planned.plan);
    const auto graphs = [&] { return driver.calls("cuGraphCreate"); };
    for (size_t n = 1; n <= 5; ++n) CHECK(run_right(bench, n, 2));
    CHECK(graphs() == 5);
    CHECK_MESSAGE(driver.live().find("4 graphs, 4 executable graphs") != std::string::npos, driver.live());
    for (size_t n = 2; n <= 5; ++n) CHECK(run_right(bench, n));
    CHECK(graphs() == 5);
    CHECK(run_right(bench, 1));  // new again
    CHECK(graphs() == 5);
    CHECK(run_right(bench, 1));
    CHECK(graphs() == 6);
    CHECK(run_right(bench, 2, 1));  // the graph for 2 elements had been removed, because it was the least recently used
    CHECK(graphs() == 6);
    // Each of these sizes occurs only once. So no graphs are made for them, and no graph is removed.
    for (size_t n = 10; n < 30; ++n) CHECK(run_right(bench, n));
    CHECK(graphs() == 6);
    CHECK(run_right(bench, 1));
    CHECK(driver.calls("cuGraphDestroy") == 2);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.replay: a run that overlaps with one that uses the graph launches its kernels one by one") {
  const fake_cuda::Driver driver;
  {
    Gpus gpus(driver);
    Planned planned;
    reuse_arena(planned);
    const auto bytes = image();
    const Module module(gpus.first(), bytes, kKernels);
    const CudaDevice::Working working(gpus.first());
    OnDevice on_device(gpus.first(), planned.plan, module);
    Replays replays(planned.plan);
    const DeviceMemory x(gpus.first(), 12), y(gpus.first(), 12);
    void* inputs[] = {pointer_to(x.address()), nullptr};
    void* outputs[] = {pointer_to(y.address()), nullptr};
    const size_t n = 3, other = 2;
    PlanSizes sizes(planned.plan, on_device, &n), others(planned.plan, on_device, &other);
    CHECK_FALSE(replays.lease(sizes, inputs, outputs));
    Replays::Lease first = replays.lease(sizes, inputs, outputs);
    REQUIRE(first);
    CHECK_FALSE(replays.lease(sizes, inputs, outputs));
    CHECK_FALSE(replays.lease(others, inputs, outputs));
    CHECK(replays.lease(others, inputs, outputs));  // a graph for these sizes exists and is not in use
    first->launch(inputs, outputs);
    first.give_back();
    CHECK(replays.lease(sizes, inputs, outputs));
    // A graph that is forgotten while in use is destroyed when that use ends.
    Replays::Lease second = replays.lease(sizes, inputs, outputs);
    replays.forget(second);
    CHECK_FALSE(replays.lease(sizes, inputs, outputs));
    second->launch(inputs, outputs);
    gpus.first().synchronize();
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.replay: threads run one program of the same sizes") {
  const fake_cuda::Driver driver;
  {
    Gpus gpus(driver);
    Planned planned;
    reuse_arena(planned);
    Bench shared(gpus, planned.plan);
    const CudaDevice& device = gpus.first();
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        const int64_t size = 100;
        const DeviceArray in = DeviceArray::allocate(device, Allocator::standard(), DType::kF32, {&size, 1});
        const DeviceArray out = DeviceArray::allocate(device, Allocator::standard(), DType::kF32, {&size, 1});
        void* inputs[] = {in.data(), nullptr};
        void* outputs[] = {out.data(), nullptr};
        for (int i = 0; i < 50; ++i) {
          const auto value = static_cast<float>(10 * t + i);
          Floats content(100, value);
          device.write(in.data(), content.data(), in.bytes());
          size_t n = 100;
          if (i % 2 == 0)
            shared.program().execute(inputs, outputs, &n, harp_runtime{});
          else
            shared.program().enqueue(inputs, outputs, &n, harp_runtime{}, nullptr);
          device.read(content.data(), out.data(), out.bytes());
          right += content == Floats(100, expected(value));
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(right == 200);
    CHECK(driver.calls("cuGraphLaunch") > 0);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.replay: checked indices, and launches that the sizes skip") {
  const fake_cuda::Driver driver;
  Gpus gpus(driver);
  Planned planned;
  planned.plan.arena = planned.code(64);
  planned.plan.records = planned.code(0);
  planned.plan.sites = 1;
  Launch skipped = planned.launch(3, {}, 1);  // would fault
  skipped.guard = planned.code(planned.n - 100);
  Launch empty = planned.launch(3, {}, planned.n - 3);
  planned.plan.steps = {{planned.launch(1,
                                        {Planned::output(0), Planned::input(0), Planned::input(1), planned.arena(0),
                                         planned.code(planned.n), planned.code(planned.n)},
                                        1),
                         {}},
                        {skipped, {0}},
                        {empty, {1}},
                        {planned.launch(2, {Planned::output(1)}, planned.processors * planned.each, 100 << 10), {2}}};
  Bench bench(gpus, planned.plan);
  for (int round = 0; round < 4; ++round) {
    bench.run({5, 6, 7}, {2, 0, 1});
    CHECK(bench.y == Floats{7, 5, 6});
    CHECK(std::vector<int64_t>(bench.s, bench.s + 3) == std::vector<int64_t>{100 << 10, 4 * 2, 1});
    CHECK_THROWS_AS(bench.run({5, 6, 7}, {0, -7, 3}), IndexError);
  }
  CHECK(driver.calls("cuGraphLaunch") == 7);
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.replay: plans that a graph does not help") {
  const fake_cuda::Driver driver;
  Gpus gpus(driver);
  Planned one;
  one.plan.steps = {{one.launch(0, {Planned::output(0), Planned::input(0), Planned::constant(), one.code(one.n)}, 1), {}}, {Join{}, {0}}};
  Bench single(gpus, one.plan);
  for (int i = 0; i < 3; ++i) single.run({1}, {0});
  CHECK(single.y == Floats{4});
  Planned large;
  reuse_arena(large);
  large.plan.arena = large.code(large.n * (65 << 20));
  Bench many_bytes(gpus, large.plan);
  CHECK(run_right(many_bytes, 1, 3));
  CHECK(driver.calls("cuGraphCreate") == 0);
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.replay: graphs hold no more memory than they may") {
  const fake_cuda::Driver driver;
  {
    DeviceOptions options;
    options.max_kept_bytes = 30;
    Gpus gpus(driver, options);
    Planned planned;
    reuse_arena(planned);  // the arena (memory for temporary arrays) that the program's CUDA graph allocates has 4 bytes for each element
    {
      Bench first(gpus, planned.plan), second(gpus, planned.plan);
      CHECK(run_right(first, 3, 3));
      CHECK(run_right(second, 4, 3));
      CHECK(driver.calls("cuGraphCreate") == 2);
      CHECK(run_right(second, 1, 3));  // with a third graph the arenas would have 32 bytes, more than max_kept_bytes, so no graph is made
      CHECK(driver.calls("cuGraphCreate") == 2);
    }
    Bench third(gpus, planned.plan);  // the first two programs and their graphs have been destroyed
    CHECK(run_right(third, 7, 3));
    CHECK(driver.calls("cuGraphCreate") == 3);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.replay: every function of the driver fails once, and nothing is lost") {
  const fake_cuda::Driver driver;
  // Functions whose failure a run survives: they release something, or allocate the arena (the memory for temporary arrays) of a graph,
  // without which the kernels are launched one by one.
  const std::set<std::string> silent = {"cuCtxPopCurrent",     "cuMemFreeAsync",         "cuStreamDestroy", "cuMemPoolDestroy",
                                        "cuLibraryUnload",     "cuCtxPushCurrent",       "cuGetErrorName",  "cuDevicePrimaryCtxRelease",
                                        "cuStreamSynchronize", "cuMemAllocFromPoolAsync"};
  size_t points = 0, replaced = 0;
  for (const std::string& function : driver.functions())
    for (const int status : {1, 2, 719, 801})
      for (int nth = 1; nth <= 12; ++nth) {
        CAPTURE(function);
        CAPTURE(status);
        CAPTURE(nth);
        driver.library().call<void>("fake_cuda_reset");
        driver.fail(function, nth, status);
        std::string message;
        int right = 0;
        try {
          Gpus gpus(driver);
          Planned planned;
          reuse_arena(planned);
          Bench bench(gpus, planned.plan);
          for (int i = 0; i < 4; ++i) right += run_right(bench, 3) ? 1 : 0;
        } catch (const Error& error) {
          message = error.message;
        }
        if (driver.calls(function) < nth) break;
        ++points;
        CHECK(driver.mistakes() == "");
        if (status == 719) continue;  // the device is lost, so nothing can be released
        CHECK_MESSAGE(driver.live() == "", driver.live());
        if (message.empty()) {
          CHECK(right == 4);
          const bool is_graph = function.find("cuGraph") == 0;
          replaced += is_graph ? 1 : 0;
          CHECK_MESSAGE((is_graph || silent.count(function) == 1), "no error");
        } else if (function != "cuGetProcAddress") {
          CHECK_MESSAGE(message.find(function) != std::string::npos, message);
        }
      }
  CHECK(points > 300);
  CHECK(replaced > 20);
}

TEST_CASE("H5.replay: a GPU that is lost when a graph is made or launched") {
  const fake_cuda::Driver driver;
  for (const char* function : {"cuGraphCreate", "cuGraphInstantiateWithFlags", "cuGraphLaunch"}) {
    CAPTURE(function);
    driver.library().call<void>("fake_cuda_reset");
    Gpus gpus(driver);
    Planned planned;
    reuse_arena(planned);
    Bench bench(gpus, planned.plan);
    CHECK(run_right(bench, 3));
    driver.fail(function, 1, 719);
    const std::string message = message_of([&] { run_right(bench, 3); }, Code::kDevice);
    const std::string begin = std::string(function) + " failed on cuda:0: CUDA_ERROR_LAUNCH_FAILED (719). A kernel faulted";
    CHECK_MESSAGE(message.find(begin) == 0, message);
    CHECK(message_of([&] { run_right(bench, 3); }, Code::kDevice) == message);
  }
}
