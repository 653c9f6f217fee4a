// Decides which launches may be executed by several workers. If no launch may, the generated source does not contain the code that
// distributes work, because gcc needs more time to compile that code than a small kernel.
#pragma once

#include <span>
#include <vector>

#include "ir/ir.h"
#include "render/options.h"

namespace harp::render {

class Sharing {
 public:
  Sharing(const ir::Module& module, const RenderOptions& options);

  /// Returns the least work for which one more worker saves time, in picoseconds.
  int64_t share() const { return share_; }
  /// Returns the least work that several workers may run, in picoseconds: a share for each of two workers.
  int64_t least() const { return 2 * share_; }
  /// Tests whether these launches may have enough work for a second worker, as far as the work is known at compile time.
  bool is_worth_sharing(std::span<const ir::Launch> launches) const;
  /// Splits the launches of a generation (launches that do not depend on each other) into groups of launches that run concurrently.
  /// kernel_main contains one call for each group.
  static std::vector<std::span<const ir::Launch>> together(const ir::Generation& generation);

 private:
  const ir::Module& module_;
  const int64_t share_;
};

}  // namespace harp::render
