// Tests harp in a host application that uses CUDA itself, with the fake driver: harp uses the host's context, stream and memory
// (harp_cuda_options), the host's arrays become buffers without a copy, and work on the host's streams is ordered with harp's.
#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

#include "cuda/fake/host.h"

using namespace capi_test;

namespace {

using fake_cuda::check_error;
using fake_cuda::content_of;
using fake_cuda::DeviceAddress;
using fake_cuda::filled;
using fake_cuda::Floats;
using fake_cuda::Host;
using fake_cuda::make_context_with;

constexpr const char* kText = "harp 1\ngraph g(x: f32[n]) { return y = x * 2.0 + 1.0 }";

/// The host's allocator for GPU memory. `out` counts the allocations that are not freed yet.
struct HostMemory {
  const fake_cuda::Driver& driver;
  const Host& host;
  int out = 0, calls = 0, mistakes = 0;
  size_t limit = SIZE_MAX;
  size_t shift = 0;  // added to the address of each allocation, to make it misaligned

  static void* allocate(void* user, size_t size, int32_t device, void* stream) {
    auto& self = *static_cast<HostMemory*>(user);
    ++self.calls;
    self.mistakes += size == 0 || device != 1 || stream != self.host.stream() || self.driver.current_context() != self.host.context();
    if (size > self.limit) return nullptr;
    ++self.out;
    return static_cast<char*>(self.host.allocate(size + self.shift)) + self.shift;
  }
  static void release(void* user, void* memory, int32_t device, void* stream) {
    auto& self = *static_cast<HostMemory*>(user);
    self.mistakes += device != 1 || stream != self.host.stream() || self.driver.current_context() != self.host.context();
    --self.out;
    self.host.free(static_cast<char*>(memory) - self.shift);
  }
  harp_cuda_options options() {
    harp_cuda_options made = host.options();
    made.stream = host.stream();
    made.alloc = &allocate;
    made.free = &release;
    made.alloc_user = this;
    return made;
  }
};

}  // namespace

TEST_CASE("H5.host_cuda: harp's work is in the host's context, on its stream, in its memory") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  {
    const Host host(driver, 1);
    void* const other = driver.new_context(0);
    const fake_cuda::CurrentContext current(driver.library(), other);
    HostMemory memory{driver, host};
    {
      const Context context = make_context_with(driver, memory.options());
      const Program program = fake_cuda::compile_for_gpu(context.get(), kText);
      const Buffer x = filled(context.get(), "cuda:1", {1, 2, 3});
      CHECK(driver.current_context() == other);
      CHECK(memory.out == 1);
      harp_buffer* inputs[] = {x.get()};
      harp_buffer* outputs[] = {nullptr};
      ErrorSlot err;
      CHECK_MESSAGE(harp_program_run(program.get(), 1, inputs, 1, outputs, nullptr, err) == HARP_OK, err.message());
      const Buffer y(outputs[0]);
      CHECK(driver.current_context() == other);
      CHECK(content_of(y.get()) == Floats{3, 5, 7});
      // A copy that the host application enqueues on the same stream is executed in order with harp's work.
      host.enqueue_write(reinterpret_cast<void*>(harp_buffer_address(x.get())), {10, 20, 30}, host.stream());
      CHECK_MESSAGE(harp_program_run(program.get(), 1, inputs, 1, outputs, nullptr, err) == HARP_OK, err.message());
      CHECK(content_of(y.get()) == Floats{21, 41, 61});
      // The context has one GPU, cuda:1, because the host's CUDA context belongs to it.
      const int64_t size = 3;
      ErrorSlot unknown;
      CHECK(harp_buffer_new(context.get(), "cuda:0", HARP_F32, 1, &size, unknown) == nullptr);
      check_error(unknown, HARP_ERROR_DEVICE, "unknown device \"cuda:0\", expected one of: cpu, cuda:1");
    }
    CHECK(memory.out == 0);
    CHECK(memory.mistakes == 0);
    CHECK(memory.calls >= 2);
    CHECK(driver.current_context() == other);
    for (const char* function : {"cuDevicePrimaryCtxRetain", "cuMemPoolCreate", "cuMemAllocFromPoolAsync", "cuEventCreate"})
      CHECK_MESSAGE(driver.calls(function) == 0, function);
    CHECK(driver.calls("cuStreamCreate") == 1);  // only the host's own stream was made
    CHECK(driver.live() == "1 streams, 1 current contexts");
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.host_cuda: harp's own stream and pool in the host's context") {
  const fake_cuda::Driver driver;
  {
    const Host host(driver, 0);
    {
      const Context context = make_context_with(driver, host.options());
      const Buffer x = filled(context.get(), "cuda", {1, 2});
      CHECK(content_of(x.get()) == Floats{1, 2});
      CHECK(driver.calls("cuMemPoolCreate") == 1);
      CHECK(driver.calls("cuStreamCreate") == 2);
    }
    CHECK(driver.calls("cuDevicePrimaryCtxRetain") == 0);
    CHECK(driver.live() == "1 streams");
  }
  CHECK(driver.live() == "");
}

TEST_CASE("H5.host_cuda: options that do not fit each other, the driver or the GPU") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  const Host host(driver, 0), elsewhere(driver, 1);
  const auto refused = [&](const std::function<void(harp_cuda_options&)>& change, const char* message) {
    harp_cuda_options options = host.options();
    change(options);
    harp_context_options all = HARP_CONTEXT_OPTIONS_INIT;
    all.cuda = &options;
    ErrorSlot err;
    CHECK(harp_context_new(&all, err) == nullptr);
    check_error(err, HARP_ERROR_INVALID_ARGUMENT, message);
  };
  const auto alloc = [](void*, size_t, int32_t, void*) -> void* { return nullptr; };
  refused([&](auto& o) { o.context = nullptr, o.stream = host.stream(); }, "stream is given, but not the context that it belongs to");
  refused([](auto& o) { o.stream = reinterpret_cast<void*>(2); }, "CU_STREAM_PER_THREAD");
  refused([&](auto& o) { o.alloc = alloc; }, "alloc and free must be given together");
  refused([](auto& o) { o.struct_size = 8; }, "harp_cuda_options: struct_size is 8");

  const auto fails_at_first_use = [&](const harp_cuda_options& options, harp_status code, const char* message) {
    const Context context = make_context_with(driver, options);
    const int64_t size = 1;
    for (int attempt = 0; attempt < 2; ++attempt) {
      ErrorSlot err;
      CHECK(harp_buffer_new(context.get(), "cuda", HARP_F32, 1, &size, err) == nullptr);
      check_error(err, code, message);
    }
  };
  harp_cuda_options options = host.options();
  options.stream = elsewhere.stream();
  fails_at_first_use(
      options, HARP_ERROR_INVALID_ARGUMENT,
      "the host application's stream belongs to another context than the one that harp uses on cuda:0 (harp_cuda_options.context)");
  int nothing = 0;
  options.stream = &nothing;
  fails_at_first_use(
      options, HARP_ERROR_INVALID_ARGUMENT,
      "the host application's stream cannot be used on cuda:0: cuStreamGetCtx failed on cuda:0: CUDA_ERROR_INVALID_HANDLE (400)");
  driver.set_machine(2, 75);
  fails_at_first_use(host.options(), HARP_ERROR_DEVICE, "no GPU is new enough: cuda:0 (Fake GPU 0) is sm_75");
  driver.set_machine(2);
  // 1 is the handle of the legacy default stream.
  options.stream = reinterpret_cast<void*>(1);
  const Context context = make_context_with(driver, options);
  CHECK(content_of(filled(context.get(), "cuda", {4}).get()) == Floats{4});
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.host_cuda: the host's memory is full, or not aligned") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  {
    const Host host(driver, 1);
    HostMemory memory{driver, host};
    const harp_cuda_options options = memory.options();
    const Context context = make_context_with(driver, options);
    const Buffer x = filled(context.get(), "cuda:1", {1});
    memory.limit = 100;
    const int64_t size = 1000;
    ErrorSlot err;
    const int calls = memory.calls;
    CHECK(harp_buffer_new(context.get(), "cuda:1", HARP_F32, 1, &size, err) == nullptr);
    check_error(err, HARP_ERROR_OUT_OF_MEMORY, "out of memory on cuda:1: 4000 bytes: harp_cuda_options.alloc returned NULL");
    CHECK(memory.calls == calls + 2);  // harp tries again after it has waited for the stream
    CHECK(content_of(x.get()) == Floats{1});
    memory.limit = SIZE_MAX, memory.shift = 64;
    ErrorSlot shifted;
    CHECK(harp_buffer_new(context.get(), "cuda:1", HARP_F32, 1, &size, shifted) == nullptr);
    check_error(shifted, HARP_ERROR_INVALID_ARGUMENT, "harp_cuda_options.alloc returned memory that is not aligned to 256 bytes");
    CHECK(memory.out == 1);
    memory.shift = 0;
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.wrap_device: the host's GPU memory is a buffer without a copy") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  {
    const Host host(driver, 0), second(driver, 1);
    const Context context = make_context_with(driver, host.options());
    const Program program = fake_cuda::compile_for_gpu(context.get(), kText);
    void *const memory = host.allocate(12), *const there = second.allocate(12);
    int deleted = 0;
    const auto deleter = [](void* user, void*) { ++*static_cast<int*>(user); };
    const auto wrapped = [&](const char* device, void* data, int64_t size, harp_error** err) {
      return Buffer(harp_buffer_wrap_device(context.get(), device, HARP_F32, 1, &size, data, deleter, &deleted, err));
    };
    ErrorSlot err;
    {
      const Buffer x = wrapped("cuda:0", memory, 3, err);
      REQUIRE_MESSAGE(x != nullptr, err.message());
      CHECK(std::string(harp_buffer_device(x.get())) == "cuda:0");
      CHECK(harp_buffer_data(x.get()) == nullptr);
      CHECK(harp_buffer_const_data(x.get()) == nullptr);
      CHECK(harp_buffer_address(x.get()) == reinterpret_cast<uint64_t>(memory));
      const Floats values = {1, 2, 3};
      CHECK(harp_buffer_write(x.get(), 12, values.data(), err) == HARP_OK);
      harp_buffer* inputs[] = {x.get()};
      harp_buffer* outputs[] = {x.get()};  // in place
      CHECK_MESSAGE(harp_program_run(program.get(), 1, inputs, 1, outputs, nullptr, err) == HARP_OK, err.message());
      CHECK(content_of(x.get()) == Floats{3, 5, 7});
      CHECK(deleted == 0);
    }
    CHECK(deleted == 1);

    const auto refused = [&](const char* device, void* data, int64_t size, harp_status code, const char* message) {
      ErrorSlot why;
      CHECK(wrapped(device, data, size, why) == nullptr);
      check_error(why, code, message);
    };
    Floats on_host(3);
    refused("cuda:0", on_host.data(), 3, HARP_ERROR_DEVICE, "the array is not on cuda:0, but in CPU memory");
    refused("cuda:0", there, 3, HARP_ERROR_DEVICE, "the array is not on cuda:0, but on cuda:1");
    refused("cuda:7", memory, 3, HARP_ERROR_DEVICE, "unknown device \"cuda:7\", expected one of: cpu, cuda:0");
    refused("cuda:0", nullptr, 3, HARP_ERROR_INVALID_ARGUMENT, "NULL");
    refused("cuda:0", static_cast<char*>(memory) + 2, 2, HARP_ERROR_INVALID_ARGUMENT, "aligned to 4 bytes");
    CHECK(deleted == 1);
    CHECK(wrapped("cuda:0", nullptr, 0, err) != nullptr);
    {
      const Buffer here = wrapped(nullptr, on_host.data(), 3, err);
      CHECK(harp_buffer_data(here.get()) == on_host.data());
      CHECK(harp_buffer_address(here.get()) == reinterpret_cast<uint64_t>(on_host.data()));
    }
    CHECK(deleted == 3);
    CHECK(harp_buffer_address(nullptr) == 0);
    host.free(memory), second.free(there);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

namespace {

/// Makes a context of harp for the host's CUDA context, with an array in the host's memory, and asks for too much memory. Returns the first
/// error. `used` becomes the number of calls of the driver's function `function` before all of this is released.
std::string use_host_arrays(const fake_cuda::Driver& driver, const Host& host, void* memory, const std::string& function, int& used) {
  const Context context = make_context_with(driver, host.options());
  ErrorSlot err;
  int64_t size = 3;
  const Buffer x(harp_buffer_wrap_device(context.get(), "cuda:0", HARP_F32, 1, &size, memory, nullptr, nullptr, err));
  if (x == nullptr) return err.message();
  const Floats from = {1, 2, 3};
  Floats to(3);
  if (harp_buffer_write(x.get(), 12, from.data(), err) != HARP_OK) return err.message();
  if (harp_buffer_wait_stream(x.get(), host.stream(), err) != HARP_OK) return err.message();
  if (harp_buffer_read(x.get(), 12, to.data(), err) != HARP_OK) return err.message();
  CHECK(to == from);
  // An array that is larger than the GPU's memory: harp gives back what its pool keeps, and tries again.
  ErrorSlot full;
  const int64_t elements = 400'000;
  CHECK(harp_buffer_new(context.get(), "cuda:0", HARP_F32, 1, &elements, full) == nullptr);
  if (full.message().find("out of memory on cuda:0: 1600000 bytes: cuMemAllocFromPoolAsync failed") != 0) return full.message();
  used = driver.calls(function);
  return "";
}

}  // namespace

TEST_CASE("H5.host_cuda H5.wrap_device: every function of the driver fails once where harp takes the host's context and arrays") {
  const fake_cuda::Driver driver;
  // harp ignores the status of these functions, which release something. An address that the driver does not know is one of the host.
  const std::set<std::string> silent = {"cuCtxPopCurrent", "cuMemFreeAsync", "cuMemPoolDestroy",
                                        "cuStreamDestroy", "cuEventDestroy", "cuGetErrorName"};
  size_t points = 0;
  int used = 0;
  driver.set_memory(1 << 20);
  {
    const Host host(driver, 0);
    void* const memory = host.allocate(12);
    CHECK(use_host_arrays(driver, host, memory, "", used) == "");
    const std::string live = driver.live();
    for (const std::string& function : driver.functions())
      for (const int status : {1, 2, 801, 999})
        for (int nth = 1; nth <= 8; ++nth) {
          CAPTURE(function);
          CAPTURE(status);
          CAPTURE(nth);
          const int before = driver.calls(function);
          driver.fail(function, nth, status);
          const std::string message = use_host_arrays(driver, host, memory, function, used);
          driver.fail(function, 0, 0);
          if (driver.calls(function) < before + nth) break;  // every call of this function has failed once
          ++points;
          CHECK(driver.live() == live);
          const bool retried = status == 2 && function == "cuMemAllocFromPoolAsync";
          // harp ignores failures of the calls with which it releases the context.
          const bool at_end = message.empty() && before + nth > used;
          if (silent.count(function) != 0 || retried || at_end) continue;
          const bool is_of_host = function == "cuPointerGetAttribute" && message.find("but in CPU memory") != std::string::npos;
          const bool names_it = message.find(function) != std::string::npos || (function == "cuGetProcAddress" && !message.empty());
          CHECK_MESSAGE((names_it || is_of_host), message);
        }
    CHECK(use_host_arrays(driver, host, memory, "", used) == "");
    host.free(memory);
  }
  CHECK(points > 100);
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.streams: harp's work comes after the work on a stream of the host's") {
  const fake_cuda::Driver driver;
  {
    const Host host(driver, 0), stranger(driver, 0);
    const Context context = make_context_with(driver, host.options());
    const Program program = fake_cuda::compile_for_gpu(context.get(), kText);
    void* const memory = host.allocate(8);
    const int64_t size = 2;
    const Buffer x(harp_buffer_wrap_device(context.get(), "cuda", HARP_F32, 1, &size, memory, nullptr, nullptr, nullptr));
    REQUIRE(x != nullptr);
    harp_buffer* inputs[] = {x.get()};
    const auto result = [&](void* stream) {
      harp_run_options options = HARP_RUN_OPTIONS_INIT;
      options.stream = stream;
      harp_buffer* outputs[] = {nullptr};
      ErrorSlot err;
      CHECK_MESSAGE(harp_program_run(program.get(), 1, inputs, 1, outputs, &options, err) == HARP_OK, err.message());
      const Buffer y(outputs[0]);
      return content_of(y.get());
    };
    // Nothing orders the host's stream with the run yet, so the run reads the old content; the fake driver makes this visible.
    host.enqueue_write(memory, {1, 2}, host.stream());
    CHECK(std::isnan(result(nullptr)[0]));
    CHECK(result(host.stream()) == Floats{3, 5});
    host.enqueue_write(memory, {3, 4}, host.stream());
    ErrorSlot err;
    CHECK_MESSAGE(harp_buffer_wait_stream(x.get(), host.stream(), err) == HARP_OK, err.message());
    host.enqueue_write(memory, {5, 6}, host.stream());  // enqueued after harp_buffer_wait_stream, so the wait does not include this write
    CHECK(result(nullptr) == Floats{7, 9});
    CHECK(result(host.stream()) == Floats{11, 13});
    // For harp_buffer_wait_stream, NULL is the legacy default stream; its handle, 1, is accepted as well, also as the stream of a run.
    host.enqueue_write(memory, {7, 8}, nullptr);
    CHECK(harp_buffer_wait_stream(x.get(), nullptr, nullptr) == HARP_OK);
    CHECK(result(nullptr) == Floats{15, 17});
    host.enqueue_write(memory, {9, 10}, nullptr);
    CHECK(result(reinterpret_cast<void*>(1)) == Floats{19, 21});

    ErrorSlot foreign, foreign_run;
    CHECK(harp_buffer_wait_stream(x.get(), stranger.stream(), foreign) == HARP_ERROR_INVALID_ARGUMENT);
    check_error(foreign, HARP_ERROR_INVALID_ARGUMENT, "the host application's stream belongs to another context");
    harp_run_options options = HARP_RUN_OPTIONS_INIT;
    options.stream = stranger.stream();
    harp_buffer* outputs[] = {nullptr};
    CHECK(harp_program_run(program.get(), 1, inputs, 1, outputs, &options, foreign_run) == HARP_ERROR_INVALID_ARGUMENT);
    CHECK(outputs[0] == nullptr);
    Floats values = {1};
    const Buffer on_cpu = wrap(context.get(), values, {1});
    ErrorSlot cpu;
    CHECK(harp_buffer_wait_stream(on_cpu.get(), nullptr, cpu) == HARP_ERROR_DEVICE);
    check_error(cpu, HARP_ERROR_DEVICE, "a stream was given, but the device cpu has no streams");
    CHECK(harp_buffer_wait_stream(nullptr, nullptr, nullptr) == HARP_ERROR_INVALID_ARGUMENT);

    // Each function fails once. The error must name it, no event may leak, and the next call must succeed.
    for (const char* function : {"cuStreamGetCtx", "cuEventCreate", "cuEventRecord", "cuStreamWaitEvent"}) {
      driver.fail(function, 1, 999);
      ErrorSlot failed;
      CHECK(harp_buffer_wait_stream(x.get(), host.stream(), failed) == HARP_ERROR_DEVICE);
      check_error(failed, HARP_ERROR_DEVICE, std::string(function) + " failed on cuda:0: CUDA_ERROR_UNKNOWN (999)");
      CHECK(harp_buffer_wait_stream(x.get(), host.stream(), nullptr) == HARP_OK);
    }
    CHECK(driver.live().find("events") == std::string::npos);
    host.free(memory);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H6.dlpack_in/c H6.dlpack_out/c: a GPU's array goes to a stream of the host's and comes from one") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  {
    const Host host(driver, 0), second(driver, 1);
    const Context context = make_context_with(driver, host.options());
    void* const memory = host.allocate(12);
    int64_t size = 3;
    int given_back = 0;
    harp_dl_managed_versioned array{};
    array.major = 1, array.minor = 1;
    array.manager = &given_back;
    array.deleter = [](harp_dl_managed_versioned* self) { ++*static_cast<int*>(self->manager); };
    array.tensor = {memory, 2, 0, 1, 2, 32, 1, &size, nullptr, 0};
    // The write is still enqueued on the producer's stream when harp gets the array.
    host.enqueue_write(memory, {1, 2, 3}, host.stream());
    {
      ErrorSlot err;
      const Buffer x(harp_buffer_from_dlpack_versioned(context.get(), &array, err));
      REQUIRE_MESSAGE(x != nullptr, err.message());
      CHECK(harp_buffer_address(x.get()) == reinterpret_cast<uint64_t>(memory));
      CHECK(harp_buffer_wait_stream(x.get(), host.stream(), err) == HARP_OK);
      CHECK(content_of(x.get()) == Floats{1, 2, 3});
    }
    CHECK(given_back == 1);

    // If an array is not on the device that it names, the caller remains its owner.
    void* const there = second.allocate(12);
    Floats on_host(3);
    for (void* data : {there, static_cast<void*>(on_host.data())}) {
      array.tensor.data = data;
      ErrorSlot err;
      CHECK(harp_buffer_from_dlpack_versioned(context.get(), &array, err) == nullptr);
      check_error(err, HARP_ERROR_DEVICE,
                  data == there ? "the array is not on cuda:0, but on cuda:1" : "the array is not on cuda:0, but in CPU memory");
    }
    CHECK(given_back == 1);

    // An exported array is complete: the consumer's stream need not wait.
    const Buffer y = filled(context.get(), "cuda", {4, 5, 6});
    ErrorSlot err;
    harp_dl_managed* exported = harp_buffer_to_dlpack(y.get(), err);
    REQUIRE_MESSAGE(exported != nullptr, err.message());
    Floats seen(3);
    {
      const fake_cuda::CurrentContext current(driver.library(), host.context());
      CHECK(driver.library().call<int>("cuMemcpyDtoHAsync_v2", static_cast<void*>(seen.data()),
                                       reinterpret_cast<DeviceAddress>(exported->tensor.data), size_t{12}, host.stream()) == 0);
    }
    CHECK(seen == Floats{4, 5, 6});
    exported->deleter(exported);
    host.free(memory), second.free(there);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}
