#include "compile/compiler_search.h"

#include <fcntl.h>

#include <algorithm>

#include "base/error.h"
#include "base/revision.h"
#include "compile/arithmetic_flags.h"
#include "compile/c_flags.h"

namespace harp {
namespace {

constexpr std::chrono::seconds kVersionPatience{10};
constexpr const char *kAssembler = "as", *kLinker = "ld";
// suffix of the cache entry that stores a compiler's answer about its version or its commands
constexpr std::string_view kAnswerSuffix = ".version";
constexpr size_t kVersionLineLimit = 120;  // A message shows at most this much output of a program that turns out not to be a compiler.

/// Returns the flags of every compilation and link, except -pipe: with -pipe, the commands that the driver prints would not name the
/// intermediate files.
std::vector<std::string> fixed_flags() {
  std::vector<std::string> flags(compile_flags().begin(), compile_flags().end());
  std::erase(flags, "-pipe");
  flags.insert(flags.end(), link_flags().begin(), link_flags().end());
  return flags;
}

/// Returns the flags that vary between requests, for a default request. The search passes them when it asks the driver for its commands. At
/// that time the compiler's version is not known, so flags that depend on the version are missing.
std::vector<std::string> asked_flags() { return varying_flags({}, std::nullopt); }

/// Returns "gcc 12.2.0 (Debian 12.2.0-14)" if the answer contains the driver's line "gcc version 12.2.0 (Debian 12.2.0-14)"; otherwise
/// returns the whole answer.
std::string version_in(std::string_view answer) {
  constexpr std::string_view kWord = " version ";
  const size_t at = answer.find(kWord);
  if (at == answer.npos) return std::string(answer);
  const size_t line = answer.rfind('\n', at) + 1;
  std::string_view number = answer.substr(at + kWord.size());
  number = number.substr(0, number.find('\n'));
  number = number.substr(0, number.find_last_not_of(' ') + 1);
  return cat(answer.substr(line, at - line), " ", number);
}

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

/// Returns the output of a command, or nothing if it failed. If its exit status was lost, nonempty output counts as success.
std::optional<std::string> printed(CommandResult& result) {
  const bool is_answer = result.succeeded() || (result.end == CommandResult::End::kUnknown && !result.output.empty());
  if (!is_answer) return std::nullopt;
  return std::move(result.output);
}

}  // namespace

CompilerSearch::CompilerSearch(System system, CompileCache& cache, const std::string& option)
    : system_(system), cache_(cache), commands_(c_compiler_candidates(system.process, option)) {
  begin_next();
}

std::shared_ptr<const CCompiler> CompilerSearch::finish(TimeLimit& limit) {
  limit.enter("querying the versions of C compilers");
  for (; candidate_; begin_next()) {
    try {
      return identified(*candidate_, std::min(limit.deadline(), limit.now() + kVersionPatience));
    } catch (const Error& error) {
      if (error.code != Code::kCompiler) throw;
      if (limit.is_over()) limit.fail(quote_command(candidate_->files.words));
      reject(error.message);
    }
  }
  throw Error(Code::kCompiler, cat("no C compiler works; tried ", join(tried_, ", "), "; backend interp runs without one"));
}

/// Records why the candidate commands_[next_ - 1] was rejected.
void CompilerSearch::reject(std::string_view why) {
  const CommandCandidate& command = commands_[next_ - 1];
  tried_.push_back(cat(command.origin == "PATH" ? std::string() : cat(command.origin, "="), command.text, " (", why, ")"));
}

void CompilerSearch::begin_next() {
  candidate_.reset();
  while (!candidate_ && next_ < commands_.size())
    if (std::optional<CompilerFiles> files = files_of(commands_[next_++].text)) begin(std::move(*files));
}

/// Returns the files that a command depends on. If the command cannot be a compiler for harp, records the reason and returns nothing.
std::optional<CompilerFiles> CompilerSearch::files_of(const std::string& command) {
  const auto rejected = [this](std::string_view why) {
    reject(why);
    return std::nullopt;
  };
  std::optional<std::vector<std::string>> words = split_command(command);
  if (!words || words->empty()) return rejected(words ? "empty" : "a quote is not closed");
  const auto changes_results = [](const std::string& word) { return !arithmetic_fault(word).empty(); };
  if (const auto word = std::find_if(words->begin() + 1, words->end(), changes_results); word != words->end())
    return rejected(cat(*word, " ", arithmetic_fault(*word)));
  std::optional<std::string> program = find_program(system_, words->front());
  if (!program) return rejected(words->front().find('/') == std::string::npos ? "not found on PATH" : "no such program");
  words->front() = std::move(*program);
  CompilerFiles files{std::move(*words), {}, {}, {}, true};
  if (!collect_dependencies(files)) return rejected("its file cannot be examined");
  return files;
}

bool CompilerSearch::collect_dependencies(CompilerFiles& files) const {
  const auto add = [&](std::string path) {
    CompilerFiles::Dependency dependency{std::move(path), {}, {}};
    if (system_.files.real_path(dependency.path.c_str(), dependency.real_path) < 0) return false;
    if (system_.files.stat_at(AT_FDCWD, dependency.path.c_str(), true, dependency.info) < 0) return false;
    files.dependencies.push_back(std::move(dependency));
    return true;
  };
  if (!add(files.words.front())) return false;
  for (size_t i = 1; i < files.words.size(); ++i) {
    const std::string& word = files.words[i];
    if (word.starts_with('-')) {
      files.all_known = files.all_known && is_self_contained(word);
    } else {  // The word is not a flag. It may be another program, as in "ccache gcc"; if no such program exists, its meaning is unknown.
      const std::optional<std::string> program = find_program(system_, word);
      files.all_known = program && add(*program) && files.all_known;
    }
  }
  // Compiler drivers take `as` and `ld` from PATH. A compiler with a built-in assembler and linker works without these programs, so they
  // may be missing.
  files.assembler = find_program(system_, kAssembler);
  files.linker = find_program(system_, kLinker);
  for (const std::optional<std::string>& tool : {files.assembler, files.linker})
    if (tool) add(*tool);
  return true;
}

/// True if the command is a compiler's own driver, a program file that changes whenever the compiler changes. A wrapper (a script, ccache,
/// distcc) can stay the same while its compiler changes, and may not forward every option. Therefore a wrapper is asked only for its
/// version, and the answer is not cached: every context asks again.
bool CompilerSearch::is_driver_itself(const CompilerFiles& files) const {
  if (files.words.size() != 1 || !files.all_known) return false;
  const std::string& path = files.dependencies.front().real_path;
  const std::string_view program = base_name(path);
  if (program.find("gcc") == program.npos && program.find("clang") == program.npos) return false;
  const UniqueFd file(system_.files, system_.files.open(AT_FDCWD, path.c_str(), O_RDONLY));
  char magic[4] = {};
  return file && system_.files.read(file.get(), magic, sizeof magic) == sizeof magic && std::string_view(magic, sizeof magic) == "\177ELF";
}

void CompilerSearch::begin(CompilerFiles files) {
  Hasher hasher;
  hasher.add("compiler").add(files.words.size());
  for (const std::string& word : files.words) hasher.add(word);
  for (const CompilerFiles::Dependency& dependency : files.dependencies)
    hasher.add(dependency.real_path).add(dependency.info.size).add(dependency.info.modified_ns);
  // The dependencies, which have been hashed above, cover the program files, including `ld` and `as`, but not the search path for the
  // compiler's shared libraries.
  hasher.add(system_.process.environment("LD_LIBRARY_PATH").value_or(""));

  const std::vector<std::string> question = driver_question(asked_flags(), fixed_flags());
  Hasher asked;
  asked.add("answer").add(kBugEpoch).add(hasher.finish().hex());
  for (const std::string& word : question) asked.add(word);

  const Digest key = asked.finish();
  const bool is_driver = is_driver_itself(files);
  std::shared_ptr<const Artifact> remembered = is_driver ? cache_.lookup(key, kAnswerSuffix) : nullptr;
  // The driver creates and removes temporary files while it answers. It runs in a work directory, so these files do not appear in the
  // working directory of the host application.
  std::optional<WorkDirectory> work = is_driver && !remembered ? cache_.work_directory() : std::nullopt;
  Candidate& candidate =
      candidate_.emplace(Candidate{std::move(files), std::move(hasher), key, is_driver, std::move(remembered), std::move(work)});
  if (candidate.work)
    candidate.running.emplace(system_, command_to(candidate.files, question, candidate.work->fd()));
  else if (!candidate.remembered)
    candidate.running.emplace(system_, command_to(candidate.files, {"--version"}, -1));
}

Command CompilerSearch::command_to(const CompilerFiles& files, const std::vector<std::string>& question, int directory) const {
  Command command{files.words.front(), files.words, compiler_environment(system_.process), directory};
  command.arguments.insert(command.arguments.end(), question.begin(), question.end());
  return command;
}

/// Returns the compiler's answer: the commands that its driver would run (-###) or, if it does not print these, its version (--version).
std::string CompilerSearch::answer(Candidate& candidate, Deadline deadline) const {
  CommandResult result = candidate.running->wait(deadline);
  if (candidate.work) {
    std::optional<std::string> commands = printed(result);
    if (commands) cache_.give_back(std::move(*candidate.work));
    if (commands && !commands->empty()) return std::move(*commands);
    result = run_command(system_, command_to(candidate.files, {"--version"}, -1), deadline);
  }
  if (std::optional<std::string> version = printed(result)) return std::move(*version);
  HARP_CHECK(!result.lacked_resources(), Code::kIo, "cannot query the version of ", candidate.files.words.front(), ": ",
             error_text(result.code));
  const std::string_view line = std::string_view(result.output).substr(0, std::min(result.output.find('\n'), kVersionLineLimit));
  throw Error(Code::kCompiler,
              cat("expected --version to exit with status 0, but: ", describe_end(result), line.empty() ? "" : "; it printed: ", line));
}

std::shared_ptr<const CCompiler> CompilerSearch::identified(Candidate& candidate, Deadline deadline) const {
  std::string text;
  if (candidate.remembered) {
    const auto payload = candidate.remembered->payload();
    text.assign(reinterpret_cast<const char*>(payload.data()), payload.size());
  } else {
    text = answer(candidate, deadline);
  }
  const std::string version = version_in(text);
  CompilerIdentity identity{candidate.files.words.front(), version, candidate.hasher.add(version).finish(), candidate.files.all_known};
  std::optional<DriverCommands> commands;
  if (candidate.is_driver) commands = parse_driver_commands(text, asked_flags());
  if (commands && !find_programs(*commands, candidate.files)) commands.reset();
  if (candidate.is_driver && !candidate.remembered)
    cache_.publish(*Artifact::make(candidate.answer_key, {"version", "", "", version, candidate.files.words, std::string(kAnswerSuffix)},
                                   std::as_bytes(std::span(text))));
  return std::make_shared<const CCompiler>(system_, std::move(candidate.files), std::move(identity), std::move(commands));
}

/// Replaces the names of `cc1`, `as` and `ld` in the commands by the paths that the driver would use. Returns false if a program is not
/// found.
bool CompilerSearch::find_programs(DriverCommands& commands, const CompilerFiles& files) const {
  for (std::string* program : {&commands.compile.front(), &commands.assemble.front()}) {
    std::optional<std::string> path = *program == kAssembler ? files.assembler : find_program(system_, *program);
    if (!path) return false;
    *program = std::move(*path);
  }
  std::optional<std::string> path;
  for (const std::string& directory : commands.directories)
    if (!path && directory.starts_with('/')) path = find_program(system_, path_join(directory, kLinker));
  if (!path) path = files.linker;
  if (path) commands.link.front() = std::move(*path);
  return path.has_value();
}

}  // namespace harp
