// Scan template: the two orders of the law (02-semantics, "Scans"), written as one pass over blocks of 4,096 elements.
//
// Level 0 goes through the elements of a block, from the carry it is given. Beside the carry runs the block's total, which starts at the
// identity (so the elements are read once, not twice). The totals are the elements of level 1, whose running value is what the next block
// starts from; and so on, as many levels as the bounds of the size ask for.
//
// tree    for each kept index: groups of 64 are loaded, scanned as a whole (kAccScan) and stored; the lanes are the vector axis. A level
//         above collects 64 totals the same way, and scans them again for each block that ends, since the next one has to start.
//         Groups are scanned in turn, as many as the schedule says: each a part behind the one before it, since the parts of one wait for
//         each other. Past the caches a block is put together in the first one, where rows are not whole lines of memory (ScanLines).
// chain   carries and totals of a tile of the last kept axis lie side by side (a row in L1, or registers) and are the vector axis; the
//         elements stream past, several rows at a time.
#include <algorithm>

#include "base/text.h"
#include "lower/scan_lines.h"
#include "lower/scan_turns.h"
#include "schedule/stream.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kBlock = kScannedBlock, kGroup = kScannedGroup;
constexpr int64_t kFewestInTurn = 4;  // groups
constexpr int64_t kMostRunning = 16;  // vectors of columns that stay in registers: nothing else does, since what is added is in memory

class ScanLowering {
 public:
  explicit ScanLowering(KernelContext& context)
      : c_(context),
        arena_(context.arena),
        scans_(context.plan.scans),
        shape_(scans_[0]->shape),
        attributes_(scans_[0]->as<ScanAttributes>()),
        axis_(static_cast<size_t>(attributes_.axis)),
        counts_{shape_[axis_]},
        accumulators_(context.kernel) {
    for (size_t axis = 0; axis < shape_.size(); ++axis)
      if (axis != axis_ && !shape_[axis].is_constant(1)) kept_.push_back(axis);
    for (const AxisSchedule& a : c_.schedule.axes) {
      simd_width_ = std::max(simd_width_, a.simd_width);
      has_threads_ |= a.kind == AxisKind::kThread;
      if (a.kind == AxisKind::kScan)
        rows_together_ = std::max(1, a.unroll);
      else
        wanted_tile_ = a.tile;  // of the last kept axis
    }
    Sym others = 1;
    for (const size_t axis : kept_) others = others * shape_[axis];
    const int levels = scans_blocks(c_.plan) ? levels_needed(counts_[0], kBlock, others, c_.holds) : 1;
    while (static_cast<int>(counts_.size()) < levels) counts_.push_back(ceil_div(counts_.back(), kBlock));
  }

  void run() {
    const bool is_tree = attributes_.order == ScanOrder::kTree;
    std::vector<Stmt*> nest;
    Index kept;
    const size_t loops = is_tree || kept_.empty() ? kept_.size() : kept_.size() - 1;
    for (size_t i = 0; i < loops; ++i) {
      nest.push_back(new_loop(arena_, cat("oidx", i), 0, shape_[kept_[i]]));
      kept.push_back(nest.back()->variable);
    }
    Body body = is_tree ? tree(kept) : tiles(kept);
    for (size_t i = nest.size(); i-- > 0;) {
      nest[i]->body = std::move(body);
      body = {nest[i]};
    }
    const bool begins_with_kept = !nest.empty() || is_tiled_;
    if (has_threads_ && begins_with_kept) body[0]->loop = LoopKind::kThread;
    c_.kernel.body = std::move(body);
  }

 private:
  using Row = std::vector<int>;  // accumulators, one a scan of the kernel

  struct Level {
    Row carries;         // the running values, in the order of this level's block
    Row totals;          // of the items so far in the block; none on the last level
    Row starts;          // above level 0: the running values after the last item, which the next block of the level below starts from
    Row group, running;  // tree, above level 0: the items of a group, and the same scanned
  };

  // --- values ----------------------------------------------------------------------------------------------------------

  /// The kernel's position at a kept index and element `along` in the order of the scan; size-1 axes left out.
  Index position(const Index& kept, Sym along) const {
    Index position;
    size_t next = 0;
    for (size_t axis = 0; axis < shape_.size(); ++axis) {
      if (shape_[axis].is_constant(1)) continue;
      position.push_back(axis != axis_ ? kept[next++] : attributes_.reverse ? counts_[0] - 1 - along : along);
    }
    return position;
  }
  const UOp* element(size_t s, const Index& position) {
    const Node* source = scans_[s]->sources[0];
    return to_accumulator(arena_, *scans_[s], c_.values.value(source, node_index(source->shape, position)));
  }
  const UOp* read(size_t s, const Row& row, Sym index) { return arena_.acc(accumulator_dtype(*scans_[s]), row[s], index); }

  // --- statements ------------------------------------------------------------------------------------------------------

  void declare(const Row& row, Body& body) {
    for (int a : row) body.push_back(declare_accumulator(arena_, a));
  }
  void set(const Row& to, Sym to_index, const Row& from, Sym from_index, Body& body) {
    for (size_t s = 0; s < to.size(); ++s) body.push_back(set_accumulator(arena_, to[s], to_index, read(s, from, from_index)));
  }
  void update(const Row& to, const Row& from, Sym index, Body& body) {
    for (size_t s = 0; s < to.size(); ++s) body.push_back(update_accumulator(arena_, to[s], index, read(s, from, index)));
  }
  /// The group becomes its running values from `carries` on; its totals go into group_totals_.
  void scan_group(const Row& group, const Row& carries, Body& body) {
    is_group_scanned_ = true;
    for (size_t s = 0; s < scans_.size(); ++s) {
      Stmt* scan = arena_.statement(StmtKind::kAccScan);
      scan->accumulator = group[s];
      scan->value = read(s, carries, 0);
      scan->total = group_totals_[s];
      body.push_back(scan);
    }
  }
  /// What is stored at this position, where element `index` of `results` holds what the scans are worth.
  void store(const Row& results, Sym index, const Index& position, Body& body) {
    for (Stmt* stored : stores_of(results, index, position)) body.push_back(stored);
  }
  Body stores_of(const Row& results, Sym index, const Index& position) {
    for (size_t s = 0; s < scans_.size(); ++s) c_.values.bind(scans_[s], from_accumulator(arena_, *scans_[s], read(s, results, index)));
    return store_outputs(c_, position);
  }
  Sym block_end(Sym block, size_t level) const { return min(block * kBlock + kBlock, counts_[level]); }

  // --- tree ------------------------------------------------------------------------------------------------------------

  Body tree(const Index& kept) {
    const int64_t most = range(counts_[0]).hi;
    for (size_t l = 0; l < counts_.size(); ++l) {
      Level level;
      level.carries = accumulators_.add(scans_, 1);
      if (l + 1 < counts_.size()) level.totals = accumulators_.add(scans_, 1);
      if (l > 0) {
        level.starts = accumulators_.add(scans_, 1);
        level.group = accumulators_.add(scans_, kGroup);
        level.running = accumulators_.add(scans_, kGroup);
      }
      levels_.push_back(std::move(level));
    }
    group_totals_ = accumulators_.add(scans_, 1);
    if (most >= kGroup) {
      whole_group_ = accumulators_.add(scans_, kGroup);
      for (const int a : whole_group_) c_.kernel.accumulators[static_cast<size_t>(a)].is_row = true;  // set before it is read
    }
    if (!mod(counts_[0], kGroup).is_constant(0)) {  // else every block is whole groups
      int64_t size = kQuad;
      while (size < std::min(most, kGroup)) size *= 2;
      part_group_ = accumulators_.add(scans_, size);
    }
    Body body;
    for (const Level& level : levels_) declare(level.carries, body), declare(level.starts, body);
    if (c_.schedule.stream && may_store_by_lines(c_.plan)) {
      const Sym along = new_loop(arena_, "along", 0, counts_[0])->variable;
      lines_ = ScanLines::of(c_, accumulators_, stores_of(whole_group_.empty() ? part_group_ : whole_group_, 0, position(kept, along)),
                             along, std::min(most, kBlock));
      if (lines_) lines_->declare(body);
    }
    if (const int64_t groups = groups_in_turn(kept); groups > 1) {
      turns_.emplace(c_, accumulators_, *scans_[0], groups, simd_width_);
      turns_->declare(body);
    }
    Body scans;
    tree_level(counts_.size() - 1, 0, counts_.back(), kept, scans);
    if (is_group_scanned_) declare(group_totals_, body);
    body.insert(body.end(), scans.begin(), scans.end());
    return body;
  }

  /// Items [begin, end) of a level: elements at level 0, above it blocks of the level below.
  void tree_level(size_t level, Sym begin, Sym end, const Index& kept, Body& body) {
    if (level == 0) {
      block_ = begin;
      const Sym first = begin;
      if (turns_) begin = in_turn(begin, end, kept, body);
      const Sym full = begin + floor_div(end - begin, kGroup) * kGroup;
      if (!whole_group_.empty() && !proven_at_most(full, begin)) {
        declare(whole_group_, body);
        Stmt* groups = new_loop(arena_, next_name(), begin, full);
        groups->step = kGroup;
        group(whole_group_, groups->variable, kGroup, kept, groups->body);
        body.push_back(groups);
      }
      if (!part_group_.empty() && !proven_at_most(end, full)) {
        Body part;
        declare(part_group_, part);  // what it is not filled with is the identity
        group(part_group_, full, end - full, kept, part);
        if (proven_at_most(full + 1, end))
          body.insert(body.end(), part.begin(), part.end());
        else
          body.push_back(new_if(arena_, end - full - 1, std::move(part)));
      }
      if (lines_) lines_->copy(stores_of(whole_group_.empty() ? part_group_ : whole_group_, 0, position(kept, first)), end - first, body);
      return;
    }
    const Level &mine = levels_[level], &below = levels_[level - 1];
    Stmt* groups = new_loop(arena_, cat("group", level), begin, end);
    groups->step = kGroup;
    declare(mine.group, groups->body);
    declare(mine.running, groups->body);
    Stmt* blocks = new_loop(arena_, cat("block", level), groups->variable, min(groups->variable + kGroup, end));
    const Sym block = blocks->variable, lane = block - groups->variable;
    set(below.carries, 0, mine.starts, 0, blocks->body);
    declare(below.totals, blocks->body);
    tree_level(level - 1, block * kBlock, block_end(block, level - 1), kept, blocks->body);
    set(mine.group, lane, below.totals, 0, blocks->body);
    Stmt* lanes = new_loop(arena_, "lane", 0, kGroup);
    set(mine.running, lanes->variable, mine.group, lanes->variable, lanes->body);
    for (Stmt* s : vector_lanes(arena_, lanes, simd_width_)) blocks->body.push_back(s);
    scan_group(mine.running, mine.carries, blocks->body);
    set(mine.starts, 0, mine.running, lane, blocks->body);
    groups->body.push_back(blocks);
    update(mine.carries, group_totals_, 0, groups->body);
    update(mine.totals, group_totals_, 0, groups->body);
    body.push_back(groups);
  }

  /// A group of `count` elements from `first` on: loaded, scanned, stored.
  void group(const Row& elements, Sym first, Sym count, const Index& kept, Body& body) {
    const int width = group_width(elements, count);
    load_group(elements, 0, first, count, width, kept, body);
    scan_group(elements, levels_[0].carries, body);
    update(levels_[0].carries, group_totals_, 0, body);
    update(levels_[0].totals, group_totals_, 0, body);
    store_group(elements, 0, first, count, width, kept, body);
  }
  /// Lanes of the vectors of a group, four of which, or more, hold it. Half of them where these are filled then: what single elements are
  /// put into is in memory.
  int group_width(const Row& elements, Sym count) const {
    const auto width =
        static_cast<int>(std::min<int64_t>(simd_width_, c_.kernel.accumulators[static_cast<size_t>(elements[0])].count / kQuad));
    const bool is_half_filled = width > 1 && !mod(count, width).is_constant(0) && mod(count, width / 2).is_constant(0);
    return is_half_filled ? width / 2 : width;
  }
  /// Elements from `first` on, which are those from `at` on of the accumulators.
  void load_group(const Row& elements, Sym at, Sym first, Sym count, int width, const Index& kept, Body& body) {
    Stmt* loads = new_loop(arena_, "lane", 0, count);
    const Sym lane = loads->variable;
    for (size_t s = 0; s < scans_.size(); ++s)
      loads->body.push_back(set_accumulator(arena_, elements[s], at + lane, element(s, position(kept, first + lane))));
    const Body vectors = vector_lanes(arena_, loads, width);
    if (c_.schedule.ahead)
      for (Stmt* s : lines_ahead(arena_, vectors)) body.push_back(s);
    body.insert(body.end(), vectors.begin(), vectors.end());
  }
  void store_group(const Row& elements, Sym at, Sym first, Sym count, int width, const Index& kept, Body& body) {
    Stmt* stores = new_loop(arena_, "lane", 0, count);
    const Sym lane = stores->variable;
    store(elements, at + lane, position(kept, first + lane), stores->body);
    if (lines_) lines_->keep(stores->body, first + lane - block_);
    for (Stmt* s : vector_lanes(arena_, stores, width)) body.push_back(s);
  }

  /// As many as the schedule says or, of a row of known length, so many that few are left. 1 where it does not pay: what is scanned has to
  /// be vectors, and short, since it is written out for each group.
  int64_t groups_in_turn(const Index& kept) {
    if (scans_.size() != 1 || simd_width_ == 1 || simd_width_ * kQuad > kGroup || whole_group_.empty()) return 1;
    int64_t groups = std::min<int64_t>(rows_together_, range(counts_[0]).hi / kGroup);
    if (counts_.size() == 1 && counts_[0].is_constant() && groups > 0) {
      const int64_t all = counts_[0].constant() / kGroup;
      groups = all / ((all + groups - 1) / groups);
    }
    if (groups < kFewestInTurn) return 1;
    // Any group, not the first: of a view it may lie across two pieces.
    Body trial;
    const Sym turn = new_loop(arena_, "turn", 0, counts_[0])->variable, at = new_loop(arena_, "at", 0, groups)->variable * kGroup;
    load_group(whole_group_, at, turn + at, kGroup, simd_width_, kept, trial);
    store_group(whole_group_, at, turn + at, kGroup, simd_width_, kept, trial);
    const auto is_vector = [&](const Stmt* s) {
      return (s->kind == StmtKind::kStore || s->kind == StmtKind::kAccSet) && s->value->type.lanes == simd_width_;
    };
    const std::vector<const UOp*> values = uops_of(arena_, trial);
    const auto is_whole = [&](const UOp* u) {
      return u->kind != UKind::kAcc || u->buffer != whole_group_[0] || (u->type.lanes == simd_width_ && u->lane_step.is_constant(1));
    };
    const bool are_vectors = std::all_of(trial.begin(), trial.end(), is_vector) && std::all_of(values.begin(), values.end(), is_whole);
    return are_vectors && is_short(values) ? groups : 1;
  }

  /// As many of the elements [begin, end) as make whole turns; gives where they end.
  Sym in_turn(Sym begin, Sym end, const Index& kept, Body& body) {
    const ScanTurns::Access access = {
        [&](int elements, Sym at, Sym first, Body& each) { load_group({elements}, at, first, kGroup, simd_width_, kept, each); },
        [&](int elements, Sym at, Sym first, Body& each) { store_group({elements}, at, first, kGroup, simd_width_, kept, each); }};
    const Level& level = levels_[0];
    return turns_->lower(begin, end, level.carries[0], level.totals.empty() ? -1 : level.totals[0], access, body);
  }

  // --- chain -----------------------------------------------------------------------------------------------------------

  Body tiles(const Index& outer_kept) {
    if (kept_.empty()) return columns(outer_kept, 0, 1, 1);
    const Dim all = shape_[kept_.back()];
    const int64_t most = std::max<int64_t>(range(all).hi, 1), tile = wanted_tile_ > 0 ? wanted_tile_ : kLanes;
    if (most <= tile) return columns(outer_kept, 0, all, (most + simd_width_ - 1) / simd_width_ * simd_width_);
    is_tiled_ = true;
    if (all.is_constant() && in_registers(tile, simd_width_, kMostRunning)) return register_tiles(outer_kept, all.constant(), tile);
    Stmt* tiles = new_loop(arena_, "tile", 0, ceil_div(all, tile));
    const Sym start = tiles->variable * tile;
    tiles->body = columns(outer_kept, start, min(Sym(tile), all - start), tile);
    return {tiles};
  }

  /// Tiles of whole vectors that stay in registers. After the last of them comes what is left, from so far in front that it is whole
  /// vectors too: the columns that belong to both are scanned twice, by the same thread.
  Body register_tiles(const Index& outer_kept, int64_t all, int64_t tile) {
    const int64_t count = all / tile, rest = (all % tile + simd_width_ - 1) / simd_width_ * simd_width_;
    Stmt* tiles = new_loop(arena_, "tile", 0, count);
    tiles->body = columns(outer_kept, tiles->variable * tile, tile, tile);
    if (rest > 0) {
      Body last = columns(outer_kept, all - rest, rest, rest);
      tiles->body.push_back(new_if(arena_, tiles->variable - (count - 1), std::move(last)));
    }
    return {tiles};
  }

  /// Columns [start, start + width) of the last kept axis.
  Body columns(const Index& outer_kept, Sym start, Sym width, int64_t capacity) {
    const auto kept_at = [&](Sym column) {
      Index kept = outer_kept;
      if (!kept_.empty()) kept.push_back(start + column);
      return kept;
    };
    if (finds_running_values(width)) return rows_from_stored(width, kept_at);
    levels_.clear();
    for (size_t l = 0; l < counts_.size(); ++l) {
      const bool is_last = l + 1 == counts_.size();
      Level level;
      level.carries = accumulators_.add(scans_, capacity);
      if (!is_last) level.totals = accumulators_.add(scans_, capacity);
      // the last level has one block, in which the carry is the running value
      if (l > 0) level.starts = is_last ? level.carries : accumulators_.add(scans_, capacity);
      levels_.push_back(std::move(level));
    }
    Body body;
    for (const Level& level : levels_) {
      declare(level.carries, body);
      if (level.starts != level.carries) declare(level.starts, body);
    }
    chain_level(counts_.size() - 1, 0, counts_.back(), width, kept_at, body);
    return body;
  }

  /// Do the running values of one block, which would be in memory, lie there already? They do where what is stored is what they are.
  bool finds_running_values(Sym width) const {
    const std::vector<StorePlan>& stores = c_.plan.stores;
    return counts_.size() == 1 && scans_.size() == 1 && stores.size() == 1 && stores[0].node == scans_[0] &&
           accumulator_dtype(*scans_[0]) == scans_[0]->dtype && !c_.schedule.stream && rows_together_ == 1 &&
           !in_registers(width, simd_width_, kMostRunning);
  }

  /// All rows, each from the one that has been stored before it. Those that follow each other in memory are one line of elements, which
  /// has its ends once.
  template <class KeptAt>
  Body rows_from_stored(Sym width, KeptAt kept_at) {
    const Node& scan = *scans_[0];
    const auto store_row = [&](const UOp* before, const Index& kept, Sym along, Body& body) {
      const Index here = position(kept, along);
      c_.values.bind(&scan, arena_.apply(combine_of(scan.op), scan.dtype, {before, element(0, here)}));
      for (Stmt* stored : store_outputs(c_, here)) body.push_back(stored);
    };
    Body first;
    const UOp* identity = arena_.constant(identity_of(scan.op, scan.dtype));
    in_columns(width, first, [&](Sym column, Body& each) { store_row(identity, kept_at(column), 0, each); });
    const auto store_next = [&](Sym column, Sym along, Body& each) {
      const Stmt& before = *store_outputs(c_, position(kept_at(column), along - 1))[0];
      store_row(arena_.load(scan.dtype, before.buffer, before.index), kept_at(column), along, each);
    };
    Body body = proven_positive(counts_[0]) ? std::move(first) : Body{new_if(arena_, counts_[0] - 1, std::move(first))};
    const auto line = [&](Sym begin, Sym end) {  // of elements behind the first row
      Stmt* loop = new_loop(arena_, next_name(), 0, end - begin);
      const Sym place = loop->variable + begin;
      store_next(mod(place, width), floor_div(place, width) + 1, loop->body);
      return loop;
    };
    // From where a line of memory begins, if the array does: a vector that is stored across two costs more than one that is loaded so.
    const int64_t elements = kLineBytes / static_cast<int64_t>(size_of(scan.dtype));
    const Sym front = mod(Sym(0) - width, elements);
    Stmt* rest = line(front, (counts_[0] - 1) * width);
    if (proven_at_most(simd_width_, width) && proven_at_most(front, width) && is_line(*rest)) {
      // As loops: of stores one after the other everything is read before the first (ir/linearize.cpp), and here a vector may be made of
      // what the one before it stored.
      Body lines = vectorise(arena_, line(0, front), simd_width_, false);
      for (Stmt* s : vectorise(arena_, rest, simd_width_, false)) lines.push_back(s);
      body.push_back(new_if(arena_, counts_[0] - 2, std::move(lines)));
      return body;
    }
    Stmt* rows = new_loop(arena_, next_name(), 1, counts_[0]);
    in_columns(width, rows->body, [&](Sym column, Body& each) { store_next(column, rows->variable, each); });
    body.push_back(rows);
    return body;
  }
  /// Does a loop store one element after the other, made of nothing but what lies so too?
  bool is_line(const Stmt& loop) const {
    const auto follows = [&](Sym index) {
      const auto place = linear_in(index, variable_of(loop.variable));
      return place && place->coefficient.is_constant(1);
    };
    const auto is_made_so = [&](const UOp* u) {
      return u->kind == UKind::kLoad ? u->sources.empty() && follows(u->index) : u->kind == UKind::kAlu || u->kind == UKind::kConst;
    };
    const std::vector<const UOp*> values = uops_of(arena_, loop.body);
    return std::all_of(loop.body.begin(), loop.body.end(), [&](const Stmt* s) { return s->mask == nullptr && follows(s->index); }) &&
           std::all_of(values.begin(), values.end(), is_made_so);
  }

  template <class KeptAt>
  void chain_level(size_t level, Sym begin, Sym end, Sym width, KeptAt kept_at, Body& body) {
    if (level == 0) return elements(begin, end, false, width, kept_at, body);
    const Level &mine = levels_[level], &below = levels_[level - 1];
    Stmt* blocks = new_loop(arena_, cat("block", level), begin, end);
    const Sym block = blocks->variable;
    in_columns(width, blocks->body, [&](Sym column, Body& each) { set(below.carries, column, mine.starts, column, each); });
    const auto count_in = [&](const Row& totals, Body& into) {
      in_columns(width, into, [&](Sym column, Body& each) {
        update(mine.carries, totals, column, each);
        update(mine.totals, totals, column, each);
        if (mine.starts != mine.carries) set(mine.starts, column, mine.carries, column, each);
      });
    };
    if (level > 1) {
      declare(below.totals, blocks->body);
      chain_level(level - 1, block * kBlock, block_end(block, level - 1), width, kept_at, blocks->body);
      count_in(below.totals, blocks->body);
    } else {
      // Totals cost a third of the speed. The first block's is its carry, and nobody needs the last one's.
      Stmt* choice = new_if(arena_, min(block - 1, counts_[1] - 2 - block), {});
      declare(below.totals, choice->body);
      elements(block * kBlock, block_end(block, 0), true, width, kept_at, choice->body);
      count_in(below.totals, choice->body);
      elements(block * kBlock, block_end(block, 0), false, width, kept_at, choice->otherwise);
      count_in(below.carries, choice->otherwise);
      const bool has_middle = range(counts_[1]).hi > 2;
      for (Stmt* s : has_middle ? Body{choice} : choice->otherwise) blocks->body.push_back(s);
    }
    body.push_back(blocks);
  }

  /// Rows [begin, end) of every column.
  template <class KeptAt>
  void elements(Sym begin, Sym end, bool with_totals, Sym width, KeptAt kept_at, Body& body) {
    const int together = in_registers(width, simd_width_, kMostRunning) ? 1 : rows_together_;
    const Sym full = begin + floor_div(end - begin, together) * together;
    const auto rows = [&](Sym from, Sym to, int n) {
      if (proven_at_most(to, from)) return;
      Stmt* loop = new_loop(arena_, next_name(), from, to);
      loop->step = n;
      in_columns(width, loop->body, [&](Sym column, Body& each) {
        for (int i = 0; i < n; ++i) row(kept_at(column), loop->variable + i, column, with_totals, each);
      });
      body.push_back(loop);
    };
    if (together > 1) rows(begin, full, together);
    rows(together > 1 ? full : begin, end, 1);
  }

  /// One element of one column.
  void row(const Index& kept, Sym along, Sym column, bool with_totals, Body& body) {
    const Index here = position(kept, along);
    for (size_t s = 0; s < scans_.size(); ++s) {
      const UOp* value = element(s, here);
      body.push_back(update_accumulator(arena_, levels_[0].carries[s], column, value));
      if (with_totals) body.push_back(update_accumulator(arena_, levels_[0].totals[s], column, value));
    }
    store(levels_[0].carries, column, here, body);
  }

  template <class Fill>
  void in_columns(Sym width, Body& body, Fill fill) {
    Stmt* columns = new_loop(arena_, "column", 0, width);
    fill(columns->variable, columns->body);
    for (Stmt* s : width.is_constant(1) ? unroll(arena_, columns) : vector_columns(arena_, columns, simd_width_, 1, kMostRunning))
      body.push_back(s);
  }

  std::string next_name() { return cat("ridx", names_++); }

  KernelContext& c_;
  Arena& arena_;
  const std::vector<const Node*>& scans_;
  const Shape& shape_;
  const ScanAttributes& attributes_;
  size_t axis_;
  std::vector<Sym> counts_;    // of the items of each level: elements, their blocks, blocks of those …
  std::vector<size_t> kept_;   // the other axes that are not 1
  std::vector<Level> levels_;  // parallel to counts_
  Row whole_group_, part_group_, group_totals_;
  std::optional<ScanTurns> turns_;
  std::optional<ScanLines> lines_;
  Sym block_ = 0;  // where the one that is stored begins
  Accumulators accumulators_;
  int simd_width_ = 1, rows_together_ = 1;
  int64_t wanted_tile_ = 0;
  bool has_threads_ = false, is_tiled_ = false, is_group_scanned_ = false;
  int names_ = 0;
};

}  // namespace

void lower_scan(KernelContext& context) { ScanLowering(context).run(); }

}  // namespace harp::lower
