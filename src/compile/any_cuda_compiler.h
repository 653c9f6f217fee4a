// Defines the compiler "any CUDA compiler", which compiles nothing: it only has a cache key. Every new artifact is also stored under this
// key. A machine that has a GPU driver but no CUDA compiler can then run cached programs: with HARP_MATH_STABLE, the code of every compiler
// gives the same bits.
#pragma once

#include "compile/compiler.h"
#include "compile/cuda_flags.h"

namespace harp {

class AnyCudaCompiler final : public Compiler {
 public:
  explicit AnyCudaCompiler(CudaOutput output);

  std::string_view name() const override { return "cuda"; }
  std::string_view suffix() const override { return cuda_suffix(output_); }
  const CompilerIdentity& identity() const override { return identity_; }
  std::vector<std::string> command(const CompileRequest& request) const override;
  bool self_contained(const std::vector<std::string>& flags) const override;
  /// Always throws Error{kInternal}: this class has only a cache key and compiles nothing.
  std::vector<std::byte> compile(const CompileRequest& request, const Digest& key, WorkDirectory& work, CompilerSlots& slots,
                                 TimeLimit& limit) const override;

 private:
  CudaOutput output_;
  CompilerIdentity identity_;
};

}  // namespace harp
