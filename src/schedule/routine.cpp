#include "schedule/routine.h"

#include "base/error.h"

namespace harp {
namespace {

constexpr int64_t kMostBlocks = 16;
constexpr int64_t kLeastDftRows = 8;  // of a block: its roots cost as much as a few rows

/// render/dft.cpp says what for. Lengths that are products of small primes need the roots and one more row; others go through a
/// transform whose length M is a power of two, at least 2 n - 1 and so below 4 n: a chirp, and roots, filter and three rows of M.
Dim dft_spare(Dim n) {
  if (!n.is_constant()) return 42 * n;
  int64_t rest = n.constant(), power = 1;
  for (const int64_t prime : {2, 3, 5, 7, 11, 13})
    while (rest > 1 && rest % prime == 0) rest /= prime;
  if (rest <= 1) return 4 * n;
  while (power < 2 * n.constant() - 1) power *= 2;
  return 2 * n + 10 * power;
}

}  // namespace

Dim routine_blocks(const Node& node) {
  const Shape& shape = node.sources[0]->shape;
  const Dim rows = element_count(Shape(shape.begin(), shape.end() - 1));
  return min(node.op == Op::kDft ? ceil_div(rows, kLeastDftRows) : rows, kMostBlocks);
}

Dim routine_spare(const Node& node) {
  const Dim length = node.shape.back();
  switch (node.op) {
    case Op::kArgSort: return length;
    case Op::kDft: return dft_spare(length);
    default: fail(Code::kInternal, name(node.op), " is no routine");
  }
}

}  // namespace harp
