// The settings of a compilation that change the speed of a program and never its results. The tuner searches them, the tuning database
// stores them, and harp_compile_options.schedule sets them. As text they are lines:
//
//     compiler: clang                             runs instead of the context's compiler
//     flag: -O2                                   for the compiler, after harp's own; one line each
//     without: compose_views                      an optimiser pass to skip; one line each
//     share: 20000                                nanoseconds of work that are worth handing to another thread
//     kernel_0: reduce [thread, reduce simd=8]    the schedule of a kernel (schedule/override.h)
//
// Kernels have the numbers that they have when the passes of `without` are skipped. A line that begins with # is a comment. In the line of
// a schedule, text from a # to the end of the line is a comment, too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline.h"
#include "schedule/override.h"

namespace harp::tune {

struct Configuration {
  std::string compiler;  // empty: the context's compiler
  std::vector<std::string> flags, disabled_passes;
  std::optional<int64_t> share_ns;
  std::vector<ScheduleOverride> schedules;

  bool is_default() const { return *this == Configuration{}; }
  friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// Prints the lines in the order above; "" for the default.
std::string print(const Configuration& configuration);
/// The inverse of print; the lines may have any order. Error{kParse} names the wrong line, or the setting that is given twice.
Configuration parse_configuration(std::string_view text);

/// Applies the parts that concern the pipeline: all but compiler and flags.
void apply(const Configuration& configuration, PipelineOptions& options);

}  // namespace harp::tune
