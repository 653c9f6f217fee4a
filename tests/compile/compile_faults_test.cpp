// Tests errors of the compile service: flags that change arithmetic, sources that cannot be compiled, compilers that fail, full disks,
// caches and directories that cannot be used, and system calls that fail. Compilers that misbehave are shell scripts.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#include <fstream>

#include "base/error.h"
#include "compile/arithmetic_flags.h"
#include "compile/cache_key.h"
#include "support/compile_scenarios.h"

using namespace harp;
using namespace compile_scenarios;
using namespace std::chrono_literals;
using Origin = CompileReport::Origin;

TEST_CASE("X2.stable compile: flags that change arithmetic have a fault, their harmless relatives have none") {
  for (const char* flag : {"-ffast-math",
                           "-Ofast",
                           "-funsafe-math-optimizations",
                           "-fassociative-math",
                           "-freciprocal-math",
                           "-ffinite-math-only",
                           "-fno-signed-zeros",
                           "-ffp-contract=fast",
                           "-ffp-contract=on",
                           "-mdaz-ftz",
                           "-mrecip",
                           "-mrecip=all",
                           "-fno-wrapv",
                           "-ftrapv",
                           "-ffp-model=fast",
                           "-fapprox-func",
                           "-mfpmath=387",
                           "--fast-math",
                           "--unsafe-math",
                           "--optimize=3",
                           "--no-signed-zeros"})
    CHECK_MESSAGE(!arithmetic_fault(flag).empty(), flag);
  for (const char* flag : {"-O0", "-O3", "-g", "-fno-fast-math", "-ffp-contract=off", "-fsigned-zeros", "-mrecip=none", "-fwrapv", "-mavx2",
                           "-funroll-loops", "-DNAME=-ffast-math", ""})
    CHECK_MESSAGE(arithmetic_fault(flag).empty(), flag);

  Bench bench;
  bench.options.compiler = "cc -O2 -fassociative-math";
  const Error error = error_of([&] { bench.service().compile(request_for(1)); });
  CHECK(error.code == Code::kCompiler);
  CHECK(contains(error.message, "(-fassociative-math reassociates sums and products)"));
}

TEST_CASE("X2.stable compile: what brings in flags or code that cannot be seen has a fault") {
  constexpr const char* kUnseen[] = {"@fast.txt",
                                     "-Xclang",
                                     "-Xclang=-ffast-math",
                                     "-Xpreprocessor",
                                     "-Xassembler",
                                     "-Xlinker",
                                     "-mllvm",
                                     "-mllvm=-x",
                                     "-Wp,-ffast-math",
                                     "-Wa,@fast.txt",
                                     "-Wl,-mllvm",
                                     "--for-linker=-x",
                                     "-specs=fast",
                                     "--specs=fast",
                                     "-specs",
                                     "--config=fast.cfg",
                                     "--config",
                                     "-fplugin=fast.so",
                                     "-fpass-plugin=fast.so",
                                     "-wrapper",
                                     "-include",
                                     "-includefast.h",
                                     "-imacros"};
  for (const char* flag : kUnseen) CHECK_MESSAGE(contains(std::string(arithmetic_fault(flag)), "that harp cannot check"), flag);
  for (const char* flag :
       {"-Wall", "-Wpedantic", "-Wlogical-op", "-Waddress", "-W", "-x", "c", "-m64", "-march=native", "-I/usr/include", "-isystem",
        "-B/opt/gcc", "--sysroot=/", "--param=ssp-buffer-size=4", "--std=gnu17", "-ffp-eval-method=source", "ccache", "-DX=@"})
    CHECK_MESSAGE(arithmetic_fault(flag).empty(), flag);

  Bench bench;
  std::ofstream(bench.scratch / "fast.txt") << "-ffast-math\n";
  bench.options.compiler = "cc @" + (bench.scratch / "fast.txt");
  const Error error = error_of([&] { bench.service().compile(request_for(1)); });
  CHECK(error.code == Code::kCompiler);
  CHECK(contains(error.message, "fast.txt adds flags or code that harp cannot check)"));
}

TEST_CASE("compile: broken source: the error holds the command and what the compiler said") {
  Bench bench;
  CompileService service = bench.service();
  CompileRequest request;
  request.source = "this is not C\n";
  const Error error = error_of([&] { service.compile(request); });
  CHECK(error.code == Code::kCompiler);
  CHECK(contains(error.message, "the C compiler failed, exit status 1: /"));
  CHECK(contains(error.message, "/cc -O3 "));
  CHECK(contains(error.message, " ./unit.c -o ./unit.so"));
  CHECK(contains(error.compiler_output, "unit.c:1:"));
  CHECK(call(bench.system, service.compile(request_for(1))) == 1);
  CHECK(cache_scenarios::work_left_behind(service.cache().directory()) == 0);
}

TEST_CASE("compile: compilers that misbehave are errors that name them, and the service works on") {
  Bench bench;
  CompileService service = bench.service();
  bench.options.timeout = 1500ms;
  CompileService impatient = bench.service();
  const auto error_with = [&](const std::string& name, const std::string& body) {
    CompileRequest request = request_for(1);
    request.compiler = fake_compiler(bench.scratch, name, body);
    const Error error = error_of([&] { (name == "hangs" ? impatient : service).compile(request); });
    CHECK(error.code == Code::kCompiler);
    CHECK(contains(error.message, bench.scratch / name));
    return error;
  };
  CHECK(contains(error_with("hangs", "echo $$ > " + (bench.scratch / "pid") + "; sleep 1000").message, "exceeded its time limit"));
  CHECK(contains(error_with("crashes", "kill -SEGV $$").message, "killed by signal 11"));
  const Error garbage = error_with("garbage", "head -c 2000000 /dev/urandom; head -c 5000 /dev/urandom > ./unit.so");
  CHECK(contains(garbage.message, "its output is not an ELF file"));
  CHECK(garbage.compiler_output.size() <= 256 * 1024);
  CHECK(contains(error_with("idle", "exit 0").message, "reported success but wrote no file"));
  CHECK(contains(error_with("empty", ": > ./unit.so").message, "is not an ELF file"));
  CHECK(contains(error_with("fifo", "mkfifo ./unit.so").message, "is not a regular file"));
  CHECK(contains(error_with("cut", "head -c 4000 /proc/self/exe > ./unit.so").message, "is truncated"));
  CHECK(contains(error_with("executable", "cc -nostdlib -static -x c -o ./unit.so - <<X\nvoid _start(void) {}\nX").message,
                 "is not a shared object"));
  CHECK(call(bench.system, service.compile(request_for(3))) == 3);
  CHECK(cache_scenarios::work_left_behind(service.cache().directory()) == 0);
}

TEST_CASE("compile: an artifact without entry points does not load, and says so") {
  Bench bench;
  CompileService service = bench.service();
  CompileRequest request;
  request.source = "int something(void) { return 1; }\n";
  const std::string message = error_of([&] { service.compile(request); }).message;
  CHECK(contains(message, "lacks entry_point, though the C compiler reported success: /"));
  CHECK(contains(message, " -shared "));  // the message has the compiler's command line
  request.source = source_returning(1) + "extern int no_such_function(void); int use(void) { return no_such_function(); }\n";
  for (int times = 0; times < 2; ++times) {  // neither memory nor disk has kept the bad artifact
    const Error error = error_of([&] { service.compile(request); });
    CHECK(error.code == Code::kCompiler);
    CHECK(contains(error.message, "harp-kernel: undefined symbol: no_such_function"));
  }
  CHECK(service.cache().stats().hits == 0);
  for (const CacheEntryInfo& entry : service.cache().list()) CHECK(entry.manifest.backend != "c");
}

TEST_CASE("compile: any cache path will do for the compilers, too") {
  for (const char* compiler : {"gcc", "clang"}) {
    for (const std::string name : {"with space", "quo'te", "dou\"ble;semi", "-leading", "größe", "a,b:c@d"}) {
      Bench bench;
      bench.options.compiler = compiler;
      bench.options.cache.directory = bench.scratch / name;
      CompileService service = bench.service();
      CAPTURE(compiler);
      CAPTURE(name);
      CHECK(call(bench.system, service.compile(request_for(8))) == 8);
      CHECK(service.cache().stats().entries >= 1);
    }
  }
}

TEST_CASE("compile: a cache that cannot be used is no error") {
  Bench bench;
  bench.options.compiler = copying_compiler(bench.scratch, 6);
  CompileReport report;
  write_text(bench.scratch / "file", "");
  bench.options.cache.directory = bench.scratch / "file";  // the path names a file, not a directory
  {
    CompileService service = bench.service();
    CHECK(call(bench.system, service.compile(request_for(6))) == 6);
    service.compile(request_for(6), &report);
    CHECK(report.origin == Origin::kMemory);
  }
  // The cache can be read but not written, so existing entries are used, and new ones stay in memory.
  bench.options.cache.directory = bench.scratch / "cache";
  bench.service().compile(request_for(6));
  struct ReadOnlyFiles : FaultyFiles {
    using FaultyFiles::FaultyFiles;
    int open(int directory, const char* path, int flags, uint32_t mode) override {
      if ((flags & (O_CREAT | O_WRONLY | O_RDWR)) != 0 && !std::string_view(path).starts_with("/tmp") && blocked(directory)) return -EROFS;
      return FaultyFiles::open(directory, path, flags, mode);
    }
    int make_directory(int directory, const char* path, uint32_t mode) override {
      return blocked(directory) ? -EROFS : FaultyFiles::make_directory(directory, path, mode);
    }
    int touch(int) override { return -EROFS; }
    bool blocked(int directory) const {
      if (directory < 0) return false;
      std::error_code ignored;
      return contains(std::filesystem::read_symlink(cat("/proc/self/fd/", directory), ignored).string(), "entries-1");
    }
  } files(bench.system.plan);
  CompileService service(System{files, bench.system.process}, bench.options, Log());
  service.compile(request_for(6), &report);
  CHECK(report.origin == Origin::kDisk);
  CompileRequest other = request_for(6);
  other.signature = "other";
  CHECK(call(bench.system, service.compile(other, &report)) == 6);
  CHECK(report.origin == Origin::kCompiled);
  CHECK(service.cache().stats().unpublished >= 1);
}

namespace {

constexpr int kNeedsRoot = 77;

/// Checks the exit status of a child that mounts something.
void check_mounting(int pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNeedsRoot)
    MESSAGE("not checked: mounting needs root");
  else
    CHECK(status == 0);
}

}  // namespace

TEST_CASE("compile: on a full disk it compiles elsewhere and keeps the result in memory") {
  const int pid = cache_scenarios::in_child([] {
    Bench bench;
    std::filesystem::create_directory(bench.scratch / "full");
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", (bench.scratch / "full").c_str(), "tmpfs", 0, "size=8k,mode=0700") != 0)
      return kNeedsRoot;
    bench.options.cache.directory = bench.scratch / "full";
    CompileReport report;
    CompileService service = bench.service();
    const bool compiled = call(bench.system, service.compile(request_for(5))) == 5;
    service.compile(request_for(5), &report);
    return compiled && report.origin == Origin::kMemory && service.cache().stats().unpublished >= 1 ? 0 : 1;
  });
  check_mounting(pid);
}

TEST_CASE("compile: where TMPDIR is full another directory is taken, for compiling and for loading") {
  const int pid = cache_scenarios::in_child([] {
    Bench bench;
    std::filesystem::create_directory(bench.scratch / "full");
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", (bench.scratch / "full").c_str(), "tmpfs", 0, "size=8k,mode=0700") != 0)
      return kNeedsRoot;
    struct NoMemoryFiles : FaultyFiles {
      using FaultyFiles::FaultyFiles;
      int memory_file(const char*) override { return -ENOSYS; }
    } files(bench.system.plan);
    bench.options.cache.enabled = false;
    bench.system.process.variables["TMPDIR"] = bench.scratch / "full";
    const auto artifact = bench.service().compile(request_for(5));
    return call(System{files, bench.system.process}, artifact) == 5 ? 0 : 1;
  });
  check_mounting(pid);
}

TEST_CASE("compile: what a killed process left in the system's temporary directory is swept") {
  Bench bench;
  bench.options.compiler = copying_compiler(bench.scratch, 6);
  bench.options.cache.enabled = false;
  const std::string temp = bench.scratch / "temp", left = temp + "/harp-work-0123456789abcdef0123456789abcdef";
  std::filesystem::create_directories(left);
  std::filesystem::permissions(temp, std::filesystem::perms::owner_all);
  std::filesystem::permissions(left, std::filesystem::perms::owner_all);
  write_text(left + "/unit.c", "text");
  cache_scenarios::age_work_directories(temp);
  bench.system.process.variables["TMPDIR"] = temp;
  CHECK(call(bench.system, bench.service().compile(request_for(6))) == 6);
  CHECK(std::filesystem::is_empty(temp));
}

TEST_CASE("compile: directories that forbid execution are skipped, and named in the error if no other is left") {
  const int pid = cache_scenarios::in_child([] {
    Bench bench;
    const auto artifact = bench.service().compile(request_for(5));
    std::filesystem::create_directory(bench.scratch / "noexec");
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", (bench.scratch / "noexec").c_str(), "tmpfs", MS_NOEXEC, "mode=0700") != 0)
      return kNeedsRoot;
    struct NoMemoryFiles : FaultyFiles {
      using FaultyFiles::FaultyFiles;
      int memory_file(const char*) override { return -ENOSYS; }
    } files(bench.system.plan);
    const System system{files, bench.system.process};
    if (call(system, artifact) != 5) return 1;  // the artifact is loaded from a private file in /tmp
    bench.system.process.variables["TMPDIR"] = bench.scratch / "noexec";
    // Files in TMPDIR cannot be executed, so the artifact is again loaded from a private file in /tmp.
    if (call(system, artifact) != 5) return 2;
    for (const char* directory : {"/var/tmp", "/tmp"})
      if (::mount("tmpfs", directory, "tmpfs", MS_NOEXEC, "mode=1777") != 0) return kNeedsRoot;
    bench.system.process.variables.erase("TMPDIR");
    const Error error = error_of([&] { call(system, artifact); });
    return error.code == Code::kIo && contains(error.message, "/tmp does not allow execution (mounted noexec?); ") ? 0 : 3;
  });
  check_mounting(pid);
}

TEST_CASE("compile: a damaged entry is compiled again") {
  Bench bench;
  bench.options.compiler = copying_compiler(bench.scratch, 6);
  const auto artifact = bench.service().compile(request_for(6));
  CompileService service = bench.service();
  const std::string path = cat(service.cache().directory(), "/", artifact->key().hex(), kObjectSuffix);
  std::string bytes = read_text(path);
  bytes[bytes.size() - 5000] ^= 1;
  write_text(path, bytes);
  CompileReport report;
  CHECK(call(bench.system, service.compile(request_for(6), &report)) == 6);
  CHECK(report.origin == Origin::kCompiled);
  bench.service().compile(request_for(6), &report);
  CHECK(report.origin == Origin::kDisk);
}

TEST_CASE("compile: any system call may fail: a result, or an error; nothing left behind; usable after") {
  const FaultResult result = fail_every_call({ENOSPC, EMFILE}, false);
  CHECK(result.points > 100);
  CHECK(result.succeeded > result.points / 2);  // most of these system calls only save time, so compilation succeeds if one of them fails
  CHECK(result.first_fault == "");
}

TEST_CASE("compile: killed while compiling, the next run succeeds") {
  const KillResult result = kill_while_compiling(10, 1);
  CHECK(result.wrong == 0);
  CHECK(result.left == 0);
}
