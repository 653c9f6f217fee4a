// What harp asks the operating system about processes: child processes, the environment, shared libraries. Behind one virtual class, so
// that tests can make any of it fail. run_command() is the one way harp starts a program: never a shell, own process group, nothing
// inherited but a clean environment, output capped, and a deadline that kills the whole group (killing only gcc leaves cc1 running).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"

namespace harp {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;
/// Where another thread writes something else than 0, atomically, to stop work: the host's flag as harp.h has it. NULL means that nobody
/// will. Looked at every few milliseconds.
using CancelFlag = const volatile int32_t*;

inline bool cancelled(CancelFlag cancel) { return cancel != nullptr && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0; }

struct SpawnRequest {
  std::string program;                   // absolute path
  std::vector<std::string> arguments;    // argv, with argv[0]
  std::vector<std::string> environment;  // "NAME=value", the whole of it
  int directory = -1;                    // descriptor of its working directory; -1: ours
  int input = -1;                        // becomes its stdin; -1: /dev/null
  int output = -1;                       // becomes its stdout; -1: ours
  int errors = -1;                       // becomes its stderr; -1: where stdout goes
  int nice = 0;                          // added to the nice value, 0 to 19
};

struct ChildStatus {
  bool exited = false;   // ended by itself; else by `code`, a signal
  int code = 0;          // exit status or signal number
  bool unknown = false;  // somebody else reaped it (a host that waits for every child, SIGCHLD ignored): the output must tell
};

class Process {
 public:
  virtual ~Process() = default;
  /// Starts a program in a process group of its own, with every signal at its default: pid or -errno.
  virtual int spawn(const SpawnRequest& request) = 0;
  /// Whether a child has ended, without waiting and without reaping it: 1, 0, or -errno (-ECHILD: no such child).
  virtual int has_ended(int pid) = 0;
  /// Waits for an ended child and reaps it: 0 or -errno.
  virtual int reap(int pid, ChildStatus& status) = 0;
  virtual int kill_group(int pid) = 0;
  /// Both ends close-on-exec, and neither a standard one: 0 or -errno.
  virtual int pipe(int& read_end, int& write_end) = 0;
  /// Waits until `fd` can be read or `milliseconds` have passed: 1, 0 or -errno. EINTR counts as 0.
  virtual int poll(int fd, int milliseconds) = 0;
  virtual void sleep(std::chrono::microseconds duration) = 0;
  /// The time that deadlines are about.
  virtual Deadline now() = 0;

  /// An environment variable, if it is set and may be trusted: nothing in a program that runs with more rights than its caller.
  virtual std::optional<std::string> environment(const char* name) = 0;
  virtual uint32_t effective_user() = 0;
  /// Another one in a child after fork.
  virtual int id() = 0;
  /// How many of its threads or children can run at the same time; at least 1.
  virtual size_t processors() = 0;
  virtual uint64_t random() = 0;

  /// dlopen with RTLD_NOW | RTLD_LOCAL; NULL on failure, with the loader's words in `error`.
  virtual void* open_library(const char* path, std::string& error) = 0;
  virtual void* find_symbol(void* library, const char* name) = 0;
  virtual void close_library(void* library) = 0;
};

class RealProcess : public Process {
 public:
  int spawn(const SpawnRequest& request) override;
  int has_ended(int pid) override;
  int reap(int pid, ChildStatus& status) override;
  int kill_group(int pid) override;
  int pipe(int& read_end, int& write_end) override;
  int poll(int fd, int milliseconds) override;
  void sleep(std::chrono::microseconds duration) override;
  Deadline now() override;
  std::optional<std::string> environment(const char* name) override;
  uint32_t effective_user() override;
  int id() override;
  size_t processors() override;
  uint64_t random() override;
  void* open_library(const char* path, std::string& error) override;
  void* find_symbol(void* library, const char* name) override;
  void close_library(void* library) override;
};

/// The operating system as one argument.
struct System {
  FileSystem& files;
  Process& process;
};

struct Command {
  std::string program;                 // absolute path
  std::vector<std::string> arguments;  // argv, with argv[0]
  std::vector<std::string> environment;
  int directory = -1;
  size_t output_limit = 256 * 1024;  // what it prints beyond this is read and dropped
  int nice = 0;                      // as in SpawnRequest
};

struct CommandResult {
  enum class End : uint8_t { kExited, kSignalled, kUnknown, kTimedOut, kCancelled, kNotStarted };
  End end = End::kNotStarted;
  int code = 0;        // exit status, signal number, or -errno when not started
  std::string output;  // stdout and stderr as they came
  bool truncated = false;

  bool succeeded() const { return end == End::kExited && code == 0; }
  /// It was not started since the system had no descriptor, process or memory for it, which says nothing about the program.
  bool lacked_resources() const;
};

/// A program that was started, or two. Does not throw but for memory; leaves no child, no descriptor, no zombie.
class RunningCommand {
 public:
  RunningCommand(System system, const Command& command);
  /// A pipeline: `reader` reads what `writer` writes to its stdout. The result has the words of both, and the end of the first that failed.
  RunningCommand(System system, const Command& writer, const Command& reader);
  ~RunningCommand();  // stops it, unless wait() saw its end
  RunningCommand(RunningCommand&&) noexcept;

  /// Until its end, the deadline or the cancellation; once. What it prints is read here only: it may be kept waiting before.
  CommandResult wait(Deadline deadline, CancelFlag cancel = nullptr);

 private:
  UniqueFd open_output(size_t limit);
  bool start(const Command& command, int input, int output, int errors);

  struct State;
  std::unique_ptr<State> state_;
};

/// Runs a program to its end.
CommandResult run_command(System system, const Command& command, Deadline deadline, CancelFlag cancel = nullptr);

/// How a command ended, in words: "exit status 1", "killed by signal 11 (Segmentation fault)", "took longer than allowed".
std::string describe_end(const CommandResult& result);

}  // namespace harp
