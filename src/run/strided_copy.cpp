#include "run/strided_copy.h"

#include <array>
#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace harp {
namespace {

struct Axis {
  int64_t size, stride;  // stride in bytes
};

/// The axes of the strided memory, outermost first. Each element of the innermost axis consists of `run` contiguous bytes.
struct Layout {
  std::array<Axis, kMaxRank> axes{};
  size_t rank = 0;
  size_t run = 0;
};

/// Returns the layout of the strided memory with as few axes and with as long contiguous runs as possible: axes that can be combined into
/// one are combined.
Layout simplified(const ArrayType& type, std::span<const int64_t> strides) {
  constexpr int64_t kBeyond = int64_t{1} << 62;  // more bytes than any memory has; sums and products below this limit fit 63 bits
  Layout layout;
  int64_t reach = 0;  // distance in bytes between the two elements that are furthest apart
  for (size_t i = 0; i < strides.size(); ++i) {
    const Axis axis{type.dims[i], strides[i]};
    if (axis.size == 1) continue;
    int64_t distance = 0;
    const bool fits = !__builtin_mul_overflow(axis.size - 1, axis.stride, &distance) && -kBeyond < distance && distance < kBeyond;
    reach += fits ? std::abs(distance) : kBeyond;
    HARP_CHECK(reach < kBeyond, Code::kOverflow, "strides of [", join(strides, ", "), "] bytes for ", to_string(type),
               ": elements would be 2^62 bytes apart or more");
    Axis* outer = layout.rank > 0 ? &layout.axes[layout.rank - 1] : nullptr;
    if (outer != nullptr && outer->stride == axis.size * axis.stride)
      *outer = {outer->size * axis.size, axis.stride};
    else
      layout.axes[layout.rank++] = axis;
  }
  layout.run = size_of(type.dtype);
  if (layout.rank > 0 && layout.axes[layout.rank - 1].stride == static_cast<int64_t>(layout.run))
    layout.run *= static_cast<size_t>(layout.axes[--layout.rank].size);
  return layout;
}

// kOut: from the row-major array to the strided memory; kIn: from the strided memory to the row-major array.
enum class Direction { kOut, kIn };

template <Direction direction>
void copy_run(std::byte* inside, std::byte* outside, size_t bytes) {
  if (direction == Direction::kOut)
    std::memcpy(outside, inside, bytes);
  else
    std::memcpy(inside, outside, bytes);
}

/// Copies along one axis. kRun is the number of contiguous bytes of each element of the axis. As it is a constant, a single move
/// instruction copies an element. If kRun is 0, the parameter `run` is the number of bytes instead.
template <Direction direction, size_t kRun>
void copy_axis(std::byte* inside, std::byte* outside, const Axis& axis, size_t run) {
  const size_t bytes = kRun != 0 ? kRun : run;
  for (int64_t i = 0; i < axis.size; ++i) copy_run<direction>(inside + static_cast<size_t>(i) * bytes, outside + i * axis.stride, bytes);
}

template <Direction direction>
auto copy_axis_of(size_t run) {
  switch (run) {
    case 1: return &copy_axis<direction, 1>;
    case 2: return &copy_axis<direction, 2>;
    case 4: return &copy_axis<direction, 4>;
    case 8: return &copy_axis<direction, 8>;
    case 16: return &copy_axis<direction, 16>;
    default: return &copy_axis<direction, 0>;
  }
}

template <Direction direction>
void copy(const ArrayType& type, std::byte* inside, std::span<const int64_t> strides, std::byte* outside) {
  const size_t bytes = byte_count(type.dtype, type.dims);
  if (bytes == 0) return;
  const Layout layout = simplified(type, strides);
  if (layout.rank == 0) return copy_run<direction>(inside, outside, layout.run);

  const auto copy_inner = copy_axis_of<direction>(layout.run);
  const size_t outer = layout.rank - 1;
  const Axis& inner = layout.axes[outer];
  std::array<int64_t, kMaxRank> index{};
  int64_t offset = 0;
  const size_t row = static_cast<size_t>(inner.size) * layout.run;
  for (size_t rows = bytes / row; rows > 0; --rows) {
    copy_inner(inside, outside + offset, inner, layout.run);
    inside += row;
    for (size_t i = outer; i-- > 0;) {  // advances the index like an odometer: the last outer axis first
      const Axis& axis = layout.axes[i];
      offset += axis.stride;
      if (++index[i] < axis.size) break;
      offset -= axis.size * axis.stride;
      index[i] = 0;
    }
  }
}

}  // namespace

void read_strided(const ArrayType& type, const void* elements, std::span<const int64_t> strides, void* to) {
  // The casts do not violate const: copy<kOut> only reads `elements`, and copy<kIn> only reads `from`.
  copy<Direction::kOut>(type, static_cast<std::byte*>(const_cast<void*>(elements)), strides, static_cast<std::byte*>(to));
}

void write_strided(const ArrayType& type, void* elements, std::span<const int64_t> strides, const void* from) {
  copy<Direction::kIn>(type, static_cast<std::byte*>(elements), strides, static_cast<std::byte*>(const_cast<void*>(from)));
}

}  // namespace harp
