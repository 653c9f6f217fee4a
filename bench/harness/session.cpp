// What all benchmarks of a run share: the directory, the contexts, and the functions written by hand for this machine with which harp is
// compared.
#include "bench/harness/session.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace bench {
namespace {

/// Returns the value of the line "key: value" in the text of harp_context_describe.
std::string described(const std::string& text, const std::string& key) {
  const std::string start = "\n" + key + ": ";
  const size_t at = ("\n" + text).find(start);
  if (at == std::string::npos) throw std::runtime_error("the text of harp_context_describe has no line \"" + key + ": ...\"");
  const size_t begin = at + start.size() - 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  path_ = (std::filesystem::temp_directory_path() / "harp-bench-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make the directory " + path_);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;  // ignored: the measurements are valid even if the directory cannot be removed
  std::filesystem::remove_all(path_, ignored);
}

Context new_context(const std::string& cache_directory, int threads) {
  harp_context_options options = HARP_CONTEXT_OPTIONS_INIT;
  options.cache_dir = cache_directory.c_str();
  options.threads = threads;
  Err err;
  Context context(harp_context_new(&options, err));
  err.check("making a context");
  return context;
}

Session::Session(const Effort& effort, std::string peers_directory)
    : effort(effort),
      peers_directory(std::move(peers_directory)),
      context(new_context(directory.path())),
      threaded(new_context(directory.path(), kThreads)) {
  Err err;
  const String text(harp_context_describe(context.get(), err));
  err.check("describing the context");
  target_ = described(harp_string_data(text.get()), "target");
  // Entries of the table of machines that differ only in the instructions for dot products, or in the number of loads per cycle, share the
  // hand-written loops.
  for (const std::string_view suffix : {"-vnni", "-one-load"})
    if (target_.ends_with(suffix)) target_.resize(target_.size() - suffix.size());
  const bool has_compiler = harp_backend_available(context.get(), "c") != 0;  // measurements on a GPU need no C compiler
  compiler_ = has_compiler ? described(harp_string_data(text.get()), "compiler version") : "no C compiler";
  for (const peers* const* table = peers_of_targets; *table != nullptr; ++table)
    if (target_ == (*table)->target) by_hand = *table;
  if (by_hand == nullptr) throw std::runtime_error("bench/peers has no hand-written loops for the machine row " + target_);
}

std::string Session::describe() const {
  return std::string("harp ") + harp_version_string() + ", " + target_ + ", " + compiler_ + "; peers: " + HARP_BENCH_PEER_COMPILER +
         "; one thread, except in rows named threads2";
}

Graph Session::new_graph(int threads, uint32_t flags) const {
  Err err;
  Graph graph(harp_graph_new(context_of(threads), flags, err));
  err.check("making a graph");
  return graph;
}

Kernel::Kernel(const harp_graph* graph, std::vector<void*> inputs, std::vector<void*> outputs, std::vector<size_t> shape_vars)
    : inputs_(std::move(inputs)), outputs_(std::move(outputs)), shape_vars_(std::move(shape_vars)) {
  Err err;
  program_.reset(harp_compile(graph, nullptr, err));
  err.check("compiling");
  entry_ = harp_program_entry(program_.get(), err);
  err.check("getting the entry point");
}

ProgramRun::ProgramRun(const Session& session, const harp_graph* graph, const std::vector<void*>& inputs, const std::vector<void*>& outputs,
                       Call call, const harp_compile_options* options, int threads)
    : call_(call), input_arrays_(inputs), output_arrays_(outputs) {
  Err err;
  program_.reset(harp_compile(graph, options, err));
  err.check("compiling");
  const auto wrap = [&](auto describe, const std::vector<void*>& arrays, std::vector<harp_buffer*>& handles) {
    for (size_t i = 0; i < arrays.size(); ++i) {
      harp_array_info info = HARP_ARRAY_INFO_INIT;
      describe(program_.get(), i, &info, err);
      err.check("describing an array");
      buffers_.emplace_back(
          harp_buffer_wrap(session.context_of(threads), info.dtype, info.rank, info.dims, arrays[i], nullptr, nullptr, err));
      err.check("wrapping an array");
      handles.push_back(buffers_.back().get());
    }
  };
  wrap(harp_program_input, inputs, inputs_);
  wrap(harp_program_output, outputs, outputs_);
  size_t bytes = 0;
  harp_program_workspace_size(program_.get(), 0, nullptr, static_cast<size_t>(threads), &bytes, err);
  err.check("getting the size of the workspace");
  workspace_.reserve(Memory::room(1, bytes));
  options_.workspace = workspace_.take_as<std::byte>(bytes).data();
  options_.workspace_size = bytes;
  entry_ = harp_program_entry_ex(program_.get(), err);
  err.check("getting the entry point");
  runtime_.struct_size = sizeof runtime_;
  runtime_.workspace = options_.workspace;
  runtime_.workspace_size = bytes;
}

void ProgramRun::operator()(size_t repeats) { call_ == Call::kRun ? run(repeats) : enter(repeats); }

void ProgramRun::run(size_t repeats) {
  Err err;
  for (size_t i = 0; i < repeats; ++i)
    harp_program_run(program_.get(), inputs_.size(), inputs_.data(), outputs_.size(), outputs_.data(), &options_, err);
  err.check("running");
}

void ProgramRun::run_by_default(size_t repeats) {
  Err err;
  std::vector<harp_buffer*> outputs(outputs_.size());
  for (size_t i = 0; i < repeats; ++i) {
    harp_program_run(program_.get(), inputs_.size(), inputs_.data(), outputs.size(), outputs.data(), nullptr, err);
    for (harp_buffer*& output : outputs) harp_buffer_release(std::exchange(output, nullptr));
  }
  err.check("running");
}

bool ProgramRun::equals_default_run() {
  Err err;
  std::vector<harp_buffer*> made(outputs_.size());
  harp_program_run(program_.get(), inputs_.size(), inputs_.data(), made.size(), made.data(), nullptr, err);
  err.check("running");
  bool equal = true;
  for (size_t i = 0; i < made.size(); ++i) {
    const Buffer output(made[i]);
    equal = equal && std::memcmp(harp_buffer_const_data(output.get()), output_arrays_[i], harp_buffer_size(output.get())) == 0;
  }
  return equal;
}

harp_status ProgramRun::run_with_flag(const volatile int32_t* cancel) {
  harp_run_options options = options_;
  options.cancel = cancel;
  return harp_program_run(program_.get(), inputs_.size(), inputs_.data(), outputs_.size(), outputs_.data(), &options, nullptr);
}

void ProgramRun::enter(size_t repeats) {
  int32_t status = HARP_OK;
  for (size_t i = 0; i < repeats; ++i) status |= entry_(input_arrays_.data(), output_arrays_.data(), nullptr, &runtime_);
  if (status != HARP_OK) throw std::runtime_error(std::string("running: ") + harp_status_name(status));
}

Row compared(const std::string& name, const Scale& scale, const Comparison& times, const std::string& peer, std::optional<size_t> index) {
  Row row{name, scale.of(times.seconds(0)), scale.unit, peer, {}, {}};
  if (index) {
    row.peer_value = scale.of(times.seconds(*index));
    row.ratio = times.ratio(0, *index);
  } else {
    row.peer += ": not installed";
    row.peer_missing = true;
  }
  return row;
}

Candidate memcpy_of(std::span<float> to, std::span<const float> from) {
  return [to, from](size_t repeats) {
    for (size_t i = 0; i < repeats; ++i) {
      std::memcpy(to.data(), from.data(), to.size_bytes());
      keep(to.data());
    }
  };
}

}  // namespace bench
