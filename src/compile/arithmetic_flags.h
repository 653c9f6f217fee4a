// Flags that a host may not pass, because they let a compiler change results. At level stable, result bits do not depend on the compiler,
// so such a flag is rejected with its name. (-ffast-math does more: linked into a shared object, it switches the host's own arithmetic to
// flush-to-zero when the object is loaded.) Flags that can hide such a flag are rejected too: files of flags (@file, -specs), arguments
// that the driver passes to another program (-Xclang, -Wp, …) and plug-ins.
#pragma once

#include <string_view>

namespace harp {

/// The effect of `flag` on arithmetic ("reassociates sums and products"), or a message that harp cannot tell. Empty if the flag leaves
/// results unchanged. Each flag is judged alone: one that changes results is rejected even if a later flag of the command would revoke it.
std::string_view arithmetic_fault(std::string_view flag);

}  // namespace harp
