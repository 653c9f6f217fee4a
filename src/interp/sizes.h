// What the loops of a run need besides arrays: the value of every dimension expression in this run, which follows from the values of the
// shape variables, and a check for cancellation.
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

  /// Throws Error{kCancelled} if the host has cancelled the run. Loops count their work with CancelChecks, which calls it.
  void check_cancelled() const {
    if (cancel_ != nullptr && __atomic_load_n(cancel_, __ATOMIC_RELAXED) != 0) [[unlikely]]
      leave();
  }

 private:
  [[noreturn]] static void leave();

  const volatile int32_t* cancel_ = nullptr;
  std::unordered_map<const SymAtom*, int64_t> values_;
};

/// Counts the work of an operation's loops, and checks for cancellation each time kElementsPerCheck elements are counted, which take some
/// milliseconds. Nested loops share one object, so many short rows are checked as often as one long row. Cannot be copied: a copy would
/// begin a count of its own.
class CancelChecks {
 public:
  explicit CancelChecks(const Sizes& sizes) : sizes_(sizes) {}
  CancelChecks(const CancelChecks&) = delete;
  CancelChecks& operator=(const CancelChecks&) = delete;

  /// Counts elements that the loop processes next, and checks for cancellation if it is time; the first call always checks. Throws
  /// Error{kCancelled}.
  void count(int64_t elements = 1) {
    if ((left_ -= elements) >= 0) [[likely]]
      return;
    left_ = kElementsPerCheck;
    sizes_.check_cancelled();
  }
  /// Calls work(begin, count) for parts of [0, n) of at most kElementsPerCheck elements, and counts each part before it is processed.
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
