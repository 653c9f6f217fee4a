// The loop IR of one program: what kernels compute, after the graph and before text.
//
// Expressions (UOp) are a hash-consed DAG of values: constants, positions, loads, operations of ops.def, calls of functions.
// Positions are Syms (base/symbolic.h): every buffer index, loop bound and condition on an index is one, so the index
// algebra has one implementation. Statements (statement.h) are an ordered tree, because merging equal statements would merge
// accumulators or move loads across stores. Buffers a kernel reads are never written by it, except by a store
// at the very index just read (in-place elementwise), so equal loads are one UOp.
//
// A value has `lanes` > 1 after the vectorise rewrite. Lane i of Index, InRange, Load, Gather and Store is at `index + i * lane_step`.
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

#include "base/symbolic.h"
#include "base/target.h"
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
  kLoad,     // element `index` of `buffer`; sources: none, or one bool mask: lanes where it is false touch no memory and give 0
  kGather,   // element `index` + position * `stride` of `buffer`; sources: the position, an i32 or i64 that is inside the array (of one
             // lane: the same in all), and perhaps a mask as of a load
  kCheck,  // an i64: the first of its sources number, least, end (i64), whatever it is. Where it is not in least … end - 1, the run fails,
           // and reports it (site `buffer`, element `index`, the number, end) unless it reports one of a lower site, or of this and a lower
           // element. Perhaps a mask as of a load: lanes where it is false are not looked at. What is not used is not checked
  kAlu,         // `op` of family Elementwise or Convert; sources have the lanes of the result. Integers of 8 and 16 bits compute as they
                // are, since wrapping makes that the same; of f16 and bf16 there are only the bits (is_half): they are chosen by Where,
                // and become others by Bitcast and by calls of conversions
  kCall,        // `function` of the sources, lane by lane
  kSplat,       // one-lane source in every lane
  kAcc,         // element `index` of accumulator `buffer`: what it holds where the statement that uses this stands
  kParam,       // inside a Function: parameter number `buffer`
  kLineOffset,  // an i64: elements by which element `index` of parameter `buffer` lies behind where a cache line begins
  kTable,       // inside a Function: `table`[source], a constant table; the index is in bounds by construction
  kRarely,      // inside a Function: sources condition, common, arguments…: lanes where the condition is false give `common`, the
                // others `function`(arguments…), which is called lane by lane and only if some lane needs it
};

struct Function;
struct Table;

struct UOp {
  UKind kind;
  Op op = Op::kInput;  // kAlu
  Type type;
  uint32_t id = 0;            // order of creation: sources have smaller ids
  mutable uint32_t mark = 0;  // the last walk (Arena::new_mark) that met it; not part of the value
  int buffer = -1;            // kLoad, kGather, kLineOffset: parameter of the kernel; kAcc: accumulator; kParam: parameter; kCheck: site
  Sym index = 0;              // kIndex, kInRange, kLoad, kGather, kCheck, kAcc, kLineOffset
  Sym lane_step = 0;          // with lanes > 1
  Sym stride = 0;             // kGather
  Scalar value = {};          // kConst
  const Function* function = nullptr;
  const Table* table = nullptr;
  std::vector<const UOp*> sources = {};
};

/// Does it read a parameter of the kernel?
inline bool is_read(const UOp* u) { return u->kind == UKind::kLoad || u->kind == UKind::kGather; }
/// Does it stand at a position, which goes on by `lane_step` from lane to lane?
inline bool has_position(const UOp* u) {
  return is_read(u) || u->kind == UKind::kIndex || u->kind == UKind::kInRange || u->kind == UKind::kCheck || u->kind == UKind::kAcc;
}
/// Where what reads may read, or what checks has to check; null: everywhere.
inline const UOp* mask_of(const UOp* read) {
  const size_t place = read->kind == UKind::kCheck ? 3 : read->kind == UKind::kGather ? 1 : 0;
  return read->sources.size() > place ? read->sources[place] : nullptr;
}

/// A math function as an expression over kParam; instantiated from ops/math.h. Rendered once for each lane count in use.
/// In a body Div and Fmod of integers are C's / and %, which the template keeps from trapping; casts of floats to integers are in
/// range, and bitcasts take any NaN as it is.
struct Function {
  std::string name;  // "exp_f32"
  std::vector<DType> parameters;
  DType result;
  const UOp* body;       // one lane
  std::optional<Op> op;  // that it is the function of; none: a rare path
};

/// Is it no more than a few instructions?
bool is_small(const Function& function);

struct Table {
  std::string name;
  DType dtype;
  std::vector<uint64_t> values;
};

/// The running value(s) of a reduction or scan: `count` elements (1, 64 lanes, or a row tile), each of `type` (lanes > 1: declared
/// inside a vectorised loop, one accumulator a lane). Or the elements of a row that later passes over it use again: these are set before
/// they are read, and start as anything.
struct Accumulator {
  Type type;
  int64_t count = 1;
  Op combine = Op::kAdd;  // Add, Mul, Max, Min, LogAddExp
  Scalar init;
  bool in_scratch = false;  // in the worker's scratch memory instead of on the stack
  bool is_row = false;      // elements of a row
  // A parameter whose rows, of whole pages, are loaded while this array is stored to. A load waits for stores that are not done yet if
  // their addresses are the same but for the page, so the array begins a little in front of where the parameter does in one; -1: there is
  // none.
  int beside = -1;
  const Function* function = nullptr;  // that combines two elements as a watched block may; null: that of `combine`
};

/// A buffer a kernel is called with.
struct Param {
  std::string name;  // "input0", "output1", "tmp2": of the program, so that equal kernels need canonical renaming
  DType dtype;
  bool written = false;
  // read: written parameters that may be the same memory. What is read of it is read at the very index that is stored to them, and in
  // every iteration before anything is stored.
  std::vector<int> in_place = {};
  // A block (Launch): not given to the kernel, but so many bytes from Module::blocks in the scratch memory of the worker that runs it.
  std::optional<Sym> block = std::nullopt;
};

struct Kernel {
  std::string name;     // "kernel_0"
  std::string comment;  // one line: what it computes, over which axes, how they are scheduled
  std::vector<Param> params;
  std::vector<Accumulator> accumulators;
  int simd_width = 1;
  Sym work = 0;       // of all iterations, in steps of about half a nanosecond: tells whether sharing them out pays
  int64_t least = 1;  // iterations of the thread loop that are worth what a call does around it
  Body body;          // at most one kThread loop; around it are loops alone, and nothing but in it is stored to parameters
};
/// Does it store past the caches?
bool streams(const Kernel& kernel);
/// The kernel's thread loop, or null.
const Loop* thread_loop(const Kernel& kernel);
/// Iterations of the thread loop; 1 without one.
Sym iterations(const Kernel& kernel);

/// A buffer of the program as the host half sees it.
struct HostBuffer {
  enum class Kind : uint8_t { kInput, kOutput, kWorkspace, kConstant, kBlock } kind;
  int index = 0;   // of the input, output or constant
  Sym offset = 0;  // bytes from its start; kWorkspace, kBlock: from the start of the workspace, of a worker's blocks, a multiple of 64
};

/// Where the accumulators of a kernel that are in scratch memory begin, in bytes from its start; last the bytes of all, a multiple of 64.
std::vector<int64_t> scratch_offsets(const Kernel& kernel);

inline constexpr int64_t kFaultBytes = 64;

struct Launch {
  int kernel;
  std::vector<HostBuffer> arguments;  // one a Param
  std::optional<Sym> guard;           // the launch happens only where guard >= 0 (variants of one kernel)
  // What may be the same arrays: the launch happens only where none is, or some are.
  std::vector<std::pair<HostBuffer, HostBuffer>> in_place = {};
  bool apart = false;
};

/// A call of natives[function], a function of the host's.
struct NativeCall {
  struct Argument {
    enum Kind : uint8_t { kArray, kSize, kNumber, kAddress } kind;
    DType dtype = DType::kUnknown;  // of the array's elements, of the size or number
    bool written = false;           // kArray
    HostBuffer array = {};
    Sym size = 0;
    Scalar number = {};
    int address = -1;  // natives[address]
  };
  std::string name;  // for messages
  int function;
  bool returns_status;  // an i32, where anything but 0 is a failure
  std::vector<Argument> arguments;
  Sym elements;  // of the result: there is no call where it has none
};

/// One generation: its launches may run at the same time; native calls follow, each alone. Or, with `blocks`, a chain: for each of so many
/// iterations of their thread loops a worker does one of each launch, in turn.
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

  /// The interned node; `prototype.id` is ignored.
  const UOp* intern(UOp prototype);

  const UOp* constant(Scalar value);
  const UOp* index(Sym value);
  const UOp* line_offset(int buffer, Sym index);
  /// Folds to a constant when proven either way.
  const UOp* in_range(Sym nonnegative);
  const UOp* load(DType dtype, int buffer, Sym index, const UOp* mask = nullptr);
  /// A load where the position is known, or says nothing.
  const UOp* gather(DType dtype, int buffer, Sym index, const UOp* position, Sym stride, const UOp* mask = nullptr);
  /// The number (an i64), which fails the run where it is not in least … end - 1: what it says is outside is reported as that of `element`
  /// at `site` (graph/index_fault.h). Use what this gives, whose value is the number still: outside an array as ever.
  const UOp* check(int site, Sym element, const UOp* number, const UOp* least, const UOp* end, const UOp* mask = nullptr);
  /// The position that an integer of any dtype names along an axis of this size: negative ones count from the end, what is still outside
  /// is the nearest. (-1 where there is none.) An i32 where that is enough, else an i64.
  const UOp* position(const UOp* number, Sym size);
  /// Simplifies what is bit-safe: where with a constant condition or equal branches, bool and/or/not with constants, double
  /// negation, same-dtype casts. Never folds float arithmetic. Sources must agree in lanes.
  const UOp* alu(Op op, DType dtype, std::vector<const UOp*> sources);
  const UOp* call(const Function* function, std::vector<const UOp*> arguments);
  const UOp* splat(const UOp* source, int lanes);
  /// With several lanes all of an accumulator of vectors, with one its first lane.
  const UOp* acc(DType dtype, int accumulator, Sym element, int lanes = 1);

  /// The function of `op` over `dtype` as ops/math.h defines it (op has the kFunction flag), instantiated once.
  const Function* function_of(Op op, DType dtype);
  /// Between a float of 16 bits and f32, or from f64 or a wide integer to one; or canonical bits, as u16.
  const Function* conversion(DType from, DType to);
  /// alu() or call() of function_of(), whichever the op needs, or a cheaper form with the same results (any NaN for a NaN): how
  /// lowering makes every elementwise value. Halves are widened for it, and the result narrowed.
  const UOp* apply(Op op, DType dtype, std::vector<const UOp*> sources);
  /// The value as `dtype`, as a cast of the graph gives it.
  const UOp* cast(DType dtype, const UOp* value);

  /// A number no UOp of this arena is marked with yet.
  uint32_t new_mark() { return ++last_mark_; }

  template <class S>
  S* statement() {
    return &std::get<S>(statements_.emplace_back(std::in_place_type<S>));
  }
  /// A copy, which has the same statements inside.
  template <class S>
  S* statement(const S& like) {
    return &std::get<S>(statements_.emplace_back(like));
  }
  Function* new_function(std::string name, std::vector<DType> parameters, DType result);
  /// The function made under this name, or null.
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

/// One program: what the renderer turns into one translation unit.
struct Module {
  std::shared_ptr<Arena> arena;
  std::string name;  // of the graph
  std::vector<ArrayType> inputs, outputs;
  std::vector<Sym> shape_vars;  // shape{n} of entry_point, in order
  std::vector<ConstantArray> constants;
  std::vector<Kernel> kernels;
  std::vector<Generation> generations;
  std::vector<void*> natives;  // addresses that calls refer to by number: they are given at run time and are in no text
  Sym workspace;               // bytes, a multiple of 64
  Sym scratch = 0;             // bytes each worker has for itself behind the workspace; a multiple of 64
  int64_t blocks = 0;          // bytes from the start of that to where blocks lie
  int sites = 0;               // that kernels check at; with any, a worker's last kFaultBytes of scratch are the first fault it found
};

/// Text of a module or kernel (`harp emit --lang ir`), one statement a line.
std::string print(const Module& module);
std::string print(const Arena& arena, const Kernel& kernel);

/// Error{kInternal} naming the rule and the place when a kernel breaks one: lanes and dtypes of sources agree; variables are
/// used inside their loop; accumulators are declared before use, updated by a vectorised loop only at an element that
/// depends on its variable; thread loop outermost; steps positive.
void verify(const Module& module);

}  // namespace harp::ir
