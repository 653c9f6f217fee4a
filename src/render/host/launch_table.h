// Writes the launch table: a constant table of launches in the generated source, which a loop executes. It replaces one call for each
// launch, because calls cost compile time: the hundred calls of a neural network take as long to compile as ten kernels. Consecutive
// generations (sets of independent launches) with one launch each run one after the other. If a generation has many small launches, these
// run concurrently, each on one worker.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/hidden_constants.h"

namespace harp::render {

class LaunchTable {
 public:
  /// `least`: the least work of a launch that several workers may run, in picoseconds (Sharing::least).
  LaunchTable(const ir::Module& module, int64_t least);

  /// Tests whether the source has a launch table. If it has none, every launch is a call.
  bool is_used() const { return is_used_; }
  /// Tests whether the launches of a generation (launches that do not depend on each other) are rows of the table. They are if their
  /// kernels, sizes and arguments are known at compile time and, in a generation of several launches, if each launch is small enough for
  /// one worker.
  bool has(const ir::Generation& generation) const { return is_used_ && are_rows(generation); }
  /// Adds a launch to the table. Requires that has() is true for the launch's generation. `has_scratch` and `polls` say whether the
  /// kernel's last arguments include the worker's scratch memory and the run's cancel flag.
  void add(const ir::Launch& launch, const std::string& kernel, bool has_scratch, bool polls);
  /// Returns the statement that runs the launches in rows [begin, end) of the table. If they belong to one generation
  /// (`is_one_generation`), they do not depend on each other and run concurrently; otherwise they run one after the other.
  std::string run(size_t begin, size_t end, bool is_one_generation);

  /// Returns the definitions of the table and of the functions that run its rows.
  std::string definitions() const;
  size_t rows() const { return rows_.size(); }
  /// Returns the statements of kernel_main that define the arrays' base addresses. The table contains offsets from these.
  std::string arrays(bool has_workspace) const;

 private:
  /// An argument of a launch: the index of an array, and an offset in bytes. Index 0 is the workspace; then come inputs, hidden inputs and
  /// outputs, and last the cancel flag if some kernel of the table polls it.
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
  const int64_t least_;
  // is_used_: the source has a table. is_sequential_, is_concurrent_: the source needs the function that runs rows one after the other, or
  // the one that runs them concurrently. polls_: some kernel in the table polls the cancel flag.
  bool is_used_ = false, is_sequential_ = false, is_concurrent_ = false, polls_ = false;
  std::vector<Row> rows_;
};

}  // namespace harp::render
