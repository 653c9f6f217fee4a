// Implements the compile service of a context. It returns the artifact of a source in the fastest possible way: from memory, from disk,
// from another thread or process that is compiling the same source, or by running the compiler.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/log.h"
#include "compile/c_compiler.h"
#include "compile/cache.h"
#include "compile/compiler.h"
#include "compile/compiler_search.h"
#include "compile/compiler_slots.h"
#include "compile/loader.h"
#include "compile/memory_cache.h"

namespace harp {

struct ServiceOptions {
  std::string compiler;  // command of the C compiler; empty: HARP_CC if set, otherwise CC, cc, gcc or clang
  CacheOptions cache;
  MemoryLimits memory;
  std::chrono::milliseconds timeout{60'000};  // for one compilation
  size_t compilers = 0;                       // number of compilers that may run at the same time; 0: number of CPUs minus 1, at least 1
  int compiler_nice = 0;                      // added to the nice value of compiler processes
};

struct CompileReport {
  enum class Origin : uint8_t { kCompiled, kDisk, kMemory };
  Origin origin = Origin::kCompiled;
  double milliseconds = 0;  // duration of the whole call of compile() or compile_with()
};

struct ServiceStats {
  uint64_t compiled = 0;
  uint64_t disk_hits = 0;
  uint64_t memory_hits = 0;
  uint64_t failures = 0;
  double compile_ms = 0;  // total milliseconds of the calls that ran a compiler
};

/// Loads a new artifact to check that it can be loaded, and throws if it cannot.
using LoadCheck = std::function<void(const Artifact&)>;

/// Compiles sources to artifacts for a context, and caches the artifacts in memory and on disk. Thread-safe. A new artifact is stored in
/// the cache only after it has been loaded once. Threads that request the same artifact at the same time share one compilation.
class CompileService {
 public:
  CompileService(System system, ServiceOptions options, Log log);

  /// Begins to look for the compiler whose command is `option`, or for the default compiler if `option` is "". compile() completes the
  /// search. Returns null if the compiler is already known or another thread is looking for it. The search is abandoned when the last owner
  /// of the returned pointer releases it.
  std::shared_ptr<CompilerSearch> begin_search(const std::string& option);

  /// Returns the largest number of compilers that may run at the same time.
  size_t compilers() const { return slots_.count(); }
  /// Returns the time limit of a compilation.
  std::chrono::milliseconds timeout() const { return options_.timeout; }

  /// Returns the artifact of a request. Throws Error with the code kCompiler (no compiler, a failure of the compiler, or a timeout; the
  /// message names the command, and compiler_output contains the compiler's messages), kIo (no directory to compile in) or kCancelled. A
  /// cache that does not work is no error.
  std::shared_ptr<const Artifact> compile(const CompileRequest& request, TimeLimit& limit, CompileReport* report = nullptr);
  /// Like compile() with a TimeLimit; the time limit is timeout().
  std::shared_ptr<const Artifact> compile(const CompileRequest& request, CompileReport* report = nullptr, CancelFlag cancel = nullptr);

  /// Like compile(), with a compiler that the caller provides. `loads` checks that a new artifact can be loaded.
  std::shared_ptr<const Artifact> compile_with(const Compiler& compiler, const CompileRequest& request, const LoadCheck& loads,
                                               TimeLimit& limit, CompileReport* report = nullptr);

  /// Removes an artifact from memory and from disk, because it has turned out not to load.
  void forget(const Artifact& artifact);
  /// Returns the loader of compiled libraries. It loads every new artifact of compile() once as a check, and keeps recently used libraries
  /// loaded.
  Loader& loader() { return loader_; }
  /// Releases what is kept only for speed: artifacts in memory, unused libraries and the spare work directory. Called when the system has
  /// no file descriptor, mapping or memory left.
  void drop_kept();

  /// Returns the identity of the compiler for requests that name none. Throws Error{kCompiler} if no compiler works.
  CompilerIdentity compiler();

  CompileCache& cache() { return cache_; }
  /// Removes all artifacts from memory and disk. Returns false if some entry on disk could not be removed.
  bool clear();
  ServiceStats stats() const;

 private:
  struct Flight;  // a compilation in progress, for whose result other threads may wait
  const std::string& command_of(const std::string& option) const { return option.empty() ? options_.compiler : option; }
  std::shared_ptr<const CCompiler> compiler_for(const std::string& option, bool check, TimeLimit& limit);
  using Making = std::function<std::shared_ptr<const Artifact>(CompileReport& report)>;
  std::shared_ptr<const Artifact> counted(const Making& make, TimeLimit& limit, CompileReport* report);
  std::shared_ptr<const Artifact> find_or_compile(const Compiler& compiler, const CompileRequest& request, const Digest& key,
                                                  std::vector<std::string> command, const LoadCheck& loads, CompileReport& report,
                                                  TimeLimit& limit);
  CompileCache::Lock wait_for_others(const Digest& key, TimeLimit& limit);
  std::shared_ptr<const Artifact> compile_once(const Compiler& compiler, const CompileRequest& request, const Digest& key,
                                               std::vector<std::string> command, const LoadCheck& loads, bool persistent, TimeLimit& limit);
  std::vector<std::byte> run_compiler(const Compiler& compiler, const CompileRequest& request, const Digest& key, TimeLimit& limit);
  void wait_for(Flight& flight, std::unique_lock<std::mutex>& guard, TimeLimit& limit);

  System system_;
  ServiceOptions options_;
  Log log_;
  CompileCache cache_;
  MemoryCache memory_;
  CompilerSlots slots_;
  Loader loader_;
  std::atomic<bool> temp_swept_{false};  // true after abandoned work directories were removed from the system's temporary directory

  std::mutex compilers_mutex_;
  struct KnownCompiler {
    std::shared_ptr<const CCompiler> compiler;  // NULL if the compiler has not been found yet
    std::weak_ptr<CompilerSearch> search;
    bool is_searched = false;  // true while one thread searches for the compiler; other threads wait for it
  };
  std::condition_variable searched_;
  std::map<std::string, KnownCompiler, std::less<>> compilers_;  // the key is the compiler's command

  std::mutex flights_mutex_;
  std::condition_variable landed_;
  std::unordered_map<Digest, std::shared_ptr<Flight>> flights_;

  mutable std::mutex stats_mutex_;
  ServiceStats stats_;
};

}  // namespace harp
