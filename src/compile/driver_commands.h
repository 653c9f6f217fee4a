// What gcc's driver runs for one source: cc1, as, and through collect2 ld. The driver tells it when asked with -###, for one set of flags;
// running the three without it, as beside cc1, makes the same file in less time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harp {

struct DriverCommands {
  using Words = std::vector<std::string>;  // argv, argv[0] as the driver says it: a path, or a name it would look up on PATH

  // The files' names in the commands, relative to where these run.
  static constexpr const char* kSource = "./unit.c";
  static constexpr const char* kAssembly = "-";  // through a pipe: the assembler starts beside the compiler
  static constexpr const char* kObject = "./unit.o";
  static constexpr const char* kOutput = "./unit.so";

  Words compile;                         // kSource to kAssembly, without the flags that were asked about: others go after argv[0]
  Words assemble;                        // kAssembly to kObject
  Words link;                            // kObject to kOutput; argv[0] is "ld"
  std::vector<std::string> directories;  // where ld is looked for, before PATH
};

/// The words after a compiler's name that ask it about `flags`, which vary, and `fixed`, which do not. Nothing is compiled.
std::vector<std::string> driver_question(const std::vector<std::string>& flags, const std::vector<std::string>& fixed);

/// Its answer. Nothing where that is not gcc's way of compiling, or a flag does not go to cc1 word for word: ask the driver to compile,
/// then.
std::optional<DriverCommands> parse_driver_commands(std::string_view answer, const std::vector<std::string>& flags);

/// `words` with `to`, one after the other, in place of the word `from`.
DriverCommands::Words replaced(const DriverCommands::Words& words, std::string_view from, const std::vector<std::string>& to);

}  // namespace harp
