// Finding a C compiler: which command to run, the file behind it, and how to tell that it is still the same compiler tomorrow.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"

namespace harp {

/// Splits a command the way people write it in CC: words at white space, '…' and "…" keep it, \ takes the next character as it is.
/// Nothing when a quote is left open.
std::optional<std::vector<std::string>> split_command(std::string_view text);

/// A command line as it could be typed: words are quoted where they need it.
std::string quote_command(const std::vector<std::string>& words);

/// A command that may be tried: where it came from ("CC") and what it says.
struct CommandCandidate {
  std::string origin;
  std::string text;
  bool explicit_choice = false;  // somebody named this one for harp: nothing else is tried when it fails
};

/// In order: the option, HARP_CC, CC, then cc, gcc and clang.
std::vector<CommandCandidate> c_compiler_candidates(Process& process, const std::string& option);

/// The absolute path of the program `name` (looked up on PATH unless it has a slash), or nothing. Empty and relative PATH entries are
/// skipped: they mean the current directory.
std::optional<std::string> find_program(System system, const std::string& name);

/// The environment programs are run with: no variable that changes what a compiler makes gets through (CPATH, LIBRARY_PATH, GCC_* …),
/// because only the listed few do. TMPDIR is the working directory.
std::vector<std::string> compiler_environment(Process& process);

}  // namespace harp
