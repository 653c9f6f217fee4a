#include "graph/windows.h"

#include "base/error.h"
#include "graph/check.h"
#include "graph/pad.h"

namespace harp::build {
namespace {

/// Returns values[i]. If the list has only one value, it applies to all axes.
template <class T>
T value_for(std::string_view op, std::string_view what, std::span<const T> values, size_t i, size_t axes) {
  HARP_CHECK(values.size() == axes || values.size() == 1, Code::kShape, op, ": ", what, " has ", values.size(), " entries for ", axes,
             " axes; expected one for each axis, or one for all");
  return values.size() == 1 ? values[0] : values[i];
}

}  // namespace

std::vector<Window> window_list(std::string_view op, size_t axes, std::span<const Dim> size, std::span<const int64_t> stride,
                                std::span<const int64_t> dilation, std::span<const Padding> padding) {
  std::vector<Window> windows;
  for (size_t i = 0; i < axes; ++i) {
    windows.push_back({value_for(op, "size", size, i, axes), value_for(op, "stride", stride, i, axes),
                       value_for(op, "dilation", dilation, i, axes), value_for(op, "padding", padding, i, axes)});
    const Window& w = windows.back();
    HARP_CHECK(w.stride >= 1 && w.dilation >= 1, Code::kRange, op, ": stride ", w.stride, " and dilation ", w.dilation,
               " must be at least 1");
  }
  return windows;
}

std::vector<int> axes_from(int first, int count) {
  std::vector<int> axes;
  for (int i = 0; i < count; ++i) axes.push_back(first + i);
  return axes;
}

void fail_reach(std::string_view op, NodeRef x, size_t axis, const Window& w) {
  const Padding& padding = w.padding;
  const bool removes = range(padding.before).hi < 0 || range(padding.after).hi < 0;
  fail(Code::kShape, op, ": the window of axis ", axis, " reaches over ", to_string(w.reach()), " elements (size ", to_string(w.size),
       ", dilation ", w.dilation, "), but ", label(x), " of shape ", to_string(x->shape), " has ",
       to_string(x->shape[axis] + padding.before + padding.after), " there, padding included",
       removes ? cat("; padding is ", to_string(padding.before), " before the axis and ", to_string(padding.after),
                     " after it, and a negative padding removes elements")
               : "");
}

NodeRef pad_for(std::string_view op, NodeRef x, int first, std::span<const Window> windows, Scalar fill) {
  Graph& graph = check_node(op, x);
  std::vector<Dim> before(x->shape.size(), Dim(0)), after = before;
  for (size_t i = 0; i < windows.size(); ++i) {
    const Window& w = windows[i];
    const size_t axis = static_cast<size_t>(first) + i;
    check_dim(op, graph, w.size, cat("the size of the window of axis ", axis));
    check_expression(op, graph, w.padding.before, cat("the padding before axis ", axis));
    check_expression(op, graph, w.padding.after, cat("the padding after axis ", axis));
    HARP_CHECK(range(w.size).hi >= 1, Code::kRange, op, ": the window of axis ", axis, " has size 0; it must be at least 1");
    const Dim length = x->shape[axis] + w.padding.before + w.padding.after;
    if (range(length - w.reach()).hi < 0) fail_reach(op, x, axis, w);
    before[axis] = w.padding.before;
    after[axis] = w.padding.after;
  }
  return pad_or_crop(op, x, before, after, fill);
}

NodeRef unfold_windows(std::string_view op, NodeRef x, std::span<const int> axes, std::span<const Window> windows) {
  check_node(op, x);
  HARP_CHECK(x->shape.size() + axes.size() <= static_cast<size_t>(kMaxRank), Code::kShape, op, ": the result would have ",
             x->shape.size() + axes.size(), " axes; at most ", kMaxRank, " are allowed");
  for (size_t i = 0; i < axes.size(); ++i) x = unfold(x, axes[i], windows[i].size, windows[i].stride, windows[i].dilation);
  return x;
}

}  // namespace harp::build
