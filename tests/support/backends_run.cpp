#include "support/backends_run.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <utility>

#include "base/text.h"
#include "capi/handles.h"
#include "fuzz/check_case.h"
#include "run/binding.h"
#include "support/machine.h"
#include "support/unoptimised.h"

namespace capi_test {
namespace {

namespace fuzz = harp::fuzz;

std::vector<std::byte> bytes_of(const harp_buffer* buffer) {
  const auto* data = static_cast<const std::byte*>(harp_buffer_const_data(buffer));
  return std::vector<std::byte>(data, data + harp_buffer_size(buffer));
}

/// Returns the variant in which Backends compiles a program together with others: with the settings of compile_quickly(), and for two
/// worker threads. `plain` is true for C text without vector types.
fuzz::BuildVariant quick_variant(bool plain) {
  fuzz::BuildVariant variant;
  variant.compiler.compiler = "clang";
  variant.compiler.optimisation = 0;
  variant.plain_text = plain;
  variant.workers = 2;
  variant.pool = true;
  variant.usual_grain = true;
  return variant;
}

/// Returns the values that the graph's shape variables have in a run with these inputs.
std::vector<int64_t> sizes_of(const harp::Graph& graph, const std::vector<harp_buffer*>& inputs) {
  const auto signature = std::make_shared<const harp::Signature>(harp::signature_of(*graph.clone()));
  std::vector<harp::ArrayType> types;
  for (const harp_buffer* input : inputs)
    types.push_back(
        {static_cast<harp::DType>(harp_buffer_dtype(input)), {harp_buffer_dims(input), static_cast<size_t>(harp_buffer_rank(input))}});
  std::vector<int64_t> values(signature->variables.size());
  harp::Binding(signature).bind(types, {}, values);
  return values;
}

}  // namespace

class Backends::Waiting {
 public:
  /// Adds a graph whose compiled programs check() will run with these inputs and compare with `outputs`, the interpreter's results. `text`
  /// is the text of the graph, for error messages. If `only_plain`, only the C text without vector types is compiled.
  void add(const std::string& text, const harp_graph* graph, const std::vector<harp_buffer*>& inputs, const std::vector<Buffer>& outputs,
           bool only_plain) {
    fuzz::Job job;
    job.test.graph = graph->graph->clone();
    job.test.sizes.push_back(sizes_of(*job.test.graph, inputs));
    for (const harp_buffer* input : inputs) job.test.inputs.push_back(bytes_of(input));
    fuzz::Expected& expected = job.expected.emplace_back();
    for (const Buffer& output : outputs) expected.outputs.push_back(bytes_of(output.get()));
    if (!only_plain) job.variants.push_back(quick_variant(false));
    job.variants.push_back(quick_variant(true));
    for (const auto* arrays : {&job.test.inputs, &expected.outputs})
      for (const std::vector<std::byte>& array : *arrays) bytes_ += array.size();
    texts_.push_back(text);
    jobs_.push_back(std::move(job));
    if (jobs_.size() >= kMostJobs || bytes_ >= kMostBytes) check();
  }

  /// Compiles and runs the programs that were added since the last call, and reports each difference as a failed check.
  void check() {
    const std::vector<fuzz::Job> jobs = std::exchange(jobs_, {});
    const std::vector<std::string> texts = std::exchange(texts_, {});
    bytes_ = 0;
    if (jobs.empty()) return;
    Failures failures(texts);
    try {
      fuzz::check_jobs(jobs, failures, false);
      // the error is not that of a single program: for example, a library of all programs cannot be loaded
    } catch (const std::exception& error) {
      FAIL_CHECK(jobs.size(), " programs that are compiled together: ", std::string(error.what()));
    }
  }

 private:
  static constexpr size_t kMostJobs = 100, kMostBytes = size_t{64} << 20;

  class Failures final : public fuzz::Progress {
   public:
    explicit Failures(const std::vector<std::string>& texts) : texts_(texts) {}
    void begin(size_t, std::string_view) override {}
    void fail(size_t index, const fuzz::Outcome& result) override {
      FAIL_CHECK(std::string(fuzz::name(result.verdict)), ": ", result.message, "\n", texts_[index]);
    }

   private:
    const std::vector<std::string>& texts_;
  };

  std::vector<fuzz::Job> jobs_;
  std::vector<std::string> texts_;  // of the jobs
  size_t bytes_ = 0;                // size of the inputs and expected outputs of all jobs, in bytes
};

Backends::Backends() : context_(make_context()), waiting_(std::make_unique<Waiting>()) {}
Backends::~Backends() { waiting_->check(); }

bool same_bits(const harp_buffer* a, const harp_buffer* b) {
  const void *x = harp_buffer_const_data(a), *y = harp_buffer_const_data(b);
  const size_t bytes = harp_buffer_size(a);
  switch (harp_buffer_dtype(a)) {
    case HARP_F32:
    case HARP_COMPLEX64: return same_numbers<float>(x, y, bytes);
    case HARP_F64:
    case HARP_COMPLEX128: return same_numbers<double>(x, y, bytes);
    default: return bytes == 0 || std::memcmp(x, y, bytes) == 0;
  }
}

void compile_quickly(harp_compile_options& o) {
  o.compiler = "clang", o.n_flags = std::size(harp::testing::kUnoptimised), o.flags = harp::testing::kUnoptimised;
}

bool is_sampled(std::string_view key) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (hash >> 32) % 8 == 0;
}

Program compile_way(const harp_graph* graph, const Way& way, bool quick) {
  return compile(graph, way.backend, [&](harp_compile_options& o) {
    o.plain_text = way.plain;
    o.simd_width = way.width;
    if (quick || way.plain != 0 || way.width != 0) compile_quickly(o);
  });
}

std::vector<Buffer> run_everywhere(const harp_graph* graph, const std::vector<harp_buffer*>& inputs, bool quick,
                                   std::span<const Way> ways) {
  std::vector<Buffer> expected;
  for (const Way& way : ways) {
    CAPTURE(way.backend);
    CAPTURE(way.plain);
    const Program program = compile_way(graph, way, quick);
    REQUIRE(program != nullptr);
    if (is_not_for_this_cpu(program.get())) continue;
    std::vector<Buffer> outputs = capi_test::run(program.get(), inputs);
    if (expected.empty()) {
      expected = std::move(outputs);
      continue;
    }
    REQUIRE(outputs.size() == expected.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      REQUIRE(dims(outputs[i].get()) == dims(expected[i].get()));
      CHECK_MESSAGE(same_bits(outputs[i].get(), expected[i].get()), "output ", i);
    }
  }
  return expected;
}

std::vector<Buffer> Backends::run_text(const std::string& text, const std::vector<Buffer>& inputs) const {
  CAPTURE(text);
  const Graph graph = parse(context_.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  std::vector<harp_buffer*> handles;
  for (const Buffer& buffer : inputs) handles.push_back(buffer.get());
  const bool sampled = is_sampled(text);
  std::vector<Buffer> outputs = run_everywhere(graph.get(), handles, false, std::span(kWays).first(sampled ? 2 : 1));
  const harp::Machine target = harp::testing::machine();
  // no compiler here supports the target, so check() generates the C text of the programs and does not compile it
  if (std::ranges::find(harp::machines(), target) == harp::machines().end())
    harp::testing::note_skip(harp::cat("the compilers here make no code for ", target.name));
  harp::testing::note_what_cannot_run();
  if (outputs.size() == graph->graph->outputs().size()) waiting_->add(text, graph.get(), handles, outputs, sampled);
  return outputs;
}

Backends::Cost Backends::cost(const std::string& text, const std::vector<int64_t>& sizes) const {
  CAPTURE(text);
  const Graph graph = parse(context_.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  const Program program = compile_way(graph.get(), {"c", 0}, !is_sampled(text));
  REQUIRE(program != nullptr);
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  REQUIRE(harp_program_stats(program.get(), &stats, nullptr) == HARP_OK);
  const size_t n = harp_program_shape_var_count(program.get());
  REQUIRE(n <= sizes.size());
  size_t one = 0, two = 0;  // workspace size with one worker and with two; the difference is the scratch memory of one worker
  REQUIRE(harp_program_workspace_size(program.get(), n, sizes.data(), 1, &one, nullptr) == HARP_OK);
  REQUIRE(harp_program_workspace_size(program.get(), n, sizes.data(), 2, &two, nullptr) == HARP_OK);
  return {stats.kernels, one - (two - one), two - one};
}

}  // namespace capi_test
