#include "compile/cache_directory.h"

#include <errno.h>
#include <fcntl.h>

#include <algorithm>

#include "base/text.h"
#include "compile/trusted_directory.h"

namespace harp {
namespace {

// A new entry format gets a new directory name. Old and new versions of harp can then share a cache.
constexpr const char* kFormatDirectory = "entries-1";
// The user id that the kernel reports for all users that do not exist in the current user namespace. A file with this owner may belong to
// any of these users.
constexpr uint32_t kOverflowUser = 65534;

bool is_absolute(const std::optional<std::string>& path) { return path && path->starts_with('/'); }

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

/// Creates the directory and its missing parents, as mkdir -p does. Returns 0 or -errno.
int create_directories(FileSystem& files, const std::string& path, uint32_t mode) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string prefix = path.substr(0, end);
    FileInfo info;
    if (files.stat_at(AT_FDCWD, prefix.c_str(), true, info) == -ENOENT) {
      const int error = files.make_directory(AT_FDCWD, prefix.c_str(), mode);
      if (error < 0 && error != -EEXIST) return error;
    }
    if (end == std::string::npos) return 0;
  }
}

}  // namespace

CachePath choose_cache_path(System system, const std::string& option) {
  Process& process = system.process;
  if (!option.empty()) {
    if (option.front() == '/') return {without_trailing_slashes(option), {}};
    std::string here;
    if (const int error = system.files.real_path(".", here); error < 0)
      return {{}, cat("the current directory, which the cache directory \"", option, "\" is relative to: ", error_text(error))};
    return {without_trailing_slashes(path_join(here, option)), {}};
  }
  if (const auto own = process.environment("HARP_CACHE_DIR"); own && !own->empty()) {
    if (is_absolute(own)) return {without_trailing_slashes(*own), {}};
    return {{}, cat("HARP_CACHE_DIR is \"", *own, "\", which is not an absolute path")};
  }
  if (const auto cache_home = process.environment("XDG_CACHE_HOME"); is_absolute(cache_home))
    return {path_join(without_trailing_slashes(*cache_home), "harp"), {}};
  if (const auto home = process.environment("HOME"); is_absolute(home))
    return {path_join(without_trailing_slashes(*home), ".cache/harp"), {}};
  return {{}, "no cache directory was given, and HOME is not set to an absolute path"};
}

std::string entries_path(const std::string& path) { return path_join(path, kFormatDirectory); }

std::shared_ptr<const CacheDirectory> open_cache_directory(System system, const std::string& path, bool shared, std::string& why_not) {
  FileSystem& files = system.files;
  const uint32_t mode = shared ? 0777 : 0700;  // in a shared cache, the umask decides who may write
  const auto refuse = [&](const auto&... parts) {
    why_not = cat(parts...);
    return nullptr;
  };
  if (!shared && system.process.effective_user() == kOverflowUser) return refuse("the user id of this process is unknown");
  const int created = create_directories(files, path, mode);
  FileInfo info;
  if (const int error = files.stat_at(AT_FDCWD, path.c_str(), false, info); error < 0)
    return refuse("cannot create ", path, ": ", error_text(created < 0 ? created : error));
  if (info.kind != FileInfo::Kind::kDirectory)
    return refuse(path, info.kind == FileInfo::Kind::kSymlink ? " is a symbolic link" : " is not a directory");

  std::string resolved;
  if (const int error = files.real_path(path.c_str(), resolved); error < 0) return refuse("cannot resolve ", path, ": ", error_text(error));
  const UniqueFd top = open_trusted(system, resolved, shared ? Owner::kAnybody : Owner::kThisUser, why_not);
  if (!top) return nullptr;

  const int made = files.make_directory(top.get(), kFormatDirectory, mode);
  const int opened = files.open(top.get(), kFormatDirectory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  std::string entries = entries_path(resolved);
  if (opened < 0) return refuse("cannot open ", entries, ": ", error_text(made < 0 && made != -EEXIST ? made : opened));
  UniqueFd fd(files, opened);
  if (const int error = files.stat(fd.get(), info); error < 0) return refuse("cannot examine ", entries, ": ", error_text(error));
  if (!shared)
    if (const std::string_view fault = private_fault(info, system.process.effective_user()); !fault.empty())
      return refuse(entries, " ", fault);
  return std::make_shared<const CacheDirectory>(CacheDirectory{KeptFd(files, std::move(fd), info), std::move(entries)});
}

}  // namespace harp
