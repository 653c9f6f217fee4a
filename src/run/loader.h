// From an artifact to functions that can be called. The bytes are copied into an anonymous file in memory and that is loaded, never a
// path somebody could replace: dlopen goes by names, and a name used before gives the OLD library. For the same reason the descriptor
// stays open while the library is loaded (its number is part of the name), and a private file gets a name that is never used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/process.h"
#include "compile/artifact.h"

namespace harp {

/// A loaded shared object; unloaded with its owner. Move only.
class LoadedLibrary {
 public:
  using EntryPoint = void (*)(void** inputs, void** outputs, size_t* shape_vars);
  /// The last parameter is a `const harp_runtime*` (harp.h); this layer passes it through.
  using EntryPointEx = int32_t (*)(void** inputs, void** outputs, size_t* shape_vars, const void* runtime);

  /// Error kCompiler when the bytes do not load or lack an entry point, kIo when there is no place to load them from.
  static LoadedLibrary load(System system, const Artifact& artifact);

  ~LoadedLibrary() { close(); }
  LoadedLibrary(LoadedLibrary&& other) noexcept;
  LoadedLibrary& operator=(LoadedLibrary&& other) noexcept;

  EntryPoint entry_point() const { return entry_point_; }
  EntryPointEx entry_point_ex() const { return entry_point_ex_; }
  /// NULL when there is no such symbol.
  void* symbol(const char* name) const { return process_->find_symbol(handle_, name); }

 private:
  LoadedLibrary(Process& process, void* handle, UniqueFd backing) : process_(&process), handle_(handle), backing_(std::move(backing)) {}
  static std::optional<LoadedLibrary> load_from_memory(System system, const Artifact& artifact, std::string& why_not);
  static LoadedLibrary load_from_file(System system, const Artifact& artifact, const std::string& why_not_memory);
  void find_entry_points(const Artifact& artifact);
  void close() noexcept;

  Process* process_;
  void* handle_ = nullptr;
  UniqueFd backing_;  // the memory file
  EntryPoint entry_point_ = nullptr;
  EntryPointEx entry_point_ex_ = nullptr;
};

/// Loads each artifact once: programs made of equal artifacts share one library (generated code has no state to share). The most
/// recently used ones stay loaded after their last program, so that compiling the same graph again costs no dlopen. Thread-safe.
class Loader {
 public:
  explicit Loader(System system, size_t keep = 32) : system_(system), keep_(keep) {}

  std::shared_ptr<const LoadedLibrary> load(const Artifact& artifact);
  /// Unloads what no program uses.
  void drop_unused();

 private:
  System system_;
  size_t keep_;  // every loaded library holds a descriptor
  std::mutex mutex_;
  std::unordered_map<Digest, std::weak_ptr<const LoadedLibrary>> loaded_;
  std::list<std::shared_ptr<const LoadedLibrary>> kept_;  // most recently used first
};

}  // namespace harp
