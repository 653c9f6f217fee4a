#include "realise.h"

#include <Python.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "context.h"
#include "errors.h"
#include "walk.h"

namespace harp_python {

namespace {

struct KeyHash {
  size_t operator()(const std::vector<uint64_t>& key) const {
    uint64_t hash = key.size();
    for (const uint64_t word : key) hash = (hash ^ word) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
    return hash;
  }
};

using Number = std::array<uint64_t, 2>;

/// The programs for lazy computations of one structure (equal operations on arrays of equal dtypes and shapes): one that is interpreted and
/// one that is compiled. Variants of a structure differ in which Python numbers of the computation are inputs of the program: numbers that
/// changed from one call to the next are inputs, the others are constants.
struct Variant {
  std::vector<bool> is_input;
  std::vector<Number> numbers;
  Ref<Program> interpreted, compiled;
  double interpreted_seconds = 0;
};

struct State {
  std::unordered_map<std::vector<uint64_t>, std::vector<std::shared_ptr<Variant>>, KeyHash> programs;
  std::unordered_set<std::vector<uint64_t>, KeyHash> checked;
  std::string backend = "auto";
};

State& state() {
  static auto* state = new State;
  return *state;
}

constexpr size_t kMostPrograms = 4096;
// The approximate seconds of a compilation. A computation is interpreted until its runs have taken this long in total; it is compiled at
// once if a single run would certainly take longer.
constexpr double kCompileSeconds = 0.05, kInterpretedSecondsPerElement = 5e-9;

std::vector<Number> numbers_of(const Walk& walk) {
  std::vector<Number> numbers;
  for (const uint32_t position : walk.constants) numbers.push_back({walk.order[position]->number[0], walk.order[position]->number[1]});
  return numbers;
}

std::shared_ptr<Variant> variant_of(std::vector<std::shared_ptr<Variant>>& variants, const Walk& walk, const std::vector<Number>& numbers) {
  for (const auto& variant : variants) {
    bool fits = true;
    for (size_t i = 0; i < numbers.size() && fits; ++i) fits = variant->is_input[i] || variant->numbers[i] == numbers[i];
    if (fits) return variant;
  }
  auto variant = std::make_shared<Variant>();
  variant->numbers = numbers;
  variant->is_input.resize(numbers.size());
  if (!variants.empty()) {
    const Variant& newest = *variants.back();
    for (size_t i = 0; i < numbers.size(); ++i)
      variant->is_input[i] = newest.is_input[i] || (newest.numbers[i] != numbers[i] && walk.order[walk.constants[i]]->type->dtype != HARP_BOOL);
    if (variants.size() >= 8) variants.erase(variants.begin());
  }
  variants.push_back(variant);
  return variant;
}

Program& program_of(Variant& variant, const Walk& walk) {
  const std::string& backend = state().backend;
  const bool compiled = backend == "c" || (backend == "auto" && has_compiler() &&
                                           (variant.compiled || variant.interpreted_seconds > kCompileSeconds ||
                                            walk.work * kInterpretedSecondsPerElement > kCompileSeconds));
  Ref<Program>& program = compiled ? variant.compiled : variant.interpreted;
  if (!program) {
    Ref<Program> made = compile(walk, variant.is_input, {.backend = compiled ? "c" : "interp"});
    // compile() releases Python's lock, so another thread may have stored the same program meanwhile
    if (!program) program = std::move(made);
  }
  return *program;
}

/// Appends to `outputs` the intermediate nodes of the walk to which a Tensor, or a pending node outside the walk, refers. They become
/// outputs of the same run, because otherwise they would be computed again later.
void add_shared(const Walk& walk, std::vector<Node*>& outputs) {
  for (Node* node : walk.order) {
    if (node->references <= node->uses || !node->operation || node->value || node->levels != 0 || !node->type) continue;
    if (node->operation->index < 0 && node->operation->index != kResult) continue;
    if (node->operation->is_view && node->size < 64) continue;
    if (std::ranges::find(outputs, node) == outputs.end()) outputs.push_back(node);
  }
}

void require_values(const Node& node) {
  if ((node.flags & Node::kInputs) != 0)
    throw Failure(HARP_ERROR_INVALID_ARGUMENT,
                  "a tensor has no value while a function is traced (harp.jit, harp.Graph). Use harp.where instead of if, and static arguments of "
                  "jit for values that the function must know");
}

void trim(State& s) {
  if (s.programs.size() >= kMostPrograms) s.programs.clear();
  if (s.checked.size() >= kMostPrograms) s.checked.clear();
}

}  // namespace

void realise(std::span<Node* const> nodes) {
  std::vector<Node*> outputs;
  for (Node* node : nodes) {
    require_values(*node);
    if (!node->value && std::ranges::find(outputs, node) == outputs.end()) outputs.push_back(node);
  }
  if (outputs.empty()) return;
  const size_t asked = outputs.size();
  Walk found = walk(outputs);
  for (Node* node : outputs) --node->uses;  // walk() counted being a root as a use, but `uses` must count only uses by other nodes
  add_shared(found, outputs);
  if (outputs.size() != asked) {
    for (size_t i = asked; i < outputs.size(); ++i) {
      found.roots.push_back(outputs[i]->index);
      found.key.push_back(outputs[i]->index);
    }
  }
  // From here on other threads may run and change the trace, so references to everything that is still needed are taken.
  std::vector<Ref<Node>> kept;
  for (Node* node : outputs) kept.emplace_back(node);
  std::vector<Ref<Array>> leaves;
  for (const uint32_t position : found.leaves) leaves.push_back(found.order[position]->value);
  const std::vector<Number> numbers = numbers_of(found);
  trim(state());
  const std::shared_ptr<Variant> variant = variant_of(state().programs[found.key], found, numbers);
  Ref<Program> program(&program_of(*variant, found));

  std::vector<harp_const_array> arrays;
  for (const Program::Source& source : program->inputs) {
    if (source.is_constant) {
      const Node* number = nullptr;
      (void)number;
      const uint64_t* bits = numbers[source.index].data();
      arrays.push_back({bits, nullptr, 0, 0});
    } else {
      const Array& array = *leaves[source.index];
      arrays.push_back({array.data, array.type->dims, array.type->dtype, array.type->rank});
    }
  }
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!program->inputs[i].is_constant) continue;
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    harp_program_input(program->program, i, &info, Check());
    arrays[i].dtype = info.dtype;
  }
  const auto start = std::chrono::steady_clock::now();
  std::vector<Ref<Array>> results = run(*program, arrays);
  if (program.get() == variant->interpreted.get())
    variant->interpreted_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (size_t i = 0; i < kept.size(); ++i) {
    Node* node = kept[i].get();
    if (node->value) continue;
    node->value = std::move(results[i]);
    node->size = static_cast<uint32_t>(1 + node->type->bytes / kBytesPerNode);
    if (node->levels == 0) forget_sources(node);
  }
}

Ref<Array> value_of(Node* node) {
  if (!node->value) realise({&node, 1});
  return node->value;
}

void realise_if_long(Node* node) {
  if (node->size <= kMostNodes || (node->flags & Node::kInputs) != 0 || node->levels != 0 || !node->type) return;
  // node->size counts a node several times if several nodes use it. Therefore the nodes are counted exactly here.
  const Walk found = walk({&node, 1});
  uint64_t size = found.order.size();
  for (const uint32_t position : found.leaves) size += found.order[position]->type->bytes / kBytesPerNode;
  node->size = static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX));
  if (size > kMostNodes) realise({&node, 1});
}

void check_gradients(std::span<Node* const> nodes) {
  const Walk found = walk(nodes);
  if (state().checked.contains(found.key)) return;
  check(found);
  trim(state());
  state().checked.insert(found.key);
}

void set_backend(const char* name) { state().backend = name; }
const char* backend() { return state().backend.c_str(); }
size_t program_count() { return state().programs.size(); }
void drop_programs() {
  state().programs.clear();
  state().checked.clear();
}

}  // namespace harp_python
