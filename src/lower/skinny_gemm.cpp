// Lowers contractions with few rows (skinny GEMM). The columns' factor is not packed, because each of its elements is used only a few
// times. For each row, several terms at a time are added to sums that stay in memory. The columns' factor is therefore read only once, in
// long contiguous pieces.
#include <algorithm>

#include "lower/contraction_factors.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kPrefetchTerms = 8;  // prefetch distance in terms; processing fewer terms would take less time than a memory access

class SkinnyGemm {
 public:
  explicit SkinnyGemm(ContractionBlock& block) : block_(block), layout_(block.layout), arena_(block.arena), factors_(block) {}

  Body statements_of_block() {
    chain_ = block_.accumulators.add_array(block_.dtype, layout_.block_size());
    factors_.reserve_packed_rows();
    const bool has_one_block = layout_.has_one_block_of_terms;
    if (!has_one_block) block_.add_sums();
    Body body;
    for (const int array : block_.arrays_of_sums()) body.push_back(declare_accumulator(arena_, array));
    body.push_back(declare_accumulator(arena_, chain_));
    for (const int array : factors_.arrays_of_packed_tiles()) body.push_back(declare_accumulator(arena_, array));
    add(body, block_.each_block_of_terms([&](Sym first, Sym count) { return block_of_terms(first, count); }));
    const auto only_chain = [&](Sym at) { return end_of_products(arena_, arena_.acc(block_.dtype, chain_, at)); };
    add(body, block_.store_rows(has_one_block ? only_chain : block_.sum_in(block_.sums_of_all_terms())));
    return body;
  }

 private:
  /// Emits the statements that add up one block of terms for all rows and columns of the cache block. The sums are in the array chain_;
  /// each is a chain over the terms.
  Body block_of_terms(Sym first, Sym count) {
    Body body = factors_.pack_rows(first, count);
    add(body, block_.each_sum([&](Sym at) { return set_accumulator(arena_, chain_, at, block_.zero()); }));
    add(body, block_.each_member([&](Sym member) {
      Body steps;
      const auto terms = [&](Sym begin, Sym end, int64_t together) {
        if (proven_at_most(end, begin)) return;
        Loop* term = new_loop(arena_, "term", begin, end);
        term->step = together;
        term->body = products(first, term->variable, together, member);
        steps.push_back(term);
      };
      const Sym full = floor_div(count, layout_.terms_together) * layout_.terms_together;
      terms(0, full, layout_.terms_together);
      terms(full, count, 1);
      return steps;
    }));
    if (layout_.has_one_block_of_terms) return body;
    const int sums = block_.sums_of_block();
    add(body, block_.each_sum([&](Sym at) { return update_accumulator(arena_, sums, at, arena_.acc(block_.dtype, chain_, at)); }));
    return body;
  }

  /// Adds the products of `count` terms to the sums. The block of terms begins at term `first`; the first of the added terms has number
  /// `term` in it.
  Body products(Sym first, Sym term, int64_t count, Sym member) {
    return block_.each_row_tile([&](Sym row_tile) {
      Loop* column = new_loop(arena_, "column", 0, block_.columns_here);
      for (int64_t row = 0; row < layout_.tile_rows; ++row) {
        const Sym at = layout_.tile_at(member, row_tile, 0) + layout_.in_tile(row, column->variable);
        const UOp* sum = arena_.acc(block_.dtype, chain_, at);
        for (int64_t t = 0; t < count; ++t) {
          const Index index = unflatten(first + term + t, layout_.term_shape);
          const UOp* a = factors_.row(member, row_tile, row, {first, term + t, index});
          const UOp* b = factors_.column_in_place(column->variable, index);
          sum = sum_of_product(arena_, a, b, sum);
        }
        column->body.push_back(set_accumulator(arena_, chain_, at, sum));
      }
      // Each iteration of the loop over terms reads short pieces of a few distant rows of the columns' factor, so the loop prefetches the
      // rows of later terms (8 x 4096 x 4096: 1.9 times as fast as without). If a vector is half a cache line, each line is prefetched
      // twice.
      if (count > 1 && layout_.simd > 1)
        column->tags.ahead = {.along = term, .distance = std::max(count, kPrefetchTerms), .is_near = false};
      return vector_loop(column, layout_.simd);
    });
  }

  ContractionBlock& block_;
  const ContractionLayout& layout_;
  Arena& arena_;
  ContractionFactors factors_;
  int chain_ = -1;  // array of the sums over one block of terms
};

}  // namespace

void lower_skinny_gemm(ContractionBlock& block) {
  SkinnyGemm recipe(block);
  block.c.kernel.body = block.each_block(block.order(), [&] { return recipe.statements_of_block(); });
}

}  // namespace harp::lower
