// Contains workarounds for miscompilations by gcc before 14 and by clang. Each workaround is text that is written into the generated
// source. For other compilers the text has no effect.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ir/linearize.h"

namespace harp::render {

/// Returns the text at the beginning of every unit (generated source file). It switches off those optimisations of gcc that have known
/// bugs.
std::string gcc_text();

/// Tests whether gcc must not vectorise this kernel. The definition of its function then contains kBackwardsMark.
bool reads_backwards(const ir::Kernel& kernel);
/// The text that defines the macro kBackwardsMark. It is written into every unit (generated source file) that uses the macro.
extern const std::string_view kBackwardsText;
inline constexpr std::string_view kBackwardsMark = "harp_reads_backwards ";

/// Tests whether clang must not vectorise the loop that the line `loop` opens; `lines` are the lines after it. The caller then writes
/// kWrapsMark in front of the loop.
bool wraps_positions(const ir::Line& loop, std::span<const ir::Line> lines);
/// The text that defines the macro kWrapsMark. It is written into every unit (generated source file) that uses the macro.
extern const std::string_view kWrapsText;
inline constexpr std::string_view kWrapsMark = "harp_wraps";

}  // namespace harp::render
