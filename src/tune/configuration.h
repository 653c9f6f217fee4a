// Defines the settings of a compilation that change the speed of a program and never its results. The tuner searches for the best ones, the
// tuning database stores them, and harp_compile_options.schedule sets them. Their text has one line for each setting:
//
//     compiler: clang                             the C compiler to run instead of the context's
//     flag: -O2                                   a compiler flag, added after harp's own flags
//     without: compose_views                      an optimiser pass to skip
//     share: 20000                                the least work, in ns, that is worth another thread
//     kernel_0: reduce [thread, reduce simd=8]    the schedule of a kernel (schedule/override.h)
//
// Settings with several values (flag, without, kernel_N) take one line for each value. A kernel's number is its index in the program that
// is compiled without the skipped passes. A line that begins with # is a comment. In the line of a schedule, the text from a # to the end
// of the line is a comment, too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline.h"
#include "schedule/override.h"

namespace harp::tune {

struct Configuration {
  std::string compiler;  // the C compiler to run; empty: the context's compiler
  std::vector<std::string> flags, disabled_passes;
  std::optional<int64_t> share_ns;
  std::vector<ScheduleOverride> schedules;

  bool is_default() const { return *this == Configuration{}; }
  friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// Prints the settings as lines in the order above; "" for the default configuration.
std::string print(const Configuration& configuration);
/// Parses the text of print(), with lines in any order. Throws Error{kParse} with a message that names the wrong line, or the setting that
/// is given twice.
Configuration parse_configuration(std::string_view text);

/// Sets these options: the optimiser passes to skip, the least work that is worth another thread, and the schedules. The compiler and its
/// flags are not set, because they are not part of PipelineOptions.
void apply(const Configuration& configuration, PipelineOptions& options);

}  // namespace harp::tune
