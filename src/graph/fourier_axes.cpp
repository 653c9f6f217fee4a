// Builds Fourier transforms along several axes, as in numpy.fft: one axis after the other, beginning with the last one. rfftn transforms
// real numbers, and irfftn is its inverse. Their complex array has only the first n // 2 + 1 of the n elements along the last axis, because
// the remaining ones are complex conjugates of these. irfftn transforms the last axis after all others.
#include <algorithm>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"

namespace harp::build {
namespace {

/// The axes to transform. sizes[i] is the number of elements along axes[i]; without a value it is the size of the axis.
struct Transforms {
  std::vector<int> axes;
  std::vector<std::optional<Dim>> sizes;

  Transforms(std::string_view op, NodeRef x, const std::optional<Shape>& s, const Axes& given) {
    check_node(op, x);
    if (given) {
      axes = normalize_axes(op, *given, x->rank());
    } else {
      const int count = s ? static_cast<int>(std::min(s->size(), size_t{kMaxRank})) : x->rank();
      HARP_CHECK(count <= x->rank(), Code::kShape, op, ": ", count, " sizes for ", label(x), " of shape ", to_string(x->shape),
                 "; expected at most one per axis");
      for (int axis = x->rank() - count; axis < x->rank(); ++axis) axes.push_back(axis);
    }
    HARP_CHECK(!s || s->size() == axes.size(), Code::kShape, op, ": ", s ? s->size() : 0, " sizes for ", axes.size(),
               " axes; expected one per axis");
    HARP_CHECK(!axes.empty(), Code::kShape, op, ": no axis to transform (", label(x), ")");
    sizes.resize(axes.size());
    for (size_t i = 0; s && i < axes.size(); ++i) sizes[i] = (*s)[i];
  }
};

using Transform = NodeRef (*)(NodeRef, std::optional<Dim>, int, std::string_view);

/// Applies fft or ifft along the first `count` axes of the list: along axis number count - 1 first, and along axis number 0 last.
NodeRef each(Transform transform, NodeRef x, const Transforms& t, size_t count, std::string_view norm) {
  for (size_t i = count; i-- > 0;) x = transform(x, t.sizes[i], t.axes[i], norm);
  return x;
}

}  // namespace

NodeRef fftn(NodeRef x, const std::optional<Shape>& s, const Axes& axes, std::string_view norm) {
  const Transforms t("fftn", x, s, axes);
  return each(fft, x, t, t.axes.size(), norm);
}

NodeRef ifftn(NodeRef x, const std::optional<Shape>& s, const Axes& axes, std::string_view norm) {
  const Transforms t("ifftn", x, s, axes);
  return each(ifft, x, t, t.axes.size(), norm);
}

NodeRef rfftn(NodeRef x, const std::optional<Shape>& s, const Axes& axes, std::string_view norm) {
  const Transforms t("rfftn", x, s, axes);
  return each(fft, rfft(x, t.sizes.back(), t.axes.back(), norm), t, t.axes.size() - 1, norm);
}

NodeRef irfftn(NodeRef x, const std::optional<Shape>& s, const Axes& axes, std::string_view norm) {
  const Transforms t("irfftn", x, s, axes);
  return irfft(each(ifft, x, t, t.axes.size() - 1, norm), t.sizes.back(), t.axes.back(), norm);
}

}  // namespace harp::build
