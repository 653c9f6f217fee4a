// Lists compiler switches that turn off optimisations of gcc 12 that miscompile some loops. Generated C sets these switches by a pragma, so
// the result is correct whatever flags it is compiled with. The pragma costs gcc 3 % of a small program's compile time. harp avoids this
// cost if it compiles the source itself and no user flags could revoke the switches: it then passes the switches on the command line, and
// defines kGccBugMacro, which removes the pragma.
#pragma once

#include <string_view>

namespace harp {

/// The names of the switches. The command-line flag is "-f" followed by the name. gcc's optimize attribute and pragma take the name without
/// "-f".
inline constexpr std::string_view kGccBugSwitches[] = {"no-tree-loop-if-convert", "no-tree-slp-vectorize", "vect-cost-model=very-cheap"};
inline constexpr std::string_view kGccBugMacro = "HARP_GCC_BUGS_AVOIDED";
/// The first gcc version without these bugs. It needs none of kGccBugSwitches.
inline constexpr int kGccBugsMended = 14;

}  // namespace harp
