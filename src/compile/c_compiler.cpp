// Runs a C compiler. A compilation in 25 ms is possible because generated source includes no headers. For gcc, harp itself runs the
// programs that gcc's driver would run (compile/driver_commands.h). If that fails, and for all other compilers, it runs the driver: once
// for a small source; for a large source, once for each part and once to link the parts.
#include "compile/c_compiler.h"

#include <errno.h>
#include <fcntl.h>

#include <algorithm>
#include <deque>

#include "base/error.h"
#include "compile/compiler_command.h"
#include "compile/shared_object.h"
#include "compile/split.h"

namespace harp {
namespace {

constexpr const char* kOutputName = "unit.so";
constexpr size_t kMaxOutputBytes = size_t{256} << 20;

/// Returns a relative path that starts with "./". The child process runs inside the work directory, so special characters in directory
/// names never reach a command line. The "./" keeps a file name from being taken for an option.
std::string in_directory(std::string_view name, std::string_view suffix) { return cat("./", name, suffix); }

/// Returns the definition of the string kUnitKey, for appending to the source. It begins with a newline, because the source may end within
/// a line.
std::string key_definition(const Digest& key) {
  return cat("\n__attribute__((visibility(\"protected\"))) const char ", kUnitKey, "[] = \"", key.hex(), "\";\n");
}

[[noreturn]] void refuse(std::string_view why, const std::vector<std::string>& command, CommandResult& result) {
  throw Error(Code::kCompiler, cat("the C compiler failed, ", why, ": ", quote_command(command)), std::move(result.output));
}

}  // namespace

bool CCompiler::unchanged() const {
  return std::all_of(files_.dependencies.begin(), files_.dependencies.end(), [this](const CompilerFiles::Dependency& dependency) {
    FileInfo now;
    return system_.files.stat_at(AT_FDCWD, dependency.path.c_str(), true, now) >= 0 && now.size == dependency.info.size &&
           now.modified_ns == dependency.info.modified_ns && now.inode == dependency.info.inode && now.device == dependency.info.device;
  });
}

std::vector<std::string> CCompiler::command(const CompileRequest& request) const {
  std::vector<std::string> words = compiling(request);
  words.insert(words.end(), link_flags().begin(), link_flags().end());
  words.insert(words.end(), request.flags.begin(), request.flags.end());
  return words;
}

std::vector<std::string> CCompiler::compiling(const CompileRequest& request) const {
  std::vector<std::string> words = files_.words;
  const std::vector<std::string> flags = varying_flags(request, gcc_);
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), compile_flags().begin(), compile_flags().end());
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
  const std::vector<std::string> flags = varying_flags(request, gcc_);
  std::vector<Job> compile;
  std::vector<std::string> objects;
  for (const std::string& name : names) {
    objects.push_back(in_directory(name, ".o"));
    compile.push_back({replaced(driver_commands_->compile, C::kSource, {in_directory(name, ".c")}),
                       replaced(driver_commands_->assemble, C::kObject, {objects.back()})});
    std::vector<std::string>& command = compile.back().command;
    command.insert(command.begin() + 1, flags.begin(), flags.end());
    command.emplace_back("-nostdinc");  // The source has no #include, so gcc need not look at its include directories.
  }
  return {compile, {{replaced(driver_commands_->link, C::kObject, objects), {}}}};
}

RunningCommand CCompiler::start(const Job& job, const WorkDirectory& work, int nice) const {
  const auto command_of = [&](const std::vector<std::string>& arguments) {
    Command command{arguments.front(), arguments, compiler_environment(system_.process), work.fd()};
    command.nice = nice;
    return command;
  };
  if (job.reader.empty()) return RunningCommand(system_, command_of(job.command));
  return RunningCommand(system_, command_of(job.command), command_of(job.reader));
}

/// Runs the steps one after another. Runs as many jobs of a step at the same time as there are free compiler slots. Returns when all steps
/// have ended or a job has failed. Waits for a slot only when no job of this call has one, so two threads cannot deadlock.
CCompiler::Ended CCompiler::run(const Steps& steps, UnknownEnd unknown_end, const WorkDirectory& work, CompilerSlots& slots,
                                TimeLimit& limit) const {
  using End = CommandResult::End;
  struct Running {
    const Job* job;
    CompilerSlots::Slot slot;
    RunningCommand command;
  };
  Ended ended;
  for (const std::vector<Job>& jobs : steps) {
    std::deque<Running> running;
    for (size_t next = 0; next < jobs.size() || !running.empty(); running.pop_front()) {
      while (next < jobs.size()) {
        CompilerSlots::Slot slot = running.empty() ? slots.take(limit) : slots.try_take();
        if (!slot) break;
        running.push_back({&jobs[next], std::move(slot), start(jobs[next], work, slots.nice())});
        ++next;
      }
      limit.enter("running the C compiler");
      const Running& first = running.front();
      ended = {first.job->command, running.front().command.wait(limit.deadline(), limit.cancel())};
      HARP_CHECK(ended.result.end != End::kCancelled, Code::kCancelled, "compilation cancelled");
      if (ended.result.end == End::kTimedOut && limit.is_over()) limit.fail(quote_command(ended.command), std::move(ended.result.output));
      ended.failed = ended.result.end == End::kUnknown ? unknown_end == UnknownEnd::kFails : !ended.result.succeeded();
      if (ended.failed) return ended;
    }
  }
  return ended;
}

std::vector<std::byte> CCompiler::compile(const CompileRequest& request, const Digest& key, WorkDirectory& work, CompilerSlots& slots,
                                          TimeLimit& limit) const {
  const auto io_check = [&](int error, std::string_view what) {
    HARP_CHECK(error >= 0, Code::kIo, "cannot ", what, " in ", work.path(), ": ", error_text(error));
  };
  // Flags of the caller, or words of the compiler's command, that harp does not know may change the meaning of object files (-x, -flto). If
  // there are any, the driver compiles and links in a single call.
  const bool in_steps = all_flags_known(request);
  std::vector<std::string> sources =
      split_source(request.source, request.functions, in_steps ? worthwhile_parts(request.functions, slots.count()) : 1);
  sources.back() += key_definition(key);
  std::vector<std::string> names;
  for (size_t i = 0; i < sources.size(); ++i) {
    names.push_back(sources.size() > 1 ? cat("unit", i) : std::string("unit"));
    io_check(work.write_file(cat(names[i], ".c").c_str(), std::as_bytes(std::span(sources[i])), 0600, false), "write the source");
  }

  std::vector<std::byte> bytes;
  const auto output = [&] { return work.read_file(kOutputName, kMaxOutputBytes, bytes); };
  if (in_steps && driver_commands_ && ends_are_known_ && request.target.cpu().march.empty() == host_machine().cpu().march.empty()) {
    const Ended ended = run(without_driver(request, names), UnknownEnd::kFails, work, slots, limit);
    if (!ended.failed && output() >= 0 && shared_object_fault(bytes).empty()) return bytes;
    if (ended.result.end == CommandResult::End::kUnknown) ends_are_known_ = false;
  }
  Ended ended = run(with_driver(request, names), UnknownEnd::kSucceeds, work, slots, limit);
  HARP_CHECK(!ended.result.lacked_resources(), Code::kIo, "cannot start the C compiler: ", error_text(ended.result.code), ": ",
             quote_command(ended.command));
  if (ended.failed) refuse(describe_end(ended.result), ended.command, ended.result);
  const int error = output();
  if (error == -ENOENT)
    refuse(ended.result.succeeded() ? "it reported success but wrote no file" : describe_end(ended.result), ended.command, ended.result);
  if (error == -EINVAL) refuse("its output is not a regular file", ended.command, ended.result);
  io_check(error, "read the output of the C compiler");
  if (const std::string_view fault = shared_object_fault(bytes); !fault.empty())
    refuse(cat("its output ", fault), ended.command, ended.result);
  return bytes;
}

}  // namespace harp
