// The blocks of a kernel: loops of every kind, conditions, and where a loop is left early.
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

  /// Opens a block that is no loop.
  void open(std::string_view head) { open(head, nullptr); }
  /// Opens a loop. `rest` are the lines after it.
  void open_loop(const ir::Line& line, std::span<const ir::Line> rest);
  /// Closes the innermost block, and with it the outer loop of one that runs in pieces.
  void close();
  /// Closes the block of a condition and opens that of its alternative.
  void branch(std::string_view head);
  /// Leaves the innermost loop if the accumulator is not 0.
  void leave_loop(const ir::Break& statement);
  /// For an array that the next loop, an overlapping one, may overwrite: copies the data that its first step reads. That step runs last and
  /// reads the copy through the array's pointer variable. The inner loop therefore stays unchanged (selecting the source inside it would
  /// cost more than the copy).
  void keep_first_step(const ir::Line& line);

 private:
  /// An open loop that runs in pieces: the depth inside it, the condition after the last piece, and the statement before the next piece.
  struct Pieces {
    int depth;
    std::string is_done, next;
  };

  /// A block that is open. A bare one has no text of its own: its statements are among those around it.
  struct Open {
    bool is_bare = false;
    std::string_view last = {};  // the line before its end
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
  bool has_idle_groups_ = false;  // some groups of the last block may have no iteration of the thread loop: is_active says which have one
  /// For the next loop: assignments in its last step that redirect pointers to the copies of overwritten data.
  std::string redirect_to_copies_;
};

}  // namespace harp::render
