// Contains what the interpreter's loops need besides arrays: the value of every dimension expression in this run, computed from the values
// of the shape variables, and checks for cancellation.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"

namespace harp::interp {

/// The error message of a cancelled run. All backends use it.
inline constexpr std::string_view kRunCancelled = "the run was cancelled: the flag harp_run_options.cancel is set";

class Sizes {
 public:
  /// Without variables: only constant dimensions have a value. Constant folding uses this.
  Sizes() = default;
  /// values[i] is the value of dims.variables()[i]. `cancel` is the host's cancellation flag, or null.
  Sizes(const SymTable& dims, std::span<const int64_t> values, const volatile int32_t* cancel = nullptr);

  int64_t value(Dim dim) const;
  std::vector<int64_t> values(const Shape& shape) const;

  /// Throws Error{kCancelled} if the host has cancelled the run. Loops call it through CancelChecks, which calls it only once for many
  /// elements.
  void check_cancelled() const {
    if (cancel_ != nullptr && __atomic_load_n(cancel_, __ATOMIC_RELAXED) != 0) [[unlikely]]
      leave();
  }

 private:
  [[noreturn]] static void leave();

  const volatile int32_t* cancel_ = nullptr;
  std::unordered_map<const SymAtom*, int64_t> values_;
};

/// Counts the elements that an operation's loops process, and checks for cancellation after every kElementsPerCheck elements, which take
/// some milliseconds. Nested loops share one object, so many short rows are checked as often as one long row. The class cannot be copied,
/// because a copy would have its own count.
class CancelChecks {
 public:
  explicit CancelChecks(const Sizes& sizes) : sizes_(sizes) {}
  CancelChecks(const CancelChecks&) = delete;
  CancelChecks& operator=(const CancelChecks&) = delete;

  /// Counts elements that the loop processes next, and checks for cancellation if kElementsPerCheck elements have been counted since the
  /// last check. The first call always checks. Throws Error{kCancelled}.
  void count(int64_t elements = 1) {
    if ((left_ -= elements) >= 0) [[likely]]
      return;
    left_ = kElementsPerCheck;
    sizes_.check_cancelled();
  }
  /// Divides [0, n) into parts of at most kElementsPerCheck elements. For each part, counts its elements and then calls work(begin, count).
  template <class Work>
  void in_parts(int64_t n, Work work) {
    for (int64_t begin = 0; begin < n; begin += kElementsPerCheck) {
      const int64_t part = n - begin < kElementsPerCheck ? n - begin : kElementsPerCheck;
      count(part);
      work(begin, part);
    }
  }

 private:
  static constexpr int64_t kElementsPerCheck = 1 << 16;

  const Sizes& sizes_;
  int64_t left_ = 0;
};

}  // namespace harp::interp
