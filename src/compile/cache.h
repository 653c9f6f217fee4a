// Implements the compile cache on disk: one file for each artifact, named by its key and the kind of its payload (KEY.so). An entry is used
// only if the digest of its bytes is right; otherwise the lookup is a miss. An entry is published by renaming a finished file, so readers
// and other writers see the whole entry or none, without a lock. A cache that does not work costs time but is never an error.
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
  std::string directory;  // path of the cache; empty: the environment determines the directory (choose_cache_path)
  bool shared = false;    // passed to open_cache_directory
  CacheLimits limits;
  // How long to wait for another process that is compiling the same request. After that, this process compiles the request, too.
  std::chrono::milliseconds lock_timeout{20'000};
};

/// Numbers of events since this CompileCache was created, and the present contents of the directory.
struct CacheStats {
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t damaged = 0;  // entries that were found but failed a check
  uint64_t published = 0;
  uint64_t unpublished = 0;  // failed writes
  uint64_t evicted = 0;
  uint64_t entries = 0;
  uint64_t bytes = 0;
};

struct CacheEntryInfo {
  std::string name;  // the key in hexadecimal
  uint64_t bytes = 0;
  int64_t used_ns = 0;  // time of the last use, in nanoseconds since 1970
  Manifest manifest;
};

/// The cache of artifacts in a directory on disk. Thread-safe. The constructor chooses the path of the directory, because the current
/// directory and the environment may change later. The first call that needs the directory creates, checks and opens it, so a program that
/// uses only the interpreter leaves no trace on the disk. A returned WorkDirectory or Lock may outlive the cache, because it refers only to
/// the System that was passed to the constructor.
class CompileCache {
 public:
  CompileCache(System system, CacheOptions options, Log log);

  /// Returns the path of the directory that contains the entries. Empty if the cache is off; why_off() then returns the reason.
  std::string directory();
  std::string why_off();

  /// Returns the artifact with this key and this Manifest::suffix, after checking all its bytes. Returns NULL if there is none. Marks the
  /// entry as used now.
  std::shared_ptr<const Artifact> lookup(const Digest& key, std::string_view suffix = kObjectSuffix);
  /// Stores an artifact, replacing an older entry with the same key and suffix. If it cannot be written, logs that and returns false.
  bool publish(const Artifact& artifact);
  void remove(const Digest& key, std::string_view suffix = kObjectSuffix);

  /// Returns a private, empty directory inside the cache directory: the spare one if give_back() has kept one, else a new one. Returns
  /// nullopt if the cache is off or no directory can be created.
  std::optional<WorkDirectory> work_directory();
  /// Takes back a work directory and keeps it as a spare for the next call of work_directory(): removing and creating a directory takes 2
  /// to 6 ms on some file systems. No process may write to the directory any more.
  void give_back(WorkDirectory work);
  /// Removes the spare work directory.
  void drop_spare();

  /// A lock for a key, which only one process or thread has at a time. It only avoids that several processes compile the same request;
  /// results are correct without it.
  using Lock = UniqueFd;
  /// Waits for the lock until `deadline`, but at most for lock_timeout. Returns an empty lock if it was not free by then, or if the wait
  /// was cancelled.
  Lock lock(const Digest& key, CancelFlag cancel, Deadline deadline = Deadline::max());

  /// The cache directory also stores named files next to the entries. Their names differ from those of entries, they are read and replaced
  /// as a whole, and they are never evicted. A Stamp consists of data of such a file by which a later change of the file is detected.
  struct Stamp {
    uint64_t inode = 0, size = 0;
    int64_t modified_ns = 0;
    uint32_t mode = 0, owner = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  /// Tests whether a file with this name exists, even if read_file() would reject it, for example because it belongs to another user. Does
  /// not create or open the cache directory. Returns false if the cache is off.
  bool has_file(const char* file);
  /// Returns the Stamp (inode, size, time of modification, permissions and owner) of the file with this name, even if read_file() would
  /// reject the file, for example because it belongs to another user. Returns nullopt if the file does not exist or the cache is off.
  std::optional<Stamp> stamp_of(const char* file);
  /// Returns the contents of the file. Returns nullopt and an empty `why_not` if the file does not exist or the cache is off. Returns
  /// nullopt and stores the reason in `why_not` if the file cannot be read, is not a regular file, is too large, or may have been written
  /// by another user.
  std::optional<std::string> read_file(const char* file, std::string& why_not);
  /// Renames the file to "FILE.ignored-N" with the first free number N, and returns the new name. On failure returns an empty string and
  /// stores the reason in `why_not`.
  std::string set_aside(const char* file, std::string& why_not);
  /// Replaces the contents of the file. Returns an error message, or "" on success.
  std::string replace_file(const char* file, std::string_view text);
  /// Locks the file, so that the caller can read it and then replace it. Waits up to lock_timeout. On failure returns an empty lock and
  /// stores the reason in `why_not`.
  Lock lock_file(const char* file, std::string& why_not);

  /// If the cache exceeds the limits, removes the least recently used entries until it is 10 % below them. Also removes abandoned work
  /// directories.
  void evict(const CacheLimits& limits);
  /// Removes all entries. Returns false if some could not be removed.
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
  std::mutex mutex_;  // guards all members below except the atomic counters
  std::shared_ptr<const CacheDirectory> directory_;
  std::optional<WorkDirectory> spare_;
  bool opened_ = false;  // true after the first attempt to open the directory, even if it failed
  std::string why_off_;
  // Estimate of the stored data: the count at the last eviction plus what this cache has published since. Other processes publish too, so
  // the entries are counted again after every kRecountEvery publications.
  uint64_t known_bytes_ = 0;
  uint64_t known_entries_ = 0;
  uint32_t published_since_count_ = 0;
  bool counted_ = false;

  std::atomic<uint64_t> hits_{0}, misses_{0}, damaged_{0}, published_{0}, unpublished_{0}, evicted_{0};
};

}  // namespace harp
