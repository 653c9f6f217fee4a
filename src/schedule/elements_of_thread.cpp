#include "schedule/elements_of_thread.h"

#include <algorithm>

#include "base/error.h"
#include "schedule/kernel_structure.h"

namespace harp {
namespace {

bool is_in_lanes_order(const Node& reduce) { return reduce.as<ReduceAttributes>().order == ReduceOrder::kLanes; }

}  // namespace

int most_elements_of_thread(const KernelPlan& kernel) {
  if (kernel.alone != nullptr || !kernel.scans.empty()) return 1;
  if (kernel.reduces.empty()) return kMaxElementsTogether;
  const Node& reduce = *kernel.reduces[0];
  if (!is_in_lanes_order(reduce)) return has_arg_extreme(kernel) ? 1 : kMaxElementsOfThread;
  if (!may_use_groups(kernel)) return 1;
  return static_cast<int>(std::min<int64_t>(kMaxElementsOfThread, lanes_in_use(reduce) / 2));  // a group has at least two threads
}

void check_elements_of_thread(const KernelPlan& kernel, const Schedule& schedule, std::string_view where) {
  const std::vector<AxisSchedule>& axes = schedule.axes;
  const auto several = std::ranges::find_if(axes, [](const AxisSchedule& axis) { return axis.simd_width > 1; });
  if (several == axes.end()) return;
  const auto require = [&](bool holds, std::string_view rule) {
    HARP_CHECK(holds, Code::kInvalidArgument, where, ": axis ", several - axes.begin(), " has simd=", several->simd_width, rule);
  };
  if (kernel.reduces.empty())
    require(axes[0].kind == AxisKind::kThread,
            ", the number of elements that one thread of a GPU computes, but axis 0 is not of kind thread; expected thread, or simd=1");
  else if (is_in_lanes_order(*kernel.reduces[0]))
    require(several->kind == AxisKind::kThreadGroup,
            ", the number of lanes that one thread of a group reduces, but is not of kind thread_group; expected thread_group, or simd=1");
  else
    require(axes.back().kind != AxisKind::kThreadGroup,
            ", the number of columns that one thread reduces, but the last axis is of kind thread_group, so that each thread of a group "
            "reduces one column; expected simd=1, or the kind reduce for the last axis");
}

}  // namespace harp
