// A look at the bytes of a shared object before they are cached and loaded: dlopen of a truncated file is a SIGBUS in the host, and one
// for another machine is better refused where the compiler's command line is still known.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace harp {

/// What is wrong with it ("is not an ELF file", …); empty when it is a whole shared object for this machine.
std::string_view shared_object_fault(std::span<const std::byte> bytes);

}  // namespace harp
