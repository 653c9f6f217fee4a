// The table of the words that compute arrays.
#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "engine.h"

namespace ajisai {
namespace {

template <harp_node* (*kFunction)(harp_node*)>
harp_node* unary(harp_graph*, harp_node* const* nodes, int) {
  return kFunction(nodes[0]);
}

template <harp_node* (*kFunction)(harp_node*, harp_node*)>
harp_node* binary(harp_graph*, harp_node* const* nodes, int) {
  return kFunction(nodes[0], nodes[1]);
}

harp_node* select(harp_graph*, harp_node* const* nodes, int) { return harp_where(nodes[0], nodes[1], nodes[2]); }

template <harp_node* (*kFunction)(harp_node*, int32_t, const int32_t*, int32_t)>
harp_node* reduce(harp_graph*, harp_node* const* nodes, int) {
  return kFunction(nodes[0], 0, nullptr, 0);
}

template <harp_node* (*kFunction)(harp_node*, int32_t, const int32_t*, int32_t)>
harp_node* reduce_along(harp_graph*, harp_node* const* nodes, int axis) {
  const int32_t axes[1] = {axis};
  return kFunction(nodes[0], 1, axes, 0);
}

harp_node* transpose(harp_graph*, harp_node* const* nodes, int) { return harp_transpose(nodes[0], 0, nullptr); }

/// The outer product by broadcasting: operands of shapes [3] and [2] become [3, 1] and [1, 2].
harp_node* outer_as_broadcast(harp_graph*, harp_node* const* nodes, int) {
  const int32_t rank = harp_node_rank(nodes[0]), right = harp_node_rank(nodes[1]);
  int32_t axes[HARP_MAX_RANK];
  for (int32_t i = 0; i < right; ++i) axes[i] = rank + i;
  return harp_mul(harp_unsqueeze(nodes[0], right, axes), nodes[1]);
}

constexpr Takes kNumbers = Takes::kNumbers, kTruths = Takes::kTruths, kAny = Takes::kAny;
constexpr Gives kBroadcast = Gives::kBroadcast, kScalar = Gives::kScalar, kWithoutAxis = Gives::kWithoutAxis;

constexpr Operation kOperations[] = {
    {"+", 2, kNumbers, kBroadcast, HARP_F64, binary<harp_add>},
    {"-", 2, kNumbers, kBroadcast, HARP_F64, binary<harp_sub>},
    {"*", 2, kNumbers, kBroadcast, HARP_F64, binary<harp_mul>},
    {"/", 2, kNumbers, kBroadcast, HARP_F64, binary<harp_div>},
    {"%", 2, kNumbers, kBroadcast, HARP_F64, binary<harp_remainder>},
    {"POW", 2, kNumbers, kBroadcast, HARP_F64, binary<harp_pow>},
    {"MAX", 2, kNumbers, kBroadcast, HARP_F64, binary<harp_maximum>},
    {"MIN", 2, kNumbers, kBroadcast, HARP_F64, binary<harp_minimum>},
    {"NEG", 1, kNumbers, kBroadcast, HARP_F64, unary<harp_neg>},
    {"ABS", 1, kNumbers, kBroadcast, HARP_F64, unary<harp_abs>},
    {"SIGN", 1, kNumbers, kBroadcast, HARP_F64, unary<harp_sign>},
    {"SQRT", 1, kNumbers, kBroadcast, HARP_F64, unary<harp_sqrt>},
    {"EXP", 1, kNumbers, kBroadcast, HARP_F64, unary<harp_exp>},
    {"LOG", 1, kNumbers, kBroadcast, HARP_F64, unary<harp_log>},
    {"SIN", 1, kNumbers, kBroadcast, HARP_F64, unary<harp_sin>},
    {"COS", 1, kNumbers, kBroadcast, HARP_F64, unary<harp_cos>},
    {"TAN", 1, kNumbers, kBroadcast, HARP_F64, unary<harp_tan>},
    {"FLOOR", 1, kNumbers, kBroadcast, HARP_F64, unary<harp_floor>},
    {"CEIL", 1, kNumbers, kBroadcast, HARP_F64, unary<harp_ceil>},
    {"ROUND", 1, kNumbers, kBroadcast, HARP_F64, unary<harp_round>},
    {"<", 2, kNumbers, kBroadcast, HARP_BOOL, binary<harp_lt>},
    {"<=", 2, kNumbers, kBroadcast, HARP_BOOL, binary<harp_le>},
    {">", 2, kNumbers, kBroadcast, HARP_BOOL, binary<harp_gt>},
    {">=", 2, kNumbers, kBroadcast, HARP_BOOL, binary<harp_ge>},
    {"=", 2, kNumbers, kBroadcast, HARP_BOOL, binary<harp_eq>},
    {"!=", 2, kNumbers, kBroadcast, HARP_BOOL, binary<harp_ne>},
    {"AND", 2, kTruths, kBroadcast, HARP_BOOL, binary<harp_logical_and>},
    {"OR", 2, kTruths, kBroadcast, HARP_BOOL, binary<harp_logical_or>},
    {"XOR", 2, kTruths, kBroadcast, HARP_BOOL, binary<harp_logical_xor>},
    {"NOT", 1, kTruths, kBroadcast, HARP_BOOL, unary<harp_logical_not>},
    {"OUTER", 2, kNumbers, Gives::kOuter, HARP_F64, binary<harp_outer>},
    {"OUTER-AS-BROADCAST", 2, kNumbers, Gives::kOuter, HARP_F64, outer_as_broadcast},
    {"WHERE", 3, Takes::kChoice, kBroadcast, HARP_UNKNOWN, select},
    {"TRANSPOSE", 1, kAny, Gives::kReversed, HARP_UNKNOWN, transpose},
    {"SUM", 1, kNumbers, kScalar, HARP_F64, reduce<harp_sum>},
    {"PRODUCT", 1, kNumbers, kScalar, HARP_F64, reduce<harp_prod>},
    {"GREATEST", 1, kNumbers, kScalar, HARP_F64, reduce<harp_max>},
    {"LEAST", 1, kNumbers, kScalar, HARP_F64, reduce<harp_min>},
    {"MEAN", 1, kNumbers, kScalar, HARP_F64, reduce<harp_mean>},
    {"ANY", 1, kTruths, kScalar, HARP_BOOL, reduce<harp_any>},
    {"ALL", 1, kTruths, kScalar, HARP_BOOL, reduce<harp_all>},
    {"SUM-ALONG", 1, kNumbers, kWithoutAxis, HARP_F64, reduce_along<harp_sum>},
    {"PRODUCT-ALONG", 1, kNumbers, kWithoutAxis, HARP_F64, reduce_along<harp_prod>},
    {"GREATEST-ALONG", 1, kNumbers, kWithoutAxis, HARP_F64, reduce_along<harp_max>},
    {"LEAST-ALONG", 1, kNumbers, kWithoutAxis, HARP_F64, reduce_along<harp_min>},
    {"MEAN-ALONG", 1, kNumbers, kWithoutAxis, HARP_F64, reduce_along<harp_mean>},
};

}  // namespace

const Operation* find_operation(std::string_view name) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const Operation*> made;
    for (const Operation& operation : kOperations) made.emplace(operation.name, &operation);
    return made;
  }();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace ajisai
