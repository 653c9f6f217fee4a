#include "cuda/emulator/library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"

namespace harp::cuda_test {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A temporary folder; the destructor removes it.
class Folder {
 public:
  Folder() {
    static std::atomic<int> count{0};
    path_ = (std::filesystem::temp_directory_path() / cat("harp_emulator_", getpid(), "_", count++)).string();
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(std::string_view name) const { return cat(path_, "/", name); }

 private:
  std::string path_;
};

}  // namespace

std::vector<std::string> emulator_flags() {
  const char* root = std::getenv("HARP_SOURCE_DIR");
  const std::string folder = cat(root != nullptr ? root : ".", "/tests/cuda/emulator");
  // -ffp-contract=off rounds floats after every operation, as nvcc does with -fmad=false. Signed overflow stays undefined, as it is for
  // nvcc.
  std::vector<std::string> flags = {"-x",          "c++",      "-std=c++17",         "-fPIC", "-shared", "-ffp-contract=off",
                                    "-I" + folder, "-include", folder + "/runtime.h"};
  if (host_machine().cpu().fma) flags.emplace_back("-mfma");
  return flags;
}

EmulatedLibrary::EmulatedLibrary(const std::string& source) {
  const Folder folder;
  const std::string text = folder.file("kernels.cu"), library = folder.file("kernels.so"), log = folder.file("log");
  std::ofstream(text) << source;
  // The kernels use the C library that this process has already loaded. Linking each library of kernels with the C library would take a
  // quarter of the time for a small kernel. libm and libgcc are linked, because the compiler calls their functions for operations that the
  // CPU has no instruction for.
  // Kernels throw nothing, so the tables for unwinding, which each function would have, are left out.
  const std::string command =
      cat(EMULATOR_COMPILER " -O0 -w -fno-exceptions -fno-asynchronous-unwind-tables -DHARP_EMULATOR_KERNELS_ONLY ",
          join(emulator_flags(), " "), " ", text, " -x none " EMULATOR_RUNTIME " -nostdlib -lm -lgcc -o ", library, " >", log, " 2>&1");
  HARP_CHECK(std::system(command.c_str()) == 0, Code::kCompiler, "the compiler rejects emulated kernels:\n", content_of(log));
  handle_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  HARP_CHECK(handle_ != nullptr, Code::kCompiler, "emulated kernels cannot be loaded: ", dlerror());
  kernels_ = reinterpret_cast<EmulatedKernelsFunction>(dlsym(handle_, kEmulatedKernels))(&count_);
}

EmulatedLibrary::~EmulatedLibrary() { dlclose(handle_); }

const EmulatedKernel* EmulatedLibrary::find(std::string_view name) const {
  for (size_t i = 0; i < count_; ++i)
    if (kernels_[i].name == name) return &kernels_[i];
  return nullptr;
}

const EmulatedKernel& EmulatedLibrary::kernel(std::string_view name) const {
  const EmulatedKernel* found = find(name);
  HARP_CHECK(found != nullptr, Code::kInvalidArgument, "there is no emulated kernel ", name);
  return *found;
}

}  // namespace harp::cuda_test
