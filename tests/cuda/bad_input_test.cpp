// Tests failures of a GPU during compilations and runs, as a host application sees them through harp.h. The tests use the fake driver. The
// error must say what failed, and all other objects must stay usable. Other files test failures with arrays and options (device_test.cpp,
// host_test.cpp, staging_test.cpp), with launches (executable_test.cpp) and with compilers (backend_test.cpp).
#include <doctest/doctest.h>

#include "cuda/fake/context.h"

using namespace capi_test;

namespace {

using Floats = std::vector<float>;

// The second kernel reads the result of the first, so a run needs memory for temporary arrays besides its inputs and outputs.
constexpr const char* kText =
    "harp 1\ngraph g(x: f32[n, 4]) flags=[broadcast] { return y = contiguous(x * 2.0) - contiguous(max(x, axes=[0], keepdims=true)) }";

Program compile_for_gpu(harp_context* context) {
  const Graph graph = parse(context, kText);
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.backend = "cuda";
  ErrorSlot err;
  Program program(harp_compile(graph.get(), &options, err));
  REQUIRE_MESSAGE(program != nullptr, err.message());
  return program;
}

Buffer filled(harp_context* context, const char* device, const Floats& content) {
  const int64_t dims[] = {static_cast<int64_t>(content.size()) / 4, 4};
  ErrorSlot err;
  Buffer buffer(harp_buffer_new(context, device, HARP_F32, 2, dims, err));
  REQUIRE_MESSAGE(buffer != nullptr, err.message());
  REQUIRE(harp_buffer_write(buffer.get(), content.size() * sizeof(float), content.data(), err) == HARP_OK);
  return buffer;
}

/// Runs the program on x. Returns the elements of its output y, or an empty list on failure.
Floats result(harp_program* program, harp_buffer* x, harp_error** err) {
  const std::vector<Buffer> outputs = run(program, {x}, err);
  if (outputs.size() != 1) return {};
  Floats y(harp_buffer_size(outputs[0].get()) / sizeof(float));
  CHECK(harp_buffer_read(outputs[0].get(), y.size() * sizeof(float), y.data(), nullptr) == HARP_OK);
  return y;
}

const Floats kX = {1, 2, 3, 4, 5, 6, 7, 8}, kY = {-3, -2, -1, 0, 5, 6, 7, 8};

}  // namespace

TEST_CASE("H5.device: a GPU that is full during a run") {
  const fake_cuda::Driver driver;
  {
    const Context context = fake_cuda::make_context(driver);
    const Program program = compile_for_gpu(context.get());
    const Buffer x = filled(context.get(), "cuda", kX);
    ErrorSlot err;
    CHECK(result(program.get(), x.get(), err) == kY);
    // The first limit of the GPU's memory leaves enough for the new output but not for the temporary arrays of the run; the second does not
    // even leave enough for the output.
    const Buffer large = filled(context.get(), "cuda", Floats(4 * 10'000, 1));
    for (const size_t room : {size_t{320'040}, size_t{160'040}}) {
      driver.set_memory(room);
      ErrorSlot full;
      CHECK(result(program.get(), large.get(), full).empty());
      CHECK(full.code() == HARP_ERROR_OUT_OF_MEMORY);
      CHECK_MESSAGE(full.message().find("out of memory on cuda:0: ") == 0, full.message());
    }
    driver.set_memory(size_t{1} << 30);
    CHECK(result(program.get(), large.get(), err).size() == 40'000);
    CHECK(result(program.get(), x.get(), err) == kY);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.device: a kernel that faults during a run loses this GPU alone, and handles are released") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  const Context context = fake_cuda::make_context(driver);
  Program program = compile_for_gpu(context.get());
  Buffer x = filled(context.get(), "cuda:0", kX);
  const Buffer other = filled(context.get(), "cuda:1", kX);
  ErrorSlot none;
  CHECK(result(program.get(), x.get(), none) == kY);
  CHECK(result(program.get(), other.get(), none) == kY);
  driver.fail("cuStreamSynchronize", 1, 719);
  ErrorSlot first, second;
  CHECK(result(program.get(), x.get(), first).empty());
  CHECK(first.code() == HARP_ERROR_DEVICE);
  CHECK_MESSAGE(first.message().find("CUDA_ERROR_LAUNCH_FAILED (719). A kernel faulted: this process cannot use the device any more") !=
                    std::string::npos,
                first.message());
  CHECK(result(program.get(), x.get(), second).empty());
  CHECK(second.message() == first.message());
  CHECK(result(program.get(), other.get(), none) == kY);
  const int frees = driver.calls("cuMemFreeAsync");
  x.reset();
  // harp does not call cuMemFreeAsync, because after the loss of the device the call could only fail.
  CHECK(driver.calls("cuMemFreeAsync") == frees);
  program.reset();
  // The other backends of the context are not affected.
  const Graph graph = parse(context.get(), kText);
  for (const char* backend : {"interp", "c"}) {
    const Program here = compile(graph.get(), backend);
    Floats numbers = kX;
    const Buffer host = wrap(context.get(), numbers, {2, 4});
    CHECK(result(here.get(), host.get(), none) == kY);
  }
}

TEST_CASE("X3.entry_point/cuda: arrays on two GPUs are an error of an entry point") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  {
    const Context context = fake_cuda::make_context(driver);
    const Program program = compile_for_gpu(context.get());
    const Buffer x = filled(context.get(), "cuda:0", kX), there = filled(context.get(), "cuda:1", kX);
    const harp_entry_point_ex entry = harp_program_entry_ex(program.get(), nullptr);
    REQUIRE((entry != nullptr));
    void* inputs[] = {reinterpret_cast<void*>(harp_buffer_address(x.get()))};
    void* outputs[] = {reinterpret_cast<void*>(harp_buffer_address(there.get()))};
    size_t n = 2;
    CHECK(entry(inputs, outputs, &n, nullptr) == HARP_ERROR_DEVICE);
    Floats y(8);
    outputs[0] = y.data();
    CHECK(entry(inputs, outputs, &n, nullptr) == HARP_OK);
    CHECK(y == kY);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}
