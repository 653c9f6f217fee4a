// A trace in order, its exact structure as numbers, and the harp program it becomes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "build.h"
#include "trace.h"

namespace harp_python {

/// Nodes are borrowed: they stay as long as the roots do, and Python's lock is not given up.
struct Walk {
  std::vector<Node*> order;         // sources before what is made of them; leaves, too
  std::vector<uint64_t> key;        // equal for traces of equal structure, whatever the arrays and numbers in them are
  std::vector<uint32_t> leaves;     // positions in `order` of arrays and arguments
  std::vector<uint32_t> constants;  // and of numbers
  std::vector<uint32_t> roots;
  double work = 0;  // elements that are computed, about
  bool symbolic = false;
};

/// Where gradients are among the nodes, what tracers depend on is followed to the tracers, though it may have values.
Walk walk(std::span<Node* const> roots);

/// A harp program with what its inputs are.
struct Program : Counted {
  struct Source {
    bool is_constant;
    uint32_t index;  // in Walk::leaves or Walk::constants
  };
  harp_program* program = nullptr;
  std::vector<Source> inputs;
  std::vector<Ref<Type>> outputs;
  bool symbolic = false;
  bool small = false;  // so that giving up Python's lock would cost more than others can gain
  std::vector<harp_shape_var_info> variables;  // of a symbolic one,
  std::vector<const char*> free_variables;     // and the names of those that no axis of an input says
  void* workspace = nullptr;                   // of one that is not
  size_t workspace_size = 0;
  bool workspace_taken = false;
  std::vector<Ref<Operation>> natives;  // operations that call functions of the host's, which they keep
};
void dispose(Program* program);

/// While a thread runs a program it may not run or compile another one: that would be a function of the host's (harp_native) that calls
/// harp. Throws where it does.
class Running {
 public:
  Running();
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
};

struct CompileOptions {
  const char* backend = "c";
  bool check_indices = false;
  std::span<const std::string> flags = {};
};

/// Compiles the walk's roots. `is_input` says for each constant whether it is an input of the program instead of a number in it.
Ref<Program> compile(const Walk& walk, const std::vector<bool>& is_input, const CompileOptions& options);
/// Only builds it: throws what is wrong.
void check(const Walk& walk);
/// Runs a program on the arrays of its inputs, in its order; gives Python's lock up unless the program is small. `arrays` are borrowed. `free`
/// are the values of the program's free_variables.
std::vector<Ref<Array>> run(Program& program, std::span<const harp_const_array> arrays, std::span<const int64_t> free = {});
/// The same, into arrays that are there.
void run_into(Program& program, std::span<const harp_const_array> arrays, std::span<const harp_array> outputs, std::span<const int64_t> free = {});

}  // namespace harp_python
