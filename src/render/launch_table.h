// Launches as a table that is gone through, instead of a call for each: over a network's hundred calls the compiler takes as long as over
// ten kernels. Generations of one launch follow each other; the launches of one generation, if they are many and small, are shared out
// whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace harp::render {

class LaunchTable {
 public:
  /// `share`: work of a launch that may be more than one worker's.
  LaunchTable(const ir::Module& module, int64_t share);

  /// Is there one? Else every generation is written out.
  bool is_used() const { return is_used_; }
  /// Are a generation's launches rows, all of them known before any run? Of several each is one worker's.
  bool has(const ir::Generation& generation) const { return is_used_ && are_rows(generation); }
  /// A launch of such a generation; its kernel's last arguments are the worker's scratch memory and the run's flag, or not.
  void add(const ir::Launch& launch, const std::string& kernel, bool has_scratch, bool looks);
  /// The statement that runs rows [begin, end): one generation if there are several.
  std::string run(size_t begin, size_t end, bool is_one_generation);

  /// The rows there are, and what goes through them.
  std::string definitions() const;
  size_t rows() const { return rows_.size(); }
  /// Statements of kernel_main: what the rows count arrays from.
  std::string arrays(bool has_workspace) const;

 private:
  /// An argument: bytes into the workspace (0), into an input or into an output.
  struct Place {
    size_t array;
    int64_t offset;
  };
  struct Row {
    std::string kernel;
    int64_t count, work;
    std::vector<Place> arguments;
  };

  bool are_rows(const ir::Generation& generation) const;
  bool is_row(const ir::Launch& launch) const;
  std::optional<Place> place_of(const ir::HostBuffer& buffer) const;

  const ir::Module& module_;
  const int64_t share_;
  bool is_used_ = false, follow_ = false, are_side_by_side_ = false, looks_ = false;  // what goes through rows
  std::vector<Row> rows_;
};

}  // namespace harp::render
