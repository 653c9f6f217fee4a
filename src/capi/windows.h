// Checks and converts the lists with counts that windows, convolutions and pools have as arguments (harp.h, at harp_unfold). A caller's
// mistake in a list is reported here, before the graph's constructors are called.
#pragma once

#include "capi/building.h"

namespace harp::capi {

/// A list that the caller passes; `values` may be NULL if `count` is 0.
template <class T>
struct CountedList {
  int32_t count;
  const T* values;

  std::span<const T> get() const { return {values, static_cast<size_t>(count)}; }
};

/// Checks that `count` is one of `counts` (in ascending order), and that `values` is not NULL unless the count is 0. Otherwise throws
/// Error{kShape} or Error{kInvalidArgument}, naming `op` and the list.
void check_list(const char* op, const char* name, int32_t count, const void* values, std::span<const int32_t> counts);
template <class T>
void check_list(const char* op, const char* name, const CountedList<T>& list, std::initializer_list<int32_t> counts) {
  check_list(op, name, list.count, list.values, std::span(counts.begin(), counts.size()));
}

/// Returns the list, which has one number for all axes or one number per axis. For an empty list, returns `otherwise` as the number for all
/// axes.
std::vector<int64_t> window_numbers(const char* op, const char* name, int32_t axes, const CountedList<int64_t>& list, int64_t otherwise);
/// Like window_numbers(), for sizes. The list must not be empty unless there are no axes.
Shape window_sizes(const char* op, const harp_graph& graph, int32_t axes, const CountedList<harp_dim>& sizes);
/// Returns the padding. The list has one number for all axes, one number per axis (for both of its ends), or a pair (before, after) per
/// axis. An empty list means no padding.
std::vector<build::Padding> window_padding(const char* op, const harp_graph& graph, int32_t axes, const CountedList<harp_dim>& padding);

}  // namespace harp::capi
