// Of many small products, each of one block: the factors and the results of the next one are asked for while the tiles of this one are
// computed, a line of each with every few terms. All at once would be more than a core can wait for. (64 of 64 x 64 x 64, from memory:
// 78 GFLOP/s without, 103 with it.)
#pragma once

#include "lower/contraction_factors.h"

namespace harp::lower {

class NextProduct {
 public:
  NextProduct(ContractionBlock& block, ContractionFactors& factors) : block_(block), factors_(factors) {}

  /// Decides whether there is one, and it is worth it; the factors are prepared.
  void begin_block();

  /// In so many parts a tile goes through its terms; each is of `terms_of_part` but the last. None: nothing is asked for.
  int64_t parts() const { return parts_; }
  int64_t terms_of_part() const;
  /// What a part of a tile asks for.
  ir::Body ask(Sym row_tile, Sym column_tile, Sym part);

 private:
  /// Lines of `count` elements beside each other: `read` gives the array and the index of one, by its number.
  template <class Read>
  void ask_for(int64_t count, Read read, ir::Body& body);

  ContractionBlock& block_;
  ContractionFactors& factors_;
  int64_t parts_ = 0;
};

}  // namespace harp::lower
