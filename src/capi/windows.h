// Arguments that are lists with counts, as windows, convolutions and pools take them (harp.h, at harp_unfold). These functions report a
// caller's mistake in a list before the graph's constructors see it.
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

/// Checks that the count is one of `counts` (in ascending order) and that `values` is not NULL unless the count is 0. Error{kShape,
/// kInvalidArgument} naming `op` and the list.
void check_list(const char* op, const char* name, int32_t count, const void* values, std::span<const int32_t> counts);
template <class T>
void check_list(const char* op, const char* name, const CountedList<T>& list, std::initializer_list<int32_t> counts) {
  check_list(op, name, list.count, list.values, std::span(counts.begin(), counts.size()));
}

/// Accepts one number for all axes or one per axis. An empty list gives `otherwise` for all axes.
std::vector<int64_t> window_numbers(const char* op, const char* name, int32_t axes, const CountedList<int64_t>& list, int64_t otherwise);
/// Like window_numbers() for sizes, of which at least one is required unless there are no axes.
Shape window_sizes(const char* op, const harp_graph& graph, int32_t axes, const CountedList<harp_dim>& sizes);
/// Accepts one number for all axes, one per axis (both before and after it) or a pair (before, after) per axis. An empty list means no
/// padding.
std::vector<build::Padding> window_padding(const char* op, const harp_graph& graph, int32_t axes, const CountedList<harp_dim>& padding);

}  // namespace harp::capi
