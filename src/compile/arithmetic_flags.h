// Flags that a host may not give: those that let a compiler change results. At level stable the bits of a result do not depend on the
// compiler, so a flag that lifts this promise is refused by name instead of being obeyed in silence. (-ffast-math does more than that:
// linked into a shared object it switches the host's own arithmetic to flush-to-zero when the object is loaded.) What would bring such a
// flag in unseen is refused as well: files of flags (@file, -specs), words that the driver hands on to another program (-Xclang, -Wp, …)
// and plug-ins.
#pragma once

#include <string_view>

namespace harp {

/// What `flag` does to arithmetic ("reassociates sums and products"), or that harp cannot tell; empty when it leaves results alone. Of
/// several flags that are opposites the last one wins in a compiler; here every one counts.
std::string_view arithmetic_fault(std::string_view flag);

}  // namespace harp
