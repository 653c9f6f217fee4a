// Splits and quotes command lines, looks up programs on PATH, and makes the environment of compiler processes.
#include "compile/compiler_command.h"

#include <fcntl.h>

#include "base/text.h"

namespace harp {
namespace {

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-_=./+,:@%^").find(c) != std::string_view::npos;
}

/// True if the path refers to an executable regular file.
bool is_program(FileSystem& files, const std::string& path) {
  FileInfo info;
  return files.executable(path.c_str()) >= 0 && files.stat_at(AT_FDCWD, path.c_str(), true, info) >= 0 &&
         info.kind == FileInfo::Kind::kFile;
}

}  // namespace

std::optional<std::vector<std::string>> split_command(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else if (quote == '"' && c == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\'))
        word += text[++i];
      else
        word += c;
    } else if (is_space(c)) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      in_word = true;
      if (c == '\'' || c == '"')
        quote = c;
      else if (c == '\\' && i + 1 < text.size())
        word += text[++i];
      else
        word += c;
    }
  }
  if (quote != 0) return std::nullopt;
  if (in_word) words.push_back(std::move(word));
  return words;
}

std::string quote_command(const std::vector<std::string>& words) {
  return join(words, " ", [](const std::string& word) {
    bool plain = !word.empty();
    for (const char c : word) plain = plain && is_plain(c);
    if (plain) return word;
    std::string quoted = "'";
    for (const char c : word) {
      if (c == '\'')
        quoted += "'\\''";
      else
        quoted += c;
    }
    return quoted + "'";
  });
}

std::vector<CommandCandidate> c_compiler_candidates(Process& process, const std::string& option) {
  if (!option.empty()) return {{"option", option, true}};
  if (auto own = process.environment("HARP_CC"); own && !own->empty()) return {{"HARP_CC", std::move(*own), true}};
  std::vector<CommandCandidate> candidates;
  if (auto cc = process.environment("CC"); cc && !cc->empty()) candidates.push_back({"CC", std::move(*cc)});
  for (const char* name : {"cc", "gcc", "clang"}) candidates.push_back({"PATH", name});
  return candidates;
}

std::optional<std::string> find_program(System system, const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos) {
    std::string path = name;
    if (path.front() != '/') {  // The path is relative to harp's working directory, but the compiler will run in another directory.
      std::string here;
      if (system.files.real_path(".", here) < 0) return std::nullopt;
      path = path_join(here, name);
    }
    if (is_program(system.files, path)) return path;
    return std::nullopt;
  }
  const std::string path = system.process.environment("PATH").value_or(kDefaultPath);
  for (size_t start = 0; start <= path.size();) {
    const size_t end = std::min(path.find(':', start), path.size());
    const std::string_view entry = std::string_view(path).substr(start, end - start);
    if (entry.starts_with('/')) {
      std::string candidate = path_join(entry, name);
      if (is_program(system.files, candidate)) return candidate;
    }
    start = end + 1;
  }
  return std::nullopt;
}

std::vector<std::string> compiler_environment(Process& process) {
  std::vector<std::string> variables = {"LC_ALL=C", "TMPDIR=."};
  variables.push_back(cat("PATH=", process.environment("PATH").value_or(kDefaultPath)));
  for (const char* name : {"HOME", "LD_LIBRARY_PATH"})  // ccache stores files under HOME, and some compilers need LD_LIBRARY_PATH
    if (const auto value = process.environment(name)) variables.push_back(cat(name, "=", *value));
  return variables;
}

}  // namespace harp
