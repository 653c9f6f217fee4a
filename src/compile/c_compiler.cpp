// Running a C compiler. The source includes nothing; that is what makes 25 ms possible at all. What gcc's driver would run is run here
// (compile/driver_commands.h); should that fail, and with every other compiler, the driver is: one call for a small source, one for each
// part of a large one and one that links.
#include "compile/c_compiler.h"

#include <errno.h>
#include <fcntl.h>

#include <algorithm>

#include "base/error.h"
#include "base/revision.h"
#include "compile/arithmetic_flags.h"
#include "compile/shared_object.h"
#include "compile/split.h"

namespace harp {
namespace {

constexpr const char* kOutputName = "unit.so";
constexpr size_t kMaxOutputBytes = size_t{256} << 20;
constexpr std::chrono::seconds kVersionPatience{10};
constexpr size_t kVersionLineLimit = 120;  // of what a program that is no compiler says for itself

// Instead of -O3 for a source with its own vectors, of which gcc spends a quarter of its time on passes that find nothing to do. What they
// leave behind was measured over some hundred kernels: loops over the lanes of a vector need the first (else 5 to 10 times slower), short
// loops over the lanes of an accumulator the second, constants that are vectors the third, stencils (examples/reaction: 0.89 of the loop by
// hand without, 1.00 with) the next two. The last keeps sums in registers although a call of a failed check may follow, which is saved
// around then: products with the rows of a sparse matrix are twice as fast. With all of them a kernel is as fast as with -O3. clang at -O1
// inlines nothing, so it is left alone. The limit keeps gcc from writing out the up to fifteen rounds of a scalar rest (a quarter of the
// time again, for nothing).
constexpr const char* kGccFlagsForVectors[] = {"-O1",
                                               "-ftree-vectorize",
                                               "-fpeel-loops",
                                               "-fgcse",
                                               "-fexpensive-optimizations",
                                               "-fschedule-insns2",
                                               "-fcaller-saves",
                                               "-fno-tree-bit-ccp",
                                               "--param=max-completely-peeled-insns=80"};

// Why each one stands here: docs of the CPU backend (compile latency, trap list). In short: contraction and errno change bits or pull
// in libm; the rest keeps the file small and free of symbols from elsewhere (a hardened default such as the stack protector would call
// into libc and libssp). Scalar loops are not vectorised without -O3.
constexpr const char* kFlags[] = {
    "-pipe",  // 5 % of a small kernel's cold time: the assembler starts beside the compiler, and no temporary file is written
    "-std=gnu11",
    "-ffp-contract=off",
    "-fwrapv",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-asynchronous-unwind-tables",
    "-fno-stack-protector",
    "-fPIC",
};
constexpr const char* kLinkFlags[] = {"-shared", "-nostdlib", "-Wl,--build-id=none", "-Wl,--hash-style=gnu"};

/// Those that every source is compiled and linked with; without -pipe, since each program is asked about with files of its own.
std::vector<std::string> fixed_flags() {
  std::vector<std::string> flags(std::begin(kFlags), std::end(kFlags));
  std::erase(flags, "-pipe");
  flags.insert(flags.end(), std::begin(kLinkFlags), std::end(kLinkFlags));
  return flags;
}

/// "gcc 12.2.0 (Debian 12.2.0-14)" of "gcc version 12.2.0 (Debian 12.2.0-14)", a line of what a driver says of itself; else all of it.
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

/// A flag whose whole meaning is in its text. Whatever may name a file (-include, -I, -B, --sysroot, -specs, @file, -fplugin=…) or ask
/// about this machine (-march=native) is not.
bool is_self_contained(std::string_view flag) {
  if (flag.find('/') != flag.npos || flag.find('@') != flag.npos || flag.find("native") != flag.npos) return false;
  if (flag.starts_with("-fplugin") || flag.starts_with("-fprofile") || flag.starts_with("-fbranch-prob") ||
      flag.starts_with("-fauto-profile") || flag.starts_with("-Wl,") || flag.starts_with("-Wa,") || flag.starts_with("-Wp,"))
    return false;
  if (flag == "-D" || flag == "-U" || flag == "-pipe" || flag == "-w") return true;
  for (const char* prefix : {"-O", "-D", "-U", "-W", "-f", "-m", "-g", "-std=", "-pedantic"})
    if (flag.starts_with(prefix)) return true;
  return false;
}

/// Relative, with "./": the child runs inside the work directory, so that no directory's name, however odd, reaches a command line, and no
/// file can be mistaken for an option.
std::string in_directory(std::string_view name, std::string_view suffix) { return cat("./", name, suffix); }

[[noreturn]] void refuse(std::string_view why, const std::vector<std::string>& command, CommandResult& result) {
  throw Error(Code::kCompiler, cat("the C compiler failed, ", why, ": ", quote_command(command)), std::move(result.output));
}

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

std::shared_ptr<const CCompiler> CCompiler::find(System system, CompileCache& cache, const std::string& option, Deadline deadline) {
  std::vector<std::string> tried;
  for (const CommandCandidate& candidate : c_compiler_candidates(system.process, option)) {
    const auto reject = [&](std::string_view why) {
      const std::string origin = candidate.origin == "PATH" ? std::string() : cat(candidate.origin, "=");
      tried.push_back(cat(origin, candidate.text, " (", why, ")"));
    };
    std::optional<std::vector<std::string>> words = split_command(candidate.text);
    if (!words || words->empty()) {
      reject(words ? "empty" : "a quote is not closed");
      continue;
    }
    const auto changes_results = [](const std::string& word) { return !arithmetic_fault(word).empty(); };
    if (const auto word = std::find_if(words->begin() + 1, words->end(), changes_results); word != words->end()) {
      reject(cat(*word, " ", arithmetic_fault(*word)));
      continue;
    }
    std::optional<std::string> program = find_program(system, words->front());
    if (!program) {
      reject(words->front().find('/') == std::string::npos ? "not found on PATH" : "no such program");
      continue;
    }
    words->front() = std::move(*program);
    const std::shared_ptr<CCompiler> compiler(new CCompiler(system, std::move(*words)));
    if (!compiler->collect_dependencies()) {
      reject("its file cannot be examined");
      continue;
    }
    try {
      compiler->identify(cache, deadline);
      return compiler;
    } catch (const Error& error) {
      reject(error.message);
    }
  }
  throw Error(Code::kCompiler, cat("no C compiler works; tried ", join(tried, ", "), "; backend interp runs without one"));
}

bool CCompiler::collect_dependencies() {
  const auto add = [this](std::string path) {
    Dependency dependency{std::move(path), {}, {}};
    if (system_.files.real_path(dependency.path.c_str(), dependency.real_path) < 0) return false;
    if (system_.files.stat_at(AT_FDCWD, dependency.path.c_str(), true, dependency.info) < 0) return false;
    dependencies_.push_back(std::move(dependency));
    return true;
  };
  if (!add(words_.front())) return false;
  for (size_t i = 1; i < words_.size(); ++i) {
    const std::string& word = words_[i];
    if (word.starts_with('-')) {
      identity_.persistent = identity_.persistent && is_self_contained(word);
    } else {  // "ccache gcc": the word is a program too; or it is something we cannot know
      const std::optional<std::string> program = find_program(system_, word);
      identity_.persistent = program && add(*program) && identity_.persistent;
    }
  }
  for (const char* tool : {"as", "ld"})  // drivers take these from PATH; a compiler with built-in ones has none to find
    if (const std::optional<std::string> program = find_program(system_, tool)) add(*program);
  return true;
}

void CCompiler::identify(CompileCache& cache, Deadline deadline) {
  Hasher hasher;
  hasher.add("compiler").add(words_.size());
  for (const std::string& word : words_) hasher.add(word);
  for (const Dependency& dependency : dependencies_)
    hasher.add(dependency.real_path).add(dependency.info.size).add(dependency.info.modified_ns);
  // Where ld and as are found is in the list above, a search path for the compiler's own libraries is not.
  hasher.add(system_.process.environment("LD_LIBRARY_PATH").value_or(""));
  identity_.program = words_.front();

  const std::vector<std::string> flags = varying_flags({}), question = driver_question(flags, fixed_flags());
  const bool may_remember = is_driver_itself();
  Hasher asked;
  asked.add("answer").add(kBugEpoch).add(hasher.finish().hex());
  for (const std::string& word : question) asked.add(word);
  const Digest key = asked.finish();
  const std::shared_ptr<const Artifact> remembered = may_remember ? cache.lookup(key) : nullptr;
  std::string answer;
  if (remembered) {
    const auto payload = remembered->payload();
    answer.assign(reinterpret_cast<const char*>(payload.data()), payload.size());
  } else {
    const Deadline patience = std::min(deadline, Clock::now() + kVersionPatience);
    if (may_remember) answer = ask_driver(cache, question, patience);
    if (answer.empty()) answer = ask_version(patience);
  }
  identity_.version = version_in(answer);
  identity_.digest = hasher.add(identity_.version).finish();
  if (may_remember && !remembered)
    cache.publish(*Artifact::make(key, {"version", "", "", identity_.version, words_}, std::as_bytes(std::span(answer))));
  if (may_remember) driver_commands_ = parse_driver_commands(answer, flags);
  if (driver_commands_ && !find_programs(*driver_commands_)) driver_commands_.reset();
}

/// Not a wrapper (a script, ccache, distcc), which can stay the same while the compiler behind it changes, and may not pass every question
/// on: that one is asked for the version alone, anew in every context. A compiler's own driver changes with the compiler.
bool CCompiler::is_driver_itself() const {
  if (words_.size() != 1 || !identity_.persistent) return false;
  const std::string_view program = base_name(dependencies_.front().real_path);
  if (program.find("gcc") == program.npos && program.find("clang") == program.npos) return false;
  const UniqueFd file(system_.files, system_.files.open(AT_FDCWD, dependencies_.front().real_path.c_str(), O_RDONLY));
  char magic[4] = {};
  return file && system_.files.read(file.get(), magic, sizeof magic) == sizeof magic && std::string_view(magic, sizeof magic) == "\177ELF";
}

CommandResult CCompiler::ask(const std::vector<std::string>& question, int directory, Deadline deadline) const {
  Command command{words_.front(), words_, compiler_environment(system_.process), directory};
  command.arguments.insert(command.arguments.end(), question.begin(), question.end());
  CommandResult result = run_command(system_, command, deadline);
  const bool is_answer = result.succeeded() || (result.end == CommandResult::End::kUnknown && !result.output.empty());
  if (is_answer) result.end = CommandResult::End::kExited, result.code = 0;
  return result;
}

/// Empty where it gives none. A driver makes the temporary files it would need, and removes them: not in the host's directory.
std::string CCompiler::ask_driver(CompileCache& cache, const std::vector<std::string>& question, Deadline deadline) const {
  std::optional<WorkDirectory> work = cache.work_directory();
  if (!work) return {};
  CommandResult result = ask(question, work->fd(), deadline);
  if (!result.succeeded()) return {};
  cache.give_back(std::move(*work));
  return std::move(result.output);
}

std::string CCompiler::ask_version(Deadline deadline) const {
  CommandResult result = ask({"--version"}, -1, deadline);
  if (result.succeeded()) return std::move(result.output);
  const std::string_view line = std::string_view(result.output).substr(0, std::min(result.output.find('\n'), kVersionLineLimit));
  throw Error(Code::kCompiler,
              cat("--version should end with status 0, but: ", describe_end(result), line.empty() ? "" : "; it printed: ", line));
}

/// The paths of the programs, as the driver would look for them.
bool CCompiler::find_programs(DriverCommands& commands) const {
  for (std::string* program : {&commands.compile.front(), &commands.assemble.front()}) {
    std::optional<std::string> path = find_program(system_, *program);
    if (!path) return false;
    *program = std::move(*path);
  }
  std::optional<std::string> path;
  for (const std::string& directory : commands.directories)
    if (!path && directory.starts_with('/')) path = find_program(system_, path_join(directory, "ld"));
  if (!path) path = find_program(system_, "ld");
  if (path) commands.link.front() = std::move(*path);
  return path.has_value();
}

bool CCompiler::is_gcc() const {
  return identity_.version.starts_with("gcc ") || identity_.version.find("Free Software Foundation") != identity_.version.npos;
}

bool CCompiler::unchanged() const {
  return std::all_of(dependencies_.begin(), dependencies_.end(), [this](const Dependency& dependency) {
    FileInfo now;
    return system_.files.stat_at(AT_FDCWD, dependency.path.c_str(), true, now) >= 0 && now.size == dependency.info.size &&
           now.modified_ns == dependency.info.modified_ns && now.inode == dependency.info.inode && now.device == dependency.info.device;
  });
}

std::vector<std::string> CCompiler::command(const CompileRequest& request) const {
  std::vector<std::string> words = compiling(request);
  words.insert(words.end(), std::begin(kLinkFlags), std::end(kLinkFlags));
  words.insert(words.end(), request.flags.begin(), request.flags.end());
  return words;
}

std::vector<std::string> CCompiler::varying_flags(const CompileRequest& request) const {
  std::vector<std::string> words;
  if (request.optimisation == 3 && request.vectors_written && is_gcc())
    words.insert(words.end(), std::begin(kGccFlagsForVectors), std::end(kGccFlagsForVectors));
  else
    words.push_back(cat("-O", request.optimisation));
  // without it gcc 12 ends in an internal error over comparisons of constant vectors on x86-64
  if (request.optimisation == 1 && is_gcc()) words.emplace_back("-ftree-vectorize");
  if (!request.target.march.empty()) words.push_back(cat("-march=", request.target.march));
  if (request.target.prefer_512) words.emplace_back("-mprefer-vector-width=512");
  return words;
}

std::vector<std::string> CCompiler::compiling(const CompileRequest& request) const {
  std::vector<std::string> words = words_;
  const std::vector<std::string> flags = varying_flags(request);
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), std::begin(kFlags), std::end(kFlags));
  return words;
}

bool CCompiler::self_contained(const std::vector<std::string>& flags) const {
  return std::all_of(flags.begin(), flags.end(), [](const std::string& flag) { return is_self_contained(flag); });
}

CCompiler::Steps CCompiler::with_driver(const CompileRequest& request, const std::vector<std::string>& names) const {
  std::vector<Job> compile;
  std::vector<std::string> link = command(request);
  for (const std::string& name : names) {
    const std::string source = in_directory(name, ".c"), object = in_directory(name, ".o");
    link.push_back(names.size() > 1 ? object : source);
    if (names.size() == 1) continue;
    compile.push_back({compiling(request), {}});
    compile.back().command.insert(compile.back().command.end(), {"-c", source, "-o", object});
  }
  link.insert(link.end(), {"-o", DriverCommands::kOutput});
  return compile.empty() ? Steps{{{link, {}}}} : Steps{compile, {{link, {}}}};
}

CCompiler::Steps CCompiler::without_driver(const CompileRequest& request, const std::vector<std::string>& names) const {
  using C = DriverCommands;
  const std::vector<std::string> flags = varying_flags(request);
  std::vector<Job> compile;
  std::vector<std::string> objects;
  for (const std::string& name : names) {
    objects.push_back(in_directory(name, ".o"));
    compile.push_back({replaced(driver_commands_->compile, C::kSource, {in_directory(name, ".c")}),
                       replaced(driver_commands_->assemble, C::kObject, {objects.back()})});
    std::vector<std::string>& command = compile.back().command;
    command.insert(command.begin() + 1, flags.begin(), flags.end());
  }
  return {compile, {{replaced(driver_commands_->link, C::kObject, objects), {}}}};
}

CCompiler::Ended CCompiler::run(const Steps& steps, UnknownEnd unknown_end, const WorkDirectory& work, Deadline deadline,
                                CancelFlag cancel) const {
  using End = CommandResult::End;
  const auto command_of = [&](const std::vector<std::string>& arguments) {
    return Command{arguments.front(), arguments, compiler_environment(system_.process), work.fd()};
  };
  Ended ended;
  for (const std::vector<Job>& jobs : steps) {
    std::vector<RunningCommand> running;
    for (const Job& job : jobs) {
      if (job.reader.empty())
        running.emplace_back(system_, command_of(job.command));
      else
        running.emplace_back(system_, command_of(job.command), command_of(job.reader));
    }
    for (size_t i = 0; i < jobs.size(); ++i) {
      ended = {jobs[i].command, running[i].wait(deadline, cancel)};
      HARP_CHECK(ended.result.end != End::kCancelled, Code::kCancelled, "compilation cancelled");
      ended.failed = ended.result.end == End::kUnknown ? unknown_end == UnknownEnd::kFails : !ended.result.succeeded();
      if (ended.failed) return ended;
    }
  }
  return ended;
}

std::vector<std::byte> CCompiler::compile(const CompileRequest& request, WorkDirectory& work, Deadline deadline, CancelFlag cancel) const {
  const auto io_check = [&](int error, std::string_view what) {
    HARP_CHECK(error >= 0, Code::kIo, "cannot ", what, " in ", work.path(), ": ", error_text(error));
  };
  // Whatever others add may turn an object file into something else (-x, -flto): then the driver makes all of it in one call.
  const bool in_steps = all_flags_known(request);
  const std::vector<std::string> sources =
      split_source(request.source, request.functions, in_steps ? worthwhile_parts(request.functions, system_.process.processors()) : 1);
  std::vector<std::string> names;
  for (size_t i = 0; i < sources.size(); ++i) {
    names.push_back(sources.size() > 1 ? cat("unit", i) : std::string("unit"));
    io_check(work.write_file(cat(names[i], ".c").c_str(), std::as_bytes(std::span(sources[i])), 0600, false), "write the source");
  }

  std::vector<std::byte> bytes;
  const auto output = [&] { return work.read_file(kOutputName, kMaxOutputBytes, bytes); };
  if (in_steps && driver_commands_ && ends_are_known_ && request.target.march.empty() == host_target().march.empty()) {
    const Ended ended = run(without_driver(request, names), UnknownEnd::kFails, work, deadline, cancel);
    if (!ended.failed && output() >= 0 && shared_object_fault(bytes).empty()) return bytes;
    if (ended.result.end == CommandResult::End::kUnknown) ends_are_known_ = false;
  }
  Ended ended = run(with_driver(request, names), UnknownEnd::kSucceeds, work, deadline, cancel);
  if (ended.failed) refuse(describe_end(ended.result), ended.command, ended.result);
  const int error = output();
  if (error == -ENOENT)
    refuse(ended.result.succeeded() ? "it reported success and wrote no file" : describe_end(ended.result), ended.command, ended.result);
  if (error == -EINVAL) refuse("what it wrote is not a plain file", ended.command, ended.result);
  io_check(error, "read what the C compiler wrote");
  if (const std::string_view fault = shared_object_fault(bytes); !fault.empty())
    refuse(cat("what it wrote ", fault), ended.command, ended.result);
  return bytes;
}

}  // namespace harp
