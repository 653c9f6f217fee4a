// Stress tests of the compile service, written as functions that take the number of rounds (./dev test runs a few rounds, ./dev torture
// runs many), and the small sources and fake compilers that these tests use.
#pragma once

#include <stdexcept>

#include "base/error.h"
#include "compile/loader.h"
#include "compile/service.h"
#include "support/cache_scenarios.h"

namespace compile_scenarios {

using cache_scenarios::KillResult;

/// Returns the text of a C source whose function entry_point_ex returns `value`.
inline std::string source_returning(int value, const std::string& comment = "") {
  return harp::cat("/* ", comment, " */\n#define EXPORT __attribute__((visibility(\"default\")))\n",
                   "EXPORT int entry_point_ex(void** in, void** out, unsigned long* shape, const void* rt) { // ", comment, "\n",
                   "  (void)in; (void)out; (void)shape; (void)rt;\n  return ", value, ";\n}\n",
                   "EXPORT void entry_point(void** in, void** out, unsigned long* shape) { entry_point_ex(in, out, shape, 0); }\n");
}

inline harp::CompileRequest request_for(int value) {
  harp::CompileRequest request;
  request.source = source_returning(value);
  return request;
}

/// What a compile service needs in a test: a temporary directory for the cache, and an operating system interface that can inject failures.
struct Bench {
  Scratch scratch;
  TestSystem system;
  harp::ServiceOptions options;

  Bench() { options.cache.directory = scratch / "cache"; }
  harp::CompileService service() { return harp::CompileService(system, options, harp::Log()); }
};

inline int call(harp::System system, const harp::Artifact& artifact) {
  return harp::LoadedLibrary::load(system, artifact).entry_point_ex()(nullptr, nullptr, nullptr, nullptr);
}

inline int call(harp::System system, const std::shared_ptr<const harp::Artifact>& artifact) { return call(system, *artifact); }

/// A fake compiler: answers --version, and runs `body` for all other commands.
inline std::string fake_compiler(const Scratch& scratch, const std::string& name, const std::string& body) {
  return write_script(scratch / name, "case \"$*\" in *--version*) echo fake 1.0; exit 0;; esac\n" + body);
}

/// A shell command that creates ./unit.so as a copy of a shared object that was compiled beforehand. The command writes the key from the
/// last line of the source into the copy.
inline std::string copy_prebuilt(const Scratch& scratch, int value) {
  const std::string no_key(32, '0');
  write_text(scratch / "prebuilt.c", harp::cat(source_returning(value), "EXPORT const char ", harp::kUnitKey, "[] = \"", no_key, "\";\n"));
  const std::string command = "cc -shared -fPIC -nostdlib -o " + (scratch / "prebuilt.so") + " " + (scratch / "prebuilt.c");
  if (std::system(command.c_str()) != 0) throw std::runtime_error("cc does not work");
  return "key=$(tail -n 1 ./unit.c | cut -d '\"' -f 4) && LC_ALL=C sed \"s/" + no_key + "/$key/\" " + (scratch / "prebuilt.so") +
         " > ./unit.so";
}

/// A fake compiler that only copies a shared object that was compiled beforehand, so that tests of other parts of the service are fast.
/// Every run appends a line to the file `runs`.
inline std::string copying_compiler(const Scratch& scratch, int value) {
  return fake_compiler(scratch, "copying", "echo run >> " + (scratch / "runs") + "\n" + copy_prebuilt(scratch, value));
}

/// Runs `work` and returns the harp::Error that it throws, or an error with the code kOk if it throws none.
template <class Work>
harp::Error error_of(Work work) {
  try {
    work();
  } catch (const harp::Error& error) {
    return error;
  }
  return harp::Error(harp::Code::kOk, "no error");
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// Returns how often the compiler that copying_compiler() made has run.
inline int runs_of(const Scratch& scratch) {
  const std::string text = read_text(scratch / "runs");
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

struct FaultResult {
  int points = 0;           // number of injected failures; each makes one operating system call fail
  int succeeded = 0;        // number of these injected failures after which the service still compiled the source correctly
  std::string first_fault;  // the first wrong behaviour; "" if there was none
};

/// Makes operating system call number n fail while the service compiles and loads a source, for every n and every error number in `errors`.
/// If `from_then_on` is true, all later calls fail too. After each failure the service must give the right result or throw an error with
/// the code kCompiler or kIo. It must leave no file descriptor open. A compilation without failures must then succeed with the same cache.
inline FaultResult fail_every_call(const std::vector<int>& errors, bool from_then_on) {
  FaultResult result;
  const Scratch tools;
  const std::string compiler = copying_compiler(tools, 6);
  const int files_before = count_open_files();
  for (const int error : errors) {
    for (int n = 0;; ++n, ++result.points) {
      const auto fault = [&](const std::string& what) {
        if (result.first_fault.empty()) result.first_fault = harp::cat("call ", n, ", ", harp::error_text(-error), ": ", what);
      };
      Bench bench;
      bench.options.compiler = compiler;
      bench.options.cache.lock_timeout = std::chrono::milliseconds(1);
      bench.options.timeout = std::chrono::seconds(20);
      bench.system.plan.fail_at = n;
      bench.system.plan.error = error;
      bench.system.plan.from_then_on = from_then_on;
      try {
        if (call(bench.system, bench.service().compile(request_for(6))) != 6) fault("wrong result");
        ++result.succeeded;
      } catch (const harp::Error& failure) {
        if (failure.code != harp::Code::kCompiler && failure.code != harp::Code::kIo) fault("unexpected code: " + failure.message);
        if (failure.message.empty()) fault("no message");
      }
      const bool reached = bench.system.plan.calls > n;
      bench.system.plan.fail_at = -1;
      try {
        if (call(bench.system, bench.service().compile(request_for(6))) != 6) fault("wrong result afterwards");
      } catch (const harp::Error& failure) {
        fault("fails afterwards: " + failure.message);
      }
      if (count_open_files() != files_before) fault("descriptors left open");
      // if all later calls fail, waitpid fails too, so a zombie child remains, which is no fault of the service
      const bool reaping_failed = from_then_on;
      if (!reaping_failed && ::waitpid(-1, nullptr, WNOHANG) != -1) fault("a child left behind");
      while (::waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      if (!reached) break;
    }
  }
  return result;
}

/// Kills processes at random moments while they compile with a real compiler. After each kill the same compilation must succeed and give
/// the right result.
inline KillResult kill_while_compiling(int rounds, unsigned seed) {
  KillResult result;
  Bench bench;
  std::mt19937 random(seed);
  for (int round = 0; round < rounds; ++round) {
    const int pid = cache_scenarios::in_child([&] {
      harp::CompileService service = bench.service();
      for (int n = 0;; ++n) service.compile(request_for(1000 * round + n));
      return 0;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 80'000));
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    ++result.kills;
    harp::CompileService service = bench.service();
    harp::CompileReport report;
    result.wrong += call(bench.system, service.compile(request_for(1000 * round), &report)) != 1000 * round;
    result.damaged += static_cast<int>(service.cache().stats().damaged);
    result.found += report.origin == harp::CompileReport::Origin::kDisk;
  }
  harp::CompileCache cache(bench.system, bench.options.cache, harp::Log());
  for (int wait = 0; wait < 100; ++wait) {  // a compiler whose parent was killed may still be writing files
    cache_scenarios::age_work_directories(cache.directory());
    cache.evict({});
    result.left = cache_scenarios::count_work_directories(cache.directory());
    if (result.left == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return result;
}

}  // namespace compile_scenarios
