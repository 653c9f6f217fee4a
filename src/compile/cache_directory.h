// Where the compile cache lives, and whether that place can be trusted. Code is loaded from it, so whoever can write there can run code
// as us: the directory must be ours alone and every directory above it out of other people's reach. A predictable name in a place that
// others may write to is how other tools got this wrong (CVE-2014-1938, CVE-2015-3649).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/process.h"

namespace harp {

/// A directory that passed the checks; entries are reached through its descriptor, so the path need not be walked again.
struct CacheDirectory {
  KeptFd fd;
  std::string path;
};

/// A path, or the reason there is none.
struct CachePath {
  std::string path;
  std::string why_not;
};

/// `option` (may be relative), else HARP_CACHE_DIR, $XDG_CACHE_HOME/harp, $HOME/.cache/harp; variables count only when they hold an
/// absolute path. Nothing of all that: no cache, never a guess.
CachePath choose_cache_path(System system, const std::string& option);

/// Creates what is missing (mode 0700), checks everything, opens. NULL with the reason in `why_not`.
/// `shared`: the host says that everybody who can write there is trusted; owner and mode are then not looked at.
std::shared_ptr<const CacheDirectory> open_cache_directory(System system, const std::string& path, bool shared, std::string& why_not);

}  // namespace harp
