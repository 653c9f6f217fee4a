#include "render/host/sharing.h"

#include <algorithm>

namespace harp::render {
namespace {

/// Maximum number of kernels that one call runs concurrently. Their argument structs are on the stack at the same time.
constexpr size_t kMaxTogether = 16;

}  // namespace

Sharing::Sharing(const ir::Module& module, const RenderOptions& options)
    : module_(module), share_(std::max<int64_t>(1, 1000 * options.share_ns)) {}

std::vector<std::span<const ir::Launch>> Sharing::together(const ir::Generation& generation) {
  std::vector<std::span<const ir::Launch>> parts;
  for (std::span<const ir::Launch> left = generation.launches; !left.empty(); left = left.subspan(parts.back().size()))
    parts.push_back(left.first(std::min(kMaxTogether, left.size())));
  return parts;
}

bool Sharing::is_worth_sharing(std::span<const ir::Launch> launches) const {
  const auto kernel_of = [this](const ir::Launch& launch) -> const ir::Kernel& {
    return module_.kernels[static_cast<size_t>(launch.kernel)];
  };
  if (launches.size() == 1 && ir::iterations(kernel_of(launches[0])).is_constant(1)) return false;
  int64_t left = least();
  for (const ir::Launch& launch : launches) {
    const Sym work = kernel_of(launch).work, count = ir::iterations(kernel_of(launch));
    if (!count.is_constant() || count.constant() < 1 || !work.is_constant() || work.constant() >= left) return true;
    left -= std::max<int64_t>(0, work.constant());
  }
  return false;
}

}  // namespace harp::render
