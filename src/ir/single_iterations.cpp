// Replaces loops of one iteration by their bodies (unroll_single_iterations). Lowering emits such loops where a size happens to leave one
// step. For example, if a row consists of 49 rounds, which are executed 8 at a time, the loop over the remaining rounds has one iteration.
#include <algorithm>
#include <vector>

#include "ir/rewrite.h"

namespace harp::ir {
namespace {

class SingleIterations {
 public:
  SingleIterations(Arena& arena, const Kernel& kernel) : arena_(arena), declarations_(kernel.accumulators.size(), 0) {
    for (const Stmt* s : statements_of(kernel.body))
      if (const auto* declare = as<AccDeclare>(s)) ++declarations_[static_cast<size_t>(declare->accumulator)];
  }

  Body apply(const Body& body) {
    Body result;
    for (Stmt* s : body) {
      for_each_body(*s, [&](Body& inside) { inside = apply(inside); });
      if (const auto* loop = as<Loop>(s); loop != nullptr && is_replaceable(*loop)) {
        const Body only = unroll(arena_, loop);
        result.insert(result.end(), only.begin(), only.end());
      } else {
        result.push_back(s);
      }
    }
    return result;
  }

 private:
  bool is_replaceable(const Loop& loop) const {
    const Sym length = loop.end - loop.begin;
    const bool is_plain = (loop.loop == LoopKind::kSequential || loop.loop == LoopKind::kUnroll) && !loop.overlap && loop.tags.empty();
    if (!is_plain || !length.is_constant() || length.constant() < 1 || length.constant() > loop.step) return false;
    if (std::ranges::any_of(loop.body, [](const Stmt* s) { return s->kind == StmtKind::kBreak; })) return false;
    // Generated code names variables after accumulators. The accumulators of the body must therefore have unique names in the block around
    // the loop, to which the body moves.
    const std::vector<const Stmt*> inside = statements_of(loop.body);
    const auto is_declared_inside = [&](int accumulator) {
      return std::ranges::any_of(inside, [&](const Stmt* s) {
        const auto* declare = as<AccDeclare>(s);
        return declare != nullptr && declare->accumulator == accumulator;
      });
    };
    return std::ranges::all_of(inside, [&](const Stmt* s) {
      if (const auto* nested = as<Loop>(s)) return nested->loop != LoopKind::kThread;
      if (const auto* declare = as<AccDeclare>(s)) return declarations_[static_cast<size_t>(declare->accumulator)] == 1;
      if (const auto* fold = as<AccFold>(s)) return is_declared_inside(fold->accumulator);
      return true;
    });
  }

  Arena& arena_;
  std::vector<int> declarations_;  // for each accumulator: the number of statements that declare it
};

}  // namespace

void unroll_single_iterations(Arena& arena, Kernel& kernel) { kernel.body = SingleIterations(arena, kernel).apply(kernel.body); }

}  // namespace harp::ir
