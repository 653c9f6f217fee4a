// The parts of a lazy Tensor: records of operations that have been checked, and the values that operations produce. Part of harp.hpp.
//
// A Signature is an operation with its attributes on operands of certain types. When it occurs for the first time, harp's graph checks it
// and infers the type of the result; when it occurs again, it is only looked up. A Value is an array, which is either computed or pending.
// A pending Value has a Signature, which says how to compute it from other Values. The graph of pending Values is built when Values whose
// Signatures are connected in the same way are computed for the first time (plan.hpp).
#ifndef HARP_TRACE_HPP
#define HARP_TRACE_HPP

#include <harp/blocks.hpp>
#include <harp/keys.hpp>
#include <harp/node.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {
namespace detail {

/// An operation with its attributes.
struct AnyCall {
  AnyCall() = default;
  virtual ~AnyCall() = default;
  AnyCall(const AnyCall&) = delete;
  AnyCall& operator=(const AnyCall&) = delete;
  virtual size_t results(size_t count) const = 0;
  /// Builds the operation and writes its nodes to `results`. False if the graph has an error.
  virtual bool build(harp_graph* graph, harp_node* const* x, size_t count, harp_node** results) const = 0;
};

template <class Op>
struct Call final : AnyCall {
  Op op;
  explicit Call(const Op& operation) : op(operation) {}
  size_t results(size_t count) const override {
    if constexpr (std::is_invocable_v<const Op&, harp_node* const*, size_t, harp_node**>)
      return op.results(count);
    else
      return 1;
  }
  bool build(harp_graph* graph, harp_node* const* x, size_t count, harp_node** results) const override {
    static_cast<void>(graph), static_cast<void>(x), static_cast<void>(count);
    if constexpr (std::is_invocable_v<const Op&, harp_node* const*, size_t, harp_node**>)
      return op(x, count, results) == HARP_OK;
    else if constexpr (std::is_invocable_v<const Op&, harp_graph*, harp_node* const*, size_t>)
      results[0] = op(graph, x, count);
    else if constexpr (std::is_invocable_v<const Op&, harp_node* const*, size_t>)
      results[0] = op(x, count);
    else if constexpr (std::is_invocable_v<const Op&, harp_node* const*>)
      results[0] = op(x);
    else
      results[0] = op(graph);
    return results[0] != nullptr;
  }
};

/// An operation with its attributes and the types of its operands, of which harp has checked that they fit each other.
struct Signature : Record {
  const char* name = "";
  std::unique_ptr<AnyCall> call;
  std::vector<const Type*> results;
  bool symbolic = false;         // true: the operation has symbolic sizes, so it can be built only in the graph that owns these sizes
  bool passes_products = false;  // true: a sum over the result and a product among the operands may form one contraction; see settle()
  bool stops_gradients = false;  // true: the result has no derivative with respect to the operands
};

inline bool passes_products(const char* name) {
  for (const char* one : {"mul", "cast", "expand", "broadcast_to", "reshape", "permute", "transpose", "moveaxis", "unsqueeze", "squeeze",
                          "flip", "slice", "flatten", "contiguous", "stop_gradient", "unfold", "diagonal"})
    if (std::strcmp(name, one) == 0) return true;
  return false;
}

/// The graph in which operations are built. Without symbolic sizes this is a new graph; with symbolic sizes it is the graph that owns them,
/// which is locked as long as this object exists.
class Building {
 public:
  Building(Session* session, bool symbolic, Out& err) {
    if (symbolic) {
      lock_ = std::unique_lock<std::mutex>(symbols_mutex());
      graph_ = symbols_of(session, err);
    } else {
      graph_ = harp_graph_new(session->context, HARP_GRAPH_BROADCAST | HARP_GRAPH_PROMOTE_MIXED, err);
    }
  }
  ~Building() {
    if (lock_)
      harp_graph_drop_unreachable(graph_, 0, nullptr, nullptr);
    else
      harp_graph_release(graph_);
  }
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;
  harp_graph* get() const { return graph_; }

 private:
  std::unique_lock<std::mutex> lock_;
  harp_graph* graph_ = nullptr;
};

/// Builds the operation on inputs of these types, so that harp checks it and infers the types of its results. A NULL type stands for an
/// operand that is not given. Returns NULL after an error.
inline const Signature* make_signature(const char* name, std::unique_ptr<AnyCall> call, const Type* const* types, size_t count,
                                       Session* session, bool symbolic, const Words& key, uint64_t hash) {
  Out err;
  const Building graph(session, symbolic, err);
  if (err.raised()) return nullptr;
  std::vector<harp_node*> x(count, nullptr), results(call->results(count), nullptr);
  for (size_t i = 0; i < count; ++i)
    if (types[i] != nullptr)
      x[i] = harp_input(graph.get(), ("x" + std::to_string(i)).c_str(), raw(types[i]->dtype), types[i]->rank, types[i]->dims);
  if (!call->build(graph.get(), x.data(), count, results.data())) {
    if (!raise_mistake(graph.get())) raise({HARP_ERROR_INVALID_ARGUMENT, std::string(name) + ": an operand is missing"});
    return nullptr;
  }
  auto signature = std::make_unique<Signature>();
  for (harp_node* result : results) {
    harp_dim dims[HARP_MAX_RANK];
    const int32_t rank = harp_node_rank(result);
    harp_node_dims(result, rank, dims, err);
    if (err.raised()) return nullptr;
    signature->results.push_back(type_of(static_cast<DType>(harp_node_dtype(result)), dims, rank, session->id));
  }
  signature->name = name;
  signature->symbolic = symbolic;
  signature->call = std::move(call);
  signature->passes_products = passes_products(name);
  signature->stops_gradients = std::strcmp(name, "stop_gradient") == 0;
  return Records<Signature>::add(std::move(signature), key.data(), key.size(), hash);
}

class Origins;  // origins.hpp
struct Value;

/// The pending gradients of one call of grad. They are derived from the operations between the xs and y. A value loses its operation when
/// it is computed, so the gradients are computed in the same run as the first of the values between the xs and y.
struct Gradients {
  std::vector<Value*> values;  // the gradients that are still pending
};
/// A linked list of all objects of type Gradients that need the operation of one value. Such a value must be pending, because a computed
/// value has lost its operation.
struct GradientList {
  std::shared_ptr<Gradients> gradients;
  std::shared_ptr<const GradientList> next;
};

/// While jit traces a function: the integers among its arguments that each call has to compare with the range of their dtype.
inline thread_local std::vector<CheckedNumber> noted_numbers;

/// An array, computed or pending. A pending value, and everything computed from it, belongs to one thread at a time. A computed array may
/// be used by several threads.
struct Value {
  std::atomic<uint32_t> references{1};
  uint32_t count = 0;                    // number of operands
  uint32_t room = 0;                     // number of operands that the allocation has room for
  const Signature* signature = nullptr;  // pending: the operation that computes it; NULL: computed, or an argument of a traced function
  const Type* type = nullptr;            // NULL: an operation with several results, each of which is a Value of its own with a `part`
  Session* session = nullptr;            // retained only if there are no operands; otherwise an operand keeps the session alive
  harp_buffer* buffer = nullptr;         // retained
  void* data = nullptr;                  // address of the elements; NULL if they are not computed yet, if this stands for
                                         // an argument of a traced function, or if the array has no elements
  uint32_t pending = 0;                  // upper bound of the number of pending values that this one depends on, itself included
  int32_t part = -1;                     // if not negative: this is result number `part` of the only operand, which has several results
  bool is_gradient = false;              // true: this value is listed in one of the Gradients of the list `gradients`
  bool weak = false;                     // true: a number passed to jit, which takes the dtype of the other operand
  std::atomic<bool> is_constant{false};  // true: the value is computed and realize() was called on it, so `origins` is ignored
  int32_t argument = -1;                 // if this stands for an argument of a traced function (jit.hpp): its index
  uint32_t index = 0;                    // the index of this value in the walk whose id is `walk` (walk.hpp)
  uint64_t walk = 0;
  union {
    uint64_t held = 0;  // upper bound of the bytes of inputs that this value keeps alive
    Value* next_dead;
  };
  std::atomic<uint64_t> array_number{0};          // the number of this array in sets of origins (origins.hpp); 0: none yet
  std::shared_ptr<const Origins> origins;         // if computed: the arrays from which it was computed; never changes
  std::shared_ptr<const GradientList> gradients;  // if pending: the gradients that need the operation of this value
  alignas(16) unsigned char number[16];           // if the value is a single number: the memory to which `data` points

  bool is_there() const { return count == 0 && signature == nullptr && argument < 0; }
  Value** operands() { return reinterpret_cast<Value**>(this + 1); }
};

inline Value* new_value(const Type* type, size_t operands) {
  const size_t bytes = sizeof(Value) + operands * sizeof(Value*);
  auto* value = new (Blocks::take(static_cast<uint32_t>(operands), bytes)) Value;
  value->type = type;
  value->count = value->room = static_cast<uint32_t>(operands);
  return value;
}

template <>
struct Resource<Value> {
  static void retain(Value* value) { value->references.fetch_add(1, std::memory_order_relaxed); }

  /// Frees all values that have no reference left, iteratively, so that long chains cannot overflow the stack.
  static void release(Value* value) {
    if (value == nullptr || !drop(value)) return;
    value->next_dead = nullptr;
    for (Value* dead = value; dead != nullptr;) {
      Value* next = dead->next_dead;
      next = drop_operands(dead, next);
      destroy(dead);
      dead = next;
    }
  }

  /// Called when a value was computed or is freed. Removes the value from the Gradients that list it, and releases its own list of
  /// Gradients.
  static void leave_gradients(Value* value) {
    for (const GradientList* list = value->gradients.get(); list != nullptr && value->is_gradient; list = list->next.get()) {
      std::vector<Value*>& values = list->gradients->values;
      values.erase(std::remove(values.begin(), values.end(), value), values.end());
    }
    value->is_gradient = false;
    value->gradients.reset();
  }

  /// Releases the operands of a value that was computed.
  static void release_operands(Value* value) {
    for (Value* dead = drop_operands(value, nullptr); dead != nullptr;) {
      Value* next = drop_operands(dead, dead->next_dead);
      destroy(dead);
      dead = next;
    }
    value->count = 0;
  }

 private:
  static bool drop(Value* value) {
    return value->references.load(std::memory_order_acquire) == 1 || value->references.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  static Value* drop_operands(Value* value, Value* dead) {
    Value** operands = value->operands();
    for (uint32_t i = 0; i < value->count; ++i)
      if (operands[i] != nullptr && drop(operands[i])) {
        operands[i]->next_dead = dead;
        dead = operands[i];
      }
    return dead;
  }
  static void destroy(Value* value) {
    if (value->is_gradient) leave_gradients(value);
    if (value->buffer != nullptr) harp_buffer_release(value->buffer);
    if (value->count == 0) Resource<Session>::release(value->session);
    const uint32_t room = value->room;
    value->~Value();
    Blocks::give(room, value);
  }
};

/// Makes a computed array. Takes over the caller's reference to the buffer.
inline Value* new_leaf(Session* session, const Type* type, harp_buffer* buffer, void* data) {
  Value* value = new_value(type, 0);
  Resource<Session>::retain(session);
  value->session = session;
  value->buffer = buffer;
  value->data = data;
  value->held = type->bytes;
  return value;
}

/// Makes a pending value. Takes over the caller's references to the operands.
inline Value* new_pending(Session* session, const Signature* signature, const Type* type, Value* const* operands, size_t count) {
  Value* value = new_value(type, count);
  value->signature = signature;
  value->session = session;
  if (count == 0) Resource<Session>::retain(session);
  uint64_t pending = 1, held = 0;
  for (size_t i = 0; i < count; ++i) {
    value->operands()[i] = operands[i];
    if (operands[i] == nullptr) continue;
    pending += operands[i]->pending;
    held += operands[i]->held;
  }
  value->pending = pending > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(pending);
  value->held = held;
  return value;
}

}  // namespace detail
}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_TRACE_HPP
