// Runs the C compiler of backend `c`: any command that accepts the options of gcc and clang.
#pragma once

#include <atomic>
#include <memory>

#include "base/log.h"
#include "compile/artifact.h"
#include "compile/c_flags.h"
#include "compile/compiler.h"
#include "compile/driver_commands.h"

namespace harp {

/// The command of a compiler, and the files that the compiler's output depends on.
struct CompilerFiles {
  struct Dependency {
    std::string path;  // path at which the program was found, before symbolic links are resolved
    std::string real_path;
    FileInfo info;
  };
  std::vector<std::string> words;  // words[0] is the absolute path of the program
  std::vector<Dependency> dependencies;
  std::optional<std::string> assembler, linker;  // paths of `as` and `ld` on PATH, if they exist
  bool all_known = true;                         // false if some word of the command may refer to a file that is not in `dependencies`
};

/// A C compiler that was found by a CompilerSearch.
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

  /// True if the files of the compiler are unchanged since the search. A compiler may be upgraded while a program runs.
  bool unchanged() const;

 private:
  struct Job {
    std::vector<std::string> command;
    std::vector<std::string> reader;  // second command of a pipeline, which reads the first command's stdout; empty: none
  };
  /// Steps run one after another. The jobs of one step may run at the same time.
  using Steps = std::vector<std::vector<Job>>;
  /// How the jobs ended: the first command that failed, or the last command if none failed, and its result.
  struct Ended {
    std::vector<std::string> command;
    CommandResult result;
    bool failed = false;
  };
  /// What to assume about a command whose exit status is unknown, because the host application waited for the child process itself.
  /// kSucceeds: the command has succeeded if its output file exists. This is right for a compiler driver, which checks its own children and
  /// leaves no file after a failure. kFails: the command has failed. An assembler writes a file even if its input is truncated, so its
  /// output file proves nothing.
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
  std::optional<int> gcc_;  // gcc's major version (0: unknown); empty if the compiler is not gcc
  // The commands that the driver runs, with absolute paths; empty if they are not known. The driver printed them for the flags of the host
  // machine. They can be used for another target if the flags of both machines contain -march, or if the flags of neither do.
  std::optional<DriverCommands> driver_commands_;
  // Becomes false when a command that harp ran without the compiler's driver ended with an unknown exit status. From then on, harp always
  // runs the driver.
  mutable std::atomic<bool> ends_are_known_ = true;
};

}  // namespace harp
