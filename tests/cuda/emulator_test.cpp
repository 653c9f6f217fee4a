// Tests of the emulator: it runs kernels with barriers, shuffles and shared memory as a GPU does, and it names the mistakes of a kernel.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cuda/emulator/library.h"
#include "cuda/emulator/merged_source.h"
#include "cuda/emulator/source.h"

using namespace harp;
using namespace harp::cuda_test;

namespace {

constexpr ThreadOrder kOrders[] = {ThreadOrder::kAscending, ThreadOrder::kDescending, ThreadOrder::kShuffled};

// A kernel in which each block of threads computes a sum in shared memory. Tests of faulty kernels change this text, for example by
// removing the marked line.
constexpr std::string_view kSum = R"(
extern "C" __global__ void __launch_bounds__(256) sum(float* __restrict__ out, const float* __restrict__ x, unsigned n) {
  __shared__ float sums[256];
  float own = 0.0f;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += x[i];
  sums[threadIdx.x] = own;
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads(); // inner
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
)";

constexpr std::string_view kWarps = R"(
extern "C" __global__ void __launch_bounds__(64) lanes(float* out, int* source) {
  const float x = 100.0f + threadIdx.x;
  out[threadIdx.x] = __shfl_down_sync(0xffffffffu, x, 1, 16);
  out[64 + threadIdx.x] = __shfl_up_sync(0xffffffffu, x, 2);
  out[128 + threadIdx.x] = __shfl_xor_sync(0xffffffffu, x, 5);
  out[192 + threadIdx.x] = __shfl_sync(0xffffffffu, x, source[threadIdx.x % 32]);
}
extern "C" __global__ void __launch_bounds__(32) lower_half(float* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0x0000ffffu, (float)threadIdx.x, 3);
}
extern "C" __global__ void __launch_bounds__(32) wrong_lane(float* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0x0000ffffu, (float)threadIdx.x, 20);
}
extern "C" __global__ void __launch_bounds__(32) wrong_mask(float* out) {
  out[threadIdx.x] = __shfl_sync(0x0000ffffu, (float)threadIdx.x, 3);
}
extern "C" __global__ void __launch_bounds__(32) ended_lane(float* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0xffffffffu, (float)threadIdx.x, 3);
}
)";

constexpr std::string_view kBarriers = R"(
extern "C" __global__ void __launch_bounds__(64) some_threads(float* out) {
  if (threadIdx.x < 32) __syncthreads();
  out[threadIdx.x] = 1.0f;
}
extern "C" __global__ void __launch_bounds__(64) two_places(float* out) {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 1.0f;
}
extern "C" __global__ void __launch_bounds__(64) unwritten(float* out) {
  __shared__ float values[64];
  if (threadIdx.x < 32) values[threadIdx.x] = 1.0f;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}
extern "C" __global__ void __launch_bounds__(64) dynamic(float* out, unsigned long long n) {
  extern __shared__ float values[];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = values[n - 1 - threadIdx.x];
}
)";

// Each thread copies 16 bytes asynchronously, of which the first `exist` bytes are read and the others become 0. Tests of faulty kernels
// remove a line, for example the marked one.
constexpr std::string_view kCopies = R"(
typedef unsigned u32;
static __device__ __forceinline__ void copy_16_bytes_async(void* to, const void* from, int exist) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               : : "r"((u32)__cvta_generic_to_shared(to)), "l"(from), "r"(exist) : "memory");
}
extern "C" __global__ void __launch_bounds__(32) copied(float* out, const float* x, int exist) {
  __shared__ __align__(16) float values[128];
  copy_16_bytes_async(values + threadIdx.x * 4, x + threadIdx.x * 4, exist);
  asm volatile("cp.async.commit_group;" : : : "memory");
  asm volatile("cp.async.wait_group 0;" : : : "memory");
  __syncthreads(); // all
  for (int i = 0; i < 4; ++i) out[i * 32 + threadIdx.x] = values[127 - i * 32 - threadIdx.x];
}
)";

/// Returns the text with 128 threads in a block instead of 256 (and 64 instead of 128), because ThreadSanitizer cannot distinguish more
/// than 250 threads.
std::string with_128_threads(std::string_view text) {
  std::string result(text);
  for (const auto& [number, half] : {std::pair{"128", "64"}, {"256", "128"}})
    for (size_t at = 0; (at = result.find(number, at)) != result.npos;) result.replace(at, 3, half);
  return result;
}

/// Compiles a text together with a function main, which launches the kernel `sum` with this many threads, into a program with a sanitizer
/// (`flags`). Runs the program and returns its output.
std::string output_of_program(std::string_view text, const std::string& flags, int threads) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / cat("harp_emulator_test_", getpid());
  std::filesystem::create_directories(folder);
  const std::string source = (folder / "program.cu").string(), program = (folder / "program").string(), log = (folder / "log").string();
  std::ofstream(source) << emulated_source(text) << "constexpr unsigned kThreads = " << threads << R"(;
int main() {
  static float x[1000], out[4];
  for (int i = 0; i < 1000; ++i) x[i] = 1.0f;
  float *to = out, *from = x;
  unsigned n = 1000;
  void* parameters[] = {&to, &from, &n};
  const unsigned grid[3] = {4, 1, 1}, block[3] = {kThreads, 1, 1};
  size_t count;
  const char* error = harp_emulated_kernels(&count)->launch(grid, block, 0, parameters, harp::cuda_test::ThreadOrder::kAscending);
  printf("%s; %g\n", error != nullptr ? error : "no error", out[0] + out[1] + out[2] + out[3]);
}
)";
  std::string command = "g++ -g -O0 -w ";
  for (const std::string& flag : emulator_flags())
    if (flag != "-shared") append(command, cat(flag, " "));
  append(command, cat(flags, " ", source, " -o ", program, " >", log, " 2>&1"));
  int status = std::system(command.c_str());
  // setarch -R turns off the randomisation of addresses; with randomised addresses, ThreadSanitizer of gcc 12 may find no room for its
  // memory.
  if (status == 0) status = std::system(cat("setarch -R ", program, " >", log, " 2>&1").c_str());
  std::ifstream file(log);
  const std::string output{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove_all(folder);
  return output;
}

std::string without(std::string_view text, std::string_view line) {
  std::string result(text);
  const size_t at = result.find(line);
  REQUIRE(at != result.npos);
  return result.erase(at, line.size());
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("C1: the emulator runs blocks with barriers and shared memory, in every order of threads") {
  const EmulatedLibrary library(emulated_source(kSum));
  std::vector<float> x(5000), out(4);
  std::iota(x.begin(), x.end(), 0.0f);
  for (const ThreadOrder order : kOrders) {
    std::fill(out.begin(), out.end(), -1.0f);
    CHECK(launch(library.kernel("sum"), 4, 256, 0, order, out.data(), x.data(), 5000u) == "");
    CHECK(std::accumulate(out.begin(), out.end(), 0.0) == 4999.0 * 2500.0);
  }
  const EmulatedKernel& sum = library.kernel("sum");
  CHECK(sum.n_parameters == 3);
  CHECK(sum.parameter_bytes[0] == 8);
  CHECK(sum.parameter_bytes[2] == 4);
  CHECK(launch(sum, 1, 512, 0, kOrders[0], out.data(), x.data(), 1u) ==
        "sum, block (0, 0, 0): a block of 512 threads; at most 256 are allowed");
  CHECK_THROWS_AS(library.kernel("product"), Error);
}

TEST_CASE("C1: the stacks of the emulator's threads are unmapped with their library") {
  const auto mappings = [] {
    std::ifstream file("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n');
  };
  const auto before = mappings();
  {
    const EmulatedLibrary library(emulated_source(kSum));
    std::vector<float> x(5000), out(4);
    CHECK(launch(library.kernel("sum"), 4, 256, 0, kOrders[0], out.data(), x.data(), 5000u) == "");
    CHECK(mappings() >= before + 256);
  }
  CHECK(mappings() < before + 64);
}

TEST_CASE("C1: kernels of several programs are compiled together") {
  const std::vector<std::string> texts = {std::string(kSum), std::string(kBarriers), std::string(kSum)};
  const EmulatedLibrary library(emulated_source(texts));
  CHECK(library.has("unit_0::sum"));
  CHECK(library.has("unit_1::dynamic"));
  CHECK(library.has("unit_2::sum"));
  // Before a block runs, the shared arrays of its program are filled with NaN, whichever program it is.
  std::vector<float> out(64);
  for (int run = 0; run < 2; ++run) {
    CHECK(launch(library.kernel("unit_1::unwritten"), 1, 64, 0, kOrders[0], out.data()) == "");
    CHECK(out[31] == 1.0f);
    CHECK(std::isnan(out[32]));
    std::fill(out.begin(), out.end(), 0.0f);
  }
}

TEST_CASE("C1: declarations that are the same in several programs are compiled once") {
  const auto program = [](std::string_view factor, std::string_view table) {
    return cat(
        "typedef unsigned int u32;\n\nstatic __device__ __forceinline__ float scale(float x) { return ", factor,
        " * x; }\n\n/* scales it twice */\nstatic __device__ __noinline__ float scale_twice(float x) {\n  return scale(scale(x));\n}\n\n",
        "static __device__ const float table[2] = {", table,
        "};\n\nextern \"C\" __global__ void __launch_bounds__(32) kernel_0(float* out) {\n  const u32 t = threadIdx.x;\n",
        "  out[t] = scale_twice(8.0f) + table[t & 1];\n}\n");
  };
  const std::vector<std::string> texts = {program("0.5f", "0.0f, 1.0f"), program("0.25f", "0.0f, 1.0f"), program("0.5f", "0.0f, 3.0f"),
                                          program("0.5f", "0.0f, 1.0f")};
  const std::string merged = emulated_source(texts);
  const auto count = [&](std::string_view part) {
    int found = 0;
    for (size_t at = merged.find(part); at != merged.npos; at = merged.find(part, at + 1)) ++found;
    return found;
  };
  CHECK(count("typedef unsigned int u32;") == 1);
  CHECK(count("float scale(float x)") == 2);        // of programs 0 and 1
  CHECK(count("float scale_twice(float x)") == 2);  // same text in all programs, but program 1 has another `scale`, which it calls
  CHECK(count("const float table[2]") == 2);        // of programs 0 and 2
  const EmulatedLibrary library(merged);
  constexpr float kExpected[4][2] = {{2.0f, 3.0f}, {0.5f, 1.5f}, {2.0f, 5.0f}, {2.0f, 3.0f}};
  for (size_t i = 0; i < texts.size(); ++i) {
    std::vector<float> out(32);
    CHECK(launch(library.kernel(cat("unit_", i, "::kernel_0")), 1, 32, 0, kOrders[0], out.data()) == "");
    CHECK(out[0] == kExpected[i][0]);
    CHECK(out[31] == kExpected[i][1]);
  }
}

TEST_CASE("C1: the emulator exchanges values between the lanes of a warp, and names wrong masks and lanes") {
  const EmulatedLibrary library(emulated_source(kWarps));
  std::vector<float> out(256);
  std::vector<int> source(32);
  for (int i = 0; i < 32; ++i) source[static_cast<size_t>(i)] = i * 7 % 32;
  for (const ThreadOrder order : kOrders) {
    CHECK(launch(library.kernel("lanes"), 1, 64, 0, order, out.data(), source.data()) == "");
    for (int t = 0; t < 64; ++t) {
      const int lane = t % 32, warp = t - lane;
      const auto at = [&](int row) { return static_cast<int>(out[static_cast<size_t>(row * 64 + t)]) - 100; };
      CHECK(at(0) == (lane % 16 == 15 ? t : t + 1));
      CHECK(at(1) == (lane < 2 ? t : t - 2));
      CHECK(at(2) == (t ^ 5));
      CHECK(at(3) == warp + lane * 7 % 32);
    }
  }
  CHECK(launch(library.kernel("lower_half"), 1, 32, 0, kOrders[0], out.data()) == "");
  CHECK(out[0] == 3.0f);
  const auto error_of = [&](const char* kernel) { return launch(library.kernel(kernel), 1, 32, 0, kOrders[0], out.data()); };
  CHECK(contains(error_of("wrong_lane"), "lane 0 reads from lane 20, which is not in the mask 0000ffff"));
  CHECK(contains(error_of("wrong_mask"), "the mask 0000ffff lacks lane 16, which uses it"));
  CHECK(contains(error_of("ended_lane"), "the mask ffffffff names lane 16, which has ended"));
}

TEST_CASE("C1: the emulator names barriers that not all threads meet, and shows what nobody wrote") {
  const EmulatedLibrary library(emulated_source(kBarriers));
  std::vector<float> out(64);
  const auto error_of = [&](const char* kernel) { return launch(library.kernel(kernel), 1, 64, 0, kOrders[2], out.data()); };
  CHECK(error_of("some_threads") ==
        "some_threads, block (0, 0, 0): the barrier in line 3 is met by 32 of 64 threads; the others have ended");
  CHECK(error_of("two_places") == "two_places, block (0, 0, 0): threads wait at barriers in lines 8 and 10");
  CHECK(error_of("unwritten") == "");
  CHECK(out[31] == 1.0f);
  CHECK(std::isnan(out[32]));
  CHECK(launch(library.kernel("dynamic"), 1, 64, 256, kOrders[1], out.data(), 64ull) == "");
  CHECK(out[0] == 63.0f);
}

TEST_CASE("C1: the emulator completes asynchronous copies when their thread waits, and names mistakes") {
  std::vector<float> x(132), out(128);
  std::iota(x.begin(), x.end(), 1.0f);
  const auto error_of = [&](const EmulatedLibrary& library, const float* from, int exist, ThreadOrder order) {
    return std::string(launch(library.kernel("copied"), 1, 32, 0, order, out.data(), from, exist));
  };
  const EmulatedLibrary library(emulated_source(kCopies));
  for (const ThreadOrder order : kOrders)
    for (const int exist : {0, 4, 8, 16}) {
      CHECK(error_of(library, x.data(), exist, order) == "");
      for (size_t i = 0; i < 128; ++i) CHECK(out[127 - i] == (i % 4 * 4 < static_cast<size_t>(exist) ? x[i] : 0.0f));
    }
  CHECK(contains(error_of(library, x.data() + 1, 16, kOrders[0]), "the addresses of an asynchronous copy are not multiples of 16"));
  CHECK(error_of(library, x.data() + 1, 0, kOrders[0]) == "");  // nothing is read
  CHECK(contains(error_of(library, x.data(), 20, kOrders[0]), "an asynchronous copy of 20 of 16 bytes"));
  const auto error_without = [&](std::string_view line) {
    return error_of(EmulatedLibrary(emulated_source(without(kCopies, line))), x.data(), 16, kOrders[0]);
  };
  const std::string no_wait = "thread 0 ends without a wait for 1 asynchronous copies";
  CHECK(contains(error_without("  asm volatile(\"cp.async.wait_group 0;\" : : : \"memory\");\n"), no_wait));
  CHECK(contains(error_without("  asm volatile(\"cp.async.commit_group;\" : : : \"memory\");\n"), no_wait));
  CHECK(error_without("  __syncthreads(); // all\n") == "");
  CHECK(std::isnan(out[0]));  // thread 0 reads an element that thread 31 has not copied yet
}

TEST_CASE("C1: a missing barrier changes results in some order of threads, and ThreadSanitizer names its line") {
  const std::string faulty = without(kSum, "    __syncthreads(); // inner\n");
  const EmulatedLibrary library(emulated_source(faulty));
  std::vector<float> x(1000, 1.0f), out(4);
  int wrong = 0;
  for (const ThreadOrder order : kOrders) {
    CHECK(launch(library.kernel("sum"), 4, 256, 0, order, out.data(), x.data(), 1000u) == "");
    wrong += std::accumulate(out.begin(), out.end(), 0.0f) != 1000.0f;
  }
  CHECK(wrong > 0);
  const std::string good_output = output_of_program(with_128_threads(kSum), "-fsanitize=thread", 128);
  CHECK_MESSAGE(good_output == "no error; 1000\n", good_output);
  const std::string output = output_of_program(with_128_threads(faulty), "-fsanitize=thread", 128);
  CHECK_MESSAGE(contains(output, "data race"), output);
  CHECK(contains(output, "program.cu:9"));
  CHECK(contains(output_of_program(kSum, "-fsanitize=thread", 256), "a block of 256 threads; ThreadSanitizer tells at most 250 apart"));
}

TEST_CASE("C1: AddressSanitizer finds an access beyond an array in shared memory") {
  const std::string flags = "-fsanitize=address,undefined -fsanitize-sections=harp_shared -fno-sanitize-recover=all";
  const std::string good_output = output_of_program(kSum, flags, 256);
  CHECK_MESSAGE(good_output == "no error; 1000\n", good_output);
  std::string faulty(kSum);
  faulty.replace(faulty.find("half = 128"), 10, "half = 192");
  const std::string output = output_of_program(faulty, "-fsanitize=address -fsanitize-sections=harp_shared", 256);
  CHECK_MESSAGE(contains(output, "global-buffer-overflow"), output);
}
