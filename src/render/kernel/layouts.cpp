#include "render/kernel/layouts.h"

#include <algorithm>
#include <set>

namespace harp::render {
namespace {

using ir::UKind;
using ir::UOp;

class Layouts {
 public:
  Layouts(const ir::Kernel& kernel, bool by_threads) : kernel_(kernel), lanes_(kernel.accumulators.size(), 0) {
    visit(kernel.body);
    for (size_t i = 0; i < lanes_.size(); ++i) {
      const ir::Accumulator& a = kernel.accumulators[i];
      const int lanes = std::max({lanes_[i], 1, static_cast<int>(a.type.lanes)});
      const int64_t count = by_threads && a.spread > 0 ? a.spread : a.count;
      layouts_.push_back({.lanes = lanes, .size = a.type.lanes > 1 ? count : count / lanes});
    }
    for (size_t i = 0; i < layouts_.size(); ++i)
      if (is_bool(kernel.accumulators[i].type.dtype)) layouts_[i].selected_bits = selected_bits(layouts_[i].lanes);
  }
  std::vector<AccumulatorLayout> take() { return std::move(layouts_); }

 private:
  // Records an access of `lanes` lanes to an accumulator. For each accumulator, lanes_ contains the number of lanes of all accesses so far:
  // 0 if there is none, and -1 if the accumulator must be stored as single elements.
  void access(int accumulator, Sym index, Sym step, int lanes) {
    const ir::Accumulator& a = kernel_.accumulators[static_cast<size_t>(accumulator)];
    int& known = lanes_[static_cast<size_t>(accumulator)];
    if (a.type.lanes > 1 || known < 0) return;
    const bool whole = lanes > 1 && step.is_constant(1) && a.count % lanes == 0 && mod(index, lanes).is_constant(0);
    known = whole && (known == 0 || known == lanes) ? lanes : -1;
  }
  void value(const UOp* root) {
    std::vector<const UOp*> stack{root};
    while (!stack.empty()) {
      const UOp* u = stack.back();
      stack.pop_back();
      if (!seen_.insert(u).second) continue;
      // A scalar read of element 0 after a fold reads the fold's result. It is possible with vectors as well as with single elements, so it
      // does not count as an access to a single element.
      if (u->kind == UKind::kAcc && !(u->type.lanes == 1 && u->index.is_constant(0) && folded_.contains(u->buffer)))
        access(u->buffer, u->index, u->lane_step, u->type.lanes);
      stack.insert(stack.end(), u->sources.begin(), u->sources.end());
    }
  }
  void visit(const ir::Body& body) {
    for (const ir::Stmt* s : body)
      if (const auto* fold = ir::as<ir::AccFold>(s)) folded_.insert(fold->accumulator);
    for (const ir::Stmt* s : body) {
      ir::visit(
          *s, ir::Overloaded{
                  [&](ir::Is<ir::AccUpdate, ir::AccSet> auto& to) { access(to.accumulator, to.index, to.lane_step, to.value->type.lanes); },
                  [&](const ir::AccDeclare& with) {
                    if (with.value != nullptr) access(with.accumulator, 0, 1, with.value->type.lanes);
                  },
                  [&](const ir::Copy& copy) {
                    if (copy.accumulator >= 0) access(copy.accumulator, copy.index, 0, 1);
                    if (copy.source >= 0) access(copy.source, copy.from, 0, 1);
                  },
                  [&](const ir::CopyAsync& copy) { access(copy.accumulator, copy.index, 0, 1); },
                  [&](const ir::Mma& mma) {
                    access(mma.accumulator, mma.index, 0, 1);
                    access(mma.rows, mma.row_index, 0, 1);
                    access(mma.columns, mma.column_index, 0, 1);
                  },
                  [](const ir::Stmt&) {},
              });
      ir::for_each_value(*s, [&](const UOp* root) { value(root); });
      ir::for_each_body(*s, [&](const ir::Body& inside) { visit(inside); });
    }
  }

  /// Returns the value of AccumulatorLayout::selected_bits for an accumulator of bools. A vector of bools selects between values of other
  /// variables that have the same number of lanes. If those variables have elements of different sizes, the smallest size decides, because
  /// a conjunction of masks also has the width of the narrower mask.
  int selected_bits(int lanes) const {
    size_t bytes = 8;
    bool has_numbers = false;
    for (size_t i = 0; i < layouts_.size(); ++i)
      if (const DType dtype = kernel_.accumulators[i].type.dtype; layouts_[i].lanes == lanes && !is_bool(dtype))
        bytes = std::min(bytes, size_of(dtype)), has_numbers = true;
    return has_numbers && bytes == 8 ? 64 : 32;
  }

  const ir::Kernel& kernel_;
  std::vector<int> lanes_;
  std::set<int> folded_;
  std::set<const UOp*> seen_;
  std::vector<AccumulatorLayout> layouts_;
};

}  // namespace

std::vector<AccumulatorLayout> layouts_of(const ir::Kernel& kernel, bool by_threads) { return Layouts(kernel, by_threads).take(); }

}  // namespace harp::render
