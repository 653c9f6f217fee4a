// What gcc before 14, and what clang, compile wrongly, and what the text does about it; other compilers see nothing of it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ir/linearize.h"

namespace harp::render {

/// Stands at the head of every unit.
std::string gcc_text();

/// Is this a kernel gcc must not vectorise by itself? Its function is marked with kBackwardsMark then.
bool reads_backwards(const ir::Kernel& kernel);
/// Defines the mark; for units that use it.
extern const std::string_view kBackwardsText;
inline constexpr std::string_view kBackwardsMark = "harp_reads_backwards ";

/// Does this line begin a loop that clang must not vectorise by itself? `lines` are what follows. In front of it stands kWrapsMark then.
bool wraps_positions(const ir::Line& loop, std::span<const ir::Line> lines);
/// Defines the mark; for units that use it.
extern const std::string_view kWrapsText;
inline constexpr std::string_view kWrapsMark = "harp_wraps";

}  // namespace harp::render
