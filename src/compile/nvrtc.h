// Calls NVRTC, the CUDA compiler as a library, which is looked up at run time and compiles inside this process. Cancellation and timeout
// reach it through its flow callback, which versions before 12.9 lack; with those, a compilation cannot be interrupted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "compile/cuda_flags.h"

namespace harp {

/// A library that was opened with dlopen and is NVRTC. Thread-safe.
class NvrtcLibrary {
 public:
  /// Opens a library file; a name without a slash is searched for as dlopen does. Returns NULL with a reason in `why_not` if the file does
  /// not exist, is not NVRTC, or has another major version than `major` (0: any version).
  static std::shared_ptr<const NvrtcLibrary> open(System system, const std::string& file, int major, std::string& why_not);
  ~NvrtcLibrary();
  NvrtcLibrary(const NvrtcLibrary&) = delete;
  NvrtcLibrary& operator=(const NvrtcLibrary&) = delete;

  int major() const { return major_; }
  int minor() const { return minor_; }
  const CompilerIdentity& identity() const { return identity_; }

 private:
  friend class NvrtcCompiler;
  using Result = int32_t;                // nvrtcResult
  using Program = struct NvrtcProgram*;  // nvrtcProgram
  struct Functions {
    Result (*version)(int* major, int* minor);
    const char* (*error_text)(Result);
    Result (*create)(Program*, const char* source, const char* name, int headers, const char* const*, const char* const*);
    Result (*destroy)(Program*);
    Result (*compile)(Program, int count, const char* const* options);
    Result (*log_size)(Program, size_t*);
    Result (*log)(Program, char*);
    Result (*cubin_size)(Program, size_t*);
    Result (*cubin)(Program, char*);
    Result (*ptx_size)(Program, size_t*);
    Result (*ptx)(Program, char*);
    /// NULL in versions without this function. NVRTC stops the compilation when the callback returns nonzero.
    Result (*set_flow_callback)(Program, int (*callback)(void* payload, void* unused), void* payload);
  };
  NvrtcLibrary(Process& process, void* handle) : process_(process), handle_(handle) {}
  bool find_functions();
  void identify(System system, const std::string& file);

  Process& process_;
  void* handle_;
  Functions functions_{};
  int major_ = 0, minor_ = 0;
  CompilerIdentity identity_;
};

class NvrtcCompiler final : public Compiler {
 public:
  NvrtcCompiler(std::shared_ptr<const NvrtcLibrary> library, CudaOutput output) : library_(std::move(library)), output_(output) {}

  std::string_view name() const override { return "cuda"; }
  std::string_view suffix() const override { return cuda_suffix(output_); }
  const CompilerIdentity& identity() const override { return library_->identity(); }
  std::vector<std::string> command(const CompileRequest& request) const override;
  bool self_contained(const std::vector<std::string>& flags) const override;
  std::vector<std::byte> compile(const CompileRequest& request, const Digest& key, WorkDirectory& work, CompilerSlots& slots,
                                 TimeLimit& limit) const override;

 private:
  std::shared_ptr<const NvrtcLibrary> library_;
  CudaOutput output_;
};

}  // namespace harp
