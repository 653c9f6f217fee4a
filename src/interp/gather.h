// Elements by data: which one is taken, or changed, is itself a number of an array.
#pragma once

#include <optional>

#include "graph/index_fault.h"
#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

Array evaluate_gather(const Node& node, std::span<const Array> sources, const Sizes& sizes);
Array evaluate_scatter(const Node& node, std::span<const Array> sources, const Sizes& sizes);
/// The indices. IndexError where one names no element.
Array evaluate_check_index(const Node& node, std::span<const Array> sources, const Sizes& sizes);
/// The first of the integers that is none of -size … size - 1; its site is 0.
std::optional<IndexFault> first_fault(const Array& indices, int64_t size, const Sizes& sizes);

}  // namespace harp::interp
