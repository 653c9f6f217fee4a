// From the statement tree of a kernel to a list of lines, each of which is one line of text in any C-like language. Decides what
// a reader (and the compiler) sees: which values get a name, on which loop level each is computed, and which part of an address
// is a row pointer. Exports linearize() for kernels and for math functions, and print() for `harp emit --lang linear`.
//
// A value is named when it is used more than once, when it does not change in the loop that uses it (it is then computed before
// that loop), or when the expression would get too long; everything else is written where it is used.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "ir/split_index.h"

namespace harp::ir {

enum class LineKind : uint8_t {
  kComment,     // statement->text
  kLoop,        // opens a block; `name` is the loop variable `atom`
  kIf,          // opens a block
  kElse,        // closes a block, opens another
  kTry,         // opens a block, whose operations on floats are watched
  kRetry,       // closes it, opens another for where one was invalid
  kEnd,         // closes a block
  kLet,         // name = value; with guards: the value only where all of them are >= 0, else zero
  kDefine,      // name, an integer = value; the variable `atom` of the statement
  kOffset,      // name = atom, an integer operation that sums of products do not express
  kPointer,     // name = address of element `row` of `buffer`: a parameter or, counted on behind these, a row in memory
  kKeep,        // in front of an overlapping loop (`statement`): name = what its first step loads as `value`, and does last
  kStore,       // statement
  kPrefetch,    // statement
  kScatter,     // statement
  kAccDeclare,  // statement; `name` is the accumulator
  kAccSet,      // statement
  kAccUpdate,   // statement
  kAccFold,     // statement; `name` is element 0 after the fold, a value that kAcc lines may use
  kAccScan,     // statement
  kRoutine,     // statement
  kCopy,        // statement
  kBreak,       // statement
  kReturn,      // value: result of a function
};

struct Line {
  LineKind kind;
  std::string name = {};
  const UOp* value = nullptr;
  std::vector<std::pair<const UOp*, std::string>> names = {};  // of the values this line refers to by name
  const SymAtom* atom = nullptr;
  int buffer = -1;
  Terms row = {};
  std::vector<Sym> guards = {};
  const Stmt* statement = nullptr;
  /// The statement, which is of this kind.
  template <class S>
  const S& as() const {
    return static_cast<const S&>(*statement);
  }
  bool is_alike = false;  // a call of what the line before calls, for the next step: they may be computed in turn
};

/// Names of a kernel's parameters inside it: input0, input1 … for what it reads, output0 … for what it writes, so that kernels
/// which do the same have the same text.
std::vector<std::string> parameter_names(const Kernel& kernel);

std::vector<Line> linearize(const Kernel& kernel);
std::vector<Line> linearize(const Function& function);

/// Values a renderer writes in place wherever they are used: constants, parameters, positions, accumulators, splats of those.
bool is_trivial(const UOp* value);

/// Text of the list, one line each, with the names a renderer would use.
std::string print(const Kernel& kernel, std::span<const Line> lines);

}  // namespace harp::ir
