// Defines schedules that override the chosen schedules of single kernels, as data and as text. They come from a user, the tuner, the tuning
// database or the fuzzer.
#pragma once

#include <span>
#include <string_view>

#include "schedule/program.h"

namespace harp {

/// An override. As text it is for example "kernel_3: reduce [thread, reduce simd=8]", or "kernel_3 variant 2: ..." if it replaces only the
/// second of the kernel's variants for different sizes.
struct ScheduleOverride {
  int64_t kernel = 0;
  // the number of the variant, from 1; 0: the override replaces all variants by one, which must be legal for all sizes
  int64_t variant = 0;
  Schedule schedule;
  friend bool operator==(const ScheduleOverride&, const ScheduleOverride&) = default;
};

std::string print(const ScheduleOverride& override);
/// Parses the text of one override, as print() writes it. Text after a # is ignored. Throws Error{kParse}.
ScheduleOverride parse_override(std::string_view line);
/// Parses a text with one override in each line. Empty lines and comments are ignored.
std::vector<ScheduleOverride> parse_overrides(std::string_view text);
/// Throws Error{kParse} if there are two overrides for the same variant of a kernel, or one for all variants of a kernel and one for a
/// single variant of the same kernel.
void check_each_once(std::span<const ScheduleOverride> overrides);

/// Replaces the schedules of the kernels that the overrides name. Throws Error{kInvalidArgument}, which names the broken rule, if a kernel
/// or variant does not exist, if a schedule is not legal for all sizes for which the variant runs (legal.h), or if it uses vectors although
/// the generated code is C without vector types (`plain_text`).
void apply_overrides(Program& program, std::span<const ScheduleOverride> overrides, bool plain_text);

}  // namespace harp
