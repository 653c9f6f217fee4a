// Puts system calls on files behind one virtual class, so that a test can make any single call fail. Unless stated otherwise, a call
// returns its value or -errno. Failure is often expected (a cache directory that is not writable is no error), so the caller decides what
// an error means.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace harp {

struct FileInfo {
  enum class Kind : uint8_t { kFile, kDirectory, kSymlink, kOther };
  Kind kind = Kind::kOther;
  uint32_t mode = 0;  // permission bits only
  uint32_t owner = 0;
  uint64_t size = 0;
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t modified_ns = 0;

  bool writable_by_others() const { return (mode & 0022) != 0; }
  bool sticky() const { return (mode & 01000) != 0; }
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  /// Opens a file as openat(2) does, with O_CLOEXEC added to the flags. A relative path starts at `directory`; AT_FDCWD means the current
  /// directory. Returns the descriptor or -errno.
  virtual int open(int directory, const char* path, int flags, uint32_t mode = 0) = 0;
  virtual int close(int fd) = 0;
  virtual int64_t read(int fd, void* data, size_t size) = 0;
  virtual int64_t write(int fd, const void* data, size_t size) = 0;
  virtual int sync(int fd) = 0;
  virtual int stat(int fd, FileInfo& info) = 0;
  virtual int stat_at(int directory, const char* path, bool follow, FileInfo& info) = 0;
  virtual int make_directory(int directory, const char* path, uint32_t mode) = 0;
  virtual int rename(int from_directory, const char* from, int to_directory, const char* to) = 0;
  virtual int unlink(int directory, const char* path) = 0;
  virtual int remove_directory(int directory, const char* path) = 0;
  /// Stores the names of the files in a directory in `names`, without "." and "..". Returns 0 or -errno.
  virtual int list(int directory, std::vector<std::string>& names) = 0;
  /// Takes an exclusive advisory lock on an open file without waiting. Returns 0 or -errno; -EWOULDBLOCK means that another open file
  /// description has the lock. Closing the descriptor releases the lock.
  virtual int try_lock(int fd) = 0;
  /// Sets the modification time of an open file to the current time. Returns 0 or -errno.
  virtual int touch(int fd) = 0;
  virtual int real_path(const char* path, std::string& resolved) = 0;
  /// Tests whether a file may be executed, as access(2) does, but with the effective instead of the real user and group ids. Returns 0 if
  /// so, otherwise -errno.
  virtual int executable(const char* path) = 0;
  /// Creates an anonymous file in memory whose pages may be mapped executable. Returns its descriptor or -errno.
  virtual int memory_file(const char* name) = 0;
  /// Makes the contents of a memory file immutable, also for other descriptors of the file. Returns 0 or -errno.
  virtual int seal(int fd) = 0;
  /// Tests whether an open file can be mapped executable: maps one page of it and unmaps it. Returns 0 or -errno. -EPERM and -EACCES mean
  /// that the file system is mounted noexec or that a security policy forbids the mapping.
  virtual int try_execute(int fd) = 0;
};

/// The file system of the operating system. Retries calls that return EINTR.
class RealFileSystem : public FileSystem {
 public:
  int open(int directory, const char* path, int flags, uint32_t mode = 0) override;
  int close(int fd) override;
  int64_t read(int fd, void* data, size_t size) override;
  int64_t write(int fd, const void* data, size_t size) override;
  int sync(int fd) override;
  int stat(int fd, FileInfo& info) override;
  int stat_at(int directory, const char* path, bool follow, FileInfo& info) override;
  int make_directory(int directory, const char* path, uint32_t mode) override;
  int rename(int from_directory, const char* from, int to_directory, const char* to) override;
  int unlink(int directory, const char* path) override;
  int remove_directory(int directory, const char* path) override;
  int list(int directory, std::vector<std::string>& names) override;
  int try_lock(int fd) override;
  int touch(int fd) override;
  int real_path(const char* path, std::string& resolved) override;
  int executable(const char* path) override;
  int memory_file(const char* name) override;
  int seal(int fd) override;
  int try_execute(int fd) override;
};

/// Owns an open file descriptor and closes it on destruction.
class UniqueFd {
 public:
  UniqueFd() = default;
  /// Takes ownership of a descriptor. If `fd` is negative (an error), the object is empty.
  UniqueFd(FileSystem& files, int fd) : files_(&files), fd_(fd < 0 ? -1 : fd) {}
  ~UniqueFd() { reset(); }
  UniqueFd(UniqueFd&& other) noexcept : files_(other.files_), fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      reset();
      files_ = other.files_;
      fd_ = other.release();
    }
    return *this;
  }

  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int release() noexcept {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void reset() noexcept {
    if (fd_ >= 0) files_->close(release());
  }

 private:
  FileSystem* files_ = nullptr;
  int fd_ = -1;
};

/// A file descriptor that harp keeps open between calls of the host program into harp. Some host programs close descriptors that they do
/// not own (closefrom). The kernel may then give the number to a file of the host program or to a later file of harp. Therefore the code
/// that uses a KeptFd calls is_ours() before each use. Before that code opens a replacement, it calls is_ours() for every KeptFd that it
/// has, because the replacement may get the number of a lost descriptor. A KeptFd never closes a lost descriptor.
class KeptFd {
 public:
  KeptFd() = default;
  /// Takes ownership of `fd`. `info` describes the file that it refers to.
  KeptFd(FileSystem& files, UniqueFd fd, const FileInfo& info) : files_(&files), fd_(std::move(fd)), info_(info) {}
  ~KeptFd() { reset(); }
  KeptFd(KeptFd&& other) noexcept : files_(other.files_), fd_(std::move(other.fd_)), info_(other.info_), is_lost_(other.is_lost_.load()) {}
  KeptFd& operator=(KeptFd&& other) noexcept;

  explicit operator bool() const { return static_cast<bool>(fd_); }
  int get() const { return fd_.get(); }
  /// True if the descriptor is still open and refers to the file it was opened for. Once the answer is false it stays false, even if the
  /// same file is opened again and gets the same number.
  bool is_ours() const;
  /// Closes the descriptor if is_ours(); otherwise only forgets its number.
  void reset() noexcept;

 private:
  FileSystem* files_ = nullptr;
  UniqueFd fd_;
  FileInfo info_;
  mutable std::atomic<bool> is_lost_{false};  // true once is_ours() has returned false
};

/// Writes all bytes, repeating write calls that write only some of them. Returns 0 or -errno.
int write_all(FileSystem& files, int fd, std::span<const std::byte> bytes);
/// Reads to the end of the file. Returns 0 or -errno; -EFBIG if the file has more than `limit` bytes.
int read_all(FileSystem& files, int fd, size_t limit, std::vector<std::byte>& bytes);

/// Duplicates `fd` to a number above 2 if it is 0, 1 or 2, closes the original, and returns the new number or -errno. A host that has
/// closed its standard descriptors still reads from and prints to the numbers 0, 1 and 2, so no file of harp may have them. Returns any
/// other `fd`, including an error (negative), unchanged.
int beyond_standard(int fd);

/// Tests whether the process or the system has run out of file descriptors.
bool lacks_descriptors(FileSystem& files);

/// Returns the message for a result -errno, such as "No space left on device". Thread-safe and independent of the locale.
std::string_view error_text(int64_t result);

/// `directory`/`name`.
std::string path_join(std::string_view directory, std::string_view name);

}  // namespace harp
