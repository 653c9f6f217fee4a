// Parses the output of gcc's driver for the option -###. It consists of a banner (as for --version -v) and one line for each command. Such
// a line begins with a space and is quoted as for a shell. Between these lines, lines of the form NAME=value give the environment that the
// driver would set.
#include "compile/driver_commands.h"

#include <algorithm>

#include "base/text.h"
#include "compile/compiler_command.h"

namespace harp {
namespace {

using Words = DriverCommands::Words;

constexpr const char* kNoSource = "/dev/null";  // an existing file: when asked for its commands, the driver checks that the source exists

std::vector<std::string> pieces(std::string_view text, char separator) {
  std::vector<std::string> result;
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find(separator, begin), text.size());
    result.emplace_back(text.substr(begin, end - begin));
  }
  return result;
}

bool is_called(const Words& command, std::string_view name) {
  const std::string_view program = command.front();
  return program.substr(program.find_last_of('/') + 1) == name;
}

/// Returns the file that a command writes (the word after -o); empty if there is none.
std::string output_of(const Words& command) {
  const auto at = std::find(command.begin(), command.end(), "-o");
  return at == command.end() || at + 1 == command.end() ? std::string() : at[1];
}

/// Renames an intermediate file in `maker`, the command that writes it, and in `reader`, the command that reads it. Returns false if the
/// file does not occur exactly once in each.
bool rename_file(const std::string& from, const char* to, Words& maker, Words& reader) {
  for (Words* words : {&maker, &reader}) {
    if (from.empty() || std::count(words->begin(), words->end(), from) != 1) return false;
    std::replace(words->begin(), words->end(), from, std::string(to));
  }
  return true;
}

/// Removes the linker plug-in for link-time optimisation from the link command, because harp never uses it.
void drop_plugin(Words& link) {
  std::erase_if(link, [](const std::string& word) { return word.starts_with("-plugin-opt="); });
  if (const auto at = std::find(link.begin(), link.end(), "-plugin"); at != link.end() && at + 1 != link.end()) link.erase(at, at + 2);
}

}  // namespace

std::vector<std::string> driver_question(const std::vector<std::string>& flags, const std::vector<std::string>& fixed) {
  std::vector<std::string> words = {"-###"};
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), fixed.begin(), fixed.end());
  words.insert(words.end(), {"-o", DriverCommands::kOutput, "-x", "c", kNoSource});
  return words;
}

std::optional<DriverCommands> parse_driver_commands(std::string_view answer, const std::vector<std::string>& flags) {
  constexpr std::string_view kDirectories = "COMPILER_PATH=";
  DriverCommands result{};
  std::vector<Words> commands;
  for (const std::string& line : pieces(answer, '\n')) {
    if (line.starts_with(kDirectories)) result.directories = pieces(std::string_view(line).substr(kDirectories.size()), ':');
    if (!line.starts_with(' ')) continue;
    std::optional<Words> words = split_command(line);
    if (!words || words->empty()) return std::nullopt;
    commands.push_back(std::move(*words));
  }
  if (commands.size() != 3) return std::nullopt;
  result.compile = std::move(commands[0]), result.assemble = std::move(commands[1]), result.link = std::move(commands[2]);
  if (!is_called(result.compile, "cc1") || !is_called(result.assemble, "as") || !is_called(result.link, "collect2")) return std::nullopt;

  const std::string assembly = output_of(result.compile), object = output_of(result.assemble);
  if (!rename_file(assembly, DriverCommands::kAssembly, result.compile, result.assemble) ||
      !rename_file(object, DriverCommands::kObject, result.assemble, result.link) || output_of(result.link) != DriverCommands::kOutput ||
      std::count(result.compile.begin(), result.compile.end(), kNoSource) != 1)
    return std::nullopt;
  std::replace(result.compile.begin(), result.compile.end(), std::string(kNoSource), std::string(DriverCommands::kSource));
  drop_plugin(result.link);
  result.link.front() = "ld";

  for (const std::string& flag : flags) {
    const auto at = std::find(result.compile.begin(), result.compile.end(), flag);
    if (at == result.compile.end()) return std::nullopt;
    result.compile.erase(at);
  }
  return result;
}

Words replaced(const Words& words, std::string_view from, const std::vector<std::string>& to) {
  Words result;
  for (const std::string& word : words) {
    if (word == from)
      result.insert(result.end(), to.begin(), to.end());
    else
      result.push_back(word);
  }
  return result;
}

}  // namespace harp
