// A private directory (mode 0700, with an unpredictable name) for one compilation or publication at a time. It stays locked during its
// lifetime: a directory whose lock is free has lost its owner (a killed process, for example) and may be swept.
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
  /// Creates a directory inside an open directory; `error` is -errno.
  static std::optional<WorkDirectory> create(System system, int parent, std::string_view parent_path, int& error);
  /// Creates one inside the directory at a path; -EPERM if other users could rename it.
  static std::optional<WorkDirectory> create_in(System system, const std::string& parent, int& error);
  /// The system's temporary directories, in the order to try: TMPDIR, /tmp, /var/tmp.
  static std::vector<std::string> system_temp(Process& process);

  WorkDirectory(WorkDirectory&&) = default;
  WorkDirectory& operator=(WorkDirectory&&) = delete;
  /// Removes the directory and its contents, but only in the process that created it, not in a forked child.
  ~WorkDirectory();

  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }

  /// Creates a file: 0 or -errno. With `sync` the data is on the disk before it returns.
  int write_file(const char* name, std::span<const std::byte> bytes, uint32_t mode, bool sync);
  /// Reads a regular file: 0 or -errno.
  int read_file(const char* name, size_t limit, std::vector<std::byte>& bytes) const;
  /// Removes the contents; returns true if nothing is left.
  bool clear();
  /// True if the directory still has its name, belongs to this process, and the host has not closed its descriptor.
  bool is_there() const;
  /// True if another megabyte fits. It distinguishes a full disk from other failures of the compiler.
  bool has_room();

  /// Removes abandoned work directories in `parent`; returns their number.
  static int sweep(System system, int parent);
  /// Does the same in the parent of this directory.
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
  int owner_;  // process id
};

}  // namespace harp
