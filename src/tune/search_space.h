// What the tuner may choose for one program at given sizes. A *choice* has a few options, of which option 0 is what harp does untuned; a
// *point* takes one option of each choice. Choices of a kernel follow from what is legal for it (schedule/legal.h) and lie around harp's
// own schedule: a half, a quarter, twice and four times a tile, the neighbours of a tile of registers, narrower vectors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/legal.h"
#include "tune/configuration.h"

namespace harp::tune {

struct Choice {
  enum class What : uint8_t {
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
    kStream,
    kLate,
    kAhead,
    kWatch
  };
  What what;
  size_t kernel = 0, recipe = 0, axis = 0;  // of a kernel's choices, as far as they have them
  std::vector<int64_t> values = {};         // of each option; where it is no number, which of several
};

using Point = std::vector<uint8_t>;  // an option of each choice

/// One kernel: the variant that runs at these sizes, and harp's schedule for each recipe it can be lowered by.
struct KernelSpace {
  int64_t variant = 0;  // as in ScheduleOverride
  std::vector<ScheduleRules> rules;
  std::vector<Schedule> usual;   // parallel to rules
  size_t recipe = 0;             // which of them harp chose
  std::vector<int64_t> extents;  // of iteration_space()
  int64_t work = 0;              // of the kernel, in the units of lower::work_of with scalars
  std::vector<size_t> choices;   // its own, by number; none: it is one of many, and has little work
};

struct SpaceOptions {
  PipelineOptions base;                // what is fixed
  std::vector<std::string> compilers;  // that may run instead of the context's
  std::vector<int64_t> sizes;          // values of the graph's shape variables
  size_t workers = 1;                  // with one, what is about threads is no choice
};

class SearchSpace {
 public:
  SearchSpace(const Graph& graph, SpaceOptions options);

  const std::vector<Choice>& choices() const { return choices_; }
  const std::vector<KernelSpace>& kernels() const { return kernels_; }
  const SpaceOptions& options() const { return options_; }
  Point untuned() const { return Point(choices_.size(), 0); }
  /// How many points there are, legal or not.
  double size() const;

  /// The point with option 0 wherever a choice makes no difference (tiles of a recipe that is not taken; schedules where a pass is left
  /// out, since kernels are others then). False, and the point is of no use: not legal, or not what harp can generate.
  bool settle(Point& point) const;
  Configuration configuration(const Point& point) const;
  /// Of a kernel, at a settled point.
  Schedule schedule(size_t kernel, const Point& point) const;

 private:
  void add(Choice choice);
  void look_at(const KernelPlan& plan);
  void add_choices(size_t kernel);
  int64_t evaluate_at(Sym size) const;

  SpaceOptions options_;
  Program program_;
  std::vector<Choice> choices_;
  std::vector<KernelSpace> kernels_;
};

/// Flags of the compiler that change how fast code is and not what it computes; the first is none.
inline constexpr std::string_view kTunedFlags[] = {"", "-O2", "-O3", "-funroll-loops", "-fno-schedule-insns2", "-fno-tree-vectorize"};

}  // namespace harp::tune
