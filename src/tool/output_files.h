// Files that the program `harp` writes. It writes new files first and renames them at the end, so that an error while writing leaves all
// old files unchanged. Two kinds of paths are special: a path that is not a regular file (a device, a pipe) is written directly, and if the
// path is a symbolic link, the link's target is replaced.
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
  /// Deletes the new files that publish() has not renamed.
  ~OutputFiles();

  /// Returns the path to write to: that of a new, empty file in the same folder as the target of `path`. Returns `path` itself if it is not
  /// a regular file, or if it is a link whose target does not exist.
  std::string begin(const std::string& path);
  /// Renames every new file to its target.
  void publish();

 private:
  struct Part {
    std::string written, target, path;  // written: the new file; target: the file that it replaces; path: the path that the user gave
  };
  std::vector<Part> parts_;
};

/// Throws a Failure with the message "cannot WHAT PATH: " and the text of errno.
[[noreturn]] void fail_on_file(const char* what, const std::string& path);

/// Returns the content of a text file; the path "-" means stdin. Accepts pipes and terminals, but rejects a device such as /dev/zero, whose
/// content has no end.
std::string read_file(const std::string& path);
/// Writes one text file; the path "-" means stdout.
void write_file(const std::string& path, const std::string& text);

}  // namespace harp::tool
