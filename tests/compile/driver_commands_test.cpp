// With the option -###, gcc's driver prints the commands that it would run. harp then runs these commands itself. If harp does not
// understand them, or if one of them fails, harp uses the driver. The file that harp makes with the commands must equal the one that the
// driver makes.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "compile/driver_commands.h"
#include "support/compile_scenarios.h"
#include "support/machine.h"

using namespace harp;
using namespace compile_scenarios;

namespace {

using Words = std::vector<std::string>;

const std::string kAnswer =
    "Using built-in specs.\n"
    "COLLECT_GCC=gcc\n"
    "Configured with: ../src/configure -v\n"
    "gcc version 12.2.0 (Debian 12.2.0-14) \n"
    "COLLECT_GCC_OPTIONS='-O3' '-shared'\n"
    " /usr/lib/gcc/cc1 -quiet /dev/null -dumpdir ./unit.so- -dumpbase null \"-march=x86-64-v3\" -O3 \"-std=gnu11\" -o ./ccA.s\n"
    " as --64 -o ./ccB.o ./ccA.s\n"
    "COMPILER_PATH=/usr/lib/gcc/12/:/usr/lib/gcc/\n"
    " /usr/lib/gcc/collect2 -plugin /usr/lib/lto.so \"-plugin-opt=-fresolution=./ccC.res\" -m elf_x86_64 -shared -o ./unit.so -L/usr/lib "
    "./ccB.o\n";
const Words kQuery = {"-O3", "-march=x86-64-v3"};

std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

/// Records which programs are started. It can also make one of the programs fail: the program cannot be started, ends with an error, or
/// ends without writing its output.
struct Watching : FaultyProcess {
  using FaultyProcess::FaultyProcess;
  int spawn(const SpawnRequest& request) override {
    const std::string& program = request.program;
    const std::string name = program.substr(program.find_last_of('/') + 1);
    started.push_back(name);
    outside += request.directory < 0;
    if (name == absent) return -ENOENT;
    SpawnRequest broken = request;
    if (name == silent) {
      broken.program = "/bin/sh";
      broken.arguments = {"sh", "-c", "exit 3"};
      return FaultyProcess::spawn(broken);
    }
    if (name != failing) return FaultyProcess::spawn(request);
    broken.arguments.push_back("--no-such-option-at-all");
    return FaultyProcess::spawn(broken);
  }
  auto count(const std::string& name) const { return std::count(started.begin(), started.end(), name); }
  bool has_started(const std::string& name) const { return count(name) > 0; }
  Words started;
  int outside = 0;  // how often a program was started outside of the work directory
  std::string absent, failing, silent;
};

}  // namespace

TEST_CASE("compile: the commands of gcc's driver are understood") {
  const std::optional<DriverCommands> commands = parse_driver_commands(kAnswer, kQuery);
  REQUIRE(commands);
  CHECK(commands->compile ==
        Words{"/usr/lib/gcc/cc1", "-quiet", "./unit.c", "-dumpdir", "./unit.so-", "-dumpbase", "null", "-std=gnu11", "-o", "-"});
  CHECK(commands->assemble == Words{"as", "--64", "-o", "./unit.o", "-"});
  CHECK(commands->link == Words{"ld", "-m", "elf_x86_64", "-shared", "-o", "./unit.so", "-L/usr/lib", "./unit.o"});
  CHECK(commands->directories == Words{"/usr/lib/gcc/12/", "/usr/lib/gcc/"});
  CHECK(replaced(commands->link, "./unit.o", {"./a.o", "./b.o"}).size() == commands->link.size() + 1);
}

TEST_CASE("compile: what is not gcc's way is left to the driver") {
  const auto understood = [](const std::string& answer) { return parse_driver_commands(answer, kQuery).has_value(); };
  CHECK(understood(kAnswer));
  CHECK(!understood(""));
  CHECK(!understood("Debian clang version 14.0.6\n \"/usr/lib/llvm-14/bin/clang\" \"-cc1\"\n \"/usr/bin/ld\" \"-o\" \"./unit.so\"\n"));
  CHECK(!understood(with(kAnswer, "/cc1 ", "/cc1plus ")));
  CHECK(!understood(with(kAnswer, " as ", " objcopy ")));
  CHECK(!understood(with(kAnswer, "collect2", "gold")));
  CHECK(!understood(kAnswer + " /usr/bin/strip ./unit.so\n"));          // there is an unexpected fourth command
  CHECK(!understood(with(kAnswer, "-O3 \"-std", "\"-std")));            // an argument is missing or changed
  CHECK(!understood(with(kAnswer, "./ccA.s\n as", "- |\n as")));        // a pipe between commands
  CHECK(!understood(with(kAnswer, "-o ./ccB.o", "")));                  // no output file is given
  CHECK(!understood(with(kAnswer, "ccB.o ./ccA.s", "ccB.o ./ccD.s")));  // the second command reads a file that the first does not write
  CHECK(!understood(with(kAnswer, "-o ./unit.so", "-o ./a.out")));
  CHECK(!understood(with(kAnswer, "/dev/null", "/dev/null /dev/null")));
  CHECK(!understood(with(kAnswer, "\"-std=gnu11\"", "\"-std=gnu11")));  // an unclosed quote
}

/// Returns the artifact's machine code with zeros in place of the cache key, because the key depends on the name of the compiler.
static std::string without_key(const Artifact& artifact) {
  std::string bytes(reinterpret_cast<const char*>(artifact.payload().data()), artifact.payload().size());
  const std::string key = artifact.key().hex();
  const size_t at = bytes.find(key);
  REQUIRE(at != std::string::npos);
  return bytes.replace(at, key.size(), key.size(), '0');
}

TEST_CASE("compile: gcc's commands make what its driver makes") {
  for (const int optimisation : {0, 1, 3}) {
    Bench own, whole;
    own.options.compiler = "gcc";
    whole.options.compiler = "gcc -DANOTHER_WORD";  // the compiler is given with an argument, not only by its name, so harp uses the driver
    CompileRequest request = request_for(11);
    request.optimisation = optimisation;
    request.vectors_written = optimisation == 3;
    Watching process(own.system.plan);
    process.variables = own.system.process.variables;
    CompileService service(System{own.system.files, process}, own.options, Log());
    const auto mine = service.compile(request), theirs = whole.service().compile(request);
    CAPTURE(optimisation);
    CHECK(process.has_started("cc1"));
    CHECK(process.has_started("as"));
    CHECK(!process.has_started("collect2"));
    CHECK(without_key(*mine) == without_key(*theirs));
    CHECK(mine->manifest().command.front().ends_with("gcc"));  // the manifest contains the command that a user would type
  }
}

TEST_CASE("compile: where a command of gcc's driver does not work, the driver is asked") {
  for (const std::string program : {"cc1", "as", "ld"}) {
    for (const bool absent : {false, true}) {
      Bench bench;
      bench.options.compiler = "gcc";
      Watching process(bench.system.plan);
      process.variables = bench.system.process.variables;
      (absent ? process.absent : process.failing) = program;
      CompileService service(System{bench.system.files, process}, bench.options, Log());
      CAPTURE(program);
      CHECK(call(bench.system, service.compile(request_for(12))) == 12);
      CHECK(process.has_started(program));
      CHECK(process.started.back() == "gcc");
    }
  }
  Bench bench;  // the error contains the messages of the driver
  bench.options.compiler = "gcc";
  CompileRequest request = request_for(1);
  request.source = "this is no C\n";
  const Error error = error_of([&] { bench.service().compile(request); });
  CHECK(contains(error.message, "gcc -O3"));
  CHECK(contains(error.message, "exit status 1"));
  CHECK(!error.compiler_output.empty());
}

TEST_CASE("compile: where the host reaps every child, what gcc's commands make is not believed in, and they are not run again") {
  Bench bench;
  bench.options.compiler = "gcc";
  Watching process(bench.system.plan);
  process.variables = bench.system.process.variables;
  CompileService service(System{bench.system.files, process}, bench.options, Log());
  CHECK(call(bench.system, service.compile(request_for(13))) == 13);
  CHECK(process.count("cc1") == 1);
  process.silent = "cc1";
  const auto handler = ::signal(SIGCHLD, SIG_IGN);
  const auto first = service.compile(request_for(14)), second = service.compile(request_for(15));
  ::signal(SIGCHLD, handler);
  CHECK(call(bench.system, first) == 14);
  CHECK(call(bench.system, second) == 15);
  CHECK(process.count("cc1") == 2);
}

TEST_CASE("compile: the driver's answer is remembered in the cache, and asked for again when it is not there") {
  Bench bench;
  bench.options.compiler = "gcc";
  for (const bool remembered : {false, true, false}) {
    if (!remembered) CompileService(bench.system, bench.options, Log()).clear();
    Watching process(bench.system.plan);
    process.variables = bench.system.process.variables;
    CompileService service(System{bench.system.files, process}, bench.options, Log());
    service.compile(request_for(remembered ? 21 : 20));
    CHECK(process.has_started("gcc") == !remembered);
    CHECK(process.outside == 0);
    CHECK(process.has_started("cc1"));
  }
}

TEST_CASE("compile: the compiler is asked what it is once, from the beginning of a search on, and by whoever is first") {
  Bench bench;
  bench.options.compiler = "gcc";
  Watching process(bench.system.plan);
  process.variables = bench.system.process.variables;
  CompileService service(System{bench.system.files, process}, bench.options, Log());
  {
    const auto search = service.begin_search(""), same = service.begin_search("gcc");
    REQUIRE(search);
    CHECK(same == search);
    CHECK(process.started == Words{"gcc"});
    CHECK(call(bench.system, service.compile(request_for(31))) == 31);
    CHECK(process.count("gcc") == 1);
    CHECK(process.has_started("cc1"));
  }
  CHECK(service.begin_search("") == nullptr);  // returns NULL, because the compiler is already known

  CompileService another(System{bench.system.files, process}, bench.options, Log());
  CHECK(another.clear());  // clear() also deletes the stored answer of the driver
  process.started.clear();
  CHECK(another.begin_search("") != nullptr);  // the search that begin_search() returns is released at once
  CHECK(process.started == Words{"gcc"});
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);  // no child process is left
  CHECK(call(bench.system, another.compile(request_for(32))) == 32);
  CHECK(process.count("gcc") == 2);
}

TEST_CASE("compile: a search that finds no compiler says so at its end, and is not remembered") {
  Bench bench;
  bench.options.compiler = write_script(bench.scratch / "broken", "echo cannot start >&2; exit 1");
  CompileService service = bench.service();
  const auto search = service.begin_search("");
  CHECK(search);
  CHECK(contains(error_of([&] { service.compile(request_for(33)); }).message, "it printed: cannot start"));
  bench.options.compiler = "gcc";
  write_script(bench.scratch / "broken", "exec gcc \"$@\"");
  CHECK(call(bench.system, service.compile(request_for(33))) == 33);
}

TEST_CASE("compile: which gcc it is, from what a driver says of itself") {
  CHECK(gcc_version("gcc 12.2.0 (Debian 12.2.0-14)") == 12);
  CHECK(gcc_version("cc (Debian 12.2.0-14) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.\n") == 12);
  CHECK(gcc_version("gcc (GCC) 4.8.5\nCopyright (C) 2015 Free Software Foundation, Inc.\n") == 4);
  CHECK(gcc_version("wrapper\nCopyright (C) 2015 Free Software Foundation, Inc.\n") == 0);
  CHECK(gcc_version("odd (one\nCopyright (C) 2015 Free Software Foundation, Inc.\n") == 0);
  CHECK(!gcc_version("Debian clang version 14.0.6"));
  CHECK(!gcc_version(""));
}

TEST_CASE("compile: flags work around gcc versions that vectorise wrongly; other compilers and their sources are unchanged") {
  const auto has = [](const Words& flags, const std::string& flag) { return std::find(flags.begin(), flags.end(), flag) != flags.end(); };
  for (const std::optional<int> version :
       {std::optional<int>(), std::optional(0), std::optional(11), std::optional(12), std::optional(14)}) {
    CompileRequest plain;
    plain.target = testing::row("x86-64-v3");
    const Words flags = varying_flags(plain, version);
    CAPTURE(version.value_or(-1));
    const bool has_bugs = version == 11 || version == 12;
    CHECK(has(flags, "-DHARP_GCC_BUGS_AVOIDED") == has_bugs);
    CHECK(has(flags, "-fno-tree-slp-vectorize") == has_bugs);
    CHECK(has(flags, "-fvect-cost-model=very-cheap") == has_bugs);
    CompileRequest with_flags;
    with_flags.target = testing::row("x86-64-v3");
    with_flags.flags = {"-O2"};
    const Words before_others = varying_flags(with_flags, version);
    // If the caller passes flags, the macro HARP_GCC_BUGS_AVOIDED is not defined; the source then tests gcc's version to find out whether
    // gcc has the bugs.
    CHECK(!has(before_others, "-DHARP_GCC_BUGS_AVOIDED"));
    CHECK(has(before_others, "-fno-tree-slp-vectorize") == has_bugs);
    CHECK(has(flags, "-fno-ipa-pure-const") == version.has_value());
    CHECK(has(flags, "-mno-80387") == version.has_value());
    plain.target = testing::row("aarch64");
    CHECK(!has(varying_flags(plain, version), "-mno-80387"));
  }
}
