// Chain-order reductions (docs/semantics.md, "Sums") of rows that do not fill a vector, such as the sums of three columns. An addition
// waits for the addition before it in its chain, so the chains of a few columns leave most of a CPU's adders idle. Chains that do not
// depend on each other are therefore interleaved, each with accumulators of its own:
//
//   tiles    the columns at several indices of the kept axis (one that is not reduced) before them, if all rows are one block: for example,
//            the parts of a reduction that was split (schedule/split_reductions.h)
//   blocks   whole blocks of one chain, whose results are combined in order (docs/semantics.md, "Sums")
//   shares   equal shares of the rows, if any order gives the same bits (a maximum)
#include <algorithm>
#include <unordered_set>

#include "base/integers.h"
#include "lower/reduce_lowering.h"
#include "schedule/contraction.h"
#include "schedule/few_columns.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kMaxChains = 8;   // maximum number of interleaved chains; the code is repeated for each
constexpr int kMaxRowsOfChain = 4;  // maximum number of rows that are added to one chain before the rows of the next chain

/// Returns the cost of what is computed for each element of a row, in additions: the operands, and one combination for each reduction.
int64_t cost_of_row(const KernelContext& c, const RowPass& pass) {
  auto cost = static_cast<int64_t>(pass.reduces.size());
  std::unordered_set<const Node*> of_rows;  // nodes that are computed for each element; the others are computed once for each result
  const std::vector<const Node*> nodes = computed_nodes(c.program, c.plan);
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
    const Node& node = **at;
    if (is_reduce(node.op)) {
      for (const Node* operand : operands_of(node)) of_rows.insert(operand);
    } else if (of_rows.contains(&node)) {
      of_rows.insert(node.sources.begin(), node.sources.end());
      cost += info(node.op).cost;
    }
  }
  return cost;
}

}  // namespace

int64_t ReduceLowering::interleaved_chains(const RowPass& pass, Sym width) const {
  if (c_.program.target.gpu() != nullptr || c_.plan.passes.size() != 1 || !pass.row_values.empty() || !pass.row_stores.empty()) return 1;
  if (!width.is_constant() || width.constant() < 1 || width.constant() >= simd_width_) return 1;
  const Cpu& cpu = c_.program.target.cpu();
  // number of additions that must be in progress at the same time to keep all adders busy
  const int64_t in_flight = int64_t{cpu.addition_latency} * cpu.vector_additions_a_cycle;
  return std::clamp<int64_t>(ceil_div(in_flight, pieces_of_row(width.constant(), simd_width_) * cost_of_row(c_, pass)), 1, kMaxChains);
}

void ReduceLowering::add_rows(std::span<const Chain> chains, Sym begin, Sym end, Body& body) {
  const int together = chains.size() == 1 ? 1 : std::clamp(c_.schedule.axes.back().unroll, 1, kMaxRowsOfChain);
  const auto loop = [&](Sym from, Sym until, int n) {
    if (proven_at_most(until, from)) return;
    Loop* row = new_loop(arena_, next_name(), from, until);
    row->step = n;
    for (const Chain& chain : chains)
      for (Stmt* s : rows(chain.tile, chain.level, chain.first + row->variable, n)) row->body.push_back(s);
    body.push_back(row);
  };
  const Sym full = begin + floor_div(end - begin, together) * together;
  loop(begin, full, together);
  loop(full, end, 1);
}

// --- tiles -------------------------------------------------------------------------------------------------------------------

int64_t ReduceLowering::interleaved_tiles() const {
  const RowPass& pass = c_.plan.passes[0];
  if (kept_.size() < 2 || chain_levels(pass) > 1) return 1;
  if (kept_.size() == 2 && c_.plan.blocks > 0)
    // Each index of the first axis is a block of a chain of kernels (schedule/chain.h). Blocks are computed one after the other, not
    // interleaved.
    return 1;
  const auto reads_windows = [](const Node* operand) { return array_below_windows(operand) != nullptr; };
  for (const Node* reduce : pass.reduces)
    if (std::ranges::any_of(operands_of(*reduce), reads_windows)) return 1;  // windows are copied for a single tile
  const int64_t chains = interleaved_chains(pass, size(kept_.back()));
  const Dim indices = size(kept_[kept_.size() - 2]);
  if (!indices.is_constant()) return chains;
  // Each interleaved chain gets `share` consecutive indices. There are only as many chains as shares of this size, so that few or no
  // indices are repeated at the end.
  const int64_t count = std::max<int64_t>(1, indices.constant()), share = ceil_div(count, chains);
  return ceil_div(count, share);
}

Body ReduceLowering::reduce_interleaved_tiles(const Index& outer_kept, int64_t together) {
  const size_t axis = kept_.size() - 2;
  const Sym width = size(kept_.back()), indices = size(kept_[axis]), share = ceil_div(indices, together);
  const int64_t capacity = ceil_div(width.constant(), int64_t{simd_width_}) * simd_width_;
  Loop* loop = new_loop(arena_, cat("oidx", axis), 0, share);
  pass_ = c_.plan.passes.data();
  loop->body = with_nan_retry([&] {
    Body body;
    std::vector<Chain> chains;
    for (int64_t i = 0; i < together; ++i) {
      Index kept = outer_kept;
      kept.push_back(index_of_stream(i, loop->variable, share, indices));
      chains.push_back({{std::move(kept), 0, width, capacity}, new_level(capacity), 0});
      declare(chains.back().level, body);
    }
    add_rows(chains, 0, element_count(sizes(outer_)), body);
    for (const Chain& chain : chains) {
      results_ = {{pass_, chain.level, 1}};
      Loop* columns = new_loop(arena_, "column", 0, width);
      bind_results(columns->variable);
      columns->body = store_outputs(c_, pass_->stores, kept_at(chain.tile, columns->variable));
      for (Stmt* s : columns_of_results(columns)) body.push_back(s);
    }
    return body;
  });
  return {loop};
}

// --- blocks and shares -------------------------------------------------------------------------------------------------------

ReduceLowering::WholeBlocks ReduceLowering::interleaved_blocks(const Tile& tile, const BlockLevel& next, Sym count) {
  int64_t together = interleaved_chains(*pass_, tile.width);
  if (const Sym blocks = floor_div(count, kChainBlock); blocks.is_constant()) together = std::min(together, blocks.constant());
  const auto reduce = [this, tile, next, together](Sym block, Body& body) {
    std::vector<Chain> chains;
    for (int64_t i = 0; i < together; ++i) {
      chains.push_back({tile, new_level(tile.capacity), (block + i) * kChainBlock});
      declare(chains.back().level, body);
    }
    add_rows(chains, 0, kChainBlock, body);
    for (const Chain& chain : chains) carry_columns(chain.level, next, tile.width, body);
  };
  return {together, reduce};
}

void ReduceLowering::reduce_interleaved_shares(const Tile& tile, const BlockLevel& level, Sym count, int64_t together, Body& body) {
  const Sym share = floor_div(count, together);
  std::vector<Chain> chains;
  for (int64_t i = 0; i < together; ++i) {
    chains.push_back({tile, i == 0 ? level : new_level(tile.capacity), share * i});
    declare(chains.back().level, body);
  }
  add_rows(chains, 0, share, body);
  add_rows(std::span(chains).first(1), share * together, count, body);
  for (size_t i = 1; i < chains.size(); ++i) carry_columns(chains[i].level, level, tile.width, body);
}

}  // namespace harp::lower
