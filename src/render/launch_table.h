// Launches one after the other as a table that is gone through, instead of a call for each: over a network's hundred calls the compiler
// takes as long as over ten kernels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace harp::render {

class LaunchTable {
 public:
  explicit LaunchTable(const ir::Module& module);

  /// Is there one? Else every generation is written out.
  bool is_used() const { return is_used_; }
  /// Is a generation one launch that can be a row, all of it known before any run?
  bool has(const ir::Generation& generation) const { return is_used_ && is_row(generation); }
  /// The launch of such a generation; its kernel's last argument is the worker's scratch memory, or not.
  void add(const ir::Generation& generation, const std::string& kernel, bool has_scratch);

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

  bool is_row(const ir::Generation& generation) const;
  std::optional<Place> place_of(const ir::HostBuffer& buffer) const;

  const ir::Module& module_;
  bool is_used_ = false;
  std::vector<Row> rows_;
};

}  // namespace harp::render
