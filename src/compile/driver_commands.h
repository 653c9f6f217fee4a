// Finds the commands that gcc's driver runs for one source: `cc1`, `as`, and `collect2`, which runs `ld`. Called with -###, the driver
// prints these commands for given flags. Running `cc1`, `as` and `ld` directly, with `as` in parallel to `cc1`, makes the same file in less
// time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harp {

struct DriverCommands {
  // The words of a command (argv). argv[0] is a path, or a name to look up on PATH.
  using Words = std::vector<std::string>;

  // The names of files in the commands, relative to the working directory.
  static constexpr const char* kSource = "./unit.c";
  static constexpr const char* kAssembly = "-";  // "-" means a pipe from `cc1` to `as`, so that both run in parallel
  static constexpr const char* kObject = "./unit.o";
  static constexpr const char* kOutput = "./unit.so";

  // Compiles kSource to kAssembly. The flags that vary between requests have been removed from the command; the caller inserts those of its
  // request after argv[0].
  Words compile;
  Words assemble;                        // assembles kAssembly to kObject
  Words link;                            // links kObject to kOutput; argv[0] is "ld"
  std::vector<std::string> directories;  // directories in which to look for ld before PATH
};

/// Returns arguments that make a compiler driver print its commands without running them. `flags` are the flags that vary between requests,
/// `fixed` those that do not.
std::vector<std::string> driver_question(const std::vector<std::string>& flags, const std::vector<std::string>& fixed);

/// Parses what the driver has printed. Returns nothing if the commands are not those of gcc, or if one of `flags` does not occur verbatim
/// in the command of cc1; the caller then uses the driver itself.
std::optional<DriverCommands> parse_driver_commands(std::string_view answer, const std::vector<std::string>& flags);

/// Returns `words` with the word `from` replaced by the words `to`.
DriverCommands::Words replaced(const DriverCommands::Words& words, std::string_view from, const std::vector<std::string>& to);

}  // namespace harp
