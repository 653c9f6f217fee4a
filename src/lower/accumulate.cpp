// Creates accumulators: the variables and arrays in which the generated code of reductions and scans keeps running values.
#include "lower/accumulate.h"

#include <algorithm>
#include <bit>

namespace harp::lower {

using namespace ir;

namespace {

// A reduction in one kernel is assumed to have at most this many elements: at a nanosecond for each, 2^48 elements would take three days.
constexpr int64_t kMaxElements = int64_t(1) << 48;
constexpr int64_t kMaxSteps = 16;  // a loop over lanes is fully unrolled if it has at most this many steps

}  // namespace

Scalar accumulator_identity(Op op, const Node& node) {
  const DType dtype = accumulator_dtype(node);
  return is_bool(node.dtype) ? scalar_from_int(dtype, identity_of(op, DType::kBool).as<bool>()) : identity_of(op, dtype);
}

const UOp* to_accumulator(Arena& arena, const Node& node, const UOp* element) { return arena.cast(accumulator_dtype(node), element); }
const UOp* from_accumulator(Arena& arena, const Node& node, const UOp* value) { return arena.cast(node.dtype, value); }

namespace {

/// Returns the atom of an expression that is a min, otherwise null.
const SymAtom* as_min(Sym e) {
  const SymNode* node = e.node();
  if (node == nullptr || node->constant != 0 || node->terms.size() != 1) return nullptr;
  const SymTerm& term = node->terms[0];
  return term.coefficient == 1 && term.factors.size() == 1 && term.factors[0]->kind == AtomKind::kMin ? term.factors[0] : nullptr;
}

}  // namespace

int64_t most_elements(Sym count, Sym others, const std::optional<Sym>& holds) {
  int64_t most = std::min(range(count).hi, kMaxElements);
  if (!holds) return most;
  if (const SymAtom* least = as_min(*holds))
    return std::min(most_elements(count, others, least->a), most_elements(count, others, least->b));
  if (const Sym limit = *holds + count; limit.is_constant()) most = std::min(most, limit.constant());
  if (others.is_constant() && others.constant() > 0)
    if (const Sym limit = *holds + count * others; limit.is_constant()) most = std::min(most, limit.constant() / others.constant());
  return most;
}

int levels_needed(Sym count, int64_t block, Sym others, const std::optional<Sym>& holds) {
  const int64_t most = most_elements(count, others, holds);
  int levels = 1;
  for (__int128 reach = block; reach < most; reach *= block) ++levels;
  return levels;
}

Space Accumulators::space_for(int64_t count) const {
  if (count < kLanes) return Space::kRegister;
  return frame_bytes_ <= kFrameBytes ? Space::kStack : Space::kScratch;
}

std::vector<int> Accumulators::add(std::span<const Node* const> nodes, int64_t count) {
  for (const Node* node : nodes) frame_bytes_ += count * static_cast<int64_t>(size_of(accumulator_dtype(*node)));
  std::vector<int> numbers;
  for (const Node* node : nodes) {
    numbers.push_back(static_cast<int>(kernel_.accumulators.size()));
    kernel_.accumulators.push_back(
        {{accumulator_dtype(*node), 1}, count, combine_of(node->op), accumulator_identity(node->op, *node), space_for(count)});
  }
  return numbers;
}

int Accumulators::add(DType dtype, int64_t count, Op combine, Scalar init) {
  frame_bytes_ += count * static_cast<int64_t>(size_of(dtype));
  kernel_.accumulators.push_back({{dtype, 1}, count, combine, init, space_for(count)});
  return static_cast<int>(kernel_.accumulators.size()) - 1;
}

int Accumulators::add_array(DType dtype, int64_t count, int64_t most) {
  const int64_t bytes = count * static_cast<int64_t>(size_of(dtype));
  const bool fits_frame = count < kLanes || frame_bytes_ + bytes <= most;
  if (fits_frame) frame_bytes_ += bytes;
  kernel_.accumulators.push_back({.type = {dtype, 1},
                                  .count = count,
                                  .combine = Op::kAdd,
                                  .init = identity_of(Op::kSum, dtype),
                                  .space = fits_frame ? Space::kStack : Space::kScratch,
                                  .is_row = true});
  return static_cast<int>(kernel_.accumulators.size()) - 1;
}

const UOp* sum_of_product(Arena& arena, const UOp* a, const UOp* b, const UOp* sum) {
  const DType dtype = sum->type.dtype;
  if (is_float(dtype)) return arena.apply(Op::kFma, dtype, {a, b, sum});
  return arena.apply(Op::kAdd, dtype, {sum, arena.apply(Op::kMul, dtype, {a, b})});
}

const UOp* end_of_products(Arena& arena, const UOp* sum) {
  const DType dtype = sum->type.dtype;
  return is_float(dtype) ? arena.apply(Op::kAdd, dtype, {sum, arena.constant(identity_of(Op::kSum, dtype))}) : sum;
}

const UOp* halved(Arena& arena, std::vector<const UOp*> lanes, Op combine, DType dtype) {
  for (size_t half = std::bit_ceil(lanes.size()) / 2; half > 0; half /= 2) {
    for (size_t i = half; i < lanes.size(); ++i) lanes[i - half] = arena.apply(combine, dtype, {lanes[i - half], lanes[i]});
    lanes.resize(half);
  }
  return lanes[0];
}

Stmt* declare_accumulator(Arena& arena, int accumulator, const UOp* value) {
  auto* s = arena.statement<AccDeclare>();
  s->accumulator = accumulator;
  s->value = value;
  return s;
}

Stmt* set_accumulator(Arena& arena, int accumulator, Sym element, const UOp* value) {
  auto* s = arena.statement<AccSet>();
  s->accumulator = accumulator;
  s->index = element;
  s->value = value;
  return s;
}

Stmt* update_accumulator(Arena& arena, int accumulator, Sym element, const UOp* value, const UOp* factor) {
  auto* s = arena.statement<AccUpdate>();
  const DType dtype = value->type.dtype;
  // An AccUpdate statement that has a factor is a fused multiply-add, which exists for floats only. For other dtypes the value is
  // multiplied by the factor before the update.
  const bool is_multiplied = factor != nullptr && !is_float(dtype);
  s->accumulator = accumulator;
  s->index = element;
  s->value = is_multiplied ? arena.apply(Op::kMul, dtype, {value, factor}) : value;
  s->factor = is_multiplied ? nullptr : factor;
  return s;
}

Body vector_columns(Loop* columns, int simd_width, int together, int64_t most_vectors) {
  columns->tags.vector = {.lanes = simd_width, .narrow = true, .together = together, .most_registers = most_vectors};
  return {columns};
}

Body vector_nest(Loop* outermost, int simd_width) {
  outermost->tags.nest.emplace();
  Loop* inner = outermost;
  while (Loop* next = first_loop_in(inner->body)) inner = next;
  inner->tags.vector = {.lanes = simd_width};
  return {outermost};
}

Body vector_lanes(Loop* lanes, int simd_width) {
  lanes->tags.vector = {.lanes = simd_width, .narrow = true, .most_steps = kMaxSteps};
  return {lanes};
}

Body vector_loop(Loop* loop, int simd_width) {
  loop->tags.vector = {.lanes = simd_width};
  return {loop};
}

}  // namespace harp::lower
