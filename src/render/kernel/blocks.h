// Writes the blocks of a kernel: loops of all kinds, conditions, and the statements that leave a loop early.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "render/kernel/scope.h"
#include "render/text/writer.h"

namespace harp::render {

/// Tests whether the kernel must wait, before it ends, until its non-temporal stores are complete.
bool needs_store_fence(const Unit& unit, const ir::Kernel& kernel);

class Blocks {
 public:
  Blocks(Scope& scope, Writer& writer) : scope_(scope), writer_(writer) {}

  /// Opens a block that is not a loop.
  void open(std::string_view head) { open(head, nullptr); }
  /// Opens a loop. `rest` are the lines after the line that opens it.
  void open_loop(const ir::Line& line, std::span<const ir::Line> rest);
  /// Closes the innermost block. If it is the inner one of two loops that execute a loop in pieces (open_pieces()), also closes the outer
  /// one, which tests the cancel flag after each piece.
  void close();
  /// Closes the block of a condition, and opens the block that is executed if the condition is false.
  void branch(std::string_view head);
  /// Writes a statement that leaves the innermost loop under a condition: an integer accumulator is not 0, or all elements of a bool
  /// accumulator are false.
  void leave_loop(const ir::Break& statement);
  /// Prepares an overlapping loop that overwrites its own input. (In an overlapping loop the first two steps process some common elements,
  /// because the number of elements is not a multiple of the step.) The loop's first step is executed last. By then, the second step may
  /// have overwritten data that the first step reads. Therefore this function writes code that copies these data before the loop. The first
  /// step then reads the copy through the array's pointer variable, so the inner loop does not change. (Selecting the source inside the
  /// loop would take longer than the copy.)
  void keep_first_step(const ir::Line& line);

 private:
  /// An open loop that is written as two nested loops, so that the cancel flag is tested after each piece of its iterations
  /// (open_pieces()): the nesting depth inside the outer loop, the condition that no piece is left, and the statement that moves to the
  /// next piece.
  struct Pieces {
    int depth;
    std::string is_done, next;
  };

  /// An open block. A bare block has no braces in the text, so its statements belong to the surrounding block. A double block is the inner
  /// one of two loops in the text, which are closed together.
  struct Open {
    bool is_bare = false, is_double = false;
    std::string_view last = {};  // line to write before the block is closed
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
  // Whether some groups of threads may have no iteration left. The generated variable is_active is false in these groups and true in the
  // others.
  bool has_idle_groups_ = false;
  /// Assignments that the head of the next overlapping loop contains. They are executed before the loop's last step, and make pointers
  /// point to the copies that keep_first_step() has made.
  std::string redirect_to_copies_;
};

}  // namespace harp::render
