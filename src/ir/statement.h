// The statements of the loop IR: one struct for each kind, with only the fields of that kind. The Arena owns the statements; a tree refers
// to them.
//
// Code that must handle every kind uses visit(), for_each_body(), for_each_position() or for_each_value(). A kind that one of them does not
// list does not compile. To add a kind, add its name to HARP_IR_STATEMENTS, a struct, and a line in each of the last two functions.
//
// Groups of threads
// -----------------
// On a GPU one iteration of a kernel's thread loop is run by a *block* of threads instead of a single one. The IR expresses what these do
// as loops: a *group loop* runs its body once for each thread of the block, and its variable is the thread's number. A kernel may contain
// several group loops, with a *barrier* between two of them:
//
//   thread b in 0 .. blocks:             # each iteration is a block
//     declare acc0                       # shared: 256 elements
//     group t in 0 .. 256:               # each iteration is a thread of the block
//       set acc0[t] to load x[256*b + t]
//     barrier                            # from here on each thread sees what the others wrote
//     group t in 0 .. 256:
//       store y[256*b + t] = acc0[255 - t]
//
// The reference semantics are those of an ordinary loop: all iterations of the first group loop run one after the other, then all
// iterations of the second one, and the barrier does nothing. On a GPU there is no loop: all threads of the block run the iteration of the
// thread loop at the same time, each thread executes the body of a group loop once, for its own number, and the barrier waits until all
// threads have arrived. Both give the same bits, because the verifier accepts a kernel only if no result depends on the order in which
// threads run (verify_groups.h):
//
// - Group loops run from 0 to a constant, the same in the whole kernel: the size of the group, at most kMaxThreads. Group loops and
//   barriers are inside the thread loop, but not inside another group loop, nor in a loop or an If whose bounds or condition depend on a
//   thread. All threads of a block therefore reach the same barriers.
// - Every thread of the block executes the statements outside of group loops, and all threads compute the same values there. These
//   statements store nothing to memory.
// - An accumulator in Space::kShared is one array for the block. It is declared outside of group loops, without an initial value. Between
//   two barriers no thread writes an element that another thread reads or writes. Each iteration of the thread loop has its own shared
//   arrays: a backend that reuses their memory for the next block puts a barrier between the two blocks.
// - An accumulator in Space::kRegister or kStack that is declared inside a group loop belongs to one thread and ends with that loop.
// - A *spread* accumulator keeps values of each thread from one group loop to the next: it is declared outside of group loops, in
//   kRegister, with `spread` elements for each thread. Elements t * spread … t * spread + spread - 1 are registers of thread t, and inside
//   a group loop only thread t uses them. In generated C the accumulator is one array for the whole group. An AccFold or AccScan of a
//   spread accumulator is outside of group loops: the threads execute it together, by exchanging registers. AccFold leaves its result with
//   every thread: until the accumulator changes again, element 0 may be read outside of group loops.
// - Any other accumulator in kRegister that is declared outside of group loops is *uniform*: each thread has a copy, and all hold the same
//   value, because it changes only outside of group loops.
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

// clang-format off
#define HARP_IR_STATEMENTS(X) \
  X(StoreGroup) X(Loop) X(Define) X(If) X(Retry) X(Store) X(Prefetch) X(Scatter) X(AccDeclare) X(AccSet) X(AccUpdate) X(AccFold) \
  X(AccScan) X(Routine) X(Copy) X(Break) X(Barrier) X(Comment) X(Mma)
// clang-format on

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

/// A group of stores, whose values are all computed before the first store executes.
struct StoreGroup : StmtOf<StmtKind::kStoreGroup> {
  Body body;
};

enum class LoopKind : uint8_t {
  kSequential,
  kThread,  // its range is the kernel's begin/end arguments; iterations are independent. Code outside of it runs once in each call of the
            // kernel
  kUnroll,  // constant trip count, fully unrolled
  kGroup,   // a loop over the threads of a block: its variable is the thread's number (see the top of this file). It has no tags
};

/// Most threads of a block, that is, iterations of a group loop.
inline constexpr int64_t kMaxThreads = 1024;

/// Tag of a loop whose iterations are independent: the loop is vectorised, with several lanes a step.
struct VectorTag {
  int lanes = 1;
  bool narrow = false;     // if the loop has fewer iterations than lanes, but at least 4, use narrower vectors
  bool overlap = false;    // instead of a remainder, the last vector may overlap the one before it
  bool partition = false;  // first split the loop where the condition of a pad, concat or roll changes
  bool unswitch = false;   // first hoist conditions that are invariant in the loop
  int together = 1;        // unroll-and-jam: vectors in a step
  // Fully unroll a loop of whole vectors, at most this many, so that its accumulators stay in registers; 0: do not.
  int64_t most_registers = 0;
  int64_t most_steps = 0;  // fully unroll a loop without remainder that has at most this many steps; 0: do not
};

/// Tag of the outermost loop of a nest in which each loop is the only statement of the one around it. Adjacent loops are fused where the
/// indices allow it. The innermost loop is vectorised.
struct NestTag {
  bool is_block = false;  // this loop runs over blocks of a chain of kernels (schedule/chain.cpp) and is not fused
  bool nonempty = false;  // specialise the kernel to sizes for which no loop is empty, if that may remove masks
  // On a CPU: if fusion leaves one long loop, split it into chunks, which threads share. A thread loop without this flag is for a GPU: the
  // whole nest becomes one loop, even where the indices do not allow fusion, and each iteration is run by one thread (or several
  // iterations, whose memory accesses are then grouped).
  bool chunks = false;
  bool page_prefetches = false;    // the loop around the innermost one prefetches the rows of later pages
  bool gather_prefetches = false;  // the loop around the innermost one, or the innermost one if it is the only loop, prefetches gathered
                                   // and scattered rows
};

/// Tag of a loop that is vectorised: each step also prefetches what it will load when the variable `along` of an outer loop is `distance`
/// higher.
struct AheadTag {
  Sym along;
  int64_t distance;
  bool is_near;  // prefetch into the first-level cache, otherwise into the second
};

/// The tags of a loop say what apply_schedule (apply_schedule.h) makes of it. A template emits a scalar loop and sets its tags according to
/// the kernel's Schedule; apply_schedule executes and removes them. A loop may also be tagged by its kind: kThread.
struct LoopTags {
  std::optional<VectorTag> vector;
  std::optional<NestTag> nest;
  std::optional<AheadTag> ahead;  // allowed only together with `vector`
  // The loop (or the first of the loops that other tags make of it) prefetches one cache line of each later page of the rows that it loads.
  // kOnlyRow: there is only one row, so loads whose position does not depend on outer loops are prefetched too.
  enum class Pages : uint8_t { kNone, kRow, kOnlyRow } pages = Pages::kNone;

  bool empty() const { return !vector && !nest && !ahead && pages == Pages::kNone; }
};

/// Executes the body for (variable = begin; variable < end; variable += step).
struct Loop : StmtOf<StmtKind::kLoop> {
  LoopKind loop = LoopKind::kSequential;
  Sym variable, begin, end;
  int64_t step = 1;
  // If true, end - begin need not be a multiple of the step: a last step may overlap the one before it, so some iterations run twice. Valid
  // only if end - begin >= step is known or guarded. If the overlapping step reads a parameter that may be written in place, these reads
  // come before the first store of the loop.
  bool overlap = false;
  // Number of iterations between two polls of the cancel flag; 0: the loop does not poll. With 1 the loop polls before every iteration,
  // otherwise after each `poll_interval` iterations if more follow. A cancelled run leaves the kernel at the next poll. For a thread loop
  // the code that distributes its iterations polls as well.
  int64_t poll_interval = 0;
  Body body;
  LoopTags tags;
  int axis = -1;  // in an elementwise kernel: the axis of the iteration space and of the Schedule over which the loop runs; -1: none
};

/// Defines variable = value, a nonnegative i64, inside the body.
struct Define : StmtOf<StmtKind::kDefine> {
  Sym variable;
  const UOp* value = nullptr;
  Body body;
};

/// Executes `body` if condition >= 0, else `otherwise`.
struct If : StmtOf<StmtKind::kIf> {
  Sym condition;
  Body body, otherwise;
};

/// Executes `body`. If one of its float operations raised the invalid flag (a FlaggedMaximum, functions.h, does so for operands that it
/// cannot handle), executes `otherwise`, which sets and stores everything again. If the target has no such flag, only `otherwise` executes.
struct Retry : StmtOf<StmtKind::kRetry> {
  Body body, otherwise;
};

/// Sets buffer[index + lane * lane_step] to the value, in the lanes where the mask is true. A null mask means all lanes.
struct Store : StmtOf<StmtKind::kStore> {
  int buffer = -1;
  Sym index, lane_step;
  const UOp* value = nullptr;
  const UOp* mask = nullptr;
  // Use a non-temporal store if the value is a vector and its address is a multiple of its size. No other store of the kernel may touch the
  // same cache line.
  bool nontemporal = false;
};

/// Prefetches buffer[index], or with a position buffer[index + position * stride], which the kernel accesses soon. If the parameter is
/// written, it is prefetched for a store, else for a load. The address may lie outside of the array.
struct Prefetch : StmtOf<StmtKind::kPrefetch> {
  int buffer = -1;
  Sym index;
  const UOp* position = nullptr;
  Sym stride;
  bool is_near = false;  // prefetch into the first-level cache if that is large enough, otherwise into the second
};

/// Updates x = buffer[index + position * stride + lane * lane_step] to combine(x, value) (Add, Mul, Max or Min), or to value if there is no
/// `combine`. The position is one i32 or i64 for all lanes, within the array. Nothing else in the kernel reads that buffer.
struct Scatter : StmtOf<StmtKind::kScatter> {
  int buffer = -1;
  Sym index, lane_step;
  const UOp* value = nullptr;
  const UOp* position = nullptr;
  Sym stride;
  std::optional<Op> combine;
};

/// Declares the accumulator, initialised to `value` if there is one, else to its init. A row stays uninitialised.
struct AccDeclare : StmtOf<StmtKind::kAccDeclare> {
  int accumulator = -1;
  const UOp* value = nullptr;
};

/// Sets accumulator[index + lane * lane_step] to the value.
struct AccSet : StmtOf<StmtKind::kAccSet> {
  int accumulator = -1;
  Sym index, lane_step;
  const UOp* value = nullptr;
};

/// Combines an element with a value: x = accumulator[index + lane * lane_step] becomes combine(x, value), or, if there is a `factor`,
/// fma(value, factor, x).
struct AccUpdate : StmtOf<StmtKind::kAccUpdate> {
  int accumulator = -1;
  Sym index, lane_step;
  const UOp* value = nullptr;
  const UOp* factor = nullptr;
};

/// Reduces all elements into element 0 by halving: s[i] = combine(s[i], s[i + h]) for h = count/2 … 1. If elements are vectors, each lane
/// is reduced separately.
struct AccFold : StmtOf<StmtKind::kAccFold> {
  int accumulator = -1;
  // If set, elements from this index on still hold init, and no update of the others had a factor. Combining the value of such an updated
  // element with init gives the same bits (it is not -0.0, because init is already combined into it). So if used <= 1, the fold does
  // nothing.
  std::optional<Sym> used;
};

constexpr int kScannedGroup = 64, kQuad = 4;  // number of elements of a group of a scan, and of a quad (docs/semantics.md, "Scans")

/// The parts into which the scan of a group can be divided, in order of execution. kWhole does all of them.
enum class ScanPart : uint8_t {
  kWhole,
  kQuads,   // scans each quad separately. Until kValues the renderer chooses the order of elements in memory
  kTotals,  // one step of the scan of the quad totals, at a distance of `step` quads
  kBefore,  // converts inclusive totals to exclusive ones: the total before each quad
  kAdded,   // adds the total before each quad to the quad's elements
  kValues,  // restores the order of elements that kQuads may have changed
};

/// Replaces the accumulator's elements, a group of at most 64, by their running values, in the order that docs/semantics.md ("Scans")
/// defines for a group. The scan starts from `value`; the total of the group without `value` goes to element 0 of `total`. With a `part`
/// other than kWhole, only that part is done, for group `index` of several groups in the accumulator. `quads` then holds the totals of the
/// quads of each group, and `value` and `total` are vectors with the same number in every lane.
struct AccScan : StmtOf<StmtKind::kAccScan> {
  int accumulator = -1;
  Sym index;
  const UOp* value = nullptr;
  int total = -1, quads = -1;
  ScanPart part = ScanPart::kWhole;
  int64_t step = 1;
};

/// Executes an op of family Routine on rows begin … end - 1 of the parameters `inputs`, one row after the other. Each row has `length`
/// elements. The result goes to the same rows of parameter `buffer`. The routine uses scratch memory: `accumulator`, a row, if there is
/// one, else the elements of parameter `spare` from spare_index on. schedule/routine.h says how many elements.
struct Routine : StmtOf<StmtKind::kRoutine> {
  Op routine = Op::kArgSort;
  bool descending = false;  // for Sort
  Sym begin, end, length;
  std::vector<int> inputs;
  int buffer = -1;
  int accumulator = -1;
  int spare = -1;
  Sym spare_index;
  // For Dft: `parts` describe the layout of rows and elements: first the parts of the operands, then the two parts of the result in
  // `buffer`. If `columns` is 0, vectors run along rows; otherwise the rows are columns in memory, and vectors run across at least
  // `columns` of them. `layout` and `to_layout` say how real and imaginary parts are arranged in that direction. If the input is real, both
  // operands are the same. Only the first `kept` elements of each row are stored; 0: all.
  struct Part {
    Sym start, row_step, step;
  };
  std::vector<Part> parts;
  int64_t columns = 0, kept = 0;
  ComplexLayout layout = ComplexLayout::kSeparate, to_layout = ComplexLayout::kSeparate;
  // On a GPU (schedule/grid_routine.h): if `threads` > 0, all threads of a block execute the statement together. In phase number `phase` it
  // does the share of block number `block` of `blocks`, for all rows. There is a spare parameter only if some phase uses it.
  int threads = 0, phase = 0;
  Sym block = 0, blocks = 1;
};

/// Copies `rows` × `length` elements. Element [i][j] is read at position from + i * from_row_stride + j * from_stride of accumulator
/// `source` (with is_row) if there is one, else of parameter inputs[0]. It is written at position index + i * stride + j of `accumulator`
/// (with is_row) if there is one, else of parameter `buffer`. Source and destination must not overlap.
struct Copy : StmtOf<StmtKind::kCopy> {
  std::vector<int> inputs;
  int source = -1;
  Sym from, from_row_stride = 1, from_stride;
  Sym rows, length;
  int buffer = -1;
  int accumulator = -1;
  Sym index, stride;
  bool nontemporal = false;  // use non-temporal stores for whole cache lines of the parameter
  bool as_read = false;      // iterate in the order of the source instead of the destination
};

/// Exits the enclosing loop if `accumulator`, an i32 declared outside of that loop, is not 0. In the loop's body only other Breaks may
/// follow it.
struct Break : StmtOf<StmtKind::kBreak> {
  int accumulator = -1;
};

/// A barrier: when the first thread of the block passes it, all threads have finished the statements before it, and each thread then sees
/// what the others wrote. Barriers are outside of group loops.
struct Barrier : StmtOf<StmtKind::kBarrier> {};

struct Comment : StmtOf<StmtKind::kComment> {
  std::string text;
};

/// Multiplies matrices of f64 with the tensor cores of a GPU. A thread's results are rows 8 * i and columns 8 * j + e (e: 0, 1) from its
/// first row and column on: for i < row_tiles, j < column_tiles the element c = accumulator[index + (i * column_tiles + j) * 2 + e] becomes
///   c = fma(rows[row_index + 8 * i + k * row_step], columns[column_index + 8 * j + e + k * column_step], c)   for k = 0, 1, 2, 3
/// `rows` and `columns` are shared arrays. The accumulator belongs to the thread. All threads of a warp execute the statement together,
/// inside a group loop: thread number t has row_index = r + t / 4 % 8 and column_index = c + 2 * (t % 4), with the same r and c in the
/// whole warp. So each thread reads a part of what the warp needs, and the tensor cores exchange it.
struct Mma : StmtOf<StmtKind::kMma> {
  int accumulator = -1, rows = -1, columns = -1;
  Sym index, row_index, column_index, row_step, column_step;
  int row_tiles = 1, column_tiles = 1;
};

/// Returns the statement as this kind, or null if it has another kind.
template <class S>
S* as(Stmt* s) {
  return s->kind == S::kKind ? static_cast<S*>(s) : nullptr;
}
template <class S>
const S* as(const Stmt* s) {
  return s->kind == S::kKind ? static_cast<const S*>(s) : nullptr;
}

/// Accepts a T that is one of these structs, const or not.
template <class T, class... Kinds>
concept Is = (std::same_as<std::remove_cvref_t<T>, Kinds> || ...);

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;  // a deduction guide, because clang before 17 deduces none for an aggregate

/// Calls the visitor with the statement cast to its struct. Also accepts a statement whose struct is known statically.
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
    fail(Code::kInternal, "a statement has the unknown kind ", static_cast<int>(s.kind));
  }
}

/// Calls f for each list of statements nested directly in this statement.
template <class S, class Visit>
void for_each_body(S& s, Visit f) {
  visit(s, Overloaded{
               [&](Is<StoreGroup, Loop, Define> auto& of) { f(of.body); },
               [&](Is<If, Retry> auto& of) { f(of.body), f(of.otherwise); },
               [&](Is<Store, Prefetch, Scatter, AccDeclare, AccSet, AccUpdate, AccFold, AccScan, Routine, Copy, Break, Barrier, Comment,
                      Mma> auto&) {},
           });
}

/// Calls f for each position (Sym&) of the statement itself, not of nested statements, except for the variables that loops and Defines
/// introduce.
template <class S, class Visit>
void for_each_position(S& s, Visit f) {
  visit(s, Overloaded{
               [&](Is<Loop> auto& of) {
                 f(of.begin), f(of.end);
                 if (of.tags.ahead) f(of.tags.ahead->along);
               },
               [&](Is<If> auto& of) { f(of.condition); },
               [&](Is<Store, AccSet, AccUpdate> auto& of) { f(of.index), f(of.lane_step); },
               [&](Is<Prefetch> auto& of) { f(of.index), f(of.stride); },
               [&](Is<Scatter> auto& of) { f(of.index), f(of.lane_step), f(of.stride); },
               [&](Is<AccFold> auto& of) {
                 if (of.used) f(*of.used);
               },
               [&](Is<AccScan> auto& of) { f(of.index); },
               [&](Is<Routine> auto& of) {
                 f(of.begin), f(of.end), f(of.length), f(of.spare_index), f(of.block), f(of.blocks);
                 for (auto& part : of.parts) f(part.start), f(part.row_step), f(part.step);
               },
               [&](Is<Copy> auto& of) {
                 f(of.index), f(of.stride), f(of.rows), f(of.length), f(of.from), f(of.from_row_stride), f(of.from_stride);
               },
               [&](Is<Mma> auto& of) { f(of.index), f(of.row_index), f(of.column_index), f(of.row_step), f(of.column_step); },
               [&](Is<StoreGroup, Define, Retry, AccDeclare, Break, Barrier, Comment> auto&) {},
           });
}

/// Calls f for each non-null value (const UOp*&) that the statement itself uses.
template <class S, class Visit>
void for_each_value(S& s, Visit f) {
  const auto some = [&](auto&... values) { ((values != nullptr ? f(values) : void()), ...); };
  visit(s, Overloaded{
               [&](Is<Define, AccDeclare, AccSet, AccScan> auto& of) { some(of.value); },
               [&](Is<Store> auto& of) { some(of.value, of.mask); },
               [&](Is<Prefetch> auto& of) { some(of.position); },
               [&](Is<Scatter> auto& of) { some(of.value, of.position); },
               [&](Is<AccUpdate> auto& of) { some(of.value, of.factor); },
               [&](Is<StoreGroup, Loop, If, Retry, AccFold, Routine, Copy, Break, Barrier, Comment, Mma> auto&) {},
           });
}

/// Calls f for each accumulator (int) whose elements the statement sets, combines, folds or scans.
template <class Visit>
void for_each_changed_accumulator(const Stmt& s, Visit f) {
  visit(s, Overloaded{
               [&](Is<AccSet, AccUpdate, AccFold, Mma> auto& of) { f(of.accumulator); },
               [&](Is<AccScan> auto& of) {
                 for (const int a : {of.accumulator, of.total, of.quads})
                   if (a >= 0) f(a);
               },
               [&](Is<Routine, Copy> auto& of) {
                 if (of.accumulator >= 0) f(of.accumulator);
               },
               [&](Is<StoreGroup, Loop, Define, If, Retry, Store, Prefetch, Scatter, AccDeclare, Break, Barrier, Comment> auto&) {},
           });
}

/// Returns the variable that the statement defines for its body, or none.
inline std::optional<Sym> variable_in(const Stmt& s) {
  if (const auto* loop = as<Loop>(&s)) return loop->variable;
  if (const auto* define = as<Define>(&s)) return define->variable;
  return std::nullopt;
}

/// Returns the loop if it is the only statement, else null.
inline Loop* only_loop_in(const Body& body) { return body.size() == 1 ? as<Loop>(body[0]) : nullptr; }
/// Returns the loop if it is the first statement, else null.
inline Loop* first_loop_in(const Body& body) { return body.empty() ? nullptr : as<Loop>(body[0]); }

/// Returns all statements, including nested ones.
std::vector<const Stmt*> statements_of(const Body& body);

}  // namespace harp::ir
