// Decides whether harp may load code from a directory. A user who can write to the directory or replace it can run code as this user.
#pragma once

#include <string>
#include <string_view>

#include "base/process.h"

namespace harp {

/// Who must own a directory. kThisUser: this user, and other users must not be able to write to it. kTemporary (such as /tmp): root or this
/// user, and other users may write to it only if it is sticky, so that they cannot rename our files. kAnybody: nothing is checked. For the
/// first two, all directories above must satisfy the conditions of kTemporary.
enum class Owner : uint8_t { kThisUser, kTemporary, kAnybody };

/// Returns what is wrong with a directory that must belong to this user alone, such as "belongs to another user"; empty if nothing is
/// wrong.
std::string_view private_fault(const FileInfo& info, uint32_t user);

/// Opens (with O_PATH) the directory at an absolute path that contains no symbolic links. Returns an empty descriptor, with the reason in
/// `why_not`, if the directory cannot be opened, or if it or a directory above it does not satisfy `owner`.
UniqueFd open_trusted(System system, const std::string& path, Owner owner, std::string& why_not);

}  // namespace harp
