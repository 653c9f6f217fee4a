// Checks a shared object before it is cached and loaded. If the file were truncated, dlopen could raise SIGBUS in the host application. If
// the file were for another machine, dlopen would report an error too; but only this check runs where the compiler's command line is known,
// so that the error message can contain it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace harp {

/// Returns what is wrong with the file ("is not an ELF file", …), or an empty text if it is a complete shared object for this machine.
std::string_view shared_object_fault(std::span<const std::byte> bytes);

}  // namespace harp
