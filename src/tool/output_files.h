// Files the tool writes. They appear whole and together, or not at all; what is no regular file (a device, a pipe) is written where it
// is, and a symbolic link stays one: the file it names is what gets written.
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
  /// Removes what was not published.
  ~OutputFiles();

  /// Where to write what `path` shall hold: a new, empty file beside the file that `path` names, or `path` itself if that is no regular
  /// file (or a link to a file that is not there yet).
  std::string begin(const std::string& path);
  /// Every new file takes the place of the one it is for.
  void publish();

 private:
  struct Part {
    std::string written, target, path;  // the new file, the one it replaces, and what the user called that
  };
  std::vector<Part> parts_;
};

/// "cannot write PATH: " and what errno says, as a Failure.
[[noreturn]] void fail_on_file(const char* what, const std::string& path);

/// Contents of a text file, or of stdin for "-"; of a pipe or a terminal, too, not of a device such as /dev/zero, which has no end.
std::string read_file(const std::string& path);
/// One text file; "-" is stdout.
void write_file(const std::string& path, const std::string& text);

}  // namespace harp::tool
