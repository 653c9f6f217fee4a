// Executes the words of the language that compute arrays; each is a harp program. A word is compiled once for each kind of operands. The
// kind consists of the numbers of axes, which sizes are 1 (such axes may be broadcast), and which sizes are equal. All other sizes are
// symbolic, so operands of the same kind with other sizes use the same program.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>

#include "value.h"

namespace ajisai {

template <class T, void (*kRelease)(T*)>
struct Release {
  void operator()(T* handle) const { kRelease(handle); }
};
template <class T, void (*kRelease)(T*)>
using Handle = std::unique_ptr<T, Release<T, kRelease>>;

/// How the shape of the result of a word (an operation of the language) follows from the shapes of its operands.
enum class Gives { kBroadcast, kOuter, kReversed, kScalar, kWithoutAxis };
/// The dtypes of operands that a word (an operation of the language) accepts. A truth is a bool.
enum class Takes {
  kAny,      // numbers and truths
  kNumbers,  // numbers; truths count as 0 and 1
  kTruths,   // truths only
  kChoice,   // conditions (truths only), then two values of any dtype
};

struct Operation {
  const char* name;
  int operands;
  Takes takes;
  Gives gives;
  harp_dtype result;  // HARP_UNKNOWN: the dtype of the operands
  /// Builds the node of the result; `takes` determines the dtypes of `nodes`. `axis` is used if `gives` is kWithoutAxis.
  harp_node* (*build)(harp_graph* graph, harp_node* const* nodes, int axis);
};

/// The operation with this name (in capitals); NULL if there is none.
const Operation* find_operation(std::string_view name);

class Engine {
 public:
  /// Uses the backend "c" if there is a C compiler, otherwise "interp".
  Engine();
  /// Computes the result of a word. `at` is the word's position in the source, for messages.
  Value run(const Operation& operation, std::span<const Value> operands, int axis, size_t at);
  /// Number of programs that were compiled since the start.
  size_t programs() const { return programs_.size(); }

 private:
  using Program = Handle<harp_program, harp_program_release>;
  const Program& program_for(const Operation& operation, std::span<const Value> operands, int axis, size_t at);
  Program compile(const Operation& operation, std::span<const Value> operands, int axis, size_t at);

  Handle<harp_context, harp_context_release> context_;
  const char* backend_;
  std::unordered_map<std::string, Program> programs_;
  std::string key_;  // the key of the program that a call looks up; a member, so that its memory is reused
};

}  // namespace ajisai
