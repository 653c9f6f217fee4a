// The programs that gcc's driver runs for one source: cc1, as, and ld through collect2. The driver prints their commands for a set of flags
// when called with -###. Running the three directly, with as in parallel to cc1, makes the same file in less time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harp {

struct DriverCommands {
  // argv. argv[0] is as the driver prints it: a path, or a name to look up on PATH.
  using Words = std::vector<std::string>;

  // Names of files in the commands, relative to the working directory.
  static constexpr const char* kSource = "./unit.c";
  static constexpr const char* kAssembly = "-";  // a pipe, so the assembler runs in parallel with the compiler
  static constexpr const char* kObject = "./unit.o";
  static constexpr const char* kOutput = "./unit.so";

  Words compile;   // compiles kSource to kAssembly; without the varying flags of the question: the caller inserts its own after argv[0]
  Words assemble;  // assembles kAssembly to kObject
  Words link;      // links kObject to kOutput; argv[0] is "ld"
  std::vector<std::string> directories;  // directories to search for ld before PATH
};

/// Arguments that make a compiler print its commands for the flags `flags` (which vary) and `fixed` (which do not), without compiling.
std::vector<std::string> driver_question(const std::vector<std::string>& flags, const std::vector<std::string>& fixed);

/// Parses the answer. Returns nothing if the commands are not those of gcc, or if a flag is not passed to cc1 verbatim; then use the driver
/// itself.
std::optional<DriverCommands> parse_driver_commands(std::string_view answer, const std::vector<std::string>& flags);

/// Returns `words` with the word `from` replaced by the words `to`.
DriverCommands::Words replaced(const DriverCommands::Words& words, std::string_view from, const std::vector<std::string>& to);

}  // namespace harp
