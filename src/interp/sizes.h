// What the loops of a run need besides arrays: the values of dimension expressions (each shape variable has a value, so every Dim has one)
// and a check for cancellation.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"

namespace harp::interp {

/// Error message of a cancelled run, for all backends.
inline constexpr std::string_view kRunCancelled = "the run was cancelled: the flag harp_run_options.cancel is set";

class Sizes {
 public:
  /// No variables: only constant dimensions have a value. Constant folding uses it.
  Sizes() = default;
  /// values[i] belongs to dims.variables()[i]. `cancel` is the host's cancellation flag, or null.
  Sizes(const SymTable& dims, std::span<const int64_t> values, const volatile int32_t* cancel = nullptr);

  int64_t value(Dim dim) const;
  std::vector<int64_t> values(const Shape& shape) const;

  /// Throws Error{kCancelled} if the host has cancelled the run. Loops call it about every kElementsPerCancelCheck elements.
  void check_cancelled() const {
    if (cancel_ != nullptr && __atomic_load_n(cancel_, __ATOMIC_RELAXED) != 0) [[unlikely]]
      leave();
  }
  static constexpr int64_t kElementsPerCancelCheck = 1 << 16;
  /// Calls work(begin, count) for parts of [0, n), and checks for cancellation before each.
  template <class Work>
  void in_parts(int64_t n, Work work) const {
    for (int64_t begin = 0; begin < n; begin += kElementsPerCancelCheck) {
      check_cancelled();
      work(begin, n - begin < kElementsPerCancelCheck ? n - begin : kElementsPerCancelCheck);
    }
  }

 private:
  [[noreturn]] static void leave();

  const volatile int32_t* cancel_ = nullptr;
  std::unordered_map<const SymAtom*, int64_t> values_;
};

}  // namespace harp::interp
