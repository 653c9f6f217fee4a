// Tests of the backend "cuda" without a GPU, with the fake driver and the fake NVRTC: the conformance suite, the caches, the choice of a
// compiler, compiled code that a driver or GPU cannot load, and failures of every function of the compiler.
#include <doctest/doctest.h>

#include "backend/conformance.h"
#include "base/text.h"
#include "cuda/fake/context.h"
#include "support/faulty_system.h"

using namespace capi_test;

namespace {

// The last member, 20, is the number of rows of the array with which check_threads() runs a program. A block of threads sums one row, so
// several blocks have work.
const conformance::Subject kCuda{"cuda", nullptr, nullptr, [](harp_context* context) { fake_cuda::use(context); }, 20};
constexpr const char* kText = "harp 1\ngraph g(x: f32[n], y: f32[n]) { return z = x * 2.0 + y, s = sum(x, axes=[0]) }";

/// Compiles the graph `text` for the GPU. Returns NULL on failure, with the error in `err`.
Program try_compile(harp_context* context, harp_error** err, const char* text = kText) {
  const Graph graph = parse(context, text);
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.backend = "cuda";
  return Program(harp_compile(graph.get(), &options, err));
}

/// Runs the program of kText on the GPU with x = 1, 2, 3 and y = 10, 20, 30. Returns the elements of z, then those of s.
std::vector<float> results(harp_context* context, harp_program* program) {
  std::vector<Buffer> inputs;
  for (const std::vector<float>& values : {std::vector<float>{1, 2, 3}, std::vector<float>{10, 20, 30}}) {
    const int64_t size = 3;
    inputs.emplace_back(harp_buffer_new(context, "cuda", HARP_F32, 1, &size, nullptr));
    REQUIRE(harp_buffer_write(inputs.back().get(), 12, values.data(), nullptr) == HARP_OK);
  }
  ErrorSlot err;
  const std::vector<Buffer> outputs = run(program, {inputs[0].get(), inputs[1].get()}, err);
  REQUIRE_MESSAGE(outputs.size() == 2, err.message());
  std::vector<float> all(4);
  CHECK(harp_buffer_read(outputs[0].get(), 12, all.data(), nullptr) == HARP_OK);
  CHECK(harp_buffer_read(outputs[1].get(), 4, &all[3], nullptr) == HARP_OK);
  return all;
}
const std::vector<float> kResults = {12, 24, 36, 6};

}  // namespace

TEST_CASE("C1 H4.conforms/cuda: the backend cuda conforms: programs") {
  const fake_cuda::Driver driver;
  conformance::check_programs(kCuda);
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}
TEST_CASE("C1 H4.conforms/cuda: the backend cuda conforms: errors") {
  const fake_cuda::Driver driver;
  conformance::check_errors(kCuda);
  CHECK(driver.live() == "");
}
TEST_CASE("C1 H4.conforms/cuda: the backend cuda conforms: aliases") {
  const fake_cuda::Driver driver;
  conformance::check_aliases(kCuda);
}
TEST_CASE("C1 H4.conforms/cuda: the backend cuda conforms: threads") {
  const fake_cuda::Driver driver;
  conformance::check_threads(kCuda);
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}
TEST_CASE("C1 H4.conforms/cuda: the backend cuda conforms: cancelling") {
  const fake_cuda::Driver driver;
  conformance::check_cancelling(kCuda);
}
TEST_CASE("C1 H4.conforms/cuda: the backend cuda conforms: lifetimes and time limits") {
  const fake_cuda::Driver driver;
  conformance::check_lifetimes_and_limits(kCuda);
  CHECK(driver.live() == "");
}
TEST_CASE("C1 H4.conforms/cuda: the backend cuda conforms: devices") {
  const fake_cuda::Driver driver;
  conformance::check_devices(kCuda);
}

TEST_CASE("C1 H4: a program for GPUs comes from the cache, and a damaged or foreign image is compiled again") {
  const fake_cuda::Driver driver;
  const Scratch scratch;
  const std::string directory = scratch / "cache";
  const auto with_cache = [&](harp_context_options& options) { options.cache_dir = directory.c_str(); };
  const auto disk_hits = [](harp_context* context) {
    harp_cache_stats_info stats = HARP_CACHE_STATS_INFO_INIT;
    CHECK(harp_cache_stats(context, &stats, nullptr) == HARP_OK);
    return stats.disk_hits;
  };
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    const Context context = fake_cuda::make_context(driver, with_cache);
    // In the last round the driver rejects the cached image once; harp removes it from the cache and compiles again.
    if (round == 2) driver.fail("cuLibraryLoadData", 1, 209);
    ErrorSlot err;
    const Program program = try_compile(context.get(), err);
    REQUIRE_MESSAGE(program != nullptr, err.message());
    CHECK(results(context.get(), program.get()) == kResults);
    CHECK(disk_hits(context.get()) == (round == 0 ? 0 : 1));
    CHECK_MESSAGE(take(harp_cache_list(context.get(), nullptr)).find("\tsm_90\tNVRTC 13.0\t") != std::string::npos, "not listed");
  }
}

TEST_CASE("C1 H4: a program in the cache needs no compiler") {
  const fake_cuda::Driver driver;
  const Scratch scratch;
  const std::string directory = scratch / "cache";
  const auto with_cache = [&](harp_context_options& options) { options.cache_dir = directory.c_str(); };
  ErrorSlot err;
  {
    const Context context = fake_cuda::make_context(driver, with_cache);
    REQUIRE_MESSAGE(try_compile(context.get(), err) != nullptr, err.message());
  }
  const Context context = make_context(with_cache);
  context->cuda->set_options({driver.path(), {"/no/libnvrtc.so.13"}, "/no/nvcc"});
  const Program program = try_compile(context.get(), err);
  REQUIRE_MESSAGE(program != nullptr, err.message());
  CHECK(results(context.get(), program.get()) == kResults);
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  CHECK(harp_program_stats(program.get(), &stats, nullptr) == HARP_OK);
  CHECK(stats.cache == HARP_CACHE_DISK);
  // No compiler is installed for this context. A compilation of another graph must report that. So must a compilation whose cached code the
  // driver rejects.
  ErrorSlot other, damaged;
  CHECK(try_compile(context.get(), other, "harp 1\ngraph g(x: f32[n]) { return z = x * 3.0 }") == nullptr);
  CHECK_MESSAGE(other.message().find("no CUDA compiler found; tried: /no/libnvrtc.so.13") == 0, other.message());
  const Context again = make_context(with_cache);
  again->cuda->set_options({driver.path(), {"/no/libnvrtc.so.13"}, "/no/nvcc"});
  driver.fail("cuLibraryLoadData", 1, 209);
  CHECK(try_compile(again.get(), damaged) == nullptr);
  CHECK(damaged.code() == HARP_ERROR_COMPILER);
}

TEST_CASE("C1 H4: the newest NVRTC that the driver takes, and PTX for a GPU that machine code does not fit") {
  const fake_cuda::Driver driver;
  const auto compiler_with = [&](int capability, int version) {
    driver.library().call<void>("fake_cuda_reset");
    driver.set_machine(1, capability, version);
    std::string log;
    const Context context = fake_cuda::make_context(driver, [&](harp_context_options& options) {
      options.log = [](void* user, int32_t, const char* text, size_t size) {
        static_cast<std::string*>(user)->append(text, size).append("\n");
      };
      options.log_user = &log;
      options.log_level = HARP_LOG_WARNING;
    });
    ErrorSlot err;
    const Program program = try_compile(context.get(), err);
    REQUIRE_MESSAGE(program != nullptr, err.message());
    CHECK(results(context.get(), program.get()) == kResults);
    return log;
  };
  CHECK(compiler_with(90, 13000) == "");
  CHECK(compiler_with(86, 12040) == "");
  // harp's table of GPUs has no entry for sm_110. So harp first tries code for sm_100, then PTX.
  const std::string log = compiler_with(110, 13000);
  CHECK_MESSAGE(
      log.find("code of NVRTC 13.0 for sm_100 cannot be loaded on cuda:0 (Fake GPU 0, sm_110; driver for CUDA 13.0): cuLibraryLoadData "
               "failed on cuda:0: CUDA_ERROR_NO_BINARY_FOR_GPU (209); compiling to PTX instead") != std::string::npos,
      log);

  driver.library().call<void>("fake_cuda_reset");
  const Context context = make_context();
  context->cuda->set_options({driver.path(), {"/no/libnvrtc.so.13"}, "/no/nvcc"});
  ErrorSlot none;
  CHECK(try_compile(context.get(), none) == nullptr);
  CHECK(none.code() == HARP_ERROR_COMPILER);
  CHECK_MESSAGE(none.message().find("no CUDA compiler found; tried: /no/libnvrtc.so.13") == 0, none.message());
  CHECK_MESSAGE(none.message().find("; /no/nvcc: no such program") != std::string::npos, none.message());
}

TEST_CASE("C1 H4: without a GPU the backend cuda says so") {
  const Context context = make_context();
  context->cuda->set_options({"/no/libcuda.so.1", {}, {}});
  ErrorSlot err;
  CHECK(try_compile(context.get(), err) == nullptr);
  CHECK(err.code() == HARP_ERROR_DEVICE);
  CHECK_MESSAGE(err.message().find("there is no CUDA driver: /no/libcuda.so.1") == 0, err.message());
}

TEST_CASE("C1 H4: every function of NVRTC fails once, and nothing is left behind") {
  const fake_cuda::Driver driver;
  const fake_cuda::Library nvrtc(fake_cuda::folder() + "libnvrtc.so.13");
  // harp's table of GPUs has no entry for sm_110, so that harp compiles to PTX there.
  const std::pair<int, const char*> points[] = {{90, "nvrtcCreateProgram"}, {90, "nvrtcSetFlowCallback"}, {90, "nvrtcCompileProgram"},
                                                {90, "nvrtcGetCUBINSize"},  {90, "nvrtcGetCUBIN"},        {110, "nvrtcGetPTXSize"},
                                                {110, "nvrtcGetPTX"}};
  for (const auto& [capability, function] : points) {
    CAPTURE(function);
    driver.library().call<void>("fake_cuda_reset");
    driver.set_machine(1, capability);
    const Context context = fake_cuda::make_context(driver);
    nvrtc.call<void>("fake_nvrtc_fail", function, 1);
    ErrorSlot err;
    CHECK(try_compile(context.get(), err) == nullptr);
    CHECK(err.code() == HARP_ERROR_COMPILER);
    const std::string start =
        harp::cat("NVRTC 13.0 failed, NVRTC_ERROR_OUT_OF_MEMORY: nvrtc --gpu-architecture=", capability == 90 ? "sm_90 " : "compute_100 ");
    CHECK_MESSAGE(err.message().find(start) == 0, err.message());
    CHECK(nvrtc.call<int>("fake_nvrtc_live") == 0);
    ErrorSlot again;
    const Program program = try_compile(context.get(), again);
    REQUIRE_MESSAGE(program != nullptr, again.message());
    CHECK(results(context.get(), program.get()) == kResults);
  }
}
