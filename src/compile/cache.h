// The compile cache on disk: one file an artifact, named by its key. Nothing in it is believed: an entry is used only when every byte
// of it agrees with its digest; anything else is a miss. Publishing is one rename of a finished file, so readers and other writers see
// all of an entry or none of it, and no lock is needed for that. A cache that cannot be used costs time and is never an error.
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
  std::string directory;  // empty: from the environment
  bool shared = false;    // see open_cache_directory
  CacheLimits limits;
  std::chrono::milliseconds lock_timeout{20'000};  // how long to let another process compile the same thing before doing it too
};

/// What happened since this cache was opened, and what lies in it now.
struct CacheStats {
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t damaged = 0;  // entries that were there and failed a check
  uint64_t published = 0;
  uint64_t unpublished = 0;  // writes that failed
  uint64_t evicted = 0;
  uint64_t entries = 0;
  uint64_t bytes = 0;
};

struct CacheEntryInfo {
  std::string name;  // the key in hexadecimal
  uint64_t bytes = 0;
  int64_t used_ns = 0;  // when it was last used, since 1970
  Manifest manifest;
};

/// Thread-safe. The directory is chosen by the constructor (the current directory and the environment may change later) and made, checked
/// and opened at the first call that needs it: who only interprets leaves no trace on the disk. Outlived by nothing it hands out but
/// WorkDirectory and Lock, which need the System only.
class CompileCache {
 public:
  CompileCache(System system, CacheOptions options, Log log);

  /// Where entries lie; empty when the cache is off, and why_off() says why.
  std::string directory();
  std::string why_off();

  /// The artifact, whole and checked, or NULL. Marks it as used.
  std::shared_ptr<const Artifact> lookup(const Digest& key);
  /// Stores it, replacing what was there. False when it could not be written, which is logged.
  bool publish(const Artifact& artifact);
  void remove(const Digest& key);

  /// A private, empty directory on the cache's file system.
  std::optional<WorkDirectory> work_directory();
  /// For the next who asks: removing a directory and making another takes some file systems 2 to 6 ms. Only when nobody writes to it any
  /// more.
  void give_back(WorkDirectory work);
  /// Removes the one that is kept for that.
  void drop_spare();

  /// Held by one process (or thread) at a time per key. Saves work only: without it, things are done twice, never wrongly.
  using Lock = UniqueFd;
  /// Empty where it was not given by `deadline`, or within lock_timeout.
  Lock lock(const Digest& key, CancelFlag cancel, Deadline deadline = Deadline::max());

  /// A file beside the entries, by a name that no entry has, which is read and replaced as a whole; never evicted. What it was when it was
  /// read tells whether it has changed since.
  struct Stamp {
    uint64_t inode = 0, size = 0;
    int64_t modified_ns = 0;
    uint32_t mode = 0, owner = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  /// Of what has this name, a file that can be trusted or not; empty: nothing has.
  std::optional<Stamp> stamp_of(const char* file);
  /// Empty: it is not there or, with the reason, cannot be read or trusted.
  std::optional<std::string> read_file(const char* file, std::string& why_not);
  /// Gives what has this name another one, "FILE.ignored-1" or a later one, and says which. Empty, with the reason: it keeps its name.
  std::string set_aside(const char* file, std::string& why_not);
  /// Why it could not be written; "": it is.
  std::string replace_file(const char* file, std::string_view text);
  /// As above, for who reads and then replaces it; waits as long as it may. Empty, with the reason.
  Lock lock_file(const char* file, std::string& why_not);

  /// Removes the least recently used entries until the limits hold, and work directories without an owner.
  void evict(const CacheLimits& limits);
  /// Removes every entry; false when some could not be.
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
  std::mutex mutex_;  // guards what follows up to the counters
  std::shared_ptr<const CacheDirectory> directory_;
  std::optional<WorkDirectory> spare_;
  bool opened_ = false;  // or tried to
  std::string why_off_;
  // What we believe is stored: counted at the last eviction, plus our own since then. Others publish too, hence the recount now and then.
  uint64_t known_bytes_ = 0;
  uint64_t known_entries_ = 0;
  uint32_t published_since_count_ = 0;
  bool counted_ = false;

  std::atomic<uint64_t> hits_{0}, misses_{0}, damaged_{0}, published_{0}, unpublished_{0}, evicted_{0};
};

}  // namespace harp
