// Schedule overrides for single kernels, from a user, the tuner, the tuning database or the fuzzer, as data and as text.
#pragma once

#include <span>
#include <string_view>

#include "schedule/program.h"

namespace harp {

/// An override, as text for example "kernel_3: reduce [thread, reduce simd=8]", or "kernel_3 variant 2: ..." for only the second of a
/// kernel's size variants.
struct ScheduleOverride {
  int64_t kernel = 0;
  int64_t variant = 0;  // counts from 1; 0: the override replaces all variants, for all sizes
  Schedule schedule;
  friend bool operator==(const ScheduleOverride&, const ScheduleOverride&) = default;
};

std::string print(const ScheduleOverride& override);
/// Parses what print() writes. Text after a # is ignored. Throws Error{kParse}.
ScheduleOverride parse_override(std::string_view line);
/// Parses one override a line; ignores empty lines and comments.
std::vector<ScheduleOverride> parse_overrides(std::string_view text);
/// Throws Error{kParse} if there are two overrides for the same variant of a kernel, or one for the whole kernel and one for a variant of
/// it.
void check_each_once(std::span<const ScheduleOverride> overrides);

/// Applies the overrides. Throws Error{kInvalidArgument}, which names the broken rule, for an unknown kernel or variant, for a schedule
/// that is not legal (legal.h), and for one that uses vectors although `has_vectors` is false.
void apply_overrides(Program& program, std::span<const ScheduleOverride> overrides, bool has_vectors);

}  // namespace harp
