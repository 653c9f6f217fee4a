// Checks a shared object before it is cached and loaded. dlopen of a truncated file raises SIGBUS in the host. A file for another machine
// is best rejected here, where the compiler's command line is known.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace harp {

/// What is wrong with the file ("is not an ELF file", …); empty if it is a complete shared object for this machine.
std::string_view shared_object_fault(std::span<const std::byte> bytes);

}  // namespace harp
