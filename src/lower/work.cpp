// Estimates how long a kernel takes. Generated code uses the estimate to decide whether several workers share the kernel, and after how
// many iterations it looks at the flag that cancels a run. The estimate counts what the generated code does: instructions, each of which
// computes as many elements as a vector has lanes, and bytes of arrays. It assumes that the arrays are in the second cache (L2). A kernel
// whose arrays come from memory takes up to four times as long, but even the estimate for such a kernel is large enough for several
// workers.
#include <algorithm>
#include <vector>

#include "graph/body.h"
#include "lower/lower.h"
#include "schedule/routine.h"
#include "schedule/views.h"

namespace harp::lower {
namespace {

// Times in picoseconds, measured on a Xeon with AVX-512, whose vectors have 16 lanes of f32. kInstruction: a vector instruction, such as an
// addition or a load. kLongUnit: a unit of the cost (ops.def) of an operation that costs at least kLongCost units; exp (12 units) takes
// 0.29 ns for each element, log and sin (14 and 15 units) 0.35 ns. kByte: a byte that is read or written; copies in L2 reach 82 GB/s,
// counting both. kSingle: the load of one lane, if the lanes of a vector are not adjacent in memory and are loaded one by one.
constexpr double kInstruction = 200, kLongUnit = 400, kByte = 12, kSingle = 400;
constexpr int64_t kLongCost = 5;
/// Loads of single lanes (kSingle) count only in kernels of at most this many operations. In larger kernels they hardly affect the time,
/// and finding them would take long.
constexpr size_t kFewOperations = 64;
/// One step of a register tile: a multiply-add of vectors, with its share of everything else. Products and convolutions of many sizes take
/// 14 to 54 ps for each multiply-add of f32 (5 ps at the peak rate).
constexpr double kMultiplyAdd = 300;
/// kTransformed: an element that is transformed (1.3 to 5 ns). kSorted: an element that is sorted (2 to 18 ns). kUpdate: an instruction for
/// an element that is updated by its index (0.8 ns for a histogram). kSelected: an element of a row of which only the first elements are
/// selected, instead of sorted (schedule/shorten_sorts.h); an estimate that is not measured.
constexpr double kTransformed = 2500, kSorted = 10'000, kUpdate = 200, kSelected = 1000;
/// Number of iterations that the estimate assumes for each loop of a custom function.
constexpr double kAssumedIterations = 16;
/// The longest time that the estimate returns, 2.5 hours. The sum of a thousand such numbers does not exceed 64 bits.
constexpr int64_t kLongest = int64_t{1} << 53;

/// Returns the number of elements that the kernel processes.
Dim elements(const KernelPlan& plan) {
  if (!plan.reduces.empty()) return element_count(plan.reduces[0]->sources[0]->shape);
  if (!plan.scans.empty()) return element_count(plan.scans[0]->shape);
  if (plan.alone != nullptr && is_scatter(plan.alone->op)) return element_count(plan.alone->sources[2]->shape);
  if (plan.alone != nullptr && is_routine(plan.alone->op)) return element_count(plan.alone->sources[0]->shape);
  return element_count(plan.stores[0].node->shape);
}

/// Returns the product of a number of elements and the time of each of them.
Sym product_of(const Dim& count, double each) {
  if (!count.is_constant()) {
    // The coefficients of the product, and of the sum of two such products, must fit 64 bits.
    int64_t largest = std::max<int64_t>(1, count.node()->constant);
    for (const SymTerm& term : count.node()->terms) largest = std::max(largest, term.coefficient);
    return count * std::clamp<int64_t>(static_cast<int64_t>(each + 0.5), 1, std::max<int64_t>(1, (kLongest << 8) / largest));
  }
  const double all = each * static_cast<double>(std::max<int64_t>(0, count.constant()));
  return all < static_cast<double>(kLongest) ? static_cast<int64_t>(all + 0.5) : kLongest;
}

/// Adds up the time of a kernel: a time for each of its elements, and times that do not depend on their number. All times are multiples of
/// small powers of two, so their sums are exact, and the same on every machine.
class Time {
 public:
  explicit Time(Dim elements) : elements_(elements) {}
  /// Adds `time` for each of `count` elements. If `count` differs from the number of the kernel's elements and one of the two is symbolic,
  /// the sum is approximate: the time is ignored if `are_fewer` is true (for example, if there is one for each row) or if `count` is
  /// constant; otherwise `count` is taken to be the number of the kernel's elements.
  void add(const Dim& count, double time, bool are_fewer) {
    if (count == elements_)
      each_ += time;
    else if (count.is_constant() && elements_.is_constant())
      once_ += time * static_cast<double>(std::min(count.constant(), elements_.constant()));
    else if (!count.is_constant() && !are_fewer)
      each_ += time;
  }
  void add(double time) { each_ += time; }
  Sym all() const {
    const Sym sum = product_of(elements_, each_);
    if (!sum.is_constant()) return sum;
    const double both = static_cast<double>(sum.constant()) + once_;
    return both < static_cast<double>(kLongest) ? std::max<int64_t>(1, static_cast<int64_t>(both + 0.5)) : kLongest;
  }

 private:
  const Dim elements_;
  double each_ = 0, once_ = 0;
};

double time_of(const Node& node) {
  if (is_custom(node.op)) {
    const ElementBody& body = *node.as<CustomAttributes>().body;
    return kInstruction * static_cast<double>(body.expressions.size()) * (body.has_loop ? kAssumedIterations : 1);
  }
  if (node.op == Op::kDft) return kTransformed;
  if (is_routine(node.op)) return kept_of_sort(node) > 0 ? kSelected : kSorted;
  const int64_t cost = info(node.op).cost;
  return static_cast<double>(cost) * (cost < kLongCost ? kInstruction : kLongUnit);
}

/// Returns the nodes whose times are added up. Of several results of one call of a custom function, only the first is returned.
std::vector<const Node*> counted_nodes(const Program& program, const KernelPlan& plan) {
  std::vector<const Node*> nodes;
  for (const Node* node : computed_nodes(program, plan)) {
    const auto is_of_its_call = [&](const Node* other) { return is_custom(other->op) && are_of_one_call(*other, *node); };
    if (is_custom(node->op) && std::any_of(nodes.begin(), nodes.end(), is_of_its_call)) continue;
    if (info(node->op).cost > 0 && !is_scatter(node->op)) nodes.push_back(node);
  }
  return nodes;
}

/// Returns how many of the loads for an element are vector loads whose lanes are loaded one by one, because they are not adjacent in
/// memory. Only vectors along the last axis of an elementwise kernel count: the other recipes choose an axis along which elements are
/// adjacent.
int64_t single_loads(const Program& program, const KernelPlan& plan, const Schedule& schedule) {
  if (schedule.recipe != Template::kElementwise || schedule.axes.empty() || schedule.axes.back().simd_width == 1) return 0;
  const KernelViews views(program, plan);
  int64_t loads = 0;
  for (const StorePlan& store : plan.stores) {
    const Shape& shape = store.node->shape;
    const auto last = std::find_if(shape.rbegin(), shape.rend(), [](const Dim& size) { return !size.is_constant(1); });
    if (last == shape.rend()) continue;
    const auto axis = static_cast<size_t>(shape.rend() - last) - 1;
    for (const ArrayView& view : views.of(store.node)) {
      const Dim& stride = view.strides[axis];
      loads += !stride.is_constant(0) && !stride.is_constant(1) && !stride.is_constant(-1);
    }
  }
  return loads;
}

/// Adds the time of the kernel's accesses to memory, of which each instruction reads or writes `lanes` elements. If a kernel reduces, the
/// time of arrays whose number of elements is not that of the reductions' source may be ignored (Time::add): they are results, or operands
/// that are read again and again from the first-level cache, such as the factors of a product.
void add_accesses(const Program& program, const KernelPlan& plan, double lanes, Time& total) {
  const bool are_fewer = !plan.reduces.empty();
  const auto access = [&](const Node& array) {
    total.add(element_count(array.shape), kInstruction / lanes + kByte * static_cast<double>(size_of(array.dtype)), are_fewer);
  };
  for (const int buffer : plan.reads) access(*program.buffers[static_cast<size_t>(buffer)].node);
  for (const StorePlan& store : plan.stores) access(*store.node);
}

/// Returns the time of a scatter: of the copy of its array, and of the updates.
Sym time_of_scatter(const Program& program, const KernelPlan& plan, const Schedule& schedule) {
  const AxisSchedule* const last = schedule.axes.empty() ? nullptr : &schedule.axes.back();
  const double lanes = last == nullptr || last->kind == AxisKind::kScatter ? 1 : last->simd_width;
  Time updates(elements(plan));
  for (const Node* node : counted_nodes(program, plan)) updates.add(element_count(node->shape), time_of(*node) / lanes, false);
  const double instructions = static_cast<double>(info(plan.alone->op).cost);
  updates.add(instructions * kUpdate / lanes + kByte * static_cast<double>(size_of(plan.alone->dtype)));
  return updates.all() + product_of(element_count(plan.alone->shape), 2 * kByte * static_cast<double>(size_of(plan.alone->dtype)));
}

/// Tests whether the node sorts whole rows of an unknown number of elements.
bool sorts_unknown_rows(const Node& node) {
  return (node.op == Op::kSort || node.op == Op::kArgSort) && kept_of_sort(node) == 0 && !node.shape.back().is_constant();
}

}  // namespace

Sym work_of(const Program& program, const KernelPlan& plan, const Schedule& schedule) {
  if (plan.alone != nullptr && is_scatter(plan.alone->op)) return time_of_scatter(program, plan, schedule);
  const bool is_contraction = schedule.recipe == Template::kContraction;
  double lanes = 1, terms = 1;  // terms: how many terms of a product are in one lane
  for (const AxisSchedule& axis : schedule.axes) {
    double& widest = is_contraction && axis.kind == AxisKind::kReduce ? terms : lanes;
    widest = std::max<double>(widest, axis.simd_width);
  }
  const Dim count = elements(plan);
  Time total(count);
  add_accesses(program, plan, lanes, total);
  if (is_contraction) total.add(kMultiplyAdd / (lanes * terms));
  const std::vector<const Node*> nodes = counted_nodes(program, plan);
  // A row of one element is not sorted.
  Dim not_first = 0;
  for (const Node* node : nodes) {
    if (sorts_unknown_rows(*node)) {
      not_first = element_count(Shape(node->shape.begin(), node->shape.end() - 1)) * max(node->shape.back() - 1, 0);
      continue;
    }
    const bool is_reduced = is_reduce(node->op);
    const Dim own = is_reduced || kept_of_sort(*node) > 0 ? count : element_count(node->shape);
    if (is_contraction && own == count) continue;  // the multiply-add includes it, or it is computed when the factors are packed
    total.add(own, time_of(*node) / lanes, !plan.reduces.empty());
  }
  if (nodes.size() <= kFewOperations) total.add(kSingle * static_cast<double>(single_loads(program, plan, schedule)));
  return not_first.is_constant(0) ? total.all() : total.all() + product_of(not_first, kSorted);
}

}  // namespace harp::lower
