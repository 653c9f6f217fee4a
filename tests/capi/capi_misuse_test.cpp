// Systematic tests of errors: calls every function of harp.h that builds a node with every kind of wrong argument. The message must begin
// with the operation that was called, never with a primitive of which it consists, and say what was given. The context can still be used,
// and harp_compile reports the graph's error. Each line is one misuse.
#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "support/capi_support.h"

using namespace capi_test;

namespace {

constexpr harp_dim kHuge = INT64_C(1) << 40;
const int32_t k0[] = {0}, k9[] = {9}, kTwice[] = {0, 0}, kEighteen[18] = {};
const harp_dim kMinus[] = {-7, -7}, kHuges[] = {kHuge, kHuge}, kThree[] = {3, 3, 3}, kTwo[] = {2, 2},
               kOnes[18] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
const int64_t kZeroStep[] = {0, 0}, kLeast[] = {INT64_MIN, INT64_MIN}, kGreatest[] = {INT64_MAX};

/// A graph with arrays of several dtypes and ranks, and a node and a size of another graph.
struct Bench {
  explicit Bench(harp_context* context) : graph(make_graph(context)), other(make_graph(context)) {
    g = graph.get();
    n = harp_dim_var(g, "n", 0, 100);
    const harp_dim two_three[] = {2, 3};
    const harp_dim symbolic[] = {n};
    x = harp_input(g, "x", HARP_F32, 2, two_three);
    d = harp_input(g, "d", HARP_F64, 2, two_three);
    i = harp_input(g, "i", HARP_I32, 2, two_three);
    b = harp_input(g, "b", HARP_BOOL, 2, two_three);
    s = harp_input(g, "s", HARP_F32, 1, symbolic);
    scalar = harp_input(g, "scalar", HARP_F32, 0, nullptr);
    std::vector<harp_dim> ones(16, 1);
    full_rank = harp_input(g, "r", HARP_F32, 16, ones.data());
    full_rank_ints = harp_input(g, "ri", HARP_I32, 16, ones.data());
    foreign = harp_input(other.get(), "foreign", HARP_F32, 2, two_three);
    foreign_size = harp_dim_var(other.get(), "f", 0, 9);
    const harp_dim long_axis[] = {INT64_C(1) << 50};
    long_array = harp_input(g, "long", HARP_F32, 1, long_axis);
  }
  Graph graph, other;
  harp_graph* g;
  harp_dim n, foreign_size;
  harp_node *x, *d, *i, *b, *s, *scalar, *full_rank, *full_rank_ints, *foreign, *long_array;
};

struct Misuse {
  const char* called;  // the beginning of the expected message
  harp_status code;
  const char* message;  // a part of the expected message
  std::function<void(Bench&)> call;
};

void check(const Misuse& misuse) {
  static const Context context = make_context();
  Bench bench(context.get());
  REQUIRE(harp_graph_error(bench.g) == nullptr);
  misuse.call(bench);
  const harp_error* error = harp_graph_error(bench.g);
  INFO(misuse.called, ", expected: ", misuse.message);
  REQUIRE(error != nullptr);
  const std::string message = harp_error_message(error);
  INFO(message);
  CHECK(harp_error_code(error) == misuse.code);
  const std::string called = misuse.called;
  CHECK(message.compare(0, called.size(), called) == 0);
  CHECK(!std::isalnum(static_cast<unsigned char>(message[called.size()])));
  CHECK(message.find(misuse.message) != std::string::npos);
  CHECK_MESSAGE(message.find(called + ":", 1) == std::string::npos, "the message names the operation twice");
  ErrorSlot err;
  CHECK(harp_compile(bench.g, nullptr, err) == nullptr);
  CHECK(err.message() == message);
}

constexpr harp_status kArgument = HARP_ERROR_INVALID_ARGUMENT, kShape = HARP_ERROR_SHAPE, kDType = HARP_ERROR_DTYPE,
                      kRange = HARP_ERROR_RANGE, kOverflow = HARP_ERROR_OVERFLOW;

using Unary = harp_node* (*)(harp_node*);
using Binary = harp_node* (*)(harp_node*, harp_node*);
using Reduction = harp_node* (*)(harp_node*, int32_t, const int32_t*, int32_t);

}  // namespace

TEST_CASE("C1: every unary function names itself in its errors") {
  const std::vector<std::pair<const char*, Unary>> of_floats = {
      {"recip", harp_recip},      {"sqrt", harp_sqrt},   {"rsqrt", harp_rsqrt},       {"cbrt", harp_cbrt},   {"floor", harp_floor},
      {"ceil", harp_ceil},        {"round", harp_round}, {"trunc", harp_trunc},       {"exp", harp_exp},     {"exp2", harp_exp2},
      {"expm1", harp_expm1},      {"log", harp_log},     {"log2", harp_log2},         {"log10", harp_log10}, {"log1p", harp_log1p},
      {"sin", harp_sin},          {"cos", harp_cos},     {"tan", harp_tan},           {"asin", harp_asin},   {"acos", harp_acos},
      {"atan", harp_atan},        {"sinh", harp_sinh},   {"cosh", harp_cosh},         {"tanh", harp_tanh},   {"asinh", harp_asinh},
      {"acosh", harp_acosh},      {"atanh", harp_atanh}, {"erf", harp_erf},           {"erfc", harp_erfc},   {"sigmoid", harp_sigmoid},
      {"silu", harp_silu},        {"selu", harp_selu},   {"softplus", harp_softplus}, {"isnan", harp_isnan}, {"isinf", harp_isinf},
      {"isfinite", harp_isfinite}};
  for (const auto& [name, function] : of_floats) {
    check({name, kDType, "i32", [&, f = function](Bench& t) { f(t.i); }});
    check({name, kDType, "bool", [&, f = function](Bench& t) { f(t.b); }});
  }
  const std::vector<std::pair<const char*, Unary>> of_numbers = {
      {"neg", harp_neg}, {"abs", harp_abs}, {"sign", harp_sign}, {"square", harp_square}, {"relu", harp_relu}};
  for (const auto& [name, function] : of_numbers) check({name, kDType, "bool", [&, f = function](Bench& t) { f(t.b); }});
  check({"bitwise_not", kDType, "f32", [](Bench& t) { harp_bitwise_not(t.x); }});
  check({"elu", kDType, "i32", [](Bench& t) { harp_elu(t.i, 1); }});
  check({"celu", kDType, "i32", [](Bench& t) { harp_celu(t.i, 1); }});
  check({"celu", kRange, "alpha is 0", [](Bench& t) { harp_celu(t.x, 0); }});
  check({"gelu", kDType, "i32", [](Bench& t) { harp_gelu(t.i, nullptr); }});
  check({"gelu", kArgument, "\"fast\"", [](Bench& t) { harp_gelu(t.x, "fast"); }});
  check({"powi", kDType, "bool", [](Bench& t) { harp_powi(t.b, 2); }});
  check({"powi", kRange, "-1", [](Bench& t) { harp_powi(t.i, -1); }});
  check({"cast", kDType, "99", [](Bench& t) { harp_cast(t.x, 99); }});
  check({"bitcast", kDType, "-1", [](Bench& t) { harp_bitcast(t.x, -1); }});
  check({"bitcast", kDType, "f64", [](Bench& t) { harp_bitcast(t.x, HARP_F64); }});
}

TEST_CASE("C1: every function of two and three operands names itself in its errors") {
  struct Row {
    const char* name;
    Binary function;
    bool any_dtype = false;  // true: the function accepts every combination of dtypes
  };
  const std::vector<Row> rows = {{"add", harp_add},
                                 {"sub", harp_sub},
                                 {"mul", harp_mul},
                                 {"div", harp_div},
                                 {"floor_divide", harp_floor_divide},
                                 {"remainder", harp_remainder},
                                 {"fmod", harp_fmod},
                                 {"maximum", harp_maximum},
                                 {"minimum", harp_minimum},
                                 {"pow", harp_pow},
                                 {"atan2", harp_atan2},
                                 {"hypot", harp_hypot},
                                 {"copysign", harp_copysign},
                                 {"lt", harp_lt},
                                 {"le", harp_le},
                                 {"gt", harp_gt},
                                 {"ge", harp_ge},
                                 {"eq", harp_eq},
                                 {"ne", harp_ne},
                                 {"logical_and", harp_logical_and, true},
                                 {"logical_or", harp_logical_or, true},
                                 {"logical_xor", harp_logical_xor, true},
                                 {"bitwise_and", harp_bitwise_and},
                                 {"bitwise_or", harp_bitwise_or},
                                 {"bitwise_xor", harp_bitwise_xor},
                                 {"left_shift", harp_left_shift},
                                 {"right_shift", harp_right_shift}};
  for (const Row& row : rows) {
    const Binary f = row.function;
    const std::string op = row.name;
    const bool of_bits = op.find("bitwise") == 0 || op.find("shift") != std::string::npos;
    auto fit = [of_bits](Bench& t) { return of_bits ? t.i : t.x; };
    check({row.name, kArgument, "operand 1 is NULL", [=](Bench& t) { f(nullptr, fit(t)); }});
    check({row.name, kArgument, "operand 2 is NULL", [=](Bench& t) { f(fit(t), nullptr); }});
    check({row.name, kArgument, "different graphs", [=](Bench& t) { f(t.x, t.foreign); }});
    if (!of_bits) check({row.name, kShape, "[2, 3] and [n]", [=](Bench& t) { f(t.x, t.s); }});
    if (!row.any_dtype) check({row.name, kDType, "f32 and f64", [=](Bench& t) { f(t.x, t.d); }});
    if (of_bits) check({row.name, kDType, "f32", [=](Bench& t) { f(t.x, t.x); }});
  }
  check({"where", kDType, "must be bool", [](Bench& t) { harp_where(t.x, t.x, t.x); }});
  check({"where", kDType, "f32 and f64", [](Bench& t) { harp_where(t.b, t.x, t.d); }});
  check({"where", kShape, "[n]", [](Bench& t) { harp_where(t.b, t.x, t.s); }});
  check({"where", kArgument, "operand 3 is NULL", [](Bench& t) { harp_where(t.b, t.x, nullptr); }});
  check({"fma", kDType, "i32", [](Bench& t) { harp_fma(t.i, t.i, t.i); }});
  check({"fma", kShape, "[n]", [](Bench& t) { harp_fma(t.x, t.x, t.s); }});
  check({"clip", kDType, "f64", [](Bench& t) { harp_clip(t.x, t.d, t.x); }});
  check({"clip", kShape, "[n]", [](Bench& t) { harp_clip(t.x, t.s, t.x); }});
  check({"lerp", kDType, "i32", [](Bench& t) { harp_lerp(t.i, t.i, t.i); }});
  check({"lerp", kShape, "[n]", [](Bench& t) { harp_lerp(t.x, t.s, t.x); }});
  check({"lerp", kArgument, "different graphs", [](Bench& t) { harp_lerp(t.x, t.x, t.foreign); }});
}

TEST_CASE("C1: every reduction names itself in its errors") {
  const std::vector<std::pair<const char*, Reduction>> rows = {
      {"sum", harp_sum}, {"prod", harp_prod}, {"max", harp_max},   {"min", harp_min},
      {"any", harp_any}, {"all", harp_all},   {"mean", harp_mean}, {"logsumexp", harp_logsumexp}};
  for (const auto& [name, function] : rows) {
    const Reduction f = function;
    check({name, kShape, "axis 9 is out of range for rank 2", [=](Bench& t) { f(t.x, 1, k9, 0); }});
    check({name, kShape, "named twice", [=](Bench& t) { f(t.x, 2, kTwice, 1); }});
    check({name, kShape, "18 axes", [=](Bench& t) { f(t.x, 18, kEighteen, 0); }});
    check({name, kShape, "-1 axes", [=](Bench& t) { f(t.x, -1, k0, 0); }});
    check({name, kShape, "a scalar has no axes", [=](Bench& t) { f(t.scalar, 1, k0, 0); }});
  }
  check({"sum", kDType, "bool", [](Bench& t) { harp_sum(t.b, 1, k0, 0); }});
  check({"prod", kDType, "bool", [](Bench& t) { harp_prod(t.b, 1, k0, 0); }});
  check({"mean", kDType, "i32", [](Bench& t) { harp_mean(t.i, 1, k0, 0); }});
  check({"logsumexp", kDType, "i32", [](Bench& t) { harp_logsumexp(t.i, 1, k0, 0); }});
  check({"var", kDType, "i32", [](Bench& t) { harp_var(t.i, 1, k0, 0, 0); }});
  check({"var", kRange, "-1", [](Bench& t) { harp_var(t.x, 1, k0, -1, 0); }});
  check({"var", kShape, "axis 9", [](Bench& t) { harp_var(t.x, 1, k9, 0, 0); }});
  check({"softmax", kDType, "i32", [](Bench& t) { harp_softmax(t.i, 0); }});
  check({"softmax", kShape, "axis 2", [](Bench& t) { harp_softmax(t.x, 2); }});
  check({"log_softmax", kDType, "bool", [](Bench& t) { harp_log_softmax(t.b, 0); }});
  check({"log_softmax", kShape, "axis -3", [](Bench& t) { harp_log_softmax(t.x, -3); }});
  for (const auto& [name, function] :
       {std::pair<const char*, Reduction>{"max", harp_max}, {"min", harp_min}, {"logsumexp", harp_logsumexp}}) {
    const Reduction f = function;
    check({name, kShape, "is empty", [=](Bench& t) {
             const harp_dim none[] = {0, 3};
             f(harp_input(t.g, "nothing", HARP_F32, 2, none), 1, k0, 0);
           }});
  }
}

TEST_CASE("C1: every view and join names itself in its errors") {
  const Misuse rows[] = {
      {"permute", kShape, "1 axes", [](Bench& t) { harp_permute(t.x, 1, k0); }},
      {"permute", kShape, "named twice", [](Bench& t) { harp_permute(t.x, 2, kTwice); }},
      {"permute", kArgument, "NULL", [](Bench& t) { harp_permute(t.x, 2, nullptr); }},
      {"transpose", kShape, "1 axes", [](Bench& t) { harp_transpose(t.x, 1, k0); }},
      {"transpose", kShape, "named twice", [](Bench& t) { harp_transpose(t.x, 2, kTwice); }},
      {"moveaxis", kShape, "axis 9", [](Bench& t) { harp_moveaxis(t.x, 1, k9, k0); }},
      {"moveaxis", kShape, "axis 9", [](Bench& t) { harp_moveaxis(t.x, 1, k0, k9); }},
      {"moveaxis", kArgument, "NULL", [](Bench& t) { harp_moveaxis(t.x, 1, k0, nullptr); }},
      {"unsqueeze", kShape, "axis 9", [](Bench& t) { harp_unsqueeze(t.x, 1, k9); }},
      {"unsqueeze", kShape, "17 axes", [](Bench& t) { harp_unsqueeze(t.full_rank, 1, k0); }},
      {"squeeze", kShape, "size 2", [](Bench& t) { harp_squeeze(t.x, 1, k0); }},
      {"squeeze", kShape, "axis 9", [](Bench& t) { harp_squeeze(t.x, 1, k9); }},
      {"flip", kShape, "axis 9", [](Bench& t) { harp_flip(t.x, 1, k9); }},
      {"flip", kShape, "named twice", [](Bench& t) { harp_flip(t.x, 2, kTwice); }},
      {"expand", kShape, "size 2 and cannot become 3", [](Bench& t) { harp_expand(t.x, 2, kThree); }},
      {"expand", kShape, "18 sizes", [](Bench& t) { harp_expand(t.x, 18, kOnes); }},
      {"expand", kShape, "[3, 3, 3]", [](Bench& t) { harp_expand(t.x, 3, kThree); }},
      {"broadcast_to", kShape, "[2, 2]", [](Bench& t) { harp_broadcast_to(t.x, 2, kTwo); }},
      {"broadcast_to", kRange, "-7", [](Bench& t) { harp_broadcast_to(t.scalar, 2, kMinus); }},
      {"broadcast_to", kOverflow, "64 bits", [](Bench& t) { harp_broadcast_to(t.scalar, 2, kHuges); }},
      {"broadcast_to", kArgument, "another graph", [](Bench& t) { harp_broadcast_to(t.scalar, 1, &t.foreign_size); }},
      {"reshape", kShape, "[2, 2]", [](Bench& t) { harp_reshape(t.x, 2, kTwo); }},
      {"reshape", kRange, "-7", [](Bench& t) { harp_reshape(t.x, 2, kMinus); }},
      {"reshape", kOverflow, "64 bits", [](Bench& t) { harp_reshape(t.x, 2, kHuges); }},
      {"reshape", kShape, "-2 sizes", [](Bench& t) { harp_reshape(t.x, -2, kTwo); }},
      {"reshape", kArgument, "HARP_DIM_INVALID",
       [](Bench& t) {
         const harp_dim invalid[] = {HARP_DIM_INVALID};
         harp_reshape(t.x, 1, invalid);
       }},
      {"flatten", kShape, "axis 9", [](Bench& t) { harp_flatten(t.x, 0, 9); }},
      {"flatten", kShape, "start_axis 1 comes after end_axis 0", [](Bench& t) { harp_flatten(t.x, 1, 0); }},
      {"slice", kShape, "3 axes", [](Bench& t) { harp_slice(t.x, 3, nullptr, nullptr, nullptr); }},
      {"slice", kRange, "step of axis 0 is 0", [](Bench& t) { harp_slice(t.x, 2, nullptr, nullptr, kZeroStep); }},
      {"slice", kOverflow, "64 bits", [](Bench& t) { harp_slice(t.x, 2, nullptr, nullptr, kLeast); }},
      {"unfold", kShape, "axis 9", [](Bench& t) { harp_unfold(t.x, 1, k9, 1, kTwo, 0, nullptr, 0, nullptr); }},
      {"unfold", kShape, "reaches over 3", [](Bench& t) { harp_unfold(t.x, 1, k0, 1, kThree, 0, nullptr, 0, nullptr); }},
      {"unfold", kRange, "-7", [](Bench& t) { harp_unfold(t.x, 1, k0, 1, kMinus, 0, nullptr, 0, nullptr); }},
      {"unfold", kRange, "stride 0", [](Bench& t) { harp_unfold(t.x, 1, k0, 1, kTwo, 1, kZeroStep, 0, nullptr); }},
      {"unfold", kOverflow, "64 bits", [](Bench& t) { harp_unfold(t.x, 1, k0, 1, kHuges, 0, nullptr, 1, kGreatest); }},
      {"unfold", kShape, "17 axes", [](Bench& t) { harp_unfold(t.full_rank, 1, k0, 1, kOnes, 0, nullptr, 0, nullptr); }},
      {"unfold1d", kShape, "at least 1 axes", [](Bench& t) { harp_unfold1d(t.scalar, 1, kTwo, 0, nullptr, 0, nullptr, 0, nullptr); }},
      {"unfold1d", kShape, "has -11 there", [](Bench& t) { harp_unfold1d(t.x, 1, kTwo, 0, nullptr, 0, nullptr, 2, kMinus); }},
      {"unfold2d", kRange, "-7", [](Bench& t) { harp_unfold2d(t.x, 2, kMinus, 0, nullptr, 0, nullptr, 0, nullptr); }},
      {"unfold2d", kArgument, "NULL", [](Bench& t) { harp_unfold2d(t.x, 2, nullptr, 0, nullptr, 0, nullptr, 0, nullptr); }},
      {"unfold2d", kRange, "stride 0", [](Bench& t) { harp_unfold2d(t.x, 2, kTwo, 2, kZeroStep, 0, nullptr, 0, nullptr); }},
      {"unfold2d", kShape, "reaches over 3", [](Bench& t) { harp_unfold2d(t.x, 2, kThree, 0, nullptr, 0, nullptr, 0, nullptr); }},
      {"unfold3d", kShape, "at least 3 axes", [](Bench& t) { harp_unfold3d(t.x, 3, kThree, 0, nullptr, 0, nullptr, 0, nullptr); }},
      {"concat", kShape, "[2, 3] and [n]",
       [](Bench& t) {
         harp_node* nodes[] = {t.x, t.s};
         harp_concat(2, nodes, 0);
       }},
      {"concat", kDType, "f32 and f64",
       [](Bench& t) {
         harp_node* nodes[] = {t.x, t.d};
         harp_concat(2, nodes, 0);
       }},
      {"concat", kShape, "axis 5",
       [](Bench& t) {
         harp_node* nodes[] = {t.x, t.x};
         harp_concat(2, nodes, 5);
       }},
      {"concat", kArgument, "operand 2 is NULL",
       [](Bench& t) {
         harp_node* nodes[] = {t.x, nullptr};
         harp_concat(2, nodes, 0);
       }},
      {"concat", kArgument, "different graphs",
       [](Bench& t) {
         harp_node* nodes[] = {t.x, t.foreign};
         harp_concat(2, nodes, 0);
       }},
      {"concat", kOverflow, "64 bits",
       [](Bench& t) {
         std::vector<harp_node*> nodes(1 << 12, t.long_array);
         harp_concat(1 << 12, nodes.data(), 0);
       }},
      {"stack", kShape, "[2, 3] and [n]",
       [](Bench& t) {
         harp_node* nodes[] = {t.x, t.s};
         harp_stack(2, nodes, 0);
       }},
      {"stack", kDType, "f32 and f64",
       [](Bench& t) {
         harp_node* nodes[] = {t.x, t.d};
         harp_stack(2, nodes, 0);
       }},
      {"stack", kShape, "17 axes",
       [](Bench& t) {
         harp_node* nodes[] = {t.full_rank, t.full_rank};
         harp_stack(2, nodes, 0);
       }},
      {"stack", kOverflow, "64 bits",
       [](Bench& t) {
         std::vector<harp_node*> nodes(1 << 12, t.long_array);
         harp_stack(1 << 12, nodes.data(), 0);
       }},
      {"split", kShape, "not a multiple of 2",
       [](Bench& t) {
         harp_node* parts[2];
         harp_split(t.x, 2, 1, parts);
       }},
      {"split", kRange, "-1 sections",
       [](Bench& t) {
         harp_node* parts[2];
         harp_split(t.x, -1, 1, parts);
       }},
      {"split", kShape, "axis 7",
       [](Bench& t) {
         harp_node* parts[2];
         harp_split(t.x, 1, 7, parts);
       }},
      {"split_at", kArgument, "NULL",
       [](Bench& t) {
         harp_node* parts[2];
         harp_split_at(t.x, 1, nullptr, 0, parts);
       }},
      {"split_at", kArgument, "another graph",
       [](Bench& t) {
         harp_node* parts[2];
         harp_split_at(t.x, 1, &t.foreign_size, 0, parts);
       }},
      {"split_at", kShape, "axis 7",
       [](Bench& t) {
         harp_node* parts[2];
         harp_split_at(t.x, 1, kTwo, 7, parts);
       }},
      {"pad", kShape, "3 amounts", [](Bench& t) { harp_pad(t.x, 3, kThree, kThree, nullptr, nullptr); }},
      {"pad", kShape, "takes 7 elements from the start", [](Bench& t) { harp_pad(t.x, 2, kMinus, kTwo, nullptr, nullptr); }},
      {"pad", kShape, "7 from its end", [](Bench& t) { harp_pad(t.x, 2, kTwo, kMinus, "edge", nullptr); }},
      {"pad", kOverflow, "64 bits", [](Bench& t) { harp_pad(t.x, 2, kHuges, kHuges, nullptr, nullptr); }},
      {"pad", kOverflow, "64 bits", [](Bench& t) { harp_pad(t.x, 2, kHuges, kHuges, "edge", nullptr); }},
      {"pad", kDType, "operands have dtypes i32 and f32",
       [](Bench& t) { harp_pad(t.i, 2, kTwo, kTwo, nullptr, harp_constant(t.g, HARP_F32, 0.5)); }},
      {"pad", kRange, "300 does not fit bool",
       [](Bench& t) { harp_pad(t.b, 2, kTwo, kTwo, nullptr, harp_constant_i64(t.g, HARP_UNKNOWN, 300)); }},
      {"pad", kShape, "it must be a scalar", [](Bench& t) { harp_pad(t.x, 2, kTwo, kTwo, nullptr, t.x); }},
      {"pad", kArgument, "mirror", [](Bench& t) { harp_pad(t.x, 2, kTwo, kTwo, "mirror", nullptr); }},
      {"pad", kRange, "-2", [](Bench& t) { harp_pad(t.x, 2, kThree, kMinus, "reflect", nullptr); }},
      {"repeat", kRange, "-7", [](Bench& t) { harp_repeat(t.x, -7, 0); }},
      {"repeat", kShape, "axis 9", [](Bench& t) { harp_repeat(t.x, 2, 9); }},
      {"repeat", kOverflow, "64 bits", [](Bench& t) { harp_repeat(t.x, INT64_MAX, 0); }},
      {"repeat", kOverflow, "64 bits", [](Bench& t) { harp_repeat(t.long_array, INT64_C(1) << 20, HARP_AXIS_NONE); }},
      {"repeat", kArgument, "another graph", [](Bench& t) { harp_repeat(t.x, t.foreign_size, 0); }},
      {"tile", kRange, "-7", [](Bench& t) { harp_tile(t.x, 2, kMinus); }},
      {"tile", kShape, "18 sizes", [](Bench& t) { harp_tile(t.x, 18, kOnes); }},
      {"tile", kOverflow, "64 bits", [](Bench& t) { harp_tile(t.x, 2, kHuges); }},
      {"take", kDType, "indices must be integers, got f32", [](Bench& t) { harp_take(t.x, t.x, 0); }},
      {"take", kShape, "axis 9", [](Bench& t) { harp_take(t.x, harp_constant_i64(t.g, HARP_I64, 1), 9); }},
      {"take", kShape, "has no elements, but indices of shape []",
       [](Bench& t) {
         const harp_dim none[] = {0, 3};
         harp_take(harp_input(t.g, "nothing", HARP_F32, 2, none), harp_constant_i64(t.g, HARP_I64, 1), 0);
       }},
      {"take", kShape, "17 axes",
       [](Bench& t) {
         const harp_dim pair[] = {2, 2};
         harp_take(t.full_rank, harp_input(t.g, "pairs", HARP_I32, 2, pair), 0);
       }},
      {"take_along_axis", kShape, "must be identical except along axis 0",
       [](Bench& t) {
         const harp_dim pair[] = {2, 2};
         harp_take_along_axis(t.x, harp_input(t.g, "pairs", HARP_I32, 2, pair), 0);
       }},
      {"take_along_axis", kDType, "indices must be integers, got f32", [](Bench& t) { harp_take_along_axis(t.x, t.x, 0); }},
      {"take_along_axis", kShape, "axis 9", [](Bench& t) { harp_take_along_axis(t.x, harp_constant_i64(t.g, HARP_I64, 1), 9); }},
      {"scatter_add", kDType, "indices must be integers, got f32", [](Bench& t) { harp_scatter_add(t.x, t.x, t.x, 0); }},
      {"scatter_add", kShape, "must be identical except along axis 0",
       [](Bench& t) {
         const harp_dim pair[] = {2, 2};
         harp_scatter_add(t.x, harp_input(t.g, "pairs", HARP_I32, 2, pair), t.x, 0);
       }},
      {"scatter_add", kArgument, "different graphs", [](Bench& t) { harp_scatter_add(t.x, t.i, t.foreign, 0); }},
      {"index_add", kShape, "indices must have one axis", [](Bench& t) { harp_index_add(t.x, harp_constant_i64(t.g, HARP_I64, 1), t.x, 0); }},
      {"index_add", kShape, "axis 9", [](Bench& t) { harp_index_add(t.x, harp_constant_i64(t.g, HARP_I64, 1), t.x, 9); }},
      {"roll", kShape, "2 shifts", [](Bench& t) { harp_roll(t.x, 2, kTwo, nullptr); }},
      {"roll", kShape, "axis 9", [](Bench& t) { harp_roll(t.x, 1, kTwo, k9); }},
      {"roll", kArgument, "another graph", [](Bench& t) { harp_roll(t.x, 1, &t.foreign_size, k0); }},
  };
  for (const Misuse& misuse : rows) check(misuse);
}

TEST_CASE("C1: everything that makes arrays and sizes names itself in its errors") {
  const Misuse rows[] = {
      {"full", kRange, "-7", [](Bench& t) { harp_full(t.scalar, 2, kMinus); }},
      {"full", kOverflow, "64 bits", [](Bench& t) { harp_full(t.scalar, 2, kHuges); }},
      {"full", kShape, "it must be a scalar", [](Bench& t) { harp_full(t.x, 1, kTwo); }},
      {"full", kDType, "is not known", [](Bench& t) { harp_full(harp_constant_i64(t.g, HARP_UNKNOWN, 7), 1, kTwo); }},
      {"full", kShape, "18 sizes", [](Bench& t) { harp_full(t.scalar, 18, kOnes); }},
      {"full", kArgument, "NULL", [](Bench& t) { harp_full(t.scalar, 2, nullptr); }},
      {"full", kArgument, "HARP_DIM_INVALID",
       [](Bench& t) {
         const harp_dim invalid[] = {HARP_DIM_INVALID};
         harp_full(t.scalar, 1, invalid);
       }},
      {"arange", kRange, "step is 0", [](Bench& t) { harp_arange(t.g, HARP_I32, 0, 5, 0); }},
      {"arange", kDType, "bool", [](Bench& t) { harp_arange(t.g, HARP_BOOL, 0, 5, 1); }},
      {"arange", kRange, "do not fit i32", [](Bench& t) { harp_arange(t.g, HARP_I64, 0, kHuge, 1); }},
      {"arange", kOverflow, "64 bits", [](Bench& t) { harp_arange(t.g, HARP_I64, -5, INT64_MAX, 1); }},
      {"arange", kArgument, "another graph", [](Bench& t) { harp_arange(t.g, HARP_I64, 0, t.foreign_size, 1); }},
      {"linspace", kRange, "is -7, which is negative", [](Bench& t) { harp_linspace(t.g, HARP_F32, 0, 1, -7); }},
      {"linspace", kDType, "i32", [](Bench& t) { harp_linspace(t.g, HARP_I32, 0, 1, 7); }},
      {"linspace", kRange, "do not fit i32", [](Bench& t) { harp_linspace(t.g, HARP_F32, 0, 1, kHuge); }},
      {"linspace", kArgument, "another graph", [](Bench& t) { harp_linspace(t.g, HARP_F32, 0, 1, t.foreign_size); }},
      {"linspace", kArgument, "HARP_DIM_INVALID", [](Bench& t) { harp_linspace(t.g, HARP_F32, 0, 1, HARP_DIM_INVALID); }},
      {"eye", kRange, "-7", [](Bench& t) { harp_eye(t.g, HARP_F32, -7, 3); }},
      {"eye", kOverflow, "64 bits", [](Bench& t) { harp_eye(t.g, HARP_F32, kHuge, kHuge); }},
      {"eye", kRange, "do not fit i32", [](Bench& t) { harp_eye(t.g, HARP_F32, kHuge, 1); }},
      {"eye", kDType, "77", [](Bench& t) { harp_eye(t.g, 77, 2, 2); }},
      {"tril", kShape, "at least 2 axes", [](Bench& t) { harp_tril(t.s, 0); }},
      {"triu", kShape, "at least 2 axes", [](Bench& t) { harp_triu(t.scalar, 0); }},
      {"one_hot", kRange, "-7", [](Bench& t) { harp_one_hot(t.i, -7, HARP_F32); }},
      {"one_hot", kDType, "f32", [](Bench& t) { harp_one_hot(t.x, 3, HARP_F32); }},
      {"one_hot", kDType, "77", [](Bench& t) { harp_one_hot(t.i, 3, 77); }},
      {"one_hot", kShape, "17 axes", [](Bench& t) { harp_one_hot(t.full_rank_ints, 3, HARP_F32); }},
      {"one_hot", kRange, "do not fit i32", [](Bench& t) { harp_one_hot(t.i, kHuge, HARP_F32); }},
      {"one_hot", kOverflow, "64 bits", [](Bench& t) { harp_one_hot(t.i, INT64_MAX, HARP_F32); }},
      {"one_hot", kArgument, "another graph", [](Bench& t) { harp_one_hot(t.i, t.foreign_size, HARP_F32); }},
      {"constant", kDType, "77", [](Bench& t) { harp_constant(t.g, 77, 1); }},
      {"constant", kRange, "2.5", [](Bench& t) { harp_constant(t.g, HARP_I64, 2.5); }},
      {"constant", kRange, "2 does not fit bool", [](Bench& t) { harp_constant_i64(t.g, HARP_BOOL, 2); }},
      {"constant_array", kArgument, "data is NULL", [](Bench& t) { harp_constant_array(t.g, HARP_F32, 1, kTwo, 8, nullptr); }},
      {"constant_array", kOverflow, "does not fit 63 bits", [](Bench& t) { harp_constant_array(t.g, HARP_F32, 2, kHuges, 4, "data"); }},
      {"constant_array", kRange, "-7", [](Bench& t) { harp_constant_array(t.g, HARP_F32, 1, kMinus, 4, "data"); }},
      {"constant_array", kShape, "18 sizes", [](Bench& t) { harp_constant_array(t.g, HARP_F32, 18, kOnes, 4, "data"); }},
      {"input", kRange, "-7", [](Bench& t) { harp_input(t.g, "y", HARP_F32, 2, kMinus); }},
      {"input", kOverflow, "64 bits", [](Bench& t) { harp_input(t.g, "y", HARP_F32, 2, kHuges); }},
      {"input", kArgument, "another graph", [](Bench& t) { harp_input(t.g, "y", HARP_F32, 1, &t.foreign_size); }},
      {"input", kArgument, "\"x\"", [](Bench& t) { harp_input(t.g, "x", HARP_F32, 0, nullptr); }},
      {"input", kArgument, "empty", [](Bench& t) { harp_input(t.g, "", HARP_F32, 0, nullptr); }},
      {"output", kArgument, "another graph", [](Bench& t) { harp_output(t.g, "y", t.foreign); }},
      {"output", kArgument, "empty", [](Bench& t) { harp_output(t.g, "", t.x); }},
      {"output", kArgument, "already has an output called \"y\"", [](Bench& t) { harp_output(t.g, "y", t.x), harp_output(t.g, "y", t.x); }},
      {"size", kArgument, "another graph", [](Bench& t) { harp_size(t.g, t.foreign_size); }},
      {"size", kArgument, "HARP_DIM_INVALID", [](Bench& t) { harp_size(t.g, HARP_DIM_INVALID); }},
      {"harp_dim_add", kOverflow, "64 bits", [](Bench& t) { harp_dim_add(t.g, INT64_MAX, 1); }},
      {"harp_dim_sub", kOverflow, "64 bits", [](Bench& t) { harp_dim_sub(t.g, -5, INT64_MAX); }},
      {"harp_dim_mul", kOverflow, "64 bits", [](Bench& t) { harp_dim_mul(t.g, kHuge, kHuge); }},
      {"harp_dim_floor_div", kArgument, "another graph", [](Bench& t) { harp_dim_floor_div(t.g, t.n, t.foreign_size); }},
      {"harp_dim_mod", kArgument, "HARP_SLICE_NONE", [](Bench& t) { harp_dim_mod(t.g, HARP_SLICE_NONE, 3); }},
      {"harp_dim_min", kArgument, "HARP_DIM_INVALID", [](Bench& t) { harp_dim_min(t.g, HARP_DIM_INVALID, 3); }},
      {"harp_dim_max", kArgument, "another graph", [](Bench& t) { harp_dim_max(t.g, 3, t.foreign_size); }},
      {"harp_dim_var", kRange, "5..4", [](Bench& t) { harp_dim_var(t.g, "m", 5, 4); }},
      {"harp_dim_var", kRange, "-1..4", [](Bench& t) { harp_dim_var(t.g, "m", -1, 4); }},
      {"harp_dim_var", kArgument, "0..100", [](Bench& t) { harp_dim_var(t.g, "n", 0, 99); }},
      {"harp_node_set_name", kArgument, "NULL", [](Bench& t) { harp_node_set_name(t.x, nullptr); }},
  };
  for (const Misuse& misuse : rows) check(misuse);
}

TEST_CASE("C1: lists of nodes of the operations that name their graph, and of those that do not") {
  const auto custom = [](Bench& t, int32_t n, harp_node* const* nodes) {
    harp_custom_function_desc desc = HARP_CUSTOM_FUNCTION_DESC_INIT;
    desc.body = "output = f32(1)", desc.dtype = HARP_F32, desc.graph = t.g;
    CHECK(harp_custom_function(n, nodes, &desc) == nullptr);
  };
  const auto native = [](Bench& t, int32_t n, harp_node* const* nodes) {
    harp_native_desc desc = HARP_NATIVE_DESC_INIT;
    desc.name = "f", desc.signature = "void(f32* output)", desc.dtype = HARP_F32, desc.graph = t.g;
    CHECK(harp_native(n, nodes, &desc) == nullptr);
  };
  harp_node* const none[] = {nullptr, nullptr};
  check({"custom_function", kArgument, "got a list of length -1", [&](Bench& t) { custom(t, -1, none); }});
  check({"custom_function", kArgument, "got NULL", [&](Bench& t) { custom(t, 2, nullptr); }});
  check({"custom_function", kArgument, "operand 1 is NULL", [&](Bench& t) { custom(t, 1, none); }});
  const auto results = [](Bench& t, int32_t n, harp_node* const* nodes) {
    harp_custom_function_desc desc = HARP_CUSTOM_FUNCTION_DESC_INIT;
    desc.body = "output = f32(1)", desc.graph = t.g;
    const harp_dtype dtype = HARP_F32;
    harp_node* result = nullptr;
    CHECK(harp_custom_function_results(n, nodes, &desc, 1, &dtype, &result) == HARP_ERROR_INVALID_ARGUMENT);
    CHECK(result == nullptr);
  };
  check({"custom_function_results", kArgument, "got a list of length -1", [&](Bench& t) { results(t, -1, none); }});
  check({"custom_function_results", kArgument, "got NULL", [&](Bench& t) { results(t, 2, nullptr); }});
  check({"custom_function_results", kArgument, "operand 1 is NULL", [&](Bench& t) {
           harp_custom_function_desc desc = HARP_CUSTOM_FUNCTION_DESC_INIT;
           desc.graph = t.g;
           harp_node* result = nullptr;
           CHECK(harp_custom_function_results(1, none, &desc, 1, nullptr, &result) == HARP_ERROR_INVALID_ARGUMENT);
         }});
  check({"native", kArgument, "got a list of length -1", [&](Bench& t) { native(t, -1, none); }});
  check({"native", kArgument, "got NULL", [&](Bench& t) { native(t, 2, nullptr); }});
  check({"native", kArgument, "operand 1 is NULL", [&](Bench& t) { native(t, 2, none); }});

  // Without a node there is no graph that could keep an error. The call returns NULL, and the next call with a graph reports this NULL.
  const std::vector<std::function<harp_node*()>> empty = {
      [] { return harp_concat(0, nullptr, 0); },
      [] { return harp_stack(0, nullptr, 0); },
      [] { return harp_einsum("->", 0, nullptr); },
      [] { return harp_custom_elementwise(0, nullptr, "1"); },
      [] { return harp_custom_reduce(0, nullptr, "1", "sum", 0, nullptr, 0); },
      [] { return harp_custom_cumulative(0, nullptr, "1", "sum", 0, 0); },
  };
  for (const auto& make : empty) {
    CHECK(make() == nullptr);
    check({"add", kArgument, "operand 2 is NULL", [&](Bench& t) { harp_add(t.x, make()); }});
    check({"output \"y\"", kArgument, "the node is NULL", [&](Bench& t) { harp_output(t.g, "y", make()); }});
  }
}

TEST_CASE("C1: the arguments of a custom function of several results") {
  const auto of = [](Bench& t, int32_t n, std::vector<harp_dtype> dtypes, const char* body, harp_graph* graph = nullptr) {
    harp_custom_function_desc desc = HARP_CUSTOM_FUNCTION_DESC_INIT;
    desc.body = body, desc.graph = graph;
    std::vector<harp_node*> results(65);
    CHECK(harp_custom_function_results(1, &t.x, &desc, n, dtypes.data(), results.data()) != HARP_OK);
    CHECK(std::count(results.begin(), results.end(), nullptr) == 65);
  };
  constexpr const char* op = "custom_function_results";
  constexpr const char* kBody = "output0 = input0[0, 0]\noutput1 = input0[1, 2]";
  check({op, kArgument, "expected a list of dtypes, got a list of length 0", [&](Bench& t) { of(t, 0, {HARP_F32}, kBody); }});
  check({op, kArgument, "expected a list of dtypes, got a list of length -1", [&](Bench& t) { of(t, -1, {HARP_F32}, kBody); }});
  check({op, kArgument, "65 results; a function has 1 to 64", [&](Bench& t) { of(t, 65, std::vector<harp_dtype>(65, HARP_F32), kBody); }});
  check({op, kDType, "result 1 cannot be complex64", [&](Bench& t) { of(t, 2, {HARP_F32, HARP_COMPLEX64}, kBody); }});
  check({op, kDType, "99", [&](Bench& t) { of(t, 2, {HARP_F32, 99}, kBody); }});
  check({op, kArgument, "the body is NULL", [&](Bench& t) { of(t, 2, {HARP_F32, HARP_F32}, nullptr); }});
  check({op, kArgument, "the body never sets output2", [&](Bench& t) { of(t, 3, {HARP_F32, HARP_F32, HARP_F32}, kBody); }});
  check({op, kArgument, "desc.graph is not the graph of the inputs", [&](Bench& t) {
           of(t, 2, {HARP_F32, HARP_F32}, kBody, t.other.get());
         }});
  check({op, kArgument, "desc is NULL", [](Bench& t) {
           const harp_dtype dtype = HARP_F32;
           harp_node* result = nullptr;
           CHECK(harp_custom_function_results(1, &t.x, nullptr, 1, &dtype, &result) == HARP_ERROR_INVALID_ARGUMENT);
         }});
  check({op, kArgument, "expected a list of dtypes, got NULL", [](Bench& t) {
           harp_custom_function_desc desc = HARP_CUSTOM_FUNCTION_DESC_INIT;
           harp_node* result = nullptr;
           CHECK(harp_custom_function_results(1, &t.x, &desc, 1, nullptr, &result) == HARP_ERROR_INVALID_ARGUMENT);
         }});
  check({op, kArgument, "the array of results is NULL", [](Bench& t) {
           const harp_dtype dtype = HARP_F32;
           harp_custom_function_desc desc = HARP_CUSTOM_FUNCTION_DESC_INIT;
           CHECK(harp_custom_function_results(1, &t.x, &desc, 1, &dtype, nullptr) == HARP_ERROR_INVALID_ARGUMENT);
         }});
}

TEST_CASE("C1: an operation with an expression names itself once") {
  check({"custom_elementwise: \"sum(x0)\" of x0: sum is not elementwise", kArgument, "may call only elementwise operations",
         [](Bench& t) { harp_custom_elementwise(1, &t.x, "sum(x0)"); }});
  check({"custom_elementwise: \"x0 + x1\" of x0 to x1: line 1, column 4: add", kDType, "f32 and i32", [](Bench& t) {
           harp_node* const nodes[] = {t.x, t.i};
           harp_custom_elementwise(2, nodes, "x0 + x1");
         }});
  check({"custom_reduce: \"unsqueeze(x0, axes=[0])\" of x0", kShape, "the expression has shape [1, 2, 3], but its inputs have [2, 3]",
         [](Bench& t) { harp_custom_reduce(1, &t.x, "unsqueeze(x0, axes=[0])", "sum", 0, nullptr, 0); }});
  check({"custom_cumulative: \"x0 +\" of x0: line 1, column 5", HARP_ERROR_PARSE, "expected an expression",
         [](Bench& t) { harp_custom_cumulative(1, &t.x, "x0 +", "sum", 0, 0); }});
}

TEST_CASE("C1: names of symbolic sizes are names the text format can read") {
  for (const char* name : {"a b", "", "2n", "n-1", "n*/", "n\n", "h\xc3\xb6he", "in", "min", "max", "select", "none", "inf", "nan", "true",
                           "false", "shape", "graph", "return"})
    check({"harp_dim_var", kArgument, "not a valid name for a size", [=](Bench& t) { harp_dim_var(t.g, name, 0, 4); }});
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  for (const char* name : {"n", "_n", "N2", "batch_size", "axes", "f32", "minimum", "input0"})
    CHECK(harp_dim_var(g.get(), name, 0, 4) != HARP_DIM_INVALID);
}

TEST_CASE("C1: a hundred thousand inputs and outputs are no trouble") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  constexpr int kMany = 100'000;
  for (int i = 0; i < kMany; ++i) {
    const std::string name = std::to_string(i);
    harp_node* x = harp_input(g.get(), ("x" + name).c_str(), HARP_F32, 0, nullptr);
    REQUIRE(harp_output(g.get(), ("y" + name).c_str(), x) == HARP_OK);
  }
  const std::string text = take(harp_graph_print(g.get(), nullptr));
  const Graph back = parse(context.get(), text);
  CHECK(take(harp_graph_print(back.get(), nullptr)) == text);
  CHECK(harp_output(g.get(), "y99999", harp_constant(g.get(), HARP_F32, 1)) == HARP_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("C1 G16/interp,c: a number made of sizes that does not fit 64 bits is an error") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\ngraph g(x: i8[n, 0]) {\n  return y = size(n * n * n % 7), z = size(n - 5)\n}\n");
  std::vector<int8_t> nothing;
  for (const char* backend : {"interp", "c"}) {
    const Program program = compile(graph.get(), backend);
    REQUIRE(program != nullptr);
    if (is_not_for_this_cpu(program.get())) continue;
    for (const auto& [n, fits] : {std::pair(int64_t{3}, true), {int64_t{2000000}, true}, {int64_t{3000000}, false}}) {
      const Buffer x = wrap(context.get(), nothing, {n, 0});
      harp_buffer* const inputs[] = {x.get()};
      harp_buffer* outputs[] = {nullptr, nullptr};
      ErrorSlot err;
      CHECK(harp_program_run(program.get(), 1, inputs, 2, outputs, nullptr, err) == (fits ? HARP_OK : HARP_ERROR_OVERFLOW));
      for (harp_buffer* output : outputs)
        if (output != nullptr) harp_buffer_release(output);
    }
  }
}

TEST_CASE("C1 G16: an empty array whose other size is so large that its work does not fit 64 bits") {
  const Context context = make_context();
  for (const char* bound : {"100", "9223372036854775807"}) {
    const Graph graph =
        parse(context.get(), harp::cat("harp 1\ngraph g(x: i32[n in 0..100, m in 0..", bound, "], b: i32[n, 1]) flags=[broadcast] {\n",
                                       "  return y = maximum(x, b), s = sum(x, axes=[1])\n}\n"));
    const Program program = compile(graph.get(), "c", [](harp_compile_options& o) { o.simd_width = 1; });
    // With the first two values, products of m exceed 64 bits (m * 21 is -12 and -16 modulo 2^64), which once led to a division by 0. The
    // third value is the greatest size.
    for (const int64_t m : {int64_t{5270498306774157604}, int64_t{878416384462359600}, INT64_MAX, int64_t{7}}) {
      if (std::string(bound) == "100" && m > 100) continue;
      std::vector<int32_t> nothing;
      const Buffer x = wrap(context.get(), nothing, {0, m}), b = wrap(context.get(), nothing, {0, 1});
      const std::vector<Buffer> outputs = run(program.get(), {x.get(), b.get()});
      REQUIRE(outputs.size() == 2);
      CHECK(dims(outputs[0].get()) == std::vector<int64_t>{0, m});
    }
  }
}
