// Decides which launches several workers may run. Only if there is such a launch does the generated source contain the code that
// distributes work: that code takes gcc longer to compile than a small kernel.
#pragma once

#include <span>
#include <vector>

#include "ir/ir.h"
#include "render/options.h"

namespace harp::render {

class Sharing {
 public:
  Sharing(const ir::Module& module, const RenderOptions& options);

  /// Returns the least work for which it pays to use one more worker, in units of half a nanosecond.
  int64_t share() const { return share_; }
  /// Tests whether these launches may have enough work for a second worker, as far as is known at compile time.
  bool is_worth_sharing(std::span<const ir::Launch> launches) const;
  /// Splits the launches of a generation into groups. For each group, kernel_main contains one call that runs its launches concurrently.
  static std::vector<std::span<const ir::Launch>> together(const ir::Generation& generation);

 private:
  const ir::Module& module_;
  const int64_t share_;
};

}  // namespace harp::render
