// Reduce template: the two orders of the law (02-semantics, "Sums"), written as loops over blocks and lanes. A row-wise kernel has several
// passes over the same rows (schedule/rowwise.cpp), one after the other for each row or tile of rows; a pass may be nothing but stores.
//
// lanes   for each kept index: blocks of 4,096 elements in 64 accumulators (the vector axis), folded by halving; block results go through
//         the same again. Axes outside the innermost run are a chain of such values.
// chain   blocks of 256 elements, each one chain, block results by the same rule. The accumulators of a tile of the last kept axis lie
//         side by side (a row in L1, or registers when the tile is a few vectors) and are the vector axis; the reduced elements stream
//         past, several rows at a time.
//
// Where the order makes no difference (a maximum) there are no blocks. A maximum of many floats, NaN if one is, is kept by lanes of numbers
// and lanes that find NaN, two elements at a time: that takes less than a maximum which does both.
//
// A level more than needed changes nothing (it adds the only block to an identity), so the number of levels comes from the bounds of the
// sizes. Nor need it cost a fold: a level says how many of its lanes it used, and one lane is its own fold.
#include <algorithm>
#include <map>

#include "base/error.h"
#include "ir/functions.h"
#include "lower/late_stores.h"
#include "lower/row_values.h"
#include "lower/windows.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kLaneBlock = 4096, kChainBlock = 256;

class ReduceLowering {
 public:
  explicit ReduceLowering(KernelContext& context)
      : c_(context),
        arena_(context.arena),
        first_(*context.plan.reduces[0]),
        attributes_(first_.as<ReduceAttributes>()),
        accumulators_(context.kernel),
        rows_(context) {
    const Shape& shape = first_.sources[0]->shape;
    std::vector<bool> reduced(shape.size(), false);
    for (int axis : attributes_.axes) reduced[static_cast<size_t>(axis)] = true;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (!reduced[axis] && !shape[axis].is_constant(1)) kept_.push_back(axis);
    if (attributes_.order == ReduceOrder::kChain) {
      outer_.assign(attributes_.axes.begin(), attributes_.axes.end());
    } else {
      size_t end = shape.size();
      while (!reduced[end - 1]) --end;
      size_t begin = end;
      while (begin > 0 && reduced[begin - 1]) --begin;
      for (size_t axis = 0; axis < end; ++axis)
        if (reduced[axis]) (axis < begin ? outer_ : inner_).push_back(axis);
    }
    simd_width_ = 1;
    for (const AxisSchedule& a : c_.schedule.axes) simd_width_ = std::max(simd_width_, a.simd_width);
  }

  void run() {
    const bool chain = attributes_.order == ReduceOrder::kChain, late = c_.schedule.late;
    std::vector<Stmt*> nest;
    Index position;  // of the kept axes
    const int64_t apart = chain || late || kept_.empty() ? 1 : rows_apart();
    const size_t loops = (chain || late || apart > 1) && !kept_.empty() ? kept_.size() - 1 : kept_.size();
    for (size_t i = 0; i < loops; ++i) {
      nest.push_back(new_loop(arena_, cat("oidx", i), 0, size(kept_[i])));
      position.push_back(nest.back()->variable);
    }
    Body body = chain ? columns(position) : late ? late_rows(position) : apart > 1 ? lanes_of_rows_apart(position, apart) : lanes(position);
    for (size_t i = nest.size(); i-- > 0;) {
      nest[i]->body = std::move(body);
      body = {nest[i]};
    }
    const bool threads = !c_.schedule.axes.empty() && c_.schedule.axes[0].kind == AxisKind::kThread;
    if (threads && body.size() == 1 && body[0]->kind == StmtKind::kLoop) body[0]->loop = LoopKind::kThread;
    c_.kernel.body = std::move(body);
  }

 private:
  Dim size(size_t axis) const { return first_.sources[0]->shape[axis]; }
  Shape sizes(const std::vector<size_t>& axes) const {
    Shape result;
    for (size_t axis : axes) result.push_back(size(axis));
    return result;
  }

  // --- accumulators: one a reduction of the pass and level ---------------------------------------------------------------

  struct Level {
    std::vector<int> accumulators;  // parallel to pass_->reduces
    std::vector<int> nans = {};     // where NaN is found apart: lanes of a vector, NaN or as they began; else none
  };
  Level new_level(int64_t count) { return {accumulators_.add(pass_->reduces, count)}; }
  void declare(const Level& level, Body& body) {
    for (const std::vector<int>& all : {level.accumulators, level.nans})
      for (int a : all) body.push_back(declare_accumulator(arena_, a));
  }
  void fold(const Level& level, std::optional<Sym> used, Body& body) {
    for (int a : level.accumulators) {
      Stmt* s = arena_.statement(StmtKind::kAccFold);
      s->accumulator = a;
      s->used = used;
      body.push_back(s);
    }
  }
  /// Where a pass leaves its results: in the accumulators of the last of its levels.
  struct Results {
    const RowPass* pass;
    Level level;
    size_t levels;
  };
  /// The reductions done so far are worth what stands in this element of their accumulators. A sum of products that underflow is -0 after
  /// one level and +0 after two, so the law adds +0.0 at the end.
  void bind_results(Sym element) {
    for (const Results& done : results_)
      for (size_t r = 0; r < done.pass->reduces.size(); ++r)
        c_.values.bind(done.pass->reduces[r], from_accumulator(arena_, *done.pass->reduces[r], result(done, r, element)));
  }
  const UOp* result(const Results& done, size_t r, Sym element) {
    const Node& reduce = *done.pass->reduces[r];
    const UOp* value = arena_.acc(accumulator_dtype(reduce), done.level.accumulators[r], element);
    if (!reduce.as<ReduceAttributes>().product || done.levels > 1) return value;
    return arena_.apply(Op::kAdd, value->type.dtype, {value, arena_.constant(identity_of(Op::kSum, value->type.dtype))});
  }
  /// element of `to` is combined with element of `from`, for every reduction.
  void carry(const Level& from, Sym from_element, const Level& to, Sym to_element, Body& body) {
    for (size_t r = 0; r < pass_->reduces.size(); ++r) {
      const DType dtype = accumulator_dtype(*pass_->reduces[r]);
      body.push_back(update_accumulator(arena_, to.accumulators[r], to_element, arena_.acc(dtype, from.accumulators[r], from_element)));
    }
  }
  /// What reduction `r` of the pass combines into its accumulator of the element at this index of the source: a value, or two factors.
  std::vector<const UOp*> operands(size_t r, const Index& index) {
    std::vector<const UOp*> result;
    for (const Node* operand : operands_of(*pass_->reduces[r])) {
      const auto copied = windows_.find(operand);
      const UOp* value = copied != windows_.end() ? copied->second.value(operand, index)
                                                  : c_.values.value(operand, operand->rank() == 0 ? Index{} : index);
      result.push_back(to_accumulator(arena_, *pass_->reduces[r], value));
    }
    return result;
  }
  /// What the pass does with the element at this index of the source: kept, combined into `element` of the level, and stored; stored last,
  /// since it may take the place of what the others read (schedule/in_place.cpp).
  void visit(const Level& level, Sym element, const Index& index, Body& body) {
    rows_.keep(*pass_, index, body);
    for (size_t r = 0; r < pass_->reduces.size(); ++r) {
      const std::vector<const UOp*> combined = operands(r, index);
      body.push_back(update_accumulator(arena_, level.accumulators[r], element, combined[0], combined.size() > 1 ? combined[1] : nullptr));
    }
    for (Stmt* s : store_outputs(c_, pass_->row_stores, rows_.squeezed_index(index))) body.push_back(s);
  }
  /// The same with several elements, one after the other, and each accumulator set once: a compiler that cannot tell whether what is read
  /// next lies where the accumulators do stores them each time (x @ b of 4096 x 4096 by 8 rows at a time: 0.93 times as fast).
  void visit_all(const Level& level, Sym element, const std::vector<Index>& indices, Body& body) {
    for (const Index& index : indices) rows_.keep(*pass_, index, body);
    for (size_t r = 0; r < pass_->reduces.size(); ++r) {
      const int accumulator = level.accumulators[r];
      const DType dtype = accumulator_dtype(*pass_->reduces[r]);
      const UOp* sum = arena_.acc(dtype, accumulator, element);
      for (const Index& index : indices) {
        const std::vector<const UOp*> combined = operands(r, index);
        sum = combined.size() > 1 ? arena_.apply(Op::kFma, dtype, {combined[0], combined[1], sum})
                                  : arena_.apply(combine_of(pass_->reduces[r]->op), dtype, {sum, combined[0]});
      }
      body.push_back(set_accumulator(arena_, accumulator, element, sum));
    }
    for (const Index& index : indices)
      for (Stmt* s : store_outputs(c_, pass_->row_stores, rows_.squeezed_index(index))) body.push_back(s);
  }

  // --- rows --------------------------------------------------------------------------------------------------------------

  /// A pass without reductions, over one row: loops over its axes, as few as they can be.
  Body row_loops(const Index& kept) {
    std::vector<Stmt*> nest;
    Index index(first_.sources[0]->shape.size(), Sym(0));
    for (size_t i = 0; i < kept_.size(); ++i) index[kept_[i]] = kept[i];
    for (size_t axis : rows_.axes()) {
      nest.push_back(new_loop(arena_, next_name(), 0, size(axis)));
      index[axis] = nest.back()->variable;
    }
    visit({}, 0, index, nest.back()->body);
    for (size_t i = nest.size() - 1; i-- > 0;) nest[i]->body = {nest[i + 1]};
    Body loops = vector_nest(arena_, nest[0], simd_width_);
    if (const int64_t rows = rows_ahead(); rows > 0) ask_ahead(arena_, loops, simd_width_, kept.back(), kept.back() + rows);
    return loops;
  }

  /// How many rows ahead the pass asks for, 0: it does not. Three passes over a row take longer than memory, which is not asked for
  /// anything in the last where the others left the row in the first cache and results go past the caches. Of layer_norm over 32 MB: 0.62
  /// to 0.95 of the time for rows of 0.5 to 256 KB, but 1.2 for rows that are no whole lines; with two passes (rms_norm) it would be 1.15,
  /// with vectors that are parts of lines 1.01.
  int64_t rows_ahead() const {
    constexpr int64_t kAhead = 16384, kMost = 262144;  // bytes
    const std::vector<RowPass>& passes = c_.plan.passes;
    const bool keeps = std::any_of(passes.begin(), passes.end(), [](const RowPass& pass) { return !pass.row_values.empty(); });
    if (!c_.schedule.stream || c_.schedule.late || passes.size() < 3 || pass_ != &passes.back() || keeps || kept_.empty()) return 0;
    const Sym row = element_count(sizes(inner_));
    const int64_t size = static_cast<int64_t>(size_of(first_.sources[0]->dtype)), bytes = row.is_constant() ? row.constant() * size : 0;
    const bool are_lines = simd_width_ * size == kLineBytes && bytes % kLineBytes == 0;  // vectors, and rows
    return !are_lines || bytes == 0 || bytes > kMost ? 0 : (kAhead + bytes - 1) / bytes;
  }

  /// Index of the source from the kept position and positions in the flattened outer and inner reduced axes.
  Index source_index(const Index& kept, Sym outer, Sym inner) const {
    Index index(first_.sources[0]->shape.size(), Sym(0));
    for (size_t i = 0; i < kept_.size(); ++i) index[kept_[i]] = kept[i];
    const Index outer_index = unflatten(outer, sizes(outer_)), inner_index = unflatten(inner, sizes(inner_));
    for (size_t i = 0; i < outer_.size(); ++i) index[outer_[i]] = outer_index[i];
    for (size_t i = 0; i < inner_.size(); ++i) index[inner_[i]] = inner_index[i];
    return index;
  }

  // --- lanes -----------------------------------------------------------------------------------------------------------

  Body lanes(const Index& kept) {
    Body body;
    rows_.declare(accumulators_, std::nullopt, body);
    for (Stmt* s : passes(kept, c_.plan.passes)) body.push_back(s);
    return body;
  }

  /// So many rows are gone through side by side, each a share of all away from the next; 1: one after the other.
  int64_t rows_apart() const {
    const int64_t together = c_.schedule.axes[kept_.size() - 1].unroll;
    const Dim &rows = size(kept_.back()), count = element_count(sizes(inner_));
    const bool have_only_sums = c_.plan.passes.size() == 1 && c_.plan.passes[0].row_values.empty() && c_.plan.passes[0].row_stores.empty();
    const bool are_even = rows.is_constant() && rows.constant() % together == 0;
    return have_only_sums && are_even && outer_.empty() && proven_at_most(count, kLaneBlock) ? together : 1;
  }
  /// Each row is a stream of memory of its own.
  Body lanes_of_rows_apart(const Index& outer_kept, int64_t together) {
    const Sym share = size(kept_.back()).constant() / together, count = element_count(sizes(inner_));
    Stmt* row = new_loop(arena_, cat("oidx", kept_.size() - 1), 0, share);
    std::vector<Level> levels;
    std::vector<Index> kept;
    pass_ = c_.plan.passes.data();
    for (int64_t i = 0; i < together; ++i) {
      levels.push_back(new_level(kLanes));
      declare(levels.back(), row->body);
      kept.push_back(outer_kept);
      kept.back().push_back(row->variable + share * i);
    }
    const auto lane_of_each = [&](Sym lanes, Sym first) {
      Stmt* lane = new_loop(arena_, "lane", 0, lanes);
      for (size_t i = 0; i < kept.size(); ++i)
        visit(levels[i], lane->variable, source_index(kept[i], 0, first + lane->variable), lane->body);
      return vector_lanes(arena_, lane, simd_width_);
    };
    const Sym full = floor_div(count, kLanes) * kLanes;
    if (!proven_at_most(full, 0)) {
      Stmt* steps = new_loop(arena_, next_name(), 0, full);
      steps->step = kLanes;
      steps->body = lane_of_each(kLanes, steps->variable);
      row->body.push_back(steps);
    }
    if (!proven_at_most(count, full))
      for (Stmt* s : lane_of_each(count - full, full)) row->body.push_back(s);
    for (size_t i = 0; i < kept.size(); ++i) {
      fold(levels[i], std::nullopt, row->body);
      results_ = {{pass_, levels[i], 1}};
      bind_results(0);
      for (Stmt* s : store_outputs(c_, pass_->stores, kept[i])) row->body.push_back(s);
    }
    return {row};
  }

  Body passes(const Index& kept, std::span<const RowPass> all) {
    Body body;
    for (const RowPass& pass : all) {
      pass_ = &pass;
      const Body statements = pass.reduces.empty() ? row_loops(kept) : lane_pass(kept);
      body.insert(body.end(), statements.begin(), statements.end());
      bind_results(0);
      rows_.bind(pass);
      for (Stmt* s : store_outputs(c_, pass.stores, kept)) body.push_back(s);
    }
    return body;
  }

  /// The rows of the last kept axis, or of a share of the only one, each with all passes but the last: the next row does that.
  Body late_rows(const Index& outer_kept) {
    constexpr int64_t kRowsOfShare = 16;
    Sym begin = 0, end = size(kept_.back());
    Stmt* shares = nullptr;
    if (kept_.size() == 1) {
      shares = new_loop(arena_, "share", 0, ceil_div(end, kRowsOfShare));
      begin = shares->variable * kRowsOfShare;
      end = min(begin + kRowsOfShare, end);
    }
    rows_.alternate_along(kept_.back());
    Body body;
    rows_.declare(accumulators_, std::nullopt, body);
    late_.emplace(c_, accumulators_, rows_, kept_, simd_width_);
    late_->declare(body);
    Stmt* row = new_loop(arena_, cat("oidx", kept_.size() - 1), begin, end);
    Index kept = outer_kept;
    kept.push_back(row->variable);
    late_->begin_row(kept, begin);
    const Body statements = passes(kept, std::span(c_.plan.passes).first(c_.plan.passes.size() - 1));
    Body keeps;
    for (const Results& done : results_)
      for (size_t r = 0; r < done.pass->reduces.size(); ++r) late_->keep(*done.pass->reduces[r], result(done, r, 0), keeps);
    row->body = late_->around(statements, keeps);
    body.push_back(row);
    kept.back() = end - 1;
    for (Stmt* s : late_->last_row(kept, end - begin - 1)) body.push_back(s);
    if (shares == nullptr) return body;
    shares->body = std::move(body);
    return {shares};
  }

  Body lane_pass(const Index& kept) {
    const Shape inner_shape = sizes(inner_), outer_shape = sizes(outer_);
    const Sym count = element_count(inner_shape);
    std::vector<Level> levels;
    for (int l = is_free_of_order(*pass_) ? 1 : levels_needed(count, kLaneBlock); l-- > 0;) levels.push_back(new_level(kLanes));
    if (finds_nan_apart(count)) levels[0].nans = accumulators_.add(pass_->reduces, simd_width_);
    std::vector<Sym> counts = {count};
    while (counts.size() < levels.size()) counts.push_back(ceil_div(counts.back(), kLaneBlock));

    const auto value_at = [&](Sym outer) {
      Body body;
      lane_blocks(
          levels, counts, levels.size() - 1, 0, counts.back(), [&](Sym inner) { return source_index(kept, outer, inner); }, body);
      return body;
    };
    if (outer_.empty()) {
      results_.push_back({pass_, levels.back(), levels.size()});
      return value_at(0);
    }
    const Sym outer_count = element_count(outer_shape);
    std::vector<Level> chain;
    for (int l = is_free_of_order(*pass_) ? 1 : levels_needed(outer_count, kChainBlock); l-- > 0;) chain.push_back(new_level(1));
    Body body;
    chain_blocks(
        chain, outer_count, 1,
        [&](Sym begin, Sym end, Body& into) {
          Stmt* loop = new_loop(arena_, next_name(), begin, end);
          loop->body = value_at(loop->variable);
          carry(levels.back(), 0, chain[0], 0, loop->body);
          into.push_back(loop);
        },
        body);
    results_.push_back({pass_, chain.back(), levels.size() + chain.size()});
    return body;
  }

  /// Items [begin, end) of a level (elements at level 0, blocks of the level below above it) end up in element 0 of its accumulators.
  template <class IndexAt>
  void lane_blocks(const std::vector<Level>& levels, const std::vector<Sym>& counts, size_t level, Sym begin, Sym end, IndexAt index_at,
                   Body& body) {
    declare(levels[level], body);
    std::optional<Sym> used;  // lanes, where it may be one only
    if (level == 0) {
      const Sym full = begin + floor_div(end - begin, kLanes) * kLanes;
      if (!proven_at_most(full, begin)) {
        Stmt* steps = new_loop(arena_, next_name(), begin, full);
        steps->step = kLanes;
        steps->body = levels[0].nans.empty() ? lane_loop(levels[0], kLanes, steps->variable, index_at)
                                             : number_lanes(levels[0], steps->variable, index_at);
        if (simd_width_ > 1 && !pass_->row_values.empty() && outer_.empty()) ask_while_computing(index_at(steps->variable), steps->body);
        if (late_ && pass_ + 2 == c_.plan.passes.data() + c_.plan.passes.size()) {
          steps->body.push_back(late_->beside(steps->variable));
          bind_results(0);
          for (const RowPass* done = c_.plan.passes.data(); done != pass_; ++done) rows_.bind(*done);
        }
        for (Stmt* s : asking_for_pages(steps)) body.push_back(s);
      }
      if (!proven_at_most(end, full)) {
        // an extreme may meet an element twice
        const bool may_overlap = !levels[0].nans.empty() && proven_at_most(kLanes, end - begin) && pass_->row_stores.empty();
        const Body rest = may_overlap ? number_lanes(levels[0], end - kLanes, index_at) : lane_loop(levels[0], end - full, full, index_at);
        body.insert(body.end(), rest.begin(), rest.end());
      }
      for (size_t r = 0; r < levels[0].nans.size(); ++r) {
        Stmt* lane = new_loop(arena_, "lane", 0, simd_width_);
        const UOp* found = arena_.acc(accumulator_dtype(*pass_->reduces[r]), levels[0].nans[r], lane->variable);
        lane->body = {update_accumulator(arena_, levels[0].accumulators[r], lane->variable, found)};
        for (Stmt* s : vector_lanes(arena_, lane, simd_width_)) body.push_back(s);
      }
    } else {
      Stmt* blocks = new_loop(arena_, cat("block", level), begin, end);
      const Sym first = blocks->variable * kLaneBlock;
      lane_blocks(levels, counts, level - 1, first, min(first + kLaneBlock, counts[level - 1]), index_at, blocks->body);
      carry(levels[level - 1], 0, levels[level], mod(blocks->variable - begin, kLanes), blocks->body);
      body.push_back(blocks);
      if (!proven_less(1, end - begin)) used = end - begin;
    }
    fold(levels[level], used, body);
  }

  /// The loop over contiguous elements, with a line of each array that it loads asked for from each page. Nothing is asked for where rows
  /// are shorter than half a page, and where more is done than to reduce.
  Body asking_for_pages(Stmt* loop) {
    std::vector<const UOp*> loads;  // the first of each row; not those of what is the same for every row
    int64_t page = kPageBytes;      // elements
    const auto at = [&](const UOp* load, Sym place) { return substitute(load->index, {{variable_of(loop->variable), place}}); };
    for (const UOp* u : uops_of(arena_, loop->body)) {
      const bool is_row = u->kind == UKind::kLoad && u->type.lanes > 1 && u->lane_step.is_constant(1) &&
                          depends_on(u->index, variable_of(loop->variable)) && (kept_.empty() || !at(u, 0).is_constant());
      const auto is_known = [&](const UOp* known) { return known->buffer == u->buffer && (known->index - u->index).is_constant(); };
      if (!is_row || std::any_of(loads.begin(), loads.end(), is_known)) continue;
      loads.push_back(u);
      page = std::min(page, kPageBytes / static_cast<int64_t>(size_of(u->type.dtype)));
    }
    const Sym length = loop->end - loop->begin;
    const bool only_reduces = c_.plan.passes.size() == 1 && pass_->row_values.empty() && pass_->row_stores.empty();
    const bool has_loops = std::any_of(loop->body.begin(), loop->body.end(), [](const Stmt* s) { return s->kind == StmtKind::kLoop; });
    if (loads.empty() || !only_reduces || has_loops || proven_less(length, page / 2)) return {loop};
    const auto asked_at = [&](Sym first, Body& body) {
      for (const UOp* load : loads) {
        const Sym ahead = kPagesAhead * kPageBytes / static_cast<int64_t>(size_of(load->type.dtype));
        body.push_back(prefetch(arena_, load->buffer, at(load, first) + ahead));
      }
    };
    Body body;
    if (proven_at_most(length, page)) {
      asked_at(loop->begin, body);
      body.push_back(loop);
      return body;
    }
    Stmt* pages = new_loop(arena_, "page", loop->begin, loop->end);
    pages->step = page;
    asked_at(pages->variable, pages->body);
    loop->begin = pages->variable;
    loop->end = min(pages->variable + page, loop->end);
    pages->body.push_back(loop);
    return {pages};
  }

  /// A pass that keeps what it computes takes longer than memory, which waits meanwhile. So it asks for what comes next, as far as it
  /// is at the same place of a row: what the kernel will store of this row, unless that goes past the caches, and what it will load of
  /// one of the next, far enough away that it has come by then (of rows of 4 KB the second: 0.92 of the time it takes with the next).
  void ask_while_computing(const Index& first, Body& step) {
    Body asked;
    const auto lines_of = [&](int buffer, Sym begin) {
      const int64_t line = kLineBytes / static_cast<int64_t>(size_of(c_.kernel.params[static_cast<size_t>(buffer)].dtype));
      for (int64_t i = 0; i < kLanes; i += line) asked.push_back(prefetch(arena_, buffer, begin + i));
    };
    const auto here = [&](int parameter) {
      return c_.values.position_in(c_.values.arguments()[static_cast<size_t>(parameter)].buffer, first, first_.sources[0]->shape);
    };
    const Sym row = element_count(sizes(inner_));
    std::vector<int> loaded;  // arrays that lie as the source does
    for (const UOp* u : uops_of(arena_, step))
      if (u->kind == UKind::kLoad && u->type.lanes > 1 && u->lane_step.is_constant(1) && u->index == here(u->buffer))
        loaded.push_back(u->buffer);
    constexpr int64_t kAhead = 8192;  // bytes
    for (const int buffer : loaded) {
      const int64_t size = static_cast<int64_t>(size_of(c_.kernel.params[static_cast<size_t>(buffer)].dtype)),
                    bytes = row.is_constant() ? std::max<int64_t>(1, row.constant() * size) : kAhead;
      const int64_t rows = (kAhead + bytes - 1) / bytes;
      lines_of(buffer, here(buffer) + row * rows);
    }
    for (const RowPass& pass : c_.plan.passes)
      for (const size_t number : pass.row_stores) {
        const StorePlan& store = c_.plan.stores[number];
        if (c_.schedule.stream || &pass == pass_ || !store.offset.empty()) continue;
        const Index index = node_index(store.node->shape, rows_.squeezed_index(first));
        lines_of(c_.values.parameter(store.buffer, true), c_.values.position_in(store.buffer, index, store.shape));
      }
    step.insert(step.begin(), asked.begin(), asked.end());
  }

  /// Lanes 0 … count - 1 take the elements from `start` on.
  template <class IndexAt>
  Body lane_loop(const Level& level, Sym count, Sym start, IndexAt index_at) {
    Stmt* lane = new_loop(arena_, "lane", 0, count);
    visit(level, lane->variable, index_at(start + lane->variable), lane->body);
    return vector_lanes(arena_, lane, simd_width_);
  }

  /// Does it take less to find NaN apart? With the vectors of AVX-512, which has the instructions, where the lanes meet often enough.
  bool finds_nan_apart(Sym count) const {
    constexpr int64_t kFew = 256;
    const auto is_extreme_of_floats = [&](const Node* reduce) {
      const DType dtype = accumulator_dtype(*reduce);
      return (reduce->op == Op::kReduceMax || reduce->op == Op::kReduceMin) && is_float(dtype) &&
             simd_width_ * static_cast<int64_t>(size_of(dtype)) == kLineBytes;
    };
    return std::all_of(pass_->reduces.begin(), pass_->reduces.end(), is_extreme_of_floats) && !proven_at_most(count, kFew);
  }
  /// All lanes take the elements from `start` on, numbers and NaN apart. Of two that are looked at together one is loaded for both uses;
  /// with both that would be slower from beyond the second cache (0.9 of the speed), as gcc does it, with neither, from within (0.92).
  template <class IndexAt>
  Body number_lanes(const Level& level, Sym start, IndexAt index_at) {
    Body body;
    const auto each_lane = [&](Sym count, auto visit_lane) {
      Stmt* lane = new_loop(arena_, "lane", 0, count);
      visit_lane(lane->variable, lane->body);
      for (Stmt* s : vector_lanes(arena_, lane, simd_width_)) body.push_back(s);
    };
    const auto element = [&](size_t r, Sym lane, bool loads_once) {
      const UOp* value = operands(r, index_at(start + lane))[0];
      return loads_once && is_read(value) ? arena_.call(numbers_of(r).in_register, {value}) : value;
    };
    const auto set = [&](int accumulator, Sym lane, const Function* function, std::vector<const UOp*> more, Body& into) {
      more.insert(more.begin(), arena_.acc(function->result, accumulator, lane));
      into.push_back(set_accumulator(arena_, accumulator, lane, arena_.call(function, std::move(more))));
    };
    for (const int64_t half : {int64_t{0}, kLanes / 2})
      each_lane(kLanes / 2, [&](Sym lane, Body& into) {
        const Index index = index_at(start + half + lane);
        rows_.keep(*pass_, index, into);
        for (size_t r = 0; r < pass_->reduces.size(); ++r) {
          set(level.accumulators[r], half + lane, numbers_of(r).extreme, {element(r, half + lane, half == 0)}, into);
        }
        for (Stmt* s : store_outputs(c_, pass_->row_stores, rows_.squeezed_index(index))) into.push_back(s);
      });
    for (int64_t first = 0; first < kLanes / 2; first += simd_width_)
      each_lane(simd_width_, [&](Sym lane, Body& into) {
        for (size_t r = 0; r < pass_->reduces.size(); ++r) {
          set(level.nans[r], lane, numbers_of(r).found_nan, {element(r, first + lane, true), element(r, first + kLanes / 2 + lane, false)},
              into);
        }
      });
    return body;
  }
  ExtremeOfNumbers numbers_of(size_t r) {
    const Node& reduce = *pass_->reduces[r];
    return build_extreme_of_numbers(arena_, combine_of(reduce.op), accumulator_dtype(reduce));
  }

  // --- chain -----------------------------------------------------------------------------------------------------------

  /// `count` elements as a chain: `elements(begin, end, body)` emits what combines them into level 0, whose accumulators are `width` wide.
  template <class Elements>
  void chain_blocks(const std::vector<Level>& levels, Sym count, Sym width, Elements elements, Body& body) {
    std::vector<Sym> counts = {count};
    while (counts.size() < levels.size()) counts.push_back(ceil_div(counts.back(), kChainBlock));
    chain_level(levels, counts, levels.size() - 1, 0, counts.back(), width, elements, body);
  }
  template <class Elements>
  void chain_level(const std::vector<Level>& levels, const std::vector<Sym>& counts, size_t level, Sym begin, Sym end, Sym width,
                   Elements elements, Body& body) {
    declare(levels[level], body);
    if (level == 0) {
      elements(begin, end, body);
      return;
    }
    Stmt* blocks = new_loop(arena_, cat("block", level), begin, end);
    const Sym first = blocks->variable * kChainBlock;
    chain_level(levels, counts, level - 1, first, min(first + kChainBlock, counts[level - 1]), width, elements, blocks->body);
    if (width.is_constant(1)) {
      carry(levels[level - 1], 0, levels[level], 0, blocks->body);
    } else {
      Stmt* columns = new_loop(arena_, "column", 0, width);
      carry(levels[level - 1], columns->variable, levels[level], columns->variable, columns->body);
      for (Stmt* s : vector_columns(arena_, columns, simd_width_)) blocks->body.push_back(s);
    }
    body.push_back(blocks);
  }

  bool is_free_of_order(const RowPass& pass) const {
    return std::all_of(pass.reduces.begin(), pass.reduces.end(),
                       [](const Node* reduce) { return harp::is_free_of_order(reduce->op, reduce->dtype); });
  }
  int chain_levels(const RowPass& pass) const {
    if (is_free_of_order(pass)) return 1;
    return levels_needed(element_count(sizes(outer_)), kChainBlock, element_count(sizes(kept_)), c_.holds);
  }

  /// Tiles of the last kept axis, each with all passes.
  Body columns(const Index& outer_kept) {
    if (kept_.empty()) return column_passes(outer_kept, Sym(0), 1, 1);
    const Dim width = size(kept_.back());
    const int64_t wanted = c_.schedule.axes[kept_.size() - 1].tile;
    size_t row_bytes = 0;
    for (const RowPass& pass : c_.plan.passes)
      for (const Node* r : pass.reduces) row_bytes += size_of(accumulator_dtype(*r)) * static_cast<size_t>(chain_levels(pass));
    int64_t tile = kLanes;
    while (tile * 2 * static_cast<int64_t>(row_bytes) <= kFrameBytes) tile *= 2;  // what fits the stack, unless the schedule says
    if (wanted > 0) tile = wanted;
    if (range(width).hi <= tile) {
      const int64_t most = std::max<int64_t>(range(width).hi, 1);
      const int64_t capacity = (most + simd_width_ - 1) / simd_width_ * simd_width_;
      return column_passes(outer_kept, Sym(0), width, capacity);
    }
    Stmt* tiles = new_loop(arena_, "tile", 0, ceil_div(width, tile));
    const Sym start = tiles->variable * tile;
    tiles->body = column_passes(outer_kept, start, min(Sym(tile), width - start), tile);
    return {tiles};
  }

  /// Columns [start, start + width) of the last kept axis.
  struct Tile {
    const Index& outer_kept;
    Sym start, width;
    int64_t capacity;
  };
  Body column_passes(const Index& outer_kept, Sym start, Sym width, int64_t capacity) {
    const Tile tile{outer_kept, start, width, capacity};
    Body body;
    rows_.declare(accumulators_, kept_.empty() ? std::nullopt : std::optional(RowValues::Tile{kept_.back(), start, capacity}), body);
    for (const RowPass& pass : c_.plan.passes) {
      pass_ = &pass;
      copy_windows(tile, body);
      const Body statements = !pass.reduces.empty() ? chain_pass(tile) : kept_.empty() ? row_loops({}) : column_rows(tile);
      body.insert(body.end(), statements.begin(), statements.end());
      rows_.bind(pass);
      Stmt* columns = new_loop(arena_, "column", 0, width);
      bind_results(columns->variable);
      columns->body = store_outputs(c_, pass.stores, kept_at(tile, columns->variable));
      const Body stores = columns->body.empty() ? Body{}
                          : kept_.empty()       ? unroll(arena_, columns)
                                                : vectorise(arena_, columns, simd_width_, false);
      body.insert(body.end(), stores.begin(), stores.end());
      if (kept_.empty()) bind_results(0);
    }
    return body;
  }
  /// Overlapping windows are read from a copy of what they read together (a convolution of each channel by itself).
  void copy_windows(const Tile& tile, Body& body) {
    if (c_.plan.passes.size() != 1 || !pass_->row_stores.empty() || kept_.empty()) return;
    std::vector<Windows::Axis> axes = {{new_loop(arena_, "column", 0, tile.width)->variable, tile.width, tile.capacity}};
    Index index = source_index(kept_at(tile, axes[0].variable), 0, 0);
    for (const size_t axis : outer_) {
      if (!size(axis).is_constant() || size(axis).constant() < 1) return;
      axes.push_back({new_loop(arena_, "term", 0, size(axis))->variable, size(axis), size(axis).constant()});
      index[axis] = axes.back().variable;
    }
    for (const Node* reduce : pass_->reduces)
      for (const Node* operand : operands_of(*reduce))
        if (operand->rank() > 0 && !windows_.contains(operand))
          if (auto copy = Windows::copy(c_, accumulators_, operand, index, axes, simd_width_, body)) windows_.emplace(operand, *copy);
  }
  bool is_whole_row(const Tile& tile) const { return kept_.empty() || (tile.start.is_constant(0) && tile.width == size(kept_.back())); }
  Index kept_at(const Tile& tile, Sym column) const {
    Index kept = tile.outer_kept;
    if (!kept_.empty()) kept.push_back(tile.start + column);
    return kept;
  }

  /// Rows row, row + apart, … into every column, n of them.
  Body rows(const Tile& tile, const Level& level, Sym row, int n, Sym apart = 1) {
    Stmt* columns = new_loop(arena_, "column", 0, tile.width);
    bind_results(columns->variable);
    std::vector<Index> indices;
    for (int i = 0; i < n; ++i) indices.push_back(source_index(kept_at(tile, columns->variable), row + apart * i, 0));
    if (n > 1)
      visit_all(level, columns->variable, indices, columns->body);
    else
      visit(level, columns->variable, indices[0], columns->body);
    if (tile.width.is_constant(1)) return unroll(arena_, columns);
    if (pass_->reduces.empty()) return vectorise(arena_, columns, simd_width_, false);
    return vector_columns(arena_, columns, simd_width_, c_.schedule.axes[kept_.size() - 1].unroll);
  }

  /// Rows of whole pages are loaded while the level is stored to.
  void keep_apart(const Tile& tile, const Level& level, const Stmt* row) {
    if (in_registers(tile.width, simd_width_)) return;
    for (const UOp* u : uops_of(arena_, row->body)) {
      if (u->kind != UKind::kLoad || u->type.lanes == 1) continue;
      const int64_t size = static_cast<int64_t>(size_of(c_.kernel.params[static_cast<size_t>(u->buffer)].dtype));
      const auto along_rows = linear_in(u->index, variable_of(row->variable));
      if (!along_rows || !along_rows->coefficient.is_constant() || along_rows->coefficient.is_constant(0)) continue;
      const bool begins_alike = tile.start.is_constant(0) || tile.capacity * size % kPageBytes == 0;
      if (!begins_alike || along_rows->coefficient.constant() * size % kPageBytes != 0) continue;
      for (const int a : level.accumulators) c_.kernel.accumulators[static_cast<size_t>(a)].beside = u->buffer;
    }
  }

  Body chain_pass(const Tile& tile) {
    const Sym count = element_count(sizes(outer_));
    std::vector<Level> levels;
    for (int l = chain_levels(*pass_); l-- > 0;) levels.push_back(new_level(tile.capacity));
    const int together = in_registers(tile.width, simd_width_) ? 1 : std::max(1, c_.schedule.axes.back().unroll);
    Body body;
    chain_blocks(
        levels, count, tile.width,
        [&](Sym begin, Sym end, Body& into) {
          const Sym full = begin + floor_div(end - begin, together) * together;
          // Whole rows that may come in any order are read as several streams, each a share of all rows.
          const Sym share = floor_div(end - begin, together);
          const bool are_apart = is_free_of_order(*pass_) && is_whole_row(tile);
          if (together > 1 && (full - begin).is_constant(together)) {
            const Body all = rows(tile, levels[0], begin, together);
            into.insert(into.end(), all.begin(), all.end());
          } else if (together > 1 && !proven_at_most(full, begin)) {
            Stmt* loop = new_loop(arena_, next_name(), begin, are_apart ? begin + share : full);
            loop->step = are_apart ? 1 : together;
            loop->body = rows(tile, levels[0], loop->variable, together, are_apart ? share : 1);
            if (c_.schedule.ahead && simd_width_ * static_cast<int64_t>(size_of(first_.sources[0]->dtype)) == kLineBytes)
              ask_ahead(arena_, loop->body, simd_width_, loop->variable, loop->variable + loop->step);
            keep_apart(tile, levels[0], loop);
            into.push_back(loop);
          }
          const Sym rest = together > 1 ? full : begin;
          if (!proven_at_most(end, rest)) {
            Stmt* loop = new_loop(arena_, next_name(), rest, end);
            loop->body = rows(tile, levels[0], loop->variable, 1);
            keep_apart(tile, levels[0], loop);
            if (together == 1 && is_whole_row(tile) && !loop->body.empty() &&
                loop->body[0]->kind == StmtKind::kLoop) {  // one stream of memory
              Body columns = asking_for_pages(loop->body[0]);
              loop->body.erase(loop->body.begin());
              loop->body.insert(loop->body.begin(), columns.begin(), columns.end());
            }
            into.push_back(loop);
          }
        },
        body);
    results_.push_back({pass_, levels.back(), levels.size()});
    return body;
  }

  /// A pass without reductions.
  Body column_rows(const Tile& tile) {
    Stmt* loop = new_loop(arena_, next_name(), 0, element_count(sizes(outer_)));
    loop->body = rows(tile, {}, loop->variable, 1);
    return {loop};
  }

  std::string next_name() { return cat("ridx", names_++); }

  KernelContext& c_;
  Arena& arena_;
  const Node& first_;
  const ReduceAttributes& attributes_;
  std::vector<size_t> kept_;           // axes of the source that stay and are not 1
  std::vector<size_t> outer_, inner_;  // reduced by chain, by lanes
  const RowPass* pass_ = nullptr;      // being lowered
  std::vector<Results> results_;       // of the passes so far
  int simd_width_;
  Accumulators accumulators_;
  RowValues rows_;
  std::optional<LateStores> late_;
  std::map<const Node*, Windows> windows_;  // operands that are read from copies
  int names_ = 0;
};

}  // namespace

void lower_reduce(KernelContext& context) { ReduceLowering(context).run(); }

}  // namespace harp::lower
