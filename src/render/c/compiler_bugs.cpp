#include "render/c/compiler_bugs.h"

#include <algorithm>
#include <bit>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/gcc_bugs.h"
#include "base/text.h"
#include "ir/rewrite.h"
#include "ir/walk.h"

namespace harp::render {

// These compiler switches avoid three bugs of gcc at -O3, which the tests of all operations and the fuzzer have found. (1) A pad of rows of
// five elements gave wrong results, because gcc permuted masked loads; without if-conversion gcc emits no masked loads. (2) gcc itself
// crashed while it vectorised straight-line code. (3) A loop that uses only the first element of each pair in an array of pairs read beyond
// the array; with the cheap cost model gcc does not vectorise the remainder of such a loop.
std::string gcc_text() {
  return cat(
      "/* gcc 12 miscompiles permuted masked loads (bug 114375), and wrongly vectorises straight-line code and remainders of loops with "
      "gaps. */\n"
      "#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < ",
      kGccBugsMended, " && !defined(", kGccBugMacro, ")\n#pragma GCC optimize(",
      join(kGccBugSwitches, ", ", [](std::string_view argument) { return cat("\"", argument, "\""); }), ")\n#endif\n");
}

// This bug was found with sums of reversed rows, in a loop each of whose iterations reads eight elements of a row in descending order. If
// an iteration reads four or more elements in this way, gcc reads elements of other rows, at any vector width. Kernels with explicit
// vectors load such rows as vectors, so disabling gcc's vectoriser costs little.
const std::string_view kBackwardsText =
    "/* gcc 12 reads wrong elements when it vectorises a loop that reads groups of elements in descending order. */\n"
    "#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14\n"
    "#define harp_reads_backwards __attribute__((optimize(\"no-tree-loop-vectorize\")))\n"
    "#else\n"
    "#define harp_reads_backwards\n"
    "#endif\n\n";

namespace {

/// The variables of loops that advance by 1.
using UnitStepVariables = std::unordered_set<const SymAtom*>;

/// Tests whether the position decreases by more than one element per iteration of some loop. A position that decreases by exactly one
/// element does not trigger the bug, so the result is then false. This matters for speed: gcc's vectoriser also compiles loops over lanes,
/// and it stays enabled for kernels without accesses that trigger the bug.
bool descends(Sym position, const UnitStepVariables& unit_steps) {
  if (position.is_constant()) return false;
  const auto& terms = position.node()->terms;
  return std::any_of(terms.begin(), terms.end(), [&](const SymTerm& t) {
    const bool by_one = t.coefficient == -1 && t.factors.size() == 1 && unit_steps.contains(t.factors[0]);
    return t.coefficient < 0 && t.factors.back()->stage > 0 && !by_one;
  });
}

}  // namespace

bool reads_backwards(const ir::Kernel& kernel) {
  std::vector<const ir::UOp*> roots;
  UnitStepVariables unit_steps;
  for (const ir::Stmt* s : ir::statements_of(kernel.body)) {
    if (const auto* loop = ir::as<ir::Loop>(s); loop != nullptr && loop->step == 1) unit_steps.insert(variable_of(loop->variable));
    ir::for_each_value(*s, [&](const ir::UOp* root) { roots.push_back(root); });
  }
  return ir::any_uop(std::move(roots),
                     [&](const ir::UOp* u) { return ir::is_read(u) && u->type.lanes == 1 && descends(u->index, unit_steps); });
}

// The fuzzer found this bug with a loop that reads every third element of a 64-element array, with an index that wraps around. clang 14 at
// -O2 made the loop read element 190. clang treats the remainder of a division by 2^k as an integer of k bits, and assumes that it never
// wraps.
const std::string_view kWrapsText =
    "/* clang 14 reads beyond an array when it vectorises a loop of constant length whose index wraps around at a power of two. */\n"
    "#if defined(__clang__)\n"
    "#define harp_wraps _Pragma(\"clang loop vectorize(disable)\")\n"
    "#else\n"
    "#define harp_wraps\n"
    "#endif\n\n";

namespace {

bool is_power_of_two(Sym divisor) { return divisor.is_constant() && std::has_single_bit(static_cast<uint64_t>(divisor.constant())); }

/// Tests whether some subexpression is a bitwise AND with a constant.
bool keeps_low_bits(const ir::UOp* root) {
  return ir::any_uop({root}, [](const ir::UOp* u) {
    const auto is_constant = [](const ir::UOp* source) { return source->kind == ir::UKind::kConst; };
    return u->kind == ir::UKind::kAlu && u->op == Op::kBitAnd && std::ranges::any_of(u->sources, is_constant);
  });
}

}  // namespace

bool wraps_positions(const ir::Line& loop, std::span<const ir::Line> lines) {
  const auto& s = loop.as<ir::Loop>();
  if (!s.begin.is_constant() || !s.end.is_constant() || s.step != 1 || s.overlap) return false;
  bool wraps = false;
  for (int depth = 1; depth > 0 && !lines.empty(); lines = lines.subspan(1)) {
    const ir::Line& line = lines.front();
    if (line.kind == ir::LineKind::kLoop) return false;  // clang vectorises only innermost loops, and this loop contains another one
    depth += line.kind == ir::LineKind::kIf || line.kind == ir::LineKind::kTry ? 1 : line.kind == ir::LineKind::kEnd ? -1 : 0;
    wraps |= line.kind == ir::LineKind::kOffset && line.atom->kind == AtomKind::kMod && is_power_of_two(line.atom->b);
    wraps |= line.value != nullptr && keeps_low_bits(line.value);
    if (line.statement != nullptr) ir::for_each_value(*line.statement, [&](const ir::UOp* root) { wraps |= keeps_low_bits(root); });
  }
  return wraps;
}

}  // namespace harp::render
