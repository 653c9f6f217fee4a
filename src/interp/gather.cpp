// Evaluates gathers and scatters in two steps: first the indices are converted to positions (by one function for each dtype of indices),
// then elements are copied or combined (by one function for each dtype of elements).
#include "interp/gather.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "interp/element.h"
#include "interp/rules.h"

namespace harp::interp {
namespace {

/// Returns the position that `index` selects among `size` elements. A negative index counts from the end; an index out of bounds is clamped
/// to the nearest element.
template <class T>
int64_t position_of(T index, int64_t size) {
  const WideInt wide = index;
  return static_cast<int64_t>(std::clamp<WideInt>(wide < 0 ? wide + size : wide, 0, size - 1));
}

template <class T>
void fill_positions(const Array& indices, int64_t size, int64_t* positions, const Sizes& sizes) {
  const T* const from = reinterpret_cast<const T*>(indices.data);
  CancelChecks checks(sizes);
  checks.in_parts(indices.count(), [&](int64_t begin, int64_t count) {
    for (int64_t i = begin; i < begin + count; ++i) positions[i] = position_of(from[i], size);
  });
}

/// Returns the positions along an axis of `size` elements that `indices` select, in the same shape. An index that is broadcast (stride 0)
/// is converted only once.
Array positions_of(const Array& indices, int64_t size, const Sizes& sizes) {
  Array distinct = indices;
  for (size_t axis = 0; axis < indices.shape.size(); ++axis)
    if (indices.strides[axis] == 0) distinct.shape[axis] = std::min<int64_t>(indices.shape[axis], 1);
  const Array dense = as_contiguous(distinct, sizes);
  Array result = Array::allocate(DType::kI64, dense.shape);
  int64_t* const positions = reinterpret_cast<int64_t*>(result.data);
  for_integer(indices.dtype, [&]<class T>() { fill_positions<T>(dense, size, positions, sizes); });
  for (size_t axis = 0; axis < indices.shape.size(); ++axis)
    if (indices.strides[axis] == 0) result.strides[axis] = 0;
  result.shape = indices.shape;
  return result;
}

/// Returns the strides, with the stride of `axis` set to 0. The caller adds the offset along that axis, which depends on the index.
std::vector<int64_t> without(std::vector<int64_t> strides, size_t axis) {
  strides[axis] = 0;
  return strides;
}

/// Calls put(element, update) for all updates in row-major order. The updates of one element are therefore applied in their order along the
/// axis.
template <class T, class Put>
void put_updates(const Array& to, const Array& positions, const Array& updates, size_t axis, const Sizes& sizes, Put put) {
  const int64_t along = to.strides[axis];
  const std::vector<int64_t> others = without(to.strides, axis);
  const IndexSpace<3> space(updates.shape, {std::span(others), std::span(positions.strides), std::span(updates.strides)});
  T* const elements = reinterpret_cast<T*>(to.data);
  CancelChecks checks(sizes);
  for_each_run(space, [&](const auto& offsets, const auto& steps, int64_t n) {
    const int64_t* const position = reinterpret_cast<const int64_t*>(positions.data) + offsets[1];
    const T* const update = reinterpret_cast<const T*>(updates.data) + offsets[2];
    checks.in_parts(n, [&](int64_t begin, int64_t count) {
      for (int64_t i = begin; i < begin + count; ++i)
        put(elements[offsets[0] + i * steps[0] + position[i * steps[1]] * along], update[i * steps[2]]);
    });
  });
}

/// Copies updates to their elements. Only bytes are copied, so there is one instance for each element size.
void set_updates(const Array& to, const Array& positions, const Array& updates, size_t axis, const Sizes& sizes) {
  const auto set = [&]<class T>(T) { put_updates<T>(to, positions, updates, axis, sizes, [](T& element, T update) { element = update; }); };
  switch (size_of(to.dtype)) {
    case 1: return set(uint8_t{});
    case 2: return set(uint16_t{});
    case 4: return set(uint32_t{});
    case 8: return set(uint64_t{});
    default: fail(Code::kInternal, "scatter has no rule for elements of ", size_of(to.dtype), " bytes (", name(to.dtype), ")");
  }
}

template <Op combine>
void combine_updates(const Array& to, const Array& positions, const Array& updates, size_t axis, const Sizes& sizes) {
  const auto with = [&]<class T>(T) {
    put_updates<T>(to, positions, updates, axis, sizes, [](T& element, T update) { element = Rule<combine>::apply(element, update); });
  };
  switch (to.dtype) {
    case DType::kI32: return with(int32_t{});
    case DType::kU32: return with(uint32_t{});
    case DType::kI64: return with(int64_t{});
    case DType::kU64: return with(uint64_t{});
    case DType::kF32: return with(float{});
    case DType::kF64: return with(double{});
    default: fail(Code::kInternal, "a scatter that combines by ", name(combine), " has no rule for ", name(to.dtype));
  }
}

}  // namespace

Array evaluate_gather(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  const auto axis = static_cast<size_t>(node.as<GatherAttributes>().axis);
  const Array &x = sources[0], result = Array::allocate(node.dtype, sizes.values(node.shape));
  const int64_t size = x.shape[axis], along = x.strides[axis];
  if (size == 0) {  // the axis is empty, so all results are 0
    fill(result, Scalar{node.dtype, {0, 0}}, sizes);
    return result;
  }
  const Array positions = positions_of(sources[1], size, sizes);
  const std::vector<int64_t> others = without(x.strides, axis);
  const IndexSpace<3> space(result.shape, {std::span(others), std::span(positions.strides), std::span(result.strides)});
  const auto bytes = static_cast<int64_t>(size_of(node.dtype));
  CancelChecks checks(sizes);
  for_each_run(space, [&](const auto& offsets, const auto& steps, int64_t n) {
    const int64_t* const position = reinterpret_cast<const int64_t*>(positions.data) + offsets[1];
    const auto copy = [&](int64_t i, int64_t count) {
      const int64_t from = offsets[0] + i * steps[0] + position[i * steps[1]] * along, to = offsets[2] + i * steps[2];
      std::memcpy(result.data + to * bytes, x.data + from * bytes, static_cast<size_t>(count * bytes));
    };
    // all elements of the run have the same index, and they are adjacent both in x and in the result
    if (steps[1] == 0 && steps[0] == 1 && steps[2] == 1) return checks.in_parts(n, copy);
    checks.in_parts(n, [&](int64_t begin, int64_t count) {
      for (int64_t i = begin; i < begin + count; ++i) copy(i, 1);
    });
  });
  return result;
}

std::optional<IndexFault> first_fault(const Array& indices, int64_t size, const Sizes& sizes) {
  const Array dense = as_contiguous(indices, sizes);
  std::optional<IndexFault> fault;
  for_integer(indices.dtype, [&]<class T>() {
    const T* const from = reinterpret_cast<const T*>(dense.data);
    const int64_t count = dense.count();
    CancelChecks checks(sizes);
    for (int64_t i = 0; i < count; ++i) {
      checks.count();
      const WideInt index = from[i];
      if (index >= -WideInt{size} && index < size) continue;
      fault = IndexFault{0, i, static_cast<int64_t>(std::min<WideInt>(index, INT64_MAX)), size};
      return;
    }
  });
  return fault;
}

Array evaluate_check_index(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  if (node.as<CheckAttributes>().optional) return sources[0];
  const std::optional<IndexFault> fault = first_fault(sources[0], sizes.value(node.as<CheckAttributes>().size), sizes);
  if (!fault) return sources[0];
  const std::vector<CheckSite> sites = check_sites(*node.graph);
  IndexFault here = *fault;
  here.site = first_site(sites, &node);
  throw IndexError(sites[static_cast<size_t>(here.site)].text, here);
}

Array evaluate_scatter(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  const auto axis = static_cast<size_t>(node.as<GatherAttributes>().axis);
  const Array result = Array::allocate(node.dtype, sizes.values(node.shape));
  copy_elements(sources[0], result, sizes);
  const int64_t size = result.shape[axis];
  if (size == 0) return result;  // the axis is empty, so there is nothing to update
  const Array positions = positions_of(sources[1], size, sizes), &updates = sources[2];
  switch (node.op) {
    case Op::kScatterAdd: combine_updates<Op::kAdd>(result, positions, updates, axis, sizes); break;
    case Op::kScatterMul: combine_updates<Op::kMul>(result, positions, updates, axis, sizes); break;
    case Op::kScatterMax: combine_updates<Op::kMax>(result, positions, updates, axis, sizes); break;
    case Op::kScatterMin: combine_updates<Op::kMin>(result, positions, updates, axis, sizes); break;
    case Op::kScatter: set_updates(result, positions, updates, axis, sizes); break;
    default: HARP_ASSERT(false, name(node.op), " is not a scatter");
  }
  return result;
}

}  // namespace harp::interp
