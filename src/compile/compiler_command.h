// Declares functions for finding and running a C compiler: candidates for the command, the program file of a command, and the environment
// that compilers run in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"

namespace harp {

/// Splits a command such as the value of CC into words. Words are separated by white space; '…' and "…" quote it, and \ quotes the next
/// character. Returns nothing if a quote is not closed.
std::optional<std::vector<std::string>> split_command(std::string_view text);

/// Returns the words as one line, with quotes where a shell needs them.
std::string quote_command(const std::vector<std::string>& words);

/// A command that may be a C compiler, and where it comes from (such as "CC").
struct CommandCandidate {
  std::string origin;
  std::string text;
  // The user chose this compiler for harp (by the option or HARP_CC). If it does not work, no other candidate is tried.
  bool explicit_choice = false;
};

/// Returns the commands to try, in this order. If `option` is not empty, it is the only one; otherwise, if HARP_CC is set, HARP_CC is the
/// only one; otherwise CC (if set), cc, gcc and clang.
std::vector<CommandCandidate> c_compiler_candidates(Process& process, const std::string& option);

/// Returns the absolute path of the program `name`, or nothing if it does not exist. Searches PATH unless the name contains a slash. Skips
/// empty and relative entries of PATH, because they refer to the current directory.
std::optional<std::string> find_program(System system, const std::string& name);

/// Returns the environment of compiler processes. It contains only a few variables, and none that changes a compiler's output (CPATH,
/// LIBRARY_PATH, GCC_* …). TMPDIR is the process's working directory.
std::vector<std::string> compiler_environment(Process& process);

}  // namespace harp
