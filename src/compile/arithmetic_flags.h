// Finds flags that a host application may not pass, because they let a compiler change results. With HARP_MATH_STABLE, result bits do not
// depend on the compiler, so such a flag is rejected with an error that names it. (-ffast-math does more harm: a shared object that was
// linked with it switches the whole process to flush-to-zero when it is loaded.) Flags that can hide such a flag are rejected too: files of
// flags (@file, -specs), arguments that the driver passes to another program (-Xclang, -Wp, …) and plug-ins.
#pragma once

#include <string_view>

namespace harp {

/// Returns the effect of `flag` on arithmetic ("reassociates sums and products"), or says that harp cannot tell the effect. Empty if the
/// flag does not change results. Each flag is judged alone: a flag that changes results is rejected even if a later flag of the command
/// would revoke it.
std::string_view arithmetic_fault(std::string_view flag);

}  // namespace harp
