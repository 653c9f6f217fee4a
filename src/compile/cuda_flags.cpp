#include "compile/cuda_flags.h"

#include <algorithm>

#include "base/text.h"

namespace harp {

std::string_view cuda_suffix(CudaOutput output) { return output == CudaOutput::kCubin ? ".cubin" : ".ptx"; }

std::string virtual_architecture(std::string_view target) { return cat("compute_", target.substr(target.find('_') + 1)); }

std::vector<std::string> cuda_arithmetic_flags() { return {"--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false"}; }

bool is_self_contained_for_cuda(std::string_view flag) {
  if (flag.find('/') != flag.npos || flag.find('@') != flag.npos) return false;
  constexpr std::string_view kPrefixes[] = {"-D", "-U", "-w", "-lineinfo", "--generate-line-info", "--maxrregcount=", "-maxrregcount="};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes), [&](std::string_view prefix) { return flag.starts_with(prefix); });
}

}  // namespace harp
