// Everything about a compilation that changes how fast a program is and never what it computes: what the tuner searches, the tuning
// database keeps, and harp_compile_options.schedule says. As text it is lines:
//
//     compiler: clang                             which runs instead of the context's
//     flag: -O2                                   for the compiler, after harp's own; a line each
//     without: compose_views                      an optimiser pass that is left out; a line each
//     share: 20000                                nanoseconds of work that are worth handing to another thread
//     kernel_0: reduce [thread, reduce simd=8]    the schedule of a kernel (schedule/override.h)
//
// Kernels are numbered as they are without the passes that are left out. A line that begins with # is a comment, and so is what follows one
// behind a schedule.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline.h"
#include "schedule/override.h"

namespace harp::tune {

struct Configuration {
  std::string compiler;  // empty: the context's
  std::vector<std::string> flags, disabled_passes;
  std::optional<int64_t> share_ns;
  std::vector<ScheduleOverride> schedules;

  bool is_default() const { return *this == Configuration{}; }
  friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// Lines, in the order above; "" for the default.
std::string print(const Configuration& configuration);
/// The inverse of print, whatever the order of lines; Error{kParse} naming the line, or what is given twice.
Configuration parse_configuration(std::string_view text);

/// What of it concerns the pipeline: everything but compiler and flags.
void apply(const Configuration& configuration, PipelineOptions& options);

}  // namespace harp::tune
