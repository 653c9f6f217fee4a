// Defines the loop IR of one program: what kernels compute. It lies between the graph and the source text.
//
// Expressions (UOp) are a hash-consed DAG of values: constants, positions, loads, operations of ops.def, calls of functions. Positions are
// Syms (base/symbolic.h): every buffer index, loop bound and condition on an index is a Sym, so the index algebra has one implementation.
// Statements (statement.h) are an ordered tree, because merging equal statements would merge accumulators or move loads across stores. A
// kernel never loads an element both before and after it stores that element: a kernel that works in place loads each element before it
// overwrites it (verify_overwrites.h). Therefore equal loads are one UOp.
//
// After vectorise() a value may have `lanes` > 1. Lane i of a value or statement with a `lane_step` is at `index + i * lane_step`.
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
  kIndex,    // the value of the position `index`, an i64
  kInRange,  // bool: index >= 0
  // Element `index` of `buffer`; sources: none, or one bool mask. A lane whose mask is false accesses no memory and its value is 0.
  kLoad,
  // Element `index` + p * `stride` of `buffer`; sources: p, and an optional mask (as for a load). p is an i32 or i64 in the range of the
  // gathered axis. If p has one lane, all lanes of the gather use it.
  kGather,
  // An i64; sources: number, least, end (all i64), and an optional mask; lanes whose mask is false are not checked. The value is always the
  // number. If the number is outside [least, end), the run fails with the fault (site `buffer`, element `index`, number, end). Of several
  // faults a run reports the one at the lowest site and, at that site, at the lowest element. A check whose value is unused is not
  // executed.
  kCheck,
  // `op` of family Elementwise or Convert; sources have as many lanes as the result. Integers of 8 and 16 bits are computed modulo 2^8 and
  // 2^16. There is no arithmetic on f16 and bf16 (is_half): only Where, Bitcast and calls of conversion functions have such operands.
  kAlu,
  kCall,   // a call of `function` with the sources as arguments, for each lane separately
  kSplat,  // a one-lane source broadcast to every lane
  kAcc,    // element `index` of accumulator number `buffer`, at the time when the statement that uses this value executes
  kParam,  // inside a Function: its parameter number `buffer`
  // An i64: the distance, in elements, from the start of the cache line that contains element `index` of parameter `buffer` to that
  // element.
  kLineOffset,
  // Inside a Function: the element of the constant array `table` whose index is the source; the index is in bounds by construction.
  kTable,
  // Inside a Function; sources: condition, common, arguments…. The value of a lane is `function`(arguments…) if its condition is true, else
  // `common`. Generated code calls the function lane by lane, and only if the condition is true in at least one lane.
  kRarely,
};

struct Function;
struct Table;

struct UOp {
  UKind kind;
  Op op = Op::kInput;  // kAlu
  Type type;
  // Number in order of creation, so the sources of a node have smaller ids. No generated text depends on it (depth_first.h).
  uint32_t id = 0;
  mutable uint32_t mark = 0;  // number of the last traversal that visited this node (Arena::new_mark); ignored when nodes are compared
  int buffer = -1;            // number of a parameter (kLoad, kGather, kLineOffset, kParam), accumulator (kAcc) or check site (kCheck)
  // Position in a buffer, or value of kIndex and kInRange; used by kIndex, kInRange, kLoad, kGather, kCheck, kAcc, kLineOffset.
  Sym index = 0;
  Sym lane_step = 0;  // if lanes > 1: the difference of `index` from one lane to the next
  Sym stride = 0;     // kGather: the distance, in elements, between consecutive positions; kLoad: part_of() + 1 (interleaved_accesses.h)
  Scalar value = {};  // kConst
  const Function* function = nullptr;
  const Table* table = nullptr;
  std::vector<const UOp*> sources = {};
};

/// Tests whether the value is loaded from an array, which is a parameter of the kernel.
inline bool is_read(const UOp* u) { return u->kind == UKind::kLoad || u->kind == UKind::kGather; }
/// Tests whether lane i of the value depends on the position index + i * lane_step.
inline bool has_position(const UOp* u) {
  return is_read(u) || u->kind == UKind::kIndex || u->kind == UKind::kInRange || u->kind == UKind::kCheck || u->kind == UKind::kAcc;
}
/// Returns the mask of a load, gather or check; null if there is no mask. Lanes whose mask is false read or check nothing.
inline const UOp* mask_of(const UOp* read) {
  const size_t place = read->kind == UKind::kCheck ? 3 : read->kind == UKind::kGather ? 1 : 0;
  return read->sources.size() > place ? read->sources[place] : nullptr;
}

/// A function of scalars as an expression over kParam, usually instantiated from ops/math.h. The renderer emits it once for each lane count
/// in use. In the body, Div and Fmod of integers are the operators / and % of C: whoever builds the function ensures that these do not
/// trap, and that a cast from float to integer is in range. A bitcast keeps the bits of a NaN.
struct Function {
  std::string name;  // "exp_f32"
  std::vector<DType> parameters;
  DType result;
  const UOp* body;       // one lane
  std::optional<Op> op;  // the op that this function implements; nullopt if it implements none, such as a function of a kRarely
};

/// Tests whether the function takes only a few instructions, so that calling it often is cheap.
bool is_small(const Function& function);

struct Table {
  std::string name;
  DType dtype;
  std::vector<uint64_t> values;
};

/// A local variable of a kernel: an array of `count` elements of type `type`. It holds running values of a reduction or scan, or a variable
/// of a custom function. A reduction has one running value, or 64 if docs/semantics.md prescribes the lanes order ("Sums"), or one for each
/// element of a register tile. If `type` has lanes > 1, the accumulator is declared inside a vectorised loop, and each lane is a separate
/// running value. An accumulator of bools is a mask with one element for each lane of a vector; it is set and read, but neither updated nor
/// folded. With `is_row` the accumulator is a plain array, for example of the elements of a row that later passes read again; such an array
/// has no initial value and is written before it is read.
struct Accumulator {
  Type type;
  int64_t count = 1;
  Op combine = Op::kAdd;  // operation that combines two elements: Add, Mul, Max, Min or LogAddExp
  Scalar init;
  Space space = Space::kRegister;  // not kWorkspace
  bool is_row = false;             // an array without an initial value
  // Function that replaces `combine` in the body of a Retry. It need not handle all operands: if some operand was not handled, the Retry
  // repeats the computation with exact functions. Null: `combine` is used.
  const Function* function = nullptr;
  // Number of elements that each thread of a block owns in a spread accumulator (statement.h, "Groups of threads"); 0: it is not spread.
  int64_t spread = 0;
};
/// Maximum number of elements that one thread owns in an accumulator in Space::kRegister.
inline constexpr int64_t kMaxRegisterElements = 128;
/// Maximum number of bytes in Space::kShared for one kernel: the limit of the largest supported GPU. The backend checks the limit of the
/// actual machine.
inline constexpr int64_t kMaxSharedBytes = int64_t{227} << 10;
/// Returns the size in bytes of all elements of the accumulator together.
int64_t bytes_of(const Accumulator& accumulator);
/// Tests whether a CPU keeps the array in the scratch memory of the worker. That is true for kScratch, and for arrays that belong to a
/// whole block of threads (shared or spread).
bool in_worker_memory(const Accumulator& accumulator);

/// An array that a kernel receives as a parameter.
struct Param {
  std::string name;  // name in the text of the loop IR: "input0", "output1", "tmp2". Generated code uses parameter_names() instead
  DType dtype;
  bool written = false;
  bool is_large = false;  // whether the array is larger than the caches for all possible sizes
  // Only for a parameter that is read: numbers of the written parameters that may be the same memory. A kernel with such parameters stores
  // each element at exactly the index at which it reads it, and each iteration reads all its elements before it stores any.
  std::vector<int> in_place = {};
  // kWorkspace: the caller passes the array. kScratch: a block buffer of a chain of kernels (see Generation), which the caller does not
  // pass; it starts `offset` bytes after Module::blocks in the scratch memory of the worker that runs the kernel.
  Space space = Space::kWorkspace;
  Sym offset = 0;
};

struct Kernel {
  std::string name;     // "kernel_0"
  std::string comment;  // one line: what the kernel computes, over which axes, with which schedule
  std::vector<Param> params;
  std::vector<Accumulator> accumulators;
  int simd_width = 1;
  bool masked_moves = false;  // whether the machine loads and stores selected lanes of a vector by one instruction
  bool is_scheduled = false;  // whether apply_schedule has run, after which no loop has tags
  // Estimated time of all iterations, in picoseconds; decides whether the kernel runs on several threads.
  Sym work = 0;
  // On a GPU: the size of the elements of a row that a thread keeps in registers, because several passes over the row use them.
  int64_t row_bytes = 0;
  // Minimum number of thread-loop iterations for one call of the kernel, which amortises the code outside of the thread loop.
  int64_t least = 1;
  // Contains at most one kThread loop, which may be nested only in other loops. If there is one, only statements inside it store to
  // parameters.
  Body body;
};
/// Tests whether the kernel contains non-temporal stores.
bool streams(const Kernel& kernel);
/// Returns the thread loop of the kernel; null if there is none.
const Loop* thread_loop(const Kernel& kernel);
/// Returns the number of iterations of the thread loop; 1 if the kernel has none.
Sym iterations(const Kernel& kernel);
/// Returns the number of threads of a block: the trip count of each group loop (a loop over the threads of a block), or Routine::threads.
/// Returns 0 if the kernel has neither a group loop nor a routine that the threads of a block execute together.
int64_t group_size(const Kernel& kernel);
/// Returns the size in bytes of all shared accumulators of the kernel. Each of them starts at a multiple of 16 bytes.
int64_t shared_bytes(const Kernel& kernel);

/// A buffer that the host code, which is the generated function that launches the kernels, passes to a kernel.
struct HostBuffer {
  enum class Kind : uint8_t { kInput, kOutput, kConstant, kTemporary } kind;
  int index = 0;  // number of the input, output or constant; unused for a temporary
  // Offset in bytes from the start of the array; for a temporary from the start of its space, and a multiple of 64.
  Sym offset = 0;
  // Only for a temporary: kWorkspace, or kScratch, which means the block buffers in the scratch memory of a worker (Module::blocks).
  Space space = Space::kWorkspace;
};

/// Returns a list with one entry for each accumulator of the kernel, and one more entry. If the accumulator is in the scratch memory of a
/// worker (in_worker_memory), its entry is its byte offset there; other entries have no meaning. The last entry is the total size in bytes,
/// a multiple of 64.
std::vector<int64_t> scratch_offsets(const Kernel& kernel);

inline constexpr int64_t kFaultBytes = 64;

struct Launch {
  int kernel;
  std::vector<HostBuffer> arguments;  // one for each Param of the kernel, in the same order
  std::optional<Sym> guard;           // if set, the launch is skipped unless guard >= 0; used for variants of one kernel
  // Pairs of arrays that may be the same memory at run time. If the list is not empty, the launch is conditional: with
  // `only_without_aliasing` it is skipped if the arrays of some pair are the same memory, otherwise it is skipped unless they are.
  std::vector<std::pair<HostBuffer, HostBuffer>> in_place = {};
  bool only_without_aliasing = false;
  // If true, the launch is an alternative to the one before it: both are variants of one kernel, of which a run uses the first whose
  // `own_guard`, and condition on aliasing, holds. `guard` also says that those of the earlier variants do not hold.
  bool is_alternative = false;
  std::optional<Sym> own_guard = {};
  // If true, the launch starts only when the previous launch in Generation::launches is complete, because it uses the results of that
  // launch: both are phases of one routine on a GPU. Other launches of a generation may run concurrently.
  bool follows = false;
};

/// A call of a function that the host application provides; the address of the function is Module::natives[function].
struct NativeCall {
  struct Argument {
    enum Kind : uint8_t { kArray, kSize, kNumber, kAddress } kind;
    DType dtype = DType::kUnknown;  // kArray: dtype of the elements; kSize, kNumber: dtype of the argument
    bool written = false;           // kArray
    HostBuffer array = {};
    Sym size = 0;  // kSize: the value that is passed; kArray: the size of the array in bytes
    Scalar number = {};
    int address = -1;  // kAddress: the address Module::natives[address] is passed
  };
  std::string name;  // the function's name, for error messages
  int function;
  bool returns_status;  // the function returns an i32 status; any value but 0 is a failure
  std::vector<Argument> arguments;
  Sym elements;  // number of elements of the result; a call whose result is empty at run time is skipped
};

/// One generation of the program: launches that may run concurrently, followed by native calls, which run one at a time. If `blocks` > 0,
/// the generation is a chain of kernels (schedule/chain.cpp): the thread loop of every launch has `blocks` iterations, and one worker runs
/// the same iteration of every launch, in the order of the launches.
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

/// Owns the expressions, statements and functions of a program.
class Arena {
 public:
  explicit Arena(std::shared_ptr<SymTable> syms);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  SymTable& syms() { return *syms_; }

  /// Returns the node of this arena that equals the prototype in everything except `id`; creates the node if there is none.
  const UOp* intern(UOp prototype);

  const UOp* constant(Scalar value);
  const UOp* index(Sym value);
  const UOp* line_offset(int buffer, Sym index);
  /// Returns the bool `nonnegative` >= 0; the result is a constant if the condition is provably true or provably false.
  const UOp* in_range(Sym nonnegative);
  const UOp* load(DType dtype, int buffer, Sym index, const UOp* mask = nullptr);
  /// Returns a gather (kGather); returns a plain load if the position is constant or the stride is 0.
  const UOp* gather(DType dtype, int buffer, Sym index, const UOp* position, Sym stride, const UOp* mask = nullptr);
  /// Returns a check (kCheck), whose value is `number`, an i64, unchanged. Executing it fails the run if the number is outside [least,
  /// end); the fault is reported for `element` at `site` (graph/index_fault.h). Callers must use the returned value, because an unused
  /// check is dropped. Returns `number` itself if it is a constant in a constant range, or if the mask is constant false.
  const UOp* check(int site, Sym element, const UOp* number, const UOp* least, const UOp* end, const UOp* mask = nullptr);
  /// Tests whether check() has made any check. Numbers that are known to be in range need none.
  bool has_checks() const { return has_checks_; }
  /// Converts an integer of any dtype to a position along an axis of this size. A negative number counts from the end of the axis. A number
  /// that is still out of range is clamped to the nearest element. For an empty axis the result is -1. The result is an i32 if that dtype
  /// can represent the size and every value of the number's dtype, else an i64; a constant result is always an i64.
  const UOp* position(const UOp* number, Sym size);
  /// Returns `op` over the sources, which must have the same number of lanes. Simplifies only where all bits are kept, for example a Where
  /// with a constant condition or equal branches, and/or of a bool with a constant, a double negation, or a cast to the same dtype. Never
  /// folds float arithmetic.
  const UOp* alu(Op op, DType dtype, std::vector<const UOp*> sources);
  const UOp* call(const Function* function, std::vector<const UOp*> arguments);
  const UOp* splat(const UOp* source, int lanes);
  /// Returns element `element` of an accumulator. If the accumulator's type has lanes > 1, `lanes` must be that number, or 1, which gives
  /// the first lane of the element.
  const UOp* acc(DType dtype, int accumulator, Sym element, int lanes = 1);

  /// Returns the function that ops/math.h defines for `op` over `dtype`; builds it on the first call. The op must have the flag kFunction.
  const Function* function_of(Op op, DType dtype);
  /// Returns a conversion function from or to a 16-bit float (f16 or bf16). From such a dtype it converts to f32. If `to` is u16 instead,
  /// it returns the bits of its operand, or the bits of the canonical NaN if the operand is a NaN. To such a dtype it converts from f32,
  /// f64 or an integer of 32 or 64 bits.
  const Function* conversion(DType from, DType to);
  /// Returns the value of an elementwise op; lowering makes all such values with this function. The result is alu(), or call() of
  /// function_of(), as the op requires, or a cheaper expression with equal results (any NaN counts as equal to any other). An operation on
  /// 16-bit floats converts its operands to f32 and its result back.
  const UOp* apply(Op op, DType dtype, std::vector<const UOp*> sources);
  /// Converts the value to `dtype` as a Cast of the graph does.
  const UOp* cast(DType dtype, const UOp* value);

  /// Returns a number that is not yet the `mark` of any value (UOp) of this arena.
  uint32_t new_mark() { return ++last_mark_; }

  template <class S>
  S* statement() {
    return &std::get<S>(statements_.emplace_back(std::in_place_type<S>));
  }
  /// Makes a shallow copy of the statement `like`: both contain the same nested statements.
  template <class S>
  S* statement(const S& like) {
    return &std::get<S>(statements_.emplace_back(like));
  }
  Function* new_function(std::string name, std::vector<DType> parameters, DType result);
  /// Returns the function with this name; null if the arena has none.
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
  bool has_checks_ = false;
};

/// The kernels and the host code of one program. The renderer turns a module into one translation unit.
struct Module {
  std::shared_ptr<Arena> arena;
  std::string name;  // name of the graph
  std::vector<ArrayType> inputs, outputs;
  std::vector<Sym> shape_vars;  // shape variables, in the order in which the generated function entry_point receives them
  std::vector<ConstantArray> constants;
  std::vector<Kernel> kernels;
  std::vector<Generation> generations;
  // Addresses of host functions and of data for them; a NativeCall refers to an address by its index here. The addresses are supplied at
  // run time and are never part of the generated text.
  std::vector<void*> natives;
  Sym workspace;    // size of the workspace in bytes, a multiple of 64
  Sym scratch = 0;  // bytes of scratch memory of each worker, located after the workspace; a multiple of 64
  // The scratch memory that a run of certain sizes takes for each worker: `scratch`, or 0 if no kernel that it launches uses any.
  Sym scratch_of_run = 0;
  int64_t blocks = 0;  // offset in bytes, in the scratch memory of a worker, of the block buffers of chains (Generation)
  // Number of check sites; 0 if no kernel has a check. If not 0, the last kFaultBytes of a worker's scratch memory hold the fault that the
  // worker reports.
  int sites = 0;
};

/// Returns the text of a module or kernel (`harp emit --lang ir`), one statement a line.
std::string print(const Module& module);
std::string print(const Arena& arena, const Kernel& kernel);
/// Returns a value as text with the types of its sources, for error messages: "f32x8 = Add(f32x8, f32x4)". Also works for values that
/// violate the rules of verify().
std::string describe(const UOp& value);

/// Throws Error{kInternal}, whose message names the rule and the statement or value, if a kernel violates a rule. The rules are:
///   lanes and dtypes of sources agree
///   variables are used inside their loop
///   accumulators are declared before use
///   a loop to be vectorised changes only accumulators that it declares, or elements whose index depends on its variable
///   a kernel has at most one thread loop, which is enclosed only by loops
///   steps are positive
///   apply_schedule can execute the tags of loops (LoopTags); a scheduled kernel has no tags
///   no result depends on the order in which the threads of a block run (statement.h, "Groups of threads")
void verify(const Module& module);

}  // namespace harp::ir
