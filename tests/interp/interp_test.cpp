// Compares the interpreter's elementwise ops and conversions with values computed by hand: every op in every dtype that it accepts, special
// values first. (The functions of ops/math.h have accuracy tests of their own; here they are compared with the C library.)
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include "interp/gather.h"
#include "interp/kernels.h"
#include "interp/sort.h"
#include "support/interp_run.h"

using namespace harp;
using namespace harp::testing;

namespace {

using F = std::vector<float>;
using D = std::vector<double>;
using I = std::vector<int32_t>;
using L = std::vector<int64_t>;
using B = std::vector<uint8_t>;

constexpr float kNanF = kNan<float>, kInfF = kInf<float>;

/// Checks an operation of one operand with the same values in both float dtypes, f32 and f64.
void check_floats(Op op, const D& x, const D& expected) {
  CAPTURE(name(op));
  CHECK(same(apply<double>(op, x), expected));
  CHECK(same(apply<float>(op, F(x.begin(), x.end())), F(expected.begin(), expected.end())));
}
void check_floats(Op op, const D& x, const D& y, const D& expected) {
  CAPTURE(name(op));
  CHECK(same(apply<double>(op, x, y), expected));
  CHECK(same(apply<float>(op, F(x.begin(), x.end()), F(y.begin(), y.end())), F(expected.begin(), expected.end())));
}
void check_float_predicate(Op op, const D& x, const D& y, const B& expected) {
  CAPTURE(name(op));
  CHECK(apply<uint8_t>(op, x, y) == expected);
  CHECK(apply<uint8_t>(op, F(x.begin(), x.end()), F(y.begin(), y.end())) == expected);
}
/// Checks an operation of two operands with the same values in both integer dtypes, i32 and i64. The values fit in 32 bits.
void check_ints(Op op, const L& x, const L& y, const L& expected) {
  CAPTURE(name(op));
  CHECK(apply<int64_t>(op, x, y) == expected);
  CHECK(apply<int32_t>(op, I(x.begin(), x.end()), I(y.begin(), y.end())) == I(expected.begin(), expected.end()));
}

/// Checks that results are within `ulp` units in the last place of the C library's result in double, rounded to T.
template <class T>
void check_function(Op op, double (*reference)(double), const std::vector<T>& x) {
  const std::vector<T> y = apply<T>(op, x);
  for (size_t i = 0; i < x.size(); ++i) {
    const T expected = static_cast<T>(reference(static_cast<double>(x[i])));
    CAPTURE(name(op));
    CAPTURE(x[i]);
    CAPTURE(y[i]);
    CAPTURE(expected);
    if (std::isnan(expected) || std::isinf(expected) || expected == 0)
      CHECK(same(y[i], expected));
    else
      CHECK(std::abs(y[i] - expected) <= 3 * (std::nextafter(std::abs(expected), kInf<T>) - std::abs(expected)));
  }
}
template <class T>
void check_function(Op op, double (*reference)(double)) {
  check_function<T>(op, reference,
                    {T(0), T(-0.0), T(0.25), T(-0.25), T(0.5), T(0.75), T(-0.75), T(1), T(-1), T(1.5), T(3), T(-3), T(10), T(100.25),
                     T(1e-3), T(-1e-20), kInf<T>, -kInf<T>, kNan<T>});
}

}  // namespace

TEST_CASE("G2.neg,abs,recip,sqrt,add,mul,div/interp: arithmetic on floats is IEEE's") {
  const D x = {0.0, -0.0, 1.5, -2.0, kInf<double>, -kInf<double>, kNan<double>};
  check_floats(Op::kNeg, x, {-0.0, 0.0, -1.5, 2.0, -kInf<double>, kInf<double>, kNan<double>});
  check_floats(Op::kAbs, x, {0.0, 0.0, 1.5, 2.0, kInf<double>, kInf<double>, kNan<double>});
  check_floats(Op::kSign, x, {0.0, -0.0, 1.0, -1.0, 1.0, -1.0, kNan<double>});
  check_floats(Op::kRecip, {0.0, -0.0, 4.0, -0.5, kInf<double>, -kInf<double>, kNan<double>},
               {kInf<double>, -kInf<double>, 0.25, -2.0, 0.0, -0.0, kNan<double>});
  check_floats(Op::kSqrt, {0.0, -0.0, 4.0, 2.25, kInf<double>, -1.0, kNan<double>},
               {0.0, -0.0, 2.0, 1.5, kInf<double>, kNan<double>, kNan<double>});
  check_floats(Op::kAdd, {0.0, -0.0, 1.5, kInf<double>, kNan<double>}, {-0.0, -0.0, 2.25, -kInf<double>, 1.0},
               {0.0, -0.0, 3.75, kNan<double>, kNan<double>});
  check_floats(Op::kMul, {0.0, -0.0, 1.5, kInf<double>, kNan<double>}, {-1.0, -1.0, 2.0, 0.0, 1.0},
               {-0.0, 0.0, 3.0, kNan<double>, kNan<double>});
  check_floats(Op::kDiv, {1.0, -1.0, 0.0, 7.0, kInf<double>}, {0.0, 0.0, 0.0, 2.0, kInf<double>},
               {kInf<double>, -kInf<double>, kNan<double>, 3.5, kNan<double>});
  CHECK(same(apply<float>(Op::kDiv, F{1.0f}, F{3.0f}), F{1.0f / 3.0f}));
  // Subnormal operands and results are not replaced by zero.
  CHECK(same(apply<float>(Op::kAdd, F{1e-45f}, F{1e-45f}), F{3e-45f}));
  CHECK(same(apply<float>(Op::kMul, F{1e-40f}, F{0.5f}), F{5e-41f}));
  // (1 + 2^-12)^2 - 1: fma rounds once; a multiplication followed by an addition rounds twice.
  const float a = 1.000244140625f;
  CHECK(same(apply<float>(Op::kFma, F{a}, F{a}, F{-1.0f}), F{0.00048834085464477539f}));
  CHECK(same(apply<double>(Op::kFma, D{0.1}, D{10.0}, D{-1.0}), D{5.5511151231257827e-17}));
}

TEST_CASE("G2.floor,ceil,round/interp: rounding") {
  const D x = {-2.5, -1.5, -0.5, -0.0, 0.0, 0.5, 1.5, 2.5, 0.49999999, 3e9, kInf<double>, kNan<double>};
  check_floats(Op::kFloor, x, {-3, -2, -1, -0.0, 0.0, 0.0, 1, 2, 0.0, 3e9, kInf<double>, kNan<double>});
  check_floats(Op::kCeil, x, {-2, -1, -0.0, -0.0, 0.0, 1, 2, 3, 1, 3e9, kInf<double>, kNan<double>});
  check_floats(Op::kTrunc, x, {-2, -1, -0.0, -0.0, 0.0, 0.0, 1, 2, 0.0, 3e9, kInf<double>, kNan<double>});
  check_floats(Op::kRound, x, {-2, -2, -0.0, -0.0, 0.0, 0.0, 2, 2, 0.0, 3e9, kInf<double>, kNan<double>});
}

TEST_CASE("G2.max,min,idiv,rem,fmod/interp: maximum, minimum, copysign, division of floats") {
  const double nan = kNan<double>, inf = kInf<double>;
  check_floats(Op::kMax, {-0.0, 0.0, 1, nan, 2, -inf, nan}, {0.0, -0.0, 2, 1, nan, -1, nan}, {0.0, 0.0, 2, nan, nan, -1, nan});
  check_floats(Op::kMin, {-0.0, 0.0, 1, nan, 2, -inf, nan}, {0.0, -0.0, 2, 1, nan, -1, nan}, {-0.0, -0.0, 1, nan, nan, -inf, nan});
  // docs/semantics.md does not define the sign of a NaN; copysign treats a NaN as positive.
  check_floats(Op::kCopysign, {1.5, -1.5, 0.0, 2.0, -2.0, -3.0}, {-0.0, 0.0, -1.0, nan, -nan, -inf}, {-1.5, 1.5, -0.0, 2.0, 2.0, -3.0});
  check_floats(Op::kIdiv, {7, -7, 7, -7, 6, -0.5}, {2, 2, -2, -2, 3, 1}, {3, -4, -4, 3, 2, -1});
  check_floats(Op::kRem, {7, -7, 7, -7, 6, 5.5, 1}, {4, 4, -4, -4, 3, 2, 0.0}, {3, 1, -1, -3, 0.0, 1.5, nan});
  check_floats(Op::kFmod, {7, -7, 7, -7, 5.5, 1, inf}, {4, 4, -4, -4, 2, 0.0, 2}, {3, -3, 3, -3, 1.5, nan, nan});
}

TEST_CASE("G2.lt,le,eq,ne/interp: comparisons and isnan") {
  const double nan = kNan<double>, inf = kInf<double>;
  const D x = {1, 2, -0.0, nan, nan, inf}, y = {2, 1, 0.0, 1, nan, inf};
  check_float_predicate(Op::kLt, x, y, {1, 0, 0, 0, 0, 0});
  check_float_predicate(Op::kLe, x, y, {1, 0, 1, 0, 0, 1});
  check_float_predicate(Op::kEq, x, y, {0, 0, 1, 0, 0, 1});
  check_float_predicate(Op::kNe, x, y, {1, 1, 0, 1, 1, 0});
  CHECK(apply<uint8_t>(Op::kIsNan, D{1, nan, -inf}) == B{0, 1, 0});
  CHECK(apply<uint8_t>(Op::kIsNan, F{1, kNanF, -kInfF}) == B{0, 1, 0});
  const B a = {0, 0, 1, 1}, b = {0, 1, 0, 255};
  CHECK(apply<uint8_t>(Op::kLt, a, b) == B{0, 1, 0, 0});
  CHECK(apply<uint8_t>(Op::kLe, a, b) == B{1, 1, 0, 1});
  CHECK(apply<uint8_t>(Op::kEq, a, b) == B{1, 0, 0, 1});
  CHECK(apply<uint8_t>(Op::kNe, a, b) == B{0, 1, 1, 0});
  CHECK(apply<uint8_t>(Op::kMax, a, b) == B{0, 1, 1, 1});
  CHECK(apply<uint8_t>(Op::kMin, a, b) == B{0, 0, 0, 1});
  for (const auto& [op, expected] :
       std::vector<std::pair<Op, B>>{{Op::kLt, {1, 0, 0}}, {Op::kLe, {1, 1, 0}}, {Op::kEq, {0, 1, 0}}, {Op::kNe, {1, 0, 1}}}) {
    CHECK(apply<uint8_t>(op, I{-5, 3, INT32_MAX}, I{4, 3, INT32_MIN}) == expected);
    CHECK(apply<uint8_t>(op, L{-5, 3, INT64_MAX}, L{4, 3, INT64_MIN}) == expected);
  }
}

TEST_CASE("G2.add,mul,neg,abs,idiv,rem,fmod,max,min,pow/interp: integers wrap and never trap") {
  CHECK(apply<int32_t>(Op::kAdd, I{INT32_MAX, INT32_MIN}, I{1, -1}) == I{INT32_MIN, INT32_MAX});
  CHECK(apply<int64_t>(Op::kAdd, L{INT64_MAX, INT64_MIN}, L{1, -1}) == L{INT64_MIN, INT64_MAX});
  CHECK(apply<int32_t>(Op::kMul, I{65536, INT32_MIN, -7}, I{65536, -1, 6}) == I{0, INT32_MIN, -42});
  CHECK(apply<int64_t>(Op::kMul, L{INT64_C(1) << 32, INT64_MIN, -7}, L{INT64_C(1) << 32, -1, 6}) == L{0, INT64_MIN, -42});
  CHECK(apply<int32_t>(Op::kNeg, I{5, INT32_MIN}) == I{-5, INT32_MIN});
  CHECK(apply<int64_t>(Op::kNeg, L{5, INT64_MIN}) == L{-5, INT64_MIN});
  CHECK(apply<int32_t>(Op::kAbs, I{-5, 5, INT32_MIN}) == I{5, 5, INT32_MIN});
  CHECK(apply<int64_t>(Op::kAbs, L{-5, 5, INT64_MIN}) == L{5, 5, INT64_MIN});
  CHECK(apply<int32_t>(Op::kSign, I{-5, 5, 0, INT32_MIN}) == I{-1, 1, 0, -1});
  CHECK(apply<int64_t>(Op::kSign, L{-5, 5, 0, INT64_MIN}) == L{-1, 1, 0, -1});

  const L x = {7, -7, 7, -7, 6, 5, 0, -1}, y = {2, 2, -2, -2, 3, 0, 0, 5};
  check_ints(Op::kIdiv, x, y, {3, -4, -4, 3, 2, 0, 0, -1});
  check_ints(Op::kRem, x, y, {1, 1, -1, -1, 0, 0, 0, 4});
  check_ints(Op::kFmod, x, y, {1, -1, 1, -1, 0, 0, 0, -1});
  check_ints(Op::kMax, x, y, {7, 2, 7, -2, 6, 5, 0, 5});
  check_ints(Op::kMin, x, y, {2, -7, -2, -7, 3, 0, 0, -1});
  check_ints(Op::kPow, {2, -3, 5, 0, 1, -1, 2, -1}, {10, 3, 0, 0, -4, -3, -1, -2}, {1024, -27, 1, 1, 1, -1, 0, 1});
  for (const Op op : {Op::kIdiv, Op::kRem, Op::kFmod}) {
    CHECK(apply<int32_t>(op, I{INT32_MIN}, I{-1}) == I{op == Op::kIdiv ? INT32_MIN : 0});
    CHECK(apply<int64_t>(op, L{INT64_MIN}, L{-1}) == L{op == Op::kIdiv ? INT64_MIN : 0});
  }
}

TEST_CASE("G2.bitwise_and,bitwise_or,bitwise_xor,bitwise_not,left_shift,right_shift/interp: bits") {
  check_ints(Op::kBitAnd, {12, -1, 5}, {10, 7, 2}, {8, 7, 0});
  check_ints(Op::kBitOr, {12, -1, 5}, {10, 7, 2}, {14, -1, 7});
  check_ints(Op::kBitXor, {12, -1, 5}, {10, 7, 2}, {6, -8, 7});
  CHECK(apply<int32_t>(Op::kBitNot, I{0, 5}) == I{-1, -6});
  CHECK(apply<int64_t>(Op::kBitNot, L{0, 5}) == L{-1, -6});
  CHECK(apply<uint8_t>(Op::kBitNot, B{0, 1, 9}) == B{1, 0, 0});
  CHECK(apply<uint8_t>(Op::kBitAnd, B{0, 1, 2}, B{1, 1, 4}) == B{0, 1, 1});  // 2 and 4 are true, like every byte except 0
  CHECK(apply<uint8_t>(Op::kBitOr, B{0, 0, 2}, B{0, 1, 4}) == B{0, 1, 1});
  CHECK(apply<uint8_t>(Op::kBitXor, B{0, 1, 2}, B{1, 1, 4}) == B{1, 0, 0});
  // Shift counts are taken modulo the number of bits; right shifts keep the sign.
  CHECK(apply<int32_t>(Op::kShl, I{1, 1, 1, 3}, I{4, 32, -1, 31}) == I{16, 1, INT32_MIN, INT32_MIN});
  CHECK(apply<int32_t>(Op::kShr, I{-8, -8, 64, INT32_MIN}, I{1, 33, 3, -1}) == I{-4, -4, 8, -1});
  CHECK(apply<int64_t>(Op::kShl, L{1, 1, 1}, L{40, 64, -1}) == L{INT64_C(1) << 40, 1, INT64_MIN});
  CHECK(apply<int64_t>(Op::kShr, L{-8, -8, INT64_MIN}, L{1, 65, -1}) == L{-4, -4, -1});
}

TEST_CASE("G2.where/interp: where picks bits") {
  const B c = {1, 0, 2};
  CHECK(apply<uint8_t>(Op::kWhere, c, B{0, 1, 1}, B{1, 0, 0}) == B{0, 0, 1});
  CHECK(apply<int32_t>(Op::kWhere, c, I{1, 2, 3}, I{4, 5, 6}) == I{1, 5, 3});
  CHECK(apply<int64_t>(Op::kWhere, c, L{1, 2, 3}, L{4, 5, 6}) == L{1, 5, 3});
  CHECK(same(apply<float>(Op::kWhere, c, F{-0.0f, 2, kNanF}, F{4, -kInfF, 6}), F{-0.0f, -kInfF, kNanF}));
  CHECK(same(apply<double>(Op::kWhere, c, D{-0.0, 2, 3}, D{4, -5, 6}), D{-0.0, -5, 3}));
}

TEST_CASE("G2.exp,exp2,log,log2,sin,cos,tanh,erf,pow,atan2/interp: functions agree with the C library") {
  struct Row {
    Op op;
    double (*reference)(double);
  };
  const Row rows[] = {
      {Op::kExp, std::exp},     {Op::kExp2, std::exp2},   {Op::kExpm1, std::expm1}, {Op::kLog, std::log},     {Op::kLog2, std::log2},
      {Op::kLog10, std::log10}, {Op::kLog1p, std::log1p}, {Op::kSin, std::sin},     {Op::kCos, std::cos},     {Op::kTan, std::tan},
      {Op::kAsin, std::asin},   {Op::kAcos, std::acos},   {Op::kAtan, std::atan},   {Op::kSinh, std::sinh},   {Op::kCosh, std::cosh},
      {Op::kTanh, std::tanh},   {Op::kAsinh, std::asinh}, {Op::kAcosh, std::acosh}, {Op::kAtanh, std::atanh}, {Op::kErf, std::erf},
      {Op::kErfc, std::erfc},   {Op::kCbrt, std::cbrt},
  };
  std::set<Op> checked;
  for (const Row& row : rows) {
    check_function<float>(row.op, row.reference);
    check_function<double>(row.op, row.reference);
    checked.insert(row.op);
  }
  // The list of tested functions must contain every function of the op table that has one float operand and is not exact.
  for (int i = 0; i < kOpCount; ++i)
    if (kOps[i].arity == 1 && (kOps[i].operands == Operands::kFloat || kOps[i].operands == Operands::kField) && (kOps[i].flags & kFunction))
      CHECK(checked.count(static_cast<Op>(i)) == 1);

  const double inf = kInf<double>, nan = kNan<double>;
  check_floats(Op::kPow, {2, 9, -8, 0.0, -0.0, 1, -1, 2, nan, -2, 0.5}, {10, 0.5, 3, -1, -3, nan, inf, -inf, 0.0, 0.5, -inf},
               {1024, 3, -512, inf, -inf, 1, 1, 0.0, 1, nan, inf});
  check_floats(Op::kHypot, {3, -5, inf, nan, 0.0}, {4, 12, nan, -inf, -0.0}, {5, 13, inf, inf, 0.0});
  check_floats(Op::kAtan2, {0.0, -0.0, 0.0, 1, nan}, {1, 1, 0.0, inf, 1}, {0.0, -0.0, 0.0, 0.0, nan});
  CHECK(apply<double>(Op::kAtan2, D{1}, D{-1})[0] == doctest::Approx(2.356194490192345));
  CHECK(apply<float>(Op::kAtan2, F{-1}, F{0})[0] == doctest::Approx(-1.5707964f));
}

namespace {

template <class To, class From>
std::vector<To> convert(const Node* (*build)(const Node*, DType), const std::vector<From>& x) {
  Graph graph;
  const Node* node = graph.add_input("x", dtype_of<From>(), {Dim(static_cast<int64_t>(x.size()))});
  graph.add_output("y", build(node, dtype_of<To>()));
  return values_of<To>(run(graph, {bytes_of(x)})[0]);
}
template <class To, class From>
std::vector<To> cast(const std::vector<From>& x) {
  return convert<To>(build::cast, x);
}
template <class To, class From>
std::vector<To> bitcast(const std::vector<From>& x) {
  return convert<To>(build::bitcast, x);
}

}  // namespace

TEST_CASE("G12.cast,cast_truncates/interp: casts truncate, saturate and round to nearest even") {
  const F f = {1.9f, -1.9f, 3e9f, -3e9f, kNanF, -0.0f, 2147483520.0f, -kInfF, 1e30f};
  CHECK(cast<int32_t>(f) == I{1, -1, INT32_MAX, INT32_MIN, 0, 0, 2147483520, INT32_MIN, INT32_MAX});
  CHECK(cast<int64_t>(f) == L{1, -1, 3000000000, -3000000000, 0, 0, 2147483520, INT64_MIN, INT64_MAX});
  CHECK(cast<uint8_t>(f) == B{1, 1, 1, 1, 1, 0, 1, 1, 1});  // NaN != 0
  CHECK(same(cast<double>(f), D(f.begin(), f.end())));
  const D d = {2147483647.9, 2147483648.0, -2147483648.9, -2147483649.0, 9.3e18, kNan<double>, 0.1, 1e300, -0.0};
  CHECK(cast<int32_t>(d) == I{INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MAX, 0, 0, INT32_MAX, 0});
  CHECK(cast<int64_t>(d) == L{2147483647, 2147483648, -2147483648, -2147483649, INT64_MAX, 0, 0, INT64_MAX, 0});
  CHECK(same(cast<float>(d), F{2147483648.0f, 2147483648.0f, -2147483648.0f, -2147483648.0f, 9.3e18f, kNanF, 0.1f, kInfF, -0.0f}));
  CHECK(cast<uint8_t>(d) == B{1, 1, 1, 1, 1, 1, 1, 1, 0});
  const I i = {0, -1, 16777217, 16777219, INT32_MIN};
  CHECK(same(cast<float>(i), F{0, -1, 16777216, 16777220, -2147483648.0f}));  // ties to even
  CHECK(same(cast<double>(i), D{0, -1, 16777217, 16777219, -2147483648.0}));
  CHECK(cast<int64_t>(i) == L{0, -1, 16777217, 16777219, INT32_MIN});
  CHECK(cast<uint8_t>(i) == B{0, 1, 1, 1, 1});
  const L l = {(INT64_C(1) << 53) + 1, (INT64_C(1) << 32) + 5, INT64_MIN, 0};
  CHECK(same(cast<double>(l), D{9007199254740992.0, 4294967301.0, -9223372036854775808.0, 0}));
  CHECK(same(cast<float>(l), F{9007199254740992.0f, 4294967296.0f, -9223372036854775808.0f, 0}));
  CHECK(cast<int32_t>(l) == I{1, 5, 0, 0});  // wraps around
  CHECK(cast<uint8_t>(l) == B{1, 1, 1, 0});
  const B b = {0, 1, 128};
  CHECK(same(cast<float>(b), F{0, 1, 1}));
  CHECK(same(cast<double>(b), D{0, 1, 1}));
  CHECK(cast<int32_t>(b) == I{0, 1, 1});
  CHECK(cast<int64_t>(b) == L{0, 1, 1});
}

TEST_CASE("G12.bitcast/interp: bitcasts keep bits but for NaN") {
  CHECK(bitcast<int32_t>(F{1.0f, -0.0f, kInfF}) == I{0x3f800000, INT32_MIN, 0x7f800000});
  CHECK(bitcast<int64_t>(D{1.0, -0.0}) == L{0x3ff0000000000000, INT64_MIN});
  CHECK(same(bitcast<float>(I{0x40490fdb}), F{3.14159274f}));
  CHECK(same(bitcast<double>(L{0x400921fb54442d18}), D{3.141592653589793}));
  // The bits of any NaN are those of the positive quiet NaN.
  CHECK(bitcast<int32_t>(F{-kNanF, std::bit_cast<float>(0x7f800001)}) == I{0x7fc00000, 0x7fc00000});
  CHECK(bitcast<int64_t>(D{-kNan<double>, std::bit_cast<double>(INT64_C(0x7ff0000000000001))}) ==
        L{0x7ff8000000000000, 0x7ff8000000000000});
}

TEST_CASE("G11: constants and rank-0 operands reach every element") {
  Graph graph;
  const Node* x = graph.add_input("x", DType::kF32, {2, 3});
  const int axes[] = {1, 0};
  const Node* half = build::constant(graph, scalar_from_double(DType::kF32, 0.5));
  graph.add_output("y", build::elementwise(Op::kMul, {build::permute(x, axes), half}));
  graph.add_output("half", half);
  const std::vector<Bytes> outputs = run(graph, {bytes_of<float>({2, 4, 6, 8, 10, 12})});
  CHECK(values_of<float>(outputs[0]) == F{1, 4, 2, 5, 3, 6});
  CHECK(values_of<float>(outputs[1]) == F{0.5f});
}

TEST_CASE("X2: the interpreter's loops for machines with and without fma give the same bits") {
  if (interp::this_machine() == interp::kAnyMachine) return;
  const interp::KernelTable* const tables[] = {&interp::kUnaryKernels, &interp::kBinaryKernels, &interp::kTernaryKernels};
  constexpr int64_t kCount = 700;  // more than two of the interpreter's blocks of elements, and a partial block
  std::mt19937_64 random(7);
  std::vector<uint64_t> words(4 * kCount);
  for (uint64_t& word : words) word = random();
  for (int i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    if (info(op).family != Family::kElementwise) continue;
    for (int d = 0; d < kDTypeCount; ++d) {
      const DType dtype = static_cast<DType>(d);
      const auto& kernels = (*tables[info(op).arity - 1])[i][d];
      CHECK((kernels[0] != nullptr) == (info(dtype).in_graph && has_nodes_of(op, dtype) && works_in(op, dtype) == dtype));
      if (kernels[0] == nullptr) continue;
      interp::Run run{};
      std::vector<Bytes> sources;
      for (size_t k = 0; k < static_cast<size_t>(info(op).arity); ++k) {
        const DType source = interp::source_dtype(op, dtype, k);
        Bytes bytes(2 * kCount * size_of(source));
        std::memcpy(bytes.data(), words.data() + k * kCount / 2, bytes.size());
        if (is_bool(source))
          for (std::byte& byte : bytes) byte &= std::byte{1};
        sources.push_back(std::move(bytes));
        run.sources[k] = sources[k].data();
        run.steps[k] = static_cast<int64_t>((k + 1) % 3);  // the strides of the sources: 1, 2, 0
      }
      const DType result = interp::result_dtype(op, dtype);
      Bytes a(kCount * size_of(result)), b(a.size());
      kernels[interp::kAnyMachine](a.data(), run, kCount);
      kernels[interp::kFmaMachine](b.data(), run, kCount);
      CAPTURE(name(op));
      CAPTURE(name(dtype));
      CHECK(canonical(a, result) == canonical(b, result));
    }
  }
}

namespace {

/// Calls work(checks, step), which must call step() for each element in a loop. The first call of step() sets the cancel flag. Returns the
/// number of calls until the work was cancelled, or -1 if it was not cancelled.
template <class Work>
int64_t steps_until_cancelled(Work work) {
  const SymTable dims;
  int32_t flag = 0;
  int64_t steps = 0;
  const interp::Sizes sizes(dims, {}, &flag);
  interp::CancelChecks checks(sizes);
  try {
    work(checks, [&] {
      flag = 1;
      ++steps;
    });
  } catch (const Error& e) {
    REQUIRE(e.code == Code::kCancelled);
    return steps;
  }
  return -1;
}

}  // namespace

TEST_CASE("X8.cancel_run: the interpreter's loops look after the same amount of work, however it is divided") {
  constexpr int64_t kAtMost = 1 << 17;
  const auto in_rows_of = [](int64_t length) {
    return steps_until_cancelled([&](interp::CancelChecks& checks, auto step) {
      for (int64_t row = 0; row < 10 * kAtMost / length; ++row)
        checks.in_parts(length, [&](int64_t, int64_t count) {
          for (int64_t i = 0; i < count; ++i) step();
        });
    });
  };
  for (const int64_t length : {int64_t{1}, int64_t{100}, int64_t{100'000}, 10 * kAtMost}) {
    CAPTURE(length);
    CHECK(in_rows_of(length) > 0);
    CHECK(in_rows_of(length) <= kAtMost);
  }
  std::vector<uint32_t> row(size_t{1} << 20);
  std::mt19937 engine(3);
  for (uint32_t& value : row) value = engine();
  const int64_t comparisons = steps_until_cancelled([&](interp::CancelChecks& checks, auto step) {
    interp::stable_sort(
        row.data(), row.data() + row.size(),
        [step](uint32_t a, uint32_t b) {
          step();
          return a < b;
        },
        checks);
  });
  CHECK(comparisons > 0);
  CHECK(comparisons <= kAtMost);
}

TEST_CASE("X8.cancel_run: the search for an index that is out of range looks too") {
  // These pages are never written, so they take no memory and read as zeros. Reading all of them takes a minute.
  constexpr int64_t kCount = int64_t{1} << 36;
  void* const zeros = ::mmap(nullptr, kCount, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(zeros != MAP_FAILED);
  int32_t flag = 0;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  });
  const SymTable dims;
  const interp::Sizes sizes(dims, {}, &flag);
  Code code = Code::kOk;
  try {
    interp::first_fault(interp::Array::borrow(DType::kI8, {kCount}, zeros), 1, sizes);
  } catch (const Error& e) {
    code = e.code;
  }
  canceller.join();
  ::munmap(zeros, kCount);
  CHECK(code == Code::kCancelled);
}
