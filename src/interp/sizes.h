// What the loops of a run need besides arrays: values of dimension expressions (each shape variable has a number, so every Dim has one),
// and whether the run was cancelled.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"

namespace harp::interp {

/// What a run says that its host has cancelled, whatever the backend.
inline constexpr std::string_view kRunCancelled = "the run was cancelled: the flag harp_run_options.cancel is set";

class Sizes {
 public:
  /// No variables: only constant dimensions have a value (what constant folding needs).
  Sizes() = default;
  /// values[i] belongs to dims.variables()[i]. `cancel`: the flag by which the host ends the run, or null.
  Sizes(const SymTable& dims, std::span<const int64_t> values, const volatile int32_t* cancel = nullptr);

  int64_t value(Dim dim) const;
  std::vector<int64_t> values(const Shape& shape) const;

  /// Throws Error{kCancelled} where the host has ended the run. Loops do so about every kElementsToALook elements.
  void look() const {
    if (cancel_ != nullptr && __atomic_load_n(cancel_, __ATOMIC_RELAXED) != 0) [[unlikely]]
      leave();
  }
  static constexpr int64_t kElementsToALook = 1 << 16;
  /// work(begin, count) for parts of [0, n), with a look before each.
  template <class Work>
  void in_parts(int64_t n, Work work) const {
    for (int64_t begin = 0; begin < n; begin += kElementsToALook) {
      look();
      work(begin, n - begin < kElementsToALook ? n - begin : kElementsToALook);
    }
  }

 private:
  [[noreturn]] static void leave();

  const volatile int32_t* cancel_ = nullptr;
  std::unordered_map<const SymAtom*, int64_t> values_;
};

}  // namespace harp::interp
