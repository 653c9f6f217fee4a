// Lists with counts, as windows, convolutions and pools take them (harp.h, at harp_unfold): a caller's mistake in one is found here, before
// the graph's constructors see the list.
#pragma once

#include "capi/building.h"

namespace harp::capi {

/// A caller's list; `values` may be NULL where `count` is 0.
template <class T>
struct CountedList {
  int32_t count;
  const T* values;

  std::span<const T> get() const { return {values, static_cast<size_t>(count)}; }
};

/// There are as many numbers as one of `counts`, which ascend, says, and an array where there are some. Error{kShape, kInvalidArgument}
/// naming op and the list.
void check_list(const char* op, const char* name, int32_t count, const void* values, std::span<const int32_t> counts);
template <class T>
void check_list(const char* op, const char* name, const CountedList<T>& list, std::initializer_list<int32_t> counts) {
  check_list(op, name, list.count, list.values, std::span(counts.begin(), counts.size()));
}

/// One number for every axis, or one an axis; `otherwise`, for every axis, where there are none.
std::vector<int64_t> window_numbers(const char* op, const char* name, int32_t axes, const CountedList<int64_t>& list, int64_t otherwise);
/// The same of sizes, which have to be given where there are axes.
Shape window_sizes(const char* op, const harp_graph& graph, int32_t axes, const CountedList<harp_dim>& sizes);
/// One number for every axis, one an axis (each both before and after it), or two an axis. None: no padding.
std::vector<build::Padding> window_padding(const char* op, const harp_graph& graph, int32_t axes, const CountedList<harp_dim>& padding);

}  // namespace harp::capi
