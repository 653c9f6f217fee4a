#include "compile/nvcc.h"

#include <errno.h>
#include <fcntl.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "compile/compiler_command.h"

namespace harp {

namespace {

constexpr const char* kSource = "unit.cu";
constexpr size_t kMaxOutputBytes = size_t{256} << 20;

/// Extracts the version from the answer to --version: 13 and 5 from "release 13.5,". Returns false if the answer contains no version.
bool read_version(std::string_view answer, int& major, int& minor) {
  constexpr std::string_view kBefore = "release ";
  const size_t at = answer.find(kBefore);
  if (at == answer.npos) return false;
  const char *begin = answer.data() + at + kBefore.size(), *const end = answer.data() + answer.size();
  const auto [dot, bad_major] = std::from_chars(begin, end, major);
  if (bad_major != std::errc() || dot == end || *dot != '.') return false;
  return std::from_chars(dot + 1, end, minor).ec == std::errc();
}

std::string last_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace

std::shared_ptr<const NvccProgram> NvccProgram::find(System system, const std::string& command, TimeLimit& limit, std::string& why_not) {
  auto program = std::make_shared<NvccProgram>();
  const std::string text = command.empty() ? "nvcc" : command;
  const std::optional<std::vector<std::string>> words = split_command(text);
  std::optional<std::string> path;
  if (words && !words->empty()) path = find_program(system, words->front());
  if (!path && command.empty()) path = find_program(system, "/usr/local/cuda/bin/nvcc");
  if (!path) {
    why_not = cat(text, ": no such program");
    return nullptr;
  }
  program->words = *words;
  program->words.front() = *path;

  Command question{*path, program->words, compiler_environment(system.process)};
  question.arguments.emplace_back("--version");
  limit.enter("querying the version of nvcc");
  const CommandResult answer = run_command(system, question, limit.deadline(), limit.cancel());
  limit.check();
  if (!answer.succeeded() || !read_version(answer.output, program->major, program->minor)) {
    why_not = cat(*path, ": expected --version to print a release, but: ", describe_end(answer),
                  ", and it printed: ", shortened(last_line(answer.output)));
    return nullptr;
  }
  std::string real_path;
  FileInfo info;
  CompilerIdentity& identity = program->identity;
  identity.program = *path;
  identity.version = cat("nvcc ", program->major, ".", program->minor, "\n", answer.output);
  // If the command has further words, these may name files that the digest does not cover.
  identity.persistent = program->words.size() == 1 && system.files.real_path(path->c_str(), real_path) >= 0 &&
                        system.files.stat_at(AT_FDCWD, real_path.c_str(), true, info) >= 0;
  Hasher hasher;
  hasher.add("nvcc").add(answer.output).add(real_path).add(info.size).add(info.modified_ns).add(program->words.size());
  for (const std::string& word : program->words) hasher.add(word);
  identity.digest = hasher.finish();
  return program;
}

std::vector<std::string> NvccCompiler::command(const CompileRequest& request) const {
  const std::string arch = virtual_architecture(request.target.name);
  const bool is_cubin = output_ == CudaOutput::kCubin;
  std::vector<std::string> words = program_->words;
  words.insert(words.end(), {is_cubin ? "-cubin" : "-ptx", "-gencode",
                             cat("arch=", arch, ",code=", is_cubin ? std::string(request.target.name) : arch), "--std=c++17"});
  const std::vector<std::string> arithmetic = cuda_arithmetic_flags();
  words.insert(words.end(), arithmetic.begin(), arithmetic.end());
  words.insert(words.end(), request.flags.begin(), request.flags.end());
  return words;
}

bool NvccCompiler::self_contained(const std::vector<std::string>& flags) const {
  return std::all_of(flags.begin(), flags.end(), [](const std::string& flag) { return is_self_contained_for_cuda(flag); });
}

std::vector<std::byte> NvccCompiler::compile(const CompileRequest& request, const Digest&, WorkDirectory& work, CompilerSlots& slots,
                                             TimeLimit& limit) const {
  const auto io_check = [&](int error, std::string_view what) {
    HARP_CHECK(error >= 0, Code::kIo, "cannot ", what, " in ", work.path(), ": ", error_text(error));
  };
  const std::string output = cat("unit", suffix());
  std::vector<std::string> words = command(request);
  words.insert(words.end(), {"-o", output, kSource});
  io_check(work.write_file(kSource, std::as_bytes(std::span(request.source)), 0600, false), "write the source");

  const CompilerSlots::Slot slot = slots.take(limit);
  Command nvcc{words.front(), words, compiler_environment(system_.process), work.fd()};
  nvcc.nice = slots.nice();
  limit.enter("running nvcc");
  CommandResult result = run_command(system_, nvcc, limit.deadline(), limit.cancel());
  HARP_CHECK(result.end != CommandResult::End::kCancelled, Code::kCancelled, "compilation cancelled");
  if (result.end == CommandResult::End::kTimedOut && limit.is_over()) limit.fail(quote_command(words), std::move(result.output));
  HARP_CHECK(!result.lacked_resources(), Code::kIo, "cannot start nvcc: ", error_text(result.code), ": ", quote_command(words));
  const auto refuse = [&](std::string_view why) {
    throw Error(Code::kCompiler, cat("nvcc failed, ", why, ": ", quote_command(words)), std::move(result.output));
  };
  // If nvcc's exit status is lost, its output file proves success, because nvcc checks its own children and leaves no file after a failure.
  if (!result.succeeded() && result.end != CommandResult::End::kUnknown) refuse(describe_end(result));
  std::vector<std::byte> bytes;
  const int error = work.read_file(output.c_str(), kMaxOutputBytes, bytes);
  if (error == -ENOENT) refuse(result.succeeded() ? "it reported success but wrote no file" : describe_end(result));
  if (error == -EINVAL) refuse("its output is not a regular file");
  io_check(error, "read the output of nvcc");
  if (bytes.empty()) refuse("its output is empty");
  if (output_ == CudaOutput::kPtx) bytes.push_back(std::byte{0});  // The GPU driver reads PTX as a string that ends with a zero byte.
  return bytes;
}

}  // namespace harp
