// Converts the statement tree of a kernel to a list of lines; each line is one line of text in any C-like language. This step decides which
// values get a name, at which loop level each value is computed, and which part of an address becomes a pointer to a row. Declares
// linearize() for kernels and for math functions, and print() for `harp emit --lang linear`.
//
// A value gets a name if it is used more than once, if it is invariant in the loop that uses it (the value is then computed before that
// loop), or if the expression would become too long. The expression of any other value is written at its use.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "ir/split_index.h"

namespace harp::ir {

enum class LineKind : uint8_t {
  kComment,  // a comment with the text of the Comment `statement`
  kLoop,     // opens the block of a loop, whose variable `atom` is called `name`
  kIf,       // opens a block
  kElse,     // closes the first branch of an If and opens its other branch
  kTry,      // opens a block; an invalid float operation in the block raises the flag that the matching kRetry tests
  kRetry,    // closes the block of kTry and opens the block that runs if an operation in the first block was invalid
  kEnd,      // closes a block
  kLet,      // `name` = `value`. With guards: only where all guards are >= 0, else `name` = 0
  kDefine,   // `name` = `value`; the name stands for the integer variable `atom`, which the Define `statement` introduces
  // `name` = `atom`, which is an integer operation other than addition and multiplication, such as a quotient, remainder or minimum.
  kOffset,
  // `name` = address of element `row` of `buffer`. If `buffer` is at least the number of parameters, it denotes accumulator number
  // `buffer` - (number of parameters), which is an array in memory (is_row).
  kPointer,
  // `name` = load `value`, in front of the loop `statement`, whose last executed step overlaps another one. That step processes the first
  // elements, which the other steps may have overwritten by then. Its loads must therefore happen before the loop.
  kKeep,
  kStore,       // statement
  kPrefetch,    // statement
  kScatter,     // statement
  kAccDeclare,  // declares the accumulator of `statement` under the name `name`
  kAccSet,      // statement
  kAccUpdate,   // statement
  kAccFold,     // the AccFold `statement`; `name` is the variable for element 0 of the accumulator after the fold
  kAccScan,     // statement
  kRoutine,     // statement
  kCopy,        // statement
  kCopyAsync,   // statement
  kEndBatch,    // ends one execution of a group loop that starts asynchronous copies; these copies form a batch
  kWait,        // statement
  kBreak,       // statement
  kBarrier,     // statement
  kReturn,      // return statement of a function with the result `value`
  kMma,         // statement
};

struct Line {
  LineKind kind;
  std::string name = {};
  const UOp* value = nullptr;
  std::vector<std::pair<const UOp*, std::string>> names = {};  // the values that the text of this line refers to by name, with their names
  const SymAtom* atom = nullptr;
  int buffer = -1;
  Terms row = {};
  std::vector<Sym> guards = {};
  const Stmt* statement = nullptr;
  /// Returns the statement as a statement of type S, which must be its actual type.
  template <class S>
  const S& as() const {
    return static_cast<const S&>(*statement);
  }
  // This line calls the same function as the previous line, for another unrolled step; the renderer may interleave the code of both calls.
  bool is_alike = false;
};

/// Returns the names of a kernel's parameters in generated code: input0, input1 … for read parameters, output0 … for written ones. Kernels
/// that compute the same therefore have the same text.
std::vector<std::string> parameter_names(const Kernel& kernel);

std::vector<Line> linearize(const Kernel& kernel);
std::vector<Line> linearize(const Function& function);

/// Tests whether the renderer writes the value again at each use instead of naming it. That is true for constants, parameters, positions of
/// one lane, line offsets, accumulators and splats. (Elements of an accumulator in memory may have a name nevertheless.)
bool is_trivial(const UOp* value);

/// Returns the lines as text, with the names that a renderer would use.
std::string print(const Kernel& kernel, std::span<const Line> lines);

}  // namespace harp::ir
