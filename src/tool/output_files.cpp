#include "tool/output_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "tool/handles.h"

namespace harp::tool {

namespace {

constexpr int kNameAttempts = 100;
constexpr size_t kMaxText = size_t{1} << 30;  // maximum number of bytes to read: a pipe may never end

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
struct Releases {
  void operator()(char* memory) const { std::free(memory); }
};

}  // namespace

void fail_on_file(const char* what, const std::string& path) {
  throw Failure{std::string("cannot ") + what + " " + path + ": " + std::strerror(errno)};
}

OutputFiles::~OutputFiles() {
  for (const Part& part : parts_) std::remove(part.written.c_str());
}

std::string OutputFiles::begin(const std::string& path) {
  struct stat named {
  }, itself{};
  const bool exists = stat(path.c_str(), &named) == 0;
  const bool leads_nowhere = !exists && lstat(path.c_str(), &itself) == 0;  // true for a symbolic link whose target does not exist
  if (leads_nowhere || (exists && !S_ISREG(named.st_mode))) return path;

  std::string target = path;
  if (exists) {
    const std::unique_ptr<char, Releases> resolved(realpath(path.c_str(), nullptr));
    if (resolved == nullptr) fail_on_file("write", path);
    target = resolved.get();
  }
  const mode_t mode = exists ? named.st_mode & 0777 : 0666;  // the new file gets the permissions of the file that it replaces
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    std::string written = target + "." + std::to_string(getpid()) + "-" + std::to_string(attempt) + ".new";
    const int fd = open(written.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0 && errno == EEXIST) continue;
    if (fd < 0) break;
    close(fd);
    return parts_.emplace_back(Part{std::move(written), std::move(target), path}).written;
  }
  fail_on_file("write", path);
}

void OutputFiles::publish() {
  while (!parts_.empty()) {
    const Part& part = parts_.back();
    if (std::rename(part.written.c_str(), part.target.c_str()) != 0) fail_on_file("write", part.path);
    parts_.pop_back();
  }
}

std::string read_file(const std::string& path) {
  std::unique_ptr<std::FILE, Closer> opened(path == "-" ? nullptr : std::fopen(path.c_str(), "rb"));
  if (path != "-" && opened == nullptr) fail_on_file("open", path);
  std::FILE* file = path == "-" ? stdin : opened.get();
  const std::string name = path == "-" ? "stdin" : path;
  const auto check_size = [&](uint64_t bytes) {
    if (bytes > kMaxText) throw Failure{"cannot read " + name + ": it has more than 1 GiB, the limit for text files"};
  };
  struct stat info {};
  if (fstat(fileno(file), &info) != 0) fail_on_file("read", name);
  const bool is_terminal = isatty(fileno(file)) == 1;
  if ((S_ISCHR(info.st_mode) && !is_terminal) || S_ISBLK(info.st_mode))
    throw Failure{"cannot read " + name + ": it is a device, expected a text file, a pipe or a terminal"};
  if (S_ISREG(info.st_mode)) check_size(static_cast<uint64_t>(info.st_size));
  std::string text;
  char chunk[1 << 16];
  while (const size_t got = std::fread(chunk, 1, sizeof chunk, file)) {
    check_size(text.size() + got);
    text.append(chunk, got);
  }
  if (std::ferror(file)) fail_on_file("read", name);
  return text;
}

void write_file(const std::string& path, const std::string& text) {
  OutputFiles files;
  std::unique_ptr<std::FILE, Closer> opened;
  if (path != "-") {
    opened.reset(std::fopen(files.begin(path).c_str(), "wb"));
    if (opened == nullptr) fail_on_file("write", path);
  }
  std::FILE* file = path == "-" ? stdout : opened.get();
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fflush(file) != 0)
    fail_on_file("write", path == "-" ? "stdout" : path);
  // On a network file system a write may fail only when the file is closed.
  if (opened != nullptr && std::fclose(opened.release()) != 0) fail_on_file("write", path);
  files.publish();
}

}  // namespace harp::tool
