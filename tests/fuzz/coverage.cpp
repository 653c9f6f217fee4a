#include "fuzz/coverage.h"

#include <cmath>

#include "base/text.h"
#include "fuzz/workbench.h"

namespace harp::fuzz {
namespace {

/// Can `op` give an array of this dtype?
bool may_produce(Op op, DType dtype) {
  const OpInfo& row = info(op);
  if (op == Op::kArange) return dtype == DType::kI32;
  if (op == Op::kSize) return dtype == DType::kI64;
  if (row.result == Result::kBool) return dtype == DType::kBool;
  return row.result == Result::kStated || accepts(row.operands, dtype);
}

/// Can `op` read one?
bool may_consume(Op op, DType dtype) { return info(op).arity != 0 && (accepts(op, dtype) || (op == Op::kWhere && is_bool(dtype))); }

}  // namespace

void Coverage::add(const Case& test) {
  ++cases_;
  const auto traits = traits_of(test);
  for (size_t i = 0; i < traits.size(); ++i) traits_[i] += traits[i];
  for (const Node* node : test.graph->live_nodes()) {
    ++uses_[static_cast<size_t>(node->op)];
    for (const Node* source : node->sources) pairs_.insert({source->op, node->op, source->dtype});
  }
}

double Coverage::percent(Trait trait) const {
  return cases_ == 0 ? 0 : 100.0 * static_cast<double>(traits_[trait]) / static_cast<double>(cases_);
}

double Coverage::pairs_percent() const {
  size_t legal = 0;
  for (int producer = 0; producer < kOpCount; ++producer)
    for (int consumer = 0; consumer < kOpCount; ++consumer)
      for (const DType dtype : graph_dtypes())
        legal += may_produce(static_cast<Op>(producer), dtype) && may_consume(static_cast<Op>(consumer), dtype);
  return 100.0 * static_cast<double>(pairs_.size()) / static_cast<double>(legal);
}

std::string Coverage::report() const {
  const auto rounded = [](double percent) { return static_cast<int64_t>(std::lround(percent)); };
  std::string out = cat(cases_, " graphs; share of");
  for (size_t i = 0; i < kTraitCount; ++i)
    append(out, cat(i == 0 ? " " : ", ", kTraitNames[i], " ", rounded(percent(static_cast<Trait>(i))), "%"));
  append(out, cat("\nproducer x consumer x dtype: ", rounded(pairs_percent()), "% of the legal ones\n"));
  std::string unused;
  for (int op = 0; op < kOpCount; ++op)
    if (uses_[static_cast<size_t>(op)] == 0) append(unused, cat(" ", kOps[op].name));
  if (!unused.empty()) append(out, cat("never used:", unused, "\n"));
  return out;
}

}  // namespace harp::fuzz
