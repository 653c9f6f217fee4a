#include "interp/movement.h"

#include <optional>

#include "base/error.h"

namespace harp::interp {
namespace {

int64_t byte_offset(const Array& array, int64_t elements) { return elements * static_cast<int64_t>(size_of(array.dtype)); }

/// Returns strides with which the same memory is a view of another shape, or nothing if the elements must be copied. Both shapes are split
/// into the smallest groups of adjacent axes whose sizes have equal products. Within each group, the source's axes must be contiguous.
std::optional<std::vector<int64_t>> reshaped_strides(const Array& source, std::span<const int64_t> shape) {
  if (source.count() == 0) return row_major_strides(shape);
  const IndexSpace<1> merged(source.shape, {std::span(source.strides)});
  std::vector<int64_t> strides(shape.size(), 0);
  size_t next = 0;  // target axis
  for (size_t axis = 0; axis < merged.shape.size(); ++axis) {
    const size_t first = next;
    int64_t covered = 1;
    while (covered < merged.shape[axis]) covered *= shape[next++];
    if (covered != merged.shape[axis]) return std::nullopt;
    int64_t stride = merged.strides[0][axis];
    for (size_t k = next; k-- > first;) {
      strides[k] = stride;
      stride *= shape[k];
    }
  }
  return strides;
}

/// Returns the view of `whole` that begins at index `start` and has the given shape.
Array part_of(const Array& whole, std::span<const int64_t> start, std::span<const int64_t> shape) {
  Array part = whole;
  part.shape.assign(shape.begin(), shape.end());
  for (int axis = 0; axis < part.rank(); ++axis) part.data += byte_offset(whole, start[axis] * whole.strides[axis]);
  return part;
}

}  // namespace

Array evaluate_permute(const Node& node, std::span<const Array> sources, const Sizes&) {
  const Array& source = sources[0];
  Array result = source;
  const std::vector<int>& axes = node.as<PermuteAttributes>().axes;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    result.shape[axis] = source.shape[axes[axis]];
    result.strides[axis] = source.strides[axes[axis]];
  }
  return result;
}

Array evaluate_expand(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  Array result = sources[0];
  const std::vector<int64_t> shape = sizes.values(node.shape);
  for (int axis = 0; axis < result.rank(); ++axis) {
    if (shape[axis] == result.shape[axis]) continue;
    HARP_CHECK(result.shape[axis] == 1, Code::kShape, "expand: axis ", axis, " of size ", result.shape[axis], " cannot stretch to ",
               shape[axis]);
    result.shape[axis] = shape[axis];
    result.strides[axis] = 0;
  }
  return result;
}

Array evaluate_reshape(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  Array result = sources[0];
  std::vector<int64_t> shape = sizes.values(node.shape);
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  HARP_CHECK(count == result.count(), Code::kShape, "reshape: [", join(result.shape, ", "), "] has ", result.count(), " elements, [",
             join(shape, ", "), "] has ", count);
  std::optional<std::vector<int64_t>> strides = reshaped_strides(result, shape);
  if (!strides) {
    result = as_contiguous(result, sizes);
    strides = row_major_strides(shape);
  }
  result.shape = std::move(shape);
  result.strides = *std::move(strides);
  return result;
}

Array evaluate_slice(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  const SliceAttributes& slice = node.as<SliceAttributes>();
  Array result = sources[0];
  result.shape = sizes.values(node.shape);
  if (result.count() == 0) {  // the start of an empty slice may be out of range
    result.strides = row_major_strides(result.shape);
    return result;
  }
  for (int axis = 0; axis < result.rank(); ++axis) {
    const int64_t start = sizes.value(slice.start[axis]);
    const int64_t last = start + (result.shape[axis] - 1) * slice.step[axis];
    const int64_t size = sources[0].shape[axis];
    HARP_CHECK(start >= 0 && start < size && last >= 0 && last < size, Code::kRange, "slice: elements ", start, " to ", last, " of axis ",
               axis, " are taken, but the axis has size ", size);
    result.data += byte_offset(result, start * result.strides[axis]);
    result.strides[axis] *= slice.step[axis];
  }
  return result;
}

Array evaluate_pad(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  const PadAttributes& pad = node.as<PadAttributes>();
  const Array result = Array::allocate(node.dtype, sizes.values(node.shape));
  std::vector<int64_t> start;
  for (size_t axis = 0; axis < pad.before.size(); ++axis) {
    start.push_back(sizes.value(pad.before[axis]));
    HARP_CHECK(start[axis] >= 0 && start[axis] + sources[0].shape[axis] <= result.shape[axis], Code::kRange, "pad: axis ", axis,
               " of size ", sources[0].shape[axis], " with ", start[axis], " elements before it does not fit the result's size ",
               result.shape[axis]);
  }
  fill(result, pad.value, sizes);
  copy_elements(sources[0], part_of(result, start, sources[0].shape), sizes);
  return result;
}

Array evaluate_unfold(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  const UnfoldAttributes& unfold = node.as<UnfoldAttributes>();
  Array result = sources[0];
  const int64_t stride = result.strides[unfold.axis];
  result.shape = sizes.values(node.shape);
  result.strides[unfold.axis] = stride * unfold.stride;
  result.strides.push_back(stride * unfold.dilation);
  if (result.count() == 0) return result;
  const int64_t last = (result.shape[unfold.axis] - 1) * unfold.stride + (result.shape.back() - 1) * unfold.dilation;
  HARP_CHECK(last < sources[0].shape[unfold.axis], Code::kRange, "unfold: windows reach element ", last, " of axis ", unfold.axis,
             ", but the axis has size ", sources[0].shape[unfold.axis]);
  return result;
}

Array evaluate_concat(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  const int axis = node.as<ConcatAttributes>().axis;
  const Array result = Array::allocate(node.dtype, sizes.values(node.shape));
  std::vector<int64_t> start(result.shape.size(), 0);
  for (const Array& source : sources) {
    HARP_CHECK(start[axis] + source.shape[axis] <= result.shape[axis], Code::kShape, "concat: the operands have more than the ",
               result.shape[axis], " elements of the result along axis ", axis);
    copy_elements(source, part_of(result, start, source.shape), sizes);
    start[axis] += source.shape[axis];
  }
  HARP_CHECK(start[axis] == result.shape[axis], Code::kShape, "concat: the operands have ", start[axis], " elements along axis ", axis,
             ", the result ", result.shape[axis]);
  return result;
}

Array evaluate_contiguous(const Node&, std::span<const Array> sources, const Sizes&) { return sources[0]; }

}  // namespace harp::interp
