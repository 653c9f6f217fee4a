// The common part of a run: directory, context, the peers that fit the machine.
#include "bench/session.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace bench {
namespace {

/// The value of "key: value" in what harp says about itself.
std::string described(const std::string& text, const std::string& key) {
  const std::string start = "\n" + key + ": ";
  const size_t at = ("\n" + text).find(start);
  if (at == std::string::npos) throw std::runtime_error("harp_context_describe says nothing about \"" + key + "\"");
  const size_t begin = at + start.size() - 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  path_ = (std::filesystem::temp_directory_path() / "harp-bench-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make the directory " + path_);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;  // a directory that stays is no reason to lose what was measured
  std::filesystem::remove_all(path_, ignored);
}

Context new_context(const std::string& cache_directory) {
  harp_context_options options = HARP_CONTEXT_OPTIONS_INIT;
  options.cache_dir = cache_directory.c_str();
  Err err;
  Context context(harp_context_new(&options, err));
  err.check("making a context");
  return context;
}

Session::Session(const Effort& effort) : effort(effort), context(new_context(directory.path())) {
  Err err;
  const String text(harp_context_describe(context.get(), err));
  err.check("describing the context");
  target_ = described(harp_string_data(text.get()), "target");
  compiler_ = described(harp_string_data(text.get()), "compiler version");
  for (const peers* const* table = peers_of_targets; *table != nullptr; ++table)
    if (target_ == (*table)->target) by_hand = *table;
  if (by_hand == nullptr) throw std::runtime_error("there are no hand-written loops for " + target_);
}

std::string Session::describe() const {
  return std::string("harp ") + harp_version_string() + ", " + target_ + ", " + compiler_ + "; peers: " + HARP_BENCH_PEER_COMPILER +
         "; one thread";
}

Kernel::Kernel(const harp_graph* graph, std::vector<void*> inputs, std::vector<void*> outputs, std::vector<size_t> shape_vars)
    : inputs_(std::move(inputs)), outputs_(std::move(outputs)), shape_vars_(std::move(shape_vars)) {
  Err err;
  program_.reset(harp_compile(graph, nullptr, err));
  err.check("compiling");
  entry_ = harp_program_entry(program_.get(), err);
  err.check("asking for the entry point");
}

}  // namespace bench
