#include "fuzz/size_check.h"

#include <algorithm>

#include "base/text.h"
#include "fuzz/random.h"
#include "run/binding.h"
#include "run/size_code.h"

namespace harp::fuzz {
namespace {

constexpr int kSteps = 16, kPoints = 12;
constexpr int64_t kLargest = 1'000'000;  // an expression with a larger value is not used as an operand, so that nothing overflows

/// Division that rounds down. A divisor of 0 occurs only if harp has computed a wrong bound for the divisor; the check of the divisor
/// reports that, so this function returns 0.
int64_t divide(int64_t a, int64_t b) { return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0)); }

enum class Step : uint8_t { kAdd, kSubtract, kMultiply, kDivide, kRemainder, kMin, kMax, kSelect, kCount };

Sym apply(Step step, Sym a, Sym b, Sym c) {
  switch (step) {
    case Step::kAdd: return a + b;
    case Step::kSubtract: return a - b;
    case Step::kMultiply: return a * b;
    case Step::kDivide: return floor_div(a, b);
    case Step::kRemainder: return mod(a, b);
    case Step::kMin: return min(a, b);
    case Step::kMax: return max(a, b);
    default: return select(c, a, b);
  }
}

int64_t apply(Step step, int64_t a, int64_t b, int64_t c) {
  switch (step) {
    case Step::kAdd: return a + b;
    case Step::kSubtract: return a - b;
    case Step::kMultiply: return a * b;
    case Step::kDivide: return divide(a, b);
    case Step::kRemainder: return a - divide(a, b) * b;
    case Step::kMin: return std::min(a, b);
    case Step::kMax: return std::max(a, b);
    default: return c >= 0 ? a : b;
  }
}

bool is_small(Sym e) { return range(e).lo > -kLargest && range(e).hi < kLargest; }

}  // namespace

SizeExpressions::SizeExpressions(uint64_t seed) {
  Random random(seed, "sizes");
  const int64_t lo = random.between(0, 3), hi = lo + random.between(1, 40), most = random.between(1, 9);
  const Sym n = table_.variable("n", lo, hi), m = table_.variable("m", 1, most);
  const Sym i = table_.loop("i", 0, n), j = table_.loop("j", 1, m + 1);
  for (int p = 0; p < kPoints; ++p) {  // most values are at an end of their range, where errors are most likely
    const int64_t nv = std::max<int64_t>(1, random.chance(50) ? lo : random.between(lo, hi)), mv = random.between(1, most);
    const int64_t last = nv - 1;
    points_.push_back({nv, mv, random.chance(30) ? 0 : random.chance(40) ? last : random.between(0, last), random.between(1, mv)});
  }
  const auto add = [&](Sym form, auto value_at) {
    Expression made{form, {}};
    for (size_t p = 0; p < points_.size(); ++p) made.values.push_back(value_at(p));
    expressions_.push_back(std::move(made));
  };
  const Sym variables[] = {n, m, i, j};
  for (size_t v = 0; v < 4; ++v) add(variables[v], [&](size_t p) { return points_[p][v]; });
  for (const int64_t c : {int64_t{-1}, int64_t{1}, int64_t{2}, random.between(3, 9)}) add(c, [=](size_t) { return c; });
  for (int made = 0; made < kSteps; ++made) {
    const auto step = static_cast<Step>(random.below(static_cast<uint64_t>(Step::kCount)));
    const Expression a = random.pick(expressions_), b = random.pick(expressions_), c = random.pick(expressions_);
    if (!is_small(a.form) || !is_small(b.form)) continue;
    // Skips a divisor that may be 0: harp may simplify a division on the assumption that the divisor is not 0 (symbolic.h).
    if ((step == Step::kDivide || step == Step::kRemainder) && range(b.form).lo < 1) continue;
    add(apply(step, a.form, b.form, c.form), [&](size_t p) { return apply(step, a.values[p], b.values[p], c.values[p]); });
  }
}

std::string SizeExpressions::normal_forms() const {
  return join(expressions_, "\n", [](const Expression& e) { return to_string(e.form); });
}

std::string SizeExpressions::mistake_in(const Expression& expression) const {
  const bool is_nonnegative = proven_nonnegative(expression.form);
  const SymRange bounds = range(expression.form);
  for (size_t p = 0; p < points_.size(); ++p) {
    const Point& at = points_[p];
    const int64_t expected = expression.values[p];
    const int64_t got = evaluate(expression.form, [&](const SymAtom& v) {
      return at[v.name == "n" ? 0 : v.name == "m" ? 1 : v.name == "i" ? 2 : 3];
    });
    const auto say = [&](auto... what) {
      return cat(to_string(expression.form), " is ", expected, " at n = ", at[0], ", m = ", at[1], ", i = ", at[2], ", j = ", at[3],
                 what...);
    };
    if (got != expected) return say(", not ", got);
    if (expected < bounds.lo || expected > bounds.hi) return say(", outside its range ", bounds.lo, "..", bounds.hi);
    if (is_nonnegative && expected < 0) return say(", proven to be at least 0");
  }
  return "";
}

std::string SizeExpressions::first_mistake() const {
  for (const Expression& expression : expressions_)
    if (std::string mistake = mistake_in(expression); !mistake.empty()) return mistake;
  return "";
}

std::string binding_mistake(const Graph& graph, const std::vector<int64_t>& values) {
  const auto signature = std::make_shared<const Signature>(signature_of(*graph.clone()));
  std::vector<std::vector<int64_t>> dims;
  for (const ArraySignature& input : signature->inputs) {
    std::vector<int64_t>& sizes = dims.emplace_back();
    for (const Dim dim : input.shape) sizes.push_back(SizeCode(dim, signature->variable_syms).evaluate(values));
  }
  std::vector<ArrayType> inputs;
  for (size_t i = 0; i < dims.size(); ++i) inputs.push_back({signature->inputs[i].dtype, dims[i]});
  std::vector<NamedSize> named;
  for (size_t i = 0; i < values.size(); ++i)
    if (signature->variables[i].input < 0) named.push_back({signature->variables[i].name, values[i]});
  std::vector<int64_t> found(values.size());
  Binding(signature).bind(inputs, named, found);
  if (found == values) return {};
  const auto text = [](const std::vector<int64_t>& numbers) { return join(numbers, ", "); };
  return cat("shape variables ", text(values), " of ", signature->text(), " are found as ", text(found));
}

}  // namespace harp::fuzz
