// The loop IR of one program: what kernels compute. It lies between the graph and the source text.
//
// Expressions (UOp) are a hash-consed DAG of values: constants, positions, loads, operations of ops.def, calls of functions. Positions are
// Syms (base/symbolic.h): every buffer index, loop bound and condition on an index is a Sym, so the index algebra has one implementation.
// Statements (statement.h) are an ordered tree, because merging equal statements would merge accumulators or move loads across stores. A
// kernel never writes a buffer that it reads, with one exception: a store at exactly the index just read (in-place elementwise). Therefore
// equal loads are one UOp.
//
// After the vectorise rewrite a value has `lanes` > 1. Lane i of Index, InRange, Load, Gather and Store is at `index + i * lane_step`.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "base/machine.h"
#include "base/space.h"
#include "base/symbolic.h"
#include "ir/statement.h"
#include "ops/ops.h"
#include "ops/scalar.h"
#include "ops/transform_parts.h"

namespace harp::ir {

struct Type {
  DType dtype = DType::kUnknown;
  uint16_t lanes = 1;
  friend bool operator==(const Type&, const Type&) = default;
};

enum class UKind : uint8_t {
  kConst,    // `value`, one lane
  kIndex,    // `index` as an i64
  kInRange,  // bool: index >= 0
  kLoad,     // element `index` of `buffer`; sources: none, or one bool mask. A lane whose mask is false accesses no memory and gives 0
  kGather,   // element `index` + position * `stride` of `buffer`; sources: the position and an optional mask (as for a load). The position
             // is an i32 or i64 within the array; with one lane it applies to all lanes
  kCheck,    // an i64; sources: number, least, end (i64), and an optional mask; lanes whose mask is false are not checked. The value is
             // always the number. If the number is outside [least, end), the run fails and reports this fault (site `buffer`, element
             // `index`, number, end), unless the run also has a fault at a lower site, or at a lower element of the same site. A check
             // whose value is unused is not executed
             // always the number. If the number is outside [least, end), the run fails with this fault (site `buffer`, element `index`,
             // number, end), unless it also has a fault at a lower site, or at a lower element of the same site. A check whose value is
             // unused is not executed
  kAlu,      // `op` of family Elementwise or Convert; sources have as many lanes as the result. Integers of 8 and 16 bits are computed in
             // their own width: wrapping makes the result the same. f16 and bf16 (is_half) are only bits here: Where selects them; Bitcast
             // and calls of conversion functions convert them
  kCall,     // `function` of the sources, applied lane by lane
  kSplat,    // a one-lane source broadcast to every lane
  kAcc,      // element `index` of accumulator `buffer`, as it is when the statement that uses this value executes
  kParam,    // inside a Function: parameter number `buffer`
  kLineOffset,  // an i64: distance in elements from the start of its cache line to element `index` of parameter `buffer`
  kTable,       // inside a Function: `table`[source], a constant table; the index is in bounds by construction
  kRarely,      // inside a Function; sources: condition, common, arguments…. A lane gives `function`(arguments…) where the condition is
                // true, else `common`. The function is called lane by lane, and only if the condition is true in some lane
};

struct Function;
struct Table;

struct UOp {
  UKind kind;
  Op op = Op::kInput;  // kAlu
  Type type;
  uint32_t id = 0;            // order of creation: the ids of sources are smaller. No text depends on it (depth_first.h)
  mutable uint32_t mark = 0;  // number of the last traversal that visited this node (Arena::new_mark); not part of the value
  int buffer = -1;            // number of a parameter (kLoad, kGather, kLineOffset, kParam), accumulator (kAcc) or check site (kCheck)
  Sym index = 0;              // the position; used by kIndex, kInRange, kLoad, kGather, kCheck, kAcc, kLineOffset
  Sym lane_step = 0;          // if lanes > 1: how far the position advances from lane to lane
  Sym stride = 0;             // kGather
  Scalar value = {};          // kConst
  const Function* function = nullptr;
  const Table* table = nullptr;
  std::vector<const UOp*> sources = {};
};

/// Tests whether the value reads a parameter of the kernel.
inline bool is_read(const UOp* u) { return u->kind == UKind::kLoad || u->kind == UKind::kGather; }
/// Tests whether the value has a position, which advances by `lane_step` from lane to lane.
inline bool has_position(const UOp* u) {
  return is_read(u) || u->kind == UKind::kIndex || u->kind == UKind::kInRange || u->kind == UKind::kCheck || u->kind == UKind::kAcc;
}
/// Returns the mask of a load, gather or check, or null if it has none. Lanes where the mask is false read or check nothing.
inline const UOp* mask_of(const UOp* read) {
  const size_t place = read->kind == UKind::kCheck ? 3 : read->kind == UKind::kGather ? 1 : 0;
  return read->sources.size() > place ? read->sources[place] : nullptr;
}

/// A math function as an expression over kParam, instantiated from ops/math.h. The renderer emits it once for each lane count in use. In
/// the body, Div and Fmod of integers are C's / and %: the templates of ops/math.h ensure that these do not trap, and that casts from float
/// to integer are in range. Bitcasts keep the bits of a NaN.
struct Function {
  std::string name;  // "exp_f32"
  std::vector<DType> parameters;
  DType result;
  const UOp* body;       // one lane
  std::optional<Op> op;  // the op that this function implements; none: another function calls it for rare arguments (kRarely)
};

/// Tests whether the function takes only a few instructions, so that calling it often is cheap.
bool is_small(const Function& function);

struct Table {
  std::string name;
  DType dtype;
  std::vector<uint64_t> values;
};

/// The running value or values of a reduction or scan: `count` elements (1, 64 lanes, or a register tile), each of `type`. If `type` has
/// lanes > 1, the accumulator is declared inside a vectorised loop and each lane is a separate accumulator. With `is_row` it is a plain
/// array instead of a running value, for example for the elements of a row that later passes read again. Such an array is written before it
/// is read and has no initial value.
struct Accumulator {
  Type type;
  int64_t count = 1;
  Op combine = Op::kAdd;  // how elements are combined: Add, Mul, Max, Min or LogAddExp
  Scalar init;
  Space space = Space::kRegister;  // not kWorkspace
  bool is_row = false;             // an array without an initial value
  // Number of a parameter that the kernel loads while it stores to this array, if the rows of that parameter are whole pages; -1: none. A
  // load waits for pending stores to addresses with the same page offset (4-KiB aliasing). To avoid this, the array starts at a slightly
  // lower page offset than the parameter.
  int avoid_alias_with = -1;
  const Function* function = nullptr;  // the function that combines two elements in the body of a Retry; null: the function of `combine`
  int64_t spread = 0;                  // elements that each thread of a block owns (statement.h, "Groups of threads"); 0: it is not spread
};
/// Most elements of an accumulator in Space::kRegister that one thread owns.
inline constexpr int64_t kMaxRegisterElements = 128;
/// Most bytes of Space::kShared in one kernel: what the largest GPU gives a block. Machines may have less; a backend checks its own.
inline constexpr int64_t kMaxSharedBytes = int64_t{227} << 10;
/// Returns the size of all elements in bytes.
int64_t bytes_of(const Accumulator& accumulator);
/// Tests whether, on a CPU, the array is in the worker's scratch memory. That is so for kScratch, and for arrays that belong to a whole
/// block of threads (shared or spread).
bool in_worker_memory(const Accumulator& accumulator);

/// A buffer argument of a kernel.
struct Param {
  std::string name;  // "input0", "output1", "tmp2": a name within the program. Equal kernels use renamed parameters
  DType dtype;
  bool written = false;
  bool is_large = false;  // whether the array exceeds the caches whatever the sizes are
  // For a parameter that is read: the written parameters that may be the same memory. A kernel with such parameters reads each element at
  // exactly the index at which it stores it, and each iteration reads all its elements before it stores any.
  std::vector<int> in_place = {};
  // kWorkspace: the caller passes the array. kScratch: a block parameter (see Generation), which the caller does not pass. It starts
  // `offset` bytes after Module::blocks in the scratch memory of the worker that runs the kernel.
  Space space = Space::kWorkspace;
  Sym offset = 0;
};

struct Kernel {
  std::string name;     // "kernel_0"
  std::string comment;  // one line: what the kernel computes, over which axes, with which schedule
  std::vector<Param> params;
  std::vector<Accumulator> accumulators;
  int simd_width = 1;
  bool is_scheduled = false;  // whether apply_schedule has run: no loop has tags any more
  Sym work = 0;               // cost of all iterations, in units of about half a nanosecond; decides whether running in parallel pays
  int64_t least = 1;          // the smallest number of thread-loop iterations a call must run to amortise the code outside the thread loop
  Body body;                  // at most one kThread loop. Only loops enclose it, and only statements inside it store to parameters
};
/// Tests whether the kernel uses non-temporal stores.
bool streams(const Kernel& kernel);
/// Returns the kernel's thread loop, or null.
const Loop* thread_loop(const Kernel& kernel);
/// Returns the number of iterations of the thread loop; 1 if there is none.
Sym iterations(const Kernel& kernel);
/// Returns the number of threads of a block, that is, iterations of each group loop, or those that execute a routine together; 0 if the
/// kernel has neither.
int64_t group_size(const Kernel& kernel);
/// Returns the bytes of the kernel's shared accumulators. Each starts at a multiple of 16.
int64_t shared_bytes(const Kernel& kernel);

/// A buffer of the program as the host code sees it, that is, the generated function that launches the kernels.
struct HostBuffer {
  enum class Kind : uint8_t { kInput, kOutput, kConstant, kTemporary } kind;
  int index = 0;                    // number of the input, output or constant
  Sym offset = 0;                   // bytes from the start of the array; for a temporary from the start of its space, and a multiple of 64
  Space space = Space::kWorkspace;  // for a temporary: the workspace, or kScratch: the block memory of a worker (Module::blocks)
};

/// Returns the byte offset of each accumulator in a worker's memory (in_worker_memory) from the start of that memory. The last entry is the
/// total size, a multiple of 64.
std::vector<int64_t> scratch_offsets(const Kernel& kernel);

inline constexpr int64_t kFaultBytes = 64;

struct Launch {
  int kernel;
  std::vector<HostBuffer> arguments;  // one argument for each Param of the kernel
  std::optional<Sym> guard;           // the launch happens only if guard >= 0 (variants of one kernel)
  // Pairs of arrays that may alias. If `only_without_aliasing`, the launch happens only if no pair aliases; otherwise only if some pair
  // does.
  std::vector<std::pair<HostBuffer, HostBuffer>> in_place = {};
  bool only_without_aliasing = false;
  // If true, the launch begins when the launch before it in the same generation is complete, because it uses that launch's results: both
  // are phases of one routine on a GPU.
  bool follows = false;
};

/// A call of natives[function], a function that the host application provides.
struct NativeCall {
  struct Argument {
    enum Kind : uint8_t { kArray, kSize, kNumber, kAddress } kind;
    DType dtype = DType::kUnknown;  // the dtype of the array's elements, of the size, or of the number
    bool written = false;           // kArray
    HostBuffer array = {};
    Sym size = 0;  // kSize: the value; kArray: the size of the array in bytes
    Scalar number = {};
    int address = -1;  // kAddress: the argument is natives[address]
  };
  std::string name;  // the function's name, for error messages
  int function;
  bool returns_status;  // the function returns an i32 status; any value but 0 is a failure
  std::vector<Argument> arguments;
  Sym elements;  // number of elements of the result; if that is 0 at run time, the call is skipped
};

/// One generation of the program: launches that may run concurrently, followed by native calls, one at a time. If `blocks` > 0 the
/// generation is a chain (schedule/chain.cpp): the thread loops of all its launches have this many iterations, and one worker runs the same
/// iteration of every launch, in order.
struct Generation {
  std::vector<Launch> launches;
  std::vector<NativeCall> calls;
  int64_t blocks = 0;
};

struct ConstantArray {
  DType dtype;
  std::shared_ptr<const std::vector<std::byte>> data;
};

struct ArrayType {
  std::string name;
  DType dtype;
  std::vector<Sym> shape;
};

/// Owns expressions, statements and functions.
class Arena {
 public:
  explicit Arena(std::shared_ptr<SymTable> syms);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  SymTable& syms() { return *syms_; }

  /// Returns the one node of this arena that equals the prototype, apart from `id`; creates it if there is none.
  const UOp* intern(UOp prototype);

  const UOp* constant(Scalar value);
  const UOp* index(Sym value);
  const UOp* line_offset(int buffer, Sym index);
  /// Returns the condition `nonnegative` >= 0 as a bool; a constant if the condition is provably true or false.
  const UOp* in_range(Sym nonnegative);
  const UOp* load(DType dtype, int buffer, Sym index, const UOp* mask = nullptr);
  /// Makes a gather, or a plain load if the position is constant or the stride is 0.
  const UOp* gather(DType dtype, int buffer, Sym index, const UOp* position, Sym stride, const UOp* mask = nullptr);
  /// Returns a check: its value is the number (an i64), and executing it fails the run if the number is outside [least, end). The fault is
  /// reported for `element` at `site` (graph/index_fault.h). Callers must use the returned value, because an unused check is dropped. The
  /// returned number is unchanged, even outside the range.
  const UOp* check(int site, Sym element, const UOp* number, const UOp* least, const UOp* end, const UOp* mask = nullptr);
  /// Converts an integer of any dtype to a position along an axis of this size. Negative numbers count from the end; a number still outside
  /// is clamped to the nearest element. For an empty axis the result is -1. The result is an i32 if that is wide enough, else an i64.
  const UOp* position(const UOp* number, Sym size);
  /// Simplifies only where all bits are kept: where with a constant condition or equal branches, bool and/or/not with constants, double
  /// negation, same-dtype casts. Never folds float arithmetic. All sources must have the same number of lanes.
  const UOp* alu(Op op, DType dtype, std::vector<const UOp*> sources);
  const UOp* call(const Function* function, std::vector<const UOp*> arguments);
  const UOp* splat(const UOp* source, int lanes);
  /// Returns an element of an accumulator. With several lanes, a whole element of an accumulator of vectors; with one lane, the first lane
  /// of that element.
  const UOp* acc(DType dtype, int accumulator, Sym element, int lanes = 1);

  /// Returns the function of `op` over `dtype` as ops/math.h defines it, instantiated once. The op must have the flag kFunction.
  const Function* function_of(Op op, DType dtype);
  /// Returns a conversion function: 16-bit float to f32; f32, f64 or a wide integer to a 16-bit float; or 16-bit float to its canonical
  /// bits as u16.
  const Function* conversion(DType from, DType to);
  /// Returns the value of an elementwise op. Lowering makes all such values with this function. It is alu(), or call() of function_of(), as
  /// the op requires, or a cheaper form with the same results (where the result is NaN, any NaN). 16-bit floats are widened before and
  /// narrowed after the operation.
  const UOp* apply(Op op, DType dtype, std::vector<const UOp*> sources);
  /// Converts the value to `dtype` with the semantics of a cast in the graph.
  const UOp* cast(DType dtype, const UOp* value);

  /// Returns a mark that no UOp of this arena has yet.
  uint32_t new_mark() { return ++last_mark_; }

  template <class S>
  S* statement() {
    return &std::get<S>(statements_.emplace_back(std::in_place_type<S>));
  }
  /// Makes a shallow copy: it shares the nested statements.
  template <class S>
  S* statement(const S& like) {
    return &std::get<S>(statements_.emplace_back(like));
  }
  Function* new_function(std::string name, std::vector<DType> parameters, DType result);
  /// Returns the function that was created under this name, or null.
  const Function* find_function(std::string_view name) const;
  const Table* table(std::string_view name, DType dtype, std::vector<uint64_t> values);

 private:
  struct State;
  std::shared_ptr<SymTable> syms_;
  std::unique_ptr<State> state_;
#define HARP_IR_ALTERNATIVE(name) , name
  std::deque<std::variant<std::monostate HARP_IR_STATEMENTS(HARP_IR_ALTERNATIVE)>> statements_;
#undef HARP_IR_ALTERNATIVE
  uint32_t last_mark_ = 0;
};

/// One program. The renderer turns it into one translation unit.
struct Module {
  std::shared_ptr<Arena> arena;
  std::string name;  // name of the graph
  std::vector<ArrayType> inputs, outputs;
  std::vector<Sym> shape_vars;  // the shape variables, in the order in which entry_point receives them
  std::vector<ConstantArray> constants;
  std::vector<Kernel> kernels;
  std::vector<Generation> generations;
  std::vector<void*> natives;  // addresses that calls refer to by their position here; supplied at run time, never part of the text
  Sym workspace;               // size of the workspace in bytes, a multiple of 64
  Sym scratch = 0;             // bytes of scratch memory of each worker, located after the workspace; a multiple of 64
  int64_t blocks = 0;          // start of the chains' block memory in a worker's scratch memory, in bytes
  int sites = 0;               // number of check sites; if not 0, the last kFaultBytes of a worker's scratch memory hold the first fault it
                               // found
};

/// Returns the text of a module or kernel (`harp emit --lang ir`), one statement a line.
std::string print(const Module& module);
std::string print(const Arena& arena, const Kernel& kernel);
/// Returns a value as text with the types of its sources, for error messages: "f32x8 = Add(f32x8, f32x4)". Also accepts values that break
/// the rules of verify().
std::string describe(const UOp& value);

/// Throws Error{kInternal}, which names the rule and the place, if a kernel breaks a rule: lanes and dtypes of sources agree; variables are
/// used inside their loop; accumulators are declared before use; a vectorised loop updates them only at an element that depends on its
/// variable; the thread loop is outermost; steps are positive; tags of loops can be executed (LoopTags), and scheduled kernels have none;
/// no result depends on the order in which the threads of a block run (statement.h, "Groups of threads").
void verify(const Module& module);

}  // namespace harp::ir
