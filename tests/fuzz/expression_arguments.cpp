#include "fuzz/expression_arguments.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>

#include "base/text.h"
#include "ops/dtype.h"

namespace harp::fuzz {
namespace {

constexpr std::string_view kComparisons[] = {"==", "!=", "<", "<=", ">", ">="};
// number of comparisons that complex numbers support: only == and !=, because complex numbers have no order
constexpr size_t kUnordered = 2;
constexpr std::string_view kBoolOperators[] = {"&", "|", "^"};
constexpr std::string_view kIntOperators[] = {"+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>"};
constexpr std::string_view kFloatOperators[] = {"+", "-", "*", "/", "//", "%"};
constexpr std::string_view kComplexOperators[] = {"+", "-", "*", "/"};
constexpr std::string_view kIntCalls[] = {"abs", "sign", "square", "relu"};
constexpr std::string_view kFloatCalls[] = {"abs", "sqrt", "exp", "tanh", "sin", "sigmoid", "relu", "gelu", "floor"};
constexpr std::string_view kComplexCalls[] = {"conj", "sign", "square", "sqrt", "exp", "tanh", "sin", "recip"};

/// Generates an expression whose value has the dtype of the inputs.
class Expression {
 public:
  Expression(Random& random, DType dtype, size_t inputs) : random_(random), dtype_(dtype), inputs_(inputs) {}

  std::string value(int depth) {
    if (depth == 0 || random_.chance(15)) return cat("x", random_.below(inputs_));
    const auto kind = random_.below(10);
    if (kind == 0) return cat("where(", condition(depth - 1), ", ", value(depth - 1), ", ", value(depth - 1), ")");
    if (dtype_ == DType::kBool) {
      if (kind < 3) return cat("~", value(depth - 1));
      return cat("(", value(depth - 1), " ", random_.pick(kBoolOperators), " ", value(depth - 1), ")");
    }
    if (kind == 1) return cat("-", value(depth - 1));
    if (kind == 2 && !is_complex(dtype_))
      return cat(random_.chance(50) ? "maximum(" : "minimum(", value(depth - 1), ", ", value(depth - 1), ")");
    if (kind < 5) return cat(random_.pick(calls()), "(", value(depth - 1), ")");
    const std::string right = random_.chance(25) ? cat(random_.below(9)) : value(depth - 1);
    return cat("(", value(depth - 1), " ", random_.pick(operators()), " ", right, ")");
  }

 private:
  using Words = std::span<const std::string_view>;
  Words calls() const { return is_float(dtype_) ? Words(kFloatCalls) : is_complex(dtype_) ? Words(kComplexCalls) : Words(kIntCalls); }
  Words operators() const {
    return is_float(dtype_) ? Words(kFloatOperators) : is_complex(dtype_) ? Words(kComplexOperators) : Words(kIntOperators);
  }
  std::string condition(int depth) {
    const Words comparisons = is_complex(dtype_) ? Words(kComparisons).first(kUnordered) : Words(kComparisons);
    return cat(value(depth), " ", random_.pick(comparisons), " ", value(depth));
  }

  Random& random_;
  DType dtype_;
  size_t inputs_;
};

}  // namespace

std::optional<std::vector<Argument>> expression_arguments(Workbench& bench, const Operation& row, NodeRef primary) {
  const bool reduces = row.name == "custom_reduce", scans = row.name == "custom_cumulative";
  if (primary == nullptr || (!reduces && !scans && row.name != "custom_elementwise")) return std::nullopt;
  Random& random = bench.random();
  std::vector<NodeRef> arrays = {primary};
  for (uint64_t more = random.below(3); more > 0; --more) arrays.push_back(bench.array_of(primary->dtype, primary->shape));
  std::string text = Expression(random, primary->dtype, arrays.size()).value(static_cast<int>(random.between(1, 4)));
  if (!reduces && !scans) return std::vector<Argument>{std::move(arrays), std::move(text)};
  constexpr std::string_view combines[] = {"sum", "prod", "max", "min"};
  std::string combine(random.pick(combines));
  const auto flag = [&](uint64_t chance) { return Literal{Literal::kBool, false, random.chance(chance) ? "true" : "false", {}}; };
  if (scans) {
    const bool flattens = primary->rank() == 0 || random.chance(20);
    const Argument axis = flattens ? Argument() : Dim(static_cast<int64_t>(random.below(static_cast<uint64_t>(primary->rank()))));
    return std::vector<Argument>{std::move(arrays), std::move(text), std::move(combine), axis, flag(30), flag(30)};
  }
  std::vector<SizeItem> axes;
  for (int axis = 0; axis < primary->rank(); ++axis)
    if (random.chance(50)) axes.emplace_back(Dim(axis));
  return std::vector<Argument>{std::move(arrays), std::move(text), std::move(combine), std::move(axes), flag(30)};
}

}  // namespace harp::fuzz
