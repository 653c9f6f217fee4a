// Workarounds for miscompilations by gcc before 14 and by clang, as text of the generated source. For other compilers the text has no
// effect.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ir/linearize.h"

namespace harp::render {

/// Returns the text at the head of every unit that switches off optimisations of gcc with known bugs.
std::string gcc_text();

/// Tests whether gcc must not vectorise this kernel. Its function is then marked with kBackwardsMark.
bool reads_backwards(const ir::Kernel& kernel);
/// Defines kBackwardsMark, for units that use it.
extern const std::string_view kBackwardsText;
inline constexpr std::string_view kBackwardsMark = "harp_reads_backwards ";

/// Tests whether this line begins a loop that clang must not vectorise. kWrapsMark then precedes the loop. `lines` are the lines after it.
bool wraps_positions(const ir::Line& loop, std::span<const ir::Line> lines);
/// Defines kWrapsMark, for units that use it.
extern const std::string_view kWrapsText;
inline constexpr std::string_view kWrapsMark = "harp_wraps";

}  // namespace harp::render
