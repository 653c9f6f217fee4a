// Defines the table of a dialect, that is, of one language of the C family (C, CUDA). It says how the parts of kernels are written in this
// language. Code in render/kernel consults the table where dialects differ. It writes without the table what all dialects have in common
// (arithmetic operators, statements, subscripts).
//
// A dialect is a value. To make another dialect, copy one and replace some entries:
//
//   Dialect d = kC;
//   d.inlined = "static __device__ __forceinline__ ";
//   d.unroll = "#pragma unroll $COUNT";
//
// Entries with texts that contain $NAME are templates (render/text/filled.h). Entries that are functions receive the unit (the generated
// source) or the scope for which they write. An entry that defines a generated function returns its name; the entry's comment has the
// parameters of the generated function in parentheses.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/linearize.h"
#include "render/kernel/rules.h"

namespace harp::render {

struct Unit;     // defined in render/kernel/unit.h
struct Scope;    // defined in render/kernel/scope.h
struct Address;  // defined in render/kernel/address.h

/// The text of a constant. `negative`: the text starts with a minus sign.
struct Literal {
  std::string text;
  bool negative = false;
};

/// A fold: the reduction of an accumulator to one value. The accumulator has `size` stored values of `lanes` lanes each. `function`
/// combines two values; if it is null, the operator of Add or Mul combines them.
struct FoldForm {
  Op combine;
  const ir::Function* function;
  DType dtype;
  int lanes, size;
};

/// A scan: replaces the elements of one group by their running values (prefix sums or the like).
struct ScanForm {
  Op combine;
  const ir::Function* function;  // combines two values; null: the operator of Add or Mul combines them
  Scalar identity;
  int lanes, size;  // lanes: number of lanes of a stored value; size: number of elements in the group
};

/// How values with several lanes are written, in expressions and in statements. In a dialect with scalar arithmetic these entries are
/// empty.
struct VectorEntries {
  /// Returns the expression that computes a value, even if a variable already holds the value.
  Text (*computation)(const Scope& scope, const ir::UOp* u) = nullptr;
  /// Returns a vector for a value that is the same in all lanes, as an expression.
  Text (*splatted)(const Scope& scope, const ir::UOp* u) = nullptr;
  /// Returns the mask width (Text::mask_bits) in which this vector of bools can be computed with the fewest conversions; 0: any width.
  int (*mask_bits)(const Scope& scope, const ir::UOp* u) = nullptr;
  /// Returns the mask width (Text::mask_bits) of a function's result; 0 if the result is not a bool.
  int (*mask_bits_of_result)(const ir::Function& function) = nullptr;
  /// Returns a vector of bools as an expression for a mask with exactly `bits` bits per lane.
  std::string (*mask)(const Scope& scope, const ir::UOp* u, int bits) = nullptr;
  /// Returns the type of a vector of bools: a mask with `bits` bits per lane.
  std::string (*mask_type)(Unit& unit, int bits, int lanes) = nullptr;
  /// Returns the width (Text::mask_bits) of the masks in which an accumulator keeps vectors of bools.
  int (*mask_bits_of_accumulator)(const Scope& scope, int accumulator) = nullptr;
  /// Returns an expression that is true if some element of an accumulator of several bools is true.
  std::string (*any)(const Scope& scope, int accumulator) = nullptr;
  /// Returns the type of a vector in memory.
  std::string (*memory_type)(Unit& unit, DType dtype, int lanes) = nullptr;
  /// Returns the name of a generated function (scalar). Its result is a vector with this value in all lanes.
  std::string (*splat)(Unit& unit, DType dtype, int lanes) = nullptr;
  /// Returns the text of the vector that a store writes to memory.
  std::string (*stored)(const Scope& scope, const ir::Store& store) = nullptr;
  /// Returns the statement that stores a vector.
  std::string (*store)(const Scope& scope, const Address& at, const ir::Store& store) = nullptr;
  /// Tests whether store_interleaved() is faster than a store of each of the `parts` vectors by itself.
  bool (*interleaves)(const Unit& unit, DType dtype, int lanes, int parts) = nullptr;
  /// Returns the name of a generated function (pointer, vectors) that stores `parts` vectors whose elements are interleaved in memory
  /// (ir/interleaved_accesses.h).
  std::string (*store_interleaved)(Unit& unit, DType dtype, int lanes, int parts) = nullptr;
  /// Returns a statement for a kRarely value (a value whose exact computation is rarely needed). The variable `name` holds the common value
  /// of all lanes. In the lanes where the condition of `u` is true, the statement computes the value by the function of `u`.
  std::string (*rare_lanes)(const Scope& scope, const ir::UOp* u, const std::string& name) = nullptr;
  /// Returns the name of a generated function that evaluates `function` for two vectors, with interleaved operations. Its parameters are
  /// (arguments of the first vector, arguments of the second, pointers to both results). Returns "" if there is no such function.
  std::string (*function_of_two)(Unit& unit, const ir::Function& function, int lanes) = nullptr;
};

/// How kernels with group loops (ir/statement.h, "Groups of threads") are written for a GPU, where the threads of a group execute the
/// iterations of a group loop at the same time. A block of threads consists of one or several groups. Each group executes one iteration of
/// the thread loop at a time. In the generated code, `thread` is the index of a thread in its group. If a block has several groups, `group`
/// is the index of the group in its block.
struct GroupEntries {
  /// Returns the number of groups in a block of threads, for groups of `threads` threads that each use `shared` bytes of shared
  /// accumulators. The pointer is null in a dialect without blocks of threads, which writes group loops as ordinary loops.
  int64_t (*of_block)(const Unit& unit, int64_t threads, int64_t shared) = nullptr;
  std::string_view block = {}, blocks = {};  // C expressions for the index of the block, and for the number of blocks
  // the statement for a barrier (Dialect::barrier) among the threads of one group; used if a block has several groups
  std::string_view barrier = {};
  std::string_view shared = {};  // declaration of a shared accumulator with $COUNT elements; placeholders $TYPE, $NAME, $COUNT
  // Maximum bytes of the shared accumulators of a kernel that are declared by `shared`. If they need more, they are in one array
  // `shared_memory`, which `dynamic_shared` declares, and for which the launch reserves memory.
  int64_t most_shared = 0;
  std::string_view dynamic_shared = {};
  /// Returns the name of a generated function that all `threads` threads of a group call together. Its parameter is a pointer to the
  /// form.size elements of the calling thread. Its result is the fold of the elements of all threads, in the order of Dialect::fold.
  std::string (*fold)(Unit& unit, const FoldForm& form, int64_t threads) = nullptr;
  // Statement at the end of a batch of asynchronous copies, and statement that waits for all batches but the last $PENDING. Empty: a copy
  // is complete when its statement has been executed.
  std::string_view end_batch = {}, wait = {};
  /// Returns a statement that multiplies matrices by tensor cores. Null: the dialect has no such statement.
  std::string (*mma)(const Scope& scope, const ir::Mma& mma) = nullptr;
  /// Returns a statement that combines the integer at the address `pointer` with a value, for Add, Max or Min. No other thread changes the
  /// integer between the load and the store. Null: the dialect has no such statement.
  std::string (*atomic)(Op combine, DType dtype, const std::string& pointer, const std::string& value) = nullptr;
};

struct Dialect {
  std::string_view name = {};

  // --- types and constants ---
  std::string_view index = {};                                              // type of positions and loop variables
  std::string_view (*memory_type)(DType dtype) = nullptr;                   // returns the type of an element in memory
  std::string (*value_type)(Unit& unit, DType dtype, int lanes) = nullptr;  // returns the type of a variable that holds a value
  Literal (*literal)(const Scalar& value) = nullptr;
  std::string_view aligned = {};     // text that follows the name in the declaration of a variable, and aligns it to $BYTES bytes
  std::string_view table = {};       // text at the beginning of a constant array's definition, such as "static const "
  std::string_view fault_type = {};  // type of the parameter `fault`, by which index checks report faults
  /// Returns the name of a function that converts a number to another type and keeps its bits. Returns "" if there is none; the code then
  /// uses a union.
  std::string_view (*reinterpretation)(DType from, DType to) = nullptr;
  /// Returns the alignment in bytes that a kernel's array needs for vector accesses; 0: the alignment of an element is enough.
  int64_t (*alignment)(const Unit& unit, DType dtype, int64_t elements) = nullptr;

  // --- operators ---
  std::span<const Rule> rules = {};  // rules that replace the rules of kRules for the same operations
  /// Returns the definition of a scalar function for an operation that the machine or the compiler lacks. Returns "" if the operation needs
  /// none.
  std::string (*emulation)(Unit& unit, Op op, DType dtype) = nullptr;

  // --- heads of functions ---
  std::string_view inlined = {}, always_inlined = {}, called = {}, rarely_called = {};
  std::string_view kernel_head = {};  // head of a kernel's function; placeholders $MARK (the result of kernel_mark), $NAME, $PARAMETERS
  /// Returns a word in the head of the kernel's function that tells the compiler how to treat the kernel; "" if there is none.
  std::string_view (*kernel_mark)(const ir::Kernel& kernel) = nullptr;

  // --- statements ---
  std::string_view loop = {};  // head of a loop; placeholders $TYPE and $VARIABLE (of the loop variable), $BEGIN, $END, $ADVANCE
  // For kernels on a grid of GPU threads: C expressions for the index of the calling thread (a sum) and for the number of threads (a
  // product). A thread loop distributes its iterations among these threads. If these entries are empty, the kernel has the parameters
  // begin0 and end0, which say which iterations it executes.
  std::string_view grid_thread = {}, grid_threads = {};
  std::string_view unroll = {};  // line before a loop whose $COUNT steps the compiler is to unroll
  /// Returns a line before a loop that tells the compiler how to treat the loop; "" if there is none. `rest` are the lines after the one
  /// that opens the loop.
  std::string_view (*loop_mark)(const Scope& scope, const ir::Line& loop, std::span<const ir::Line> rest) = nullptr;
  std::string_view barrier = {};  // line between two group loops; in a dialect where group loops are ordinary loops it is only a comment
  // Prefetch statement; placeholders $POINTER, $WRITES (0 or 1), $LOCALITY (4 minus the level of the cache); empty: no prefetches.
  std::string_view prefetch = {};
  std::string_view cancelled = {};    // condition that is true if the run was cancelled; empty: kernels do not test it
  std::string_view store_fence = {};  // statement that waits until all non-temporal stores are visible to other threads
  /// Tests whether generated code can detect invalid float operations. If so, defines in the unit the functions that clear_invalid and
  /// met_invalid call.
  bool (*detects_invalid)(Unit& unit) = nullptr;
  // Statement that clears the invalid flag; condition that is true if the flag is set.
  std::string_view clear_invalid = {}, met_invalid = {};

  // --- Generated functions ---
  std::string (*elementwise)(Unit& unit, const Rule& rule, DType dtype, int lanes) = nullptr;
  std::string (*function)(Unit& unit, const ir::Function& function, int lanes) = nullptr;
  /// Returns the name of a generated function (dividend, divisor, reciprocal of the divisor), which returns the quotient, rounded down, or
  /// the remainder. Null: the operators / and % divide. If it is not null, kernels have the parameters that render/kernel/sizes.h
  /// describes.
  std::string (*divided)(Unit& unit, bool is_quotient, bool is_nonnegative) = nullptr;
  /// Returns the name of a generated function (fault, site, element, number, size), which reports that an index (`number`) for element
  /// number `element` is out of range. `site` is the number of the index check in the program.
  std::string (*report)(Unit& unit) = nullptr;
  /// Returns the name of a generated function (stored values). Its result is the fold of these values by halving: element i is combined
  /// with element i + half, repeatedly, until one is left. With `each_lane` each lane is folded separately.
  std::string (*fold)(Unit& unit, const FoldForm& form, bool each_lane) = nullptr;
  /// Returns the name of a generated function that computes two folds at once; its arguments are the stored vectors of each. Its result is
  /// a vector, in which the first element of each half is the result of one fold. Null: each fold is computed on its own.
  std::string (*fold_two)(Unit& unit, const FoldForm& form) = nullptr;
  /// Returns the name of a generated function (stored values, carry). It replaces the values by the running values of the group, starting
  /// from the carry, the total of the elements before the group. It returns the total of the group without the carry.
  std::string (*scan)(Unit& unit, const ScanForm& form) = nullptr;
  /// Returns the name of a generated function for one part of a scan on vectors. Its parameters depend on the part: kQuads (stored values,
  /// totals), kTotals (totals), kBefore (totals, carry), which returns the group's total without the carry, kAdded (stored values, totals),
  /// kValues (stored values).
  std::string (*scan_part)(Unit& unit, const ScanForm& form, ir::ScanPart part, int64_t step) = nullptr;
  /// `routine` returns the statement that calls a routine, `copy` the statement that copies a matrix, and `copy_async` a statement that
  /// starts an asynchronous copy.
  std::string (*routine)(const Scope& scope, const ir::Routine& routine) = nullptr;
  std::string (*copy)(const Scope& scope, const ir::Copy& copy) = nullptr;
  std::string (*copy_async)(const Scope& scope, const ir::CopyAsync& copy) = nullptr;

  VectorEntries vectors;
  GroupEntries groups = {};
};

}  // namespace harp::render
