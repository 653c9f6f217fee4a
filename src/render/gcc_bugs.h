// What gcc before 14 compiles wrongly, and what the text does about it; other compilers see nothing of it.
#pragma once

#include <string>
#include <string_view>

#include "ir/ir.h"

namespace harp::render {

/// Stands at the head of every unit.
std::string gcc_text();

/// Is this a kernel gcc must not vectorise by itself? Its function is marked with kBackwardsMark then.
bool reads_backwards(const ir::Kernel& kernel);
/// Defines the mark; for units that use it.
extern const std::string_view kBackwardsText;
inline constexpr std::string_view kBackwardsMark = "harp_reads_backwards ";

}  // namespace harp::render
