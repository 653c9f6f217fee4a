// Finds the C compiler: the first candidate command that runs and identifies itself. Asking a command means to run it, which takes as long
// as generating the source of a small program. Therefore the search starts the process before the source is generated, and reads the answer
// afterwards.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/c_compiler.h"
#include "compile/cache.h"
#include "compile/compiler_command.h"
#include "compile/work_directory.h"

namespace harp {

class CompilerSearch {
 public:
  /// Begins the search. Reuses answers that are stored in `cache`. `option` is the command that the user chose, or empty.
  CompilerSearch(System system, CompileCache& cache, const std::string& option);

  /// Returns the compiler. Call it only once. If no candidate works, throws Error{kCompiler} whose message lists every command that was
  /// tried.
  std::shared_ptr<const CCompiler> finish(TimeLimit& limit);

 private:
  /// The candidate command that the search is examining, and the process that was started to ask it.
  struct Candidate {
    CompilerFiles files;
    Hasher hasher;      // has hashed all fields of CompilerIdentity::digest except the compiler's version
    Digest answer_key;  // cache key under which the answer is stored
    bool is_driver;     // True for a compiler's own driver: it is asked for the commands that it would run, and the answer is cached.
    std::shared_ptr<const Artifact> remembered;
    std::optional<WorkDirectory> work;  // directory in which the driver runs while it answers
    std::optional<RunningCommand> running = {};
  };

  void begin_next();
  void reject(std::string_view why);
  std::optional<CompilerFiles> files_of(const std::string& command);
  bool collect_dependencies(CompilerFiles& files) const;
  bool is_driver_itself(const CompilerFiles& files) const;
  void begin(CompilerFiles files);
  Command command_to(const CompilerFiles& files, const std::vector<std::string>& question, int directory) const;
  std::string answer(Candidate& candidate, Deadline deadline) const;
  std::shared_ptr<const CCompiler> identified(Candidate& candidate, Deadline deadline) const;
  bool find_programs(DriverCommands& commands, const CompilerFiles& files) const;

  System system_;
  CompileCache& cache_;
  std::vector<CommandCandidate> commands_;
  size_t next_ = 0;
  std::optional<Candidate> candidate_;  // the candidate commands_[next_ - 1]; empty if no command is left
  std::vector<std::string> tried_;      // the rejected commands, each with the reason
};

}  // namespace harp
