// Writes launches as rows of a constant table that a loop executes, instead of as one call each, because calls cost compile time: the
// hundred calls of a neural network take as long to compile as ten kernels. Consecutive generations that have one launch each run one after
// the other. If a generation has many small launches, they run concurrently, each on one worker.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/hidden_constants.h"

namespace harp::render {

class LaunchTable {
 public:
  /// `share`: the least work, in units of half a nanosecond, for which several workers may run one launch (Sharing::share).
  LaunchTable(const ir::Module& module, int64_t share);

  /// Tests whether the source uses a table. If not, every launch is written out.
  bool is_used() const { return is_used_; }
  /// Tests whether the launches of a generation go into the table. Their kernels, sizes and arguments must be known at compile time.
  /// Several launches of one generation must each be small enough for one worker.
  bool has(const ir::Generation& generation) const { return is_used_ && are_rows(generation); }
  /// Adds a launch of a generation for which has() is true. `has_scratch` and `polls` say whether the last arguments of the kernel include
  /// the worker's scratch memory and the run's cancel flag.
  void add(const ir::Launch& launch, const std::string& kernel, bool has_scratch, bool polls);
  /// Returns the statement that runs rows [begin, end). With `is_one_generation` they run concurrently.
  std::string run(size_t begin, size_t end, bool is_one_generation);

  /// Returns the table and the functions that run it.
  std::string definitions() const;
  size_t rows() const { return rows_.size(); }
  /// Returns statements of kernel_main that define the base addresses to which the offsets of the table are relative.
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
