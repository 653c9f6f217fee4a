// Loads libraries with dlopen from a memory file. If the system has no memory files or no /proc, loads from a private file.
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

constexpr const char* kMemoryFileName = "harp-kernel";  // debuggers and /proc/self/maps show this name
constexpr const char* kFileName = "unit.so";
constexpr const char* kDescriptors = "/proc/self/fd/";

/// Returns a path to an open file that dlopen has never seen in this process. /proc/self/fd/N alone is not unique: after the host
/// application has closed descriptors that it does not own, or after a fork, N can refer to a new file while another library is loaded
/// under that path. Therefore the path also encodes the number of loads so far, and the copy of harp that is loading. A process may contain
/// several copies of harp, even one after another at the same address (dlclose, dlopen), so a copy is identified by its address and the
/// time of its first load. Each bit of these three numbers is written as "./" or ".//", which the kernel ignores.
std::string unique_path(int fd) {
  static std::atomic<uint64_t> loads{0};
  static const auto begun = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  std::string path = kDescriptors;
  for (const uint64_t value : {uint64_t{reinterpret_cast<uintptr_t>(&loads)}, begun, loads.fetch_add(1, std::memory_order_relaxed)})
    for (int bit = 63; bit >= 0; --bit) path += (value >> bit & 1) != 0 ? ".//" : "./";
  return cat(path, fd);
}

/// The result of a call of dlopen.
struct Opened {
  enum class Fault : uint8_t { kCode, kNoExecution, kNoRoom };  // kNoRoom: the process cannot have more memory mappings or descriptors
  void* handle = nullptr;                                       // NULL on failure, whose cause is in `fault` and `why_not`
  Fault fault = Fault::kCode;
  std::string why_not;
};

/// Loads the library at `path`. `fd` is an open descriptor of the same file, used to find the cause of a failure.
Opened open_library(System system, const std::string& path, int fd) {
  Opened opened;
  opened.handle = system.process.open_library(path.c_str(), opened.why_not);
  if (opened.handle != nullptr) return opened;
  if (const size_t at = opened.why_not.find(path); at != std::string::npos && path.starts_with(kDescriptors))
    opened.why_not.replace(at, path.size(), kMemoryFileName);  // replaces the long path of unique_path() in the message
  // glibc reports the same error for a noexec mount, for a policy that forbids execution, and for a process with too many mappings.
  // try_execute() tells these causes apart.
  const int executed = system.files.try_execute(fd);
  const bool unmapped = executed == -ENOMEM || opened.why_not.find("failed to map segment") != std::string::npos;
  if (executed == -EPERM || executed == -EACCES) {
    opened.fault = Opened::Fault::kNoExecution;
  } else if (unmapped) {
    opened.fault = Opened::Fault::kNoRoom;
    opened.why_not +=
        ": this process cannot create more memory mappings (vm.max_map_count, a limit on its address space, or memory is exhausted)";
  } else if (lacks_descriptors(system.files)) {
    opened.fault = Opened::Fault::kNoRoom;
  }
  return opened;
}

[[noreturn]] void refuse(const Opened& opened, std::string_view more = {}) {
  fail(opened.fault == Opened::Fault::kCode ? Code::kCompiler : Code::kIo, "cannot load compiled code: ", opened.why_not, more);
}

/// Opens a directory for temporary files, and stores its real path in `resolved`. Fails unless other users can neither replace the
/// directory nor rename files in it.
UniqueFd open_temporary(System system, const std::string& path, std::string& resolved, std::string& why_not) {
  if (const int error = system.files.real_path(path.c_str(), resolved); error < 0) {
    why_not = cat("cannot resolve ", path, ": ", error_text(error));
    return {};
  }
  return open_trusted(system, resolved, Owner::kTemporary, why_not);
}

/// Writes the bytes to a file in a new private directory under `parent`, and loads it. Sets `why_not` if `parent` is the cause of a
/// failure, so that another directory may work.
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
  return opened;  // The destructor of `work` deletes the file; the library stays mapped.
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
  // No memory mapping or descriptor is left. Loading a file from disk would need both, too, so this is not tried.
  if (opened.fault == Opened::Fault::kNoRoom) refuse(opened);
  why_not = std::move(opened.why_not);
  return std::nullopt;
}

LoadedLibrary LoadedLibrary::open_from_file(System system, const Artifact& artifact, const std::string& why_not_memory) {
  std::string refusals;  // why each directory was rejected
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
  // The name is derived from the content, so a file that was loaded earlier under this name has the same content. An existing file may be
  // mapped, so it is replaced by a rename instead of being overwritten.
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

/// Returns the key that the library exports as kUnitKey; empty if it exports none.
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
  // If dlopen returned another library, which has another key, tries once more under a new name.
  for (int attempt = 0; attempt < 2; ++attempt) {
    LoadedLibrary library = open(system, artifact, keep_in);
    found = library.key();
    if (found != artifact.key().hex()) continue;
    library.find_entry_points(artifact);
    return library;
  }
  HARP_CHECK(!found.empty(), Code::kCompiler, "compiled code ", artifact.key().hex(), " lacks ", kUnitKey,
             ", though the C compiler reported success: ", quote_command(artifact.manifest().command));
  fail(Code::kCompiler, "the system's loader returned compiled code ", found, ", expected ", artifact.key().hex());
}

std::shared_ptr<const LoadedLibrary> Loader::load(const Artifact& artifact) {
  const std::lock_guard guard(mutex_);
  std::weak_ptr<const LoadedLibrary>& known = loaded_[artifact.digest()];
  std::shared_ptr<const LoadedLibrary> library = known.lock();
  if (!library) {
    library = std::make_shared<const LoadedLibrary>(LoadedLibrary::load(system_, artifact, keep_in_));
    known = library;
    // Removes the entries of libraries that have been unloaded. This happens only when the table has more than twice as many entries as
    // there are kept libraries, so it takes amortised constant time.
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
