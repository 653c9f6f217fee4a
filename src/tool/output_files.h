// Files that the tool writes. Either all of them appear with their full content, or none does. A path that is no regular file (a device, a
// pipe) is written directly. A symbolic link is kept: its target is replaced.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace harp::tool {

class OutputFiles {
 public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  /// Deletes the files that were not published.
  ~OutputFiles();

  /// Returns the path to write to. It is a new, empty file in the same folder as the target of `path`. It is `path` itself if that is no
  /// regular file, or is a link whose target does not exist.
  std::string begin(const std::string& path);
  /// Renames every new file to its target.
  void publish();

 private:
  struct Part {
    std::string written, target, path;  // the new file; the file that it replaces; that file's path as the user gave it
  };
  std::vector<Part> parts_;
};

/// Throws a Failure with the message "cannot WHAT PATH: " and the text of errno.
[[noreturn]] void fail_on_file(const char* what, const std::string& path);

/// The content of a text file; "-" is stdin. Accepts pipes and terminals; rejects a device such as /dev/zero, which has no end.
std::string read_file(const std::string& path);
/// Writes one text file; "-" is stdout.
void write_file(const std::string& path, const std::string& text);

}  // namespace harp::tool
