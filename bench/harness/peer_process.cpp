// Starts another program (peer) that does the same work as harp, sends it requests, and ends it.
#include "bench/harness/peer_process.h"

#include <sched.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "bench/peers/served.h"

namespace bench {
namespace {

/// Returns the environment variables of another program (peer) with which harp is compared. They set the number of threads of each library,
/// and make malloc keep freed memory in the process, so that allocating a large result does not take the time for new pages every time.
std::vector<std::string> settings(int threads) {
  const std::string count = std::to_string(threads);
  return {"OPENBLAS_NUM_THREADS=" + count, "OMP_NUM_THREADS=" + count, "HARP_BENCH_THREADS=" + count, "MALLOC_MMAP_MAX_=0",
          "MALLOC_TRIM_THRESHOLD_=4294967296"};
}

/// Tests whether an environment variable configures a library of another program (peer) with which harp is compared, for example the CPU
/// that the library assumes (OPENBLAS_CORETYPE) or its number of threads. Such variables are removed, so that a peer is measured with its
/// defaults.
bool is_for_a_peer(std::string_view variable) {
  static constexpr std::string_view kPrefixes[] = {"OPENBLAS_", "OMP_", "KMP_", "MKL_", "DNNL_", "ONEDNN_", "ATEN_", "NPY_"};
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return variable.starts_with(prefix); });
}

// The greatest accepted difference between the results of harp and of another program (peer) that does the same work, relative to the root
// mean square of the result. It is far above rounding errors; a greater difference means that the peer computes something else.
constexpr double kTolerance = 1e-4;

}  // namespace

std::unique_ptr<PeerProcess> PeerProcess::start(const Session& session, const std::string& name, const std::vector<std::string>& arguments,
                                                int threads) {
  std::string program = session.peers_directory + "/harp_bench_" + name;
  if (!std::filesystem::exists(program)) return nullptr;
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv, environment;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!is_for_a_peer(*variable)) environment.push_back(*variable);
  std::vector<std::string> own = settings(threads);
  for (std::string& variable : own) environment.insert(environment.begin(), variable.data());
  environment.push_back(nullptr);

  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) throw std::runtime_error("cannot create a socket pair for a peer");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, sockets[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, sockets[1], STDOUT_FILENO);
  pid_t process = 0;
  const int failed = posix_spawn(&process, program.c_str(), &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(sockets[1]);
  if (failed != 0) {
    close(sockets[0]);
    throw std::runtime_error("cannot start " + program + ": " + std::strerror(failed));
  }
  std::unique_ptr<PeerProcess> peer(new PeerProcess(program, process, sockets[0], threads));
  if (peer->answer() == "ready") return peer;
  int status = 0;
  waitpid(process, &status, 0);
  peer->process_ = 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotInstalled) return nullptr;
  throw std::runtime_error(program + " failed before it was ready");
}

PeerProcess::PeerProcess(std::string name, pid_t process, int socket, int threads)
    : name_(std::move(name)), process_(process), socket_(socket), threads_(threads) {}

PeerProcess::~PeerProcess() {
  close(socket_);  // the other program exits when its input ends
  if (process_ != 0) waitpid(process_, nullptr, 0);
}

void PeerProcess::tell(const std::string& line) {
  if (send(socket_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
    throw std::runtime_error(name_ + " has exited");
}

/// Returns the next line that the other program has written, or "" if it has ended.
std::string PeerProcess::answer() {
  size_t end = 0;
  while ((end = received_.find('\n')) == std::string::npos) {
    char text[4096];
    const ssize_t size = recv(socket_, text, sizeof text, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return "";
    received_.append(text, static_cast<size_t>(size));
  }
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

double PeerProcess::answered_number() {
  const std::string line = answer();
  if (line.empty()) throw std::runtime_error(name_ + " exited without an answer");
  return std::stod(line);
}

bool PeerProcess::select(const std::string& arguments) {
  tell("work " + arguments + "\n");
  const std::string found = answer();
  if (found != "ready" && found != "absent") throw std::runtime_error(name_ + " failed to prepare " + arguments);
  return found == "ready";
}

Candidate PeerProcess::candidate() {
  return [this](size_t repeats) {
    tell("run " + std::to_string(repeats) + " " + std::to_string(threads_ == 1 ? sched_getcpu() : -1) + "\n");
    return answered_number();
  };
}

template <class T>
void PeerProcess::check_elements(const std::string& row, std::span<const T> result) {
  tell("run 1 -1\nsample\n");
  answered_number();
  if (const double size = answered_number(); size != static_cast<double>(result.size()))
    throw std::runtime_error(row + ": " + name_ + " returned " + std::to_string(static_cast<size_t>(size)) + " elements, expected " +
                             std::to_string(result.size()));
  const std::vector<size_t> indices = sampled(result.size());
  std::vector<double> expected;
  double squares = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    expected.push_back(answered_number());
    squares += expected.back() * expected.back();
  }
  const double tolerance = kTolerance * std::sqrt(squares / static_cast<double>(indices.size()));
  for (size_t i = 0; i < indices.size(); ++i)
    if (!(std::fabs(static_cast<double>(result[indices[i]]) - expected[i]) <= tolerance))
      throw std::runtime_error(row + ": element " + std::to_string(indices[i]) + " is " + std::to_string(result[indices[i]]) +
                               "; the peer has " + std::to_string(expected[i]));
}

void PeerProcess::check(const std::string& row, std::span<const float> result) { check_elements(row, result); }
void PeerProcess::check(const std::string& row, std::span<const double> result) { check_elements(row, result); }
void PeerProcess::check(const std::string& row, std::span<const int32_t> result) { check_elements(row, result); }

}  // namespace bench
