// The choices of the tuner for one program at given sizes. A *choice* has several options; option 0 is harp's default. A *point* is a
// complete configuration: one option for each choice. The choices of a kernel are legal for it (schedule/legal.h) and near harp's own
// schedule: half, a quarter, twice and four times its tile sizes, neighbouring register tiles, narrower vectors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/legal.h"
#include "tune/configuration.h"

namespace harp::tune {

struct Choice {
  enum class Setting : uint8_t {
    kCompiler,
    kFlags,
    kPass,
    kShare,
    kRecipe,
    kThreads,
    kTile,
    kUnroll,
    kLanes,
    kPack,
    kPartition,
    kOverlap,
    kNontemporal,
    kDeferStores,
    kPrefetch,
    kNanFlag
  };
  Setting setting;
  size_t kernel = 0, recipe = 0, axis = 0;  // for the choices of a kernel; `recipe` and `axis` only if they apply
  std::vector<int64_t> values = {};         // the value of each option; an index if the options are no numbers
};

using Point = std::vector<uint8_t>;  // the option taken for each choice

/// One kernel: the variant that runs at these sizes, and harp's default schedule for each of its recipes (templates that can lower it).
struct KernelSpace {
  int64_t variant = 0;  // numbered as in ScheduleOverride
  std::vector<ScheduleRules> rules;
  std::vector<Schedule> usual;   // parallel to `rules`: harp's default schedule for each recipe
  size_t recipe = 0;             // the recipe that harp chose
  std::vector<int64_t> extents;  // the extents of iteration_space()
  int64_t work = 0;              // the work of the kernel as scalar code, in the units of lower::work_of
  std::vector<size_t> choices;   // the indices of its choices; empty if the space has no choices for it (too many kernels, too little work)
};

struct SpaceOptions {
  PipelineOptions base;                // the settings that are not searched
  std::vector<std::string> compilers;  // candidates that may replace the context's compiler
  std::vector<int64_t> sizes;          // values of the graph's shape variables
  size_t workers = 1;                  // if 1, choices about threads are omitted
};

class SearchSpace {
 public:
  SearchSpace(const Graph& graph, SpaceOptions options);

  const std::vector<Choice>& choices() const { return choices_; }
  const std::vector<KernelSpace>& kernels() const { return kernels_; }
  const SpaceOptions& options() const { return options_; }
  Point untuned() const { return Point(choices_.size(), 0); }
  /// The number of points, legal or not.
  double size() const;

  /// Resets to option 0 every choice that makes no difference at this point: tiles of a recipe that is not chosen, and all schedules if an
  /// optimiser pass is skipped, because the program then has other kernels. Returns false if the point is not legal or harp cannot generate
  /// it.
  bool settle(Point& point) const;
  Configuration configuration(const Point& point) const;
  /// The schedule of a kernel at a settled point.
  Schedule schedule(size_t kernel, const Point& point) const;

 private:
  void add(Choice choice);
  void add_kernel(const KernelPlan& plan);
  void add_choices(size_t kernel);
  int64_t evaluate_at(Sym size) const;

  SpaceOptions options_;
  Program program_;
  std::vector<Choice> choices_;
  std::vector<KernelSpace> kernels_;
};

/// Flags of the compiler that change the speed of code and not its results; the first is no flag.
inline constexpr std::string_view kTunedFlags[] = {"", "-O2", "-O3", "-funroll-loops", "-fno-schedule-insns2", "-fno-tree-vectorize"};

}  // namespace harp::tune
