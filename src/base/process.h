// Declares operating system calls about processes: child processes, the environment, shared libraries. They are behind one virtual class,
// so that a test can make any of them fail. harp starts programs only through RunningCommand and run_command(). The programs run without a
// shell, in a process group of their own, with a clean environment and without inherited descriptors. The size of their stored output is
// limited. At the deadline the whole process group is killed, because killing only gcc would leave its child cc1 running.
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
/// The host's cancellation flag, as harp.h defines it: another thread atomically writes a nonzero value to stop the work. NULL means that
/// the work cannot be cancelled. While harp waits for a process or a lock, it reads the flag every few milliseconds.
using CancelFlag = const volatile int32_t*;

inline bool cancelled(CancelFlag cancel) { return cancel != nullptr && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0; }

struct SpawnRequest {
  std::string program;                   // absolute path
  std::vector<std::string> arguments;    // argv, including argv[0]
  std::vector<std::string> environment;  // "NAME=value"; the child gets no other variables
  int directory = -1;                    // descriptor of the child's working directory; -1: harp's working directory
  int input = -1;                        // descriptor that becomes the child's stdin; -1: /dev/null
  int output = -1;                       // descriptor that becomes the child's stdout; -1: harp's stdout
  int errors = -1;                       // descriptor that becomes the child's stderr; -1: the same as its stdout
  int nice = 0;                          // added to harp's nice value for the child; 0 to 19
};

struct ChildStatus {
  bool exited = false;  // true: the child exited; false: signal number `code` killed it
  int code = 0;         // exit status if the child exited, otherwise the signal number
  // True if the status is lost, because the host itself waits for every child process or ignores SIGCHLD. The caller must then judge
  // success by what the child has written.
  bool unknown = false;
};

class Process {
 public:
  virtual ~Process() = default;
  /// Starts a program in a new process group, with every signal at its default action. Returns the process id or -errno. If a signal ends
  /// harp's process, the program continues to run. PR_SET_PDEATHSIG could not prevent that: it acts when the thread that started the
  /// program ends, and it kills only the program, not the processes that a compiler starts (docs/embedding.md, "When to compile").
  virtual int spawn(const SpawnRequest& request) = 0;
  /// Returns 1 if the child has ended, 0 if it still runs, or -errno (-ECHILD: no such child). Does not wait, and does not reap the child.
  virtual int has_ended(int pid) = 0;
  /// Reaps a child that has ended, as has_ended() reported, and stores its status. Returns 0 or -errno.
  virtual int reap(int pid, ChildStatus& status) = 0;
  virtual int kill_group(int pid) = 0;
  /// Creates a pipe whose ends are close-on-exec and have numbers above 2; returns 0 or -errno.
  virtual int pipe(int& read_end, int& write_end) = 0;
  /// Waits until `fd` is readable or `milliseconds` have passed. Returns 1 if it is readable, otherwise 0, or -errno. An interruption
  /// (EINTR) also returns 0.
  virtual int poll(int fd, int milliseconds) = 0;
  virtual void sleep(std::chrono::microseconds duration) = 0;
  /// Returns the current time of the clock that deadlines refer to.
  virtual Deadline now() = 0;

  /// Returns an environment variable, or nothing if it is not set. Always returns nothing in a program with more privileges than its caller
  /// (setuid).
  virtual std::optional<std::string> environment(const char* name) = 0;
  virtual uint32_t effective_user() = 0;
  /// The id of this process. It differs between a parent and its forked child.
  virtual int id() = 0;
  /// Number of CPUs that this process may use; at least 1.
  virtual size_t processors() = 0;
  virtual uint64_t random() = 0;

  /// Calls dlopen with RTLD_NOW | RTLD_LOCAL. On failure returns NULL and stores the loader's message in `error`.
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

/// The interfaces to the operating system, passed around as one argument.
struct System {
  FileSystem& files;
  Process& process;
};

struct Command {
  std::string program;                 // absolute path
  std::vector<std::string> arguments;  // argv, including argv[0]
  std::vector<std::string> environment;
  int directory = -1;
  size_t output_limit = 256 * 1024;  // number of bytes of output to store; further output is read and dropped
  int nice = 0;                      // as in SpawnRequest
};

struct CommandResult {
  enum class End : uint8_t { kExited, kSignalled, kUnknown, kTimedOut, kCancelled, kNotStarted };
  End end = End::kNotStarted;
  int code = 0;        // exit status, signal number, or -errno if the program was not started
  std::string output;  // stdout and stderr of the programs, interleaved in the order of arrival
  bool truncated = false;

  bool succeeded() const { return end == End::kExited && code == 0; }
  /// True if the program could not be started because the system had no file descriptor, process or memory left. The program itself may be
  /// fine.
  bool lacked_resources() const;
};

/// A running program, or a pipeline of two. Its functions throw only if memory runs out. The destructor leaves no child process, zombie or
/// open descriptor behind.
class RunningCommand {
 public:
  RunningCommand(System system, const Command& command);
  /// Starts a pipeline in which `reader` reads `writer`'s stdout. The result has the messages of both programs and the status of the first
  /// program, in pipeline order, that failed.
  RunningCommand(System system, const Command& writer, const Command& reader);
  ~RunningCommand();  // kills the programs unless wait() has seen them end
  RunningCommand(RunningCommand&&) noexcept;

  /// Waits for the end of the programs, the deadline or the cancellation. Call it only once. The output is read only during this call;
  /// until then a program may block on a full pipe.
  CommandResult wait(Deadline deadline, CancelFlag cancel = nullptr);

 private:
  UniqueFd open_output(size_t limit);
  bool start(const Command& command, int input, int output, int errors);

  struct State;
  std::unique_ptr<State> state_;
};

/// Runs a program and waits until it ends.
CommandResult run_command(System system, const Command& command, Deadline deadline, CancelFlag cancel = nullptr);

/// Describes how a command ended, such as "exit status 1", "killed by signal 11 (Segmentation fault)" or "it exceeded its time limit and
/// was stopped".
std::string describe_end(const CommandResult& result);

}  // namespace harp
