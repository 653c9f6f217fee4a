// Tests the tuner's search: the search space, the order in which strategies try its points, and what is measured and compared. No test
// depends on time.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "graph/text.h"
#include "pipeline.h"
#include "support/machine.h"
#include "support/tune_support.h"
#include "tune/cost_model.h"
#include "tune/same_bits.h"
#include "tune/tuner.h"

using namespace harp;
using namespace harp::tune;
using namespace harp::tune_test;

namespace {

SearchSpace space_of(const std::string& text, std::vector<int64_t> sizes = {}, size_t workers = 1) {
  PipelineOptions base;
  base.target = testing::row("x86-64-v4");
  return SearchSpace(*parse_graph(text), {base, {}, std::move(sizes), workers});
}

bool has(const SearchSpace& space, Choice::Setting setting) {
  return std::any_of(space.choices().begin(), space.choices().end(), [&](const Choice& c) { return c.setting == setting; });
}

/// A program to be measured that does nothing and whose result always counts as right.
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

}  // namespace

TEST_CASE("H3.search_space: the choices are the legal settings of each kernel, and every point makes a program") {
  const SearchSpace product = space_of(kProduct);
  for (const Choice::Setting setting :
       {Choice::Setting::kFlags, Choice::Setting::kPass, Choice::Setting::kRecipe, Choice::Setting::kTile, Choice::Setting::kUnroll,
        Choice::Setting::kLanes, Choice::Setting::kPack, Choice::Setting::kPartition, Choice::Setting::kOverlap})
    CHECK(has(product, setting));
  // with one worker, a kernel has no choice of how many threads share it, nor of the size of their shares
  CHECK_FALSE(has(product, Choice::Setting::kThreads));
  CHECK_FALSE(has(product, Choice::Setting::kShare));
  CHECK(has(space_of(kProduct, {}, 2), Choice::Setting::kThreads));
  CHECK(has(space_of(kProduct, {}, 2), Choice::Setting::kShare));
  CHECK(product.configuration(product.untuned()).is_default());
  CHECK_FALSE(has(product, Choice::Setting::kHalf));
  CHECK(has(space_of("graph g(x: f32[1024, 512]) { return y = x @ transpose(x) }"), Choice::Setting::kHalf));
  const SearchSpace sum = space_of("graph g(x: f32[90, 64]) { return y = sum(x, axes=[1]) }");
  CHECK(has(sum, Choice::Setting::kLanes));
  CHECK_FALSE(has(sum, Choice::Setting::kTile));  // a reduction that sums each row in the lanes of a vector has no tiles
  CHECK_FALSE(has(sum, Choice::Setting::kRecipe));

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
      // a point does not both skip passes and change schedules, because skipping a pass changes the kernels
      CHECK((c.disabled_passes.empty() || c.schedules.empty()));
      CHECK(std::isfinite(relative_cost(space, *point)));
    }
  }
  CHECK(relative_cost(product, product.untuned()) == 1);
}

TEST_CASE("H3.search_space: of variants by size the one that runs is tuned") {
  const std::string text = "graph g(a: f32[m, k], b: f32[k, n]) { return y = a @ b }";
  const SearchSpace large = space_of(text, {64, 64, 64}), small = space_of(text, {64, 64, 1}), flat = space_of(text, {8, 4096, 4096});
  CHECK(flat.kernels()[0].variant == 2);
  CHECK(large.kernels()[0].variant == 4);
  CHECK(small.kernels()[0].variant == 1);  // one column
  for (const SearchSpace* space : {&flat, &large, &small})
    for (size_t i = 0; i < space->choices().size(); ++i) {
      if (space->choices()[i].setting != Choice::Setting::kLanes) continue;
      Point point = space->untuned();
      point[i] = 1;
      if (!space->settle(point) || space->configuration(point).schedules.empty()) continue;
      const Configuration c = space->configuration(point);
      CHECK(c.schedules[0].variant == space->kernels()[0].variant);
      PipelineOptions options = space->options().base;
      apply(c, options);
      // the printed schedule still contains the condition of this schedule variant
      CHECK(emit_stage(*parse_graph(text), options, "schedule").find("where ") != std::string::npos);
    }
}

TEST_CASE("H3.search_space: of many kernels those with most work have choices") {
  std::string text = "graph g(x: f32[1000]) {\n  return ";
  for (int i = 1; i <= 100; ++i) append(text, cat(i > 1 ? ", " : "", "y", i, " = sum(slice(x, start=[0], stop=[", 9 * i, "]), axes=[0])"));
  const SearchSpace space = space_of(text + "\n}");
  REQUIRE(space.kernels().size() == 100);
  // the least work of a kernel whose schedule can be tuned, and the greatest work of any other kernel
  int64_t least = INT64_MAX, greatest = 0;
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
  CHECK(count + 1 <= static_cast<size_t>(small.size()));  // the strategy ends, at the latest when it has tried all points
  CHECK(count > 0);
}

TEST_CASE("H3.beam: finds the best of choices that do not depend on each other, the cost model's favourites first") {
  const SearchSpace space = space_of(kProduct);
  const auto seconds = [&](const Point& point) {  // an invented time, with which the last option of each choice is the fastest
    double s = 1;
    for (size_t i = 0; i < point.size(); ++i)
      if (space.choices()[i].setting >= Choice::Setting::kTile && space.choices()[i].recipe == space.kernels()[0].recipe)
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
    if (i < 8) {  // the first candidates come in order of their estimated cost; then the search continues from the best of them
      const double cost = relative_cost(space, *point);
      CHECK(cost >= last_cost);
      last_cost = cost;
    }
    best = std::min(best, seconds(*point));
    beam->measured(*point, seconds(*point));
  }
  double neighbours = 1;  // the best time of points that change a single choice
  for (const Point& point : given) {
    const auto changes = std::count_if(point.begin(), point.end(), [](uint8_t option) { return option != 0; });
    if (changes == 1) neighbours = std::min(neighbours, seconds(point));
  }
  CHECK(best < neighbours - 0.015);  // the result is better than any single change, so the search has combined several good choices
}

TEST_CASE("H3.trial_result: medians and quartiles; a configuration that fails to compile is a trial, too; stop, cancel, and limits") {
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
  options.seconds = 1e-9;  // even with so short a time limit, the untuned program is measured
  CHECK(tune::tune(space, workshop, options).trials.size() == 1);
}

TEST_CASE("H3.trial_result: known configurations are compared whatever the time, and kept if they were not") {
  struct Slow : Nothing {
    void run() override {
      const auto end = Clock::now() + std::chrono::microseconds(300);
      while (Clock::now() < end) {
      }
    }
  };
  struct SlowUntuned : NothingWorkshop {
    std::unique_ptr<Subject> make(const Configuration& c, Deadline deadline) override {
      HARP_CHECK(Clock::now() < deadline, Code::kCancelled, "late");
      NothingWorkshop::make(c, deadline);
      if (c.is_default()) return std::make_unique<Slow>();
      return std::make_unique<Nothing>();
    }
  } workshop;
  const SearchSpace space = space_of(kProduct);
  TuneOptions options;
  options.known = {parse_configuration("flag: -O9")};
  options.seconds = 1e-9;
  TuneResult result = tune::tune(space, workshop, options);
  CHECK(result.trials.size() == 2);
  CHECK(result.best == 1);
  CHECK(result.trials[1].configuration == options.known[0]);
  CHECK_FALSE(result.leaves_known);
  options.most_trials = 1;
  result = tune::tune(space, workshop, options);
  CHECK(result.trials.size() == 1);
  CHECK(result.leaves_known);
  options.most_trials = 6;
  options.progress = [&](const TuneProgress&) { return tune::Verdict::kStop; };
  CHECK(tune::tune(space, workshop, options).leaves_known);
  options.known = {Configuration()};  // this is the default configuration, which is always measured, so it does not count as left out
  CHECK_FALSE(tune::tune(space, workshop, options).leaves_known);
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
  CHECK(first_difference(DType::kF32, bytes(zero), bytes(nan)) == "got 4 bytes, expected 12");
}
