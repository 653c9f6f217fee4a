// Tests that harp compiles a kernel with each of NVIDIA's compilers: with NVRTC 13 and 12 in this process, and with nvcc as a separate
// program. The compilers come from the Python packages of the group "cuda". No GPU is needed. The tests check that the results are machine
// code for a GPU, or PTX with the same arithmetic as the source.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "compile/cache_key.h"
#include "compile/nvcc.h"
#include "compile/nvrtc.h"
#include "cuda/fake/fake_cuda.h"
#include "support/skip.h"

using namespace harp;

namespace {

constexpr const char* kKernel = R"(
extern "C" __global__ void __launch_bounds__(256, 4) kernel_0(float* y, const float* x, long long n) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) y[i] = sqrtf(x[i] * 3.0f + 1.0f) / (x[i] + 2.0f);
}
)";

/// Returns the file whose path ends with this text among the installed packages of the group "cuda" (NVIDIA's compilers). If the packages
/// are not installed, the test case counts as skipped; in continuous integration it fails.
std::string installed(const std::string& end) {
  const char* build = std::getenv("HARP_BUILD_DIR");
  const std::filesystem::path root = std::filesystem::path(build != nullptr ? build : ".") / "cuda_venv";
  if (std::filesystem::exists(root))
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(root, std::filesystem::directory_options::skip_permission_denied))
      if (entry.path().string().ends_with(end)) return entry.path().string();
  const char* ci = std::getenv("CI");
  if (ci != nullptr && std::string(ci) == "true") FAIL("the group cuda is not installed; ./dev setup cuda");
  throw testing::Skip{"the group cuda is not installed; ./dev setup cuda"};
}

/// The file system, processes and limits that a compilation uses.
struct Workplace {
  RealFileSystem files;
  RealProcess process;
  System system{files, process};
  CompilerSlots slots{1, 0};

  std::vector<std::byte> compile(const Compiler& compiler, const std::string& source, const char* target, CancelFlag cancel = nullptr) {
    int error = 0;
    std::optional<WorkDirectory> work = WorkDirectory::create_in(system, "/tmp", error);
    REQUIRE(work.has_value());
    TimeLimit limit(process, std::chrono::minutes(20), Deadline::max(), cancel);
    return compiler.compile(request(source, target), Digest{}, *work, slots, limit);
  }
  static CompileRequest request(const std::string& source, const char* target) {
    CompileRequest made;
    made.source = source;
    made.target = Machine{target, {}};
    return made;
  }
  std::shared_ptr<const NvrtcLibrary> nvrtc(const std::string& file) {
    std::string why_not;
    std::shared_ptr<const NvrtcLibrary> library = NvrtcLibrary::open(system, file, 0, why_not);
    REQUIRE_MESSAGE(library != nullptr, why_not);
    return library;
  }
  std::shared_ptr<const NvccProgram> nvcc() {
    std::string why_not;
    TimeLimit limit(process, std::chrono::minutes(20));
    std::shared_ptr<const NvccProgram> program = NvccProgram::find(system, installed("/cu13/bin/nvcc"), limit, why_not);
    REQUIRE_MESSAGE(program != nullptr, why_not);
    return program;
  }
};

bool is_cubin(const std::vector<std::byte>& bytes) {
  constexpr unsigned kCuda = 190;  // EM_CUDA, the value of e_machine in the header of an ELF file with CUDA code
  return bytes.size() > 64 && std::string(reinterpret_cast<const char*>(bytes.data()), 4) == "\177ELF" &&
         (std::to_integer<unsigned>(bytes[18]) | std::to_integer<unsigned>(bytes[19]) << 8) == kCuda;
}

/// Checks that the PTX has exactly the operations of the source with IEEE 754 rounding: no fused multiply-adds, no approximate operations,
/// and none that flush subnormals to zero.
void check_ptx(const std::vector<std::byte>& bytes, const std::string& target) {
  REQUIRE(!bytes.empty());
  CHECK(bytes.back() == std::byte{0});
  const std::string ptx(reinterpret_cast<const char*>(bytes.data()));
  CHECK(ptx.size() + 1 == bytes.size());
  CHECK_MESSAGE(ptx.find(".target " + target) != std::string::npos, ptx);
  for (const char* word : {".visible .entry kernel_0(", "mul.", "add.", "sqrt.rn.f32", "div.rn.f32"})
    CHECK_MESSAGE(ptx.find(word) != std::string::npos, word, " is not in ", ptx);
  for (const char* word : {"fma.", ".ftz", ".approx"}) CHECK_MESSAGE(ptx.find(word) == std::string::npos, word, " is in ", ptx);
}

void check_compiler(Workplace& workplace, const std::function<std::unique_ptr<Compiler>(CudaOutput)>& make) {
  const std::unique_ptr<Compiler> cubin = make(CudaOutput::kCubin), ptx = make(CudaOutput::kPtx);
  CHECK(cubin->suffix() == ".cubin");
  for (const char* target : {"sm_80", "sm_90"}) {
    CAPTURE(target);
    CHECK(is_cubin(workplace.compile(*cubin, kKernel, target)));
  }
  check_ptx(workplace.compile(*ptx, kKernel, "sm_80"), "sm_80");
  // Equal requests have equal cache keys. The keys of two targets, and of the two kinds of output, differ.
  const auto key = [](const Compiler& compiler, const char* target) {
    const CompileRequest request = Workplace::request(kKernel, target);
    return cache_key(compiler, request, compiler.command(request));
  };
  CHECK(key(*cubin, "sm_80") == key(*make(CudaOutput::kCubin), "sm_80"));
  CHECK(key(*cubin, "sm_80") != key(*cubin, "sm_90"));
  CHECK(key(*cubin, "sm_80") != key(*ptx, "sm_80"));

  try {
    workplace.compile(*cubin, "extern \"C\" __global__ void kernel_0() { no_such_name(); }", "sm_80");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code == Code::kCompiler);
    CHECK_MESSAGE(error.compiler_output.find("no_such_name") != std::string::npos, error.compiler_output);
    CHECK_MESSAGE(error.message.find("failed, ") != std::string::npos, error.message);
  }
  const int32_t set = 1;
  try {
    workplace.compile(*cubin, kKernel, "sm_80", &set);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code == Code::kCancelled);
  }
}

}  // namespace

TEST_CASE("C1: NVRTC 13 compiles for GPUs") {
  // NVRTC must not use the driver. The fake driver lacks a function that NVRTC's own cache would call, so NVRTC would crash if it used the
  // driver.
  const fake_cuda::Driver driver;
  Workplace workplace;
  const auto library = workplace.nvrtc(installed("/libnvrtc.so.13"));
  CHECK(library->major() == 13);
  check_compiler(workplace, [&](CudaOutput output) { return std::make_unique<NvrtcCompiler>(library, output); });
  CHECK(driver.calls("cuInit") == 0);
}

TEST_CASE("C1: NVRTC 12 compiles for GPUs") {
  const fake_cuda::Driver driver;
  Workplace workplace;
  const auto library = workplace.nvrtc(installed("/libnvrtc.so.12"));
  CHECK(library->major() == 12);
  check_compiler(workplace, [&](CudaOutput output) { return std::make_unique<NvrtcCompiler>(library, output); });
  CHECK(driver.calls("cuInit") == 0);
}

TEST_CASE("C1: nvcc compiles for GPUs") {
  Workplace workplace;
  const auto program = workplace.nvcc();
  CHECK(program->major == 13);
  check_compiler(workplace, [&](CudaOutput output) { return std::make_unique<NvccCompiler>(workplace.system, program, output); });
}

TEST_CASE("C1: what is not a CUDA compiler is refused") {
  Workplace workplace;
  std::string why_not;
  CHECK(NvrtcLibrary::open(workplace.system, "/no/libnvrtc.so.13", 13, why_not) == nullptr);
  CHECK_MESSAGE(why_not.find("/no/libnvrtc.so.13") != std::string::npos, why_not);
  CHECK(NvrtcLibrary::open(workplace.system, "libm.so.6", 0, why_not) == nullptr);
  CHECK(why_not == "libm.so.6: this is not NVRTC");
  TimeLimit limit(workplace.process, std::chrono::minutes(20));
  CHECK(NvccProgram::find(workplace.system, "/no/nvcc", limit, why_not) == nullptr);
  CHECK(why_not == "/no/nvcc: no such program");
  CHECK(NvccProgram::find(workplace.system, "true", limit, why_not) == nullptr);
  CHECK_MESSAGE(why_not.find("expected --version to print a release, but: exit status 0") != std::string::npos, why_not);
}
