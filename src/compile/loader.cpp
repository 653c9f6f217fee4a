// dlopen by way of a memory file, or of a private file where memory files or /proc do not exist.
#include "compile/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "compile/compiler.h"
#include "compile/compiler_command.h"
#include "compile/trusted_directory.h"
#include "compile/work_directory.h"

namespace harp {
namespace {

constexpr const char* kMemoryFileName = "harp-kernel";  // shown by debuggers and in /proc/self/maps
constexpr const char* kFileName = "unit.so";
constexpr const char* kDescriptors = "/proc/self/fd/";

/// A path to an open file that this process has never had. The descriptor's number alone is not: a host that closes what is not its own,
/// or a fork, makes the number that of another file while a library is loaded under it. So the count of all loads so far is in the path,
/// and which copy of harp counts: a process may have several, also one after the other at the same address (dlclose, dlopen). All that bit
/// by bit, as ways to say "here" to the kernel.
std::string unique_path(int fd) {
  static std::atomic<uint64_t> loads{0};
  static const auto begun = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  std::string path = kDescriptors;
  for (const uint64_t value : {uint64_t{reinterpret_cast<uintptr_t>(&loads)}, begun, loads.fetch_add(1, std::memory_order_relaxed)})
    for (int bit = 63; bit >= 0; --bit) path += (value >> bit & 1) != 0 ? ".//" : "./";
  return cat(path, fd);
}

/// What came of dlopen.
struct Opened {
  enum class Fault : uint8_t { kCode, kNoExecution, kNoRoom };  // kNoRoom: for a mapping, or a descriptor
  void* handle = nullptr;                                       // NULL: `fault`, `why_not`
  Fault fault = Fault::kCode;
  std::string why_not;
};

/// `fd` is of the file the path names.
Opened open_library(System system, const std::string& path, int fd) {
  Opened opened;
  opened.handle = system.process.open_library(path.c_str(), opened.why_not);
  if (opened.handle != nullptr) return opened;
  if (const size_t at = opened.why_not.find(path); at != std::string::npos && path.starts_with(kDescriptors))
    opened.why_not.replace(at, path.size(), kMemoryFileName);  // nobody wants to read that
  // glibc says the same of a noexec mount, of a policy that forbids execution, and of a process that may have no more mappings.
  const int executed = system.files.try_execute(fd);
  const bool unmapped = executed == -ENOMEM || opened.why_not.find("failed to map segment") != std::string::npos;
  if (executed == -EPERM || executed == -EACCES) {
    opened.fault = Opened::Fault::kNoExecution;
  } else if (unmapped) {
    opened.fault = Opened::Fault::kNoRoom;
    opened.why_not += ": the system gives this process no further mapping (vm.max_map_count, a limit on its address space, memory)";
  } else if (lacks_descriptors(system.files)) {
    opened.fault = Opened::Fault::kNoRoom;
  }
  return opened;
}

[[noreturn]] void refuse(const Opened& opened, std::string_view more = {}) {
  fail(opened.fault == Opened::Fault::kCode ? Code::kCompiler : Code::kIo, "cannot load compiled code: ", opened.why_not, more);
}

/// A directory for temporary files that nobody can put another in place of, with its path resolved.
UniqueFd open_temporary(System system, const std::string& path, std::string& resolved, std::string& why_not) {
  if (const int error = system.files.real_path(path.c_str(), resolved); error < 0) {
    why_not = cat("cannot resolve ", path, ": ", error_text(error));
    return {};
  }
  return open_trusted(system, resolved, Owner::kTemporary, why_not);
}

/// By a file of a name that is never used again, in a private directory. `why_not` is set where that is the fault of `parent`.
Opened open_private_file(System system, const std::string& parent, std::span<const std::byte> bytes, std::string& why_not) {
  std::string resolved;
  const UniqueFd directory = open_temporary(system, parent, resolved, why_not);
  if (!directory) return {};
  int error = 0;
  std::optional<WorkDirectory> work = WorkDirectory::create(system, directory.get(), resolved, error);
  if (work) error = work->write_file(kFileName, bytes, 0700, false);
  if (work && error >= 0) error = system.files.open(work->fd(), kFileName, O_RDONLY | O_NOFOLLOW);
  if (!work || error < 0) {
    why_not = cat("cannot write in ", resolved, ": ", error_text(error));
    return {};
  }
  const UniqueFd file(system.files, error);
  Opened opened = open_library(system, path_join(work->path(), kFileName), file.get());
  if (opened.handle == nullptr && opened.fault == Opened::Fault::kNoExecution)
    why_not = cat(resolved, " does not allow execution (mounted noexec?)");
  return opened;  // the file goes now; a mapping stays
}

}  // namespace

LoadedLibrary::LoadedLibrary(LoadedLibrary&& other) noexcept
    : process_(other.process_),
      handle_(std::exchange(other.handle_, nullptr)),
      entry_point_(other.entry_point_),
      entry_point_ex_(other.entry_point_ex_) {}

LoadedLibrary& LoadedLibrary::operator=(LoadedLibrary&& other) noexcept {
  if (this != &other) {
    close();
    process_ = other.process_;
    handle_ = std::exchange(other.handle_, nullptr);
    entry_point_ = other.entry_point_;
    entry_point_ex_ = other.entry_point_ex_;
  }
  return *this;
}

void LoadedLibrary::close() noexcept {
  if (handle_ != nullptr) process_->close_library(std::exchange(handle_, nullptr));
}

std::optional<LoadedLibrary> LoadedLibrary::open_from_memory(System system, const Artifact& artifact, std::string& why_not) {
  const int created = system.files.memory_file(kMemoryFileName);
  const UniqueFd file(system.files, created);
  int error = created;
  if (file) error = write_all(system.files, file.get(), artifact.payload());
  if (error >= 0) error = system.files.seal(file.get());
  if (error < 0) {
    why_not = cat("memory file: ", error_text(error));
    return std::nullopt;
  }
  Opened opened = open_library(system, unique_path(file.get()), file.get());
  if (opened.handle != nullptr) return LoadedLibrary(system.process, opened.handle);
  if (opened.fault == Opened::Fault::kNoRoom) refuse(opened);  // a file on the disk needs the same
  why_not = std::move(opened.why_not);
  return std::nullopt;
}

LoadedLibrary LoadedLibrary::open_from_file(System system, const Artifact& artifact, const std::string& why_not_memory) {
  std::string refusals;  // of directories
  for (const std::string& parent : WorkDirectory::system_temp(system.process)) {
    std::string why_not;
    const Opened opened = open_private_file(system, parent, artifact.payload(), why_not);
    if (opened.handle != nullptr) return LoadedLibrary(system.process, opened.handle);
    if (why_not.empty()) refuse(opened, cat("; from memory: ", why_not_memory));
    append(refusals, cat("; ", why_not));
  }
  fail(Code::kIo, "cannot load compiled code: from memory: ", why_not_memory, refusals,
       "; set TMPDIR to a directory that allows execution and belongs to this user");
}

LoadedLibrary LoadedLibrary::open_kept(System system, const Artifact& artifact, const std::string& directory) {
  constexpr std::string_view kVariable = "HARP_KEEP_OBJECTS: ";
  HARP_CHECK(directory.starts_with('/'), Code::kIo, kVariable, "\"", directory, "\" is not an absolute path");
  std::string resolved, why_not;
  const UniqueFd fd = open_temporary(system, directory, resolved, why_not);
  HARP_CHECK(fd, Code::kIo, kVariable, why_not);
  // Named by its content: a name that was loaded before gives what it is. The one that is there may be mapped, so it is replaced, not
  // written.
  const std::string name = cat("harp-", artifact.digest().hex(), ".so");
  const std::string path = path_join(resolved, name);
  const std::string written = cat(name, ".", Hasher().add(system.process.random()).finish().hex());
  int error = system.files.open(fd.get(), written.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0700);
  const UniqueFd file(system.files, error);
  if (file && (error = write_all(system.files, file.get(), artifact.payload())) >= 0)
    error = system.files.rename(fd.get(), written.c_str(), fd.get(), name.c_str());
  if (file && error < 0) system.files.unlink(fd.get(), written.c_str());
  HARP_CHECK(error >= 0, Code::kIo, kVariable, "cannot write ", path, ": ", error_text(error));
  const Opened opened = open_library(system, path, file.get());
  if (opened.handle == nullptr) refuse(opened);
  return LoadedLibrary(system.process, opened.handle);
}

LoadedLibrary LoadedLibrary::open(System system, const Artifact& artifact, const std::string& keep_in) {
  if (!keep_in.empty()) return open_kept(system, artifact, keep_in);
  std::string why_not;
  std::optional<LoadedLibrary> from_memory = open_from_memory(system, artifact, why_not);
  return from_memory ? std::move(*from_memory) : open_from_file(system, artifact, why_not);
}

/// The one it says it has; empty: it says none.
std::string LoadedLibrary::key() const {
  constexpr size_t kLongest = 64;
  const auto* text = static_cast<const char*>(symbol(kUnitKey));
  return text == nullptr ? std::string() : std::string(text, ::strnlen(text, kLongest));
}

void LoadedLibrary::find_entry_points(const Artifact& artifact) {
  entry_point_ = reinterpret_cast<EntryPoint>(symbol("entry_point"));
  entry_point_ex_ = reinterpret_cast<EntryPointEx>(symbol("entry_point_ex"));
  HARP_CHECK(entry_point_ != nullptr && entry_point_ex_ != nullptr, Code::kCompiler, "compiled code ", artifact.key().hex(), " lacks ",
             entry_point_ == nullptr ? "entry_point" : "entry_point_ex",
             ", though the C compiler reported success: ", quote_command(artifact.manifest().command));
}

LoadedLibrary LoadedLibrary::load(System system, const Artifact& artifact, const std::string& keep_in) {
  std::string found;
  for (int attempt = 0; attempt < 2; ++attempt) {  // where another library came for this one, under a new name
    LoadedLibrary library = open(system, artifact, keep_in);
    found = library.key();
    if (found != artifact.key().hex()) continue;
    library.find_entry_points(artifact);
    return library;
  }
  HARP_CHECK(!found.empty(), Code::kCompiler, "compiled code ", artifact.key().hex(), " lacks ", kUnitKey,
             ", though the C compiler reported success: ", quote_command(artifact.manifest().command));
  fail(Code::kCompiler, "the system's loader gave compiled code ", found, " where ", artifact.key().hex(), " was asked for");
}

std::shared_ptr<const LoadedLibrary> Loader::load(const Artifact& artifact) {
  const std::lock_guard guard(mutex_);
  std::weak_ptr<const LoadedLibrary>& known = loaded_[artifact.digest()];
  std::shared_ptr<const LoadedLibrary> library = known.lock();
  if (!library) {
    library = std::make_shared<const LoadedLibrary>(LoadedLibrary::load(system_, artifact, keep_in_));
    known = library;
    // Names of libraries that are gone, as many as are alive: looked for when there is something new, in amortised constant time.
    if (loaded_.size() > 2 * (kept_.size() + keep_)) std::erase_if(loaded_, [](const auto& entry) { return entry.second.expired(); });
  }
  const auto kept = std::find(kept_.begin(), kept_.end(), library);
  if (kept != kept_.end())
    kept_.splice(kept_.begin(), kept_, kept);
  else
    kept_.push_front(library);
  if (kept_.size() > keep_) kept_.pop_back();
  return library;
}

void Loader::drop_unused() {
  const std::lock_guard guard(mutex_);
  kept_.clear();
  std::erase_if(loaded_, [](const auto& entry) { return entry.second.expired(); });
}

}  // namespace harp
