#include "walk.h"

#include <Python.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "builder.h"
#include "context.h"
#include "errors.h"

namespace harp_python {

namespace {

uint32_t last_epoch = 0;

enum Tag : uint64_t { kOperationTag, kLeafTag, kConstantTag, kRootsTag };

struct Frame {
  Node* node;
  uint32_t next;
};

double work_of(const Node& node) {
  if (node.operation->is_view || node.type.get() == nullptr) return 0;
  double result = static_cast<double>(node.type->count);
  if (node.n_sources == 1) return std::max(result, static_cast<double>(node.sources()[0]->type ? node.sources()[0]->type->count : 0));
  // Estimates the work as sqrt(|a| |b| |result|). For a matrix product this is exactly the number of multiplications. For other operations
  // with two operands it is only a rough upper estimate.
  double product = result;
  for (const Node* source : node.sources().first(std::min<size_t>(node.n_sources, 2)))
    product *= source->type ? static_cast<double>(source->type->count) : 1;
  return node.n_sources >= 2 ? std::max(result, std::sqrt(product)) : result;
}

bool is_leaf(const Node& node, bool through_values) {
  if (!node.operation) return true;
  if (node.value && !(through_values && node.levels != 0)) return true;
  return node.operation->index == kInput;
}

void visit(Walk& walk, Node* node, bool through_values) {
  node->index = static_cast<uint32_t>(walk.order.size());
  walk.order.push_back(node);
  if (node->type && node->type->symbolic) walk.symbolic = true;
  if (is_leaf(*node, through_values)) {
    walk.leaves.push_back(node->index);
    walk.key.push_back(node->type->id << 2 | kLeafTag);
  } else if (node->operation->index == kConstant) {
    walk.constants.push_back(node->index);
    walk.key.push_back(static_cast<uint64_t>(node->type->dtype) << 2 | kConstantTag);
  } else {
    walk.key.push_back(node->operation->id << 2 | kOperationTag);
    for (const Node* source : node->sources()) walk.key.push_back(source->index);
    walk.work += work_of(*node);
    if (node->operation->index == kGradient) walk.work *= 3;
    walk.symbolic = walk.symbolic || node->operation->is_symbolic;
  }
}

}  // namespace

Walk walk(std::span<Node* const> roots) {
  Walk walk;
  const uint32_t epoch = ++last_epoch;
  const bool through_values = std::ranges::any_of(roots, [](const Node* root) { return (root->flags & Node::kGradients) != 0; });
  std::vector<Frame> stack;
  const auto enter = [&](Node* node) {
    if (node->epoch == epoch) return ++node->uses, void();
    node->epoch = epoch;
    node->uses = 1;
    stack.push_back({node, 0});
  };
  for (Node* root : roots) {
    enter(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      Node* node = top.node;
      if (!is_leaf(*node, through_values) && top.next < node->n_sources) {
        enter(node->sources()[top.next++]);
      } else {
        visit(walk, node, through_values);
        stack.pop_back();
      }
    }
  }
  walk.key.push_back(kRootsTag);
  for (const Node* root : roots) {
    walk.roots.push_back(root->index);
    walk.key.push_back(root->index);
  }
  return walk;
}

void dispose(Program* program) {
  harp_program_release(program->program);
  std::free(program->workspace);
  delete program;
}

namespace {

thread_local bool is_running = false;

/// Looks up, once after the compilation, the facts about the program that every run needs: the size of its workspace, or its shape
/// variables.
void prepare(Program& program) {
  if (!program.symbolic) {
    harp_program_workspace_size(program.program, 0, nullptr, static_cast<size_t>(workers()), &program.workspace_size, nullptr);
    return;
  }
  for (size_t i = 0; i < harp_program_shape_var_count(program.program); ++i) {
    harp_shape_var_info info = HARP_SHAPE_VAR_INFO_INIT;
    harp_program_shape_var(program.program, i, &info, Check());
    program.variables.push_back(info);
    if (info.input < 0) program.free_variables.push_back(info.name);
  }
}

constexpr double kSmallWork = 16384;  // in elements; a program that computes this many runs for a few microseconds

}  // namespace

Running::Running() {
  if (is_running)
    throw Failure(HARP_ERROR_INVALID_ARGUMENT, "a native function must not call harp: it is called while a program runs");
  is_running = true;
}

Running::~Running() { is_running = false; }

Ref<Program> compile(const Walk& walk, const std::vector<bool>& is_input, const CompileOptions& options) {
  Ref<Program> program(new Program);
  program->symbolic = walk.symbolic;
  program->small = !walk.symbolic && walk.work < kSmallWork;
  for (const uint32_t root : walk.roots) program->outputs.push_back(walk.order[root]->type);
  harp_compile_options given = HARP_COMPILE_OPTIONS_INIT;
  given.backend = options.backend;
  given.check_indices = options.check_indices ? 1 : 0;
  std::vector<const char*> flags;
  for (const std::string& flag : options.flags) flags.push_back(flag.c_str());
  given.n_flags = flags.size();
  given.flags = flags.data();
  const Running compiling;
  const Recipe recipe(walk);
  for (const Recipe::Step& step : recipe.steps)
    if (step.operation && is_native(step.operation->index)) program->natives.push_back(step.operation);
  program->small = program->small && program->natives.empty();
  in_graph(recipe, [&](harp_graph* graph) {
    Builder builder(recipe, is_input, graph);
    const Nodes roots = builder.build();
    program->inputs = builder.sources_of(roots);
    harp_error* error = nullptr;
    PyThreadState* python = PyEval_SaveThread();
    program->program = harp_compile_nodes(graph, static_cast<int32_t>(roots.size()), nullptr, roots.data(), &given, &error);
    PyEval_RestoreThread(python);
    if (error != nullptr) fail(error);
  });
  prepare(*program);
  return program;
}

void check(const Walk& walk) {
  const Recipe recipe(walk);
  in_graph(recipe, [&](harp_graph* graph) { Builder(recipe, {}, graph).build(); });
}

namespace {

/// Returns the type of an output. Its symbolic sizes are computed from the sizes of the inputs, and from `free`, the values of the
/// program's free_variables.
Ref<Type> output_type(const Program& program, size_t output, std::span<const harp_const_array> arrays, std::span<const int64_t> free) {
  const Type& type = *program.outputs[output];
  if (!type.symbolic) return program.outputs[output];
  std::vector<int64_t> values;
  for (const harp_shape_var_info& variable : program.variables) {
    if (variable.input < 0) {
      if (free.empty())
        throw Failure(HARP_ERROR_INVALID_ARGUMENT, std::string("no argument determines the size ") + variable.name);
      values.push_back(free.front());
      free = free.subspan(1);
      continue;
    }
    const int64_t size = arrays[static_cast<size_t>(variable.input)].dims[variable.axis];
    values.push_back((size - variable.offset) / std::max<int64_t>(variable.factor, 1));
  }
  int64_t dims[HARP_MAX_RANK];
  harp_program_output_dims(program.program, output, values.size(), values.data(), type.rank, dims, Check());
  return type_of(type.dtype, type.rank, dims);
}

}  // namespace

void run_into(Program& program, std::span<const harp_const_array> arrays, std::span<const harp_array> outputs, std::span<const int64_t> free) {
  const Running running;
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  const bool with_workspace = program.workspace_size != 0 && !program.workspace_taken;
  if (with_workspace) {
    if (program.workspace == nullptr) program.workspace = std::aligned_alloc(64, (program.workspace_size + 63) / 64 * 64);
    program.workspace_taken = true;
    options.workspace = program.workspace;
    options.workspace_size = program.workspace != nullptr ? program.workspace_size : 0;
  }
  options.n_shape_vars = free.size();
  options.shape_var_names = program.free_variables.data();
  options.shape_var_values = free.data();
  harp_error* error = nullptr;
  PyThreadState* python = program.small ? nullptr : PyEval_SaveThread();
  const harp_status status =
      harp_program_call(program.program, arrays.size(), arrays.data(), outputs.size(), outputs.data(), &options, &error);
  if (python != nullptr) PyEval_RestoreThread(python);
  if (with_workspace) program.workspace_taken = false;
  if (status != HARP_OK) fail(error);
}

std::vector<Ref<Array>> run(Program& program, std::span<const harp_const_array> arrays, std::span<const int64_t> free) {
  std::vector<Ref<Array>> results;
  harp_array few[8];
  std::vector<harp_array> many(program.outputs.size() > std::size(few) ? program.outputs.size() : 0);
  harp_array* outputs = many.empty() ? few : many.data();
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    results.push_back(new_array(output_type(program, i, arrays, free)));
    const Array& array = *results[i];
    outputs[i] = {array.data, array.type->dims, array.type->dtype, array.type->rank};
  }
  run_into(program, arrays, {outputs, results.size()}, free);
  return results;
}

}  // namespace harp_python
