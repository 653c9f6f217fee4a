// Decides whether a directory may hold code to load: a user who can write to it or replace it can run code as this user.
#pragma once

#include <string>
#include <string_view>

#include "base/process.h"

namespace harp {

/// Which owner a directory must have. All directories above it must belong to root or this user and must not be writable by others, unless
/// sticky (then others cannot rename our files). With `kTemporary` (such as /tmp) these conditions are all that the directory itself must
/// meet.
enum class Owner : uint8_t { kThisUser, kTemporary, kAnybody };  // kAnybody: no checks at all

/// What is wrong with a directory that must belong to this user alone ("belongs to another user"); empty if nothing.
std::string_view private_fault(const FileInfo& info, uint32_t user);

/// Opens (O_PATH) an absolute path that contains no symbolic links. Empty, with the reason, if it cannot be opened or trusted.
UniqueFd open_trusted(System system, const std::string& path, Owner owner, std::string& why_not);

}  // namespace harp
