// Launches as a table and a loop, instead of one call for each. (The hundred calls of a network take as long to compile as ten kernels.)
// Generations of one launch run one after the other. If one generation has many small launches, workers run whole launches concurrently.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/hidden_constants.h"

namespace harp::render {

class LaunchTable {
 public:
  /// `share`: the work, in half nanoseconds, from which on several workers may run a launch.
  LaunchTable(const ir::Module& module, int64_t share);

  /// Tests whether the source uses a table. If not, every launch is written out.
  bool is_used() const { return is_used_; }
  /// Tests whether the launches of a generation go into the table. Their kernels, sizes and arguments must be known at compile time. If
  /// there are several, one worker runs each.
  bool has(const ir::Generation& generation) const { return is_used_ && are_rows(generation); }
  /// Adds a launch of a generation for which has() is true. `has_scratch` and `polls` say whether the last arguments of the kernel include
  /// the worker's scratch memory and the run's cancel flag.
  void add(const ir::Launch& launch, const std::string& kernel, bool has_scratch, bool polls);
  /// Returns the statement that runs rows [begin, end). With `is_one_generation` they run concurrently.
  std::string run(size_t begin, size_t end, bool is_one_generation);

  /// Returns the table and the functions that run it.
  std::string definitions() const;
  size_t rows() const { return rows_.size(); }
  /// Returns statements of kernel_main that define the base addresses of the table's offsets.
  std::string arrays(bool has_workspace) const;

 private:
  /// An argument of a launch: the number of its array (the workspace is number 0; inputs, hidden inputs and outputs follow), and an offset
  /// in bytes.
  struct ArrayOffset {
    size_t array;
    int64_t offset;
  };
  struct Row {
    std::string kernel;
    int64_t count, work;
    std::vector<ArrayOffset> arguments;
  };

  bool are_rows(const ir::Generation& generation) const;
  bool is_row(const ir::Launch& launch) const;
  std::optional<ArrayOffset> offset_of(const ir::HostBuffer& buffer) const;

  const ir::Module& module_;
  const ir::HiddenConstants hidden_;
  const int64_t share_;
  bool is_used_ = false, is_sequential_ = false, is_concurrent_ = false, polls_ = false;  // which functions that run rows are needed
  std::vector<Row> rows_;
};

}  // namespace harp::render
