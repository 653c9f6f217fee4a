// Tests running commands: their environment, their output, and that no processes or descriptors remain, however the commands end.
#include <doctest/doctest.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <thread>
#include <tuple>

#include "base/log.h"
#include "base/machine.h"
#include "support/faulty_system.h"

using namespace harp;
using namespace std::chrono_literals;
using End = CommandResult::End;

namespace {

Command shell(const std::string& script) {
  Command command;
  command.program = "/bin/sh";
  command.arguments = {"sh", "-c", script};
  command.environment = {"PATH=/usr/bin:/bin"};
  return command;
}

CommandResult run_shell(TestSystem& system, const std::string& script, std::chrono::milliseconds limit = 60s) {
  return run_command(system, shell(script), Clock::now() + limit);
}

CommandResult run_pipeline(TestSystem& system, const std::string& writer, const std::string& reader,
                           std::chrono::milliseconds limit = 60s) {
  return RunningCommand(system, shell(writer), shell(reader)).wait(Clock::now() + limit);
}

bool alive(int pid) { return ::kill(pid, 0) == 0; }

/// Returns whether the process is gone within a reasonable time. init takes some time to reap orphans.
bool dies(int pid) {
  for (int i = 0; i < 500 && alive(pid); ++i) {
    if (read_text("/proc/" + std::to_string(pid) + "/stat").find(") Z ") != std::string::npos) return true;
    std::this_thread::sleep_for(10ms);
  }
  return !alive(pid);
}

bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }

}  // namespace

TEST_CASE("process: output and exit status come back") {
  TestSystem system;
  const CommandResult good = run_shell(system, "echo out; echo err >&2");
  CHECK(good.succeeded());
  CHECK(good.output == "out\nerr\n");
  const CommandResult bad = run_shell(system, "exit 7");
  CHECK(bad.end == End::kExited);
  CHECK(bad.code == 7);
  CHECK(describe_end(bad) == "exit status 7");
  CHECK_FALSE(has_children());
}

TEST_CASE("process: a signal is told from an exit status") {
  TestSystem system;
  const CommandResult crashed = run_shell(system, "kill -SEGV $$");
  CHECK(crashed.end == End::kSignalled);
  CHECK(crashed.code == SIGSEGV);
  CHECK(describe_end(crashed) == "killed by signal 11 (Segmentation fault)");
}

TEST_CASE("process: a program that does not exist") {
  TestSystem system;
  Command command = shell("");
  command.program = "/nonexistent/program";
  const CommandResult result = run_command(system, command, Clock::now() + 10s);
  CHECK(result.end == End::kNotStarted);
  CHECK(result.code == -ENOENT);
  CHECK(describe_end(result) == "it could not be started: No such file or directory");
  CHECK_FALSE(has_children());
}

TEST_CASE("process: output beyond the limit is dropped, and the program is not blocked by it") {
  TestSystem system;
  Command command = shell("head -c 3000000 /dev/zero | tr '\\0' x");
  command.output_limit = 1000;
  const CommandResult result = run_command(system, command, Clock::now() + 60s);
  CHECK(result.succeeded());
  CHECK(result.truncated);
  CHECK(result.output == std::string(1000, 'x'));
}

TEST_CASE("process: it gets an environment, a directory, stdin and descriptors of our choice, and nothing else") {
  TestSystem system;
  const Scratch scratch;
  const int leaky = ::open("/dev/null", O_RDONLY);  // an open descriptor of the host that child processes inherit
  const int directory = ::open(scratch.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  Command command = shell("env | grep -v '^PWD=\\|^_=\\|^SHLVL=\\|^OLDPWD='; cat; pwd; ls /proc/self/fd | tr '\\n' ' '");
  command.environment = {"PATH=/usr/bin:/bin", "ONLY=this"};
  command.directory = directory;
  const CommandResult result = run_command(system, command, Clock::now() + 60s);
  ::close(leaky);
  ::close(directory);
  // The command `ls` has the descriptors 0, 1 and 2, and 3 for the directory that it reads.
  CHECK(result.output == "PATH=/usr/bin:/bin\nONLY=this\n" + scratch.path() + "\n0 1 2 3 ");
}

TEST_CASE("process: signals blocked or ignored by the host are neither in the child") {
  TestSystem system;
  sigset_t block, before;
  sigemptyset(&block);
  sigaddset(&block, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &block, &before);
  const auto handler = ::signal(SIGPIPE, SIG_IGN);
  const CommandResult result = run_shell(system, "grep 'SigBlk\\|SigIgn' /proc/self/status");
  ::signal(SIGPIPE, handler);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  unsigned long long blocked = 1, ignored = ~0ull;
  REQUIRE(std::sscanf(result.output.c_str(), "SigBlk: %llx SigIgn: %llx", &blocked, &ignored) == 2);
  CHECK(blocked == 0);
  CHECK((ignored & 0x7fffffff) == 0);  // signals 1 to 31; glibc uses 32 and 33 itself, and their handling is inherited
}

TEST_CASE("process: of two programs the second reads what the first writes, and the words of both are kept") {
  TestSystem system;
  const CommandResult both = run_pipeline(system, "echo one; echo two >&2", "read line; sleep 0.1; echo got $line; cat");
  CHECK(both.succeeded());
  CHECK(both.output == "two\ngot one\n");
  CHECK(run_pipeline(system, "head -c 3000000 /dev/zero", "wc -c").output == "3000000\n");
  CHECK(run_pipeline(system, "exit 3", "cat; exit 4").code == 3);
  CHECK(run_pipeline(system, "true", "exit 4").code == 4);
  const CommandResult deaf = run_pipeline(system, "exec yes", "exit 0");
  CHECK(deaf.end == End::kSignalled);
  CHECK(deaf.code == SIGPIPE);
  const auto start = Clock::now();
  CHECK(run_pipeline(system, "sleep 1000", "cat", 300ms).end == End::kTimedOut);
  CHECK(run_pipeline(system, "yes", "sleep 1000", 300ms).end == End::kTimedOut);
  CHECK(run_pipeline(system, "sleep 1000 & true", "cat").end ==
        End::kTimedOut);  // the writer has ended, but its child keeps the pipe open, so the time limit ends the pipeline
  CHECK(Clock::now() - start < 50s);
  CHECK_FALSE(has_children());
}

TEST_CASE("process: of two programs one that does not start leaves nothing of the other") {
  TestSystem system;
  Command absent = shell("");
  absent.program = "/nonexistent/program";
  for (const bool first : {true, false}) {
    const CommandResult result =
        RunningCommand(system, first ? absent : shell("sleep 1000"), first ? shell("sleep 1000") : absent).wait(Clock::now() + 60s);
    CHECK(result.end == End::kNotStarted);
    CHECK(result.code == -ENOENT);
    CHECK_FALSE(has_children());
  }
}

namespace {

/// A clock whose second reading after a file has appeared is beyond every deadline of the test. Between the first and the second reading,
/// harp reads the output of the command for which it waits.
class ClockOfFile : public FaultyProcess {
 public:
  ClockOfFile(FaultPlan& plan, std::string file) : FaultyProcess(plan), file_(std::move(file)) {}
  Deadline now() override {
    const bool is_over = seen_;
    seen_ = seen_ || std::filesystem::exists(file_);
    return Real::now() + (is_over ? 2h : 0h);
  }

 private:
  std::string file_;
  bool seen_ = false;
};

}  // namespace

TEST_CASE("process: the deadline kills the whole group") {
  TestSystem system;
  const Scratch scratch;
  ClockOfFile process(system.plan, scratch / "ready");
  const std::string script = "sleep 1000 & echo $! > " + (scratch / "grandchild") + "; echo started; : > " + (scratch / "ready") + "; wait";
  const CommandResult result = run_command({system.files, process}, shell(script), Clock::now() + 1h);
  CHECK(result.end == End::kTimedOut);
  CHECK(result.output == "started\n");
  CHECK(dies(std::stoi(read_text(scratch / "grandchild"))));
  CHECK_FALSE(has_children());
}

TEST_CASE("process: cancelling kills the whole group") {
  TestSystem system;
  int32_t cancel = 0;
  std::thread canceller([&] {
    std::this_thread::sleep_for(50ms);
    __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
  });
  const CommandResult result = run_command(system, shell("sleep 1000"), Clock::now() + 600s, &cancel);
  canceller.join();
  CHECK(result.end == End::kCancelled);
  CHECK_FALSE(has_children());
}

TEST_CASE("process: a child that closes its output and lives on is waited for") {
  TestSystem system;
  const CommandResult result = run_shell(system, "exec >&- 2>&-; sleep 0.2; exit 3");
  CHECK(result.end == End::kExited);
  CHECK(result.code == 3);
}

TEST_CASE("process: a grandchild that keeps the output open is not waited for, and does not survive") {
  TestSystem system;
  const Scratch scratch;
  const CommandResult result = run_shell(system, "sleep 1000 & echo $! > " + (scratch / "grandchild") + "; echo done", 600s);
  CHECK(result.succeeded());
  CHECK(result.output == "done\n");
  CHECK(dies(std::stoi(read_text(scratch / "grandchild"))));
}

TEST_CASE("process: a host that reaps every child is tolerated") {
  TestSystem system;
  const auto handler = ::signal(SIGCHLD, SIG_IGN);
  const CommandResult result = run_shell(system, "echo here");
  ::signal(SIGCHLD, handler);
  CHECK(result.end == End::kUnknown);
  CHECK(result.output == "here\n");
}

TEST_CASE("process: of a pipeline whose writer the host reaped, nobody says that it succeeded") {
  TestSystem system;
  const Scratch scratch;
  for (const auto& [exit, end, code] : {std::tuple{"exit 0", End::kUnknown, 0}, {"exit 3", End::kExited, 3}}) {
    // The thread `host` creates this file when it has reaped the writer; the reader waits for the file.
    const std::string reaped = scratch / exit;
    const std::string reader = "cat; while [ ! -e '" + reaped + "' ]; do sleep 0.01; done; " + exit;
    std::thread host([&] {
      const auto give_up = Clock::now() + 20s;
      // repeats until waitpid has reaped a child
      while (::waitpid(-1, nullptr, 0) < 0 && Clock::now() < give_up) std::this_thread::sleep_for(1ms);
      write_text(reaped, "");
    });
    const CommandResult result = run_pipeline(system, "exit 7", reader, 20s);
    host.join();
    CHECK_FALSE(result.succeeded());
    CHECK(static_cast<int>(result.end) == static_cast<int>(end));
    CHECK(result.code == code);
  }
}

TEST_CASE("process: no descriptor and no child is left, whichever call fails") {
  const int files_before = count_open_files();
  for (const int error : {EIO, EMFILE, ENOMEM, EINTR}) {
    for (const auto& [from_then_on, n_programs] : {std::pair{false, 1}, {true, 1}, {false, 2}, {true, 2}}) {
      for (int n = 0;; ++n) {
        TestSystem system;
        system.plan.fail_at = n;
        system.plan.from_then_on = from_then_on;
        system.plan.error = error;
        const CommandResult result = n_programs == 1 ? run_shell(system, "echo text", 20s) : run_pipeline(system, "echo text", "cat", 20s);
        if (result.succeeded()) CHECK(std::string("text\n").starts_with(result.output));
        if (system.plan.calls <= n) break;  // if there was no call number n, every call has failed in some round
      }
    }
  }
  while (::waitpid(-1, nullptr, 0) > 0) {
  }  // waits for the children that remain because the test makes every waitpid fail
  CHECK(count_open_files() == files_before);
}

TEST_CASE("process: a failing call leaves no zombie") {
  for (const bool is_pipeline : {false, true})
    for (int n = 0;; ++n) {
      TestSystem system;
      system.plan.fail_at = n;
      if (is_pipeline)
        run_pipeline(system, "echo text", "cat", 20s);
      else
        run_shell(system, "echo text", 20s);
      CAPTURE(n);
      CHECK_FALSE(has_children());
      if (system.plan.calls <= n) break;
    }
}

// The next test case starts a copy of this program, which runs only this test case.
TEST_CASE("process: what a variable looks like from here" * doctest::skip()) {
  RealProcess process;
  std::printf("variable: %s\n", process.environment("HARP_PROBE").value_or("not seen").c_str());
  std::fflush(stdout);
}

TEST_CASE("process: a program with more rights than its caller sees no variables") {
  const Scratch scratch;
  TestSystem system;
  Command command;
  command.program = scratch / "copy";
  command.arguments = {"copy", "--no-skip", "--test-case=process: what a variable looks like from here"};
  command.environment = {"HARP_PROBE=value"};
  std::filesystem::copy_file("/proc/self/exe", command.program);
  ::chmod(scratch.path().c_str(), 0755);
  const auto run = [&] { return run_command(system, command, Clock::now() + 60s).output; };
  CHECK(run().find("variable: value\n") != std::string::npos);
  const bool privileged = ::chown(command.program.c_str(), 1, 1) == 0 && ::chmod(command.program.c_str(), 04755) == 0;
  if (!privileged)
    MESSAGE("not checked: making a set-user-id file of another user needs root");
  else
    CHECK(run().find("variable: not seen\n") != std::string::npos);
}

TEST_CASE("log: messages reach the callback with their level, and nothing else happens") {
  struct Heard {
    std::vector<std::pair<int, std::string>> messages;
    static void hear(void* self, int level, const char* text, size_t size) {
      static_cast<Heard*>(self)->messages.emplace_back(level, std::string(text, size));
    }
  } heard;
  const Log log(&Heard::hear, &heard, LogLevel::kInfo);
  log.debug("too low");
  log.info("one ", 1);
  log.warning("50% {} \n {0}");  // format specifiers in a message are not interpreted
  log.error("three");
  const std::vector<std::pair<int, std::string>> expected = {{2, "one 1"}, {3, "50% {} \n {0}"}, {4, "three"}};
  CHECK(heard.messages == expected);
  Log().error("nobody listens");

  const Log throwing([](void*, int, const char*, size_t) { throw 1; }, nullptr, LogLevel::kTrace);
  throwing.error("an exception of the host's stops here");
}

TEST_CASE("target: levels have names, and this machine has one of them") {
  const Machine host = host_machine();
  REQUIRE(machine_from_name(host.name).has_value());
  CHECK(machine_from_name(host.name)->cpu().vector_bytes == host.cpu().vector_bytes);
  CHECK_FALSE(machine_from_name("native").has_value());
  CHECK(can_run(host));
  for (const Machine& target : machines()) CHECK(target.cpu().march != "native");
}
