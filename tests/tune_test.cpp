// The tuner: what a configuration says, the space that is searched and in which order, what is measured and compared, and the database. No
// test depends on how long anything takes.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <thread>

#include "cache_scenarios.h"
#include "capi_support.h"
#include "graph/text.h"
#include "opt/passes.h"
#include "tune/cost_model.h"
#include "tune/database.h"
#include "tune/machine.h"
#include "tune/same_bits.h"
#include "tune/tuner.h"

using namespace harp;
using namespace harp::tune;
using capi_test::ErrorSlot;

namespace {

using Found = std::unique_ptr<harp_tune_result, capi_test::Release<harp_tune_result, harp_tune_result_release>>;

constexpr const char* kProduct = "graph product(a: f32[60, 70], b: f32[70, 80]) { return y = a @ b }";
constexpr const char* kScaled = "graph scaled(x: f32[n]) { return y = x * 1.5 }";

SearchSpace space_of(const std::string& text, std::vector<int64_t> sizes = {}, size_t workers = 1) {
  PipelineOptions base;
  base.target = host_target();
  return SearchSpace(*parse_graph(text), {base, {}, std::move(sizes), workers});
}

bool has(const SearchSpace& space, Choice::What what) {
  return std::any_of(space.choices().begin(), space.choices().end(), [&](const Choice& c) { return c.what == what; });
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.message;
  }
  return "";
}

/// A subject that takes no time and is right.
class Nothing : public Subject {
 public:
  void run() override {}
  std::string difference() override { return ""; }
};
class NothingWorkshop : public Workshop {
 public:
  std::unique_ptr<Subject> make(const Configuration& configuration, Deadline) override {
    made.push_back(configuration);
    return std::make_unique<Nothing>();
  }
  std::vector<Configuration> made;
};

/// Messages of a context.
struct Lines {
  std::vector<std::string> lines;
  static void add(void* self, int32_t, const char* text, size_t size) { static_cast<Lines*>(self)->lines.emplace_back(text, size); }
  size_t with(std::string_view part) const {
    return static_cast<size_t>(
        std::count_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.find(part) != line.npos; }));
  }
};

/// A context whose cache is a directory.
capi_test::Context context_in(const std::string& directory, Lines* lines = nullptr) {
  return capi_test::make_context([&](harp_context_options& o) {
    o.cache_dir = directory.c_str();
    if (lines == nullptr) return;
    o.log = &Lines::add, o.log_user = lines, o.log_level = HARP_LOG_WARNING;
  });
}

Found tune_scaled(harp_context* context, harp_tune_options options, harp_error** err) {
  const capi_test::Graph graph = capi_test::parse(context, kScaled);
  std::vector<float> x(1000, 2);
  const capi_test::Buffer input = capi_test::wrap(context, x, {1000});
  harp_buffer* in[] = {input.get()};
  return Found(harp_tune(graph.get(), &options, 1, in, err));
}

harp_tune_options few_trials() {
  harp_tune_options options = HARP_TUNE_OPTIONS_INIT;
  options.max_trials = 3;
  options.seconds = 60;
  return options;
}

harp_program_stats_info stats_of(const harp_program* program) {
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  CHECK(harp_program_stats(program, &stats, nullptr) == HARP_OK);
  return stats;
}

std::string database_in(const std::string& directory) { return directory + "/entries-1/" + TuningDatabase::kFile; }

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  CHECK(::chmod(path.c_str(), 0600) == 0);
}

/// Compiles the scaled graph in a new context.
harp_program_stats_info compile_in(const std::string& directory, Lines* lines, std::string* source = nullptr,
                                   int32_t tuning = HARP_TUNING_ON) {
  const capi_test::Context context = context_in(directory, lines);
  const capi_test::Graph graph = capi_test::parse(context.get(), kScaled);
  const capi_test::Program program = capi_test::compile(graph.get(), "c", [&](harp_compile_options& o) { o.tuning = tuning; });
  if (source != nullptr) *source = capi_test::take(harp_program_source(program.get(), nullptr));
  std::vector<float> x = {1, 2, 3};
  const capi_test::Buffer input = capi_test::wrap(context.get(), x, {3});
  CHECK(capi_test::values<float>(capi_test::run(program.get(), {input.get()})[0].get()) == std::vector<float>{1.5, 3, 4.5});
  return stats_of(program.get());
}

/// Tunes the scaled graph, whatever comes of it, and puts this in the place of what was found.
TuningEntry found_in(const std::string& directory, const std::string& configuration) {
  {
    const capi_test::Context context = context_in(directory);
    ErrorSlot err;
    CHECK_MESSAGE(tune_scaled(context.get(), few_trials(), err) != nullptr, err.message());
  }
  const TuningText text = parse_database(read(database_in(directory)));
  REQUIRE(text.entries.size() == 1);
  TuningEntry entry = text.entries[0];
  entry.configuration = parse_configuration(configuration);
  write(database_in(directory), "harp tuning 1\n\n" + print(entry));
  return entry;
}

}  // namespace

TEST_CASE("H3.configuration: prints and parses; what is no configuration is an error that says why") {
  const std::string text =
      "compiler: clang -m64\nflag: -O2\nflag: -funroll-loops\nwithout: compose_views\nshare: 20000\n"
      "kernel_0: reduce [thread tile=64 simd=8, reduce unroll=4] partition\nkernel_1 variant 2: elementwise [thread simd=4] overlap\n";
  const Configuration c = parse_configuration(text);
  CHECK(print(c) == text);
  CHECK(c.schedules[1].variant == 2);
  CHECK(parse_configuration("  share:7 \r\n\n").share_ns == 7);
  CHECK(print(Configuration{}).empty());
  const auto mistake = [](const char* line) { return message_of([&] { parse_configuration(line); }); };
  CHECK(mistake("speed: 9").find("is no line of one") != std::string::npos);
  CHECK(mistake("flag:").find("nothing follows") != std::string::npos);
  CHECK(mistake("share: soon").find("needs nanoseconds") != std::string::npos);
  CHECK(mistake("share: -1").find("needs nanoseconds") != std::string::npos);
  CHECK(mistake("kernel_x: reduce []").find("expected \"kernel_N: schedule\"") != std::string::npos);
  CHECK(mistake("kernel_0: reduce [thread_groups]").find("unknown axis kind") != std::string::npos);
}

TEST_CASE("H3.configuration: a program can be made by one, with the same bits") {
  const capi_test::Context context = capi_test::make_context();
  const capi_test::Graph graph = capi_test::parse(context.get(), kProduct);
  std::vector<float> a(60 * 70), b(70 * 80);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(std::sin(static_cast<double>(i)));
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(std::cos(static_cast<double>(i)));
  const capi_test::Buffer left = capi_test::wrap(context.get(), a, {60, 70}), right = capi_test::wrap(context.get(), b, {70, 80});
  std::vector<float> first;
  std::set<std::string> sources;
  for (const char* configuration : {"", "kernel_0: contraction [thread tile=8 unroll=4, sequential tile=32 unroll=2 simd=4, reduce]",
                                    "kernel_0: reduce [thread, sequential simd=8, reduce unroll=2]\nflag: -O2\nshare: 100",
                                    "without: simplify_algebra\nwithout: compose_views"}) {
    CAPTURE(configuration);
    const capi_test::Program program = capi_test::compile(graph.get(), "c", [&](harp_compile_options& o) { o.schedule = configuration; });
    const std::vector<float> y = capi_test::values<float>(capi_test::run(program.get(), {left.get(), right.get()})[0].get());
    if (first.empty()) first = y;
    CHECK(y == first);
    sources.insert(capi_test::take(harp_program_source(program.get(), nullptr)));
  }
  CHECK(sources.size() >= 3);
  const auto mistake = [&](const char* configuration) {
    harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
    options.schedule = configuration;
    ErrorSlot err;
    CHECK(capi_test::Program(harp_compile(graph.get(), &options, err)) == nullptr);
    return err.message();
  };
  CHECK(mistake("flag: -ffast-math").find("-ffast-math takes every liberty") != std::string::npos);
  CHECK(mistake("without: nothing").find("there is no optimiser pass \"nothing\"") != std::string::npos);
  CHECK(mistake("kernel_0: contraction [thread, sequential, reduce, reduce tile=8]").find("has 3 axes, the schedule 4") !=
        std::string::npos);
  CHECK(mistake("kernel_0: reduce [thread_group, sequential, reduce]").find("thread_group, which backend c does not have") !=
        std::string::npos);
}

TEST_CASE("H3.search_space: choices follow from what is legal for each kernel, and every point makes a program") {
  const SearchSpace product = space_of(kProduct);
  for (const Choice::What what :
       {Choice::What::kFlags, Choice::What::kPass, Choice::What::kRecipe, Choice::What::kTile, Choice::What::kUnroll, Choice::What::kLanes,
        Choice::What::kPack, Choice::What::kPartition, Choice::What::kOverlap})
    CHECK(has(product, what));
  CHECK_FALSE(has(product, Choice::What::kThreads));  // there is one worker
  CHECK_FALSE(has(product, Choice::What::kShare));
  CHECK(has(space_of(kProduct, {}, 2), Choice::What::kThreads));
  CHECK(has(space_of(kProduct, {}, 2), Choice::What::kShare));
  CHECK(product.configuration(product.untuned()).is_default());
  const SearchSpace sum = space_of("graph g(x: f32[90, 64]) { return y = sum(x, axes=[1]) }");
  CHECK(has(sum, Choice::What::kLanes));
  CHECK_FALSE(has(sum, Choice::What::kTile));  // by lanes there are no tiles
  CHECK_FALSE(has(sum, Choice::What::kRecipe));

  for (const char* text :
       {kProduct, "graph g(x: f32[300, 40]) { return y = contiguous(transpose(x)), z = sum(x, axes=[0]), s = cumsum(x, axis=0) }",
        "graph g(x: f32[40, 30]) { return y = softmax(x, axis=1), z = softmax(x, axis=0) }"}) {
    const SearchSpace space = space_of(text, {}, 2);
    const std::unique_ptr<Strategy> any = make_strategy(StrategyKind::kRandom, space, 7);
    for (int i = 0; i < 25; ++i) {
      const std::optional<Point> point = any->next();
      REQUIRE(point);
      const Configuration c = space.configuration(*point);
      CAPTURE(print(c));
      CHECK(parse_configuration(print(c)) == c);
      PipelineOptions options = space.options().base;
      apply(c, options);
      CHECK_NOTHROW(generate(*parse_graph(text), options));
      CHECK((c.disabled_passes.empty() || c.schedules.empty()));  // kernels are others without a pass
      CHECK(std::isfinite(relative_cost(space, *point)));
    }
  }
  CHECK(relative_cost(product, product.untuned()) == 1);
}

TEST_CASE("H3.search_space: of variants by size the one that runs is tuned") {
  const std::string text = "graph g(a: f32[m, k], b: f32[k, n]) { return y = a @ b }";
  const SearchSpace large = space_of(text, {64, 64, 64}), small = space_of(text, {64, 64, 1});
  CHECK(large.kernels()[0].variant == 1);
  CHECK(small.kernels()[0].variant == 2);
  for (const SearchSpace* space : {&large, &small})
    for (size_t i = 0; i < space->choices().size(); ++i) {
      if (space->choices()[i].what != Choice::What::kLanes) continue;
      Point point = space->untuned();
      point[i] = 1;
      if (!space->settle(point) || space->configuration(point).schedules.empty()) continue;
      const Configuration c = space->configuration(point);
      CHECK(c.schedules[0].variant == space->kernels()[0].variant);
      PipelineOptions options = space->options().base;
      apply(c, options);
      CHECK(emit_stage(*parse_graph(text), options, "schedule").find("where ") != std::string::npos);  // the guard stays
    }
}

TEST_CASE("H3.search_space: of many kernels those with most work have choices") {
  std::string text = "graph g(x: f32[1000]) {\n  return ";
  for (int i = 1; i <= 100; ++i) append(text, cat(i > 1 ? ", " : "", "y", i, " = sum(slice(x, start=[0], stop=[", 9 * i, "]), axes=[0])"));
  const SearchSpace space = space_of(text + "\n}");
  REQUIRE(space.kernels().size() == 100);
  int64_t least = INT64_MAX, greatest = 0;  // work of kernels with choices, and without
  size_t with_choices = 0;
  for (const KernelSpace& kernel : space.kernels()) {
    with_choices += !kernel.choices.empty();
    if (kernel.choices.empty())
      greatest = std::max(greatest, kernel.work);
    else
      least = std::min(least, kernel.work);
  }
  CHECK(with_choices == 64);
  CHECK(least >= greatest);
  const std::unique_ptr<Strategy> beam = make_strategy(StrategyKind::kBeam, space, 0);
  CHECK(beam->next());
}

TEST_CASE("H3.grid: every legal point once") {
  const SearchSpace space = space_of("graph g(x: f32[64]) { return y = x + 1 }");
  std::set<Point> expected;
  Point at = space.untuned();
  for (bool more = true; more;) {
    Point point = at;
    if (space.settle(point)) expected.insert(point);
    more = false;
    for (size_t i = 0; i < at.size() && !more; ++i) {
      more = ++at[i] < space.choices()[i].values.size();
      if (!more) at[i] = 0;
    }
  }
  expected.erase(space.untuned());
  const std::unique_ptr<Strategy> grid = make_strategy(StrategyKind::kGrid, space, 0);
  std::set<Point> given;
  while (const std::optional<Point> point = grid->next()) CHECK(given.insert(*point).second);
  CHECK(given == expected);
  CHECK(given.size() > 20);
}

TEST_CASE("H3.random: each point once, the same for the same seed") {
  const SearchSpace space = space_of(kProduct);
  const auto draw = [&](uint64_t seed) {
    const std::unique_ptr<Strategy> strategy = make_strategy(StrategyKind::kRandom, space, seed);
    std::vector<Point> points;
    for (int i = 0; i < 100; ++i) points.push_back(*strategy->next());
    return points;
  };
  const std::vector<Point> points = draw(1);
  CHECK(std::set<Point>(points.begin(), points.end()).size() == points.size());
  CHECK(draw(1) == points);
  CHECK(draw(2) != points);
  const SearchSpace small = space_of("graph g(x: f32[]) { return y = x + 1 }");
  const std::unique_ptr<Strategy> all = make_strategy(StrategyKind::kRandom, small, 3);
  size_t count = 0;
  while (all->next()) ++count;
  CHECK(count + 1 <= static_cast<size_t>(small.size()));  // it ends
  CHECK(count > 0);
}

TEST_CASE("H3.beam: finds the best of choices that do not depend on each other, the cost model's favourites first") {
  const SearchSpace space = space_of(kProduct);
  const auto seconds = [&](const Point& point) {  // the last option of each choice is the best
    double s = 1;
    for (size_t i = 0; i < point.size(); ++i)
      if (space.choices()[i].what >= Choice::What::kTile && space.choices()[i].recipe == space.kernels()[0].recipe)
        s -= 0.02 * point[i] / static_cast<double>(space.choices()[i].values.size());
    return s;
  };
  const std::unique_ptr<Strategy> beam = make_strategy(StrategyKind::kBeam, space, 0);
  beam->measured(space.untuned(), seconds(space.untuned()));
  double best = 1, last_cost = 0;
  std::set<Point> given;
  for (int i = 0; i < 400; ++i) {
    const std::optional<Point> point = beam->next();
    if (!point) break;
    CHECK(given.insert(*point).second);
    if (i < 8) {  // nothing was gone on from yet
      const double cost = relative_cost(space, *point);
      CHECK(cost >= last_cost);
      last_cost = cost;
    }
    best = std::min(best, seconds(*point));
    beam->measured(*point, seconds(*point));
  }
  double neighbours = 1;  // what one change alone gains at most
  for (const Point& point : given) {
    const auto changes = std::count_if(point.begin(), point.end(), [](uint8_t option) { return option != 0; });
    if (changes == 1) neighbours = std::min(neighbours, seconds(point));
  }
  CHECK(best < neighbours - 0.015);  // it went on from what was good
}

TEST_CASE("H3.trial_result: medians and quartiles; what cannot be made is a trial, too; stop, cancel, and limits") {
  CHECK(summarise({5, 1, 3}).median == 3);
  CHECK(summarise({1, 2, 3, 4, 5}).spread == 2);
  CHECK(summarise({7}).spread == 0);
  const SearchSpace space = space_of(kProduct);
  TuneOptions options;
  options.seconds = 60;
  options.most_trials = 6;
  NothingWorkshop workshop;
  TuneResult result = tune::tune(space, workshop, options);
  CHECK(result.trials.size() == 6);
  CHECK(workshop.made.size() == 6);
  CHECK(workshop.made[0].is_default());
  CHECK(std::all_of(result.trials.begin(), result.trials.end(), [](const Trial& t) { return t.samples > 0 && t.failure.empty(); }));

  options.known = {parse_configuration("flag: -O9")};
  CHECK(tune::tune(space, workshop, options).trials[1].configuration == options.known[0]);
  options.known.clear();

  struct Picky : NothingWorkshop {
    std::unique_ptr<Subject> make(const Configuration& c, Deadline deadline) override {
      HARP_CHECK(c.is_default(), Code::kCompiler, "no taste");
      return NothingWorkshop::make(c, deadline);
    }
  } picky;
  result = tune::tune(space, picky, options);
  CHECK(result.trials.size() == 6);
  CHECK(result.trials[3].failure == "no taste");
  CHECK(result.best == 0);

  size_t calls = 0;
  options.progress = [&](const TuneProgress& progress) {
    CHECK(progress.trials.size() == ++calls);
    return calls == 2 ? tune::Verdict::kStop : tune::Verdict::kContinue;
  };
  CHECK(tune::tune(space, workshop, options).trials.size() == 2);
  options.progress = [](const TuneProgress&) { return tune::Verdict::kCancel; };
  CHECK(message_of([&] { tune::tune(space, workshop, options); }) == "tuning was cancelled");
  options.progress = nullptr;
  options.seconds = 1e-9;  // the untuned program is measured whatever the time
  CHECK(tune::tune(space, workshop, options).trials.size() == 1);
}

TEST_CASE("H3.trial_result: other bits than the untuned program's are an error that names the configuration") {
  struct Wrong : Nothing {
    std::string difference() override { return "element 5 is 1 instead of 2"; }
  };
  struct WrongOnce : NothingWorkshop {
    std::unique_ptr<Subject> make(const Configuration& c, Deadline deadline) override {
      NothingWorkshop::make(c, deadline);
      if (made.size() == 4) return std::make_unique<Wrong>();
      return std::make_unique<Nothing>();
    }
  } workshop;
  const SearchSpace space = space_of(kProduct);
  const std::string message = message_of([&] { tune::tune(space, workshop, {}); });
  CHECK(message.find("element 5 is 1 instead of 2") != std::string::npos);
  CHECK(message.find(print(workshop.made.back())) != std::string::npos);

  const auto bytes = [](const auto& values) { return std::as_bytes(std::span(values)); };
  const std::vector<float> nan = {1, std::nanf("1"), 3}, other_nan = {1, -std::nanf("2"), 3}, zero = {0.0F}, minus_zero = {-0.0F};
  CHECK(first_difference(DType::kF32, bytes(nan), bytes(other_nan)).empty());
  CHECK(first_difference(DType::kF32, bytes(minus_zero), bytes(zero)) == "element 0 is 0x80000000 instead of 0x00000000");
  CHECK(first_difference(DType::kU32, bytes(nan), bytes(other_nan)).starts_with("element 1 is"));
  CHECK(first_difference(DType::kC64, bytes(std::vector<float>{1, 2, 3, 4}), bytes(std::vector<float>{1, 2, 3, 5}))
            .starts_with("element 1 is"));
  CHECK(first_difference(DType::kF32, bytes(zero), bytes(nan)) == "4 bytes instead of 12");
}

TEST_CASE("H3.trial_result: a compiler that changes results is found out, and nothing is kept") {
  const Scratch scratch;
  const std::string compiler = scratch / "careless-cc";
  write(compiler,
        "#!/bin/sh\nfor word in \"$@\"; do\n  case \"$word\" in *.c) sed -i 's/1[.]5f/2.5f/g' \"$word\" ;; esac\ndone\nexec gcc \"$@\"\n");
  CHECK(::chmod(compiler.c_str(), 0700) == 0);
  const capi_test::Context context = context_in(scratch / "cache");
  harp_tune_options options = HARP_TUNE_OPTIONS_INIT;
  options.seconds = 300;
  const char* compilers[] = {compiler.c_str()};
  options.n_compilers = 1, options.compilers = compilers;
  ErrorSlot err;
  CHECK(tune_scaled(context.get(), options, err) == nullptr);
  CHECK(err.code() == HARP_ERROR_INTERNAL);
  CHECK(err.message().find("of output y, element 0 is 0x40a00000 instead of 0x40400000") != std::string::npos);
  CHECK(err.message().find("compiler: " + compiler) != std::string::npos);
  CHECK(read(database_in(scratch / "cache")).empty());
}

TEST_CASE("H3.best_stored: harp_compile uses what was found, in every context of this machine") {
  const Scratch scratch;
  const std::string directory = scratch / "cache";
  std::string untuned, source;
  CHECK(compile_in(directory, nullptr, &untuned).tuned == 0);
  found_in(directory, "kernel_0: elementwise [thread simd=1]\nflag: -O2");
  Lines lines;
  CHECK(compile_in(directory, &lines, &source).tuned == 1);
  CHECK(source.find("elementwise [thread]") != std::string::npos);
  CHECK(source != untuned);
  CHECK(compile_in(directory, &lines, &source, HARP_TUNING_OFF).tuned == 0);
  CHECK(source == untuned);
  CHECK(lines.lines.empty());
  {  // what was found before is looked at again; harp_cache_clear leaves it alone
    const capi_test::Context context = context_in(directory);
    CHECK(harp_cache_clear(context.get(), nullptr) == HARP_OK);
    ErrorSlot err;
    const Found result = tune_scaled(context.get(), few_trials(), err);
    REQUIRE_MESSAGE(result != nullptr, err.message());
    harp_tune_trial_info trial = HARP_TUNE_TRIAL_INFO_INIT;
    CHECK(harp_tune_result_trial(result.get(), 1, &trial, err) == HARP_OK);
    CHECK(std::string(trial.configuration) == "flag: -O2\nkernel_0: elementwise [thread]\n");
    harp_tune_summary summary = HARP_TUNE_SUMMARY_INIT;
    CHECK(harp_tune_result_summary(result.get(), &summary, err) == HARP_OK);
    CHECK(summary.trials == 3);
    CHECK(summary.stored == 1);
    CHECK(harp_tune_result_trial(result.get(), 3, &trial, err) == HARP_ERROR_INVALID_ARGUMENT);
  }
  // other options are another program, and other threads, too
  found_in(directory, "kernel_0: elementwise [thread simd=1]");
  const capi_test::Context context =
      capi_test::make_context([&](harp_context_options& o) { o.cache_dir = directory.c_str(), o.threads = 2; });
  const capi_test::Graph graph = capi_test::parse(context.get(), kScaled);
  CHECK(stats_of(capi_test::compile(graph.get(), "c").get()).tuned == 0);
}

TEST_CASE(
    "H3.best_stored: a database of another machine or version is passed over with one line of the log, and so is what no longer fits") {
  const Scratch scratch;
  const std::string directory = scratch / "cache", simple = "kernel_0: elementwise [thread simd=1]";
  const TuningEntry entry = found_in(directory, simple);
  const auto uses = [&](const std::string& text, size_t lines_expected) {
    write(database_in(directory), text);
    Lines lines;
    const bool is_tuned = compile_in(directory, &lines).tuned != 0;
    CHECK(lines.lines.size() == lines_expected);
    return is_tuned;
  };
  const std::string header = "harp tuning 1\n\n";
  TuningEntry other = entry;
  CHECK(uses(header + print(entry), 0));
  other.version = "0.0.9 law 1";
  CHECK_FALSE(uses(header + print(other), 1));
  CHECK(uses(header + print(other) + "\n" + print(entry), 1));
  other = entry, other.machine += " Turbo";
  CHECK_FALSE(uses(header + print(other), 1));
  CHECK_FALSE(uses("harp tuning 2\n\n" + print(entry), 1));
  CHECK_FALSE(uses("", 1));
  CHECK_FALSE(uses(std::string(5000, '\xff'), 1));
  other = entry, other.configuration = parse_configuration("kernel_9: elementwise [thread simd=1]");
  CHECK_FALSE(uses(header + print(other), 1));
  other.configuration = parse_configuration("compiler: /no/such/cc");
  CHECK_FALSE(uses(header + print(other), 1));
  other.configuration = parse_configuration("flag: -ffast-math");  // by hand, say
  CHECK_FALSE(uses(header + print(other), 1));
  CHECK(::chmod(database_in(directory).c_str(), 0666) == 0);  // anybody may have written it
  write(database_in(directory), header + print(entry));
  CHECK(::chmod(database_in(directory).c_str(), 0666) == 0);
  Lines lines;
  CHECK(compile_in(directory, &lines).tuned == 0);
}

TEST_CASE("H3.best_stored: no damage of the database is taken for what it said") {
  TuningEntry one{digest_of("one"),
                  "softmax",
                  "0.1.0 law 1",
                  "x86_64-linux-gnu x86-64-v4 EPYC",
                  0.25,
                  0.5,
                  parse_configuration("flag: -O2\nkernel_0: reduce [thread, reduce simd=8]")};
  TuningEntry two = one;
  two.program = digest_of("two"), two.configuration = parse_configuration("share: 7");
  const std::string header = "harp tuning 1\n\n", text = header + print(one) + "\n" + print(two);
  const auto check = [&](const std::string& damaged) {
    const TuningText parsed = parse_database(damaged);
    for (const TuningEntry& entry : parsed.entries) {
      const std::string whole = print(entry);
      const bool is_one_of_them = whole == print(one) || whole == print(two);
      CHECK(is_one_of_them);
    }
    return parsed;
  };
  CHECK(check(text).entries.size() == 2);
  CHECK(check(text).damaged == 0);
  for (size_t size = 0; size < text.size(); ++size) CHECK(check(text.substr(0, size)).entries.size() < 2);
  for (size_t at = 0; at < text.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      check(damaged);
    }
  for (size_t at = header.size(); at < header.size() + print(one).size(); ++at) {  // what is lost here leaves the other alone
    const TuningText parsed = check(text.substr(0, at) + text.substr(at + 1));
    CHECK(parsed.entries.size() <= 2);
    const bool has_two =
        std::any_of(parsed.entries.begin(), parsed.entries.end(), [&](const TuningEntry& e) { return e.program == two.program; });
    CHECK(has_two);
  }
  CHECK(check(header + print(two) + print(one)).entries.size() == 2);
  CHECK(check(header + "program 1\n" + print(two)).damaged == 1);
}

TEST_CASE("H3.best_stored: two processes and several threads add to one database, and nothing is lost") {
  const Scratch scratch;
  const std::string directory = scratch / "cache";
  constexpr int kEach = 25;
  const auto add_all = [&](const std::string& who) {
    TestSystem system;
    CompileCache cache(system, cache_scenarios::options_in(directory), Log());
    TuningDatabase database(system, cache, Log(), "1 law 1", host_target());
    for (int i = 0; i < kEach; ++i)
      if (!database.add(digest_of(cat(who, i)), who, parse_configuration(cat("share: ", i)), 1, 2)) return 1;
    return 0;
  };
  // First of all, since a child has a copy of every lock that is held when it is made.
  const int child = cache_scenarios::in_child([&] { return add_all("child"); });
  int status = -1, threads[2] = {-1, -1};
  std::thread first([&] { threads[0] = add_all("first"); }), second([&] { threads[1] = add_all("second"); });
  first.join();
  second.join();
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(threads[0] == 0);
  CHECK(threads[1] == 0);
  TestSystem system;
  CompileCache cache(system, cache_scenarios::options_in(directory), Log());
  TuningDatabase database(system, cache, Log(), "1 law 1", host_target());
  for (const char* who : {"child", "first", "second"})
    for (int i = 0; i < kEach; ++i) {
      const std::optional<Configuration> found = database.find(digest_of(cat(who, i)));
      REQUIRE(found);
      CHECK(found->share_ns == i);
    }
  CHECK_FALSE(database.find(digest_of("nobody")));
}

TEST_CASE("H3.best_stored: without a directory the context alone remembers") {
  TestSystem system;
  CacheOptions off;
  off.enabled = false;
  CompileCache cache(system, off, Log());
  TuningDatabase database(system, cache, Log(), "1 law 1", host_target());
  CHECK_FALSE(database.add(digest_of("p"), "p", parse_configuration("share: 3"), 1, 2));
  CHECK(database.find(digest_of("p"))->share_ns == 3);
  RealFileSystem files;
  CHECK(machine_name(files, host_target()).starts_with(cat(host_triple(), " ", host_target().name)));
}

TEST_CASE("H3.beam,random,grid: harp_tune by each strategy; progress, dry runs, and mistakes") {
  const Scratch scratch;
  const capi_test::Context context = context_in(scratch / "cache");
  for (const int32_t strategy : {HARP_TUNE_BEAM, HARP_TUNE_RANDOM, HARP_TUNE_GRID}) {
    harp_tune_options options = few_trials();
    options.strategy = strategy;
    options.dry_run = 1;
    size_t calls = 0;
    options.user = &calls;
    options.progress = [](void* user, const harp_tune_progress* progress) -> int32_t {
      const size_t calls = ++*static_cast<size_t*>(user);
      CHECK(progress->trials == calls);
      CHECK(progress->trial->configuration != nullptr);
      return HARP_TUNE_CONTINUE;
    };
    ErrorSlot err;
    const Found result = tune_scaled(context.get(), options, err);
    REQUIRE_MESSAGE(result != nullptr, err.message());
    CHECK(calls == 3);
    harp_tune_trial_info trial = HARP_TUNE_TRIAL_INFO_INIT;
    CHECK(harp_tune_result_trial(result.get(), 0, &trial, err) == HARP_OK);
    CHECK(std::string(trial.configuration).empty());
    CHECK(trial.samples >= 3);
  }
  CHECK(read(database_in(scratch / "cache")).empty());

  const auto fails = [&](const std::function<void(harp_tune_options&)>& change) {
    harp_tune_options options = few_trials();
    change(options);
    ErrorSlot err;
    CHECK(tune_scaled(context.get(), options, err) == nullptr);
    return std::pair(err.code(), err.message());
  };
  CHECK(fails([](auto& o) { o.progress = [](void*, const harp_tune_progress*) -> int32_t { return HARP_TUNE_CANCEL; }; }).first ==
        HARP_ERROR_CANCELLED);
  CHECK(fails([](auto& o) { o.progress = [](void*, const harp_tune_progress*) -> int32_t { return 7; }; }).first ==
        HARP_ERROR_INVALID_ARGUMENT);
  CHECK(fails([](auto& o) { o.strategy = 9; }).second.find("strategy is 9") != std::string::npos);
  CHECK(fails([](auto& o) { o.seconds = -1; }).second.find("seconds is -1") != std::string::npos);
  CHECK(fails([](auto& o) { o.seconds = NAN; }).first == HARP_ERROR_INVALID_ARGUMENT);
  harp_compile_options compile = HARP_COMPILE_OPTIONS_INIT;
  compile.schedule = "share: 9";
  CHECK(fails([&](auto& o) { o.compile = &compile; }).second.find("no schedule") != std::string::npos);
  compile.schedule = nullptr, compile.backend = "interp";
  CHECK(fails([&](auto& o) { o.compile = &compile; }).second.find("backend \"c\"") != std::string::npos);
  const char* none[] = {nullptr};
  CHECK(fails([&](auto& o) { o.n_compilers = 1, o.compilers = none; }).second.find("compilers[0] is NULL") != std::string::npos);
  ErrorSlot err;
  CHECK(harp_tune(nullptr, nullptr, 0, nullptr, err) == nullptr);
  CHECK(err.code() == HARP_ERROR_INVALID_ARGUMENT);
  const capi_test::Graph graph = capi_test::parse(context.get(), kScaled);
  ErrorSlot missing;
  CHECK(Found(harp_tune(graph.get(), nullptr, 0, nullptr, missing)) == nullptr);  // an input is missing
  CHECK(missing.code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(read(database_in(scratch / "cache")).empty());
  harp_tune_result_release(nullptr);
}
