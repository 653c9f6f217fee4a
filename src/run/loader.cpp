// dlopen by way of a memory file, or of a private file where memory files or /proc do not exist.
#include "run/loader.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "compile/compiler_command.h"
#include "compile/work_directory.h"

namespace harp {
namespace {

constexpr const char* kMemoryFileName = "harp-kernel";  // shown by debuggers and in /proc/self/maps
constexpr const char* kFileName = "unit.so";

}  // namespace

LoadedLibrary::LoadedLibrary(LoadedLibrary&& other) noexcept
    : process_(other.process_),
      handle_(std::exchange(other.handle_, nullptr)),
      backing_(std::move(other.backing_)),
      entry_point_(other.entry_point_),
      entry_point_ex_(other.entry_point_ex_) {}

LoadedLibrary& LoadedLibrary::operator=(LoadedLibrary&& other) noexcept {
  if (this != &other) {
    close();
    process_ = other.process_;
    handle_ = std::exchange(other.handle_, nullptr);
    backing_ = std::move(other.backing_);
    entry_point_ = other.entry_point_;
    entry_point_ex_ = other.entry_point_ex_;
  }
  return *this;
}

void LoadedLibrary::close() noexcept {
  if (handle_ != nullptr) process_->close_library(std::exchange(handle_, nullptr));
  backing_.reset();  // only now may its number be used again
}

std::optional<LoadedLibrary> LoadedLibrary::load_from_memory(System system, const Artifact& artifact, std::string& why_not) {
  UniqueFd file(system.files, system.files.memory_file(kMemoryFileName));
  if (!file) {
    why_not = "no memory file";
    return std::nullopt;
  }
  if (const int error = write_all(system.files, file.get(), artifact.payload()); error < 0) {
    why_not = cat("memory file: ", error_text(error));
    return std::nullopt;
  }
  const std::string path = cat("/proc/self/fd/", file.get());
  void* handle = system.process.open_library(path.c_str(), why_not);
  if (handle == nullptr) return std::nullopt;
  return LoadedLibrary(system.process, handle, std::move(file));
}

LoadedLibrary LoadedLibrary::load_from_file(System system, const Artifact& artifact, const std::string& why_not_memory) {
  int error = 0;
  for (const std::string& parent : WorkDirectory::system_temp(system.process)) {
    std::optional<WorkDirectory> work = WorkDirectory::create_in(system, parent, error);
    if (!work || (error = work->write_file(kFileName, artifact.payload(), 0700, false)) < 0) continue;  // no room, say
    std::string why_not;
    void* handle = system.process.open_library(path_join(work->path(), kFileName).c_str(), why_not);
    // glibc says "failed to map segment from shared object" for a noexec mount and for a policy that forbids it.
    const bool forbidden = handle == nullptr && why_not.find("failed to map segment") != std::string::npos;
    HARP_CHECK(!forbidden, Code::kIo, "cannot load compiled code: ", work->path(),
               " does not allow execution (mounted noexec?); set TMPDIR to a directory that does. Loader: ", why_not,
               "; from memory: ", why_not_memory);
    HARP_CHECK(handle != nullptr, Code::kCompiler, "cannot load compiled code: ", why_not, "; from memory: ", why_not_memory);
    return LoadedLibrary(system.process, handle, UniqueFd());  // the file goes now; the mapping stays
  }
  fail(Code::kIo, "cannot load compiled code: ", why_not_memory, "; no private file either (TMPDIR, /tmp, /var/tmp): ", error_text(error));
}

void LoadedLibrary::find_entry_points(const Artifact& artifact) {
  entry_point_ = reinterpret_cast<EntryPoint>(symbol("entry_point"));
  entry_point_ex_ = reinterpret_cast<EntryPointEx>(symbol("entry_point_ex"));
  HARP_CHECK(entry_point_ != nullptr && entry_point_ex_ != nullptr, Code::kCompiler, "compiled code ", artifact.key().hex(), " lacks ",
             entry_point_ == nullptr ? "entry_point" : "entry_point_ex",
             ", though the C compiler reported success: ", quote_command(artifact.manifest().command));
}

LoadedLibrary LoadedLibrary::load(System system, const Artifact& artifact) {
  std::string why_not;
  std::optional<LoadedLibrary> from_memory = load_from_memory(system, artifact, why_not);
  LoadedLibrary library = from_memory ? std::move(*from_memory) : load_from_file(system, artifact, why_not);
  library.find_entry_points(artifact);
  return library;
}

std::shared_ptr<const LoadedLibrary> Loader::load(const Artifact& artifact) {
  const std::lock_guard guard(mutex_);
  std::weak_ptr<const LoadedLibrary>& known = loaded_[artifact.digest()];
  std::shared_ptr<const LoadedLibrary> library = known.lock();
  if (!library) {
    library = std::make_shared<const LoadedLibrary>(LoadedLibrary::load(system_, artifact));
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
