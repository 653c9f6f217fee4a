// Runs the differential fuzzer (which compares backends on random graphs) on a few graphs. Also tests the parts of the fuzzer itself,
// because a fuzzer with bugs might report no errors.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/text.h"
#include "fuzz/campaign.h"
#include "fuzz/case_file.h"
#include "fuzz/guarded_memory.h"
#include "fuzz/isolated.h"
#include "fuzz/merged_unit.h"
#include "fuzz/shrink.h"
#include "graph/composites.h"
#include "graph/text.h"
#include "ir/hidden_constants.h"
#include "pipeline.h"
#include "support/machine.h"

using namespace harp;
using namespace harp::fuzz;

namespace {

constexpr uint64_t kGraphs =
#ifdef HARP_SANITIZE
    200;  // fewer graphs under a sanitizer, because each takes ten times as long
#else
    2000;
#endif

}  // namespace

// Most graphs are compiled without optimisation, which takes a tenth of the time; they test the generated text. Many of them are compiled
// in one run of a compiler, because they share math functions, sorts and transforms. The last graphs are optimised, some by each compiler
// at each level; `./dev fuzz` runs more of these.
TEST_CASE("X2 G1 G2 G3 G5 G6 G7 G8 G12 G14 G16: random graphs give the interpreter's bits through every compiler") {
  testing::note_what_cannot_run();
  constexpr uint64_t kOptimised = kGraphs / 20;
  CampaignOptions options;
  options.processes = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
  const char* folder = std::getenv("HARP_BUILD_DIR");
  options.directory = cat(folder != nullptr ? folder : ".", "/fuzz");
  Coverage coverage;
  const auto run = [&](uint64_t first, uint64_t count) {
    options.seeds = seed_range(first, count);
    const CampaignResult result = run_campaign(options);
    CHECK(result.checked == count);
    CHECK(result.passed == count);
    for (const Failure& failure : result.failures)
      FAIL_CHECK("seed ", failure.seed, ": ", name(failure.outcome.verdict), ": ", failure.outcome.message, "; ", failure.file);
    coverage.add(result.coverage);
  };
  options.variants.percent_o3 = 0, options.variants.percent_o0 = 100;
  options.batch = (kGraphs - kOptimised) / 4;
  options.batch_timeout = std::chrono::seconds(900);
  run(0, kGraphs - kOptimised);
  options.variants.percent_o3 = 50, options.variants.percent_o0 = 0;
  options.variants.seeds_per_compiler = 10;
  options.batch = kOptimised / 2;
  run(kGraphs - kOptimised, kOptimised);
  MESSAGE(coverage.report());
  for (const std::string& gap : coverage.gaps()) FAIL_CHECK("too few ", gap);
}

TEST_CASE("X2: a seed always gives the same graph, sizes and data") {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Job a = job_of_seed(seed, {}), b = job_of_seed(seed, {});
    CHECK(print_job(a, "") == print_job(b, ""));
    CHECK(input_bytes(a.test, a.test.sizes[0]) == input_bytes(b.test, b.test.sizes[0]));
  }
}

TEST_CASE("X2 G16: the same graph gives the same source, wherever its parts lie in memory") {
  // Both sums are stored, because each has two consumers. So there is a workspace, whose size depends on both variables.
  constexpr std::string_view kText =
      "harp 1\ngraph g(x: f32[n, m]) {\n  v0 = sum(x, axes=[0])\n  v1 = softmax(v0)\n  v2 = sum(x, axes=[1])\n  v3 = softmax(v2)\n"
      "  return a = v1, b = v3\n}\n";
  std::vector<std::unique_ptr<char[]>> between;
  // keeps every graph in memory, so that the nodes of each graph have different addresses
  std::vector<std::shared_ptr<const Graph>> graphs;
  std::set<std::string> sources;
  for (size_t i = 0; i < 100; ++i) {
    for (size_t size = 16; size < 400; size += 16) between.push_back(std::make_unique<char[]>(size));
    for (size_t j = 0; j < between.size(); j += 1 + i % 3) between[j].reset();
    graphs.push_back(parse_graph(kText));
    sources.insert(generate(*graphs.back(), PipelineOptions{}).source);
  }
  CHECK(sources.size() == 1);
}

TEST_CASE("X2: case files read back") {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const std::string text = print_job(job_of_seed(seed, {}), "note");
    CHECK(print_job(parse_job(text), "note") == text);
  }
}

TEST_CASE("X2: a job with data and results of its own is compared with these") {
  const std::string text = "clang -O0 workers=2 pool grain";
  const std::shared_ptr<const Graph> graph = parse_graph("harp 1\ngraph g(x: f32[n]) {\n  return y = x * x\n}\n");
  const auto bytes_of = [](const std::vector<float>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  const auto verdict_of = [&](const std::vector<float>& input, const std::vector<float>& expected) {
    Job job;
    job.test.graph = graph;
    job.test.sizes.push_back({3});
    job.test.inputs.push_back(bytes_of(input));
    job.expected.emplace_back().outputs.push_back(bytes_of(expected));
    job.variants.push_back(parse_variant(text));
    return check_isolated(std::span(&job, 1))[0].verdict;
  };
  CHECK(to_string(parse_variant(text)) == text);
  CHECK(pipeline_options(*graph, parse_variant(text)).share_ns == PipelineOptions().share_ns);
  CHECK(pipeline_options(*graph, parse_variant("clang -O0 workers=2 pool")).share_ns == 0);
  testing::must_compile(testing::machine());
  testing::must_run(testing::machine());
  CHECK(verdict_of({1, 2, 3}, {1, 4, 9}) == Verdict::kPass);
  CHECK(verdict_of({1, 2, 3}, {1, 4, 10}) == Verdict::kWrongBits);
  CHECK(verdict_of({1, 2, 4}, {1, 4, 9}) == Verdict::kWrongBits);
}

TEST_CASE("X2: differences are seen, NaNs are all equal") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto compare = [](std::vector<float> a, std::vector<float> b) {
    return difference(DType::kF32, std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
  };
  CHECK(compare({1, nan, 0}, {1, -nan, 0}) == "");
  CHECK(compare({1, 2, 0.0f}, {1, 2, -0.0f}).find("element 2") == 0);
  CHECK(compare({1, nan}, {1, 2}).find("element 1") == 0);
  CHECK(compare({1, 2}, {1}) != "");
}

TEST_CASE("X2: guarded arrays notice writes beside them") {
  GuardedArray before(12);
  CHECK(before.is_intact());
  before.data()[-1] = std::byte{1};
  CHECK_FALSE(before.is_intact());
  GuardedArray behind(12, 64);
  CHECK(reinterpret_cast<uintptr_t>(behind.data()) % 64 == 0);
  behind.data()[12] = std::byte{1};
  CHECK_FALSE(behind.is_intact());
}

TEST_CASE("X2: units with equal and with different functions of one name are merged") {
  constexpr std::string_view a =
      "typedef float f32;\nstatic f32 twice(f32 x) { return x + x; } /* } */\nf32 entry(f32 x) { return twice(x); }\n";
  constexpr std::string_view b = "typedef float f32;\nstatic f32 twice(f32 x) { return 2 * x; }\nf32 entry(f32 x) { return twice(x); }\n";
  MergedUnit merged;
  CHECK(merged.add(a, "entry") == "entry");
  CHECK(merged.add(a, "entry") == "entry_u1");
  CHECK(merged.add(b, "entry") == "entry_u2");
  // This entry uses the function `twice` that unit entry_u2 has added, because both definitions are equal.
  CHECK(merged.add(b, "entry") == "entry_u3");
  const auto count = [&](std::string_view part) {
    size_t found = 0;
    for (size_t at = 0; (at = merged.text().find(part, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  CHECK(count("typedef") == 1);
  CHECK(count("twice(f32 x)") == 1);
  CHECK(count("twice_u2(f32 x)") == 1);
  CHECK(count("return twice_u2(x)") == 2);
  CHECK(count("return twice(x)") == 2);
}

TEST_CASE("X2: merged units do not share a variable, which each of them may fill with other values") {
  constexpr std::string_view unit =
      "static const int two = 2;\nstatic int table[4];\nstatic void fill(void) { table[0] = two; }\nint entry(void) { return table[0]; }\n";
  MergedUnit merged;
  CHECK(merged.add(unit, "entry") == "entry");
  CHECK(merged.add(unit, "entry") == "entry_u1");
  const auto has = [&](std::string_view part) { return merged.text().find(part) != std::string::npos; };
  CHECK(has("static int table_u1[4];"));
  CHECK(has("fill_u1(void) { table_u1[0] = two; }"));
  CHECK(has("entry_u1(void) { return table_u1[0]; }"));
  CHECK_FALSE(has("two_u1"));
}

TEST_CASE("X2: a good share of the graphs is run with outputs in the place of inputs") {
  constexpr int kGraphs = 300;
  int in_place = 0;
  for (uint64_t seed = 0; seed < kGraphs; ++seed) {
    const Job job = job_of_seed(seed, {});
    in_place += std::any_of(job.variants.begin(), job.variants.end(), [&](const BuildVariant& variant) {
      if (!variant.in_place) return false;
      const Graph& graph = *job.test.graph;
      const std::vector<int> inputs =
          choose_in_place(graph, in_place_arguments(graph, pipeline_options(graph, variant)), job.test.data_seed);
      return std::any_of(inputs.begin(), inputs.end(), [](int input) { return input >= 0; });
    });
  }
  MESSAGE("in place: ", in_place, " of ", kGraphs, " graphs");
  CHECK(in_place * 10 >= kGraphs);
}

TEST_CASE("X2 X3.hidden_inputs/c: some of the graphs read large constant arrays, which are hidden inputs") {
  constexpr uint64_t kGraphs = 500;
  int with_hidden = 0;
  for (uint64_t seed = 0; seed < kGraphs; ++seed) {
    const Job job = job_of_seed(seed, {});
    const Graph& graph = *job.test.graph;
    const auto is_large = [](const Node* node) {
      return node->op == Op::kConstantArray && node->as<ArrayAttributes>().data->size() > ir::kMaxConstantText;
    };
    if (std::ranges::none_of(graph.live_nodes(), is_large)) continue;
    const Generated generated = generate(graph, pipeline_options(graph, job.variants[0]));
    const ir::HiddenConstants hidden(*generated.module);
    with_hidden += !hidden.constants().empty();
  }
  MESSAGE("hidden inputs: ", with_hidden, " of ", kGraphs, " graphs");
  CHECK(with_hidden >= 10);
}

TEST_CASE("X2: a crash is blamed on the job that crashed, the others are checked") {
  std::vector<Outcome> outcomes(6);
  check_isolated(
      {{0, 1, 2, 3, 4, 5}},
      [](uint64_t i) {
        if (i == 3) std::abort();
        if (i == 4) throw std::runtime_error("no such job");
        Job job = job_of_seed(i, {});
        job.variants.clear();
        return job;
      },
      [&](uint64_t i, const Outcome& outcome) { outcomes[i] = outcome; }, {});
  for (size_t i = 0; i < outcomes.size(); ++i)
    CHECK(outcomes[i].verdict == (i == 3 ? Verdict::kCrash : i == 4 ? Verdict::kPipeline : Verdict::kPass));
}

TEST_CASE("X2: what fails is shrunk to what fails") {
  // This compiler does not exist, so every graph fails, and shrinking ends with the smallest graph. The target is one that compilers of
  // this machine generate code for, because graphs for other targets are not compiled.
  Job job = job_of_seed(11, {});
  job.variants.resize(1);
  job.variants[0].compiler.compiler = "/nonexistent/cc";
  job.variants[0].compiler.target = machines().front().name;
  const Outcome outcome = check_isolated(std::span(&job, 1))[0];
  REQUIRE(outcome.verdict == Verdict::kCompiler);
  const Shrunk shrunk = shrink(job, outcome);
  CHECK(shrunk.outcome.verdict == Verdict::kCompiler);
  CHECK(shrunk.job.test.graph->live_nodes().size() == 1);
  CHECK(shrunk.job.test.graph->outputs().size() == 1);
}
