// Walk lists the nodes of a trace in topological order, with a key that describes the structure exactly. Program is the harp program that
// is compiled for such a structure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "build.h"
#include "trace.h"

namespace harp_python {

/// The nodes are borrowed: they exist as long as the roots do. Python's lock must not be released while a Walk is in use.
struct Walk {
  std::vector<Node*> order;         // sources before their users; includes leaves
  std::vector<uint64_t> key;  // describes the structure; traces that differ only in the values of their arrays and numbers have equal keys
  std::vector<uint32_t> leaves;     // positions in `order` of arrays and arguments
  std::vector<uint32_t> constants;  // positions in `order` of Python numbers
  std::vector<uint32_t> roots;
  double work = 0;  // estimate of the number of elements that are computed
  bool symbolic = false;
};

/// Lists the nodes on which the roots depend. A node that has a value is a leaf. The exception: if a root depends on a gradient, the walk
/// also lists the sources of a node that has a value and depends on tracers (variables of gradients).
Walk walk(std::span<Node* const> roots);

/// A harp program, and a description of its inputs.
struct Program : Counted {
  struct Source {
    bool is_constant;
    uint32_t index;  // index in Walk::constants if is_constant, otherwise in Walk::leaves
  };
  harp_program* program = nullptr;
  std::vector<Source> inputs;
  std::vector<Ref<Type>> outputs;
  bool symbolic = false;
  bool small = false;  // true: a run takes so little time that releasing Python's lock would cost more than other threads could gain
  std::vector<harp_shape_var_info> variables;  // all symbolic sizes
  std::vector<const char*> free_variables;     // the names of the symbolic sizes that no axis of an input determines
  void* workspace = nullptr;                   // null until the first run, which allocates it; not used if the program has symbolic sizes
  size_t workspace_size = 0;
  bool workspace_taken = false;
  std::vector<Ref<Operation>> natives;  // operations that call host functions: each Operation keeps its function alive
};
void dispose(Program* program);

/// While an object exists, this thread runs a program. The constructor throws if the thread runs a program already: a function of the host
/// that a program calls (harp_native) must not call harp.
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

/// Compiles the roots of the walk. `is_input` says for each constant whether it is an input of the program instead of a number in it.
Ref<Program> compile(const Walk& walk, const std::vector<bool>& is_input, const CompileOptions& options);
/// Builds the graph without compiling it. Throws harp's error if the graph is not valid.
void check(const Walk& walk);
/// Runs a program. `arrays` are its inputs, in the program's order; they are borrowed. `free` are the values of the program's
/// free_variables. Returns the outputs. Releases Python's lock unless the program is small.
std::vector<Ref<Array>> run(Program& program, std::span<const harp_const_array> arrays, std::span<const int64_t> free = {});
/// Runs a program as run() does, but writes the results to existing arrays.
void run_into(Program& program, std::span<const harp_const_array> arrays, std::span<const harp_array> outputs, std::span<const int64_t> free = {});

}  // namespace harp_python
