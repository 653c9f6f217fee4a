// Implements RealFileSystem: thin wrappers around the system calls.
#include "base/file_system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace harp {
namespace {

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U  // memfd_create flag that exists since Linux 6.3; older kernels reject it with EINVAL
#endif

template <class Call>
auto retry(Call call) -> decltype(call()) {
  for (;;) {
    const auto result = call();
    if (result >= 0) return result;
    if (errno != EINTR) return -errno;
  }
}

/// Moves the descriptor of a file that was just created to a number above 2, as beyond_standard() does. Returns the new number or -errno.
/// While the file had descriptor 0, 1 or 2, the host program may have written to it, so a file whose descriptor is moved is also emptied.
int new_file_beyond_standard(int fd) {
  const int moved = beyond_standard(fd);
  if (moved < 0 || moved == fd || (::ftruncate(moved, 0) == 0 && ::lseek(moved, 0, SEEK_SET) == 0)) return moved;
  const int error = -errno;
  ::close(moved);
  return error;
}

/// Blocks SIGXFSZ during its lifetime. A write beyond the host's file size limit (RLIMIT_FSIZE) then fails instead of ending the process.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() {
    ::sigemptyset(&signal_);
    ::sigaddset(&signal_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~NoFileSizeSignal() {
    const int error = errno;
    if (::sigismember(&before_, SIGXFSZ) == 0) {
      constexpr timespec kNow = {};
      while (::sigtimedwait(&signal_, nullptr, &kNow) < 0 && errno == EINTR) {
      }
      ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    errno = error;
  }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;

 private:
  sigset_t signal_, before_;
};

void fill(const struct stat& from, FileInfo& info) {
  info.kind = S_ISREG(from.st_mode)   ? FileInfo::Kind::kFile
              : S_ISDIR(from.st_mode) ? FileInfo::Kind::kDirectory
              : S_ISLNK(from.st_mode) ? FileInfo::Kind::kSymlink
                                      : FileInfo::Kind::kOther;
  info.mode = from.st_mode & 07777;
  info.owner = from.st_uid;
  info.size = static_cast<uint64_t>(from.st_size);
  info.device = from.st_dev;
  info.inode = from.st_ino;
  info.modified_ns = static_cast<int64_t>(from.st_mtim.tv_sec) * 1'000'000'000 + from.st_mtim.tv_nsec;
}

}  // namespace

int RealFileSystem::open(int directory, const char* path, int flags, uint32_t mode) {
  const int fd = retry([&] { return ::openat(directory, path, flags | O_CLOEXEC, static_cast<mode_t>(mode)); });
  const bool is_new = (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0;
  return is_new ? new_file_beyond_standard(fd) : beyond_standard(fd);
}

int RealFileSystem::close(int fd) {
  // Linux closes the descriptor even if the call is interrupted, so there is no retry
  return ::close(fd) == 0 || errno == EINTR ? 0 : -errno;
}

int64_t RealFileSystem::read(int fd, void* data, size_t size) {
  return retry([&]() -> int64_t { return ::read(fd, data, size); });
}

int64_t RealFileSystem::write(int fd, const void* data, size_t size) {
  const NoFileSizeSignal quiet;
  return retry([&]() -> int64_t { return ::write(fd, data, size); });
}

int RealFileSystem::sync(int fd) {
  return retry([&] { return ::fsync(fd); });
}

int RealFileSystem::stat(int fd, FileInfo& info) {
  struct stat from;
  if (::fstat(fd, &from) != 0) return -errno;
  fill(from, info);
  return 0;
}

int RealFileSystem::stat_at(int directory, const char* path, bool follow, FileInfo& info) {
  struct stat from;
  if (::fstatat(directory, path, &from, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0) return -errno;
  fill(from, info);
  return 0;
}

int RealFileSystem::make_directory(int directory, const char* path, uint32_t mode) {
  return ::mkdirat(directory, path, static_cast<mode_t>(mode)) == 0 ? 0 : -errno;
}

int RealFileSystem::rename(int from_directory, const char* from, int to_directory, const char* to) {
  return ::renameat(from_directory, from, to_directory, to) == 0 ? 0 : -errno;
}

int RealFileSystem::unlink(int directory, const char* path) { return ::unlinkat(directory, path, 0) == 0 ? 0 : -errno; }

int RealFileSystem::remove_directory(int directory, const char* path) {
  return ::unlinkat(directory, path, AT_REMOVEDIR) == 0 ? 0 : -errno;
}

int RealFileSystem::list(int directory, std::vector<std::string>& names) {
  // Opens the directory again to get a separate file offset, because other threads may list the same directory at the same time.
  const int fd = open(directory, ".", O_RDONLY | O_DIRECTORY);
  if (fd < 0) return fd;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(fd), &::closedir);
  if (!stream) {
    const int error = errno;
    close(fd);
    return -error;
  }
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) return -errno;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
}

int RealFileSystem::try_lock(int fd) {
  return retry([&] { return ::flock(fd, LOCK_EX | LOCK_NB); });
}

int RealFileSystem::touch(int fd) { return ::futimens(fd, nullptr) == 0 ? 0 : -errno; }

int RealFileSystem::real_path(const char* path, std::string& resolved) {
  const std::unique_ptr<char, void (*)(void*)> found(::realpath(path, nullptr), &::free);
  if (!found) return -errno;
  resolved = found.get();
  return 0;
}

int RealFileSystem::executable(const char* path) { return ::faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? 0 : -errno; }

int RealFileSystem::memory_file(const char* name) {
#ifdef SYS_memfd_create
  const auto create = [name](unsigned flags) { return static_cast<int>(::syscall(SYS_memfd_create, name, flags)); };
  int fd = create(MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
  if (fd < 0 && errno == EINVAL) fd = create(MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return fd >= 0 ? new_file_beyond_standard(fd) : -errno;
#else
  (void)name;
  return -ENOSYS;
#endif
}

int RealFileSystem::seal(int fd) {
  return ::fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0 ? 0 : -errno;
}

int RealFileSystem::try_execute(int fd) {
  void* page = ::mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  if (page == MAP_FAILED) return -errno;
  ::munmap(page, 1);
  return 0;
}

KeptFd& KeptFd::operator=(KeptFd&& other) noexcept {
  if (this != &other) {
    reset();
    files_ = other.files_;
    fd_ = std::move(other.fd_);
    info_ = other.info_;
    is_lost_ = other.is_lost_.load();
  }
  return *this;
}

bool KeptFd::is_ours() const {
  if (!fd_ || is_lost_) return false;
  FileInfo now;
  const int error = files_->stat(fd_.get(), now);
  // If stat() fails with EBADF, the descriptor has been closed. With any other error the descriptor is still open, and harp assumes that it
  // still refers to the original file.
  if (error < 0 ? error == -EBADF : now.device != info_.device || now.inode != info_.inode) is_lost_ = true;
  return !is_lost_;
}

void KeptFd::reset() noexcept {
  if (!is_ours()) fd_.release();
  fd_.reset();
}

int write_all(FileSystem& files, int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const int64_t written = files.write(fd, bytes.data(), bytes.size());
    if (written < 0) return static_cast<int>(written);
    if (written == 0) return -EIO;  // A device may accept 0 bytes without an error. Without this check, the loop would then never end.
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return 0;
}

int read_all(FileSystem& files, int fd, size_t limit, std::vector<std::byte>& bytes) {
  bytes.clear();
  FileInfo info;
  if (const int error = files.stat(fd, info); error < 0) return error;
  if (info.size > limit) return -EFBIG;
  size_t used = 0;
  // The buffer is one byte larger than the file. The last read, which returns 0 at the end of the file, then finds room without enlarging
  // the buffer.
  bytes.resize(static_cast<size_t>(info.size) + 1);
  for (;;) {
    const int64_t got = files.read(fd, bytes.data() + used, bytes.size() - used);
    if (got < 0) return static_cast<int>(got);
    used += static_cast<size_t>(got);
    if (used > limit) return -EFBIG;
    if (got == 0) break;
    // The file has grown since the call of stat(), so the buffer is enlarged.
    if (used == bytes.size()) bytes.resize(std::min(limit, 2 * used) + 1);
  }
  bytes.resize(used);
  return 0;
}

int beyond_standard(int fd) {
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int result = moved >= 0 ? moved : -errno;
  ::close(fd);
  return result;
}

bool lacks_descriptors(FileSystem& files) {
  const int fd = files.open(AT_FDCWD, "/", O_PATH | O_DIRECTORY);
  const UniqueFd closes(files, fd);
  return fd == -EMFILE || fd == -ENFILE;
}

std::string_view error_text(int64_t result) {
#if defined(__GLIBC__)
  const char* text = ::strerrordesc_np(static_cast<int>(-result));
#else
  const char* text = ::strerror(static_cast<int>(-result));  // in musl, strerror() returns static text, so it is thread-safe
#endif
  return text != nullptr ? text : "unknown error";
}

std::string path_join(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (path.empty() || path.back() != '/') path += '/';
  path += name;
  return path;
}

}  // namespace harp
