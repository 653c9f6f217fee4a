// Which C compiler there is: the first command that answers when it is asked what it is. Asking starts a process, and takes as long as
// making the text of a small program: it is begun first and answered when the text is there.
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
  /// Begins; what `cache` remembers of a compiler is not asked again. `option`: a command that is tried before the others, or empty.
  CompilerSearch(System system, CompileCache& cache, const std::string& option);

  /// The compiler; once. Error kCompiler, naming every command tried, when none works.
  std::shared_ptr<const CCompiler> finish(TimeLimit& limit);

 private:
  /// A command under examination, and what was asked of it.
  struct Candidate {
    CompilerFiles files;
    Hasher hasher;      // of everything in the identity's digest but the version
    Digest answer_key;  // of the answer in the cache
    bool is_driver;     // a compiler's own, which is asked for its commands, and the answer remembered
    std::shared_ptr<const Artifact> remembered;
    std::optional<WorkDirectory> work;  // of the question for its commands
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
  std::optional<Candidate> candidate_;  // the last one before next_; nothing: no command is left
  std::vector<std::string> tried_;      // each with the reason it does not work
};

}  // namespace harp
