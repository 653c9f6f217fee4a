// Computes pending values: the results of operations on tensors, as long as they are not computed. Decides when a value is computed, and
// which other values the same run computes. Part of harp.hpp.
#ifndef HARP_REALIZE_HPP
#define HARP_REALIZE_HPP

#include <harp/run.hpp>

#include <algorithm>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

namespace detail {

/// The values that one run computes. `types`, `buffers` and `origins` have one element for each value: its dtype and shape, its array, and
/// its Origins (the arrays from which it was computed, see origins.hpp). `noted` lists the gradient computations that were looked at
/// already.
struct Results {
  std::vector<Value*> values;
  std::vector<const Type*> types;
  std::vector<harp_buffer*> buffers;
  std::vector<std::shared_ptr<const Origins>> origins;
  std::vector<const Gradients*> noted;
};

/// Computes pending values; the values of one context are computed in one run. A value loses its operation when it is computed, so the run
/// also computes the pending gradients that need the operation of one of these values. Unless the reason is Reason::realize, the results
/// record the arrays from which they were computed. Returns false after an error; values that were not computed then stay pending.
inline bool realize(Value* const* values, size_t count, const Configuration& configuration, Reason reason) {
  Reused<Results> reused;
  auto& [results, types, buffers, origins, noted] = *reused.operator->();
  results.clear(), types.clear(), origins.clear(), noted.clear();
  bool has_others = false;  // some values belong to another context, and a second run computes them
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
      raise({HARP_ERROR_INVALID_ARGUMENT, "an argument has no elements while jit traces a function, so the function cannot read them"});
      return false;
    }
  if (walk.symbolic) {
    raise({HARP_ERROR_INVALID_ARGUMENT, "an array with symbolic sizes has no elements: it can be used only in a function that jit traces"});
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
  for (size_t i = wanted; i < results.size(); ++i)
    Resource<Value>::retain(results[i]);  // keeps the value alive: releasing operands below may release the only other reference to it
  for (size_t i = 0; i < results.size(); ++i) {
    Value* value = results[i];
    if (value->count == 0) Resource<Session>::release(value->session);  // a value without operands already has a reference to its session
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

/// Limits for a pending value, which is one that is not computed yet: the number of pending values that it depends on, and the bytes of
/// inputs that only these pending values keep alive.
inline constexpr uint32_t kMaxPending = 10000;
inline constexpr uint64_t kMaxHeld = uint64_t{512} << 20;

/// Called for a new value whose members `pending` or `held`, which are upper bounds, exceed kMaxPending or kMaxHeld. Replaces these bounds
/// by the exact numbers. If an exact number exceeds its limit, too, computes the value now. However, a product, or a cast or view of a
/// product, is not computed, but only the operands of the product: a later sum and the product may form one contraction, which does not
/// store the product. Returns false if the computation failed.
inline bool settle(Value* value) {
  Walk& walk = Walk::of_thread();
  walk.go(&value, 1);
  uint64_t held = 0;
  for (size_t i = 0; i < walk.leaves.size(); ++i) {
    const Value* leaf = walk.leaves[i];
    if (leaf->argument >= 0) {  // a value inside a function that jit traces: the whole function becomes one program
      value->pending = 1;
      value->held = 0;
      return true;
    }
    // If only the values of this walk refer to the array, nothing else keeps it alive, and its bytes count.
    if (leaf->references.load(std::memory_order_relaxed) <= walk.uses[i]) held += leaf->type->bytes;
  }
  const size_t pending = walk.order.size() - walk.leaves.size();
  value->pending = static_cast<uint32_t>(pending);
  value->held = held;
  if (pending <= kMaxPending && held <= kMaxHeld) return true;

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
