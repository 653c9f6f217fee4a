// Switches that turn off optimisations of gcc 12 that miscompile some loops. Generated C contains a pragma that sets them, so it is safe
// under any command line. A command line that passes the switches itself, with no user flags after them, defines the macro below to skip
// the pragma, because the pragma costs gcc 3 % of a small program's compile time.
#pragma once

#include <string_view>

namespace harp {

/// "-f" followed by one of these is the command-line flag; without "-f" they are the arguments of gcc's optimize attribute and pragma.
inline constexpr std::string_view kGccBugSwitches[] = {"no-tree-loop-if-convert", "no-tree-slp-vectorize", "vect-cost-model=very-cheap"};
inline constexpr std::string_view kGccBugMacro = "HARP_GCC_BUGS_AVOIDED";
/// The first gcc version that needs none of these switches.
inline constexpr int kGccBugsMended = 14;

}  // namespace harp
