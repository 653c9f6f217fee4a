// Starts a program, reads its output, waits for its end, and kills its whole process group at the deadline. The child is reaped only after
// harp has decided whether to kill its group: until it is reaped, its process id cannot be reused for another process group.
#include <errno.h>
#include <string.h>

#include <algorithm>
#include <deque>

#include "base/process.h"
#include "base/text.h"

namespace harp {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr milliseconds kPollStep{10};  // the largest delay until a cancellation is noticed
// Duration of the first sleep while harp waits for a child to exit. A child usually exits within microseconds after it has closed its
// output.
constexpr microseconds kFirstNap{20};
// How long the reader of a pipeline may run after the writer has ended. If the host forks a process at the wrong moment, that process
// inherits the pipe between writer and reader and may keep it open forever, so the reader never sees its end.
constexpr milliseconds kReaderPatience{5'000};
// How long to wait for the end of a killed process. A process in an uninterruptible wait does not end; harp then gives up instead of
// hanging.
constexpr milliseconds kReapPatience{5'000};

/// Owns one child process from its start until it is reaped. The destructor stops the child, also if an exception such as out of memory is
/// thrown.
class Child {
 public:
  Child(System system, int pid) : system_(system), pid_(pid) {}
  ~Child() {
    if (!reaped_) stop();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// True if the child, which is the leader of the process group, has ended, or if other code of the host has reaped it.
  bool ended() {
    if (!ended_) {
      const int state = system_.process.has_ended(pid_);
      ended_ = state != 0;
      foreign_ = state == -ECHILD;
      if (state < 0 && !foreign_) lost_ = true;
    }
    return ended_;
  }

  /// Kills the process group. Does nothing if other code of the host has reaped the leader, because its id may belong to another process
  /// now.
  void kill() {
    ended();
    if (!foreign_) system_.process.kill_group(pid_);
  }

  /// Reaps a child that has ended, and returns its status.
  ChildStatus reap() {
    ChildStatus status;
    if (lost_) kill();  // The state of the child could not be queried. It is killed, so that the following wait ends.
    int error = foreign_ ? -ECHILD : system_.process.reap(pid_, status);
    if (error < 0 && error != -ECHILD) error = system_.process.reap(pid_, status);
    status.unknown = error < 0 || lost_;
    reaped_ = true;
    return status;
  }

  /// Kills the process group, waits up to kReapPatience for the end of the child, and reaps it.
  void stop() {
    kill();
    const Deadline give_up = system_.process.now() + kReapPatience;
    for (microseconds nap = kFirstNap; !ended() && system_.process.now() < give_up; nap = std::min<microseconds>(nap * 2, kPollStep))
      system_.process.sleep(nap);
    if (ended_) reap();
    reaped_ = true;
  }

 private:
  System system_;
  int pid_;
  bool ended_ = false;
  bool foreign_ = false;
  bool lost_ = false;
  bool reaped_ = false;
};

/// Collects the output of the child processes. Closes its end of the pipe when all writers have closed theirs, or after a read error.
class Output {
 public:
  Output(System system, UniqueFd fd, size_t limit, CommandResult& result)
      : system_(system), fd_(std::move(fd)), limit_(limit), result_(result) {}

  bool open() const { return static_cast<bool>(fd_); }

  /// Waits up to `wait` for output and stores what arrives. Returns false if nothing arrived.
  bool take(milliseconds wait) {
    const int ready = system_.process.poll(fd_.get(), static_cast<int>(wait.count()));
    if (ready == 0) return false;
    char buffer[4096];
    const int64_t got = ready < 0 ? ready : system_.files.read(fd_.get(), buffer, sizeof buffer);
    if (got <= 0) {
      fd_.reset();
      return false;
    }
    const size_t room = limit_ - std::min(limit_, result_.output.size());
    result_.output.append(buffer, std::min(room, static_cast<size_t>(got)));
    result_.truncated = result_.truncated || static_cast<size_t>(got) > room;
    return true;
  }

 private:
  System system_;
  UniqueFd fd_;
  size_t limit_;
  CommandResult& result_;
};

}  // namespace

struct RunningCommand::State {
  explicit State(System s) : system(s) {}
  System system;
  CommandResult result;
  std::optional<Output> output;
  std::deque<Child> children;          // the child processes in pipeline order; empty if no program was started
  std::optional<Deadline> writer_end;  // when harp noticed that the writer of the pipeline had ended

  /// True if the writer ended more than kReaderPatience ago and the wait still continues: another process must have the pipe open.
  bool reader_is_stuck(Deadline now) {
    if (children.size() < 2 || !children.front().ended()) return false;
    if (!writer_end) writer_end = now;
    return now - *writer_end > kReaderPatience;
  }
  bool all_ended() {
    return std::all_of(children.begin(), children.end(), [](Child& child) { return child.ended(); });
  }
  void kill() {
    for (Child& child : children) child.kill();
  }
  void stop() {
    kill();
    for (Child& child : children) child.stop();
  }
  void reap();
};

/// Reaps all children and combines their statuses: the first known failure; otherwise "unknown" if any status is unknown; otherwise
/// success.
void RunningCommand::State::reap() {
  using End = CommandResult::End;
  result.end = End::kExited;
  result.code = 0;
  for (Child& child : children) {
    const ChildStatus status = child.reap();
    if (result.code != 0) continue;
    if (status.unknown) {
      result.end = End::kUnknown;
    } else if (!status.exited || status.code != 0) {
      result.end = status.exited ? End::kExited : End::kSignalled;
      result.code = status.code;
    }
  }
}

RunningCommand::RunningCommand(System system, const Command& command) : state_(std::make_unique<State>(system)) {
  const UniqueFd words = open_output(command.output_limit);
  if (words) start(command, -1, words.get(), words.get());
}

RunningCommand::RunningCommand(System system, const Command& writer, const Command& reader) : state_(std::make_unique<State>(system)) {
  const UniqueFd words = open_output(writer.output_limit);
  int ends[2] = {-1, -1};
  if (!words || (state_->result.code = system.process.pipe(ends[0], ends[1])) < 0) return;
  const UniqueFd read_end(system.files, ends[0]), write_end(system.files, ends[1]);
  if (start(writer, -1, write_end.get(), words.get()) && !start(reader, read_end.get(), words.get(), words.get())) {
    state_->stop();
    state_->children.clear();
  }
}

/// Creates the output pipe and returns its write end. The caller closes the write end after it has started the children; otherwise reading
/// the pipe would never reach its end.
UniqueFd RunningCommand::open_output(size_t limit) {
  const System system = state_->system;
  int ends[2] = {-1, -1};
  state_->result.code = system.process.pipe(ends[0], ends[1]);
  if (state_->result.code < 0) return {};
  UniqueFd write_end(system.files, ends[1]);
  state_->output.emplace(system, UniqueFd(system.files, ends[0]), limit, state_->result);
  return write_end;
}

bool RunningCommand::start(const Command& command, int input, int output, int errors) {
  const System system = state_->system;
  const int pid = system.process.spawn(
      {command.program, command.arguments, command.environment, command.directory, input, output, errors, command.nice});
  if (pid < 0)
    state_->result.code = pid;
  else
    state_->children.emplace_back(system, pid);
  return pid >= 0;
}

RunningCommand::~RunningCommand() = default;
RunningCommand::RunningCommand(RunningCommand&&) noexcept = default;

CommandResult RunningCommand::wait(Deadline deadline, CancelFlag cancel) {
  CommandResult& result = state_->result;
  if (state_->children.empty()) return std::move(result);
  Output& output = *state_->output;

  microseconds nap = kFirstNap;
  for (;;) {
    const bool stop = cancelled(cancel);
    const Deadline now = state_->system.process.now();
    if (stop || now >= deadline || state_->reader_is_stuck(now)) {
      state_->stop();
      result.end = stop ? CommandResult::End::kCancelled : CommandResult::End::kTimedOut;
      return std::move(result);
    }
    if (output.open()) {
      const auto left = std::chrono::ceil<milliseconds>(deadline - now);
      if (output.take(std::min(left, kPollStep))) continue;
      // The children have ended, but a grandchild still has the pipe open. harp does not wait for it.
      if (output.open() && state_->all_ended()) break;
    } else {
      if (state_->all_ended()) break;
      state_->system.process.sleep(nap);
      nap = std::min<microseconds>(nap * 2, kPollStep);
    }
  }
  if (output.open()) state_->kill();  // kill the grandchildren
  state_->reap();
  return std::move(result);
}

CommandResult run_command(System system, const Command& command, Deadline deadline, CancelFlag cancel) {
  return RunningCommand(system, command).wait(deadline, cancel);
}

bool CommandResult::lacked_resources() const {
  return end == End::kNotStarted && (code == -EMFILE || code == -ENFILE || code == -ENOMEM || code == -EAGAIN);
}

std::string describe_end(const CommandResult& result) {
  using End = CommandResult::End;
  switch (result.end) {
    case End::kExited: return cat("exit status ", result.code);
    case End::kSignalled: {
#if defined(__GLIBC__)
      const char* name = ::sigdescr_np(result.code);
#else
      const char* name = ::strsignal(result.code);
#endif
      return cat("killed by signal ", result.code, " (", name != nullptr ? name : "unknown", ")");
    }
    case End::kUnknown: return "its exit status was collected by another part of the host program";
    case End::kTimedOut: return "it exceeded its time limit and was stopped";
    case End::kCancelled: return "cancelled";
    case End::kNotStarted: return cat("it could not be started: ", error_text(result.code));
  }
  return "unknown end";
}

}  // namespace harp
