// Runs nvcc, the CUDA compiler as a program. It is used on machines that have a CUDA toolkit but no NVRTC, and it needs a C++ compiler on
// PATH.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "compile/cuda_flags.h"

namespace harp {

/// An nvcc that was found and has printed its version. Immutable.
struct NvccProgram {
  std::vector<std::string> words;  // words[0] is the absolute path of the program
  int major = 0, minor = 0;
  CompilerIdentity identity;

  /// Runs the command to ask for its version. If `command` is empty, tries nvcc on PATH and then /usr/local/cuda/bin/nvcc. Returns NULL
  /// with a reason in `why_not` if the command does not exist or prints no version.
  static std::shared_ptr<const NvccProgram> find(System system, const std::string& command, TimeLimit& limit, std::string& why_not);
};

class NvccCompiler final : public Compiler {
 public:
  NvccCompiler(System system, std::shared_ptr<const NvccProgram> program, CudaOutput output)
      : system_(system), program_(std::move(program)), output_(output) {}

  std::string_view name() const override { return "cuda"; }
  std::string_view suffix() const override { return cuda_suffix(output_); }
  const CompilerIdentity& identity() const override { return program_->identity; }
  std::vector<std::string> command(const CompileRequest& request) const override;
  bool self_contained(const std::vector<std::string>& flags) const override;
  std::vector<std::byte> compile(const CompileRequest& request, const Digest& key, WorkDirectory& work, CompilerSlots& slots,
                                 TimeLimit& limit) const override;

 private:
  System system_;
  std::shared_ptr<const NvccProgram> program_;
  CudaOutput output_;
};

}  // namespace harp
