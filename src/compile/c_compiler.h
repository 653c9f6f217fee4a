// The compiler behind backend `c`: any command that takes the options of gcc and clang.
#pragma once

#include <atomic>
#include <memory>

#include "base/log.h"
#include "compile/cache.h"
#include "compile/compiler.h"
#include "compile/compiler_command.h"
#include "compile/driver_commands.h"

namespace harp {

class CCompiler final : public Compiler {
 public:
  /// Finds the command and learns its identity; asking for the version starts a process unless `cache` remembers the answer.
  /// Error kCompiler, naming every command tried, when none works.
  static std::shared_ptr<const CCompiler> find(System system, CompileCache& cache, const std::string& option, Deadline deadline);

  std::string_view name() const override { return "c"; }
  const CompilerIdentity& identity() const override { return identity_; }
  std::vector<std::string> command(const CompileRequest& request) const override;
  bool self_contained(const std::vector<std::string>& flags) const override;
  std::vector<std::byte> compile(const CompileRequest& request, WorkDirectory& work, Deadline deadline, CancelFlag cancel) const override;

  /// Whether the files behind the command are those it was made from: a compiler may be upgraded while a program runs.
  bool unchanged() const;

 private:
  /// A file the results depend on.
  struct Dependency {
    std::string path;  // as it was found
    std::string real_path;
    FileInfo info;
  };

  struct Job {
    std::vector<std::string> command;
    std::vector<std::string> reader;  // of what it writes to its stdout; empty: there is none
  };
  /// One after the other; the jobs of each run at the same time.
  using Steps = std::vector<std::vector<Job>>;
  /// The command that failed, or the last one.
  struct Ended {
    std::vector<std::string> command;
    CommandResult result;
    bool failed = false;
  };
  /// What the end of a command counts as that another part of the host was told of: the driver looks after its own children, and leaves no
  /// file where one failed; an assembler makes one of whatever it was given.
  enum class UnknownEnd : uint8_t { kSucceeds, kFails };

  CCompiler(System system, std::vector<std::string> words) : system_(system), words_(std::move(words)) {}
  bool collect_dependencies();
  void identify(CompileCache& cache, Deadline deadline);
  bool is_driver_itself() const;
  CommandResult ask(const std::vector<std::string>& question, int directory, Deadline deadline) const;
  std::string ask_driver(CompileCache& cache, const std::vector<std::string>& question, Deadline deadline) const;
  std::string ask_version(Deadline deadline) const;
  bool find_programs(DriverCommands& commands) const;
  bool is_gcc() const;
  std::vector<std::string> varying_flags(const CompileRequest& request) const;
  std::vector<std::string> compiling(const CompileRequest& request) const;
  bool all_flags_known(const CompileRequest& request) const { return words_.size() == 1 && request.flags.empty(); }
  Steps with_driver(const CompileRequest& request, const std::vector<std::string>& names) const;
  Steps without_driver(const CompileRequest& request, const std::vector<std::string>& names) const;
  Ended run(const Steps& steps, UnknownEnd unknown_end, const WorkDirectory& work, Deadline deadline, CancelFlag cancel) const;

  System system_;
  std::vector<std::string> words_;  // the command; words_[0] is the absolute path of the program
  std::vector<Dependency> dependencies_;
  CompilerIdentity identity_;
  std::optional<DriverCommands> driver_commands_;    // with the paths of programs; for targets that name a -march as the host does
  mutable std::atomic<bool> ends_are_known_ = true;  // until one was not: from then on the driver is called
};

}  // namespace harp
