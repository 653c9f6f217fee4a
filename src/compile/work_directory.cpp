// Work directories are created by mkdir, which neither follows a link nor reuses an existing directory. They are emptied through their own
// descriptor, not through their path.
#include "compile/work_directory.h"

#include <errno.h>
#include <fcntl.h>

#include <ctime>

#include "base/hash.h"
#include "base/text.h"

namespace harp {
namespace {

constexpr std::string_view kPrefix = "harp-work-";
constexpr size_t kDigits = 32;  // number of hexadecimal digits after the prefix of a name
constexpr int kNameAttempts = 16;
constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
// Age in nanoseconds from which an unlocked directory counts as abandoned. A new directory is unlocked for a moment, between mkdir and
// flock. A minute is far longer than that moment.
constexpr int64_t kSweepAgeNs = 60'000'000'000;
// Age in nanoseconds from which a directory counts as abandoned on a file system without locks, where only the age can tell. It is longer
// than any compilation takes.
constexpr int64_t kSweepAgeWithoutLocksNs = 86'400'000'000'000;

int64_t wall_clock_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);  // the clock to which the modification times of files refer
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// True if the name has exactly the form of a work directory's name. Other files in a temporary directory that users share must not be
/// touched.
bool is_name(std::string_view name) {
  return name.starts_with(kPrefix) && name.size() == kPrefix.size() + kDigits &&
         name.find_first_not_of("0123456789abcdef", kPrefix.size()) == name.npos;
}

/// Removes the files in a directory through the directory's descriptor. Compilers leave only plain files. If there is a subdirectory,
/// neither the subdirectory nor the directory itself is removed.
void remove_contents(FileSystem& files, int directory) {
  std::vector<std::string> names;
  files.list(directory, names);
  for (const std::string& name : names) files.unlink(directory, name.c_str());
}

}  // namespace

std::optional<WorkDirectory> WorkDirectory::create(System system, int parent, std::string_view parent_path, int& error) {
  FileSystem& files = system.files;
  UniqueFd own_parent(files, error = files.open(parent, ".", O_RDONLY | O_DIRECTORY));
  FileInfo parent_info;
  if (!own_parent || (error = files.stat(own_parent.get(), parent_info)) < 0) return std::nullopt;
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    std::string name = cat(kPrefix, Hasher().add(system.process.random()).add(attempt).finish().hex());
    error = files.make_directory(own_parent.get(), name.c_str(), 0700);
    if (error == -EEXIST) continue;
    if (error < 0) return std::nullopt;
    UniqueFd fd(files, error = files.open(own_parent.get(), name.c_str(), kDirectoryFlags));
    FileInfo info;
    if (fd) error = files.stat(fd.get(), info);
    if (error >= 0 && (info.owner != system.process.effective_user() || (info.mode & 0077) != 0)) error = -EPERM;
    if (error < 0) {
      files.remove_directory(own_parent.get(), name.c_str());
      return std::nullopt;
    }
    // On a file system without locks this call fails. Sweeps then remove the directory only when it is older than a day.
    files.try_lock(fd.get());
    std::string path = path_join(parent_path, name);
    error = 0;
    return WorkDirectory(system, KeptFd(files, std::move(own_parent), parent_info), KeptFd(files, std::move(fd), info), std::move(name),
                         std::move(path));
  }
  return std::nullopt;
}

std::optional<WorkDirectory> WorkDirectory::create_in(System system, const std::string& parent, int& error) {
  const UniqueFd fd(system.files, error = system.files.open(AT_FDCWD, parent.c_str(), O_RDONLY | O_DIRECTORY));
  FileInfo info;
  if (!fd || (error = system.files.stat(fd.get(), info)) < 0) return std::nullopt;
  if (info.writable_by_others() && !info.sticky()) {
    error = -EPERM;
    return std::nullopt;
  }
  return create(system, fd.get(), parent, error);
}

std::vector<std::string> WorkDirectory::system_temp(Process& process) {
  std::vector<std::string> directories;
  if (std::optional<std::string> temp = process.environment("TMPDIR"); temp && temp->starts_with('/'))
    directories.push_back(std::move(*temp));
  directories.insert(directories.end(), {"/tmp", "/var/tmp"});
  return directories;
}

WorkDirectory::~WorkDirectory() {
  // Removes nothing if the object was moved from, or in a forked child of the process that created the directory.
  if (!fd_ || system_.process.id() != owner_) return;
  clear();
  fd_.reset();
  if (parent_.is_ours()) system_.files.remove_directory(parent_.get(), name_.c_str());
}

bool WorkDirectory::clear() {
  // The host application has closed the descriptor, and the number may now refer to a file of the host application.
  if (!fd_.is_ours()) return false;
  try {
    remove_contents(system_.files, fd_.get());
    std::vector<std::string> left;
    return system_.files.list(fd_.get(), left) >= 0 && left.empty();
  } catch (...) {  // Memory ran out while names were listed. A later sweep removes the directory.
    return false;
  }
}

bool WorkDirectory::is_there() const {
  FileInfo here, named;
  return system_.process.id() == owner_ && parent_.is_ours() && system_.files.stat(fd_.get(), here) >= 0 &&
         system_.files.stat_at(parent_.get(), name_.c_str(), false, named) >= 0 && here.inode == named.inode && here.device == named.device;
}

int WorkDirectory::write_file(const char* name, std::span<const std::byte> bytes, uint32_t mode, bool sync) {
  const int opened = system_.files.open(fd_.get(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  if (opened < 0) return opened;
  UniqueFd file(system_.files, opened);
  int error = write_all(system_.files, file.get(), bytes);
  if (error >= 0 && sync) error = system_.files.sync(file.get());
  const int closed = system_.files.close(file.release());  // Some network file systems report a failed write only when the file is closed.
  return error < 0 ? error : closed;
}

int WorkDirectory::read_file(const char* name, size_t limit, std::vector<std::byte>& bytes) const {
  const int opened = system_.files.open(fd_.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (opened < 0) return opened;
  const UniqueFd file(system_.files, opened);
  FileInfo info;
  if (const int error = system_.files.stat(file.get(), info); error < 0) return error;
  if (info.kind != FileInfo::Kind::kFile) return -EINVAL;
  return read_all(system_.files, file.get(), limit, bytes);
}

bool WorkDirectory::has_room() {
  constexpr const char* kName = "room";
  const std::vector<std::byte> megabyte(size_t{1} << 20, std::byte{1});
  const int error = write_file(kName, megabyte, 0600, false);
  system_.files.unlink(fd_.get(), kName);
  return error >= 0;
}

int WorkDirectory::sweep(System system, int parent) {
  FileSystem& files = system.files;
  std::vector<std::string> names;
  files.list(parent, names);
  int swept = 0;
  for (const std::string& name : names) {
    if (!is_name(name)) continue;
    const UniqueFd fd(files, files.open(parent, name.c_str(), kDirectoryFlags));
    FileInfo info;
    if (!fd || files.stat(fd.get(), info) < 0 || info.owner != system.process.effective_user() || (info.mode & 0077) != 0) continue;
    const int64_t age = wall_clock_ns() - info.modified_ns;
    const int locked = files.try_lock(fd.get());
    if (locked == -EWOULDBLOCK || age < (locked >= 0 ? kSweepAgeNs : kSweepAgeWithoutLocksNs)) continue;
    remove_contents(files, fd.get());
    if (files.remove_directory(parent, name.c_str()) >= 0) ++swept;
  }
  return swept;
}

}  // namespace harp
