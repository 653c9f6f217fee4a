#include "fuzz/isolated.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <list>
#include <optional>
#include <stdexcept>

#include "base/text.h"

namespace harp::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

/// A message from a child process. Job `number` has failed or, if the verdict is kPass, is about to start another stage.
struct Message {
  uint64_t number;
  uint8_t is_failure;
  Verdict verdict;
  uint32_t text_size;
};

class PipeProgress final : public Progress {
 public:
  PipeProgress(int fd, std::span<const uint64_t> numbers) : fd_(fd), numbers_(numbers) {}
  void begin(size_t index, std::string_view stage) override { send({numbers_[index], 0, Verdict::kPass, 0}, stage); }
  void fail(size_t index, const Outcome& result) override { send({numbers_[index], 1, result.verdict, 0}, result.message); }

  void send(Message message, std::string_view text) {
    text = text.substr(0, 20'000);
    message.text_size = static_cast<uint32_t>(text.size());
    std::string bytes(sizeof message, '\0');
    std::memcpy(bytes.data(), &message, sizeof message);
    bytes += text;
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t n = write(fd_, bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) _exit(3);  // the parent process has ended, so nobody can read the results
      done += static_cast<size_t>(n);
    }
  }

 private:
  int fd_;
  std::span<const uint64_t> numbers_;
};

/// Checks the jobs in the child process, sends the results through `fd`, and exits.
[[noreturn]] void run_child(int fd, std::span<const uint64_t> numbers, const MakeJob& make_job, bool with_cache) {
  PipeProgress progress(fd, numbers);
  std::vector<Job> jobs;
  std::vector<uint64_t> made;
  for (size_t i = 0; i < numbers.size(); ++i) {
    progress.begin(i, "building");
    try {
      jobs.push_back(make_job(numbers[i]));
      made.push_back(numbers[i]);
    } catch (const std::exception& error) {
      progress.fail(i, {Verdict::kPipeline, cat("building: ", error.what())});
    }
  }
  PipeProgress checking(fd, made);
  try {
    check_jobs(jobs, checking, with_cache);
    // The error need not be the fault of one job: the artifact may fail to load, or memory may run out.
  } catch (const std::exception& error) {
    std::fprintf(stderr, "batch: %s\n", error.what());
    _exit(2);
  }
  _exit(0);
}

/// A running child, and the state of its jobs.
struct Batch {
  std::vector<uint64_t> numbers;
  pid_t pid = -1;
  int fd = -1;
  Clock::time_point deadline;
  std::string received;
  std::optional<uint64_t> current;
  std::string stage;
  std::vector<uint64_t> failed;
};

class Runner {
 public:
  Runner(const MakeJob& make_job, const Report& report, const IsolationOptions& options)
      : make_job_(make_job), report_(report), options_(options) {}

  void run(const std::vector<std::vector<uint64_t>>& batches) {
    waiting_.assign(batches.begin(), batches.end());
    while (!waiting_.empty() || !running_.empty()) {
      while (!waiting_.empty() && running_.size() < static_cast<size_t>(std::max(1, options_.processes))) {
        start(std::move(waiting_.front()));
        waiting_.pop_front();
      }
      if (!running_.empty()) wait();
    }
  }

 private:
  void start(std::vector<uint64_t> numbers) {
    if (numbers.empty()) return;
    int fds[2];
    if (pipe(fds) != 0) throw std::runtime_error("pipe failed");
    std::fflush(nullptr);  // otherwise the child would inherit the buffered output and print it again
    const pid_t pid = fork();
    if (pid < 0) throw std::runtime_error("fork failed");
    if (pid == 0) {
      close(fds[0]);
      setpgid(0, 0);
      for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) ::signal(signal, SIG_DFL);
      run_child(fds[1], numbers, make_job_, options_.with_cache);
    }
    close(fds[1]);
    setpgid(pid, pid);
    running_.push_back({std::move(numbers), pid, fds[0], Clock::now() + options_.batch_timeout, {}, {}, {}, {}});
  }

  void wait() {
    std::vector<pollfd> fds;
    Clock::time_point first = Clock::time_point::max();
    for (const Batch& batch : running_) {
      fds.push_back({batch.fd, POLLIN, 0});
      first = std::min(first, batch.deadline);
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(first - Clock::now()).count();
    poll(fds.data(), fds.size(), static_cast<int>(std::clamp<int64_t>(left + 1, 0, 60'000)));
    size_t i = 0;
    for (auto batch = running_.begin(); batch != running_.end();) {
      const bool readable = (fds[i++].revents & (POLLIN | POLLHUP)) != 0;
      bool done = false;
      if (readable) done = !receive(*batch);
      if (!done && Clock::now() >= batch->deadline) {
        kill(-batch->pid, SIGKILL);
        finish(*batch, true);
        batch = running_.erase(batch);
      } else if (done) {
        finish(*batch, false);
        batch = running_.erase(batch);
      } else {
        ++batch;
      }
    }
  }

  /// Reads messages of the child process and reports the failures in them. Returns false if the child has closed the pipe or reading fails.
  bool receive(Batch& batch) {
    char buffer[1 << 16];
    const ssize_t n = read(batch.fd, buffer, sizeof buffer);
    if (n < 0) return errno == EINTR;
    if (n == 0) return false;
    batch.received.append(buffer, static_cast<size_t>(n));
    size_t at = 0;
    while (batch.received.size() - at >= sizeof(Message)) {
      Message message;
      std::memcpy(&message, batch.received.data() + at, sizeof message);
      if (batch.received.size() - at - sizeof message < message.text_size) break;
      const std::string text = batch.received.substr(at + sizeof message, message.text_size);
      at += sizeof message + message.text_size;
      if (message.is_failure != 0) {
        batch.failed.push_back(message.number);
        report_(message.number, {message.verdict, text});
      } else {
        batch.current = message.number;
        batch.stage = text;
      }
    }
    batch.received.erase(0, at);
    return true;
  }

  void finish(Batch& batch, bool timed_out) {
    close(batch.fd);
    int status = 0;
    while (waitpid(batch.pid, &status, 0) < 0 && errno == EINTR) {
    }
    const auto has_failed = [&](uint64_t number) {
      return std::find(batch.failed.begin(), batch.failed.end(), number) != batch.failed.end();
    };
    const bool died = timed_out || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    std::vector<uint64_t> again;
    for (const uint64_t number : batch.numbers) {
      if (has_failed(number)) continue;
      if (!died) {
        report_(number, {});
      } else if (batch.current == number || batch.numbers.size() == 1) {
        const std::string how = timed_out             ? cat("longer than ", options_.batch_timeout.count(), " s")
                                : WIFSIGNALED(status) ? std::string(strsignal(WTERMSIG(status)))
                                                      : cat("exit status ", WEXITSTATUS(status));
        report_(number, {timed_out ? Verdict::kTimeout : Verdict::kCrash, cat(how, " in ", batch.stage)});
      } else {
        again.push_back(number);
      }
    }
    if (!again.empty()) waiting_.push_back(std::move(again));
  }

  const MakeJob& make_job_;
  const Report& report_;
  IsolationOptions options_;
  std::list<std::vector<uint64_t>> waiting_;
  std::list<Batch> running_;
};

}  // namespace

void check_isolated(const std::vector<std::vector<uint64_t>>& batches, const MakeJob& make_job, const Report& report,
                    const IsolationOptions& options) {
  Runner(make_job, report, options).run(batches);
}

std::vector<Outcome> check_isolated(std::span<const Job> jobs, const IsolationOptions& options) {
  std::vector<Outcome> results(jobs.size());
  std::vector<uint64_t> numbers;
  for (size_t i = 0; i < jobs.size(); ++i) numbers.push_back(i);
  check_isolated(
      {numbers}, [&](uint64_t i) { return jobs[i]; }, [&](uint64_t i, const Outcome& result) { results[i] = result; }, options);
  return results;
}

}  // namespace harp::fuzz
