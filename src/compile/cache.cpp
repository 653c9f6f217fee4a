// The operations of the compile cache. Each is a short sequence of system calls on the open directory. Any error means that the entry is
// not in the cache.
#include "compile/cache.h"

#include <errno.h>
#include <fcntl.h>

#include <algorithm>

#include "base/text.h"

namespace harp {
namespace {

using std::chrono::microseconds;

// Limits how many bytes harp reads of a file that another program has placed in the cache directory. Real entries are far smaller.
constexpr size_t kMaxEntryBytes = size_t{256} << 20;
// Number of publications after which all entries, including those of other processes, are counted again.
constexpr uint32_t kRecountEvery = 64;
constexpr int kLockStripes = 256;             // number of lock files, which is fixed; several keys share a lock file
constexpr const char* kUnfinished = "entry";  // name of a new entry's file before it is renamed into the cache
constexpr std::string_view kLockPrefix = "lock-";

std::string entry_name(const Digest& key, std::string_view suffix) { return cat(key.hex(), suffix); }
std::string entry_name(const Artifact& artifact) { return entry_name(artifact.key(), artifact.manifest().suffix); }

/// True for the name of a file that consists of a key and any suffix. That includes entries of earlier formats, which are never looked up
/// but have to be evicted.
bool is_entry_name(std::string_view name) {
  constexpr size_t kDigits = 2 * sizeof(Digest);
  return name.size() > kDigits && name[kDigits] == '.' && name.substr(0, kDigits).find_first_not_of("0123456789abcdef") == name.npos;
}

}  // namespace

struct CompileCache::StoredFile {
  std::string name;
  uint64_t bytes;
  int64_t used_ns;
};

CompileCache::CompileCache(System system, CacheOptions options, Log log)
    : system_(system), options_(std::move(options)), log_(std::move(log)) {
  if (!options_.enabled) {
    why_off_ = "switched off";
    return;
  }
  CachePath chosen = choose_cache_path(system_, options_.directory);
  why_off_ = std::move(chosen.why_not);
  options_.directory = std::move(chosen.path);
  if (options_.directory.empty()) log_.warning("compile cache disabled: ", why_off_);
}

std::string CompileCache::directory() {
  const auto directory = current();
  return directory ? directory->path : std::string();
}

std::string CompileCache::why_off() {
  if (current()) return {};
  const std::lock_guard guard(mutex_);
  return why_off_;
}

std::shared_ptr<const CacheDirectory> CompileCache::current() {
  const std::lock_guard guard(mutex_);
  if (!opened_ && options_.enabled && !options_.directory.empty()) open();
  if (directory_ && !directory_->fd.is_ours()) {
    log_.debug("the compile cache was reopened, because the host closed its file descriptor");
    // The host application may also have closed the descriptor of the spare work directory. This is checked before open(), because the
    // directory that open() opens could get the same descriptor number.
    if (spare_ && !spare_->is_there()) spare_.reset();
    open();
  }
  return directory_;
}

/// Opens the cache directory. The caller must hold mutex_.
void CompileCache::open() {
  std::string why_not;
  directory_ = open_cache_directory(system_, options_.directory, options_.shared, why_not);
  // If the directory could not be opened because no file descriptor was left, the next call tries again.
  opened_ = directory_ != nullptr || !lacks_descriptors(system_.files);
  if (!directory_ && why_not != why_off_) log_.warning("compile cache disabled: ", why_not);
  why_off_ = std::move(why_not);
}

/// Creates the cache directory again after someone deleted it. `gone` is the directory that the caller used. If another thread has already
/// replaced it, only returns the new one.
std::shared_ptr<const CacheDirectory> CompileCache::reopen(const CacheDirectory& gone) {
  const std::lock_guard guard(mutex_);
  if (directory_.get() == &gone) {
    open();
    counted_ = false;
  }
  return directory_;
}

/// Returns why a file is not trusted. Empty if it is a regular file of acceptable size that only this user can write to. In a shared
/// directory, owner and mode do not matter.
std::string CompileCache::distrust(const FileInfo& info) const {
  if (info.kind == FileInfo::Kind::kSymlink) return "it is a symbolic link, not a file";
  if (info.kind == FileInfo::Kind::kDirectory) return "it is a directory, not a file";
  if (info.kind != FileInfo::Kind::kFile) return "it is not a regular file";
  if (info.size > kMaxEntryBytes) return cat("it has ", info.size, " bytes, expected at most ", kMaxEntryBytes);
  if (options_.shared) return {};
  const uint32_t user = system_.process.effective_user();
  if (info.owner != user) return cat("it belongs to user ", info.owner, ", expected the current user, ", user);
  if (!info.writable_by_others()) return {};
  const auto digit = [&](int shift) { return static_cast<char>('0' + (info.mode >> shift & 7)); };
  return cat("other users can write to it: its mode is ", std::string{digit(6), digit(3), digit(0)}, ", expected 600 or 644 (chmod go-w)");
}

/// Reads the file of an entry. Returns 0 or -errno. If distrust() rejects the file, returns -EPERM and stores the reason in `why_not`.
int CompileCache::read_entry(const CacheDirectory& directory, const char* name, std::vector<std::byte>& bytes, bool touch,
                             std::string& why_not) const {
  // O_NONBLOCK keeps open() from waiting for a writer if the entry is a FIFO.
  const int opened = system_.files.open(directory.fd.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (opened < 0) return opened;
  const UniqueFd file(system_.files, opened);
  FileInfo info;
  if (const int error = system_.files.stat(file.get(), info); error < 0) return error;
  if (why_not = distrust(info); !why_not.empty()) return -EPERM;
  if (const int error = read_all(system_.files, file.get(), kMaxEntryBytes, bytes); error < 0) return error;
  if (touch) system_.files.touch(file.get());  // Eviction uses this time stamp. In a read-only cache the call fails, which does no harm.
  return 0;
}

std::shared_ptr<const Artifact> CompileCache::lookup(const Digest& key, std::string_view suffix) {
  const auto directory = current();
  if (!directory) return nullptr;
  const std::string name = entry_name(key, suffix);
  std::vector<std::byte> bytes;
  std::string why_not;
  const int error = read_entry(*directory, name.c_str(), bytes, true, why_not);
  std::shared_ptr<const Artifact> artifact = error < 0 ? nullptr : Artifact::parse(key, std::move(bytes));
  if (artifact && artifact->manifest().suffix == suffix) {
    ++hits_;
    return artifact;
  }
  ++misses_;
  if (error == -ENOENT) return nullptr;
  ++damaged_;
  if (error < 0) {
    log_.warning("cache entry ", name, " not used: ", why_not.empty() ? error_text(error) : std::string_view(why_not));
  } else {
    log_.warning("cache entry ", name, " is damaged, removed");
    // If another process has just replaced the damaged entry by a good one, this deletes the good one, which costs one compilation.
    system_.files.unlink(directory->fd.get(), name.c_str());
  }
  return nullptr;
}

std::optional<WorkDirectory> CompileCache::work_directory_in(std::shared_ptr<const CacheDirectory>& directory, int& error) {
  std::optional<WorkDirectory> spare;
  {
    const std::lock_guard guard(mutex_);
    if (spare_) spare.emplace(std::move(*spare_));
    spare_.reset();
  }
  if (spare && spare->is_there()) return spare;
  if (auto work = WorkDirectory::create(system_, directory->fd.get(), directory->path, error)) return work;
  if (error != -ENOENT || !(directory = reopen(*directory))) return std::nullopt;
  return WorkDirectory::create(system_, directory->fd.get(), directory->path, error);
}

std::optional<WorkDirectory> CompileCache::work_directory() {
  auto directory = current();
  int error = 0;
  return directory ? work_directory_in(directory, error) : std::nullopt;
}

void CompileCache::give_back(WorkDirectory work) {
  if (!work.clear()) return;
  const std::lock_guard guard(mutex_);
  if (!spare_) spare_.emplace(std::move(work));
}

/// Publishes a file with one rename. Returns 0 or -errno. If `durable`, the file survives a power failure after the call returns, which
/// costs 5 ms.
int CompileCache::publish_as(const std::string& name, std::span<const std::byte> bytes, bool durable) {
  auto directory = current();
  if (!directory) return -ENOENT;
  int error = 0;
  if (std::optional<WorkDirectory> work = work_directory_in(directory, error)) {
    error = work->write_file(kUnfinished, bytes, options_.shared ? 0666 : 0600, durable);
    if (error >= 0) error = system_.files.rename(work->fd(), kUnfinished, directory->fd.get(), name.c_str());
    if (error >= 0) give_back(std::move(*work));
  }
  return error;
}

void CompileCache::drop_spare() {
  std::optional<WorkDirectory> spare;  // Declared before the lock, so that the directory is removed after the lock is released.
  const std::lock_guard guard(mutex_);
  if (spare_) spare.emplace(std::move(*spare_));
  spare_.reset();
}

bool CompileCache::publish(const Artifact& artifact) {
  if (!current() || artifact.file().size() > kMaxEntryBytes) return false;
  // The file need not be durable: if it is incomplete after a power failure, that is detected when it is read, and the request is compiled
  // again.
  const int error = publish_as(entry_name(artifact), artifact.file(), false);
  // EEXIST, ESTALE and EBUSY mean that another process has published the same content.
  if (error == -EEXIST || error == -ESTALE || error == -EBUSY) return true;
  if (error < 0) {
    ++unpublished_;
    log_.warning("not cached on disk: ", error_text(error));
    return false;
  }
  ++published_;
  count_published(artifact.file().size());
  return true;
}

void CompileCache::count_published(uint64_t bytes) {
  bool due;
  {
    const std::lock_guard guard(mutex_);
    known_bytes_ += bytes;
    ++known_entries_;
    ++published_since_count_;
    due = !counted_ || published_since_count_ >= kRecountEvery || known_bytes_ > options_.limits.bytes ||
          known_entries_ > options_.limits.entries;
  }
  if (due) evict(options_.limits);
}

void CompileCache::remove(const Digest& key, std::string_view suffix) {
  if (const auto directory = current()) system_.files.unlink(directory->fd.get(), entry_name(key, suffix).c_str());
}

bool CompileCache::has_file(const char* file) {
  if (!options_.enabled || options_.directory.empty()) return false;
  FileInfo info;
  return system_.files.stat_at(AT_FDCWD, path_join(entries_path(options_.directory), file).c_str(), false, info) >= 0;
}

std::optional<CompileCache::Stamp> CompileCache::stamp_of(const char* file) {
  const auto directory = current();
  FileInfo info;
  if (!directory || system_.files.stat_at(directory->fd.get(), file, false, info) < 0) return std::nullopt;
  return Stamp{info.inode, info.size, info.modified_ns, info.mode, info.owner};
}

std::optional<std::string> CompileCache::read_file(const char* file, std::string& why_not) {
  why_not.clear();
  const auto directory = current();
  if (!directory) return std::nullopt;
  std::vector<std::byte> bytes;
  const int error = read_entry(*directory, file, bytes, false, why_not);
  if (error >= 0) return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (error == -ENOENT) return std::nullopt;
  FileInfo info;
  if (system_.files.stat_at(directory->fd.get(), file, false, info) >= 0) why_not = distrust(info);
  if (why_not.empty()) why_not = error_text(error);
  return std::nullopt;
}

std::string CompileCache::set_aside(const char* file, std::string& why_not) {
  constexpr int kMaxNames = 1000;
  const auto directory = current();
  int error = -ENOENT;
  for (int n = 1; directory && n <= kMaxNames; ++n) {
    const std::string name = cat(file, ".ignored-", n);
    FileInfo info;
    error = system_.files.stat_at(directory->fd.get(), name.c_str(), false, info);
    if (error >= 0) continue;
    if (error == -ENOENT) error = system_.files.rename(directory->fd.get(), file, directory->fd.get(), name.c_str());
    if (error >= 0) return name;
    break;
  }
  why_not = cat("cannot rename ", file, " in the cache, so it is not used: ", error >= 0 ? "no free name was found" : error_text(error));
  return {};
}

std::string CompileCache::replace_file(const char* file, std::string_view text) {
  const int error = publish_as(file, std::as_bytes(std::span(text)), true);
  return error < 0 ? cat("cannot write ", path_join(directory(), file), ": ", error_text(error)) : std::string();
}

CompileCache::Lock CompileCache::lock_file(const char* file, std::string& why_not) {
  const std::string name = cat(kLockPrefix, file);
  int error = 0;
  Lock lock = lock_called(name, nullptr, Deadline::max(), error);
  if (!lock)
    why_not = cat("cannot lock ", path_join(directory(), name), ": ",
                  error == -EWOULDBLOCK ? std::string("another process holds the lock") : std::string(error_text(error)));
  return lock;
}

CompileCache::Lock CompileCache::lock(const Digest& key, CancelFlag cancel, Deadline deadline) {
  int error = 0;
  return lock_called(cat(kLockPrefix, key.low % kLockStripes), cancel, deadline, error);
}

CompileCache::Lock CompileCache::lock_called(const std::string& name, CancelFlag cancel, Deadline deadline, int& error) {
  const auto directory = current();
  error = -ENOENT;
  if (!directory) return {};
  const int opened =
      system_.files.open(directory->fd.get(), name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, options_.shared ? 0666 : 0600);
  Lock file(system_.files, opened);
  error = opened;
  if (!file) return {};
  deadline = std::min(deadline, system_.process.now() + options_.lock_timeout);
  for (microseconds nap{200};; nap = std::min<microseconds>(nap * 2, microseconds{10'000})) {
    const int locked = system_.files.try_lock(file.get());
    if (locked >= 0) return file;
    error = locked;
    if ((locked != -EWOULDBLOCK && locked != -EINTR) || cancelled(cancel) || system_.process.now() >= deadline) return {};
    system_.process.sleep(nap);
  }
}

std::vector<CompileCache::StoredFile> CompileCache::stored(const CacheDirectory& directory) {
  std::vector<std::string> names;
  system_.files.list(directory.fd.get(), names);
  std::vector<StoredFile> found;
  for (std::string& name : names) {
    FileInfo info;
    if (!is_entry_name(name) || system_.files.stat_at(directory.fd.get(), name.c_str(), false, info) < 0) continue;
    found.push_back({std::move(name), info.size, info.modified_ns});
  }
  return found;
}

void CompileCache::evict(const CacheLimits& limits) {
  const auto directory = current();
  if (!directory) return;
  std::vector<StoredFile> files = stored(*directory);
  uint64_t bytes = 0;
  for (const StoredFile& file : files) bytes += file.bytes;
  uint64_t entries = files.size();
  if (bytes > limits.bytes || entries > limits.entries) {
    std::sort(files.begin(), files.end(), [](const StoredFile& a, const StoredFile& b) { return a.used_ns < b.used_ns; });
    // Evicts until the cache is 10 % below its limits. Otherwise every new entry of a full cache would cause all files to be listed and
    // sorted.
    const CacheLimits aim{limits.bytes - limits.bytes / 10, limits.entries - limits.entries / 10};
    for (const StoredFile& file : files) {
      if (bytes <= aim.bytes && entries <= aim.entries) break;
      const int error = system_.files.unlink(directory->fd.get(), file.name.c_str());
      if (error < 0 && error != -ENOENT) continue;
      bytes -= file.bytes;
      --entries;
      ++evicted_;
    }
  }
  WorkDirectory::sweep(system_, directory->fd.get());
  const std::lock_guard guard(mutex_);
  known_bytes_ = bytes;
  known_entries_ = entries;
  published_since_count_ = 0;
  counted_ = true;
}

bool CompileCache::clear() {
  const auto directory = current();
  if (!directory) return true;
  bool all = true;
  for (const StoredFile& file : stored(*directory)) {
    const int error = system_.files.unlink(directory->fd.get(), file.name.c_str());
    all = all && (error >= 0 || error == -ENOENT);
  }
  WorkDirectory::sweep(system_, directory->fd.get());
  const std::lock_guard guard(mutex_);
  counted_ = false;
  known_bytes_ = known_entries_ = 0;
  return all;
}

CacheStats CompileCache::stats() {
  CacheStats stats{hits_, misses_, damaged_, published_, unpublished_, evicted_, 0, 0};
  if (const auto directory = current()) {
    for (const StoredFile& file : stored(*directory)) {
      ++stats.entries;
      stats.bytes += file.bytes;
    }
  }
  return stats;
}

std::vector<CacheEntryInfo> CompileCache::list() {
  std::vector<CacheEntryInfo> entries;
  const auto directory = current();
  if (!directory) return entries;
  for (const StoredFile& file : stored(*directory)) {
    std::vector<std::byte> bytes;
    std::string why_not;
    if (read_entry(*directory, file.name.c_str(), bytes, false, why_not) < 0) continue;
    const auto artifact = Artifact::parse(std::move(bytes));
    if (!artifact || entry_name(*artifact) != file.name) continue;
    entries.push_back({artifact->key().hex(), file.bytes, file.used_ns, artifact->manifest()});
  }
  return entries;
}

}  // namespace harp
