// The statements of the loop IR: one struct a kind, with the fields of that kind and no others. The Arena owns them; a tree refers to them.
//
// What has to know every kind goes through visit(), for_each_body(), for_each_position() or for_each_value(): a kind that one of them does
// not list does not compile. A new kind is a name in HARP_IR_STATEMENTS, a struct, and a line in each of the last two.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/symbolic.h"
#include "ops/ops.h"
#include "ops/transform_parts.h"

namespace harp::ir {

struct UOp;

#define HARP_IR_STATEMENTS(X)                                                                                                            \
  X(StoreGroup)                                                                                                                          \
  X(Loop) X(Define) X(If) X(Retry) X(Store) X(Prefetch) X(Scatter) X(AccDeclare) X(AccSet) X(AccUpdate) X(AccFold) X(AccScan) X(Routine) \
      X(Copy) X(Break) X(Comment)

#define HARP_IR_KIND(name) k##name,
enum class StmtKind : uint8_t { HARP_IR_STATEMENTS(HARP_IR_KIND) };
#undef HARP_IR_KIND

struct Stmt {
  StmtKind kind;

 protected:
  explicit Stmt(StmtKind of) : kind(of) {}
};
using Body = std::vector<Stmt*>;

template <StmtKind of>
struct StmtOf : Stmt {
  static constexpr StmtKind kKind = of;
  StmtOf() : Stmt(of) {}
};

/// Stores, the values of all of which are computed before the first one stores.
struct StoreGroup : StmtOf<StmtKind::kStoreGroup> {
  Body body;
};

enum class LoopKind : uint8_t {
  kSequential,
  kThread,  // its range is the kernel's begin/end arguments; iterations are independent. What is around it each call does for itself
  kVector,  // iterations are independent; the vectorise rewrite turns it into steps of simd_width
  kUnroll,  // fixed trip count, written out
};

/// variable = begin, begin + step, … while < end.
struct Loop : StmtOf<StmtKind::kLoop> {
  LoopKind loop = LoopKind::kSequential;
  Sym variable, begin, end;
  int64_t step = 1;
  // begin + count * step need not meet `end`: one step more overlaps another, so that some iterations run twice; only where
  // end - begin >= step is known or guarded. What that step reads of a parameter that may be written in place is read before the first
  // step.
  bool overlap = false;
  // A run that was cancelled leaves the kernel in front of each iteration (1), or where so many of them were done and more follow; 0: it
  // does not look. Of a thread loop: what shares it out looks as well.
  int64_t iterations_to_look = 0;
  Body body;
};

/// variable = value, an i64 that is not negative, in the body.
struct Define : StmtOf<StmtKind::kDefine> {
  Sym variable;
  const UOp* value = nullptr;
  Body body;
};

/// `body` where condition >= 0, else `otherwise`.
struct If : StmtOf<StmtKind::kIf> {
  Sym condition;
  Body body, otherwise;
};

/// `body` and, where one of its operations on floats was invalid (a WatchedMaximum of what it should not meet is), then `otherwise`, which
/// sets and stores all the same again. Where that cannot be told, `otherwise` alone.
struct Retry : StmtOf<StmtKind::kRetry> {
  Body body, otherwise;
};

/// buffer[index + lane * lane_step] = value, where mask (may be null) is true.
struct Store : StmtOf<StmtKind::kStore> {
  int buffer = -1;
  Sym index, lane_step;
  const UOp* value = nullptr;
  const UOp* mask = nullptr;
  // Past the caches, if what is stored are vectors that begin at a multiple of their size; no other store of the kernel may meet such a
  // line.
  bool stream = false;
};

/// Soon buffer[index], or with a position buffer[index + position * stride], is loaded, or stored to if the parameter is written; the
/// address may be beyond the array.
struct Prefetch : StmtOf<StmtKind::kPrefetch> {
  int buffer = -1;
  Sym index;
  const UOp* position = nullptr;
  Sym stride;
  bool is_near = false;  // the first cache may take it, where that has room
};

/// buffer[index + position * stride + lane * lane_step] becomes what `combine` (Add, Mul, Max, Min) makes of it and value, or value if
/// there is none; position is one i32 or i64 for all lanes, inside the array. No value is read from that buffer otherwise.
struct Scatter : StmtOf<StmtKind::kScatter> {
  int buffer = -1;
  Sym index, lane_step;
  const UOp* value = nullptr;
  const UOp* position = nullptr;
  Sym stride;
  std::optional<Op> combine;
};

/// Sets the accumulator to its init, or to `value` if there is one, unless it is a row.
struct AccDeclare : StmtOf<StmtKind::kAccDeclare> {
  int accumulator = -1;
  const UOp* value = nullptr;
};

/// accumulator[index + lane * lane_step] = value.
struct AccSet : StmtOf<StmtKind::kAccSet> {
  int accumulator = -1;
  Sym index, lane_step;
  const UOp* value = nullptr;
};

/// accumulator[index + lane * lane_step] = combine(that, value), or with `factor` fma(value, factor, that).
struct AccUpdate : StmtOf<StmtKind::kAccUpdate> {
  int accumulator = -1;
  Sym index, lane_step;
  const UOp* value = nullptr;
  const UOp* factor = nullptr;
};

/// All elements are folded into element 0 by halving: s[i] = combine(s[i], s[i + h]) for h = count/2 … 1; each lane of its type is folded
/// for itself.
struct AccFold : StmtOf<StmtKind::kAccFold> {
  int accumulator = -1;
  // Elements from here on still hold init, if it is there, and the others have been updated without a factor. Such a value combined with
  // init is that value, bit for bit (it is not -0.0: init is in it), so where used <= 1 there is nothing to do.
  std::optional<Sym> used;
};

constexpr int kScannedGroup = 64, kQuad = 4;  // elements

/// What is done to the group of a scan, and in between in this order.
enum class ScanPart : uint8_t {
  kWhole,
  kQuads,   // quads are scanned, each by itself; what order elements lie in afterwards is the renderer's affair until kValues
  kTotals,  // one step of the scan of the quads' totals: `step` quads further
  kBefore,  // totals become what comes before each quad
  kAdded,   // and that is added to the elements
  kValues,  // which lie in order again
};

/// The elements of the accumulator, a group of at most 64, become their running values by the law's rule for a group (docs/semantics.md,
/// "Scans"), from `value` on; the total of the group, without `value`, is set into element 0 of `total`. Or a part of that is done for
/// group `index` of several in the accumulator; `quads` holds the totals of the quads of each group. `value` and `total` are then vectors,
/// the same number in every lane.
struct AccScan : StmtOf<StmtKind::kAccScan> {
  int accumulator = -1;
  Sym index;
  const UOp* value = nullptr;
  int total = -1, quads = -1;
  ScanPart part = ScanPart::kWhole;
  int64_t step = 1;
};

/// An op of that family, of rows begin … end - 1 of the parameters `inputs`, each of `length` elements, one after the other; the result is
/// stored to the same rows of parameter `buffer`. Parameter `spare` is overwritten from spare_index on, as far as schedule/routine.h says,
/// or `accumulator`, a row, where there is one.
struct Routine : StmtOf<StmtKind::kRoutine> {
  Op routine = Op::kArgSort;
  bool descending = false;  // of a Sort
  Sym begin, end, length;
  std::vector<int> inputs;
  int buffer = -1;
  int accumulator = -1;
  int spare = -1;
  Sym spare_index;
  // Of a Dft, rows and elements lie as `parts` say, those of the operands and those of the result's two parts in `buffer`. Vectors go along
  // rows or, where rows are columns, from one to the next; then there are at least `columns` of them, else that is 0. In that direction
  // parts lie as `lie` and `to_lie` say; without imaginary parts both operands are the same. Of each row `kept` elements are stored, the
  // first ones; 0: all.
  struct Part {
    Sym start, row_step, step;
  };
  std::vector<Part> parts;
  int64_t columns = 0, kept = 0;
  PartsLie lie = PartsLie::kApart, to_lie = PartsLie::kApart;
};

/// Of `rows` times `length` elements, [i][j] is copied from element from + i * from_row_stride + j * from_stride of parameter inputs[0], or
/// of accumulator `source`, a row, where there is one, to element index + i * stride + j of parameter `buffer`, or of `accumulator`, a row,
/// where there is one. What is written is not what is read.
struct Copy : StmtOf<StmtKind::kCopy> {
  std::vector<int> inputs;
  int source = -1;
  Sym from, from_row_stride = 1, from_stride;
  Sym rows, length;
  int buffer = -1;
  int accumulator = -1;
  Sym index, stride;
  bool stream = false;   // whole lines of the parameter go past the caches
  bool as_read = false;  // in the order in which it is read, not in that in which it is stored
};

/// The loop of which it is the last statement ends where `accumulator`, an i32 that was declared outside of it, is not 0.
struct Break : StmtOf<StmtKind::kBreak> {
  int accumulator = -1;
};

struct Comment : StmtOf<StmtKind::kComment> {
  std::string text;
};

/// The statement as this kind; null where it is another.
template <class S>
S* as(Stmt* s) {
  return s->kind == S::kKind ? static_cast<S*>(s) : nullptr;
}
template <class S>
const S* as(const Stmt* s) {
  return s->kind == S::kKind ? static_cast<const S*>(s) : nullptr;
}

/// T is one of these structs, const or not.
template <class T, class... Kinds>
concept Is = (std::same_as<std::remove_cvref_t<T>, Kinds> || ...);

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

/// visitor(statement as what it is), also where that is known already.
template <class S, class Visitor>
decltype(auto) visit(S& s, Visitor&& visitor) {
  if constexpr (!Is<S, Stmt>) {
    return visitor(s);
  } else {
    switch (s.kind) {
#define HARP_IR_CASE(name) \
  case StmtKind::k##name: return visitor(static_cast<std::conditional_t<std::is_const_v<S>, const name, name>&>(s));
      HARP_IR_STATEMENTS(HARP_IR_CASE)
#undef HARP_IR_CASE
    }
    fail(Code::kInternal, "IR: a statement of no kind");
  }
}

/// The lists of statements inside this one.
template <class S, class Visit>
void for_each_body(S& s, Visit f) {
  visit(s, Overloaded{
               [&](Is<StoreGroup, Loop, Define> auto& of) { f(of.body); },
               [&](Is<If, Retry> auto& of) { f(of.body), f(of.otherwise); },
               [&](Is<Store, Prefetch, Scatter, AccDeclare, AccSet, AccUpdate, AccFold, AccScan, Routine, Copy, Break, Comment> auto&) {},
           });
}

/// The positions (Sym&) of the statement itself, not of those inside it; the variables of loops and definitions are none.
template <class S, class Visit>
void for_each_position(S& s, Visit f) {
  visit(s, Overloaded{
               [&](Is<Loop> auto& of) { f(of.begin), f(of.end); },
               [&](Is<If> auto& of) { f(of.condition); },
               [&](Is<Store, AccSet, AccUpdate> auto& of) { f(of.index), f(of.lane_step); },
               [&](Is<Prefetch> auto& of) { f(of.index), f(of.stride); },
               [&](Is<Scatter> auto& of) { f(of.index), f(of.lane_step), f(of.stride); },
               [&](Is<AccFold> auto& of) {
                 if (of.used) f(*of.used);
               },
               [&](Is<AccScan> auto& of) { f(of.index); },
               [&](Is<Routine> auto& of) {
                 f(of.begin), f(of.end), f(of.length), f(of.spare_index);
                 for (auto& part : of.parts) f(part.start), f(part.row_step), f(part.step);
               },
               [&](Is<Copy> auto& of) {
                 f(of.index), f(of.stride), f(of.rows), f(of.length), f(of.from), f(of.from_row_stride), f(of.from_stride);
               },
               [&](Is<StoreGroup, Define, Retry, AccDeclare, Break, Comment> auto&) {},
           });
}

/// The values (const UOp*&) that the statement itself uses, those that are there.
template <class S, class Visit>
void for_each_value(S& s, Visit f) {
  const auto some = [&](auto&... values) { ((values != nullptr ? f(values) : void()), ...); };
  visit(s, Overloaded{
               [&](Is<Define, AccDeclare, AccSet, AccScan> auto& of) { some(of.value); },
               [&](Is<Store> auto& of) { some(of.value, of.mask); },
               [&](Is<Prefetch> auto& of) { some(of.position); },
               [&](Is<Scatter> auto& of) { some(of.value, of.position); },
               [&](Is<AccUpdate> auto& of) { some(of.value, of.factor); },
               [&](Is<StoreGroup, Loop, If, Retry, AccFold, Routine, Copy, Break, Comment> auto&) {},
           });
}

/// The accumulators (int) whose elements the statement sets, combines, folds or scans.
template <class Visit>
void for_each_changed_accumulator(const Stmt& s, Visit f) {
  visit(s, Overloaded{
               [&](Is<AccSet, AccUpdate, AccFold> auto& of) { f(of.accumulator); },
               [&](Is<AccScan> auto& of) {
                 for (const int a : {of.accumulator, of.total, of.quads})
                   if (a >= 0) f(a);
               },
               [&](Is<Routine, Copy> auto& of) {
                 if (of.accumulator >= 0) f(of.accumulator);
               },
               [&](Is<StoreGroup, Loop, Define, If, Retry, Store, Prefetch, Scatter, AccDeclare, Break, Comment> auto&) {},
           });
}

/// The variable that the statement's body may use; none: it has none.
inline std::optional<Sym> variable_in(const Stmt& s) {
  if (const auto* loop = as<Loop>(&s)) return loop->variable;
  if (const auto* define = as<Define>(&s)) return define->variable;
  return std::nullopt;
}

/// The loop that is the only statement; else null.
inline Loop* only_loop_in(const Body& body) { return body.size() == 1 ? as<Loop>(body[0]) : nullptr; }
/// The loop that is the first statement; else null.
inline Loop* first_loop_in(const Body& body) { return body.empty() ? nullptr : as<Loop>(body[0]); }

/// All statements, the nested ones too.
std::vector<const Stmt*> statements_of(const Body& body);

}  // namespace harp::ir
