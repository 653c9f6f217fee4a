// The compiler of backend `c`: any command that accepts the options of gcc and clang.
#pragma once

#include <atomic>
#include <memory>

#include "base/log.h"
#include "compile/artifact.h"
#include "compile/c_flags.h"
#include "compile/compiler.h"
#include "compile/driver_commands.h"

namespace harp {

/// The compiler's command, and the files that its output depends on.
struct CompilerFiles {
  struct Dependency {
    std::string path;  // path of the program as it was found, before resolving links
    std::string real_path;
    FileInfo info;
  };
  std::vector<std::string> words;  // words[0] is the absolute path of the program
  std::vector<Dependency> dependencies;
  std::optional<std::string> assembler, linker;  // paths of the programs, as they were found on PATH
  bool all_known = true;                         // false if some word of the command may refer to an unknown file
};

/// Made by a CompilerSearch.
class CCompiler final : public Compiler {
 public:
  CCompiler(System system, CompilerFiles files, CompilerIdentity identity, std::optional<DriverCommands> driver_commands)
      : system_(system),
        files_(std::move(files)),
        identity_(std::move(identity)),
        gcc_(gcc_version(identity_.version)),
        driver_commands_(std::move(driver_commands)) {}

  std::string_view name() const override { return "c"; }
  std::string_view suffix() const override { return kObjectSuffix; }
  const CompilerIdentity& identity() const override { return identity_; }
  std::vector<std::string> command(const CompileRequest& request) const override;
  bool self_contained(const std::vector<std::string>& flags) const override;
  std::vector<std::string> flags_without_optimisation() const override { return {"-O0"}; }
  std::vector<std::byte> compile(const CompileRequest& request, const Digest& key, WorkDirectory& work, CompilerSlots& slots,
                                 TimeLimit& limit) const override;

  /// True if the files behind the command are unchanged; a compiler may be upgraded while a program runs.
  bool unchanged() const;

 private:
  struct Job {
    std::vector<std::string> command;
    std::vector<std::string> reader;  // a command that reads the first command's stdout; empty: none
  };
  /// Steps run one after another; the jobs of one step run at the same time.
  using Steps = std::vector<std::vector<Job>>;
  /// How the jobs ended: the command that failed, or the last one.
  struct Ended {
    std::vector<std::string> command;
    CommandResult result;
    bool failed = false;
  };
  /// How to treat a command whose exit status was lost because the host application waited for the child process itself. The driver checks
  /// its own children and leaves no file after a failure, so its output file proves success. An assembler writes a file for any input.
  enum class UnknownEnd : uint8_t { kSucceeds, kFails };

  std::vector<std::string> compiling(const CompileRequest& request) const;
  bool all_flags_known(const CompileRequest& request) const { return files_.words.size() == 1 && request.flags.empty(); }
  Steps with_driver(const CompileRequest& request, const std::vector<std::string>& names) const;
  Steps without_driver(const CompileRequest& request, const std::vector<std::string>& names) const;
  Ended run(const Steps& steps, UnknownEnd unknown_end, const WorkDirectory& work, CompilerSlots& slots, TimeLimit& limit) const;
  RunningCommand start(const Job& job, const WorkDirectory& work, int nice) const;

  System system_;
  CompilerFiles files_;
  CompilerIdentity identity_;
  std::optional<int> gcc_;                           // the major version if the compiler is gcc
  std::optional<DriverCommands> driver_commands_;    // commands with absolute paths, for targets with the host's -march
  mutable std::atomic<bool> ends_are_known_ = true;  // false after an exit status was lost; then the driver is used
};

}  // namespace harp
