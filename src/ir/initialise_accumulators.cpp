// Joins the declaration of an accumulator and the statement (AccSet) that gives all its elements their first values. If an accumulator has
// several elements, lowering declares it without a value and then emits a loop that sets its elements. When the loop has become one vector
// statement, the declaration can have that vector as its value. Without this rewrite, generated code would clear the accumulator and set it
// in the next line.
#include <span>
#include <unordered_map>

#include "ir/rewrite.h"
#include "ir/walk.h"

namespace harp::ir {
namespace {

class Initialiser {
 public:
  Initialiser(Arena& arena, std::span<const Accumulator> accumulators) : arena_(arena), accumulators_(accumulators) {}

  void visit_body(Body& body) {
    Body result;
    // Accumulators that this list of statements declares without a value, and that no statement has used since. Maps the number of such an
    // accumulator to the index of its declaration in `result`.
    std::unordered_map<int, size_t> unused;
    for (Stmt* s : body) {
      for_each_body(*s, [&](Body& inside) { visit_body(inside); });
      for_each_value(*s, [&](const UOp* root) {
        for_each_uop({root}, [&](const UOp* u) {
          if (u->kind == UKind::kAcc) unused.erase(u->buffer);
        });
      });
      if (const auto* declare = as<AccDeclare>(s)) {
        if (declare->value == nullptr) unused[declare->accumulator] = result.size();
      } else if (const auto* set = as<AccSet>(s)) {
        if (const auto declared = unused.find(set->accumulator); declared != unused.end()) {
          if (sets_all(*set)) {
            result[declared->second] = nullptr;
            s = declared_as(*set);
          }
          unused.erase(declared);
        }
      } else {
        unused.clear();
      }
      result.push_back(s);
    }
    std::erase(result, nullptr);
    body = std::move(result);
  }

 private:
  /// Tests whether the accumulator is in registers and the statement sets all its elements.
  bool sets_all(const AccSet& set) const {
    const Accumulator& a = accumulators_[static_cast<size_t>(set.accumulator)];
    return a.type.lanes == 1 && a.count > 1 && !a.is_row && !in_worker_memory(a) && set.value->type.lanes == a.count &&
           set.index.is_constant(0) && set.lane_step.is_constant(1);
  }
  AccDeclare* declared_as(const AccSet& set) {
    auto* declare = arena_.statement<AccDeclare>();
    declare->accumulator = set.accumulator;
    declare->value = set.value;
    return declare;
  }

  Arena& arena_;
  std::span<const Accumulator> accumulators_;
};

}  // namespace

void initialise_accumulators(Arena& arena, Kernel& kernel) { Initialiser(arena, kernel.accumulators).visit_body(kernel.body); }

}  // namespace harp::ir
