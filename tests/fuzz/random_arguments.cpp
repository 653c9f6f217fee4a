#include "fuzz/random_arguments.h"

#include <array>

#include "graph/composites.h"

namespace harp::fuzz {
namespace {

// limit on random elements: one element takes more than a hundred nodes, all of which count towards the work limit (is_runnable)
constexpr int64_t kMaxElements = 1000;

/// A scalar of an unsigned dtype: a constant, an input, or a sum of the elements of the primary array.
NodeRef number(Workbench& bench, NodeRef primary) {
  Random& random = bench.random();
  const DType dtype = random.chance(70) ? DType::kU64 : DType::kU32;
  if (random.chance(30)) return build::constant(bench.graph(), bench.random_scalar(dtype));
  if (random.chance(40) && is_int(primary->dtype)) return build::cast(build::sum(primary, {}, false), dtype);
  return bench.array_of(dtype, {});
}

}  // namespace

std::optional<std::vector<Argument>> random_arguments(Workbench& bench, const Operation& row, NodeRef primary) {
  if (primary == nullptr || !row.name.starts_with("random_")) return std::nullopt;
  Random& random = bench.random();
  const NodeRef key = number(bench, primary);
  const Argument counter = random.chance(60) ? Argument(number(bench, primary)) : Argument();
  Shape shape = random.chance(60) ? primary->shape : bench.random_shape();
  if (bench.estimated_count(shape) > kMaxElements) shape = {bench.small_dim(0, 70)};
  std::vector<SizeItem> sizes(shape.begin(), shape.end());
  constexpr std::array words = {DType::kU8, DType::kU16, DType::kU32, DType::kU64};
  constexpr std::array floats = {DType::kF16, DType::kBF16, DType::kF32, DType::kF64};
  const DType dtype = row.name == "random_bits" ? random.pick(words) : random.pick(floats);
  return std::vector<Argument>{key, std::move(sizes), counter, std::string(name(dtype))};
}

}  // namespace harp::fuzz
