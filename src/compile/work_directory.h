// A private directory (mode 0700, a name nobody can guess or create first) in which one compilation or one publication happens at a time.
// It is locked as long as it is there: a directory whose lock is free has lost its owner (killed, say) and may be swept away.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"

namespace harp {

class WorkDirectory {
 public:
  /// Inside an open directory; the error is -errno.
  static std::optional<WorkDirectory> create(System system, int parent, std::string_view parent_path, int& error);
  /// In a directory of that path; -EPERM where others could rename it away.
  static std::optional<WorkDirectory> create_in(System system, const std::string& parent, int& error);
  /// The system's directories for such things, in the order they are to be tried: TMPDIR, /tmp, /var/tmp.
  static std::vector<std::string> system_temp(Process& process);

  WorkDirectory(WorkDirectory&&) = default;
  WorkDirectory& operator=(WorkDirectory&&) = delete;
  /// Removes it with what is inside; but in the process that made it only, not in a child of that.
  ~WorkDirectory();

  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }

  /// Creates a file: 0 or -errno. `sync`: on the disk before it returns.
  int write_file(const char* name, std::span<const std::byte> bytes, uint32_t mode, bool sync);
  /// Reads a regular file: 0 or -errno.
  int read_file(const char* name, size_t limit, std::vector<std::byte>& bytes) const;
  /// Removes what is inside; whether nothing is left.
  bool clear();
  /// Whether it still has its name, is this process's own, and has not been closed by the host.
  bool is_there() const;
  /// Whether a megabyte still fits: tells a full disk from a compiler that fails for reasons of its own.
  bool has_room();

  /// Removes the work directories in `parent` that nobody uses any more; gives how many.
  static int sweep(System system, int parent);
  /// The same beside this one.
  int sweep_neighbours() const { return sweep(system_, parent_.get()); }

 private:
  WorkDirectory(System system, KeptFd parent, KeptFd fd, std::string name, std::string path)
      : system_(system),
        parent_(std::move(parent)),
        fd_(std::move(fd)),
        name_(std::move(name)),
        path_(std::move(path)),
        owner_(system.process.id()) {}

  System system_;
  KeptFd parent_;
  KeptFd fd_;
  std::string name_;
  std::string path_;
  int owner_;  // process
};

}  // namespace harp
