#include "compile/any_cuda_compiler.h"

#include <algorithm>

#include "base/error.h"

namespace harp {

AnyCudaCompiler::AnyCudaCompiler(CudaOutput output) : output_(output) {
  identity_.version = "any CUDA compiler";
  identity_.digest = Hasher().add(identity_.version).finish();
}

/// Returns the words that identify the compilation in the cache key: the kind of output, and the options that determine the bits of
/// results. No compiler is called with these words, so they need not form a valid command line.
std::vector<std::string> AnyCudaCompiler::command(const CompileRequest& request) const {
  std::vector<std::string> words = {std::string(cuda_suffix(output_))};
  const std::vector<std::string> arithmetic = cuda_arithmetic_flags();
  words.insert(words.end(), arithmetic.begin(), arithmetic.end());
  words.insert(words.end(), request.flags.begin(), request.flags.end());
  return words;
}

bool AnyCudaCompiler::self_contained(const std::vector<std::string>& flags) const {
  return std::all_of(flags.begin(), flags.end(), [](const std::string& flag) { return is_self_contained_for_cuda(flag); });
}

std::vector<std::byte> AnyCudaCompiler::compile(const CompileRequest&, const Digest&, WorkDirectory&, CompilerSlots&, TimeLimit&) const {
  fail(Code::kInternal, identity_.version, " stands for the compilers of cached programs and cannot compile");
}

}  // namespace harp
