#include "ir/group_accesses.h"

#include <algorithm>

#include "ir/rewrite.h"

namespace harp::ir {
namespace {

// Maximum number of arrays whose accesses are grouped: the elements of all of them are in registers at the same time.
constexpr size_t kMaxArrays = 16;

class Grouping {
 public:
  Grouping(Arena& arena, Kernel& kernel, Loop* loop, int elements)
      : arena_(arena), kernel_(kernel), loop_(*loop), variable_(variable_of(loop->variable)), elements_(elements) {}

  /// Tests whether accesses of the loop can be grouped. If so, stores the accesses to group in stores_ and loads_.
  bool prepare() {
    if (elements_ < 2 || !loop_.begin.is_constant(0) || loop_.step != 1) return false;
    for (const Stmt* s : loop_.body) {
      const auto* store = as<Store>(s);
      if (store == nullptr || store->mask != nullptr || store->nontemporal || !is_along(store->index)) return false;
      stores_.push_back(store);
    }
    for (const UOp* u : uops_of(arena_, loop_.body))
      if (u->kind == UKind::kLoad && mask_of(u) == nullptr && is_along(u->index)) loads_.push_back(u);
    return !stores_.empty() && stores_.size() + loads_.size() <= kMaxArrays;
  }

  /// Prepares a loop whose iterations together are a single group: finds the loads and stores that access consecutive positions. Returns
  /// false if it finds none or more than kMaxArrays, if the body contains other statements than stores and changes of accumulators, or if
  /// the alignment of an access depends on the variables of enclosing loops. Without `of_any_size`, returns false also if an alignment
  /// depends on sizes that are not constant.
  bool prepare_one(bool of_any_size) {
    for (const Stmt* s : loop_.body) {
      if (const auto* store = as<Store>(s); store != nullptr && store->mask == nullptr && is_along(store->index)) stores_.push_back(store);
      if (as<Store>(s) == nullptr && as<AccSet>(s) == nullptr && as<AccUpdate>(s) == nullptr) return false;
    }
    for (const UOp* u : uops_of(arena_, loop_.body))
      if (u->kind == UKind::kLoad && mask_of(u) == nullptr && is_along(u->index)) loads_.push_back(u);
    const auto is_fixed = [&](Sym index) {
      const auto alignment = alignment_of(at(index, 0), elements_);
      if (!alignment || (!of_any_size && !(alignment->multiples.empty() && alignment->base.is_constant()))) return false;
      multiples_.insert(multiples_.end(), alignment->multiples.begin(), alignment->multiples.end());
      return true;
    };
    const size_t arrays = stores_.size() + loads_.size();
    return arrays > 0 && arrays <= kMaxArrays && std::ranges::all_of(loads_, [&](const UOp* load) { return is_fixed(load->index); }) &&
           std::ranges::all_of(stores_, [&](const Store* store) { return is_fixed(store->index); });
  }
  Together one_group() { return {whole_group(0), distances(), multiples_}; }

  Loop* run() {
    const Sym count = loop_.end;
    Loop* groups = new_loop(arena_, "group", 0, ceil_div(count, elements_));
    const Sym first = groups->variable * elements_;
    Loop* rest = new_loop(arena_, variable_->name, first, min(first + elements_, count));
    rest->body = Substituter(arena_, {{variable_, rest->variable}})(loop_.body);

    // A group has grouped accesses if all grouped arrays are aligned and the group is whole.
    auto* define = arena_.statement<Define>();
    define->variable = arena_.syms().loop("aligned", 0, 2);
    define->value = are_multiples(arena_, distances(), elements_);
    define->body = {new_if(arena_, min(define->variable - 1, count - first - elements_), whole_group(first), {rest})};
    groups->body = {define};
    groups->axis = loop_.axis;
    return groups;
  }

 private:
  bool is_along(Sym index) const {
    const auto linear = linear_in(index, variable_);
    return linear && linear->coefficient.is_constant(1);
  }
  bool is_aliased(int written) const {
    return std::ranges::any_of(kernel_.params, [&](const Param& p) { return std::ranges::find(p.in_place, written) != p.in_place.end(); });
  }
  Sym at(Sym index, Sym element) const { return substitute(index, {{variable_, element}}); }

  /// Returns the bitwise or of the distances, in elements, of the grouped arrays from the start of a cache line. A power of two divides
  /// this value if and only if it divides every distance.
  const UOp* distances() {
    const UOp* all = nullptr;
    const auto add = [&](int buffer, Sym index) {
      // The alignment is that of the first group. It is valid for all groups, because each begins at a multiple of elements_ elements from
      // the first one.
      const auto alignment = alignment_of(at(index, 0), elements_);
      all = joined_distances(arena_, all, arena_.line_offset(buffer, alignment ? alignment->base : mod(at(index, 0), elements_)));
    };
    for (const UOp* load : loads_) add(load->buffer, load->index);
    for (const Store* store : stores_) add(store->buffer, store->index);
    return all;
  }

  /// Returns the dtype that elements have in a row (an accumulator with is_row). A row holds bools and 16-bit floats as unsigned integers
  /// of the same size.
  static DType row_dtype(DType dtype) { return is_bool(dtype) ? DType::kU8 : is_half(dtype) ? DType::kU16 : dtype; }
  const UOp* from_row(DType dtype, const UOp* element) {
    if (is_bool(dtype)) return arena_.alu(Op::kNe, DType::kBool, {element, arena_.constant(scalar_from_int(DType::kU8, 0))});
    return is_half(dtype) ? arena_.alu(Op::kBitcast, dtype, {element}) : element;
  }
  const UOp* to_row(const UOp* value) {
    const DType dtype = value->type.dtype, row = row_dtype(dtype);
    return dtype == row ? value : arena_.alu(is_bool(dtype) ? Op::kCast : Op::kBitcast, row, {value});
  }

  /// Declares an accumulator with is_row, an array in registers, for the elements of a group; returns its number.
  int new_row(DType dtype, Body& body) {
    const DType stored = row_dtype(dtype);
    kernel_.accumulators.push_back({.type = {stored, 1}, .count = elements_, .init = scalar_from_int(stored, 0), .is_row = true});
    auto* declare = arena_.statement<AccDeclare>();
    declare->accumulator = static_cast<int>(kernel_.accumulators.size()) - 1;
    body.push_back(declare);
    return declare->accumulator;
  }
  Copy* new_copy() {
    auto* copy = arena_.statement<Copy>();
    copy->from_row_stride = copy->stride = copy->length = elements_;
    copy->from_stride = copy->rows = 1;
    return copy;
  }

  Body whole_group(Sym first) {
    Body body, last;
    Loop* lane = new_loop(arena_, "lane", 0, elements_, LoopKind::kUnroll);
    Substituter elements(arena_, {{variable_, first + lane->variable}});
    for (const UOp* load : loads_) {
      const int row = new_row(load->type.dtype, body);
      Copy* copy = new_copy();
      copy->inputs = {load->buffer};
      copy->from = at(load->index, first);
      copy->accumulator = row;
      body.push_back(copy);
      const DType dtype = load->type.dtype;
      elements.replace(load, from_row(dtype, arena_.acc(row_dtype(dtype), row, lane->variable)));
    }
    for (Stmt* s : loop_.body) {
      const auto* store = as<Store>(s);
      if (store == nullptr || std::ranges::find(stores_, store) == stores_.end()) {
        const Body copy = elements(Body{s});
        lane->body.insert(lane->body.end(), copy.begin(), copy.end());
        continue;
      }
      const int row = new_row(store->value->type.dtype, body);
      auto* set = arena_.statement<AccSet>();
      set->accumulator = row;
      set->index = lane->variable;
      set->value = to_row(elements(store->value));
      lane->body.push_back(set);
      Copy* copy = new_copy();
      copy->source = row;
      copy->from = 0;
      copy->buffer = store->buffer;
      copy->index = at(store->index, first);
      // If the loop also reads an array that may be the same memory as the destination of this copy, the copy must be among the last
      // statements (verify_overwrites.h), after the copies to other arrays.
      last.insert(is_aliased(store->buffer) ? last.end() : last.begin(), copy);
    }
    body.push_back(lane);
    body.insert(body.end(), last.begin(), last.end());
    return body;
  }

  Arena& arena_;
  Kernel& kernel_;
  const Loop& loop_;
  const SymAtom* const variable_;
  const int elements_;
  std::vector<const UOp*> loads_;
  std::vector<const Store*> stores_;
  std::vector<Sym> multiples_;
};

}  // namespace

Loop* group_accesses(Arena& arena, Kernel& kernel, Loop* loop, int elements) {
  Grouping grouping(arena, kernel, loop, elements);
  return grouping.prepare() ? grouping.run() : loop;
}

std::optional<GroupAlignment> alignment_of(Sym index, int64_t elements) {
  if (const Sym rest = mod(index, elements); rest.is_constant()) return GroupAlignment{rest, {}};
  GroupAlignment result{mod(Sym(index.node()->constant), elements), {}};
  for (const SymTerm& term : index.node()->terms) {
    if (term.coefficient % elements == 0) continue;
    Sym size = term.coefficient;
    bool is_fixed = true, has_size = false;
    for (const SymAtom* factor : term.factors) {
      const std::vector<const SymAtom*> variables = variables_of(factor->alone);
      const bool is_size = std::ranges::none_of(variables, [](const SymAtom* v) { return v->is_loop; });
      if (is_size) size = size * factor->alone;
      is_fixed &= is_size, has_size |= is_size;
    }
    if (!has_size) return std::nullopt;
    if (is_fixed)
      result.base += size;
    else
      result.multiples.push_back(size);
  }
  return result;
}

std::optional<Together> access_together(Arena& arena, Kernel& kernel, Loop* loop, bool of_any_size) {
  if (!loop->begin.is_constant(0) || !loop->end.is_constant() || loop->end.constant() < 2 || loop->step != 1) return std::nullopt;
  Grouping grouping(arena, kernel, loop, static_cast<int>(loop->end.constant()));
  return grouping.prepare_one(of_any_size) ? std::optional(grouping.one_group()) : std::nullopt;
}

const UOp* joined_distances(Arena& arena, const UOp* a, const UOp* b) {
  const auto is_or = [](const UOp* u) { return u->kind == UKind::kAlu && u->op == Op::kBitOr; };
  if (a == nullptr) return b;
  if (is_or(b)) return joined_distances(arena, joined_distances(arena, a, b->sources[0]), b->sources[1]);
  const UOp* first = a;
  for (; is_or(first); first = first->sources[0])
    if (first->sources[1] == b) return a;
  return first == b ? a : arena.alu(Op::kBitOr, DType::kI64, {a, b});
}

const UOp* are_multiples(Arena& arena, const UOp* distances, int64_t elements) {
  const auto number = [&](int64_t value) { return arena.constant(scalar_from_int(DType::kI64, value)); };
  return arena.alu(Op::kEq, DType::kBool, {arena.alu(Op::kBitAnd, DType::kI64, {distances, number(elements - 1)}), number(0)});
}

}  // namespace harp::ir
