// Tests a host application with its own CUDA streams, contexts and graphs, on a real GPU. Some tests cause failures; the next call must
// then succeed.
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "gpu/arrays.h"

using namespace gpu_test;
using capi_test::Buffer;
using capi_test::Context;
using capi_test::ErrorSlot;
using capi_test::Program;

namespace {

/// A graph that is compiled to two kernels: the first one stores the sum, and the second one reads it. With small integers every result is
/// exact.
constexpr const char* kText = "harp 1\ngraph g(x: f32[n]) flags=[broadcast] {\n  s = sum(x, axes=[0])\n  return y = x - s\n}";

Floats expected_of(const Floats& x) {
  float sum = 0;
  for (const float value : x) sum += value;
  Floats y(x);
  for (float& value : y) value -= sum;
  return y;
}

/// Small integers that depend on `seed`. Their sum is below 2^24 for a million elements.
Floats numbers(size_t count, size_t seed) {
  Floats values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>((i * 7 + seed * 3) % 5);
  return values;
}

Buffer filled(harp_context* context, const Floats& values) {
  return buffer_of(context, kGpu, array_of(harp::DType::kF32, {static_cast<int64_t>(values.size())}, values));
}

Floats content_of(const harp_buffer* buffer) {
  Floats content(harp_buffer_size(buffer) / sizeof(float));
  ErrorSlot err;
  CHECK_MESSAGE(harp_buffer_read(buffer, harp_buffer_size(buffer), content.data(), err) == HARP_OK, err.message());
  return content;
}

void* address_of(const Buffer& buffer) { return reinterpret_cast<void*>(harp_buffer_address(buffer.get())); }

/// Runs a program with one input and one output. The run is enqueued on `stream`; if that is NULL, it is complete when the call returns.
harp_status run_once(void* stream, const Program& program, harp_buffer* x, harp_buffer* y, harp_error** err) {
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.stream = stream;
  harp_buffer* inputs[] = {x};
  harp_buffer* outputs[] = {y};
  return harp_program_run(program.get(), 1, inputs, 1, outputs, &options, err);
}

/// A context of harp that uses the host's CUDA context.
Context context_of(const Host& host, void* stream = nullptr) {
  harp_cuda_options cuda = HARP_CUDA_OPTIONS_INIT;
  cuda.context = host.context();
  cuda.stream = stream;
  return gpu_context([&](harp_context_options& options) { options.cuda = &cuda; });
}

/// Checks that a small run works on the GPU.
void check_usable(harp_context* context) {
  const Program program = compile_text(context, kText, "cuda");
  const Floats x = numbers(1000, 9);
  const Buffer in = filled(context, x), out = filled(context, Floats(1000, -1));
  ErrorSlot err;
  REQUIRE_MESSAGE(run_once(nullptr, program, in.get(), out.get(), err) == HARP_OK, err.message());
  CHECK(content_of(out.get()) == expected_of(x));
}

}  // namespace

TEST_CASE("on a GPU: runs on a stream of the host's are in order with its copies") {
  const Host host;
  const Context context = context_of(host);
  const Program program = compile_text(context.get(), kText, "cuda");
  constexpr size_t kCount = 1'000'003;
  const Buffer x = filled(context.get(), Floats(kCount, 0)), y = filled(context.get(), Floats(kCount, 0));
  for (size_t round = 0; round < 6; ++round) {
    CAPTURE(round);
    const Floats values = numbers(kCount, round);
    ErrorSlot err;
    host.enqueue_write(address_of(x), values, host.stream());
    REQUIRE_MESSAGE(run_once(host.stream(), program, x.get(), y.get(), err) == HARP_OK, err.message());
    // This write comes after the run on the stream, so the run still reads the old input.
    const Floats zeros(kCount, 0);
    host.enqueue_write(address_of(x), zeros, host.stream());
    CHECK((host.read(address_of(y), kCount) == expected_of(values)));
    CHECK((content_of(y.get()) == expected_of(values)));
  }
}

TEST_CASE("on a GPU: outputs that a run on a stream allocates can be used and released at once") {
  const Host host;
  const Context context = context_of(host);
  const Program program = compile_text(context.get(), kText, "cuda");
  Buffer x = filled(context.get(), {1, 2, 3});
  for (const Floats& expected : {Floats{-5, -4, -3}, Floats{7, 8, 9}, Floats{-17, -16, -15}, Floats{31, 32, 33}}) {
    harp_run_options options = HARP_RUN_OPTIONS_INIT;
    options.stream = host.stream();
    harp_buffer* inputs[] = {x.get()};
    harp_buffer* outputs[] = {nullptr};
    ErrorSlot err;
    REQUIRE_MESSAGE(harp_program_run(program.get(), 1, inputs, 1, outputs, &options, err) == HARP_OK, err.message());
    x.reset(outputs[0]);  // releases the input while the run is enqueued
    CHECK(host.read(address_of(x), 3) == expected);
  }
}

TEST_CASE("on a GPU: harp works on the host's stream") {
  const Host host;
  const Context context = context_of(host, host.stream());
  const Program program = compile_text(context.get(), kText, "cuda");
  const Buffer x = filled(context.get(), {0, 0, 0}), y = filled(context.get(), {0, 0, 0});
  for (const float last : {3.0f, 4.0f, 5.0f, 6.0f}) {
    const Floats values = {1, 2, last};
    ErrorSlot err;
    host.enqueue_write(address_of(x), values, host.stream());
    REQUIRE_MESSAGE(run_once(host.stream(), program, x.get(), y.get(), err) == HARP_OK, err.message());
    CHECK(host.read(address_of(y), 3) == expected_of(values));
  }
}

TEST_CASE("on a GPU: a replay of the same sizes uses the arrays of its own run") {
  const Context context = gpu_context();
  const Program program = compile_text(context.get(), kText, "cuda");
  for (const size_t count : {size_t{3}, size_t{70'001}, size_t{1'000'003}})
    for (size_t round = 1; round <= 6; ++round) {
      CAPTURE(count);
      CAPTURE(round);
      const Floats values = numbers(count, round);
      const Buffer x = filled(context.get(), values), y = filled(context.get(), Floats(count, -1));
      ErrorSlot err;
      REQUIRE_MESSAGE(run_once(nullptr, program, x.get(), y.get(), err) == HARP_OK, err.message());
      CHECK((content_of(y.get()) == expected_of(values)));
    }
}

TEST_CASE("on a GPU: a run that the host captures is launched with its graph") {
  const Host host;
  const Context context = context_of(host);
  const Program program = compile_text(context.get(), kText, "cuda");
  constexpr size_t kCount = 100'003;
  const Buffer x = filled(context.get(), numbers(kCount, 0));
  const Buffer y = filled(context.get(), Floats(kCount, 0)), z = filled(context.get(), Floats(kCount, 0));
  ErrorSlot err;
  for (int i = 0; i < 3; ++i) REQUIRE_MESSAGE(run_once(nullptr, program, x.get(), y.get(), err) == HARP_OK, err.message());
  host.begin_capture();
  const harp_status captured = run_once(host.stream(), program, x.get(), y.get(), err);
  CHECK_MESSAGE(captured == HARP_OK, err.message());
  // A run that cannot be captured is an error, and the capture continues.
  ErrorSlot refused;
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.stream = host.stream();
  harp_buffer* inputs[] = {x.get()};
  harp_buffer* outputs[] = {nullptr};
  CHECK(harp_program_run(program.get(), 1, inputs, 1, outputs, &options, refused) == HARP_ERROR_UNSUPPORTED);
  const CapturedGraph graph(host);
  for (size_t launch = 1; launch <= 3; ++launch) {
    CAPTURE(launch);
    const Floats values = numbers(kCount, launch);
    host.enqueue_write(address_of(x), values, host.stream());
    graph.launch();
    CHECK((host.read(address_of(y), kCount) == expected_of(values)));
  }
  // A run without a stream between two launches of the graph affects neither the run nor the graph.
  CHECK(run_once(nullptr, program, x.get(), z.get(), err) == HARP_OK);
  CHECK((content_of(z.get()) == expected_of(numbers(kCount, 3))));
  graph.launch();
  CHECK((host.read(address_of(y), kCount) == expected_of(numbers(kCount, 3))));
}

namespace {

/// The host's allocator, which calls the driver. harp calls it while the GPU's context is current.
struct Allocator {
  const Driver* driver;
  std::atomic<int> live = 0, calls = 0, wrong = 0;

  static void* allocate(void* user, size_t size, int32_t device, void*) {
    auto& self = *static_cast<Allocator*>(user);
    ++self.calls;
    if (device != 0 || size == 0) ++self.wrong;
    DeviceAddress address = 0;
    if (self.driver->call("cuMemAlloc_v2", &address, size) != 0) return nullptr;
    ++self.live;
    return reinterpret_cast<void*>(address);
  }
  // Frees memory for harp. Work on the stream may still use the memory; cuMemFree waits for this work.
  static void release(void* user, void* memory, int32_t, void*) {
    auto& self = *static_cast<Allocator*>(user);
    --self.live;
    if (self.driver->call("cuMemFree_v2", reinterpret_cast<DeviceAddress>(memory)) != 0) ++self.wrong;
  }
};

}  // namespace

TEST_CASE("on a GPU: harp uses the host's context, stream and allocator") {
  const Host host;
  Allocator allocator{&host.driver()};
  {
    harp_cuda_options cuda = HARP_CUDA_OPTIONS_INIT;
    cuda.context = host.context(), cuda.stream = host.stream();
    cuda.alloc = &Allocator::allocate, cuda.free = &Allocator::release, cuda.alloc_user = &allocator;
    const Context context = gpu_context([&](harp_context_options& options) { options.cuda = &cuda; });
    for (int i = 0; i < 3; ++i) check_usable(context.get());
  }
  CHECK(allocator.calls > 0);
  CHECK(allocator.live == 0);
  CHECK(allocator.wrong == 0);
}

TEST_CASE("on a GPU: harp leaves the thread's current context as it was") {
  const Host host;
  const Driver& driver = host.driver();
  const auto current = [&] {
    void* context = nullptr;
    CHECK(driver.call("cuCtxGetCurrent", &context) == 0);
    return context;
  };
  void* const before = current();
  check_usable(gpu_context().get());
  CHECK(current() == before);
  {
    const CurrentContext pushed(driver, host.context());
    check_usable(gpu_context().get());
    CHECK(current() == host.context());
  }
}

TEST_CASE("on a GPU: memory of the host's is an array of harp's") {
  const Host host;
  const Context context = context_of(host);
  const Program program = compile_text(context.get(), kText, "cuda");
  void* memory = host.allocate(3 * sizeof(float));
  {
    const int64_t size = 3;
    ErrorSlot err;
    const Buffer x(harp_buffer_wrap_device(context.get(), kGpu, HARP_F32, 1, &size, memory, nullptr, nullptr, err));
    REQUIRE_MESSAGE(x != nullptr, err.message());
    const Floats values = {4, 5, 6};
    host.enqueue_write(memory, values, host.stream());
    // harp does not know that the host has enqueued a write on its own stream, so this call makes later runs wait for that stream.
    REQUIRE_MESSAGE(harp_buffer_wait_stream(x.get(), host.stream(), err) == HARP_OK, err.message());
    const Buffer y = filled(context.get(), {0, 0, 0});
    REQUIRE_MESSAGE(run_once(nullptr, program, x.get(), y.get(), err) == HARP_OK, err.message());
    CHECK(content_of(y.get()) == Floats{-11, -10, -9});
    Floats on_cpu = {1};
    const int64_t one = 1;
    ErrorSlot wrong;
    CHECK(harp_buffer_wrap_device(context.get(), kGpu, HARP_F32, 1, &one, on_cpu.data(), nullptr, nullptr, wrong) == nullptr);
    CHECK(wrong.code() == HARP_ERROR_DEVICE);
  }
  host.free(memory);
}

TEST_CASE("on a GPU: a DLPack array goes out and comes in without a copy") {
  const Host host;
  const Context context = gpu_context(), other = gpu_context();
  Buffer x = filled(context.get(), {1, 2, 3});
  const uint64_t address = harp_buffer_address(x.get());
  ErrorSlot err;
  harp_dl_managed* managed = harp_buffer_to_dlpack(x.get(), err);
  REQUIRE_MESSAGE(managed != nullptr, err.message());
  CHECK(managed->tensor.device_type == 2);
  CHECK(managed->tensor.device_id == 0);
  CHECK(reinterpret_cast<uint64_t>(managed->tensor.data) == address);
  x.reset();
  const Buffer there(harp_buffer_from_dlpack(other.get(), managed, err));
  REQUIRE_MESSAGE(there != nullptr, err.message());
  CHECK(harp_buffer_address(there.get()) == address);
  CHECK(content_of(there.get()) == Floats{1, 2, 3});
  const Program program = compile_text(other.get(), kText, "cuda");
  const Buffer y = filled(other.get(), {0, 0, 0});
  CHECK(run_once(nullptr, program, there.get(), y.get(), err) == HARP_OK);
  CHECK(content_of(y.get()) == Floats{-5, -4, -3});
}

TEST_CASE("on a GPU: another stream of the host's comes after a run") {
  const Host host;
  const Context context = context_of(host);
  const Program program = compile_text(context.get(), kText, "cuda");
  void* other = host.new_stream();
  constexpr size_t kCount = 4'000'003;
  for (size_t round = 1; round <= 4; ++round) {
    const Floats values(kCount, 0);
    const Buffer x = filled(context.get(), values), y = filled(context.get(), Floats(kCount, -1));
    ErrorSlot err;
    REQUIRE_MESSAGE(run_once(host.stream(), program, x.get(), y.get(), err) == HARP_OK, err.message());
    REQUIRE_MESSAGE(harp_buffer_signal_stream(y.get(), other, err) == HARP_OK, err.message());
    CHECK((host.read(address_of(y), kCount, other) == Floats(kCount, 0)));
  }
  host.free_stream(other);
}

namespace {

/// Runs the program on new arrays: on `stream` or, if that is NULL, until the run is complete. Returns whether the result is right.
bool run_right(harp_context* context, const Program& program, void* stream, size_t count, size_t seed) {
  const Floats values = numbers(count, seed);
  const Buffer x = filled(context, values), y = filled(context, Floats(count, -1));
  return run_once(stream, program, x.get(), y.get(), nullptr) == HARP_OK && content_of(y.get()) == expected_of(values);
}

}  // namespace

TEST_CASE("on a GPU: threads run one program at once") {
  const Host host;
  const Context context = context_of(host);
  const Program program = compile_text(context.get(), kText, "cuda");
  constexpr size_t kThreads = 4, kRuns = 50;
  for (const bool own_streams : {false, true}) {
    CAPTURE(own_streams);
    std::vector<void*> streams(kThreads, nullptr);
    if (own_streams)
      for (void*& stream : streams) stream = host.new_stream();
    std::atomic<size_t> right = 0;
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        try {
          for (size_t i = 0; i < kRuns; ++i) right += run_right(context.get(), program, streams[t], 10'007, t * kRuns + i) ? 1u : 0u;
        } catch (const std::exception&) {  // a run that throws is not counted as right
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(right == kThreads * kRuns);
    if (own_streams)
      for (void* stream : streams) host.free_stream(stream);
  }
}

TEST_CASE("on a GPU: arrays of the host are copied with HARP_RUN_STAGE, and an error without it") {
  const Context context = gpu_context();
  const Program program = compile_text(context.get(), kText, "cuda");
  const Floats x = numbers(12'345, 1);
  Floats y(x.size(), -1);
  const auto size = static_cast<int64_t>(x.size());
  const harp_const_array in[] = {{x.data(), &size, HARP_F32, 1}};
  const harp_array out[] = {{y.data(), &size, HARP_F32, 1}};
  ErrorSlot refused, err;
  CHECK(harp_program_call(program.get(), 1, in, 1, out, nullptr, refused) == HARP_ERROR_DEVICE);
  harp_run_options staged = HARP_RUN_OPTIONS_INIT;
  staged.flags = HARP_RUN_STAGE;
  for (int i = 0; i < 3; ++i) {
    std::fill(y.begin(), y.end(), -1.0f);
    REQUIRE_MESSAGE(harp_program_call(program.get(), 1, in, 1, out, &staged, err) == HARP_OK, err.message());
    CHECK((y == expected_of(x)));
  }
}

TEST_CASE("on a GPU: a checked index out of range is an error, with the message of the interpreter, and the GPU stays usable") {
  const Context context = gpu_context();
  const char* text = "harp 1\ngraph g(x: f32[n], i: i32[m]) { return y = take(x, i) }";
  std::vector<int32_t> indices(100'000);
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int32_t>(i % 10);
  indices[77'777] = 10, indices[99'999] = -11;
  const std::vector<Array> inputs = {array_of(harp::DType::kF32, {10}, numbers(10, 1)), array_of(harp::DType::kI32, {100'000}, indices)};
  const auto message_on = [&](const char* backend, const char* device) {
    const Program program = compile_text(context.get(), text, backend, true);
    const Buffer x = buffer_of(context.get(), device, inputs[0]), i = buffer_of(context.get(), device, inputs[1]);
    harp_buffer* in[] = {x.get(), i.get()};
    harp_buffer* out[] = {nullptr};
    ErrorSlot err;
    CHECK(harp_program_run(program.get(), 2, in, 1, out, nullptr, err) == HARP_ERROR_RANGE);
    CHECK(out[0] == nullptr);
    return err.message();
  };
  const std::string message = message_on("cuda", kGpu);
  CHECK(message == message_on("interp", "cpu"));
  CHECK_MESSAGE(message.find("77777") != message.npos, message);
  check_usable(context.get());
}

TEST_CASE("on a GPU: an array that does not fit is an error, and the GPU stays usable") {
  const Context context = gpu_context();
  const int64_t size = int64_t{1} << 38;  // a terabyte
  ErrorSlot err;
  CHECK(harp_buffer_new(context.get(), kGpu, HARP_F32, 1, &size, err) == nullptr);
  CHECK(err.code() == HARP_ERROR_OUT_OF_MEMORY);
  MESSAGE(err.message());
  check_usable(context.get());

  // Here the output that the run allocates does not fit: there is enough memory for x, but not for the outer sum of x with itself.
  const Program program =
      compile_text(context.get(), "harp 1\ngraph g(x: f32[n]) flags=[broadcast] { return y = unsqueeze(x, axes=[1]) + x }", "cuda");
  const Buffer x = filled(context.get(), Floats(600'000, 1));
  harp_buffer* in[] = {x.get()};
  harp_buffer* out[] = {nullptr};
  ErrorSlot full;
  CHECK(harp_program_run(program.get(), 1, in, 1, out, nullptr, full) == HARP_ERROR_OUT_OF_MEMORY);
  check_usable(context.get());
}

TEST_CASE("on a GPU: a context describes the GPU") {
  const Context context = gpu_context();
  const std::string text = capi_test::take(harp_context_describe(context.get(), nullptr));
  MESSAGE(text);
  CHECK(text.find("cuda:0") != text.npos);
  CHECK(text.find("sm_") != text.npos);
  ErrorSlot err;
  const int64_t size = 1;
  CHECK(harp_buffer_new(context.get(), "cuda:99", HARP_F32, 1, &size, err) == nullptr);
  CHECK(err.code() == HARP_ERROR_DEVICE);
}

TEST_CASE("on a GPU: a run is cancelled before it begins and between its kernels") {
  const Context context = gpu_context();
  const Program program = compile_text(context.get(), kText, "cuda");
  const Buffer x = filled(context.get(), {1, 2, 3}), y = filled(context.get(), {0, 0, 0});
  harp_buffer* in[] = {x.get()};
  harp_buffer* out[] = {y.get()};
  int32_t flag = 1;
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.cancel = &flag;
  ErrorSlot err;
  CHECK(harp_program_run(program.get(), 1, in, 1, out, &options, err) == HARP_ERROR_CANCELLED);
  __atomic_store_n(&flag, 0, __ATOMIC_SEQ_CST);
  CHECK(harp_program_run(program.get(), 1, in, 1, out, &options, nullptr) == HARP_OK);
  CHECK(content_of(y.get()) == Floats{-5, -4, -3});

  // Another thread sets the flag between two runs or during one. Each run is either cancelled or complete and right.
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
  });
  harp_status status = HARP_OK;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (status == HARP_OK && std::chrono::steady_clock::now() < end) {
    status = harp_program_run(program.get(), 1, in, 1, out, &options, nullptr);
    if (status == HARP_OK) CHECK(content_of(y.get()) == Floats{-5, -4, -3});
  }
  other.join();
  CHECK(status == HARP_ERROR_CANCELLED);
  check_usable(context.get());
}
