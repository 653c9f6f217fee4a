// Finds the directory of the compile cache, and checks that it can be trusted. harp loads code from the cache, so any user who can write
// there can run code as this user. Therefore the directory must belong to this user alone, and other users must not be able to replace any
// directory above it. Other tools have had vulnerabilities because they used a predictable name in a directory that others can write to
// (CVE-2014-1938, CVE-2015-3649).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/process.h"

namespace harp {

/// The directory that contains the cache's entries, checked and opened by open_cache_directory(). Entries are accessed through its
/// descriptor instead of its path, so replacing a directory of the path after the checks does not redirect the cache.
struct CacheDirectory {
  KeptFd fd;
  std::string path;
};

/// The path of the cache, or the reason why there is no cache.
struct CachePath {
  std::string path;
  std::string why_not;
};

/// Chooses the path of the cache: the first of `option` (may be a relative path), HARP_CACHE_DIR, $XDG_CACHE_HOME/harp and
/// $HOME/.cache/harp that is set. If HARP_CACHE_DIR is not an absolute path, there is no cache; XDG_CACHE_HOME and HOME are ignored unless
/// they are absolute paths.
CachePath choose_cache_path(System system, const std::string& option);

/// Returns the path of the directory that contains the entries, which is a subdirectory of the cache's `path`.
std::string entries_path(const std::string& path);

/// Creates missing directories, checks all directories of the path and opens the directory of the entries. On failure returns NULL and
/// stores the reason in `why_not`. New directories have mode 0700. With `shared`, the host application declares that all users who can
/// write there are trusted: owner and mode are not checked, and the umask determines the mode of new directories.
std::shared_ptr<const CacheDirectory> open_cache_directory(System system, const std::string& path, bool shared, std::string& why_not);

}  // namespace harp
