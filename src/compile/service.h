// The compile service of a context: source in, artifact out, by the shortest way there is: memory, disk, another thread or process that
// is already at it, or the compiler.
#pragma once

#include <atomic>
#include <condition_variable>
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
  size_t compilers = 0;                       // that run at the same time; 0: one less than there are processors, at least 1
  int compiler_nice = 0;                      // added to their nice value
};

struct CompileReport {
  enum class Origin : uint8_t { kCompiled, kDisk, kMemory };
  Origin origin = Origin::kCompiled;
  double milliseconds = 0;  // of the whole call
};

struct ServiceStats {
  uint64_t compiled = 0;
  uint64_t disk_hits = 0;
  uint64_t memory_hits = 0;
  uint64_t failures = 0;
  double compile_ms = 0;  // spent in compilations
};

/// Thread-safe; one per context. What was compiled is loaded before anybody else can get it. Threads that ask for the same thing at the
/// same time get it from one compilation.
class CompileService {
 public:
  CompileService(System system, ServiceOptions options, Log log);

  /// Begins to find out which compiler a request for the command `option` will get, where that is not known yet; a compile() takes it
  /// from there. The search is given up when nobody holds it any more.
  std::shared_ptr<CompilerSearch> begin_search(const std::string& option);

  /// How many C compilers run at the same time at most.
  size_t compilers() const { return slots_.count(); }
  /// The time a compilation that begins now may take.
  std::chrono::milliseconds timeout() const { return options_.timeout; }

  /// Errors: kCompiler (no compiler, or it failed: names the command, compiler_output holds its words; or the time is over), kIo (nowhere
  /// to compile), kCancelled. A cache that does not work is no error.
  std::shared_ptr<const Artifact> compile(const CompileRequest& request, TimeLimit& limit, CompileReport* report = nullptr);
  /// Within the time that a compilation may take.
  std::shared_ptr<const Artifact> compile(const CompileRequest& request, CompileReport* report = nullptr, CancelFlag cancel = nullptr);

  /// Drops an artifact everywhere: it turned out not to load.
  void forget(const Artifact& artifact);
  /// What it loads stays loaded for a while: what was just compiled is.
  Loader& loader() { return loader_; }
  /// Gives up what is only kept to be quick the next time, where the system has no descriptor, mapping or memory left.
  void drop_kept();

  /// The compiler that a request without one would get; error kCompiler when there is none.
  CompilerIdentity compiler();

  CompileCache& cache() { return cache_; }
  /// Empties memory and disk; false when some entry stayed.
  bool clear();
  ServiceStats stats() const;

 private:
  struct Flight;  // a compilation in progress, and who waits for it
  const std::string& command_of(const std::string& option) const { return option.empty() ? options_.compiler : option; }
  std::shared_ptr<const CCompiler> compiler_for(const std::string& option, bool check, TimeLimit& limit);
  std::shared_ptr<const Artifact> find_or_compile(const Compiler& compiler, const CompileRequest& request, const Digest& key,
                                                  std::vector<std::string> command, CompileReport& report, TimeLimit& limit);
  CompileCache::Lock wait_for_others(const Digest& key, TimeLimit& limit);
  std::shared_ptr<const Artifact> compile_once(const Compiler& compiler, const CompileRequest& request, const Digest& key,
                                               std::vector<std::string> command, bool persistent, TimeLimit& limit);
  std::vector<std::byte> run_compiler(const Compiler& compiler, const CompileRequest& request, const Digest& key, TimeLimit& limit);
  void wait_for(Flight& flight, std::unique_lock<std::mutex>& guard, TimeLimit& limit);

  System system_;
  ServiceOptions options_;
  Log log_;
  CompileCache cache_;
  MemoryCache memory_;
  CompilerSlots slots_;
  Loader loader_;
  std::atomic<bool> temp_swept_{false};  // the system's temporary directory, of work directories that were left behind

  std::mutex compilers_mutex_;
  struct KnownCompiler {
    std::shared_ptr<const CCompiler> compiler;  // NULL: not found yet
    std::weak_ptr<CompilerSearch> search;
    bool is_searched = false;  // by a thread, which the others wait for
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
