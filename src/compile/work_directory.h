// Makes a private directory (mode 0700, with an unpredictable name) for one compilation or publication at a time. Its owner keeps it
// locked. A directory whose lock is free has lost its owner (for example, the process was killed), and another process may remove ("sweep")
// it.
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
  /// Creates a work directory inside an open directory. On failure returns nothing and stores -errno in `error`.
  static std::optional<WorkDirectory> create(System system, int parent, std::string_view parent_path, int& error);
  /// Creates a work directory inside the directory with this path. Fails with -EPERM if other users could rename files in that directory.
  static std::optional<WorkDirectory> create_in(System system, const std::string& parent, int& error);
  /// Returns the system's temporary directories in the order to try them: TMPDIR (if it is an absolute path), /tmp, /var/tmp.
  static std::vector<std::string> system_temp(Process& process);

  WorkDirectory(WorkDirectory&&) = default;
  WorkDirectory& operator=(WorkDirectory&&) = delete;
  /// Removes the directory and its contents, but only in the process that created it, not in a child forked from it.
  ~WorkDirectory();

  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }

  /// Creates a file. Returns 0 or -errno. If `sync`, the data is on the disk when the call returns.
  int write_file(const char* name, std::span<const std::byte> bytes, uint32_t mode, bool sync);
  /// Reads a regular file of at most `limit` bytes. Returns 0 or -errno.
  int read_file(const char* name, size_t limit, std::vector<std::byte>& bytes) const;
  /// Removes the files in the directory. Returns true if nothing is left in it.
  bool clear();
  /// True if this process created the directory, the directory still exists under its name, and the host application has not closed its
  /// descriptors.
  bool is_there() const;
  /// Tests whether another megabyte can be written. This distinguishes a full disk from other failures of the compiler.
  bool has_room();

  /// Removes the abandoned work directories in `parent`. Returns how many it removed.
  static int sweep(System system, int parent);
  /// Calls sweep() for the parent of this directory.
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
