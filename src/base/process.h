// Operating system calls about processes: child processes, the environment, shared libraries. They are behind one virtual class, so that
// tests can make any of them fail. run_command() is the only way harp starts a program: it uses no shell, a separate process group, a clean
// environment and no inherited descriptors. It limits the output, and at the deadline it kills the whole group (killing only gcc leaves cc1
// running).
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
/// The host's cancellation flag, as harp.h defines it: another thread writes a nonzero value atomically to stop the work. NULL means that
/// the work cannot be cancelled. The flag is read every few milliseconds.
using CancelFlag = const volatile int32_t*;

inline bool cancelled(CancelFlag cancel) { return cancel != nullptr && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0; }

struct SpawnRequest {
  std::string program;                   // absolute path
  std::vector<std::string> arguments;    // argv, with argv[0]
  std::vector<std::string> environment;  // "NAME=value"; the child gets no other variables
  int directory = -1;                    // descriptor of the child's working directory; -1: harp's
  int input = -1;                        // becomes the child's stdin; -1: /dev/null
  int output = -1;                       // becomes the child's stdout; -1: harp's stdout
  int errors = -1;                       // becomes the child's stderr; -1: same as stdout
  int nice = 0;                          // increment of the nice value, 0 to 19
};

struct ChildStatus {
  bool exited = false;  // true: it exited; false: the signal `code` killed it
  int code = 0;         // exit status or signal number
  // True if the status is lost, because the host waits for every child or ignores SIGCHLD. The caller must then judge success by the
  // output.
  bool unknown = false;
};

class Process {
 public:
  virtual ~Process() = default;
  /// Starts a program in a new process group, with every signal at its default action: pid or -errno. It outlives this process if a signal
  /// ends this one. PR_SET_PDEATHSIG would not do: it acts when the thread that started the program ends, and only on the program itself,
  /// not on those that a compiler starts (docs/embedding.md, "When to compile").
  virtual int spawn(const SpawnRequest& request) = 0;
  /// Returns 1 if the child has ended, 0 if it still runs, or -errno (-ECHILD: no such child). Neither waits nor reaps the child.
  virtual int has_ended(int pid) = 0;
  /// Waits for a child that has_ended() reported, and reaps it: 0 or -errno.
  virtual int reap(int pid, ChildStatus& status) = 0;
  virtual int kill_group(int pid) = 0;
  /// Creates a pipe whose ends are close-on-exec and have numbers above 2; returns 0 or -errno.
  virtual int pipe(int& read_end, int& write_end) = 0;
  /// Waits until `fd` is readable or `milliseconds` have passed: 1, 0 or -errno. EINTR counts as 0.
  virtual int poll(int fd, int milliseconds) = 0;
  virtual void sleep(std::chrono::microseconds duration) = 0;
  /// The clock that deadlines refer to.
  virtual Deadline now() = 0;

  /// Returns an environment variable if it is set. In a program with more privileges than its caller (setuid) it returns nothing.
  virtual std::optional<std::string> environment(const char* name) = 0;
  virtual uint32_t effective_user() = 0;
  /// The id of this process. After a fork the child has another one.
  virtual int id() = 0;
  /// Number of CPUs that this process may use; at least 1.
  virtual size_t processors() = 0;
  virtual uint64_t random() = 0;

  /// dlopen with RTLD_NOW | RTLD_LOCAL; on failure returns NULL and puts the loader's message into `error`.
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

/// All operating system interfaces, passed as one argument.
struct System {
  FileSystem& files;
  Process& process;
};

struct Command {
  std::string program;                 // absolute path
  std::vector<std::string> arguments;  // argv, with argv[0]
  std::vector<std::string> environment;
  int directory = -1;
  size_t output_limit = 256 * 1024;  // bytes of output to keep; the rest is read and dropped
  int nice = 0;                      // as in SpawnRequest
};

struct CommandResult {
  enum class End : uint8_t { kExited, kSignalled, kUnknown, kTimedOut, kCancelled, kNotStarted };
  End end = End::kNotStarted;
  int code = 0;        // exit status, signal number, or -errno when not started
  std::string output;  // stdout and stderr, interleaved as they arrived
  bool truncated = false;

  bool succeeded() const { return end == End::kExited && code == 0; }
  /// True if the start failed because the system had no descriptor, process or memory left; the program itself may be fine.
  bool lacked_resources() const;
};

/// A running program or a pipeline of two. Throws only when memory runs out. Leaves no child process, zombie or open descriptor behind.
class RunningCommand {
 public:
  RunningCommand(System system, const Command& command);
  /// Starts a pipeline: `reader` reads from `writer`'s stdout. The result holds the messages of both and the status of the first that
  /// failed.
  RunningCommand(System system, const Command& writer, const Command& reader);
  ~RunningCommand();  // kills the program unless wait() has seen it end
  RunningCommand(RunningCommand&&) noexcept;

  /// Waits for the end, the deadline or the cancellation; call it once. Output is read only here, so until then the program may block on a
  /// full pipe.
  CommandResult wait(Deadline deadline, CancelFlag cancel = nullptr);

 private:
  UniqueFd open_output(size_t limit);
  bool start(const Command& command, int input, int output, int errors);

  struct State;
  std::unique_ptr<State> state_;
};

/// Runs a program and waits until it ends.
CommandResult run_command(System system, const Command& command, Deadline deadline, CancelFlag cancel = nullptr);

/// Describes how a command ended: "exit status 1", "killed by signal 11 (Segmentation fault)", "took longer than allowed".
std::string describe_end(const CommandResult& result);

}  // namespace harp
