// Tests the way from a source to a running function: the choice of the compiler, its arguments, and artifacts that are found without a
// compiler and shared by threads, processes and programs. (compile_parts_test.cpp tests long sources, compile_faults_test.cpp errors.) The
// sources are tiny. Compilers that misbehave are shell scripts.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "base/error.h"
#include "compile/cache_key.h"
#include "support/compile_scenarios.h"

using namespace harp;
using namespace compile_scenarios;
using namespace std::chrono_literals;
using Origin = CompileReport::Origin;

TEST_CASE("H4 compile: source becomes a function, by compiler, disk and memory") {
  Bench bench;
  CompileReport report;
  {
    CompileService service = bench.service();
    const auto artifact = service.compile(request_for(42), &report);
    CHECK(report.origin == Origin::kCompiled);
    CHECK(call(bench.system, artifact) == 42);
    CHECK(artifact->manifest().backend == "c");
    CHECK(artifact->manifest().target == host_machine().name);
    CHECK(service.compile(request_for(42), &report) == artifact);
    CHECK(report.origin == Origin::kMemory);
    CHECK(call(bench.system, service.compile(request_for(43), &report)) == 43);
    CHECK(report.origin == Origin::kCompiled);
    CHECK(service.stats().compiled == 2);
    CHECK(service.stats().memory_hits == 1);
  }
  CompileService later = bench.service();
  const auto artifact = later.compile(request_for(42), &report);
  CHECK(report.origin == Origin::kDisk);
  CHECK(call(bench.system, artifact) == 42);
  CHECK(later.clear());
  later.compile(request_for(42), &report);
  CHECK(report.origin == Origin::kCompiled);
  CHECK(later.compiler().version_line().size() > 2);
}

TEST_CASE("compile: gcc and clang, every row of this architecture; what this CPU runs is run") {
  for (const char* compiler : {"gcc", "clang"}) {
    Bench bench;
    bench.options.compiler = compiler;
    CompileService service = bench.service();
    for (const Machine& target : machines()) {
      CompileRequest request = request_for(7);
      request.target = target;
      CAPTURE(compiler);
      CAPTURE(target.name);
      const auto artifact = service.compile(request);
      CHECK(artifact->manifest().target == target.name);
      if (can_run(target)) CHECK(call(bench.system, artifact) == 7);
    }
  }
}

TEST_CASE("compile: a work directory serves again, as long as it is there and this process's own") {
  struct Forked : FaultyProcess {
    using FaultyProcess::FaultyProcess;
    int id() override { return is_child ? 7 : FaultyProcess::id(); }
    bool is_child = false;
  };
  Bench bench;
  Forked process(bench.system.plan);
  process.variables = bench.system.process.variables;
  std::optional<CompileService> service(std::in_place, System{bench.system.files, process}, bench.options, Log());
  const auto work = [&] {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(bench.options.cache.directory))
      if (entry.path().filename().string().starts_with("harp-work-")) found.push_back(entry.path().string());
    return found;
  };
  const auto compile = [&](int value) { return call(bench.system, service->compile(request_for(value))) == value; };
  CHECK(compile(1));
  const std::vector<std::string> first = work();
  REQUIRE(first.size() == 1);
  CHECK(std::filesystem::is_empty(first[0]));
  CHECK(compile(2));
  CHECK(work() == first);
  std::filesystem::remove(first[0]);  // deletes the file, as a user might do
  CHECK(compile(3));
  const std::vector<std::string> second = work();
  REQUIRE(second.size() == 1);
  CHECK(second != first);
  process.is_child = true;
  CHECK(compile(4));
  CHECK(work().size() == 2);
  service.reset();
  CHECK(work() == second);  // a forked child does not delete its parent's work directory, which the parent may be using
}

TEST_CASE("compile: a disk hit starts no process") {
  Bench bench;
  bench.service().compile(request_for(1));
  struct NoSpawn : FaultyProcess {
    using FaultyProcess::FaultyProcess;
    int spawn(const SpawnRequest&) override {
      ++spawned;
      return -EPERM;
    }
    int spawned = 0;
  } process(bench.system.plan);
  process.variables = bench.system.process.variables;
  CompileService service(System{bench.system.files, process}, bench.options, Log());
  CompileReport report;
  CHECK(call(bench.system, service.compile(request_for(1), &report)) == 1);
  CHECK(report.origin == Origin::kDisk);
  CHECK(process.spawned == 0);
}

TEST_CASE("compile: comments are not part of the key, everything else is") {
  Bench bench;
  CompileService service = bench.service();
  CompileReport report;
  CompileRequest request = request_for(5);
  service.compile(request);
  const auto origin_of = [&](auto change) {
    CompileRequest changed = request;
    change(changed);
    service.compile(changed, &report);
    return report.origin;
  };
  CHECK(origin_of([](CompileRequest& r) { r.source = source_returning(5, "another name for everything"); }) == Origin::kMemory);
  CHECK(origin_of([](CompileRequest& r) { r.source += "static int unused;"; }) == Origin::kCompiled);
  CHECK(origin_of([](CompileRequest& r) { r.signature = "x: f32[n]"; }) == Origin::kCompiled);
  CHECK(origin_of([](CompileRequest& r) { r.flags = {"-fno-inline"}; }) == Origin::kCompiled);
  CHECK(origin_of([](CompileRequest& r) { r.optimisation = 1; }) == Origin::kCompiled);
  CHECK(origin_of([](CompileRequest& r) { r.target = machines().front(); }) ==
        (host_machine() == machines().front() ? Origin::kMemory : Origin::kCompiled));
  CHECK(origin_of([](CompileRequest& r) { r.compiler = "clang"; }) == Origin::kCompiled);
  CHECK(origin_of([](CompileRequest& r) { r.compiler = "cc -fno-inline"; }) == Origin::kCompiled);
}

TEST_CASE("compile: what counts as a comment") {
  const auto digest = [](std::string_view source) {
    Hasher hasher;
    add_source(hasher, source);
    return hasher.finish();
  };
  CHECK(digest("a/* x */b") == digest("a/* y */b"));
  CHECK(digest("a// x\nb") == digest("a// y z\nb"));
  CHECK(digest("a/**/b") == digest("a b"));
  CHECK(digest("a/**/b") != digest("ab"));
  CHECK(digest("a // x \\\n still comment\nb") == digest("a //\nb"));
  CHECK(digest("a // x\nb") != digest("a // x b"));
  CHECK(digest("\"// x\"") != digest("\"// y\""));
  CHECK(digest("\"/* x */\"") != digest("\"/* y */\""));
  CHECK(digest("\"\\\"// x\"") != digest("\"\\\"// y\""));
  CHECK(digest("'\"'// x\n") == digest("'\"'// y\n"));
  CHECK(digest("'\\''// x\n") == digest("'\\''// y\n"));
  CHECK(digest("a / b") != digest("a b"));
  CHECK(digest("a /") != digest("a"));
  CHECK(digest("a /* open") == digest("a /* ended"));
  CHECK(digest("\"open") != digest("\"opem"));
  CHECK(digest("\"open\\") != digest("\"open"));
  CHECK(digest("") == digest(""));
}

TEST_CASE("compile: another compiler behind the same name is another compiler") {
  Bench bench;
  const std::string compiler = copying_compiler(bench.scratch, 1);
  bench.options.compiler = compiler;
  CompileService service = bench.service();
  CompileReport report;
  service.compile(request_for(1));
  // The compiler is upgraded while the program runs. Entries in memory stay valid, but nothing new is stored under the identity of the old
  // compiler.
  std::this_thread::sleep_for(10ms);
  write_text(compiler, read_text(compiler) + "# changed\n");
  CompileRequest other = request_for(1);
  other.signature = "another";
  service.compile(other, &report);
  CHECK(report.origin == Origin::kCompiled);
  CompileService later = bench.service();
  later.compile(other, &report);
  CHECK(report.origin == Origin::kDisk);
  later.compile(request_for(1), &report);  // the entry on disk was made by the old compiler, so it is not used
  CHECK(report.origin == Origin::kCompiled);
  CHECK(runs_of(bench.scratch) == 3);
}

TEST_CASE("compile: what reads files beyond the request is never cached") {
  Bench bench;
  write_text(bench.scratch / "value.h", "#define VALUE 1\n");
  CompileRequest request;
  request.source = source_returning(0);
  request.source.replace(request.source.find("return 0"), 8, "return VALUE");
  request.source.insert(0, "#include <value.h>\n");
  request.flags = {"-I", bench.scratch.path()};
  CompileService service = bench.service();
  CHECK(call(bench.system, service.compile(request)) == 1);
  write_text(bench.scratch / "value.h", "#define VALUE 2\n");
  CHECK(call(bench.system, service.compile(request)) == 2);

  request.flags.clear();
  request.compiler = "cc -isystem '" + bench.scratch.path() + "'";
  CHECK(call(bench.system, service.compile(request)) == 2);
  write_text(bench.scratch / "value.h", "#define VALUE 3\n");
  CHECK(call(bench.system, service.compile(request)) == 3);

  request = request_for(4);
  request.flags = {"-march=native"};
  service.compile(request);
  CHECK(service.cache().stats().entries <= 1);  // at most the entry with the compiler's version, not the program
}

TEST_CASE("compile: which command is tried, in which order") {
  TestSystem system;
  const auto texts = [&](const std::string& option) {
    return join(c_compiler_candidates(system.process, option), " ",
                [](const CommandCandidate& candidate) { return cat(candidate.origin, "=", candidate.text); });
  };
  CHECK(texts("") == "PATH=cc PATH=gcc PATH=clang");
  system.process.variables["CC"] = "gcc -m64";
  CHECK(texts("") == "CC=gcc -m64 PATH=cc PATH=gcc PATH=clang");
  system.process.variables["HARP_CC"] = "clang";
  CHECK(texts("") == "HARP_CC=clang");
  CHECK(texts("mine") == "option=mine");
}

TEST_CASE("compile: CC is split into words once") {
  const auto words = [](std::string_view text) {
    const auto split = split_command(text);
    return split ? join(*split, "|") : std::string("open quote");
  };
  CHECK(words("gcc") == "gcc");
  CHECK(words("  gcc \t -m64\n") == "gcc|-m64");
  CHECK(words("'my gcc' -D\"a b\"c") == "my gcc|-Da bc");
  CHECK(words("a\\ b \"x\\\"y\" 'x\\y'") == "a b|x\"y|x\\y");
  CHECK(words("'' x") == "|x");
  CHECK(words("") == "");
  CHECK(words("gcc 'open") == "open quote");
  CHECK(words("gcc; rm -rf $HOME `x` > y") == "gcc;|rm|-rf|$HOME|`x`|>|y");  // no shell interprets the command
  CHECK(quote_command({"/a b/cc", "-O3", "it's", ""}) == "'/a b/cc' -O3 'it'\\''s' ''");
}

TEST_CASE("compile: CC with words works") {
  Bench bench;
  bench.system.process.variables["CC"] = "\"gcc\" -m64 '-DSOME=words here'";
  CHECK(call(bench.system, bench.service().compile(request_for(9))) == 9);
}

TEST_CASE("compile: no compiler: the error names every command tried") {
  Bench bench;
  bench.system.process.variables["PATH"] = bench.scratch / "empty";
  bench.system.process.variables["CC"] = "no-such-cc -x";
  CompileService service = bench.service();
  const Error error = error_of([&] { service.compile(request_for(1)); });
  CHECK(error.code == Code::kCompiler);
  CHECK(error.message ==
        "no C compiler works; tried CC=no-such-cc -x (not found on PATH), cc (not found on PATH), gcc (not found on PATH), "
        "clang (not found on PATH); backend interp runs without one");
  CHECK(service.stats().failures == 1);
  // When harp has found no compiler, it does not remember that. So it finds a compiler that appears later.
  bench.system.process.variables["PATH"] = "/usr/bin";
  CHECK(call(bench.system, service.compile(request_for(1))) == 1);

  bench.options.compiler = "/nonexistent/cc";
  CHECK(error_of([&] { bench.service().compile(request_for(1)); }).message ==
        "no C compiler works; tried option=/nonexistent/cc (no such program); backend interp runs without one");
  bench.options.compiler = "'cc";
  CHECK(contains(error_of([&] { bench.service().compile(request_for(1)); }).message, "a quote is not closed"));
  bench.options.compiler = write_script(bench.scratch / "broken", "echo cannot start >&2; exit 1");
  const Error broken = error_of([&] { bench.service().compile(request_for(1)); });
  CHECK(contains(broken.message, "(expected --version to exit with status 0, but: exit status 1; it printed: cannot start)"));
  bench.options.compiler = write_script(bench.scratch / "talkative", "for i in 1 2 3; do echo line $i; done; exit 1");
  const Error talkative = error_of([&] { bench.service().compile(request_for(1)); });
  CHECK(contains(talkative.message, "it printed: line 1)"));
  CHECK_FALSE(contains(talkative.message, "line 2"));
  CHECK(talkative.compiler_output.empty());
}

TEST_CASE("compile: gcc is given few passes for a source with its own vectors, other sources and compilers get -O3") {
  Bench bench;
  CompileRequest request = request_for(7);
  const auto first_flag = [&](const std::string& compiler) {
    request.compiler = compiler;
    const auto artifact = bench.service().compile(request);
    CHECK(call(bench.system, artifact) == 7);
    return artifact->manifest().command[1];
  };
  CHECK(first_flag("gcc") == "-O3");
  request.vectors_written = true;
  CHECK(first_flag("gcc") == "-O1");
  CHECK(first_flag("clang") == "-O3");
}

TEST_CASE("compile: a compiler that crashes is asked once more, without optimisation") {
  Bench bench;
  copying_compiler(bench.scratch, 8);
  const std::string crash =
      "echo run >> " + (bench.scratch / "runs") + "\necho 'unit.c:3:1: internal compiler error: in reload' >&2; exit 1";
  const std::string copy = copy_prebuilt(bench.scratch, 8);
  bench.options.compiler = fake_compiler(bench.scratch, "crashing", "case \"$*\" in *-O0*) " + copy + "; exit 0;; esac\n" + crash);
  const auto artifact = bench.service().compile(request_for(8));
  CHECK(call(bench.system, artifact) == 8);
  CHECK(artifact->manifest().command.back() == "-O0");
  CHECK(read_text(bench.scratch / "runs") == "run\n");
  // A new process first compiles with optimisation again, because the compiler may not crash in that process, and optimised code is faster.
  CHECK(bench.service().compile(request_for(8))->manifest().command.back() == "-O0");
  CHECK(read_text(bench.scratch / "runs") == "run\nrun\n");
  // It is an error if the compiler also crashes in the second attempt, without optimisation. After a failure other than a crash there is no
  // second attempt.
  bench.options.compiler = fake_compiler(bench.scratch, "always", crash);
  CHECK(contains(error_of([&] { bench.service().compile(request_for(9)); }).compiler_output, "internal compiler error"));
  CHECK(read_text(bench.scratch / "runs") == "run\nrun\nrun\nrun\n");
  bench.options.compiler = fake_compiler(bench.scratch, "failing", "echo run >> " + (bench.scratch / "runs") + "\necho no >&2; exit 1");
  CHECK(error_of([&] { bench.service().compile(request_for(9)); }).code == Code::kCompiler);
  CHECK(read_text(bench.scratch / "runs") == "run\nrun\nrun\nrun\nrun\n");
}

TEST_CASE("compile: a relative PATH entry is not the current directory") {
  Bench bench;
  write_script(bench.scratch / "harp-test-cc", "exit 0");
  const std::string here = std::filesystem::current_path().string();
  REQUIRE(::chdir(bench.scratch.path().c_str()) == 0);
  bench.system.process.variables["PATH"] = ".:";
  CHECK_FALSE(find_program(bench.system, "harp-test-cc").has_value());
  CHECK(find_program(bench.system, "./harp-test-cc").has_value());  // the path is given, so PATH is not searched
  CHECK_FALSE(find_program(bench.system, bench.scratch.path()).has_value());
  REQUIRE(::chdir(here.c_str()) == 0);
}

TEST_CASE("compile: variables that change what compilers make do not reach them") {
  Bench bench;
  const std::string dump = fake_compiler(bench.scratch, "dump", "env > " + (bench.scratch / "environment") + "; exit 1");
  for (const char* name :
       {"CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "NVCC_APPEND_FLAGS", "LD_PRELOAD"}) {
    bench.system.process.variables[name] = "/poison";
    ::setenv(name, name == std::string("LD_PRELOAD") ? "" : "/poison", 1);
  }
  CompileRequest request = request_for(1);
  request.compiler = dump;
  CompileService service = bench.service();
  error_of([&] { service.compile(request); });
  const std::string seen = read_text(bench.scratch / "environment");
  CHECK_FALSE(contains(seen, "poison"));
  CHECK(contains(seen, "LC_ALL=C\n"));
  CHECK(contains(seen, "TMPDIR=.\n"));
  CHECK(call(bench.system, service.compile(request_for(2))) == 2);
  for (const char* name :
       {"CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "NVCC_APPEND_FLAGS", "LD_PRELOAD"})
    ::unsetenv(name);
}

TEST_CASE("compile: threads that ask for the same thing share one compilation") {
  Bench bench;
  bench.options.compiler = copying_compiler(bench.scratch, 6);
  CompileService service = bench.service();
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { right += call(bench.system, service.compile(request_for(6))) == 6; });
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 8);
  CHECK(runs_of(bench.scratch) == 1);
  CHECK(service.stats().compiled == 1);
  CHECK(service.stats().compiled + service.stats().memory_hits == 8);
}

TEST_CASE("compile: processes that ask for the same thing share one compilation") {
  Bench bench;
  bench.options.compiler = copying_compiler(bench.scratch, 6);
  bench.service().cache();  // this creates the cache directory
  std::vector<int> children;
  for (int i = 0; i < 8; ++i)
    children.push_back(cache_scenarios::in_child([&] { return call(bench.system, bench.service().compile(request_for(6))) == 6 ? 0 : 1; }));
  for (const int child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(runs_of(bench.scratch) == 1);
}

TEST_CASE("compile: cancelling ends a compilation and everybody who waits") {
  Bench bench;
  bench.options.compiler = fake_compiler(bench.scratch, "hangs", "sleep 1000");
  CompileService service = bench.service();
  int32_t cancel = 0;
  std::atomic<int> ended{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] { ended += error_of([&] { service.compile(request_for(1), nullptr, &cancel); }).code == Code::kCancelled; });
  }
  std::this_thread::sleep_for(100ms);
  __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
  for (std::thread& thread : threads) thread.join();
  CHECK(ended == 3);
}

TEST_CASE("compile: one that was cancelled does not cancel the others") {
  Bench bench;
  const std::string compiler = copying_compiler(bench.scratch, 6);
  // The first run of the compiler hangs; later runs work.
  bench.options.compiler =
      fake_compiler(bench.scratch, "once", "if mkdir " + (bench.scratch / "first") + " 2>/dev/null; then sleep 1000; fi\nexec " + compiler);
  CompileService service = bench.service();
  int32_t cancel = 0;
  std::thread first([&] { CHECK(error_of([&] { service.compile(request_for(6), nullptr, &cancel); }).code == Code::kCancelled); });
  while (!std::filesystem::exists(bench.scratch / "first")) std::this_thread::sleep_for(5ms);
  std::thread second([&] { CHECK(call(bench.system, service.compile(request_for(6))) == 6); });
  std::this_thread::sleep_for(50ms);
  __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
  first.join();
  second.join();
}
