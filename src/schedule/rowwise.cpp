// Makes row-wise kernels. Reductions over the same rows and the elementwise values between them (softmax, layer_norm, logsumexp and their
// gradients) become one kernel that makes several passes over each row, instead of several kernels that pass arrays through memory.
//
// The kernels are divided into *groups*, each of which will become one kernel. At first every kernel is a group of its own. A group is
// merged with a group that writes what it reads if
//   - all reductions of both groups reduce the same axes of the same shape in the same order, and every other value has the shape of the
//     rows or one element for each row,
//   - values that one kernel of the merged group writes are read by its other kernels at the current element or row, and
//   - no path of reads leads from the merged group through another group back into it.
// A group has a `level`, which is higher than the levels of all groups whose results it reads, just as a kernel has a generation. The
// passes follow from the dependencies (row_passes.h).
#include <algorithm>
#include <span>
#include <unordered_set>

#include "schedule/borders.h"
#include "schedule/contraction_blocks.h"
#include "schedule/few_columns.h"
#include "schedule/fuse.h"
#include "schedule/kernel_structure.h"
#include "schedule/materialise.h"
#include "schedule/row_passes.h"
#include "schedule/split_reductions.h"

namespace harp {
namespace {

// The search for another path (has_other_path) visits at most this many groups.
constexpr int kMaxVisits = 400;

struct Group {
  // The kernels of the group in ascending order. A group that has been merged into another one has none.
  std::vector<int> kernels;
  const Node* reduce = nullptr;
  int level = 0;
};

class RowGrouper {
 public:
  RowGrouper(Program& program, const FusionLimits& limits) : program_(program), limits_(limits), traffic_(program) {
    for (size_t k = 0; k < program.kernels.size(); ++k) {
      const KernelPlan& kernel = program.kernels[k];
      groups_.push_back({{static_cast<int>(k)}, kernel.reduces.empty() ? nullptr : kernel.reduces[0], kernel.generation});
      group_of_.push_back(static_cast<int>(k));
    }
  }

  void run() {
    for (size_t k = 0; k < program_.kernels.size(); ++k) {
      if (!is_candidate(static_cast<int>(k))) continue;
      for (int b : program_.kernels[k].reads) {
        const std::vector<int>& makers = traffic_.makers[static_cast<size_t>(b)];
        if (makers.size() == 1) try_merge(group_of_[static_cast<size_t>(makers[0])], group_of_[k]);
      }
    }
    rebuild();
  }

 private:
  KernelPlan& kernel(int k) { return program_.kernels[static_cast<size_t>(k)]; }
  Group& group(int g) { return groups_[static_cast<size_t>(g)]; }

  bool is_candidate(int k) {
    const KernelPlan& plan = kernel(k);
    return plan.scans.empty() && plan.alone == nullptr && !has_arg_extreme(plan) &&
           std::all_of(plan.stores.begin(), plan.stores.end(),
                       [&](const StorePlan& s) { return s.offset.empty() && traffic_.makers[static_cast<size_t>(s.buffer)].size() == 1; });
  }

  // --- merging -------------------------------------------------------------------------------------------------------------

  void try_merge(int from, int to) {
    if (from == to) return;
    Group &a = group(from), &b = group(to);
    if (a.reduce == nullptr && b.reduce == nullptr) return;
    // A contraction by register tiles makes its own pass over its factors, so it is not merged with another reduction.
    if (a.reduce != nullptr && b.reduce != nullptr && (may_want_tiles(*a.reduce, limits_) || may_want_tiles(*b.reduce, limits_))) return;
    const Rows rows(a.reduce != nullptr ? *a.reduce : *b.reduce);
    if (rows.reduced == 0 || rows.space.size() > 31) return;
    // If the reduction has few columns, its kernel is not merged with an elementwise kernel. As a separate kernel, that one is faster: its
    // vectors run along the rows, and threads divide its rows.
    if (has_few_results(*rows.reduce, limits_)) return;
    // One thread processes a whole row, so rows must not be too long unless there are many.
    const int64_t longest = long_length(limits_, rows.reduce->as<ReduceAttributes>().order);
    if (range(rows.length()).hi > longest && range(element_count(rows.kept)).hi < limits_.few_long_rows) return;
    std::vector<int> kernels;
    std::merge(a.kernels.begin(), a.kernels.end(), b.kernels.begin(), b.kernels.end(), std::back_inserter(kernels));
    if (!std::all_of(kernels.begin(), kernels.end(), [&](int k) { return is_candidate(k); })) return;
    if (std::ranges::any_of(kernels, [&](int k) { return has_borders(k, *rows.reduce); }) || read_across(kernels, rows)) return;
    if (!shared_passes(program_, traffic_, kernels, rows, limits_) || has_other_path(from, to)) return;
    a.kernels = std::move(kernels);
    a.reduce = rows.reduce;
    a.level = std::max(a.level, b.level);
    for (int k : b.kernels) group_of_[static_cast<size_t>(k)] = from;
    b.kernels.clear();
    raise_readers(from);
  }

  /// Tests whether a kernel stores values of the rows for which it computes pads or concats that a kernel of its own should store
  /// (borders.h).
  bool has_borders(int k, const Node& reduce) {
    const KernelPlan& plan = kernel(k);
    const auto loads = [&](const Node* node) { return is_loaded(program_, plan, node); };
    return std::ranges::any_of(plan.stores, [&](const StorePlan& store) { return computes_borders(*store.node, reduce, limits_, loads); });
  }

  /// Tests whether at least two of the kernels go through the rows, and one of them reads an array whose elements are adjacent in memory
  /// across the rows instead of along them. On its own, such a kernel has vectors across the rows, or transposes blocks of the array. A
  /// kernel with several passes over each row would load every element on its own.
  bool read_across(std::span<const int> kernels, const Rows& rows) {
    if (limits_.many_threads) return false;
    int going_through = 0;
    bool is_across = false;
    for (const int k : kernels) {
      const KernelPlan& plan = kernel(k);
      if (plan.reduces.empty() && element_count(iteration_space(plan)) == element_count(rows.kept)) continue;
      ++going_through;
      is_across = is_across || (plan.reduces.empty() ? transposed_axis(program_, plan).has_value() : reads_across_rows(program_, plan));
    }
    return is_across && going_through > 1;
  }

  /// Tests whether a path of reads leads from one group to the other through a third group. Returns true if the search takes too long, even
  /// if there is no such path.
  bool has_other_path(int from, int to) {
    std::vector<int> stack;
    std::unordered_set<int> seen;
    const auto visit_sources = [&](int g) {
      for (int k : group(g).kernels)
        for (int b : kernel(k).reads)
          for (int maker : traffic_.makers[static_cast<size_t>(b)]) stack.push_back(group_of_[static_cast<size_t>(maker)]);
    };
    visit_sources(to);
    std::erase(stack, from);
    while (!stack.empty()) {
      const int g = stack.back();
      stack.pop_back();
      if (g == from) return true;
      if (g == to || group(g).level <= group(from).level || !seen.insert(g).second) continue;
      if (seen.size() > kMaxVisits) return true;  // the search takes too long, so assume that there is a path
      visit_sources(g);
    }
    return false;
  }

  /// After the level of a group has changed, raises the levels of all groups that directly or indirectly read its results, as far as
  /// needed.
  void raise_readers(int changed) {
    std::vector<int> stack{changed};
    while (!stack.empty()) {
      const int g = stack.back();
      stack.pop_back();
      for (int k : group(g).kernels)
        for (const StorePlan& s : kernel(k).stores)
          for (int reader : traffic_.readers[static_cast<size_t>(s.buffer)]) {
            const int above = group_of_[static_cast<size_t>(reader)];
            if (above == g || group(above).level > group(g).level) continue;
            group(above).level = group(g).level + 1;
            stack.push_back(above);
          }
    }
  }

  // --- rebuilding the program ------------------------------------------------------------------------------------------------

  void rebuild() {
    std::vector<int> order;
    for (size_t g = 0; g < groups_.size(); ++g)
      if (!groups_[g].kernels.empty()) order.push_back(static_cast<int>(g));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return group(a).level < group(b).level; });
    std::vector<bool> dropped(program_.buffers.size());
    std::vector<KernelPlan> kernels;
    for (int g : order) {
      kernels.push_back(merged(group(g), dropped));
      KernelPlan& plan = kernels.back();
      plan.generation = 0;
      for (int b : plan.reads)
        for (int maker : traffic_.makers[static_cast<size_t>(b)])
          plan.generation = std::max(plan.generation, generation_of_.at(group_of_[static_cast<size_t>(maker)]) + 1);
      generation_of_[g] = plan.generation;
    }
    std::stable_sort(kernels.begin(), kernels.end(), [](const KernelPlan& a, const KernelPlan& b) { return a.generation < b.generation; });
    program_.kernels = std::move(kernels);
    drop(dropped);
    set_lifetimes();
  }

  KernelPlan merged(const Group& g, std::vector<bool>& dropped) {
    if (g.kernels.size() == 1) {
      KernelPlan plan = std::move(kernel(g.kernels[0]));
      if (plan.reduces.empty()) return plan;
      RowPass& pass = plan.passes.emplace_back();
      pass.reduces = plan.reduces;
      for (size_t s = 0; s < plan.stores.size(); ++s) pass.stores.push_back(s);
      return plan;
    }
    const Rows rows(*g.reduce);
    const auto passes = shared_passes(program_, traffic_, g.kernels, rows, limits_);
    KernelPlan result;
    std::unordered_set<int> made;
    for (int k : g.kernels)
      for (const StorePlan& s : kernel(k).stores) made.insert(s.buffer);
    for (int k : g.kernels)
      for (int b : kernel(k).reads)
        if (!made.contains(b) && std::find(result.reads.begin(), result.reads.end(), b) == result.reads.end()) result.reads.push_back(b);
    for (const SharedPass& pass : *passes) {
      RowPass& here = result.passes.emplace_back();
      here.reduces = pass.reduces, here.row_values = pass.row_values, here.short_row_values = pass.short_row_values;
      result.reduces.insert(result.reduces.end(), pass.reduces.begin(), pass.reduces.end());
      const auto add = [&](const std::vector<std::pair<int, size_t>>& stores, std::vector<size_t>& into) {
        for (const auto& [k, s] : stores) {
          const StorePlan& store = kernel(k).stores[s];
          if (!traffic_.is_needed_outside(program_, store.buffer, g.kernels)) {
            dropped[static_cast<size_t>(store.buffer)] = true;
            continue;
          }
          into.push_back(result.stores.size());
          result.stores.push_back(store);
        }
      };
      add(pass.row_stores, here.row_stores);
      add(pass.stores, here.stores);
    }
    return result;
  }

  /// Removes the marked buffers. Only one kernel, a merged one, writes and reads such a buffer, and it passes the values on internally.
  void drop(const std::vector<bool>& dropped) {
    std::vector<int> number(program_.buffers.size(), -1);
    std::vector<Buffer> buffers;
    int temporaries = 0;
    for (size_t b = 0; b < program_.buffers.size(); ++b) {
      if (dropped[b]) continue;
      number[b] = static_cast<int>(buffers.size());
      buffers.push_back(program_.buffers[b]);
      if (buffers.back().kind == Buffer::Kind::kTemporary) buffers.back().index = temporaries++;
    }
    program_.buffers = std::move(buffers);
    std::erase_if(program_.buffer_of, [&](const auto& entry) { return dropped[static_cast<size_t>(entry.second)]; });
    for (auto& [node, b] : program_.buffer_of) b = number[static_cast<size_t>(b)];
    for (KernelPlan& plan : program_.kernels) {
      for (StorePlan& s : plan.stores) s.buffer = number[static_cast<size_t>(s.buffer)];
      for (int& b : plan.reads) b = number[static_cast<size_t>(b)];
      if (plan.scratch >= 0) plan.scratch = number[static_cast<size_t>(plan.scratch)];
    }
  }

  void set_lifetimes() {
    program_.generations = 0;
    // merging kernels has changed the generations, so the lifetimes of buffers are computed again
    for (Buffer& buffer : program_.buffers) buffer.first_generation = buffer.last_generation = 0;
    std::vector<bool> written(program_.buffers.size());
    const auto used = [&](int b, int generation, bool writes) {
      Buffer& it = program_.buffers[static_cast<size_t>(b)];
      if (writes && !written[static_cast<size_t>(b)]) it.first_generation = it.last_generation = generation;
      written[static_cast<size_t>(b)] = written[static_cast<size_t>(b)] || writes;
      it.last_generation = std::max(it.last_generation, generation);
    };
    // kernels are sorted by generation, so a kernel that writes a buffer comes before the kernels that read it
    for (const KernelPlan& plan : program_.kernels) {
      for (const StorePlan& s : plan.stores) used(s.buffer, plan.generation, true);
      if (plan.scratch >= 0) used(plan.scratch, plan.generation, true);
      for (int b : plan.reads) used(b, plan.generation, false);
      program_.generations = std::max(program_.generations, plan.generation + 1);
    }
  }

  Program& program_;
  const FusionLimits& limits_;
  Traffic traffic_;
  std::vector<Group> groups_;
  std::vector<int> group_of_;                   // indexed by kernel
  std::unordered_map<int, int> generation_of_;  // key: index of the group
};

}  // namespace

void group_rows(Program& program, const FusionLimits& limits) { RowGrouper(program, limits).run(); }

}  // namespace harp
