// How pending values are computed: the key of their structure, the program compiled for it, and the run. Part of harp.hpp.
//
// The key of a structure is exact: it contains the signatures, the connections between operations, and the types of the inputs, but no
// elements. Equal structures therefore share the program that was compiled for the first of them.
#ifndef HARP_REALIZE_HPP
#define HARP_REALIZE_HPP

#include <harp/origins.hpp>

#include <algorithm>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

/// How programs are compiled: fields of harp_compile_options with the same names. Results never depend on it.
struct Configuration {
  std::string backend;   ///< "c" or "interp"; empty: "c"
  std::string schedule;  ///< lines as harp_tune finds them
  std::string target;    ///< a CPU; empty: this CPU
  int32_t simd_width = 0;
  bool check_indices = false;
  bool tuned = true;  ///< use what harp_tune found for the graph

  bool is_default() const { return backend.empty() && schedule.empty() && target.empty() && simd_width == 0 && !check_indices && tuned; }
};

/// What this thread has launched through tensors, jit and expressions since it started.
struct Launches {
  uint64_t runs = 0;     ///< runs of programs
  uint64_t kernels = 0;  ///< kernels in these runs
  uint64_t bytes = 0;    ///< bytes of inputs and outputs of the programs
};
namespace detail {
inline thread_local Launches launched;
}
inline const Launches& launches() { return detail::launched; }

namespace detail {

/// Something of this thread's that keeps its memory from one use to the next. A use within another one gets a new one.
template <class T>
class Reused {
 public:
  Reused() : object_(std::move(kept())) {}
  ~Reused() { kept() = std::move(object_); }
  Reused(const Reused&) = delete;
  Reused& operator=(const Reused&) = delete;
  T* operator->() { return &object_; }

 private:
  static T& kept() {
    static thread_local T kept;
    return kept;
  }
  T object_;
};

/// Memory for what programs need while they run.
class Workspace {
 public:
  Workspace() = default;
  Workspace(Workspace&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Workspace& operator=(Workspace&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Workspace() { std::free(memory_); }
  void* reserve(size_t bytes) {
    if (bytes > size_) {
      std::free(memory_);
      size_ = (bytes + 63) / 64 * 64;
      memory_ = std::aligned_alloc(64, size_);
      if (memory_ == nullptr) size_ = 0;  // the run then allocates by itself and reports an error
    }
    return memory_;
  }
  size_t size() const { return size_; }

 private:
  void* memory_ = nullptr;
  size_t size_ = 0;
};

/// A compiled structure. Immutable.
struct Plan {
  std::vector<uint64_t> key;
  Handle<harp_program> program;  // none: harp has only found the structure right
  std::vector<uint32_t> inputs;  // which leaf of the walk each input of the program is
  struct Variable {              // a symbolic size: an axis of an input is factor * it + offset
    size_t input;
    int32_t axis;
    int64_t factor, offset;
  };
  std::vector<Variable> variables;
  size_t workspace_bytes = 0;  // if there are no symbolic sizes
  uint64_t kernels = 0;
  std::atomic<uint64_t> last_use{0};
};

/// The plans of a context.
class Plans final : public Attachment {
 public:
  static constexpr size_t kMost = 4096;  // beyond this number the least recently used half is dropped

  std::shared_ptr<Plan> find(const std::vector<uint64_t>& key, uint64_t hash) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [begin, end] = plans_.equal_range(hash);
    for (auto it = begin; it != end; ++it)
      if (it->second->key == key) {
        it->second->last_use.store(++uses_, std::memory_order_relaxed);
        return it->second;
      }
    return nullptr;
  }
  void add(std::shared_ptr<Plan> plan, uint64_t hash) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (plans_.size() >= kMost) drop_old();
    const auto [begin, end] = plans_.equal_range(hash);
    for (auto it = begin; it != end; ++it)
      if (it->second->key == plan->key) {
        it->second = std::move(plan);
        return;
      }
    plan->last_use = ++uses_;
    plans_.emplace(hash, std::move(plan));
  }
  size_t size() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return plans_.size();
  }

  static Plans& of(Session* session) {
    const std::lock_guard<std::mutex> lock(session->mutex);
    if (session->tensors == nullptr) session->tensors = std::make_unique<Plans>();
    return static_cast<Plans&>(*session->tensors);
  }

 private:
  void drop_old() {
    std::vector<uint64_t> last;
    for (const auto& entry : plans_) last.push_back(entry.second->last_use);
    std::nth_element(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(last.size() / 2), last.end());
    const uint64_t bound = last[last.size() / 2];
    for (auto it = plans_.begin(); it != plans_.end();) it = it->second->last_use < bound ? plans_.erase(it) : std::next(it);
  }

  std::mutex mutex_;
  uint64_t uses_ = 0;
  std::unordered_multimap<uint64_t, std::shared_ptr<Plan>> plans_;
};

/// Builds harp's graph of a walk and returns the nodes of its results and of its leaves. False after an error.
inline bool build_graph(harp_graph* graph, const Walk& walk, Value* const* results, size_t count, std::vector<harp_node*>& outputs,
                        std::vector<harp_node*>& inputs) {
  std::vector<harp_node*> nodes(walk.order.size(), nullptr), x, several;
  std::vector<std::vector<harp_node*>> groups(walk.order.size());
  Walk& numbers = const_cast<Walk&>(walk);
  for (size_t i = 0; i < walk.order.size(); ++i) {
    Value* value = walk.order[i];
    if (value->part >= 0) {
      nodes[i] = groups[numbers.number_of(value->operands()[0])][static_cast<size_t>(value->part)];
      continue;
    }
    if (value->signature == nullptr) {
      const std::string name = "x" + std::to_string(inputs.size());
      nodes[i] = harp_input(graph, name.c_str(), raw(value->type->dtype), value->type->rank, value->type->dims);
      inputs.push_back(nodes[i]);
    } else {
      x.clear();
      for (uint32_t k = 0; k < value->count; ++k) {
        const Value* operand = value->operands()[k];
        x.push_back(operand == nullptr ? nullptr : nodes[numbers.number_of(operand)]);
      }
      std::vector<harp_node*>& made = groups[i];
      made.assign(value->signature->results.size(), nullptr);
      if (value->signature->call->build(graph, x.data(), x.size(), made.data())) nodes[i] = made[0];
    }
    if (nodes[i] == nullptr) {
      raise_mistake(graph);
      return false;
    }
  }
  for (size_t i = 0; i < count; ++i) outputs.push_back(nodes[numbers.number_of(results[i])]);
  return true;
}

/// Compiles a walk. NULL after an error.
inline std::shared_ptr<Plan> compile(Session* session, const Walk& walk, Value* const* results, size_t count,
                                     const Configuration& configuration) {
  Out err;
  const Building graph(session, walk.symbolic, err);
  std::vector<harp_node*> outputs, inputs;
  if (err.raised() || !build_graph(graph.get(), walk, results, count, outputs, inputs)) return nullptr;

  CompileOptions options;
  const auto given = [](const std::string& text) { return text.empty() ? nullptr : text.c_str(); };
  options.backend = given(configuration.backend);
  options.schedule = given(configuration.schedule);
  options.target = given(configuration.target);
  options.simd_width = configuration.simd_width;
  options.check_indices = configuration.check_indices ? 1 : 0;
  options.tuning = configuration.tuned ? HARP_TUNING_ON : HARP_TUNING_OFF;
  const auto n = static_cast<int32_t>(outputs.size());
  auto plan = std::make_shared<Plan>();
  plan->program = Handle<harp_program>(harp_compile_nodes(graph.get(), n, nullptr, outputs.data(), &options, err));
  if (err.raised()) return nullptr;

  std::vector<harp_node*> used(inputs.size(), nullptr);
  int32_t used_count = 0;
  harp_nodes_inputs(n, outputs.data(), static_cast<int32_t>(used.size()), used.data(), &used_count, err);
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  harp_program_stats(plan->program.get(), &stats, err);
  const size_t variables = harp_program_shape_var_count(plan->program.get());
  if (variables == 0) harp_program_workspace_size(plan->program.get(), 0, nullptr, session->width, &plan->workspace_bytes, err);
  if (err.raised()) return nullptr;
  for (size_t i = 0; i < variables; ++i) {
    harp_shape_var_info info = HARP_SHAPE_VAR_INFO_INIT;
    harp_program_shape_var(plan->program.get(), i, &info, err);
    if (err.raised()) return nullptr;
    if (info.input < 0) {
      raise({HARP_ERROR_INVALID_ARGUMENT, std::string("jit: no argument says what the symbolic size ") + info.name + " is"});
      return nullptr;
    }
    plan->variables.push_back({static_cast<size_t>(info.input), info.axis, info.factor, info.offset});
  }
  for (size_t i = 0; i < static_cast<size_t>(used_count); ++i)
    plan->inputs.push_back(static_cast<uint32_t>(std::find(inputs.begin(), inputs.end(), used[i]) - inputs.begin()));
  plan->kernels = static_cast<uint64_t>(stats.kernels);
  plan->key = walk.key;
  return plan;
}

inline void add_configuration(std::vector<uint64_t>& key, const Configuration& configuration) {
  if (configuration.is_default()) return;
  Words words;
  const AttributeWords add{words};
  add(Text(configuration.backend)), add(Text(configuration.schedule)), add(Text(configuration.target));
  add(configuration.simd_width), add(configuration.check_indices), add(configuration.tuned);
  key.insert(key.end(), words.data(), words.data() + words.size());
}

/// Finds or compiles the plan of results that have been walked. NULL after an error.
inline std::shared_ptr<Plan> plan_of(Session* session, Walk& walk, Value* const* results, size_t count,
                                     const Configuration& configuration) {
  add_configuration(walk.key, configuration);
  const uint64_t hash = hash_words(walk.key.data(), walk.key.size());
  Plans& plans = Plans::of(session);
  std::shared_ptr<Plan> plan = plans.find(walk.key, hash);
  if ((plan == nullptr || !plan->program) && (plan = compile(session, walk, results, count, configuration)) != nullptr)
    plans.add(plan, hash);
  return plan;
}

/// Lets harp check the whole structure of pending values, for an operation that the types of its operands alone cannot validate. False
/// after an error.
inline bool check_structure(Session* session, Value* const* results, size_t count) {
  Walk& walk = Walk::of_thread();
  walk.go(results, count);
  const uint64_t hash = hash_words(walk.key.data(), walk.key.size());
  Plans& plans = Plans::of(session);
  if (plans.find(walk.key, hash) != nullptr) return true;
  Out err;
  const Building graph(session, walk.symbolic, err);
  std::vector<harp_node*> outputs, inputs;
  if (err.raised() || !build_graph(graph.get(), walk, results, count, outputs, inputs)) return false;
  auto plan = std::make_shared<Plan>();
  plan->key = walk.key;
  plans.add(std::move(plan), hash);
  return true;
}

/// What a run of a plan needs room for.
struct Run {
  std::vector<harp_const_array> inputs;
  std::vector<harp_array> outputs;
  Workspace workspace;
};

/// Puts the sizes that a run has in the place of symbolic ones. What does not fit, the run itself says.
inline void find_sizes(const Plan& plan, const std::vector<harp_const_array>& inputs, const Type** types, size_t count, Out& err) {
  std::vector<int64_t> values;
  for (const Plan::Variable& variable : plan.variables)
    values.push_back((inputs[variable.input].dims[variable.axis] - variable.offset) / variable.factor);
  for (size_t i = 0; i < count && *static_cast<harp_error**>(err) == nullptr; ++i) {
    if (!types[i]->symbolic) continue;
    int64_t dims[HARP_MAX_RANK] = {};
    harp_program_output_dims(plan.program.get(), i, values.size(), values.data(), types[i]->rank, dims, err);
    types[i] = type_of(types[i]->dtype, dims, types[i]->rank);
  }
}

/// Runs a plan on leaves: new arrays of these types, in which symbolic sizes become numbers. False after an error, with nothing made.
inline bool run_plan(Session* session, const Plan& plan, Value* const* leaves, const Type** types, size_t count, harp_buffer** buffers) {
  Reused<Run> run;
  run->inputs.clear(), run->outputs.clear();
  uint64_t bytes = 0;
  for (const uint32_t i : plan.inputs) {
    const Value* leaf = leaves[i];
    run->inputs.push_back({leaf->data, leaf->type->dims, raw(leaf->type->dtype), leaf->type->rank});
    bytes += leaf->type->bytes;
  }
  Out err;
  size_t made = 0;
  if (!plan.variables.empty()) find_sizes(plan, run->inputs, types, count, err);
  for (; made < count && *static_cast<harp_error**>(err) == nullptr; ++made) {
    const Type* type = types[made];
    buffers[made] = harp_buffer_new(session->context, nullptr, raw(type->dtype), type->rank, type->dims, err);
    if (buffers[made] == nullptr) break;
    run->outputs.push_back({harp_buffer_data(buffers[made]), type->dims, raw(type->dtype), type->rank});
    bytes += type->bytes;
  }
  if (made == count && *static_cast<harp_error**>(err) == nullptr) {
    RunOptions options;
    options.workspace = plan.workspace_bytes != 0 ? run->workspace.reserve(plan.workspace_bytes) : nullptr;
    options.workspace_size = options.workspace != nullptr ? run->workspace.size() : 0;
    harp_program_call(plan.program.get(), run->inputs.size(), run->inputs.data(), count, run->outputs.data(), &options, err);
  }
  if (*static_cast<harp_error**>(err) != nullptr) {
    for (size_t i = 0; i < made; ++i) harp_buffer_release(buffers[i]);
    err.raised();
    return false;
  }
  ++launched.runs;
  launched.kernels += plan.kernels;
  launched.bytes += bytes;
  return true;
}

/// What is realised together.
struct Results {
  std::vector<Value*> values;
  std::vector<const Type*> types;
  std::vector<harp_buffer*> buffers;
  std::vector<std::shared_ptr<const Origins>> origins;
  std::vector<const Gradients*> noted;
};

/// Computes pending values, all of a context in one run, and with them the gradients that need them pending. Unless the reason is
/// Reason::realize, they remember what they were made of. False after an error; those that were not computed are pending as before.
inline bool realize(Value* const* values, size_t count, const Configuration& configuration, Reason reason) {
  Reused<Results> reused;
  auto& [results, types, buffers, origins, noted] = *reused.operator->();
  results.clear(), types.clear(), origins.clear(), noted.clear();
  bool has_others = false;  // of another context
  for (size_t i = 0; i < count; ++i) {
    Value* value = values[i];
    if (value->is_there() && reason == Reason::realize && value->origins != nullptr)
      value->is_constant.store(true, std::memory_order_relaxed);
    if (value->is_there() || std::find(results.begin(), results.end(), value) != results.end()) continue;
    if (!results.empty() && value->session != results[0]->session) {
      has_others = true;
      continue;
    }
    results.push_back(value);
    types.push_back(value->type);
  }
  if (results.empty()) return true;
  const size_t wanted = results.size();
  for (size_t i = 0; i < results.size(); ++i)
    for (const GradientList* list = results[i]->gradients.get(); list != nullptr; list = list->next.get()) {
      if (std::find(noted.begin(), noted.end(), list->gradients.get()) != noted.end()) continue;
      noted.push_back(list->gradients.get());
      for (Value* gradient : list->gradients->values) {
        if (std::find(results.begin(), results.end(), gradient) != results.end()) continue;
        results.push_back(gradient);
        types.push_back(gradient->type);
      }
    }
  Session* session = results[0]->session;
  Walk& walk = Walk::of_thread();
  walk.go(results.data(), results.size());
  for (const Value* leaf : walk.leaves)
    if (leaf->argument >= 0) {
      raise({HARP_ERROR_INVALID_ARGUMENT,
             "an argument of a function that jit traces has no elements yet: the function may not look at them"});
      return false;
    }
  if (walk.symbolic) {
    raise({HARP_ERROR_INVALID_ARGUMENT, "an array of symbolic sizes has no elements: it can only be a part of what jit traces"});
    return false;
  }
  const std::shared_ptr<Plan> plan = plan_of(session, walk, results.data(), results.size(), configuration);
  if (plan == nullptr) return false;
  for (size_t i = 0; i < results.size(); ++i) {
    const Reason why = i < wanted ? reason : Reason::gradient;
    origins.push_back(why == Reason::realize ? nullptr : origins_of(walk, results[i], why));
  }
  buffers.assign(results.size(), nullptr);
  if (!run_plan(session, *plan, walk.leaves.data(), types.data(), results.size(), buffers.data())) return false;
  for (Value* value : results) Resource<Session>::retain(value->session);
  for (size_t i = wanted; i < results.size(); ++i) Resource<Value>::retain(results[i]);  // others may be all that refers to it
  for (size_t i = 0; i < results.size(); ++i) {
    Value* value = results[i];
    if (value->count == 0) Resource<Session>::release(value->session);  // the value already had a reference
    value->buffer = buffers[i];
    value->data = harp_buffer_data(buffers[i]);
    value->signature = nullptr;
    value->part = -1;
    value->pending = 0;
    value->held = value->type->bytes;
    value->origins = std::move(origins[i]);
    if (value->gradients != nullptr) Resource<Value>::leave_gradients(value);
    Resource<Value>::release_operands(value);
  }
  for (size_t i = wanted; i < results.size(); ++i) Resource<Value>::release(results[i]);
  return !has_others || realize(values, count, configuration, reason);
}

/// Limits of pending values: their number, and the bytes of inputs that they keep alive.
inline constexpr uint32_t kMostPending = 10000;
inline constexpr uint64_t kMostHeld = uint64_t{512} << 20;

/// Called for a new value whose upper bounds exceed these limits. Determines the exact numbers and realises values if they exceed the
/// limits. A product is not realised by itself, nor a view of a product in another shape: a later sum would then read it from memory, while
/// product and sum together may be one contraction. The operands of the product are realised instead.
inline bool settle(Value* value) {
  Walk& walk = Walk::of_thread();
  walk.go(&value, 1);
  uint64_t held = 0;
  for (size_t i = 0; i < walk.leaves.size(); ++i) {
    const Value* leaf = walk.leaves[i];
    if (leaf->argument >= 0) {  // inside jit: the whole function is one program
      value->pending = 1;
      value->held = 0;
      return true;
    }
    if (leaf->references.load(std::memory_order_relaxed) <= walk.uses[i]) held += leaf->type->bytes;  // no other reference keeps it alive
  }
  const size_t pending = walk.order.size() - walk.leaves.size();
  value->pending = static_cast<uint32_t>(pending);
  value->held = held;
  if (pending <= kMostPending && held <= kMostHeld) return true;

  std::vector<Value*> cut, passing = {value};
  for (size_t i = 0; i < passing.size(); ++i) {
    Value* one = passing[i];
    const bool passes = one->signature != nullptr && one->signature->passes_products && passing.size() < 256;
    if (!passes) {
      if (!one->is_there()) cut.push_back(one);
      continue;
    }
    for (uint32_t k = 0; k < one->count; ++k)
      if (Value* operand = one->operands()[k]; operand != nullptr && !operand->is_there()) passing.push_back(operand);
  }
  if (!realize(cut.data(), cut.size(), {}, Reason::size)) return false;
  walk.go(&value, 1);
  value->pending = static_cast<uint32_t>(walk.order.size() - walk.leaves.size());
  value->held = 0;
  return true;
}

}  // namespace detail
}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_REALIZE_HPP
