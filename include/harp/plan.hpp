// Plans. A plan belongs to a structure of pending values (operations on tensors that are not computed yet): how the operations are
// connected, and the types of their inputs. It holds the program that was compiled for this structure. Part of harp.hpp.
//
// The key of a structure is exact: it contains the signatures, the connections between operations, and the types of the inputs, but no
// elements. Equal structures therefore share the program that was compiled for the first of them.
#ifndef HARP_PLAN_HPP
#define HARP_PLAN_HPP

#include <harp/origins.hpp>

#include <algorithm>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

/// How programs are compiled: the fields of harp_compile_options with the same names. No result depends on them.
struct Configuration {
  std::string backend;   ///< "c", "interp" or "cuda", which copies arrays to the GPU and back; empty: "c", or "cuda" in a context on a GPU
  std::string schedule;  ///< the text of a schedule, as harp_tune finds it
  std::string target;    ///< a CPU, as in harp_compile_options.target; empty: this CPU
  int32_t simd_width = 0;
  bool check_indices = false;
  bool tuned = true;  ///< use the result of harp_tune for the graph, if there is one

  bool is_default() const { return backend.empty() && schedule.empty() && target.empty() && simd_width == 0 && !check_indices && tuned; }
};

namespace detail {

/// The compiled program for pending values (operations on tensors that are not computed yet) that are connected in a certain way and have
/// inputs of certain types. It never changes, except for last_use.
struct Plan {
  std::vector<uint64_t> key;
  Handle<harp_program> program;  // null if harp has only built and checked the graph of these pending values, but not compiled it yet
  std::vector<uint32_t> inputs;  // for each input of the program: the index in Walk::leaves (walk.hpp) of the array that is passed to it
  struct Variable {  // a symbolic size s, computed from a size of an input: axis `axis` of input `input` has the size factor * s + offset
    size_t input;
    int32_t axis;
    int64_t factor, offset;
  };
  std::vector<Variable> variables;
  size_t workspace_bytes = 0;  // computed only if there are no symbolic sizes; otherwise 0
  uint64_t kernels = 0;
  bool staged = false;  // true: the program runs on a GPU, and each run copies arrays to the GPU and back
  std::atomic<uint64_t> last_use{0};
};

/// The table of a context's plans.
class Plans final : public Attachment {
 public:
  static constexpr size_t kMost = 4096;  // if there are more plans, the least recently used half of them is dropped

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

/// Builds harp's graph for the values of a Walk (walk.hpp), and returns the nodes of the results and of the leaves. False after an error.
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

/// Compiles the program that computes `results`, which are pending values of the Walk (walk.hpp). NULL after an error.
inline std::shared_ptr<Plan> compile(Session* session, const Walk& walk, Value* const* results, size_t count,
                                     const Configuration& configuration) {
  Out err;
  const Building graph(session, walk.symbolic, err);
  std::vector<harp_node*> outputs, inputs;
  if (err.raised() || !build_graph(graph.get(), walk, results, count, outputs, inputs)) return nullptr;

  CompileOptions options;
  const auto given = [](const std::string& text) { return text.empty() ? nullptr : text.c_str(); };
  options.backend = configuration.backend.empty() && session->device_number != 0 ? "cuda" : given(configuration.backend);
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
      raise({HARP_ERROR_INVALID_ARGUMENT, std::string("jit: no argument determines the symbolic size ") + info.name});
      return nullptr;
    }
    plan->variables.push_back({static_cast<size_t>(info.input), info.axis, info.factor, info.offset});
  }
  for (size_t i = 0; i < static_cast<size_t>(used_count); ++i)
    plan->inputs.push_back(static_cast<uint32_t>(std::find(inputs.begin(), inputs.end(), used[i]) - inputs.begin()));
  plan->kernels = static_cast<uint64_t>(stats.kernels);
  plan->staged = options.backend != nullptr && std::strcmp(options.backend, "cuda") == 0;
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

/// Finds the plan that computes `results`, for which the Walk (walk.hpp) was made, or compiles it. NULL after an error.
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

/// Builds harp's graph for pending values, so that harp reports errors. This is for an operation whose errors depend on more than the types
/// of its operands. False after an error.
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

}  // namespace detail
}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_PLAN_HPP
