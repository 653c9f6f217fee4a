// Finds the C compiler: the first candidate command that answers a question about itself. Asking starts a process, which takes as long as
// generating the source of a small program. So the search begins before the source is generated and finishes afterwards.
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
  /// Begins the search. Answers that `cache` holds are reused. `option` is a command to try first, or empty.
  CompilerSearch(System system, CompileCache& cache, const std::string& option);

  /// Returns the compiler; call it once. Throws Error kCompiler with every command tried if none works.
  std::shared_ptr<const CCompiler> finish(TimeLimit& limit);

 private:
  /// A candidate command that the search is examining, and the question that the search has asked it (a process that is running).
  struct Candidate {
    CompilerFiles files;
    Hasher hasher;      // all of the identity's digest except the version
    Digest answer_key;  // cache key of the answer
    bool is_driver;     // a compiler's own driver: it is asked for its commands, and the answer is cached
    std::shared_ptr<const Artifact> remembered;
    std::optional<WorkDirectory> work;  // where the driver runs to answer
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
  std::optional<Candidate> candidate_;  // for commands_[next_ - 1]; empty: no command is left
  std::vector<std::string> tried_;      // each with its reason for rejection
};

}  // namespace harp
