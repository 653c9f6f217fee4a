#include "render/gcc_bugs.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "base/gcc_bugs.h"
#include "base/text.h"
#include "ir/rewrite.h"

namespace harp::render {

// Each was found by the op matrix or the fuzzer at -O3: garbage for a pad of rows of five elements (no if-conversion: no masked loads to
// permute); a segmentation fault of gcc itself; reads behind an array of pairs of which a loop takes the first (the cheap model makes no
// vectors for what is left over).
std::string gcc_text() {
  return cat(
      "/* gcc 12 vectorises three things wrongly: permuted masked loads (bug 114375), straight code, what is left of a loop with gaps. */\n"
      "#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < ",
      kGccBugsMended, " && !defined(", kGccBugMacro, ")\n#pragma GCC optimize(",
      join(kGccBugSwitches, ", ", [](std::string_view argument) { return cat("\"", argument, "\""); }), ")\n#endif\n");
}

// Sums of flipped rows, of which an iteration takes eight elements, one before the other, from each row: of four or more such elements
// gcc took those of other rows, at any vector width. Kernels with vectors of their own read backwards by vectors, so little is lost.
const std::string_view kBackwardsText =
    "/* gcc 12 reads the wrong elements when it vectorises loops that take groups of them backwards. */\n"
    "#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14\n"
    "#define harp_reads_backwards __attribute__((optimize(\"no-tree-loop-vectorize\")))\n"
    "#else\n"
    "#define harp_reads_backwards\n"
    "#endif\n\n";

namespace {

/// Loop variables that go up by one.
using Ones = std::unordered_set<const SymAtom*>;

/// Does the position go down, by more than one element at a time, somewhere while a loop variable goes up? Single elements one before the
/// other are no group, and loops over lanes, which need the vectoriser, stay with them.
bool descends(Sym position, const Ones& ones) {
  if (position.is_constant()) return false;
  const auto& terms = position.node()->terms;
  return std::any_of(terms.begin(), terms.end(), [&](const SymTerm& t) {
    const bool by_one = t.coefficient == -1 && t.factors.size() == 1 && ones.contains(t.factors[0]);
    return t.coefficient < 0 && t.factors.back()->stage > 0 && !by_one;
  });
}

}  // namespace

bool reads_backwards(const ir::Kernel& kernel) {
  std::vector<const ir::UOp*> stack;
  Ones ones;
  for (const ir::Stmt* s : ir::statements_of(kernel.body)) {
    if (s->kind == ir::StmtKind::kLoop && s->step == 1) ones.insert(variable_of(s->variable));
    for (const ir::UOp* root : ir::roots_of(*s))
      if (root != nullptr) stack.push_back(root);
  }
  std::unordered_set<const ir::UOp*> seen;
  while (!stack.empty()) {
    const ir::UOp* u = stack.back();
    stack.pop_back();
    if (!seen.insert(u).second) continue;
    if (ir::is_read(u) && u->type.lanes == 1 && descends(u->index, ones)) return true;
    stack.insert(stack.end(), u->sources.begin(), u->sources.end());
  }
  return false;
}

}  // namespace harp::render
