// Implements the interface of the operating system for tests: it makes real calls, but has environment variables of its own. It can make
// the n-th call fail, shorten writes, and count calls. Calls for files and calls for processes are numbered together, in the order in which
// they are made.
#pragma once

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>

#include "base/process.h"

/// Which calls fail, and how.
struct FaultPlan {
  int fail_at = -1;           // number of the first call that fails; negative: none
  bool from_then_on = false;  // true: all later calls fail too
  int error = EIO;
  bool short_writes = false;    // true: each call of write writes at most 7 bytes
  bool close_fails_too = true;  // true: a failing close reports the error but closes the descriptor, as Linux does

  std::atomic<int> calls{0};

  /// Counts the next call and returns the error that it must report, or 0.
  int next() {
    const int number = calls++;
    if (fail_at < 0 || number < fail_at) return 0;
    return number == fail_at || from_then_on ? -error : 0;
  }
};

class FaultyFiles : public harp::RealFileSystem {
 public:
  explicit FaultyFiles(FaultPlan& plan) : plan_(plan) {}
  using Real = harp::RealFileSystem;

  int open(int directory, const char* path, int flags, uint32_t mode) override {
    if (const int error = plan_.next()) return error;
    return Real::open(directory, path, flags, mode);
  }
  int close(int fd) override {
    const int error = plan_.next();
    const int result = Real::close(fd);
    return error != 0 && plan_.close_fails_too ? error : result;
  }
  int64_t read(int fd, void* data, size_t size) override {
    if (const int error = plan_.next()) return error;
    return Real::read(fd, data, size);
  }
  int64_t write(int fd, const void* data, size_t size) override {
    if (const int error = plan_.next()) return error;
    return Real::write(fd, data, plan_.short_writes && size > 7 ? 7 : size);
  }
  int sync(int fd) override {
    if (const int error = plan_.next()) return error;
    return Real::sync(fd);
  }
  int stat(int fd, harp::FileInfo& info) override {
    if (const int error = plan_.next()) return error;
    return Real::stat(fd, info);
  }
  int stat_at(int directory, const char* path, bool follow, harp::FileInfo& info) override {
    if (const int error = plan_.next()) return error;
    return Real::stat_at(directory, path, follow, info);
  }
  int make_directory(int directory, const char* path, uint32_t mode) override {
    if (const int error = plan_.next()) return error;
    return Real::make_directory(directory, path, mode);
  }
  int rename(int from_directory, const char* from, int to_directory, const char* to) override {
    if (const int error = plan_.next()) return error;
    return Real::rename(from_directory, from, to_directory, to);
  }
  int unlink(int directory, const char* path) override {
    if (const int error = plan_.next()) return error;
    return Real::unlink(directory, path);
  }
  int remove_directory(int directory, const char* path) override {
    if (const int error = plan_.next()) return error;
    return Real::remove_directory(directory, path);
  }
  int list(int directory, std::vector<std::string>& names) override {
    if (const int error = plan_.next()) return error;
    return Real::list(directory, names);
  }
  int try_lock(int fd) override {
    if (const int error = plan_.next()) return error;
    return Real::try_lock(fd);
  }
  int touch(int fd) override {
    if (const int error = plan_.next()) return error;
    return Real::touch(fd);
  }
  int real_path(const char* path, std::string& resolved) override {
    if (const int error = plan_.next()) return error;
    return Real::real_path(path, resolved);
  }
  int executable(const char* path) override {
    if (const int error = plan_.next()) return error;
    return Real::executable(path);
  }
  int memory_file(const char* name) override {
    if (const int error = plan_.next()) return error;
    return Real::memory_file(name);
  }
  int seal(int fd) override {
    if (const int error = plan_.next()) return error;
    return Real::seal(fd);
  }
  int try_execute(int fd) override {
    if (const int error = plan_.next()) return error;
    return Real::try_execute(fd);
  }

 private:
  FaultPlan& plan_;
};

class FaultyProcess : public harp::RealProcess {
 public:
  explicit FaultyProcess(FaultPlan& plan) : plan_(plan) {}
  using Real = harp::RealProcess;

  /// The environment variables that harp sees in place of those of the real environment.
  std::map<std::string, std::string> variables;
  /// If set, effective_user() returns this value, to simulate another user.
  std::optional<uint32_t> user;

  int spawn(const harp::SpawnRequest& request) override {
    if (const int error = plan_.next()) return error;
    return Real::spawn(request);
  }
  int has_ended(int pid) override {
    if (const int error = plan_.next()) return error;
    return Real::has_ended(pid);
  }
  int reap(int pid, harp::ChildStatus& status) override {
    if (const int error = plan_.next()) return error;
    return Real::reap(pid, status);
  }
  int kill_group(int pid) override {
    const int error = plan_.next();  // the process group is killed even if an error is reported, so that no child remains
    const int result = Real::kill_group(pid);
    return error != 0 ? error : result;
  }
  int pipe(int& read_end, int& write_end) override {
    if (const int error = plan_.next()) return error;
    return Real::pipe(read_end, write_end);
  }
  int poll(int fd, int milliseconds) override {
    if (const int error = plan_.next()) return error;
    return Real::poll(fd, milliseconds);
  }
  std::optional<std::string> environment(const char* name) override {
    const auto at = variables.find(name);
    if (at == variables.end()) return std::nullopt;
    return at->second;
  }
  uint32_t effective_user() override { return user ? *user : Real::effective_user(); }
  void* open_library(const char* path, std::string& error) override {
    if (const int code = plan_.next()) {
      error = std::string("injected: ") + std::string(harp::error_text(code));
      return nullptr;
    }
    return Real::open_library(path, error);
  }

 private:
  FaultPlan& plan_;
};

/// A temporary directory, removed at the end.
class Scratch {
 public:
  Scratch() {
    char name[] = "/tmp/harp-test-XXXXXX";
    if (::mkdtemp(name) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// The operating system of a test: files and processes that share one fault plan, the usual PATH and no HOME.
struct TestSystem {
  FaultPlan plan;
  FaultyFiles files{plan};
  FaultyProcess process{plan};

  TestSystem() { process.variables["PATH"] = "/usr/local/bin:/usr/bin:/bin"; }
  operator harp::System() { return {files, process}; }
};

inline void write_text(const std::string& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

inline std::string read_text(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

/// Writes an executable shell script and returns its path.
inline std::string write_script(const std::string& path, std::string_view body) {
  write_text(path, "#!/bin/sh\n" + std::string(body) + "\n");
  ::chmod(path.c_str(), 0755);
  return path;
}

inline int count_open_files() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

inline std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path)) names.push_back(entry.path().filename().string());
  return names;
}
