// Whether a directory may hold code that is loaded: whoever can write to it, or can put another in its place, can run code as us.
#pragma once

#include <string>
#include <string_view>

#include "base/process.h"

namespace harp {

/// Whose a directory has to be. Those above it have to be root's or this user's, and writable by nobody else or sticky (others cannot
/// rename what is ours then); and so has `kTemporary`, such as /tmp.
enum class Owner : uint8_t { kThisUser, kTemporary, kAnybody };  // kAnybody: neither it nor those above it are looked at

/// What is wrong with a directory that has to be this user's alone ("belongs to another user"); empty: nothing.
std::string_view private_fault(const FileInfo& info, uint32_t user);

/// Opens (O_PATH) an absolute path without symbolic links. Empty, with the reason: it cannot be opened or trusted.
UniqueFd open_trusted(System system, const std::string& path, Owner owner, std::string& why_not);

}  // namespace harp
