// Defines the statements of the loop IR: one struct for each kind, with only the fields of that kind. The Arena owns the statements; a
// statement refers to its nested statements by pointers.
//
// Code that must handle every kind calls visit(), or a function that is based on it, such as for_each_body() and for_each_value(). A
// visitor that omits a kind does not compile. To add a kind, add its name to HARP_IR_STATEMENTS and define its struct; the compiler then
// reports each visitor that does not handle the kind.
//
// Groups of threads
// -----------------
// On a GPU one iteration of a kernel's thread loop is run by a *block* of threads instead of a single one. The IR expresses what these
// threads do as loops: a *group loop* runs its body once for each thread of the block, and its variable is the thread's number. A kernel
// may contain several group loops, with a *barrier* between two of them:
//
//   thread b in 0 .. blocks:             # each iteration is a block
//     declare acc0                       # shared: 256 elements
//     group t in 0 .. 256:               # each iteration is a thread of the block
//       set acc0[t] to load x[256*b + t]
//     barrier                            # after the barrier each thread sees what the others wrote
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
// - Between the start of an asynchronous copy to a shared array (CopyAsync) and a barrier after the Wait for it, no thread uses the
//   elements that the copy writes. A block waits for all its copies before its iteration of the thread loop ends.
// - An accumulator in Space::kRegister or kStack that is declared inside a group loop belongs to one thread and exists until the end of the
//   loop's body.
// - A *spread* accumulator keeps values of each thread from one group loop to the next: it is declared outside of group loops, in
//   kRegister, with `spread` elements for each thread. Elements t * spread … t * spread + spread - 1 are registers of thread t, and inside
//   a group loop only thread t uses them. In generated C the accumulator is one array for the whole group. An AccFold or AccScan of a
//   spread accumulator is outside of group loops: the threads execute it together, by exchanging registers. After an AccFold every thread
//   has the result: until the accumulator changes again, its element 0 may be read outside of group loops.
// - Any other accumulator in kRegister that is declared outside of group loops is *uniform*: each thread has a copy, and all copies have
//   the same value, because it changes only outside of group loops.
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
  X(AccScan) X(Routine) X(Copy) X(CopyAsync) X(Wait) X(Break) X(Barrier) X(Comment) X(Mma)
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

/// A group of Stores, or a group of AccSets that set different accumulators. The values of all of them are computed before the first one
/// executes.
struct StoreGroup : StmtOf<StmtKind::kStoreGroup> {
  Body body;
};

enum class LoopKind : uint8_t {
  kSequential,
  // The begin and end of the loop are arguments of the kernel, and its iterations are independent. Code outside of the loop runs once in
  // each call of the kernel.
  kThread,
  kUnroll,  // a loop with a constant trip count, which the compiler of the generated code is told to unroll
  kGroup,   // a loop over the threads of a block: its variable is the thread's number (see the top of this file). Its only tag is `nest`
};

/// Maximum number of threads of a block, which is the trip count of a group loop.
inline constexpr int64_t kMaxThreads = 1024;

/// Tag of a loop whose iterations are independent: apply_schedule vectorises the loop, so that each step has several lanes.
struct VectorTag {
  int lanes = 1;
  bool narrow = false;     // use narrower vectors if the trip count is a constant that is at least 4, but less than `lanes`
  bool overlap = false;    // handle the remainder by one more vector, which may overlap the vector before it
  bool partition = false;  // before vectorising, split the loop where the condition of a pad, concat or roll changes (partition)
  bool unswitch = false;   // before vectorising, hoist conditions that are invariant in the loop (unswitch)
  // The loop runs once for each row of an array. If a row of unknown length may be shorter than a vector, compute it in vectors of fewer
  // lanes. apply_schedule sets this tag itself.
  bool in_rows = false;
  int together = 1;  // number of vectors in a step (unroll-and-jam)
  // If the loop consists of whole vectors, at most this many, unroll it fully, so that its accumulators stay in registers; 0: do not.
  int64_t most_registers = 0;
  int64_t most_steps = 0;  // if the loop has no remainder and at most this many steps, unroll it fully; 0: do not
};

/// Tag of the outermost loop of a perfect nest, in which each loop except the innermost contains only the next loop. Adjacent loops are
/// fused where the indices allow it. The innermost loop must have the tag `vector`.
struct NestTag {
  // This loop runs over the blocks of a chain of kernels (schedule/chain.cpp) and is not fused with the loops inside it.
  bool is_block = false;
  bool nonempty = false;  // specialise the kernel to sizes for which no loop of the nest is empty, if that may remove masks
  // For a CPU: if fusion leaves one long loop, split it into chunks, which are distributed among threads. A nest whose outermost loop is
  // the thread loop and which does not have this flag is for a GPU: the whole nest becomes one loop, even where the indices do not allow
  // fusion, and each thread runs one iteration (or several, whose memory accesses are then grouped).
  bool chunks = false;
  bool page_prefetches = false;  // the loop around the innermost one prefetches one cache line of each page of later rows
  // The loop around the innermost one prefetches rows that later iterations gather or scatter. If there is only one loop, that loop does
  // so.
  bool gather_prefetches = false;
};

/// Tag of a loop that is vectorised: each of its steps also prefetches the data that the same step will load when the variable `along` of
/// an enclosing loop is higher by `distance`.
struct AheadTag {
  Sym along;
  int64_t distance;
  bool is_near;  // true: prefetch into the first-level cache; false: into the second-level cache
};

/// The tags of a loop say how apply_schedule (apply_schedule.h) transforms it. A template emits a scalar loop and sets its tags according
/// to the kernel's Schedule; apply_schedule executes and removes them. The transformation of a nest also depends on whether its outermost
/// loop has the kind kThread (NestTag::chunks).
struct LoopTags {
  std::optional<VectorTag> vector;
  std::optional<NestTag> nest;
  std::optional<AheadTag> ahead;  // may be set only if the loop also has the tag `vector`

  bool empty() const { return !vector && !nest && !ahead; }
};

/// Executes the body for (variable = begin; variable < end; variable += step).
struct Loop : StmtOf<StmtKind::kLoop> {
  LoopKind loop = LoopKind::kSequential;
  Sym variable, begin, end;
  int64_t step = 1;
  // If true, every step processes `step` elements, even if end - begin is not a multiple of the step: in that case one step overlaps its
  // neighbour, so some elements are processed twice. This is valid only if end - begin >= step is proved or tested by an enclosing If. If
  // the overlapping step reads a parameter that may be written in place, its loads execute before the first store of the loop.
  bool overlap = false;
  // Number of iterations between two polls of the cancel flag; 0: the loop does not poll. With 1 the loop polls before every iteration,
  // otherwise after each `poll_interval` iterations if more iterations follow. A cancelled run returns from the kernel at the next poll.
  // The code that distributes the iterations of a thread loop polls in addition.
  int64_t poll_interval = 0;
  Body body;
  LoopTags tags;
  // Only in an elementwise kernel: the axis of the iteration space and of the Schedule to which the loop belongs; -1: none.
  int axis = -1;
};

/// Defines a variable for the statements in `body`. Its value is `value`, a nonnegative i64 or a bool, which counts as 0 or 1.
struct Define : StmtOf<StmtKind::kDefine> {
  Sym variable;
  const UOp* value = nullptr;
  Body body;
};

/// Executes `body` if condition >= 0, and `otherwise` if it is negative.
struct If : StmtOf<StmtKind::kIf> {
  Sym condition;
  Body body, otherwise;
};

/// Executes `body`. If a float operation in `body` raised the invalid flag, executes `otherwise`, which sets and stores everything again.
/// (The functions of a FlaggedMaximum, functions.h, raise the flag where their result may be wrong.) On a target without such a flag only
/// `otherwise` is executed.
struct Retry : StmtOf<StmtKind::kRetry> {
  Body body, otherwise;
};

/// Stores lane number `lane` of the value to buffer[index + lane * lane_step], for the lanes whose mask is true. A null mask means all
/// lanes.
struct Store : StmtOf<StmtKind::kStore> {
  int buffer = -1;
  Sym index, lane_step;
  const UOp* value = nullptr;
  const UOp* mask = nullptr;
  // Use a non-temporal store if the value is a vector and its address is a multiple of its size. No other store of the kernel may write to
  // the same cache line.
  bool nontemporal = false;
};

/// Prefetches buffer[index] or, if `position` is not null, buffer[index + position * stride], which the kernel will access soon. The
/// prefetch is for a store if the kernel writes the parameter `buffer`, else for a load. The address may be outside of the array.
struct Prefetch : StmtOf<StmtKind::kPrefetch> {
  int buffer = -1;
  Sym index;
  const UOp* position = nullptr;
  Sym stride;
  bool is_near = false;  // true: prefetch into the first-level cache, if that is large enough; false: into the second-level cache
};

/// Replaces x = buffer[index + position * stride + lane * lane_step] by combine(x, value), where `combine` is Add, Mul, Max or Min, or by
/// the value if there is no `combine`. The position is one i32 or i64 for all lanes and is within the array. No other statement of the
/// kernel reads the buffer. If `atomic` is set, other threads of a GPU may update the same element at the same time. In that case the value
/// is an integer of one lane with 4 or 8 bytes, and `combine` is Add, Max or Min, for which the order of updates does not matter.
struct Scatter : StmtOf<StmtKind::kScatter> {
  int buffer = -1;
  Sym index, lane_step;
  const UOp* value = nullptr;
  const UOp* position = nullptr;
  Sym stride;
  std::optional<Op> combine;
  bool atomic = false;
};

/// Declares the accumulator and sets its elements to `value`, or, if `value` is null, to Accumulator::init. For an accumulator of one
/// element, `value` has the accumulator's type; for several elements it is a vector with one lane for each element. An accumulator with
/// is_row is not initialised.
struct AccDeclare : StmtOf<StmtKind::kAccDeclare> {
  int accumulator = -1;
  const UOp* value = nullptr;
};

/// Sets accumulator[index + lane * lane_step] to lane number `lane` of the value.
struct AccSet : StmtOf<StmtKind::kAccSet> {
  int accumulator = -1;
  Sym index, lane_step;
  const UOp* value = nullptr;
};

/// Combines an element with a value: replaces x = accumulator[index + lane * lane_step] by combine(x, value), where `combine` is that of
/// the accumulator, or, if there is a `factor`, by fma(value, factor, x).
struct AccUpdate : StmtOf<StmtKind::kAccUpdate> {
  int accumulator = -1;
  Sym index, lane_step;
  const UOp* value = nullptr;
  const UOp* factor = nullptr;
};

/// Reduces the elements s[0] … s[count - 1] of the accumulator to one result in s[0]: for h = count/2, count/4, … 1, sets s[i] =
/// combine(s[i], s[i + h]) for all i < h. If elements are vectors, each lane is reduced separately.
struct AccFold : StmtOf<StmtKind::kAccFold> {
  int accumulator = -1;
  // If set, the elements from index `used` on have not been updated and still have their initial value. If used <= 1, the fold does
  // nothing, because combining element 0 with initial values would not change its bits. (The only exception would be a sum of -0.0, because
  // -0.0 + 0.0 is +0.0. But a sum that starts at +0.0 becomes -0.0 only if an update with a `factor` underflows, and an accumulator whose
  // fold sets `used` has no such updates.)
  std::optional<Sym> used;
};

// kScannedGroup: number of elements of a group, which a scan processes as a unit. kQuad: number of elements of a quad, a part of a group
// (docs/semantics.md, "Scans").
constexpr int kScannedGroup = 64, kQuad = 4;

/// The parts into which the scan of a group can be divided, in order of execution. kWhole means that all parts are executed at once.
enum class ScanPart : uint8_t {
  kWhole,
  kQuads,  // Scans each quad separately. From this part until kValues the elements may be in another order in memory
  // One of several steps of the scan of the quad totals: combines each total with the total `step` quads before it (AccScan::step)
  kTotals,
  kBefore,  // replaces the inclusive running totals of the quads by exclusive ones: the total of all quads before each quad
  kAdded,   // combines the elements of each quad with the total of the quads before it
  kValues,  // restores the order of the elements in memory, which kQuads may have changed
};

/// Scans a group of at most 64 elements of the accumulator: replaces them by their running values, in the order that docs/semantics.md
/// ("Scans") defines for a group. The scan starts from `value`. The total of the group without `value` goes to element 0 of accumulator
/// `total`.
///
/// With a `part` other than kWhole, the accumulator contains several groups, and only that part of the scan is executed, for group number
/// `index`. In that case accumulator `quads` holds the quad totals of each group, and `value` and `total` are vectors with the same number
/// in every lane.
struct AccScan : StmtOf<StmtKind::kAccScan> {
  int accumulator = -1;
  Sym index;
  const UOp* value = nullptr;
  int total = -1, quads = -1;
  ScanPart part = ScanPart::kWhole;
  int64_t step = 1;
};

/// Executes `routine`, an op of family Routine such as a sort, on rows begin … end - 1 of the parameters `inputs`, one row after the other.
/// Each row has `length` elements. The result goes to the same rows of parameter `buffer`. The routine uses scratch memory: the accumulator
/// number `accumulator`, which has is_row, or, if `accumulator` is -1, the elements of parameter `spare` from spare_index on.
/// schedule/routine.h says how many elements of scratch memory a routine needs. A sort or an argsort with `kept` > 0 stores only the first
/// `kept` elements of each sorted row, one row after the other; it uses no scratch memory of the kernel.
struct Routine : StmtOf<StmtKind::kRoutine> {
  Op routine = Op::kArgSort;
  bool descending = false;  // for Sort
  // The number of elements of each row of the result that are stored, from its start; 0: all. A constant, except for Dft of an unknown
  // length.
  Sym kept = 0;
  Sym begin, end, length;
  std::vector<int> inputs;
  int buffer = -1;
  int accumulator = -1;
  int spare = -1;
  Sym spare_index;
  // The following members are for Dft (a discrete Fourier transform). `parts` are the positions of real and imaginary parts in memory:
  // first those of the operands, then the two of the result in `buffer`. Element i of row r of a part is at start + r * row_step + i *
  // step. If the input is real, both operands are the same. `layout` and `to_layout` say how real and imaginary parts are arranged in the
  // input and in the result. `columns` is the number of rows that are transformed together, one in each lane of a vector; the statement
  // then has at least that many rows. 0: one row at a time is transformed, with vectors of adjacent elements.
  struct Part {
    Sym start, row_step, step;
  };
  std::vector<Part> parts;
  int64_t columns = 0;
  ComplexLayout layout = ComplexLayout::kSeparate, to_layout = ComplexLayout::kSeparate;
  // For a GPU (schedule/grid_routine.h): if `threads` > 0, all threads of a block execute the statement together. In phase number `phase`
  // of the routine, this block executes share number `block` of `blocks` shares of the work, for all rows. A spare parameter exists only if
  // some phase uses it.
  int threads = 0, phase = 0;
  Sym block = 0, blocks = 1;
};

/// Copies `rows` × `length` elements. The source is accumulator `source` (with is_row) if there is one, else parameter inputs[0]; element
/// [i][j] is at position from + i * from_row_stride + j * from_stride of the source. The destination is `accumulator` (with is_row) if
/// there is one, else parameter `buffer`; element [i][j] goes to its position index + i * stride + j. Source and destination must not
/// overlap.
struct Copy : StmtOf<StmtKind::kCopy> {
  std::vector<int> inputs;
  int source = -1;
  Sym from, from_row_stride = 1, from_stride;
  Sym rows, length;
  int buffer = -1;
  int accumulator = -1;
  Sym index, stride;
  bool nontemporal = false;  // use non-temporal stores for parameter `buffer`; without effect if from_stride is the constant 1
  bool as_read = false;      // copy the elements in the order of the source instead of that of the destination
};

/// Starts a copy of `length` elements of parameter `buffer`, from element `from` on, to the shared array `accumulator`, from element
/// `index` on. Only the first `exist` elements (0 to `length`) are read; the others become 0. All elements together have 4, 8 or 16 bytes,
/// and both addresses are multiples of that size.
///
/// The thread does not wait for the copy. The copies that it starts in one run of a group loop are a *batch*. A Wait that includes the
/// batch, and then a barrier, must come before any thread reads or writes these elements. The reference semantics are those of a Copy.
struct CopyAsync : StmtOf<StmtKind::kCopyAsync> {
  int buffer = -1;
  Sym from;
  int accumulator = -1;
  Sym index;
  int64_t length = 1;
  Sym exist = 1;
};

/// Waits until all batches of asynchronous copies that the thread has started are complete, except for the last `pending` ones. Each run of
/// a group loop that contains a CopyAsync counts as a batch, even if it starts no copy.
struct Wait : StmtOf<StmtKind::kWait> {
  int pending = 0;
};

/// Exits the enclosing loop under a condition; the loop's body contains this statement directly. The accumulator is declared outside of the
/// loop. If the accumulator is an i32, the loop exits if the value is not 0. If the accumulator's elements are bools, the loop exits if all
/// of them are false. A load in the loop whose index does not depend on the loop's variable may execute before the loop, even if the first
/// iteration exits.
struct Break : StmtOf<StmtKind::kBreak> {
  int accumulator = -1;
};

/// A barrier: no thread of the block passes it before all threads have finished the statements before it. After the barrier each thread
/// sees what the others wrote. A barrier stands between group loops (LoopKind::kGroup), never inside one.
struct Barrier : StmtOf<StmtKind::kBarrier> {};

struct Comment : StmtOf<StmtKind::kComment> {
  std::string text;
};

/// Multiplies matrices of f64 with the tensor cores of a GPU. The results of a thread are in rows 8 * i and columns 8 * j + e (e: 0, 1),
/// counted from its first row and column. For i < row_tiles and j < column_tiles, c = accumulator[index + (i * column_tiles + j) * 2 + e]
/// is replaced by
///   c = fma(rows[row_index + 8 * i + k * row_step], columns[column_index + 8 * j + e + k * column_step], c)   for k = 0, 1, 2, 3
/// `rows` and `columns` are shared arrays. The accumulator is spread over the threads. All threads of a warp execute the statement
/// together, inside a group loop: thread number t has row_index = r + t / 4 % 8 and column_index = c + 2 * (t % 4), with the same r and c
/// in the whole warp. Each thread reads a part of the elements that the warp needs, and the tensor cores exchange them between the threads.
struct Mma : StmtOf<StmtKind::kMma> {
  int accumulator = -1, rows = -1, columns = -1;
  Sym index, row_index, column_index, row_step, column_step;
  int row_tiles = 1, column_tiles = 1;
};

/// Returns the statement as an S; null if it has another kind.
template <class S>
S* as(Stmt* s) {
  return s->kind == S::kKind ? static_cast<S*>(s) : nullptr;
}
template <class S>
const S* as(const Stmt* s) {
  return s->kind == S::kKind ? static_cast<const S*>(s) : nullptr;
}

/// True if T is one of the structs `Kinds`, const or not.
template <class T, class... Kinds>
concept Is = (std::same_as<std::remove_cvref_t<T>, Kinds> || ...);

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;  // a deduction guide, which clang before version 17 needs for an aggregate

/// Calls the visitor with the statement cast to the struct of its kind. `s` may also have the type of such a struct.
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
               [&](Is<Store, Prefetch, Scatter, AccDeclare, AccSet, AccUpdate, AccFold, AccScan, Routine, Copy, CopyAsync, Wait, Break,
                      Barrier, Comment, Mma> auto&) {},
           });
}

/// Calls f for each position (Sym&) in the fields of the statement itself, not of nested statements. Skips the variables that loops and
/// Defines introduce.
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
                 f(of.begin), f(of.end), f(of.length), f(of.kept), f(of.spare_index), f(of.block), f(of.blocks);
                 for (auto& part : of.parts) f(part.start), f(part.row_step), f(part.step);
               },
               [&](Is<Copy> auto& of) {
                 f(of.index), f(of.stride), f(of.rows), f(of.length), f(of.from), f(of.from_row_stride), f(of.from_stride);
               },
               [&](Is<CopyAsync> auto& of) { f(of.from), f(of.index), f(of.exist); },
               [&](Is<Mma> auto& of) { f(of.index), f(of.row_index), f(of.column_index), f(of.row_step), f(of.column_step); },
               [&](Is<StoreGroup, Define, Retry, AccDeclare, Wait, Break, Barrier, Comment> auto&) {},
           });
}

/// Calls f for each non-null value (const UOp*&) in the fields of the statement itself, not of nested statements.
template <class S, class Visit>
void for_each_value(S& s, Visit f) {
  const auto some = [&](auto&... values) { ((values != nullptr ? f(values) : void()), ...); };
  visit(s, Overloaded{
               [&](Is<Define, AccDeclare, AccSet, AccScan> auto& of) { some(of.value); },
               [&](Is<Store> auto& of) { some(of.value, of.mask); },
               [&](Is<Prefetch> auto& of) { some(of.position); },
               [&](Is<Scatter> auto& of) { some(of.value, of.position); },
               [&](Is<AccUpdate> auto& of) { some(of.value, of.factor); },
               [&](Is<StoreGroup, Loop, If, Retry, AccFold, Routine, Copy, CopyAsync, Wait, Break, Barrier, Comment, Mma> auto&) {},
           });
}

/// Calls f for the number of each accumulator whose elements the statement itself changes. A declaration does not count as a change. The
/// elements that an asynchronous copy writes count as changed by the CopyAsync, not by the Wait that completes the copy.
template <class Visit>
void for_each_changed_accumulator(const Stmt& s, Visit f) {
  visit(s, Overloaded{
               [&](Is<AccSet, AccUpdate, AccFold, CopyAsync, Mma> auto& of) { f(of.accumulator); },
               [&](Is<AccScan> auto& of) {
                 for (const int a : {of.accumulator, of.total, of.quads})
                   if (a >= 0) f(a);
               },
               [&](Is<Routine, Copy> auto& of) {
                 if (of.accumulator >= 0) f(of.accumulator);
               },
               [&](Is<StoreGroup, Loop, Define, If, Retry, Store, Prefetch, Scatter, AccDeclare, Wait, Break, Barrier, Comment> auto&) {},
           });
}

/// Returns the variable that the statement introduces for its body; nullopt if it introduces none.
inline std::optional<Sym> variable_in(const Stmt& s) {
  if (const auto* loop = as<Loop>(&s)) return loop->variable;
  if (const auto* define = as<Define>(&s)) return define->variable;
  return std::nullopt;
}

/// If `body` consists of exactly one statement and that is a loop, returns the loop; otherwise returns null.
inline Loop* only_loop_in(const Body& body) { return body.size() == 1 ? as<Loop>(body[0]) : nullptr; }
/// Returns the first statement of `body` if it is a loop; else null.
inline Loop* first_loop_in(const Body& body) { return body.empty() ? nullptr : as<Loop>(body[0]); }

/// Tests whether an execution of this loop starts a batch of asynchronous copies (CopyAsync), that is, whether it is a group loop that
/// contains such copies.
bool starts_copies(const Loop& loop);
/// Returns all statements of `body`, including nested ones.
std::vector<const Stmt*> statements_of(const Body& body);

}  // namespace harp::ir
