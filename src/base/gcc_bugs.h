// Switches that turn off optimisations of gcc 12 that miscompile some loops. Generated C contains a pragma that sets them, so it is safe
// with any compiler flags. The pragma costs gcc 3 % of a small program's compile time. Therefore harp, if it passes the switches on the
// command line and no user flags follow them, also defines the macro below, which skips the pragma.
#pragma once

#include <string_view>

namespace harp {

/// "-f" followed by one of these is the command-line flag; without "-f" they are the arguments of gcc's optimize attribute and pragma.
inline constexpr std::string_view kGccBugSwitches[] = {"no-tree-loop-if-convert", "no-tree-slp-vectorize", "vect-cost-model=very-cheap"};
inline constexpr std::string_view kGccBugMacro = "HARP_GCC_BUGS_AVOIDED";
/// The first gcc version without these bugs, which needs none of the switches.
inline constexpr int kGccBugsMended = 14;

}  // namespace harp
