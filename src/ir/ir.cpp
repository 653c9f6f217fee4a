// Implements the arena of the loop IR, and queries about kernels. The arena interns expressions, and its builders apply the few
// simplifications that keep every bit of the result, where any NaN counts as equal to any other. A simplification that depends on more than
// a node and its operands is a separate rewrite.
#include "ir/ir.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/table_limit.h"
#include "base/visits.h"
#include "ir/division.h"
#include "ir/functions.h"
#include "ir/number_range.h"
#include "ir/rewrite.h"

namespace harp::ir {
namespace {

size_t mix(size_t seed, size_t value) { return (seed ^ value) * 0x9e3779b97f4a7c15u + (seed >> 29); }

struct HashContents {
  size_t operator()(const UOp* u) const {
    size_t h = mix(static_cast<size_t>(u->kind), static_cast<size_t>(u->op));
    h = mix(h, static_cast<size_t>(u->type.dtype) << 16 | u->type.lanes);
    h = mix(h, static_cast<size_t>(u->buffer));
    h = mix(mix(mix(h, u->index.hash()), u->lane_step.hash()), u->stride.hash());
    h = mix(mix(h, static_cast<size_t>(u->value.dtype)), u->value.bits[0]);
    h = mix(h, std::bit_cast<size_t>(u->function) ^ std::bit_cast<size_t>(u->table));
    for (const UOp* s : u->sources) h = mix(h, s->id);
    return h;
  }
};
struct EqualContents {
  bool operator()(const UOp* a, const UOp* b) const {
    return a->kind == b->kind && a->op == b->op && a->type == b->type && a->buffer == b->buffer && a->index == b->index &&
           a->lane_step == b->lane_step && a->stride == b->stride && a->value == b->value && a->function == b->function &&
           a->table == b->table && a->sources == b->sources;
  }
};

bool is_alu(const UOp* u, Op op) { return u->kind == UKind::kAlu && u->op == op; }
const UOp* unsplat(const UOp* u) { return u->kind == UKind::kSplat ? u->sources[0] : u; }
/// Returns the value of `u` if it is the same constant in every lane; otherwise null.
const Scalar* constant_of(const UOp* u) {
  const UOp* one = unsplat(u);
  return one->kind == UKind::kConst ? &one->value : nullptr;
}
const bool* bool_constant_of(const UOp* u, bool& storage) {
  const Scalar* value = u->type.dtype == DType::kBool ? constant_of(u) : nullptr;
  if (value == nullptr) return nullptr;
  storage = value->bits[0] != 0;
  return &storage;
}

/// Tests whether `conjunction` implies `condition`. The test is conservative: it succeeds only if `condition` is one of the operands of the
/// conjunction.
bool implies(const UOp* conjunction, const UOp* condition) {
  if (conjunction == condition) return true;
  return is_alu(conjunction, Op::kBitAnd) && (implies(conjunction->sources[0], condition) || implies(conjunction->sources[1], condition));
}
bool is_read_under(const UOp* u, const UOp* condition) { return is_read(u) && mask_of(u) != nullptr && implies(mask_of(u), condition); }
bool is_zero_bits(const UOp* u) {
  const Scalar* constant = constant_of(u);
  return constant != nullptr && constant->bits[0] == 0 && constant->bits[1] == 0;
}

/// Returns a simpler value that equals `op` over `sources` in every bit, also for NaN; null if no simplification applies.
const UOp* simplify_alu(Op op, DType dtype, std::span<const UOp* const> sources) {
  bool known = false;
  switch (op) {
    case Op::kWhere:
      if (sources[1] == sources[2]) return sources[1];
      if (bool_constant_of(sources[0], known)) return sources[known ? 1 : 2];
      // A load that is masked by the condition gives 0 where the condition is false, so the Where changes nothing if its third operand is
      // 0. Padding with zeros has this form.
      if (is_read_under(sources[1], sources[0]) && is_zero_bits(sources[2])) return sources[1];
      return nullptr;
    case Op::kAbs: return is_int(dtype) && !is_signed_int(dtype) ? sources[0] : nullptr;
    case Op::kNeg: return is_alu(sources[0], Op::kNeg) ? sources[0]->sources[0] : nullptr;
    case Op::kBitNot: return is_alu(sources[0], Op::kBitNot) ? sources[0]->sources[0] : nullptr;
    case Op::kCast:
    case Op::kBitcast: return sources[0]->type.dtype == dtype ? sources[0] : nullptr;
    case Op::kBitAnd:
    case Op::kBitOr:
      if (sources[0] == sources[1]) return sources[0];
      for (int i = 0; i < 2; ++i)
        if (bool_constant_of(sources[i], known)) return sources[known == (op == Op::kBitAnd) ? 1 - i : i];
      return nullptr;
    default: return nullptr;
  }
}

/// Tests whether `op`, a max or min of some x and the operand `source`, can be written as a comparison and a select: max(x, c) as `x < c ?
/// c : x`, and min(x, c) as `c < x ? c : x`. If x is a NaN, the comparison is false, so the result is the NaN. Requires that `source` is a
/// constant c other than NaN.
///
/// If c is a zero, x may be the zero of the other sign. The comparison then is x <= c (for a min: c <= x), so that the result is c. That is
/// correct only if c is the greater zero, +0, in a max, or the smaller one, -0, in a min (docs/semantics.md). For the other zeros the
/// function returns false.
bool decides_by_comparison(Op op, const UOp* source) {
  const Scalar* constant = constant_of(source);
  if (constant == nullptr) return false;
  const double value = to_double(*constant);
  return !std::isnan(value) && !(value == 0 && std::signbit(value) == (op == Op::kMax));
}

}  // namespace

struct Arena::State {
  std::deque<UOp> uops;
  std::deque<Function> functions;
  std::deque<Table> tables;
  std::unordered_set<const UOp*, HashContents, EqualContents> interned;
  const Function* instances[kOpCount][kDTypeCount] = {};
  const Function* conversions[kDTypeCount][kDTypeCount] = {};  // [from][to]
};

Arena::Arena(std::shared_ptr<SymTable> syms) : syms_(std::move(syms)), state_(std::make_unique<State>()) {}
Arena::~Arena() = default;

const UOp* Arena::intern(UOp prototype) {
  count_visits(*syms_, 1);
  if (const auto found = state_->interned.find(&prototype); found != state_->interned.end()) return *found;
  HARP_ASSERT(state_->uops.size() < UINT32_MAX, "an arena has at most 2^32 - 1 expressions");
  check_time(*syms_);
  prototype.id = static_cast<uint32_t>(state_->uops.size());
  state_->uops.push_back(std::move(prototype));
  const UOp* made = &state_->uops.back();
  state_->interned.insert(made);
  return made;
}

const UOp* Arena::constant(Scalar value) {
  UOp u{.kind = UKind::kConst, .type = {value.dtype, 1}};
  u.value = value;
  return intern(std::move(u));
}

const UOp* Arena::index(Sym value) {
  if (value.is_constant()) return constant(Scalar::of(DType::kI64, value.constant()));
  UOp u{.kind = UKind::kIndex, .type = {DType::kI64, 1}};
  u.index = value;
  return intern(std::move(u));
}

const UOp* Arena::line_offset(int buffer, Sym index) {
  UOp u{.kind = UKind::kLineOffset, .type = {DType::kI64, 1}};
  u.buffer = buffer;
  u.index = index;
  return intern(std::move(u));
}

const UOp* Arena::in_range(Sym nonnegative) {
  if (proven_nonnegative(nonnegative)) return constant(Scalar::of(DType::kBool, true));
  if (proven_nonnegative(Sym(-1) - nonnegative)) return constant(Scalar::of(DType::kBool, false));
  UOp u{.kind = UKind::kInRange, .type = {DType::kBool, 1}};
  u.index = nonnegative;
  return intern(std::move(u));
}

const UOp* Arena::load(DType dtype, int buffer, Sym index, const UOp* mask) {
  bool known = false;
  if (mask != nullptr && bool_constant_of(mask, known)) {
    if (!known) return constant(Scalar{dtype, {0, 0}});
    mask = nullptr;
  }
  UOp u{.kind = UKind::kLoad, .type = {dtype, 1}};
  u.buffer = buffer;
  u.index = index;
  if (mask != nullptr) u.sources.push_back(mask);
  return intern(std::move(u));
}

const UOp* Arena::gather(DType dtype, int buffer, Sym index, const UOp* position, Sym stride, const UOp* mask) {
  if (stride.is_constant(0)) return load(dtype, buffer, index, mask);
  if (position->kind == UKind::kConst)
    return load(dtype, buffer, index + Sym(static_cast<int64_t>(to_double(position->value))) * stride, mask);
  bool known = false;
  if (mask != nullptr && bool_constant_of(mask, known)) {
    if (!known) return constant(Scalar{dtype, {0, 0}});
    mask = nullptr;
  }
  UOp u{.kind = UKind::kGather, .type = {dtype, 1}};
  u.buffer = buffer;
  u.index = index;
  u.stride = stride;
  u.sources.push_back(position);
  if (mask != nullptr) u.sources.push_back(mask);
  return intern(std::move(u));
}

const UOp* Arena::check(int site, Sym element, const UOp* number, const UOp* least, const UOp* end, const UOp* mask) {
  const auto constant_of_i64 = [](const UOp* u) {
    return u->kind == UKind::kConst ? std::optional(static_cast<int64_t>(u->value.bits[0])) : std::nullopt;
  };
  const std::optional<int64_t> n = constant_of_i64(number), low = constant_of_i64(least), high = constant_of_i64(end);
  if (n && low && high && *n >= *low && *n < *high) return number;
  bool known = false;
  if (mask != nullptr && bool_constant_of(mask, known)) {
    if (!known) return number;
    mask = nullptr;
  }
  has_checks_ = true;
  UOp u{.kind = UKind::kCheck, .type = {DType::kI64, 1}};
  u.buffer = site;
  u.index = element;
  u.sources = {number, least, end};
  if (mask != nullptr) u.sources.push_back(mask);
  return intern(std::move(u));
}

const UOp* Arena::position(const UOp* number, Sym size) {
  const DType from = number->type.dtype;
  if (number->kind == UKind::kConst &&
      // A double represents every valid position exactly. A number outside of the axis may be rounded, but remains outside.
      size.is_constant()) {
    const auto n = static_cast<double>(size.constant()), wanted = to_double(number->value);
    return constant(Scalar::of(DType::kI64, static_cast<int64_t>(std::min(std::max(wanted < 0 ? wanted + n : wanted, 0.0), n - 1))));
  }
  const bool is_narrow = proven_at_most(size, INT32_MAX) && (size_of(from) < 4 || from == DType::kI32);
  const DType dtype = is_narrow ? DType::kI32 : DType::kI64;
  const NumberRange bounds = range_of_number(number);
  if (bounds.lo >= 0 && bounds.hi < range(size).lo) return cast(dtype, number);
  // clamps a u64 above INT64_MAX to INT64_MAX, which is out of range for every axis, too
  if (from == DType::kU64) number = apply(Op::kMin, from, {number, constant(Scalar::of(from, INT64_MAX))});
  const auto of_size = [&](Sym value) {
    return value.is_constant() ? constant(scalar_from_int(dtype, value.constant())) : cast(dtype, index(value));
  };
  if (bounds.lo >= 0) return apply(Op::kMin, dtype, {cast(dtype, number), of_size(size - 1)});
  const UOp* length = of_size(size);
  return call(build_clamp_index(*this, dtype), {cast(dtype, number), length});
}

const UOp* Arena::alu(Op op, DType dtype, std::vector<const UOp*> sources) {
  HARP_ASSERT(is_elementwise(op) && static_cast<size_t>(info(op).arity) == sources.size(), name(op), " of ", sources.size(),
              " sources: expected an elementwise op and as many sources as it takes");
  for (const UOp* s : sources)
    HARP_ASSERT(s->type.lanes == sources[0]->type.lanes, "the sources of ", name(op), " have ", sources[0]->type.lanes, " and ",
                s->type.lanes, " lanes; expected equal numbers");
  if (const UOp* simpler = simplify_alu(op, dtype, sources)) return simpler;
  UOp u{.kind = UKind::kAlu, .op = op, .type = {dtype, sources[0]->type.lanes}};
  u.sources = std::move(sources);
  return intern(std::move(u));
}

const UOp* Arena::call(const Function* function, std::vector<const UOp*> arguments) {
  HARP_ASSERT(!arguments.empty() && arguments.size() == function->parameters.size(), function->name, " takes ", function->parameters.size(),
              " arguments and at least one, got ", arguments.size());
  UOp u{.kind = UKind::kCall, .type = {function->result, arguments[0]->type.lanes}};
  u.function = function;
  u.sources = std::move(arguments);
  return intern(std::move(u));
}

const UOp* Arena::splat(const UOp* source, int lanes) {
  HARP_ASSERT(source->type.lanes == 1, "a splat takes a value of one lane, got ", source->type.lanes);
  if (lanes == 1) return source;
  UOp u{.kind = UKind::kSplat, .type = {source->type.dtype, static_cast<uint16_t>(lanes)}};
  u.sources.push_back(source);
  return intern(std::move(u));
}

const UOp* Arena::acc(DType dtype, int accumulator, Sym element, int lanes) {
  UOp u{.kind = UKind::kAcc, .type = {dtype, static_cast<uint16_t>(lanes)}};
  u.buffer = accumulator;
  u.index = element;
  return intern(std::move(u));
}

const Function* Arena::function_of(Op op, DType dtype) {
  const Function*& instance = state_->instances[static_cast<int>(op)][static_cast<int>(dtype)];
  if (instance == nullptr) instance = build_function(*this, op, dtype);
  return instance;
}

const Function* Arena::conversion(DType from, DType to) {
  const Function*& instance = state_->conversions[static_cast<int>(from)][static_cast<int>(to)];
  if (instance == nullptr) instance = build_conversion(*this, from, to);
  return instance;
}

namespace {

/// Compares a 16-bit float with zero (op is kEq or kNe). It differs from zero if a bit other than its sign does, also if it is NaN; so it
/// need not be converted to f32.
const UOp* half_with_zero(Arena& arena, Op op, const UOp* half) {
  constexpr uint64_t kWithoutSign = 0x7fff;
  const auto number = [&](uint64_t n) { return arena.splat(arena.constant(Scalar::of(DType::kU16, n)), half->type.lanes); };
  const UOp* bits = arena.alu(Op::kBitAnd, DType::kU16, {arena.alu(Op::kBitcast, DType::kU16, {half}), number(kWithoutSign)});
  return arena.alu(op, DType::kBool, {bits, number(0)});
}

}  // namespace

const UOp* Arena::cast(DType dtype, const UOp* value) {
  const DType from = value->type.dtype;
  if (from == dtype) return value;
  if (!is_half(from) && !is_half(dtype)) return alu(Op::kCast, dtype, {value});
  // a constant is folded, except for 64-bit integers, because the conversion to double might round them
  if (value->kind == UKind::kConst && !(is_int(from) && size_of(from) == 8))
    return constant(scalar_from_double(dtype, to_double(value->value)));
  if (is_half(from) && is_bool(dtype)) return half_with_zero(*this, Op::kNe, value);
  if (is_half(from)) return cast(dtype, call(conversion(from, DType::kF32), {value}));
  const auto number = [&](int n) { return splat(constant(scalar_from_int(dtype, n)), value->type.lanes); };
  if (is_bool(from)) return alu(Op::kWhere, dtype, {value, number(1), number(0)});
  if (is_int(from) && size_of(from) < 4) return cast(dtype, cast(DType::kF32, value));
  const Function* function = conversion(from, dtype);
  const bool undone =
      value->kind == UKind::kCall && value->function == state_->conversions[static_cast<int>(dtype)][static_cast<int>(from)];
  return undone ? value->sources[0] : call(function, {value});
}

const UOp* Arena::apply(Op op, DType dtype, std::vector<const UOp*> sources) {
  if (op == Op::kCast) return cast(dtype, sources[0]);
  // Dtype of the operands. It is the dtype of the last source, because the first source of a Where is the condition.
  const DType operand = sources.back()->type.dtype;
  // A bool is stored as a byte of 0 or 1, so its bitcast is a cast.
  if (is_bool(operand) && op == Op::kBitcast) return cast(dtype, sources[0]);
  if (is_half(operand) && op == Op::kBitcast) return alu(op, dtype, {call(conversion(operand, DType::kU16), std::move(sources))});
  if (is_half(operand) && (op == Op::kEq || op == Op::kNe))
    for (size_t i = 0; i < 2; ++i)
      if (const Scalar* c = constant_of(sources[i]); c != nullptr && to_double(*c) == 0) return half_with_zero(*this, op, sources[1 - i]);
  if (is_half(operand) && op != Op::kWhere) {
    for (const UOp*& source : sources) source = cast(info(operand).computes_in, source);
    return cast(dtype, apply(op, is_half(dtype) ? info(dtype).computes_in : dtype, std::move(sources)));
  }
  if (is_bool(operand) && (op == Op::kMax || op == Op::kMin))
    return alu(op == Op::kMax ? Op::kBitOr : Op::kBitAnd, dtype, std::move(sources));
  if (is_float(operand) && (op == Op::kMax || op == Op::kMin))
    for (int i = 0; i < 2; ++i)
      if (const UOp* c = sources[1 - i], *x = sources[i]; decides_by_comparison(op, c)) {
        // the C compiler turns a comparison with < or <= and a select into a single max or min instruction
        const Op wins_by = to_double(*constant_of(c)) == 0 ? Op::kLe : Op::kLt;
        const UOp* wins = alu(wins_by, DType::kBool, op == Op::kMax ? std::vector{x, c} : std::vector{c, x});
        return alu(Op::kWhere, dtype, {wins, c, x});
      }
  if (const Function* division = division_by_constant(*this, op, sources.back())) return call(division, {sources[0]});
  if (info(op).flags & kFunction) return call(function_of(op, operand), std::move(sources));
  return alu(op, dtype, std::move(sources));
}

Function* Arena::new_function(std::string name, std::vector<DType> parameters, DType result) {
  state_->functions.push_back(Function{std::move(name), std::move(parameters), result, nullptr, std::nullopt});
  return &state_->functions.back();
}

const Function* Arena::find_function(std::string_view name) const {
  for (const Function& f : state_->functions)
    if (f.name == name) return &f;
  return nullptr;
}

const Table* Arena::table(std::string_view name, DType dtype, std::vector<uint64_t> values) {
  for (const Table& t : state_->tables)
    if (t.name == name) {
      HARP_ASSERT(t.dtype == dtype && t.values == values, "two tables that differ are called ", name);
      return &t;
    }
  state_->tables.push_back(Table{std::string(name), dtype, std::move(values)});
  return &state_->tables.back();
}

int64_t bytes_of(const Accumulator& accumulator) {
  return accumulator.count * accumulator.type.lanes * static_cast<int64_t>(size_of(accumulator.type.dtype));
}

bool in_worker_memory(const Accumulator& accumulator) {
  return accumulator.space == Space::kScratch || accumulator.space == Space::kShared || accumulator.spread > 0;
}

std::vector<int64_t> scratch_offsets(const Kernel& kernel) {
  std::vector<int64_t> offsets;
  int64_t end = 0;
  for (const Accumulator& a : kernel.accumulators) {
    offsets.push_back(end);
    if (in_worker_memory(a)) end += (bytes_of(a) + 63) / 64 * 64;
  }
  offsets.push_back(end);
  return offsets;
}

bool streams(const Kernel& kernel) {
  return std::ranges::any_of(statements_of(kernel.body), [](const Stmt* s) {
    const auto* store = as<Store>(s);
    const auto* copy = as<Copy>(s);
    return (store != nullptr && store->nontemporal) || (copy != nullptr && copy->nontemporal);
  });
}

const Loop* thread_loop(const Kernel& kernel) {
  std::vector<const Stmt*> around(kernel.body.begin(), kernel.body.end());
  while (!around.empty()) {
    const auto* loop = as<Loop>(around.back());
    around.pop_back();
    if (loop == nullptr) continue;
    if (loop->loop == LoopKind::kThread) return loop;
    around.insert(around.end(), loop->body.begin(), loop->body.end());
  }
  return nullptr;
}

Sym iterations(const Kernel& kernel) {
  const Loop* loop = thread_loop(kernel);
  return loop == nullptr ? Sym(1) : ceil_div(loop->end - loop->begin, loop->step);
}

int64_t group_size(const Kernel& kernel) {
  for (const Stmt* s : statements_of(kernel.body)) {
    if (const auto* loop = as<Loop>(s); loop != nullptr && loop->loop == LoopKind::kGroup)
      return loop->end.is_constant() ? loop->end.constant() : kMaxThreads;
    if (const auto* routine = as<Routine>(s); routine != nullptr && routine->threads > 0) return routine->threads;
  }
  return 0;
}

bool starts_copies(const Loop& loop) {
  return loop.loop == LoopKind::kGroup &&
         std::ranges::any_of(statements_of(loop.body), [](const Stmt* s) { return s->kind == StmtKind::kCopyAsync; });
}

int64_t shared_bytes(const Kernel& kernel) {
  int64_t bytes = 0;
  for (const Accumulator& a : kernel.accumulators)
    if (a.space == Space::kShared) bytes += (bytes_of(a) + 15) / 16 * 16;
  return bytes;
}

}  // namespace harp::ir
