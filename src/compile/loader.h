// Turns an artifact into callable functions. The bytes are copied to a sealed memory file, which no other process can modify, and loaded
// from there. If dlopen already knows the name of a file, or its device and inode, it returns the library that it has loaded before.
// Therefore every load uses a name that is new in this process, and harp checks that the loaded library exports the expected key.
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

/// A loaded shared object, which needs no open file descriptor any more. The destructor unloads it. Move only.
class LoadedLibrary {
 public:
  using EntryPoint = void (*)(void** inputs, void** outputs, size_t* shape_vars);
  /// The last parameter is a `const harp_runtime*` (harp.h), which the loader does not use.
  using EntryPointEx = int32_t (*)(void** inputs, void** outputs, size_t* shape_vars, const void* runtime);

  /// Loads an artifact. `keep_in` is a directory for a permanent copy of the loaded file; empty: no copy. Throws Error{kCompiler} if the
  /// bytes do not load or lack an entry point, and Error{kIo} if no directory can be loaded from or if no descriptor or mapping is left.
  static LoadedLibrary load(System system, const Artifact& artifact, const std::string& keep_in = {});

  ~LoadedLibrary() { close(); }
  LoadedLibrary(LoadedLibrary&& other) noexcept;
  LoadedLibrary& operator=(LoadedLibrary&& other) noexcept;

  EntryPoint entry_point() const { return entry_point_; }
  EntryPointEx entry_point_ex() const { return entry_point_ex_; }
  /// Returns the address of a symbol, or NULL if the library does not export it.
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

/// Loads each artifact once: programs with equal artifacts share one library, because generated code has no state. The most recently used
/// libraries stay loaded after the last program that uses them is released, so compiling the same graph again needs no dlopen. Thread-safe.
/// If HARP_KEEP_OBJECTS names a directory, the loaded files are kept there for tools that read them (perf, gdb).
class Loader {
 public:
  explicit Loader(System system, size_t keep = 32)
      : system_(system), keep_(keep), keep_in_(system.process.environment("HARP_KEEP_OBJECTS").value_or("")) {}

  std::shared_ptr<const LoadedLibrary> load(const Artifact& artifact);
  /// Unloads all libraries that no program uses any more.
  void drop_unused();

 private:
  System system_;
  size_t keep_;  // maximum number of libraries that stay loaded although no program uses them; each needs two memory mappings
  std::string keep_in_;
  std::mutex mutex_;
  std::unordered_map<Digest, std::weak_ptr<const LoadedLibrary>> loaded_;
  std::list<std::shared_ptr<const LoadedLibrary>> kept_;  // the libraries that stay loaded, the most recently used one first
};

}  // namespace harp
