// Defines the search space of the tuner, for one program with given sizes. A *choice* is a setting with several options; option 0 is harp's
// default. A *point* is a complete configuration: it takes one option for each choice. The options for the schedule of a kernel are legal
// (schedule/legal.h) and close to harp's default schedule: half, a quarter, twice and four times its tile sizes, similar register tiles,
// and half or twice as many vector lanes.
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
    kNanFlag,
    kHalf
  };
  Setting setting;
  // Only choices for the schedule of a kernel use `kernel` and `recipe` (the index of a template). `axis` is an axis of the iteration
  // space, and for kPass the index of the optimiser pass. An index that does not apply is 0.
  size_t kernel = 0, recipe = 0, axis = 0;
  std::vector<int64_t> values = {};  // the value of each option; an index if the options are not numbers
};

using Point = std::vector<uint8_t>;  // for each choice, the index of its option

/// The part of the search space that belongs to one kernel: the variant of the kernel that runs at these sizes, and harp's default schedule
/// for each template that can lower it (each "recipe").
struct KernelSpace {
  int64_t variant = 0;  // variant number as in ScheduleOverride: 0 if there is only one variant
  std::vector<ScheduleRules> rules;
  std::vector<Schedule> usual;   // harp's default schedule for each template, in the order of `rules`
  size_t recipe = 0;             // index of the template that harp chooses by default
  std::vector<int64_t> extents;  // extents of the axes of iteration_space()
  int64_t work = 0;              // work of the kernel if compiled to scalar code, in the units of lower::work_of
  // Indices in SearchSpace::choices() of the choices for this kernel's schedule. Empty if there is nothing to choose, or if this kernel is
  // not among those with the most work, to which the search is limited.
  std::vector<size_t> choices;
};

struct SpaceOptions {
  PipelineOptions base;                // settings that are the same at all points
  std::vector<std::string> compilers;  // compilers to try besides the context's
  std::vector<int64_t> sizes;          // values of the graph's shape variables, in their order
  size_t workers = 1;                  // number of threads of a run; if it is 1, the space has no choices about threads
};

class SearchSpace {
 public:
  SearchSpace(const Graph& graph, SpaceOptions options);

  const std::vector<Choice>& choices() const { return choices_; }
  const std::vector<KernelSpace>& kernels() const { return kernels_; }
  const SpaceOptions& options() const { return options_; }
  Point untuned() const { return Point(choices_.size(), 0); }
  /// Returns the number of points, including those that are not legal.
  double size() const;

  /// Resets to option 0 every choice that makes no difference at this point. These are the choices for templates that are not chosen, and,
  /// if an optimiser pass is skipped, all choices about schedules, because the program then has other kernels. Returns false if the point
  /// is not legal.
  bool settle(Point& point) const;
  Configuration configuration(const Point& point) const;
  /// Returns the schedule of a kernel at a point for which settle() has returned true.
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

/// Compiler flags to try. They change the speed of code but not its results. The first option is to add no flag.
inline constexpr std::string_view kTunedFlags[] = {"", "-O2", "-O3", "-funroll-loops", "-fno-schedule-insns2", "-fno-tree-vectorize"};

}  // namespace harp::tune
