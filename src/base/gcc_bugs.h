// What gcc 12 vectorises wrongly is left out by flags. Generated text asks for them itself, so that whoever compiles it is safe, and with
// whatever flags; a command line that gives them, and nothing of a caller's after them, says so with the macro, since asking in the text
// costs gcc 3 % of a small program's time.
#pragma once

#include <string_view>

namespace harp {

/// -f and one of these is the flag; as they stand they are the arguments of gcc's attribute and pragma.
inline constexpr std::string_view kGccBugSwitches[] = {"no-tree-loop-if-convert", "no-tree-slp-vectorize", "vect-cost-model=very-cheap"};
inline constexpr std::string_view kGccBugMacro = "HARP_GCC_BUGS_AVOIDED";
/// The first gcc that needs none of it.
inline constexpr int kGccBugsMended = 14;

}  // namespace harp
