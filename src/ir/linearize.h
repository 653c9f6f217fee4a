// Converts the statement tree of a kernel to a list of lines; each is one line of text in any C-like language. This step decides which
// values get a name, on which loop level each value is computed, and which part of an address becomes a row pointer. Exports linearize()
// for kernels and for math functions, and print() for `harp emit --lang linear`.
//
// A value gets a name if it is used more than once, if it is invariant in the loop that uses it (it is then computed before that loop), or
// if the expression would become too long. All other values are written where they are used.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "ir/split_index.h"

namespace harp::ir {

enum class LineKind : uint8_t {
  kComment,     // text of the statement
  kLoop,        // opens a block; `name` is the loop variable `atom`
  kIf,          // opens a block
  kElse,        // closes a block, opens another
  kTry,         // opens a block; an invalid float operation inside sets the flag that kRetry tests
  kRetry,       // ends the block of kTry and opens the alternative, which runs if an operation was invalid
  kEnd,         // closes a block
  kLet,         // name = value; with guards: only where all guards are >= 0, zero elsewhere
  kDefine,      // name = value, an integer that is the variable `atom` of the statement
  kOffset,      // name = atom: an integer operation other than addition and multiplication, such as a quotient, remainder or minimum
  kPointer,     // name = address of element `row` of `buffer`. Numbers beyond the parameters denote accumulators that are arrays in memory
                // (is_row)
  kKeep,        // before an overlapping loop (`statement`) that may overwrite what it reads: name = load `value` of the loop's first step,
                // which overlaps the second one and is executed last
  kStore,       // statement
  kPrefetch,    // statement
  kScatter,     // statement
  kAccDeclare,  // the declaration of accumulator `name`, from `statement`
  kAccSet,      // statement
  kAccUpdate,   // statement
  kAccFold,     // the fold of `statement`; `name` is element 0 afterwards, which kAcc values may use
  kAccScan,     // statement
  kRoutine,     // statement
  kCopy,        // statement
  kBreak,       // statement
  kBarrier,     // statement
  kReturn,      // returns `value`, the result of a function
  kMma,         // statement
};

struct Line {
  LineKind kind;
  std::string name = {};
  const UOp* value = nullptr;
  std::vector<std::pair<const UOp*, std::string>> names = {};  // names of the values that this line refers to
  const SymAtom* atom = nullptr;
  int buffer = -1;
  Terms row = {};
  std::vector<Sym> guards = {};
  const Stmt* statement = nullptr;
  /// Returns the statement as an S, which it must be.
  template <class S>
  const S& as() const {
    return static_cast<const S&>(*statement);
  }
  bool is_alike = false;  // calls the same function as the previous line, on another unrolled step; the renderer may interleave both calls
};

/// Names of a kernel's parameters inside the kernel: input0, input1 … for those it reads, output0 … for those it writes. Kernels that
/// compute the same then have the same text.
std::vector<std::string> parameter_names(const Kernel& kernel);

std::vector<Line> linearize(const Kernel& kernel);
std::vector<Line> linearize(const Function& function);

/// Tests whether a renderer repeats the value at each use instead of naming it: constants, parameters, positions, accumulators, and splats
/// of these.
bool is_trivial(const UOp* value);

/// Returns the list as text, one line each, with the names that a renderer would use.
std::string print(const Kernel& kernel, std::span<const Line> lines);

}  // namespace harp::ir
