// Lowers scans in tree order (docs/semantics.md, "Scans"). For each index of the axes that are not scanned, groups of 64 elements are
// loaded, scanned by one statement (AccScan) and stored; the lanes are the vector axis. The level above processes the totals of blocks in
// the same way: it collects 64 totals in a group. It scans that group again after each block, because the next block starts from the
// running value after it (the carry). The schedule gives the number of groups that are software-pipelined (ScanPipeline).
//
// The loads and stores of a group are scheduled here, before the rest of the kernel (ir::apply_tags), because two decisions depend on the
// resulting vectors: groups are pipelined only if all their loads and stores are whole vectors (pipelined_groups() tries that), and each
// cache line that the vectors load is prefetched.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "lower/masked_end.h"
#include "lower/scan.h"
#include "lower/scan_pipeline.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kGroup = kScannedGroup;
constexpr int64_t kMinPipelinedGroups = 4;  // with fewer groups, pipelining is not faster

/// Returns prefetches of the cache lines that the statements `loads` will load when they are executed for elements 8 KB further on. Returns
/// none if the statements contain loops.
Body line_prefetches(Arena& arena, const Body& loads) {
  constexpr int64_t kPrefetchBytes = 8192;
  Body prefetches;
  if (std::ranges::any_of(loads, [](const Stmt* s) { return as<Loop>(s) != nullptr; })) return prefetches;
  std::map<int, int64_t> bytes_of;  // for each parameter, the number of bytes loaded so far
  for (const UOp* u : uops_of(arena, loads)) {
    if (u->kind != UKind::kLoad || u->type.lanes == 1 || !u->lane_step.is_constant(1)) continue;
    const int64_t size = static_cast<int64_t>(size_of(u->type.dtype));
    int64_t& bytes = bytes_of[u->buffer];
    if (bytes % kLineBytes == 0) prefetches.push_back(prefetch(arena, u->buffer, u->index + kPrefetchBytes / size));
    bytes += size * u->type.lanes;
  }
  return prefetches;
}

class TreeScan : ScanLowering {
 public:
  explicit TreeScan(KernelContext& context) : ScanLowering(context) {}

  Body lower(const Index& kept) {
    const int64_t most = range(counts_[0]).hi;
    for (size_t l = 0; l < counts_.size(); ++l) {
      BlockLevel level;
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
      // the arrays need no initial value, because every element is set before it is read
      for (const int a : whole_group_) c_.kernel.accumulators[static_cast<size_t>(a)].is_row = true;
    }
    if (!mod(counts_[0], kGroup).is_constant(0)) {  // otherwise every block consists of whole groups of kGroup elements
      int64_t size = kQuad;
      while (size < std::min(most, kGroup)) size *= 2;
      part_group_ = accumulators_.add(scans_, size);
    }
    Body body;
    for (const BlockLevel& level : levels_) declare(level.carries, body), declare(level.starts, body);
    if (const int64_t groups = pipelined_groups(kept); groups > 1) {
      pipeline_.emplace(c_, accumulators_, *scans_[0], groups, simd_width_);
      pipeline_->declare(body);
    }
    Body scans;
    tree_level(counts_.size() - 1, 0, counts_.back(), kept, scans);
    if (is_group_scanned_) declare(group_totals_, body);
    body.insert(body.end(), scans.begin(), scans.end());
    return body;
  }

 private:
  /// Scans items [begin, end) of a level. At level 0 the items are elements, at higher levels the totals of blocks of the level below.
  void tree_level(size_t level, Sym begin, Sym end, const Index& kept, Body& body) {
    if (level == 0) {
      if (pipeline_) begin = pipelined(begin, end, kept, body);
      const Sym full = begin + floor_div(end - begin, kGroup) * kGroup;
      if (!whole_group_.empty() && !proven_at_most(full, begin)) {
        declare(whole_group_, body);
        Loop* groups = new_loop(arena_, next_name(), begin, full);
        groups->step = kGroup;
        group(whole_group_, groups->variable, kGroup, kept, groups->body);
        body.push_back(groups);
      }
      if (!part_group_.empty() && !proven_at_most(end, full)) {
        Body part;
        declare(part_group_, part);  // elements that are not loaded keep their initial value, the identity
        if (!masked_group(full, end - full, kept, part)) group(part_group_, full, end - full, kept, part);
        if (proven_at_most(full + 1, end))
          body.insert(body.end(), part.begin(), part.end());
        else
          body.push_back(new_if(arena_, end - full - 1, std::move(part)));
      }
      return;
    }
    const BlockLevel &mine = levels_[level], &below = levels_[level - 1];
    Loop* groups = new_loop(arena_, cat("group", level), begin, end);
    groups->step = kGroup;
    declare(mine.group, groups->body);
    declare(mine.running, groups->body);
    Loop* blocks = new_loop(arena_, cat("block", level), groups->variable, min(groups->variable + kGroup, end));
    const Sym block = blocks->variable, lane = block - groups->variable;
    set(below.carries, 0, mine.starts, 0, blocks->body);
    declare(below.totals, blocks->body);
    tree_level(level - 1, block * kBlock, block_end(block, level - 1), kept, blocks->body);
    set(mine.group, lane, below.totals, 0, blocks->body);
    Loop* lanes = new_loop(arena_, "lane", 0, kGroup);
    set(mine.running, lanes->variable, mine.group, lanes->variable, lanes->body);
    for (Stmt* s : vector_lanes(lanes, simd_width_)) blocks->body.push_back(s);
    scan_group(mine.running, mine.carries, blocks->body);
    set(mine.starts, 0, mine.running, lane, blocks->body);
    groups->body.push_back(blocks);
    update(mine.carries, group_totals_, 0, groups->body);
    update(mine.totals, group_totals_, 0, groups->body);
    body.push_back(groups);
  }

  /// Returns these statements after the tags of their loops (ir::LoopTags) have been executed: vectorised and unrolled now, instead of
  /// together with the rest of the kernel.
  Body now(const Body& tagged) const { return apply_tags(arena_, c_.kernel, tagged); }
  /// Emits statements that load, scan and store a group of `count` elements, from element `first` of the row on.
  void group(const Row& elements, Sym first, Sym count, const Index& kept, Body& body) {
    const int width = group_width(elements, count);
    load_group(elements, 0, first, count, width, kept, body);
    scan_elements(elements, body);
    store_group(elements, 0, first, count, width, kept, body);
  }
  /// Scans a group of elements, starting from the running values of the row, and adds the totals of the group to these.
  void scan_elements(const Row& elements, Body& body) {
    scan_group(elements, levels_[0].carries, body);
    update(levels_[0].carries, group_totals_, 0, body);
    update(levels_[0].totals, group_totals_, 0, body);
  }
  /// Like group(part_group_, …), but with a masked vector for the elements that do not fill a vector. If their number is unknown, all
  /// vectors of the group are masked. Returns false, and emits nothing, if that is impossible.
  bool masked_group(Sym first, Sym count, const Index& kept, Body& body) {
    const int64_t size = c_.kernel.accumulators[static_cast<size_t>(part_group_[0])].count;
    const int width = static_cast<int>(std::min<int64_t>(simd_width_, size / kQuad));
    const auto has_masks = [&](const Node* scan) { return has_masked_vectors(c_.program.target, *scan, simd_width_); };
    if (c_.schedule.nontemporal || width == 1 || !std::ranges::all_of(scans_, has_masks)) return false;
    const int64_t whole = count.is_constant() ? count.constant() / width * width : 0;
    if (count.is_constant(whole)) return false;
    const Sym end = count.is_constant() ? Sym(whole + width) : Sym(size);
    Loop *loads = loads_of(part_group_, 0, first, whole, end, kept, count),
         *stores = stores_at(part_group_, 0, first, whole, end, kept, count);
    if (!is_accessed_whole(arena_, loads, width) || !is_accessed_whole(arena_, stores, width)) return false;
    if (whole > 0) load_group(part_group_, 0, first, whole, width, kept, body);
    for (Stmt* s : now(vector_lanes(loads, width))) body.push_back(s);
    scan_elements(part_group_, body);
    if (whole > 0) store_group(part_group_, 0, first, whole, width, kept, body);
    for (Stmt* s : now(vector_lanes(stores, width))) body.push_back(s);
    return true;
  }
  /// Returns the condition that the loop's variable is below `count`; null if there is no `count`.
  const UOp* mask_of(const Loop* lanes, const std::optional<Sym>& count) const {
    return count ? arena_.in_range(*count - 1 - lanes->variable) : nullptr;
  }
  /// Returns the loop over lanes begin … end - 1 of a group that loads elements from element `first` of the row on into elements `at` … of
  /// the accumulators. With `count`, only that many elements are in the row, and the others are the identity of the scan.
  Loop* loads_of(const Row& elements, Sym at, Sym first, Sym begin, Sym end, const Index& kept, const std::optional<Sym>& count = {}) {
    Loop* loads = new_loop(arena_, "lane", begin, end);
    const Sym lane = loads->variable;
    for (size_t s = 0; s < scans_.size(); ++s)
      loads->body.push_back(
          set_accumulator(arena_, elements[s], at + lane, element(s, position(kept, first + lane), mask_of(loads, count))));
    return loads;
  }
  /// Returns the loop that stores what loads_of() has loaded, after the scan.
  Loop* stores_at(const Row& elements, Sym at, Sym first, Sym begin, Sym end, const Index& kept, const std::optional<Sym>& count = {}) {
    Loop* stores = new_loop(arena_, "lane", begin, end);
    const Sym lane = stores->variable;
    stores->body = stores_of(elements, at + lane, position(kept, first + lane), mask_of(stores, count));
    return stores;
  }
  /// Returns the vector width for a group, such that the group has at least four vectors. Returns half of that width if `count` fills only
  /// vectors of half the width: a partial vector would be assembled from single elements, through memory.
  int group_width(const Row& elements, Sym count) const {
    const auto width =
        static_cast<int>(std::min<int64_t>(simd_width_, c_.kernel.accumulators[static_cast<size_t>(elements[0])].count / kQuad));
    const bool is_half_filled = width > 1 && !mod(count, width).is_constant(0) && mod(count, width / 2).is_constant(0);
    return is_half_filled ? width / 2 : width;
  }
  /// Loads `count` elements, from element `first` of the row on, into elements `at` … of the accumulators.
  void load_group(const Row& elements, Sym at, Sym first, Sym count, int width, const Index& kept, Body& body) {
    const Body vectors = now(vector_lanes(loads_of(elements, at, first, 0, count, kept), width));
    if (c_.schedule.prefetch)
      for (Stmt* s : line_prefetches(arena_, vectors)) body.push_back(s);
    body.insert(body.end(), vectors.begin(), vectors.end());
  }
  void store_group(const Row& elements, Sym at, Sym first, Sym count, int width, const Index& kept, Body& body) {
    for (Stmt* s : now(vector_lanes(stores_at(elements, at, first, 0, count, kept), width))) body.push_back(s);
  }

  /// Returns how many groups are pipelined: the number that the schedule gives, or, for a row of known length, a number that leaves a small
  /// remainder. Returns 1 (no pipelining) unless all loads and stores are whole vectors and the code is short, because it is unrolled for
  /// each group.
  int64_t pipelined_groups(const Index& kept) {
    if (scans_.size() != 1 || simd_width_ == 1 || simd_width_ * kQuad > kGroup || whole_group_.empty()) return 1;
    int64_t groups = std::min<int64_t>(rows_together_, range(counts_[0]).hi / kGroup);
    if (counts_.size() == 1 && counts_[0].is_constant() && groups > 0) {
      const int64_t all = counts_[0].constant() / kGroup;
      groups = all / ((all + groups - 1) / groups);
    }
    if (groups < kMinPipelinedGroups) return 1;
    // Generates the loads and stores of a group as a trial. The group need not be the first one, because in a view (a roll, for example) a
    // later group may consist of two pieces that are not adjacent in memory.
    Body trial;
    const Sym turn = new_loop(arena_, "turn", 0, counts_[0])->variable, at = new_loop(arena_, "at", 0, groups)->variable * kGroup;
    load_group(whole_group_, at, turn + at, kGroup, simd_width_, kept, trial);
    store_group(whole_group_, at, turn + at, kGroup, simd_width_, kept, trial);
    const auto is_vector = [&](const Stmt* s) {
      const auto* store = as<Store>(s);
      const auto* set = as<AccSet>(s);
      const UOp* value = store != nullptr ? store->value : set != nullptr ? set->value : nullptr;
      return value != nullptr && value->type.lanes == simd_width_;
    };
    const std::vector<const UOp*> values = uops_of(arena_, trial);
    const auto is_whole = [&](const UOp* u) {
      return u->kind != UKind::kAcc || u->buffer != whole_group_[0] || (u->type.lanes == simd_width_ && u->lane_step.is_constant(1));
    };
    const bool are_vectors = std::all_of(trial.begin(), trial.end(), is_vector) && std::all_of(values.begin(), values.end(), is_whole);
    return are_vectors && is_short(values) ? groups : 1;
  }

  /// Scans elements [begin, end) by software pipelining, as far as they fill whole rounds (ScanPipeline). Returns the first element that is
  /// left.
  Sym pipelined(Sym begin, Sym end, const Index& kept, Body& body) {
    const ScanPipeline::Access access = {
        [&](int elements, Sym at, Sym first, Body& each) { load_group({elements}, at, first, kGroup, simd_width_, kept, each); },
        [&](int elements, Sym at, Sym first, Body& each) { store_group({elements}, at, first, kGroup, simd_width_, kept, each); }};
    const BlockLevel& level = levels_[0];
    return pipeline_->lower(begin, end, level.carries[0], level.totals.empty() ? -1 : level.totals[0], access, body);
  }

  /// Replaces the elements of the group by their running values, starting from the accumulators `carries`. Stores the totals of the group,
  /// one for each scan, in the accumulators group_totals_.
  void scan_group(const Row& group, const Row& carries, Body& body) {
    is_group_scanned_ = true;
    for (size_t s = 0; s < scans_.size(); ++s) {
      auto* scan = arena_.statement<AccScan>();
      scan->accumulator = group[s];
      scan->value = read(s, carries, 0);
      scan->total = group_totals_[s];
      body.push_back(scan);
    }
  }

  Row whole_group_, part_group_, group_totals_;
  std::optional<ScanPipeline> pipeline_;
  bool is_group_scanned_ = false;
};

}  // namespace

Scanned lower_tree_scan(KernelContext& context, const Index& kept) { return {TreeScan(context).lower(kept)}; }

}  // namespace harp::lower
