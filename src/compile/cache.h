// The compile cache on disk: one file for each artifact, named by its key and the kind of its payload (KEY.so). Entries are never trusted
// blindly: an entry is used only if all its bytes match its digest; otherwise it counts as a miss. Publishing is one rename of a finished
// file, so readers and other writers see a whole entry or none, without a lock. A cache that does not work costs time but is never an
// error.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/process.h"
#include "compile/artifact.h"
#include "compile/cache_directory.h"
#include "compile/work_directory.h"

namespace harp {

struct CacheLimits {
  uint64_t bytes = uint64_t{1} << 30;
  uint64_t entries = 16384;
};

struct CacheOptions {
  bool enabled = true;
  std::string directory;  // empty: chosen from the environment
  bool shared = false;    // passed to open_cache_directory
  CacheLimits limits;
  // How long to wait for another process that compiles the same request, before compiling it as well.
  std::chrono::milliseconds lock_timeout{20'000};
};

/// Events since this cache was opened, and its present contents.
struct CacheStats {
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t damaged = 0;  // entries that exist but failed a check
  uint64_t published = 0;
  uint64_t unpublished = 0;  // failed writes
  uint64_t evicted = 0;
  uint64_t entries = 0;
  uint64_t bytes = 0;
};

struct CacheEntryInfo {
  std::string name;  // the key in hexadecimal
  uint64_t bytes = 0;
  int64_t used_ns = 0;  // time of the last use, since 1970
  Manifest manifest;
};

/// Thread-safe. The constructor chooses the directory, because the current directory and the environment may change later. The first call
/// that needs the directory creates, checks and opens it, so a program that only interprets leaves no trace on the disk. A WorkDirectory or
/// Lock may outlive the cache, since it needs only the System; no other returned object may.
class CompileCache {
 public:
  CompileCache(System system, CacheOptions options, Log log);

  /// The directory of the entries. Empty if the cache is off; then why_off() gives the reason.
  std::string directory();
  std::string why_off();

  /// Returns the artifact with this key and Manifest::suffix after checking it completely, or NULL. Marks it as used.
  std::shared_ptr<const Artifact> lookup(const Digest& key, std::string_view suffix = kObjectSuffix);
  /// Stores an artifact, replacing an older entry. Returns false if it cannot be written, and logs that.
  bool publish(const Artifact& artifact);
  void remove(const Digest& key, std::string_view suffix = kObjectSuffix);

  /// Creates a private, empty directory on the cache's file system.
  std::optional<WorkDirectory> work_directory();
  /// Takes back a work directory for reuse, because removing and creating a directory takes 2 to 6 ms on some file systems. No process may
  /// still write to it.
  void give_back(WorkDirectory work);
  /// Removes the work directory that is kept for reuse.
  void drop_spare();

  /// A lock that one process or thread at a time holds for a key. It only avoids duplicate work; without it results are still right.
  using Lock = UniqueFd;
  /// Returns an empty lock if the lock is not free before `deadline` or within lock_timeout.
  Lock lock(const Digest& key, CancelFlag cancel, Deadline deadline = Deadline::max());

  /// Identifies the state of a named file that is stored next to the entries, so that later changes are detected. Such files have names
  /// that no entry has, are read and replaced as a whole, and are never evicted.
  struct Stamp {
    uint64_t inode = 0, size = 0;
    int64_t modified_ns = 0;
    uint32_t mode = 0, owner = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  /// Tests whether there is a file with this name, trusted or not, without creating or opening the directory. False if the cache is off.
  bool has_file(const char* file);
  /// The stamp of the file with this name, trusted or not; empty if there is none.
  std::optional<Stamp> stamp_of(const char* file);
  /// Reads the file. Empty if it does not exist; empty with a reason if it cannot be read or trusted.
  std::optional<std::string> read_file(const char* file, std::string& why_not);
  /// Renames the file to "FILE.ignored-1" or a later number, and returns the new name. On failure returns an empty string and a reason.
  std::string set_aside(const char* file, std::string& why_not);
  /// Replaces the file; returns an error message, or "" on success.
  std::string replace_file(const char* file, std::string_view text);
  /// Locks the file for a read followed by a replacement; waits up to lock_timeout. On failure returns an empty lock and a reason.
  Lock lock_file(const char* file, std::string& why_not);

  /// Removes the least recently used entries until the limits hold, and removes abandoned work directories.
  void evict(const CacheLimits& limits);
  /// Removes every entry; returns false if some could not be removed.
  bool clear();

  CacheStats stats();
  std::vector<CacheEntryInfo> list();

 private:
  struct StoredFile;
  std::shared_ptr<const CacheDirectory> current();
  void open();
  std::shared_ptr<const CacheDirectory> reopen(const CacheDirectory& gone);
  std::optional<WorkDirectory> work_directory_in(std::shared_ptr<const CacheDirectory>& directory, int& error);
  std::string distrust(const FileInfo& info) const;
  int read_entry(const CacheDirectory& directory, const char* name, std::vector<std::byte>& bytes, bool touch, std::string& why_not) const;
  std::vector<StoredFile> stored(const CacheDirectory& directory);
  int publish_as(const std::string& name, std::span<const std::byte> bytes, bool durable);
  Lock lock_called(const std::string& name, CancelFlag cancel, Deadline deadline, int& error);
  void count_published(uint64_t bytes);

  System system_;
  CacheOptions options_;
  Log log_;
  std::mutex mutex_;  // guards the members below, up to the counters
  std::shared_ptr<const CacheDirectory> directory_;
  std::optional<WorkDirectory> spare_;
  bool opened_ = false;  // opened, or failed to open
  std::string why_off_;
  // Estimate of the stored data: the count at the last eviction plus this cache's later publications. Other processes publish too, so it is
  // recounted periodically.
  uint64_t known_bytes_ = 0;
  uint64_t known_entries_ = 0;
  uint32_t published_since_count_ = 0;
  bool counted_ = false;

  std::atomic<uint64_t> hits_{0}, misses_{0}, damaged_{0}, published_{0}, unpublished_{0}, evicted_{0};
};

}  // namespace harp
