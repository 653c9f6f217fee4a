// The compile service of a context: it turns source into an artifact by the fastest available way: memory, disk, another thread or process
// that is compiling the same source, or the compiler.
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
  std::string compiler;  // command; empty: HARP_CC, CC, then cc, gcc, clang
  CacheOptions cache;
  MemoryLimits memory;
  std::chrono::milliseconds timeout{60'000};  // for one compilation
  size_t compilers = 0;                       // limit of simultaneous compilers; 0: number of processors minus 1, at least 1
  int compiler_nice = 0;                      // added to their nice value
};

struct CompileReport {
  enum class Origin : uint8_t { kCompiled, kDisk, kMemory };
  Origin origin = Origin::kCompiled;
  double milliseconds = 0;  // duration of the whole call
};

struct ServiceStats {
  uint64_t compiled = 0;
  uint64_t disk_hits = 0;
  uint64_t memory_hits = 0;
  uint64_t failures = 0;
  double compile_ms = 0;  // time spent in compilations
};

/// Loads a new artifact, to see that it can be loaded; throws if it cannot.
using LoadCheck = std::function<void(const Artifact&)>;

/// Thread-safe; one for each context. An artifact is loaded before it is published. Threads that request the same artifact at the same time
/// share one compilation.
class CompileService {
 public:
  CompileService(System system, ServiceOptions options, Log log);

  /// Begins the search for the compiler of the command `option`, if it is not known yet; compile() continues the search. The search ends
  /// when no owner of the returned pointer is left.
  std::shared_ptr<CompilerSearch> begin_search(const std::string& option);

  /// The maximum number of C compilers at the same time.
  size_t compilers() const { return slots_.count(); }
  /// Time limit of a new compilation.
  std::chrono::milliseconds timeout() const { return options_.timeout; }

  /// Errors: kCompiler (no compiler, a failure of the compiler or a timeout; the message names the command, and compiler_output holds the
  /// compiler's messages), kIo (no directory to compile in), kCancelled. A cache that does not work is no error.
  std::shared_ptr<const Artifact> compile(const CompileRequest& request, TimeLimit& limit, CompileReport* report = nullptr);
  /// Does the same, limited by timeout().
  std::shared_ptr<const Artifact> compile(const CompileRequest& request, CompileReport* report = nullptr, CancelFlag cancel = nullptr);

  /// Does the same with a compiler that the caller has found. `loads` checks that a new artifact loads.
  std::shared_ptr<const Artifact> compile_with(const Compiler& compiler, const CompileRequest& request, const LoadCheck& loads,
                                               TimeLimit& limit, CompileReport* report = nullptr);

  /// Removes from memory and disk an artifact that does not load.
  void forget(const Artifact& artifact);
  /// The loader of compiled libraries. It has loaded every new artifact once, and keeps recently used libraries loaded.
  Loader& loader() { return loader_; }
  /// Releases resources that are kept only for speed. Called when the system has no descriptor, mapping or memory left.
  void drop_kept();

  /// The compiler for requests that name none; error kCompiler if there is none.
  CompilerIdentity compiler();

  CompileCache& cache() { return cache_; }
  /// Empties memory and disk; returns false if some entry remains.
  bool clear();
  ServiceStats stats() const;

 private:
  struct Flight;  // a compilation in progress, which other threads may wait for
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
  std::atomic<bool> temp_swept_{false};  // whether abandoned work directories were removed from the system's temporary directory

  std::mutex compilers_mutex_;
  struct KnownCompiler {
    std::shared_ptr<const CCompiler> compiler;  // NULL: not found yet
    std::weak_ptr<CompilerSearch> search;
    bool is_searched = false;  // one thread searches, the others wait
  };
  std::condition_variable searched_;
  std::map<std::string, KnownCompiler, std::less<>> compilers_;  // by command

  std::mutex flights_mutex_;
  std::condition_variable landed_;
  std::unordered_map<Digest, std::shared_ptr<Flight>> flights_;

  mutable std::mutex stats_mutex_;
  ServiceStats stats_;
};

}  // namespace harp
