// Schedules from outside, for single kernels: what a user, the tuner, the tuning database or the fuzzer asks for, as data and as text.
#pragma once

#include <span>
#include <string_view>

#include "schedule/program.h"

namespace harp {

/// "kernel_3: reduce [thread, reduce simd=8]", or "kernel_3 variant 2: ..." for the second of a kernel's variants by size alone.
struct ScheduleOverride {
  int64_t kernel = 0;
  int64_t variant = 0;  // from 1; 0: there is one variant then, for all sizes
  Schedule schedule;
  friend bool operator==(const ScheduleOverride&, const ScheduleOverride&) = default;
};

std::string print(const ScheduleOverride& override);
/// The inverse of print; what follows a # does not count. Error{kParse}.
ScheduleOverride parse_override(std::string_view line);
/// The same, a line each; empty lines and comments do not count.
std::vector<ScheduleOverride> parse_overrides(std::string_view text);
/// Error{kParse} if a kernel or variant is given twice, or a kernel both for all sizes and by variant.
void check_each_once(std::span<const ScheduleOverride> overrides);

/// Error{kInvalidArgument} for a kernel or variant there is not, and for a schedule that is not legal (legal.h) or asks for vectors where
/// there are none, naming the rule.
void apply_overrides(Program& program, std::span<const ScheduleOverride> overrides, bool has_vectors);

}  // namespace harp
