// Turns an artifact into callable functions. The bytes are copied to a sealed memory file, which is loaded, so no other process can replace
// it. dlopen identifies a library by name first and returns the OLD library for a known name; then by the file's device and inode. So every
// load uses a name that is new in this process, and the loaded library must export the expected key.
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

/// A loaded shared object, unloaded on destruction. Holds no descriptor. Move only.
class LoadedLibrary {
 public:
  using EntryPoint = void (*)(void** inputs, void** outputs, size_t* shape_vars);
  /// The last parameter is a `const harp_runtime*` (harp.h), which this layer only passes on.
  using EntryPointEx = int32_t (*)(void** inputs, void** outputs, size_t* shape_vars, const void* runtime);

  /// `keep_in` is a directory for a permanent copy of the loaded file; empty: no copy. Error kCompiler if the bytes do not load or lack an
  /// entry point; kIo if there is no directory to load from, no descriptor or no mapping.
  static LoadedLibrary load(System system, const Artifact& artifact, const std::string& keep_in = {});

  ~LoadedLibrary() { close(); }
  LoadedLibrary(LoadedLibrary&& other) noexcept;
  LoadedLibrary& operator=(LoadedLibrary&& other) noexcept;

  EntryPoint entry_point() const { return entry_point_; }
  EntryPointEx entry_point_ex() const { return entry_point_ex_; }
  /// NULL if there is no such symbol.
  void* symbol(const char* name) const { return process_->find_symbol(handle_, name); }

 private:
  LoadedLibrary(Process& process, void* handle) : process_(&process), handle_(handle) {}
  static LoadedLibrary open(System system, const Artifact& artifact, const std::string& keep_in);
  static std::optional<LoadedLibrary> open_from_memory(System system, const Artifact& artifact, std::string& why_not);
  static LoadedLibrary open_from_file(System system, const Artifact& artifact, const std::string& why_not_memory);
  static LoadedLibrary open_kept(System system, const Artifact& artifact, const std::string& directory);
  std::string key() const;
  void find_entry_points(const Artifact& artifact);
  void close() noexcept;

  Process* process_;
  void* handle_ = nullptr;
  EntryPoint entry_point_ = nullptr;
  EntryPointEx entry_point_ex_ = nullptr;
};

/// Loads each artifact once: programs made of equal artifacts share one library, because generated code has no state. The most recently
/// used libraries stay loaded after their last program is gone, so compiling the same graph again needs no dlopen. Thread-safe.
/// HARP_KEEP_OBJECTS names a directory where loaded files are kept for tools that read them (perf, gdb).
class Loader {
 public:
  explicit Loader(System system, size_t keep = 32)
      : system_(system), keep_(keep), keep_in_(system.process.environment("HARP_KEEP_OBJECTS").value_or("")) {}

  std::shared_ptr<const LoadedLibrary> load(const Artifact& artifact);
  /// Unloads all libraries that no program uses.
  void drop_unused();

 private:
  System system_;
  size_t keep_;  // number of libraries to keep; each uses two mappings
  std::string keep_in_;
  std::mutex mutex_;
  std::unordered_map<Digest, std::weak_ptr<const LoadedLibrary>> loaded_;
  std::list<std::shared_ptr<const LoadedLibrary>> kept_;  // most recently used first
};

}  // namespace harp
