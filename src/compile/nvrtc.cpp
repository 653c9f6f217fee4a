#include "compile/nvrtc.h"

#include <dlfcn.h>
#include <fcntl.h>

#include <algorithm>

#include "base/error.h"
#include "compile/compiler_command.h"

namespace harp {

namespace {

// first version with --minimal, which omits what the source does not use and reduces the compile time to a third
constexpr int kMinimalSince = 12080;
// First version that has a cache of its own, and the flag --no-cache. harp passes this flag, because it has a cache in a directory that the
// host application chooses, and because NVRTC opens the GPU driver and calls cuInit for its cache, which compiling must not do.
constexpr int kCacheSince = 12090;

int version_number(int major, int minor) { return 1000 * major + 10 * minor; }

}  // namespace

std::shared_ptr<const NvrtcLibrary> NvrtcLibrary::open(System system, const std::string& file, int major, std::string& why_not) {
  std::string reason;
  void* const handle = system.process.open_library(file.c_str(), reason);
  if (handle == nullptr) {
    why_not = reason;
    return nullptr;
  }
  std::shared_ptr<NvrtcLibrary> library(new NvrtcLibrary(system.process, handle));
  if (!library->find_functions() || library->functions_.version(&library->major_, &library->minor_) != 0) {
    why_not = cat(file, ": this is not NVRTC");
    return nullptr;
  }
  if (major != 0 && library->major_ != major) {
    why_not = cat(file, ": expected NVRTC ", major, ", but this is ", library->major_, ".", library->minor_);
    return nullptr;
  }
  library->identify(system, file);
  return library;
}

NvrtcLibrary::~NvrtcLibrary() { process_.close_library(handle_); }

bool NvrtcLibrary::find_functions() {
  bool has_all = true;
  const auto find = [&]<class Function>(const char* name, Function*& function, bool required = true) {
    function = reinterpret_cast<Function*>(process_.find_symbol(handle_, name));
    has_all = has_all && (function != nullptr || !required);
  };
  find("nvrtcVersion", functions_.version);
  find("nvrtcGetErrorString", functions_.error_text);
  find("nvrtcCreateProgram", functions_.create);
  find("nvrtcDestroyProgram", functions_.destroy);
  find("nvrtcCompileProgram", functions_.compile);
  find("nvrtcGetProgramLogSize", functions_.log_size);
  find("nvrtcGetProgramLog", functions_.log);
  find("nvrtcGetCUBINSize", functions_.cubin_size);
  find("nvrtcGetCUBIN", functions_.cubin);
  find("nvrtcGetPTXSize", functions_.ptx_size);
  find("nvrtcGetPTX", functions_.ptx);
  find("nvrtcSetFlowCallback", functions_.set_flow_callback, false);
  return has_all;
}

/// Sets the identity. Builds with the same version number may differ, so the size and time of the library's file are part of the digest. If
/// the file is not known, artifacts are not cached.
void NvrtcLibrary::identify(System system, const std::string& file) {
  Dl_info place{};
  std::string path;
  FileInfo info;
  const bool is_known = dladdr(reinterpret_cast<const void*>(functions_.compile), &place) != 0 && place.dli_fname != nullptr &&
                        system.files.real_path(place.dli_fname, path) >= 0 && system.files.stat_at(AT_FDCWD, path.c_str(), true, info) >= 0;
  identity_.program = is_known ? path : file;
  identity_.version = cat("NVRTC ", major_, ".", minor_);
  identity_.persistent = is_known;
  identity_.digest = Hasher().add("nvrtc").add(identity_.version).add(path).add(info.size).add(info.modified_ns).finish();
}

std::vector<std::string> NvrtcCompiler::command(const CompileRequest& request) const {
  const std::string target = output_ == CudaOutput::kCubin ? std::string(request.target.name) : virtual_architecture(request.target.name);
  std::vector<std::string> words = {"nvrtc", cat("--gpu-architecture=", target), "--std=c++17"};
  const int version = version_number(library_->major(), library_->minor());
  if (version >= kMinimalSince) words.emplace_back("--minimal");
  if (version >= kCacheSince) words.emplace_back("--no-cache");
  const std::vector<std::string> arithmetic = cuda_arithmetic_flags();
  words.insert(words.end(), arithmetic.begin(), arithmetic.end());
  words.insert(words.end(), request.flags.begin(), request.flags.end());
  return words;
}

bool NvrtcCompiler::self_contained(const std::vector<std::string>& flags) const {
  return std::all_of(flags.begin(), flags.end(), [](const std::string& flag) { return is_self_contained_for_cuda(flag); });
}

std::vector<std::byte> NvrtcCompiler::compile(const CompileRequest& request, const Digest&, WorkDirectory&, CompilerSlots& slots,
                                              TimeLimit& limit) const {
  const NvrtcLibrary::Functions& nvrtc = library_->functions_;
  const std::vector<std::string> words = command(request);
  std::string log;
  const auto check = [&](NvrtcLibrary::Result result) {
    if (result != 0)
      throw Error(Code::kCompiler, cat(identity().version, " failed, ", nvrtc.error_text(result), ": ", quote_command(words)), log);
  };
  struct Owned {
    const NvrtcLibrary::Functions& nvrtc;
    NvrtcLibrary::Program program = nullptr;
    ~Owned() {
      if (program != nullptr) nvrtc.destroy(&program);
    }
  } owned{nvrtc};

  const CompilerSlots::Slot slot = slots.take(limit);
  limit.enter("compiling with NVRTC");
  check(nvrtc.create(&owned.program, request.source.c_str(), "unit.cu", 0, nullptr, nullptr));
  const auto must_end = [](void* payload, void*) {
    const auto& time = *static_cast<const TimeLimit*>(payload);
    return cancelled(time.cancel()) || time.is_over() ? 1 : 0;
  };
  if (nvrtc.set_flow_callback != nullptr) check(nvrtc.set_flow_callback(owned.program, must_end, &limit));
  std::vector<const char*> options;
  for (size_t i = 1; i < words.size(); ++i) options.push_back(words[i].c_str());
  const NvrtcLibrary::Result compiled = nvrtc.compile(owned.program, static_cast<int>(options.size()), options.data());
  limit.check();
  size_t size = 0;
  if (compiled != 0 && nvrtc.log_size(owned.program, &size) == 0 && size > 0) {
    log.resize(size);
    if (nvrtc.log(owned.program, log.data()) != 0) log.clear();
    log.erase(std::min(log.find('\0'), log.size()));
  }
  check(compiled);
  const bool is_cubin = output_ == CudaOutput::kCubin;
  check((is_cubin ? nvrtc.cubin_size : nvrtc.ptx_size)(owned.program, &size));
  std::vector<std::byte> bytes(size);
  check((is_cubin ? nvrtc.cubin : nvrtc.ptx)(owned.program, reinterpret_cast<char*>(bytes.data())));
  HARP_CHECK(!bytes.empty(), Code::kCompiler, identity().version, " reported success but made nothing: ", quote_command(words));
  return bytes;
}

}  // namespace harp
