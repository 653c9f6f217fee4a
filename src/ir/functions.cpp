// Defines the policy with which the templates of ops/math.h are instantiated for the loop IR: a value is an expression, and an operator
// creates a node. Calling a template with this policy records its operations instead of executing them. MathOf maps each op to its
// function. This file does not compile if an op of ops.def has the flag kFunction but no function exists for it.
#include "ir/functions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ops/math.h"

namespace harp::ir {
namespace {

/// A value inside a template of ops/math.h, of any dtype: an expression in an arena, or a literal, which belongs to no arena. When a
/// literal is combined with an expression, it becomes a constant in the arena of that expression. (The struct has only two words, so that
/// it is passed in registers, because the templates make about ten thousand calls.)
struct Operand {
  Arena* arena = nullptr;  // null for a literal
  union {
    uint64_t bits = 0;  // of a literal
    const UOp* uop;
  };

  bool is_literal() const { return arena == nullptr; }
};

template <DType D>
struct Value : Operand {
  static constexpr DType kDType = D;
};

Operand expression(Arena& arena, const UOp* uop) { return {&arena, {.uop = uop}}; }

template <DType D, class T>
Value<D> literal(T value) {
  return {{.bits = Scalar::of(D, value).bits[0]}};
}

/// A value whose dtype is known only at run time. The functions that create nodes take such values, so that they are compiled once instead
/// of once for each dtype.
struct Typed {
  Operand value;
  DType dtype;

  template <DType D>
  Typed(const Value<D>& v) : value(v), dtype(D) {}
};
using Values = std::initializer_list<Typed>;

/// Returns the arena of the first value that is an expression; `what` names the operation in the error.
[[gnu::noinline]] Arena& arena_of(std::string_view what, Values values) {
  const auto first = std::find_if(values.begin(), values.end(), [](const Typed& typed) { return !typed.value.is_literal(); });
  HARP_ASSERT(first != values.end(), what, " in a math template has literals only; at least one operand must be a value");
  return *first->value.arena;
}

std::vector<const UOp*> in(Arena& arena, Values values) {
  std::vector<const UOp*> uops;
  for (const auto& [value, dtype] : values) uops.push_back(value.is_literal() ? arena.constant(Scalar{dtype, {value.bits, 0}}) : value.uop);
  return uops;
}

[[gnu::noinline]] Operand alu(Op op, DType dtype, Values values) {
  Arena& arena = arena_of(name(op), values);
  return expression(arena, arena.alu(op, dtype, in(arena, values)));
}
[[gnu::noinline]] Operand call(Arena& arena, const Function* function, Values arguments) {
  return expression(arena, arena.call(function, in(arena, arguments)));
}
/// The sources are the condition, the value where it does not hold, and the arguments of `function`.
[[gnu::noinline]] Operand call_rarely(Arena& arena, DType dtype, const Function* function, Values sources) {
  UOp u{.kind = UKind::kRarely, .type = {dtype, 1}};
  u.function = function;
  u.sources = in(arena, sources);
  return expression(arena, arena.intern(std::move(u)));
}
[[gnu::noinline]] Operand read_table(const MathTable& table, DType dtype, Operand index) {
  UOp u{.kind = UKind::kTable, .type = {dtype, 1}};
  u.table = index.arena->table(table.name, table.dtype, {table.words.begin(), table.words.end()});
  u.sources = {index.uop};
  return expression(*index.arena, index.arena->intern(std::move(u)));
}
[[gnu::noinline]] Operand parameter(Arena& arena, DType dtype, int number) {
  UOp u{.kind = UKind::kParam, .type = {dtype, 1}};
  u.buffer = number;
  return expression(arena, arena.intern(std::move(u)));
}

/// Returns a node that applies `op` to the values, at least one of which must be an expression.
template <DType D, DType... Ds>
Value<D> node(Op op, const Value<Ds>&... values) {
  return {alu(op, D, {values...})};
}

/// Returns the bits of a literal of an integer dtype or bool.
template <DType D>
uint64_t bits_of(Value<D> v) {
  return v.bits;
}
/// Returns a literal made of the low bits of `bits`.
template <DType D>
Value<D> from_bits(uint64_t bits) {
  return {{.bits = size_of(D) == 8 ? bits : bits & ((uint64_t{1} << (size_of(D) * 8)) - 1)}};
}

template <DType D>
concept Real = is_float(D);
template <DType D>
concept Integer = is_int(D);
template <DType D>
concept Numeric = Real<D> || Integer<D>;
template <DType D>
concept Bits = Integer<D> || is_bool(D);
using Bool = Value<DType::kBool>;

template <DType D>
requires Numeric<D> Value<D>
operator-(Value<D> a) {
  if (!a.is_literal()) return node<D>(Op::kNeg, a);
  if constexpr (D == DType::kF32) return literal<D>(-std::bit_cast<float>(static_cast<uint32_t>(a.bits)));
  if constexpr (D == DType::kF64) return literal<D>(-std::bit_cast<double>(a.bits));
  if constexpr (is_int(D)) return from_bits<D>(0 - bits_of(a));
}
template <DType D>
requires Numeric<D> Value<D>
operator+(Value<D> a, Value<D> b) { return node<D>(Op::kAdd, a, b); }
template <DType D>
requires Numeric<D> Value<D>
operator-(Value<D> a, Value<D> b) { return a + -b; }
template <DType D>
requires Numeric<D> Value<D>
operator*(Value<D> a, Value<D> b) { return node<D>(Op::kMul, a, b); }
template <DType D>
requires Numeric<D> Value<D>
operator/(Value<D> a, Value<D> b) { return node<D>(Op::kDiv, a, b); }
template <DType D>
requires Integer<D> Value<D>
operator%(Value<D> a, Value<D> b) { return node<D>(Op::kFmod, a, b); }
template <DType D>
requires Bits<D> Value<D>
operator&(Value<D> a, Value<D> b) {
  if (a.is_literal() && b.is_literal()) return from_bits<D>(bits_of(a) & bits_of(b));
  return node<D>(Op::kBitAnd, a, b);
}
template <DType D>
requires Bits<D> Value<D>
operator|(Value<D> a, Value<D> b) {
  if (a.is_literal() && b.is_literal()) return from_bits<D>(bits_of(a) | bits_of(b));
  return node<D>(Op::kBitOr, a, b);
}
template <DType D>
requires Integer<D> Value<D>
operator^(Value<D> a, Value<D> b) {
  if (a.is_literal() && b.is_literal()) return from_bits<D>(bits_of(a) ^ bits_of(b));
  return node<D>(Op::kBitXor, a, b);
}
template <DType D>
requires Integer<D> Value<D>
operator~(Value<D> a) {
  if (a.is_literal()) return from_bits<D>(~bits_of(a));
  return node<D>(Op::kBitNot, a);
}
inline Bool operator!(Bool a) { return node<DType::kBool>(Op::kBitNot, a); }
template <DType D>
requires Integer<D> Value<D>
operator<<(Value<D> a, Value<D> count) {
  if (a.is_literal() && count.is_literal()) return from_bits<D>(bits_of(a) << bits_of(count));
  return node<D>(Op::kShl, a, count);
}
template <DType D>
requires Integer<D> Value<D>
operator>>(Value<D> a, Value<D> count) {
  if (!a.is_literal() || !count.is_literal()) return node<D>(Op::kShr, a, count);
  constexpr int kAbove = 64 - 8 * static_cast<int>(size_of(D));  // number of unused high bits when the value is in a 64-bit word
  if constexpr (is_signed_int(D))
    return from_bits<D>(static_cast<uint64_t>(static_cast<int64_t>(bits_of(a) << kAbove) >> kAbove >> bits_of(count)));
  return from_bits<D>(bits_of(a) >> bits_of(count));
}
template <DType D>
requires Numeric<D> Bool operator<(Value<D> a, Value<D> b) { return node<DType::kBool>(Op::kLt, a, b); }
template <DType D>
requires Numeric<D> Bool operator<=(Value<D> a, Value<D> b) { return node<DType::kBool>(Op::kLe, a, b); }
template <DType D>
requires Numeric<D> Bool operator>(Value<D> a, Value<D> b) { return b < a; }
template <DType D>
requires Numeric<D> Bool operator>=(Value<D> a, Value<D> b) { return b <= a; }
template <DType D>
Bool operator==(Value<D> a, Value<D> b) {
  return node<DType::kBool>(Op::kEq, a, b);
}
template <DType D>
Bool operator!=(Value<D> a, Value<D> b) {
  return node<DType::kBool>(Op::kNe, a, b);
}

struct IrMath {
  template <DType D>
  using T = Value<D>;

  static Bool boolean(bool c) { return literal<DType::kBool>(c); }
  static T<DType::kF32> f32(float c) { return literal<DType::kF32>(c); }
  static T<DType::kF64> f64(double c) { return literal<DType::kF64>(c); }
  static T<DType::kI32> i32(int32_t c) { return literal<DType::kI32>(c); }
  static T<DType::kU32> u32(uint32_t c) { return literal<DType::kU32>(c); }
  static T<DType::kI64> i64(int64_t c) { return literal<DType::kI64>(c); }
  static T<DType::kU64> u64(uint64_t c) { return literal<DType::kU64>(c); }
  template <DType D>
  static T<D> integer(int64_t c) {
    return from_bits<D>(static_cast<uint64_t>(c));
  }

  template <DType D>
  static T<D> fma(T<D> a, T<D> b, T<D> c) {
    return node<D>(Op::kFma, a, b, c);
  }
  template <DType D>
  static T<D> sqrt(T<D> x) {
    return node<D>(Op::kSqrt, x);
  }
  template <DType D>
  static T<D> abs(T<D> x) {
    return node<D>(Op::kAbs, x);
  }
  template <DType D>
  static T<D> floor(T<D> x) {
    return node<D>(Op::kFloor, x);
  }
  template <DType D>
  static T<D> ceil(T<D> x) {
    return node<D>(Op::kCeil, x);
  }
  template <DType D>
  static T<D> trunc(T<D> x) {
    return node<D>(Op::kTrunc, x);
  }
  template <DType D>
  static T<D> rint(T<D> x) {
    return node<D>(Op::kRound, x);
  }
  template <DType D>
  static T<D> select(Bool condition, T<D> a, T<D> b) {
    return node<D>(Op::kWhere, condition, a, b);
  }
  template <DType D, DType From>
  static T<D> bitcast(T<From> x) {
    static_assert(size_of(D) == size_of(From));
    if (x.is_literal()) return {{.bits = x.bits}};
    return node<D>(Op::kBitcast, x);
  }
  template <DType D, DType From>
  static T<D> cast(T<From> x) {
    return node<D>(Op::kCast, x);
  }
  template <DType D>
  static T<D> table(const MathTable& table, T<DType::kI32> index) {
    return {read_table(table, D, index)};
  }
  template <class Body, DType... Ds>
  static auto named(std::string_view name, Body body, T<Ds>... args) {
    Arena& arena = arena_of(name, {args...});
    const Function* function = arena.find_function(name);
    if (function == nullptr) function = record<Ds...>(arena, std::string(name), body);
    return decltype(body(args...)){call(arena, function, {args...})};
  }
  template <DType D, class Rare, DType... Ds>
  static T<D> rarely(std::string_view name, Bool condition, T<D> common, Rare rare, T<Ds>... args) {
    Arena& arena = *condition.arena;
    const Function* function = arena.find_function(name);
    if (function == nullptr) function = record<Ds...>(arena, std::string(name), rare);
    return {call_rarely(arena, D, function, {condition, common, args...})};
  }

  /// Returns a new function whose parameters have the dtypes Ds. `compute` receives the parameters as values and returns the function's
  /// result.
  template <DType... Ds, class Compute>
  static Function* record(Arena& arena, std::string name, Compute compute) {
    int next = 0;
    const std::tuple<Value<Ds>...> parameters{Value<Ds>{parameter(arena, Ds, next++)}...};
    const auto result = std::apply(compute, parameters);
    Function* f = arena.new_function(std::move(name), {Ds...}, decltype(result)::kDType);
    f->body = in(arena, {result}).front();
    return f;
  }
};

// Maps an op to its member of math::Functions.
template <Op op>
struct MathOf;
#define HARP_MATH_OF(id, function)                    \
  template <>                                         \
  struct MathOf<Op::k##id> {                          \
    template <class... V>                             \
    static auto apply(V... v) {                       \
      return math::Functions<IrMath>::function(v...); \
    }                                                 \
  };
HARP_MATH_OF(Sign, sign)
HARP_MATH_OF(Exp, exp)
HARP_MATH_OF(Exp2, exp2)
HARP_MATH_OF(Expm1, expm1)
HARP_MATH_OF(Log, log)
HARP_MATH_OF(Log2, log2)
HARP_MATH_OF(Log10, log10)
HARP_MATH_OF(Log1p, log1p)
HARP_MATH_OF(Sin, sin)
HARP_MATH_OF(Cos, cos)
HARP_MATH_OF(Tan, tan)
HARP_MATH_OF(Asin, asin)
HARP_MATH_OF(Acos, acos)
HARP_MATH_OF(Atan, atan)
HARP_MATH_OF(Sinh, sinh)
HARP_MATH_OF(Cosh, cosh)
HARP_MATH_OF(Tanh, tanh)
HARP_MATH_OF(Asinh, asinh)
HARP_MATH_OF(Acosh, acosh)
HARP_MATH_OF(Atanh, atanh)
HARP_MATH_OF(Erf, erf)
HARP_MATH_OF(Erfc, erfc)
HARP_MATH_OF(Cbrt, cbrt)
HARP_MATH_OF(Idiv, floor_divide)
HARP_MATH_OF(Rem, remainder)
HARP_MATH_OF(Fmod, fmod)
HARP_MATH_OF(Max, maximum)
HARP_MATH_OF(Min, minimum)
HARP_MATH_OF(Pow, pow)
HARP_MATH_OF(Atan2, atan2)
HARP_MATH_OF(Hypot, hypot)
HARP_MATH_OF(LogAddExp, logaddexp)
HARP_MATH_OF(Copysign, copysign)
#undef HARP_MATH_OF

using Builder = const Function* (*)(Arena&);

template <Op op, DType D, size_t... I>
const Function* build(Arena& arena, std::index_sequence<I...>) {
  Function* f = IrMath::record<((void)I, D)...>(arena, cat(name(op), "_", name(D)), [](auto... v) { return MathOf<op>::apply(v...); });
  f->op = op;
  return f;
}

template <int op, int dtype>
constexpr Builder builder() {
  constexpr Op o = static_cast<Op>(op);
  constexpr DType d = static_cast<DType>(dtype);
  if constexpr ((info(o).flags & kFunction) != 0 && info(d).in_graph && has_nodes_of(o, d) && !is_half(d))
    return [](Arena& arena) { return build<o, d>(arena, std::make_index_sequence<info(o).arity>{}); };
  else
    return nullptr;
}
template <int op, int... dtypes>
constexpr std::array<Builder, kDTypeCount> row(std::integer_sequence<int, dtypes...>) {
  return {builder<op, dtypes>()...};
}
template <int... ops>
constexpr std::array<std::array<Builder, kDTypeCount>, kOpCount> table(std::integer_sequence<int, ops...>) {
  return {row<ops>(std::make_integer_sequence<int, kDTypeCount>{})...};
}
constexpr auto kBuilders = table(std::make_integer_sequence<int, kOpCount>{});

// Returns the function that converts dtype From to dtype To, one of which is a 16-bit float; math_half.h defines `convert`.
template <DType From, DType To, class Convert>
const Function* build_conversion(Arena& arena, Convert convert) {
  std::string full = cat(name(To), "_of_", name(From));
  if (const Function* known = arena.find_function(full)) return known;
  Function* f = IrMath::record<From>(arena, std::move(full), convert);
  f->op = Op::kCast;
  return f;
}

template <DType Half>
const Function* build_from_half(Arena& arena, DType to) {
  using Math = math::HalfConversions<IrMath, Half>;
  if (to == DType::kF32) return build_conversion<Half, DType::kF32>(arena, [](auto x) { return Math::widen(x); });
  HARP_ASSERT(to == DType::kU16, "no function makes ", name(to), " of ", name(Half));
  return IrMath::record<Half>(arena, cat("canonical_", name(Half)), [](auto x) { return Math::canonical_bits(x); });
}

template <DType Half, DType From>
const Function* build_to_half(Arena& arena) {
  using Math = math::HalfConversions<IrMath, Half>;
  // The other conversions to f16 call this one, for which CPUs have an instruction. It is here first, as a conversion.
  if constexpr (Half == DType::kF16 && From != DType::kF32) build_to_half<Half, DType::kF32>(arena);
  if constexpr (is_float(From))
    return build_conversion<From, Half>(arena, [](auto x) { return Math::narrow(x); });
  else
    return build_conversion<From, Half>(arena, [](auto x) { return Math::template narrow_int<From>(x); });
}
template <DType Half>
const Function* build_to_half(Arena& arena, DType from) {
  switch (from) {
    case DType::kF32: return build_to_half<Half, DType::kF32>(arena);
    case DType::kF64: return build_to_half<Half, DType::kF64>(arena);
    case DType::kI32: return build_to_half<Half, DType::kI32>(arena);
    case DType::kU32: return build_to_half<Half, DType::kU32>(arena);
    case DType::kI64: return build_to_half<Half, DType::kI64>(arena);
    case DType::kU64: return build_to_half<Half, DType::kU64>(arena);
    default: fail(Code::kInternal, "no function makes ", name(Half), " of ", name(from));
  }
}

template <DType D, class Int>
const Function* build_clamp_index(Arena& arena) {
  std::string made = cat(kClampIndex, name(D));
  if (const Function* known = arena.find_function(made)) return known;
  return IrMath::record<D, D>(arena, std::move(made), [](auto index, auto size) {
    const auto zero = literal<D>(Int{0}), from_start = IrMath::select(index < zero, index + size, index);
    const auto at_least_0 = IrMath::select(from_start < zero, zero, from_start);
    return IrMath::select(at_least_0 < size, at_least_0, size - literal<D>(Int{1}));
  });
}

template <DType D>
ExtremeOfNumbers build_extreme_of_numbers(Arena& arena, bool is_greatest) {
  using Math = math::ExactFunctions<IrMath, D>;
  const auto made = [&](std::string_view name, auto record) {
    std::string full = cat(name, "_", harp::name(D));
    const Function* known = arena.find_function(full);
    return known != nullptr ? known : record(std::move(full));
  };
  const auto extreme = [&](std::string name) {
    return IrMath::record<D, D>(arena, std::move(name),
                                [&](auto a, auto b) { return is_greatest ? Math::greater_number(a, b) : Math::lesser_number(a, b); });
  };
  const auto found_nan = [&](std::string name) {
    return IrMath::record<D, D, D>(arena, std::move(name), [](auto found, auto a, auto b) { return Math::found_nan(found, a, b); });
  };
  const auto in_register = [&](std::string name) { return IrMath::record<D>(arena, std::move(name), [](auto x) { return x; }); };
  return {made(is_greatest ? "greater_number" : "lesser_number", extreme), made("found_nan", found_nan), made("in_register", in_register)};
}

template <DType D>
FlaggedMaximum build_flagged_maximum(Arena& arena) {
  using Math = math::ExactFunctions<IrMath, D>;
  const auto made = [&](std::string_view name, auto record) {
    std::string full = cat(name, "_", harp::name(D));
    const Function* known = arena.find_function(full);
    return known != nullptr ? known : record(std::move(full));
  };
  const auto greater = [&](std::string name) {
    return IrMath::record<D, D>(arena, std::move(name), [](auto a, auto b) { return Math::first_if_greater(a, b); });
  };
  const auto checked = [&](std::string name) { return IrMath::record<D>(arena, std::move(name), [](auto x) { return x; }); };
  return {made("watched_greater", greater), made("watched_result", checked)};
}

/// Takes a and b as pairs of signed 16-bit integers. Returns the product of the two low halves plus the product of the two high halves.
Value<DType::kI32> sum_of_pairs(Value<DType::kI32> a, Value<DType::kI32> b) {
  const auto half = IrMath::i32(16);
  return ((a << half) >> half) * ((b << half) >> half) + (a >> half) * (b >> half);
}

}  // namespace

ExtremeOfNumbers build_extreme_of_numbers(Arena& arena, Op op, DType dtype) {
  const bool is_greatest = op == Op::kMax;
  return dtype == DType::kF32 ? build_extreme_of_numbers<DType::kF32>(arena, is_greatest)
                              : build_extreme_of_numbers<DType::kF64>(arena, is_greatest);
}

FlaggedMaximum build_flagged_maximum(Arena& arena, DType dtype) {
  return dtype == DType::kF32 ? build_flagged_maximum<DType::kF32>(arena) : build_flagged_maximum<DType::kF64>(arena);
}

const Function* build_clamp_index(Arena& arena, DType dtype) {
  return dtype == DType::kI32 ? build_clamp_index<DType::kI32, int32_t>(arena) : build_clamp_index<DType::kI64, int64_t>(arena);
}

const Function* build_sum_of_pairs(Arena& arena) {
  if (const Function* known = arena.find_function(kSumOfPairs)) return known;
  return IrMath::record<DType::kI32, DType::kI32>(arena, std::string(kSumOfPairs), [](auto a, auto b) { return sum_of_pairs(a, b); });
}

const Function* build_add_pairs(Arena& arena) {
  if (const Function* known = arena.find_function(kAddPairs)) return known;
  return IrMath::record<DType::kI32, DType::kI32, DType::kI32>(arena, std::string(kAddPairs),
                                                               [](auto sum, auto a, auto b) { return sum + sum_of_pairs(a, b); });
}

const Function* build_add_quads(Arena& arena) {
  if (const Function* known = arena.find_function(kAddQuads)) return known;
  return IrMath::record<DType::kI32, DType::kI32, DType::kI32>(arena, std::string(kAddQuads), [](auto sum, auto a, auto b) {
    constexpr int kBits = 8, kTop = 24;  // kBits: number of bits in a byte; kTop: position of the lowest bit of the highest byte
    for (int shift = 0; shift <= kTop; shift += kBits) {
      const auto from_a = shift == 0 ? a : a >> IrMath::i32(shift), from_b = shift == kTop ? b : b << IrMath::i32(kTop - shift);
      sum = sum + (from_a & IrMath::i32((1 << kBits) - 1)) * (from_b >> IrMath::i32(kTop));
    }
    return sum;
  });
}

const Function* build_function(Arena& arena, Op op, DType dtype) {
  const Builder builder = kBuilders[static_cast<size_t>(op)][static_cast<size_t>(dtype)];
  HARP_ASSERT(builder != nullptr, "no function for ", name(op), " of ", name(dtype));
  return builder(arena);
}

bool is_small(const Function& function) {
  constexpr size_t kSmall = 16;
  std::vector<const UOp*> all = {function.body};
  for (size_t i = 0; i < all.size() && all.size() <= kSmall; ++i) {
    if (all[i]->kind == UKind::kCall || all[i]->kind == UKind::kRarely || all[i]->kind == UKind::kTable) return false;
    for (const UOp* source : all[i]->sources)
      if (std::find(all.begin(), all.end(), source) == all.end()) all.push_back(source);
  }
  return all.size() <= kSmall;
}

const Function* build_conversion(Arena& arena, DType from, DType to) {
  if (is_half(from)) return from == DType::kF16 ? build_from_half<DType::kF16>(arena, to) : build_from_half<DType::kBF16>(arena, to);
  return to == DType::kF16 ? build_to_half<DType::kF16>(arena, from) : build_to_half<DType::kBF16>(arena, from);
}

}  // namespace harp::ir
