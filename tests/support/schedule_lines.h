// Returns the schedules of a program's kernels, as harp prints them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace harp::testing {

/// Returns those lines of the stage "schedule" that are schedules ("  kernel_0: ..."). They can be passed to a compilation unchanged.
inline std::string schedule_lines(std::string_view printed) {
  std::string lines;
  while (!printed.empty()) {
    const std::string_view line = printed.substr(0, std::min(printed.find('\n'), printed.size() - 1) + 1);
    if (line.starts_with("  kernel_")) lines += line;
    printed.remove_prefix(line.size());
  }
  return lines;
}

}  // namespace harp::testing
