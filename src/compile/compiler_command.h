// Finding a C compiler: candidates for the command, the file behind a command, and the environment that it runs in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"

namespace harp {

/// Splits a command like the value of CC: words are separated by white space; '…' and "…" quote it, and \ quotes the next character.
/// Returns nothing if a quote is not closed.
std::optional<std::vector<std::string>> split_command(std::string_view text);

/// The command line with quotes where a shell needs them.
std::string quote_command(const std::vector<std::string>& words);

/// A candidate command, with its origin (such as "CC").
struct CommandCandidate {
  std::string origin;
  std::string text;
  bool explicit_choice = false;  // the user chose this compiler for harp (the option, HARP_CC): if it fails, no other candidate is tried
};

/// In order: the option, HARP_CC, CC, then cc, gcc and clang.
std::vector<CommandCandidate> c_compiler_candidates(Process& process, const std::string& option);

/// The absolute path of the program `name`, or nothing. Searches PATH unless the name contains a slash. Empty and relative entries of PATH
/// are skipped, because they refer to the current directory.
std::optional<std::string> find_program(System system, const std::string& name);

/// The environment of compiler processes. It contains only a few listed variables, so none that change a compiler's output (CPATH,
/// LIBRARY_PATH, GCC_* …). TMPDIR is the working directory.
std::vector<std::string> compiler_environment(Process& process);

}  // namespace harp
