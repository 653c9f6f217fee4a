// Looks for an artifact in the memory cache, in compilations of other threads and in the disk cache, in this order, and compiles it
// otherwise. The first lookup in memory uses the compiler's identity as it was when the compiler was found. Before anything is read from
// disk or compiled, harp checks that the compiler's files have not changed since then, because a compiler can be upgraded while a program
// runs.
#include "compile/service.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "compile/cache_key.h"

namespace harp {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kWaitStep{20};  // the largest delay until a waiting thread notices cancellation or timeout

double milliseconds_between(Deadline start, Deadline end) { return std::chrono::duration<double, std::milli>(end - start).count(); }

size_t compilers_at_once(Process& process, size_t option) { return option != 0 ? option : std::max<size_t>(process.processors(), 2) - 1; }

/// True if the messages of gcc or clang say that the compiler itself failed, not that the source is wrong.
bool has_crashed(const Error& error) {
  constexpr std::string_view kWords[] = {"internal compiler error", "PLEASE submit a bug report"};
  const auto says = [&](std::string_view words) { return error.compiler_output.find(words) != std::string::npos; };
  return error.code == Code::kCompiler && std::any_of(std::begin(kWords), std::end(kWords), says);
}

}  // namespace

struct CompileService::Flight {
  bool done = false;
  std::shared_ptr<const Artifact> artifact;  // the result; NULL if the compilation failed
  // The error if the compilation failed, of which every waiting thread throws a copy. Nothing if the compiling thread was cancelled, ran
  // out of time or ran out of memory; the waiting threads then compile themselves.
  std::optional<Error> error;
};

CompileService::CompileService(System system, ServiceOptions options, Log log)
    : system_(system),
      options_(std::move(options)),
      log_(log),
      cache_(system, options_.cache, std::move(log)),
      memory_(options_.memory),
      slots_(compilers_at_once(system.process, options_.compilers), options_.compiler_nice),
      loader_(system) {}

/// Returns the compiler for a command. If it is not known, one thread searches for it without holding the lock, and other threads wait for
/// the result. With `check`, searches again if the compiler's files have changed.
std::shared_ptr<const CCompiler> CompileService::compiler_for(const std::string& command, bool check, TimeLimit& limit) {
  std::unique_lock guard(compilers_mutex_);
  KnownCompiler& known = compilers_[command];
  if (known.is_searched) limit.enter("waiting for another thread that queries the versions of C compilers");
  while (known.is_searched) {
    limit.check();
    searched_.wait_for(guard, kWaitStep);
  }
  if (known.compiler && check && !known.compiler->unchanged()) known.compiler = nullptr;
  if (known.compiler) return known.compiler;

  std::shared_ptr<CompilerSearch> search = known.search.lock();
  known.search.reset();  // CompilerSearch::finish() may be called only once, so this thread takes the search.
  known.is_searched = true;
  guard.unlock();
  const auto is_over = [&](std::shared_ptr<const CCompiler> found) {
    const std::lock_guard relock(compilers_mutex_);
    known.compiler = std::move(found);
    known.is_searched = false;
    searched_.notify_all();
  };
  try {
    limit.check();
    if (!search) search = std::make_shared<CompilerSearch>(system_, cache_, command);
    std::shared_ptr<const CCompiler> found = search->finish(limit);
    log_.debug("C compiler: ", found->identity().program, ": ", found->identity().version_line());
    is_over(found);
    return found;
  } catch (...) {
    is_over(nullptr);
    throw;
  }
}

std::shared_ptr<CompilerSearch> CompileService::begin_search(const std::string& option) {
  const std::string& command = command_of(option);
  const std::lock_guard guard(compilers_mutex_);
  KnownCompiler& known = compilers_[command];
  if (known.compiler || known.is_searched) return nullptr;
  std::shared_ptr<CompilerSearch> search = known.search.lock();
  if (!search) {
    search = std::make_shared<CompilerSearch>(system_, cache_, command);
    known.search = search;
  }
  return search;
}

CompilerIdentity CompileService::compiler() {
  TimeLimit limit(system_.process, options_.timeout);
  return compiler_for(options_.compiler, true, limit)->identity();
}

std::shared_ptr<const Artifact> CompileService::compile(const CompileRequest& request, CompileReport* report, CancelFlag cancel) {
  TimeLimit limit(system_.process, options_.timeout, Deadline::max(), cancel);
  return compile(request, limit, report);
}

/// Calls `make` and returns its artifact. Counts in the statistics how the artifact was found or made, and stores this and the duration in
/// `report`.
std::shared_ptr<const Artifact> CompileService::counted(const Making& make, TimeLimit& limit, CompileReport* report) {
  const Deadline start = limit.now();
  CompileReport made;
  try {
    std::shared_ptr<const Artifact> artifact = make(made);
    made.milliseconds = milliseconds_between(start, limit.now());
    const std::lock_guard guard(stats_mutex_);
    switch (made.origin) {
      case CompileReport::Origin::kCompiled:
        ++stats_.compiled;
        stats_.compile_ms += made.milliseconds;
        break;
      case CompileReport::Origin::kDisk: ++stats_.disk_hits; break;
      case CompileReport::Origin::kMemory: ++stats_.memory_hits; break;
    }
    if (report != nullptr) *report = made;
    return artifact;
  } catch (...) {
    const std::lock_guard guard(stats_mutex_);
    ++stats_.failures;
    throw;
  }
}

std::shared_ptr<const Artifact> CompileService::compile(const CompileRequest& request, TimeLimit& limit, CompileReport* report) {
  const auto make = [&](CompileReport& made) -> std::shared_ptr<const Artifact> {
    const std::string& named = command_of(request.compiler);
    std::shared_ptr<const CCompiler> compiler = compiler_for(named, false, limit);
    std::vector<std::string> command = compiler->command(request);
    Digest key = cache_key(*compiler, request, command);
    if (auto artifact = memory_.find(key)) {
      made.origin = CompileReport::Origin::kMemory;
      return artifact;
    }
    if (auto checked = compiler_for(named, true, limit); checked != compiler) {
      compiler = std::move(checked);
      command = compiler->command(request);
      key = cache_key(*compiler, request, command);
    }
    // Loading a library runs its constructors, which compute the tables of Fourier transforms. They are code for the target, too.
    const LoadCheck loads = [&](const Artifact& artifact) {
      if (can_run(request.target)) loader_.load(artifact);
    };
    return find_or_compile(*compiler, request, key, std::move(command), loads, made, limit);
  };
  return counted(make, limit, report);
}

std::shared_ptr<const Artifact> CompileService::compile_with(const Compiler& compiler, const CompileRequest& request,
                                                             const LoadCheck& loads, TimeLimit& limit, CompileReport* report) {
  const auto make = [&](CompileReport& made) -> std::shared_ptr<const Artifact> {
    std::vector<std::string> command = compiler.command(request);
    const Digest key = cache_key(compiler, request, command);
    if (auto artifact = memory_.find(key)) {
      made.origin = CompileReport::Origin::kMemory;
      return artifact;
    }
    return find_or_compile(compiler, request, key, std::move(command), loads, made, limit);
  };
  return counted(make, limit, report);
}

void CompileService::wait_for(Flight& flight, std::unique_lock<std::mutex>& guard, TimeLimit& limit) {
  if (!flight.done) limit.enter("waiting for another thread that compiles the same program");
  while (!flight.done) {
    limit.check();
    landed_.wait_for(guard, kWaitStep);
  }
}

/// Takes the lock of the key, which only avoids that several processes compile the same request. Waits at most half of the remaining time:
/// a process that never releases the lock cannot prevent the compilation.
CompileCache::Lock CompileService::wait_for_others(const Digest& key, TimeLimit& limit) {
  limit.enter("waiting for a lock that another process or context holds while it compiles");
  const Deadline now = limit.now();
  CompileCache::Lock lock = cache_.lock(key, limit.cancel(), now + (limit.deadline() - now) / 2);
  limit.check();
  return lock;
}

std::shared_ptr<const Artifact> CompileService::find_or_compile(const Compiler& compiler, const CompileRequest& request, const Digest& key,
                                                                std::vector<std::string> command, const LoadCheck& loads,
                                                                CompileReport& report, TimeLimit& limit) {
  // If the result may depend on files that the key does not cover, the request is compiled every time, and neither cache is used.
  const bool covered = compiler.identity().persistent && compiler.self_contained(request.flags);
  if (!covered) return compile_once(compiler, request, key, std::move(command), loads, false, limit);

  std::unique_lock guard(flights_mutex_);
  for (auto at = flights_.find(key); at != flights_.end(); at = flights_.find(key)) {
    const std::shared_ptr<Flight> other = at->second;
    wait_for(*other, guard, limit);
    if (other->error) throw Error(*other->error);
    if (other->artifact) {
      report.origin = CompileReport::Origin::kMemory;
      return other->artifact;
    }
  }
  const auto flight = std::make_shared<Flight>();
  flights_.emplace(key, flight);
  guard.unlock();

  const auto land = [&] {
    const std::lock_guard relock(flights_mutex_);
    flight->done = true;
    flights_.erase(key);
    landed_.notify_all();
  };
  try {
    // Looks in the memory cache again: after the first lookup, and before this thread registered its compilation in flights_, another
    // thread may have finished compiling the request.
    flight->artifact = memory_.find(key);
    report.origin = CompileReport::Origin::kMemory;
    if (!flight->artifact) {
      flight->artifact = cache_.lookup(key, compiler.suffix());
      report.origin = CompileReport::Origin::kDisk;
    }
    if (!flight->artifact) {
      const CompileCache::Lock lock = wait_for_others(key, limit);
      // The process or thread that had the lock before may have compiled the same request.
      if (lock) flight->artifact = cache_.lookup(key, compiler.suffix());
      if (!flight->artifact) {
        report.origin = CompileReport::Origin::kCompiled;
        flight->artifact = compile_once(compiler, request, key, std::move(command), loads, true, limit);
      }
    }
    memory_.insert(flight->artifact);
  } catch (const Error& error) {
    flight->artifact = nullptr;
    // A cancellation or timeout concerns only this thread. Waiting threads may have more time, so they do not get this error and compile
    // themselves.
    const bool is_everybodys = error.code != Code::kCancelled && !limit.is_over();
    if (is_everybodys) flight->error = error;
    land();
    throw;
  } catch (...) {
    flight->artifact = nullptr;
    land();
    throw;
  }
  land();
  return flight->artifact;
}

/// Compiles the request, and compiles it again without optimisation if the compiler crashes. The unoptimised artifact is not published,
/// because the compilers of other processes may succeed (for example, this one may have run out of memory).
std::shared_ptr<const Artifact> CompileService::compile_once(const Compiler& compiler, const CompileRequest& request, const Digest& key,
                                                             std::vector<std::string> command, const LoadCheck& loads, bool persistent,
                                                             TimeLimit& limit) {
  limit.check();
  const Deadline start = limit.now();
  std::vector<std::byte> bytes;
  try {
    bytes = run_compiler(compiler, request, key, limit);
  } catch (const Error& error) {
    const std::vector<std::string> gentler = compiler.flags_without_optimisation();
    if (gentler.empty() || !has_crashed(error)) throw;
    // Almost always an optimisation pass caused the crash. Without optimisation the program is slow but has the same results.
    log_.warning("the compiler crashed; compiling again without optimisation: ", error.message);
    CompileRequest plain = request;
    plain.flags.insert(plain.flags.end(), gentler.begin(), gentler.end());
    persistent = false;
    command = compiler.command(plain);
    bytes = run_compiler(compiler, plain, key, limit);
  }
  log_.debug("compiled ", key.hex(), " in ", milliseconds_between(start, limit.now()), " ms: ", quote_command(command));
  Manifest manifest{std::string(compiler.name()),
                    request.signature,
                    std::string(request.target.name),
                    std::string(compiler.identity().version_line()),
                    std::move(command),
                    std::string(compiler.suffix())};
  std::shared_ptr<const Artifact> artifact = Artifact::make(key, std::move(manifest), bytes);
  loads(*artifact);  // If the artifact cannot be loaded, loads() throws, so the artifact is not published.
  if (persistent) cache_.publish(*artifact);
  return artifact;
}

/// Compiles in a work directory inside the cache. If this process is killed, a later sweep of the cache removes that directory. If the
/// directory has no room left or an I/O error occurs, tries the system's temporary directories one after another.
std::vector<std::byte> CompileService::run_compiler(const Compiler& compiler, const CompileRequest& request, const Digest& key,
                                                    TimeLimit& limit) {
  std::optional<Error> failure;  // the error in the last directory that was tried, if the directory was the cause
  const auto compile_in = [&](WorkDirectory& work) -> std::optional<std::vector<std::byte>> {
    try {
      return compiler.compile(request, key, work, slots_, limit);
    } catch (const Error& error) {
      const bool elsewhere = !limit.is_over() && (error.code == Code::kIo || (error.code == Code::kCompiler && !work.has_room()));
      if (!elsewhere) throw;
      log_.warning("cannot compile in ", work.path(), ", trying another directory: ", error.message);
      failure.emplace(error);
      return std::nullopt;
    }
  };
  if (std::optional<WorkDirectory> work = cache_.work_directory())
    if (auto bytes = compile_in(*work)) {
      cache_.give_back(std::move(*work));
      return std::move(*bytes);
    }
  int error = 0;
  for (const std::string& parent : WorkDirectory::system_temp(system_.process)) {
    std::optional<WorkDirectory> work = WorkDirectory::create_in(system_, parent, error);
    if (!work) continue;
    // The sweep is done only once, because it lists all files of the temporary directory.
    if (!temp_swept_.exchange(true)) work->sweep_neighbours();
    if (auto bytes = compile_in(*work)) return std::move(*bytes);
  }
  if (failure) throw Error(*failure);
  fail(Code::kIo, "no directory to compile in (TMPDIR, /tmp, /var/tmp): ", error_text(error));
}

void CompileService::forget(const Artifact& artifact) {
  memory_.remove(artifact.key());
  cache_.remove(artifact.key(), artifact.manifest().suffix);
}

void CompileService::drop_kept() {
  memory_.clear();
  loader_.drop_unused();
  cache_.drop_spare();
}

bool CompileService::clear() {
  memory_.clear();
  return cache_.clear();
}

ServiceStats CompileService::stats() const {
  const std::lock_guard guard(stats_mutex_);
  return stats_;
}

}  // namespace harp
