// The table of a dialect, which is one language of the C family (C, CUDA): how it spells what kernels are made of. Code in render/kernel
// consults this table where dialects differ, and writes by itself what all dialects have in common (arithmetic operators, statements,
// subscripts).
//
// A dialect is a value. Another one is a copy with some entries replaced:
//
//   Dialect d = kC;
//   d.inlined = "static __device__ __forceinline__ ";
//   d.unroll = "#pragma unroll $COUNT";
//
// Entries that are text with $NAMES are templates (render/text/filled.h). Entries that are functions receive the unit (the generated
// source) or the scope that they write for. If they define a generated function, they return its name; their comments say "Function
// (parameters)" for its parameters.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/linearize.h"
#include "render/kernel/rules.h"

namespace harp::render {

struct Unit;     // render/kernel/unit.h
struct Scope;    // render/kernel/scope.h
struct Address;  // render/kernel/address.h

/// A constant as text. `negative`: the text starts with a minus sign.
struct Literal {
  std::string text;
  bool negative = false;
};

/// A fold, that is, the reduction of an accumulator to one value: it combines `size` stored values of `lanes` lanes by `function` (null: by
/// the operator of Add or Mul).
struct FoldForm {
  Op combine;
  const ir::Function* function;
  DType dtype;
  int lanes, size;
};

/// A scan, which replaces the elements of one group by their running values.
struct ScanForm {
  Op combine;
  const ir::Function* function;  // null: the operator of Add or Mul
  Scalar identity;
  int lanes, size;  // lanes of a stored value; number of elements in the group
};

/// How values of several lanes are written, in expressions and in statements. These entries are empty in a dialect whose arithmetic is
/// scalar.
struct VectorEntries {
  /// Returns the expression that computes a value, even if a variable holds it.
  Text (*computation)(const Scope& scope, const ir::UOp* u) = nullptr;
  /// Returns a vector expression for a value that is the same in all lanes.
  Text (*splatted)(const Scope& scope, const ir::UOp* u) = nullptr;
  /// Returns the mask width (Text::mask_bits) in which it is cheapest to compute this vector of bools; 0: all are equally good.
  int (*mask_bits)(const Scope& scope, const ir::UOp* u) = nullptr;
  /// Returns the mask width (Text::mask_bits) of a function's result; 0: the result is not a bool.
  int (*mask_bits_of_result)(const ir::Function& function) = nullptr;
  /// Returns the expression of a vector of bools as a mask of exactly this width.
  std::string (*mask)(const Scope& scope, const ir::UOp* u, int bits) = nullptr;
  /// Returns the type of a vector of bools.
  std::string (*mask_type)(Unit& unit, int bits, int lanes) = nullptr;
  /// Returns the type of a vector in memory.
  std::string (*memory_type)(Unit& unit, DType dtype, int lanes) = nullptr;
  /// Returns the name of a generated function (scalar): returns a vector with this value in all lanes.
  std::string (*splat)(Unit& unit, DType dtype, int lanes) = nullptr;
  /// Returns the statement that stores a vector.
  std::string (*store)(const Scope& scope, const Address& at, const ir::Store& store) = nullptr;
  /// Returns the statement that stores two vectors whose elements alternate in memory; `pointer` is the address of the first.
  std::string (*store_pairs)(const Scope& scope, const std::string& pointer, ir::Type type, const std::string& first,
                             const std::string& second) = nullptr;
  /// Returns the statement for the rare lanes of a kRarely value: where its condition is true, a lane of the variable `name` is recomputed
  /// by its function.
  std::string (*rare_lanes)(const Scope& scope, const ir::UOp* u, const std::string& name) = nullptr;
  /// Returns the name of a generated function (arguments of the first vector, of the second, pointers to both results): interleaves two
  /// calls; empty if there is none.
  std::string (*function_of_two)(Unit& unit, const ir::Function& function, int lanes) = nullptr;
};

/// How kernels with group loops (ir/statement.h, "Groups of threads") are written for a GPU, where threads execute the iterations of a
/// group loop at the same time. A block of threads consists of one or several groups, each of which runs one iteration of the thread loop
/// at a time. In the generated code, `thread` is the number of a thread in its group, and `group` the number of its group in the block, if
/// there are several.
struct GroupEntries {
  /// Returns how many groups a block has, each of this many threads and with this many bytes of shared accumulators. Null: the dialect runs
  /// group loops as ordinary loops.
  int64_t (*of_block)(const Unit& unit, int64_t threads, int64_t shared) = nullptr;
  std::string_view block = {}, blocks = {};  // the number of this block, and the number of blocks
  std::string_view barrier = {};             // like Dialect::barrier, but for one group where a block has several
  std::string_view shared = {};              // the declaration of a shared accumulator: $TYPE, $NAME, $COUNT elements
  // Most bytes of shared accumulators that a kernel declares in this way. With more, the launch reserves memory for all of them, which this
  // line declares as the array `shared_memory`.
  int64_t most_shared = 0;
  std::string_view dynamic_shared = {};
  /// Returns the name of a generated function that all `threads` threads of a group call: (the form.size elements that the calling thread
  /// owns) -> the result of folding the elements of all threads by halving.
  std::string (*fold)(Unit& unit, const FoldForm& form, int64_t threads) = nullptr;
  /// Returns a statement that multiplies matrices with tensor cores. Null: the dialect has none.
  std::string (*mma)(const Scope& scope, const ir::Mma& mma) = nullptr;
};

struct Dialect {
  std::string_view name = {};

  // --- types and constants ---
  std::string_view index = {};                                              // the type of positions and loop variables
  std::string_view (*memory_type)(DType dtype) = nullptr;                   // the type of an element in memory
  std::string (*value_type)(Unit& unit, DType dtype, int lanes) = nullptr;  // the type of a variable
  Literal (*literal)(const Scalar& value) = nullptr;
  std::string_view aligned = {};     // text after the name of a variable in its declaration that aligns it to $BYTES
  std::string_view table = {};       // text before the definition of a constant array, such as "static const "
  std::string_view fault_type = {};  // type of the parameter `fault`, through which index checks report faults
  /// Returns the name of a function that converts a number to another type with the same bits; empty: there is none, and a union does it.
  std::string_view (*reinterpretation)(DType from, DType to) = nullptr;
  /// Returns the alignment in bytes that an array of a kernel needs for vector accesses; 0: that of its elements suffices.
  int64_t (*alignment)(const Unit& unit, DType dtype, int64_t elements) = nullptr;

  // --- operators ---
  std::span<const Rule> rules = {};  // rows that replace those of kRules for the same operation
  /// Returns the definition of a scalar function for an operation that the machine or the compiler lacks; empty if neither lacks it.
  std::string (*emulation)(Unit& unit, Op op, DType dtype) = nullptr;

  // --- heads of functions ---
  std::string_view inlined = {}, always_inlined = {}, called = {}, rarely_called = {};
  std::string_view kernel_head = {};  // the head of a kernel function; $MARK (see kernel_mark), $NAME, $PARAMETERS
  /// Returns a word that tells the compiler how to treat this kernel; empty: none.
  std::string_view (*kernel_mark)(const ir::Kernel& kernel) = nullptr;

  // --- statements ---
  std::string_view loop = {};  // the head of a loop; $TYPE and $VARIABLE of the loop variable, $BEGIN, $END, $ADVANCE
  // For kernels that run on a grid of GPU threads: C expressions for the number of the calling thread (a sum) and for the count of threads
  // (a product). A thread loop then distributes its iterations among these threads. Empty: the kernel's parameters begin0 and end0 say
  // which iterations to run.
  std::string_view grid_thread = {}, grid_threads = {};
  std::string_view unroll = {};  // the line before a loop whose $COUNT steps are unrolled
  /// Returns the line before a loop that tells the compiler how to treat it; empty: none. `rest`: the lines of the linear form after the
  /// one that opens the loop.
  std::string_view (*loop_mark)(const ir::Line& loop, std::span<const ir::Line> rest) = nullptr;
  std::string_view barrier = {};  // the line between two group loops; a dialect that runs a group loop as a loop only needs a comment
  std::string_view prefetch =
      {};  // a prefetch; $POINTER, $WRITES (0 or 1), $LOCALITY (4 minus the cache's level); empty: there are no prefetches
  std::string_view cancelled = {};    // condition that the run was cancelled; empty: kernels do not poll
  std::string_view store_fence = {};  // waits until all non-temporal stores are visible to other threads
  /// Tests whether generated code can detect invalid float operations. If so, defines in the unit what the next two entries use.
  bool (*detects_invalid)(Unit& unit) = nullptr;
  std::string_view clear_invalid = {}, met_invalid = {};  // statement that clears the invalid flag; condition that it is set

  // --- functions of the unit ---
  std::string (*elementwise)(Unit& unit, const Rule& rule, DType dtype, int lanes) = nullptr;
  std::string (*function)(Unit& unit, const ir::Function& function, int lanes) = nullptr;
  /// Returns the name of a generated function (fault, site, element, number, size): reports a number that is out of range.
  std::string (*report)(Unit& unit) = nullptr;
  /// Returns the name of a generated function (stored values) -> the result of folding them by halving: element i is combined with element
  /// i + half, repeatedly, until one is left. With `each_lane` the lanes are folded separately.
  std::string (*fold)(Unit& unit, const FoldForm& form, bool each_lane) = nullptr;
  /// Returns the name of a generated function (stored vectors of one fold, of another) -> a vector whose halves begin with the results of
  /// the two folds. Null: two folds are never written together.
  std::string (*fold_two)(Unit& unit, const FoldForm& form) = nullptr;
  /// Returns the name of a generated function (stored values, carry) -> the group's total. The values are replaced by the running values of
  /// the group, starting from carry.
  std::string (*scan)(Unit& unit, const ScanForm& form) = nullptr;
  /// Returns the name of a generated function for one part of that scan, on vectors. The parameters, in the order of ir::ScanPart: kQuads
  /// (stored values, totals), kTotals (totals), kBefore (totals, carry) -> total, kAdded (stored values, totals), kValues (stored values).
  std::string (*scan_part)(Unit& unit, const ScanForm& form, ir::ScanPart part, int64_t step) = nullptr;
  /// These return statements: a call of a routine, a copy of a matrix.
  std::string (*routine)(const Scope& scope, const ir::Routine& routine) = nullptr;
  std::string (*copy)(const Scope& scope, const ir::Copy& copy) = nullptr;

  VectorEntries vectors;
  GroupEntries groups = {};
};

}  // namespace harp::render
