// Checks the directories of a path. The checks walk the path from the root. Each directory is opened relative to the descriptor of its
// parent with O_NOFOLLOW, so no directory can be replaced between its check and its use.
#include "compile/trusted_directory.h"

#include <fcntl.h>

#include <algorithm>

#include "base/text.h"

namespace harp {
namespace {

constexpr int kWalkFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW;

/// Returns what is wrong with a directory that may contain files of other users, or an empty text.
std::string_view parent_fault(const FileInfo& info, uint32_t user) {
  if (info.owner != 0 && info.owner != user) return "belongs to another user";
  // In a sticky directory, other users cannot rename this user's files.
  if (info.writable_by_others() && !info.sticky()) return "can be written by others";
  return {};
}

}  // namespace

std::string_view private_fault(const FileInfo& info, uint32_t user) {
  if (info.owner != user) return "belongs to another user";
  if (info.writable_by_others()) return "can be written by others";
  return {};
}

UniqueFd open_trusted(System system, const std::string& path, Owner owner, std::string& why_not) {
  FileSystem& files = system.files;
  const uint32_t user = system.process.effective_user();
  const int root = files.open(AT_FDCWD, "/", kWalkFlags);
  UniqueFd fd(files, root);
  for (size_t start = 1; fd;) {
    const bool last = start >= path.size();
    FileInfo info;
    if (const int error = files.stat(fd.get(), info); error < 0) {
      why_not = cat("cannot examine ", path, ": ", error_text(error));
      return {};
    }
    std::string_view fault;
    if (owner != Owner::kAnybody) fault = last && owner == Owner::kThisUser ? private_fault(info, user) : parent_fault(info, user);
    if (!fault.empty()) {
      why_not = cat(start <= 1 ? std::string_view("/") : std::string_view(path).substr(0, start - 1), " ", fault);
      return {};
    }
    if (last) return fd;
    const size_t end = std::min(path.find('/', start), path.size());
    const std::string name = path.substr(start, end - start);
    const int next = files.open(fd.get(), name.c_str(), kWalkFlags);
    if (next < 0) {
      why_not = cat("cannot open ", path.substr(0, end), ": ", error_text(next));
      return {};
    }
    fd = UniqueFd(files, next);
    start = end + 1;
  }
  why_not = cat("cannot open /: ", error_text(root));
  return {};
}

}  // namespace harp
