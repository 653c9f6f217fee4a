// What a scan along rows stores past the caches where rows begin anywhere in a line of memory: a block of running values is put into an
// array first, and whole lines are copied from there. What is loaded is asked for ahead.
#pragma once

#include "lower/accumulate.h"

namespace harp::lower {

/// The lines of memory that groups to come load from where these statements do are asked for; not where vectors are in a loop.
ir::Body lines_ahead(ir::Arena& arena, const ir::Body& loads);

class ScanLines {
 public:
  /// For what `stores` would store with `along` for the place in a row; none where that is not one element after the other. `most`
  /// elements make a block.
  static std::optional<ScanLines> of(KernelContext& context, Accumulators& accumulators, const ir::Body& stores, Sym along, int64_t most);

  void declare(ir::Body& body) const;
  /// `stores`, of one element, put it into the arrays instead, at that place of the block.
  void keep(ir::Body& stores, Sym place) const;
  /// `count` elements, the first of which `stores` would store, go to memory.
  void copy(const ir::Body& stores, Sym count, ir::Body& body) const;

 private:
  ScanLines(ir::Arena& arena, std::vector<int> arrays) : arena_(&arena), arrays_(std::move(arrays)) {}

  ir::Arena* arena_;
  std::vector<int> arrays_;  // one a store
};

}  // namespace harp::lower
