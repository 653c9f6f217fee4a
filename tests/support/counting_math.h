// Defines CountingMath, a template argument for the function templates of ops/math.h. CountingMath computes the same results as ScalarMath
// and counts the operations. Its values are objects of a class, as in an IR builder: there are no implicit conversions, and a comparison
// does not give a bool on which a template could branch. Tests use it to check that the templates need nothing else, and to record the cost
// of each function.
#pragma once

#include "ops/scalar_math.h"

namespace harp {

struct OperationCounts {
  int simple = 0;  // + - *, comparisons, selects, bit operations, conversions: one instruction per vector
  int fma = 0;
  int divide = 0;  // divisions and square roots
  int table = 0;
  int rare = 0;  // branches for rare arguments; the operations inside such a branch are not counted
};

/// A number of CountingMath, the arithmetic that counts operations. It converts to nothing implicitly, so a template can only use operators
/// and CountingMath's functions.
template <DType D>
class CountedValue {
 public:
  using Native = ScalarMath::T<D>;
  explicit CountedValue(Native value) : value_(value) {}
  Native get() const { return value_; }

 private:
  Native value_;
};

struct CountingMath {
  static inline thread_local OperationCounts counts;

  template <DType D>
  using Value = CountedValue<D>;
  template <DType D>
  using T = CountedValue<D>;
  using Bool = CountedValue<DType::kBool>;

  template <DType D, class Native>
  static Value<D> simple(Native value) {
    ++counts.simple;
    return Value<D>(static_cast<ScalarMath::T<D>>(value));
  }

  static Value<DType::kF32> f32(float c) { return Value<DType::kF32>(c); }
  static Value<DType::kF64> f64(double c) { return Value<DType::kF64>(c); }
  static Value<DType::kI32> i32(int32_t c) { return Value<DType::kI32>(c); }
  static Value<DType::kU32> u32(uint32_t c) { return Value<DType::kU32>(c); }
  static Value<DType::kI64> i64(int64_t c) { return Value<DType::kI64>(c); }
  static Value<DType::kU64> u64(uint64_t c) { return Value<DType::kU64>(c); }
  template <DType D>
  static Value<D> integer(int64_t c) {
    return Value<D>(ScalarMath::integer<D>(c));
  }

  template <DType D>
  static Value<D> fma(Value<D> a, Value<D> b, Value<D> c) {
    ++counts.fma;
    return Value<D>(ScalarMath::fma(a.get(), b.get(), c.get()));
  }
  template <DType D>
  static Value<D> sqrt(Value<D> x) {
    ++counts.divide;
    return Value<D>(ScalarMath::sqrt(x.get()));
  }
#define HARP_UNARY(name)                         \
  template <DType D>                             \
  static Value<D> name(Value<D> x) {             \
    return simple<D>(ScalarMath::name(x.get())); \
  }
  HARP_UNARY(abs)
  HARP_UNARY(floor)
  HARP_UNARY(ceil)
  HARP_UNARY(trunc)
  HARP_UNARY(rint)
#undef HARP_UNARY

  template <DType D>
  static Value<D> select(Bool condition, Value<D> a, Value<D> b) {
    return simple<D>(condition.get() ? a.get() : b.get());
  }
  template <DType To, DType D>
  static Value<To> bitcast(Value<D> x) {  // not counted, because it needs no instruction
    return Value<To>(ScalarMath::bitcast<To>(x.get()));
  }
  template <DType To, DType D>
  static Value<To> cast(Value<D> x) {
    return simple<To>(ScalarMath::cast<To>(x.get()));
  }
  template <DType D>
  static Value<D> table(const MathTable& table, Value<DType::kI32> index) {
    ++counts.table;
    return Value<D>(ScalarMath::table<D>(table, index.get()));
  }
  template <class Function, class... Args>
  static auto named(std::string_view /*name*/, Function function, Args... args) {
    return function(args...);
  }
  template <DType D, class Function, class... Args>
  static Value<D> rarely(std::string_view /*name*/, Bool condition, Value<D> common, Function rare, Args... args) {
    ++counts.rare;
    if (!condition.get()) return common;
    const OperationCounts before = counts;
    Value<D> result = rare(args...);
    counts = before;
    return result;
  }
};

#define HARP_OPERATOR(op)                                             \
  template <DType D>                                                  \
  CountedValue<D> operator op(CountedValue<D> a, CountedValue<D> b) { \
    return CountingMath::simple<D>(a.get() op b.get());               \
  }
HARP_OPERATOR(+)
HARP_OPERATOR(-)
HARP_OPERATOR(*)
HARP_OPERATOR(%)
HARP_OPERATOR(^)
HARP_OPERATOR(<<)
HARP_OPERATOR(>>)
#undef HARP_OPERATOR
// The operands are stored in variables first, because clang warns about & between two calls that return bool.
template <DType D>
CountedValue<D> operator&(CountedValue<D> a, CountedValue<D> b) {
  const ScalarMath::T<D> left = a.get(), right = b.get();
  return CountingMath::simple<D>(left & right);
}
template <DType D>
CountedValue<D> operator|(CountedValue<D> a, CountedValue<D> b) {
  const ScalarMath::T<D> left = a.get(), right = b.get();
  return CountingMath::simple<D>(left | right);
}
#define HARP_COMPARISON(op)                                                      \
  template <DType D>                                                             \
  CountedValue<DType::kBool> operator op(CountedValue<D> a, CountedValue<D> b) { \
    return CountingMath::simple<DType::kBool>(a.get() op b.get());               \
  }
HARP_COMPARISON(<)
HARP_COMPARISON(<=)
HARP_COMPARISON(>)
HARP_COMPARISON(>=)
HARP_COMPARISON(==)
HARP_COMPARISON(!=)
#undef HARP_COMPARISON

template <DType D>
CountedValue<D> operator/(CountedValue<D> a, CountedValue<D> b) {
  ++CountingMath::counts.divide;
  return CountedValue<D>(static_cast<ScalarMath::T<D>>(a.get() / b.get()));
}
template <DType D>
CountedValue<D> operator-(CountedValue<D> a) {
  return CountingMath::simple<D>(-a.get());
}
template <DType D>
CountedValue<D> operator~(CountedValue<D> a) {
  return CountingMath::simple<D>(~a.get());
}
inline CountedValue<DType::kBool> operator!(CountedValue<DType::kBool> a) { return CountingMath::simple<DType::kBool>(!a.get()); }

}  // namespace harp
