// Tests that the time limit covers a whole compilation, and that the limits for the number of compilers that run at once and for their
// priority are kept. Waiting times use a simulated clock. Compilations for which others wait end only when the test allows it.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "graph/text.h"
#include "pipeline.h"
#include "support/capi_support.h"
#include "support/compile_scenarios.h"

using namespace harp;
using namespace compile_scenarios;

namespace {

using std::chrono::milliseconds;

/// A clock that advances only while a thread sleeps, and by a microsecond each time it is read. While a command runs, sleeping also takes
/// real time, so that the command can end.
class SteppedProcess : public FaultyProcess {
 public:
  using FaultyProcess::FaultyProcess;
  Deadline now() override { return Deadline(milliseconds(1000) + std::chrono::microseconds(step_.load() * ++looks_) + slept_.load()); }
  void sleep(std::chrono::microseconds duration) override {
    slept_ = slept_.load() + duration;
    if (runs_) std::this_thread::sleep_for(duration);
  }
  int spawn(const SpawnRequest& request) override {
    runs_ = true;
    return FaultyProcess::spawn(request);
  }
  int reap(int pid, ChildStatus& status) override {
    runs_ = false;
    return FaultyProcess::reap(pid, status);
  }
  void step(int64_t microseconds) { step_ = microseconds; }
  std::chrono::microseconds slept() const { return slept_; }

 private:
  std::atomic<int64_t> step_{1}, looks_{0};
  std::atomic<bool> runs_{false};
  std::atomic<std::chrono::microseconds> slept_{std::chrono::microseconds(0)};
};

/// A file system in which the cache's lock is never free, as if another process held it for ever.
class LockedFiles : public FaultyFiles {
 public:
  using FaultyFiles::FaultyFiles;
  int try_lock(int) override { return -EWOULDBLOCK; }
};

/// Counts running compilers. Calls with --version do not count.
class CountingProcess : public FaultyProcess {
 public:
  using FaultyProcess::FaultyProcess;
  int spawn(const SpawnRequest& request) override {
    const bool is_question = std::ranges::find(request.arguments, "--version") != request.arguments.end();
    const int pid = FaultyProcess::spawn(request);
    if (pid <= 0 || is_question) return pid;
    const std::lock_guard guard(mutex_);
    running_.insert(pid);
    most_ = std::max(most_, running_.size());
    ++started_;
    return pid;
  }
  int reap(int pid, ChildStatus& status) override {
    {
      const std::lock_guard guard(mutex_);  // the pid is erased before the process is reaped, because the system may reuse it afterwards
      running_.erase(pid);
    }
    return FaultyProcess::reap(pid, status);
  }
  size_t most() const { return most_; }
  size_t started() const { return started_; }

 private:
  std::mutex mutex_;
  std::set<int> running_;
  size_t most_ = 0, started_ = 0;
};

/// A compiler that creates the file `begun` and then runs until the file `go` exists.
std::string waiting_compiler(const Scratch& scratch) {
  return fake_compiler(
      scratch, "waiting",
      "echo > " + (scratch / "begun") + "\nwhile [ ! -e " + (scratch / "go") + " ]; do sleep 0.01; done\n" + copy_prebuilt(scratch, 6));
}
void wait_for_file(const std::string& path) {
  while (!std::filesystem::exists(path)) std::this_thread::sleep_for(milliseconds(1));
}

/// Compiles `second` with a short time limit while another thread compiles `first`, and returns the error of `second`.
Error error_meanwhile(CompileService& service, Process& process, const Scratch& scratch, const CompileRequest& first,
                      const CompileRequest& second) {
  std::thread other([&] { service.compile(first); });
  wait_for_file(scratch / "begun");
  const Error error = error_of([&] {
    TimeLimit limit(process, milliseconds(50));
    service.compile(second, limit);
  });
  write_text(scratch / "go", "");
  other.join();
  return error;
}

}  // namespace

TEST_CASE("compile: a limit names the step that was interrupted and what came before") {
  FaultPlan plan;
  SteppedProcess process(plan);
  TimeLimit limit(process, milliseconds(30));
  limit.check();
  limit.enter("boiling water");
  process.sleep(milliseconds(10));
  limit.enter("waiting for tea");
  limit.check();
  process.sleep(milliseconds(25));
  const Error error = error_of([&] { limit.check(); });
  CHECK(error.code == Code::kCompiler);
  CHECK(error.message ==
        "the compilation exceeded its time limit of 30 ms and was stopped; it was waiting for tea (25 ms), after boiling water (10 ms); "
        "compile_timeout_ms sets the limit");
  const int32_t cancel = 1;
  const auto over_at = [&](milliseconds deadline) {
    TimeLimit either(process, milliseconds(30), process.now() + deadline);
    process.sleep(milliseconds(40));
    return error_of([&] { either.check(); }).message;
  };
  CHECK(over_at(milliseconds(35)).ends_with("ms and was stopped; compile_timeout_ms sets the limit"));
  // The caller's deadline ends the compilation, not the limit compile_timeout_ms, so the message does not mention that limit.
  CHECK(over_at(milliseconds(20)).ends_with("ms and was stopped"));
  TimeLimit cancelled(process, milliseconds(30), Deadline::max(), &cancel);
  CHECK(error_of([&] { cancelled.check(); }).code == Code::kCancelled);
}

TEST_CASE("compile: a lock that is never given back takes at most half of the time") {
  Bench bench;
  LockedFiles files(bench.system.plan);
  SteppedProcess process(bench.system.plan);
  process.variables = bench.system.process.variables;
  bench.options.compiler = copying_compiler(bench.scratch, 6);
  CompileService service(System{files, process}, bench.options, Log());
  service.compiler();
  const auto before = process.slept();
  TimeLimit limit(process, milliseconds(30'000));
  CHECK(call(bench.system, service.compile(request_for(6), limit)) == 6);
  CHECK(process.slept() - before < milliseconds(18'000));  // less than the 20 s for which harp waits for a lock
}

TEST_CASE("compile: the pipeline ends where its time is over") {
  std::string text = "graph g(x: f32[n], y: f32[n]) {\n  t0 = x\n";
  for (int i = 0; i < 1000; ++i) text += cat("  t", i + 1, " = sin(t", i, ") + y\n");
  const auto graph = parse_graph(text + "  return z = t1000\n}");
  FaultPlan plan;
  SteppedProcess process(plan);
  process.step(1000);  // the clock advances by a millisecond each time it is read
  PipelineOptions options;
  options.target = host_machine();
  std::set<std::string> steps;
  for (const int allowed : {1, 10, 20, 40, 80}) {
    TimeLimit limit(process, milliseconds(allowed));
    const Error error = error_of([&] { generate(*graph, options, &limit); });
    if (error.code == Code::kOk) break;
    CHECK(error.code == Code::kCompiler);
    for (const char* step :
         {"optimising the graph", "scheduling kernels", "lowering kernels to loops", "scheduling loops", "writing the C source"})
      if (contains(error.message, cat("it was ", step))) steps.insert(step);
  }
  CHECK(steps.size() > 1);
  TimeLimit limit(process, std::chrono::hours(1));
  CHECK(generate(*graph, options, &limit).source == generate(*graph, options).source);
}

TEST_CASE("C1 compile: compile_timeout_ms holds for a large graph on every backend") {
  std::string text = "graph g(x: f32[n]) {\n  t0 = x\n";
  for (int i = 0; i < 20000; ++i) text += cat("  t", i + 1, " = t", i, " * ", i + 2, "\n");
  const capi_test::Context context = capi_test::make_context([](auto& options) { options.compile_timeout_ms = 1; });
  const capi_test::Graph graph = capi_test::parse(context.get(), text + "  return z = t20000\n}");
  for (const char* backend : {"interp", "c"}) {
    harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
    options.backend = backend;
    capi_test::ErrorSlot err;
    CHECK(harp_compile(graph.get(), &options, err) == nullptr);
    CHECK(err.code() == HARP_ERROR_COMPILER);
    CHECK_MESSAGE(contains(err.message(), "exceeded its time limit of 1 ms"), err.message());
  }
}

TEST_CASE("compile: who waits for another thread's compilation of the same program says so") {
  Bench bench;
  bench.options.compiler = waiting_compiler(bench.scratch);
  CompileService service = bench.service();
  const Error error = error_meanwhile(service, bench.system.process, bench.scratch, request_for(1), request_for(1));
  CHECK(error.code == Code::kCompiler);
  CHECK_MESSAGE(contains(error.message, "it was waiting for another thread that compiles the same program"), error.message);
  CHECK(call(bench.system, service.compile(request_for(1))) == 6);  // the other thread's compilation was successful
}

TEST_CASE("compile: who waits for a compiler to end says so") {
  Bench bench;
  bench.options.compiler = waiting_compiler(bench.scratch);
  bench.options.compilers = 1;
  CompileService service = bench.service();
  const Error error = error_meanwhile(service, bench.system.process, bench.scratch, request_for(1), request_for(2));
  CHECK(error.code == Code::kCompiler);
  CHECK_MESSAGE(contains(error.message, "it was waiting for another C compiler of this context to finish"), error.message);
  CHECK(call(bench.system, service.compile(request_for(2))) == 6);
}

TEST_CASE("compile: a compiler that does not say what it is, and who waits for its answer") {
  Bench bench;
  bench.options.compiler = write_script(bench.scratch / "silent", "echo > " + (bench.scratch / "begun") + "\nwhile [ ! -e " +
                                                                      (bench.scratch / "go") + " ]; do sleep 0.01; done\nexit 1");
  CompileService service = bench.service();
  const Error first = error_of([&] {
    TimeLimit limit(bench.system.process, milliseconds(50));
    service.compile(request_for(1), limit);
  });
  CHECK_MESSAGE(contains(first.message, "it was querying the versions of C compilers"), first.message);
  CHECK(contains(first.message, "silent"));
  std::filesystem::remove(bench.scratch / "begun");
  std::thread other([&] { error_of([&] { service.compile(request_for(1)); }); });
  wait_for_file(bench.scratch / "begun");
  const Error second = error_of([&] {
    TimeLimit limit(bench.system.process, milliseconds(50));
    service.compile(request_for(2), limit);
  });
  write_text(bench.scratch / "go", "");
  other.join();
  CHECK_MESSAGE(contains(second.message, "it was waiting for another thread that queries the versions of C compilers"), second.message);
}

TEST_CASE("compile: no more compilers run at once than the context allows, and the rest has its turn") {
  for (const size_t allowed : {size_t{1}, size_t{2}}) {
    CAPTURE(allowed);
    Bench bench;
    CountingProcess process(bench.system.plan);
    process.variables = bench.system.process.variables;
    bench.options.compiler = fake_compiler(bench.scratch, "slow", "sleep 0.02\n" + copy_prebuilt(bench.scratch, 6));
    bench.options.compilers = allowed;
    CompileService service(System{bench.system.files, process}, bench.options, Log());
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int i = 0; i < 6; ++i) threads.emplace_back([&, i] { right += service.compile(request_for(i)) != nullptr; });
    for (std::thread& thread : threads) thread.join();
    CHECK(right == 6);
    CHECK(process.started() == 6);
    CHECK(process.most() <= allowed);
  }
}

TEST_CASE("compile: the default leaves a processor to the host") {
  struct Processors : FaultyProcess {
    using FaultyProcess::FaultyProcess;
    size_t processors() override { return count; }
    size_t count = 1;
  };
  for (const size_t processors : {size_t{1}, size_t{2}, size_t{3}, size_t{64}}) {
    CAPTURE(processors);
    Bench bench;
    Processors process(bench.system.plan);
    process.count = processors;
    CHECK(CompileService(System{bench.system.files, process}, bench.options, Log()).compilers() == std::max<size_t>(processors - 1, 1));
  }
}

TEST_CASE("compile: compilers run with the priority that the host gives them") {
  Bench bench;
  // The service sets the priority only after the compiler has started, so the fake compiler waits until its priority has changed. The
  // priority is relative to that of this process.
  const int wanted = std::min(19, getpriority(PRIO_PROCESS, 0) + 19);
  const std::string waits = "while [ \"$(nice)\" -lt " + std::to_string(wanted) + " ]; do :; done\n";
  bench.options.compiler = fake_compiler(bench.scratch, "nice", waits + copy_prebuilt(bench.scratch, 6));
  bench.options.compiler_nice = 19;
  CHECK(call(bench.system, bench.service().compile(request_for(6))) == 6);
}
