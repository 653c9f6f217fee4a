// Writes the blocks of a kernel: loops of every kind, conditions, and the statements that leave a loop early.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "render/kernel/scope.h"
#include "render/text/writer.h"

namespace harp::render {

/// Tests whether the kernel must wait for its non-temporal stores before it ends.
bool needs_store_fence(const Unit& unit, const ir::Kernel& kernel);

class Blocks {
 public:
  Blocks(Scope& scope, Writer& writer) : scope_(scope), writer_(writer) {}

  /// Opens a block that is not a loop.
  void open(std::string_view head) { open(head, nullptr); }
  /// Opens a loop. `rest` are the lines of the linear form after it.
  void open_loop(const ir::Line& line, std::span<const ir::Line> rest);
  /// Closes the innermost block. If it is a loop that runs in pieces (with a poll of the cancel flag after each), also closes the loop over
  /// the pieces.
  void close();
  /// Closes the block of a condition and opens the block of the alternative.
  void branch(std::string_view head);
  /// Leaves the innermost loop if the accumulator is not 0.
  void leave_loop(const ir::Break& statement);
  /// Writes code that copies the data that the first step of the next loop reads. That loop is an overlapping one: its first step overlaps
  /// the second and is executed last, when the second may have overwritten the data. The first step then reads the copy through the array's
  /// pointer variable, so the inner loop stays unchanged (selecting the source inside it would cost more than the copy).
  void keep_first_step(const ir::Line& line);

 private:
  /// A loop that runs in pieces and is still open: the nesting depth inside it, the condition that no piece is left, and the statement that
  /// moves to the next piece.
  struct Pieces {
    int depth;
    std::string is_done, next;
  };

  /// An open block. A bare one has no braces: its statements are part of the surrounding block.
  struct Open {
    bool is_bare = false;
    std::string_view last = {};  // the line to write before the end of the block
  };

  void open(std::string_view head, const SymAtom* loop_variable);
  void open_grid_loop(const ir::Line& line);
  void open_loop_of_groups(const ir::Line& line);
  void open_group(const ir::Line& line, std::span<const ir::Line> rest);
  void open_pieces(const ir::Loop& loop, const std::string& variable, const std::string& begin, const std::string& end);
  void open_overlapping(const ir::Line& line, const std::string& begin, const std::string& end);
  void leave_if_cancelled();

  Scope& scope_;
  Writer& writer_;
  std::vector<Open> open_;
  std::vector<Pieces> pieces_;
  bool has_idle_groups_ = false;  // groups of threads may have no iteration left; the generated variable is_active tells which have one
  /// Assignments to write into the head of the next overlapping loop: before the step that is executed last, they redirect pointers to the
  /// copies made by keep_first_step().
  std::string redirect_to_copies_;
};

}  // namespace harp::render
