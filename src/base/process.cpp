// RealProcess: the system calls about processes. Children are started by posix_spawn with every attribute set explicitly. Each wait names a
// single process id, so children of the host are never reaped.
#include "base/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace harp {
namespace {

/// Owns the two posix_spawn structures. note() keeps the first error of the setters, so one check after the last setter is enough.
struct SpawnSetup {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = 0;

  SpawnSetup() {
    note(posix_spawn_file_actions_init(&actions));
    note(posix_spawnattr_init(&attributes));
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  void note(int result) {
    if (error == 0) error = result;
  }
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

}  // namespace

int RealProcess::spawn(const SpawnRequest& request) {
  SpawnSetup setup;
  if (request.directory >= 0) setup.note(posix_spawn_file_actions_addfchdir_np(&setup.actions, request.directory));
  if (request.input >= 0)
    setup.note(posix_spawn_file_actions_adddup2(&setup.actions, request.input, 0));
  else
    setup.note(posix_spawn_file_actions_addopen(&setup.actions, 0, "/dev/null", O_RDONLY, 0));
  const int errors = request.errors >= 0 ? request.errors : request.output;
  if (request.output >= 0) setup.note(posix_spawn_file_actions_adddup2(&setup.actions, request.output, 1));
  if (errors >= 0) setup.note(posix_spawn_file_actions_adddup2(&setup.actions, errors, 2));
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  setup.note(posix_spawn_file_actions_addclosefrom_np(&setup.actions, 3));  // The child must not inherit the host's descriptors.
#endif
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  setup.note(posix_spawnattr_setflags(&setup.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  setup.note(posix_spawnattr_setpgroup(&setup.attributes, 0));
  setup.note(posix_spawnattr_setsigmask(&setup.attributes, &none));
  setup.note(posix_spawnattr_setsigdefault(&setup.attributes, &all));
  if (setup.error != 0) return -setup.error;

  const std::vector<char*> arguments = pointers(request.arguments);
  const std::vector<char*> environment = pointers(request.environment);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, request.program.c_str(), &setup.actions, &setup.attributes, arguments.data(), environment.data());
  if (error != 0) return -error;
  // The nice value is set for the whole process group, since the child may have children already. A failure is ignored.
  if (request.nice > 0) {
    errno = 0;
    const int ours = ::getpriority(PRIO_PROCESS, 0);
    if (errno == 0) ::setpriority(PRIO_PGRP, static_cast<id_t>(pid), ours + request.nice);
  }
  return pid;
}

int RealProcess::has_ended(int pid) {
  siginfo_t info = {};
  if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return errno == EINTR ? 0 : -errno;
  return info.si_pid == pid ? 1 : 0;
}

int RealProcess::reap(int pid, ChildStatus& status) {
  int raw = 0;
  while (::waitpid(pid, &raw, 0) < 0)
    if (errno != EINTR) return -errno;
  status.exited = WIFEXITED(raw);
  status.code = status.exited ? WEXITSTATUS(raw) : WTERMSIG(raw);
  return 0;
}

int RealProcess::kill_group(int pid) { return ::kill(-pid, SIGKILL) == 0 ? 0 : -errno; }

int RealProcess::pipe(int& read_end, int& write_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -errno;
  // If the host has closed descriptor 0, 1 or 2, an end of the pipe may get that number. The dup2 calls that set up a child's standard
  // descriptors would then overwrite it.
  for (int& end : ends) end = beyond_standard(end);
  if (const int error = std::min(ends[0], ends[1]); error < 0) {
    for (const int end : ends)
      if (end >= 0) ::close(end);
    return error;
  }
  read_end = ends[0];
  write_end = ends[1];
  return 0;
}

int RealProcess::poll(int fd, int milliseconds) {
  pollfd entry = {fd, POLLIN, 0};
  const int ready = ::poll(&entry, 1, milliseconds);
  if (ready < 0) return errno == EINTR ? 0 : -errno;
  return ready;
}

void RealProcess::sleep(std::chrono::microseconds duration) {
  const auto count = duration.count();
  const timespec time = {static_cast<time_t>(count / 1'000'000), static_cast<long>(count % 1'000'000 * 1000)};
  ::nanosleep(&time, nullptr);
}

Deadline RealProcess::now() { return Clock::now(); }

std::optional<std::string> RealProcess::environment(const char* name) {
  const char* value = ::secure_getenv(name);  // NULL under AT_SECURE (setuid and similar programs)
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

int RealProcess::id() { return ::getpid(); }

uint32_t RealProcess::effective_user() { return ::geteuid(); }

size_t RealProcess::processors() {
  cpu_set_t allowed;
  // sched_getaffinity fails if the machine has more CPUs than cpu_set_t can represent.
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return static_cast<size_t>(std::max(1, CPU_COUNT(&allowed)));
}

uint64_t RealProcess::random() {
  uint64_t value = 0;
  if (::getrandom(&value, sizeof value, GRND_NONBLOCK) == static_cast<ssize_t>(sizeof value)) return value;
  // The kernel has no entropy yet (early in the boot), so the random number is made from the time and the process id. It is used in names
  // of new directories; if a directory of that name exists, mkdir fails and the caller tries another name.
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  value = static_cast<uint64_t>(now.tv_nsec) ^ static_cast<uint64_t>(now.tv_sec) << 30 ^ static_cast<uint64_t>(::getpid()) << 44;
  return value * 0x9e3779b97f4a7c15u;
}

void* RealProcess::open_library(const char* path, std::string& error) {
  void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* text = ::dlerror();
    error = text != nullptr ? text : "dlopen failed without giving a reason";
  }
  return library;
}

void* RealProcess::find_symbol(void* library, const char* name) { return ::dlsym(library, name); }

void RealProcess::close_library(void* library) { ::dlclose(library); }

}  // namespace harp
