// Location of the compile cache, and the check that it can be trusted. harp loads code from it, so a user who can write there can run code
// as this user. Therefore the directory must belong to this user alone, and other users must not be able to replace any directory above it.
// Other tools failed by using a predictable name in a directory that others can write to (CVE-2014-1938, CVE-2015-3649).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/process.h"

namespace harp {

/// The directory of the cache's entries, checked and opened by open_cache_directory(). Entries are accessed through its descriptor instead
/// of its path, so whoever replaces a directory of the path after the checks cannot redirect the cache.
struct CacheDirectory {
  KeptFd fd;
  std::string path;
};

/// A path, or the reason why there is none.
struct CachePath {
  std::string path;
  std::string why_not;
};

/// Chooses `option` (may be relative), else HARP_CACHE_DIR, $XDG_CACHE_HOME/harp, $HOME/.cache/harp. Variables that hold no absolute path
/// are ignored. If none applies, there is no cache.
CachePath choose_cache_path(System system, const std::string& option);

/// The path, below that of the cache, of the directory that holds the entries.
std::string entries_path(const std::string& path);

/// Creates missing directories (mode 0700), checks everything and opens the directory. Returns NULL with the reason in `why_not` on
/// failure. With `shared` the host declares that all users who can write there are trusted, so owner and mode are not checked.
std::shared_ptr<const CacheDirectory> open_cache_directory(System system, const std::string& path, bool shared, std::string& why_not);

}  // namespace harp
