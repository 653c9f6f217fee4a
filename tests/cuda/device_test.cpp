// Tests arrays on a GPU, with the fake driver. An array that is copied to the GPU and back must be unchanged. If a function of the driver
// fails, harp must return an error that names the function. No memory may leak.
#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cuda/fake/context.h"
#include "run/cuda/device.h"
#include "support/in_child.h"

using namespace capi_test;

namespace {

using Floats = std::vector<float>;

Buffer make_buffer(harp_context* context, const char* device, int64_t size, harp_error** err = nullptr) {
  return Buffer(harp_buffer_new(context, device, HARP_F32, 1, &size, err));
}

/// Returns a buffer with this content.
Buffer filled(harp_context* context, const char* device, const Floats& content) {
  ErrorSlot err;
  Buffer buffer = make_buffer(context, device, static_cast<int64_t>(content.size()), err);
  REQUIRE_MESSAGE(buffer != nullptr, err.message());
  REQUIRE(harp_buffer_write(buffer.get(), content.size() * sizeof(float), content.data(), err) == HARP_OK);
  return buffer;
}

Floats content_of(const harp_buffer* buffer) {
  Floats content(harp_buffer_size(buffer) / sizeof(float));
  ErrorSlot err;
  CHECK_MESSAGE(harp_buffer_read(buffer, harp_buffer_size(buffer), content.data(), err) == HARP_OK, err.message());
  return content;
}

std::string message_without_device(const fake_cuda::Driver& driver) {
  const Context context = fake_cuda::make_context(driver);
  ErrorSlot err;
  CHECK(make_buffer(context.get(), "cuda:0", 4, err) == nullptr);
  CHECK(err.code() == HARP_ERROR_DEVICE);
  CHECK(harp_backend_available(context.get(), "cuda") == 0);
  return err.message();
}

}  // namespace

TEST_CASE("H5.device: arrays on a GPU are written, read and copied") {
  const fake_cuda::Driver driver;
  for (const bool has_pools : {true, false})
    for (const int order : {0, 4, 8, 12}) {
      CAPTURE(has_pools);
      CAPTURE(order);
      driver.set_machine(2, 90, 13000, has_pools);
      driver.set_order(order);
      {
        const Context context = fake_cuda::make_context(driver);
        const Buffer x = filled(context.get(), "cuda:0", {1, 2, 3, 4}), y = filled(context.get(), "cuda", {5, 6, 7, 8});
        CHECK(std::string(harp_buffer_device(x.get())) == "cuda:0");
        CHECK(std::string(harp_buffer_device(y.get())) == "cuda:0");
        CHECK(harp_buffer_data(x.get()) == nullptr);
        CHECK(harp_buffer_const_data(x.get()) == nullptr);
        CHECK(driver.is_device_address(x->array.data()));
        CHECK(harp_buffer_copy(y.get(), x.get(), nullptr) == HARP_OK);
        CHECK(content_of(y.get()) == Floats{1, 2, 3, 4});
        const Buffer other = filled(context.get(), "cuda:1", {9, 9, 9, 9});
        CHECK(harp_buffer_copy(other.get(), y.get(), nullptr) == HARP_OK);
        CHECK(content_of(other.get()) == Floats{1, 2, 3, 4});
        const Buffer empty = filled(context.get(), "cuda:1", {});
        CHECK(harp_buffer_size(empty.get()) == 0);
        const std::string description = take(harp_context_describe(context.get(), nullptr));
        CHECK_MESSAGE(description.find("cuda driver: 13.0\ncuda:0: Fake GPU 0, sm_90, 4 processors\ncuda:1: ") != std::string::npos,
                      description);
      }
      CHECK(driver.live() == "");
      CHECK(driver.mistakes() == "");
    }
}

TEST_CASE("H5.device: ranges that overlap are copied within a GPU") {
  const fake_cuda::Driver driver;
  const Context context = fake_cuda::make_context(driver);
  const Buffer x = filled(context.get(), "cuda", {1, 2, 3, 4, 5, 6});
  auto* begin = static_cast<float*>(x->array.data());
  x->array.device().copy(begin + 1, begin, 4 * sizeof(float));
  CHECK(content_of(x.get()) == Floats{1, 1, 2, 3, 4, 6});
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.device: DLPack arrays on a GPU go out and come in") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  {
    const Context context = fake_cuda::make_context(driver), other = fake_cuda::make_context(driver);
    Buffer x = filled(context.get(), "cuda:1", {1, 2, 3});
    ErrorSlot err;
    harp_dl_managed* managed = harp_buffer_to_dlpack(x.get(), err);
    REQUIRE_MESSAGE(managed != nullptr, err.message());
    CHECK(managed->tensor.device_type == 2);
    CHECK(managed->tensor.device_id == 1);
    CHECK(driver.is_device_address(managed->tensor.data));
    x.reset();
    {
      const Buffer there(harp_buffer_from_dlpack(other.get(), managed, err));
      REQUIRE_MESSAGE(there != nullptr, err.message());
      CHECK(std::string(harp_buffer_device(there.get())) == "cuda:1");
      CHECK(content_of(there.get()) == Floats{1, 2, 3});
    }
    CHECK(driver.live().find("allocations") == std::string::npos);

    // Pinned memory counts as host memory. The name of a GPU that does not exist is an error.
    float pinned[2] = {4, 5};
    int64_t size = 2;
    harp_dl_managed given{};
    given.tensor = {pinned, 3, 0, 1, 2, 32, 1, &size, nullptr, 0};
    const Buffer here(harp_buffer_from_dlpack(context.get(), &given, err));
    REQUIRE_MESSAGE(here != nullptr, err.message());
    CHECK(harp_buffer_data(here.get()) == pinned);
    given.tensor.device_type = 2, given.tensor.device_id = 7;
    ErrorSlot unknown;
    CHECK(harp_buffer_from_dlpack(context.get(), &given, unknown) == nullptr);
    CHECK(unknown.code() == HARP_ERROR_DEVICE);
    CHECK(unknown.message() ==
          "harp_buffer_from_dlpack: the array is on DLPack device type 2 (device id 7), expected one of: cpu, cuda:0, cuda:1");
  }
  CHECK(driver.live() == "");
}

TEST_CASE("H4.available: what is missing for CUDA is said") {
  const fake_cuda::Driver driver;
  driver.set_machine(1, 90, 11080);
  std::string message = message_without_device(driver);
  CHECK_MESSAGE(message.find("supports CUDA 11.8, but harp needs a driver for CUDA 12.0 or newer") != std::string::npos, message);
  driver.set_machine(0);
  message = message_without_device(driver);
  CHECK_MESSAGE(
      message.find("unknown device \"cuda:0\", expected one of: cpu; cuda: cuInit failed: CUDA_ERROR_NO_DEVICE (100)") != std::string::npos,
      message);
  driver.set_machine(1, 75);
  message = message_without_device(driver);
  CHECK_MESSAGE(message.find("no GPU is new enough: cuda:0 (Fake GPU 0) is sm_75, and harp needs sm_80 or newer") != std::string::npos,
                message);

  const Context context = make_context();
  const auto message_with = [&](const std::string& library) {
    context->cuda->set_options({library, {}, {}});
    ErrorSlot err;
    CHECK(make_buffer(context.get(), "cuda", 4, err) == nullptr);
    return err.message();
  };
  message = message_with("/no/libcuda.so.1");
  CHECK_MESSAGE(message.find("; cuda: there is no CUDA driver: /no/libcuda.so.1") != std::string::npos, message);
  message = message_with("libm.so.6");
  CHECK_MESSAGE(message.find("; cuda: libm.so.6 is not a CUDA driver: it has no function cuDriverGetVersion") != std::string::npos,
                message);
  CHECK(driver.live() == "");
}

TEST_CASE("H5.device C1.no_cuda: a context that uses no GPU does not open the driver") {
  const fake_cuda::Driver driver;
  const Context context = fake_cuda::make_context(driver);
  const Graph graph = parse(context.get(), "harp 1\ngraph g(x: f32[n]) { return y = x * 2.0 }");
  const Program program = compile(graph.get(), "interp");
  Floats x = {1, 2};
  const Buffer input = wrap(context.get(), x, {2});
  CHECK(run(program.get(), {input.get()}, nullptr).size() == 1);
  CHECK(make_buffer(context.get(), "cpu", 2) != nullptr);
  for (const std::string& function : driver.functions()) CHECK(driver.calls(function) == 0);
}

TEST_CASE("H5.device: the host's current context is as it was") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  void* own = nullptr;
  REQUIRE(driver.library().call<int>("cuInit", 0u) == 0);
  REQUIRE(driver.library().call<int>("cuDevicePrimaryCtxRetain", &own, 1) == 0);
  REQUIRE(driver.library().call<int>("cuCtxPushCurrent_v2", own) == 0);
  {
    const Context context = fake_cuda::make_context(driver);
    const Buffer x = filled(context.get(), "cuda:0", {1, 2});
    CHECK(content_of(x.get()) == Floats{1, 2});
    driver.fail("cuMemcpyDtoHAsync", 1, 999);
    Floats y(2);
    CHECK(harp_buffer_read(x.get(), 8, y.data(), nullptr) == HARP_ERROR_DEVICE);
    void* now = nullptr;
    CHECK(driver.library().call<int>("cuCtxGetCurrent", &now) == 0);
    CHECK(now == own);
  }
  void* now = nullptr;
  CHECK(driver.library().call<int>("cuCtxGetCurrent", &now) == 0);
  CHECK(now == own);
  CHECK(driver.library().call<int>("cuCtxPopCurrent_v2", &now) == 0);
  CHECK(driver.library().call<int>("cuDevicePrimaryCtxRelease_v2", 1) == 0);
  CHECK(driver.live() == "");
}

TEST_CASE("H5.device: a GPU that is full") {
  const fake_cuda::Driver driver;
  for (const bool has_pools : {true, false}) {
    CAPTURE(has_pools);
    driver.set_machine(1, 90, 13000, has_pools);
    driver.set_memory(1 << 20);
    const Context context = fake_cuda::make_context(driver);
    Buffer large = make_buffer(context.get(), "cuda", 200'000);
    REQUIRE(large != nullptr);
    ErrorSlot err;
    CHECK(make_buffer(context.get(), "cuda", 200'000, err) == nullptr);
    CHECK(err.code() == HARP_ERROR_OUT_OF_MEMORY);
    CHECK_MESSAGE(err.message().find("out of memory on cuda:0: 800000 bytes: cuMemAlloc") == 0, err.message());
    CHECK_MESSAGE(err.message().find("CUDA_ERROR_OUT_OF_MEMORY (2)") != std::string::npos, err.message());
    // harp keeps freed memory for reuse. It releases this memory when an allocation would otherwise fail.
    large.reset();
    CHECK(make_buffer(context.get(), "cuda", 220'000) != nullptr);
    const Buffer small = filled(context.get(), "cuda", {1, 2});
    CHECK(content_of(small.get()) == Floats{1, 2});
  }
}

TEST_CASE("H5.device: a GPU is lost when a kernel faults") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  const Context context = fake_cuda::make_context(driver);
  const Buffer x = filled(context.get(), "cuda:0", {1, 2}), y = filled(context.get(), "cuda:1", {3, 4});
  driver.fail("cuStreamSynchronize", 1, 700);
  const Floats from = {5, 6};
  ErrorSlot first;
  CHECK(harp_buffer_write(x.get(), 8, from.data(), first) == HARP_ERROR_DEVICE);
  CHECK(first.message() ==
        "cuStreamSynchronize failed on cuda:0: CUDA_ERROR_ILLEGAL_ADDRESS (700). A kernel faulted: this process cannot use the device any "
        "more");
  const int frees = driver.calls("cuMemFreeAsync");
  Floats to(2);
  ErrorSlot second, third;
  CHECK(harp_buffer_read(x.get(), 8, to.data(), second) == HARP_ERROR_DEVICE);
  CHECK(second.message() == first.message());
  CHECK(make_buffer(context.get(), "cuda:0", 2, third) == nullptr);
  CHECK(third.message() == first.message());
  CHECK(driver.calls("cuMemFreeAsync") == frees);
  CHECK(content_of(y.get()) == Floats{3, 4});  // the other GPU still works
}

TEST_CASE("H5.device: a GPU is lost after a failure from which CUDA cannot recover") {
  const fake_cuda::Driver driver;
  const std::string kernel = "A kernel faulted: this process cannot use the device any more";
  const std::string hardware = "The GPU's hardware failed: this process cannot use the device any more";
  const std::vector<std::pair<int, std::string>> losses = {
      {702, kernel},
      {710, kernel},
      {714, kernel},
      {719, kernel},
      {721, kernel},
      {214, hardware},
      {220, hardware},
      {226, hardware},
      {709, "The host application destroyed the CUDA context: harp cannot use it any more"},
      {810, "CUDA's multi-process service ended this process's use of the device"}};
  for (const auto& entry : losses) {
    const int status = entry.first;
    const std::string& loss = entry.second;
    CAPTURE(status);
    driver.library().call<void>("fake_cuda_reset");
    const Context context = fake_cuda::make_context(driver);
    Buffer x = filled(context.get(), "cuda:0", {1, 2});
    driver.fail("cuStreamSynchronize", 1, status);
    Floats to(2);
    ErrorSlot first, second;
    CHECK(harp_buffer_read(x.get(), 8, to.data(), first) == HARP_ERROR_DEVICE);
    CHECK_MESSAGE(first.message().find(std::to_string(status)) != std::string::npos, first.message());
    CHECK_MESSAGE(first.message().ends_with(". " + loss), first.message());
    const int calls = driver.calls("cuCtxPushCurrent"), frees = driver.calls("cuMemFreeAsync");
    CHECK(harp_buffer_read(x.get(), 8, to.data(), second) == HARP_ERROR_DEVICE);
    CHECK(second.message() == first.message());
    x.reset();
    CHECK(driver.calls("cuCtxPushCurrent") == calls);
    CHECK(driver.calls("cuMemFreeAsync") == frees);
  }
}

TEST_CASE("H5.device: a child that was forked after CUDA began cannot use a GPU") {
  const fake_cuda::Driver driver;
  const Context context = fake_cuda::make_context(driver);
  Buffer x = filled(context.get(), "cuda", {1, 2});
  CHECK(in_child([&] {
          Floats to(2);
          ErrorSlot err;
          if (harp_buffer_read(x.get(), 8, to.data(), err) != HARP_ERROR_DEVICE) return 1;
          if (err.message().find("this process was forked from one that uses CUDA, so it cannot use cuda:0") != 0) return 2;
          x.reset();
          return 0;
        }) == 0);
  CHECK(content_of(x.get()) == Floats{1, 2});
}

TEST_CASE("H5.device: threads use one GPU") {
  const fake_cuda::Driver driver;
  {
    const Context context = fake_cuda::make_context(driver);
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          const Floats content(100, static_cast<float>(100 * t + i));
          const Buffer x = filled(context.get(), "cuda", content);
          right += content_of(x.get()) == content;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(right == 400);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

namespace {

/// Creates, fills, reads, shares and releases arrays on a GPU, so that every function of the driver for arrays is called. Returns the first
/// error.
std::string use_arrays(const fake_cuda::Driver& driver) {
  const Context context = fake_cuda::make_context(driver);
  ErrorSlot err;
  const Buffer x = make_buffer(context.get(), "cuda:0", 3, err);
  if (x == nullptr) return err.message();
  const Buffer y = make_buffer(context.get(), "cuda:0", 3, err);
  if (y == nullptr) return err.message();
  const Floats from = {1, 2, 3};
  Floats to(3);
  if (harp_buffer_write(x.get(), 12, from.data(), err) != HARP_OK) return err.message();
  if (harp_buffer_copy(y.get(), x.get(), err) != HARP_OK) return err.message();
  if (harp_buffer_read(y.get(), 12, to.data(), err) != HARP_OK) return err.message();
  CHECK(to == from);
  harp_dl_managed* managed = harp_buffer_to_dlpack(x.get(), err);
  if (managed == nullptr) return err.message();
  managed->deleter(managed);
  return "";
}

}  // namespace

TEST_CASE("H5.device: every function of the driver fails once, and nothing is left behind") {
  const fake_cuda::Driver driver;
  constexpr int kStatuses[] = {1, 2, 700, 801, 999};
  // harp ignores the status of these functions: they release something, and their status may report a failure of earlier work.
  const std::set<std::string> silent = {"cuCtxPopCurrent",           "cuMemFreeAsync", "cuMemFree", "cuStreamDestroy", "cuMemPoolDestroy",
                                        "cuDevicePrimaryCtxRelease", "cuGetErrorName"};
  size_t points = 0;
  for (const bool has_pools : {true, false}) {
    for (const std::string& function : driver.functions()) {
      driver.library().call<void>("fake_cuda_reset");
      driver.set_machine(1, 90, 13000, has_pools);
      CHECK(use_arrays(driver) == "");
      const int calls = driver.calls(function);
      for (int nth = 1; nth <= std::min(calls, 4); ++nth)
        for (const int status : kStatuses) {
          CAPTURE(function);
          CAPTURE(nth);
          CAPTURE(status);
          driver.library().call<void>("fake_cuda_reset");
          driver.set_machine(1, 90, 13000, has_pools);
          driver.fail(function, nth, status);
          const std::string message = use_arrays(driver);
          ++points;
          const bool released = driver.live().empty();
          if (status != 700) CHECK_MESSAGE(released, driver.live());
          // harp has released the memory that it kept, and tried the allocation again
          const bool retried = status == 2 && function.find("cuMemAlloc") == 0;
          if (silent.count(function) != 0 || retried) continue;
          const bool names_it = message.find(function) != std::string::npos || (function == "cuGetProcAddress" && !message.empty());
          if (!message.empty() || status != 700) CHECK_MESSAGE(names_it, message);
        }
    }
  }
  CHECK(points > 200);
  CHECK(driver.mistakes() == "");
}
